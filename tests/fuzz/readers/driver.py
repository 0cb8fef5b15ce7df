"""Runs a target on its corpus and on mutations drawn from a seed."""

from __future__ import annotations

import hashlib
import re
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.readers.corpus import inputs
from tests.fuzz.readers.law import LIMIT_S, Outcome, Target, bounded

_POOL = 400
_PACKAGE = "tb_perfcompare"


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that broke a law, what was raised, and where."""

    data: bytes
    error: str
    where: str
    trace: str


@dataclass(slots=True)
class Tally:
    """Results of a run; the smallest failing input of each place is kept."""

    target: str
    inputs: int = 0
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    failures: dict[str, Failure] = field(default_factory=dict)
    slowest_s: float = 0.0
    slowest: bytes = b""
    seconds: float = 0.0


def try_one(target: Target, data: bytes, folder: Path, tally: Tally, limit_s: float = LIMIT_S) -> None:
    """Run one input and add its outcome to the tally."""
    start_s = time.monotonic()
    try:
        with bounded(limit_s), warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # an overflow is a wrong number
            tally.outcomes[target.take(data, folder)] += 1
    except Exception as error:
        failure = _failure(data, error)
        known = tally.failures.get(failure.where)
        if known is None or len(known.data) > len(data):
            tally.failures[failure.where] = failure
    tally.inputs += 1
    took_s = time.monotonic() - start_s
    if took_s > tally.slowest_s:
        tally.slowest_s, tally.slowest = took_s, data


def _failure(data: bytes, error: Exception) -> Failure:
    """A failure, identified by type and innermost line of the product."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"/{_PACKAGE}/" in frame.filename] or list(frames)
    place = f"{Path(ours[-1].filename).name}:{ours[-1].name}:{ours[-1].lineno}" if ours else "nowhere"
    kind = type(error).__name__
    message = re.sub(r"[\d,.]+|/\S+", "_", str(error))[:60] if kind == "Broken" else ""
    return Failure(data, f"{kind}: {str(error)[:500]}", f"{kind} {place} {message}".strip(), traceback.format_exc())


def run(target: Target, *, seconds: float, seed: int = 0, corpus: Iterable[bytes] | None = None) -> Tally:
    """Run the corpus, then mutations until the time is over."""
    tally, start_s = Tally(target.name), time.monotonic()
    pool = list(inputs(target) if corpus is None else corpus)
    with tempfile.TemporaryDirectory(prefix=f"fuzz-{target.name}-") as folder:
        for data in pool:
            try_one(target, data, Path(folder), tally)
        for data in _mutations(target, pool, Random(f"{target.name} {seed}")):
            if time.monotonic() - start_s >= seconds:
                break
            try_one(target, data, Path(folder), tally)
    tally.seconds = time.monotonic() - start_s
    return tally


def _mutations(target: Target, pool: list[bytes], draw: Random) -> Iterator[bytes]:
    """Endless mutations of seeds and of earlier mutations."""
    first = len(pool)
    while True:
        source = pool[:first] if draw.random() < 0.6 or len(pool) == first else pool[first:]
        mutation = target.mutate(draw.choice(source), draw, pool[:first])
        yield mutation
        if len(pool) - first < _POOL:
            pool.append(mutation)
        else:
            pool[draw.randrange(first, len(pool))] = mutation


def keep(failure: Failure, folder: Path) -> Path:
    """Write the input to a file named by its digest."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"found-{hashlib.sha256(failure.data).hexdigest()[:12]}"
    path.write_bytes(failure.data)
    path.with_suffix(".txt").write_text(f"{failure.error}\n\n{failure.trace}", "utf-8", "backslashreplace")
    return path
