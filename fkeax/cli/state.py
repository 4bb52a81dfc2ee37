"""`fkeax state`: scores of samples that lie in several files, made by any engine and merged."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fkeax.cli import options, parameters, running

if TYPE_CHECKING:
    from fkeax.diversity import ShardState

app = typer.Typer(
    help="Scores of samples that lie in several files: update a state from each, merge the states, score the result.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

StateOption = Annotated[str, typer.Option("--state", metavar="FILE.npz", help="The state file to write.")]


@app.command("update")
def update(
    features: parameters.FeaturesArgument,
    state: Annotated[
        str, typer.Option("--state", metavar="FILE.npz", help="The state file; made if it does not exist.")
    ],
    rows: Annotated[
        str | None, typer.Option(metavar="FIRST:STOP", help="Only these rows of the file, counted from 0.")
    ] = None,
    kernel: parameters.KernelOption = "gaussian",
    bandwidth: parameters.BandwidthOption = None,
    bandwidth_from: parameters.BandwidthFromOption = None,
    feature_scheme: parameters.FeaturesOption = "iid",
    num_frequencies: parameters.FrequenciesOption = 2000,
    seed: parameters.SeedOption = 0,
    batch_size: parameters.BatchOption = 4096,
    dtype: parameters.DtypeOption = "auto",
) -> None:
    """Add the rows of a file to a state. Every process has a state file of its own; all share the other options.

    Example: fkeax state update GEN.npy --rows 0:500 --state 1.npz --bandwidth 7

    Example: fkeax state update GEN.npy --rows 500:1000 --state 2.npz --bandwidth 7
    """
    word = options.parse_bandwidth(bandwidth, options.parse_kernel(kernel))
    if word is None:
        raise ValueError(f"--kernel must have random features, as gaussian has; got {kernel!r}.")
    if isinstance(word, str) and bandwidth_from is None:
        raise ValueError(
            f"--bandwidth {word} would find another one on each file; name one reference as --bandwidth-from REF.npy."
        )
    scheme = options.choose("--features", feature_scheme, options.SCHEMES)
    options.choose("--dtype", dtype, options.DTYPES)
    target = _state_to_write(state, features, bandwidth_from)

    from fkeax.io import read_state, write_state

    file = running.features(features)
    first, stop = _range("--rows", rows, len(file.array))
    old = read_state(target) if target.exists() else None

    import jax

    from fkeax.diversity import merge_shards, shard_state

    number = running.bandwidth_of_reference(word, bandwidth_from, kernel, seed, file)
    part = file.array[first:stop]
    with (
        running.precision(dtype),
        running.naming_file(file),
        running.progress_batches(part, batch_size, dtype) as batches,
    ):
        new = shard_state(
            batches,
            name=features,
            first_row=first,
            file_rows=len(file.array),
            kernel=kernel,
            bandwidth=number,
            features=scheme,
            num_frequencies=num_frequencies,
            batch_size=batch_size,
            key=jax.random.key(seed),
        )
    merged = new if old is None else merge_shards([old, new])
    write_state(target, merged)
    print(f"written: {state}: {_contents(merged)}")


@app.command("merge")
def merge(
    parts: Annotated[list[str], typer.Argument(metavar="PART.npz...", help="State files to merge.")],
    state: StateOption,
    num_shards: parameters.NumShardsOption = None,
    num_samples: parameters.NumSamplesOption = None,
) -> None:
    """Merge state files into one. A shard that is in two of them, or of other settings, is an error.

    Example: fkeax state merge 1.npz 2.npz --state all.npz --num-shards 2
    """
    target = _state_to_write(state)
    if target.exists() and any(Path(part).exists() and target.samefile(part) for part in parts):
        raise ValueError(f"--state {state!r} is one of the files to merge; give another name.")

    from fkeax.diversity import merge_shards
    from fkeax.diversity.shard_records import check_complete
    from fkeax.io import read_state, write_state

    merged = read_state(parts[0])
    for part in parts[1:]:  # one at a time: two states in memory, however many there are
        merged = merge_shards([merged, read_state(part)])
    if num_shards is not None or num_samples is not None:
        check_complete(merged.shards, num_shards=num_shards, num_samples=num_samples)
    write_state(target, merged)
    print(f"written: {state}: {_contents(merged)}")


@app.command("score")
def score(
    state: Annotated[str, typer.Argument(metavar="STATE.npz", help="A state file.")],
    metrics: Annotated[str, typer.Option(help=f"Of {', '.join(options.METRICS)}.")] = "vendi,vendi-debiased,rke",
    orders: Annotated[str, typer.Option(help="Orders of VENDI, numbers from 0 to inf.")] = "1,1.5,2,inf",
    num_kept: parameters.KeptOption = None,
    spectrum: parameters.SpectrumOption = "dense",
    num_shards: parameters.NumShardsOption = None,
    num_samples: parameters.NumSamplesOption = None,
    json: parameters.JsonOption = None,
) -> None:
    """Score the rows that a state has seen: the numbers of `fkeax score --method fkea` on all of them.

    Example: fkeax state score all.npz --json out.json
    """
    started = time.time()
    names = options.parse_metrics(metrics)
    alphas = options.parse_orders(orders)
    if "vendi-truncated" in names and num_kept is None:
        raise ValueError("vendi-truncated needs --num-kept: how many eigenvalues to keep, as in '--num-kept 100'.")
    options.choose("--spectrum", spectrum, options.SPECTRA)
    target = options.check_output("--json", json, state)

    from fkeax.cli.score import show
    from fkeax.diversity import score_shards
    from fkeax.diversity.shard_records import check_complete
    from fkeax.io import describe_run, read_state, write_results

    opened = read_state(state)
    check_complete(opened.shards, num_shards=num_shards, num_samples=num_samples)
    with running.spinner("eigenvalues ..."):
        results = score_shards(opened, metrics=names, orders=alphas, num_kept=num_kept, spectrum=spectrum)
    show(results)
    print(f"state: {_contents(opened)}")
    if target is not None:
        named = {"--metrics": metrics, "--orders": orders, "--num-kept": num_kept}
        named |= {"--spectrum": spectrum, "--num-shards": num_shards}
        words = ["fkeax", "state", "score", state, *options.option_words({**named, "--num-samples": num_samples})]
        provenance = describe_run(
            command=[*words, "--json", str(json)], seed=opened.settings.seed[-1], inputs=[state], started=started
        )
        shards = [
            {"name": shard.name, "first_row": shard.first_row, "num_rows": shard.num_rows, "sha256": shard.sha256}
            for shard in opened.shards
        ]
        write_results(target, results.values(), {**provenance, "shards": shards})
        print(f"written: {json}")


def _state_to_write(state: str, *others: str | None) -> Path:
    target = options.check_output("--state", state, *others)
    if target is None or target.suffix != ".npz":
        raise ValueError(f"--state must name a .npz file; got {state!r}.")
    return target


def _range(option: str, words: str | None, num_rows: int) -> tuple[int, int]:
    if words is None:
        return 0, num_rows
    first, colon, stop = words.partition(":")
    numbers = [int(word) if word.isascii() and word.isdigit() else -1 for word in (first, stop)]
    if not colon or not 0 <= numbers[0] < numbers[1] <= num_rows:
        raise ValueError(f"{option} must be FIRST:STOP with 0 <= FIRST < STOP <= {num_rows}; got {words!r}.")
    return numbers[0], numbers[1]


def _contents(state: ShardState) -> str:
    num_shards = len(state.shards)
    return f"{state.num_samples} samples in {num_shards} shard{'s' if num_shards > 1 else ''}"
