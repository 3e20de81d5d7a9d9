# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose sizes and addresses the host does not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._adapters import adopt, library_of
from ._arrays import HOST, Library
from ._grouped_kind import Kind, multiply_rows
from ._product import default_result
from ._types import type_name


def _rows(arrays: Any, name: str) -> list[Any]:
    """Three arrays, or the rows of one of shape (3, count)."""
    found = list(arrays)
    if len(found) != 3:
        raise ValueError(f"{name}: expected three arrays, but got {len(found)}")
    return found


class _Numbers:
    """Arrays of int64 on one device, of as many elements each."""

    def __init__(self, first: Any) -> None:
        first = adopt(first)
        self.library: Library = library_of(first, "a")
        self.first = self.library.view(first, "a")
        if self.first.device == HOST:
            raise ValueError(
                "a: expected an array on a device where sizes are given: addresses "
                "are a device's"
            )

    def address(self, array: Any, name: str) -> int:
        array = adopt(array)
        view = library_of(array, name).view(array, name)
        if view.type != "i64" or len(view.shape) != 1:
            raise TypeError(
                f"{name}: expected one dimension of i64, but got {view.type} of shape "
                f"{view.shape}"
            )
        if view.shape != self.first.shape or view.device != self.first.device:
            raise ValueError(
                f"{name}: expected as many elements as a has, {self.first.shape[0]}, "
                f"on its device, but got {view.shape[0]}"
            )
        if view.shape[0] > 1 and view.strides != (1,):
            raise ValueError(f"{name}: expected adjacent elements")
        return view.address


def multiply_at(
    a: Any,
    b: Any,
    out: Any,
    sizes: Any,
    leading: Any,
    dtype: Any,
    typical: Sequence[int],
    kind: dict[str, Any],
    scales: Sequence[float],
    overrides: dict[str, Any],
) -> None:
    """Queues products of matrices that lie at addresses.

    `kind` has what of `Kind` does not follow from the types.
    """
    for name, needed in (("out", out), ("leading", leading), ("dtype", dtype)):
        if needed is None:
            raise ValueError(f"{name}: expected where sizes are given, but got None")
    numbers = _Numbers(a)
    rows = [
        numbers.address(array, n) for array, n in ((a, "a"), (b, "b"), (out, "out"))
    ]
    for name, arrays in (("sizes", sizes), ("leading", leading)):
        for i, array in enumerate(_rows(arrays, name)):
            rows.append(numbers.address(array, f"{name}[{i}]"))
    both = dtype if isinstance(dtype, tuple) else (dtype, dtype)
    type_a, type_b = (type_name(one) for one in both)
    out_dtype, precision = kind.pop("out_dtype"), kind.pop("precision")
    type_c = default_result(type_a, type_b)
    if out_dtype is not None:
        type_c = type_name(out_dtype, "out_dtype")
    if precision != "exact":
        type_a = type_b = precision
    whole = Kind(type_a, type_b, type_c, bytes=True, **kind)
    device = numbers.first.device
    flat = whole.flat(device)
    stream = numbers.library.stream(device)()
    m, n, k = typical
    count = numbers.first.shape[0]
    multiply_rows(whole, (m, n, k), count, flat, rows, scales, overrides, stream)
