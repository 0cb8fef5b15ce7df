"""manifest.json of an experiment: what was run, in which order, when, where, and what was seen."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.errors import InputError
from tb_perfcompare.experiment.revision import GitState

SCHEMA = "tb_perfcompare.experiment/1"
FILE = "manifest.json"


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
    """All of it; the first variant is the baseline."""

    variants: tuple[VariantFacts, ...]
    seed: int
    most_rounds: int
    alpha: float
    environment: dict[str, object]
    recordings: list[RecordingFacts] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    schema: str = SCHEMA
    version: str = __version__

    def is_recorded(self, number: int, variant: str) -> bool:
        """Whether this variant's recording of that round is there."""
        return any((one.round, one.variant) == (number, variant) for one in self.recordings)

    def rounds(self) -> int:
        """Rounds in which every variant was recorded."""
        numbers = [{one.round for one in self.recordings if one.variant == each.name} for each in self.variants]
        return len(set.intersection(*numbers))

    def usual_seconds(self, variant: str) -> float | None:
        """Mean time of a recording."""
        found = [one.seconds for one in self.recordings if one.variant == variant]
        return sum(found) / len(found) if found else None


def read_manifest(directory: str) -> Manifest | None:
    """None where there is none. Raises InputError for one that cannot be read."""
    path = os.path.join(directory, FILE)
    try:
        with open(path, "rb") as file:
            found = msgspec.json.decode(file.read(), type=Manifest)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(path, f"cannot be read: {error}", hint="choose another --out") from error
    if found.schema != SCHEMA:
        raise InputError(path, f"has the schema {found.schema}", hint="go on with the version that wrote it")
    return found


def write_manifest(directory: str, manifest: Manifest) -> None:
    """In one go: whoever reads it sees all of it or what was there before."""
    path = os.path.join(directory, FILE)
    with open(f"{path}.new", "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    os.replace(f"{path}.new", path)
