"""Joins the call trees of two sides: the third way to split the step, adding up to the change like the ledger.

The time of a frame is its own plus that of the frames in it, in integers, and the root's time is the ledger's total.
Small frames are merged, within each parent separately (docs/method/ledger.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.model.summary.call_tree import REST, CallTree, FrameKey, FrameKind, Frames, union
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

MAX_FRAMES = 3_000
"""Number of separate frames, the largest of both sides; the rest is merged."""

IN_MODULES: FrameKey = (FrameKind.OTHER, StepCategory.OTHER, "(code of modules)")
"""Frame for the own time of modules if only one side has modules, so that frames are not distinguished by them."""


@dataclass(slots=True)
class Frame:
    """A frame of either side. Treated as immutable, but not frozen: there are thousands, and frozen ones take four
    times as long to create. Times are integers in nanoseconds x the tree's denominator per step, including the
    frames inside, and excluding them (`own`). calls are per step. merged: number of frames merged into this one."""

    depth: int
    key: FrameKey
    baseline: int
    candidate: int
    own: tuple[int, int]
    calls: tuple[float, float]
    merged: int

    @property
    def status(self) -> str:
        """Which sides have the frame: both, added or removed."""
        return columns.status(self.baseline != 0, self.candidate != 0)


@dataclass(frozen=True, slots=True)
class JointTree:
    """Frames in the order of a walk, the root first; a frame contains the deeper ones that follow it. `with_modules`
    gives the sides that distinguish frames by modules: "both", "neither", or the only side with modules."""

    denominator: int
    frames: tuple[Frame, ...]
    with_modules: str


def joint_tree(baseline: Summary, candidate: Summary, most: int = MAX_FRAMES) -> JointTree | None:
    """Joins the trees of two sides; None unless both sides have a tree."""
    trees = trees_alike(baseline, candidate)
    if trees is None:
        return None
    a, b = trees
    recorded = (tree for side in (baseline, candidate) if (tree := side.call_tree) is not None)
    with_modules = _sides_with_modules(*recorded)
    counts = len(baseline.steps), len(candidate.steps)
    common = lcm(*counts)
    frames, numbers = union([a, b])
    sides = [
        _Side(tree, number.tolist(), frames, steps, common // steps)
        for tree, number, steps in zip((a, b), numbers, counts, strict=True)
    ]
    return JointTree(common, tuple(_walked(frames, sides, most)), with_modules)


def trees_alike(baseline: Summary, candidate: Summary) -> tuple[CallTree, CallTree] | None:
    """Returns the trees of both sides, without modules if only one side has any; None unless both have a tree."""
    a, b = baseline.call_tree, candidate.call_tree
    if a is None or b is None:
        return None
    with_modules = _sides_with_modules(a, b)
    if with_modules == "baseline":
        a = a.without_modules(IN_MODULES)
    elif with_modules == "candidate":
        b = b.without_modules(IN_MODULES)
    return a, b


def _sides_with_modules(a: CallTree, b: CallTree) -> str:
    in_a, in_b = (bool((tree.kind == FrameKind.MODULE).any()) for tree in (a, b))
    return "both" if in_a and in_b else "baseline" if in_a else "candidate" if in_b else "neither"


class _Side:
    """Own and total time, calls per step and merged frames of each frame."""

    def __init__(self, tree: CallTree, number: Sequence[int], frames: Frames, steps: int, factor: int) -> None:
        self.own, self.calls = [0] * len(frames), [0.0] * len(frames)
        self.merged = [0] * len(frames)
        times, calls = tree.own()
        figures = (times.tolist(), calls.tolist(), tree.merged.tolist())
        for frame, time, count, merged in zip(number, *figures, strict=True):
            self.own[frame] += time * factor
            self.calls[frame] += count / steps
            self.merged[frame] += merged
        self.whole = list(self.own)
        for frame in range(len(frames) - 1, 0, -1):
            self.whole[frames.parent[frame]] += self.whole[frame]


def _walked(frames: Frames, sides: list[_Side], most: int) -> list[Frame]:
    """The kept frames in the order of a walk; the merged rest of each frame is one frame after its children."""
    a, b = sides
    kept, merged = _kept(frames, a, b, most)
    below: dict[int, list[int]] = {}
    depth = [0] * len(frames)
    rest_a, rest_b = ([whole - own for whole, own in zip(side.whole, side.own, strict=True)] for side in sides)
    for frame in range(1, len(frames)):
        parent = frames.parent[frame]
        depth[frame] = depth[parent] + 1
        if kept[frame]:
            below.setdefault(parent, []).append(frame)
            rest_a[parent] -= a.whole[frame]
            rest_b[parent] -= b.whole[frame]
    out: list[Frame] = []
    waiting = [0]
    while waiting:
        frame = waiting.pop()
        if frame > 0 or not out:
            own, calls = (a.own[frame], b.own[frame]), (a.calls[frame], b.calls[frame])
            out.append(Frame(depth[frame], frames.key[frame], a.whole[frame], b.whole[frame], own, calls, 0))
            waiting.append(-frame)
            waiting += reversed(below.get(frame, ()))
            continue
        frame = -frame
        remaining_a, remaining_b = rest_a[frame], rest_b[frame]
        if remaining_a or remaining_b:
            remaining = remaining_a, remaining_b
            out.append(Frame(depth[frame] + 1, REST, *remaining, remaining, (0.0, 0.0), merged.get(frame, 0)))
    return out


def _kept(frames: Frames, a: _Side, b: _Side, most: int) -> tuple[list[bool], dict[int, int]]:
    """(whether each frame is kept, number of frames merged in each kept frame)."""
    size = [max(pair) for pair in zip(a.whole, b.whole, strict=True)]
    # frames of one size are all kept or all merged, so that the order of the sides does not matter
    least = 0 if len(frames) <= most else sorted(size, reverse=True)[most]
    kept = [time > least and key != REST for time, key in zip(size, frames.key, strict=True)]
    kept[0] = True
    small = [dict[int, int](), dict[int, int]()]
    for frame in range(1, len(frames)):
        if frames.key[frame] == REST:
            for times, side in zip(small, (a, b), strict=True):
                times[frames.parent[frame]] = side.whole[frame]
    home = list(range(len(frames)))
    merged: dict[int, int] = {}
    alone: dict[int, int] = {}
    for frame in range(1, len(frames)):
        parent = frames.parent[frame]
        kept[frame] = kept[frame] and kept[parent] and not _may_be_small(frame, parent, a, b, small)
        if not kept[frame] and size[frame]:
            home[frame] = home[parent]
            alone[home[frame]] = frame
            count = max(a.merged[frame], b.merged[frame]) if frames.key[frame] == REST else 1
            merged[home[frame]] = merged.get(home[frame], 0) + count
    for parent, frame in alone.items():
        kept[frame] = kept[frame] or (merged[parent] == 1 and frames.key[frame] != REST)
    return kept, merged


def _may_be_small(frame: int, parent: int, a: _Side, b: _Side, small: list[dict[int, int]]) -> bool:
    """Whether a frame of one side may be among the other side's merged frames, so that it cannot be called new or
    gone."""
    time_a, time_b = a.whole[frame], b.whole[frame]
    return (not time_b and time_a <= small[1].get(parent, 0)) or (not time_a and time_b <= small[0].get(parent, 0))
