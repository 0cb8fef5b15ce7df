"""Building blocks of sentences: figures in words, pairs of figures, short names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.model.names.python_frames import python_frame
from tb_perfcompare.model.names.short_names import short_name, short_names
from tb_perfcompare.model.summary.categories import KERNEL
from tb_perfcompare.model.summary.summary import CYCLE_TIME
from tb_perfcompare.number_text import count as number_text
from tb_perfcompare.number_text import many, p_text
from tb_perfcompare.number_text import percent as percent_text
from tb_perfcompare.number_text import ratio as ratio_text
from tb_perfcompare.number_text import size as size_text
from tb_perfcompare.number_text import time as time_text

__all__ = [
    "VERDICT_WORDS", "and_others", "calls_text", "many", "noun_of", "number_text", "numbers_text", "of_cpu_alone",
    "p_text", "percent_text", "ratio_text", "short", "short_apart", "signed_time", "time_text", "times_text",
    "verdict_word",
]  # fmt: skip

_NAME_LIMIT = 80


def signed_time(us: float) -> str:
    """Time with its sign: "+3.20 ms", "−58.1 ms"."""
    return time_text(us, signed=True)


def times_text(before: float, after: float) -> str:
    """Two times: "2.75 → 21.1 ms"; each with its unit if the units differ, a single time if both are written alike."""
    one, two = time_text(before), time_text(after)
    if one == two:
        return one
    (number, unit), (_, other) = one.split(), two.split()
    return f"{number if unit == other else one} → {two}"


def numbers_text(before: float, after: float) -> str:
    """Two counts: "1 → 3"."""
    return f"{number_text(before)} → {number_text(after)}"


def and_others(rest: int) -> str:
    """Clause on those that are not named: " and 3 others"; "" without any."""
    return f" and {many(rest, 'other')}" if rest > 0 else ""


def of_cpu_alone(ledger: Ledger) -> Iterator[str]:
    """Yields a sentence on the side whose device time was not recorded, if the other's was."""
    a, b = (() if ledger.recorded(KERNEL)[side] else labels for side, labels in enumerate(ledger.not_recorded))
    if bool(a) != bool(b):
        yield f"The {'baseline' if a else 'candidate'} recorded the CPU alone: {', '.join(a or b)} not measured."


def short(name: str) -> str:
    """Short form of a kernel's or a function's name, cut in the middle if it is still long."""
    return _cut(short_name(name))


@lru_cache(maxsize=1 << 12)
def short_apart(*names: str) -> tuple[str, ...]:
    """Short forms of all names of one sentence. Different names stay different, unless they differ only where both
    are cut."""
    return tuple(_cut(name) for name in short_names(names))


def _cut(name: str) -> str:
    if python_frame(name) is not None:
        name = _without_directories(name)
    if len(name) <= _NAME_LIMIT:
        return name
    head = _NAME_LIMIT * 2 // 3
    return f"{name[:head]}…{name[-(_NAME_LIMIT - head - 1) :]}"


def _without_directories(function: str) -> str:
    """A Python function's name without the outer directories of its file, as many as make it too long."""
    inner = function
    while len(inner) > _NAME_LIMIT and "/" in inner.partition("(")[0].removeprefix("…/"):
        inner = f"…/{inner.removeprefix('…/').partition('/')[2]}"
    return inner


def calls_text(value: float, per: str) -> str:
    """Calls in words: "1 call per step", "2.50 calls per step"; `per` is " per step", or "" for a source without
    steps."""
    return f"{many(value, 'call')}{per}"


def noun_of(metric: str) -> str:
    """What a sample of this metric is called: step, or cycle."""
    return "cycle" if metric == CYCLE_TIME else "step"


VERDICT_WORDS = {
    Verdict.SLOWER: "slower",
    Verdict.FASTER: "faster",
    Verdict.SAME: "same",
    Verdict.PROBABLY_SLOWER: "probably slower",
    Verdict.PROBABLY_FASTER: "probably faster",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.WITHHELD: "not comparable",
}
"""Verdicts in words, on every face."""


def verdict_word(verdict: Verdict) -> str:
    """Verdict in words, capitalized for the beginning of a sentence."""
    return VERDICT_WORDS[verdict].capitalize()


_SETTINGS = {
    "device.memory_bytes": "Device memory",
    "device.memory_mib": "Device memory (MiB)",
    "distributed.backend": "Collective backend",
    "distributed.world_size": "World size",
    "distributed.pg_count": "Process groups",
    "distributed.nccl_version": "NCCL version",
    "compile.regions": "Compiled regions",
    "data_loader.batches": "Batches loaded in",
    "trace.schema": "Trace schema version",
    "trace.fields": "Fields of the trace",
    "trace.arguments": "Arguments of operators",
}
_ACRONYMS = {
    "cuda": "CUDA",
    "cudnn": "cuDNN",
    "cupti": "CUPTI",
    "hip": "HIP",
    "nccl": "NCCL",
    "rocm": "ROCm",
    "torch": "PyTorch",
}
_OPTION = "profiler."


def setting_words(name: str) -> str:
    """Readable name of a setting: "Device compute capability", "CUDA driver version". Options of the profiler keep
    their name: "Profiler with_stack"."""
    if name in _SETTINGS:
        return _SETTINGS[name]
    group, dot, rest = name.partition(".")
    if not dot:
        return name[:1].upper() + name[1:]
    if name.startswith(_OPTION):
        return f"Profiler {rest}"
    words = [_ACRONYMS.get(word, word) for word in rest.split("_")]
    phrase = " ".join([*words, "version"] if group == "version" else [group, *words])
    return phrase[0].upper() + phrase[1:]


def setting_value(name: str, value: str) -> str:
    """Recorded value of a setting; sizes also in readable units: "42505273344 (39.6 GiB)"."""
    return f"{value} ({size_text(float(value))})" if name.endswith("_bytes") and value.isdecimal() else value


def setting_change(name: str, a: str | None, b: str | None) -> str:
    """Change of a setting, for use inside a sentence: "device compute capability 8.0 → 9.0", "with_stack not
    recorded → true"."""
    words = setting_words(name)
    if not words.startswith(tuple(_ACRONYMS.values())):
        words = words[:1].lower() + words[1:]
    sides = (setting_value(name, value) if value else "not recorded" for value in (a, b))
    return f"{name.removeprefix(_OPTION) if name.startswith(_OPTION) else words} {' → '.join(sides)}"
