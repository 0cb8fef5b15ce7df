"""The `overview` answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tb_perfcompare.analysis.compat.events.intervals import Ranges, intersect
from tb_perfcompare.analysis.compat.events.roles import ROLE_LABELS, Role, RoleRanges
from tb_perfcompare.analysis.compat.events.rounding import percent, whole
from tb_perfcompare.analysis.compat.events.steps import Steps


@dataclass(frozen=True, slots=True)
class StepCosts:
    """`costs[step][role]` microseconds the role owns of a step, `totals[step]` its length, and means over the steps."""

    costs: tuple[tuple[Any, ...], ...]
    totals: tuple[Any, ...]
    mean_costs: tuple[float, ...]
    mean_total: float

    def share(self, role: Role) -> float:
        """Mean cost of a role as a fraction of the mean step; 0.0 if steps have no length."""
        return self.mean_costs[role] / self.mean_total if self.mean_total else 0.0


def step_costs(steps: Steps, parts: tuple[Ranges, ...]) -> StepCosts:
    """What each role's part (RoleRanges.parts) takes of each step."""
    costs, totals = [], []
    for i, (_, start, end) in enumerate(steps):
        step = Ranges(steps.start[i : i + 1], steps.end[i : i + 1])
        costs.append(tuple(intersect(step, part).total() for part in parts))
        totals.append(end - start)
    means = tuple(_mean([row[role] for row in costs]) for role in range(len(parts)))
    return StepCosts(tuple(costs), tuple(totals), means, _mean(totals))


def _mean(values: list[Any]) -> float:
    total = 0
    for value in values:
        total += value
    return total / len(values)


def shown_roles(roles: RoleRanges) -> list[Role]:
    """Parts that have a column: device parts only if something device-like was recorded."""
    device = roles.has_device_or_runtime
    hidden = set() if device else {Role.KERNEL, Role.MEMCPY, Role.MEMSET, Role.RUNTIME}
    if not roles.has(Role.COMMUNICATION):
        hidden.add(Role.COMMUNICATION)
    return [role for role in Role if role not in hidden]


def overview_answer(
    steps: Steps,
    costs: StepCosts,
    roles: list[Role],
    recommendations: list[str],
    environments: list[tuple[str, str]],
    metrics_key: str,
    device_summary: dict[str, Any] | None,
) -> dict[str, Any]:
    """The answer; `recommendations` are HTML fragments, `device_summary` is left out if None."""
    columns: list[dict[str, Any]] = [{"type": "string", "name": "Step"}]
    for role in roles:
        columns.append({"type": "number", "name": ROLE_LABELS[role]})
        columns.append({"type": "string", "role": "tooltip", "p": {"html": "true"}})
    rows = [
        [label, *(cell for role in roles for cell in (cost[role], _tooltip(label, total, role, cost[role])))]
        for label, cost, total in zip(steps.labels, costs.costs, costs.totals, strict=True)
    ]
    answer = {
        "steps": {"columns": columns, "rows": rows},
        "performance": [_performance(costs, roles)],
        "recommendations": f"<ul>{''.join(f'<li>{text}</li>' for text in recommendations or ['N/A'])}</ul>",
        "environments": [{"title": title, "value": value} for title, value in environments],
    }
    if device_summary is not None:
        answer[metrics_key] = device_summary
    return answer


def _tooltip(label: str, total: Any, role: Role, value: Any) -> str:
    return (
        '<div class="visualization-tooltip" style="white-space: nowrap;">'
        f"Step {label}<br>Total: {total}us<br><b>{ROLE_LABELS[role]}: {value}us</b><br>"
        f"Percentage: {percent(value, total)}%</div>"
    )


def _performance(costs: StepCosts, roles: list[Role]) -> dict[str, Any]:
    children = [
        {
            "name": ROLE_LABELS[role],
            "description": "",
            "value": whole(costs.mean_costs[role]),
            "extra": percent(costs.mean_costs[role], costs.mean_total),
        }
        for role in roles
    ]
    node = {"name": "Average Step Time", "description": "", "value": whole(costs.mean_total), "extra": 100}
    return {**node, "children": children}
