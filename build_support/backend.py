"""setuptools' build backend, plus node as a build requirement when the page must be built and no node is at hand.

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
    """What a wheel needs besides setuptools."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *node_requirements()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """What an editable installation needs besides setuptools."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *node_requirements()]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """What a source distribution needs besides setuptools: it carries the built page."""
    return [*build_meta.get_requires_for_build_sdist(config_settings), *node_requirements()]
