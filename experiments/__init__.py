"""Experiments that redo the figures and tables of the papers, from a checkout of the repository.

* `python -m experiments.run experiment=fkea/fig02_mnist scale=smoke` runs one (add `--multirun` and lists for a sweep);
* `python -m experiments.report fkea/fig02_mnist` draws its figures from result folders only;
* `python -m experiments.collect outputs` puts all results into one table;
* `python -m experiments.reproduction` writes docs/reproduction.md;
* `python -m experiments.smoke` runs everything small, as a test.
"""
