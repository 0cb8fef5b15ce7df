"""Judges comparisons of the pairs recorded by training.py: verdict and first finding.

python -m tests.planted.on_device.judge OUT [--set programs|held_out|library_pairs] [--pair NAME ...] [--single]
"""

from __future__ import annotations

import argparse
import re
from fnmatch import fnmatchcase
from pathlib import Path

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis
from tests.planted.on_device import held_out, library_pairs, programs
from tests.planted.on_device.programs import Pair
from tests.planted.recorded.genuine import SIDES, SPANS, compared
from tests.planted.replay.replayed import verdict_direction

SETS = {"programs": programs.PAIRS, "held_out": held_out.PAIRS, "library_pairs": library_pairs.PAIRS}


def is_found(pair: Pair, found: Comparison) -> bool:
    """Whether the first finding is the expected one; for equal programs, whether there is none."""
    if not pair.expected or not found.findings:
        return not pair.expected and not found.findings
    first = found.findings[0]
    words = re.findall(r"[\w:.#]+", f"{first.rule} {first.subject} {first.sentence}")
    return any(fnmatchcase(word, glob) for word in words for glob in pair.expected.split())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder of the recordings")
    parser.add_argument("--set", choices=SETS, default="programs", help="module of the pairs (default: programs)")
    parser.add_argument("--pair", action="append", help="only this pair (default: all)")
    parser.add_argument("--single", action="store_true", help="compare the first captures, the second ones, ...")
    parser.add_argument("--findings", type=int, default=3, help="number of findings printed")
    chosen = parser.parse_args()
    results: dict[str, list[bool]] = {}
    for pair in SETS[chosen.set]:
        name, folder = pair.name, chosen.out / pair.name
        if (chosen.pair and name not in chosen.pair) or not all((folder / side).exists() for side in SIDES):
            continue
        for capture in range(1, SPANS + 1) if chosen.single else (0,):
            found = compared(folder, capture=capture)
            equal = pair.healthy == pair.faulty
            answers = {"no finding, equal" if equal else "cause": is_found(pair, found)}
            if pair.direction != "any":
                kind = "equal" if equal else pair.direction
                direction = "none" if found.headline.basis is Basis.MACHINE else verdict_direction(found)
                answers[f"direction, {kind}"] = direction == pair.direction
                answers["no wrong direction"] = direction in {pair.direction, "none"}
            for question, right in answers.items():
                results.setdefault(question, []).append(right)
            wrong = ", ".join(question for question, right in answers.items() if not right)
            mark = f"X ({wrong})" if wrong else "."
            print(f"{mark} {name}, {capture or 'all'}: {found.headline.sentence}", flush=True)
            for finding in found.findings[: chosen.findings]:
                print(f"      {finding.rule}: {finding.sentence}")
    for question, rights in sorted(results.items()):
        print(f"{question}: {sum(rights)} of {len(rights)}")


if __name__ == "__main__":
    main()
