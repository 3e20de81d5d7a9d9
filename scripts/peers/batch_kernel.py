"""The product that triton-batch.py compiles.

Triton reads a kernel's source from the file that it stands in, and needs itself
to decorate it; so it has a file of its own, which is imported only by those who
have Triton.
"""

import triton
import triton.language as tl


@triton.jit
def bmm(
    a,
    b,
    c,
    n: tl.constexpr,
    rows: tl.constexpr,
    columns: tl.constexpr,
    depth: tl.constexpr,
    stages: tl.constexpr,
    precision: tl.constexpr,
):
    """C = A·B of n x n matrices, dense and row-major, one behind the other.

    A program computes `rows` x `columns` of one product's C; all programs of a
    product follow each other, so that what they share is still in the cache.
    """
    tiles_across: tl.constexpr = (n + columns - 1) // columns
    tiles: tl.constexpr = ((n + rows - 1) // rows) * tiles_across
    sums: tl.constexpr = tl.float64 if a.dtype.element_ty == tl.float64 else tl.float32

    program = tl.program_id(0)
    start = (program // tiles).to(tl.int64) * (n * n)
    tile = program % tiles
    i = (tile // tiles_across) * rows + tl.arange(0, rows)
    j = (tile % tiles_across) * columns + tl.arange(0, columns)
    a += start
    b += start
    c += start

    result = tl.zeros((rows, columns), sums)
    for first in tl.range(0, n, depth, num_stages=stages):
        k = first + tl.arange(0, depth)
        a_places = a + i[:, None] * n + k[None, :]
        b_places = b + k[:, None] * n + j[None, :]
        if n % rows == 0 and n % depth == 0:
            left = tl.load(a_places)
        else:
            left = tl.load(a_places, mask=(i < n)[:, None] & (k < n)[None, :], other=0)
        if n % columns == 0 and n % depth == 0:
            right = tl.load(b_places)
        else:
            right = tl.load(b_places, mask=(k < n)[:, None] & (j < n)[None, :], other=0)
        result = tl.dot(left, right, result, input_precision=precision, out_dtype=sums)

    c_places = c + i[:, None] * n + j[None, :]
    narrow = result.to(c.dtype.element_ty)
    if n % rows == 0 and n % columns == 0:
        tl.store(c_places, narrow)
    else:
        tl.store(c_places, narrow, mask=(i < n)[:, None] & (j < n)[None, :])
