"""How close reading is to its lower bounds: only inflating the file, and only parsing it with the fastest parsers."""

from __future__ import annotations

from benchmarks.cases.judging import missing, rejections, steady, why_rejected
from benchmarks.figures import Goal, Section, Verdict, geometric_mean, median, spread, table
from benchmarks.generated import Load
from benchmarks.inputs import A100, H100, KINETO
from benchmarks.rounds import Task, measure
from benchmarks.setting import ORJSON, SIMDJSON, Setting

NAME = "bound_fraction"
_OURS, _INFLATE, _JSON = "read", "inflate", "json.loads"


def run(setting: Setting) -> Section:
    """Measures every input with all tools, in turns."""
    section = Section(NAME)
    inputs = [] if setting.quick else setting.inputs.recorded(KINETO, A100, H100)
    inputs.append(setting.inputs.generated("generated", Load(setting.size(100))))
    inputs.append(setting.inputs.generated("generated, not compressed", Load(setting.size(100)), packed=False))
    measured, rows = [], []
    for input_ in inputs:
        path = str(input_.path)
        tasks = [Task(_OURS, "our_work.read", (path,)), Task(_INFLATE, "our_work.inflate", (path,)),
                 Task(_JSON, "peer_work.json_loads", (path,))]  # fmt: skip
        tasks += [task for name in (SIMDJSON, ORJSON) if (task := setting.peers.task(name, path))]
        rounds = measure(tasks, setting.rounds, _JSON)
        measured.append((input_, rounds))
        megabytes = rounds.result(_OURS)["bytes"] / 1e6
        rows.append([
            input_.title, f"{megabytes:.0f}", median(rounds.of(_INFLATE), 3), median(rounds.of(_OURS), 3),
            spread([megabytes / s for s in rounds.of(_OURS)], 0), spread(rounds.ratios(_OURS, _INFLATE), 2),
            median(rounds.ratios(_OURS, _INFLATE, "cpu_seconds")),
            *(median(rounds.ratios(peer, _OURS, "cpu_seconds"), 1) for peer in (SIMDJSON, ORJSON, _JSON)),
        ])  # fmt: skip
    head = ["input", "JSON MB", "inflate s", "read s", "read MB/s", "read / inflate", "CPU",
            *(f"{peer} / read, CPU" for peer in (SIMDJSON, ORJSON, _JSON))]  # fmt: skip
    section.parts.append(table(head, rows))
    packed = [rounds for input_, rounds in measured if input_.path.suffix == ".gz"]
    counted = [rounds for rounds in steady(packed) if not rounds.noisy]
    values = geometric_mean([rounds.ratios(_OURS, _INFLATE) for rounds in counted])
    why = why_rejected(packed) or ("" if counted else "neighbors take the second core")
    figure = f"read / inflate alone, elapsed, {len(counted)} .gz files"
    section.verdicts.append(Verdict(figure, values, Goal(1.6, at_most=True), 2, why))
    all_rounds = [rounds for _, rounds in measured]
    parse = geometric_mean([rounds.ratios(SIMDJSON, _OURS, "cpu_seconds") for rounds in steady(all_rounds)])
    why = setting.peers.missing(SIMDJSON) or why_rejected(all_rounds)
    figure = f"{SIMDJSON}'s bare parse / read to columns, CPU"
    section.verdicts.append(Verdict(figure, parse, Goal(0.85), 2, why))
    section.notes += [
        "Reading inflates in a second thread, so that the elapsed ratio is what counts and needs two free cores; the "
        "ratio of processor time says how much work columns are besides inflating.",
        f"{SIMDJSON} builds its tape of the whole document and nothing else, {ORJSON} and json.loads Python objects; "
        "all inflate at once before. The on-demand parser of simdjson has no Python binding.",
        *rejections([(input_.title, rounds) for input_, rounds in measured]),
        *missing(setting.peers, SIMDJSON, ORJSON),
    ]  # fmt: skip
    return section
