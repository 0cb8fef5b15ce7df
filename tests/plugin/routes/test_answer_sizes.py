"""No answer of the tab is larger than 1 MB however wide a pair is; all are compressed, tagged and not sent twice."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.wide_traces import Wide, write_pair
from tb_perfcompare.comparison.tables.views import VIEWS
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES
from tests.build import TraceBuilder
from tests.plugin.server import PAIR, Server

WIDE = Wide(steps=2, layers=1_200, kernels=1_800, operators=1_200, shapes=200, modules=1_200)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Thousands of different kernels, operators, shapes and modules on each side."""
    folder = tmp_path_factory.mktemp("wide")
    write_pair(folder, WIDE)
    server = Server(folder)
    yield server
    server.close()


def all_answers(server: Server) -> Iterator[tuple[str, dict[str, str]]]:
    """(route, query) of everything that the page may ask about the pair, as much at once as it can."""
    yield "api/comparison", {"stream": "0", **PAIR}
    yield "api/strict", PAIR
    for table in ("ledger", *server.json("api/comparison", stream="0", **PAIR)["tables"]):
        yield "api/table", {"table": table, "limit": "20000", **PAIR}
        yield "api/rows", {"table": table, "places": "0-499", "points": "400", **PAIR}
    for view in VIEWS:
        yield "api/view", {"run": "abnormal", "view": view, "limit": "20000"}
    for table in server.json("api/strict", **PAIR)["tables"]:
        yield "api/strict", {"table": table, "limit": "20000", **PAIR}
    yield "api/step", {"run": "normal", "other": "abnormal", "step": "worst", "pixels": "4000"}
    yield "api/runs", {}


def test_no_answer_is_large_and_each_is_compressed_tagged_and_sent_once(wide: Server) -> None:
    sizes = {}
    for route, query in all_answers(wide):
        answer = wide.get(route, headers={"Accept-Encoding": "gzip"}, **query)
        if answer.status_code in (400, 404):  # what the runs do not hold, as a sentence
            assert len(answer.data) < 2_000
            continue
        assert answer.status_code == 200, (route, query, answer.text)
        body = gzip.decompress(answer.data)
        sizes[(route, *query.values())] = len(body)
        assert len(body) <= MAX_BYTES, (route, query)
        assert len(body) < 2_000 or len(answer.data) < len(body) / 2
        assert answer.headers["Vary"] == "Accept-Encoding"
        tag = answer.headers["ETag"]
        again = wide.get(route, headers={"If-None-Match": tag}, **query)
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag), (route, query)
    assert max(sizes.values()) > MAX_BYTES / 2  # or the pair would be no test of this
    assert len({route for route, *_ in sizes}) == 7


def test_what_is_left_out_is_counted_and_can_be_fetched(wide: Server) -> None:
    first = wide.json("api/comparison", stream="0", **PAIR)
    cut = {name: table for name, table in first["tables"].items() if table["total_rows"] > len(table["rows"])}
    assert {"kernels", "operators_by_shape"} <= set(cut)
    for name, table in cut.items():
        columns = [column["name"] for column in table["columns"]]
        rows = list[object]()
        offset: int | None = 0
        while offset is not None:
            page = wide.json("api/table", table=name, offset=str(offset), limit="20000", tag=first["tag"], **PAIR)
            rows += page["rows"]
            offset = page["next_offset"]
        assert len(rows) == table["total_rows"]
        assert rows[: len(table["rows"])] == table["rows"]
        for column, left in table["left_out"]["sums"].items():
            place = columns.index(column)
            values = [row[place] for row in rows[len(table["rows"]) :] if row[place] is not None]
            assert sum(values) == pytest.approx(left, abs=1e-6) if values else left is None


def test_names_of_megabytes_do_not_make_it_large(tmp_path: Path) -> None:
    for run, extra in (("normal", 0.0), ("abnormal", 50.0)):
        trace, at = TraceBuilder(), 0.0
        for step in range(2):
            begin = at
            for name in ("x" * 1_100_000, "y"):
                trace.op(name, at, at + 90 + extra)
                trace.kernel(name, at + 40, at + 60 + extra, launch=(at + 10, at + 20))
                at += 200
            trace.step(step + 1, begin, at)
        trace.write(tmp_path / run / "worker0.1700000000001.pt.trace.json")
    server = Server(tmp_path)
    try:
        for route, query in all_answers(server):
            assert len(server.get(route, **query).data) <= MAX_BYTES, (route, query)
    finally:
        server.close()
