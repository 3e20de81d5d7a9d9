//===- Bridge.cpp - Plans and targets as attributes ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Model/Resources.h"
#include "kami/Plan/Chain.h"
#include "kami/Plan/Skew.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

Type kami::elementType(MLIRContext *context, ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return Float16Type::get(context);
  case ElementKind::BF16:
    return BFloat16Type::get(context);
  case ElementKind::TF32:
  case ElementKind::TF32x3:
  case ElementKind::F32:
    return Float32Type::get(context);
  case ElementKind::F64:
    return Float64Type::get(context);
  case ElementKind::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementKind::F8E5M2:
    return Float8E5M2Type::get(context);
  case ElementKind::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ElementKind::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ElementKind::I8:
  case ElementKind::U8:
    return IntegerType::get(context, 8);
  case ElementKind::I32:
    return IntegerType::get(context, 32);
  }
  llvm_unreachable("covered switch");
}

std::optional<ElementKind> kami::elementKind(Type type) {
  auto isInterpretation = [](ElementKind kind) {
    return kind == ElementKind::TF32 || kind == ElementKind::TF32x3 ||
           kind == ElementKind::U8;
  };
  for (ElementKind kind : allElementKinds())
    if (!isInterpretation(kind) && elementType(type.getContext(), kind) == type)
      return kind;
  return std::nullopt;
}

std::optional<Precision> kami::precisionOf(ElementKind kind) {
  if (kind == ElementKind::TF32)
    return Precision::TF32;
  if (kind == ElementKind::TF32x3)
    return Precision::TF32x3;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

namespace kami {
static InstructionKind toKind(Instruction instruction) {
  switch (instruction) {
  case Instruction::MmaSync:
    return InstructionKind::MmaSync;
  case Instruction::Fma:
    return InstructionKind::Fma;
  case Instruction::Mfma:
    return InstructionKind::Mfma;
  case Instruction::Wmma:
    return InstructionKind::Wmma;
  case Instruction::CooperativeMatrix:
    return InstructionKind::CooperativeMatrix;
  case Instruction::Wgmma:
    return InstructionKind::Wgmma;
  }
  llvm_unreachable("covered switch");
}
} // namespace kami

MmaAtomAttr kami::toAttribute(MLIRContext *context, const Atom &atom) {
  auto operandType = [&](ElementKind kind) -> Type {
    if (kind == ElementKind::U8)
      return IntegerType::get(context, 8, IntegerType::Unsigned);
    return elementType(context, kind);
  };
  return MmaAtomAttr::get(
      context, toKind(atom.instruction), atom.shape.m, atom.shape.n,
      atom.shape.k, operandType(atom.operand), operandType(atom.operandB()),
      elementType(context, atom.accumulator), atom.mapA, atom.mapB, atom.mapC,
      atom.products(), atom.opaqueLanes);
}

/// The kind of an operand's elements as an atom's type says it.
static std::optional<ElementKind> kindOfOperand(Type type) {
  if (type.isUnsignedInteger(8))
    return ElementKind::U8;
  return elementKind(type);
}

/// Nothing but its shape, types and lanes tell cooperative matrices apart.
static const Atom *findOpaqueAtom(MmaAtomAttr attribute) {
  std::optional<ElementKind> a = kindOfOperand(attribute.getAType()),
                             b = kindOfOperand(attribute.getBType()),
                             c = elementKind(attribute.getCType());
  if (!a || a != b || !c)
    return nullptr;
  return cooperativeMatrix(attribute.getExtents(), *a, *c,
                           attribute.getLanes());
}

const Atom *kami::findAtom(MmaAtomAttr attribute) {
  if (attribute.isOpaque())
    return findOpaqueAtom(attribute);
  for (const Atom &atom : allAtoms())
    if (!atom.mapA.empty() &&
        toAttribute(attribute.getContext(), atom) == attribute)
      return &atom;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace kami {
static AlgorithmKind toKind(Algorithm algorithm) {
  switch (algorithm) {
  case Algorithm::OneD:
    return AlgorithmKind::OneD;
  case Algorithm::TwoD:
    return AlgorithmKind::TwoD;
  case Algorithm::ThreeD:
    return AlgorithmKind::ThreeD;
  }
  llvm_unreachable("covered switch");
}

static UnitKind toKind(Unit unit) { return *symbolizeUnitKind(name(unit)); }

static TransportKind toKind(Transport transport) {
  return *symbolizeTransportKind(name(transport));
}
} // namespace kami

SharedLayout kami::sharedLayout(const Plan &plan) {
  return sharedLayout(plan, plan.exchange());
}

SharedLayout kami::sharedLayout(const Plan &plan, const Exchange &exchange) {
  return sharedLayout(plan.partition(), plan.slices, elementBytesOf(*plan.atom),
                      exchange);
}

Exchange kami::withoutBulk(const Plan &plan, const Exchange &exchange) {
  return withoutBulk(plan.partition(), elementBytesOf(*plan.atom), exchange);
}

Exchange kami::exchangeOf(GemmOp op, const Plan &plan) {
  auto source = [](Value operand) {
    return isa<DistributedType>(operand.getType()) ? Source::Block
                                                   : Source::Memory;
  };
  Exchange exchange = plan.exchange();
  exchange.a = source(op.getA());
  exchange.b = source(op.getB());
  return exchange;
}

PlanAttr kami::toAttribute(MLIRContext *context, const Plan &plan) {
  const Interleave &interleave = plan.interleave;
  SmallVector<int64_t, 3> groups;
  if (!interleave.isPlain())
    groups = {interleave.m, interleave.n, interleave.k};
  return PlanAttr::get(
      context, toKind(plan.algorithm()), plan.grid.m, plan.grid.n, plan.grid.k,
      toKind(plan.unit()), toAttribute(context, *plan.atom), plan.tile.m,
      plan.tile.n, plan.tile.k, toKind(plan.transport), plan.slices.k,
      plan.slices.sharedA, plan.slices.sharedB, groups, plan.teams, plan.rounds,
      plan.stages, plan.relaysC, plan.blocks, plan.prefetches, plan.skewed,
      plan.bulk, plan.taken, plan.dealsProducts, plan.interleavesParts,
      plan.stationary);
}

FailureOr<Plan> kami::toPlan(Operation *op, PlanAttr attribute) {
  Plan plan;
  plan.atom = findAtom(attribute.getAtom());
  if (!plan.atom)
    return op->emitOpError(
               "expected a plan with an atom that a target has, but got ")
           << attribute.getAtom();
  plan.tile = attribute.getTile();
  plan.grid = attribute.getGrid();
  plan.transport =
      *parseTransport(stringifyTransportKind(attribute.getTransport()));
  plan.slices = attribute.getSlicing();
  plan.interleave = attribute.getTileGroups();
  plan.teams = attribute.getTeams();
  plan.rounds = attribute.getRounds();
  plan.stages = attribute.getStages();
  plan.relaysC = attribute.getRelaysC();
  plan.blocks = attribute.getBlocks();
  plan.prefetches = attribute.getPrefetches();
  plan.skewed = attribute.getSkewed();
  plan.bulk = attribute.getBulk();
  plan.taken = attribute.getTaken();
  plan.dealsProducts = attribute.getDealsProducts();
  plan.interleavesParts = attribute.getInterleavesParts();
  plan.stationary = attribute.getStationary();
  return plan;
}

//===----------------------------------------------------------------------===//
// Targets and problems
//===----------------------------------------------------------------------===//

bool kami::namesTarget(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp())
    if (scope->hasAttr(targetAttributeName))
      return true;
  return false;
}

FailureOr<const Chip *> kami::targetOf(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp()) {
    auto target = scope->getAttrOfType<TargetAttr>(targetAttributeName);
    if (!target)
      continue;
    llvm::Expected<const Chip *> chip = findChip(target.getChip());
    if (!chip)
      return op->emitError(llvm::toString(chip.takeError()));
    return *chip;
  }
  return op->emitOpError("expected a module with a '")
         << targetAttributeName << "'; kami-attach-target sets it";
}

/// The type itself, or that of a complex number's parts.
static Type partType(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

/// The kind of A's or B's elements as `op` multiplies them. Emits an error at
/// `op` for a type that no table knows.
template <typename OpTy>
static FailureOr<ElementKind> operandKind(OpTy op, Type element,
                                          bool isUnsigned = false) {
  std::optional<ElementKind> kind = elementKind(partType(element));
  if (!kind)
    return op.emitOpError("unsupported element type ") << element;
  if (kind == ElementKind::F32 && op.getPrecision())
    return op.getPrecision() == Precision::TF32 ? ElementKind::TF32
                                                : ElementKind::TF32x3;
  return kind == ElementKind::I8 && isUnsigned ? ElementKind::U8 : *kind;
}

/// There are no plans for extents of 0: a product without terms runs as one
/// whose k is found to be 0 at run time.
static int64_t plannedExtent(int64_t value) {
  return ShapedType::isDynamic(value) ? dynamicExtent
                                      : std::max<int64_t>(value, 1);
}

/// Products of a batch. Of several dimensions known only at run time each may
/// be large, but no batch is larger than a planner takes.
static int64_t plannedBatch(ShapedType result) {
  ArrayRef<int64_t> dims = result.getShape().drop_back(2);
  int64_t batch = 1;
  for (int64_t extent : dims) {
    batch *= plannedExtent(extent);
    if (ShapedType::isDynamicShape(dims))
      batch = std::min(batch, maxExtent);
  }
  return batch;
}

namespace {
/// Elements from a matrix's row to the next, and from a column to the next.
struct MatrixStrides {
  int64_t row, column;
};
} // namespace

/// Of the memref's last two dimensions; nothing where it has no strides.
static std::optional<MatrixStrides> matrixStrides(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  return MatrixStrides{strides[strides.size() - 2], strides.back()};
}

/// Along which dimension an operand's elements are adjacent: tensors will be
/// row-major matrices. In workgroup memory, ldmatrix wants tiles as they are.
static std::optional<Major> majorOf(Value operand, Role role, bool transposed) {
  auto type = dyn_cast<ShapedType>(operand.getType());
  if (!type || isa<DistributedType>(type))
    return std::nullopt;
  bool isRowMajor = true;
  if (auto matrix = dyn_cast<MemRefType>(type)) {
    std::optional<MatrixStrides> strides = matrixStrides(matrix);
    if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(matrix) || !strides)
      return std::nullopt;
    isRowMajor = strides->column == 1;
    if (!isRowMajor && strides->row != 1)
      return std::nullopt;
  }
  // A's rows are of k, B's are not.
  bool alongColumns = isRowMajor != transposed;
  return alongColumns == (role == Role::A) ? Major::K : Major::MN;
}

/// Whether the addresses of the matrices' elements are a constant apart.
static bool hasKnownStrides(ValueRange matrices) {
  return llvm::all_of(matrices, [](Value matrix) {
    auto type = dyn_cast<MemRefType>(matrix.getType());
    if (!type)
      return true;
    std::optional<MatrixStrides> strides = matrixStrides(type);
    return strides && ShapedType::isStatic(strides->row) &&
           ShapedType::isStatic(strides->column);
  });
}

/// Whether copies of the operand's rows, or columns of adjacent elements, had
/// better be skewed.
static bool wantsSkewedRows(Value matrix, ElementKind kind, int64_t parts) {
  int64_t stride = cast<ShapedType>(matrix.getType()).getShape().back();
  if (auto type = dyn_cast<MemRefType>(matrix.getType())) {
    std::optional<MatrixStrides> strides = matrixStrides(type);
    if (!strides || (strides->row != 1 && strides->column != 1))
      return false;
    stride = strides->column == 1 ? strides->row : strides->column;
  }
  if (ShapedType::isDynamic(stride))
    return wantsSkew(kind, std::nullopt);
  return wantsSkew(kind, parts * stride);
}

/// Whether all lines of the matrix are known to begin at multiples of 16 bytes.
static bool isKnownAligned(Value matrix) {
  auto promise = matrix.getDefiningOp<memref::AssumeAlignmentOp>();
  auto type = dyn_cast<MemRefType>(matrix.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!promise || promise.getAlignment() % copiedPiece != 0 || !type ||
      failed(type.getStridesAndOffset(strides, offset)))
    return false;
  strides.push_back(offset);
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  return llvm::all_of(strides, [&](int64_t stride) {
    return stride == 1 ||
           (!ShapedType::isDynamic(stride) && areWholePieces(stride, bytes));
  });
}

bool kami::areLinesAligned(GemmOp op) {
  return !op.isComplex() &&
         (op.getAlignedRows() ||
          (isKnownAligned(op.getA()) && isKnownAligned(op.getB())));
}

/// How many matrices of a batch lie without gaps in memory, one for each of C's
/// along its last dimension of the batch.
static int64_t packableProducts(GemmOp op) {
  auto result = dyn_cast<MemRefType>(op.getC().getType());
  if (!result || op.getBatchRank() == 0)
    return 0;
  int64_t batch = result.getDimSize(op.getBatchRank() - 1);
  bool areDense = llvm::all_of(
      ArrayRef<std::pair<Role, Value>>{
          {Role::A, op.getA()}, {Role::B, op.getB()}, {Role::C, op.getC()}},
      [&](std::pair<Role, Value> operand) {
        auto type = dyn_cast<MemRefType>(operand.second.getType());
        if (!type || op.hasElementRegion(operand.first) || type.getRank() < 3 ||
            gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
          return false;
        std::optional<MatrixStrides> strides = matrixStrides(type);
        if (!strides)
          return false;
        auto [row, column] = *strides;
        auto extents = type.getShape().take_back(3);
        bool isDense =
            (column == 1 && row == extents[2]) ||
            (row == 1 && column == extents[1] && operand.first != Role::C);
        return extents[0] == batch && isDense && extents[1] > 0 &&
               extents[2] > 0;
      });
  return areDense ? plannedExtent(batch) : 0;
}

FloatAttr kami::realScale(Value scale) {
  ArrayAttr parts;
  if (!scale || !matchPattern(scale, m_Constant(&parts)) ||
      !cast<FloatAttr>(parts[1]).getValue().isZero())
    return {};
  return cast<FloatAttr>(parts[0]);
}

/// Whether the parts of a complex product's matrices are adjacent along rows,
/// and scales have no imaginary part.
static bool haveRowsOfParts(GemmOp op) {
  auto hasRows = [](Value matrix) {
    auto type = dyn_cast<MemRefType>(matrix.getType());
    return type && AsRealOp::viewType(type);
  };
  auto isReal = [](Value scale) { return !scale || realScale(scale); };
  return op.isComplex() && !op.getLayers() &&
         llvm::all_of(ArrayRef<Value>{op.getA(), op.getB(), op.getC()},
                      hasRows) &&
         isReal(op.getAlpha()) && isReal(op.getBeta());
}

FailureOr<Problem> kami::problemOf(GemmOp op) {
  FailureOr<ElementKind> operand =
      operandKind(op, op.getMultipliedType(Role::A), op.getUnsignedA());
  FailureOr<ElementKind> operandB =
      operandKind(op, op.getMultipliedType(Role::B), op.getUnsignedB());
  if (failed(operand) || failed(operandB))
    return failure();
  std::optional<ElementKind> accumulator =
      elementKind(partType(op.getAccumulator()));
  if (!accumulator)
    return op.emitOpError("unsupported accumulator type ")
           << op.getAccumulator();
  Problem problem;
  problem.extents = {plannedExtent(op.getM()), plannedExtent(op.getN()),
                     plannedExtent(op.getK())};
  problem.operand = *operand;
  if (*operandB != *operand)
    problem.otherOperand = *operandB;
  problem.accumulator = *accumulator;
  problem.isComplex = op.isComplex();
  problem.mayInterleaveParts = haveRowsOfParts(op);
  problem.interleavesParts = op.getInterleavedParts();
  problem.output = elementKind(partType(op.getCType().getElementType()));
  if (isa<DistributedType>(op.getA().getType()) &&
      isa<DistributedType>(op.getB().getType()))
    problem.source = Source::Block;
  problem.batch = plannedBatch(op.getCType());
  problem.isReproducible = op.getReproducible() && op.getBatchRank() > 0;
  if (!problem.isComplex || problem.mayInterleaveParts)
    problem.packable = std::min(packableProducts(op), problem.batch);
  if (op.getLayers()) {
    problem.hasLayers = true;
    problem.packable = 0;
  }
  auto isCopyable = [&](Role role, Value operand) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    return !op.hasElementRegion(role) &&
           !isa<DistributedType>(operand.getType()) &&
           !(type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type));
  };
  problem.isCopyable =
      isCopyable(Role::A, op.getA()) && isCopyable(Role::B, op.getB());
  // Complex elements lie between each other, unless parts of a row are
  // multiplied as they do.
  bool areRows = !problem.isComplex || problem.mayInterleaveParts;
  int64_t parts = problem.isComplex ? 2 : 1;
  problem.isSkewed = problem.isCopyable && areRows && !op.getAlignedRows() &&
                     (wantsSkewedRows(op.getA(), *operand, parts) ||
                      wantsSkewedRows(op.getB(), *operandB, parts));
  problem.isAligned = areLinesAligned(op);
  problem.hasRuntimeStrides =
      !hasKnownStrides({op.getA(), op.getB(), op.getC()});
  problem.majorA = problem.majorB = std::nullopt;
  if (areRows) {
    problem.majorA = majorOf(op.getA(), Role::A, op.getTransposeA());
    problem.majorB = majorOf(op.getB(), Role::B, op.getTransposeB());
  }
  return problem;
}

FailureOr<ChainProblem> kami::problemOf(ChainOp op) {
  FailureOr<ElementKind> operand = operandKind(op, op.getOperandType());
  if (failed(operand))
    return failure();
  std::optional<ElementKind> accumulator = elementKind(op.getAccumulator());
  if (!accumulator)
    return op.emitOpError("unsupported accumulator type ")
           << op.getAccumulator();
  auto [m, k, n, q] = op.getExtents();
  ChainProblem problem{plannedExtent(m), plannedExtent(k), plannedExtent(n),
                       plannedExtent(q)};
  problem.operand = *operand;
  problem.accumulator = *accumulator;
  problem.batch = plannedBatch(op.getDType());
  if (op.getAssociation())
    problem.order = *op.getAssociation() == Association::Left
                        ? ChainOrder::Left
                        : ChainOrder::Right;
  return problem;
}

FailureOr<Problem> kami::problemOf(GroupedGemmOp op) {
  FailureOr<ElementKind> operand =
      operandKind(op, op.getElementType(Role::A), op.getUnsignedA());
  FailureOr<ElementKind> operandB =
      operandKind(op, op.getElementType(Role::B), op.getUnsignedB());
  if (failed(operand) || failed(operandB))
    return failure();
  std::optional<ElementKind> accumulator = elementKind(op.getAccumulator());
  if (!accumulator)
    return op.emitOpError("unsupported accumulator type ")
           << op.getAccumulator();
  Problem problem;
  problem.extents = op.getTypicalExtents();
  problem.operand = *operand;
  if (*operandB != *operand)
    problem.otherOperand = *operandB;
  problem.accumulator = *accumulator;
  problem.output = elementKind(op.getElementType(Role::C));
  problem.batch =
      plannedExtent(cast<MemRefType>(op.getM().getType()).getDimSize(0));
  problem.isReproducible = op.getReproducible();
  problem.hasRuntimeStrides = true;
  problem.majorA = op.getTransposeA() ? Major::MN : Major::K;
  problem.majorB = op.getTransposeB() ? Major::K : Major::MN;
  return problem;
}

FailureOr<ChainPlan> kami::toPlan(ChainOp op) {
  FailureOr<Plan> first = toPlan(op, *op.getFirst());
  FailureOr<Plan> second = toPlan(op, *op.getSecond());
  if (failed(first) || failed(second))
    return failure();
  bool isLeft = *op.getAssociation() == Association::Left;
  return ChainPlan{isLeft ? ChainOrder::Left : ChainOrder::Right, *first,
                   *second};
}

int64_t kami::residentBlocksOf(FunctionOpInterface kernel) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>(residentBlocksAttributeName);
  return blocks ? blocks.getInt() : 0;
}
