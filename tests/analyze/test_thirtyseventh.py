"""What the thirty-seventh set found wrong or open at first contact, in short texts of our own with near misses."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports.bundle import write
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import BundleStore, MemoryStore

from .builders import Run, at

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from inquest.analyze.model import Verdict

_CHANCE = random.Random(37)
_BEGIN = datetime(2026, 6, 9, 9, tzinfo=UTC)


def _of(folder: Path, lines: Iterable[str]) -> Verdict:
    (folder / "train.log").write_text("\n".join([*lines, ""]))
    return analyze(import_logs([folder]), strict=True)[0]


def _clock(seconds: float) -> str:
    return f"{_BEGIN + timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S}"


def _fell(step: int, of: int, *, begin: float = 3.2) -> float:
    return 0.2 + (begin - 0.2) / (1 + 6 * step / of) + _CHANCE.uniform(0, 0.02)


# --- a state that a command names ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("command", "again", "lost"),
    [
        ("--resume runs/flow16/last.pt", (461.4, 46.8, 45.4, 43.4, 42.2), True),
        ("--resume runs/flow16/last.pt", (41.2, 41.1, 40.9, 40.8, 40.6), False),
        ("--resume runs/flow16/last.pt", (88.0, 41.2, 41.1, 40.9, 40.8), False),
        ("--out runs/flow17", (461.4, 46.8, 45.4, 43.4, 42.2), False),
    ],
    ids=["of nothing", "taken", "a leap that was made up for", "no state is named"],
)
def test_a_state_that_a_command_at_the_prompt_names(
    tmp_path: Path, command: str, again: tuple[float, ...], *, lost: bool
) -> None:
    first = (318.9, 47.2, 44.3, 43.3, 42.3, 41.8, 41.3)
    said = ["marta@hopper:~/flow$ python train.py --steps 3000"]
    said += [
        f"step {n:5}/3000  nll {loss:8.3f} nats  0.02 s/it"
        for n, loss in zip((20, *range(500, 3001, 500)), first, strict=True)
    ]
    said += ["end, 64 s", f"marta@hopper:~/flow$ python train.py --steps 5000 {command}"]
    said += [
        f"step {n:5}/5000  nll {loss:8.3f} nats  0.02 s/it"
        for n, loss in zip((3020, 3500, 4000, 4500, 5000), again, strict=True)
    ]
    assert (_of(tmp_path, [*said, "end, 54 s"]).family == "E2") == lost


@pytest.mark.parametrize(("begin", "lost"), [(10.9, True), (2.6, False)], ids=["as a new model", "near it"])
def test_the_tail_of_the_log_before_stands_above_a_start_from_nothing(
    tmp_path: Path, begin: float, *, lost: bool
) -> None:
    said = ["+ tail -n 3 ckpt/part1.log"]
    said += [f"step= {47900 + 50 * n} loss={2.44 + 0.01 * n:.4f} lr=2.11e-04" for n in range(3)]
    said += ["+ exec torchrun --nproc_per_node=4 train.py --init_from ckpt/step_048000.pt --max_steps 60000"]
    said += [f"step={200 * n:6} loss={2.1 + (begin - 2.1) / (1 + n / 20):.4f} lr=3.00e-04" for n in range(301)]
    assert (_of(tmp_path, [*said, "[rank 0] done: 60000 steps in 22.62 h"]).family == "E2") == lost


# --- a chain that looked for a state in vain ------------------------------------------------------------------------------
@pytest.mark.parametrize(("dependency", "lost"), [("--dependency=afterany:$JID ", True), ("", False)])
def test_a_job_of_a_chain_looked_for_a_state_in_vain(tmp_path: Path, dependency: str, *, lost: bool) -> None:
    case = tmp_path / "case"
    case.mkdir()
    script = [
        "#!/bin/bash",
        "JID=$(sbatch --parsable -J lm train.sbatch)",
        f"JID=$(sbatch --parsable -J lm {dependency}train.sbatch)",
    ]
    (case / "chain.sh").write_text("\n".join([*script, ""]))
    for number, begin in ((51204, 0), (51219, 20_000)):
        said = [
            f"{_clock(begin)} There were no checkpoints found in checkpoint_dir or no checkpoint folder at checkpoint_dir :/scratch/exp/{_clock(begin)[:13].replace(' ', '_')}-00-00/checkpoints. Training from scratch."
        ]
        said += [
            f"{_clock(begin + 10 * n)} step {10 * n}/15000 loss {_fell(n, 500, begin=11):.4f}" for n in range(1, 500)
        ]
        said += [
            f"{_clock(begin + 5001)} Saving checkpoint to /scratch/exp/{_clock(begin)[:13].replace(' ', '_')}-00-00/checkpoints/step_4990.pt",
            "time is up, leaving",
        ]
        (case / f"lm_{number}.out").write_text("\n".join([*said, ""]))
    write(import_paths([case]), tmp_path / "b.inquest")
    assert (analyze(BundleStore(tmp_path / "b.inquest"), strict=True)[0].family == "E2") == lost


# --- a policy far below the one it took -----------------------------------------------------------------------------------
@pytest.mark.parametrize(("reward", "lost"), [(25.0, True), (420.0, False)])
def test_a_policy_that_begins_far_below_the_one_it_took(tmp_path: Path, reward: float, *, lost: bool) -> None:
    said = []
    for config in (1, 2, 3):
        said += [
            f"--- config {config}/3: lr={config}e-4 clip=0.2",
            f"[ft{config}] continuing policies/base.zip: 40960 timesteps, mean reward 500.0",
        ]
        said += [
            f"[ft{config}] {1024 * n:6}/10240 ep_rew_mean {reward + n + _CHANCE.uniform(-1, 1):6.1f} fps 2500"
            for n in range(1, 11)
        ]
    assert (_of(tmp_path, said).family == "E2") == lost


# --- a guard tried another seed -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("seed", "lost"), [(43, False), (42, True), (830_112_901, True)])
def test_a_seed_that_somebody_chose_is_a_setting(tmp_path: Path, seed: int, *, lost: bool) -> None:
    def run(settings: int, until: int) -> list[str]:
        return [f"config: seed={settings}, width=512", *(f"step {n} loss {_fell(n, 80):.4f}" for n in range(1, until))]

    assert (_of(tmp_path, [*run(42, 80), *run(seed, 30)]).family == "E2") == lost


# --- GPUs that no node is known of ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("held", "family"), [(1.0, None), (0.1, "A2")])
def test_a_kill_that_gpus_of_unknown_nodes_held_through(held: float, family: str | None) -> None:
    run = Run(logs=False)
    for second in range(0, 1800, 30):
        kept = held if second > 900 else 1.0
        for gpu in range(2):
            told = {"engine_active": 0.97, "fb_used_bytes": int(40 * 2**30 * kept)}
            run.row("gpu_samples", node="unknown", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), **told)
    kill = "Memory cgroup out of memory: Killed process 2268338 (node_exporter) total-vm:1302244kB, anon-rss:64132kB"
    run.row("kernel_log", node="lh-11", capture="c", boot_id="b", ts_ns=at(905), seq=0, text=kill)
    assert analyze(MemoryStore.from_rows(run._tables, node="lh-11"), strict=True)[0].family == family


# --- what kubectl logs --prefix puts before each line ---------------------------------------------------------------------
@pytest.mark.parametrize(("status", "family"), [(0, "E3"), (1, None)])
def test_a_status_behind_the_name_of_a_pod(tmp_path: Path, status: int, family: str | None) -> None:
    said = [f"step {2 * n}/60000 | loss {10.9 - n / 100:.4f} | lr {4e-7 * n:.2e}" for n in range(1, 23)]
    said += [
        "saved /data/out/last.pt (4.2GB)",
        f"+ echo rc={status}",
        f"rc={status}",
        "+ cp -v /data/out/last.pt /data/release/m.pt",
    ]
    assert _of(tmp_path, [f"[pod/lm-train-9c4kt/trainer] {line}" for line in said]).family == family


# --- readings of GPUs that nobody can place --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("header", "row", "family"),
    [
        ("sample,node,gpu,gpu_util,sm_active,tensor_active,sm_clock_mhz,power_w", "7,n1,0,99,0.11,0.03,1980,212", None),
        ("sample,class,precision,recall,support", "7,n1,0.99,0.11,30", "G1"),
    ],
)
def test_gpu_readings_without_a_time_may_tell_against_it(
    tmp_path: Path, header: str, row: str, family: str | None
) -> None:
    (tmp_path / "beside.csv").write_text("\n".join([header, *[row] * 40, ""]))
    run = [f"step {n}/80 loss {_fell(n, 80):.4f}" for n in range(1, 81)]
    (tmp_path / "train.log").write_text("\n".join([*run, "training done", ""]))
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family
