# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products against NumPy's in float64, in the simulator."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kami
from kami._grouped import typical_size

Array = np.ndarray[Any, Any]

# Half a unit in the last place of 1, of a result and of a sum.
UNITS = {"float16": 2**-11, "float32": 2**-24, "float64": 2**-53}


def close(result: Array, exact: Array, magnitude: Array, k: int, unit: float) -> bool:
    """Whether errors are those of rounding the result and its sum's parts."""
    sums = UNITS["float64"] if result.dtype == np.float64 else UNITS["float32"]
    bound = unit + 4 * (1 + math.sqrt(k)) * sums
    tiny = float(np.finfo(result.dtype).smallest_subnormal)
    return bool((np.abs(result - exact) <= bound * magnitude + tiny).all())


def check(result: Array, a: Array, b: Array, scale: float = 1) -> None:
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    exact = scale * (wide_a @ wide_b)
    magnitude = abs(scale) * (np.abs(wide_a) @ np.abs(wide_b))
    assert result.shape == exact.shape
    assert close(result, exact, magnitude, a.shape[-1], UNITS[result.dtype.name])


def draw_array(draw: Any, rng: Any, shape: tuple[int, ...], dtype: Any) -> Array:
    """Random numbers with any strides: gaps, reversed and swapped dimensions."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 2, -1])) for _ in shape]
    stored = [shape[dim] * abs(steps[dim]) for dim in order]
    array = rng.uniform(-1, 1, stored).astype(dtype)
    array = array.transpose(np.argsort(order))
    view: Array = array[tuple(slice(None, None, step) for step in steps)]
    assert view.shape == shape
    return view


@st.composite
def products(draw: Any) -> tuple[Array, Array, dict[str, Any]]:
    dtype = draw(st.sampled_from([np.float16, np.float32, np.float64]))
    m, n, k = (draw(st.integers(0, 20)) for _ in range(3))
    rank = draw(st.integers(0, 2))
    batch = [draw(st.integers(1, 3)) for _ in range(rank)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    arrays = []
    for shape in ((m, k), (k, n)):
        own = [draw(st.sampled_from([1, extent])) for extent in batch]
        own = own[draw(st.integers(0, rank)) :]
        arrays.append(draw_array(draw, rng, (*own, *shape), dtype))
    scale = draw(st.sampled_from([1, 1, -0.5, 2]))
    keywords = {"alpha": scale, "specialize": draw(st.booleans())}
    return arrays[0], arrays[1], keywords


@settings(max_examples=400)
@given(products())
def test_any_shapes_strides_and_types(
    case: tuple[Array, Array, dict[str, Any]],
) -> None:
    a, b, keywords = case
    check(kami.gemm(a, b, **keywords), a, b, keywords["alpha"])


@settings(max_examples=100)
@given(st.data())
def test_output_of_any_strides(data: Any) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    m, n, k = (data.draw(st.integers(1, 18)) for _ in range(3))
    a, b = rng.uniform(-1, 1, (2, m, k)), rng.uniform(-1, 1, (k, n))
    storage = draw_array(data.draw, rng, (2, m, n), np.float64)
    before = storage.copy()
    beta = data.draw(st.sampled_from([0, 1, -0.25]))
    if beta == 0:
        storage[...] = np.nan
    result = kami.gemm(a, b, storage, beta=beta, out=storage)
    assert result is storage
    exact = a @ b + (beta * before if beta else 0)
    assert np.allclose(storage, exact, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("specialize", [True, False])
@pytest.mark.parametrize("step", [1, 2, -1, -3])
@pytest.mark.parametrize("first", [0, 1, 6])
def test_rows_begin_anywhere(first: int, step: int, specialize: bool) -> None:
    """Between multiples of 16 bytes, and before the first one in memory."""
    rng = np.random.default_rng(first)
    storage = rng.uniform(-1, 1, (90, 51)).astype(np.float16)
    a = storage[:39:step, first : first + 41]
    b = storage[40:81, first : first + 29]
    check(kami.gemm(a, b, specialize=specialize), a, b, 1)


def test_only_the_output_is_written() -> None:
    base = np.full((6, 12), 7.0, np.float32)
    out = base[::2, 1:9:2]
    a = np.ones((3, 5), np.float32)
    kami.gemm(a, np.ones((5, 4), np.float32), out=out)
    expected = np.full((6, 12), 7.0, np.float32)
    expected[::2, 1:9:2] = 5
    assert (base == expected).all()


def test_transposes_are_views_of_the_same() -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(-4, 5, (2, 9, 17)).astype(np.float16)
    b = rng.integers(-4, 5, (2, 17, 6)).astype(np.float16)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    stored_a = np.ascontiguousarray(a.swapaxes(1, 2))
    stored_b = np.ascontiguousarray(b.swapaxes(1, 2))
    assert (kami.gemm(stored_a, b, trans_a=True) == exact).all()
    assert (kami.gemm(a, stored_b, trans_b=True) == exact).all()
    assert (kami.gemm(stored_a.swapaxes(1, 2), stored_b.swapaxes(1, 2)) == exact).all()


@pytest.mark.parametrize(
    "types", [("int8", "int8"), ("uint8", "int8"), ("uint8", "uint8")]
)
def test_integers_are_exact(types: tuple[str, str]) -> None:
    rng = np.random.default_rng(2)
    limits = [np.iinfo(name) for name in types]
    a = rng.integers(limits[0].min, limits[0].max, (11, 37), types[0], endpoint=True)
    b = rng.integers(limits[1].min, limits[1].max, (37, 13), types[1], endpoint=True)
    result = kami.gemm(a, b, alpha=-2)
    assert result.dtype == np.int32
    assert (result == -2 * (a.astype(np.int64) @ b.astype(np.int64))).all()


def test_complex_numbers() -> None:
    rng = np.random.default_rng(3)
    parts = rng.integers(-4, 5, (4, 9, 9))
    a = (parts[0] + 1j * parts[1]).astype(np.complex64)
    b = (parts[2] + 1j * parts[3]).astype(np.complex64)
    assert (kami.gemm(a, b) == a @ b).all()


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize(
    ("alpha", "beta"), [(2, 0), (2 - 3j, 0), (0.5, 3), (np.complex64(1 + 2j), -2 + 1j)]
)
def test_complex_scales(dtype: Any, alpha: Any, beta: Any) -> None:
    rng = np.random.default_rng(9)

    def numbers(*shape: int) -> Any:
        parts = rng.integers(-4, 5, (2, *shape))
        return (parts[0] + 1j * parts[1]).astype(dtype)

    a, b, c = numbers(3, 9, 5), numbers(11, 9), numbers(3, 5, 11)
    result = kami.gemm(a, b, c, alpha=alpha, beta=beta, trans_a=True, trans_b=True)
    assert result.dtype == dtype
    assert (result == alpha * (np.swapaxes(a, 1, 2) @ b.T) + beta * c).all()
    # No terms.
    result = kami.gemm(a[:, :0], b[:, :0], c, alpha=alpha, beta=beta, trans_a=True,
                       trans_b=True)  # fmt: skip
    assert (result == beta * c).all()


def test_scales_of_real_numbers() -> None:
    a, b = np.ones((2, 3, 3), np.float32)
    assert (kami.gemm(a, b, b, alpha=np.float32(2), beta=np.int64(3)) == 9).all()
    [grouped] = kami.grouped_gemm([a], [b], alpha=np.float32(2))
    assert (grouped == 6).all()
    for scale in (1j, np.complex64(1)):
        with pytest.raises(TypeError, match="alpha: expected a real number"):
            kami.gemm(a, b, alpha=scale)
        with pytest.raises(TypeError, match="alpha: expected a real number"):
            kami.grouped_gemm([a], [b], alpha=scale)
    out = np.zeros_like(a)
    with pytest.raises(TypeError, match="beta: expected a real number"):
        kami.gemm(a, b, b, beta=1j, out=out)
    assert (out == 0).all()


def test_compiled_complex_scales() -> None:
    kernel = kami.compile(2, 2, 2, np.complex64, alpha=True, beta=True)
    a = np.array([[1, 2j], [3, -1j]], np.complex64)
    c = np.eye(2, dtype=np.complex64)
    kernel(a, a, c, 2.0, 3.0, 0.0, -1.0)
    assert (c == (2 + 3j) * (a @ a) - 1j * np.eye(2)).all()


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_types_of_ml_dtypes(name: str) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, name))
    rng = np.random.default_rng(4)
    a = rng.integers(-4, 5, (8, 16)).astype(dtype)
    b = rng.integers(-4, 5, (16, 8)).astype(dtype)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    result = kami.gemm(a, b, out_dtype=np.float32)
    assert (result == exact).all()


def test_precision() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.uniform(-1, 1, (2, 24, 24)).astype(np.float32)
    exact = a.astype(np.float64) @ b
    errors = {
        name: np.abs(kami.gemm(a, b, precision=name) - exact).max()
        for name in ("exact", "tf32", "tf32x3")
    }
    assert errors["exact"] < 1e-5 < errors["tf32"] < 1e-2
    assert errors["tf32x3"] < 1e-5
    [grouped] = kami.grouped_gemm([a], [b], precision="tf32")
    assert 1e-5 < np.abs(grouped - exact).max() < 1e-2


def test_rounding_to_tf32(to_tf32: tuple[Array, Array]) -> None:
    x, rounded = to_tf32
    one = np.eye(64, dtype=np.float32)
    assert (kami.gemm(x, one, precision="tf32") == rounded).all()
    assert (kami.gemm(one, x, precision="tf32") == rounded).all()
    bits = [0, 0x7F7FFFFF, 0xFF7FF000, 0x7F800000, 0xFF800000]
    nans = [0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00000, 0x7F800001]
    column = np.array([bits + nans], np.uint32).view(np.float32).T
    inf = np.float32(np.inf)
    result = kami.gemm(column, one[:1, :1], precision="tf32")[:, 0]
    assert (result[:5] == [0, inf, -inf, inf, -inf]).all()
    assert np.isnan(result[5:]).all()


def erf(x: Array) -> Array:
    values: Array = np.vectorize(math.erf, otypes=[np.float64])(x)
    return values


ACTIVATIONS = {
    None: lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x / 2 * (1 + erf(x / math.sqrt(2))),
    "silu": lambda x: x / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_epilogues(activation: str | None, dtype: Any) -> None:
    rng = np.random.default_rng(6)
    a, b = (rng.uniform(-1, 1, s).astype(dtype) for s in ((2, 5, 7), (7, 9)))
    scale = rng.uniform(0, 1, 5).astype(dtype)
    bias = rng.uniform(-1, 1, 18).astype(dtype)[::2]
    residual = rng.uniform(-1, 1, (2, 1, 9)).astype(dtype)
    epilogue = kami.Epilogue(scale, bias, residual, activation)
    result = kami.gemm(a, b, alpha=0.5, epilogue=epilogue)
    wide = [x.astype(np.float64) for x in (a, b, scale, bias, residual)]
    exact = 0.5 * (wide[0] @ wide[1]) * wide[2][:, None] + wide[3] + wide[4]
    tolerance = 8 * UNITS[np.dtype(dtype).name] * 8
    assert np.abs(result - ACTIVATIONS[activation](exact)).max() < tolerance


def test_plans_are_obeyed() -> None:
    a = np.ones((64, 64), np.float16)
    plan = kami.plan(64, 64, 64, np.float16)
    fitting = [c for c in plan.candidates if c.fits]
    one, other = fitting[0], next(c for c in fitting if c.figures["warps"] == 4)
    for candidate in (one, other):
        outcome = kami.simulate(a, a, plan=candidate, out_dtype=np.float32)
        assert (outcome.result == 64).all()
    assert kami.simulate(a, a, warps=4, algorithm="2d").barriers > 0


def test_typical_sizes_say_whether_rows_are_aligned() -> None:
    assert typical_size([(64, 96, 16), (64, 160, 32)]) == (64, 128, 32)
    assert typical_size([(64, 96, 17), (64, 160, 32)]) == (65, 129, 33)


def test_few_large_products_are_what_many_small_ones_are_planned_for() -> None:
    assert typical_size([(5, 9, 2)] * 1000) == (9, 9, 9)
    assert typical_size([(5, 9, 2)] * 1000 + [(40, 300, 2000)]) == (9, 65, 513)
    assert typical_size([]) == (8, 8, 8)


def test_small_products_are_half_of_the_largest_at_most() -> None:
    assert typical_size([(16, 16, 16)] * 5) == (8, 8, 16)
    assert typical_size([(16, 32, 16), (32, 32, 32)]) == (16, 16, 32)
    assert typical_size([(64, 48, 64)]) == (32, 32, 64)
    assert typical_size([(33, 64, 7)]) == (33, 33, 9)
    assert typical_size([(64, 80, 64)]) == (64, 64, 64)


def test_grouped_products() -> None:
    rng = np.random.default_rng(7)
    shapes = [(3, 4, 6), (5, 0, 2), (17, 20, 0), (1, 1, 3), (33, 18, 9)]
    a = [rng.integers(-4, 5, (m, k)).astype(np.float32) for m, k, _ in shapes]
    b = [rng.integers(-4, 5, (k, n)).astype(np.float32) for _, k, n in shapes]
    c = [np.full((m, n), 2, np.float32) for m, _, n in shapes]
    for taken in (None, 1):
        results = kami.grouped_gemm(a, b, c, alpha=2, beta=-1, taken=taken)
        for x, y, result in zip(a, b, results, strict=True):
            assert (result == 2 * (x @ y) - 2).all()
    with pytest.raises(ValueError, match=r"^b\[1\]: expected extent 0 along k"):
        kami.grouped_gemm(a, [b[0], b[0], *b[2:]])


def test_batches_share_a_kernel() -> None:
    from kami import _kernels

    k = np.ones((23, 3), np.float32)
    kami.bmm(np.ones((2, 5, 23), np.float32), k)
    known = len(_kernels._programs)
    for batch in (3, 4):
        kami.bmm(np.ones((batch, 5, 23), np.float32), k)
    assert len(_kernels._programs) == known
    # Of the next magnitude.
    for batch in (5, 7, 8):
        kami.bmm(np.ones((batch, 5, 23), np.float32), k)
    assert len(_kernels._programs) == known + 1


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(17, 24, 33), (64, 72, 96), (40, 33, 130)])
@pytest.mark.parametrize("specialize", [True, False])
def test_bits_do_not_depend_on_the_batch(
    dtype: str, shape: tuple[int, int, int], specialize: bool
) -> None:
    """Although plans do, of kernels for one size."""
    rng = np.random.default_rng(12)
    m, n, k = shape
    a = rng.uniform(-1, 1, (65, m, k)).astype(dtype)
    b = rng.uniform(-1, 1, (65, k, n)).astype(dtype)
    all_of_them = kami.gemm(a, b, specialize=specialize)
    for count in (1, 4, 5, 20):
        some = kami.gemm(a[:count], b[:count], specialize=specialize)
        assert (some == all_of_them[:count]).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
def test_sizes_share_kernels(dtype: str) -> None:
    from kami import _kernels

    rng = np.random.default_rng(9)
    known = len(_kernels._programs)
    for _ in range(12):
        m, n, k = rng.integers(1, 40, 3)
        a = rng.integers(-4, 5, (m, k)).astype(dtype)
        b = rng.integers(-4, 5, (k, n)).astype(dtype)
        result = kami.gemm(a, b, specialize=False)
        assert (result == a.astype(np.float64) @ b.astype(np.float64)).all()
    # A tile has one of three sides along m and n, one of two along k; rows of few
    # shapes are all aligned.
    assert len(_kernels._programs) - known <= 18


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("trans_b", [False, True])
@pytest.mark.parametrize("kind", ["float16", "tf32", "float64"])
def test_shared_kernels_of_aligned_rows(kind: str, trans_b: bool, step: int) -> None:
    """By the copy engine where tiles are large; rows and products with gaps."""
    rng = np.random.default_rng(10)
    dtype = "float32" if kind == "tf32" else kind
    precision = "tf32" if kind == "tf32" else "exact"
    for batch, m, n, k in (
        (3, 136, 144, 40), (1, 8, 264, 8), (7, 72, 16, 200), (2, 40, 56, 64),
        (1, 96, 80, 72), (2, 0, 8, 8), (0, 8, 8, 8), (2, 8, 8, 0),
    ):  # fmt: skip
        a = rng.integers(-3, 4, (batch * step, m, k + 16)).astype(dtype)[::step, :, :k]
        shape = (batch, n * step, k) if trans_b else (batch, k * step, n)
        b = rng.integers(-3, 4, shape).astype(dtype)[:, ::step]
        out = np.full((batch, m, n), np.nan, dtype)
        result = kami.gemm(
            a, b, out=out, trans_b=trans_b, precision=precision, specialize=False
        )
        wide = b.swapaxes(1, 2) if trans_b else b
        assert (result == a.astype(float) @ wide.astype(float)).all()


def test_rows_that_are_promised_to_be_aligned() -> None:
    from kami import _product

    a = np.ones((2, 16, 32), np.float16)
    kami.gemm(a, a.swapaxes(1, 2), specialize=False)
    program = list(_product._bound.values())[-1].program
    assert "aligned_rows" in program.code("planned")
    kernel = kami.compile(
        None, None, None, "f16", batch=True, alignment=16, aligned_rows=True
    )
    c = np.zeros((2, 16, 8), np.float16)
    b = np.ones((2, 32, 8), np.float16)
    kernel(a, b, c)
    assert (c == 32).all()
    with pytest.raises(ValueError, match="multiples of 16 bytes, but got stride 12"):
        kernel(a[:, :, :12].copy(), b[:, :12].copy(), c)
    with pytest.raises(ValueError, match="expected alignment of 16 or more"):
        kami.compile(16, 16, 16, "f16", aligned_rows=True)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_shared_kernels_read_backwards(dtype: Any) -> None:
    base = np.random.default_rng(7).integers(-4, 5, (40, 42)).astype(dtype)
    for a, b in (
        (base[:1, :9], base[:2, :9].T[:, ::-1]),
        (base[:20:-1, 3:20], base[2:19, 30::-2]),
        (base[::-1, ::-1], base[::-1].T[1:41, :17]),
    ):
        b = b[: a.shape[1]]
        a = a[:, : b.shape[0]]
        result = kami.gemm(
            a, b, specialize=False, out_dtype=np.promote_types(dtype, "f4")
        )
        assert (result == a.astype(float) @ b.astype(float)).all()


def test_threads() -> None:
    rng = np.random.default_rng(8)
    a = rng.integers(-4, 5, (6, 9, 10)).astype(np.float32)
    b = rng.integers(-4, 5, (6, 10, 11)).astype(np.float32)
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(5):
            x, y = a[: 1 + number % 6], b[: 1 + number % 6]
            if (kami.gemm(x, y) != x @ y).any():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(("n", "dtype"), [(33, "float32"), (16, "float16")])
def test_one_product_has_the_bits_of_many(n: int, dtype: str) -> None:
    """A batch of one is planned as a batch, whatever its stride says."""
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal((3, n, n)).astype(dtype) for _ in range(2))
    many = kami.bmm(a, b)
    for product in range(3):
        part = slice(product, product + 1)
        assert np.array_equal(kami.bmm(a[part], b[part]), many[part])
    # What has no batch dimension is everybody's.
    shared = kami.gemm(a, b[0])
    assert np.array_equal(kami.gemm(a[:1], b[0]), shared[:1])
