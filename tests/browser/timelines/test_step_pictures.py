"""Pictures of steps: their parts, their order, and choosing a range of them that the whole page then follows."""

from __future__ import annotations

from playwright.sync_api import FloatRect, Locator

from tests.browser.tab import ABNORMAL, GPU_A, GPU_B, NO_RUNS, NORMAL, TABLE_A, TABLE_B, Tab, link

START = NO_RUNS

STEPS = link(a=NORMAL, b=ABNORMAL, tab="steps")
ORDER, STACKS = ".step-strip", ".stacks-box"
COMPARED = "document.querySelector('.side-b .facts').innerText"


def settled(tab: Tab, box: Locator) -> FloatRect:
    """Where a box is once it no longer moves: what is above it may still be arriving."""
    seen = [box.bounding_box()]
    while len(seen) < 5 or seen[-5:] != seen[-1:] * 5:
        assert len(seen) < 200
        tab.page.wait_for_timeout(50)
        seen.append(box.bounding_box())
    assert seen[-1]
    return seen[-1]


def drag(tab: Tab, box: Locator, start: tuple[float, float], end: tuple[float, float]) -> None:
    """From one place to another; places are parts of the box's width, and pixels from its top."""
    box.scroll_into_view_if_needed()
    area = settled(tab, box)
    tab.page.mouse.move(area["x"] + start[0] * area["width"], area["y"] + start[1])
    tab.page.mouse.down()
    tab.page.mouse.move(area["x"] + end[0] * area["width"], area["y"] + end[1], steps=5)
    tab.page.mouse.up()


def test_a_range_drawn_over_the_order_of_steps_is_what_the_page_compares(tab: Tab) -> None:
    tab.go(link(a=NORMAL, b=ABNORMAL)).wait(f"{ORDER} svg")
    tab.until(f"{COMPARED}.startsWith('20 steps')")
    drag(tab, tab.find(ORDER), (0.65, 74), (0.8, 74))
    tab.until(f"{COMPARED}.includes(' of 20 steps')")
    assert "bsteps=" in tab.address() and "asteps=" not in tab.address()
    tab.wait(".side-b .side-steps")
    assert tab.find(".side-a .side-steps").count() == 0
    # the table, too: steps outside the range are there, and not compared
    tab.find("[role=tab]", has_text="Steps").click()
    tab.wait(".grid-body .row")
    tab.find(".search input").fill("outside")
    tab.until("document.querySelectorAll('.grid-body .row').length > 0")
    tab.find(".side-b .side-steps").click()
    tab.until(f"{COMPARED}.startsWith('20 steps')")
    assert "bsteps=" not in tab.address()


def test_a_range_is_chosen_and_left_by_keys(tab: Tab) -> None:
    tab.go(link(a=NORMAL, b=ABNORMAL)).wait(f"{ORDER} svg")
    tab.find(ORDER).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight"):
        tab.press(key)
    assert "steps 42–44" in tab.find(".step-read").inner_text()
    tab.press("Enter")
    tab.until(f"{COMPARED}.startsWith('6 of 20 steps')")
    assert "bsteps=42-44" in tab.address()
    tab.wait(f"{ORDER} svg")
    tab.until("document.activeElement.matches('.step-strip')")
    tab.press("ArrowDown")
    tab.press("Escape")
    tab.until(f"{COMPARED}.startsWith('20 steps')")


def test_escape_clears_the_ranges_and_swapping_keeps_them(tab: Tab) -> None:
    tab.go(link(a=NORMAL, asteps="41-45", b=ABNORMAL))
    tab.answer()
    tab.find(".verdict").click()
    tab.press("x")
    tab.until("document.querySelector('.side-b .side-steps')?.innerText.includes('41–45')")
    assert "bsteps=41-45" in tab.address()
    tab.wait(f"{ORDER} svg")
    tab.press("Escape")
    tab.until("!document.querySelector('.side-steps')")


def test_a_range_without_steps_names_the_steps_there_are(tab: Tab) -> None:
    tab.go(link(a=NORMAL, asteps="3-6", b=ABNORMAL))
    tab.wait(".state:has-text('No step between 3 and 6')")  # not the one of loading before it
    tab.find(".side-a .side-steps").click()
    tab.answer()


def test_cycles_are_chosen_like_steps(tab: Tab) -> None:
    tab.go(link(a=TABLE_A, b=TABLE_B, asteps="3-6"))
    tab.answer()
    tab.until("document.querySelector('.side-a .facts').innerText.includes('4 of 12 cycles')")


def test_every_step_is_a_column_of_its_parts(tab: Tab) -> None:
    tab.go(STEPS).wait(f"{STACKS} svg")
    assert "20 steps of A" in (tab.find(STACKS).get_attribute("aria-label") or "")
    assert tab.find(".stacks-part").all_inner_texts() == ["DataLoader", "CPU Exec", "Other"]
    tab.find(STACKS).hover(position={"x": 200, "y": 80})
    tip = tab.wait(".tooltip").inner_text()
    assert tip.startswith("Baseline, step 4") and "DataLoader" in tip


def test_a_column_opens_its_step_by_pointer_and_by_keys(tab: Tab) -> None:
    tab.go(STEPS).wait(f"{STACKS} svg")
    tab.find(STACKS).click(position={"x": 100, "y": 80})
    tab.wait(".row-panel")
    tab.wait(".stacks-box .mark-box.chosen")
    tab.press("Escape")
    tab.until("!document.querySelector('.row-panel')")
    tab.page.mouse.move(0, 0)
    tab.find(STACKS).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        tab.press(key)
    text = tab.find(".figure-box [role=status]").inner_text()
    assert text.startswith("Candidate, step 42") and "DataLoader" in text
    tab.press("Enter")
    tab.wait(".row-panel")
    tab.until("document.querySelector('.grid-body .row.selected').innerText.includes('Candidate')")


def test_a_part_alone_and_shares_are_in_the_link(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B, tab="steps")).wait(f"{STACKS} svg")
    tab.find(".stacks-part", has_text="Communication").click()
    tab.find(".figure-box .segments button", has_text="Share").click()
    tab.until("document.querySelector('.stacks-part[aria-pressed=true]')?.innerText.includes('Communication')")
    assert "look=share%2Ccommunication" in tab.address()


def test_a_range_of_columns_is_compared_alone(tab: Tab) -> None:
    tab.go(STEPS).wait(f"{STACKS} svg")
    area = tab.find(STACKS).bounding_box()
    assert area
    step = min(64, (area["width"] - 78) / 20)
    first, last = (74 + 2.5 * step) / area["width"], (74 + 4.5 * step) / area["width"]
    drag(tab, tab.find(STACKS), (first, 60), (last, 60))
    tab.until("document.querySelector('.side-a .facts').innerText.startsWith('6 of 20 steps')")
    assert "asteps=43-45" in tab.address() and "tab=steps" in tab.address()


def test_cycles_have_no_parts_and_no_such_picture(tab: Tab) -> None:
    tab.go(link(a=TABLE_A, b=TABLE_B, tab="steps")).wait(".grid-body .row")
    assert tab.find(".figure-box, .lazy").count() == 0
