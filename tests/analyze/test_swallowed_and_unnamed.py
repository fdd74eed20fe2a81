"""Ends that a status of 0 hides, losses that no line calls so, and who a headline speaks of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.families._telling import tell
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import MemoryStore
from tests.analyze.builders import Run, at
from tests.analyze.proof_kinds import done_early

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.analyze.model import Verdict


def said(folder: Path, exit_code: int | None = None, **logs: str) -> Verdict:
    """The verdict on logs by their names."""
    for name, text in logs.items():
        (folder / f"{name}.log").write_text(text)
    return analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]


def family(verdict: Verdict) -> str | None:
    return verdict.family if verdict.outcome == "decided" else verdict.outcome


def falling(reports: int, of: str = "") -> str:
    """A loss that falls."""
    return "".join(f"pass {7 * k}{of} loss {3.1 / (1 + k / 9):.4f}\n" for k in range(1, reports + 1))


ABORTED = "terminate called after throwing an instance of 'std::length_error'\n  what():  basic_string::_M_create\n"
PANIC = (
    "thread 'main' panicked at src/mix.rs:12:9:\nindex out of bounds: the len is 4\nnote: run with `RUST_BACKTRACE=1`\n"
)
USAGE = "usage: fit.py [-h] [--rate RATE]\nfit.py: error: unrecognized arguments: --rte 3\n"


# --- a pipe has a status of its own
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (falling(20) + ABORTED, "A2"),
        (falling(20) + ABORTED + "Aborted (core dumped)\n", "A2"),
        (falling(20) + PANIC, "A1"),
        ("reading config\n" + USAGE, "A1"),
        (falling(20) + ABORTED + falling(32)[len(falling(20)) :], "G1"),  # it went on: a helper's
        (falling(20, "/140") + ABORTED, "G1"),  # all that was planned was done
        (falling(20) + "Training finished.\n" + ABORTED, "G1"),
        (falling(20, "/700") + "job.sh: line 3: 156 CPU time limit exceeded python3 b.py\nexit status 152\n", "A2"),
    ],
)
def test_a_log_that_ends_with_a_crash_behind_a_status_of_0(tmp_path: Path, text: str, expected: str) -> None:
    assert family(said(tmp_path, 0, job=text)) == expected


@pytest.mark.parametrize(
    ("command", "end", "expected"),
    [
        ("python3 sampler.py --every 60", "", "cannot_decide"),
        ("python3 sampler.py --every 60", "Training finished.\n", "G1"),
        ("python3 -u train.py --rate 3", "", "A2"),
        ("", "", "A2"),
    ],
)
def test_a_shell_names_the_command_that_crashed(tmp_path: Path, command: str, end: str, expected: str) -> None:
    crashed = f"job.sh: line 4: 25036 Segmentation fault      {command}".rstrip() + "\n"
    assert family(said(tmp_path, 0, job=falling(24) + end + crashed)) == expected


@pytest.mark.parametrize(
    ("t", "plan", "expected"), [(20, 40, "G1"), (55, 40, "A2"), (20, None, "G1"), (48, None, "A2")]
)
def test_a_killed_process_whose_place_another_took(t: float, plan: int | None, expected: str) -> None:
    run = Run().steps([4.0 - 0.05 * number for number in range(40)], total_steps=plan)
    run.event(Kind.TRAINING_END, "training finished", role="marker", t=51)
    run.ended(None, term=9, t=t, role="rank", said_by="slurm", pid=8, rank=0)
    assert family(judge(run.ended(0, t=60).evidence())) == expected


# --- epochs of batches
def epochs(until: int, of: int, batches: int = 8, *, goes_on: bool = False) -> str:
    """Reports that count batches within their epoch, or on and on."""
    text = ""
    for epoch in range(1, until + 1):
        for batch in range(2, batches + 1, 2):
            done = (epoch - 1) * batches + batch
            count = f"{done}/{of * batches}" if goes_on else f"{batch}/{batches}"
            text += f"epoch {epoch}/{of} batch {count} loss {3.3 / (1 + done / 9):.4f}\n"
    return text


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize(("until", "expected"), [(5, "G1"), (4, "cannot_decide")])
def test_all_batches_of_all_epochs_are_the_plan(tmp_path: Path, until: int, expected: str, *, goes_on: bool) -> None:
    assert family(said(tmp_path, job=epochs(until, 5, goes_on=goes_on))) == expected


# --- losses by no name
def pair(reports: int, *, rises: bool = False, percent: bool = False) -> str:
    values = [2.6 / (1 + k / 11) + 0.4 for k in range(reports)]
    values = [100 * (1 - v / 4) for v in values] if percent else values
    values = values[::-1] if rises else values
    return "".join(f"iter {15 * k:05d} train {v:.3f} val {v + 0.07:.3f} lr 3e-4\n" for k, v in enumerate(values))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (pair(30) + "Training finished.\n", "G1"),
        (pair(30) + "iter 00460 train nan val nan lr 3e-4\n" * 4, "E1"),
        (pair(30, rises=True), "cannot_decide"),
        (pair(30, percent=True), "cannot_decide"),
    ],
)
def test_a_training_value_beside_a_validation_value(tmp_path: Path, text: str, expected: str) -> None:
    assert family(said(tmp_path, job=text)) == expected


def terms(reports: int, of: int, lost: range) -> str:
    return "".join(
        f"step {20 * k}/{20 * of} l1 nan ssim nan lr 2e-4\n"
        if k in lost
        else f"step {20 * k}/{20 * of} l1 {0.9 / k:.4f} ssim {0.3 / k:.4f} lr 2e-4\n"
        for k in range(1, reports + 1)
    )


@pytest.mark.parametrize(("lost", "expected"), [(range(17, 31), "E1"), (range(17, 20), None), (range(1, 31), None)])
def test_criteria_that_all_turned_into_nan(tmp_path: Path, lost: range, expected: str | None) -> None:
    verdict = said(tmp_path, job=terms(30, 30, lost))
    assert verdict.family == expected
    assert expected is None or "step 340" in verdict.headline


# --- who and when
RAISED = """\
Traceback (most recent call last):
  File "/w/fit.py", line 12, in <module>
    rate = config["rate"]
KeyError: 'rate'
"""


def test_logs_that_all_end_alike_are_told_together(tmp_path: Path) -> None:
    verdict = said(tmp_path, 1, **{f"out{name}": "reading config\n" + RAISED for name in "abcde"})
    assert "5 processes of the job, all alike," in verdict.headline


def test_a_crash_is_not_told_at_the_step_that_another_came_to(tmp_path: Path) -> None:
    verdict = said(tmp_path, 1, a=falling(30), b=falling(12) + RAISED)
    assert "at step 84:" in verdict.headline


def test_of_several_that_report_apart_nobody_knows_how_far_the_one_had_come(tmp_path: Path) -> None:
    verdict = said(tmp_path, 1, a=falling(30), b=falling(12), c="reading config\n" + RAISED)
    assert "after training had begun:" in verdict.headline


# --- epochs in the words of trainers
def swin(epoch: int, part: int, loss: float) -> str:
    return (
        f"[2026-11-22 05:{epoch:02d}:0{part} vit_b](main.py 221): INFO Train: [{epoch}/6][{10 * part}/40]\teta 0:01:00"
        f" lr 0.000100\ttime 0.3012 (0.3104)\tloss {loss:.4f} ({loss + 0.1:.4f})\n"
    )


def timm(epoch: int, part: int, loss: float) -> str:
    return f"Train: {epoch} [{100 * part:>4d}/400 ({25 * part:>3d}%)]  Loss: {loss:.3g} ({loss:.3g})  LR: 1.000e-03\n"


def yolo(epoch: int, part: int, loss: float) -> str:
    bar = f"{25 * part + 25:>3d}%|█████| {part + 1}/4 [00:0{part}<00:01,  4.45it/s]"
    return (
        f"       {epoch + 1}/6      2.61G     {loss:.3f}     {loss:.3f}     {loss:.3f}        177        640: {bar}\n"
    )


def kohya(epoch: int, part: int, loss: float) -> str:
    step = 4 * epoch + part + 1
    return f"steps: {4 * step:>3d}%|███      | {step}/24 [00:{step:02d}<00:24,  1.02it/s, avr_loss={loss:.3f}]\n"


def marian(epoch: int, part: int, loss: float) -> str:
    told = f"Up. {100 * (4 * epoch + part + 1)} : Sen. 25,600 : Cost {loss:.8f} * 120,345 @ 5,120 after 481,380"
    return f"[2026-11-22 05:{epoch:02d}:0{part}] Ep. {epoch + 1} : {told} : Time 3.21s : 37001.12 words/s\n"


def darknet(epoch: int, part: int, loss: float) -> str:
    step = 4 * epoch + part + 1
    return f" {step}: {loss:.6f}, {loss:.6f} avg loss, 0.001300 rate, 3.271412 seconds, {64 * step} images\n"


def tutorial(epoch: int, part: int, loss: float) -> str:
    told = f"train Loss: {loss:.4f} Acc: 0.5123\n" if part else f"Epoch {epoch}/5\n----------\n"
    return "" if part > 1 else told


@pytest.mark.parametrize(
    ("form", "last", "whole"),
    [
        (swin, 230, 240),
        (timm, 2300, None),
        (yolo, 6, 6),
        (kohya, 24, 24),
        (marian, 2400, None),
        (darknet, 24, None),
        (tutorial, 5, 5),
    ],
)
def test_epochs_and_their_parts(
    tmp_path: Path, form: Callable[[int, int, float], str], last: int, whole: int | None
) -> None:
    def run(until: int, *, lost: int = 99) -> str:
        places = [(epoch, part) for epoch in range(until) for part in range(4)]
        losses = [math.nan if epoch >= lost else 3 / (1 + (4 * epoch + part) / 5) for epoch, part in places]
        return "".join(form(*place, loss) for place, loss in zip(places, losses, strict=True))

    (tmp_path / "job.log").write_text(run(6))
    told = tell(analyze(import_logs([tmp_path]))[1])
    assert (told.last_step, told.total_steps) == (last, whole)
    assert told.steps["loss"].count() == told.steps.height
    assert family(said(tmp_path, 0, job=run(6))) == "G1"
    assert family(said(tmp_path, 0, job=run(6, lost=4))) == "E1"
    assert family(said(tmp_path, job=run(4))) == "cannot_decide"


# --- under the wrapper
HANDLED = """\
Traceback (most recent call last):
  File "/w/shards.py", line 9, in fetch
    raise LookupError("shard 4 is empty")
LookupError: shard 4 is empty
"""


def wrapped(
    argv: str,
    code: int,
    out: str,
    err: str = "",
    signals: tuple[tuple[float, str], ...] = (),
    child: tuple[str, int] | None = None,
) -> Verdict:
    """The verdict on a wrapped command; every line of ``out`` was read with it, and all of ``err`` before."""
    where = {"capture": "c", "task": 0, "boot_id": "b"}
    lines = [
        {
            **where,
            "stream": name,
            "source": name,
            "ts_ns": at(second),
            "seq": (stream << 40) + n,
            "offset": n,
            "text": text,
        }
        for stream, (name, second, told) in enumerate([("stdout", 5, out), ("stderr", 4, err)])
        for n, text in enumerate(told.splitlines())
    ]
    life = [
        {**where, "ts_ns": at(0), "event": "start", "role": "task", "pid": 7, "argv": argv, "seq": 0},
        *(
            {**where, "ts_ns": at(t), "event": "signal", "role": "task", "pid": 7, "signal": 15, "sender_command": who}
            for t, who in signals
        ),
        {**where, "ts_ns": at(20), "event": "exit", "role": "task", "pid": 7, "exit_code": code, "seq": 9},
    ]
    if child is not None:
        life.append({**where, "ts_ns": at(1), "event": "start", "role": "other", "pid": 8, "argv": child[0]})
        end = {"exit_code": child[1]} if child[1] >= 0 else {"term_signal": -child[1]}
        life.append({**where, "ts_ns": at(5.2), "event": "exit", "role": "other", "pid": 8, **end})
    return analyze(MemoryStore.from_rows({"log_lines": lines, "processes": life}, node="node01"), strict=True)[0]


@pytest.mark.parametrize(
    ("argv", "program", "expected"),
    [
        ("python3 -u fit.py --lr 1", "fit.py", "G1"),  # no exception that ends a program leaves 0
        ("bash fit.sh", "fit.py", "A1"),
        ("python3 run.py", "fit.py", "A1"),  # a child's
    ],
)
def test_what_python_itself_leaves_tells_of_its_main_program(argv: str, program: str, expected: str) -> None:
    assert family(wrapped(argv, 0, falling(20), RAISED.replace("fit.py", program))) == expected


@pytest.mark.parametrize(
    ("text", "at_s", "expected"),
    [
        (falling(20, "/700") + "state is on disk\n", 18, "outside_families"),
        (falling(20, "/140") + "state is on disk\n", 18, "G1"),  # all was done
        (falling(20, "/700"), 1, "cannot_decide"),  # it went on
    ],
)
def test_a_program_that_was_told_to_stop_and_left_with_0(text: str, at_s: float, expected: str) -> None:
    assert family(wrapped("python3 fit.py", 0, text, signals=((at_s, "bash"),))) == expected


CUT = "    raise ValueError(hour)\nValueError: hour 17: 0 clicks\nfit finished, next one tomorrow\n"
"""What ``tail`` shows of a traceback, and the script's own words."""
EVALUATED = "".join(f"eval batch {k}/5 acc {0.1 * k:.2f}\n" for k in range(1, 6)) + "evaluation done\n"
NEXT = "[evaluate] loaded best.npy, r2 = 0.9604\n[evaluate] done, 3000 examples\nall stages finished\n"


@pytest.mark.parametrize(
    ("out", "child", "expected"),
    [
        (falling(12) + RAISED + NEXT, ("python3 fit.py --lr 1", 1), "A1"),
        (falling(12) + RAISED + NEXT, ("python3 fit.py --lr 1", 0), "G1"),
        (falling(12) + RAISED + falling(32)[len(falling(12)) :] + NEXT, ("python3 fit.py", 1), "cannot_decide"),
        (falling(12) + "report written\n", ("python3 -m fit", 3), "cannot_decide"),  # it said nothing
        (falling(12) + "report written\n", ("python3 -m fit", 0), "G1"),
        (falling(12) + "report written\n", ("python3 -m fit", -9), "A2"),
        (RAISED + EVALUATED, ("python3 fit.py", 1), "A1"),  # what the next command evaluates was not trained
        (CUT, ("python3 fit.py", 1), "A1"),
        (CUT, ("python3 fit.py", 0), "cannot_decide"),
    ],
)
def test_a_program_that_left_with_1_died_of_what_it_raised(out: str, child: tuple[str, int], expected: str) -> None:
    assert family(wrapped("bash nightly.sh", 0, out, child=child)) == expected


def test_what_is_evaluated_after_a_crash_is_no_step_it_came_to() -> None:
    verdict = wrapped("bash nightly.sh", 0, RAISED + EVALUATED, child=("python3 fit.py", 1))
    assert "before the first step" in verdict.headline


@pytest.mark.parametrize(("of", "expected"), [("/140", "G1"), ("/700", "A1")])
def test_what_a_task_beside_raised_costs_nothing_once_all_is_done(of: str, expected: str) -> None:
    text = falling(20, of) + "Task exception was never retrieved\n" + HANDLED + "weights written to out/w.npz\n"
    assert family(wrapped("python3 fit.py", 0, text)) == expected


@pytest.mark.parametrize(("argv", "expected"), [("python3 fit.py", None), ("bash fit.sh", "A1")])
def test_what_was_logged_where_it_was_caught_ended_nothing(argv: str, expected: str | None) -> None:
    text = (
        "2026-03-02 04:00:00,120 ERROR selfcheck: the guard fired\n" + HANDLED + "2/2 drills passed, training begins\n"
    )
    assert wrapped(argv, 0, text).family == expected


@pytest.mark.parametrize(("argv", "expected"), [("python3 fit.py", "G1"), ("bash fit.sh", "A2")])
def test_no_shell_speaks_of_a_program_that_runs_under_none(argv: str, expected: str) -> None:
    text = falling(20) + "  Segmentation fault (core dumped)\nall 140 steps done\n"
    assert family(wrapped(argv, 0, text)) == expected


XID = "  NVRM: Xid (PCI:0000:3b:00): 79, pid=2211, GPU has fallen off the bus.\n"


@pytest.mark.parametrize(("more", "expected"), [(12, "G1"), (0, "B2")])
def test_a_gpu_that_is_gone_trains_no_more(more: int, expected: str) -> None:
    text = falling(20) + XID + falling(20 + more)[len(falling(20)) :]
    assert family(wrapped("python3 fit.py", 0 if more else 1, text)) == expected


@pytest.mark.parametrize(("words", "expected"), [(", stopping", "G1"), (", patience is 8", "cannot_decide")])
def test_a_run_that_stops_as_nothing_improves(tmp_path: Path, words: str, expected: str) -> None:
    text = falling(20, "/700") + f"val_loss has not improved for 5 epochs{words}\n"
    assert family(said(tmp_path, 0, job=text)) == expected


# --- tracebacks and what stands below them
@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("reading shards\n" + HANDLED + falling(20, "/140"), 0, "G1"),  # reports belong to no message
        (falling(12) + RAISED + "make: [Makefile:9: train] Error 1 (ignored)\nreport written\n", 0, "A1"),
        (falling(12) + RAISED + "train failed (ignored)\n" + falling(32)[len(falling(12)) :], 0, "G1"),
        ("starting\n" + USAGE + "submitted: see the queue\n", 0, "A1"),
        (USAGE + "trying the older option\n" + falling(20, "/140"), 0, "G1"),
        (falling(12) + "trainer returned -9\n", 1, "A2"),
        (falling(12) + "trainer returned -9, respawning it\n" + falling(20)[len(falling(12)) :], 0, "G1"),
        ("loading\nrun.yaml: optimizer 'adamww' is not known (have: adam, sgd)\n", 1, "A1"),
        ("loading\nrun.yaml: optimizer adam\n" + falling(20), 1, "cannot_decide"),
    ],
)
def test_ends_and_what_stands_below(tmp_path: Path, text: str, code: int, expected: str) -> None:
    assert family(said(tmp_path, code, job=text)) == expected


@pytest.mark.parametrize(("silent", "expected"), [(True, "A1"), (False, "G1")])
def test_one_of_several_fell_silent_with_a_traceback(tmp_path: Path, expected: str, *, silent: bool) -> None:
    def reports(first: int, last: int, workers: str) -> str:
        return "".join(
            f"worker {who} | it {5 * k} | loss {2.8 / (1 + k / 9):.4f}\n" for k in range(first, last) for who in workers
        )

    text = reports(1, 7, "0123") + HANDLED + reports(7, 25, "013" if silent else "0123")
    assert family(said(tmp_path, 0, job=text)) == expected


def test_a_fold_that_crashed_is_not_made_good_by_the_next(tmp_path: Path) -> None:
    folds = [f"===== fold {k} of 4 =====\n" + falling(20) + RAISED * (k == 2) for k in range(1, 5)]
    assert family(said(tmp_path, 0, job="".join(folds))) == "A1"


def test_trials_side_by_side_are_no_curve(tmp_path: Path) -> None:
    def trial(k: int, rate: float) -> str:
        return f"[lr={rate}] step {10 * k}/200 loss {0.9 / (1 + k * rate) if rate < 1 else 1.5 * 1.9**k:.4f}\n"

    text = "".join(trial(k, rate) for k in range(1, 21) for rate in (0.1, 0.3)) + "".join(
        trial(k, 1.7) for k in range(1, 21)
    )
    assert family(said(tmp_path, 0, job=text)) == "G1"


def test_decimals_behind_a_comma(tmp_path: Path) -> None:
    text = "".join(f"Schritt {3 * k}/60  Verlust {3.1 / (1 + k / 4):.4f}\n".replace(".", ",") for k in range(1, 21))
    verdict = said(tmp_path, job=text)
    assert verdict.family == "G1"
    assert "from 2.48 to 0.5167" in verdict.headline


@pytest.mark.parametrize(("signalled", "expected"), [(14.6, "F3"), (19.5, "cannot_decide")])
def test_reports_that_did_not_come_before_a_timeout(signalled: float, expected: str) -> None:
    where = {"capture": "c", "task": 0, "boot_id": "b", "stream": "stdout", "source": "stdout"}
    lines = [
        {**where, "ts_ns": at(4 + n / 3), "seq": n, "offset": n, "text": f"step {n} loss {3 / (1 + n / 9):.4f}"}
        for n in range(32)
    ]
    life = {"capture": "c", "task": 0, "boot_id": "b", "role": "task", "pid": 7}
    ends = [
        {**life, "ts_ns": at(0), "event": "start", "argv": "timeout 20 python3 fit.py", "seq": 0},
        {**life, "ts_ns": at(signalled), "event": "signal", "signal": 15, "sender_command": "timeout", "seq": 1},
        {**life, "ts_ns": at(signalled + 0.2), "event": "exit", "exit_code": 124, "seq": 2},
    ]
    assert family(analyze(MemoryStore.from_rows({"log_lines": lines, "processes": ends}, node="n"))[0]) == expected


# --- what a program says in the end
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("loading\nERROR training failed: KeyError: 'caption'\nbye\n", "A1"),
        (falling(12) + "training failed: KeyError: 'caption'\nbye\n", "A1"),
        (falling(12) + "run failed: KeyError: 'caption', trying again\n" + falling(20)[len(falling(12)) :], "G1"),
    ],
)
def test_a_program_admits_that_its_training_failed(tmp_path: Path, text: str, expected: str) -> None:
    assert family(said(tmp_path, 0, job=text)) == expected


@pytest.mark.parametrize(("done", "expected"), [(150, "G1"), (140, "cannot_decide")])
def test_a_program_sums_up_how_many_steps_it_did(tmp_path: Path, done: int, expected: str) -> None:
    text = falling(20) + f"trained for {done} of 150 steps; evaluation: 0.71\n"
    assert family(said(tmp_path, job=text)) == expected


# --- a rank that was done while others were not
@pytest.mark.parametrize(
    ("code", "at_s", "expected"),
    [(0, 52.05, "status 0"), (0, 52.2, None), (1, 51, "exit code 1")],
)
def test_a_rank_that_was_done_early_is_told_from_its_peers(code: int, at_s: float, expected: str | None) -> None:
    found = judge(done_early(code, at_s).evidence())
    assert (expected in found.headline and found.family == "A1") if expected else found.family is None
