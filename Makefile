# Two commands do everything on a machine with python3, make and git:
#   make demo    see it work          make test    check it
# Set-up happens by itself and only when requirements changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help setup demo test test-deep test-clients test-local local-model bench lock schemas clean
.DEFAULT_GOAL := help

help:
	@echo "make demo          watch an agent at work (sets itself up)"
	@echo "make test          everything CI runs (sets itself up)"
	@echo "make setup         only the set-up, with the tools for development"
	@echo "make test-deep     long property runs and races"
	@echo "make test-clients  programs others wrote, driving ours"
	@echo "make test-local    a small real model on this machine, driving ours"
	@echo "make local-model   install that model (130 MB to fetch)"
	@echo "make bench         every benchmark, as ratios to a floor"
	@echo "make lock          pin the requirements again"
	@echo "make schemas       write the schemas of built-in tools and of settings again"
	@echo "make clean         remove the virtual environment and caches"

setup: $(VENV)/.dev-ready

$(VENV)/.runtime-ready: scripts/setup requirements/build.txt requirements/runtime.txt pyproject.toml
	@PYTHON="$(PYTHON)" scripts/setup runtime

$(VENV)/.dev-ready: $(VENV)/.runtime-ready requirements/dev.txt
	@PYTHON="$(PYTHON)" scripts/setup dev

$(VENV)/.clients-ready: $(VENV)/.dev-ready requirements/clients.txt
	@PYTHON="$(PYTHON)" scripts/setup clients

$(VENV)/.local-ready: $(VENV)/.runtime-ready requirements/local.txt requirements/local-model.txt
	@PYTHON="$(PYTHON)" scripts/setup local

demo: $(VENV)/.runtime-ready
	@$(BIN)/python examples/demo.py

test: $(VENV)/.dev-ready
	@scripts/check

test-deep: $(VENV)/.dev-ready
	@GANTLET_TEST_DEPTH=deep $(BIN)/python -m pytest -n auto --timeout 3000

test-clients: $(VENV)/.clients-ready
	@$(BIN)/python -m pytest -n 2 -m clients --quiet tests/real_clients

test-local: $(VENV)/.dev-ready
	@$(BIN)/python -m pytest -m local tests/local

local-model: $(VENV)/.local-ready

bench: $(VENV)/.dev-ready
	@for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

lock: $(VENV)/.runtime-ready
	@scripts/lock

schemas: $(VENV)/.runtime-ready
	@$(BIN)/python scripts/write_schemas.py
	@$(BIN)/python scripts/write_shapes.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
