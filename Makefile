# Every target works from a clean clone with Python 3.11 or newer and make alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
STAMP := $(VENV)/.installed
# Modules are compiled when they are first imported, once: many processes start.
export PYTHONDONTWRITEBYTECODE :=
# Some tests wait for processes and browsers: one worker more than there are cores.
PYTEST := $(BIN)/python -m pytest -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal
WARM := $(BIN)/python -m sprawl_env warmup
# Tests of the rules alone; as plain Python numpy checks every index.
RULES := tests/unit/kernels tests/unit/core tests/unit/games tests/unit/render/test_pictures.py tests/second_opinion tests/golden/test_replays.py
# Whole games reach positions that no test sets up; plain Python plays few of them.
PLAYS := $(foreach part,fuzz properties,tests/unit/games/*/test_$(part).py)
WHOLE_GAMES := $(PLAYS) tests/golden/test_replays.py

# The clients: a folder each, with the versions that its own virtual environment gets.
CLIENT ?= $(patsubst tests/clients/%/requirements.txt,%,$(wildcard tests/clients/*/requirements.txt))

.DEFAULT_GOAL := help
.PHONY: help setup train test test-clients test-long test-slow test-plain test-plain-games test-checked lint types contracts docs check fuzz benchmark notebooks format clean

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

setup: $(STAMP) ## make .venv and install everything into it

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: $(PYTHON) is older than 3.11: make setup PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --no-compile --constraint constraints.txt --editable '.[all]'
	@touch $(STAMP)

train: $(STAMP) ## train a Tower Up policy and measure it (less than 5 minutes)
	$(BIN)/python -m experiments.train --preset quick $(ARGS)

test: $(STAMP) ## run the tests (11 minutes on two cores; LONG=1: the long ones too)
	$(WARM) --bots
	$(PYTEST) -m 'not slow$(if $(LONG),, and not long)'

test-clients: ## run other libraries, each in an environment of its own (CLIENT=NAME: one)
	@for client in $(CLIENT); do \
		echo "== $$client"; \
		$(MAKE) --no-print-directory build/clients/$$client/.installed && \
		build/clients/$$client/bin/python -m pytest -o filterwarnings= --disable-warnings \
			-m '$(if $(SLOW),slow,not slow)' tests/clients/$$client \
			$(if $(SLOW),|| [ $$? = 5 ]) || exit 1; \
	done

build/clients/%/.installed: tests/clients/%/requirements.txt tests/clients/requirements.txt pyproject.toml constraints.txt
	$(PYTHON) -m venv build/clients/$*
	build/clients/$*/bin/python -m pip --disable-pip-version-check install --quiet \
		--requirement $< --editable .
	@touch $@

test-long: $(STAMP) ## run the first notebook, killed runs, whole games in a browser (4 minutes)
	$(WARM) --bots
	$(PYTEST) -m 'long and not slow'

test-slow: $(STAMP) ## run every test, the slow ones too (an hour and more)
	$(WARM) --bots
	$(PYTEST)

test-plain: $(STAMP) ## run the tests of the rules as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(RULES) -m 'not slow and not long and not compiled'

test-plain-games: $(STAMP) ## play games as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(PLAYS) -m 'not slow and not long and not compiled'

test-checked: $(STAMP) ## run whole games with every array index checked
	NUMBA_BOUNDSCHECK=1 $(WARM)
	NUMBA_BOUNDSCHECK=1 $(PYTEST) $(WHOLE_GAMES) -m 'not slow and not long'

lint: $(STAMP) ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## mypy --strict
	$(BIN)/mypy

contracts: $(STAMP) ## check which module may import which
	$(BIN)/lint-imports

docs: $(STAMP) ## build the documentation site: build/site/index.html
	NUMBA_DISABLE_JIT=1 NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

check: lint types contracts test test-long test-plain-games test-checked ## everything CI runs

fuzz: $(STAMP) ## a million random games of each game; bad calls, damaged files, kills (hours)
	$(BIN)/python -m experiments.fuzz games --games 1000000 $(ARGS)
	$(BIN)/python -m experiments.fuzz calls
	$(BIN)/python -m experiments.fuzz files
	$(BIN)/python -m experiments.fuzz cache
	$(BIN)/python -m experiments.fuzz kill

benchmark: $(STAMP) ## measure the speed, with peers where they are installed
	$(BIN)/python -m experiments.benchmark $(ARGS)

notebooks: $(STAMP) ## execute the notebooks in place (a few minutes)
	$(WARM)
	$(BIN)/python -m experiments.notebooks $(ARGS)

format: $(STAMP) ## reformat and fix with ruff
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## delete .venv and caches, keep runs
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
