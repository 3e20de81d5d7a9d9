# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that were compiled ahead, for products of any size.

A folder beside the library, or the one that KAMI_AHEAD_DIR names (empty: none):
`index.json` says what each was compiled from and in which order it adds up, and
of each there are the program and what NVIDIA's assembler made of it, compressed.
scripts/compile-ahead.py makes it. Programs of another library are not looked at.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import lzma
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from . import _library


def library_identity() -> str:
    """A wheel's files have its time, not the library's."""
    size = os.stat(_library.LIBRARY_PATH).st_size
    return f"{_library.version()} {size}"


def name_of(text: str) -> str:
    """The name of a program's files, of a request's text."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]


# Elements that a tile's side could have more instead of its begin: with 32 instead
# of none, f64 65 takes stand-ins 1.3 times as long as its own kernel, not 1.6.
_START = 32


@dataclasses.dataclass(frozen=True)
class Ahead:
    """A program, as the index has it."""

    kind: str
    """What it stands in for; see `kind_of`. Empty where it does not."""
    aligned_rows: bool
    overrides: Mapping[str, Any]
    """What is settled of its plan; the "tile" is."""
    order: str
    """Of its sums; see `kamiGetSumOrder`."""
    name: str
    chips: list[str]
    """Those that it is assembled for."""

    def work(self, m: int, n: int, k: int) -> int:
        """How much there is to do for such a product, beyond its edges, too."""
        rows, columns, depth = map(int, self.overrides["tile"].split("x"))
        return (
            -(-m // rows)
            * (rows + _START)
            * -(-n // columns)
            * (columns + _START)
            * -(-k // depth)
            * depth
        )


def kind_of(request: Any, target: str) -> str:
    """What stand-ins have to be alike in, of a request for any product without
    aligned rows."""
    asked = json.dumps([dataclasses.asdict(request), target])
    return name_of(asked)


def folder() -> pathlib.Path | None:
    named = os.environ.get("KAMI_AHEAD_DIR")
    if named is not None:
        return pathlib.Path(named) if named else None
    return pathlib.Path(_library.LIBRARY_PATH).with_name("ahead")


@functools.lru_cache(1)
def _index(where: pathlib.Path | None) -> dict[str, Ahead]:
    """All programs, by name."""
    if where is None:
        return {}
    try:
        index = json.loads((where / "index.json").read_bytes())
        if index["library"] != library_identity():
            return {}
        return {each["name"]: Ahead(**each) for each in index["programs"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def contains(name: str) -> bool:
    return name in _index(folder())


def count() -> int:
    return len(_index(folder()))


def knows(kind: str) -> bool:
    return any(each.kind == kind for each in _index(folder()).values())


def load(name: str, kind: str) -> bytes | None:
    """A file of a program that is there; None where it cannot be read."""
    where = folder()
    if where is None or not contains(name):
        return None
    try:
        return lzma.decompress((where / f"{name}.{kind}.xz").read_bytes())
    except (OSError, lzma.LZMAError):
        return None


def find(
    kind: str, order: str, extents: tuple[int, int, int], aligned_rows: bool, chip: str
) -> Ahead | None:
    """The one that does such a product with the least work, if any can."""
    able = [
        each
        for each in _index(folder()).values()
        if each.kind == kind
        and chip in each.chips
        and each.order == order
        and (aligned_rows or not each.aligned_rows)
    ]
    # Of equals, those that count on aligned rows, and the largest tiles.
    return min(
        able,
        key=lambda each: (
            each.work(*extents),
            not each.aligned_rows,
            -each.work(1, 1, 1),
        ),
        default=None,
    )
