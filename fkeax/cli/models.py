"""`fkeax models`: the encoders that there are, and their weights."""

from __future__ import annotations

from typing import Annotated

import typer

from fkeax.cli import tables

app = typer.Typer(
    help="Encoders for 'fkeax embed': list them, fetch their weights.", no_args_is_help=True, rich_markup_mode=None
)


@app.command("list")
def list_models() -> None:
    """List the encoders: what they take, how many features they give, where their weights are.

    Example: fkeax models list
    """
    from fkeax.assets import is_cached
    from fkeax.embed import ENCODERS, TORCH_ENCODERS

    rows = []
    for name, encoder in ENCODERS.items():
        packages = ", ".join(asset.requirement for asset in encoder.assets)
        place = "needs none" if not encoder.assets else "in the cache" if all(map(is_cached, encoder.assets)) else "-"
        dimension = "by size" if encoder.dimension is None else str(encoder.dimension)
        rows.append((name, encoder.modality, dimension, place, packages, encoder.licence))
    tables.print_table(("model", "takes", "features", "weights", "package", "licence"), rows)
    print(f"With torch and weights of your own (images): {', '.join(TORCH_ENCODERS)}.")
    print("Also: FILE.onnx (images), and module:function for any function of yours.")


@app.command("get")
def get_model(
    name: Annotated[str, typer.Argument(metavar="NAME", help="An encoder of 'fkeax models list'.")],
) -> None:
    """Fetch the weights of an encoder into the cache, and show their licence and what is done to its input.

    Example: fkeax models get pixels
    """
    from fkeax.assets import fetch, licence_text
    from fkeax.embed import find_encoder

    encoder = find_encoder(name)
    lines = [f"{encoder.name}: {encoder.modality}; {encoder.preprocessing}"]
    for asset in encoder.assets:
        lines += [str(path) for path in fetch(asset).values()]
        lines += [f"source: {asset.source}", f"licence: {licence_text(asset)}"]
    if not encoder.assets:
        lines.append(f"no weights to fetch; licence: {encoder.licence}")
    tables.print_notes(lines)
