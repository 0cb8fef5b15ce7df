"""The largest frames of a recording, in depth-first order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tb_perfcompare.analysis.columns.nesting import least_below, with_descendants
from tb_perfcompare.analysis.columns.paths import nearest
from tb_perfcompare.model.arrays import Ints, Nanoseconds, NodeIndex, unique_places
from tb_perfcompare.model.summary.call_tree import REST, FrameKey, Frames


class LargestFrames:
    """k frames with any time below them, the smallest joined to one per frame around them, so that nothing is lost.

    frame_of  (n,) number of the frame that each node is, or stands in; -1 for nodes without any time
    merged    (k,) how many nodes stand together in a frame that is none of them, else 0
    """

    def __init__(self, parent: NodeIndex, depth: Ints, own: Ints, first_ns: Nanoseconds, most: int) -> None:
        """Of n nodes, the whole being 0: the node around each, its depth, its own time and when it first ran."""
        total, first = with_descendants(parent, depth, own), least_below(parent, depth, first_ns)
        timed = np.flatnonzero(total > 0)
        large = timed
        if len(timed) > most:
            large = timed[total[timed] >= np.sort(total[timed])[-most]]
        # a frame is never smaller than one below it, and comes first where it is as large
        order = large[np.lexsort((large, depth[large], -total[large]))]
        kept = np.zeros(len(parent), dtype=np.bool_)
        kept[order[:most]] = True
        kept[0] = True
        home = nearest(parent, kept)
        small = timed[~kept[timed]]
        # one that stands alone needs no other name
        kept[small[np.bincount(home[small], minlength=len(parent))[home[small]] == 1]] = True
        small = small[~kept[small]]
        rests, of_rest = unique_places(home[small])
        nodes = np.flatnonzero(kept)
        # the frames before they are walked: kept nodes, then the rests
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
        """The frames; `keys` gives those of nodes."""
        found = keys(np.maximum(self._node, 0))
        for rest in np.flatnonzero(self._node < 0).tolist():
            found[rest] = REST
        return Frames(self._above.tolist(), found)


def _walk(above: Ints, begin: Ints) -> Ints:
    """(k,) place of each frame on a walk that takes siblings by their beginning, then by number; 0 is the whole."""
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
