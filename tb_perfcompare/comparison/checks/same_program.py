"""Recognizes one program in different forms by what its steps compute: quantized, fused and written-out forms of a
model have other operators, and other numbers of views, copies and arithmetic, but the same matrix products,
convolutions and attention."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

from tb_perfcompare.comparison.checks.containment import step_self_times
from tb_perfcompare.comparison.result.wording import many, number_text, short
from tb_perfcompare.model.arrays import each_side
from tb_perfcompare.model.names.work_kinds import (
    ATTENTION,
    ATTENTION_BACKWARD,
    CELL,
    HEAVY,
    PRODUCT,
    RECURRENT,
    RELU,
    SIGMOID,
    SOFTMAX,
    TANH,
    work_kind,
    work_kind_instead,
)
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

MIN_ALIKE_SHARE = 0.8
"""Share of the heavy work, by calls, that forms of one program have in common; also share of the light work,
relative to the side with less of it."""

MAX_UNLIKE_SHARE = 0.2
"""Share of either side's work, heavy or not, below which the sides compute different things."""

MIN_PIECES, MIN_PIECES_TO_DIFFER = 2, 6
"""Fewest pieces of heavy work per step for a side to be recognized, and for it to be called different."""

_PRODUCTS_EACH = {ATTENTION: 2, ATTENTION_BACKWARD: 4}
"""Matrix products in one attention: scores and values, and the gradients of both."""

_PRODUCTS_OF_CELL = 8
"""Most matrix products in one step of a recurrent layer: of its input and of its state, and their gradients."""

_UNKNOWN = 0.5
"""Largest share of a side's time in one-sided operators of unknown kind."""

_PLURALS = {kind: f"{kind} layers" for kind in RECURRENT}
_MAX_NAMED = 3

Calls = dict[str, float]


@dataclass(frozen=True, slots=True)
class Computed:
    """What a step computes. `calls` by kind, attention as its matrix products; `names`: operator -> (kind, calls,
    time) of those of known kind; `unknown`: library operators of unknown kind -> share of the time."""

    calls: Calls
    names: Mapping[str, tuple[str, float, float]]
    unknown: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Program:
    """Comparison of two steps by what they compute: heavy and light calls, with layers replaced by the loop that the
    other side has instead; `is_mostly_known`: the kind of most one-sided work is known."""

    sides: tuple[Computed, Computed]
    heavy: tuple[Calls, Calls]
    light: tuple[Calls, Calls]
    is_mostly_known: bool

    @property
    def least(self) -> float:
        """Pieces of heavy work per step, of the side that has fewer."""
        return _least(*self.heavy)

    @property
    def same(self) -> bool:
        """Whether one side is another form of the other."""
        enough = self.is_mostly_known and self.least >= MIN_PIECES
        return enough and _in_common(*self.heavy) >= MIN_ALIKE_SHARE and _inside(*self.light) >= MIN_ALIKE_SHARE

    @property
    def contained(self) -> bool:
        """Whether one side has all heavy work of the other, and as much of the rest: training contains inference."""
        enough = self.is_mostly_known and self.least >= MIN_PIECES and _least(*self.light) >= MIN_PIECES_TO_DIFFER
        return enough and _inside(*self.heavy) >= MIN_ALIKE_SHARE and _in_common(*self.light) >= MIN_ALIKE_SHARE

    @property
    def times(self) -> int:
        """How many times one side does all that the other does: micro-batches of a step, or several iterations in
        one. 1 if it does not."""
        enough = self.is_mostly_known and self.least >= MIN_PIECES
        few, much = sorted(fsum(side.values()) for side in self.heavy)
        often = round(much / few) if enough else 1
        if often < 2:
            return 1
        fewer = 0 if fsum(self.heavy[0].values()) == few else 1
        alike = (
            _in_common(*({kind: calls * (often if side == fewer else 1) for kind, calls in pair[side].items()}
                         for side in (0, 1)))
            for pair in (self.heavy, self.light) if any(pair)
        )  # fmt: skip
        return often if min(alike) >= MIN_ALIKE_SHARE else 1

    @property
    def is_different(self) -> bool:
        """Whether they compute different things, whatever else they share."""
        enough = self.is_mostly_known and self.least >= MIN_PIECES_TO_DIFFER
        return enough and max(_inside(*self.heavy), _inside(*self.light)) < MAX_UNLIKE_SHARE

    @property
    def same_kinds(self) -> bool:
        """Whether both sides compute the same kinds of things, however often."""
        a, b = ({kind for kind, calls in side.calls.items() if round(calls, 2)} for side in self.sides)
        return self.is_mostly_known and self.least >= MIN_PIECES and a == b

    @property
    def in_common(self) -> float:
        """Share of all computing calls that both sides have."""
        a, b = ({**heavy, **rest} for heavy, rest in zip(self.heavy, self.light, strict=True))
        return _in_common(a, b)

    @property
    def how(self) -> str:
        """How the forms differ: "a different form of the program: aten::addmm (5 per step) became
        quantized::linear_dynamic (5)"."""
        a, b = (side.names for side in self.sides)
        gone, new = ([name for name in here if name not in there] for here, there in ((a, b), (b, a)))
        if gone and new:
            replaced = f"{_listed(gone, a, ' per step')} became {_listed(new, b, '')}"
            return f"a different form of the program: {replaced}"
        counts = " and ".join(
            many(round(calls), kind, _PLURALS.get(kind, "")) for kind, calls in self.heavy[0].items() if round(calls)
        )
        return f"the same {counts} per step, different operators around them"

    @property
    def unlike(self) -> str:
        """Differences by kind: "computed per step, baseline vs candidate: convolution 20 vs 0, matrix product 3 vs
        39", "" if there are none."""
        a, b = (side.calls for side in self.sides)
        apart = {kind: abs(a.get(kind, 0.0) - b.get(kind, 0.0)) for kind in dict.fromkeys((*a, *b))}
        kinds = [kind for kind in sorted(apart, key=lambda kind: (-apart[kind], kind)) if round(apart[kind], 2)]
        differences = ", ".join(
            f"{kind} {number_text(round(a.get(kind, 0.0), 2))} vs {number_text(round(b.get(kind, 0.0), 2))}"
            for kind in kinds[:_MAX_NAMED]
        )
        return f"computed per step, baseline vs candidate: {differences}" if differences else ""


def program(a: Summary, b: Summary) -> Program | None:
    """Compares what the sides compute; None without operators on both sides."""
    if "operators" not in a.groups or "operators" not in b.groups:
        return None
    sides = _computed(a), _computed(b)
    calls = _unrolled(sides[0].calls, sides[1].calls), _unrolled(sides[1].calls, sides[0].calls)
    heavy = each_side(lambda side: {kind: count for kind, count in side.items() if kind in HEAVY}, calls)
    light = each_side(lambda side: {kind: count for kind, count in side.items() if kind not in HEAVY}, calls)
    is_known = all(
        fsum(share for name, share in here.unknown.items() if name not in there.unknown) <= _UNKNOWN
        for here, there in (sides, sides[::-1])
    )
    return Program(sides, heavy, light, is_known)


def _computed(summary: Summary) -> Computed:
    table, steps = summary.groups["operators"], max(len(summary.steps), 1)
    calls = (table.calls.sum(axis=1) / steps).tolist()
    times = step_self_times(table).sum(axis=1).tolist()
    rows = [(key[0], calls[index], times[index]) for index, key in enumerate(table.keys) if calls[index]]
    names = {name: (kind, count, time) for name, count, time in rows if (kind := work_kind(name))}
    kinds = {kind for kind, _, _ in names.values()}
    names |= {
        name: (kind, count, time) for name, count, time in rows
        if (kind := work_kind_instead(name)) and kind not in kinds
    }  # fmt: skip
    total_time = fsum(time for _, _, time in rows)
    unknown = {
        name: time / total_time for name, _, time in rows
        if time and "::" in name and not name.startswith(("aten::", "autograd::")) and name not in names
    }  # fmt: skip
    return Computed(_by_kind(names), names, unknown)


def _by_kind(names: Mapping[str, tuple[str, float, float]]) -> Calls:
    calls: Calls = {}
    for name, (kind, count, _) in names.items():
        # functions, wrappers and libraries' operators of attention call each other
        nested = kind in _PRODUCTS_EACH and not name.startswith("aten::")
        calls[kind] = max(calls.get(kind, 0.0), count) if nested else calls.get(kind, 0.0) + count
    for kind, products in _PRODUCTS_EACH.items():
        fused = calls.pop(kind, 0.0)
        if fused:
            calls[PRODUCT] = calls.get(PRODUCT, 0.0) + products * fused
        if fused and kind == ATTENTION:
            calls[SOFTMAX] = calls.get(SOFTMAX, 0.0) + fused
    return calls


def _unrolled(here: Calls, there: Calls) -> Calls:
    """Calls here, with recurrent layers replaced by the loop of cells that the other side has, with as many steps.
    The loop may also be below a layer's operator, since libraries do not have a kernel for every data type."""
    layers = fsum(here.get(layer, 0.0) for layer in RECURRENT)
    fewer = layers - fsum(there.get(layer, 0.0) for layer in RECURRENT)
    another = any(there.get(layer, 0.0) > here.get(layer, 0.0) for layer in RECURRENT)
    kinds = (PRODUCT, CELL, SIGMOID, TANH, RELU)
    products, cells, sigmoids, tanhs, relus = (there.get(kind, 0.0) - here.get(kind, 0.0) for kind in kinds)
    plain = here.get("RNN", 0.0) == layers
    if cells <= 0 and (tanhs <= 0 or (sigmoids <= 0 and not plain)):
        tanhs = relus if plain else 0.0
    if layers and not another and max(fewer, 1) <= products <= _PRODUCTS_OF_CELL * max(cells, tanhs):
        return here | {kind: there.get(kind, 0.0) for kind in (*RECURRENT, *kinds)}
    return dict(here)


def _least(a: Calls, b: Calls) -> float:
    return min(fsum(a.values()), fsum(b.values()))


def _in_common(a: Calls, b: Calls) -> float:
    """Sum of the smaller calls over the sum of the larger; 0 without any."""
    kinds = dict.fromkeys((*a, *b))
    most = fsum(max(a.get(kind, 0.0), b.get(kind, 0.0)) for kind in kinds)
    return fsum(min(a.get(kind, 0.0), b.get(kind, 0.0)) for kind in kinds) / most if most else 0.0


def _inside(a: Calls, b: Calls) -> float:
    """Sum of the smaller calls over the calls of the side that has less; 1 if that has none."""
    least = _least(a, b)
    return fsum(min(calls, b.get(kind, 0.0)) for kind, calls in a.items()) / least if least else 1.0


def _listed(names: list[str], of: Mapping[str, tuple[str, float, float]], unit: str) -> str:
    first = sorted(names, key=lambda name: (-of[name][2], name))[:_MAX_NAMED]
    calls = [f"{short(name)} ({number_text(round(of[name][1], 2))}{unit * (not at)})" for at, name in enumerate(first)]
    return ", ".join(calls) + (", …" if len(names) > _MAX_NAMED else "")
