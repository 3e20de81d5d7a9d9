# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How products are launched, on a driver that only writes it down.

Each test is a process of its own, since a driver is loaded once.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from fake_driver import run


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


def test_results_are_no_operands(driver: Path) -> None:
    """Of calls that are known, too; they may lie between an operand's elements."""
    run(
        driver,
        """
        whole = np.zeros((64, 64), np.float16)
        def multiply(a, b, out):
            kami.gemm(*map(DeviceArray, (a, b)), out=DeviceArray(out))
        a, b = whole[:16, :16], np.zeros((16, 8), np.float16)
        multiply(a, b, whole[32:48, :8])
        assert launches.value == 1
        multiply(a, b, whole[:16, 16:24])
        assert launches.value == 2
        for out in whole[15:31, :8], whole[:16, 8:16]:
            try:
                multiply(a, b, out)
            except ValueError as error:
                assert "memory of its own, but it shares elements with a" in str(error)
            else:
                raise AssertionError("an operand was overwritten")
        multiply(a, b, whole[16:32, :8])
        assert launches.value == 3
        """,
    )


def test_ptx_says_how_much_to_optimize_it(driver: Path, tmp_path: Path) -> None:
    """The driver is told so, whether what it assembles is kept or not."""
    run(
        driver,
        f"""
        level = ctypes.c_int.in_dll(fake, "fakeLevel")
        def level_of(extent, dtype):
            shape = (1000, extent, extent)
            a, b, c = (DeviceArray(np.zeros(shape, dtype)) for _ in "abc")
            level.value = -1
            kami.gemm(a, b, out=c)
            return level.value
        for folder, more in (({str(tmp_path)!r}, 0), ("", 1)):
            os.environ["KAMI_CACHE_DIR"] = folder
            assert level_of(128 + more, np.float16) == 1
            assert level_of(40 + more, np.float64) == 2
            assert level_of(40 + more, np.float32) == 4
        """,
    )


def test_a_hundred_sizes_compile_a_few_times(driver: Path) -> None:
    run(
        driver,
        """
        from kami import _product
        compiled = watch_compilations("m")
        _product.MOST_SPECIALIZED = 3
        def multiply(size, **keywords):
            shapes = [(2, size, 8), (8, 16), (2, size, 16)]
            arrays = [DeviceArray(np.zeros(s, np.float16)) for s in shapes]
            kami.gemm(*arrays[:2], out=arrays[2], **keywords)
        for size in range(1, 101):
            multiply(size)
        # Three of their own, then one for each of the four tiles along m.
        assert compiled[:3] == [1, 2, 3] and len(compiled) <= 7, compiled
        multiply(2)
        multiply(50)
        assert launches.value == 102 and len(compiled) <= 7
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
        promised = watch_compilations("alignment")
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
import functools, gc, inspect, sys, threading, tracemalloc, types
from ctypes import *
from kami import _adapters, _calls, _gemm
from kami._kernels import Launch

class Tensor(Structure):  # DLTensor of DLPack 1.3
    _fields_ = [
        ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32),
        ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16),
        ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]

class Array(list):
    def __init__(self, tensor):
        self.tensor = tensor
        self.needs_gradient = False

class Derived(Array):
    pass

class Api(Structure):  # DLPackExchangeAPI
    _fields_ = [
        ("major", c_uint32), ("minor", c_uint32), ("previous", c_void_p),
        ("others", c_void_p * 3), ("describe", c_void_p), ("stream", c_void_p),
    ]

def array(
    data, shape, strides, code=2, bits=16, device=0, offset=0, lanes=1, kind=Array
):
    rank = len(shape)
    numbers = (c_int64 * rank)(*shape), (c_int64 * rank)(*strides)
    return kind(Tensor(data, 2, device, rank, code, bits, lanes, *numbers, offset))

broken = []  # Arrays that cannot be described.

@PYFUNCTYPE(c_int, py_object, POINTER(Tensor))
def describe(found, tensor):
    # An exception would not leave ctypes.
    if any(found is x for x in broken):
        return -1
    tensor[0] = found.tensor
    return 0

@PYFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p))
def stream(kind, device, out):
    out[0] = 4711
    return 0

# A later major version says where an older one is.
api = Api(1, 3, None, (None,) * 3, cast(describe, c_void_p), cast(stream, c_void_p))
later = Api(2, 0, addressof(api))

# Builtin functions without arguments say yes where a list is not empty.
interposed, recording = [], []
calls = _calls.KnownCalls(
    (Array,), c_void_p(addressof(later)), isInterposed=interposed.copy,
    recordsGradients=recording.copy,
    needsGradient=property(lambda array: array.needs_gradient),
)

kernel = kami.compile(16, 8, 16, "f16", batch=True, alpha=True)
plain = kami.compile(16, 8, 16, "f16", batch=True)
shapes = (3, 16, 16), (3, 16, 8), (3, 16, 8)
strides = (256, 16, 1), (128, 8, 1), (128, 8, 1)
described = [(0, *pair) for pair in zip(shapes, strides)]
scaled = Launch(kernel.program.executable(0), [*described, (0,)])
launch = Launch(plain.program.executable(0), described)
OPTIONS = (False, False, None, None, None, "exact", None, None)
PLACES = 1 << 16, 2 << 16, 3 << 16
OTHERS = 4 << 16, 5 << 16, 6 << 16

def arrays(*places, **others):
    return [array(*x, **others) for x in zip(places, shapes, strides)]

def said(a, b, out, alpha=1, beta=0, c=None, options=OPTIONS):
    return a, b, c, out, alpha, beta, *options

def run(*rest, **others):
    return calls.launch(*said(*rest, **others))
"""


def test_calls_are_known_by_what_arrays_are_like(driver: Path) -> None:
    code = """
        assert run(*arrays(*OTHERS)) is None and launches.value == 0
        calls.add(said(*arrays(*OTHERS), alpha=5), scaled, 32, None)
        a, b, c = arrays(*PLACES)
        assert run(a, b, c, alpha=2) is c and launches.value == 1
        assert (words[0], words[9], words[18]) == PLACES
        # Of an earlier call alpha is not 1, whatever else.
        assert words[27] & 0xFFFFFFFF == 0x40000000
        assert run(a, b, c, alpha=0.1) is c
        assert words[27] & 0xFFFFFFFF == 0x3DCCCCCD
        assert run(a, b, c) is None and launches.value == 2
        assert c_void_p.in_dll(fake, "fakeStream").value == 4711
        # An offset is part of the address only.
        run(array(PLACES[0] + 24, shapes[0], strides[0], offset=24), b, c, alpha=2)
        assert words[0] == PLACES[0] + 48 and launches.value == 3
        for other in (
            array(PLACES[0], (3, 16, 17), strides[0]),
            array(PLACES[0], shapes[0], (512, 16, 1)),
            array(PLACES[0], shapes[0][1:], strides[0][1:]),
            array(PLACES[0], (), ()),
            array(PLACES[0] + 8, shapes[0], strides[0]),
            array(PLACES[0], shapes[0], strides[0], offset=8),
            array(PLACES[0], (1,) * 9, (1,) * 9),
            array(PLACES[0], shapes[0], strides[0], code=4),
            array(PLACES[0], shapes[0], strides[0], bits=32),
            array(PLACES[0], shapes[0], strides[0], lanes=2),
            array(PLACES[0], shapes[0], strides[0], device=1),
            array(PLACES[0], shapes[0], strides[0], kind=Derived),
            7,
        ):
            assert run(other, b, c, alpha=2) is None, other
        for alpha in (True, np.float64(2), "2", None, 2 + 0j, 10**400):
            assert run(a, b, c, alpha=alpha) is None
        assert run(b, a, c, alpha=2) is None
        for number, other in enumerate((True, True, "f32", "relu", "f16", "x", 1, "p")):
            options = [*OPTIONS]
            options[number] = other
            assert run(a, b, c, alpha=2, options=options) is None, number
        # What is about to overwrite an operand is somebody else's to refuse.
        for place in (PLACES[1], PLACES[1] + 48, PLACES[0] - 48):
            assert run(a, b, array(place, shapes[2], strides[2]), alpha=2) is None
        # With beta, C is where the result goes.
        assert run(a, b, c, alpha=2, beta=1) is None
        beta = kami.compile(16, 8, 16, "f16", batch=True, beta=True)
        beta = Launch(beta.program.executable(0), [*described, (0,)])
        calls.add(said(a, b, c, c=c, beta=3), beta, 32, None)
        assert run(a, b, c, c=c, beta=-1) is c
        assert words[27] & 0xFFFFFFFF == 0xBF800000
        for other in (None, a, arrays(*OTHERS)[2]):
            assert run(a, b, c, c=other, beta=-1) is None
        assert launches.value == 4
        assert calls.launch() is None and calls.launch(*range(30)) is None
        # Arrays that begin elsewhere take another kernel, beside the first.
        elsewhere = array(PLACES[0] + 24, shapes[0], strides[0])
        calls.add(said(elsewhere, b, c, alpha=5), scaled, 32, None)
        for first in (elsewhere, a):
            assert run(first, b, c, alpha=2) is c and words[0] == first.tensor.data
        assert launches.value == 6
        """
    run(driver, EXCHANGE + textwrap.dedent(code), parameters=28)


def test_known_results_lie_between_operands(driver: Path) -> None:
    """In rows of 48 elements of 2 bytes, of which A has 16 and C 8."""
    code = """
        place, apart = PLACES[0], (16 * 48, 48, 1)
        a, b = array(place, shapes[0], apart), array(PLACES[1], shapes[1], strides[1])
        def behind(columns):
            return array(place + 2 * columns, shapes[2], apart)
        calls.add(said(a, b, behind(16)), launch, 0, None)
        # All but the first are not aligned to 16 bytes, which is another call.
        calls.add(said(a, b, behind(17)), launch, 0, None)
        for columns in (16, 17, 24, 39, 40, -8, -31, -32, 48 * 48 - 1):
            c = behind(columns)
            assert run(a, b, c) is c, columns
        for columns in (0, 3, 15, 41, 47, 48, -7, -1, -33, 48 * 47 + 8):
            assert run(a, b, behind(columns)) is None, columns
        every_other = array(place + 2 * 48, (3, 8, 8), (16 * 48, 96, 1))
        half = array(place, (3, 8, 16), (16 * 48, 96, 1))
        calls.add(said(half, b, every_other), launch, 0, None)
        assert run(half, b, every_other) is every_other
        """
    run(driver, EXCHANGE + textwrap.dedent(code))


def test_what_dlpack_does_not_say_is_asked(driver: Path) -> None:
    code = """
        a, b, c = arrays(*PLACES)
        calls.add(said(a, b, c), launch, 0, None)
        assert run(a, b, c) is c
        interposed.append(1)
        assert run(a, b, c) is None
        interposed.clear()
        recording.append(1)
        assert run(a, b, c) is c
        b.needs_gradient = True
        assert run(a, b, c) is None
        recording.clear()
        assert run(a, b, c) is c
        broken.append(b)
        assert run(a, b, c) is None
        # A question that fails is no answer.
        def fail(array):
            raise AttributeError("no such thing")
        other = _calls.KnownCalls(
            (Derived,), c_void_p(addressof(api)), recordsGradients=recording.copy,
            needsGradient=property(fail),
        )
        a, b, c = three = arrays(*PLACES, kind=Derived)
        other.add(said(*three), launch, 0, None)
        assert other.launch(*said(*three)) is c
        recording.append(1)
        assert other.launch(*said(*three)) is None
        # Here an array that is no empty list is negative, or a conjugate.
        class Conjugate(Array):
            pass
        class Negative(Array):
            pass
        for kind, code, question in (
            (Conjugate, 5, "isConjugate"), (Negative, 2, "isNegative")
        ):
            other = _calls.KnownCalls(
                (kind,), c_void_p(addressof(api)), **{question: kind(None).copy}
            )
            three = arrays(*PLACES, kind=kind, code=code)
            other.add(said(*three), launch, 0, None)
            for one in three:
                assert other.launch(*said(*three)) is three[2]
                one.append(1)
                assert other.launch(*said(*three)) is None
                one.clear()
        # Numbers that are real are their own conjugates.
        other = _calls.KnownCalls(
            (Conjugate,), c_void_p(addressof(api)), isConjugate=Conjugate(None).copy
        )
        a, b, c = arrays(*PLACES, kind=Conjugate)
        a.append(1)
        other.add(said(a, b, c), launch, 0, None)
        assert other.launch(*said(a, b, c)) is c
        """
    run(driver, EXCHANGE + textwrap.dedent(code))


def test_unknown_versions_and_functions_are_refused(driver: Path) -> None:
    code = """
        def refused(message, kind=(Array,), at=api, **questions):
            try:
                _calls.KnownCalls(kind, c_void_p(addressof(at)), **questions)
            except ValueError as error:
                assert message in str(error), error
            else:
                raise AssertionError(message)
        refused("expected DLPack's exchange API", at=Api(2, 0))
        refused("expected DLPack's exchange API", at=Api(1, 1))
        refused("expected DLPack's exchange API", at=Api(1, 3))
        refused("expected builtin functions", isNegative=[].append)
        refused("expected builtin functions", needsGradient=7)
        """
    run(driver, EXCHANGE + textwrap.dedent(code))


def test_results_are_made_by_their_library(driver: Path) -> None:
    code = """
        a, b, _ = arrays(*PLACES)
        def make(*shape, place):
            return array(place, *shape)
        maker = functools.partial(make, shapes[2], strides[2], place=64)
        calls.add(said(a, b, None), launch, 0, maker)
        first, second = run(a, b, None), run(a, b, None)
        assert first is not second and first.tensor.data == 64 and words[18] == 64
        assert launches.value == 2
        for error in (MemoryError, SystemError):
            def make(*shape, place):
                if error is MemoryError:
                    raise MemoryError("no more")
                broken.append(array(place, *shape))
                return broken[-1]
            maker = functools.partial(make, shapes[2], strides[2], place=64)
            calls.add(said(a, b, None), launch, 0, maker)
            try:
                run(a, b, None)
            except error:
                pass
            else:
                raise AssertionError(error)
        # Tables may grow, and forget, while a result is made.
        def make(*shape, place):
            for extent in range(5000):
                x = array(1, (extent, 1), (1, 1))
                calls.add(said(x, b, x), launch, 0, None)
            return array(place, *shape)
        maker = functools.partial(make, shapes[2], strides[2], place=80)
        calls.add(said(a, b, None), launch, 0, maker)
        assert run(a, b, None).tensor.data == 80 and launches.value == 3
        # A result that begins elsewhere than promised takes another kernel.
        promised = kami.compile(16, 8, 16, "f16", batch=True, alignment=16)
        promised = Launch(promised.program.executable(0), described)
        def make(*shape, place):
            return array(place, *shape)
        results = []
        for place in 88, 96:
            maker = functools.partial(make, shapes[2], strides[2], place=place)
            calls.add(said(a, b, None), promised, 0, maker)
            results.append(run(a, b, None))
        assert results[0] is None and results[1].tensor.data == 96
        assert launches.value == 4
        """
    run(driver, EXCHANGE + textwrap.dedent(code), parameters=27)


def test_a_known_call_that_fails(driver: Path) -> None:
    code = """
        a, b, c = arrays(*PLACES)
        calls.add(said(a, b, c), launch, 0, None)
        for attempt in range(3):
            ctypes.c_int.in_dll(fake, "fakeFailures").value = 1
            references = sys.getrefcount(c)
            try:
                run(a, b, c)
            except kami.DeviceError as error:
                assert "cuLaunchKernel failed" in str(error)
            else:
                raise AssertionError("the driver refused")
            assert sys.getrefcount(c) == references
            assert run(a, b, c) is c and launches.value == attempt + 1
        """
    run(driver, EXCHANGE + textwrap.dedent(code))


def test_known_calls_leave_nothing_behind(driver: Path) -> None:
    """No object, no reference, no block of memory."""
    code = """
        a, b, c = arrays(*PLACES)
        other = arrays(1, 2, 3)[0]
        other.tensor.ndim = 2
        calls.add(said(a, b, c), launch, 0, None)
        words = said(a, b, c), said(other, b, c)
        def repeat():
            for _ in range(10_000):
                calls.launch(*words[0])
                calls.launch(*words[1])
        repeat()
        watched = a, b, c, None, False, "exact", kami.DeviceError, calls
        before = [sys.getrefcount(x) for x in watched]
        blocks = sys.getallocatedblocks()
        tracemalloc.start()
        first = tracemalloc.get_traced_memory()[0]
        repeat()
        growth = tracemalloc.get_traced_memory()[0] - first
        tracemalloc.stop()
        after = [sys.getrefcount(x) for x in watched]
        assert all(abs(x - y) < 10 for x, y in zip(before, after)), (before, after)
        assert sys.getallocatedblocks() - blocks < 50 and growth < 1000
        """
    run(driver, EXCHANGE + textwrap.dedent(code))


def test_known_calls_of_threads(driver: Path) -> None:
    code = """
        sys.setswitchinterval(1e-5)
        wrong = []
        def work(number):
            for turn in range(300):
                a, b, c = arrays(*((one << 20) + 16 * number for one in (1, 2, 3)))
                a.tensor.shape[0] = b.tensor.shape[0] = c.tensor.shape[0] = 1 + turn % 7
                if run(a, b, c) is None:
                    calls.add(said(a, b, c), launch, 0, None)
                if run(a, b, c) is not c:
                    wrong.append((number, turn))
        threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong and launches.value >= 8 * 300, wrong
        """
    run(driver, EXCHANGE + textwrap.dedent(code))


ANSWERED = """
class Library:
    calls = None
    def key(self, *_): return None
    def operator(self, *_): return lambda *_, **others: ("python", others)

_adapters._libraries[Array] = library = Library()
a, b, c = arrays(*PLACES)
entered = []
"""


def test_the_function_is_not_entered_for_known_calls(driver: Path) -> None:
    """It stays the function that it is, whatever it is called by."""
    code = """
        assert isinstance(kami.gemm, types.FunctionType)
        assert "alpha: 'complex' = 1" in str(inspect.signature(kami.gemm))
        # As it is called where the library has no table: by Python alone.
        python = kami.gemm(a, b, alpha=3)
        assert python[0] == "python" and python[1]["alpha"] == 3
        _calls.launchers[Array] = calls.launch
        calls.add(said(a, b, c), launch, 0, None)
        calls.add(said(a, b, c, alpha=2), scaled, 32, None)
        name = "".join(["o", "ut"])  # Not interned.
        for call in (
            lambda: kami.gemm(a, b, out=c),
            lambda: kami.gemm(a, b, None, out=c, beta=0),
            lambda: kami.gemm(a, b, **{name: c}),
            lambda: kami.gemm(*(a, b), **dict(out=c, precision="exact", plan=None)),
            lambda: functools.partial(kami.gemm, a)(b, out=c),
            lambda: kami.gemm(a, b, out=c, alpha=2.5),
            lambda: kami.gemm(a, c=None, b=b, out=c),
            lambda: kami.gemm(out=c, b=b, a=a),
        ):
            before = launches.value
            assert call() is c and launches.value == before + 1
        for call, message in (
            (lambda: kami.gemm(), "missing 2 required positional"),
            (lambda: kami.gemm(a), "missing 1 required positional"),
            (lambda: kami.gemm(a, b, None, c), "takes from 2 to 3 positional"),
            (lambda: kami.gemm(a, b, a=b), "multiple values for argument 'a'"),
            (lambda: kami.gemm(a, b, None, c=None, out=c), "multiple values"),
        ):
            try:
                call()
            except TypeError as error:
                assert message in str(error), error
            else:
                raise AssertionError(message)
        assert kami.gemm(a, b, alpha=3) == python
        """
    run(driver, EXCHANGE + ANSWERED + textwrap.dedent(code))


def test_tensors_are_launched_in_c(driver: Path) -> None:
    """Tensors in the host's memory, of which kami is told that a device has them."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    code = """
        import torch
        from kami import _adapters, _arrays, _gemm
        library = _adapters.known_library(torch.Tensor)
        if library.calls is None:
            raise SystemExit
        view = _adapters._Torch.view
        _adapters._Torch.view = lambda self, array, name: view(
            self, array, name)._replace(device=0)
        _adapters._Torch.stream = lambda *_: _arrays.default_stream
        a, b, c = (torch.zeros(2, 16, 16, dtype=torch.float16) for _ in range(3))
        calls = (
            dict(out=c), dict(), dict(alpha=2, out=c), dict(alpha=0.5, trans_a=True),
            dict(c=c, beta=1, out=c), dict(out_dtype=torch.float32),
            dict(epilogue="relu", accumulator="f32"), dict(out_dtype=np.float32),
        )
        kinds = [kami.gemm(a, b, **keywords).dtype for keywords in calls]
        def nothing(*_):
            raise AssertionError("made anew")
        made, _gemm.run = _gemm.run, nothing
        before = launches.value
        for keywords, kind in zip(calls, kinds):
            result = kami.gemm(a, b, **keywords)
            assert result.dtype == kind and result.shape == c.shape
            assert (result is c) == ("out" in keywords)
            assert words[18] == result.data_ptr() and words[0] == a.data_ptr()
        kami.gemm(a, torch.nn.Parameter(b, requires_grad=False), out=c)
        kami.gemm(a, b, out=c, alpha=7.25)
        assert launches.value == before + len(calls) + 2
        # Operators, other kinds and what does not lie in memory as it seems.
        def fails(message, call):
            try:
                call()
            except Exception as error:
                assert message in str(error), error
            else:
                raise AssertionError(message)
        class Mine(torch.Tensor):
            pass
        grad = a.clone().requires_grad_()
        fails("expected a tensor that needs no gradient",
              lambda: kami.gemm(grad, b, out=c))
        negative = torch._neg_view(a)
        fails("made anew", lambda: kami.gemm(negative, b, out=c))
        fails("made anew", lambda: kami.gemm(a, b, out=negative))
        fails("made anew", lambda: kami.gemm(a.as_subclass(Mine), b, out=c))
        fails("expected memory of its own", lambda: (
            setattr(_gemm, "run", made), kami.gemm(a, b, out=a)))
        with torch.no_grad():
            kami.gemm(grad, b, out=c)
        assert launches.value == before + len(calls) + 3
        """
    run(driver, code, parameters=27)


def test_grouped_products_are_pointers(driver: Path) -> None:
    run(
        driver,
        """
        from kami import _adapters
        _adapters._CudaInterface.upload = lambda self, like, table: DeviceArray(table)
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
        for wrong, message in (
            (np.zeros((8, 5), np.float16).T,
             "a[1]: expected rows of adjacent elements, but got strides (1, 5)"),
            (np.zeros((5, 8), np.float16)[::-1],
             "a[1]: expected rows in order, but got (-8, 1)"),
        ):
            try:
                kami.grouped_gemm([a[0], DeviceArray(wrong), a[2]], b, out=c)
            except ValueError as error:
                assert str(error) == message, error
            else:
                raise AssertionError(message)
        assert launches.value == 1
        """,
        parameters=16,
    )


def test_grouped_tensors_are_described_in_c(driver: Path) -> None:
    """Tensors in the host's memory, of which kami is told that a device has them."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    code = """
        import random, torch
        from kami import _adapters, _arrays
        library = _adapters.known_library(torch.Tensor)
        calls = library.calls
        if calls is None:
            raise SystemExit
        looked, tables, view = [], [], _adapters._Torch.view
        def look(self, array, name):
            looked.append(name)
            return view(self, array, name)._replace(device=0)
        def upload(self, like, table):
            tables.append(torch.from_numpy(table.copy()))
            return tables[-1]
        _adapters._Torch.view, _adapters._Torch.upload = look, upload
        _adapters._Torch.stream = lambda *_: _arrays.default_stream
        # Extents of 0 and 1, rows that are further apart, one row for all.
        def matrix(rows, columns):
            whole = torch.zeros(rows + 1, columns + random.randrange(3)).half()
            part = whole[1:, :columns]
            return part[:1].expand(rows, columns) if rows > 5 else part
        random.seed(3)
        sizes = [[random.choice((0, 1, 2, 5, 9)) for _ in "mnk"] for _ in range(70)]
        a = [matrix(m, k) for m, n, k in sizes]
        b = [matrix(k, n) for m, n, k in sizes]
        c = [torch.zeros(m + 1, n + 2).half()[1:, :n] for m, n, k in sizes]
        a[3] = torch.nn.Parameter(a[3], requires_grad=False)
        turned = [[x.T.contiguous() for x in part] for part in (a, b)]
        for left, right, trans in ((a, b, False), (*turned, True)):
            for library.calls in (calls, None):
                before = launches.value, len(looked)
                kami.grouped_gemm(left, right, out=c, trans_a=trans, trans_b=trans)
                made = kami.grouped_gemm(left, right, trans_a=trans, trans_b=trans)
                assert launches.value == before[0] + 2
                assert [[*x.shape] for x in made] == [size[:2] for size in sizes]
                assert all(x.is_contiguous() for x in made)
                is_few = len(looked) - before[1] < 40
                assert is_few == (library.calls is not None), looked
                # But for new results.
                tables[-1][2] = 0
            described, _, seen, _ = tables[-4:]
            assert torch.equal(described, seen)
            assert torch.equal(tables[-3], tables[-1])
            assert described[3:6].T.tolist() == sizes
        """
    run(driver, code, parameters=16)


def test_threads_copy_where_the_driver_is_old(driver: Path) -> None:
    """Drivers before CUDA 12.7 do not take bulk copies."""
    run(
        driver,
        """
        from kami import _adapters, _kernels
        _adapters._CudaInterface.upload = lambda self, like, table: DeviceArray(table)
        os.environ["KAMI_CACHE_DIR"] = ""
        seen, compile = [], _kernels.lib.kamiCompileGrouped
        def note(grouped, options, *rest):
            seen.append(options._obj.copies)
            return compile(grouped, options, *rest)
        _kernels.lib.kamiCompileGrouped = note
        def multiply(dtype, **overrides):
            a, b, c = ([DeviceArray(np.zeros((8, 8), dtype))] for _ in range(3))
            kami.grouped_gemm(a, b, out=c, **overrides)
        ctypes.c_int.in_dll(fake, "fakeVersion").value = 12060
        multiply(np.float16)
        multiply(np.float16, copies="bulk")
        assert seen == [b"threads", b"bulk"], seen
        """,
        parameters=16,
    )


def test_grouped_products_at_addresses(driver: Path) -> None:
    """Of sizes that are on the device: nothing is copied there."""
    run(
        driver,
        """
        def numbers(*values):
            return DeviceArray(np.array(values, np.int64))
        a, b, out = numbers(64, 128, 192), numbers(1, 2, 3), numbers(4, 5, 6)
        sizes, leading = ([numbers(x, x, x) for x in y] for y in ((7, 8, 9), (1, 2, 3)))
        given = dict(out=out, sizes=sizes, leading=leading, dtype="f16")
        assert kami.grouped_gemm(a, b, alpha=2, **given) is out
        assert launches.value == 1
        address = lambda x: x.array.__array_interface__["data"][0]
        assert words[0] == words[5] == words[10] == 0
        rows = [a, b, out, *sizes, *leading]
        assert [words[15 + 5 * i] for i in range(9)] == [address(x) for x in rows]
        assert words[18] == words[58] == 3
        assert words[60] & 0xFFFFFFFF == 0x40000000
        kami.grouped_gemm(a, b, out, beta=1, **given)
        kami.grouped_gemm(a, b, alpha=2, **{**given, "dtype": ("f16", "f8E4M3FN")})
        assert launches.value == 3
        def fails(error, message, first=a, c=None, **others):
            try:
                kami.grouped_gemm(first, b, c, **{**given, **others})
            except error as raised:
                assert message in str(raised), raised
            else:
                raise AssertionError(message)
        fails(ValueError, "out: expected where sizes are given", out=None)
        fails(ValueError, "dtype: expected where sizes are given", dtype=None)
        fails(ValueError, "sizes: expected three arrays, but got 2", sizes=sizes[:2])
        fails(ValueError, "leading[1]: expected as many elements as a has, 3",
              leading=[a, numbers(1), a])
        fails(TypeError, "out: expected one dimension of i64, but got f16",
              out=DeviceArray(np.zeros((2, 2), np.float16)))
        fails(ValueError, "c: expected None or `out`", c=a)
        fails(ValueError, "a: expected an array on a device", first=np.zeros(3, int))
        """,
        parameters=61,
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
        from kami import _adapters
        made = []
        def maker(self, like, shape, type):
            made.append(np.zeros(shape, np.int8))
            return lambda: DeviceArray(made[-1])
        def carve(self, space, *place):
            return space.array, *place
        _adapters._CudaInterface.maker = maker
        _adapters._CudaInterface.carve = carve
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


def test_what_is_kept(driver: Path) -> None:
    """Of no bytes, that is nothing."""
    run(
        driver,
        """
        from kami import _devices, _library
        keep, address = _library.lib.kamiDeviceKeep, ctypes.c_uint64()
        device = _devices.open_device(0).pointer
        bytes = ctypes.create_string_buffer(b"\\x00\\x7f\\xff", 3)
        _library.check(keep(device, bytes, 3, ctypes.byref(address)))
        assert ctypes.string_at(address.value, 3) == b"\\x00\\x7f\\xff"
        try:
            _library.check(keep(device, bytes, 0, ctypes.byref(address)))
        except ValueError as error:
            assert "bytes to be 1 or more" in str(error), error
        else:
            raise AssertionError("nothing is kept")
        """,
    )
