"""The JSON form of a comparison and of a view (docs/comparison.schema.json): plain values, fixed key order, no NaN or
Infinity. Everything that answers JSON, over HTTP, in files or in Python, takes it from here."""

from __future__ import annotations

import math
from typing import Any

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.comparison import (
    Cell,
    Certainty,
    Check,
    Column,
    Comparison,
    Finding,
    Headline,
    Ledger,
    LedgerRow,
    SideFacts,
    Table,
    View,
)
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.summary import DeviceFacts, DroppedStep

VIEW_SCHEMA = "tb_perfcompare.view/1"


def comparison_dict(comparison: Comparison) -> dict[str, Any]:
    """The whole comparison as JSON-able values."""
    return {
        "schema": comparison.schema,
        "version": __version__,
        "baseline": side_dict(comparison.baseline),
        "candidate": side_dict(comparison.candidate),
        "window": comparison.window,
        "headline": headline_dict(comparison.headline),
        "ledger": ledger_dict(comparison.ledger),
        "findings": [finding_dict(finding) for finding in comparison.findings],
        "comparability": [check_dict(check) for check in comparison.comparability],
        "tables": {name: table_dict(table) for name, table in comparison.tables.items()},
        "notes": [note_dict(note) for note in comparison.notes],
    }


def view_dict(view: View) -> dict[str, Any]:
    """One run's own table."""
    return {
        "schema": VIEW_SCHEMA,
        "view": view.table.name,
        "reading": view.reading,
        "side": side_dict(view.side),
        "table": table_dict(view.table),
        "notes": [note_dict(note) for note in view.notes],
    }


def side_dict(side: SideFacts) -> dict[str, Any]:
    """`steps.count` are all steps that were seen, `admitted` those that are compared."""
    return {
        "source": side.source,
        "run": side.run,
        "worker": side.worker,
        "span": side.span,
        "format": side.format,
        "device": device_dict(side.device),
        "steps": {
            "count": side.steps_total,
            "admitted": side.steps_admitted,
            "dropped": [_dropped(step) for step in side.dropped],
        },
        "files": [{"path": file.path, "bytes": file.bytes, "sha256": file.sha256 or None} for file in side.files],
        "captures": side.captures,
    }


def device_dict(device: DeviceFacts) -> dict[str, Any]:
    """The device a side ran on; `name` is null when the trace does not say."""
    return {"kind": device.kind, "word": device.word, "name": device.name or None, "count": device.count}


def table_dict(table: Table) -> dict[str, Any]:
    """Columns say what a cell of a row is, by position."""
    return {
        "title": table.title,
        "columns": [column_dict(column) for column in table.columns],
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
        "notes": list(table.notes),
    }


def note_dict(note: Note) -> dict[str, Any]:
    """A weakness; `where` is empty for the whole."""
    return {"code": note.code.value, "message": note.message, "where": note.where}


def _dropped(step: DroppedStep) -> dict[str, Any]:
    return {"step": step.label, "reason": step.reason, "capture": step.capture, "total_us": step.total_ns / 1000}


def headline_dict(headline: Headline) -> dict[str, Any]:
    """The verdict with its figures."""
    shift = headline.shift
    return {
        "metric": headline.metric,
        "unit": headline.unit,
        "baseline": _cell(headline.baseline),
        "candidate": _cell(headline.candidate),
        "delta": _cell(headline.delta),
        "ratio": _cell(headline.ratio),
        "shift": None
        if shift is None
        else {
            "estimate": _cell(shift.estimate),
            "low": _cell(shift.low),
            "high": _cell(shift.high),
            "level": _cell(shift.level),
            "estimate_us": _cell(shift.estimate_us),
            "low_us": _cell(shift.low_us),
            "high_us": _cell(shift.high_us),
        },
        "p": _cell(headline.p),
        "n": list(headline.n),
        "verdict": headline.verdict.value,
        "reason": headline.reason,
        "margin": _cell(headline.margin),
        "inflation": _cell(headline.inflation),
        "scope": headline.scope,
        "method": headline.method,
        "sensitivity": headline.sensitivity,
        "certainty": None if headline.certainty is None else _certainty(headline.certainty),
    }


def _certainty(certainty: Certainty) -> dict[str, Any]:
    return {
        "effect_size": _cell(certainty.effect_size),
        "effect": certainty.effect,
        "mean_low": _cell(certainty.mean_low),
        "mean_high": _cell(certainty.mean_high),
        "tail_driven": certainty.tail_driven,
        "autocorrelation": _cell(certainty.autocorrelation),
        "detectable": _cell(certainty.detectable),
        "steps_needed": certainty.steps_needed,
        "captures": list(certainty.captures),
        "noise_floor": _cell(certainty.noise_floor),
        "captures_needed": certainty.captures_needed,
    }


def ledger_dict(ledger: Ledger) -> dict[str, Any]:
    """Integers as they are; divide by the denominator."""
    return {
        "unit": "ns",
        "denominator": ledger.denominator,
        "baseline": ledger.baseline,
        "candidate": ledger.candidate,
        "delta": ledger.delta,
        "rows": [_ledger_row(row) for row in ledger.rows],
    }


def _ledger_row(row: LedgerRow) -> dict[str, Any]:
    return {
        "path": list(row.path),
        "name": row.name,
        "baseline": row.baseline,
        "candidate": row.candidate,
        "delta": row.delta,
        "calls": [_cell(value) for value in row.calls],
        "count_effect": row.count_effect,
        "rate_effect": row.rate_effect,
        "mix_effect": row.mix_effect,
        "same_shape_effect": row.same_shape_effect,
        "status": row.status,
    }


def finding_dict(finding: Finding) -> dict[str, Any]:
    """A cause in a sentence."""
    return {
        "rule": finding.rule,
        "subject": finding.subject,
        "category": finding.category,
        "delta_us": _cell(finding.delta_us),
        "share": _cell(finding.share),
        "sentence": finding.sentence,
        "evidence": [{"table": item.table, "row": item.row, "value": item.value} for item in finding.evidence],
        "confidence": finding.confidence,
        "look_at": finding.look_at,
    }


def check_dict(check: Check) -> dict[str, Any]:
    """A comparability check."""
    return {
        "check": check.check,
        "status": check.status,
        "detail": check.detail,
        "invalidates": list(check.invalidates),
    }


def column_dict(column: Column) -> dict[str, Any]:
    """What the cells of a column are."""
    return {
        "name": column.name,
        "label": column.label,
        "unit": column.unit,
        "better": column.better.value,
        "description": column.description,
        "role": column.role,
        "kind": column.kind,
        "shown": column.shown,
    }


def _cell(cell: Cell) -> Cell:
    """NaN and Infinity are "not measured" too."""
    if isinstance(cell, float):
        return float(cell) if math.isfinite(cell) else None
    return cell
