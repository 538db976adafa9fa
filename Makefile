# make verify   sets up and verifies the embedded study
# make test     sets up and runs everything that CI checks
# make help     lists the other targets

PYTHON ?= python3
# Hundreds of tests start a process: what was compiled once is kept, whatever the machine says.
export PYTHONDONTWRITEBYTECODE :=
BIN := .venv/bin
RUN := $(BIN)/python
PIP := $(RUN) -m pip --disable-pip-version-check --quiet
RECIPES := bundles/rsd-fixture:bundles/rsd-stratified:bundles/rsd-operating:bundles/rsd-paper:bundles/classification:bundles/leduc:bundles/leduc-students:bundles/behaviour:bundles/ward-triage:bundles/push-fold
SOURCES := verifier tests benchmarks reports docs bundles/rsd-fixture/rsd_fixture bundles/rsd-stratified/rsd_stratified \
	bundles/rsd-operating/rsd_operating bundles/rsd-paper/rsd_paper bundles/classification/classification_recipe \
	bundles/leduc/leduc_recipe bundles/leduc-students/leduc_students_recipe \
	bundles/behaviour/behaviour_recipe bundles/ward-triage/ward_triage_recipe \
	bundles/push-fold/push_fold_recipe

.PHONY: help verify test lint types imports unit ratios package site schemas bundles reference gallery reports campaign fuzz fuzz-readers mutants bench corpus clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

.venv/runtime: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) install --upgrade --constraint constraints.txt pip
	$(PIP) install --constraint constraints.txt --editable .
	@touch $@

.venv/development: .venv/runtime
	$(PIP) install --constraint constraints.txt --group dev --editable '.[attest,witnesses]'
	@touch $@

verify: .venv/runtime ## verify the embedded study, and compare with the verdict that it expects
	$(BIN)/sealtrace verify --as-expected

test: lint types imports package unit ## everything that CI checks
	@# Alone: beside the tests a ratio of costs measures the busy machine.
	$(MAKE) ratios

lint: .venv/development ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/development ## types, strictly, in package, recipes and tests
	$(BIN)/mypy $(SOURCES)

imports: .venv/development ## the walls between the rooms
	PYTHONPATH=$(RECIPES) $(BIN)/lint-imports

unit: .venv/development ## tests, with the small forms of fuzzing; they build the site, too
	$(BIN)/pytest --numprocesses auto --dist worksteal
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || \
		echo "The page was not tested in a browser; 'apt-get install chromium' gets one."

ratios: .venv/development ## the small form of the benchmarks: costs as multiples of others
	$(RUN) benchmarks/ratios.py

package: .venv/development ## the built wheel: contents, a clean install, its embedded study
	$(RUN) tests/check_package.py

site: .venv/development ## the documentation as a site, in build/site; a broken link is an error
	@# With --quiet no warning is counted, and --strict counts warnings.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

schemas: .venv/development ## write schemas/ anew from the models
	$(RUN) tests/contract/export.py

bundles: .venv/development ## build the shipped bundles anew from their recipes
	rm -rf bundles/rsd-fixture/bundle bundles/rsd-stratified/bundle bundles/rsd-operating/bundle bundles/rsd-paper/bundle \
		bundles/classification/bundle bundles/leduc/bundle bundles/leduc-students/bundle bundles/behaviour/bundle bundles/ward-triage/bundle bundles/push-fold/bundle
	PYTHONPATH=$(RECIPES) $(RUN) -m rsd_fixture bundles/rsd-fixture/bundle
	PYTHONPATH=$(RECIPES) $(RUN) -m rsd_stratified bundles/rsd-stratified/bundle
	PYTHONPATH=$(RECIPES) $(RUN) -m rsd_operating bundles/rsd-operating/bundle
	PYTHONPATH=$(RECIPES) $(RUN) -m classification_recipe bundles/classification/bundle
	PYTHONPATH=$(RECIPES) $(RUN) -m leduc_recipe bundles/leduc/bundle
	PYTHONPATH=$(RECIPES) $(RUN) -m rsd_paper bundles/rsd-paper/bundle
	PYTHONPATH=$(RECIPES) $(RUN) -m leduc_students_recipe bundles/leduc-students/bundle
	PYTHONPATH=$(RECIPES) $(RUN) -m behaviour_recipe bundles/behaviour/bundle
	PYTHONPATH=$(RECIPES) $(RUN) -m ward_triage_recipe bundles/ward-triage/bundle
	PYTHONPATH=$(RECIPES) $(RUN) -m push_fold_recipe bundles/push-fold/bundle

reference: .venv/development ## write docs/reference/ anew from the code
	$(RUN) docs/generate.py

gallery: .venv/development ## take the pictures of docs/gallery.md anew, in Chromium
	$(RUN) docs/gallery.py

reports: .venv/development ## write reports/ anew: what the verifier says of the shipped bundles
	$(RUN) reports/regenerate.py

campaign: .venv/development ## thousands of changed records of each shipped bundle: is each noticed?
	for study in rsd-fixture rsd-stratified rsd-operating classification leduc leduc-students behaviour rsd-paper ward-triage push-fold; do \
		$(RUN) benchmarks/changed_records.py bundles/$$study/bundle --sample $(or $(SAMPLE),4000) --seconds $(or $(SECONDS),1800) || exit 1; done

fuzz: .venv/development ## the long forms of the sampled tests: every byte, every variant, whole rebuilds
	SEALTRACE_LONG=1 $(BIN)/pytest --numprocesses auto tests
	PYTHONPATH=benchmarks $(RUN) tests/faults/damages.py $(or $(LOG),build/damages.jsonl) bundles/*/bundle

fuzz-readers: .venv/development ## coverage-guided fuzzing of each reader of untrusted bytes, for SECONDS (300)
	for reader in json latex archive parquet relation; do \
		PYTHONPATH=verifier $(RUN) tests/fuzzing/fuzz.py $$reader -max_total_time=$(or $(SECONDS),300) || exit 1; done

mutants: .venv/development ## changes of the verifier's own code: does a test notice each? a SAMPLE of them (all), of a ROOM (all)
	$(RUN) benchmarks/mutants.py $(if $(SAMPLE),--sample $(SAMPLE)) $(ROOM)

bench: .venv/development ## four million traces beside the floor and peers, map searches, growth with length
	$(RUN) benchmarks/scale.py --write
	$(RUN) benchmarks/maps.py
	$(RUN) benchmarks/growth.py
	$(RUN) benchmarks/growth.py --constructs

corpus: .venv/development ## how well check and audit do on public releases cloned into DIR; HELD_OUT=1 when a version is made
	$(RUN) benchmarks/how_well.py $(DIR) $(if $(HELD_OUT),--held-out) --write

clean: ## remove what the targets above made
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache benchmarks/work
