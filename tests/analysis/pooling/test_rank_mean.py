"""Many ranks folded into one summary of their means, with exact sums."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.column_sums import closing_means, mean_of
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.rank_mean import RankMean
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.groups import CRITICAL_PATH
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.ranks.test_ranks import cells, rank

RANKS = 11
OPTIONS = CompareOptions(resamples=200)


def ranks(**options: float) -> list[Summary]:
    return [rank(number, RANKS, **options) for number in range(RANKS)]


def mean_of_ranks(summaries: list[Summary]) -> Summary:
    fold = RankMean()
    for summary in summaries:
        fold.add(summary)
    found = fold.finish()
    assert found is not None
    return found


def test_a_step_is_the_mean_over_ranks() -> None:
    each = ranks(late=3, by_us=200)
    mean, pooled = mean_of_ranks(each), pool(each)
    assert mean.steps.label == each[0].steps.label
    times = pooled.steps.total_ns.reshape(RANKS, -1)
    assert np.abs(mean.steps.total_ns - times.mean(axis=0)).max() <= 0.5
    assert {code.code for code in mean.notes} >= {NoteCode.RANKS_POOLED}


def test_parts_tree_and_critical_path_sum_to_the_step() -> None:
    mean = mean_of_ranks(ranks(late=3, by_us=200))
    assert (mean.owned.time_ns.sum(axis=0) == mean.steps.total_ns).all()
    parts, tree = mean.owned.parts, mean.call_tree
    assert parts is not None and tree is not None
    named = zip(mean.owned.category.tolist(), mean.owned.key, strict=True)
    entities = {name: row for row, name in enumerate(named)}
    total = np.zeros_like(mean.owned.time_ns)
    labels = ("Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec", "Other")
    rows = np.array([entities[labels.index(key[0]), key[1]] for key in parts.keys])
    np.add.at(total, (rows[parts.row], parts.step), parts.time_ns)
    assert (total == mean.owned.time_ns).all()
    assert (np.bincount(tree.step, weights=tree.time_ns) == mean.steps.total_ns).all()
    assert (mean.groups[CRITICAL_PATH].measures_ns["total"].sum(axis=0) == mean.steps.total_ns).all()


def test_comparing_means_equals_comparing_pooled_ranks() -> None:
    before, after = ranks(), ranks(late=3, by_us=200, seed=1)
    pooled = compare_summaries(pool(before), pool(after), OPTIONS)
    means = compare_summaries(mean_of_ranks(before), mean_of_ranks(after), OPTIONS)
    assert means.headline.verdict is pooled.headline.verdict
    assert means.headline.delta == pytest.approx(pooled.headline.delta, abs=0.001)
    assert means.headline.n == pooled.headline.n
    assert means.tables["ranks"].rows == pooled.tables["ranks"].rows
    assert means.tables["ranks"].notes == pooled.tables["ranks"].notes
    assert means.ledger.delta / means.ledger.denominator / 1000 == pytest.approx(means.headline.delta, abs=1e-9)
    for name in ("categories", "kernels", "operators"):
        exact, rounded = cells(pooled.tables[name], "delta_us"), cells(means.tables[name], "delta_us")
        assert rounded.keys() == exact.keys()
        assert all(rounded[key][0] == pytest.approx(value[0], abs=0.002) for key, value in exact.items())
    assert [finding.rule for finding in means.findings] == [finding.rule for finding in pooled.findings]


def test_the_mean_of_many_ranks_is_as_large_as_that_of_few() -> None:
    few, many = mean_of_ranks(ranks()[:9]), mean_of_ranks(ranks() + ranks(seed=1))
    assert few.owned.time_ns.shape == many.owned.time_ns.shape
    assert many.steps.label == few.steps.label


def test_a_step_not_recorded_by_every_rank_is_left_out() -> None:
    each = ranks()
    each[4] = rank(4, RANKS, steps=9)
    mean = mean_of_ranks(each)
    assert mean.steps.label == tuple(str(number) for number in range(1, 10))
    assert {(step.label, step.reason) for step in mean.dropped} == {
        (str(number), "not recorded by every rank") for number in (10, 11, 12)
    }


def test_the_mean_of_no_ranks_is_empty() -> None:
    assert RankMean().finish() is None


def test_rounded_means_keep_the_sum_and_differ_by_less_than_one() -> None:
    chance = random.Random(1)
    sums = np.array([[chance.randrange(10_000) for _ in range(6)] for _ in range(40)], dtype=np.int64)
    count = np.array([3, 7, 11, 1, 2, 512], dtype=np.int64)
    found = closing_means(sums, count)
    assert (found.sum(axis=0) == mean_of(sums.sum(axis=0), count)).all()
    assert np.abs(found - sums / count).max() < 1.0000001
