"""Part of a step without interruptions."""

from __future__ import annotations

from tb_perfcompare.quick_dataclass import dataclass

UNINTERRUPTED_TABLE = "without_interruptions"


@dataclass(frozen=True, slots=True)
class UninterruptedPart:
    """Entity of the ledger in uninterrupted steps: calls and microseconds per step of both sides, at equal machine
    speed. `gap` is the distance of ln(time) between all captures of one side and all of the other, positive if the
    candidate's are longer; zero unless it exceeds the distance between captures of either side."""

    category: str
    entity: str
    calls: tuple[float, float]
    us: tuple[float, float]
    gap: float

    @property
    def delta_us(self) -> float:
        return self.us[1] - self.us[0]
