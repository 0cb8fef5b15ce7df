"""Hypothesis strategies for trace files: valid ones in any JSON notation, and damaged ones."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import strategies as st

from tb_perfcompare.sources.trace.columns.arguments import SLOTS

_WORDS = [
    "aten::mm", "[memory]", "[mem\\u006fry]", "cpu_op", "Kernel", "python_function", "fwdbwd", "Forward_Backward",
    "async_npu", "cuda_profiler_range", "cuda\\u005fprofiler_range", "\u212aernel", "process_name", "thread_name",
    "}, {", "]}", '\\"', "\\\\", "\\n", "\\u00e9", "\u00e9",
    "\\ud83d\\ude00", "\U0001f600", "device:3", "", "x" * 40,
]  # fmt: skip
_NUMBERS = [
    "0", "-0", "-0.0", "7", "7.0", "128", "1.0005", "1.0015", "-2.00051", "0.00049999999999999999999", "1e3", "1.5E+2",
    "2e-3", "1e-40", "1e300", "0e99999999999999999999", "1e-99999999999", "1712195495519689.047",
    "9223372036854775.807", "9223372036854775.8071", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "12345678901234567890", "0.1", "3.141592653589793", "16777217.25", "4503599627370497.5",
]  # fmt: skip
_KEYS = [key for _, key in SLOTS] + ["name", "labels", "foreign", "Ev \\u0049dx", "nested"]

STRINGS = st.one_of(st.sampled_from(_WORDS).map(lambda word: f'"{word}"'), st.text(max_size=5).map(json.dumps))
NUMBERS = st.one_of(
    st.sampled_from(_NUMBERS),
    st.integers(-(10**22), 10**22).map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
)
_TEXTS_OF_NUMBERS = st.one_of(NUMBERS, st.sampled_from(["N/A", " 7 ", "+7", "1_0", "007", "1.2.3", "-", ""])).map(
    json.dumps
)
_SPACES = st.sampled_from(["", " ", "\n    ", "\t\r\n"])


def _joined(parts: Sequence[str], brackets: str, space: str) -> str:
    return brackets[0] + space + f",{space}".join(parts) + space + brackets[1]


def _arrays(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(_joined, st.lists(inner, max_size=3), st.just("[]"), _SPACES)


def _objects(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.builds("{}:{}".format, STRINGS, inner)
    return st.builds(_joined, st.lists(member, max_size=3), st.just("{}"), _SPACES)


VALUES = st.recursive(
    st.one_of(NUMBERS, STRINGS, _TEXTS_OF_NUMBERS, st.sampled_from(["true", "false", "null"])),
    lambda inner: st.one_of(_arrays(inner), _objects(inner)),
    max_leaves=5,
)


@st.composite
def events(draw: st.DrawFn) -> str:
    """An event, sometimes with members missing, duplicated, odd or reordered."""
    space = draw(_SPACES)
    arguments = [
        f'"{key}":{space}{draw(st.one_of(NUMBERS, VALUES))}'
        for key in draw(st.lists(st.sampled_from(_KEYS), max_size=5))
    ]
    members = [
        ("ph", f'"{draw(st.sampled_from("XXXXXXisfMCt"))}"'),
        ("cat", draw(STRINGS)),
        ("name", draw(STRINGS)),
        ("pid", draw(st.sampled_from(["1", "1.0", '"1"', "2"]))),
        ("tid", draw(st.sampled_from(["1", '"stream 7"', "2"]))),
        ("ts", draw(st.one_of(NUMBERS, _TEXTS_OF_NUMBERS))),
        ("dur", draw(NUMBERS)),
        ("id", draw(st.one_of(st.sampled_from(["1", "2", '"3"', "null"]), NUMBERS))),
        ("args", _joined(arguments, "{}", space)),
    ]
    change = draw(st.integers(0, 9))
    at = draw(st.integers(0, len(members) - 1))
    if change == 0:
        members[at] = (members[at][0], draw(VALUES))
    elif change == 1:
        members.append((members[at][0], draw(VALUES)))
    elif change == 2:
        del members[at]
    elif change == 3:
        members = draw(st.permutations(members))
    elif change == 4:
        members.insert(at, (draw(st.sampled_from(["s", "bp", "p\\u0068", "\u00e9"])), draw(VALUES)))
    return _joined([f'"{key}":{space}{value}' for key, value in members], "{}", space)


@st.composite
def traces(draw: st.DrawFn) -> bytes:
    """A file of such events and other values; valid JSON with some absurd numbers."""
    elements = draw(st.lists(st.one_of(*[events()] * 9, VALUES), max_size=12))
    inner = _joined(elements, "[]", draw(_SPACES))
    suffix = draw(st.sampled_from(["", ', "deviceProperties": [{"id": 0}, {"id": 1}]']))
    return f'{{"schemaVersion": 1, "traceEvents": {inner}{suffix}}}'.encode("utf-8", "surrogatepass")


_PIECES = [
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\xff", b"\xc3", b"\x01", b"NaN", b"e5", b"-", b"]}",
    b'}, {"ph": "X"',
]  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A trace with bytes flipped, inserted, deleted, repeated or cut off."""
    content = draw(traces())
    for _ in range(draw(st.integers(1, 4))):
        at, to = sorted((draw(st.integers(0, len(content))), draw(st.integers(0, len(content)))))
        match draw(st.sampled_from(["flip", "insert", "delete", "repeat", "cut"])):
            case "flip":
                flipped = bytes(byte ^ (1 << draw(st.integers(0, 7))) for byte in content[at : at + 1])
                content = content[:at] + flipped + content[at + 1 :]
            case "insert":
                content = content[:at] + draw(st.sampled_from(_PIECES)) + content[at:]
            case "delete":
                content = content[:at] + content[min(to, at + 30) :]
            case "repeat":
                content = content[:at] + content[at : min(to, at + 200)] + content[at:]
            case _:
                content = content[:to]
    return content
