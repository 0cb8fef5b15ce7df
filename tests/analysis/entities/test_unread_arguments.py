"""Arguments dropped before a trace is summarized: no part of the analysis reads them."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from benchmarks import generated
from benchmarks.generated import Load
from tb_perfcompare import analysis
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.model.events import ARG_COLUMNS, UNREAD_ARGUMENTS
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.sources.trace.torch_profiler import read_trace

DEMO = Path(__file__).parents[3] / "demo_logs"
ORIGIN = Origin("here", "run", "worker0", "1")
ANALYSIS = Path(analysis.__file__).parent


@pytest.mark.parametrize(
    "path", sorted(DEMO.glob("**/*.pt.trace.json.gz")), ids=lambda path: "-".join(path.parts[-3:-1])
)
def test_a_summary_is_the_same_without_unread_arguments(path: Path) -> None:
    assert_same_summary(path)


def test_a_summary_with_stacks_is_the_same_without_unread_arguments(tmp_path: Path) -> None:
    path = tmp_path / "worker0.1.pt.trace.json"
    generated.write(path, Load(1, steps=3, frames=6))
    assert {"python_id", "python_parent_id"} <= read_trace(path).events.args.keys()
    assert_same_summary(path)


def test_the_analysis_names_no_unread_argument() -> None:
    assert {column.name for column in ARG_COLUMNS} > UNREAD_ARGUMENTS
    texts = [path.read_text("utf-8") for path in ANALYSIS.rglob("*.py")]
    assert not [name for name in UNREAD_ARGUMENTS for text in texts if f'"{name}"' in text]


def assert_same_summary(path: Path) -> None:
    whole = read_trace(path)
    lean = whole.without_unread()
    assert not lean.events.args.keys() & UNREAD_ARGUMENTS
    expected, found = (summarize(recording, ORIGIN, paths_of_rows=True) for recording in (whole, lean))
    assert pickle.dumps(found) == pickle.dumps(expected)
