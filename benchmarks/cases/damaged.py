"""How many of the events before the damage are read from damaged files, and how long that takes."""

from __future__ import annotations

import random
import statistics
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases.judging import rejections, why_rejected
from benchmarks.figures import Goal, Section, Verdict, spread, table
from benchmarks.generated import Load
from benchmarks.layouts import NATIVE, Layout
from benchmarks.rounds import Task, measure, sample
from benchmarks.setting import Setting

NAME = "damaged"
_SHARES = (10, 50, 90)
_CUT, _FLIPPED = "cut", "flipped"
_DAMAGED, _SOUND, _JSON = "damaged", "sound", "json.loads"
_EVENT_ENDS = b"\n  }"
"""End of an event in the native layout; occurs nowhere else."""


@dataclass(frozen=True, slots=True)
class Case:
    """A damaged file: `whole` events are complete before the damage, of `total` written; `like` is an undamaged file of
    the same size."""

    title: str
    path: Path
    whole: int
    total: int
    like: Path


def run(setting: Setting) -> Section:
    """Measures every damaged file in turns with an undamaged one."""
    section = Section(NAME)
    rows, shares, all_rounds = [], [], []
    times: dict[str, list[list[float]]] = {_CUT: [], _FLIPPED: []}
    json_reads = 0
    for case in _cases(setting):
        tasks = [Task(_DAMAGED, "our_work.read", (str(case.path),)), Task(_SOUND, "our_work.read", (str(case.like),))]
        rounds = measure(tasks, setting.rounds, _SOUND)
        all_rounds.append(rounds)
        read = rounds.result(_DAMAGED)["events"]
        ratios = rounds.ratios(_DAMAGED, _SOUND, "cpu_seconds")
        shares.append(min(1.0, read / max(1, case.whole)))
        if not rounds.rejected:
            times[_CUT if _CUT in case.title else _FLIPPED].append(ratios)
        by_json = Task(_JSON, "peer_work.json_loads", (str(case.path),), may_fail=True)
        json_reads += not sample(by_json, quick=setting.quick).failure
        rows.append([case.title, f"{case.whole:,}", f"{read:,}", f"{100 * shares[-1]:.2f} %", spread(ratios, 2)])
    section.parts.append(
        table(["damage", "whole events before it", "events read", "of those before", "time / sound file, CPU"], rows)
    )
    section.verdicts = [
        Verdict("events before the damage that are read, worst case", [100 * min(shares)], Goal(100, unit=" %"), 2),
        *(Verdict(f"{kind}: time over that of a sound file of as many bytes, worst case",
                  max(ratios, key=statistics.median, default=[]), Goal(1.1, at_most=True), 2,
                  why_rejected(all_rounds))
          for kind, ratios in times.items()),
    ]  # fmt: skip
    section.notes += rejections([(row[0], item) for row, item in zip(rows, all_rounds, strict=True)])
    section.notes.append(
        f"json.loads reads {json_reads} of these files, and so do torch-tb-profiler, HolisticTraceAnalysis and "
        "TraceLens, which begin with a parser of the whole document."
    )
    return section


def _cases(setting: Setting) -> Iterator[Case]:
    load = Load(setting.size(50))
    plain = setting.inputs.generated("plain", load, packed=False).path
    packed = setting.inputs.generated("packed", load).path
    text, stored = plain.read_bytes(), packed.read_bytes()
    total = text.count(_EVENT_ENDS)
    folder = setting.inputs.scratch / "damaged"
    folder.mkdir(parents=True, exist_ok=True)

    def written(name: str, content: bytes) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    def sound(size: int, name: str, *, pack: bool) -> Path:
        """Writes an undamaged file of about `size` bytes of text."""
        content = text[: text.rindex(_EVENT_ENDS, 0, size) + len(_EVENT_ENDS)] + Layout(NATIVE).foot.encode()
        return written(name, _packed(content) if pack else content)

    shares = _SHARES[1:2] if setting.quick else _SHARES
    for share in shares:
        cut = text[: len(text) * share // 100]
        path = written(f"cut{share}.json", cut)
        yield Case(f"cut at {share} %", path, cut.count(_EVENT_ENDS), total,
                   sound(len(cut), f"sound{share}.json", pack=False))  # fmt: skip
    for share in shares:
        cut = stored[: len(stored) * share // 100]
        text_left = zlib.decompressobj(31).decompress(cut)
        path = written(f"cut{share}.json.gz", cut)
        yield Case(f"gz cut at {share} %", path, text_left.count(_EVENT_ENDS), total,
                   sound(len(text_left), f"sound{share}.json.gz", pack=True))  # fmt: skip
    draw = random.Random(1)
    for flips in (1, 100):
        damaged = bytearray(text)
        # a single flip damages a quotation mark, many are anywhere
        places = sorted(draw.randrange(len(text) // 4, len(text)) for _ in range(flips))
        if flips == 1:
            places = [text.index(b'"', len(text) // 2)]
        for place in places:
            damaged[place] ^= 0x5A
        path, whole = written(f"flips{flips}.json", bytes(damaged)), text.count(_EVENT_ENDS, 0, places[0])
        yield Case(f"{flips} flipped byte{'s' if flips > 1 else ''}", path, whole, total, plain)
    middle = len(stored) // 2
    damaged = bytearray(stored)
    damaged[middle] ^= 0x5A
    text_left = zlib.decompressobj(31).decompress(stored[: middle - 64])
    path = written("flip.json.gz", bytes(damaged))
    yield Case("gz, 1 flipped byte at 50 %", path, text_left.count(_EVENT_ENDS), total, packed)


def _packed(content: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return packer.compress(content) + packer.flush()
