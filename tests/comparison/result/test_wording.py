"""Names and figures in sentences."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.wording import short

CURVE = "torchmetrics/functional/classification/precision_recall_curve.py"


@pytest.mark.parametrize(("name", "shown"), [
    ("torch/nn/modules/module.py(1787): _call_impl", "torch/nn/modules/module.py(1787): _call_impl"),
    (f"{CURVE}(465): _update_curve",
     "…/functional/classification/precision_recall_curve.py(465): _update_curve"),
    (f"{CURVE}(489): _multiclass_precision_recall_curve_update_vectorized",
     "…/precision_recall_curve.py(489): _multiclass_precisi…ll_curve_update_vectorized"),
    ("a" * 81, f"{'a' * 53}…{'a' * 26}"),
])  # fmt: skip
def test_a_long_name_loses_directories_before_its_middle(name: str, shown: str) -> None:
    assert short(name) == shown
