# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of products that have sizes of their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from ctypes import byref
from typing import Any

from ._arrays import HOST, View
from ._devices import overrides_for, target_of
from ._kernels import Kernel, make_options, program_for, request_of, scalar_bits
from ._library import Grouped, encode, lib
from ._product import default_accumulator


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

    def compile(
        self, typical: Sequence[int], target: str, overrides: dict[str, Any]
    ) -> Kernel:
        request = request_of("grouped", self.__dict__, typical, target, overrides)
        known = _kernels.get(request)
        if known is not None:
            return known
        grouped = Grouped(
            typeA=self.a.encode(),
            typeB=self.b.encode(),
            typeC=self.c.encode(),
            accumulator=encode(self.accumulator),
            transposeA=self.trans_a,
            transposeB=self.trans_b,
            hasAlpha=self.has_alpha,
            hasBeta=self.has_beta,
            bytes=self.bytes,
            typicalM=typical[0],
            typicalN=typical[1],
            typicalK=typical[2],
        )
        options = make_options(target, overrides)
        program = program_for(
            request,
            lambda out: lib.kamiCompileGrouped(byref(grouped), byref(options), out),
        )
        # With the launches that it has been bound to.
        kernel = _kernels[request] = Kernel(program)
        return kernel


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
) -> None:
    """`count` products of matrices in flat arrays of A, B and C.

    `rows` are the addresses of nine arrays of `count` int64, on the arrays' device:
    positions in A, B and C, m, n and k, and leading dimensions.
    """
    device = flat[2].device
    overrides = overrides_for(device, overrides)
    kernel = kind.compile(typical, target_of(device), overrides)
    described: list[Any] = [(x.address, x.shape, x.strides) for x in flat]
    described += [(row, (count,), (1,)) for row in rows]
    accumulator = kind.accumulator or default_accumulator(kind.a)
    described += [(scalar_bits(scale, accumulator, "alpha"),) for scale in scales]
    if device == HOST:
        kernel.program.simulate(described)
        return
    launch = kernel.bind(described, device).runner(len(described))
    launch(stream, *(words[0] for words in described))
