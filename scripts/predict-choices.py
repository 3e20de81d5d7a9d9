#!/usr/bin/env python3
"""predict-choices.py [BUILD]: what the planner chooses for batches of the paper's
square sizes on the devices of its tables that are not measured, as Markdown.

The figures behind the choices are documented or assumed, never measured: the
times are what the model makes of them."""

import json
import os
import subprocess
import sys

DEVICES = {
    "gfx1100": "7900 XTX",
    "gfx90a": "MI210",
    "gfx942": "MI300X",
    "xe-hpc": "Max 1100",
    "xe2": "B580",
}
# gfx1100 and Intel's have no matrix instruction for f64.
TYPES = {"f16": list(DEVICES), "f64": ["gfx90a", "gfx942"]}
SIZES = [16, 32, 64, 96, 128, 192]
BATCH = 10000


def choice(build, target, size, kind):
    made = subprocess.run(
        [
            os.path.join(build, "bin", "kami-plan"),
            "--target=" + target,
            f"--gemm={size}x{size}x{size}",
            "--type=" + kind,
            f"--batch={BATCH}",
            "--format=json",
        ],
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(made.stdout)


def joined(numbers):
    return "×".join(str(number) for number in numbers)


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    print("| device | type | size | plan | atom | registers | shared bytes | µs |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for kind, targets in TYPES.items():
        for target in targets:
            for size in SIZES:
                plan = choice(build, target, size, kind)
                print(
                    f"| {DEVICES[target]} (`{target}`) | {kind} | {size} "
                    f"| {plan['algorithm']} {joined(plan['grid'])} "
                    f"tile {joined(plan['tile'])} {plan['transport']} "
                    f"| `{plan['atom']}` | {plan['registers']} "
                    f"| {plan['shared_bytes']} | {plan['microseconds']:.0f} |"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
