"""Refuses requests from pages of other sites.

A page of any site can make its visitors' browsers send GET requests to a server that only they can reach. It cannot
read the responses, but they cost work. Browsers say where a request comes from: in `Sec-Fetch-Site` over https and to
localhost, else in `Origin` or `Referer`. A request with none of these headers counts as sent by a program such as curl.
The tab's own requests carry OWN_HEADER, as addresses do not match behind a proxy that gives the server another name.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from werkzeug.datastructures import Headers

from tb_perfcompare.errors import PerfCompareError

OWN_HEADER = "X-Perf-Compare"
"""Pages of other sites cannot send it: browsers first ask by OPTIONS (CORS), which is never granted here."""

_OWN = ("same-origin", "none")
"""`none` means the user: an address typed in, a bookmark."""
_PORTS = {"http": 80, "https": 443}


class Forbidden(PerfCompareError):
    """The request was sent by a page of another site."""

    code = "forbidden"


def check_origin(headers: Headers, *, is_file: bool = False) -> None:
    """Raises Forbidden for a request that a page of another site has sent.

    is_file  the response is a file to save, so that followed links on other pages are allowed
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
    """Hosts and ports under which browsers may know this server, from headers that no page can set for another site."""
    names = [headers.get("Host", ""), *headers.get("X-Forwarded-Host", "").split(",")]
    return [server for name in names if (server := _server_of(f"{scheme}://{name.strip()}"))]


def _server_of(address: str) -> tuple[str, int | None] | None:
    """Returns (host, port) of an address; None if it has no host, such as the origin `null`."""
    try:
        parts = urlsplit(address)
        return (parts.hostname, parts.port or _PORTS.get(parts.scheme)) if parts.hostname else None
    except ValueError:
        return None
