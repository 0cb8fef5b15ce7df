"""Draws the roofline: operators of both sides by FLOP/byte and FLOP/s on logarithmic axes, with the devices' peaks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.row_query import row_keys
from tb_perfcompare.model.device_peaks import DevicePeaks
from tb_perfcompare.render.printable import printable
from tb_perfcompare.render.svg_axis import Axis

_HEIGHT = 260
_LARGEST = 15
_LINE = 12
_MAX_ROWS = 60
"""Maximum number of rows drawn, those with most time."""
_SIDES = {"baseline": "a", "candidate": "b"}
_FIGURES = ("intensity", "flop_rate", "modelled_us", "data_type", "bound")
_PREFIXES = ("", "k", "M", "G", "T", "P", "E")


@dataclass(frozen=True, slots=True)
class Spot:
    """A row on one side: FLOP per byte, FLOP per second, microseconds, data types, and the roof that bounds it."""

    intensity: float
    rate: float
    us: float
    types: tuple[str, ...]
    bound: str


@dataclass(frozen=True, slots=True)
class Point:
    """A row with a rate on at least one side; `spots` are the baseline's and the candidate's, None without a rate."""

    name: str
    spots: tuple[Spot | None, Spot | None]

    @property
    def us(self) -> float:
        """The longer of both sides' times."""
        return max(spot.us for spot in self.spots if spot)


def points_of(table: Table) -> list[Point]:
    """Returns the rows with FLOP and bytes above zero on at least one side, longest first."""
    index_of = table.places
    if not all(f"{side}_{name}" in index_of for side in _SIDES for name in _FIGURES):
        return []
    points = []
    for key, row in zip(row_keys(table), table.rows, strict=True):
        a, b = (_spot(*(row[index_of[f"{side}_{name}"]] for name in _FIGURES)) for side in _SIDES)
        if a or b:
            points.append(Point(key, (a, b)))
    return sorted(points, key=lambda point: (-point.us, point.name))


def _spot(intensity: object, rate: object, us: object, types: object, bound: object) -> Spot | None:
    if not (isinstance(intensity, float) and isinstance(rate, float) and isinstance(us, int | float)):
        return None
    if not (intensity > 0 and rate > 0 and us > 0):
        return None
    return Spot(intensity, rate, us, tuple(str(types or "").split(", ")), str(bound or ""))


def roofline(table: Table, peaks: tuple[DevicePeaks | None, DevicePeaks | None]) -> str:
    """Returns the drawing with notes below it as HTML; "" if no row has a rate."""
    points = points_of(table)
    drawn = points[:_MAX_ROWS]
    if not drawn:
        return ""
    roofs = list(_roofs(drawn, peaks))
    spots = [spot for point in drawn for spot in point.spots if spot]
    across = _decades([*(spot.intensity for spot in spots), *(peak / speed for *_, peak, speed in roofs if speed)])
    up = _decades([*(spot.rate for spot in spots), *(peak for *_, peak, _ in roofs)])
    largest = drawn[0].us
    axes = ('<text x="-48" y="-12">FLOP/s</text>', '<text x="100%" y="100%" dy="30" text-anchor="end">FLOP/byte</text>')
    body = [*_grid(across, up), *axes, *(_roof(roof, across, up) for roof in roofs)]
    for point in drawn:
        places = [spot and _place(spot, across, up) for spot in point.spots]
        if places[0] and places[1]:
            (x1, y1), (x2, y2) = places[0], places[1]
            body.append(f'<line class="join" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>')
        for letter, spot in zip("ab", point.spots, strict=True):
            if spot:
                body.append(_mark(letter, spot, point.name, _place(spot, across, up), largest))
    body += _labels(roofs, up)
    notes = ["Bytes are the least that must move; area is time, A filled, B outlined."]
    notes += _roof_notes(peaks)
    if len(points) > _MAX_ROWS:
        notes.append(f"Not drawn: {number_text.many(len(points) - _MAX_ROWS, 'shorter row')}.")
    return (
        f'<div class="roofline"><svg width="100%" height="{_HEIGHT}" role="img" '
        f'aria-label="Roofline of {number_text.many(len(drawn), "row")}">{"".join(body)}</svg></div>\n'
        f'<p class="notes">{escape(printable(" ".join(notes)))}</p>'
    )


def _roofs(
    points: Sequence[Point], peaks: tuple[DevicePeaks | None, DevicePeaks | None]
) -> Iterable[tuple[str, str, float, float]]:
    """Yields (letter, data type, FLOP/s, bytes/s) of each roof for the data types in use. Letter is "a" or "b", or ""
    for both sides on the same device, which is drawn once."""
    used = [{name for point in points if (spot := point.spots[side]) for name in spot.types} for side in (0, 1)]
    baseline, candidate = peaks
    if baseline and candidate and baseline.device == candidate.device:
        sides: list[tuple[str, DevicePeaks | None, set[str]]] = [("", baseline, used[0] | used[1])]
    else:
        sides = [("a", baseline, used[0]), ("b", candidate, used[1])]
    for letter, device, types in sides:
        for name, tflops in (device.tflops if device else {}).items():
            if name in types and tflops > 0:
                yield letter, name, tflops * 1e12, device.memory_gbs * 1e9 if device else 0.0


def _decades(values: Sequence[float]) -> Axis:
    """Returns an axis of decimal logarithms, in whole decades, that contains all values."""
    low = math.floor(math.log10(min(values)) + 1e-9)
    return Axis(low, max(low + 1, math.ceil(math.log10(max(values)) - 1e-9)))


def _place(spot: Spot, across: Axis, up: Axis) -> tuple[str, str]:
    return across.at(math.log10(spot.intensity)), _height(up, spot.rate)


def _height(up: Axis, rate: float) -> str:
    return f"{100 - up.share(math.log10(rate)):.2f}%"


def _grid(across: Axis, up: Axis) -> Iterable[str]:
    for axis, is_across in ((across, True), (up, False)):
        step = max(1, math.ceil((axis.high - axis.low) / 6))
        for power in range(int(axis.low), int(axis.high) + 1, step):
            position = axis.at(power) if is_across else f"{100 - axis.share(power):.2f}%"
            if is_across:
                yield f'<line class="grid-line" x1="{position}" x2="{position}" y1="0" y2="100%"/>'
                anchor = "end" if power == axis.high else "middle"  # keeps the last label inside the drawing
                yield f'<text x="{position}" y="100%" dy="15" text-anchor="{anchor}">{_power(power)}</text>'
            else:
                yield f'<line class="grid-line" x1="0" x2="100%" y1="{position}" y2="{position}"/>'
                yield f'<text x="0" dx="-6" y="{position}" dy="4" text-anchor="end">{_power(power)}</text>'


def _power(exponent: int) -> str:
    """Formats a power of ten with an SI prefix."""
    if exponent < 0:
        return f"{10.0**exponent:g}"
    thousands = min(exponent // 3, len(_PREFIXES) - 1)
    return f"{10 ** (exponent - 3 * thousands)}{' ' if thousands else ''}{_PREFIXES[thousands]}"


def _roof(roof: tuple[str, str, float, float], across: Axis, up: Axis) -> str:
    """Draws a roof: the slope of the memory bandwidth, as far as it is within the axes, and the flat compute peak."""
    letter, _, peak, speed = roof
    tone = f' class="roof {letter}"' if letter else ' class="roof"'
    flat = _height(up, peak)
    begin = middle = across.low
    lines = ""
    if speed:
        begin = max(across.low, up.low - math.log10(speed))
        middle = min(across.high, math.log10(peak / speed))
        end = _height(up, speed * 10**middle)
        lines = (
            f'<line{tone} x1="{across.at(begin)}" y1="{_height(up, speed * 10**begin)}" '
            f'x2="{across.at(middle)}" y2="{end}"/>'
        )
    lines += f'<line{tone} x1="{across.at(middle)}" y1="{flat}" x2="100%" y2="{flat}"/>'
    return lines


def _labels(roofs: Sequence[tuple[str, str, float, float]], up: Axis) -> Iterable[str]:
    """Draws the names of the flat parts, highest first, moved down where they would overlap; roofs of the same height
    share a label."""
    names: dict[tuple[float, str], list[str]] = {}
    for letter, name, peak, _ in sorted(roofs, key=lambda roof: (-roof[2], roof[0])):
        names.setdefault((peak, letter), []).append(name)
    last = -math.inf
    for (peak, letter), labels in names.items():
        last = max(_HEIGHT * (100 - up.share(math.log10(peak))) / 100 - 5, last + _LINE)
        label = escape(f"{letter.upper()} {', '.join(labels)}".strip())
        yield f'<text class="roof-name" x="100%" dx="-3" y="{last:.1f}" text-anchor="end">{label}</text>'


def _mark(letter: str, spot: Spot, name: str, position: tuple[str, str], largest: float) -> str:
    r = max(2.5, _LARGEST * math.sqrt(spot.us / largest))
    x, y = position
    figures = ", ".join(filter(None, (number_text.operation_rate(spot.rate), number_text.time(spot.us), spot.bound)))
    title = f"<title>{escape(printable(name))}: {figures}</title>"
    if letter == "a":
        return f'<circle class="spot-a" cx="{x}" cy="{y}" r="{r:.1f}">{title}</circle>'
    d = r * math.sqrt(math.pi / 2)
    shape = f"M0 {-d:.1f}L{d:.1f} 0L0 {d:.1f}L{-d:.1f} 0Z"
    return f'<svg x="{x}" y="{y}"><path class="spot-b" d="{shape}">{title}</path></svg>'


def _roof_notes(peaks: tuple[DevicePeaks | None, DevicePeaks | None]) -> Iterable[str]:
    baseline, candidate = peaks
    if baseline and candidate and baseline.device == candidate.device:
        yield f"Roofs: {baseline.device}."
        return
    for letter, device in (("A", baseline), ("B", candidate)):
        yield f"Roof of {letter}: {device.device}." if device else f"{letter}: device unknown, no roof."
