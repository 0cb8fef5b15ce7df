"""Measures this package, relative to other tools and to its own goals; see docs/internals/benchmarks.md.

    python -m benchmarks                        everything, about half an hour; prints the tables
    python -m benchmarks --write                also puts them into benchmarks/results.md, and goals into the docs
    python -m benchmarks --only read_vs_json    one benchmark (may be given several times)
    python -m benchmarks --only fallback_parity --file F.json.gz    both readers on a trace of yours
    python -m benchmarks --quick                small inputs and one round: shows that it works, not how fast
    python -m benchmarks --peer-python PATH     a Python that has torch-tb-profiler, HolisticTraceAnalysis, orjson, ...
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from benchmarks import document
from benchmarks.figures import MISSED, Section
from benchmarks.inputs import Inputs
from benchmarks.setting import Setting, find_peers
from benchmarks.suite import SUITE


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=list(SUITE), metavar="NAME", help=", ".join(SUITE))
    parser.add_argument("--rounds", type=int, help="rounds of each measurement, at least 3 (default 3)")
    parser.add_argument("--file", type=Path, action="append", help="trace for fallback_parity, instead of its own")
    parser.add_argument("--quick", action="store_true", help="small inputs, one round")
    parser.add_argument("--full", action="store_true", help="also the inputs of 2 GB")
    parser.add_argument("--write", action="store_true", help="put the tables into the documents")
    parser.add_argument("--peer-python", metavar="PATH", help="the Python that has the peers (default: this one)")
    parser.add_argument("--tracelens", type=Path, metavar="DIR", help="a checkout of TraceLens")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="keeps the generated traces here for another run")
    chosen = parser.parse_args()
    if chosen.write and chosen.quick:
        parser.error("--quick measures nothing that belongs into a document")
    rounds = 1 if chosen.quick else max(3, chosen.rounds or 3)
    peers = find_peers(chosen.peer_python, chosen.tracelens)
    scratch = nullcontext(chosen.scratch) if chosen.scratch else tempfile.TemporaryDirectory()
    with scratch as folder:
        setting = Setting(Inputs(Path(folder)), peers, rounds, chosen.quick, chosen.full, tuple(chosen.file or ()))
        missed = 0
        for name in chosen.only or SUITE:
            print(f"{name}:", file=sys.stderr, flush=True)
            section = SUITE[name](setting)
            if chosen.quick:
                section.verdicts = [
                    replace(verdict, why_not=verdict.why_not or "quick run") for verdict in section.verdicts
                ]
            missed += sum(verdict.state == MISSED for verdict in section.verdicts)
            machine = _machine(setting, section)
            print(f"## {name}\n\n{section.judged()}\n\n{section.markdown(machine)}\n", flush=True)
            if chosen.write:
                document.write(section, machine)
    print(f"{missed} goals missed" if missed else "no goal missed", file=sys.stderr)


def _machine(setting: Setting, section: Section) -> str:
    """Describes the machine and the versions, including the other tools that the section's tables mention."""
    tables = "\n".join(section.parts)
    peers = "".join(f", {name} {installed}" for name, installed in setting.peers.versions.items() if name in tables)
    rounds = "quick run, figures mean nothing" if setting.quick else f"{setting.rounds} rounds"
    return (
        f"Python {platform.python_version()}, numpy {version('numpy')}{peers}; {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}; {rounds}."
    )


if __name__ == "__main__":
    main()
