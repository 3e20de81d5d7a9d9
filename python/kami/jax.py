# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kami in JAX: an operator for `jax.jit`, with `jax.vmap` and `jax.grad`.

XLA calls kami by its foreign function interface, on its own stream, and on the
CPU with the simulator.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._arrays import View, dense_strides
from ._matmul import broadcast
from ._product import check_product, check_types, default_result, multiply_views
from ._types import numpy_dtype, type_name
from ._xla import Call, make_target

_TARGET = "kami_gemm"


def _run(call: Call) -> None:
    (a, b), (c,) = call.arguments, call.results
    multiply_views(a, b, c, stream=call.stream, **call.attributes)


for _platform in ("cpu", "CUDA"):
    jax.ffi.register_ffi_target(
        _TARGET, make_target(_run, is_host=_platform == "cpu"), platform=_platform
    )


def _call(a: Any, b: Any, trans_a: bool, trans_b: bool, alpha: float, type: str) -> Any:
    """A product of arrays of one rank, so that `vmap` may put a dimension before."""
    view_a, view_b = (_view(array, name) for array, name in ((a, "a"), (b, "b")))
    m, n, _ = check_product(view_a, view_b, trans_a, trans_b)
    batch = broadcast([("a", a.shape[:-2]), ("b", b.shape[:-2])])
    result = jax.ShapeDtypeStruct((*batch, m, n), numpy_dtype(type))
    multiply = jax.ffi.ffi_call(_TARGET, result, vmap_method="expand_dims")
    return multiply(a, b, trans_a=trans_a, trans_b=trans_b, alpha=np.float64(alpha))


def _view(array: Any, name: str) -> View:
    """What can be checked before there are elements."""
    strides = dense_strides(array.shape)
    return View(0, tuple(array.shape), strides, type_name(array.dtype, name), 0)


_product = jax.custom_vjp(_call, nondiff_argnums=(2, 3, 4, 5))


def _forward(a: Any, b: Any, *rest: Any) -> tuple[Any, tuple[Any, Any]]:
    return _product(a, b, *rest), (a, b)


def _backward(
    trans_a: bool, trans_b: bool, alpha: float, type: str, saved: Any, grad: Any
) -> tuple[Any, Any]:
    """As JAX has them, without conjugates: op(A)' = s G op(B)^T, op(B)' = s op(A)^T G.

    Summed over the dimensions that were broadcast.
    """
    a, b = saved

    def of(like: Any, x: Any, y: Any, trans_x: bool, trans_y: bool) -> Any:
        x, y = (z.astype(like.dtype) for z in (x, y))
        found = _product(x, y, trans_x, trans_y, alpha, type_name(like.dtype))
        repeated = [i for i, e in enumerate(like.shape) if e != found.shape[i]]
        return found.sum(repeated, keepdims=True, dtype=like.dtype)

    return (
        of(a, b, grad, trans_b, True)
        if trans_a
        else of(a, grad, b, False, not trans_b),
        of(b, grad, a, True, trans_a)
        if trans_b
        else of(b, a, grad, not trans_a, False),
    )


_product.defvjp(_forward, _backward)


def gemm(
    a: Any,
    b: Any,
    *,
    alpha: float = 1,
    trans_a: bool = False,
    trans_b: bool = False,
    out_dtype: Any = None,
) -> Any:
    """alpha * A @ B of JAX's arrays, also inside of `jax.jit`.

    Differentiable in reverse mode, as often as one likes; under `jax.vmap` one
    launch. Arrays are dense and row-major, as XLA's are.

    Args:
        a, b, trans_a, trans_b, out_dtype: as for `kami.gemm`.
        alpha: a number, no array.

    Raises:
        TypeError, ValueError: an argument is not what was expected.
        jax.errors.JaxRuntimeError: from the launch, with kami's message.
    """
    a, b = jnp.asarray(a), jnp.asarray(b)
    view_a, view_b = _view(a, "a"), _view(b, "b")
    check_types(view_a, view_b, "exact")
    check_product(view_a, view_b, trans_a, trans_b)
    type = default_result(view_a.type, view_b.type)
    if out_dtype is not None:
        type = type_name(out_dtype, "out_dtype")
    rank = max(a.ndim, b.ndim)
    a, b = (x.reshape((1,) * (rank - x.ndim) + x.shape) for x in (a, b))
    is_real = jnp.issubdtype(a.dtype, jnp.inexact)
    return (_product if is_real else _call)(
        a, b, bool(trans_a), bool(trans_b), float(alpha), type
    )
