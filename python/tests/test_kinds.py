# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results are of the caller's kind, also of libraries that kami does not know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import toy

import kami

RNG = np.random.default_rng(0)


def integers(*shape: int) -> Any:
    return RNG.integers(-4, 5, shape).astype(np.float32)


@pytest.mark.parametrize("kind", [toy.Array, toy.Standard])
def test_products(kind: Any) -> None:
    x, y, z = integers(3, 4, 5), integers(5, 6), integers(3, 4, 6)
    a, b, c = kind(x), kind(y), kind(z)
    result = kami.gemm(a, b, c, alpha=2, beta=-1)
    assert type(result) is kind
    assert (result.values == 2 * x @ y - z).all()
    assert (c.values == z).all()
    batched = kami.bmm(a, b, epilogue=kami.Epilogue(residual=c, activation="relu"))
    assert type(batched) is kind
    assert (batched.values == np.maximum(x @ y + z, 0)).all()
    simulated = kami.simulate(a, y).result
    assert type(simulated) is kind
    assert (simulated.values == x @ y).all()


@pytest.mark.parametrize("kind", [toy.Array, toy.Standard, toy.Stranger])
def test_outputs_are_written(kind: Any) -> None:
    x, y = integers(4, 5), integers(5, 6)
    out = kind(np.zeros((4, 6), np.float32))
    assert kami.gemm(kind(x), kind(y), out=out) is out
    assert (out.values == x @ y).all()
    assert kami.gemm(kind(x), kind(y), out, beta=1, out=out) is out
    assert (out.values == 2 * x @ y).all()
    [found] = kami.grouped_gemm([kind(x)], [kind(y)], out=[out])
    assert found is out
    assert (out.values == x @ y).all()


@pytest.mark.parametrize("kind", [toy.Array, toy.Standard])
def test_grouped_products(kind: Any) -> None:
    x, y = integers(4, 5), integers(5, 6)
    results = kami.grouped_gemm([kind(x), kind(y.T)], [kind(y), kind(x.T)])
    assert [type(result) for result in results] == [kind, kind]
    assert (results[0].values == x @ y).all()
    assert (results[1].values == (x @ y).T).all()


SUM = """
func.func @f(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>) -> tensor<4x6xf32> {
  %empty = tensor.empty() : tensor<4x6xf32>
  %zero = arith.constant 0.0 : f32
  %clear = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x6xf32>)
      -> tensor<4x6xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>)
      outs(%clear : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}
"""


def test_kernels() -> None:
    kernel = kami.from_mlir(SUM)
    x, y = integers(4, 5), integers(5, 6)
    for kind in (toy.Array, toy.Standard):
        result = kernel(kind(x), kind(y))
        assert type(result) is kind
        assert (result.values == x @ y).all()
    assert type(kernel(x, y)) is np.ndarray
    with pytest.raises(TypeError, match="out: expected an array to write to, since"):
        kernel(toy.Stranger(x), toy.Stranger(y))


def test_kernels_of_other_libraries() -> None:
    kernel = kami.from_mlir(SUM)
    x, y = integers(4, 5), integers(5, 6)
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    if jax.default_backend() == "cpu":
        result = kernel(jax.numpy.asarray(x), jax.numpy.asarray(y))
        assert isinstance(result, jax.Array)
        assert (result == x @ y).all()


def test_strangers_need_an_output() -> None:
    a = toy.Stranger(integers(4, 4))
    message = r"out: expected an array to write to, since neither __array_namespace__"
    for call in (
        lambda: kami.gemm(a, a),
        lambda: kami.grouped_gemm([a], [a]),
        lambda: kami.simulate(a, a),
    ):
        with pytest.raises(TypeError, match=message):
            call()


def test_outputs_that_may_not_be_written() -> None:
    a, out = integers(4, 4), np.zeros((4, 4), np.float32)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out: expected an array that may be written"):
        kami.gemm(a, a, out=out)
    with pytest.raises(ValueError, match=r"out\[0\]: expected an array that may be"):
        kami.grouped_gemm([a], [a], out=[out])
