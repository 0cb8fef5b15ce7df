"""Show or empty the cache, which makes reopening large runs fast.

It holds summaries and comparisons. docs/internals/reliability.md says how to move it or turn it off.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from tb_perfcompare.cli.output import Console
from tb_perfcompare.errors import InputError
from tb_perfcompare.number_text import size
from tb_perfcompare.render.wire.json_encoding import json_document
from tb_perfcompare.workspace.disk_cache.disk_store import (
    DEFAULT_LIMIT_BYTES,
    SWITCH,
    CacheFacts,
    DiskStore,
    user_place,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="remove every entry")
    parser.add_argument("--directory", metavar="DIR", help="use DIR instead of the user's cache directory")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace, console: Console) -> int:
    place = (arguments.directory, DEFAULT_LIMIT_BYTES) if arguments.directory else user_place()
    if place is None:
        facts, text = CacheFacts(None, 0, 0, 0, 0), f"switched off ({SWITCH})"
    else:
        store = DiskStore(*place)
        try:
            facts = store.clear() if arguments.clear else store.facts()
        except OSError as error:
            hint = "check its permissions" if isinstance(error, PermissionError) else "choose another --directory"
            raise InputError(str(error.filename), error.strerror or str(error), hint=hint) from error
        text = _text(facts, cleared=arguments.clear)
    answer = {"on": place is not None, **asdict(facts)}
    console.answer(json_document(answer) if arguments.json else f"{text}\n".encode())
    return 0


def _text(facts: CacheFacts, *, cleared: bool) -> str:
    compared = f" and {facts.comparisons} comparisons" if facts.comparisons else ""
    summaries = f"{facts.entries - facts.comparisons} summaries{compared}"
    content = f"{summaries}, {size(facts.bytes)}" if facts.entries else "empty"
    if cleared:
        return f"{facts.directory}: {f'removed {content}' if facts.entries else 'was empty'}"
    return f"{facts.directory}: {content}; at most {size(facts.limit_bytes)}"
