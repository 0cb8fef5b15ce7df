"""The JSON form of a strict comparison (docs/guide/strict.schema.json): fixed key order, no NaN or Infinity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.result.plain_values import as_plain
from tb_perfcompare.comparison.result.table import Column, Table, TableDict
from tb_perfcompare.comparison.strict.answer import SCHEMA, StrictAnswer, Weakness
from tb_perfcompare.comparison.strict.processes import ProcessPair
from tb_perfcompare.render.strict.prose import PLAIN, Prose, StrictFinding, prose
from tb_perfcompare.render.strict.report import report_title
from tb_perfcompare.render.wire.pages import first_rows
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, cut_to_fit, encoded, raw


class ProcessPairDict(TypedDict):
    """A pair of processes that a strict report can compare."""

    normal: Annotated[int, "pid; for traces the rank, or a number given to the worker"]
    abnormal: Annotated[int, "pid, rank or number of the abnormal side"]
    label: Annotated[str, "both processes in words"]
    strict: Annotated[bool, "whether it is the same process on both sides"]


class _StrictDict(TypedDict):
    schema: Annotated[str, "name and number of this schema", (SCHEMA,)]
    version: Annotated[str, "tb_perfcompare version"]
    title: Annotated[str, "heading of the report"]
    labels: Annotated[tuple[str, str], "names of the normal and the abnormal side in tables and texts"]
    processes: Annotated[Sequence[ProcessPairDict], "all pairs of processes that can be compared"]
    chosen: Annotated[int, "index of the compared pair in `processes`"]
    overview: Annotated[str, "opening sentences of the report"]
    findings: Annotated[Sequence[StrictFinding], "key findings, at most three"]
    recommendation: Annotated[str, "recommendation; empty without findings"]
    note: Annotated[str, "note on shares above 100 %; empty if no finding has one"]
    weaknesses: Annotated[Sequence[Weakness], "weaknesses of the method that apply to this report"]
    units: Annotated[Sequence[str], "unit of each counter's mean (mu)"]
    tables: Annotated[Mapping[str, TableDict], "`summary`, `cycles` and `triplets`; empty if there is no report"]
    absent: Annotated[str, "reason why there is no report; empty if there is one"]


class StrictAnswerDict(_StrictDict, total=False):
    """Answer of api/strict. docs/method/strict.md defines the figures; null is "undefined" or "not measured". Keys may
    be added; none changes its meaning under this schema number."""

    tag: Annotated[str, "identifier of the compared files' state; pass it to api/table"]


def strict_dict(answer: StrictAnswer) -> StrictAnswerDict:
    """Returns the complete answer as values for JSON."""
    words = prose(answer.report, PLAIN) if answer.report is not None else Prose()
    pair = answer.processes[answer.chosen] if answer.processes else None
    return {
        "schema": SCHEMA,
        "version": __version__,
        "title": report_title(answer.case, pair) if pair is not None else answer.case,
        "labels": as_plain(pair.labels if pair is not None else ("normal", "abnormal")),
        "processes": [_pair(process_pair) for process_pair in answer.processes],
        "chosen": answer.chosen,
        "overview": words.overview,
        "findings": as_plain(words.findings),
        "recommendation": words.recommendation,
        "note": words.note,
        "weaknesses": as_plain(answer.weaknesses),
        "units": list(answer.units),
        "tables": {name: table.to_dict() for name, table in answer.tables.items()},
        "absent": answer.absent,
    }


def _pair(pair: ProcessPair) -> ProcessPairDict:
    return {"normal": pair.normal, "abnormal": pair.abnormal, "label": pair.described, "strict": pair.strict}


def strict_first(body: bytes) -> bytes:
    """Returns the report's JSON for the page: the first rows of its tables, at most MAX_BYTES."""
    answer: dict[str, Any] = msgspec.json.decode(body)
    tables = strict_tables(body)
    parts = {key: raw(value) for key, value in answer.items() if key != "tables"}
    parts["tables"] = raw({})
    room = MAX_BYTES - len(encoded(parts))
    return cut_to_fit(encoded({**parts, "tables": first_rows(tables, room)}), MAX_BYTES)


def strict_tables(body: bytes) -> dict[str, Table]:
    """Reads the report's tables from its JSON, by name."""
    tables: dict[str, Any] = msgspec.json.decode(body)["tables"]
    return {
        name: Table(
            name, table["title"], msgspec.convert(table["columns"], tuple[Column, ...]),
            tuple(map(tuple, table["rows"])), tuple(table["notes"]),
        )
        for name, table in tables.items()
    }  # fmt: skip
