"""Reading a file with one core and with all cores: elapsed time, memory, and whether the columns are equal."""

from __future__ import annotations

from benchmarks.cases.judging import ratio_cells, rejections, steady, why_rejected
from benchmarks.figures import Goal, Section, Verdict, geometric_mean, median, table
from benchmarks.generated import Load
from benchmarks.inputs import Input
from benchmarks.rounds import Rounds, Task, measure
from benchmarks.setting import Setting

NAME = "every_core"
_ONE, _ALL = "one core", "all cores"
_GOALS = {False: ("not compressed", 1.7), True: ("compressed", 1.25)}
_MOST_MORE_MEMORY = 1.1


def run(setting: Setting) -> Section:
    """Measures uncompressed files and a compressed one."""
    from tb_perfcompare.sources.trace.scanners.scan_threads import available_cores

    section = Section(NAME)
    make = setting.inputs.generated
    sizes = [100] if setting.quick else [100, 300]
    inputs = [make(f"generated, {size} MB", Load(setting.size(size)), packed=False) for size in sizes]
    inputs.append(make("generated, 100 MB, compressed", Load(setting.size(100))))
    measured = [(one, _measured(one, available_cores(), setting.rounds)) for one in inputs]
    rows, same = [], []
    for one, rounds in measured:
        same.append(rounds.result(_ONE).get("digest") == rounds.result(_ALL).get("digest"))
        rows.append([
            one.title, median(rounds.of(_ONE), 3), median(rounds.of(_ALL), 3), *ratio_cells(rounds, _ONE, _ALL, 2),
            median(rounds.of(_ONE, "above_imports_bytes"), 0, 1e-6),
            median(rounds.of(_ALL, "above_imports_bytes"), 0, 1e-6), "yes" if same[-1] else "**no**",
        ])  # fmt: skip
    section.parts.append(
        table(["input", "one core s", "all cores s", "times faster", "times less CPU", "one core MB", "all cores MB",
               "same columns"], rows)
    )  # fmt: skip
    for is_packed, (what, goal) in _GOALS.items():
        some = [rounds for one, rounds in measured if (one.path.suffix == ".gz") is is_packed]
        faster = geometric_mean([one.ratios(_ONE, _ALL) for one in steady(some)])
        why = why_rejected(some) or ("one core" if available_cores() < 2 else "")
        section.verdicts.append(
            Verdict(f"{what}: times faster on {available_cores()} cores, elapsed", faster, Goal(goal), 2, why)
        )
    more = geometric_mean([rounds.ratios(_ALL, _ONE, "above_imports_bytes") for _, rounds in measured])
    section.verdicts.append(Verdict("memory, all cores / one core", more, Goal(_MOST_MORE_MEMORY, at_most=True), 2))
    section.verdicts.append(
        Verdict("files whose columns are the same on all cores", [sum(same) / len(same)], Goal(1.0), 2)
    )
    section.notes += rejections([(one.title, rounds) for one, rounds in measured])
    return section


def _measured(input_: Input, cores: int, rounds: int) -> Rounds:
    tasks = [
        Task(key, "our_work.read", (str(input_.path), "digest", str(count)), environment={"OPENBLAS_NUM_THREADS": "1"})
        for key, count in ((_ONE, 1), (_ALL, cores))
    ]
    return measure(tasks, rounds, _ONE)
