"""The causes of differences between genuine recordings: torch trains a small network on the CPU, well and with a fault.

Recordings on a busy machine hold its other work, too. The suite records faults that counts decide, on any machine;
TB_PERFCOMPARE_THOROUGH=1 records all of them, which asks for an idle one. The sides' recordings take turns, and a pair
that shows something else first is recorded again, at most twice.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tb_perfcompare.comparison.causes.rules import RULES
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tests.planted.recorded import genuine
from tests.planted.recorded.genuine import Fault, compared, is_found
from tests.thorough import THOROUGH

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="records with torch, which is not installed (the extra `record`)"
)

COUNTED = ("larger batch", "twice the layers", "a metric is new")
FAULTS = tuple(fault for fault in genuine.FAULTS if THOROUGH or fault.name in COUNTED)
EQUAL = genuine.EQUAL if THOROUGH else genuine.EQUAL[:2]
ATTEMPTS = 3
ROOT = Path(__file__).parents[2]


def record(pairs: tuple[Fault, ...], target: Path) -> None:
    """In a process of its own: torch changes the one that loads it."""
    names = [argument for pair in pairs for argument in ("--fault", pair.name)]
    command = [sys.executable, "-m", "tests.planted.recorded.genuine", str(target), "--quiet", *names]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Fault, int], Path]:
    """Where a pair's recordings are; all pairs are recorded at once, further attempts when they are asked for."""
    target = tmp_path_factory.mktemp("genuine")
    record((*FAULTS, *EQUAL), target / "0")

    def folder(pair: Fault, attempt: int) -> Path:
        found = target / str(attempt) / pair.name
        if not found.exists():
            record((pair,), target / str(attempt))
        return found

    return folder


def findings_text(found: Comparison) -> str:
    """For the message of a failure."""
    text = "\n".join(f"{finding.rule}: {finding.sentence}" for finding in found.findings)
    return f"{found.headline.reason}\n{text}"


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_the_fault_is_the_first_finding(fault: Fault, recorded: Callable[[Fault, int], Path]) -> None:
    seen = []
    for attempt in range(ATTEMPTS):
        folder = recorded(fault, attempt)
        found = compared(folder)
        if is_found(fault, found):
            break
        seen.append(findings_text(found))
    else:
        pytest.fail("\n\n".join(seen))
    back = compared(folder, swapped=True)
    there = found.findings[0]
    names = next(rule.names for rule in RULES if there.rule in rule.names)  # of either direction
    assert back.findings[0].rule in names and back.findings[0].subject == there.subject
    assert there.delta_us is not None and back.findings[0].delta_us == pytest.approx(-there.delta_us)


def test_most_equal_programs_are_not_told_apart(recorded: Callable[[Fault, int], Path]) -> None:
    directions = {Verdict.SLOWER, Verdict.FASTER, Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER}
    verdicts = [compared(recorded(pair, 0)).headline.verdict for pair in EQUAL]
    assert sum(verdict in directions for verdict in verdicts) <= len(EQUAL) // 2, verdicts
