"""Converts rows of the two layouts of ncu's CSV to launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tb_perfcompare.sources.ncu.launches import NcuLaunches
from tb_perfcompare.sources.ncu.metrics import metric_of

Drop = Callable[[int, str], None]
"""Counts an unusable row, given its line number and the reason."""

_VALUE = ("Metric Name", "Metric Unit", "Metric Value")
_WHO = ("Process ID", "Device", "CC", "device__attribute_display_name")


def page_of(names: list[str], launches: NcuLaunches, drop: Drop) -> RawPage | DetailsPage:
    """Parser for the rows below these column names, which include ID and Kernel Name."""
    kind = DetailsPage if all(name in names for name in _VALUE) else RawPage
    return kind(names, launches, drop)


class RawPage:
    """One row per launch; the first row contains the units."""

    def __init__(self, names: list[str], launches: NcuLaunches, drop: Drop) -> None:
        self._launches, self._drop = launches, drop
        self._width = len(names)
        self._name = names.index("Kernel Name")
        self._who = {name: names.index(name) for name in _WHO if name in names}
        self._metrics: dict[str, int] = {}
        for place, name in enumerate(names):
            metric = metric_of(name)
            if metric:
                self._metrics.setdefault(metric, place)
        self._units: Sequence[str] | None = None

    def take(self, lines: list[int], rows: list[list[str]]) -> None:
        """Stores the launches in these rows."""
        if self._units is None:
            self._units = rows[0] if not (rows[0] and rows[0][0].strip()) else []
            if self._units:
                lines, rows = lines[1:], rows[1:]
            if len(self._units) != self._width:
                raise self._launches.corrupt(
                    "the line after the columns has no units", lines[0] if lines else 0,
                    hint="give the export as ncu wrote it: without units durations may be ns or µs",
                )  # fmt: skip
        complete = [len(row) == self._width for row in rows]
        if not all(complete):
            for line, row, is_complete in zip(lines, rows, complete, strict=True):
                if not is_complete:
                    self._drop(line, f"{len(row)} cells instead of {self._width}")
            lines = [line for line, is_complete in zip(lines, complete, strict=True) if is_complete]
            rows = [row for row in rows if len(row) == self._width]
        if not rows:
            return
        self._launches.add(lines, [row[self._name] for row in rows])
        for name, place in self._who.items():
            self._launches.add_origins(name, {row[place] for row in rows})
        for metric, place in self._metrics.items():
            self._launches.fill(metric, self._units[place].strip(), [row[place] for row in rows], lines)


class DetailsPage:
    """One row per figure of a launch; rows about rules have no metric.

    Rows of figures end before the rules' columns, so they are shorter than the header.
    """

    def __init__(self, names: list[str], launches: NcuLaunches, drop: Drop) -> None:
        self._launches, self._drop = launches, drop
        self._id = names.index("ID")
        self._name = names.index("Kernel Name")
        self._who = {name: names.index(name) for name in _WHO if name in names}
        self._metric, self._unit, self._value = (names.index(name) for name in _VALUE)
        self._least = max(self._metric, self._unit, self._value, self._name, *self._who.values()) + 1
        self._launch: dict[tuple[str, str], int] = {}
        self._metrics: dict[str, str] = {}

    def take(self, lines: list[int], rows: list[list[str]]) -> None:
        """Stores the figures in these rows."""
        launches, metrics = self._launches, self._metrics
        process = self._who.get("Process ID", self._id)
        key, launch = ("", ""), -1
        for line, row in zip(lines, rows, strict=True):
            if len(row) < self._least:
                self._drop(line, f"{len(row)} cells, at least {self._least} are needed")
                continue
            if (row[self._id], row[process]) != key:
                key = (row[self._id], row[process])
                launch = self._launch.get(key, -1)
                if launch < 0:
                    launch = self._launch[key] = len(launches)
                    launches.add([line], [row[self._name]])
                    for name, place in self._who.items():
                        launches.add_origins(name, {row[place]})
            cell = row[self._metric]
            metric = metrics.get(cell)
            if metric is None:
                metric = metrics[cell] = metric_of(cell)
            if metric:
                launches.put(launch, metric, row[self._unit].strip(), row[self._value], line)
