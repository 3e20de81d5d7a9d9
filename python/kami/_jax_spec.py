# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What JAX's operators have in common."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from ._arrays import View, dense_strides
from ._kernels import settle
from ._types import accumulator_name, check_real, type_name


@dataclasses.dataclass(frozen=True)
class Spec:
    """What becomes of arrays: one of Python's objects here, a text in XLA."""

    type: str
    """Of the result."""
    trans_a: bool = False
    trans_b: bool = False
    alpha: float = 1
    beta: float = 0
    accumulator: str | None = None
    precision: str = "exact"
    overrides: tuple[tuple[str, Any], ...] = ()

    @property
    def text(self) -> str:
        return json.dumps(dataclasses.asdict(self))


def asked(
    type: str,
    out_dtype: Any,
    trans_a: Any,
    trans_b: Any,
    alpha: float,
    beta: float,
    accumulator: Any,
    precision: str,
    overrides: Mapping[str, Any],
) -> dict[str, Any]:
    """A spec's fields by a caller's arguments; `type` where they say none."""
    check_real(alpha, "alpha")
    check_real(beta, "beta")
    return {
        "type": type if out_dtype is None else type_name(out_dtype, "out_dtype"),
        "trans_a": bool(trans_a),
        "trans_b": bool(trans_b),
        "alpha": float(alpha),
        "beta": float(beta),
        "accumulator": accumulator_name(accumulator),
        "precision": precision,
        "overrides": tuple(sorted(settle(overrides).items())),
    }


def view_of(array: Any, name: str) -> View:
    """What can be checked before there are elements."""
    strides = dense_strides(array.shape)
    return View(0, tuple(array.shape), strides, type_name(array.dtype, name), 0)
