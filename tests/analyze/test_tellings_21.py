"""Members that stood in collectives, a traceback that ended nothing, and a stop by command, each with near misses."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry import matches
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def told(tmp_path: Path, lines: list[str], **others: list[str]) -> Verdict:
    """The verdict on a log, and others beside it."""
    (tmp_path / "run.log").write_text("\n".join([*lines, ""]))
    for name, text in others.items():
        (tmp_path / f"{name}.log").write_text("\n".join([*text, ""]))
    return analyze(import_logs([str(tmp_path)]), strict=True)[0]


def clock(seconds: int) -> str:
    return f"{8 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def steps(many: int = 30) -> list[str]:
    return [f"[{clock(10 * n)}] step {n}/5000 loss {3 - n * 0.05:.4f}" for n in range(1, many + 1)]


# --- where each stood -------------------------------------------------------------------------------------------------
ENTERED = [f"[{clock(301)}] rank {rank} step 31: enter allreduce(grads)" for rank in (0, 1, 3)]
ELSEWHERE = f"[{clock(301)}] rank 2 step 31: enter Recv(src=1)"


def beats(until: int) -> list[str]:
    return [f"[{clock(at)}] load {4 + at % 7 / 100:.2f} mem {40 + at % 3}" for at in range(330, until, 60)]


def test_who_enters_a_collective_and_says_no_more_waits_for_who_entered_something_else(tmp_path: Path) -> None:
    verdict = told(tmp_path, [*steps(), *ENTERED, ELSEWHERE, *beats(4000)])
    assert (verdict.family, verdict.culprit_ranks) == ("C2", (2,))


def test_who_entered_a_collective_a_moment_ago_does_not_stand(tmp_path: Path) -> None:
    assert told(tmp_path, [*steps(), *ENTERED, ELSEWHERE, *beats(400)]).family is None


def test_who_tells_that_a_collective_is_through_waits_in_none(tmp_path: Path) -> None:
    through = [line.replace("enter allreduce(grads)", "allreduce took 4 ms") for line in ENTERED]
    assert told(tmp_path, [*steps(), *through, *beats(4000)]).family != "C2"


def raised(call: str, function: str, line: int) -> list[str]:
    return [
        "Traceback (most recent call last):",
        f'  File "/home/u/lm/main.py", line {line}, in <module>',
        "    run(args)",
        f'  File "/home/u/lm/main.py", line {line + 20}, in run',
        f"    {call}",
        f'  File "/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py", line 2219, in {function}',
        "    work.wait()",
        "KeyboardInterrupt",
    ]


FOUND = [
    *raised("dist.barrier()", "barrier", 188),
    *raised("dist.all_reduce(p.grad)", "all_reduce", 180),
    *raised("dist.all_reduce(p.grad)", "all_reduce", 180),
]


def test_what_a_late_interrupt_finds_in_two_collectives_is_a_freeze(tmp_path: Path) -> None:
    verdict = told(tmp_path, [*steps(), f"^C[{clock(4000)}] launcher: SIGINT, passing on to 3 children", *FOUND])
    assert (verdict.family, verdict.sub_mode) == ("C2", "mismatch")


def test_an_interrupt_in_mid_work_is_a_persons_end(tmp_path: Path) -> None:
    verdict = told(tmp_path, [*steps(), f"^C[{clock(309)}] launcher: SIGINT, passing on to 3 children", *FOUND])
    assert verdict.outcome == "outside_families"


def broken(worker: int) -> list[str]:
    return [
        f"Process Worker-{worker}:",
        "Traceback (most recent call last):",
        '  File "/usr/lib/python3.11/multiprocessing/process.py", line 314, in _bootstrap',
        "    self.run()",
        '  File "mill.py", line 92, in run',
        "    self.bar.wait(timeout=600)",
        '  File "/usr/lib/python3.11/threading.py", line 702, in _wait',
        "    raise BrokenBarrierError",
        "threading.BrokenBarrierError",
    ]


def test_a_barrier_of_processes_whose_time_was_up(tmp_path: Path) -> None:
    assert told(tmp_path, [*steps(), *beats(1000), *broken(0), *broken(1)]).family == "C2"


def test_a_barrier_that_broke_since_one_of_them_failed_is_that_ones_failure(tmp_path: Path) -> None:
    own = [*broken(2)[:-5], '  File "mill.py", line 70, in run', "    x = y / n", "ZeroDivisionError: division by zero"]
    verdict = told(tmp_path, [*steps(), *beats(1000), *own, *broken(0), *broken(1)])
    assert verdict.family == "A1"
    assert "ZeroDivisionError" in verdict.headline


def test_ray_gave_up_on_actors_that_stood_in_collectives(tmp_path: Path) -> None:
    said = [f"(Learner pid={pid}) iter 31 col.allreduce(grads) ..." for pid in (4477, 4724)]
    said += ["(Learner pid=7206) iter 31 col.broadcast(src=0) ..."]
    gave_up = [
        "Traceback (most recent call last):",
        '  File "driver.py", line 80, in main',
        "    ray.get(refs, timeout=1200)",
        "ray.exceptions.GetTimeoutError: Get timed out: some object(s) not ready.",
    ]
    assert told(tmp_path, [*steps(), *said, *beats(1500), *gave_up]).family == "C2"


def test_ray_gave_up_and_nobody_tells_where_anyone_stood(tmp_path: Path) -> None:
    gave_up = [
        "Traceback (most recent call last):",
        '  File "driver.py", line 80, in main',
        "    ray.get(refs, timeout=1200)",
        "ray.exceptions.GetTimeoutError: Get timed out: some object(s) not ready.",
    ]
    assert told(tmp_path, [*steps(), *beats(1500), *gave_up]).family != "C2"


def test_a_round_that_stays_open_is_told_by_a_field(tmp_path: Path) -> None:
    closed = [
        f'{{"ts": "2025-03-12T{clock(7 * n)}Z", "msg": "round closed", "round": {n}, "grads": 6, "loss": {1 - n / 90:.4f}}}'
        for n in range(1, 31)
    ]
    still = [
        f'{{"ts": "2025-03-12T{clock(210 + at)}Z", "msg": "round open", "round": 31, "grads": 5, "age": "{at}s"}}'
        for at in range(30, 1500, 30)
    ]
    verdict = told(tmp_path, [*closed, *still])
    assert verdict.family == "C2"
    assert "5 of 6" in verdict.headline


# --- a traceback that ended nothing -----------------------------------------------------------------------------------
CAUGHT = [
    "Traceback (most recent call last):",
    '  File "/home/a/plates/data.py", line 58, in noise_table',
    '    tab = np.load(self.cache / "noise.npy")',
    "FileNotFoundError: [Errno 2] No such file or directory: '/home/a/.cache/noise.npy'",
]
WARNED = "2026-01-21 11:06:40,018 [WARNING] data: noise table not cached, measuring it again"
LATER = [f"2026-01-21 11:07:{n:02},412 [INFO] trainer: preparing part {n}" for n in range(20, 26)]


def test_a_warning_that_tells_what_is_done_instead_ends_nothing(tmp_path: Path) -> None:
    assert told(tmp_path, LATER, errors=[WARNED, *CAUGHT]).outcome == "cannot_decide"


@pytest.mark.parametrize(
    "above",
    [
        "2026-01-21 11:06:40,018 [ERROR] data: noise table not cached, measuring it again",
        "2026-01-21 11:06:40,018 [WARNING] data: noise table not cached",
        "2026-01-21 11:06:40,018 [WARNING] data: noise table not there, giving up",
    ],
)
def test_what_tells_of_nothing_instead_may_have_ended_it(tmp_path: Path, above: str) -> None:
    assert told(tmp_path, LATER[:1], errors=[above, *CAUGHT]).family == "A1"


# --- a stop by command ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "word",
    [
        "ctl: 'stop' from uid 1004 (pts/2)",
        "found STOP file, leaving",
        "stopped at 30/5000 as asked",
        "received stop command via socket",
        "Stopp-Datei gefunden",
        "fichier STOP trouvé",
        "停止ファイルを検出",
        "检测到停止文件",
    ],
)
def test_a_stop_that_was_asked_for_before_the_plan(tmp_path: Path, word: str) -> None:
    assert told(tmp_path, [*steps(), word]).outcome == "outside_families"


@pytest.mark.parametrize(
    "word",
    [
        "checking for a STOP file every 10 s",
        "no stop file found",
        "worker 3 received stop from main",
        "early stopping as requested by the config",
        "touch STOP to have the run stopped",
    ],
)
def test_words_of_a_stop_that_nobody_asked_for(tmp_path: Path, word: str) -> None:
    assert told(tmp_path, [*steps(), word]).outcome == "cannot_decide"


def test_a_stop_at_the_end_of_the_plan_cuts_nothing(tmp_path: Path) -> None:
    lines = [line.replace("/5000", "/30") for line in steps()]
    assert told(tmp_path, [*lines, "stopped at 30/30 as asked"]).outcome != "outside_families"


# --- a disk without room, in the words of R and others ----------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("  cannot open file '/home/u/run/m_075.rds': Disk quota exceeded", True),
        ("  cannot open compressed file 'm.rds', probable reason 'No space left on device'", True),
        ("write /srv/pb/m.gob: no space left on device", True),
        ("Error: ENOSPC: no space left on device, write", True),
        ("could not write the cache: No space left on device", False),
        ("retrying: write /srv/pb/m.gob: no space left on device", False),
    ],
)
def test_a_full_disk_in_other_words(text: str, is_one: bool) -> None:
    assert (Kind.DISK_FULL in {pattern.kind for pattern, _ in matches(text)}) is is_one


def stack(rank: int, inner: str) -> list[str]:
    return [
        f"=== rank {rank} (pid {4100 + rank}) ===",
        "#0  0x00007f21aa in poll () from /lib64/libc.so.6",
        f"#1  0x00007f21bb in {inner} (comm=0x55d0) at src/comm.c:210",
        "#2  0x000000411 in Solver::step () at solver.cpp:88",
    ]


def test_stacks_that_a_debugger_printed_below_the_last_report(tmp_path: Path) -> None:
    dumped = [f"{clock(20000)} attaching gdb"]
    dumped += [line for rank in range(3) for line in stack(rank, "MPI_Allreduce")] + stack(3, "read_shard")
    assert told(tmp_path, steps() + dumped).family == "C2"


def test_stacks_that_were_printed_while_it_went_well(tmp_path: Path) -> None:
    dumped = [line for rank in range(3) for line in stack(rank, "MPI_Allreduce")]
    assert told(tmp_path, [*steps(), f"{clock(480)} attaching gdb", *dumped]).family is None
