# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors name the argument, what was expected and what came."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import kami
from kami._arrays import View
from kami._overlap import lie_apart, sharing

A = np.ones((4, 6), np.float32)
B = np.ones((6, 5), np.float32)
WHOLE = np.ones((7, 6), np.float32)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: kami.gemm([1], B), TypeError, "a: expected an array of NumPy"),
        (lambda: kami.gemm(A[0], B), ValueError, "a: expected at least two dimensions"),
        (lambda: kami.gemm(A, B.T), ValueError, "b: expected extent 6 along k"),
        (
            lambda: kami.gemm(A, B.astype(np.float64)),
            TypeError,
            "b: expected elements of type f32, as a has, but got f64",
        ),
        (
            lambda: kami.gemm(A.astype(np.int64), B.astype(np.int64)),
            TypeError,
            "a: expected a type that kami multiplies, but got i64",
        ),
        (
            lambda: kami.gemm(A.astype(">f4"), B),
            TypeError,
            "a: expected a type that kami multiplies, but got dtype >f4",
        ),
        (
            lambda: kami.gemm(
                np.ones((2, 4, 6), np.float32), np.ones((3, 6, 5), np.float32)
            ),
            ValueError,
            r"b: expected a batch that broadcasts to \(2,\), but got \(3,\)",
        ),
        (
            lambda: kami.gemm(A, B, out=np.ones((4, 4), np.float32)),
            ValueError,
            r"out: expected shape \(4, 5\), but got \(4, 4\)",
        ),
        (
            lambda: kami.gemm(A, B, out=np.broadcast_to(np.float32(0), (4, 5))),
            ValueError,
            "out: expected elements of their own",
        ),
        (
            lambda: kami.gemm(A[:, :4], A[:, :4], out=A[:, :4]),
            ValueError,
            "out: expected memory of its own, but it shares elements with a",
        ),
        (
            lambda: kami.gemm(WHOLE[:4], B, out=WHOLE[3:, :5]),
            ValueError,
            "out: expected memory of its own, but it shares elements with a",
        ),
        (
            lambda: kami.gemm(A, WHOLE[:6, :5], out=WHOLE[3:, 1:]),
            ValueError,
            "out: expected memory of its own, but it shares elements with b",
        ),
        (lambda: kami.gemm(A, B, beta=1), ValueError, "c: expected an array"),
        (
            lambda: kami.gemm(A, B, np.ones(4, np.float32), beta=1),
            ValueError,
            "c: expected a shape that broadcasts to",
        ),
        (lambda: kami.gemm(A, B, alpha="2"), TypeError, "alpha: expected a number"),
        (
            lambda: kami.gemm(A, B, precision="half"),
            ValueError,
            "precision: expected exact, tf32 or tf32x3, but got 'half'",
        ),
        (
            lambda: kami.gemm(A, B, epilogue="tanh"),
            ValueError,
            "activation: expected one of relu, gelu, silu, but got 'tanh'",
        ),
        (
            lambda: kami.gemm(
                A, B, epilogue=kami.Epilogue(bias=np.ones(4, np.float32))
            ),
            ValueError,
            r"bias: expected a shape that broadcasts to \(5,\), but got \(4,\)",
        ),
        (lambda: kami.gemm(A, B, tiles="8x8x8"), TypeError, "tiles: expected one of"),
        (lambda: kami.gemm(A, B, warps=99), ValueError, "expected 1 to 32 warps"),
        (lambda: kami.bmm(A, B), ValueError, "a: expected a batch"),
        (lambda: kami.plan(0, 4, 4, "f16"), ValueError, "m: expected from 1"),
        (lambda: kami.plan(4, 4, 4, "f12"), TypeError, "dtype: expected one of"),
        (
            lambda: kami.plan(4, 4, 4, "f16", target="sm_1"),
            ValueError,
            "unknown target",
        ),
        (lambda: kami.compile(4, 4, 4, "f16", layouts=("x",)), ValueError, "layouts:"),
        (
            lambda: kami.compile(4, 4, 4, "f32", precision="tf32"),
            TypeError,
            "precision: expected one of",
        ),
        (lambda: kami.from_mlir("oops"), ValueError, "line 1: "),
        (lambda: kami.tune(4, 4, 4, "f16", device=99), kami.DeviceError, "device: "),
        (lambda: kami.grouped_gemm([A], []), ValueError, "b: expected 1 arrays"),
        (
            lambda: kami.grouped_gemm([A], [A.T], taken=-2),
            ValueError,
            "taken: expected a number from -1 on, but got -2",
        ),
    ],
)
def test_messages(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_odd_strides() -> None:
    packed = np.zeros(8, dtype=[("x", "<f4"), ("y", "<f2")])
    view = packed["x"][:, None]
    with pytest.raises(ValueError, match="a: expected strides that are multiples"):
        kami.gemm(view, np.ones((1, 3), np.float32))


def test_the_simulator_says_so_once() -> None:
    from kami import _kernels

    _kernels.tell_simulated.cache_clear()
    with pytest.warns(kami.SimulatorWarning, match="multiplied by kami's simulator"):
        kami.gemm(A, B)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"beta": 0.5}, ValueError, "beta: expected an integer, but got 0.5"),
        ({"beta": 1, "alpha": 0.5}, ValueError, "alpha: expected an integer"),
        ({"beta": 1, "tile": (4096, 4096, 64)}, ValueError, "no plan fits"),
        ({"beta": 1, "precision": "tf32"}, TypeError, "precision: expected exact"),
    ],
)
def test_what_is_refused_writes_nothing(
    keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    a, b = np.ones((4, 6), np.int8), np.ones((6, 5), np.int8)
    c, out = np.ones((4, 5), np.int32), np.full((2, 4, 5), 7, np.int32)
    with pytest.raises(error, match=message):
        kami.gemm(a, b, c, out=out[0], **keywords)
    with pytest.raises(error, match=message):
        kami.grouped_gemm([a, a], [b, b], [c, c], out=list(out), **keywords)
    assert (out == 7).all()


@pytest.mark.parametrize(
    ("last", "error", "message"),
    [
        ([], ValueError, "c: expected 2 arrays, but got 1"),
        ([np.ones((3, 5))], TypeError, r"c\[1\]: expected elements of type f32"),
        ([B], ValueError, r"c\[1\]: expected a shape that broadcasts to \(4, 5\)"),
    ],
)
def test_nothing_is_added_in_part(
    last: list[Any], error: type[Exception], message: str
) -> None:
    c, out = np.ones((4, 5), np.float32), np.full((2, 4, 5), 7, np.float32)
    with pytest.raises(error, match=message):
        kami.grouped_gemm([A, A], [B, B], [c, *last], out=list(out), beta=1)
    assert (out == 7).all()


def test_grouped_products_write_matrices_of_their_own() -> None:
    beside = np.zeros((4, 10), np.float32)
    kami.grouped_gemm([A, A], [B, B], out=[beside[:, :5], beside[:, 5:]])
    assert (beside == 6).all()
    below = np.zeros((7, 5), np.float32)
    message = r"out\[2\]: expected a matrix of its own, .* with out\[1\]"
    outs = [np.zeros((4, 5), np.float32), below[:4], below[3:]]
    with pytest.raises(ValueError, match=message):
        kami.grouped_gemm([A] * 3, [B] * 3, out=outs)
    assert (below == 0).all()


def test_epilogues_read_no_result_but_where_it_goes() -> None:
    out = np.ones((5, 5), np.float32)
    for epilogue in (
        kami.Epilogue(residual=out[1:]),
        kami.Epilogue(bias=out[2]),
    ):
        with pytest.raises(ValueError, match="expected no element of out"):
            kami.gemm(A, B, out=out[:4], epilogue=epilogue)
    assert (out == 1).all()
    kami.gemm(A, B, out=out[:4], epilogue=kami.Epilogue(residual=out[:4], bias=out[4]))
    assert (out[:4] == 8).all()


def test_grouped_products_overwrite_no_operand() -> None:
    whole = np.ones((9, 16), np.float32)
    a, b, c = whole[:4, :6], whole[:6, 6:11], whole[:4, 11:]
    kami.grouped_gemm([A, a], [B, b], out=[whole[5:, :5], c])
    assert (c == 6).all()
    assert (whole[5:, :5] == 6).all()
    for outs, message in (
        ([c, whole[5:, 6:11]], r"out\[1\]: .* shares elements with b\[1\]"),
        ([whole[3:7, :5], c], r"out\[0\]: .* shares elements with a\[1\]"),
    ):
        with pytest.raises(ValueError, match=message):
            kami.grouped_gemm([A, a], [B, b], out=outs)


def test_kernels_write_over_no_operand() -> None:
    kernel = kami.compile(4, 4, 4, "f32", layouts=("rows",) * 3, bias=True)
    both, bias = np.ones((4, 8), np.float32), np.zeros(4, np.float32)
    a = np.eye(4, dtype=np.float32)
    kernel(a, both[:, :4], both[:, 4:], bias)
    assert (both == 1).all()
    for number, values in [
        (0, (both[:, 4:], a, both[:, 3:7], bias)),
        (1, (a, both[:, :4], both[:, :4], bias)),
        (3, (a, a.copy(), both[:, :4], both[2, :4])),
    ]:
        with pytest.raises(ValueError, match=f"shares elements with argument {number}"):
            kernel(*values)
    assert (both == 1).all()


def test_overlaps_are_those_of_elements() -> None:
    """Against sets of elements, of matrices beside, below and within each other."""
    random = np.random.default_rng(7)
    for _ in range(2000):
        views, elements = [], []
        common = random.integers(1, 9)
        for _ in range(random.integers(2, 5)):
            rows, columns, start = random.integers(0, (5, 6, 31))
            pitch = common if random.random() < 0.7 else random.integers(1, 9)
            pitch = max(pitch, columns)
            shape, strides = (int(rows), int(columns)), (int(pitch), 1)
            views.append(View(4 * int(start), shape, strides, "f32", 0))
            at = start + pitch * np.arange(rows)[:, None] + np.arange(columns)
            elements.append(set(at.ravel().tolist()))
        pairs = itertools.combinations(range(len(views)), 2)
        expected = {pair for pair in pairs if elements[pair[0]] & elements[pair[1]]}
        found = sharing(views, len(views))
        assert found in expected if expected else found is None


def test_matrices_lie_apart_where_no_byte_is_between() -> None:
    random = np.random.default_rng(11)
    outcomes = set()
    for _ in range(2000):
        tables, spans = [], []
        for number, size in enumerate((2, 4, 4)):
            count = random.integers(1, 4)
            rows, columns, start, across = random.integers(
                0, [[4], [4], [2000], [3]], (4, count)
            )
            down = across * columns + random.integers(0, 3, count)
            address = 64 * start + 4
            tables.append((np.stack([address, rows, columns, down, across], 1), size))
            reach = (rows - 1) * down + (columns - 1) * across + 1
            spans += [
                (b, b + size * r, number == 0)
                for b, r, full in zip(address, reach, rows * columns, strict=True)
                if full
            ]
        expected = not any(
            (one[2] or other[2]) and one[0] < other[1] and other[0] < one[1]
            for one, other in itertools.combinations(spans, 2)
        )
        assert lie_apart(tables) == expected
        outcomes.add(expected)
    assert outcomes == {False, True}


def test_results_may_lie_between_operands() -> None:
    """In the same rows, and in every other one."""
    whole = np.ones((6, 16), np.float32)
    kami.gemm(whole[:4, :6], whole[:, 6:11], out=whole[:4, 11:])
    assert (whole[:4, 11:] == 6).all()
    rows = np.ones((8, 6), np.float32)
    kami.gemm(rows[::2], B, out=rows[1::2, :5])
    assert (rows[1::2, :5] == 6).all()
