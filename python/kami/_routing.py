# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether kami or PyTorch multiplies a batch of small products sooner.

kami's time is the model's. Where a device's memory decides, cuBLAS is as fast as
kami (docs/Performance.md has both at 0.98 to 1.04 of each other), so that what the
model says of memory holds for both. What it does not say of PyTorch was measured.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence

from ._plan import plan


@dataclasses.dataclass(frozen=True)
class _Rates:
    """What cuBLAS takes besides the time of memory, or at least.

    On an H200, driver 580.159.04, cuBLAS 13.1: the tables of n = 16 to 256, 100 to
    10 000 products, in docs/Performance.md, "Batches from device memory".
    """

    product: float
    """Nanoseconds for a product, however small: those of 16^3 from 1000 to 10 000."""
    start: float
    """Nanoseconds more of the first thousand products: 64^3, 1000 of them."""
    call: float
    """Nanoseconds more of a call: 16^3, 100 of them."""


_RATES = {
    "f16": _Rates(3.1, 2.0, 900),
    "bf16": _Rates(3.1, 2.0, 900),
    "f64": _Rates(3.5, 0.0, 1100),
}
_BYTES = {"f16": 2, "bf16": 2, "f64": 8}

_COPIED = 4.38e12
"""Bytes a second that a copy reads and writes, and seconds that it takes at least:
light of 10 000 products of 128^3 and of 1000 of 16^3, in the same tables. PyTorch's
own kernels are no faster."""
_COPY = 1.8e-6

_LARGEST, _FEWEST = 256, 64
"""What was measured; beyond, PyTorch is left alone."""
_GAIN = 1.02
"""Less is not seen: times spread by 1 to 2 %."""


@dataclasses.dataclass(frozen=True)
class Route:
    """Who multiplies a product inside of `kami.torch.patch`, and why."""

    is_kami: bool
    reason: str
    kami: float | None = None
    """Predicted seconds on the device; None where nobody was asked."""
    torch: float | None = None
    """Of PyTorch's bmm, with the copies that it makes first."""

    def __repr__(self) -> str:
        winner = "kami" if self.is_kami else "PyTorch"
        if self.kami is None or self.torch is None:
            return f"<{winner}: {self.reason}>"
        times = f"{self.kami * 1e6:.2f} us by kami, {self.torch * 1e6:.2f} by PyTorch"
        return f"<{winner}: {self.reason}; {times}>"


def is_copied(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether PyTorch copies matrices before it multiplies them.

    cuBLAS takes a batch with one stride, of matrices of which one stride is 1.
    """
    *batch, rows, columns = shape
    *steps, row, column = strides
    kept = [(e, s) for e, s in zip(batch, steps, strict=True) if e != 1]
    is_one = all(
        outer == inner * extent
        for (_, outer), (extent, inner) in itertools.pairwise(kept)
    )
    is_matrix = (column == 1 and row >= columns) or (row == 1 and column >= rows)
    return not (is_one and (is_matrix or rows * columns == 1))


@functools.lru_cache(maxsize=4096)
def _predicted(m: int, n: int, k: int, batch: int, type: str, target: str) -> float:
    return plan(m, n, k, type, batch=batch, target=target).predicted


def route(
    m: int, n: int, k: int, batch: int, type: str, target: str, copied: Sequence[int]
) -> Route:
    """A route of `batch` products; `copied` are the elements of what is copied."""
    rates = _RATES.get(type)
    if rates is None:
        return Route(False, f"nobody measured {type}")
    if not all(0 < extent <= _LARGEST for extent in (m, n, k)):
        return Route(False, f"an extent is 0 or over {_LARGEST}")
    if batch < _FEWEST:
        return Route(False, f"fewer than {_FEWEST} products")
    # One plan for as many products up to twice as many.
    rounded = 1 << (batch.bit_length() - 1)
    kami = _predicted(m, n, k, rounded, type, target) * batch / rounded
    own = rates.call + rates.start * min(batch, 1000)
    torch = max(kami, batch * rates.product * 1e-9) + own * 1e-9
    torch += sum(_COPY + 2 * n * _BYTES[type] / _COPIED for n in copied)
    is_kami = torch > _GAIN * kami
    reason = f"the model says {torch / kami:.2f} times as fast"
    return Route(is_kami, reason, kami, torch)
