"""Small saved answers, written as torch-tb-profiler writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tb_perfcompare.model.summary.categories import CATEGORY_LABELS

Number = int | float


def number_columns(names: Sequence[str]) -> list[dict[str, str]]:
    return [{"type": "string" if at == 0 else "number", "name": name} for at, name in enumerate(names)]


def overview(
    *steps: Mapping[str, Number],
    labels: Sequence[str] = (),
    word: str = "GPU",
    metrics: Mapping[str, str] | None = None,
    columns: Sequence[str] = CATEGORY_LABELS,
    total: Number | None = None,
    advice: str = "<li>N/A</li>",
) -> dict[str, Any]:
    """Steps are category -> µs; `total` replaces their sum in the tooltips; `metrics` are figures of device 0."""
    shown = [{"type": "string", "name": "Step"}]
    for name in columns:
        shown += [{"type": "number", "name": name}, {"type": "string", "role": "tooltip"}]
    rows: list[list[Any]] = []
    for number, step in enumerate(steps, start=3):
        label = labels[number - 3] if labels else str(number)
        length = sum(step.values()) if total is None else total
        row: list[Any] = [label]
        for name in columns:
            row += [step.get(name, 0), f"<div>Step {label}<br>Total: {length}us<br><b>{name}: ...</b></div>"]
        rows.append(row)
    answer: dict[str, Any] = {
        "steps": {"columns": shown, "rows": rows},
        "performance": [],
        "recommendations": f"<ul>{advice}</ul>",
        "environments": [{"title": "Number of Worker(s)", "value": "2"}, {"title": "Device Type", "value": word}],
    }
    if metrics is not None:
        lines = [{"title": f"{word} 0:", "value": ""}, *({"title": k, "value": v} for k, v in metrics.items())]
        answer[f"{word.lower()}_metrics"] = {"title": f"{word} Summary", "data": lines}
    return answer


def operators(*rows: Mapping[str, Any]) -> dict[str, Any]:
    """`operation/table`; a row is name, calls, host (self and total), device."""
    data = []
    for row in rows:
        shape = {"input_shape": row["shape"]} if "shape" in row else {}
        device = {}
        if "device" in row:
            device = {"device_self_duration": row["device"], "device_total_duration": row["device"]}
        host = {"host_self_duration": row.get("self", row["host"]), "host_total_duration": row["host"]}
        data.append({"name": row["name"], **shape, "calls": row["calls"], **device, **host, "tc_eligible": "No"})
    return {"metadata": {"sort": "device_self_duration", "tooltips": {}}, "data": data}


def kernels(*rows: Sequence[Any], extra: Sequence[str] = ()) -> dict[str, Any]:
    """`kernel/table`; a row is name, Yes or No, calls, total, mean, max, min and the extra columns."""
    names = ["Name", "Tensor Cores Used", "Calls", "Total Duration (us)", "Mean Duration (us)", "Max Duration (us)"]
    columns = number_columns([*names, "Min Duration (us)", *extra])
    return {"metadata": {"sort": "Total Duration (us)"}, "data": {"columns": columns, "rows": [list(r) for r in rows]}}


def pie(rows: Mapping[str, Number]) -> dict[str, Any]:
    return {"columns": number_columns(["name", "value"]), "rows": [list(row) for row in rows.items()]}


def operator_pies(**pies: Mapping[str, Number]) -> dict[str, Any]:
    """host_total={"aten::mm": 12}, ..."""
    return {f"{name}_time": {"title": name, **pie(rows)} for name, rows in pies.items()}


def kernel_pie(rows: Mapping[str, Number]) -> dict[str, Any]:
    return {"total": pie(rows)}


def write(path: Path, *answers: Any) -> Path:
    """One line each; bytes are written as they are."""
    lines = [answer if isinstance(answer, bytes) else json.dumps(answer).encode() for answer in answers]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path
