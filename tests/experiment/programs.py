"""Programs for experiments: scripts without torch that write their own trace, with step times as asked for."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from tests.cli.invoke import Outcome, tb_perfcompare

PROGRAM = '''
import json, os, random, sys

factor, name = float(sys.argv[1]), sys.argv[2]
with open(f"{name}.count", "a") as file:  # each run draws other times
    file.write(".")
chance = random.Random(f"{name} {os.path.getsize(f'{name}.count')}")
print("training", name)
if os.path.exists(f"{name}.fails"):
    print("loss is nan", file=sys.stderr)
    sys.exit(7)
events, now = [], 1_000
for step in range(1, 11):
    begin = now
    for op in range(5):
        length = int(1_000 * chance.uniform(0.99, 1.01))
        dims = {"Input Dims": [[op + 1, 64]], "Input type": ["float"]}
        events.append(dict(ph="X", cat="cpu_op", name=f"aten::op{op}", pid=1, tid=1, ts=now, dur=length, args=dims))
        now += length
    now += int(5_000 * factor * chance.uniform(0.99, 1.01))
    mark = dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{step}", pid=1, tid=1, ts=begin, dur=now - begin)
    events.append(mark)
if not os.path.exists(f"{name}.silent"):
    with open(os.path.join(os.environ["TB_PERFCOMPARE_OUT"], "host_4711.pt.trace.json"), "w") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)
'''
"""Half of a step is five operators that do the same in all runs, half lasts `factor` times as long and is nobody's."""


def write_program(directory: Path) -> None:
    (directory / "train.py").write_text(PROGRAM, "utf-8")


def command(factor: float, name: str) -> str:
    """Without `site`, which takes a third of the time of so short a program."""
    return f"{shlex.quote(sys.executable)} -S train.py {factor} {name}"


def ab(out: Path, *more: str, slower: float = 1.0) -> Outcome:
    """Two programs of the working directory; the candidate's own half takes `slower` times as long."""
    words = ("--a", command(1.0, "one"), "--b", command(slower, "other"), "--out", str(out), "--seed", "7")
    return tb_perfcompare("ab", *words, *more)


def manifest(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "manifest.json").read_text("utf-8"))
    return found
