# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random shapes, strides and types on a CUDA device, against NumPy in float64.

`pytest python/tests -m gpu`. Few extents, since each set of them is a kernel.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kami

pytestmark = pytest.mark.gpu

Array = np.ndarray[Any, Any]

EXTENTS = [1, 3, 16, 33]


class Torch:
    name = "torch"
    types = ("float16", "float32", "float64")
    # PyTorch has no views with negative strides.
    steps = (1, 1, 2)

    def __init__(self) -> None:
        self.module = pytest.importorskip("torch", reason="PyTorch is not installed")
        if not self.module.cuda.is_available():
            pytest.skip("PyTorch has no CUDA device")

    def upload(self, array: Array) -> Any:
        return self.module.from_numpy(array).cuda()

    def permute(self, array: Any, order: list[int]) -> Any:
        return array.permute(order)

    def download(self, array: Any) -> Array:
        assert isinstance(array, self.module.Tensor)
        found: Array = array.cpu().numpy()
        return found


class CuPy:
    name = "cupy"
    types = ("float16", "float32", "float64")
    steps = (1, 2, -1)

    def __init__(self) -> None:
        self.module = pytest.importorskip("cupy", reason="CuPy is not installed")

    def upload(self, array: Array) -> Any:
        return self.module.asarray(array)

    def permute(self, array: Any, order: list[int]) -> Any:
        return array.transpose(order)

    def download(self, array: Any) -> Array:
        assert isinstance(array, self.module.ndarray)
        found: Array = self.module.asnumpy(array)
        return found


class JAX:
    name = "jax"
    # 64 bits have to be asked for.
    types = ("float16", "float32")
    # XLA makes dense arrays of them.
    steps = (1, 2, -1)

    def __init__(self) -> None:
        self.module = pytest.importorskip("jax", reason="JAX is not installed")
        if self.module.default_backend() != "gpu":
            pytest.skip("JAX has no CUDA device")

    def upload(self, array: Array) -> Any:
        return self.module.numpy.asarray(array)

    def permute(self, array: Any, order: list[int]) -> Any:
        return array.transpose(order)

    def download(self, array: Any) -> Array:
        assert isinstance(array, self.module.Array)
        return np.asarray(array)


@pytest.fixture(scope="module", params=[Torch, CuPy, JAX], ids=lambda kind: kind.name)
def library(request: pytest.FixtureRequest) -> Any:
    return request.param()


def draw_pair(
    draw: Any, library: Any, shape: tuple[int, ...], dtype: str
) -> tuple[Array, Any]:
    """Small integers and, on the device, the same with strides of any kind."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from(library.steps)) for _ in shape]
    stored = [shape[dim] * abs(steps[dim]) for dim in order]
    base = rng.integers(-4, 5, stored).astype(dtype)
    back = np.argsort(order).tolist()
    places = tuple(slice(None, None, step) for step in steps)
    view = library.permute(library.upload(base), back)[places]
    host: Array = base.transpose(back)[places]
    assert tuple(view.shape) == host.shape == shape
    return host, view


@settings(max_examples=30)
@given(data=st.data())
def test_any_shapes_strides_and_types(library: Any, data: Any) -> None:
    draw = data.draw
    dtype = draw(st.sampled_from(library.types))
    m, n, k = (draw(st.sampled_from(EXTENTS)) for _ in range(3))
    batch = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(0, 2)))]
    pairs = []
    for shape in ((m, k), (k, n)):
        own = [draw(st.sampled_from([1, extent])) for extent in batch]
        own = own[draw(st.integers(0, len(own))) :]
        pairs.append(draw_pair(draw, library, (*own, *shape), dtype))
    (a, on_device_a), (b, on_device_b) = pairs
    alpha = draw(st.sampled_from([1, 1, -0.5, 2]))
    keywords = {} if library.name == "jax" else {"specialize": draw(st.booleans())}
    result = kami.gemm(on_device_a, on_device_b, alpha=alpha, **keywords)
    exact = alpha * (a.astype(np.float64) @ b.astype(np.float64))
    # Sums of such numbers are exact, and f16 has room for them.
    assert (library.download(result) == exact).all()


@settings(max_examples=15)
@given(data=st.data())
def test_output_of_any_strides(library: Any, data: Any) -> None:
    if library.name == "jax":
        pytest.skip("JAX's arrays are never written")
    draw = data.draw
    m, n, k = (draw(st.sampled_from(EXTENTS)) for _ in range(3))
    a, on_device_a = draw_pair(draw, library, (2, m, k), "float32")
    b, on_device_b = draw_pair(draw, library, (k, n), "float32")
    before, out = draw_pair(draw, library, (2, m, n), "float32")
    beta = draw(st.sampled_from([0, 1, -0.5]))
    if beta == 0:
        out[...] = math.nan
    result = kami.gemm(on_device_a, on_device_b, out, beta=beta, out=out)
    assert result is out
    exact = a.astype(np.float64) @ b + (beta * before if beta else 0)
    assert (library.download(out) == exact).all()
