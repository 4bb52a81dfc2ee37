"""Arrays only: sums that stream, symmetric products and spectra, trigonometry, input checks. Knows no metric."""

from fkeax.numerics import accumulate, batching, checks, host_products, linalg, logspace, trig

__all__ = ["accumulate", "batching", "checks", "host_products", "linalg", "logspace", "trig"]
