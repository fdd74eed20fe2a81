"""What the second part of the twenty-fifth blind set taught: plans of bars, timers, others' accounting, ranks."""

# ruff: noqa: E501 (log lines are kept whole)

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, status: int | None = None, **texts: str) -> Verdict:
    files = [folder / name.replace("__", ".") for name in texts]
    for file, text in zip(files, texts.values(), strict=True):
        file.write_text(text)
    return analyze(import_logs(files, exit_code=status), strict=True)[0]


def named(verdict: Verdict) -> str:
    return verdict.family or verdict.outcome


# --- plans and counts
def bars(metric: str, epochs: int, of: int, *, gone: bool = False) -> str:
    lines = []
    for epoch in range(1, epochs + 1):
        for done in (50, 100, 150, 200):
            value = "nan" if gone and epoch > 2 else f"{2.0 * math.exp(-epoch / 3) + 0.1:.4f}"
            lines.append(
                f"epoch {epoch}/{of}: {done // 2}%|####| {done}/200 [00:10<00:10, 19.31it/s, {metric}={value}]"
            )
    return "\n".join(lines) + "\n"


def test_bars_that_tell_their_epochs_tell_a_plan(tmp_path: Path) -> None:
    assert named(judged(tmp_path, job__err=bars("loss", 8, 8))) == "G1"
    assert named(judged(tmp_path, job__err=bars("loss", 5, 8))) == "cannot_decide"


def test_a_criterion_in_a_bar_is_a_loss(tmp_path: Path) -> None:
    assert named(judged(tmp_path, job__err=bars("noise_mse", 8, 8, gone=True))) == "E1"


def test_the_first_epoch_by_its_number_is_no_resume(tmp_path: Path) -> None:
    rates = [*(0.001 * n for n in range(1, 7)), *(0.006 - 0.0003 * n for n in range(1, 19))]
    reports = [
        f"ep {1 + n // 8} it {(n % 8) * 50 + 50:4}/400 loss {3.0 * math.exp(-n / 9) + 0.4:.4f} lr {rate:.2e} 705 img/s"
        for n, rate in enumerate(rates)
    ]
    text = "world 8 | rank 0\n" + "\n".join(reports) + "\nfinished\n"
    assert named(judged(tmp_path, job__log=text)) != "E2"
    resumed = text.replace("ep 1 ", "ep 5 ").replace("ep 2 ", "ep 6 ").replace("ep 3 ", "ep 7 ")
    assert named(judged(tmp_path, job__log=resumed)) == "E2"


# --- times
def megatron(saves: float) -> str:
    lines = [" > building", "training ...", "[before the start of training step] datetime: 2026-10-15 15:34:10 "]
    at = 0.0
    for n in range(5, 245, 5):
        at += 20 + saves
        lines.append(
            f" [2026-10-15 {15 + int(at) // 3600:02}:{int(at) // 60 % 60:02}:{int(at) % 60:02}] iteration {n:8}/     240 | consumed samples:"
            f" {n * 16:12} | elapsed time per iteration (ms): 4000.0 | learning rate: 1.0E-04 | global batch size:    16 |"
            f" lm loss: {10 * math.exp(-n / 80) + 1:.6E} | loss scale: 1.0 | grad norm: 1.1 | number of nan iterations: 0 |"
        )
        lines += [
            f"saving checkpoint at iteration {n:7} to /ckpt in torch format",
            f"  successfully saved checkpoint at iteration {n:7} to /ckpt",
            "(min, max) time across ranks (ms):",
            f"    save-checkpoint ................................: ({saves * 1000:.2f}, {saves * 1000:.2f})",
        ]
    return "\n".join([*lines, "[after training is done] datetime: 2026-10-15 16:34:10 ", ""])


def test_a_timer_of_saves_alone_tells_of_no_step(tmp_path: Path) -> None:
    assert named(judged(tmp_path, job__log=megatron(0.5))) == "G1"
    assert named(judged(tmp_path, job__log=megatron(60.0))) == "D2"


# --- ranks
LAUNCHED = """\
E1128 10:11:12.531000 4400 torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: 1) local_rank: {k} (pid: 4412) of binary: /env/python
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
fit.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-28_10:11:12
  host      : gpu07
  rank      : {k} (local_rank: {k})
  exitcode  : 1 (pid: 4412)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
"""
CRASH = """\
Traceback (most recent call last):
  File "/w/fit.py", line 12, in <module>
    main()
  File "/w/fit.py", line 203, in main
    batch = collate(rows)
KeyError: 'pixel_values'
"""


@pytest.mark.parametrize(
    "error", [CRASH, CRASH.replace("KeyError: 'pixel_values'", "RuntimeError: CUDA error: out of memory")]
)
def test_the_launcher_names_the_rank_that_its_traceback_does_not(tmp_path: Path, error: str) -> None:
    text = "".join(f"step {n}/400 loss {3 - n / 40:.3f}\n" for n in range(1, 40)) + error
    verdict = judged(tmp_path, 1, job__log=text + LAUNCHED.format(k=3))
    assert verdict.family in ("A1", "B1")
    assert verdict.first_failing.rank == 3
    assert any(
        claim.text == "Rank that failed first, as its launcher says" and claim.value == 3 for claim in verdict.shows
    )


def test_a_communicator_that_never_stood(tmp_path: Path) -> None:
    begun = "".join(
        f"node2{rank // 2}:4100{rank}:4200{rank} [{rank % 2}] NCCL INFO ncclCommInitRank comm 0x55d1 rank {rank} nranks 4 cudaDev"
        f" {rank % 2} nvmlDev {rank % 2} busId 1b000 commId 0x9ad9b5e4ab2566da - Init START\n"
        for rank in range(4)
    )
    head = "> initializing torch distributed ...\n> initialized tensor model parallel with size 1\n"
    limit = "slurmstepd: error: *** JOB 226 ON node20 CANCELLED AT 2026-09-02T07:03:00 DUE TO TIME LIMIT ***\n"
    assert named(judged(tmp_path, job__log=head + begun + limit)) == "C1"
    stood = begun + begun.replace("START", "COMPLETE")
    assert named(judged(tmp_path, job__log=head + stood + limit)) != "C1"


# --- who stood still
DUMP = """\
Timeout (0:00:20)!
Thread 0x00007f79e35146c0 (most recent call first):
  File "/w/lichen.py", line 60 in _write
  File "/usr/lib/python3.11/threading.py", line 982 in run
  File "/usr/lib/python3.11/threading.py", line 1002 in _bootstrap

Thread 0x00007f7a02e03b80 (most recent call first):
  File "/w/lichen.py", line 51 in _trim
  File "/w/lichen.py", line 106 in main
  File "/w/lichen.py", line 119 in <module>

"""


def test_stacks_show_a_standstill_that_a_person_ended(tmp_path: Path) -> None:
    reports = "".join(f"step {n * 100}/20000 loss {2 / n:.3f} 355.2 steps/s\n" for n in range(1, 12))
    stood = "".join(DUMP + f"[watch] step 1100 was {after} s ago, cpu 5.5 s in all\n" for after in (16, 36, 56, 76))
    ended = CRASH.rpartition("KeyError")[0] + "KeyboardInterrupt\n"
    assert named(judged(tmp_path, job__log=reports + stood + ended)) == "C3"
    assert named(judged(tmp_path, job__log=reports + ended)) == "outside_families"


# --- what is another job's, or another form
def test_accounting_of_the_day_before_is_not_this_run_s(tmp_path: Path) -> None:
    job = (
        "JobId=15502 JobName=ladino\n   JobState=COMPLETED Reason=None Dependency=(null)\n   Restarts=0 ExitCode=0:0\n"
        "   RunTime=03:26:51 TimeLimit=08:00:00\n   StartTime=2026-10-24T05:32:00 EndTime=2026-10-24T08:58:51\n"
        "   NodeList={node}\n   BatchHost={node}\n   NumNodes=1 NumCPUs=16\n"
    )
    kernel = "2026-10-26T08:47:40,000000+00:00 gx-07 kernel: nvidia 0000:1b:00.0: enabling device\n"
    log = "".join(
        f"2026-10-26T08:{48 + n // 60:02}:{n % 60:02} INFO step {n} loss {3 - n / 60:.3f}\n" for n in range(100)
    )
    found = judged(
        tmp_path, scontrol_show_job__txt=job.format(node="gx-04"), job__log=log, **{"kern_gx-07.log": kernel}
    )
    assert found.bundle.job_id is None
    same = judged(tmp_path, scontrol_show_job__txt=job.format(node="gx-07"), job__log=log, **{"kern_gx-07.log": kernel})
    assert same.bundle.job_id == "15502"


@pytest.mark.parametrize("form", ["journal", "syslog"])
def test_what_stands_before_a_line_is_none_of_its_words(tmp_path: Path, form: str) -> None:
    said = [*(f"step {n} of 400, loss {3 - n / 60:.3f}" for n in range(1, 60)), "KeyboardInterrupt received, stopping"]
    if form == "journal":
        lines = [
            json.dumps(
                {
                    "__REALTIME_TIMESTAMP": str(1790487180935757 + n * 1_000_000),
                    "_HOSTNAME": "gpu07",
                    "SYSLOG_IDENTIFIER": "train",
                    "_PID": "4112",
                    "MESSAGE": text,
                }
            )
            for n, text in enumerate(said)
        ]
    else:
        lines = [
            f"<14>1 2026-11-21T11:31:{n:02}.167087+00:00 gpu07 train 4112 - - {text}" for n, text in enumerate(said)
        ]
    assert named(judged(tmp_path, job__log="\n".join(lines) + "\n")) == "outside_families"
