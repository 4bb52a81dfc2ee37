from __future__ import annotations

import json
import math
import os
import time
from pathlib import Path

import pytest

from fkeax.io import check_inputs, describe_run, read_results, write_json, write_results
from fkeax.results import Result

RESULTS = [
    Result("vendi-inf", 2.5, None, {"order": "inf", "bandwidth": 7.0}, {"warnings": []}),
    Result("rke-population", None, None, {"order": 2.0}, {"reason": "not positive"}),
]


def test_round_trip(tmp_path: Path) -> None:
    write_results(tmp_path / "out.json", RESULTS, {"seed": 0})
    opened = read_results(tmp_path / "out.json")
    assert opened.results == RESULTS
    assert opened.provenance == {"seed": 0}
    document = json.loads((tmp_path / "out.json").read_text())
    assert list(document) == ["results", "provenance"]
    assert list(document["results"][0]) == ["name", "value", "stderr", "settings", "diagnostics"]
    assert document["results"][0]["stderr"] is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not a strict JSON file"),
        ("[]", "is not a result file; expected"),
        ('{"results": {}}', "is not a result file; expected"),
        ('{"results": [], "provenance": 1}', "provenance that is no object"),
        ('{"results": [{"name": "x"}]}', r"bad entry results\[0\]: .*lacks 'value'"),
        ('{"results": [{"name": "x", "value": NaN}]}', "is not a strict JSON file: the JSON text holds NaN"),
        ('{"results": [3]}', r"bad entry results\[0\]: a result must be a dict, got int"),
    ],
)
def test_bad_files_get_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=sentence) as caught:
        read_results(path)
    assert str(caught.value).startswith(f"'{path}'")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is not a strict JSON file"):
        read_results(tmp_path / "bad.json")


def test_a_number_that_is_not_finite_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    write_json(path, {"a": 1})
    with pytest.raises(ValueError, match=r"^provenance\.x is nan"):
        write_results(path, RESULTS, {"x": math.nan})
    assert json.loads(path.read_text()) == {"a": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_provenance_says_where_a_number_came_from(tmp_path: Path) -> None:
    path = tmp_path / "a b.npy"
    path.write_bytes(b"abc")
    told = describe_run(command=["fkeax", "score", str(path)], seed=0, inputs=[path], started=time.time() - 1)
    assert told["command"] == f"fkeax score '{path}'"
    assert told["inputs"][0]["bytes"] == 3
    assert told["inputs"][0]["sha256"].startswith("ba7816bf")
    assert told["packages"]["jax"]
    assert told["packages"]["fkeax"]
    assert told["device"]["platform"]
    assert told["cwd"] == os.getcwd()
    assert "role" not in told["inputs"][0]
    assert told["started"].endswith("+00:00")
    assert 1 <= told["seconds"] < 60
    write_json(tmp_path / "p.json", told)


def test_provenance_says_which_input_was_the_reference(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("ref.npy", "gen.npy")]
    for path in paths:
        path.write_bytes(b"abc")
    told = describe_run(command=["fkeax"], seed=0, inputs=paths, started=time.time(), references=paths[:1])
    assert [entry.get("role") for entry in told["inputs"]] == ["reference", None]


def test_inputs_are_checked_by_their_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.npy").write_bytes(b"abc")
    told = describe_run(command=["fkeax"], seed=0, inputs=["x.npy"], started=time.time())
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    check_inputs(told, tmp_path)
    with pytest.raises(FileNotFoundError, match=r"x\.npy' does not exist"):
        check_inputs(told, tmp_path / "elsewhere")
    before = (tmp_path / "x.npy").stat()
    (tmp_path / "x.npy").write_bytes(b"abd")
    os.utime(tmp_path / "x.npy", ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(ValueError, match=r"has changed since the result was computed: its SHA-256 was ba7816bf8f01"):
        check_inputs(told, tmp_path)


def test_provenance_of_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "bad\udcff.npy"
    try:
        path.write_bytes(b"")
    except OSError:
        pytest.skip("this file system takes only names that are text")
    told = describe_run(command=["fkeax", str(path)], seed=None, inputs=[path], started=time.time())
    write_json(tmp_path / "p.json", told)
