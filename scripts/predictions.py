#!/usr/bin/env python3
"""predictions.py [--check] DOCUMENT: what kami-plan, which is looked for on PATH,
chooses for the paper's sizes on the chips that nobody has measured, as the table
between the two `predictions` comments of DOCUMENT. Writes it there, or with
--check exits with 1 if it differs."""

import argparse
import json
import subprocess
import sys

BEGIN, END = "<!-- predictions: begin -->\n", "<!-- predictions: end -->\n"
# The paper's batch of blocks and its sizes (section 5.1); f64 where the chip's
# matrix units have it.
BATCH = 16384
SQUARES = {"f16": [16, 32, 64, 128, 192], "f64": [16, 32, 64, 128]}
CHIPS = {
    "gfx1100": ["f16"],
    "gfx90a": ["f16", "f64"],
    "gfx942": ["f16", "f64"],
    "xe-hpc": ["f16"],
    "xe2": ["f16"],
}
COLUMNS = ["chip", "type", "n", "plan", "transport", "slice", "registers",
           "shared bytes", "communication", "computation", "memory"]


def plan(chip, kind, side):
    command = ["kami-plan", f"--target={chip}", f"--gemm={side}x{side}x{side}",
               f"--type={kind}", f"--batch={BATCH}", "--format=json"]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)


def row(chip, kind, side):
    best = plan(chip, kind, side)
    grid, tile = ("x".join(map(str, best[key])) for key in ("grid", "tile"))
    cycles = [f"{best[f'block_{part}_cycles']:.0f}"
              for part in ("communication", "computation", "memory")]
    return [chip, kind, str(side),
            f"{best['algorithm']} {grid} tile {tile} {best['atom']}",
            best["transport"], str(best["slice_k"]), str(best["registers"]),
            str(best["shared_bytes"]), *cycles]


def table():
    lines = [COLUMNS, ["---"] * len(COLUMNS)]
    lines += [row(chip, kind, side) for chip, kinds in CHIPS.items()
              for kind in kinds for side in SQUARES[kind]]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("document")
    options = parser.parse_args()
    with open(options.document) as file:
        text = file.read()
    head, rest = text.split(BEGIN)
    old, tail = rest.split(END)
    new = f"\n{table()}\n"
    if options.check:
        if new != old:
            sys.exit(f"{options.document}: predictions differ; run "
                     "scripts/predictions.py")
        return
    with open(options.document, "w") as file:
        file.write(head + BEGIN + new + END + tail)


if __name__ == "__main__":
    main()
