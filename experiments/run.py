"""The one command that runs experiments: `python -m experiments.run experiment=fkea/fig02_mnist scale=smoke`.

Neither jax nor fkeax is imported here, nor NumPy: `runtime` has to be applied first.
"""

from __future__ import annotations

from pathlib import Path

import hydra

from experiments import hydra_on_new_pythons, job

CONF = Path(__file__).resolve().parents[1] / "conf"


def main() -> None:
    """Run one experiment, or a sweep; the exit code is 1 if a job failed."""
    hydra_on_new_pythons.tolerate_lazy_help()
    # The task lives in a module of its own, so that launchers can send it to other processes by name.
    hydra.main(config_path=str(CONF), config_name="config", version_base="1.3")(job.execute)()


if __name__ == "__main__":
    main()
