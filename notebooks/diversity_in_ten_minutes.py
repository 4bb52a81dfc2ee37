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
# # Diversity in ten minutes
#
# A generative model made 1,797 images. How many *different* things did it make? This notebook scores real handwritten
# digits (8 x 8 pixels, they ship with scikit-learn) as if a model had made them, so that we know what the answer
# should depend on.

# %%
import jax
import matplotlib.pyplot as plt
import numpy as np

import fkeax
from fkeax.datasets import load_digits

digits = load_digits()
x, labels = digits.features, digits.labels  # rows are samples; any embedding serves in place of pixels
print(x.shape)

# %% [markdown]
# ## The idea: an effective number of modes
#
# A kernel says how alike two samples are, from 0 (nothing in common) to 1 (the same). The eigenvalues of the matrix
# of all pairs, divided by n, sum to 1: they are the shares of the modes. The VENDI score is the exponential of their
# entropy. Three far groups of equal points have three equal shares, so:

# %%
three_groups = np.repeat(100.0 * np.eye(3), 4, axis=0)
scores = fkeax.score(three_groups, bandwidth=1.0, orders=(0, 1, 2, np.inf))
print({name: round(result.value, 3) for name, result in scores.items()})
assert all(abs(scores[name].value - 3) < 1e-9 for name in ("vendi-0", "vendi-1", "vendi-2", "vendi-inf", "rke"))

# %% [markdown]
# With unequal shares the orders part: order 0 counts every mode, higher orders listen to the large ones. RKE is order
# 2, and needs no eigenvalue.

# %%
unequal = np.repeat(100.0 * np.eye(3), (8, 3, 1), axis=0)
scores = fkeax.score(unequal, bandwidth=1.0, orders=(0, 1, 2, np.inf))
shares = np.array([8, 3, 1]) / 12
print({name: round(result.value, 3) for name, result in scores.items()})
assert abs(scores["vendi-1"].value - np.exp(-np.sum(shares * np.log(shares)))) < 1e-9
assert abs(scores["rke"].value - 1 / np.sum(shares**2)) < 1e-9

# %% [markdown]
# ## The bandwidth is a part of the question
#
# The bandwidth is the distance at which two samples begin to count as different. There is no default. Here are digits
# of one class, of two, of all ten, at many bandwidths:

# %%
bandwidths, found = np.geomspace(0.5, 8, 9), {}
figure, axis = plt.subplots(figsize=(6, 3.6), layout="constrained")
for num_classes in (1, 2, 10):
    curve = fkeax.curve(
        x[labels < num_classes][:170], over="bandwidth", values=bandwidths, metrics=("vendi",), orders=(1.0,)
    )
    found[num_classes] = [point["vendi-1"].value for point in curve.points]
    axis.loglog(bandwidths, found[num_classes], marker="o", label=f"classes: {num_classes}")
axis.set(xlabel="bandwidth", ylabel="VENDI-1", title="170 digits each")
axis.set_xticks([0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
axis.minorticks_off()
axis.legend()
plt.show()
assert all(one < ten for one, ten in zip(found[1], found[10], strict=True))

# %% [markdown]
# At the left every image is a mode of its own, at the right all are one; one class is below ten at every bandwidth.
# So fix one bandwidth, once, and use it for everything that shall be compared. A rule that adapts to each set undoes
# the comparison:

# %%
shared, own = {}, {}
for num_classes in (1, 10):
    rows = x[labels < num_classes][:170]
    shared[num_classes] = fkeax.rke(rows, bandwidth=2.0).value
    own[num_classes] = fkeax.rke(rows, bandwidth="median").value
print("one bandwidth:", shared)
print("each its own median:", own)
assert shared[10] > 2 * shared[1]
assert own[10] < 1.2 * own[1]

# %% [markdown]
# ## All of the digits, with errors
#
# A score of samples moves when other samples are drawn. `intervals=True` says by how much. `rke-population` estimates
# RKE at infinitely many samples; VENDI-1 is a score *at this n*.

# %%
rows = x[:600]
scores = fkeax.score(rows, bandwidth=2.0, orders=(1.0,), intervals=True)
for name in ("vendi-1", "rke", "rke-population"):
    result = scores[name]
    print(f"{name:15} {result.value:6.2f}  interval {result.diagnostics.get('interval')}")
low, high = scores["vendi-1"].diagnostics["interval"]
assert low < scores["vendi-1"].value < high

# %% [markdown]
# ## Many samples: FKEA
#
# The matrix of all pairs has n² entries. Random Fourier features need one pass over the samples and a matrix whose
# size does not depend on n. The plain score through features reads low; the debiased one repairs most of that,
# without another pass.

# %%
exact = fkeax.vendi(x, bandwidth=2.0, method="exact").value
counts = (60, 120, 240, 480)
rows = [fkeax.fkea(x, bandwidth=2.0, orders=(1.0,), num_frequencies=count, key=jax.random.key(0)) for count in counts]
figure, axis = plt.subplots(figsize=(6, 3.6), layout="constrained")
axis.axhline(exact, color="black", linestyle=":", label="exact")
for name in ("vendi-1", "vendi-1-debiased"):
    axis.errorbar(
        counts, [row[name].value for row in rows], [row[name].stderr or 0 for row in rows], marker="o", label=name
    )
axis.set(xlabel="number of frequencies r", ylabel="VENDI-1", xscale="log", title=f"{len(x)} digits")
axis.set_xticks(counts, map(str, counts))
axis.minorticks_off()
axis.legend()
plt.show()
plain, debiased = rows[-1]["vendi-1"].value, rows[-1]["vendi-1-debiased"].value
print(f"exact {exact:.2f}, at r = {counts[-1]}: plain {plain:.2f}, debiased {debiased:.2f}")
assert plain < debiased
assert abs(debiased - exact) < 0.5 * abs(plain - exact)

# %% [markdown]
# ## Which modes?
#
# The eigenvectors name them: each mode has a share and the samples that show it best.

# %%
found = fkeax.modes(x, bandwidth=2.0, num_modes=6, num_samples=8)
figure, axes = plt.subplots(6, 8, figsize=(5, 3.8), layout="constrained")
for line, indices, share in zip(axes, found.sample_indices, found.shares, strict=True):
    line[0].set_ylabel(f"{share:.1%}", rotation=0, ha="right", va="center")
    for axis, index in zip(line, indices, strict=True):
        axis.imshow(digits.images[index], cmap="gray_r")
        axis.set(xticks=[], yticks=[])
plt.show()
purity = [np.bincount(labels[indices]).max() / 8 for indices in found.sample_indices[1:]]
print("share of the commonest digit among the top samples of modes 2 to 6:", purity)
assert np.mean(purity) > 0.7

# %% [markdown]
# The first mode is what all digits share; the later ones pick out kinds of digits, without having seen a label.
#
# **To remember**: fix the bandwidth once; report n beside the score; use the debiased scores through features. Next:
# comparing two models honestly.
