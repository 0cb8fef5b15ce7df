"""Stored inputs: those that reached new code, and those that once broke a law (found-*)."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.readers.law import Target
from tests.fuzz.readers.reading import FILES
from tests.fuzz.readers.routes import ROUTES
from tests.fuzz.readers.trees import TREES

CORPUS = Path(__file__).resolve().parents[1] / "corpus"

TARGETS: dict[str, Target] = {target.name: target for target in (*FILES, TREES, ROUTES)}


def stored_files(target: Target) -> list[Path]:
    """Stored inputs of the target and of the target whose corpus it shares."""
    folders = [CORPUS / name for name in (target.name, target.shares) if name]
    return [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir()) if path.is_file()]


def inputs(target: Target) -> list[bytes]:
    """Seeds and stored inputs."""
    return [*target.seeds(), *(path.read_bytes() for path in stored_files(target))]
