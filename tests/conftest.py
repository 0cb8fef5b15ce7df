"""Settings for every test."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# A slow machine is no failure. In CI the examples are fixed, so that a red run can be run again.
settings.register_profile(
    "product",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("product")

# Tests read what they mean to read, and leave nothing in the home of whoever runs them.
os.environ["TB_PERFCOMPARE_CACHE"] = "off"
