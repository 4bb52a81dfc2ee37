"""`fkeax diff`: equal settings only, errors where they are known, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fkeax.cli.main import main
from fkeax.io import write_results
from fkeax.results import Result

Run = Callable[..., str]
Complaint = Callable[..., str]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(path: str, value: float = 8.0, *, reference: str | None = None, stderr: float | None = 0.3, **own: object):
    settings = {"bandwidth": 7.0, "num_samples": 500, "seed": [0, 0], **own}
    results = [
        Result("rke", value, stderr, settings, {"stderr_method": "of the frequencies"}),
        Result("vendi-1", 2 * value, None, settings, {}),
        Result("kid", value / 100, 0.01, {"n_ref": 50, "n_gen": 500}, {}),
    ]
    inputs = [] if reference is None else [{"path": "r.npy", "sha256": reference * 64, "role": "reference"}]
    write_results(path, results, {"inputs": inputs})


def test_values_errors_and_verdicts(run: Run) -> None:
    write("a.json", 8.0, seed=[0, 0])
    write("b.json", 9.0, seed=[0, 5], dtype="float64")
    output = run("diff", "a.json", "b.json", "--json", "d.json")
    document = json.loads(Path("d.json").read_text())
    found = {one["name"]: one for one in document["differences"]}
    assert found["rke"]["z"] == pytest.approx(1 / (0.3 * 2**0.5))
    assert found["rke"]["beyond"] is True
    assert found["vendi-1"]["stderr"] is None
    assert found["vendi-1"]["beyond"] is None
    assert found["kid"]["beyond"] is False
    for words in ("beyond the errors", "no error known", "within the errors", "independent", "of the frequencies"):
        assert words in output


def test_other_settings_are_refused_unless_told(capsys: pytest.CaptureFixture[str], run: Run) -> None:
    write("a.json", num_samples=500)
    write("b.json", num_samples=400, bandwidth=5.0)
    assert main(["diff", "a.json", "b.json"]) == 1
    output = capsys.readouterr().out
    assert "not compared: bandwidth is 7.0 and 5.0; num_samples is 500 and 400" in output
    assert "--ignore" in output
    assert main(["diff", "a.json", "b.json", "--ignore", "n"]) == 1
    assert "not compared: bandwidth is 7.0 and 5.0\n" in capsys.readouterr().out
    run("diff", "a.json", "b.json", "--ignore", "n,bandwidth")


def test_another_reference_is_another_setting(capsys: pytest.CaptureFixture[str], run: Run) -> None:
    write("a.json", reference="1")
    write("b.json", reference="2")
    assert main(["diff", "a.json", "b.json"]) == 1
    # Only the score against the reference: the diversity of the samples knows none.
    assert (
        "note: kid: not compared: reference is sha256 111111111111 and sha256 222222222222" in capsys.readouterr().out
    )
    run("diff", "a.json", "b.json", "--ignore", "reference")


def test_a_score_of_one_file_only(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.json")
    write_results("b.json", [Result("fi", 0.1, None, {}, {})], {})
    assert main(["diff", "a.json", "b.json"]) == 1
    output = capsys.readouterr().out
    assert "rke, vendi-1, kid: not compared: only the first has it" in output
    assert "fi: not compared: only the second has it" in output


def test_json_for_pipes(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.json")
    assert main(["diff", "a.json", "a.json", "--json", "-"]) == 0
    captured = capsys.readouterr()
    assert [one["difference"] for one in json.loads(captured.out)["differences"]] == [0.0, 0.0, 0.0]
    assert "verdict" in captured.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("a.json", "none.json"), "'none.json': No such file or directory"),
        (("a.json", "text.json"), "'text.json' is not a strict JSON file"),
        (("a.json", "empty.json", "--ignore", "bandwith"), "--ignore must be one of"),
        (("empty.json", "empty.json"), "'empty.json' and 'empty.json' hold no results"),
        (("a.json", "a.json", "--ignore", "n,,"), "--ignore must be a list separated by commas"),
        (("a.json", "a.json", "--json", "a.json"), "give another name"),
        (("a.json",), "Missing argument 'B.json'"),
    ],
)
def test_bad_input(complaint: Complaint, words: tuple[str, ...], sentence: str) -> None:
    write("a.json")
    write_results("empty.json", [], {})
    Path("text.json").write_text("rke 7")
    assert sentence in complaint("diff", *words)
