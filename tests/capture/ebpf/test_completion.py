"""Collectives that waits for the device prove to have completed, and all that makes a wait prove nothing."""

from __future__ import annotations

import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from inquest.capture.collector import Member
from inquest.capture.ebpf import elf, libraries
from inquest.capture.ebpf.calls import CudaCalls, NcclCalls
from inquest.capture.ebpf.functions import FUNCTIONS, What
from inquest.capture.ebpf.libraries import Libraries
from tests.capture.ebpf.kit import stand

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.capture.ebpf.session import Session
    from tests.capture.ebpf.kit import Job

BEGUN = "device 1, init 7, "
STEP = BEGUN + "allreduce 3, "

CASES = {
    # what the job does: collectives of its latest communicator that are known to have completed, of how many
    STEP + "wait": (3, 3),
    STEP + "driverwait": (3, 3),
    STEP + "wait, allreduce 2": (3, 5),
    STEP + "wait, allreduce 2, wait": (5, 5),
    STEP + "wait, allreduce 2, wait, allreduce 1": (5, 6),
    STEP + "wait, init 8, allreduce 2": (0, 2),
    BEGUN + "split 0 1, allreduce 3, wait": (3, 3),
    BEGUN + "wait, allreduce 3": (0, 3),
    STEP + "sync": (0, 3),  # a stream is waited for, and not the device
    # groups
    BEGUN + "group, allreduce 3, wait": (0, 3),
    BEGUN + "group, allreduce 3, endgroup, wait": (3, 3),
    BEGUN + "group, group, allreduce 3, endgroup, wait": (0, 3),
    BEGUN + "group, group, allreduce 3, endgroup, endgroup, wait": (3, 3),
    STEP + "wait, group, allreduce 2, wait, endgroup": (3, 5),
    STEP + "endgroup, wait": (0, 3),  # its begin was before our time
    # other threads
    BEGUN + "held": (0, 1),
    BEGUN + "held, wait": (1, 1),
    STEP + "elsewhere": (0, 3),  # a thread that chose no device waits for the first
    "device 0, init 7, allreduce 3, elsewhere": (3, 3),
    "device 0, init 7, during allreduce 1": (0, 1),
    "device 0, init 7, group, allreduce 3, during endgroup": (0, 3),
    "device 0, init 7, allreduce 3, during device 0": (3, 3),
    "device 0, init 7, allreduce 3, during device 1": (0, 3),
    "device 0, init 7, allreduce 3, init 8, during abort": (0, 3),
    # devices and contexts
    "init 7, allreduce 3, driverwait": (0, 3),
    STEP + "device 2, wait": (0, 3),
    STEP + "wait, device 2, allreduce 1, wait, allreduce 1": (3, 5),
    "device 9, init 7, allreduce 3, wait": (0, 3),
    STEP + "context, wait": (0, 3),
    STEP + "release, wait": (0, 3),
    STEP + "reset, wait": (0, 3),
    # what is captured waits for the graph
    "device 1, capture, init 7, allreduce 3, wait": (0, 3),
    STEP + "wait, capture, allreduce 2, wait": (3, 5),
    # errors, and work that is cut off
    STEP + "error 6, wait": (0, 3),
    STEP + "init 8, abort, wait": (0, 3),
    STEP + "wait, destroy, init 7, allreduce 2, wait": (0, 2),
}
FAILING = {
    "INQUEST_STUB_WAIT": (STEP + "wait", 700),
    "INQUEST_STUB_GROUP": (BEGUN + "group, allreduce 3, endgroup, wait", 7),  # ncclInProgress
    "INQUEST_STUB_INIT": (STEP + "wait", 7),
    "INQUEST_STUB_COLLECTIVE": (STEP + "wait", 3),
}


class Bench:
    """Probes on the stub libraries, which another job has loaded, and the jobs that load them later."""

    def __init__(self, session: Session, start: Callable[..., Job], program: Path, known: Job | None = None) -> None:
        self._session, self._start, self._later = session, start, program.with_name("later")
        self._made: list[tuple[int, int]] = []
        self.known = known or start()
        self.cuda, self.nccl = CudaCalls(session), NcclCalls(session)
        stand(session, self.cuda, self.known)
        stand(session, self.nccl, self.known)

    def later(self, at: Path | None = None, **env: str) -> Job:
        """A job that is met before it loads the driver."""
        job = self._start(at=at or self._later, **env)
        self._session.follow([self.known.pid, job.pid])
        self.cuda.survey([self.known.pid, job.pid])
        job.do("ready")
        return job

    def run(self, commands: str, **env: str) -> tuple[int, int]:
        """Have such a job do something; how many collectives are known to have completed, of how many."""
        job = self.later(**env)
        job.do(*commands.split(", "))
        told = self.told(job)
        job.end()
        return told

    def told(self, job: Job) -> tuple[int, int]:
        """How many collectives of its latest communicator are known to have completed, of how many."""
        self._made += [(record.pid, record.amount) for record in self.nccl.records() if record.is_return]
        told = {
            (key.pid, key.comm): (self.nccl.completed(key, series), calls) for key, calls, series in self.nccl.series()
        }
        return [told[comm] for comm in self._made if comm[0] == job.pid and comm in told][-1]


def test_what_waits_for_the_device_prove(any_backend: Session, start: Callable[..., Job], program: Path) -> None:
    bench = Bench(any_backend, start, program)
    assert {case: bench.run(case) for case in CASES} == CASES
    failing = {name: bench.run(case, **{name: str(code)}) for name, (case, code) in FAILING.items()}
    assert failing == dict.fromkeys(FAILING, (0, 3))


def test_of_a_process_that_had_loaded_the_driver_nothing_is_proved(
    probing: Session, start: Callable[..., Job], program: Path
) -> None:
    bench = Bench(probing, start, program)
    bench.cuda.survey([bench.known.pid])
    bench.known.do("device 0", "init 7", "allreduce 3", "wait")
    assert bench.told(bench.known) == (0, 3)


def test_a_call_that_never_returns_is_not_proved(probing: Session, start: Callable[..., Job], program: Path) -> None:
    bench = Bench(probing, start, program)
    job = bench.later(INQUEST_STUB_HANG="4")
    job.do(*STEP.removesuffix(", ").split(", "))
    job.begin("held")
    deadline = time.monotonic() + 60
    while not probing.waited_ns(job.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert bench.told(job) == (0, 4)


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        ("cuDevicePrimaryCtxRetain", False),
        ("cuStreamBeginCapture_v2 cuStreamBeginCapture_v2_ptsz", False),
        ("cuStreamBeginCapture_v2_ptsz", True),
        ("ncclGroupStart", False),
        ("ncclGroupStart", True),
    ],
)
def test_where_a_call_would_go_unseen_nothing_is_proved(
    probing: Session, start: Callable[..., Job], program: Path, names: str, refused: bool
) -> None:
    all_ = {symbol for function in FUNCTIONS for symbol in function.symbols}
    probing.libraries = Libraries(all_ if refused else all_ - set(names.split()))
    probing.libraries.look([Member(start().pid, 0, "rank")])
    for found in probing.libraries.found:
        if names in found.library.functions:  # a place that is no code at all
            found.library.functions[names] = elf.Function(names, 1 << 40, False, "dynsym")
    assert Bench(probing, start, program).run(STEP + "wait") == (0, 3)


def test_once_probes_come_off_nothing_is_proved(probing: Session, start: Callable[..., Job], program: Path) -> None:
    bench = Bench(probing, start, program)
    job = bench.later()
    job.do(*(STEP + "wait").split(", "))
    assert bench.told(job) == (3, 3)
    number = next(at for at, function in enumerate(FUNCTIONS) if function.what is What.WAIT)
    bench.cuda.leave_alone(bench.cuda.group_of(number))
    assert bench.told(job) == (0, 3)
    assert bench.run(STEP + "wait") == (0, 3)


def test_who_loads_another_driver_than_was_known_is_not_vouched_for(
    probing: Session, start: Callable[..., Job], program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "_OFTEN_ENOUGH_S", 0.0)
    bench = Bench(probing, start, program)
    shutil.copytree(program.parent, tmp_path / "other")
    job = bench.later(at=tmp_path / "other" / "later")
    job.do("device 0")  # no probe stands there yet
    stand(probing, bench.cuda, bench.known, job)
    stand(probing, bench.nccl, bench.known, job)
    job.do(*(STEP + "wait").split(", "))
    assert bench.told(job) == (0, 3)


def test_the_driver_is_met_where_the_job_will_load_it_from(
    probing: Session, start: Callable[..., Job], program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0:
        pytest.skip("no mount namespaces here")
    monkeypatch.setattr(libraries, "_OFTEN_ENOUGH_S", 0.0)
    inside, cache, conf = tmp_path / "inside", tmp_path / "cache", tmp_path / "conf"
    inside.mkdir()
    conf.write_text(f"{inside}\n")
    within = tmp_path / "within"  # as in a container: files and a cache of ld.so that only the job sees
    within.write_text(
        f"#!/bin/sh\nexec unshare -m sh -c 'mount -t tmpfs none {inside} && cp {program.parent}/* {inside}"
        f" && /sbin/ldconfig -X -C {cache} -f {conf} && mount --bind {cache} /etc/ld.so.cache && exec {inside}/later'\n"
    )
    within.chmod(0o755)
    job = start(at=within, INQUEST_STUB_FIRST="libnccl.so.2")
    bench = Bench(probing, start, program, job)
    assert [found.name for found in probing.libraries.found] == ["libnccl.so.2", "libcuda.so.1"]
    bench.cuda.survey([job.pid])
    job.do("ready")
    stand(probing, bench.cuda, job)
    names = [found.name for found in probing.libraries.found]
    assert sorted(names) == ["libcuda.so.1", "libcudart.so.12", "libnccl.so.2"], "each once"
    job.do(*(STEP + "wait").split(", "))
    assert bench.told(job) == (3, 3)
