"""manifest.json of an experiment: the recordings made, their order, times and environment, and the interim results.

`experiment/` writes it next to the runs; a later comparison of two of them reads its error level from it.
"""

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
_MAX_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class GitState:
    """`clean`: no tracked file was modified; `changes`: a digest of the modifications, "" for a clean tree."""

    commit: str
    clean: bool
    changes: str = ""


@dataclass(frozen=True, slots=True)
class VariantFacts:
    """One command; `revision`: the value of --b-git, "" for the working tree."""

    name: str
    command: str
    revision: str
    git: GitState | None


@dataclass(frozen=True, slots=True)
class RecordingFacts:
    """One process. `began` is in UTC; `files` are relative to the experiment's directory; `program` is information from
    the launcher."""

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
    """Result of a comparison after a round; fractions, 0.05 is 5 %."""

    round: int
    variant: str
    verdict: str
    level: float
    estimate: float | None
    low: float | None
    high: float | None


@dataclass(slots=True)
class Manifest:
    """The whole manifest; the first variant is the baseline.

    capture  options of the launcher
    levels   two-sided error level of a comparison after 1, 2, ... rounds; the experiment has at most len(levels) rounds
    alpha    error level of all comparisons, rounds and candidates together
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
        """Number of planned rounds."""
        return len(self.levels)

    @property
    def level(self) -> float:
        """Error level of a comparison after the rounds so far."""
        return self.levels[max(self.rounds(), 1) - 1]

    def is_recorded(self, number: int, variant: str) -> bool:
        """Whether this variant was recorded in that round."""
        return any((recording.round, recording.variant) == (number, variant) for recording in self.recordings)

    def rounds(self) -> int:
        """Number of rounds in which every variant was recorded."""
        names = [variant.name for variant in self.variants]
        return min(sum(recording.variant == name for recording in self.recordings) for name in names)

    def usual_seconds(self, variant: str) -> float | None:
        """Mean duration of the variant's recordings, None without any."""
        seconds = [recording.seconds for recording in self.recordings if recording.variant == variant]
        return sum(seconds) / len(seconds) if seconds else None


def read_manifest(directory: str, fs: FileSystem = LOCAL) -> Manifest | None:
    """Reads the manifest in a directory; None if there is none. Raises InputError if it cannot be read."""
    path = f"{directory}/{FILE}"
    try:
        with fs.open(path) as file:
            manifest = msgspec.json.decode(file.read(_MAX_BYTES), type=Manifest)
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
    """Writes the manifest atomically: a reader sees the old or the new content, never a part."""
    path = os.path.join(directory, FILE)
    with open(f"{path}.new", "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    os.replace(f"{path}.new", path)
