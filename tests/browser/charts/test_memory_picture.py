"""Memory over time: both runs along steps or time, read by pointer and by keys."""

from __future__ import annotations

from tests.browser.tab import ABNORMAL, GPU_A, GPU_B, MLU_A, MLU_B, NO_RUNS, NORMAL, Tab, link

START = NO_RUNS

BOX = ".memory-box"


def test_the_cursor_reads_both_runs_at_one_time(tab: Tab) -> None:
    tab.go(link(a=NORMAL, b=ABNORMAL, tab="memory")).wait(f"{BOX} svg")
    label = tab.find(BOX).get_attribute("aria-label") or ""
    assert label.startswith("Memory of CPU over time") and "at most 9.87\u202fMiB" in label
    tab.find(BOX).hover(position={"x": 600, "y": 100})
    tip = tab.wait(".tooltip").inner_text()
    assert tip.startswith("step ") and tip.count("allocated") == 3


def test_the_cursor_goes_from_record_to_record_by_keys(tab: Tab) -> None:
    tab.go(link(a=NORMAL, b=ABNORMAL, tab="memory_curves")).wait(f"{BOX} svg")
    tab.find(BOX).focus()
    texts = []
    for key in ("ArrowRight", "ArrowRight", "End"):
        tab.press(key)
        texts.append(tab.find(".figure-box [role=status]").inner_text())
    assert texts[0].startswith("step 41, ") and texts[1] != texts[0]
    assert texts[2].startswith("step 50, 100") and "baseline" in texts[2] and "allocated" in texts[2]
    assert tab.find(".group-by option").all_inner_texts() == ["device", "operator"]
    tab.find(".menu button", has_text="Export").click()
    with tab.page.expect_download() as download:
        tab.find(".pop-item", has_text="Memory over time").click()
    assert "allocated" in download.value.path().read_text(encoding="utf-8").splitlines()[0].casefold()


def test_on_the_time_axis_steps_of_the_runs_drift_apart(tab: Tab) -> None:
    tab.go(link(a=NORMAL, b=ABNORMAL, tab="memory")).wait(f"{BOX} svg")
    tab.find(".figure-box .segments button", has_text="Time").click()
    tab.until("document.querySelector('.memory-box svg')?.textContent.includes('ms')")
    assert "look=time_us" in tab.address()
    tab.find(BOX).hover(position={"x": 600, "y": 100})
    assert "since the first step" in tab.wait(".tooltip").inner_text()


def test_the_chosen_device_is_in_the_link(tab: Tab) -> None:
    tab.go(link(a=MLU_A, b=MLU_B, tab="memory")).wait(f"{BOX} svg")
    label = tab.find(BOX).get_attribute("aria-label") or ""
    assert "MLU" in label  # before the host's memory, where both were recorded


def test_without_memory_events_there_is_no_picture(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="kernels", min="0")).wait(".grid-body .row")
    tab.find("[role=tab]", has_text="Memory").click()
    tab.wait(".state-title:has-text('No')")


def test_a_chosen_range_of_steps_is_drawn_with_the_names_of_both_runs(tab: Tab) -> None:
    one = {"aw": "worker0", "bw": "worker0", "as": "1", "bs": "1", "tab": "memory"}
    tab.go(link(a=NORMAL, b=ABNORMAL, **one)).wait(f"{BOX} svg")
    assert "414243" in (tab.find(f"{BOX} svg").text_content() or "")  # both runs have steps 41 to 50
    tab.go(link(a=NORMAL, b=ABNORMAL, asteps="43-46", bsteps="45-47", **one))
    tab.until("document.querySelector('.memory-box svg')?.textContent.includes('43454446454746AB')")
    tab.find(BOX).focus()
    texts = []
    for key in ("Home", "End"):
        tab.press(key)
        texts.append(tab.find(".figure-box [role=status]").inner_text())
    # held when the first chosen steps began: half a megabyte, not zero
    assert texts[0].startswith("step 43 in A, 45 in B, 0") and "baseline 453\u202fKiB" in texts[0]
    # the range of A has one more step than that of B
    assert texts[1].startswith("step 46 in A, – in B") and "candidate not recorded here" in texts[1]
