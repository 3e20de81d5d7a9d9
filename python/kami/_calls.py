# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that are found in C, by what arrays are like.

For libraries whose types of arrays have DLPack's exchange API, DLPack 1.3.
"""

from __future__ import annotations

import contextlib
import functools
import struct
from collections.abc import Callable, Sequence
from ctypes import byref, c_char_p, c_void_p, cast, py_object, pythonapi
from typing import TYPE_CHECKING, Any

from ._library import (
    Handle,
    Interpreter,
    UnknownCallError,
    check,
    lib,
    locked_lib,
    raise_error,
)

if TYPE_CHECKING:
    from ._kernels import Launch

_INTERPRETER = Interpreter(
    cast(pythonapi.PyEval_SaveThread, c_void_p).value,
    cast(pythonapi.PyEval_RestoreThread, c_void_p).value,
)

_MOST = 4096


def exchange_api(kind: type) -> c_void_p | None:
    """The address of a type's DLPackExchangeAPI, where it has one."""
    capsule = getattr(kind, "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return None
    pointer = pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [py_object, c_char_p]
    return c_void_p(pointer(capsule, b"dlpack_exchange_api"))


class Calls(Handle):
    """Calls that differ from earlier ones by nothing but addresses."""

    def __init__(self, api: c_void_p) -> None:
        pointer = c_void_p()
        check(lib.kamiCallsCreate(api, byref(_INTERPRETER), byref(pointer)))
        super().__init__(pointer, lib.kamiCallsDestroy)
        # They have to outlive the table.
        self._launches: list[Launch] = []
        self.run: Callable[[Any, Any, Any], int | None] = functools.partial(
            locked_lib.kamiCallsRun, pointer
        )
        """Launches; an error of `UnknownCallError` where the call is not known."""
        self.find: Callable[[Any, Any], int] = functools.partial(
            locked_lib.kamiCallsFindPair, pointer
        )
        """The number in `makers` of a call without `out`; -1 where it has none."""
        self.makers: list[Callable[[Any, Any, Any], Any]] = []

    @staticmethod
    def check(error: int) -> None:
        """Raises what an error says, unless that is that the call is not known."""
        with contextlib.suppress(UnknownCallError):
            raise_error(error)

    def add(self, arrays: Sequence[Any], launch: Launch, scales: list[int]) -> None:
        if len(self._launches) == _MOST:
            return
        self._launches.append(launch)
        words = struct.pack(f"{len(scales)}Q", *scales)
        check(
            locked_lib.kamiCallsAdd(
                self.pointer, *arrays, launch.pointer, words, len(scales)
            )
        )

    def add_pair(self, a: Any, b: Any, make: Callable[[Any, Any, Any], Any]) -> None:
        number = locked_lib.kamiCallsAddPair(self.pointer, a, b)
        # Another thread may have been here first, and a call whose arrays begin
        # elsewhere needs another kernel.
        if number <= len(self.makers):
            self.makers[number : number + 1] = [make]


class CallTables:
    """The calls of a library's arrays, by what they say besides their arrays."""

    def __init__(self, api: c_void_p) -> None:
        self._api = api
        self._tables: dict[Any, Calls] = {}
        self.get = self._tables.get

    def table(self, options: Any) -> Calls:
        """That of calls that say this, made where there is none."""
        found = self._tables.get(options)
        if found is None:
            found = self._tables[options] = Calls(self._api)
        return found
