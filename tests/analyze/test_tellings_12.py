"""Ends, freezes and slow ones in the words of many programs, and what only looks like them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
from tests.analyze.standing_came import at_nought, rounds, short

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def told(tmp_path: Path, **files: list[str]) -> Verdict:
    """The verdict on files of the given names, ``_`` for the dot."""
    for name, lines in files.items():
        (tmp_path / name.replace("_", ".")).write_text("\n".join([*lines, ""]))
    return analyze(import_logs([str(tmp_path)]), strict=True)[0]


def family(verdict: Verdict) -> str | None:
    return verdict.family if verdict.outcome == "decided" else None


def loss(n: float) -> float:
    return 0.4 + 1.9 * math.exp(-n / 8) + 0.02 * math.sin(7 * n)


def steps(count: int = 30) -> list[str]:
    return [f"Step #{10 * n}\tLoss: {loss(n):.6f}\timages/sec: {1280 + n % 5}.4" for n in range(1, count + 1)]


def clocked(count: int = 30) -> list[str]:
    return [f"2026-03-02T08:{n:02}:00Z step {10 * n} loss {loss(n):.4f}" for n in range(1, count + 1)]


# --- last words -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "end",
    [
        [f"[1,{rank}]<stdout>:rank {rank} finished after 300 steps" for rank in range(4)],
        ["0: [I] done, best 0.41, wrote out/last.bin"],
        [f"worker-{n} exited with code 0" for n in (2, 0, 1)],
        ["finalize ok"],
        ['msg="shutdown" code=0 steps=300'],
        ["converged, total wall 510.0 s"],
    ],
)
def test_last_words_behind_heads_and_of_all_ranks(tmp_path: Path, end: list[str]) -> None:
    head = "[1,0]<stdout>:" if end[0].startswith("[1") else "0: " if end[0].startswith("0: ") else ""
    assert family(told(tmp_path, train_log=[f"{head}{line}" for line in steps()] + end)) == "G1"


@pytest.mark.parametrize(
    "end",
    [
        [f"[1,{rank}]<stdout>:rank {rank} finished after 300 steps" for rank in (0, 1, 3)],
        ["worker-0 exited with code 0", "worker-2 exited with code 0"],
        ['msg="shutdown" code=1 steps=300'],
        ["not converged, total wall 510.0 s"],
    ],
)
def test_where_one_is_missing_or_it_was_no_good_end_nothing_is_claimed(tmp_path: Path, end: list[str]) -> None:
    head = "[1,0]<stdout>:" if end[0].startswith("[1") else ""
    assert family(told(tmp_path, train_log=[f"{head}{line}" for line in steps()] + end)) != "G1"


# --- who was taken, and which machine went ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        ["systemevent-171008763   compute.instances.preempted   vm-2   200   DONE   2026-03-02T08:30:03.000-08:00"],
        ["metadata preempted=TRUE  (08:30)"],
        ['{"event": "maintenance-event", "value": "TERMINATE_ON_HOST_MAINTENANCE"}'],
        ["    Message:               Preempted to accommodate a workload (UID: 41c0) due to prioritization"],
    ],
)
def test_words_of_clouds_on_what_they_took(tmp_path: Path, said: list[str]) -> None:
    assert family(told(tmp_path, train_log=clocked() + said)) == "F2"


@pytest.mark.parametrize(
    "said",
    [
        ["metadata preempted=FALSE  (08:30)"],
        ['{"event": "maintenance-event", "value": "MIGRATE_ON_HOST_MAINTENANCE"}'],
        ["# gcloud compute operations list --filter=compute.instances.preempted"],
    ],
)
def test_what_only_asks_for_it_is_no_preemption(tmp_path: Path, said: list[str]) -> None:
    assert family(told(tmp_path, train_log=clocked() + said)) != "F2"


LOST = ["  HNP daemon   : [[41022,0],0] on node c1-05", "  Remote daemon: [[41022,0],2] on node c1-07"]


def test_a_lost_daemon_and_a_second_word_on_its_machine(tmp_path: Path) -> None:
    verdict = told(tmp_path, job_log=clocked() + LOST, nodes_log=["pbsnodes -l", "c1-07   down   ipmi: power off"])
    assert family(verdict) == "F1"
    assert verdict.culprit_nodes == ("c1-07",)


def test_a_lost_daemon_alone_or_another_machine_tells_no_node_down(tmp_path: Path) -> None:
    assert family(told(tmp_path, job_log=clocked() + LOST, nodes_log=["pbsnodes -l", "c1-09   down"])) != "F1"


POOL = [
    '{"time": "2026-03-02T07:08:09Z", "node": "vm_02", "state": "rebooting"}',
    '{"time": "2026-03-02T07:13:09Z", "node": "vm_02", "state": "idle"}',
    '{"time": "2026-03-02T07:38:09Z", "node": "vm_07", "state": "running", "task": "fit"}',
    '{"time": "2026-03-02T08:31:47Z", "node": "vm_07", "state": "unknown"}',
    '{"time": "2026-03-02T08:33:47Z", "node": "vm_07", "state": "unusable", "errors": ["NodeNotReachable"]}',
    '{"time": "2026-03-02T08:33:47Z", "task": "fit", "state": "active"}',
]


def test_records_of_a_pool_tell_that_the_jobs_machine_went(tmp_path: Path) -> None:
    assert family(told(tmp_path, job_log=clocked(), pool_jsonl=POOL)) == "F1"


def test_a_machine_of_the_pool_on_which_nothing_ran_is_not_the_jobs(tmp_path: Path) -> None:
    other = [line.replace("vm_07", "vm_09") if "unusable" in line else line for line in POOL]
    assert family(told(tmp_path, job_log=clocked(), pool_jsonl=other)) != "F1"


# --- who waits for whom -----------------------------------------------------------------------------------------------


def test_a_server_that_counts_who_came_tells_a_freeze(tmp_path: Path) -> None:
    verdict = told(tmp_path, hub_log=rounds() + short())
    assert family(verdict) == "C2"
    assert "5 of 6" in verdict.headline


@pytest.mark.parametrize(
    "tail",
    [
        short(lines=3),
        [*short(), "2026-03-02 09:10:00 hub: turn 41 merged 6/6, loss 0.3210"],
        short(have=6),
    ],
)
def test_a_round_that_closed_or_stood_shortly_is_no_freeze(tmp_path: Path, tail: list[str]) -> None:
    assert family(told(tmp_path, hub_log=rounds() + tail)) != "C2"


def test_a_process_that_holds_a_gpu_and_never_did_an_update_hangs(tmp_path: Path) -> None:
    assert family(told(tmp_path, fit_log=at_nought())) == "C3"


@pytest.mark.parametrize(
    "lines",
    [
        at_nought(lines=8),
        at_nought(held="queue=3"),
        at_nought(done="requests=0"),
        [line.replace("gpu_util=0%", "gpu_util=97%") for line in at_nought()],
        ["world_size=4", *at_nought()],
    ],
)
def test_what_is_short_or_holds_nothing_or_serves_or_has_peers_is_no_such_hang(
    tmp_path: Path, lines: list[str]
) -> None:
    assert family(told(tmp_path, fit_log=lines)) != "C3"


def test_members_that_never_came_by_fields_of_records(tmp_path: Path) -> None:
    lines = [
        f'ts=2026-03-02T08:{n:02}:00Z level=warn msg="waiting for members" have=7 want=8 step=0' for n in range(1, 30)
    ]
    end = ['ts=2026-03-02T08:30:00Z level=error msg="join deadline" have=7 want=8 missing=node-7']
    assert family(told(tmp_path, coord_log=lines + end)) == "C1"


NET = [f"hpc-0{rank}:2200:2200 [0] NCCL INFO Bootstrap : Using eth0:172.16.4.1{rank}<0>" for rank in range(4)] + [
    "NCCL version 2.18.5+cuda12.2"
]
PROBES = [f"{17 + n // 6}:{n % 6}0  probe: hpc-00 gpu 0/0/0/0 % mem 517/517/517/517 MiB" for n in range(12)]
LIMIT = ["slurmstepd: error: *** STEP 4410.0 ON hpc-00 CANCELLED AT 2026-03-02T19:20:44 DUE TO TIME LIMIT ***"]


def test_ranks_that_stood_in_the_bootstrap_to_the_limit_never_met(tmp_path: Path) -> None:
    assert family(told(tmp_path, out_log=NET + PROBES + LIMIT)) == "C1"


def test_one_rank_alone_or_one_that_worked_on_was_at_no_rendezvous(tmp_path: Path) -> None:
    assert family(told(tmp_path, out_log=NET[:1] + PROBES + LIMIT)) != "C1"
    assert family(told(tmp_path, out_log=[*NET, "reading 40 shards", *PROBES, *LIMIT])) != "C1"


def test_what_nccls_heartbeat_monitor_says_is_a_freeze(tmp_path: Path) -> None:
    said = (
        "[rank{0}]:[F0302 09:57:57.152459 ProcessGroupNCCL.cpp:1306] [PG ID 0 PG GUID 0(default_pg) Rank {0}] "
        "Terminating the process after attempting to dump debug info, due to ProcessGroupNCCL watchdog hang."
    )
    end = ["srun: error: hgx0: tasks 0-3: Aborted (core dumped)"]
    assert family(told(tmp_path, out_log=clocked() + [said.format(rank) for rank in range(4)] + end)) == "C2"


# --- who is slow ------------------------------------------------------------------------------------------------------


def spark(slow: int | None, rounds_of: int = 14, *, waits: bool = True) -> list[str]:
    """Rounds of tasks whose lines have a clock, and end with the slowest."""
    lines, at = [], 0
    for turn in range(rounds_of):
        took = {who: 49.0 + turn % 3 if who == slow else 8.0 + (who + turn) % 4 / 9 for who in range(6)}
        for who, each in sorted(took.items(), key=lambda pair: pair[1]):
            second = at + int(each if waits else 8)
            clock = f"{8 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
            lines.append(f"26/03/02 {clock} INFO Tasks: task {who} in {1000 * each:.0f} ms (executor {who})")
        at += int(max(took.values()) if waits else 8)
        clock = f"{8 + at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}"
        lines.append(f"26/03/02 {clock} INFO Fit: iter {turn + 1} objective={loss(turn):.5f}")
    return lines


def test_an_executor_for_which_each_round_lasts_as_long_is_slow(tmp_path: Path) -> None:
    assert family(told(tmp_path, driver_log=spark(4))) == "D3"


def test_where_all_are_alike_or_rounds_do_not_last_so_long_nobody_is(tmp_path: Path) -> None:
    assert family(told(tmp_path, driver_log=spark(None))) != "D3"
    assert family(told(tmp_path, driver_log=spark(4, waits=False))) != "D3"


def julia(own: list[float], wait: str = "allreduce_s") -> list[str]:
    lines = []
    for turn in range(1, 31):
        rest = [f"{19.6 - each + turn % 3 / 10:.2f}" for each in own]
        lines += [
            "\u250c Info: epoch",
            f"\u2502   e = {turn}",
            f"\u2502   loss = {loss(turn):.5f}",
            f"\u2502   arbeit_s = [{', '.join(f'{each + turn % 4 / 20:.2f}' for each in own)}]",
            f"\u2514   {wait} = [{', '.join(rest)}]",
        ]
    return [*lines, "[ Info: fertig, 30 epochs"]


def test_lists_of_one_length_tell_who_is_slow_where_the_others_wait(tmp_path: Path) -> None:
    assert family(told(tmp_path, out_log=julia([6.2, 19.3, 6.1, 6.2]))) == "D3"


def test_lists_of_parts_of_a_program_tell_of_no_rank(tmp_path: Path) -> None:
    assert family(told(tmp_path, out_log=julia([6.2, 19.3, 6.1, 6.2], wait="norm"))) != "D3"
    assert family(told(tmp_path, out_log=julia([6.2, 6.3, 6.1, 6.2]))) != "D3"


def table(slow: int | None) -> list[str]:
    lines = []
    for turn in range(1, 13):
        lines += [f" ---- window {turn}  loss {loss(turn):.5f}", "  proc   host       t_work[s]   t_wait[s]   GB"]
        for who in range(4):
            own = 127.0 if who == slow else 41.0 + (who + turn) % 3 / 5
            most = 127.0 if slow is not None else 42.0
            lines.append(f"     {who}   cn04{who // 2}      {own:8.2f}    {most - own + 0.2:8.2f}   21.4")
    return [*lines, " normal end"]


def test_a_table_of_ranks_beside_their_hosts(tmp_path: Path) -> None:
    verdict = told(tmp_path, job_log=table(2))
    assert family(verdict) == "D3"
    assert verdict.culprit_ranks == (2,)


def test_a_table_in_which_all_wait_alike(tmp_path: Path) -> None:
    assert family(told(tmp_path, job_log=table(None))) != "D3"


# --- who sent the signal ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "outside"), [("$ timeout 6h python fit.py", False), ("$ python fit.py", True)])
def test_under_a_timeout_command_nobody_else_is_said_to_have_sent_the_signal(
    tmp_path: Path, typed: str, *, outside: bool
) -> None:
    verdict = told(tmp_path, run_log=[typed, *steps(), "Terminated"])
    assert (verdict.outcome == "outside_families") is outside
