"""Several candidates against one baseline: rows as they come, what weakens them, the way to a pair and back."""

from __future__ import annotations

import json

from playwright.sync_api import Route

from tests.browser.tab import ABNORMAL, GPU_A, GPU_B, MLU_A, NORMAL, SLOWER_B, Tab, link

ROWS = ".vs-table tbody tr"
ALL = f"{ABNORMAL},{GPU_B},damaged,{NORMAL}|worker0|2"


def names(tab: Tab) -> list[str]:
    return tab.find(f"{ROWS} th .link-button").all_inner_texts()


def test_each_candidate_has_a_row_with_its_verdict_or_the_reason_for_none(tab: Tab) -> None:
    tab.go(link(a=NORMAL, c=ALL, page="verdicts")).wait(".vs-compared")
    assert names(tab) == [ABNORMAL, GPU_B, "damaged", f"{NORMAL} · worker0 · span 2"]
    rows = tab.find(ROWS).all_inner_texts()
    assert "Slower" in rows[0] and "holds for 2 comparisons" in rows[0] and "Data loader wait" in rows[0]
    assert "Not comparable" in rows[1] and "device kind" in rows[1]
    assert "not compared: damaged/" in rows[2]
    assert tab.find(".vs-state [role=status]").inner_text() == "4 candidates compared"
    assert tab.find(".vs-plot").count() == 3


def test_a_row_opens_its_pair_and_back_returns(tab: Tab) -> None:
    tab.go(link(a=GPU_A, c=f"{GPU_B},{MLU_A}", page="verdicts")).wait(".vs-compared, .vs-plot")
    tab.find(f"{ROWS} .link-button", has_text=GPU_B).click()
    assert tab.answer().startswith(SLOWER_B)
    assert tab.find(".side-b .more").inner_text() == "‹ all 2 candidates"
    tab.page.go_back()
    tab.wait(".vs-table")
    assert names(tab) == [GPU_B, MLU_A]


def test_candidates_are_added_one_by_one_or_by_folder_and_removed(tab: Tab) -> None:
    tab.find(".side-b .run-button").click()
    tab.wait(".runs-dialog input")
    tab.find(".runs-dialog button", has_text="Choose several").click()
    tab.find(".runs-dialog input").fill(ABNORMAL)
    tab.find(".runs-dialog .grid-body .row").click()
    tab.find(".runs-dialog .primary", has_text="Compare 1 candidate").click()
    tab.wait(".vs-plot")
    assert names(tab) == [ABNORMAL]
    tab.find(".vs-add .run-button").click()
    tab.find(".runs-dialog button", has_text="Choose several").click()
    tab.find(".runs-dialog input").fill(GPU_A)
    tab.find(".runs-dialog .grid-body .row").click()
    tab.find(".runs-dialog .primary", has_text="Compare 1 candidate").click()
    tab.until("document.querySelectorAll('.vs-chip').length === 2")
    tab.find(f"button[aria-label='Remove {ABNORMAL}']").click()
    tab.until("document.querySelectorAll('.vs-table tbody tr').length === 1")
    assert names(tab) == [GPU_A]
    tab.find("button", has_text="of cpu_training/").click()
    tab.until("document.querySelectorAll('.vs-chip').length === 2")
    assert names(tab) == [GPU_A, ABNORMAL]
    assert link(a=NORMAL, page="verdicts")[1:].split("&")[1] in tab.address()


def test_the_order_is_chosen_and_the_link_keeps_it(tab: Tab) -> None:
    candidates = f"{NORMAL}|worker0|2,{ABNORMAL},damaged"
    tab.go(link(a=NORMAL, c=candidates, page="verdicts", sort="-shift")).wait(".vs-compared")
    assert names(tab) == [ABNORMAL, f"{NORMAL} · worker0 · span 2", "damaged"]
    tab.find(".vs-order button", has_text="As listed").click()
    tab.until(f"document.querySelector('.vs-table tbody .link-button').textContent !== {ABNORMAL!r}")
    assert "sort=" not in tab.address()


def test_finished_rows_stay_after_cancel(fresh_tab: Tab) -> None:
    tab = fresh_tab
    first = {"row": 0, "error": {"code": "corrupt", "message": "cut off", "hint": ""}, "result": None}
    waits = {
        "row": 1,
        "phase": "reading",
        "path": "x",
        "done_bytes": 1,
        "total_bytes": 2,
        "events": 0,
        "elapsed_s": 0.1,
    }
    # a stream that stays open: the page reads it as it comes
    script = f"""
    const real = window.fetch;
    window.__aborted = false;
    window.fetch = (url, options) => {{
      if (!String(url).includes('api/verdicts')) return real(url, options);
      options.signal.addEventListener('abort', () => {{ window.__aborted = true; }});
      const lines = {json.dumps(json.dumps({"row": first}) + chr(10) + json.dumps({"progress": waits}) + chr(10))};
      const body = new ReadableStream({{ start: (c) => c.enqueue(new TextEncoder().encode(lines)) }});
      return Promise.resolve(new Response(body, {{ status: 200 }}));
    }};
    """
    tab.begin_with(script)
    tab.load(link(a=NORMAL, c=f"damaged,{ABNORMAL}", page="verdicts")).wait(".vs-progress [role=progressbar]")
    assert "Cut off" in tab.find(ROWS).first.inner_text()
    tab.find(".vs-state button", has_text="Cancel").click()
    tab.until("window.__aborted")
    assert tab.find(".vs-state [role=status]").inner_text() == "Cancelled. 1 of 2 candidates compared"
    assert "Cut off" in tab.find(ROWS).first.inner_text() and tab.find(".vs-progress").count() == 0


def test_a_cell_of_the_matrix_opens_its_pair_at_its_row(tab: Tab) -> None:
    """With the keyboard: from the mean of the first candidate to the second one's largest kernel."""
    tab.go(link(a=GPU_A, c=f"{GPU_A}|worker0,{GPU_B}", page="verdicts")).wait(".mx tbody button")
    parts = tab.find(".mx tbody th").all_inner_texts()
    assert parts[:2] == ["Mean", "Kernel"]
    tab.find(".mx .segments button", has_text="Kernels").click()
    tab.until("document.querySelectorAll('.mx tbody th')[1].textContent.includes('sgemm')")
    tab.find(".mx tbody button").first.focus()
    tab.press("ArrowDown")
    tab.press("ArrowRight")
    assert tab.frame.evaluate("document.activeElement.textContent").startswith("+34.9")
    tab.press("Enter")
    assert "ampere_sgemm_128x64_tn" in tab.wait(".row-panel .full-name").inner_text()
    tab.page.go_back()
    tab.wait(".mx")
    assert "p.tb_perfcompare.look=rows" in tab.address()


def test_a_part_in_the_matrix_opens_the_pair_with_that_part(tab: Tab) -> None:
    tab.go(link(a=GPU_A, c=f"{GPU_A}|worker0,{GPU_B}", page="verdicts")).wait(".mx tbody button")
    tab.find(".mx tbody tr", has_text="Kernel").locator("button").nth(1).click()
    tab.wait(".entries")
    assert "p.tb_perfcompare.cat=Kernel" in tab.address()


def test_a_server_that_is_gone_keeps_the_page(fresh_tab: Tab) -> None:
    tab = fresh_tab
    tab.allowed.append("api/verdicts")

    def gone(route: Route) -> None:
        route.abort()

    tab.page.route("**/api/verdicts*", gone)
    tab.load(link(a=NORMAL, c=ABNORMAL, page="verdicts")).wait(".state.failed")
    tab.page.unroute_all()
    tab.find(".state.failed button", has_text="Try again").click()
    tab.wait(".vs-plot")


def test_narrow_and_enlarged_frames_need_no_sideways_scrolling(tab: Tab) -> None:
    for width, zoom in ((400, 1), (1500, 2)):
        tab.page.set_viewport_size({"width": width // zoom, "height": 900 // zoom})
        for hash_, ready in (
            (link(a=NORMAL, c=ALL, page="verdicts"), ".vs-compared"),
            (link(page="history"), ".hs-box svg"),
        ):
            tab.go(hash_).wait(ready)
            wide, frame = tab.frame.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert wide <= frame, (hash_, width)
