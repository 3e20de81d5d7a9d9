# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that are known in C, by what their arrays are like.

For libraries whose types of arrays have DLPack's exchange API, DLPack 1.3, in
CPython with its global lock, whose stable ABI libkami.so uses.
"""

from __future__ import annotations

import functools
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from ctypes import byref, c_char_p, c_void_p, py_object, pythonapi
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import ArrayKind, DeviceError, locked_lib

if TYPE_CHECKING:
    from ._kernels import Launch

_has_stable_abi = sys.implementation.name == "cpython" and not (
    sysconfig.get_config_var("Py_GIL_DISABLED")
)


def exchange_api(kind: type) -> c_void_p | None:
    """The address of a type's DLPackExchangeAPI, where it has one."""
    capsule = getattr(kind, "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return None
    pointer = pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [py_object, c_char_p]
    return c_void_p(pointer(capsule, b"dlpack_exchange_api"))


def _objects(*values: Any) -> Any:
    return (py_object * len(values))(*values)


class KnownCalls:
    """Calls of a library's arrays that differ from earlier ones only by addresses."""

    def __init__(self, types: Sequence[type], api: c_void_p, **questions: Any) -> None:
        """Questions that DLPack does not answer are as KamiArrayKind has them."""
        kind = ArrayKind(exchangeApi=api, deviceError=id(DeviceError))
        kind.types[: len(types)] = [id(type) for type in types]
        for name, question in questions.items():
            setattr(kind, name, id(question))
        self._pointer = c_void_p()
        self.launch: Callable[..., Any] = locked_lib.kamiCallsCreate(
            byref(kind), byref(self._pointer)
        )
        """Launches and gives the result; None for calls that are not known.

        Takes a, b, c, out, alpha, beta, and what else a call says.
        """
        self._launches: set[Launch] = set()

    def add(
        self,
        said: Sequence[Any],
        launch: Launch,
        scale_bits: int,
        make: functools.partial[Any] | None,
    ) -> None:
        """`make` gives the result of calls without `out`."""
        # They are forgotten in C only, where another thread may be in one.
        self._launches.add(launch)
        maker = make and _objects(make.func, make.args, make.keywords)
        locked_lib.kamiCallsAdd(
            self._pointer,
            _objects(*said),
            len(said),
            launch.pointer,
            scale_bits,
            maker,
        )

    def describe(self, arrays: Iterable[Any]) -> np.ndarray[Any, Any] | None:
        """A row of integers for each matrix, as KamiMatrix has them.

        None if one of the arrays is something else, or has more to say.
        """
        items = tuple(arrays)
        rows = np.empty((len(items), 7), np.int64)
        described = locked_lib.kamiCallsDescribe(self._pointer, items, rows.ctypes.data)
        return rows if described == len(items) else None


def make_known_calls(types: Sequence[type], **questions: Any) -> KnownCalls | None:
    """None where the interpreter or the library of arrays has no such interface."""
    api = exchange_api(types[0])
    if api is None or not _has_stable_abi:
        return None
    try:
        calls = KnownCalls(types, api, **questions)
    except ValueError:
        return None
    launchers.update(dict.fromkeys(types, calls.launch))
    return calls


launchers: dict[type, Callable[..., Any]] = {}
"""`KnownCalls.launch` for types of arrays that have it."""


def answer_calls(function: Callable[..., Any], names: Sequence[str]) -> bool:
    """Has known calls of a function answered in C, which then never enters it.

    `names` are those of its parameters that `KnownCalls.launch` takes. False where
    the interpreter does not let that be: before CPython 3.12.
    """
    parameters = inspect.signature(function).parameters
    defaults = [parameters[name].default for name in names]
    interned = [sys.intern(name) for name in names]
    return _has_stable_abi and bool(
        locked_lib.kamiCallsAnswer(
            function, _objects(*interned), _objects(*defaults), len(names)
        )
    )
