"""Equal programs from recordings of different pairs: healthy captures of two pairs with the same program are dealt to
two sides alternately, and the verdict must have no direction.

python -m tests.planted.recorded.mixed_captures everyday|further|unseen|held_out FOLDER   FOLDER as the set recorded it
"""

from __future__ import annotations

import argparse
import importlib
import os
import tempfile
from itertools import pairwise
from pathlib import Path

from tests.planted.recorded.everyday import FASTER, SLOWER, Change
from tests.planted.recorded.genuine import SIDES, SPANS, compared

SETS = ("everyday", "further", "unseen", "held_out")


def healthy_sides(changes: list[Change], folder: Path) -> list[list[Path]]:
    """The recorded sides of each healthy program."""
    of: dict[str, list[Path]] = {}
    for change in changes:
        alike = SIDES if change.before == change.after else SIDES[:1]
        of.setdefault(repr(change.before), []).extend(folder / change.name / side for side in alike)
    return [[side for side in sides if side.exists()] for sides in of.values()]


def dealt(one: Path, two: Path, out: Path) -> Path:
    """A folder of two sides: of each capture number one side has that of `one`, the other that of `two`."""
    for number in range(1, SPANS + 1):
        for side, source in zip(SIDES, (one, two) if number % 2 else (two, one), strict=True):
            path = next(source.glob(f"worker0.{number}.pt.trace.json*"))
            (out / side).mkdir(parents=True, exist_ok=True)
            os.link(path, out / side / path.name)
    return out


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("folder", type=Path, help="folder of its recordings")
    chosen = parser.parse_args()
    module = importlib.import_module(f"tests.planted.recorded.{chosen.set}")
    counts = {"pairs": 0, "the program's direction": 0, "the machine's direction": 0, "a finding": 0}
    with tempfile.TemporaryDirectory(dir=chosen.folder) as out:
        for sides in healthy_sides([*module.CHANGES, *module.EQUAL], chosen.folder):
            for one, two in pairwise([*sides, *sides[:1]] if len(sides) > 2 else sides):
                if one.parent == two.parent:
                    continue  # an equal pair as it was recorded
                found = compared(dealt(one, two, Path(out) / str(counts["pairs"])))
                counts["pairs"] += 1
                about = found.headline.basis.value if found.headline.verdict.value in (*SLOWER, *FASTER) else ""
                counts["the program's direction"] += about not in ("", "machine")
                counts["the machine's direction"] += about == "machine"
                counts["a finding"] += bool(found.findings)
                if about or found.findings:
                    rules = ", ".join(finding.rule for finding in found.findings)
                    print(f"{one.parent.name} + {two.parent.name}: {found.headline.sentence} {rules}", flush=True)
    print(", ".join(f"{what}: {count}" for what, count in counts.items()))


if __name__ == "__main__":
    main()
