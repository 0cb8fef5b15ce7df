"""The step timelines: what they draw, by pointer and by keys, what a link holds, and the traces they give away."""

from __future__ import annotations

import gzip
import json
import re

from playwright.sync_api import Route

from tests.browser.tab import (
    ABNORMAL,
    GPU_A,
    GPU_B,
    LISTING_A,
    LISTING_B,
    LOAD_MS,
    MLU_A,
    MLU_B,
    NO_RUNS,
    NORMAL,
    Tab,
    link,
)
from tests.workspace.waiting import becomes_true

START = NO_RUNS

TIMELINES = link(a=GPU_A, b=GPU_B, tab="timelines")
READY = ".st[aria-busy=false] .st-canvas"
CANVAS = ".st-pane-a .st-sticky"
SAID = "[...document.querySelectorAll('.st [role=status]')].map(e => e.textContent).join(' ')"
OVERVIEW = "document.querySelector('.st-axis-canvas').toDataURL()"
"""The strip with both steps as a whole."""
ALIGN = "[aria-label^='Align with its counterpart']"


def opened(tab: Tab, hash_: str = TIMELINES) -> Tab:
    """The view, drawn."""
    tab.go(hash_).wait(READY)
    tab.until("document.querySelector('.st-pane-b .st-canvas').height > 100")
    assert becomes_true(lambda: min(drawn(tab, "a"), drawn(tab, "b")) > 1)  # at the next frame
    return tab


def drawn(tab: Tab, side: str = "a") -> int:
    """Distinct colours of a timeline: a blank one has few."""
    script = """side => {
      const canvas = document.querySelector(`.st-pane-${side} .st-canvas`);
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    }"""
    return int(tab.frame.evaluate(script, side))


def address(tab: Tab, key: str) -> str:
    found = re.search(rf"p\.tb_perfcompare\.{key}=([^&]*)", tab.address())
    return found[1] if found else ""


def settled(tab: Tab, script: str) -> None:
    """Until the address, which follows a moment later, holds what the script says of it."""
    tab.page.wait_for_function(f"(() => {{ const hash = location.hash; return {script}; }})()", timeout=LOAD_MS)


def test_both_steps_are_drawn_with_their_lanes_and_downloaded_for_perfetto(tab: Tab) -> None:
    opened(tab)
    assert min(drawn(tab, "a"), drawn(tab, "b")) > 20
    lanes = tab.find(".st-pane-a .st-lane").all_inner_texts()
    assert [re.sub(r"\s+", " ", lane).strip() for lane in lanes[:3]] == [
        "GPU 1 stream 7", "GPU 1 stream 20 communication", "thread 4001",
    ]  # fmt: skip
    label = tab.find(CANVAS).get_attribute("aria-label") or ""
    assert re.match(r"Baseline, step \d+: [\d.,]+\sms, 212 events\. GPU 1 stream 7: 50 events", label)
    rows = tab.find(".st-differences .grid-body .row").all_inner_texts()
    assert "cudaStreamSynchronize" in rows[0] and "+" in rows[0]
    for place, names in ((0, {"python"}), (2, {"baseline: python CPU", "candidate: python CPU"})):
        tab.find(".st .menu button").first.click()
        with tab.page.expect_download() as download:
            tab.find(".st .pop-item").nth(place).click()
        document = json.loads(gzip.decompress(download.value.path().read_bytes()))
        events = document["traceEvents"]
        assert names <= {event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert download.value.suggested_filename.endswith(".pt.trace.json.gz")


def test_wheel_drag_and_keys_move_both(tab: Tab) -> None:
    opened(tab)
    box = tab.find(CANVAS).locator("canvas").bounding_box()
    assert box
    tab.page.mouse.move(box["x"] + 300, box["y"] + 20)
    tab.page.mouse.wheel(0, -600)
    settled(tab, "hash.includes('.at=')")
    first = [int(part) for part in address(tab, "at").split("_")]
    assert first[1] - first[0] < 4_000_000
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 200, box["y"] + 20, steps=4)
    tab.page.mouse.up()
    settled(tab, f"!hash.includes('.at={first[0]}_')")
    moved = [int(part) for part in address(tab, "at").split("_")]
    assert moved[0] > first[0] and abs((moved[1] - moved[0]) - (first[1] - first[0])) <= 1
    assert address(tab, "ev") == "", "dragging is no click"
    tab.find(CANVAS).focus()
    for keys in ("www", "dd", "s"):
        before = tab.address()
        for key in keys:
            tab.press(key)
        tab.page.wait_for_function("before => location.hash !== before", arg=before, timeout=LOAD_MS)
    tab.press("0")
    settled(tab, "!hash.includes('.at=')")


def test_an_event_is_selected_with_its_counterpart(tab: Tab) -> None:
    opened(tab)
    box = tab.find(CANVAS).locator("canvas").bounding_box()
    assert box
    tab.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 11)
    panel = tab.wait(".st-event .measures").inner_text()
    assert address(tab, "ev").startswith("a%3A")
    for label in ("Duration", "Starts at", "Launch to start", "Idle before it"):
        assert label in panel
    assert "Grid" in tab.find(".st-event .st-facts").inner_text()
    name = tab.find(".st-event .full-name").inner_text()
    tab.until(f"{SAID}.includes('Counterpart')")
    tab.find(CANVAS).focus()
    tab.press("c")
    settled(tab, "hash.includes('.ev=b%3A')")
    assert tab.wait(".st-event .full-name").inner_text() == name
    tab.wait(f".st-event .badge-b ~ {ALIGN}")  # keys know of a counterpart once the server told
    tab.press("l")
    tab.wait(".st-head .chip-filter")
    assert address(tab, "shift") != ""
    tab.press("Escape")
    settled(tab, "!hash.includes('.ev=')")
    tab.find(".st-head .chip-filter").click()
    settled(tab, "!hash.includes('.shift=')")


def test_events_are_reached_and_described_by_keys(tab: Tab) -> None:
    opened(tab)
    tab.find(CANVAS).focus()
    tab.press("Enter")
    tab.until(f"{SAID}.includes('Baseline: ')")
    first = tab.find(".st-event .full-name").inner_text()
    tab.press("Escape")
    tab.until("!document.querySelector('.st-event')")
    tab.find(".st-differences .grid-body .row").nth(1).click()
    assert "ampere_sgemm" in tab.wait(".st-event .full-name").inner_text()
    before = address(tab, "ev")
    tab.find(".st-pane-b .st-sticky").focus()
    tab.press(".")
    tab.page.wait_for_function("before => !location.hash.includes('.ev=' + before)", arg=before)
    tab.press(",")
    settled(tab, f"hash.includes('.ev={before}')")
    assert first == "aten::item", "the longest in view, the marker of the step apart"


def test_one_key_goes_from_the_largest_difference_to_the_next(tab: Tab) -> None:
    opened(tab)
    names = tab.find(".st-differences .grid-body .key").all_inner_texts()[:2]
    tab.find("[role=tab]", has_text="Timeline").focus()  # as after choosing the view
    for name in names:
        tab.press("n")
        tab.until(f"document.querySelector('.st-event .full-name')?.textContent.includes({name.split()[0]!r})")
    tab.press("Shift+N")
    tab.until(f"document.querySelector('.st-event .full-name').textContent.includes({names[0].split()[0]!r})")


def test_the_timelines_share_the_height_and_fill_it(tab: Tab) -> None:
    opened(tab)
    heights = "['a', 'b'].map(side => document.querySelector('.st-pane-' + side).getBoundingClientRect().height)"
    before = tab.frame.evaluate(heights)
    line = tab.find(".st-divider")
    box = line.bounding_box()
    assert box
    tab.page.mouse.move(box["x"] + 200, box["y"] + 3)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 200, box["y"] - 57, steps=4)
    tab.page.mouse.up()
    dragged = tab.frame.evaluate(heights)
    assert abs(before[0] - dragged[0] - 60) < 12 and dragged[1] > before[1]
    line.focus()
    tab.press("ArrowDown")
    assert tab.frame.evaluate(heights)[0] > dragged[0]
    assert int(line.get_attribute("aria-valuenow") or 0) < 60
    tab.press("Enter")
    assert tab.frame.evaluate(heights) == before
    # no blank strip is below the lanes: what they do not need goes to the table of differences
    bottom = "document.querySelector('{}').getBoundingClientRect().bottom"
    tab.page.set_viewport_size({"width": 1900, "height": 1400})
    tab.until(f"{bottom.format('.st-canvases')} - {bottom.format('.st-pane-b')} < 20")
    tab.until("document.querySelector('.st-differences').getBoundingClientRect().height > 200")
    # and a pinned lane stays in view
    tab.page.set_viewport_size({"width": 1500, "height": 600})
    tab.find(".st-pane-a .st-pin[aria-label*='thread 4061 operators']").first.click()
    tab.wait(".st-pane-a .st-pinned")
    assert "p.tb_perfcompare.pins=" in tab.address()
    top = "document.querySelector('.st-pane-a .st-pinned .st-lane').getBoundingClientRect().top"
    before = tab.frame.evaluate(top)
    tab.frame.evaluate("document.querySelector('.st-pane-a .st-scroll').scrollTop = 40")
    tab.until("document.querySelector('.st-pane-a .st-scroll').scrollTop > 20")
    assert tab.frame.evaluate(top) == before
    tab.find(".st-pane-b .st-pin[aria-pressed=true]").click()  # the lane of the other run is pinned, too
    tab.until("!document.querySelector('.st-pinned')")


def test_its_tools_are_one_tab_stop_between_the_search_and_the_steps(tab: Tab) -> None:
    opened(tab).find(".st .search input").focus()
    tab.press("Tab")
    assert tab.frame.evaluate("document.activeElement.closest('.st [role=toolbar]') !== null")
    tab.press("Tab")
    assert tab.frame.evaluate("document.activeElement.closest('.st-pane-a, .st-canvases') !== null")


def test_names_are_searched_and_colours_can_show_the_difference(tab: Tab) -> None:
    opened(tab)
    tab.find(".st .search input").fill("sgemm")
    tab.until("document.querySelector('.st-found')?.textContent.includes('events')")
    assert re.search(r"A: \d+ events.* · B: \d+ events", tab.find(".st-found").inner_text())
    tab.find(".st .search input").press("Enter")
    assert "sgemm" in tab.wait(".st-event .full-name").inner_text()
    one = address(tab, "ev")
    tab.find(".st .search input").press("Enter")
    tab.page.wait_for_function("one => !location.hash.includes('.ev=' + one)", arg=one)
    before = tab.frame.evaluate(OVERVIEW)
    tab.find(".segments button", has_text="Difference").click()
    assert address(tab, "colour") == "change"
    tab.until(f"({OVERVIEW}) !== {before!r}")
    legend = tab.find(".st-legend").inner_text()
    assert "▲ more time in B" in legend and "only in A" in legend
    tab.settle()


def test_other_steps_are_chosen_and_one_that_is_not_there_says_so(tab: Tab) -> None:
    opened(tab)
    tab.find(".st-pane-a select").select_option("worst")
    tab.until("document.querySelector('.st-pane-a select option:checked')?.textContent.startsWith('longest: step ')")
    label = tab.find(".st-pane-a select option:checked").inner_text().removeprefix("longest: step ")
    tab.find(".st-pane-b select").select_option("same")
    chosen = "document.querySelector('.st-pane-b select option:checked')?.textContent"
    tab.until(f"{chosen} === 'same as the other: {label}'")
    assert (address(tab, "ta"), address(tab, "tb")) == ("worst", "same")
    tab.page.evaluate("history.back()")
    settled(tab, "!hash.includes('.tb=')")
    tab.allowed.append("404")
    tab.go(link(a=GPU_A, b=GPU_B, tab="timelines", ta="77")).wait(".st-trouble")
    assert "has no step '77'" in tab.find(".st-trouble").first.inner_text()
    tab.find(".st-pane-a .st-trouble button").click()
    tab.wait(READY)
    assert address(tab, "ta") == ""


def test_a_link_shows_the_same_view(fresh_tab: Tab) -> None:
    """Step, stretch, event, colours, folds and search: a second browser draws what the first one did."""
    tab = fresh_tab
    hash_ = link(
        a=GPU_A, b=GPU_B, tab="timelines", ta="8|worker0|1", tb="9|worker0|1", at="1000000_3000000", ev="b:12",
        colour="change", fold="host.0", q="gemm",
    )  # fmt: skip
    tab.load(hash_).wait(READY)
    tab.wait(".st-event .measures")
    tab.page.wait_for_timeout(600)
    shown = tab.find(".st-head select option:checked").all_inner_texts()
    assert [text.split(" · ")[0] for text in shown] == ["step 8", "step 9"]
    assert tab.find(".st-pane-a .st-fold[aria-expanded=false]").count() == 1
    assert tab.find(".st .search input").input_value() == "gemm"
    for key in ("at=1000000_3000000", "ev=b%3A12", "colour=change", "fold=host.0"):
        assert f"p.tb_perfcompare.{key}" in tab.address()


def test_traces_of_the_host_and_of_other_devices(tab: Tab) -> None:
    for a, b, first in ((NORMAL, ABNORMAL, "thread"), (MLU_A, MLU_B, "MLU 0")):
        opened(tab, link(a=a, b=b, tab="timelines"))
        tab.until(f"document.querySelector('.st-pane-a .st-lane')?.textContent.startsWith('{first}')")
        assert drawn(tab) > 10


def test_leaving_it_stops_the_requests(fresh_tab: Tab) -> None:
    tab = fresh_tab
    held: list[Route] = []
    tab.page.route("**/api/step?*", lambda route: held.append(route))
    failed: list[str] = []
    tab.page.on("requestfailed", lambda request: failed.append(request.url))
    tab.load(TIMELINES).wait(".st[aria-busy=true]")
    tab.until("document.querySelector('.st-head')?.textContent.includes('reading the step')")
    tab.find("[role=tab]", has_text="Steps").click()
    tab.wait(".grid-body .row")
    assert len([url for url in failed if "api/step?" in url]) == 2


def test_formats_without_events_say_why(tab: Tab) -> None:
    tab.go(link(a=LISTING_A, b=LISTING_B))
    tab.until("document.querySelector('.side-a .run-button').value.includes('listing')")
    tab.answer()
    tab.find("[role=tab]", has_text="Timeline").click()
    tab.wait(".state:has-text('have event times')")
