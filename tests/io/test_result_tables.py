from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fkeax.io import read_table, write_table
from fkeax.results import Result

RESULTS = [
    Result(
        "vendi-1",
        0.1 + 0.2,
        1e-300,
        {"order": 1.0, "bandwidth": 7.0, "num_samples": 500, "seed": [0, 7], "kernel": 'a "b", c\nd é', "flag": True},
        {"interval": [0.25, 0.5], "warnings": ["low, and\nlower"]},
    ),
    Result("vendi-inf", 2.5, None, {"order": "inf", "bandwidth": 3, "name": "x", "large": 10**30}, {}),
    Result("rke-population", None, None, {"order": 2.0, "bandwidth": None}, {"reason": "not positive"}),
]


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "OUT.CSV"])
@pytest.mark.parametrize("results", [RESULTS, RESULTS[1:2], RESULTS[2:], []])
def test_round_trip(tmp_path: Path, name: str, results: list[Result]) -> None:
    write_table(tmp_path / name, results)
    assert read_table(tmp_path / name) == results
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_columns_of_a_csv(tmp_path: Path) -> None:
    write_table(tmp_path / "out.csv", RESULTS)
    with open(tmp_path / "out.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["value"] for row in rows] == ["0.30000000000000004", "2.5", ""]
    assert [row["interval_high"] for row in rows] == ["0.5", "", ""]
    assert [row["reason"] for row in rows] == ["", "", "not positive"]
    assert [row["order"] for row in rows] == ["1.0", "inf", "2.0"]
    assert [row["settings.name"] for row in rows] == ["", "x", ""]
    assert "seed" not in rows[0]


def test_types_of_a_parquet_file(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write_table(tmp_path / "out.parquet", RESULTS)
    schema = parquet.read_schema(tmp_path / "out.parquet")
    kinds = {name: str(schema.field(name).type) for name in schema.names}
    assert kinds["value"] == kinds["stderr"] == kinds["interval_low"] == kinds["bandwidth"] == "double"
    assert kinds["num_samples"] == "int64"
    assert kinds["flag"] == "bool"
    assert kinds["order"] == kinds["name"] == "string"
    column = parquet.read_table(tmp_path / "out.parquet").column("value")
    assert column.null_count == 1


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("bad.csv", b"\xff\xfe", "is not a CSV file"),
        ("bad.csv", b"a,b\n1,2\n", "is no table of results: it lacks the column 'name'"),
        ("bad.csv", b"name,value,stderr,settings,diagnostics\nx,nan,,{},{}\n", "has a bad row 1: value is nan"),
        ("bad.csv", b"name,value,stderr,settings,diagnostics\nx,1,,{,{}\n", "has a bad row 1"),
        ("bad.csv", b'name,value,stderr,settings,diagnostics\nx,"1\n', "is not a CSV file"),
        ("bad.parquet", b"PAR1 and no more", "is not a Parquet file"),
        ("bad.json", b"{}", "a table must be a .csv or .parquet file"),
    ],
)
def test_bad_tables_get_one_sentence(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=r"table|file|row") as caught:
        read_table(tmp_path / name)
    assert sentence in str(caught.value)
    assert name in str(caught.value)


# Whatever is written through `open_atomic` stops before its bytes are safe on the disk, and says so.
STOPPED = """
import os, sys, time
from fkeax.results import Result
def stop(descriptor):
    print("ready", flush=True)
    time.sleep(60)
os.fsync = stop
results = [Result("rke", 9.0, None, {}, {})]
"""
WRITERS = {
    "out.json": "from fkeax.io import write_results; write_results(sys.argv[1], results, {})",
    "out.csv": "from fkeax.io import write_table; write_table(sys.argv[1], results)",
}


@pytest.mark.parametrize("name", list(WRITERS))
def test_a_killed_writer_of_results_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    target.write_bytes(b"old")
    with subprocess.Popen(
        [sys.executable, "-c", STOPPED + WRITERS[name], str(target)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=30)
    assert target.read_bytes() == b"old"
    assert all(path == target or path.name.endswith(".tmp") for path in tmp_path.iterdir())
