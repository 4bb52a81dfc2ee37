"""What only one experiment of the FKEA paper has."""

from __future__ import annotations

from dataclasses import dataclass, field

from experiments.schema import Params


@dataclass
class Fig02Params(Params):
    """Figure 2: at how many digits the scores are taken, how many modes, and samples of a mode."""

    digit_counts: list[int] = field(default_factory=lambda: list(range(1, 11)))
    num_modes: int = 10
    num_top_samples: int = 25


PARAMS: dict[str, type[Params]] = {"fkea_fig02_mnist": Fig02Params}
