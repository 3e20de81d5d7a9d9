//===- Answer.cpp - A function of Python whose calls are looked up -------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

using namespace kami;

namespace {

/// A function whose calls are looked up before it is entered.
struct Answered {
  /// How it is entered.
  python::VectorCall enter = nullptr;
  /// Of the first parameters, by position or name, then of those by name.
  llvm::SmallVector<Object *, FirstOption + maxOptions> names, defaults;

  /// How many there are for a name that there is not.
  size_t find(const python::Api &api, Object *name) const;
  /// False for a call that the function is to judge.
  bool bind(const python::Api &api, llvm::ArrayRef<Object *> positional,
            Object *const *named, Object *namesOfNamed,
            llvm::MutableArrayRef<Object *> values) const;
};

} // namespace

static Answered &answered() {
  static Answered function;
  return function;
}

size_t Answered::find(const python::Api &api, Object *name) const {
  // Names of both sides are interned, but for some that were made at run time.
  auto found = llvm::find(names, name);
  if (found == names.end())
    found = llvm::find_if(names, [&](Object *other) {
      return api.compareTexts(name, other) == 0;
    });
  return found - names.begin();
}

bool Answered::bind(const python::Api &api, llvm::ArrayRef<Object *> positional,
                    Object *const *named, Object *namesOfNamed,
                    llvm::MutableArrayRef<Object *> values) const {
  if (positional.size() > size_t(C) + 1)
    return false;
  llvm::copy(defaults, values.begin());
  llvm::copy(positional, values.begin());
  ptrdiff_t count = namesOfNamed ? api.tupleSize(namesOfNamed) : 0;
  for (ptrdiff_t index = 0; index < count; ++index) {
    size_t place = find(api, api.tupleItem(namesOfNamed, index));
    if (place < positional.size() || place == names.size())
      return false;
    values[place] = named[index];
  }
  return true;
}

static Object *answerCall(Object *function, Object *const *arguments,
                          size_t flaggedCount, Object *names) {
  const python::Api &api = *python::api();
  const Answered &known = answered();
  size_t count = flaggedCount & ~python::vectorCallFlag;
  std::array<Object *, FirstOption + maxOptions> storage;
  llvm::MutableArrayRef values(storage.data(), known.names.size());
  if (known.bind(api, {arguments, count}, arguments + count, names, values)) {
    auto table = llvm::find_if(callTables(), [&](const CallTable *calls) {
      return calls->hasType(values[A]);
    });
    if (table != callTables().end()) {
      Object *result = (*table)->run(values);
      if (result != api.none)
        return result;
      api.release(result);
    }
  }
  return known.enter(function, arguments, flaggedCount, names);
}

int kamiCallsAnswer(void *function, void *const *names, void *const *defaults,
                    size_t count) {
  const python::Api *api = python::api();
  Answered &known = answered();
  if (!api || !api->setVectorCall || known.enter || count < FirstOption ||
      count > FirstOption + maxOptions)
    return 0;
  for (auto [from, to] :
       {std::pair(names, &known.names), std::pair(defaults, &known.defaults)}) {
    to->append(reinterpret_cast<Object *const *>(from),
               reinterpret_cast<Object *const *>(from) + count);
    llvm::for_each(*to, api->retain);
  }
  auto *object = static_cast<Object *>(function);
  known.enter = api->vectorCallOf(object);
  api->setVectorCall(object, answerCall);
  return 1;
}
