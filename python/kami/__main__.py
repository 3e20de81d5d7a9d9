# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m kami`: what there is to run on, and whether it is right.

python -m kami              devices, targets and the cache
python -m kami check        multiplies on each device, and compares
python -m kami clear-cache  removes what was compiled
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from ctypes import byref, c_uint64
from typing import Any

import numpy as np

from . import SimulatorWarning, __version__, _ahead, _cache, devices, gemm, targets
from ._arrays import default_stream
from ._devices import Device, open_device
from ._kernels import Kernel
from ._library import LIBRARY_PATH, check, lib


def _show() -> None:
    print(f"kami {__version__}, {LIBRARY_PATH}")
    print("devices")
    for device in devices():
        memory = f", {device.memory_bytes / 2**30:.0f} GiB" * bool(device.memory_bytes)
        print(f"  {device.name} ({device.target}{memory})")
    if lib.kamiDeviceGetCount() == 0:
        print("  no CUDA device: arrays are multiplied by the simulator")
    print("targets")
    for target in targets():
        print(f"  {target['name']:8} {target['product']}: {' '.join(target['types'])}")
    print(f"compiled ahead: {_ahead.count()} programs for products of any size")
    where = _cache.folder()
    if where is None:
        print("no cache: KAMI_CACHE_DIR is empty")
        return
    files = _cache.entries(where)
    total = sum(size for _, size, _ in files)
    print(f"cache\n  {where}: {len(files)} files, {total / 2**20:.1f} MiB", end="")
    print(f" of {_cache.limit() / 2**20:.0f} MiB")


def _run_on(device: Device, kernel: Kernel, arrays: list[np.ndarray[Any, Any]]) -> None:
    """Runs on copies in the device's memory, of which kami asks the driver."""
    opened = open_device(device.number)
    addresses = []
    for array in arrays:
        address = c_uint64()
        check(lib.kamiDeviceAllocate(opened.pointer, array.nbytes, byref(address)))
        check(
            lib.kamiDeviceWrite(
                opened.pointer, address, array.ctypes.data, array.nbytes
            )
        )
        addresses.append(address.value)
    described = [
        (address, array.shape, tuple(s // array.itemsize for s in array.strides))
        for address, array in zip(addresses, arrays, strict=True)
    ]
    kernel.launch(described, device.number, _DefaultStream(), arrays)
    opened.synchronize()
    result = arrays[2]
    check(
        lib.kamiDeviceRead(
            opened.pointer, result.ctypes.data, addresses[2], result.nbytes
        )
    )
    for found in addresses:
        check(lib.kamiDeviceFree(opened.pointer, found))


class _DefaultStream:
    def stream(self, device: int) -> Callable[[], int]:
        return default_stream


def _check() -> bool:
    """Small integers, whose sums are exact."""
    from . import compile as compile_kernel

    rng = np.random.default_rng(0)
    a = rng.integers(-4, 5, (3, 37, 21)).astype(np.float16)
    b = rng.integers(-4, 5, (3, 21, 18)).astype(np.float16)
    expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    everything_right = True
    for device in devices():
        if device.kind == "simulator":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SimulatorWarning)
                c = gemm(a, b, out_dtype=np.float32)
        else:
            c = np.empty(expected.shape, np.float32)
            kernel = compile_kernel(
                37, 18, 21, a.dtype, batch=True, out_dtype=c.dtype, target=device.target
            )
            _run_on(device, kernel, [a, b, c])
        is_right = bool((c == expected).all())
        everything_right &= is_right
        print(f"{device.name} ({device.target}): {'right' if is_right else 'WRONG'}")
    return everything_right


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m kami", description="kami")
    parser.add_argument(
        "command", nargs="?", default="show", choices=["show", "check", "clear-cache"]
    )
    command = parser.parse_args().command
    if command == "show":
        _show()
    elif command == "check":
        return 0 if _check() else 1
    else:
        print(f"removed {_cache.clear() / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
