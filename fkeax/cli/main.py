"""The entry point of the `fkeax` command and the place where every fault becomes one line."""

from __future__ import annotations

import dis
import os
import sys
import traceback
from collections.abc import Sequence

import typer

import fkeax
from fkeax.cli import curve, demo, frontier, modes, score, two_sample

app = typer.Typer(
    name="fkeax",
    help="How good are a generative model's samples? Diversity, distance from a reference and tests, from embeddings.",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
app.command("score")(score.score)
app.command("modes")(modes.modes)
app.command("curve")(curve.curve)
app.command("test")(two_sample.two_sample)
app.command("frontier")(frontier.frontier)
app.command("demo")(demo.demo)

# Typer carries its own copy of click from 0.26 on and imports the package before; either way this is its base class.
USAGE_ERROR = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")


def _show_version(wanted: bool) -> bool:
    if wanted:
        print(f"fkeax {fkeax.__version__}")
        raise typer.Exit
    return wanted


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", help="Print the version.", callback=_show_version, is_eager=True),
) -> None:
    pass


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    A fault of the input is one line on stderr and exit code 2. A fault of the program keeps its traceback.

    Args:
        argv: The words after `fkeax`; those of the process if None.

    Returns:
        The exit code: 0; 2 for a bad option, a bad file or a lack of memory; 130 after Ctrl-C; 1 for a bug.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = typer.main.get_command(app).main(args=words, prog_name="fkeax", standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:
        # The reader of our output has gone (`fkeax score ... | head`); keep the interpreter from flushing into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        message = _describe(error)
        if message is None:
            traceback.print_exc()
            return 1
        return _complain(message)
    if code == 130:  # Typer turns Ctrl-C into this code
        print("fkeax: interrupted; no half-written file is left.", file=sys.stderr)
    return int(code or 0)


def _complain(message: str) -> int:
    print(f"fkeax: error: {' '.join(message.split())}", file=sys.stderr)
    return 2


def _describe(error: Exception) -> str | None:
    """Return one sentence for a fault of the input or the machine, None for a bug."""
    if isinstance(error, USAGE_ERROR):
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "fkeax"
        message = str(error.format_message()).rstrip(".")  # pyright: ignore[reportAttributeAccessIssue]
        return f"{message}{' See' if message.endswith('?') else '; see'} '{command} --help'."
    if isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in str(error):
        return f"out of memory: {error}; use --method fkea, fewer --num-frequencies or a smaller --batch-size."
    if isinstance(error, OSError):
        named = f"{error.filename!r}: " if error.filename is not None else ""
        return f"{named}{error.strerror}" if error.strerror else str(error)
    if isinstance(error, ValueError | TypeError | ImportError) and _raised_by_fkeax(error):
        return str(error)
    return None


def _raised_by_fkeax(error: Exception) -> bool:
    # A check of ours is a `raise` in our own code. A ValueError or TypeError that NumPy, JAX or the interpreter raised
    # (a wrong call, a bad operand) is a bug of ours and keeps its traceback.
    if any("JAX has removed its internal frames" in note for note in getattr(error, "__notes__", ())):
        return False
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or str(last.tb_frame.f_globals.get("__name__")).split(".")[0] != "fkeax":
        return False
    return last.tb_frame.f_code.co_code[last.tb_lasti] == dis.opmap["RAISE_VARARGS"]


if __name__ == "__main__":
    sys.exit(main())
