"""Ranks that do more work than before, which is counted: certain even if times vary more between captures."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.rank_mean import RankMean
from tb_perfcompare.comparison.causes.detectors.ranks.uneven_work import uneven_work_rules
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.ranks import sides
from tb_perfcompare.comparison.ranks.job import Job, job_of
from tb_perfcompare.comparison.ranks.uneven_work import WorkChange, work_text
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.amounts import amounts_of_work
from tb_perfcompare.model.summary.summary import Summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture, compare, finding_of, rows_of, rules_of
from tests.planted.test_sentences import MOST_WORDS

NOISY = (0.7, 1.35)
"""Pace of the machine in two captures of a side."""

CALLS, CALL_US = 5, 200.0
PARTS = ("own_delta_us", "exposed_waiting_delta_us", "other_communication_delta_us")


def drawn(
    ranks: int, *, lengths: Mapping[int, float] | None = None, calls: Mapping[int, int] | None = None,
    pace: Mapping[int, float] | None = None, machine: tuple[float, ...] = NOISY, steps: int = 6, seed: int = 0,
    random_lengths: bool = False, missing: int | None = None, connected: bool = True,
    collectives: int = 1, idle_us: float = 10, name: str = "a",
) -> list[Summary]:  # fmt: skip
    """Captures of ranks on the CPU that multiply matrices, then wait for the last one in a collective. By rank:
    `lengths` of the inputs and number of `calls` relative to the usual ones, and `pace` of its processor."""
    lengths, calls, pace = lengths or {}, calls or {}, pace or {}
    chance, made = random.Random(seed), []
    for number, factor in enumerate(machine):
        traces = [TraceBuilder(vendor="cpu", rank=rank, world_size=ranks) for rank in range(ranks)]
        at = 0.0
        for step in range(1, steps + 1):
            ends = []
            for rank, trace in enumerate(traces):
                now = at + idle_us
                size = round(400 * lengths.get(rank, 1) * (chance.uniform(0.5, 1.5) if random_lengths else 1))
                for _ in range(CALLS * calls.get(rank, 1)):
                    took = CALL_US * size / 400 * factor * pace.get(rank, 1) * chance.uniform(0.97, 1.03)
                    trace.op("aten::mm", now, now + took, dims=[[16, size], [size, 64]])
                    now += took + 1
                ends.append(now)
            last = max(ends) + 2000 * factor * collectives
            for trace, end in zip(traces, ends, strict=True):
                if connected:
                    begins = [end + 1, *(last - 2000 * factor * left for left in range(collectives - 1, 0, -1))]
                    for begin, until in zip(begins, [*begins[1:], last], strict=True):
                        trace.annotation("gloo:all_reduce", begin, until - 1)
                trace.step(step, at, last + 5 if connected else end + 5)
            at = last + 10
        made += [
            capture(trace, str(number), f"{name}{rank}") for rank, trace in enumerate(traces) if rank != missing
        ]
    return made


@cache
def usual(ranks: int, *, connected: bool = True) -> Summary:
    """A job whose ranks all do the same, made once."""
    return pool(drawn(ranks, connected=connected))


@cache
def uneven(ranks: int, changed: int | None = 1, by: float = 2.0, missing: int | None = None) -> Comparison:
    """A job against itself with longer inputs on one rank; processes have other names on the two sides."""
    lengths = {} if changed is None else {changed: by}
    return compare(usual(ranks), pool(drawn(ranks, lengths=lengths, seed=1, name="b", missing=missing)))


def stands_out(found: Comparison) -> dict[str, str]:
    return {rank: row["stands_out"] for rank, row in rows_of(found.tables["ranks"]).items()}


@pytest.mark.parametrize("ranks", [2, 8])
def test_a_rank_with_larger_inputs_is_named_though_times_vary_between_captures(ranks: int) -> None:
    found = uneven(ranks)
    assert [rank for rank, word in stands_out(found).items() if word != "like the others"] == ["rank 1"]
    assert stands_out(found)["rank 1"] == "more work"
    late = finding_of(found, "late_rank")
    assert late is found.findings[0]
    assert late.subject == "rank 1"
    others = "the other rank" if ranks == 2 else "the other ranks"
    work = f"Rank 1 does more work than before: FLOPs ×2.00, input elements ×2.00 ({others} as before); "
    assert late.sentence.startswith(f"{work}ranks wait longer in collectives: +")
    assert late.confidence.startswith("certain: the work of each rank is counted")
    text = " ".join(found.tables["ranks"].notes)
    assert f"{work}its own work (without waiting) takes +" in text
    assert f"vs {others}: aten::mm +" in late.sentence
    assert ("the other ranks" in f"{late.sentence} {text}", "the others" in text) == (ranks > 2, ranks > 2)
    assert "No rank stands out" not in text


def test_larger_inputs_of_one_rank_are_counted_by_the_verdict() -> None:
    """The steps of a job differ between its ranks, but those of each rank have the same inputs."""
    before, after = (
        pool(drawn(2, lengths=lengths, machine=(0.9, 1.1), seed=seed)) for seed, lengths in enumerate(({}, {1: 2.0}))
    )
    one, two = compare(before, after).headline, compare(after, before).headline
    assert (one.verdict, two.verdict) == (Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER)
    assert one.counted is not None and one.counted.noun == "input elements"


def test_what_is_left_against_the_change_does_not_outweigh_the_inputs() -> None:
    """50 us of untraced time are gone, while the step takes 1 ms longer."""
    found = compare(pool(drawn(2, idle_us=60)), pool(drawn(2, lengths={1: 2}, seed=1)))
    assert finding_of(found, "workload_changed").sentence.endswith("other causes explain the step's change.")


def test_the_columns_of_a_rank_add_up_to_its_change() -> None:
    for row in rows_of(uneven(8).tables["ranks"]).values():
        assert sum(row[part] for part in PARTS) == pytest.approx(row["delta_us"], abs=1e-6)
        assert row["exposed_waiting_delta_us"] == pytest.approx(row["waiting_delta_us"], abs=1e-6)


def test_waiting_behind_computation_is_no_part_of_the_step() -> None:
    """On another thread and stream: 200 of 300 us of the collective run beside a kernel."""
    made = []
    for rank, waits in enumerate((250.0, 0.0)):
        trace, at = TraceBuilder(rank=rank, world_size=2), 0.0
        for step in range(1, 9):
            trace.kernel("gemm", at + 20, at + 500, launch=(at + 3, at + 8))
            trace.collective("all_reduce", (at + 22, at + 24), (at + 550 - waits, at + 600), group=2)
            trace.step(step, at, at + 650)
            at += 700
        made.append(capture(trace, "1", f"w{rank}"))
    job = pool(made)
    rows = rows_of(compare(job, job).tables["ranks"])
    assert rows["rank 0"]["baseline_waiting_us"] == pytest.approx(250)
    assert rows["rank 0"]["baseline_exposed_waiting_us"] == pytest.approx(100)
    assert rows["rank 0"]["baseline_other_communication_us"] == pytest.approx(0)
    assert rows["rank 1"]["baseline_other_communication_us"] == pytest.approx(50)


def test_swapped_sides_mirror() -> None:
    before, after = usual(4), pool(drawn(4, lengths={1: 2}, seed=1, name="b"))
    one, two = compare(before, after), compare(after, before)
    assert stands_out(two)["rank 1"] == "less work"
    late, back = finding_of(one, "late_rank"), finding_of(two, "late_rank")
    assert back.delta_us == pytest.approx(-(late.delta_us or 0))
    assert back.sentence.startswith("Rank 1 does less work than before: FLOPs ×0.500, input elements ×0.500 (the")
    rows, mirrored = (rows_of(found.tables["ranks"]) for found in (one, two))
    for rank, row in rows.items():
        assert all(row[part] == -mirrored[rank][part] for part in PARTS)


def test_a_job_against_itself_has_no_uneven_work() -> None:
    job = pool(drawn(4, lengths={1: 2}))
    found = compare(job, job)
    assert found.findings == ()
    assert set(stands_out(found).values()) == {"like the others"}


def test_a_rank_with_more_calls_is_named() -> None:
    found = compare(usual(4), pool(drawn(4, calls={2: 2}, seed=1)))
    assert stands_out(found)["rank 2"] == "more work"
    assert "operator calls ×" in finding_of(found, "late_rank").sentence
    assert finding_of(found, "late_rank").subject == "rank 2"


def test_several_ranks_with_more_work_are_named() -> None:
    found = compare(usual(8), pool(drawn(8, lengths={1: 2, 6: 1.5}, seed=1)))
    assert [rank for rank, word in stands_out(found).items() if word == "more work"] == ["rank 1", "rank 6"]
    text = " ".join(found.tables["ranks"].notes)
    assert "Rank 1 does more work than before: FLOPs ×2.00" in text
    assert "Rank 6 does more work than before: FLOPs ×1.50" in text


def test_larger_inputs_on_all_ranks_name_none() -> None:
    found = compare(usual(4), pool(drawn(4, lengths=dict.fromkeys(range(4), 2.0), seed=1)))
    assert set(stands_out(found).values()) == {"like the others"}
    assert "late_rank" not in rules_of(found)
    assert not any("more work" in note for note in found.tables["ranks"].notes)


def test_a_slower_processor_is_no_more_work() -> None:
    found = compare(usual(4), pool(drawn(4, pace={1: 2}, seed=1)))
    assert "more work" not in stands_out(found).values()
    steady = compare(pool(drawn(4, machine=(1.0,))), pool(drawn(4, pace={1: 2}, machine=(1.0,), seed=1)))
    assert stands_out(steady)["rank 1"] == "slower"
    assert not any("more work" in note for note in steady.tables["ranks"].notes)


def test_stages_of_a_pipeline_are_compared_with_themselves() -> None:
    """Every stage does other work, on both sides alike; then all processors are slower, then one stage grows."""
    stages = {0: 1.0, 1: 3.0, 2: 2.0, 3: 0.5}
    before = pool(drawn(4, lengths=stages, machine=(1.0,)))
    slower = compare(before, pool(drawn(4, lengths=stages, pace=dict.fromkeys(range(4), 1.2), machine=(1.0,), seed=1)))
    assert set(stands_out(slower).values()) == {"like the others"}
    moved = compare(before, pool(drawn(4, lengths=stages | {2: 4.0}, machine=(1.0,), seed=1)))
    assert [rank for rank, word in stands_out(moved).items() if word != "like the others"] == ["rank 2"]
    assert any("Rank 2 does more work than before: FLOPs ×2.00" in note for note in moved.tables["ranks"].notes)


def test_a_rank_missing_on_one_side_does_not_hide_another() -> None:
    found = uneven(4, missing=3)
    assert stands_out(found)["rank 1"] == "more work"
    assert stands_out(found)["rank 3"] is None
    assert finding_of(found, "late_rank").subject == "rank 1"


def test_averaged_ranks_keep_their_counted_work() -> None:
    sides = []
    for captures in (drawn(20, steps=3), drawn(20, steps=3, lengths={14: 2}, seed=1, name="b")):
        mean = RankMean()
        for one in captures:
            mean.add(one)
        sides.append(mean.finish())
    assert sides[0] is not None and sides[1] is not None
    found = compare(sides[0], sides[1])
    assert [rank for rank, word in stands_out(found).items() if word != "like the others"] == ["rank 14"]
    assert finding_of(found, "late_rank").sentence.startswith("Rank 14 does more work than before: FLOPs ×2.00")


@pytest.mark.parametrize("seed", range(8))
def test_inputs_that_vary_by_chance_name_no_rank(seed: int) -> None:
    sides = [pool(drawn(2, random_lengths=True, steps=4, seed=2 * seed + side)) for side in (0, 1)]
    found = compare(sides[0], sides[1])
    assert not {"more work", "less work"} & {*stands_out(found).values()}


def test_without_collectives_the_rank_with_more_work_is_named_too() -> None:
    found = compare(usual(4, connected=False), pool(drawn(4, lengths={1: 2}, seed=1, connected=False)))
    assert stands_out(found)["rank 1"] == "more work"
    uneven = finding_of(found, "uneven_work")
    assert uneven is found.findings[0]
    assert uneven.delta_us == pytest.approx(1000 / 4 * sum(NOISY) / 2, rel=0.05)
    assert uneven.sentence.startswith("Rank 1 does more work than before: FLOPs ×2.00")
    assert any(note.startswith("Rank 1 does more work than before") for note in found.tables["ranks"].notes)


def test_more_collectives_are_named_though_times_vary_between_captures() -> None:
    found = compare(usual(2), pool(drawn(2, collectives=12, seed=1)))
    more = finding_of(found, "collective_slower")
    assert more.sentence.startswith("More collectives: +")
    assert more.confidence.startswith("certain: calls are counted")


def test_more_work_is_named_though_a_faster_machine_outweighs_it() -> None:
    found = compare(usual(2), pool(drawn(2, lengths={1: 1.5}, machine=(0.3, 0.5), seed=1)))
    assert stands_out(found)["rank 1"] == "more work"
    uneven = finding_of(found, "uneven_work")
    assert uneven.delta_us is None
    assert uneven.sentence.startswith("Rank 1 does more work than before: FLOPs ×1.50")


@cache
def both_ways(changed: int, connected: bool) -> tuple[Comparison, Comparison]:
    """A job of 12 ranks and the same with inputs twice as long on the first ranks, and the sides exchanged."""
    before, lengths = usual(12, connected=connected), dict.fromkeys(range(changed), 2.0)
    after = pool(drawn(12, connected=connected, lengths=lengths, seed=1, name="b"))
    return compare(before, after), compare(after, before)


@pytest.mark.parametrize("connected", [True, False])
@pytest.mark.parametrize("changed", [2, 5])
def test_ranks_that_changed_alike_are_named_once(changed: int, connected: bool) -> None:
    for found, word, ratio in zip(both_ways(changed, connected), ("more", "less"), ("×2.00", "×0.500"), strict=True):
        sentence = finding_of(found, "late_rank" if connected else "uneven_work").sentence
        of_each = f"FLOPs {ratio}, input elements {ratio} (the other ranks as before)"
        who, what = sentence.split(f" do {word} work than before: ")
        assert what.startswith(of_each)
        assert who == ("Ranks 0 and 1" if changed == 2 else "Ranks 0, 1, 2 and 2 other ranks")
        assert len(" ".join(sentence.split("; ")[:2]).split()) <= MOST_WORDS


@pytest.mark.parametrize("connected", [True, False])
def test_the_late_ranks_clause_gives_its_own_time_and_the_mean_that_of_all(connected: bool) -> None:
    """One call longer by 200 us, times the pace of 1.025, five times: what nine or ten others do not take."""
    for found in both_ways(2, connected):
        sentence = finding_of(found, "late_rank" if connected else "uneven_work").sentence
        own, operator = re.findall(r"CPU time \+(\d+) µs vs the other ranks[:;] aten::mm \+(\d+) µs", sentence)[0]
        assert own == operator
        assert int(own) == pytest.approx(1025 * 10 / 11, rel=0.03)
        assert not connected or "µs of these ranks' own work (mean over ranks)" in sentence
        assert connected or "; most on rank " in sentence


def context(a: Summary, b: Summary) -> RuleContext:
    found, options = compare(a, b), CompareOptions()
    return RuleContext(a, b, found.ledger, found.headline, options, job=job_of(a, b, options))


def test_more_and_less_work_are_told_in_the_order_of_ranks() -> None:
    a, b = (pool(drawn(4, lengths=lengths, seed=seed, connected=False))
            for seed, lengths in enumerate(({}, {1: 2.0, 3: 0.5})))  # fmt: skip
    for one, two in ((a, b), (b, a)):
        assert [cause.finding.subject for cause in uneven_work_rules(context(one, two))] == ["rank 1", "rank 3"]


def test_unnamed_ranks_are_told_apart_by_direction() -> None:
    before, after = usual(12), pool(drawn(12, seed=1, lengths={0: 2, 1: 2, 2: 2, 3: 2, 4: 2, 5: 0.5}))
    for found in (compare(before, after), compare(after, before)):
        assert {"1 more rank does more work.", "1 more rank does less work."} <= {*found.tables["ranks"].notes}
    assert "1 more rank does less work." in both_ways(5, True)[1].tables["ranks"].notes


def test_excess_counts_only_if_both_sides_share_steps() -> None:
    job = job_of(usual(4), pool(drawn(4, lengths={1: 2.0}, seed=1)), CompareOptions())
    assert job is not None
    assert job.beyond_us([1], longer=True).sum() == pytest.approx(1025, rel=0.05)
    for name in ("a", "b"):
        ranks = getattr(job, name)
        without: Job = replace(job, **{name: replace(ranks, common=ranks.common[:, :0])})
        assert not without.beyond_us([1], longer=True).any()
        assert not without.beyond_us([1], longer=False).any()
        assert without.works_in(1.0, longer=True) == {}


def test_the_amounts_of_a_side_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Summary] = []
    monkeypatch.setattr(sides, "amounts_of_work", lambda side: counted.append(side) or amounts_of_work(side))
    a, b = pool(drawn(4)), pool(drawn(4, lengths={1: 2.0}, seed=1))
    assert "late_rank" in rules_of(compare(a, b))
    assert counted == [a, b]


def test_ranks_with_unlike_work_are_counted_and_workers_keep_their_names() -> None:
    flops, launches = WorkChange((("FLOPs", 2.0, 1.0),)), WorkChange((("kernel launches", 1.5, 1.0),))
    more, less = WorkChange((("FLOPs", 1.5, 1.2),)), WorkChange((("FLOPs", 0.5, 1.0),))
    keys = ["rank 0", "rank 1", "rank 2"]
    assert work_text(keys, {1: flops, 0: more}, 3) == (
        "Ranks 0 and 1 do more work than before: FLOPs ×1.50–2.00 (the other rank ×1.00–1.20)"
    )
    assert work_text(keys, {1: flops, 0: launches}, 4) == (
        "Rank 1 does more work than before: FLOPs ×2.00 (the other ranks as before), as does 1 other rank"
    )
    assert work_text(["b0", "b1"], {1: less}, 2) == (
        "b1 does less work than before: FLOPs ×0.500 (the other rank as before)"
    )
