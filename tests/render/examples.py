"""A hand-made comparison with everything a renderer must cope with."""

from __future__ import annotations

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Check, Evidence, Finding
from tb_perfcompare.comparison.result.headline import Headline, Shift, Verdict
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.side_facts import SideFacts
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import DeviceFacts, DroppedStep

LONG_NAME = "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, " + "x" * 300 + ">(int)"
NASTY_NAMES = (
    LONG_NAME,
    "pipe|in|name",
    "=SUM(A1)",
    "@everyone",
    "-1+2",
    "`tick` ``two``",
    "<script>alert(1)</script>",
    "\x1b[2Jclears the screen\n",
    "lone \ud800 surrogate",
    "宽字符内核",
    "",
)


def side(run: str) -> SideFacts:
    return SideFacts(
        source=f"logs/{run}", run=run, worker="worker0", span="1, 2", format="torch_profiler_trace",
        device=DeviceFacts("cuda", "GPU", "Tesla V100", 1), steps_total=7, steps_admitted=6,
        dropped=(DroppedStep(0, "7", 1_500, "cut off"),), files=(FileFacts("worker0.1.pt.trace.json", 10, ""),),
        captures=2,
    )  # fmt: skip


def headline(verdict: Verdict = Verdict.SLOWER, shift: Shift | None = None, **changes: object) -> Headline:
    known: dict[str, object] = {
        "metric": "step_time", "unit": "us", "baseline": 126_500.0, "candidate": 161_800.0, "delta": 35_300.0,
        "ratio": 1.279, "shift": shift or Shift(0.279, 0.021, 0.405, 35_300.0, 2_500.0, 51_200.0, 0.95), "p": 0.0004,
        "n": (12, 12), "verdict": verdict, "reason": "the typical step takes 27.9 % more", "margin": 0.01,
        "inflation": 1.0, "scope": "these captures", "method": "Hodges-Lehmann",
    }  # fmt: skip
    return Headline(**{**known, **changes})


def comparison(**changes: object) -> Comparison:
    rows = tuple(
        (name, 10.5 + index, None if index == 1 else 11.0, -50.0, float("nan") if index == 2 else 0.25, 3, 4.5, status)
        for index, (name, status) in enumerate(
            zip(NASTY_NAMES, ("both", "removed", "added", *["both"] * 8), strict=True)
        )
    )
    table = Table(
        "operators", "Operators",
        (
            columns.key("name", "Name", "name of the operator"), *columns.triple("", "", "Host self time"),
            columns.SHARE, *columns.calls("Calls"), columns.STATUS,
        ),
        rows, ("A note about the table.",),
    )  # fmt: skip
    fields: dict[str, object] = {
        "baseline": side("normal"), "candidate": side("abnormal"), "window": "device", "headline": headline(),
        "ledger": Ledger(2, 2_000_000, 3_000_000, 1_000_000, (
            LedgerRow(("DataLoader",), "", 500_000, 1_700_000, 1_200_000, (1.0, 1.0), 0, 1_200_000, "both"),
            LedgerRow(("DataLoader", "next"), "next", 500_000, 1_700_000, 1_200_000, (1.0, 1.0), 0, 1_200_000, "both"),
            LedgerRow(("Other",), "", 1_500_000, 1_300_000, -200_000, (0.0, 0.0), 0, -200_000, "both"),
        )),
        "findings": (
            Finding("category", "DataLoader", "DataLoader", 46_600.0, 1.2,
                    "Waiting for <the> loader takes 46.6 ms more.",
                    (Evidence("categories", "DataLoader"),), "steps differ clearly"),
        ),
        "comparability": (Check("device", "ok", "same"), Check("steps", "warn", "few steps", ("p",))),
        "tables": {"operators": table},
        "notes": (
            Note(NoteCode.NO_STEPS, "no markers", "baseline"),
            Note(NoteCode.TABLE_ABSENT, "baseline: no device events", "kernels"),
        ),
    }  # fmt: skip
    return Comparison(**{**fields, **changes})
