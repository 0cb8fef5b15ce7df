"""Pairs of real torch.profiler recordings that differ in one habit of the program, and the rule that must name it.

python -m tests.planted.recorded.genuine OUT [--fault NAME ...]   needs torch; records into OUT, prints what is found
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.workspace import SMALL_BYTES, Workspace

SPANS = 3
"""Recordings per side, alternately, so that a drifting machine affects both."""

LINUX = sys.platform == "linux"
"""Processes can be pinned to a core, and forked with torch loaded."""

SIDES = ("healthy", "faulty")


@dataclass(frozen=True, slots=True)
class Habits:
    """What a training run does; the defaults are the healthy one.

    warm_up       steps before the recording begins
    decodings     how often each sample is decompressed
    additions     element-wise additions of a table; strided: the table is laid out otherwise
    scaled        a hand-written operator is used; rows_at_once: it works in pieces of so many values, 0 in one
    transposed    copies to another layout and back, per block
    ranked        a metric sorts all activations
    logged        values written to a log as text after every step
    lengths       the inputs' lengths: fixed, or drawn anew for every batch around this share of the whole
    seed          what they are drawn by
    slow_step     recorded step that writes `checkpoints` checkpoints; -1: none
    pinned        the process stays on one core; busy: processes that do nothing else there
    """

    steps: int = 8
    warm_up: int = 3
    batch: int = 16
    depth: int = 3
    dtype: str = "float32"
    decodings: int = 1
    additions: int = 1
    strided: bool = False
    scaled: bool = False
    rows_at_once: int = 0
    transposed: int = 0
    ranked: bool = False
    logged: int = 0
    lengths: float | None = None
    seed: int = 0
    slow_step: int = -1
    checkpoints: int = 1
    pinned: bool = False
    busy: int = 0
    with_stack: bool = False
    profile_memory: bool = True


HEALTHY = Habits()
PLAIN = Habits(batch=1, depth=12, profile_memory=False)
"""Many short operators, with little recorded."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A healthy program, the same with one fault, and the first finding's rule and (part of its) subject. No rule: the
    two sides are the same program."""

    name: str
    healthy: Habits
    faulty: Habits
    rule: str
    subject: str = ""


def _fault(name: str, rule: str, subject: str = "", base: Habits = HEALTHY, **changed: object) -> Fault:
    return Fault(name, base, replace(base, **changed), rule, subject)


FAULTS: tuple[Fault, ...] = (
    _fault("slow data loader", "data_loader", decodings=24),
    _fault("larger batch", "workload_changed", "aten::", batch=32),
    _fault("another data type", "data_type_changed", "aten::", dtype="bfloat16"),
    _fault("autocast", "data_type_changed", "aten::", base=replace(HEALTHY, batch=32), dtype="autocast"),
    _fault("twice the layers", "more_calls", "aten::", depth=6),
    _fault("strided input", "operator_slower", "aten::add", base=replace(HEALTHY, additions=100), strided=True),
    _fault("slow hand-written operator", "operator_slower", "Scale", base=replace(HEALTHY, scaled=True),
           rows_at_once=8),
    _fault("copies between layouts", "layout_copies", "aten::copy_", base=replace(HEALTHY, batch=48), transposed=8),
    _fault("a metric is new", "operators_changed", "aten::sort", ranked=True),
    _fault("one slow step", "slow_steps", "step", slow_step=4, checkpoints=20),
    _fault("warm-up inside", "warm_up_inside", warm_up=0),
    *([_fault("contention", "host_interrupted", base=replace(HEALTHY, pinned=True), busy=1)] if LINUX else []),
    _fault("stacks recorded", "profiler_overhead", base=PLAIN, with_stack=True, profile_memory=True),
    _fault("logging", "unrecorded_time", logged=20_000),
    _fault("logging, with stacks", "unrecorded_time", "json", base=replace(HEALTHY, with_stack=True), logged=20_000),
    _fault("longer inputs", "workload_changed", "aten::", base=replace(HEALTHY, lengths=0.25), lengths=0.8, seed=1),
)  # fmt: skip

EQUAL: tuple[Fault, ...] = tuple(Fault(f"equal {number}", HEALTHY, HEALTHY, "") for number in (1, 2, 3))


def record_in_turns(pairs: Iterable[tuple[str, object, object]], target: Path, module: str) -> None:
    """Writes target/NAME/healthy and target/NAME/faulty of (name, healthy, faulty) with `record(program, path)` of the
    module. Every recording is a process of its own, which begins with torch loaded where processes can be forked."""
    if LINUX:
        importlib.import_module(module)
    context = multiprocessing.get_context("fork" if LINUX else "spawn")
    for name, *programs in pairs:
        for span in range(1, SPANS + 1):
            for side, program in zip(SIDES, programs, strict=True):
                path = target / name / side / f"worker0.{span}.pt.trace.json"
                path.parent.mkdir(parents=True, exist_ok=True)
                process = context.Process(target=_record, args=(module, program, path))  # type: ignore[attr-defined]
                process.start()
                process.join()
                if process.exitcode:
                    raise SystemExit(f"{name}, {side}: the recording ended with {process.exitcode}")


def _record(module: str, program: object, path: Path) -> None:
    importlib.import_module(module).record(program, path)


@cache
def compared(folder: Path, *, swapped: bool = False, capture: int = 0) -> Comparison:
    """The answer of `tb-perfcompare diff` to a recorded pair: the same search, reading, choice of steps and rules.
    `capture`: only that one of either side, numbered from 1."""
    paths = [folder / side for side in (SIDES[::-1] if swapped else SIDES)]
    if capture:
        paths = [next(path.glob(f"worker0.{capture}.pt.trace.json*")) for path in paths]
    sides = [side_from_path(str(path), None, None) for path in paths]
    workspace = Workspace(in_process_bytes=SMALL_BYTES)
    try:
        return workspace.compare(ComparisonRequest(sides[0], sides[1], CompareOptions()))
    finally:
        workspace.close()


def is_found(fault: Fault, found: Comparison) -> bool:
    """Whether the first finding is the planted fault."""
    first = found.findings[0] if found.findings else None
    return first is not None and first.rule == fault.rule and fault.subject in first.subject


def main() -> None:
    """The command line."""
    known = {pair.name: pair for pair in (*FAULTS, *EQUAL)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder to write to")
    parser.add_argument("--fault", choices=sorted(known), action="append", help="only this pair (default: all)")
    parser.add_argument("--quiet", action="store_true", help="record only")
    chosen = parser.parse_args()
    pairs = [known[name] for name in chosen.fault or known]
    recorded = [(pair.name, pair.healthy, pair.faulty) for pair in pairs]
    record_in_turns(recorded, chosen.out, "tests.planted.recorded.genuine_training")
    for pair in pairs if not chosen.quiet else ():
        found = compared(chosen.out / pair.name)
        print(f"{pair.name}: {found.headline.verdict.value}, {found.headline.ratio:.2f}; wanted {pair.rule or 'none'}")
        for finding in found.findings:
            print(f"    {finding.rule}: {finding.sentence}")


if __name__ == "__main__":
    sys.exit(main())
