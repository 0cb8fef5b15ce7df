"""ab.toml: a baseline and its candidates, for experiments that are repeated."""

from __future__ import annotations

import importlib
from typing import Any

from tb_perfcompare.errors import InputError, PerfCompareError
from tb_perfcompare.experiment.command import parse_command
from tb_perfcompare.experiment.experiment import Variant
from tb_perfcompare.lazy_regex import regex

_NAME = regex(r"\w[\w.-]*")
_SETTINGS: dict[str, type | tuple[type, ...]] = {
    "out": str, "most_rounds": int, "most_minutes": (int, float), "seed": int,
}  # fmt: skip
_OF_VARIANT = ("command", "git")


def read_config(path: str) -> tuple[tuple[Variant, ...], dict[str, Any]]:
    """Returns the variants, and the command line's options that the file sets. Raises InputError naming the key."""
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8")
        tables = _toml().loads(text)
    except OSError as error:
        raise InputError(path, error.strerror or str(error), hint="check the path") from error
    except ValueError as error:
        raise InputError(path, f"is not valid TOML: {error}") from error
    baseline, candidates = tables.pop("baseline", None), tables.pop("candidates", None)
    if not isinstance(baseline, dict) or not isinstance(candidates, dict) or not candidates:
        raise InputError(path, "needs a table [baseline] and one or more [candidates.NAME]")
    for key, value in tables.items():
        if key not in _SETTINGS:
            raise InputError(path, "unknown", place=key, hint=f"there are: {', '.join(_SETTINGS)}")
        if not isinstance(value, _SETTINGS[key]) or isinstance(value, bool):
            raise InputError(path, f"{value!r} has the wrong type", place=key)
    usual = baseline.get("command")
    named = {"baseline": baseline, **candidates}
    if "baseline" in candidates:
        raise InputError(path, "the name is taken", place="candidates.baseline")
    return tuple(_variant(path, name, table, usual) for name, table in named.items()), tables


def _variant(path: str, name: str, table: object, usual: object) -> Variant:
    if not isinstance(table, dict) or not set(table) <= set(_OF_VARIANT):
        raise InputError(path, "has keys other than command and git", place=name)
    command, revision = table.get("command", usual), table.get("git", "")
    if not _NAME.fullmatch(name):
        raise InputError(path, "names have letters, digits, dots, dashes and underscores", place=name)
    if not isinstance(command, str) or not isinstance(revision, str):
        raise InputError(path, "needs a command, as text", place=name)
    return Variant(name, parse_command(command), revision)


def _toml() -> Any:
    for module in ("tomllib", "tomli"):  # the first comes with Python 3.11
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError:
            continue
    raise PerfCompareError("--config needs Python 3.11 or newer", hint="or: pip install tomli")
