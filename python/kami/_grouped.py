# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of sizes of their own in one launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._adapters import adopt, giver, known_library, library_of
from ._arrays import HOST, Library, View
from ._devices import target_of
from ._grouped_kind import Kind, multiply_rows, rows_of
from ._kernels import tell_simulated
from ._overlap import lie_apart, sharing
from ._pointers import multiply_at
from ._product import (
    addend,
    check_output,
    check_product,
    check_types,
    default_result,
    part_of,
)
from ._types import accumulator_name, check_real, type_name


def typical_size(sizes: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
    """The mean of each extent, as a power of two, so that few kernels serve all; one
    more where some are no multiples of 16, since their rows are not aligned."""
    ragged = any(extent % 16 for size in sizes for extent in size)

    def mean(dim: int) -> int:
        total = sum(size[dim] for size in sizes)
        rounded = 2 ** round(np.log2(max(total / max(len(sizes), 1), 1)))
        return min(max(int(rounded), 16), 1024) + ragged

    return mean(0), mean(1), mean(2)


def _leading(view: View, name: str) -> int:
    """Elements from row to row."""
    rows, columns = view.shape
    if rows == 0 or columns == 0:
        return max(columns, 1)
    if columns > 1 and view.strides[1] != 1:
        raise ValueError(
            f"{name}: expected rows of adjacent elements, "
            f"but got strides {view.strides}"
        )
    if rows < 2:
        return max(columns, 1)
    if view.strides[0] < 0:
        raise ValueError(f"{name}: expected rows in order, but got {view.strides}")
    return view.strides[0]


def check_pair(
    i: int, a: View, b: View, trans_a: bool, trans_b: bool
) -> tuple[int, int, int]:
    """m, n and k of a product; errors name its arrays."""
    try:
        check_types(a, b, "exact")
        m, n, k = check_product(a, b, trans_a, trans_b)
    except (TypeError, ValueError) as error:
        name, _, rest = str(error).partition(":")
        raise type(error)(f"{name}[{i}]:{rest}") from None
    return m, n, k


class _Group:
    """The arrays of a call, and where they lie."""

    def __init__(self, a: Sequence[Any], b: Sequence[Any], kind: dict[str, Any]):
        if len(a) != len(b):
            raise ValueError(f"b: expected {len(a)} arrays, as a has, but got {len(b)}")
        if not a:
            raise ValueError("a: expected at least one array, but got none")
        self.c: list[Any] = []
        # C of each product, where it is added to in another array; else None.
        self.added: list[Any] = []
        self.a = [adopt(array) for array in a]
        self.b = [adopt(array) for array in b]
        self.library: Library = library_of(self.a[0], "a[0]")
        self.views_a = self._views(self.a, "a")
        self.views_b = self._views(self.b, "b")
        self.trans_a, self.trans_b = bool(kind["trans_a"]), bool(kind["trans_b"])
        self.sizes = [
            check_pair(i, *pair, self.trans_a, self.trans_b)
            for i, pair in enumerate(zip(self.views_a, self.views_b, strict=True))
        ]

    def _views(self, arrays: list[Any], name: str) -> list[View]:
        views: list[View] = []
        for i, array in enumerate(arrays):
            where = f"{name}[{i}]"
            view = library_of(array, where).view(array, where)
            if len(view.shape) != 2:
                raise ValueError(f"{where}: expected a matrix, but got {view.shape}")
            if views and (view.type, view.device) != (views[0].type, views[0].device):
                raise TypeError(
                    f"{where}: expected type and device of {name}[0], {views[0].type}, "
                    f"but got {view.type}"
                )
            views.append(view)
        return views

    def outputs(self, out: Sequence[Any] | None, out_dtype: Any) -> list[Any]:
        """What is written."""
        a, b = self.views_a[0], self.views_b[0]
        type = default_result(a.type, b.type)
        if out_dtype is not None:
            type = type_name(out_dtype, "out_dtype")
        if out is None:
            made = [self.library.maker(self.a[0], s[:2], type)() for s in self.sizes]
        else:
            made = [adopt(array) for array in out]
            if len(made) != len(self.sizes):
                raise ValueError(
                    f"out: expected {len(self.sizes)} arrays, but got {len(made)}"
                )
            if out_dtype is None:
                type = library_of(made[0], "out[0]").view(made[0], "out[0]").type
        self.views_c = self._views(made, "out")
        for i, (view, size) in enumerate(zip(self.views_c, self.sizes, strict=True)):
            check_output(view, size[:2], type, a.device)
            if not library_of(made[i], "out").is_writable(made[i]):
                raise ValueError(f"out[{i}]: expected an array that may be written")
        if out is not None:
            self.check_apart()
        return made

    def check_apart(self) -> None:
        if lie_apart(self.views_c, (self.views_a, self.views_b)):
            return
        # Of operands that many products have in common, one.
        read = {
            view: f"{name}[{i}]"
            for name, views in (("a", self.views_a), ("b", self.views_b))
            for i, view in enumerate(views)
        }
        names = [f"out[{i}]" for i in range(len(self.views_c))] + list(read.values())
        found = sharing([*self.views_c, *read], len(self.views_c))
        if found is not None:
            one, other = (names[i] for i in found)
            if other.startswith("out"):
                one, other = other, one
            raise ValueError(
                f"{one}: expected a matrix of its own, but it shares elements with "
                f"{other}"
            )

    def add(self, c: Sequence[Any] | None, out: Sequence[Any] | None) -> None:
        """Says what is added to."""
        if c is None:
            raise ValueError("c: expected arrays where beta is not 0, but got None")
        if len(c) != len(self.sizes):
            raise ValueError(f"c: expected {len(self.sizes)} arrays, but got {len(c)}")
        for i, source in enumerate(c):
            is_there = out is not None and source is out[i]
            self.added.append(
                None if is_there else addend(source, f"c[{i}]", self.views_c[i])
            )

    def bring_c(self) -> None:
        for target, source in zip(self.c, self.added, strict=False):
            if source is not None:
                self.library.copy(target, source)

    def run_simulated(self, kind: Kind, overrides: dict[str, Any], scales: Any) -> None:
        """In flat copies: arrays have no address in common."""
        tell_simulated()
        kernel = kind.compile(typical_size(self.sizes), target_of(HOST), overrides)
        kind.scale_bits(scales)
        # Nothing is left that may be refused.
        self.bring_c()
        flats, at, leading = [], [], []
        everything = (
            (self.views_a, self.a),
            (self.views_b, self.b),
            (self.views_c, self.c),
        )
        for views, arrays in everything:
            extents = [view.shape for view in views]
            starts = np.cumsum([0] + [r * c for r, c in extents])
            parts = [np.ravel(np.asarray(array)) for array in arrays]
            flats.append(np.concatenate(parts))
            at.append(starts[:-1].astype(np.int64))
            leading.append(np.array([max(c, 1) for _, c in extents], np.int64))
        sizes = [np.array(column, np.int64) for column in zip(*self.sizes, strict=True)]
        kernel(*flats, *at, *sizes, *leading, *scales)
        for start, array in zip(at[2], self.c, strict=True):
            target = np.asarray(array)
            target[...] = flats[2][start : start + target.size].reshape(target.shape)

    def run_on_device(self, kind: Kind, overrides: dict[str, Any], scales: Any) -> None:
        names = ("a", "b", "out")
        views = (self.views_a, self.views_b, self.views_c)
        columns = [[view.address for view in group] for group in views]
        columns += [list(column) for column in zip(*self.sizes, strict=True)]
        for name, group in zip(names, views, strict=True):
            columns.append([_leading(v, f"{name}[{i}]") for i, v in enumerate(group)])
        table = np.array(columns, np.int64)
        device = self.views_a[0].device
        described = self.library.upload(self.a[0], table)
        address = self.library.view(described, "descriptors").address
        flat = kind.flat(device)
        stream = self.library.stream(device)()
        count, typical = len(self.sizes), typical_size(self.sizes)
        rows = rows_of(address, count)
        multiply_rows(
            kind, typical, count, flat, rows, scales, overrides, stream, self.bring_c
        )


def grouped_gemm(
    a: Sequence[Any],
    b: Sequence[Any],
    c: Sequence[Any] | None = None,
    *,
    alpha: float = 1,
    beta: float = 0,
    trans_a: bool = False,
    trans_b: bool = False,
    out: Sequence[Any] | None = None,
    out_dtype: Any = None,
    accumulator: Any = None,
    precision: str = "exact",
    sizes: Any = None,
    leading: Any = None,
    dtype: Any = None,
    typical: Sequence[int] = (128, 128, 128),
    **overrides: Any,
) -> Any:
    """alpha * A_p @ B_p + beta * C_p for products that each have sizes of their own.

    One kernel serves all sizes of the same types: they are read on the device.

    Args:
        a, b: sequences of as many matrices, of shapes (m_p, k_p) and (k_p, n_p),
            transposed where `trans_a` and `trans_b`. On a device, rows have
            adjacent elements. Any extent may be 0.
        c: what beta scales; copied to the results, unless it is `out`.
        alpha, beta: of all products.
        out: as many matrices that are written, no two of which share an element.
        out_dtype, accumulator, precision: as for `gemm`.
        sizes: m, n and k where the host need not know them: three arrays of int64
            on a device, an element for each product. Then a, b and `out` are
            arrays of int64, too, of matrices' addresses, which nobody checks; C is
            what lies at `out`.
        leading: with sizes, three arrays like them: elements from row to row of
            each A, B and C as stored.
        dtype: with sizes, the type of A's and B's elements, or a tuple of two.
        typical: with sizes, the extents m, n and k that the kernel is planned for.
        overrides: as for `plan`, and `taken`: the last turns of tiles that
            blocks take as they are done with others, -1 for none.

    Returns:
        A list of results, of the arrays' kind; with sizes, `out`. On a device this
        queues one copy of sizes and addresses, but with sizes none, and one kernel
        on the caller's current stream.

    Raises:
        TypeError, ValueError: as `gemm`, naming the array: "a[3]: ...".
    """
    check_real(alpha, "alpha")
    check_real(beta, "beta")
    scales = [alpha] * bool(alpha != 1) + [beta] * bool(beta != 0)
    same: dict[str, Any] = {
        "accumulator": accumulator_name(accumulator),
        "trans_a": bool(trans_a),
        "trans_b": bool(trans_b),
        "has_alpha": bool(alpha != 1),
        "has_beta": bool(beta != 0),
    }
    if sizes is not None:
        if c is not None and c is not out:
            raise ValueError("c: expected None or `out` where sizes are given")
        types = {"out_dtype": out_dtype, "precision": precision}
        multiply_at(
            a, b, out, sizes, leading, dtype, typical, {**same, **types}, scales,
            overrides,
        )  # fmt: skip
        return out
    library = known_library(type(a[0])) if a else None
    is_one_kind = all(known_library(type(x)) is library for x in (*a, *b))
    if library is not None and is_one_kind and out is None:
        operator = library.grouped_operator([*a, *b])
        if operator is not None:
            results: list[Any] = operator(
                a, b, c, alpha=alpha, beta=beta, trans_a=trans_a, trans_b=trans_b,
                out_dtype=out_dtype, accumulator=accumulator, precision=precision,
                **overrides,
            )  # fmt: skip
            return results
    group = _Group(a, b, {"trans_a": trans_a, "trans_b": trans_b})
    give = giver(a[0]) if out is None else None
    if part_of(group.views_a[0].type)[1]:
        raise TypeError("a: expected real numbers")
    group.c = group.outputs(out, out_dtype)
    if beta != 0:
        group.add(c, out)
    first = group.views_a[0]
    on_device = first.device != HOST
    check_types(first, group.views_b[0], precision)
    is_exact = precision == "exact"
    kind = Kind(
        first.type if is_exact else precision,
        group.views_b[0].type if is_exact else precision,
        group.views_c[0].type,
        bytes=on_device,
        **same,
    )
    if on_device:
        group.run_on_device(kind, overrides, scales)
    else:
        group.run_simulated(kind, overrides, scales)
    return list(out or ()) if give is None else [give(c) for c in group.c]
