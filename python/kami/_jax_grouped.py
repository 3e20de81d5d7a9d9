# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's arrays of sizes of their own.

XLA says where its arrays are when a program runs, too late for a table of
addresses in a device's memory. So matrices are copied into flat arrays, in which
their positions are known when the program is traced. What `jax.vmap` adds are
stacks of matrices of one size, which are products of their own.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._arrays import View
from ._grouped import check_pair, typical_size
from ._grouped_kind import Kind, multiply_rows, rows_of
from ._jax_spec import Spec, asked, view_of
from ._product import (
    Wanted,
    check_types,
    default_result,
    part_of,
)
from ._types import numpy_dtype, type_name
from ._xla import Call

GROUPED = "kami_grouped_gemm"

Stacks = tuple[Any, ...]
"""For each product's matrix an array (stack, rows, columns)."""


class _Spec(Spec):
    @property
    def scales(self) -> list[float]:
        alpha, beta = self.alpha, self.beta
        return [alpha] * (alpha != 1) + [beta] * (beta != 0)

    def kind(self, a: str, b: str) -> Kind:
        if self.precision != "exact":
            a = b = self.precision
        return Kind(
            a, b, self.type, self.accumulator, self.trans_a, self.trans_b,
            self.alpha != 1, self.beta != 0, False,
        )  # fmt: skip


@functools.cache
def _spec_of(text: str) -> _Spec:
    found = json.loads(text)
    found["overrides"] = tuple((name, value) for name, value in found["overrides"])
    return _Spec(**found)


def run_grouped(call: Call) -> None:
    """What XLA calls."""
    [c] = call.results
    a, b, table, *before = call.arguments
    if before and before[0].address != c.address and c.shape != (0,):
        raise ValueError("c: expected XLA to have it where the results go")
    spec = _spec_of(call.attributes["spec"])
    sizes = [tuple(size) for size in json.loads(call.attributes["sizes"])]
    kind, overrides = spec.kind(a.type, b.type), dict(spec.overrides)
    rows = rows_of(table.address, len(sizes))
    multiply_rows(
        kind, typical_size(sizes), len(sizes), (a, b, c), rows, spec.scales,
        overrides, call.stream,
    )  # fmt: skip


def _size(spec: _Spec, a: Any, b: Any) -> tuple[int, int, int]:
    _, *matrix = a.shape
    rows, inner = reversed(matrix) if spec.trans_a else matrix
    return rows, b.shape[1 if spec.trans_b else 2], inner


def _starts(spec: _Spec, stacks: Stacks, counts: list[int]) -> list[int]:
    """Positions of each product's matrix; one of a stack serves all of its pair."""
    starts, at = [], 0
    for stack, count in zip(stacks, counts, strict=True):
        each = stack.shape[1] * stack.shape[2]
        starts += [at + i % max(stack.shape[0], 1) * each for i in range(count)]
        at += stack.shape[0] * each
    return starts


def _call(spec: _Spec, a: Stacks, b: Stacks, c: Stacks) -> Stacks:
    counts = [max(x.shape[0], y.shape[0]) for x, y in zip(a, b, strict=True)]
    pairs = [_size(spec, x, y) for x, y in zip(a, b, strict=True)]
    shapes = [(count, m, n) for count, (m, n, _) in zip(counts, pairs, strict=True)]
    results = tuple(jax.ShapeDtypeStruct(s, numpy_dtype(spec.type)) for s in shapes)
    sizes = [
        size for size, count in zip(pairs, counts, strict=True) for _ in range(count)
    ]
    rows: list[list[int]] = [_starts(spec, x, counts) for x in (a, b, results)]
    rows += [list(column) for column in zip(*sizes, strict=True)]
    for stacks in (a, b, results):
        columns = zip(stacks, counts, strict=True)
        rows.append([max(x.shape[2], 1) for x, count in columns for _ in range(count)])
    # JAX has 64-bit integers only where somebody asks for them.
    table = np.array(rows, np.int64).view(np.int32)
    flat = [
        jnp.concatenate([x.ravel() for x in stacks]) for stacks in (a, b, c) if stacks
    ]
    elements = [int(np.prod(shape)) for shape in shapes]
    multiply = jax.ffi.ffi_call(
        GROUPED,
        jax.ShapeDtypeStruct((sum(elements),), numpy_dtype(spec.type)),
        input_output_aliases={3: 0} if c else None,
    )
    found = multiply(
        *flat[:2], table, *flat[2:],
        spec=spec.text, sizes=json.dumps(sizes),
    )  # fmt: skip
    ends = np.cumsum(elements)[:-1].tolist()
    parts = jnp.split(found, ends)
    return tuple(x.reshape(shape) for x, shape in zip(parts, shapes, strict=True))


def _merge(x: Any, is_batched: bool, size: int, count: int, is_shared: bool) -> Any:
    """A stack of `size` stacks, each of `count`, or of one that serves all."""
    if not is_batched and is_shared and x.shape[0] == 1:
        return x
    rows, columns = x.shape[-2:]
    x = x if is_batched else x[None]
    return jnp.broadcast_to(x, (size, count, rows, columns)).reshape(-1, rows, columns)


@functools.cache
def _batchable(spec: _Spec) -> Any:
    @jax.custom_batching.custom_vmap
    def multiply(a: Stacks, b: Stacks, c: Stacks) -> Stacks:
        return _call(spec, a, b, c)

    @multiply.def_vmap
    def _(
        size: int, batched: Any, a: Stacks, b: Stacks, c: Stacks
    ) -> tuple[Stacks, Any]:
        of_a, of_b, of_c = batched
        merged: list[list[Any]] = [[], [], []]
        counts = []
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            count = max(x.shape[of_a[i]], y.shape[of_b[i]])
            counts.append(count)
            # One of a and b has a matrix for each result.
            is_shared = of_a[i] or of_b[i]
            merged[0].append(_merge(x, of_a[i], size, count, is_shared))
            merged[1].append(_merge(y, of_b[i], size, count, True))
            if c:
                merged[2].append(_merge(c[i], of_c[i], size, count, False))
        results = _batchable(spec)(*map(tuple, merged))
        split = tuple(
            x.reshape(size, count, *x.shape[1:])
            for x, count in zip(results, counts, strict=True)
        )
        return split, (True,) * len(split)

    return multiply


def _multiply(spec: _Spec, a: Stacks, b: Stacks, c: Stacks) -> Stacks:
    found: Stacks = _batchable(spec)(a, b, c)
    return found


_product = jax.custom_vjp(_multiply, nondiff_argnums=(0,))


def _forward(spec: _Spec, a: Stacks, b: Stacks, c: Stacks) -> tuple[Stacks, Any]:
    return _product(spec, a, b, c), (a, b, c)


def _backward(spec: _Spec, saved: Any, grads: Stacks) -> tuple[Stacks, Stacks, Stacks]:
    """As `kami.jax` has it for one product."""
    a, b, c = saved
    ta, tb = spec.trans_a, spec.trans_b

    def of(like: Stacks, x: Stacks, y: Stacks, trans_x: bool, trans_y: bool) -> Stacks:
        dtype = like[0].dtype
        x, y = (tuple(z.astype(dtype) for z in stacks) for stacks in (x, y))
        kind = dataclasses.replace(
            spec, type=type_name(dtype), trans_a=trans_x, trans_b=trans_y, beta=0
        )
        found = _product(kind, x, y, ())
        return tuple(
            z if z.shape == one.shape else z.sum(0, keepdims=True, dtype=dtype)
            for z, one in zip(found, like, strict=True)
        )

    return (
        of(a, b, grads, tb, True) if ta else of(a, grads, b, False, not tb),
        of(b, grads, a, True, ta) if tb else of(b, a, grads, not ta, False),
        tuple(spec.beta * x for x in grads) if c else (),
    )


_product.defvjp(_forward, _backward)


def _checked(arrays: Sequence[Any], name: str) -> tuple[list[Any], list[View]]:
    matrices = [jnp.asarray(array) for array in arrays]
    views: list[View] = []
    for i, x in enumerate(matrices):
        view = view_of(x, f"{name}[{i}]")
        if x.ndim != 2:
            raise ValueError(f"{name}[{i}]: expected a matrix, but got {x.shape}")
        if views and view.type != views[0].type:
            raise TypeError(
                f"{name}[{i}]: expected the type of {name}[0], {views[0].type}, "
                f"but got {view.type}"
            )
        views.append(view)
    return matrices, views


def grouped_product(
    a: Sequence[Any],
    b: Sequence[Any],
    c: Sequence[Any] | None = None,
    *,
    alpha: float = 1,
    beta: float = 0,
    trans_a: bool = False,
    trans_b: bool = False,
    out_dtype: Any = None,
    accumulator: Any = None,
    precision: str = "exact",
    **overrides: Any,
) -> list[Any]:
    """`kami.jax.grouped_gemm`."""
    Wanted(alpha=alpha, beta=beta)
    if not a or len(a) != len(b):
        raise ValueError(f"b: expected {len(a) or 1} arrays, but got {len(b)}")
    (a, views_a), (b, views_b) = _checked(a, "a"), _checked(b, "b")
    shapes = [
        check_pair(i, x, y, trans_a, trans_b)[:2]
        for i, (x, y) in enumerate(zip(views_a, views_b, strict=True))
    ]
    check_types(views_a[0], views_b[0], precision)
    if part_of(views_a[0].type)[1]:
        raise TypeError("a: expected real numbers")
    type_c = default_result(views_a[0].type, views_b[0].type)
    fields = asked(
        type_c, out_dtype, trans_a, trans_b, alpha, beta, accumulator, precision,
        overrides,
    )  # fmt: skip
    spec = _Spec(**fields)
    before: Stacks = ()
    if beta != 0:
        if c is None or len(c) != len(a):
            raise ValueError(f"c: expected {len(a)} arrays where beta is not 0")
        matrices, views_c = _checked(c, "c")
        for i, (view, shape) in enumerate(zip(views_c, shapes, strict=True)):
            if (view.shape, view.type) != (shape, spec.type):
                raise ValueError(
                    f"c[{i}]: expected shape {shape} of {spec.type}, but got "
                    f"{view.shape} of {view.type}"
                )
        before = tuple(x[None] for x in matrices)
    is_real = jnp.issubdtype(a[0].dtype, jnp.inexact)
    stacks_a, stacks_b = (tuple(x[None] for x in arrays) for arrays in (a, b))
    multiply = _product if is_real else _multiply
    results = multiply(spec, stacks_a, stacks_b, before)
    return [x[0] for x in results]
