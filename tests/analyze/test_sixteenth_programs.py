"""What the sixteenth set's programs showed, in words of our own, each beside its near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def said(folder: Path, text: str, exit_code: int | None = None) -> Verdict:
    (folder / "job.log").write_text(text)
    return analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]


# --- who works while the other waits ---------------------------------------------------------------------------------
def two(word: str, first: str, second: str) -> str:
    """Reports of two who step together; ``{long}`` is what one of them needs, ``{wait}`` what the other waits."""
    out = []
    for n in range(1, 13):
        long = 0.27 + 0.02 * (n * 5 % 7)
        for number, clocks in enumerate((first, second)):
            told = clocks.format(
                long=f"{long:.2f}", wait=f"{long + 0.03:.2f}", other=f"{0.27 + 0.02 * (n * 3 % 7):.2f}"
            )
            out.append(f"[{word} {number}] passo {5 * n}/60 perda {0.75 - 0.02 * n - 0.01 * number:.4f} | {told}\n")
    return "".join(out)


@pytest.mark.parametrize(
    ("word", "first", "second", "family"),
    [
        (
            "sala",
            "corte 0.01 s, cálculo 0.02 s, espera pela outra sala {wait} s",
            "corte {long} s, cálculo 0.02 s, espera pela outra sala 0.04 s",
            "D3",
        ),
        ("sala", "prep 0.01 s, calc 0.02 s, wait {wait} s", "prep {long} s, calc 0.02 s, wait 0.04 s", "D3"),
        # They wait as long as it happens, and work alike; what "prep" is, which takes most of the time, nobody knows.
        ("sala", "prep {long} s, calc 0.02 s, wait {other} s", "prep {long} s, calc 0.02 s, wait {other} s", None),
        # Nobody waits: they go each alone.
        ("sala", "prep 0.01 s, calc 0.02 s, wait 0.03 s", "prep {long} s, calc 0.02 s, wait 0.04 s", None),
        # A wait for data, while the other waits within its backward pass, would look the same.
        ("sala", "calc 0.02 s, wait {wait} s", "calc {long} s, wait 0.04 s", "G1"),
    ],
)
def test_who_works_while_the_other_waits(
    tmp_path: Path, word: str, first: str, second: str, family: str | None
) -> None:
    verdict = said(tmp_path, two(word, first, second))
    assert verdict.family == family
    if family == "D3":
        assert verdict.culprit_ranks == (1,)


# --- too little of a plan to tell whether it learns ------------------------------------------------------------------
def guessing(steps: int, end: str) -> str:
    """A classifier of ten that stays at its chance."""
    told = "".join(
        f"step {n} loss {2.3026 + 0.01 * (n * 7 % 5 - 2):.4f} acc {0.08 + 0.01 * (n * 3 % 5):.3f}\n"
        for n in range(1, steps + 1)
    )
    return f"10 classes\nloaded checkpoint from run/state.ckpt\n{told}{end}\n"


@pytest.mark.parametrize(
    ("steps", "end", "family"),
    [
        (30, "training over: 30 of 90000 planned steps were made", "E3"),
        (30, "training over: 30 of 30 planned steps were made", None),
        (30, "30 of 90000 planned steps done so far", None),
    ],
)
def test_next_to_nothing_of_a_plan(tmp_path: Path, steps: int, end: str, family: str | None) -> None:
    verdict = said(tmp_path, guessing(steps, end))
    assert (verdict.family == "E3") == (family == "E3")
    if family == "E3":
        assert "30 steps of 90000" in verdict.headline


def test_a_long_run_of_a_longer_plan_that_guesses_is_e1(tmp_path: Path) -> None:
    end = "training over: 600 of 90000 planned steps were made"
    assert said(tmp_path, guessing(600, end).replace("loaded checkpoint from run/state.ckpt\n", "")).family == "E1"


# --- the time of a save behind the name of what was written ----------------------------------------------------------
@pytest.mark.parametrize(
    ("told", "family"),
    [
        ("time 1042ms an iter (forward, backward, step 99ms; 12 states saved to out/net.pt.gz, 943ms)", "D2"),
        ("time 1042ms an iter (forward, backward, step 943ms; 12 states saved to out/net.pt.gz, 99ms)", "G1"),
        ("time 1042ms an iter; best.pt saved to out/net.pt.gz, 943ms/it", "G1"),
    ],
)
def test_a_save_timed_behind_its_file(tmp_path: Path, told: str, family: str) -> None:
    head = "max_iters = 96\n"
    verdict = said(tmp_path, head + "".join(f"iter {12 * n}: loss {2 - 0.1 * n:.4f}, {told}\n" for n in range(1, 9)))
    assert verdict.family == family
    if family == "D2":
        assert "at least 8 times" in verdict.headline
        assert "0.943 s of a step" in verdict.headline


# --- an error that is logged, and tried again after a while ----------------------------------------------------------
LOCKED = (
    "ERROR:root:site 2 could not sign in, {said}\n"
    "Traceback (most recent call last):\n"
    '  File "/srv/site.py", line 53, in sign_in\n'
    '    register.execute("BEGIN EXCLUSIVE")\n'
    "sqlite3.OperationalError: database is locked\n"
)
BELOW = "".join(f"INFO:root:site {n} signed in\n" for n in range(1, 7))


@pytest.mark.parametrize(
    ("said_above", "below", "blamed"),
    [
        ("again in 3 s", BELOW, False),
        ("retry 2/5 in 10 seconds", BELOW, False),
        ("giving up, again in 3 s was in vain", BELOW, True),
        ("again in 3 s", "", True),  # nothing went on
    ],
)
def test_an_error_that_is_tried_again(tmp_path: Path, said_above: str, below: str, *, blamed: bool) -> None:
    (tmp_path / "job-7.err").write_text("INFO:root:begin\n" + LOCKED.format(said=said_above) + below)
    rounds = "".join(f"round {n} loss of the sites {0.9 * 0.8**n:.4f}\n" for n in range(1, 11))
    verdict = said_of(tmp_path, rounds)
    assert (verdict.family == "A1") == blamed


def said_of(folder: Path, text: str) -> Verdict:
    (folder / "job-7.out").write_text(text)
    return analyze(import_logs([folder]), strict=True)[0]


@pytest.mark.parametrize(
    ("name", "value", "family"),
    [("loss", "{:.6E}", "G1"), ("lm_loss", "{:.6E}", "G1"), ("mlm loss", "{:.6E}", "G1"), ("loss", "nan", "E1")],
)
def test_a_count_of_nan_iterations_is_no_loss(tmp_path: Path, name: str, value: str, family: str) -> None:
    lines = [
        f" samples/sec: 12.3 | iteration {at:8d}/     400 | elapsed time per iteration (ms): 812.1 |"
        f" learning rate: 6.0E-04 | {name}: {value.format(8 / (1 + at / 100))} | loss scale: 1.0 |"
        " number of skipped iterations:   0 | number of nan iterations:   0 |"
        for at in range(10, 410, 10)
    ]
    assert said(tmp_path, "\n".join(lines) + "\n").family == family


@pytest.mark.parametrize(("waited", "late"), [((0, 4, 8, 15), ()), ((0, 2, 3), (1,))])
def test_a_task_that_started_several_ranks_is_no_rank(
    tmp_path: Path, waited: tuple[int, ...], late: tuple[int]
) -> None:
    watched = [
        f"[rank{rank}]:[E1118 03:12:4{rank % 10}.1 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective"
        " operation timeout: WorkNCCL(SeqNum=7120, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000)"
        " ran for 600034 milliseconds before timing out."
        for rank in waited
    ]
    ends = [f"srun: error: v{task + 1}: task {task}: Aborted (core dumped)" for task in (0, 1)]
    verdict = said(tmp_path, "\n".join([*watched, *ends]) + "\n")
    assert verdict.family == "C2"
    assert verdict.culprit_ranks == late
