"""Both themes, narrow frames, accessibility, the strict content policy, and pictures for people to look at."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from playwright.sync_api import Route

from tests.browser.states.test_states import runs_answer
from tests.browser.tab import ABNORMAL, GPU_A, GPU_B, LISTING_A, LISTING_B, NORMAL, SERIES, TABLE_A, TABLE_B, Tab, link

PICTURES = os.environ.get("TB_PERFCOMPARE_SCREENSHOTS")
"""The directory for pictures for people to look at; none are taken without it."""
FEW_ROWS = {} if PICTURES else {"q": "gpu_frequency"}
"""They are all alike; pictures show all."""

VIEWS = {
    "summary": (link(), ".waterfall"),
    "part": (link(a=GPU_A, b=GPU_B, cat="Kernel"), ".entries"),
    "kernels": (link(a=GPU_A, b=GPU_B, tab="kernels", min="0"), ".grid-body .row"),
    "steps": (link(tab="steps"), ".grid-body .row"),
    "scatter": (link(a=LISTING_A, b=LISTING_B, tab="kernels"), ".scatter svg[role=img]"),
    "timeline": (link(a=LISTING_A, b=LISTING_B, tab="launches"), ".timeline-canvas"),
    "flame": (link(a=GPU_A, b=GPU_B, tab="call_tree", q="gemm", min="0"), ".flame-path"),
    "memory": (link(tab="memory"), ".memory-box svg"),
    "stacks": (link(a=GPU_A, b=GPU_B, tab="steps", asteps="7-9"), ".stacks-box svg"),
    "step_timelines": (link(a=GPU_A, b=GPU_B, tab="timelines", ev="a:12"), ".st-event .measures"),
    "strict": (link(a=TABLE_A, b=TABLE_B, tab="strict", **FEW_ROWS), ".strict-triplets .grid-body .row"),
    "verdicts": (link(a=NORMAL, c=f"{ABNORMAL},{GPU_B},damaged,{NORMAL}|worker0|2", page="verdicts"), ".vs-compared"),
    "history": (link(page="history", series=SERIES), ".hs-box svg"),
    "missing": (link(a="gone", b="gone too"), ".state"),
}
"""Address and first sight of each view."""

IN_BOTH_THEMES = ("summary", "kernels")
"""The frame around every view, and the view with the most parts; the other views are looked at in turns."""
COLOURS = {"runOnly": ["color-contrast"]}
"""What a theme changes."""
AT_800 = ("summary", "kernels", "step_timelines", "strict")
"""Views whose parts move at several widths."""


def picture(tab: Tab, name: str) -> None:
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        tab.page.screenshot(path=Path(PICTURES) / f"{name}.jpg", type="jpeg", quality=60)


def violations(tab: Tab, axe: str, **only: list[str]) -> list[str]:
    """Serious and critical findings, as text."""
    if not tab.frame.evaluate("'axe' in window"):
        tab.frame.evaluate(axe)
    found: list[dict[str, Any]] = tab.frame.evaluate(
        "only => axe.run(document, {resultTypes: ['violations'], ...only}).then(r => r.violations)", only
    )
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node.get('failureSummary', '')}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def test_every_view_is_accessible_in_a_theme_and_the_frame_in_both(fresh_tab: Tab, axe: str) -> None:
    """With the links of a TensorBoard that has the profiler's tab as well."""
    tab = fresh_tab
    runs_answer(tab, profiler_tab=True)
    tab.load()
    if not PICTURES:
        tab.page.set_viewport_size({"width": 1500, "height": 600})  # with fewer rows, which are all alike
    themes = ["light", "dark"]
    for name, (hash_, ready) in VIEWS.items():
        tab.go(hash_).wait(ready)
        if name == "kernels":
            tab.find(".grid-body .row").nth(1).click()
            tab.wait(".row-steps figure")
            tab.wait(".profiler-links")
            tab.find(".row-steps figure").last.scroll_into_view_if_needed()
        for theme in themes[: 2 if PICTURES or name in IN_BOTH_THEMES else 1]:
            tab.dark(theme == "dark")
            tab.settle()
            picture(tab, f"{name}-{theme}")
            assert violations(tab, axe, **({} if theme == themes[0] else COLOURS)) == [], (name, theme)
        themes.reverse()  # the next view begins with the other theme


def test_no_view_is_wider_than_a_frame_of_400_or_800_pixels(tab: Tab) -> None:
    """And the chosen view is in sight in the row of views."""
    for name, (hash_, ready) in VIEWS.items():
        tab.go(hash_).wait(ready)
        if name == "kernels":
            tab.find(".grid-body .row").nth(1).click()
            tab.wait(".row-steps figure")
        for width in (800, 400) if name in AT_800 else (400,):
            tab.page.set_viewport_size({"width": width, "height": 900})
            tab.until(f"innerWidth === {width}")
            tab.settle()
            picture(tab, f"{name}-{width}")
            wide, chosen, bar = tab.frame.evaluate(PLACES)
            assert wide <= width, (name, width)
            if chosen is not None:
                assert bar["x"] - 1 <= chosen["x"] < bar["x"] + bar["width"] - 40, (name, width)


PLACES = """[document.documentElement.scrollWidth, ...['.tab[aria-selected=true]', '.tabs'].map(
    css => document.querySelector(css)?.getBoundingClientRect() ?? null)]"""


def test_the_chosen_view_stays_in_sight_when_the_window_narrows(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="environment")).wait(".grid-body .row")
    assert "(39.6 GiB)" in tab.find(".grid-body .row", has_text="Device memory").inner_text()
    tab.page.set_viewport_size({"width": 400, "height": 900})
    chosen, bar = ".tab[aria-selected=true]", ".tabs"
    right = "document.querySelector('%s').getBoundingClientRect().right"
    tab.until(f"innerWidth === 400 && {right % chosen} <= {right % bar} + 1")
    tab.until("document.querySelector('.side-b .run-button span').textContent === 'candidate'")
    tab.until("[...document.querySelectorAll('.run-button span')].every(one => one.scrollWidth <= one.clientWidth + 1)")


def test_no_header_overlaps_another_column(tab: Tab) -> None:
    """Those of ranks are the longest."""
    tab.go(link(a=GPU_A, b=GPU_B, tab="ranks")).wait(".grid-body .row")
    for width in (1280, 1900):
        tab.page.set_viewport_size({"width": width, "height": 900})
        tab.until(f"innerWidth === {width}")
        assert tab.frame.evaluate(BEYOND) == []


BEYOND = """[...document.querySelectorAll('.grid-head .head-button')].filter(button => {
    const [own, column] = [button, button.parentElement].map(one => one.getBoundingClientRect());
    return own.left < column.left - 1 || own.right > column.right + 1;
}).map(button => button.textContent)"""


def test_theme_follows_tensorboard_at_once(tab: Tab) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    light = tab.frame.evaluate(background)
    tab.dark(True)
    assert tab.frame.evaluate(background) != light
    assert tab.frame.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_strict_policy_blocks_nothing(fresh_tab: Tab) -> None:
    """No eval, no inline style, nothing from elsewhere: stricter than what TensorBoard allows today."""
    tab = fresh_tab

    def strict(route: Route) -> None:
        answer = route.fetch()
        given = answer.headers["content-security-policy"]
        scripts = next(part for part in given.split(";") if part.strip().startswith("script-src"))
        scripts = scripts.replace("'unsafe-eval'", "")
        policy = f"default-src 'none'; {scripts}; style-src 'none'; connect-src 'self'; img-src blob:; base-uri 'self'"
        route.fulfill(response=answer, headers={**answer.headers, "content-security-policy": policy})

    tab.page.route("**/data/plugin_entry.html*", strict)
    tab.load(link(a=GPU_A, b=GPU_B)).answer()
    tab.find("button.fall", has_text="Kernel").click()
    tab.open("kernels")
    tab.wait(".grid-body .row")
    # TensorBoard's own addition to our policy would hide a violation that only it allows
    tab.wait(".step-lines")
    # the entry's, that of tables, of rows' details and of their small pictures
    assert tab.frame.evaluate("document.adoptedStyleSheets.length") == 4
    # parts that are fetched later, with sheets of their own
    for part, hash_, ready in (
        (5, link(a=LISTING_A, b=LISTING_B, tab="kernels"), ".scatter svg[role=img]"),
        (6, link(a=LISTING_A, b=LISTING_B, tab="launches"), ".timeline-canvas"),
        (7, link(a=TABLE_A, b=TABLE_B, tab="strict"), ".strict-title"),
        (8, link(a=GPU_A, b=GPU_B, tab="call_tree"), ".flame-path"),
        (9, link(a=GPU_A, b=GPU_B, tab="steps"), ".stacks-box svg"),
        (9, link(a=NORMAL, b=ABNORMAL, tab="memory"), ".memory-box svg"),
        (10, link(a=NORMAL, c=ABNORMAL, page="verdicts"), ".vs-plot"),
        (11, link(page="history"), ".hs-box svg"),
    ):
        tab.go(hash_).wait(ready)
        assert tab.frame.evaluate("document.adoptedStyleSheets.length") == part
    tab.go(link(a=GPU_A, b=GPU_B, tab="kernels")).wait(".grid-body .row")
    assert tab.frame.evaluate("getComputedStyle(document.querySelector('.grid')).position") == "relative"


def test_page_is_named_and_has_one_heading(tab: Tab) -> None:
    assert tab.frame.evaluate("[document.title, document.documentElement.lang]") == ["Perf Compare", "en"]
    assert tab.find("h1").count() == 1


STOP = "(document.activeElement.closest('[role=toolbar]') ?? document.activeElement).className"
"""The group that has the focus, or the control alone."""


def test_at_most_seven_tab_stops_and_a_skip_link_lead_to_the_content(tab: Tab) -> None:
    tab.load(link(a=GPU_A, b=GPU_B, tab="kernels")).wait(".grid-body .row")  # the next stop is the first
    tab.frame.evaluate("window.focus()")
    stops = []
    while not tab.frame.evaluate("document.activeElement.closest('main') !== null"):
        tab.press("Tab")
        stops.append(tab.frame.evaluate(STOP))
        assert len(stops) < 9
    assert stops[0] == "button skip" and "sides line" in stops and any("choices" in stop for stop in stops)
    assert len(stops) <= 7, stops  # the last one is the content
    tab.find(".side-a .run-button").focus()
    for _ in range(4):
        tab.press("ArrowRight")
    assert tab.frame.evaluate("document.activeElement.matches('.side-b .side-details > button')")
    tab.press("Home")
    tab.press("Shift+Tab")
    tab.press("Enter")
    assert tab.frame.evaluate("document.activeElement.tagName") == "MAIN"
    tab.find(".grid").focus()
    tab.press("Tab")
    tab.press("End")
    assert tab.frame.evaluate("document.activeElement.matches('.grid [role=columnheader]:last-child > button')")
    tab.press("Tab")
    assert tab.frame.evaluate("document.activeElement.closest('.grid') === null")


def test_hidden_frame_keeps_its_state(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="kernels", min="0", q="gemm")).wait(".grid-body .row")
    tab.page.evaluate("location.hash = location.hash.replace('tb_perfcompare', 'empty')")
    tab.until("innerHeight === 0")
    tab.page.set_viewport_size({"width": 1100, "height": 800})
    tab.page.evaluate("location.hash = location.hash.replace('empty', 'tb_perfcompare')")
    tab.until("innerHeight > 0 && document.querySelectorAll('.grid-body .row').length > 1")
    assert tab.find(".search input").input_value() == "gemm"
