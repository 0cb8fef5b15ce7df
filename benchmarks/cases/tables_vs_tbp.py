"""Time from a file to operator, kernel and step tables, relative to torch-tb-profiler, other tools and json.loads."""

from __future__ import annotations

from itertools import product
from typing import Any

from benchmarks.cases.judging import by_what, counted, failures, missing, ratio_cells, rejections, steady, why_rejected
from benchmarks.figures import Goal, Section, Verdict, geometric_mean, median, table
from benchmarks.generated import OLD, Load
from benchmarks.inputs import A100, H100, KINETO, MI300, Input
from benchmarks.layouts import WHOLE
from benchmarks.rounds import Rounds, Task, measure
from benchmarks.setting import HTA, TBP, TRACELENS, Setting

NAME = "tables_vs_tbp"
_OURS, _ALL, _JSON, _INFLATE = "ours", "ours, all tables", "json.loads", "inflate"
_GOALS = ((TBP, 40, "; floor 30"), (HTA, 40, ""), (TRACELENS, 20, ""), (_JSON, 7, ""))

_NOTES = (
    '"Ours" is operator tables (by name, shape and type), kernel tables (by name, launch and operator), copies, '
    'collectives, steps by category, and how busy devices were. "All tables" is everything the tab compares: also call '
    "trees, the finest level of the ledger, modules, memory and device work by place. torch-tb-profiler's work "
    "includes its pies, module statistics and memory records.",
    '"Most" is torch-tb-profiler over inflating alone, processor time: what a reader doing nothing else would reach.',
)


def inputs(setting: Setting) -> list[Input]:
    """Returns recorded traces, and generated ones with the categories of today and of 2021."""
    make = setting.inputs.generated
    old = make("generated, categories of 2021", Load(setting.size(20), spelling=OLD, times=WHOLE))
    if setting.quick:
        return [old]
    return [*setting.inputs.recorded(KINETO, A100, H100, MI300), old, make("generated", Load(setting.size(100)))]


def run(setting: Setting) -> Section:
    """Measures every input with every installed tool."""
    section = Section(NAME)
    peers = setting.peers
    measured: list[tuple[Input, Rounds]] = []
    for one in inputs(setting):
        path = str(one.path)
        tasks = [Task(_OURS, "our_work.named_tables", (path,)), Task(_ALL, "our_work.tables", (path,)),
                 Task(_JSON, "peer_work.json_loads", (path,)), Task(_INFLATE, "our_work.inflate", (path,))]  # fmt: skip
        tasks += [task for name in (TBP, HTA, TRACELENS) if (task := peers.task(name, path))]
        measured.append((one, measure(tasks, setting.rounds, TBP if TBP in peers.versions else _JSON)))
    rounds = [one for _, one in measured]
    equal = [_Equality(r) for _, r in measured]
    section.parts += [_times(measured), _ratios(measured), _memory(measured)]
    for (peer, goal, more), mine in product(_GOALS, (_OURS, _ALL)):
        text = f"times faster than {peer}" + ("" if mine == _OURS else ", all tables")
        if peer != _JSON and (why := peers.missing(peer)):
            if mine == _OURS:
                section.verdicts.append(Verdict(text, [], Goal(goal), why_not=why, more=more))
            continue
        counts = [r for (_, r), same in zip(measured, equal, strict=True) if same.counts and counted(r, peer, mine)]
        values = geometric_mean([counted(one, peer, mine) for one in steady(counts)])
        figure = f"{text}, {len(steady(counts))} files{by_what(counts)}"
        why = why_rejected(counts) or ("" if TBP in peers.versions else f"equality needs {TBP}")
        section.verdicts.append(Verdict(figure, values, Goal(goal), why_not=why, more=more))
    rejected = rejections([(one.title, r) for one, r in measured])
    section.notes += [*_NOTES, *_equalities(measured, equal), *failures(rounds), *rejected]
    section.notes += missing(peers, TBP, HTA, TRACELENS)
    return section


class _Equality:
    """How many kernels of a file agree with torch-tb-profiler's."""

    def __init__(self, rounds: Rounds) -> None:
        theirs = rounds.result(TBP)
        self.known = "kernel_rows" in theirs
        kernels: dict[str, Any] = theirs.get("kernel_rows", {})
        self.kernels = len(kernels)
        read = rounds.result(_OURS).get("kernels", {})
        self.same = sum(name in read and _close(read[name], row[1:3]) for name, row in kernels.items())
        self.counts = self.known and self.same == self.kernels == len(read)


def _close(calls_and_total: list[float], row: list[float]) -> bool:
    """Whether calls are equal and totals agree within a microsecond, to which torch-tb-profiler rounds."""
    return calls_and_total[0] == row[0] and abs(calls_and_total[1] - row[1]) <= 1


def _times(measured: list[tuple[Input, Rounds]]) -> str:
    tools = _measured(measured, _OURS, _ALL, _INFLATE, _JSON, TBP, HTA, TRACELENS)
    rows = [
        [input_.title, f"{r.result(_OURS)['bytes'] / 1e6:.0f}", f"{r.result(_OURS)['events']:,}",
         *(median(r.of(tool), 3 if tool in (_OURS, _ALL, _INFLATE) else 2) for tool in tools)]
        for input_, r in measured
    ]  # fmt: skip
    return table(["seconds (median)", "JSON MB", "events", *tools], rows)


def _ratios(measured: list[tuple[Input, Rounds]]) -> str:
    others = _measured(measured, HTA, TRACELENS, _JSON)
    rows = []
    for input_, r in measured:
        most = median(r.ratios(TBP, _INFLATE, "cpu_seconds"), 1)
        cells = [cell for tool in others for cell in ratio_cells(r, tool, _OURS)]
        rows.append([input_.title, *ratio_cells(r, TBP, _OURS), *ratio_cells(r, TBP, _ALL), most, *cells])
    head = ["times faster", TBP, "CPU", "all tables", "CPU", "most"]
    head += [name for tool in others for name in (tool, "CPU")]
    return table(head, rows)


def _memory(measured: list[tuple[Input, Rounds]]) -> str:
    tools = _measured(measured, _OURS, _ALL, _JSON, TBP, HTA, TRACELENS)
    rows = [
        [input_.title, *(median(r.of(tool, "above_imports_bytes"), 0, 1e-6) for tool in tools)]
        for input_, r in measured
    ]
    return table(["MB above imports (peak)", *tools], rows)


def _measured(measured: list[tuple[Input, Rounds]], *tools: str) -> list[str]:
    """Returns the tools with figures for at least one file."""
    return [tool for tool in tools if any(r.of(tool) for _, r in measured)]


def _equalities(measured: list[tuple[Input, Rounds]], equal: list[_Equality]) -> list[str]:
    """Says which files count: those whose kernels (name, calls, total) equal torch-tb-profiler's."""
    known = [(one.title, e) for (one, _), e in zip(measured, equal, strict=True) if e.known]
    unlike = [f"{title}: {e.same} of {e.kernels} kernels" for title, e in known if not e.counts]
    text = "A file counts if its kernels (name, calls, total) are those of torch-tb-profiler: "
    return [text + ("; ".join(unlike) or f"all {len(known)} files do.")] if known else []
