"""Selects the compiled or the numpy form of the passes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tb_perfcompare.analysis.columns import native_passes as passes

needs_compiled = pytest.mark.skipif(passes._module is None, reason=f"the passes are not built: {passes.WHY_NOT}")

FORMS = (False, pytest.param(True, marks=needs_compiled))
"""For pytest.mark.parametrize: numpy, compiled."""


@contextmanager
def form(compiled: bool) -> Iterator[None]:
    """Within it, calls use the compiled or the numpy form."""
    module = passes._module
    assert module is not None or not compiled
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(passes.VARIABLE, raising=False)
        patch.setattr(passes, "_module", module if compiled else None)
        yield
