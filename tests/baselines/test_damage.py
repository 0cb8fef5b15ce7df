"""A baseline that cannot be right is refused with the file, the reason and the remedy; nothing is guessed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from tb_perfcompare._version import __version__
from tb_perfcompare.errors import CorruptInput, InputError
from tb_perfcompare.model.saved.baseline import SavedSummary
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.summary_validation import inconsistency
from tb_perfcompare.sources.saved import baseline_file
from tb_perfcompare.sources.saved.baseline_file import read_facts, read_saved, write_baseline
from tb_perfcompare.sources.saved.columnar import packed, structure_of, unpacked
from tests.baselines.saving import save
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_run
from tests.thorough import sample


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return save(tmp_path / "saved", write_run(tmp_path / "run"))


def with_header(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Writes the file anew with another beginning."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(content["baseline.json"])
    change(header)
    content["baseline.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)


@pytest.mark.parametrize(
    "change",
    [{"schema": "tb_perfcompare.baseline/2"}, {"structure": "0123456789abcdef"}, {"schema": None}],
)
def test_another_layout_is_refused_by_its_version(saved: Path, change: dict[str, Any]) -> None:
    with_header(saved, lambda header: header.update(change, version="9.9"))
    with pytest.raises(InputError) as caught:
        read_facts(str(saved))
    assert not isinstance(caught.value, CorruptInput)
    assert str(caught.value).startswith(f"{saved}: is a baseline of another layout: tb_perfcompare 9.9 wrote it")
    assert "save it again from its run, tb-perfcompare baseline save NAME RUN --replace" in caught.value.hint


def test_another_layout_of_the_same_version_is_another_build(saved: Path) -> None:
    with_header(saved, lambda header: header.update(structure="0123456789abcdef"))
    with pytest.raises(InputError) as caught:
        read_facts(str(saved))
    assert f"another build of tb_perfcompare {__version__} wrote it" in caught.value.reason
    assert caught.value.hint.endswith("--replace")


def test_another_version_of_the_same_layout_is_read_with_a_note(saved: Path, tmp_path: Path) -> None:
    with_header(saved, lambda header: header.update(version="0.0.9"))
    found = json.loads(tb_perfcompare("diff", saved, tmp_path / "run", "--format", "json").out)
    (note,) = [note for note in found["notes"] if note["code"] == "other_version"]
    assert note["message"].startswith("saved by tb_perfcompare 0.0.9; this is ")
    assert note["where"] == "baseline"


def test_a_class_that_changes_changes_the_structure() -> None:
    one = msgspec.defstruct("One", [("a", int)])  # no dataclass: nothing is said of it
    assert structure_of(Summary) != structure_of(Summary, SavedSummary)
    assert structure_of(Summary) == structure_of(Summary, one)
    assert structure_of(Summary) == structure_of(Summary, Summary)


@pytest.mark.parametrize("kept", [0, 1, 30, 100, 1000, -1, -100])
def test_a_file_that_ends_early_is_refused(saved: Path, tmp_path: Path, kept: int) -> None:
    whole = saved.read_bytes()
    saved.write_bytes(whole[:kept])
    found = tb_perfcompare("diff", saved, tmp_path / "run")
    assert found.status == 2
    assert found.err.startswith(f"tb-perfcompare diff: {saved}: is a damaged baseline: ")
    assert "bring the file back as it was, or save it again" in found.err
    assert found.err.count("\n") == 1


def test_no_changed_byte_goes_unnoticed(saved: Path) -> None:
    whole = saved.read_bytes()
    before = packed(read_summary(saved))
    noticed = 0
    for at in range(0, len(whole), 97):
        saved.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            read_facts(str(saved))
            same = packed(read_summary(saved)) == before  # times and flags in the archive's own headers
        except InputError:
            noticed += 1
        else:
            assert same, at
    assert noticed > len(whole) / 97 / 2


def read_summary(path: Path) -> Summary:
    found = read_saved(str(path), 1)
    assert isinstance(found, SavedSummary)
    return found.summary


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"PK\x03\x04", b"\x00" * 100])
def test_something_else_of_that_name_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.baseline"
    path.write_bytes(content)
    found = tb_perfcompare("view", path)
    assert (found.status, "is a damaged baseline" in found.err) == (2, True)


@pytest.mark.parametrize(
    ("key", "value"),
    [("captures", []), ("captures", [{}]), ("device", 3), ("steps", [1]), ("window", None)],
)
def test_a_beginning_that_says_nonsense_is_refused(saved: Path, key: str, value: object) -> None:
    with_header(saved, lambda header: header.update({key: value}))
    with pytest.raises(CorruptInput):
        read_facts(str(saved))


def rewritten(path: Path, change: Callable[[Summary], Summary]) -> None:
    facts, summary = read_facts(str(path)), read_summary(path)
    with open(path, "wb") as out:
        write_baseline(out, facts, [change(summary)], None)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda s: replace(s, captures=()), "0 captures"),
        (lambda s: replace(s, window="other"), "unknown kind"),
        (lambda s: replace(s, steps=replace(s.steps, total_ns=s.steps.total_ns[1:])), "the steps of shape"),
        (lambda s: replace(s, steps=replace(s.steps, total_ns=s.steps.total_ns + 1)), "not the whole step"),
        (lambda s: replace(s, owned=replace(s.owned, time_ns=s.owned.time_ns[:, 1:])), "owned time of shape"),
        (lambda s: replace(s, owned=replace(s.owned, category=s.owned.category + np.int8(9))), "categories of owners"),
        (lambda s: replace(s, groups={"kernels": replace(s.groups["kernels"], names=())}), "kernels of shape"),
        (lambda s: replace(s, bound_ns={"other": 1}), "unknown class"),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_are_refused(
    saved: Path, tmp_path: Path, change: Callable[[Summary], Summary], expected: str
) -> None:
    rewritten(saved, change)
    found = tb_perfcompare("diff", saved, tmp_path / "run")
    assert found.status == 2
    assert "is a damaged baseline" in found.err and expected in found.err


def test_what_is_computed_fits(tmp_path: Path) -> None:
    demo = Path(__file__).parents[2] / "demo_logs"
    for number, run in enumerate(sorted(demo.rglob("*.gz"))[: sample(8, 2)]):
        assert inconsistency(read_summary(save(tmp_path / str(number), run))) == "", run


def test_more_than_a_summary_can_be_is_not_unpacked(saved: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(baseline_file, "MAX_BYTES", 1000)
    found = tb_perfcompare("diff", saved, tmp_path / "run")
    assert "1 would unpack to" in found.err


def array_of(kind: str, shape: list[int]) -> bytes:
    head = json.dumps({"value": 0, "arrays": [[kind, shape]]}).encode()
    return len(head).to_bytes(8, "little") + head.ljust(-(-len(head) // 8) * 8) + b"\x00" * 64


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        ("<i8", [10**15]), ("<i8", [9]), ("<i8", [-1]), ("<i8", [2**40, 2**40]), ("<i8", [0, 2**62]), ("|O8", [1]),
        ("<U4", [1]), ("i8,i8", [1]),
    ],
)  # fmt: skip
def test_arrays_larger_than_the_file_or_of_objects_are_refused(kind: str, shape: list[int]) -> None:
    with pytest.raises(ValueError):
        unpacked(array_of(kind, shape), int)


def test_a_broken_baseline_in_a_log_directory_is_a_problem_of_the_listing(saved: Path, tmp_path: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:200])
    listed = json.loads(tb_perfcompare("runs", tmp_path, "--json").out)
    assert [run["run"] for run in listed["runs"]] == ["run"]
    (problem,) = listed["problems"]
    assert problem["path"] == "saved/main.baseline"
    assert problem["message"].startswith("is a damaged baseline")
