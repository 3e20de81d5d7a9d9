# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What documents show runs, and the reference is the docstrings'."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import kami
from kami import _library

ROOT = Path(__file__).parents[2]


def run(*command: str | Path) -> str:
    return subprocess.run(
        [sys.executable, *map(str, command)], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("document", ["docs/Python.md", "README.md"])
def test_documents_run(document: str) -> None:
    assert "results as shown" in run(
        ROOT / "scripts/run-python-docs.py", ROOT / document
    )


def test_reference_is_fresh() -> None:
    kept = (ROOT / "docs/PythonReference.md").read_text()
    assert run(ROOT / "scripts/python-reference.py") == kept, (
        "out of date: scripts/python-reference.py prints what it should be"
    )


def test_one_version() -> None:
    text = (ROOT / "python/pyproject.toml").read_text()
    assert f'version = "{kami.__version__}"' in text


def test_declarations_are_the_headers() -> None:
    header = (ROOT / "include/kami-c/kami.h").read_text()
    declared = set(re.findall(r"\b(kami[A-Z]\w+)\(", header))
    used = {*_library._FALLIBLE, *_library._DESTROYERS, *_library._LOCKED}
    used |= {
        "kamiErrorGetKind",
        "kamiErrorGetMessage",
        "kamiTextGetData",
        "kamiTextGetSize",
        "kamiGetVersion",
        "kamiDeviceGetCount",
        "kamiSimulationGetReport",
        "kamiSimulationGetResultCount",
    }
    assert used == declared
