"""What the first call costs: seconds with and without compiling, and how many functions are compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.case import Case, Family, Scale
from benchmarks.data import pair
from benchmarks.timing import Contender

_NAMES = ("score, FKEA", "score, exact", "mmd_test", "mmdagg", "mauve", "prdc")
_EVENT = "/jax/core/compile/backend_compile_duration"


class CompileCount:
    """Counts what JAX compiles from now on."""

    def __init__(self) -> None:
        import jax

        self.number = 0
        jax.monitoring.register_event_duration_secs_listener(self._hear)

    def _hear(self, event: str, duration_secs: float, **_: object) -> None:
        self.number += event == _EVENT

    def during(self, call: Callable[[], object]) -> float:
        """Return how many functions one call compiled."""
        before = self.number
        call()
        return float(self.number - before)


def _calls(n: int, d: int) -> dict[str, Callable[[float], object]]:
    """Return public calls by name; each takes a bandwidth, which must not compile anything when it changes."""
    import jax

    import fkeax
    from fkeax.twosample import mmd_test, mmdagg, prdc

    key = jax.random.key(0)
    x, y = pair(n, d)
    return {
        "score, FKEA": lambda b: fkeax.score(x, bandwidth=b, method="fkea", num_frequencies=50, key=key),
        "score, exact": lambda b: fkeax.score(x, bandwidth=b, method="exact"),
        "mmd_test": lambda b: mmd_test(x, y, key=key, bandwidth=b, num_permutations=99),
        "mmdagg": lambda b: mmdagg(x, y * np.float32(b), key=key, num_permutations=99),
        "mauve": lambda b: fkeax.mauve(x * np.float32(b), y, num_buckets=20, num_seeds=1, key=key),
        "prdc": lambda b: prdc(x * np.float32(b), y),
    }


def _first_and_second(name: str, n: int, d: int) -> list[Contender]:
    import jax

    jax.block_until_ready(jax.random.normal(jax.random.key(0), (3,)))  # the backend is up
    count = CompileCount()
    call = _calls(n, d)[name]
    return [
        Contender("first call", lambda: count.during(lambda: call(3.0)), compared=False),
        Contender("again, another number", lambda: count.during(lambda: call(4.0)), compared=False),
    ]


def _cases(scale: Scale) -> Sequence[Case]:
    n = 60 if scale == "smoke" else 500
    names = ("mmd_test",) if scale == "smoke" else _NAMES
    return [
        Case(
            name,
            f"n={n}, d=8",
            lambda name=name: _first_and_second(name, n, 8),
            0.0,
            "counts are shown",
            True,
            threads=1,
            once=True,
        )
        for name in names
    ]


FAMILY = Family(
    "Compiling",
    "The first call in a process with its imports done, one round whatever was asked for, and the same call with "
    "another bandwidth or other data. Values are numbers of functions compiled; those of the second call should be 0.",
    _cases,
)
