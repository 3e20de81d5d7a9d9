//===- BenchmarkOperands.h - Matrices that do not fit a cache ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_BENCHMARKOPERANDS_H
#define KAMI_LIB_DRIVER_BENCHMARKOPERANDS_H

#include "kami/Layout/ElementKind.h"
#include "kami/Runtime/Cuda.h"
#include "kami/Simulator/Scalar.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace kami {

/// How elements of a type that is measured lie in memory.
sim::ElementFormat benchmarkFormat(ElementKind type);

/// `batch` products of n × n matrices, dense, one behind the other.
struct OperandShape {
  int64_t n = 0;
  int64_t batch = 0;
  ElementKind type = ElementKind::F16;

  int64_t elements() const { return batch * n * n; }
  /// What lies in memory: tf32 is how f32 is read.
  ElementKind stored() const {
    return type == ElementKind::TF32 ? ElementKind::F32 : type;
  }
  /// Of one operand.
  int64_t bytes() const { return elements() * byteWidth(type); }
};

/// Where the operands of one launch begin.
struct OperandSet {
  KamiCudaPointer a = 0, b = 0, c = 0;
};

/// Random A and B and room for C, so many times that a launch does not find in
/// a cache what an earlier one has left there.
class Operands {
public:
  Operands(KamiCudaDevice *device, const OperandShape &shape);

  /// Allocates and fills the device's memory, and computes the reference.
  llvm::Error allocate();
  int64_t setCount() const { return sets; }
  /// Launches of a graph: every set equally often, and enough of them that what
  /// the graph itself costs does not count.
  int64_t launchesPerGraph() const {
    constexpr int64_t least = 10;
    return llvm::divideCeil(least, sets) * sets;
  }
  OperandSet set(int64_t number) const;
  /// Fills all C with NaN.
  llvm::Error poisonResults() const;
  /// Largest error of the first and the last product of every set, relative to
  /// |A|·|B|; NaN if any element is.
  llvm::Expected<double> largestError() const;
  /// The same of another device's C: `read` copies bytes of a set's, from an
  /// offset on, to the host.
  llvm::Expected<double>
  largestError(llvm::function_ref<llvm::Error(int64_t set, int64_t offset,
                                              uint8_t *to, int64_t bytes)>
                   read) const;
  /// All bytes of a set's operands.
  std::vector<uint8_t> imageOfA() const { return image(a); }
  std::vector<uint8_t> imageOfB() const { return image(b); }

private:
  /// One of the two inputs: a run of random numbers that repeats.
  struct Input {
    std::vector<double> values;
    std::vector<uint8_t> bytes;
    CudaBuffer device;
    double at(int64_t element) const {
      return values[element % int64_t(values.size())];
    }
  };

  void draw(Input &input, uint64_t seed) const;
  std::vector<uint8_t> image(const Input &input) const;
  llvm::Error upload(Input &input);
  void computeReference();
  /// From one set to the next.
  int64_t strideBytes() const;

  KamiCudaDevice *device;
  OperandShape shape;
  int64_t sets;
  Input a, b;
  CudaBuffer c;
  /// Numbers of the products that are compared; their elements as they should
  /// be, and |A|·|B|.
  std::vector<int64_t> compared;
  std::vector<long double> expected, magnitudes;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_BENCHMARKOPERANDS_H
