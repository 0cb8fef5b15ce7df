"""Compares the pairs that training.py recorded: is the verdict right, and is the difference the first finding?

python -m tests.planted.on_device.judge OUT [--set programs|held_out|library_pairs] [--pair NAME ...] [--single]
"""

from __future__ import annotations

import argparse
import re
from fnmatch import fnmatchcase
from pathlib import Path

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis
from tests.planted.genuine import SIDES, SPANS, compared
from tests.planted.on_device import held_out, library_pairs, programs
from tests.planted.on_device.programs import Pair
from tests.planted.replayed import verdict_direction

SETS = {"programs": programs.PAIRS, "held_out": held_out.PAIRS, "library_pairs": library_pairs.PAIRS}


def named(pair: Pair, found: Comparison) -> bool:
    """Whether the first finding is the difference; of equal programs whether there is none."""
    if not pair.asked or not found.findings:
        return not pair.asked and not found.findings
    first = found.findings[0]
    words = re.findall(r"[\w:.#]+", f"{first.rule} {first.subject} {first.sentence}")
    return any(fnmatchcase(word, glob) for word in words for glob in pair.asked.split())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder of the recordings")
    parser.add_argument("--set", choices=SETS, default="programs", help="module of the pairs (default: programs)")
    parser.add_argument("--pair", action="append", help="only this one (default: all)")
    parser.add_argument("--single", action="store_true", help="compare one capture a side: the first ones, ...")
    parser.add_argument("--findings", type=int, default=3, help="how many findings are printed")
    chosen = parser.parse_args()
    marks: dict[str, list[bool]] = {}
    for pair in SETS[chosen.set]:
        name, folder = pair.name, chosen.out / pair.name
        if (chosen.pair and name not in chosen.pair) or not all((folder / side).exists() for side in SIDES):
            continue
        for capture in range(1, SPANS + 1) if chosen.single else (0,):
            found = compared(folder, capture=capture)
            equal = pair.healthy == pair.faulty
            answers = {"no finding, equal" if equal else "cause": named(pair, found)}
            if pair.direction != "any":
                kind = "equal" if equal else pair.direction
                way = "none" if found.headline.basis is Basis.MACHINE else verdict_direction(found)
                answers[f"direction, {kind}"] = way == pair.direction
                answers["no wrong direction"] = way in {pair.direction, "none"}
            for what, right in answers.items():
                marks.setdefault(what, []).append(right)
            wrong = ", ".join(what for what, right in answers.items() if not right)
            mark = f"X ({wrong})" if wrong else "."
            print(f"{mark} {name}, {capture or 'all'}: {found.headline.sentence}", flush=True)
            for finding in found.findings[: chosen.findings]:
                print(f"      {finding.rule}: {finding.sentence}")
    for what, rights in sorted(marks.items()):
        print(f"{what}: {sum(rights)} of {len(rights)}")


if __name__ == "__main__":
    main()
