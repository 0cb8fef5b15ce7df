"""Common changes of training programs, recorded with torch on the CPU: is each found and named?

python -m tests.planted.recorded.everyday OUT [--change NAME ...] [--judge-only] [--single]      needs torch

Three small models (a convolutional, a recurrent one and a transformer), 33 changes and nine equal pairs; three
recordings per side, alternately. Changes and expected findings were fixed before any result was read.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any, Literal

from tb_perfcompare.comparison.result.comparison import Comparison
from tests.planted.recorded.genuine import SPANS, compared, record_in_turns

Model = Literal["convolution", "recurrent", "transformer"]
Direction = Literal["slower", "faster", "any", "none"]


@dataclass(frozen=True, slots=True)
class Setup:
    """A training program and its recording; the defaults are the ordinary one.

    parts       variants of layers: "group norm", "mish", "wide", "deep", "dropout", "kernel 5",
                "depthwise", "gru", "bidirectional", "attention by hand", "channels last"
    loop        extra work of the loop: "clip", "metric", "accumulate", "validate", "ema", "anomaly", "zeros",
                "snapshot", "sleep", "garbage", "double input", "histogram"
    optimizer   "sgd", "adam", "adam one by one"
    dtype       "float32", "float64", "autocast"
    augment     Python loops over each sample in the loader
    workers     processes of the loader
    threads     of torch; hogs: other processes that only compute
    """

    model: Model
    parts: frozenset[str] = frozenset()
    loop: frozenset[str] = frozenset()
    optimizer: str = "sgd"
    dtype: str = "float32"
    augment: int = 0
    workers: int = 0
    threads: int = 1
    hogs: int = 0
    shapes: bool = True
    stacks: bool = False
    steps: int = 8
    warm_up: int = 4


@dataclass(frozen=True, slots=True)
class Change:
    """Two programs, the expected direction, and globs. One glob must match the first finding's rule, or a name in its
    subject or sentence. Without globs no finding is expected; with "any" no direction."""

    name: str
    before: Any
    after: Any
    direction: Direction
    says: tuple[str, ...] = ()


CONVOLUTION, RECURRENT, TRANSFORMER = Setup("convolution"), Setup("recurrent"), Setup("transformer")


def _part(base: Setup, *names: str) -> Setup:
    return replace(base, parts=base.parts | set(names))


def _loop(base: Setup, *names: str) -> Setup:
    return replace(base, loop=base.loop | set(names))


CHANGES: tuple[Change, ...] = (
    # the loop
    Change("gradients clipped", TRANSFORMER, _loop(TRANSFORMER, "clip"), "slower", ("*norm*", "*clip*")),
    Change("accuracy every step", CONVOLUTION, _loop(CONVOLUTION, "metric"), "any",
           ("aten::argmax", "aten::eq", "aten::item")),
    Change("two micro-batches", TRANSFORMER, _loop(TRANSFORMER, "accumulate"), "slower", ("more_calls",)),
    Change("validation inside", CONVOLUTION, _loop(CONVOLUTION, "validate"), "slower", ("more_calls", "*batch_norm*")),
    Change("average of weights", RECURRENT, _loop(RECURRENT, "ema"), "slower", ("*lerp*",)),
    Change("anomaly detection", TRANSFORMER, _loop(TRANSFORMER, "anomaly"), "slower",
           ("more_calls", "aten::isnan", "aten::ne", "aten::any")),
    Change("gradients zeroed in place", TRANSFORMER, _loop(TRANSFORMER, "zeros"), "any",
           ("*zero*", "aten::add_", "more_calls")),
    Change("weights copied every step", RECURRENT, _loop(RECURRENT, "snapshot"), "slower", ("*clone*", "*copy*")),
    Change("a pause", CONVOLUTION, _loop(CONVOLUTION, "sleep"), "slower", ("unrecorded_time",)),
    Change("many objects", RECURRENT, _loop(RECURRENT, "garbage"), "slower", ("unrecorded_time",)),
    Change("double inputs", TRANSFORMER, _loop(TRANSFORMER, "double input"), "any",
           ("aten::to", "*copy*", "data_type_changed")),
    Change("histograms of gradients", CONVOLUTION, _loop(CONVOLUTION, "histogram"), "slower", ("*histc*",)),
    # the optimizer
    Change("Adam for SGD", TRANSFORMER, replace(TRANSFORMER, optimizer="adam"), "slower",
           ("*adam*", "more_calls", "*addcdiv*", "*lerp*", "*sqrt*")),
    Change("one parameter at a time", replace(TRANSFORMER, optimizer="adam"),
           replace(TRANSFORMER, optimizer="adam one by one"), "any",
           ("more_calls", "*adam*", "*_foreach*", "*addcmul*", "*lerp*", "*sqrt*")),
    # the model
    Change("group norm", CONVOLUTION, _part(CONVOLUTION, "group norm"), "any", ("*norm*",)),
    Change("activation by hand", CONVOLUTION, _part(CONVOLUTION, "mish"), "slower", ("*softplus*", "*tanh*", "*relu*")),
    Change("wider", RECURRENT, _part(RECURRENT, "wide"), "slower", ("workload_changed",)),
    Change("deeper", TRANSFORMER, _part(TRANSFORMER, "deep"), "slower", ("more_calls",)),
    Change("dropout", RECURRENT, _part(RECURRENT, "dropout"), "any", ("*dropout*", "*bernoulli*")),
    Change("larger kernels", CONVOLUTION, _part(CONVOLUTION, "kernel 5"), "slower", ("workload_changed", "*conv*")),
    Change("depthwise", CONVOLUTION, _part(CONVOLUTION, "depthwise"), "any", ("*conv*", "workload_changed")),
    Change("GRU for LSTM", RECURRENT, _part(RECURRENT, "gru"), "any", ("*gru*", "*lstm*", "*rnn*")),
    Change("both directions", RECURRENT, _part(RECURRENT, "bidirectional"), "slower",
           ("more_calls", "workload_changed", "*lstm*", "*rnn*", "*flip*")),
    Change("attention by hand", TRANSFORMER, _part(TRANSFORMER, "attention by hand"), "any",
           ("*bmm*", "*softmax*", "*attention*")),
    Change("channels last", CONVOLUTION, _part(CONVOLUTION, "channels last"), "any", ()),
    # the loader
    Change("slow augmentation", CONVOLUTION, replace(CONVOLUTION, augment=40), "slower", ("data_loader",)),
    Change("processes in the loader", replace(CONVOLUTION, augment=40), replace(CONVOLUTION, augment=40, workers=2),
           "any", ("data_loader",)),
    # precision
    Change("autocast", CONVOLUTION, replace(CONVOLUTION, dtype="autocast"), "any", ("data_type_changed", "*copy*")),
    Change("double precision", RECURRENT, replace(RECURRENT, dtype="float64"), "slower", ("data_type_changed",)),
    # the recording and the machine
    Change("shapes not recorded", TRANSFORMER, replace(TRANSFORMER, shapes=False), "any"),
    Change("stacks recorded", TRANSFORMER, replace(TRANSFORMER, stacks=True), "any", ("profiler_overhead",)),
    Change("a second thread", CONVOLUTION, replace(CONVOLUTION, threads=2), "any"),
    Change("a busy machine", TRANSFORMER, replace(TRANSFORMER, hogs=4), "any", ("host_interrupted", "host_pace")),
)  # fmt: skip

EQUAL: tuple[Change, ...] = tuple(
    Change(f"equal {base.model} {number}", base, base, "none")
    for base in (CONVOLUTION, RECURRENT, TRANSFORMER)
    for number in (1, 2, 3)
)

SLOWER, FASTER = ("slower", "probably_slower"), ("faster", "probably_faster")


def right_direction(change: Change, found: Comparison) -> bool:
    """Whether the verdict is the expected one."""
    verdict = found.headline.verdict.value
    if change.direction == "none":
        return verdict not in (*SLOWER, *FASTER)
    return verdict in {"slower": SLOWER, "faster": FASTER}[change.direction]


def named(change: Change, found: Comparison) -> bool:
    """Whether the first finding names the change; for equal programs, whether there is none."""
    if change.direction == "none":
        return not found.findings
    if not found.findings:
        return False
    first = found.findings[0]
    names = re.findall(r"[\w:.#]+", f"{first.rule} {first.subject} {first.sentence}".lower())
    return any(fnmatchcase(name, glob.lower()) for name in names for glob in change.says)


def run(about: str, every: Iterable[Change], module: str) -> None:
    """The command line of a list of changes, which `record` of the module records."""
    known = {change.name: change for change in every}
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder to write to")
    parser.add_argument("--change", choices=sorted(known), action="append", help="only this pair (default: all)")
    parser.add_argument("--judge-only", action="store_true", help="the recordings are there already")
    parser.add_argument("--single", action="store_true", help="compare one capture a side: the first ones, ...")
    chosen = parser.parse_args()
    changes = [known[name] for name in chosen.change or known]
    if not chosen.judge_only:
        pairs = [(change.name, change.before, change.after) for change in changes]
        record_in_turns(pairs, chosen.out, module)
    captures = range(1, SPANS + 1) if chosen.single else (0,)
    marks: dict[str, list[bool]] = {}
    for change, capture in product(changes, captures):
        found = compared(chosen.out / change.name, capture=capture)
        kind = "equal" if change.direction == "none" else "changes"
        mark = ""
        for what, asked, judge in (
            ("direction", change.direction != "any", right_direction),
            ("cause", bool(change.says) or kind == "equal", named),
        ):
            right = judge(change, found) if asked else None
            mark += {True: ".", False: "X", None: "-"}[right]
            marks.setdefault(f"{kind}, {what}", []).extend([] if right is None else [right])
        text = f"{found.headline.sentence} Ratio {found.headline.ratio:.2f}; wanted {change.direction}"
        print(f"{mark} {change.name}{f', capture {capture}' if capture else ''}: {text}")
        for finding in found.findings[:3]:
            print(f"      {finding.rule}: {finding.sentence}")
    for what, rights in marks.items():
        print(f"{what}: {sum(rights)} of {len(rights)}")


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", (*CHANGES, *EQUAL), "tests.planted.recorded.everyday_training"))
