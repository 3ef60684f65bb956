# Every target sets up what it needs in .venv: Python 3.11 or later, make and a C++ compiler suffice.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
STAMP  := $(VENV)/.installed
# Sources of the kernels: they are compiled again when one changes.
NATIVE := CMakeLists.txt $(wildcard src/native/*.?pp)
# Processes of tests: one for each core.
TESTERS ?= $(shell $(PYTHON) -c 'import os; print(min(os.cpu_count() or 1, 8))')
# Tests start hundreds of processes: keep compiled bytecode, even where the environment forbids it.
unexport PYTHONDONTWRITEBYTECODE
# Mutated inputs of `make stress`.
INPUTS ?= 1000000

.PHONY: help demo blender studio pages test suite check patient_check stubs bench census stress sanitize versions papers docs coverage release format clean

help:  ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /	/' | expand -t 10

# The tools that compile the kernels. They stay installed, so that only what changed is compiled.
$(VENV)/.tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "retime needs Python 3.11 or later; set PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --upgrade pip
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' > $(VENV)/tools.txt
	$(PIP) install --quiet -r $(VENV)/tools.txt 'cmake>=3.26' ninja
	@touch $@

# One sentence where the build fails; its log has the rest.
define install
	@echo "$(PIP) install --no-build-isolation -e '.$(1)'"
	@$(PIP) install --no-build-isolation -e '.$(1)' > $(VENV)/install.log 2>&1 || { \
		echo "retime was not installed: $$({ grep 'needs a C++' $(VENV)/install.log; grep -iE '(^|[^-])error: ' $(VENV)/install.log; } | grep -v subprocess-exited | head -n 1 | sed 's/^ *//'); $(VENV)/install.log has all messages." >&2; exit 1; }
	@touch $@
endef

$(STAMP): $(VENV)/.tools $(NATIVE)
	$(call install,[dev])

# The demo needs the package alone; every other target installs what developers need.
$(VENV)/.demo: $(VENV)/.tools $(NATIVE)
	$(call install,$(shell test -e $(STAMP) && echo '[dev]'))

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

suite: $(STAMP)
	$(BIN)/python -m pytest -q -n $(TESTERS) --dist loadfile --no-loadscope-reorder

patient_check: $(STAMP)
	nice -n 19 $(MAKE) --no-print-directory check

# Types of the kernels, for mypy and editors.
stubs: src/retime/_native/__init__.pyi
src/retime/_native/__init__.pyi: $(STAMP)
	$(BIN)/python -m nanobind.stubgen --module retime._native --recursive --quiet --output-dir src/retime
	@touch $@

check: stubs  ## Lint, types, import contracts, prose
	$(BIN)/clang-format --dry-run --Werror src/native/*
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/prose.py
	@if test -d web/node_modules; then cd web && npm run --silent check && npm test --silent; \
		else echo "web: not checked, npm is not installed"; fi

format: $(STAMP)  ## Format the code
	$(BIN)/clang-format -i src/native/*
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .

bench: $(STAMP)  ## Print speed as ratios against named peers
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python -m bench

census: $(STAMP)  ## Judge ordinary edits on 40 recorded clips, beside the results in bench/delivered.md
	$(BIN)/python -m bench.census

stress: $(STAMP)  ## Long trials: a million mutated inputs, many more random files and warps
	$(BIN)/python tests/stress/driver.py --inputs $(INPUTS)
	$(BIN)/python tests/attack_commands.py
	$(BIN)/python tests/attack_commands.py --studio --rounds 5
	RETIME_STRESS=1 $(BIN)/python -m pytest -q -n $(TESTERS) tests

sanitize: $(STAMP)  ## Build the kernels with sanitizers, and run their tests and 20,000 mutated files
	$(BIN)/python .ci/sanitize.py

versions: $(STAMP)  ## Test with the lowest and the newest versions of what retime needs
	$(PYTHON) tests/versions.py lowest
	$(PYTHON) tests/versions.py newest

papers: $(STAMP)  ## Regenerate the papers' figures and tables
	$(BIN)/python -m bench.papers

docs: $(STAMP)  ## Write the reference pages and build the documentation site into build/site/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_decisions.py
	$(BIN)/python docs/make_layers_picture.py
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site
	@if command -v npm >/dev/null; then (cd examples/lengths && npm ci --silent --no-audit --no-fund) \
		&& $(BIN)/python examples/lengths/publish.py build/site/play-lengths; \
		else echo "play-lengths: not published, npm is not installed"; fi
	@echo "built build/site/index.html"

coverage: $(STAMP)  ## Run the tests with coverage, and fail below fail_under of pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pytest-cov>=5,<8'
	$(BIN)/python -m pytest -q -n $(TESTERS) --dist loadfile --cov=retime --cov-report=term:skip-covered

release: $(STAMP)  ## Build the sdist and the wheel, and try the wheel in a new environment
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'build>=1.2,<2'
	$(BIN)/python .ci/release.py

clean:  ## Remove what the targets made
	rm -rf $(VENV) demo dist build web/node_modules examples/live/node_modules examples/lengths/node_modules src/retime/studio/static src/retime/_native
