"""Parses decoded answers of torch-tb-profiler into typed rows. Incomplete rows are left out and counted."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.recordings.answers import SavedDevice, SavedKernel, SavedOperator, SavedStep
from tb_perfcompare.sources.answers.lines import KERNEL_TIME, PIE_KEYS

T = TypeVar("T")

_TOTAL = regex(r"Total: ([0-9.eE+-]+)\s*us")
_TAG = regex(r"<[^<>]*>")
_PARTS = ("Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec", "Other")
"""torch-tb-profiler's columns of the parts of a step, in the order of StepCategory."""

_ALWAYS = _PARTS[-3:]
"""Parts that always have a column; the profiler omits the other parts if nothing of their kind was recorded."""

_LONGEST_US = 1 << 43
"""Limit in microseconds (a hundred days): larger numbers are not durations, and their sums would overflow 64 bits of
ns."""

_MAX_CALLS = 1 << 53


class Unusable(ValueError):
    """An answer or a row lacks something it needs; the text says what."""


Parsed: TypeAlias = tuple[T, str]
"""(usable rows, description of what was left out, "" for nothing)."""


def overview_rows(answer: dict[str, Any]) -> Parsed[dict[str, Any]]:
    """Members of AnswersRecording from the overview: steps and their parts, devices, environment, advice.

    Raises Unusable without a readable step.
    """
    names = _column_names(answer["steps"])
    places = {name: place for place, name in enumerate(names) if name in _PARTS}
    if "Step" not in names or not places:
        raise Unusable(f"steps have no column {'for any part of the time' if 'Step' in names else 'Step'}")

    def step(row: Any) -> SavedStep:
        if not isinstance(row, list) or len(row) < len(names):
            raise Unusable(f"a step has not all {len(names)} columns")
        parts = [_time(row[places[label]], label) if label in places else 0 for label in _PARTS]
        tips = (match for cell in row if isinstance(cell, str) and (match := _TOTAL.search(cell)))
        total = next((_time(_number_in(match[1]), "total") for match in tips), None)
        return SavedStep(str(row[names.index("Step")]), tuple(parts), total)

    steps, problem = _parse_rows(answer["steps"].get("rows"), step, "step")
    if not steps:
        raise Unusable(problem or "no steps")
    missing = [label for label in _ALWAYS if label not in places]
    if missing:
        lacks = f"no column {', '.join(missing)} (zero, or Other as far as the total is more)"
        problem = f"{lacks}; {problem}" if problem else lacks
    return {
        "steps": steps,
        "average_ns": _average(answer.get("performance")),
        "devices": _devices(answer),
        "environment": _title_values(answer.get("environments")),
        "recommendations": _recommendations(answer.get("recommendations")),
    }, problem


def operator_rows(answer: dict[str, Any]) -> Parsed[tuple[SavedOperator, ...]]:
    """Rows of `operation/table`, by name, or by name and input shape."""

    def operator(row: Any) -> SavedOperator:
        if not isinstance(row, dict):
            raise Unusable("a row is not an object")
        shape = row.get("input_shape")
        device = [
            _signed(row[key], key) if key in row else None for key in ("device_self_duration", "device_total_duration")
        ]
        return SavedOperator(
            _name(row.get("name")),
            None if "input_shape" not in row else str(shape),
            _calls(row.get("calls")),
            _signed(row.get("host_self_duration"), "host_self_duration"),
            _signed(row.get("host_total_duration"), "host_total_duration"),
            device[0],
            device[1],
        )

    return _table(answer.get("data"), operator)


def kernel_rows(answer: dict[str, Any]) -> Parsed[tuple[SavedKernel, ...]]:
    """Rows of `kernel/table`, by name, or by name and operator."""
    data = answer["data"]
    names = _column_names(data)
    missing = [name for name in ("Name", "Calls", KERNEL_TIME) if name not in names]
    if missing:
        raise Unusable(f"no column {', '.join(missing)}")
    uses = next((name for name in ("Tensor Cores Used", "Kernel Uses Tensor Cores") if name in names), "")

    def kernel(row: Any) -> SavedKernel:
        if not isinstance(row, list) or len(row) < len(names):
            raise Unusable(f"a row has not all {len(names)} columns")
        cell = dict(zip(names, row, strict=False))
        span = [_time(cell[key], key) if key in cell else None for key in ("Min Duration (us)", "Max Duration (us)")]
        mean = [
            _optional_number(cell[key], key) if key in cell else None
            for key in ("Mean Blocks Per SM", "Mean Est. Achieved Occupancy (%)")
        ]
        return SavedKernel(
            _name(cell["Name"]), _calls(cell["Calls"]), _time(cell[KERNEL_TIME], KERNEL_TIME), span[0], span[1],
            mean[0], mean[1], cell[uses] == "Yes" if cell.get(uses) in ("Yes", "No") else None,
        )  # fmt: skip

    return _table(data.get("rows"), kernel)


def pie_rows(answer: dict[str, Any]) -> Parsed[dict[str, dict[str, int]]]:
    """Pie -> name -> ns, for `operation` (device_total, ...) or `kernel`. Values of equal names are added."""
    pies = {key.removesuffix("_time"): answer[key] for key in PIE_KEYS if key in answer} or {"kernel": answer["total"]}
    out: dict[str, dict[str, int]] = {}
    for name, pie in pies.items():
        if pie is None:
            continue
        if not isinstance(pie, dict) or not isinstance(pie.get("rows"), list):
            raise Unusable(f"the pie {name} has no rows")
        slices = out.setdefault(name, {})
        for row in pie["rows"]:
            if not isinstance(row, list) or len(row) < 2:
                raise Unusable(f"a row of the pie {name} is not a name and a number")
            slices[_name(row[0])] = slices.get(_name(row[0]), 0) + _time(row[1], f"the pie {name}")
    return out, ""


def _table(rows: Any, parse: Callable[[Any], T]) -> Parsed[tuple[T, ...]]:
    good, problem = _parse_rows(rows, parse, "row")
    if not good and problem:
        raise Unusable(problem)
    return good, problem


def _parse_rows(rows: Any, parse: Callable[[Any], T], what: str) -> Parsed[tuple[T, ...]]:
    """The rows that parse, and a description of the others ("" for none)."""
    if not isinstance(rows, list):
        raise Unusable("no rows")
    out: list[T] = []
    first = ""
    for row in rows:
        try:
            out.append(parse(row))
        except Unusable as error:
            first = first or str(error)
    bad = len(rows) - len(out)
    return tuple(out), f"{bad} of {len(rows)} {what}s left out, the first because {first}" if bad else ""


def _column_names(table: Any) -> list[str]:
    columns = table.get("columns") if isinstance(table, dict) else None
    if not isinstance(columns, list):
        raise Unusable("no columns")
    return [str(column.get("name", "")) if isinstance(column, dict) else "" for column in columns]


def _average(performance: Any) -> int | None:
    for node in performance if isinstance(performance, list) else ():
        if isinstance(node, dict) and node.get("name") == "Average Step Time":
            try:
                return _time(node.get("value"), "Average Step Time")
            except Unusable:
                return None  # redundant: the steps contain it
    return None


def _devices(answer: dict[str, Any]) -> tuple[SavedDevice, ...]:
    """Devices in `gpu_metrics`, `mlu_metrics` or any other `..._metrics`.

    A label, "GPU 0:", precedes a device's lines.
    """
    out: list[tuple[str, dict[str, str]]] = []
    for key, metrics in answer.items():
        if key.endswith("_metrics") and isinstance(metrics, dict):
            for title, value in _title_values(metrics.get("data")):
                if title.endswith(":") and not value:
                    out.append((title.removesuffix(":"), {}))
                elif out and value:
                    out[-1][1][title] = value
    return tuple(SavedDevice(label, figures) for label, figures in out)


def _title_values(rows: Any) -> tuple[tuple[str, str], ...]:
    good = (row for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict))
    return tuple((row["title"], str(row.get("value", ""))) for row in good if isinstance(row.get("title"), str))


def _recommendations(markup: Any) -> tuple[str, ...]:
    """Items of the list without markup; `N/A` means no advice."""
    # split at the tags: searching for the end of each opening tag may take quadratic time
    parts = markup.split("<li>")[1:] if isinstance(markup, str) else []
    items = (part.partition("</li>")[0] for part in parts if "</li>" in part)
    texts = (" ".join(html.unescape(_TAG.sub("", item)).split()) for item in items)
    return tuple(text for text in texts if text and text != "N/A")


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise Unusable("a name is missing or no text")
    return value


def _calls(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MAX_CALLS:
        raise Unusable("the number of calls is missing or no count")
    return value


def _optional_number(value: Any, what: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _LONGEST_US:
        raise Unusable(f"{what} is not a number")
    return float(value)


def _time(value: Any, what: str) -> int:
    ns = _signed(value, what)
    if ns < 0:
        raise Unusable(f"{what} is below zero")
    return ns


def _signed(value: Any, what: str) -> int:
    """Microseconds, whole or fractional, as integer nanoseconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _LONGEST_US:
        raise Unusable(f"{what} is missing or no number of microseconds")
    return value * 1000 if isinstance(value, int) else round(value * 1000)


def _number_in(text: str) -> float | int | None:
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return None
