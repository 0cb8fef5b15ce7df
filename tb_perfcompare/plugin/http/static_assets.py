"""The built page, and a substitute that says how to build it."""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache

from tb_perfcompare.quick_dataclass import dataclass

STATIC_DIR = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "static")
STAND_IN = "not-built.js"

_MANIFESTS = ("manifest.json", os.path.join(".vite", "manifest.json"))
_HASHED_NAME = re.compile(r".+-[0-9A-Za-z_-]{8,}\.[a-z0-9]+")

# Types are set here: the system's own table may be wrong, and a wrong type with nosniff is a blank tab.
_TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}

_STAND_IN_CODE = """\
export function render() {
  document.documentElement.lang = 'en';
  document.title = 'Perf Compare';
  const main = document.createElement('main');
  const heading = document.createElement('h1');
  heading.textContent = 'The page of this tab was not built';
  const text = document.createElement('p');
  text.textContent = 'Install the package again where node 22 or a network is available: '
    + 'pip install --force-reinstall --no-deps tb_perfcompare. '
    + 'In a source checkout: python setup.py build_frontend. '
    + 'The command line works without it: tb-perfcompare diff BASELINE CANDIDATE.';
  main.append(heading, text);
  document.body.append(main);
}
"""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file to serve. `keep`: its name changes whenever its bytes do."""

    body: bytes
    content_type: str
    keep: bool


def entry_file(folder: str = STATIC_DIR) -> str:
    """Name of the module that has `render()`: from the build's manifest, or the stand-in."""
    for name in _MANIFESTS:
        path = os.path.join(folder, name)
        try:
            stamp = os.stat(path).st_mtime_ns
        except OSError:
            continue
        found = _entry(path, stamp)
        if found:
            return found
    return STAND_IN


def asset(name: str, folder: str = STATIC_DIR) -> Asset | None:
    """The file of that name, or None. Only files inside the folder, with a known type and no hidden part."""
    if name == STAND_IN:
        return Asset(_STAND_IN_CODE.encode(), _TYPES[".js"], keep=False)
    content_type = _TYPES.get(os.path.splitext(name)[1])
    if content_type is None or "\0" in name or any(part.startswith(".") for part in re.split(r"[/\\]", name)):
        return None
    root = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(root, name))
    if os.path.commonpath([root, path]) != root or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return Asset(file.read(), content_type, keep=_HASHED_NAME.fullmatch(os.path.basename(path)) is not None)


@lru_cache(maxsize=4)
def _entry(path: str, _stamp: int) -> str:
    """The manifest's entry; a manifest that cannot be read counts as a page that was not built."""
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
