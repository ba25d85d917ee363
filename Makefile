# Two commands do everything on a machine with python3, make and git:
#   make demo    see it work          make test    check it
# Set-up happens by itself and only when requirements changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help setup demo test test-deep test-clients bench lock schemas clean
.DEFAULT_GOAL := help

help:
	@echo "make demo          run the first example (sets itself up)"
	@echo "make test          everything CI runs (sets itself up)"
	@echo "make setup         only the set-up, with the tools for development"
	@echo "make test-deep     long property runs and races"
	@echo "make test-clients  programs others wrote, driving ours"
	@echo "make bench         every benchmark, as ratios to a floor"
	@echo "make lock          pin the requirements again"
	@echo "make schemas       write the schema snapshots of the built-in tools again"
	@echo "make clean         remove the virtual environment and caches"

setup: $(VENV)/.dev-ready

$(VENV)/.runtime-ready: scripts/setup requirements/build.txt requirements/runtime.txt pyproject.toml
	@PYTHON="$(PYTHON)" scripts/setup runtime

$(VENV)/.dev-ready: $(VENV)/.runtime-ready requirements/dev.txt
	@PYTHON="$(PYTHON)" scripts/setup dev

demo: $(VENV)/.runtime-ready
	@$(BIN)/python examples/a_function_as_a_tool.py

test: $(VENV)/.dev-ready
	@scripts/check

test-deep: $(VENV)/.dev-ready
	@GANTLET_TEST_DEPTH=deep $(BIN)/python -m pytest -n auto --timeout 3000

test-clients: $(VENV)/.dev-ready
	@$(BIN)/python -m pytest -m clients tests; status=$$?; \
	if [ $$status -eq 5 ]; then echo "make test-clients: no client tests exist yet."; exit 0; fi; exit $$status

bench: $(VENV)/.dev-ready
	@for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

lock: $(VENV)/.runtime-ready
	@scripts/lock

schemas: $(VENV)/.runtime-ready
	@$(BIN)/python scripts/write_schemas.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
