"""FLOPs of recorded calls equal those of torch.utils.flop_counter on random shapes."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tb_perfcompare.analysis.work.operator_work import Work, model_of, operator_work
from tb_perfcompare.analysis.work.without_model import CALLS_OTHERS, reason_of

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="records with torch, which is not installed (the extra `record`)"
)

COUNTED = ("matrix product", "convolution", "attention", "recurrent")
"""Families of operators that flop_counter counts."""

Program = Callable[[], Any]


def programs(seed: int) -> dict[str, Program]:
    """Name -> program with random shapes, for every operator that flop_counter and the CPU support."""
    import torch
    from torch.nn import functional as F

    draw = random.Random(seed)

    def size(most: int = 6) -> int:
        return draw.randint(1, most)

    def tensor(*sizes: int, kind: Any = torch.float32) -> Any:
        return torch.rand(*sizes, dtype=kind, requires_grad=True)

    b, m, k, n, groups, step, kernel = size(), size(), size(), size(), size(3), size(3), size(3)
    channels, outputs, edge, gap, image = groups * size(3), groups * size(3), size(2), size(2), draw.randint(8, 11)
    double = torch.float64
    linear = torch.nn.Linear(k, n)
    found: dict[str, Program] = {
        "mm": lambda: tensor(m, k) @ tensor(k, n),
        "mm of bf16": lambda: tensor(m, k, kind=torch.bfloat16) @ tensor(k, n, kind=torch.bfloat16),
        "addmm": lambda: torch.addmm(tensor(n), tensor(m, k), tensor(k, n)),
        "bmm": lambda: torch.bmm(tensor(b, m, k), tensor(b, k, n)),
        "baddbmm": lambda: torch.baddbmm(tensor(b, m, n), tensor(b, m, k), tensor(b, k, n)),
        "einsum": lambda: torch.einsum("bij,bjk->bik", tensor(b + 1, m + 1, k + 1), tensor(b + 1, k + 1, n + 1)),
        "matmul of a vector in a batch": lambda: torch.matmul(tensor(b, m, k), tensor(k, n)),
        "linear, backward": lambda: linear(tensor(b, m, k)).sum().backward(),
        "attention of the plain operators": lambda: F.scaled_dot_product_attention(
            *(tensor(b, m, n, 4) for _ in range(3)), attn_mask=torch.ones(n, n, dtype=torch.bool), dropout_p=0.5
        ),
    }
    for dimensions, operator in ((1, F.conv1d), (2, F.conv2d), (3, F.conv3d)):
        for kind in (torch.float32, double):

            def convolution(dimensions: int = dimensions, operator: Any = operator, kind: Any = kind) -> Any:
                x = tensor(b, channels, *[image] * dimensions, kind=kind)
                weight = tensor(outputs, channels // groups, *[kernel] * dimensions, kind=kind)
                return operator(x, weight, stride=step, padding=edge, dilation=gap, groups=groups)

            def ungrouped(dimensions: int = dimensions, operator: Any = operator, kind: Any = kind) -> Any:
                x = tensor(b, channels, *[image] * dimensions, kind=kind)
                weight, bias = tensor(outputs, channels, *[kernel] * dimensions, kind=kind), tensor(outputs, kind=kind)
                return operator(x, weight, bias, stride=step, padding=edge, dilation=gap).sum().backward()

            found[f"convolution {dimensions}D {kind}"] = convolution
            found[f"convolution {dimensions}D {kind}, backward"] = ungrouped
    for dimensions, operator in ((1, F.conv_transpose1d), (2, F.conv_transpose2d), (3, F.conv_transpose3d)):
        for kind in (torch.float32, double):

            def transposed(dimensions: int = dimensions, operator: Any = operator, kind: Any = kind) -> Any:
                x = tensor(b, channels, *[image] * dimensions, kind=kind)
                weight = tensor(channels, outputs, *[kernel] * dimensions, kind=kind)
                return operator(x, weight, stride=step, dilation=gap).sum().backward()

            found[f"convolution {dimensions}D {kind} transposed, backward"] = transposed
    return found


def recorded_calls(directory: Path, cases: dict[str, Program]) -> dict[str, list[tuple[str, Work | str]]]:
    """Program -> (operator, work) of its recorded calls, without calls whose work a callee does."""
    from torch.profiler import ProfilerActivity, profile, record_function

    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        for name, program in cases.items():
            with record_function(f"case {name}"):
                program()
    profiler.export_chrome_trace(str(directory / "trace.json"))
    events = json.loads((directory / "trace.json").read_text("utf-8"))["traceEvents"]
    spans = {
        event["name"].removeprefix("case "): (event["ts"], event["ts"] + event["dur"])
        for event in events
        if event.get("cat") == "user_annotation" and event["name"].startswith("case ")
    }
    assert set(spans) == set(cases)
    found = {}
    calls = [event for event in events if event.get("cat") == "cpu_op"]
    for name, (start, end) in spans.items():
        inside = [(event, work_of(event)) for event in calls if start <= event["ts"] < end]
        found[name] = [(event["name"], work) for event, work in inside if not _is_done_below(event, inside)]
    return found


def _is_done_below(event: dict[str, Any], calls: list[tuple[dict[str, Any], Work | str]]) -> bool:
    """Whether a callee does the counted work, as in analysis/entities/work_table.py."""
    end = event["ts"] + event["dur"]
    return any(
        isinstance(work, Work) and work.family in COUNTED
        for inner, work in calls
        if inner is not event and inner["tid"] == event["tid"] and event["ts"] <= inner["ts"]
        and inner["ts"] + inner["dur"] <= end and inner["dur"] < event["dur"]
    )  # fmt: skip


def work_of(event: dict[str, Any]) -> Work | str:
    keys = ("Input Dims", "Input type", "Input Strides", "Concrete Inputs")
    texts = [json.dumps(event["args"][key]) if key in event["args"] else "" for key in keys]
    return operator_work(event["name"], *texts)


def counted(program: Program) -> int:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        program()
    return counter.get_total_flops()


def modeled(calls: list[tuple[str, Work | str]]) -> int:
    return sum(work.flops for _, work in calls if isinstance(work, Work) and work.family in COUNTED)


@cache
def measured() -> dict[str, tuple[int, int]]:
    """Program -> (modeled FLOPs, FLOPs of flop_counter), for three seeds."""
    found = {}
    for seed in range(3):
        cases = programs(seed)
        with TemporaryDirectory() as directory:
            calls = recorded_calls(Path(directory), cases)
        for name, program in cases.items():
            found[f"{name} ({seed})"] = modeled(calls[name]), counted(program)
    return found


def test_flops_equal_those_of_flop_counter() -> None:
    assert len(measured()) > 60
    assert {name: pair for name, pair in measured().items() if pair[0] != pair[1]} == {}
    assert all(pair[0] > 0 for pair in measured().values())


@pytest.mark.parametrize("causal", [False, True])
def test_attention_counts_unmasked_pairs_only(tmp_path: Path, causal: bool) -> None:
    """Intended difference: flop_counter counts n² pairs for any mask."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention
    from torch.utils.flop_counter import sdpa_backward_flop_count, sdpa_flop_count

    n, sizes = 9, (2, 3, 9, 16)

    def program() -> None:
        q, k, v = (torch.rand(*sizes, requires_grad=True) for _ in range(3))
        scaled_dot_product_attention(q, k, v, is_causal=causal).sum().backward()

    calls = recorded_calls(tmp_path, {"attention": program})["attention"]
    all_pairs = sdpa_flop_count(sizes, sizes, sizes) + sdpa_backward_flop_count(sizes, sizes, sizes, sizes)
    assert modeled(calls) == (all_pairs * (n + 1) // (2 * n) if causal else all_pairs)


def test_the_weight_gradient_of_a_grouped_convolution_is_divided_by_its_groups(tmp_path: Path) -> None:
    """Intended difference: flop_counter counts grad_weight `groups` times too high."""
    import torch

    def program(groups: int) -> Program:
        weight = torch.rand(8, 8 // groups, 3, 3, requires_grad=True)
        return lambda: torch.nn.functional.conv2d(torch.rand(2, 8, 6, 6), weight, groups=groups).sum().backward()

    calls = recorded_calls(tmp_path, {"1": program(1), "4": program(4)})
    assert modeled(calls["1"]) == counted(program(1)) == 4 * modeled(calls["4"])
    assert counted(program(4)) == modeled(calls["4"]) // 2 * (1 + 4)


def test_complex_products_count_four_times_the_real_flops(tmp_path: Path) -> None:
    """Intended difference: flop_counter counts a complex multiply-add as a real one."""
    import torch

    def program() -> Any:
        return torch.rand(2, 3, dtype=torch.complex64) @ torch.rand(3, 4, dtype=torch.complex64)

    assert modeled(recorded_calls(tmp_path, {"mm": program})["mm"]) == 4 * counted(program)


def test_flop_counter_agrees_with_the_hand_computed_recurrent_calls() -> None:
    """The CPU runs fp64 as separate products; cuDNN, MIOpen and the CPU in fp32 make one call (test_written_calls)."""
    import torch

    lstm, gru = torch.nn.LSTM(4, 5, 2).double(), torch.nn.GRU(4, 5, bidirectional=True)
    assert counted(lambda: lstm(torch.rand(3, 2, 4).double())) == 2 * 6 * 20 * (9 + 10)
    assert counted(lambda: gru(torch.rand(3, 2, 4))) == 2 * 6 * 2 * 15 * 9


def test_the_single_call_of_a_cpu_lstm_layer_has_the_flops_of_its_products(tmp_path: Path) -> None:
    import torch

    def program(kind: Any) -> Program:
        lstm = torch.nn.LSTM(4, 5, 2, bidirectional=True, dtype=kind)
        x, *states = (torch.rand(*sizes, dtype=kind, requires_grad=True) for sizes in ((3, 2, 4), *[(4, 2, 5)] * 2))
        return lambda: lstm(x, tuple(states))[0].sum().backward()

    calls = recorded_calls(tmp_path, {"lstm": program(torch.float32)})["lstm"]
    assert modeled(calls) == counted(program(torch.float64)) > 0


def test_autocast_products_count_in_the_type_they_compute_in(tmp_path: Path) -> None:
    """aten::linear is recorded in fp32 before autocast converts its inputs to bf16."""
    import torch

    net = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.Softmax(-1))

    def program() -> None:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(torch.rand(4, 16))
        out.sum().backward()

    calls = recorded_calls(tmp_path, {"step": program})["step"]
    types = {(name, work.data_type) for name, work in calls if isinstance(work, Work) and work.family in COUNTED}
    assert types == {("aten::addmm", "bf16"), ("aten::mm", "bf16")}
    converted = [work.bytes for name, work in calls if name == "aten::copy_" and isinstance(work, Work)]
    assert {(4 + 2) * size for size in (4 * 16, 8 * 16, 8)} <= set(converted)


def test_factorisations_and_transforms_count_in_the_operator_that_does_them(tmp_path: Path) -> None:
    """A key lists the one or two operators that do the work."""
    import torch

    square, right = torch.eye(6) + torch.rand(6, 6) / 9, torch.rand(6, 2)
    positive, wave = square @ square.T, torch.rand(3, 8)
    programs: dict[str, Program] = {
        "cholesky_ex": lambda: torch.linalg.cholesky(positive),
        "lu_factor_ex lu_solve": lambda: torch.linalg.solve(square, right),
        "lu_factor_ex lu_solve (inv)": lambda: torch.linalg.inv(square),
        "eigh": lambda: torch.linalg.eigh(positive),
        "svd": lambda: torch.linalg.svdvals(square),
        "solve_triangular": lambda: torch.linalg.solve_triangular(square, right, upper=True),
        "fft_r2c": lambda: torch.fft.rfft(wave),
        "fft_c2c": lambda: torch.fft.fft2(wave.to(torch.complex64)),
        "fft_c2r": lambda: torch.fft.irfft(wave.to(torch.complex64)),
    }
    families = ("linear algebra", "Fourier transform")
    for case, calls in recorded_calls(tmp_path, programs).items():
        done = [name for name, work in calls if isinstance(work, Work) and work.family in families and work.flops]
        assert [name.removeprefix("aten::").replace("linalg_", "").strip("_") for name in done] == [
            part for part in case.split() if "(" not in part
        ]


def test_every_operator_of_flop_counter_has_a_model_or_calls_one() -> None:
    """Except flex attention, which torch.compile turns into a kernel."""
    from torch.utils.flop_counter import flop_registry

    flex = {"flex_attention", "flex_attention_backward"}
    names = {str(operator).replace(".", "::") for operator in flop_registry} - flex
    assert len(names) > 20
    assert {name for name in names if model_of(name) is None and reason_of(name) != CALLS_OTHERS} == set()


def test_the_products_of_a_network_are_counted_once(tmp_path: Path) -> None:
    import torch

    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.GELU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(),
        torch.nn.Linear(72, 16), torch.nn.LayerNorm(16), torch.nn.SiLU(), torch.nn.Linear(16, 5),
    )  # fmt: skip

    def program() -> None:
        loss = torch.nn.functional.cross_entropy(net(torch.rand(2, 3, 8, 8)), torch.tensor([1, 2]))
        loss.backward()

    calls = recorded_calls(tmp_path, {"step": program})["step"]
    names = [name for name, work in calls if isinstance(work, Work) and work.family in COUNTED]
    assert (
        sorted(names)
        == ["aten::addmm"] * 2 + ["aten::convolution_backward", "aten::mkldnn_convolution"] + ["aten::mm"] * 4
    )
