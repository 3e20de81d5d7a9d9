# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kami in JAX: operators for `jax.jit`, with `jax.vmap` and `jax.grad`.

XLA calls kami by its foreign function interface, on its own stream, and on the
CPU with the simulator.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ._arrays import View
from ._jax_grouped import GROUPED, grouped_product, run_grouped
from ._jax_spec import Spec, asked, view_of
from ._matmul import EXTRAS, broadcast
from ._product import (
    Epilogue,
    Extra,
    Wanted,
    as_epilogue,
    check_extra,
    check_product,
    check_types,
    default_accumulator,
    default_result,
    multiply_views,
)
from ._types import numpy_dtype, type_name
from ._xla import Call, make_target

_TARGET = "kami_gemm"

# What there may be besides A and B, in the order of XLA's operands.
_EXTRAS = ("c", *EXTRAS)

Arrays = dict[str, Any]
"""Those of `_EXTRAS`, by name; c and residual have as many dimensions as a and b."""


@dataclasses.dataclass(frozen=True)
class _Spec(Spec):
    activation: str | None = None

    def sums(self, like: str) -> _Spec:
        """alpha * A @ B alone, in the type of its sums; A is of type `like`."""
        type = self.accumulator or default_accumulator(like)
        return dataclasses.replace(self, type=type, beta=0, activation=None)

    def swapped(self, type: str, trans_a: bool, trans_b: bool) -> _Spec:
        """A product of a gradient."""
        return dataclasses.replace(
            self, type=type, trans_a=trans_a, trans_b=trans_b, beta=0, activation=None
        )


@functools.cache
def _attributes_of(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    found["overrides"] = dict(found["overrides"])
    del found["type"]
    return found


def _run(call: Call) -> None:
    [c] = call.results
    a, b, *rest = call.arguments
    extras = dict(zip(json.loads(call.attributes["extras"]), rest, strict=True))
    before = extras.pop("c", c)
    if before.address != c.address and 0 not in c.shape:
        raise ValueError("c: expected XLA to have it where the result goes")
    attributes = _attributes_of(call.attributes["spec"])
    multiply_views(a, b, c, call.stream, extras=extras, **attributes)


for _platform in ("cpu", "CUDA"):
    for _target, _handler in ((_TARGET, _run), (GROUPED, run_grouped)):
        jax.ffi.register_ffi_target(
            _target,
            make_target(_handler, is_host=_platform == "cpu"),
            platform=_platform,
        )


def _call(spec: _Spec, a: Any, b: Any, extras: Arrays) -> Any:
    """A product of arrays of one rank."""
    view_a, view_b = view_of(a, "a"), view_of(b, "b")
    m, n, _ = check_product(view_a, view_b, spec.trans_a, spec.trans_b)
    batch = broadcast([("a", a.shape[:-2]), ("b", b.shape[:-2])])
    result = jax.ShapeDtypeStruct((*batch, m, n), numpy_dtype(spec.type))
    names = [name for name in _EXTRAS if name in extras]
    operands = [extras[name] for name in names]
    if "c" in extras:
        operands[0] = jnp.broadcast_to(extras["c"], result.shape)
    multiply = jax.ffi.ffi_call(
        _TARGET, result, input_output_aliases={2: 0} if "c" in extras else None
    )
    return multiply(a, b, *operands, spec=spec.text, extras=json.dumps(names))


def _after(spec: _Spec, sums: Any, extras: Arrays) -> Any:
    """What kami's kernel makes of sums before it stores them, in JAX."""
    wide = {name: x.astype(sums.dtype) for name, x in extras.items()}
    if "c" in wide:
        sums = sums + spec.beta * wide["c"]
    if "row_scale" in wide:
        sums = sums * wide["row_scale"][:, None]
    for name in ("bias", "residual"):
        if name in wide:
            sums = sums + wide[name]
    activation = {
        None: lambda x: x,
        "relu": jax.nn.relu,
        "gelu": functools.partial(jax.nn.gelu, approximate=False),
        "silu": jax.nn.silu,
    }[spec.activation]
    return activation(sums).astype(numpy_dtype(spec.type))


@functools.cache
def _batchable(spec: _Spec) -> Any:
    """The product, of which `jax.vmap` makes one with more dimensions."""

    @jax.custom_batching.custom_vmap
    def multiply(a: Any, b: Any, extras: Arrays) -> Any:
        return _call(spec, a, b, extras)

    @multiply.def_vmap
    def _(
        size: int, batched: tuple[Any, ...], a: Any, b: Any, extras: Arrays
    ) -> tuple[Any, bool]:
        of_a, of_b, of_extras = batched
        if of_extras.get("row_scale") or of_extras.get("bias"):
            # A kernel has one of each for all its products.
            axes = jax.tree.map(lambda x: 0 if x else None, batched)
            unfused = functools.partial(_unfused, spec)
            return jax.vmap(unfused, axes, axis_size=size)(a, b, extras), True
        if not of_a and not of_b:
            a, of_a = jnp.broadcast_to(a, (size, *a.shape)), True
        stacked = {
            name: x if name in ("row_scale", "bias") or of_extras[name] else x[None]
            for name, x in extras.items()
        }
        a, b = a if of_a else a[None], b if of_b else b[None]
        return _batchable(spec)(a, b, stacked), True

    return multiply


def _unfused(spec: _Spec, a: Any, b: Any, extras: Arrays) -> Any:
    sums = _product(spec.sums(type_name(a.dtype)), a, b, {})
    return _after(spec, sums, extras)


def _multiply(spec: _Spec, a: Any, b: Any, extras: Arrays) -> Any:
    return _batchable(spec)(a, b, extras)


_product = jax.custom_vjp(_multiply, nondiff_argnums=(0,))


def _forward(spec: _Spec, a: Any, b: Any, extras: Arrays) -> tuple[Any, Any]:
    return _product(spec, a, b, extras), (a, b, extras)


def _backward(spec: _Spec, saved: Any, grad: Any) -> tuple[Any, Any, Arrays]:
    """As JAX has them, without conjugates: op(A)' = s G op(B)^T, op(B)' = s op(A)^T G.

    Summed over the dimensions that were broadcast. G goes through what the epilogue
    does to sums, which are multiplied anew where that depends on them.
    """
    a, b, extras = saved
    grads: Arrays = {}
    if extras or spec.activation:
        sums = spec.sums(type_name(a.dtype))
        if spec.activation or "row_scale" in extras:
            values = _product(sums, a, b, {})
        else:
            values = jnp.zeros(grad.shape, numpy_dtype(sums.type))
        _, pull = jax.vjp(functools.partial(_after, spec), values, extras)
        grad, grads = pull(grad)
    ta, tb = spec.trans_a, spec.trans_b

    def of(like: Any, x: Any, y: Any, trans_x: bool, trans_y: bool) -> Any:
        x, y = (z.astype(like.dtype) for z in (x, y))
        kind = spec.swapped(type_name(like.dtype), trans_x, trans_y)
        found = _product(kind, x, y, {})
        repeated = [i for i, e in enumerate(like.shape) if e != found.shape[i]]
        return found.sum(repeated, keepdims=True, dtype=like.dtype)

    return (
        of(a, b, grad, tb, True) if ta else of(a, grad, b, False, not tb),
        of(b, grad, a, True, ta) if tb else of(b, a, grad, not ta, False),
        grads,
    )


_product.defvjp(_forward, _backward)


def _full_rank(array: Any, rank: int) -> Any:
    return array.reshape((1,) * (rank - array.ndim) + array.shape)


def _read_extras(
    view_a: View, shape: tuple[int, ...], spec: _Spec, c: Any, epilogue: Epilogue
) -> Arrays:
    """Of a product of `shape`, checked."""
    accumulator = spec.accumulator or default_accumulator(view_a.type)
    given = {name: getattr(epilogue, name) for name in _EXTRAS[1:]}
    given["c"] = c if spec.beta != 0 else None
    if spec.beta != 0 and c is None:
        raise ValueError("c: expected an array where beta is not 0, but got None")
    wanted = {"row_scale": shape[-2:-1], "bias": shape[-1:]}
    extras: Arrays = {}
    for name, array in given.items():
        if array is None:
            continue
        array = jnp.asarray(array)
        view = view_of(array, name)
        if name == "c" and view.type != spec.type:
            raise TypeError(
                f"c: expected elements of type {spec.type}, but got {view.type}"
            )
        if name != "c":
            check_extra(name, view.type, spec.type, accumulator)
        Extra(name, view, wanted.get(name, shape))
        one_dimensional = name in wanted
        extras[name] = (
            jnp.broadcast_to(array, wanted[name])
            if one_dimensional
            else _full_rank(array, len(shape))
        )
    return extras


def gemm(
    a: Any,
    b: Any,
    c: Any = None,
    *,
    alpha: float = 1,
    beta: float = 0,
    trans_a: bool = False,
    trans_b: bool = False,
    out_dtype: Any = None,
    epilogue: Epilogue | str | None = None,
    accumulator: Any = None,
    precision: str = "exact",
    **overrides: Any,
) -> Any:
    """`kami.gemm` of JAX's arrays, also inside of `jax.jit`.

    Differentiable in reverse mode, as often as one likes, by a, b, c and what the
    epilogue reads; under `jax.vmap` one launch. Arrays are dense and row-major, as
    XLA's are.

    Args:
        a, b, c, trans_a, trans_b, out_dtype, epilogue, accumulator, precision,
        overrides: as for `kami.gemm`. A row scale or bias that `jax.vmap` makes
            many of is applied by XLA, behind the product.
        alpha, beta: real numbers, no arrays.

    Raises:
        TypeError, ValueError: an argument is not what was expected.
        jax.errors.JaxRuntimeError: from the launch, with kami's message.
    """
    Wanted(alpha=alpha, beta=beta)
    a, b = jnp.asarray(a), jnp.asarray(b)
    view_a, view_b = view_of(a, "a"), view_of(b, "b")
    check_types(view_a, view_b, precision)
    m, n, _ = check_product(view_a, view_b, trans_a, trans_b)
    batch = broadcast([("a", a.shape[:-2]), ("b", b.shape[:-2])])
    epilogue = as_epilogue(epilogue)
    type_c = default_result(view_a.type, view_b.type)
    fields = asked(
        type_c, out_dtype, trans_a, trans_b, alpha, beta, accumulator, precision,
        overrides,
    )  # fmt: skip
    spec = _Spec(**fields, activation=epilogue.activation)
    extras = _read_extras(view_a, (*batch, m, n), spec, c, epilogue)
    rank = max(a.ndim, b.ndim)
    is_real = jnp.issubdtype(a.dtype, jnp.inexact)
    multiply = _product if is_real else _multiply
    return multiply(spec, _full_rank(a, rank), _full_rank(b, rank), extras)


def grouped_gemm(
    a: Sequence[Any],
    b: Sequence[Any],
    c: Sequence[Any] | None = None,
    **keywords: Any,
) -> list[Any]:
    """`kami.grouped_gemm` of JAX's arrays, also inside of `jax.jit`.

    One launch, also under `jax.vmap`, of matrices that XLA copies one behind the
    other before and apart afterwards. Differentiable in reverse mode by a, b and c.

    Args:
        a, b, c, keywords: as for `kami.grouped_gemm`, without `out`.

    Raises:
        TypeError, ValueError: as `gemm`, naming the array: "a[3]: ...".
        jax.errors.JaxRuntimeError: from the launch, with kami's message.
    """
    return grouped_product(a, b, c, **keywords)
