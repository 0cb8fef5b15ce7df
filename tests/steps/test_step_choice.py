"""Choice of a step: typical, worst, or by label."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.progress import silent
from tb_perfcompare.model.summary.step_events import StepFacts
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.queries.step_choice import StepChoice, choose
from tb_perfcompare.workspace.queries.step_views import ChosenSide, StepViewRequest, ask, steps_of
from tb_perfcompare.workspace.sharing.single_flight import wait_for
from tb_perfcompare.workspace.workspace import Workspace
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_run

DEMO = Path(__file__).parents[2] / "demo_logs"


def steps(*totals: int, reason: str = "") -> list[StepFacts]:
    return [StepFacts("w", "1", str(number), total, reason) for number, total in enumerate(totals, 1)]


@pytest.mark.parametrize(
    ("totals", "typical"),
    [((10, 30, 20), "3"), ((10, 20, 30, 40), "2"), ((5,), "1"), ((7, 7, 7), "1"), ((1, 100, 2, 3), "3")],
)
def test_the_typical_step_is_nearest_to_the_median(totals: tuple[int, ...], typical: str) -> None:
    assert choose(steps(*totals), StepChoice(), "run").label == typical


def test_the_worst_step_is_the_longest_that_is_compared() -> None:
    found = [*steps(10, 30, 20), StepFacts("w", "1", "9", 500, "warm-up")]
    assert choose(found, StepChoice("worst"), "run").label == "2"
    assert choose(found, StepChoice("9"), "run").total_ns == 500


def test_without_a_compared_step_another_is_drawn() -> None:
    assert choose(steps(10, 30, 20, reason="warm-up"), StepChoice(), "run").label == "3"


def test_a_label_of_several_files_is_the_first_or_that_of_the_worker() -> None:
    found = [StepFacts("w0", "1", "5", 10), StepFacts("w1", "1", "5", 20)]
    assert choose(found, StepChoice("5"), "run").worker == "w0"
    assert choose(found, StepChoice("5", "w1"), "run").worker == "w1"


def test_a_step_that_cannot_be_drawn_is_refused_with_the_reason() -> None:
    cut_off = StepFacts("w", "1", "9", 5, "incomplete: 2 device events recorded, 10 in the step before", drawable=False)
    with pytest.raises(SelectionError, match="2 device events recorded"):
        choose([*steps(10), cut_off], StepChoice("9"), "run")
    with pytest.raises(SelectionError, match=r"no step '7'; there are: 1, 2"):
        choose(steps(10, 20), StepChoice("7"), "run")
    with pytest.raises(SelectionError, match="no step to draw"):
        choose([cut_off], StepChoice(), "run")


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(in_process_bytes=10**9)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("kernel_listing_synthetic/before.txt", "has no clock"),
        ("ncu_synthetic/before.csv", "has no clock"),
        ("saved_answers_synthetic#1", "totals and means"),
        ("perf_data_synthetic/normal_perf_data", "sums per function and cycle"),
    ],
)
def test_sources_without_events_have_a_reason(workspace: Workspace, source: str, words: str) -> None:
    found = steps_of(workspace, side_from_path(str(DEMO / source), None, None), "device", silent)
    assert found.steps == ()
    assert found.absent.startswith("not measured: ")
    assert words in found.absent


def test_a_saved_baseline_has_steps_and_no_events(workspace: Workspace, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", steps=3)
    assert tb_perfcompare("baseline", "save", "kept", run, "--baselines", tmp_path).status == 0
    side = side_from_path(str(tmp_path / "kept.baseline"), None, None)
    assert len(steps_of(workspace, side, "device", silent).steps) == 3
    answer = json.loads(wait_for(ask(workspace, StepViewRequest(ChosenSide(side))), silent).result())
    assert answer["absent"].startswith("not measured: ")
    assert "only traces hold single events" in answer["absent"]


def test_steps_of_all_files_are_listed_with_their_reasons(workspace: Workspace, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", spans=2, steps=3)
    found = steps_of(workspace, side_from_path(str(run), None, None), "device", silent)
    assert [(step.span, step.label) for step in found.steps] == [("1", "1"), ("1", "2"), ("1", "3"),
                                                                ("2", "1"), ("2", "2"), ("2", "3")]  # fmt: skip
    assert {step.reason for step in found.steps} == {""}
