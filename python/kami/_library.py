# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libkami.so by ctypes: the declarations of include/kami-c/kami.h.

Handles are Python objects that destroy what they hold; errors are exceptions.
"""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
from collections.abc import Sequence
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint,
    c_uint64,
    c_void_p,
    py_object,
)
from typing import Any

DYNAMIC = -(2**63)
"""An extent or stride that is known when a kernel is launched."""


class SimulationError(RuntimeError):
    """The simulator saw what a device would not forgive."""


class DeviceError(RuntimeError):
    """There is no device, its driver refused, or it failed."""


class UnalignedError(ValueError):
    """An array does not begin where the program was promised that it does."""


# KamiErrorKind.
_EXCEPTIONS: dict[int, type[Exception]] = {
    1: ValueError,
    2: SimulationError,
    3: DeviceError,
    4: DeviceError,
    5: UnalignedError,
}


class Options(Structure):
    _fields_ = [
        ("target", c_char_p),
        ("algorithm", c_char_p),
        ("unit", c_char_p),
        ("tile", c_char_p),
        ("model", c_char_p),
        ("calibration", c_char_p),
        ("precision", c_char_p),
        ("plan", c_char_p),
        ("warps", c_int64),
        ("stages", c_int64),
        ("copies", c_char_p),
        ("taken", c_int64),
        ("products", c_int64),
    ]


class Problem(Structure):
    _fields_ = [
        ("m", c_int64),
        ("n", c_int64),
        ("k", c_int64),
        ("batch", c_int64),
        ("type", c_char_p),
        ("typeB", c_char_p),
        ("accumulator", c_char_p),
        ("outputType", c_char_p),
    ]


class Array(Structure):
    _fields_ = [
        ("type", c_char_p),
        ("batchRank", c_size_t),
        ("batch", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
    ]


class Gemm(Structure):
    _fields_ = [
        ("m", c_int64),
        ("n", c_int64),
        ("k", c_int64),
        ("a", Array),
        ("b", Array),
        ("c", Array),
        ("accumulator", c_char_p),
        ("transposeA", c_int),
        ("transposeB", c_int),
        ("isComplex", c_int),
        ("conjugateA", c_int),
        ("conjugateB", c_int),
        ("hasAlpha", c_int),
        ("hasBeta", c_int),
        ("rowScale", c_int),
        ("bias", c_int),
        ("residual", c_int),
        ("relu", c_int),
        ("gelu", c_int),
        ("silu", c_int),
        ("epilogueType", c_char_p),
        ("alignment", c_int64),
        ("alignedRows", c_int),
        ("hasLayers", c_int),
    ]


class Grouped(Structure):
    _fields_ = [
        ("typeA", c_char_p),
        ("typeB", c_char_p),
        ("typeC", c_char_p),
        ("accumulator", c_char_p),
        ("transposeA", c_int),
        ("transposeB", c_int),
        ("hasAlpha", c_int),
        ("hasBeta", c_int),
        ("bytes", c_int),
        ("typicalM", c_int64),
        ("typicalN", c_int64),
        ("typicalK", c_int64),
    ]


class Argument(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("rank", c_size_t),
        ("sizes", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("bits", c_uint64),
    ]


class ArrayKind(Structure):
    _fields_ = [
        ("exchangeApi", c_void_p),
        ("types", c_void_p * 2),
        ("isInterposed", c_void_p),
        ("recordsGradients", c_void_p),
        ("needsGradient", c_void_p),
        ("isNegative", c_void_p),
        ("isConjugate", c_void_p),
        ("deviceError", c_void_p),
    ]


class DeviceInfo(Structure):
    _fields_ = [
        ("name", c_char * 128),
        ("target", c_char * 32),
        ("multiprocessors", c_int32),
        ("driverVersion", c_int32),
        ("memoryBytes", c_uint64),
    ]


def _find() -> str:
    """The library beside this file, or the one that KAMI_LIBRARY names."""
    named = os.environ.get("KAMI_LIBRARY")
    if named:
        return named
    return str(pathlib.Path(__file__).with_name("libkami.so"))


_OUT = POINTER(c_void_p)
_TEXT = c_void_p

# What each function takes; it gives an error, or null.
_FALLIBLE: dict[str, list[Any]] = {
    "kamiListTargets": [_OUT],
    "kamiPlan": [POINTER(Problem), POINTER(Options), _OUT, _OUT],
    "kamiCompileGemm": [POINTER(Gemm), POINTER(Options), _OUT],
    "kamiCompileGrouped": [POINTER(Grouped), POINTER(Options), _OUT],
    "kamiGetSumOrder": [POINTER(Gemm), POINTER(Options), _OUT],
    "kamiGetGroupedSumOrder": [POINTER(Grouped), POINTER(Options), _OUT],
    "kamiCompileText": [c_char_p, c_size_t, POINTER(Options), _OUT],
    "kamiProgramSave": [c_void_p, _OUT],
    "kamiProgramRestore": [c_char_p, c_size_t, _OUT],
    "kamiProgramGetCode": [c_void_p, c_char_p, _OUT],
    "kamiProgramDescribe": [c_void_p, _OUT],
    "kamiProgramSimulate": [c_void_p, POINTER(Argument), c_size_t, _OUT],
    "kamiSimulationGetResult": [c_void_p, c_size_t, POINTER(Argument)],
    "kamiDeviceOpen": [c_int, _OUT],
    "kamiDeviceDescribe": [c_int, POINTER(DeviceInfo)],
    "kamiDeviceSynchronize": [c_void_p],
    "kamiDeviceAllocate": [c_void_p, c_size_t, POINTER(c_uint64)],
    "kamiDeviceFree": [c_void_p, c_uint64],
    "kamiDeviceWrite": [c_void_p, c_uint64, c_void_p, c_size_t],
    "kamiDeviceRead": [c_void_p, c_void_p, c_uint64, c_size_t],
    "kamiDeviceLoad": [c_void_p, c_void_p, c_char_p, c_size_t, _OUT],
    "kamiDeviceAssemble": [c_void_p, c_void_p, _OUT],
    "kamiDeviceKeep": [c_void_p, c_void_p, c_size_t, POINTER(c_uint64)],
    "kamiDeviceIsCapturing": [c_void_p, c_void_p, POINTER(c_int)],
    "kamiExecutableDescribe": [c_void_p, _OUT],
    "kamiLaunchCreate": [c_void_p, POINTER(Argument), c_size_t, _OUT],
    "kamiLaunchDescribe": [c_void_p, _OUT],
    # Words as struct.pack makes bytes of them, in half the time of an array.
    "kamiLaunchRun": [c_void_p, c_void_p, c_char_p],
    "kamiLaunchTime": [c_void_p, POINTER(c_uint64), c_size_t, POINTER(c_double)],
}
_DESTROYERS = [
    "kamiErrorDestroy",
    "kamiTextDestroy",
    "kamiProgramDestroy",
    "kamiSimulationDestroy",
    "kamiDeviceClose",
    "kamiExecutableDestroy",
    "kamiLaunchDestroy",
]
# What takes Python's objects, so that the interpreter has to be held.
_LOCKED: dict[str, tuple[Any, list[Any]]] = {
    "kamiCallsCreate": (py_object, [POINTER(ArrayKind), _OUT]),
    "kamiCallsAdd": (
        None,
        [
            c_void_p, POINTER(py_object), c_size_t, c_void_p, c_uint,
            POINTER(py_object),
        ],
    ),
    "kamiCallsDescribe": (c_size_t, [c_void_p, py_object, c_void_p]),
    "kamiCallsAnswer": (
        c_int, [py_object, POINTER(py_object), POINTER(py_object), c_size_t]
    ),
}  # fmt: skip


def _load() -> ctypes.CDLL:
    path = _find()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"cannot load kami's library: {error}; KAMI_LIBRARY names another"
        ) from error
    for name, arguments in _FALLIBLE.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = c_void_p
    for name in _DESTROYERS:
        function = getattr(library, name)
        function.argtypes = [c_void_p]
        function.restype = None
    for name, result, arguments in [
        ("kamiErrorGetKind", c_int, [c_void_p]),
        ("kamiErrorGetMessage", c_char_p, [c_void_p]),
        ("kamiTextGetData", c_void_p, [_TEXT]),
        ("kamiTextGetSize", c_size_t, [_TEXT]),
        ("kamiGetVersion", c_char_p, []),
        ("kamiDeviceGetCount", c_size_t, []),
        ("kamiSimulationGetReport", c_char_p, [c_void_p]),
        ("kamiSimulationGetResultCount", c_size_t, [c_void_p]),
    ]:
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = result
    return library


def _load_locked() -> ctypes.PyDLL:
    library = ctypes.PyDLL(LIBRARY_PATH)
    for name, (result, arguments) in _LOCKED.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = result
    return library


LIBRARY_PATH = _find()
lib = _load()
locked_lib = _load_locked()


def raise_error(error: int) -> None:
    """Raises what an error says, and destroys it."""
    kind = lib.kamiErrorGetKind(error)
    message = lib.kamiErrorGetMessage(error).decode()
    lib.kamiErrorDestroy(error)
    raise _EXCEPTIONS[kind](message)


def check(error: int | None) -> None:
    if error:
        raise_error(error)


def take_bytes(text: c_void_p) -> bytes:
    try:
        size = lib.kamiTextGetSize(text)
        return ctypes.string_at(lib.kamiTextGetData(text), size)
    finally:
        lib.kamiTextDestroy(text)


def call_for_text(function: Any, *arguments: Any) -> str:
    """The text that the function's last parameter receives."""
    text = c_void_p()
    check(function(*arguments, byref(text)))
    return take_bytes(text).decode()


class Handle:
    """Destroys what it holds."""

    def __init__(self, pointer: c_void_p, destroy: Any) -> None:
        self.pointer = pointer
        # Modules may be gone when the interpreter ends.
        self._destroy = destroy

    def __del__(self) -> None:
        if self.pointer:
            self._destroy(self.pointer)


def integers(values: Sequence[int]) -> Any:
    return (c_int64 * len(values))(*values)


def make_arguments(described: Sequence[tuple[Any, ...]]) -> Any:
    """Arguments from (address, sizes, strides), or (bits,) for a scalar."""
    arguments = (Argument * len(described))()
    for argument, values in zip(arguments, described, strict=True):
        if len(values) == 1:
            argument.bits = values[0]
            continue
        address, sizes, strides = values
        argument.data = address
        argument.rank = len(sizes)
        argument.sizes = integers(sizes)
        argument.strides = integers(strides)
    return arguments


def version() -> str:
    text: bytes = lib.kamiGetVersion()
    return text.decode()


def targets() -> list[dict[str, Any]]:
    """Every chip: name, product, vendor, types."""
    found: list[dict[str, Any]] = json.loads(call_for_text(lib.kamiListTargets))
    return found


def encode(text: str | None) -> bytes | None:
    return text.encode() if text is not None else None
