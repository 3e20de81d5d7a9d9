# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same on a CUDA device, with PyTorch: `pytest python/tests -m gpu`."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest

import kami
from kami import _ahead, _product, _stand_in

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import kami.torch  # noqa: E402

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def needs_cuda() -> None:
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no CUDA device")


def integers(*shape: int, dtype: Any = None) -> Any:
    """Small ones, whose sums are exact in every type."""
    generator = torch.Generator(device="cuda").manual_seed(sum(shape))
    values = torch.randint(-4, 5, shape, generator=generator, device="cuda")
    return values.to(dtype or torch.float16)


def exact(a: Any, b: Any) -> Any:
    return (a.double() @ b.double()).cpu()


# A kernel each; kami-sweep has thousands of others.
SIZES = [(1, 1, 1), (16, 16, 16), (5, 37, 130), (130, 5, 16), (37, 130, 1)]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_sizes(dtype: str) -> None:
    for m, n, k in SIZES:
        kind = getattr(torch, dtype)
        a, b = integers(3, m, k, dtype=kind), integers(3, k, n, dtype=kind)
        wide = torch.float64 if dtype == "float64" else torch.float32
        result = kami.bmm(a, b, out_dtype=wide)
        assert torch.equal(result.double().cpu(), exact(a, b)), (m, n, k)


@pytest.mark.skipif(_ahead.count() == 0, reason="no programs are compiled ahead")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(
    "said", [{}, {"alpha": -0.3}, {"epilogue": "gelu"}], ids=lambda said: "-".join(said)
)
def test_bits_do_not_depend_on_when(
    dtype: str, said: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands in for a kernel that is being compiled gives what it will give."""
    kind = getattr(torch, dtype)
    monkeypatch.setenv("KAMI_CACHE_DIR", "")
    for m, n, k in [(83, 131, 65), (96, 160, 72), (201, 131, 130)]:
        heads = torch.randn(4, m, 3, k, device="cuda").to(kind).transpose(1, 2)
        b = torch.randn(4, 3, n, k, device="cuda").to(kind).transpose(2, 3)
        heads[:, :, ::7] = 0
        monkeypatch.setattr(_stand_in, "PATIENCE", 0)
        early = kami.gemm(heads, b, **said)
        assert _product._bound[next(reversed(_product._bound))].awaited is not None
        monkeypatch.setattr(_stand_in, "PATIENCE", 60)
        for late in (kami.gemm(heads, b, **said, specialize=x) for x in (None, True)):
            assert torch.equal(early, late), (m, n, k)
            assert torch.equal(early.signbit(), late.signbit()), (m, n, k)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("n", [3, 16, 24, 33, 48, 64])
def test_bits_do_not_depend_on_the_batch(n: int, dtype: str) -> None:
    """Alone, among few, and among so many that the plan is another one."""
    kind = getattr(torch, dtype)
    a, b = (torch.randn(12_000, n, n, device="cuda").to(kind) for _ in range(2))
    many = kami.bmm(a, b)
    for first, count in ((0, 1), (11_999, 1), (7, 5), (100, 64), (5000, 1000)):
        part = slice(first, first + count)
        assert torch.equal(kami.bmm(a[part], b[part]), many[part]), (first, count)


def test_rounding_to_tf32(to_tf32: tuple[Any, Any]) -> None:
    """The matrix unit ignores what rounding leaves behind the bits that count."""
    x, rounded = (torch.from_numpy(array).cuda() for array in to_tf32)
    one = torch.eye(64, device="cuda")
    for left, right in ((x, one), (one, x), (x[:33, :60].mT, one[:33, :33])):
        result = kami.gemm(left, right, precision="tf32")
        wanted = rounded[:33, :60].mT if left.shape != x.shape else rounded
        assert torch.equal(result, wanted)
    bits = torch.tensor([0x7FFFFFFF, -1, 0x7FC00000, 0x7F800001], dtype=torch.int32)
    nans = bits.view(torch.float32)[:, None].cuda()
    assert bool(kami.gemm(nans, one[:1, :1], precision="tf32").isnan().all())


def test_views() -> None:
    base = integers(20, 70, 80)
    for a in (base[:, 1:33, 3:53], base[::3, ::2, 5:55], base[:7].mT[:, 9:41, :50]):
        b = integers(a.shape[0], 24, a.shape[2]).mT
        result = kami.gemm(a, b, out_dtype=torch.float32)
        assert torch.equal(result.double().cpu(), exact(a, b))
    out = torch.full((4, 32, 48), 7.0, device="cuda")
    a, b = integers(4, 16, 8, dtype=torch.float32), integers(8, 24, dtype=torch.float32)
    kami.gemm(a, b, out=out[:, ::2, ::2])
    assert torch.equal(out[:, ::2, ::2].double().cpu(), exact(a, b))
    assert bool((out[:, 1::2] == 7).all())
    assert bool((out[:, ::2, 1::2] == 7).all())


def test_scales_and_epilogues() -> None:
    a, b = integers(8, 20, 33), integers(33, 17)
    c = integers(8, 20, 17)
    result = kami.gemm(a, b, c, alpha=0.5, beta=2)
    assert torch.equal(result.double().cpu(), 0.5 * exact(a, b) + 2 * c.double().cpu())
    bias = integers(17, dtype=torch.float32)
    shown = kami.gemm(a, b, epilogue=kami.Epilogue(bias=bias, activation="relu"))
    assert torch.equal(
        shown.double().cpu(), (exact(a, b) + bias.double().cpu()).clamp(min=0)
    )


def test_grouped_products() -> None:
    sizes = [(3, 4, 8), (65, 7, 120), (1, 300, 5), (16, 16, 0), (0, 4, 4)]
    a = [integers(m, k) for m, _, k in sizes]
    b = [integers(k, n) for _, n, k in sizes]
    for x, y, z in zip(a, b, kami.grouped_gemm(a, b), strict=True):
        assert torch.equal(z.double().cpu(), exact(x, y).half().double())


def test_grouped_products_at_addresses() -> None:
    sizes = [(3, 4, 8), (65, 7, 120), (16, 16, 0)]
    a = [integers(m, k) for m, _, k in sizes]
    b = [integers(k, n) for _, n, k in sizes]
    out = [torch.zeros(m, n, dtype=torch.float16, device="cuda") for m, n, _ in sizes]

    def numbers(*values: int) -> Any:
        return torch.tensor(values, device="cuda")

    result = numbers(*(x.data_ptr() for x in out))
    found = kami.grouped_gemm(
        numbers(*(x.data_ptr() for x in a)),
        numbers(*(x.data_ptr() for x in b)),
        out=result,
        sizes=[numbers(*column) for column in zip(*sizes, strict=True)],
        leading=[numbers(*(max(x.shape[1], 1) for x in y)) for y in (a, b, out)],
        dtype="f16",
    )
    assert found is result
    for x, y, z in zip(a, b, out, strict=True):
        assert torch.equal(z.double().cpu(), exact(x, y).half().double())


def test_the_current_stream() -> None:
    """What the stream does first arrives."""
    stream = torch.cuda.Stream()
    a, b = integers(64, 32, 32), integers(64, 32, 32)
    kami.bmm(a, b)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        a.add_(1)
        result = kami.bmm(a, b, out_dtype=torch.float32)
    stream.synchronize()
    assert torch.equal(result.double().cpu(), exact(a, b))


def test_graphs() -> None:
    a, b = integers(32, 24, 40), integers(32, 40, 16)
    out = torch.empty(32, 24, 16, dtype=torch.float32, device="cuda")
    kami.gemm(a, b, out=out)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kami.gemm(a, b, out=out)
    a.copy_(integers(32, 24, 40) + 1)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(out.double().cpu(), exact(a, b))


def test_threads() -> None:
    wrong: list[int] = []

    def work(number: int) -> None:
        a, b = integers(9, 8 + number, 16), integers(9, 16, 24)
        with torch.cuda.stream(torch.cuda.Stream()):
            torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
            results = [kami.bmm(a, b, out_dtype=torch.float32) for _ in range(20)]
            torch.cuda.current_stream().synchronize()
        if any(not torch.equal(r.double().cpu(), exact(a, b)) for r in results):
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory_errors_leave_the_process_usable() -> None:
    free, _ = torch.cuda.mem_get_info()
    a = torch.empty(1, 1, dtype=torch.float16, device="cuda").expand(free // 1024, 1)
    with pytest.raises(torch.OutOfMemoryError):
        kami.gemm(a, a.T[:, : 1 << 20])
    x = integers(4, 4)
    assert torch.equal(kami.gemm(x, x).double().cpu(), exact(x, x).half().double())


def test_gradients_and_autocast() -> None:
    a, b = integers(4, 9, 16).requires_grad_(), integers(4, 16, 5).requires_grad_()
    kami.bmm(a, b).sum().backward()
    mine = [a.grad.clone(), b.grad.clone()]
    a.grad = b.grad = None
    torch.bmm(a, b).sum().backward()
    assert torch.equal(mine[0], a.grad)
    assert torch.equal(mine[1], b.grad)
    for dtype in (torch.float16, torch.bfloat16):
        with torch.autocast("cuda", dtype=dtype):
            assert kami.torch.bmm(a.float(), b.float()).dtype == dtype


def test_opcheck() -> None:
    a, b = integers(2, 3, 4, dtype=torch.float32), integers(4, 5, dtype=torch.float32)
    for x, y in ((a, b), (a.clone().requires_grad_(), b.clone().requires_grad_())):
        torch.library.opcheck(
            torch.ops.kami.gemm.default, (x, y, False, False, 0.5, None)
        )


def test_a_forked_child_gets_an_exception() -> None:
    """CUDA has no contexts in forked processes; the parent's goes on."""
    a, b = integers(4, 8, 8), integers(4, 8, 8)
    out = kami.bmm(a, b)
    torch.cuda.synchronize()
    child = os.fork()
    if child == 0:
        # Not to wait for a child that hangs.
        signal.alarm(20)
        try:
            kami.gemm(a, b, out=out)
        except kami.DeviceError:
            os._exit(0)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert torch.equal(kami.bmm(a, b), out)


def test_compiles_in_one_graph() -> None:
    a, b = integers(64, 16, 32), integers(64, 32, 16)
    # Inductor would compile what is around the product, for half a minute.
    layer = torch.compile(
        lambda x, y: kami.torch.bmm(x, y).relu(), fullgraph=True, backend="aot_eager"
    )
    assert torch.equal(layer(a, b), kami.bmm(a, b).relu())


def test_patch() -> None:
    a, b = integers(256, 16, 32), integers(256, 32, 16)
    assert kami.torch.is_routed(a, b)
    expected = a @ b
    with kami.torch.patch():
        assert torch.equal(a @ b, expected)


def test_a_transformer_block() -> None:
    """With many small heads; python/benchmarks/device.py has the times."""
    from device import Block

    torch.manual_seed(0)
    block = Block(256, 16).half().cuda().eval()
    x = torch.randn(32, 32, 256, dtype=torch.float16, device="cuda")
    with torch.inference_mode():
        expected = block(x)
        with kami.torch.patch():
            result = block(x)
    assert (result - expected).norm() < 5e-3 * expected.norm()


def test_arrays_that_only_dlpack_opens() -> None:
    import toy

    a, b = integers(3, 5, 8), integers(3, 8, 4)
    result = kami.bmm(toy.Tensor(a), toy.Tensor(b), out_dtype=torch.float32)
    assert type(result) is toy.Tensor
    assert torch.equal(result.values.double().cpu(), exact(a, b))
    x, y = toy.Interface(a), toy.Interface(b)
    result = kami.bmm(x, y, out_dtype=torch.float32)
    assert type(result) is toy.Interface
    assert torch.equal(result.values.double().cpu(), exact(a, b))


def test_tuning() -> None:
    tuning = kami.tune(32, 32, 32, "f16", batch=1000, candidates=4, repeats=5)
    assert tuning.regret >= 1
    assert all(timing.microseconds > 0 for timing in tuning.timings)
    a, b = integers(10, 32, 32), integers(10, 32, 32)
    result = kami.gemm(a, b, plan=tuning.best.candidate, out_dtype=torch.float32)
    assert torch.equal(result.double().cpu(), exact(a, b))


def test_cupy() -> None:
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    a = cupy.asarray(integers(4, 9, 16))[:, ::2]
    b = cupy.asarray(integers(4, 16, 5))
    result = kami.bmm(a, b, out_dtype="f32")
    assert isinstance(result, cupy.ndarray)
    assert bool((result == a.astype("f8") @ b.astype("f8")).all())


def test_jax() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no CUDA device")
    a = jax.numpy.ones((4, 8, 16), jax.numpy.float16)
    out = torch.empty(4, 8, 8, device="cuda")
    kami.gemm(a, a, trans_b=True, out=out)
    assert bool((out == 16).all())
