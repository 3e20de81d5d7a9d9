# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests marked `gpu` need a CUDA device and PyTorch; all others run anywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

import kami

# JAX would take most of a device's memory, from PyTorch and CuPy.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

hypothesis.settings.register_profile(
    "kami",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("kami")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KAMI_CACHE_DIR", str(folder))
        yield folder


FAKE_DRIVER = Path(__file__).parents[2] / "test/CAPI/Inputs/fake-cuda.c"


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("driver") / "fake-cuda.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", FAKE_DRIVER, "-o", library], check=True
    )
    return library


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kami.SimulatorWarning)
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if any(device.kind == "cuda" for device in kami.devices()):
        return
    skip = pytest.mark.skip(reason="no CUDA device")
    for item in items:
        if "gpu" in item.keywords:
            item.add_marker(skip)


@pytest.fixture
def to_tf32() -> tuple[Any, Any]:
    """f32 numbers, 64 x 64, and the nearest ones of 10 bits behind the point, of
    two equally near ones the even one, as from sm_90 on."""
    rng = np.random.default_rng(11)
    shape = (64, 64)
    numbers = rng.uniform(1, 2, shape) * 2.0 ** rng.integers(-40, 40, shape)
    numbers *= rng.choice([-1, 1], shape)
    # Halfway, next to that, and where a power of two begins.
    for i, half in enumerate([1 + 2**-11, 1 + 3 * 2**-11, 2 - 2**-11]):
        for j, x in enumerate([half, half - 2**-23, half + 2**-23]):
            numbers[3 * i + j, :2] = x, -x
    numbers = numbers.astype(np.float32)
    unit = 2.0 ** (np.floor(np.log2(np.abs(numbers).astype(np.float64))) - 10)
    return numbers, (np.rint(numbers / unit) * unit).astype(np.float32)
