"""Runs on other machines: the same answers as from here, in pieces, and no secrets told."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import tb_perfcompare
import tb_perfcompare.workspace.disk_cache.summary_cache as cache_module
from tb_perfcompare.errors import InputError, PerfCompareError
from tb_perfcompare.model.progress import silent
from tb_perfcompare.sources.storage import remote as stored_file
from tb_perfcompare.sources.storage.file_systems import file_system
from tb_perfcompare.workspace.disk_cache.summary_cache import SummaryCache
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob, summarize_file
from tests.cli import invoke
from tests.drawn_runs import drawn_trace, write_pair
from tests.plugin.conftest import serve  # noqa: F401
from tests.plugin.server import Server
from tests.remote.store import Store

pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """normal/ as plain text, abnormal/ compressed."""
    write_pair(tmp_path / "logs")
    plain = next((tmp_path / "logs" / "abnormal").iterdir())
    plain.unlink()
    drawn_trace(extra_us=500).write(plain.with_name(plain.name + ".gz"))
    return tmp_path / "logs"


@pytest.fixture
def store(logs: Path) -> Iterator[Store]:
    with Store(logs) as opened:
        yield opened


def figures(baseline: str, candidate: str) -> tuple[Any, ...]:
    """What must not depend on where the files lie."""
    got = tb_perfcompare.compare(baseline, candidate)
    files = [(file.path, file.bytes, file.sha256) for side in (got.baseline, got.candidate) for file in side.files]
    tables = {name: table.rows for name, table in got.tables.items()}
    return got.headline, got.ledger, got.findings, tables, files


@pytest.mark.parametrize(
    "options", [{}, {"ranges": False}, {"named": False}, {"breaks": 1}, {"ranges": False, "breaks": 1}]
)
def test_from_a_web_server_the_answer_is_the_same(logs: Path, options: dict[str, Any]) -> None:
    """Also from one without ranges, without names for states, or whose connections break."""
    with Store(logs, **options) as far:
        there = figures(f"{far.url}/normal", f"{far.url}/abnormal/")
    assert there == figures(str(logs / "normal"), str(logs / "abnormal"))


def test_from_a_bucket_the_answer_is_the_same(logs: Path) -> None:
    """fsspec's own memory stands for any store of it."""
    import fsspec

    bucket = fsspec.filesystem("memory")
    bucket.store.clear()
    for path in logs.rglob("*.json*"):
        bucket.pipe(f"/bucket/{path.relative_to(logs).as_posix()}", path.read_bytes())
    assert figures("memory://bucket/normal", "memory://bucket/abnormal") == figures(
        str(logs / "normal"), str(logs / "abnormal")
    )
    with closing(tb_perfcompare.open_logdir("memory://bucket")) as workspace:
        assert [run.name for run in workspace.listing().runs] == ["abnormal", "normal"]


def test_one_file_by_its_address(store: Store, logs: Path) -> None:
    (file,) = (logs / "abnormal").iterdir()
    side = side_from_path(f"{store.url}/abnormal/{file.name}", None, None)
    assert [(one.worker, one.span, one.bytes) for one in side.files] == [("worker0", "1", file.stat().st_size)]


def test_the_command_line_lists_and_compares(store: Store) -> None:
    listed = invoke.tb_perfcompare("runs", store.url)
    assert listed.status == 0 and "abnormal" in listed.out and "normal" in listed.out
    compared = invoke.tb_perfcompare("diff", f"{store.url}/normal", f"{store.url}/abnormal")
    assert compared.status == 0 and compared.out.startswith("Slower")


def test_a_large_file_comes_in_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_file, "_RANGE_BYTES", 1 << 16)
    (tmp_path / "big.pt.trace.json").write_bytes(bytes(range(256)) * 4096)
    with Store(tmp_path) as far, file_system(far.url).open(f"{far.url}/big.pt.trace.json") as stored:
        while stored.read(10_000):
            pass
        sent = [size for method, _, size in far.asked if method == "GET"]
    assert sum(sent) < 1.2 * 2**20
    assert len(sent) > 7 and max(sent) < 2**18


def test_what_breaks_off_is_asked_for_again_but_not_for_ever(logs: Path) -> None:
    with Store(logs, breaks=100) as far, pytest.raises(InputError):
        tb_perfcompare.compare(f"{far.url}/normal", f"{far.url}/abnormal")


def test_a_file_can_be_read_from_any_place_whatever_the_server_gives(tmp_path: Path) -> None:
    content = bytes(range(256)) * 64
    (tmp_path / "x.bin").write_bytes(content)
    for ranges in (True, False):
        with Store(tmp_path, ranges=ranges) as far, file_system(far.url).open(f"{far.url}/x.bin") as stored:
            assert stored.read(10) == content[:10]
            stored.seek(-6, 2)
            assert stored.read() == content[-6:]
            stored.seek(5)
            assert (stored.read(3), stored.tell()) == (content[5:8], 8)


def test_a_summary_is_kept_until_the_store_has_another_state(
    store: Store, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "WORTH_KEEPING_BYTES", 0)
    kept = SummaryCache(tmp_path / "cache")

    def job() -> SummaryJob:
        return SummaryJob(side_from_path(f"{store.url}/normal", None, None).files[0], "device")

    first = job()
    kept.put(first, summarize_file(first, silent))
    assert first.file.version
    found = kept.get(job())
    assert found is not None and len(found.steps) == 8
    (path,) = (logs / "normal").iterdir()
    changed = path.read_bytes().replace(b"gemm_128x128", b"gemm_128x129")
    path.write_bytes(changed)
    assert job().file.version != first.file.version
    assert kept.get(job()) is None


def test_without_a_name_for_the_state_its_first_and_last_bytes_decide(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "WORTH_KEEPING_BYTES", 0)
    kept = SummaryCache(tmp_path / "cache")
    with Store(logs, named=False) as far:
        job = SummaryJob(side_from_path(f"{far.url}/normal", None, None).files[0], "device")
        kept.put(job, summarize_file(job, silent))
        assert kept.get(job) is not None
        (path,) = (logs / "normal").iterdir()
        path.write_bytes(path.read_bytes().replace(b"gemm_128x128", b"gemm_128x129"))
        assert kept.get(job) is None


def test_a_kept_summary_costs_no_bytes_of_the_file(
    store: Store, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "WORTH_KEEPING_BYTES", 0)
    monkeypatch.setenv("TB_PERFCOMPARE_CACHE", str(tmp_path / "cache"))
    sides = (f"{store.url}/normal", f"{store.url}/abnormal")
    tb_perfcompare.compare(*sides)
    before = sum(size for _, path, size in store.asked if "json" in path)
    tb_perfcompare.compare(*sides)
    assert before > 0
    assert sum(size for _, path, size in store.asked if "json" in path) == before


@pytest.mark.parametrize(
    ("status", "expected"),
    [(404, "there is no such file"), (403, "the server refuses it"), (500, "Internal Server Error")],
)
def test_why_a_file_cannot_be_read_is_reported(store: Store, status: int, expected: str) -> None:
    store.refuse["/normal"] = status
    with pytest.raises(InputError, match=expected):
        side_from_path(f"{store.url}/normal", None, None)


def test_a_server_that_is_not_there_is_no_missing_file(tmp_path: Path) -> None:
    with Store(tmp_path) as gone:
        url = gone.url
    with pytest.raises(InputError, match="Cannot connect"):
        side_from_path(f"{url}/run", None, None)


def test_users_and_passwords_are_not_told(store: Store) -> None:
    secret = store.url.replace("http://", "http://me:hunter2@")
    for ask in (f"{secret}/nothing?token=abc", f"{secret}/normal/../nothing"):
        with pytest.raises(PerfCompareError) as raised:
            side_from_path(ask, None, None)
        assert "hunter2" not in str(raised.value) and "token" not in str(raised.value)
    got = tb_perfcompare.compare(f"{secret}/normal", f"{secret}/abnormal")
    assert "hunter2" not in repr(got)


@pytest.mark.parametrize("address", ["ftp://host/run", "s3://a::http://b", "jdbc://x", "github://a:b@c/d"])
def test_other_kinds_of_addresses_are_not_opened(address: str) -> None:
    with pytest.raises(InputError, match="not an address this tool can open"):
        side_from_path(address, None, None)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(InputError, match=r"pip install 'tb_perfcompare\[remote\]' s3fs"):
        side_from_path("s3://bucket/run", None, None)
    assert side_from_path(str(Path(__file__).parents[2] / "demo_logs" / "cpu_training" / "normal"), None, None)


def test_local_paths_load_no_package(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys; from tb_perfcompare.workspace.inputs.run_files import side_from_path\n"
        f"side_from_path({str(write_pair(tmp_path)[0])!r}, None, None)\n"
        "print(sorted({'fsspec', 'aiohttp', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_tab_shows_a_log_directory_on_a_web_server(store: Store, serve: Callable[..., Server]) -> None:  # noqa: F811
    server = serve(store.url)
    assert server.plugin.is_active()
    assert [run["run"] for run in server.json("api/runs")["runs"]] == ["abnormal", "normal"]
    assert server.lines(baseline="normal", candidate="abnormal")[-1]["result"]["headline"]["verdict"] == "slower"


def test_nobody_can_make_the_server_fetch_an_address(store: Store, logs: Path, serve: Callable[..., Server]) -> None:  # noqa: F811
    server = serve(logs)
    for name in ("baseline", "candidate", "baseline_launches"):
        asked = {"baseline": "normal", "candidate": "abnormal", name: f"{store.url}/normal"}
        answer = server.get("api/comparison", stream="0", **asked)
        assert answer.status_code == 404, answer.text
    assert store.asked == []
