# One command each. `make demo` and `make test` are all a newcomer needs.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
OUT    ?= demo-out

.PHONY: help demo test prove lint format types bench docs bpf agent agent-python agent-check agent-pins gpu-check wheel \
  setup setup-dev setup-system torch prove-packaged clean

help:  ## What can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## */\t/' | expand -t 16

demo: $(VENV)/.runtime  ## Set up, and run the main job on a recording of a real two-node job
	@$(BIN)/inquest demo --out $(OUT)

test: setup-dev setup-system  ## Set up, and run every test
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

prove: setup-dev  ## On a real Slurm (root): every end a job can have, wrapped and attached, against the verdict; minutes
	$(BIN)/python -m pytest tests/e2e/prove.py $(PYTEST_ARGS)

lint: setup-dev  ## Formatting, ruff, mypy --strict
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	MYPYPATH=benchmarks $(BIN)/mypy benchmarks/*.py

format: setup-dev  ## Format and fix what ruff can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup-dev  ## Benchmarks, each against a floor measured in the same run
	@for f in benchmarks/[a-z]*.py; do echo "== $$f"; $(BIN)/python $$f || exit 1; done

docs: setup-dev  ## Generated documentation (a test fails when it has drifted)
	@for page in inquest.bundle.formatdoc inquest.analyze.familydoc inquest.cli._doc; do $(BIN)/python -m $$page || exit 1; done

# Precompiled probes are committed: nobody needs clang to install, record or test. The same clang makes the same bytes.
BPF_DIR := capture/ebpf
BPF_CC   = clang -O2 -Wall -Werror -mcpu=v3 -target bpf -I/usr/include/$(shell uname -m)-linux-gnu
bpf:  ## The precompiled eBPF objects (needs clang and libbpf-dev)
	@for source in $(BPF_DIR)/programs/*.bpf.c; do for arch in x86_64 aarch64; do \
	  mkdir -p $(BPF_DIR)/objects/$$arch; object=$(BPF_DIR)/objects/$$arch/$$(basename $$source .c).o; \
	  $(BPF_CC) -DINQUEST_$$arch -c $$source -o $$object || exit 1; done; done
	@{ clang --version | head -n 1; cd $(BPF_DIR)/programs && sha256sum *.c *.h; } > $(BPF_DIR)/objects/built.txt

# With GLIBC=2.28 they hold a Python compiled here for that C library instead of this machine's (once, ten minutes), and lie
# in dist/glibc-2.28.
ifdef GLIBC
OLDER := $(CURDIR)/build/python-$(GLIBC)
SINGLES := dist/glibc-$(GLIBC)
AGENT_PYTHON := LD_LIBRARY_PATH=$(OLDER)/lib $(OLDER)/bin/python3.11
agent-python:
	$(PYTHON) packaging/agent/interpreter.py $(GLIBC) $(OLDER)
else
SINGLES := dist
AGENT_PYTHON := $(BIN)/python
agent-python: setup-dev
endif

agent: agent-python  ## The single files, dist/inquest-agent (a node) and dist/inquest (the desk); GLIBC=2.28 for older systems
	PYTHONPATH=$(CURDIR) $(AGENT_PYTHON) packaging/agent/build.py

# Another clone, at another path and later: what is committed makes the same bytes, or the comparison says which file differs.
agent-check: agent  ## Build the single files again from a clean clone and compare every byte
	rm -rf build/again && git clone --quiet . build/again
	PYTHONPATH=$(CURDIR)/build/again $(AGENT_PYTHON) build/again/packaging/agent/build.py
	@for file in $(SINGLES)/inquest-agent* $(SINGLES)/inquest $(SINGLES)/inquest.*.*; do cmp $$file build/again/$$file || exit 1; done
	@echo "the same bytes: $$(cd $(SINGLES) && sha256sum inquest-agent inquest | tr '\n' ' ')"

agent-pins:  ## Renew the versions that the single files are built from
	rm -rf build/pins && $(PYTHON) -m venv build/pins && build/pins/bin/pip install --quiet '.[mcp]' 'pyinstaller>=6' 'setuptools>=77'
	@{ head -n 1 packaging/agent/pins.txt; build/pins/bin/pip freeze --all | grep -Ev '^(inquest|pip|wheel)\b'; } > build/pins/pins.txt
	mv build/pins/pins.txt packaging/agent/pins.txt

# Building takes four minutes of two quiet processors, so that this is no part of `make test`.
prove-packaged: agent  ## The fault matrix, Slurm's hooks and every end of a job with the single file in the place of pip's program (root)
	INQUEST_UNDER_TEST=$(CURDIR)/$(SINGLES)/inquest-agent $(BIN)/python -m pytest tests/capture/test_run_*.py \
	  tests/capture/test_faults.py tests/capture/test_attach.py tests/host/test_slurm_hooks.py tests/packaging tests/e2e/prove.py $(PYTEST_ARGS)

gpu-check: agent  ## Real CUDA jobs under the agent, where a GPU is (TORCH=a Python that has torch); else it says so
	@$(BIN)/python samples/gpu/check.py --python $(or $(TORCH),$(PYTHON))

wheel: setup-dev  ## Wheel and sdist in dist/
	$(BIN)/python -m build --no-isolation --outdir dist .

setup: $(VENV)/.runtime  ## A virtual environment with inquest in it
setup-dev: $(VENV)/.dev

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("inquest needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Set PYTHON=.") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip "setuptools>=77" wheel

# Editable: the checkout is the package. setuptools' warning that it then comes first is the very intent.
$(VENV)/.runtime: $(VENV)/bin/python pyproject.toml
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --no-build-isolation --editable '.[dev]'
	@touch $@ $(VENV)/.runtime

# What tests need of the system, and of it what starts the real Slurm of ../shared, where that lies. Only root can install it;
# without root the tests that need it skip and say why. No daemon of theirs is to start by itself.
SYSTEM := chromium:chromium gcc:gcc musl-gcc:musl-tools npm:npm faketime:faketime age:age gpg:gnupg minisign:minisign ssh:openssh-client sshd:openssh-server pdsh:pdsh bwrap:bubblewrap \
  clang:clang bpftool:bpftool /usr/sbin/chronyd:chrony /usr/include/bpf/bpf_helpers.h:libbpf-dev /usr/lib/python3/dist-packages/bcc/__init__.py:python3-bpfcc
SLURM  := $(if $(wildcard ../shared/slurm/start-slurm),sbatch:slurm-client slurmctld:slurmctld slurmd:slurmd slurmdbd:slurmdbd mariadbd:mariadb-server munged:munge \
  /usr/share/doc/slurm-wlm-mysql-plugin:slurm-wlm-mysql-plugin)
NO_DAEMON := /usr/sbin/policy-rc.d
setup-system:
	@missing=; for pair in $(SYSTEM) $(SLURM); do command -v $${pair%%:*} >/dev/null || [ -e $${pair%%:*} ] || missing="$$missing $${pair##*:}"; done; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "installing$$missing"; \
	    [ -e $(NO_DAEMON) ] || { printf '#!/bin/sh\nexit 101\n' > $(NO_DAEMON) && chmod +x $(NO_DAEMON) && trap 'rm $(NO_DAEMON)' EXIT; }; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing >/dev/null; \
	  else echo "not installed, tests that need it will skip:$$missing"; fi; fi

# A gigabyte on disk, for one test, two benchmarks and whoever records a real training anew.
TORCH_ENV := build/torch
torch: $(TORCH_ENV)/.ready  ## A Python with PyTorch's build for CPUs, for what trains for real
$(TORCH_ENV)/.ready:
	$(PYTHON) -m venv $(TORCH_ENV)
	$(TORCH_ENV)/bin/python -m pip install --quiet --retries 1 torch==2.13.0 numpy --extra-index-url https://download.pytorch.org/whl/cpu
	@touch $@

clean:  ## Remove what was built (not recordings)
	rm -rf build dist *.egg-info $(OUT) .pytest_cache .mypy_cache .ruff_cache .hypothesis
