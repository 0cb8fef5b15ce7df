"""Parses requests about a pair, and single parameters, with limits.

Imports nothing that computes, as the list of runs and cached responses are sent without that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.options import SIDES, WINDOWS, CompareOptions
from tb_perfcompare.errors import PerfCompareError, SelectionError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.device_peaks import TYPES, GivenPeak, parse_peak
from tb_perfcompare.plugin.http.responses import BadRequest
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest, Side, Steps, parse_steps

LONGEST_MARKER = 1_000
MAX_PEAKS = 2 * (len(TYPES) + 1)
"""One for each data type and one for the memory bandwidth, per side."""

_MAX_WORDS = 32
_NUMBER = regex(r"\d{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class SideRequest:
    """One side by run name; the other fields are as in workspace.inputs.sides.Side, but `launches` names the run to
    attach."""

    selection: Selection
    steps: Steps | None
    launches: str | None = None
    all_steps: bool = False
    marker: str = ""
    kind: str = ""


SideOf = Callable[[SideRequest], Side]
"""The files of a side as they are now."""


def resolve_pair(side_of: SideOf, query: Mapping[str, str]) -> ComparisonRequest:
    """Parses the parameters of api/comparison and api/report. Raises BadRequest, and what `side_of` raises."""
    baseline, candidate = (
        replace(side, launches=query.get(f"{name}_launches") or None)
        for side, name in zip(sides_of(query), SIDES, strict=True)
    )
    options = CompareOptions(window=window_of(query), peaks=peaks_of(query))
    return ComparisonRequest(side_of(baseline), side_of(candidate), options)


def flag(query: Mapping[str, str], name: str, default: bool) -> bool:
    """Parses `1` or `0`; `default` if it is missing. Raises BadRequest for anything else."""
    match query.get(name, ""):
        case "":
            return default
        case "0" | "1" as value:
            return value == "1"
        case value:
            raise BadRequest(f"{name} is {value[:80]!r}", hint="it must be 0 or 1")


def choice(query: Mapping[str, str], name: str, allowed: tuple[str, ...], default: str) -> str:
    """Parses one of the allowed values; `default` if it is missing. Raises BadRequest."""
    value = query.get(name) or default
    if value not in allowed:
        raise BadRequest(f"{name} is {value[:80]!r}", hint=f"it must be one of {', '.join(allowed)}")
    return value


def row_count(query: Mapping[str, str], name: str, default: int, of: str = "rows") -> int:
    """Parses a count; `default` if it is missing; `of` names what is counted. Raises BadRequest."""
    text = query.get(name) or str(default)
    if not _NUMBER.fullmatch(text):
        raise BadRequest(f"{name} is {text[:80]!r}", hint=f"it must be a number of {of}")
    return int(text)


def side_request(query: Mapping[str, str], run: str, worker: str, span: str, steps: str) -> SideRequest:
    """Parses one side; `worker`, `span` and `steps` are the names of the parameters with them. Raises BadRequest."""
    selection = Selection(run, query.get(worker) or None, query.get(span) or None)
    all_steps = flag(query, "all_steps", default=False)
    step_range = _steps(query, steps)
    return SideRequest(
        selection, step_range, all_steps=all_steps, marker=marker_of(query), kind=marker_of(query, "kind")
    )


def _steps(query: Mapping[str, str], name: str) -> Steps | None:
    text = query.get(name)
    if not text:
        return None
    try:
        return parse_steps(text)
    except SelectionError as error:
        raise BadRequest(f"{name}: {error.message}", hint=error.hint) from error


def window_of(query: Mapping[str, str]) -> str:
    """Parses where steps end: `device` or `marker`. Raises BadRequest."""
    return choice(query, "step_window", WINDOWS, WINDOWS[0])


def peaks_of(query: Mapping[str, str]) -> tuple[GivenPeak, ...]:
    """Parses peak rates such as `bf16=989,candidate:memory=3350`. Raises BadRequest."""
    texts = [text for text in (query.get("peaks") or "").split(",") if text]
    if len(texts) > MAX_PEAKS:
        raise BadRequest("peaks is too long", hint=f"at most {MAX_PEAKS} figures are taken")
    try:
        return tuple(map(parse_peak, texts))
    except PerfCompareError as error:
        raise BadRequest(f"peaks: {error.message}", hint=error.hint) from error


def marker_of(query: Mapping[str, str], name: str = "step_marker") -> str:
    """Returns a step marker (an origin or a name pattern; "" for the default). Raises BadRequest if it is too long."""
    marker = query.get(name) or ""
    if len(marker) > LONGEST_MARKER:
        raise BadRequest(f"{name} is too long", hint=f"at most {LONGEST_MARKER:,} characters are taken")
    return marker


def words_of(query: Mapping[str, str], name: str) -> str:
    """Parses words to search for, "" for none. Raises BadRequest if there are too many."""
    words = query.get(name) or ""
    if len(words.split()) > _MAX_WORDS:
        raise BadRequest(f"{name} has {len(words.split())} words", hint=f"at most {_MAX_WORDS} are taken")
    return words


def one_side(query: Mapping[str, str], side: str) -> SideRequest:
    """Parses the side called `side`: `baseline`, `baseline_worker`, `baseline_span` and `baseline_steps`. Raises
    BadRequest."""
    return side_request(query, required(query, side), f"{side}_worker", f"{side}_span", f"{side}_steps")


def sides_of(query: Mapping[str, str]) -> list[SideRequest]:
    """Parses [baseline, candidate]. Raises BadRequest."""
    return [one_side(query, side) for side in SIDES]


def required(query: Mapping[str, str], name: str, hint: str = "it must name a run that api/runs lists") -> str:
    """Returns a parameter's value. Raises BadRequest if it is missing or empty."""
    value = query.get(name)
    if not value:
        raise BadRequest(f"{name} is missing", hint=hint)
    return value
