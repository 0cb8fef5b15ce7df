"""Where the real inputs are; they are read in place and never committed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("TB_PERFCOMPARE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="shared data is absent (set TB_PERFCOMPARE_DATA)")
