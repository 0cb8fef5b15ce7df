"""A file of launches being read: its lines, and the count of dropped ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.model.recordings.launches import LaunchRecording, LaunchTable
from tb_perfcompare.model.recordings.recording import ReadStats
from tb_perfcompare.number_text import many
from tb_perfcompare.sources.storage.blocks import Blocks, opened_blocks
from tb_perfcompare.sources.storage.filesystem import FileSystem


class LaunchFile:
    """One pass over one file.

    name   name of the file in messages
    torn   reason -> number of lines or launches dropped for it
    first  line number and reason of the first drop
    last   number of the last line read
    taken  number of launches read so far, for progress
    """

    def __init__(self, name: str, blocks: Blocks, tell: Callable[[int], None]) -> None:
        self._blocks, self._tell = blocks, tell
        self.name = name
        self.torn: Counter[str] = Counter()
        self.first = ""
        self.last = 0
        self.taken = 0

    def drop(self, number: int, reason: str) -> None:
        """Counts a line that cannot be used."""
        self.torn[reason] += 1
        self.first = self.first or f"line {number}: {reason}"

    def lines(self, longest: int) -> Iterator[list[str]]:
        """The lines of each block, without line ends and byte order mark; the next block starts with line `last` + 1.

        A partial line at a block's end is cut after `longest` bytes.
        """
        rest = b""
        for block in chain(self._blocks, [b""]):
            self._tell(self.taken)
            data = rest + block
            end = data.rfind(b"\n") + 1 if block else len(data)
            rest = data[end:][:longest]
            if end:
                text = data[:end].decode("utf-8", "replace").removesuffix("\n")
                if not self.last:
                    text = text.removeprefix("\ufeff")
                lines = text.split("\n")
                yield [line.rstrip("\r") for line in lines] if "\r" in text else lines
                self.last += len(lines)

    def recording(
        self, table: LaunchTable, reader: str, what: tuple[str, str], notes: list[Note], **facts: Any
    ) -> LaunchRecording:
        """Builds the recording.

        `what` names one dropped item and several, `notes` are the format's, `facts` further members of LaunchRecording.
        """
        damage, dropped = self._blocks.damage, sum(self.torn.values())
        reasons = []
        if damage:
            reasons.append(Note(NoteCode.TRUNCATED, f"{damage}; the lines before are used", self.name))
        if dropped:
            message = f"{many(dropped, *what)} dropped, the first: {self.first}"
            reasons.append(Note(NoteCode.DROPPED_EVENTS, message, self.name))
        stored = self._blocks.stored_bytes
        stats = ReadStats(len(table) + dropped, len(table), dict(self.torn), {}, stored, not damage, reader)
        file = FileFacts(self.name, stored, self._blocks.sha256)
        return LaunchRecording(file, table, stats, (*reasons, *notes), **facts)


def read_launch_file(
    path: str, read: Callable[[LaunchFile], LaunchRecording], fs: FileSystem, report: Reporter, want_hash: bool,
    name: str | None,
) -> LaunchRecording:  # fmt: skip
    """Opens the file and returns the result of `read` for it. Raises InputError if it cannot be opened."""
    shown = name or fs.basename(path)
    with opened_blocks(path, fs, report, shown=shown, want_hash=want_hash) as (blocks, tell):
        return read(LaunchFile(shown, blocks, tell))
