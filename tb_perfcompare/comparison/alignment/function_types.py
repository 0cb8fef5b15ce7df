"""Types of functions in per-cycle tables where one side states none."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.model.recordings.cycles import DEVICE_TYPE, HOST_TYPE, is_device_type
from tb_perfcompare.model.summary.summary import GroupTable, Summary

_TABLE = "functions"
_NO_TYPES = frozenset({DEVICE_TYPE, HOST_TYPE})


def join_function_types(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary]:
    """Returns both sides, with the types of functions that only the other side states.

    A function without a type takes the one that its name has on the other side, on the host or on devices, if there is
    only one.
    """
    a, b = baseline.groups.get(_TABLE), candidate.groups.get(_TABLE)
    if a is None or b is None:
        return baseline, candidate
    return _with_types(baseline, a, b), _with_types(candidate, b, a)


def _with_types(side: Summary, own: GroupTable, other: GroupTable) -> Summary:
    types: dict[tuple[str, bool], set[str]] = {}
    for name, kind in other.keys:
        types.setdefault((name, is_device_type(kind)), set()).add(kind)
    present = {*own.keys}
    keys = []
    for name, kind in own.keys:
        there = types.get((name, is_device_type(kind)), set())
        (stated,) = there if len(there) == 1 and kind in _NO_TYPES else (kind,)
        keys.append((name, stated) if (name, stated) not in present else (name, kind))
    if keys == [*own.keys]:
        return side
    return replace(side, groups={**side.groups, _TABLE: replace(own, keys=tuple(keys))})
