"""File to operator, kernel and step tables, against torch-tb-profiler, the loads of other tools, and bare parsing."""

from __future__ import annotations

from itertools import product
from typing import Any

from benchmarks.cases.judging import both, by_what, counted, failures, missing, rejections, steady, why_rejected
from benchmarks.figures import Goal, Section, Verdict, geometric_mean, median, spread, table
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
    "collectives, every step's time by category, and how busy devices were, in the corrected reading: what the goals "
    'name. "All tables" is everything the tab compares: also call trees, the finest level of the ledger, modules, '
    "memory and device work by place. torch-tb-profiler's work includes its pies, its module "
    "statistics and its memory records; HolisticTraceAnalysis's is its load alone.",
    "Imports are not counted for any tool. They take 0.25 s of CPU time for us, 0.3 s for torch-tb-profiler and 0.5 s "
    "for HolisticTraceAnalysis; including them, small files differ less.",
    "A file counts if the kernels that we read add up to torch-tb-profiler's kernel rows (name, calls, total).",
    '"Most" is torch-tb-profiler over inflating alone, processor time: what a reader doing nothing else would reach.',
)


def inputs(setting: Setting) -> list[Input]:
    """Recorded traces, and generated ones in today's and in 2021's spelling."""
    make = setting.inputs.generated
    old = make("generated, categories of 2021", Load(setting.size(20), spelling=OLD, times=WHOLE))
    if setting.quick:
        return [old]
    return [*setting.inputs.recorded(KINETO, A100, H100, MI300), old, make("generated", Load(setting.size(100)))]


def run(setting: Setting) -> Section:
    """Every input by every tool that there is."""
    section = Section(NAME)
    peers = setting.peers
    found: list[tuple[Input, Rounds]] = []
    for one in inputs(setting):
        path = str(one.path)
        tasks = [Task(_OURS, "our_work.named_tables", (path,)), Task(_ALL, "our_work.tables", (path,)),
                 Task(_JSON, "peer_work.json_loads", (path,)), Task(_INFLATE, "our_work.inflate", (path,))]  # fmt: skip
        tasks += [task for name in (TBP, HTA, TRACELENS) if (task := peers.task(name, path))]
        found.append((one, measure(tasks, setting.rounds, TBP if TBP in peers.versions else _JSON)))
    rounds = [one for _, one in found]
    equal = [_Equality(r) for _, r in found]
    section.parts += [_times(found), _ratios(found), _memory(found), _equal_rows(found, equal)]
    for (peer, goal, more), mine in product(_GOALS, (_OURS, _ALL)):
        said = f"times faster than {peer}" + ("" if mine == _OURS else ", all tables")
        if peer != _JSON and (why := peers.missing(peer)):
            if mine == _OURS:
                section.verdicts.append(Verdict(said, [], Goal(goal), why_not=why, more=more))
            continue
        counts = [r for (_, r), same in zip(found, equal, strict=True) if same.counts and counted(r, peer, mine)]
        values = geometric_mean([counted(one, peer, mine) for one in steady(counts)])
        figure = f"{said}, geometric mean of {len(steady(counts))} files ({by_what(counts)})"
        why = why_rejected(counts) or ("" if TBP in peers.versions else f"equality needs {TBP}")
        section.verdicts.append(Verdict(figure, values, Goal(goal), why_not=why, more=more))
    rejected = rejections([(one.title, r) for one, r in found])
    section.notes += [*_NOTES, *failures(rounds), *rejected, *missing(peers, TBP, HTA, TRACELENS)]
    return section


class _Equality:
    """Which kernels of a file are torch-tb-profiler's."""

    def __init__(self, rounds: Rounds) -> None:
        theirs = rounds.found(TBP)
        self.known = "kernel_rows" in theirs
        kernels: dict[str, Any] = theirs.get("kernel_rows", {})
        self.kernels = len(kernels)
        read = rounds.found(_OURS).get("kernels", {})
        self.same = sum(name in read and _close(read[name], row[1:3]) for name, row in kernels.items())
        self.counts = self.known and self.same == self.kernels == len(read)


def _close(calls_and_total: list[float], row: list[float]) -> bool:
    """Theirs are rounded to whole microseconds."""
    return calls_and_total[0] == row[0] and abs(calls_and_total[1] - row[1]) <= 1


def _times(found: list[tuple[Input, Rounds]]) -> str:
    tools = (_OURS, _ALL, _INFLATE, _JSON, TBP, HTA, TRACELENS)
    rows = [
        [one.title, f"{r.found(_OURS)['bytes'] / 1e6:.0f}", f"{r.found(_OURS)['events']:,}",
         *(median(r.of(tool), 3 if tool in (_OURS, _ALL, _INFLATE) else 2) for tool in tools)]
        for one, r in found
    ]  # fmt: skip
    return table(["seconds (median)", "JSON MB", "events", *tools], rows)


def _ratios(found: list[tuple[Input, Rounds]]) -> str:
    rows = []
    for one, r in found:
        cells = [cell for tool in (TBP, HTA, TRACELENS, _JSON) for cell in both(r, tool, _OURS)]
        most = spread(r.ratios(TBP, _INFLATE, "cpu_seconds"))
        rows.append([one.title, *cells[:2], *both(r, TBP, _ALL), most, *cells[2:]])
    head = ["times faster", TBP, "CPU", "all tables", "CPU", "most", HTA, "CPU", TRACELENS, "CPU", _JSON,
            "CPU"]  # fmt: skip
    return table(head, rows)


def _memory(found: list[tuple[Input, Rounds]]) -> str:
    tools = (_OURS, _ALL, _JSON, TBP, HTA, TRACELENS)
    rows = [[one.title, *(median(r.of(tool, "above_imports_bytes"), 0, 1e-6) for tool in tools)] for one, r in found]
    return table(["MB above imports (peak)", *tools], rows)


def _equal_rows(found: list[tuple[Input, Rounds]], equal: list[_Equality]) -> str:
    rows = [
        [one.title, f"{e.same} of {e.kernels}", "yes" if e.counts else "no" if e.known else "not measured"]
        for (one, _), e in zip(found, equal, strict=True)
    ]
    return table(["equal to torch-tb-profiler", "kernels as read", "counts"], rows)
