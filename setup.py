"""Builds the tab's page before the package's files are collected, and the compiled modules where there is a compiler.

Everything else stands in pyproject.toml.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools import Command, Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist
from setuptools.errors import ExecError

sys.path.insert(0, str(Path(__file__).resolve().parent / "build_support"))

import native

import frontend

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # older than what pyproject.toml asks for, but able to build the page in place
    bdist_wheel = None


class BuildFrontend(Command):
    """Puts the built page into tb_perfcompare/static/."""

    description = "build the page of the Perf Compare tab (frontend/ -> tb_perfcompare/static/)"
    user_options: list[tuple[str, str, str]] = []  # noqa: RUF012
    editable_mode = False
    build_lib: str | None = None

    def initialize_options(self) -> None:
        self.build_lib = None

    def finalize_options(self) -> None:
        self.set_undefined_options("build_py", ("build_lib", "build_lib"))

    def run(self) -> None:
        if self.build_lib is not None:
            # build/lib outlives a build: a page of an older hash must not travel in this wheel too
            shutil.rmtree(Path(self.build_lib) / "tb_perfcompare" / "static", ignore_errors=True)
        if frontend.skipped():
            print(f"[page] not built: {frontend.SKIP_VARIABLE} is set")
            return
        try:
            frontend.build_page()
        except frontend.FrontendError as error:
            raise ExecError(str(error)) from error

    def get_outputs(self) -> list[str]:
        return []

    def get_output_mapping(self) -> dict[str, str]:
        return {}

    def get_source_files(self) -> list[str]:
        return [p.relative_to(frontend.ROOT).as_posix() for p in frontend.source_files()]


class Build(build):
    """`build` with the page first, so that build_py finds it."""

    sub_commands = [("build_frontend", None), *build.sub_commands]  # noqa: RUF012


class Sdist(sdist):
    """A source archive carries the built page, so that installing it needs no node."""

    def run(self) -> None:
        self.run_command("build_frontend")
        super().run()


class BuildNative(build_ext):
    """build_ext that leaves nothing of an older build behind where it fails, which is allowed to happen."""

    def build_extension(self, ext: Extension) -> None:
        try:
            super().build_extension(ext)
        except Exception:
            Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)
            print(f"[native] {ext.name} could not be built; what it does will be done in Python, with the same results")
            raise


commands = {"build": Build, "build_ext": BuildNative, "build_frontend": BuildFrontend, "sdist": Sdist}

if bdist_wheel is not None:

    class BdistWheel(bdist_wheel):
        """A wheel for all Pythons of the platform, or for all platforms if the compiled reader could not be built."""

        def run(self) -> None:
            if not self.skip_build:
                self.run_command("build")
            if native.is_built_in(Path(self.get_finalized_command("build").build_lib)):
                self.py_limited_api = native.PYTHON_TAG
            else:
                self.root_is_pure = True
                self.distribution.ext_modules = []  # nothing to put beside the pure modules, nor to try again
            super().run()

    commands["bdist_wheel"] = BdistWheel

extensions = [Extension(**module.extension_options()) for module in native.MODULES] if native.is_possible() else []
setup(cmdclass=commands, ext_modules=extensions)
