"""How the command line behaves whatever is computed: pipes, exit codes, useless options, what the help imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest

import fkeax.cli.relative
import fkeax.cli.score
from fkeax.cli.main import main
from fkeax.io import read_results, read_table

Run = Callable[..., str]
Complaint = Callable[..., str]


@pytest.fixture
def ref(gen: Path) -> Path:
    """A reference of 50 x 6 features beside the generated ones."""
    path = gen.with_name("ref.npy")
    np.save(path, np.random.default_rng(2).normal(size=(50, 6)).astype(np.float32) + 1)
    return path


SCORE = ("score", "gen.npy", "--bandwidth", "2", "--metrics", "rke")


# Pipes


@pytest.mark.parametrize(
    "words",
    [
        SCORE,
        ("test", "ref.npy", "gen.npy", "--method", "mmd", "--num-permutations", "99"),
        ("curve", "gen.npy", "--over", "order", "--values", "1,2", "--bandwidth", "2"),
        ("modes", "gen.npy", "--bandwidth", "2"),
    ],
)
def test_json_for_a_pipe_is_all_of_standard_output(
    ref: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert main([*words, "--json", "-"]) == 0
    piped = capsys.readouterr()
    document = json.loads(piped.out)
    assert document["provenance"]["command"].startswith(f"fkeax {words[0]} ")
    assert main(list(words)) == 0
    alone = capsys.readouterr()
    assert piped.err == alone.out  # the table moves to standard error, whole
    assert sorted(path.name for path in ref.parent.iterdir()) == ["gen.npy", "ref.npy"]


def test_the_json_of_a_pipe_reads_back(gen: Path, capsys: pytest.CaptureFixture[str], run: Run) -> None:
    assert main([*SCORE, "--json", "-"]) == 0
    Path("piped.json").write_text(capsys.readouterr().out)
    run(*SCORE, "--json", "written.json")
    assert read_results("piped.json").results == read_results("written.json").results


def test_a_complaint_leaves_the_pipe_empty(gen: Path, complaint: Complaint) -> None:
    assert "does not exist" in complaint("score", "none.npy", "--bandwidth", 2, "--json", "-")


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_tables_hold_the_results(gen: Path, run: Run, name: str) -> None:
    output = run(*SCORE, "--json", "out.json", "--table", name)
    assert f"written: {name}" in output
    assert read_table(name) == read_results("out.json").results


def test_outputs_are_checked_before_computing(
    gen: Path, complaint: Complaint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fkeax.cli.score, "_compute", None)
    assert "a table must be a .csv or .parquet file" in complaint(*SCORE, "--table", "out.txt")
    assert "--table 'gen.npy' is the file of features itself" in complaint(*SCORE, "--table", "gen.npy")
    both = complaint(*SCORE, "--json", "o.csv", "--table", "o.csv")
    assert "--table 'o.csv' is another output of the command" in both
    assert "--cache 'gen.npy' is a file; expected a folder" in complaint(*SCORE, "--cache", "gen.npy")
    if Path("/proc").is_dir():
        assert "cannot write '/proc/x': '/proc' is the kernel's" in complaint(*SCORE, "--json", "/proc/x")
        assert "cannot write '/proc/version'" in complaint(*SCORE, "--table", "/proc/version")


# Exit codes


def test_a_score_without_a_value_is_exit_code_1(gen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("one.npy", np.load(gen)[:1])
    assert main(["score", "one.npy", "--bandwidth", "2", "--metrics", "rke", "--json", "out.json"]) == 1
    captured = capsys.readouterr()
    found = {result.name: result for result in read_results("out.json").results}
    assert found["rke"].value == pytest.approx(1.0)
    assert found["rke-population"].value is None
    assert f"note: rke-population has no value: {found['rke-population'].diagnostics['reason']}" in captured.out
    assert captured.err == ""


# Options that do nothing


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--ref", "ref.npy", "--metrics", "kid", "--bandwidth", 2), "--bandwidth is for vendi, "),
        (("--ref", "ref.npy", "--metrics", "kid", "--kernel", "cosine"), "--metrics kid asks for none of them"),
        (("--ref", "ref.npy", "--metrics", "kid", "--orders", "1"), "--orders is for vendi, vendi-debiased, "),
        (("--ref", "ref.npy", "--metrics", "kid", "--groups", "g.npy"), "--groups is for "),
        (("--ref", "ref.npy", "--metrics", "kid", "--like", "paper"), "--like is for mauve, fi, mid, and"),
        (("--bandwidth", 2, "--metrics", "rke", "--orders", "1"), "--metrics rke asks for none of them; leave it out"),
        (("--bandwidth", 2, "--metrics", "vendi", "--num-kept", 3), "--num-kept is for vendi-truncated, and"),
        (("--bandwidth", 2, "--metrics", "rke", "--intervals"), "--intervals is for vendi, and"),
        (("--bandwidth", 2, "--metrics", "vendi", "--groups", "g.npy"), "--groups changes rke-population and "),
        (("--bandwidth", 2, "--metrics", "rke", "--like", "exact"), "--like is for mauve"),
    ],
)
def test_options_that_change_nothing_are_refused(
    ref: Path, complaint: Complaint, words: tuple[object, ...], sentence: str
) -> None:
    np.save("g.npy", np.arange(40) // 2)
    assert sentence in complaint("score", "gen.npy", *words)


@pytest.mark.parametrize(
    ("over", "option"),
    [("order", "--orders"), ("num-frequencies", "--num-frequencies"), ("bandwidth", "--bandwidth")],
)
def test_the_axis_of_a_curve_is_given_once(gen: Path, complaint: Complaint, over: str, option: str) -> None:
    words = () if over == "bandwidth" else ("--bandwidth", 2)
    line = complaint("curve", "gen.npy", "--over", over, "--values", "1,2", *words, option, 1)
    assert line == f"{option} is what the curve goes over; give its values with --values only."


def test_options_of_another_route_are_noted(gen: Path, run: Run) -> None:
    output = run(*SCORE, "--num-frequencies", 100, "--features", "iid", "--num-landmarks", 5)
    assert "note: --features, --num-frequencies changed nothing: the exact route has no random features" in output
    assert "note: --num-landmarks changed nothing: the exact route has no landmarks" in output
    assert "changed nothing" not in run(*SCORE)
    assert "note: --num-frequencies changed nothing" in run(
        "modes", "gen.npy", "--bandwidth", 2, "--num-frequencies", 100
    )


def test_a_recorded_command_can_be_given_again(ref: Path, run: Run) -> None:
    run("score", "gen.npy", "--ref", "ref.npy", "--metrics", "kid", "--json", "out.json")
    command = read_results("out.json").provenance["command"]
    assert "--orders" not in command
    run(*command.split()[1:])


def test_the_foot_of_a_curve_names_its_range(gen: Path, run: Run) -> None:
    output = run("curve", "gen.npy", "--over", "bandwidth", "--values", "1,2", "--metrics", "rke")
    assert "40 samples of dimension 6; gaussian kernel, bandwidth 1 to 2 (the axis)" in output
    sizes = ("--over", "num-samples", "--values", "10,40", "--bandwidth", 2, "--metrics", "rke")
    assert "data: 10 to 40 (the axis) samples of dimension 6" in run("curve", "gen.npy", *sizes)


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("curve", "gen.npy", "--over", "num-samples", "--values", "10,41", "--bandwidth", "1"), "--values must be"),
        (("test", "ref.npy", "gen.npy", "--alpha", "2"), "--alpha must lie between 0 and 1"),
        (
            ("score", "gen.npy", "--method", "fkea", "--kernel", "laplace-l1", "--bandwidth", "1", "--features",
             "orthogonal"),
            "--features must be iid or sobol",
        ),
    ],
)  # fmt: skip
def test_complaints_name_the_option(ref: Path, complaint: Complaint, words: tuple[str, ...], option: str) -> None:
    assert complaint(*words).startswith(option)


# The cache


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was computed and not taken from a cache."""
    calls: list[str] = []
    for module, name in ((fkeax.cli.score, "_compute"), (fkeax.cli.relative, "scores")):
        original = getattr(module, name)

        def counted(
            *arguments: object, _original: Callable[..., object] = original, _name: str = name, **options: object
        ):
            calls.append(_name)
            return _original(*arguments, **options)

        monkeypatch.setattr(module, name, counted)
    return calls


def test_scores_are_computed_once(ref: Path, run: Run, computed: list[str]) -> None:
    words = ("score", "gen.npy", "--ref", "ref.npy", "--metrics", "rke,kid", "--bandwidth", 2, "--cache", "cache")
    first = run(*words, "--json", "first.json")
    assert computed == ["_compute", "scores"]
    second = run(*words, "--json", "second.json", "--table", "second.csv")
    assert computed == ["_compute", "scores"]
    assert "from the cache cache: diversity, reference" in second
    assert "from the cache" not in first
    one, two = read_results("first.json"), read_results("second.json")
    assert one.results == two.results
    assert (one.provenance["from_cache"], two.provenance["from_cache"]) == ([], ["diversity", "reference"])


def test_other_settings_are_computed(ref: Path, run: Run, computed: list[str]) -> None:
    for more in ((), ("--seed", 1), ("--kernel", "matern32"), ("--dtype", "float64"), ("--metrics", "rke,rke")):
        run(*SCORE, "--cache", "cache", *more)
    assert len(computed) == 5


def test_a_file_overwritten_in_place_is_computed_again(
    gen: Path, run: Run, computed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FKEAX_SCORE_CACHE", "cache")
    run(*SCORE, "--json", "first.json")
    before = gen.stat()
    other = np.load(gen) * np.float32(1.5)
    with open(gen, "r+b") as stream:
        np.save(stream, other)
    os.utime(gen, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = gen.stat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)
    run(*SCORE, "--json", "second.json")
    assert len(computed) == 2
    assert read_results("first.json").results[0].value != read_results("second.json").results[0].value


# The process


def child(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fkeax", *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}, timeout=120
    )


def test_help_imports_nothing_that_takes_long() -> None:
    """What keeps help below 0.3 s of CPU (`benchmarks.run --family start` has its time): of packages, Typer's alone."""
    words = "import sys; sys.argv = ['fkeax', '--help']; from fkeax.cli.main import main\n"
    words += "try: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=False, timeout=120)
    loaded = {name.partition(".")[0] for name in ran.stderr.split()}
    packages = {name for name in loaded & set(packages_distributions()) if not name.startswith("_")}
    assert "typer" in packages
    assert packages <= {"fkeax", "typer", "shellingham", "annotated_doc"}


def test_completion_knows_commands_and_options() -> None:
    def complete(line: str) -> list[str]:
        position = str(len(line.split()) - (0 if line.endswith(" ") else 1))
        found = child(_FKEAX_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=position)
        assert found.returncode == 0, found.stderr
        return found.stdout.split()

    assert complete("fkeax sc") == ["score"]
    assert complete("fkeax score --bandwidth") == ["--bandwidth", "--bandwidth-from"]
    # The shell is named: what runs the tests need not be one.
    named = child("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_fkeax_completion" in named.stdout


PREALLOCATION = """
import os, sys
from fkeax.cli.main import main
main(["--version"])
print(os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"], "jax" in sys.modules)
"""


@pytest.mark.parametrize(("given", "kept"), [(None, "false"), ("true", "true")])
def test_gpu_memory_is_not_taken_beforehand_unless_asked(given: str | None, kept: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "XLA_PYTHON_CLIENT_PREALLOCATE"}
    if given is not None:
        environment["XLA_PYTHON_CLIENT_PREALLOCATE"] = given
    command = [sys.executable, "-c", PREALLOCATION]
    output = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert output.split()[-2:] == [kept, "False"]
