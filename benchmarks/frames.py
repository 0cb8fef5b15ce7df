"""Measures how smoothly the tab moves in a real browser: time between animation frames, time to switch the grouping.

    python -m benchmarks.frames            prints a table
    python -m benchmarks.frames --write    also puts it into benchmarks/results.md

TensorBoard serves a generated pair with 50,000 different kernels, 5,000 operators and 720,000 events per side; headless
Chromium draws it without a GPU. A frame is late if it takes longer than two frames of a 60 Hz screen.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from urllib.parse import quote

from playwright.sync_api import Browser, Frame, Page, sync_playwright

from benchmarks import document
from benchmarks.figures import table
from benchmarks.served import Served, served
from benchmarks.wide_traces import Wide, write_pair

WIDE = Wide(steps=2, layers=60_000, kernels=50_000, operators=5_000, modules=5_000)
FRAMES = 180
LATE_MS = 2 * 1000 / 60 + 1
LOAD_MS = 180_000
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")

_MOVED = """([move, count]) => new Promise(done => {
    const step = new Function('n', 'count', move), times = [];
    let n = 0;
    const frame = now => {
        times.push(now);
        if (n === count) return done(times);
        step(n, count);
        n += 1;
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
})"""
"""Calls `move` once in every frame; returns the times of the frames in milliseconds."""


GROUPINGS = {"operators_by_shape": "60,000 rows by input shape", "operators": "5,000 operators by name"}
SWITCHES = 40
_SWITCHED = """async ([groupings, count]) => {
    const frame = () => new Promise(requestAnimationFrame), times = [];
    const drawn = async (rows, from) => {
        while (!document.querySelector(rows)) {
            if (performance.now() - from > 20000) throw new Error(`no ${rows}`);
            await frame();
        }
        await frame(); // in which they are drawn
        return performance.now() - from;
    };
    for (let n = 1; n <= count; n += 1) {
        await new Promise(done => setTimeout(done, 300)); // the page rests before it is asked again
        const name = groupings[(n - 1) % 2], from = performance.now(), table = `#view[data-tab=${name}] .table-view`;
        // another smallest difference, so that the rows are not those that the page has kept
        parent.location.hash = parent.location.hash.replace(/[.]tab=[^&]*/, '.tab=' + name)
            .replace(/[.]min=[^&]*/, `.min=${n}e-12`);
        const first = await drawn(`${table} .grid-body .row`, from);
        times.push([first, await drawn(`${table}[aria-busy=false] .grid-body .row`, from)]);
    }
    return times;
}"""
"""Switches between two groupings; returns for each switch the milliseconds until its first rows are drawn, and until
the server has filtered all rows."""


_SHOWN = """window.shownAt = new Promise(done => {
    const look = () => {
        if (document.querySelector('.verdict h2')) setTimeout(() => done(performance.now()));  // drawn
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
})"""
"""Notes in the page itself when the verdict was drawn, to exclude the round trip of a query from this process."""


@dataclass(frozen=True, slots=True)
class Motion:
    """One movement to measure: its title, the address's keys, the selector to wait for, and the code per frame."""

    what: str
    keys: dict[str, str]
    ready: str
    move: str


_POINT = "const box = target.getBoundingClientRect(), x = box.left + box.width * (0.2 + 0.6 * n / count)"
MOTIONS = (
    Motion(
        "scrolling a table of 50,000 kernels, 11 rows per frame", {"tab": "kernels", "min": "0"}, ".grid-body .row",
        "document.querySelector('.grid').scrollTop += 308",
    ),
    Motion(
        "scrolling it from end to end, 280 rows per frame", {"tab": "kernels", "min": "0"}, ".grid-body .row",
        "document.querySelector('.grid').scrollTop = n / count * 50000 * 28",
    ),
    Motion(
        "zooming both step timelines, 360,000 events each", {"tab": "timelines"}, ".st[aria-busy=false] .st-canvas",
        f"const target = document.querySelector('.st-canvas'); {_POINT};"
        "target.dispatchEvent(new WheelEvent('wheel', {deltaY: n < count / 2 ? -60 : 60, clientX: x,"
        " clientY: box.top + 20, bubbles: true, cancelable: true, ctrlKey: true}))",
    ),
    Motion(
        "pointing along the flame graph", {"tab": "call_tree"}, ".flame-canvas",
        f"const target = document.querySelector('.flame-canvas'); {_POINT};"
        "target.dispatchEvent(new PointerEvent('pointermove', {clientX: x, clientY: box.top + 40, bubbles: true}))",
    ),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frames", description="How smoothly the tab moves.")
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results.md")
    options = parser.parse_args(arguments)
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser_path is None:
        print("no chromium on PATH", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        write_pair(Path(folder), WIDE)
        with served(Path(folder)) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path, args=list(FLAGS))
            text = measured(browser, server)
            browser.close()
    print(text)
    if options.write:
        document.replace(document.RESULTS, "frames", text)
    return 0


def measured(browser: Browser, server: Served) -> str:
    """Measures everything; returns the tables with a line about the machine."""
    page = browser.new_page(viewport={"width": 1500, "height": 900})
    opened(page, server, {}, ".verdict h2")  # reads the pair
    moved = []
    for motion in MOTIONS:
        frame = opened(page, server, motion.keys, motion.ready)
        page.wait_for_timeout(1000)
        took = frame_times_ms(frame, motion.move)
        late = sum(time_ms > LATE_MS for time_ms in took)
        at95 = sorted(took)[int(0.95 * len(took))]
        moved.append([motion.what, f"{median(took):.1f}", f"{at95:.1f}", f"{max(took):.0f}", f"{late} of {len(took)}"])
    frame = opened(page, server, {"tab": "operators", "min": "0"}, ".grid-body .row")
    page.wait_for_timeout(1000)
    switched = frame.evaluate(_SWITCHED, [list(GROUPINGS), SWITCHES])
    page.close()
    total_s, tab_s = [], []
    for _ in range(5):
        context = browser.new_context(viewport={"width": 1500, "height": 900})
        context.add_init_script(_SHOWN)
        start_s = time.monotonic()
        frame = opened(context.new_page(), server, {})
        tab_s.append(frame.evaluate("shownAt") / 1000)  # since the frame of the tab began to load
        total_s.append(time.monotonic() - start_s)
        context.close()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    switches = []
    for at, grouping in enumerate(GROUPINGS.values()):
        first, all_rows = zip(*switched[at::2], strict=True)
        figures = median(first), max(first), median(all_rows), max(all_rows)
        switches.append([grouping, *(f"{ms:.0f}" for ms in figures)])
    grouping_head = ("grouping", "first rows: median, ms", "longest, ms", "all rows: median, ms", "longest, ms")
    return "\n\n".join([
        table(("what moves", "median, ms", "95th percentile, ms", "longest, ms", "late frames"), moved),
        f"Time from choosing another grouping of the operators ({SWITCHES} times, alternately) to its first rows, "
        "which came with the comparison, and to the rows that the server chose from all:",
        table(grouping_head, switches),
        f"A new browser shows the cached answer of this pair {median(tab_s):.2f} s after the tab begins to load and "
        f"{median(total_s):.2f} s after the address was entered; TensorBoard's own page takes the rest (medians of "
        f"five). Measured on {cores} cores ({platform.machine()}), {FRAMES} frames each, "
        "drawn without a graphics card.",
    ])  # fmt: skip


def opened(page: Page, server: Served, keys: dict[str, str], ready: str = "") -> Frame:
    """Opens the tab; returns its frame once an element matching `ready` is visible, or at once for "", as waiting costs
    the page 15 ms."""
    pair = {"a": "normal", "b": "abnormal", **keys}
    state = "&".join(f"p.tb_perfcompare.{key}={quote(value, safe='')}" for key, value in pair.items())
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{server.port}/#tb_perfcompare&{state}")
    until_s = time.monotonic() + LOAD_MS / 1000
    while time.monotonic() < until_s:
        for frame in page.frames:
            if "plugin_entry" in frame.url and "name=tb_perfcompare" in frame.url:
                if ready:
                    frame.locator(ready).first.wait_for(state="visible", timeout=LOAD_MS)
                return frame
        page.wait_for_timeout(20)
    raise RuntimeError("the tab did not open")


def frame_times_ms(frame: Frame, move: str) -> list[float]:
    """Returns the FRAMES times between consecutive frames, in milliseconds."""
    moments = frame.evaluate(_MOVED, [move, FRAMES])
    return [after - before for before, after in pairwise(moments)]


if __name__ == "__main__":
    sys.exit(main())
