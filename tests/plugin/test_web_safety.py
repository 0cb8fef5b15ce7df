"""What nobody may do over HTTP, one class of trouble after the other (docs/internals/security.md)."""

from __future__ import annotations

import csv
import gzip
import html.parser
import io
import itertools
import json
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tensorboard.plugins.base_plugin import TBContext
from werkzeug.test import Client, TestResponse

from tb_perfcompare.plugin.http.origin import OWN_HEADER
from tb_perfcompare.plugin.plugin import LONGEST_NAME, LONGEST_VALUE, MAX_PARAMETERS, PerfComparePlugin
from tb_perfcompare.render.formats import FORMATS
from tb_perfcompare.sources.discover import find_runs
from tb_perfcompare.sources.storage.inside_only import LINKS, REFUSED
from tests.build import TraceBuilder
from tests.drawn_runs import write_garbage, write_pair
from tests.plugin.server import PAIR, PREFIX, Server
from tests.runs.hostile_names import FORMULAS, MARKUP, assert_harmless, write_names
from tests.workspace import tasks

SECRET = "unmistakable_secret"
ROUTES = ("runs", *sorted(
    route.removeprefix("/api/")
    for route in PerfComparePlugin(TBContext(logdir="")).get_plugin_apps()
    if route.startswith("/api/") and route != "/api/runs"
))  # fmt: skip
"""All that there are; the listing, which takes no name, first."""
SIDES = ("baseline", "candidate", "run", "baseline_launches", "candidate_launches", "launches")
PARTS = ("baseline_worker", "candidate_worker", "worker", "baseline_span", "candidate_span", "span")
METHODS = ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND")


def write_logs(folder: Path) -> Path:
    """normal/ and abnormal/, and beside the log directory a run and a file that are nobody's business."""
    write_pair(folder / "logs")
    for beside in ("outside", "logs_too"):
        trace = TraceBuilder()
        trace.op(SECRET, 10, 20)
        trace.step(1, 0, 100)
        trace.write(folder / beside / f"{SECRET}.1700000000001.pt.trace.json")
    (folder / "secret.json").write_text(json.dumps({"secret": SECRET}))
    return folder / "logs"


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return write_logs(tmp_path)


@pytest.fixture
def served(logdir: Path, serve: Callable[..., Server]) -> Server:
    return serve(logdir)


class OneServer:
    """Tests that change nothing share it."""

    @pytest.fixture(scope="class")
    @classmethod
    def logdir(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return write_logs(tmp_path_factory.mktemp("safety"))

    @pytest.fixture(scope="class")
    @classmethod
    def served(cls, logdir: Path) -> Iterator[Server]:
        server = Server(logdir)
        yield server
        server.close()


def raw(server: Server, path_and_query: str, method: str = "GET") -> TestResponse:
    """A request as it stands on the line, without any encoding of ours."""
    return Client(server.app).open(f"{PREFIX}/{path_and_query}", method=method)


def in_time(ask: Callable[[], Any]) -> list[Any]:
    """What it answers; nothing if it hangs."""
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.append(ask()), daemon=True)
    asking.start()
    asking.join(60)
    return answers


def write_table(path: Path) -> Path:
    """A per-cycle table."""
    path.parent.mkdir()
    header = "cycle,pid,beta_pct,function_name,metric_name,device,mu_pct,anchor_dur_us\n"
    path.write_text(header + "".join(f"{cycle},1,50.0,gemm,gpu_frequency,GPU 0,100.0,1000\n" for cycle in range(9)))
    return path


def asked(**changed: str) -> dict[str, str]:
    """Parameters that every route understands, with some of them changed."""
    return {**PAIR, "run": "normal", "table": "steps", "stream": "0", **changed}


def tells_nothing(answer: TestResponse, folder: Path) -> None:
    """Neither what the secret files hold nor where anything lies, nor how the program looks inside."""
    body = answer.get_data()
    text = (gzip.decompress(body) if answer.mimetype == "application/gzip" else body).decode()
    for word in (SECRET, str(folder), "Traceback", "site-packages", "tb_perfcompare/", "root:x:0"):
        assert word not in text
        assert all(word not in value for _, value in answer.headers)


class TestOnlyFilesBelowTheLogdir(OneServer):
    PLACES = (
        "../outside", "..", ".", "/", "./../outside", "normal/../../outside", "normal/..", "..\\outside", "~", "~root",
        "$HOME", "${HOME}", "%HOME%", "file:///etc/passwd", "/etc/passwd", "//etc/passwd", "/proc/self/environ",
        "C:\\Windows\\win.ini", "\\\\host\\share", "logs_too", "../logs_too", "..%2foutside", "%2e%2e/outside",
        "%252e%252e%252foutside", "..%c0%afoutside", "．．/outside", "..;/outside", "normal\0", "\0", "normal\n",
        "../secret.json", "../secret.json#1", "normal#2", "*", "nor*", "n?rmal", "NORMAL", "normal/", " normal",
        "x" * LONGEST_VALUE, "../" * 1000 + "etc/passwd", "\ud7ff\U0010ffff", "nörmal",
    )  # fmt: skip

    @pytest.mark.parametrize("route", ROUTES[1:])
    def test_a_run_is_a_name_of_the_listing_and_nothing_else(self, served: Server, logdir: Path, route: str) -> None:
        """All places are asked of a pair and of a run; the other routes take the same way to their sides."""
        for place in self.PLACES if route in ("comparison", "view") else self.PLACES[::5]:
            for parameter in SIDES[:3]:
                answer = served.get(f"api/{route}", **asked(**{parameter: place}))
                if answer.status_code == 200:  # the route does not know this parameter
                    assert answer.data == served.get(f"api/{route}", **asked()).data
                else:
                    assert answer.status_code in (400, 404), (parameter, place, answer.text)
                tells_nothing(answer, logdir.parent)

    def test_workers_spans_and_launches_too(self, served: Server, logdir: Path) -> None:
        for place in self.PLACES:
            for parameter in (*SIDES[3:], *PARTS):
                route = "view" if parameter in ("worker", "span", "launches") else "comparison"
                answer = served.get(f"api/{route}", **asked(**{parameter: place}))
                assert answer.status_code in (400, 404), (parameter, place)
                tells_nothing(answer, logdir.parent)

    @pytest.mark.parametrize("dots", ["..", "%2e%2e", "%252e%252e", ".%2e", "..%00", "%c0%ae%c0%ae", "..%5c"])
    def test_encoded_forms_in_the_query(self, served: Server, logdir: Path, dots: str) -> None:
        for slash in ("/", "%2f", "%252f", "%5c", "%c0%af"):
            name = f"{dots}{slash}outside"
            answer = raw(served, f"api/comparison?baseline={name}&candidate=normal&stream=0")
            assert answer.status_code in (400, 404)
            tells_nothing(answer, logdir.parent)

    @pytest.mark.parametrize("route", ["static", "api", "api/runs"])
    def test_encoded_forms_in_the_path(self, served: Server, logdir: Path, route: str) -> None:
        for dots in ("../..", "..%2f..", "%2e%2e/%2e%2e", "..%5c..", "....//....//"):
            answer = raw(served, f"{route}/{dots}/secret.json")
            assert answer.status_code == 404
            tells_nothing(answer, logdir.parent)

    def test_only_what_is_below_is_listed(self, served: Server) -> None:
        listed = served.json("api/runs")
        assert [run["run"] for run in listed["runs"]] == ["abnormal", "normal"]
        assert SECRET not in json.dumps(listed)


class TestLinks:
    @pytest.fixture
    def linked(self, logdir: Path) -> Path:
        """A run, a file and a directory by links that lead out, and one that stays inside."""
        (logdir / "shortcut").symlink_to(logdir.parent / "outside")
        (logdir / "normal" / "w9.1700000000001.pt.trace.json").symlink_to(
            logdir.parent / "outside" / f"{SECRET}.1700000000001.pt.trace.json"
        )
        (logdir / "inner").symlink_to(logdir / "abnormal")
        return logdir

    def test_they_are_followed_because_only_owners_of_the_logdir_make_them(
        self, linked: Path, serve: Callable[..., Server]
    ) -> None:
        server = serve(linked)
        runs = {run["run"]: run for run in server.json("api/runs")["runs"]}
        assert {"shortcut", "normal"} <= set(runs)
        assert [worker["worker"] for worker in runs["normal"]["workers"]] == ["w9", "worker0"]
        answer = server.get("api/view", run="shortcut", view="operators")
        assert answer.json["table"]["rows"][0][0] == SECRET
        assert str(linked.parent) not in answer.text.replace(str(linked), "")

    def test_or_not_where_the_server_is_told_so(
        self, linked: Path, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(LINKS, "inside")
        server = serve(linked)
        answer = server.json("api/runs")
        assert {run["run"] for run in answer["runs"]} == {"abnormal", "normal"}
        problems = {problem["path"]: problem["message"] for problem in answer["problems"]}
        assert problems["shortcut"] == problems["normal/w9.1700000000001.pt.trace.json"] == REFUSED
        assert problems["inner"] == "the same directory as abnormal, listed there only"
        assert server.get("api/view", run="shortcut").status_code == 404
        assert server.json("api/view", run="normal", view="operators")["table"]["rows"][0][0] == "aten::mm"

    def test_a_file_that_becomes_a_link_after_the_listing_is_refused(
        self, logdir: Path, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(LINKS, "inside")
        server = serve(logdir)
        server.json("api/runs")
        (trace,) = (logdir / "normal").iterdir()
        trace.unlink()
        trace.symlink_to(logdir.parent / "outside" / f"{SECRET}.1700000000001.pt.trace.json")
        answer = server.get("api/view", run="normal")
        assert (answer.status_code, answer.json["error"]["code"]) == (422, "input")
        tells_nothing(answer, logdir.parent)

    def test_a_file_beside_a_table_is_no_way_out_either(
        self, logdir: Path, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (logdir.parent / "outside" / "samples").write_text(f"counter_name,timestamp,value\n{SECRET},1,2\n")
        table = write_table(logdir / "table" / "a_perf_data.csv")
        table.with_name("a_counters_data.csv").symlink_to(logdir.parent / "outside" / "samples")
        seen = []
        for rule in ("follow", "inside"):
            monkeypatch.setenv(LINKS, rule)
            server = serve(logdir)
            answer = server.json("api/view", run="table", view="functions")
            assert answer["table"]["rows"]
            seen.append([note["message"] for note in answer["notes"] if REFUSED in note["message"]])
        assert seen == [[], [f"the samples of the counters are left out: {REFUSED}"]]

    def test_another_word_is_an_error_of_its_own(
        self, logdir: Path, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = serve(logdir)
        monkeypatch.setenv(LINKS, "maybe")
        answer = server.get("api/runs")
        assert (answer.status_code, "follow or inside" in answer.text) == (500, True)
        monkeypatch.delenv(LINKS)

    @pytest.mark.parametrize("name", ["a_counters_data.csv", "a_counters_data.csv.gz"])
    def test_a_pipe_beside_a_table_keeps_nobody_waiting(
        self, logdir: Path, serve: Callable[..., Server], name: str
    ) -> None:
        table = write_table(logdir / "table" / "a_perf_data.csv")
        os.mkfifo(table.with_name(name))
        (answer,) = in_time(lambda: serve(logdir).json("api/view", run="table", view="functions"))
        assert answer["table"]["rows"]
        assert any("not a file: a pipe" in note["message"] for note in answer["notes"])

    def test_a_file_that_became_a_pipe_after_the_listing_keeps_nobody_waiting(
        self, logdir: Path, serve: Callable[..., Server]
    ) -> None:
        server = serve(logdir)
        server.json("api/runs")
        (trace,) = (logdir / "normal").iterdir()
        trace.unlink()
        os.mkfifo(trace)
        (answer,) = in_time(lambda: server.get("api/view", run="normal", view="operators"))
        assert (answer.status_code, answer.json["error"]["code"]) == (422, "input")

    @pytest.mark.parametrize("target", ["/dev/zero", "/dev/random", "/dev/full", "{pipe}", "/nowhere", "{itself}"])
    @pytest.mark.parametrize("name", ["x.pt.trace.json", "x.json", "x_perf_data.csv", "x.txt"])
    def test_what_never_ends_is_not_read(
        self, logdir: Path, serve: Callable[..., Server], target: str, name: str
    ) -> None:
        os.mkfifo(logdir.parent / "pipe")
        link = logdir / "odd" / name
        link.parent.mkdir()
        link.symlink_to(target.format(pipe=logdir.parent / "pipe", itself=link))
        server = serve(logdir)
        (listed,) = in_time(lambda: server.json("api/runs"))
        assert {run["run"] for run in listed["runs"]} <= {"abnormal", "normal", "odd"}
        (answer,) = in_time(lambda: server.get("api/view", run="odd"))
        assert answer.status_code in (404, 422)
        assert in_time(server.plugin.is_active) in ([True], [False])

    def test_a_link_to_a_file_of_another_kind_shows_none_of_it(
        self, logdir: Path, serve: Callable[..., Server]
    ) -> None:
        for name in ("x.pt.trace.json", "x_perf_data.csv"):
            (logdir / "odd").mkdir(exist_ok=True)
            (logdir / "odd" / name).symlink_to("/etc/passwd")
        answer = serve(logdir).get("api/view", run="odd")
        assert answer.status_code in (404, 422)
        tells_nothing(answer, logdir.parent)


class TestNamesAreNeverMarkup:
    @pytest.fixture
    def hostile(self, tmp_path: Path, serve: Callable[..., Server]) -> Server:
        write_names(tmp_path / "logs", MARKUP)
        return serve(tmp_path / "logs")

    def test_no_answer_is_html_but_the_report_which_is_a_file(self, hostile: Server) -> None:
        for route in ROUTES:
            answer = hostile.get(f"api/{route}", **asked(step="1"))
            kind = answer.mimetype
            assert kind in ("application/json", "text/markdown", "application/gzip"), route
            assert answer.headers["X-Content-Type-Options"] == "nosniff"

    def test_the_report_holds_no_element_from_a_trace(self, hostile: Server) -> None:
        answer = hostile.get("api/report", format="html", **PAIR)
        assert answer.headers["Content-Disposition"] == 'attachment; filename="perfcompare.html"'
        found = Elements()
        found.feed(answer.text)
        assert "onerror=" in answer.text
        assert not found.names & {"script", "img", "iframe", "form", "input", "object", "link", "base"}
        assert not [name for name in found.attributes if name.startswith("on") or name == "src"]
        assert all(re.fullmatch(r"#s\d+", target) for target in found.targets)

    def test_markdown_holds_none_either(self, hostile: Server) -> None:
        text = hostile.get("api/report", format="md", **PAIR).text
        outside_code = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
        assert "hacked" in text
        assert not re.search(r"(?<!\\)<(?!br>)", outside_code)
        assert "\x1b" not in text

    def test_an_error_repeats_names_as_data(self, hostile: Server) -> None:
        for name in MARKUP:
            for route in ("view", "report"):
                answer = hostile.get(f"api/{route}", **asked(run=name, baseline=name, format=name))
                assert answer.status_code in (400, 404)
                assert answer.content_type == "application/json"
                assert answer.json["error"]["message"]

    def test_a_header_cannot_be_written(self, hostile: Server) -> None:
        for name in ("a\r\nSet-Cookie: x=1", "a\nX-Evil: 1", '"; filename="evil.html'):
            for parameter in ("table", "format", "baseline", "tag"):
                answer = hostile.get("api/report", **asked(**{parameter: name}))
                assert "Set-Cookie" not in answer.headers and "X-Evil" not in answer.headers
                assert "evil" not in answer.headers.get("Content-Disposition", "")


class TestNamesAreNeverFormulas:
    @pytest.fixture
    def hostile(self, tmp_path: Path, serve: Callable[..., Server]) -> Server:
        write_names(tmp_path, FORMULAS)
        return serve(tmp_path)

    def test_in_no_table_of_the_report(self, hostile: Server) -> None:
        tables = ["ledger", *hostile.json("api/comparison", stream="0", **PAIR)["tables"]]
        seen = set()
        for table in tables:
            text = hostile.get("api/report", format="csv", table=table, **PAIR).text
            for cells in csv.reader(io.StringIO(text)):
                for cell in cells:
                    assert_harmless(cell)
                    seen.add(cell.removeprefix("'"))
        assert {name.replace("\r", "\n") for name in FORMULAS} <= {cell.replace("\r", "\n") for cell in seen}

    def test_nor_in_the_strict_report(self, hostile: Server) -> None:
        text = hostile.get("api/strict", format="csv", **PAIR).text
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert any("SUM" in cell for cell in cells)
        for cell in cells:
            assert_harmless(cell)


class TestNothingChangesState(OneServer):
    @pytest.mark.parametrize("method", METHODS)
    def test_other_methods_are_refused_with_what_is_allowed(self, served: Server, method: str) -> None:
        for path in (*(f"api/{route}" for route in ROUTES), "static/not-built.js"):
            answer = served.ask(method, f"{PREFIX}/{path}", **asked())
            assert answer.status_code == 405, path
            assert answer.headers["Allow"] == "GET, HEAD"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"

    def test_asking_leaves_the_logdir_as_it_was(self, served: Server, logdir: Path) -> None:
        before = state(logdir.parent)
        for route in ROUTES:
            for method in ("GET", "HEAD"):
                assert served.ask(method, f"{PREFIX}/api/{route}", rescan="1", step="1", **asked()).status_code < 500
        assert state(logdir.parent) == before

    def test_a_head_has_no_body(self, served: Server) -> None:
        for route in ROUTES:
            answer = served.ask("HEAD", f"{PREFIX}/api/{route}", **asked(stream="1"))
            assert answer.data == b"", route
            assert answer.status_code in (200, 400, 404), route


LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
"""What a browser says of a link that its user has followed from another site."""


class TestNoOtherSiteCausesWork:
    """A page of any site can make its visitors' browsers ask; where they come from stands in headers it cannot set."""

    OWN = (
        {},  # curl
        {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},  # the page
        {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},  # typed in
        {"Sec-Fetch-Site": "same-origin", "Referer": "https://tensorboard.example.org/a/"},  # renamed by a proxy
        {"Referer": "http://localhost/data/plugin_entry.html?name=tb_perfcompare"},
        {"Origin": "http://localhost"},
        {"Referer": "http://tensorboard.example.org/", "Host": "inner:6006", OWN_HEADER: "1"},  # the page, renamed
        {"Origin": "http://LOCALHOST:80", "Host": "localhost"},
        {"Origin": "https://localhost"},  # a proxy speaks TLS
        {"Origin": "http://[::1]:6006", "Host": "[::1]:6006"},
        {"Origin": "https://tensorboard.example.org", "X-Forwarded-Host": "inner, tensorboard.example.org"},
    )  # fmt: skip
    OTHERS = (
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "same-origin, none"},
        {"Origin": "https://example.org"},
        {"Origin": "http://localhost:8888"},  # another server of this machine
        {"Origin": "null"},
        {"Origin": "null", "Host": "["},
        {"Origin": "http://localhost.example.org"},
        {"Origin": "http://localhost@example.org"},
        {"Referer": "http://example.org/localhost/"},
    )  # fmt: skip
    FILES = ("report", "strict", "trace")

    @pytest.mark.parametrize("headers", OWN, ids=str)
    def test_the_page_and_programs_are_answered(self, served: Server, headers: dict[str, str]) -> None:
        assert served.get("api/runs", rescan="1", headers=headers).status_code == 200
        assert served.get("api/view", run="normal", headers=headers).status_code == 200

    @pytest.mark.parametrize("headers", OTHERS, ids=str)
    def test_others_are_refused_by_every_route(self, served: Server, headers: dict[str, str]) -> None:
        for route in ROUTES:
            answer = served.get(f"api/{route}", **asked(step="1"), headers=headers)
            assert (answer.status_code, answer.json["error"]["code"]) == (403, "forbidden"), route
            assert answer.json["error"]["hint"]

    def test_and_cause_no_work(self, served: Server, logdir: Path) -> None:
        served.json("api/runs")
        write_pair(logdir / "later")
        for headers in (*self.OTHERS, LINK):
            assert served.get("api/runs", rescan="1", headers=headers).status_code == 403
            assert served.get("api/history", rescan="1", headers=headers).status_code == 403
        assert len(served.json("api/runs")["runs"]) == 2

    @pytest.mark.parametrize("route", ROUTES)
    def test_a_link_may_name_a_file_to_save(self, served: Server, route: str) -> None:
        answer = served.get(f"api/{route}", **asked(step="1"), headers=LINK)
        assert (answer.status_code == 403) == (route not in self.FILES)

    @pytest.mark.parametrize("headers", OTHERS, ids=str)
    def test_what_the_page_is_made_of_is_served_to_all(self, served: Server, headers: dict[str, str]) -> None:
        assert served.get("static/none.js", headers=headers).status_code in (404, 503)


class TestErrorsTellNothing:
    def test_a_worker_that_crashes_on_a_path(self, served: Server, logdir: Path) -> None:
        use(served, logdir, tasks.crash_with_a_path)
        for route in ("comparison", "strict"):
            answer = served.get(f"api/{route}", **asked())
            assert answer.status_code == 422
            assert "FileNotFoundError" in answer.text and "(path)" in answer.text
            tells_nothing(answer, logdir.parent)

    def test_files_that_cannot_be_read(self, served: Server, logdir: Path) -> None:
        bad = write_garbage(logdir / "bad")
        (logdir / "gone").mkdir()
        (logdir / "gone" / "w.1.pt.trace.json").symlink_to("/nowhere/at/all.json")
        for damage in (lambda: None, lambda: bad.write_bytes(b"\x1f\x8b" + bytes(50)), bad.unlink):
            damage()
            for route in ("comparison", "view", "report", "strict", "table"):
                answer = served.get(f"api/{route}", **asked(run="bad", candidate="bad"))
                assert answer.status_code in (404, 422)
                tells_nothing(answer, logdir.parent)

    def test_a_logdir_that_is_gone(self, served: Server, logdir: Path) -> None:
        logdir.rename(logdir.parent / "moved")
        answer = served.get("api/runs", rescan="1")
        assert (answer.status_code, answer.json["runs"]) == (200, [])
        text = answer.text.replace(str(logdir), "")  # the directory itself was given by whoever started the server
        assert str(logdir.parent) not in text and "Traceback" not in text

    def test_a_problem_names_no_place_outside(self, logdir: Path, serve: Callable[..., Server]) -> None:
        (logdir / "dangling").symlink_to("/somewhere/else")
        (logdir / "x.1.pt.trace.json").symlink_to("/somewhere/else.json")
        text = serve(logdir).get("api/runs").text
        assert "/somewhere" not in text


class TestParametersHaveLimits(OneServer):
    @pytest.mark.parametrize("route", ROUTES)
    def test_of_number_length_and_kind(self, served: Server, route: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tb_perfcompare.workspace.listing.index.find_runs", None)  # refused before any look
        for query in (
            {f"p{number}": "1" for number in range(MAX_PARAMETERS + 1)},
            {"x" * (LONGEST_NAME + 1): "1"},
            {"filter": "x" * (LONGEST_VALUE + 1)},
            {"anything": "a\0b"},
            {"any\0thing": "a"},
        ):
            answer = served.get(f"api/{route}", **query)
            assert (answer.status_code, answer.json["error"]["code"]) == (400, "bad_request"), (route, query)
            assert len(answer.data) < 1000
        twice = raw(served, f"api/{route}?run=normal&run=abnormal")
        assert (twice.status_code, "run is given twice" in twice.text) == (400, True)

    @pytest.mark.parametrize(
        ("parameter", "values"),
        [
            ("offset", ["-1", "1e3", "0x10", "9" * 10, "1.5", "٣", "NaN", " 1"]),
            ("limit", ["-1", "many", "9" * 10, "1_000"]),
            ("min_delta_us", ["-1", "1e308", "inf", "nan", "1" * 16, "1." + "1" * 10, ".5", "５"]),
            ("baseline_steps", ["9-1", "1-", "-1", "1-2-3", "9" * 19, "1,2", "٣-٤"]),
            ("sort", ["step:up", ":asc", ",".join(["step:asc"] * 17), "?".join(["step/step"] * 9) + ":asc"]),
            ("filter", [" ".join("abcdefgh" * 5)]),
            ("columns", ["step,step", ",".join(f"c{number}" for number in range(300))]),
            ("clear", ["yes", "2", "true"]),
            ("all_steps", ["yes", "-1"]),
            ("step_window", ["wall", "DEVICE", """ ' OR 1=1 -- """]),
        ],
    )
    def test_of_each_value(self, served: Server, parameter: str, values: list[str]) -> None:
        for value in values:
            answer = served.get("api/table", **{**asked(), parameter: value})
            assert (answer.status_code, answer.json["error"]["code"]) == (400, "bad_request"), value
            assert len(answer.data) < 1000

    def test_names_that_nobody_knows_do_not_scan_the_disk_again_and_again(
        self, served: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The index rests four times as long as a scan took, however slow the machine is."""
        began_s: list[float] = []

        def slow(*_: Any, **__: Any) -> Any:
            began_s.append(time.monotonic())
            time.sleep(0.2)
            return find_runs(*_, **__)

        monkeypatch.setattr("tb_perfcompare.workspace.listing.index.find_runs", slow)
        for number in range(20):
            assert served.get("api/view", run=f"unknown {number}").status_code == 404
        assert all(later - earlier >= 5 * 0.2 for earlier, later in itertools.pairwise(began_s[1:]))
        assert len(began_s) < 20


class TestPolicyOfTensorBoard(OneServer):
    def test_its_own_validator_has_nothing_to_say(self, served: Server, caplog: pytest.LogCaptureFixture) -> None:
        """TensorBoard writes a warning for a content type without charset, for missing nosniff, for HTML without
        policy."""
        with caplog.at_level(logging.WARNING, logger="tensorboard"):
            for route in ROUTES:
                for query in (asked(step="1"), asked(stream="1", step="1"), {}, {"run": "nowhere"}):
                    answer = served.get(f"api/{route}", **query)
                    answer.get_data()
                    assert answer.headers["X-Content-Type-Options"] == "nosniff", route
            for form in FORMATS:
                served.get("api/report", format=form, **PAIR)
            for path in ("static/not-built.js", "static/none.js"):
                served.get(path)
        assert [record.getMessage() for record in caplog.records] == []

    def test_html_runs_no_script_and_asks_for_nothing(self, served: Server) -> None:
        policy = served.get("api/report", format="html", **PAIR).headers["Content-Security-Policy"]
        parts = dict(part.strip().partition(" ")[::2] for part in policy.split(";") if part.strip())
        assert parts["default-src"] == "'self'"
        assert parts["object-src"] == "'none'"
        assert not {"*", "'unsafe-inline'", "http:", "https:", "data:"} & set(parts["script-src"].split())

    def test_no_other_site_may_read(self, served: Server) -> None:
        answer = served.get("api/runs", headers={"Origin": "https://example.org"})
        assert not [name for name, _ in answer.headers if name.lower().startswith("access-control-")]
        assert "Set-Cookie" not in answer.headers

    def test_nothing_is_kept_by_proxies_but_the_hashed_files_of_the_page(self, served: Server) -> None:
        for route in ROUTES:
            control = served.get(f"api/{route}", **asked(step="1")).headers["Cache-Control"]
            assert "no-cache" in control or "no-store" in control, route


class Elements(html.parser.HTMLParser):
    """Names of the elements and attributes of a document, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.targets: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.targets |= {value or "" for name, value in attrs if name.endswith("href")}


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Everything below a directory with size and time."""
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in sorted(folder.rglob("*"))}


def use(server: Server, logdir: Path, summarize: Callable[..., Any]) -> None:
    """Gives the server a workspace whose workers do something else with a file."""
    from tb_perfcompare.workspace.listing.index import Root
    from tb_perfcompare.workspace.workspace import Workspace

    server.plugin._opening._workspace = Workspace([Root(str(logdir))], workers=2, summarize=summarize)
