"""Which runs are suggested together, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.pairing.pairing import RunShape, Selection, suggest_pairs
from tb_perfcompare.comparison.strict.processes import WorkerName, match_workers


def suggested(*names: str) -> list[tuple[str, str]]:
    pairs = suggest_pairs([RunShape(name) for name in names])
    return [(pair.baseline.run, pair.candidate.run) for pair in pairs]


@pytest.mark.parametrize(
    ("baseline", "candidate"),
    [
        ("normal", "abnormal"),
        ("baseline", "candidate"),
        ("Before", "After"),
        ("resnet_old", "resnet_new"),
        ("good-run", "bad-run"),
        ("expA/base", "expA/new"),
        ("working", "broken"),
        ("x/control/rank0", "x/test/rank0"),
        ("bert_a", "bert_b"),
        ("runA", "runB"),
        ("ref.v2", "new.v2"),
        ("modelNormal", "modelAbnormal"),
        ("num_workers_0", "num_workers_4"),
        ("lr0.01", "lr0.1"),
        ("训练_正常", "训练_异常"),
        ("run_normal_1623143089", "run_abnormal_1623212756"),
        ("demo/baseline", "demo/candidate_slow_loader"),
        ("normal_3f9a1c2", "abnormal_b07e41d"),
        ("before/x7k2p9qd", "after/m3v8r1tz"),
        ("base-0b6f6f0e-5c39-4c3e-9d7b-2f1a3b4c5d6e", "candidate-9a7c1d22-1f0e-4b8a-8c3d-5e6f7a8b9c0d"),
        ("w0_3f9a1c2", "w4_b07e41d"),
        ("h100x8_old", "h100x8_new"),
        ("normal/zuajfp94", "abnormal/uxhb72sj"),
        ("normal_workers0", "abnormal_workers4"),
        ("normal_node1_4242.1700000000000", "abnormal_node1_991.1700000111111"),
        ("normal1", "abnormal1"),
        ("num_workers0", "num_workers4"),
        ("vitA", "vitB"),
    ],
)
def test_names_that_differ_in_one_known_way_are_a_pair_in_that_direction(baseline: str, candidate: str) -> None:
    assert suggested(baseline, candidate) == [(baseline, candidate)]
    assert suggested(candidate, baseline) == [(baseline, candidate)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alpha", "beta"),
        ("normal_cpu", "abnormal_gpu_x/deep"),
        ("abnormality", "normality"),
        ("x3a", "x3b"),
        ("a1", "b1"),
        ("run_3f9a1c2", "run_3f9a1c7"),
        ("run_1_3f9a1c2", "run_1_b07e41d"),
        ("bs32", "bs64"),
        ("normal_batch_size=8", "abnormal_batch_size=16"),
        ("normal_mbs4_gbs256", "abnormal_mbs8_gbs256"),
        ("normal_h100", "abnormal_a100"),
        ("h100x8", "h200x8"),
        ("normal_cpu", "abnormal_gpu"),
        ("resnet50/x", "llama70b/x"),
        ("vita", "vitb"),
        ("runA1", "runB1"),
        ("data1a", "data1b"),
    ],
)
def test_names_without_a_known_difference_are_not_paired(one: str, other: str) -> None:
    assert suggested(one, other) == []


SAME_NAME = "two runs of one name, apart from hashes, random ids and times: the older is the baseline"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("run_3f9a1c2", "run_b07e41d"),
        ("run/0b6f6f0e-5c39-4c3e-9d7b-2f1a3b4c5d6e", "run/9a7c1d22-1f0e-4b8a-8c3d-5e6f7a8b9c0d"),
        ("normal_x7k2p9qd", "normal_m3v8r1tz"),
        ("run-20240131_123456-zuajfp94", "run-20240201_093000-uxhb72sj"),
        ("node1_4242.1700000000000", "node1_991.1700000111111"),
        ("Jan31_12-00-00_node1", "Feb01_09-30-00_node1"),
        ("nightly_1623143089", "nightly_1623212756"),
        ("2024-01-31T12:00:00", "2024-02-01T09:30:00"),
    ],
)
def test_the_older_of_runs_that_differ_in_an_id_is_the_baseline(one: str, other: str) -> None:
    (pair,) = suggest_pairs([RunShape(one, modified=2), RunShape(other, modified=1)])
    assert (pair.baseline.run, pair.candidate.run, pair.reason) == (other, one, SAME_NAME)


def test_the_latest_two_runs_of_one_name_are_a_pair() -> None:
    times = {"run_3f9a1c2": 1, "run_b07e41d": 3, "run_5e6f7a8": 2}
    runs = [RunShape(name, modified=time) for name, time in times.items()]
    assert [(pair.baseline.run, pair.candidate.run) for pair in suggest_pairs(runs)] == [("run_5e6f7a8", "run_b07e41d")]


def test_the_latest_runs_with_ids_are_a_pair_unless_two_share_an_id() -> None:
    names = ["normal_3f9a1c2", "normal_b07e41d", "abnormal_5e6f7a8", "abnormal_9c0d1e2"]
    pair, *_ = suggest_pairs([RunShape(name, modified=time) for time, name in enumerate(names)])
    assert (pair.baseline.run, pair.candidate.run) == ("normal_b07e41d", "abnormal_9c0d1e2")
    assert pair.reason == "names differ only in normal/abnormal, apart from hashes and random ids"
    pair, *_ = suggest_pairs([RunShape(name, modified=time) for time, name in enumerate([*names, "abnormal_3f9a1c2"])])
    assert (pair.baseline.run, pair.candidate.run) == ("normal_3f9a1c2", "abnormal_3f9a1c2")
    assert pair.reason == "names differ only in normal/abnormal"


def test_a_family_pairs_each_larger_number_with_the_smallest() -> None:
    assert suggested("w16", "w4", "w0") == [("w0", "w4"), ("w0", "w16")]


def test_the_latest_runs_of_each_number_are_pairs() -> None:
    names = ["w0_3f9a1c2", "w0_b07e41d", "w4_5e6f7a8", "w4_9c0d1e2"]
    pairs = suggest_pairs([RunShape(name, modified=time) for time, name in enumerate(names)])
    by_number = [(pair.baseline.run, pair.candidate.run) for pair in pairs if "number" in pair.reason]
    assert by_number == [("w0_b07e41d", "w4_9c0d1e2")]


def test_words_come_before_numbers_and_a_pair_is_suggested_once() -> None:
    found = suggested("run1_normal", "run1_abnormal", "run2_normal")
    assert found == [("run1_normal", "run1_abnormal"), ("run1_normal", "run2_normal")]


def test_two_baselines_for_one_candidate_are_not_paired() -> None:
    assert suggested("d/normal_x", "d/normal_y", "d/abnormal_z") == []


def test_spans_of_one_run_are_an_a_a_check_and_come_last() -> None:
    runs = [RunShape("normal", (("w0", ("1", "2", "3")), ("w1", ("1", "2")))), RunShape("abnormal", (("w0", ("1",)),))]
    pairs = suggest_pairs(runs)
    assert [pair.reason.split(":")[0] for pair in pairs] == ["names differ only in normal/abnormal", "A/A check"]
    assert pairs[-1].baseline == Selection("normal", None, "1")
    assert pairs[-1].candidate == Selection("normal", None, "2")


def test_two_programs_in_one_directory_pair_in_the_order_of_their_recording() -> None:
    workers = (("host_12", ("1",)), ("host_9", ("1",)))
    (pair,) = suggest_pairs([RunShape("log", workers, in_turns=("host_9", "host_12"))])
    assert (pair.baseline, pair.candidate) == (Selection("log", "host_9"), Selection("log", "host_12"))
    three = (*workers, ("host_7", ("1",)))
    assert suggest_pairs([RunShape("log", three, in_turns=("host_9", "host_12", "host_7"))]) == ()


def test_a_span_that_only_one_worker_has_names_the_worker() -> None:
    (check,) = suggest_pairs([RunShape("r", (("w0", ("1",)), ("w1", ("1", "2"))))])
    assert check.baseline == Selection("r", "w1", "1")


_NAMES = st.lists(st.text("ab0129_/-. Normalab²٣", min_size=1, max_size=12), unique=True, max_size=8)


@given(_NAMES, st.randoms(use_true_random=False))
def test_suggestions_ignore_the_order_of_runs_and_never_pair_a_run_with_itself(
    names: list[str], random: object
) -> None:
    shuffled = list(names)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert suggested(*names) == suggested(*shuffled)
    assert all(one != other for one, other in suggested(*names))


def test_workers_match_by_rank_then_by_name() -> None:
    baseline = [WorkerName("hostA_1", 0), WorkerName("hostA_2", 1), WorkerName("helper")]
    candidate = [WorkerName("helper"), WorkerName("hostB_9", 1), WorkerName("hostB_8", 2)]
    matches, only_baseline, only_candidate = match_workers(baseline, candidate)
    assert [(one.name, other.name) for one, other in matches] == [("hostA_2", "hostB_9"), ("helper", "helper")]
    assert [worker.name for worker in only_baseline] == ["hostA_1"]
    assert [worker.name for worker in only_candidate] == ["hostB_8"]


def test_a_rank_that_occurs_twice_matches_nothing() -> None:
    matches, only_baseline, _ = match_workers([WorkerName("a", 0), WorkerName("b", 0)], [WorkerName("c", 0)])
    assert (matches, len(only_baseline)) == ([], 2)
