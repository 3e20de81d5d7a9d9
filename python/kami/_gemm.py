# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gemm` and its kin."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import numpy as np

from ._adapters import adopt, known_library, library_of
from ._arrays import HOST
from ._calls import KnownCalls, answer_calls, launchers
from ._html import html_table
from ._library import UnalignedError
from ._overlap import bounds, share_elements
from ._product import Epilogue, Made, Wanted, part_of, run


def gemm(
    a: Any,
    b: Any,
    c: Any = None,
    *,
    alpha: complex = 1,
    beta: complex = 0,
    trans_a: bool = False,
    trans_b: bool = False,
    out: Any = None,
    out_dtype: Any = None,
    epilogue: Epilogue | str | None = None,
    accumulator: Any = None,
    precision: str = "exact",
    specialize: bool | None = None,
    plan: Any = None,
    **overrides: Any,
) -> Any:
    """alpha * A @ B + beta * C, and what the epilogue makes of it.

    Arrays are NumPy's, PyTorch's, CuPy's or JAX's, or have DLPack's methods or
    `__cuda_array_interface__`. All are on one device, and the result is of a's
    kind, which takes `from_dlpack` of libraries that kami does not know, or `out`.
    Those of a CUDA device are multiplied there, on the current stream of their
    library, without waiting; those in the host's memory by the simulator. Any
    strides serve without a copy, as do PyTorch's lazy conjugates of a and b.

    Args:
        a: shape (..., m, k), or (..., k, m) where `trans_a`.
        b: shape (..., k, n), or (..., n, k) where `trans_b`. Batch dimensions of
            a and b broadcast as in NumPy. Types are equal, or both 8-bit
            integers, or both of f16 and 8-bit floats.
        c: what beta scales, broadcast to the result, of its type. Copied to the
            result, unless it is `out`. Not read where beta is 0.
        alpha, beta: numbers, rounded to the type of the sums; integers for 8-bit
            integers; real ones, but for complex arrays.
        trans_a, trans_b: whether matrices are stored as their transposes.
        out: what is written, of shape (..., m, n) and any strides; shares no
            element with a and b, nor with what the epilogue reads, but that a
            residual may lie where the result goes.
        out_dtype: type of the result, where it is not a's (int32 for 8-bit
            integers, float32 for 8-bit floats): that of the sums, or a narrower
            float.
        epilogue: a `kami.Epilogue`, or the name of an activation.
        accumulator: type of the sums, where it is not float32 (float64 for
            float64, int32 for integers): float16 for float16.
        precision: how float32 elements are multiplied: "exact", "tf32", or
            "tf32x3", three products that are nearly as exact.
        specialize: whether the kernel is compiled for these m, n and k. Else it
            serves all sizes, so that a hundred of them compile a few times, and
            none is as fast as it could be; it may add up in another order than
            the kernel of one size does. None: for the first 16 sizes of
            products that are alike otherwise, in a process, and where something
            of the plan is settled. Then a call waits for its kernel for up to
            100 ms, if one that came with kami computes the same bits meanwhile;
            calls that a graph captures, and those with True, wait until it is
            there. Negative strides always have their own.
        plan: a `kami.Plan` or the text of a `#kami.plan<...>`, instead of the
            planner's choice.
        overrides: what of a plan is settled: algorithm, unit, tile, warps,
            stages, copies, model, as `kami.plan` has them.

    Raises:
        TypeError, ValueError: an argument, named first in the message, is not
            what was expected; or nothing can do what was asked for.
        kami.DeviceError: the driver refused or the device failed.
    """
    launch_known = None if _is_answered else launchers.get(type(a))
    if launch_known is not None and not overrides:
        result = launch_known(
            a, b, c, out, alpha, beta, trans_a, trans_b, out_dtype, epilogue,
            accumulator, precision, specialize, plan,
        )  # fmt: skip
        if result is not None:
            return result
    key: Any = None
    library = known_library(type(a))
    if (
        library is not None
        and library is known_library(type(b))
        and (out is None or library is known_library(type(out)))
    ):
        is_plain = c is epilogue is plan is None and beta == 0 and not overrides
        is_simple = is_plain and out is accumulator is None and precision == "exact"
        arrays = library.key(a, b, out)
        if arrays is not None and is_plain and isinstance(alpha, (int, float)):
            key = (
                library, arrays, alpha, trans_a, trans_b, out_dtype, accumulator,
                precision, specialize,
            )  # fmt: skip
            known = _known.get(key)
            if known is not None:
                # Arrays that begin elsewhere take another kernel from now on,
                # which serves those before them, too.
                try:
                    return known(a, b, out)
                except UnalignedError:
                    known = None
        elif (operator := library.operator(a, b, is_simple)) is not None:
            if plan is not None:
                overrides["plan"] = plan if isinstance(plan, str) else plan.attribute
            return operator(
                a, b, c, alpha=alpha, beta=beta, trans_a=trans_a, trans_b=trans_b,
                out=out, out_dtype=out_dtype, epilogue=epilogue,
                accumulator=accumulator, precision=precision, **overrides,
            )  # fmt: skip
    is_said_fully = not overrides
    if plan is not None:
        overrides["plan"] = plan if isinstance(plan, str) else plan.attribute
    wanted = Wanted(
        alpha, beta, trans_a, trans_b, out, out_dtype, epilogue, accumulator,
        precision, specialize,
    )  # fmt: skip
    result, made = run(a, b, c, wanted, overrides)
    if made.device == HOST or library is None or made.bound.awaited is not None:
        return result
    if library.calls is not None:
        said = (
            a, b, c, out, alpha, beta, trans_a, trans_b, out_dtype, epilogue,
            accumulator, precision, specialize, plan,
        )  # fmt: skip
        if is_said_fully:
            _add(library.calls, said, made)
    elif key is not None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = _make_known(a, b, out, made)
    return result


_SAID = (
    "a", "b", "c", "out", "alpha", "beta", "trans_a", "trans_b", "out_dtype",
    "epilogue", "accumulator", "precision", "specialize", "plan",
)  # fmt: skip
_is_answered = answer_calls(gemm, _SAID)
# Those whose objects cannot become anything else; PyTorch's dtypes are, too.
_FIXED = (type(None), bool, str, type, np.dtype)
_SCALES = {"f32": 32, "f64": 64}


def _add(calls: KnownCalls, said: tuple[Any, ...], made: Made) -> None:
    """Makes a call one that is known in C, if it can be."""
    a, _, _, out, alpha, beta, *options = said
    if not all(isinstance(x, _FIXED) or type(x).__name__ == "dtype" for x in options):
        return
    # Scales that C code can read: no integers, nor both parts of complex numbers.
    bits = _SCALES.get(made.bound.accumulator, 0)
    is_read = bits > 0 and not part_of(made.type)[1]
    if not is_read and (alpha != 1 or beta != 0):
        return
    make: Any = None
    if out is None:
        make = library_of(a, "a").maker(a, made.shape, made.type)
    assert made.bound.handle is not None
    calls.add(said, made.bound.handle, bits, make)


class _Known(Protocol):
    def __call__(self, a: Any, b: Any, out: Any) -> Any: ...


_MOST_KNOWN = 4096
_known: dict[Any, _Known] = {}
"""Calls that differ from an earlier one by nothing but addresses, where they are
not known in C."""


def _make_known(like: Any, b: Any, out: Any, made: Made) -> _Known:
    """A function that allocates the result and launches, and nothing else. Where
    the result may be an operand, the call is made out anew."""
    library, launch, scales = library_of(like, "a"), made.bound.launch, made.words[3:]
    address, stream = library.address, library.stream(made.device)
    assert launch is not None

    if out is None:
        make = library.maker(like, made.shape, made.type)

        def multiply(a: Any, b: Any, out: Any) -> Any:
            out = make()
            launch(stream(), address(a), address(b), address(out), *scales)
            return out

    else:
        first_a, end_a = bounds(library.view(like, "a"))
        first_b, end_b = bounds(library.view(b, "b"))
        first, end = bounds(library.view(out, "out"))

        def multiply(a: Any, b: Any, out: Any) -> Any:
            at_a, at_b, at = address(a), address(b), address(out)
            begins, ends = at + first, at + end
            if (at_a + first_a < ends and begins < at_a + end_a) or (
                at_b + first_b < ends and begins < at_b + end_b
            ):
                views = [library.view(x, n) for x, n in ((a, "a"), (b, "b"))]
                if any(share_elements(library.view(out, "out"), v) for v in views):
                    raise UnalignedError("out: is an operand")
            launch(stream(), at_a, at_b, at, *scales)
            return out

    return multiply


def bmm(a: Any, b: Any, c: Any = None, **keywords: Any) -> Any:
    """A batch of products: `gemm` of arrays of which at least one has a batch.

    Args:
        a, b: shapes (batch..., m, k) and (batch..., k, n); batch dimensions
            broadcast as in NumPy.
        c, keywords: as for `gemm`.

    Raises:
        ValueError: neither array has a batch; else as `gemm`.
    """
    if getattr(a, "ndim", 3) < 3 and getattr(b, "ndim", 3) < 3:
        raise ValueError(
            "a: expected a batch, of at least three dimensions, in a or b, "
            f"but got {tuple(getattr(a, 'shape', ()))}"
        )
    return gemm(a, b, c, **keywords)


@dataclasses.dataclass(frozen=True)
class Simulation:
    """A result, and what the simulator counted on the way.

    `report` has an entry for each launch: `matrix_instructions`, `buffers` with
    the bytes read and written of each argument, `shared_bytes_read`,
    `shared_bytes_written`, `bank_conflict_degree`, `barriers`.
    """

    result: Any
    report: list[dict[str, Any]]

    @property
    def barriers(self) -> int:
        """Barriers that blocks pass, summed over them."""
        return sum(launch["barriers"] for launch in self.report)

    @property
    def bank_conflict_degree(self) -> int:
        """The largest number of words that a bank has to deliver at once."""
        degrees = [launch["bank_conflict_degree"] for launch in self.report]
        return max(degrees, default=0)

    def _repr_html_(self) -> str:
        names = (
            "matrix_instructions", "shared_bytes_written", "shared_bytes_read",
            "bank_conflict_degree", "barriers",
        )  # fmt: skip
        rows = []
        for launch in self.report:
            counts = launch["matrix_instructions"].items()
            text = ", ".join(f"{count} x {name}" for name, count in counts)
            rows.append([text, *(launch[name] for name in names[1:])])
        return html_table("simulated", names, rows)


def simulate(a: Any, b: Any, c: Any = None, **keywords: Any) -> Simulation:
    """`gemm` in the simulator, with its report.

    Races, reads of what nobody wrote, accesses out of bounds and divergent
    barriers are errors.

    Args:
        a, b, c, keywords: as for `gemm`; arrays in the host's memory.

    Raises:
        kami.SimulationError: the kernel did what a device would not forgive.
        ValueError, TypeError: as `gemm`; arrays are on a device.
    """
    named = {field.name for field in dataclasses.fields(Wanted)} & keywords.keys()
    wanted = Wanted(**{name: keywords.pop(name) for name in named})
    plan = keywords.pop("plan", None)
    if plan is not None:
        keywords["plan"] = plan if isinstance(plan, str) else plan.attribute
    for name, array in (("a", a), ("b", b)):
        adopted = adopt(array)
        if library_of(adopted, name).view(adopted, name).device != HOST:
            raise ValueError(f"{name}: expected an array in the host's memory")
    result, made = run(a, b, c, wanted, keywords, is_asked=True)
    return Simulation(result, made.report)
