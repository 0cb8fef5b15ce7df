"""Recorded device programs, replayed with faults of known size: is the verdict right and the fault named?

python -m tests.planted.replay.replayed DATA OUT [--program NAME ...] [--fault NAME ...] [--busy] [--judge-only]
    [--single]

DATA holds the recordings (V100, A100, H100, MI300X; see PROGRAMS). Three captures per side. The exact change of the
mean step is that of replays without noise. No accelerator is needed.
"""

from __future__ import annotations

import argparse
import re
import zlib
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple

from tb_perfcompare.comparison.result.comparison import Comparison
from tests.planted.recorded.everyday import FASTER, SLOWER
from tests.planted.recorded.genuine import SIDES, SPANS, compared
from tests.planted.replay.faults import FAULTS, NEEDS_COLLECTIVES, healthy
from tests.planted.replay.recorded import recorded
from tests.planted.replay.replay import Noise, busy, idle, replayed, write


class Program(NamedTuple):
    """A recording, how many of its steps are used, and how many a replay has."""

    path: str
    recorded: int | None
    steps: int


PROGRAMS = {
    "ResNet, V100": Program("kineto/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz", None, 6),
    "ResNet behind its loader, V100": Program(
        "kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz", None, 6
    ),
    "recommender, A100": Program("hta/control.json.gz", 4, 4),
    "no shapes, V100": Program("hta/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", None, 5),
    "Qwen, H100": Program("mixed_devices/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1, 4),
    "BERT, H100": Program("mixed_devices/h100/gaunernst_bert-small-uncased__1016001.json.gz", 1, 10),
    "Qwen, MI300X": Program("mixed_devices/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1, 4),
    "BERT, MI300X": Program("mixed_devices/mi300/gaunernst_bert-small-uncased__1016001.json.gz", 1, 10),
}
LITTLE, MUCH = 0.002, 0.02
"""Relative changes of the mean step: up to LITTLE there is none, from MUCH on the verdict must have the direction."""


def make(data: Path, program: Program, fault: str, folder: Path, *, busily: bool = False) -> bool:
    """Writes both sides and the ratio of the mean steps; False if the program cannot have the fault."""
    of = recorded(data / program.path, program.recorded)
    if fault in NEEDS_COLLECTIVES and not any("nccl" in one.name.lower() for step in of.steps for one in step.device):
        return False
    edits = dict(zip(SIDES, (healthy, FAULTS[fault][0]), strict=True))
    exact = {side: sum(replayed(of, edit, Noise(), Random(0), program.steps)[1]) for side, edit in edits.items()}
    random = Random(zlib.crc32(f"{program.path} {fault}".encode()))
    for capture, (side, edit) in product(range(SPANS), edits.items()):
        noise = busy(random) if busily else idle(random)
        events, _ = replayed(of, edit, noise, random, program.steps)
        write(events, of, folder / side / f"worker0.{capture + 1}.pt.trace.json.gz")
    (folder / "ratio").write_text(repr(exact[SIDES[1]] / exact[SIDES[0]]))
    return True


def direction(ratio: float) -> str:
    """The expected verdict: "slower", "faster", "none", or "any" for changes too small to decide."""
    if abs(ratio - 1) <= LITTLE:
        return "none"
    return "slower" if ratio >= 1 + MUCH else "faster" if ratio <= 1 / (1 + MUCH) else "any"


def verdict_direction(found: Comparison) -> str:
    """The direction of the verdict, or "none"."""
    verdict = found.headline.verdict.value
    return "slower" if verdict in SLOWER else "faster" if verdict in FASTER else "none"


def named(fault: str, found: Comparison) -> bool:
    """Whether the first finding names the fault; for equal sides, whether there is none."""
    if not FAULTS[fault][1]:
        return not found.findings
    if not found.findings:
        return False
    first = found.findings[0]
    names = re.findall(r"[\w:.#]+", f"{first.rule} {first.subject} {first.sentence}")
    return any(fnmatchcase(name, glob) for name in names for glob in FAULTS[fault][1].split())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of the recordings")
    parser.add_argument("out", type=Path, help="folder to write to")
    parser.add_argument("--program", choices=sorted(PROGRAMS), action="append", help="only this one (default: all)")
    parser.add_argument("--fault", choices=sorted(FAULTS), action="append", help="only this one (default: all)")
    parser.add_argument("--busy", action="store_true", help="other programs use the machine, too")
    parser.add_argument("--judge-only", action="store_true", help="the replays are there already")
    parser.add_argument("--single", action="store_true", help="compare one capture a side: the first ones, ...")
    chosen = parser.parse_args()
    marks: dict[str, list[bool]] = {}
    for name, fault in product(chosen.program or PROGRAMS, chosen.fault or FAULTS):
        folder = chosen.out / f"{name}, {fault}"
        if not chosen.judge_only and not make(chosen.data, PROGRAMS[name], fault, folder, busily=chosen.busy):
            continue
        if not (folder / "ratio").exists():
            continue
        ratio = float((folder / "ratio").read_text())
        asked = direction(ratio)
        for capture in range(1, SPANS + 1) if chosen.single else (0,):
            found = compared(folder, capture=capture)
            answers = {"no wrong direction": verdict_direction(found) in {asked, "none"} or asked == "any"}
            if asked != "any":
                kind = "equal" if fault.startswith("equal") else asked
                answers[f"direction, {kind}"] = verdict_direction(found) == asked
            if fault.startswith("equal") or asked != "none":
                answers["no finding, equal" if fault.startswith("equal") else "cause"] = named(fault, found)
            for what, right in answers.items():
                marks.setdefault(what, []).append(right)
            mark = "." if all(answers.values()) else "X"
            print(f"{mark} {folder.name}, {capture or 'all'}: {found.headline.sentence} Ratio {ratio:.3f}", flush=True)
            for finding in found.findings[:3]:
                print(f"      {finding.rule}: {finding.sentence}")
    for what, rights in sorted(marks.items()):
        print(f"{what}: {sum(rights)} of {len(rights)}")


if __name__ == "__main__":
    main()
