"""The checker behind the annotations of fkeax while the tests run."""

from __future__ import annotations

from beartype import BeartypeConf, beartype

# `float` means "a real number" in annotations, as PEP 484 has it: an int is welcome where a float is.
check = beartype(conf=BeartypeConf(is_pep484_tower=True))
