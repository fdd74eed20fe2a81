"""The stub job and probes on it, for every test of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.capture.ebpf.kit import Job, build_stubs, need_bcc, need_probes, session_of_its_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from inquest.capture.ebpf.session import Session


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stub job, beside its stub libraries."""
    need_probes()
    return build_stubs(tmp_path_factory.mktemp("stubs"))


@pytest.fixture
def start(program: Path) -> Iterator[Callable[..., Job]]:
    """Starts stub jobs, and ends those that are left."""
    jobs: list[Job] = []

    def start_one(rank: int = 0, at: Path = program, **env: str) -> Job:
        jobs.append(Job(at, rank, **env))
        return jobs[-1]

    yield start_one
    for job in jobs:
        job.end(lambda process: process.kill())


@pytest.fixture
def probing() -> Iterator[Session]:
    """A session of its own, with the precompiled programs."""
    yield from session_of_its_own("object")


@pytest.fixture(params=["object", "bcc"])
def any_backend(request: pytest.FixtureRequest) -> Iterator[Session]:
    """A session of its own, with the programs of each backend."""
    if request.param == "bcc":
        need_bcc()
    yield from session_of_its_own(request.param)
