"""The flame graph in place of the call tree: what it draws, that it is walked by pointer and keys; links keep it."""

from __future__ import annotations

import re
from urllib.parse import unquote

from tests.browser.tab import GPU_A, GPU_B, LISTING_A, LISTING_B, NO_RUNS, Tab, link
from tests.workspace.waiting import becomes_true

START = NO_RUNS

FLAME = link(a=GPU_A, b=GPU_B, tab="call_tree")
BOX = ".flame-box"
ROWS = "document.querySelector('.flame-canvas').getBoundingClientRect().height / 20"
ROW = 20
FORWARD = "DistributedDataParallel.forward"


def shown(tab: Tab) -> Tab:
    tab.go(FLAME).wait(".flame-canvas")
    tab.until(f"{ROWS} > 1")
    return tab


def middle(row: int) -> float:
    return row * ROW + ROW / 2


def pixel(tab: Tab, x: float, y: float) -> list[int]:
    """Colour of the canvas at a place of the picture, once it is drawn."""
    tab.until("(c => c && c.width > 0 && c.clientWidth > 0)(document.querySelector('.flame-canvas'))")
    return list(
        tab.frame.evaluate(
            """([x, y]) => { const c = document.querySelector('.flame-canvas'), r = c.width / c.clientWidth;
            return [...c.getContext('2d').getImageData(x * r, y * r, 1, 1).data] }""",
            [x, y],
        )
    )


def panel_text(tab: Tab) -> str:
    return tab.find(".flame-panel [role=status]").inner_text()


def test_the_whole_step_has_the_headlines_figures(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B))
    tab.until("document.querySelector('.verdict')?.innerText.includes('7.8')")
    means = re.findall(r"\d\.\d+", tab.find(".figures dd").first.inner_text())[:2]
    shown(tab)
    drawn = re.findall(r"\d\.\d\d", tab.find(".flame-figures").inner_text())[:2]
    assert [f"{float(mean):.2f}" for mean in means] == drawn
    assert "61 frames" in (tab.find(BOX).get_attribute("aria-label") or "")


def test_a_frame_tells_both_sides_and_fills_the_picture_after_a_click(tab: Tab) -> None:
    shown(tab)
    rows = tab.frame.evaluate(ROWS)
    width = tab.find(BOX).bounding_box()["width"]
    tab.find(BOX).hover(position={"x": width * 0.6, "y": middle(1)})
    tip = tab.wait(".tooltip").inner_text()
    assert tip.startswith(FORWARD) and "operator" in tip and "of the step" in tip and "▲" in tip
    tab.find(BOX).click(position={"x": width * 0.6, "y": middle(1)})
    tab.until("document.querySelectorAll('.flame-crumb').length === 2")
    assert FORWARD in unquote(tab.address())
    assert tab.frame.evaluate(ROWS) <= rows
    tab.find(".flame-crumb").first.click()
    tab.until("document.querySelectorAll('.flame-crumb').length === 1")
    # going in and out are steps of the history
    tab.page.go_back()
    tab.until("document.querySelectorAll('.flame-crumb').length === 2")


def test_frames_are_walked_by_keys_and_their_rows_opened(tab: Tab) -> None:
    shown(tab)
    tab.find(BOX).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        tab.press(key)
    assert panel_text(tab).startswith(FORWARD)
    tab.press("Enter")
    tab.until("document.querySelectorAll('.flame-crumb').length === 2")
    tab.press("Escape")
    tab.until("document.querySelectorAll('.flame-crumb').length === 1")
    assert "zoom" not in tab.address()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Space"):
        tab.press(key)
    assert FORWARD in tab.wait(".row-panel .full-name").inner_text()
    tab.wait(".flame-box .mark-box.chosen")


def test_a_key_right_after_another_zoom_counts(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="call_tree", zoom=FORWARD)).wait(".flame-canvas")
    tab.until("document.querySelectorAll('.flame-crumb').length === 2")
    # faster than a frame is drawn: the second key follows as soon as the first one's picture is there
    tab.frame.evaluate(
        """async () => {
        const box = document.querySelector('.flame-box');
        const press = (key) => box.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        press('Escape');
        for (let i = 0; i < 1000 && document.querySelectorAll('.flame-crumb').length > 1; i += 1) await null;
        press('ArrowDown');
        await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 50)));
        }"""
    )
    assert panel_text(tab).startswith("step")


def test_a_link_shows_the_same_frame_or_its_parent_if_the_frame_is_gone(tab: Tab) -> None:
    zoom = f"{FORWARD} / aten::linear"
    tab.go(link(a=GPU_A, b=GPU_B, tab="call_tree", zoom=zoom, look="b,share")).wait(".flame-canvas")
    assert tab.find(".flame-crumb").all_inner_texts() == ["whole step", FORWARD, "aten::linear"]
    pressed = tab.find(".flame-choice [aria-pressed=true]").all_inner_texts()
    assert pressed == ["B", "Share", "Largest"]
    tab.go(link(a=GPU_A, b=GPU_B, tab="call_tree", zoom=f"{FORWARD} / aten::gone")).wait(".flame-canvas")
    tab.until("document.querySelectorAll('.flame-crumb').length === 2")


def test_width_by_one_run_takes_new_frames_away_and_says_so(tab: Tab) -> None:
    shown(tab)
    assert "new" in tab.find(".flame-panel .legend").inner_text()
    assert "no width here" not in tab.find(".flame-panel .legend").inner_text()
    tab.find(".flame-choice button", has_text="A").nth(1).click()
    tab.until("document.querySelector('.flame-panel .legend')?.innerText.includes('no width here')")
    assert "look=a" in tab.address()


def test_a_search_marks_frames_and_adds_up_their_time(tab: Tab) -> None:
    shown(tab)
    before = pixel(tab, 300, middle(1))
    tab.find(".search input").fill("isfinite")
    tab.wait(".flame-found")
    text = tab.find(".flame-found").inner_text()
    assert text.startswith("1 frame found: A –, B 197")
    assert becomes_true(lambda: pixel(tab, 300, middle(1)) != before)  # others step back
    tab.find(".search input").fill("nothing of the kind")
    tab.until("document.querySelector('.flame-found')?.innerText === 'No frame found.'")


def test_more_and_less_time_have_different_colours(tab: Tab) -> None:
    shown(tab)
    width = tab.find(BOX).bounding_box()["width"]
    for dark in (False, True):
        tab.dark(dark)
        tab.settle()
        red, _, blue, _ = pixel(tab, width * 0.62, middle(1) - 7)  # more time
        assert red > blue + 20, dark
    tab.go(link(a=GPU_B, b=GPU_A, tab="call_tree")).wait(".flame-canvas")
    tab.until("document.querySelector('.flame-path')?.innerText.includes('▼')")
    for dark in (True, False):
        tab.dark(dark)
        tab.settle()
        red, _, blue, _ = pixel(tab, width * 0.62, middle(1) - 7)
        assert blue > red + 20, dark


def test_the_table_replaces_the_picture_with_the_same_search_and_link(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="call_tree", q="isfinite", min="0")).wait(".flame-found")
    assert tab.find(".grid").count() == 0
    tab.find(".toolbar .segments button", has_text="Table").click()
    tab.wait(".grid-body .row")
    assert " of 61 rows" in tab.find(".table-footer").inner_text() and tab.find(".flame-box").count() == 0
    assert "figure=call_tree" in tab.address()


def test_sources_without_operators_have_no_flame_graph(tab: Tab) -> None:
    tab.go(link(a=LISTING_A, b=LISTING_B)).wait(".verdict h2")
    tab.find("[role=tab]", has_text="Breakdown").click()
    assert "Call tree" not in tab.find(".choices").inner_text()
