"""`analyze` on a cluster: real schedulers and workers as processes, one killed on the way, and the real Slurm."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from inquest.analyze import cluster
from inquest.analyze.engine import analyze
from inquest.bundle import merge
from inquest.bundle.by_node import by_node
from inquest.bundle.errors import InputError
from inquest.bundle.far import FarStore
from inquest.bundle.store import BundleStore
from inquest.cli import dispatch
from samples.simulate.plan import draw
from samples.simulate.record import record
from tests.conftest import ROOT
from tests.host.slurm import Slurm, wait_for
from tests.host.slurm import cluster as slurm_cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RECORDED = ROOT / "samples" / "recorded" / "rank_lost"
DASK = Path(sys.executable).with_name("dask")


@pytest.fixture(scope="module")
def slurm(request: pytest.FixtureRequest) -> Slurm:
    return slurm_cluster(request)


class Dask:
    """A scheduler and its workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        self.address = f"127.0.0.1:{port}"
        self._scheduler = self._begin("scheduler", "--host", "127.0.0.1", "--port", port)
        self.workers: list[subprocess.Popen[bytes]] = []

    def worker(self, *before: str) -> subprocess.Popen[bytes]:
        place = str(self._folder / f"w{len(self.workers)}")
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", place)
        self.workers.append(self._begin("worker", f"tcp://{self.address}", *options, before=before))
        return self.workers[-1]

    def _begin(self, *words: str, before: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        command = [*before, str(DASK), *words, "--no-dashboard"]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        with open(self._folder / f"{words[0]}.log", "ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder, env=env)

    def connected(self, workers: int) -> cluster.Cluster:
        deadline = time.monotonic() + 120
        while True:
            try:
                found = cluster.at(self.address)
                if found.threads >= workers:
                    return found
                found.__exit__()
            except Exception:
                assert time.monotonic() < deadline, (self._folder / "worker.log").read_text()
            time.sleep(0.3)

    def stop(self) -> None:
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    started = Dask(tmp_path_factory.mktemp("dask"))
    started.worker()
    try:
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings of a simulated job, large enough that nodes have members of their own."""
    out = tmp_path_factory.mktemp("simulated") / "out"
    record(draw("throttling", 5), out)
    return out


class Counting:
    """Hands that tell how often they were given work, and do something at one time."""

    def __init__(self, hands: cluster.Cluster, at: int, then: Callable[[], None]) -> None:
        self._hands, self._at, self._then = hands, at, then
        self.begun = 0

    def begin(self, work: Any, items: Any) -> Any:
        begun = self._hands.begin(work, items)
        self.begun += 1
        if self.begun == self._at:
            self._then()
        return begun


@pytest.mark.parametrize("dies_at", [1, 6])
def test_the_verdict_is_the_same_to_the_byte_also_when_a_worker_dies(
    dask: Dask, simulated: Path, tmp_path: Path, dies_at: int
) -> None:
    local = BundleStore(merge.merge([simulated], tmp_path / "local.inquest").out)
    expected, _ = analyze(local, strict=True)
    doomed = dask.worker()
    with dask.connected(2) as workers:
        hands = Counting(workers, dies_at, lambda: doomed.send_signal(signal.SIGKILL))
        folder = tmp_path / "scratch"
        folder.mkdir()
        store = FarStore(merge.stage([simulated], folder, hands), folder, hands, 2)
        found, _ = analyze(store, strict=True)
    assert hands.begun > dies_at
    assert doomed.wait(10) == -signal.SIGKILL
    assert found.to_json() == expected.to_json()
    assert found.bundle.content_digest == local.info.content_digest


def test_a_scan_is_that_of_a_bundle_and_moves_only_what_was_asked_for(
    dask: Dask, simulated: Path, tmp_path: Path
) -> None:
    local = BundleStore(merge.merge([simulated], tmp_path / "local.inquest").out)
    with dask.connected(1) as workers:
        answers: list[pl.DataFrame] = []

        class Noting:
            def begin(self, work: Any, items: Any) -> Any:
                begun = workers.begin(work, items)
                given = begun.results
                begun.results = lambda: (answers.append(found) or found for found in given())
                return begun

        folder = tmp_path / "scratch"
        folder.mkdir()
        far = FarStore(merge.stage([simulated], folder, workers), folder, Noting(), 3)
        assert far.tables() == local.tables()
        hot = (pl.col("temp_core_c") > 70) & pl.col("node").is_in(local.info.nodes[:1])
        for ask in (
            lambda store: store.scan("gpu_samples").filter(hot).select("seq", "ts", "temp_core_c").collect(),
            lambda store: store.scan("gpu_samples").head(1000).filter(hot).select("seq").collect(),
            lambda store: store.scan("log_lines").filter(pl.col("text").str.contains("loss")).collect(),
            lambda store: store.scan("slurm_jobs").collect(),
            lambda store: store.scan("gpu_samples").group_by("node").agg(pl.len()).sort("node").collect(),
        ):
            assert ask(far).equals(ask(local))
        assert far.scan("cuda_calls").collect().schema == local.scan("cuda_calls").collect().schema
        answers.clear()
        asked = far.scan("gpu_samples").filter(hot).select("seq").collect()
        assert sum(answer.height for answer in answers) == asked.height
        assert {name for answer in answers for name in answer.columns} == {"node", "seq", "temp_core_c"}
        assert asked.height < local.scan("gpu_samples").select(pl.len()).collect().item() / 2

        def count(rows: pl.LazyFrame) -> pl.LazyFrame:
            return rows.group_by("node").agg(pl.len())

        answers.clear()
        assert by_node(far, "gpu_samples", count).sort("node").equals(by_node(local, "gpu_samples", count).sort("node"))
        assert sum(answer.height for answer in answers) == len(local.info.nodes)


def test_what_work_raises_is_raised_here(dask: Dask, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with dask.connected(1) as workers:
        with pytest.raises(InputError, match="holds no recording"):
            merge.stage([tmp_path / "empty"], tmp_path, workers)
        with pytest.raises(InputError, match="bad luck"), workers.begin(_fails, [1, 2]) as begun:
            list(begun.results())


def _fails(number: int) -> int:
    raise InputError(f"bad luck with {number}")


def test_the_command_line(dask: Dask, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dask.connected(1).__exit__()
    merged = merge.merge([RECORDED], tmp_path / "job.inquest").out
    local = dispatch(["analyze", str(merged), "-o", str(tmp_path / "local")])
    assert dispatch(["analyze", str(RECORDED), "-o", str(tmp_path / "far"), "--dask", dask.address]) == local == 3
    for name in ("verdict.json", "timeline.pftrace", "one-page.html"):
        assert (tmp_path / "far" / name).read_bytes() == (tmp_path / "local" / name).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far", "job.inquest", "local"]
    assert "incomplete" not in capsys.readouterr().err
    shutil.copytree(RECORDED, tmp_path / "torn")
    cut = max((tmp_path / "torn").rglob("task.raw"))
    cut.write_bytes(cut.read_bytes()[:-40])
    assert dispatch(["analyze", str(tmp_path / "torn"), "-o", str(tmp_path / "c"), "--dask", dask.address]) == 3
    assert f"incomplete: {cut.parent.name}/task.raw (torn)" in capsys.readouterr().err
    assert dispatch(["analyze", str(RECORDED), "--dask", "127.0.0.1:9", "--slurm", "2"]) == 2
    assert "give --dask or --slurm, not both" in capsys.readouterr().err
    assert dispatch(["analyze", str(RECORDED), "-o", str(tmp_path / "b")]) == 2
    said = capsys.readouterr().err
    assert "is a directory" in said
    assert "inquest merge" in said
    assert "inquest import" in said


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    monkeypatch.setattr(cluster, "CONNECT_S", 1.0)
    assert dispatch(["analyze", str(RECORDED), "-o", str(tmp_path / "a"), "--dask", "127.0.0.1:9"]) == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert dispatch(["analyze", str(RECORDED), "-o", str(tmp_path / "a"), "--dask", "127.0.0.1:9"]) == 2
    assert "pip install 'inquest[cluster]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.root
def test_a_worker_that_does_not_see_the_files_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    if subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("a mount namespace needs root")
    started = Dask(tmp_path)
    try:
        started.worker("unshare", "--mount", "sh", "-c", f'mount -t tmpfs none {hidden} && exec "$@"', "sh")
        started.connected(1).__exit__()
        assert dispatch(["analyze", str(RECORDED), "-o", str(hidden / "v"), "--dask", started.address]) == 2
    finally:
        started.stop()
    assert "does not see" in capsys.readouterr().err


@pytest.mark.root
@pytest.mark.slow
def test_workers_that_are_jobs_of_slurm(slurm: Slurm, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dask_jobqueue", reason="the extra 'cluster' is not installed")
    for name, value in slurm.env.items():
        monkeypatch.setenv(name, value)
    shared = slurm.state / "spread"
    shared.mkdir()
    merged = merge.merge([RECORDED], shared / "job.inquest").out
    assert dispatch(["analyze", str(merged), "-o", str(shared / "local")]) == 3
    assert dispatch(["analyze", str(RECORDED), "-o", str(shared / "far"), "--slurm", "2"]) == 3
    assert (shared / "far" / "verdict.json").read_bytes() == (shared / "local" / "verdict.json").read_bytes()
    wait_for(lambda: "dask-worker" in slurm.run("sacct", "-n", "-X", "-o", "JobName%20"), "its accounting")
    shutil.rmtree(shared)
