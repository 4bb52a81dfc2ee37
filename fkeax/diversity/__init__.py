"""Diversity without a reference: VENDI of every order and RKE, exactly or through Fourier features."""

from fkeax.diversity import streaming
from fkeax.diversity.entropy import renyi_entropy, rke_from_gram, vendi_from_gram, vendi_from_spectrum
from fkeax.diversity.frequency_bias import DebiasedMoment, FrequencyMoments, debiased_second_moment, frequency_moments
from fkeax.diversity.modes import Modes, modes
from fkeax.diversity.pairs import PairMoments, pair_moments, without_self_pairs
from fkeax.diversity.plan import Plan, plan
from fkeax.diversity.scores import fkea, rke, score, score_state, vendi

__all__ = [
    "DebiasedMoment",
    "FrequencyMoments",
    "Modes",
    "PairMoments",
    "Plan",
    "debiased_second_moment",
    "fkea",
    "frequency_moments",
    "modes",
    "pair_moments",
    "plan",
    "renyi_entropy",
    "rke",
    "rke_from_gram",
    "score",
    "score_state",
    "streaming",
    "vendi",
    "vendi_from_gram",
    "vendi_from_spectrum",
    "without_self_pairs",
]
