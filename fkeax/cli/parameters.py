"""The parameters that several commands share, declared once, with their help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from fkeax.cli.options import KERNELS, SCHEMES


def _whole_number(minimum: int, maximum: int | None = None) -> Callable[[str | int], int]:
    # Typer's own range check does not say what came.
    allowed = f"of at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"

    def parse(word: str | int) -> int:  # a default comes as a number
        try:
            number = int(word)
        except ValueError:
            number = minimum - 1
        if number < minimum or (maximum is not None and number > maximum):
            raise typer.BadParameter(f"expected a whole number {allowed}, got {str(word)!r}")
        return number

    return parse


FeaturesArgument = Annotated[
    str,
    typer.Argument(
        metavar="GEN.npy",
        help="Features, one row per sample: a .npy, .npz, .safetensors, .pt, .parquet, .arrow or .h5 file; FILE:NAME "
        "for one of its arrays; a folder of shards; or a pattern such as 'emb_*.npy'.",
    ),
]
KernelOption = Annotated[
    str,
    typer.Option(
        metavar="NAME[:PARAMETER=NUMBER,...]",
        help=f"{', '.join(KERNELS)}; with parameters as in rational-quadratic:alpha=1 or "
        "polynomial:degree=3,scale=0.01.",
    ),
]
BandwidthOption = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|RULE",
        help="Scale of the kernel, sigma of gaussian's exp(-d^2 / (2 sigma^2)): a number, or a rule: median (of the "
        "distances), rke=10, mean-k2=0.05 (the value at which the samples have that RKE or mean k^2). "
        "Sets are comparable only at one shared bandwidth.",
    ),
]
BandwidthFromOption = Annotated[
    str | None,
    typer.Option("--bandwidth-from", metavar="REF.npy", help="Features that the rule of --bandwidth looks at instead."),
]
MethodOption = Annotated[
    str,
    typer.Option(
        help="exact (n x n Gram matrix), dual (cosine, linear, polynomial), fkea (random features), nystrom (landmark "
        "rows), or auto."
    ),
]
FeaturesOption = Annotated[
    str, typer.Option("--features", help=f"How the frequencies of fkea are drawn: {', '.join(SCHEMES)}.")
]
LandmarksOption = Annotated[
    int,
    typer.Option("--num-landmarks", metavar="INTEGER", parser=_whole_number(1), help="Landmark rows of nystrom."),
]
KeptOption = Annotated[
    int | None,
    typer.Option(
        "--num-kept", metavar="INTEGER", parser=_whole_number(1), help="Eigenvalues that vendi-truncated keeps."
    ),
]
GroupsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|files|none",
        help="A label for each row; rows of one label depend on each other (frames of a clip). A .npy or text file, "
        "FILE:NAME, or files: one label for each file of a folder.",
    ),
]
LabelsOption = Annotated[
    str | None,
    typer.Option(
        "--labels", metavar="FILE", help="A class for each row: scores of every class, and their mean over classes."
    ),
]
EtaOption = Annotated[
    float,
    typer.Option(
        "--eta", metavar="NUMBER", help="Of ken and finc: how many times as frequent a mode must be to count as novel."
    ),
]
IntervalsOption = Annotated[
    bool, typer.Option("--intervals", help="Standard errors and 95 % intervals for VENDI too; eleven times the work.")
]
FrequenciesOption = Annotated[
    int,
    typer.Option(
        "--num-frequencies",
        metavar="INTEGER",
        parser=_whole_number(1),
        help="Random frequencies r of fkea; it has 2r features.",
    ),
]
DrawsOption = Annotated[
    int,
    typer.Option(
        "--num-draws", metavar="INTEGER", parser=_whole_number(1), help="Independent draws of the frequencies."
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(
        metavar="INTEGER", parser=_whole_number(0, 2**32 - 1), help="Seed of the frequencies and of sampled pairs."
    ),
]
BatchOption = Annotated[
    int,
    typer.Option(
        "--batch-size", metavar="INTEGER", parser=_whole_number(1), help="Rows per step; memory only, not the score."
    ),
]
ReferenceArgument = Annotated[
    str, typer.Argument(metavar="REF.npy", help="Features of the reference samples, one row per sample.")
]
ReferenceOption = Annotated[
    str | None,
    typer.Option("--ref", metavar="REF.npy", help="Features of reference samples, for scores that compare with them."),
]
LikeOption = Annotated[
    str,
    typer.Option(help="How MAUVE is computed: mauve-text (as that package), paper (smoothed), exact (by quadrature)."),
]
PermutationsOption = Annotated[
    int | None,
    typer.Option(
        "--num-permutations",
        metavar="INTEGER",
        parser=_whole_number(19),
        help="Random relabellings; the method's own choice unless given.",
    ),
]
SideOption = Annotated[
    int, typer.Option("--n", metavar="INTEGER", parser=_whole_number(4), help="Samples on either side of a test.")
]
TestDrawsOption = Annotated[
    int, typer.Option("--draws", metavar="INTEGER", parser=_whole_number(1), help="Independent draws of both sides.")
]
SinglePermutationsOption = Annotated[
    int,
    typer.Option(
        "--num-permutations", metavar="INTEGER", parser=_whole_number(19), help="Random relabellings of each test."
    ),
]
AggregatedOption = Annotated[
    int,
    typer.Option("--num-aggregated", metavar="INTEGER", parser=_whole_number(19), help="B1 and B2 of mmdagg."),
]
FigureOption = Annotated[
    str | None, typer.Option("--figure", metavar="FILE", help="Draw it: a .png, .svg or .pdf file.")
]
TopOption = Annotated[int, typer.Option(metavar="INTEGER", parser=_whole_number(1), help="Number of modes.")]
SamplesOption = Annotated[int, typer.Option(metavar="INTEGER", parser=_whole_number(1), help="Samples per mode.")]
DtypeOption = Annotated[
    str,
    typer.Option(
        help="Precision of the computation: float32, float64, or auto (float32 unless JAX_ENABLE_X64 is set)."
    ),
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        "--memory-budget", metavar="BYTES", help="Memory to take beside the data, as in 2GiB: batches are cut to fit."
    ),
]
SpectrumOption = Annotated[
    str,
    typer.Option(
        help="How vendi of random features comes about: dense (all eigenvalues) or lanczos (random vectors: to 0.3 %, "
        "many times faster at thousands of frequencies)."
    ),
]
NumShardsOption = Annotated[
    int | None,
    typer.Option(
        "--num-shards", metavar="INTEGER", parser=_whole_number(1), help="Fail unless exactly so many shards are in."
    ),
]
NumSamplesOption = Annotated[
    int | None,
    typer.Option(
        "--num-samples", metavar="INTEGER", parser=_whole_number(1), help="Fail unless exactly so many samples are in."
    ),
]
JsonOption = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE|-", help="Write the results as strict JSON; - for standard output (the table moves)."
    ),
]
TableOption = Annotated[
    str | None, typer.Option("--table", metavar="FILE", help="Write the results as a .csv or .parquet table.")
]
CacheOption = Annotated[
    str | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        envvar="FKEAX_SCORE_CACHE",
        show_envvar=True,
        help="Keep results here, and take those of the same content, settings and versions from here.",
    ),
]
