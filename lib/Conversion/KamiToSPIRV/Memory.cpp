//===- Memory.cpp - Where matrices and variables of a kernel lie ----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "kami/Conversion/KamiToLanes/Alignment.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace kami;
using namespace kami::spirv_lowering;
using namespace mlir;

Value spirv_lowering::indexConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value).getResult();
}

Value spirv_lowering::addIndex(ImplicitLocOpBuilder &b, Value left,
                               Value right) {
  return b.createOrFold<arith::AddIOp>(left, right);
}

Value spirv_lowering::multiplyIndex(ImplicitLocOpBuilder &b, Value left,
                                    Value right) {
  return b.createOrFold<arith::MulIOp>(left, right);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

Type FlatMatrix::elementType() const {
  return cast<MemRefType>(memory.getType()).getElementType();
}

Value FlatMatrix::at(ImplicitLocOpBuilder &b, Value row, Value column) const {
  return addIndex(b, addIndex(b, offset, multiplyIndex(b, row, strides[0])),
                  multiplyIndex(b, column, strides[1]));
}

/// The matrix that an op reads or writes, if it is one that does.
static OpOperand *matrixOf(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return &load.getSourceMutable();
  if (auto store = dyn_cast<StoreOp>(op))
    return &store.getDestMutable();
  return nullptr;
}

/// The matrix itself, where its type only says less of it.
static Value withoutCasts(Value matrix) {
  while (auto cast = matrix.getDefiningOp<memref::CastOp>())
    matrix = cast.getSource();
  return matrix;
}

/// What memory a resolved matrix is in: an argument, or a view.
static Value baseOf(Value matrix) {
  matrix = withoutCasts(matrix);
  if (auto cast = matrix.getDefiningOp<memref::ReinterpretCastOp>())
    matrix = withoutCasts(cast.getSource());
  if (auto metadata = matrix.getDefiningOp<memref::ExtractStridedMetadataOp>())
    matrix = withoutCasts(metadata.getSource());
  return matrix;
}

static bool hasKnownPlace(Value base) {
  auto type = cast<MemRefType>(base.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) &&
         !ShapedType::isDynamicShape(strides) &&
         (isa<BlockArgument>(base) || base.getDefiningOp<memref::ViewOp>());
}

/// Elements up to the last one of a memory whose place is known.
static int64_t spanOf(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t span = offset + 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides)) {
    if (size == 0)
      return 0;
    span += (size - 1) * stride;
  }
  return span;
}

namespace {
/// Upstream's patterns know views and casts, but no transposes.
struct TransposeMetadata : OpRewritePattern<memref::ExtractStridedMetadataOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::ExtractStridedMetadataOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getSource().getDefiningOp<memref::TransposeOp>();
    if (!transpose)
      return failure();
    auto inner = memref::ExtractStridedMetadataOp::create(rewriter, op.getLoc(),
                                                          transpose.getIn());
    SmallVector<Value> results = {inner.getBaseBuffer(), inner.getOffset()};
    auto permuted = [&](ValueRange values) {
      for (unsigned i = 0; i != values.size(); ++i)
        results.push_back(values[transpose.getPermutation().getDimPosition(i)]);
    };
    permuted(inner.getSizes());
    permuted(inner.getStrides());
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

/// Whether SPIR-V has buffers of such elements, and kernels can compute with
/// them.
static bool hasSPIRVType(Type element) {
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isInteger(8) || element.isInteger(32);
}

LogicalResult spirv_lowering::verifyElements(Operation *op, Type element) {
  if (hasSPIRVType(element))
    return success();
  return op->emitOpError("expected elements of f16, bf16, f32, i8 or i32 in "
                         "SPIR-V, but got ")
         << element;
}

LogicalResult spirv_lowering::resolveMatrices(gpu::GPUFuncOp kernel) {
  kernel.walk([](Operation *op) {
    OpOperand *matrix = matrixOf(op);
    if (!matrix)
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    auto place = memref::ExtractStridedMetadataOp::create(b, matrix->get());
    matrix->set(memref::ReinterpretCastOp::create(
        b, cast<MemRefType>(matrix->get().getType()), place.getBaseBuffer(),
        place.getConstifiedMixedOffset(), place.getConstifiedMixedSizes(),
        place.getConstifiedMixedStrides()));
  });
  RewritePatternSet patterns(kernel.getContext());
  memref::populateExpandStridedMetadataPatterns(patterns);
  patterns.add<TransposeMetadata>(kernel.getContext());
  if (failed(applyPatternsGreedily(kernel, std::move(patterns))))
    return failure();
  // Positions become arithmetic that tells what they are multiples of.
  RewritePatternSet arithmetic(kernel.getContext());
  populateAffineToStdConversionPatterns(arithmetic);
  if (failed(applyPatternsGreedily(kernel, std::move(arithmetic))))
    return failure();
  WalkResult result = kernel.walk([](Operation *op) {
    OpOperand *matrix = matrixOf(op);
    if (!matrix)
      return WalkResult::advance();
    Value base = baseOf(matrix->get());
    if (!hasKnownPlace(base))
      return WalkResult(
          op->emitOpError("expected a matrix in an argument whose extents and "
                          "strides are known at compile time, since a buffer "
                          "does not say them, but got ")
          << base.getType());
    if (failed(verifyElements(
            op, cast<MemRefType>(base.getType()).getElementType())))
      return WalkResult::interrupt();
    // Indices have 32 bits in shaders.
    if (spanOf(cast<MemRefType>(base.getType())) >= int64_t(1) << 31)
      return WalkResult(op->emitOpError("expected a buffer of fewer than 2^31 "
                                        "elements, but got ")
                        << base.getType());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// All of an argument's memory as one row.
static Value rowOf(ImplicitLocOpBuilder &b, Value base) {
  auto type = cast<MemRefType>(base.getType());
  auto row =
      MemRefType::get({spanOf(type)}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  if (type == row)
    return base;
  return memref::ReinterpretCastOp::create(
      b, row, base, b.getIndexAttr(0),
      ArrayRef<OpFoldResult>(b.getIndexAttr(row.getDimSize(0))),
      ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
}

SmallVector<OpFoldResult> spirv_lowering::placesOf(Value matrix) {
  matrix = withoutCasts(matrix);
  SmallVector<OpFoldResult> places;
  if (auto view = matrix.getDefiningOp<memref::ReinterpretCastOp>()) {
    places.push_back(view.getMixedOffsets().front());
    llvm::append_range(places, view.getMixedStrides());
    return places;
  }
  auto [strides, offset] =
      cast<MemRefType>(matrix.getType()).getStridesAndOffset();
  Builder builder(matrix.getContext());
  places.push_back(builder.getIndexAttr(offset));
  for (int64_t stride : strides)
    places.push_back(builder.getIndexAttr(stride));
  return places;
}

llvm::DenseMap<Operation *, KnownMultiples>
spirv_lowering::findMultiples(gpu::GPUFuncOp kernel) {
  llvm::DenseMap<Operation *, KnownMultiples> known;
  auto add = [&](Operation *op, Value matrix, Value row, Value column) {
    SmallVector<OpFoldResult> places = placesOf(matrix);
    KnownMultiples multiples;
    for (auto [stride, place] :
         llvm::zip_equal(multiples.strides, ArrayRef(places).drop_front()))
      stride = lanes::divisorOf(place);
    multiples.position =
        std::min({lanes::divisorOf(places.front()),
                  lanes::divisorOf(row) * multiples.strides[0],
                  lanes::divisorOf(column) * multiples.strides[1]});
    known[op] = multiples;
  };
  kernel.walk(
      [&](LoadOp op) { add(op, op.getSource(), op.getRow(), op.getColumn()); });
  kernel.walk(
      [&](StoreOp op) { add(op, op.getDest(), op.getRow(), op.getColumn()); });
  return known;
}

FlatMatrix spirv_lowering::flatten(ImplicitLocOpBuilder &b,
                                   const WorkgroupMemory &memory,
                                   Value matrix) {
  auto value = [&](OpFoldResult folded) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), folded);
  };
  matrix = withoutCasts(matrix);
  FlatMatrix flat;
  if (auto cast = matrix.getDefiningOp<memref::ReinterpretCastOp>()) {
    flat.offset = value(cast.getMixedOffsets().front());
    for (unsigned dim = 0; dim != 2; ++dim) {
      flat.sizes[dim] = value(cast.getMixedSizes()[dim]);
      flat.strides[dim] = value(cast.getMixedStrides()[dim]);
    }
  } else {
    auto type = mlir::cast<MemRefType>(matrix.getType());
    auto [strides, offset] = type.getStridesAndOffset();
    flat.offset = indexConstant(b, offset);
    for (unsigned dim = 0; dim != 2; ++dim) {
      flat.sizes[dim] = indexConstant(b, type.getDimSize(dim));
      flat.strides[dim] = indexConstant(b, strides[dim]);
    }
  }
  Value base = baseOf(matrix);
  if (!base.getDefiningOp<memref::ViewOp>()) {
    flat.memory = rowOf(b, base);
    return flat;
  }
  Type element = mlir::cast<MemRefType>(base.getType()).getElementType();
  WorkgroupMemory::Place place = memory.placeOf(base, element);
  flat.memory = place.variable;
  flat.offset = addIndex(b, flat.offset, indexConstant(b, place.element));
  return flat;
}

//===----------------------------------------------------------------------===//
// Workgroup memory
//===----------------------------------------------------------------------===//

VectorType spirv_lowering::wordType(MLIRContext *context) {
  return VectorType::get({4}, IntegerType::get(context, 32));
}

int64_t spirv_lowering::bytesOf(Type element) {
  if (isa<VectorType>(element))
    return wordBytes;
  return element.getIntOrFloatBitWidth() / 8;
}

int64_t spirv_lowering::elementsPerWord(Value memory, Type element) {
  return bytesOf(cast<MemRefType>(memory.getType()).getElementType()) /
         bytesOf(element);
}

std::optional<Type> spirv_lowering::viewedElement(Operation *op) {
  OpOperand *matrix = matrixOf(op);
  if (!matrix)
    return std::nullopt;
  Value base = baseOf(matrix->get());
  if (!base.getDefiningOp<memref::ViewOp>())
    return std::nullopt;
  return cast<MemRefType>(base.getType()).getElementType();
}

/// Where a view of dynamic shared memory begins.
static int64_t byteOffset(memref::ViewOp view) {
  IntegerAttr offset;
  bool isConstant = matchPattern(view.getByteShift(), m_Constant(&offset));
  assert(isConstant && "expected views at constant places");
  (void)isConstant;
  return offset.getInt();
}

void WorkgroupMemory::noteView(Value buffer, Type element) {
  auto view = buffer.getDefiningOp<memref::ViewOp>();
  auto type = view.getType();
  int64_t begin = byteOffset(view);
  int64_t end = begin + type.getNumElements() * bytesOf(type.getElementType());
  auto [entry, isNew] = views.insert({element, Range{begin, end}});
  entry->second = {std::min(entry->second.begin, begin),
                   std::max(entry->second.end, end)};
}

/// Elements of a tile go through memory as they are in it; those of a fragment
/// that no instruction takes are in lanes anyway.
void WorkgroupMemory::noteTile(FragmentType fragment) {
  if (!fragment.hasAtomElementType())
    return;
  int64_t elements = fragment.getAtom().getRows(fragment.getRole()) *
                     fragment.getAtom().getColumns(fragment.getRole());
  int64_t &most = tiles[fragment.getStorageType()];
  most = std::max(most, elements);
}

SmallVector<std::pair<Value, FragmentType>>
spirv_lowering::buffersOf(Operation *op) {
  SmallVector<std::pair<Value, FragmentType>> buffers;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    for (auto [buffer, fragment] :
         llvm::zip_equal(broadcast.getBuffers(), broadcast.getFragments()))
      buffers.push_back({buffer, cast<FragmentType>(fragment.getType())});
  else if (auto share = dyn_cast<ShareOp>(op))
    buffers.push_back({share.getBuffer(), share.getValue().getType()});
  else if (auto fetch = dyn_cast<FetchOp>(op))
    buffers.push_back({fetch.getBuffer(), fetch.getResult().getType()});
  else if (auto reduce = dyn_cast<ReduceOp>(op))
    buffers.push_back({reduce.getBuffer(), reduce.getValue().getType()});
  return buffers;
}

/// Eight rows of 16 bytes are what memory of 128 bytes a cycle reads at once,
/// and rows whose distance is an odd number of words do not meet in its banks;
/// an even one halves the rate or worse. So rows of words get one more, where
/// that is a quarter of the memory at most: more of it, and fewer blocks are
/// resident (H200, f16, batch of 10 000: 64 80.5 and 78.5 us, 128 398 and 378;
/// but 463 and 618 where a plan needed half as much again).
void WorkgroupMemory::spaceRows(Type element,
                                ArrayRef<FragmentType> fragments) {
  constexpr int64_t leastWords = 4;
  int64_t perWord = wordBytes / bytesOf(element);
  int64_t least = INT64_MAX;
  for (FragmentType fragment : fragments)
    if (fragment.getStorageType() == element)
      least = std::min(least, fragment.getColumns());
  if (least >= leastWords * perWord)
    spacedRows[element] = least;
}

/// What so many elements take at most where rows are apart, in whole words.
int64_t WorkgroupMemory::spaced(int64_t elements, Type element) const {
  int64_t row = spacedRows.lookup(element);
  if (row == 0)
    return elements;
  int64_t perWord = wordBytes / bytesOf(element);
  return llvm::alignTo(llvm::divideCeil(elements * (row + perWord), row),
                       perWord);
}

SlotLayout WorkgroupMemory::layoutOf(FragmentType fragment) const {
  Type element = fragment.getStorageType();
  auto atom = fragment.getAtom();
  SlotLayout layout = {atom.getRows(fragment.getRole()),
                       atom.getColumns(fragment.getRole()), 1, 0};
  layout.pitch = layout.tileColumns;
  if (spacedRows.contains(element)) {
    layout.width = fragment.getTileColumns();
    layout.pitch = fragment.getColumns() + wordBytes / bytesOf(element);
  }
  return layout;
}

int64_t WorkgroupMemory::slotElements(FragmentType fragment) const {
  SlotLayout layout = layoutOf(fragment);
  return layout.pitch * fragment.getRows() *
         (fragment.getTileColumns() / layout.width);
}

int64_t SlotLayout::offset(int64_t tile) const {
  return tile / width * tileRows * pitch + tile % width * tileColumns;
}

FailureOr<WorkgroupMemory> WorkgroupMemory::create(gpu::GPUFuncOp kernel,
                                                   const Chip &chip,
                                                   ArrayRef<WordCopy> copies) {
  WorkgroupMemory memory;
  int64_t lanes = 0;
  SmallVector<FragmentType> exchanged;
  WalkResult result = kernel.walk([&](Operation *op) {
    for (auto [buffer, fragment] : buffersOf(op)) {
      auto view = buffer.getDefiningOp<memref::ViewOp>();
      if (!view || !matchPattern(view.getByteShift(), m_Constant()) ||
          !view.getType().hasStaticShape())
        return WalkResult(op->emitOpError(
            "expected a buffer at a constant place of the block's memory"));
      memory.noteView(buffer, fragment.getStorageType());
      exchanged.push_back(fragment);
    }
    if (std::optional<Type> element = viewedElement(op))
      memory.noteView(baseOf(matrixOf(op)->get()), *element);
    for (Value value :
         llvm::concat<Value>(llvm::to_vector_of<Value>(op->getOperands()),
                             llvm::to_vector_of<Value>(op->getResults())))
      if (auto fragment = dyn_cast<FragmentType>(value.getType())) {
        lanes = fragment.getAtom().getLanes();
        if (isa<LoadOp, StoreOp, MapOp, ClipOp>(op))
          memory.noteTile(fragment);
      }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block)
    return kernel.emitOpError("expected a known_block_size, which is a "
                              "constant of a kernel in SPIR-V");
  int64_t threads = int64_t((*block)[0]) * (*block)[1] * (*block)[2];
  int64_t warps = lanes ? llvm::divideCeil(threads, lanes) : 1;
  for (const WordCopy &copy : copies)
    memory.inWords.insert(
        LoadOp(copy.load).getResult().getType().getStorageType());
  for (Type element : memory.inWords)
    memory.spaceRows(element, exchanged);
  if (memory.bytes(warps) > chip.sharedPerBlock)
    memory.spacedRows.clear();
  memory.declareVariables(kernel, warps);
  return memory;
}

int64_t WorkgroupMemory::viewElements(Type element, Range range) const {
  return spaced((range.end - range.begin) / bytesOf(element), element);
}

int64_t WorkgroupMemory::bytes(int64_t warps) const {
  int64_t sum = 0;
  for (auto [element, range] : views)
    sum += viewElements(element, range) * bytesOf(element);
  for (auto [element, count] : tiles)
    sum += warps * count * bytesOf(element);
  return sum;
}

void WorkgroupMemory::declareVariables(gpu::GPUFuncOp kernel, int64_t warps) {
  auto space = gpu::AddressSpaceAttr::get(kernel.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto declare = [&](Type element, int64_t count) {
    return kernel.addWorkgroupAttribution(
        MemRefType::get({count}, element, MemRefLayoutAttrInterface(), space),
        kernel.getLoc());
  };
  for (auto [element, range] : views) {
    Type stored =
        inWords.contains(element) ? wordType(kernel.getContext()) : element;
    viewVariables[element] =
        declare(stored, viewElements(element, range) * bytesOf(element) /
                            bytesOf(stored));
  }
  for (auto [element, count] : tiles)
    tileVariables[element] = declare(element, warps * count);
}

WorkgroupMemory::Place WorkgroupMemory::placeOf(Value view,
                                                Type element) const {
  int64_t begin = byteOffset(view.getDefiningOp<memref::ViewOp>()) -
                  views.find(element)->second.begin;
  return {viewVariables.lookup(element),
          spaced(begin / bytesOf(element), element)};
}

Value WorkgroupMemory::staging(Type element) const {
  return tileVariables.lookup(element);
}

Value WorkgroupMemory::stagingOffset(ImplicitLocOpBuilder &b,
                                     Type element) const {
  Value warp = gpu::SubgroupIdOp::create(b, /*upper_bound=*/IntegerAttr());
  return multiplyIndex(b, warp, indexConstant(b, tiles.lookup(element)));
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

spirv::PointerType spirv_lowering::pointerType(MemRefType memory,
                                               SpirvFlavor flavor) {
  Type element = memory.getElementType();
  if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memory))
    return spirv::PointerType::get(
        spirv::ArrayType::get(element, memory.getNumElements()),
        spirv::StorageClass::Workgroup);
  if (flavor == SpirvFlavor::Kernel)
    return spirv::PointerType::get(element,
                                   spirv::StorageClass::CrossWorkgroup);
  auto row = spirv::RuntimeArrayType::get(element, bytesOf(element));
  return spirv::PointerType::get(spirv::StructType::get(row, 0),
                                 spirv::StorageClass::StorageBuffer);
}

Value spirv_lowering::elementPointer(ImplicitLocOpBuilder &b, Value memory,
                                     Value index, SpirvFlavor flavor) {
  auto type = cast<MemRefType>(memory.getType());
  spirv::PointerType pointer = pointerType(type, flavor);
  Type indexType = b.getIntegerType(flavor == SpirvFlavor::Kernel ? 64 : 32);
  Value base =
      UnrealizedConversionCastOp::create(b, TypeRange(Type(pointer)), memory)
          .getResult(0);
  Value position = arith::IndexCastOp::create(b, indexType, index);
  if (pointer.getStorageClass() == spirv::StorageClass::CrossWorkgroup)
    return spirv::InBoundsPtrAccessChainOp::create(b, base, position,
                                                   ValueRange());
  SmallVector<Value, 2> indices;
  if (pointer.getStorageClass() == spirv::StorageClass::StorageBuffer)
    indices.push_back(spirv::ConstantOp::getZero(indexType, b.getLoc(), b));
  indices.push_back(position);
  return spirv::AccessChainOp::create(b, base, indices);
}
