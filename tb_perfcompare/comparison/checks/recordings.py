"""Checks of the files: whether they differ, are complete, and were recorded in the same way."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from tb_perfcompare.comparison.checks.environment_checks import differences
from tb_perfcompare.comparison.checks.profiler_options import option_differences
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.environment import NO_FIELDS, WRITTEN_ARGUMENTS, WRITTEN_FIELDS
from tb_perfcompare.model.note import LOST
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.summary import Summary


def same_capture(a: Summary, b: Summary) -> Check:
    """Warns about a recording that is on both sides, or twice on one: recognized by the file's bytes, or by all of
    its figures if it was compressed or renamed."""
    files = [_steps_of_files(side) for side in (a, b)]
    shared = [file for file in files[0].keys() & files[1].keys() if file and files[0][file] & files[1][file]]
    if shared:
        count = "the same file" if len(shared) == 1 else f"the same {len(shared):,} files"
        detail = f"{many(len(shared), 'file')} on both sides: those steps are compared with themselves"
        if files[0] == files[1] and None not in files[0]:
            detail = f"a run compared with itself: {count} on both sides"
        return Check("same_capture", "warn", detail, ("verdict",))
    twins = Counter(sums for side in (a, b) for _, _, sums in _figures(side))
    seen = [Counter(_fingerprints(side, twins)) for side in (a, b)]
    equal = seen[0].keys() & seen[1].keys()
    if equal:
        detail = f"{many(len(equal), 'recording')} with identical figures on both sides"
        detail += ": the same file under another name?"
        return Check("same_capture", "warn", detail, ("verdict",))
    for side, counts in zip(SIDES, seen, strict=True):
        if twice := sum(count - 1 for count in counts.values()):
            detail = f"{many(twice, 'duplicate recording')} in the {side}: their steps count more than once"
            return Check("same_capture", "warn", detail, ("verdict", "p"))
    return Check("same_capture", "ok", "no file is on both sides")


def with_itself(checks: Iterable[Check]) -> str:
    """Message of `same_capture` for a recording that is on both sides, "" if there is none."""
    details = (check.detail for check in checks if check.check == "same_capture" and check.invalidates == ("verdict",))
    return next(details, "")


def _steps_of_files(summary: Summary) -> dict[tuple[str, int] | None, frozenset[str]]:
    """File by its bytes -> labels of its steps; None for files whose bytes are unknown."""
    out: dict[tuple[str, int] | None, frozenset[str]] = {}
    labels = np.array(summary.steps.label, dtype=object)
    for index, capture in enumerate(summary.captures):
        key = (capture.file.sha256, capture.file.part) if capture.file.sha256 else None
        own = frozenset(labels[summary.steps.capture == index].tolist())
        out[key] = out.get(key, frozenset()) | own
    return {key: steps for key, steps in out.items() if key is not None or steps}


def _figures(summary: Summary) -> Iterator[tuple[Ints, Ints, bytes]]:
    """Yields ((2e, s) times of each capture, exposed ones above summed ones; entities that have any; sums of squares).
    Nothing for sources without a split: few figures may be equal by chance."""
    owned = summary.owned
    for capture in range(len(summary.captures)) if summary.is_split else ():
        steps = summary.steps.capture == capture
        # recordings may differ in hidden time alone
        times = np.vstack([owned.time_ns[:, steps], owned.plain_ns[:, steps]]).astype(np.int64, copy=False)
        own = np.flatnonzero(times.reshape(2, len(owned.key), -1).any(axis=(0, 2)))
        if len(own):
            squares = (times.view(np.uint64) ** 2).sum(axis=0)  # plain sums are just the step times
            yield times, own, np.append(squares, np.uint64(len(own))).tobytes()


def _fingerprints(summary: Summary, twins: Counter[bytes]) -> Iterator[str]:
    """Yields a hash for each capture whose sums another capture has too: of its times by category and entity."""
    owned = summary.owned
    for times, own, sums in _figures(summary):
        if twins[sums] == 1:
            continue
        order = sorted(own.tolist(), key=lambda row: (int(owned.category[row]), owned.key[row]))
        names = "\n".join(f"{CATEGORY_LABELS[owned.category[row]]} {owned.key[row]}" for row in order)
        rows = [*order, *(row + len(owned.key) for row in order)]
        text = names.encode("utf-8", "surrogatepass") + np.ascontiguousarray(times[rows]).tobytes()
        yield hashlib.sha256(text).hexdigest()


def flags(a: Summary, b: Summary) -> Check:
    """Profiler options that cost time."""
    if differing := "; ".join(option_differences(a, b)):
        detail = f"recorded with different profiler options, whose overhead differs: {differing}"
        return Check("profiler_flags", "warn", detail, ("host time", "verdict"))
    return Check("profiler_flags", "ok", "same profiler options, as far as recorded")


def versions(a: Summary, b: Summary) -> Check:
    """Versions of libraries, drivers and trace format."""
    named = [[name for name, _ in side.environment if name.startswith("version.")] for side in (a, b)]
    names = (*named[0], "distributed.nccl_version", "distributed.backend", "trace.schema")
    if differing := "; ".join(differences(a, b, names)):
        return Check("versions", "warn", f"different library versions: {differing}", ("cause",))
    if later := written_by_later(a, b):
        return Check("versions", "warn", later, ("same work", "cause"))
    if any(named) and not all(named):
        return Check("versions", "ok", f"only the {SIDES[int(not named[0])]} names its library versions")
    return Check("versions", "ok", "same library versions, as far as recorded")


def written_by_later(a: Summary, b: Summary) -> str:
    """Says which traces have fields that only later versions of PyTorch write; "" if both have the same, or unknown."""
    environment_a, environment_b = dict(a.environment), dict(b.environment)
    fields = [
        [set(side[name].split(", ")) - {NO_FIELDS} for side in (environment_a, environment_b)]
        for name in (WRITTEN_FIELDS, WRITTEN_ARGUMENTS)
        if name in environment_a and name in environment_b
    ]
    only = [sorted(set[str]().union(*(sides[side] - sides[1 - side] for sides in fields))) for side in (0, 1)]
    new = [f"{', '.join(names)} only in the {side}'s traces" for side, names in zip(SIDES, only, strict=True) if names]
    if not new:
        return ""
    return f"different versions of PyTorch: {', '.join(new)}; operators of the same name may run different code"


def complete(a: Summary, b: Summary) -> Check:
    """Files that were cut off, repaired or lost events."""
    weak = [f"{note.where}: {note.message}" for side in (a, b) for note in side.notes if note.code in LOST]
    if weak:
        return Check("complete_files", "warn", "; ".join(weak), ("ledger", "counts"))
    return Check("complete_files", "ok", "every file was read completely")
