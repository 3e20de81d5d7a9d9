# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans: how a product is split over the warps of a block, and why."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from ctypes import byref, c_void_p
from typing import Any

from ._devices import describe, simulated_target
from ._html import html_table
from ._kernels import make_options
from ._library import Problem, check, encode, lib, take_bytes
from ._types import accumulator_name, type_name


@dataclasses.dataclass(frozen=True)
class Candidate:
    """One way to split a product.

    `figures` has what the model knows of it: keys in cycles end in `_cycles`, in
    bytes in `_bytes`.
    """

    figures: Mapping[str, Any]
    extents: tuple[int, int, int]

    @property
    def fits(self) -> bool:
        """Whether the chip can do it."""
        return not self.rejected

    @property
    def rejected(self) -> str:
        """Why it cannot be; empty where it fits."""
        reason: str = self.figures["rejected"]
        return reason

    @property
    def attribute(self) -> str | None:
        """The `#kami.plan<...>` that says it; None where it does not fit."""
        return self.figures.get("plan")

    @property
    def cycles(self) -> float:
        """What candidates are sorted by: cycles of the whole problem."""
        cycles: float = self.figures["score_cycles"]
        return cycles

    def __repr__(self) -> str:
        figures = self.figures
        grid = "x".join(map(str, figures["grid"]))
        tile = "x".join(map(str, figures["tile"]))
        what = f"{figures['algorithm']} {grid} tile {tile} {figures['atom']}"
        if self.fits:
            return f"<{what} {figures['transport']}: {self.cycles:.0f} cycles>"
        return f"<{what} {figures['transport']}: {self.rejected}>"


class Plan:
    """How a product is split, and all the ways that lost.

    Made by `kami.plan`; its repr is a table of the best of each algorithm.
    """

    def __init__(self, described: dict[str, Any], table: str) -> None:
        m, n, k = described["gemm"]
        self._described = described
        self._table = table
        self.candidates = tuple(
            Candidate(figures, (m, n, k)) for figures in described["candidates"]
        )
        """All candidates, best first; those that do not fit say why."""

    @property
    def best(self) -> Candidate:
        """The candidate that is used."""
        return self.candidates[0]

    @property
    def attribute(self) -> str:
        """The `#kami.plan<...>` of the best."""
        return str(self.best.attribute)

    @property
    def predicted(self) -> float:
        """Seconds of all products on the device."""
        microseconds: float = self._described["microseconds"]
        return microseconds * 1e-6

    def to_dict(self) -> dict[str, Any]:
        """What `kami-plan --format=json --all` prints."""
        return dict(self._described)

    def __repr__(self) -> str:
        return self._table.rstrip()

    def _repr_html_(self) -> str:
        rows = [c for c in self.candidates if c.fits][:12]
        names = ("algorithm", "grid", "tile", "atom", "transport", "registers")
        cells = [
            [*(row.figures[name] for name in names), f"{row.cycles:.0f}"]
            for row in rows
        ]
        return html_table(self._table.partition("\n")[0], (*names, "cycles"), cells)

    def plot(self, axes: Any = None) -> Any:
        """Who holds what, stage by stage, and where the cycles go.

        Needs matplotlib. `axes` are four of matplotlib's, or None for a new
        figure. Returns the figure.
        """
        from ._plot import plot_plan

        return plot_plan(self, axes)


def _count(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: expected a number, but got {value!r}")
    number = int(value)
    if not least <= number <= 2**31:
        raise ValueError(f"{name}: expected from {least} to {2**31}, but got {number}")
    return number


def default_target() -> str:
    """The first CUDA device's chip, or the one that is simulated."""
    if lib.kamiDeviceGetCount() > 0:
        return describe(0).target
    return simulated_target()


def plan(
    m: int,
    n: int,
    k: int,
    dtype: Any,
    *,
    accumulator: Any = None,
    batch: int | None = None,
    target: str | None = None,
    **overrides: Any,
) -> Plan:
    """How the product of an m x k and a k x n matrix would be split, and why.

    Args:
        m, n, k: extents, each from 1 on.
        dtype: of A's and B's elements: NumPy's or PyTorch's, or a name: "f16",
            "bf16", "tf32", "tf32x3", "f32", "f64", "f8E4M3FN", "f8E5M2", "i8".
        accumulator: of the sums, where it is not dtype's usual one.
        batch: products of a launch, of which each adds up as it would in any other
            batch; None for one that is in none, as `gemm` multiplies two matrices.
        target: the chip, one of `kami.targets()`; the first CUDA device's, or
            that of the simulator where there is none.
        overrides: algorithm ("1d", "2d", "3d"), unit ("warp", "warpgroup",
            "lane"), tile (three extents), warps and stages (numbers), copies
            ("threads" or "bulk", by the copy engine), taken (of blocks in turn,
            the last turns of tiles that they take as they are done with others,
            or -1 for none), model ("calibrated" or "paper"), calibration (a
            file of `kami-bench calibrate`).

    Returns:
        A `Plan`; cycles are a model's, of the chip's clock.

    Raises:
        TypeError, ValueError: an argument, named first in the message, or that
            nothing fits.
    """
    target = target or default_target()
    problem = Problem(
        m=_count("m", m, 1),
        n=_count("n", n, 1),
        k=_count("k", k, 1),
        batch=0 if batch is None else _count("batch", batch, 1),
        type=type_name(dtype).encode(),
        accumulator=encode(accumulator_name(accumulator)),
    )
    options = make_options(target, overrides)
    described, table = c_void_p(), c_void_p()
    check(lib.kamiPlan(byref(problem), byref(options), byref(described), byref(table)))
    return Plan(json.loads(take_bytes(described)), take_bytes(table).decode())
