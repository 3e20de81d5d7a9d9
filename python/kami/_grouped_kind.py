# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of products that have sizes of their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from ctypes import byref
from typing import Any, NamedTuple

from ._arrays import HOST, View
from ._devices import overrides_for, target_of
from ._kernels import (
    Kernel,
    Program,
    is_known,
    make_options,
    program_for,
    request_of,
    scalar_bits,
)
from ._library import Grouped, call_for_text, encode, lib
from ._product import default_accumulator
from ._stand_in import grouped_stand_in
from ._sum_order import SumOrder


@dataclasses.dataclass(frozen=True)
class Kind:
    """What all products have in common."""

    a: str
    b: str
    c: str
    accumulator: str | None
    trans_a: bool
    trans_b: bool
    has_alpha: bool
    has_beta: bool
    # Positions are addresses; else elements of flat arrays.
    bytes: bool

    def flat(self, device: int) -> list[View]:
        """Arrays that begin at address 0, in which positions are pointers."""
        return [View(0, (0,), (1,), one, device) for one in (self.a, self.b, self.c)]

    def scale_bits(self, scales: Sequence[float]) -> list[int]:
        """Alpha and beta, as far as there are any, as the kernel is given them."""
        accumulator = self.accumulator or default_accumulator(self.a)
        names = ["alpha"] * self.has_alpha + ["beta"] * self.has_beta
        return [
            scalar_bits(scale, accumulator, name)
            for name, scale in zip(names, scales, strict=True)
        ]

    def source(
        self, typical: Sequence[int], target: str, overrides: dict[str, Any]
    ) -> GroupedSource:
        request = request_of("grouped", self.__dict__, typical, target, overrides)
        return GroupedSource(self, tuple(typical), target, overrides, request)

    def compile(
        self, typical: Sequence[int], target: str, overrides: dict[str, Any]
    ) -> Kernel:
        return self.source(typical, target, overrides).kernel()


class GroupedSource(NamedTuple):
    """What a program is compiled from, and as a text."""

    kind: Kind
    typical: tuple[int, ...]
    target: str
    overrides: dict[str, Any]
    text: str

    def to_c(self) -> Grouped:
        kind, typical = self.kind, self.typical
        return Grouped(
            typeA=kind.a.encode(),
            typeB=kind.b.encode(),
            typeC=kind.c.encode(),
            accumulator=encode(kind.accumulator),
            transposeA=kind.trans_a,
            transposeB=kind.trans_b,
            hasAlpha=kind.has_alpha,
            hasBeta=kind.has_beta,
            bytes=kind.bytes,
            typicalM=typical[0],
            typicalN=typical[1],
            typicalK=typical[2],
        )

    def is_known(self) -> bool:
        """Whether `program` need not compile."""
        return is_known(self.text)

    def program(self) -> Program:
        grouped, options = self.to_c(), make_options(self.target, self.overrides)
        return program_for(
            self.text,
            lambda out: lib.kamiCompileGrouped(byref(grouped), byref(options), out),
        )

    def kernel(self) -> Kernel:
        """The program, with the launches that it has been bound to."""
        known = _kernels.get(self.text)
        if known is None:
            known = _kernels[self.text] = Kernel(self.program())
        return known

    def sum_order(self) -> SumOrder:
        """As that of products of one size."""
        grouped, options = self.to_c(), make_options(self.target, self.overrides)
        get = lib.kamiGetGroupedSumOrder
        return SumOrder.of(call_for_text(get, byref(grouped), byref(options)))


_kernels: dict[str, Kernel] = {}


def rows_of(table: int, count: int) -> list[int]:
    """The addresses of nine arrays of `count` int64 that lie behind each other."""
    return [table + 8 * count * row for row in range(9)]


def multiply_rows(
    kind: Kind,
    typical: tuple[int, int, int],
    count: int,
    flat: Sequence[View],
    rows: Sequence[int],
    scales: Sequence[float],
    overrides: dict[str, Any],
    stream: int,
    prepare: Callable[[], None] = lambda: None,
) -> None:
    """`count` products of matrices in flat arrays of A, B and C.

    `rows` are the addresses of nine arrays of `count` int64, on the arrays' device:
    positions in A, B and C, m, n and k, and leading dimensions. `prepare` is called
    when nothing is left that may be refused.
    """
    device = flat[2].device
    source = kind.source(typical, target_of(device), overrides_for(device, overrides))
    # Who says what is to be run has it run.
    if device != HOST and not overrides:
        source, scales = _chosen(source, scales, device, stream)
    kernel = source.kernel()
    described: list[Any] = [(x.address, x.shape, x.strides) for x in flat]
    described += [(row, (count,), (1,)) for row in rows]
    described += [(bits,) for bits in source.kind.scale_bits(scales)]
    if device == HOST:
        prepare()
        kernel.program.simulate(described)
        return
    launch = kernel.bind(described, device).runner(len(described))
    prepare()
    launch(stream, *(words[0] for words in described))


def kind_for_any(kind: Kind) -> Kind:
    """Of what stands in: with alpha and beta, which may leave every bit as it is."""
    return dataclasses.replace(kind, has_alpha=True, has_beta=True)


# Extents of which some are no multiples of 16: rows begin anywhere.
TYPICAL_OF_ANY = (65, 65, 65)


def _chosen(
    source: GroupedSource, scales: Sequence[float], device: int, stream: int
) -> tuple[GroupedSource, Sequence[float]]:
    """What computes products like these: the source's program, or one that stands
    in until it is compiled; and the scales that it takes."""
    if source.text in _kernels:
        return source, scales
    kind = kind_for_any(source.kind)
    m, n, k = source.typical
    found = grouped_stand_in(source, kind, (m, n, k), device, stream)
    if found is None:
        return source, scales
    given = iter(scales)
    alpha = next(given) if source.kind.has_alpha else 1
    # See _any_size.py for the sign.
    beta = next(given) if source.kind.has_beta else -0.0
    overrides = dict(found.overrides)
    return kind.source(TYPICAL_OF_ANY, source.target, overrides), (alpha, beta)
