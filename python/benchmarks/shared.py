# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that serve products of any size, as a table in markdown.

python python/benchmarks/shared.py [--types=f16,tf32] [--sizes=64,101]
    [--products=4,64]

Needs a CUDA device and PyTorch. Microseconds of batches of square products in
CUDA graphs that go through more memory than the second-level cache has: by a
kernel of that size, by one for all sizes (`specialize=False`), and by
`torch.bmm`: of as many products as 100 MB hold, up to 4000, or of `--products`.
All results are checked first, exactly.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import torch

import kami

TYPES = "f16,tf32,f64,f32"
SIZES = "24,33,48,64,96,101,128,200,255,256,384,401,512"
BYTES = 100_000_000

Arrays = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def make_sets(size: int, dtype: torch.dtype, products: int | None) -> list[Arrays]:
    """Integers, whose sums are exact in every type."""
    width = torch.empty(0, dtype=dtype).element_size()
    fitting = BYTES // (3 * size * size * width)
    batch = products or max(8, min(4000, fitting))
    count = max(3, min(24, 3 * fitting // (2 * batch)))

    def integers() -> torch.Tensor:
        drawn = torch.randint(-1, 2, (batch, size, size), device="cuda")
        return drawn.to(dtype)

    return [(integers(), integers(), integers()) for _ in range(count)]


def check(multiply: Callable[..., Any], arrays: Arrays) -> None:
    a, b, out = arrays
    out.fill_(float("nan"))
    multiply(a, b, out)
    exact = a.double() @ b.double()
    if not bool((out.double() == exact).all()):
        raise SystemExit(f"wrong: {tuple(a.shape)} of {a.dtype}")


def measure(multiply: Callable[..., Any], sets: Sequence[Arrays]) -> float:
    """Microseconds of one call, the median of replays."""
    check(multiply, sets[0])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for arrays in sets:
            multiply(*arrays)
    graph.replay()
    times: list[float] = []
    for _ in range(7):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3 / len(sets))
    return float(statistics.median(times))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--types", default=TYPES)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--products", default="")
    options = parser.parse_args()
    dtypes = {"f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}
    print("| type | n | products | own | shared | `torch.bmm` | own / shared | gain |")
    print("|" + " --- |" * 8)
    for kind in options.types.split(","):
        torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
        precision = "tf32" if kind == "tf32" else "exact"

        def by_kami(specialize: bool, precision: str = precision) -> Callable[..., Any]:
            return lambda a, b, out: kami.gemm(
                a, b, out=out, specialize=specialize, precision=precision
            )

        given = [int(n) for n in options.products.split(",") if n]
        counts: list[int | None] = [*given] or [None]
        cases = [(int(n), c) for n in options.sizes.split(",") for c in counts]
        for size, count in cases:
            sets = make_sets(size, dtypes.get(kind, torch.float32), count)
            own = measure(by_kami(True), sets)
            shared = measure(by_kami(False), sets)
            peer = measure(lambda a, b, out: torch.bmm(a, b, out=out), sets)
            print(
                f"| {kind} | {size} | {len(sets[0][0])} | {own:.1f} | {shared:.1f} | "
                f"{peer:.1f} | {own / shared:.2f} | {peer / shared:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
