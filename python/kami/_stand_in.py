# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that compute products until those of their sizes are compiled.

To the same bits: a stand-in is a program that was compiled ahead, for products of
any size, and adds up in the same order.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, wait
from ctypes import byref, c_int

from . import _ahead, _background
from ._devices import open_device
from ._kernels import Program
from ._library import lib
from ._matmul import Source, compile_request, request_for_any

PATIENCE = 0.1
"""Seconds that a call waits for the program of its sizes. Who has called once,
to have it compiled, and times the second call, is to see little of that."""

Awaited = Future[Program]

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


def is_there(awaited: Awaited, device: int, stream: int) -> bool:
    """Whether a program is compiled, after some patience if need be."""
    if not awaited.done():
        wait([awaited], None if _is_capturing(device, stream) else PATIENCE)
    return awaited.done()


def _at_hand(source: Source, device: int) -> Program | None:
    """The program, where it need neither be compiled nor assembled."""
    if not source.is_known():
        return None
    program = source.program()
    return program if program.is_assembled(open_device(device)) else None


def _start(source: Source, device: int) -> Awaited:
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


def program_of(
    source: Source,
    extents: tuple[int, int, int],
    aligned_rows: bool,
    device: int,
    stream: int,
) -> tuple[Program, Awaited | None]:
    """The program for such a product, or a stand-in and the one that is awaited.

    A stand-in takes arrays as `widened` has them.
    """
    wide = request_for_any(source.request, aligned_rows=False)
    kind = None if wide is None else _ahead.kind_of(wide, source.target)
    if kind is None or not _ahead.knows(kind):
        return source.program(), None
    program = _at_hand(source, device)
    if program is not None:
        return program, None
    awaited = _start(source, device)
    found = _ahead.find(kind, source.sum_order(), extents, aligned_rows, source.target)
    if found is None or is_there(awaited, device, stream):
        return awaited.result(), None
    request = request_for_any(source.request, found.aligned_rows)
    assert request is not None
    return compile_request(request, source.target, dict(found.overrides)), awaited
