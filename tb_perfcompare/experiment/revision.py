"""Git: the commit of a directory, and a worktree of another commit."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.sources.saved.manifest import GitState


def git_state(directory: str) -> GitState | None:
    """Returns commit and changes of a directory; None outside a repository, or without git."""
    try:
        commit = _git(directory, "rev-parse", "HEAD")
        changes = _git(directory, "diff", "--no-ext-diff", "HEAD")
        return GitState(commit, not changes, changes and hashlib.sha256(changes.encode()).hexdigest())
    except PerfCompareError:
        return None


@contextmanager
def worktree(directory: str, revision: str) -> Iterator[str]:
    """Checks out the revision and yields the equivalent of `directory` in it; removes it afterwards.

    Raises PerfCompareError.
    """
    top = os.path.realpath(
        _git(directory, "rev-parse", "--show-toplevel", hint="start in the repository, or give --b instead of --b-git")
    )
    try:
        commit = _git(directory, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    except PerfCompareError as error:
        hint = "check the revision; a shallow clone lacks older ones: git fetch --unshallow"
        raise PerfCompareError(f"there is no commit {revision!r} in {top}", hint=hint) from error
    parent = tempfile.mkdtemp(prefix="tb_perfcompare_")
    place = os.path.join(parent, os.path.basename(top))
    try:
        _git(top, "worktree", "add", "--detach", place, commit)
        here = os.path.join(place, os.path.relpath(os.path.realpath(directory), top))
        if not os.path.isdir(here):
            raise PerfCompareError(
                f"{revision} has no directory {os.path.relpath(directory, top)}", hint="start where the commit has one"
            )
        yield os.path.normpath(here)
    finally:
        if os.path.isdir(place):
            _git(top, "worktree", "remove", "--force", place)
        shutil.rmtree(parent, ignore_errors=True)


def _git(directory: str, *words: str, hint: str = "") -> str:
    try:
        done = subprocess.run(
            ["git", "-C", directory, *words], capture_output=True, text=True, errors="replace", check=True
        )
    except FileNotFoundError as error:
        raise PerfCompareError("git was not found", hint="install it, or give --b instead of --b-git") from error
    except subprocess.CalledProcessError as error:
        message = (error.stderr.strip().splitlines() or ["git failed"])[0].removeprefix("fatal: ")
        raise PerfCompareError(f"git {words[0]}: {message}", hint=hint) from error
    return done.stdout.strip()
