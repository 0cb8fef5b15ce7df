"""Two summaries -> one comparison. Reads like a table of contents: each line calls a module of this package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from tb_perfcompare.comparison.alignment.alignment import Alignment, align
from tb_perfcompare.comparison.alignment.same_names import with_same_names
from tb_perfcompare.comparison.alignment.table import alignment_table, matched_notes, with_matched, with_partners
from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork, amount_of_work
from tb_perfcompare.comparison.causes.counters import counter_findings, moved_counters
from tb_perfcompare.comparison.causes.cycles import find_cycle_causes
from tb_perfcompare.comparison.causes.detect_causes import DetectedCauses, detect_causes
from tb_perfcompare.comparison.causes.evidence.findings import find_causes
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.significant_categories import PacedChange
from tb_perfcompare.comparison.causes.evidence.uninterrupted_change import uninterrupted_change
from tb_perfcompare.comparison.causes.launch_findings import find_launch_causes
from tb_perfcompare.comparison.causes.leading_cause import (
    order_findings,
    with_largest_entry,
    without_interruptions,
    without_minor_changes,
    without_noise_against,
)
from tb_perfcompare.comparison.checks.comparability import check_comparability
from tb_perfcompare.comparison.checks.recording_cost import one_sided_options
from tb_perfcompare.comparison.checks.recordings import with_itself
from tb_perfcompare.comparison.checks.same_work import same_work_checks
from tb_perfcompare.comparison.kinds.split import MixSplit, mix_check, mix_text
from tb_perfcompare.comparison.kinds.strata import Strata, strata_of, within_kinds
from tb_perfcompare.comparison.kinds.table import iteration_kinds_table, kinds_split
from tb_perfcompare.comparison.launches.rows import LaunchRows, launch_rows
from tb_perfcompare.comparison.launches.table import launches_table
from tb_perfcompare.comparison.ledger.call_tree import joint_tree
from tb_perfcompare.comparison.ledger.ledger import build_ledger
from tb_perfcompare.comparison.ledger.modules import module_ledger
from tb_perfcompare.comparison.pace.categories_at_equal_speed import categories_at_equal_speed
from tb_perfcompare.comparison.pace.decide import decided
from tb_perfcompare.comparison.pace.order import in_turns
from tb_perfcompare.comparison.pace.program import allow_little_common_work, program_from
from tb_perfcompare.comparison.pace.recorded_options import with_recorded_more
from tb_perfcompare.comparison.pace.sensitivity import sensitivity
from tb_perfcompare.comparison.pace.split import (
    CommonWork,
    common_work,
    pace_of_steps,
    paces_of_observations,
    steps_at_one_pace,
)
from tb_perfcompare.comparison.pace.table import common_work_table
from tb_perfcompare.comparison.pace.uninterrupted_parts import uninterrupted_parts, uninterrupted_table
from tb_perfcompare.comparison.pace.words import with_experiment, withheld
from tb_perfcompare.comparison.ranks.table import ranks_table
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Check, Finding
from tb_perfcompare.comparison.result.headline import Basis, Fact, Headline, Verdict
from tb_perfcompare.comparison.result.ledger_rows import Ledger
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.side_facts import SideFacts
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.result.uninterrupted_part import UninterruptedPart
from tb_perfcompare.comparison.result.wording import VERDICT_WORDS, p_text, percent_text, time_text, verdict_word
from tb_perfcompare.comparison.statistics.drift import drift
from tb_perfcompare.comparison.statistics.mean_effect import exact_mean
from tb_perfcompare.comparison.statistics.samples import counted_steps, observations
from tb_perfcompare.comparison.statistics.two_groups import two_groups
from tb_perfcompare.comparison.tables.call_tree import call_tree_table
from tb_perfcompare.comparison.tables.counter_join import CounterChange, counter_changes
from tb_perfcompare.comparison.tables.counters import counters_table
from tb_perfcompare.comparison.tables.entity_tables import Paces, diff_tables
from tb_perfcompare.comparison.tables.fixed_tables import (
    bound_table,
    categories_table,
    device_table,
    environment_table,
    recommendations_table,
    steps_table,
)
from tb_perfcompare.comparison.tables.group_shapes import SHAPES
from tb_perfcompare.comparison.tables.memory import memory_tables
from tb_perfcompare.comparison.tables.views import with_reading_notes
from tb_perfcompare.comparison.verdict.category_shifts import CategoryShift, category_shifts
from tb_perfcompare.comparison.verdict.equal_amount import at_equal_amount
from tb_perfcompare.comparison.verdict.incomplete import many_incomplete, with_incomplete
from tb_perfcompare.comparison.verdict.verdict import judge
from tb_perfcompare.comparison.work.by_family import work_by_family
from tb_perfcompare.comparison.work.measured import kernel_metrics_table, measured_work
from tb_perfcompare.comparison.work.row_work import peaks_of
from tb_perfcompare.errors import NotComparable
from tb_perfcompare.model.arrays import Nanoseconds
from tb_perfcompare.model.collector import paused_collector
from tb_perfcompare.model.note import ONE_SIDE, Note, NoteCode
from tb_perfcompare.model.summary.summary import CYCLE_TIME, STEP_TIME, Summary
from tb_perfcompare.model.text_numbers import TextNumbers
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Judged:
    """The headline of two sides, and what it was computed from: the sides with joined names, their texts by number,
    the alignment, the checks, the rows of the same work and kinds of iterations. `measured`: the headline before it
    was decided what profiler options of one side can cost."""

    baseline: Summary
    candidate: Summary
    options: CompareOptions
    numbers: TextNumbers
    alignment: Alignment | None
    checks: tuple[Check, ...]
    joined: tuple[Note, ...]
    work: CommonWork
    kinds: MixSplit | None
    strata: Strata | None
    amount: AmountOfWork | None
    headline: Headline
    measured: Headline

    @cached_property
    def in_other_window(self) -> Headline | None:
        """The headline by the other rule for step windows; None if that is not known for every step."""
        a, b, work, options = self.baseline, self.candidate, self.work, self.options
        if len(a.other_window) != len(a.steps) or len(b.other_window) != len(b.steps):
            return None
        other = _headline(a, b, a.other_window, b.other_window, options, self.strata)
        seen = observations(a), observations(b)
        times = seen[0].means(a.other_window).astype(np.float64), seen[1].means(b.other_window).astype(np.float64)
        if self.amount is not None:
            times = self.amount.at_level(times)
        if work.clocked is not None and all((side > 0).all() for side in times):
            work = replace(work, clocked=work.clocked.at(times))
            other = decided(other, work, options, in_turns=in_turns(a, b))
        return with_recorded_more(other, self.headline.recorded_more)


def judge_summaries(baseline: Summary, candidate: Summary, options: CompareOptions) -> Judged:
    """Computes the verdict alone, a small part of the work of a comparison. Raises NotComparable if the step windows
    of the sides follow different rules, or if the sides measure different things."""
    _check_kinds(baseline, candidate)
    numbers = TextNumbers()
    baseline, candidate, joined = with_same_names(baseline, candidate)
    alignment = align(baseline, candidate, numbers)
    checks = check_comparability(baseline, candidate, numbers)
    if alignment is not None:
        checks = with_matched(checks, alignment)
        joined += matched_notes(alignment, baseline, candidate)
    if baseline.metric == STEP_TIME:
        checks += same_work_checks(baseline, candidate, alignment, numbers)
    kinds = kinds_split(baseline, candidate)
    strata = None if kinds is None else _strata(kinds, baseline, candidate, options)
    amount = None if strata is not None else amount_of_work((baseline, candidate))
    headline = _of_steps(baseline, candidate, options, strata)
    if amount is not None:
        headline = at_equal_amount(headline, amount, (baseline, candidate), options)
    work = common_work(baseline, candidate, options, strata, amount=amount)
    work = allow_little_common_work(work, headline, (baseline, candidate), options, strata, amount)
    headline = decided(headline, work, options, in_turns=in_turns(baseline, candidate))
    if kinds is not None:
        checks += (mix_check(kinds, options.margin, directed=strata is None and headline.verdict.way != 0),)
        headline = replace(headline, reason=f"{headline.reason}; {mix_text(kinds)}")
    headline = with_experiment(_withheld_if_void(headline, checks), options.look)
    measured = headline
    headline = with_recorded_more(headline, one_sided_options(baseline, candidate))
    itself = with_itself(checks)
    if itself:
        sentence = f"{verdict_word(headline.verdict)}: {itself}"
        headline = replace(headline, sentence=sentence, reason=f"{itself}; {headline.reason}")
    return Judged(
        baseline, candidate, options, numbers, alignment, checks, joined, work, kinds, strata, amount,
        headline, measured,
    )  # fmt: skip


@paused_collector()
def compare_summaries(baseline: Summary, candidate: Summary, options: CompareOptions) -> Comparison:
    """Compares two sides. Raises NotComparable like `judge_summaries`."""
    return compare_judged(judge_summaries(baseline, candidate, options))


@paused_collector()
def compare_judged(judged: Judged) -> Comparison:
    """Builds the comparison of two sides whose verdict is known."""
    baseline, candidate, checks = judged.baseline, judged.candidate, judged.checks
    options, numbers = judged.options, judged.numbers
    headline, work, joined, strata = judged.headline, judged.work, judged.joined, judged.strata
    timed = baseline.is_timed and candidate.is_timed
    measured = judged.measured
    robustness = sensitivity(baseline, candidate, measured, work, options, strata, judged.amount)
    headline = replace(_with_hint(headline, robustness.hint), sensitivity=robustness.text)
    ledger = build_ledger(baseline, candidate, numbers) if timed else Ledger(1, 0, 0, 0, ())
    of = program_from(measured)
    paced = categories_at_equal_speed((baseline, candidate), work, judged.amount, of, options.alpha)
    moves = category_shifts(baseline, candidate, options.alpha, paced)
    ranks = ranks_table(baseline, candidate, headline, options)
    if isinstance(ranks, str):
        joined += (Note(NoteCode.TABLE_ABSENT, ranks, "ranks"),)
    counters = counter_changes(baseline, candidate)
    launches = launch_rows(baseline, candidate)
    tables: dict[str, Table] = {}
    if timed:
        if baseline.metric != CYCLE_TIME:
            tables["categories"] = categories_table(ledger, moves)
        sides = {"baseline": baseline, "candidate": candidate}
        tables["steps"] = steps_table(sides, steps_at_one_pace(work))
        tables |= _present_tables((iteration_kinds_table(baseline, candidate, judged.kinds, options.alpha),))
    tables |= _present_tables((None if isinstance(ranks, str) else ranks,))
    tables |= _entity_tables(
        baseline, candidate, headline, judged.alignment, options, paces_of_observations(work), numbers, judged.amount
    )
    tables |= _further_tables(baseline, candidate, counters, launches)
    uninterrupted = uninterrupted_parts(work)
    tables |= _present_tables((common_work_table(work), uninterrupted_table(uninterrupted)))
    moved = moved_counters(counters, options.alpha)
    return Comparison(
        baseline=side_facts(baseline),
        candidate=side_facts(candidate),
        window=baseline.window,
        headline=headline,
        ledger=ledger,
        findings=_findings(
            baseline, candidate, ledger, measured, moves, moved, launches, work, uninterrupted, options, numbers
        ),
        comparability=checks,
        tables=with_reading_notes(tables, baseline, candidate),
        notes=_notes(judged, headline, tables, joined),
        peaks=peaks_of(baseline, candidate, options),
    )


def _check_kinds(baseline: Summary, candidate: Summary) -> None:
    if baseline.window != candidate.window:
        raise NotComparable(
            f"the baseline uses {baseline.window} windows, the candidate {candidate.window} windows",
            hint="choose one --step-window for both",
        )
    if baseline.metric != candidate.metric:
        raise NotComparable(
            f"the baseline gives {baseline.metric}, the candidate {candidate.metric}".replace("_", " "),
            hint="compare two sources of one kind",
        )


def _present_tables(tables: Iterable[Table | None]) -> dict[str, Table]:
    return {table.name: table for table in tables if table is not None}


def _entity_tables(
    baseline: Summary, candidate: Summary, headline: Headline, alignment: Alignment | None, options: CompareOptions,
    paces: Paces, numbers: TextNumbers, amount: AmountOfWork | None,
) -> dict[str, Table]:
    """Tables of operators, kernels, copies, ..., and of their alignment."""
    at_level = None if amount is None else amount.rows_at_level
    tables = diff_tables(SHAPES, baseline, candidate, headline.delta, options, paces, numbers, at_level)
    tables |= _present_tables((
        work_by_family(baseline, candidate, peaks_of(baseline, candidate, options)),
        kernel_metrics_table(baseline, candidate), measured_work(baseline, candidate),
    ))  # fmt: skip
    if alignment is not None:
        tables = with_partners(tables, alignment)
        tables["alignment"] = alignment_table(alignment)
    return tables


def _further_tables(
    baseline: Summary, candidate: Summary, counters: tuple[CounterChange, ...], launches: LaunchRows | None
) -> dict[str, Table]:
    """Tables of modules, calls, counters, memory, launches and environment."""
    tree = joint_tree(baseline, candidate)
    tables = _present_tables((
        module_ledger(baseline, candidate), None if tree is None else call_tree_table(tree), counters_table(counters),
    ))  # fmt: skip
    tables |= memory_tables(baseline, candidate)
    return tables | _present_tables((
        bound_table(baseline, candidate),
        None if launches is None else launches_table(baseline, candidate, launches),
        device_table(baseline, candidate),
        environment_table(baseline, candidate),
        recommendations_table(baseline, candidate),
    ))  # fmt: skip


def _findings(
    baseline: Summary, candidate: Summary, ledger: Ledger, headline: Headline, moves: Mapping[str, CategoryShift],
    moved: tuple[CounterChange, ...], launches: LaunchRows | None, work: CommonWork,
    uninterrupted: tuple[UninterruptedPart, ...], options: CompareOptions,
    numbers: TextNumbers,
) -> tuple[Finding, ...]:  # fmt: skip
    """All findings, largest first; counters that moved come last."""
    p_values = {label: move.p for label, move in moves.items()}
    paced = _paced_changes(moves, ledger)
    if baseline.metric == CYCLE_TIME:
        findings = find_cycle_causes(baseline, candidate, headline, moved, options)
    else:
        verdict = headline.verdict
        causes = find_launch_causes(ledger, baseline, candidate, launches, p_values, verdict, options)
        context = RuleContext(
            baseline, candidate, ledger, headline, options, moved, p_values, pace_of_steps(work), uninterrupted,
            paced, numbers,
        )  # fmt: skip
        split = baseline.metric == STEP_TIME and baseline.is_split and candidate.is_split
        detected = detect_causes(context) if split else DetectedCauses()
        named = causes.explained_kernels | detected.entities
        findings = find_causes(
            ledger, baseline, candidate, p_values, verdict, options, named, detected.explained, detected.machine_us,
            same_inputs=detected.same_inputs, paced=paced,
        )  # fmt: skip
        if change_us := context.once(uninterrupted_change):
            findings = without_interruptions(findings, detected.findings, change_us)
        findings = without_noise_against(findings, headline)
        every = without_minor_changes((*detected.findings, *findings, *causes.findings), context.least_us)
        findings = order_findings(every, headline)[: options.top_findings]
        if baseline.metric == STEP_TIME:
            findings = with_largest_entry(
                findings, ledger, baseline, candidate, options, detected.explained, detected.entities
            )
    return (*findings, *counter_findings(moved, options.alpha, options.top_findings - len(findings)))


def _paced_changes(moves: Mapping[str, CategoryShift], ledger: Ledger) -> dict[str, PacedChange]:
    recorded = {row.path[0]: row.delta / ledger.denominator / 1000 for row in ledger.heads}
    return {
        label: PacedChange(move.paced_us, move.paced_p, recorded.get(label, 0.0))
        for label, move in moves.items()
        if move.paced_us is not None and move.paced_p is not None
    }


def kinds_compared(a: Summary, b: Summary, options: CompareOptions) -> tuple[Headline, Table | None]:
    """The verdict on the step times as recorded, and the table of their kinds."""
    split = kinds_split(a, b)
    headline = _of_steps(a, b, options, None if split is None else _strata(split, a, b, options))
    return headline, iteration_kinds_table(a, b, split, options.alpha)


def _of_steps(a: Summary, b: Summary, options: CompareOptions, strata: Strata | None) -> Headline:
    return _headline(a, b, a.steps.total_ns, b.steps.total_ns, options, strata)


def _strata(split: MixSplit, a: Summary, b: Summary, options: CompareOptions) -> Strata | None:
    """Kinds of the observations, if the kinds that both sides have cover enough of the time; else None."""
    seen = observations(a), observations(b)
    times = seen[0].means(a.steps.total_ns), seen[1].means(b.steps.total_ns)
    if any((side <= 0).any() for side in times) or (split.by_content and not split.is_same_mix):
        return None
    strata = strata_of(split, seen)
    within = within_kinds(times, (seen[0].capture, seen[1].capture), strata, options.alpha)
    return None if within is None else strata


def _headline(
    a: Summary,
    b: Summary,
    a_ns: Nanoseconds,
    b_ns: Nanoseconds,
    options: CompareOptions,
    strata: Strata | None = None,
) -> Headline:
    """Computes the verdict on observations, with the exact means over all steps (which the ledger splits)."""
    seen_a, seen_b = observations(a), observations(b)
    none = np.zeros(0, dtype=np.int64)
    headline = judge(
        seen_a.means(a_ns) if a.is_timed else none,
        seen_a.capture if a.is_timed else none,
        seen_b.means(b_ns) if b.is_timed else none,
        seen_b.capture if b.is_timed else none,
        options,
        metric=a.metric,
        labels=(seen_a.label, seen_b.label),
        strata=strata,
    )
    if not (seen_a.pooled or seen_b.pooled) or headline.delta is None:
        return headline
    mean_a, mean_b = exact_mean(a_ns), exact_mean(b_ns)
    return replace(
        headline,
        baseline=float(mean_a / 1000),
        candidate=float(mean_b / 1000),
        delta=float((mean_b - mean_a) / 1000),
        ratio=float(mean_b / mean_a) if mean_a > 0 else None,
    )


def _withheld_if_void(headline: Headline, checks: tuple[Check, ...]) -> Headline:
    """Withholds the verdict, not the figures, if a check on which it depends failed."""
    void = [check.detail for check in checks if check.status == "fail" and "verdict" in check.invalidates]
    if not void:
        return headline
    return withheld(replace(headline, verdict=Verdict.WITHHELD, reason="; ".join(void)))


def _with_hint(headline: Headline, hint: str) -> Headline:
    """Adds the hint after the first clause of the reason; at equal machine speed, which the reason is not about, as
    a fact below the sentence."""
    if hint and headline.program is not None:
        return replace(headline, facts=(Fact("One step", hint), *headline.facts))
    lead, _, rest = headline.reason.partition("; ")
    return replace(headline, reason="; ".join(filter(None, (lead, hint, rest))))


def side_facts(summary: Summary) -> SideFacts:
    """Description of a side for display: names, device, steps, files."""
    captures = summary.captures
    admitted, total = counted_steps(summary)
    return SideFacts(
        source=summary.source,
        run=_listed([capture.run for capture in captures]),
        worker=_listed([capture.worker for capture in captures]),
        span=_listed([capture.span for capture in captures]),
        format=summary.format,
        device=summary.device,
        steps_total=total,
        steps_admitted=admitted,
        dropped=summary.dropped,
        files=tuple(capture.file for capture in captures),
        captures=len(captures),
        iterations=summary.iterations,
    )


def _listed(names: list[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _notes(
    judged: Judged, headline: Headline, tables: dict[str, Table], joined: tuple[Note, ...]
) -> tuple[Note, ...]:
    baseline, candidate = judged.baseline, judged.candidate
    notes = [
        replace(note, where=f"{side}: {note.where}" if note.where else side)
        for side, summary in (("baseline", baseline), ("candidate", candidate))
        for note in summary.notes
    ]
    notes += [
        Note(NoteCode.UNEVEN_RANKS, "workers recorded different steps: all of them count as separate samples", side)
        for side, summary in (("baseline", baseline), ("candidate", candidate))
        if observations(summary).uneven
    ]
    notes += joined
    notes += _window_note(judged, headline)
    if judged.strata is None:  # for steps of several kinds the headline says everything
        notes += _incomplete_note(baseline, candidate, headline, judged.options)
        notes += [*_groups("baseline", baseline), *_groups("candidate", candidate)]
        notes += [*_drifts("baseline", baseline), *_drifts("candidate", candidate)]
    notes += _absent(baseline, candidate, tables)
    return _merged_notes(notes)


def _merged_notes(notes: list[Note]) -> tuple[Note, ...]:
    """Merges equal messages about several files into one note that names them all."""
    places: dict[tuple[NoteCode, str], dict[str, None]] = {}
    for note in notes:
        places.setdefault((note.code, note.message), {})[note.where] = None
    return tuple(Note(code, message, ", ".join(filter(None, where))) for (code, message), where in places.items())


def _absent(baseline: Summary, candidate: Summary, tables: dict[str, Table]) -> list[Note]:
    """Notes on why a table is missing, or has rows of one side only; one note if both sides lack it for the same
    reason."""
    notes = []
    for name in dict.fromkeys([*baseline.absent, *candidate.absent]):
        why = [side.absent.get(name) for side in (baseline, candidate)]
        if why[0] == why[1] and why[0]:
            notes.append(Note(NoteCode.TABLE_ABSENT, why[0], name))
            continue
        where = f"{name}{ONE_SIDE}" if name in tables else name
        notes += [
            Note(NoteCode.TABLE_ABSENT, f"{side}: {reason}", where)
            for side, reason in zip(("baseline", "candidate"), why, strict=True)
            if reason
        ]
    return notes


def _groups(side: str, summary: Summary) -> list[Note]:
    """Note on steps of a side that fall into two groups, which no single shift describes."""
    seen = observations(summary)
    groups = two_groups(seen.means(summary.steps.total_ns), seen.capture) if summary.is_timed else None
    if groups is None:
        return []
    noun = "cycles" if summary.metric == CYCLE_TIME else "steps"
    message = (
        f"its {noun} fall into two groups: {groups.low_count} around {time_text(groups.low_ns / 1000)} and "
        f"{groups.high_count} around {time_text(groups.high_ns / 1000)}"
    )
    return [Note(NoteCode.TWO_GROUPS, message, side)]


def _drifts(side: str, summary: Summary) -> list[Note]:
    """Notes on captures whose step time changed in their course."""
    notes = []
    noun = "cycle" if summary.metric == CYCLE_TIME else "step"
    for number, capture in enumerate(summary.captures if summary.is_timed else ()):
        steps = np.flatnonzero(summary.steps.capture == number)
        changed = drift(summary.steps.total_ns[steps])
        if changed is not None:
            label, last = (summary.steps.label[int(place)] for place in (steps[changed.start], steps[-1]))
            how = f"{percent_text(abs(changed.shift))} {'longer' if changed.shift > 0 else 'shorter'}"
            message = (
                f"{noun} times changed during {capture.worker}/{capture.span}: from {noun} {label} on they are "
                f"{how} ({p_text(changed.p)})"
            )
            if label.isdecimal() and last.isdecimal():
                message += f"; --{side}-steps {label}-{last} compares that part"
            notes.append(Note(NoteCode.DRIFT, message, side))
    return notes


def _window_note(judged: Judged, headline: Headline) -> list[Note]:
    """Note if the other rule for step windows would lead to a different verdict."""
    other = None if headline.verdict is Verdict.WITHHELD else judged.in_other_window
    if other is None or other.verdict is headline.verdict:
        return []
    name = "marker" if judged.baseline.window == "device" else "device"
    message = (
        f'with {name} windows the verdict would be "{VERDICT_WORDS[other.verdict]}" '
        f'instead of "{VERDICT_WORDS[headline.verdict]}" (--step-window {name})'
    )
    return [Note(NoteCode.STEP_WINDOW_MATTERS, message)]


def _incomplete_note(a: Summary, b: Summary, headline: Headline, options: CompareOptions) -> list[Note]:
    """Note if many steps were left out as incomplete: the verdict with them."""
    if headline.basis is not Basis.RECORDED or headline.verdict is Verdict.WITHHELD or not many_incomplete(a, b):
        return []
    whole = with_incomplete(a), with_incomplete(b)
    other = _headline(*whole, whole[0].steps.total_ns, whole[1].steps.total_ns, options)
    noun = "cycles" if a.metric == CYCLE_TIME else "steps"
    shift = f", the typical change {percent_text(other.shift.estimate, signed=True)}" if other.shift is not None else ""
    stays = "stays" if other.verdict is headline.verdict else "would be"
    message = (
        f"with the incomplete {noun} as well, {other.n[0]} and {other.n[1]} of them, the verdict {stays} "
        f'"{VERDICT_WORDS[other.verdict]}"{shift}'
    )
    return [Note(NoteCode.STEPS_DROPPED, message)]
