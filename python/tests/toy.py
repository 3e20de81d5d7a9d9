# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A library of arrays of which kami knows nothing, for tests.

Its arrays have DLPack's methods; those of `Standard` also say which namespace is
theirs, as the array API standard has it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


class Array:
    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.values.__dlpack__(**keywords)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


def from_dlpack(array: Any) -> Array:
    return Array(np.from_dlpack(array))


class Standard(Array):
    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return Namespace


class Namespace:
    @staticmethod
    def from_dlpack(array: Any) -> Standard:
        return Standard(np.from_dlpack(array))


class Stranger(Array):
    """Of a module that opens nothing."""


Stranger.__module__ = "sys.nowhere"
assert not hasattr(sys, "from_dlpack")


class Tensor(Array):
    """Of PyTorch, whose elements may be a device's."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return TensorNamespace


class TensorNamespace:
    @staticmethod
    def from_dlpack(array: Any) -> Tensor:
        import torch

        return Tensor(torch.from_dlpack(array))


class Interface:
    """An array with CUDA's array interface, and nothing else."""

    def __init__(self, values: Any) -> None:
        self.values = values

    @property
    def __cuda_array_interface__(self) -> Any:
        return self.values.__cuda_array_interface__

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return InterfaceNamespace


class InterfaceNamespace:
    @staticmethod
    def from_dlpack(array: Any) -> Interface:
        import torch

        return Interface(torch.from_dlpack(array))
