"""What exists is documented, what is documented exists, and the examples are what the program prints."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pytest
from tensorboard.plugins.base_plugin import TBContext

from tb_perfcompare.analysis.compat.answers import ROUTES
from tb_perfcompare.cli.main import COMMANDS, build_parser
from tb_perfcompare.comparison.causes.evidence.rule import Recorded
from tb_perfcompare.comparison.pairing.run_names import WORD_PAIRS
from tb_perfcompare.comparison.result.options import WINDOWS
from tb_perfcompare.comparison.tables.views import VIEWS
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.progress import Progress
from tb_perfcompare.plugin.plugin import PerfComparePlugin
from tb_perfcompare.render.formats import FORMATS
from tb_perfcompare.workspace.listing.describe import runs_dict
from tb_perfcompare.workspace.listing.index import Index, Root
from tests import docs_examples
from tests.drawn_runs import write_pair

REPOSITORY = Path(__file__).parents[1]
CLI = (REPOSITORY / "docs" / "guide" / "cli.md").read_text("utf-8")
GATE = (REPOSITORY / "docs" / "guide" / "gate.md").read_text("utf-8")
BLOCKS = [
    (name, number)
    for name in docs_examples.DOCUMENTS
    for number in range(len(docs_examples.blocks((REPOSITORY / name).read_text("utf-8"))))
]
ARCHITECTURE = (REPOSITORY / "docs" / "internals" / "architecture.md").read_text("utf-8")
COMPARISON = (REPOSITORY / "docs" / "method" / "comparison.md").read_text("utf-8")
API = (REPOSITORY / "tb_perfcompare" / "plugin" / "http_api.md").read_text("utf-8")
WRITTEN_BY = "`python -m tests.docs_examples` writes it"
_BUILT_IN = {"--help", "--version"}


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Command -> its parser."""
    (subparsers,) = [action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(subparsers.choices)


def flags(parser: argparse.ArgumentParser) -> set[str]:
    """Also those of its own commands."""
    found = {flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")}
    below = [action.choices.values() for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return found.union(*(flags(choice) for choices in below for choice in choices)) - _BUILT_IN


def section(text: str, heading: str) -> str:
    """From a heading to the next one of its level."""
    marks = re.match(r"#+", heading).group()
    found = re.search(rf"^{re.escape(heading)}$(.*?)(?=^{marks} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"no section {heading}"
    return found[1]


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_flag_of_a_command_is_described_and_has_an_example_of_some_command(command: str) -> None:
    text = section(CLI, f"## {command}") + section(CLI, "### Shared options")
    examples = "\n".join(line for line in CLI.splitlines() if line.startswith("$ tb-perfcompare "))
    for flag in flags(parsers()[command]):
        named = re.compile(rf"{flag}(?![\w-])")
        assert named.search(text), f"{flag} is not described"
        assert named.search(examples) or flag == "--output", f"{flag}: no example"  # -o has one


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_flag_in_a_commands_section_exists(command: str) -> None:
    text = re.sub(r"^```console$.*?^```$", "", section(CLI, f"## {command}"), flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
    assert named - _BUILT_IN <= flags(parsers()[command])


def test_every_flag_says_what_it_is_for() -> None:
    for name, parser in parsers().items():
        assert parser.description, name
        for action in parser._actions:
            assert action.help, (name, action.dest)


def test_the_choices_are_listed() -> None:
    assert missing(ROUTES, section(CLI, "## view")) == [], "docs/guide/cli.md"
    assert missing(WINDOWS, section(CLI, "### Shared options")) == [], "docs/guide/cli.md"
    assert missing(VIEWS, section(COMPARISON, "## Tables")) == [], "docs/method/comparison.md"
    assert missing(FORMATS, section(CLI, "## diff")) == [], "docs/guide/cli.md"
    assert missing(FORMATS, section(API, "## `api/report`")) == [], "tb_perfcompare/plugin/http_api.md"
    pairs = section(CLI, "## pairs")
    assert [words for words in map("/".join, WORD_PAIRS) if words not in pairs] == [], "docs/guide/cli.md"


def missing(names: Iterable[str], text: str) -> list[str]:
    """Names that the text does not have as code."""
    return [name for name in names if f"`{name}`" not in text]


@pytest.mark.parametrize(("document", "number"), BLOCKS)
def test_examples_print_what_the_document_shows(document: str, number: int) -> None:
    block = docs_examples.blocks((REPOSITORY / document).read_text("utf-8"))[number]
    assert docs_examples.run_block(block) == block, f"{document}: {WRITTEN_BY}"


def test_the_tables_of_rules_are_those_of_the_rules() -> None:
    page = docs_examples.RULES_PAGE.read_text("utf-8")
    assert page.count("<!-- rules: ") == len(Recorded)
    assert docs_examples.with_rules(page).splitlines() == page.splitlines(), WRITTEN_BY


def test_the_job_of_the_gates_page_is_a_command_line_there_is() -> None:
    (job,) = re.findall(r"^```yaml\n(.*?)^```$", GATE, re.MULTILINE | re.DOTALL)
    words = shlex.split(re.findall(r"run: >\n(.*?)\n\s+- uses", job, re.DOTALL)[0])
    found = build_parser().parse_args(words[1:])
    assert (words[0], found.baseline, found.candidate) == ("tb-perfcompare", "main", "traces")
    assert (found.budget[0][0], found.cannot_tell, found.github_summary) == ("Communication", "fail", "")


def test_every_option_of_the_gate_is_on_its_page() -> None:
    for option in ("--fail-if-slower", "--budget", "--fail-on", "--cannot-tell", "--junit", "--github-summary"):
        assert option in flags(parsers()["diff"])
        assert f"`{option}" in GATE


def test_the_python_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(REPOSITORY)
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(import tb_perfcompare\n.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("slower Data loader wait: ")


def test_every_route_is_documented_and_every_documented_one_exists() -> None:
    routes = {route.lstrip("/") for route in PerfComparePlugin(TBContext(logdir="")).get_plugin_apps()}
    assert set(re.findall(r"^## `([^`]+)`$", API, re.MULTILINE)) == routes
    assert set(re.findall(r"^\| `((?:api|static)/[^`]+)` \|", API, re.MULTILINE)) == routes


def test_every_parameter_of_a_route_is_documented() -> None:
    plugin = REPOSITORY / "tb_perfcompare" / "plugin"
    source = "".join(path.read_text("utf-8") for path in plugin.rglob("*.py"))
    asked = set(re.findall(r"(?:required|flag|choice|get)\((?:query, |request\.args, )?\"([a-z_]+)\"", source))
    assert {"run", "stream", "rescan", "format", "table"} <= asked
    sides = {f"{side}_{part}" for side in ("baseline", "candidate") for part in ("worker", "span", "steps")}
    for name in asked | sides | {"baseline", "candidate", "worker", "span", "steps"}:
        assert f"`{name}`" in API, name


def test_the_example_listing_has_the_keys_of_a_real_one(tmp_path: Path) -> None:
    shown = json.loads(re.findall(r"```json\n(\{\n.*?\n\})\n```", section(API, "## `api/runs`"), re.DOTALL)[0])
    write_pair(tmp_path)
    real = runs_dict(Index([Root(str(tmp_path))]).listing(), ["logs"])
    assert set(shown) == set(real) | {"profiler_tab", "reader"}
    assert _keys(shown["runs"][0]) == _keys(real["runs"][0])
    assert _keys(shown["pairs"][0]) == _keys(real["pairs"][0])


def test_the_example_lines_have_the_keys_of_real_ones() -> None:
    text = section(API, "## `api/comparison`")
    lines = [json.loads(line) for line in re.findall(r"^\{.*\}$", text, re.MULTILINE)]
    assert [list(line) for line in lines] == [["progress"], ["result"], ["error"]]
    assert list(lines[0]["progress"]) == [*asdict(Progress("reading")), "elapsed_s"]
    assert list(lines[2]["error"]) == ["code", "message", "hint"]


def _keys(value: object) -> object:
    match value:
        case dict():
            return {key: _keys(item) for key, item in value.items()}
        case [first, *_]:
            return [_keys(first)]
        case _:
            return None


def test_every_note_is_explained() -> None:
    page = (REPOSITORY / "docs" / "method" / "comparison.md").read_text("utf-8")
    for code in NoteCode:
        assert f"`{code.value}`" in page, code


def anchors(path: Path) -> set[str]:
    """The headings of a page as GitHub links to them."""
    text = re.sub(r"(?ms)^```.*?^```$", "", path.read_text("utf-8"))
    return {re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-") for words in re.findall(r"(?m)^#+ (.*)$", text)}


def test_no_page_holds_the_markers_of_a_merge() -> None:
    marked = [
        path.name for path in (REPOSITORY / "docs").rglob("*.md")
        if re.search("^(<{7}|>{7}) ", path.read_text("utf-8"), re.MULTILINE)
    ]  # fmt: skip
    assert marked == []


def test_links_between_documents_lead_to_a_page_and_a_heading_of_it() -> None:
    others = [REPOSITORY / "demo_logs/README.md", REPOSITORY / "tb_perfcompare/plugin/http_api.md"]
    for path in [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md"), *others]:
        for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", path.read_text("utf-8")):
            if "://" in target:
                continue
            page = path.parent / target if target else path
            assert page.exists(), f"{path.name}: {target}"
            assert not anchor or anchor in anchors(page), f"{path.name}: {target}#{anchor}"


def test_every_page_named_in_the_code_exists() -> None:
    places = [REPOSITORY / name for name in ("tb_perfcompare", "tests", "benchmarks", "frontend/src", "build_support")]
    for path in (file for place in places for file in place.rglob("*") if file.suffix in (".py", ".ts", ".tsx", ".c")):
        for page in re.findall(r"\bdocs/[\w/]+\.(?:md|schema\.json)", path.read_text("utf-8")):
            assert (REPOSITORY / page).exists(), f"{path}: {page}"


def test_every_file_named_in_the_documents_exists() -> None:
    for page in [*REPOSITORY.glob("docs/**/*.md"), REPOSITORY / "README.md"]:
        text = page.read_text("utf-8")
        for path in re.findall(r"`((?:tests|benchmarks|tb_perfcompare|demo_logs)/[\w./]+\.\w+)`", text):
            assert (REPOSITORY / path).exists(), f"{page.name}: {path}"


def test_the_index_lists_every_page() -> None:
    docs = REPOSITORY / "docs"
    listed = set(re.findall(r"\]\(([\w/]+\.md)\)", (docs / "README.md").read_text("utf-8")))
    assert listed == {path.relative_to(docs).as_posix() for path in docs.glob("*/*.md")}


def test_every_file_and_folder_that_a_contributor_is_sent_to_exists() -> None:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    named = [words for words in re.findall(r"`([^`\n]+)`", text) if re.fullmatch(r"[\w./-]+(?:/|\.\w+)", words)]
    paths = [words for words in named if "/" in words or words.endswith(".md")]
    assert len(paths) > 40
    for path in paths:
        assert (REPOSITORY / path).exists(), path
    for path, name in re.findall(r"`(tb_perfcompare/[\w./]+\.py)`: (?:\w+ ){0,6}`(\w+)`", text):
        assert re.search(rf"\b{name}\b", (REPOSITORY / path).read_text("utf-8")), f"{path}: {name}"


def test_every_hop_of_an_event_is_a_name_in_the_file_that_is_named() -> None:
    walk = section(ARCHITECTURE, "## One event, from file to table cell")
    hops = re.findall(r"`(\w+)`\s+\(`([\w/.]+)`\)", walk)
    assert len(hops) > 18
    for name, path in hops:
        file = REPOSITORY / path if path.startswith("frontend/") else REPOSITORY / "tb_perfcompare" / path
        assert re.search(rf"\b{name}\b", file.read_text("utf-8")), f"{path}: {name}"


def test_every_room_has_a_line_with_its_size() -> None:
    package, page = REPOSITORY / "tb_perfcompare", REPOSITORY / "frontend" / "src"
    text = section(ARCHITECTURE, "## Rooms").partition("### Before")[0]
    listed = docs_examples.rooms(text)
    folders = {path.parent.relative_to(package).as_posix() for path in package.rglob("*.py")} - {"."}
    of_page = {path.name for path in page.iterdir() if path.is_dir()}
    folders |= {"sources/native", "analysis/native", *of_page, "tb_perfcompare", "frontend/src"}
    assert listed.keys() ^ folders == set(), "a row of docs/internals/architecture.md for each folder"
    for name, lines in listed.items():
        assert lines == pytest.approx(docs_examples.room_lines(name), rel=0.3, abs=100), f"{name}: {WRITTEN_BY}"
    total = int(re.findall(r"About ([\d,]+) lines", ARCHITECTURE)[0].replace(",", ""))
    assert total == pytest.approx(sum(map(docs_examples.room_lines, listed)), rel=0.03)


def test_the_gallery_shows_every_view_in_both_themes() -> None:
    from tests.browser.test_looks import VIEWS as SHOWN

    page = (REPOSITORY / "docs" / "guide" / "tab.md").read_text("utf-8")
    shown = set(re.findall(r"(?<=\.\./)images/gallery/[a-z_]+-(?:light|dark)\.jpg", page))
    views = SHOWN.keys() - {"missing"}
    assert shown == {f"images/gallery/{name}-{theme}.jpg" for name in views for theme in ("light", "dark")}
    docs = REPOSITORY / "docs"
    assert shown == {path.relative_to(docs).as_posix() for path in docs.glob("images/gallery/*")}
