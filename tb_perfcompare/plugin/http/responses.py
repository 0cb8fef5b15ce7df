"""HTTP responses with the headers that TensorBoard requires (nosniff, policy for HTML), ETags, gzip and error codes."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import Any

from tensorboard.backend import http_util
from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request, Response

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.result.controls import for_page
from tb_perfcompare.errors import Cancelled, InputError, NotComparable, OutOfMemory, PerfCompareError, SelectionError
from tb_perfcompare.plugin.http.origin import Forbidden
from tb_perfcompare.sources.storage.deflate import LIBRARY

JSON = "application/json"
LINES = "application/x-ndjson"

_YEAR_S = 365 * 24 * 3600


class BadRequest(PerfCompareError):
    """A parameter is missing or invalid."""

    code = "bad_request"


class Changed(PerfCompareError):
    """The files have changed since the response that the request continues."""

    code = "changed"


class PageNotBuilt(PerfCompareError):
    """The package was installed without its built page."""

    code = "page_not_built"


def status_of(error: PerfCompareError) -> int:
    match error:
        case BadRequest():
            return 400
        case Forbidden():
            return 403
        case SelectionError():
            return 404
        case Changed():
            return 409
        case InputError() | NotComparable():
            return 422
        case PageNotBuilt() | Cancelled() | OutOfMemory():
            return 503
        case _:
            return 500


def error_dict(error: PerfCompareError) -> dict[str, dict[str, str]]:
    """Returns an error as a JSON object."""
    return {"error": {"code": error.code, "message": for_page(error.message), "hint": for_page(error.hint)}}


def respond(
    request: Request, body: bytes, content_type: str, *, status: int = 200, tag: str = "", filename: str = "",
    keep: bool = False,
) -> Response:  # fmt: skip
    """Builds a complete response, compressed if the browser accepts that.

    tag       ETag, for later requests with If-None-Match (weak, as the compressed form has other bytes)
    filename  name under which the browser saves the response; "": not saved
    keep      the body under this address never changes: browsers may cache it for a year
    """
    headers = [("ETag", f'W/"{tag}"')] if tag else []
    if filename:
        headers.append(("Content-Disposition", f'attachment; filename="{filename}"'))
    sent, encoding = (_packed(body), "gzip") if keep else (body, None)
    response: Response = http_util.Respond(
        request, sent, content_type, code=status, expires=_YEAR_S if keep else 0, headers=headers,
        content_encoding=encoding,
    )  # fmt: skip
    response.headers["Vary"] = "Accept-Encoding"
    return response


_packed = lru_cache(maxsize=64)(partial(gzip.compress, mtime=0))


def tag_of(*values: object) -> str:
    """Hash of the values that a response depends on, by their `repr`, and of the version."""
    return hashlib.sha256(repr((__version__, *values)).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def tagged(body: bytes, tag: str) -> bytes:
    """Inserts the tag as first member of an encoded JSON object."""
    return b'{"tag":"' + tag.encode("ascii") + b'",' + body[1:]


def check_tag(given: str, tag: str) -> None:
    """Raises Changed if `given` differs from `tag`; an empty `given` matches any."""
    if given not in ("", tag):
        raise Changed("the files have changed since the comparison was made", hint="load the comparison again")


def is_cached_by_client(request: Request, tag: str) -> bool:
    """Whether the browser has the response with this tag already."""
    return bool(request.if_none_match.contains_weak(tag))


def not_modified(tag: str) -> Response:
    headers = {"ETag": f'W/"{tag}"', "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache, must-revalidate"}
    return _Unchanged(status=304, headers=headers, content_type=JSON)


class _Unchanged(Response):
    """A 304 response that keeps its content type; without one TensorBoard logs a warning each time."""

    def get_wsgi_headers(self, environ: Any) -> Headers:
        headers = super().get_wsgi_headers(environ)
        headers["Content-Type"] = JSON
        return headers


def failure(request: Request, error: PerfCompareError) -> Response:
    """Builds the response for an error: JSON, with its status."""
    return respond(request, json.dumps(error_dict(error)).encode(), JSON, status=status_of(error))


def stream(request: Request, lines: Iterable[bytes]) -> Response:
    """Builds a response that sends each line as soon as it is produced."""
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.accept_encodings.best_match(["gzip"]):
        headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        lines = _compressed(lines)
    return Response(lines, headers=headers, content_type=LINES)


def _compressed(lines: Iterable[bytes]) -> Iterator[bytes]:
    packer = LIBRARY.compressobj(2, LIBRARY.DEFLATED, 31)
    for line in lines:
        yield packer.compress(line) + packer.flush(LIBRARY.Z_SYNC_FLUSH)
    yield packer.flush()
