"""What only one experiment of the sensitivity paper has."""

from __future__ import annotations

from dataclasses import dataclass, field

from experiments.schema import Params


@dataclass
class PowerParams(Params):
    """Rejection rates of tests on changed draws of several spaces.

    Attributes:
        spaces: Names of experiments/sensitivity/spaces.py.
        tests: Names of experiments/sensitivity/configurations.py.
        changes: Names of fkeax.sensitivity.CHANGES, or NAME=STRENGTH.
        strengths: Of the changes without one of their own, in units of rho.
        num_samples: Rows of either side.
        num_draws: Draws of each cell.
        space_draws: Draws in spaces that have another number of them.
        frechet_draws: Draws of the Frechet test, which costs a hundred times a kernel test.
        num_permutations: Relabellings of tests with one kernel.
        num_aggregated: B1 and B2 of MMDAgg.
        num_rows: Of spaces that are drawn from without end.
        committed: Cells go to the committed tables, one a space; else to OUTPUT/cells.
    """

    spaces: list[str] = field(default_factory=list, metadata={"filled": True})
    tests: list[str] = field(default_factory=list, metadata={"filled": True})
    changes: list[str] = field(default_factory=list)
    strengths: list[float] = field(default_factory=lambda: [0.1, 0.5], metadata={"filled": True})
    num_samples: int = 780
    num_draws: int = 10
    space_draws: dict[str, int] = field(default_factory=dict)
    frechet_draws: int = 4
    num_permutations: int = 199
    num_aggregated: int = 500
    num_rows: int = 6240
    committed: bool = False


@dataclass
class BudgetParams(PowerParams):
    """Power against the number of rows.

    Attributes:
        budgets: Rows of either side; those for which a space has too few rows are left out.
        draws: Draws at each budget.
        large: Above this budget only `large_spaces` are tested.
        large_spaces: Names.
    """

    budgets: list[int] = field(default_factory=list)
    draws: list[int] = field(default_factory=list)
    large: int = 5000
    large_spaces: list[str] = field(default_factory=list)


@dataclass
class PairsParams(PowerParams):
    """Corpora against corpora, and generators against their data.

    Attributes:
        rows_a_side: Rows of either sample of a pair.
        questions: How many pairs the four questions are asked of.
        generator_steps: Steps for which the generator of digits is trained; 0 for none.
    """

    rows_a_side: int = 300
    questions: int = 2
    generator_steps: int = field(default=0, metadata={"zero": True})


@dataclass
class TemperatureParams(Params):
    """A generator of digits at several temperatures of its latent vector.

    Attributes:
        temperatures: Factors of the latent vector.
        num_samples: Pictures at each.
        generator_steps: Steps of training.
        num_draws: Independent sets of pictures.
        data: "mnist_5k" or "digits": what the generator is trained on.
    """

    temperatures: list[float] = field(default_factory=lambda: [0.4, 0.6, 0.8, 1.0, 1.2])
    num_samples: int = 2000
    generator_steps: int = 6000
    num_draws: int = 3
    data: str = "mnist_5k"


PARAMS: dict[str, type[Params]] = {
    "sensitivity_power": PowerParams,
    "sensitivity_budget": BudgetParams,
    "sensitivity_pairs": PairsParams,
    "sensitivity_temperature": TemperatureParams,
}
