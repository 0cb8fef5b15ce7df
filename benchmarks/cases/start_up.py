"""CPU time of commands on small inputs, mostly start-up, relative to `python -c "import numpy"`."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.figures import Goal, Section, Verdict, spread, table
from benchmarks.inputs import DATA
from benchmarks.rounds import REPOSITORY
from benchmarks.setting import Setting

NAME = "start_up"
_DEMO = REPOSITORY / "demo_logs"
_PAIR = tuple(str(_DEMO / "gpu_training_synthetic" / side) for side in ("baseline", "candidate"))
_OURS = (sys.executable, "-m", "tb_perfcompare")
_NUMPY = "import numpy"
_RECORDED = tuple(str(DATA / "kineto" / f"resnet50_num_workers_{number}") for number in (0, 4))
_COMMANDS: dict[str, tuple[tuple[str, ...], float | None]] = {
    _NUMPY: ((sys.executable, "-c", "import numpy"), None),
    "diff, small pair, first time": ((*_OURS, "diff", *_PAIR), 3),
    "diff, small pair, again": ((*_OURS, "diff", *_PAIR), 3),
    "diff, recorded pair, first time": ((*_OURS, "diff", *_RECORDED), 5),
    "diff, recorded pair, again": ((*_OURS, "diff", *_RECORDED), 3),
    "runs, first time": ((*_OURS, "runs", str(_DEMO)), 2),
    "runs, again": ((*_OURS, "runs", str(_DEMO)), 2),
    "pairs": ((*_OURS, "pairs", str(_DEMO)), 2),
}
"""Name -> (command, goal as a multiple of the time of `import numpy`). The recorded pair has four files of 73,000
events each, 4.5 MB compressed."""


def run(setting: Setting) -> Section:
    """Measures the commands in turns, in a quick run only the last of ours: CPU time of the process and of those it
    starts."""
    section = Section(NAME)
    recorded = Path(_RECORDED[-1]).exists()
    possible = [(name, given) for name, given in _COMMANDS.items() if recorded or given[0][-2:] != _RECORDED]
    commands = dict([possible[0], possible[-1]] if setting.quick else possible)
    used: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(1, 2) if setting.quick else range(4 * setting.rounds):
        with tempfile.TemporaryDirectory() as cache:
            for name, (command, _) in commands.items():
                seconds = _seconds(command, cache)
                if number:  # the first round warms up the file cache and compiles modules
                    used[name].append(seconds)
    rows = []
    for name, (_, most) in commands.items():
        ratios = [seconds / base for seconds, base in zip(used[name], used[_NUMPY], strict=True)]
        rows.append([name, spread([1000 * seconds for seconds in used[name]], 0), spread(ratios, 1)])
        if most is not None:
            figure = f"{name}: CPU time, times import numpy"
            section.verdicts.append(Verdict(figure, ratios, Goal(most, at_most=True)))
    section.parts.append(table(["command", "CPU ms", "times numpy"], rows))
    section.notes.append("Processor time of the process and of those it starts; compiled modules are on disk.")
    return section


def _seconds(command: tuple[str, ...], cache: str) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=environment | {"XDG_CACHE_HOME": cache})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
