"""Bytes of plain and packed files in blocks."""

from __future__ import annotations

import gzip
import io
import random

import pytest

from tb_perfcompare.sources.storage.blocks import Blocks, read_head
from tests.sources.scanners import needs_native

TEXT = random.Random(1).randbytes(40_000) + b"abc" * 20_000

with_both = pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_native)])


def blocks_of(stored: bytes, block_bytes: int = 1000, *, compiled: bool = False) -> tuple[list[bytes], Blocks]:
    with Blocks(io.BytesIO(stored), block_bytes=block_bytes, compiled=compiled) as blocks:
        return list(blocks), blocks


@with_both
@pytest.mark.parametrize("block_bytes", [1, 999, 100_000, 1 << 20])
def test_blocks_join_to_the_text_and_are_no_larger_than_asked(block_bytes: int, compiled: bool) -> None:
    text = TEXT[-5000:]
    found, blocks = blocks_of(gzip.compress(text), block_bytes, compiled=compiled)
    assert b"".join(found) == text
    assert max(map(len, found)) <= block_bytes
    assert (blocks.damage, blocks.raw_bytes) == ("", len(text))


def test_plain_bytes_pass_through() -> None:
    found, blocks = blocks_of(TEXT)
    assert b"".join(found) == TEXT
    assert (blocks.damage, blocks.stored_bytes, blocks.raw_bytes) == ("", len(TEXT), len(TEXT))


@with_both
@pytest.mark.parametrize("padding", [b"", b"\0" * 7])
def test_members_follow_each_other_with_padding_between(compiled: bool, padding: bytes) -> None:
    stored = gzip.compress(TEXT[:100]) + padding + gzip.compress(b"") + gzip.compress(TEXT[100:])
    found, blocks = blocks_of(stored, compiled=compiled)
    assert b"".join(found) == TEXT
    assert blocks.damage == ""


@with_both
def test_every_cut_of_a_packed_file_gives_the_head_of_the_text(compiled: bool) -> None:
    stored = gzip.compress(TEXT[:300] + b"abc" * 300)
    text = gzip.decompress(stored)
    lengths = []
    for cut in range(2, len(stored)):
        found, blocks = blocks_of(stored[:cut], 64, compiled=compiled)
        joined = b"".join(found)
        assert text.startswith(joined)
        assert blocks.damage == "the gzip data end early"
        lengths.append(len(joined))
    assert lengths == sorted(lengths)
    assert lengths[-1] == lengths[-8] == len(text)  # the last eight bytes are the checksum and the size


@with_both
def test_damaged_data_give_every_byte_before_the_damage(compiled: bool) -> None:
    text = random.Random(2).randbytes(1000)
    stored = bytearray(gzip.compress(text, 0) + b"rest")  # level 0 stores the bytes as they are, behind their length
    at = stored.index(text[:8])
    stored[at - 2] ^= 0xFF  # the complement of the length no longer fits
    found, blocks = blocks_of(bytes(stored), compiled=compiled)
    assert found == []
    assert blocks.damage.startswith("gzip data damaged before byte")


@pytest.mark.parametrize("stored", [TEXT, gzip.compress(TEXT), gzip.compress(TEXT)[:9000]])
def test_the_head_is_the_beginning_of_the_text(stored: bytes) -> None:
    head = read_head(io.BytesIO(stored), 500)
    assert head == TEXT[: len(head)]
    assert len(head) >= 400


def test_leaving_in_the_middle_stops_reading() -> None:
    file = io.BytesIO(TEXT * 100)
    with Blocks(file, block_bytes=1000) as blocks:
        next(iter(blocks))
    assert blocks.stored_bytes < len(TEXT) * 100
