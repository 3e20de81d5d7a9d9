# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Communication-avoiding matrix products inside one GPU thread block.

`gemm`, `bmm` and `grouped_gemm` multiply arrays; `plan` explains how a product
is split over a block's warps; `compile` and `from_mlir` give kernels whose every
level of IR can be read; `simulate` runs one lane by lane; `tune` measures.
"""

from ._compile import compile, from_mlir, load
from ._devices import Device, devices
from ._gemm import Simulation, bmm, gemm, simulate
from ._grouped import grouped_gemm
from ._kernels import Kernel, SimulatorWarning
from ._library import DeviceError, SimulationError, targets, version
from ._plan import Candidate, Plan, plan
from ._product import Epilogue
from ._tune import Timing, Tuning, tune

__version__ = version()

__all__ = [
    "Candidate",
    "Device",
    "DeviceError",
    "Epilogue",
    "Kernel",
    "Plan",
    "Simulation",
    "SimulationError",
    "SimulatorWarning",
    "Timing",
    "Tuning",
    "bmm",
    "compile",
    "devices",
    "from_mlir",
    "gemm",
    "grouped_gemm",
    "load",
    "plan",
    "simulate",
    "targets",
    "tune",
]
