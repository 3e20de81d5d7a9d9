//===- Calls.h - Calls from Python that are known already -------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CAPI_CALLS_H
#define KAMI_LIB_CAPI_CALLS_H

#include "PythonApi.h"
#include "kami-c/kami.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include <array>
#include <vector>

namespace kami {

using python::Object;

//===----------------------------------------------------------------------===//
// DLPack 1.3: DLTensor and DLPackExchangeAPI of include/dlpack/dlpack.h, which
// promises that both stay as they are within a major version.
//===----------------------------------------------------------------------===//

struct ExchangedTensor {
  void *data;
  int32_t deviceType;
  int32_t device;
  int32_t rank;
  struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
  } type;
  const int64_t *extents;
  /// Since version 1.2 null for rank 0 only.
  const int64_t *strides;
  uint64_t byteOffset;

  uint64_t address() const {
    return reinterpret_cast<uint64_t>(data) + byteOffset;
  }
  int64_t elementBytes() const;
  /// Whether they may have an element in common: not if all of one are behind
  /// the other's, or lie between them in rows as far apart.
  bool mayMeet(const ExchangedTensor &other) const;
};

constexpr uint8_t complexCode = 5; // kDLComplex

struct ExchangeApi {
  uint32_t major;
  uint32_t minor;
  const ExchangeApi *older;
  /// Of tensors that own their memory.
  void (*unused[3])();
  /// Not 0, with an exception of Python's, where that is not possible.
  int (*describe)(void *object, ExchangedTensor *tensor);
  int (*currentStream)(int32_t deviceType, int32_t device, void **stream);
};

//===----------------------------------------------------------------------===//
// What is asked of arrays
//===----------------------------------------------------------------------===//

/// A builtin function without arguments, called as the interpreter does it.
struct Question {
  python::Function function = nullptr;
  Object *self = nullptr;

  bool ask(const python::Api &api) const { return ask(api, self); }
  /// Whether the answer is yes, or not to be had.
  bool ask(const python::Api &api, Object *object) const;
};

/// A descriptor of an attribute.
struct Attribute {
  python::Getter get = nullptr;
  Object *descriptor = nullptr;

  bool ask(const python::Api &api, Object *object) const;
};

/// The positions of a call's arguments. All others are compared by identity.
enum Position { A, B, C, Out, Alpha, Beta, FirstOption };

constexpr size_t maxOptions = 10;
constexpr int32_t maxRank = 8;
constexpr size_t maxCalls = 4096;

/// The widest access of a lane, in bytes: what allocators give begins there.
constexpr uint64_t widestAccess = 16;

/// A call as it is said, but for scales, and of addresses whether arrays begin
/// at such multiples.
class Description {
public:
  void add(uint64_t word) { words[size++] = word; }
  /// False for one of too many dimensions.
  bool add(const ExchangedTensor &tensor);

  operator llvm::ArrayRef<uint64_t>() const {
    return llvm::ArrayRef<uint64_t>(words.data(), size);
  }

private:
  /// Options, which scales there are, and three arrays.
  std::array<uint64_t, maxOptions + 2 + 3 * (3 + 2 * maxRank)> words;
  size_t size = 0;
};

/// A call that is to be looked up.
struct SaidCall {
  Description description;
  /// Of a, b and out.
  std::array<uint64_t, 3> addresses = {};
  /// Where they are not 1 and 0.
  llvm::SmallVector<double, 2> scales;
  int32_t deviceType = 0, device = 0;
};

/// What a call is answered by.
struct KnownCall {
  const KamiLaunch *launch = nullptr;
  /// Of a scalar: 32 or 64.
  unsigned scaleBits = 0;
  /// A function that makes the result, its arguments and keywords; null where
  /// the call says where it goes.
  std::array<Object *, 3> maker = {};
};

/// The known calls of a library's arrays. Where nothing else is said, functions
/// that give an object give null with an exception of Python's.
struct CallTable {
  const python::Api &python;
  const ExchangeApi &exchange;
  std::array<Object *, 2> types = {};
  Question isInterposed, recordsGradients, isNegative, isConjugate;
  Attribute needsGradient;
  Object *deviceError = nullptr;
  python::MethodDefinition method = {};

  llvm::DenseMap<llvm::ArrayRef<uint64_t>, KnownCall> calls;
  llvm::BumpPtrAllocator keys;
  /// Options' identities, which are known as long as they are alive, and what
  /// makes results.
  std::vector<Object *> kept;

  CallTable(const python::Api &python, const ExchangeApi &exchange)
      : python(python), exchange(exchange) {}

  void clear();
  /// The object, which stays until all is forgotten.
  Object *keep(Object *object);

  bool hasType(Object *array) const {
    return llvm::is_contained(types, array->type);
  }
  bool isPlain(Object *array) const;
  bool readScale(Object *number, double usual, SaidCall &said) const;
  /// False, without an exception, where DLPack cannot.
  bool describe(Object *array, ExchangedTensor &tensor) const;
  bool readArray(Object *array, ExchangedTensor &tensor, SaidCall &said) const;
  /// False, without an exception, for a call that cannot be known.
  bool read(llvm::ArrayRef<Object *> arguments, SaidCall &said) const;
  Object *make(const KnownCall &call, uint64_t &address) const;
  Object *launch(const KnownCall &call, const SaidCall &said,
                 Object *out) const;
  /// False, without an exception, for what is no matrix, or one of whose
  /// elements there is more to say.
  bool readMatrix(Object *array, KamiMatrix &matrix) const;
  /// The result of a known call, which is launched; else None.
  Object *run(llvm::ArrayRef<Object *> arguments) const;
};

/// Those of all libraries.
llvm::SmallVectorImpl<const CallTable *> &callTables();

} // namespace kami

struct KamiCalls : kami::CallTable {
  using CallTable::CallTable;
};

#endif // KAMI_LIB_CAPI_CALLS_H
