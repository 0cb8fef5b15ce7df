"""What tests ask worker processes to do; top-level, so that a worker finds it by name."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from pathlib import Path

from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.workspace.jobs.summary_jobs import SummaryJob, summarize_file


def add(a: int, b: int, report: Reporter) -> int:
    report(Progress("reading", "numbers"))
    return a + b


def fail(path: str, report: Reporter) -> None:
    raise CorruptInput(path, "nothing in it", place="byte 7", hint="record it again")


def crash(report: Reporter) -> None:
    raise ZeroDivisionError("a bug")


def exit_at_once(status: int, report: Reporter) -> None:
    os._exit(status)


def print_between(report: Reporter) -> str:
    print("a stray print")
    sys.stdout.flush()
    return "clean"


def sleep_without_reporting(seconds: float, report: Reporter) -> str:
    time.sleep(seconds)
    return "slept"


def hold_the_lock(seconds: int, report: Reporter) -> str:
    """Sleeps inside C without letting other Python threads of its process run."""
    ctypes.PyDLL(None).sleep(seconds)
    return "held"


def process_id(report: Reporter) -> int:
    return os.getpid()


def main_module(report: Reporter) -> str:
    return str(getattr(sys.modules["__main__"], "__file__", None))


def logged_summary(job: SummaryJob, report: Reporter) -> Summary:
    """summarize_file, leaving a line for each call in `<folder of the file>/../calls.log`."""
    with open(Path(job.file.path).parents[1] / "calls.log", "a") as log:
        log.write(f"{job.file.shown}\n")
    return summarize_file(job, report)


def slow_summary(job: SummaryJob, report: Reporter) -> Summary:
    """Never ends by itself; leaves its process id beside the run."""
    (Path(job.file.path).parents[1] / f"{job.file.run}.pid").write_text(str(os.getpid()))
    time.sleep(60)
    return summarize_file(job, report)


def once_deadly_summary(job: SummaryJob, report: Reporter) -> Summary:
    """Dies on the first file that it is given, once; leaves a mark beside the run."""
    mark = Path(job.file.path).parents[1] / "died"
    try:
        mark.touch(exist_ok=False)  # two workers may ask at once
    except FileExistsError:
        return summarize_file(job, report)
    os.kill(os.getpid(), 9)
    raise AssertionError


def crash_with_a_path(job: SummaryJob, report: Reporter) -> Summary:
    """A bug whose message says where files lie."""
    raise FileNotFoundError(2, "No such file or directory", f"/home/somebody/{job.file.path}")


def hold(size: int, report: Reporter) -> int:
    """Takes so much memory."""
    return len(bytearray(size))


def free_most(size: int, report: Reporter) -> bytes:
    """Takes so much memory in small pieces, and frees all but the last."""
    return [bytes([1]) * 100_000 for _ in range(size // 100_000)][-1]


def keep(size: int, report: Reporter) -> None:
    """Takes so much memory and does not give it back."""
    _kept.append(bytes([1]) * size)


_kept: list[bytes] = []


def needy(log: str, seconds: float, report: Reporter) -> str:
    """Leaves a line in the log when it begins and one when it ends."""
    for word in ("begins", "ends"):
        with open(log, "a") as file:
            file.write(f"{word} {os.getpid()}\n")
        if word == "begins":
            time.sleep(seconds)
    return "done"


def needy_together(log: str, most_s: float, report: Reporter) -> str:
    """As needy, and waits until two were under way at once, no longer than so many seconds."""
    with open(log, "a") as file:
        file.write(f"begins {os.getpid()}\n")
    until_s = time.monotonic() + most_s
    while most_under_way(log) < 2 and time.monotonic() < until_s:
        time.sleep(0.01)
    with open(log, "a") as file:
        file.write(f"ends {os.getpid()}\n")
    return "done"


def most_under_way(log: str) -> int:
    """Most tasks of needy that were under way at once."""
    running = most = 0
    with open(log) as file:
        for line in file:
            running += 1 if line.startswith("begins") else -1
            most = max(most, running)
    return most


def deadly_summary(job: SummaryJob, report: Reporter) -> Summary:
    """Dies on files of a run called deadly."""
    if job.file.run == "deadly":
        os.kill(os.getpid(), 9)
    return summarize_file(job, report)


def report_for_ever(report: Reporter) -> str:
    """Until a report ends it, or a minute has passed."""
    end_s = time.monotonic() + 60
    while time.monotonic() < end_s:
        report(Progress("reading", "for ever"))
        time.sleep(0.02)
    return "nobody ended it"
