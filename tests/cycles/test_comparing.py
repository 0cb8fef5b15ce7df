"""Comparisons of two tables: checks, findings, counters."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tb_perfcompare.comparison.ledger.ledger import WHOLE_CYCLE
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.errors import NotComparable
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.categories import OVERLAPPING
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.render.wire import json_encoding as wire
from tests.analysis.summaries import summary as trace_summary
from tests.build import TraceBuilder
from tests.comparison.compare import check_of, compare, rows_of
from tests.cycles.drawn import HEADER, Fn, cycle, drawn, gemm, host

LENGTHS = (1000, 1010, 990, 1004, 996, 1002, 998, 1006)


def server(folder: Path, name: str = "a", *, times: float = 1.0, longer: float = 0.0, mhz: float = 1410.0) -> Summary:
    """Eight cycles of about 1 s: device functions take `times` as long at a clock of `mhz`."""
    return drawn(
        folder,
        *(
            cycle(
                n, 1000 * (length + longer),
                gemm(45_000 * times + 3 * n % 8, 60, gpu_frequency=100 * mhz, gpu_usage=4.5 * times),
                Fn("cast", 5_000 * times + 5 * n % 8, 20), Fn("norm", 4_000 * times, 20), host(1_200_000 + n % 3),
            )
            for n, length in enumerate(LENGTHS, 1)
        ),
        name=name,
    )  # fmt: skip


def status(got: Comparison, name: str) -> tuple[str, str]:
    check = check_of(got, name)
    return check.status, check.detail


def finding(got: Comparison, rule: str, subject: str = "") -> Finding:
    return next(found for found in got.findings if found.rule == rule and subject in found.subject)


def test_slower_functions_in_a_cycle_that_is_not_slower(tmp_path: Path) -> None:
    """Device functions take 3.6 times as long at a seventh of the clock; the cycle stays the same."""
    got = compare(server(tmp_path), server(tmp_path, "b", times=3.6, mhz=210))
    assert (got.headline.metric, got.headline.verdict) == ("cycle_time", Verdict.SAME)
    cause = finding(got, "function_time")
    assert cause.subject == "GPU functions"
    assert cause.sentence == (
        "GPU functions: +140 ms per cycle (54.0 → 194 ms, ×3.60), but the cycle is not slower; "
        "100 calls per cycle; functions ×3.60 per call across the board; "
        "gemm +117 ms; gpu_frequency of GPU 0 1,410 → 210 MHz (interpolated); "
        "gpu_usage of GPU 0 4.50 → 16.2 % (interpolated)."
    )
    assert cause.share is None
    assert [evidence.table for evidence in cause.evidence] == ["functions", "counters", "counters"]
    assert len([found for found in got.findings if found.rule == "function_time"]) == 1


def test_a_slower_cycle_is_not_contrasted_in_the_sentence(tmp_path: Path) -> None:
    got = compare(server(tmp_path), server(tmp_path, "b", times=3.6, longer=140))
    assert got.headline.verdict is Verdict.SLOWER
    assert "but the cycle" not in finding(got, "function_time").sentence


def test_swapped_sides_mirror_the_sentence(tmp_path: Path) -> None:
    got = compare(server(tmp_path, times=3.6), server(tmp_path, "b"))
    text = finding(got, "function_time").sentence
    assert text.startswith("GPU functions: −140 ms per cycle (194 → 54.0 ms, ×0.278), but the cycle is not faster")


def test_the_shorter_cycle_decides_what_matters_in_either_order(tmp_path: Path) -> None:
    """5.4 ms are more than 0.2 % of 1 s, and less than 0.2 % of 5 s."""
    short, long = server(tmp_path), server(tmp_path, "b", times=1.1, longer=4000)
    for got in (compare(short, long), compare(long, short)):
        assert finding(got, "function_time").subject == "GPU functions"


def test_new_and_removed_functions_are_named(tmp_path: Path) -> None:
    before = drawn(tmp_path, *(cycle(n, 1e6 + n, gemm(9000), host(9)) for n in range(1, 9)))
    after = drawn(
        tmp_path, *(cycle(n, 1e6 + n, gemm(9000), host(9), host(50_000, "runq")) for n in range(1, 9)), name="b"
    )
    assert "runq) are new: +50.0 ms per cycle" in finding(compare(before, after), "function_time", "runq").sentence
    assert "runq) are gone: −50.0 ms per cycle" in finding(compare(after, before), "function_time", "runq").sentence


def test_more_calls_are_separated_from_slower_ones(tmp_path: Path) -> None:
    before = drawn(tmp_path, *(cycle(n, 1e6 + n, Fn("a", 1e4, 10), Fn("b", 1e4, 10)) for n in range(1, 9)))
    after = drawn(tmp_path, *(cycle(n, 1e6 + n, Fn("a", 2e4, 12), Fn("b", 1e4, 10)) for n in range(1, 9)), name="b")
    got = compare(before, after)
    assert "20 → 22 calls per cycle; a +10.0 ms" in finding(got, "function_time").sentence
    row = rows_of(got.tables["functions"])["a"]
    assert (row["delta_us"], row["count_effect_us"], row["rate_effect_us"]) == (
        10_000,
        pytest.approx(2_666.6667),
        pytest.approx(7_333.3333),
    )


def test_the_ledger_holds_the_whole_cycle_in_one_row(tmp_path: Path) -> None:
    got = compare(server(tmp_path), server(tmp_path, "b", longer=7))
    assert [row.path for row in got.ledger.rows] == [(WHOLE_CYCLE,), (WHOLE_CYCLE, OVERLAPPING)]
    assert got.ledger.delta == 7_000_000 * got.ledger.denominator == got.ledger.rows[1].delta
    assert "categories" not in got.tables
    assert any(note.where == "categories" and "overlap" in note.message for note in got.notes)


def test_the_tables_of_a_comparison(tmp_path: Path) -> None:
    got = compare(server(tmp_path), server(tmp_path, "b"))
    assert list(got.tables) == ["steps", "functions", "counters", "environment", "recommendations"]
    assert [column.name for column in got.tables["functions"].columns][:2] == ["name", "type"]
    assert "share" not in {column.name for column in got.tables["functions"].columns}
    assert got.tables["functions"].notes[0] == "Figures are those of the table (docs/inputs/perf_data.md)."
    assert [column.label for column in got.tables["steps"].columns][2:5] == ["Cycle", "Cycle time", "Device events"]


def test_different_anchors_withhold_the_verdict(tmp_path: Path) -> None:
    one = drawn(tmp_path, *(cycle(n, 1e6 + n, gemm(9000, gpu_usage=9)) for n in range(1, 9)))
    two = drawn(tmp_path, *(cycle(n, 4e4 + n, gemm(9000, gpu_usage=1), anchor="layer") for n in range(1, 9)), name="b")
    got = compare(one, two)
    assert got.headline.verdict is Verdict.WITHHELD
    assert status(got, "step_marker") == (
        "fail",
        "cycles of the baseline are calls of run_batch, those of the candidate of layer: their lengths are not "
        "comparable",
    )
    assert got.headline.delta is not None
    assert {found.rule for found in got.findings} == {"counter_moved"}, "a counter means the same in any cycle"


def test_an_anchor_that_is_not_recorded_is_a_warning(tmp_path: Path) -> None:
    header = [name for name in HEADER if name != "anchor_name"]
    one = drawn(tmp_path, cycle(1, 1e6, gemm(9000)), header=header)
    got = compare(one, server(tmp_path, "b"))
    assert status(got, "step_marker")[0] == "warn"


@pytest.mark.parametrize(
    ("other", "expected", "says"),
    [
        ([Fn("gemm", 10, 96), Fn("cast", 10, 4)], "ok", "96.1 % of the device launches per cycle are shared by name"),
        ([Fn("gemm", 10, 70), Fn("new", 10, 10)], "warn", "1 name only in the candidate (new)"),
        ([Fn("other", 10, 100)], "fail", "different work: 0 % of the device launches"),
    ],
)
def test_shared_launches_decide_between_ok_warn_and_fail(
    tmp_path: Path, other: list[Fn], expected: str, says: str
) -> None:
    one = drawn(tmp_path, *(cycle(n, 1000 + n, Fn("gemm", 10, 98), Fn("cast", 10, 2)) for n in range(1, 9)))
    got = compare(one, drawn(tmp_path, *(cycle(n, 1000 + n, *other) for n in range(1, 9)), name="b"))
    assert status(got, "functions")[0] == expected and says in status(got, "functions")[1]
    assert (got.headline.verdict is Verdict.WITHHELD) == (expected == "fail")


def test_the_device_number_does_not_matter(tmp_path: Path) -> None:
    one = drawn(tmp_path, *(cycle(n, 1000 + n, gemm(10)) for n in range(1, 9)))
    two = drawn(tmp_path, *(cycle(n, 1000 + n, replace(gemm(10), device="GPU 7")) for n in range(1, 9)), name="b")
    got = compare(one, two)
    assert status(got, "functions")[0] == "ok"
    assert rows_of(got.tables["functions"])["gemm"]["status"] == "both"


def test_other_machines_and_processes_are_warnings(tmp_path: Path) -> None:
    one = drawn(tmp_path, cycle(1, 1000, gemm(10), hostname="n1"))
    two = drawn(tmp_path, cycle(1, 1000, gemm(10), replace(gemm(10), pid=8), hostname="n2"), name="b")
    got = compare(one, two)
    assert status(got, "hosts") == ("warn", "recorded on different hosts: n1 vs n2")
    assert status(got, "processes") == ("warn", "1 vs 2 processes: times are sums over processes")
    assert status(compare(one, one), "hosts")[0] == "ok"


def test_uncounted_calls_have_no_columns(tmp_path: Path) -> None:
    header = [name for name in HEADER if name != "instances_count"]
    one = drawn(tmp_path, *(cycle(n, 1000 + n, gemm(10)) for n in range(1, 9)), header=header)
    got = compare(one, one)
    assert status(got, "functions")[0] == "warn"
    names = {column.name for column in got.tables["functions"].columns}
    assert not names & {"baseline_calls", "candidate_calls", "count_effect_us", "rate_effect_us"}
    assert {row[4] for row in got.tables["steps"].rows} == {None}


def without(column: str) -> list[str]:
    return [name for name in HEADER if name != column]


def test_calls_that_one_side_does_not_count_are_not_zero(tmp_path: Path) -> None:
    cycles = [cycle(n, 1000, gemm(20 + n % 3), host(900)) for n in range(1, 9)]
    slower = [cycle(n, 1000, gemm(60 + n % 3), host(900)) for n in range(1, 9)]
    got = compare(drawn(tmp_path, *cycles), drawn(tmp_path, *slower, header=without("instances_count"), name="b"))
    assert "calls" not in finding(got, "function_time").sentence


@pytest.mark.parametrize("untyped", [0, 1])
def test_functions_without_types_join_those_that_have_one(tmp_path: Path, untyped: int) -> None:
    """A host function has the same name as a kernel."""
    sides = [
        drawn(
            tmp_path,
            *(cycle(n, 1000, gemm(us + n % 3), Fn("cast", 5), host(900), host(3, name="gemm")) for n in range(1, 9)),
            header=without("func_type") if side == untyped else HEADER, name=f"side{side}",
        )
        for side, us in enumerate((20, 60))
    ]  # fmt: skip
    got = compare(*sides)
    assert {(row[0], row[1]) for row in got.tables["functions"].rows} == {
        ("gemm", "gpu_compute"), ("cast", "gpu_compute"), ("oncpu", "oncpu"), ("gemm", "gemm"),
    }  # fmt: skip
    assert [found.subject for found in got.findings] == ["GPU functions"]


def test_functions_whose_names_the_build_numbers_differently_are_joined(tmp_path: Path) -> None:
    """A function of the host keeps its name."""
    sides = [
        drawn(
            tmp_path,
            *(
                cycle(n, 1000, gemm(20), Fn(f"void add<at::{{lambda(float)#{build}}}>(int)", 5), host(9, f"f_{build}"))
                for n in range(1, 9)
            ),
            name=f"b{build}",
        )
        for build in (1, 2)
    ]
    got = compare(*sides)
    assert sorted(str(row["status"]) for row in rows_of(got.tables["functions"]).values()) == [
        "added", "both", "both", "removed",
    ]  # fmt: skip
    assert status(got, "functions")[0] == "ok"


def in_unit(folder: Path, factor: float, *columns: str, name: str) -> Summary:
    rows = [cycle(n, 1000 + n % 3, gemm(200 + n % 3), host(900)) for n in range(1, 9)]
    for row in (row for some in rows for row in some):
        row.update({column: float(row[column]) * factor for column in columns})
    return drawn(folder, *rows, name=name)


@pytest.mark.parametrize(
    ("columns", "factor", "says"),
    [
        (("duration",), 1e-3, "candidate: duration is 0.001 times what beta_pct of anchor_dur_us is"),
        (("anchor_dur_us",), 1e-3, "candidate: duration is 1,000 times what beta_pct of anchor_dur_us is"),
        (("beta_pct",), 1e-2, "candidate: duration is 100 times what beta_pct of anchor_dur_us is"),
        (("anchor_dur_us", "duration"), 1e-3, "cycles of the baseline are 1,000 times as long as those of the candida"),
        (("anchor_dur_us", "duration"), 1e3, "cycles of the candidate are 1,000 times as long as those of the baseli"),
    ],
)
def test_tables_in_different_units_are_not_compared(
    tmp_path: Path, columns: tuple[str, ...], factor: float, says: str
) -> None:
    odd = in_unit(tmp_path, factor, *columns, name="b")
    got = compare(in_unit(tmp_path, 1, name="a"), odd)
    assert got.headline.verdict is Verdict.WITHHELD and says in status(got, "units")[1]
    if len(columns) == 1:
        assert status(compare(odd, in_unit(tmp_path, factor, *columns, name="c")), "units")[0] == "warn"


def test_rounded_columns_agree(tmp_path: Path) -> None:
    got = compare(in_unit(tmp_path, 1.3, "beta_pct", name="a"), in_unit(tmp_path, 1, name="b"))
    assert status(got, "units") == ("ok", "times and shares agree")


def test_many_incomplete_cycles_have_a_note_with_their_verdict(tmp_path: Path) -> None:
    """Three of eight cycles lost launches; with them the candidate would be slower."""
    one = drawn(tmp_path, *(cycle(n, 1000 + n, gemm(10, 50)) for n in range(1, 9)))
    two = drawn(
        tmp_path, *(cycle(n, 1000 + n if n > 3 else 3000, gemm(10, 50 if n > 3 else 20)) for n in range(1, 9)), name="b"
    )
    got = compare(one, two)
    assert (got.candidate.steps_total, got.candidate.steps_admitted) == (8, 5)
    messages = [note.message for note in got.notes if note.code is NoteCode.STEPS_DROPPED and "as well" in note.message]
    (message,) = messages
    assert message.startswith("with the incomplete cycles as well, 8 and 8 of them, the verdict")


def test_a_table_against_itself_has_zero_deltas(tmp_path: Path) -> None:
    one = server(tmp_path)
    got = compare(one, one)
    assert (got.headline.verdict, got.headline.delta, got.findings) == (Verdict.SAME, 0, ())
    for table in got.tables.values():
        for place, column in enumerate(table.columns):
            if column.role == "delta":
                assert all(not row[place] for row in table.rows)


def test_swapping_the_sides_negates_every_delta(tmp_path: Path) -> None:
    one, two = server(tmp_path), server(tmp_path, "b", times=2.0, longer=60, mhz=900)
    forward, swapped = compare(one, two), compare(two, one)
    assert forward.headline.delta == -(swapped.headline.delta or 0) and forward.ledger.delta == -swapped.ledger.delta
    assert (forward.headline.verdict, swapped.headline.verdict) == (Verdict.SLOWER, Verdict.FASTER)
    for name in ("functions", "counters"):
        keys = [i for i, column in enumerate(forward.tables[name].columns) if column.role == "key"]
        opposite = {tuple(row[i] for i in keys): row for row in swapped.tables[name].rows}
        for row in forward.tables[name].rows:
            for i, column in enumerate(forward.tables[name].columns):
                if column.role == "delta" and row[i] is not None:
                    assert row[i] == -opposite[tuple(row[i] for i in keys)][i]


def test_the_comparison_encodes_as_json(tmp_path: Path) -> None:
    answer = json.loads(wire.encode(compare(server(tmp_path), server(tmp_path, "b", mhz=210)).to_dict()))
    assert answer["baseline"]["format"] == "perf_data"
    moved = next(found for found in answer["findings"] if found["rule"] == "counter_moved")
    assert moved["delta_us"] is None and moved["share"] is None


def test_a_table_and_a_trace_are_not_comparable(tmp_path: Path) -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    with pytest.raises(NotComparable, match="the baseline gives cycle time, the candidate step time"):
        compare(server(tmp_path), trace_summary(trace))
