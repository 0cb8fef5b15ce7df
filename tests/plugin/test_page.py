"""Static files: the built page, its stand-in, and nothing else of the disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tb_perfcompare.plugin.http import static_assets as page
from tests.plugin.server import PREFIX, Server


@pytest.fixture
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A built page in a folder of its own, with a secret beside it."""
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({
        "src/late.tsx": {"file": "late-Zz345678.js"}, "src/main.tsx": {"file": "index-Ab12_-cd.js", "isEntry": True},
    }))  # fmt: skip
    (folder / "index-Ab12_-cd.js").write_text("export function render() {}")
    (folder / "plain.css").write_text("p {}")
    (folder / "notes.txt").write_text("no type for this")
    (folder / ".hidden.js").write_text("secret")
    (tmp_path / "secret.js").write_text("secret")
    (folder / "link.js").symlink_to(tmp_path / "secret.js")
    monkeypatch.setattr(page, "STATIC_DIR", str(folder))
    return folder


def test_the_entry_comes_from_the_manifest_and_follows_an_upgrade(
    static: Path, tmp_path: Path, serve: Callable[..., Server]
) -> None:
    plugin = serve(tmp_path).plugin
    assert plugin.frontend_metadata().es_module_path == "/static/index-Ab12_-cd.js"
    (static / "manifest.json").write_text(json.dumps({"m": {"file": "index-New45678.js", "isEntry": True}}))
    assert plugin.frontend_metadata().es_module_path == "/static/index-New45678.js"


def test_hashed_names_are_kept_for_a_year_and_others_not(
    static: Path, tmp_path: Path, serve: Callable[..., Server]
) -> None:
    server = serve(tmp_path)
    hashed = server.get("static/index-Ab12_-cd.js")
    assert (hashed.status_code, hashed.mimetype) == (200, "text/javascript")
    assert "max-age=31536000" in hashed.headers["Cache-Control"]
    plain = server.get("static/plain.css")
    assert (plain.status_code, plain.mimetype) == (200, "text/css")
    assert "no-cache" in plain.headers["Cache-Control"]


@pytest.mark.parametrize(
    "name",
    [
        "../secret.js", "..%2fsecret.js", "%2e%2e/secret.js", "a/../../secret.js", "..\\secret.js", "/etc/passwd.js",
        "link.js", ".hidden.js", "notes.txt", "nothing.js", "", "index-Ab12_-cd.js%00.js", "index-Ab12_-cd.js/",
    ],
)  # fmt: skip
def test_nothing_else_is_served(static: Path, tmp_path: Path, serve: Callable[..., Server], name: str) -> None:
    answer = serve(tmp_path).ask("GET", f"{PREFIX}/static/{name}")
    assert answer.status_code == 404
    assert "secret" not in answer.text


@pytest.mark.parametrize("manifest", [None, "{not json", "[]", "{}", '{"a": {"file": "x.js"}}'])
def test_a_page_that_was_not_built_says_how_to_build_it(
    static: Path, tmp_path: Path, serve: Callable[..., Server], manifest: str | None
) -> None:
    (static / "manifest.json").unlink()
    if manifest is not None:
        (static / "manifest.json").write_text(manifest)
    server = serve(tmp_path)
    assert server.plugin.frontend_metadata().es_module_path == "/static/not-built.js"
    stand_in = server.get("static/not-built.js")
    assert "export function render()" in stand_in.text
    assert "build_frontend" in stand_in.text
    missing = server.get("static/index-old45678.js")
    assert missing.status_code == 503
    assert json.loads(missing.data)["error"]["code"] == "page_not_built"
