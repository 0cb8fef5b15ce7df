"""Limits for query strings of all routes, checked before anything else."""

from __future__ import annotations

from werkzeug.datastructures import MultiDict

from tb_perfcompare.plugin.http.responses import BadRequest

LONGEST_VALUE = 4096
LONGEST_NAME = 64
MOST_PARAMETERS = 32
MOST_FOR_SEVERAL = 96
"""For twenty candidates with up to four parameters each, and other parameters."""


def check_parameters(query: MultiDict[str, str], most: int = MOST_PARAMETERS) -> None:
    """Raises BadRequest for too many parameters, for names and values that are too long or contain a NUL, and for
    duplicates, as it would depend on the code which of them is used."""
    given = list(query.items(multi=True))
    if len(given) > most:
        raise BadRequest(f"{len(given)} parameters", hint=f"at most {most} are taken")
    for name, value in given:
        if len(name) > LONGEST_NAME or "\0" in name:
            raise BadRequest(f"{name[:80]!r} is not a parameter", hint=f"names have at most {LONGEST_NAME} characters")
        if len(value) > LONGEST_VALUE or "\0" in value:
            hint = f"values have at most {LONGEST_VALUE} characters and no NUL"
            raise BadRequest(f"the value of {name} is not accepted", hint=hint)
    names = [name for name, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadRequest(f"{twice} is given twice", hint="give it once")
