"""Adapters for networks of torch, with stand-ins that keep what they were given: preprocessing, calls, and absence."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fkeax.embed import ENCODERS, TORCH_ENCODERS, find_encoder
from fkeax.embed.torch_models import INCEPTION_FILE

CLIP_NAMES = ("torch:clip-vitb32", "torch:clip-vitl14", "torch:clip-vitl14-336")


class Tensor:
    """As much of a tensor as the adapters touch."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def to(self, device: str) -> Tensor:
        assert device == "cpu"
        return self

    def float(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> np.ndarray:
        return self.array

    def __getitem__(self, places: Any) -> Tensor:
        return Tensor(self.array[places])


class Network:
    """Keeps its inputs, and returns the means of the channels for features."""

    def __init__(self) -> None:
        self.seen: list[np.ndarray] = []
        self.evaluated = False

    def eval(self) -> Network:
        self.evaluated = True
        return self

    def to(self, device: str) -> Network:
        return self

    def _means(self, images: Tensor) -> np.ndarray:
        assert self.evaluated
        self.seen.append(images.array)
        return images.array.mean((2, 3))


class Plain(Network):
    def __call__(self, images: Tensor) -> Tensor:
        return Tensor(self._means(images))


class Clip(Network):
    def __call__(self, *, pixel_values: Tensor) -> SimpleNamespace:
        return SimpleNamespace(image_embeds=Tensor(self._means(pixel_values)))


class Inception(Network):
    def __call__(self, images: Tensor) -> list[Tensor]:
        return [Tensor(self._means(images)[:, :, None, None])]


@pytest.fixture
def torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module: Any = ModuleType("torch")
    module.loaded = []

    def load(code: str, model: str, *, source: str) -> Plain:
        assert (Path(code).name, source) == ("facebookresearch_dinov2_main", "local")  # "github" would fetch
        module.loaded.append(Plain())
        return module.loaded[-1]

    module.hub = SimpleNamespace(get_dir=lambda: str(tmp_path), load=load)
    module.cuda = SimpleNamespace(is_available=lambda: False)
    module.inference_mode = contextlib.nullcontext
    module.from_numpy = Tensor
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def put(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")


def plain(colour: Sequence[int], height: int, width: int) -> np.ndarray:
    return np.broadcast_to(np.array(colour, np.uint8), (height, width, 3)).copy()


def test_dinov2(torch: Any, tmp_path: Path) -> None:
    put(tmp_path / "facebookresearch_dinov2_main/hubconf.py", tmp_path / "checkpoints/dinov2_vits14_pretrain.pth")
    striped = plain((0, 128, 255), 40, 100)
    striped[:, :20] = 255  # beyond the centre, which is 40 wide, and beyond the reach of the interpolation
    striped[:, 80:] = 255
    rows = find_encoder("torch:dinov2-vits14").load()([striped, plain((255, 255, 255), 300, 224)])
    (seen,) = torch.loaded[0].seen
    assert (seen.shape, seen.dtype) == ((2, 3, 224, 224), np.float32)
    dark = [(0 - 0.485) / 0.229, (128 / 255 - 0.456) / 0.224, (1 - 0.406) / 0.225]
    light = [(1 - 0.485) / 0.229, (1 - 0.456) / 0.224, (1 - 0.406) / 0.225]
    np.testing.assert_allclose(rows, [dark, light], rtol=1e-5)  # means of 50,176 equal float32 numbers
    assert rows.dtype == np.float32


@pytest.mark.parametrize(("name", "size"), list(zip(CLIP_NAMES, (224, 224, 336), strict=True)))
def test_clip(torch: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str, size: int) -> None:
    network, asked = Clip(), []

    def from_pretrained(model: str, *, local_files_only: bool) -> Clip:
        asked.append((model, local_files_only))
        return network

    module: Any = ModuleType("transformers")
    module.CLIPVisionModelWithProjection = SimpleNamespace(from_pretrained=from_pretrained)
    monkeypatch.setitem(sys.modules, "transformers", module)
    rows = find_encoder(name).load()([plain((0, 128, 255), 50, 60)])
    assert network.seen[0].shape == (1, 3, size, size)
    mean, deviation = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
    expected = (np.array([0, 128 / 255, 1]) - mean) / deviation
    np.testing.assert_allclose(rows, expected[None], rtol=1e-5)
    assert asked[0][0].startswith("openai/clip-vit-")
    assert asked[0][1]  # nothing is fetched


def test_inception(torch: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = Inception()
    module: Any = ModuleType("pytorch_fid.inception")
    module.InceptionV3 = lambda: network  # its defaults are those of FID
    monkeypatch.setitem(sys.modules, "torchvision", ModuleType("torchvision"))
    monkeypatch.setitem(sys.modules, "pytorch_fid", ModuleType("pytorch_fid"))
    monkeypatch.setitem(sys.modules, "pytorch_fid.inception", module)
    put(tmp_path / "checkpoints" / INCEPTION_FILE)
    encode = find_encoder("torch:inception-fid").load()
    colours = [(0, 128, 255), (255, 0, 0)]
    rows = encode([plain(colours[0], 8, 6), plain(colours[1], 5, 9)])  # of two sizes: the network resizes, not fkeax
    assert [seen.shape for seen in network.seen] == [(1, 3, 8, 6), (1, 3, 5, 9)]
    np.testing.assert_allclose(rows, np.array(colours) / 255, rtol=1e-6)
    encode([plain(colours[0], 8, 6)] * 2)
    assert network.seen[2].shape == (2, 3, 8, 6)


@pytest.mark.parametrize("name", TORCH_ENCODERS)
def test_absence_is_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        ImportError, match=r"needs torch, which is not .*fkeax ships no such weights: `pip install torch"
    ):
        TORCH_ENCODERS[name].load()


def test_missing_weights(torch: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"dinov2_vitl14_pretrain.pth' are not there; fkeax ships .*run once"):
        find_encoder("torch:dinov2-vitl14").load()

    def from_pretrained(model: str, **_: bool) -> None:
        raise OSError("a paragraph about the network")

    module: Any = ModuleType("transformers")
    module.CLIPVisionModelWithProjection = SimpleNamespace(from_pretrained=from_pretrained)
    monkeypatch.setitem(sys.modules, "transformers", module)
    with pytest.raises(FileNotFoundError, match=r"openai/clip-vit-base-patch32 is not in the cache of transformers; "):
        find_encoder("torch:clip-vitb32").load()


def test_names() -> None:
    assert not set(TORCH_ENCODERS) & set(ENCODERS)
    with pytest.raises(ValueError, match="did you mean 'torch:dinov2-vits14'"):
        find_encoder("torch:dinov2-vits")
