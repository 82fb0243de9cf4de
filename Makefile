# make        install into .venv and compute everything in config.yaml
# make test   the same set-up, then the tests (make test-slow: those that take an hour, too)
PYTHON ?= python3
BIN := .venv/bin
# Test and default runs never reach a model hub.
export HF_HUB_OFFLINE := 1
export PYTHONUNBUFFERED := 1

.DEFAULT_GOAL := all
.PHONY: all setup test test-slow test-slurm test-default lint format lock docs benchmarks

all: setup
	$(BIN)/snakemake all --cores all

setup: .venv/installed

.venv/installed: envs/requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement envs/requirements.txt
	@touch $@

test: setup
	$(BIN)/python -m pytest

# Runs that are killed and go on, twenty times.
test-slow: setup
	$(BIN)/python -m pytest -m slow --run-slow

# The suite on a real SLURM: installs and starts one on this machine (Debian, as root), and stops it again.
test-slurm: setup
	CLINBENCH_SLURM_TEST=1 $(BIN)/python -m pytest tests/slurm

# Checks of the numbers of the default run; computes it first where it is not there yet.
test-default: all
	$(BIN)/python -m pytest tests/default_run --run-default

lint: setup
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

format: setup
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format . ; $(BIN)/snakefmt Snakefile rules

# Rewrite the pins from requirements.in, in a fresh environment.
lock:
	$(PYTHON) envs/lock.py

# Rewrite docs/options.md from the plug-ins.
docs: setup
	PYTHONPATH=workflow_scripts $(BIN)/python -m clinbench.options > docs/options.md

# Print how many times faster than a literal version the core pieces are.
benchmarks: setup
	for script in scr bootstrap bm25 concare phenotyping discretise mimic3 parallel stacked; do PYTHONPATH=workflow_scripts $(BIN)/python benchmarks/$$script.py; done
