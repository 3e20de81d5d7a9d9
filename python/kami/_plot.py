# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of plans, as figures 5 and 6 of the KAMI paper (SC '25) draw them."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a matrix, and the warp that holds it: its row, column and layer."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    # None where all threads of the block copy it to shared memory.
    warp: tuple[int, int, int] | None
    # In which stage it is broadcast; C's parts are in none.
    stage: int | None = None


def _split(extent: int, parts: int, unit: int) -> list[tuple[int, int]]:
    """Ranges of whole units, those that have an element."""
    step = -(-extent // (parts * unit)) * unit
    return [(x, min(x + step, extent)) for x in range(0, extent, step)]


def distribute(figures: Mapping[str, Any]) -> dict[str, list[Part]]:
    """Who holds what of a block's tile, by include/kami/Layout/Partition.h.

    k is cut into lcm(rows, columns) stages, a stage into a part for each layer. In
    stage z the warps of column z (in turn) own A's part, those of row z B's.
    """
    m, n, k = figures["tile"]
    rows, columns, layers = figures["grid"]
    atom = re.search(r"m(\d+)n(\d+)k", figures["atom"])
    unit_m, unit_n = map(int, atom.groups()) if atom else (1, 1)
    of_m, of_n = _split(m, rows, unit_m), _split(n, columns, unit_n)
    parts: dict[str, list[Part]] = {"A": [], "B": [], "C": []}
    is_copied = figures["transport"] == "copied"
    stages = math.lcm(rows, columns)
    for index, along in enumerate(_split(k, stages * layers, figures["slice_k"])):
        stage, layer = divmod(index, layers)
        for row, extent in enumerate(of_m):
            owner = None if is_copied else (row, stage % columns, layer)
            parts["A"].append(Part(extent, along, owner, stage))
        for column, extent in enumerate(of_n):
            owner = None if is_copied else (stage % rows, column, layer)
            parts["B"].append(Part(along, extent, owner, stage))
    for row, extent in enumerate(of_m):
        for column, other in enumerate(of_n):
            parts["C"].append(Part(extent, other, (row, column, 0)))
    return parts


def _draw_matrix(axes: Any, name: str, parts: list[Part], grid: list[int]) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    colors = colormaps["viridis"].resampled(grid[0] * grid[1] * grid[2] + 1)
    for part in parts:
        if part.warp is None:
            face: Any = "lightgray"
            label = f"all\ns{part.stage}"
        else:
            row, column, layer = part.warp
            number = (layer * grid[0] + row) * grid[1] + column
            face = colors(number)
            label = f"w{number}" + f"\ns{part.stage}" * (part.stage is not None)
        corner = (part.columns[0], part.rows[0])
        width = part.columns[1] - part.columns[0]
        height = part.rows[1] - part.rows[0]
        axes.add_patch(Rectangle(corner, width, height, fc=face, ec="white", alpha=0.6))
        axes.text(
            corner[0] + width / 2,
            corner[1] + height / 2,
            label,
            ha="center",
            va="center",
            fontsize=7,
        )
    axes.set_xlim(0, max(part.columns[1] for part in parts))
    axes.set_ylim(max(part.rows[1] for part in parts), 0)
    axes.set_title(name)


_COSTS = (
    ("block_communication_cycles", "communication"),
    ("block_computation_cycles", "computation"),
    ("block_memory_cycles", "memory"),
)


def _draw_cycles(axes: Any, plan: Any) -> None:
    """The best of each algorithm; what takes longest hides the rest."""
    best: dict[str, Mapping[str, Any]] = {}
    for candidate in plan.candidates:
        if candidate.fits:
            best.setdefault(candidate.figures["algorithm"], candidate.figures)
    for number, (key, label) in enumerate(_COSTS):
        places = [i + 0.25 * (number - 1) for i in range(len(best))]
        heights = [figures.get(key, 0) for figures in best.values()]
        axes.bar(places, heights, 0.22, label=label)
    axes.set_xticks(range(len(best)), list(best))
    axes.set_ylabel("cycles of a block")
    axes.legend(fontsize=7)


def plot_plan(plan: Any, axes: Any = None) -> Any:
    """Draws A, B and C of the best candidate's tile, and cycles, on four axes."""
    if axes is None:
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(1, 4, figsize=(13, 3.4), layout="constrained")
    else:
        figure = axes[0].figure
    figures = plan.best.figures
    for place, (name, parts) in zip(axes, distribute(figures).items(), strict=False):
        _draw_matrix(place, name, parts, figures["grid"])
    _draw_cycles(axes[3], plan)
    return figure
