"""The page as it is served: one entry, small, and nothing in it that a strict content policy would stop."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from tests.frontend_tools import build_tools, unavailable

BUDGET_BYTES = 60_000


@pytest.fixture(scope="module")
def entry() -> bytes:
    tools = build_tools()
    if not tools.is_fresh():
        unavailable("the page is not built from the sources as they are: python setup.py build_frontend")
    manifest = json.loads((tools.OUTPUT / "manifest.json").read_text(encoding="utf-8"))
    entries = [chunk["file"] for chunk in manifest.values() if chunk.get("isEntry")]
    assert len(entries) == 1
    return bytes((tools.OUTPUT / entries[0]).read_bytes())


def test_folder_holds_one_page_only(entry: bytes) -> None:
    folder = build_tools().OUTPUT
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 3
    assert re.fullmatch(r"index-[\w-]{8}\.js", names[0])
    assert names[1:] == ["manifest.json", "source.sha256"]


def test_first_chunk_is_small(entry: bytes) -> None:
    assert len(gzip.compress(entry, 9)) < BUDGET_BYTES


@pytest.mark.parametrize(
    "word", [b"eval(", b"new Function", b'Function("', b".innerHTML=", b"document.write", b"localStorage"]
)
def test_no_code_from_text(entry: bytes, word: bytes) -> None:
    # Preact sets innerHTML for a property that the page never uses
    allowed = 2 if word == b".innerHTML=" else 0
    assert entry.count(word) <= allowed


def test_no_address_of_another_server(entry: bytes) -> None:
    addresses = set(re.findall(rb"https?://[\w./-]+", entry))
    assert addresses <= {
        b"http://www.w3.org/2000/svg",
        b"http://www.w3.org/1998/Math/MathML",
        b"http://www.w3.org/1999/xhtml",
    }


def test_page_knows_the_version_it_was_built_for(entry: bytes) -> None:
    from tb_perfcompare._version import __version__

    assert __version__.encode() in entry
