"""manifest.json of an experiment: what was run, in which order, when, where, and what was seen. `experiment/` writes it
beside the runs; whoever compares two of them later reads which level the experiment leaves for that."""

from __future__ import annotations

import os
from dataclasses import field

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.errors import InputError
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.storage.filesystem import LOCAL, FileSystem

SCHEMA = "tb_perfcompare.experiment/1"
FILE = "manifest.json"
_MOST_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class GitState:
    """`clean`: no tracked file was changed; `changes`: a digest of how they were, "" for a clean tree."""

    commit: str
    clean: bool
    changes: str = ""


@dataclass(frozen=True, slots=True)
class VariantFacts:
    """One command; `revision`: what --b-git was given, "" for the working tree."""

    name: str
    command: str
    revision: str
    git: GitState | None


@dataclass(frozen=True, slots=True)
class RecordingFacts:
    """One process. `began` in UTC; `files` below the experiment's directory; `program`: what the launcher knows."""

    round: int
    variant: str
    began: str
    seconds: float
    files: tuple[str, ...]
    load: tuple[float, ...] = ()
    gpus: tuple[dict[str, str], ...] = ()
    program: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen after a round; fractions, 0.05 is 5 %."""

    round: int
    variant: str
    verdict: str
    level: float
    estimate: float | None
    low: float | None
    high: float | None


@dataclass(slots=True)
class Manifest:
    """All of it; the first variant is the baseline.

    capture  options of the launcher
    levels   two-sided error level of a comparison after 1, 2, ... rounds, at most len(levels) of them
    alpha    that of all looks and candidates together
    """

    variants: tuple[VariantFacts, ...]
    capture: tuple[str, ...]
    seed: int
    alpha: float
    levels: tuple[float, ...]
    environment: dict[str, object]
    recordings: list[RecordingFacts] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    schema: str = SCHEMA
    version: str = __version__

    @property
    def most_rounds(self) -> int:
        """Rounds that are planned."""
        return len(self.levels)

    @property
    def level(self) -> float:
        """Error level of a comparison after the rounds so far."""
        return self.levels[max(self.rounds(), 1) - 1]

    def is_recorded(self, number: int, variant: str) -> bool:
        """Whether this variant's recording of that round is there."""
        return any((recording.round, recording.variant) == (number, variant) for recording in self.recordings)

    def rounds(self) -> int:
        """Rounds in which every variant was recorded."""
        names = [variant.name for variant in self.variants]
        return min(sum(recording.variant == name for recording in self.recordings) for name in names)

    def usual_seconds(self, variant: str) -> float | None:
        """Mean time of a recording."""
        seconds = [recording.seconds for recording in self.recordings if recording.variant == variant]
        return sum(seconds) / len(seconds) if seconds else None


def read_manifest(directory: str, fs: FileSystem = LOCAL) -> Manifest | None:
    """None where there is none. Raises InputError for one that cannot be read."""
    path = f"{directory}/{FILE}"
    try:
        with fs.open(path) as file:
            manifest = msgspec.json.decode(file.read(_MOST_BYTES), type=Manifest)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}", hint="choose another --out") from error
    except msgspec.DecodeError as error:
        raise InputError(path, f"is not the manifest of an experiment: {error}", hint="choose another --out") from error
    if manifest.schema != SCHEMA:
        hint = "use the version that wrote it, or choose another --out"
        raise InputError(path, f"has the schema {manifest.schema}", hint=hint)
    return manifest


def write_manifest(directory: str, manifest: Manifest) -> None:
    """Writes it atomically: a reader sees the old or the new content, never a part."""
    path = os.path.join(directory, FILE)
    with open(f"{path}.new", "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    os.replace(f"{path}.new", path)
