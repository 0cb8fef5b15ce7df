"""The Python reader, for installations without a compiler: its time relative to `json.loads` alone and to the compiled
reader, and whether both have equal columns."""

from __future__ import annotations

from benchmarks.cases.judging import by_what, counted, ratio_cells, rejections, steady, why_rejected
from benchmarks.figures import Goal, Section, Verdict, geometric_mean, median, table
from benchmarks.generated import Load
from benchmarks.inputs import A100, H100, KINETO, NANOSECONDS, Input
from benchmarks.rounds import Task, measure
from benchmarks.setting import Setting

NAME = "fallback_parity"
_PYTHON, _NATIVE, _JSON, _INFLATE = "python", "native", "json.loads", "inflate"


def run(setting: Setting) -> Section:
    """Measures every input with both readers, the standard library's parser, and zlib alone."""
    from tb_perfcompare.sources.trace.scanners.scanner_choice import AVAILABLE

    section = Section(NAME)
    inputs = [Input(path.name[-44:], path) for path in setting.files]
    if not inputs:
        inputs = [] if setting.quick else setting.inputs.recorded(KINETO, A100, H100, NANOSECONDS)
        inputs.append(setting.inputs.generated("generated", Load(setting.size(100))))
    all_rounds, rows, same = [], [], []
    for one in inputs:
        path = str(one.path)
        tasks = [Task(reader, "our_work.read", (path, "digest"), environment={"TB_PERFCOMPARE_READER": reader})
                 for reader in AVAILABLE]  # fmt: skip
        tasks += [Task(_JSON, "peer_work.json_loads", (path,)), Task(_INFLATE, "our_work.inflate", (path,))]
        rounds = measure(tasks, setting.rounds, _JSON)
        all_rounds.append(rounds)
        digests = {rounds.result(reader).get("digest") for reader in AVAILABLE}
        same.append(len(digests) == 1)
        equal = "no compiled reader" if len(AVAILABLE) < 2 else "yes" if same[-1] else "**no**"
        rows.append([
            one.title, median(rounds.of(_JSON)), median(rounds.of(_PYTHON)), median(rounds.of(_NATIVE), 3),
            *ratio_cells(rounds, _PYTHON, _JSON, 2), ratio_cells(rounds, _PYTHON, _NATIVE)[1],
            ratio_cells(rounds, _NATIVE, _INFLATE)[1],
            *(median(rounds.of(reader, "above_imports_bytes"), 0, 1e-6) for reader in (_PYTHON, _NATIVE)), equal,
        ])  # fmt: skip
    section.parts.append(
        table(["input", "json.loads s", "python s", "native s", "python / json.loads", "CPU", "python / native, CPU",
               "native / inflate, CPU", "python MB", "native MB", "same columns"], rows)
    )  # fmt: skip
    values = geometric_mean([counted(one, _PYTHON, _JSON) for one in steady(all_rounds)])
    figure = f"reader in Python / json.loads alone{by_what(all_rounds)}"
    section.verdicts.append(Verdict(figure, values, Goal(1.3, at_most=True), 2, why_rejected(all_rounds)))
    share = [sum(same) / len(same)] if len(AVAILABLE) > 1 else []
    section.verdicts.append(Verdict("files whose columns are the same in both", share, Goal(1.0), 2))
    section.notes += rejections([(one.title, rounds) for one, rounds in zip(inputs, all_rounds, strict=True)])
    return section
