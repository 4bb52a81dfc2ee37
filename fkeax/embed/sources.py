"""What is to be embedded: a folder of files, a file of texts, an array of images; as items that are read one by one."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fkeax.embed import images, sounds, texts
from fkeax.embed.encoder import DEFAULT_WINDOWS, Windows
from fkeax.io import sha256_of_array, sha256_of_file
from fkeax.io.shards import natural_order

TEXT_SUFFIX = ".txt"


@dataclass(frozen=True)
class Item:
    """One thing to embed, not read yet.

    Attributes:
        id: Its name.
        read: Returns it: an image, a text, or a window of a sound.
        checksum: Returns a checksum of its content, whatever its name.
        label: Its class, if it has one.
        group: The number of the file it comes from.
    """

    id: str
    read: Callable[[], Any]
    checksum: Callable[[], str]
    label: str | None = None
    group: int = 0


@dataclass(frozen=True)
class Source:
    """Items of one kind.

    Attributes:
        modality: "images", "texts" or "sounds".
        items: In natural order of their names, or in the order of the file.
        files: The file, where it is one.
    """

    modality: str
    items: tuple[Item, ...]
    files: tuple[Path, ...] = ()

    @property
    def ids(self) -> np.ndarray:
        """The names of the items."""
        return np.array([item.id for item in self.items])

    @property
    def labels(self) -> np.ndarray | None:
        """The classes of the items; None where one has none."""
        found = [item.label for item in self.items]
        return None if any(label is None for label in found) else np.array(found)

    @property
    def groups(self) -> np.ndarray | None:
        """The number of the file of each item; None where no file gave two."""
        found = np.array([item.group for item in self.items])
        return None if len(np.unique(found)) == len(found) else found


def open_source(
    path: str | Path,
    modality: str = "any",
    *,
    windows: Windows = DEFAULT_WINDOWS,
    field: str = "text",
    image_shape: tuple[int, ...] | None = None,
) -> Source:
    r"""Find the items of a folder or a file, without reading images or sounds.

    Args:
        path: A folder of image, sound or text files, in folders of their own for each class or not; a .txt file of one
            text a line; a .jsonl file of one object a line; a .npy file of images (n, height, width) or
            (n, height, width, 3); or one image or sound.
        modality: Which kind is wanted; "any" takes the only one there is.
        windows: How sounds are cut.
        field: The name of the text within a JSON object.
        image_shape: Height, width and channels of the images in a .npy file of one row an image.

    Raises:
        OSError: It does not exist or cannot be read.
        ValueError: It holds nothing of that kind.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "texts.txt")
        ...     _ = path.write_text("a cat\na dog\n")
        ...     source = open_source(path)
        >>> source.modality, source.ids.tolist(), source.items[1].read()
        ('texts', ['1', '2'], 'a dog')
    """
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"{str(place)!r} does not exist; expected a folder, or a .txt, .jsonl or .npy file.")
    if place.is_dir():
        return _of_folder(place, modality, windows)
    readers: dict[str, Callable[[], Source]] = {
        ".txt": lambda: _of_texts(texts.read_lines(place), place),
        ".jsonl": lambda: _of_texts(texts.read_json_lines(place, field), place),
        ".npy": lambda: _of_array(place, image_shape),
    }
    suffix = place.suffix.lower()
    if suffix in readers:
        source = readers[suffix]()
    elif suffix in (*images.SUFFIXES, *sounds.SUFFIXES):
        source = _of_files(_kind(place), [place], place.parent, windows)
    else:
        raise ValueError(
            f"{str(place)!r} is no folder, text (.txt, .jsonl), array of images (.npy), image or sound that is known."
        )
    if modality not in ("any", source.modality):
        raise ValueError(f"{str(place)!r} holds {source.modality}; the model takes {modality}.")
    return source


def _kind(path: Path) -> str | None:
    suffix = path.suffix.lower()
    kinds = {"images": images.SUFFIXES, "sounds": sounds.SUFFIXES, "texts": (TEXT_SUFFIX,)}
    return next((kind for kind, suffixes in kinds.items() if suffix in suffixes), None)


def _of_folder(folder: Path, modality: str, windows: Windows) -> Source:
    found: dict[str, list[Path]] = {}
    for path in folder.rglob("*"):
        kind = _kind(path)
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if kind is not None and not hidden and path.is_file():
            found.setdefault(kind, []).append(path)
    label = repr(str(folder))
    if modality == "any" and len(found) > 1:
        counts = " and ".join(f"{len(paths)} {kind}" for kind, paths in sorted(found.items()))
        raise ValueError(f"{label} holds {counts}; expected files of one kind.")
    wanted = next(iter(found), None) if modality == "any" else modality
    if wanted is None or wanted not in found:
        others = ", ".join(f"{len(paths)} {kind}" for kind, paths in sorted(found.items())) or "none of any known kind"
        raise ValueError(f"{label} holds no {'files of a known kind' if wanted is None else wanted} ({others}).")
    return _of_files(wanted, sorted(found[wanted], key=natural_order), folder, windows)


def _of_files(modality: str | None, paths: list[Path], folder: Path, windows: Windows) -> Source:
    items: list[Item] = []
    for number, path in enumerate(paths):
        relative = path.relative_to(folder)
        label = relative.parts[0] if len(relative.parts) > 1 else None
        name = relative.as_posix()
        if modality == "sounds":
            content = functools.cache(functools.partial(sha256_of_file, path))  # once for all windows
            count = sounds.num_windows(path, windows)
            items += [
                Item(
                    f"{name}#{window}" if count > 1 else name,
                    functools.partial(sounds.read_window, path, windows, window),
                    functools.partial(_window_checksum, content, window),
                    label,
                    number,
                )
                for window in range(count)
            ]
        else:
            read = images.read_image if modality == "images" else texts.read_whole
            items.append(
                Item(name, functools.partial(read, path), functools.partial(sha256_of_file, path), label, number)
            )
    return Source(str(modality), tuple(items), tuple(paths) if len(paths) == 1 else ())


def _window_checksum(content: Callable[[], str], window: int) -> str:
    return f"{content()}#{window}"


def _of_texts(found: list[texts.Text], path: Path) -> Source:
    if not found:
        raise ValueError(f"{str(path)!r} holds no text.")
    items = [
        Item(
            entry.id,
            functools.partial(str, entry.text),
            functools.partial(_text_checksum, entry.text),
            entry.label,
            number,
        )
        for number, entry in enumerate(found)
    ]
    return Source("texts", tuple(items), (path,))


def _text_checksum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _of_array(path: Path, image_shape: tuple[int, ...] | None) -> Source:
    label = repr(str(path))
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{label} is no .npy file of numbers: {error}.") from None
    if image_shape is not None:
        if array.ndim != 2 or array.shape[1] != int(np.prod(image_shape)):
            shape = ",".join(map(str, image_shape))
            raise ValueError(f"{label} has shape {array.shape}; images of {shape} have rows of that many numbers.")
        array = array.reshape(len(array), *image_shape)
    if array.ndim == 3:
        array = array[..., None]
    if array.ndim != 4 or array.shape[-1] not in (1, 3) or 0 in array.shape:
        raise ValueError(
            f"{label} has shape {array.shape}; expected images, (n, height, width) or (n, height, width, 3); rows of "
            "pixels need --image-shape."
        )
    if array.dtype.kind not in "fu" or (array.dtype.kind == "u" and array.dtype.itemsize != 1):
        raise ValueError(f"{label} has dtype {array.dtype}; expected bytes, or floats from 0 to 1.")
    items = [
        Item(
            str(row),
            functools.partial(_image_of, array, row, label),
            functools.partial(_row_checksum, array, row),
            None,
            row,
        )
        for row in range(len(array))
    ]
    return Source("images", tuple(items), (path,))


def _image_of(array: np.ndarray, row: int, label: str) -> np.ndarray:
    image = np.asarray(array[row])
    if image.dtype.kind == "f":
        if not (image.min() >= 0 and image.max() <= 1):  # NaN is in neither
            raise ValueError(
                f"{label}, image {row}: values from {image.min():g} to {image.max():g}; floats must lie in [0, 1]."
            )
        image = np.rint(image * 255).astype(np.uint8)
    return np.broadcast_to(image, (*image.shape[:2], 3))


def _row_checksum(array: np.ndarray, row: int) -> str:
    return sha256_of_array(array[row])
