"""The inputs that are kept: those that reached something new, and those that once broke a law (found-*)."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.readers.law import Target
from tests.fuzz.readers.reading import FILES
from tests.fuzz.readers.routes import ROUTES
from tests.fuzz.readers.trees import TREES

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
FOUND = "found-"

TARGETS: dict[str, Target] = {target.name: target for target in (*FILES, TREES, ROUTES)}


def kept(target: Target) -> list[Path]:
    """Files of the target and of the one that is alike, by name."""
    folders = [CORPUS / name for name in (target.name, target.alike) if name]
    return [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir()) if path.is_file()]


def inputs(target: Target) -> list[bytes]:
    """Everything to begin with."""
    return [*target.seeds(), *(path.read_bytes() for path in kept(target))]
