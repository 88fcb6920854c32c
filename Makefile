# Every target creates .venv if it does not exist. Start with: make demo

PYTHON ?= python3
BIN := .venv/bin
CLI := .venv/cli
READY := .venv/ready
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check
# One more than there are cores: some tests wait for a time-out.
WORKERS := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

.DEFAULT_GOAL := help

# Images of CI often set it. Without bytecode, each of the many processes that tests start compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(CLI): requirements/cli.txt pyproject.toml metahook/pyproject.toml
	@echo "Creating .venv with the command line. This takes less than a minute, once."
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed; name it: make PYTHON=python3.13 demo" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv .venv
	@$(INSTALL) --require-hashes --only-binary :all: -r requirements/cli.txt
	@$(INSTALL) --no-deps --no-build-isolation -e ./metahook -e .
	@touch $@

$(READY): $(CLI) requirements/dev.txt
	@echo "Adding the developers' tools to .venv. This takes about a minute, once."
	@$(INSTALL) --require-hashes --only-binary :all: -r requirements/dev.txt
	@touch $@

demo: $(CLI) ## Run a MyResource in a simulated cluster
	@$(BIN)/myresource simulate --scenario demo

serve: $(CLI) ## Serve the hook on this machine, with a page to try it in the browser: PORT=8080
	@$(BIN)/myresource serve --dev $(if $(PORT),--port $(PORT) --health-port 0)

# The tests of both halves, or, as ONLY says, of one. Each half has its own settings, so each has a run of its own.
TOOLKIT = $(patsubst metahook/%,%,$(filter metahook/%,$(ONLY)))
define in_both_halves
	$(if $(ONLY),,@echo "The first of two parts: the tests of the operator")
	$(if $(filter metahook metahook/%,$(ONLY)),,$(BIN)/pytest $1 $(ONLY))
	$(if $(ONLY),,@echo "The second of two parts: the tests of metahook")
	$(if $(filter-out metahook metahook/%,$(ONLY)),,cd metahook && ../$(BIN)/pytest $1 $(TOOLKIT))
endef

test: $(READY) ## Run all tests that need no cluster, or some: ONLY=tests/chart, ONLY=metahook. COVERAGE=1 fails if api, core, protocol, kinds or simulator has less than 100 % branch coverage
	$(call in_both_halves,-n $(WORKERS) --dist worksteal $(if $(COVERAGE),--cov --cov-report=term-missing:skip-covered))

build/toolkit/ready: metahook/requirements/dev.txt
	@rm -rf build/toolkit
	@$(PYTHON) -m venv build/toolkit
	@build/toolkit/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r $<
	@touch $@

toolkit: build/toolkit/ready ## Test the built wheel of metahook with a copy of its folder alone, in an environment of its own
	@rm -rf build/toolkit/metahook build/toolkit/wheel
	@git ls-files -z metahook | xargs -0 cp --parents --target-directory build/toolkit
	@cd build/toolkit/metahook && ../bin/hatchling build -t wheel -d ../wheel >/dev/null 2>&1
	@build/toolkit/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/toolkit/wheel/*.whl
	cd build/toolkit/metahook && ../bin/pytest -n $(WORKERS) --dist worksteal

test-all: $(READY) ## Run all tests that need no cluster, whole, with a new seed, and those that attack a hook; then fuzz for SECONDS=600
	$(call in_both_halves,-n auto --dist worksteal --all)
	$(BIN)/pytest -m attacks tests/service/attacks
	cd metahook && ../$(BIN)/pytest -m attacks tests/server
	@mkdir -p build/fuzz
	$(BIN)/python -m tests.fuzz.guided build/fuzz tests/fuzz/corpus -max_total_time=$(or $(SECONDS),600) -max_len=30000 -artifact_prefix=build/ -print_final_stats=1

build/mutants/ready: requirements/mutants.txt
	@rm -rf build/mutants
	@$(PYTHON) -m venv build/mutants
	@build/mutants/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps -r $<
	@touch $@

# All mistakes come in random order, so a part of them is a sample. Those that are left out would count as caught.
mutants: MUTANTS = build/mutants/bin
mutants: export PYTEST_ADDOPTS = -xq
mutants: $(READY) build/mutants/ready ## Plant mistakes in lines that differ from main, or with ALL=1 in all, for MINUTES=60, and show those that no test catches. ONLY=tests/core runs these tests alone. Files change meanwhile
	@rm -f build/mutants.sqlite
	@$(MUTANTS)/cosmic-ray init tests/mutants.toml build/mutants.sqlite
	@$(if $(ALL),,$(MUTANTS)/cr-filter-git --config tests/mutants.toml build/mutants.sqlite)
	@$(if $(ALL),,$(MUTANTS)/cr-filter-operators build/mutants.sqlite tests/mutants.toml)
	@env --default-signal=INT timeout --signal=INT $(or $(MINUTES),60)m $(MUTANTS)/cosmic-ray exec tests/mutants.toml build/mutants.sqlite || test $$? = 124
	@$(MUTANTS)/cr-report --surviving-only --show-diff build/mutants.sqlite
	@$(if $(ALL),$(MUTANTS)/cr-rate --fail-over 30 build/mutants.sqlite)

# The API servers collect garbage less often, which saves a quarter of their CPU time.
e2e: export GOGC = 400
e2e: $(READY) ## Run the tests on a real control plane, if its binaries are installed, or some: ONLY=tests/e2e/test_life.py; ALL=1 adds those of the toolkit, and runs each with both apply strategies
	$(if $(filter metahook metahook/%,$(ONLY)),,$(BIN)/pytest -m e2e -n 4 --dist loadfile $(if $(ALL),--all) $(or $(ONLY),tests/e2e examples/hooks))
	$(if $(filter-out metahook metahook/%,$(ONLY)),,cd metahook && ../$(BIN)/pytest -m e2e -n 2 --dist loadfile $(or $(TOOLKIT),examples $(if $(ALL),tests/e2e)))

own: $(READY) ## Test the operator in your cluster: make own CONTEXT=NAME
	@$(BIN)/pytest -m own tests/own --context "$(CONTEXT)" $(if $(IMAGE),--image "$(IMAGE)") $(if $(OTHER_IMAGE),--other-image "$(OTHER_IMAGE)")

build/site-venv/ready: requirements/site.txt
	@$(PYTHON) -m venv --clear build/site-venv
	@build/site-venv/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/site.txt
	@touch $@

site: $(READY) build/site-venv/ready ## Build the site of the docs into build/site: REPOSITORY_URL=URL links each page to its file
	@$(BIN)/python -m website.site

test-tools: site ## Run the tests that need Chromium, Prometheus, Go, actionlint or pipx, or some: ONLY=tests/site
	@$(BIN)/pytest -m tools $(or $(ONLY),tests/site tests/page tests/monitoring tests/health tests/docs/test_kubectl_plugin.py tests/release/test_workflows.py tests/release/test_action.py tests/bench)

release: $(READY) ## Build and check the files of a release, in build/release: REPOSITORY=NAME of the image, PLATFORMS=linux/amd64,linux/arm64, PARTS="wheels chart", or all
	@$(BIN)/python -m release $(if $(REPOSITORY),--repository "$(REPOSITORY)") $(if $(PLATFORMS),--platforms "$(PLATFORMS)") $(PARTS)
	@$(BIN)/pytest -q -m tools tests/release --ignore tests/release/test_workflows.py
	@$(BIN)/pytest -q -m e2e -n 2 --dist loadfile tests/e2e/test_upgrade.py

ifdef VERSION
version: $(READY)
	@$(BIN)/python -m release.version "$(VERSION)"
else
version: ## Print the version of this tree, with the commit between releases; VERSION=X.Y.Z sets it
	@release/version.sh
endif

kind: ## Create a kind cluster with the operator and a MyResource; needs Docker, kind, kubectl and Helm
	@tests/own/install.sh

deploy: ## Build and push the image, and install the operator in your cluster: make deploy CONTEXT=NAME REPOSITORY=NAME of the image; DOCS_URL if origin is not at GitHub or GitLab
	@tests/own/install.sh "$(CONTEXT)" "$(REPOSITORY)"

bench: $(READY) ## Compare the CPU of the hook with that of simpler ones, in two minutes: ROUNDS=5
	@$(BIN)/python -m bench.comparison $(if $(ROUNDS),--rounds $(ROUNDS))

scale: $(READY) ## Measure events with many MyResources, and shards, on a real control plane, in about 25 minutes: N=1000; with PEERS=1 compare other operators: N="300 1000"
	@$(BIN)/python -m bench.scale $(N) $(if $(PEERS),--peers)

check: $(READY) ## Run formatter, linter, type checker and import contracts
	$(BIN)/ruff format --check . metahook
	$(BIN)/ruff check . metahook
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	cd metahook && ../$(BIN)/mypy && ../$(BIN)/lint-imports --no-logo

format: $(READY) ## Format the code
	$(BIN)/ruff format . metahook
	$(BIN)/ruff check --fix . metahook

generate: $(READY) ## Generate what follows from code: the CRD, metacontroller/, the dashboard, and parts of the pages
	$(BIN)/myresource crd > crds/mygroup.example.com_myresources.yaml
	$(BIN)/myresource crd -o json > app/api/crd.json
	$(BIN)/myresource crd --json-schema > crds/myresource.schema.json
	cp crds/mygroup.example.com_myresources.yaml charts/myresource-operator/files/crd.yaml
	$(BIN)/python -m charts.settings
	$(BIN)/python -m charts.children
	$(BIN)/python -m charts.manifests
	$(BIN)/python -m charts.values_table
	$(BIN)/python -m charts.dashboard
	$(BIN)/python -m website.made

rename: ## Make this clone the operator of your kind: GROUP=apps.acme.io KIND=WebApp; PLURAL, SHORT and NAME of the chart follow from it
	@$(PYTHON) -m release.rename $(MAKEOVERRIDES)

lock: COMPILE = $(BIN)/uv pip compile --quiet --no-strip-extras $(if $(UPGRADE),--upgrade) --universal --generate-hashes --no-emit-index-url --no-header
lock: $(READY) ## Generate the lock files from pyproject.toml: UPGRADE=1 for newer packages
	$(COMPILE) pyproject.toml -o requirements/run.txt
	$(COMPILE) --extra cli --group dev -c requirements/run.txt pyproject.toml -o requirements/dev.txt
	$(COMPILE) --extra cli --group install -c requirements/dev.txt pyproject.toml -o requirements/cli.txt
	$(COMPILE) --extra cli -c requirements/dev.txt metahook/pyproject.toml -o metahook/requirements/cli.txt
	$(COMPILE) --extra cli --extra test --group metahook/pyproject.toml:dev -c requirements/dev.txt metahook/pyproject.toml -o metahook/requirements/dev.txt
	$(COMPILE) --group pyproject.toml:site -o requirements/site.txt
	$(COMPILE) --group pyproject.toml:peers -o bench/peers/requirements.txt
	$(COMPILE) --group pyproject.toml:mutants --no-emit-package yattag -o requirements/mutants.txt

.PHONY: help demo serve test toolkit test-all mutants e2e own site test-tools release version kind deploy bench scale check format generate rename lock
