"""Table of the joint call tree: a row per frame, in the order of a walk. Definitions: docs/method/ledger.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tb_perfcompare.comparison.ledger.call_tree import Frame, JointTree
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.model.summary.call_tree import MIXED, FrameKind
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS

NAME = "call_tree"

KINDS: Mapping[int, str] = {
    FrameKind.WHOLE: "step",
    FrameKind.MODULE: "module",
    FrameKind.OPERATOR: "operator",
    FrameKind.CALL: "host call",
    FrameKind.DEVICE: "device work",
    FrameKind.OTHER: "other",
    FrameKind.REST: "smaller frames",
}

_BETWEEN = " / "
_NOTES = (
    "Exposed time of every frame and of those in it: own time and the frames of the next depth sum to a frame, and the "
    "first row is the step.",
    columns.CORRECTED,
)
_ONE_SIDED = "Only the {side} has calls of modules: frames are distinguished by operators only."


def call_tree_table(tree: JointTree) -> Table:
    """Builds the table in the order of a walk: a frame contains the deeper ones that follow it."""
    root = tree.frames[0]
    unit = tree.denominator * 1000
    rows: list[tuple[Cell, ...]] = []
    path: list[str] = []
    for frame, name in zip(tree.frames, _names(tree), strict=True):
        del path[frame.depth :]
        rows.append(_row(frame, name, _BETWEEN.join(path), root, unit))
        path.append(name)
    notes = _NOTES if tree.with_modules in ("both", "neither") else (*_NOTES, _ONE_SIDED.format(side=tree.with_modules))
    return Table(NAME, "Call tree", _COLUMNS, tuple(rows), notes)


def _names(tree: JointTree) -> list[str]:
    """Names of the frames; siblings of one name are distinguished by kind and category."""
    around: list[int] = []
    in_parent: list[tuple[int, str]] = []
    for index, frame in enumerate(tree.frames):
        del around[frame.depth :]
        in_parent.append((around[-1] if around else -1, frame.key[2]))
        around.append(index)
    counts = Counter(in_parent)
    return [
        name if counts[parent, name] == 1 else f"{name} [{KINDS[kind]}, {_part(category)}]"
        for (parent, name), (kind, category, _) in zip(in_parent, (frame.key for frame in tree.frames), strict=True)
    ]


def _part(category: int) -> str:
    return "" if category == MIXED else CATEGORY_LABELS[category]


def _row(frame: Frame, name: str, below: str, root: Frame, unit: int) -> tuple[Cell, ...]:
    kind, category, _ = frame.key
    a, b, status = frame.baseline, frame.candidate, frame.status
    in_a, in_b = status != "added", status != "removed"
    counted = kind not in (FrameKind.WHOLE, FrameKind.REST)
    return (
        name,
        below,
        frame.depth,
        KINDS[kind],
        _part(category),
        a / unit if in_a else None,
        b / unit if in_b else None,
        (b - a) / unit,
        a / root.baseline if in_a and root.baseline else None,
        b / root.candidate if in_b and root.candidate else None,
        frame.own[0] / unit if in_a else None,
        frame.own[1] / unit if in_b else None,
        (frame.own[1] - frame.own[0]) / unit,
        frame.calls[0] if in_a and counted else None,
        frame.calls[1] if in_b and counted else None,
        frame.merged,
        status,
    )


_COLUMNS = (
    columns.key("frame", "Frame", "module, operator, host call or device work, or the reason for a gap between them"),
    columns.key("below", "Below", "enclosing frames, outermost first"),
    columns.count("depth", "Depth", "number of enclosing frames; 0 is the step", shown=False),
    columns.text("kind", "Kind", "kind of frame: module, operator, host call, device work or gap"),
    columns.text("category", "Part", "category of the frame's own time", shown=False),
    *columns.triple("", "", "Exposed time of the frame, including the frames in it"),
    *columns.sides(columns.fraction, "share", "Of step", "fraction of the {side}'s step time", shown=False),
    *columns.triple("own", "Own", "Exposed time of the frame itself, excluding the frames in it"),
    *columns.calls("Calls that start in a step"),
    columns.count("merged", "Frames", "number of smaller frames combined in this row; 0: single frame", shown=False),
    columns.STATUS,
)
