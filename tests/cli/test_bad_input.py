from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Complaint = Callable[..., str]

OPTIONS = [
    (["--bandwidth", "0"], r"between 0 and 1; got '0'."),
    (["--bandwidth", "-1"], "got '-1'"),
    (["--bandwidth", "nan"], "got 'nan'"),
    (["--bandwidth", "inf"], "got 'inf'"),
    (["--bandwidth", "foo"], "got 'foo'"),
    (["--bandwidth", "1", "--num-frequencies", "0"], "'--num-frequencies': expected a whole number of at least 1, got"),
    (["--bandwidth", "1", "--num-frequencies", "-3"], "got '-3'"),
    (["--bandwidth", "1", "--num-frequencies", "2.5"], "got '2.5'"),
    (["--bandwidth", "1", "--batch-size", "0"], "'--batch-size': expected a whole number of at least 1, got '0'"),
    (["--bandwidth", "1", "--seed", "x"], "'--seed': expected a whole number from 0 to 4294967295, got 'x'"),
    (["--bandwidth", "1", "--seed", "-1"], "got '-1'"),
    (["--bandwidth", "1", "--seed", "99999999999"], "got '99999999999'"),
    (["--bandwidth", "1", "--kernel", "gausian"], "linear, polynomial, got 'gausian'; did you mean 'gaussian'?"),
    (["--bandwidth", "1", "--method", "exakt"], "did you mean 'exact'?"),
    (["--bandwidth", "1", "--dtype", "float16"], "--dtype must be one of auto, float32, float64, got 'float16'"),
    (["--kernel", "cosine", "--bandwidth", "1"], "--bandwidth has no meaning for the cosine kernel; leave it out"),
    (["--bandwith", "7"], "No such option: --bandwith. Did you mean --bandwidth"),
    (["--bandwidth"], "requires an argument"),
    (["--bandwidth", "1", "--json", "no/such/out.json"], "cannot write 'no/such/out.json': 'no/such' does not exist"),
    (["--bandwidth", "1", "--json", "."], "it is a folder"),
    (["--bandwidth", "1", "--json", "./gen.npy"], "is the file of features itself"),
]  # fmt: skip

SCORE_OPTIONS = [
    (["--metrics", "vendi,vendy"], "got 'vendy'; did you mean 'vendi'?"),
    (["--metrics", ""], "without empty entries, got ''"),
    (["--orders", "1,x"], "--orders must be numbers of at least 0 or 'inf', such as 1,1.5,2,inf, got 'x'"),
    (["--orders", "-1"], "got '-1'"),
    (["--orders", "nan"], "got 'nan'"),
    (["--orders", "1,,2"], "without empty entries, got '1,,2'"),
    (["--num-draws", "0"], "'--num-draws': expected a whole number of at least 1"),
    (["--metrics", "vendi-truncated"], "vendi-truncated needs --num-kept"),
    (["--features", "ortho"], "--features must be one of iid, orthogonal, stratified, orthogonal-stratified, sobol"),
    (["--bandwidth-from", "gen.npy"], "--bandwidth-from needs a rule as --bandwidth: median, rke=NUMBER or mean-k2"),
    (["--groups", "gen.npy"], "--groups 'gen.npy' must hold 40 whole numbers or words, one for each row; it holds"),
    (["--groups", "none.npy"], "none.npy"),
    (["--kernel", "rational-quadratic"], "alpha must be given for the rational-quadratic kernel"),
    (["--kernel", "rational-quadratic:alpha"], "kernel parameters are written as in 'rational-quadratic:alpha=0.5'"),
    (["--kernel", "matern32:nu=3"], "nu is no parameter of the matern32 kernel"),
    (
        ["--method", "fkea", "--kernel", "laplace-l1", "--features", "orthogonal"],
        "must be iid or sobol for the laplace",
    ),
]

CURVE_OPTIONS = [
    (
        ["--over", "n", "--values", "10"],
        "--over must be one of num-samples, bandwidth, num-frequencies, order, got 'n'",
    ),
    (
        ["--over", "num-samples", "--values", "10,x"],
        "--values must be numbers of at least 0, such as 100,300,1000; got",
    ),
    (
        ["--over", "num-samples", "--values", "10,41"],
        "must be whole numbers from 2 to 40, the number of samples; got 41",
    ),
    (["--over", "bandwidth", "--values", "1,2"], "--bandwidth is what the curve goes over"),
    (["--over", "num-frequencies", "--values", "2.5"], "values"),
    (["--over", "order", "--values", "1", "--metrics", "rke"], "metrics"),
]

MODES_OPTIONS = [
    (["--top", "0"], "'--top': expected a whole number of at least 1"),
    (["--samples", "0"], "'--samples': expected a whole number of at least 1"),
    (["--image-shape", "2,2"], "image shape 2,2 holds 4 values, but every row has 6"),
    (["--image-shape", "2,3,1,1"], "--image-shape must be H,W or H,W,C"),
    (["--image-shape", "a,b"], "--image-shape must be H,W or H,W,C such as 28,28,1, got 'a,b'"),
    (["--image-shape", "1,3,2"], "C of 1 or 3"),
    (["--image-shape", "2,3", "--images", "."], "give one of them"),
    (["--images", "none"], "--images 'none' does not exist; expected a folder of image files"),
    (["--images", "gen.npy"], "--images 'gen.npy' is not a folder"),
    (["--images", "."], "--images '.' holds 0 image files, but 'gen.npy' has 40 rows"),
    (["--image-shape", "2,3", "--out", "gen.npy"], "cannot write pictures to 'gen.npy': it is a file"),
    (["--out", "pictures"], "say what to show with --images DIR or --image-shape"),
]


@pytest.mark.parametrize("command", ["score", "modes"])
@pytest.mark.parametrize(("words", "sentence"), OPTIONS)
def test_bad_options(gen: Path, complaint: Complaint, command: str, words: list[str], sentence: str) -> None:
    assert sentence in complaint(command, "gen.npy", *words)
    assert list(gen.parent.iterdir()) == [gen]


@pytest.mark.parametrize(("words", "sentence"), SCORE_OPTIONS)
def test_bad_options_of_score(gen: Path, complaint: Complaint, words: list[str], sentence: str) -> None:
    assert sentence in complaint("score", gen, "--bandwidth", 1, *words)


@pytest.mark.parametrize(("words", "sentence"), CURVE_OPTIONS)
def test_bad_options_of_curve(gen: Path, complaint: Complaint, words: list[str], sentence: str) -> None:
    assert sentence in complaint("curve", gen, "--bandwidth", 1, *words)


@pytest.mark.parametrize(("words", "sentence"), MODES_OPTIONS)
def test_bad_options_of_modes(gen: Path, complaint: Complaint, words: list[str], sentence: str) -> None:
    assert sentence in complaint("modes", "gen.npy", "--bandwidth", 1, *words)
    assert list(gen.parent.iterdir()) == [gen]


@pytest.mark.parametrize("command", ["score", "modes"])
def test_no_bandwidth_shows_both_forms(gen: Path, complaint: Complaint, command: str) -> None:
    line = complaint(command, gen)
    assert "'--bandwidth 7'" in line
    assert "'--bandwidth median'" in line
    assert "comparable only at one shared bandwidth" in line


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Missing command; see 'fkeax --help'."),
        (["scroe"], "No such command 'scroe'. Did you mean 'score'"),
        (["score"], "Missing argument 'GEN.npy'; see 'fkeax score --help'."),
        (["score", "a.npy", "b.npy"], "unexpected extra argument"),
        (["--nonsense"], "No such option: --nonsense"),
        (["demo", "extra"], "unexpected extra argument"),
    ],
)
def test_usage(complaint: Complaint, words: list[str], sentence: str) -> None:
    assert sentence in complaint(*words)


def object_array() -> np.ndarray:
    array = np.empty((2, 2), dtype=object)
    array[:] = 1.0
    return array


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.zeros(4), "holds a 1-D array of shape (4,); expected a 2-D numeric array, one row per sample"),
        (np.array([["a", "b"]]), "holds strings"),
        (object_array(), "holds Python objects, which are never unpickled"),
        (np.zeros((0, 3)), "n = 0 samples"),
        (np.zeros((3, 0)), "d = 0 features"),
        (np.zeros((2, 2), dtype=complex), "holds complex numbers"),
    ],
)
@pytest.mark.parametrize("command", ["score", "modes"])
def test_bad_arrays(gen: Path, complaint: Complaint, command: str, array: Any, sentence: str) -> None:
    np.save("bad.npy", array)
    line = complaint(command, "bad.npy", "--bandwidth", 7, "--json", "out.json")
    assert line.startswith("'bad.npy' ")
    assert sentence in line
    assert not Path("out.json").exists()


@pytest.mark.parametrize("command", ["score", "modes"])
@pytest.mark.parametrize("method", ["exact", "fkea"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_rows_that_are_not_finite_are_named(
    gen: Path, complaint: Complaint, command: str, method: str, bad: float
) -> None:
    array = np.load(gen)
    array[17, 2] = bad
    array[33, 5] = bad
    np.save("bad.npy", array)
    words = ["--method", method, "--num-frequencies", 8, "--batch-size", 10, "--json", "out.json"]
    line = complaint(command, "bad.npy", "--bandwidth", 7, *words)
    assert line.startswith("'bad.npy' ")
    assert "17" in line
    assert not Path("out.json").exists()


def test_missing_files_and_other_formats(gen: Path, complaint: Complaint) -> None:
    assert complaint("score", "none.npy", "--bandwidth", 7).startswith("'none.npy' does not exist")
    Path("empty").mkdir()
    assert "holds no file of features" in complaint("score", "empty", "--bandwidth", 7)
    Path("text.npy").write_text("1 2\n3 4\n")
    assert "is no file of features" in complaint("score", "text.npy", "--bandwidth", 7)
    Path("cut.npy").write_bytes(gen.read_bytes()[:-1])
    assert "is truncated" in complaint("score", "cut.npy", "--bandwidth", 7)


class Bomb:
    """Unpickling this would create a folder."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, ("exploded",))


def test_a_pickle_is_never_run(gen: Path, complaint: Complaint) -> None:
    array = np.empty((1, 1), dtype=object)
    array[0, 0] = Bomb()
    np.save("bomb.npy", array, allow_pickle=True)
    assert "never unpickled" in complaint("score", "bomb.npy", "--bandwidth", 7)
    Path("raw.npy").write_bytes(pickle.dumps(Bomb()))
    assert "is a pickle, which is never unpickled" in complaint("score", "raw.npy", "--bandwidth", 7)
    assert not Path("exploded").exists()


def test_a_file_without_permission(gen: Path, complaint: Complaint) -> None:
    gen.chmod(0)
    if os.access(gen, os.R_OK):
        pytest.skip("this user may read every file")
    assert "Permission denied" in complaint("score", gen, "--bandwidth", 7)


@pytest.mark.parametrize("name", ["a\nb.npy", "[red]x.npy", "ü.npy"])
def test_odd_names_stay_on_one_line(gen: Path, complaint: Complaint, name: str) -> None:
    assert "does not exist" in complaint("score", name, "--bandwidth", 7)


def test_demo_into_a_file(gen: Path, complaint: Complaint) -> None:
    assert "it is a file; expected a folder" in complaint("demo", "--out", gen)


@pytest.mark.parametrize(
    "words",
    [
        ("score", "gen.npy", "--ref", "other.npy", "--metrics", "kid", "--json", "other.npy"),
        ("score", "gen.npy", "--bandwidth", "median", "--bandwidth-from", "other.npy", "--json", "other.npy"),
        ("score", "gen.npy", "--bandwidth", "2", "--groups", "other.npy", "--json", "other.npy"),
        ("test", "other.npy", "gen.npy", "--json", "other.npy"),
        ("frontier", "gen.npy", "other.npy", "--json", "other.npy"),
        ("curve", "gen.npy", "--over", "bandwidth", "--values", "1", "--groups", "other.npy", "--json", "other.npy"),
    ],
)
def test_no_output_overwrites_an_input(gen: Path, complaint: Complaint, words: tuple[str, ...]) -> None:
    other = gen.with_name("other.npy")
    np.save(other, np.load(gen) + 1)
    before = other.read_bytes()
    assert "give another name" in complaint(*words)
    assert other.read_bytes() == before


def test_two_outputs_need_two_names(gen: Path, complaint: Complaint) -> None:
    words = ("--over", "order", "--values", "1", "--bandwidth", "2", "--json", "o.svg", "--figure", "o.svg")
    assert "--figure 'o.svg' is another output of the command" in complaint("curve", gen, *words)


def test_a_reference_of_another_width_gives_no_bandwidth(gen: Path, complaint: Complaint) -> None:
    np.save("wide.npy", np.ones((5, 7)))
    line = complaint("score", gen, "--bandwidth", "median", "--bandwidth-from", "wide.npy")
    assert "--bandwidth-from 'wide.npy' has 7 columns and 'gen.npy' has 6" in line.replace(str(gen), "gen.npy")
