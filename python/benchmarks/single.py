# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single products beside `torch.matmul`, as a table in markdown.

python python/benchmarks/single.py [--types=f16,tf32] [--shapes=64,200x120x333]
    [--plans=stages=2;stages=3,tile=32x32x32]

Needs a CUDA device and PyTorch. Microseconds of one product in CUDA graphs of
fifty, whose operands the second-level cache holds, by the planner's choice, by
what each of `--plans` settles of it, and by `torch.matmul`; how operands reach the
warps, as planned; and the gain over PyTorch. All results are checked first,
exactly.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import torch
from shared import Arrays, measure

import kami

TYPES = "f16,tf32,f64,f32"
SHAPES = (
    "16,24,33,47,64,65,100,128,150,192,200,201,256,300,320,333,384,400,512,640,768,"
    "1024,200x120x333,128x1024x256,333x222x111,96x768x192,48x64x333,64x64x1024,"
    "17x30x900,32x768x768,64x3072x768,8x4096x1024"
)
LAUNCHES = 50
OFFERS = {"f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}


def make(m: int, n: int, k: int, dtype: torch.dtype) -> Arrays:
    """Integers, whose sums are exact in every type."""

    def integers(*shape: int) -> torch.Tensor:
        return torch.randint(-1, 2, shape, device="cuda").to(dtype)

    return integers(m, k), integers(k, n), integers(m, n)


def settled(text: str) -> dict[str, Any]:
    pairs = (pair.split("=", 1) for pair in text.split(",") if pair)
    return {name: int(x) if x.isdigit() else x for name, x in pairs}


def time_of(multiply: Callable[..., Any], arrays: Arrays) -> str:
    try:
        return f"{measure(multiply, [arrays] * LAUNCHES):.2f}"
    except ValueError:
        # There is no such plan.
        return ""


def form_of(kernel: kami.Kernel) -> str:
    plan = kernel.resources[0]["plan"]
    tile, grid = ("x".join(map(str, plan[name])) for name in ("tile", "grid"))
    return f"{plan['transport']} {tile} by {grid}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--types", default=TYPES)
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--plans", default="", help="a table's columns, by ';'")
    options = parser.parse_args()
    plans = [text for text in options.plans.split(";") if text]
    titles = ["type", "m x n x k", "kami", *plans, "`torch.matmul`", "plan", "gain"]
    print(f"| {' | '.join(titles)} |")
    print("|" + " --- |" * len(titles))
    for kind in options.types.split(","):
        torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
        precision = "tf32" if kind == "tf32" else "exact"

        def by_kami(precision: str = precision, **plan: Any) -> Callable[..., Any]:
            return lambda a, b, out: kami.gemm(
                a, b, out=out, specialize=True, precision=precision, **plan
            )

        for shape in options.shapes.split(","):
            extents = [int(extent) for extent in shape.split("x")]
            m, n, k = extents * 3 if len(extents) == 1 else extents
            arrays = make(m, n, k, OFFERS.get(kind, torch.float32))
            own = time_of(by_kami(), arrays)
            others = [time_of(by_kami(**settled(text)), arrays) for text in plans]
            peer = time_of(lambda a, b, out: torch.matmul(a, b, out=out), arrays)
            gain = f"{float(peer) / float(own):.2f}"
            form = form_of(kami.compile(m, n, k, kind, alignment=16))
            row = [kind, f"{m} x {n} x {k}", own, *others, peer, form, gain]
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
