"""From names and paths to files."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.errors import InputError, PerfCompareError, SelectionError
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import Side, parse_steps
from tb_perfcompare.workspace.listing.describe import pairs_dict, runs_dict
from tb_perfcompare.workspace.listing.index import Index, Listing, Root
from tb_perfcompare.workspace.sharing import background_refresh
from tb_perfcompare.workspace.sharing.background_refresh import REST, SHORT_S
from tests.drawn_runs import drawn_trace, write_pair, write_run
from tests.workspace.waiting import asked_by_another, becomes_true


def index(*roots: Root) -> Index:
    return Index(roots)


def names(side: Side) -> list[tuple[str, str]]:
    return [(file.worker, file.span) for file in side.files]


@pytest.mark.parametrize(
    ("workers", "pairs"),
    [
        (("vm_12.1795711077097", "vm_9.1795711057477"), [("vm_9", "vm_12")]),
        (("vm_12.1795711077097591422", "vm_9.1795711057477171502"), [("vm_9", "vm_12")]),
        (("vm_12.1795711057999", "vm_9.1795711057477"), []),
        (("worker1.1795711077097", "worker0.1795711057477"), []),
        (("vm_12.2", "vm_9.1"), []),
        (("vm_12", "vm_9"), []),
    ],
    ids=["ms", "ns", "ranks of one job", "ranks by name", "no times", "no stamps"],
)
def test_two_programs_in_one_directory_are_a_pair(
    workers: tuple[str, ...], pairs: list[tuple[str, str]], tmp_path: Path
) -> None:
    for name in workers:
        drawn_trace(steps=2).write(tmp_path / "log" / f"{name}.pt.trace.json")
    found = index(Root(str(tmp_path))).listing().pairs
    assert [(pair.baseline.worker, pair.candidate.worker) for pair in found] == pairs


def test_a_run_means_all_its_workers_and_spans_unless_narrowed(tmp_path: Path) -> None:
    write_run(tmp_path / "run", worker="w0", spans=2)
    write_run(tmp_path / "run", worker="w1", spans=2)
    found = index(Root(str(tmp_path)))
    assert names(found.side(Selection("run"))) == [("w0", "1"), ("w0", "2"), ("w1", "1"), ("w1", "2")]
    assert names(found.side(Selection("run", "w1"))) == [("w1", "1"), ("w1", "2")]
    assert names(found.side(Selection("run", None, "2"))) == [("w0", "2"), ("w1", "2")]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection("rum"), "did you mean 'run'"),
        (Selection("zzz"), "there are: run"),
        (Selection("run", "w9"), "no worker in run 'run' called 'w9'; there are: w0"),
        (Selection("run", "w0", "7"), "no span in run 'run' called '7'; there are: 1"),
    ],
)
def test_an_unknown_name_says_what_there_is(tmp_path: Path, selection: Selection, expected: str) -> None:
    write_run(tmp_path / "run", worker="w0")
    with pytest.raises(SelectionError, match=expected):
        index(Root(str(tmp_path))).side(selection)


def test_a_new_run_is_found_when_asked_for_and_by_rescan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_refresh, "SHORT_S", 60)  # no scan rests, however slow the machine
    found = index(Root(str(tmp_path)))
    assert found.listing().runs == ()
    write_run(tmp_path / "late")
    assert found.listing().runs == ()
    assert names(found.side(Selection("late"))) == [("worker0", "1")]
    write_run(tmp_path / "later")
    assert [run.name for run in found.listing(rescan=True).runs] == ["late", "later"]


def test_named_roots_prefix_their_runs_and_the_same_name_is_listed_once(tmp_path: Path) -> None:
    write_run(tmp_path / "one" / "run")
    write_run(tmp_path / "two" / "run")
    write_run(tmp_path / "three")
    roots = [
        Root(str(tmp_path / "one"), "first"), Root(str(tmp_path / "two"), "first"),
        Root(str(tmp_path / "three"), "solo"), Root(str(tmp_path / "missing"), "gone"),
    ]  # fmt: skip
    listing = index(*roots).listing()
    assert [run.name for run in listing.runs] == ["first/run", "solo"]
    assert sorted(note.where for note in listing.problems) == ["first/run", "gone"]
    assert names(index(*roots).side(Selection("solo"))) == [("worker0", "1")]


def test_a_changed_file_is_another_file(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    found = index(Root(str(tmp_path)))
    before = found.side(Selection("run"))
    write_run(run, steps=9)
    assert found.side(Selection("run")) != before


def test_a_path_is_a_run_or_a_file_of_any_json_name(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    assert [file.shown for file in side_from_path(f"{run}/", None, None).files] == [
        f"{run}/worker0.1700000000001.pt.trace.json"
    ]
    plain = tmp_path / "my trace.json"
    plain.write_bytes(next(run.iterdir()).read_bytes())
    side = side_from_path(str(plain), None, None)
    assert [(file.shown, file.name, file.worker) for file in side.files] == [(str(plain), "my trace.json", "my trace")]
    with pytest.raises(InputError, match="check the path"):
        side_from_path(str(tmp_path / "nothing"), None, None)
    with pytest.raises(SelectionError, match="holds runs: run"):
        side_from_path(str(tmp_path), None, None)
    with pytest.raises(SelectionError, match=r"no worker in .*run called 'w9'"):
        side_from_path(str(run), "w9", None)


def test_the_listing_as_json_names_everything_and_no_absolute_path(tmp_path: Path) -> None:
    write_pair(tmp_path)
    listing = index(Root(str(tmp_path))).listing()
    answer = runs_dict(listing, ["logs"])
    assert answer["schema"] == "tb_perfcompare.runs/1"
    assert [run["run"] for run in answer["runs"]] == ["abnormal", "normal"]
    (span,) = answer["runs"][0]["workers"][0]["spans"]
    assert span["span"] == "1"
    assert set(span["files"][0]) == {"name", "bytes", "modified"}
    assert answer["pairs"] == pairs_dict(listing)["pairs"]
    assert answer["pairs"][0] == {
        "baseline": {"run": "normal", "worker": None, "span": None},
        "candidate": {"run": "abnormal", "worker": None, "span": None},
        "reason": "names differ only in normal/abnormal",
    }
    assert str(tmp_path) not in str(answer)


def test_of_runs_that_differ_in_a_hash_the_older_is_the_baseline(tmp_path: Path) -> None:
    for name, seconds in (("train_b07e41d", 1_000), ("train_3f9a1c2", 2_000)):
        for file in write_run(tmp_path / name).iterdir():
            os.utime(file, (seconds, seconds))
    (pair,) = index(Root(str(tmp_path))).listing().pairs
    assert (pair.baseline.run, pair.candidate.run) == ("train_b07e41d", "train_3f9a1c2")


def test_steps_are_one_number_or_a_range() -> None:
    assert parse_steps("3-10") == (3, 10)
    assert parse_steps(" 5 ") == (5, 5)
    for text in ("", "a", "3-", "-3", "5-3", "1,2", "9" * 30):
        with pytest.raises(PerfCompareError):
            parse_steps(text)


class SlowStore:
    """Lists like the real one, each time when it is let, and counts."""

    def __init__(self, takes_s: float) -> None:
        self.takes_s = takes_s
        self.scans = 0
        self.let = threading.Event()
        self.let.set()

    def __call__(self, roots: Sequence[Root], inside: bool) -> Listing:
        self.scans += 1
        self.let.wait()
        time.sleep(self.takes_s)
        return Index(roots, inside=inside).listing()


def test_a_name_that_is_known_waits_for_no_scan(tmp_path: Path) -> None:
    write_run(tmp_path / "run")
    store = SlowStore(2 * SHORT_S)
    found = Index([Root(str(tmp_path))], scan=store)
    side = found.side(Selection("run"))
    time.sleep(store.takes_s * (REST + 2))
    store.let.clear()
    looks = asked_by_another(lambda: found.listing(rescan=True))
    assert becomes_true(lambda: store.scans == 2)
    assert found.side(Selection("run")) == side
    assert [run.name for run in found.listing().runs] == ["run"]
    assert not looks.done()
    write_run(tmp_path / "late")
    store.let.set()
    assert [run.name for run in looks.result(10).runs] == ["late", "run"]


def test_unknown_names_and_rescans_share_a_scan_and_its_rest(tmp_path: Path) -> None:
    write_run(tmp_path / "run")
    store = SlowStore(10 * SHORT_S)
    found = Index([Root(str(tmp_path))], scan=store)
    found.listing()
    for _ in range(20):
        found.listing(rescan=True)
        with pytest.raises(SelectionError):
            found.side(Selection("nobody"))
    assert store.scans == 1
