#!/usr/bin/env python3
# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles what python/kami/_ahead.py finds: programs for products of any size.

Two sorts. Stand-ins add up as kernels of one size do, and compute a product until
its own is compiled; they are for all transposes, rows that are aligned or not,
and any strides of matrices that have rows, and some for sums in any layers. The
others are what a process with many
sizes comes to, as `_forms` has them, for batches without gaps. KAMI_LIBRARY names
the library that they are for, and PYTHONPATH has kami.
"""

from __future__ import annotations

import argparse
import base64
import collections
import concurrent.futures
import io
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

# What is in a cache may be of another library of this size.
os.environ["KAMI_CACHE_DIR"] = os.environ["KAMI_AHEAD_DIR"] = ""

from kami import _ahead
from kami._any_size import request_for_all_sums, request_for_any
from kami._forms import shared_form
from kami._grouped_kind import TYPICAL_OF_ANY, GroupedSource, Kind
from kami._kernels import Program
from kami._matmul import ACTIVATIONS, ALIGNMENT, Operand, Request, Source, source_of

CHIP = "sm_90"

Form = dict[str, Any]
"""What of a plan is settled."""

# What is tried, small tiles and large ones of each instruction that planners pick
# for some sizes. The index says which instruction it became.
FORMS: dict[str, list[Form]] = {
    "f16": [
        {"tile": "32x32x32", "unit": "warp"},
        {"tile": "32x96x32", "unit": "warp"},
        {"tile": "64x64x32", "unit": "warp"},
        {"tile": "64x64x64", "unit": "warpgroup"},
        {"tile": "128x128x64", "unit": "warpgroup", "stages": 3},
        {"tile": "128x256x64", "unit": "warpgroup"},
    ],
    "tf32": [
        {"tile": "16x32x16", "unit": "warp"},
        {"tile": "32x32x16", "unit": "warp"},
        {"tile": "64x64x16", "unit": "warp"},
        {"tile": "128x64x16", "unit": "warp"},
        {"tile": "64x64x32", "unit": "warpgroup"},
        {"tile": "128x128x32", "unit": "warpgroup"},
    ],
    "f64": [{"tile": "32x32x16"}, {"tile": "64x64x16"}],
    "f32": [{"tile": "32x32x16"}, {"tile": "48x48x16"}, {"tile": "64x64x16"}],
}
FORMS["bf16"] = FORMS["f16"]

# One of each instruction, for products with scales, epilogues, results of another
# type or sums in layers, which are many: small ones, for rows that are not aligned,
# serve all.
FEW_FORMS: dict[str, list[Form]] = {
    "f16": [
        {"tile": "32x32x32", "unit": "warp"},
        {"tile": "64x64x64", "unit": "warpgroup"},
    ],
    "tf32": [
        {"tile": "16x32x16", "unit": "warp"},
        {"tile": "32x32x16", "unit": "warp"},
        {"tile": "64x64x32", "unit": "warpgroup"},
    ],
    "tf32x3": [{"tile": "32x32x16", "unit": "warp"}],
    "f64": [{"tile": "32x32x16"}],
    "f32": [{"tile": "32x32x16"}],
    "i8": [{"tile": "32x64x64"}],
    "f8E4M3FN": [{"tile": "32x32x32"}],
}
FEW_FORMS["bf16"] = FEW_FORMS["f16"]
FEW_FORMS["u8"] = FEW_FORMS["i8"]
FEW_FORMS["f8E5M2"] = FEW_FORMS["f8E4M3FN"]


class Dealt(NamedTuple):
    """Tiles of a warp that loads from device memory what it multiplies, in pieces of
    so many instructions' terms: so are the sums of many small products."""

    atom: str
    """With A's type and B's to fill in."""
    tile: str
    slice: int
    interleave: int

    def form(self, request: Request) -> Form:
        atom = self.atom.format(a=request.a.type, b=request.b.type)
        return {
            "plan": "#kami.plan<one_d, grid = [1, 1, 1], unit = warp, "
            f"atom = <{atom}>, tile = {self.tile}, transport = staged, "
            f"slices = {{k = {self.slice}, shared = [0, 0]}}, "
            f"interleave = [0, 0, {self.interleave}]>"
        }


_TF32X4 = (
    'mma_sync 16x8x4, f32, f32, f32, ["nv.a.16x4.b32", "nv.b.4x8.b32", "nv.c.16x8.b32"]'
)
_TF32X8 = (
    'mma_sync 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]'
)
_TF32X3 = f"{_TF32X8}, products = 3"
_F32 = 'fma 16x8x1, f32, f32, f32, ["nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32"]'
_HALVES = '["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]'
_F8 = (
    "mma_sync 16x8x32, {a}, {b}, f32, "
    '["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]'
)

DEALT: dict[str, list[Dealt]] = {
    "f16": [
        Dealt(f"mma_sync 16x8x16, {{a}}, {{b}}, f32, {_HALVES}", "16x16x32", 32, count)
        for count in (1, 2)
    ],
    "tf32": [Dealt(_TF32X4, "16x16x16", 16, 4), Dealt(_TF32X8, "16x16x16", 16, 2)],
    "tf32x3": [Dealt(_TF32X3, "16x16x16", 16, 2)],
    "f64": [],
    "f32": [Dealt(_F32, "16x16x16", 4, 4)],
    "i8": [],
    "f8E4M3FN": [
        *(
            Dealt(f"mma_sync 16x8x16, f16, f16, f32, {_HALVES}", "16x16x64", 64, count)
            for count in (1, 2, 4)
        ),
        *(Dealt(_F8, "16x16x64", 64, count) for count in (0, 1, 2)),
    ],
}
DEALT["bf16"] = DEALT["f16"]
DEALT["u8"] = DEALT["i8"]
DEALT["f8E5M2"] = DEALT["f8E4M3FN"]


def few_forms(request: Request) -> Iterator[Form]:
    if request.is_complex:
        yield {"tile": "16x32x16"}
        return
    yield from FEW_FORMS[request.a.type]
    # Terms are dealt where a lane finds them beside each other.
    are_adjacent = not request.a.transposed or request.b.transposed
    for each in DEALT[request.a.type]:
        if are_adjacent or each.interleave == 0:
            yield each.form(request)


# The same for products of sizes of their own, by threads that copy, which any driver
# takes.
GROUPED_FORMS: dict[str, list[Form]] = {
    "f16": [
        {"tile": "32x32x16", "unit": "warp"},
        {"tile": "64x64x64", "unit": "warpgroup", "copies": "threads"},
    ],
    "tf32": [
        {"tile": "32x32x16", "unit": "warp"},
        {"tile": "64x64x32", "unit": "warpgroup", "copies": "threads"},
    ],
    "tf32x3": [{"tile": "64x64x16"}],
    "f64": [{"tile": "64x64x16"}],
    "f32": [{"tile": "64x64x16"}],
    "i8": [{"tile": "64x64x64"}],
    "f8E4M3FN": [{"tile": "32x32x32"}, {"tile": "32x32x64"}],
}
GROUPED_FORMS["bf16"] = GROUPED_FORMS["f16"]
GROUPED_FORMS["u8"] = GROUPED_FORMS["i8"]
GROUPED_FORMS["f8E5M2"] = GROUPED_FORMS["f8E4M3FN"]

# Extents, of which one or another is next to each that `_forms` tells apart.
EXTENTS = (16, 32, 48, 64, 128, 256)


# Types of C's elements where they are not A's.
RESULTS = {"tf32": "f32", "tf32x3": "f32"}
TRANSPOSES = [*itertools.product((False, True), repeat=2)]

# What A and B may be where they are of 8 bits, and what C is then.
BYTES = ((("i8", "u8"), "i32"), (("f8E4M3FN", "f8E5M2"), "f32"))


def request_for(
    type: str,
    other: str | None = None,
    result: str | None = None,
    *,
    aligned_rows: bool = False,
    transposed: tuple[bool, bool] = (False, False),
    **more: Any,
) -> Request:
    """Of A's type and B's, that of A where it is not said."""
    a = Operand(type, (False,), "dense", transposed[0])
    b = Operand(other or type, (False,), "dense", transposed[1])
    c = Operand(result or type, (False,), "dense")
    return Request(
        None,
        None,
        None,
        a,
        b,
        c,
        alignment=ALIGNMENT,
        aligned_rows=aligned_rows,
        **more,
    )


def stand_in_for(request: Request) -> Request:
    wide = request_for_any(request, request.aligned_rows)
    assert wide is not None
    return wide


def stand_in_for_all_sums(request: Request) -> Request:
    wide = request_for_all_sums(request)
    assert wide is not None
    return wide


class Wanted(NamedTuple):
    request: Request | Kind
    form: Form


def shared_programs() -> Iterator[Wanted]:
    for type, aligned in itertools.product(FORMS, (True, False)):
        request = request_for(type, result=RESULTS.get(type), aligned_rows=aligned)
        forms = []
        # A product as shallow as a step is compiled fast.
        for extents in itertools.product(EXTENTS, EXTENTS, (64,)):
            form = shared_form(*extents, request, CHIP)
            if form not in forms:
                forms.append(form)
                yield Wanted(request, form)


def usual_stand_ins() -> Iterator[Wanted]:
    for type, aligned, transposed in itertools.product(
        FORMS, (True, False), TRANSPOSES
    ):
        request = request_for(
            type,
            result=RESULTS.get(type),
            aligned_rows=aligned,
            transposed=transposed,
        )
        for form in FORMS[type]:
            yield Wanted(stand_in_for(request), form)


def other_requests(transposed: tuple[bool, bool]) -> Iterator[Request]:
    """What else stand-ins are for."""
    parts: list[dict[str, Any]] = [{"has_alpha": True}, {"bias": True}]
    parts += [{"activation": name} for name in ACTIVATIONS]
    for type, part in itertools.product((*FORMS, "tf32x3"), parts):
        result = RESULTS.get(type)
        yield request_for(type, result=result, transposed=transposed, **part)
    for type in ("f32", "f64"):
        yield request_for(type, transposed=transposed, is_complex=True)
    for type in ("f16", "bf16"):
        yield request_for(type, result="f32", transposed=transposed)
    for types, result in BYTES:
        for type, other in itertools.product(types, repeat=2):
            yield request_for(type, other, result, transposed=transposed)


def other_stand_ins() -> Iterator[Wanted]:
    for transposed in TRANSPOSES:
        for request in other_requests(transposed):
            for form in few_forms(request):
                yield Wanted(stand_in_for_all_sums(request), form)


def grouped_stand_ins() -> Iterator[Wanted]:
    types = [
        (type, type, RESULTS.get(type, type))
        for type in ("f16", "bf16", "tf32", "tf32x3", "f64", "f32")
    ]
    for pair, result in BYTES:
        types += [(*both, result) for both in itertools.product(pair, repeat=2)]
    for (a, b, c), transposed in itertools.product(types, TRANSPOSES):
        kind = Kind(a, b, c, None, *transposed, True, True, bytes=True)
        for form in GROUPED_FORMS[a]:
            yield Wanted(kind, form)


def assemble(program: Program, ptxas: str) -> bytes:
    """The program's image, as `kamiDeviceAssemble` makes one."""
    cubins = []
    for _, _, code in json.loads(program.save())["kernels"]:
        ptx = base64.b64decode(code).decode()
        level = re.match(r"// optimization level: (\d)", ptx)
        target = re.search(r"^\.target (\w+)", ptx, re.MULTILINE)
        assert target is not None
        # 4 is what a driver calls the assembler's 3.
        optimized = min(int(level[1]), 3) if level else 3
        with tempfile.TemporaryDirectory() as scratch:
            cubin = pathlib.Path(scratch) / "cubin"
            subprocess.run(
                [ptxas, f"-O{optimized}", f"-arch={target[1]}", "-o", cubin, "-"],
                input=ptx,
                text=True,
                check=True,
            )
            cubins.append(base64.b64encode(cubin.read_bytes()).decode())
    return json.dumps(cubins).encode()


def _shared_archive(request: Request) -> str:
    return f"{request.a.type}{'-aligned' * request.aligned_rows}"


def tile_of(program: Program) -> tuple[int, int, int]:
    kernel = program.description["kernels"][0]
    return tuple(kernel["plan"]["tile"])


class Made(NamedTuple):
    entry: dict[str, Any]
    files: _ahead.Files


def source_for(request: Request | Kind, form: Form) -> Source | GroupedSource:
    if isinstance(request, Kind):
        return request.source(TYPICAL_OF_ANY, CHIP, form)
    return source_of(request, CHIP, form)


def kind_for(request: Request | Kind) -> str:
    """Of what it stands in for; empty where it does not."""
    if isinstance(request, Kind) or request.has_layers:
        return _ahead.kind_of(request, CHIP)
    if request_for_any(request, request.aligned_rows) != request:
        return ""
    return _ahead.kind_of(request_for_any(request, aligned_rows=False), CHIP)


def make(wanted: Wanted, ptxas: str) -> Made | None:
    """The program and its entry in the index; None where no plan has the form."""
    request, form = wanted
    source = source_for(request, form)
    try:
        order = source.sum_order()
        program = source.program()
    except ValueError:
        return None
    name = _ahead.name_of(source.text)
    kind = kind_for(request)
    assert not kind or order.layers.number == 1
    entry = {
        "kind": kind,
        "aligned_rows": isinstance(request, Request) and request.aligned_rows,
        "overrides": form,
        "tile": tile_of(program),
        "terms": order.terms,
        "name": name,
        "archive": f"{kind or _shared_archive(request)}.tar.xz",
        "chips": [CHIP],
    }
    images = {CHIP: assemble(program, ptxas)}
    return Made(entry, _ahead.members_of(name, program.save(), images))


def write_archive(path: pathlib.Path, files: _ahead.Files) -> None:
    with tarfile.open(path, "w:xz") as archive:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            archive.addfile(member, io.BytesIO(files[name]))


def write(folder: pathlib.Path, programs: list[Made]) -> None:
    """The archives, and an index of them."""
    archives: dict[str, _ahead.Files] = collections.defaultdict(dict)
    for entry, files in programs:
        archives[entry["archive"]].update(files)
    for name, files in archives.items():
        write_archive(folder / name, files)
    # Some are asked for by two ways.
    entries = {entry["name"]: entry for entry, _ in programs}
    index = {
        "library": _ahead.library_identity(),
        "programs": [entries[name] for name in sorted(entries)],
    }
    (folder / "index.json").write_text(json.dumps(index))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="is made anew")
    parser.add_argument("--ptxas", default="ptxas", help="NVIDIA's assembler")
    arguments = parser.parse_args()
    ptxas = shutil.which(arguments.ptxas)
    if ptxas is None:
        print(f"--ptxas: expected an assembler, but got {arguments.ptxas!r}")
        return 1
    shutil.rmtree(arguments.folder, ignore_errors=True)
    arguments.folder.mkdir(parents=True)
    wanted = [
        *shared_programs(),
        *usual_stand_ins(),
        *other_stand_ins(),
        *grouped_stand_ins(),
    ]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        jobs = [pool.submit(make, each, ptxas) for each in wanted]
        programs = [made for job in jobs if (made := job.result()) is not None]
    write(arguments.folder, programs)
    files = [path.stat().st_size for path in arguments.folder.iterdir()]
    print(f"{len(programs)} programs, {sum(files) / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
