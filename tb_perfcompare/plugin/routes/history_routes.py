"""The route about series of runs: what there is, and the history of one."""

from __future__ import annotations

from werkzeug.wrappers import Request, Response

from tb_perfcompare.plugin.http.responses import JSON, is_known, not_modified, respond, tag_of
from tb_perfcompare.plugin.requests.pair_request import flag, row_count
from tb_perfcompare.workspace.listing.history_responses import history_answer
from tb_perfcompare.workspace.workspace import Workspace


def history(workspace: Workspace, request: Request) -> Response:
    """api/history."""
    listing = workspace.listing(rescan=flag(request.args, "rescan", default=False))
    series = request.args.get("series") or ""
    offset = row_count(request.args, "offset", 0)
    tag = tag_of("history", series, listing.points, offset)
    if is_known(request, tag):
        return not_modified(tag)
    found = workspace.histories.of(listing, series) if series else None
    return respond(request, history_answer(listing, found, offset), JSON, tag=tag)
