# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs: what they are, and how they run on arrays."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import pathlib
import struct
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from ctypes import byref, c_double, c_uint64, c_void_p
from typing import Any

import numpy as np

from . import _ahead, _cache
from ._adapters import adopt, giver, library_of
from ._arrays import HOST, View
from ._devices import OpenDevice, open_device
from ._html import html_table
from ._library import (
    Argument,
    Handle,
    Options,
    call_for_text,
    check,
    encode,
    lib,
    make_arguments,
    raise_error,
    take_bytes,
)
from ._overlap import share_elements
from ._types import DTYPE_NAMES, check_real, numpy_dtype

Described = Sequence[tuple[Any, ...]]
"""Arguments as `make_arguments` takes them."""


class SimulatorWarning(UserWarning):
    """Says once that arrays in the host's memory are multiplied by the simulator."""


@functools.cache
def tell_simulated() -> None:
    warnings.warn(
        "arrays in the host's memory are multiplied by kami's simulator, lane by "
        "lane: right, but slow; kami.devices() lists what else there is",
        SimulatorWarning,
        stacklevel=4,
    )


class _Executable(Handle):
    """A program's kernels on a device."""

    def __init__(self, program: Program, number: int) -> None:
        # Held so that it is closed last.
        self.device = open_device(number)
        pointer = c_void_p()
        ahead = program.image_ahead(self.device.description.target)
        if ahead is not None:
            error = self._load(program, ahead, pointer)
            if not error:
                super().__init__(pointer, lib.kamiExecutableDestroy)
                return
            # Drivers do not take what is newer than they are.
            lib.kamiErrorDestroy(error)
        image = None
        if program.is_assembled(self.device) or _cache.folder() is not None:
            image = program.assemble(self.device)
        check(self._load(program, image, pointer))
        super().__init__(pointer, lib.kamiExecutableDestroy)

    def _load(
        self, program: Program, image: bytes | None, pointer: c_void_p
    ) -> int | None:
        size = len(image) if image else 0
        error: int | None = lib.kamiDeviceLoad(
            self.device.pointer, program.pointer, image, size, byref(pointer)
        )
        return error


class Launch(Handle):
    """A program bound to extents and strides on a device."""

    def __init__(self, executable: _Executable, described: Described) -> None:
        self.executable = executable
        pointer = c_void_p()
        arguments = make_arguments(described)
        check(
            lib.kamiLaunchCreate(
                executable.pointer, arguments, len(arguments), byref(pointer)
            )
        )
        super().__init__(pointer, lib.kamiLaunchDestroy)
        self._address = pointer.value

    @functools.cached_property
    def description(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            call_for_text(lib.kamiLaunchDescribe, self.pointer)
        )
        return found

    def runner(self, count: int) -> Callable[..., None]:
        """A function of the stream and `count` words, which does nothing but launch."""
        pack, run = struct.Struct(f"{count}Q").pack, lib.kamiLaunchRun

        def launch(stream: int, *words: int) -> None:
            # By self, who has to live as long as the function.
            if error := run(self._address, stream, pack(*words)):
                raise_error(error)

        return launch

    def time(self, words: Sequence[int], repeats: int) -> float:
        """Microseconds."""
        microseconds = c_double()
        values = (c_uint64 * len(words))(*words)
        check(lib.kamiLaunchTime(self.pointer, values, repeats, byref(microseconds)))
        return microseconds.value


def _image_kind(device: OpenDevice) -> str:
    return f"{device.description.target}-{device.driver_version}.image"


class Program(Handle):
    """A compiled program, in memory once for each request."""

    def __init__(self, pointer: c_void_p, key: str | None = None) -> None:
        super().__init__(pointer, lib.kamiProgramDestroy)
        self.key = key
        # Of what is compiled where nothing of a plan is said.
        self.unplanned_key: str | None = None
        # Of a program that was compiled ahead.
        self.ahead: str | None = None
        self._executables: dict[int, _Executable] = {}
        self._images: dict[str, bytes | None] = {}

    @functools.cached_property
    def description(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            call_for_text(lib.kamiProgramDescribe, self.pointer)
        )
        return found

    def code_bytes(self, level: str) -> bytes:
        text = c_void_p()
        check(lib.kamiProgramGetCode(self.pointer, level.encode(), byref(text)))
        return take_bytes(text)

    def code(self, level: str) -> str:
        return self.code_bytes(level).decode()

    def save(self) -> bytes:
        text = c_void_p()
        check(lib.kamiProgramSave(self.pointer, byref(text)))
        return take_bytes(text)

    def image_ahead(self, target: str) -> bytes | None:
        """What was assembled for a chip when this program was compiled ahead."""
        if self.ahead is None:
            return None
        return _ahead.image(self.ahead, target)

    def is_assembled(self, device: OpenDevice) -> bool:
        """Whether the device's assembler has been through with the kernels."""
        kind = _image_kind(device)
        if device.description.number in self._executables or kind in self._images:
            return True
        return self.key is not None and _cache.contains(self.key, kind)

    def assemble(self, device: OpenDevice) -> bytes | None:
        """What the device's assembler makes of the kernels, from the cache or for it.

        None where it makes nothing: the driver says at the load what it has against
        the program, or assembles there what its linker does not take.
        """
        kind = _image_kind(device)
        if kind in self._images:
            return self._images[kind]
        image = _cache.load(self.key, kind) if self.key is not None else None
        if image is None:
            text = c_void_p()
            error = lib.kamiDeviceAssemble(device.pointer, self.pointer, byref(text))
            if error:
                lib.kamiErrorDestroy(error)
            else:
                image = take_bytes(text)
                if self.key is not None:
                    _cache.store(self.key, kind, image)
        self._images[kind] = image
        return image

    def executable(self, number: int) -> _Executable:
        found = self._executables.get(number)
        if found is None:
            found = self._executables[number] = _Executable(self, number)
            # The driver has them now.
            self._images.clear()
        return found

    def simulate(
        self, described: Described
    ) -> tuple[list[dict[str, Any]], list[np.ndarray[Any, Any]]]:
        """Runs on the host's memory; the report of each launch, and the results."""
        simulation = c_void_p()
        arguments = make_arguments(described)
        check(
            lib.kamiProgramSimulate(
                self.pointer, arguments, len(arguments), byref(simulation)
            )
        )
        handle = Handle(simulation, lib.kamiSimulationDestroy)
        report = json.loads(lib.kamiSimulationGetReport(simulation))
        results = [
            self._result(handle, number)
            for number in range(lib.kamiSimulationGetResultCount(simulation))
        ]
        return report, results

    def _result(self, simulation: Handle, number: int) -> np.ndarray[Any, Any]:
        """A copy, since the memory is the simulation's."""
        found = Argument()
        check(lib.kamiSimulationGetResult(simulation.pointer, number, byref(found)))
        dtype = numpy_dtype(self.description["results"][number]["element"])
        shape = tuple(found.sizes[: found.rank])
        strides = tuple(s * dtype.itemsize for s in found.strides[: found.rank])
        if 0 in shape:
            return np.empty(shape, dtype)
        reach = sum((e - 1) * s for e, s in zip(shape, strides, strict=True))
        memory = (ctypes.c_byte * (reach + dtype.itemsize)).from_address(found.data)
        copy: np.ndarray[Any, Any]
        copy = np.ndarray(shape, dtype, memory, 0, strides).copy()
        return copy


_programs: dict[str, Program] = {}
_lock = threading.Lock()
# One for each program that is being made.
_making: dict[str, threading.Lock] = {}


class _Compilations:
    """Those of all threads, as a context, of which a fork waits for all."""

    def __init__(self) -> None:
        self._count = 0
        self._changes = threading.Condition(threading.Lock())

    def __enter__(self) -> None:
        with self._changes:
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._changes:
            self._count -= 1
            self._changes.notify_all()

    def halt(self) -> None:
        """Waits until there is none, and has no other begin."""
        self._changes.acquire()
        self._changes.wait_for(lambda: self._count == 0)

    def go_on(self) -> None:
        self._changes.release()


_compiling = _Compilations()


def _renew_locks() -> None:
    """Other threads may have held some when the process was forked."""
    global _lock, _compiling
    _lock, _compiling = threading.Lock(), _Compilations()
    _making.clear()


# The compiler has locks, too, which would stay with a thread that is not there.
os.register_at_fork(
    before=lambda: _compiling.halt(),
    after_in_parent=lambda: _compiling.go_on(),
    after_in_child=_renew_locks,
)


def program_for(request: str, compile: Callable[[Any], int | None]) -> Program:
    """The program that `request` says: known already, kept on disk, or compiled."""
    return _known_or(request, lambda: _load_or_compile(request, compile))


def saved_program(image: bytes) -> Program:
    """The program that `Program.save` made `image` of."""
    request = request_of("saved", hashlib.sha256(image).hexdigest())

    def restore() -> Program:
        pointer = c_void_p()
        check(lib.kamiProgramRestore(image, len(image), byref(pointer)))
        return Program(pointer, _cache.key_of(request))

    return _known_or(request, restore)


def _known_or(request: str, make: Callable[[], Program]) -> Program:
    found = _programs.get(request)
    if found is not None:
        return found
    with _lock:
        making = _making.setdefault(request, threading.Lock())
    with making:
        found = _programs.get(request)
        if found is None:
            found = _programs[request] = make()
    _making.pop(request, None)
    return found


def is_known(request: str) -> bool:
    """Whether `program_for` need not compile."""
    return (
        request in _programs
        or _ahead.contains(_ahead.name_of(request))
        or _cache.contains(_cache.key_of(request), "program")
    )


def _restore(image: bytes | None, key: str) -> Program | None:
    """What somebody has spoiled is made again."""
    if image is None:
        return None
    pointer = c_void_p()
    error = lib.kamiProgramRestore(image, len(image), byref(pointer))
    if not error:
        return Program(pointer, key)
    lib.kamiErrorDestroy(error)
    return None


def _load_or_compile(request: str, compile: Callable[[Any], int | None]) -> Program:
    key, name = _cache.key_of(request), _ahead.name_of(request)
    program = _restore(_ahead.program(name), key)
    if program is not None:
        program.ahead = name
        return program
    program = _restore(_cache.load(key, "program"), key)
    if program is not None:
        return program
    pointer = c_void_p()
    with _compiling:
        check(compile(byref(pointer)))
    program = Program(pointer, key)
    _cache.store(key, "program", program.save())
    return program


_OVERRIDES = (
    "algorithm",
    "unit",
    "tile",
    "model",
    "calibration",
    "plan",
    "warps",
    "stages",
    "copies",
    "taken",
)


def settle(overrides: Mapping[str, Any]) -> dict[str, str | int]:
    """What of a plan is settled, as texts and numbers; TypeError for what is not."""
    settled: dict[str, str | int] = {}
    for name, value in overrides.items():
        if name not in _OVERRIDES:
            raise TypeError(
                f"{name}: expected one of {', '.join(_OVERRIDES)} to settle of a plan"
            )
        if value is None:
            continue
        if name in ("warps", "stages", "taken"):
            least = -1 if name == "taken" else 1
            if not isinstance(value, int) or value < least:
                raise ValueError(
                    f"{name}: expected a number from {least} on, but got {value!r}"
                )
            settled[name] = value
            continue
        if name == "tile" and not isinstance(value, str):
            value = "x".join(str(extent) for extent in value)
        if not isinstance(value, str):
            raise TypeError(f"{name}: expected a text, but got {value!r}")
        settled[name] = value
    return settled


def make_options(target: str, overrides: Mapping[str, Any]) -> Options:
    """Options from keywords."""
    options = Options(target=encode(target))
    for name, value in settle(overrides).items():
        setattr(options, name, value.encode() if isinstance(value, str) else value)
    return options


def request_of(*parts: Any) -> str:
    """A text that is the same for the same request, in every process."""
    return json.dumps(parts, sort_keys=True, default=str)


class Kernel:
    """A compiled program.

    Made by `kami.compile` and `kami.from_mlir`. Called with what its function
    takes, in that order: arrays of one kind, which it may write, and numbers.
    Arrays of a CUDA device are launched on the caller's current stream of their
    library; arrays in the host's memory go to the simulator.
    """

    def __init__(self, program: Program, written: int | None = None) -> None:
        self.program = program
        # The argument that the function writes while it reads the others, if known.
        self._written = written
        self._launches: dict[Any, Launch] = {}

    @property
    def target(self) -> str:
        """The chip: "sm_90"."""
        found: str = self.program.description["target"]
        return found

    def mlir(self, level: str = "target") -> str:
        """The program as MLIR: "kami", "planned", "warp", "target" or "llvm"."""
        return self.program.code(level)

    @property
    def ptx(self) -> str:
        """The kernels as NVIDIA's assembler takes them; ValueError for AMD's."""
        return self.program.code("ptx")

    @property
    def asm(self) -> str:
        """The kernels as NVIDIA's or AMD's assembler takes them."""
        kind = self.program.description["code"]
        if kind == "spirv":
            raise ValueError(
                f"expected a chip with an assembler, but got {self.target}"
            )
        return self.program.code(kind)

    @property
    def hsaco(self) -> bytes:
        """The code object of AMD's chips, for a program of one kernel.

        ValueError for other chips, and where there is no `ld.lld` on PATH.
        """
        return self.program.code_bytes("hsaco")

    @property
    def spirv(self) -> bytes:
        """The kernels' modules of SPIR-V; ValueError for chips that take none."""
        return self.program.code_bytes("spirv")

    @property
    def resources(self) -> list[dict[str, Any]]:
        """Of each kernel: its name, threads of a block, bytes of shared memory,
        32-bit registers of a thread as the model has them, and the plan."""
        kernels: list[dict[str, Any]] = self.program.description["kernels"]
        return kernels

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the program to a file that `kami.load` reads."""
        pathlib.Path(path).write_bytes(self.program.save())

    def __repr__(self) -> str:
        names = ", ".join(kernel["kernel"] for kernel in self.resources)
        types = ", ".join(a["type"] for a in self.program.description["arguments"])
        return f"<kami.Kernel {names} for {self.target}: ({types})>"

    def _repr_html_(self) -> str:
        chosen = ("algorithm", "grid", "tile", "atom", "transport")
        figures = ("block", "registers", "shared_bytes")
        rows = [
            [
                one["kernel"],
                *(one["plan"].get(x, "") for x in chosen),
                *map(one.get, figures),
            ]
            for one in self.resources
        ]
        return html_table(f"for {self.target}", ("kernel", *chosen, *figures), rows)

    def describe_arguments(self, values: Sequence[Any]) -> tuple[list[Any], int, Any]:
        """Arguments for the C API, the device, and the arrays' library."""
        signature = self.program.description["arguments"]
        if len(values) != len(signature):
            raise TypeError(
                f"expected {len(signature)} arguments, but got {len(values)}"
            )
        described: list[Any] = []
        views: dict[int, View] = {}
        first: View | None = None
        library: Any = None
        for number, (value, expected) in enumerate(zip(values, signature, strict=True)):
            name = f"argument {number}"
            if "element" not in expected:
                described.append((scalar_bits(value, expected["type"], name),))
                continue
            array = adopt(value)
            owner = library_of(array, name)
            view = owner.view(array, name)
            # An 8-bit integer has no sign in memory.
            stored = "i8" if view.type == "u8" else view.type
            if stored != expected["element"]:
                raise TypeError(
                    f"{name}: expected elements of type {expected['element']}, "
                    f"but got {view.type}"
                )
            if first is None:
                first, library = view, owner
            elif view.device != first.device:
                raise ValueError(f"{name}: expected all arrays on one device")
            views[number] = view
            described.append((view.address, view.shape, view.strides))
        self._check_overlap(views)
        return described, first.device if first else HOST, library

    def _check_overlap(self, views: dict[int, View]) -> None:
        if self._written is None:
            return
        result = views.pop(self._written)
        for number, view in views.items():
            if share_elements(result, view):
                raise ValueError(
                    f"argument {self._written}: expected memory of its own, but it "
                    f"shares elements with argument {number}"
                )

    def __call__(self, *values: Any) -> Any:
        """Runs; gives what the function returns: nothing, an array, or several."""
        described, device, library = self.describe_arguments(values)
        like: Any = next((v for v in values if not np.isscalar(v)), np.empty(0))
        give = giver(like) if self.program.description["results"] else None
        if device == HOST:
            tell_simulated()
            _, simulated = self.program.simulate(described)
            like = adopt(like)
            results = [library_of(like, "").upload(like, x) for x in simulated]
        else:
            results = self.launch(described, device, library, values)
        if give is None:
            return None
        given = [x if any(x is v for v in values) else give(x) for x in results]
        return given[0] if len(given) == 1 else tuple(given)

    def bind(self, described: Sequence[Any], device: int) -> Launch:
        """The launch of arguments that differ by nothing but addresses."""
        key = (device, *(d[1:] for d in described))
        launch = self._launches.get(key)
        if launch is None:
            executable = self.program.executable(device)
            launch = self._launches[key] = Launch(executable, described)
        return launch

    def launch(
        self, described: list[Any], device: int, library: Any, values: Sequence[Any]
    ) -> list[Any]:
        """Queues the kernels on described arguments, which `values` have been."""
        launch = self.bind(described, device)
        like = next(v for v, d in zip(values, described, strict=True) if len(d) > 1)
        spaces = [
            library.maker(like, (size,), "i8")()
            for size in launch.description["workspaces"]
        ]
        words = [d[0] for d in described]
        words += [library.view(space, "workspace").address for space in spaces]
        launch.runner(len(words))(library.stream(device)(), *words)
        return [
            _result_of(result, values, described, spaces, library)
            for result in launch.description["results"]
        ]


def _result_of(
    result: dict[str, Any],
    values: Sequence[Any],
    described: Sequence[Any],
    spaces: Sequence[Any],
    library: Any,
) -> Any:
    """A result of the function: in a workspace, or an argument as it is."""
    number, offset = result["argument"], result["byte_offset"]
    sizes, strides = result["sizes"], result["strides"]
    if number >= len(values):
        space = spaces[number - len(values)]
        return library.carve(space, result["element"], offset, sizes, strides)
    _, given_sizes, given_strides = described[number]
    if offset or list(given_sizes) != sizes or list(given_strides) != strides:
        raise ValueError(
            f"expected the function to return all of argument {number} or none, "
            "but got a part of it"
        )
    return values[number]


def scalar_bits(value: Any, type: str, name: str) -> int:
    """A number as the bits of a scalar type."""
    check_real(value, name)
    try:
        if type in DTYPE_NAMES and type[0] == "i":
            number = int(value)
            if number != value:
                raise ValueError(f"{name}: expected an integer, but got {value!r}")
            bits = int(type[1:])
            if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
                raise ValueError(f"{name}: expected {bits} bits, but got {value!r}")
            return number & ((1 << bits) - 1)
        dtype = numpy_dtype(type)
        raw = np.asarray(float(value), dtype).tobytes()
    except TypeError:
        raise TypeError(f"{name}: expected a number, but got {value!r}") from None
    return int.from_bytes(raw, "little")
