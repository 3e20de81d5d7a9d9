# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures plans instead of believing the model."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from collections.abc import Iterator
from ctypes import byref, c_uint64
from typing import Any

import numpy as np

from . import _cache
from ._arrays import dense_strides
from ._compile import compile
from ._devices import OpenDevice, open_device
from ._html import html_table
from ._kernels import Launch, request_of
from ._library import DeviceError, check, lib
from ._matmul import remember_plan
from ._plan import Candidate, plan
from ._types import numpy_dtype


@dataclasses.dataclass(frozen=True)
class Timing:
    """A candidate and how long it took."""

    candidate: Candidate
    microseconds: float


@dataclasses.dataclass(frozen=True)
class Tuning:
    """What was measured, fastest first, and where the model's choice stands."""

    timings: tuple[Timing, ...]
    choice: Timing

    @property
    def best(self) -> Timing:
        """The fastest."""
        return self.timings[0]

    @property
    def regret(self) -> float:
        """Time of the model's choice over that of the fastest, from 1 on."""
        return self.choice.microseconds / self.best.microseconds

    def _summary(self) -> str:
        return (
            f"{len(self.timings)} candidates measured; the model's choice takes "
            f"{self.regret:.3f} times the fastest"
        )

    def _repr_html_(self) -> str:
        names = ("algorithm", "grid", "tile", "atom", "transport")
        rows = [
            [*(t.candidate.figures[name] for name in names), f"{t.microseconds:.2f}"]
            for t in self.timings[:12]
        ]
        return html_table(self._summary(), (*names, "µs"), rows)

    def __repr__(self) -> str:
        lines = [self._summary()]
        lines += [
            f"  {t.microseconds:9.2f} us  {t.candidate!r}" for t in self.timings[:5]
        ]
        return "\n".join(lines)


def _progress(candidates: list[Candidate]) -> Iterator[Candidate]:
    """Shows how far it is, to somebody who looks."""
    # A notebook's kernel has no terminal, but somebody who looks.
    shows = sys.stderr.isatty() or "ipykernel" in sys.modules
    for number, candidate in enumerate(candidates, 1):
        if shows:
            share = 40 * number // len(candidates)
            bar = "#" * share + "." * (40 - share)
            sys.stderr.write(f"\r[{bar}] {number}/{len(candidates)}")
        yield candidate
    if shows:
        sys.stderr.write("\n")


@contextlib.contextmanager
def _memory(
    device: OpenDevice, arrays: list[tuple[int, np.dtype[Any]]]
) -> Iterator[list[int]]:
    """Device memory of so many random elements: zeros take less power, and time."""
    addresses: list[int] = []
    some = np.random.default_rng(0).uniform(-1, 1, 2**16)
    try:
        for count, dtype in arrays:
            address, size = c_uint64(), count * dtype.itemsize
            check(lib.kamiDeviceAllocate(device.pointer, size, byref(address)))
            addresses.append(address.value)
            drawn = some if dtype.kind not in "iu" else np.abs(some) * 100
            values = np.resize(drawn.astype(dtype), count)
            data = values.ctypes.data
            check(lib.kamiDeviceWrite(device.pointer, address, data, size))
        yield addresses
    finally:
        for found in addresses:
            lib.kamiErrorDestroy(lib.kamiDeviceFree(device.pointer, found))


def tune(
    m: int,
    n: int,
    k: int,
    dtype: Any,
    *,
    batch: int = 1,
    device: int = 0,
    candidates: int | None = None,
    repeats: int = 20,
    **overrides: Any,
) -> Tuning:
    """Times every candidate that fits on a CUDA device, and remembers the best.

    Where there are no overrides, `bmm`, `gemm` of batches and `compile` with
    `batch` take the fastest from then on for such matrices without gaps on chips
    of this kind, in this process (but for calls like earlier ones) and in those
    that share the cache.

    Args:
        m, n, k, dtype, batch: as for `plan`.
        device: number of the CUDA device.
        candidates: so many of them, best predicted first; all where it is None.
        repeats: timed launches, of which the median counts.
        overrides: as for `plan`.

    Returns:
        A `Tuning`; its `best.candidate` can be given to `compile` and `gemm` as
        `plan`. Times are kept in the cache, by problem, device and driver.

    Raises:
        kami.DeviceError: there is no such device.
    """
    if lib.kamiDeviceGetCount() <= device:
        raise DeviceError(
            f"device: expected a CUDA device, but got number {device} of "
            f"{lib.kamiDeviceGetCount()}"
        )
    opened = open_device(device)
    target = opened.description.target
    asked = plan(m, n, k, dtype, batch=batch, target=target, **overrides)
    fitting = [c for c in asked.candidates if c.fits][:candidates]
    asked_for = request_of(
        "tune", m, n, k, str(dtype), batch, opened.description.name, target,
        opened.driver_version, repeats, [c.attribute for c in fitting],
    )  # fmt: skip
    key = _cache.key_of(asked_for)
    kept = _cache.load(key, "times")
    times: list[float] = json.loads(kept) if kept else []
    if len(times) != len(fitting):
        times = [
            _time(opened, candidate, dtype, (batch, m, n, k), repeats)
            for candidate in _progress(fitting)
        ]
        _cache.store(key, "times", json.dumps(times).encode())
    timings = [Timing(*pair) for pair in zip(fitting, times, strict=True)]
    ordered = tuple(sorted(timings, key=lambda timing: timing.microseconds))
    fastest = ordered[0].candidate.attribute
    if fastest is not None and not overrides:
        kernel = compile(m, n, k, dtype, batch=True, target=target, plan=fastest)
        remember_plan(kernel.program, fastest)
    return Tuning(ordered, timings[0])


def _time(
    device: OpenDevice,
    candidate: Candidate,
    dtype: Any,
    extents: tuple[int, int, int, int],
    repeats: int,
) -> float:
    batch, m, n, k = extents
    target = device.description.target
    kernel = compile(m, n, k, dtype, batch=True, target=target, plan=candidate)
    program = kernel.program
    shapes = [(batch, m, k), (batch, k, n), (batch, m, n)]
    described = [(0, shape, dense_strides(shape)) for shape in shapes]
    launch = Launch(program.executable(device.description.number), described)
    elements = [a["element"] for a in program.description["arguments"]]
    arrays = [
        (int(np.prod(shape)), numpy_dtype(element))
        for shape, element in zip(shapes, elements, strict=True)
    ]
    with _memory(device, arrays) as addresses:
        return launch.time(addresses, repeats)
