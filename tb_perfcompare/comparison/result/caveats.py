"""Caveats of a comparison in words: failed checks, warnings and notes. Notes that differ only in their figures
become one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from tb_perfcompare.comparison.result.finding import CERTAIN, Check, Finding
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.iterations import CUT_OFF
from tb_perfcompare.number_text import many
from tb_perfcompare.quick_dataclass import dataclass

_WEAKENED = {
    "alignment": "the matched work",
    "bound": "the limits",
    "cause": "the causes",
    "communication": "the collectives",
    "device": "the device's figures",
    "dram_active": "the memory bandwidth in use",
    "functions": "the functions",
    "host time": "the host times",
    "kernels": "the kernels",
    "ledger": "where the time went",
    "ledger entities": "the entries of each part",
    "operators": "the operators",
    "p": "p",
    "same work": "what is the same work",
    "sm_throughput": "the SM throughput",
    "tensor_active": "the tensor core use",
    "verdict": "the verdict",
}
_NAMES = {"matched": "matched work", "input_types": "data types", "profiler_flags": "profiler options"}
"""Names of checks and notes whose codes are not clear enough."""

_FIGURE = regex(r"(?<![\w.\-:'])(?<!steps )(?<!step )[+−-]?\d[\d,]*(?:\.\d+)?(?![\w']| \(|\.\d)")
"""A number that is neither part of a name nor the number of a step."""
_SIDE = regex(r", (?=baseline\b|candidate\b)")


_NO_BEARING = frozenset({NoteCode.TABLE_ABSENT, NoteCode.DEVICE_STEPS_IGNORED})
"""Notes that change no figure of the report; for absent tables see `not_recorded`."""

_SHARED = frozenset({"operators", "kernels", "input_shapes", "input_types", "matched"})
"""Checks of what both sides share by name, shape, type or device time."""

_RECORD = "; record with "
_NOTHING = regex(r"(the trace has )?no ")
_ONE_SIDE = regex(rf"({'|'.join(SIDES)}): ")


@dataclass(frozen=True, slots=True)
class Caveat:
    """A failed check, a check that warns, or a group of notes with the same wording."""

    status: Annotated[str, "result of the check, or `note`", ("fail", "warn", "note")]
    code: Annotated[str, "code of the check or of the notes"]
    name: Annotated[str, "readable form of `code`"]
    message: Annotated[str, "text; figures that differ among the grouped notes are given as a range"]
    weakens: Annotated[str, "conclusions that become less certain, in words; empty for notes"] = ""
    where: Annotated[str, "file, side or number of files concerned; empty for checks"] = ""
    notes: Annotated[tuple[int, ...], "indices of the grouped notes in the comparison's `notes`; empty for checks"] = ()


def caveats_of(
    checks: Sequence[Check], notes: Sequence[Note], findings: Sequence[Finding] = ()
) -> tuple[Caveat, ...]:  # fmt: skip
    """Returns failed checks, then warnings, then the notes that bear on the answer, in their order, without what
    `findings` or other checks say. Notes about a side's two groups are not grouped: their figures belong together."""
    caveats = [
        Caveat(check.status, check.check, name_of(check.check), check.detail, _weakened(check))
        for status in ("fail", "warn")
        for check in checks
        if check.status == status and not _is_told(check, checks, findings)
    ]
    groups: dict[tuple[object, ...], list[int]] = {}
    cpu_alone, left_out = any(map(_is_cpu_alone, notes)), any(caveat.code == "left_out" for caveat in caveats)
    for place, note in enumerate(notes):
        is_told = (cpu_alone and note.code is NoteCode.NO_DEVICE_EVENTS) or _is_on_left_out_steps(note, left_out)
        if note.code in _NO_BEARING or is_told:
            continue
        alone = (place,) if note.code is NoteCode.TWO_GROUPS else ()
        groups.setdefault((note.code, _FIGURE.sub("#", note.message), *alone), []).append(place)
    for places in groups.values():
        own = [notes[place] for place in places]
        message = _with_ranges([note.message for note in own])
        code = own[0].code.value
        caveats.append(Caveat("note", code, name_of(code), message, "", _whose(own), tuple(places)))
    return tuple(caveats)


def _is_told(check: Check, checks: Iterable[Check], findings: Iterable[Finding]) -> bool:
    """Whether what the sides do not share is said elsewhere: by counted findings, or as other work."""
    is_other_work = any(other.check == "same_work" and other.status != "ok" for other in checks)
    are_counted = any(finding.confidence.startswith(CERTAIN) for finding in findings)
    return check.check in _SHARED and (is_other_work or are_counted)


def _is_cpu_alone(note: Note) -> bool:
    """Whether the note is that both sides lack device work, which the table of categories says, too."""
    return note.code is NoteCode.TABLE_ABSENT and note.message.startswith("no device events")


def _is_on_left_out_steps(note: Note, are_told: bool) -> bool:
    """Whether the note is on steps that were left out, which are told elsewhere or are only the last one."""
    is_last = note.message.count("; ") == 0 and note.message.endswith(f"({CUT_OFF})")
    return note.code is NoteCode.STEPS_DROPPED and note.message.startswith("left out: ") and (are_told or is_last)


def not_recorded(notes: Iterable[Note]) -> list[str]:
    """Returns what the tables that are absent would need: in one sentence what other recordings of both sides would
    have, then a sentence for each further reason. Leaves out what does not occur in the program, such as collectives:
    nothing can be done about it."""
    options, others = dict[str, None](), dict[str, None]()
    for note in notes:
        if note.code is not NoteCode.TABLE_ABSENT:
            continue
        what, can_record, how = note.message.partition(_RECORD)
        if can_record and _NOTHING.match(what):
            options[f"{_NOTHING.sub('', what)} ({how})"] = None
        elif _ONE_SIDE.match(note.message) or (note.where != "ranks" and "; " in note.message):
            others[note.message] = None
    return [*([f"not recorded: {', '.join(options)}"] if options else []), *others]


def name_of(code: str) -> str:
    """Readable name of a check's or note's code."""
    return _NAMES.get(code, code.replace("_", " "))


def merged(messages: Iterable[str]) -> list[str]:
    """Merges messages that differ only in one figure into one message with the range of that figure."""
    groups: dict[str, list[str]] = {}
    for message in messages:
        groups.setdefault(_FIGURE.sub("#", message), []).append(message)
    return [_with_ranges(group) for group in groups.values()]


def _weakened(check: Check) -> str:
    words = [_WEAKENED.get(conclusion, conclusion.replace("_", " ")) for conclusion in check.invalidates]
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _with_ranges(messages: Sequence[str]) -> str:
    """Merges messages that differ only in their figures: "90.1–94.6 % of the recording"."""
    columns = zip(*(_FIGURE.findall(message) for message in messages), strict=True)
    ranges = [_range(figures) for figures in columns]
    return _FIGURE.sub(lambda _: ranges.pop(0), messages[0])


def _range(figures: Sequence[str]) -> str:
    low, high = min(figures, key=_value), max(figures, key=_value)
    if _value(low) == _value(high):
        return low
    return f"{low} to {high}" if low[0] in "+−-" else f"{low}–{high}"


def _value(figure: str) -> float:
    return float(figure.replace(",", "").replace("−", "-"))


def _whose(notes: Sequence[Note]) -> str:
    """Place of the notes: "baseline: worker0.json", "3 files of the baseline and 1 file of the candidate", or "" if
    they are about both sides as a whole."""
    places = [place for note in notes for place in _SIDE.split(note.where) if place]
    if len(places) < 2:
        return "".join(places)
    if set(places) <= {"baseline", "candidate"}:
        return ""
    files = {side: sum(place.startswith(f"{side}: ") for place in places) for side in SIDES}
    if sum(files.values()) < len(places):
        return ", ".join(places)
    if len({*files.values()}) == 1:
        return f"{many(files['baseline'], 'file')} of each side"
    return " and ".join(f"{many(count, 'file')} of the {side}" for side, count in files.items() if count)
