"""`python -m experiments.sensitivity.render_tunes TUNES SOUNDS`: folk tunes in ABC notation as sounds, one file a tune.

A helper for the music spaces: six corpora of the collection in the package music21 (`corpus/`), some 330 tunes of each,
the first line of notes of each played once on the piano of a sound font. Needs the programs abc2midi and fluidsynth;
what is rendered already is kept.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

CORPORA = {
    "aird": ("airdsAirs/*.abc",),
    "china": ("essenFolksong/han*.abc",),
    "germany": ("essenFolksong/erk*.abc", "essenFolksong/boehme*.abc"),
    "lorraine-luxembourg": ("essenFolksong/lot.abc", "essenFolksong/lux.abc"),
    "oneill": ("oneills1850/*.abc",),
    "ryan": ("ryansMammoth/*.abc",),
}
SAMPLE_RATE = 16000
REPEATS = re.compile(r":\||\|:|::")
FIELDS = re.compile(r"^[A-JN-Z]:")  # titles and remarks, which the sound does not need; K, L and M stay


def main(words: Sequence[str] | None = None) -> int:
    """Render the tunes; return 1 if a corpus is missing."""
    parser = argparse.ArgumentParser(prog="python -m experiments.sensitivity.render_tunes", description=__doc__)
    parser.add_argument("tunes", type=Path, help="music21's folder corpus/, unpacked from its wheel")
    parser.add_argument("sounds", type=Path, help="where a folder for each corpus is made")
    parser.add_argument("--soundfont", type=Path, default=Path("/usr/share/sounds/sf2/TimGM6mb.sf2"))
    parser.add_argument("--count", type=int, default=330, help="tunes of each corpus, evenly spaced (330)")
    options = parser.parse_args(words)
    for corpus, patterns in CORPORA.items():
        found = [
            tune for pattern in patterns for path in sorted(options.tunes.glob(pattern)) for tune in tunes_of(path)
        ]
        if not found:
            print(f"error: {str(options.tunes)!r} holds no {' nor '.join(patterns)}.", file=sys.stderr)
            return 1
        chosen = (
            range(len(found))
            if len(found) <= options.count
            else [place * len(found) // options.count for place in range(options.count)]
        )
        rendered = sum(
            render(found[place], options.sounds / corpus / f"{place:05d}.wav", options.soundfont) for place in chosen
        )
        print(f"{corpus}: {rendered} of {len(chosen)} tunes ({len(found)} in the collection)", flush=True)
    return 0


def tunes_of(path: Path) -> list[str]:
    """Return the tunes of an ABC file, each with the lines that its sound follows from."""
    text = path.read_text(encoding="latin-1").replace("\r\n", "\n")
    parts = re.split(r"(?m)^X:", text)[1:]
    return [tune for tune in map(_beginning, parts) if tune is not None]


def _beginning(part: str) -> str | None:
    """Return key, metre, length of notes and the first line of notes; None for what is no tune."""
    lines = [line for line in part.splitlines()[1:] if line.strip() and not FIELDS.match(line)]
    keys = [number for number, line in enumerate(lines) if line.startswith("K:")]
    if not keys:
        return None
    return "\n".join(
        ["X:1", *lines[: keys[0] + 1], *(REPEATS.sub("|", line) for line in lines[keys[0] + 1 : keys[0] + 2]), ""]
    )


def render(tune: str, path: Path, soundfont: Path) -> bool:
    """Write one tune as a sound; return whether there is one."""
    if path.is_file():
        return True
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        abc, midi, wave = (Path(folder, f"tune.{suffix}") for suffix in ("abc", "mid", "wav"))
        abc.write_text(tune, encoding="latin-1")
        _give("abc2midi", str(abc), "-o", str(midi), "-silent")
        if not midi.is_file():
            return False
        _give(
            "fluidsynth",
            "-ni",
            "-g",
            "0.8",
            "-R",
            "0",
            "-C",
            "0",
            "-r",
            str(SAMPLE_RATE),
            "-F",
            str(wave),
            str(soundfont),
            str(midi),
        )
        if not wave.is_file():
            return False
        path.write_bytes(wave.read_bytes())
    return True


def _give(*words: str) -> None:
    subprocess.run(words, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
