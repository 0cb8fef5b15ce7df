"""The largest frames of a recording, in depth-first order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tb_perfcompare.analysis.columns.nesting import least_below, with_descendants
from tb_perfcompare.analysis.columns.paths import nearest
from tb_perfcompare.model.arrays import Ints, Nanoseconds, NodeIndex, unique_places
from tb_perfcompare.model.summary.call_tree import REST, FrameKey, Frames


class LargestFrames:
    """The k largest frames; the smaller children of a frame are merged, so nothing is lost.

    frame_of  (n,) index of the frame of each node, which may be a merged one; -1 for nodes of size 0
    merged    (k,) number of nodes merged in the frame, 0 for a frame of its own
    """

    def __init__(self, parent: NodeIndex, depth: Ints, size: Ints, first_ns: Nanoseconds, most: int) -> None:
        """Chooses from n nodes, node 0 being the whole, given their parents, depths, sizes and first starts. `size`:
        that of the node alone, such as nanoseconds or events."""
        total, first = with_descendants(parent, depth, size), least_below(parent, depth, first_ns)
        shown = np.flatnonzero(total > 0)
        large = shown
        if len(shown) > most:
            large = shown[total[shown] >= np.sort(total[shown])[-most]]
        # a frame is at least as large as its descendants and precedes those of equal size
        order = large[np.lexsort((large, depth[large], -total[large]))]
        kept = np.zeros(len(parent), dtype=np.bool_)
        kept[order[:most]] = True
        kept[0] = True
        home = nearest(parent, kept)
        small = shown[~kept[shown]]
        # a single small child keeps its own name
        kept[small[np.bincount(home[small], minlength=len(parent))[home[small]] == 1]] = True
        small = small[~kept[small]]
        rests, of_rest = unique_places(home[small])
        nodes = np.flatnonzero(kept)
        # frames in preliminary order: kept nodes, then merged ones
        above = np.concatenate([np.searchsorted(nodes, parent[nodes]), np.searchsorted(nodes, rests)])
        above[0] = -1
        begin = np.concatenate([first[nodes], np.full(len(rests), np.iinfo(np.int64).max)])
        number = _walk(above, begin)
        place = np.full(len(parent), -1, dtype=np.int64)
        place[nodes] = number[: len(nodes)]
        place[small] = number[len(nodes) + of_rest]
        self.frame_of = place
        self.merged = np.zeros(len(number), dtype=np.int64)
        self.merged[number[len(nodes) :]] = np.bincount(of_rest, minlength=len(rests))
        self._above = np.zeros(len(number), dtype=np.int64)
        self._above[number] = np.where(above >= 0, number[above], -1)
        self._node = np.full(len(number), -1, dtype=np.int64)
        self._node[number[: len(nodes)]] = nodes

    def frames(self, keys: Callable[[Ints], list[FrameKey]]) -> Frames:
        """Returns the frames; `keys` returns the keys of nodes."""
        frame_keys = keys(np.maximum(self._node, 0))
        for rest in np.flatnonzero(self._node < 0).tolist():
            frame_keys[rest] = REST
        return Frames(self._above.tolist(), frame_keys)


def _walk(above: Ints, begin: Ints) -> Ints:
    """(k,) Position of each frame in depth-first order; siblings by start, then index. Frame 0 is the whole."""
    below: list[list[int]] = [[] for _ in range(len(above))]
    parents = above.tolist()
    for frame in np.lexsort((-np.arange(len(above)), -begin)).tolist():
        if frame:
            below[parents[frame]].append(frame)
    place = np.zeros(len(above), dtype=np.int64)
    waiting, walked = [0], 0
    while waiting:
        frame = waiting.pop()
        place[frame] = walked
        walked += 1
        waiting += below[frame]
    return place
