"""What telemetry and logs tell of saves, lost peers, heat and the tries of a run."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import ImportedStore, import_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.analyze.model import Verdict

_BEGAN = datetime(2026, 10, 27, 18, 0, 0, tzinfo=UTC)


def _verdict(folder: Path, status: int | None = None) -> Verdict:
    return analyze(import_logs([folder], exit_code=status), strict=True)[0]


def _loss(step: int) -> float:
    return 2.6 * math.exp(-step / 90) + 1.2 + 0.03 * ((step * 7) % 5 - 2)


# --- what saves cost, by the reports around them ---------------------------------------------------------------------


def _barred(save_s: float, between: str = "") -> str:
    """A Trainer that saves every ten steps: the bar has a clock, and only what is said of a save bears a time."""
    text, at, total = "", 0.0, 200
    for step in range(1, total + 1):
        at += 8.4
        text += f"  {step // 2}%|#   | {step}/{total} [{_clock(at)}<1:00:00,  9.99s/it]\n"
        if step % 5 == 0:
            text += f"{{'loss': {_loss(step):.4f}, 'learning_rate': 1e-05, 'epoch': {step / total:.2f}}}\n"
        if step % 10 == 0 and step < total:
            stamp = (_BEGAN + timedelta(seconds=at)).strftime("%Y-%m-%d %H:%M:%S,000")
            text += (
                between + f"[INFO|trainer.py:3812] {stamp} >> Saving model checkpoint to /nfs/out/checkpoint-{step}\n"
            )
            at += save_s
    return text + f"{{'train_runtime': {at:.1f}, 'train_loss': 1.9, 'epoch': 1.0}}\n"


def _clock(seconds: float) -> str:
    return f"{int(seconds // 3600)}:{int(seconds // 60) % 60:02}:{int(seconds) % 60:02}"


def _stamped(save_s: float, said: str) -> str:
    """A loop of its own, whose reports bear times; it says that it saved, and not for how long."""
    text, at = "", 0.0
    for step in range(1, 81):
        at += 6
        stamp = (_BEGAN + timedelta(seconds=at)).strftime("%Y-%m-%d %H:%M:%S")
        text += f"{stamp} INFO step {step}/80 loss {_loss(step):.4f}\n"
        if step % 8 == 0:
            at += save_s
            stamp = (_BEGAN + timedelta(seconds=at)).strftime("%Y-%m-%d %H:%M:%S")
            text += f"{stamp} INFO {said.format(step)}\n"
    return text + "training complete\n"


@pytest.mark.parametrize(
    "text",
    [
        lambda seconds: _barred(seconds),
        lambda seconds: _stamped(seconds, "checkpoint saved to /nfs/run/step_{}.pt"),
        lambda seconds: _stamped(seconds, "Saved checkpoint at iteration {} to /lustre/ckpt"),
    ],
)
def test_saves_that_say_not_how_long_they_took(tmp_path: Path, text: Callable[[float], str]) -> None:
    for name, seconds in (("dear", 150.0), ("cheap", 4.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.log").write_text(text(seconds))
    dear = _verdict(tmp_path / "dear", 0)
    assert (dear.family, dear.sub_mode) == ("D2", "save_storm")
    assert _verdict(tmp_path / "cheap", 0).family == "G1"


def test_what_an_evaluation_took_beside_a_save_is_not_the_saves(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(_barred(150.0, "***** Running Evaluation *****\n"))
    assert _verdict(tmp_path, 0).family != "D2"
    best = tmp_path / "best"
    best.mkdir()
    (best / "train.log").write_text(_stamped(150.0, "new best model saved to /nfs/run/step_{}.pt"))
    assert _verdict(best, 0).family != "D2"


# --- a rank that idles for the saves ---------------------------------------------------------------------------------


def _node(folder: Path, idle: Callable[[float], bool], steps: int = 60) -> Verdict:
    """Four GPUs for three hours, the first of which idles now and then; saves a few minutes apart, in whole minutes."""
    folder.mkdir()
    text, at, saves = "", 0.0, []
    while at < 3 * 3600:
        saves.append(at)
        stamp = (_BEGAN + timedelta(seconds=at)).strftime("%Y-%m-%d %H:%M:%S")
        step = len(saves) * steps
        text += f"{stamp} INFO step {step}/{steps * 46} loss {_loss(step / 20):.4f} step_time 3.1\n"
        text += f"{stamp} INFO Saving checkpoint to /nfs/run/global_step{step}\n"
        at += 240
    (folder / "train.log").write_text(text + "training complete\n")
    began = _BEGAN.timestamp()
    result = []
    for gpu in range(4):
        seen = [(began + 15 * n, gpu == 0 and idle(15.0 * n)) for n in range(int(at / 15))]
        label = {"gpu": str(gpu), "UUID": f"GPU-{gpu:08d}-0000-0000-0000-000000000000", "Hostname": "g1"}
        for name, busy, idles in (
            ("DCGM_FI_DEV_GPU_UTIL", 100, 0),
            ("DCGM_FI_DEV_MEM_COPY_UTIL", 30, 30),
            ("DCGM_FI_DEV_FB_USED", 60000, 60000),
        ):
            values = [[t, str(idles if still else busy)] for t, still in seen]
            result.append({"metric": {"__name__": name, **label}, "values": values})
    (folder / "gpus.json").write_text(
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})
    )
    return analyze(ImportedStore(import_paths([folder])), strict=True)[0]


def test_who_idles_in_the_rhythm_of_the_saves_is_no_straggler(tmp_path: Path) -> None:
    storm = _node(tmp_path / "storm", lambda s: s % 240 < 160)
    assert (storm.family, storm.sub_mode) == ("D2", "save_storm")
    late = _node(tmp_path / "late", lambda s: (s // 15 * 7) % 3 < 2)
    assert late.family == "D3"
    some = _node(tmp_path / "some", lambda s: s % 240 < 100)  # less than half of the time
    assert some.family not in ("D2", "D3")


# --- one of two ranks that is lost -----------------------------------------------------------------------------------


def _pair(folder: Path, *, killed: str | None, spin_w: int = 82, held_mib: int = 2) -> Verdict:
    """Two GPUs of one job; after an hour the second one lets go, and the first one is busy until a scancel."""
    folder.mkdir()
    began, text = datetime(2026, 11, 13, 7, 0, 0, tzinfo=UTC), ""
    head = "#Entity   TMPTR       POWER       SMCLK       MMCLK       GPUTL       MCUTL       FBUSD\n"
    for minute in range(5, 180):
        stamp = (began + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%S")
        text += f"{stamp} {head}" if minute % 40 == 5 else ""
        works = minute < 60
        text += f"{stamp} GPU 0     55          {330 if works else spin_w}.0     2700      10501       100         "
        text += f"{44 if works else 1}          20310\n"
        text += (
            f"{stamp} GPU 1     50          {330 if works else 17}.0     2700      10501       {100 if works else 0}"
        )
        text += f"         {44 if works else 0}          {20310 if works else held_mib}\n"
    (folder / "dcgmi_dmon.log").write_text(text)
    (folder / "sacct_18804.txt").write_text(
        "JobID|JobName|User|Partition|State|ExitCode|Submit|Start|End|Elapsed|NNodes|NodeList\n"
        "18804|pose|mb|rtx|CANCELLED by 2391|0:0|2026-11-13T07:00:00|2026-11-13T07:00:02"
        "|2026-11-13T10:00:00|02:59:58|1|w7\n"
    )
    if killed is not None:
        day = "[Fri Nov 13 08:00:05 2026]"
        (folder / "dmesg-T.txt").write_text(
            f"[Sat Nov  7 16:39:37 2026] Linux version 5.15.0-126-generic (x@y) (gcc 11.4.0)\n"
            f"{day} python invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0\n"
            f"{day} oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=step_0,mems_allowed=0,global_oom,"
            f"task_memcg=/slurm/uid_2391/job_{killed}/step_0/task_1,task=python,pid=77813,uid=2391\n"
            f"{day} Out of memory: Killed process 77813 (python) total-vm:87617668kB, anon-rss:55292416kB,"
            " file-rss:140128kB, shmem-rss:78336kB, UID:2391 pgtables:118880kB oom_score_adj:0\n"
        )
    return analyze(ImportedStore(import_paths([folder])), strict=True)[0]


def test_one_of_two_that_waits_for_a_killed_peer(tmp_path: Path) -> None:
    lost = _pair(tmp_path / "lost", killed="18804")
    assert lost.family == "C2"
    assert [link.family for link in lost.chain][:2] == ["A2", "C2"]
    # Nobody died, it was another job's process, the other one computes on, or the idle one holds its memory still.
    assert _pair(tmp_path / "nobody", killed=None).family != "C2"
    assert _pair(tmp_path / "other", killed="18999").family != "C2"
    assert _pair(tmp_path / "works", killed="18804", spin_w=330).family != "C2"
    assert _pair(tmp_path / "holds", killed="18804", held_mib=20310).family != "C2"


# --- heat, told by reports in another language -----------------------------------------------------------------------


@pytest.mark.parametrize("line", ["paso {:>5}/3000 | pérdida {:.4f} | {:.3f} s/paso", "step {}/3000 loss {:.4f}{}"])
def test_steps_that_heat_made_slower(tmp_path: Path, line: str) -> None:
    for name, slow in (("hot", 2.1), ("warm", 1.0)):
        folder = tmp_path / name
        folder.mkdir()
        text, at = "", 0.0
        for step in range(25, 3001, 25):
            took = slow if step > 1500 else 1.0
            at += 25 * took
            stamp = (_BEGAN + timedelta(seconds=at)).strftime("%Y-%m-%d %H:%M:%S")
            # The second program times its first steps alone.
            own = took if "paso" in line else f" {took:.2f} s/step" if step <= 75 else ""
            text += f"{stamp} | INFO | {line.format(step, _loss(step // 12), own)}\n"
        (folder / "train.log").write_text(text)
        result = []
        for gpu in range(2):
            times = [15.0 * n for n in range(int(at / 15))]
            label = {
                "uuid": f"{gpu:08d}-0000-0000-0000-000000000000",
                "instance": "g1:9835",
                "job": "nvidia_gpu_exporter",
            }
            for metric, cool, hot in (
                ("nvidia_smi_clocks_throttle_reasons_active", 0, 32),
                ("nvidia_smi_clocks_current_sm_clock_hz", 2520000000, 1200000000),
                ("nvidia_smi_utilization_gpu_ratio", 1, 1),
                ("nvidia_smi_power_draw_watts", 300, 200),
            ):
                values = [[_BEGAN.timestamp() + t, str(hot if t > 1500 else cool)] for t in times]
                result.append({"metric": {"__name__": metric, **label}, "values": values})
        (folder / "gpus.json").write_text(
            json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})
        )
    hot, warm = (analyze(ImportedStore(import_paths([tmp_path / n])), strict=True)[0] for n in ("hot", "warm"))
    assert (hot.family, warm.family == "B3") == ("B3", False)


# --- tries of one run ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "job"), [("7711.out", "7711"), ("vit.o7711", "7711"), ("train.log", None)])
def test_the_log_bears_the_number_of_its_try(tmp_path: Path, name: str, job: str | None) -> None:
    steps = "".join(f"step {step}/60 loss {_loss(2 * step):.4f}\n" for step in range(1, 61))
    (tmp_path / name).write_text(steps + "training complete\n")
    (tmp_path / "sacct.txt").write_text(
        "JobID|JobName|State|ExitCode|Start|End|Timelimit|NodeList\n"
        "7710|vit|FAILED|2:0|2026-11-15T12:59:13|2026-11-15T12:59:32|1-00:00:00|b2\n"
        "7711|vit|COMPLETED|0:0|2026-11-15T13:05:44|2026-11-15T14:55:54|1-00:00:00|b2\n"
    )
    found = import_paths([tmp_path])
    assert found.report.job_id == job
    if job is not None:
        assert analyze(ImportedStore(found), strict=True)[0].family == "G1"
