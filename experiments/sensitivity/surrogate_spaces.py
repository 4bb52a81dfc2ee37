"""Gaussian surrogates of two of the paper's own kind of audio spaces, from published means and covariances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.schema import Config
from experiments.sensitivity.spaces import Embeddings, Space

if TYPE_CHECKING:
    from fkeax.assets import Asset

SPACE_NAMES = {"surrogate-vggish": "vggish", "surrogate-clap": "clap-laion-music"}


def statistics_asset() -> Asset:
    """Return the package that holds the moments of FMA-Pop in 21 spaces."""
    from fkeax.assets import Asset, Member

    return Asset(
        title="means and covariances of FMA-Pop's music in 21 audio spaces",
        package="fadtk",
        version="1.1.0",
        wheel="fadtk-1.1.0-py3-none-any.whl",
        sha256="69002a10478a82bb7452521c0d8a4fbaefd6eb423f991edac5c26d9ad5628adc",
        members=(
            Member("fadtk/stats/fma_pop.npz", "74746819873d7082498b0caec0c7846b2e7967050353761a3fdcfcabf3f11dcb"),
        ),
        licence="MIT License.",
        licence_files=(
            Member(
                "fadtk-1.1.0.dist-info/licenses/LICENSE",
                "2756790eee3dd5ffd6e600c004bd42178759a8f5611ec7ac598a43ea153b3d5b",
            ),
        ),
        source="A. Gui et al., Adapting Frechet Audio Distance for Generative Music Evaluation, 2024: fadtk 1.1.0.",
    )


def _space(name: str, what: str) -> Space:
    def load(config: Config, count: int) -> Embeddings:
        import numpy as np

        from experiments.stages import stage
        from fkeax.assets import fetch

        asset = statistics_asset()

        def moments(folder: object) -> dict[str, np.ndarray]:
            (path,) = fetch(asset).values()
            with np.load(path, allow_pickle=False) as archive:
                inner = SPACE_NAMES[name]
                return {"mean": archive[f"{inner}.mu"], "covariance": archive[f"{inner}.cov"]}

        found = stage(config, f"moments-{name}", {"wheel": asset.sha256, "space": SPACE_NAMES[name]}, moments)
        values, vectors = np.linalg.eigh(found["covariance"].astype(np.float64))
        normal = np.random.default_rng([config.seed, len(values)]).standard_normal((count, len(values)))
        rows = found["mean"] + (normal * np.sqrt(np.maximum(values, 0))) @ vectors.T
        return Embeddings(rows.astype(np.float32))

    def inputs(config: Config) -> dict[str, str]:
        asset = statistics_asset()
        return {f"{asset.requirement}/{member.path}": member.sha256 for member in asset.members}

    asset_words = "A. Gui et al., fadtk 1.1.0, moments of FMA-Pop's music."
    return Space(name, "surrogate", what, asset_words, "MIT License.", load, inputs)


SPACES = (
    _space("surrogate-vggish", "a Gaussian with the moments of FMA-Pop's music in VGGish (128)"),
    _space("surrogate-clap", "a Gaussian with the moments of FMA-Pop's music in CLAP-LAION-music (512)"),
)
