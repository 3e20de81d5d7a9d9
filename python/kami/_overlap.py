# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether arrays have an element in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import View
from ._types import item_bytes

Table = np.ndarray[Any, Any]
"""Of integers, a row for each matrix or product; or a column of one."""


class _Elsewhere:
    """Memory that nobody reads, as NumPy sees arrays."""

    def __init__(self, view: View) -> None:
        size = item_bytes(view.type)
        self.__array_interface__: dict[str, Any] = {
            "version": 3,
            # No array begins at 0.
            "data": (view.address + (1 << 20), True),
            "typestr": f"|V{size}",
            "shape": view.shape,
            "strides": tuple(size * stride for stride in view.strides),
        }


# Candidates that NumPy looks at, of some 10 ns each, for an element of both.
_MOST_WORK = 1 << 16


def bounds(view: View) -> tuple[int, int]:
    """Bytes of the view's address to its first byte, and to behind its last one."""
    low, high = 0, item_bytes(view.type)
    for extent, stride in zip(view.shape, view.strides, strict=True):
        span = (extent - 1) * stride * item_bytes(view.type)
        low, high = low + min(span, 0), high + max(span, 0)
    return low, high


def share_elements(one: View, other: View) -> bool:
    """Whether the arrays do. They may lie between each other's elements."""
    if 0 in one.shape or 0 in other.shape:
        return False
    (first, end), (other_first, other_end) = bounds(one), bounds(other)
    distance = other.address - one.address
    if distance + other_first >= end or distance + other_end <= first:
        return False
    share: Any = np.shares_memory
    try:
        arrays = [np.asarray(_Elsewhere(view)) for view in (one, other)]
        return bool(share(*arrays, max_work=_MOST_WORK))
    except RuntimeError:
        # Too hard to tell.
        return False


def sharing(views: Sequence[View], written: int) -> tuple[int, int] | None:
    """Two of the matrices that share an element, the first of which is one of the
    first so many, which are written; or None.

    Matrices may lie beside each other, in the same rows of a larger one.
    """
    numbers = [i for i, view in enumerate(views) if 0 not in view.shape]
    matrices = np.array(
        [
            (v.address, item_bytes(v.type), *v.shape, *v.strides)
            for v in (views[i] for i in numbers)
        ],
        np.int64,
    )
    address, size, rows, columns, down, across = matrices.reshape(-1, 6).T
    spans = np.array([(rows - 1) * down, (columns - 1) * across]) * size
    begin = address + np.minimum(spans, 0).sum(0)
    order = np.argsort(begin, kind="stable")
    end = (address + np.maximum(spans, 0).sum(0) + size)[order]
    width, pitch = (columns * size)[order], (down * size)[order]
    begin, rows = begin[order], rows[order]
    # Rows of adjacent elements, which follow each other.
    are_plain = ((across == 1) | (columns == 1))[order]
    are_plain &= (pitch >= width) | (rows == 1)
    # A single row has no next one.
    pitch[rows == 1] = 0
    are_written = np.array(numbers)[order] < written
    # Those after which another begins, so many places further, before they end.
    for distance in range(1, len(begin)):
        one = np.nonzero(begin[distance:] < end[:-distance])[0]
        if not len(one):
            return None
        one = one[are_written[one] | are_written[one + distance]]
        other = one + distance
        step = np.maximum(pitch[one], pitch[other])
        row, column = np.divmod(begin[other] - begin[one], np.maximum(step, 1))
        # Where the other begins, or goes on in the next row.
        meets = (row < rows[one]) & (column < width[one])
        meets |= (row + 1 < rows[one]) & (column + width[other] > step)
        meets |= rows[one] == 1
        differ = (pitch[one] != step) | (pitch[other] != step)
        differ |= ~(are_plain[one] & are_plain[other])
        for i in np.nonzero(meets | differ)[0].tolist():
            low, high = sorted(numbers[order[j]] for j in (one[i], other[i]))
            if not differ[i] or share_elements(views[low], views[high]):
                return low, high
    return None


def lie_apart(matrices: Sequence[tuple[Table, int]]) -> bool:
    """Whether no byte of a matrix that is written is between those of another one.

    Of few matrices that is sooner known than what follows from it. They are given
    as tables, of which the first is of those that are written, with the bytes of an
    element: a row for each matrix, of its address, rows, columns, and elements from
    row to row and from column to column.
    """
    tables, sizes = zip(*matrices, strict=True)
    places = np.concatenate(tables)
    begin, rows, columns, down, across = places.T
    if places[:, 3:].min() < 0:
        return False
    size = np.repeat(sizes, [len(table) for table in tables])
    is_written = np.arange(len(places)) < len(tables[0])
    end = begin + ((rows - 1) * down + (columns - 1) * across + 1) * size
    # Matrices without elements are nowhere.
    end[(rows == 0) | (columns == 0)] = 0
    order = np.argsort(begin)
    begin, end, is_written = begin[order], end[order], is_written[order]
    # The end of all that begin before, and of those that are written.
    last = np.maximum.accumulate(end)
    last_written = np.maximum.accumulate(end * is_written)
    before = np.where(is_written[1:], last[:-1], last_written[:-1])
    return bool(((begin[1:] >= before) | (end[1:] == 0)).all())
