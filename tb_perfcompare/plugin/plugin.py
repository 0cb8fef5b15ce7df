"""The tab's routes. Everything they do lives below: names in requests.py, work in workspace/, answers in responses.py.

Construction touches nothing; what computes is imported by the first request that needs it (lazy_workspace.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorboard.plugins import base_plugin
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Request, Response

from tb_perfcompare.errors import REFUSED_MEMORY, PerfCompareError, out_of_memory
from tb_perfcompare.plugin.http import static_assets as page
from tb_perfcompare.plugin.http.origin import check_origin
from tb_perfcompare.plugin.http.responses import (
    JSON,
    BadRequest,
    PageNotBuilt,
    failure,
    is_known,
    not_modified,
    respond,
)
from tb_perfcompare.plugin.lazy_workspace import Opening
from tb_perfcompare.plugin.logdir import TraceProbe, logdir_roots

if TYPE_CHECKING:
    from tb_perfcompare.plugin.requests.pair_request import SideRequest
    from tb_perfcompare.workspace.inputs.sides import Side
    from tb_perfcompare.workspace.workspace import Workspace


PLUGIN_NAME = "tb_perfcompare"
TAB_NAME = "Perf Compare"

_PROFILER_PLUGIN = "pytorch_profiler"
_REMOTE = "no store this tool opens; copy the traces or mount the store"

LONGEST_VALUE = 4096
LONGEST_NAME = 64
MOST_PARAMETERS = 32
MOST_FOR_SEVERAL = 96
"""Twenty candidates of up to four parameters each, and what else a question has."""

_COMPUTED = (
    "table", "row", "rows", "row_paths", "view", "report", "strict", "step", "step_event", "step_area", "trace",
    "history",
)  # fmt: skip
_FILES = {"report", "strict", "trace"}
"""Routes of routes/computed_routes.py, and those whose answers are files to save."""

Handler = Callable[[Request], Response]


class PerfComparePlugin(base_plugin.TBPlugin):  # type: ignore[misc]
    """Compares two profiler runs below the logdir."""

    plugin_name = PLUGIN_NAME

    def __init__(self, context: base_plugin.TBContext) -> None:
        flags = context.flags
        self._context = context
        self._roots = logdir_roots(context.logdir, getattr(flags, "logdir_spec", "") if flags else "")
        self._probe = TraceProbe(self._roots)
        self._opening = Opening(self._roots)

    def get_plugin_apps(self) -> dict[str, Callable[..., Any]]:
        """Route -> WSGI application."""
        computed = {f"/api/{name}": _api(self._computed, is_file=name in _FILES) for name in _COMPUTED}
        return {
            "/api/runs": _api(self._runs),
            "/api/comparison": _api(self._comparison),
            **computed,
            "/api/verdicts": _api(self._computed, most=MOST_FOR_SEVERAL),
            "/static/*": _route(self._static),
        }

    def is_active(self) -> bool:
        """Whether there is any trace; True from the first one on."""
        return self._probe.found()

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        """The module is looked up at each call: its name changes when the package is upgraded."""
        return base_plugin.FrontendMetadata(es_module_path=f"/static/{page.entry_file()}", tab_name=TAB_NAME)

    @property
    def workspace(self) -> Workspace:
        """What computes; made when it is first needed."""
        return self._opening.workspace

    def close(self) -> None:
        """Ends all processes."""
        self._opening.close()

    def _runs(self, request: Request) -> Response:
        from tb_perfcompare.plugin.requests.pair_request import flag, row_count

        listing = self._opening.listing(rescan=flag(request.args, "rescan", default=False))
        roots = [root.given for root in self._roots]
        remote = tuple((root.given, _REMOTE) for root in self._roots if not root.is_opened)
        beside = _PROFILER_PLUGIN in (self._context.plugin_name_to_instance or {})
        offset = row_count(request.args, "offset", 0)
        page = self._opening.run_pages.page(listing, roots, remote, beside, offset, self._opening.known)
        known = is_known(request, page.tag)
        answer = not_modified(page.tag) if known else respond(request, page.body, JSON, tag=page.tag)
        answer.call_on_close(self._opening.open_ahead)
        return answer

    def _comparison(self, request: Request) -> Response:
        from tb_perfcompare.plugin.routes import comparison_route

        return comparison_route.comparison(self._opening.first, self._side, request)

    def _computed(self, request: Request) -> Response:
        """Imports the routes when one of them is first asked for."""
        from tb_perfcompare.plugin.routes.computed_routes import ROUTES

        return ROUTES[request.path.rpartition("/")[2]](self.workspace, self._side, request)

    def _static(self, request: Request) -> Response:
        name = request.path.partition("/static/")[2]
        found = page.asset(name)
        if found is None:
            if page.entry_file() == page.STAND_IN:
                raise PageNotBuilt("the page was not built", hint="python setup.py build_frontend builds it")
            return respond(request, b"not found", "text/plain", status=404)
        return respond(request, found.body, found.content_type, keep=found.keep)

    def _side(self, request: SideRequest) -> Side:
        side = self._opening.index.side(request.selection, request.steps, request.launches)
        every = side.all_steps or request.all_steps
        return replace(side, all_steps=every, marker=request.marker, kind=request.kind or side.kind)


def _api(handler: Handler, *, most: int = MOST_PARAMETERS, is_file: bool = False) -> Callable[..., Any]:
    """`_route` for what costs work, which no other site's page may ask for."""

    def own(request: Request) -> Response:
        check_origin(request.headers, is_file=is_file)
        return handler(request)

    return _route(own, most)


def _route(handler: Handler, most: int = MOST_PARAMETERS) -> Callable[..., Any]:
    """A WSGI application that answers GET and HEAD, and errors for users as JSON. Bugs are left to TensorBoard."""

    @Request.application
    def application(request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            answer = respond(request, b"only GET", "text/plain", status=405)
            answer.headers["Allow"] = "GET, HEAD"
            return answer
        try:
            _check_parameters(request.args, most)
            return handler(request)
        except PerfCompareError as error:
            return failure(request, error)
        except REFUSED_MEMORY as error:
            refused = out_of_memory(error)
            if refused is None:
                raise
            return failure(request, refused)

    return application


def _check_parameters(query: MultiDict[str, str], most: int = MOST_PARAMETERS) -> None:
    """Limits of a query string, whatever it asks. Raises BadRequest for too many parameters, for names and values that
    are too long or hold a NUL, and for one that is given twice: two readers could take different ones."""
    given = list(query.items(multi=True))
    if len(given) > most:
        raise BadRequest(f"{len(given)} parameters", hint=f"at most {most} are taken")
    for name, value in given:
        if len(name) > LONGEST_NAME or "\0" in name:
            raise BadRequest(f"{name[:80]!r} is not a parameter", hint=f"names have at most {LONGEST_NAME} characters")
        if len(value) > LONGEST_VALUE or "\0" in value:
            hint = f"values have at most {LONGEST_VALUE} characters and no NUL"
            raise BadRequest(f"the value of {name} is not accepted", hint=hint)
    names = [name for name, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadRequest(f"{twice} is given twice", hint="give it once")
