"""Pictures from archives and folders, a class a folder."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from fkeax.datasets import load_image_archive

COLOURS = {"set/cat/1.png": (255, 0, 0), "set/cat/0.png": (0, 255, 0), "set/ant/0.png": (0, 0, 255)}


def png(colour: tuple[int, int, int], side: int = 4) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(stream, "PNG")
    return stream.getvalue()


def written(folder: Path, kind: str) -> Path:
    path = folder / f"pictures{kind}"
    files = {name: png(colour) for name, colour in COLOURS.items()} | {"set/readme.txt": b"no picture"}
    if kind == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
    elif kind:
        with tarfile.open(path, "w:gz") as archive:
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    else:
        for name, content in files.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(content)
    return path


@pytest.mark.parametrize("kind", ["", ".zip", ".tar.gz"])
def test_folders_are_classes(tmp_path: Path, kind: str) -> None:
    found = load_image_archive(written(tmp_path, kind))
    assert found.names == ("set/ant/0.png", "set/cat/0.png", "set/cat/1.png")
    assert found.label_names == ("ant", "cat")
    assert found.labels.tolist() == [0, 1, 1]
    assert found.pictures.shape == (3, 4, 4, 3)
    assert found.pictures[:, 0, 0].tolist() == [[0, 0, 255], [0, 255, 0], [255, 0, 0]]


def test_what_is_no_archive_of_pictures(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="expected a folder or archive of pictures"):
        load_image_archive(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="holds no pictures"):
        load_image_archive(tmp_path / "empty")
    for name in ("a.tar.gz", "a.zip"):
        (tmp_path / name).write_bytes(b"nothing")
        with pytest.raises(ValueError, match="is a damaged archive"):
            load_image_archive(tmp_path / name)
    (tmp_path / "a.rar").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="is no folder, nor an archive"):
        load_image_archive(tmp_path / "a.rar")


def test_pictures_that_do_not_fit(tmp_path: Path) -> None:
    folder = written(tmp_path, "")
    (folder / "set/cat/2.png").write_bytes(png((0, 0, 0), side=5))
    with pytest.raises(ValueError, match=r"pictures of several sizes, such as \(4, 4\) and \(5, 5\)"):
        load_image_archive(folder)
    (folder / "set/cat/2.png").write_bytes(b"damaged")
    with pytest.raises(ValueError, match=r"'set/cat/2.png' in .* cannot be read as an image"):
        load_image_archive(folder)
