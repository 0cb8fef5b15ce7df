"""The tab as a test sees it: TensorBoard's page, our frame in it, and everything that frame said or asked for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import quote

from playwright.sync_api import ConsoleMessage, Frame, Locator, Page, Request, Route

PLUGIN = "tb_perfcompare"
OURS = f"name={PLUGIN}"

SLOWER = int(os.environ.get("TB_PERFCOMPARE_SLOWER", "1"))
"""How many times slower the browser runs than it could: shows tests that are too quick for a page that is not."""
LOAD_MS = 60_000 * SLOWER
"""What is waited for comes sooner; on a machine with too much to do a first page took more than half of it."""


def link(**keys: str) -> str:
    """The hash that opens the tab with these keys."""
    return "#" + "&".join([PLUGIN, *(f"p.{PLUGIN}.{key}={quote(value, safe='')}" for key, value in keys.items())])


NO_RUNS = link(a="gone", b="gone too")
NORMAL, ABNORMAL = "cpu_training/normal", "cpu_training/abnormal"
GPU_A, GPU_B = "gpu_training_synthetic/baseline", "gpu_training_synthetic/candidate"
MLU_A, MLU_B = "mlu_training_synthetic/baseline", "mlu_training_synthetic/candidate"
SAVED_A, SAVED_B = "saved_answers_synthetic#1", "saved_answers_synthetic#2"
TABLE_A, TABLE_B = "perf_data_synthetic/normal_perf_data", "perf_data_synthetic/abnormal_perf_data"
LISTING_A, LISTING_B = "kernel_listing_synthetic/before.txt", "kernel_listing_synthetic/after.txt"
HOSTILE_A = "<img src=x onerror='window.hacked = 1'>normal"
HOSTILE_B = "<script>window.hacked = 1<script>abnormal"
SERIES = "nightly/gpu"
NCU_A, NCU_B = "ncu_synthetic/before.csv", "ncu_synthetic/after.csv"

SLOWER_B = ("B is slower", "Slower", "Slower in these two captures: program +")
"""How the verdict of a slower candidate begins."""

SETTLED = """async () => {
    const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    await drawn();
    const moving = document.getAnimations().filter(one => one.effect.getComputedTiming().endTime !== Infinity);
    await Promise.all(moving.map(one => one.finished.catch(() => undefined)));
    await drawn();
}"""


NOTHING_MORE = "for (let last = setTimeout(() => 0); last >= 0; last -= 1) clearTimeout(last)"
"""What the page still meant to write to the address."""


@dataclass
class Tab:
    """One page of TensorBoard. `complaints` are console errors, exceptions and foreign requests of our frame; it is
    `usual` once our frame was loaded with the server's own answers."""

    page: Page
    base: str
    complaints: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    usual: bool = False

    def __post_init__(self) -> None:
        self.page.set_default_timeout(LOAD_MS)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        self.page.on("request", self._request)
        if SLOWER > 1:
            self.page.context.new_cdp_session(self.page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})

    def _console(self, message: ConsoleMessage) -> None:
        url = str(message.location["url"])
        if message.type in ("error", "warning") and PLUGIN in url:
            self.complaints.append(f"console {message.type}: {message.text} {url}")

    def _request(self, request: Request) -> None:
        if request.is_navigation_request():
            return
        local = request.url.startswith((self.base, "blob:", "data:"))
        if not local and OURS in request.frame.url:
            self.complaints.append(f"request off the server: {request.url}")

    def faults(self) -> list[str]:
        """Complaints that the test did not provoke on purpose."""
        return [text for text in self.complaints if not any(part in text for part in self.allowed)]

    def load(self, hash_: str = "") -> Tab:
        """Loads our frame afresh with this hash, and TensorBoard around it unless it shows our tab already."""
        hash_ = hash_ or link()
        if not self.page.url.startswith(f"{self.base}#{PLUGIN}"):
            self.page.goto("about:blank")
            self.page.goto(self.base + hash_)
            return self
        frame = self.frame
        frame.evaluate(NOTHING_MORE)
        self.page.evaluate(
            """hash => {
            history.replaceState(history.state, '', hash);
            document.body.classList.remove('dark-mode');
            localStorage.clear();
        }""",
            hash_,
        )
        with frame.expect_navigation():
            frame.evaluate("location.reload()")
        return self

    def begin_with(self, script: str) -> None:
        """Runs a script in our frame before its own, at the next `load`."""

        def enter(route: Route) -> None:
            answer = route.fetch()
            headers = {key: value for key, value in answer.headers.items() if key != "content-security-policy"}
            route.fulfill(response=answer, headers=headers, body=f"<script>{script}</script>{answer.text()}")

        self.page.route("**/data/plugin_entry.html*", enter)

    def go(self, hash_: str) -> Tab:
        """Edits the address by hand, without loading again."""
        self.page.evaluate("hash => { location.hash = hash }", hash_)
        return self

    @property
    def frame(self) -> Frame:
        for _ in range(LOAD_MS // 50):
            for frame in self.page.frames:
                if "plugin_entry" in frame.url and OURS in frame.url:
                    return frame
            self.page.wait_for_timeout(50)
        raise AssertionError("our frame did not appear")

    def find(self, selector: str, has_text: str | None = None) -> Locator:
        """In our frame."""
        return self.frame.locator(selector, has_text=has_text)

    def wait(self, selector: str) -> Locator:
        """Until it is visible in our frame."""
        found = self.find(selector).first
        found.wait_for(state="visible", timeout=LOAD_MS)
        return found

    def answer(self) -> str:
        """Text of the verdict, once it is there."""
        return self.wait(".verdict h2").inner_text()

    def choose_run(self, side: str, run: str) -> None:
        """Of side `a` or `b`, by its name in the list of runs."""
        self.find(f".side-{side} .run-button").click()
        self.wait(".runs-dialog input").fill(run)
        self.page.keyboard.press("Enter")
        self.until("!document.querySelector('.runs-dialog')")

    def until(self, script: str) -> None:
        """Until a JavaScript expression is true in our frame; what it names may not be there yet."""
        wary = f"(() => {{ try {{ return ({script}) }} catch {{ return false }} }})()"
        self.frame.wait_for_function(wary, timeout=LOAD_MS, polling=20)

    def open(self, tab: str) -> None:
        """A tab of any view, by the controls that a person uses."""
        for view in range(6):
            self.find(".tabs [role=tab]").nth(view).click()
            if self.find(f"#view[data-tab={tab}]").count():
                return
            for rows in range(self.find(".choices .segments button").count()):
                self.find(".choices .segments button").nth(rows).click()
                if self.find(f".group-by option[value={tab}]").count():
                    self.find(".group-by select").select_option(tab)
                if self.find(f"#view[data-tab={tab}]").count():
                    return
        raise AssertionError(f"no way to {tab}")

    def details(self, side: str) -> None:
        """Opens what is chosen of a side beside its run."""
        self.find(f".side-{side} .side-details > button").click()

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def settle(self) -> None:
        """Until what moves has come to rest, and all of it is drawn."""
        self.frame.evaluate(SETTLED)

    def address(self) -> str:
        return str(self.page.evaluate("location.hash"))

    def dark(self, on: bool) -> None:
        """What TensorBoard's own switch does."""
        self.page.evaluate("on => document.body.classList.toggle('dark-mode', on)", on)
        self.until(f"document.documentElement.classList.contains('dark') === {'true' if on else 'false'}")
