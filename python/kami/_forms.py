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

# The multiprocessors of an H100 or H200. With half as many, f16 is slower by a
# quarter, and some of tf32 and f64 faster by a tenth.
_FEW_TILES = 132
_SMALLEST = 32


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

    def of_tile(self, m: int, n: int, products: int) -> tuple[int, int]:
        """Along m and n; smaller where so few products, 0 for many, leave
        multiprocessors without a tile."""
        rows, columns = self.of(m), self.of(n)

        def smaller(side: int) -> int:
            return self.lengths[self.lengths.index(side) - 1]

        while products and max(rows, columns) > _SMALLEST:
            tiles = products * -(-m // rows) * -(-n // columns)
            if tiles >= _FEW_TILES:
                break
            if rows >= columns:
                rows = smaller(rows)
            else:
                columns = smaller(columns)
        return rows, columns


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


def _half_form(m: int, n: int, k: int, request: Request) -> dict[str, Any]:
    rows, columns = _HALF.of_tile(m, n, request.products)
    aligned = request.aligned_rows
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


def _tf32_form(m: int, n: int, k: int, request: Request) -> dict[str, Any]:
    rows, columns = _TF32.of_tile(m, n, request.products)
    if rows == columns == 128:
        return _form(rows, columns, 32, unit="warpgroup")
    depth = 32 if request.aligned_rows and k > 16 else 16
    return _form(rows, columns, depth, unit="warp")


def shared_form(
    m: int, n: int, k: int, request: Request, target: str
) -> dict[str, Any]:
    """Keywords for `compile_request`, for products like one of m, n and k."""
    type = request.a.type
    if target != "sm_90" or request.is_complex or request.b.type != type:
        return plain_form(m, n, k, request)
    if type in ("f16", "bf16"):
        return _half_form(m, n, k, request)
    if type == "tf32":
        return _tf32_form(m, n, k, request)
    if type in ("f32", "f64"):
        is_odd = type == "f32" and not request.aligned_rows
        sides = _ODD_F32 if is_odd else _WIDE
        return _form(*sides.of_tile(m, n, request.products), 16)
    return plain_form(m, n, k, request)
