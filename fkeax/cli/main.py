"""The entry point of the `fkeax` command and the place where every fault becomes one line."""

from __future__ import annotations

import dis
import os
import re
import sys
import traceback
from collections.abc import Sequence

import typer

import fkeax
from fkeax.cli import (
    audit,
    compare,
    curve,
    demo,
    diff,
    doctor,
    embed,
    frontier,
    models,
    modes,
    report,
    score,
    state,
    two_sample,
    verify,
)

app = typer.Typer(
    name="fkeax",
    help="How good are a generative model's samples? Diversity, distance from a reference and tests, from embeddings.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich's frames around the help take a third of its time
)
app.command("score")(score.score)
app.command("modes")(modes.modes)
app.command("curve")(curve.curve)
app.command("test")(two_sample.two_sample)
app.command("frontier")(frontier.frontier)
app.command("audit")(audit.audit)
app.command("compare")(compare.compare)
app.command("report")(report.report)
app.command("diff")(diff.diff)
app.command("verify")(verify.verify)
app.command("doctor")(doctor.doctor)
app.command("demo")(demo.demo)
app.command("embed")(embed.embed)
app.add_typer(state.app, name="state")
app.add_typer(models.app, name="models")

OTHER_NAMES = {"scheme": "features"}  # an argument of the core whose option is called otherwise

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
        The exit code: 0; 1 if a score could not be computed, compared or confirmed, and for a bug; 2 for a bad option,
        a bad file or a lack of memory; 130 after Ctrl-C.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if "jax" not in sys.modules:
        # By default JAX takes three quarters of a GPU's memory at its first use; a command takes what it needs.
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
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
        message = _describe(error, words)
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


def _describe(error: Exception, words: Sequence[str] = ()) -> str | None:
    """Return one sentence for a fault of the input or the machine, None for a bug."""
    if isinstance(error, USAGE_ERROR):
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "fkeax"
        message = str(error.format_message()).rstrip(".")  # pyright: ignore[reportAttributeAccessIssue]
        message = re.sub(r" \(Possible options: (.*)\)$", r". Did you mean \1?", message)
        return f"{message}{' See' if message.endswith('?') else '; see'} '{command} --help'."
    if isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in str(error):
        return f"out of memory: {error}; use --method fkea, fewer --num-frequencies or a smaller --batch-size."
    if isinstance(error, OSError):
        named = f"{error.filename!r}: " if error.filename is not None else ""
        return f"{named}{error.strerror}" if error.strerror else str(error)
    if isinstance(error, ValueError | TypeError | ImportError) and _raised_by_fkeax(error):
        return _naming_option(str(error), words)
    return None


def _naming_option(message: str, words: Sequence[str]) -> str:
    """Turn what the core says about an argument into a sentence about the option that it came from."""
    argument, _, rest = message.partition(" ")
    name = "--" + OTHER_NAMES.get(argument, argument).replace("_", "-")
    command = typer.main.get_command(app)
    for word in words:
        commands = getattr(command, "commands", {})
        if word not in commands:
            break
        command = commands[word]
    options = {option for parameter in command.params for option in parameter.opts}
    return f"{name} {rest}" if argument.replace("_", "").isalpha() and name in options else message


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
