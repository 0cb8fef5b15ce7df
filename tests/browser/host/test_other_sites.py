"""What a real browser sends for a page of another site, and what comes of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.tab import ABNORMAL, NORMAL, PLUGIN


class EmptyPage(BaseHTTPRequestHandler):
    """Another site."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(accept_downloads=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def elsewhere(page: Page) -> Iterator[Page]:
    """A page of another server of this machine, which is another site by its name."""
    with ThreadingHTTPServer(("127.0.0.1", 0), EmptyPage) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        page.goto(f"http://localhost:{other.server_port}/")
        yield page
        other.shutdown()


ASKS = {
    "fetch": "url => { void fetch(url, { mode: 'no-cors' }) }",
    "secret fetch": "url => { void fetch(url, { mode: 'no-cors', referrerPolicy: 'no-referrer' }) }",
    "frame": "url => { document.body.append(Object.assign(document.createElement('iframe'), { src: url })) }",
}


def test_no_page_elsewhere_makes_the_server_look(elsewhere: Page, server: str) -> None:
    url = f"{server}data/plugin/{PLUGIN}/api/runs?rescan=1"
    for way, ask in ASKS.items():
        with elsewhere.expect_response(url) as answer:
            elsewhere.evaluate(ask, url)
        assert answer.value.status == 403, way


def test_a_link_elsewhere_opens_the_report(elsewhere: Page, server: str) -> None:
    pair = urlencode({"baseline": NORMAL, "candidate": ABNORMAL})
    url = f"{server}data/plugin/{PLUGIN}/api/report?{pair}"
    elsewhere.evaluate(
        "url => document.body.append(Object.assign(document.createElement('a'), { href: url, text: 'x' }))", url
    )
    with elsewhere.expect_download() as download:
        elsewhere.click("a")
    assert "# " in Path(download.value.path()).read_text()
