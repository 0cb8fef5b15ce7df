"""setuptools' build backend, with Node.js as an additional build requirement if the page must be built without one.

pyproject.toml names this module as `build-backend`; every hook not defined here is setuptools' own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

from frontend import node_requirements

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = Mapping[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Returns the build requirements of a wheel, besides setuptools."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *node_requirements()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """Returns the build requirements of an editable installation, besides setuptools."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *node_requirements()]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """Returns the build requirements of a source distribution, which contains the built page, besides setuptools."""
    return [*build_meta.get_requires_for_build_sdist(config_settings), *node_requirements()]
