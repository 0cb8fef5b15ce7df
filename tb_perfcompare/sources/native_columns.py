"""What the compiled scanner found -> Gathered: texts are decoded and numbered, odd numbers are read.

The scanner keeps texts as JSON and numbers each distinct one once, so everything here works on distinct texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.events import ArgKind, FlowTable, SparseColumn
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.arguments import SLOTS
from tb_perfcompare.sources.gathered import Counts, Gathered
from tb_perfcompare.sources.interning import JsonTexts, Place, as_place
from tb_perfcompare.sources.numbers import NumberText, parse_floats, parse_integers
from tb_perfcompare.sources.process_layers import OperatorArrows

Found: TypeAlias = dict[str, Any]
"""The dictionary that `Scan.finish` gives (native/_scanner.c)."""

_NO_TEXT = -1
_STRINGS = msgspec.json.Decoder(list[str])
_PLACE = msgspec.json.Decoder(int | float | str)
_VALUES: dict[ArgKind, type[np.generic]] = {ArgKind.INT: np.int64, ArgKind.FLOAT: np.float64, ArgKind.JSON: np.int32}
_DROPPED = {"without_name": "name", "without_ts": "ts", "without_dur": "dur", "without_flow_id": "flow id",
            "not_objects": "not an object"}  # fmt: skip
_REPAIRED = {"bent": "members of another type", "without_cat": "missing cat", "without_place": "missing pid or tid"}
_Parse: TypeAlias = Callable[[Sequence[NumberText]], tuple[NDArray[Any], NDArray[np.bool_]]]
_PARSE: dict[ArgKind, _Parse] = {ArgKind.INT: parse_integers, ArgKind.FLOAT: parse_floats}


def gathered(found: Found) -> Gathered:
    """The columns with decoded texts. Empties `found` on the way, so that nothing is held twice for long."""
    texts = _Texts(found)
    strings = StringTable()
    name, category = _numbers(found.pop("name"), np.int32), _numbers(found.pop("category"), np.int32)
    skipped_category = _numbers(found.pop("skipped_category"), np.int32)
    skipped_phase = _numbers(found.pop("skipped_phase"), np.int32)
    decoded = texts.decoded(name, category, skipped_category, skipped_phase)
    code_of = np.full(len(texts) + 1, -1, np.int32)  # the last one is what _NO_TEXT picks
    if (category == _NO_TEXT).any():
        code_of[_NO_TEXT] = strings.intern("")
    for number in _used(len(texts), name, category):
        code_of[number] = strings.intern(decoded[number])
    json_texts = JsonTexts(strings)
    written = list(_places(texts, _numbers(found.pop("lane_pid"), np.int32), _numbers(found.pop("lane_tid"), np.int32)))
    places = {place: lane for lane, place in enumerate(dict.fromkeys(written))}  # 7 and 7.0 are one place
    lane_of = np.array([places[place] for place in written], np.int32)
    return Gathered(
        strings=strings,
        places=tuple(places),
        raw_category=code_of[category],
        name=code_of[name],
        lane=lane_of[_numbers(found.pop("lane"), np.int32)],
        start_ns=_numbers(found.pop("start_ns"), np.int64),
        dur_ns=_numbers(found.pop("dur_ns"), np.int64),
        complete=_numbers(found.pop("complete"), np.bool_),
        arguments=tuple(
            _argument(column.kind, part, texts, json_texts)
            for (column, _), part in zip(SLOTS, found["arguments"], strict=True)
        ),
        flows=FlowTable(
            _numbers(found.pop("flow_is_start"), np.bool_),
            _numbers(found.pop("flow_id"), np.int64),
            _numbers(found.pop("flow_ns"), np.int64),
        ),
        arrows=OperatorArrows(
            _numbers(found.pop("arrow_is_start"), np.bool_),
            _numbers(found.pop("arrow_id"), np.int64),
            lane_of[_numbers(found.pop("arrow_lane"), np.int32)],
            _numbers(found.pop("arrow_ns"), np.int64),
        ),
        counts=Counts(
            seen=found["seen"],
            dropped=_counter(found, _DROPPED),
            skipped=_skipped(decoded, skipped_phase, skipped_category, _numbers(found.pop("skipped_count"), np.int64)),
            repaired=_counter(found, _REPAIRED),
            negative=found["negative"],
            finer=found["rounded"],
            fractional_times=found["fractional"] > 0,
        ),
    )


class _Texts:
    """The distinct JSON texts by number."""

    def __init__(self, found: Found) -> None:
        self._bytes: bytes = found["texts"]
        self._ends: list[int] = [*_numbers(found["text_ends"], np.int64).tolist(), 0]  # the 0 is where text 0 starts

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> bytes:
        return self._bytes[self._ends[number - 1] : self._ends[number]]

    def decoded(self, *columns: NDArray[np.int32]) -> dict[int, str]:
        """Number -> string, of the strings that these columns use; _NO_TEXT is the empty one."""
        used = _used(len(self), *columns)
        strings = _STRINGS.decode(b"[" + b",".join([self[number] for number in used]) + b"]")
        return {_NO_TEXT: "", **dict(zip(used, strings, strict=True))}


def _used(count: int, *columns: NDArray[np.int32]) -> list[int]:
    """The text numbers in these columns, ascending."""
    is_used = np.zeros(count + 1, np.bool_)
    for column in columns:
        is_used[column] = True
    found: list[int] = np.flatnonzero(is_used[:count]).tolist()
    return found


def _numbers(data: bytes, dtype: type[np.generic]) -> NDArray[Any]:
    return np.frombuffer(data, dtype)


def _places(texts: _Texts, pids: NDArray[np.int32], tids: NDArray[np.int32]) -> Iterable[tuple[Place, Place]]:
    place: dict[int, Place] = {_NO_TEXT: as_place(None)}
    for number in _used(len(texts), pids, tids):
        place[number] = as_place(_PLACE.decode(texts[number]))
    return ((place[pid], place[tid]) for pid, tid in zip(pids.tolist(), tids.tolist(), strict=True))


def _argument(kind: ArgKind, part: Found, texts: _Texts, json_texts: JsonTexts) -> SparseColumn:
    rows, values = _numbers(part.pop("rows"), np.int32), _numbers(part.pop("values"), _VALUES[kind])
    if kind is ArgKind.JSON:
        code_of = np.zeros(len(texts), np.int32)
        for number in _used(len(texts), values):
            code_of[number] = json_texts[texts[number]]
        return SparseColumn(rows, code_of[values])
    if not part["odd_rows"]:
        return SparseColumn(rows, values)
    odd_rows, odd_texts = _numbers(part.pop("odd_rows"), np.int32), _numbers(part.pop("odd_texts"), np.int32)
    used = _used(len(texts), odd_texts)
    parsed, valid = _PARSE[kind]([texts[number] for number in used])
    place = np.searchsorted(used, odd_texts)
    chosen = valid[place]
    rows = np.concatenate([rows, odd_rows[chosen]])
    values = np.concatenate([values, parsed[place[chosen]]])
    order = np.argsort(rows, kind="stable")
    return SparseColumn(rows[order], values[order])


def _counter(found: Found, meanings: Mapping[str, str]) -> Counter[str]:
    return Counter({meaning: found[key] for key, meaning in meanings.items() if found[key]})


def _skipped(
    decoded: Mapping[int, str], phases: NDArray[np.int32], categories: NDArray[np.int32], counts: NDArray[np.int64]
) -> Counter[str]:
    skipped: Counter[str] = Counter()
    for phase, category, count in zip(phases.tolist(), categories.tolist(), counts.tolist(), strict=True):
        if count:  # a block that was not kept may have left a pair behind
            skipped[f"{decoded[phase]}/{decoded[category]}"] += count
    return skipped
