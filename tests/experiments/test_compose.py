"""Every file of conf/ composes with the schema."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf, open_dict

from experiments import folders, schema
from experiments.fkea.params import Fig02Params
from experiments.registry import EXPERIMENTS
from experiments.run import CONF

EXPERIMENT_FILES = sorted(
    str(path.relative_to(CONF / "experiment").with_suffix("")) for path in CONF.glob("experiment/**/*.yaml")
)
GROUPS = ("data", "encoder", "kernel", "features", "estimator", "inference", "runtime", "scale")
FILES = {group: sorted(path.stem for path in (CONF / group).glob("*.yaml")) for group in GROUPS}
# The first file of every group together, then the second, and so on: composing takes its time.
CHOICES = [
    {group: files[min(rank, len(files) - 1)] for group, files in FILES.items()}
    for rank in range(max(map(len, FILES.values())))
]
PLUGINS = {
    "basic": None,
    "joblib": "hydra_plugins.hydra_joblib_launcher",
    "submitit": "hydra_plugins.hydra_submitit_launcher",
}


def composed(*overrides: str) -> Any:
    folders.register_resolvers()
    schema.register()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose("config", list(overrides), return_hydra_config=True)


def typed(config: Any) -> schema.Config:
    with open_dict(config):
        del config["hydra"]
    found = OmegaConf.to_object(config)
    assert isinstance(found, schema.Config)
    return found


def test_files_and_registry_name_the_same_experiments() -> None:
    assert sorted(EXPERIMENTS) == EXPERIMENT_FILES


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENT_FILES)
@pytest.mark.parametrize("scale", ["local", "paper"])  # `experiments.smoke` runs the third
def test_every_experiment_composes(name: str, scale: str) -> None:
    found = typed(composed(f"experiment={name}", f"scale={scale}", "data.path=somewhere"))
    assert found.name == name
    assert found.scale.name == scale
    assert found.title
    assert type(found.params) is not schema.Params


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_every_file_of_every_group_composes(choice: dict[str, str]) -> None:
    found = composed(f"experiment={EXPERIMENT_FILES[0]}", *(f"{group}={name}" for group, name in choice.items()))
    assert {group: found.hydra.runtime.choices[group] for group in choice} == choice


@pytest.mark.parametrize("name", PLUGINS)
def test_every_launcher_composes(name: str) -> None:
    plugin = PLUGINS[name]
    if plugin is not None and importlib.util.find_spec(plugin) is None:
        pytest.skip(f"{plugin} is not installed")
    found = composed(f"launcher={name}")
    assert name in found.hydra.launcher._target_ or name == "basic"
    assert found.runtime.threads == (1 if name == "joblib" else None)


def test_smoke_needs_no_download_and_data_can_be_chosen_at_any_scale() -> None:
    chosen = {
        words: typed(composed("experiment=fkea/fig02_mnist", *words)).data.name
        for words in [("scale=smoke",), ("scale=local",), ("scale=smoke", "data=mnist_5k")]
    }
    assert list(chosen.values()) == ["digits", "mnist_5k", "mnist_5k"]


def test_fig02_is_what_the_paper_says() -> None:
    found = typed(composed("experiment=fkea/fig02_mnist", "scale=paper", "data.path=somewhere"))
    assert 2 * found.features.num_frequencies == 4000
    assert found.kernel.bandwidth == 7.0
    assert isinstance(found.params, Fig02Params)
    assert found.params.digit_counts == list(range(1, 11))
    assert (found.params.num_modes, found.params.num_top_samples) == (10, 25)


def test_conf_has_no_target_strings() -> None:
    assert [path for path in Path(CONF).rglob("*.yaml") if "_target_" in path.read_text()] == []
