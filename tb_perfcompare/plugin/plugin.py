"""The TensorBoard plugin and its routes. routes/ parses their parameters, workspace/ computes, http/ responds.

Construction touches no files; modules that compute are imported at the first request that needs them
(lazy_workspace.py).
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
    is_cached_by_client,
    not_modified,
    respond,
)
from tb_perfcompare.plugin.lazy_workspace import LazyWorkspace
from tb_perfcompare.plugin.logdir import TraceProbe, logdir_roots

if TYPE_CHECKING:
    from tb_perfcompare.plugin.routes.pair_request import SideRequest
    from tb_perfcompare.workspace.inputs.sides import Side
    from tb_perfcompare.workspace.workspace import Workspace


PLUGIN_NAME = "tb_perfcompare"
TAB_NAME = "Perf Compare"

_PROFILER_PLUGIN = "pytorch_profiler"
_REMOTE = "no store this tool opens; copy the traces or mount the store"

LONGEST_VALUE = 4096
LONGEST_NAME = 64
MAX_PARAMETERS = 32
MAX_PARAMETERS_OF_VERDICTS = 96
"""For twenty candidates with up to four parameters each, and other parameters."""

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
        self._opening = LazyWorkspace(self._roots)

    def get_plugin_apps(self) -> dict[str, Callable[..., Any]]:
        """Route -> WSGI application."""
        computed = {f"/api/{name}": _api(self._computed, is_file=name in _FILES) for name in _COMPUTED}
        return {
            "/api/runs": _api(self._runs),
            "/api/comparison": _api(self._comparison),
            **computed,
            "/api/verdicts": _api(self._computed, most=MAX_PARAMETERS_OF_VERDICTS),
            "/static/*": _route(self._static),
        }

    def is_active(self) -> bool:
        """Whether TensorBoard should show the tab: a trace was found below the logdir."""
        return self._probe.found()

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        """Tells TensorBoard which JavaScript module to load. Looked up at each call, as its name changes when the
        package is upgraded."""
        return base_plugin.FrontendMetadata(es_module_path=f"/static/{page.entry_file()}", tab_name=TAB_NAME)

    @property
    def workspace(self) -> Workspace:
        """The workspace, created at first use."""
        return self._opening.workspace

    def close(self) -> None:
        """Ends all worker processes."""
        self._opening.close()

    def _runs(self, request: Request) -> Response:
        from tb_perfcompare.plugin.routes.pair_request import flag, row_count

        listing = self._opening.index.listing(rescan=flag(request.args, "rescan", default=False))
        roots = [root.given for root in self._roots]
        remote = tuple((root.given, _REMOTE) for root in self._roots if not root.is_opened)
        has_profiler_tab = _PROFILER_PLUGIN in (self._context.plugin_name_to_instance or {})
        offset = row_count(request.args, "offset", 0)
        page = self._opening.run_pages.page(listing, roots, remote, has_profiler_tab, offset, self._opening.known)
        is_cached = is_cached_by_client(request, page.tag)
        response = not_modified(page.tag) if is_cached else respond(request, page.body, JSON, tag=page.tag)
        response.call_on_close(self._opening.prestart)
        return response

    def _comparison(self, request: Request) -> Response:
        from tb_perfcompare.plugin.routes import comparison_route

        return comparison_route.comparison(self._opening.first, self._side, request)

    def _computed(self, request: Request) -> Response:
        """Answers a route that computes; imports those routes at the first request for one of them, if there is address
        space for them: an import without it may end in any error."""
        from tb_perfcompare.workspace.workers.limits import check_address_space

        check_address_space()
        from tb_perfcompare.plugin.routes.computed_routes import ROUTES

        return ROUTES[request.path.rpartition("/")[2]](self.workspace, self._side, request)

    def _static(self, request: Request) -> Response:
        name = request.path.partition("/static/")[2]
        asset = page.asset(name)
        if asset is None:
            if page.entry_file() == page.PLACEHOLDER:
                raise PageNotBuilt("the page was not built", hint="python setup.py build_frontend builds it")
            return respond(request, b"not found", "text/plain", status=404)
        return respond(request, asset.body, asset.content_type, keep=asset.keep)

    def _side(self, request: SideRequest) -> Side:
        side = self._opening.index.side(request.selection, request.steps, request.launches)
        all_steps = side.all_steps or request.all_steps
        return replace(side, all_steps=all_steps, marker=request.marker, kind=request.kind or side.kind)


def _api(handler: Handler, *, most: int = MAX_PARAMETERS, is_file: bool = False) -> Callable[..., Any]:
    """`_route` that refuses requests from pages of other sites, as the work costs CPU time."""

    def checked(request: Request) -> Response:
        check_origin(request.headers, is_file=is_file)
        return handler(request)

    return _route(checked, most)


def _route(handler: Handler, most: int = MAX_PARAMETERS) -> Callable[..., Any]:
    """Wraps a handler as a WSGI application for GET and HEAD that returns PerfCompareErrors as JSON. Other exceptions
    are left to TensorBoard."""

    @Request.application
    def application(request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            response = respond(request, b"only GET", "text/plain", status=405)
            response.headers["Allow"] = "GET, HEAD"
            return response
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


def _check_parameters(query: MultiDict[str, str], most: int = MAX_PARAMETERS) -> None:
    """Raises BadRequest for too many parameters, for names and values that are too long or contain a NUL, and for
    duplicates, as it would depend on the code which of them is used."""
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
