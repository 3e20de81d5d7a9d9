# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests marked `gpu` need a CUDA device and PyTorch; all others run anywhere."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import hypothesis
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
