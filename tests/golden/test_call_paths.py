"""Real traces: the paths of every row are the row, whichever way stacks were recorded."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.comparison.tables.path_source import PATHED, PathSource, path_source
from tb_perfcompare.comparison.tables.row_paths import row_paths
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import BY_PYTHON
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.shared_data import SHARED, needs_shared

pytestmark = needs_shared

LOADERS = "kineto/resnet50_num_workers_{}/worker0.{}.pt.trace.json.gz"
STACKS_AS_TEXT = LOADERS.format(0, 1623143089861), LOADERS.format(4, 1623212756351)
NO_STACKS = "hta/control.json.gz", "hta/test.json.gz"
MODEL = "Qwen_Qwen1.5-0.5B-Chat__1016005"
FUNCTIONS = f"mixed_devices/h100/{MODEL}.json.gz", f"mixed_devices/mi300/{MODEL}.json.gz"


def source(path: str) -> PathSource:
    recording = read_trace(str(SHARED / path))
    return path_source(summarize(recording, Origin(path, path, "worker0", "1"), paths_of_rows=True))


@pytest.mark.parametrize(
    ("pair", "stacks", "rows"), [(STACKS_AS_TEXT, True, 220), (NO_STACKS, False, 680), (FUNCTIONS, True, 450)]
)
def test_the_paths_of_every_row_are_the_row(pair: tuple[str, str], stacks: bool, rows: int) -> None:
    a, b = map(source, pair)
    assert (BY_PYTHON in a.trees, BY_PYTHON in b.trees) == (stacks, stacks)
    seen = 0
    for table in PATHED:
        for row in {**a.places.get(table, {}), **b.places.get(table, {})}:
            found = row_paths(table, row, a, b, most=10**9)
            for way in found.ways:
                if not any(way.absent):
                    rest = way.rest
                    assert not any(value for pair in (rest.calls, *rest.times.values()) for value in pair), (table, row)
            seen += 1
    assert seen >= rows


def test_the_copies_of_the_loader_are_called_from_the_transforms() -> None:
    """The cause of the difference between these two runs: batches are made in the main process, by these functions."""
    found = row_paths("operators", "aten::copy_", *map(source, STACKS_AS_TEXT))
    python = next(way for way in found.ways if way.name == BY_PYTHON)
    first = python.paths[0]
    assert first.frames[-1].name.endswith("transforms/functional.py(138): to_tensor")
    assert first.figures.times[""][1] is None
    (baseline, _), (of_all, _) = first.figures.times[""], found.total.times[""]
    assert baseline is not None and of_all is not None and baseline > 0.6 * of_all
