# Readahead: `make run` and `make test` do everything that is needed, each without the other.

# The first Python that is new enough; name another one with PYTHON=.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && exit; done; echo python3)
BIN := .venv/bin
BOOTSTRAP = $(PYTHON) scripts/bootstrap.py

# Data of the checks' own, so that they never see a person's documents.
SCRATCH := build/scratch-home

.DEFAULT_GOAL := help
.PHONY: help python setup run test lint bench bench-answers bench-engine bench-intake bench-study bench-switch upgrade clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  PORT= and READAHEAD_HOME= (data folder) apply to 'make run'."

python:
	@command -v $(PYTHON) >/dev/null || { echo "Readahead needs Python 3.11 or newer, and there is no $(PYTHON)." >&2; exit 1; }

setup: python ## Make .venv with all packages (the first time compiles llama-cpp-python: about 4 minutes)
	@$(BOOTSTRAP)

run: setup ## Start Readahead; prints the address, Ctrl-C stops it
	@exec $(BIN)/python manage.py up

test: python ## Run all tests, with the real engine and a real browser
	@$(BOOTSTRAP) --extra test
	@$(BIN)/python -m tests.prepare
	$(BIN)/python -m pytest -n 2 -m "not engine and not browser"
	$(BIN)/python -m pytest -m "engine or browser"

lint: export READAHEAD_HOME = $(SCRATCH)
lint: python ## Check style, types, import contracts, budgets and migrations
	@$(BOOTSTRAP) --extra lint --extra test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_budgets.py
	$(BIN)/python manage.py makemigrations --check --dry-run

bench: python ## Measure answering, beside plain prompting, against its targets (docs/benchmarks.md has the options)
	@$(BOOTSTRAP) --extra test
	@$(BIN)/python -m bench.answers

bench-answers: bench

bench-engine: python ## Measure the model service against its targets (docs/benchmarks.md has the options)
	@$(BOOTSTRAP) --extra bench
	@$(BIN)/python -m bench

bench-intake: python ## Measure reading, embedding and searching against their targets (docs/benchmarks.md)
	@$(BOOTSTRAP) --extra test
	@$(BIN)/python -m bench.intake

bench-study: python ## Measure reading ahead against its targets (docs/benchmarks.md)
	@$(BOOTSTRAP) --extra test
	@$(BIN)/python -m bench.study

bench-switch: python ## Change the model again and again under questions, and watch its processes (docs/benchmarks.md)
	@$(BOOTSTRAP) --extra test
	@$(BIN)/python -m bench.switching

upgrade: setup ## Write constraints.txt anew from the newest versions that pyproject.toml allows
	@$(PYTHON) scripts/upgrade.py

clean: ## Remove .venv and what the tools left here; models and data stay
	rm -rf .venv build .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
