"""Tells passes through a model from its layers: a pass has a stack of similar layers and calls around it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tb_perfcompare.analysis.iterations.sequences import IN_NEARLY_ALL, MAX_SCORED, Sequence, likeness
from tb_perfcompare.model.arrays import Ints, unique

MIN_LAYERS, MIN_NAMES, MIN_AROUND = 3, 5, 3
"""Least number of layers in a pass, of names in each layer, and of calls around the layers.

The projections to queries, keys and values have fewer names than a layer.
"""

MIN_SHARE = 0.7
"""Least share of a pass's calls that are in its layers."""

MIN_LIKENESS = 0.8
_MAX_TRIED = 8
_MAX_STRETCHES = 200


def holds_layers(sequence: Sequence, marks: Ints) -> bool:
    """Whether nearly every stretch between ascending marks is a pass through a model.

    In a pass one name occurs at least MIN_LAYERS times, as often in each pass; the stretches between its occurrences
    are alike and cover most of the pass; and other names occur once per pass. Layers themselves contain no such stack,
    except in models whose layers come in equal groups.
    """
    place = np.searchsorted(sequence.start_ns, marks)[: _MAX_STRETCHES + 1]
    place = place[place - place[0] <= MAX_SCORED]
    count = len(place) - 1
    if count < 2:
        return False
    names, name = np.unique(sequence.name[place[0] : place[-1]], return_inverse=True)
    stretch = np.repeat(np.arange(count), np.diff(place))
    often = np.bincount(stretch * len(names) + name, minlength=count * len(names)).reshape(count, len(names))
    usual = np.median(often, axis=0)
    steady = (often == usual).mean(axis=0) >= IN_NEARLY_ALL
    if (steady & (usual == 1)).sum() < MIN_AROUND:
        return False
    typical = int((often[:, steady] == usual[steady]).all(axis=1).argmax())
    part = name[place[typical] - place[0] : place[typical + 1] - place[0]]
    fewest_first = np.flatnonzero(steady & (usual >= MIN_LAYERS))
    fewest_first = fewest_first[np.argsort(usual[fewest_first], kind="stable")][:_MAX_TRIED]
    return any(_is_stack(part, np.flatnonzero(part == code)) for code in fewest_first.tolist())


def _is_stack(part: Ints, at: Ints) -> bool:
    """Whether the stretches between these places are a stack of layers."""
    layers = [part[begin:end] for begin, end in pairwise(at.tolist())]
    if len(at) < MIN_LAYERS or len(at) * np.median(np.diff(at)) < MIN_SHARE * len(part):
        return False
    alike = [likeness(layer, following) for layer, following in pairwise(layers)]
    return min(len(unique(layer)) for layer in layers) >= MIN_NAMES and float(np.mean(alike)) >= MIN_LIKENESS
