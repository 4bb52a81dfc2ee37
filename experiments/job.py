"""The life of one run: settings, status, the experiment, its files; the result is written last."""

from __future__ import annotations

import dataclasses
import logging
import os
import subprocess
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.errors import CompactHydraException
from hydra.types import RunMode
from omegaconf import DictConfig, MissingMandatoryValue, OmegaConf, open_dict

from experiments import compilations, folders, identity, registry, runtime, schema, status
from experiments.outcome import ARRAYS, CONFIG, PROVENANCE, RESULT, STATUS, Outcome
from experiments.schema import Config
from experiments.status import Status

LOG = logging.getLogger(__name__)
PACKAGES = ("fkeax", "jax", "jaxlib", "numpy", "scipy", "scikit-learn", "hydra-core", "omegaconf")

# A launcher imports this module in the process where a job runs; there the configuration is composed again.
folders.register_resolvers()
schema.register()


class JobFailedError(CompactHydraException):
    """A run failed; its folder holds the traceback. Hydra prints this as one line."""


def execute(cfg: DictConfig) -> float | None:
    """Run the experiment of a configuration in the folder that Hydra made for it.

    Returns:
        The headline number, also of a run that was finished before.

    Raises:
        JobFailedError: The run failed; the traceback is in its status file.
    """
    hydra_config = HydraConfig.get()
    folder = Path(hydra_config.runtime.output_dir)
    overrides = [str(word) for word in hydra_config.overrides.task]
    chosen = None if OmegaConf.is_missing(cfg, "name") else str(cfg.name)
    (folder / RESULT).unlink(missing_ok=True)  # a folder that is used again must not look finished
    current = status.begin(folder, chosen, overrides)
    try:
        return _execute(cfg, folder, current, may_skip=hydra_config.mode == RunMode.MULTIRUN)
    except Exception as error:
        current = replace(status.read(folder), status=status.FAILED, error=_described(error))
        status.write(folder, current)
        words = " ".join(overrides) or "this run"
        raise JobFailedError(f"{words} failed: {_one_line(error)} (traceback: {folder / STATUS})") from None
    except BaseException:
        status.write(folder, replace(status.read(folder), status=status.INTERRUPTED))
        raise


def _execute(cfg: DictConfig, folder: Path, current: Status, *, may_skip: bool) -> float | None:
    started = time.time()
    settings, config = _settle(cfg)
    found = registry.EXPERIMENTS.get(config.name)
    if found is None:
        registry.experiment(config.name)
    runtime.apply(settings["runtime"])
    compilations.listen()
    experiment = registry.experiment(config.name)
    fingerprint = identity.run_hash(settings, experiment.inputs(config))
    current = replace(current, run_hash=fingerprint)
    status.write(folder, current)
    _write_config(folder, settings)
    root = Path(config.origin, config.output)
    earlier = identity.find_finished(root, fingerprint) if may_skip and config.resume else None
    if earlier is not None:
        LOG.info("skipped: the same configuration and inputs were finished in %s", earlier)
        if _commit_of(earlier) != (_git_state() or {}).get("commit"):
            LOG.warning("that was at another commit of the code; with resume=false it is computed again")
        status.write(folder, replace(current, status=status.SKIPPED, finished_in=str(earlier)))
        return _headline(earlier)
    compiled_before = compilations.so_far()
    outcome = experiment.run(config)
    compiled = compilations.so_far()
    extra = {
        "compilations": {
            "count": compiled[0] - compiled_before[0],
            "seconds": round(compiled[1] - compiled_before[1], 3),
        },
        "data": outcome.data,
        "git": _git_state(),
        "num_cpus": os.cpu_count(),
        "runtime": settings["runtime"],
    }
    _write_outcome(folder, outcome, current, config, experiment.files(config), started, extra)
    LOG.info("finished in %.1f s: %s", time.time() - started, folder)
    return outcome.headline


def _settle(cfg: DictConfig) -> tuple[dict[str, Any], Config]:
    """Return the configuration with every reference resolved and every path absolute, as plain values and typed."""
    if OmegaConf.is_missing(cfg, "name"):
        raise ValueError(
            f"no experiment was chosen; give experiment=NAME with one of {', '.join(registry.EXPERIMENTS)}."
        )
    _refuse_added_keys(cfg, "")
    with open_dict(cfg):
        cfg.origin = str(cfg.origin)
        for group, key in (("data", "path"), ("runtime", "compile_cache")):
            if not OmegaConf.is_missing(cfg[group], key) and cfg[group][key] is not None:
                cfg[group][key] = os.path.abspath(Path(cfg.origin) / Path(cfg[group][key]).expanduser())
    try:
        settings = OmegaConf.to_container(cfg, resolve=True, throw_on_missing=True, enum_to_str=True)
        config = OmegaConf.to_object(cfg)
    except MissingMandatoryValue as error:
        key = error.full_key or "a value"
        raise ValueError(f"{key} is not set and has no default; give {key}=...") from None
    if not isinstance(settings, dict) or not isinstance(config, Config):
        raise TypeError("the configuration is not of the type that experiments/schema.py gives it.")
    return {str(key): value for key, value in settings.items()}, config


def _refuse_added_keys(node: DictConfig, prefix: str) -> None:
    """Raise for keys that `+key=value` put beside those of the schema; Hydra itself refuses all other unknown keys."""
    kind = OmegaConf.get_type(node)
    for key in map(str, node):
        name = f"{prefix}{key}"
        if dataclasses.is_dataclass(kind) and key not in {field.name for field in dataclasses.fields(kind)}:
            raise ValueError(
                f"there is no setting {name!r}; see experiments/schema.py, or `--cfg job` for all there are."
            )
        if OmegaConf.is_missing(node, key) or OmegaConf.is_interpolation(node, key):
            continue
        if OmegaConf.is_dict(node[key]):
            _refuse_added_keys(node[key], f"{name}.")


def _write_config(folder: Path, settings: dict[str, Any]) -> None:
    from fkeax.io import write_text

    used = {key: value for key, value in settings.items() if key not in ("by_scale", "experiment")}
    write_text(folder / CONFIG, OmegaConf.to_yaml(OmegaConf.create(used)))


def _write_outcome(
    folder: Path,
    outcome: Outcome,
    current: Status,
    config: Config,
    inputs: list[Path],
    started: float,
    extra: dict[str, Any],
) -> None:
    from fkeax.io import describe_run, sha256_of_file, write_json, write_npz, write_results

    write_npz(folder / ARRAYS, outcome.arrays)
    provenance = describe_run(
        command=["python", "-m", "experiments.run", *current.overrides],
        seed=config.seed,
        inputs=inputs,
        started=started,
        packages=PACKAGES,
    )
    write_json(folder / PROVENANCE, provenance | extra)
    status.write(folder, replace(current, status=status.FINISHED))
    seal = {
        "experiment": config.name,
        "title": outcome.title,
        "headline": outcome.headline,
        "run_hash": current.run_hash,
        "arrays_sha256": sha256_of_file(folder / ARRAYS),
        "more": PROVENANCE,
    }
    write_results(folder / RESULT, outcome.results, seal)


def _headline(folder: Path) -> float | None:
    from fkeax.io import read_results

    return read_results(folder / RESULT).provenance["headline"]


def _commit_of(folder: Path) -> str | None:
    from fkeax.results import loads

    provenance: Any = loads((folder / PROVENANCE).read_text(encoding="utf-8"))
    return (provenance["git"] or {}).get("commit")


def _described(error: Exception) -> dict[str, str]:
    text = "".join(traceback.format_exception(error))
    return {"type": type(error).__name__, "message": str(error), "traceback": text}


def _one_line(error: Exception) -> str:
    message = " ".join(str(error).split()) or "no message"
    # Errors that the user can mend speak for themselves; of others the kind helps.
    return message if isinstance(error, ValueError | OSError) else f"{type(error).__name__}: {message}"


def _git_state() -> dict[str, Any] | None:
    """Return commit and cleanliness of the checkout, or None where git or its folder is missing."""
    here = Path(__file__).parent
    try:
        commit = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, check=True
        ).stdout.strip()
        changes = subprocess.run(
            ["git", "status", "--porcelain"], cwd=here, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return {"commit": commit, "clean": not changes.strip()}
