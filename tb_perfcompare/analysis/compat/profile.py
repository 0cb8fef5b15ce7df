"""Reads one trace with torch-tb-profiler, or says why it cannot."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from tb_perfcompare.analysis.compat import cambricon
from tb_perfcompare.analysis.compat.events import GPU_CATEGORIES, KnownTrace, known_events
from tb_perfcompare.errors import InputError, PerfCompareError, out_of_memory
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.recording import TraceEvents
from tb_perfcompare.quick_dataclass import dataclass

FAILURES = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Exceptions of code that meets unexpected data. Excludes lack of memory."""


@dataclass(frozen=True, eq=False)
class CompatProfile:
    """torch-tb-profiler's reading of one trace.

    path    the file
    run     torch-tb-profiler's RunProfile of it
    is_mlu  whether the answers are those of Cambricon's fork
    notes   events that were omitted because it fails on them
    """

    path: str
    run: Any
    is_mlu: bool
    notes: tuple[Note, ...]


def read_compat(trace: TraceEvents) -> CompatProfile:
    """Has torch-tb-profiler read the events. Raises InputError if it cannot."""
    path, skipped = trace.file.path, Counter[str]()
    devices = trace.device_properties
    is_mlu = cambricon.wrote(trace)
    if is_mlu:
        devices = cambricon.devices_as_gpus(devices)
        events, arrows = known_events(trace.events, cambricon.CATEGORIES, skipped, cambricon.as_gpu)
    else:
        events, arrows = known_events(trace.events, GPU_CATEGORIES, skipped)
    if not events:
        raise InputError(
            path, "holds no event that torch-tb-profiler knows", place="traceEvents", hint="leave out --compat"
        )
    lightning = trace.properties.get("Framework") == "pytorch-lightning"
    run, omitted = _read(KnownTrace(events, arrows, devices, lightning), is_mlu, path)
    left_out = [f"{what} ({count})" for what, count in sorted(skipped.items())] + omitted
    message = f"left out, because torch-tb-profiler fails on it: {', '.join(left_out)}"
    notes = (Note(NoteCode.DROPPED_EVENTS, message, path),) if left_out else ()
    return CompatProfile(path, run, is_mlu, notes)


def failed(path: str, error: Exception) -> InputError:
    """Returns the error for an exception that torch-tb-profiler's code raised."""
    reason = f"torch-tb-profiler {version('torch-tb-profiler')} fails on this trace"
    if isinstance(error, ZeroDivisionError):
        reason += ": its steps have no length"
    elif isinstance(error, RecursionError):
        reason += ": it nests too deeply"
    else:
        reason += f" ({type(error).__name__}: {error})"
    return InputError(path, reason, hint="leave out --compat for the corrected reading")


def _read(readable: KnownTrace, is_mlu: bool, path: str) -> tuple[Any, list[str]]:
    """Returns (RunProfile, descriptions of omitted events).

    It fails if events refer to others that are not as it expects; such references are omitted step by step.
    """
    try:
        from tb_perfcompare.analysis.compat.original import read_gpu, read_mlu
    except ImportError as error:
        raise out_of_memory(error) or PerfCompareError(
            f"--compat runs torch-tb-profiler, which cannot be imported: {error}",
            hint="install it: pip install torch-tb-profiler==0.4.3",
        ) from error
    read = read_mlu if is_mlu else read_gpu
    omitted: list[str] = []
    while True:
        try:
            return read(readable), omitted
        except LookupError as error:
            if readable.arrows:
                omitted.append(f"arrows from forward to backward ({len(readable.arrows)})")
                readable = replace(readable, arrows=[])
            elif functions := sum(event.get("cat") == "python_function" for event in readable.events):
                omitted.append(f"modules and Python functions ({functions})")
                readable = replace(readable, events=[e for e in readable.events if e.get("cat") != "python_function"])
            else:
                raise failed(path, error) from error
        except FAILURES as error:
            raise failed(path, error) from error
