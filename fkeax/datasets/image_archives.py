"""Pictures of one size in an archive or folder with a folder for each class, such as CIFAR-10 as JPEG files."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from jaxtyping import Int64, UInt8

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".ppm")
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".zip")
SOURCE = "The user's own pictures."
LICENCE = "That of the user's own files."


@dataclass(frozen=True)
class LabelledPictures:
    """Colour pictures with labels.

    Attributes:
        pictures: One picture per sample, bytes.
        labels: The class of each sample.
        label_names: Name of each class: the folder of its pictures.
        names: The path of each picture inside the archive or folder.
        source: Where the data come from.
        licence: Under which licence they may be used.
    """

    pictures: UInt8[np.ndarray, "n height width 3"]
    labels: Int64[np.ndarray, " n"]
    label_names: tuple[str, ...]
    names: tuple[str, ...]
    source: str
    licence: str


def load_image_archive(path: str | os.PathLike[str]) -> LabelledPictures:
    """Load all pictures of an archive or folder into memory; the folder that holds a picture is its class.

    Args:
        path: A .tar, .tar.gz, .tgz or .zip file, or a folder. Nothing is unpacked on the disk.

    Returns:
        The pictures in the order of their paths. CIFAR-10 as JPEG files is (50000, 32, 32, 3) in 12 s.

    Raises:
        FileNotFoundError: There is no such file or folder.
        ValueError: It is no such archive, holds no pictures, or pictures of several sizes, or a damaged one.
    """
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"{str(place)!r} does not exist; expected a folder or archive of pictures.")
    pixels = ((name, _pixels(name, content, place)) for name, content in _files(place))
    found = sorted(pixels, key=lambda entry: entry[0])
    if not found:
        raise ValueError(f"{str(place)!r} holds no pictures ({', '.join(SUFFIXES)}).")
    names, pictures = zip(*found, strict=True)
    sizes = {picture.shape[:2] for picture in pictures}
    if len(sizes) > 1:
        first, second = sorted(sizes)[:2]
        raise ValueError(f"{str(place)!r} holds pictures of several sizes, such as {first} and {second}; expected one.")
    folders = [PurePosixPath(name).parent.name for name in names]
    label_names = tuple(sorted(set(folders)))
    numbers = {name: number for number, name in enumerate(label_names)}
    return LabelledPictures(
        pictures=np.stack(pictures),
        labels=np.array([numbers[folder] for folder in folders], dtype=np.int64),
        label_names=label_names,
        names=names,
        source=SOURCE,
        licence=LICENCE,
    )


def _files(place: Path) -> Iterator[tuple[str, bytes]]:
    if place.is_dir():
        for file in place.rglob("*"):
            if _is_picture(file.name) and file.is_file():
                yield file.relative_to(place).as_posix(), file.read_bytes()
    elif place.name.lower().endswith(".zip"):
        try:
            with zipfile.ZipFile(place) as archive:
                for name in filter(_is_picture, archive.namelist()):
                    yield name, archive.read(name)
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, OSError, EOFError) as error:
            raise ValueError(f"{str(place)!r} is a damaged archive, or one that needs a password: {error}.") from None
    elif place.name.lower().endswith(ARCHIVES):
        try:
            with tarfile.open(place) as archive:
                for member in archive:
                    if member.isfile() and _is_picture(member.name):  # links are not followed
                        stream = archive.extractfile(member)
                        if stream is not None:
                            yield member.name, stream.read()
        except (tarfile.TarError, EOFError, zlib.error, OSError, MemoryError) as error:
            raise ValueError(f"{str(place)!r} is a damaged archive: {error}.") from None
    else:
        raise ValueError(f"{str(place)!r} is no folder, nor an archive ({', '.join(ARCHIVES)}).")


def _is_picture(name: str) -> bool:
    last = PurePosixPath(name).name
    return last.lower().endswith(SUFFIXES) and not last.startswith(".")


def _pixels(name: str, content: bytes, place: Path) -> np.ndarray:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content)) as picture:
            return np.array(picture.convert("RGB"))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"{name!r} in {str(place)!r} cannot be read as an image: {error}.") from None
