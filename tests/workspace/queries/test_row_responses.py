"""Every row that a table of entities shows can be opened step by step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.tables.row_query import row_keys
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.listing.index import Root
from tb_perfcompare.workspace.queries.row_responses import step_times
from tb_perfcompare.workspace.workspace import Workspace

DEMO = Path(__file__).parents[3] / "demo_logs"


@pytest.mark.parametrize(
    ("baseline", "candidate"),
    [
        ("gpu_training_synthetic/baseline", "gpu_training_synthetic/candidate"),
        ("mlu_training_synthetic/baseline", "mlu_training_synthetic/candidate"),
        ("perf_data_synthetic/normal_perf_data", "perf_data_synthetic/abnormal_perf_data"),
    ],
)
def test_every_row_of_every_table_of_entities(baseline: str, candidate: str) -> None:
    workspace = Workspace([Root(str(DEMO))], in_process_bytes=2**40)
    sides = (workspace.side(Selection(run, None, None)) for run in (baseline, candidate))
    request = ComparisonRequest(*sides)
    tables = [table for name, table in workspace.compare(request).tables.items() if name in TABLE_SPECS]
    assert sum(len(table.rows) for table in tables) > 30
    for table in tables:
        at = table.places["delta_us"]
        for row, key in zip(table.rows, row_keys(table), strict=True):
            answer = json.loads(step_times(workspace, request, table.name, key)[0])
            means = [mean(answer[side]["time_us"]) for side in ("baseline", "candidate")]
            assert means[1] - means[0] == pytest.approx(row[at], abs=1e-3)


def mean(times: dict[str, list[float]] | None) -> float:
    return 0.0 if times is None else sum(times[""]) / len(times[""])
