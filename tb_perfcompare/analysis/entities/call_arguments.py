"""Strides and concrete inputs with which operators are called on inputs of the same shapes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.analysis.columns.grouping import number_combinations, sum_by_target
from tb_perfcompare.analysis.columns.numbering import factorize
from tb_perfcompare.analysis.entities.operators import numbered_texts
from tb_perfcompare.model.arrays import Ints, places_of
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.texts import Coded, TextPool, column, keys

MOST_SIGNATURES = 8
"""Most sets of arguments with which one capture calls an operator on inputs of the same shapes. An operator with more
is left out: its arguments are data."""

LEAST_SHARE = 0.0001
"""Least share of the time of all operators for one to be listed."""

ARGUMENTS = ("input_strides", "concrete_inputs")


def call_arguments(
    strings: StringTable, name: Coded, shape: Coded, arguments: Mapping[str, Ints], calls: Ints, time: Ints
) -> GroupTable | None:
    """Builds CALL_ARGUMENTS from w kinds of calls; None if neither strides nor concrete inputs were recorded.

    name, shape  (w,) operator and input shape of each kind
    arguments    argument -> (w,) string index + 1, 0 if this kind has none
    calls, time  (w, s) calls and their time in each step
    """
    if not any(argument in arguments for argument in ARGUMENTS):
        return None
    operator, into_operator = number_combinations([(name[0], len(name[1])), (shape[0], len(shape[1]))])
    spent = np.bincount(into_operator, time.sum(axis=1), len(operator[0]))
    texts = [_texts(strings, arguments.get(argument), len(calls)) for argument in ARGUMENTS]
    parts, into = number_combinations([(into_operator, len(spent)), *((code, len(pool)) for code, pool in texts)])
    signatures = np.bincount(parts[0], minlength=len(spent))
    listed = (spent >= LEAST_SHARE * spent.sum()) & (signatures <= MOST_SIGNATURES)
    rows = np.flatnonzero(listed[parts[0]])
    place = places_of(rows, len(parts[0]))
    chosen = np.flatnonzero(place[into] >= 0)
    of_row = parts[0][rows]
    names = operator[0][of_row]
    return GroupTable(
        key_columns=("name", "input_shape", *ARGUMENTS),
        keys=keys(
            (names, name[1]), (operator[1][of_row], shape[1]),
            *((part[rows], pool) for part, (_, pool) in zip(parts[1:], texts, strict=True)),
        ),
        names=column(names, name[1]),
        calls=sum_by_target(calls[chosen], place[into[chosen]], len(rows)),
        measures_ns={"total": sum_by_target(time[chosen], place[into[chosen]], len(rows))},
    )


def _texts(strings: StringTable, code: Ints | None, count: int) -> Coded:
    """Texts of one argument of each kind."""
    if code is None:
        return np.zeros(count, dtype=np.int32), TextPool([""])
    used, at = factorize(code, len(strings) + 1)
    number, texts = numbered_texts(strings, used)
    return number[at], TextPool(texts)
