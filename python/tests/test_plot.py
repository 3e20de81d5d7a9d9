# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of plans: what they show is what the kernel does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kami
from kami._plot import Part, distribute


def figures(tile: list[int], grid: list[int], slice_k: int) -> dict[str, Any]:
    return {
        "tile": tile,
        "grid": grid,
        "slice_k": slice_k,
        "atom": "mma_sync.m16n8k16.f32.f16",
        "transport": "staged",
    }


def test_two_by_two_warps() -> None:
    """Worked by hand: two stages; column z owns A in stage z, row z owns B."""
    parts = distribute(figures([32, 16, 32], [2, 2, 1], 16))
    assert parts["A"] == [
        Part((0, 16), (0, 16), (0, 0, 0), 0),
        Part((16, 32), (0, 16), (1, 0, 0), 0),
        Part((0, 16), (16, 32), (0, 1, 0), 1),
        Part((16, 32), (16, 32), (1, 1, 0), 1),
    ]
    assert parts["B"] == [
        Part((0, 16), (0, 8), (0, 0, 0), 0),
        Part((0, 16), (8, 16), (0, 1, 0), 0),
        Part((16, 32), (0, 8), (1, 0, 0), 1),
        Part((16, 32), (8, 16), (1, 1, 0), 1),
    ]
    assert [part.warp for part in parts["C"]] == [
        (0, 0, 0),
        (0, 1, 0),
        (1, 0, 0),
        (1, 1, 0),
    ]


@pytest.mark.parametrize("grid", [[1, 1, 1], [4, 1, 1], [2, 2, 2], [2, 3, 1]])
def test_every_element_has_one_owner(grid: list[int]) -> None:
    m, n, k = 50, 37, 90
    shapes = {"A": (m, k), "B": (k, n), "C": (m, n)}
    for name, parts in distribute(figures([m, n, k], grid, 16)).items():
        owners = np.zeros(shapes[name], int)
        for part in parts:
            owners[slice(*part.rows), slice(*part.columns)] += 1
        assert (owners == 1).all()


@pytest.mark.parametrize("overrides", [{}, {"algorithm": "2d", "warps": 4}])
def test_a_figure(overrides: dict[str, Any], tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="no matplotlib")
    matplotlib.use("agg")
    figure = kami.plan(64, 64, 64, "f16", target="sm_90", **overrides).plot()
    assert [axes.get_title() for axes in figure.axes[:3]] == ["A", "B", "C"]
    figure.savefig(tmp_path / "plan.svg")
    assert (tmp_path / "plan.svg").stat().st_size > 1000


def test_the_gallery(tmp_path: Path) -> None:
    """`make docs` draws what docs/gallery shows."""
    pytest.importorskip("matplotlib", reason="no matplotlib")
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, root / "scripts/plan-gallery.py", tmp_path], check=True
    )
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {path.name for path in (root / "docs/gallery").iterdir()}
    shown = re.findall(r"\]\((.*\.svg)\)", (tmp_path / "README.md").read_text())
    assert made == {*shown, "README.md"}
