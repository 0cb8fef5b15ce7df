"""Log directories of any shape: odd names, circular and outward links, pipes, directories named like files.

An input is text with an entry per line:

    file PATH CONTENT     CONTENT is the number of a sample, or the text itself
    dir PATH
    link PATH TARGET
    pipe PATH
    off PATH              remove all permissions
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

from tb_perfcompare.errors import InputError, SelectionError
from tb_perfcompare.plugin.logdir import TraceProbe, logdir_roots
from tb_perfcompare.sources.discover import find_runs, parse_source
from tb_perfcompare.sources.storage.inside_only import is_inside
from tb_perfcompare.workspace.listing.index import Index, Root
from tests.fuzz.readers import seeds
from tests.fuzz.readers.law import Broken, Outcome, Target, check_note
from tests.fuzz.readers.mutation import bytes_changed

_MOST_LINES = 60
_NAMES = (
    "a", "b", "normal", "abnormal", "worker0.1.pt.trace.json", "worker1.22222222222222222222.pt.trace.json.gz",
    "rank-99999999999999999999.pt.trace.json", ".1.pt.trace.json", "x.json", "x.jsonl", "x.txt", "x.csv", "x.baseline",
    "job_perf_data.csv", "job_counters_data.csv", "trace_view.json", "events.out.tfevents.1.a.perfcompare",
    "tfevents.perfcompare", "\udcff\udcfe.pt.trace.json", "\n", "#1", "x.jsonl#1", "..x", " ", "\u202e", "a b c",
    "<script>", "$HOME", "~", "%2e%2e", "n" * 200,
)  # fmt: skip
_TARGETS = (".", "..", "../..", "a", "b", "{outside}", "{outside}/x.json", "/dev/zero", "/dev/null", "/nowhere", "",
            "a/b", "x.json")  # fmt: skip
"""Targets of links, without "/", which would be listed completely."""

_number = itertools.count()


@cache
def _samples() -> list[bytes]:
    found = [*seeds.traces()[:2], *seeds.answers()[:1], *seeds.listings(), *seeds.exports()[:1], *seeds.tables()[:1]]
    return [*found, *seeds.baselines()[:1], *seeds.points(), b"", b"PK\x03\x04", b"\x1f\x8b"]


def _take(data: bytes, folder: Path) -> Outcome:
    root = folder / f"tree{next(_number)}" / "a" / "b"  # new for each input, because results are cached by path
    root.mkdir(parents=True)
    outside = folder / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "x.json").write_bytes(_samples()[0])
    try:
        _build(data.decode("utf-8", "surrogateescape"), root, outside)
        return _list(root)
    finally:
        with contextlib.suppress(OSError):
            os.chmod(root, 0o700)
        shutil.rmtree(root.parents[1], ignore_errors=True)


def _build(text: str, root: Path, outside: Path) -> None:
    """Create the entries that can be created, none of them outside."""
    for line in text.split("\n")[:_MOST_LINES]:
        kind, _, rest = line.partition(" ")
        path, _, argument = rest.partition("\t")
        place = root / path.lstrip("/")
        with contextlib.suppress(OSError, ValueError):
            if ".." in Path(path).parts or not is_inside(str(place.parent), str(root)):
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(place) and kind != "off":
                continue  # writing to an existing pipe would block
            if kind == "file":
                samples = _samples()
                content = (
                    samples[int(argument)]
                    if argument.isdecimal() and int(argument) < len(samples)
                    else os.fsencode(argument)
                )
                place.write_bytes(content)
            elif kind == "dir":
                place.mkdir()
            elif kind == "link":
                target = argument.replace("{outside}", str(outside))
                if argument in _TARGETS or is_inside(str(place.parent / target), str(outside.parent)):
                    place.symlink_to(target)
            elif kind == "pipe":
                os.mkfifo(place)
            elif kind == "off":
                place.chmod(0)


def _list(root: Path) -> Outcome:
    outcome = Outcome.READ
    try:
        index = find_runs(str(root))
    except InputError:
        return Outcome.REFUSED
    for problem in index.problems:
        check_note(problem)
    names = [run.name for run in index.runs]
    if names != sorted(names):
        raise Broken("runs are not in order")
    for run in index.runs[:5]:
        try:
            parse_source(run.path)
        except (InputError, SelectionError):
            outcome = Outcome.REFUSED
    for inside in (False, True):
        listing = Index([Root(str(root))], inside=inside).listing()
        if len({run.name for run in listing.runs}) != len(listing.runs):
            raise Broken("two runs of one name")
        for run in listing.runs if inside else ():
            for worker in run.workers:
                for span in worker.spans:
                    if not is_inside(span.file.path, str(root)):
                        raise Broken(f"{span.file.path} is outside")
    TraceProbe(logdir_roots(str(root), "")).found()
    return outcome


def _changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    if draw.random() < 0.1:
        return bytes_changed(data, draw, others)
    lines = data.split(b"\n")
    for _ in range(draw.choice((1, 2, 5))):
        match draw.randrange(5):
            case 0:
                lines.insert(draw.randrange(len(lines) + 1), draw.choice(lines) if lines else b"")
            case 1 if lines:
                del lines[draw.randrange(len(lines))]
            case _:
                lines.insert(draw.randrange(len(lines) + 1), _line(draw))
    return b"\n".join(lines[:_MOST_LINES])


def _line(draw: Random) -> bytes:
    path = "/".join(draw.choice(_NAMES) for _ in range(draw.choice((1, 1, 2, 3, 9))))
    kind = draw.choice(("file", "file", "file", "dir", "link", "link", "pipe", "off"))
    argument = {"file": str(draw.randrange(len(_samples()))), "link": draw.choice(_TARGETS)}.get(kind, "")
    return os.fsencode(f"{kind} {path}\t{argument}")


def _seeds() -> list[bytes]:
    return [
        b"file normal/worker0.1.pt.trace.json\t0\nfile abnormal/worker0.1.pt.trace.json\t1\nlink again\tnormal",
        b"dir a\nlink a/b\t..\nlink a/c\t.\nlink d\td\nlink e\tf\nlink f\te",
        b"file x.jsonl\t2\nfile k/x.txt\t3\nfile n/x.csv\t4\nfile c/job_perf_data.csv\t5\nfile s/x.baseline\t6\n"
        b"file h/events.out.tfevents.1.a.perfcompare\t7\npipe x.json\noff s/x.baseline",
    ]


TREES = Target("tree", "log directories, listed", _take, _changed, _seeds)
