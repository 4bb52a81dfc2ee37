"""What only the experiments of the MAUVE paper have."""

from __future__ import annotations

from dataclasses import dataclass, field

from experiments.fkea.params import TruncationParams
from experiments.schema import Params


@dataclass
class FrontierParams(Params):
    """Atoms of a pair of laws, mixtures on its frontier, and how many other laws or pairs are drawn."""

    num_atoms: int = 200
    num_mixtures: int = 199
    num_others: int = 60


@dataclass
class ReshapingParams(Params):
    """Word pieces of a law, and the decoding rules that reshape it."""

    vocabulary: int = 50
    rules: list[str] = field(default_factory=list, metadata={"filled": True})


@dataclass
class QuantizationParams(Params):
    """Side of the grid, samples that k-means sees of each law, and numbers of buckets."""

    grid_side: int = 120
    num_samples: int = 2000
    bucket_counts: list[int] = field(default_factory=list, metadata={"filled": True})


@dataclass
class MissingMassParams(Params):
    """A Zipf law, sizes of samples of it, and how many of each."""

    num_buckets: int = 1000
    exponent: float = 1.0
    sample_sizes: list[int] = field(default_factory=list, metadata={"filled": True})
    repeats: int = 100


@dataclass
class SmoothingParams(Params):
    """Repeats, points of a panel, k of all panels but (b), and n of all but (a), where it is the smallest."""

    repeats: int = 100
    num_points: int = 12
    num_buckets: int = 1000
    num_samples: int = 10_000


@dataclass
class OracleParams(Params):
    """Atoms of two laws on a line, and numbers of bins."""

    num_atoms: int = 4000
    bucket_counts: list[int] = field(default_factory=list, metadata={"filled": True})


@dataclass
class ConstantsParams(Params):
    """Mixture weights at which constants are compared."""

    mixtures: list[float] = field(default_factory=list, metadata={"filled": True})


@dataclass
class HumansParams(Params):
    """Simulated players and votes, and the user's file of votes, if any."""

    num_votes: int = 2000
    votes: str | None = None


@dataclass
class LanguageModelParams(Params):
    """Which texts, how many of them held out, and which models are trained on the rest for how many epochs."""

    corpus: str = "wikipedia"  # or grammar
    num_documents: int = 1000
    models: list[str] = field(default_factory=list, metadata={"filled": True})
    epochs: list[int] = field(default_factory=list, metadata={"filled": True})


@dataclass
class TextParams(LanguageModelParams):
    """How texts are made and compared.

    Attributes:
        embedding: all-minilm-l6-v2, use-multilingual or characters.
        prompt: Pieces of a held-out text that a generation continues.
        main_model: The model of the sweep over rules.
        rules: Decoding rules of the main model.
        rules_of_sizes: Decoding rules of every model.
        length_rule: The rule of the sweep over lengths.
        lengths: Pieces of a text, in ascending order; the last is used where length is not swept.
        num_seeds: Quantizers.
        generations: A folder of users' generations or of GPT-2's, beside which no model is trained; null for none.
    """

    embedding: str = "all-minilm-l6-v2"
    prompt: int = 8
    main_model: str = "medium"
    rules: list[str] = field(default_factory=list)
    rules_of_sizes: list[str] = field(default_factory=list)
    length_rule: str = "nucleus=0.9"
    lengths: list[int] = field(default_factory=list)
    num_seeds: int = 5
    generations: str | None = None


@dataclass
class EstimatorParams(TextParams):
    """Gaussian pairs beside the texts: rows of each, dimensions, shifts along one axis, and repeats."""

    num_samples: int = 1000
    dimensions: list[int] = field(default_factory=list, metadata={"filled": True})
    shifts: list[float] = field(default_factory=list, metadata={"filled": True})
    repeats: int = 5


@dataclass
class EmbeddingsParams(TextParams):
    """A second sentence encoder beside the first: a value of `embedding`; null for none."""

    second_embedding: str | None = None


@dataclass
class ChecklistParams(TextParams):
    """What the checklist varies: buckets over samples, the constant c, and the share of the texts that is used."""

    bucket_shares: list[float] = field(default_factory=list, metadata={"filled": True})
    scales: list[float] = field(default_factory=list, metadata={"filled": True})
    sample_shares: list[float] = field(default_factory=list, metadata={"filled": True})


PARAMS: dict[str, type[Params]] = {
    "mauve_fig01_frontier": FrontierParams,
    "mauve_fig02_decoding": ReshapingParams,
    "mauve_fig03_area_midpoint": FrontierParams,
    "mauve_fig04_quantization": QuantizationParams,
    "mauve_fig05_missing_mass": MissingMassParams,
    "mauve_fig06_smoothing": SmoothingParams,
    "mauve_fig07_oracle_bins": OracleParams,
    "mauve_table1_table2": ConstantsParams,
    "mauve_sec71_humans": HumansParams,
    "mauve_sec72_models": LanguageModelParams,
    "mauve_sec72_decoding": TextParams,
    "mauve_sec73_estimators": EstimatorParams,
    "mauve_sec74_divergences": TextParams,
    "mauve_sec75_embeddings": EmbeddingsParams,
    "mauve_sec76_precision_recall": TextParams,
    "mauve_sec77_images": TruncationParams,
    "mauve_sec8_checklist": ChecklistParams,
    "mauve_sec78_bounds": SmoothingParams,
}
