# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels by numbers, from MLIR, and from a file."""

from __future__ import annotations

import os
import pathlib
from ctypes import byref
from typing import Any

from ._kernels import Kernel, make_options, program_for, request_of, saved_program
from ._library import lib
from ._matmul import ACTIVATIONS, Operand, Request, compile_request
from ._plan import _count, default_target
from ._product import default_result, part_of
from ._types import accumulator_name, type_name

_LAYOUTS = ("dense", "rows", "columns", "any")


def compile(
    m: int | None,
    n: int | None,
    k: int | None,
    dtype: Any,
    *,
    batch: bool = False,
    dtype_b: Any = None,
    out_dtype: Any = None,
    accumulator: Any = None,
    trans_a: bool = False,
    trans_b: bool = False,
    layouts: tuple[str, str, str] = ("dense", "dense", "dense"),
    alpha: bool = False,
    beta: bool = False,
    bias: bool = False,
    activation: str | None = None,
    alignment: int = 0,
    aligned_rows: bool = False,
    products: int = 0,
    target: str | None = None,
    plan: Any = None,
    **overrides: Any,
) -> Kernel:
    """Compiles C = alpha * A @ B + beta * C for a chip.

    The kernel is called with a, b, c (which it writes), then alpha and beta where
    there are any, then the bias. See `Kernel` for its code at every level.

    Args:
        m, n, k: extents; None for one that is known when it is called.
        dtype: of A's elements; `dtype_b`, B's, where they are others. "tf32" and
            "tf32x3" are of float32 arrays, and say how they are multiplied.
        batch: whether arrays have a leading dimension of any extent.
        out_dtype, accumulator: as for `gemm`.
        trans_a, trans_b: whether A is stored k x m, B n x k.
        layouts: of A, B and C as stored: "dense", without gaps; "rows" or
            "columns", adjacent elements in those; "any".
        alpha, beta, bias: whether there are such arguments; alpha and beta of
            complex numbers are two each, the real part and the imaginary one; a
            bias has n elements of the sums' type.
        activation: "relu", "gelu" or "silu".
        alignment: a power of two of bytes that divides the addresses of a, b and c
            in every call, or 0 for any. With 16 there is less code, and calls with
            others raise `ValueError`.
        aligned_rows: with an alignment of 16 or more, whether what is stored as
            rows of a and b begins at multiples of 16 bytes in every call, also
            where strides are known only then; calls with others raise
            `ValueError`.
        products: of a batch, how many a plan is chosen for, or 0 for many. Any
            number is multiplied, with the same bits.
        target: as for `plan`.
        plan: a `Plan` or `Candidate`, or the text of a `#kami.plan<...>`.
        overrides: as for `plan`, where no plan is given.

    Raises:
        TypeError, ValueError: an argument is not what was expected, or the chip
            cannot do it. A call whose c shares an element with an array that is
            read raises `ValueError`, unless the kernel was saved and loaded.
    """
    if plan is not None:
        overrides["plan"] = plan if isinstance(plan, str) else plan.attribute
    if activation not in (None, *ACTIVATIONS):
        raise ValueError(
            f"activation: expected one of {', '.join(ACTIVATIONS)}, "
            f"but got {activation!r}"
        )
    if len(layouts) != 3 or any(layout not in _LAYOUTS for layout in layouts):
        raise ValueError(
            f"layouts: expected three of {', '.join(_LAYOUTS)}, but got {layouts!r}"
        )
    type_a, is_complex = part_of(type_name(dtype))
    type_b = part_of(type_name(dtype_b, "dtype_b"))[0] if dtype_b else type_a
    stored = "f32" if type_a.startswith("tf32") else type_a
    type_c = default_result(stored, stored if type_b == type_a else type_b)
    if out_dtype is not None:
        type_c = part_of(type_name(out_dtype, "out_dtype"))[0]
    repeats = (False,) * bool(batch)
    extents = [
        None if extent is None else _count(name, extent, 0)
        for name, extent in zip("mnk", (m, n, k), strict=True)
    ]
    request = Request(
        extents[0],
        extents[1],
        extents[2],
        Operand(type_a, repeats, layouts[0], trans_a),
        Operand(type_b, repeats, layouts[1], trans_b),
        Operand(type_c, repeats, layouts[2]),
        accumulator_name(accumulator),
        is_complex,
        alpha,
        beta,
        bias=bias,
        activation=activation,
        alignment=_count("alignment", alignment, 0),
        aligned_rows=bool(aligned_rows),
        products=_count("products", products, 0),
    )
    program = compile_request(request, target or default_target(), overrides)
    return Kernel(program, written=2)


def from_mlir(
    text: str,
    *,
    target: str | None = None,
    precision: str = "exact",
    **overrides: Any,
) -> Kernel:
    """Compiles a user's own MLIR.

    Args:
        text: a module with one public function, of `linalg` ops on tensors or
            memrefs, or kami's own. What surrounds the products (bias, scale,
            activation, casts) becomes part of their kernels.
        target: as for `plan`.
        precision: how linalg's products of f32 are multiplied: "exact", "tf32" or
            "tf32x3".
        overrides: as for `plan`.

    Returns:
        A `Kernel`, called with the function's arguments; what it allocates and
        returns are new arrays of the arguments' kind. On a device, all work on
        arrays has to be in kernels.

    Raises:
        TypeError, ValueError: the text does not parse, with its line, or holds
            no product that the chip can do.
    """
    if not isinstance(text, str):
        raise TypeError(f"text: expected MLIR as a text, but got {text!r}")
    target = target or default_target()
    options = make_options(target, overrides)
    options.precision = precision.encode()
    source = text.encode()
    program = program_for(
        request_of("text", text, target, precision, overrides),
        lambda out: lib.kamiCompileText(source, len(source), byref(options), out),
    )
    return Kernel(program)


def load(path: str | os.PathLike[str]) -> Kernel:
    """The kernel that `Kernel.save` wrote.

    Like one that is compiled, it stays on the device until the process ends:
    a CUDA graph may launch it when nothing else knows of it any more.

    Raises:
        OSError: the file cannot be read.
        ValueError: another version of kami has written it.
    """
    return Kernel(saved_program(pathlib.Path(path).read_bytes()))
