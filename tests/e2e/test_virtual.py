"""Jobs recorded in a virtual machine (samples/record/vm.py): real cgroup version 2, and a wall clock that was set."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from tests.conftest import ROOT, inquest

if TYPE_CHECKING:
    from pathlib import Path

VIRTUAL = ROOT / "samples" / "virtual"
MIB = 1 << 20


def told(name: str, tmp_path: Path) -> tuple[BundleStore, dict[str, Any]]:
    """The bundle of a sample, and its verdict, which is held to the truth."""
    merge([VIRTUAL / name], tmp_path / "job.inquest")
    done = inquest("analyze", "job.inquest", "-o", "out", cwd=tmp_path)
    truth = json.loads((VIRTUAL / name / "truth.json").read_text())
    assert done.returncode == (0 if truth["family"] == "G1" else 3), done.stderr
    verdict = json.loads((tmp_path / "out" / "verdict.json").read_text())
    assert (verdict["family"], verdict["attribution"]) == (truth["family"], truth["attribution"]), verdict["headline"]
    assert verdict["sub_mode"] == truth.get("sub_mode")
    return BundleStore(tmp_path / "job.inquest"), verdict


def test_a_limit_of_cgroup_version_2_above_the_tasks(tmp_path: Path) -> None:
    store, verdict = told("memory_limit", tmp_path)
    groups = store.scan("cgroup_samples").sort("seq").collect()
    assert set(groups["version"]) == {2}
    assert set(groups["cgroup"]) == {"/slurm/job_4201", "/slurm/job_4201/step_0"}
    task = groups.filter(pl.col("cgroup").str.ends_with("step_0"))
    assert set(task["memory_limit_bytes"]) == {420 * MIB}, "that of the group two levels above"
    assert task["memory_used_bytes"].max() > 400 * MIB
    assert task["memory_anon_bytes"].max() > 350 * MIB
    assert (task["oom_kills"].min(), task["oom_kills"].max()) == (0, 2), "the recorder goes first, then a rank"
    assert task["psi_memory_full_avg10"].null_count() == 0
    assert task["pids"].min() > 2
    assert "cgroup" in verdict["headline"]
    assert verdict["culprit_ranks"] == [1], "the kernel names a pid, and that pid was recorded as rank 1"


def test_a_wall_clock_that_was_set_twice(tmp_path: Path) -> None:
    store, _ = told("clock_set", tmp_path)
    clock = store.scan("clock_samples").filter(pl.col("kind").is_null()).sort("ts_mono_ns").collect()
    offsets_s = ((clock["wall_ns"] - clock["ts_mono_ns"]) / 1e9).round(0)
    steps = [step for step in offsets_s.diff().drop_nulls() if abs(step) > 1]
    assert [round(step / 3600) for step in steps] == [1, -2]
    lines = store.scan("log_lines").sort("seq").collect()
    span_s = (lines["ts_ns"].max() - lines["ts_ns"].min()) / 1e9
    assert 40 < span_s < 90, "neither step is in it"
    assert lines["ts_ns"].is_sorted()


@pytest.mark.parametrize("name", ["clock_set", "memory_limit", "arm64"])
def test_probes_stand_on_another_kernel(name: str, tmp_path: Path) -> None:
    """6.1 has no links that hold many probes: each stands by an event of its own."""
    merge([VIRTUAL / name], tmp_path / "job.inquest")
    store = BundleStore(tmp_path / "job.inquest")
    calls = store.scan("cuda_calls").collect()
    assert {"cudaLaunchKernel", "cuLaunchKernel", "cudaMemcpyAsync", "cudaMalloc"} <= set(calls["api"])
    assert set(calls["rank"]) == {0, 1}
    assert store.scan("nccl_collectives").collect()["comm"].n_unique() >= 3
    assert store.scan("sched_samples").collect().height > 0
    assert store.scan("cpu_samples").collect()["run_delay_ns"].null_count() == 0


def test_probes_stand_on_arm64(tmp_path: Path) -> None:
    """`samples/record/vm_arm64.py`: a kernel for the other processor."""
    store, _ = told("arm64", tmp_path)
    assert "-arm64 " in store.scan("node_info").collect()["kernel"][0]
    ends = store.scan("processes").filter((pl.col("role") == "rank") & pl.col("exit_code").is_not_null()).collect()
    assert sorted(ends["rank"]) == [0, 1], "how processes end is told by the kernel's events"
    assert set(ends["exit_code"]) == {0}


def test_the_unit_under_a_real_systemd(tmp_path: Path) -> None:
    """`samples/record/vm_systemd.py`: process 1 of the machine was systemd, and the job a unit of another name."""
    told = (VIRTUAL / "systemd" / "told.txt").read_text()
    while_it_ran, stopped = told.split("$ systemctl stop inquest-attach@4203.service")
    assert {"ActiveState=active", "Nice=19", "OOMScoreAdjust=1000", f"MemoryMax={512 * MIB}"} <= set(
        while_it_ran.split()
    )
    assert {"Result=success", "ActiveState=inactive", "ExecMainStatus=0", "NRestarts=0"} <= set(stopped.split())
    merge([VIRTUAL / "systemd" / "vm"], tmp_path / "job.inquest")
    store = BundleStore(tmp_path / "job.inquest")
    assert store.info.job_id == "4203"
    lines = store.scan("log_lines").collect()
    assert lines["text"].to_list()[-1].startswith("step 120/120")
    assert set(lines["stream"]) == {"file"}
