# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In which order the terms of a sum are added up."""

from __future__ import annotations

import math
import re
from typing import NamedTuple


class Layers(NamedTuple):
    """How a sum is cut: term i belongs to layer (i / span) mod number."""

    number: int
    span: int


class SumOrder(NamedTuple):
    """What `kamiGetSumOrder` says."""

    terms: str
    """What adds up the terms of a layer, and in which order."""
    layers: Layers
    tile: int
    """How much of k is cut at a time; 0 where there is one layer."""

    @staticmethod
    def of(text: str) -> SumOrder:
        found = re.fullmatch(r"(.*), layers (\d+) of (\d+) in (\d+)", text)
        if found is None:
            return SumOrder(text, Layers(1, 0), 0)
        count, span, tile = map(int, found.groups()[1:])
        return SumOrder(found[1], Layers(count, span), tile)

    def layers_of(self, k: int) -> Layers | None:
        """How a sum of k terms is cut; None where tiles do not end with layers."""
        if self.layers.number == 1:
            return Layers(1, max(k, 1))
        ends = k <= self.tile or self.tile % math.prod(self.layers) == 0
        return self.layers if ends else None
