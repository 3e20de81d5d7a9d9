# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices: the CUDA devices of the driver, and the simulator."""

from __future__ import annotations

import dataclasses
import functools
import os
from ctypes import byref, c_void_p
from typing import Any

from ._arrays import HOST
from ._library import DeviceInfo, Handle, check, lib


@dataclasses.dataclass(frozen=True)
class Device:
    """Something that runs kernels."""

    kind: str
    """"cuda", or "simulator"."""
    number: int
    """The driver's number of the device; -1 for the simulator."""
    name: str
    target: str
    """The chip that is compiled for: "sm_90"."""
    memory_bytes: int
    """0 for the simulator."""


@functools.cache
def _info(number: int) -> DeviceInfo:
    info = DeviceInfo()
    check(lib.kamiDeviceDescribe(number, byref(info)))
    return info


def describe(number: int) -> Device:
    """A CUDA device, which need not be open."""
    info = _info(number)
    return Device(
        kind="cuda",
        number=number,
        name=info.name.decode(),
        target=info.target.decode(),
        memory_bytes=info.memoryBytes,
    )


class OpenDevice(Handle):
    """A CUDA device, through its primary context."""

    def __init__(self, number: int) -> None:
        pointer = c_void_p()
        check(lib.kamiDeviceOpen(number, byref(pointer)))
        super().__init__(pointer, lib.kamiDeviceClose)
        self.driver_version: int = _info(number).driverVersion
        self.description = describe(number)

    def synchronize(self) -> None:
        check(lib.kamiDeviceSynchronize(self.pointer))


@functools.cache
def open_device(number: int) -> OpenDevice:
    return OpenDevice(number)


# Of CUDA: what kernels with bulk copies are written in is PTX ISA 8.6.
_LEAST_BULK_DRIVER = 12070


def overrides_for(device: int, overrides: dict[str, Any]) -> dict[str, Any]:
    """What is settled of a plan, with threads that copy if the device's driver does
    not take bulk copies, unless somebody asks for these."""
    if device == HOST or overrides.get("copies") or overrides.get("plan"):
        return overrides
    if open_device(device).driver_version >= _LEAST_BULK_DRIVER:
        return overrides
    return {**overrides, "copies": "threads"}


def simulated_target() -> str:
    """The chip that the simulator stands for: KAMI_TARGET, or sm_90."""
    return os.environ.get("KAMI_TARGET") or "sm_90"


def target_of(device: int) -> str:
    if device == HOST:
        return simulated_target()
    return describe(device).target


def devices() -> list[Device]:
    """The devices that arrays can be multiplied on.

    CUDA devices come first, then the simulator, which takes arrays in the
    host's memory and runs kernels lane by lane, as slowly as that is.
    """
    found = [describe(number) for number in range(lib.kamiDeviceGetCount())]
    target = simulated_target()
    return [*found, Device("simulator", HOST, "simulator", target, 0)]
