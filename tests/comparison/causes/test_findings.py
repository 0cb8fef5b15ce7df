"""A planted cause is the first finding, in a sentence with the change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tb_perfcompare.comparison.causes.detect_causes import DetectedCauses
from tb_perfcompare.comparison.causes.detectors.workload import other_work
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.general_findings import find_causes
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, rows_of, rules_of

Change = Callable[[TraceBuilder, int], None]


def run(
    *,
    loader: int = 20,
    gemm: int = 100,
    extra: Change | None = None,
    wait: int = 10,
    iterator: str = "_A",
    length: int = 1000,
) -> TraceBuilder:
    """Eight steps of 1000 µs: load a batch, launch two kernels, wait for them."""
    trace = TraceBuilder()
    for number in range(8):
        at = number * 1200
        jitter = number % 3
        trace.step(number, at, at + length)
        trace.loader(at, at + loader + jitter, iterator=iterator)
        trace.op("aten::mm", at + 300, at + 340)
        trace.kernel("gemm", at + 350, at + 350 + gemm + jitter, launch=(at + 305, at + 310))
        trace.kernel("relu", at + 700, at + 720, launch=(at + 315, at + 320))
        trace.op("aten::item", at + 340, at + 345 + wait)
        trace.call("cudaStreamSynchronize", at + 342, at + 342 + wait)
        if extra is not None:
            extra(trace, at)
    return trace


def new_kernel(trace: TraceBuilder, at: int) -> None:
    trace.kernel("cast", at + 730, at + 780, launch=(at + 325, at + 328))


def more_copies(trace: TraceBuilder, at: int) -> None:
    for k in range(3):
        trace.memcpy(at + 800 + 10 * k, at + 809 + 10 * k, launch=(at + 330 + k, at + 331 + k))


@pytest.mark.parametrize(
    ("after", "rule", "subject", "says"),
    [
        (run(loader=180), "data_loader", "enumerate(DataLoader).__next__", "Data loader wait: +160 µs per step"),
        (
            run(loader=180, iterator="_MultiProcessingDataLoaderIter"),
            "data_loader",
            "enumerate(DataLoader).__next__",
            "+160 µs per step (20.9 → 181 µs).",
        ),
        (run(gemm=200), "kernel_slower", "gemm", "+100 µs per step (101 → 201 µs per launch"),
        (run(extra=new_kernel), "kernel_time", "cast", "cast is new (50.0 µs, 1 call per step)"),
        (run(extra=more_copies), "more_copies", "Memcpy HtoD (Pinned -> Device)", "+27.0 µs per step (0 → 3 copies)"),
    ],
    ids=["slow loader", "slow loader of another class", "slow kernel", "new kernel", "new copies"],
)  # fmt: skip
def test_the_planted_cause_comes_first(after: TraceBuilder, rule: str, subject: str, says: str) -> None:
    causes = [f for f in compare(run(), after).findings if f.category != "Other"]
    assert (causes[0].rule, causes[0].subject) == (rule, subject)
    assert says in causes[0].sentence


def test_a_wait_names_the_call_and_its_operator() -> None:
    def wait(trace: TraceBuilder, at: int) -> None:
        trace.op("aten::item", at + 800, at + 990)
        trace.op("aten::_local_scalar_dense", at + 801, at + 989)
        trace.call("cudaStreamSynchronize", at + 802, at + 988)

    finding = finding_of(compare(run(), run(extra=wait)), "synchronization")
    assert finding.subject == "aten::item"
    assert "+186 µs per step; the host waits 1 → 2 times per step (0 → 1 under aten::item)" in finding.sentence
    assert "mostly in cudaStreamSynchronize itself" in finding.sentence


def test_many_small_new_kernels_are_named_together() -> None:
    def confetti(trace: TraceBuilder, at: int) -> None:
        for k in range(6):
            trace.kernel(f"tiny{k}", at + 730 + 12 * k, at + 740 + 12 * k, launch=(at + 325 + k, at + 326 + k))

    by_rule = {finding.rule: finding for finding in compare(run(), run(gemm=130, extra=confetti)).findings}
    assert by_rule["kernel_slower"].subject == "gemm"
    sentence = by_rule["kernel_time"].sentence
    assert sentence.startswith("Remaining kernel time: +60.0 µs per step")
    assert "tiny0 is new (10.0 µs, 1 call per step); 5 others are new (50.0 µs in total" in sentence


def test_a_lower_clock_is_not_a_changed_kernel() -> None:
    def kernels(factor: int) -> TraceBuilder:
        trace = TraceBuilder()
        for number in range(6):
            at = number * 1000
            trace.step(number, at, at + 1000)
            for k, length in enumerate((20, 30, 40)):
                trace.kernel(
                    f"k{k}", at + 100 + 200 * k, at + 100 + 200 * k + length * factor, launch=(at + k, at + k + 1)
                )
        return trace

    finding = finding_of(compare(kernels(1), kernels(3)), "device_pace")
    assert "kernels ×3.00 per launch" in finding.sentence


def test_shares_of_all_categories_sum_to_one() -> None:
    got = compare(run(), run(loader=180, gemm=150, length=1100))
    rows = rows_of(got.tables["categories"]).values()
    assert sum(row["share"] or 0 for row in rows) == pytest.approx(1, abs=1e-9)


def test_a_change_below_the_material_floor_is_no_finding() -> None:
    assert compare(run(gemm=100), run(gemm=101)).findings == ()


def test_evidence_names_rows_that_exist() -> None:
    got = compare(run(), run(gemm=200, loader=60, extra=new_kernel))
    for finding in got.findings:
        for evidence in finding.evidence:
            if evidence.table == "ledger":
                assert evidence.row in {" / ".join(row.path) for row in got.ledger.rows}
            elif finding.category != "CPU Exec" or evidence.table == "categories":
                assert evidence.row in {row[0] for row in got.tables[evidence.table].rows}


def test_a_new_kernel_in_a_noisy_category_is_found() -> None:
    """Half of the steps have a longer stray kernel; the new kernel runs in every step."""

    def scattered(trace: TraceBuilder, at: int) -> None:
        trace.kernel("stray", at + 730, at + 731 + (at // 1200) % 2 * 150, launch=(at + 325, at + 328))

    def and_new(trace: TraceBuilder, at: int) -> None:
        scattered(trace, at)
        trace.kernel("cast", at + 900, at + 930, launch=(at + 329, at + 331))

    by_rule = {finding.rule: finding for finding in compare(run(extra=scattered), run(extra=and_new)).findings}
    assert by_rule["kernel_time"].subject == "cast"
    assert "within the spread" in by_rule["kernel_time"].confidence


def test_less_hidden_host_time_is_not_a_slower_annotation() -> None:
    def trained(behind: int) -> TraceBuilder:
        trace = TraceBuilder()
        for number in range(8):
            at = number * 1200
            trace.step(number, at, at + 1000)
            trace.op("aten::mm", at, at + 200)
            trace.kernel("gemm", at + 10 + behind, at + 500 + behind, launch=(at + 5, at + 8))
            trace.annotation("Optimizer.zero_grad#SGD.zero_grad", at + 200, at + 700 + number % 3)
        return trace

    found = compare(trained(205), trained(705))
    assert "operator_slower" not in rules_of(found)
    assert any("Optimizer.zero_grad" in finding.sentence for finding in found.findings)


def test_new_work_that_offsets_the_change_is_named() -> None:
    """One call replaces two, like a copy that waits."""

    def copies(*names: str) -> TraceBuilder:
        trace = TraceBuilder()
        for number in range(8):
            at = number * 1200
            trace.step(number, at, at + 1000)
            trace.op("aten::copy_", at, at + 900)
            for place, name in enumerate(names):
                trace.call(name, at + 400 * place + 10, at + 400 * place + 310 + number % 3)
        return trace

    two, one = copies("cudaStreamSynchronize", "cudaEventSynchronize"), copies("cudaMemcpyPeer")
    found = finding_of(compare(two, one), "runtime_time")
    assert "offset by cudaMemcpyPeer is new (301 µs, 1 call per step)" in found.sentence


def test_waits_that_cost_nothing_are_counted() -> None:
    def waiting(times: int) -> TraceBuilder:
        trace = TraceBuilder()
        for number in range(8):
            at = number * 12_000
            trace.step(number, at, at + 11_000)
            trace.op("aten::mm", at, at + 10_900)
            for place in range(times):
                trace.call("cudaDeviceSynchronize", at + 10 * place + 10_910, at + 10 * place + 10_911)
        return trace

    (found,) = compare(waiting(1), waiting(3)).findings
    assert (found.rule, found.delta_us) == ("synchronization", None)
    assert "the host waits 1 → 3 times per step (1 → 3 outside operators); no change of the step" in found.sentence


def test_other_types_are_computed_once_per_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[RuleContext] = []
    monkeypatch.setattr(other_work, "other_types", computed.append)
    compare(run(), run(gemm=200))
    assert len(computed) == 1


def training(*, launch: int = 5, busy: bool = False, parallel_us: int = 0) -> TraceBuilder:
    """Eight steps of twenty operators with one kernel each, as long as the operator if `busy`; `parallel_us` of a
    kernel on another stream hide the operators."""
    trace, at, each = TraceBuilder(), 0, 95 + launch
    for number in range(8):
        start = at
        for _ in range(20):
            trace.op("aten::mm", at, at + each - 20)
            length = each - 2 if busy else 20
            trace.kernel("gemm", at + launch + 10, at + launch + 10 + length, launch=(at + 5, at + 5 + launch))
            at += each
        if parallel_us:
            trace.kernel("parallel", start + 10, start + 10 + parallel_us, stream=9, launch=(start + 6, start + 8))
        trace.step(number, start, at)
        at += 200
    return trace


def test_cpu_time_that_the_device_hides_is_not_called_faster_operators() -> None:
    found = compare(training(), training(parallel_us=1500)).findings
    ((sentence, look_at),) = [(one.sentence, one.look_at) for one in found if one.rule == "host_time"]
    assert "more of it is hidden behind device work: in all, operators take 1." in sentence
    assert look_at == "the device work that runs at the same time"


def loading(*, hidden_us: int) -> TraceBuilder:
    """Eight steps: 400 µs of loading, partly hidden by a kernel, then 600 µs of computing."""
    trace = TraceBuilder()
    for number in range(8):
        at = 2_000 * number
        trace.step(number, at, at + 1_030 + number % 3)
        trace.kernel("gemm", at + 12, at + 12 + hidden_us, launch=(at + 2, at + 4))
        trace.loader(at + 12, at + 412)
        trace.op("aten::mm", at + 420, at + 1_020)
    return trace


def test_loading_that_the_device_no_longer_hides_takes_no_longer() -> None:
    for hidden_us, more in (((350, 50), "less"), ((50, 350), "more")):
        found = compare(*(loading(hidden_us=us) for us in hidden_us)).findings
        (finding,) = (one for one in found if one.rule == "data_loader")
        assert f"; {more} of it is hidden behind device work: in all, it takes 400 µs." in finding.sentence
        assert finding.look_at == "the device work that runs at the same time"


@pytest.mark.parametrize(("busy", "bound"), [(False, True), (True, False)])
def test_slower_launches_are_a_cause_only_when_the_device_waits(busy: bool, bound: bool) -> None:
    found = compare(training(busy=busy), training(busy=busy, launch=25)).findings
    assert ("launch_bound" in {one.rule for one in found}) is bound


def test_launches_as_long_as_their_kernels_on_one_side_are_blocking() -> None:
    by_launch = {
        launch: finding_of(compare(training(), training(launch=launch)), "launch_bound").look_at
        for launch in (15, 25)  # kernels take 20 us
    }
    assert [look_at.startswith("CUDA_LAUNCH_BLOCKING") for look_at in by_launch.values()] == [False, True]


@pytest.mark.parametrize(("known_us", "says"), [
    (0.2, ["Data loader wait: +160 µs per step"]), (20.0, ["Remaining data loader wait: +140 µs per step"]),
    (90.0, ["Remaining data loader wait: +70.0 µs per step"]), (400.0, []),
])  # fmt: skip
def test_no_remainder_is_reported_when_causes_explain_more_than_the_change(known_us: float, says: list[str]) -> None:
    before, after = summary(run()), summary(run(loader=180))
    found = compare(before, after)
    context = RuleContext(before, after, found.ledger, found.headline, CompareOptions())
    rest = find_causes(context, DetectedCauses(explained={"DataLoader": known_us}))
    assert [one.sentence.rstrip(".") for one in rest if one.rule == "data_loader"] == says


@pytest.mark.parametrize(("verdict", "rules"), [
    (Verdict.PROBABLY_SLOWER, ["data_loader"]), (Verdict.PROBABLY_FASTER, []), (Verdict.INCONCLUSIVE, []),
])  # fmt: skip
def test_a_probable_direction_has_a_finding_for_most_of_its_change(verdict: Verdict, rules: list[str]) -> None:
    """The category is within the spread of its steps, but the step is not."""
    before, after = summary(run()), summary(run(loader=21, length=1001))
    compared, options = compare(before, after), CompareOptions(material_fraction=0.0, material_ns=0)
    headline, p_values = replace(compared.headline, verdict=verdict), dict.fromkeys(CATEGORY_LABELS, 0.5)
    found = find_causes(
        RuleContext(before, after, compared.ledger, headline, options, p_values=p_values), DetectedCauses()
    )  # fmt: skip
    assert [one.rule for one in found if one.rule == "data_loader"] == rules


def test_slower_code_in_an_annotated_range_is_no_operator() -> None:
    """A callback of a trainer has no inputs and no row among the operators."""
    name = "[pl][profile][Callback]make.<locals>.Metrics.on_train_batch_end"

    def trained(callback: int) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for number in range(8):
            at = number * 1200
            trace.step(number, at, at + 400 + callback + number % 3)
            for place, operator in enumerate(("mm", "add", "mul", "relu")):
                trace.op(f"aten::{operator}", at + 50 * place, at + 50 * place + 45)
            trace.annotation(name, at + 250, at + 260 + callback + number % 3)
            trace.op("aten::sum", at + 252, at + 302)
        return trace

    finding = compare(trained(100), trained(400)).findings[0]
    assert (finding.rule, finding.subject) == ("operator_slower", name)
    assert finding.sentence.startswith(f"Code in one annotated range, outside operators, is slower: {name} +300 µs")
    assert "(60.9 → 361 µs per call)" in finding.sentence, "without the operator in it"
    assert finding.evidence[0].table == "ledger"
    assert "inputs" not in finding.look_at


def plain(us: int, *, shapes: bool, stack: bool = False) -> TraceBuilder:
    """Eight steps of twelve operators, each another `us` longer than the one before."""
    trace, at = TraceBuilder(vendor="cpu"), 0
    for number in range(8):
        begin = at
        if stack:
            trace.python("train.py(3): step", at, at + 12_000, number=number)
        for name in range(12):
            length = 100 + us * name + number % 3
            trace.op(f"aten::op{name}", at, at + length, dims=[[64, 64]] if shapes else None)
            at += length + 5
        trace.step(number, begin, at)
    return trace


@pytest.mark.parametrize("stack", [False, True])
def test_longer_operators_may_have_larger_inputs_that_are_not_recorded(stack: bool) -> None:
    found = compare(plain(0, shapes=False, stack=stack), plain(40, shapes=False, stack=stack))
    assert finding_of(found, "host_time").look_at == "the sizes of inputs (record with record_shapes=True)"


def test_sizes_are_not_asked_for_where_they_are_recorded() -> None:
    found = compare(plain(0, shapes=True), plain(40, shapes=True)).findings
    assert found and all("record_shapes" not in finding.look_at for finding in found)


def test_a_renamed_annotation_is_no_counted_change() -> None:
    """Within the spread of the steps, one name is gone and another new."""
    def trained(name: str, more: int = 0) -> TraceBuilder:
        trace = TraceBuilder(vendor="cpu")
        for number in range(8):
            at = 2_000 * number
            end = at + 1_400 + more + 40 * (number % 4)
            trace.step(number, at, end + 100)
            trace.annotation(name, at + 10, end)
            trace.op("aten::mm", at + 20, at + 400)
        return trace

    found = compare(trained("fwd_bwd"), trained("forward_backward", 12))
    assert "host_time" not in [finding.rule for finding in found.findings]
