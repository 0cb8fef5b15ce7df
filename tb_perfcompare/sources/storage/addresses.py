"""Addresses of remote files, such as `s3://bucket/run`: which can be opened, and how they are displayed."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

from tb_perfcompare.errors import InputError
from tb_perfcompare.lazy_regex import regex

STORES = {
    "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "hdfs": "pyarrow", "http": "aiohttp",
    "https": "aiohttp", "memory": "",
}  # fmt: skip
"""Scheme of an address -> package that fsspec needs for it. Other schemes are rejected."""

_ADDRESS = regex(r"([A-Za-z][A-Za-z0-9+.-]*)://", re.ASCII)
WEB = ("http", "https")


def scheme_of(path: str) -> str:
    """Scheme of an address, "" for a local path. Raises InputError for an unsupported scheme."""
    matched = _ADDRESS.match(path)
    if matched is None:
        return ""
    scheme = matched[1].lower()
    if scheme not in STORES or "::" in path:
        hint = f"it must begin with one of {', '.join(STORES)}"
        raise InputError(without_secrets(path), "is not an address this tool can open", hint=hint)
    return scheme


def is_address(path: str) -> bool:
    """Whether the text has the form of an address, supported or not."""
    return _ADDRESS.match(path) is not None


def without_secrets(path: str) -> str:
    """For display: the address without user, password and query string. Local paths are unchanged."""
    if _ADDRESS.match(path) is None:
        return path
    parts = urlsplit(path)
    if parts.scheme.lower() not in WEB:
        return path
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", parts.fragment))
