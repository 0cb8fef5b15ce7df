"""Reads Nsight Compute's `ncu --csv` exports: the raw page, one row per launch, and the details page, one per figure.

    "ID","Process ID",...,"Kernel Name",...,"Device","CC","gpu__time_duration.sum",...     --page raw
    "","",...                                             ,"ns",...
    "0","4711",...       ,"gemm(int)",  ...,"0","8.0"     ,"1,234",...

    "ID",...,"Kernel Name",...,"Section Name","Metric Name","Metric Unit","Metric Value"   --page details, the default
    "0",... ,"gemm(int)",  ...,"GPU Speed Of Light Throughput","Duration","us","1.23",

Which metric gives which figure: sources/ncu/metrics.py. The launches are in the file's order, which is that of
their IDs. Rows of several processes and devices are all kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from tb_perfcompare.errors import CorruptInput, unreadable
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.formats import NCU
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.progress import Progress, Reporter, silent
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.model.recordings.recording import ReadStats
from tb_perfcompare.sources.ncu.launches import NcuLaunches
from tb_perfcompare.sources.ncu.lines import NcuLines, Record, cells_of
from tb_perfcompare.sources.ncu.metrics import COMMAND, DURATION
from tb_perfcompare.sources.ncu.pages import DetailsPage, RawPage, page_of
from tb_perfcompare.sources.recognition.format_sniffers import is_ncu_header
from tb_perfcompare.sources.storage.blocks import Blocks
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem

READER = "ncu_csv/python"

_AGAIN = f"record with `{COMMAND}`"


def read_ncu(
    path: str, *, fs: FileSystem = LOCAL, report: Reporter = silent, want_hash: bool = True, name: str | None = None
) -> LaunchRecording:
    """The launches of one export. Torn rows are dropped, counted and named by line.

    Raises InputError when the file cannot be opened, CorruptInput (with place and remedy) when no launch can be read,
    when there are no durations, or when numbers are written with a decimal comma.
    """
    shown = name or fs.basename(path)
    try:
        size = fs.stat(path).bytes
        with fs.open(path) as file, Blocks(file, want_hash=want_hash) as blocks:
            return _Reading(shown, size, blocks, report).read()
    except OSError as error:
        raise unreadable(path, error) from error


class _Reading:
    """One pass over one file."""

    def __init__(self, name: str, size: int, blocks: Blocks, report: Reporter) -> None:
        self._name, self._size, self._blocks, self._report = name, size, blocks, report
        self._lines = NcuLines(self._reported())
        self._launches = NcuLaunches(name)
        self._page: RawPage | DetailsPage | None = None
        self._header = ""

    def read(self) -> LaunchRecording:
        for records in self._lines.records():
            start = 0
            for at, (number, text) in enumerate(records):
                if is_ncu_header(text):  # several exports may stand one after another
                    self._take(records[start:at])
                    self._begin(number, text)
                    start = at + 1
            self._take(records[start:])
        if not self._header:
            raise self._nothing("it has no table")
        if not len(self._launches):
            raise self._nothing("its table has no launch")
        return self._recording()

    def _begin(self, number: int, header: str) -> None:
        names = [name.strip() for name in cells_of([(number, header)])[0]]
        if "ID" not in names or "Kernel Name" not in names:
            self._page = None  # the rows below are not those of the columns before
            self._lines.drop(number, "the names of the columns are damaged")
            return
        self._header = header
        self._page = page_of(names, self._launches, self._lines.drop)

    def _take(self, records: list[Record]) -> None:
        if self._page is not None and records:
            self._page.take([number for number, _ in records], cells_of(records))
        elif records:
            for number, _ in records:
                self._lines.drop(number, "a row below damaged names of columns")

    def _reported(self) -> Iterator[bytes]:
        for block in self._blocks:
            stored = self._blocks.stored_bytes
            self._report(Progress("reading", self._name, stored, self._size, len(self._launches)))
            yield block

    def _nothing(self, why: str) -> CorruptInput:
        said = [text for text in self._lines.said if "No kernels" in text or text.startswith("error")]
        place = self._lines.first or f"line {max(1, self._lines.last)}"
        because = f"; ncu says {said[0]!r}" if said else ""
        return CorruptInput(self._name, f"no launch could be read: {why}{because}", place=place, hint=_AGAIN)

    def _recording(self) -> LaunchRecording:
        read = self._launches.finish()
        if not len(read.table):
            timed = read.metrics.get(DURATION)
            found = f"no launch has a {timed}" if timed else "it has no durations (gpu__time_duration.sum)"
            raise CorruptInput(self._name, found, place="the whole export", hint=_AGAIN)
        for number in read.untimed:
            self._lines.drop(number, "the launch has no duration")
        dropped = sum(self._lines.torn.values())
        metrics = {figure: metric for figure, metric in read.metrics.items() if figure != DURATION}
        return LaunchRecording(
            FileFacts(self._name, self._blocks.stored_bytes, self._blocks.sha256),
            read.table,
            0,
            ReadStats(
                len(read.table) + dropped, len(read.table), dict(self._lines.torn), {}, self._blocks.stored_bytes,
                not self._blocks.damage, READER,
            ),
            tuple(self._notes(dropped, metrics)),
            format=NCU,
            device_name=_few(self._launches.device_names),
            compute_capability=_few(self._launches.capabilities),
            devices=max(1, len(self._launches.devices)),
            metrics=metrics,
        )  # fmt: skip

    def _notes(self, dropped: int, metrics: dict[str, str]) -> Iterator[Note]:
        launches = self._launches
        if self._blocks.damage:
            message = f"{self._blocks.damage}; the lines before are used"
            yield Note(NoteCode.TRUNCATED, message, self._name)
        if dropped:
            message = f"{dropped} lines or launches dropped, the first: {self._lines.first}"
            yield Note(NoteCode.DROPPED_EVENTS, message, self._name)
        if launches.unusable:
            message = f"{launches.unusable} figures not used, the first: {launches.first_unusable}"
            yield Note(NoteCode.DROPPED_EVENTS, message, self._name)
        for count, what in ((len(launches.devices), "devices"), (len(launches.processes), "processes")):
            if count > 1:
                message = f"launches of {count} {what} are taken together, in the order of the file"
                yield Note(NoteCode.MIXED_LAUNCHES, message, self._name)
        absent = [words for figure, words in _NEEDED if figure not in metrics]
        if absent:
            message = f"the export has no metric for {' and '.join(absent)}; {_AGAIN}"
            yield Note(NoteCode.FIGURES_MISSING, message, self._name)


def _few(names: list[str]) -> str:
    shown = ", ".join(name[:_LONGEST_NAME] for name in names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown}, …"


_MOST_NAMES, _LONGEST_NAME = 16, 200
_NEEDED = (("tensor_active", "the tensor pipe"), ("dram_active", "the memory"))
