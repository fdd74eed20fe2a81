"""What the twenty-sixth unseen set got wrong, in other words than its own, each with its near misses."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._of_others import _CRASHED_BESIDE
from inquest.bundle.logs_import import import_logs

from .standing_logs import LOST

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

NEVER_MET = """\
{above}
Traceback (most recent call last):
  File "/w/reef.py", line 74, in <module>
    main()
  File "/w/reef.py", line 56, in main
    dist.init_process_group("gloo", timeout=timedelta(seconds=30))
  File "/opt/lib/python3.11/torch/distributed/c10d_logger.py", line 83, in wrapper
    return func(*args, **kwargs)
  File "/opt/lib/python3.11/torch/distributed/distributed_c10d.py", line 2169, in _new_process_group_helper
    backend_class = ProcessGroupGloo(
torch.distributed.DistStoreError: wait timeout after 30000ms, keys: /default_pg/0//cpu//0/1
E0301 00:55:31.620000 11699 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) local_rank: 0 \
(pid: 11732) of binary: /usr/bin/python3
--- export
Traceback (most recent call last):
  File "/w/export.py", line 7, in <module>
    net.load_state_dict(torch.load("scratch/reef.pt"))
FileNotFoundError: [Errno 2] No such file or directory: 'scratch/reef.pt'
"""
LIBRARY = (
    "[W301 00:55:30.873900051 socket.cpp:494] [c10d] waitForInput: socket SocketImpl(fd=3) timed out after 30000ms"
)
WRONG_START = """\
Traceback (most recent call last):
  File "/w/denoise.py", line 95, in <module>
    Trainer(model, Grains(a.side, a.patch)).fit(a.steps)
  File "/w/denoise.py", line 33, in __init__
    raise ValueError(f"patches of {patch} do not cover pictures of {side}")
ValueError: patches of 48 do not cover pictures of 128
"""


def reports(first: int, last: int, plan: int) -> str:
    return "".join(
        f"2026-03-01 08:00:{n:02d} step {n}/{plan} loss {2.1 * math.exp(-n / 8) + 0.3 + 0.01 * (n % 3):.4f}\n"
        for n in range(first, last)
    )


def judged(folder: Path, text: str, status: int | None = None, name: str = "job.log") -> Verdict:
    path = folder / name
    path.write_text(text)
    return analyze(import_logs([path], exit_code=status), strict=True)[0]


def test_a_warning_of_a_library_is_not_the_program_s_word_on_its_traceback(tmp_path: Path) -> None:
    verdict = judged(tmp_path, "reading 6000 clicks\n" + NEVER_MET.format(above=LIBRARY), 1)
    assert verdict.family == "C1", verdict.headline


@pytest.mark.parametrize("count", [7, 30])
def test_a_run_that_failed_to_start_stands_above_the_one_that_was_killed(tmp_path: Path, count: int) -> None:
    killed = "go.sh: line 7: 11802 Killed                  python denoise.py --patch 64\n"
    verdict = judged(tmp_path, f"{WRONG_START}denoising\n{reports(1, count, 300)}{killed}", 137)
    assert verdict.family == "A2", verdict.headline


def test_a_traceback_at_the_end_of_what_was_killed_nowhere_is_what_ended_it(tmp_path: Path) -> None:
    verdict = judged(tmp_path, f"denoising\n{reports(1, 8, 300)}{WRONG_START}", 1)
    assert verdict.family == "A1", verdict.headline


@pytest.mark.parametrize(
    "head", ["--- run {k}/3: d={k}8 layers=2, 40 iters", "== configuration {k} of 3 ==", "variant {k}/3"]
)
def test_runs_of_a_list_are_no_restarts(tmp_path: Path, head: str) -> None:
    text = "".join(f"{head.format(k=k)}\n{reports(0, 41, 40)}" for k in (1, 2, 3))
    verdict = judged(tmp_path, text, 0)
    assert verdict.family == "G1", verdict.headline


def test_a_count_that_goes_back_without_a_heading_is_lost_work(tmp_path: Path) -> None:
    verdict = judged(tmp_path, f"saved runs/step_20.pt\n{reports(0, 21, 40)}{reports(0, 41, 40)}", 0)
    assert verdict.family != "G1", verdict.headline


@pytest.mark.parametrize("at", ["", " AT 2026-11-20T18:28:37"])
def test_a_run_that_was_preempted_and_went_on_was_preempted(tmp_path: Path, at: str) -> None:
    taken = f"slurmstepd: error: *** STEP 77.0 ON sv-31 CANCELLED{at} DUE TO PREEMPTION ***\n"
    loads = "INFO [checkpoint.py:112] Loading checkpoint from exp/checkpoint-20.pt\n"
    text = f"{reports(0, 21, 40)}{taken}{loads}{reports(21, 41, 40)}training finished\n"
    verdict = judged(tmp_path, text)
    assert verdict.family == "F2", verdict.headline
    assert "came to its end" in str(verdict.headline), verdict.headline


LAUNCHER = (
    "[2026-10-19 10:13:36,545] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 137\n"
    "[2026-10-19 10:13:36,560] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python', '-u', 'train.py',"
    " '--local_rank=0'] exits with return code = 1\n"
)


@pytest.mark.parametrize("name", ["rank-0.stdout.log", "train.log"])
def test_who_left_in_the_midst_of_training_without_a_word_may_have_left_for_anything(tmp_path: Path, name: str) -> None:
    verdict = judged(tmp_path, reports(1, 30, 300) + LAUNCHER, name=name)
    assert verdict.outcome == "cannot_decide", verdict.headline
    assert judged(tmp_path, LAUNCHER, name=name).family == "A1"


def test_who_lost_a_peer_says_why_it_left_and_not_why_the_peer_did(tmp_path: Path) -> None:
    verdict = judged(tmp_path, reports(1, 30, 300) + LOST.replace("rank1", "rank2") + LAUNCHER)
    assert verdict.outcome == "cannot_decide", verdict.headline


@pytest.mark.parametrize(
    ("name", "beside"),
    [("gnome-shell", True), ("Xorg", True), ("chrome_crashpad", True), ("plasma_sim", False), ("electronic", False)],
)
def test_whole_names_of_desktops_and_services_alone_are_beside_the_job(name: str, *, beside: bool) -> None:
    line = f"ws4090-04 kernel: {name}[2841]: segfault at 18 ip 00007f2c9d0b1a40 sp 00007ffd2a9c1b70 error 4"
    assert (re.search(_CRASHED_BESIDE, line) is not None) is beside
