"""The benchmark suite works: every benchmark runs on small inputs. Its figures are not tested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import document, generated, rounds
from benchmarks.cases import judging
from benchmarks.figures import MET, MISSED, Goal, Section, Verdict, slope, table
from benchmarks.generated import OLD, Load
from benchmarks.layouts import ABSOLUTE, COMPACT, INDENT, WHOLE
from benchmarks.rounds import Rounds, Sample, Task
from benchmarks.setting import HTA, TBP, TRACELENS, find_peers
from benchmarks.suite import SUITE
from tb_perfcompare.workspace.workers.limits import WORKERS
from tests.sources.layouts import read

REPOSITORY = Path(__file__).resolve().parents[2]


def test_a_quick_run_prints_every_table(tmp_path: Path) -> None:
    """One process for all: they measure on the same generated traces. With one worker, as each costs its imports."""
    command = [sys.executable, "-m", "benchmarks", "--quick", "--scratch", str(tmp_path)]
    environment = os.environ | {WORKERS: "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    assert MISSED not in done.stdout, "a quick run judges nothing"
    for name in SUITE:
        section = done.stdout.split(f"## {name}\n", 1)[1].split("\n## ", 1)[0]
        assert "not judged: " in section, f"{name} has no goals"


def sample(seconds: float, cpu_seconds: float = 1.0, failure: str = "", neighbors: float = 0.0) -> Sample:
    return Sample(seconds, cpu_seconds, 0, 0, {}, neighbors, failure)


def test_ratios_are_formed_within_a_round() -> None:
    found = Rounds({"peer": [sample(10), sample(30)], "ours": [sample(1), sample(2)]}, "peer")
    assert found.ratios("peer", "ours") == [10, 15]


def test_a_base_that_moves_rejects_the_rounds() -> None:
    assert Rounds({"base": [sample(1, 1.0), sample(1, 1.6)]}, "base").rejected
    assert not Rounds({"base": [sample(1, 1.0), sample(1, 1.4)]}, "base").rejected


def test_rejected_rounds_do_not_count_and_are_named() -> None:
    moved = Rounds({"base": [sample(1, 1.0), sample(1, 2.0)]}, "base")
    quiet = Rounds({"base": [sample(1, 1.0), sample(1, 1.1)]}, "base")
    assert judging.steady([moved, quiet]) == [quiet]
    assert judging.why_rejected([moved, quiet]) == "" != judging.why_rejected([moved])
    assert judging.rejections([("large", moved), ("small", quiet)]) == [
        "large: its base moved 2.00x between rounds, it does not count for the goal."
    ]


def test_neighbors_make_rounds_noisy() -> None:
    assert Rounds({"base": [sample(1, neighbors=0.9)]}, "base").noisy
    assert not Rounds({"base": [sample(1, neighbors=0.1)]}, "base").noisy


def test_a_peer_that_fails_gives_no_figures() -> None:
    found = Rounds({"peer": [sample(0, failure="it fell")], "ours": [sample(1)]}, "ours")
    assert (found.ratios("peer", "ours"), found.failure("peer")) == ([], "it fell")


def test_who_goes_first_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def measured(task: Task, *, quick: bool) -> Sample:
        order.append(task.key)
        return sample(1)

    monkeypatch.setattr(rounds, "sample", measured)
    rounds.measure([Task(key, "", ()) for key in "abc"], 3, "a")
    assert "".join(order) == "abc" "bca" "cab"


@pytest.mark.parametrize(
    ("goal", "value", "state"),
    [
        (Goal(10), 10, MET),
        (Goal(10), 9.9, MISSED),
        (Goal(50, at_most=True), 50, MET),
        (Goal(50, at_most=True), 51, MISSED),
        (Goal(1.05, at_most=True, least=0.95), 0.9, MISSED),
        (Goal(1.05, at_most=True, least=0.95), 1.0, MET),
    ],
)
def test_goals_are_judged_by_the_median(goal: Goal, value: float, state: str) -> None:
    assert Verdict("figure", [value, 0, 1000], goal).state == state


def test_what_was_not_measured_is_not_judged() -> None:
    assert Verdict("figure", [], Goal(1)).row() == ["figure", "—", "≥ 1", "not judged: no figures"]
    assert Verdict("figure", [5], Goal(1), why_not="the base moved").state == "not judged: the base moved"


def test_the_slope_is_the_exponent() -> None:
    assert slope([1, 10, 100], [3, 300, 30_000]) == pytest.approx(2)


def test_a_section_is_written_between_its_markers(tmp_path: Path) -> None:
    results = tmp_path / "results.md"
    blank = "".join(f"<!-- {name}: begin -->\n<!-- {name}: end -->\n" for name in ("goals", "one", "two"))
    results.write_text(f"before\n{blank}after\n")
    size = Verdict("size", [3.0], Goal(2, at_most=True))
    document.write(Section("two", [size], ["text"]), "m", results)
    for speed in (1.0, 3.0):
        document.write(Section("one", [Verdict("speed", [speed], Goal(2))]), "a machine", results)
    text = results.read_text()
    goals = text[text.index("<!-- goals: begin -->") : text.index("<!-- goals: end -->")].splitlines()[1:]
    links = [f"[{name}](#{name})" for name in ("one", "two")]
    assert goals == table(
        ("benchmark", "figure", "measured", "goal", "met?"),
        [[links[0], "speed", "3.0", "≥ 2", MET], [links[1], "size", "3.0", "≤ 2", MISSED]],
    ).splitlines()
    assert text.startswith("before\n") and text.endswith("after\n") and "a machine" in text


def test_the_page_has_a_place_for_every_benchmark() -> None:
    text = document.RESULTS.read_text("utf-8")
    for name in (document.GOALS, *SUITE):
        begin, end = document.markers(name)
        assert text.index(begin) < text.index(end)


def test_peers_that_are_missing_are_named() -> None:
    peers = find_peers(None, None)
    assert peers.missing(TRACELENS) and peers.task(TRACELENS, "trace") is None
    assert bool(peers.missing(TBP)) == (TBP not in peers.versions)
    assert (peers.task(HTA, "trace") is None) == (HTA not in peers.versions)


def test_tracelens_is_taken_from_a_checkout(tmp_path: Path) -> None:
    (tmp_path / "TraceLens").mkdir()
    (tmp_path / "TraceLens" / "__init__.py").write_text(
        "import json\n"
        "class DataLoader:\n"
        "    load_data = staticmethod(lambda path: json.load(open(path)))\n"
        "class TraceToTree:\n"
        "    def __init__(self, events): self.events = events\n"
        "    def build_tree(self, add_python_func): pass\n"
    )
    trace = tmp_path / "trace.json"
    trace.write_text('{"traceEvents": [{}, {}]}')
    task = find_peers(None, tmp_path).task(TRACELENS, trace)
    assert task is not None and rounds.sample(task).result["events"] == 2


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"layout": INDENT, "times": ABSOLUTE, "frames": 5},
        {"layout": COMPACT, "times": WHOLE, "spelling": OLD},
        {"depth": 50, "launches": 4, "threads": 9},
        {"names": 5000, "shuffled": True, "memory": False, "arrows": False},
    ],
    ids=str,
)
def test_generated_traces_are_sound(options: dict[str, object]) -> None:
    load = Load(megabytes=0.3, steps=3, **options)
    text = "".join(generated.text(load))
    events = json.loads(text)["traceEvents"]
    recording = read(text.encode())
    assert len(text) == pytest.approx(300_000, rel=0.2)
    assert (recording.stats.events, dict(recording.stats.dropped), recording.notes) == (len(events), {}, ())
    assert sum(event["name"].startswith("ProfilerStep#") for event in events) == 3
    kernels = [event for event in events if event.get("cat") in ("kernel", "Kernel")]
    calls = {event["args"]["correlation"] for event in events if event.get("cat") in ("cuda_runtime", "Runtime")}
    assert {event["args"]["correlation"] for event in kernels} == calls
    operators = {event["name"] for event in events if event.get("cat") in ("cpu_op", "Operator")}
    assert len(operators) > 200


def test_generated_operators_are_as_deep_as_asked() -> None:
    load = Load(megabytes=0.05, steps=1, depth=7, threads=1)
    events = json.loads("".join(generated.text(load)))["traceEvents"]
    open_until: list[float] = []
    deepest = 0
    for event in sorted((e for e in events if e.get("cat") == "cpu_op"), key=lambda e: (e["ts"], -e["dur"])):
        while open_until and open_until[-1] <= event["ts"]:
            open_until.pop()
        assert not open_until or event["ts"] + event["dur"] <= open_until[-1] + 1e-6
        open_until.append(event["ts"] + event["dur"])
        deepest = max(deepest, len(open_until))
    assert deepest == 7


def test_equal_loads_have_equal_texts() -> None:
    first, second, other = (
        "".join(generated.text(Load(megabytes=0.05, seed=seed))) for seed in (1, 1, 2)
    )  # fmt: skip
    assert first == second != other
