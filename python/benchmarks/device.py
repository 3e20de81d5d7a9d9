# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kami costs and gains in PyTorch on a CUDA device, as tables in markdown.

python python/benchmarks/device.py [--seconds=80]

Contenders take turns within one run; figures are medians, with the quartiles in
parentheses. A part that fails says why, and the others go on.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import functools
import inspect
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

import kami
import kami.torch
from kami._adapters import known_library
from kami._kernels import Launch

Call = Callable[[], Any]


def table(*rows: tuple[Any, ...]) -> None:
    """The first row is the head."""
    for number, row in enumerate(rows):
        print("| " + " | ".join(map(str, row)) + " |")
        if number == 0:
            print("|" + " --- |" * len(row))
    print(flush=True)


def spread(times: list[float]) -> str:
    low, middle, high = statistics.quantiles(times, n=4)
    return f"{middle:.2f} ({low:.2f}-{high:.2f})"


def host_times(
    calls: Mapping[str, Call], repeats: int, rounds: int
) -> dict[str, list[float]]:
    """Microseconds of the host for a call, whose kernels end after the clock."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 2):
        for name, call in calls.items():
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(repeats):
                call()
            taken = (time.perf_counter() - start) / repeats * 1e6
            # The first rounds warm up.
            if number >= 2:
                times[name].append(taken)
    torch.cuda.synchronize()
    return times


Around = Mapping[str, Callable[[], contextlib.AbstractContextManager[None]]]


def device_times(
    calls: Mapping[str, Call], rounds: int, around: Around | None = None
) -> dict[str, list[float]]:
    """Microseconds between events before and behind a call, inside of `around`."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(rounds):
        for name, call in calls.items():
            with around[name]() if around else contextlib.nullcontext():
                call()
                for _ in range(3):
                    torch.cuda.synchronize()
                    start.record()
                    call()
                    stop.record()
                    stop.synchronize()
                    times[name].append(start.elapsed_time(stop) * 1e3)
    return times


def capture(call: Call) -> Any:
    """A CUDA graph of a call, after calls that may compile and allocate."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph


@contextlib.contextmanager
def reported_only(what: str) -> Iterator[None]:
    """Something without which the table is shorter."""
    try:
        yield
    except Exception as error:
        print(f"{what}: {type(error).__name__}: {str(error).splitlines()[:1]}\n")


def random(*shape: int) -> Any:
    return torch.randn(*shape, dtype=torch.float16, device="cuda")


EMPTY_KERNEL = b""".version 7.0
.target sm_80
.address_size 64
.visible .entry empty(.param .u64 a) { ret; }
"""


def empty_launch() -> Call:
    """cuLaunchKernel of a kernel that does nothing, which nothing is faster than."""
    driver = ctypes.CDLL("libcuda.so.1")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    for status in (
        driver.cuModuleLoadData(ctypes.byref(module), EMPTY_KERNEL),
        driver.cuModuleGetFunction(ctypes.byref(function), module, b"empty"),
    ):
        if status:
            raise RuntimeError(f"the driver answers {status}")
    word = ctypes.c_uint64()
    words = (ctypes.c_void_p * 1)(ctypes.addressof(word))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def launch() -> None:
        # `word` has to live as long as its address.
        _ = word
        driver.cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, stream, words, None)

    return launch


def launches_in_c(count: int, a: Any, b: Any, out: Any) -> Call:
    """kamiLaunchRun, by ctypes, of a function that launches `count` kernels."""
    matrix = "memref<4x16x16xf16>"
    product = f"linalg.batch_matmul ins(%a, %b : {matrix}, {matrix})"
    kernel = kami.from_mlir(
        f"func.func @f(%a: {matrix}, %b: {matrix}, %c: {matrix}) {{\n"
        + f"  {product} outs(%c : {matrix})\n" * count
        + "  return\n}\n"
    )
    described = [(x.data_ptr(), tuple(x.shape), x.stride()) for x in (a, b, out)]
    bound = Launch(kernel.program.executable(0), described)
    assert len(bound.description["kernels"]) == count
    run, words = bound.runner(3), [word[0] for word in described]
    stream = torch.cuda.current_stream().cuda_stream
    return lambda: run(stream, *words)


FEW, MANY = 1, 11


def parts_of_a_call(a: Any, b: Any, out: Any) -> dict[str, Call]:
    """What `kami.gemm(a, b, out=c)` consists of."""
    library = known_library(type(a))
    assert library is not None
    parts = {
        "cuLaunchKernel of an empty kernel, by ctypes": empty_launch(),
        f"{FEW} launch by ctypes": launches_in_c(FEW, a, b, torch.empty_like(out)),
        f"{MANY} launches by ctypes": launches_in_c(MANY, a, b, torch.empty_like(out)),
        "the arrays' key, in Python": lambda: hash(library.key(a, b, out)),
    }
    if library.calls is not None:
        # Of another type: read, and not found.
        options = (False, False, None, None, None, "exact", None, None)
        said = (a, b, None, out.float(), 1, 0, *options)
        launch = library.calls.launch
        parts["a call that C does not know"] = lambda: launch(*said)
    return parts


def calls_of_the_host() -> None:
    """Host time of a call like earlier ones: 4 products of 16x16x16 in f16.

    First what kami's consists of. What the driver takes from C is what more
    kernels of a function take.
    """
    a, b = random(4, 16, 16), random(4, 16, 16)
    outs = [torch.empty_like(a) for _ in range(3)]
    expected, written = torch.bmm(a, b), outs[:2]
    operator = torch.ops.kami.gemm
    calls: dict[str, Call] = {
        "`kami.gemm(a, b, out=c)`": lambda: kami.gemm(a, b, out=outs[0]),
        "`kami.gemm(a, b)`": lambda: kami.gemm(a, b),
        "`torch.bmm(a, b, out=c)`": lambda: torch.bmm(a, b, out=outs[1]),
        "`torch.bmm(a, b)`": lambda: torch.bmm(a, b),
        "`kami.torch.gemm(a, b)`": lambda: kami.torch.gemm(a, b),
        "`torch.ops.kami.gemm(a, b, ...)`": lambda: operator(
            a, b, False, False, 1.0, None
        ),
    }
    with reported_only("parts"):
        calls = {**parts_of_a_call(a, b, outs[0]), **calls}
    with reported_only("Triton"):
        from triton_bmm import launcher

        launch = launcher(a, b, outs[2])
        launch()
        calls["a Triton kernel's launch"] = launch
        written.append(outs[2])
    times = host_times(calls, repeats=200, rounds=25)
    for result in written:
        assert torch.allclose(result, expected, rtol=1e-2, atol=1e-2)
    many, few = (
        times.get(f"{n} launch{'es' * (n > 1)} by ctypes") for n in (MANY, FEW)
    )
    if many and few:
        pairs = zip(many, few, strict=True)
        times["a launch from C"] = [(m - f) / (MANY - FEW) for m, f in pairs]
    rows = [(name, spread(taken)) for name, taken in times.items()]
    table(("call", "µs of the host"), *rows)


FIRST_CALLS = """
import json, time
import torch
x = torch.ones(1, device="cuda")
torch.cuda.synchronize()
times = {}
start = time.perf_counter()
import kami
times["import kami"] = [time.perf_counter() - start]
def first(kind, batch, m, n, k):
    a = torch.ones(batch, m, k, dtype=kind, device="cuda")
    b = torch.ones(batch, k, n, dtype=kind, device="cuda")
    c = torch.empty(batch, m, n, dtype=kind, device="cuda")
    torch.cuda.synchronize()
    start = time.perf_counter()
    kami.gemm(a, b, out=c)
    torch.cuda.synchronize()
    assert bool((c == k).all())
    return time.perf_counter() - start
times["first call of the process"] = [first(torch.float16, 7, 8, 8, 8)]
for kind in (torch.float16, torch.float32):
    times[f"new shape, {kind}".replace("torch.", "")] = [
        first(kind, 1000, *extents)
        for extents in ((16, 16, 16), (32, 32, 32), (64, 64, 64), (37, 23, 50),
                        (128, 128, 128))
    ]
print(json.dumps(times))
"""


def first_calls() -> None:
    """First calls, in processes of their own: nothing cached, then all of it."""
    columns = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", FIRST_CALLS],
                env={**os.environ, "KAMI_CACHE_DIR": folder},
                capture_output=True,
                text=True,
                timeout=60,
            )
            if done.returncode:
                raise RuntimeError(done.stderr[-1000:])
            columns.append(json.loads(done.stdout))

    def text(times: list[float]) -> str:
        scaled = [time * 1e3 for time in times]
        middle = f"{statistics.median(scaled):.1f}"
        if len(scaled) == 1:
            return middle
        return f"{middle} ({min(scaled):.1f}-{max(scaled):.1f})"

    rows = [(name, *(text(column[name]) for column in columns)) for name in columns[0]]
    table(("ms", "compiled", "from the cache"), *rows)


def graphs() -> None:
    """A graph that was captured multiplies what is there when it is replayed."""
    a, b = random(64, 24, 40), random(64, 40, 16)
    results = []
    graph = capture(lambda: results.append(kami.bmm(a, b)))
    a.copy_(random(64, 24, 40))
    graph.replay()
    error = (results[-1] - torch.bmm(a, b)).abs().max().item()
    table(("replayed graph", "largest difference"), ("`kami.bmm`", f"{error:.1e}"))
    assert error < 0.05


class Block(torch.nn.Module):
    """A transformer's block, in half precision, with attention as it is written."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width) for _ in range(2))
        self.inputs = torch.nn.Linear(width, 3 * width)
        self.output = torch.nn.Linear(width, width)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(width, 4 * width),
            torch.nn.GELU(),
            torch.nn.Linear(4 * width, width),
        )

    def attend(self, x: Any) -> Any:
        batch, length, width = x.shape
        split = self.inputs(x).view(batch, length, 3, self.heads, -1)
        q, k, v = split.permute(2, 0, 3, 1, 4)
        scores = torch.matmul(q, k.transpose(-1, -2)) * (width / self.heads) ** -0.5
        mixed = torch.matmul(scores.softmax(-1), v).transpose(1, 2)
        return self.output(mixed.reshape(batch, length, width))

    def forward(self, x: Any) -> Any:
        x = x + self.attend(self.norms[0](x))
        return x + self.layers(self.norms[1](x))


def time_block(width: int, heads: int, batch: int, length: int, part: str) -> Any:
    """A row: what, then eager and as a graph, without and with kami."""
    torch.manual_seed(0)
    block = Block(width, heads).half().cuda().eval()
    x = random(batch, length, width)
    layer = block if part == "block" else block.attend

    def plain() -> Any:
        return layer(x)

    around: Around = {"torch": contextlib.nullcontext, "kami": kami.torch.patch}
    results, replays = [], {}
    for name, context in around.items():
        with context():
            results.append(plain())
            replays[name] = capture(plain).replay
    expected, result = results
    error = ((result - expected).norm() / expected.norm()).item()
    eager = device_times({name: plain for name in around}, 15, around)
    replayed = device_times(replays, 15)
    texts = [spread(times) for times in (*eager.values(), *replayed.values())]
    what = f"{part}, {heads} heads of {width // heads}, {batch} x {length}"
    return (what, *texts, f"{error:.0e}")


def transformer() -> None:
    """A transformer's block with many small heads, `patch()` off and on."""
    with torch.inference_mode():
        rows = [
            time_block(1024, 64, 64, 32, "attention"),
            time_block(1024, 64, 64, 32, "block"),
            time_block(256, 16, 512, 32, "attention"),
            time_block(256, 16, 512, 32, "block"),
            time_block(512, 16, 128, 64, "attention"),
            time_block(512, 16, 128, 64, "block"),
        ]
    head = ("µs", "eager", "eager, kami", "graph", "graph, kami", "difference")
    table(head, *rows)


def multiply_all(multiply: Callable[..., Any], places: list[Any]) -> None:
    for a, b, out in places:
        multiply(a, b, out=out)


def batches() -> None:
    """Device time of 10000 products of f16, operands not in the L2."""
    count, rows = 10000, []
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    for n in (16, 32, 64):
        sets = max(2, -(-4 * cache // (3 * count * n * n * 2)))
        places = [tuple(random(count, n, n) for _ in range(3)) for _ in range(sets)]
        graphs, results = {}, []
        for name, multiply in (("kami", kami.gemm), ("torch", torch.bmm)):
            graph = capture(functools.partial(multiply_all, multiply, places))
            graph.replay()
            results.append(places[-1][2].clone())
            graphs[name] = graph.replay
        assert torch.allclose(*results, rtol=1e-2, atol=1e-1), n
        times = device_times(graphs, 10)
        scaled = {name: [t / sets for t in taken] for name, taken in times.items()}
        medians = [statistics.median(taken) for taken in scaled.values()]
        gain = f"{medians[1] / medians[0]:.2f}"
        rows.append((f"{n}³", *(spread(taken) for taken in scaled.values()), gain))
    table(("µs", "`kami.gemm(a, b, out=c)`", "`torch.bmm`", "gain"), *rows)


@contextlib.contextmanager
def reported(part: Callable[[], None]) -> Iterator[None]:
    start = time.perf_counter()
    print(f"### {inspect.getdoc(part)}\n")
    try:
        yield
    except Exception:
        print(f"failed:\n\n```\n{traceback.format_exc()}```\n")
    print(f"({time.perf_counter() - start:.1f} s)\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=80)
    limit = parser.parse_args().seconds
    start = time.perf_counter()
    properties = torch.cuda.get_device_properties(0)
    print(f"{properties.name}, torch {torch.__version__}, CUDA {torch.version.cuda}\n")
    for part in (calls_of_the_host, graphs, batches, transformer, first_calls):
        if time.perf_counter() - start > limit:
            print(f"### {inspect.getdoc(part)}\n\nskipped: {limit:.0f} s are over\n")
            continue
        with reported(part):
            part()


if __name__ == "__main__":
    main()
