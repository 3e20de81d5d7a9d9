//===- PythonApi.h - CPython's stable ABI, found at run time ----*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libkami asks of the interpreter that has loaded it. Found by name, so
// that one library serves every Python and needs none. All of it, the first two
// words of an object and PyMethodDef included, is part of the stable ABI since
// CPython 3.10 (PEP 384; "C API Stability" of Python's documentation), for
// interpreters with a global lock.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CAPI_PYTHONAPI_H
#define KAMI_LIB_CAPI_PYTHONAPI_H

#include <cstddef>
#include <cstdint>

namespace kami {
namespace python {

/// PyObject.
struct Object {
  intptr_t references;
  Object *type;
};

/// PyCFunction, with METH_NOARGS: `self` and null.
using Function = Object *(*)(Object * self, Object *null);
/// With METH_FASTCALL: `self`, arguments and their number.
using FastFunction = Object *(*)(Object * self, Object *const *arguments,
                                 ptrdiff_t count);
/// The slot Py_tp_descr_get: a descriptor, an object and its type.
using Getter = Object *(*)(Object * descriptor, Object *object, Object *type);

/// vectorcallfunc: a callable, arguments by position and then by name, the
/// number of the former, and a tuple of the latters' names, or null.
using VectorCall = Object *(*)(Object * callable, Object *const *arguments,
                               size_t flaggedCount, Object *names);

constexpr int noArguments = 0x0004;   // METH_NOARGS
constexpr int fastArguments = 0x0080; // METH_FASTCALL
constexpr int getterSlot = 54;        // Py_tp_descr_get
/// PY_VECTORCALL_ARGUMENTS_OFFSET, which is no part of a count.
constexpr size_t vectorCallFlag = size_t(1) << (8 * sizeof(size_t) - 1);

/// PyMethodDef.
struct MethodDefinition {
  const char *name;
  FastFunction function;
  int flags;
  const char *documentation;
};

/// Member, name, type of the result, types of parameters.
#define KAMI_PYTHON_FUNCTIONS(X)                                               \
  X(retain, "Py_IncRef", void, Object *)                                       \
  X(release, "Py_DecRef", void, Object *)                                      \
  X(isTrue, "PyObject_IsTrue", int, Object *)                                  \
  X(tupleSize, "PyTuple_Size", ptrdiff_t, Object *)                            \
  X(tupleItem, "PyTuple_GetItem", Object *, Object *, ptrdiff_t)               \
  X(compareTexts, "PyUnicode_Compare", int, Object *, Object *)                \
  X(call, "PyObject_Call", Object *, Object *, Object *, Object *)             \
  X(floatAsDouble, "PyFloat_AsDouble", double, Object *)                       \
  X(longAsDouble, "PyLong_AsDouble", double, Object *)                         \
  X(getSlot, "PyType_GetSlot", void *, Object *, int)                          \
  X(newFunction, "PyCFunction_NewEx", Object *, MethodDefinition *, Object *,  \
    Object *)                                                                  \
  X(functionOf, "PyCFunction_GetFunction", Function, Object *)                 \
  X(selfOf, "PyCFunction_GetSelf", Object *, Object *)                         \
  X(flagsOf, "PyCFunction_GetFlags", int, Object *)                            \
  X(newCapsule, "PyCapsule_New", Object *, void *, const char *,               \
    void (*)(Object *))                                                        \
  X(pointerOf, "PyCapsule_GetPointer", void *, Object *, const char *)         \
  X(hasError, "PyErr_Occurred", Object *, )                                    \
  X(clearError, "PyErr_Clear", void, )                                         \
  X(setError, "PyErr_SetString", void, Object *, const char *)                 \
  X(saveThread, "PyEval_SaveThread", void *, )                                 \
  X(restoreThread, "PyEval_RestoreThread", void, void *)

struct Api {
#define KAMI_PYTHON_MEMBER(member, symbol, result, ...)                        \
  result (*member)(__VA_ARGS__);
  KAMI_PYTHON_FUNCTIONS(KAMI_PYTHON_MEMBER)
#undef KAMI_PYTHON_MEMBER

  Object *none;
  Object *floatType;
  Object *longType;
  Object *valueError;

  /// Public since CPython 3.12, but not of the stable ABI; null before.
  VectorCall (*vectorCallOf)(Object *callable);
  void (*setVectorCall)(Object *function, VectorCall call);
};

/// Null where the process has no CPython.
const Api *api();

} // namespace python
} // namespace kami

#endif // KAMI_LIB_CAPI_PYTHONAPI_H
