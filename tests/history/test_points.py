"""Recorded points: runs without their traces, with scalars for TensorBoard."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tb_perfcompare.errors import CorruptInput, InputError, SelectionError
from tb_perfcompare.model.saved.history import PointFacts
from tb_perfcompare.plugin.plugin import PLUGIN_NAME
from tb_perfcompare.sources.discover import find_runs
from tb_perfcompare.sources.saved import event_file
from tb_perfcompare.sources.saved.baseline_file import read_facts, read_point_facts
from tb_perfcompare.sources.saved.event_file import read_point
from tb_perfcompare.sources.storage.filesystem import LocalFileSystem
from tb_perfcompare.workspace.listing.history import series_history, series_of
from tb_perfcompare.workspace.listing.index import Index, Root
from tb_perfcompare.workspace.record_point import record
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_run
from tests.history.series import FIRST_S, content_of, record_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "runs" / "normal", spans=2)


def test_the_file_name_has_time_and_label(run: Path, tmp_path: Path) -> None:
    path = record_run(tmp_path / "logs", run, label="feat/x 1")
    assert path.name == f"events.out.tfevents.{FIRST_S}.feat-x-1.perfcompare"
    assert path.parent == tmp_path / "logs" / "nightly"
    assert [found.name for found in path.parent.iterdir()] == [path.name]
    assert read_point(str(path)).label == "feat/x 1"


def test_a_point_compares_like_its_run_without_the_run(run: Path, tmp_path: Path) -> None:
    path = record_run(tmp_path / "logs", run)
    other = write_run(tmp_path / "runs" / "slower", extra_us=500)

    def document(baseline: Path) -> dict[str, object]:
        answer = json.loads(tb_perfcompare("diff", baseline, other, "--format", "json").out)
        answer["baseline"]["source"] = ""
        return answer

    by_run = document(run)
    shutil.rmtree(run)
    assert document(path) == by_run
    assert by_run["headline"]["verdict"] == "slower"


def test_the_short_facts_equal_those_of_the_summary(run: Path, tmp_path: Path) -> None:
    path = str(record_run(tmp_path, run))
    assert read_point_facts(path) == read_facts(path)


def test_tensorboard_reads_the_scalars_and_the_plugin_name(run: Path, tmp_path: Path) -> None:
    for day, extra_us in enumerate((0, 500)):
        record_run(tmp_path, write_run(tmp_path / f"run{day}", extra_us=extra_us), day=day)
    events = EventAccumulator(str(tmp_path / "nightly"))
    events.Reload()
    found = {tag: [event.value for event in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
    if not found:  # newer readers turn scalars into tensors
        tags = events.summary_metadata
        found = {tag: [e.tensor_proto.float_val[0] for e in events.Tensors(tag)] for tag in tags if "_us" in tag}
    assert found["perfcompare/step_time_us"] == pytest.approx([1000.5, 1500.5])
    parts = [value[0] for tag, value in found.items() if "category" in tag]
    assert len(parts) == 8 and sum(parts) == pytest.approx(1000.5)
    assert events.SummaryMetadata("perfcompare/summary").plugin_data.plugin_name == PLUGIN_NAME == event_file.PLUGIN


def test_training_logs_next_to_a_point_are_not_opened(run: Path, tmp_path: Path) -> None:
    point = record_run(tmp_path / "logs", run)
    (point.parent / f"events.out.tfevents.{FIRST_S}.host.1.0").write_bytes(b"training")
    (point.parent / f"events.out.tfevents.{FIRST_S}.host.1.0.v2").write_bytes(b"training")
    opened: list[str] = []

    class Watched(LocalFileSystem):
        def open(self, path: str):  # type: ignore[no-untyped-def]
            opened.append(path)
            return super().open(path)

    found = find_runs(str(tmp_path / "logs"), Watched())
    assert [run.name for run in found.runs] == [f"nightly/{point.name}"]
    assert set(opened) == {str(point)}


@pytest.mark.parametrize("links", [True, False])
def test_points_of_the_same_second_and_label_are_separate_files(
    links: bool, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = content_of(run)
    if not links:

        def refused(*_: str) -> None:
            raise PermissionError("this store has no links")

        monkeypatch.setattr("tb_perfcompare.workspace.record_point.os.link", refused)

    def one(_: int) -> str:
        return record(content, str(tmp_path), "nightly", at_s=FIRST_S, label="r")[0]

    with ThreadPoolExecutor(8) as pool:
        paths = set(pool.map(one, range(16)))
    assert len(paths) == 16
    assert {str(path) for path in (tmp_path / "nightly").iterdir()} == paths


def test_replacing_overwrites_the_point(run: Path, tmp_path: Path) -> None:
    first = record_run(tmp_path, run)
    second = record_run(tmp_path, write_run(tmp_path / "other", extra_us=300), replacing=True)
    assert first == second and read_point(str(first)).run == "other"


@pytest.mark.parametrize("series", ["", "../x", "/x", "a//b", "a/../b", ".hidden"])
def test_a_series_outside_the_log_directory_is_refused(series: str, run: Path, tmp_path: Path) -> None:
    with pytest.raises(SelectionError, match="is not a valid name for a series"):
        record_run(tmp_path / "logs", run, series=series)
    assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize("kept", [0.0, 0.001, 0.05, 0.5, 0.999])
def test_a_truncated_file_is_an_error_with_place_and_remedy(kept: float, run: Path, tmp_path: Path) -> None:
    path = record_run(tmp_path, run)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(CorruptInput) as caught:
        read_facts(str(path))
    assert caught.value.path == str(path)
    assert "byte" in caught.value.place and "record" in caught.value.hint


def test_every_changed_byte_is_an_error(run: Path, tmp_path: Path) -> None:
    path = record_run(tmp_path, run)
    whole = path.read_bytes()
    for at in [*range(0, 200, 7), *range(200, len(whole), len(whole) // 25), len(whole) - 1]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        with pytest.raises(CorruptInput):
            read_facts(str(path))


def test_a_length_beyond_the_file_is_an_error_without_allocating(tmp_path: Path) -> None:
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    path = tmp_path / "events.out.tfevents.1.x.perfcompare"
    length = (1 << 29).to_bytes(8, "little")
    path.write_bytes(length + masked_crc32c(length).to_bytes(4, "little") + b"x" * 100)
    with pytest.raises(CorruptInput, match="the file ends in it"):
        read_point(str(path))


@pytest.mark.parametrize(
    "facts",
    [
        b"", b"{", b"[]", b"[" * 100_000, b'{"schema": "tb_perfcompare.point/1"}',
        b'{"schema":"tb_perfcompare.point/1","version":"1","label":"x","at_s":-5,"run":"r","metric":"step_time",'
        b'"device":"","count":1,"admitted":1,"mean_ns":1.0,"median_ns":1.0}',
        b'{"schema":"tb_perfcompare.point/1","version":"1","label":"x","at_s":5,"run":"r","metric":"step_time",'
        b'"device":"","count":1,"admitted":1,"mean_ns":1.0,"median_ns":0}',
    ],
)  # fmt: skip
def test_invalid_facts_in_an_intact_file_are_refused(
    facts: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.out.tfevents.1.x.perfcompare"
    point = PointFacts("1", "x", 1, "run", "step_time", "", 1, 1, 1.0, 1.0)
    monkeypatch.setattr("tb_perfcompare.sources.saved.event_file.msgspec.json.encode", lambda _: facts)
    with path.open("wb") as out:
        event_file.write_point(out, point, facts, b"", {})
    monkeypatch.undo()
    with pytest.raises(InputError) as caught:
        read_point(str(path))
    assert caught.value.path == str(path) and caught.value.hint
    with pytest.raises(InputError):
        read_facts(str(path))
    with pytest.raises(InputError):
        read_point_facts(str(path))


def test_a_damaged_point_is_a_problem_and_the_rest_is_shown(run: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    record_run(logs, run, day=0)
    broken = record_run(logs, run, day=1)
    broken.write_bytes(broken.read_bytes()[:100])
    listing = Index([Root(str(logs))]).listing()
    found = series_history(listing, "nightly")
    assert [point.at_s for point in found.history.points] == [FIRST_S]
    (problem,) = found.problems
    assert problem.where == f"nightly/{broken.name}" and "damaged" in problem.message
    assert [note.where for note in listing.problems] == [f"nightly/{broken.name}"]


def test_a_point_of_another_layout_stays_in_the_history(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    path = record_run(logs, run)
    monkeypatch.setattr("tb_perfcompare.sources.saved.baseline_file.structure", lambda: "another")
    with pytest.raises(InputError, match="of another layout") as caught:
        read_facts(str(path))
    assert "record its run again" in caught.value.hint
    listing = Index([Root(str(logs))]).listing()
    assert listing.runs == ()
    found = series_history(listing, "nightly")
    assert found.runs == (None,)
    assert found.history.points[0].median_ns == 1_000_500


def test_series_of_named_roots_have_the_name_in_front(run: Path, tmp_path: Path) -> None:
    record_run(tmp_path / "one", run)
    record_run(tmp_path / "one", run, series="b/c")
    listing = Index([Root(str(tmp_path / "one"), "x"), Root(str(tmp_path / "one" / "nightly"), "y")]).listing()
    assert series_of(listing) == {"x/b/c": 1, "x/nightly": 1, "y": 1}
    assert {point.name for point in listing.points} == {run.name for run in listing.runs}


def test_points_are_not_suggested_as_pairs(run: Path, tmp_path: Path) -> None:
    for day, label in enumerate(("normal", "abnormal")):
        record_run(tmp_path / "logs", run, day=day, label=label)
    assert Index([Root(str(tmp_path / "logs"))]).listing().pairs == ()
