"""The roofline of the HTML report: marks at their figures, nothing without figures."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.model.device_peaks import DevicePeaks
from tb_perfcompare.render.roofline import points_of, roofline

H100 = DevicePeaks("H100", {"bf16": 1000.0, "fp32": 50.0}, 1000.0)
FIGURES = ("intensity", "flop_rate", "modelled_us", "data_type", "bound")


def table(*rows: tuple[object, ...]) -> Table:
    """Rows of a name and the figures of both sides."""
    figures = tuple(
        columns.number(f"{side}_{name}", name, "", "") for side in ("baseline", "candidate") for name in FIGURES
    )
    return Table("operators_by_shape", "By shape", (columns.key("name", "Name", ""), *figures), rows)


MM = ("mm", 100.0, 1e14, 20.0, "bf16", "memory-bound", 100.0, 1e13, 80.0, "bf16", "memory-bound")
GONE = ("<gone>", 1.0, 1e12, 5.0, "bf16", "", None, None, None, "", "")
COPY = ("copy", 0.0, 0.0, 5.0, "", "", 0.0, 0.0, 7.0, "", "")


def drawn(*rows: tuple[object, ...], peaks: tuple[DevicePeaks | None, DevicePeaks | None]) -> ElementTree.Element:
    text = roofline(table(*rows), peaks)
    return ElementTree.fromstring(re.sub(r"<p .*", "", text, flags=re.DOTALL))


def test_marks_are_on_logarithmic_axes_with_areas_as_times() -> None:
    picture = drawn(MM, GONE, COPY, peaks=(None, None))
    circles = {one.findtext("title", "").partition(":")[0]: one for one in picture.iter("circle")}
    assert set(circles) == {"mm", "<gone>"}
    assert circles["mm"].findtext("title", "") == "mm: 100 TFLOP/s, 20.0 µs, memory-bound"
    assert (circles["mm"].get("cx"), circles["<gone>"].get("cx")) == ("100.00%", "0.00%")
    assert (circles["mm"].get("cy"), circles["<gone>"].get("cy")) == ("0.00%", "100.00%")
    assert float(circles["mm"].get("r", "")) == pytest.approx(15 / 2, abs=0.05), "a quarter of the longest time"
    assert len(list(picture.iter("path"))) == 1, "of B there is one row"


def test_roofs_are_of_the_types_in_use_once_per_device() -> None:
    def roofs(*peaks: DevicePeaks | None) -> list[tuple[str | None, str | None, str | None]]:
        lines = drawn(MM, GONE, peaks=(peaks[0], peaks[1])).iter("line")
        return [(one.get("class"), one.get("x1"), one.get("y2")) for one in lines if "roof" in one.get("class", "")]

    # 1 to 1,000 FLOP/byte, 1 TFLOP/s to 1 PFLOP/s: the memory's 1 TB/s rises from corner to corner
    assert roofs(H100, H100) == [("roof", "0.00%", "0.00%"), ("roof", "100.00%", "0.00%")]
    assert {name for name, *_ in roofs(H100, DevicePeaks("B200", {"bf16": 2000.0}))} == {"roof a", "roof b"}
    assert roofs(None, None) == []


def test_nothing_is_drawn_without_rates() -> None:
    assert roofline(table(COPY), (H100, H100)) == ""
    assert points_of(Table("operators", "Operators", (columns.key("name", "Name", ""),), (("mm",),))) == []


def test_roofs_of_equal_height_share_a_label() -> None:
    many = DevicePeaks("X", {"bf16": 1000.0, "fp16": 1000.0, "fp32": 990.0}, 1000.0)
    rows = [(name, *(100.0, 1e13, 9.0, name, "") * 2) for name in many.tflops]
    labels = [one for one in drawn(*rows, peaks=(many, many)).iter("text") if one.get("class") == "roof-name"]
    assert [label.text for label in labels] == ["bf16, fp16", "fp32"]
    assert float(labels[1].get("y", "")) - float(labels[0].get("y", "")) >= 12, "a line of letters"
