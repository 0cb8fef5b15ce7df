"""Names and first bytes of the files of each format.

Standard library only: TensorBoard asks at every page load whether there is anything to show, which must not import
numerical libraries.
"""

from __future__ import annotations

import contextlib
import re
import zlib
from collections.abc import Callable, Mapping

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.formats import BASELINE, CYCLES, FORMATS, LISTING, NCU, TRACE

TRACE_FILE = regex(r"(?P<worker>.*?)(?:\.(?P<stamp>\d+))?\.pt\.trace\.json(?:\.gz)?", re.DOTALL)
"""Full match of a trace file's name."""

JSON_NAME = regex(r"(?P<stem>.+)\.json(?:\.gz)?", re.DOTALL)
"""Names of files that may be traces under another name."""

LISTING_HEADER = ("Latency", "Tensor", "DRAM")
"""Words in a kernel listing's first line, which has no `|`."""

ANSWER = regex(
    rb'\s*\{\s*"(?:steps"\s*:\s*\{\s*"columns"|(?:device|host)_(?:total|self)_time"\s*:'
    rb'|metadata"\s*:\s*\{\s*"sort"|total"\s*:\s*\{\s*"columns")'
)
"""Start of an answer as torch-tb-profiler writes it: recognizes lines longer than the bytes examined."""

PERF_DATA_COLUMNS = ("cycle", "pid", "beta_pct", "function_name", "metric_name", "device", "mu_pct", "anchor_dur_us")
"""Columns required in the first line of a per-cycle table of functions."""

COUNTER_COLUMNS = ("counter_name", "timestamp", "value")
"""Columns required in a file of counter samples, which belongs to a table and is not a run itself."""

REMEMBERED_FILES = 1 << 16
"""Size of the caches of results by file. Directories are listed repeatedly in the same order, so a cache smaller than
the number of files would always evict the entries needed next."""

POSSIBLE_NAME = regex(
    rf".+(?:{'|'.join(re.escape(ending) for form in FORMATS.values() for ending in form.endings)})(?:\.gz)?", re.DOTALL
)
"""Names of files worth opening to find out whether a directory has anything to show."""

_MAX_ABSENT = 2
_PERF_DATA_NAME = regex(r".*_perf_data\.csv(?:\.gz)?", re.DOTALL)

_NCU_MARKS = (b'"ID",', b"ID,", b"==PROF== ", b'"Process ID",')
"""Starts of the lines that identify an ncu export."""

BASELINE_HEADER = "baseline.json"
"""First member of a saved baseline."""

BASELINE_ENDING = ".baseline"
_ZIP_MEMBER = b"PK\x03\x04"
_NAME_OF_MEMBER = 30
"""Offset of the first member's name in a zip archive."""

POINT_ENDING = ".perfcompare"
"""Suffix of an event file that contains a point of a history. The name alone decides: other event files, which training
writes next to it and which may be large, are not opened."""

POINT_NAME = regex(r".*tfevents.*\.perfcompare", re.DOTALL)

LFS_POINTER = b"version https://"
"""First bytes, as many as Blocks.head has, of what Git LFS leaves in place of a file that was not fetched."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def why_not_trace(name: str, head: bytes) -> str:
    """Why a file with this name and these first (uncompressed) bytes is not a torch.profiler trace; "" if it is one."""
    if TRACE_FILE.fullmatch(name):
        return ""  # read_trace reports best what may be wrong with it
    return _why_no_events(head, may_come_later=name.endswith((".json", ".json.gz")))


def why_not_events(name: str, head: bytes) -> str:
    """Why a file with these first bytes is not a trace, whatever its name; "" if it is one."""
    return _why_no_events(head, may_come_later=b'"schemaVersion"' in head and b'"deviceProperties"' in head)


def _why_no_events(head: bytes, *, may_come_later: bool) -> str:
    """`may_come_later`: whether an object is a trace even if its events begin after these bytes."""
    text = _text(head)
    if text.startswith(b"["):
        if b'"ph"' in text:
            return ""
        return "a memory timeline" if text.startswith(b"[[") else "a list, but not of events"
    if text.startswith(LFS_POINTER):
        return "a Git LFS pointer; fetch the file with git lfs pull"
    if not text.startswith(b"{"):
        return "not JSON" if text else "empty"
    return "" if may_come_later or b'"traceEvents"' in text else f"no traceEvents in its first {len(head)} bytes"


def _text(head: bytes) -> bytes:
    return head.removeprefix(_BYTE_ORDER_MARK).lstrip()


def _lines(head: bytes) -> list[str]:
    return head.removeprefix(_BYTE_ORDER_MARK).decode("utf-8", "replace").splitlines()


def why_not_listing(name: str, head: bytes) -> str:
    """Why a file with these first bytes is not a kernel listing; "" if it is one. The name is ignored."""
    first = next((line for line in _lines(head) if line.strip()), "")
    if not first:
        return "empty"
    if "|" in first or not all(word in first.split() for word in LISTING_HEADER):
        return f"the first line is not a header ending in {' '.join(LISTING_HEADER)}"
    return ""


def why_not_cycles(name: str, head: bytes) -> str:
    """Why a file with these first bytes is not a per-cycle table; "" if it is one.

    The header decides, and may lack one or two columns: the reader reports them. A file named like such a table is
    accepted too, so that a broken file is reported instead of overlooked.
    """
    if _PERF_DATA_NAME.fullmatch(name):
        return ""
    columns = _header(head)
    absent = [column for column in PERF_DATA_COLUMNS if column not in columns]
    if len(absent) <= _MAX_ABSENT and "function_name" in columns:
        return ""
    if all(column in columns for column in COUNTER_COLUMNS):
        return "samples of counters; give the *_perf_data.csv next to it"
    return f"the first line does not name the columns {', '.join(PERF_DATA_COLUMNS)}"


def _header(head: bytes) -> set[str]:
    """Column names in the first line of a CSV file that is not blank; a reader reports separators other than commas."""
    first = _text(head).partition(b"\n")[0]
    if b"_name" not in first:
        return set()  # fast path: most files are something else
    import csv

    text = first.decode("utf-8", "replace")
    columns = set[str]()
    for separator in ",;\t|":
        with contextlib.suppress(csv.Error):
            cells = next(csv.reader([text], delimiter=separator), [])
            columns = max(columns, {cell.strip() for cell in cells}, key=len)
    return columns


def is_ncu_header(line: str) -> bool:
    """Whether a line has the column names of an ncu --csv export, on either page. The line may be truncated."""
    return line.startswith(('"ID",', "ID,")) and "Kernel Name" in line[:200]


def why_not_ncu(name: str, head: bytes) -> str:
    """Why a file with these first bytes is not an ncu --csv export; "" if it is one. The name is ignored.

    ncu's progress, one line per launch, precedes the columns; the profiled program's own output may be before and
    between.
    """
    nothing = 'no line names the columns "ID", ..., "Kernel Name", ...'
    if not any(mark in head for mark in _NCU_MARKS):
        return nothing  # most .csv files are something else; directories hold thousands
    lines = _lines(head)
    if any(is_ncu_header(line) or line.startswith("==PROF== ") for line in lines):
        return ""
    if any(line.startswith('"Process ID",') and '"Invocations"' in line for line in lines):
        return "a summary over launches; export without --print-summary"
    return nothing


def _inflated(head: bytes) -> bytes:
    """The decompressed start of a gzip stream, as far as possible; other bytes unchanged."""
    if not head.startswith(b"\x1f\x8b"):
        return head
    with contextlib.suppress(zlib.error):
        return zlib.decompressobj(31).decompress(head, 16 * len(head))
    return b""


def why_not_layers(name: str, head: bytes) -> str:
    """Why a file is not a trace as named and written by torch_npu; "" if it is one."""
    if not name.startswith("trace_view.json"):
        return "not named trace_view.json"
    text = _text(head)
    return "" if text.startswith(b"[") and b'"ph"' in text else "not a list of events"


def is_point(name: str) -> bool:
    """Whether a file is a point of a history, by its name."""
    return POINT_NAME.fullmatch(name) is not None


def why_not_baseline(name: str, head: bytes) -> str:
    """Why a file with these first bytes is not a saved baseline; "" if it is one.

    A file named like a baseline, or like a point of a history, is accepted too, so that a broken file is reported
    instead of overlooked.
    """
    if name.endswith(BASELINE_ENDING) or is_point(name):
        return ""
    is_baseline = head.startswith(_ZIP_MEMBER) and head.startswith(BASELINE_HEADER.encode(), _NAME_OF_MEMBER)
    return "" if is_baseline else f"no archive that begins with {BASELINE_HEADER}"


WHY_NOT: Mapping[str, Callable[[str, bytes], str]] = {
    BASELINE: why_not_baseline,
    LISTING: why_not_listing,
    NCU: why_not_ncu,
    CYCLES: why_not_cycles,
    TRACE: why_not_trace,
}
"""Format -> function of (file name, first uncompressed bytes) that says why a file is not of it, "" if it is. Any .json
counts as a trace by its name. Saved answers have theirs in sources/answers/lines.py."""


def looks_known(head: bytes) -> bool:
    """Whether a file with these first bytes is a run of any format."""
    head = _inflated(head)
    answers = ANSWER.match(_text(head)) is not None
    return answers or not all(says("", head) for says in (*WHY_NOT.values(), why_not_events))
