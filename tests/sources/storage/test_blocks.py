"""Bytes of plain and gzip files in blocks."""

from __future__ import annotations

import gzip
import io
import random
import runpy
import sys
import threading
import zlib
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.sources.storage import blocks as blocks_module
from tb_perfcompare.sources.storage import deflate
from tb_perfcompare.sources.storage.blocks import Blocks, read_head
from tb_perfcompare.sources.storage.deflate import LIBRARY

TEXT = random.Random(1).randbytes(40_000) + b"abc" * 20_000

needs_zlib_ng = pytest.mark.skipif(LIBRARY is zlib, reason="zlib-ng is not installed")
with_both = pytest.mark.parametrize(
    "library", [pytest.param(zlib, id="zlib"), pytest.param(LIBRARY, id="zlib-ng", marks=needs_zlib_ng)]
)


def blocks_of(stored: bytes, block_bytes: int = 1000, *, library: ModuleType = LIBRARY) -> tuple[list[bytes], Blocks]:
    with Blocks(io.BytesIO(stored), block_bytes=block_bytes, library=library) as blocks:
        return list(blocks), blocks


@with_both
@pytest.mark.parametrize("block_bytes", [1, 999, 100_000, 1 << 20])
def test_blocks_join_to_the_text_and_keep_their_size(block_bytes: int, library: ModuleType) -> None:
    text = TEXT[-5000:]
    found, blocks = blocks_of(gzip.compress(text), block_bytes, library=library)
    assert b"".join(found) == text
    assert max(map(len, found)) <= block_bytes
    assert (blocks.damage, blocks.raw_bytes) == ("", len(text))


def test_plain_bytes_pass_through() -> None:
    found, blocks = blocks_of(TEXT)
    assert b"".join(found) == TEXT
    assert (blocks.damage, blocks.stored_bytes, blocks.raw_bytes) == ("", len(TEXT), len(TEXT))


@with_both
@pytest.mark.parametrize("padding", [b"", b"\0" * 7])
def test_gzip_members_with_padding_are_joined(library: ModuleType, padding: bytes) -> None:
    stored = gzip.compress(TEXT[:100]) + padding + gzip.compress(b"") + gzip.compress(TEXT[100:])
    found, blocks = blocks_of(stored, library=library)
    assert b"".join(found) == TEXT
    assert blocks.damage == ""


@with_both
def test_a_cut_gzip_file_gives_the_head_of_the_text(library: ModuleType) -> None:
    stored = gzip.compress(TEXT[:300] + b"abc" * 300)
    text = gzip.decompress(stored)
    lengths = []
    for cut in range(2, len(stored)):
        found, blocks = blocks_of(stored[:cut], 64, library=library)
        joined = b"".join(found)
        assert text.startswith(joined)
        assert blocks.damage == "the gzip data end early"
        lengths.append(len(joined))
    assert lengths == sorted(lengths)
    assert lengths[-1] == lengths[-8] == len(text)  # the last eight bytes are the checksum and the size


@with_both
def test_a_damaged_stored_block_is_reported(library: ModuleType) -> None:
    text = random.Random(2).randbytes(1000)
    stored = bytearray(gzip.compress(text, 0) + b"rest")  # level 0 stores the bytes after their length
    at = stored.index(text[:8])
    stored[at - 2] ^= 0xFF  # the complement of the length
    found, blocks = blocks_of(bytes(stored), library=library)
    assert found == []
    assert blocks.damage.startswith("gzip data damaged before byte")


@pytest.mark.parametrize("stored", [TEXT, gzip.compress(TEXT), gzip.compress(TEXT)[:9000]])
def test_read_head_gives_the_beginning_of_the_text(stored: bytes) -> None:
    head = read_head(io.BytesIO(stored), 500)
    assert head == TEXT[: len(head)]
    assert len(head) >= 400


@pytest.mark.parametrize(("size", "threads"), [(100_000, 0), (400_000, 1)])
def test_only_a_large_file_has_a_thread_of_its_own(size: int, threads: int) -> None:
    text, before = random.Random(2).randbytes(size), threading.active_count()
    with Blocks(io.BytesIO(gzip.compress(text)), block_bytes=1000) as blocks:
        delivered = iter(blocks)
        first = next(delivered)
        assert threading.active_count() - before == threads
        assert first + b"".join(delivered) == text


def test_leaving_the_context_stops_reading() -> None:
    file = io.BytesIO(TEXT * 100)
    with Blocks(file, block_bytes=1000) as blocks:
        next(iter(blocks))
    assert blocks.stored_bytes < len(TEXT) * 100


def test_without_zlib_ng_zlib_inflates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zlib_ng", None)
    library = runpy.run_path(str(deflate.__file__))["LIBRARY"]
    assert library is zlib
    with Blocks(io.BytesIO(gzip.compress(TEXT)[:-8]), library=library) as blocks:
        assert b"".join(blocks) == TEXT
    assert blocks.damage == "the gzip data end early"


def text_of(seed: int, kind: int, size: int) -> bytes:
    """Text with few or many repeats at short or long distances."""
    draw = random.Random(seed)
    if kind == 0:
        return draw.randbytes(size)
    if kind == 1:
        return bytes(draw.choices(b"ab", k=size))
    if kind == 2:  # skewed frequencies need long codes
        weights = [1.7**-i for i in range(200)]
        return bytes(draw.choices(range(200), weights, k=size))
    words = [draw.randbytes(draw.randrange(1, 300)) for _ in range(20)]
    out = bytearray()
    while len(out) < size:
        out += draw.choice(words) if draw.random() < 0.9 else draw.randbytes(draw.randrange(1, 4000))
        if draw.random() < 0.1:
            out += out[-draw.randrange(1, 9) :] * draw.randrange(1, 200)
    return bytes(out[:size])


TEXTS = st.builds(text_of, st.integers(0, 10**6), st.integers(0, 3), st.integers(0, 90_000))
STRATEGIES = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED)
SIZES = st.sampled_from((300, 5000, 1 << 20))


@st.composite
def packed(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """(text, gzip data) with any settings of zlib."""
    text = draw(TEXTS)
    level, window, memory = draw(st.integers(0, 9)), draw(st.integers(9, 15)), draw(st.integers(1, 9))
    writer = zlib.compressobj(level, zlib.DEFLATED, 16 + window, memory, draw(st.sampled_from(STRATEGIES)))
    flushes = (zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_NO_FLUSH)
    stored, at = b"", 0
    for size in draw(st.lists(st.integers(0, 40_000), max_size=4)):
        stored += writer.compress(text[at : at + size]) + writer.flush(draw(st.sampled_from(flushes)))
        at += size
    return text, stored + writer.compress(text[at:]) + writer.flush()


def unpacked(stored: bytes, block_bytes: int, library: ModuleType = LIBRARY) -> tuple[bytes, str, str]:
    with Blocks(io.BytesIO(stored), block_bytes=block_bytes, library=library, want_hash=True) as blocks:
        joined = b"".join(blocks)
    assert blocks.stored_bytes == len(stored)
    return joined, blocks.damage, blocks.sha256


@given(packed(), SIZES)
def test_data_packed_with_any_settings_give_the_text(case: tuple[bytes, bytes], block_bytes: int) -> None:
    text, stored = case
    assert unpacked(stored, block_bytes)[:2] == (text, "")


@needs_zlib_ng
@given(packed(), SIZES, st.randoms(use_true_random=False))
def test_zlib_ng_gives_the_bytes_and_messages_of_zlib_for_damaged_data(
    case: tuple[bytes, bytes], block_bytes: int, draw: random.Random
) -> None:
    damaged = bytearray(case[1])
    for _ in range(draw.randrange(1, 4)):
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
    if draw.random() < 0.3:
        del damaged[draw.randrange(len(damaged)) :]
    if draw.random() < 0.2:
        damaged += draw.choice((b"\0" * 9, b"rest", gzip.compress(b"more"), b"\x1f\x8b"))
    assert unpacked(bytes(damaged), block_bytes) == unpacked(bytes(damaged), block_bytes, zlib)


@needs_zlib_ng
@pytest.mark.parametrize("flags", range(32))
def test_zlib_ng_accepts_the_headers_that_zlib_accepts(flags: int) -> None:
    stored = gzip.compress(b"text" * 100, mtime=0)
    parts = {4: b"\3\0abc", 8: b"name\0", 16: b"comment\0"}
    header = stored[:3] + bytes([flags]) + stored[4:10] + b"".join(p for bit, p in parts.items() if flags & bit)
    header += (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little") if flags & 2 else b""
    assert unpacked(header + stored[10:], 100)[:2] == (b"text" * 100, "")
    for damaged in (header, header[:-1], header[:-1] + b"?" + stored[10:]):
        assert unpacked(damaged, 100) == unpacked(damaged, 100, zlib)


@with_both
@pytest.mark.parametrize(("at", "message"), [(-8, "incorrect data check"), (-4, "incorrect length check")])
@pytest.mark.parametrize("text", [TEXT, b""], ids=["text", "nothing"])
def test_a_wrong_checksum_is_reported_after_all_bytes(text: bytes, at: int, message: str, library: ModuleType) -> None:
    stored = bytearray(gzip.compress(text))
    stored[at] ^= 1
    joined, damage, _ = unpacked(bytes(stored), 1000, library)
    assert joined == text
    assert damage == f"gzip data damaged before byte {len(stored)}: Error -3 while decompressing data: {message}"


@with_both
def test_small_reads_give_the_whole_text(library: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "_STORED_BYTES", 13)
    stored = gzip.compress(TEXT) + gzip.compress(TEXT[:5000], 0)
    assert unpacked(stored, 1000, library)[:2] == (TEXT + TEXT[:5000], "")


class Unseekable(io.BytesIO):
    """A file that cannot seek."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise io.UnsupportedOperation("seek")


@with_both
def test_a_damaged_file_is_read_without_seeking(library: ModuleType) -> None:
    stored = bytearray(gzip.compress(TEXT))
    stored[len(stored) // 2] ^= 0xFF
    with Blocks(Unseekable(stored), library=library) as blocks:
        assert b"".join(blocks)[:20_000] == TEXT[:20_000]
    assert blocks.damage
