# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that were compiled ahead, on a driver that only writes launches down."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from fake_driver import run

import kami
from kami import _ahead
from kami._any_size import request_for_transposed, widened, widened_extras
from kami._arrays import dense_strides
from kami._grouped_kind import TYPICAL_OF_ANY, Kind, kind_for_any
from kami._kernels import Described, scalar_bits
from kami._matmul import ALIGNMENT, EXTRAS, Operand, Placed, Request, source_of
from kami._product import default_accumulator
from kami._stand_in import stand_ins_for

SCRIPT = Path(__file__).parents[2] / "scripts/compile-ahead.py"


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compile_ahead", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        # It wants none of them.
        for name in ("KAMI_CACHE_DIR", "KAMI_AHEAD_DIR"):
            patch.setenv(name, os.environ.get(name, ""))
        spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def ahead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of f16, by warp groups in two tiles and by warps in one, and for scales and
    epilogues; what the assembler makes of them is what the driver makes."""
    script = load_script()
    folder = tmp_path_factory.mktemp("ahead")
    assembler = folder / "ptxas"
    assembler.write_text(
        '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncat > "$2"\n'
    )
    assembler.chmod(0o755)
    shared, scaled, biased = (
        script.request_for("f16", **more)
        for more in ({}, {"has_alpha": True}, {"bias": True})
    )
    grouped = Kind("f16", "f16", "f16", None, False, False, True, True, bytes=True)
    small = {"tile": "64x64x64", "unit": "warpgroup"}
    groups = {"tile": "128x128x64", "unit": "warpgroup", "stages": 3}
    warps = {"tile": "32x32x32", "unit": "warp"}
    deep = {"tile": "32x32x64", "unit": "warp"}
    programs = [
        script.make(script.Wanted(request, form), str(assembler))
        for request, form in [
            (script.stand_in_for(shared), small),
            (script.stand_in_for(shared), groups),
            (shared, groups),
            (shared, warps),
            (script.stand_in_for_all_sums(scaled), small),
            (script.stand_in_for_all_sums(biased), small),
            (script.stand_in_for_all_sums(scaled), deep),
            (grouped, {**small, "copies": "threads"}),
        ]
    ]
    kinds = [program.entry["kind"] for program in programs]
    assert kinds[0] == kinds[1]
    assert kinds[2] == kinds[3] == ""
    assert kinds[4] == kinds[6]
    assert len(set(kinds)) == 5
    terms = [program.entry["terms"] for program in programs[1:]]
    assert terms[0] == terms[1] != terms[2]
    script.write(folder, programs)
    return folder


# The tile and the unit of a stand-in, of each order that has some.
SIMULATED = [
    ("f16", (65, 70, 72), "64x64x64", "warpgroup"),
    ("f16", (33, 40, 50), "32x32x32", "warp"),
    ("f16", (140, 140, 140), "32x96x32", "warp"),
    ("tf32", (96, 100, 64), "64x64x32", "warpgroup"),
    ("tf32", (20, 21, 30), "32x32x16", "warp"),
    ("f64", (40, 45, 41), "32x32x16", "warp"),
    ("f32", (65, 47, 33), "48x48x16", "warp"),
]


@pytest.mark.parametrize(("type", "extents", "tile", "unit"), SIMULATED)
def test_orders_that_are_equal_give_equal_bits(
    type: str, extents: tuple[int, int, int], tile: str, unit: str
) -> None:
    """In the simulator: of sizes of their own, and of any."""
    m, n, k = extents
    rng = np.random.default_rng(sum(extents))
    dtype = {"f16": np.float16, "f64": np.float64}.get(type, np.float32)
    a = rng.standard_normal((2, m, k)).astype(dtype)
    b = rng.standard_normal((2, k, n)).astype(dtype)
    stored = "f32" if type == "tf32" else type
    operands = [Operand(x, (False,), "dense") for x in (type, type, stored)]
    own = Request(m, n, k, *operands, products=4)
    c = simulate_stand_in(own, [{"tile": tile, "unit": unit}], a, b)
    expected = kami.gemm(a, b, precision="tf32" if type == "tf32" else "exact")
    assert c.tobytes() == expected.tobytes()


Array = np.ndarray[Any, Any]


def simulate_stand_in(
    own: Request, forms: list[dict[str, Any]], a: Array, b: Array, **given: Any
) -> Array:
    """What one that adds up in the product's order gives for it, with NaN in C if
    beta is not given."""
    unwritten = np.full((*a.shape[:-1], b.shape[-1]), np.nan, a.dtype)
    c = np.array(given.pop("c", unwritten))
    order = source_of(own, "sm_90", {}).sum_order()
    assert own.k is not None
    layers = order.layers_of(own.k)
    assert layers is not None
    plain, *others = stand_ins_for(own)
    wide = others[0] if others and layers.number > 1 else plain
    sources = [source_of(wide, "sm_90", form) for form in forms]
    stand_in = next(
        source for source in sources if source.sum_order().terms == order.terms
    )
    batch = c.shape[:-2]
    described: list[Any] = [
        (
            array.ctypes.data,
            *widened(Placed(operand, array.shape, dense_strides(array.shape)), batch),
        )
        for array, operand in zip((a, b, c), (own.a, own.b, own.c), strict=True)
    ]
    for name, absent in (("alpha", 1), ("beta", -0.0)):
        if getattr(wide, f"has_{name}"):
            accumulator = default_accumulator(own.a.type)
            bits = scalar_bits(given.pop(name, absent), accumulator, name)
            described.append((bits,))
    if wide.has_layers:
        described += [(number,) for number in layers]
    absents = {"row_scale": [1], "bias": [-0.0], "residual": [-0.0]}
    arrays = {
        name: np.array(given.get(name, absents[name]), c.dtype) for name in EXTRAS
    }
    dims = {
        name: [*zip(arrays[name].shape, dense_strides(arrays[name].shape), strict=True)]
        for name in given
    }
    if wide.extras:
        layouts = widened_extras(dims, c.shape)
        for name, layout in zip(EXTRAS, layouts, strict=True):
            described.append((arrays[name].ctypes.data, *layout))
    launch: Described = described
    stand_in.program().simulate(launch)
    return c


# Of single products, which are cut into layers.
LAYERED = [
    ("f16", (65, 70, 65), (False, False), 2),
    ("f16", (33, 33, 333), (True, False), 4),
    ("f16", (101, 30, 201), (False, True), 4),
    ("tf32", (45, 30, 333), (False, False), 4),
    ("tf32", (64, 40, 128), (False, False), 2),
    ("f64", (33, 33, 33), (True, True), 2),
    ("f64", (40, 33, 768), (False, True), 4),
    ("f32", (37, 23, 50), (False, False), 4),
    ("f32", (40, 40, 192), (True, True), 4),
    ("tf32x3", (64, 40, 128), (False, False), 4),
    ("tf32x3", (65, 30, 65), (True, False), 2),
]


@pytest.mark.parametrize(("type", "extents", "transposes", "layers"), LAYERED)
def test_layers_of_run_time_give_equal_bits(
    type: str, extents: tuple[int, int, int], transposes: tuple[bool, bool], layers: int
) -> None:
    m, n, k = extents
    script = load_script()
    rng = np.random.default_rng(sum(extents))
    dtype = {
        "f16": np.float16,
        "f64": np.float64,
    }.get(type, np.float32)
    precision = type if type in ("tf32", "tf32x3") else "exact"
    a, b = (
        rng.standard_normal(shape[:: -1 if transposed else 1]).astype(dtype)
        for shape, transposed in zip(((m, k), (k, n)), transposes, strict=True)
    )
    operands = [Operand(type, (), "dense", transposed) for transposed in transposes]
    result = Operand("f32" if type.startswith("tf32") else type, (), "dense")
    own = Request(m, n, k, *operands, result, alignment=ALIGNMENT)
    found = source_of(own, "sm_90", {}).sum_order().layers_of(k)
    assert found is not None
    assert found.number == layers
    forms = [*script.few_forms(own)]
    unwritten = np.full((m, n), np.nan, dtype)
    c = simulate_stand_in(own, forms, a, b, c=unwritten)
    expected = kami.gemm(
        a,
        b,
        trans_a=transposes[0],
        trans_b=transposes[1],
        precision=precision,
    )
    assert c.tobytes() == expected.tobytes()


@pytest.mark.parametrize("type", ["f32", "f64"])
@pytest.mark.parametrize("transposes", [(False, False), (True, False), (False, True)])
def test_complex_products_of_all_sizes_give_equal_bits(
    type: str, transposes: tuple[bool, bool]
) -> None:
    m, n, k = 21, 34, 45
    rng = np.random.default_rng(7)
    dtype = np.complex64 if type == "f32" else np.complex128
    a, b = (
        (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
        for shape in (
            (3, k, m) if transposes[0] else (3, m, k),
            (3, n, k) if transposes[1] else (3, k, n),
        )
    )
    operands = [
        Operand(type, (False,), "dense", transposed)
        for transposed in (*transposes, False)
    ]
    own = Request(m, n, k, *operands, is_complex=True, alignment=ALIGNMENT)
    assert " of both parts" in source_of(own, "sm_90", {}).sum_order().terms
    unwritten = np.full((3, m, n), np.nan, dtype)
    c = simulate_stand_in(own, [{"tile": "16x32x16"}], a, b, c=unwritten)
    expected = kami.bmm(a, b, trans_a=transposes[0], trans_b=transposes[1])
    assert c.tobytes() == expected.tobytes()


PARTS: list[dict[str, Any]] = [
    {"alpha": -2.5},
    {"beta": 0.5},
    {"alpha": -1.5, "beta": -1},
    {"row_scale": True},
    {"bias": True, "activation": "relu"},
    {"alpha": 0.75, "residual": True, "activation": "gelu"},
    {"activation": "silu"},
    {"beta": 2, "row_scale": True, "bias": True, "residual": True},
]


# A's type and C's, and typical extents that plans of several orders are for.
GROUPED = [
    ("f16", "f16", 9),
    ("f16", "f16", 32),
    ("bf16", "bf16", 65),
    ("tf32", "f32", 17),
    ("tf32", "f32", 64),
    ("tf32x3", "f32", 32),
    ("f64", "f64", 33),
    ("f32", "f32", 16),
    ("f8E4M3FN", "f32", 32),
    ("f8E4M3FN", "f32", 128),
]


@pytest.mark.parametrize(("type", "result", "typical"), GROUPED)
def test_products_of_sizes_of_their_own_have_equal_bits(
    type: str, result: str, typical: int
) -> None:
    """By their own kernel and by a stand-in, whose alpha is 1 and beta -0."""
    script = load_script()
    kind = Kind(type, type, result, None, False, True, False, False, bytes=False)
    own = kind.source((typical,) * 3, "sm_90", {})
    terms = own.sum_order().terms
    stand_in = next(
        source
        for form in script.GROUPED_FORMS[type]
        if (source := kind_for_any(kind).source(TYPICAL_OF_ANY, "sm_90", form))
        and source.sum_order().terms == terms
    )
    rng = np.random.default_rng(typical)
    sizes = [(40, 33, 50), (7, 70, 0), (64, 16, 100), (1, 3, 17)]
    m, n, k = (np.array(column, np.int64) for column in zip(*sizes, strict=True))

    def flat(rows: Any, columns: Any) -> tuple[Array, Array]:
        elements = rows * columns
        starts = np.cumsum(np.append(0, elements))
        values = rng.standard_normal(starts[-1]).astype(np.float32)
        if type in ("f16", "f64"):
            values = values.astype({"f16": np.float16, "f64": np.float64}[type])
        if type == "f8E4M3FN":
            values = rng.integers(0, 120, starts[-1]).astype(np.uint8)
        if type == "bf16":
            values = (values.view(np.uint32) >> 16).astype(np.uint16)
        return values, starts[:-1]

    (a, at_a), (b, at_b), (_, at_c) = flat(m, k), flat(n, k), flat(m, n)
    width = {"f16": 2, "bf16": 2, "f64": 8}.get(result, 4)
    found = []
    for source, scales in ((own, ()), (stand_in, (1, -0.0))):
        # Of NaN, in any of these types.
        c = np.full(int((m * n).sum()) * width, 0xFF, np.uint8)
        described: list[Any] = [(x.ctypes.data, (x.size,), (1,)) for x in (a, b)]
        described.append((c.ctypes.data, (c.size // width,), (1,)))
        columns = (at_a, at_b, at_c, m, n, k, np.maximum(k, 1), np.maximum(k, 1), n)
        described += [(x.ctypes.data, (x.size,), (1,)) for x in columns]
        accumulator = default_accumulator(type)
        described += [(scalar_bits(x, accumulator, "scale"),) for x in scales]
        source.program().simulate(described)
        found.append(c.tobytes())
    assert found[0] == found[1]
    assert b"\xff" * width not in found[0]


# Products that add up in one layer, and in two.
BATCHES = {(2,): 1, (): 2}


@pytest.mark.parametrize("parts", PARTS, ids=lambda parts: "-".join(parts))
@pytest.mark.parametrize("batch", BATCHES)
def test_what_is_absent_changes_no_bit(
    batch: tuple[int, ...], parts: dict[str, Any]
) -> None:
    """Nor the sign of a zero, as of alpha times an empty row."""
    m, n, k = 65, 70, 65
    rng = np.random.default_rng(len(parts))
    a, b, c, residual = (
        rng.standard_normal((*batch, *shape)).astype(np.float16)
        for shape in ((m, k), (k, n), (m, n), (m, n))
    )
    a[..., ::5, :], c[..., ::3, :] = 0, -0.0
    said = {
        "row_scale": rng.standard_normal(m).astype(np.float16),
        "bias": np.where(np.arange(n) % 3, rng.standard_normal(n), -0.0).astype("f2"),
        "residual": residual,
    }
    extras = {name: said[name] for name in said if name in parts}
    activation = parts.get("activation")
    scales = {name: parts[name] for name in ("alpha", "beta") if name in parts}
    operand = Operand("f16", (False,) * len(batch), "dense")
    own = Request(
        m, n, k, operand, operand, operand,
        has_alpha="alpha" in parts, has_beta="beta" in parts, activation=activation,
        epilogue_type="f16" if extras.keys() & {"row_scale", "bias"} else None,
        alignment=ALIGNMENT, products=4 if batch else 0, **dict.fromkeys(extras, True),
    )  # fmt: skip
    order = source_of(own, "sm_90", {}).sum_order()
    assert order.layers.number == BATCHES[batch]
    forms = [*load_script().few_forms(own)]
    old = {"c": c} if "beta" in parts else {}
    found = simulate_stand_in(own, forms, a, b, **scales, **extras, **old)
    epilogue = kami.Epilogue(**extras, activation=activation)
    expected = kami.gemm(a, b, c if old else None, epilogue=epilogue, **scales)
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("activation", [None, "relu"])
def test_a_bias_is_a_residual_of_the_transpose(activation: str | None) -> None:
    """To the same bits, zeros of either sign among it."""
    m, n, k = 33, 40, 64
    rng = np.random.default_rng(5)
    a, b = (
        rng.standard_normal((2, *shape)).astype(np.float16)
        for shape in ((m, k), (k, n))
    )
    a[:, ::5] = 0
    bias = np.where(np.arange(n) % 3, rng.standard_normal(n), -0.0).astype("f2")
    operand = Operand("f16", (False,), "dense")
    columns = Operand("f16", (False,), "columns")
    own = Request(
        m,
        n,
        k,
        operand,
        operand,
        columns,
        bias=True,
        activation=activation,
        epilogue_type="f16",
        products=4,
    )
    flipped = request_for_transposed(own)
    assert flipped is not None
    order = source_of(own, "sm_90", {}).sum_order()
    assert source_of(flipped, "sm_90", {}).sum_order() == order
    forms = [{"tile": f"32x32x{depth}", "unit": "warp"} for depth in (32, 64)]
    unwritten = np.full((2, n, m), np.nan, np.float16)
    residual = np.broadcast_to(bias[:, None], unwritten.shape).copy()
    found = simulate_stand_in(flipped, forms, b, a, c=unwritten, residual=residual)
    out = np.empty((2, n, m), np.float16)
    epilogue = kami.Epilogue(bias=bias, activation=activation)
    kami.gemm(a, b, out=out.swapaxes(1, 2), epilogue=epilogue)
    assert found.tobytes() == out.tobytes()


LATE = """
import threading
from kami import _kernels, _matmul, _product, _stand_in

may_compile = threading.Event()
compiled = []
really_compile = _kernels.lib.kamiCompileGemm

def compile_late(gemm, *rest):
    compiled.append(gemm._obj.m)
    assert may_compile.wait(60)
    return really_compile(gemm, *rest)

_kernels.lib.kamiCompileGemm = compile_late
_stand_in.PATIENCE = 0.01
os.environ["KAMI_CACHE_DIR"] = ""

def operands(m, n, k, batch=300):
    shapes = (batch, m, k), (batch, k, n), (batch, m, n)
    return [DeviceArray(np.zeros(shape, np.float16)) for shape in shapes]

def multiply(a, b, out, **keywords):
    kami.gemm(a, b, out=out, **keywords)

def awaited():
    return [bound.awaited is not None for bound in _product._bound.values()]

def tile():
    program, = [bound.program for bound in _product._bound.values()]
    plan = program.description["kernels"][0]["plan"]
    return plan["tile"]
"""


def run_late(driver: Path, ahead: Path, code: str, parameters: int = 0) -> None:
    run(driver, LATE + textwrap.dedent(code), parameters, KAMI_AHEAD_DIR=str(ahead))


Late = Callable[..., None]


@pytest.fixture
def late(driver: Path, ahead: Path) -> Late:
    """Runs code in a process that compiles when the code lets it."""
    return functools.partial(run_late, driver, ahead)


def test_a_program_stands_in(late: Late) -> None:
    """Until the one of these sizes is compiled, which is then taken."""
    late(
        """
        arrays = operands(100, 100, 100)
        multiply(*arrays)
        assert launches.value == 1 and awaited() == [True] and compiled == [100]
        # Of two that add up alike, the one that has less to do.
        assert tile() == [128, 128, 64], tile()
        multiply(*arrays)
        assert launches.value == 2 and awaited() == [True] and compiled == [100]
        may_compile.set()
        _stand_in.PATIENCE = 60
        multiply(*arrays)
        assert launches.value == 3 and awaited() == [False] and compiled == [100]
        assert tile() not in ([128, 128, 64], [64, 64, 64]), tile()
        """,
    )


def test_small_products_have_small_tiles(late: Late) -> None:
    late(
        """
        multiply(*operands(64, 63, 65))
        assert awaited() == [True] and tile() == [64, 64, 64], tile()
        may_compile.set()
        """,
    )


def test_stand_ins_take_any_rows(late: Late) -> None:
    """Heads of a transformer as they lie, and what is every product's."""
    late(
        """
        a = np.zeros((6, 100, 3, 128), np.float16).transpose(0, 2, 1, 3)
        b, c = np.zeros((3, 128, 70), np.float16), np.zeros((6, 3, 100, 70), np.float16)
        multiply(*map(DeviceArray, (a, b, c)))
        assert awaited() == [True]
        # Pointer, pointer, offset, sizes and strides of each.
        assert words[3:13] == [1, 6, 3, 100, 128, 0, 38400, 128, 384, 1]
        assert words[16:26] == [1, 6, 3, 128, 70, 0, 0, 8960, 70, 1]
        assert words[29:39] == [1, 6, 3, 100, 70, 0, 21000, 7000, 70, 1]
        a, b, c = a[:, 0], b[0], c[:, 0]
        multiply(*map(DeviceArray, (a, b, c)))
        assert awaited() == [True, True]
        assert words[3:13] == [1, 1, 6, 100, 128, 0, 0, 38400, 384, 1]
        assert words[16:26] == [1, 1, 6, 128, 70, 0, 0, 0, 70, 1]
        assert words[29:39] == [1, 1, 6, 100, 70, 0, 0, 21000, 70, 1]
        a, b = np.zeros((2, 3, 4, 100, 128), np.float16)[:, ::-1], b[None]
        c = np.zeros((4, 3, 2, 100, 70), np.float16).swapaxes(0, 2)
        multiply(*map(DeviceArray, (a, b, c)))
        assert awaited() == [True] * 3
        assert words[3:8] == [2, 3, 4, 100, 128]
        assert words[8:13] == [153600, 2**64 - 51200, 12800, 128, 1]
        assert words[16:26] == [2, 3, 4, 128, 70, 0, 0, 0, 70, 1]
        assert words[34:39] == [7000, 14000, 42000, 70, 1]
        may_compile.set()
        """,
        parameters=39,
    )


def test_stand_ins_take_arrays_from_anywhere(late: Late) -> None:
    late(
        """
        a = np.zeros(6 * 100 * 104 + 1, np.float16)[1:].reshape(6, 100, 104)
        b, c = np.zeros((104, 80), np.float16), np.zeros((6, 100, 80), np.float16)
        multiply(*map(DeviceArray, (a, b, c)))
        assert awaited() == [True]
        may_compile.set()
        """,
    )


def test_stand_ins_for_results_in_columns(late: Late) -> None:
    """They are the transposes of what others multiply."""
    late(
        """
        shapes = (6, 72, 128), (6, 96, 72), (6, 96, 128), (6, 96, 128)
        a, b, c, d = (np.zeros(shape, np.float16).swapaxes(1, 2) for shape in shapes)
        residual = kami.Epilogue(residual=DeviceArray(d))
        multiply(*map(DeviceArray, (a, b, c)), epilogue=residual)
        assert awaited() == [True]
        addresses = [array.ctypes.data for array in (b, a, c)]
        assert [words[0], words[13], words[26]] == addresses
        # B's transpose and A's, as they lie.
        assert words[3:13] == [1, 1, 6, 96, 72, 0, 0, 6912, 72, 1]
        assert words[16:26] == [1, 1, 6, 72, 128, 0, 0, 9216, 128, 1]
        assert words[29:39] == [1, 1, 6, 96, 128, 0, 0, 12288, 128, 1]
        assert words[51] == d.ctypes.data
        assert words[54:64] == [1, 1, 6, 96, 128, 0, 0, 12288, 128, 1]
        # What all rows share is a residual without a distance between columns.
        bias = np.zeros(96, np.float16)
        given = kami.Epilogue(bias=DeviceArray(bias))
        multiply(*map(DeviceArray, (a, b, c)), epilogue=given)
        assert awaited() == [True] * 2
        assert words[0] == b.ctypes.data
        assert words[51] == bias.ctypes.data
        assert words[54:64] == [1, 1, 6, 96, 128, 0, 0, 0, 1, 0]
        # What all columns share would be what all rows do, and a residual is one
        # array.
        os.environ["FAKE_CUDA_WORDS"] = "0"
        threading.Timer(0.2, may_compile.set).start()
        scale = DeviceArray(np.zeros(128, np.float16))
        for rest in ({"row_scale": scale}, {"residual": DeviceArray(d)}):
            given = kami.Epilogue(bias=DeviceArray(bias), **rest)
            multiply(*map(DeviceArray, (a, b, c)), epilogue=given)
        assert awaited() == [True] * 2 + [False] * 2
        """,
        parameters=64,
    )


def test_stand_ins_scale(late: Late) -> None:
    """One for alpha, beta and both."""
    late(
        """
        one, none = np.float32(1).view(np.uint32), np.float32(-0.0).view(np.uint32)
        two, three = np.float32([2, 3]).view(np.uint32)
        for k, scales, expected in (
            (100, {"alpha": 2}, [two, none]),
            (101, {"beta": 3}, [one, three]),
            (102, {"alpha": 2, "beta": 3}, [two, three]),
        ):
            a, b, c = operands(100, 100, k)
            multiply(a, b, c, c=c if "beta" in scales else None, **scales)
            assert [word & 0xFFFFFFFF for word in words[39:41]] == expected
            assert words[41:43] == [1, k]
        assert awaited() == [True] * 3
        may_compile.set()
        """,
        parameters=43,
    )


def test_stand_ins_add_up_in_layers(late: Late) -> None:
    """As the kernels of single products do, which are cut along k."""
    late(
        """
        one, none = np.float32(1).view(np.uint32), np.float32(-0.0).view(np.uint32)
        a, b, c = (
            DeviceArray(np.zeros(shape, np.float16))
            for shape in ((65, 65), (65, 70), (65, 70))
        )
        multiply(a, b, c)
        assert awaited() == [True]
        assert [word & 0xFFFFFFFF for word in words[39:41]] == [one, none]
        assert words[41:43] == [2, 48]
        may_compile.set()
        """,
        parameters=43,
    )


def test_stand_ins_have_epilogues(late: Late) -> None:
    """What a product has none of is one number."""
    late(
        """
        a, b, c = operands(100, 90, 70, batch=6)
        bias = DeviceArray(np.zeros(90, np.float16))
        multiply(a, b, c, epilogue=kami.Epilogue(bias=bias))
        assert awaited() == [True]
        row_scale, bias_, residual = words[41:46], words[46:51], words[51:64]
        address = bias.array.ctypes.data
        assert bias_ == [address, address, 0, 90, 1]
        assert row_scale[2:] == [0, 100, 0]
        assert residual[2:] == [0, 1, 1, 6, 100, 90, 0, 0, 0, 0, 0]
        # 1, and then -0.
        assert residual[0] == row_scale[0] + 2
        assert ctypes.string_at(row_scale[0], 4) == np.float16([1, -0.0]).tobytes()
        shared = DeviceArray(np.zeros((100, 90), np.float16))
        multiply(a, b, c, epilogue=kami.Epilogue(residual=shared), alpha=2)
        assert awaited() == [True] * 2
        residual = words[51:64]
        assert residual[0] == shared.array.ctypes.data
        assert residual[2:] == [0, 1, 1, 6, 100, 90, 0, 0, 0, 90, 1]
        # Of another type, or with an activation that there is no program with.
        may_compile.set()
        os.environ["FAKE_CUDA_WORDS"] = "0"
        bias = DeviceArray(np.zeros(90, np.float32))
        multiply(a, b, c, epilogue=kami.Epilogue(bias=bias))
        multiply(a, b, c, epilogue="gelu")
        assert awaited() == [True, True, False, False]
        """,
        parameters=64,
    )


def test_stand_ins_add_up_alike(late: Late) -> None:
    """Where none does, or none is asked for, the call waits."""
    late(
        """
        threading.Timer(0.2, may_compile.set).start()
        # Too small for an instruction of the tensor cores.
        multiply(*operands(5, 5, 5))
        assert awaited() == [False] and compiled == [5]
        may_compile.clear()
        threading.Timer(0.2, may_compile.set).start()
        multiply(*operands(100, 100, 101), specialize=True)
        assert awaited() == [False] * 2 and compiled == [5, 100]
        may_compile.clear()
        threading.Timer(0.2, may_compile.set).start()
        multiply(*operands(100, 100, 102), accumulator="f32")
        assert awaited() == [False] * 3
        # Matrices that have neither rows nor columns.
        may_compile.clear()
        threading.Timer(0.2, may_compile.set).start()
        a, b, _ = operands(100, 100, 103)
        multiply(a, b, DeviceArray(np.zeros((300, 100, 200), np.float16)[..., ::2]))
        assert awaited() == [False] * 4
        """,
    )


def test_stand_ins_for_products_of_sizes_of_their_own(late: Late) -> None:
    late(
        """
        from kami import _grouped_kind
        from kami._library import lib

        compile_grouped = lib.kamiCompileGrouped

        def compile_grouped_late(*arguments):
            assert may_compile.wait(60)
            return compile_grouped(*arguments)

        lib.kamiCompileGrouped = compile_grouped_late
        kind = _grouped_kind.Kind(
            "f16", "f16", "f16", None, False, False, True, False, bytes=True
        )

        def multiply():
            rows = _grouped_kind.rows_of(4096, 3)
            _grouped_kind.multiply_rows(
                kind, (32, 32, 32), 3, kind.flat(0), rows, [2.0], {}, 0
            )
            return [
                kernel.resources[0]["plan"]["tile"]
                for kernel in _grouped_kind._kernels.values()
            ]

        assert multiply() == [[64, 64, 64]]
        awaited, = _stand_in._jobs.values()
        may_compile.set()
        own = awaited.result().description["kernels"][0]["plan"]["tile"]
        assert multiply() == [[64, 64, 64], own]
        assert multiply() == [[64, 64, 64], own]
        """
    )


def test_a_graph_has_the_best_kernel(late: Late) -> None:
    late(
        """
        capturing = ctypes.c_int.in_dll(fake, "fakeIsCapturing")
        capturing.value = 1
        threading.Timer(0.2, may_compile.set).start()
        multiply(*operands(100, 100, 100))
        assert awaited() == [False]
        # Also if the product was computed by a stand-in before.
        may_compile.clear()
        capturing.value = 0
        arrays = operands(100, 100, 101)
        multiply(*arrays)
        assert awaited() == [False, True]
        capturing.value = 1
        threading.Timer(0.2, may_compile.set).start()
        multiply(*arrays)
        assert awaited() == [False, False]
        """,
    )


def test_who_has_to_wait_comes_first(late: Late) -> None:
    late(
        """
        for k in range(100, 104):
            multiply(*operands(100, 100, k))
        # One is being compiled, until somebody says otherwise.
        def compile_late(gemm, *rest):
            compiled.append(gemm._obj.m)
            assert gemm._obj.m == 5 or may_compile.wait(60)
            return really_compile(gemm, *rest)
        _kernels.lib.kamiCompileGemm = compile_late
        multiply(*operands(5, 5, 5))
        assert awaited() == [True] * 4 + [False]
        assert compiled == [100, 5], compiled
        may_compile.set()
        """,
    )


def test_what_fails_later_is_said(late: Late) -> None:
    late(
        """
        def fail(gemm, options, out):
            assert may_compile.wait(60)
            # No such type.
            gemm._obj.a.type = b"f7"
            return really_compile(gemm, options, out)
        _kernels.lib.kamiCompileGemm = fail
        arrays = operands(100, 100, 100)
        multiply(*arrays)
        may_compile.set()
        _stand_in.PATIENCE = 60
        for _ in range(2):
            try:
                multiply(*arrays)
            except ValueError as error:
                assert "type of a" in str(error), error
            else:
                raise AssertionError("nothing can be compiled")
        """,
    )


def test_many_threads_and_one_program(late: Late) -> None:
    late(
        """
        def work():
            arrays = operands(100, 100, 100)
            for _ in range(20):
                multiply(*arrays)
        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        threading.Timer(0.1, may_compile.set).start()
        for thread in threads:
            thread.join()
        _stand_in.PATIENCE = 60
        multiply(*operands(100, 100, 100))
        assert compiled == [100] and awaited() == [False]
        """,
    )


def test_a_forked_child_compiles_itself(late: Late) -> None:
    late(
        """
        arrays = operands(100, 100, 100)
        multiply(*arrays)
        assert awaited() == [True]
        # A fork waits for the compiler, whose locks it would take along.
        threading.Timer(0.2, may_compile.set).start()
        child = os.fork()
        if child == 0:
            _stand_in.PATIENCE = 60
            multiply(*arrays)
            os._exit(0 if awaited() == [False] else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        """,
    )


def test_a_process_ends_with_work_left(late: Late) -> None:
    late(
        """
        for k in range(100, 110):
            multiply(*operands(100, 100, k))
        assert awaited() == [True] * 10
        threading.Timer(0.2, may_compile.set).start()
        """,
    )


def test_products_at_exit(late: Late) -> None:
    """What the thread has not begun is done where it is wanted."""
    late(
        """
        from kami import _background
        left = operands(100, 100, 101)
        multiply(*operands(100, 100, 100))
        multiply(*left)
        assert awaited() == [True, True]
        threading.Timer(0.2, may_compile.set).start()
        _background._end()
        capturing = ctypes.c_int.in_dll(fake, "fakeIsCapturing")
        capturing.value = 1
        multiply(*left)
        capturing.value = 0
        multiply(*operands(100, 100, 102))
        multiply(*operands(5, 5, 5))
        assert awaited()[1:] == [False] * 3 and compiled == [100, 100, 100, 5]
        """,
    )


def test_products_of_many_sizes_need_not_compile(late: Late) -> None:
    late(
        """
        may_compile.set()
        _product.MOST_SPECIALIZED = 0
        for k in range(33, 43):
            multiply(*operands(20, 20, k))
        multiply(*operands(128, 127, 250))
        assert launches.value == 11 and compiled == [] and not any(awaited())
        """,
    )


def test_a_kernel_for_all_sizes_is_awaited(late: Late) -> None:
    """With a scale there is none."""
    late(
        """
        _product.MOST_SPECIALIZED = 0
        arrays = operands(128, 127, 250)
        multiply(*arrays, alpha=2)
        assert awaited() == [True]
        multiply(*operands(128, 120, 251), alpha=2)
        may_compile.set()
        _stand_in.PATIENCE = 60
        multiply(*arrays, alpha=2)
        assert launches.value == 3 and awaited() == [False, True]
        # Both are of one kernel.
        assert compiled == [_matmul.DYNAMIC], compiled
        """,
    )


def test_a_driver_that_is_older_assembles(late: Late) -> None:
    late(
        """
        load = _kernels.lib.kamiDeviceLoad
        images = []
        def refuse(device, program, image, size, out):
            images.append(image)
            # Too short for a kernel's.
            return load(device, program, b"[]" if len(images) == 1 else image, 2, out)
        _kernels.lib.kamiDeviceLoad = refuse
        multiply(*operands(100, 100, 100))
        assert awaited() == [True] and launches.value == 1
        assert images[0] is not None and images[1] is None, images
        may_compile.set()
        """,
    )


def test_programs_of_another_library(driver: Path, ahead: Path, tmp_path: Path) -> None:
    """And files that are no programs."""
    for text in (
        (ahead / "index.json").read_text().replace(kami.__version__, "0.0.0"),
        "[",
        "{}",
        '{"library": 1, "programs": 2}',
        json.dumps({"library": _ahead.library_identity(), "programs": [{}]}),
    ):
        (tmp_path / "index.json").write_text(text)
        run_late(
            driver,
            tmp_path,
            """
            may_compile.set()
            multiply(*operands(100, 100, 100))
            assert awaited() == [False] and launches.value == 1
            """,
        )


@pytest.mark.parametrize(
    "spoil", [lambda _: b"no archive", lambda archive: archive[: len(archive) // 2]]
)
def test_archives_that_cannot_be_read(
    driver: Path, ahead: Path, tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    for path in ahead.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for path in tmp_path.glob("*.tar.xz"):
        path.write_bytes(spoil(path.read_bytes()))
    run_late(
        driver,
        tmp_path,
        """
        may_compile.set()
        _stand_in.PATIENCE = 0
        multiply(*operands(100, 100, 100))
        assert launches.value == 1
        """,
    )
