"""Quantizers and histograms: from samples to bins, from bins to probabilities."""

from fkeax.quantize.histograms import Labelling, counts_from_labels, given_labels, lattice_labels, sparse_bins
from fkeax.quantize.kmeans import KMeans, kmeans
from fkeax.quantize.minibatch import minibatch_kmeans
from fkeax.quantize.pca import PCA, fit_pca
from fkeax.quantize.quantizer import (
    PooledRows,
    Quantization,
    default_num_buckets,
    pool_rows,
    quantize,
    quantize_rows,
)
from fkeax.quantize.smoothing import (
    SMOOTHINGS,
    add_constant,
    braess_sauer,
    empirical,
    good_turing,
    krichevsky_trofimov,
    laplace,
    smooth,
)

__all__ = [
    "PCA",
    "SMOOTHINGS",
    "KMeans",
    "Labelling",
    "PooledRows",
    "Quantization",
    "add_constant",
    "braess_sauer",
    "counts_from_labels",
    "default_num_buckets",
    "empirical",
    "fit_pca",
    "given_labels",
    "good_turing",
    "kmeans",
    "krichevsky_trofimov",
    "laplace",
    "lattice_labels",
    "minibatch_kmeans",
    "pool_rows",
    "quantize",
    "quantize_rows",
    "smooth",
    "sparse_bins",
]
