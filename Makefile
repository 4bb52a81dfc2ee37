# Every target makes the environment it needs, with plain pip, in .venv; nothing else has to be set up.
# Each stamp file stands for one set of dependencies and is renewed when pyproject.toml changes.

PYTHON ?= python3
BENCH ?= bench
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

export MPLBACKEND ?= Agg
# Tests solve many small problems: several BLAS threads would mostly wait for each other, badly so on a busy machine.
# Whole files go to one of two processes: compiling, most of the time, runs on one core.
WORKERS ?= 2
SHARED_OUT := -n $(WORKERS) --dist loadfile
test test-all test-slow doctest smoke: export OPENBLAS_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-all test-slow lint types layers doctest smoke docs notebooks bench bench-all clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

$(BIN)/python:
	$(PYTHON) -m venv .venv

.venv/stamp-core: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@touch $@

.venv/stamp-test: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[test,experiments]'
	@touch $@

.venv/stamp-docs: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[docs]'
	@touch $@

.venv/stamp-bench: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[$(BENCH)]'
	@touch $@

demo: .venv/stamp-core  ## score the bundled digits and draw their modes
	$(BIN)/fkeax demo

test: .venv/stamp-test  ## the fast tier
	$(BIN)/python -m pytest $(SHARED_OUT) -m "not slow and not gpu and not needs_data"

test-all: .venv/stamp-test  ## fast and slow tiers, and those that need FKEAX_DATA where it is set
	$(BIN)/python -m pytest $(SHARED_OUT) -m "not gpu"

test-slow: .venv/stamp-test  ## the slow tier
	$(BIN)/python -m pytest $(SHARED_OUT) -m "slow and not gpu and not needs_data"

lint: .venv/stamp-test  ## style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/stamp-test  ## static types
	$(BIN)/pyright --pythonpath $(BIN)/python

layers: .venv/stamp-test  ## which room may import which
	$(BIN)/lint-imports --no-cache

doctest: .venv/stamp-test  ## the examples in the docstrings
	$(BIN)/python -m pytest --doctest-modules fkeax

smoke: .venv/stamp-test  ## every experiment, small, with its figures
	$(BIN)/python -m experiments.smoke

docs: .venv/stamp-docs  ## the pages, in docs/_build/html; runs the notebooks whose code has changed
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

notebooks: export MPLBACKEND := module://matplotlib_inline.backend_inline
notebooks: .venv/stamp-docs  ## the notebooks, run, as .ipynb in docs/_build/ipynb
	mkdir -p docs/_build/ipynb
	set -e; for notebook in notebooks/*.py; do \
	    $(BIN)/jupytext --quiet --to ipynb --output "docs/_build/ipynb/$$(basename "$$notebook" .py).ipynb" "$$notebook"; done
	$(BIN)/jupyter-execute --inplace docs/_build/ipynb/*.ipynb

# torch is a large download and therefore an extra of its own: `make bench BENCH=bench,bench-torch` measures it too.
bench: .venv/stamp-bench  ## fkeax beside its peers, into docs/benchmarks; minutes
	$(BIN)/python -m benchmarks.run --tier cpu

bench-all: .venv/stamp-bench  ## the same with the long rows: a million rows, 2r = 16k; hours
	$(BIN)/python -m benchmarks.run --tier all

clean:  ## remove all that the other targets made
	rm -rf .venv dist docs/_build .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
