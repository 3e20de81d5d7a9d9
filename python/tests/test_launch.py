# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How products are launched, on a driver that only writes it down.

Each test is a process of its own, since a driver is loaded once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "test/CAPI/Inputs/fake-cuda.c"

PRELUDE = """
import ctypes, os
import numpy as np
import kami

class DeviceArray:
    '''An array of which a stranger knows nothing but the interface.'''

    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        interface = dict(self.array.__array_interface__, version=3)
        interface["strides"] = self.array.strides
        return interface

fake = ctypes.CDLL(os.environ["KAMI_CUDA_DRIVER"])
launches = ctypes.c_int.in_dll(fake, "fakeLaunches")
shape = (ctypes.c_uint * 7).in_dll(fake, "fakeShape")
words = (ctypes.c_uint64 * 64).in_dll(fake, "fakeParameters")
"""


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("driver") / "fake-cuda.so"
    subprocess.run([compiler, "-shared", "-fPIC", SOURCE, "-o", library], check=True)
    return library


def run(driver: Path, code: str, parameters: int = 0) -> str:
    environment = {
        **os.environ,
        "KAMI_CUDA_DRIVER": str(driver),
        "FAKE_CUDA_WORDS": str(parameters),
    }
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(code)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_parameters(driver: Path) -> None:
    """Memrefs are pointer, pointer, offset, sizes, strides; beta is a word."""
    run(
        driver,
        """
        assert [d.kind for d in kami.devices()] == ["cuda", "simulator"]
        a = np.zeros((10, 37, 64), np.float16)[::2]
        b, c = np.zeros((64, 48), np.float16), np.zeros((5, 37, 48), np.float16)
        da, db, dc = DeviceArray(a), DeviceArray(b), DeviceArray(c)
        out = kami.gemm(da, db, dc, beta=0.5, out=dc)
        assert out is dc and launches.value == 1
        address = lambda x: x.__array_interface__["data"][0]
        assert words[0] == words[1] == address(a) and words[2] == 0
        assert words[3:9] == [5, 37, 64, 2 * 37 * 64, 64, 1]
        assert words[9] == words[10] == address(b)
        # One matrix for all products.
        assert words[12:18] == [1, 64, 48, 64 * 48, 48, 1]
        assert words[18] == address(c) and words[21:27] == [5, 37, 48, 37 * 48, 48, 1]
        assert words[27] & 0xFFFFFFFF == 0x3F000000
        assert shape[0] > 0 and shape[3] % 32 == 0
        """,
        parameters=28,
    )


def test_a_call_like_an_earlier_one_only_launches(driver: Path) -> None:
    run(
        driver,
        """
        arrays = [np.zeros((9, 16, 16), np.float32) for _ in range(6)]
        arrays = [DeviceArray(x) for x in arrays]
        kami.gemm(*arrays[:2], out=arrays[2], alpha=2)
        from kami import _product
        def nothing(*_):
            raise AssertionError("made anew")
        _product.compile_request = _product.Launch = _product.run = nothing
        from kami import _gemm
        _gemm.run = nothing
        kami.gemm(*arrays[3:5], out=arrays[5], alpha=2)
        assert launches.value == 2
        assert words[27] & 0xFFFFFFFF == 0x40000000
        assert words[0] == arrays[3].array.__array_interface__["data"][0]
        """,
        parameters=28,
    )


def test_a_hundred_sizes_compile_a_few_times(driver: Path) -> None:
    run(
        driver,
        """
        from kami import _kernels, _product
        compiled = []
        compile = _kernels.lib.kamiCompileGemm
        def count(gemm, *rest):
            compiled.append(gemm._obj.m)
            return compile(gemm, *rest)
        _kernels.lib.kamiCompileGemm = count
        os.environ["KAMI_CACHE_DIR"] = ""
        _product.MOST_SPECIALIZED = 3
        def multiply(size, **keywords):
            shapes = [(2, size, 8), (8, 16), (2, size, 16)]
            arrays = [DeviceArray(np.zeros(s, np.float16)) for s in shapes]
            kami.gemm(*arrays[:2], out=arrays[2], **keywords)
        for size in range(1, 101):
            multiply(size)
        # Three of their own, then one for each of the three tiles along m.
        assert compiled[:3] == [1, 2, 3] and len(compiled) <= 6, compiled
        multiply(2)
        multiply(50)
        assert launches.value == 102 and len(compiled) <= 6
        multiply(50, specialize=True)
        assert compiled[-1] == 50
        """,
    )


ODD = """
def place(shape, shift):
    '''Zeros that begin so many bytes behind a multiple of 16.'''
    count = int(np.prod(shape)) * 4
    memory = np.zeros(count + 32, np.int8)
    start = -memory.__array_interface__["data"][0] % 16 + shift
    return DeviceArray(memory[start : start + count].view(np.float32).reshape(shape))

def address(array):
    return array.array.__array_interface__["data"][0]
"""


def test_arrays_that_begin_anywhere(driver: Path) -> None:
    """They have a kernel of their own, with which calls like theirs go on."""
    code = """
        from kami import _kernels
        promised = []
        compile = _kernels.lib.kamiCompileGemm
        def count(gemm, *rest):
            promised.append(gemm._obj.alignment)
            return compile(gemm, *rest)
        _kernels.lib.kamiCompileGemm = count
        os.environ["KAMI_CACHE_DIR"] = ""
        shapes = (3, 16, 24), (24, 8), (3, 16, 8)
        for shifts in (0, 0, 0), (0, 4, 0), (0, 0, 0), (8, 8, 12), (0, 0, 0):
            a, b, c = map(place, shapes, shifts)
            kami.gemm(a, b, out=c)
            assert (words[0], words[9], words[18]) == tuple(map(address, (a, b, c)))
        assert launches.value == 5 and promised == [16, 0], promised
        """
    run(driver, ODD + textwrap.dedent(code), parameters=27)


def test_a_promise_is_kept(driver: Path) -> None:
    code = """
        kernel = kami.compile(16, 16, 16, "f32", alignment=16)
        a, b, c = (place((16, 16), 0) for _ in range(3))
        kernel(a, b, c)
        try:
            kernel(a, place((16, 16), 4), c)
        except ValueError as error:
            assert "argument 1 at a multiple of 16 bytes" in str(error), error
        else:
            raise AssertionError("b begins elsewhere")
        assert launches.value == 1
        try:
            kami.compile(16, 16, 16, "f32", alignment=24)
        except ValueError as error:
            assert "to be 0 or a power of two" in str(error), error
        else:
            raise AssertionError("that is no power of two")
        """
    run(driver, ODD + textwrap.dedent(code))


def test_a_launch_that_fails(driver: Path) -> None:
    """Of a call like earlier ones, too; the next one is well."""
    run(
        driver,
        """
        arrays = [DeviceArray(np.zeros((16, 16), np.float32)) for _ in range(3)]
        failures = ctypes.c_int.in_dll(fake, "fakeFailures")
        for attempt in range(3):
            failures.value = 1
            try:
                kami.gemm(*arrays[:2], out=arrays[2])
            except kami.DeviceError as error:
                assert "cuLaunchKernel failed" in str(error), error
            else:
                raise AssertionError("the driver refused")
            kami.gemm(*arrays[:2], out=arrays[2])
        assert launches.value == 3
        """,
    )


EXCHANGE = """
from ctypes import *
from kami._calls import Calls
from kami._kernels import Launch

class Tensor(Structure):  # DLTensor of DLPack 1.3
    _fields_ = [
        ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32),
        ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16),
        ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]

class Api(Structure):  # DLPackExchangeAPI
    _fields_ = [
        ("major", c_uint32), ("minor", c_uint32), ("previous", c_void_p),
        ("others", c_void_p * 3), ("describe", c_void_p), ("stream", c_void_p),
    ]

def array(data, shape, strides, code=2, bits=16, device=0, offset=0, lanes=1):
    rank = len(shape)
    numbers = (c_int64 * rank)(*shape), (c_int64 * rank)(*strides)
    return Tensor(data, 2, device, rank, code, bits, lanes, *numbers, offset)

@PYFUNCTYPE(c_int, py_object, POINTER(Tensor))
def describe(found, tensor):
    if not isinstance(found, Tensor):
        return -1
    tensor[0] = found
    return 0

@PYFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p))
def stream(kind, device, out):
    out[0] = 4711
    return 0

# A later major version says where an older one is.
api = Api(1, 3, None, (None,) * 3, cast(describe, c_void_p), cast(stream, c_void_p))
later = Api(2, 0, addressof(api))
"""


def test_calls_are_known_by_what_arrays_are_like(driver: Path) -> None:
    code = """
        kernel = kami.compile(16, 8, 16, "f16", batch=True, alpha=True)
        shapes = (3, 16, 16), (3, 16, 8), (3, 16, 8)
        strides = (256, 16, 1), (128, 8, 1), (128, 8, 1)
        described = [(0, *pair) for pair in zip(shapes, strides)] + [(0,)]
        launch = Launch(kernel.program.executable(0), described)
        calls = Calls(c_void_p(addressof(later)))
        def arrays(*places):
            return [array(*x) for x in zip(places, shapes, strides)]
        def run(*three):
            error = calls.run(*three)
            return error is None or calls.check(error)
        assert run(*arrays(1, 2, 3)) is None and launches.value == 0
        calls.add(arrays(1, 2, 3), launch, [0x40000000])
        assert run(*arrays(16, 32, 48)) is True and launches.value == 1
        assert (words[0], words[9], words[18]) == (16, 32, 48)
        assert words[27] & 0xFFFFFFFF == 0x40000000
        assert c_void_p.in_dll(fake, "fakeStream").value == 4711
        # An offset is part of the address only.
        a, b, c = arrays(16, 32, 48)
        assert run(array(16, shapes[0], strides[0], offset=8), b, c) is True
        assert words[0] == 24
        for other in (
            array(16, (3, 16, 17), strides[0]),
            array(16, shapes[0], (512, 16, 1)),
            array(16, shapes[0][1:], strides[0][1:]),
            array(16, (), ()),
            array(16, shapes[0], strides[0], code=4),
            array(16, shapes[0], strides[0], bits=32),
            array(16, shapes[0], strides[0], lanes=2),
            array(16, shapes[0], strides[0], device=1),
        ):
            assert run(other, b, c) is None
        assert run(b, a, c) is None and launches.value == 2
        wide = kami.compile(16, 8, 16, "f16", batch=True, alpha=True, alignment=16)
        aligned = Calls(c_void_p(addressof(api)))
        executable = wide.program.executable(0)
        aligned.add((a, b, c), Launch(executable, described), [0])
        # Where they begin elsewhere, they are those of no known call.
        odd = array(40, shapes[0], strides[0])
        aligned.check(aligned.run(odd, b, c))
        assert launches.value == 2
        assert aligned.run(a, b, c) is None and launches.value == 3
        ctypes.c_int.in_dll(fake, "fakeFailures").value = 1
        try:
            run(a, b, c)
        except kami.DeviceError as error:
            assert "cuLaunchKernel failed" in str(error)
        else:
            raise AssertionError("the driver refused")
        assert run(a, b, 7) is None
        assert run(a, b, c) is True and launches.value == 4
        # Pairs, for results that are still to be made, have numbers.
        assert calls.find(a, b) == -1
        for pair in ((a, b), (b, c), (a, b)):
            calls.add_pair(*pair, lambda *_: None)
        assert len(calls.makers) == 2
        d, e, _ = arrays(1, 2, 3)
        assert (calls.find(d, e), calls.find(e, e), calls.find(e, d)) == (0, 1, -1)
        assert calls.find(a, 7) == -1
        api.major = 3
        try:
            Calls(c_void_p(addressof(api)))
        except ValueError as error:
            assert "expected DLPack's exchange API" in str(error)
        else:
            raise AssertionError("that is another version")
        """
    run(driver, EXCHANGE + textwrap.dedent(code), parameters=28)


def test_grouped_products_are_pointers(driver: Path) -> None:
    run(
        driver,
        """
        from kami import _arrays
        _arrays._CudaInterface.upload = lambda self, like, table: DeviceArray(table)
        a = [DeviceArray(np.zeros((m, 8), np.float16)) for m in (3, 5, 0)]
        b = [DeviceArray(np.zeros((8, 4), np.float16)) for _ in a]
        c = [DeviceArray(np.zeros((x.array.shape[0], 4), np.float16)) for x in a]
        kami.grouped_gemm(a, b, out=c)
        assert launches.value == 1
        # A, B and C begin at address 0; the table has nine rows of three.
        assert words[0] == words[5] == words[10] == 0
        table = (ctypes.c_int64 * 27).from_address(words[15])
        assert table[0] == a[0].array.__array_interface__["data"][0]
        assert table[9:12] == [3, 5, 0] and table[18:21] == [8, 8, 8]
        """,
        parameters=16,
    )


TWO_RESULTS = """
func.func @f(%a: tensor<4x6xf32>, %b: tensor<6x5xf32>, %c: tensor<4x5xf32>)
    -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %empty = tensor.empty() : tensor<4x5xf32>
  %zero = arith.constant 0.0 : f32
  %clear = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x5xf32>)
      -> tensor<4x5xf32>
  %d = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x5xf32>)
      outs(%clear : tensor<4x5xf32>) -> tensor<4x5xf32>
  %e = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x5xf32>)
      outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %d, %e : tensor<4x5xf32>, tensor<4x5xf32>
}
"""


def test_results_are_workspaces(driver: Path) -> None:
    code = """
        from kami import _arrays
        made = []
        def maker(self, like, shape, type):
            made.append(np.zeros(shape, np.int8))
            return lambda: DeviceArray(made[-1])
        def carve(self, space, *place):
            return space.array, *place
        _arrays._CudaInterface.maker = maker
        _arrays._CudaInterface.carve = carve
        shapes = (4, 6), (6, 5), (4, 5)
        arrays = [DeviceArray(np.zeros(s, np.float32)) for s in shapes]
        d, e = kernel(*arrays)
        assert launches.value == 2 and e is arrays[2]
        [space] = made
        assert d[0] is space and d[1:] == ("f32", 0, [4, 5], [5, 1])
        assert space.nbytes == 80
        """
    run(driver, f"kernel = kami.from_mlir({TWO_RESULTS!r})\n" + textwrap.dedent(code))


def test_driver_errors_are_exceptions(driver: Path) -> None:
    run(
        driver,
        """
        try:
            kami.tune(4096, 4096, 4096, "f64", batch=100, candidates=1)
        except kami.DeviceError as error:
            assert "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY" in str(error), error
        else:
            raise AssertionError("that is too much memory")
        found = kami.tune(24, 16, 16, "f16", batch=8, candidates=3)
        assert len(found.timings) == 3 and found.regret == 1
        assert found.best.microseconds == 250
        html = found._repr_html_()
        assert "<td>250.00</td>" in html and html.count("<tr>") == 4
        # What is said to be the best is what is compiled, unless somebody asks.
        from kami import _matmul

        second, target = found.timings[1].candidate, kami.devices()[0].target
        def is_in(candidate, text):
            before, _, after = candidate.attribute.partition("atom")
            return before in text and after[after.index("tile") :] in text
        def compiled(**given):
            return kami.compile(24, 16, 16, "f16", batch=True, target=target, **given)
        def planned(**given):
            return compiled(**given).mlir("planned")
        assert is_in(found.best.candidate, planned())
        _matmul.remember_plan(compiled().program, second.attribute)
        assert is_in(second, planned())
        assert is_in(found.best.candidate, planned(plan=found.best.candidate))
        """,
    )


def test_launches_take_microseconds(driver: Path) -> None:
    """Of the budget of 5 us, on a machine that has other things to do."""
    taken = run(
        driver,
        """
        import time
        a = np.zeros((9, 16, 16), np.float32)
        kernel = kami.compile(16, 16, 16, "f32", batch=True)
        described = [(0, a.shape, (256, 16, 1))] * 3
        from kami._kernels import Launch
        launch = Launch(kernel.program.executable(0), described).runner(3)
        best = 1.0
        for _ in range(50):
            start = time.perf_counter()
            for _ in range(100):
                launch(0, 1, 2, 3)
            best = min(best, (time.perf_counter() - start) / 100)
        print(best * 1e6)
        """,
    )
    assert float(taken) < 5
