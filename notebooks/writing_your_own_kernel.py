# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Writing your own kernel
#
# Three ways, from the least to the most work: a matrix of your own, a kernel of inner products, and a kernel with a
# spectral density, which then streams through random Fourier features like the built-in ones.

# %%
import itertools
from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import fkeax
from fkeax.datasets import load_digits
from fkeax.kernels import gram
from fkeax.numerics import pytrees

x = load_digits().features[:600]

# %% [markdown]
# ## A matrix of your own
#
# Anything with a positive semi-definite similarity will do: strings, graphs, molecules. Here are sentences, by the
# word pairs they share.


# %%
def bigrams(text):
    words = text.lower().split()
    return set(itertools.pairwise(words)) | {(word,) for word in words}


def similarity(texts):
    sets = [bigrams(text) for text in texts]
    # |A and B| / sqrt(|A| |B|): the cosine of indicator vectors, hence positive semi-definite.
    return np.array([[len(a & b) / np.sqrt(len(a) * len(b)) for b in sets] for a in sets])


repetitive = ["the cat sat on the mat", "the cat sat on the rug", "the cat lay on the mat", "the dog sat on the mat"]
varied = ["the cat sat on the mat", "rain fell all night", "prices rose in march", "he plays chess by mail"]
scores = {
    name: float(fkeax.vendi_from_gram(similarity(texts)))
    for name, texts in (("repetitive", repetitive), ("varied", varied))
}
print(scores)
assert scores["repetitive"] < 3 < scores["varied"] <= 4

# %% [markdown]
# ## A kernel of inner products
#
# A kernel is a frozen dataclass with a name, two facts, and its values: from two points, and from the inner products
# `x.y`, `x.x` and `y.y`, by which a whole matrix is one product. Its numbers are traced, so that a sweep over them
# compiles once. This one is a power of the cosine, `exp(c (cos - 1))`: positive semi-definite, because its series in
# the cosine has positive coefficients.


# %%
@pytrees.register
@dataclass(frozen=True)
class ExpCosine:
    """exp(c (cos(x, y) - 1)); large c tells small angles apart."""

    concentration: float

    shift_invariant: ClassVar[bool] = False  # the origin matters: data are not centred
    unit_diagonal: ClassVar[bool] = True  # k(x, x) = 1

    name = "exp-cosine"

    def of_products(self, xy, xx, yy):
        return jnp.exp(self.concentration * (xy / jnp.sqrt(jnp.maximum(xx * yy, 1e-30)) - 1))

    def __call__(self, x, y):
        return self.of_products(x @ y, x @ x, y @ y)


results = {c: fkeax.score(x, kernel=ExpCosine(c), orders=(1.0,)) for c in (1.0, 10.0, 100.0)}
for c, found in results.items():
    vendi = found["vendi-1"]
    print(f"c = {c:5}: VENDI-1 {vendi.value:7.2f}  {vendi.settings['kernel']}:{vendi.settings['kernel_parameters']}")
assert results[1.0]["vendi-1"].value < results[10.0]["vendi-1"].value < results[100.0]["vendi-1"].value <= len(x)

# %% [markdown]
# Check what the theory asks for before you trust a score: the matrix must be symmetric, positive semi-definite, with
# ones on the diagonal.

# %%
matrix = np.asarray(gram(ExpCosine(10.0), jnp.asarray(x)), np.float64)
smallest = np.linalg.eigvalsh(matrix).min() / len(x)
print("smallest eigenvalue of K / n:", smallest)
assert np.allclose(matrix, matrix.T)
assert np.allclose(np.diag(matrix), 1, atol=1e-5)
assert smallest > -1e-6  # rounding of float32
assert abs(results[10.0]["vendi-1"].value - float(fkeax.vendi_from_gram(matrix))) < 1e-3

# %% [markdown]
# ## A kernel that streams
#
# For random Fourier features a kernel must depend on `x - y` alone, and say how its frequencies are distributed
# (Bochner's theorem). Ours is the mean of two Gaussian kernels, one at the bandwidth and one at four times it: it
# sees small and large differences alike. Its frequencies are those of one of the two, by a coin.


# %%
@pytrees.register
@dataclass(frozen=True)
class TwoScales:
    """The mean of a Gaussian kernel at the bandwidth and one at four times it."""

    bandwidth: float

    shift_invariant: ClassVar[bool] = True
    unit_diagonal: ClassVar[bool] = True

    name = "two-scales"

    def of_products(self, xy, xx, yy):
        squared = jnp.maximum(xx + yy - 2 * xy, 0) / self.bandwidth**2
        return (jnp.exp(-squared / 2) + jnp.exp(-squared / 32)) / 2

    def __call__(self, x, y):
        return self.of_products(0.0, jnp.sum(jnp.square(x - y)), 0.0)

    def sample_frequencies(self, key, num_frequencies, dimension, dtype):
        key_normal, key_coin = jax.random.split(key)
        normal = jax.random.normal(key_normal, (num_frequencies, dimension), jnp.float32)
        coin = jax.random.bernoulli(key_coin, 0.5, (num_frequencies, 1))
        return (normal * jnp.where(coin, 1.0, 0.25)).astype(dtype) / self.bandwidth


kernel = TwoScales(1.5)
exact = fkeax.score(x, kernel=kernel, orders=(1.0,), method="exact")
counts = (50, 100, 200, 400)
found = [fkeax.fkea(x, kernel=kernel, orders=(1.0,), num_frequencies=r, key=jax.random.key(0)) for r in counts]

figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
axis.axhline(exact["vendi-1"].value, color="black", linestyle=":", label="exact")
for name, marker in (("vendi-1", "o"), ("vendi-1-debiased", "s")):
    results = [scores[name] for scores in found]
    errors = [result.stderr or 0 for result in results]
    axis.errorbar(counts, [result.value for result in results], errors, marker=marker, label=name)
axis.set(xlabel="r", ylabel="VENDI-1", xscale="log")
axis.set_xticks(counts, map(str, counts))
axis.minorticks_off()
axis.legend()
plt.show()
last = found[-1]["rke-debiased"]
print(f"RKE: exact {exact['rke'].value:.3f}, debiased at r = 400 {last.value:.3f} +- {last.stderr:.3f}")
assert abs(last.value - exact["rke"].value) < 4 * last.stderr  # once in 15,000 for a normal error
gaps = [exact["vendi-1"].value - found[-1][name].value for name in ("vendi-1", "vendi-1-debiased")]
assert abs(gaps[1]) < gaps[0]

# %% [markdown]
# That the frequencies are right is worth a test of its own, at points where the kernel is known: the mean of
# `cos(w.(x - y))` is `k(x, y)`.

# %%
frequencies = kernel.sample_frequencies(jax.random.key(3), 200_000, 2, np.float32)
for gap in ([1.0, 0.0], [2.0, 2.0], [6.0, -3.0]):
    gap = jnp.asarray(gap)
    cosines = jnp.cos(frequencies @ gap)
    print(
        f"{float(cosines.mean()):.4f} +- {float(cosines.std()) / 200_000**0.5:.4f}   {float(kernel(gap, 0 * gap)):.4f}"
    )
    assert abs(float(cosines.mean() - kernel(gap, 0 * gap))) < 5 * float(cosines.std()) / 200_000**0.5

# %% [markdown]
# **To remember**: `vendi_from_gram` for anything with a matrix; a registered frozen dataclass for a kernel;
# `sample_frequencies` and a `bandwidth` for one that streams. Sweeps, errors and debiasing come with it. Why
# `pytrees.register` and not JAX's own? JAX gives two classes without fields one tree structure, and could run the
# program that was compiled for the other.
