"""`fkeax embed`: features of images, texts or sounds, by an encoder, in a file that every other command reads."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import options, parameters, running

if TYPE_CHECKING:
    from fkeax.embed import Embedded, Encoder, Source

SUFFIX = ".npz"


def embed(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER|FILE",
            help="A folder of images, sounds or .txt files (folders in it are labels); a .txt file of one text a line; "
            "a .jsonl file; a .npy file of images.",
        ),
    ],
    model: Annotated[
        str,
        typer.Option(
            "--model", metavar="NAME", help="An encoder of 'fkeax models list', FILE.onnx, or module:function."
        ),
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="FEATS.npz", help="The file of features to write.")],
    field: Annotated[str, typer.Option(metavar="NAME", help="The text within the objects of a .jsonl file.")] = "text",
    image_shape: Annotated[
        str | None,
        typer.Option(metavar="H,W[,C]", help="Shape of the images in a .npy file of one row an image."),
    ] = None,
    batch_size: parameters.BatchOption = 32,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Compute all, and keep nothing for the next time.")
    ] = False,
) -> None:
    """Turn images, texts or sounds into features: one row for each image, text or window of a sound.

    Batches are kept by content: after an interruption, or when files are added, only the rest is computed.

    Example: fkeax embed photos --model pixels -o feats.npz

    Example: fkeax embed images.npy --image-shape 28,28 --model pixels -o feats.npz
    """
    started = time.time()
    target = _target(out)
    shape = None if image_shape is None else options.parse_image_shape(image_shape)

    from fkeax.assets import cache_folder
    from fkeax.embed import embed as embed_items
    from fkeax.embed import find_encoder, open_source
    from fkeax.embed.encoder import DEFAULT_WINDOWS

    encoder = find_encoder(model)
    found = open_source(
        source,
        encoder.modality,
        windows=encoder.windows or DEFAULT_WINDOWS,
        field=field,
        image_shape=shape,
    )
    if any(target.exists() and target.samefile(path) for path in found.files):
        raise ValueError(f"--out {out!r} is the file that is read; give another name.")
    print(f"{len(found.items)} {found.modality} of {source!r} by {encoder.name}; {encoder.licence}", file=sys.stderr)
    with running.progress_bar("items", len(found.items)) as advance:
        done = embed_items(
            encoder,
            found.items,
            batch_size=batch_size,
            cache=None if no_cache else cache_folder() / "embed",
            progress=lambda count: advance(count, "items"),
        )
    command = ["fkeax", "embed", source, "--model", model, "--out", out, "--field", field]
    command += ["--batch-size", str(batch_size), *(["--image-shape", image_shape] if image_shape else [])]
    _write(target, found, encoder, done, command, started)
    kept = f", {done.num_kept} of them kept from before" if done.num_kept else ""
    rows, columns = done.features.shape
    print(f"written: {out}: {rows} rows of {columns} features{kept} ({time.time() - started:.0f} s)")


def _target(out: str) -> Path:
    from fkeax.io import check_writable

    if not out.endswith(SUFFIX):
        raise ValueError(f"--out must name a {SUFFIX} file, got {out!r}.")
    return check_writable(out)


def _write(target: Path, source: Source, encoder: Encoder, done: Embedded, command: list[str], started: float) -> None:
    import numpy as np

    from fkeax.io import describe_run, write_npz
    from fkeax.results import dumps

    provenance: dict[str, Any] = describe_run(command=command, seed=None, inputs=source.files, started=started)
    provenance["encoder"] = {
        "name": encoder.name,
        "preprocessing": encoder.preprocessing,
        "licence": encoder.licence,
        "weights": [{"package": asset.requirement, "sha256": asset.sha256} for asset in encoder.assets],
        "identity": encoder.identity,
    }
    provenance["items"] = {"count": len(source.items), "modality": source.modality, "sha256": done.content}
    arrays = {"features": done.features, "ids": source.ids, "provenance": np.array(dumps(provenance))}
    arrays["item_sha256"] = np.array(done.checksums)
    named = {"labels": source.labels, "groups": source.groups}
    write_npz(target, arrays | {name: array for name, array in named.items() if array is not None})
