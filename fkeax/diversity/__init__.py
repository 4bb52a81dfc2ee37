"""Diversity without a reference: VENDI of every order and RKE, exactly or through features."""

from fkeax.diversity import nystrom, streaming, theory
from fkeax.diversity.curves import DiversityCurve, curve
from fkeax.diversity.entropy import renyi_entropy, rke_from_gram, vendi_from_gram, vendi_from_spectrum
from fkeax.diversity.frequency_bias import DebiasedMoment, FrequencyMoments, debiased_second_moment, frequency_moments
from fkeax.diversity.frequency_jackknife import DebiasedVendi, HalvedSpectra, debiased_vendi, halved_spectra
from fkeax.diversity.grouped_pairs import GroupedPairs, grouped_pairs
from fkeax.diversity.modes import Modes, modes
from fkeax.diversity.pairs import PairMoments, pair_moments, without_self_pairs
from fkeax.diversity.plan import Plan, plan
from fkeax.diversity.scores import fkea, rke, score, score_state, vendi
from fkeax.diversity.subsampling import SubsamplingInterval, interval_from_gram, interval_from_moments
from fkeax.diversity.truncation import truncated_vendi

__all__ = [
    "DebiasedMoment",
    "DebiasedVendi",
    "DiversityCurve",
    "FrequencyMoments",
    "GroupedPairs",
    "HalvedSpectra",
    "Modes",
    "PairMoments",
    "Plan",
    "SubsamplingInterval",
    "curve",
    "debiased_second_moment",
    "debiased_vendi",
    "fkea",
    "frequency_moments",
    "grouped_pairs",
    "halved_spectra",
    "interval_from_gram",
    "interval_from_moments",
    "modes",
    "nystrom",
    "pair_moments",
    "plan",
    "renyi_entropy",
    "rke",
    "rke_from_gram",
    "score",
    "score_state",
    "streaming",
    "theory",
    "truncated_vendi",
    "vendi",
    "vendi_from_gram",
    "vendi_from_spectrum",
    "without_self_pairs",
]
