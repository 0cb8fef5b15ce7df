"""Hides values that look secret in commands and variables, for files that people share."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping

HIDDEN = "***"

_SECRET_NAME = re.compile(r"key|token|secret|passw|pwd|credential|auth|cookie|signature", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"^(?:hf_|gh[pousr]_|github_pat_|glpat-|sk-|xox[abp]-|AKIA|eyJ)[\w.-]{8,}$")
_USER = re.compile(r"(?<=://)[^/@\s]+@")
_QUERY = re.compile(r"(://[^\s?]*\?)\S+")
_RELEVANT = re.compile(
    r"(?:CUDA|NVIDIA|NCCL|CUBLAS|CUDNN|HIP|ROCM|HSA|ROCR|MIOPEN|ASCEND|OMP|MKL|KMP|GOMP|OPENBLAS|TORCH|PYTORCH|TORCHINDUCTOR|"
    r"TRITON|XLA)_\w+|PYTHONHASHSEED|PYTHONOPTIMIZE|LD_PRELOAD|MALLOC_\w+"
)


def shown_command(words: Iterable[str]) -> str:
    """Formats a command on one line, hiding values of options such as --api-key, and users and queries of URLs."""
    shown, hide = [], False
    for word in map(_without_secret_parts, words):
        name, equals, value = word.partition("=")
        if hide:
            hide = False
            if not word.startswith("-"):
                shown.append(HIDDEN)
                continue
        if equals and _SECRET_NAME.search(name):
            shown.append(f"{name}={HIDDEN}")
            continue
        hide = word.startswith("-") and not equals and _SECRET_NAME.search(word) is not None
        shown.append(f"{name}={_shown(value)}" if equals else _shown(word))
    return shlex.join(shown).replace(f"'{HIDDEN}'", HIDDEN)


def relevant_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment variables that affect how fast a program runs, with secrets hidden."""
    return {
        name: _shown(_without_secret_parts(value))
        for name, value in sorted(environment.items())
        if _RELEVANT.fullmatch(name) and not _SECRET_NAME.search(name)
    }


def _shown(text: str) -> str:
    return HIDDEN if _SECRET_VALUE.match(text) else text


def _without_secret_parts(text: str) -> str:
    """Hides users and queries of URLs."""
    return _QUERY.sub(rf"\1{HIDDEN}", _USER.sub(f"{HIDDEN}@", text))
