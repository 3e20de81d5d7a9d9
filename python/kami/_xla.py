# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XLA's foreign function interface by ctypes, as far as a product needs it.

Layouts are those of xla/ffi/api/c_api.h, which XLA keeps for one major version
of its API: structures say their size and grow at their ends. A handler says in
its metadata which version it was made for, so that XLA itself refuses another.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_void_p,
    cast,
    py_object,
    pythonapi,
    sizeof,
)
from typing import Any, NamedTuple

from ._arrays import HOST, View, dense_strides

_MAJOR = 0

# XLA_FFI_DataType.
_TYPES = {
    2: "i8",
    4: "i32",
    5: "i64",
    6: "u8",
    10: "f16",
    11: "f32",
    12: "f64",
    15: "complex<f32>",
    16: "bf16",
    18: "complex<f64>",
    19: "f8E5M2",
    20: "f8E4M3FN",
}
_STRING = 4  # XLA_FFI_AttrType
_METADATA = 1  # XLA_FFI_Extension_Type
_EXECUTE = 3  # XLA_FFI_ExecutionStage
_INVALID_ARGUMENT = 3  # XLA_FFI_Error_Code


class _Extension(Structure):
    """XLA_FFI_Extension_Base, and what XLA_FFI_Metadata_Extension adds."""

    _fields_ = [
        ("size", c_size_t),
        ("type", c_int),
        ("next", c_void_p),
        ("metadata", c_void_p),
    ]


class _Headed(Structure):
    """What all others begin with."""

    _fields_ = [("size", c_size_t), ("extension", POINTER(_Extension))]


class _Version(_Headed):
    _fields_ = [("major", c_int), ("minor", c_int)]


class _Metadata(Structure):
    _fields_ = [("size", c_size_t), ("version", _Version), ("traits", c_uint32)]


class _ErrorArguments(_Headed):
    _fields_ = [("message", c_char_p), ("code", c_int)]


class _StreamArguments(_Headed):
    _fields_ = [("context", c_void_p), ("stream", c_void_p)]


class _OrdinalArguments(_Headed):
    _fields_ = [("context", c_void_p), ("ordinal", c_int32)]


class _Api(_Headed):
    """XLA_FFI_Api: the functions by their places in it."""

    _fields_ = [
        ("version", _Version),
        ("internal", c_void_p),
        ("places", c_void_p * 18),
    ]

    def call(self, place: int, arguments: Structure) -> int | None:
        function = CFUNCTYPE(c_void_p, c_void_p)(self.places[place])
        error: int | None = function(ctypes.addressof(arguments))
        return error


_ERROR_CREATE, _STREAM_GET, _ORDINAL_GET = 0, 4, 17


class _Buffer(_Headed):
    _fields_ = [
        ("type", c_int),
        ("data", c_void_p),
        ("rank", c_int64),
        ("extents", POINTER(c_int64)),
    ]


class _Values(_Headed):
    """XLA_FFI_Args and XLA_FFI_Rets."""

    _fields_ = [
        ("count", c_int64),
        ("types", POINTER(c_int)),
        ("values", POINTER(POINTER(_Buffer))),
    ]


class _Span(Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_size_t)]

    def text(self) -> str:
        return ctypes.string_at(self.data, self.bytes).decode()


class _Attributes(_Headed):
    _fields_ = [
        ("count", c_int64),
        ("types", POINTER(c_int)),
        ("names", POINTER(POINTER(_Span))),
        ("values", POINTER(c_void_p)),
    ]


class _Frame(_Headed):
    """XLA_FFI_CallFrame."""

    _fields_ = [
        ("api", POINTER(_Api)),
        ("context", c_void_p),
        ("stage", c_int),
        ("arguments", _Values),
        ("results", _Values),
        ("attributes", _Attributes),
    ]


class Call(NamedTuple):
    """What XLA asks a handler to do."""

    arguments: list[View]
    results: list[View]
    attributes: dict[str, str]
    stream: int


class _Refusal(Exception):
    """An error that XLA has made itself."""

    def __init__(self, error: int) -> None:
        super().__init__("XLA refused a call of its interface")
        self.error = error


def _ask(api: Any, place: int, arguments: Any) -> Any:
    arguments.size = sizeof(arguments)
    if error := api.call(place, arguments):
        raise _Refusal(error)
    return arguments


def _views(values: Any, device: int) -> list[View]:
    """Buffers are dense and row-major unless a handler asks for other layouts."""
    found = []
    for buffer in (values.values[i].contents for i in range(values.count)):
        shape = tuple(buffer.extents[: buffer.rank])
        if buffer.type not in _TYPES:
            raise TypeError(
                f"expected a type that kami has, but got XLA's {buffer.type}"
            )
        type = _TYPES[buffer.type]
        found.append(View(buffer.data or 0, shape, dense_strides(shape), type, device))
    return found


def _attributes(attributes: Any) -> dict[str, str]:
    """Those that are texts."""
    return {
        attributes.names[i].contents.text(): cast(
            attributes.values[i], POINTER(_Span)
        ).contents.text()
        for i in range(attributes.count)
        if attributes.types[i] == _STRING
    }


def _decode(frame: Any, api: Any, is_host: bool) -> Call:
    device, stream = HOST, 0
    if not is_host:
        context = frame.context
        asked = _ask(api, _ORDINAL_GET, _OrdinalArguments(context=context))
        device = asked.ordinal
        stream = _ask(api, _STREAM_GET, _StreamArguments(context=context)).stream or 0
    return Call(
        _views(frame.arguments, device),
        _views(frame.results, device),
        _attributes(frame.attributes),
        stream,
    )


def _describe(extension: Any, api: Any) -> None:
    """Says which version the handler is made for: XLA's own, of this major one."""
    metadata = cast(extension.metadata, POINTER(_Metadata)).contents
    metadata.version.major = _MAJOR
    if api.size >= sizeof(_Api):
        metadata.version.minor = api.version.minor
    metadata.traits = 0


_Pointer = CFUNCTYPE(c_void_p, POINTER(_Frame))
_kept: list[Any] = []


def make_target(handler: Callable[[Call], None], is_host: bool) -> Any:
    """A capsule for `jax.ffi.register_ffi_target`; exceptions become XLA's errors."""

    def handle(pointer: Any) -> int | None:
        frame = pointer.contents
        api = frame.api.contents
        try:
            if frame.extension and frame.extension.contents.type == _METADATA:
                _describe(frame.extension.contents, api)
            elif frame.stage == _EXECUTE:
                handler(_decode(frame, api, is_host))
        except _Refusal as refusal:
            return refusal.error
        except Exception as error:
            message = f"{type(error).__name__}: {error}".encode()
            arguments = _ErrorArguments(message=message, code=_INVALID_ARGUMENT)
            arguments.size = sizeof(arguments)
            made: int | None = api.call(_ERROR_CREATE, arguments)
            return made
        return None

    target = _Pointer(handle)
    # Registered for the life of the process.
    _kept.append(target)
    make = pythonapi.PyCapsule_New
    make.restype, make.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
    return make(cast(target, c_void_p), b"xla._CUSTOM_CALL_TARGET", None)
