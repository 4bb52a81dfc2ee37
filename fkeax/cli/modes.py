"""`fkeax modes`: which groups of samples the score counts, and the samples that show them."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import applicability, costs, options, outputs, parameters, running, tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from fkeax.diversity import Modes
    from fkeax.io import FeatureFile
    from fkeax.numerics.row_blocks import RowBlocks

IMAGE_SUFFIXES = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
SHOWN_SAMPLES = 8
MOST_PANELS = 50


def modes(
    context: outputs.Context,
    features: parameters.FeaturesArgument,
    top: parameters.TopOption = 10,
    samples: parameters.SamplesOption = 25,
    method: parameters.MethodOption = "auto",
    kernel: parameters.KernelOption = "gaussian",
    bandwidth: parameters.BandwidthOption = None,
    bandwidth_from: parameters.BandwidthFromOption = None,
    feature_scheme: parameters.FeaturesOption = "iid",
    num_frequencies: parameters.FrequenciesOption = 2000,
    seed: parameters.SeedOption = 0,
    batch_size: parameters.BatchOption = 4096,
    dtype: parameters.DtypeOption = "auto",
    json: parameters.JsonOption = None,
    images: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Image files, sorted by name; the i-th belongs to row i of the features."),
    ] = None,
    image_shape: Annotated[
        str | None, typer.Option(metavar="H,W[,C]", help="Show the rows themselves as images of this shape.")
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder for the pictures; <name of GEN>-modes unless given.")
    ] = None,
) -> None:
    """Show the modes behind the score: the top eigenvectors and the samples where they are largest.

    Example: fkeax modes GEN.npy --bandwidth 7 --image-shape 28,28,1 --json modes.json
    """
    started = time.time()
    request = {
        "method": options.choose("--method", method, options.METHODS),
        "kernel": options.parse_kernel(kernel),
        "bandwidth": options.parse_bandwidth(bandwidth, kernel),
        "features": options.choose("--features", feature_scheme, options.SCHEMES),
        "num_frequencies": num_frequencies,
        "batch_size": batch_size,
    }
    options.choose("--dtype", dtype, options.DTYPES)
    target = outputs.check_outputs(context, json, features, bandwidth_from)

    file = running.features(features)
    named = {f"--{name.replace('_', '-')}": value for name, value in request.items()}
    request["bandwidth"] = running.bandwidth_of_reference(request["bandwidth"], bandwidth_from, kernel, seed, file)
    pictures = _picture_source(file, images, image_shape)
    folder = _picture_folder(file, out) if pictures is not None else None
    if out is not None and pictures is None:
        raise ValueError("--out is the folder for pictures; say what to show with --images DIR or --image-shape H,W,C.")

    found = _compute(file, request, top, samples, seed, dtype)
    _show(found)
    tables.print_notes(applicability.notes_on_route(context, found.settings["estimator"]))
    if target.json is not None:
        named |= {
            "--bandwidth-from": bandwidth_from,
            "--top": top,
            "--samples": samples,
            "--seed": seed,
            "--dtype": dtype,
            "--json": json,
        }
        named |= {"--images": images, "--image-shape": image_shape, "--out": out}
        command = options.command_words("modes", features, named)
        target.write_json(
            _document(found, command, seed, [*file.paths, *running.files_of(bandwidth_from)], file, started)
        )
    # Last: a picture that cannot be read costs neither the table nor the numbers.
    if folder is not None and pictures is not None:
        _write_pictures(found, pictures, folder)


def _compute(
    file: FeatureFile, request: dict[str, Any], num_modes: int, num_samples: int, seed: int, dtype: str
) -> Modes:
    import jax

    import fkeax
    from fkeax.diversity import plan

    array = file.array
    rows, dimension = array.shape
    sizes = {name: request[name] for name in ("kernel", "method", "num_frequencies", "batch_size")}
    with running.precision(dtype), running.naming_file(file):
        planned = plan(rows, dimension, **sizes, dtype="float64" if dtype == "float64" else "float32")
        costs.announce_scores(planned, rows, dimension, request["num_frequencies"], num_draws=1)
        most = min(rows, {"dual": dimension, "fkea": 2 * request["num_frequencies"]}.get(planned.route, rows))
        if num_modes > most:
            print(f"note: {num_modes} modes were asked for; there are {most}.", file=sys.stderr)
        with running.spinner(f"{planned.route} route ..."):
            return fkeax.modes(
                running.widened(array, dtype),
                num_modes=min(num_modes, most),
                num_samples=min(num_samples, rows),
                **request,
                key=jax.random.key(seed),
            )


def _show(found: Modes) -> None:
    rows = [
        (
            str(rank),
            tables.format_number(float(eigenvalue)),
            tables.format_share(float(share)),
            ", ".join(str(index) for index in indices[:SHOWN_SAMPLES])
            + (" ..." if len(indices) > SHOWN_SAMPLES else ""),
        )
        for rank, (eigenvalue, share, indices) in enumerate(
            zip(found.eigenvalues, found.shares, found.sample_indices.tolist(), strict=True), start=1
        )
    ]
    tables.print_table(("mode", "eigenvalue", "share", "top samples (rows counted from 0)"), rows)
    tables.print_notes(tables.describe_settings(found.settings, found.diagnostics))
    warnings = found.diagnostics.get("warnings")
    tables.print_notes(f"warning: {warning}" for warning in (warnings if isinstance(warnings, list) else []))


def _document(
    found: Modes, command: Sequence[str], seed: int, inputs: Sequence[Path], file: FeatureFile, started: float
) -> dict[str, Any]:
    from fkeax.io import describe_run
    from fkeax.results import Result

    names = None if file.ids is None else file.ids.tolist()
    checksums = None if file.checksums is None else file.checksums.tolist()
    shares = [
        Result("mode-share", float(share), None, {**found.settings, "rank": rank}, {"eigenvalue": float(eigenvalue)})
        for rank, (share, eigenvalue) in enumerate(zip(found.shares, found.eigenvalues, strict=True), start=1)
    ]
    listed = [
        {
            "rank": rank,
            "eigenvalue": found.eigenvalues[rank - 1],
            "share": found.shares[rank - 1],
            "samples": [
                {"index": index, "value": value}
                | ({} if names is None else {"id": str(names[index])})
                | ({} if checksums is None else {"sha256": str(checksums[index])})
                for index, value in zip(
                    found.sample_indices[rank - 1].tolist(), found.sample_values[rank - 1].tolist(), strict=True
                )
            ],
        }
        for rank in range(1, len(found.eigenvalues) + 1)
    ]
    return {
        "modes": listed,
        "results": [share.to_dict() for share in shares],
        "settings": found.settings,
        "diagnostics": found.diagnostics,
        "provenance": describe_run(command=command, seed=seed, inputs=inputs, started=started),
    }


class _Rows:
    """Pictures made of the rows of the features themselves."""

    def __init__(self, array: np.ndarray | RowBlocks, image_shape: tuple[int, ...]) -> None:
        self.array = array
        self.image_shape = image_shape

    def load(self, indices: np.ndarray) -> list[list[np.ndarray]]:
        from fkeax.report import thumbnails_from_rows

        # All shown samples go through one scale of grey, so that a bright sample stays brighter than a dark one.
        flat = thumbnails_from_rows(self.array[indices.ravel()], self.image_shape)
        return [list(flat[start : start + indices.shape[1]]) for start in range(0, len(flat), indices.shape[1])]


class _Files:
    """Pictures read from image files, one per row of the features."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths

    def load(self, indices: np.ndarray) -> list[list[np.ndarray]]:
        from fkeax.report import thumbnails_from_files

        return [thumbnails_from_files(self.paths[index] for index in row) for row in indices.tolist()]


def _picture_source(file: FeatureFile, images: str | None, image_shape: str | None) -> _Rows | _Files | None:
    """Check what the pictures shall be made of, before any computing."""
    if images is not None and image_shape is not None:
        raise ValueError("--images and --image-shape both say what the pictures are; give one of them.")
    if image_shape is not None:
        from fkeax.report import check_image_shape

        shape = options.parse_image_shape(image_shape)
        check_image_shape(shape, file.array.shape[1])
        return _Rows(file.array, shape)
    if images is None:
        return None
    folder = Path(images)
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise NotADirectoryError(f"--images {images!r} {what}; expected a folder of image files.")
    paths = sorted(
        path for path in folder.iterdir() if path.suffix.lower() in IMAGE_SUFFIXES and not path.name.startswith(".")
    )
    if len(paths) != len(file.array):
        raise ValueError(
            f"--images {images!r} holds {len(paths)} image files, but {str(file.path)!r} has {len(file.array)} rows; "
            "expected one file per row, in the order of their names."
        )
    return _Files(paths)


def _picture_folder(file: FeatureFile, out: str | None) -> Path:
    folder = Path(out if out is not None else f"{file.path.stem}-modes")
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"cannot write pictures to {str(folder)!r}: it is a file; expected a folder.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write_pictures(found: Modes, source: _Rows | _Files, folder: Path) -> None:
    from fkeax.report import ModePanel, mode_grid, save_figure

    pictures = source.load(found.sample_indices)
    panels = [
        ModePanel(f"mode {rank}: share {tables.format_share(float(share))}", row)
        for rank, (share, row) in enumerate(zip(found.shares, pictures, strict=True), start=1)
    ]
    for rank, panel in enumerate(panels, start=1):
        title = f"top {len(panel.pictures)} samples"
        save_figure(mode_grid([panel], title=title), folder / f"mode-{rank:02d}.png")
    shown = panels[:MOST_PANELS]
    title = f"top samples of the first {len(shown)} modes" if len(shown) > 1 else "top samples of the first mode"
    save_figure(mode_grid(shown, title=title), folder / "modes.png")
    print(f"written: {folder}/modes.png and one picture per mode beside it")
