"""Firefox by Marionette, the protocol that it speaks itself: Playwright drives only a Firefox of its own.

A message is its length, a colon and JSON: [0, number, command, parameters] there, [1, number, error, result] back.
https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
"""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.tab import LOAD_MS, OURS, PLUGIN

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""Key of an element's reference (https://www.w3.org/TR/webdriver2/#elements)."""

_PREFERENCES = {
    "marionette.port": 0,  # any free one, named in a file of the profile
    "browser.shell.checkDefaultBrowser": False,
    "browser.download.folderList": 2,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.disabledForTesting": True,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}
_SELECT = """const [css, value] = arguments; const list = document.querySelector(css); list.value = value;
list.dispatchEvent(new Event('input', {bubbles: true})); list.dispatchEvent(new Event('change', {bubbles: true}));
return list.value;"""
_PICK = """const [css, text] = arguments; const all = [...document.querySelectorAll(css)];
return all.find(one => one.checkVisibility() && one.textContent.includes(text)) ?? null;"""
_ERRORS = """return Services.console.getMessageArray().filter(one => one instanceof Ci.nsIScriptError)
.filter(one => one.sourceName.includes(arguments[0]) && !(one.flags & one.warningFlag))
.map(one => one.errorMessage);"""


class Firefox:
    """One window. Scripts and clicks go to the page, or to our frame in it once it was entered."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received = b""
        self._sent = 0
        self._read()  # its greeting
        self.command("WebDriver:NewSession", strictFileInteractability=True)
        self.command("WebDriver:SetWindowRect", width=1500, height=900)

    def command(self, name: str, **parameters: Any) -> Any:
        """Sends a command and returns its result. Raises AssertionError with Firefox's own message."""
        self._sent += 1
        message = json.dumps([0, self._sent, name, parameters]).encode()
        self._connection.sendall(b"%d:%b" % (len(message), message))
        _, number, error, result = self._read()
        assert number == self._sent
        assert error is None, f"{name}: {error['message']}"
        return result.get("value") if isinstance(result, dict) and "value" in result else result

    def open(self, address: str) -> None:
        """Loads an address and enters our frame in it."""
        self.command("WebDriver:Navigate", url="about:blank")
        self.command("WebDriver:Navigate", url=address)
        self.enter()

    def enter(self) -> None:
        """From TensorBoard's page into our frame."""
        self.leave()
        css = f"iframe[src*='{OURS}']"
        self.until(f'document.querySelector("{css}")')
        frame = self.script("return document.querySelector(arguments[0])", css)
        self.command("WebDriver:SwitchToFrame", element=frame[ELEMENT])

    def leave(self) -> None:
        """Out of our frame."""
        self.command("WebDriver:SwitchToFrame", id=None)

    def address(self) -> str:
        """The page's, from within our frame."""
        self.leave()
        found = self.script("return location.href")
        self.enter()
        return str(found)

    def script(self, body: str, *arguments: Any) -> Any:
        """What the body of a function returns."""
        return self.command("WebDriver:ExecuteScript", script=body, args=list(arguments))

    def until(self, expression: str) -> None:
        """Until a JavaScript expression is true; what it names may not be there yet."""
        deadline = time.monotonic() + LOAD_MS / 1000
        while not self.script(f"try {{ return !!({expression}) }} catch {{ return false }}"):
            assert time.monotonic() < deadline, f"not in time: {expression}"
            time.sleep(0.05)

    def text(self, css: str, has: str = "") -> str:
        """Text of the first visible element that holds `has`, once it is there."""
        self._pick(css, has)
        return str(self.script(_PICK.replace("?? null", "?.innerText"), css, has))

    def click(self, css: str, has: str = "") -> None:
        """A click of the mouse on that element."""
        self.command("WebDriver:ElementClick", id=self._pick(css, has)[ELEMENT])

    def select(self, css: str, value: str) -> None:
        """Chooses an option of a list."""
        self._pick(css, "")
        assert self.script(_SELECT, css, value) == value

    def errors(self) -> list[str]:
        """Errors in scripts of ours, since Firefox began."""
        self.command("Marionette:SetContext", value="chrome")
        found = self.script(_ERRORS, PLUGIN)
        self.command("Marionette:SetContext", value="content")
        return list(found)

    def _pick(self, css: str, has: str) -> dict[str, str]:
        deadline = time.monotonic() + LOAD_MS / 1000
        while not (found := self.script(_PICK, css, has)):
            assert time.monotonic() < deadline, f"no {css} with {has!r}"
            time.sleep(0.05)
        return dict(found)

    def _read(self) -> Any:
        while b":" not in self._received:
            self._receive()
        size, _, self._received = self._received.partition(b":")
        while len(self._received) < int(size):
            self._receive()
        message, self._received = self._received[: int(size)], self._received[int(size) :]
        return json.loads(message)

    def _receive(self) -> None:
        received = self._connection.recv(65536)
        assert received, "Firefox is gone"
        self._received += received


@contextmanager
def started(program: str, folder: Path) -> Iterator[Firefox]:
    """A Firefox without a window, its profile and what it downloads below `folder`."""
    profile = folder / "profile"
    profile.mkdir()
    (folder / "downloads").mkdir()
    preferences = {**_PREFERENCES, "browser.download.dir": str(folder / "downloads")}
    lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items())
    (profile / "user.js").write_text("".join(lines), "utf-8")
    command = [program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*command, "--profile", str(profile)], stdout=log, stderr=subprocess.STDOUT)
    try:
        port = profile / "MarionetteActivePort"
        deadline = time.monotonic() + LOAD_MS / 1000
        while not (port.exists() and port.read_text("ascii").strip()):
            assert process.poll() is None and time.monotonic() < deadline, (folder / "log").read_text(errors="replace")
            time.sleep(0.05)
        with socket.create_connection(("127.0.0.1", int(port.read_text("ascii"))), LOAD_MS / 1000) as connection:
            yield Firefox(connection)
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
