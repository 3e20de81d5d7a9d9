# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a product of a new shape takes to compile, as a table in markdown.

python python/benchmarks/compile.py [--target=sm_90] [--types=f16,f32]
    [--shapes=64,37x23x50] [--repeats=3] [--save=FILE] [--before=FILE]

Needs no GPU, but ptxas, which does the same work as the driver. Milliseconds of
the processor, not of a clock on the wall, the least of some repeats: others may
have the machine, too. `--save` keeps the figures, beside which `--before` sets
new ones.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time

os.environ["KAMI_CACHE_DIR"] = ""
# Threads of NumPy's that wait for work count as the processor's time.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import kami
from kami import _kernels

TYPES = "f16,bf16,f64,f32"
SHAPES = "16,32,64,128,37x23x50,24,33,48,96,100,192"
Row = tuple[str, str, float, float]


def find_ptxas() -> str:
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    found = shutil.which("ptxas") or shutil.which("ptxas", path=f"{home}/bin")
    if found is None:
        raise SystemExit("expected ptxas on PATH or under CUDA_HOME, but found none")
    return found


def compile_once(kind: str, extents: list[int], target: str) -> tuple[float, str]:
    """As `kami.gemm` does for a batch of arrays that an allocator has placed."""
    _kernels._programs.clear()
    m, n, k = extents
    start = time.process_time()
    kernel = kami.compile(m, n, k, kind, batch=True, alignment=16, target=target)
    taken = time.process_time() - start
    return taken * 1e3, kernel.ptx


def assemble_once(ptxas: str, ptx: pathlib.Path) -> float:
    """For the architecture that the program names."""
    lines = ptx.read_text().splitlines()
    target = next(line for line in lines if line.startswith(".target")).split()[1]

    def children() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    start = children()
    command = [ptxas, f"-arch={target}", "-O3", str(ptx), "-o", os.devnull]
    subprocess.run(command, check=True)
    return (children() - start) * 1e3


def measure(kind: str, shape: str, options: argparse.Namespace, ptxas: str) -> Row:
    numbers = [int(extent) for extent in shape.split("x")]
    extents = numbers if len(numbers) == 3 else numbers * 3
    tries = range(options.repeats)
    made = [compile_once(kind, extents, options.target) for _ in tries]
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "kernel.ptx"
        ptx.write_text(made[0][1])
        assembled = min(assemble_once(ptxas, ptx) for _ in tries)
    return kind, shape, min(taken for taken, _ in made), assembled


def table(rows: list[Row], before: list[Row]) -> None:
    known = {(kind, shape): parts for kind, shape, *parts in before}
    head = ["type", "shape", *["before"] * bool(before), "kami", "ptxas", "sum"]
    print("| " + " | ".join(head) + " |")
    print("|" + " --- |" * len(head))
    for kind, shape, *parts in rows:
        old = known.get((kind, shape))
        cells = [kind, shape if "x" in shape else f"{shape}³"]
        if before:
            cells.append(" + ".join(f"{part:.0f}" for part in old) if old else "")
        cells += [f"{part:.0f}" for part in (*parts, sum(parts))]
        print("| " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="sm_90")
    parser.add_argument("--types", default=TYPES)
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    options = parser.parse_args()
    ptxas = find_ptxas()
    # The first compilation of a process sets things up.
    compile_once("f16", [8, 8, 8], options.target)
    rows = [
        measure(kind, shape, options, ptxas)
        for kind in options.types.split(",")
        for shape in options.shapes.split(",")
    ]
    before = json.loads(options.before.read_text()) if options.before else []
    table(rows, before)
    if options.save:
        options.save.write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
