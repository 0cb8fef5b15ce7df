"""The page as it is served: one entry, small, and nothing in it that a strict content policy would stop."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import pytest

from tb_perfcompare.plugin.http.static_assets import _HASHED_NAME
from tests.machine.frontend_tools import build_tools, unavailable

BUDGET_BYTES = 49_000


@pytest.fixture(scope="module")
def manifest() -> Any:
    tools = build_tools()
    if not tools.is_fresh():
        unavailable("the page is not built from the sources as they are: python setup.py build_frontend")
    return json.loads((tools.OUTPUT / "manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def entry(manifest: Any) -> bytes:
    entries = [chunk["file"] for chunk in manifest.values() if chunk.get("isEntry")]
    assert len(entries) == 1
    return bytes((build_tools().OUTPUT / entries[0]).read_bytes())


@pytest.fixture(scope="module")
def code(manifest: Any, entry: bytes) -> bytes:
    """All of the page, the parts that are fetched later too."""
    return b"\n".join((build_tools().OUTPUT / chunk["file"]).read_bytes() for chunk in manifest.values())


def test_folder_holds_one_page_only(manifest: Any, entry: bytes) -> None:
    folder = build_tools().OUTPUT
    names = sorted(path.name for path in folder.iterdir())
    parts = sorted(chunk["file"] for chunk in manifest.values())
    assert names == sorted([*parts, "manifest.json", "source.sha256"])
    assert [name for name in parts if re.fullmatch(r"index-[\w-]{8}\.js", name)] != []
    assert [name for name in parts if _HASHED_NAME.fullmatch(name) is None] == []


def test_first_request_is_small_and_the_only_one(manifest: Any, entry: bytes) -> None:
    assert len(gzip.compress(entry, 9)) < BUDGET_BYTES
    (first,) = [chunk for chunk in manifest.values() if chunk.get("isEntry")]
    assert first.get("imports", []) == []


def test_figures_and_the_strict_report_are_fetched_when_they_are_first_shown(manifest: Any) -> None:
    late = {name for name, chunk in manifest.items() if chunk.get("isDynamicEntry")}
    parts = (
        "candidates/verdicts_view.tsx", "charts/flame/flame_view.tsx", "charts/launch_timeline/timeline_view.tsx",
        "charts/memory/memory_view.tsx", "charts/roofline/roofline_view.tsx", "charts/scatter/scatter_view.tsx",
        "charts/stacks/stacks_view.tsx",
        "history/history_view.tsx", "host/profiler_tab.ts", "pair/run_chooser.tsx", "result_table.tsx",
        "row_details/row_paths_view.tsx", "row_details/row_steps.tsx", "strict/strict_view.tsx",
        "summary/alternatives.tsx", "summary/caveats.tsx", "summary/finding_text.ts", "summary/step_strip.tsx",
        "summary/waterfall_entries.tsx", "metric_menu.tsx",
        "table/step_lines/step_lines.tsx", "timelines/timelines_view.tsx", "ui/controls/keys.tsx",
    )  # fmt: skip
    assert late == {f"src/{part}" for part in parts}


@pytest.mark.parametrize(
    "word", [b"eval(", b"new Function", b'Function("', b".innerHTML=", b"document.write"]
)
def test_no_code_from_text(code: bytes, word: bytes) -> None:
    # Preact sets innerHTML for a property that the page never uses
    allowed = 2 if word == b".innerHTML=" else 0
    assert code.count(word) <= allowed


def test_no_address_of_another_server(code: bytes) -> None:
    addresses = set(re.findall(rb"https?://[\w./-]+", code))
    assert addresses <= {
        b"http://www.w3.org/2000/svg",
        b"http://www.w3.org/1998/Math/MathML",
        b"http://www.w3.org/1999/xhtml",
    }


def test_page_knows_the_version_it_was_built_for(entry: bytes) -> None:
    from tb_perfcompare._version import __version__

    assert __version__.encode() in entry
