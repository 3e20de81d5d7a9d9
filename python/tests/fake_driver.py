# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes with a driver that only writes down how kernels are launched."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

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

def watch_compilations(field):
    '''The field of each product that is compiled from now on; none is cached.'''
    from kami import _kernels
    seen, compile = [], _kernels.lib.kamiCompileGemm
    def note(gemm, *rest):
        seen.append(getattr(gemm._obj, field))
        return compile(gemm, *rest)
    _kernels.lib.kamiCompileGemm = note
    os.environ["KAMI_CACHE_DIR"] = ""
    return seen
"""


def run(driver: Path, code: str, parameters: int = 0, **settings: str) -> str:
    """What the code prints; it has to end well."""
    environment = {
        **os.environ,
        **settings,
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
