"""The optional compiled modules, built from C sources if there is a C compiler.

    tb_perfcompare/sources/native/   tb_perfcompare.sources.native._scanner   reads traces
    tb_perfcompare/analysis/native/  tb_perfcompare.analysis.native._passes   goes through events in order

An installation without them is complete: Python code gives the same results. One build against the limited API of
Python 3.10 works with all later versions, so the wheel is tagged cp310-abi3; without the modules it is py3-none-any.
Standard library only: tests use this module without setuptools.
"""

from __future__ import annotations

import hashlib
import sysconfig
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tb_perfcompare"
PYTHON_TAG = "cp310"
LIMITED_API = "0x030A0000"


class Module(NamedTuple):
    """A compiled module and the folder of its sources."""

    name: str
    source: Path

    def files(self) -> list[Path]:
        """Returns the module's C sources and headers, in a fixed order."""
        return sorted(path for path in self.source.iterdir() if path.suffix in (".c", ".h"))

    def source_hash(self) -> str:
        """SHA-256 of the names and contents of the sources, compiled into the module; line ends count as LF."""
        digest = hashlib.sha256()
        for path in self.files():
            digest.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
        return digest.hexdigest()

    def extension_options(self) -> dict[str, Any]:
        """Returns the arguments of setuptools.Extension."""
        files = [path.relative_to(ROOT).as_posix() for path in self.files()]
        return {
            "name": self.name,
            "sources": [file for file in files if file.endswith(".c")],
            "depends": [file for file in files if file.endswith(".h")],
            # an identifier, as quotes around a string could get lost on the compiler's command line
            "define_macros": [
                ("Py_LIMITED_API", LIMITED_API),
                ("TB_PERFCOMPARE_SOURCE_HASH", f"h{self.source_hash()}"),
            ],
            "py_limited_api": True,
            "optional": True,
        }


SCANNER = Module("tb_perfcompare.sources.native._scanner", PACKAGE / "sources" / "native")
PASSES = Module("tb_perfcompare.analysis.native._passes", PACKAGE / "analysis" / "native")
MODULES = (SCANNER, PASSES)


def is_possible() -> bool:
    """Whether this Python supports the limited API; free-threaded builds do not."""
    return not sysconfig.get_config_var("Py_GIL_DISABLED")


def is_built_in(folder: Path) -> bool:
    """Whether a build's output folder contains any of the modules."""
    candidates = (path for module in MODULES for path in folder.glob(f"{module.name.replace('.', '/')}.*"))
    return any(path.suffix in (".so", ".pyd") for path in candidates)
