"""Time from two files to the JSON of their comparison: cold, relative to torch-tb-profiler on both files, and reopened
from the cache."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.cases.judging import by_what, counted, failures, missing, ratio_cells, rejections, steady, why_rejected
from benchmarks.figures import Goal, Section, Verdict, geometric_mean, median, spread, table
from benchmarks.generated import Load
from benchmarks.inputs import A100, A100_OTHER, H100, KINETO, KINETO_OTHER, MI300
from benchmarks.rounds import Rounds, Task, measure, sample
from benchmarks.setting import HTA, TBP, Setting

NAME = "compare_two_runs"
_OURS, _SERVED, _WARM = "ours", "ours, served", "reopened"
_RECORDED = (
    ("ResNet-50 on a V100, 2021", KINETO, KINETO_OTHER),
    ("training on an A100, torch 1.13", A100, A100_OTHER),
    ("inference, H100 and MI300", H100, MI300),
)


def run(setting: Setting) -> Section:
    """Measures the recorded pairs and a generated pair of 2 x 100 MB, a larger pair without other tools, and pairs of
    2 x 100 MB and 2 x 1 GB reopened from the cache."""
    section = Section(NAME)
    measured = []
    for title, *names in () if setting.quick else _RECORDED:
        recorded = setting.inputs.recorded(*names)
        if len(recorded) == 2:
            measured.append((title, _cold(setting, (recorded[0].path, recorded[1].path))))
    large = setting.inputs.pair("pair100", Load(setting.size(100)))
    measured.append(("generated, 2 × 100 MB", _cold(setting, large)))
    if not setting.quick:
        larger = setting.inputs.pair("pair500", Load(setting.size(500)))
        measured.append(("generated, 2 × 500 MB", _cold(setting, larger, peers=False)))
    largest = _warm(setting, setting.inputs.pair("pair1000", Load(setting.size(1000))))
    warm = largest if setting.quick else _warm(setting, large)  # the smaller pair of a quick run is not worth keeping
    rounds = [pair for _, pair in measured if TBP in pair.samples]
    values = geometric_mean([counted(pair, TBP, _OURS) for pair in steady(rounds)])
    why = setting.peers.missing(TBP) or why_rejected(rounds)
    section.verdicts = [
        Verdict(f"cold: times faster than twice {TBP}, {len(steady(rounds))} pairs{by_what(rounds)}", values, Goal(40),
                why_not=why),
        Verdict("reopened 2 × 100 MB from the cache: server time of the answer", warm.figures(_WARM, "first_ms"),
                Goal(50, at_most=True, unit=" ms")),
        Verdict("reopened 2 × 100 MB: times faster than cold", warm.ratios(_SERVED, _WARM), Goal(25), digits=0),
        Verdict("reopened 2 × 1 GB from the cache: server time of the answer", largest.figures(_WARM, "first_ms"),
                Goal(1000, at_most=True, unit=" ms")),
    ]  # fmt: skip
    section.parts = [_cold_table(measured), _warm_table({"2 × 100 MB": warm, "2 × 1 GB": largest})]
    section.notes = [
        f'"Ours" reads, summarizes, compares and encodes in one process, as {TBP} is measured; "served" is the same '
        "by two worker processes, their start and their imports included, as the tab has it.",
        "Reopened: a new server whose cache on disk holds the pair (left by another process), asked for the list of "
        "runs as the tab does, then for the comparison.",
        *failures(rounds),
        *rejections(measured),
        *missing(setting.peers, TBP, HTA),
    ]
    return section


def _cold(setting: Setting, files: tuple[Path, Path], *, peers: bool = True) -> Rounds:
    arguments = tuple(map(str, files))
    tasks = [Task(_OURS, "our_work.compare", arguments), Task(_SERVED, "our_work.served", arguments)]
    if peers:
        tasks += [task for name in (TBP, HTA) if (task := setting.peers.task(name, *files))]
    return measure(tasks, setting.rounds, TBP if any(task.key == TBP for task in tasks) else _OURS)


def _warm(setting: Setting, files: tuple[Path, Path]) -> Rounds:
    """Measures cold and reopened pairs in turns, after filling the cache once."""
    logdir, cache = files[0].parent.parent, setting.inputs.scratch / "cache"
    arguments, environment = (str(logdir), "normal", "abnormal"), {"TB_PERFCOMPARE_CACHE": str(cache)}
    filling = Task("filling the cache", "server_work.open_pair", arguments, environment=environment)
    sample(filling, quick=setting.quick)
    tasks = [
        Task(_WARM, "server_work.open_pair", arguments, environment=environment),
        Task(_SERVED, "server_work.open_pair", arguments),
    ]
    rounds = measure(tasks, setting.rounds, _SERVED)
    shutil.rmtree(cache, ignore_errors=True)
    return rounds


def _cold_table(measured: list[tuple[str, Rounds]]) -> str:
    rows = [
        [title, f"{r.result(_OURS)['events']:,}", *(median(r.of(key)) for key in (TBP, HTA, _OURS, _SERVED)),
         *ratio_cells(r, TBP, _OURS), ratio_cells(r, TBP, _SERVED)[0],
         *(median(r.of(key, "above_imports_bytes"), 0, 1e-6) for key in (TBP, _OURS)), _step_difference(r)]
        for title, r in measured
    ]  # fmt: skip
    head = ["cold", "events", f"{TBP} s", f"{HTA} s", "ours s", "served s", "times faster", "times less CPU",
            "served, times faster", f"{TBP} MB", "ours MB", "mean step differs by"]  # fmt: skip
    return table(head, rows)


def _step_difference(rounds: Rounds) -> str:
    """Largest difference of the mean step times between both tools, which shows whether they do the same work."""
    ours, peer = rounds.result(_OURS).get("step_us", []), rounds.result(TBP).get("step_us", [])
    if not peer:
        return "—"
    return f"{100 * max(abs(a / b - 1) for a, b in zip(ours, peer, strict=True)):.2f} %"


def _warm_table(pairs: dict[str, Rounds]) -> str:
    names = {"runs_ms": "list of runs, first request", "first_ms": "comparison, first request",
             "again_ms": "comparison, asked again", "known_ms": "comparison, browser has it (304)"}  # fmt: skip
    rows = [[name, *(spread(rounds.figures(_WARM, key)) for rounds in pairs.values())] for key, name in names.items()]
    cold = (spread([1000 * s for s in rounds.of(_SERVED)], 0) for rounds in pairs.values())
    rows.append(["comparison without the cache (cold)", *cold])
    return table(["reopened: server time, ms", *pairs], rows)
