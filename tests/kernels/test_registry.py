"""Kernels by name."""

from __future__ import annotations

import pytest

from fkeax import kernels

PARAMETERS = {"rational-quadratic": {"alpha": 2.0}, "polynomial": {"degree": 3, "scale": 0.5}}


@pytest.mark.parametrize("name", kernels.KERNELS)
def test_every_name_builds_its_kernel(name):
    entry = kernels.kernel_entry(name)
    kernel = kernels.by_name(name, 2.0 if entry.needs_bandwidth else None, **PARAMETERS.get(name, {}))
    assert kernel.name == name
    assert kernel.shift_invariant == entry.needs_bandwidth == isinstance(kernel, kernels.SpectralKernel)
    assert isinstance(kernel, kernels.ExplicitKernel) != kernel.shift_invariant
    assert isinstance(kernel, kernels.L1Kernel) == (name == "laplace-l1")
    if kernel.shift_invariant and name != "laplace-l1":
        assert isinstance(kernel, kernels.RadialKernel)


@pytest.mark.parametrize(
    ("arguments", "parameters", "words"),
    [
        (("gausian", 1.0), {}, "got 'gausian'; did you mean 'gaussian'\\?"),
        (("rbf", 1.0), {}, "kernel must be one of gaussian, .*polynomial; got 'rbf'\\."),
        (("matern32",), {}, "bandwidth is needed for the matern32 kernel"),
        (("cosine", 1.0), {}, r"bandwidth has no meaning for the cosine kernel; leave it out \(got 1\.0\)"),
        (("rational-quadratic", 1.0), {}, "alpha must be given for the rational-quadratic kernel"),
        (("polynomial",), {"degree": 3}, "scale must be given for the polynomial kernel"),
        (("polynomial",), {"degree": 3, "scal": 1.0}, "scal is no parameter .* did you mean 'scale'\\?"),
        (("gaussian", 1.0), {"alpha": 1.0}, "alpha is no parameter of the gaussian kernel, it has none\\."),
        (("gaussian", -1.0), {}, "bandwidth must be a positive number; got -1"),
    ],
)
def test_errors_are_one_sentence(arguments, parameters, words):
    with pytest.raises(ValueError, match=words):
        kernels.by_name(*arguments, **parameters)
