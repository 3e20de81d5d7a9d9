# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kami's operator in JAX, on JAX's first device: a CUDA device, or the CPU.

On the CPU the simulator multiplies.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import kami

jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax.numpy as jnp  # noqa: E402


def integers(*shape: int, dtype: Any = "float32") -> Any:
    """Small ones, whose sums are exact in every type."""
    rng = np.random.default_rng(sum(shape))
    return jnp.asarray(rng.integers(-4, 5, shape), dtype)


def exact(a: Any, b: Any) -> Any:
    return np.asarray(a, np.float64) @ np.asarray(b, np.float64)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int8"])
def test_arrays_of_the_callers_kind(dtype: str) -> None:
    a, b = integers(3, 1, 5, 9, dtype=dtype), integers(2, 9, 4, dtype=dtype)
    result = kami.gemm(a, b, alpha=2)
    assert isinstance(result, jax.Array)
    assert result.devices() == a.devices()
    assert result.dtype == ("int32" if dtype == "int8" else dtype)
    assert (np.asarray(result, np.float64) == 2 * exact(a, b)).all()


@pytest.mark.parametrize(
    "trans", [(False, False), (True, False), (False, True), (True, True)]
)
def test_gradients_under_jit(trans: tuple[bool, bool]) -> None:
    a = integers(2, 4, 3) if trans[0] else integers(2, 3, 4)
    b = integers(5, 4) if trans[1] else integers(4, 5)
    weight = integers(2, 3, 5)

    def mine(x: Any, y: Any) -> Any:
        product = kami.gemm(x, y, alpha=-2, trans_a=trans[0], trans_b=trans[1])
        return (product * weight).sum()

    def theirs(x: Any, y: Any) -> Any:
        x, y = x.mT if trans[0] else x, y.mT if trans[1] else y
        return (-2 * (x @ y) * weight).sum()

    found = jax.jit(jax.value_and_grad(mine, (0, 1)))(a, b)
    expected = jax.value_and_grad(theirs, (0, 1))(a, b)
    for one, other in zip(*map(jax.tree.leaves, (found, expected)), strict=True):
        assert (one == other).all()


def test_second_derivatives() -> None:
    a = integers(3, 3)

    def cube(x: Any) -> Any:
        return kami.gemm(kami.gemm(x, x), x).sum()

    def slope(x: Any) -> Any:
        return (jax.grad(cube)(x) * a).sum()

    step = jnp.zeros((3, 3)).at[1, 2].set(1)
    # The slope is a polynomial of degree 2, of which this is the derivative.
    expected = (slope(a + step) - slope(a - step)) / 2
    assert jax.grad(slope)(a)[1, 2] == expected


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0), (1, 2)])
def test_vmap(axes: tuple[Any, Any]) -> None:
    """Also of arrays whose own batches differ in rank."""
    a, b = integers(6, 6, 5, 8), integers(8, 4, 6)
    if axes[0] is None:
        a = a[0]
    if axes[1] == 0:
        b = b.transpose(2, 0, 1)
    elif axes[1] is None:
        b = b[..., 0]
    found = jax.jit(jax.vmap(kami.gemm, axes))(a, b)
    expected = jax.vmap(jnp.matmul, axes)(a, b)
    assert found.shape == expected.shape
    assert (found == expected).all()


def everything(**others: Any) -> tuple[dict[str, Any], Any]:
    """Arrays of a product with all that an epilogue has, and the same by JAX alone."""
    arrays = dict(
        a=integers(2, 3, 4), b=integers(4, 5), c=integers(2, 3, 5) / 2,
        row_scale=integers(3), bias=integers(5), residual=integers(3, 5),
    )  # fmt: skip

    def theirs(a: Any, b: Any, c: Any, row_scale: Any, bias: Any, residual: Any) -> Any:
        sums = (2 * (a @ b) - 0.5 * c) * row_scale[:, None] + bias + residual
        return {
            "relu": jax.nn.relu,
            "silu": jax.nn.silu,
            "gelu": lambda x: jax.nn.gelu(x, approximate=False),
        }.get(others.get("activation", ""), lambda x: x)(sums)

    return arrays, theirs


def mine(
    activation: str | None, a: Any, b: Any, c: Any, row_scale: Any, bias: Any,
    residual: Any,
) -> Any:  # fmt: skip
    epilogue = kami.Epilogue(row_scale, bias, residual, activation)
    return kami.gemm(a, b, c, alpha=2, beta=-0.5, epilogue=epilogue)


@pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu"])
def test_epilogues_and_their_gradients(activation: str | None) -> None:
    arrays, theirs = everything(activation=activation)
    values = tuple(arrays.values())
    found = jax.jit(functools.partial(mine, activation))(*values)
    assert jnp.allclose(found, theirs(*values), rtol=1e-5, atol=1e-5)
    assert (arrays["c"] == integers(2, 3, 5) / 2).all()
    weight = integers(2, 3, 5)
    places = tuple(range(6))
    gradients = [
        jax.jit(jax.grad(lambda *x, f=f: (f(*x) * weight).sum(), places))(*values)
        for f in (functools.partial(mine, activation), theirs)
    ]
    for one, other in zip(*gradients, strict=True):
        assert one.shape == other.shape
        assert jnp.allclose(one, other, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("batched", ["a", "b", "c", "row_scale", "bias", "residual"])
def test_vmap_of_epilogues(batched: str) -> None:
    """Of each array alone, and of a second dimension that all have."""
    arrays, theirs = everything()
    axes = tuple(0 if name == batched else None for name in arrays)
    values = tuple(
        jnp.stack([x, 2 * x, -x]) if axis == 0 else x
        for x, axis in zip(arrays.values(), axes, strict=True)
    )
    found = jax.vmap(functools.partial(mine, None), axes)(*values)
    assert (found == jax.vmap(theirs, axes)(*values)).all()
    again = tuple(jnp.stack([x, x + 1]) for x in values)
    found = jax.vmap(jax.vmap(functools.partial(mine, None), axes))(*again)
    assert (found == jax.vmap(jax.vmap(theirs, axes))(*again)).all()


def test_types_and_plans() -> None:
    a, b = integers(5, 8, dtype="float16"), integers(8, 3, dtype="float16")
    wide = kami.gemm(a, b, out_dtype="f32", accumulator="f32", tile="16x16x16")
    assert wide.dtype == "float32"
    assert (wide == exact(a, b)).all()
    x = integers(8, 8) * 1.0001
    near = kami.gemm(x, x, precision="tf32")
    assert 0 < abs(np.asarray(near, np.float64) - exact(x, x)).max() < 0.5
    whole = kami.gemm(
        integers(3, 4, dtype="int8"), integers(4, 5, dtype="int8"), epilogue="relu"
    )
    product = exact(integers(3, 4), integers(4, 5))
    assert (np.asarray(whole) == np.maximum(product, 0)).all()


SIZES = [(3, 4, 8), (1, 1, 1), (6, 2, 3), (0, 4, 4), (5, 2, 0)]


def matrices(shapes: list[tuple[int, int]]) -> list[Any]:
    return [integers(*shape) for shape in shapes]


@pytest.mark.parametrize(
    "trans", [(False, False), (True, False), (False, True), (True, True)]
)
def test_grouped_products(trans: tuple[bool, bool]) -> None:
    a = matrices([(k, m) if trans[0] else (m, k) for m, _, k in SIZES])
    b = matrices([(n, k) if trans[1] else (k, n) for _, n, k in SIZES])
    c = matrices([(m, n) for m, n, _ in SIZES])

    def mine(a: Any, b: Any, c: Any) -> Any:
        return kami.grouped_gemm(
            a, b, c, alpha=2, beta=-1, trans_a=trans[0], trans_b=trans[1]
        )

    def theirs(a: Any, b: Any, c: Any) -> Any:
        return [
            2 * (x.T if trans[0] else x) @ (y.T if trans[1] else y) - z
            for x, y, z in zip(a, b, c, strict=True)
        ]

    found, expected = jax.jit(mine)(a, b, c), theirs(a, b, c)
    assert isinstance(found, list)
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one, jax.Array)
        assert one.shape == other.shape
        assert (one == other).all()

    def loss(multiply: Any) -> Any:
        return lambda *x: sum((y * y).sum() for y in multiply(*x))

    gradients = [jax.jit(jax.grad(loss(f), (0, 1, 2)))(a, b, c) for f in (mine, theirs)]
    for one, other in zip(*map(jax.tree.leaves, gradients), strict=True):
        assert (one == other).all()


def test_vmap_of_grouped_products() -> None:
    """Of some arrays only, and twice."""
    a, b = matrices([(3, 4), (2, 5), (6, 3)]), matrices([(4, 2), (5, 7), (3, 3)])
    axes = [0, None, None], [None, 1, None]

    def stacked(x: Any, axis: Any) -> Any:
        return x if axis is None else jnp.stack([x, 2 * x, -x], axis)

    many_a, many_b = (
        [stacked(x, axis) for x, axis in zip(arrays, own, strict=True)]
        for arrays, own in zip((a, b), axes, strict=True)
    )

    def theirs(a: Any, b: Any) -> Any:
        return [x @ y for x, y in zip(a, b, strict=True)]

    found = jax.vmap(kami.grouped_gemm, axes)(many_a, many_b)
    expected = jax.vmap(theirs, axes)(many_a, many_b)
    for one, other in zip(found, expected, strict=True):
        assert (one == other).all()
    twice = [jnp.stack([x, -x]) for x in many_a]
    found = jax.vmap(jax.vmap(kami.grouped_gemm, axes), (0, None))(twice, many_b)
    expected = jax.vmap(jax.vmap(theirs, axes), (0, None))(twice, many_b)
    for one, other in zip(found, expected, strict=True):
        assert (one == other).all()

    def loss(multiply: Any) -> Any:
        vmapped = jax.vmap(multiply, axes)
        return lambda *x: sum((y * y).sum() for y in vmapped(*x))

    gradients = [
        jax.grad(loss(f), (0, 1))(many_a, many_b) for f in (kami.grouped_gemm, theirs)
    ]
    for one, other in zip(*map(jax.tree.leaves, gradients), strict=True):
        assert (one == other).all()


def test_types_of_grouped_products() -> None:
    a, b = [integers(3, 4, dtype="int8")], [integers(4, 5, dtype="int8")]
    [whole] = kami.grouped_gemm(a, b)
    assert whole.dtype == "int32"
    assert (np.asarray(whole) == exact(a[0], b[0])).all()
    [wide] = kami.grouped_gemm(
        [integers(3, 4, dtype="float16")], [integers(4, 5, dtype="float16")],
        out_dtype="f32",
    )  # fmt: skip
    assert wide.dtype == "float32"
    assert (np.asarray(wide) == exact(a[0], b[0])).all()


def test_complex_numbers() -> None:
    a = integers(3, 4) + 1j * integers(4, 3).T
    b = integers(4, 5) - 1j * integers(5, 4).T
    assert (kami.gemm(a, b) == a @ b).all()
    c = kami.gemm(a, b, a[:, :1] * b[:1], alpha=2, beta=-1)
    assert (c == 2 * (a @ b) - a[:, :1] * b[:1]).all()
    with pytest.raises(TypeError, match="alpha: expected a real number"):
        kami.gemm(a, b, alpha=1j)
    found = jax.grad(lambda x: kami.gemm(x, b).sum().real)(a)
    assert (found == jax.grad(lambda x: (x @ b).sum().real)(a)).all()


def test_empty_products() -> None:
    assert kami.gemm(jnp.ones((0, 3)), jnp.ones((3, 2))).shape == (0, 2)
    assert (kami.gemm(jnp.ones((2, 0)), jnp.ones((0, 3))) == jnp.zeros((2, 3))).all()


def test_errors() -> None:
    a = integers(3, 4)
    with pytest.raises(ValueError, match="b: expected extent 4 along k"):
        jax.jit(kami.gemm)(a, a)
    with pytest.raises(ValueError, match="c: expected an array where beta is not 0"):
        kami.gemm(a, a.T, beta=1)
    with pytest.raises(TypeError, match="c: expected elements of type f32"):
        kami.gemm(a, a.T, jnp.ones((3, 3), "float16"), beta=1)
    with pytest.raises(ValueError, match=r"bias: expected a shape that broadcasts to"):
        kami.gemm(a, a.T, epilogue=kami.Epilogue(bias=jnp.ones(2)))
    with pytest.raises(TypeError, match="alpha: expected a number"):
        jax.jit(lambda x: kami.gemm(a, a.T, alpha=x))(2.0)
    with pytest.raises(TypeError, match="warp: expected one of algorithm"):
        kami.gemm(a, a.T, warp=2)
    with pytest.raises(ValueError, match=r"b\[1\]: expected extent 4 along k"):
        kami.grouped_gemm([a, a], [a.T, a])
    with pytest.raises(TypeError, match=r"a\[1\]: expected the type of a\[0\], f32"):
        kami.grouped_gemm([a, a.astype("int8")], [a.T, a.T])
    with pytest.raises(ValueError, match=r"c\[0\]: expected shape \(3, 3\) of f32"):
        kami.grouped_gemm([a], [a.T], [a], beta=1)
    with pytest.raises(TypeError, match="out: expected None"):
        kami.gemm(a, a.T, out=jnp.zeros((3, 3)))


def test_exceptions_of_a_launch_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """As XLA's error, which leaves the process usable."""
    from kami import _product

    def fail(*_: Any) -> Any:
        raise kami.DeviceError("no more memory")

    a = integers(7, 4)
    with monkeypatch.context() as patch:
        patch.setattr(_product, "_bind", fail)
        with pytest.raises(jax.errors.JaxRuntimeError, match="no more memory"):
            kami.gemm(a, a.T).block_until_ready()
    assert (kami.gemm(a, a.T) == a @ a.T).all()
