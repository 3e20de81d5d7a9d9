//===- BenchmarkOperands.cpp - Matrices that do not fit a cache ----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchmarkOperands.h"
#include "CudaStatus.h"
#include "kami/Driver/Run.h"
#include "kami/Simulator/Memory.h"
#include "kami/Simulator/Scalar.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <random>

using namespace kami;

/// Six times the largest L2 cache of today (50 MB on Hopper), so that not even
/// a random replacement keeps much of a set.
constexpr int64_t leastBytes = 300'000'000;
/// Of tiny batches no more than this are made: they cost time to launch, not
/// to read.
constexpr int64_t mostSets = 1000;
/// Elements after which the random numbers repeat: a prime, so that no two
/// products of a launch that is worth timing begin alike.
constexpr int64_t period = 1048573;

sim::ElementFormat kami::benchmarkFormat(ElementKind type) {
  sim::ElementFormat format;
  format.bits = 8 * byteWidth(type);
  format.kind = type == ElementKind::F64    ? sim::ElementFormat::F64
                : type == ElementKind::F32  ? sim::ElementFormat::F32
                : type == ElementKind::BF16 ? sim::ElementFormat::BF16
                                            : sim::ElementFormat::F16;
  return format;
}

Operands::Operands(KamiCudaDevice *device, const OperandShape &shape)
    : device(device), shape(shape),
      sets(std::clamp<int64_t>(llvm::divideCeil(leastBytes, 3 * shape.bytes()),
                               1, mostSets)),
      a{{}, {}, CudaBuffer(device)}, b{{}, {}, CudaBuffer(device)}, c(device) {
  compared.push_back(0);
  if (shape.batch > 1)
    compared.push_back(shape.batch - 1);
}

int64_t Operands::strideBytes() const {
  // As a fresh allocation would be aligned.
  return llvm::alignTo(shape.bytes(), 256);
}

OperandSet Operands::set(int64_t number) const {
  uint64_t offset = number * strideBytes();
  return {a.device.get() + offset, b.device.get() + offset, c.get() + offset};
}

/// Uniform in [-1, 1], rounded to the type.
void Operands::draw(Input &input, uint64_t seed) const {
  sim::ElementFormat format = benchmarkFormat(shape.stored());
  std::mt19937_64 random(seed);
  int64_t count = std::min(period, shape.elements());
  input.values.resize(count);
  input.bytes.resize(count * format.bytes());
  for (int64_t i = 0; i != count; ++i) {
    // The same numbers from any standard library: its distributions may differ.
    double unit = std::ldexp(double(random() >> 11), -53);
    uint64_t bits = sim::fromDouble(format, 2 * unit - 1);
    input.values[i] = sim::toDouble(format, bits);
    sim::writeBits(&input.bytes[i * format.bytes()], format.bytes(), bits);
  }
}

llvm::Error Operands::upload(Input &input) {
  if (llvm::Error error = check(
          kamiCudaAllocate(device, sets * strideBytes(), input.device.out())))
    return error;
  int64_t chunk = input.bytes.size();
  for (int64_t set = 0; set != sets; ++set)
    for (int64_t done = 0; done < shape.bytes(); done += chunk)
      if (llvm::Error error = check(kamiCudaCopyToDevice(
              device, input.device.get() + set * strideBytes() + done,
              input.bytes.data(), std::min(chunk, shape.bytes() - done))))
        return error;
  return llvm::Error::success();
}

llvm::Error Operands::allocate() {
  draw(a, /*seed=*/1);
  draw(b, /*seed=*/2);
  computeReference();
  for (Input *input : {&a, &b})
    if (llvm::Error error = upload(*input))
      return error;
  return check(kamiCudaAllocate(device, sets * strideBytes(), c.out()));
}

void Operands::computeReference() {
  int64_t n = shape.n;
  for (int64_t product : compared) {
    int64_t base = product * n * n;
    for (int64_t row = 0; row != n; ++row)
      for (int64_t column = 0; column != n; ++column) {
        long double sum = 0, magnitude = 0;
        for (int64_t k = 0; k != n; ++k) {
          long double term =
              static_cast<long double>(a.at(base + row * n + k)) *
              b.at(base + k * n + column);
          sum += term;
          magnitude += std::fabs(term);
        }
        expected.push_back(sum);
        magnitudes.push_back(magnitude);
      }
  }
}

llvm::Error Operands::poisonResults() const {
  // All bits set is a NaN in every type.
  return check(kamiCudaFillBytes(device, c.get(), 0xFF, sets * strideBytes()));
}

std::vector<uint8_t> Operands::image(const Input &input) const {
  std::vector<uint8_t> bytes(shape.bytes());
  for (int64_t i = 0, e = bytes.size(); i != e; ++i)
    bytes[i] = input.bytes[i % int64_t(input.bytes.size())];
  return bytes;
}

llvm::Expected<double> Operands::largestError() const {
  return largestError([&](int64_t number, int64_t offset, uint8_t *to,
                          int64_t bytes) {
    return check(kamiCudaCopyToHost(device, to, set(number).c + offset, bytes));
  });
}

llvm::Expected<double> Operands::largestError(
    llvm::function_ref<llvm::Error(int64_t, int64_t, uint8_t *, int64_t)> read)
    const {
  sim::ElementFormat format = benchmarkFormat(shape.stored());
  int64_t elements = shape.n * shape.n;
  std::vector<uint8_t> bytes(elements * format.bytes());
  double worst = 0;
  for (int64_t number = 0; number != sets; ++number)
    for (auto [index, product] : llvm::enumerate(compared)) {
      if (llvm::Error error = read(number, product * elements * format.bytes(),
                                   bytes.data(), bytes.size()))
        return error;
      for (int64_t i = 0; i != elements; ++i) {
        double computed = sim::toDouble(
            format, sim::readBits(&bytes[i * format.bytes()], format.bytes()));
        double error = relativeError(computed, expected[index * elements + i],
                                     magnitudes[index * elements + i], format);
        if (std::isnan(error))
          return error;
        worst = std::max(worst, error);
      }
    }
  return worst;
}
