"""Whether a request comes from the server's own page, from a user or a program, or from another site's page.

A page of any site can make its visitors' browsers send GET requests to a server that only they can reach. It cannot
read the answers, but they cost work. Browsers say where a request comes from: in `Sec-Fetch-Site` over https and to
their own machine, else in `Origin` or `Referer`. Whoever sends none of them is taken for a program such as curl. The
tab's own requests carry OWN_HEADER: behind a proxy that gives the server another name, addresses would not fit.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from werkzeug.datastructures import Headers

from tb_perfcompare.errors import PerfCompareError

OWN_HEADER = "X-Perf-Compare"
"""No page can send it to another site without being allowed to, which OPTIONS never does here."""

_OWN = ("same-origin", "none")
"""`none` is a user: an address typed in, a bookmark."""
_PORTS = {"http": 80, "https": 443}


class Forbidden(PerfCompareError):
    """Another site's page makes a browser ask."""

    code = "forbidden"


def check_origin(headers: Headers, *, is_file: bool = False) -> None:
    """Raises Forbidden for a request that a page of another site has sent.

    is_file  what is asked for is a file to save: links on other pages may name it
    """
    if OWN_HEADER in headers:
        return
    site = headers.get("Sec-Fetch-Site")
    if site is not None:
        if site in _OWN or (is_file and _is_followed_link(headers)):
            return
        raise Forbidden("the request comes from a page of another site", hint="open TensorBoard itself and ask there")
    sent_by = headers.get("Origin") or headers.get("Referer")
    if sent_by and _server_of(sent_by) not in _own_servers(headers, sent_by.partition("://")[0]):
        hint = (
            "behind a proxy that gives the server another name, let it pass on the Host header or set X-Forwarded-Host"
        )
        raise Forbidden("the request comes from a page with another address than the server's", hint=hint)


def _is_followed_link(headers: Headers) -> bool:
    return headers.get("Sec-Fetch-Mode") == "navigate" and headers.get("Sec-Fetch-Dest") == "document"


def _own_servers(headers: Headers, scheme: str) -> list[tuple[str, int | None]]:
    """What browsers may know this server by. No page can set these headers for another site."""
    names = [headers.get("Host", ""), *headers.get("X-Forwarded-Host", "").split(",")]
    return [server for name in names if (server := _server_of(f"{scheme}://{name.strip()}"))]


def _server_of(address: str) -> tuple[str, int | None] | None:
    """(host, port); None of what names none, such as the origin `null`."""
    try:
        parts = urlsplit(address)
        return (parts.hostname, parts.port or _PORTS.get(parts.scheme)) if parts.hostname else None
    except ValueError:
        return None
