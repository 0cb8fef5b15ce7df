"""Rewrites command-line options in messages as the page's controls for the same setting."""

from __future__ import annotations

from typing import TypeVar, cast

from tb_perfcompare.lazy_regex import regex

_CONTROLS = {
    "all-steps": "a range in “steps”",
    "baseline-steps": "“steps” of A",
    "candidate-steps": "“steps” of B",
    "kind": "“kind”",
    "launches": "“utilisation”",
    "span": "“span”",
    "step-marker": "“step marker”",
    "step-window": "“step ends by”",
    "steps": "“steps”",
    "worker": "“worker”",
}
_OPTION = regex(rf"--({'|'.join(_CONTROLS)})\b(?!-)(?: [A-Z]+\b)?")

T = TypeVar("T")


def for_page(value: T) -> T:
    """Replaces command-line options by page controls in a text, or in all texts of plain values. Values of the key
    `arguments` stay: they are command-line arguments."""
    if isinstance(value, str):
        return cast("T", _OPTION.sub(lambda option: _CONTROLS[option[1]], value) if "--" in value else value)
    if isinstance(value, dict):
        return cast("T", {key: item if key == "arguments" else for_page(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return cast("T", [for_page(item) for item in value])
    return value
