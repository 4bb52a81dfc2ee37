from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from fkeax.io import ResultCache
from fkeax.results import Result


class Counter:
    """A score that counts how often it is computed: the sum of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.calls = 0

    def __call__(self) -> Mapping[str, Result]:
        self.calls += 1
        return {"sum": Result("sum", float(np.load(self.path).sum()), None, {"order": "inf"}, {"trace": 1.5})}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "x.npy"
    np.save(path, np.arange(6.0).reshape(3, 2))
    return path


def look_up(data: Path, compute: Counter, folder: str = "cache", **settings: object) -> Result:
    return ResultCache(data.parent / folder, [data], settings).results("all", compute)["sum"]


def test_computed_once(data: Path) -> None:
    compute = Counter(data)
    first, second = look_up(data, compute), look_up(data, compute)
    assert first == second == compute()["sum"]
    assert compute.calls == 2


def test_overwriting_in_place_never_returns_the_old_score(data: Path) -> None:
    compute = Counter(data)
    assert look_up(data, compute).value == 15.0
    before = data.stat()
    with open(data, "r+b") as stream:  # the same inode, name, size and times
        content = bytearray(stream.read())
        content[-8:] = np.float64(7.0).tobytes()
        stream.seek(0)
        stream.write(content)
    os.utime(data, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = data.stat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)
    assert look_up(data, compute).value == 17.0
    assert compute.calls == 2


def test_a_copy_under_another_name_is_the_same_content(data: Path) -> None:
    compute = Counter(data)
    look_up(data, compute)
    copy = data.with_name("copy.npy")
    copy.write_bytes(data.read_bytes())
    assert look_up(copy, compute).value == 15.0
    assert compute.calls == 1


def test_every_setting_is_in_the_key(data: Path) -> None:
    compute = Counter(data)
    for settings in ({}, {"bandwidth": 1.0}, {"bandwidth": 2.0}, {"bandwidth": 2.0, "seed": 1}):
        look_up(data, compute, **settings)
    assert compute.calls == 4
    ResultCache(data.parent / "cache", [data], {}).results("another part", compute)
    assert compute.calls == 5


def test_another_version_computes_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compute = Counter(data)
    look_up(data, compute)
    monkeypatch.setattr("fkeax.__version__", "99.0")
    look_up(data, compute)
    assert compute.calls == 2


def test_an_input_that_changes_while_it_is_read_is_not_kept(data: Path) -> None:
    cache = ResultCache(data.parent / "cache", [data], {})

    def compute() -> Mapping[str, Result]:
        np.save(data, np.ones((3, 2)))
        return {"sum": Result("sum", 15.0, None, {}, {})}

    assert cache.results("all", compute)["sum"].value == 15.0
    assert not (data.parent / "cache").exists()


def damaged(content: bytes) -> list[bytes]:
    entry = json.loads(content)
    other = json.dumps({**entry, "key": "0" * 64}).encode()
    digits = content.replace(b"15.0", b"16.0")
    assert digits != content
    return [b"", content[: len(content) // 2], b"{}", b"[]", b"\xff", digits, other]


@pytest.mark.parametrize("kind", range(7))
def test_a_damaged_entry_is_computed_again_and_replaced(data: Path, kind: int) -> None:
    compute = Counter(data)
    look_up(data, compute)
    (entry,) = (data.parent / "cache").iterdir()
    content = entry.read_bytes()
    entry.write_bytes(damaged(content)[kind])
    assert look_up(data, compute).value == 15.0
    assert compute.calls == 2
    assert entry.read_bytes() == content


KILLED = """
import os, sys, time
from pathlib import Path
from fkeax.io import ResultCache
from fkeax.results import Result
def stop(descriptor):
    print("ready", flush=True)
    time.sleep(60)
os.fsync = stop
cache = ResultCache(Path(sys.argv[1]), [sys.argv[2]], {})
cache.results("all", lambda: {"sum": Result("sum", -1.0, None, {}, {})})
"""


def test_a_kill_in_the_middle_of_a_write_leaves_no_entry(data: Path) -> None:
    folder = data.parent / "cache"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder), str(data)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=30)
    (left,) = folder.iterdir()
    assert left.name.startswith(".")
    assert left.name.endswith(".tmp")
    compute = Counter(data)
    assert look_up(data, compute).value == 15.0
    assert compute.calls == 1
