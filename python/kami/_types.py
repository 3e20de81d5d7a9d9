# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of elements: kami's names of them, and those of libraries."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

NUMPY_NAMES = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e5m2": "f8E5M2",
    "int8": "i8",
    "uint8": "u8",
    "int32": "i32",
    "int64": "i64",
    "complex64": "complex<f32>",
    "complex128": "complex<f64>",
}
DTYPE_NAMES = {kami: name for name, kami in NUMPY_NAMES.items()}


def check_real(value: Any, name: str) -> None:
    """NumPy's complex numbers become real ones with no more than a warning."""
    if isinstance(value, (complex, np.complexfloating)):
        raise TypeError(f"{name}: expected a real number, but got {value!r}")


def type_name(dtype: Any, argument: str = "dtype") -> str:
    """kami's name of a type: a name, a NumPy or PyTorch dtype, a scalar type.

    Raises TypeError where it is none that kami knows.
    """
    if isinstance(dtype, str) and (dtype in DTYPE_NAMES or dtype in _READINGS):
        return dtype
    text = str(dtype)
    if text.startswith("torch."):
        name = NUMPY_NAMES.get(text.removeprefix("torch."))
    else:
        try:
            name = NUMPY_NAMES.get(np.dtype(dtype).name)
        except TypeError:
            name = None
    if name is None:
        known = ", ".join(NUMPY_NAMES)
        raise TypeError(f"{argument}: expected one of {known}, but got {text}")
    return name


def accumulator_name(accumulator: Any) -> str | None:
    """kami's name of the type that a caller wants sums in; None for the usual one."""
    return None if accumulator is None else type_name(accumulator, "accumulator")


# How f32 elements are multiplied, which is no type of an array.
_READINGS = ("tf32", "tf32x3")


_ITEM_BYTES = {
    type: int(re.findall(r"\d+", name)[0]) // 8 for type, name in DTYPE_NAMES.items()
}


def item_bytes(type: str) -> int:
    """Of an element: "f16" has two, "complex<f32>" eight."""
    return _ITEM_BYTES[type]


def numpy_dtype(type: str) -> np.dtype[Any]:
    name = DTYPE_NAMES[type]
    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(
            f"NumPy has no {name} of its own: expected the package ml_dtypes"
        ) from None
    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return found


def type_of(dtype: np.dtype[Any], argument: str) -> str:
    type = NUMPY_NAMES.get(dtype.name)
    if type is None or not dtype.isnative:
        raise TypeError(
            f"{argument}: expected a type that kami multiplies, but got dtype {dtype}"
        )
    return type
