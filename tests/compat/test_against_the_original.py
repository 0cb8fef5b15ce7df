"""Traces in the spelling that the release knows, given to it as files and through the product: nothing differs."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tb_perfcompare.analysis.compat import CompatProfile, answer, read_compat
from tb_perfcompare.sources.trace.torch_profiler import read_events
from tests.compat.oracle import known_spelling, needs_oracle, plain, profile_document
from tests.compat.random_traces import mixed_trace
from tests.compat.random_training import training_trace
from tests.compat.reading import read
from tests.shared_data import SHARED, needs_shared

pytestmark = needs_oracle

BY_SHAPE = "OperationAndInputShape"

seeds = st.integers(0, 2**32 - 1)
fractional = st.sampled_from([False, True, None])
fast = settings(derandomize=True)


def assert_equal(profile: CompatProfile, reference: Any) -> None:
    """Every route of both."""
    overview = answer(profile, "overview")
    del overview["environments"]
    summary = overview.pop("gpu_metrics", {"data": None, "tooltip": None})
    assert overview == plain(reference.overview)
    assert (summary["data"], summary["tooltip"]) == (reference.gpu_summary, reference.gpu_tooltip)
    for route, by, expected in (
        ("operation", None, reference.operation_pie_by_name),
        ("operation", BY_SHAPE, reference.operation_pie_by_name_input),
        ("operation/table", None, reference.operation_table_by_name),
        ("operation/table", BY_SHAPE, reference.operation_table_by_name_input),
        ("kernel/table", "KernelNameAndOpName", reference.kernel_op_table),
        ("kernel/tc_pie", None, reference.tc_pie),
        ("views", None, [view.display_name for view in reference.views]),
    ):
        assert json.dumps(answer(profile, route, group_by=by)) == json.dumps(plain(expected)), route
    for by, stacks in ((None, reference.operation_stack_by_name), (BY_SHAPE, reference.operation_stack_by_name_input)):
        for key, stack in stacks.items():
            name, _, shape = key.partition("###")
            assert answer(profile, "operation/stack", group_by=by, op_name=name, input_shape=shape) == plain(stack)
    assert by_total(answer(profile, "kernel/table")) == by_total(plain(reference.kernel_table))
    assert by_total(answer(profile, "kernel")) == by_total(plain(reference.kernel_pie))
    if reference.module_stats:
        assert modules(answer(profile, "module")) == modules(plain(reference.get_module_view()))


def by_total(found: Any) -> Any:
    """The rows of a kernel answer without an order: of equal totals pandas leaves it open."""
    return found and sorted(found.get("total", found.get("data"))["rows"])


def modules(found: Any) -> Any:
    """Equally named roots in a fixed order: the original takes them from a set."""
    return sorted(found["data"], key=lambda module: (module["name"], json.dumps(module)))


@given(seed=seeds, fractional=fractional)
@fast
def test_disorderly_traces(seed: int, fractional: bool | None) -> None:
    document = mixed_trace(seed, fractional)
    reference = profile_document(document)
    assume(reference is not None)
    assert_equal(read(document), reference)


@given(seed=seeds, fractional=fractional)
@fast
def test_forward_and_backward_of_modules(seed: int, fractional: bool | None) -> None:
    document = training_trace(seed, fractional)
    reference = profile_document(document)
    assume(reference is not None)
    assert_equal(read(document), reference)


@given(seed=seeds, fractional=fractional, window=st.tuples(st.integers(0, 1200), st.integers(0, 1200)))
@fast
def test_memory(seed: int, fractional: bool | None, window: tuple[int, int]) -> None:
    document = mixed_trace(seed, fractional, memory=True)
    reference = profile_document(document)
    assume(reference is not None)
    profile, start = read(document), int(reference.profiler_start_ts)
    assert answer(profile, "memory_curve") == plain(reference.get_memory_curve("ms", "MB"))
    for low, high in ((None, None), (start + min(window), start + max(window))):
        of = {"start_ts": low, "end_ts": high}
        assert answer(profile, "memory", **of) == plain(reference.get_memory_stats(low, high, "KB"))
        assert answer(profile, "memory_events", **of) == plain(reference.get_memory_events(low, high, "ms", "KB"))


@needs_shared
@pytest.mark.parametrize("device", ["h100", "mi300"])
def test_a_modern_trace_is_one_of_2021_with_other_categories(device: str) -> None:
    path = SHARED / "mixed_devices" / device / "gaunernst_bert-small-uncased__1016001.json.gz"
    reference = profile_document(known_spelling(json.loads(gzip.decompress(path.read_bytes()))))
    profile = read_compat(read_events(path))
    assert_equal(profile, reference)
    assert answer(profile, "tree") == plain(reference.get_operator_tree())
