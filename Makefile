# planbatch: `make run` and `make test` do all the set-up that they need.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LOCKED := $(VENV)/.locked
STAMP  := $(VENV)/.installed
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
CORE   := $(shell find core -name '*.hpp' -o -name '*.cpp' -o -name CMakeLists.txt)
# An editable installation knows the modules by name: it is made again if one comes or goes.
PACKAGES  := $(shell find planner objectives baselines experiments -type d -not -name __pycache__)

# Where there is no C++ compiler, zig's is one; it comes from PyPI.
ZIG := core/zig/requirements.txt
ifeq ($(origin CXX)$(shell command -v c++ || command -v g++ || command -v clang++),default)
export CXX := $(CURDIR)/core/zig/c++
COMPILER := --requirement $(ZIG)
endif

# Tests start hundreds of processes, which need not compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup run test nightly oldest lint tidy sanitized sanitize bench docs dist clean

setup: $(STAMP)

$(LOCKED): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit("planbatch needs Python 3.11 or newer, found " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes --requirement requirements.lock $(COMPILER)
	@touch $@

# Builds the core, in build/; only what has changed is compiled again.
$(STAMP): $(LOCKED) pyproject.toml $(CORE) $(PACKAGES)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

run: $(STAMP)
	$(BIN)/planbatch compare --out out/compare

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Where a test hangs, its stack is printed; that takes a thread per test, hence not in unit tests.
STACKS := -o faulthandler_timeout=900
# What CI runs, in ten minutes on two cores: lint, unit tests with the coverage of the Python, integration tests, and a
# minute of random input for a core with sanitizers, which zig does not bring.
test: lint
	$(BIN)/python -m pytest -n 3 --dist worksteal --cov --cov-report=term
	PYTHONPATH=tests/without_numba $(BIN)/python -m pytest -n 3 tests/planner/registry tests/test_bad_functions.py tests/core/test_values.py
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "integration and not nightly" $(STACKS)
ifndef COMPILER
	$(MAKE) sanitize SECONDS=60
endif

# Hours: clang-tidy; every example of every property; whole logs, the site, notebooks, distributions; oldest
# dependencies; sanitizers; mutants.
nightly: test tidy
	PLANBATCH_THOROUGH=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m "not nightly" $(STACKS)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m nightly $(STACKS)
	$(MAKE) oldest
	$(MAKE) sanitize SECONDS=1800
	$(MAKE) sanitize SECONDS=600 SANITIZER=thread
	$(BIN)/python -m tests.mutants

# Unit tests with the oldest versions that pyproject.toml allows, in build/oldest.
OLDEST := build/oldest
oldest: $(STAMP)
	$(BIN)/uv venv --clear --quiet $(OLDEST)
	$(BIN)/uv pip compile --quiet --resolution lowest-direct --extra dev --extra docs pyproject.toml --output-file $(OLDEST)/requirements.txt
	$(BIN)/uv pip install --quiet --python $(OLDEST) --requirement $(OLDEST)/requirements.txt
	PATH="$(CURDIR)/$(OLDEST)/bin:$$PATH" $(BIN)/uv pip install --quiet --python $(OLDEST) --no-deps --no-build-isolation --config-setting build-dir=$(OLDEST)/core --editable .
	$(OLDEST)/bin/python -m pytest -n 2 --dist worksteal

# clang-tidy's checks of core/.clang-tidy, in build/tidy.
TIDY := clang-tidy==23.1.4
tidy: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S core -B build/tidy -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python"
	printf '%s\0' core/bindings/*.cpp | xargs -0 -n 1 -P 2 $(BIN)/uv tool run --from $(TIDY) clang-tidy --quiet -p build/tidy

# A core with sanitizers, in build/sanitize, on random input, good and bad; with SANITIZER=thread in threads.
SECONDS ?= 60
SANITIZER ?= address,undefined
sanitized: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S core -B build/sanitize -G Ninja -DPLANBATCH_SANITIZE=$(SANITIZER) -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python"
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build build/sanitize
sanitize: sanitized
	$(BIN)/python -m tests.core.fuzz --core build/sanitize --seconds $(SECONDS) $(if $(filter thread,$(SANITIZER)),--threads 2)

# Against another commit: make bench COMMIT=...; the commit before by default.
COMMIT ?= HEAD~1
bench: $(STAMP)
	$(BIN)/python -m benchmarks.against_commit $(COMMIT)

# The manual, into site/: warnings are errors. Open site/index.html; it needs no server and no network.
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

# A source distribution and, built of it, a wheel for each Python that is here, for Linux with glibc 2.28 or newer; into
# dist/, checked, and installed into empty environments.
dist: $(STAMP)
	rm -rf dist
	$(PIP) --require-hashes --requirement $(ZIG)
	$(BIN)/python -m build --no-isolation --sdist --outdir dist
	PATH="$(CURDIR)/$(BIN):$$PATH" CXX="$(CURDIR)/core/zig/c++" ZIG_TARGET=$$(uname -m)-linux-gnu.2.28 $(BIN)/python -m manual.wheels dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python -m manual.installed dist

clean:
	rm -rf $(VENV) out site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
