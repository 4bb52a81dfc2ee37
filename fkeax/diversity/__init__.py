"""Diversity without a reference: VENDI of every order and RKE, exactly or through features."""

from fkeax.diversity import gradients, nystrom, streaming, theory
from fkeax.diversity.conditional import conditional_vendi
from fkeax.diversity.curves import DiversityCurve, curve
from fkeax.diversity.entropy import renyi_entropy, rke_from_gram, vendi_from_gram, vendi_from_spectrum
from fkeax.diversity.frequency_bias import DebiasedMoment, FrequencyMoments, debiased_second_moment, frequency_moments
from fkeax.diversity.frequency_jackknife import DebiasedVendi, HalvedSpectra, debiased_vendi, halved_spectra
from fkeax.diversity.grouped_pairs import GroupedPairs, grouped_pairs
from fkeax.diversity.inception_score import InceptionScore, inception_score
from fkeax.diversity.modes import Modes, modes
from fkeax.diversity.novelty import Novelty, finc, finc_of_states, ken
from fkeax.diversity.pairs import PairMoments, pair_moments, without_self_pairs
from fkeax.diversity.per_class import ClassScores, per_class
from fkeax.diversity.plan import Plan, plan
from fkeax.diversity.rrke import rrke, rrke_of_states
from fkeax.diversity.scendi import scendi
from fkeax.diversity.scores import fkea, rke, score, score_state, vendi
from fkeax.diversity.shards import ShardState, merge_shards, score_shards, shard_state
from fkeax.diversity.spec import Directions, EmbeddingDifference, spec
from fkeax.diversity.subsampling import SubsamplingInterval, interval_from_gram, interval_from_moments
from fkeax.diversity.truncation import truncated_vendi

__all__ = [
    "ClassScores",
    "DebiasedMoment",
    "DebiasedVendi",
    "Directions",
    "DiversityCurve",
    "EmbeddingDifference",
    "FrequencyMoments",
    "GroupedPairs",
    "HalvedSpectra",
    "InceptionScore",
    "Modes",
    "Novelty",
    "PairMoments",
    "Plan",
    "ShardState",
    "SubsamplingInterval",
    "conditional_vendi",
    "curve",
    "debiased_second_moment",
    "debiased_vendi",
    "finc",
    "finc_of_states",
    "fkea",
    "frequency_moments",
    "gradients",
    "grouped_pairs",
    "halved_spectra",
    "inception_score",
    "interval_from_gram",
    "interval_from_moments",
    "ken",
    "merge_shards",
    "modes",
    "nystrom",
    "pair_moments",
    "per_class",
    "plan",
    "renyi_entropy",
    "rke",
    "rke_from_gram",
    "rrke",
    "rrke_of_states",
    "scendi",
    "score",
    "score_shards",
    "score_state",
    "shard_state",
    "spec",
    "streaming",
    "theory",
    "truncated_vendi",
    "vendi",
    "vendi_from_gram",
    "vendi_from_spectrum",
    "without_self_pairs",
]
