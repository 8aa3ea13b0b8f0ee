# Each target does its own set-up, in .venv. `make demo` and `make test` are all one needs.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-fast check check-native bench bench-small docs site clean

demo: .venv/.demo
	$(BIN)/averment demo

test: .venv/.dev
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto --dist loadgroup --durations=10
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --include='src/averment/types/*,src/averment/text.py,src/averment/findings.py,src/averment/steps.py,src/averment/trace.py,src/averment/engine.py,src/averment/policies/*,src/averment/metrics/*,src/averment/uq/*,src/averment/franq/*,src/averment/scoring/*,src/averment/checking.py,src/averment/calibrating.py,src/averment/answers.py,src/averment/outcomes.py,src/averment/promises.py,src/averment/costs.py' --fail-under=100

# No model, no network, no shared data, no Ray cluster: under 30 seconds.
test-fast: .venv/.dev
	$(BIN)/pytest -m 'not model and not data and not ray' -q

check: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports

# The C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer, and each fuzz target for a
# moment; FUZZ_SECONDS=600 for a real run, CXX=clang++ for libFuzzer.
FUZZ_SECONDS ?= 10
check-native: .venv/.dev
	$(BIN)/python -m pip install --quiet 'cmake>=3.20'
	$(BIN)/cmake -S . -B build/native-checks -DAVERMENT_NATIVE_CHECKS=ON -DCMAKE_BUILD_TYPE=Debug -DPython_EXECUTABLE=$(abspath $(BIN))/python
	$(BIN)/cmake --build build/native-checks --parallel
	build/native-checks/native/tests/native_tests
	build/native-checks/native/tests/make_seeds build/native-checks/seeds
	for target in segment tokenizer query; do \
		build/native-checks/native/tests/fuzz_$$target build/native-checks/seeds/$$target -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

bench: .venv/.demo
	$(BIN)/python bench/policy_overhead.py

# A few real questions under every text-only policy, with the 0.5B model; goes on where it stopped.
bench-small: .venv/.dev
	$(BIN)/averment models get qwen2.5-coder-0.5b
	$(BIN)/averment bench run small --data ../shared/data
	$(BIN)/averment bench report small-qwen2.5-coder-0.5b

docs: .venv/.dev
	$(BIN)/python docs/generate.py
	$(BIN)/python bench/scale_page.py

# The documentation as a site, in site/: a broken link or reference is an error. Opens from disk.
site: .venv/.dev
	$(BIN)/python -m sphinx -q -W --keep-going -c docs -d build/site . site
	@echo "Open site/index.html"

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.demo: pyproject.toml CMakeLists.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet -e '.[local]'
	touch $@

.venv/.dev: pyproject.toml CMakeLists.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet -e '.[local,dev]'
	touch $@ .venv/.demo

clean:
	rm -rf .venv build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
