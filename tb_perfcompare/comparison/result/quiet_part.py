"""A part of a step that nothing interrupted."""

from __future__ import annotations

from tb_perfcompare.quick_dataclass import dataclass

QUIET_TABLE = "without_interruptions"


@dataclass(frozen=True, slots=True)
class QuietPart:
    """An entity of the ledger in such steps: calls and microseconds per step of both sides at one pace of the machine;
    `gap`: of ln(time), from all captures of one side to all of the other, above zero where the candidate's are longer;
    zero unless that is farther than those of either side are from each other."""

    category: str
    entity: str
    calls: tuple[float, float]
    us: tuple[float, float]
    gap: float

    @property
    def delta_us(self) -> float:
        return self.us[1] - self.us[0]
