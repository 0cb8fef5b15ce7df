"""Time to read a file into columns, relative to `json.loads(gzip.open(f).read())`."""

from __future__ import annotations

from benchmarks.cases.judging import by_what, counted, ratio_cells, rejections, steady, why_rejected
from benchmarks.figures import Goal, Section, Verdict, geometric_mean, median, table
from benchmarks.generated import Load
from benchmarks.inputs import H100, KINETO, Input
from benchmarks.layouts import COMPACT, INDENT
from benchmarks.rounds import Task, measure
from benchmarks.setting import Setting

NAME = "read_vs_json"
_OURS, _BASE = "ours", "json.loads"
_GOAL, _ALARM = 10, 7


def inputs(setting: Setting) -> list[Input]:
    """Returns traces in the native layout, indented and on a single line, and a large one."""
    make = setting.inputs.generated
    large = make("generated, native", Load(setting.size(100)))
    if setting.quick:
        return [large]
    return [
        *setting.inputs.recorded(KINETO, H100),
        make("generated, one line", Load(setting.size(50), layout=COMPACT)),
        make("generated, indented, python functions", Load(setting.size(50), layout=INDENT, frames=12)),
        large,
    ]


def run(setting: Setting) -> Section:
    """Measures every input with both readers."""
    section = Section(NAME)
    all_rounds, rows = [], []
    for one in inputs(setting):
        path = str(one.path)
        tasks = [Task(_OURS, "our_work.read", (path,)), Task(_BASE, "peer_work.json_loads", (path,))]
        rounds = measure(tasks, setting.rounds, _BASE)
        all_rounds.append(rounds)
        ours = rounds.result(_OURS)
        rows.append([
            one.title, f"{ours['bytes'] / 1e6:.0f}", f"{ours['events']:,}",
            median(rounds.of(_BASE)), median(rounds.of(_OURS), 3), *ratio_cells(rounds, _BASE, _OURS),
            median(rounds.of(_BASE, "above_imports_bytes"), 0, 1e-6),
            median(rounds.of(_OURS, "above_imports_bytes"), 0, 1e-6),
        ])  # fmt: skip
    section.parts.append(
        table(["input", "JSON MB", "events", "json.loads s", "ours s", "times faster", "times less CPU",
               "json.loads MB", "ours MB"], rows)
    )  # fmt: skip
    mean = geometric_mean([counted(one, _BASE, _OURS) for one in steady(all_rounds)])
    figure = f"times faster than json.loads, {len(steady(all_rounds))} files{by_what(all_rounds)}"
    section.verdicts.append(
        Verdict(figure, mean, Goal(_GOAL), why_not=why_rejected(all_rounds), more=f"; alarm below {_ALARM}")
    )
    section.notes += rejections([(row[0], one) for row, one in zip(rows, all_rounds, strict=True)])
    return section
