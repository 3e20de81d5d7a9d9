//===- PythonApi.cpp - CPython's stable ABI, found at run time ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PythonApi.h"
#include <dlfcn.h>

using namespace kami::python;

template <typename T> static bool find(const char *symbol, T *&found) {
  found = reinterpret_cast<T *>(dlsym(RTLD_DEFAULT, symbol));
  return found;
}

static bool findAll(Api &api) {
#define KAMI_PYTHON_FIND(member, symbol, ...)                                  \
  if (!find(symbol, api.member))                                               \
    return false;
  KAMI_PYTHON_FUNCTIONS(KAMI_PYTHON_FIND)
#undef KAMI_PYTHON_FIND
  Object **valueError;
  if (!find("_Py_NoneStruct", api.none) ||
      !find("PyFloat_Type", api.floatType) ||
      !find("PyLong_Type", api.longType) ||
      !find("PyExc_ValueError", valueError))
    return false;
  api.valueError = *valueError;
  // Before CPython 3.12 the interpreter enters functions without asking.
  if (!find("PyFunction_SetVectorcall", api.setVectorCall) ||
      !find("PyVectorcall_Function", api.vectorCallOf))
    api.setVectorCall = nullptr;
  return true;
}

const Api *kami::python::api() {
  static Api found;
  static bool isComplete = findAll(found);
  return isComplete ? &found : nullptr;
}
