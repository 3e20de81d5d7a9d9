# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries: where their elements lie, and what kami asks of them."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._types import item_bytes

if TYPE_CHECKING:
    from ._calls import KnownCalls

HOST = -1
"""The device of arrays in the host's memory."""


def default_stream() -> int:
    """The legacy default stream, which is what the host has, too."""
    return 0


class View(NamedTuple):
    """Where an array's elements lie. Strides count elements, of any sign."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    type: str
    """As the C API names it: "f16"; "complex<f32>"."""
    device: int
    """Number of a CUDA device, or HOST."""
    is_conjugate: bool = False
    """Whether elements are the conjugates of those in memory."""


def dense_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Of a row-major array without gaps."""
    strides = [1] * len(shape)
    for dim in range(len(shape) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * max(shape[dim + 1], 1)
    return tuple(strides)


class Library(abc.ABC):
    """What kami has to know of a library of arrays.

    What is not abstract is so for arrays that are nothing but memory.
    """

    calls: KnownCalls | None = None
    """Calls that are known in C, where the library lets C look into arrays."""

    @abc.abstractmethod
    def view(self, array: Any, name: str) -> View:
        """Raises TypeError, naming the argument, for a type kami has not."""

    def factor(self, array: Any, name: str) -> View:
        """The same of what is multiplied: the elements may be conjugates."""
        return self.view(array, name)

    @abc.abstractmethod
    def address(self, array: Any) -> int:
        """Of an array's first element."""

    @abc.abstractmethod
    def maker(self, like: Any, shape: Sequence[int], type: str) -> Callable[[], Any]:
        """A function that makes a dense array on the device of `like`.

        A `functools.partial` of one of the library's where it has `calls`.
        """

    def make(self, like: Any, shapes: Iterable[Sequence[int]], type: str) -> list[Any]:
        """Dense arrays on the device of `like`."""
        return [self.maker(like, shape, type)() for shape in shapes]

    @abc.abstractmethod
    def upload(self, like: Any, table: np.ndarray[Any, Any]) -> Any:
        """A copy of the table on the device of `like`."""

    def key(self, a: Any, b: Any, out: Any) -> Any:
        """What a launch on a device depends on besides addresses.

        Equal for calls that differ by nothing else; None for arrays that have to
        be looked at each time. `out` may be None.
        """
        return None

    def operator(self, a: Any, b: Any, is_simple: bool) -> Callable[..., Any] | None:
        """The library's own operator, where a launch would lose what it knows.

        It takes what `kami.gemm` does, or says what it does not. `is_simple`: of a
        call with nothing but alpha, transposes and out_dtype.
        """
        return None

    def grouped_operator(self, arrays: Sequence[Any]) -> Callable[..., Any] | None:
        """As `operator`, for `kami.grouped_gemm`."""
        return None

    def stream(self, device: int) -> Callable[[], int]:
        """A function that gives the caller's current CUstream on a device."""
        return default_stream

    def is_writable(self, array: Any) -> bool:
        return True

    def copy(self, to: Any, source: Any) -> None:
        """Copies elements, broadcasting them, of one type."""
        to[...] = source

    def carve(
        self,
        space: Any,
        type: str,
        byte_offset: int,
        sizes: Sequence[int],
        strides: Sequence[int],
    ) -> Any:
        """An array in a space of bytes; strides count elements, from 0 on."""
        reach = 1 + sum((e - 1) * s for e, s in zip(sizes, strides, strict=True))
        end = byte_offset + (0 if 0 in sizes else reach * item_bytes(type))
        return self._stride(space[byte_offset:end], type, sizes, strides)

    @abc.abstractmethod
    def _stride(
        self, space: Any, type: str, sizes: Sequence[int], strides: Sequence[int]
    ) -> Any:
        """Bytes as elements, of other sizes and strides."""
