"""Choosing the pair: the guess, pickers, swap, suggestions, links and Back."""

from __future__ import annotations

from playwright.sync_api import Route

from tests.browser.tab import ABNORMAL, GPU_A, GPU_B, NORMAL, SLOWER_B, Tab, link


def pair(tab: Tab) -> tuple[str, str]:
    """Runs shown in the two pickers."""
    a, b = (str(tab.find(f".side-{side} .run-button").get_attribute("value")) for side in "ab")
    return a, b


def test_first_visit_guesses_a_pair_and_says_so(tab: Tab) -> None:
    assert pair(tab) == (NORMAL, ABNORMAL)
    assert "guess" in tab.find(".guess").inner_text().lower()
    assert tab.answer().startswith(SLOWER_B)
    assert "Data loader wait" in tab.find(".findings").inner_text()
    assert tab.find(".facts").first.inner_text().startswith("20 steps")


def test_picking_runs_changes_the_answer_and_the_address(tab: Tab) -> None:
    tab.choose_run("a", GPU_A)
    tab.choose_run("b", GPU_B)
    tab.until("document.querySelector('.findings')?.textContent.includes('sgemm')")
    assert tab.find(".guess").count() == 0
    assert link(a=GPU_A, b=GPU_B)[1:] in tab.address()


def test_no_frame_shows_another_pairs_answer(tab: Tab) -> None:
    tab.go(link(a=GPU_A, b=GPU_B))
    tab.until("document.querySelector('.findings')?.textContent.includes('sgemm')")
    seen = tab.frame.evaluate(
        """async ([hash, run]) => {
        const chosen = () => document.querySelector('.side-a .run-button').value;
        const answer = () => document.querySelector('.findings')?.textContent ?? '';
        const frames = [];
        parent.location.hash = hash;
        for (let i = 0; i < 500 && !(chosen() === run && answer() !== ''); i += 1) {
          await new Promise((drawn) => requestAnimationFrame(drawn));
          frames.push([chosen(), answer()]);
        }
        frames.push([chosen(), answer()]);
        return frames;
        }""",
        [link(a=NORMAL, b=ABNORMAL), NORMAL],
    )
    assert "Data loader wait" in seen[-1][1]
    assert not [said for run, said in seen if run == NORMAL and "sgemm" in said]


def test_a_worker_or_span_can_be_chosen(tab: Tab) -> None:
    tab.details("b")
    tab.find("select[aria-label='Candidate: span']").select_option("2")
    tab.until("document.querySelector('.side-b .facts').textContent.includes('10 steps')")
    assert "p.tb_perfcompare.bs=2" in tab.address()


def test_steps_are_typed_and_back_undoes_it(tab: Tab) -> None:
    tab.details("a")
    tab.find("input[aria-label='Baseline: steps']").fill("soon")
    assert tab.find("input[aria-label='Baseline: steps']").get_attribute("aria-invalid") == "true"
    tab.find("input[aria-label='Baseline: steps']").fill("47 - 43")
    tab.find("input[aria-label='Baseline: steps']").press("Enter")
    tab.until("document.querySelector('.side-a .facts').textContent.includes('10 of 20 steps')")
    assert "p.tb_perfcompare.asteps=43-47" in tab.address()
    assert tab.find(".side-a .side-steps").inner_text().startswith("Baseline: only steps 43\u201347")
    assert tab.find("input[aria-label='Baseline: steps']").input_value() == "43-47"
    tab.find("input[aria-label='Baseline: steps']").press("Escape")
    assert tab.find("input[aria-label='Baseline: steps']").count() == 0
    tab.until("document.activeElement.matches('.side-a .side-details > button')")
    tab.page.go_back()
    tab.until("document.querySelector('.side-a .facts').textContent.startsWith('20 steps')")


def test_swap_negates_the_difference(tab: Tab) -> None:
    before = tab.find(".verdict .effect").inner_text()
    tab.find("body").press("x")
    tab.until("document.querySelector('.verdict')?.textContent.includes('aster')")
    assert pair(tab) == (ABNORMAL, NORMAL)
    after = tab.find(".verdict .effect").inner_text()
    assert before.split()[0].replace("+", "\u2212") == after.split()[0]


def test_suggested_pairs_are_one_click(tab: Tab) -> None:
    tab.find(".menu button", has_text="Suggested pairs").click()
    tab.find(".pop-item", has_text=GPU_A).first.click()
    tab.until(f"document.querySelector('.side-b .run-button').value === '{GPU_B}'")
    assert tab.find(".pop").count() == 0


def test_a_link_restores_pair_view_and_filters(fresh_tab: Tab) -> None:
    tab = fresh_tab.load(link(a=GPU_B, b=GPU_A, tab="kernels", q="gemm", sort="-delta_us", min="0"))
    tab.wait(".grid-body .row")
    assert pair(tab) == (GPU_B, GPU_A)
    assert tab.find(".search input").input_value() == "gemm"
    assert tab.find("[aria-selected=true][role=tab]").inner_text() == "Breakdown"
    assert tab.find(".choices [aria-pressed=true]").inner_text().startswith("Kernels")
    assert tab.find("[aria-sort=descending]").inner_text().startswith("Δ")
    assert all("gemm" in name for name in tab.find(".grid-body .key").all_inner_texts())
    address = tab.address()
    tab.load(address)
    tab.wait(".grid-body .row")
    assert tab.address() == address


def test_back_undoes_a_choice_and_another_tab_does_not(tab: Tab) -> None:
    tab.choose_run("a", GPU_A)
    tab.until(f"document.querySelector('.side-a .run-button').value === '{GPU_A}'")
    tab.page.evaluate("history.back()")
    tab.until(f"document.querySelector('.side-a .run-button').value === '{NORMAL}'")
    tab.go(link(a=GPU_A, b=GPU_B))
    tab.until(f"document.querySelector('.side-a .run-button').value === '{GPU_A}'")
    tab.page.evaluate("location.hash = location.hash.replace('tb_perfcompare', 'empty')")
    tab.page.wait_for_timeout(300)
    tab.page.evaluate("location.hash = location.hash.replace('empty', 'tb_perfcompare')")
    assert pair(tab) == (GPU_A, GPU_B)


def test_copied_link_names_the_guessed_pair(fresh_tab: Tab) -> None:
    tab = fresh_tab
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.load().answer()
    tab.find("button", has_text="Copy link").click()
    tab.until("document.querySelector('.actions [role=status]').textContent === 'Copied'")
    copied = tab.page.evaluate("navigator.clipboard.readText()")
    assert copied == tab.base + link(a=NORMAL, b=ABNORMAL, v="1")


def test_reports_are_saved(tab: Tab) -> None:
    for label, expected in (("Report (Markdown)", "## Slower"), ("Everything (JSON)", "tb_perfcompare.comparison/1")):
        tab.find(".menu button", has_text="Export").click()
        with tab.page.expect_download() as download:
            tab.find(".pop-item", has_text=label).click()
        assert expected in download.value.path().read_text(encoding="utf-8")


def test_step_window_asks_again(tab: Tab) -> None:
    tab.details("a")
    with tab.page.expect_request(lambda request: "step_window=marker" in request.url):
        tab.find(".segments button", has_text="marker").click()
    tab.answer()
    assert "p.tb_perfcompare.w=marker" in tab.address()


def test_many_runs_are_a_table_with_the_newest_first(fresh_tab: Tab) -> None:
    tab = fresh_tab

    def many(route: Route) -> None:
        answer = route.fetch().json()
        model = next(one for one in answer["runs"] if one["run"] == GPU_A)
        for number in range(60):
            files = [{"name": "f", "bytes": 1000 + number, "modified": 1_700_000_000 + 60 * number}]
            known = {"device": "NVIDIA A100", "steps": 4, "mean_step_us": 2500.0}
            span = {"span": "1", "files": files, **({"known": known} if number == 58 else {})}
            workers = [{"worker": "w", "rank": 0, "spans": [span]}]
            answer["runs"].append({**model, "run": f"nights/{number:02d}", "workers": workers})
        for run in answer["runs"][:-60]:
            for worker in run["workers"]:
                for span in worker["spans"]:
                    for file in span["files"]:
                        file["modified"] = 1_600_000_000
        answer["problems"] = [{"path": "nights/torn", "message": "cut off"}]
        route.fulfill(json=answer)

    tab.page.route("**/api/runs*", many)
    tab.load(link(a=GPU_A, b=GPU_B)).answer()
    tab.find(".side-b .run-button").click()
    tab.wait(".runs-dialog .grid-body .row")
    first = ".runs-dialog .grid-body .row[aria-rowindex='2']"
    assert tab.find(first).inner_text().startswith("nights/59")
    assert tab.find(".runs-dialog .problems summary").inner_text() == "1 file cannot be used"
    assert tab.find(".top > .problems").count() == 0
    tab.page.keyboard.type("nights/0")
    tab.until("document.querySelector('.runs-dialog [role=status]').textContent.startsWith('10 of')")
    tab.find(".runs-dialog .head-button", has_text="Run").click()
    tab.until(f"document.querySelector(`{first}`).textContent.startsWith('nights/00')")
    tab.find(".runs-dialog input").fill("")
    tab.find(".runs-dialog select").select_option("nights")
    tab.find(".runs-dialog .head-button", has_text="Mean step").click()
    tab.until(f"document.querySelector(`{first}`).textContent.startsWith('58')")
    assert {"A100", "4"} <= set(tab.find(f"{first} [role=gridcell]").all_inner_texts())
    tab.find(".runs-dialog select").select_option("")
    tab.find(".runs-dialog input").fill("x")
    tab.page.keyboard.press("Escape")  # empties the search, and stays there
    tab.page.keyboard.type("gpu_training baseline")
    tab.page.keyboard.press("Enter")
    tab.until("!document.querySelector('.runs-dialog')")
    tab.until("document.querySelector('.verdict')?.textContent.includes('same')")
    assert f"p.tb_perfcompare.b={GPU_A.replace('/', '%2F')}" in tab.address()
