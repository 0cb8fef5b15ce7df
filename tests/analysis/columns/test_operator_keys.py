"""Keys of many names at once equal those of each name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.columns.operator_keys import kernel_places, operator_keys_of
from tb_perfcompare.model.names.collective_names import is_collective_annotation
from tb_perfcompare.model.names.join_keys import kernel_key, operator_key, other_keys
from tb_perfcompare.model.names.ranges import is_loader, is_optimizer, is_step, is_wrapper, passing_names
from tb_perfcompare.model.strings import StringTable

PIECES = st.sampled_from(
    [
        "aten::add", "AddmmBackward", "0", "7", "ProfilerStep#", "enumerate(DataLoader)#", ".__next__", "_0c1", "_",
        "triton_poi", "graph_3_cpp_fused", " 0x7f00aa11", "nccl:send 1 -> 2", "NCCL:", "HcclAll", "Rank 3", "stream_2",
        "Optimizer.step", "Torch-Compiled Region: 1", "CompiledFxGraph c0ffee", "0123456789abcdef0123456789abcdef",
        "\n", "\u017fTREAM 1", "enumerate(DataPipe)#", "ncclDevKernel_", "rccl", "DataParallel.forward",
    ]
)  # fmt: skip
NAMES = st.lists(st.lists(PIECES, max_size=3).map("".join), max_size=8)


def numbered(
    strings: StringTable, codes: np.ndarray[Any, Any], known: tuple[str, ...] = ()
) -> tuple[list[int], list[str]]:
    keys = operator_keys_of(strings)
    number, places = keys.numbered(codes, known)
    return number.tolist(), [keys.pool.texts[at] for at in places.tolist()]


@given(NAMES)
def test_keys_of_many_names_equal_those_of_each(names: list[str]) -> None:
    found = {at: operator_key(name) for at, name in enumerate(names)}
    assert other_keys(names) == {at: key for at, key in found.items() if key != names[at]}


@pytest.mark.parametrize("test", [is_step, is_loader, is_optimizer, is_collective_annotation, is_wrapper])
@given(names=NAMES)
def test_names_that_pass_a_test_are_found(test: Callable[[str], bool], names: list[str]) -> None:
    strings = StringTable(names)
    assert passing_names(test, strings) == [at for at, name in enumerate(strings.texts) if test(name)]


@given(NAMES, st.lists(st.integers(0, 7), max_size=12), st.sampled_from([(), ("",), ("", "aten::add")]))
def test_keys_are_numbered_in_order_of_appearance(names: list[str], drawn: list[int], known: tuple[str, ...]) -> None:
    strings = StringTable(names)
    codes = np.array([code for code in drawn if code < len(strings)], dtype=np.int64)
    index = {text: number for number, text in enumerate(known)}
    expected = [index.setdefault(operator_key(strings[code]), len(index)) for code in codes.tolist()]
    assert numbered(strings, codes, known) == (expected, list(index))


@given(NAMES, st.lists(st.lists(st.integers(0, 7), max_size=4), max_size=4))
def test_numbers_do_not_depend_on_earlier_calls(names: list[str], asked: list[list[int]]) -> None:
    strings = StringTable(names)
    for drawn in asked:
        codes = np.array([code for code in drawn if code < len(strings)], dtype=np.int64)
        number, texts = numbered(strings, codes)
        assert [texts[at] for at in number] == [operator_key(strings[code]) for code in codes.tolist()]


def test_keys_are_cached_and_extended_for_new_names() -> None:
    strings = StringTable(["AddBackward0", "AddBackward"])
    first = operator_keys_of(strings)
    assert operator_keys_of(strings) is first
    strings.intern("AddBackward1")
    assert numbered(strings, np.arange(3)) == ([0, 0, 0], ["AddBackward"])


@given(NAMES, st.lists(st.integers(0, 7), max_size=8), st.lists(PIECES, max_size=4))
def test_pooled_texts_are_unique_and_ranked(names: list[str], drawn: list[int], more: list[str]) -> None:
    strings = StringTable(names)
    keys = operator_keys_of(strings)
    keys.of(np.array([code for code in drawn if code < len(strings)], dtype=np.int64))
    places = keys.places(more)
    texts = keys.pool.texts
    assert [texts[at] for at in places] == more
    assert len(set(texts)) == len(texts)
    assert [texts[at] for at in np.argsort(keys.ranks()).tolist()] == sorted(texts)


@given(NAMES)
def test_kernels_have_the_positions_of_their_keys(names: list[str]) -> None:
    strings = StringTable(names)
    places = kernel_places(strings, np.arange(len(strings)))
    texts = operator_keys_of(strings).pool.texts
    assert [texts[at] for at in places.tolist()] == [kernel_key(name) for name in strings.texts]
