# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that were compiled ahead, for products of any size.

A folder beside the library, or the one that KAMI_AHEAD_DIR names (empty: none):
`index.json` says what each was compiled from and in which order it adds up, and
archives have the programs and what NVIDIA's assembler made of them. Programs that
are alike share an archive, which takes less room than one for each.
scripts/compile-ahead.py makes it. Programs of another library are not looked at.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import hashlib
import json
import lzma
import os
import pathlib
import tarfile
from collections.abc import Mapping, Sequence
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
    """What is settled of its plan."""
    tile: Sequence[int]
    terms: str
    """How it adds up the terms of a layer; see `SumOrder`."""
    name: str
    archive: str
    chips: list[str]
    """Those that it is assembled for."""

    def work(self, m: int, n: int, k: int) -> int:
        """How much there is to do for such a product, beyond its edges, too."""
        rows, columns, depth = self.tile
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


@functools.lru_cache(1)
def _by_kind(where: pathlib.Path | None) -> Mapping[str, list[Ahead]]:
    found: dict[str, list[Ahead]] = {}
    for each in _index(where).values():
        found.setdefault(each.kind, []).append(each)
    return found


def contains(name: str) -> bool:
    return name in _index(folder())


def count() -> int:
    return len(_index(folder()))


def knows(kind: str) -> bool:
    return kind in _by_kind(folder())


def members_of(name: str, program: bytes, images: Mapping[str, bytes]) -> Files:
    """What an archive has of a program: what `Program.save` gave, and of each chip
    what `Program.assemble` does, with codes as files of their own, not in base 64,
    which hardly compresses."""
    saved = json.loads(program)
    files = {}
    for number, kernel in enumerate(saved["kernels"]):
        files[f"{name}/{number}"] = base64.b64decode(kernel.pop())
    for chip, image in images.items():
        for number, code in enumerate(json.loads(image)):
            files[f"{name}/{chip}/{number}"] = base64.b64decode(code)
    return {f"{name}/program": json.dumps(saved).encode(), **files}


Files = dict[str, bytes]


@functools.lru_cache(2)
def _archive(path: pathlib.Path) -> Files:
    """All files of an archive: a program and its images are read one by one."""
    files = {}
    with tarfile.open(path) as archive:
        for member in archive:
            contents = archive.extractfile(member)
            assert contents is not None
            files[member.name] = contents.read()
    return files


def _files(name: str) -> Files | None:
    """Those of an archive that has a program; None where it cannot be read."""
    where = folder()
    if where is None or not contains(name):
        return None
    try:
        return _archive(where / _index(where)[name].archive)
    except (OSError, tarfile.TarError, lzma.LZMAError, EOFError):
        return None


def program(name: str) -> bytes | None:
    """What `Program.save` gave; None where nothing was compiled or can be read."""
    files = _files(name)
    if files is None:
        return None
    try:
        saved = json.loads(files[f"{name}/program"])
        for number, kernel in enumerate(saved["kernels"]):
            kernel.append(_in_base64(files[f"{name}/{number}"]))
    except (KeyError, ValueError):
        return None
    return json.dumps(saved).encode()


def image(name: str, chip: str) -> bytes | None:
    """What `Program.assemble` would give for a chip; None as `program`."""
    prefix = f"{name}/{chip}/"
    files = _files(name) or {}
    codes = [files[path] for path in files if path.startswith(prefix)]
    return json.dumps([*map(_in_base64, codes)]).encode() if codes else None


def _in_base64(contents: bytes) -> str:
    return base64.b64encode(contents).decode()


def find(
    kind: str, terms: str, extents: tuple[int, int, int], aligned_rows: bool, chip: str
) -> Ahead | None:
    """The one that does such a product with the least work, if any can."""
    able = [
        each
        for each in _by_kind(folder()).get(kind, [])
        if chip in each.chips
        and each.terms == terms
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
