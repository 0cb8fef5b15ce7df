"""Random and real traces, answered by this reading and by torch-tb-profiler itself."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tb_perfcompare.analysis.compat import CompatProfile, answer, read_compat
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.compat.alike import difference, differences
from tests.compat.naive_reader import recording_of
from tests.compat.oracle import known_spelling, needs_oracle, plain, profile_document, profile_file
from tests.compat.random_traces import mixed_trace
from tests.compat.random_training import training_trace
from tests.shared_data import SHARED, needs_shared

pytestmark = needs_oracle

seeds = st.integers(0, 2**32 - 1)
fast = settings(derandomize=True)


def both(document: dict[str, Any]) -> tuple[CompatProfile, Any]:
    """The two readings of a trace the original can read."""
    reference = profile_document(document)
    assume(reference is not None)
    return read_compat(recording_of(document)), reference


@pytest.mark.parametrize("fractional", [False, True], ids=["whole", "fractional"])
@given(seed=seeds)
@fast
def test_disorderly_traces(fractional: bool, seed: int) -> None:
    profile, reference = both(mixed_trace(seed, fractional))
    assert differences(profile, reference) == {}


@given(seed=seeds)
@fast
def test_numbers_with_and_without_fractions_in_one_trace(seed: int) -> None:
    """Every sum is a float where a number of it was written with a fraction, and an integer else."""
    for made in (mixed_trace(seed, None), training_trace(seed, None)):
        profile, reference = both(made)
        assert differences(profile, reference) == {}


@pytest.mark.parametrize("fractional", [False, True], ids=["whole", "fractional"])
@given(seed=seeds)
@fast
def test_forward_and_backward_of_modules(fractional: bool, seed: int) -> None:
    profile, reference = both(training_trace(seed, fractional))
    assert differences(profile, reference) == {}
    assert difference(_by_name(answer(profile, "module")), _by_name(plain(reference.get_module_view()))) is None


@pytest.mark.parametrize("fractional", [False, True], ids=["whole", "fractional"])
@given(seed=seeds, window=st.tuples(st.integers(0, 1200), st.integers(0, 1200)))
@fast
def test_memory(fractional: bool, seed: int, window: tuple[int, int]) -> None:
    profile, reference = both(mixed_trace(seed, fractional, memory=True))
    start = int(profile.stream.first_start)
    assert differences(profile, reference) == {}
    assert difference(answer(profile, "memory_curve"), plain(reference.get_memory_curve("ms", "MB"))) is None
    for low, high in ((None, None), (start + min(window), start + max(window))):
        stats = plain(reference.get_memory_stats(low, high, "KB"))
        assert difference(answer(profile, "memory", start_ts=low, end_ts=high), stats) is None
        events = plain(reference.get_memory_events(low, high, "ms", "KB"))
        assert difference(answer(profile, "memory_events", start_ts=low, end_ts=high), events) is None


def test_a_long_memory_curve_is_thinned_out_alike() -> None:
    chance = random.Random(1)
    operator = {"ph": "X", "cat": "Operator", "name": "aten::zeros", "pid": 1, "tid": 1, "ts": 0, "dur": 90_000}
    events: list[dict[str, Any]] = [operator]
    for at in range(6000):
        totals = {"Total Allocated": chance.randrange(1 << 33), "Total Reserved": 1 << 33}
        args = {"Device Type": 1, "Device Id": 0, "Addr": at, "Bytes": 1, **totals}
        events.append({"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": at * 15, "args": args})
    document = {"deviceProperties": [], "traceEvents": events}
    profile, reference = read_compat(recording_of(document)), profile_document(document)
    curve: Any = answer(profile, "memory_curve")
    assert len(curve["rows"]["GPU0"]) == 10240
    assert difference(curve, plain(reference.get_memory_curve("ms", "MB"))) is None


@needs_shared
@pytest.mark.parametrize("run", ["resnet50_num_workers_0", "resnet50_num_workers_4"])
def test_second_span_of_the_kineto_runs(run: str) -> None:
    trace = sorted((SHARED / "kineto" / run).iterdir())[1]
    profile, reference = read_compat(read_trace(trace)), profile_file(trace)
    assert differences(profile, reference) == {}
    assert difference(answer(profile, "memory"), plain(reference.get_memory_stats(None, None, "KB"))) is None
    assert difference(answer(profile, "tree"), plain(reference.get_operator_tree())) is None
    assert difference(answer(profile, "views"), [view.display_name for view in reference.views]) is None


@needs_shared
@pytest.mark.parametrize("device", ["h100", "mi300"])
def test_a_modern_trace_with_modules_memory_and_fractions(device: str) -> None:
    name = "gaunernst_bert-small-uncased__1016001.json.gz"
    text = gzip.decompress((SHARED / "mixed_devices" / device / name).read_bytes())
    document = known_spelling(json.loads(text))
    profile, reference = read_compat(recording_of(document)), profile_document(document)
    assert differences(profile, reference) == {}
    assert difference(answer(profile, "module"), plain(reference.get_module_view())) is None
    assert difference(answer(profile, "tree"), plain(reference.get_operator_tree())) is None
    assert difference(answer(profile, "views"), [view.display_name for view in reference.views]) is None
    assert difference(answer(profile, "memory"), plain(reference.get_memory_stats(None, None, "KB"))) is None


def _by_name(view: Any) -> Any:
    """A module answer with equally named roots in a fixed order: the original takes them from a set."""
    return {**view, "data": sorted(view["data"], key=lambda module: (module["name"], json.dumps(module)))}
