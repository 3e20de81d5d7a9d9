# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kami in PyTorch: operators with shapes, gradients and autocast.

`torch.ops.kami.gemm` is what `gemm` and `bmm` of this module call. It works under
`torch.compile(fullgraph=True)`, and in CUDA graphs once it has run before.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch

from . import _gemm
from ._devices import describe
from ._routing import Route, is_copied, route
from ._types import type_name

_RESULTS = {
    torch.int8: torch.int32,
    torch.uint8: torch.int32,
    torch.float8_e4m3fn: torch.float32,
    torch.float8_e5m2: torch.float32,
}


@torch.library.custom_op("kami::gemm", mutates_args=())
def _op(
    a: torch.Tensor,
    b: torch.Tensor,
    trans_a: bool,
    trans_b: bool,
    alpha: float,
    out_dtype: torch.dtype | None,
) -> torch.Tensor:
    with torch.no_grad():
        result: torch.Tensor = _gemm.gemm(
            a, b, trans_a=trans_a, trans_b=trans_b, alpha=alpha, out_dtype=out_dtype
        )
    return result


@_op.register_fake
def _(
    a: torch.Tensor,
    b: torch.Tensor,
    trans_a: bool,
    trans_b: bool,
    alpha: float,
    out_dtype: torch.dtype | None,
) -> torch.Tensor:
    if a.dim() < 2 or b.dim() < 2:
        raise ValueError("expected at least two dimensions of a and b")
    rows, inner = (-1, -2) if trans_a else (-2, -1)
    columns, other = (-2, -1) if trans_b else (-1, -2)
    torch._check(
        a.shape[inner] == b.shape[other],
        lambda: (
            f"b: expected extent {a.shape[inner]} along k, as a has, "
            f"but got {b.shape[other]}"
        ),
    )
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    dtype = out_dtype
    if dtype is None:
        is_mixed = a.dtype != b.dtype and torch.float16 in (a.dtype, b.dtype)
        dtype = torch.float16 if is_mixed else _RESULTS.get(a.dtype, a.dtype)
    return a.new_empty((*batch, a.shape[rows], b.shape[columns]), dtype=dtype)


def _setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    a, b, ctx.trans_a, ctx.trans_b, ctx.alpha, _ = inputs
    ctx.save_for_backward(a, b)


def _conjugate(x: torch.Tensor) -> torch.Tensor:
    return x.conj().resolve_conj() if x.is_complex() else x


def _backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    """Of C = s op(A) op(B): op(A)' = s G op(B)^H, op(B)' = s op(A)^H G."""
    a, b = ctx.saved_tensors
    grad_a = grad_b = None
    if ctx.needs_input_grad[0]:
        other = _conjugate(b)
        grad = grad.to(a.dtype)
        if ctx.trans_a:
            grad_a = _op(other, grad, ctx.trans_b, True, ctx.alpha, None)
        else:
            grad_a = _op(grad, other, False, not ctx.trans_b, ctx.alpha, None)
        grad_a = grad_a.sum_to_size(a.shape)
    if ctx.needs_input_grad[1]:
        other = _conjugate(a)
        grad = grad.to(b.dtype)
        if ctx.trans_b:
            grad_b = _op(grad, other, True, ctx.trans_a, ctx.alpha, None)
        else:
            grad_b = _op(other, grad, not ctx.trans_a, False, ctx.alpha, None)
        grad_b = grad_b.sum_to_size(b.shape)
    return grad_a, grad_b, None, None, None, None


_op.register_autograd(_backward, setup_context=_setup_context)


@_op.register_vmap
def _(
    info: Any, in_dims: tuple[Any, ...], a: torch.Tensor, b: torch.Tensor, *rest: Any
) -> tuple[torch.Tensor, int]:
    """The new dimension comes first, before as many others in a as in b."""
    arrays = [
        x.unsqueeze(0) if dim is None else x.movedim(dim, 0)
        for x, dim in zip((a, b), in_dims[:2], strict=True)
    ]
    rank = max(x.dim() for x in arrays)
    ones = [(1,) * (rank - x.dim()) for x in arrays]
    a, b = (
        x.reshape(x.shape[0], *more, *x.shape[1:])
        for x, more in zip(arrays, ones, strict=True)
    )
    result: torch.Tensor = _op(a, b, *rest)
    return result, 0


def _cast(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    is_cast = x.dtype in (torch.float16, torch.bfloat16, torch.float32)
    return x.to(dtype) if is_cast else x


def _make_autocast(device: str) -> Callable[..., torch.Tensor]:
    def multiply(a: torch.Tensor, b: torch.Tensor, *rest: Any) -> torch.Tensor:
        dtype = torch.get_autocast_dtype(device)
        with torch.autocast(device, enabled=False):
            result: torch.Tensor = _op(_cast(a, dtype), _cast(b, dtype), *rest)
        return result

    return multiply


# Not register_autocast, which settles the type for all callers.
_autocasts = torch.library.Library("kami", "IMPL")
_autocasts.impl("gemm", _make_autocast("cuda"), "AutocastCUDA")
_autocasts.impl("gemm", _make_autocast("cpu"), "AutocastCPU")


def gemm(
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    alpha: float = 1,
    trans_a: bool = False,
    trans_b: bool = False,
    out_dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """alpha * A @ B with gradients.

    Args:
        a, b, trans_a, trans_b, out_dtype: as for `kami.gemm`.
        alpha: a number.

    Under autocast a and b become what it says, as those of torch.bmm. Gradients are
    products by kami, too, summed over what was broadcast.
    """
    result: torch.Tensor
    if _needs_operator(a, b):
        result = _op(a, b, trans_a, trans_b, float(alpha), out_dtype)
    else:
        result = _gemm.gemm(
            a, b, alpha=alpha, trans_a=trans_a, trans_b=trans_b, out_dtype=out_dtype
        )
    return result


_dispatch_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 1)
_transform = getattr(
    getattr(torch._C, "_functorch", None), "maybe_current_level", lambda: 0
)


def _needs_operator(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether somebody besides the device has to know of a product.

    PyTorch takes 14 to 25 us of the host to dispatch an operator written in Python.
    """
    kinds = (torch.Tensor, torch.nn.Parameter)
    return (
        torch.compiler.is_compiling()
        or type(a) not in kinds
        or type(b) not in kinds
        or ((a.requires_grad or b.requires_grad) and torch.is_grad_enabled())
        or torch.is_autocast_enabled("cuda" if a.is_cuda else "cpu")
        or _dispatch_modes() > 0
        or _transform() is not None
    )


def bmm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A batch of products with gradients; shapes (batch..., m, k), (batch..., k, n)."""
    return gemm(a, b)


@functools.lru_cache(maxsize=4096)
def _explained(
    dtype: torch.dtype,
    device: int,
    shape_a: tuple[int, ...],
    strides_a: tuple[int, ...],
    shape_b: tuple[int, ...],
    strides_b: tuple[int, ...],
) -> Route:
    *batch, m, k = shape_a
    *other, inner, n = shape_b
    if batch != other or inner != k:
        return Route(False, "batches or extents differ")
    copied = [
        math.prod(shape)
        for shape, strides in ((shape_a, strides_a), (shape_b, strides_b))
        if is_copied(shape, strides)
    ]
    target = describe(device).target
    return route(m, n, k, math.prod(batch), type_name(dtype), target, copied)


def explain(a: Any, b: Any) -> Route:
    """Who multiplies `a @ b` inside of `patch`, and why.

    Args:
        a, b: tensors of shapes (batch..., m, k) and (batch..., k, n).

    Returns:
        `is_kami`, a `reason`, and where the model was asked `kami` and `torch`, the
        seconds that they are predicted to take on the device.
    """
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return Route(False, "no tensors")
    if not a.is_cuda or a.get_device() != b.get_device():
        return Route(False, "no tensors of one CUDA device")
    if a.dtype not in _ROUTED or a.dtype != b.dtype:
        return Route(False, "types that nobody measured")
    if a.dim() < 3 or b.dim() < 3:
        return Route(False, "no batches")
    return _explained(a.dtype, a.get_device(), a.shape, a.stride(), b.shape, b.stride())


_ROUTED = (torch.float16, torch.bfloat16, torch.float64)


def is_routed(a: Any, b: Any) -> bool:
    """Whether a product is one that `patch` gives to kami, as `explain` has it."""
    return explain(a, b).is_kami


def _route(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def multiply(a: Any, b: Any, *rest: Any, **keywords: Any) -> Any:
        if rest or keywords or not is_routed(a, b):
            return original(a, b, *rest, **keywords)
        return gemm(a, b)

    return multiply


_PATCHED: list[tuple[Any, str]] = [
    (torch, "bmm"),
    (torch, "matmul"),
    (torch.Tensor, "bmm"),
    (torch.Tensor, "matmul"),
    (torch.Tensor, "__matmul__"),
]


@contextlib.contextmanager
def patch() -> Iterator[None]:
    """Routes small batched products of PyTorch to kami, inside of a `with`.

    `torch.bmm`, `torch.matmul`, their methods and `@` go to kami where the model
    says that it is faster (`explain`), and are PyTorch's own elsewhere. To be
    entered around a model, not around each of its calls: methods of tensors that
    change make Python look all of them up anew.
    """
    originals = [getattr(owner, name) for owner, name in _PATCHED]
    try:
        for (owner, name), original in zip(_PATCHED, originals, strict=True):
            setattr(owner, name, _route(original))
        yield
    finally:
        for (owner, name), original in zip(_PATCHED, originals, strict=True):
            setattr(owner, name, original)
