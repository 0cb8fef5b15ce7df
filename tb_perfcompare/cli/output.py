"""Output of a command: its result on standard output or in a file, progress and messages on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
import time
import traceback
from collections.abc import Iterable
from typing import TextIO

from tb_perfcompare.errors import InputError, PerfCompareError
from tb_perfcompare.model.note import ALWAYS_SHOWN, Note
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.number_text import byte_scale, number
from tb_perfcompare.render.printable import printable
from tb_perfcompare.render.widths import Terminal, elide

_GAP = "  "
_MIN_PATH_WIDTH = 8


class ProgressLine:
    """Formats progress as one line, from the latest progress of each file."""

    def __init__(self) -> None:
        self._files: dict[str, Progress] = {}

    def text(self, progress: Progress, width: int) -> str:
        """Returns phase, bytes read and total, events, and the file, in at most `width` columns."""
        if progress.path:
            self._files[progress.path] = progress
        figures = _GAP.join([progress.phase, *self._figures()])
        path_width = width - len(figures) - len(_GAP)
        if not progress.path or path_width < _MIN_PATH_WIDTH:
            return elide(figures, width)
        return f"{figures}{_GAP}{elide(printable(progress.path), path_width)}"

    def _figures(self) -> list[str]:
        total = sum(file.total_bytes for file in self._files.values())
        if not total:
            return []
        done = sum(file.done_bytes for file in self._files.values())
        events = sum(file.events for file in self._files.values())
        scale = byte_scale(total)
        read = f"{number(done * scale.factor)} of {number(total * scale.factor)} {scale.symbol}"
        count = f" in {len(self._files)} files" if len(self._files) > 1 else ""
        return [read + count, f"{events:,} events"]


_REDRAW_S = 0.1
_LINE_WIDTH = 79
_DEFAULT_COLUMNS = 80
_CLEAR_LINE = "\r\x1b[K"


def columns() -> int:
    """Width of the terminal, as from shutil.get_terminal_size; importing shutil would import three compressors."""
    with contextlib.suppress(KeyError, ValueError):
        if (given := int(os.environ["COLUMNS"])) > 0:
            return given
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _DEFAULT_COLUMNS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return _DEFAULT_COLUMNS


class Console:
    """Writes a command's output to its two streams."""

    def __init__(self, stdout: TextIO, stderr: TextIO) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self._terminal = stderr.isatty()
        self._drawn = False
        self._next_s = 0.0
        self._line = ProgressLine()

    @property
    def screen(self) -> Terminal | None:
        """The terminal that results are written to; None for a file or a pipe. NO_COLOR (https://no-color.org) switches
        colors off."""
        if not self._stdout.isatty():
            return None
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return Terminal(columns(), colors=not plain)

    def answer(self, data: bytes) -> None:
        """Writes UTF-8 to standard output. Ignores a closed pipe (`| head`); raises PerfCompareError for other errors,
        such as a full disk."""
        self.clear()
        try:
            buffer = getattr(self._stdout, "buffer", None)
            if buffer is None:
                self._stdout.write(data.decode("utf-8"))
                self._stdout.flush()
            else:
                self._stdout.flush()
                buffer.write(data)
                buffer.flush()
        except BrokenPipeError:
            _discard_output(self._stdout)
        except OSError as error:
            _discard_output(self._stdout)
            reason = error.strerror or str(error)
            raise PerfCompareError(
                f"standard output cannot be written: {reason}", hint="free space or write elsewhere"
            ) from error

    def write_result(self, data: bytes, output: str | None) -> None:
        """To the file of -o, else to standard output. Raises as `write_file` and `answer`."""
        if output:
            write_file(output, data)
        else:
            self.answer(data)

    def warn(self, message: str) -> None:
        """Writes a message to standard error: one line, wrapped on a terminal."""
        line = printable(" ".join(message.split()))
        if self._terminal:
            wrapped = textwrap.wrap(
                line, columns(), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
            )
            line = "\n".join(wrapped)
        self._write_line(line)

    def fail(self, error: BaseException) -> None:
        """Writes the traceback of a defect to standard error, and what to do about it."""
        self.quote("".join(traceback.format_exception(error)).splitlines())
        self.warn("tb-perfcompare: an internal error; nothing was decided. Please report it with the lines above")

    def quote(self, lines: Iterable[str]) -> None:
        """Writes lines that another program printed to standard error, with their indentation."""
        for line in lines:
            self._write_line(f"  | {printable(line.expandtabs())}")

    def _write_line(self, line: str) -> None:
        self.clear()
        try:
            encoding = self._stderr.encoding or "utf-8"
            self._stderr.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
            self._stderr.flush()
        except BrokenPipeError:
            _discard_output(self._stderr)

    def warn_of_lost_data(self, notes: Iterable[Note]) -> None:
        """Writes notes on data missing from the result, for formats without a place for them, such as CSV."""
        for note in notes:
            if note.code in ALWAYS_SHOWN:
                self.warn(f"note: {note.sentence}")

    def progress(self, progress: Progress, /) -> None:
        """Reporter that redraws a line of progress, on a terminal only."""
        if self._terminal:
            self.draw(self._line.text(progress, _LINE_WIDTH))

    def draw(self, text: str) -> None:
        """Redraws a temporary line, on a terminal only and at most every _REDRAW_S."""
        if not self._terminal or time.monotonic() < self._next_s:
            return
        self._next_s = time.monotonic() + _REDRAW_S
        self._drawn = True  # set before writing: an interrupt may follow at once
        self._stderr.write(_CLEAR_LINE + text)
        self._stderr.flush()

    def clear(self) -> None:
        """Clears a temporary line."""
        if self._drawn:
            self._drawn = False
            self._stderr.write(_CLEAR_LINE)
            self._stderr.flush()


def check_writable(path: str | None) -> None:
    """Raises InputError, before a long computation, if its result could not be written to `path`, if there is one."""
    if not path:
        return
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise InputError(path, "is a directory", hint="give the name of a file to write")
    if not os.path.isdir(folder):
        raise InputError(path, "its directory does not exist", hint=f"create {folder} or write elsewhere")


def write_file(path: str, data: bytes, *, add: bool = False) -> None:
    """Writes the result to a file, or appends it if `add`. Raises InputError, naming the file."""
    try:
        with open(path, "ab" if add else "wb") as file:
            file.write(data)
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror or error}", hint="write elsewhere") from error


def _discard_output(stream: TextIO) -> None:
    """Redirects standard output or error to the null device, so that the interpreter's flush at exit succeeds."""
    if stream in (sys.stdout, sys.stderr):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
