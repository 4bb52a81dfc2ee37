from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fkeax.io import check_writable, open_atomic, write_bytes, write_npz, write_text

# Imports one module from its file: a child process that starts in no time.
KILLED_IN_THE_MIDDLE = """
import signal, sys, time
from fkeax.io.atomic import open_atomic
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent in the background hands down that it is ignored
with open_atomic(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_writer_leaves_the_old_content(tmp_path: Path, kill: signal.Signals) -> None:
    target = tmp_path / "out.json"
    target.write_bytes(b"old")
    with subprocess.Popen(
        [sys.executable, "-c", KILLED_IN_THE_MIDDLE, str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(kill)
        child.wait(timeout=30)
    assert target.read_bytes() == b"old"
    others = [path.name for path in tmp_path.iterdir() if path != target]
    # Nobody can clean up after SIGKILL; what is left does not pass for a result.
    assert all(name.startswith(".") and name.endswith(".tmp") for name in others)
    assert len(others) == (1 if kill == signal.SIGKILL else 0)


@pytest.mark.parametrize("fault", [RuntimeError, KeyboardInterrupt])
def test_an_exception_leaves_nothing(tmp_path: Path, fault: type[BaseException]) -> None:
    target = tmp_path / "new.bin"

    def write_half() -> None:
        with open_atomic(target) as stream:
            stream.write(b"half")
            raise fault

    with pytest.raises(fault):
        write_half()
    assert list(tmp_path.iterdir()) == []


def test_writes_replace_and_follow_the_umask(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    old = os.umask(0o027)
    try:
        write_text(target, "first")
        write_text(target, "é±")
    finally:
        os.umask(old)
    assert target.read_bytes() == "é±".encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_device_is_written_directly() -> None:
    write_bytes("/dev/null", b"gone")
    assert not Path("/dev/null").is_file()


def test_a_long_name_fits(tmp_path: Path) -> None:
    write_bytes(tmp_path / ("n" * 255), b"x")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"x"


def test_npz_round_trip_without_pickle(tmp_path: Path) -> None:
    write_npz(tmp_path / "a.npz", {"x": np.arange(3), "y": np.eye(2)})
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert archive["x"].tolist() == [0, 1, 2]
        assert archive["y"].shape == (2, 2)
    with pytest.raises(TypeError, match="array 'bad' holds Python objects"):
        write_npz(tmp_path / "b.npz", {"bad": np.array([{}])})
    assert not (tmp_path / "b.npz").exists()


def test_check_writable_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        check_writable(tmp_path / "none" / "out.json")
    (tmp_path / "file").touch()
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        check_writable(tmp_path / "file" / "out.json")
    assert check_writable(tmp_path / "out.json") == tmp_path / "out.json"
    assert not (tmp_path / "out.json").exists()
