//===- Memory.h - Simulated memory ----------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers of bytes, and views of them: what a memref is at run time.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_SIMULATOR_MEMORY_H
#define KAMI_SIMULATOR_MEMORY_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <string>
#include <vector>

namespace kami::sim {

/// Who touched a granule (the narrowest element that the kernel accesses), at
/// times of their own clocks, which grow from block to block; 0 is never.
struct ShadowCell {
  uint32_t writeTime = 0;
  /// The last of the reads.
  uint32_t readTime = 0;
  /// Threads; `several` for readers of whom there is more than one.
  int32_t writer = 0;
  int32_t reader = 0;
  /// The warps that read at `readTime` and did not so before something that
  /// came later; or a row of the launch's table of reads, if such reads have
  /// several times.
  uint64_t readers = 0;
  int32_t readTable = -1;
  /// Reads in the block of the last read.
  uint32_t reads = 0;
  /// Blocks before that of the last read have read it, too.
  bool readEarlier = false;
  /// Of the last accesses, for diagnostics.
  int32_t writeInstruction = -1;
  int32_t readInstruction = -1;
  /// Proxy fences that were executed, by any warp, before the last write.
  uint32_t writeClock = 0;

  static constexpr int32_t several = -1;
  static constexpr int32_t earlierBlock = -2;
};

/// One allocation. Its first byte is aligned to `alignment`.
struct Buffer {
  static constexpr int64_t alignment = 256;

  std::string name;
  std::vector<uint8_t> bytes;
  bool shared = false;
  /// What a device aligns its first byte to, of shared memory.
  int64_t sharedAlignment = 1024;
  /// Of a simulated launch; empty otherwise.
  std::vector<ShadowCell> shadow;
  /// Where a launch counts its traffic; -1 outside one.
  int traffic = -1;

  int64_t size() const { return bytes.size(); }
};

/// A memref: a strided view of a buffer. The element of a memref of vectors is
/// a vector.
struct MemRef {
  Buffer *buffer = nullptr;
  /// Bytes from the buffer's start to element 0, to which `offset`, in
  /// elements, is added.
  int64_t base = 0;
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int64_t, 4> strides;
  mlir::Type elementType;
  unsigned elementBytes = 0;

  unsigned rank() const { return sizes.size(); }
  int64_t elements() const;
  /// Bytes from the buffer's start to an element, which may lie outside.
  int64_t address(llvm::ArrayRef<int64_t> indices) const;
  bool contains(int64_t address, int64_t bytes) const {
    return address >= 0 && address + bytes <= buffer->size();
  }
};

/// Elements by which a line, adjacent along that dimension, of a matrix begins
/// behind a multiple of 16 bytes.
int64_t skewOfLine(const MemRef &matrix, unsigned along, int64_t line);

/// A kernel's or host function's argument or result: a memref, or a scalar's
/// raw bits.
struct Argument {
  MemRef memref;
  uint64_t bits = 0;

  Argument() = default;
  Argument(MemRef memref) : memref(std::move(memref)) {}
  static Argument scalar(uint64_t bits) {
    Argument argument;
    argument.bits = bits;
    return argument;
  }
  bool isMemRef() const { return memref.buffer != nullptr; }
};

/// Bytes of an element of a memref, or 0 for a type that has no layout here.
unsigned elementBytes(mlir::Type type);

/// `bytes` (at most 8) of memory as bits, and back.
uint64_t readBits(const uint8_t *bytes, unsigned width);
void writeBits(uint8_t *bytes, unsigned width, uint64_t bits);

/// Owns allocations. Addresses stay valid while it lives.
class Memory {
public:
  /// New memory starts as `fill`; 0xFF makes every float a NaN.
  Buffer &allocate(std::string name, int64_t bytes, uint8_t fill = 0xFF);
  /// A contiguous row-major array.
  MemRef allocate(std::string name, llvm::ArrayRef<int64_t> sizes,
                  mlir::Type elementType, uint8_t fill = 0xFF);
  void release(Buffer *buffer);

private:
  std::vector<std::unique_ptr<Buffer>> buffers;
};

/// A row-major view of a whole buffer.
MemRef contiguous(Buffer &buffer, llvm::ArrayRef<int64_t> sizes,
                  mlir::Type elementType);

/// The real or the imaginary parts of a memref of complex numbers.
MemRef complexPart(const MemRef &memref, bool imaginary);

/// Evaluates an op that makes one memref from another and reads no memory:
/// cast, memory_space_cast, view, subview, transpose, reinterpret_cast,
/// collapse_shape, expand_shape, assume_alignment, complex_part. `operands`
/// holds the values of the op's operands after the source, in their order.
/// Extents that do not fit are an error at the op.
bool isViewOp(mlir::Operation *op);
mlir::FailureOr<MemRef> evaluateView(mlir::Operation *op, const MemRef &source,
                                     llvm::ArrayRef<int64_t> operands);

} // namespace kami::sim

#endif // KAMI_SIMULATOR_MEMORY_H
