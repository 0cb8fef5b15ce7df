"""What two sides say differently about their surroundings."""

from __future__ import annotations

from tb_perfcompare.model.summary.summary import Summary


def differences(a: Summary, b: Summary, names: tuple[str, ...]) -> list[str]:
    """ "device.name A100 vs H100", for every name that both sides know, with different values."""
    x, y = dict(a.environment), dict(b.environment)
    return [f"{name} {x[name]} vs {y[name]}" for name in names if name in x and name in y and x[name] != y[name]]
