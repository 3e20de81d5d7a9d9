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
import concurrent.futures
import dataclasses
import itertools
import json
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any

# What is in a cache may be of another library of this size.
os.environ["KAMI_CACHE_DIR"] = os.environ["KAMI_AHEAD_DIR"] = ""

from kami import _ahead
from kami._forms import shared_form
from kami._kernels import Program
from kami._matmul import ALIGNMENT, Operand, Request, request_for_any, source_of

CHIP = "sm_90"

# What is tried, small tiles and large ones of each instruction that planners pick
# for some sizes. The index says which instruction it became.
STAND_INS = {
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
STAND_INS["bf16"] = STAND_INS["f16"]

# Extents, of which one or another is next to each that `_forms` tells apart.
EXTENTS = (16, 32, 48, 64, 128, 256)


def request_for(
    type: str, aligned_rows: bool, transposed: tuple[bool, bool] = (False, False)
) -> Request:
    a, b = (Operand(type, (False,), "dense", flipped) for flipped in transposed)
    c = Operand("f32" if type == "tf32" else type, (False,), "dense")
    return Request(
        None, None, None, a, b, c, alignment=ALIGNMENT, aligned_rows=aligned_rows
    )


def stand_in_for(request: Request) -> Request:
    wide = request_for_any(request, request.aligned_rows)
    assert wide is not None
    return wide


def wanted() -> list[tuple[Request, dict[str, Any]]]:
    found = []
    for type, aligned in itertools.product(STAND_INS, (True, False)):
        forms = []
        request = request_for(type, aligned)
        # A product as shallow as a step is compiled fast.
        for extents in itertools.product(EXTENTS, EXTENTS, (64,)):
            form = shared_form(*extents, request, CHIP)
            if form not in forms:
                forms.append(form)
        found += [(request, form) for form in forms]
        for transposed in itertools.product((False, True), repeat=2):
            request = stand_in_for(request_for(type, aligned, transposed))
            found += [(request, form) for form in STAND_INS[type]]
    return found


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


def make(
    request: Request, form: dict[str, Any], ptxas: str, folder: pathlib.Path
) -> dict[str, Any] | None:
    """The program's entry in the index; None where no plan has such a form."""
    source = source_of(request, CHIP, form)
    try:
        order = source.sum_order()
        program = source.program()
    except ValueError:
        return None
    name = _ahead.name_of(source.text)
    for kind, contents in (
        ("program", program.save()),
        (f"{CHIP}.image", assemble(program, ptxas)),
    ):
        (folder / f"{name}.{kind}.xz").write_bytes(lzma.compress(contents))
    plain = dataclasses.replace(request, aligned_rows=False)
    is_stand_in = request_for_any(plain, aligned_rows=False) == plain
    return {
        "kind": _ahead.kind_of(plain, CHIP) if is_stand_in else "",
        "aligned_rows": request.aligned_rows,
        "overrides": form,
        "order": order,
        "name": name,
        "chips": [CHIP],
    }


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
    programs = {}
    with concurrent.futures.ProcessPoolExecutor() as pool:
        jobs = [
            pool.submit(make, request, form, ptxas, arguments.folder)
            for request, form in wanted()
        ]
        for job in concurrent.futures.as_completed(jobs):
            if (entry := job.result()) is not None:
                programs[entry["name"]] = entry
    index = {
        "library": _ahead.library_identity(),
        "programs": [programs[name] for name in sorted(programs)],
    }
    (arguments.folder / "index.json").write_text(json.dumps(index))
    files = [path.stat().st_size for path in arguments.folder.iterdir()]
    print(f"{len(programs)} programs, {sum(files) / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
