"""Two summaries -> one comparison. Reads like a table of contents: each line calls a module of this package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tb_perfcompare.comparison.alignment.partners import with_partners
from tb_perfcompare.comparison.alignment.table import alignment_table
from tb_perfcompare.comparison.causes.counters import counter_findings, moved_counters
from tb_perfcompare.comparison.causes.cycles import find_cycle_causes
from tb_perfcompare.comparison.causes.detect_causes import DetectedCauses, detect_causes
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.significant_categories import PacedChange
from tb_perfcompare.comparison.causes.general_findings import find_causes
from tb_perfcompare.comparison.causes.launch_findings import find_launch_causes
from tb_perfcompare.comparison.causes.leading_cause import order_findings, with_largest_entry
from tb_perfcompare.comparison.causes.minor_findings import (
    without_interruptions,
    without_minor_changes,
    without_noise,
    without_unknown_pace,
)
from tb_perfcompare.comparison.judged import Judged, judge_summaries
from tb_perfcompare.comparison.kinds.table import iteration_kinds_table
from tb_perfcompare.comparison.launches.rows import LaunchRows, launch_rows
from tb_perfcompare.comparison.launches.table import launches_table
from tb_perfcompare.comparison.ledger.call_tree import JointTree, joint_tree
from tb_perfcompare.comparison.ledger.ledger import build_ledger
from tb_perfcompare.comparison.ledger.modules import module_ledger
from tb_perfcompare.comparison.notes import notes_of
from tb_perfcompare.comparison.pace.program_estimate import program_from
from tb_perfcompare.comparison.pace.sensitivity import sensitivity
from tb_perfcompare.comparison.pace.split import pace_of_steps, paces_of_observations, steps_at_one_pace
from tb_perfcompare.comparison.pace.table import categories_at_equal_speed, common_work_table
from tb_perfcompare.comparison.pace.uninterrupted_parts import uninterrupted_parts, uninterrupted_table
from tb_perfcompare.comparison.ranks.job import Job, job_of
from tb_perfcompare.comparison.ranks.table import ranks_table
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding, UninterruptedPart
from tb_perfcompare.comparison.result.headline import Fact, Headline
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.side_facts import SideFacts
from tb_perfcompare.comparison.result.table import Table, by_name
from tb_perfcompare.comparison.statistics.samples import counted_steps
from tb_perfcompare.comparison.tables.call_tree import call_tree_table
from tb_perfcompare.comparison.tables.counter_join import CounterChange, counter_changes
from tb_perfcompare.comparison.tables.counters import counters_table
from tb_perfcompare.comparison.tables.entity_tables import diff_tables
from tb_perfcompare.comparison.tables.memory import memory_tables
from tb_perfcompare.comparison.tables.run_facts import (
    bound_table,
    device_table,
    environment_table,
    recommendations_table,
)
from tb_perfcompare.comparison.tables.step_tables import categories_table, steps_table
from tb_perfcompare.comparison.tables.views import with_reading_notes
from tb_perfcompare.comparison.verdict.category_shifts import CategoryShift, category_shifts
from tb_perfcompare.comparison.work.by_family import work_by_family
from tb_perfcompare.comparison.work.measured import kernel_metrics_table, measured_work
from tb_perfcompare.comparison.work.row_work import peaks_of
from tb_perfcompare.model.collector import paused_collector
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import CYCLE_TIME, STEP_TIME, Summary
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS


@paused_collector()
def compare_summaries(baseline: Summary, candidate: Summary, options: CompareOptions) -> Comparison:
    """Compares two sides. Raises NotComparable like `judge_summaries`."""
    return compare_judged(judge_summaries(baseline, candidate, options))


@paused_collector()
def compare_judged(judged: Judged) -> Comparison:
    """Builds the comparison of two sides whose verdict is known."""
    baseline, candidate, options, work = judged.baseline, judged.candidate, judged.options, judged.work
    timed = baseline.is_timed and candidate.is_timed
    robustness, hint = sensitivity(baseline, candidate, judged.measured, work, options, judged.strata, judged.amount)
    headline = replace(_with_hint(judged.headline, hint), sensitivity=robustness)
    ledger = build_ledger(baseline, candidate, judged.numbers) if timed else Ledger(1, 0, 0, 0, ())
    program_estimate = program_from(judged.measured)
    both, by_means = (baseline, candidate), judged.work_by_means
    paced = categories_at_equal_speed(both, by_means, judged.amount, program_estimate, options.alpha)
    shifts = category_shifts(baseline, candidate, options.alpha, paced)
    counters = counter_changes(baseline, candidate)
    launches = launch_rows(baseline, candidate)
    uninterrupted = uninterrupted_parts(work)
    tables: dict[str, Table] = {}
    if timed:
        if baseline.metric != CYCLE_TIME:
            tables["categories"] = categories_table(ledger, shifts)
        sides = {"baseline": baseline, "candidate": candidate}
        tables["steps"] = steps_table(sides, steps_at_one_pace(work))
        tables |= by_name((iteration_kinds_table(baseline, candidate, judged.kinds, options.alpha),))
    job = job_of(baseline, candidate, options)
    ranks = ranks_table(baseline, candidate, job, headline, options)
    why_no_ranks = (Note(NoteCode.TABLE_ABSENT, ranks, "ranks"),) if isinstance(ranks, str) else ()
    tables |= by_name((None if isinstance(ranks, str) else ranks,))
    tables |= _entity_tables(judged)
    tree = joint_tree(baseline, candidate)
    tables |= _further_tables(baseline, candidate, tree, counters, launches)
    tables |= by_name((common_work_table(work), uninterrupted_table(uninterrupted)))
    return Comparison(
        baseline=side_facts(baseline),
        candidate=side_facts(candidate),
        window=baseline.window,
        headline=headline,
        ledger=ledger,
        findings=_findings(judged, ledger, shifts, counters, launches, uninterrupted, job, tree),
        comparability=judged.checks,
        tables=with_reading_notes(tables, baseline, candidate),
        notes=notes_of(judged, why_no_ranks, tables),
        peaks=peaks_of(baseline, candidate, options),
    )


def _entity_tables(judged: Judged) -> dict[str, Table]:
    """Tables of operators, kernels, copies, ..., and of their alignment."""
    baseline, candidate, options = judged.baseline, judged.candidate, judged.options
    at_level = None if judged.amount is None else judged.amount.rows_at_level
    tables = diff_tables(
        TABLE_SPECS, baseline, candidate, judged.headline.delta, options, paces_of_observations(judged.work_by_means),
        judged.numbers, at_level,
    )  # fmt: skip
    tables |= by_name((
        work_by_family((baseline, candidate), peaks_of(baseline, candidate, options)),
        kernel_metrics_table(baseline, candidate), measured_work(baseline, candidate),
    ))  # fmt: skip
    if judged.alignment is not None:
        tables = with_partners(tables, judged.alignment)
        tables["alignment"] = alignment_table(judged.alignment)
    return tables


def _further_tables(
    baseline: Summary, candidate: Summary, tree: JointTree | None, counters: tuple[CounterChange, ...],
    launches: LaunchRows | None,
) -> dict[str, Table]:  # fmt: skip
    """Tables of modules, calls, counters, memory, launches and environment."""
    tables = by_name((
        module_ledger(baseline, candidate), None if tree is None else call_tree_table(tree), counters_table(counters),
    ))  # fmt: skip
    tables |= memory_tables(baseline, candidate)
    return tables | by_name((
        bound_table(baseline, candidate),
        None if launches is None else launches_table(baseline, candidate, launches),
        device_table(baseline, candidate),
        environment_table(baseline, candidate),
        recommendations_table(baseline, candidate),
    ))  # fmt: skip


def _findings(
    judged: Judged, ledger: Ledger, shifts: Mapping[str, CategoryShift], counters: tuple[CounterChange, ...],
    launches: LaunchRows | None, uninterrupted: tuple[UninterruptedPart, ...], job: Job | None, tree: JointTree | None,
) -> tuple[Finding, ...]:  # fmt: skip
    """All findings, largest first; counters that moved come last."""
    baseline, candidate, headline, options = judged.baseline, judged.candidate, judged.measured, judged.options
    moved = moved_counters(counters, options.alpha)
    p_values = {label: shift.p for label, shift in shifts.items()}
    paced = _paced_changes(shifts, ledger)
    context = RuleContext(
        baseline, candidate, ledger, headline, options, moved, p_values, pace_of_steps(judged.work),
        uninterrupted, paced, judged.numbers, job, tree, judged.work.interrupted, judged.kinds,
    )  # fmt: skip
    if baseline.metric == CYCLE_TIME:
        findings = find_cycle_causes(context)
    else:
        causes = find_launch_causes(context, launches)
        split = baseline.metric == STEP_TIME and baseline.is_split and candidate.is_split
        detected = detect_causes(context) if split else DetectedCauses(explained=causes.explained)
        findings = find_causes(context, detected, causes.explained_kernels | detected.entities)
        if change_us := context.uninterrupted_us:
            findings = without_interruptions(findings, detected.findings, change_us)
        findings = without_noise(findings, detected.findings, headline)
        every = (*detected.findings, *findings, *causes.findings)
        every = without_minor_changes(every, context.typical_us, context.least_us, detected.offsetting)
        every = without_unknown_pace(every, headline)
        findings = order_findings(every, headline)[: options.top_findings]
        if baseline.metric == STEP_TIME:
            findings = with_largest_entry(findings, context, detected)
    if headline.verdict.way * context.delta_us < 0:  # a share of the opposite change would mislead
        findings = tuple(replace(finding, share=None) for finding in findings)
    return (*findings, *counter_findings(moved, options.alpha, options.top_findings - len(findings)))


def _paced_changes(shifts: Mapping[str, CategoryShift], ledger: Ledger) -> dict[str, PacedChange]:
    recorded = {row.path[0]: row.delta / ledger.denominator / 1000 for row in ledger.heads}
    return {
        label: PacedChange(shift.paced_us, shift.paced_p, recorded.get(label, 0.0))
        for label, shift in shifts.items()
        if shift.paced_us is not None and shift.paced_p is not None
    }


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
