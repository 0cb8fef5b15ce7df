"""The routes that compute, by the last part of their path."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from werkzeug.wrappers import Request, Response

from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.plugin.http.responses import tag_of
from tb_perfcompare.plugin.routes import pair_routes, step_routes
from tb_perfcompare.plugin.routes.candidate_routes import verdicts
from tb_perfcompare.plugin.routes.comparison_route import respond_if_changed
from tb_perfcompare.plugin.routes.pair_request import SideOf, flag, row_count
from tb_perfcompare.workspace.listing.history_responses import history_answer
from tb_perfcompare.workspace.workspace import Workspace


def history(workspace: Workspace, _: SideOf, request: Request) -> Response:
    """Handles api/history: all series, and the history of one of them."""
    listing = workspace.listing(rescan=flag(request.args, "rescan", default=False))
    series = request.args.get("series") or ""
    offset = row_count(request.args, "offset", 0)

    def make(_: Reporter) -> tuple[bytes, bool]:
        points = workspace.histories.of(listing, series) if series else None
        return history_answer(listing, points, offset), False

    return respond_if_changed(request, tag_of("history", series, listing.points, offset), make)


ROUTES: Mapping[str, Callable[[Workspace, SideOf, Request], Response]] = {
    "table": pair_routes.table,
    "row": pair_routes.row,
    "rows": pair_routes.rows,
    "row_paths": pair_routes.row_paths,
    "view": pair_routes.view,
    "report": pair_routes.report,
    "strict": pair_routes.strict,
    "step": step_routes.step,
    "step_event": step_routes.step_event,
    "step_area": step_routes.step_area,
    "trace": step_routes.trace,
    "history": history,
    "verdicts": verdicts,
}
