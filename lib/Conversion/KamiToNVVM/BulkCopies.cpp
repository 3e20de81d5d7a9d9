//===- BulkCopies.cpp - The copy engine's instructions --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map is made in shared memory and published to device memory, where the
// engine reads it. A variable of the module has room for as many blocks as are
// resident; a block takes a part that is free when it begins, and gives it back
// when it ends. Launches of a kernel may overlap, so that its number says
// nothing: where all parts are taken, it waits for a block to end.
//
// From PTX ISA 9.0, "tensormap.replace", "tensormap.cp_fenceproxy",
// "cp.async.bulk.tensor" and "Parallel Synchronization and Communication
// Instructions: mbarrier".
//
//===----------------------------------------------------------------------===//

#include "BulkCopies.h"
#include "Assembly.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/BulkCopy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kami;
using namespace mlir;

namespace {

/// Maps that are made in one place of shared memory, all of one matrix.
struct Maps {
  int64_t offset;
  int64_t count;
  SharedMatrixAttr matrix;
  bool rounded;
  /// Dimensions of what they describe.
  int64_t rank;
  /// Their place among the block's.
  int64_t first;
};

/// The code of one kernel.
class KernelCopies {
public:
  KernelCopies(gpu::GPUFuncOp kernel, const Chip &chip)
      : kernel(kernel), chip(chip), b(kernel.getLoc(), kernel.getContext()) {}

  LogicalResult expand();

private:
  LogicalResult collect();
  void begin();
  void end();
  void describeFixed();
  void describeFixed(const Maps &maps, Value first);
  void describe(ArrayRef<TensorMapOp> ops);
  Value entryOf(Value maps, Value index);
  void acquire(AcquireMapOp op);
  void start(PlaceBulkOp op);
  void arrive(MBarrierArriveOp op);
  void wait(MBarrierWaitOp op);
  void onEach(Value barriers, StringRef instruction, const Twine &operand,
              StringRef end);
  void initialize(MBarrierInitOp op);
  void invalidate(MBarrierInvalOp op);

  Value assemble(Type result, ValueRange operands, StringRef text,
                 StringRef constraints) {
    return kami::assemble(b, result, operands, text, constraints);
  }
  /// Convergent, which assembly is not: nothing duplicates a block that has
  /// one.
  void syncWarp() { NVVM::SyncWarpOp::create(b, integer(-1)); }
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI32Type(), value);
  }
  Value word(Value index) {
    return arith::IndexCastOp::create(b, b.getI32Type(), index);
  }
  /// Where the memref of workgroup memory begins, and that element of it.
  Value sharedAddress(Value memref, Value index = {}, int64_t bytes = 0) {
    Value base =
        word(memref::ExtractAlignedPointerAsIndexOp::create(b, memref));
    if (!index)
      return base;
    Value offset = arith::MulIOp::create(b, word(index), integer(bytes));
    return arith::AddIOp::create(b, base, offset);
  }
  /// The thread's number from that one's on; huge for those before.
  Value threadFrom(int64_t first) {
    Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    return b.createOrFold<arith::SubIOp>(
        thread, arith::ConstantIndexOp::create(b, first));
  }
  /// Whether the thread is one of so many from that one on.
  Value isAmong(int64_t threads, int64_t first = 0) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                 threadFrom(first),
                                 arith::ConstantIndexOp::create(b, threads));
  }
  template <typename Emit> void ifTrue(Value condition, Emit emit) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(
        scf::IfOp::create(b, condition, /*withElseRegion=*/false).thenBlock());
    emit();
  }
  /// Has the block's first threads execute what `emit` emits.
  template <typename Emit> void ifFirst(int64_t threads, Emit emit) {
    ifTrue(isAmong(threads), emit);
  }

  gpu::GPUFuncOp kernel;
  const Chip &chip;
  ImplicitLocOpBuilder b;
  SmallVector<Maps, 2> places;
  int64_t count = 0;
  /// Where the block's maps are, and the word that says that they are taken.
  Value entries, taken;
};

} // namespace

static bool isBulkOp(Operation *op) {
  return isa<TensorMapOp, AcquireMapOp, PlaceBulkOp, MBarrierInitOp,
             MBarrierInvalOp, MBarrierArriveOp, MBarrierWaitOp>(op);
}

static int64_t rankOf(TensorMapOp op) {
  return cast<MemRefType>(op.getSource().getType()).getRank();
}

/// Where in the block's dynamic shared memory the buffer begins, if that is
/// known.
static std::optional<int64_t> offsetInShared(Value buffer) {
  int64_t offset = 0;
  while (auto view = buffer.getDefiningOp<memref::ViewOp>()) {
    std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
    if (!shift)
      return std::nullopt;
    offset += *shift;
    buffer = view.getSource();
  }
  if (!buffer.getDefiningOp<gpu::DynamicSharedMemoryOp>())
    return std::nullopt;
  return offset;
}

/// At the kernel's begin: writes what stays of maps, and takes a part of the
/// variable.
void KernelCopies::begin() {
  int64_t parts =
      chip.multiprocessors * std::max<int64_t>(residentBlocksOf(kernel), 1);
  b.setInsertionPointToStart(&kernel.getBody().front());
  describeFixed();
  int64_t bytes = count * tensorMapBytes;
  Value all = makeVariable(b, kernel, "_tensor_maps", b.getI8Type(),
                           parts * bytes, tensorMapBytes);
  Value locks =
      makeVariable(b, kernel, "_tensor_map_locks", b.getI32Type(), parts,
                   /*alignment=*/4);
  // Blocks of one launch that begin together take different ones at once.
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value first = arith::RemUIOp::create(b, word(block), integer(parts));
  // Of a warp, the first lane looks, and tells the others.
  const char *take =
      "{ .reg .pred p; .reg .b32 o, s; .reg .b64 a; mov.b32 s, $2; "
      "mov.u32 o, %laneid; setp.ne.u32 p, o, 0; @p bra SHARE; "
      "TRY: mad.wide.u32 a, s, 4, $1; "
      "atom.acquire.gpu.global.cas.b32 o, [a], 0, 1; "
      "setp.eq.u32 p, o, 0; @p bra SHARE; add.u32 s, s, 1; "
      "setp.ge.u32 p, s, $3; selp.b32 s, 0, s, p; bra TRY; "
      "SHARE: bar.warp.sync 0xffffffff; "
      "shfl.sync.idx.b32 $0, s, 0, 31, 0xffffffff; }";
  auto choice =
      scf::IfOp::create(b, TypeRange(b.getI32Type()), isAmong(chip.warpSize),
                        /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    syncWarp();
    Value part = assemble(b.getI32Type(), {locks, first, integer(parts)}, take,
                          "=r,l,r,r,~{memory}");
    scf::YieldOp::create(b, part);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, integer(0));
  }
  auto at = [&](Value base, int64_t size) -> Value {
    Value part = arith::ExtUIOp::create(b, b.getI64Type(), choice.getResult(0));
    Value step = arith::ConstantIntOp::create(b, b.getI64Type(), size);
    return arith::AddIOp::create(b, base, arith::MulIOp::create(b, part, step));
  };
  entries = at(all, bytes);
  taken = at(locks, 4);
}

/// At the kernel's end: nobody uses the part any more.
void KernelCopies::end() {
  kernel.walk([&](gpu::ReturnOp op) {
    b.setInsertionPoint(op);
    ifFirst(1, [&] {
      assemble({}, taken, "st.release.gpu.global.b32 [$0], 0;", "l,~{memory}");
    });
  });
}

/// The block's warps, as far as is known.
static int64_t warpsOf(gpu::GPUFuncOp kernel, const Chip &chip) {
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  return block ? std::max<int64_t>((*block)[0] / chip.warpSize, 1) : 1;
}

/// Writes what maps have from one to the next. It takes some 300 cycles of a
/// warp; places are written by different ones at the same time.
void KernelCopies::describeFixed() {
  int64_t warps = warpsOf(kernel, chip);
  auto workgroup =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  Value memory = gpu::DynamicSharedMemoryOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                         MemRefLayoutAttrInterface(), workgroup));
  Value base = sharedAddress(memory);
  for (auto [index, maps] : llvm::enumerate(places)) {
    int64_t first = int64_t(index) % warps * chip.warpSize;
    ifTrue(isAmong(maps.count, first), [&, &maps = maps] {
      Value map = arith::MulIOp::create(b, word(threadFrom(first)),
                                        integer(tensorMapBytes));
      Value start = arith::AddIOp::create(b, base, integer(maps.offset));
      describeFixed(maps, arith::AddIOp::create(b, start, map));
    });
  }
  if (warps > 1)
    gpu::BarrierOp::create(b);
}

/// What the third word of a map has where the engine asks for lines of 128
/// bytes, as `.L2::128B` does; `tensormap.replace` does not have the field.
/// Read off maps that differ in CU_TENSOR_MAP_L2_PROMOTION_L2_128B (driver
/// 580): 2, 1 is for 64 bytes and 3 for 256.
constexpr int64_t fetchesLines = 2 << 17;

/// All of the map there but where a matrix lies, and how large it is.
void KernelCopies::describeFixed(const Maps &maps, Value map) {
  SharedMatrix matrix = maps.matrix.getMatrix();
  Type element = maps.matrix.getElementType();
  // The numbers that `tensormap.replace` has for types.
  int type = maps.rounded       ? 11
             : element.isBF16() ? 10
             : element.isF16()  ? 6
                                : 7;
  std::string text = "{ ";
  for (int64_t byte = 0; byte != tensorMapBytes; byte += 16)
    text += llvm::formatv("st.shared.v4.b32 [$0 + {0}], {{0, 0, {1}, 0}; ",
                          byte, byte == 0 ? fetchesLines : 0);
  auto replace = [&](StringRef field, const Twine &values) {
    text += ("tensormap.replace.tile." + field +
             ".shared::cta.b1024.b32 [$0], " + values + "; ")
                .str();
  };
  replace("rank", Twine(maps.rank - 1)); // One less than there are dimensions.
  replace("box_dim", "0, " + Twine(matrix.rowElements()));
  replace("box_dim", "1, " + Twine(matrix.lines()));
  if (maps.rank > 2)
    replace("box_dim", "2, 1");
  for (int64_t dim = 0; dim != maps.rank; ++dim)
    replace("element_stride", Twine(dim) + ", 1");
  replace("elemtype", Twine(type));
  replace("interleave_layout", "0");
  replace("swizzle_mode", Twine(swizzleMode(matrix.swizzleBytes)));
  replace("fill_mode", "0");
  assemble({}, map, text + "}", "r,~{memory}");
}

/// Where the map of that number is published.
Value KernelCopies::entryOf(Value maps, Value index) {
  const Maps &place = *llvm::find_if(places, [&](const Maps &place) {
    return place.offset == *offsetInShared(maps);
  });
  Value number = arith::AddIOp::create(
      b, index, arith::ConstantIndexOp::create(b, place.first));
  Value bytes = arith::MulIOp::create(
      b, number, arith::ConstantIndexOp::create(b, tensorMapBytes));
  return arith::AddIOp::create(
      b, entries, arith::IndexCastOp::create(b, b.getI64Type(), bytes));
}

/// Makes maps, a lane each, and publishes them, which nobody waits for here:
/// two maps of which each is written, published and waited for after the other
/// take 965 cycles, 500 of them to publish (H100, 2026-11-25).
void KernelCopies::describe(ArrayRef<TensorMapOp> ops) {
  b.setInsertionPointAfter(ops.back());
  ifFirst(chip.warpSize, [&] {
    auto asInteger = [&](Value index) -> Value {
      return arith::IndexCastOp::create(b, b.getI64Type(), index);
    };
    SmallVector<Value> places, entries, chosen;
    Value lane = threadFrom(0);
    int64_t rank = rankOf(ops.front());
    for (size_t number = 0; number != ops.size(); ++number) {
      TensorMapOp op = ops[number];
      int64_t width = op.getMatrix().getMatrix().elementBytes;
      unsigned batch = rank - 2;
      unsigned along = batch + op.getMatrix().getMajorDimension();
      unsigned line = 2 * batch + 1 - along;
      auto source = memref::ExtractStridedMetadataOp::create(b, op.getSource());
      auto inBytes = [&](Value elements) -> Value {
        return arith::MulIOp::create(b, elements,
                                     arith::ConstantIndexOp::create(b, width));
      };
      Value base = arith::AddIOp::create(
          b, memref::ExtractAlignedPointerAsIndexOp::create(b, op.getSource()),
          inBytes(source.getOffset()));
      places.push_back(
          sharedAddress(op.getMaps(), op.getIndex(), tensorMapBytes));
      entries.push_back(entryOf(op.getMaps(), op.getIndex()));
      SmallVector<Value> values = {
          places.back(), asInteger(base), word(source.getSizes()[along]),
          word(source.getSizes()[line]),
          asInteger(inBytes(source.getStrides()[line]))};
      if (batch) {
        values.push_back(word(source.getSizes()[0]));
        values.push_back(asInteger(inBytes(source.getStrides()[0])));
      }
      if (number == 0) {
        llvm::append_range(chosen, values);
        continue;
      }
      Value isOwn = arith::CmpIOp::create(
          b, arith::CmpIPredicate::eq, lane,
          arith::ConstantIndexOp::create(b, int64_t(number)));
      for (auto [choice, value] : llvm::zip_equal(chosen, values))
        choice = arith::SelectOp::create(b, isOwn, value, choice);
    }
    std::string replace = "@p tensormap.replace.tile.";
    std::string where = ".shared::cta.b1024.";
    std::string isOne = ("{ .reg .pred p; .reg .b32 l; mov.u32 l, %laneid; "
                         "setp.lt.u32 p, l, " +
                         Twine(ops.size()) + "; ")
                            .str();
    std::string text = isOne + replace + "global_address" + where +
                       "b64 [$0], $1; " + replace + "global_dim" + where +
                       "b32 [$0], 0, $2; " + replace + "global_dim" + where +
                       "b32 [$0], 1, $3; " + replace + "global_stride" + where +
                       "b64 [$0], 0, $4; ";
    if (rank > 2)
      text += replace + "global_dim" + where + "b32 [$0], 2, $5; " + replace +
              "global_stride" + where + "b64 [$0], 1, $6; ";
    assemble({}, chosen, text + "}",
             rank > 2 ? "r,l,r,r,l,r,l,~{memory}" : "r,l,r,r,l,~{memory}");
    syncWarp();
    for (auto [place, entry] : llvm::zip_equal(places, entries))
      assemble({}, {place, entry},
               "tensormap.cp_fenceproxy.global.shared::cta.tensormap::"
               "generic.release.gpu.sync.aligned [$1], [$0], 128;",
               "r,l,~{memory}");
  });
}

void KernelCopies::acquire(AcquireMapOp op) {
  b.setInsertionPoint(op);
  ifFirst(1, [&] {
    assemble({}, entryOf(op.getMaps(), op.getIndex()),
             "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;",
             "l,~{memory}");
  });
}

void KernelCopies::start(PlaceBulkOp op) {
  b.setInsertionPoint(op);
  SharedMatrixAttr attribute = op.getMatrix();
  SharedMatrix matrix = attribute.getMatrix();
  bool alongColumns = attribute.getMajorDimension() == 1;
  bool isOfBatch = op.getProduct() != nullptr;
  StringRef dimensions = isOfBatch ? "3d" : "2d";
  StringRef place = isOfBatch ? "{x, $4, $5}" : "{x, $4}";
  std::string text = llvm::formatv(
      "{{ .reg .b32 x; mbarrier.arrive.expect_tx.shared.b64 _, [$1], {0}; ",
      matrix.byteSize());
  for (int64_t box = 0; box != boxesOf(matrix); ++box)
    text += llvm::formatv(
        "add.s32 x, $3, {0}; "
        "cp.async.bulk.tensor.{1}.shared::cluster.global.tile.mbarrier::"
        "complete_tx::bytes [$0 + {2}], [$2, {3}], [$1]; ",
        box * matrix.rowElements(), dimensions, box * matrix.blockBytes(),
        place);
  ifFirst(1, [&] {
    Value along = word(alongColumns ? op.getColumn() : op.getRow());
    Value line = word(alongColumns ? op.getRow() : op.getColumn());
    Value buffer = sharedAddress(op.getBuffer());
    Value barrier =
        sharedAddress(op.getBarriers(), op.getIndex(), mbarrierBytes);
    SmallVector<Value> operands = {
        buffer, barrier, entryOf(op.getMaps(), op.getMap()), along, line};
    if (isOfBatch)
      operands.push_back(word(op.getProduct()));
    assemble({}, operands, text + "}",
             isOfBatch ? "r,r,l,r,r,r,~{memory}" : "r,r,l,r,r,~{memory}");
  });
}

void KernelCopies::arrive(MBarrierArriveOp op) {
  b.setInsertionPoint(op);
  auto emit = [&] {
    Value barrier =
        sharedAddress(op.getBarriers(), op.getIndex(), mbarrierBytes);
    assemble(
        {}, barrier,
        ("mbarrier.arrive.shared.b64 _, [$0], " + Twine(op.getArrivals()) + ";")
            .str(),
        "r,~{memory}");
  };
  if (!op.getEveryWarp())
    return ifFirst(1, emit);
  // The lane that arrives speaks for the others.
  syncWarp();
  Value lane =
      arith::RemUIOp::create(b, gpu::ThreadIdOp::create(b, gpu::Dimension::x),
                             arith::ConstantIndexOp::create(b, chip.warpSize));
  ifTrue(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane,
                               arith::ConstantIndexOp::create(b, 0)),
         emit);
}

void KernelCopies::wait(MBarrierWaitOp op) {
  b.setInsertionPoint(op);
  Value barrier = sharedAddress(op.getBarriers(), op.getIndex(), mbarrierBytes);
  auto emit = [&] {
    assemble({}, {barrier, op.getParity()},
             "{ .reg .pred p; WAIT: "
             "mbarrier.try_wait.parity.shared.b64 p, [$0], $1; "
             "@!p bra WAIT; }",
             "r,r,~{memory}");
  };
  if (!op.getEveryWarp())
    return ifFirst(1, emit);
  emit();
  syncWarp();
}

/// `mbarrier.<instruction>` on each of the words, with what comes after its
/// address, and then `end`.
void KernelCopies::onEach(Value barriers, StringRef instruction,
                          const Twine &operand, StringRef end) {
  std::string text;
  int64_t count = cast<MemRefType>(barriers.getType()).getDimSize(0);
  for (int64_t i = 0; i != count; ++i)
    text += ("mbarrier." + instruction + ".shared.b64 [$0 + " +
             Twine(i * mbarrierBytes) + "]" + operand + "; ")
                .str();
  Value first = sharedAddress(barriers);
  ifFirst(1, [&] { assemble({}, first, text + end.str(), "r,~{memory}"); });
}

void KernelCopies::initialize(MBarrierInitOp op) {
  b.setInsertionPoint(op);
  onEach(op.getBarriers(), "init", ", " + Twine(op.getArrivals()),
         "fence.mbarrier_init.release.cluster;");
}

void KernelCopies::invalidate(MBarrierInvalOp op) {
  b.setInsertionPoint(op);
  onEach(op.getBarriers(), "inval", "", "");
}

/// Finds the places where maps are made.
LogicalResult KernelCopies::collect() {
  auto result = kernel.walk([&](TensorMapOp op) -> WalkResult {
    std::optional<int64_t> offset = offsetInShared(op.getMaps());
    if (!offset)
      return op->emitOpError("expected maps at a known place of dynamic "
                             "shared memory");
    int64_t maps =
        cast<MemRefType>(op.getMaps().getType()).getDimSize(0) / tensorMapBytes;
    auto known = llvm::find_if(
        places, [&](const Maps &place) { return place.offset == *offset; });
    if (known == places.end()) {
      places.push_back(
          {*offset, maps, op.getMatrix(), op.getRounded(), rankOf(op), count});
      count += maps;
    } else if (known->matrix != op.getMatrix() || known->count != maps ||
               known->rounded != op.getRounded() || known->rank != rankOf(op)) {
      return op->emitOpError("expected all maps in one place to be alike, of ")
             << known->matrix << ", but got " << op.getMatrix();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  auto findPlace = [&](Value maps) {
    std::optional<int64_t> offset = offsetInShared(maps);
    return llvm::find_if(places, [&](const Maps &place) {
      return offset && place.offset == *offset;
    });
  };
  result = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto map = dyn_cast<AcquireMapOp>(op);
        map && findPlace(map.getMaps()) == places.end())
      return op->emitOpError("expected maps that kami.tensor_map makes");
    auto copy = dyn_cast<PlaceBulkOp>(op);
    if (!copy)
      return WalkResult::advance();
    const Maps *place = findPlace(copy.getMaps());
    if (place == places.end() || place->matrix != copy.getMatrix())
      return op->emitOpError("expected maps that kami.tensor_map makes of ")
             << copy.getMatrix();
    if ((place->rank > 2) != bool(copy.getProduct()))
      return op->emitOpError("expected the number of a matrix where, and only "
                             "where, maps are of a batch");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether a map of so many dimensions follows, and nothing else that has an
/// effect comes before it.
static bool isBeforeMap(TensorMapOp op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (auto map = dyn_cast<TensorMapOp>(next))
      return rankOf(map) == rankOf(op);
    if (!isMemoryEffectFree(next))
      return false;
  }
  return false;
}

LogicalResult KernelCopies::expand() {
  if (failed(collect()))
    return failure();
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isBulkOp(op))
      ops.push_back(op);
  });
  if (!places.empty()) {
    begin();
    end();
  }
  SmallVector<TensorMapOp, 2> maps;
  for (Operation *op : ops) {
    if (auto map = dyn_cast<TensorMapOp>(op)) {
      maps.push_back(map);
      if (isBeforeMap(map))
        continue;
      describe(maps);
      llvm::for_each(maps, [](TensorMapOp made) { made->erase(); });
      maps.clear();
      continue;
    }
    TypeSwitch<Operation *>(op)
        .Case([&](AcquireMapOp map) { acquire(map); })
        .Case([&](PlaceBulkOp place) { start(place); })
        .Case([&](MBarrierInitOp initial) { initialize(initial); })
        .Case([&](MBarrierInvalOp final) { invalidate(final); })
        .Case([&](MBarrierArriveOp arrival) { arrive(arrival); })
        .Case([&](MBarrierWaitOp waiting) { wait(waiting); });
    op->erase();
  }
  return success();
}

LogicalResult kami::expandBulkCopies(gpu::GPUModuleOp module) {
  SmallVector<gpu::GPUFuncOp> kernels;
  for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
    bool has = false;
    kernel.walk([&](Operation *op) { has |= isBulkOp(op); });
    if (has)
      kernels.push_back(kernel);
  }
  if (kernels.empty())
    return success();
  FailureOr<const Chip *> chip = targetOf(module);
  if (failed(chip))
    return failure();
  for (gpu::GPUFuncOp kernel : kernels)
    if (failed(KernelCopies(kernel, **chip).expand()))
      return failure();
  return success();
}
