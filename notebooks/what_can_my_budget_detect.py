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
# # What can my budget detect?
#
# "KID did not change" may mean that nothing changed, or that KID at this sample size could not have seen it. This
# notebook makes changes of known size on real digits, predicts what a kernel test sees of them, and checks the
# predictions by running the tests.

# %%
import jax
import matplotlib.pyplot as plt
import numpy as np

from fkeax import Gaussian
from fkeax.datasets import load_digits
from fkeax.sensitivity import (
    CHANGES,
    apply_change,
    describe_corpus,
    predict_leading,
    samples_needed,
    smallest_detectable,
)
from fkeax.twosample import mmd_test

rows = load_digits().features
corpus = describe_corpus(jax.random.key(0), rows)
print(
    f"{len(rows)} digits, spread rho = {corpus.rho:.2f}, "
    f"effective dimension {corpus.effective_dimension:.1f} of {rows.shape[1]}"
)

# %% [markdown]
# ## Changes of known size
#
# A strength is a distance: 0.1 moves the law by a tenth of its own spread, in the sense of optimal transport. So
# different kinds of changes can be set side by side.

# %%
changed = {
    name: apply_change(name, jax.random.key(1), corpus, rows[:10], 0.3) for name in ("shift", "contraction", "rotation")
}
figure, axes = plt.subplots(4, 10, figsize=(7, 3), layout="constrained")
for line, (name, shown) in zip(
    axes, {"real": rows[:10], **{k: v.samples for k, v in changed.items()}}.items(), strict=True
):
    line[0].set_ylabel(name, rotation=0, ha="right", va="center")
    for axis, row in zip(line, np.asarray(shown), strict=True):
        axis.imshow(row.reshape(8, 8), cmap="gray_r")
        axis.set(xticks=[], yticks=[])
plt.show()
for name, found in changed.items():
    print(f"{name:12} moves the law by {found.w2 / corpus.rho:.3f} rho ({found.w2_kind})")
    assert abs(found.w2 / corpus.rho - 0.3) < 0.01

# %% [markdown]
# ## What theory expects
#
# For a kernel test of n rows a side the expected z follows from the spectrum of the data alone. Here are KID's cubic
# kernel and a Gaussian one at the median distance, at the 0.1 change:


# %%
def predict(kernel, change, strength):
    return predict_leading(kernel, corpus, CHANGES[change].affine(jax.random.key(1), strength, corpus, None))


KERNELS = ("kid", "gaussian-median")
print(f"{'change':12} {'kernel':16} {'z at 500':>9} {'power':>6} {'rows for 80 %':>14}")
for change in ("shift", "contraction", "rotation"):
    for kernel in KERNELS:
        found = predict(kernel, change, 0.1)
        needed = samples_needed(found, power=0.8)
        print(f"{change:12} {kernel:16} {found.z(500):9.2f} {found.power(500):6.2f} {needed:14,}")
assert predict("kid", "shift", 0.1).power(500) > 0.9 > 0.5 > predict("kid", "rotation", 0.1).power(500)

# %% [markdown]
# A shift is easy for both. A rotation of the same size, which keeps the mean and every eigenvalue, is out of reach
# for both at 500 rows. The smallest change that is seen with a power of 80 %, against the budget:

# %%
budgets = (100, 200, 400, 800, 1600, 3200, 6400, 12800)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
smallest = {}
for axis, kernel in zip(axes, KERNELS, strict=True):
    for change in ("shift", "contraction", "rotation"):
        found = [smallest_detectable(lambda s, c=change, k=kernel: predict(k, c, s), n, largest=0.9) for n in budgets]
        smallest[kernel, change] = found
        axis.loglog(budgets, [np.nan if value is None else value for value in found], marker="o", label=change)
    axis.set(xlabel="rows a side", title=kernel)
axes[0].set_ylabel("smallest detectable strength")
axes[0].legend()
plt.show()
shift = smallest["kid", "shift"]
assert abs(np.log2(shift[0] / shift[-1]) / 7 - 0.5) < 0.05  # as 1 / sqrt(n)

# %% [markdown]
# ## Does the prediction hold?
#
# 20 draws of 300 rows a side, a Gaussian kernel at the median distance, a permutation test at level 5 %:

# %%
bandwidth = float(np.sqrt(2) * corpus.rho)  # near the median distance
random = np.random.default_rng(0)
observed, expected = {}, {}
for change, strength in (("null", 0.0), ("shift", 0.05), ("shift", 0.1), ("contraction", 0.2), ("rotation", 0.2)):
    rejected = []
    for draw in range(20):
        chosen = random.permutation(len(rows))[:600]
        x, y = rows[chosen[:300]], rows[chosen[300:]]
        if change != "null":
            y = np.asarray(apply_change(change, jax.random.key(draw), corpus, y, strength).samples)
        test = mmd_test(x, y, kernel=Gaussian(bandwidth), key=jax.random.key(100 + draw), num_permutations=99)
        rejected.append(test.reject)
    observed[change, strength] = np.mean(rejected)
    expected[change, strength] = 0.05 if change == "null" else predict("gaussian-median", change, strength).power(300)
    print(
        f"{change:12} {strength:.2f}: expected power {expected[change, strength]:.2f}, "
        f"rejected {np.sum(rejected)} of 20"
    )
# The rate of 20 draws is within 0.4 of the power but once in some ten thousand times.
assert all(abs(observed[name] - expected[name]) < 0.4 for name in observed)
assert observed["null", 0.0] <= 0.3
assert observed["shift", 0.1] >= 0.6

# %% [markdown]
# **To remember**: a distance that did not move is evidence only against changes that its kernel sees at your n.
# `fkeax audit FILE --n N` runs this for six tests on your own embeddings, and ends in a sentence to put beside the
# number.
