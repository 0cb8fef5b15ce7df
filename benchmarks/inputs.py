"""Inputs of benchmarks: recorded traces (shared data; skipped with a message if absent) and generated ones, which are
written once to the scratch folder and reused by other benchmarks."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks import generated
from benchmarks.generated import Load
from benchmarks.rounds import REPOSITORY

DATA = Path(os.environ.get("TB_PERFCOMPARE_DATA", REPOSITORY.parent / "shared" / "data"))

KINETO, A100, H100, MI300, NANOSECONDS = (
    "kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
    "hta/control.json.gz",
    "mixed_devices/h100/google_owlv2-large-patch14-ensemble__1016001.json.gz",
    "mixed_devices/mi300/google_owlv2-large-patch14-ensemble__1016001.json.gz",
    "hta/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
)
H100_TEXT, MI300_TEXT = (
    f"mixed_devices/{device}/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz" for device in ("h100", "mi300")
)
KINETO_OTHER = "kineto/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz"
A100_OTHER = "hta/test.json.gz"

TITLES = {
    KINETO: "ResNet-50 on a V100, 2021, native layout",
    A100: "training on an A100, torch 1.13, native",
    H100: "inference on an H100, indented",
    MI300: "inference on an MI300, indented",
    H100_TEXT: "text generation on an H100, indented",
    MI300_TEXT: "text generation on an MI300, indented",
    NANOSECONDS: "training on a V100, absolute nanoseconds, native",
}


@dataclass(frozen=True, slots=True)
class Input:
    """One trace file."""

    title: str
    path: Path


@dataclass(slots=True)
class Inputs:
    """The files to measure on; generated ones are in the folder `scratch`."""

    scratch: Path
    said: set[str] = field(default_factory=set)

    def recorded(self, *names: str) -> list[Input]:
        """Returns the recorded traces that exist, and prints a message for each that does not."""
        existing = []
        for name in names:
            if (DATA / name).is_file():
                existing.append(Input(TITLES.get(name, name), DATA / name))
            elif name not in self.said:
                self.said.add(name)
                print(f"no recorded trace {name} below {DATA} (set TB_PERFCOMPARE_DATA)", file=sys.stderr)
        return existing

    def generated(self, title: str, load: Load, *, packed: bool = True, run: str = "") -> Input:
        """Returns a generated trace, and writes it if it does not exist yet; `run` is the folder to put it into."""
        name = f"{load.label}.pt.trace.json" if not run else "worker0.1750000000000.pt.trace.json"
        path = self.scratch / (run or "traces") / (name + (".gz" if packed else ""))
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            print(f"writing {path.name}", file=sys.stderr, flush=True)
            generated.write(path, load)
        return Input(title, path)

    def pair(self, folder: str, load: Load) -> tuple[Path, Path]:
        """Returns two generated runs in `folder` below the scratch folder; in the second, every hundredth kernel is
        slower."""
        sides = {"normal": load, "abnormal": replace(load, slower=1.5, seed=load.seed + 1)}
        paths = [self.generated(run, side, run=f"{folder}/{run}").path for run, side in sides.items()]
        return paths[0], paths[1]
