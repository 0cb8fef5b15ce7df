"""Targets that read a file with one reader, and targets that also compare and render it."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import msgspec

from tb_perfcompare.analysis.compat import answer, read_compat
from tb_perfcompare.analysis.compat.answers import ROUTES
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.errors import InputError, NotComparable, SelectionError
from tb_perfcompare.model.progress import silent
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.summary_validation import inconsistency
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.render.wire.pages import comparison_answer
from tb_perfcompare.sources import registry
from tb_perfcompare.sources.answers.reader import read_answers
from tb_perfcompare.sources.ncu.csv_export import read_ncu
from tb_perfcompare.sources.ncu.kernel_listing import read_listing
from tb_perfcompare.sources.perf_data.csv_tables import read_counters, read_cycles
from tb_perfcompare.sources.saved.baseline_file import read_facts, read_point_facts, read_saved
from tb_perfcompare.sources.saved.columnar import packed, unpacked
from tb_perfcompare.sources.saved.event_file import read_point
from tb_perfcompare.sources.storage.blocks import Blocks, read_head
from tb_perfcompare.sources.storage.deflate import LIBRARY
from tb_perfcompare.sources.trace.excerpt import excerpt_file, read_excerpt
from tb_perfcompare.sources.trace.joined_excerpts import JoinedSide, joined_file
from tb_perfcompare.sources.trace.scanners.scanner_choice import AVAILABLE
from tb_perfcompare.sources.trace.torch_profiler import read_events, read_trace
from tb_perfcompare.workspace.inputs.sides import CaptureFile, with_current_state
from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob, summarize_file
from tests.fuzz.readers import seeds
from tests.fuzz.readers.json_mutation import json_changed, json_lines_changed
from tests.fuzz.readers.law import Broken, Outcome, Target, check_error, check_note, read_or_refused
from tests.fuzz.readers.mutation import bytes_changed
from tests.fuzz.readers.packed_mutation import columnar_changed, gzip_changed, point_changed, zip_changed
from tests.fuzz.readers.table_mutation import csv_changed, listing_changed
from tests.sources.scanners import read_with

TRACE_NAME = "worker0.1700000000001.pt.trace.json"
_BLOCKS = (7, 100, 1000, 1 << 20)
_TRACE = msgspec.json.Decoder(dict[str, msgspec.Raw])
_FEW = CompareOptions(resamples=100)


def _reads(name: str, read: Callable[[str], object]) -> Callable[[bytes, Path], Outcome]:
    """The `take` of a target that reads a file of this name."""

    def take(data: bytes, folder: Path) -> Outcome:
        path = folder / name
        path.write_bytes(data)
        return read_or_refused(path, read)

    return take


def _take_trace(data: bytes, folder: Path) -> Outcome:
    """The reader keeps the law, and both scanners agree for any size of blocks."""
    path = folder / TRACE_NAME
    path.write_bytes(data)
    outcome = read_or_refused(path, read_trace)
    if not data.startswith(b"\x1f\x8b"):
        size = _BLOCKS[len(data) % len(_BLOCKS)]
        found = [read_with(reader, data, size) for reader in AVAILABLE]
        for document, columns in found[1:]:
            first, expected = found[0]
            if columns != expected:
                differing = [key for key in columns or {} if expected is None or columns[key] != expected[key]]
                raise Broken(f"{' and '.join(AVAILABLE)} differ in blocks of {size} bytes: {differing}")
            parts = [(read.state, read.members, read.damaged_at) for read in (first, document)]
            if parts[0] != parts[1]:
                raise Broken("the readers leave the document in different states")
    return outcome


def _take_gzip(data: bytes, folder: Path) -> Outcome:
    """zlib-ng and zlib give the same bytes and messages."""
    found = []
    for library in (zlib, LIBRARY):
        with Blocks(io.BytesIO(data), want_hash=True, block_bytes=512, library=library) as blocks:
            content = b"".join(blocks)
        if blocks.raw_bytes != len(content):
            raise Broken(f"raw_bytes is {blocks.raw_bytes}, but {len(content)} bytes were read")
        found.append((content, blocks.damage, blocks.sha256, blocks.stored_bytes))
    if found[0] != found[1]:
        parts = ("bytes", "damage", "sha256", "stored_bytes")
        differing = [name for name, a, b in zip(parts, *found, strict=True) if a != b]
        raise Broken(f"zlib-ng and zlib differ in {differing}")
    if not found[0][0].startswith(read_head(io.BytesIO(data), 4096)):
        raise Broken("read_head is not the beginning of the content")
    return Outcome.REFUSED if found[0][1] else Outcome.READ


def _take_excerpt(data: bytes, folder: Path) -> Outcome:
    """An excerpt is a trace, and two excerpts are joined in one."""

    def read(path: str) -> object:
        excerpt = read_excerpt(path, 100_000, 300_000)
        whole = read_excerpt(path, -(2**62), 2**62)
        for text in (excerpt_file(excerpt, {"step": 1}), excerpt_file(whole, {})):
            _TRACE.decode(text)
        _TRACE.decode(joined_file((JoinedSide("a", excerpt, 0), JoinedSide("b", whole, 5))))
        return whole

    return _reads(TRACE_NAME, read)(data, folder)


def _saved(path: str) -> object:
    """Read the facts, every capture and the launches of a baseline."""
    facts = read_facts(path)
    found = []
    failed: InputError | None = None
    for part in range(len(facts.captures[:5]) + 2):
        try:
            found.append(read_saved(path, part))
        except InputError as error:
            failed = error
    if failed is not None and not found:
        raise failed
    return facts


def _point(path: str) -> object:
    read_point(path)
    read_point_facts(path)
    return _saved(path)


def _take_columnar(data: bytes, folder: Path) -> Outcome:
    """A saved summary is refused by ValueError, or usable like a computed one."""
    try:
        summary = unpacked(data, Summary)
        wrong = inconsistency(summary)
    except (ValueError, RecursionError):
        return Outcome.REFUSED
    if wrong:
        return Outcome.REFUSED
    if unpacked(packed(summary), Summary).source != summary.source:
        raise Broken("packing changes the summary")
    _compare(summary)
    return Outcome.READ


def _compared(name: str) -> Callable[[bytes, Path], Outcome]:
    """The `take` of a target that summarizes, compares and renders a file."""

    def take(data: bytes, folder: Path) -> Outcome:
        path = folder / name
        path.write_bytes(data)
        file = with_current_state(CaptureFile(str(path), name, name, 0, 0, "run", "worker0", "default", None, "run"))
        try:
            summary = summarize_file(SummaryJob(file, "device"), silent)
        except InputError as error:
            check_error(error, path)
            return Outcome.REFUSED
        for note in summary.notes:
            check_note(note)
        _compare(summary)
        return Outcome.READ

    return take


def _compare(summary: Summary) -> None:
    itself = compare_summaries(summary, summary, _FEW)
    changed = [finding.sentence for finding in itself.findings]
    if changed:
        raise Broken(f"a run against itself has findings: {changed[0][:300]}")
    _shown(itself)
    try:
        _shown(compare_summaries(seeds.a_summary(), summary, _FEW))
    except NotComparable:
        return


def _shown(comparison: Comparison) -> None:
    json.loads(comparison_answer(comparison), parse_constant=_no_number)
    for form in FORMATS:
        render(comparison, form)


def _no_number(text: str) -> NoReturn:
    raise Broken(f"{text} in an answer")


def _compat(path: str) -> object:
    """Compute every answer of torch-tb-profiler."""
    trace = read_events(path)
    profile = read_compat(trace)
    for route in ROUTES:
        try:
            json.dumps(answer(profile, route), allow_nan=False)
        except SelectionError:
            continue
    return trace


def _any_format(path: str) -> object:
    return registry.read(path)


_POINT_NAME = "events.out.tfevents.1769832000.r.perfcompare"

FILES: tuple[Target, ...] = (
    Target("trace", "traces, both scanners", _take_trace, gzip_changed(json_changed), seeds.traces),
    Target("gzip", "gzip data, zlib-ng and zlib", _take_gzip, gzip_changed(bytes_changed), lambda: [
        gzipped for gzipped in seeds.traces() if gzipped.startswith(b"\x1f\x8b")
    ]),
    Target("excerpt", "parts of traces", _take_excerpt, json_changed, seeds.traces, shares="trace"),
    Target("answers", "saved answers", _reads("answers.jsonl", read_answers), json_lines_changed, seeds.answers),
    Target("listing", "kernel listings", _reads("kernels.txt", read_listing), listing_changed, seeds.listings),
    Target("ncu", "ncu exports", _reads("launches.csv", read_ncu), csv_changed, seeds.exports),
    Target("cycles", "per-cycle tables", _reads("job_perf_data.csv", read_cycles), csv_changed, seeds.tables),
    Target("counters", "counter files", _reads("job_counters_data.csv", read_counters), csv_changed, seeds.counters),
    Target("baseline", "saved baselines", _reads("main.baseline", _saved), zip_changed, seeds.baselines),
    Target("point", "points of a history", _reads(_POINT_NAME, _point), point_changed, seeds.points),
    Target("columnar", "saved summaries, compared", _take_columnar, columnar_changed, seeds.summaries),
    Target("any", "files with an unknown extension", _reads("x.bin", _any_format), gzip_changed(bytes_changed),
           lambda: [*seeds.traces()[:3], *seeds.answers()[:2], *seeds.listings(), *seeds.exports()[:1],
                    *seeds.tables()[:1], *seeds.baselines()[:1]]),
    Target("compat", "traces, in torch-tb-profiler's reading", _reads(TRACE_NAME, _compat), json_changed, seeds.traces,
           shares="trace"),
    Target("compare-trace", "traces, compared and shown", _compared(TRACE_NAME), json_changed, seeds.traces, "trace"),
    Target("compare-answers", "saved answers, compared and shown", _compared("answers.jsonl"), json_lines_changed,
           seeds.answers, "answers"),
    Target("compare-listing", "kernel listings, compared and shown", _compared("kernels.txt"), listing_changed,
           seeds.listings, "listing"),
    Target("compare-ncu", "ncu exports, compared and shown", _compared("launches.csv"), csv_changed, seeds.exports,
           "ncu"),
    Target("compare-cycles", "per-cycle tables, compared and shown", _compared("job_perf_data.csv"), csv_changed,
           seeds.tables, "cycles"),
)  # fmt: skip
"""A target per reader, and per comparison of its format."""
