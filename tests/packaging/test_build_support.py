"""When the page is built, with which node, and what a user is told when that fails."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path
from types import ModuleType

import pytest

from tests.machine.frontend_tools import ROOT, build_tools


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """build_support/frontend.py over a small copy of the tree in which the page counts as built."""
    tools = build_tools()
    for name in ("package.json", "package-lock.json", "src/charts/ticks.ts"):
        (tmp_path / "frontend" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "frontend" / name, tmp_path / "frontend" / name)
    (tmp_path / "tb_perfcompare" / "static").mkdir(parents=True)
    (tmp_path / "tb_perfcompare" / "_version.py").write_text('__version__ = "1"\n')
    for name, path in {
        "ROOT": tmp_path,
        "SOURCE": tmp_path / "frontend",
        "OUTPUT": tmp_path / "tb_perfcompare" / "static",
        "STAMP": tmp_path / "tb_perfcompare" / "static" / "source.sha256",
    }.items():
        monkeypatch.setattr(tools, name, path)
    monkeypatch.delenv(tools.SKIP_VARIABLE, raising=False)
    (tools.OUTPUT / "manifest.json").write_text("{}")
    tools.STAMP.write_text(tools.source_hash())
    return tools


def path_with_node(folder: Path, answer: str) -> str:
    """A PATH on which `node --version` answers so, and npm exists."""
    folder.mkdir()
    for name, text in (("node", f"#!/bin/sh\necho {answer}\n"), ("npm", "#!/bin/sh\nexit 1\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(stat.S_IRWXU)
    return str(folder)


def test_unchanged_sources_need_no_node(tree: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert tree.is_fresh()
    assert tree.node_requirements() == []
    assert tree.build_page() is False


@pytest.mark.parametrize(
    "path", ["frontend/src/charts/ticks.ts", "frontend/package-lock.json", "tb_perfcompare/_version.py"]
)
def test_a_changed_source_asks_for_a_build(tree: ModuleType, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with (tree.ROOT / path).open("a") as file:
        file.write("\n")
    assert not tree.is_fresh()
    assert tree.node_requirements() == [tree.NODE_PACKAGE]


def test_line_ends_do_not_matter(tree: ModuleType) -> None:
    file = tree.SOURCE / "src" / "charts" / "ticks.ts"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert tree.is_fresh()


def test_a_missing_page_asks_for_a_build(tree: ModuleType) -> None:
    (tree.OUTPUT / "manifest.json").unlink()
    assert not tree.is_fresh()


def test_an_archive_without_sources_is_taken_as_it_is(tree: ModuleType) -> None:
    shutil.rmtree(tree.SOURCE)
    assert tree.is_fresh()


def test_skipping_asks_for_nothing(tree: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.STAMP.unlink()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv(tree.SKIP_VARIABLE, "1")
    assert tree.node_requirements() == []
    monkeypatch.setenv(tree.SKIP_VARIABLE, "0")
    assert tree.node_requirements() == [tree.NODE_PACKAGE]


@pytest.mark.parametrize(
    ("answer", "taken"), [("v22.12.0", True), ("v24.1.3", True), ("v20.20.2", False), ("what", False)]
)
def test_a_new_enough_node_on_path_is_used(
    tree: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, taken: bool
) -> None:
    tree.STAMP.unlink()
    monkeypatch.setenv("PATH", path_with_node(tmp_path / "bin", answer))
    assert (tree.system_node() is not None) is taken
    assert tree.node_requirements() == ([] if taken else [tree.NODE_PACKAGE])


def test_failure_says_what_failed_and_four_ways_out(
    tree: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.STAMP.unlink()
    monkeypatch.setenv("PATH", path_with_node(tmp_path / "bin", "v24.0.0"))
    with pytest.raises(tree.FrontendError) as caught:
        tree.build_page()
    text = str(caught.value)
    assert "`npm ci --omit=dev --ignore-scripts --no-audit --no-fund` ended with status 1" in text
    assert all(f"  {number}. " in text for number in (1, 2, 3, 4))
    assert tree.SKIP_VARIABLE in text


def test_no_node_at_all_is_reported(tree: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.STAMP.unlink()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(tree, "wheel_node", lambda: None)
    with pytest.raises(tree.FrontendError, match=r"no node >= 22\.12"):
        tree.build_page()
