//===- Wgmma.cpp - Warpgroup instructions to NVVM ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction is inline assembly whose outputs are tied to its inputs, so
// that accumulators stay in their registers. LLVM does not know that it is
// asynchronous: registers pass through empty assembly on both sides, which
// nothing that computes or uses them can be moved across. Fences and waits are
// intrinsics, because those are convergent and assembly is not: nothing
// duplicates a block that has one.
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"
#include "Assembly.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringExtras.h"

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

SmallVector<StringRef> kami::targetChips(gpu::GPUModuleOp module) {
  SmallVector<StringRef> chips;
  if (ArrayAttr targets = module.getTargetsAttr())
    for (auto target : targets.getAsRange<Attribute>())
      if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
        chips.push_back(nvvm.getChip());
  return chips;
}

static Operation *firstWgmma(gpu::GPUModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (!isa<WgmmaOp, WgmmaCommitOp, WgmmaFenceOp, WgmmaWaitOp, TensorMapOp>(
            op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

bool kami::hasWgmma(gpu::GPUModuleOp module) { return firstWgmma(module); }

LogicalResult kami::verifyWgmmaTarget(gpu::GPUModuleOp module) {
  Operation *op = firstWgmma(module);
  if (!op)
    return success();
  for (StringRef name : targetChips(module)) {
    StringRef generic = name;
    bool isSpecific = generic.consume_back(architectureSpecific);
    llvm::Expected<const Chip *> chip = findChip(generic);
    if (!chip) {
      llvm::consumeError(chip.takeError());
      continue;
    }
    if ((*chip)->groupAtoms.empty())
      return op->emitOpError("expected a target with warpgroup instructions "
                             "(sm_90), but got ")
             << name;
    if (!isSpecific)
      return op->emitOpError("expected the architecture-specific target ")
             << name << architectureSpecific << ", but got " << name;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

namespace {

/// Vectors as the registers that hold them: f32 and i32 one by one, narrower
/// elements as many as make 32 bits.
class Registers {
public:
  Registers(ImplicitLocOpBuilder &b, ValueRange vectors)
      : types(vectors.getTypes()) {
    for (Value vector : vectors) {
      auto type = cast<VectorType>(vector.getType());
      VectorType packed = packedType(type);
      if (packed != type)
        vector = vector::BitCastOp::create(b, packed, vector);
      for (int64_t i = 0; i != packed.getNumElements(); ++i)
        values.push_back(vector::ExtractOp::create(b, vector, i));
    }
  }

  /// The vectors again, from other registers of the same kind.
  SmallVector<Value> pack(ImplicitLocOpBuilder &b, ValueRange registers) const {
    SmallVector<Value> vectors;
    for (Type type : types) {
      VectorType packed = packedType(cast<VectorType>(type));
      int64_t count = packed.getNumElements();
      Value vector = vector::FromElementsOp::create(
          b, packed, registers.take_front(count));
      registers = registers.drop_front(count);
      if (packed != type)
        vector = vector::BitCastOp::create(b, type, vector);
      vectors.push_back(vector);
    }
    return vectors;
  }

  SmallVector<Value> values;

private:
  static VectorType packedType(VectorType type) {
    unsigned bits = type.getElementTypeBitWidth();
    if (bits == 32)
      return type;
    return VectorType::get({type.getNumElements() * bits / 32},
                           IntegerType::get(type.getContext(), 32));
  }

  SmallVector<Type> types;
};

} // namespace

/// The class of registers that holds values of a type.
static StringRef registerClass(Type type) {
  return type.isF32()         ? "f"
         : type.isInteger(64) ? "l"
         : type.isInteger(1)  ? "b"
                              : "r";
}

/// Assembly that reads and writes `tied` in place and reads `inputs`; the new
/// values of `tied`. In the text, these are operands 0, 1, ..., and the inputs
/// come after twice as many.
static SmallVector<Value> inlineAssembly(ImplicitLocOpBuilder &b,
                                         StringRef text, ValueRange tied,
                                         ValueRange inputs) {
  SmallVector<std::string> constraints;
  for (Value value : tied)
    constraints.push_back(("=" + registerClass(value.getType())).str());
  for (unsigned i = 0; i != tied.size(); ++i)
    constraints.push_back(std::to_string(i));
  for (Value value : inputs)
    constraints.push_back(registerClass(value.getType()).str());
  constraints.push_back("~{memory}");
  SmallVector<Value> operands(tied);
  llvm::append_range(operands, inputs);
  SmallVector<Type> types(tied.getTypes());
  Type result = types.size() == 1
                    ? types.front()
                    : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value assembly =
      assemble(b, result, operands, text, llvm::join(constraints, ","));
  if (types.size() == 1)
    return {assembly};
  SmallVector<Value> results;
  for (unsigned i = 0; i != types.size(); ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, assembly, i));
  return results;
}

/// The same values, after which nothing is moved that computes them and before
/// which nothing that uses them.
static SmallVector<Value> pin(ImplicitLocOpBuilder &b, ValueRange vectors) {
  if (vectors.empty())
    return {};
  Registers registers(b, vectors);
  return registers.pack(b, inlineAssembly(b, "", registers.values, {}));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// What the start of `buffer` is aligned to for certain: dynamic shared memory
/// as `kami-declare-dynamic-shared` declares it, static memory as its kernel
/// says. A view's shift is the business of who shifts.
static uint64_t alignmentOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto kernel =
      argument ? dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp())
               : gpu::GPUFuncOp();
  if (!kernel || argument.getArgNumber() < kernel.getNumArguments())
    return groupMatrixAlignment;
  auto alignment =
      dyn_cast_or_null<IntegerAttr>(kernel.getWorkgroupAttributionAttr(
          argument.getArgNumber() - kernel.getNumArguments(), "llvm.align"));
  return alignment ? alignment.getInt() : 1;
}

namespace {

struct ConvertDescriptor : OpConversionPattern<MatrixDescriptorOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MatrixDescriptorOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SharedMatrixAttr attribute = op.getType().getMatrix();
    SharedMatrix matrix = attribute.getMatrix();
    if (alignmentOf(op.getBuffer()) % matrix.alignment() != 0)
      return op.emitOpError("expected workgroup memory with 'llvm.align' of a "
                            "multiple of ")
             << matrix.alignment();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    auto times = [&](Value value, int64_t factor) {
      return b.createOrFold<arith::MulIOp>(value, constant(factor));
    };
    auto plus = [&](Value left, Value right) {
      return b.createOrFold<arith::AddIOp>(left, right);
    };
    bool rowsAreLines =
        (attribute.getRole() == Role::A) == (matrix.major == Major::K);
    Value line = rowsAreLines ? op.getRow() : op.getColumn();
    Value along =
        times(rowsAreLines ? op.getColumn() : op.getRow(), matrix.elementBytes);
    Value block =
        b.createOrFold<arith::DivUIOp>(along, constant(matrix.swizzleBytes));
    Value rest =
        b.createOrFold<arith::RemUIOp>(along, constant(matrix.swizzleBytes));
    Value start = plus(plus(times(line, matrix.swizzleBytes),
                            times(block, matrix.blockBytes())),
                       rest);
    // Counted in 16 bytes, with 32 bits, and added last: descriptors of one
    // buffer differ by constants. 18 bits reach all of shared memory.
    auto bits = [&](int64_t value, unsigned width) -> Value {
      return arith::ConstantIntOp::create(b, value, width);
    };
    auto word = [&](Value value) -> Value {
      return arith::IndexCastOp::create(b, b.getI32Type(), value);
    };
    Value base =
        word(memref::ExtractAlignedPointerAsIndexOp::create(b, op.getBuffer()));
    uint64_t fixed = matrix.descriptor(0, 0, 0).encode();
    Value low =
        arith::AddIOp::create(b, arith::ShRUIOp::create(b, base, bits(4, 32)),
                              bits(static_cast<int32_t>(fixed), 32));
    low = arith::AddIOp::create(
        b, low,
        word(b.createOrFold<arith::DivUIOp>(start, constant(copiedPiece))));
    rewriter.replaceOpWithNewOp<arith::OrIOp>(
        op, arith::ExtUIOp::create(b, b.getI64Type(), low),
        bits(static_cast<int64_t>(fixed >> 32 << 32), 64));
    return success();
  }
};

struct ConvertFence : OpConversionPattern<WgmmaFenceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WgmmaFenceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> values = pin(b, adaptor.getValues());
    NVVM::WgmmaFenceAlignedOp::create(b);
    rewriter.replaceOp(op, values);
    return success();
  }
};

struct ConvertCommit : OpConversionPattern<WgmmaCommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WgmmaCommitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, op.getLoc());
    rewriter.replaceOp(op, adaptor.getValues());
    return success();
  }
};

struct ConvertWait : OpConversionPattern<WgmmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WgmmaWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    NVVM::WgmmaWaitGroupSyncOp::create(b, 0);
    rewriter.replaceOp(op, pin(b, adaptor.getValues()));
    return success();
  }
};

/// Instructions that become one: each adds to what the one before it computes,
/// which nothing else reads, and nothing is between them that they would have
/// to wait for.
class WgmmaChains {
public:
  explicit WgmmaChains(gpu::GPUModuleOp module) {
    module.walk([&](WgmmaOp op) {
      auto previous = op.getC().front().getDefiningOp<WgmmaOp>();
      if (!previous || !continues(op, previous))
        return;
      previousOf[op] = previous;
      continued.insert(previous);
    });
  }

  bool isLast(WgmmaOp op) const { return !continued.contains(op); }

  /// The instructions up to `last`, in order.
  SmallVector<WgmmaOp> upTo(WgmmaOp last) const {
    SmallVector<WgmmaOp> chain;
    for (WgmmaOp op = last; op; op = previousOf.lookup(op))
      chain.push_back(op);
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

private:
  static bool continues(WgmmaOp op, WgmmaOp previous) {
    if (previous->getBlock() != op->getBlock() ||
        !llvm::equal(op.getC(), previous.getResults()) ||
        !llvm::all_of(previous.getResults(),
                      [](Value sum) { return sum.hasOneUse(); }))
      return false;
    for (Operation *between = previous->getNextNode(); between != op;
         between = between->getNextNode())
      if (!isa<MatrixDescriptorOp, WgmmaOp>(between) &&
          !isMemoryEffectFree(between))
        return false;
    return true;
  }

  DenseMap<Operation *, WgmmaOp> previousOf;
  DenseSet<Operation *> continued;
};

/// Steps along k are one assembly: with up to 128 accumulators, each tied to a
/// register, LLVM takes as long for an assembly as for all else of a tile.
class ConvertWgmma : public OpConversionPattern<WgmmaOp> {
public:
  ConvertWgmma(const TypeConverter &converter, MLIRContext *context,
               const WgmmaChains &chains)
      : OpConversionPattern(converter, context), chains(chains) {}

  /// Of the last step, for all of them.
  LogicalResult
  matchAndRewrite(WgmmaOp last, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<WgmmaOp> steps = chains.upTo(last);
    ImplicitLocOpBuilder b(last.getLoc(), rewriter);
    SmallVector<Value> c, inputs;
    if (failed(rewriter.getRemappedValues(steps.front().getC(), c)))
      return failure();
    Registers sums(b, c);
    // The predicate says that C is added to.
    std::string text = "{ .reg .pred p; setp.ne.b32 p, 1, 0; ";
    for (WgmmaOp step : steps) {
      if (!isInstruction(step.getAtom()))
        return step.emitOpError("no warpgroup instruction for ")
               << step.getAtom();
      unsigned next = 2 * sums.values.size() + inputs.size();
      SmallVector<Value> a, descriptor;
      if (failed(rewriter.getRemappedValues(step.getA(), a)) ||
          failed(rewriter.getRemappedValues(step.getB(), descriptor)))
        return failure();
      bool hasRegistersA = isa<VectorType>(step.getA().getType());
      if (hasRegistersA)
        a = Registers(b, a).values;
      for (Value value : a)
        inputs.push_back(
            value.getType().isF32()
                ? arith::BitcastOp::create(b, b.getI32Type(), value).getResult()
                : value);
      llvm::append_range(inputs, descriptor);
      if (Value accumulates = step.getAccumulates())
        inputs.push_back(rewriter.getRemappedValue(accumulates));
      text += instruction(step, sums.values.size(), next,
                          hasRegistersA ? a.size() : 0);
    }
    rewriter.replaceOp(
        last, sums.pack(b, inlineAssembly(b, text + "}", sums.values, inputs)));
    for (WgmmaOp step : llvm::reverse(ArrayRef(steps).drop_back()))
      rewriter.eraseOp(step);
    return success();
  }

private:
  const WgmmaChains &chains;

  /// PTX ISA 9.0, wgmma.mma_async, table of types.
  static bool isInstruction(MmaAtomAttr atom) {
    Type a = atom.getAType(), b = atom.getBType(), c = atom.getCType();
    auto isF8 = [](Type type) {
      return isa<Float8E4M3FNType, Float8E5M2Type>(type);
    };
    bool exists = (a == b && a.isF16() && (c.isF16() || c.isF32())) ||
                  (a == b && (a.isBF16() || a.isF32()) && c.isF32()) ||
                  (isF8(a) && isF8(b) && (c.isF16() || c.isF32())) ||
                  (a.isInteger(8) && b.isInteger(8) && c.isInteger(32));
    return exists && atom.getM() == 16 && atom.getN() == 8 &&
           atom.getK() * a.getIntOrFloatBitWidth() ==
               8 * groupInstructionBytesK;
  }

  static StringRef operandType(Type type) {
    if (type.isInteger(8))
      return type.isUnsignedInteger() ? "u8" : "s8";
    return isa<Float8E4M3FNType>(type) ? "e4m3"
           : isa<Float8E5M2Type>(type) ? "e5m2"
           : type.isF16()              ? "f16"
           : type.isBF16()             ? "bf16"
                                       : "tf32";
  }

  /// `{$4, $5, $6, $7}`
  static void printRegisters(llvm::raw_ostream &os, unsigned first,
                             unsigned count) {
    os << "{";
    llvm::interleaveComma(llvm::seq(first, first + count), os,
                          [&](unsigned i) { os << "$" << i; });
    os << "}";
  }

  /// Its inputs are operands from `next` on; `registersA` is 0 for a
  /// descriptor.
  static std::string instruction(WgmmaOp op, unsigned registersC, unsigned next,
                                 unsigned registersA) {
    MmaAtomAttr atom = op.getAtom();
    Type a = atom.getAType(), c = atom.getCType();
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "wgmma.mma_async.sync.aligned.m64n" << op.getN() << "k" << atom.getK()
       << "."
       << (c.isInteger() ? "s32"
           : c.isF16()   ? "f16"
                         : "f32")
       << "." << operandType(a) << "." << operandType(atom.getBType()) << " ";
    printRegisters(os, 0, registersC);
    os << ", ";
    if (registersA) {
      printRegisters(os, next, registersA);
      next += registersA;
    } else {
      os << "$" << next++;
    }
    os << ", $" << next++ << ", ";
    if (op.getAccumulates())
      os << "$" << next;
    else
      os << "p";
    if (!c.isInteger())
      os << ", 1, 1";
    auto transposition = [&](Type type) {
      MajorKind major = cast<MatrixDescriptorType>(type).getMatrix().getMajor();
      os << (major == MajorKind::MNMajor ? ", 1" : ", 0");
    };
    if (a.getIntOrFloatBitWidth() == 16) {
      if (!registersA)
        transposition(op.getA().getType());
      transposition(op.getB().getType());
    }
    os << "; ";
    return text;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Sums that begin at zero
//===----------------------------------------------------------------------===//

/// Sums of a thread that are half of the registers that it may have.
static constexpr int64_t manySums = 128;

/// Whether one loop of as many turns as is known only at run time follows the
/// other.
static bool isUnknownInTurn(scf::ForOp loop) {
  return !getConstantIntValue(loop.getUpperBound()) &&
         loop->getParentOfType<LoopLikeOpInterface>();
}

/// The zero that `sum`, behind a fence, begins with where `loop` carries it;
/// null if it is none, or if something else reads the sum.
static OpOperand *zeroOf(Value sum, scf::ForOp loop) {
  auto fence = sum.getDefiningOp<WgmmaFenceOp>();
  if (!fence || !sum.hasOneUse())
    return nullptr;
  auto carried = dyn_cast<BlockArgument>(
      fence.getValues()[cast<OpResult>(sum).getResultNumber()]);
  if (!carried || !carried.hasOneUse() ||
      carried.getOwner() != loop.getBody() || carried == loop.getInductionVar())
    return nullptr;
  OpOperand *init = loop.getTiedLoopInit(carried);
  bool isZero = matchPattern(init->get(), m_AnyZeroFloat()) ||
                matchPattern(init->get(), m_Zero());
  return isZero ? init : nullptr;
}

/// Lets the first instructions of the loop's first turn not count C, instead of
/// setting it to zero, which ptxas 13.0 does twice, by way of uniform
/// registers: a tenth of the instructions of shallow tiles. 256 products of f16
/// up to 512 × 512 × 128 take 43.8 µs and 46.5 with zeros, aligned 28.4 and
/// 30.7, up to 512 × 512 × 512 94.0 and 98.4, 51.5 and 54.3. Where A is in
/// registers, too, ptxas spills more of them: of tf32 512 × 512 × 512 take 152
/// and 147, aligned 108.3 and 106.3 (H100, 2026-11-24).
///
/// What is not set lives on from one tile to the next, while C is stored as
/// well. Where that takes a loop, of sizes known only at run time, there is no
/// room for half of the registers: 825 products of f16 200 by a kernel for all
/// sizes take 143 µs instead of 89 (H100, 2026-11-28).
static void leaveOutZeros(scf::ForOp loop) {
  SmallVector<WgmmaOp> firsts;
  SmallVector<OpOperand *> zeros;
  for (auto op : loop.getBody()->getOps<WgmmaOp>()) {
    if (!isa<MatrixDescriptorType>(op.getA().getType()))
      continue;
    auto own = llvm::map_to_vector(
        op.getC(), [&](Value sum) { return zeroOf(sum, loop); });
    if (llvm::is_contained(own, nullptr))
      continue;
    firsts.push_back(op);
    llvm::append_range(zeros, own);
  }
  int64_t sums = 0;
  for (OpOperand *zero : zeros)
    sums += cast<VectorType>(zero->get().getType()).getNumElements();
  if (firsts.empty() || (sums >= manySums && isUnknownInTurn(loop)))
    return;
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value lower = loop.getLowerBound();
  auto isLess = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                      : arith::CmpIPredicate::slt;
  auto choice = scf::IfOp::create(
      b, loop.getResultTypes(),
      arith::CmpIOp::create(b, isLess, lower, loop.getUpperBound()),
      /*withElseRegion=*/true);
  loop.replaceAllUsesWith(choice.getResults());

  // Without a turn, zeros they are; pinned, or LLVM would set them before it
  // asks.
  b.setInsertionPointToStart(choice.elseBlock());
  SmallVector<Value> inits(loop.getInits()), pinned;
  for (OpOperand *zero : zeros)
    pinned.push_back(zero->get());
  for (auto [zero, value] : llvm::zip_equal(zeros, pin(b, pinned)))
    inits[zero->getOperandNumber() - loop.getNumControlOperands()] = value;
  scf::YieldOp::create(b, inits);

  loop->moveBefore(choice.thenBlock(), choice.thenBlock()->begin());
  b.setInsertionPointAfter(loop);
  scf::YieldOp::create(b, loop.getResults());
  b.setInsertionPoint(loop);
  for (OpOperand *zero : zeros)
    zero->set(LLVM::UndefOp::create(b, zero->get().getType()));
  b.setInsertionPointToStart(loop.getBody());
  Value isLater = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                        loop.getInductionVar(), lower);
  for (WgmmaOp first : firsts)
    first.getAccumulatesMutable().assign(isLater);
}

LogicalResult kami::expandWgmma(gpu::GPUModuleOp module) {
  SmallVector<scf::ForOp> loops;
  module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  llvm::for_each(loops, leaveOutZeros);
  MLIRContext *context = module.getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](MatrixDescriptorType type) -> Type {
    return IntegerType::get(type.getContext(), 64);
  });
  RewritePatternSet patterns(context);
  WgmmaChains chains(module);
  patterns.add<ConvertCommit, ConvertDescriptor, ConvertFence, ConvertWait>(
      converter, context);
  patterns.add<ConvertWgmma>(converter, context, chains);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<MatrixDescriptorOp, WgmmaCommitOp, WgmmaFenceOp,
                      WgmmaWaitOp>();
  target.addDynamicallyLegalOp<WgmmaOp>(
      [&](WgmmaOp op) { return !chains.isLast(op); });
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  return applyPartialConversion(module, target, std::move(patterns));
}
