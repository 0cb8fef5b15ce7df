"""How tb_perfcompare/sources/native/ becomes tb_perfcompare.sources._scanner, where there is a C compiler.

An installation without one is complete: the reader in Python gives the same answers. One build against the limited API
of Python 3.10 serves all later versions, so the wheel is tagged cp310-abi3; without the module it is py3-none-any.
Standard library only: tests use this module without setuptools.
"""

from __future__ import annotations

import hashlib
import sysconfig
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tb_perfcompare" / "sources" / "native"
MODULE = "tb_perfcompare.sources._scanner"
PYTHON_TAG = "cp310"
LIMITED_API = "0x030A0000"


def source_files() -> list[Path]:
    """Everything the module is made from, in a fixed order."""
    return sorted(path for path in SOURCE.iterdir() if path.suffix in (".c", ".h"))


def source_hash() -> str:
    """SHA-256 over the names and bytes of the sources; line ends are counted as LF. The module carries it."""
    digest = hashlib.sha256()
    for path in source_files():
        digest.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def is_possible() -> bool:
    """Whether the limited API describes this Python's objects."""
    return not sysconfig.get_config_var("Py_GIL_DISABLED")


def extension_options() -> dict[str, Any]:
    """Arguments of setuptools.Extension."""
    files = [path.relative_to(ROOT).as_posix() for path in source_files()]
    return {
        "name": MODULE,
        "sources": [file for file in files if file.endswith(".c")],
        "depends": [file for file in files if file.endswith(".h")],
        # the hash is passed as a name, which needs no quotes that a command line could lose
        "define_macros": [("Py_LIMITED_API", LIMITED_API), ("TB_PERFCOMPARE_SOURCE_HASH", f"h{source_hash()}")],
        "py_limited_api": True,
        "optional": True,
    }


def is_built_in(folder: Path) -> bool:
    """Whether the module is below a build's output folder."""
    found = (folder / "tb_perfcompare" / "sources").glob("_scanner*")
    return any(path.suffix in (".so", ".pyd") for path in found)
