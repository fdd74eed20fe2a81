"""What a matrix of tellings showed before the thirtieth set: slow ranks, saves, absent peers, standstills, resumes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.logs import parse_logs
from inquest.analyze.logs.told_times import told_times
from inquest.bundle.imports import bundle
from inquest.bundle.imports.broken_lines import width
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import BundleStore
from tests.analyze.builders import Run, at
from tests.analyze.standing_logs import saving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.analyze.model import Verdict


def told(tmp_path: Path, text: str, status: int | None = None) -> Verdict:
    """The verdict on one log."""
    (tmp_path / "train.log").write_text(text)
    return analyze(import_logs([str(tmp_path)], exit_code=status), strict=True)[0]


def loss(n: float) -> float:
    return 0.4 + 1.9 * math.exp(-n / 8) + 0.004 * math.sin(n)


# --- a slow rank, however it is told ----------------------------------------------------------------------------------

RANKS: dict[str, Callable[[int, list[float]], str]] = {
    "pairs by worker": lambda i, c: (
        f"step {i} loss {loss(i):.4f} | compute by worker: " + " ".join(f"{n}:{s:.2f} s" for n, s in enumerate(c))
    ),
    "a list without brackets": lambda i, c: (
        f"step {i} loss {loss(i):.4f}\n  fwd+bwd per gpu [s]: " + ", ".join(f"{s:.2f}" for s in c)
    ),
    "who is slowest": lambda i, c: (
        f"step {i} loss {loss(i):.4f} slowest gpu {c.index(max(c))} ({max(c):.2f} s), median {sorted(c)[1]:.2f} s"
    ),
    "key=value of workers": lambda i, c: "\n".join(
        f"worker={n} step={i} loss={loss(i):.4f} compute_ms={1e3 * s:.1f} sync_ms={1e3 * (max(c) + 0.02 - s):.1f}"
        for n, s in enumerate(c)
    ),
    "a share of the step": lambda i, c: "\n".join(
        f"(proc{n}) it {i}: {max(c) + 0.02:.2f} s per step, of which {max(c) + 0.02 - s:.2f} s in all_reduce;"
        f" loss {loss(i):.4f}"
        for n, s in enumerate(c)
    ),
    "nodes from 1": lambda i, c: "\n".join(
        f"[node {n + 1}] step {i} loss {loss(i):.4f} compute {s:.2f} s wait {max(c) + 0.02 - s:.2f} s"
        for n, s in enumerate(c)
    ),
}


@pytest.mark.parametrize("form", RANKS)
@pytest.mark.parametrize("slow", [0, 2])
def test_the_rank_that_takes_longest_is_named(tmp_path: Path, form: str, slow: int) -> None:
    lines = []
    for i in range(1, 61):
        taken = [(0.62 if n == slow else 0.2) + 0.002 * ((i + n) % 5) for n in range(4)]
        lines.append(RANKS[form](i, taken))
    verdict = told(tmp_path, "\n".join([*lines, "training finished", ""]), 0)
    assert verdict.family == "D3", verdict.headline
    assert verdict.culprit_ranks == (slow + (form == "nodes from 1"),)


@pytest.mark.parametrize("form", RANKS)
def test_ranks_that_take_turns_are_no_stragglers(tmp_path: Path, form: str) -> None:
    lines = []
    for i in range(1, 61):
        taken = [(0.24 if n == i % 4 else 0.2) + 0.002 * ((i + n) % 5) for n in range(4)]
        lines.append(RANKS[form](i, taken))
    assert told(tmp_path, "\n".join([*lines, "training finished", ""]), 0).family == "G1"


# --- saves that reports tell of ---------------------------------------------------------------------------------------


def test_saves_that_each_report_tells_of_are_where_the_time_went(tmp_path: Path) -> None:
    verdict = told(tmp_path, saving(60) + "done: 60 steps\n", 0)
    assert (verdict.family, verdict.confidence < 0.8) == ("D2", True), verdict.headline


def test_saves_that_take_a_tenth_are_healthy(tmp_path: Path) -> None:
    assert told(tmp_path, saving(60, 0.02) + "done: 60 steps\n", 0).family == "G1"


# --- others that do not come ------------------------------------------------------------------------------------------

WAITS: dict[str, Callable[[int], str]] = {
    "counted": lambda t: f"14:{t // 60:02}:{t % 60:02} waiting for the others: 1 of 4 here, 3 missing ({t} s)",
    "no way to the master": lambda t: (
        f"14:{t // 60:02}:{t % 60:02} connect to 10.4.2.1:29500 failed (No route to host), retrying in 30 s"
    ),
    "a roll call": lambda t: f"rank 0: barrier 'everybody here' {t} s, present [0], absent [1, 2, 3]",
}


@pytest.mark.parametrize("form", WAITS)
def test_who_waits_for_others_in_vain(tmp_path: Path, form: str) -> None:
    lines = ["node 0 of 4, backend gloo", *(WAITS[form](30 * n) for n in range(1, 9)), "giving up"]
    assert told(tmp_path, "\n".join([*lines, ""]), 1).family == "C1"


@pytest.mark.parametrize("form", WAITS)
def test_who_waited_for_others_and_trained_then(tmp_path: Path, form: str) -> None:
    lines = ["node 0 of 4, backend gloo", *(WAITS[form](30 * n) for n in range(1, 9)), "all 4 here"]
    lines += [f"epoch {n}/30 loss {loss(n):.4f} acc {1 - loss(n) / 3:.3f}" for n in range(1, 31)]
    assert told(tmp_path, "\n".join([*lines, "training finished", ""]), 0).family == "G1"


@pytest.mark.parametrize("form", WAITS)
def test_who_waits_still_may_be_joined_yet(tmp_path: Path, form: str) -> None:
    lines = ["node 0 of 4, backend gloo", *(WAITS[form](3 * n) for n in range(1, 5))]
    assert told(tmp_path, "\n".join([*lines, ""])).family is None


def test_an_error_that_says_the_master_was_not_reached(tmp_path: Path) -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/home/u/fit.py", line 31, in <module>\n'
        "    main()\n"
        "RuntimeError: could not reach the master in 240 s\n"
    )
    assert told(tmp_path, f"node 1 of 2\n{text}", 1).family == "C1"


# --- standing still, by what watches ----------------------------------------------------------------------------------

WATCHES: dict[str, Callable[[int], str]] = {
    "since the last": lambda n: f"[alive] {60 * n} s since the last batch, main thread in queue.get",
    "an idle GPU": lambda n: "monitor gpu0 util 0 % mem 18211 MiB",
    "an idle GPU that cools": lambda n: f"gpu0: util 0 %, 23104 MiB / 49140 MiB, {80 + n % 3} W, {52 - n} C",
    "an idle process": lambda n: "watch: pid 4411 alive, state S, cpu 0.0 %, 18211 MiB",
}


def _watched(form: str, *, always: bool = False) -> str:
    lines = []
    for n in range(1, 24):
        lines.append(f"14:{n // 7:02}:{8 * n % 60:02} epoch {n}/60 loss {loss(n):.4f}")
        if always:
            lines.append(f"14:{n // 7:02}:{8 * n % 60:02} {WATCHES[form](0)}")
    lines += [f"14:{n + 5:02}:00 {WATCHES[form](n)}" for n in range(1, 14)]
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("form", WATCHES)
def test_who_watches_sees_it_stand(tmp_path: Path, form: str) -> None:
    assert told(tmp_path, _watched(form)).family == "C3"


def test_who_always_reads_an_idle_gpu_reads_another_one(tmp_path: Path) -> None:
    assert told(tmp_path, _watched("an idle GPU", always=True)).family is None


# --- taken up from a state that was not taken -------------------------------------------------------------------------

TAKEN_UP = (
    "Resuming from epoch 16 (loss 0.512)",
    "going on from epoch 16, where the loss was 0.512",
    "resume=auto: found keep/last.json -> epoch 16, last loss 0.5120",
    "picking up at epoch 16 (previous loss 0.512)",
    "state.json says epoch 16, loss 0.512: continuing",
)


@pytest.mark.parametrize("said", TAKEN_UP)
def test_a_loss_of_a_new_model_below_a_state_that_had_learned(tmp_path: Path, said: str) -> None:
    lines = [said, *(f"epoch {n}/40 loss {loss(n - 16):.4f} acc {1 - loss(n - 16) / 3:.3f}" for n in range(17, 31))]
    assert told(tmp_path, "\n".join([*lines, ""])).family == "E2"


@pytest.mark.parametrize("said", TAKEN_UP)
def test_a_loss_that_goes_on_where_it_was(tmp_path: Path, said: str) -> None:
    lines = [said, *(f"epoch {n}/40 loss {loss(n):.4f} acc {1 - loss(n) / 3:.3f}" for n in range(17, 41))]
    assert told(tmp_path, "\n".join([*lines, "done, weights saved to out/final.pt", ""]), 0).family == "G1"


def test_a_line_between_reports_that_says_it_goes_on_parts_them(tmp_path: Path) -> None:
    first = [f"pass {n} of 40: cross-entropy {loss(n):.4f}, top-1 {1 - loss(n) / 3:.3f}" for n in range(1, 17)]
    second = [
        f"pass {n} of 40: cross-entropy {loss(n - 16):.4f}, top-1 {1 - loss(n - 16) / 3:.3f}" for n in range(17, 26)
    ]
    verdict = told(tmp_path, "\n".join([*first, "stopped, will go on later", "continuing at epoch 16", *second, ""]))
    assert verdict.family == "E2"


# --- readers ----------------------------------------------------------------------------------------------------------


def test_reports_of_one_width_below_a_line_as_wide_are_not_one_line(tmp_path: Path) -> None:
    """All lines of this log had been put together, and with them all its reports lost."""
    rows = [f"pass {n} of 40: cross-entropy {0.5 - 0.001 * n:.4f}, top-1 0.8{n}" for n in range(17, 41)]
    head = "going on from epoch 16, where the loss was 0.494"
    assert {len(row) for row in [*rows, head]} == {len(head)}
    text = "\n".join([head, *rows, "done, weights saved", ""])
    assert width(text.encode()) is None
    (tmp_path / "train.log").write_text(text)
    assert len(parse_logs(import_logs([str(tmp_path)]))["fact_steps"]) == len(rows)


@pytest.mark.parametrize("stamp", ["14:02:19 ", "[14:02:19] ", "2026-11-03 14:02:19,120 - trainer - INFO - "])
def test_a_table_below_a_clock_is_read(tmp_path: Path, stamp: str) -> None:
    rows = [f"{stamp}{n:>4} {loss(n):>9.4f} {1 - loss(n) / 3:>7.3f} {8.1:>6}" for n in range(1, 20)]
    (tmp_path / "t.log").write_text("\n".join([f"{stamp}  ep      loss     acc      s", *rows, ""]))
    steps = parse_logs(import_logs([str(tmp_path)]))["fact_steps"]
    assert len(steps) == len(rows)
    assert steps["loss"].is_finite().all()


def test_a_loss_of_one_letter_beside_what_was_right(tmp_path: Path) -> None:
    rows = [f"it {250 * n}/10000 | L={loss(n):.4f} | acc={1 - loss(n) / 3:.3f}" for n in range(1, 30)]
    (tmp_path / "t.log").write_text("\n".join([*rows, ""]))
    steps = parse_logs(import_logs([str(tmp_path)]))["fact_steps"]
    assert steps["loss"].is_finite().all()
    assert steps["accuracy"].is_not_null().all()


# --- what the set showed ----------------------------------------------------------------------------------------------


def _sent(*ports: int, steps: int = 0, code: int = 4) -> Run:
    """Ranks on a node each, with a port each to meet at, that leave after a while."""
    run = Run()
    for rank, port in enumerate(ports):
        told = {"node": f"n{rank}", "rank": rank, "world_size": len(ports), "pid": 100 + rank, "ts_ns": at(0)}
        run.row("processes", event="start", role="root", master_addr="10.0.0.1", master_port=port, **told)
    if steps:
        run.steps([2.0 - 0.02 * n for n in range(steps)])
    return run.ended(code, t=90.0)


def test_a_rank_that_was_sent_to_another_port_is_named() -> None:
    verdict = judge(_sent(29741, 29741, 29714).evidence())
    assert (verdict.family, verdict.culprit_ranks) == ("C1", (2,)), verdict.headline


@pytest.mark.parametrize("run", [_sent(29741, 29741, 29741), _sent(29741, 29714, steps=40)])
def test_ranks_that_could_meet_are_no_such_case(run: Run) -> None:
    assert judge(run.evidence()).family != "C1"


RECORD = '{{"ts": {at}, "event": "{event}", "step": {step}, {more}}}'


def _records(*, works: bool) -> str:
    lines = [
        RECORD.format(at=1795954600 + n, event="train", step=25 * n, more=f'"loss": {loss(n):.4f}')
        for n in range(1, 16)
    ]
    lines += [
        RECORD.format(
            at=1795954625 + 10 * n,
            event="sys",
            step=400,
            more=f'"rss_mb": 379, "cpu_pct": {97 if works else 0}, "threads": 3',
        )
        for n in range(8)
    ]
    return "\n".join(
        [
            *lines,
            "Traceback (most recent call last):",
            '  File "/u/pairs.py", line 73, in state',
            "    with self.lock:",
            "KeyboardInterrupt",
            "",
        ]
    )


def test_records_that_tell_of_an_idle_process_are_pulses(tmp_path: Path) -> None:
    assert told(tmp_path, _records(works=False)).family == "C3"


def test_records_that_tell_of_a_busy_process_are_none(tmp_path: Path) -> None:
    assert told(tmp_path, _records(works=True)).family != "C3"


@pytest.mark.parametrize(("prep", "family"), [(2.4, "D3"), (0.02, "G1")])
def test_whatever_a_rank_does_while_the_others_wait_is_its_own(tmp_path: Path, prep: float, family: str) -> None:
    lines = []
    for i in range(1, 41):
        for rank in range(3):
            mine = prep if rank == 2 else 0.004
            lines.append(
                f"[rank {rank}] step {i:4}/40 loss {loss(i):.4f} prep {mine:.3f}s"
                f" barrier {prep - mine + 0.01:.3f}s fwd+bwd 0.6{i % 7}1s"
            )
    text = "\n".join(lines).replace("s\n[rank 1] step   10", "s[rank 1] step   10")  # two that wrote at once
    assert told(tmp_path, text + "\ntraining finished\n", 0).family == family


def test_the_checkpoint_that_diffusers_did_not_find(tmp_path: Path) -> None:
    head = (
        "== dependency: afterany:884190(fulfilled)\n== this is part 2, part 1 was job 884190\n"
        "Checkpoint 'latest' does not exist. Starting a new training run.\n"
    )
    steps = "".join(f"step {4 * n}/400 | loss {loss(n):.4f} | lr 2.0e-06\n" for n in range(1, 101))
    assert told(tmp_path, head + steps, 0).family == "E2"
    assert told(tmp_path, head.split("\n", 2)[2] + steps, 0).family != "E2"  # a first start says the same


def test_the_month_and_the_day_of_glog_are_no_step(tmp_path: Path) -> None:
    head = "I0418 07:12:{s:02}.943662 140185239713600 {where}] "
    lines = [head.format(s=n, where="utils.py:1911") + f"Initializing dataset {n} of the loss" for n in range(5)]
    lines += [
        head.format(s=9 + n, where="logging_writer.py:48")
        + f"[{1064000 + 100 * n}] train/accuracy=0.88, train/loss={loss(n):.6f}"
        for n in range(1, 30)
    ]
    (tmp_path / "t.log").write_text("\n".join([*lines, ""]))
    steps = parse_logs(import_logs([str(tmp_path)]))["fact_steps"]
    assert steps["step"].min() == 1064100
    assert steps["loss"].is_finite().all()


def test_an_instance_that_the_cloud_took_back(tmp_path: Path) -> None:
    steps = "".join(f"epoch {n}/60 loss {loss(n):.4f}\n" for n in range(1, 20))
    verdict = told(tmp_path, steps + "entrypoint: instance/preempted -> TRUE (computeMetadata/v1), TERM to 31\n")
    assert verdict.family == "F2"
    assert told(tmp_path, steps + "entrypoint: instance/preempted -> FALSE (computeMetadata/v1)\n").family is None


@pytest.mark.parametrize(("turns", "family"), [(True, "D1"), (False, None)])
def test_each_rank_waits_for_its_data_in_turn(tmp_path: Path, turns: bool, family: str | None) -> None:
    lines = []
    for i in range(1, 61):
        for rank in range(4):
            wait = 13.4 if rank == (i * 7 % 4 if turns else 2) else 3.0 + rank
            lines.append(
                f"r{rank} step {50 * i}/3000 loss {loss(i):.4f} |"
                f" s/step: batch {wait:.2f} fwd_bwd {14 - wait:.2f} opt 0.06"
            )
    verdict = told(tmp_path, "\n".join([*lines, "training finished", ""]), 0)
    assert verdict.family == family if turns else verdict.family != "D1"


def test_a_batch_beside_computing_is_its_data() -> None:
    read = told_times("step 3750 | s/step: batch 8.04 fwd_bwd 6.06 opt 0.06")
    assert read is not None
    assert read.parts["data_time_s"] == 8.04
    whole = told_times("step 3750 | batch 8.04s data 6.06s fwd_bwd 1.90s")
    assert whole is not None
    assert whole.parts["data_time_s"] == 6.06


def _dmon(host: str, sm: float) -> str:
    head = (
        f"{host} 2026-01-27T19:20:10-0800 dcgmi dmon -i 0 -d 30000 -e 155,203,1001,1002\n"
        "#Entity   POWER        GPUTL        GRACT        SMACT\nID        W\n"
    )
    return head + "".join(
        f"GPU 0     100.1        99           0.98{n % 9}        {sm + 0.001 * (n % 5):.3f}\n" for n in range(60)
    )


def test_rounds_of_dmon_lie_as_far_apart_as_its_command_says(tmp_path: Path) -> None:
    for host in ("loon1", "loon2"):
        (tmp_path / f"dmon_{host}.txt").write_text(_dmon(host, 0.15))
    bundle.write(import_paths([str(tmp_path)]), tmp_path / "b.inquest")
    samples = BundleStore(tmp_path / "b.inquest").scan("gpu_samples").collect()
    assert samples["node"].unique().sort().to_list() == ["loon1", "loon2"]
    assert set(samples.filter(samples["node"] == "loon1")["ts_ns"].sort().diff().drop_nulls()) == {30 * 10**9}


LEAPS = (0.6935, 0.6922, 0.6789, 0.6842, 0.7252, 0.6932, 0.6932, 1.1072, 0.8177)


@pytest.mark.parametrize(
    ("right", "leaps", "family"), [(0.4936, LEAPS, "E1"), (0.71, LEAPS, None), (0.4936, LEAPS[:4], None)]
)
def test_a_classifier_that_came_to_guess_after_leaps(
    tmp_path: Path, right: float, leaps: tuple[float, ...], family: str | None
) -> None:
    losses = [*leaps, 0.6931, 0.6931, 0.6932, 0.6931]
    lines = [
        f"report heldout_acc={right:.4f} loss={value:.4f} lr=1.0 step={750 * n}" for n, value in enumerate(losses, 1)
    ]
    verdict = told(tmp_path, "\n".join([*lines, "weights written to towers.pt", ""]), 0)
    assert (verdict.family == "E1") == (family == "E1"), verdict.headline
