# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of sizes of their own in one launch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._adapters import adopt, giver, known_library, library_of
from ._arrays import HOST, Library, View
from ._devices import target_of
from ._grouped_kind import Kind, multiply_rows, rows_of
from ._kernels import tell_simulated
from ._overlap import Table, lie_apart, sharing
from ._pointers import multiply_at
from ._product import (
    addend,
    check_output,
    check_product,
    check_types,
    default_result,
    part_of,
)
from ._types import accumulator_name, check_real, item_bytes, type_name


def typical_size(sizes: Sequence[tuple[int, int, int]] | Table) -> tuple[int, int, int]:
    """The mean of each extent, or a quarter of the largest if that is more, as a power
    of two, so that few kernels serve all; one more where some are no multiples of 16,
    since their rows are not aligned. Of products up to 64 a side m and n are half of
    the largest at most: plans take sizes to be spread up to twice the typical ones."""
    table = np.asarray(sizes, np.int64).reshape(-1, 3)
    if not len(table):
        return 8, 8, 8
    ragged = bool((table & 15).any())
    totals, largest = table.sum(0).tolist(), table.max(0).tolist()
    are_small = max(largest[:2]) <= 64

    def typical(side: int) -> int:
        # One large product takes longer than many small ones.
        extent = max(totals[side] / len(table), largest[side] / 4, 1)
        power = round(math.log2(extent))
        if are_small and side != 2:
            power = min(power, math.ceil(math.log2(max(largest[side] / 2, 1))))
        return min(max(int(2**power), 8), 1024) + ragged

    return typical(0), typical(1), typical(2)


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


def _adopted(arrays: Sequence[Any]) -> list[Any]:
    if all(known_library(kind) is not None for kind in set(map(type, arrays))):
        return list(arrays)
    return [adopt(array) for array in arrays]


class _Matrices:
    """The matrices of an argument: of one type on one device, and where each lies."""

    def __init__(self, arrays: list[Any], name: str) -> None:
        self.arrays, self.name = arrays, name
        self.first = self.view(0)
        self.type, self.device = self.first.type, self.first.device
        calls = library_of(arrays[0], f"{name}[0]").calls
        rows = None if calls is None else calls.describe(arrays)
        # Where one differs, looking at each of them tells which.
        self.is_described = rows is not None and bool(
            (rows[:, 5:] == rows[0, 5:]).all()
        )
        if rows is None or not self.is_described:
            rows = np.array([self._place(i) for i in range(len(arrays))], np.int64)
        self.places: Table = rows[:, :5]
        _, self.rows, self.columns, self.down, self.across = self.places.T
        # Whether all of them are rows of adjacent elements, one behind the other.
        self.are_plain = bool(((self.across == 1) & (self.down >= self.columns)).all())

    def view(self, i: int) -> View:
        where = f"{self.name}[{i}]"
        view = library_of(self.arrays[i], where).view(self.arrays[i], where)
        if len(view.shape) != 2:
            raise ValueError(f"{where}: expected a matrix, but got {view.shape}")
        return view

    def views(self) -> list[View]:
        return [self.view(i) for i in range(len(self.arrays))]

    def _place(self, i: int) -> tuple[int, ...]:
        view = self.view(i)
        if (view.type, view.device) != (self.type, self.device):
            raise TypeError(
                f"{self.name}[{i}]: expected type and device of {self.name}[0], "
                f"{self.type}, but got {view.type}"
            )
        return (view.address, *view.shape, *view.strides)

    def extents(self, is_transposed: bool) -> tuple[Table, Table]:
        """Rows and columns as they are multiplied."""
        if is_transposed:
            return self.columns, self.rows
        return self.rows, self.columns

    def leading(self) -> Table:
        """Elements from row to row."""
        if not self.are_plain:
            self._check_rows()
        has_rows = (self.rows > 1) & (self.columns > 0)
        leading: Table = np.where(has_rows, self.down, np.maximum(self.columns, 1))
        return leading

    def _check_rows(self) -> None:
        """Errors name the first whose rows a kernel cannot read."""
        are_apart = (self.rows > 0) & (self.columns > 1) & (self.across != 1)
        go_back = (self.rows > 1) & (self.columns > 0) & (self.down < 0)
        for i in np.flatnonzero(are_apart | go_back)[:1].tolist():
            where, strides = f"{self.name}[{i}]", tuple(self.places[i, 3:].tolist())
            if are_apart[i]:
                raise ValueError(
                    f"{where}: expected rows of adjacent elements, "
                    f"but got strides {strides}"
                )
            raise ValueError(f"{where}: expected rows in order, but got {strides}")

    def check_outputs(self, m: Table, n: Table, type: str, device: int) -> None:
        """Errors name the first that is not of those extents, or overlaps itself."""
        shapes = np.stack([m, n], axis=1)
        is_suspect = (self.places[:, 1:3] != shapes).any(axis=1) | (not self.are_plain)
        check_output(self.first, tuple(shapes[0].tolist()), type, device)
        for i in np.flatnonzero(is_suspect).tolist():
            check_output(self.view(i), tuple(shapes[i].tolist()), type, device)


class _Group:
    """The arrays of a call, and where they lie."""

    def __init__(self, a: Sequence[Any], b: Sequence[Any], kind: dict[str, Any]):
        if len(a) != len(b):
            raise ValueError(f"b: expected {len(a)} arrays, as a has, but got {len(b)}")
        if not a:
            raise ValueError("a: expected at least one array, but got none")
        # C of each product, where it is added to in another array; else None.
        self.added: list[Any] = []
        self.a = _Matrices(_adopted(a), "a")
        self.b = _Matrices(_adopted(b), "b")
        self.library: Library = library_of(self.a.arrays[0], "a[0]")
        self.sizes = self._sizes(bool(kind["trans_a"]), bool(kind["trans_b"]))

    def _sizes(self, trans_a: bool, trans_b: bool) -> Table:
        """A row of m, n and k for each product."""
        m, k = self.a.extents(trans_a)
        other, n = self.b.extents(trans_b)
        check_pair(0, self.a.first, self.b.first, trans_a, trans_b)
        for i in np.flatnonzero(k != other)[:1].tolist():
            check_pair(i, self.a.view(i), self.b.view(i), trans_a, trans_b)
        sizes: Table = np.array([m, n, k]).T
        return sizes

    def make_outputs(self, out: Sequence[Any] | None, out_dtype: Any) -> None:
        """Finds or makes what is written."""
        type = default_result(self.a.type, self.b.type)
        if out_dtype is not None:
            type = type_name(out_dtype, "out_dtype")
        if out is None:
            shapes = map(tuple, self.sizes[:, :2].tolist())
            made = self.library.make(self.a.arrays[0], shapes, type)
            self.c = _Matrices(made, "out")
            return
        made = _adopted(out)
        if len(made) != len(self.sizes):
            raise ValueError(
                f"out: expected {len(self.sizes)} arrays, but got {len(made)}"
            )
        self.c = _Matrices(made, "out")
        m, n, _ = self.sizes.T
        self.c.check_outputs(
            m, n, type if out_dtype is not None else self.c.type, self.a.device
        )
        # Those that are described may be written.
        for i, array in enumerate(() if self.c.is_described else made):
            if not library_of(array, "out").is_writable(array):
                raise ValueError(f"out[{i}]: expected an array that may be written")
        self.check_apart()

    def check_apart(self) -> None:
        if lie_apart(
            [(x.places, item_bytes(x.type)) for x in (self.c, self.a, self.b)]
        ):
            return
        # Of operands that many products have in common, one.
        read = {
            view: f"{matrices.name}[{i}]"
            for matrices in (self.a, self.b)
            for i, view in enumerate(matrices.views())
        }
        written = self.c.views()
        names = [f"out[{i}]" for i in range(len(written))] + list(read.values())
        found = sharing([*written, *read], len(written))
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
                None if is_there else addend(source, f"c[{i}]", self.c.view(i))
            )

    def bring_c(self) -> None:
        for target, source in zip(self.c.arrays, self.added, strict=False):
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
        for matrices in (self.a, self.b, self.c):
            starts = np.cumsum([0, *(matrices.rows * matrices.columns).tolist()])
            parts = [np.ravel(np.asarray(array)) for array in matrices.arrays]
            flats.append(np.concatenate(parts))
            at.append(starts[:-1].astype(np.int64))
            leading.append(np.maximum(matrices.columns, 1))
        sizes = [np.ascontiguousarray(column) for column in self.sizes.T]
        kernel(*flats, *at, *sizes, *leading, *scales)
        for start, array in zip(at[2], self.c.arrays, strict=True):
            target = np.asarray(array)
            target[...] = flats[2][start : start + target.size].reshape(target.shape)

    def run_on_device(self, kind: Kind, overrides: dict[str, Any], scales: Any) -> None:
        operands = (self.a, self.b, self.c)
        columns = [matrices.places[:, 0] for matrices in operands]
        columns += list(self.sizes.T)
        columns += [matrices.leading() for matrices in operands]
        table = np.array(columns)
        device = self.a.device
        described = self.library.upload(self.a.arrays[0], table)
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
            Where m and n are 33 or less, a block may take whole products: one that
            is much larger takes it long.
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
    kinds = {*map(type, a), *map(type, b)}
    library = known_library(type(a[0])) if a else None
    is_one_kind = all(known_library(kind) is library for kind in kinds)
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
    if part_of(group.a.type)[1]:
        raise TypeError("a: expected real numbers")
    group.make_outputs(out, out_dtype)
    if beta != 0:
        group.add(c, out)
    on_device = group.a.device != HOST
    check_types(group.a.first, group.b.first, precision)
    is_exact = precision == "exact"
    kind = Kind(
        group.a.type if is_exact else precision,
        group.b.type if is_exact else precision,
        group.c.type,
        bytes=on_device,
        **same,
    )
    if on_device:
        group.run_on_device(kind, overrides, scales)
    else:
        group.run_simulated(kind, overrides, scales)
    return list(out or ()) if give is None else [give(c) for c in group.c.arrays]
