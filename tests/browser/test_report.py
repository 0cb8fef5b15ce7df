"""The web page of a comparison, as it opens from disk: in a window, on a phone, on paper, for everyone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tb_perfcompare.cli.main import main
from tests.machine.frontend_tools import ROOT
from tests.render.examples import comparison
from tests.render.test_html_report import render, steps

DEMO = ROOT / "demo_logs"
GPU = [str(DEMO / "gpu_training_synthetic" / side) for side in ("baseline", "candidate")]
COMMANDS = {
    "report": ["diff", *GPU],
    "table": ["diff", *GPU, "--table", "kernels"],
    "candidates": ["verdicts", *GPU, str(DEMO / "mlu_training_synthetic" / "baseline"), "--format", "html"],
}
OUTSIDE = """width => [...document.querySelectorAll('main *')]
  .filter(one => !one.closest('thead'))
  .filter(one => (({left, right}) => left < -1 || right > width + 1)(one.getBoundingClientRect()))
  .map(one => one.outerHTML.slice(0, 120))"""
AXE = """axe.run(document, {resultTypes: ['violations'], %s})
    .then(r => r.violations.map(v => v.id + ' ' + v.nodes[0].html))"""
THEMES: dict[Any, str] = {"light": "", "dark": "runOnly: ['color-contrast']"}
"""What to ask in each: a theme changes nothing but colours."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of a pair, of one of its tables, of candidates, and of names that hold anything."""
    folder = tmp_path_factory.mktemp("reports")
    made = {name: folder / f"{name}.html" for name in (*COMMANDS, "names")}
    for name, command in COMMANDS.items():
        assert main([*command, "-o", str(made[name])]) == 0
    tables = {**comparison().tables, "steps": steps()}
    causes = tuple(replace(finding, sentence=f"Cause {at}.") for at in range(9) for finding in comparison().findings)
    made["names"].write_bytes(render(comparison(tables=tables, findings=causes), "html"))
    return made


@pytest.fixture(scope="module")
def opened(chromium: Browser, reports: dict[str, Path]) -> Iterator[Callable[[str, int], Page]]:
    """Opens a page by its name, so wide; without a network or scripts of its own it is whole."""
    page = chromium.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    def open_page(name: str, width: int) -> Page:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(reports[name].as_uri())
        return page

    yield open_page
    page.close()
    assert {url.partition("#")[0] for url in asked} <= {path.as_uri() for path in reports.values()}


@pytest.mark.parametrize("name", [*COMMANDS, "names"])
def test_accessible_in_both_themes_and_no_wider_than_a_phone_or_a_sheet_of_a4(
    opened: Callable[[str, int], Page], axe: str, name: str
) -> None:
    page = opened(name, 390)
    assert page.evaluate(OUTSIDE, 390) == []
    page.set_viewport_size({"width": 703, "height": 900})
    page.emulate_media(media="print")
    assert page.evaluate(OUTSIDE, 703) == []
    page.set_viewport_size({"width": 1280, "height": 900})
    for theme, rules in THEMES.items():
        page.emulate_media(media="screen", color_scheme=theme)
        found = page.evaluate(f"{axe};\n{AXE % rules}")
        assert found == [], theme
    page.emulate_media(color_scheme="light")


def test_causes_that_are_folded_are_on_paper(opened: Callable[[str, int], Page]) -> None:
    page = opened("names", 703)
    visible = (
        "[...document.querySelectorAll('details li')].map(one => one.checkVisibility({contentVisibilityAuto: true}))"
    )
    assert page.evaluate(visible) == [False] * 4
    page.emulate_media(media="print")
    # from a later frame on; the page's policy forbids to wait for what a text says
    page.evaluate(
        f"""async () => {{
            for (let frames = 0; frames < 600 && !{visible}.every(Boolean); frames += 1)
                await new Promise(requestAnimationFrame);
        }}"""
    )
    assert page.evaluate(visible) == [True] * 4
    assert page.locator("summary").is_hidden()
    page.emulate_media(media="screen")
