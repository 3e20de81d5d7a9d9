# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a product of arrays becomes a program, and what it is called with.

A program is compiled for m, n and k, for the types and for how the matrices lie
in memory: without gaps, with adjacent elements in rows or in columns, or
anyhow. Batches' extents, leading dimensions, alpha and beta are the launch's,
so that a program serves all of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from ctypes import byref
from typing import Any, NamedTuple

from . import _cache
from ._arrays import View, dense_strides
from ._kernels import Program, is_known, make_options, program_for, request_of
from ._library import (
    DYNAMIC,
    Array,
    Gemm,
    Options,
    call_for_text,
    encode,
    integers,
    lib,
)
from ._sum_order import SumOrder
from ._types import item_bytes

# The widest access of a lane, in bytes. What allocators give begins there.
ALIGNMENT = 16

ACTIVATIONS = ("relu", "gelu", "silu")
EXTRAS = ("row_scale", "bias", "residual")
"""Arrays that the epilogue reads, in the order of a program's arguments."""


@dataclasses.dataclass(frozen=True)
class Operand:
    """A batch of matrices, as stored: what a program is compiled for."""

    type: str
    # Of each batch dimension, whether it has one element for all products.
    repeats: tuple[bool, ...]
    # "dense", "rows" or "columns" (adjacent elements), or "any".
    layout: str
    transposed: bool = False
    # Whether the conjugates of its elements are multiplied.
    conjugated: bool = False

    def to_c(self, keep: list[Any]) -> Array:
        rank = len(self.repeats)
        batch = integers([1 if repeat else DYNAMIC for repeat in self.repeats])
        unknown = [DYNAMIC] * rank
        strides = {
            "dense": None,
            "rows": [*unknown, DYNAMIC, 1],
            "columns": [*unknown, 1, DYNAMIC],
            "any": [*unknown, DYNAMIC, DYNAMIC],
        }[self.layout]
        array = Array(type=self.type.encode(), batchRank=rank, batch=batch)
        if strides is not None:
            array.strides = integers(strides)
        keep.append(array)
        return array


@dataclasses.dataclass(frozen=True)
class Request:
    """What a program is compiled for. None is an extent known at launch."""

    m: int | None
    n: int | None
    k: int | None
    a: Operand
    b: Operand
    c: Operand
    accumulator: str | None = None
    is_complex: bool = False
    has_alpha: bool = False
    has_beta: bool = False
    row_scale: bool = False
    bias: bool = False
    residual: bool = False
    activation: str | None = None
    epilogue_type: str | None = None
    # Bytes that divide the addresses of a, b and c in every launch; 0 for any.
    alignment: int = 0
    # Whether what is stored as rows of a and b begins at multiples of 16 bytes.
    aligned_rows: bool = False
    # Of a batch, how many a plan is chosen for; 0 for many.
    products: int = 0
    # Whether layers of the sums, and what each has of k at a time, are arguments.
    has_layers: bool = False

    @property
    def extras(self) -> list[str]:
        return [name for name in EXTRAS if getattr(self, name)]

    def to_c(self) -> Gemm:
        def extent(value: int | None) -> int:
            return DYNAMIC if value is None else value

        keep: list[Any] = []
        gemm = Gemm(
            m=extent(self.m),
            n=extent(self.n),
            k=extent(self.k),
            a=self.a.to_c(keep),
            b=self.b.to_c(keep),
            c=self.c.to_c(keep),
            accumulator=encode(self.accumulator),
            transposeA=self.a.transposed,
            transposeB=self.b.transposed,
            isComplex=self.is_complex,
            conjugateA=self.a.conjugated,
            conjugateB=self.b.conjugated,
            hasAlpha=self.has_alpha,
            hasBeta=self.has_beta,
            rowScale=self.row_scale,
            bias=self.bias,
            residual=self.residual,
            relu=self.activation == "relu",
            gelu=self.activation == "gelu",
            silu=self.activation == "silu",
            epilogueType=encode(self.epilogue_type),
            alignment=self.alignment,
            alignedRows=self.aligned_rows,
            hasLayers=self.has_layers,
        )
        # Arrays of numbers live as long as what points to them.
        gemm.kept = keep
        return gemm


def remember_plan(program: Program, plan: str) -> None:
    """What is compiled from now on where the program's request says no plan."""
    if program.unplanned_key is not None:
        _cache.store(program.unplanned_key, "plan", plan.encode())


class Source(NamedTuple):
    """What a program is compiled from, and as a text."""

    request: Request
    target: str
    overrides: dict[str, Any]
    text: str
    unplanned_key: str

    def options(self) -> Options:
        options = make_options(self.target, self.overrides)
        options.products = self.request.products
        return options

    def is_known(self) -> bool:
        """Whether `program` need not compile."""
        return is_known(self.text)

    def program(self) -> Program:
        gemm, options = self.request.to_c(), self.options()
        program = program_for(
            self.text, lambda out: lib.kamiCompileGemm(byref(gemm), byref(options), out)
        )
        program.unplanned_key = self.unplanned_key
        return program

    def sum_order(self) -> SumOrder:
        """Programs of the same order have the same results, bit by bit."""
        gemm, options = self.request.to_c(), self.options()
        text = call_for_text(lib.kamiGetSumOrder, byref(gemm), byref(options))
        return SumOrder.of(text)


def source_of(request: Request, target: str, overrides: dict[str, Any]) -> Source:
    asked = dataclasses.asdict(request)
    # A tuned plan is for arrays that begin anywhere, and batches of any size.
    anywhere = {**asked, "alignment": 0, "products": 0}
    unplanned_key = _cache.key_of(request_of("gemm", anywhere, target, {}))
    if not overrides:
        tuned = _cache.load(unplanned_key, "plan")
        if tuned is not None:
            overrides = {"plan": tuned.decode()}
    text = request_of("gemm", asked, target, overrides)
    return Source(request, target, overrides, text, unplanned_key)


def compile_request(
    request: Request, target: str, overrides: dict[str, Any]
) -> Program:
    return source_of(request, target, overrides).program()


@dataclasses.dataclass(frozen=True)
class Placed:
    """An array as a launch sees it: the extents and strides of its dimensions."""

    operand: Operand
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def has_aligned_rows(self) -> bool:
        """Whether what is stored as rows begins at multiples of 16 bytes.

        If the array does.
        """
        layout = self.operand.layout
        if layout == "any" or 0 in self.sizes:
            return False
        strides = list(dense_strides(self.sizes) if layout == "dense" else self.strides)
        del strides[-2 if layout == "columns" else -1]
        width = item_bytes(self.operand.type)
        return all(step >= 0 and step * width % ALIGNMENT == 0 for step in strides)


def layout_of(sizes: Sequence[int], strides: Sequence[int]) -> str:
    """How matrices lie in memory. Strides of extents below 2 say nothing."""

    def matches(expected: Sequence[int]) -> bool:
        return all(
            size < 2 or stride == wanted
            for size, stride, wanted in zip(sizes, strides, expected, strict=True)
        )

    if 0 in sizes or matches(dense_strides(sizes)):
        return "dense"
    if sizes[-1] < 2 or strides[-1] == 1:
        return "rows"
    if sizes[-2] < 2 or strides[-2] == 1:
        return "columns"
    return "any"


def place(
    type: str, sizes: Sequence[int], strides: Sequence[int], *, is_one: bool = False
) -> Placed:
    """An input: matrices whose columns are adjacent are those of the transpose.

    An extent of 1 in the batch says that the matrix is every product's, unless
    there is but one product, whose it `is_one` of.
    """
    transposed = False
    if layout_of(sizes, strides) in ("columns", "any"):
        swapped = [*sizes[:-2], sizes[-1], sizes[-2]]
        crossed = [*strides[:-2], strides[-1], strides[-2]]
        if layout_of(swapped, crossed) in ("dense", "rows"):
            sizes, strides, transposed = swapped, crossed, True
    layout = layout_of(sizes, strides)
    repeats = tuple(size == 1 and not is_one for size in sizes[:-2])
    return Placed(
        Operand(type, repeats, layout, transposed), tuple(sizes), tuple(strides)
    )


def place_output(type: str, sizes: Sequence[int], strides: Sequence[int]) -> Placed:
    layout = layout_of(sizes, strides)
    repeats = (False,) * (len(sizes) - 2)
    return Placed(Operand(type, repeats, layout), tuple(sizes), tuple(strides))


def broadcast(shapes: Sequence[tuple[str, Sequence[int]]]) -> tuple[int, ...]:
    """The batch dimensions of a product, as NumPy has them."""
    rank = max(len(shape) for _, shape in shapes)
    batch = [1] * rank
    for name, shape in shapes:
        for dim, extent in enumerate(shape, rank - len(shape)):
            if batch[dim] == 1:
                batch[dim] = extent
            elif extent not in (1, batch[dim]):
                raise ValueError(
                    f"{name}: expected a batch that broadcasts to {tuple(batch)}, "
                    f"but got {tuple(shape)}"
                )
    return tuple(batch)


Dims = list[tuple[int, int]]
"""Extent and stride of each dimension."""


def _span(matrix: Dims) -> int:
    """Elements from the begin of a matrix to that of one that follows it."""
    return max(extent * stride for extent, stride in matrix)


def collapse(batch: Sequence[int], arrays: Sequence[Dims]) -> list[Dims]:
    """Batch dimensions with as few of them as the strides allow.

    Each array has as many as `batch`, of its extent or 1, and the same two for the
    matrix behind them. A batch of one product stays a batch, as if others followed
    it without a gap: its sums are to be those of the same product among many.
    """
    rank = len(batch)
    kept = [dim for dim in range(rank) if batch[dim] != 1]
    if rank and not kept:
        return [[(1, _span(array[rank:])), *array[rank:]] for array in arrays]
    merged: list[Dims] = [[array[dim] for dim in kept] for array in arrays]
    dim = len(kept) - 1
    while dim > 0:
        # Both repeat, or the outer one goes on where the inner one ends.
        joins = all(
            (outer[0] == 1 and inner[0] == 1)
            or (outer[0] != 1 and inner[0] != 1 and outer[1] == inner[1] * inner[0])
            for outer, inner in ((array[dim - 1], array[dim]) for array in merged)
        )
        if joins:
            for array in merged:
                array[dim - 1 : dim + 1] = [
                    (array[dim - 1][0] * array[dim][0], array[dim][1])
                ]
        dim -= 1
    return [prefix + array[rank:] for prefix, array in zip(merged, arrays, strict=True)]


def spread(view: View, rank: int) -> Dims:
    """All dimensions, with leading ones of extent 1 up to a batch of `rank`."""
    missing = rank + 2 - len(view.shape)
    return [(1, 0)] * missing + list(zip(view.shape, view.strides, strict=True))
