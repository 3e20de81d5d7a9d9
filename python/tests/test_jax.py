# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kami's operator in JAX, on JAX's first device: a CUDA device, or the CPU.

On the CPU the simulator multiplies.
"""

from __future__ import annotations

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


def test_complex_numbers() -> None:
    a = integers(3, 4) + 1j * integers(4, 3).T
    b = integers(4, 5) - 1j * integers(5, 4).T
    assert (kami.gemm(a, b) == a @ b).all()
    found = jax.grad(lambda x: kami.gemm(x, b).sum().real)(a)
    assert (found == jax.grad(lambda x: (x @ b).sum().real)(a)).all()


def test_empty_products() -> None:
    assert kami.gemm(jnp.ones((0, 3)), jnp.ones((3, 2))).shape == (0, 2)
    assert (kami.gemm(jnp.ones((2, 0)), jnp.ones((0, 3))) == jnp.zeros((2, 3))).all()


def test_errors() -> None:
    a = integers(3, 4)
    with pytest.raises(ValueError, match="b: expected extent 4 along k"):
        jax.jit(kami.gemm)(a, a)
    with pytest.raises(ValueError, match="operators take alpha, transposes and"):
        kami.gemm(a, a.T, epilogue="relu")
    with pytest.raises(TypeError, match="out: expected None"):
        kami.gemm(a, a.T, out=jnp.zeros((3, 3)))


def test_exceptions_of_a_launch_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """As XLA's error, which leaves the process usable."""
    from kami import _product

    def fail(call: Any) -> Any:
        raise kami.DeviceError("no more memory")

    a = integers(7, 4)
    with monkeypatch.context() as patch:
        patch.setattr(_product, "_bind", fail)
        with pytest.raises(jax.errors.JaxRuntimeError, match="no more memory"):
            kami.gemm(a, a.T).block_until_ready()
    assert (kami.gemm(a, a.T) == a @ a.T).all()
