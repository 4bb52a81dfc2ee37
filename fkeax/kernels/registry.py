"""Kernels by name: what settings files and the command line say."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from fkeax.kernels.gaussian import Gaussian
from fkeax.kernels.inner_product import Cosine, Linear, Polynomial
from fkeax.kernels.laplace import LaplaceL1, LaplaceL2
from fkeax.kernels.matern import Matern
from fkeax.kernels.protocol import Kernel, Scalar
from fkeax.kernels.rational_quadratic import RationalQuadratic


@dataclass(frozen=True)
class KernelEntry:
    """How to build a kernel.

    Attributes:
        build: Takes the bandwidth, where there is one, and the parameters by name.
        needs_bandwidth: Whether it has a bandwidth; exactly these kernels are shift-invariant and have random features.
        parameters: Names of the parameters that must be given.
        optional: Names of those that have a default.
    """

    build: Callable[..., Kernel]
    needs_bandwidth: bool
    parameters: tuple[str, ...]
    optional: tuple[str, ...]


def _entry(kernel: type, **fixed: object) -> KernelEntry:
    fields = [field for field in dataclasses.fields(kernel) if field.name not in ("bandwidth", *fixed)]
    required = tuple(field.name for field in fields if field.default is dataclasses.MISSING)
    return KernelEntry(
        build=partial(kernel, **fixed),
        needs_bandwidth="bandwidth" in {field.name for field in dataclasses.fields(kernel)},
        parameters=required,
        optional=tuple(field.name for field in fields if field.name not in required),
    )


KERNELS: dict[str, KernelEntry] = {
    "gaussian": _entry(Gaussian),
    "laplace-l1": _entry(LaplaceL1),
    "laplace-l2": _entry(LaplaceL2),
    "matern12": _entry(Matern, nu=0.5),
    "matern32": _entry(Matern, nu=1.5),
    "matern52": _entry(Matern, nu=2.5),
    "rational-quadratic": _entry(RationalQuadratic),
    "cosine": _entry(Cosine),
    "linear": _entry(Linear),
    "polynomial": _entry(Polynomial),
}


def kernel_entry(name: object) -> KernelEntry:
    """Return how to build the kernel of this name.

    Raises:
        ValueError: If there is none; the sentence suggests a close name.
    """
    if not isinstance(name, str) or name not in KERNELS:
        raise ValueError(f"kernel must be one of {', '.join(KERNELS)}; got {name!r}{_suggestion(name, KERNELS)}")
    return KERNELS[name]


def by_name(name: str, bandwidth: Scalar | None = None, **parameters: Scalar | None) -> Kernel:
    """Return a kernel by its name, its bandwidth where it has one, and its parameters.

    Args:
        name: gaussian, laplace-l1, laplace-l2, matern12, matern32, matern52, rational-quadratic, cosine, linear or
            polynomial.
        bandwidth: For all but the last three, which have none.
        parameters: ``alpha`` of the rational quadratic kernel; ``degree``, ``scale`` and optionally ``offset`` of the
            polynomial one.

    Raises:
        ValueError: If the name is unknown, or a number is missing, superfluous or out of range.

    Example:
        >>> by_name("rational-quadratic", 2.0, alpha=1.5)
        RationalQuadratic(bandwidth=2.0, alpha=1.5)
        >>> by_name("gausian", 1.0)
        Traceback (most recent call last):
        ValueError: kernel must be one of gaussian, ..., polynomial; got 'gausian'; did you mean 'gaussian'?
    """
    entry = kernel_entry(name)
    if entry.needs_bandwidth and bandwidth is None:
        raise ValueError(f"bandwidth is needed for the {name} kernel: a positive number in the units of the data.")
    if not entry.needs_bandwidth and bandwidth is not None:
        raise ValueError(f"bandwidth has no meaning for the {name} kernel; leave it out (got {bandwidth!r}).")
    allowed = (*entry.parameters, *entry.optional)
    for parameter in parameters:
        if parameter not in allowed:
            has = f"it has {' and '.join(allowed)}" if allowed else "it has none"
            raise ValueError(
                f"{parameter} is no parameter of the {name} kernel, {has}{_suggestion(parameter, allowed)}"
            )
    missing = [parameter for parameter in entry.parameters if parameters.get(parameter) is None]
    if missing:
        raise ValueError(f"{' and '.join(missing)} must be given for the {name} kernel.")
    return entry.build(**({"bandwidth": bandwidth} if entry.needs_bandwidth else {}), **parameters)


def _suggestion(name: object, allowed: Iterable[str]) -> str:
    close = difflib.get_close_matches(str(name), list(allowed), n=1)
    return f"; did you mean {close[0]!r}?" if close else "."
