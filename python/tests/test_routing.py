# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which products `kami.torch.patch` gives to kami, against what was measured."""

from __future__ import annotations

import numpy as np
import pytest

import kami
from kami._routing import is_copied, route

# Microseconds on an H200 of kami and cuBLAS, of docs/Performance.md: type, n,
# products.
MEASURED = {
    ("f16", 16, 100): (1.69, 2.55),
    ("f16", 16, 1000): (2.42, 7.82),
    ("f16", 32, 1000): (3.84, 8.51),
    ("f16", 48, 1000): (6.08, 9.39),
    ("f16", 64, 1000): (8.37, 11.2),
    ("f16", 96, 1000): (16.4, 19.1),
    ("f16", 128, 1000): (27.1, 29.4),
    ("f16", 192, 1000): (59.0, 60.6),
    ("f16", 256, 1000): (101.1, 98.8),
    ("f16", 16, 10000): (5.77, 35.4),
    ("f16", 32, 10000): (16.6, 36.8),
    ("f16", 48, 10000): (38.1, 44.2),
    ("f16", 64, 10000): (58.6, 61.2),
    ("f16", 96, 10000): (128.6, 132.9),
    ("f16", 128, 10000): (228.3, 236.1),
    ("f16", 192, 10000): (543.3, 530.3),
    ("f16", 256, 10000): (935.5, 928.1),
    ("f64", 16, 100): (2.05, 3.22),
    ("f64", 16, 1000): (3.43, 6.36),
    ("f64", 32, 1000): (8.37, 9.47),
    ("f64", 64, 1000): (27.0, 29.9),
    ("f64", 128, 1000): (112.3, 110.4),
    ("f64", 16, 10000): (17.1, 38.0),
    ("f64", 64, 10000): (228.2, 230.4),
}


def decide(type: str, n: int, batch: int) -> bool:
    return route(n, n, n, batch, type, "sm_90", ()).is_kami


@pytest.mark.parametrize("case", MEASURED, ids=str)
def test_the_winner_is_the_measured_one(case: tuple[str, int, int]) -> None:
    """Of large gains all, and nothing that loses."""
    kami_us, cublas_us = MEASURED[case]
    gain = cublas_us / kami_us
    if gain > 1.15:
        assert decide(*case)
    if gain < 1:
        assert not decide(*case)


def test_what_fixed_thresholds_said() -> None:
    """16-bit floats, at least 64 products, extents up to 128.

    They are kept but for thousands of products of 96 and 128, which are memory's
    time for both, measured 3 % apart. New are f64, and extents over 128 while
    products are few.
    """
    for type in ("f16", "bf16"):
        for n in (1, 16, 24, 32, 48, 64, 96, 128):
            for batch in (64, 100, 1000):
                assert decide(type, n, batch), (n, batch)
        assert [n for n in (16, 48, 64, 96, 128) if decide(type, n, 10000)] == [
            16, 48, 64
        ]  # fmt: skip
        for n, batch in ((16, 63), (257, 64), (0, 100)):
            assert not decide(type, n, batch)
        assert decide(type, 192, 200)
    assert decide("f64", 16, 10000)
    assert not decide("f64", 128, 10000)
    assert not decide("f32", 16, 1000)


def test_copies_count() -> None:
    plain = route(128, 128, 128, 10000, "f16", "sm_90", ())
    copied = route(128, 128, 128, 10000, "f16", "sm_90", (10000 * 128 * 128,))
    assert not plain.is_kami
    assert copied.is_kami
    assert plain.torch is not None
    assert copied.torch is not None
    # Read and written, 327 MB each, at 4.38 TB/s.
    assert copied.torch - plain.torch == pytest.approx(151.4e-6, rel=0.01)
    assert "us by kami" in repr(copied)
    assert repr(route(16, 16, 16, 1, "f16", "sm_90", ())).startswith("<PyTorch: fewer")


def test_what_pytorch_copies() -> None:
    """As `torch.matmul` has it: what numpy's reshape copies, and odd matrices."""
    base = np.zeros((4, 6, 8, 10))

    def copied(array: np.ndarray) -> bool:
        return is_copied(array.shape, [s // array.itemsize for s in array.strides])

    assert not copied(base)
    assert not copied(base.swapaxes(-1, -2))
    assert not copied(base[:, :, :5, :7])
    assert not copied(base[1:2, ::2])
    assert copied(base.swapaxes(0, 1))
    assert copied(base.transpose(0, 2, 1, 3))
    assert copied(base[..., ::2])
    assert not copied(base.transpose(0, 2, 1, 3)[:1])


def test_predictions_are_seconds() -> None:
    few = kami.plan(16, 16, 16, "f16", batch=1000, target="sm_90").predicted
    many = kami.plan(16, 16, 16, "f16", batch=100000, target="sm_90").predicted
    assert 1e-6 < few < many < 1e-3
