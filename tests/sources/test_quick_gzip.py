"""The compiled inflater gives the bytes that zlib gives, and the same words about what is damaged."""

from __future__ import annotations

import gzip
import io
import random
import zlib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tb_perfcompare.sources.storage import blocks as blocks_module
from tb_perfcompare.sources.storage.blocks import Blocks
from tests.sources.scanners import needs_native

pytestmark = needs_native


def inflater() -> Any:
    from tb_perfcompare.sources.native import _scanner

    return _scanner.Inflate()


def ends() -> Any:
    from tb_perfcompare.sources.native import _scanner

    return _scanner


def text_of(seed: int, kind: int, size: int) -> bytes:
    """Text with few or many repeats, near and far."""
    draw = random.Random(seed)
    if kind == 0:
        return draw.randbytes(size)
    if kind == 1:
        return bytes(draw.choices(b"ab", k=size))
    if kind == 2:  # literals of very different frequency need long codes
        weights = [1.7**-i for i in range(200)]
        return bytes(draw.choices(range(200), weights, k=size))
    words = [draw.randbytes(draw.randrange(1, 300)) for _ in range(20)]
    out = bytearray()
    while len(out) < size:
        out += draw.choice(words) if draw.random() < 0.9 else draw.randbytes(draw.randrange(1, 4000))
        if draw.random() < 0.1:
            out += out[-draw.randrange(1, 9) :] * draw.randrange(1, 200)
    return bytes(out[:size])


@given(st.binary(max_size=300), st.integers(0, 2**32 - 1), st.integers(0, 3000))
def test_the_checksum_is_zlibs(data: bytes, before: int, more: int) -> None:
    if not hasattr(ends(), "checksum"):
        pytest.skip("zlib's is the quickest on this processor")
    data += bytes(range(256)) * (more // 256) + data[: more % 256]
    assert ends().checksum(data, before) == zlib.crc32(data, before)


TEXTS = st.builds(text_of, st.integers(0, 10**6), st.integers(0, 3), st.integers(0, 90_000))
STRATEGIES = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED)


@st.composite
def packed(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """(text, gzip of it) in every way that zlib can write."""
    text = draw(TEXTS)
    level, window, memory = draw(st.integers(0, 9)), draw(st.integers(9, 15)), draw(st.integers(1, 9))
    writer = zlib.compressobj(level, zlib.DEFLATED, 16 + window, memory, draw(st.sampled_from(STRATEGIES)))
    flushes = (zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_NO_FLUSH)
    stored, at = b"", 0
    for size in draw(st.lists(st.integers(0, 40_000), max_size=4)):
        stored += writer.compress(text[at : at + size]) + writer.flush(draw(st.sampled_from(flushes)))
        at += size
    return text, stored + writer.compress(text[at:]) + writer.flush()


def found(stored: bytes, block_bytes: int, *, compiled: bool) -> tuple[bytes, str, str]:
    with Blocks(io.BytesIO(stored), block_bytes=block_bytes, compiled=compiled, want_hash=True) as blocks:
        joined = b"".join(blocks)
    assert blocks.stored_bytes == len(stored)
    return joined, blocks.damage, blocks.sha256


SIZES = st.sampled_from((1, 7, 300, 5000, 1 << 20))


@given(packed(), st.integers(1, 70_000), st.integers(1, 5000))
def test_any_stream_in_any_portions(case: tuple[bytes, bytes], room: int, portion: int) -> None:
    text, stored = case
    stream, at, data, behind, parts = inflater(), 0, b"", 10, []
    how = ends().INPUT
    while how != ends().ALL:
        if how == ends().INPUT:
            assert behind < len(stored), "all was given"
            data, at = data[at:] + stored[behind : behind + portion], 0
            behind += portion
        part, at, how = stream.more(data, at, behind >= len(stored), room)
        assert how != ends().FOREIGN
        assert len(part) <= room
        parts.append(part)
    assert b"".join(parts) == text
    assert len(data[at:] + stored[behind:]) == 8  # the trailer is left


@given(packed(), SIZES, st.sampled_from((0, 1, 20, 1000)))
def test_damage_gives_the_same_bytes_and_words(case: tuple[bytes, bytes], block_bytes: int, seed: int) -> None:
    _, stored = case
    draw = random.Random(seed * 7919 + len(stored))
    if block_bytes < 1000:
        stored = gzip.compress(gzip.decompress(stored)[:2000], 9, mtime=0)
    damaged = bytearray(stored)
    for _ in range(draw.randrange(4) if seed else 0):
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
    if draw.random() < 0.3:
        del damaged[draw.randrange(len(damaged)) :]
    if draw.random() < 0.2:
        damaged += draw.choice((b"\0" * 9, b"rest", gzip.compress(b"more"), b"\x1f\x8b"))
    assert found(bytes(damaged), block_bytes, compiled=True) == found(bytes(damaged), block_bytes, compiled=False)


@pytest.mark.parametrize("flags", range(32))
def test_every_header(flags: int) -> None:
    stored = gzip.compress(b"text" * 100, mtime=0)
    parts = {4: b"\3\0abc", 8: b"name\0", 16: b"comment\0"}
    header = stored[:3] + bytes([flags]) + stored[4:10] + b"".join(p for bit, p in parts.items() if flags & bit)
    header += (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little") if flags & 2 else b""
    for changed in (header + stored[10:], header, header[:-1]):
        assert found(changed, 100, compiled=True) == found(changed, 100, compiled=False)


def test_little_is_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "_STORED_BYTES", 13)
    stored = gzip.compress(text_of(1, 3, 50_000)) + gzip.compress(text_of(2, 0, 5000), 0)
    assert found(stored, 1000, compiled=True) == (gzip.decompress(stored), *found(stored, 1000, compiled=False)[1:])


def test_zlib_is_not_asked_where_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Blocks, "_inflate", lambda *_: pytest.fail("zlib was asked"))
    stored = gzip.compress(text_of(3, 3, 90_000)) + gzip.compress(b"")
    assert found(stored, 1000, compiled=True)[0] == gzip.decompress(stored)
    assert found(stored[:-3], 1000, compiled=True)[1] == "the gzip data end early"


@pytest.mark.parametrize(("at", "what"), [(-8, "incorrect data check"), (-4, "incorrect length check")])
def test_nor_where_only_the_checksum_is_wrong(monkeypatch: pytest.MonkeyPatch, at: int, what: str) -> None:
    stored = bytearray(gzip.compress(text_of(3, 3, 90_000)))
    stored[at] ^= 1
    expected = found(bytes(stored), 1000, compiled=False)
    monkeypatch.setattr(Blocks, "_inflate", lambda *_: pytest.fail("zlib was asked"))
    assert what in expected[1]
    assert found(bytes(stored), 1000, compiled=True) == expected


def test_a_wrong_length_of_nothing_is_not_an_early_end() -> None:
    stored = gzip.compress(b"")[:-1] + b"\1"
    for compiled in (True, False):
        assert "incorrect length check" in found(stored, 1, compiled=compiled)[1]


class OneWay(io.BytesIO):
    """A file that cannot go back."""

    def seekable(self) -> bool:
        return False


def test_a_file_that_cannot_go_back_is_left_to_zlib() -> None:
    with Blocks(OneWay(gzip.compress(b"text")), compiled=True) as blocks:
        assert b"".join(blocks) == b"text"


@given(st.binary(max_size=200), st.integers(1, 3000), st.booleans())
@example(b"\x03\x00", 1, True)
@example(b"\x05" + b"\xff" * 100, 10, True)
def test_no_bytes_do_harm(data: bytes, room: int, is_all: bool) -> None:
    stream, at = inflater(), 0
    for _ in range(50):
        part, end, how = stream.more(data, at, is_all, room)
        assert at <= end <= len(data)
        if how != ends().ROOM:
            break
        assert len(part) == room
        at = end


@pytest.mark.parametrize("call", [(b"x", -1, True, 5), (b"x", 2, True, 5), (b"x", 0, True, 0), ("x", 0, True, 5), ()])
def test_calls_that_make_no_sense_are_refused(call: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, ValueError)):
        inflater().more(*call)
