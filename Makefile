# One word for each thing one does here; `make` alone lists them.

EXTRAS ?= alfworld,scienceworld,qa,pddl,leiden,wandb,dev
TABLES ?= 1 3
DATA ?=
PYTEST_ARGS ?=

PY := .venv/bin/python
comma := ,
READY := .venv/.ready-$(subst $(comma),-,$(EXTRAS))

.DEFAULT_GOAL := help
.PHONY: help setup run test check smoke tables report data doctor clean

help: ## List these commands
	@if [ -t 1 ]; then bold='\033[1m'; blue='\033[36m'; off='\033[0m'; fi; \
	printf "\n$${bold}Agents with memory on task streams$${off}\n\n"; \
	awk -F ':.*## ' '/^[a-z]+:.*## / { print $$1 "\t" $$2 }' $(firstword $(MAKEFILE_LIST)) | \
	while IFS='	' read -r name text; do printf "  $${blue}make %-8s$${off} %s\n" "$$name" "$$text"; done; \
	printf "\nVariables: EXTRAS=%s TABLES='%s' DATA= PYTEST_ARGS=\n\n" '$(EXTRAS)' '$(TABLES)'

setup: $(READY) ## Make .venv; quick when nothing changed

$(READY): pyproject.toml constraints.txt scripts/setup.sh
	@sh scripts/setup.sh '$(EXTRAS)'
	@touch '$@'

run: setup ## Run the quickstart: two real engines, memory off and on, a table at the end
	$(PY) -m scripts.data model
	$(PY) -m scripts.run experiment=quickstart
	$(PY) -m scripts.run experiment=quickstart_model
	$(PY) -m scripts.tables 1 3
	@sh scripts/next_steps.sh

test: setup ## Run the tests that need no network and no key (results/junit.xml)
	$(PY) -m scripts.data model
	$(PY) -m pytest -m 'not slow and not net and not paid' --timeout 600 --junitxml results/junit.xml $(PYTEST_ARGS)

check: setup ## Lint, check formatting, check types
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

smoke: setup ## Run experiment=ci: every part once, under a minute, no key
	$(PY) -m scripts.run experiment=ci

tables: setup ## Make the paper's tables from results/runs (TABLES="1 3")
	$(PY) -m scripts.tables $(TABLES)

report: setup ## Print the summary of every run under results/runs
	@for run in results/runs/*/; do $(PY) -m scripts.show "$$run" || exit; done

data: setup ## Fetch, build and verify data, models and environments (DATA="model ...")
	$(PY) -m scripts.data $(DATA)

doctor: setup ## Say what is missing, what for, and the command that gets it
	$(PY) -m scripts.doctor

clean: ## Remove .venv and all caches; runs and tables stay
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks build *.egg-info results/junit.xml
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
