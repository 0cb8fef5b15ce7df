"""api/row_paths as JSON: integers in nanoseconds (or calls) per step times `denominator`, as in the ledger."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.tables.row_callees import Callees
from tb_perfcompare.comparison.tables.row_paths import Figures, PathFrame, RowPaths, Way
from tb_perfcompare.comparison.tables.row_related import FrameLink, Related
from tb_perfcompare.render.wire.wire_rows import MOST_BYTES, encoded, fitted

PATHS_SCHEMA = "tb_perfcompare.row_paths/1"


def paths_answer(
    found: RowPaths, related: Sequence[Related], frame: FrameLink | None, called: Callees | None
) -> bytes:
    """As JSON. A pair of figures is [baseline, candidate], null where a side has no such path."""
    numbers: dict[PathFrame, int] = {}
    ways = [_way(way, numbers) for way in found.ways]
    return fitted(
        encoded(
            {
                "schema": PATHS_SCHEMA,
                "version": __version__,
                "table": found.table,
                "row": found.row,
                "denominator": found.denominator,
                "measures": [{"name": name, "label": label} for name, label in found.measures.items()],
                "total": _figures(found.total),
                "frames": [[frame.kind, frame.name, frame.table] for frame in numbers],
                "ways": ways,
                "related": [
                    {
                        "what": kind.what,
                        "rows": [
                            {"table": one.table, "row": one.row, "name": one.name, "time": one.time}
                            for one in kind.rows
                        ],
                        "others": kind.others,
                    }
                    for kind in related
                ],
                "call_tree": None if frame is None else {"row": frame.row, "frames": frame.frames},
                "callees": None if called is None else _callees(called),
            }
        ),
        MOST_BYTES,
    )


def _callees(called: Callees) -> dict[str, object]:
    rows = [{"kind": one.kind, "name": one.name, "table": one.table, "time": one.time} for one in called.rows]
    return {
        "whole": called.whole, "own": called.own, "rows": rows, "rest": {"time": called.rest, "callees": called.others}
    }  # fmt: skip


def _way(way: Way, numbers: dict[PathFrame, int]) -> dict[str, object]:
    paths = []
    for path in way.paths:
        drawn = {"frames": _frames(path.frames, numbers), **_figures(path.figures)}
        if path.candidate_frames is not None:
            drawn["candidate_frames"] = _frames(path.candidate_frames, numbers)
        paths.append(drawn)
    absent = {"baseline": way.absent[0] or None, "candidate": way.absent[1] or None}
    return {"way": way.name, "absent": absent, "paths": paths, "rest": {**_figures(way.rest), "paths": way.others}}


def _frames(frames: tuple[PathFrame, ...], numbers: dict[PathFrame, int]) -> list[int]:
    """Stacks have most of their functions in common: each is written once."""
    return [numbers.setdefault(frame, len(numbers)) for frame in frames]


def _figures(figures: Figures) -> dict[str, object]:
    return {"calls": figures.calls, "times": figures.times}
