"""The JSON form of a strict comparison (docs/guide/strict.schema.json): fixed key order, no NaN or Infinity."""

from __future__ import annotations

from typing import Any

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.strict.answer import SCHEMA, StrictAnswer
from tb_perfcompare.comparison.strict.processes import ProcessPair
from tb_perfcompare.render.strict.prose import PLAIN, Prose, prose
from tb_perfcompare.render.strict.report import report_title

_NOTHING = Prose("", (), "", "")


def strict_dict(answer: StrictAnswer) -> dict[str, Any]:
    """The whole answer as JSON-able values."""
    words = prose(answer.report, PLAIN) if answer.report is not None else _NOTHING
    pair = answer.processes[answer.chosen] if answer.processes else None
    return {
        "schema": SCHEMA,
        "version": __version__,
        "title": report_title(answer.case, pair) if pair is not None else answer.case,
        "labels": list(pair.labels) if pair is not None else ["normal", "abnormal"],
        "processes": [_pair(own) for own in answer.processes],
        "chosen": answer.chosen,
        "overview": words.overview,
        "findings": [
            {
                "function": finding.function,
                "device": finding.device,
                "sentence": finding.sentence,
                "counters": list(finding.counters),
            }
            for finding in words.findings
        ],
        "recommendation": words.recommendation,
        "note": words.note,
        "weaknesses": [{"number": weakness.number, "sentence": weakness.sentence} for weakness in answer.weaknesses],
        "units": list(answer.units),
        "tables": {name: table.to_dict() for name, table in answer.tables.items()},
        "absent": answer.absent,
    }


def _pair(pair: ProcessPair) -> dict[str, Any]:
    return {"normal": pair.normal, "abnormal": pair.abnormal, "label": pair.described, "strict": pair.strict}
