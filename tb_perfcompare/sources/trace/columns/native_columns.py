"""Converts the compiled scanner's result to Gathered: decodes and numbers texts, parses odd numbers.

The scanner keeps texts as JSON and numbers each distinct one once, so all work here is on distinct texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, TypeAlias, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Ints, Ints32, chunks
from tb_perfcompare.model.events import ArgKind, FlowTable, SparseColumn
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.native import _scanner
from tb_perfcompare.sources.trace.columns.arguments import NOT_RECORDED, SLOTS
from tb_perfcompare.sources.trace.columns.assemble_columns import Gathered
from tb_perfcompare.sources.trace.columns.event import Counts
from tb_perfcompare.sources.trace.columns.interning import Place, compacted, normalized_id
from tb_perfcompare.sources.trace.columns.numbers import NumberText, parse_floats, parse_integers
from tb_perfcompare.sources.trace.columns.process_layers import OperatorArrows

ScannedColumns: TypeAlias = dict[str, Any]
"""The dictionary that `Scan.finish` returns (native/_scanner.c)."""

_NO_TEXT = -1
_STRING = msgspec.json.Decoder(str)
_PLACE = msgspec.json.Decoder(int | float | str)
_TOGETHER = 2048
"""Number of JSON texts compacted at once."""
_FEW = 4096
"""Up to this many names are looked up one by one."""
_MAX_LENGTH = 255
_QUOTE = ord('"')
_VALUES: dict[ArgKind, type[np.generic]] = {ArgKind.INT: np.int64, ArgKind.FLOAT: np.float64, ArgKind.JSON: np.int32}
_DROPPED = {"without_name": "name", "without_ts": "ts", "without_dur": "dur", "without_flow_id": "flow id",
            "not_objects": "not an object"}  # fmt: skip
_REPAIRED = {"bent": "members of another type", "without_cat": "missing cat", "without_place": "missing pid or tid"}
_Parse: TypeAlias = Callable[[Sequence[NumberText]], tuple[NDArray[Any], Flags]]
_PARSE: dict[ArgKind, _Parse] = {ArgKind.INT: parse_integers, ArgKind.FLOAT: parse_floats}


def decode_columns(scanned: ScannedColumns) -> Gathered:
    """The columns with decoded texts. Empties `scanned` as it goes, so that no data stay in memory twice."""
    texts = _Texts(scanned)
    strings = StringTable()
    arguments = _arguments(scanned.pop("arguments"), texts, strings)
    code_of = _coded(texts, strings, scanned["name"], scanned["category"])
    skipped = _skipped(texts, scanned)
    pids, tids = (_numbers(scanned.pop(name), np.int32) for name in ("lane_pid", "lane_tid"))
    lane_places = list(_places(texts, pids, tids))
    places = {place: lane for lane, place in enumerate(dict.fromkeys(lane_places))}  # 7 and 7.0 are one place
    lane_of = np.array([places[place] for place in lane_places], np.int32)
    return Gathered(
        strings=strings,
        places=tuple(places),
        raw_category=_recoded(scanned.pop("category"), code_of),
        name=_recoded(scanned.pop("name"), code_of),
        lane=_recoded(scanned.pop("lane"), lane_of),
        start_ns=_numbers(scanned.pop("start_ns"), np.int64),
        dur_ns=_numbers(scanned.pop("dur_ns"), np.int64),
        complete=_numbers(scanned.pop("complete"), np.bool_),
        arguments=arguments,
        flows=FlowTable(
            _numbers(scanned.pop("flow_is_start"), np.bool_),
            _numbers(scanned.pop("flow_id"), np.int64),
            _numbers(scanned.pop("flow_ns"), np.int64),
        ),
        arrows=OperatorArrows(
            _numbers(scanned.pop("arrow_is_start"), np.bool_),
            _numbers(scanned.pop("arrow_id"), np.int64),
            _recoded(scanned.pop("arrow_lane"), lane_of),
            _numbers(scanned.pop("arrow_ns"), np.int64),
        ),
        counts=Counts(
            seen=scanned["seen"],
            dropped=_counter(scanned, _DROPPED),
            skipped=skipped,
            repaired=_counter(scanned, _REPAIRED),
            negative=scanned["negative"],
            finer=scanned["rounded"],
        ),
    )


class _Texts:
    """The distinct JSON texts by number."""

    def __init__(self, scanned: ScannedColumns) -> None:
        self._bytes: bytes = scanned.pop("texts")
        self._ends: bytes = scanned.pop("text_ends")
        self._end = np.frombuffer(self._ends, np.int64)

    def __len__(self) -> int:
        return len(self._end)

    def __getitem__(self, number: int) -> bytes:
        return self._bytes[int(self._end[number - 1]) if number else 0 : int(self._end[number])]

    def written(self, numbers: Ints) -> list[bytes]:
        data, starts = self._bytes, np.where(numbers, self._end[numbers - 1], 0).tolist()
        return [data[start:end] for start, end in zip(starts, self._end[numbers].tolist(), strict=True)]

    def string(self, number: int) -> str:
        """Decoded value of a text that is a string; "" for _NO_TEXT."""
        return "" if number == _NO_TEXT else _STRING.decode(self[number])

    def plain(self, numbers: Ints) -> tuple[list[str], list[int]]:
        """(decoded values of these strings, positions of strings with escapes, which are still to be decoded)."""
        decoded, odd = _scanner.plain_strings(self._bytes, self._ends, numbers.tobytes())
        return cast("list[str]", decoded), odd

    def beginnings(self, numbers: Ints) -> Ints:
        """(n,) a number determined by length and first byte of each of these non-empty strings."""
        start = np.where(numbers, self._end[numbers - 1], 0)
        length = np.minimum(self._end[numbers] - start - len(b'""'), _MAX_LENGTH)
        beginning: Ints = length * 256 + np.frombuffer(self._bytes, np.uint8)[start + 1]
        return beginning


def _used(count: int, *columns: _scanner.Column) -> Ints:
    """Distinct numbers below `count` in these columns, ascending."""
    is_used = np.zeros(count + 1, np.bool_)  # the last entry is for _NO_TEXT
    for column in columns:
        numbers = _numbers(column, np.int32)
        for portion in chunks(len(numbers)):
            is_used[numbers[portion]] = True
    return np.flatnonzero(is_used[:-1])


def _coded(texts: _Texts, strings: StringTable, names: _scanner.Column, categories: _scanner.Column) -> Ints32:
    """Adds the texts used in these columns to the strings; returns the code of each text, then of _NO_TEXT."""
    used = _used(len(texts), names, categories)
    decoded, odd = texts.plain(used)
    codes = np.full(len(used), -1, np.int32)
    for place in odd:
        decoded[place] = texts.string(int(used[place]))
        codes[place] = strings.intern(decoded[place])
    no_text = strings.intern("") if (_numbers(categories, np.int32) == _NO_TEXT).any() else -1
    if len(decoded) <= _FEW:
        for place in np.flatnonzero(codes < 0).tolist():
            codes[place] = strings.intern(decoded[place])
        return _code_table(len(texts), used, codes, no_text)
    # equal texts have equal length and first byte; of a million names this leaves only a few to look up
    likely = np.zeros(256 * (_MAX_LENGTH + 1), np.bool_)
    for text in strings.texts:
        data = text.encode("utf-8", "surrogatepass")
        likely[256 * min(len(data), _MAX_LENGTH) + (data[0] if data else _QUOTE)] = True
    for place in np.flatnonzero(likely[texts.beginnings(used)] & (codes < 0)).tolist():
        codes[place] = strings.find(decoded[place])
    new = codes < 0
    codes[new] = np.arange(len(strings), len(strings) + np.count_nonzero(new), dtype=np.int32)
    strings.add_distinct(decoded if new.all() else list(compress(decoded, new.tolist())))
    return _code_table(len(texts), used, codes, no_text)


def _code_table(count: int, used: Ints, codes: Ints32, no_text: int) -> Ints32:
    """Code of each of `count` texts, then of _NO_TEXT; -1 for unused ones."""
    code_of = np.full(count + 1, -1, np.int32)
    code_of[used] = codes
    code_of[_NO_TEXT] = no_text
    return code_of


def _recoded(data: _scanner.Column, code_of: Ints32) -> Ints32:
    """(n,) code of each of these numbers; the last code is that of _NO_TEXT."""
    numbers = _numbers(data, np.int32)
    codes = np.empty(len(numbers), np.int32)
    for portion in chunks(len(numbers)):
        code_of.take(numbers[portion], out=codes[portion], mode="wrap")  # -1 is the last; a third of indexing's time
    return codes


def _numbers(data: _scanner.Column, dtype: type[np.generic]) -> NDArray[Any]:
    return np.asarray(data).view(dtype)


def _places(texts: _Texts, pids: Ints32, tids: Ints32) -> Iterable[tuple[Place, Place]]:
    pairs = list(zip(pids.tolist(), tids.tolist(), strict=True))
    place: dict[int, Place] = {number: _PLACE.decode(texts[number]) for pair in pairs for number in pair if number >= 0}
    place = {number: normalized_id(value) for number, value in place.items()} | {_NO_TEXT: normalized_id(None)}
    return ((place[pid], place[tid]) for pid, tid in pairs)


def _arguments(parts: list[ScannedColumns], texts: _Texts, strings: StringTable) -> tuple[SparseColumn, ...]:
    """A column for each of SLOTS. Empties the parts as it goes."""
    kinds = [column.kind for column, _ in SLOTS]
    code_of = np.zeros(len(texts), np.int32)
    written = [part["values"] for kind, part in zip(kinds, parts, strict=True) if kind is ArgKind.JSON and part["rows"]]
    used = _used(len(texts), *written)
    for at in range(0, len(used), _TOGETHER):
        group = used[at : at + _TOGETHER]
        code_of[group] = [
            strings.intern(text) if text != "null" else _NO_TEXT for text in compacted(texts.written(group))
        ]
    written.clear()
    return tuple(
        _argument(kind, part, texts, code_of) if part["rows"] or part["odd_rows"] else empty
        for kind, part, empty in zip(kinds, parts, NOT_RECORDED, strict=True)
    )


def _argument(kind: ArgKind, part: ScannedColumns, texts: _Texts, code_of: Ints32) -> SparseColumn:
    rows = _numbers(part.pop("rows"), np.int32)
    if kind is ArgKind.JSON:
        return SparseColumn(rows, _recoded(part.pop("values"), code_of))
    values = _numbers(part.pop("values"), _VALUES[kind])
    if not part["odd_rows"]:
        return SparseColumn(rows, values)
    odd_rows, odd_texts = _numbers(part.pop("odd_rows"), np.int32), part.pop("odd_texts")
    used = _used(len(texts), odd_texts)
    parsed, valid = _PARSE[kind]([texts[number] for number in used.tolist()])
    place = np.searchsorted(used, _numbers(odd_texts, np.int32))
    chosen = valid[place]
    rows = np.concatenate([rows, odd_rows[chosen]])
    values = np.concatenate([values, parsed[place[chosen]]])
    order = np.argsort(rows, kind="stable")
    return SparseColumn(rows[order], values[order])


def _counter(scanned: ScannedColumns, meanings: Mapping[str, str]) -> Counter[str]:
    return Counter({meaning: scanned[key] for key, meaning in meanings.items() if scanned[key]})


def _skipped(texts: _Texts, scanned: ScannedColumns) -> Counter[str]:
    phases, categories = (_numbers(scanned.pop(f"skipped_{key}"), np.int32).tolist() for key in ("phase", "category"))
    counts = _numbers(scanned.pop("skipped_count"), np.int64).tolist()
    skipped: Counter[str] = Counter()
    for phase, category, count in zip(phases, categories, counts, strict=True):
        if count:  # a discarded block may have left a pair with count zero
            skipped[f"{texts.string(phase)}/{texts.string(category)}"] += count
    return skipped
