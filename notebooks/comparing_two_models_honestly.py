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
# # Comparing two models honestly
#
# Two models of handwritten digits, one of which cheats. Which is better, is the difference real, and which number
# would have fooled us?

# %%
import jax
import matplotlib.pyplot as plt
import numpy as np

import fkeax
from fkeax.datasets import load_digits
from fkeax.kernels import bandwidth_for_rke
from fkeax.results import NotComparableError, check_comparable, difference
from fkeax.twosample import copying

digits = load_digits().features
digits = digits[np.random.default_rng(0).permutation(len(digits))]
training, reference, held_out = digits[:797], digits[797:1297], digits[1297:]
random = np.random.default_rng(1)

# %% [markdown]
# **Model A** knows the mean and the covariance of the training digits: a Gaussian. **Model B** has learned the
# training digits by heart: it shows them with the grey pixels a little changed. Both give valid pixels.

# %%
gaussian = random.multivariate_normal(training.mean(axis=0), np.cov(training.T), 500)
model_a = np.clip(gaussian, 0, 1).astype(np.float32)
chosen = training[random.permutation(len(training))[:500]]
grey = (chosen > 0) & (chosen < 1)
noisy = chosen + 0.05 * random.standard_normal(chosen.shape) * grey
model_b = np.clip(np.round(16 * noisy) / 16, 0, 1).astype(
    np.float32
)  # on the 17 levels of the file, as real digits are

figure, axes = plt.subplots(3, 10, figsize=(7, 2.3), layout="constrained")
for line, rows, name in zip(axes, (reference, model_a, model_b), ("real", "A", "B"), strict=True):
    line[0].set_ylabel(name, rotation=0, ha="right", va="center")
    for axis, row in zip(line, rows, strict=False):
        axis.imshow(row.reshape(8, 8), cmap="gray_r")
        axis.set(xticks=[], yticks=[])
plt.show()

# %% [markdown]
# ## Rule 1: one bandwidth, from the reference
#
# It is found once, on real digits, and kept. Results remember it, and refuse to be set beside a result with another
# one, or with another n.

# %%
bandwidth = bandwidth_for_rke(reference, 10.0, kernel=fkeax.Gaussian(1.0), key=jax.random.key(0))
print(f"bandwidth {bandwidth.value:.2f}, from the rule: {bandwidth.source}")
scores = {
    name: fkeax.score(rows, bandwidth=bandwidth, orders=(1.0,), intervals=True)
    for name, rows in (("real", held_out), ("A", model_a), ("B", model_b))
}
for name, found in scores.items():
    vendi, population = found["vendi-1"], found["rke-population"]
    print(
        f"{name:5} VENDI-1 {vendi.value:6.2f} +- {vendi.stderr:.2f}   "
        f"RKE {population.value:6.2f} +- {population.stderr:.2f}"
    )
assert scores["A"]["vendi-1"].value < 0.7 * scores["real"]["vendi-1"].value
assert abs(difference(scores["B"]["rke-population"], scores["real"]["rke-population"]).z) < 2

fewer = fkeax.vendi(model_a[:250], bandwidth=bandwidth)
try:
    check_comparable(scores["B"]["vendi-1"], fewer)
    raise AssertionError("scores at different n were compared")
except NotComparableError as error:
    print("refused:", error)

# %% [markdown]
# Model A blends digits, and blends are alike: it has half of the effective modes. Model B is as diverse as real
# digits. Diversity alone does not say good: random pixels would beat both.
#
# ## Rule 2: a distance needs an error, and its floor
#
# KID to the reference, with its standard error. The floor is what real, held-out digits get: the best that a model
# could do.

# %%
kids = {name: fkeax.kid(reference, rows) for name, rows in (("real", held_out), ("A", model_a), ("B", model_b))}
figure, axis = plt.subplots(figsize=(5, 2.4), layout="constrained")
for place, (name, result) in enumerate(kids.items()):
    low, high = result.diagnostics["interval"]
    print(f"{name:5} KID {result.value:8.5f} +- {result.stderr:.5f}   interval {low:8.5f} to {high:8.5f}")
    axis.errorbar(result.value, place, xerr=[[result.value - low], [high - result.value]], marker="o", color="black")
axis.axvline(0, linestyle=":", color="black")
axis.set(yticks=range(3), yticklabels=kids, xlabel="KID in pixels, 95 %")
axis.locator_params(axis="x", nbins=5)
plt.show()
apart = difference(kids["A"], kids["B"])
print(f"B less A: {apart.difference:.5f}, z = {apart.z:.1f}; the rule says beyond the errors: {apart.beyond}")

# %% [markdown]
# KID is unbiased: a value below 0 means as near as fresh data of the same law. Its cubic kernel looks at three
# moments only, and the moments of a Gaussian fit are right on purpose, but for the clipping.
#
# ## Rule 3: ask a test that sees more than one scale
#
# MMDAgg looks through twenty kernels at once and still rejects a true null hypothesis in at most 5 % of all cases.

# %%
tests = {
    name: fkeax.two_sample_test(reference, rows, key=jax.random.key(3), num_permutations=500)
    for name, rows in (("real", held_out), ("A", model_a), ("B", model_b))
}
for name, test in tests.items():
    print(f"{name:5} rejected: {test.reject!s:5}  p = {test.p_value:.3f}")
assert tests["A"].reject
assert not tests["B"].reject
assert not tests["real"].reject

# %% [markdown]
# ## Rule 4: look for copies
#
# Model B passes everything so far, as it should: it shows real digits. (Had it drawn them with replacement, the
# repeated rows would have given it away to the small bandwidths of the test.) Only rows that it was trained on,
# beside rows that it was not, give it away. C_T is a z-score; below -3 means nearer to the training rows than fresh
# data are.

# %%
copies = {name: copying(training, held_out, rows) for name, rows in (("A", model_a), ("B", model_b))}
for name, found in copies.items():
    fresh = found["authenticity"].diagnostics["held_out"]
    print(
        f"{name}  C_T {found['c-t'].value:7.1f}   "
        f"authentic {found['authenticity'].value:.2f} (fresh digits {fresh:.2f})"
    )
assert copies["B"]["c-t"].value < -3 < copies["A"]["c-t"].value

# %% [markdown]
# ## Rule 5: more than one seed, and the bias said
#
# MAUVE rests on k-means and reads low when buckets are many for the rows there are. The result averages several
# quantizers, three here; the debiased value stands beside it, and so does what two samples of one law would score at
# this size.

# %%
mauve = {}
for name, rows in (("real", held_out), ("A", model_a), ("B", model_b)):
    found = fkeax.frontier.frontier(reference, rows, num_seeds=3, key=jax.random.key(4))
    plain, debiased = found["mauve"], found["mauve-debiased"]
    mauve[name] = plain
    print(
        f"{name:5} MAUVE {plain.value:.3f} +- {plain.stderr:.3f}   "
        f"debiased {debiased.value:.3f} +- {debiased.stderr:.3f}"
    )
assert mauve["real"].value < 1  # two halves of one law
assert mauve["A"].value + 2 * mauve["A"].stderr < mauve["real"].value

# %% [markdown]
# **What we may say.** A is told from real digits by a test at level 5 %, though its first moments are right. B is not
# told from real digits, and copies its training set. Each number above came with n, its bandwidth or kernel, an
# error, and the value that real data get.
