# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans, kernels and the cache."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kami
from kami import _cache, _kernels
from kami._grouped_kind import Kind


def test_plans_explain_themselves() -> None:
    plan = kami.plan(64, 64, 64, np.float16, batch=100, target="sm_90")
    assert repr(plan).startswith("64x64x64 f16 -> f32, batch 100, on sm_90")
    assert plan.best.cycles == min(c.cycles for c in plan.candidates if c.fits)
    assert plan.attribute.startswith("#kami.plan<")
    lost = [c for c in plan.candidates if not c.fits]
    assert lost
    assert all(c.rejected and c.attribute is None for c in lost)
    assert plan.to_dict()["batch"] == 100
    assert "<table>" in plan._repr_html_()


def test_plans_are_those_of_kernels() -> None:
    extents = (64, 64, 1024, "tf32")
    plan = kami.plan(*extents, target="sm_90").to_dict()
    kernel = kami.compile(*extents, target="sm_90").resources[0]["plan"]
    assert plan["grid"] == kernel["grid"] == [1, 1, 4]
    # A batch, of one product as well, adds up as all batches do.
    in_batch = kami.plan(*extents, batch=1, target="sm_90").to_dict()
    assert in_batch["grid"][2] == 1


def test_notebooks_show_tables() -> None:
    kernel = kami.compile(16, 16, 16, "f16", batch=True, target="sm_90")
    assert "<td>16x16x16</td>" in kernel._repr_html_()
    a = np.ones((3, 16, 16), np.float16)
    shown = kami.simulate(a, a)._repr_html_()
    # Three products of two instructions of 16 x 8 x 16.
    assert "<td>6 x m16n8k16 f16 f32</td>" in shown


def test_overrides_of_a_plan() -> None:
    plan = kami.plan(64, 64, 64, "f64", algorithm="2d", warps=4, tile=(64, 64, 16))
    assert plan.best.figures["algorithm"] == "2d"
    assert plan.best.figures["warps"] == 4
    assert plan.best.figures["tile"] == [64, 64, 16]


def test_kernels_show_every_level() -> None:
    kernel = kami.compile(32, 48, 16, "f16", target="sm_80")
    assert kernel.target == "sm_80"
    for level, op in [
        ("kami", "kami.gemm"),
        ("planned", "#kami.plan<"),
        ("warp", "kami.mma"),
        ("target", "gpu.func"),
        ("llvm", "llvm.func"),
    ]:
        assert op in kernel.mlir(level), level
    assert ".target sm_80" in kernel.ptx
    with pytest.raises(ValueError, match="expected level kami, planned"):
        kernel.mlir("nothing")
    [resources] = kernel.resources
    assert resources["registers"] > 0


def test_sizes_known_when_called() -> None:
    kernel = kami.compile(None, 8, None, "f64", beta=True, tile="16x16x16")
    for m, k in ((3, 5), (16, 1), (1, 33)):
        rng = np.random.default_rng(m)
        a, b, c = (
            rng.uniform(-1, 1, (m, k)),
            rng.uniform(-1, 1, (k, 8)),
            np.ones((m, 8)),
        )
        kernel(a, b, c, 0.5)
        assert np.allclose(c, a @ b + 0.5, rtol=1e-13, atol=1e-13)
    with pytest.raises(ValueError, match="argument 1: expected extent 8"):
        kernel(np.ones((2, 2)), np.ones((2, 9)), np.ones((2, 9)), 1.0)


LINEAR = """
func.func @linear(%x: tensor<4x6xf32>, %w: tensor<6x5xf32>, %bias: tensor<5xf32>)
    -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x5xf32>
  %cleared = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x5xf32>)
      -> tensor<4x5xf32>
  %sum = linalg.matmul ins(%x, %w : tensor<4x6xf32>, tensor<6x5xf32>)
      outs(%cleared : tensor<4x5xf32>) -> tensor<4x5xf32>
  %wide = linalg.broadcast ins(%bias : tensor<5xf32>) outs(%empty : tensor<4x5xf32>)
      dimensions = [0]
  %result = linalg.add ins(%sum, %wide : tensor<4x5xf32>, tensor<4x5xf32>)
      outs(%empty : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %result : tensor<4x5xf32>
}
"""


def test_sizes_of_64_bits_are_loaded_at_once() -> None:
    products = Kind("f64", "f64", "f64", None, False, False, False, False, True)
    text = products.compile((64, 64, 64), "sm_90", {}).ptx
    assert "ld.global.b64" in text
    assert "ld.global.b32" not in text


@pytest.mark.parametrize(
    # KiB of a multiprocessor's shared memory, and those that each block costs.
    ("chip", "multiprocessors", "shared", "reserved"),
    [("sm_80", 108, 164, 1), ("sm_89", 128, 100, 1), ("gfx942", 304, 64, 0)],
)
@pytest.mark.parametrize(
    ("type", "size"), [("f16", 64), ("f64", 16), ("f64", 64), ("f32", 64)]
)
def test_blocks_in_turn_are_all_resident(
    chip: str, multiprocessors: int, shared: int, reserved: int, type: str, size: int
) -> None:
    """What they deal in is beside their tiles; who is dealt products lists them."""
    products = Kind(type, type, type, None, False, False, False, False, True)
    [kernel] = products.compile((size,) * 3, chip, {}).resources
    blocks = kernel["plan"]["blocks_in_turn"]
    # Where products are dealt, how many there are is said at the launch.
    is_dealt = kernel["plan"]["deals_products"]
    assert kernel["grid"] == (None if is_dealt else [blocks, 1, 1])
    each = -(-blocks // multiprocessors)
    assert each * (kernel["shared_bytes"] + 1024 * reserved) <= 1024 * shared


@pytest.mark.parametrize("typical", [9, 33, 129])
def test_products_may_be_none_or_empty(typical: int) -> None:
    """Dealt whole or by depth; negative extents count as 0."""
    kind = Kind("f32", "f32", "f32", None, *[False] * 4, bytes=False)
    kernel = kind.compile((typical,) * 3, "sm_90", {})

    def run(m: list[int], n: list[int], k: list[int], starts: list[int]) -> list[float]:
        a, c = np.arange(1, 5, dtype=np.float32), np.full(6, 7, np.float32)
        sizes = [np.array(extents, np.int64) for extents in (m, n, k)]
        first = np.zeros(len(m), np.int64)
        leading = [np.maximum(sizes[i], 1) for i in (2, 1, 1)]
        kernel(a, a, c, first, first, np.array(starts, np.int64), *sizes, *leading)
        written: list[float] = c.tolist()
        return written

    assert run([], [], [], []) == [7] * 6
    mixed = run([2, -3, 0, 1], [2, 2, 1, 1], [1, 1, 1, 0], [0, 0, 0, 4])
    assert mixed == [1, 2, 2, 4, 0, 7]


def test_own_mlir(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x, w, bias = (
        rng.integers(-4, 5, shape).astype(np.float32) for shape in ((4, 6), (6, 5), 5)
    )
    kernel = kami.from_mlir(LINEAR)
    assert (kernel(x, w, bias) == x @ w + bias).all()
    kernel.save(tmp_path / "linear.kami")
    loaded = kami.load(tmp_path / "linear.kami")
    assert (loaded(x, w, bias) == x @ w + bias).all()
    # Graphs may launch what nobody holds.
    assert kami.load(tmp_path / "linear.kami").program is loaded.program
    (tmp_path / "other").write_text("{}")
    with pytest.raises(ValueError, match="expected a program that this version"):
        kami.load(tmp_path / "other")


def test_the_simulator_reports() -> None:
    a = np.ones((64, 64), np.float16)
    outcome = kami.simulate(a, a, plan=kami.plan(64, 64, 64, "f16", warps=4).best)
    [launch] = outcome.report
    assert sum(launch["matrix_instructions"].values()) > 0
    written = [buffer["bytes_written"] for buffer in launch["buffers"]]
    assert written == [0, 0, 64 * 64 * 2]


def test_amd_targets_compile() -> None:
    kernel = kami.compile(32, 32, 32, "f16", target="gfx942")
    assert "v_mfma" in kernel.asm
    with pytest.raises(ValueError, match="or asm, but got 'ptx'"):
        _ = kernel.ptx
    if shutil.which("ld.lld-22") or shutil.which("ld.lld"):
        # ELF's magic number.
        assert kernel.hsaco[:4] == b"\x7fELF"
    with pytest.raises(ValueError, match="or ptx, but got 'hsaco'"):
        _ = kami.compile(32, 32, 32, "f16", target="sm_90").hsaco


def test_spirv_targets_compile(tmp_path: Path) -> None:
    kernel = kami.compile(32, 32, 32, "f16", target="vulkan")
    # The magic number of SPIR-V, section 3.1 of its specification.
    assert int.from_bytes(kernel.spirv[:4], "little") == 0x07230203
    with pytest.raises(ValueError, match="expected a chip with an assembler"):
        _ = kernel.asm
    kernel.save(tmp_path / "kernel")
    assert kami.load(tmp_path / "kernel").spirv == kernel.spirv


GROUPED = """
func.func @products(%a: memref<?xf16>, %c: memref<?xf16>,
                    %at: memref<?xi64>, %m: memref<?xi32>) {
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf16>)
      at(%at, %at, %at : memref<?xi64>, memref<?xi64>, memref<?xi64>)
      sizes(%m, %m, %m : memref<?xi32>, memref<?xi32>, memref<?xi32>)
      accumulator(f32) typical [256, 256, 256]
  return
}
"""


def test_what_is_settled_is_saved(tmp_path: Path) -> None:
    kernel = kami.from_mlir(GROUPED, target="sm_90", taken=1)
    assert "taken = 1>" in kernel.mlir("planned")
    kernel.save(tmp_path / "products")
    assert kami.load(tmp_path / "products").mlir("planned") == kernel.mlir("planned")
    assert "taken" not in kami.from_mlir(GROUPED, target="sm_90").mlir("planned")


def test_the_cache_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAMI_CACHE_DIR", str(tmp_path))
    request = {"m": 7, "n": 11, "k": 13, "dtype": "f32"}
    kernel = kami.compile(**request)  # type: ignore[arg-type]
    [file] = tmp_path.iterdir()
    monkeypatch.setattr(_kernels, "_programs", {})
    monkeypatch.setattr(
        _kernels.lib, "kamiCompileGemm", lambda *_: pytest.fail("compiled again")
    )
    assert kami.compile(**request).ptx == kernel.ptx  # type: ignore[arg-type]
    # A spoiled file is made again.
    monkeypatch.undo()
    monkeypatch.setenv("KAMI_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_kernels, "_programs", {})
    file.write_bytes(file.read_bytes()[:100])
    assert kami.compile(**request).ptx == kernel.ptx  # type: ignore[arg-type]


def test_the_cache_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAMI_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("KAMI_CACHE_BYTES", "2500")
    for number in range(4):
        _cache.store(f"file{number}", "test", bytes(1000))
        os.utime(tmp_path / f"file{number}.test", (number, number))
    _cache.store("last", "test", bytes(1000))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "file3.test",
        "last.test",
    ]
    assert _cache.clear() == 2000
    monkeypatch.setenv("KAMI_CACHE_DIR", "")
    _cache.store("nowhere", "test", b"")
    assert _cache.load("nowhere", "test") is None


def _store_much(number: int) -> int:
    contents = bytes([number]) * 4096
    for _ in range(50):
        _cache.store("shared", "test", contents)
        found = _cache.load("shared", "test")
        if found is None or len(set(found)) != 1 or len(found) != 4096:
            return 1
    return 0


def test_processes_share_the_cache() -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert sum(pool.map(_store_much, range(8))) == 0


FORKED = """
import os, sys
import numpy as np
import kami
a = np.ones((3, 4), np.float32)
kami.gemm(a, a.T)
child = os.fork()
if child == 0:
    right = (kami.gemm(a, a.T) == 4).all() and (kami.gemm(a.T, a) == 3).all()
    os._exit(0 if right else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_goes_on() -> None:
    """In a process without the threads of other libraries."""
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=60)


def test_the_command() -> None:
    def run(*arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "kami", *arguments],
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    shown = run()
    assert shown.startswith(f"kami {kami.__version__}, ")
    assert "sm_90    NVIDIA H200: f16" in shown
    assert "right" in run("check")
