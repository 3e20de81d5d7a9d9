#!/usr/bin/env python3
# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles what python/kami/_ahead.py finds: programs for products of any size.

Two sorts. Stand-ins add up as kernels of one size do, and compute a product until
its own is compiled; they are for all transposes, rows that are aligned or not,
and any strides of matrices that have rows. The others are what a process with many
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
from kami._any_size import request_for_any
from kami._forms import shared_form
from kami._kernels import Program
from kami._matmul import ACTIVATIONS, ALIGNMENT, Operand, Request, source_of

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

# One of each instruction, for products with scales, epilogues or results of another
# type, which are many: small ones, for rows that are not aligned, serve all.
FEW_FORMS: dict[str, list[Form]] = {
    "f16": [
        {"tile": "32x32x32", "unit": "warp"},
        {"tile": "32x32x64", "unit": "warp"},
        {"tile": "64x64x64", "unit": "warpgroup"},
    ],
    "tf32": [
        {"tile": "32x32x16", "unit": "warp"},
        {"tile": "32x64x64", "unit": "warp"},
        {"tile": "64x64x32", "unit": "warpgroup"},
    ],
    "f64": [{"tile": "32x32x16"}],
    "f32": [{"tile": "32x32x16"}],
    "i8": [{"tile": "32x64x64"}],
    "f8E4M3FN": [
        {"tile": "32x32x32"},
        {"tile": "32x32x96"},
        {"tile": "64x64x64"},
        {"tile": "96x128x128"},
        {"tile": "96x128x128", "warps": 8},
    ],
}
FEW_FORMS["bf16"] = FEW_FORMS["f16"]
FEW_FORMS["u8"] = FEW_FORMS["i8"]
FEW_FORMS["f8E5M2"] = FEW_FORMS["f8E4M3FN"]

# Extents, of which one or another is next to each that `_forms` tells apart.
EXTENTS = (16, 32, 48, 64, 128, 256)


# Types of C's elements where they are not A's.
RESULTS = {"tf32": "f32"}
TRANSPOSES = [*itertools.product((False, True), repeat=2)]


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


class Wanted(NamedTuple):
    request: Request
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
    for type, part in itertools.product(FORMS, parts):
        result = RESULTS.get(type)
        yield request_for(type, result=result, transposed=transposed, **part)
    for type in ("f16", "bf16"):
        yield request_for(type, result="f32", transposed=transposed)
    for types, result in ((("i8", "u8"), "i32"), (("f8E4M3FN", "f8E5M2"), "f32")):
        for type, other in itertools.product(types, repeat=2):
            yield request_for(type, other, result, transposed=transposed)


def other_stand_ins() -> Iterator[Wanted]:
    for transposed in TRANSPOSES:
        for request in other_requests(transposed):
            for form in FEW_FORMS[request.a.type]:
                yield Wanted(stand_in_for(request), form)


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


class Made(NamedTuple):
    entry: dict[str, Any]
    files: _ahead.Files


def make(wanted: Wanted, ptxas: str) -> Made | None:
    """The program and its entry in the index; None where no plan has the form."""
    request, form = wanted
    source = source_of(request, CHIP, form)
    try:
        order = source.sum_order()
        program = source.program()
    except ValueError:
        return None
    name = _ahead.name_of(source.text)
    kind = ""
    if request_for_any(request, request.aligned_rows) == request:
        wide = request_for_any(request, aligned_rows=False)
        kind = _ahead.kind_of(wide, CHIP)
    entry = {
        "kind": kind,
        "aligned_rows": request.aligned_rows,
        "overrides": form,
        "order": order,
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
    wanted = [*shared_programs(), *usual_stand_ins(), *other_stand_ins()]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        jobs = [pool.submit(make, each, ptxas) for each in wanted]
        programs = [made for job in jobs if (made := job.result()) is not None]
    write(arguments.folder, programs)
    files = [path.stat().st_size for path in arguments.folder.iterdir()]
    print(f"{len(programs)} programs, {sum(files) / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
