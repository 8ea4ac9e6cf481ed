# What a user types. Every goal first runs tools/setup, which installs only what is missing.
BUILD ?= build
PREFIX ?= /usr/local

.PHONY: build demo check fuzz install bundle format docs docs-python notebooks links site clean

# What a user needs: the tests are built where they are run.
build:
	@tools/setup
	@tools/build $(BUILD) -DBUILD_TESTING=OFF

# Runs the main job and leaves a film, pictures and a summary in demo/; the binary is all it takes.
demo:
	@tools/setup
	@TARGETS=octant_cli tools/build $(BUILD) -DBUILD_TESTING=OFF
	@tools/demo $(BUILD) demo

# Runs every test; the last line says 'N passed, N failed'.
check:
	@tools/setup --check
	@tools/build $(BUILD)
	@tools/check $(BUILD)

# Runs the fuzz targets of tests/slow for a minute each.
fuzz:
	@tools/setup --fuzz
	@tools/fuzz

install:
	@tools/setup
	@tools/build $(BUILD) -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD)
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

# A folder that runs where nothing but libc and an OpenCL driver is installed.
bundle:
	@tools/setup --bundle
	@tools/build $(BUILD)
	@tools/bundle $(BUILD) bundle

format:
	@tools/setup --check
	@tools/check-format --fix

# The scene reference comes from the field tables of the modules.
docs:
	@tools/setup
	@TARGETS=octant_cli tools/build $(BUILD) -DBUILD_TESTING=OFF
	@$(BUILD)/octant list --markdown > $(BUILD)/scene-reference.md
	@mv $(BUILD)/scene-reference.md docs/scene-reference.md

# The reference of the Python package comes from its docstrings.
docs-python:
	@tools/setup --check
	@tools/python-package $(BUILD)
	@PYTHONPATH=$(BUILD)/python .venv/bin/python python/make_reference.py \
		> $(BUILD)/python-reference.md
	@mv $(BUILD)/python-reference.md docs/python-reference.md

# Runs the notebooks of examples/ and keeps what they show.
notebooks:
	@tools/setup --check
	@tools/python-package $(BUILD)
	@PYTHONPATH=$(BUILD)/python .venv/bin/python -B tools/notebooks examples/*.ipynb

# The documentation as a site in BUILD/site, with what is made from headers and commands.
site:
	@tools/setup --site
	@TARGETS=octant_cli tools/build $(BUILD) -DBUILD_TESTING=OFF
	@tools/site $(BUILD)

# Asks for every link that leads out of the pages, which takes a network.
links:
	@tools/check-links --online

clean:
	rm -rf $(BUILD) build-asan build-fuzz build-tsan bundle demo
