"""The page's sources: types, unit tests, and what an installation may fetch."""

from __future__ import annotations

import json
import re

from tests.machine.frontend_tools import FRONTEND, run_node


def test_types() -> None:
    done = run_node("node_modules/typescript/bin/tsc", "--noEmit")
    assert done.returncode == 0, done.stdout


def test_units() -> None:
    done = run_node("node_modules/vitest/vitest.mjs", "run", "--no-color")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_an_installation_fetches_only_what_the_build_needs() -> None:
    package = json.loads((FRONTEND / "package.json").read_text(encoding="utf-8"))
    assert set(package["dependencies"]) == {"preact", "vite"}
    assert "scripts" not in package or not {"preinstall", "install", "postinstall", "prepare"} & set(package["scripts"])


def test_lockfile_names_no_registry_and_has_every_platform() -> None:
    locked = json.loads((FRONTEND / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    packages = {name: entry for name, entry in locked.items() if name}
    assert not [name for name, entry in packages.items() if "resolved" in entry]
    assert not [name for name, entry in packages.items() if "integrity" not in entry]
    for platform in ("linux-x64-gnu", "linux-arm64-gnu", "darwin-arm64", "win32-x64-msvc"):
        assert f"node_modules/@rolldown/binding-{platform}" in packages


def test_words_stand_in_one_file() -> None:
    """Text between tags of a component would escape translation; signs and units may stand there."""
    stray = re.compile(r">\s*([A-Za-z][a-z]+(?: [a-z]+)+)\s*<")
    found = {
        f"{path.name}: {match[1]}"
        for path in (FRONTEND / "src").rglob("*.tsx")
        for match in stray.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_only_one_module_touches_the_page_around_us() -> None:
    for path in (FRONTEND / "src").rglob("*.ts*"):
        if path.name != "host.ts":
            assert not re.search(
                r"\bwindow\.parent\b|\bparent\.(location|document|history)", path.read_text(encoding="utf-8")
            ), path
