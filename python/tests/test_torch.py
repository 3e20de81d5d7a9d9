# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kami's operators in PyTorch, on the CPU by the simulator."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

import kami

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import kami.torch  # noqa: E402


def integers(*shape: int, dtype: Any = None) -> Any:
    generator = torch.Generator().manual_seed(sum(shape))
    values = torch.randint(-4, 5, shape, generator=generator)
    return values.to(dtype or torch.float32)


def test_tensors_and_views() -> None:
    a, b = integers(2, 5, 9).transpose(1, 2), integers(5, 14)[:, ::2]
    result = kami.gemm(a, b, alpha=2)
    assert isinstance(result, torch.Tensor)
    assert torch.equal(result, 2 * (a @ b))
    half = integers(3, 4, 8, dtype=torch.bfloat16)
    product = kami.bmm(half, half.mT, out_dtype=torch.float32)
    assert torch.equal(product, half.float() @ half.mT.float())


def complex_integers(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.complex(integers(*shape), integers(*shape)).to(dtype)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_lazy_conjugates_are_multiplied(dtype: torch.dtype) -> None:
    a = complex_integers(2, 5, 3, dtype=dtype)
    b = complex_integers(2, 3, 6, dtype=dtype)
    adjoint_a = a.mH.contiguous().mH
    adjoint_b = b.mH.contiguous().mH
    for x in (a, a.conj(), adjoint_a, a.mH.contiguous().mT):
        for y in (b, b.conj(), adjoint_b, b.mH.contiguous().mT):
            assert torch.equal(kami.bmm(x, y), x @ y)
    # The same arrays but for that have another kernel.
    assert torch.equal(kami.bmm(a, b, out=kami.bmm(a.conj(), b)), a @ b)


def test_other_lazy_views_are_refused() -> None:
    z = torch.ones(3, 3, dtype=torch.complex64)
    for arguments in (
        {"a": z.conj().imag, "b": z.real},
        {"a": z, "b": z, "out": z.conj()},
        {"a": z, "b": z, "c": z.conj(), "beta": 1},
    ):
        with pytest.raises(ValueError, match="expected elements as they lie in memory"):
            kami.gemm(**arguments)


@pytest.mark.parametrize(
    "trans", [(False, False), (True, False), (False, True), (True, True)]
)
def test_gradients(trans: tuple[bool, bool]) -> None:
    shape_a = (2, 4, 3) if trans[0] else (2, 3, 4)
    shape_b = (5, 4) if trans[1] else (4, 5)
    a, b = integers(*shape_a), integers(*shape_b)
    weight = integers(2, 3, 5)
    gradients = []
    for multiply in (
        lambda x, y: kami.gemm(x, y, alpha=-2, trans_a=trans[0], trans_b=trans[1]),
        lambda x, y: -2 * ((x.mT if trans[0] else x) @ (y.mT if trans[1] else y)),
    ):
        x, y = a.clone().requires_grad_(), b.clone().requires_grad_()
        (multiply(x, y) * weight).sum().backward()
        gradients.append((x.grad, y.grad))
    (mine_a, mine_b), (true_a, true_b) = gradients
    assert torch.equal(mine_a, true_a)
    assert torch.equal(mine_b, true_b)


def test_what_has_no_gradient_says_so() -> None:
    a = integers(3, 3).requires_grad_()
    with pytest.raises(ValueError, match="a: expected a tensor that needs no gradient"):
        kami.gemm(a, a, epilogue="relu")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_opcheck(dtype: Any) -> None:
    a, b = integers(2, 3, 4, dtype=dtype), integers(4, 5, dtype=dtype)
    for x, y in ((a, b), (a.clone().requires_grad_(), b.clone().requires_grad_())):
        torch.library.opcheck(
            torch.ops.kami.gemm.default, (x, y, False, False, 0.5, None)
        )


def test_compiles_in_one_graph() -> None:
    def layer(x: Any, w: Any) -> Any:
        return torch.relu(kami.torch.bmm(x, w)) + 1

    a, b = integers(2, 3, 4), integers(2, 4, 5)
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(a, b), layer(a, b))
    x = a.clone().requires_grad_()
    compiled(x, b).sum().backward()
    y = a.clone().requires_grad_()
    (torch.relu(y @ b) + 1).sum().backward()
    assert torch.equal(x.grad, y.grad)


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0), (1, 2)])
def test_vmap(axes: tuple[Any, Any]) -> None:
    """Also of tensors whose own batches differ in rank."""
    a, b = integers(6, 6, 5, 8), integers(8, 4, 6)
    if axes[0] is None:
        a = a[0]
    if axes[1] == 0:
        b = b.permute(2, 0, 1)
    elif axes[1] is None:
        b = b[..., 0]
    found = torch.vmap(kami.torch.gemm, axes)(a, b)
    assert torch.equal(found, torch.vmap(torch.matmul, axes)(a, b))


def test_dispatch_modes_see_the_operator() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    a = integers(2, 3, 3)
    with Watch():
        result = kami.torch.bmm(a, a)
    assert "kami.gemm.default" in seen
    assert torch.equal(result, a @ a)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast(dtype: Any) -> None:
    a, b = integers(2, 3, 4).requires_grad_(), integers(2, 4, 5)
    with torch.autocast("cpu", dtype=dtype):
        result = kami.torch.bmm(a, b)
        wide = kami.torch.bmm(a.double(), b.double())
        compiled = torch.compile(kami.torch.bmm, fullgraph=True, backend="aot_eager")
        assert torch.equal(compiled(a, b), result)
    assert result.dtype == dtype
    assert wide.dtype == torch.float64
    assert torch.equal(result.float(), a @ b)
    result.sum().backward()
    assert a.grad.dtype == torch.float32
    assert torch.equal(a.grad, b.sum(-1)[:, None].expand(2, 3, 4))


def test_patch_is_undone_and_leaves_the_rest() -> None:
    original = torch.bmm
    a = integers(2, 3, 4)
    with kami.torch.patch():
        assert torch.bmm is not original
        assert torch.equal(a @ a.mT, torch.matmul(a, a.mT))
    assert torch.bmm is original
    assert not kami.torch.is_routed(a, a.mT)


def test_calls_of_the_exchange_interface() -> None:
    """Of tensors in the host's memory none is known, and others are not asked."""
    from kami._adapters import known_library

    library = known_library(torch.Tensor)
    assert library is not None
    if library.calls is None:
        pytest.skip("PyTorch before 2.10, or another Python")
    rest = (False, False, None, None, None, "exact", None, None)
    a = integers(3, 3)
    z = torch.complex(a, a).conj()
    for array in (a, torch.nn.Parameter(a), z, z.imag, a.to_sparse(), None):
        assert library.calls.launch(a, array, None, a.mT, 1, 0, *rest) is None


def test_gemm_itself_is_traced() -> None:
    """By the operator, or with a break of the graph where that does not do."""
    a, b, out = integers(2, 3, 4), integers(2, 4, 5), torch.empty(2, 3, 5)
    assert torch.equal(torch.vmap(kami.gemm)(a, b), a @ b)
    bias = integers(5)
    for keywords, expected in (
        ({"alpha": 2.0}, 2 * (a @ b)),
        ({"out": out}, a @ b),
        ({"epilogue": kami.Epilogue(bias=bias)}, a @ b + bias),
    ):
        layer = torch.compile(
            lambda x, y, keywords=keywords: kami.gemm(x, y, **keywords) + 1,
            backend="aot_eager",
        )
        assert torch.equal(layer(a, b), expected + 1)
    if sys.version_info >= (3, 12):
        layer = torch.compile(kami.gemm, fullgraph=True, backend="aot_eager")
        assert torch.equal(layer(a, b), a @ b)


def test_negatives_are_not_what_they_look_like() -> None:
    z = torch.complex(integers(3, 3), integers(3, 3)).conj()
    with pytest.raises(ValueError, match="out: expected elements as they lie"):
        kami.gemm(integers(3, 3), integers(3, 3), out=z.imag)


def test_grouped_products() -> None:
    a = [integers(3, 4), integers(5, 2)]
    b = [integers(4, 6), integers(2, 7)]
    for x, y, z in zip(a, b, kami.grouped_gemm(a, b), strict=True):
        assert torch.equal(z, x @ y)


def test_grouped_products_name_what_is_wrong() -> None:
    x, y, z = integers(4, 5), integers(5, 6), torch.zeros(4, 6)
    negative = torch.complex(integers(4, 5), integers(4, 5)).conj().imag
    for a, b, out, error, message in (
        ([x, negative], [y, y], None, ValueError, r"a\[1\]: expected elements as they"),
        ([x, x.double()], [y, y], None, TypeError, r"a\[1\]: expected type and device"),
        ([x, x], [y, y[0]], None, ValueError, r"b\[1\]: expected a matrix"),
        ([x, x, x], [y, y, x], None, ValueError, r"b\[2\]: expected extent 5 along k"),
        ([x, x], [y, y], [z, z.T], ValueError, r"out: expected shape \(4, 6\)"),
        ([x, x], [y, y], [z, z[:1].expand(4, 6)], ValueError, "elements of their own"),
        ([x, x], [y, y], [z, z], ValueError, r"out\[1\]: .* elements with out\[0\]"),
        ([x, z[:, :5]], [y, y], [z.clone(), z], ValueError, r"out\[1\]: .* a\[1\]"),
    ):
        with pytest.raises(error, match=message):
            kami.grouped_gemm(a, b, out=out)
    assert not z.any()


@pytest.mark.parametrize(
    ("dtype", "element"), [("float32", "f32"), ("bfloat16", "bf16")]
)
def test_kernels_give_tensors(dtype: str, element: str) -> None:
    text = """
        func.func @f(%a: tensor<4x5xT>, %b: tensor<5x6xT>) -> tensor<4x6xT> {
          %empty = tensor.empty() : tensor<4x6xT>
          %zero = arith.constant 0.0 : T
          %clear = linalg.fill ins(%zero : T) outs(%empty : tensor<4x6xT>)
              -> tensor<4x6xT>
          %c = linalg.matmul ins(%a, %b : tensor<4x5xT>, tensor<5x6xT>)
              outs(%clear : tensor<4x6xT>) -> tensor<4x6xT>
          return %c : tensor<4x6xT>
        }
        """
    kernel = kami.from_mlir(re.sub(r"\bT\b|(?<=x)T\b", element, text))
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="NumPy has no bfloat16 of its own")
    kind = getattr(torch, dtype)
    a, b = integers(4, 5, dtype=kind), integers(5, 6, dtype=kind)
    result = kernel(a, b)
    assert isinstance(result, torch.Tensor)
    assert torch.equal(result, a @ b)
