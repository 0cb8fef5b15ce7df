"""Saved answers of torch-tb-profiler and of Cambricon's fork, reproduced to the character."""

from __future__ import annotations

import json

import pytest

from tb_perfcompare.analysis.compat import answer, read_compat
from tb_perfcompare.sources.trace.torch_profiler import read_events
from tests.shared_data import SHARED, needs_shared
from tests.thorough import THOROUGH

ROUTES = ("overview", "operation", "operation/table", "kernel/table", "kernel")
"""What each run's five lines are."""

RUNS = [
    (folder, answers, run)
    for folder, answers in (("kineto", "kineto/api_answers.jsonl"), ("mlu", "seeds/mlu_resnet50_api_answers.jsonl"))
    for run in (range(2) if THOROUGH else [int(folder == "kineto")])
]
"""Of each vendor one run, that with loaders or that without; thoroughly both."""


@needs_shared
@pytest.mark.parametrize(("folder", "answers", "run"), RUNS, ids=lambda value: str(value).replace("/", "-"))
def test_span_one_answers_as_saved(folder: str, answers: str, run: int) -> None:
    saved = (SHARED / answers).read_text("utf-8").splitlines()[run * 5 : run * 5 + 5]
    trace = sorted((SHARED / folder / f"resnet50_num_workers_{(0, 4)[run]}").iterdir())[0]
    profile = read_compat(read_events(trace))
    for route, line in zip(ROUTES, saved, strict=True):
        mine = answer(profile, route)
        assert mine == json.loads(line), route
        assert json.dumps(mine) == line, route
