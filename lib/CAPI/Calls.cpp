//===- Calls.cpp - Calls from Python that are known already ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Handles.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <memory>
#include <numeric>
#include <utility>

using namespace kami;

static bool isYes(const python::Api &api, Object *answer) {
  bool isYes = !answer || api.isTrue(answer) != 0;
  if (answer)
    api.release(answer);
  // What went wrong goes wrong again where the call is made out anew.
  if (isYes)
    api.clearError();
  return isYes;
}

bool Question::ask(const python::Api &api, Object *object) const {
  return function && isYes(api, function(object, nullptr));
}

bool Attribute::ask(const python::Api &api, Object *object) const {
  return get && isYes(api, get(descriptor, object, object->type));
}

int64_t ExchangedTensor::elementBytes() const {
  return llvm::divideCeil(type.bits * type.lanes, 8);
}

namespace {
/// Where a tensor's elements are, in bytes.
struct Footprint {
  explicit Footprint(const ExchangedTensor &tensor);

  /// From the first one to the end of the last.
  uint64_t begin, end;
  /// Adjacent ones begin at the tensor's address; others are multiples of that
  /// many bytes further, or before.
  int64_t row, step = 0;
  bool isEmpty = false;
};
} // namespace

Footprint::Footprint(const ExchangedTensor &tensor)
    : begin(tensor.address()), end(begin + tensor.elementBytes()),
      row(tensor.elementBytes()) {
  for (int32_t dim = 0; dim < tensor.rank; ++dim) {
    int64_t extent = tensor.extents[dim];
    int64_t stride = tensor.strides[dim] * tensor.elementBytes();
    isEmpty |= extent == 0;
    if (extent <= 1)
      continue;
    (stride < 0 ? begin : end) += (extent - 1) * stride;
    bool isAdjacent = stride == row && row == tensor.elementBytes();
    if (isAdjacent)
      row *= extent;
    else
      step = std::gcd(step, stride);
  }
}

bool ExchangedTensor::mayMeet(const ExchangedTensor &other) const {
  Footprint own(*this), its(other);
  if (own.isEmpty || its.isEmpty || own.begin >= its.end ||
      its.begin >= own.end)
    return false;
  int64_t step = std::gcd(own.step, its.step);
  if (step == 0)
    return true;
  int64_t behind = int64_t(other.address() - address()) % step;
  behind += behind < 0 ? step : 0;
  return behind < own.row || behind + its.row > step;
}

bool Description::add(const ExchangedTensor &tensor) {
  if (tensor.rank > maxRank)
    return false;
  // Programs may be promised that.
  bool isAligned = tensor.address() % widestAccess == 0;
  add(uint64_t(isAligned) << 63 | uint64_t(tensor.rank) << 32 |
      llvm::bit_cast<uint32_t>(tensor.type));
  add(uint64_t(tensor.deviceType) << 32 | uint32_t(tensor.device));
  for (int32_t dim = 0; dim < tensor.rank; ++dim) {
    add(tensor.extents[dim]);
    add(tensor.strides[dim]);
  }
  return true;
}

Object *CallTable::keep(Object *object) {
  if (object) {
    python.retain(object);
    kept.push_back(object);
  }
  return object;
}

void CallTable::clear() {
  calls.clear();
  keys.Reset();
  // An object may say something to Python when it goes.
  std::vector<Object *> dropped = std::exchange(kept, {});
  llvm::for_each(dropped, python.release);
}

//===----------------------------------------------------------------------===//
// Reading calls
//===----------------------------------------------------------------------===//

/// Whether there is nothing to an array but what DLPack says.
bool CallTable::isPlain(Object *array) const {
  return hasType(array) && !isNegative.ask(python, array);
}

bool CallTable::readScale(Object *number, double usual, SaidCall &said) const {
  double value;
  if (number->type == python.floatType) {
    value = python.floatAsDouble(number);
  } else if (number->type == python.longType) {
    value = python.longAsDouble(number);
    if (value == -1 && python.hasError()) {
      python.clearError();
      return false;
    }
  } else {
    return false;
  }
  said.description.add(value != usual);
  if (value != usual)
    said.scales.push_back(value);
  return true;
}

bool CallTable::describe(Object *array, ExchangedTensor &tensor) const {
  if (exchange.describe(array, &tensor) == 0)
    return true;
  python.clearError();
  return false;
}

bool CallTable::readArray(Object *array, ExchangedTensor &tensor,
                          SaidCall &said) const {
  if (!describe(array, tensor))
    return false;
  said.deviceType = tensor.deviceType;
  said.device = tensor.device;
  if (tensor.type.code == complexCode && isConjugate.ask(python, array))
    return false;
  return said.description.add(tensor);
}

bool CallTable::readMatrix(Object *array, KamiMatrix &matrix) const {
  ExchangedTensor tensor;
  if (!isPlain(array) || !describe(array, tensor) || tensor.rank != 2 ||
      tensor.type.code == complexCode)
    return false;
  matrix = {int64_t(tensor.address()),
            tensor.extents[0],
            tensor.extents[1],
            tensor.strides[0],
            tensor.strides[1],
            llvm::bit_cast<uint32_t>(tensor.type),
            int64_t(tensor.deviceType) << 32 | uint32_t(tensor.device)};
  return true;
}

bool CallTable::read(llvm::ArrayRef<Object *> arguments, SaidCall &said) const {
  if (arguments.size() < FirstOption ||
      arguments.size() > FirstOption + maxOptions ||
      !readScale(arguments[Alpha], 1, said) ||
      !readScale(arguments[Beta], 0, said))
    return false;
  // C is read where it lies.
  bool hasOut = arguments[Out] != python.none;
  bool hasBeta = python.isTrue(arguments[Beta]);
  if (hasBeta && (!hasOut || arguments[C] != arguments[Out]))
    return false;
  if (isInterposed.ask(python))
    return false;
  Object *const arrays[] = {arguments[A], arguments[B], arguments[Out]};
  auto given = llvm::ArrayRef(arrays).take_front(hasOut ? 3 : 2);
  if (!llvm::all_of(given, [&](Object *array) { return isPlain(array); }))
    return false;
  if (recordsGradients.ask(python) &&
      (needsGradient.ask(python, arguments[A]) ||
       needsGradient.ask(python, arguments[B])))
    return false;
  for (Object *option : arguments.drop_front(FirstOption))
    said.description.add(reinterpret_cast<uint64_t>(option));
  std::array<ExchangedTensor, 3> tensors;
  for (auto [number, array] : llvm::enumerate(given)) {
    if (!readArray(array, tensors[number], said))
      return false;
    said.addresses[number] = tensors[number].address();
  }
  // Whoever is about to overwrite an operand is to hear of it; whether it is
  // one is looked at where the call is made out anew.
  return !hasOut || llvm::none_of(llvm::ArrayRef(tensors).drop_back(),
                                  [&](const ExchangedTensor &operand) {
                                    return operand.mayMeet(tensors.back());
                                  });
}

//===----------------------------------------------------------------------===//
// Answering calls
//===----------------------------------------------------------------------===//

/// Null, with an exception, where there is no memory.
Object *CallTable::make(const KnownCall &call, uint64_t &address) const {
  // The library may let other threads run, which may add calls.
  llvm::for_each(call.maker, python.retain);
  auto [function, arguments, keywords] = call.maker;
  Object *result = python.call(function, arguments, keywords);
  llvm::for_each(call.maker, python.release);
  ExchangedTensor tensor;
  if (result && exchange.describe(result, &tensor) != 0) {
    python.release(result);
    return nullptr;
  }
  if (result)
    address = tensor.address();
  return result;
}

/// `out`; null, with an exception, where the driver refuses; None where an
/// array does not begin where the launch was promised, which takes another
/// kernel.
Object *CallTable::launch(const KnownCall &call, const SaidCall &said,
                          Object *out) const {
  std::array<uint64_t, 5> words;
  uint64_t *end = llvm::copy(said.addresses, words.begin());
  for (double scale : said.scales)
    *end++ = call.scaleBits == 32 ? llvm::bit_cast<uint32_t>(float(scale))
                                  : llvm::bit_cast<uint64_t>(scale);
  void *stream = nullptr;
  if (exchange.currentStream(said.deviceType, said.device, &stream) != 0)
    return nullptr;
  // A launch waits where the driver's queue is full, perhaps for something that
  // needs the interpreter.
  void *state = python.saveThread();
  KamiError *error = kamiLaunchRun(call.launch, stream, words.data());
  python.restoreThread(state);
  if (!error)
    return out;
  bool isDevice =
      error->kind == KAMI_ERROR_DEVICE || error->kind == KAMI_ERROR_NO_DEVICE;
  Object *answer = error->kind == KAMI_ERROR_UNALIGNED ? python.none : nullptr;
  if (!answer)
    python.setError(isDevice ? deviceError : python.valueError,
                    error->message.c_str());
  kamiErrorDestroy(error);
  return answer;
}

Object *CallTable::run(llvm::ArrayRef<Object *> arguments) const {
  SaidCall said;
  if (!read(arguments, said)) {
    python.retain(python.none);
    return python.none;
  }
  auto found = calls.find(said.description);
  if (found == calls.end()) {
    python.retain(python.none);
    return python.none;
  }
  // A copy, since the table may grow while the result is made.
  KnownCall call = found->second;
  Object *out = arguments[Out];
  if (call.maker.front())
    out = make(call, said.addresses.back());
  else
    python.retain(out);
  if (!out)
    return nullptr;
  Object *answer = launch(call, said, out);
  if (answer != out) {
    if (answer)
      python.retain(answer);
    python.release(out);
  }
  return answer;
}

llvm::SmallVectorImpl<const CallTable *> &kami::callTables() {
  static llvm::SmallVector<const CallTable *, 4> tables;
  return tables;
}

static Object *runCall(Object *self, Object *const *arguments,
                       ptrdiff_t count) {
  auto *calls =
      static_cast<const CallTable *>(python::api()->pointerOf(self, nullptr));
  return calls->run(llvm::ArrayRef(arguments, count));
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Whether a question is one that can be asked, or there is none.
static bool setQuestion(const python::Api &api, void *given,
                        Question &question) {
  auto *function = static_cast<Object *>(given);
  if (!function)
    return true;
  if (api.flagsOf(function) != python::noArguments)
    return false;
  api.retain(function);
  question = {api.functionOf(function), api.selfOf(function)};
  return true;
}

static bool setAttribute(const python::Api &api, void *given,
                         Attribute &attribute) {
  auto *descriptor = static_cast<Object *>(given);
  if (!descriptor)
    return true;
  void *get = api.getSlot(descriptor->type, python::getterSlot);
  api.retain(descriptor);
  attribute = {reinterpret_cast<python::Getter>(get), descriptor};
  return get;
}

static bool setQuestions(const KamiArrayKind &kind, CallTable &calls) {
  const python::Api &api = calls.python;
  return setQuestion(api, kind.isInterposed, calls.isInterposed) &&
         setQuestion(api, kind.recordsGradients, calls.recordsGradients) &&
         setQuestion(api, kind.isNegative, calls.isNegative) &&
         setQuestion(api, kind.isConjugate, calls.isConjugate) &&
         setAttribute(api, kind.needsGradient, calls.needsGradient);
}

/// The table, or null and what is wrong.
static KamiCalls *makeCalls(const python::Api &api, const KamiArrayKind &kind,
                            const char *&wrong) {
  auto *exchange = static_cast<const ExchangeApi *>(kind.exchangeApi);
  while (exchange && exchange->major > 1)
    exchange = exchange->older;
  wrong = "expected DLPack's exchange API, from version 1.2 on, with functions "
          "that describe arrays and give streams";
  if (!exchange || exchange->major != 1 || exchange->minor < 2 ||
      !exchange->describe || !exchange->currentStream)
    return nullptr;
  auto calls = std::make_unique<KamiCalls>(api, *exchange);
  wrong = "expected builtin functions without arguments, and a descriptor";
  if (!setQuestions(kind, *calls))
    return nullptr;
  llvm::transform(kind.types, calls->types.begin(),
                  [](void *type) { return static_cast<Object *>(type); });
  calls->deviceError = static_cast<Object *>(kind.deviceError);
  llvm::for_each(calls->types, api.retain);
  api.retain(calls->deviceError);
  return calls.release();
}

void *kamiCallsCreate(const KamiArrayKind *kind, KamiCalls **calls) {
  *calls = nullptr;
  const python::Api *api = python::api();
  if (!api)
    return nullptr;
  const char *wrong;
  *calls = makeCalls(*api, *kind, wrong);
  if (!*calls) {
    api->setError(api->valueError, wrong);
    return nullptr;
  }
  python::MethodDefinition &method = (*calls)->method;
  method = {"launch_known", runCall, python::fastArguments,
            "The result of a call that is known, which is launched, or None."};
  callTables().push_back(*calls);
  Object *self =
      api->newCapsule(static_cast<CallTable *>(*calls), nullptr, nullptr);
  Object *function = self ? api->newFunction(&method, self, nullptr) : nullptr;
  if (self)
    api->release(self);
  return function;
}

void kamiCallsAdd(KamiCalls *calls, void *const *arguments, size_t count,
                  const KamiLaunch *launch, unsigned scaleBits,
                  void *const *maker) {
  llvm::ArrayRef said(reinterpret_cast<Object *const *>(arguments), count);
  SaidCall call;
  if (!calls->read(said, call))
    return;
  if (calls->calls.size() == maxCalls)
    calls->clear();
  llvm::ArrayRef<uint64_t> key = call.description;
  if (!calls->calls.contains(key))
    key = key.copy(calls->keys);
  KnownCall &known = calls->calls[key];
  known = {launch, scaleBits, {}};
  if (maker)
    llvm::transform(
        llvm::ArrayRef(maker, 3), known.maker.begin(),
        [&](void *part) { return calls->keep(static_cast<Object *>(part)); });
  for (Object *option : said.drop_front(FirstOption))
    calls->keep(option);
}

size_t kamiCallsDescribe(const KamiCalls *calls, void *tuple,
                         KamiMatrix *rows) {
  auto *arrays = static_cast<Object *>(tuple);
  const python::Api &api = calls->python;
  ptrdiff_t count = 0, all = api.tupleSize(arrays);
  while (count < all &&
         calls->readMatrix(api.tupleItem(arrays, count), rows[count]))
    ++count;
  return count;
}
