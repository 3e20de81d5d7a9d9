#!/usr/bin/env python3
"""Other compilers' and libraries' batches, for `kami-bench batch` to compare with.

--triton=DIR compiles a batched product with Triton, in many settings, to cubins
in DIR, and lists them in DIR/index.json; `kami-bench batch --triton=DIR` times
them beside its own kernels. That needs neither a GPU nor torch, and nothing of
Triton is needed where the cubins are timed.

--torch=FILE times torch.bmm on this machine's GPU and writes a line for each
type and size; `kami-bench batch --torch=FILE` puts the times beside its own.
They are of a process of its own, so run it just before.
"""

import argparse
import concurrent.futures
import csv
import dataclasses
import importlib
import importlib.util
import itertools
import json
import math
import os
import re
import statistics
import sys

# How Triton spells the elements of A, B and C, and a product's precision.
TRITON_TYPES = {
    "f16": ("fp16", "ieee"),
    "bf16": ("bf16", "ieee"),
    "tf32": ("fp32", "tf32"),
    "f32": ("fp32", "ieee"),
    "f64": ("fp64", "ieee"),
}
BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "f32": 4, "f64": 8}
PARAMETERS = ["a", "b", "c"]
# Shared memory that a block of sm_80 and later can ask for, at least.
SHARED_BYTES = 160 * 1024


@dataclasses.dataclass(frozen=True)
class Setting:
    """What one kernel is compiled for."""

    type: str
    n: int
    rows: int
    columns: int
    depth: int
    stages: int
    warps: int

    def blocks_per_product(self):
        """Programs that compute one product."""
        return math.ceil(self.n / self.rows) * math.ceil(self.n / self.columns)

    def name(self):
        """A file's name without its ending."""
        return (
            f"{self.type}-{self.n}-{self.rows}x{self.columns}x{self.depth}"
            f"-s{self.stages}-w{self.warps}"
        )


def power_at_least(value):
    """The least power of two from 16 on that is not below the value."""
    return max(16, 1 << (value - 1).bit_length())


def shapes(n):
    """Tiles of C, those with the least to read first.

    A tile reads its rows of A and its columns of B, what lies outside of the
    matrix included.
    """
    whole = power_at_least(n)
    extents = sorted({min(size, whole) for size in (16, 32, 64, 128)} | {whole})

    def traffic(shape):
        rows, columns = shape
        tiles = math.ceil(n / rows) * math.ceil(n / columns)
        padded = tiles * rows * columns / (n * n)
        return padded * (1 / rows + 1 / columns)

    pairs = [
        (rows, columns)
        for rows, columns in itertools.product(extents, extents)
        if max(rows, columns) <= 2 * min(rows, columns) and rows * columns <= 128 * 256
    ]
    return sorted(pairs, key=traffic)


def settings_of_shape(kind, n, rows, columns):
    """The settings of one tile of C, the likely ones first."""
    whole = power_at_least(n)
    # A lane's share of the sums, in registers of 32 bits.
    width = 2 if kind == "f64" else 1
    found = []
    for depth in sorted({min(size, whole) for size in (16, 32, 64, 128)}):
        steps = math.ceil(n / depth)
        for stages in (1,) if steps == 1 else range(1, min(4, steps) + 1):
            if stages * (rows + columns) * depth * BYTES[kind] > SHARED_BYTES:
                continue
            for warps in (1, 2, 4, 8):
                share = rows * columns * width / (32 * warps)
                if 4 <= share <= 128:
                    # Enough sums in a lane to hide the latency of its
                    # instructions, and two steps on their way.
                    oddity = 0.6 * abs(math.log2(share / 32))
                    oddity += 0.3 * abs(math.log2(depth / 32))
                    oddity += 0.5 * abs(stages - 2) if steps > 1 else 0
                    setting = Setting(kind, n, rows, columns, depth, stages, warps)
                    found.append((oddity, setting))
    return [setting for _, setting in sorted(found, key=lambda pair: pair[0])]


def settings(kind, n, most):
    """At most so many settings; half of them are of the three best shapes."""
    shaped = [settings_of_shape(kind, n, *shape) for shape in shapes(n)]
    shaped = [group for group in shaped if group]
    chosen = []
    for group in shaped[:3]:
        chosen += group[: max(1, most // 6)]
    # The rest in turn, a shape each.
    for rank in itertools.zip_longest(*shaped):
        chosen += [one for one in rank if one is not None and one not in chosen]
    return chosen[:most]


def parameter_count(ptx, name):
    """Parameters of a kernel as compiled: Triton adds pointers of its own."""
    entry = re.search(rf"\.entry\s+{re.escape(name)}\s*\((.*?)\)", ptx, re.DOTALL)
    if not entry:
        raise ValueError(f"no kernel '{name}' in Triton's PTX")
    return len(re.findall(r"\.param", entry.group(1)))


def compile_setting(setting, chip):
    """Returns (setting, entry of the index, cubin), or (setting, reason, None)."""
    # Lines of source are half of a cubin's bytes.
    os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    kernel = importlib.import_module("batch_kernel").bmm
    element, precision = TRITON_TYPES[setting.type]
    constants = {
        "n": setting.n,
        "rows": setting.rows,
        "columns": setting.columns,
        "depth": setting.depth,
        "stages": setting.stages,
        "precision": precision,
    }
    signature = dict.fromkeys(PARAMETERS, "*" + element)
    signature.update(dict.fromkeys(constants, "constexpr"))
    try:
        source = ASTSource(
            fn=kernel,
            signature=signature,
            constexprs=constants,
            attrs={(i,): [["tt.divisibility", 16]] for i in range(len(PARAMETERS))},
        )
        compiled = triton.compile(
            source,
            target=GPUTarget("cuda", int(chip.removeprefix("sm_")), 32),
            options={"num_warps": setting.warps, "num_stages": setting.stages},
        )
        metadata = compiled.metadata
        added = parameter_count(compiled.asm["ptx"], metadata.name) - len(PARAMETERS)
        if added < 0:
            raise ValueError("a parameter of the kernel is missing")
        # Null is what those pointers are where no memory was asked for.
        for member in ("global_scratch_size", "profile_scratch_size"):
            if getattr(metadata, member, 0):
                raise ValueError(f"the kernel has a {member} of its own")
    # Triton's errors are of many kinds, down to failed assertions.
    except Exception as error:  # noqa: BLE001
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return setting, lines[-1], None
    entry = {
        "type": setting.type,
        "n": setting.n,
        "name": metadata.name,
        "file": setting.name() + ".cubin",
        "shared": metadata.shared,
        "threads": 32 * metadata.num_warps,
        "blocks_per_product": setting.blocks_per_product(),
        "parameters": PARAMETERS + ["null"] * added,
        "setting": f"{setting.rows}x{setting.columns}x{setting.depth}, "
        f"warps {setting.warps}, stages {setting.stages}",
    }
    return setting, entry, compiled.asm["cubin"]


def compile_all(arguments):
    """Fills arguments.triton with cubins; whether there is one of every type."""
    import triton

    wanted = [
        setting
        for kind in arguments.types
        for n in arguments.sizes
        for setting in settings(kind, n, arguments.most)
    ]
    os.makedirs(arguments.triton, exist_ok=True)
    kernels = []
    failures = {}
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        compiled = pool.map(
            compile_setting, wanted, itertools.repeat(arguments.chip), chunksize=4
        )
        for setting, entry, cubin in compiled:
            if cubin is None:
                failures.setdefault(setting.type, []).append((setting, entry))
                continue
            path = os.path.join(arguments.triton, entry["file"])
            with open(path, "wb") as file:
                file.write(cubin)
            kernels.append(entry)
    index = {
        "triton": triton.__version__,
        "chip": arguments.chip,
        "kernels": kernels,
    }
    # Last, so that a folder with an index has all that it lists.
    with open(os.path.join(arguments.triton, "index.json"), "w") as file:
        json.dump(index, file, indent=1)
        file.write("\n")
    made = {entry["type"] for entry in kernels}
    for kind, failed in failures.items():
        setting, reason = failed[0]
        what = f"{len(failed)} settings left out" if kind in made else "unsupported"
        print(
            f"triton-batch: {kind}: {what} (Triton {triton.__version__}, "
            f"{setting.name()}: {reason})",
            file=sys.stderr,
        )
    print(f"triton-batch: {len(kernels)} kernels in {arguments.triton}")
    return bool(made)


def time_bmm(torch, kind, n, batch, repeats):
    """Microseconds of a launch: median, least and most of the replays.

    The method is that of kami-bench batch: operands of more than 300 MB in turn,
    ten launches or more in a graph, a replay before the one that is timed.
    """
    dtype = {
        "f16": torch.float16,
        "bf16": torch.bfloat16,
        "tf32": torch.float32,
        "f32": torch.float32,
        "f64": torch.float64,
    }[kind]
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    each = batch * n * n * BYTES[kind]
    sets = min(max(math.ceil(300e6 / (3 * each)), 1), 1000)
    a, b = (
        torch.empty((sets, batch, n, n), dtype=dtype, device="cuda").uniform_(-1, 1)
        for _ in range(2)
    )
    c = torch.empty_like(a)

    def launch(count):
        for i in range(count):
            torch.bmm(a[i % sets], b[i % sets], out=c[i % sets])

    # Outside of the graph once, so that libraries are loaded.
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        launch(sets)
    torch.cuda.current_stream().wait_stream(side)
    launches = math.ceil(10 / sets) * sets
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch(launches)

    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def replay():
        graph.replay()
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        return 1e3 * start.elapsed_time(stop) / launches

    # Until the clocks have risen from idle.
    spent = 0
    for _ in range(1000):
        spent += 2 * launches * replay()
        if spent > 50e3:
            break
    times = [replay() for _ in range(repeats)]
    return statistics.median(times), min(times), max(times)


def time_all(arguments):
    """Writes arguments.torch; whether there was a GPU to do it on."""
    import torch

    if not torch.cuda.is_available():
        print("triton-batch: torch finds no GPU", file=sys.stderr)
        return False
    with open(arguments.torch, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["type", "n", "batch", "us", "us_min", "us_max", "torch", "device"]
        )
        for kind, n in itertools.product(arguments.types, arguments.sizes):
            times = time_bmm(torch, kind, n, arguments.batch, arguments.repeats)
            writer.writerow(
                [kind, n, arguments.batch]
                + [f"{time:.3f}" for time in times]
                + [torch.__version__, torch.cuda.get_device_name()]
            )
            file.flush()
            torch.cuda.empty_cache()
    return True


def extent(text):
    """A positive integer of the command line."""
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def extents(text):
    """Several of them."""
    return [extent(part) for part in text.split(",")]


def types(text):
    """Names of types."""
    kinds = text.split(",")
    if not set(kinds) <= set(TRITON_TYPES):
        raise ValueError(text)
    return kinds


def chip(text):
    """The name of a CUDA target."""
    if not re.fullmatch(r"sm_\d+", text):
        raise ValueError(text)
    return text


def parse(arguments):
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--triton", metavar="DIR", help="compile Triton kernels to DIR")
    parser.add_argument("--torch", metavar="FILE", help="time torch.bmm, write a CSV")
    parser.add_argument(
        "--types",
        type=types,
        default=["f16", "bf16", "tf32", "f64"],
        help=f"of {', '.join(TRITON_TYPES)}, with commas",
    )
    parser.add_argument(
        "--sizes",
        type=extents,
        default=[16, 32, 48, 64, 96, 128, 192, 256],
        help="n of n x n x n, with commas",
    )
    parser.add_argument(
        "--batch", type=extent, default=10000, help="products of a launch (torch)"
    )
    parser.add_argument("--repeats", type=extent, default=20, help="replays (torch)")
    parser.add_argument(
        "--chip", type=chip, default="sm_90", help="what Triton compiles for"
    )
    parser.add_argument(
        "--most", type=extent, default=32, help="settings of a type and size (Triton)"
    )
    parser.add_argument(
        "--jobs", type=extent, default=os.cpu_count(), help="processes (Triton)"
    )
    parsed = parser.parse_args(arguments)
    if not parsed.triton and not parsed.torch:
        parser.error("expected --triton=DIR or --torch=FILE")
    return parsed


def main():
    """The exit status: 2 where a package is missing."""
    arguments = parse(sys.argv[1:])
    for package in ("triton", "torch"):
        if getattr(arguments, package) and not importlib.util.find_spec(package):
            print(
                f"triton-batch: no package '{package}' for {sys.executable}",
                file=sys.stderr,
            )
            return 2
    done = True
    if arguments.triton:
        done = compile_all(arguments) and done
    if arguments.torch:
        done = time_all(arguments) and done
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
