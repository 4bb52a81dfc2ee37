"""Kernels in one word, as settings and the command line write them: ``rational-quadratic:alpha=0.5``."""

from __future__ import annotations

import dataclasses

from fkeax.kernels.protocol import Kernel
from fkeax.kernels.registry import by_name, kernel_entry


def parse_kernel(text: str) -> tuple[str, dict[str, float]]:
    """Return the name and the parameters of a kernel written as ``name`` or ``name:parameter=number,...``.

    Raises:
        ValueError: If a parameter is not written as ``parameter=number``. Whether name and parameters exist is checked
            by :func:`fkeax.kernels.by_name`.

    Example:
        >>> parse_kernel("polynomial:degree=3,scale=0.01"), parse_kernel("gaussian")
        (('polynomial', {'degree': 3, 'scale': 0.01}), ('gaussian', {}))
    """
    name, _, words = text.partition(":")
    parameters: dict[str, float] = {}
    for word in words.split(",") if words else ():
        parameter, equals, number = (part.strip() for part in word.partition("="))
        try:
            value = float(number)
        except ValueError:
            value = None
        if not equals or not parameter or value is None:
            raise ValueError(
                f"kernel parameters are written as in 'rational-quadratic:alpha=0.5'; got {word!r} in {text!r}."
            )
        if parameter in parameters:
            raise ValueError(f"{parameter} is given twice in {text!r}.")
        # A degree is a whole number; the others are traced, and take the dtype of a float.
        parameters[parameter] = int(value) if parameter == "degree" and value.is_integer() else value
    return name.strip(), parameters


def kernel_family(text: str) -> Kernel:
    """Return the kernel that a text names, at bandwidth 1 if it has one.

    Raises:
        ValueError: If name, parameters or their values are not those of a kernel.

    Example:
        >>> kernel_family("rational-quadratic:alpha=0.5")
        RationalQuadratic(bandwidth=1.0, alpha=0.5)
    """
    name, parameters = parse_kernel(text)
    return by_name(name, 1.0 if kernel_entry(name).needs_bandwidth else None, **parameters)


def kernel_parameters(kernel: Kernel) -> str | None:
    """Return the parameters of a kernel beside its bandwidth as they are written, or None if it has none.

    Example:
        >>> from fkeax.kernels import Gaussian, RationalQuadratic
        >>> kernel_parameters(RationalQuadratic(2.0, 0.5)), kernel_parameters(Gaussian(2.0))
        ('alpha=0.5', None)
    """
    fields = dataclasses.fields(kernel)  # pyright: ignore[reportArgumentType]  (every kernel is a dataclass)
    shown = [
        f"{field.name}={float(getattr(kernel, field.name) or 0):g}"
        for field in fields
        # The order of a Matern kernel is a part of its name.
        if field.name not in ("bandwidth", "nu")
    ]
    return ",".join(shown) or None
