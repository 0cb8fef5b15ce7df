"""Entries of a summary's environment that comparisons look at, and their values."""

from __future__ import annotations

from collections.abc import Iterable

AUTOGRAD_GRAPH = "autograd.graph"
"""Whether autograd records what a backward pass needs, "recorded" or "not recorded"
(no_grad, inference_mode)."""

AUTOGRAD_UNUSED = "autograd.unused_nodes"
"""Share of autograd's recorded nodes that no backward pass runs, such as "0.250000"; several if captures differ."""

WRITTEN_FIELDS, WRITTEN_ARGUMENTS = "trace.fields", "trace.arguments"
"""Settings that name what later versions of PyTorch added to traces and to the arguments of operators."""

NO_FIELDS = "none"
"""Their value in traces of versions before that."""

CHANNELS_LAST = "layout.channels_last"
"""Operators that work on images in channels_last layout."""

LOADED_BY = "data_loader.batches"
"""Who loads batches, one of the next two."""

MAIN_PROCESS, WORKER_PROCESSES = "main process", "worker processes"
"""With num_workers=0, or with more."""


def channels_last(environment: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Operators that work on images in channels_last layout."""
    return frozenset(filter(None, dict(environment).get(CHANNELS_LAST, "").split(", ")))
