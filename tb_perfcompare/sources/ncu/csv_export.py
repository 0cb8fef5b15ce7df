"""Reads Nsight Compute's `ncu --csv` exports: the raw page, one row per launch, and the details page, one per figure.

    "ID","Process ID",...,"Kernel Name",...,"Device","CC","gpu__time_duration.sum",...     --page raw
    "","",...                                             ,"ns",...
    "0","4711",...       ,"gemm(int)",  ...,"0","8.0"     ,"1,234",...

    "ID",...,"Kernel Name",...,"Section Name","Metric Name","Metric Unit","Metric Value"   --page details, the default
    "0",... ,"gemm(int)",  ...,"GPU Speed Of Light Throughput","Duration","us","1.23",

sources/ncu/metrics.py maps metrics to figures. Launches stay in file order, which is the order of their IDs. Rows of
all processes and devices are included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.formats import NCU
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.progress import Reporter, silent
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.number_text import many
from tb_perfcompare.sources.ncu.csv_records import NcuLines, Record, cells_of
from tb_perfcompare.sources.ncu.launch_file import LaunchFile, read_launch_file
from tb_perfcompare.sources.ncu.launches import NcuLaunches
from tb_perfcompare.sources.ncu.metrics import COMMAND, DURATION, metric_of
from tb_perfcompare.sources.recognition.format_sniffers import is_ncu_header
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem

READER = "ncu_csv/python"

_AGAIN = f"record with `{COMMAND}`"


def read_ncu(
    path: str, *, fs: FileSystem = LOCAL, report: Reporter = silent, want_hash: bool = True, name: str | None = None
) -> LaunchRecording:
    """Reads the launches of one export. Damaged rows are dropped, counted and reported by line.

    Raises InputError if the file cannot be opened, CorruptInput (with place and remedy) if no launch can be read, if
    there are no durations, or if numbers have a decimal comma.
    """
    return read_launch_file(path, lambda file: _Reading(file).read(), fs, report, want_hash, name)


class _Reading:
    """Parses one file in one pass."""

    def __init__(self, file: LaunchFile) -> None:
        self._file = file
        self._lines = NcuLines(file)
        self._launches = NcuLaunches(file.name)
        self._page: _RawPage | _DetailsPage | None = None
        self._header = ""

    def read(self) -> LaunchRecording:
        for records in self._lines.records():
            start = 0
            for at, (number, text) in enumerate(records):
                if is_ncu_header(text):  # a file may contain several exports
                    self._take(records[start:at])
                    self._begin(number, text)
                    start = at + 1
            self._take(records[start:])
            self._file.taken = len(self._launches)
        if not self._header:
            raise self._no_launch_error("it has no table")
        if not len(self._launches):
            raise self._no_launch_error("its table has no launch")
        return self._recording()

    def _begin(self, number: int, header: str) -> None:
        names = [name.strip() for name in cells_of([(number, header)])[0]]
        if "ID" not in names or "Kernel Name" not in names:
            self._page = None  # the following rows do not have the previous columns
            self._file.drop(number, "the names of the columns are damaged")
            return
        self._header = header
        kind = _DetailsPage if all(name in names for name in _VALUE) else _RawPage
        self._page = kind(names, self._launches, self._file.drop)

    def _take(self, records: list[Record]) -> None:
        if self._page is not None and records:
            self._page.take([number for number, _ in records], cells_of(records))
        elif records:
            for number, _ in records:
                self._file.drop(number, "a row below damaged names of columns")

    def _no_launch_error(self, why: str) -> CorruptInput:
        errors = [text for text in self._lines.said if "No kernels" in text or text.startswith("error")]
        place = self._file.first or f"line {max(1, self._file.last)}"
        because = f"; ncu says {errors[0]!r}" if errors else ""
        return CorruptInput(self._file.name, f"no launch could be read: {why}{because}", place=place, hint=_AGAIN)

    def _recording(self) -> LaunchRecording:
        table, metrics, untimed = self._launches.finish()
        if not len(table):
            timed = metrics.get(DURATION)
            reason = f"no launch has a {timed}" if timed else "it has no durations (gpu__time_duration.sum)"
            raise CorruptInput(self._file.name, reason, place="the whole export", hint=_AGAIN)
        for number in untimed:
            self._file.drop(number, "the launch has no duration")
        metrics.pop(DURATION)
        return self._file.recording(
            table, READER, ("line or launch", "lines or launches"), list(self._notes(metrics)), format=NCU,
            device_name=_joined_names(self._launches.device_names),
            compute_capability=_joined_names(self._launches.origin_values("CC")),
            devices=max(1, len(self._launches.origin_values("Device"))),
            metrics=metrics,
        )  # fmt: skip

    def _notes(self, metrics: dict[str, str]) -> Iterator[Note]:
        launches, name = self._launches, self._file.name
        if launches.unusable:
            message = f"{many(launches.unusable, 'figure')} not used, the first: {launches.first_unusable}"
            yield Note(NoteCode.DROPPED_EVENTS, message, name)
        for column, what in (("Device", "devices"), ("Process ID", "processes")):
            count = len(launches.origin_values(column))
            if count > 1:
                message = f"launches of {count} {what} are taken together, in the order of the file"
                yield Note(NoteCode.MIXED_LAUNCHES, message, name)
        absent = [words for figure, words in _NEEDED if figure not in metrics]
        if absent:
            message = f"the export has no metric for {' and '.join(absent)}; {_AGAIN}"
            yield Note(NoteCode.FIGURES_MISSING, message, name)


def _joined_names(names: list[str]) -> str:
    shown = ", ".join(name[:_LONGEST_NAME] for name in names[:_MAX_NAMES])
    return shown if len(names) <= _MAX_NAMES else f"{shown}, …"


_MAX_NAMES, _LONGEST_NAME = 16, 200
_NEEDED = (("tensor_active", "the tensor pipe"), ("dram_active", "the memory"))


_Drop = Callable[[int, str], None]
"""Counts an unusable row, given its line number and the reason."""

_VALUE = ("Metric Name", "Metric Unit", "Metric Value")
_WHO = ("Process ID", "Device", "CC", "device__attribute_display_name")


class _RawPage:
    """One row per launch; the first row contains the units."""

    def __init__(self, names: list[str], launches: NcuLaunches, drop: _Drop) -> None:
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
                    self._drop(line, f"{many(len(row), 'cell')} instead of {self._width}")
            lines = [line for line, is_complete in zip(lines, complete, strict=True) if is_complete]
            rows = [row for row in rows if len(row) == self._width]
        if not rows:
            return
        self._launches.add(lines, [row[self._name] for row in rows])
        for name, place in self._who.items():
            self._launches.add_origins(name, {row[place] for row in rows})
        for metric, place in self._metrics.items():
            self._launches.fill(metric, self._units[place].strip(), [row[place] for row in rows], lines)


class _DetailsPage:
    """One row per figure of a launch; rows about rules have no metric.

    Rows of figures end before the rules' columns, so they are shorter than the header. A figure that a launch already
    has from the same section begins another launch with its number: a later export of the process.
    """

    def __init__(self, names: list[str], launches: NcuLaunches, drop: _Drop) -> None:
        self._launches, self._drop = launches, drop
        self._id = names.index("ID")
        self._name = names.index("Kernel Name")
        self._who = {name: names.index(name) for name in _WHO if name in names}
        self._metric, self._unit, self._value = (names.index(name) for name in _VALUE)
        self._least = max(self._metric, self._unit, self._value, self._name, *self._who.values()) + 1
        self._section = names.index("Section Name") if "Section Name" in names else self._metric
        self._launch: dict[tuple[str, str], int] = {}
        self._metrics: dict[str, str] = {}
        self._seen: set[tuple[int, str, str]] = set()

    def take(self, lines: list[int], rows: list[list[str]]) -> None:
        """Stores the figures in these rows."""
        launches, metrics = self._launches, self._metrics
        process = self._who.get("Process ID", self._id)
        key, launch = ("", ""), -1
        for line, row in zip(lines, rows, strict=True):
            if len(row) < self._least:
                self._drop(line, f"{many(len(row), 'cell')}, at least {self._least} are needed")
                continue
            cell = row[self._metric]
            metric = metrics.get(cell)
            if metric is None:
                metric = metrics[cell] = metric_of(cell)
            if (row[self._id], row[process]) != key:
                key = (row[self._id], row[process])
                launch = self._launch.get(key, -1)
            if launch < 0 or (metric and (launch, row[self._section], cell) in self._seen):
                launch = self._launch[key] = len(launches)
                launches.add([line], [row[self._name]])
                for name, place in self._who.items():
                    launches.add_origins(name, {row[place]})
            if metric:
                self._seen.add((launch, row[self._section], cell))
                launches.put(launch, metric, row[self._unit].strip(), row[self._value], line)
