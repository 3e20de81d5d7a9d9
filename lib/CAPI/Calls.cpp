//===- Calls.cpp - Calls that are known by what their arrays are like -----===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "llvm/ADT/SmallVector.h"

using namespace kami;

namespace {

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
};

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

/// A launch, and what it is given behind the three addresses.
struct Call {
  const KamiLaunch *launch;
  llvm::SmallVector<uint64_t, 2> scales;
};

/// What calls are known by, as bytes: all of their arrays but addresses.
using Description = llvm::SmallVector<int64_t, 48>;

llvm::StringRef bytesOf(const Description &description) {
  return {reinterpret_cast<const char *>(description.data()),
          description.size() * sizeof(int64_t)};
}

/// Arrays of a call.
struct Arrays {
  Description description;
  /// Three, and room for scales.
  llvm::SmallVector<uint64_t, 8> words;
  int32_t deviceType = 0, device = 0;

  /// False, with an exception of Python's, for what cannot be described.
  bool read(const ExchangeApi &api, std::initializer_list<void *> objects);
};

} // namespace

bool Arrays::read(const ExchangeApi &api,
                  std::initializer_list<void *> objects) {
  for (void *object : objects) {
    ExchangedTensor tensor;
    if (api.describe(object, &tensor) != 0)
      return false;
    words.push_back(reinterpret_cast<uint64_t>(tensor.data) +
                    tensor.byteOffset);
    deviceType = tensor.deviceType;
    device = tensor.device;
    description.append({tensor.deviceType, tensor.device, tensor.type.code,
                        tensor.type.bits, tensor.type.lanes, tensor.rank});
    description.append(tensor.extents, tensor.extents + tensor.rank);
    description.append(tensor.strides, tensor.strides + tensor.rank);
  }
  return true;
}

struct KamiCalls {
  const ExchangeApi *api;
  KamiInterpreter interpreter;
  llvm::StringMap<Call> calls;
  /// Of a and b alone.
  llvm::StringMap<int64_t> pairs;
};

KamiError *kamiCallsCreate(const void *exchangeApi,
                           const KamiInterpreter *interpreter,
                           KamiCalls **calls) {
  *calls = nullptr;
  auto *api = static_cast<const ExchangeApi *>(exchangeApi);
  while (api && api->major > 1)
    api = api->older;
  if (!api || api->major != 1 || api->minor < 2 || !api->describe)
    return makeError(
        KAMI_ERROR_INVALID,
        "expected DLPack's exchange API, from version 1.2 on, with "
        "a function that describes arrays");
  *calls = new KamiCalls{api, *interpreter, {}};
  return nullptr;
}

KamiError *kamiCallsAdd(KamiCalls *calls, void *a, void *b, void *c,
                        const KamiLaunch *launch, const uint64_t *scales,
                        size_t count) {
  Arrays arrays;
  if (!arrays.read(*calls->api, {a, b, c}))
    return makeError(KAMI_ERROR_INVALID,
                     "expected arrays that DLPack describes");
  calls->calls[bytesOf(arrays.description)] = {
      launch, llvm::SmallVector<uint64_t, 2>(scales, scales + count)};
  return nullptr;
}

static KamiError *unknownCall() {
  return makeError(KAMI_ERROR_UNKNOWN_CALL, "expected arrays of a known call");
}

KamiError *kamiCallsRun(const KamiCalls *calls, void *a, void *b, void *c) {
  Arrays arrays;
  if (!arrays.read(*calls->api, {a, b, c}))
    return unknownCall();
  auto found = calls->calls.find(bytesOf(arrays.description));
  if (found == calls->calls.end())
    return unknownCall();
  void *stream = nullptr;
  if (calls->api->currentStream(arrays.deviceType, arrays.device, &stream) != 0)
    return unknownCall();
  const Call &call = found->second;
  arrays.words.append(call.scales);
  // A launch waits where the driver's queue is full, perhaps for something that
  // needs the interpreter.
  void *state = calls->interpreter.release();
  KamiError *error = kamiLaunchRun(call.launch, stream, arrays.words.data());
  calls->interpreter.acquire(state);
  return error;
}

int64_t kamiCallsAddPair(KamiCalls *calls, void *a, void *b) {
  Arrays arrays;
  if (!arrays.read(*calls->api, {a, b}))
    return -1;
  int64_t next = calls->pairs.size();
  return calls->pairs.try_emplace(bytesOf(arrays.description), next)
      .first->second;
}

int64_t kamiCallsFindPair(const KamiCalls *calls, void *a, void *b) {
  Arrays arrays;
  if (!arrays.read(*calls->api, {a, b}))
    return -1;
  auto found = calls->pairs.find(bytesOf(arrays.description));
  return found == calls->pairs.end() ? -1 : found->second;
}

void kamiCallsDestroy(KamiCalls *calls) { delete calls; }
