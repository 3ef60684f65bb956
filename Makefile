# Every target sets up what it needs in .venv: Python 3.11 or later, make and a C compiler suffice.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# Processes of tests: one for each core.
TESTERS ?= $(shell $(PYTHON) -c 'import os; print(min(os.cpu_count() or 1, 8))')
# Tests start hundreds of processes: keep compiled bytecode, even where the environment forbids it.
unexport PYTHONDONTWRITEBYTECODE
# Mutated inputs of `make stress`.
INPUTS ?= 1000000

.PHONY: help demo blender studio pages test suite check patient_check compiled bench stress versions papers docs coverage release format clean

help:  ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /	/' | expand -t 10

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "retime needs Python 3.11 or later; set PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

# The demo needs the package alone; every other target installs what developers need.
$(VENV)/.demo: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "retime needs Python 3.11 or later; set PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	test -e $(STAMP) || $(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

demo: $(VENV)/.demo  ## Retime bundled motions, with pictures, into demo/
	$(BIN)/retime demo demo

studio: $(STAMP)  ## Build the studio and open it
	$(BIN)/python web/build.py
	$(BIN)/retime studio

blender: $(STAMP)  ## Build the Blender extension's zip into dist/
	$(BIN)/python blender/build.py

pages: $(STAMP)
	$(BIN)/python web/build.py --optional

# Tests wait for browsers and servers a third of the time: the checks run in the gaps.
test: pages  ## Run all tests and checks
	$(MAKE) --no-print-directory --jobs=2 suite patient_check

suite: compiled
	$(BIN)/python -m pytest -q -n $(TESTERS) --dist loadfile --no-loadscope-reorder

patient_check: $(STAMP)
	nice -n 19 $(MAKE) --no-print-directory check

check: $(STAMP)  ## Lint, types, import contracts, prose
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/prose.py
	@if test -d web/node_modules; then cd web && npm run --silent check && npm test --silent; \
		else echo "web: not checked, npm is not installed"; fi

compiled: $(STAMP)
	$(BIN)/python tests/compile_ahead.py

format: $(STAMP)  ## Format the code
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .

bench: $(STAMP)  ## Print speed as ratios against named peers
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python -m bench

stress: $(STAMP)  ## Long trials: a million mutated inputs, many more random files and warps
	$(BIN)/python tests/stress/driver.py --inputs $(INPUTS)
	$(BIN)/python tests/attack_commands.py
	$(BIN)/python tests/attack_commands.py --studio --rounds 5
	RETIME_STRESS=1 $(BIN)/python -m pytest -q -n $(TESTERS) tests

versions: $(STAMP)  ## Test with the lowest and the newest versions of what retime needs
	$(PYTHON) tests/versions.py lowest
	$(PYTHON) tests/versions.py newest

papers: $(STAMP)  ## Regenerate the papers' figures and tables
	$(BIN)/python -m bench.papers

docs: $(STAMP)  ## Write the reference pages and build the documentation site into build/site/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_decisions.py
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site
	@echo "built build/site/index.html"

coverage: $(STAMP)  ## Run the tests with coverage, and fail below fail_under of pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pytest-cov>=5,<8'
	$(BIN)/python -m pytest -q -n $(TESTERS) --dist loadfile --cov=retime --cov-report=term:skip-covered

release: $(STAMP)  ## Build the sdist and the wheel, and try the wheel in a new environment
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'build>=1.2,<2'
	$(BIN)/python .ci/release.py

clean:  ## Remove what the targets made
	rm -rf $(VENV) demo dist build web/node_modules examples/live/node_modules src/retime/studio/static
