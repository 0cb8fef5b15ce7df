"""Traces in the strict format: steps are cycles, owners of time are functions, workers are processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tb_perfcompare.analysis.cycles.trace_cycles import EXCLUSIVE, StepsAsCycles, trace_cycles
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.strict.processes import ProcessPair, WorkerName, numbered_workers
from tb_perfcompare.errors import NotComparable
from tb_perfcompare.model.recordings.cycles import CycleTable
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.jobs.strict_jobs import strict_answer
from tb_perfcompare.workspace.jobs.strict_sides import sides_of_traces
from tests.analysis.summaries import summary as drawn_summary
from tests.build import TraceBuilder
from tests.cli.invoke import tb_perfcompare
from tests.comparison.compare import rows_of
from tests.drawn_runs import write_garbage, write_pair, write_run
from tests.shared_data import SHARED, needs_shared
from tests.strict.tables import ABNORMAL, NORMAL

ONE = {"worker0": 0}


def summary(trace: TraceBuilder, *, worker: str = "worker0") -> Summary:
    """Steps from marker to marker."""
    return drawn_summary(trace, window="marker", worker=worker)


def two_steps(*, extra: float = 0, clocks: tuple[float, ...] = (), marked: bool = True) -> TraceBuilder:
    """Steps of 100 us: an operator of 40 us, a kernel of 30 us that overlaps it for 20 us; the second step has
    another kernel of 20 us. `extra` makes the first kernel longer; `clocks` are samples, one per step."""
    trace = TraceBuilder()
    for number, start in enumerate((0, 100)):
        if marked:
            trace.step(number + 1, start, start + 100)
        trace.op("aten::mm", start + 10, start + 50)
        trace.kernel("gemm", start + 30, start + 60 + extra, launch=(start + 12, start + 14))
    trace.kernel("copy", 170, 190, launch=(115, 116))
    for number, clock in enumerate(clocks):
        trace.counter("GPU 0 Frequency", number * 100, pid=0, **{"GPU Frequency": clock})
    return trace


def sides(normal: TraceBuilder, abnormal: TraceBuilder, beta: str = "total") -> StepsAsCycles:
    return trace_cycles(summary(normal), summary(abnormal), (ONE, ONE), beta)


def shares(table: CycleTable, metric: str | None = None) -> dict[tuple[str, str], list[float]]:
    """(function, device) -> share of each cycle in percent."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in range(len(table)):
        own = table.strings[table.metric[row]] if table.metric[row] >= 0 else None
        if metric is None or own == metric:
            key = table.strings[table.function[row]], table.strings[table.device[row]]
            found.setdefault(key, []).append(round(float(table.beta_pct[row]), 9))
    return found


def test_a_step_is_a_cycle_and_its_events_are_functions() -> None:
    """Totals are sums of durations: they overlap, so 40 + 30 + 2 of 100 us are 40, 30 and 2 %."""
    table = sides(two_steps(), two_steps()).tables[0]
    assert shares(table) == {
        ("aten::mm", "Host"): [40.0, 40.0],
        ("cudaLaunchKernel", "Host"): [2.0, 3.0],
        ("gemm", "GPU"): [30.0, 30.0],
        ("copy", "GPU"): [0.0, 20.0],  # a step without it is zero, not absent
    }
    assert sorted(set(table.cycle.tolist())) == [1, 2]
    assert set(table.cycle_us.tolist()) == {100.0}
    assert table.anchors() == ("ProfilerStep",)


def test_exclusive_shares_sum_to_the_step() -> None:
    """The kernel owns its span; the operator owns the 20 µs before it, less its launch."""
    table = sides(two_steps(), two_steps(), EXCLUSIVE).tables[0]
    found = shares(table)
    assert found["gemm", "GPU"] == [30.0, 30.0]
    assert found["aten::mm", "Host"] == [18.0, 17.0]
    assert found["(nothing recorded)", "Host"] == [50.0, 30.0]
    for cycle in (1, 2):
        assert np.isclose(table.beta_pct[table.cycle == cycle].sum(), 100.0)
    assert table.duration_us is not None and np.isclose(table.duration_us.sum(), 200.0)


def test_functions_without_a_counter_have_a_row() -> None:
    table = sides(two_steps(), two_steps()).tables[0]
    assert {table.strings[code] for code in table.metric.tolist()} == {"none"}
    assert set(table.mu_pct.tolist()) == {0.0}


def test_a_device_counter_is_attached_to_device_functions_in_its_own_unit() -> None:
    """A clock of 1,410 MHz is 1,410, not 141,000."""
    found = sides(two_steps(clocks=(1410, 1410)), two_steps(clocks=(1410, 210)))
    normal, abnormal = found.tables
    assert set(shares(abnormal, "GPU Frequency")) == {("gemm", "GPU"), ("copy", "GPU")}
    assert set(shares(abnormal, "none")) == {("aten::mm", "Host"), ("cudaLaunchKernel", "Host")}
    gemm = abnormal.function == abnormal.strings.find("gemm")
    assert abnormal.mu_pct[gemm].tolist() == [1410.0, 210.0]
    assert normal.mu_pct[normal.function == normal.strings.find("gemm")].tolist() == [1410.0, 1410.0]
    (facts,) = found.counters
    assert (facts.name, facts.device, facts.covered) == ("GPU Frequency", "GPU", (1.0, 1.0))


def test_a_step_without_a_sample_is_marked_as_interpolated() -> None:
    """The second step keeps the value of the first."""
    table = sides(two_steps(clocks=(1410,)), two_steps(clocks=(1410,))).tables[0]
    gemm = table.function == table.strings.find("gemm")
    assert table.interpolated is not None
    assert table.interpolated[gemm].tolist() == [False, True]
    drawn = summary(two_steps(clocks=(1410,)))
    rows = rows_of(strict_answer(sides_of_traces(drawn, drawn), None).tables["triplets"])
    assert (rows["gemm"]["sampled_a"], rows["aten::mm"]["sampled_a"]) == (0.5, None)


def test_a_counter_of_one_side_only_is_left_out_and_named() -> None:
    found = sides(two_steps(clocks=(1410, 1410)), two_steps())
    assert set(shares(found.tables[0], "none")) == set(shares(found.tables[0]))
    answer = strict_answer(sides_of_traces(summary(two_steps(clocks=(1410,))), summary(two_steps())), None)
    assert answer.units == ("GPU Frequency of GPU: only on the normal side, left out",)


def test_names_of_several_categories_are_one_function() -> None:
    """A launch and an operator of one name add up."""
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("work", 0, 10)
    trace.call("work", 20, 50)
    table = sides(trace, trace).tables[0]
    assert shares(table)["work", "Host"] == [40.0]


def test_a_new_kernel_is_added_in_the_corrected_columns() -> None:
    """The published score of a new kernel is 0."""
    with_copy, without = two_steps(), TraceBuilder()
    for number, start in enumerate((0, 100)):
        without.step(number + 1, start, start + 100)
        without.op("aten::mm", start + 10, start + 50)
        without.kernel("gemm", start + 30, start + 60, launch=(start + 12, start + 14))
    answer = strict_answer(sides_of_traces(summary(without), summary(with_copy)), None)
    copy = rows_of(answer.tables["triplets"])["copy"]
    assert (copy["score"], copy["status"]) == (0.0, "added")
    assert (copy["normal_us"], copy["abnormal_us"], copy["delta_us"]) == (None, 10.0, 10.0)
    assert (copy["cycles_a"], copy["cycles_b"]) == (0, 1)


def test_swapped_sides_negate_deltas_and_exchange_added_and_removed() -> None:
    a, b = summary(two_steps(clocks=(1410, 1000))), summary(two_steps(extra=7, clocks=(900, 210)))
    names = ["delta_us", "beta_delta", "mu_delta"]
    found = []
    for pair in ((a, b), (b, a)):
        table = strict_answer(sides_of_traces(*pair), None).tables["triplets"]
        places = [[column.name for column in table.columns].index(name) for name in names]
        found.append({row[:3]: [row[place] for place in places] for row in table.rows})
    assert found[0].keys() == found[1].keys()
    for key, figures in found[0].items():
        assert figures == [-value for value in found[1][key]], key


def test_a_run_against_itself_has_no_finding() -> None:
    own = summary(two_steps(clocks=(1410, 1000)))
    answer = strict_answer(sides_of_traces(own, own), None)
    assert answer.report is not None
    assert not answer.report.score.any() and not answer.report.beta.delta.any()


# -- which goes with which ------------------------------------------------------------------------------------------


def test_workers_are_paired_by_rank() -> None:
    normal = [WorkerName("a-rank1", 1), WorkerName("a-rank0", 0)]
    abnormal = [WorkerName("b-rank0", 0), WorkerName("b-rank2", 2)]
    ours, theirs, pairs = numbered_workers(normal, abnormal)
    assert (ours, theirs) == ({"a-rank1": 1, "a-rank0": 0}, {"b-rank0": 0, "b-rank2": 2})
    same, cross = pairs
    assert same == ProcessPair(0, 0, "rank", ("a-rank0", "b-rank0"))
    assert (cross.strict, cross.described) == (False, "rank 1 against 2 (a-rank1 against b-rank2)")
    assert cross.labels == ("normal_rank_1", "abnormal_rank_2")


def test_single_workers_without_a_rank_are_paired() -> None:
    ours, theirs, pairs = numbered_workers([WorkerName("host_abc")], [WorkerName("host_xyz")])
    assert (ours, theirs) == ({"host_abc": 0}, {"host_xyz": 0})
    assert pairs == (ProcessPair(0, 0, "worker", ("host_abc", "host_xyz")),)
    assert pairs[0].described == "worker 0 (host_abc against host_xyz)"


def test_an_extra_worker_has_no_partner() -> None:
    ours, theirs, pairs = numbered_workers([WorkerName("x"), WorkerName("y")], [WorkerName("x")])
    assert (ours, theirs) == ({"x": 0, "y": 1}, {"x": 0})
    assert [pair.described for pair in pairs] == ["worker 0 (x)"]


def test_each_worker_is_a_process_with_its_own_functions() -> None:
    alone = TraceBuilder()
    alone.step(1, 0, 100)
    alone.op("only here", 0, 10)
    side = pool([summary(two_steps()), summary(alone, worker="worker1")])
    numbers = {"worker0": 0, "worker1": 1}
    table = trace_cycles(side, side, (numbers, numbers)).tables[0]
    assert table.pids() == (0, 1)
    assert set(shares(table.of_pid(1))) == {("only here", "Host")}
    assert ("gemm", "GPU") in shares(table.of_pid(0))


# -- what is refused ------------------------------------------------------------------------------------------------


def test_steps_are_not_compared_with_a_whole_recording() -> None:
    with pytest.raises(NotComparable, match=r"ProfilerStep on the normal side and \(whole recording\) on the abnormal"):
        sides(two_steps(), two_steps(marked=False))
    assert sides(two_steps(marked=False), two_steps(marked=False)).tables[0].anchors() == ("(whole recording)",)


def refusal(*words: str | Path) -> str:
    found = tb_perfcompare("strict", *words)
    assert (found.status, found.out) == (2, "")
    return found.err


def test_sources_without_steps_are_refused_with_the_reason() -> None:
    folder = Path(__file__).parents[2] / "demo_logs"
    listing = sorted((folder / "kernel_listing_synthetic").rglob("*.txt"))[0]
    text = refusal(listing, listing)
    assert "has launches that are not cut into steps (kernel listing): no cycles to compare" in text


@needs_shared
def test_saved_answers_are_refused_with_the_reason() -> None:
    answers = f"{SHARED}/kineto/api_answers.jsonl"
    assert "holds saved answers: totals and means" in refusal(f"{answers}#1", f"{answers}#2")


def test_a_table_is_not_compared_with_a_trace(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    assert "the normal side is a per-cycle table and the abnormal side is not" in refusal(NORMAL, run)
    assert "give two per-cycle tables, or two traces" in refusal(run, NORMAL)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_path_that_does_not_exist_is_named(tmp_path: Path, swapped: bool) -> None:
    sides = (write_run(tmp_path / "run"), tmp_path / "nowhere")
    assert "nowhere: No such file or directory" in refusal(*(sides[::-1] if swapped else sides))


# -- as typed -------------------------------------------------------------------------------------------------------


def test_the_command_takes_runs_of_traces(tmp_path: Path) -> None:
    normal, abnormal = write_pair(tmp_path)
    found = tb_perfcompare("strict", normal, abnormal)
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith("# Strict Performance Comparison: normal against abnormal (Rank: 0)\n")
    assert "driven by changes in **`enumerate(DataLoader).__next__`**" in found.out
    assert "| Total Cycles        | 8" in found.out
    exclusive = tb_perfcompare("strict", normal, abnormal, "--beta", "exclusive", "--steps", "2-5", "--name", "mine")
    assert exclusive.out.startswith("# Strict Performance Comparison: mine (Rank: 0)\n")
    assert "| Total Cycles        | 4" in exclusive.out and "(nothing recorded)" in exclusive.out


def test_an_unreadable_file_is_named_in_a_note(tmp_path: Path) -> None:
    normal, abnormal = write_pair(tmp_path)
    write_garbage(abnormal)
    found = tb_perfcompare("strict", normal, abnormal)
    assert found.status == 0
    assert found.err.startswith("note: abnormal: broken.1700000000009.pt.trace.json: left out: ")


def test_worker_span_and_pid_narrow_a_side(tmp_path: Path) -> None:
    normal, abnormal = write_run(tmp_path / "n", spans=2), write_run(tmp_path / "a")
    write_run(normal, worker="worker1")
    every = tb_perfcompare("strict", normal, abnormal)
    assert "| Total Cycles        | 16" in every.out and "(Rank: 0)" in every.out
    chosen = [normal, abnormal, "--normal-worker", "worker1"]
    assert "the normal side has no rank 0; there are: 1" in refusal(*chosen, "--pid", "0")
    cross = "# Cross Performance Comparison: n against a (Normal Rank:1 vs Abnormal Rank:0)\n"
    assert tb_perfcompare("strict", *chosen).out.startswith(cross)
    asked = tb_perfcompare("strict", normal, abnormal, "--normal-pid", "1", "--abnormal-pid", "0")
    assert asked.out.startswith(cross)
    span = tb_perfcompare("strict", normal, abnormal, "--normal-span", "2", "--step-window", "marker")
    assert "| Total Cycles        | 8" in span.out


def test_options_of_traces_are_refused_for_tables() -> None:
    assert "--worker is for traces; choose a process of a table with --pid" in refusal(
        NORMAL, ABNORMAL, "--worker", "toy"
    )


def test_a_counters_file_adds_counters_to_traces(tmp_path: Path) -> None:
    normal, abnormal = write_pair(tmp_path)
    words = []
    for side, clock in (("normal", 1410), ("abnormal", 210)):
        path = tmp_path / f"{side}_counters_data.csv"
        lines = [f"gpu_frequency,{1700000000000000 + 500 * at},{clock}," for at in range(30)]
        path.write_text("counter_name,timestamp,value,hostname\n" + "\n".join(lines) + "\n", "utf-8")
        words += [f"--{side}-counters", path]
    found = tb_perfcompare("strict", normal, abnormal, "--banner", *words)
    assert (found.status, found.err) == (0, "")
    assert "Units of μ: gpu_frequency of GPU MHz, mean over the step weighted by time" in found.out
    rows = [[cell.strip() for cell in line.split("|")] for line in found.out.splitlines() if "gpu_frequency" in line]
    assert ["gemm_128x128", "gpu_frequency", "GPU"] in [row[1:4] for row in rows]
    assert {(row[11], row[12]) for row in rows if len(row) > 12} == {("1,410.00", "210")}


@needs_shared
@pytest.mark.parametrize("beta", ["total", "exclusive"])
def test_the_recorded_resnet_runs_lead_with_the_loader(beta: str) -> None:
    """num_workers 0 against 4: 12 and 12 steps."""
    folder = SHARED / "kineto"
    found = tb_perfcompare(
        "strict", folder / "resnet50_num_workers_0", folder / "resnet50_num_workers_4", "--beta", beta, "--banner"
    )
    assert (found.status, found.err) == (0, "")
    assert "| Total Cycles        | 12         | 12" in found.out
    assert "**`enumerate(DataLoader).__next__` on device `Host`:**" in found.out
    assert "> - #11: 2 and 2 recordings per side" in found.out


def test_the_demo_runs_have_a_report() -> None:
    folder = Path(__file__).parents[2] / "demo_logs" / "gpu_training_synthetic"
    runs = sorted(path for path in folder.iterdir() if path.is_dir())
    found = tb_perfcompare("strict", runs[0], runs[1], "--banner")
    assert found.status == 0, found.err
    assert "# Strict Performance Comparison: " in found.out


def row_count(trace: TraceBuilder) -> int:
    side = summary(trace)
    return len(sides_of_traces(side, side).tables[0])


def test_rows_are_functions_times_steps_times_counters() -> None:
    """Host functions without a counter have a row per step; the two kernels one per step and counter."""
    assert row_count(two_steps()) == (2 + 2) * 2
    trace = two_steps(clocks=(1, 2))
    for at in (0, 100):
        trace.counter("GPU 0 Utilization", at, pid=0, **{"GPU Utilization": 0.5})
    assert row_count(trace) == (2 + 2 * 2) * 2
