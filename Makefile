# Everything runs in .venv, which the first target that needs it makes.

PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

# One thread per process for the small matrices of the tests: with more they wait for one another.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# What a caller's shell has set must not reach into .venv.
unexport PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow check benchmark lock clean

help:
	@echo 'make demo       set up and solve an example from start to end'
	@echo 'make test       set up and run the tests'
	@echo 'make test-slow  run the tests that take minutes each'
	@echo 'make check      lint, format, types, import rules, snippets of the documentation'
	@echo 'make benchmark  run the benchmarks (hours; goes on where it stopped), print their tables'
	@echo 'make lock       choose the newest versions pyproject.toml allows'
	@echo 'make setup      make .venv'
	@echo 'make clean      remove .venv and everything that was generated'

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("tradespace needs Python 3.11 or newer: make PYTHON=python3.11 ..." if sys.version_info < (3, 11) else 0)'
	@echo 'Setting up $(VENV) from requirements.lock (once; about a minute)'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY)
	$(BIN)/tradespace demo

test: $(READY)
	$(PYTEST)

test-slow: $(READY)
	$(PYTEST) -m slow

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PYTEST) -m docs

# Each folder of benchmarks/ with a run.py is one benchmark; what it has finished it does not do again.
benchmark: $(READY)
	@set -e; for run in benchmarks/*/run.py; do \
		name=$$(basename "$$(dirname "$$run")"); echo "== $$name"; \
		$(BIN)/python -m "benchmarks.$$name.run"; \
		if [ -e "benchmarks/$$name/table.py" ]; then $(BIN)/python -m "benchmarks.$$name.table"; fi; \
	done

# One file for every platform and every Python the package supports.
lock: $(READY)
	$(BIN)/python -m pip install -qq --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --upgrade \
		--fork-strategy fewest --generate-hashes --quiet \
		--custom-compile-command 'make lock' --output-file requirements.lock

clean:
	rm -rf $(VENV) build dist tradespace-demo .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
