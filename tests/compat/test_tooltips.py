"""The figures inside tooltips agree with the column, the total and the pie that they explain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from tb_perfcompare.analysis.compat import CompatProfile, answer
from tests.build import TraceBuilder
from tests.compat.reading import PARTS, read
from tests.shared_data import SHARED, needs_shared

TOOLTIP = re.compile(
    r'<div class="visualization-tooltip" style="white-space: nowrap;">'
    r"Step (?P<step>[^<]*)<br>Total: (?P<total>[^<]*)us<br>"
    r"<b>(?P<part>[^:]*): (?P<value>[^<]*)us</b><br>Percentage: (?P<percent>[^<]*)%</div>"
)
EXPLAINING = ("tooltip", "tooltips")
"""Members of an answer that hold texts for the reader."""


@dataclass(frozen=True, slots=True)
class Tooltip:
    """One tooltip of the overview."""

    step: str
    part: str
    value: Decimal
    total: Decimal
    percent: Decimal


def tooltips(overview: dict[str, Any]) -> list[list[tuple[str, Any, Tooltip]]]:
    """Per step (column, its value, what the tooltip beside it says)."""
    titles = [column.get("name", "") for column in overview["steps"]["columns"]]
    out = []
    for row in overview["steps"]["rows"]:
        cells = []
        for at in range(1, len(row), 2):
            found = TOOLTIP.fullmatch(row[at + 1])
            assert found is not None, row[at + 1]
            figures = (Decimal(found[name]) for name in ("value", "total", "percent"))
            cells.append((titles[at], row[at], Tooltip(found["step"], found["part"], *figures)))
        assert all(cell[2].step == row[0] for cell in cells)
        out.append(cells)
    return out


def explanations(found: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(place, text) of every tooltip of any kind, in order."""
    members = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for key, value in members:
        place = f"{path}/{key}"
        if isinstance(value, str):
            if any(part in EXPLAINING for part in place.split("/")) or TOOLTIP.match(value):
                yield place, value
        else:
            yield from explanations(value, place)


def assert_figures_agree(overview: dict[str, Any]) -> None:
    """What section by section a reader can check: value, total, percentage, and the pie of averages."""
    (average,) = overview["performance"]
    steps = tooltips(overview)
    for cells in steps:
        total = cells[0][2].total
        assert [tooltip.part for _, _, tooltip in cells] == [title for title, _, _ in cells]
        assert [tooltip.value for _, _, tooltip in cells] == [Decimal(str(value)) for _, value, _ in cells]
        assert sum(tooltip.value for _, _, tooltip in cells) == total
        for _, value, tooltip in cells:
            assert tooltip.percent == Decimal(str(round(100 * value / float(total), 2)))
        percent = sum((tooltip.percent for _, _, tooltip in cells), Decimal(0))
        assert abs(percent - 100) <= Decimal("0.005") * len(cells)
    if len(steps) == 1:
        parts = {tooltip.part: tooltip for _, _, tooltip in steps[0]}
        for child in average["children"]:
            assert child["value"] == round(parts[child["name"]].value)
            assert Decimal(str(child["extra"])) == parts[child["name"]].percent
        assert sum(child["value"] for child in average["children"]) == average["value"] == parts["Kernel"].total


@needs_shared
@pytest.mark.parametrize(("run", "total_us"), [(0, 6_286_787), (1, None)])
def test_figures_in_the_saved_overview_agree_with_each_other(run: int, total_us: int | None) -> None:
    overview = json.loads((SHARED / "seeds/mlu_resnet50_api_answers.jsonl").read_text("utf-8").splitlines()[run * 5])
    assert_figures_agree(overview)
    ((*_, (title, _, last)),) = tooltips(overview)
    assert title == PARTS[-1]
    if total_us is not None:
        assert last.total == total_us
    busy = {row["title"]: row["value"] for row in overview["mlu_metrics"]["data"]}["MLU Utilization"]
    assert busy == f"{tooltips(overview)[0][0][2].percent} %"  # every kernel lies in the step, none is communication


def drawn() -> CompatProfile:
    """An MLU step of 1000 us: kernel 300, copy 50, collective 40, calls 110, loader 0, operators 300, nothing 200."""
    trace = TraceBuilder(vendor="mlu", whole_us=True)
    trace.step(1, 0, 1000)
    trace.op("aten::mm", 0, 400)
    trace.call("cnnlMatMul", 90, 200)
    trace.kernel("MLUUnion1KernelGemm", 500, 800, launch=(100, 190))
    trace.op("aten::copy_", 400, 450)
    trace.memcpy(450, 500, launch=(410, 411))
    trace.annotation("cncl:all_reduce", 800, 840)
    return read(trace)


def test_tooltips_of_a_drawn_mlu_step_hold_what_was_drawn() -> None:
    overview = answer(drawn(), "overview")
    assert_figures_agree(overview)
    ((*cells,),) = tooltips(overview)
    assert {title: (float(tooltip.value), float(tooltip.percent)) for title, _, tooltip in cells} == {
        "Kernel": (300, 30.0),
        "Memcpy": (50, 5.0),
        "Memset": (0, 0.0),
        "Communication": (40, 4.0),
        "Runtime": (111, 11.1),
        "DataLoader": (0, 0.0),
        "CPU Exec": (339, 33.9),
        "Other": (160, 16.0),
    }


def test_texts_explaining_columns_speak_of_the_device() -> None:
    profile = drawn()
    kernels = answer(profile, "kernel/table")
    assert [text for _, text in explanations(kernels)] == [
        "Whether this kernel uses Tensor Cores. It's always NO On MLU devices because MLU does not have Tensor Cores."
    ]
    summary = answer(profile, "overview")["mlu_metrics"]
    assert "GPU" not in summary["tooltip"] and "MLU Utilization" in summary["tooltip"]
