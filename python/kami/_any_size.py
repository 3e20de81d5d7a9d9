# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Requests for products of any size, and how one product is computed by a program
for them.

Such a program takes more than a product may have: three dimensions of a batch, any
distances between rows, scales, and arrays for the epilogue. What is not there is
given values that leave every bit as it is: 1 to multiply by, and -0 to add, since
x + -0 is x, of x = 0 and x = -0 as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ._arrays import dense_strides
from ._matmul import ALIGNMENT, EXTRAS, Dims, Operand, Placed, Request

Layout = tuple[tuple[int, ...], tuple[int, ...]]
"""Extents and strides."""


def request_for_all(request: Request, aligned_rows: bool) -> Request:
    """For products of any size that are like a request's otherwise."""
    return dataclasses.replace(
        request, m=None, n=None, k=None, aligned_rows=aligned_rows, products=0
    )


_MOST_BATCH_DIMENSIONS = 3


def request_for_any(request: Request, aligned_rows: bool) -> Request | None:
    """For products of any size and any batch, whose matrices have rows, with sums of
    one layer. Arrays begin anywhere, but for aligned rows.

    A program for them takes arrays as `widened` has them. None where a matrix has
    no adjacent elements in rows as stored, or a batch more dimensions.
    """
    operands = request.a, request.b, request.c
    for operand in operands:
        if operand.layout not in ("dense", "rows"):
            return None
        if len(operand.repeats) > _MOST_BATCH_DIMENSIONS:
            return None
    a, b, c = (
        dataclasses.replace(
            operand, repeats=(False,) * _MOST_BATCH_DIMENSIONS, layout="rows"
        )
        for operand in operands
    )
    return dataclasses.replace(
        request_for_all(request, aligned_rows),
        a=a,
        b=b,
        c=c,
        alignment=ALIGNMENT if aligned_rows else 0,
    )


def request_for_all_sums(request: Request) -> Request | None:
    """The same, with alpha, beta and any layers, and with all of an epilogue for
    products with a part."""
    wide = request_for_any(request, aligned_rows=False)
    if wide is None:
        return None
    # Complex numbers are scaled by arrays.
    is_real = not request.is_complex
    wide = dataclasses.replace(
        wide, has_alpha=is_real, has_beta=is_real, has_layers=True
    )
    has_epilogue = bool(request.extras) or request.activation is not None
    if has_epilogue:
        wide = dataclasses.replace(
            wide,
            row_scale=True,
            bias=True,
            residual=True,
            epilogue_type=request.epilogue_type or request.c.type,
        )
    return wide


def request_for_transposed(request: Request) -> Request | None:
    """For Cᵀ = Bᵀ · Aᵀ, of a C in columns, which is Cᵀ in rows, with a bias as the
    residual. None where an epilogue has what each row has one element of: there is
    none for columns. Nor where the operands' parts are multiplied in turn, which
    is in another order then."""
    if request.row_scale or request.is_complex or "tf32x3" in request.a.type:
        return None
    if request.bias:
        is_free = not request.residual and request.epilogue_type == request.c.type
        if not is_free:
            return None
        request = dataclasses.replace(
            request, bias=False, residual=True, epilogue_type=None
        )

    def flipped(operand: Operand) -> Operand:
        return dataclasses.replace(operand, transposed=not operand.transposed)

    return dataclasses.replace(
        request,
        m=request.n,
        n=request.m,
        a=flipped(request.b),
        b=flipped(request.a),
        c=dataclasses.replace(request.c, layout="rows"),
    )


def transposed(placed: Placed) -> Placed:
    """An array in columns as its transpose in rows."""
    sizes, strides = (
        (*each[:-2], each[-1], each[-2]) for each in (placed.sizes, placed.strides)
    )
    operand = dataclasses.replace(placed.operand, layout="rows")
    return Placed(operand, sizes, strides)


def extra_of_transposed(name: str) -> str:
    """What is given for an array of the epilogue of C, of one of Cᵀ."""
    return "residual" if name == "bias" else name


def transposed_extras(
    given: Mapping[str, Dims], sizes: Sequence[int]
) -> dict[str, Dims]:
    """What the epilogue of a Cᵀ of these sizes reads, in place of what C's does. Rows
    of Cᵀ have the same element of a bias."""

    def crossed(name: str, dims: Dims) -> Dims:
        if name == "bias":
            return [*((size, 0) for size in sizes[:-2]), *dims, (sizes[-1], 0)]
        return [*dims[:-2], dims[-1], dims[-2]]

    return {extra_of_transposed(n): crossed(n, dims) for n, dims in given.items()}


def layout_from(dims: Dims) -> Layout:
    extents, strides = zip(*dims, strict=True)
    return extents, strides


def widened(placed: Placed, batch: Sequence[int]) -> Layout:
    """Extents and strides as a program from `request_for_any` takes them.

    A matrix that is every product's is as many, with no elements from one to the
    next.
    """
    sizes, strides = placed.sizes, placed.strides
    if placed.operand.layout == "dense":
        strides = dense_strides(sizes)
    missing = _MOST_BATCH_DIMENSIONS - len(batch)
    steps = [
        0 if size == 1 else stride
        for size, stride in zip(sizes[:-2], strides[:-2], strict=True)
    ]
    return (
        (*(1,) * missing, *batch, *sizes[-2:]),
        (*(0,) * missing, *steps, *strides[-2:]),
    )


def widened_extras(given: Mapping[str, Dims], sizes: Sequence[int]) -> list[Layout]:
    """The same of all that an epilogue reads, of a result of these sizes. What is
    not given is one number."""
    shapes = {"row_scale": sizes[-2:-1], "bias": sizes[-1:], "residual": sizes}
    found = []
    for name in EXTRAS:
        dims = given.get(name) or [(extent, 0) for extent in shapes[name]]
        if name == "residual":
            dims = [(1, 0)] * (_MOST_BATCH_DIMENSIONS + 2 - len(sizes)) + dims
        found.append(layout_from(dims))
    return found
