# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of arrays.

A library is recognized by the module of the array's type, so that none has to
be installed, or imported, for the others to work.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ._arrays import HOST, Library, View, default_stream, dense_strides
from ._calls import KnownCalls, make_known_calls
from ._types import NUMPY_NAMES, check_real, numpy_dtype, type_of


def _element_strides(
    strides: Sequence[int], itemsize: int, argument: str
) -> tuple[int, ...]:
    if any(stride % itemsize for stride in strides):
        raise ValueError(
            f"{argument}: expected strides that are multiples of the element's "
            f"{itemsize} bytes, but got {tuple(strides)}"
        )
    return tuple(stride // itemsize for stride in strides)


class _Module(Library):
    """Arrays of NumPy, and of what has its functions."""

    module: Any = np

    def view(self, array: Any, name: str) -> View:
        type = type_of(array.dtype, name)
        strides = _element_strides(array.strides, array.itemsize, name)
        return View(
            self.address(array), array.shape, strides, type, self._device(array)
        )

    def _device(self, array: Any) -> int:
        return HOST

    def copy(self, to: Any, source: Any) -> None:
        self.module.copyto(to, source, casting="same_kind")

    def _stride(
        self, space: Any, type: str, sizes: Sequence[int], strides: Sequence[int]
    ) -> Any:
        dtype = numpy_dtype(type)
        scaled = [stride * dtype.itemsize for stride in strides]
        tricks = self.module.lib.stride_tricks
        return tricks.as_strided(space.view(dtype), sizes, scaled)


class _NumPy(_Module):
    def address(self, array: Any) -> int:
        address: int = array.__array_interface__["data"][0]
        return address

    def is_writable(self, array: Any) -> bool:
        writable: bool = array.flags.writeable
        return writable

    def maker(self, like: Any, shape: Sequence[int], type: str) -> Callable[[], Any]:
        return functools.partial(np.empty, shape, numpy_dtype(type))

    def upload(self, like: Any, table: np.ndarray[Any, Any]) -> Any:
        return table


class _CuPy(_Module):
    def __init__(self) -> None:
        import cupy

        self.module = cupy

    def key(self, a: Any, b: Any, out: Any) -> Any:
        return tuple(
            None if x is None else (x.dtype, x.shape, x.strides, x.data.device_id)
            for x in (a, b, out)
        )

    def address(self, array: Any) -> int:
        address: int = array.data.ptr
        return address

    def _device(self, array: Any) -> int:
        number: int = array.device.id
        return number

    def maker(self, like: Any, shape: Sequence[int], type: str) -> Callable[[], Any]:
        device, dtype = like.device, numpy_dtype(type)

        def make() -> Any:
            with device:
                return self.module.empty(shape, dtype)

        return make

    def open(self, array: Any) -> Any:
        """A view of an array on a CUDA device."""
        return self.module.asarray(array)

    def default_stream(self) -> contextlib.AbstractContextManager[Any]:
        """A context whose current stream is the legacy default one."""
        stream: contextlib.AbstractContextManager[Any] = self.module.cuda.Stream.null
        return stream

    def upload(self, like: Any, table: np.ndarray[Any, Any]) -> Any:
        with like.device:
            return self.module.asarray(table)

    def stream(self, device: int) -> Callable[[], int]:
        current = functools.partial(self.module.cuda.get_current_stream, device)
        return lambda: int(current().ptr)


class _Torch(Library):
    def __init__(self) -> None:
        import torch

        self.module = torch
        self._names = {
            getattr(torch, name): kami
            for name, kami in NUMPY_NAMES.items()
            if hasattr(torch, name)
        }
        self._dtypes = {kami: dtype for dtype, kami in self._names.items()}
        # What current_stream makes an object of.
        self._raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        self._is_grad_enabled = torch.is_grad_enabled
        # Of vmap, grad and their kin, whose tensors have no elements.
        functorch = getattr(torch._C, "_functorch", None)
        self._transform = getattr(functorch, "maybe_current_level", lambda: None)
        self.calls = self._make_calls()

    def _make_calls(self) -> KnownCalls | None:
        torch = self.module
        array = torch.empty(0)
        # Of other kinds, arrays may be tensors of something.
        kinds = (torch.Tensor, torch.nn.Parameter)
        return make_known_calls(
            kinds,
            isInterposed=torch._C._is_torch_function_mode_enabled,
            recordsGradients=torch.is_grad_enabled,
            needsGradient=torch.Tensor.requires_grad,
            isNegative=array.is_neg,
            isConjugate=array.is_conj,
        )

    def view(self, array: Any, name: str) -> View:
        type = self._names.get(array.dtype)
        if type is None:
            raise TypeError(
                f"{name}: expected a type that kami multiplies, but got {array.dtype}"
            )
        if array.layout is not self.module.strided:
            raise TypeError(
                f"{name}: expected a strided tensor, but got {array.layout}"
            )
        if array.is_conj() or array.is_neg():
            raise ValueError(
                f"{name}: expected elements as they lie in memory, but got a lazy "
                "conjugate or negative; resolve_conj() and resolve_neg() copy them"
            )
        device = array.device
        if device.type not in ("cpu", "cuda"):
            raise TypeError(f"{name}: expected a CPU or CUDA tensor, but got {device}")
        number = HOST if device.type == "cpu" else device.index
        return View(
            self.address(array), tuple(array.shape), array.stride(), type, number
        )

    def factor(self, array: Any, name: str) -> View:
        if not array.is_conj():
            return self.view(array, name)
        return self.view(array.conj(), name)._replace(is_conjugate=True)

    def address(self, array: Any) -> int:
        address: int = array.data_ptr()
        return address

    def _needs_gradient(self, a: Any, b: Any) -> bool:
        return bool(a.requires_grad or b.requires_grad) and self._is_grad_enabled()

    def _is_traced(self) -> bool:
        is_compiling: bool = self.module.compiler.is_compiling()
        return is_compiling or self._transform() is not None

    def key(self, a: Any, b: Any, out: Any) -> Any:
        if self._needs_gradient(a, b) or self._is_traced():
            return None
        dtype = a.dtype
        # b and out are complex where a is, and elements of others are not conjugates.
        if a.is_neg() or b.is_neg() or (dtype.is_complex and self._is_conj(a, b, out)):
            return None
        # Numbers of devices, since a process has one kind of accelerator.
        if out is None:
            return (
                dtype, a.shape, a.stride(), a.get_device(),
                b.dtype, b.shape, b.stride(), b.get_device(),
            )  # fmt: skip
        if out.is_neg():
            return None
        return (
            dtype, a.shape, a.stride(), a.get_device(),
            b.dtype, b.shape, b.stride(), b.get_device(),
            out.dtype, out.shape, out.stride(), out.get_device(),
        )  # fmt: skip

    @staticmethod
    def _is_conj(*arrays: Any) -> bool:
        return any(x is not None and x.is_conj() for x in arrays)

    def operator(self, a: Any, b: Any, is_simple: bool) -> Callable[..., Any] | None:
        is_traced = is_simple and self._is_traced()
        if not is_traced and not self._needs_gradient(a, b):
            return None
        from .torch import gemm

        def multiply(
            a: Any, b: Any, c: Any, *, beta: Any, precision: str, alpha: Any,
            trans_a: Any, trans_b: Any, out_dtype: Any, **others: Any,
        ) -> Any:  # fmt: skip
            check_real(alpha, "alpha")
            is_more = any(x is not None for x in (c, *others.values()))
            if is_more or beta != 0 or precision != "exact":
                raise ValueError(
                    "a: expected a tensor that needs no gradient: the operator that "
                    "has them takes a real alpha, transposes and out_dtype only"
                )
            return gemm(
                a, b, alpha=alpha, trans_a=trans_a, trans_b=trans_b, out_dtype=out_dtype
            )

        return multiply

    def grouped_operator(self, arrays: Sequence[Any]) -> Callable[..., Any] | None:
        if self._is_grad_enabled() and any(x.requires_grad for x in arrays):
            raise ValueError(
                "a: expected tensors that need no gradient, since grouped_gemm has none"
            )
        return None

    def maker(self, like: Any, shape: Sequence[int], type: str) -> Callable[[], Any]:
        # Faster than torch.empty.
        return functools.partial(
            self.module.empty_strided,
            shape,
            dense_strides(shape),
            dtype=self._dtypes[type],
            device=like.device,
        )

    def make(self, like: Any, shapes: Iterable[Sequence[int]], type: str) -> list[Any]:
        dtype, device = self._dtypes[type], like.device
        return [self.module.empty(s, dtype=dtype, device=device) for s in shapes]

    def copy(self, to: Any, source: Any) -> None:
        to.copy_(source)

    def _stride(
        self, space: Any, type: str, sizes: Sequence[int], strides: Sequence[int]
    ) -> Any:
        elements = space.view(self._dtypes[type])
        return elements.as_strided(tuple(sizes), tuple(strides))

    def open(self, array: Any) -> Any:
        """A view of an array on a CUDA device."""
        return self.module.as_tensor(array, device="cuda")

    def default_stream(self) -> contextlib.AbstractContextManager[Any]:
        """A context whose current stream is the legacy default one."""
        stream = self.module.cuda.default_stream()
        context: contextlib.AbstractContextManager[Any]
        context = self.module.cuda.stream(stream)
        return context

    def upload(self, like: Any, table: np.ndarray[Any, Any]) -> Any:
        type = type_of(table.dtype, "table")
        if table.dtype.isbuiltin != 1:
            # Of ml_dtypes, which PyTorch takes for bytes.
            table = table.view(f"i{table.itemsize}")
        copy = self.module.from_numpy(table).view(self._dtypes[type])
        return copy.to(like.device)

    def stream(self, device: int) -> Callable[[], int]:
        if device == HOST:
            return default_stream
        if self._raw_stream is not None:
            return functools.partial(self._raw_stream, device)
        current = functools.partial(self.module.cuda.current_stream, device)
        return lambda: int(current().cuda_stream)


class _CudaInterface(Library):
    """Arrays of which nothing is known but __cuda_array_interface__, version 3.

    Kernels are queued on the legacy default stream, behind which arrays of another
    are refused.
    """

    def view(self, array: Any, name: str) -> View:
        interface = array.__cuda_array_interface__
        # None: there is nothing to wait for; 1: the legacy default stream.
        if interface.get("stream") not in (None, 1):
            raise ValueError(
                f"{name}: expected an array of the default stream, but got one of "
                f"stream {interface['stream']}"
            )
        dtype = np.dtype(interface["typestr"])
        shape = tuple(interface["shape"])
        strides = dense_strides(shape)
        if interface.get("strides"):
            strides = _element_strides(interface["strides"], dtype.itemsize, name)
        return View(interface["data"][0], shape, strides, type_of(dtype, name), 0)

    def key(self, a: Any, b: Any, out: Any) -> Any:
        found = (None if x is None else x.__cuda_array_interface__ for x in (a, b, out))
        return tuple(
            x and (x["typestr"], x["shape"], x.get("strides"), x.get("stream"))
            for x in found
        )

    def address(self, array: Any) -> int:
        address: int = array.__cuda_array_interface__["data"][0]
        return address

    def is_writable(self, array: Any) -> bool:
        return not array.__cuda_array_interface__["data"][1]

    def maker(self, like: Any, shape: Sequence[int], type: str) -> Callable[[], Any]:
        give, owner = importer_of(like), _device_library()
        if give is None or owner is None:
            raise TypeError(
                "out: expected an array to write to, since kami cannot make a "
                f"{_describe(like)}: that takes PyTorch or CuPy, and a from_dlpack "
                "of the array's own library"
            )
        make = owner.maker(owner.open(like), shape, type)

        def make_on_default_stream() -> Any:
            with owner.default_stream():
                return give(make())

        return make_on_default_stream

    def copy(self, to: Any, source: Any) -> None:
        raise TypeError(
            f"c: expected to be `out` where beta is not 0, since kami cannot copy a "
            f"{_describe(source)}"
        )

    def upload(self, like: Any, table: np.ndarray[Any, Any]) -> Any:
        raise TypeError(
            "a: expected arrays of PyTorch or CuPy, since kami cannot make a "
            f"{_describe(like)}"
        )

    def _stride(
        self, space: Any, type: str, sizes: Sequence[int], strides: Sequence[int]
    ) -> Any:
        raise TypeError(f"out: kami cannot make a {_describe(space)}")


class _Jax(_CudaInterface):
    """JAX's arrays, which nobody but XLA may make or write."""

    def view(self, array: Any, name: str) -> View:
        type = type_of(array.dtype, name)
        devices = array.devices()
        if len(devices) != 1:
            raise ValueError(
                f"{name}: expected an array on one device, but got {devices}"
            )
        [device] = devices
        if device.platform not in ("cpu", "gpu"):
            raise TypeError(
                f"{name}: expected a CPU or CUDA array, but got {device.platform}"
            )
        number = HOST if device.platform == "cpu" else device.local_hardware_id
        strides = dense_strides(array.shape)
        return View(self.address(array), array.shape, strides, type, number)

    def key(self, a: Any, b: Any, out: Any) -> Any:
        return None

    def address(self, array: Any) -> int:
        # XLA's streams are its own.
        address: int = array.block_until_ready().unsafe_buffer_pointer()
        return address

    def is_writable(self, array: Any) -> bool:
        return False

    def maker(self, like: Any, shape: Sequence[int], type: str) -> Callable[[], Any]:
        raise TypeError(
            "out: expected an array of another library to write to, since nobody but "
            "XLA makes JAX's"
        )

    def upload(self, like: Any, table: np.ndarray[Any, Any]) -> Any:
        import jax

        [device] = like.devices()
        return jax.device_put(table, device)

    def operator(self, a: Any, b: Any, is_simple: bool) -> Callable[..., Any]:
        from .jax import gemm

        def multiply(a: Any, b: Any, c: Any, *, out: Any, **keywords: Any) -> Any:
            if out is not None:
                raise TypeError(
                    "out: expected None, since JAX's arrays are never written"
                )
            return gemm(a, b, c, **keywords)

        return multiply

    def grouped_operator(self, arrays: Sequence[Any]) -> Callable[..., Any]:
        from .jax import grouped_gemm

        return grouped_gemm


def _describe(array: Any) -> str:
    return f"{type(array).__module__}.{type(array).__qualname__}"


_numpy, _jax, _cuda_interface = _NumPy(), _Jax(), _CudaInterface()
_torch, _cupy = functools.cache(_Torch), functools.cache(_CuPy)


_libraries: dict[type, Library | None] = {}


def known_library(kind: type) -> Library | None:
    """The library of a type of arrays, one object for all types; None for others."""
    try:
        return _libraries[kind]
    except KeyError:
        found = _libraries[kind] = _recognize(kind)
        return found


def _recognize(kind: type) -> Library | None:
    for base in kind.__mro__:
        root = base.__module__.partition(".")[0]
        if base is np.ndarray:
            return _numpy
        if root == "torch" and base.__name__ == "Tensor":
            return _torch()
        if root == "cupy" and base.__name__ == "ndarray":
            return _cupy()
        if root in ("jax", "jaxlib") and hasattr(kind, "aval"):
            return _jax
    return _cuda_interface if hasattr(kind, "__cuda_array_interface__") else None


def library_of(array: Any, name: str) -> Library:
    """The library of an array; TypeError, naming the argument, for other things."""
    library = known_library(type(array))
    if library is None:
        raise TypeError(
            f"{name}: expected an array of NumPy, PyTorch or CuPy, or one with "
            f"__cuda_array_interface__, but got {_describe(array)}"
        )
    return library


def _device_library() -> _Torch | _CuPy | None:
    """PyTorch or CuPy, of which the process has one that can make arrays."""
    for library in (_torch, _cupy):
        with contextlib.suppress(ImportError):
            return library()
    return None


def adopt(array: Any) -> Any:
    """The array, or a view of one that only DLPack opens.

    It is NumPy's on the host; on a CUDA device PyTorch's, or CuPy's where there is
    no PyTorch.
    """
    if known_library(type(array)) is not None or not hasattr(array, "__dlpack__"):
        return array
    kind, _ = array.__dlpack_device__()
    if kind == 1:  # kDLCPU
        return np.from_dlpack(array)
    owner = _device_library() if kind == 2 else None  # kDLCUDA
    return array if owner is None else owner.module.from_dlpack(array)


def importer_of(array: Any) -> Callable[[Any], Any] | None:
    """What makes an array's library open those of others, without a copy.

    `from_dlpack` of its namespace, as the array API standard has it, or of the
    module that its type comes from.
    """
    if hasattr(array, "__array_namespace__"):
        namespace = array.__array_namespace__()
    else:
        namespace = sys.modules.get(type(array).__module__.partition(".")[0])
    found: Callable[[Any], Any] | None = getattr(namespace, "from_dlpack", None)
    return found


def giver(array: Any) -> Callable[[Any], Any]:
    """A function that makes an array of `array`'s kind of one like `adopt`'s.

    Raises TypeError where there is no way to that.
    """
    if adopt(array) is array:
        return lambda result: result
    give = importer_of(array)
    if give is None:
        raise TypeError(
            "out: expected an array to write to, since neither __array_namespace__() "
            f"nor the module of {_describe(array)} has from_dlpack, but got None"
        )
    return give
