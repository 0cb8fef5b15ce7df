"""CSV records of an `ncu --csv` export, between the output of the program and of ncu."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.sources.ncu.launch_file import LaunchFile
from tb_perfcompare.sources.recognition.format_sniffers import is_ncu_header

_MAX_LINES = 50
_RECORD = regex(r'"?\d+"?,"?\d')
_SAID = regex(r"==(ERROR|WARNING)== (.+)")
_LONGEST_LINE = 1 << 24
_MAX_LOG_LINES = 1000
_MAX_LOG_LINE = 300

Record = tuple[int, str]
"""(number of its first line, its text)."""


class NcuLines:
    """Reads the CSV records of a file, with their line numbers, in one pass.

    The CSV is preceded by the program's own output and ncu's `==PROF==` lines, one per launch. A record is one line,
    unless a rule's description contains line breaks; a line that ends inside quotes and is not continued is damaged.

    said  distinct warnings and errors of ncu itself, limited in number and length
    """

    def __init__(self, file: LaunchFile) -> None:
        self._file = file
        self._in_table = False
        self.said: dict[str, None] = {}

    def records(self) -> Iterator[list[Record]]:
        """Headers and rows, one list for each block."""
        pending, first_line = "", 0
        for texts in self._file.lines(_LONGEST_LINE):
            block_records: list[Record] = []
            for number, line in enumerate(texts, self._file.last + 1):
                if pending:
                    if _RECORD.match(line) or line.startswith("==") or number - first_line > _MAX_LINES:
                        self._file.drop(first_line, "it ends inside quotes")
                        pending = ""
                    else:
                        pending = f"{pending}\n{line}"
                        if not pending.count('"') % 2:
                            block_records.append((first_line, pending))
                            pending = ""
                        continue
                if line.count('"') % 2 and self._in_table:
                    pending, first_line = line, number
                elif self._is_record(line, number):
                    block_records.append((number, line))
            yield block_records
        if pending:
            self._file.drop(first_line, "it ends inside quotes")

    def _is_record(self, line: str, number: int) -> bool:
        if line.startswith(('"', "0", "1", "2", "3", "4", "5", "6", "7", "8", "9")) and self._in_table:
            return True
        if is_ncu_header(line):
            self._in_table = True
            return True
        if line.startswith("=="):
            said = _SAID.match(line)
            if said is not None and len(self.said) < _MAX_LOG_LINES:
                self.said[f"{said[1].lower()}: {said[2][:_MAX_LOG_LINE].strip()}"] = None
        elif self._in_table and line.strip():
            self._file.drop(number, "no row of the table")
        return False


def cells_of(records: list[Record]) -> list[list[str]]:
    """Cells of each record; [] for a record that the CSV reader rejects."""
    texts = [text for _, text in records]
    try:
        rows = list(csv.reader(texts))
        if len(rows) == len(texts):
            return rows
    except csv.Error:
        pass
    return [_cells(text) for text in texts]


def _cells(text: str) -> list[str]:
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        return []
