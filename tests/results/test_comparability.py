from __future__ import annotations

import pytest

from fkeax.results import NotComparableError, Result, check_comparable, differences

SETTINGS = {"bandwidth": 16.0, "num_samples": 500, "order": "inf", "num_frequencies": None, "seed": [0, 0]}


def make(name: str = "rke", **settings: object) -> Result:
    return Result(name, 1.0, None, {**SETTINGS, **settings}, {})  # type: ignore[dict-item]


def test_equal_settings_are_comparable() -> None:
    assert differences(make(), make()) == {}
    check_comparable(make(), make())


@pytest.mark.parametrize("key", ["seed", "bandwidth_source", "dtype"])
def test_what_never_matters(key: str) -> None:
    check_comparable(make(**{key: "a"}), make(**{key: "b"}))


@pytest.mark.parametrize(
    ("key", "value"), [("bandwidth", 10.0), ("num_samples", 501), ("order", 2.0), ("num_frequencies", 2000), ("new", 1)]
)
def test_every_other_setting_matters(key: str, value: object) -> None:
    a, b = make(), make(**{key: value})
    expected = {key: (SETTINGS.get(key), value)}
    assert differences(a, b) == expected
    assert differences(b, a) == {key: (value, SETTINGS.get(key))}
    with pytest.raises(NotComparableError, match=f"not comparable: {key} is "):
        check_comparable(a, b)
    check_comparable(a, b, ignoring=[key])


def test_names_matter_unless_ignored() -> None:
    assert differences(make("rke"), make("vendi-2")) == {"name": ("rke", "vendi-2")}
    check_comparable(make("rke"), make("vendi-2"), ignoring={"name"})


def test_one_sentence_names_all_differences() -> None:
    with pytest.raises(
        ValueError, match=r"^the results are not comparable: bandwidth is 16\.0 and 7\.0; n is None and 3\.$"
    ):
        check_comparable(make(), make(bandwidth=7.0, n=3))


def test_ignoring_one_string_is_refused() -> None:
    with pytest.raises(TypeError, match=r"such as \['name'\]"):
        differences(make(), make(), ignoring="name")
