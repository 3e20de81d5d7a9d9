# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of arrays: checked, compiled once, bound once, and run."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._adapters import adopt, giver, library_of
from ._any_size import (
    Layout,
    extra_of_transposed,
    layout_from,
    request_for_all,
    transposed,
    transposed_extras,
    widened,
    widened_extras,
)
from ._arrays import HOST, Library, View
from ._devices import target_of
from ._forms import plain_form, shared_form
from ._kernels import Launch, Program, scalar_bits, tell_simulated
from ._matmul import (
    ACTIVATIONS,
    ALIGNMENT,
    EXTRAS,
    Dims,
    Operand,
    Placed,
    Request,
    Source,
    broadcast,
    collapse,
    place,
    place_output,
    source_of,
    spread,
)
from ._overlap import share_elements
from ._stand_in import Awaited, Chosen, choose, is_there
from ._types import accumulator_name, check_real, type_name


@dataclasses.dataclass(frozen=True, eq=False)
class Epilogue:
    """What becomes of alpha * A @ B + beta * C before it is stored, in registers.

    In this order: times `row_scale` (m numbers), plus `bias` (n numbers), plus
    `residual` (broadcast to the result, of its type), then the activation:
    "relu", "gelu" (by erf) or "silu". Scale and bias are of one type, that of the
    sums or a narrower float.
    """

    row_scale: Any = None
    bias: Any = None
    residual: Any = None
    activation: str | None = None

    def __post_init__(self) -> None:
        if self.activation not in (None, *ACTIVATIONS):
            raise ValueError(
                f"activation: expected one of {', '.join(ACTIVATIONS)}, "
                f"but got {self.activation!r}"
            )


_NONE = Epilogue()

# C's elements where nothing is said: sums of 8-bit numbers do not fit into them.
_RESULTS = {"i8": "i32", "u8": "i32", "f8E4M3FN": "f32", "f8E5M2": "f32"}


def default_result(a: str, b: str) -> str:
    if a != b and "f16" in (a, b):
        return "f16"
    return _RESULTS.get(a, a)


def default_accumulator(type: str) -> str:
    """As the C API's default, for what Python has to know of it."""
    if type in ("i8", "u8"):
        return "i32"
    return "f64" if type == "f64" else "f32"


def part_of(type: str) -> tuple[str, bool]:
    """The type of a complex number's parts, and whether it is one."""
    if type.startswith("complex<"):
        return type[len("complex<") : -1], True
    return type, False


def check_product(a: View, b: View, trans_a: bool, trans_b: bool) -> tuple[int, ...]:
    """m, n and k."""
    for name, view in (("a", a), ("b", b)):
        if len(view.shape) < 2:
            raise ValueError(
                f"{name}: expected at least two dimensions, but got {view.shape}"
            )
    rows_a, columns_a = a.shape[-2:]
    rows_b, columns_b = b.shape[-2:]
    m, k = (columns_a, rows_a) if trans_a else (rows_a, columns_a)
    other, n = (columns_b, rows_b) if trans_b else (rows_b, columns_b)
    if k != other:
        raise ValueError(f"b: expected extent {k} along k, as a has, but got {other}")
    return m, n, k


def check_output(view: View, shape: tuple[int, ...], type: str, device: int) -> None:
    if view.shape != shape:
        raise ValueError(f"out: expected shape {shape}, but got {view.shape}")
    if view.type != type:
        raise TypeError(f"out: expected elements of type {type}, but got {view.type}")
    if view.device != device:
        raise ValueError("out: expected an array on the device of a and b")
    if 0 in shape:
        return
    ordered = sorted(
        (abs(stride), extent)
        for extent, stride in zip(view.shape, view.strides, strict=True)
        if extent > 1
    )
    reach = 0
    for stride, extent in ordered:
        if stride <= reach:
            raise ValueError(
                f"out: expected elements of their own, but got strides {view.strides}"
            )
        reach += stride * (extent - 1)


def check_extra(name: str, type: str, result: str, accumulator: str) -> None:
    """Whether the epilogue reads such elements."""
    if name == "residual":
        if type != result:
            raise TypeError(
                f"residual: expected elements of type {result}, but got {type}"
            )
        return
    order = ["f16", "bf16", "f32", "f64"]
    fits = type == accumulator or (
        type in order
        and accumulator in order
        and order.index(type) < max(order.index(accumulator), 2)
    )
    if not fits:
        raise TypeError(
            f"{name}: expected elements of type {accumulator}, or a narrower float, "
            f"but got {type}"
        )


class Extra:
    """An array that the epilogue reads, broadcast to the shape that it needs."""

    def __init__(self, name: str, view: View, shape: Sequence[int]) -> None:
        missing = len(shape) - len(view.shape)
        extents = (1,) * missing + view.shape
        strides = (0,) * missing + view.strides
        agrees = missing >= 0 and all(
            have in (1, want) for have, want in zip(extents, shape, strict=True)
        )
        if not agrees:
            raise ValueError(
                f"{name}: expected a shape that broadcasts to {tuple(shape)}, "
                f"but got {view.shape}"
            )
        self.dims: Dims = [
            (want, 0 if have == 1 else stride)
            for have, want, stride in zip(extents, shape, strides, strict=True)
        ]


@dataclasses.dataclass(frozen=True)
class _Bound:
    """A product with all but addresses and scales settled."""

    chosen: Chosen
    handle: Launch | None
    launch: Callable[..., None] | None
    # Of all arguments but the scalars' bits: extents and strides.
    dims: tuple[Layout | None, ...]
    accumulator: str

    @property
    def program(self) -> Program:
        return self.chosen.program

    @property
    def awaited(self) -> Awaited | None:
        return self.chosen.awaited

    def run(self, words: Sequence[int], stream: int) -> list[dict[str, Any]]:
        """The report of each launch, in the simulator."""
        if self.launch is not None:
            self.launch(stream, *words)
            return []
        described = [
            (word,) if dims is None else (word, *dims)
            for word, dims in zip(words, self.dims, strict=True)
        ]
        report, _ = self.program.simulate(described)
        return report


def _planned_products(batch: tuple[int, ...]) -> int:
    """How many products a plan is chosen for: a power of two, or 0 for many.

    Few of them leave multiprocessors without work where tiles are large. Batches
    of the same magnitude share a kernel.
    """
    least, most = 4, 256
    count = math.prod(batch)
    if not batch or count > most:
        return 0
    return 1 << (max(count, least) - 1).bit_length()


@dataclasses.dataclass(frozen=True)
class _Call:
    """What of a call decides everything but addresses and scales."""

    a: View
    b: View
    c: View
    extras: tuple[tuple[str, View], ...]
    trans_a: bool
    trans_b: bool
    has_alpha: bool
    has_beta: bool
    activation: str | None
    accumulator: str | None
    precision: str
    specialize: bool | None
    overrides: tuple[tuple[str, Any], ...]

    @property
    def alignment(self) -> int:
        """What the program may take for granted of where its arrays begin."""
        views = (self.a, self.b, self.c)
        is_aligned = all(view.address % ALIGNMENT == 0 for view in views)
        return ALIGNMENT if is_aligned else 0

    def bind(self, stream: int) -> _Bound:
        m, n, k = check_product(self.a, self.b, self.trans_a, self.trans_b)
        shape = self.c.shape
        batch = shape[:-2]
        placed_a, placed_b, c, extras = self._collapsed(batch, (m, n))
        request = self._request(m, n, k, placed_a, placed_b, c)
        target = target_of(self.c.device)
        aligned_rows = (
            self.alignment > 0
            and placed_a.has_aligned_rows
            and placed_b.has_aligned_rows
        )
        extents = (m, n, k)
        if self._is_specialized(request, target):
            source = source_of(request, target, dict(self.overrides))
            chosen = self._chosen(source, extents, aligned_rows, stream)
        else:
            chosen = self._chosen_shared(request, extents, aligned_rows, stream)
        matrices = (placed_a, placed_b, c)
        dims: list[Layout | None]
        if chosen.awaited is None:
            dims = [(p.sizes, p.strides) for p in matrices]
            more = [layout_from(extras[name]) for name in request.extras]
        else:
            if chosen.is_transposed:
                matrices = placed_b, placed_a, transposed(c)
                extras = transposed_extras(extras, matrices[2].sizes)
            sizes = matrices[2].sizes
            dims = [widened(p, sizes[:-2]) for p in matrices]
            more = widened_extras(extras, sizes) if chosen.request.extras else []
        scalars = chosen.request.has_alpha + chosen.request.has_beta
        scalars *= 2 if chosen.request.is_complex else 1
        scalars += len(chosen.layers or ())
        dims += [None] * scalars
        dims += more
        handle = launch = None
        if self.c.device != HOST:
            described = [(0,) if d is None else (0, *d) for d in dims]
            handle = Launch(chosen.program.executable(self.c.device), described)
            launch = handle.runner(len(dims))
        accumulator = request.accumulator or default_accumulator(request.a.type)
        return _Bound(chosen, handle, launch, tuple(dims), accumulator)

    def _chosen(
        self,
        source: Source,
        extents: tuple[int, int, int],
        aligned_rows: bool,
        stream: int,
    ) -> Chosen:
        # Who says what is to be run has it run.
        if self.c.device == HOST or self.specialize or self.overrides:
            return Chosen(source.program(), source.request, {}, None)
        return choose(source, extents, aligned_rows, self.c.device, stream)

    def _chosen_shared(
        self,
        request: Request,
        extents: tuple[int, int, int],
        aligned_rows: bool,
        stream: int,
    ) -> Chosen:
        """A kernel for products of any size that are like one of these extents."""
        target = target_of(self.c.device)
        request = request_for_all(request, aligned_rows)

        def chosen(form: dict[str, Any]) -> Chosen:
            source = source_of(request, target, {**form, **dict(self.overrides)})
            return self._chosen(source, extents, aligned_rows, stream)

        form = shared_form(*extents, request, target)
        plain = plain_form(*extents, request)
        try:
            return chosen(form)
        except ValueError:
            # There may be no room for it beside what becomes of C's elements.
            if form == plain:
                raise
            return chosen(plain)

    def _is_specialized(self, request: Request, target: str) -> bool:
        if self.specialize is not None:
            return self.specialize
        # Who settles something of a plan means these sizes.
        if self.overrides:
            return True
        kind = dataclasses.replace(request, m=None, n=None, k=None, products=0)
        sizes = _specialized.setdefault((kind, target), set())
        if len(sizes) < MOST_SPECIALIZED:
            sizes.add((request.m, request.n, request.k))
        return (request.m, request.n, request.k) in sizes

    def _collapsed(
        self, batch: tuple[int, ...], shape: tuple[int, int]
    ) -> tuple[Placed, Placed, Placed, dict[str, Dims]]:
        rank = len(batch)
        matrices = [spread(view, rank) for view in (self.a, self.b, self.c)]
        extras = {}
        for name, view in self.extras:
            wanted = {"row_scale": shape[:1], "bias": shape[1:]}.get(name)
            extras[name] = Extra(name, view, wanted or (*batch, *shape)).dims
        if "residual" in extras:
            matrices.append(extras["residual"])
        a, b, c, *rest = collapse(batch, matrices)
        if rest:
            extras["residual"] = rest[0]
        # What has no batch dimension is every product's, also of one.
        is_one = all(extent == 1 for extent in batch)
        inputs = [
            place(
                view.type,
                *zip(*dims, strict=True),
                is_one=is_one and len(view.shape) > 2,
            )
            for view, dims in ((self.a, a), (self.b, b))
        ]
        output = place_output(self.c.type, *zip(*c, strict=True))
        return inputs[0], inputs[1], output, extras

    def _request(
        self, m: int, n: int, k: int, a: Placed, b: Placed, c: Placed
    ) -> Request:
        names = {name for name, _ in self.extras}
        kinds = {view.type for name, view in self.extras if name != "residual"}
        if len(kinds) > 1:
            raise TypeError(
                f"bias: expected the type of row_scale, but got {sorted(kinds)}"
            )
        type_a, is_complex = part_of(a.operand.type)
        type_b, _ = part_of(b.operand.type)
        if self.precision != "exact":
            type_a = type_b = self.precision
        return Request(
            m,
            n,
            k,
            self._operand(a, type_a, self.trans_a, self.a.is_conjugate),
            self._operand(b, type_b, self.trans_b, self.b.is_conjugate),
            dataclasses.replace(c.operand, type=part_of(c.operand.type)[0]),
            self.accumulator,
            is_complex,
            self.has_alpha,
            self.has_beta,
            "row_scale" in names,
            "bias" in names,
            "residual" in names,
            self.activation,
            kinds.pop() if kinds else None,
            self.alignment,
            products=_planned_products(self.c.shape[:-2]),
        )

    @staticmethod
    def _operand(
        placed: Placed, type: str, transposed: bool, conjugated: bool
    ) -> Operand:
        flipped = placed.operand.transposed != transposed
        return dataclasses.replace(
            placed.operand, type=type, transposed=flipped, conjugated=conjugated
        )


_bound: dict[Any, _Bound] = {}

MOST_SPECIALIZED = 16
_specialized: dict[tuple[Request, str], set[tuple[int | None, ...]]] = {}
"""Sizes that have kernels of their own, of products that are alike otherwise."""


def check_types(a: View, b: View, precision: str) -> None:
    pairs = [{"i8", "u8"}, {"f16", "f8E4M3FN", "f8E5M2"}]
    if a.type in ("i32", "i64"):
        raise TypeError(f"a: expected a type that kami multiplies, but got {a.type}")
    if a.type != b.type and not any({a.type, b.type} <= pair for pair in pairs):
        raise TypeError(
            f"b: expected elements of type {a.type}, as a has, but got {b.type}"
        )
    if b.device != a.device:
        raise ValueError("b: expected an array on the device of a")
    if precision not in ("exact", "tf32", "tf32x3"):
        raise ValueError(
            f"precision: expected exact, tf32 or tf32x3, but got {precision!r}"
        )
    if precision != "exact" and part_of(a.type)[0] != "f32":
        raise TypeError(
            f"precision: expected exact for elements of type {a.type}, "
            f"but got {precision}"
        )


def addend(c: Any, name: str, out: View) -> Any:
    """C of another array than the result, to which it is copied."""
    array = adopt(c)
    view = library_of(array, name).view(array, name)
    if view.type != out.type:
        raise TypeError(
            f"{name}: expected elements of type {out.type}, but got {view.type}"
        )
    Extra(name, view, out.shape)
    return array


def as_epilogue(epilogue: Epilogue | str | None) -> Epilogue:
    if epilogue is None:
        return _NONE
    if isinstance(epilogue, str):
        return Epilogue(activation=epilogue)
    if isinstance(epilogue, Epilogue):
        return epilogue
    raise TypeError(
        f"epilogue: expected a kami.Epilogue or an activation, but got {epilogue!r}"
    )


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What a call says besides its arrays: `gemm`'s keywords."""

    alpha: Any = 1
    beta: Any = 0
    trans_a: bool = False
    trans_b: bool = False
    out: Any = None
    out_dtype: Any = None
    epilogue: Epilogue | str | None = None
    accumulator: Any = None
    precision: str = "exact"
    specialize: bool | None = None

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            scale = getattr(self, name)
            if not isinstance(scale, (int, float, complex, np.number)):
                raise TypeError(f"{name}: expected a number, but got {scale!r}")


class _Product:
    """One call: its arrays, and what they are to become."""

    def __init__(
        self, a: Any, b: Any, wanted: Wanted, overrides: dict[str, Any]
    ) -> None:
        self.a, self.b, self.wanted = adopt(a), adopt(b), wanted
        # C, where it is added to in another array.
        self.added: Any = None
        if wanted.out is None:
            self.give = giver(a)
        self.library: Library = library_of(self.a, "a")
        self.view_a = self.library.factor(self.a, "a")
        self.view_b = library_of(self.b, "b").factor(self.b, "b")
        check_types(self.view_a, self.view_b, wanted.precision)
        if not part_of(self.view_a.type)[1]:
            check_real(wanted.alpha, "alpha")
            check_real(wanted.beta, "beta")
        self.trans_a, self.trans_b = bool(wanted.trans_a), bool(wanted.trans_b)
        self.accumulator = accumulator_name(wanted.accumulator)
        self.overrides = tuple(sorted(overrides.items()))
        m, n, _ = check_product(self.view_a, self.view_b, self.trans_a, self.trans_b)
        batches = [("a", self.view_a.shape[:-2]), ("b", self.view_b.shape[:-2])]
        self.shape = (*broadcast(batches), m, n)

    def output(self, c: Any) -> Any:
        """What is written: `out`, or an array of the caller's kind."""
        out, dtype = adopt(self.wanted.out), self.wanted.out_dtype
        type = default_result(self.view_a.type, self.view_b.type)
        if dtype is not None:
            type = type_name(dtype, "out_dtype")
        if out is None:
            out = self.library.maker(self.a, self.shape, type)()
        library = library_of(out, "out")
        view = library.view(out, "out")
        if dtype is None:
            type = view.type
        check_output(view, self.shape, type, self.view_a.device)
        if not library.is_writable(out):
            raise ValueError("out: expected an array that may be written")
        for name, operand in (("a", self.view_a), ("b", self.view_b)):
            if view.device == operand.device and share_elements(view, operand):
                raise ValueError(
                    "out: expected memory of its own, but it shares elements with "
                    f"{name}"
                )
        self.view_c = view
        if self.wanted.beta == 0:
            return out
        if c is None:
            raise ValueError("c: expected an array where beta is not 0, but got None")
        if c is not self.wanted.out:
            self.added = addend(c, "c", view)
        return out

    def bring_c(self, out: Any) -> None:
        """C to where it is added to, once nothing is left that may be refused."""
        if self.added is not None:
            self.library.copy(out, self.added)

    def call(self) -> _Call:
        alpha, beta = self.wanted.alpha, self.wanted.beta
        epilogue = as_epilogue(self.wanted.epilogue)
        accumulator = self.accumulator or default_accumulator(self.view_a.type)
        extras = []
        for name in EXTRAS:
            array = adopt(getattr(epilogue, name))
            if array is None:
                continue
            view = library_of(array, name).view(array, name)
            if view.device != self.view_a.device:
                raise ValueError(f"{name}: expected an array on the device of a and b")
            check_extra(name, view.type, self.view_c.type, accumulator)
            # An element that becomes that of the result in its place is read first.
            is_result = view[:3] == self.view_c[:3]
            if not is_result and share_elements(view, self.view_c):
                raise ValueError(
                    f"{name}: expected no element of out, but they share some"
                )
            extras.append((name, view))
        return _Call(
            self.view_a,
            self.view_b,
            self.view_c,
            tuple(extras),
            self.trans_a,
            self.trans_b,
            bool(alpha != 1),
            bool(beta != 0),
            epilogue.activation,
            self.accumulator,
            self.wanted.precision,
            self.wanted.specialize,
            self.overrides,
        )


def _shape_key(call: _Call) -> Any:
    """A call without its addresses, but for what a program is compiled for."""
    return (
        call.alignment,
        call.a[1:],
        call.b[1:],
        call.c[1:],
        tuple((name, view[1:]) for name, view in call.extras),
        call.trans_a,
        call.trans_b,
        call.has_alpha,
        call.has_beta,
        call.activation,
        call.accumulator,
        call.precision,
        call.specialize,
        call.overrides,
        target_of(call.c.device),
    )


def _bind(call: _Call, stream: int) -> _Bound:
    key = _shape_key(call)
    bound = _bound.get(key)
    awaited = bound.awaited if bound is not None else None
    is_late = awaited is not None and is_there(awaited, call.c.device, stream)
    if bound is None or is_late:
        bound = _bound[key] = call.bind(stream)
    return bound


def _forget_awaited() -> None:
    """Nobody compiles in this process what another one's thread has begun."""
    for key in [key for key, bound in _bound.items() if bound.awaited is not None]:
        del _bound[key]


os.register_at_fork(after_in_child=_forget_awaited)


def _scale_words(scale: Any, bound: _Bound, name: str) -> list[int]:
    """Of a complex product both parts."""
    parts = (scale.real, scale.imag) if bound.chosen.request.is_complex else (scale,)
    return [scalar_bits(part, bound.accumulator, name) for part in parts]


def _words(call: _Call, bound: _Bound, alpha: Any, beta: Any) -> list[int]:
    words = [call.a.address, call.b.address, call.c.address]
    if bound.chosen.is_transposed:
        words[:2] = reversed(words[:2])
    request = bound.chosen.request
    if request.has_alpha:
        words += _scale_words(alpha, bound, "alpha")
    if request.has_beta:
        # Without beta C is not read; see _any_size.py for the sign.
        beta = beta if call.has_beta else -0.0
        words += _scale_words(beta, bound, "beta")
    words += bound.chosen.layers or ()
    addresses = dict(bound.chosen.neutral)
    is_transposed = bound.chosen.is_transposed
    for name, view in call.extras:
        addresses[extra_of_transposed(name) if is_transposed else name] = view.address
    words += [addresses[name] for name in request.extras]
    return words


class Made(NamedTuple):
    """How a result was made."""

    bound: _Bound
    shape: tuple[int, ...]
    type: str
    device: int
    # What the launch was given: addresses, then scales.
    words: list[int]
    # Of each launch, in the simulator.
    report: list[dict[str, Any]]


def run(
    a: Any,
    b: Any,
    c: Any,
    wanted: Wanted,
    overrides: dict[str, Any],
    is_asked: bool = False,
) -> tuple[Any, Made]:
    """The result, and how it was made. `is_asked`: the simulator is meant to run."""
    product = _Product(a, b, wanted, overrides)
    result = product.output(c)
    call = product.call()
    device = call.c.device
    stream = product.library.stream(device)()
    bound = _bind(call, stream)
    if device == HOST and not is_asked:
        tell_simulated()
    words = _words(call, bound, wanted.alpha, wanted.beta)
    product.bring_c(result)
    report = bound.run(words, stream)
    result = product.give(result) if wanted.out is None else wanted.out
    return result, Made(bound, product.shape, call.c.type, device, words, report)


def multiply_views(
    a: View,
    b: View,
    c: View,
    stream: int,
    *,
    extras: Mapping[str, View],
    trans_a: bool,
    trans_b: bool,
    alpha: float,
    beta: float,
    activation: str | None,
    accumulator: str | None,
    precision: str,
    overrides: Mapping[str, Any],
) -> None:
    """C = epilogue(alpha * A @ B + beta * C) of arrays that others made and checked."""
    call = _Call(
        a,
        b,
        c,
        tuple(extras.items()),
        trans_a,
        trans_b,
        bool(alpha != 1),
        bool(beta != 0),
        activation,
        accumulator,
        precision,
        None,
        tuple(sorted(overrides.items())),
    )
    bound = _bind(call, stream)
    bound.run(_words(call, bound, alpha, beta), stream)
