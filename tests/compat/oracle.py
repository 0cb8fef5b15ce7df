"""torch-tb-profiler run in this process, as the authority its answers are compared with.

Its release 0.4.3 differs from the line that is reproduced where it does not know event categories (`cuda_runtime`,
`fwdbwd`, plain annotations); traces for it are written in the spelling of 2021, or respelled by `known_spelling`.
"""

from __future__ import annotations

import contextlib
import json
import logging
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

COLLECTIVES = {f"{lib}:{op}" for lib in ("nccl", "gloo")
               for op in ("broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter")}  # fmt: skip


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No warnings and no log lines from a library that is not under test."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


try:
    with _quiet():
        from torch_tb_profiler.profiler.data import RunProfileData
        from torch_tb_profiler.profiler.run_generator import RunGenerator
    available = True
except ImportError:
    available = False

needs_oracle = pytest.mark.skipif(not available, reason="torch-tb-profiler is not installed")


class _Files:
    """Reads files directly, where the original keeps a cache shared between processes."""

    def read(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def add_file(self, *_: object) -> None:
        return


def profile_file(path: Path) -> Any:
    """torch-tb-profiler's RunProfile of a trace file; None where it fails on the file (a documented weakness)."""
    with _quiet():
        try:
            data = RunProfileData.parse("worker0", "1", str(path), _Files())
            return RunGenerator("worker0", "1", data).generate_run_profile()
        except (ZeroDivisionError, IndexError, TypeError, KeyError):
            return None


def profile_document(document: dict[str, Any]) -> Any:
    """The same of a decoded trace."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "worker0.pt.trace.json"
        path.write_text(json.dumps(document))
        return profile_file(path)


def plain(value: Any) -> Any:
    """An answer with numpy's numbers as Python's, as the HTTP layer sends it."""
    return json.loads(json.dumps(value, default=lambda number: number.item()))


def known_spelling(document: dict[str, Any]) -> dict[str, Any]:
    """A modern trace in categories release 0.4.3 knows, without the annotations it ignores."""
    events = []
    for event in document["traceEvents"]:
        category = event.get("cat")
        if category in ("cuda_runtime", "privateuse1_runtime"):
            events.append({**event, "cat": "runtime"})
        elif category == "fwdbwd":
            events.append({**event, "cat": "forward_backward"})
        elif category not in ("user_annotation", "gpu_user_annotation") or (
            event["name"].startswith("ProfilerStep#") or event["name"] in COLLECTIVES
        ):
            events.append(event)
    return {**document, "traceEvents": events}
