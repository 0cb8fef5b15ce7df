"""The compiled passes: built from the current sources, and safe against invalid calls."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tb_perfcompare.analysis.columns import native_passes as passes
from tb_perfcompare.analysis.columns.native_passes import compiled, indices, packed, unpacked
from tests.analysis.passes_tools import needs_compiled
from tests.machine.native_tools import native_tools, why_not_buildable


def i4(*numbers: int) -> bytes:
    return np.array(numbers, np.int32).tobytes()


def i8(*numbers: int) -> bytes:
    return np.array(numbers, np.int64).tobytes()


def test_the_passes_are_built_where_there_is_a_compiler() -> None:
    missing = why_not_buildable()
    if missing and passes._module is None:
        pytest.skip(f"the passes are not built: {missing}")
    assert passes._module is not None, f"pip install -e . did not build them: {passes.WHY_NOT}"


@needs_compiled
def test_the_passes_are_built_from_the_current_sources() -> None:
    from tb_perfcompare.analysis.native import _passes

    found = native_tools().PASSES.source_hash()
    assert found == _passes.SOURCE_HASH, "built from other sources: pip install -e . again"


@needs_compiled
def test_the_environment_can_switch_the_compiled_passes_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(passes.VARIABLE, raising=False)
    assert compiled() is not None
    monkeypatch.setenv(passes.VARIABLE, "python")
    assert compiled() is None
    monkeypatch.setenv(passes.VARIABLE, "native")
    assert compiled() is not None


@pytest.mark.parametrize("module", ["None", "types.SimpleNamespace(INTERFACE=0)"])
def test_a_module_that_is_missing_or_of_another_version_is_not_used(module: str) -> None:
    code = f"""
import sys, types
import tb_perfcompare.analysis.native
sys.modules["tb_perfcompare.analysis.native._passes"] = tb_perfcompare.analysis.native._passes = {module}
if tb_perfcompare.analysis.native._passes is None:
    del tb_perfcompare.analysis.native._passes
from tb_perfcompare.analysis.columns import native_passes as passes
print(passes.compiled(), bool(passes.WHY_NOT))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None True"


def test_columns_are_copied_only_to_change_their_layout_or_type() -> None:
    column = unpacked(i8(1, 2, 3), np.int64)
    assert packed(column, np.int64) is column
    assert packed(column[1:], np.int64).tobytes() == i8(2, 3)
    assert packed(column[::-1], np.int64).tobytes() == i8(3, 2, 1)
    assert packed(column, np.int32).tobytes() == i4(1, 2, 3)
    assert indices(column) is column
    assert indices(np.array([1, 2], np.int16)).tobytes() == i4(1, 2)


@needs_compiled
def test_arrays_are_read_in_place() -> None:
    numbers = np.arange(6, dtype=np.int64)
    assert module().sum_upwards(np.array([-1, 0], np.int32), numbers[1:3]) == i8(3, 2)
    assert module().sum_upwards(np.zeros(0, np.int32), numbers[:0]) == EMPTY
    strided, swapped = numbers[::3], numbers[:2].astype(np.dtype(np.int64).newbyteorder())
    for array in (strided, swapped, numbers.reshape(2, 3), numbers[:2].astype(np.float64)):
        with pytest.raises(ValueError):
            module().sum_upwards(i8(-1, 0), array)


def module() -> Any:
    return passes._module


EMPTY = b""
NEST = (i4(0, 0), 1, i8(0, 1), i8(5, 1), (), None)
QUERY = (i4(0, 0), 1, i8(0, 1), i8(5, 2), i8(-1, 0), i4(0), i8(1))
SWEEP = (i8(0), i8(5), b"\0", 1, (), i8(0), i8(9))
GATHER = (np.array([7, 8], np.int16), i4(-1, 2, 0), 2)
PATHS = (i8(-1, 0, -1), i4(0, 0, 0), i4(5, 6, 6), b"\0\1\0", 1)


@needs_compiled
def test_each_pass_gives_its_documented_result() -> None:
    order, parent, depth, end, inside, clipped = module().nest(*NEST)
    assert (order, parent, depth, end, inside, clipped) == (i4(0, 1), i4(-1, 0), i4(0, 1), i8(5, 2), i8(1, 0), 0)
    assert module().nest(*NEST[:4], ((i4(1, 0), i8(5, 6)),), i4(1))[0] == i4(1)
    assert module().innermost(*QUERY) == i4(1)
    assert module().add_up(i8(0, 1, -1), i8(1, 0, 0), i8(5, 6, 7), 2, 4) == i8(0, 5, 6, 0)
    assert module().add_up((i8(0, 1), i8(1, -1)), None, None, 1, 2) == i8(0, 1)
    assert module().add_up(i8(0, 0), None, (i8(5, 6), i8(1, 1)), 1, 1) == i8(12)
    assert module().sum_upwards(i8(-1, 0), i8(1, 2)) == i8(3, 2)
    assert module().least_upwards(i8(-1, 0, 1), i8(1, 3, 0)) == i8(0, 0, 0)
    assert module().order(i8(2, 1), i8(0, 0), ()) == i4(1, 0)
    assert module().number(i8(7, 3, 7), None, 1, 8) == (i8(3, 7), i4(1, 0, 1))
    assert module().number(i8(1, 0), i8(1, 2), 3, 6) == (i8(2, 4), i4(1, 0))
    assert module().gather(*GATHER) == np.array([8, 7, 7], np.int16).tobytes()
    # b below an unwanted a, and b at the top
    assert module().paths(*PATHS) == (i4(1, 2, -1), i4(0, 1), i4(5, 6), i4(0, 1))
    assert module().sweep(*SWEEP) == (i4(0), i4(0), i8(5), i8(5), i8(9), i8(0))


@needs_compiled
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("nest", ()),
        ("nest", (NEST[0], 1, NEST[2], NEST[3])),
        ("nest", (i4(0), *NEST[1:])),
        ("nest", (i4(0, 1), *NEST[1:])),
        ("nest", (i4(0, -1), *NEST[1:])),
        ("nest", (NEST[0], -1, *NEST[2:])),
        ("nest", (*NEST[:2], i8(0), *NEST[3:])),
        ("nest", (*NEST[:2], i8(0, 1)[:-1], *NEST[3:])),
        ("nest", (*NEST[:4], [], None)),
        ("nest", (*NEST[:4], (i8(1),), None)),
        ("nest", (*NEST[:4], (i8(1, 2),) * 5, None)),
        ("nest", (*NEST[:4], ((i4(0, 1), i8(7)),), None)),
        ("nest", (*NEST[:4], ((i4(0, -1), i8(7)),), None)),
        ("nest", (*NEST[:4], ((i4(0, 0),),), None)),
        ("nest", (*NEST[:5], i4(2))),
        ("nest", (*NEST[:5], i4(-1))),
        ("nest", (*NEST[:5], 1)),
        ("nest", (*NEST[:2], "text", *NEST[3:])),
        ("innermost", (*QUERY[:4], i8(-1, 1), *QUERY[5:])),
        ("innermost", (*QUERY[:4], i8(-1, -2), *QUERY[5:])),
        ("innermost", (*QUERY[:2], i8(1, 0), *QUERY[3:])),
        ("innermost", (i4(0, 1), *QUERY[1:])),
        ("innermost", (*QUERY[:6], i8(1, 2))),
        ("sum_upwards", (i8(0), i8(1))),
        ("sum_upwards", (i8(-1, 0), i8(1))),
        ("add_up", (i8(1), None, None, 1, 1)),
        ("add_up", (i8(0), i8(2), None, 2, 9)),
        ("add_up", (i8(0), None, (i8(1), i8(1)), 1, 1)),
        ("add_up", ((i8(0), i8(1)), None, None, 1, 1)),
        ("add_up", ((i8(0), i8(0), i8(0)), None, None, 1, 1)),
        ("add_up", (i8(0), i8(0, 0), None, 1, 1)),
        ("add_up", (i8(0), None, None, 0, 1)),
        ("add_up", (i8(0), None, None, 1, -1)),
        ("add_up", (None, None, None, 1, 1)),
        ("gather", (*GATHER[:2], 4)),
        ("gather", (*GATHER[:2], 0)),
        ("gather", (b"ABC", GATHER[1], 3)),
        ("gather", (GATHER[0][:0], *GATHER[1:])),
        ("order", (i8(1), i8(1), EMPTY)),
        ("number", (i8(8), None, 1, 8)),
        ("number", (i8(-1), None, 1, 8)),
        ("number", (i8(2), i8(2), 3, 8)),
        ("number", (i8(0), i8(-1), 3, 8)),
        ("number", (i8(0), i8(0, 1), 3, 8)),
        ("number", (i8(), None, 1, -1)),
        ("paths", (i8(1, -1, -1), *PATHS[1:])),
        ("paths", (i8(0, -1, -1), *PATHS[1:])),
        ("paths", (*PATHS[:1], i4(0), *PATHS[2:])),
        ("paths", (*PATHS[:4], -1)),
        ("sweep", (*SWEEP[:2], b"\x10", *SWEEP[3:])),
        ("sweep", (*SWEEP[:5], i8(0, 5), i8(6, 9))),
        ("sweep", (*SWEEP[:5], i8(5), i8(4))),
        ("sweep", (*SWEEP[:5], i8(0), EMPTY)),
    ],
)
def test_invalid_calls_are_refused(name: str, call: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, ValueError)):
        getattr(module(), name)(*call)


@needs_compiled
@pytest.mark.parametrize(
    "work",
    [
        lambda m, n: m.nest(i4(*[0] * n), 1, i8(*range(n)), i8(*[n] * n), (), None),
        lambda m, n: m.sweep(i8(*range(n)), i8(*[n] * n), b"\0" * n, 1, (), i8(0), i8(n)),
        lambda m, n: m.number(i8(*range(n)), None, 1, n),
        lambda m, n: m.paths(i8(*[-1] * n), i4(*[0] * n), i4(*range(n)), b"\1" * n, 1),
    ],
)
def test_a_pass_releases_the_gil(work: Callable[[Any, int], Any]) -> None:
    started, done = threading.Event(), threading.Event()

    def run() -> None:
        started.set()
        for _ in range(10):
            work(module(), 100_000)
        done.set()

    before = sys.getswitchinterval()
    sys.setswitchinterval(60)  # no preemption: other threads run only when the GIL is released
    try:
        thread = threading.Thread(target=run)
        thread.start()
        started.wait()
        assert not done.is_set()
        thread.join()
    finally:
        sys.setswitchinterval(before)
