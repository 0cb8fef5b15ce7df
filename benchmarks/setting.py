"""Options of a run of the suite, and the other tools ("peers") that are installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.inputs import Inputs
from benchmarks.rounds import REPOSITORY, Task

TBP, HTA, TRACELENS = "torch-tb-profiler", "HolisticTraceAnalysis", "TraceLens"
ORJSON, SIMDJSON = "orjson", "pysimdjson"
_WORK = {TBP: "torch_tb_profiler", HTA: "hta_load", TRACELENS: "tracelens_tree", ORJSON: "orjson_loads",
         SIMDJSON: "simdjson_parse"}  # fmt: skip
_PROBE = """
import importlib.metadata as m, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = m.version(name)
    except m.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


@dataclass(frozen=True, slots=True)
class Peers:
    """Other tools: versions by name, the Python that they are installed in, and a checkout of TraceLens, if given."""

    python: str
    versions: Mapping[str, str]
    tracelens: Path | None = None

    def task(self, name: str, *paths: Path | str) -> Task | None:
        """Returns the peer's work on files; None if the peer is not installed."""
        if name == TRACELENS:
            if self.tracelens is None:
                return None
            environment = {"PYTHONPATH": f"{REPOSITORY}{os.pathsep}{self.tracelens}"}
        elif name not in self.versions:
            return None
        else:
            environment = {}
        work, arguments = f"peer_work.{_WORK[name]}", tuple(map(str, paths))
        return Task(name, work, arguments, self.python, environment, may_fail=True)

    def missing(self, name: str) -> str:
        """Says why a peer was not measured; "" if it was."""
        if name == TRACELENS:
            return "" if self.tracelens else "TraceLens: not measured, it is not on the package index (--tracelens DIR)"
        return "" if name in self.versions else f"{name}: not measured, not installed in {Path(self.python).name}"


def find_peers(python: str | None, tracelens: Path | None) -> Peers:
    """Finds the peers installed in the given Python, by default in this one."""
    chosen = python or sys.executable
    names = [name for name in _WORK if name != TRACELENS]
    done = subprocess.run([chosen, "-c", _PROBE, *names], stdout=subprocess.PIPE, check=True)
    return Peers(chosen, json.loads(done.stdout), tracelens)


@dataclass(frozen=True, slots=True)
class Setting:
    """Options of a run: `rounds` per measurement; `quick` only checks that everything works; `full` adds the largest
    inputs; `files` are the user's traces for the comparison of the readers."""

    inputs: Inputs
    peers: Peers
    rounds: int = 3
    quick: bool = False
    full: bool = False
    files: tuple[Path, ...] = ()

    def size(self, megabytes: float) -> float:
        """Size of a generated trace in MB; tiny in a quick run."""
        return megabytes / 2000 if self.quick else megabytes
