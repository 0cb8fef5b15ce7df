"""The tab's routes. Everything they do lives below: names in requests.py, work in workspace/, answers in responses.py.

Construction touches nothing; numpy and the readers are imported by the first request that needs them.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorboard.plugins import base_plugin
from werkzeug.wrappers import Request, Response

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.plugin import page
from tb_perfcompare.plugin.logdir import LogdirRoot, TraceProbe, logdir_roots
from tb_perfcompare.plugin.responses import (
    JSON,
    PageNotBuilt,
    check_tag,
    error_dict,
    failure,
    is_known,
    not_modified,
    respond,
    stream,
    tag_of,
    tagged,
)

if TYPE_CHECKING:
    from tb_perfcompare.plugin.requests import SideRequest
    from tb_perfcompare.workspace.flights import Flight
    from tb_perfcompare.workspace.jobs import Side
    from tb_perfcompare.workspace.workspace import Question, Workspace

PLUGIN_NAME = "tb_perfcompare"
TAB_NAME = "Perf Compare"

_PROFILER_PLUGIN = "pytorch_profiler"
_REMOTE = "only local directories can be read; copy the traces or mount the store"
_LINE_EVERY_S = 0.25  # also how soon a browser that has gone is noticed

Handler = Callable[[Request], Response]


class PerfComparePlugin(base_plugin.TBPlugin):  # type: ignore[misc]
    """Compares two profiler runs below the logdir."""

    plugin_name = PLUGIN_NAME

    def __init__(self, context: base_plugin.TBContext) -> None:
        flags = context.flags
        self._context = context
        self._roots = logdir_roots(context.logdir, getattr(flags, "logdir_spec", "") if flags else "")
        self._probe = TraceProbe(self._roots)
        self._opened: Workspace | None = None
        self._lock = threading.Lock()

    def get_plugin_apps(self) -> dict[str, Callable[..., Any]]:
        """Route -> WSGI application."""
        return {
            "/api/runs": _route(self._runs),
            "/api/comparison": _route(self._comparison),
            "/api/table": _route(self._table),
            "/api/view": _route(self._view),
            "/api/report": _route(self._report),
            "/api/strict": _route(self._strict),
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
        """Made at the first request."""
        with self._lock:
            if self._opened is None:
                self._opened = _open_workspace(self._roots)
            return self._opened

    def _runs(self, request: Request) -> Response:
        from tb_perfcompare.plugin.requests import flag, row_count

        listing = self.workspace.listing(rescan=flag(request.args, "rescan", default=False))
        roots = [root.given for root in self._roots]
        remote = tuple((root.given, _REMOTE) for root in self._roots if root.is_remote)
        beside = _PROFILER_PLUGIN in (self._context.plugin_name_to_instance or {})
        page = self.workspace.run_pages.page(listing, roots, remote, beside, row_count(request.args, "offset", 0))
        if is_known(request, page.tag):
            return not_modified(page.tag)
        return respond(request, page.body, JSON, tag=page.tag)

    def _comparison(self, request: Request) -> Response:
        from tb_perfcompare.plugin.requests import flag

        question = self._question(request.args)
        if request.method == "HEAD":
            return respond(request, b"", JSON)
        if flag(request.args, "stream", default=True):
            return stream(request, _Stream(self.workspace, question))
        tag = question.tag()
        if is_known(request, tag):
            return not_modified(tag)
        return respond(request, tagged(self.workspace.pages.first_bytes(question), tag), JSON, tag=tag)

    def _table(self, request: Request) -> Response:
        from tb_perfcompare.plugin.requests import table_request
        from tb_perfcompare.render.pages import table_answer
        from tb_perfcompare.workspace.workspace import Question

        asked = table_request(request.args)
        pair = asked.pair
        question = Question(self._side(pair.baseline), self._side(pair.candidate), pair.options)
        check_tag(request.args.get("tag", ""), question.tag())
        tag = tag_of(question, asked)
        if is_known(request, tag):
            return not_modified(tag)
        table, chosen = self.workspace.pages.of_pair(question, asked.table, asked.rows)
        return respond(request, table_answer(table, chosen, asked.page, asked.row), JSON, tag=tag)

    def _view(self, request: Request) -> Response:
        from tb_perfcompare.comparison.tables.views import VIEWS
        from tb_perfcompare.plugin.requests import choice, view_request
        from tb_perfcompare.render.pages import view_answer

        asked = view_request(request.args)
        view = choice({"view": asked.view}, "view", tuple(VIEWS), asked.view)
        side = self._side(asked.side)
        tag = tag_of(side, asked)
        if is_known(request, tag):
            return not_modified(tag)
        found, table, chosen = self.workspace.pages.of_run(side, asked.window, view, asked.rows)
        body = view_answer(view, found.reading, found.side, table, found.notes, chosen, asked.page)
        return respond(request, body, JSON, tag=tag)

    def _report(self, request: Request) -> Response:
        from tb_perfcompare.plugin.requests import choice
        from tb_perfcompare.render.formats import FORMATS, render

        form = FORMATS[choice(request.args, "format", tuple(FORMATS), "md")]
        table = request.args.get("table") or None
        question = self._question(request.args)
        tag = f"{question.tag()}-{form.name}-{'' if table is None else table.encode().hex()}"
        if is_known(request, tag):
            return not_modified(tag)
        body = render(self.workspace.compare(question), form.name, table=table)
        name = f"perfcompare.{form.extension}"
        return respond(request, body, form.media_type, tag=tag, filename=name)

    def _strict(self, request: Request) -> Response:
        from tb_perfcompare.plugin.requests import strict_request
        from tb_perfcompare.render.pages import table_answer
        from tb_perfcompare.render.strict_pages import strict_first
        from tb_perfcompare.workspace.strict_jobs import CSV, StrictQuestion
        from tb_perfcompare.workspace.strict_jobs import JSON as JSON_FORM

        asked = strict_request(request.args)
        question = StrictQuestion(
            self._side(asked.baseline), self._side(asked.candidate), asked.processes, asked.beta, asked.window,
            JSON_FORM if asked.table else asked.form,
        )  # fmt: skip
        tag = tag_of(question, asked)
        if is_known(request, tag):
            return not_modified(tag)
        if asked.table:
            check_tag(request.args.get("tag", ""), question.tag())
            table, chosen = self.workspace.pages.of_strict(question, asked.table, asked.rows)
            return respond(request, table_answer(table, chosen, asked.page, asked.row), JSON, tag=tag)
        body = self.workspace.strict(question)
        if asked.form == "json":
            return respond(request, tagged(strict_first(body), question.tag()), JSON, tag=tag)
        kind = "text/csv" if asked.form == CSV else "text/markdown; charset=utf-8"
        return respond(request, body, kind, tag=tag, filename=f"strict_comparison.{asked.form}")

    def _static(self, request: Request) -> Response:
        name = request.path.partition("/static/")[2]
        found = page.asset(name)
        if found is None:
            if page.entry_file() == page.STAND_IN:
                raise PageNotBuilt("the page was not built", hint="python setup.py build_frontend builds it")
            return respond(request, b"not found", "text/plain", status=404)
        return respond(request, found.body, found.content_type, keep=found.keep)

    def _question(self, query: Mapping[str, str]) -> Question:
        from tb_perfcompare.plugin.requests import pair_request
        from tb_perfcompare.workspace.workspace import Question

        asked = pair_request(query)
        return Question(self._side(asked.baseline), self._side(asked.candidate), asked.options)

    def _side(self, request: SideRequest) -> Side:
        side = self.workspace.side(request.selection, request.steps, request.launches)
        return replace(side, all_steps=request.all_steps)


class _Stream:
    """The lines of one comparison. The server closes it when the browser has gone, which stops waiting."""

    def __init__(self, workspace: Workspace, question: Question) -> None:
        self._pages = workspace.pages
        self._tag = question.tag()
        self._lines: Generator[bytes, None, None] = self._talk(question)

    def __iter__(self) -> Iterator[bytes]:
        return self._lines

    def close(self) -> None:
        """Called by the server in every case."""
        self._lines.close()

    def _talk(self, question: Question) -> Generator[bytes, None, None]:
        flight = self._pages.first(question)
        try:
            yield from _progress_lines(flight)
            try:
                answer = flight.result()
            except PerfCompareError as error:
                yield _line(error_dict(error))
                return
            yield b'{"result":' + tagged(answer, self._tag) + b"}\n"
        finally:
            self._pages.leave(flight)


def _progress_lines(flight: Flight[bytes]) -> Iterator[bytes]:
    """A first line at once, then what is new, a few times per second; the last line again when nothing is, so that a
    browser that has gone is noticed. Nothing for an answer that is known already."""
    start_s, seen, wait_s = time.monotonic(), 0, 0.0
    lines = [{"phase": "listing", "path": "", "done_bytes": 0, "total_bytes": 0, "events": 0}]
    while not flight.wait(wait_s):
        wait_s = _LINE_EVERY_S
        seen, news = flight.news(seen)
        lines = [_progress_dict(progress) for progress in news] or lines[-1:]
        elapsed_s = round(time.monotonic() - start_s, 3)
        for line in lines:
            yield _line({"progress": {**line, "elapsed_s": elapsed_s}})


def _progress_dict(progress: Any) -> dict[str, Any]:
    return {
        "phase": progress.phase,
        "path": progress.path,
        "done_bytes": progress.done_bytes,
        "total_bytes": progress.total_bytes,
        "events": progress.events,
    }


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _route(handler: Handler) -> Callable[..., Any]:
    """A WSGI application that answers GET and HEAD, and errors for users as JSON. Bugs are left to TensorBoard."""

    @Request.application
    def application(request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            answer = respond(request, b"only GET", "text/plain", status=405)
            answer.headers["Allow"] = "GET, HEAD"
            return answer
        try:
            return handler(request)
        except PerfCompareError as error:
            return failure(request, error)

    return application


def _open_workspace(roots: tuple[LogdirRoot, ...]) -> Workspace:
    from tb_perfcompare.workspace.index import Root
    from tb_perfcompare.workspace.summary_cache import user_cache
    from tb_perfcompare.workspace.workspace import Workspace

    return Workspace([Root(root.path, root.name) for root in roots if not root.is_remote], cache=user_cache())
