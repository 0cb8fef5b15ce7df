"""Files of the built page, and a stand-in module that says how to build it."""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.quick_dataclass import dataclass

STATIC_DIR = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "static")
PLACEHOLDER = "not-built.js"

_MANIFESTS = ("manifest.json", os.path.join(".vite", "manifest.json"))
_HASHED_NAME = regex(r".+-[0-9A-Za-z_-]{8,}\.[a-z0-9]+")

# Set here because the system's table may be wrong, and with nosniff a wrong type leaves the tab blank.
_TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}

_PLACEHOLDER_CODE = """\
export function render() {
  document.documentElement.lang = 'en';
  document.title = 'Perf Compare';
  const main = document.createElement('main');
  const heading = document.createElement('h1');
  heading.textContent = 'The page of this tab was not built';
  const text = document.createElement('p');
  text.textContent = 'Install the package again where node 22.12 or later or a network is available: '
    + 'pip install --force-reinstall --no-deps tb_perfcompare. '
    + 'In a source checkout: python setup.py build_frontend. '
    + 'The command line works without it: tb-perfcompare diff BASELINE CANDIDATE.';
  main.append(heading, text);
  document.body.append(main);
}
"""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file to serve. `keep`: its name contains a hash of its content, so that browsers may cache it."""

    body: bytes
    content_type: str
    keep: bool


def entry_file() -> str:
    """File name of the module with `render()`: from the build's manifest, or the stand-in."""
    for name in _MANIFESTS:
        path = os.path.join(STATIC_DIR, name)
        try:
            stamp = os.stat(path).st_mtime_ns
        except OSError:
            continue
        entry = _entry(path, stamp)
        if entry:
            return entry
    return PLACEHOLDER


def asset(name: str) -> Asset | None:
    """Returns the file of that name; None unless it is inside STATIC_DIR, has a known type and no hidden path part."""
    if name == PLACEHOLDER:
        return Asset(_PLACEHOLDER_CODE.encode(), _TYPES[".js"], keep=False)
    content_type = _TYPES.get(os.path.splitext(name)[1])
    if content_type is None or "\0" in name or any(part.startswith(".") for part in re.split(r"[/\\]", name)):
        return None
    root = os.path.realpath(STATIC_DIR)
    path = os.path.realpath(os.path.join(root, name))
    if os.path.commonpath([root, path]) != root or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return Asset(file.read(), content_type, keep=_HASHED_NAME.fullmatch(os.path.basename(path)) is not None)


@lru_cache(maxsize=4)
def _entry(path: str, _stamp: int) -> str:
    """File name of the manifest's entry, "" if there is none or the manifest cannot be read. `_stamp` is the manifest's
    mtime, for the cache."""
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
    except (OSError, ValueError):
        return ""
    chunks = manifest.values() if isinstance(manifest, dict) else ()
    entries = [
        chunk["file"] for chunk in chunks if isinstance(chunk, dict) and chunk.get("isEntry") and "file" in chunk
    ]
    return str(entries[0]) if entries else ""
