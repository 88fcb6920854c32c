# Every target creates .venv if it does not exist. Start with: make demo

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
LONGEST := 220
SECONDS ?= 600
ROLLS ?= 50

.DEFAULT_GOAL := help

# Images of CI often set it. Without bytecode, each of the many processes that tests start compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): requirements/dev.txt pyproject.toml metahook/pyproject.toml
	@echo "Creating .venv. This takes about a minute, once."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/dev.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e ./metahook -e .
	@touch $@

demo: $(READY) ## Run a MyResource in a simulated cluster
	@$(BIN)/myresource simulate --scenario demo --brief

picture: $(READY) ## Draw the picture of the README: a MyResource that is created, broken and rolled back
	@$(BIN)/myresource simulate --scenario rollback --brief --speed 0 --svg docs/rollback.svg >/dev/null

test: $(READY) ## Run all tests that need no cluster; slow ones in their short form
	$(BIN)/pytest -n auto --dist worksteal

test-all: $(READY) ## Run all tests that need no cluster, whole, with a new seed; then fuzz for SECONDS=600
	$(BIN)/pytest -n auto --dist worksteal --all
	@mkdir -p build/fuzz
	$(BIN)/python -m tests.fuzz.guided build/fuzz tests/fuzz/corpus -max_total_time=$(SECONDS) -max_len=30000 -artifact_prefix=build/ -print_final_stats=1

coverage: $(READY) ## Run all tests; fail if api, core, protocol, kinds or simulator has less than 100 % branch coverage
	$(BIN)/pytest -n auto --dist worksteal --cov --cov-report=term-missing:skip-covered

e2e: $(READY) ## Run the tests on a real control plane, if its binaries are installed
	$(BIN)/pytest -m e2e -n 4 --dist loadfile $(or $(ONLY),tests/e2e examples/hooks)

own: $(READY) ## Test the operator in your cluster, where it is installed: make own CONTEXT=NAME
	@$(BIN)/pytest -m own tests/own --context "$(CONTEXT)" $(if $(IMAGE),--image "$(IMAGE)") $(if $(OTHER_IMAGE),--other-image "$(OTHER_IMAGE)")

build/site-venv/ready: requirements/site.txt
	@$(PYTHON) -m venv build/site-venv
	@build/site-venv/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/site.txt
	@touch $@

site: $(READY) build/site-venv/ready ## Build the site of the docs into build/site, and open each page in Chromium
	@$(BIN)/python -m docs.site
	@NO_MKDOCS_2_WARNING=1 build/site-venv/bin/mkdocs --quiet build
	@$(BIN)/pytest -m tools tests/site

health: $(READY) ## Compare the health checks for Argo CD and Flux with the originals; needs Go
	$(BIN)/pytest -m tools tests/health

build/release-tools/ready: requirements/release.txt
	@rm -rf build/release-tools
	@$(PYTHON) -m venv build/release-tools
	@build/release-tools/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r $<
	@touch $@

release: $(READY) build/release-tools/ready ## Build and check the files of a release, in build/release: REPOSITORY=NAME of the image, PARTS="wheels chart", or all
	@$(BIN)/python -m release $(if $(REPOSITORY),--repository "$(REPOSITORY)") $(PARTS)
	@$(BIN)/pytest -q -m tools tests/release --ignore tests/release/test_workflows.py
	@$(BIN)/pytest -q -m e2e -n 2 --dist loadfile tests/e2e/test_upgrade.py

workflows: $(READY) ## Check the workflows of the hosted CI; needs actionlint
	@$(BIN)/pytest -q -m tools tests/release/test_workflows.py

monitoring: $(READY) ## Test the alerts, the dashboard and the metrics of MyResources, with Prometheus
	@$(BIN)/pytest -m tools tests/monitoring

dashboard: $(READY) ## Draw the dashboard for docs/monitor.md, from a hook under calls; needs Prometheus and two minutes
	@$(BIN)/python -m tests.monitoring.picture

image: $(READY) ## Build the image with buildah, and print its digest and size: IMAGE=NAME, SOURCE=DIRECTORY with other files
	@$(BIN)/python -m tests.image.build "$(or $(IMAGE),myresource-operator:0.2.0)" $(SOURCE)

test-image: image ## Build the image, and test it with runc
	@$(BIN)/pytest -m tools tests/image

cluster: $(READY) ## Start a Kubernetes node here, install the operator on it and run tests there; as root: see docs/testing.md
	@$(BIN)/python -m tests.node up
	@$(BIN)/pytest -m tools tests/node
	@KUBECONFIG="$$($(BIN)/python -m tests.node kubeconfig)" $(MAKE) --no-print-directory own CONTEXT=node
	@$(BIN)/python -m tests.node describe

cluster-down: $(READY) ## Remove the node that make cluster started
	@$(BIN)/python -m tests.node down

kind: ## Create a kind cluster with the operator; needs Docker, kind, kubectl and Helm
	@tests/node/kind.sh

bench: $(READY) ## Compare the hook with other servers, and measure its parts: PARTS="comparison pods", or all; ROUNDS=5; CHECK=1 only compares with bench/ratios.json
	@$(BIN)/python -m bench $(PARTS) $(if $(CHECK),--check) $(if $(ROUNDS),--rounds $(ROUNDS))

reliability: $(READY) ## Attack the served hook, and print the figures of docs/reliability.md: PARTS="slow memory", or all
	@$(BIN)/python -m bench.reliability $(PARTS)

rolls: $(READY) ## Replace the replicas of the hook ROLLS times under load, and count lost requests; needs Go. With TLS: TLS=1
	@$(BIN)/python -m bench.rolls $(ROLLS) $(if $(TLS),--tls)

record: $(READY) ## Record the requests of Metacontroller on a real control plane
	$(BIN)/python -m tests.e2e.traffic

scale: $(READY) ## Measure events with many MyResources on a real control plane, in about an hour: N=300 for one size, FEATURES=1 for what each related rule costs
	@$(BIN)/python -m bench.scale $(if $(N),--size "$(N)") $(if $(FEATURES),--features)

shards: $(READY) ## Measure MyResources in 1, 2 and 4 shards on a real control plane: N=1000
	@$(BIN)/python -m bench.shards $(or $(N),1000)

check: $(READY) ## Run formatter, linter, type checker, import contracts and module size check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@$(MAKE) --no-print-directory sizes

sizes: # Limits the length of modules, so that each can be read at one sitting. The catalogue of reasons is a table
	@find app metahook/src -name '*.py' ! -path app/core/reasons.py -exec awk -v most=$(LONGEST) 'END {if (NR > most) print FILENAME ": " NR " lines, more than " most}' {} \; | (! grep .)

format: $(READY) ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

crd: $(READY) ## Generate the CRD from the models
	$(BIN)/myresource crd > crds/mygroup.example.com_myresources.yaml
	cp crds/mygroup.example.com_myresources.yaml charts/myresource-operator/files/crd.yaml

manifests: crd ## Generate metacontroller/ and the table of values from the chart
	$(BIN)/python -m charts.manifests
	$(BIN)/python -m charts.values_table
	$(BIN)/python -m charts.dashboard

pages: $(READY) ## Generate the pages of docs/ that are made from code
	$(BIN)/python -m docs.made

lock: COMPILE = $(BIN)/uv pip compile --quiet $(if $(UPGRADE),--upgrade) --universal --generate-hashes --no-emit-index-url --no-header
lock: $(READY) ## Generate the lock files from pyproject.toml: UPGRADE=1 for newer packages
	$(COMPILE) pyproject.toml -o requirements/run.txt
	$(COMPILE) --extra cli --extra dev --group dev -c requirements/run.txt pyproject.toml -o requirements/dev.txt
	$(COMPILE) --group pyproject.toml:site -o requirements/site.txt
	$(COMPILE) --group release -c requirements/dev.txt -o requirements/release.txt

.PHONY: help demo picture test test-all coverage e2e own site health cluster cluster-down kind monitoring dashboard release workflows image test-image bench reliability rolls scale shards record check sizes format crd manifests pages lock
