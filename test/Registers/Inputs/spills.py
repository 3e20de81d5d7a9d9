#!/usr/bin/env python3
"""spills.py [--full] [--target=CHIP] [--jobs=N]: compiles products by kami-compile
and reports those of whose kernels ptxas spills registers to memory, and those that
take more registers than the plan says. Exits with 1 if any is spilled whose plan
should fit: the planner takes one that may not only if it has no other."""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

BLOCK_TYPES = ["f16", "bf16", "tf32", "tf32x3", "f32", "f64", "f8E4M3FN", "i8"]
MEMORY_TYPES = ["f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN", "i8"]
BLOCK_SIZES = ["16x16x16", "32x32x32", "48x48x48", "64x64x64", "96x96x96",
               "128x128x128", "192x192x192", "256x64x64", "64x64x16",
               "100x100x100", "17x17x17"]
MEMORY_SIZES = ["64x64x64", "100x100x100", "128x128x128", "192x192x192",
                "256x256x256", "1024x1024x1024"]
PACKED_TYPES = ["f16", "bf16", "f32", "f64", "f8E4M3FN", "i8"]
PACKED_SIZES = ["1x1x1", "3x3x3", "8x8x8", "13x5x21", "17x17x17", "29x31x23",
                "33x33x33", "64x1x64", "64x64x7"]
BATCH_TYPES = ["f16", "tf32", "f32", "f64"]
BATCH_SIZES = ["12x12x12", "16x16x16", "24x24x24", "37x23x50", "48x48x48",
               "65x65x65", "84x84x84", "130x130x130"]
BATCHES = {"few": ["--batch=100"], "many": ["--batch=10000"],
           "warps": ["--batch=100", "--unit=warp"]}


def full():
    """(source, type, extents, algorithm) of everything that is swept."""
    for kind in BLOCK_TYPES:
        for size in BLOCK_SIZES:
            yield "block", kind, size, "auto"
    for kind in MEMORY_TYPES:
        for size in MEMORY_SIZES:
            for algorithm in ["auto", "1d", "2d", "3d"]:
                yield "memory", kind, size, algorithm
    for kind in PACKED_TYPES:
        for size in PACKED_SIZES:
            yield "packed", kind, size, "auto"
            yield "added", kind, size, "auto"
    for kind in BATCH_TYPES:
        for size in BATCH_SIZES:
            for source in BATCHES:
                yield source, kind, size, "auto"


def sample():
    """The largest and most ragged of each type, whose kernels are the fullest."""
    for kind in ["f16", "tf32", "tf32x3", "f32", "f64", "i8"]:
        for size in ["64x64x64", "100x100x100", "128x128x128"]:
            yield "block", kind, size, "auto"
    yield "block", "f16", "192x192x192", "auto"
    yield "block", "f8E4M3FN", "192x192x192", "auto"
    yield "block", "f64", "32x32x32", "auto"
    for kind in ["f16", "f32", "f64"]:
        yield "memory", kind, "100x100x100", "2d"
        for algorithm in ["1d", "2d", "3d"]:
            yield "memory", kind, "1024x1024x1024", algorithm
    yield "memory", "f16", "192x192x192", "2d"
    yield "memory", "f64", "256x256x256", "auto"
    for kind in ["f16", "f32", "f64"]:
        yield "packed", kind, "33x33x33", "auto"
    # Copied at once, with registers for one slice of k.
    for size in ["12x12x12", "16x16x16"]:
        yield "warps", "f32", size, "auto"
    for source in ["few", "many"]:
        yield source, "f32", "51x51x51", "auto"


def measure(case, target, folder):
    """(case, spilled bytes, registers, those of the plan, of the chip), or (case,
    reason)."""
    source, kind, size, algorithm = case
    output = os.path.join(folder, "-".join(case) + ".ptx")
    command = ["kami-compile", f"--gemm={size}", f"--type={kind}",
               f"--algorithm={algorithm}", f"--target={target}", "--emit=ptx",
               "-o", output]
    if source == "block":
        command.append("--block")
    if source in ("packed", "added"):
        command.append("--batch=1000000")
    if source == "added":
        command.append("--beta=2")
    if source in BATCHES:
        command += [*BATCHES[source], "--alignment=16"]
    run = subprocess.run(command, capture_output=True, text=True)
    # Of operands in device memory the planner has one, not every algorithm.
    may_lack = source == "block" or algorithm != "auto"
    if may_lack and ("no plan fits" in run.stderr or "cannot be planned" in run.stderr):
        return case, "no plan"
    if run.returncode != 0:
        return case, run.stderr.strip()
    with open(output + ".json", encoding="utf-8") as file:
        kernel = json.load(file)
    if "spill_bytes" not in kernel:
        return case, "kami-compile found no ptxas"
    # A multiprocessor's registers, dealt to whole rounds of its four partitions.
    threads = -(-kernel["block"][0] // 128) * 128
    available = min(255, 65536 // threads // 8 * 8)
    return (case, kernel["spill_bytes"], kernel["registers"],
            kernel["plan"]["registers"], available)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--target", default="sm_90")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    cases = list(full() if options.full else sample())
    spilled = failed = above = measured = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(measure, case, options.target, folder)
                for case in cases]
        for job in concurrent.futures.as_completed(jobs):
            case, *result = job.result()
            name = " ".join(case)
            if len(result) == 1:
                failed += result[0] != "no plan"
                print(f"{name}: {result[0]}")
                continue
            spills, registers, planned, available = result
            measured += 1
            spilled += spills > 0 and planned <= available
            above += registers > planned
            note = f", SPILLED {spills} bytes" if spills else ""
            if planned > available:
                note += f", of {available}: no other plan fits"
            print(f"{name}: {registers} registers, planned {planned}{note}")
    print(f"{measured} kernels, {spilled} spilled, {above} with more registers "
          f"than planned, {failed} failed")
    return 1 if spilled or failed or measured == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
