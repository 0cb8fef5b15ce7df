"""A cache that cannot be used never changes an answer: full disks, folders that cannot be written, many processes."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from tb_perfcompare.model.progress import silent
from tb_perfcompare.workspace.disk_cache.disk_store import KNOWN, LIMIT, SWITCH, DiskStore, user_place
from tb_perfcompare.workspace.disk_cache.summary_cache import WORTH_KEEPING_BYTES, SummaryCache
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob, summarize_file
from tests.cli.invoke import tb_perfcompare
from tests.drawn_runs import write_run

REPOSITORY = Path(__file__).parents[3]
DIFF = [sys.executable, "-m", "tb_perfcompare", "diff"]
SMALL_DISK = ["unshare", "--map-root-user", "--mount", "sh", "-c",
              'mount -t tmpfs -o size=16k none "$1" && shift && exec "$@"', "sh"]  # fmt: skip
UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs that are large enough to be kept."""
    folder = tmp_path_factory.mktemp("pair")
    runs = write_run(folder / "normal", steps=300), write_run(folder / "abnormal", steps=300, extra_us=500)
    assert all(next(run.iterdir()).stat().st_size > WORTH_KEEPING_BYTES for run in runs)
    return runs


def environment(cache: Path | str, **more: str) -> dict[str, str]:
    return {**os.environ, SWITCH: str(cache), **more}


def printed(pair: tuple[Path, Path], cache: Path | str, before: Sequence[str] = (), **options: Any) -> str:
    """What the command prints with this cache; it must end well and say nothing else."""
    command = [*before, *DIFF, *map(str, pair), "--format", "json"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=REPOSITORY, env=environment(cache), check=False, **options
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def answer(pair: tuple[Path, Path]) -> str:
    return tb_perfcompare("diff", *pair, "--format", "json").out


def test_a_working_cache_is_used(
    pair: tuple[Path, Path], answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, str(tmp_path / "cache"))
    for _ in range(2):
        assert tb_perfcompare("diff", *pair, "--format", "json").out == answer
    sizes = [path.stat().st_size for path in (tmp_path / "cache").iterdir() if path.suffix != KNOWN]
    assert len(sizes) == 3
    assert min(sizes) > 16_384  # more than the small disk below holds


def test_a_disk_that_is_full_after_16_kb(pair: tuple[Path, Path], answer: str, tmp_path: Path) -> None:
    """A real file system of 16 kB, mounted for the command alone."""
    try:
        subprocess.run([*SMALL_DISK, str(tmp_path), "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system can be mounted here")
    listing = ["sh", "-c", '"$@"; echo; ls -A "$0"', str(tmp_path)]
    out, _, left = printed(pair, tmp_path, [*SMALL_DISK, str(tmp_path), *listing]).rpartition("\n\n")
    assert out == answer.rstrip("\n")
    assert "writing-" not in left


def test_files_that_may_not_grow(pair: tuple[Path, Path], answer: str, tmp_path: Path) -> None:
    """The system refuses to write behind the first 4 kB of any file."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    assert printed(pair, tmp_path / "cache", preexec_fn=limit) == answer
    assert {path.suffix for path in (tmp_path / "cache").iterdir()} <= {KNOWN}  # a few bytes


def test_an_answer_that_does_not_fit_on_the_disk_is_an_error(pair: tuple[Path, Path], tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    command = [*DIFF, *map(str, pair), "--format", "json", "-o", str(tmp_path / "answer.json")]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=REPOSITORY, env=environment("off"), preexec_fn=limit, check=False
    )
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "answer.json: cannot be written: File too large; write elsewhere" in done.stderr


def test_a_folder_that_may_not_be_written(pair: tuple[Path, Path], answer: str, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    before = []
    if os.geteuid() == 0:  # whom permissions do not stop
        if shutil.which("setpriv") is None:
            pytest.skip("no setpriv here")
        before = UNPRIVILEGED
    assert printed(pair, tmp_path / "cache", before) == answer
    assert list((tmp_path / "cache").iterdir()) == []


WHERE = ["/proc/no-such-folder", "/dev/null", "/dev/null/below", "{tmp}/a file", "{tmp}/link"]


@pytest.mark.parametrize("where", WHERE)
def test_a_folder_that_cannot_be_there(
    pair: tuple[Path, Path], answer: str, tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").write_text("in the way")
    (tmp_path / "link").symlink_to(tmp_path / "link")
    monkeypatch.setenv(SWITCH, where.format(tmp=tmp_path))
    done = tb_perfcompare("diff", *pair, "--format", "json")
    assert (done.status, done.out, done.err) == (0, answer, "")


@pytest.mark.parametrize("home", ["", " ", "/somewhere/else"])
def test_it_is_where_the_caches_of_the_system_are(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", home)
    place = user_place({})
    assert place is not None and place[0] == platformdirs.user_cache_dir("tb_perfcompare", appauthor=False)


@pytest.mark.parametrize(
    "step", ["pathlib.Path.mkdir", f"{DiskStore.__module__}._private", "os.replace", "os.unlink", "os.scandir"]
)
def test_no_step_of_writing_an_entry_may_fail_loudly(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    job = SummaryJob(side_from_path(str(pair[0]), None, None).files[0], "device")
    cache, found = SummaryCache(tmp_path / "cache"), summarize_file(job, silent)
    monkeypatch.setattr(step, full)
    cache.put(job, found)
    monkeypatch.undo()
    if step == "os.unlink":  # what cannot be removed stays, and is counted
        return
    assert [path.name for path in tmp_path.glob("cache/writing-*")] == []
    cache.put(job, found)
    assert cache.get(job) is not None


def test_a_disk_that_is_full_in_the_middle_of_an_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = DiskStore(tmp_path / "cache", 1000)

    def half(*_: Any) -> Iterator[bytes]:
        yield b"half of an entry"
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tb_perfcompare.workspace.disk_cache.disk_store.sealed", half)
    with pytest.raises(OSError, match="No space left"):
        entries.write(entries.path("key", ".summary"), b"whole")
    assert list((tmp_path / "cache").iterdir()) == []


def test_processes_that_share_a_cache_do_not_disturb_each_other(
    pair: tuple[Path, Path], answer: str, tmp_path: Path
) -> None:
    """Two at once, twice; the cache has room for one entry only, so that each takes away what another wrote."""
    limited = environment(tmp_path / "cache", **{LIMIT: "1"})
    command = [*DIFF, *map(str, pair), "--format", "json"]
    for _ in range(2):
        running = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY,
                             env=limited)
            for _ in range(2)
        ]  # fmt: skip
        for process in running:
            out, err = process.communicate(timeout=60)
            assert (process.returncode, err) == (0, "")
            assert out == answer
    left = list((tmp_path / "cache").iterdir())
    assert not [path for path in left if path.name.startswith("writing-")]
    assert sum(path.stat().st_size for path in left) <= 2**20


def aged(path: Path, hours: float) -> Path:
    """A file that was last written to so long ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"half")
    then = time.time() - 3600 * hours
    os.utime(path, (then, then))
    return path


_KILLED = """
import os, sys
from tb_perfcompare.workspace.disk_cache import disk_store
def half(*_):
    yield b"half"
    os.kill(os.getpid(), 9)
disk_store.sealed = half
entries = disk_store.DiskStore(sys.argv[1], 2**30)
entries.write(entries.path("key", ".summary"), b"whole")
"""


@pytest.mark.parametrize("first", ["read", "write"])
def test_what_a_killed_process_left_goes_after_an_hour(tmp_path: Path, first: str) -> None:
    command = [sys.executable, "-c", _KILLED, str(tmp_path)]
    assert subprocess.run(command, cwd=REPOSITORY, check=False).returncode == -9
    (left,) = tmp_path.iterdir()
    foreign = [aged(tmp_path / name, 9) for name in ("writing-a-book.txt", "book.summary", "notes")]

    def used() -> list[Path]:
        entries = DiskStore(tmp_path, 2**30)
        path = entries.path("key", ".summary")
        if first == "write":
            entries.write(path, b"whole")
        entries.read(path, bytes)
        path.unlink(missing_ok=True)
        return sorted(tmp_path.iterdir())

    assert used() == sorted([*foreign, left])  # a process may be writing it now
    aged(left, 1.1)
    assert used() == sorted(foreign)
