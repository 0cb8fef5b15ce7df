"""Call paths of real traces, with stacks recorded in either way."""

from __future__ import annotations

from functools import cache

import pytest

from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.comparison.tables.path_source import PathSource, path_source
from tb_perfcompare.comparison.tables.row_paths import row_paths
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import BY_PYTHON
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.golden.test_shared_pairs import EAGER_AND_COMPILED, LOADERS, MODELS, NORMAL, devices
from tests.shared_data import SHARED, needs_shared
from tests.thorough import THOROUGH

pytestmark = needs_shared


EVERY = 1 if THOROUGH else 5
"""Of so many rows of a table, the paths of one are summed."""


@cache
def source(path: str) -> PathSource:
    recording = read_trace(str(SHARED / path))
    return path_source(summarize(recording, Origin(path, path, "worker0", "1"), paths_of_rows=True))


@pytest.mark.parametrize(
    ("pair", "stacks", "rows"),
    [((NORMAL, LOADERS), True, 220), (EAGER_AND_COMPILED, False, 680), (devices(MODELS[1]), True, 450)],
)
def test_the_paths_of_every_row_sum_to_it(pair: tuple[str, str], stacks: bool, rows: int) -> None:
    a, b = map(source, pair)
    assert (BY_PYTHON in a.trees, BY_PYTHON in b.trees) == (stacks, stacks)
    seen = 0
    for table in (name for name, spec in TABLE_SPECS.items() if spec.paths):
        for row in list({**a.places.get(table, {}), **b.places.get(table, {})})[::EVERY]:
            found = row_paths(table, row, a, b, most=10**9)
            for way in found.ways:
                if way.absent.baseline is way.absent.candidate is None:
                    rest = way.rest
                    assert not any(value for pair in (rest.calls, *rest.times.values()) for value in pair), (table, row)
            seen += 1
    assert seen >= rows // EVERY


def test_the_copies_of_the_data_loader_are_called_from_the_transforms() -> None:
    """Without workers these functions prepare the batches in the main process."""
    found = row_paths("operators", "aten::copy_", *map(source, (NORMAL, LOADERS)))
    python = next(way for way in found.ways if way.way == BY_PYTHON)
    first = python.paths[0]
    assert found.frames[first["frames"][-1]][1].endswith("transforms/functional.py(138): to_tensor")
    assert first["times"][""][1] is None
    (baseline, _), (of_all, _) = first["times"][""], found.total.times[""]
    assert baseline is not None and of_all is not None and baseline > 0.6 * of_all
