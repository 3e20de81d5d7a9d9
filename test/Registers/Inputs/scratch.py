#!/usr/bin/env python3
"""scratch.py [--full] [--jobs=N]: compiles products for AMD's chips by kami-compile
and reports kernels that take scratch memory, spill registers, or do not execute
the matrix instruction that their plan says. Exits with 1 if there is any."""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

CDNA = ["f16", "bf16", "f32", "f64", "i8", "f8E4M3FN"]
RDNA = CDNA + ["u8"]
CHIPS = {"gfx90a": CDNA, "gfx942": CDNA + ["f8E4M3FNUZ"], "gfx950": CDNA, "gfx1100": RDNA,
         "gfx1201": RDNA}
SIZES = ["16x16x16", "64x64x64", "100x100x100", "128x128x128", "192x192x192",
         "256x64x64", "17x3x29", "1024x1024x1024", "runtime"]
SUMS = {"f64": "f64", "i8": "i32"}


def full():
    """(chip, type, extents, algorithm) of everything that is swept."""
    for chip, kinds in CHIPS.items():
        for kind in kinds:
            for size in SIZES:
                # linalg has no integers without sign in memory.
                if size == "runtime" and kind == "u8":
                    continue
                for algorithm in ["auto", "1d", "2d", "3d"]:
                    yield chip, kind, size, algorithm


def sample():
    """The fullest and the most ragged of each type."""
    for chip, kinds in CHIPS.items():
        for kind in kinds:
            yield chip, kind, "128x128x128", "auto"
        for algorithm in ["1d", "2d", "3d"]:
            yield chip, "f16", "100x100x100", algorithm
        yield chip, "f32", "192x192x192", "2d"
        for kind in ["f16", "f32", "f64"]:
            yield chip, kind, "runtime", "auto"
        yield chip, "f64", "17x3x29", "auto"


def mnemonic(atom):
    """The instruction of an atom, as a pattern of LLVM's assembly: of 4 columns,
    mfma computes blocks of 4 rows; the lanes' products are v_fma, v_fmac or their
    dual forms."""
    family, shape = re.match(r"(mfma|wmma|fma)\.(?:rdna4\.)?(m\w+)\.", atom).groups()
    m, n, k = map(int, re.match(r"m(\d+)n(\d+)k(\d+)", shape).groups())
    if family == "fma":
        return r"v_(pk_|dual_)?fmac?_"
    sums = re.search(r"m\d+n\d+k\d+\.(\w+)\.", atom).group(1)
    rows = 4 if n == 4 else m
    return rf"v_{family}_{sums}_{rows}x{n}x{k}"


def source(kind, size, path):
    """What kami-compile is told of the product; of one whose sizes and strides are
    known only at run time, a file."""
    if size != "runtime":
        return [f"--gemm={size}", f"--type={kind}"]
    operand = f"memref<?x?x{kind}>"
    total = f"memref<?x?x{SUMS.get(kind, 'f32')}>"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"func.func @matmul(%a: {operand}, %b: {operand}, %c: {total}) {{\n"
                   f"  linalg.matmul ins(%a, %b : {operand}, {operand}) "
                   f"outs(%c : {total})\n  return\n}}\n")
    return [path]


def measure(case, folder):
    """(case, what is wrong with it or nothing)."""
    chip, kind, size, algorithm = case
    output = os.path.join(folder, "-".join(case) + ".s")
    command = ["kami-compile", *source(kind, size, output + ".mlir"),
               f"--algorithm={algorithm}", f"--target={chip}", "--emit=asm",
               "-o", output]
    run = subprocess.run(command, capture_output=True, text=True)
    # Not every algorithm has a plan for every product, but the planner has one.
    if "no plan fits" in run.stderr and algorithm != "auto":
        return case, None
    if run.returncode != 0:
        return case, run.stderr.strip()
    with open(output + ".json", encoding="utf-8") as file:
        kernel = json.load(file)
    with open(output, encoding="utf-8") as file:
        assembly = file.read()
    for figure in ["private_segment_fixed_size", "vgpr_spill_count"]:
        if kernel[figure] != 0:
            return case, f"{figure} is {kernel[figure]} with {kernel['plan']['atom']}"
    atom = kernel["plan"]["atom"]
    if not re.search(mnemonic(atom), assembly):
        return case, f"no instruction of {atom}"
    return case, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    wrong = total = 0
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            cases = list(full() if arguments.full else sample())
            for case, problem in pool.map(lambda one: measure(one, folder), cases):
                total += 1
                if problem:
                    wrong += 1
                    print(*case, problem)
    print(f"{total} kernels, {wrong} wrong")
    return 1 if wrong or not total else 0


if __name__ == "__main__":
    sys.exit(main())
