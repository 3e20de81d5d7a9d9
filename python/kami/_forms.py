# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a plan is settled for kernels that serve products of any size.

The planner knows no extents of theirs. What a block computes at once is chosen
here from a few tiles, so that a few kernels serve all sizes; the planner chooses
the rest. Tiles are those that were best of some on an H100, see "Kernels for all
sizes" in docs/Experiments.md.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ._matmul import Request


@dataclasses.dataclass(frozen=True)
class _Sides:
    """Of tiles, and how many more elements a side could have instead of a tile's
    begin."""

    lengths: tuple[int, ...]
    start: int

    def of(self, extent: int) -> int:
        """The one that leaves least to do along an extent, the longest of some."""

        def work(side: int) -> int:
            return -(-extent // side) * (side + self.start)

        return min(reversed(self.lengths), key=work)


_HALF = _Sides((16, 32, 64, 128), 64)
_TF32 = _Sides((16, 32, 48, 64, 128), 32)
_WIDE = _Sides((16, 32, 48, 64), 8)
# Lanes that put odd rows straight take long for tiles of 48.
_ODD_F32 = _Sides((16, 32, 64), 8)
_OTHER = _Sides((16, 32, 64), 64)


def _form(m: int, n: int, k: int, **others: Any) -> dict[str, Any]:
    return {"tile": f"{m}x{n}x{k}", **others}


def plain_form(m: int, n: int, k: int, request: Request) -> dict[str, Any]:
    """What every chip has room for, whatever becomes of C's elements."""
    depth = 16 if k <= 16 or request.a.type in ("f32", "f64") else 32
    return _form(_OTHER.of(m), _OTHER.of(n), depth)


def _half_form(m: int, n: int, k: int, aligned: bool) -> dict[str, Any]:
    rows, columns = _HALF.of(m), _HALF.of(n)
    shallow = 16 if k <= 16 else 32
    if rows == columns == 64 and aligned and 32 < k <= 64:
        return _form(rows, columns, 64)
    if rows < 128 or columns < 128 or k <= 16:
        return _form(rows, columns, shallow, unit="warp")
    # Where two tiles beside each other have no fewer columns than one.
    are_pairs = -(-n // 128) % 2 == 0
    if n > 128 and (aligned or are_pairs):
        return _form(rows, 256, 64)
    if aligned:
        return _form(rows, columns, shallow, unit="warp")
    return _form(rows, columns, 64, unit="warpgroup", stages=3)


def _tf32_form(m: int, n: int, k: int, aligned: bool) -> dict[str, Any]:
    rows, columns = _TF32.of(m), _TF32.of(n)
    if rows == columns == 128:
        return _form(rows, columns, 32, unit="warpgroup")
    return _form(rows, columns, 32 if aligned and k > 16 else 16, unit="warp")


def shared_form(
    m: int, n: int, k: int, request: Request, target: str
) -> dict[str, Any]:
    """Keywords for `compile_request`, for products like one of m, n and k."""
    type, aligned = request.a.type, request.aligned_rows
    if target != "sm_90" or request.is_complex or request.b.type != type:
        return plain_form(m, n, k, request)
    if type in ("f16", "bf16"):
        return _half_form(m, n, k, aligned)
    if type == "tf32":
        return _tf32_form(m, n, k, aligned)
    if type in ("f32", "f64"):
        sides = _ODD_F32 if type == "f32" and not aligned else _WIDE
        return _form(sides.of(m), sides.of(n), 16)
    return plain_form(m, n, k, request)
