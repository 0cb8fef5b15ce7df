"""Tails and quantiles of Student's, the normal, the chi-squared and the F distribution, without scipy: importing
scipy.special takes longer than comparing a pair of usual size, because it loads most of numpy's submodules.

The tail is half of an incomplete beta function, P(T > t) = I_x(n/2, 1/2) / 2 with x = n / (n + t^2), computed by its
continued fraction (Abramowitz and Stegun 26.7.1, 26.5.8); the quantile by Newton's method on logarithms. Few values
are computed one by one and cached, many as arrays, by the same operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tb_perfcompare.model.arrays import Floats

_FEW = 8
_SHIFT = 24
_RATIO = (-1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304, 39325 / 33554432)
"""Coefficients of gamma(a + 1/2) / gamma(a) / sqrt(a) in powers of 1/a, exact to the last digits from _SHIFT on."""

_LEVELS = 48
"""Levels of the continued fraction: enough for full precision at any number of degrees of freedom."""

_TABLE = 1 << 8
"""Number of values up to which all levels are computed in one array operation, since numpy's overhead per operation
dominates."""

_FARTHEST = 1e150
_TRIES = 64
_LONGEST_STEP = 0.7
_NEAR = 1e-8
_START = 0.7
"""Start of Newton's method, which doubles the digits with each step: after a step of _NEAR another would change
nothing."""


class _Functions(NamedTuple):
    """numpy's functions, on arrays or single numbers: those of `math` may differ in the last digit."""

    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]
    log1p: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]


def _on_one(function: Callable[[Any], Any]) -> Callable[[float], float]:
    return lambda value: float(function(value))


_ALL = _Functions(np.exp, np.log, np.log1p, np.sqrt)
_ONE = _Functions(_on_one(np.exp), _on_one(np.log), _on_one(np.log1p), _on_one(np.sqrt))


def normal_quantile(probability: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)


def chi_squared_tail(distance: float, degrees_of_freedom: int) -> float:
    """P(X > distance) with at least one degree of freedom (Abramowitz and Stegun 26.4.4, 26.4.5)."""
    half, a = distance / 2, 1.0 if degrees_of_freedom % 2 == 0 else 0.5
    tail = math.exp(-half) if a == 1 else math.erfc(math.sqrt(half))
    term = math.exp(-half) * half**a / math.gamma(a + 1)
    while a < degrees_of_freedom / 2:
        tail += term
        a += 1
        term *= half / a
    return tail


@lru_cache(maxsize=1 << 8)
def f_quantile(above: int, below: int, probability: float) -> float:
    """F with P(F' <= F) = probability, for a ratio of variances with `above` and `below` degrees of freedom in
    numerator and denominator; by bisection of the incomplete beta function (Abramowitz and Stegun 26.6.2)."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _beta(above / 2, below / 2, middle) < probability else (low, middle)
    return below * high / (above * (1 - high))


def _beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function I_x(a, b), for x between 0 and 1."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(b, a, 1 - x)
    log = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(log) / a * float(_fraction(a, b, x))


def upper_tail(distance: ArrayLike, degrees_of_freedom: ArrayLike) -> Floats:
    """P(T > distance) elementwise, for distances from 0 to infinity; NaN if an argument is NaN."""
    t, n = np.asarray(distance, dtype=np.float64), np.asarray(degrees_of_freedom, dtype=np.float64)
    pairs = np.broadcast(t, n)
    if pairs.size > _FEW:
        t, n = np.broadcast_arrays(t, n)
        tails: Floats = _tail(t, n, _gamma_ratio(n / 2, _ALL), _ALL)
        return tails
    one_by_one = [
        _tail(float(one_t), float(one_n), _gamma_ratio(float(one_n) / 2, _ONE), _ONE) for one_t, one_n in pairs
    ]
    return np.array(one_by_one, dtype=np.float64).reshape(pairs.shape)


def student_p(distance: Floats, degrees_of_freedom: Floats) -> Floats:
    """(g,) two-sided p of distances in standard errors."""
    p: Floats = np.minimum(2 * upper_tail(np.abs(distance), degrees_of_freedom), 1.0)
    return p


def quantiles(degrees_of_freedom: Floats, probability: float) -> Floats:
    """(g,) t with P(T <= t) = probability, for 1/2 < probability < 1."""
    different, inverse = np.unique(degrees_of_freedom, return_inverse=True)
    if len(different) <= _FEW:
        return np.array([quantile(value, probability) for value in different.tolist()], dtype=np.float64)[inverse]
    log_t, gamma = np.full(len(different), _START), _gamma_ratio(different / 2, _ALL)
    for _ in range(_TRIES):
        step = _newton(log_t, different, gamma, 1 - probability, _ALL)
        log_t = log_t + np.minimum(step, _LONGEST_STEP)
        if not (np.abs(step) > _NEAR).any():
            break
    t: Floats = np.exp(log_t)[inverse]
    return t


@lru_cache(maxsize=1 << 12)
def quantile(degrees_of_freedom: float, probability: float) -> float:
    """`quantiles` of one number."""
    log_t, gamma = _START, _gamma_ratio(degrees_of_freedom / 2, _ONE)
    for _ in range(_TRIES):
        step = _newton(log_t, degrees_of_freedom, gamma, 1 - probability, _ONE)
        log_t += min(step, _LONGEST_STEP)
        if not abs(step) > _NEAR:
            break
    return float(np.exp(log_t))


def _newton(log_t: Any, n: Any, gamma: Any, q: float, of: _Functions) -> Any:
    """Newton step of ln(t) towards P(T > t) = q; gamma is `_gamma_ratio` of n / 2."""
    t = of.exp(log_t)
    tail = _tail(t, n, gamma, of)
    density = gamma / of.sqrt(math.pi * n) * of.exp(-(n + 1) / 2 * of.log1p(t * t / n))
    return of.log(tail / q) * tail / (t * density)


def _tail(t: Any, n: Any, gamma: Any, of: _Functions) -> Any:
    beyond = t == math.inf
    t = _where(t > _FARTHEST, _FARTHEST, t)
    n = _where(n > 0, n, math.nan)
    a, square = n / 2, t * t
    x, y = n / (n + square), square / (n + square)
    far = x < (a + 1) / (a + 2.5)
    first, second, argument = _where(far, a, 0.5), _where(far, 0.5, a), _where(far, x, y)
    factor = of.exp(-a * of.log1p(square / n)) * of.sqrt(y) * gamma / (math.sqrt(math.pi) * first)
    beta = factor * _fraction(first, second, argument)
    return _where(beyond, 0.0, _where(far, beta, 1 - beta) / 2)


def _where(flag: Any, if_true: Any, if_false: Any) -> Any:
    if isinstance(flag, bool):
        return if_true if flag else if_false
    return np.where(flag, if_true, if_false)


def _gamma_ratio(a: Any, of: _Functions) -> Any:
    """gamma(a + 1/2) / gamma(a): by its series at a + _SHIFT, and down from there by the recurrence."""
    large, series, down = a + _SHIFT, 0.0, 1.0
    for step in range(_SHIFT):
        down = down * ((a + step) / (a + step + 0.5))
    for coefficient in reversed(_RATIO):
        series = (series + coefficient) / large
    return of.sqrt(large) * (1 + series) * down


def _fraction(a: Any, b: Any, x: Any) -> Any:
    """Continued fraction of the incomplete beta function, from its last level to the first."""
    rest = 1.0
    for even, odd in _levels(a, b, x):
        rest = 1 - odd / (1 + even / rest)
    return 1 / rest


def _levels(a: Any, b: Any, x: Any) -> Iterable[tuple[Any, Any]]:
    """Numerators of the continued fraction, two a level, the last level first. For a single number or a small array
    all levels are computed at once."""
    if np.size(x) > _TABLE:
        return ((_even(m, a, b, x), _odd(m - 1, a, b, x)) for m in range(_LEVELS, 0, -1))
    levels = np.arange(_LEVELS, 0.0, -1).reshape(-1, *[1] * np.ndim(x))
    even, odd = _even(levels, a, b, x), _odd(levels - 1, a, b, x)
    return zip(even, odd, strict=True) if np.ndim(x) else zip(even.tolist(), odd.tolist(), strict=True)


def _even(m: Any, a: Any, b: Any, x: Any) -> Any:
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))


def _odd(k: Any, a: Any, b: Any, x: Any) -> Any:
    return (a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
