"""Columns of texts stored as numbers equal tuples of the texts, in memory, pickled and on disk."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model import texts as module
from tb_perfcompare.model.summary.launch_sites import PlacePool, place_below
from tb_perfcompare.model.texts import Column, Keys, TextPool, TextRows, Texts, column, keys
from tb_perfcompare.sources.saved.columnar import packed, unpacked

WORDS = ["aten::mm", "", "aten::add", "\u00e4", "aten::mm "]
CODES = st.lists(st.integers(0, len(WORDS) - 1), max_size=12)


@dataclass(frozen=True)
class Kept:
    names: Column
    keys: Keys


def texts_of(codes: list[int]) -> Texts:
    return Texts(np.array(codes, dtype=np.int32), TextPool(list(WORDS)))


@given(CODES, CODES)
def test_texts_equal_a_tuple(codes: list[int], others: list[int]) -> None:
    texts, plain, other = texts_of(codes), tuple(WORDS[code] for code in codes), tuple(WORDS[code] for code in others)
    assert (tuple(texts), len(texts), hash(texts)) == (plain, len(plain), hash(plain))
    assert texts == plain and plain == texts and texts == texts_of(codes)
    assert (texts == other, texts != other) == (plain == other, plain != other)
    assert texts[1:3] == plain[1:3] and [texts[at] for at in range(len(texts))] == list(plain)
    assert [word in texts for word in WORDS] == [word in plain for word in WORDS]
    rows, pairs = TextRows((texts, texts_of(codes[::-1]))), tuple(zip(plain, plain[::-1], strict=True))
    assert (tuple(rows), len(rows), hash(rows)) == (pairs, len(pairs), hash(pairs))
    assert rows == pairs and pairs == rows
    assert rows[:2] == pairs[:2] and [rows[at] for at in range(len(rows))] == list(pairs)
    assert all(rows.index(pair) == pairs.index(pair) and pair in rows for pair in pairs)


@pytest.mark.parametrize("many", [0, 1_000])
@pytest.mark.parametrize("spare", [0, 1, 1_000])
@given(codes=CODES)
def test_column_and_keys_equal_tuples_in_every_representation(many: int, spare: int, codes: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MANY", many)
        patch.setattr(module, "_SPARE", spare)
        code, pool = np.array(codes, dtype=np.int64), TextPool(list(WORDS))
        plain = tuple(WORDS[at] for at in codes)
        assert column(code, pool) == plain
        assert keys((code, pool)) == tuple(zip(plain, strict=True))
        assert keys((code, pool), (code[::-1], pool)) == tuple(zip(plain, plain[::-1], strict=True))


@given(CODES)
def test_texts_survive_packing_and_pickling(codes: list[int]) -> None:
    texts = texts_of(codes)
    for kept in (Kept(texts, TextRows((texts, texts))), Kept(tuple(texts), tuple(zip(texts, strict=True)))):
        read = unpacked(packed(kept), Kept)
        assert (type(read.names), type(read.keys)) == (type(kept.names), type(kept.keys))
        assert read == kept == pickle.loads(pickle.dumps(kept))


def test_shared_texts_are_written_once() -> None:
    texts = Texts(np.zeros(3, dtype=np.int32), TextPool(["a text of some length"]))
    assert packed(Kept(texts, TextRows((texts, texts)))).count(b"some length") == 1


@pytest.mark.parametrize("code", [[-1], [5], [0, 5]])
def test_a_number_beyond_the_texts_is_refused(code: list[int]) -> None:
    with pytest.raises(ValueError, match="beyond"):
        texts_of(code)
    data = packed(Kept(texts_of([4] * len(code)), ()))
    array = np.array(code, dtype="<i4").tobytes()
    assert unpacked(data, Kept).names == tuple([WORDS[4]] * len(code))
    with pytest.raises(ValueError, match="beyond"):
        unpacked(data.replace(np.array([4] * len(code), dtype="<i4").tobytes(), array), Kept)


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="no rows"):
        TextRows((texts_of([0]), texts_of([0, 1])))
    with pytest.raises(ValueError, match="no rows"):
        TextRows(())


def test_places_are_made_on_demand() -> None:
    names, shapes = texts_of([0, 2, 0, 2]), texts_of([1, 1, 3, 1])
    above = np.array([0, 1, 2, 0], dtype=np.int32)
    pool = PlacePool(above, names, shapes)
    expected = [""]
    for at, upper in enumerate(above.tolist()):
        expected.append(place_below(expected[upper], names[at], shapes[at]))
    sent = pickle.loads(pickle.dumps(pool))
    for one in (pool, sent):
        assert len(one) == 5
        assert one.texts == expected
