"""Probes, and a memory cgroup."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from inquest.capture.collectors import cgroup
from inquest.capture.ebpf import session
from tests.capture.ebpf.kit import need_bcc
from tests.capture.ebpf_life.kit import PATIENCE_S, need_probes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def probes() -> Iterator[None]:
    """The kernel lets us probe; every test has a session of its own."""
    need_probes()
    session.choose("object")
    yield
    session.choose("object")


@pytest.fixture(params=["object", "bcc"])
def backend(probes: None, request: pytest.FixtureRequest) -> str:
    """The precompiled programs, then the same text compiled by bcc."""
    if request.param == "bcc":
        need_bcc()
    session.choose(request.param)
    return str(request.param)


@pytest.fixture
def memory_cgroup() -> Iterator[Path]:
    """A memory cgroup of 48 MiB, version 2 or 1, whatever this machine lets us make; its ``cgroup.procs``."""
    if os.geteuid() != 0:
        pytest.skip("needs root to make a cgroup")
    found = cgroup.mounts()
    if "memory" in found:
        top, limit = found["memory"].point, "memory.limit_in_bytes"
    elif "" in found and "memory" in (found[""].point / "cgroup.controllers").read_text().split():
        top, limit = found[""].point, "memory.max"
    else:
        pytest.skip("no memory controller here")
    made = top / f"inquest-life-{os.getpid()}"
    try:
        if limit == "memory.max":
            (top / "cgroup.subtree_control").write_text("+memory")
        made.mkdir()
        (made / limit).write_text(str(48 << 20))
    except OSError as error:
        pytest.skip(f"no memory cgroup can be made here: {error}")
    yield made / "cgroup.procs"
    deadline = time.monotonic() + PATIENCE_S
    while made.exists() and time.monotonic() < deadline:
        try:
            made.rmdir()
        except OSError:  # the killed process is still leaving
            time.sleep(0.1)
