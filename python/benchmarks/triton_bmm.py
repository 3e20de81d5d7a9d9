# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A batch of square products as a small kernel of Triton's, for device.py."""

from collections.abc import Callable
from typing import Any

import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, n: tl.constexpr):  # type: ignore[no-untyped-def]
    rows, columns = tl.arange(0, n)[:, None], tl.arange(0, n)[None, :]
    place = tl.program_id(0) * n * n + rows * n + columns
    product = tl.dot(tl.load(a + place), tl.load(b + place))
    tl.store(c + place, product.to(tl.float16))


def launcher(a: Any, b: Any, out: Any) -> Callable[[], Any]:
    """A launch with nothing around it, of dense f16 products of a power of two."""
    grid, n = (a.shape[0],), a.shape[1]
    return lambda: multiply[grid](a, b, out, n)
