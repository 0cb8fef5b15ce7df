"""The route that compares several candidates, one after the other, each sent as a line when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from werkzeug.wrappers import Request, Response

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.errors import Cancelled, PerfCompareError
from tb_perfcompare.plugin.http.connection import Connection
from tb_perfcompare.plugin.http.lines import line, progress_lines
from tb_perfcompare.plugin.http.responses import (
    JSON,
    BadRequest,
    error_dict,
    is_cached_by_client,
    not_modified,
    respond,
    stream,
    tag_of,
)
from tb_perfcompare.plugin.routes.pair_request import SideOf, flag, one_side, window_of
from tb_perfcompare.render.wire import json_encoding as wire
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, cut_to_fit
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest, Side
from tb_perfcompare.workspace.queries.candidates import (
    MAX_CANDIDATES,
    CandidateRow,
    Selected,
    brief,
    candidates_dict,
    row_dict,
    row_of,
    with_adjusted_p,
)
from tb_perfcompare.workspace.sharing.single_flight import wait_for_all
from tb_perfcompare.workspace.workspace import Workspace

_Asked = tuple[Selected, ComparisonRequest | PerfCompareError]
"""A requested candidate, and its comparison request or why there is none."""


def verdicts(workspace: Workspace, side_of: SideOf, request: Request) -> Response:
    """Handles api/verdicts: several candidates, compared with one baseline."""
    options = CompareOptions(window=window_of(request.args))
    baseline = side_of(one_side(request.args, "baseline"))
    asked = [_asked_candidate(side_of, baseline, request.args, name, options) for name in _names(request.args)]
    as_lines = flag(request.args, "stream", default=True)
    if request.method == "HEAD":
        return respond(request, b"", JSON)
    connection = Connection(request.environ)
    if as_lines:
        return stream(request, _stream(workspace, asked, options.alpha, connection))
    tag = tag_of("verdicts", asked)
    if is_cached_by_client(request, tag):
        return not_modified(tag)
    rows, is_final = [], True
    for candidate, resolved in asked:
        if isinstance(resolved, PerfCompareError):
            rows.append(CandidateRow(candidate, None, resolved))
            continue
        with brief(workspace, resolved) as flight:
            wait_for_all([flight], connection.report)
            rows.append(row_of(candidate, flight))
            # not after an error: a file that cannot be read now may be readable later
            is_final = is_final and rows[-1].error is None and not flight.provisional
    return respond(request, _answer(rows, options.alpha), JSON, tag=tag if is_final else "")


def _answer(rows: Sequence[CandidateRow], alpha: float) -> bytes:
    """Encodes the response; shortens extremely long names if it would exceed MAX_BYTES."""
    return cut_to_fit(wire.encode(candidates_dict(with_adjusted_p(tuple(rows), alpha))), MAX_BYTES)


def _stream(
    workspace: Workspace, asked: Sequence[_Asked], alpha: float, connection: Connection
) -> Iterator[bytes]:
    rows: list[CandidateRow] = []
    for number, (candidate, resolved) in enumerate(asked):
        if isinstance(resolved, PerfCompareError):
            rows.append(CandidateRow(candidate, None, resolved))
        else:
            with brief(workspace, resolved) as flight:
                yield from progress_lines(flight, connection, row=number)
                if not flight.done():
                    return
                try:
                    rows.append(row_of(candidate, flight))
                except Cancelled as error:
                    yield line(error_dict(error))
                    return
        encoded = cut_to_fit(wire.encode({"row": number, **row_dict(rows[-1])}), MAX_BYTES // MAX_CANDIDATES)
        yield b'{"row":' + encoded + b"}\n"
    yield b'{"result":' + _answer(rows, alpha) + b"}\n"


def _names(query: Mapping[str, str]) -> list[str]:
    """Returns the parameters given of `candidate_1`, `candidate_2`, ... Raises BadRequest if there is none or a gap."""
    names = [f"candidate_{number}" for number in range(1, MAX_CANDIDATES + 1)]
    given = [name for name in names if query.get(name)]
    if not given or given != names[: len(given)] or query.get(f"candidate_{MAX_CANDIDATES + 1}"):
        hint = f"candidate_1 names the first run, candidate_2 the second, up to {MAX_CANDIDATES}"
        raise BadRequest("the candidates are not numbered from 1 on", hint=hint)
    return given


def _asked_candidate(
    side_of: SideOf, baseline: Side, query: Mapping[str, str], name: str, options: CompareOptions
) -> _Asked:
    side_request = one_side(query, name)
    selection = side_request.selection
    candidate = Selected(selection.run, selection.worker, selection.span, query.get(f"{name}_steps") or None)
    try:
        return candidate, ComparisonRequest(baseline, side_of(side_request), options)
    except PerfCompareError as error:
        return candidate, error
