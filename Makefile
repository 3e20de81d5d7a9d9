# What people type. The work is in scripts/, so that each step also runs alone.

BUILD := build
.DEFAULT_GOAL := help
.PHONY: help setup build demo test bench wheel docs format

help:
	@echo "make setup   install what building needs (Debian 12: apt)"
	@echo "make build   configure and build into $(BUILD)/"
	@echo "make demo    from linalg.matmul to a checked result, step by step"
	@echo "make test    build, then run every check and test"
	@echo "make bench   time kernels beside the libraries found (needs a GPU)"
	@echo "make wheel   build dist/kami-*.whl with LLVM in it, and try it"
	@echo "make docs    regenerate references and the gallery of plans in docs/"
	@echo "make format  run clang-format over the sources"

setup:
	@scripts/setup.sh

# A tree that somebody configured otherwise (a debug build, archives instead of
# shared libraries) is left as it is.
$(BUILD)/build.ninja: | setup
	cmake --preset release -B $(BUILD)

build: setup $(BUILD)/build.ninja
	cmake --build $(BUILD)

demo: build
	@scripts/demo.sh $(BUILD)

test: build
	@python3 scripts/run-tests.py $(BUILD)

bench: build
	scripts/bench.sh $(BUILD)

# LLVM's archives instead of its shared libraries: a build folder of its own.
wheel: setup
	scripts/wheel.sh build-wheel
	scripts/check-wheel.sh dist/kami-*.whl

docs: build
	scripts/generate-docs.sh docs/reference
	scripts/python-docs.sh $(BUILD) docs

format: setup
	scripts/format.sh
