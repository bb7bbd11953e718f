# make demo    try it: install, read the seed abstracts, ask a question
# make test    the quick tests
# make lint    format, lint, types
# make check   lint, then the quick tests
# make slow    the tests that take longer
# make bench   how speed, memory and disk grow with the library: make bench TEXTS="corpus.jsonl ..."
# make docs    rewrite docs/reference.md from the code
# make clean   remove what was built here; a library (.rag) stays

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
USE := $(VENV)/.installed
TEST := $(VENV)/.installed-test
LISTS := pyproject.toml constraints.txt
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
QUESTION := How much faster than FOA is EVA-0?

.PHONY: demo test lint check slow bench docs clean
.DELETE_ON_ERROR:

demo: $(USE)
	$(BIN)/rag ingest seeds/
	$(BIN)/rag ask "$(QUESTION)"

test: $(TEST)
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

lint: $(TEST)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict rag

check: lint test

slow: $(TEST)
	$(BIN)/python -m pytest -q -m slow || [ $$? -eq 5 ]  # 5: there are none

bench: $(TEST)
	@test -n "$(TEXTS)" || { echo 'Name files of JSON lines with a "text" each: make bench TEXTS="corpus.jsonl ..."' >&2; exit 1; }
	$(PIP) -e '.[static,bench]'
	$(BIN)/python bench/grow.py --texts $(TEXTS)

docs: $(USE)
	$(BIN)/python docs/make_reference.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache build dist *.egg-info
	find rag tests bench docs -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, and $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(USE): $(LISTS) | $(BIN)/python
	@echo "Installing into $(VENV); the first time this takes a few minutes."
	$(PIP) -e .
	@touch $@

$(TEST): $(LISTS) | $(BIN)/python
	@echo "Installing into $(VENV); the first time this takes a few minutes."
	$(PIP) -e '.[static,test]'
	@touch $(USE) $@
