"""Kinds of iterations, and the texts that belong to one."""

from __future__ import annotations

import pytest

from tb_perfcompare.model.names.kinds import kind_pattern, kinds_of


@pytest.mark.parametrize(
    ("kind", "text", "is_of"),
    [
        ("step[DECODE bs=8]", "step[DECODE bs=8]", True),
        ("step[DECODE*", "step[DECODE bs=16]", True),
        ("step[EXTEND toks=512-1023]", "step[EXTEND toks=777]", True),
        ("step[EXTEND toks=512-1023]", "step[EXTEND toks=1024]", False),
        ("step[EXTEND toks=512-1023]", "step[DECODE toks=777]", False),
        ("bs=2-3 toks=4-7", "bs=3 toks=4", True),
        ("bs=2-3 toks=4-7", "bs=4 toks=4", False),
        ("part 2-3", "part 2-3", True),
        ("a-b", "a-c", False),
    ],
)
def test_a_kind_matches_its_texts(kind: str, text: str, is_of: bool) -> None:
    assert bool(kind_pattern(kind)(text)) is is_of


def test_every_text_matches_its_own_kind() -> None:
    texts = [f"step[EXTEND bs={number % 3} toks={37 * number * number % 3001}]" for number in range(300)]
    kinds = kinds_of(texts)
    assert len(set(kinds)) < 60
    assert all(kind_pattern(kind)(text) for kind, text in zip(kinds, texts, strict=True))


def test_counters_within_a_request_are_not_kinds() -> None:
    texts = [f"decode request={request} token={token}" for request in range(2) for token in range(20)]
    assert {*kinds_of(texts)} == {"decode request=0 token=*", "decode request=1 token=*"}
    batches = [f"decode bs={size}" for size in range(1, 17) for _ in range(4)]
    assert len({*kinds_of(batches)}) == 16


def test_what_counts_the_iterations_of_each_recording_is_no_kind() -> None:
    runs = [(run, f"iter {number}") for run in range(4) for number in range(3, 9)]
    assert {*kinds_of([text for _, text in runs], [run for run, _ in runs])} == {"iter *"}
    sizes = [(run, f"size {size}") for run in range(4) for size in (8, 16, 32)]
    assert len({*kinds_of([text for _, text in sizes], [run for run, _ in sizes])}) == 3
