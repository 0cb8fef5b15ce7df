"""Recognizes runs by content instead of name: saved answers, kernel listings, ncu exports, per-cycle tables, baselines.

The name only has to be possible for the format; the first bytes decide, once for each state of the file.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from tb_perfcompare.errors import InputChanged
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.formats import ANSWERS, BASELINE, CYCLES, FORMATS, LISTING, NCU, TRACE
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.answers.lines import count_runs
from tb_perfcompare.sources.recognition.format_sniffers import (
    JSON_NAME,
    REMEMBERED_FILES,
    WHY_NOT,
    why_not_events,
    why_not_layers,
)
from tb_perfcompare.sources.storage.blocks import read_head
from tb_perfcompare.sources.storage.filesystem import FileStat, FileSystem
from tb_perfcompare.sources.storage.one_state import open_listed

_HEAD_BYTES = 4096
_TRACE_HEAD_BYTES = 64 << 10
"""Large enough for the device and job properties that precede a trace's events."""
_DISTRIBUTED_RANK = regex(rb'"distributedInfo"\s*:\s*\{[^{}]*?"rank"\s*:\s*(\d{1,6})\b')


WhyNot = Callable[[str, bytes], str]


@dataclass(frozen=True, slots=True)
class LooseFormat:
    """A format recognized by content.

    format   key of model/formats.py
    names    pattern for possible file names (full match), with the group `stem`
    worker   name of its only worker if the file has none, "" for the file's stem
    why_not  says by name and first bytes why a file is not of the format, "" if it is; None for saved answers, whose
             runs are counted
    """

    format: str
    names: re.Pattern[str]
    worker: str
    why_not: WhyNot | None

    def runs(self, file: FileStat, fs: FileSystem) -> int:
        """Number of runs in a file, 0 for another format. Raises InputChanged."""
        return count_runs(file, fs) if self.why_not is None else int(_is_of(self.why_not, _HEAD_BYTES, file, fs))


@functools.lru_cache(maxsize=REMEMBERED_FILES)
def _is_of(why_not: WhyNot, head_bytes: int, file: FileStat, fs: FileSystem) -> bool:
    """Whether `why_not` has no reason against a file; cached for unchanged files."""
    try:
        with open_listed(file, fs) as opened:
            return not why_not(file.name, read_head(opened, head_bytes))
    except OSError:
        return False


def _loose(form: str, worker: str, stem: str = r"(?P<stem>.+)", also: str = "") -> LooseFormat:
    """A format by its file names: the usual extensions, `also` this one, each of them compressed or not."""
    endings = "|".join(map(re.escape, (*FORMATS[form].endings, *filter(None, (also,)))))
    return LooseFormat(form, regex(rf"{stem}(?:{endings})(?:\.gz)?", re.DOTALL), worker, WHY_NOT.get(form))


LOOSE_FORMATS: tuple[LooseFormat, ...] = (
    _loose(ANSWERS, "answers", also=".json"),
    _loose(LISTING, "launches"),
    _loose(NCU, "launches"),
    _loose(CYCLES, "", r"(?P<stem>.+?)(?:_perf_data)?"),
    _loose(BASELINE, ""),
    LooseFormat(TRACE, regex(r"(?P<stem>trace_view)\.json(?:\.gz)?"), "trace_view", why_not_layers),
)


def possible_stem(name: str) -> str | None:
    """Stem of a name that a file recognized by content may have, else None."""
    for loose in LOOSE_FORMATS:
        matched = loose.names.fullmatch(name)
        if matched is not None:
            return matched["stem"]
    return None


def is_unnamed_trace(file: FileStat, fs: FileSystem) -> bool:
    """Whether a file is a trace by content although not by name; False while it is being written."""
    if JSON_NAME.fullmatch(file.name) is None:
        return False
    try:
        return _is_of(why_not_events, _TRACE_HEAD_BYTES, file, fs)
    except InputChanged:
        return False


@functools.lru_cache(maxsize=REMEMBERED_FILES)
def stated_rank(file: FileStat, fs: FileSystem) -> int | None:
    """Rank that the properties in front of a trace's events state; None if none is stated there."""
    try:
        with open_listed(file, fs) as opened:
            matched = _DISTRIBUTED_RANK.search(read_head(opened, _TRACE_HEAD_BYTES))
    except (OSError, InputChanged):
        return None
    return None if matched is None else int(matched[1])


def runs_in_file(file: FileStat, fs: FileSystem, *, any_name: bool = False) -> tuple[str, str, int]:
    """(format, worker, number of runs) of a file; ("", "", 0) if no format recognizes it or it is being written.

    With `any_name`, for a file that the user named, the file's extension does not matter.
    """
    for loose in LOOSE_FORMATS:
        matched = loose.names.fullmatch(file.name)
        if any_name or matched is not None:
            try:
                runs = loose.runs(file, fs)
            except InputChanged:
                runs = 0
            if runs:
                return loose.format, loose.worker or (matched["stem"] if matched is not None else file.name), runs
    return "", "", 0
