# Everything that is built or installed goes to build/ and .venv/. Each target sets up what it needs first.
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

JOBS ?= 2
FUZZ_SECONDS ?= 600
export PYTHONDONTWRITEBYTECODE = 1
# Warnings fail the build where nobody reads them.
HEADRACE_WERROR ?= $(if $(CI),ON,OFF)
export HEADRACE_WERROR
# The tests of a file run one after the other, those of different files at once; some want to run alone. Many wait for
# programs that wait: one more than there are processors keeps these at work.
PYTEST = .venv/bin/python3 -m pytest -n $$(($(JOBS) + 1)) --dist loadfile --durations 20

.PHONY: help setup build demo wheel deb test unit sanitize pytest bench fuzz soak lint includes format clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*  ## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*  ## (.*)/  make \1\t\2/' | expand -t 18

setup:
	@scripts/setup build

build: setup  ## compile and install into .venv (the command is .venv/bin/headrace)
	@scripts/build

demo:  ## capture a parallel simulation on four ranks, show its I/O and write the report
	@scripts/setup demo
	@scripts/build
	@scripts/demo

wheel: setup  ## build a package for pip that needs no compiler (build/wheels/)
	@scripts/setup wheel
	@scripts/wheel

deb:  ## build a Debian package (build/deb/)
	@scripts/setup deb
	@scripts/deb

test: lint $(if $(CI),includes) unit sanitize pytest  ## run every check and test: lint, unit tests, sanitizers, then pytest

unit:  ## run the unit tests of the native code
	@scripts/setup test
	@HEADRACE_TESTS=ON scripts/build
	@echo "unit: unit tests of the release build"
	@scripts/unit build/release $(JOBS)

sanitize:  ## run the unit tests under the address, undefined-behaviour and thread sanitizers
	@scripts/setup test
	@scripts/sanitize address,undefined $(JOBS)
	@scripts/sanitize thread $(JOBS)

pytest:  ## run the Python tests and the tests of real programs (PYTEST_ARGS="-k name" chooses)
	@scripts/setup test
	@HEADRACE_TESTS=ON scripts/build
	@echo "pytest: Python tests and tests of real programs under capture"
	@$(PYTEST) $(PYTEST_ARGS)

soak:  ## run the long versions of the hard tests (1,000 random kills, …)
	@scripts/setup test
	@scripts/build
	@.venv/bin/python3 -m pytest -m soak --timeout 7200 $(PYTEST_ARGS)

bench:  ## measure capture, forwarding and a facility's view (BENCH_ARGS="--peer LIB" measures another library beside it)
	@scripts/setup test
	@HEADRACE_TESTS=ON scripts/build
	@.venv/bin/python3 -m benchmarks $(BENCH_ARGS)
	@.venv/bin/python3 -m benchmarks.small_processes
	@.venv/bin/python3 -m benchmarks.plain_loop
	@.venv/bin/python3 -m benchmarks.forwarding $(FORWARDING_ARGS)
	@for part in monitor scan catalog study; do .venv/bin/python3 -m benchmarks.facility.$$part; done
	@.venv/bin/python3 -m benchmarks.large_ranks

fuzz:  ## fuzz every reader with sanitizers, FUZZ_SECONDS in all (default 600)
	@scripts/setup fuzz
	@scripts/fuzz $(FUZZ_SECONDS) $(JOBS)

includes:  ## show that native files include what they use (minutes; continuous integration does it)
	@scripts/setup test
	@scripts/includes $(JOBS)

lint:  ## check format, style, types and layers
	@scripts/setup test
	@scripts/lint

format:  ## rewrite C++ and Python sources in the project's format
	@scripts/setup test
	@scripts/lint --fix

clean:  ## remove build/, .venv/ and the packages of web/
	@echo "clean: removing build/, .venv/ and web/node_modules/"
	@rm -rf build .venv web/node_modules python/headrace/reports/template.html
