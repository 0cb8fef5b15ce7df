"""Time to build all tables from ten million events in memory, relative to sorting as many integers."""

from __future__ import annotations

from benchmarks.cases.judging import why_rejected
from benchmarks.figures import Goal, Section, Verdict, median, spread, table
from benchmarks.rounds import Task, measure
from benchmarks.setting import Setting

NAME = "aggregate_10M"
_SORT, _CORE, _ALL = "sort", "core", "all"
_TITLES = {
    _SORT: "np.argsort(kind='stable') of as many random int64",
    _CORE: "nesting, self times, launches, operator and kernel tables",
    _ALL: "everything that is summarized",
}


def run(setting: Setting) -> Section:
    """Measures each work in a process that first generates the same events."""
    section = Section(NAME)
    events = 10_000_000 // (200 if setting.quick else 1)
    tasks = [Task(what, "our_work.aggregate", (str(events), what)) for what in (_SORT, _CORE, _ALL)]
    rounds = measure(tasks, setting.rounds, _SORT)
    count, columns = rounds.result(_SORT)["events"], rounds.result(_SORT)["column_bytes"]
    rows = []
    for what, title in _TITLES.items():
        cpu_s = rounds.of(what, "cpu_seconds")
        per_event, ratios = [1e9 * s / count for s in cpu_s], rounds.ratios(what, _SORT, "cpu_seconds")
        peak = median(rounds.of(what, "above_imports_bytes"), 1, 1e-9)
        rows.append([title, median(cpu_s), spread(per_event, 0), spread(ratios, 2), peak])
    size = f"{count:,} events, {columns / 1e9:.2f} GB of columns"
    head = [size, "CPU s", "ns per event", "times the sort", "peak GB"]
    section.parts.append(table(head, rows))
    why = why_rejected([rounds])
    section.verdicts = [
        Verdict(f"{_TITLES[what]} / sort, CPU", rounds.ratios(what, _SORT, "cpu_seconds"), goal, 2, why)
        for what, goal in ((_CORE, Goal(1.5, at_most=True)), (_ALL, Goal(1.5, at_most=True)))
    ]
    section.notes.append("The peak includes the columns themselves and what drawing them took.")
    return section
