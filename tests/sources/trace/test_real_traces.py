"""Real traces: every column equals that of json.loads and Decimal."""

from __future__ import annotations

import pytest

from tb_perfcompare.model.events import Category
from tb_perfcompare.sources.trace.scanners.scanner_choice import AVAILABLE, VARIABLE
from tb_perfcompare.sources.trace.torch_profiler import read_trace
from tests.shared_data import SHARED, needs_shared
from tests.sources.layouts import rows_of
from tests.sources.naive import events_of, naive_flows, naive_rows
from tests.thorough import THOROUGH

EVERY = 1 if THOROUGH else 7
"""Of so many events read, one is compared."""

FILES = {
    "2021 names, text thread ids, memory": "kineto/resnet50_num_workers_4/worker0.1623213129365.pt.trace.json.gz",
    "absolute microseconds with three decimals": "hta/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
    "indent=2, python functions": "mixed_devices/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "ROCm": "mixed_devices/mi300/gaunernst_bert-small-uncased__1016001.json.gz",
    "MLU, one line": "mlu/resnet50_num_workers_0/worker0.1698925322189.pt.trace.json.gz",
}


@needs_shared
@pytest.mark.parametrize("name", FILES.values(), ids=FILES.keys())
def test_a_real_trace_equals_the_naive_reading(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = SHARED / name
    events = events_of(path.read_bytes())
    rows, arrows = naive_rows(events, EVERY), naive_flows(events)
    for reader in AVAILABLE if THOROUGH else AVAILABLE[:1]:  # both read the same: test_two_scanners.py
        monkeypatch.setenv(VARIABLE, reader)
        recording = read_trace(path)
        assert rows_of(recording.events)[::EVERY] == rows, reader
        flows = recording.flows
        found = list(zip(flows.is_start.tolist(), flows.flow_id.tolist(), flows.start_ns.tolist(), strict=True))
        assert found == arrows, reader
        assert recording.stats.complete
        assert recording.notes == ()


@needs_shared
def test_a_real_trace_has_its_device_names_and_kernels() -> None:
    recording = read_trace(SHARED / FILES["2021 names, text thread ids, memory"])
    assert recording.device_properties[0]["name"] == "Tesla V100-DGXS-32GB"
    assert recording.process_labels[0] == "GPU 0"
    assert recording.thread_names[5555, "5555"] == "thread 5555 (python)"
    assert recording.file.path == "worker0.1623213129365.pt.trace.json.gz"
    assert (recording.events.category == Category.KERNEL).sum() == 8868
