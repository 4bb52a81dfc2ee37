"""Options that would change nothing are refused, or noted where only the route decides: never silently ignored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fkeax.cli import options, outputs, relative

VENDI = ("vendi", "vendi-debiased", "vendi-truncated")
WITH_KERNEL = (*options.METRICS, "mmd", *relative.NOVELTY)
ON_FEATURES = (*options.METRICS, "finc", "rrke")
# Parameters of `fkeax score` and `fkeax curve`, and the metrics that each is for; one that is not here is for all.
METRICS_OF = {
    "orders": VENDI,
    "num_kept": ("vendi-truncated",),
    "intervals": ("vendi",),
    "kernel": WITH_KERNEL,
    "bandwidth": WITH_KERNEL,
    "bandwidth_from": WITH_KERNEL,
    "method": options.METRICS,
    "num_frequencies": ON_FEATURES,
    "feature_scheme": ON_FEATURES,
    "num_draws": options.METRICS,
    "num_landmarks": options.METRICS,
    "batch_size": ON_FEATURES,
    "memory_budget": options.METRICS,
    "spectrum": VENDI,
    "groups": options.METRICS,
    "labels": options.METRICS,
    "eta": ("ken", "finc"),
    "like": relative.FRONTIER,
}
OF_FEATURES = ("num_frequencies", "feature_scheme", "num_draws")
WORDS = {"feature_scheme": "--features"}


def refuse_idle(context: outputs.Context, metrics: Sequence[str]) -> None:
    """Refuse options that change none of the scores asked for.

    Args:
        context: Of the command.
        metrics: All metrics that were asked for.

    Raises:
        ValueError: An option was given that nothing uses; the sentence says what it is for.
    """
    for parameter, reason in idle(metrics, intervals=bool(context.params.get("intervals"))).items():
        if outputs.given(context, parameter):
            raise ValueError(f"{_word(parameter)} {reason}; leave it out.")


def idle(metrics: Sequence[str], *, intervals: bool) -> dict[str, str]:
    """Return the parameters that change none of some scores, with what each is for."""
    found = {
        parameter: f"is for {', '.join(using)}, and --metrics {','.join(metrics)} asks for none of them"
        for parameter, using in METRICS_OF.items()
        if not set(using) & set(metrics)
    }
    if "groups" not in found and "rke" not in metrics and not intervals:
        found["groups"] = "changes rke-population and --intervals only, and neither is asked for"
    return found


def without(named: Mapping[str, Any], parameters: Iterable[str]) -> dict[str, Any]:
    """Return options of a recorded command without those that did nothing, so that it can be run again as it is."""
    words = {_word(parameter) for parameter in parameters}
    return {word: value for word, value in named.items() if word not in words}


def notes_on_route(context: outputs.Context, route: object) -> list[str]:
    """Say which of the given options did nothing because the route that was taken has no use for them."""
    notes = []
    for parameters, owner, what in (
        (OF_FEATURES, "fkea", "random features"),
        (("num_landmarks",), "nystrom", "landmarks"),
    ):
        given = [] if route == owner else outputs.given(context, *parameters)
        if given:
            notes.append(f"note: {', '.join(given)} changed nothing: the {route} route has no {what}")
    return notes


def _word(parameter: str) -> str:
    return WORDS.get(parameter, f"--{parameter.replace('_', '-')}")
