"""Which steps were recorded completely, judged by their launches alone.

Recorders of device work start late and lose events under load; such steps lack launches and look like those of a faster
device. Loss only removes launches, so the rule is one-sided. Definition: docs/method/admission.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tb_perfcompare.model.arrays import Flags, Ints

MODE_COVERS = 0.5
"""The most frequent number of launches, of several the smallest, counts as usual if at least this share of the steps
with launches has it ..."""

MODE_TOLERANCE = 0.02
"""... and a step may then miss this share of it."""

MEDIAN_TOLERANCE = 0.05
"""Otherwise the median is usual, and a step may miss this share of it or three robust deviations, whichever is more."""

_ROBUST = 1.4826


@dataclass(frozen=True, slots=True, eq=False)
class Admission:
    """usual: launches of an ordinary step, 0 if no step has any; least: what a complete step has at least; incomplete,
    unusual: (s,) bool, steps with too few launches and with clearly more than usual (those are kept)."""

    usual: float
    least: float
    incomplete: Flags
    unusual: Flags


def admit(launches: Ints) -> Admission:
    """The complete steps among those with (s,) launches, each 0 or more. Without any launch all steps are complete.

    The usual number is one that occurs: at least one step always stays.
    """
    seen = launches[launches > 0]
    if not len(seen):
        none = np.zeros(len(launches), dtype=np.bool_)
        return Admission(0.0, 0.0, none, none)
    values, counts = np.unique(seen, return_counts=True)
    usual, tolerance = float(values[counts.argmax()]), MODE_TOLERANCE
    if counts.max() < MODE_COVERS * len(seen):
        usual = float(np.median(seen))
        spread = _ROBUST * float(np.median(np.abs(seen - usual)))
        tolerance = max(MEDIAN_TOLERANCE, 3 * spread / usual)
    least = (1 - tolerance) * usual
    return Admission(usual, max(least, 0.0), launches < least, launches > (1 + tolerance) * usual)
