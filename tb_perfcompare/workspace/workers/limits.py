"""Limits on what reading may take of the machine: worker processes, scan threads and memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping

from tb_perfcompare.errors import OutOfMemory, PerfCompareError
from tb_perfcompare.sources.trace.scanners.scan_threads import THREADS, allowed_threads, available_cores

WORKERS = "TB_PERFCOMPARE_WORKERS"
"""Environment variable: maximum number of worker processes."""

MEMORY = "TB_PERFCOMPARE_MEMORY_MB"
"""Environment variable: maximum megabytes that files read at the same time may need together."""

MAX_WORKERS = 4
"""Default maximum number of worker processes."""

ADDRESS_SPACE = 600 * 2**20
"""Address space that a process needs for imported modules and their threads. With less, an arbitrary import or thread
start fails, and some libraries then hang."""

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_M_ARENA_MAX = -8
_MAX_ASKED = 256
_UNKNOWN_MEMORY = 8 * 2**30
_CGROUP_FILES = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def default_workers(environment: Mapping[str, str] = os.environ) -> int:
    """Number of worker processes: WORKERS if set, else the cores this process may use, at most MAX_WORKERS. Raises
    PerfCompareError for an invalid number."""
    given = environment.get(WORKERS, "")
    if given:
        return int(_number(WORKERS, given, "processes", _MAX_ASKED))
    return max(1, min(available_cores(), MAX_WORKERS))


def share_of_threads(tasks: int, environment: Mapping[str, str] = os.environ) -> int:
    """Scan threads for each of `tasks` concurrent tasks: THREADS if set, else so many that all tasks together have one
    thread per core."""
    return allowed_threads(environment) if environment.get(THREADS) else max(1, allowed_threads({}) // max(1, tasks))


def memory_for_reading(environment: Mapping[str, str] = os.environ) -> int:
    """Bytes that reading may take: MEMORY if set, else half of the machine's or the container's memory. Raises
    PerfCompareError for an invalid number."""
    given = environment.get(MEMORY, "")
    if given:
        return int(_number(MEMORY, given, "megabytes", 2**40) * 2**20)
    return min([_machine_bytes(), *_container_bytes()]) // 2


def single_threaded() -> dict[str, str]:
    """Environment variables that keep numerical libraries single-threaded: by default they start a thread per core,
    each with buffers of its own, which nothing here benefits from."""
    return dict.fromkeys(_ONE_THREAD, "1")


def larger_pages(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Environment variables that make glibc ask for huge pages: page faults on small pages take a tenth of the time of
    reading. The user's own setting takes precedence."""
    return {"GLIBC_TUNABLES": environment.get("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")}


def use_one_heap() -> None:
    """Has glibc serve all threads from one heap. A command's threads compute in turns; with a heap each, none uses what
    another has freed: four files of 34 MB took 9 to 29 MB more, and a third to a half more page faults."""
    import ctypes

    with contextlib.suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def check_address_space() -> None:
    """Raises OutOfMemory, before anything large is imported, if the address space limit (ulimit -v) is too small. If
    there is a sufficient limit, sets numerical libraries and readers to one thread, to stay below it."""
    try:
        import resource
    except ImportError:
        return
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        return
    if most < ADDRESS_SPACE:
        raise OutOfMemory(
            f"this process may have {most // 2**20} MB of address space, but needs {ADDRESS_SPACE // 2**20} MB",
            hint=f"raise the limit (ulimit -v {ADDRESS_SPACE // 1024}, or more for large files)",
        )
    for name, value in {**single_threaded(), THREADS: "1"}.items():
        os.environ.setdefault(name, value)


def _number(name: str, text: str, of_what: str, most: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 1 <= value <= most:
        raise PerfCompareError(f"{name} is {text[:80]!r}", hint=f"give a number of {of_what} from 1 to {most}")
    return value


def _machine_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return _UNKNOWN_MEMORY


def _container_bytes() -> list[int]:
    """The memory limit of this process's control group as a list of one, empty if there is none."""
    for path in _CGROUP_FILES:
        try:
            with open(path, encoding="ascii") as file:
                text = file.read().strip()
        except OSError:
            continue
        return [int(text)] if text.isdigit() else []
    return []
