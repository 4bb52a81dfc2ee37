from __future__ import annotations

from fkeax.results import Result, paired, varying_settings


def make(name: str, value: float, **settings: object) -> Result:
    return Result(name, value, None, {"kernel": "gaussian", **settings}, {})


def values(pairs: list[tuple[str, Result | None, Result | None]]) -> list[tuple[str, float | None, float | None]]:
    return [(label, a and a.value, b and b.value) for label, a, b in pairs]


def test_by_name_whatever_differs_between_the_sets() -> None:
    first = [make("rke", 1, bandwidth=2.0), make("vendi-1", 2, bandwidth=2.0)]
    second = [make("vendi-1", 3, bandwidth=5.0), make("kid", 4)]
    assert values(paired(first, second)) == [("rke", 1, None), ("vendi-1", 2, 3), ("kid", None, 4)]


def test_a_curve_by_what_varies_along_it() -> None:
    first = [make("rke", n, num_samples=n, seed=[0, 0]) for n in (10, 20, 30)]
    second = [make("rke", -n, num_samples=n, seed=[0, 1]) for n in (30, 20)]
    assert values(paired(first, second)) == [
        ("rke (num_samples 10)", 10, None),
        ("rke (num_samples 20)", 20, -20),
        ("rke (num_samples 30)", 30, -30),
    ]


def test_one_point_of_a_curve() -> None:
    curve = [make("rke", n, num_samples=n) for n in (10, 20)]
    assert values(paired(curve, [make("rke", 7, num_samples=20)])) == [
        ("rke (num_samples 10)", 10, None),
        ("rke (num_samples 20)", 20, 7),
    ]


def test_several_models_by_their_files() -> None:
    models = [make("mauve", number, generated=f"{number}.npy") for number in (1, 2)]
    assert values(paired(models, models[::-1])) == [
        ("mauve (generated 1.npy)", 1, 1),
        ("mauve (generated 2.npy)", 2, 2),
    ]


def test_twins_pair_in_order() -> None:
    twins = [make("rke", 1), make("rke", 2)]
    assert values(paired(twins, twins)) == [("rke", 1, 1), ("rke", 2, 2)]


def test_the_seed_never_tells_apart() -> None:
    assert varying_settings([make("rke", 1, seed=[0, 0]), make("rke", 1, seed=[0, 1], order=2)]) == ["order"]
