"""Keys work without a click into the tab's frame, and TensorBoard's own fields keep what is typed into them."""

from __future__ import annotations

from tests.browser.tab import ABNORMAL, GPU_B, Tab, link

HEIGHT = "document.querySelector('iframe').getBoundingClientRect().height"
FOCUS = """how => {
    const own = document.body.appendChild(document.createElement(how === 'field' ? 'div' : 'button'));
    own.id = 'focused';
    if (how === 'field') own.attachShadow({mode: 'open'}).innerHTML = '<input>';
    (own.shadowRoot?.firstChild ?? own).focus();
}"""


def view(tab: Tab) -> str:
    """The view that is chosen."""
    return tab.find(".tabs [aria-selected=true]").inner_text()


def test_the_first_key_goes_to_the_tab_and_so_do_those_after_another_pair_was_chosen(fresh_tab: Tab) -> None:
    """In a TensorBoard that is loaded for this test alone: where the focus is at first is part of the question."""
    fresh_tab.page.goto("about:blank")
    tab = fresh_tab.load(link())
    tab.answer()
    tab.press("2")
    assert view(tab) == "Breakdown"
    tab.choose_run("b", GPU_B)
    tab.until(f"!document.querySelector('.side-b .run-button').value.includes('{ABNORMAL}')")
    tab.press("x")
    tab.until(f"document.querySelector('.side-a .run-button').value === '{GPU_B}'")


def test_a_tab_that_is_shown_again_takes_keys_unless_a_field_has_them(tab: Tab) -> None:
    ours = tab.address()
    for focused, goes_to in (("button", "IFRAME"), ("field", "DIV")):
        tab.go("#empty").page.wait_for_function(f"{HEIGHT} === 0")
        tab.page.evaluate(FOCUS, focused)
        tab.go(ours).page.wait_for_function(f"{HEIGHT} > 0")
        tab.until("innerHeight > 0")
        tab.settle()
        assert tab.page.evaluate("document.activeElement.tagName") == goes_to, focused
        tab.page.evaluate("document.getElementById('focused').remove()")
