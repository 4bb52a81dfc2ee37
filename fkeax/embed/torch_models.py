"""Networks whose features papers quote, run by the user's own torch with the user's own weights: `torch:NAME`.

fkeax ships no weights of DINOv2, CLIP or FID's Inception, and fetches none: each name says what to install and what to
run once. The networks are those of their authors' packages; what is here is the preprocessing and the call. They run on
CUDA where torch has it, at the precision that torch is set to. CLIP's preprocessing equals that of transformers' own
processor to the last bit (tried once, with 5.24); the tests use stand-ins for the packages, and the real weights were
not run.

Images become red, green and blue in [0, 1], then:

* `torch:dinov2-vits14`, `-vitb14`, `-vitl14` (Oquab et al. 2023; FD-DINOv2 of Stein et al. 2023 takes vitl14): shorter
  side to 224 (bicubic, antialiased), centre 224 x 224, ImageNet's means and deviations; the normalised class token. On
  square images this is the preprocessing of Stein et al.; they stretch others, and the centre is cut out here.
* `torch:clip-vitb32`, `torch:clip-vitl14` at 224, `torch:clip-vitl14-336` at 336 (Radford et al. 2021; CMMD of
  Jayasumana et al. 2024 takes the last): shorter side and centre alike, CLIP's means and deviations; projected
  features, not brought to length 1, which `cmmd` does itself.
* `torch:inception-fid` (Heusel et al. 2017, as pytorch-fid has it): the whole image to 299 x 299 (bilinear, without
  antialiasing), values in [-1, 1], both by pytorch-fid itself; 2048 features of the last pooling.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fkeax.embed.encoder import EncodeBatch, Encoder
from fkeax.embed.images import resize_and_crop

IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
CLIP = ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))
INCEPTION_FILE = "pt_inception-2015-12-05-6726825d.pth"

Colours = tuple[tuple[float, float, float], tuple[float, float, float]]  # means and deviations


@dataclass(frozen=True)
class _Recipe:
    """How a network is had.

    Attributes:
        packages: What is imported, by name; torch first.
        install: What pip is asked for.
        once: A line of Python that fetches the weights where there is a network.
        build: From the packages to a torch module and its call; `FileNotFoundError` where the weights are not there.
        prepare: From images of bytes to float32 arrays (b, 3, height, width), images of one size together.
    """

    packages: tuple[str, ...]
    install: str
    once: str
    build: Callable[..., tuple[Any, Callable[[Any, Any], Any]]]
    prepare: Callable[[Sequence[np.ndarray]], list[np.ndarray]]


def _cropped(batch: Sequence[np.ndarray], *, size: int, colours: Colours) -> list[np.ndarray]:
    mean, deviation = (np.array(values, np.float32) for values in colours)
    images = np.stack([resize_and_crop(image, resize=size, size=size, rounding=int) for image in batch])
    scaled = (images.astype(np.float32) / np.float32(255) - mean[None, None, None]) / deviation[None, None, None]
    return [np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))]


def _whole(batch: Sequence[np.ndarray]) -> list[np.ndarray]:
    images = [np.ascontiguousarray(image.transpose(2, 0, 1)[None], np.float32) / np.float32(255) for image in batch]
    alike = len({image.shape for image in images}) == 1
    return [np.concatenate(images)] if alike else images


def _dinov2(torch: Any, *, model: str) -> tuple[Any, Callable[[Any, Any], Any]]:
    folder = Path(torch.hub.get_dir())
    code = folder / "facebookresearch_dinov2_main"
    _expect(code / "hubconf.py", folder / "checkpoints" / f"{model}_pretrain.pth")
    return torch.hub.load(str(code), model, source="local"), lambda network, images: network(images)


def _clip(torch: Any, transformers: Any, *, model: str) -> tuple[Any, Callable[[Any, Any], Any]]:
    try:
        network = transformers.CLIPVisionModelWithProjection.from_pretrained(model, local_files_only=True)
    except OSError:
        raise FileNotFoundError(f"{model} is not in the cache of transformers") from None
    return network, lambda network, images: network(pixel_values=images).image_embeds


def _inception(torch: Any, torchvision: Any, pytorch_fid: Any) -> tuple[Any, Callable[[Any, Any], Any]]:
    _expect(Path(torch.hub.get_dir()) / "checkpoints" / INCEPTION_FILE)
    return pytorch_fid.InceptionV3(), lambda network, images: network(images)[0][:, :, 0, 0]


def _expect(*paths: Path) -> None:
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        raise FileNotFoundError(f"{' and '.join(map(repr, missing))} {'is' if len(missing) == 1 else 'are'} not there")


def _load(name: str, recipe: _Recipe) -> EncodeBatch:
    advice = f"fkeax ships no such weights: `pip install {recipe.install}`, then run once `{recipe.once}`."
    try:
        torch, *others = (importlib.import_module(package) for package in recipe.packages)
    except ModuleNotFoundError as error:
        raise ImportError(f"{name} needs {error.name}, which is not installed; {advice}") from None
    try:
        network, call = recipe.build(torch, *others)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{name}: {error}; {advice}") from None
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = network.eval().to(device)

    def encode(batch: Sequence[np.ndarray]) -> np.ndarray:
        with torch.inference_mode():
            parts = [call(network, torch.from_numpy(images).to(device)) for images in recipe.prepare(batch)]
        return np.concatenate([part.float().cpu().numpy() for part in parts])

    return encode


def _encoder(name: str, dimension: int, preprocessing: str, licence: str, recipe: _Recipe) -> Encoder:
    return Encoder(
        name=name,
        modality="images",
        dimension=dimension,
        preprocessing=preprocessing,
        licence=f"The user's own weights; their makers: {licence}.",
        load=partial(_load, name, recipe),
        fingerprint=None,  # nothing says when the user's files change
    )


def _dinov2_encoder(size: str, dimension: int) -> Encoder:
    model = f"dinov2_{size}"
    recipe = _Recipe(
        ("torch",),
        "torch",
        f"import torch; torch.hub.load('facebookresearch/dinov2', '{model}')",
        partial(_dinov2, model=model),
        partial(_cropped, size=224, colours=IMAGENET),
    )
    preprocessing = "Shorter side to 224 (bicubic), centre, ImageNet's means and deviations; class token."
    return _encoder(f"torch:dinov2-{size}", dimension, preprocessing, "Apache License 2.0", recipe)


def _clip_encoder(short: str, model: str, dimension: int, size: int) -> Encoder:
    recipe = _Recipe(
        ("torch", "transformers"),
        "torch transformers",
        f"from transformers import CLIPVisionModelWithProjection as V; V.from_pretrained('{model}')",
        partial(_clip, model=model),
        partial(_cropped, size=size, colours=CLIP),
    )
    preprocessing = f"Shorter side to {size} (bicubic), centre, CLIP's means and deviations; projected features."
    return _encoder(f"torch:clip-{short}", dimension, preprocessing, "MIT License", recipe)


_INCEPTION = _Recipe(
    ("torch", "torchvision", "pytorch_fid.inception"),
    "torch torchvision pytorch-fid",
    "from pytorch_fid.inception import InceptionV3; InceptionV3()",
    _inception,
    _whole,
)

_LISTED = (
    _dinov2_encoder("vits14", 384),
    _dinov2_encoder("vitb14", 768),
    _dinov2_encoder("vitl14", 1024),
    _clip_encoder("vitb32", "openai/clip-vit-base-patch32", 512, 224),
    _clip_encoder("vitl14", "openai/clip-vit-large-patch14", 768, 224),
    _clip_encoder("vitl14-336", "openai/clip-vit-large-patch14-336", 768, 336),
    _encoder(
        "torch:inception-fid",
        2048,
        "The whole image to 299 x 299 (bilinear, no antialiasing), [-1, 1], by pytorch-fid; last pooling.",
        "Apache License 2.0",
        _INCEPTION,
    ),
)

TORCH_ENCODERS = {encoder.name: encoder for encoder in _LISTED}
