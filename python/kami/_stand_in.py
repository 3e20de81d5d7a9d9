# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that compute products until those of their sizes are compiled.

To the same bits: a stand-in is a program that was compiled ahead, for products of
any size, and adds up in the same order.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from ctypes import byref, c_int, c_uint64
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from . import _ahead, _background
from ._any_size import (
    request_for_all_sums,
    request_for_any,
    request_for_transposed,
)
from ._devices import open_device
from ._kernels import Program
from ._library import check, lib
from ._matmul import Request, Source, compile_request
from ._sum_order import Layers, SumOrder
from ._types import numpy_dtype

PATIENCE = 0.1
"""Seconds that a call waits for the program of its sizes. Who has called once,
to have it compiled, and times the second call, is to see little of that."""

Awaited = Future[Program]
T = TypeVar("T")

_jobs: dict[tuple[str, int], Awaited] = {}
"""Programs that are being compiled and assembled, by source and device."""

os.register_at_fork(after_in_child=_jobs.clear)


def _is_capturing(device: int, stream: int) -> bool:
    """Whether a launch becomes part of a graph, which is to have the best kernel."""
    answer = c_int()
    error = lib.kamiDeviceIsCapturing(
        open_device(device).pointer, stream, byref(answer)
    )
    if error:
        # The default stream must not be used while others are captured.
        lib.kamiErrorDestroy(error)
        return True
    return bool(answer.value)


def is_there(
    awaited: Awaited, device: int, stream: int, since: float | None = None
) -> bool:
    """Whether a program is compiled, after some patience if need be, of a call that
    has waited since a time of `time.monotonic`."""
    if not awaited.done():
        if _is_capturing(device, stream):
            _background.hurry(awaited)
            wait([awaited])
        else:
            waited = 0 if since is None else time.monotonic() - since
            wait([awaited], max(PATIENCE - waited, 0))
    return awaited.done()


class Compilable(Protocol):
    """What a program is compiled from."""

    @property
    def text(self) -> str: ...
    @property
    def target(self) -> str: ...
    def is_known(self) -> bool: ...
    def program(self) -> Program: ...
    def sum_order(self) -> SumOrder: ...


def _at_hand(source: Compilable, device: int) -> Program | None:
    """The program, where it need neither be compiled nor assembled."""
    if not source.is_known():
        return None
    program = source.program()
    is_assembled = program.ahead is not None or program.is_assembled(
        open_device(device)
    )
    return program if is_assembled else None


def _start(source: Compilable, device: int) -> Awaited:
    key = (source.text, device)
    found = _jobs.get(key)
    if found is not None:
        return found

    def make() -> Program:
        program = source.program()
        program.assemble(open_device(device))
        return program

    started = _jobs[key] = _background.submit(make)
    started.add_done_callback(lambda _: _jobs.pop(key, None))
    return started


class Chosen(NamedTuple):
    """A program for a product, or one that stands in."""

    program: Program
    request: Request
    """What the program is for: a stand-in takes arrays as `widened` has them, and
    more than the product may have."""
    neutral: Mapping[str, int]
    """Addresses of what a stand-in takes instead of what there is not."""
    awaited: Awaited | None
    """What it stands in for."""
    is_transposed: bool = False
    """Whether it computes the transpose of C: of B's transpose and A's."""
    layers: Layers | None = None
    """Of its sums, where they are the launch's to say."""


@functools.cache
def _neutral(device: int, type: str) -> Mapping[str, int]:
    """Of an epilogue's arrays, by name: elements that leave every bit as it is."""
    if type == "bf16":
        # The upper halves of f32, of which NumPy has no type.
        values = np.array([1, -0.0], np.float32).view(np.uint16)[1::2].copy()
    else:
        values = np.array([1, -0.0], numpy_dtype(type))
    address = c_uint64()
    check(
        lib.kamiDeviceKeep(
            open_device(device).pointer,
            values.ctypes.data,
            values.nbytes,
            byref(address),
        )
    )
    factor, term = address.value, address.value + values.itemsize
    return {"row_scale": factor, "bias": term, "residual": term}


def stand_ins_for(like: Request) -> Iterator[Request]:
    """What stands in for such a product, the fastest first."""
    is_plain = not (
        like.has_alpha or like.has_beta or like.extras or like.activation is not None
    )
    wide = [request_for_any(like, aligned_rows=False)] if is_plain else []
    return filter(None, [*wide, request_for_all_sums(like)])


def _stands_in(like: Request, target: str) -> bool:
    """Whether there are programs for such products."""
    kinds = (_ahead.kind_of(each, target) for each in stand_ins_for(like))
    return any(map(_ahead.knows, kinds))


class _Found(NamedTuple):
    ahead: _ahead.Ahead
    request: Request
    layers: Layers | None


def _find(
    like: Request, source: Source, extents: tuple[int, int, int], aligned_rows: bool
) -> _Found | None:
    """A program that adds up as the source's."""
    order = source.sum_order()
    layers = order.layers_of(extents[2])
    if layers is None:
        return None
    for wide in stand_ins_for(like):
        if layers.number > 1 and not wide.has_layers:
            continue
        kind = _ahead.kind_of(wide, source.target)
        ahead = _ahead.find(kind, order.terms, extents, aligned_rows, source.target)
        if ahead is None:
            continue
        if not wide.has_layers:
            request = request_for_any(like, ahead.aligned_rows)
            assert request is not None
            return _Found(ahead, request, None)
        return _Found(ahead, wide, layers)
    return None


def _meanwhile(
    source: Compilable, device: int, stream: int, find: Callable[[], T | None]
) -> tuple[T, Awaited] | None:
    """What `find` says computes a product until the source's program is there, and
    what is awaited; None where that is there, after all that it takes if nothing
    stands in."""
    if _at_hand(source, device) is not None:
        return None
    begin = time.monotonic()
    awaited = _start(source, device)
    found = find()
    if found is None:
        _background.hurry(awaited)
    if found is None or is_there(awaited, device, stream, begin):
        awaited.result()
        return None
    return found, awaited


def choose(
    source: Source,
    extents: tuple[int, int, int],
    aligned_rows: bool,
    device: int,
    stream: int,
) -> Chosen:
    """The program for such a product, or a stand-in and the one that is awaited."""

    def own(program: Program) -> Chosen:
        return Chosen(program, source.request, {}, None)

    is_transposed = source.request.c.layout == "columns"
    like: Request | None = source.request
    if is_transposed:
        like = request_for_transposed(source.request)
        m, n, k = extents
        extents = n, m, k
    if like is None or not _stands_in(like, source.target):
        return own(source.program())

    def find() -> _Found | None:
        return _find(like, source, extents, aligned_rows)

    meanwhile = _meanwhile(source, device, stream, find)
    if meanwhile is None:
        return own(source.program())
    found, awaited = meanwhile
    request = found.request
    return Chosen(
        compile_request(request, source.target, dict(found.ahead.overrides)),
        request,
        _neutral(device, request.c.type) if request.extras else {},
        awaited,
        is_transposed,
        found.layers,
    )


def grouped_stand_in(
    source: Compilable,
    kind: Any,
    typical: tuple[int, int, int],
    device: int,
    stream: int,
) -> _ahead.Ahead | None:
    """What computes products of sizes of their own until the source's program is
    there. `kind` is what stand-ins are alike in. None where the program is there,
    or nothing stands in, when it is."""
    name = _ahead.kind_of(kind, source.target)
    if not _ahead.knows(name):
        return None

    def find() -> _ahead.Ahead | None:
        terms = source.sum_order().terms
        return _ahead.find(name, terms, typical, False, source.target)

    meanwhile = _meanwhile(source, device, stream, find)
    return meanwhile[0] if meanwhile is not None else None
