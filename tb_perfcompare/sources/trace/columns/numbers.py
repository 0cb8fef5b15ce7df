"""Parses columns of JSON number texts into exact integers, nanoseconds and doubles, a whole column at a time.

A double cannot represent an absolute timestamp in microseconds with three decimals (1.7e15 needs 2**-12 us), so times
are never doubles here: the decimal point is removed from the text and the digits are parsed as one integer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_05UP, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import Flags, Floats, Ints, unique
from tb_perfcompare.model.events import ABSENT
from tb_perfcompare.quick_dataclass import dataclass

if TYPE_CHECKING:
    from fractions import Fraction

NumberText: TypeAlias = bytes | msgspec.Raw
"""Text of one JSON value, without surrounding white space; it may not be a number."""

_LARGEST = int(np.iinfo(np.int64).max)
_GAP = b"\0"  # the only byte that no JSON text contains
_TO_COMMA = bytes.maketrans(_GAP, b",")
_INTEGER_BYTES = b"-0123456789"
_DECIMAL_BYTES = b".-0123456789"
_FLOAT_BYTES = b"+.-0123456789Ee"
_PLAIN_TEXT = regex(rb'"(-?[0-9]{1,18}(?:\.[0-9]{1,18})?)"')
_TEN_TO = 10 ** np.arange(19, dtype=np.int64)
_FLOATS = msgspec.json.Decoder(list[float])


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """A column of microsecond texts as nanoseconds.

    ns     (n,) int64, 0 if not `valid`
    valid  (n,) bool   False: not a finite number, or beyond 292 years
    finer  number of times finer than a nanosecond; they are rounded half to even
    """

    ns: Ints
    valid: Flags
    finer: int


def parse_times(texts: Sequence[NumberText]) -> Times:
    """Converts microseconds as written to exact nanoseconds. Times may be JSON strings, as torch_npu writes them."""
    n = len(texts)
    if b'"' in _GAP.join(texts):
        texts = [match[1] if (match := _PLAIN_TEXT.fullmatch(text)) else text for text in texts]
    joined, odd = _isolate(texts, _DECIMAL_BYTES)
    decimals = _decimals(joined, n)
    mantissa = _integers(joined)
    finer = 0
    if decimals is None:
        overflow = _beyond(mantissa, np.int64(_LARGEST // 1000))
        ns = mantissa * 1000
    else:
        scale = 3 - decimals
        up = _TEN_TO[np.clip(scale, 0, 3)]
        overflow = _beyond(mantissa, _LARGEST // up) | (mantissa == _LARGEST) | (scale < -18)
        ns = mantissa * up
        if scale.min(initial=0) < 0:
            ns, inexact = _round_half_even(ns, _TEN_TO[np.clip(-scale, 0, 18)])
            finer = int(np.count_nonzero(inexact & ~overflow))
    valid = np.ones(n, np.bool_)
    for row in np.flatnonzero(overflow).tolist() + odd:
        exact = _exact_ns(bytes(texts[row]))
        valid[row] = exact is not None
        ns[row] = 0
        if exact is not None:
            ns[row] = round(exact)
            finer += exact.denominator != 1
    return Times(ns, valid, finer)


def parse_integers(texts: Sequence[NumberText]) -> tuple[Ints, Flags]:
    """((n,) int64, (n,) bool valid): integers, integral floats and strings of either; other values are invalid."""
    joined, odd = _isolate(texts, _INTEGER_BYTES)
    values = _integers(joined)
    valid = np.ones(len(texts), np.bool_)
    for row in np.flatnonzero((values == _LARGEST) | (values == ABSENT)).tolist() + odd:
        number = _scalar(bytes(texts[row]))
        whole = number is not None and number.denominator == 1 and ABSENT < number <= _LARGEST
        values[row] = int(number) if number is not None and whole else 0
        valid[row] = whole
    return values, valid


def parse_floats(texts: Sequence[NumberText]) -> tuple[Floats, Flags]:
    """((n,) float64, (n,) bool valid): finite numbers and strings of them; other values are invalid."""
    joined, odd = _isolate(texts, _FLOAT_BYTES)
    try:
        numbers = _FLOATS.decode(b"[" + joined.translate(_TO_COMMA) + b"]")
    except msgspec.ValidationError:  # a number too large for a double: one by one
        numbers = [_double(bytes(text)) for text in texts]
    values = np.fromiter(numbers, np.float64, len(texts))
    for row in odd:
        values[row] = _double(bytes(texts[row]))
    valid = np.isfinite(values)
    return values, valid


def _isolate(texts: Sequence[NumberText], plain: bytes) -> tuple[bytes, list[int]]:
    """(texts joined by _GAP, rows with bytes other than `plain`, whose text is replaced by "0")."""
    joined = _GAP.join(texts)
    if not joined.translate(None, plain + _GAP):
        return joined, []
    is_plain = np.zeros(256, np.bool_)
    is_plain[np.frombuffer(plain + _GAP, np.uint8)] = True
    data = np.frombuffer(joined, np.uint8)
    row_of_byte = np.cumsum(data == 0)
    odd: list[int] = unique(row_of_byte[~is_plain[data]]).tolist()
    isolated: list[NumberText] = list(texts)
    for row in odd:
        isolated[row] = b"0"
    return _GAP.join(isolated), odd


def _integers(joined: bytes) -> Ints:
    """Numbers without their decimal points; the largest int64 for numbers beyond int64."""
    return np.fromstring(joined.translate(_TO_COMMA, b"."), dtype=np.int64, sep=",")


def _decimals(joined: bytes, n: int) -> Ints | None:
    """(n,) number of digits after the decimal point, or None if no number has one."""
    if b"." not in joined:
        return None
    data = np.frombuffer(joined, np.uint8)
    ends = np.append(np.flatnonzero(data == 0), len(data))
    points = np.flatnonzero(data == ord("."))
    decimals = np.zeros(n, np.int64)
    rows = np.searchsorted(ends, points)
    decimals[rows] = ends[rows] - points - 1
    return decimals


def _round_half_even(
    numerator: Ints, divisor: Ints
) -> tuple[Ints, Flags]:
    """(quotients rounded half to even, whether each is inexact); divisors are powers of ten up to 10**18."""
    quotient, rest = np.divmod(numerator, divisor)
    twice = 2 * rest
    up = (twice > divisor) | ((twice == divisor) & (quotient % 2 == 1))
    return quotient + up, rest != 0


def _beyond(values: Ints, limit: Ints | np.int64) -> Flags:
    """(n,) whether the magnitude exceeds the limit; unlike np.abs, also correct for the smallest int64."""
    beyond: Flags = (values > limit) | (values < -limit)
    return beyond


def _exact_ns(text: bytes) -> Fraction | None:
    """Exact nanoseconds of a number of microseconds or a string of one; None for anything else or beyond int64."""
    number = _scalar(text)
    if number is None or abs(number) * 1000 > _LARGEST:
        return None
    return number * 1000


def _scalar(text: bytes) -> Fraction | None:
    """Exact value of a JSON number, or of the number in a JSON string."""
    return _number(text[1:-1].strip() if text[:1] == b'"' else text)


_MAX_DIGITS = 200
_SHORTENED = Context(prec=_MAX_DIGITS, rounding=ROUND_05UP, traps=[])
"""This rounding mode ensures that rounding the result again equals rounding the original number once."""


def _number(text: bytes) -> Fraction | None:
    """Exact value of a decimal text; None if it is not a number, or too large for any column."""
    from fractions import Fraction

    if b"_" in text:  # Python would take it for a digit separator
        return None
    try:
        decimal = Decimal(text.decode("ascii"))
        if len(text) > _MAX_DIGITS:  # exact arithmetic on a million digits takes minutes
            decimal = _SHORTENED.plus(decimal)
    except (InvalidOperation, ValueError):
        return None
    if not decimal:
        return Fraction(0)
    if not decimal.is_finite() or decimal.adjusted() > 40:
        return None
    if decimal.adjusted() < -40:  # far below any unit, and its fraction could take gigabytes
        return Fraction(int(math.copysign(1, decimal)), 10**40)
    return Fraction(decimal)


def _double(text: bytes) -> float:
    """A JSON number, or the number in a JSON string, as a double; NaN for anything else."""
    try:
        value = math.nan if b"_" in text else float(text[1:-1] if text[:1] == b'"' else text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
