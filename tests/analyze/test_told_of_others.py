"""Loud words in a job's own log that are not of its own end: texts of a model, loggers, tools, nodes. SIMULATED."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def verdict(tmp_path: Path, *lines: str, status: int | None = None) -> tuple[str | None, float]:
    path = tmp_path / "train.log"
    path.write_text("\n".join(lines) + "\n")
    found = analyze(import_logs([path], exit_code=status), strict=True)[0]
    return found.family or found.outcome, found.confidence


def trained(begin: int, end: int, of: int = 2000) -> list[str]:
    return [f"step {n}/{of} | loss {0.8 + 3 / (1 + n / 150):.4f} | lr 1.00e-04" for n in range(begin, end + 1, 20)]


def raised(what: str, code: str = "batch = next(it)", function: str = "main") -> list[str]:
    return [
        "Traceback (most recent call last):",
        '  File "/w/train.py", line 214, in <module>',
        "    main()",
        f'  File "/w/train.py", line 171, in {function}',
        f"    {code}",
        what,
    ]


END = ["saved final checkpoint to out/final.pt", "Training complete."]
LOGGER = raised("OSError: [Errno 122] Disk quota exceeded", "self.stream.flush()", "flush")


# --- tracebacks that end nothing
@pytest.mark.parametrize(
    "heading", ["--- generated text (temperature 0.8) ---", "sample 3:", "model prediction:", "<<< completion >>>:"]
)
def test_what_a_model_wrote_ends_nothing(tmp_path: Path, heading: str) -> None:
    text = [heading, *raised("KeyError: 'input_ids'")]
    assert verdict(tmp_path, *trained(20, 700), *text)[0] == "cannot_decide"
    assert verdict(tmp_path, *trained(20, 700), *text, *trained(720, 2000), *END)[0] == "G1"
    assert verdict(tmp_path, *trained(20, 700), *text, status=1)[0] == "A1"


@pytest.mark.parametrize(
    ("above", "code"),
    [
        ("sample 3:", "text = generate(model, prompt)"),  # raised in the writing of it
        ("loading the samples of shard 3", "batch = next(it)"),  # no heading
        ("config: samples 400, targets 12", "batch = next(it)"),
    ],
)
def test_a_crash_beside_such_words_is_one(tmp_path: Path, above: str, code: str) -> None:
    assert verdict(tmp_path, *trained(20, 700), above, *raised("KeyError: 'input_ids'", code))[0] == "A1"


def test_a_record_that_a_logger_could_not_write_ends_nothing(tmp_path: Path) -> None:
    error = ["--- Logging error ---", *LOGGER, "Message: 'step %d'", "Arguments: (900,)"]
    assert verdict(tmp_path, *trained(20, 900), *error)[0] == "cannot_decide"
    assert verdict(tmp_path, *trained(20, 900), *error, *trained(920, 2000), *END)[0] == "G1"
    assert verdict(tmp_path, *trained(20, 900), *LOGGER)[0] == "outside_families"  # its own: the quota ended it


def test_a_thread_beside_the_main_one_that_raised_ends_nothing_that_goes_on(tmp_path: Path) -> None:
    error = ["Exception in thread Thread-2 (serve):", *raised("OSError: [Errno 98] Address already in use")]
    assert verdict(tmp_path, *trained(20, 500), *error, *trained(520, 520))[0] == "cannot_decide"
    assert verdict(tmp_path, *trained(20, 2000), *END, *error, status=0)[0] == "G1"
    assert verdict(tmp_path, *trained(20, 500), *error)[0] == "A1"
    assert verdict(tmp_path, *trained(20, 500), *error, *trained(520, 520), status=1)[0] == "A1"
    assert verdict(tmp_path, *trained(20, 500), *error[1:], *trained(520, 520))[0] == "A1"


@pytest.mark.parametrize(
    ("program", "family"), [("/opt/env/bin/tensorboard", "G1"), ("/w/board.py", None), ("/w/tensorboard/fit.py", None)]
)
def test_a_viewer_of_curves_that_could_not_start_ends_nothing(tmp_path: Path, program: str, family: str | None) -> None:
    (tmp_path / "board.log").write_text(
        f'Traceback (most recent call last):\n  File "{program}", line 8, in <module>\n    sys.exit(run_main())\n'
        "RuntimeError: could not bind to port 6006, it was already in use\n"
    )
    (tmp_path / "train.log").write_text("\n".join([*trained(20, 2000), *END]) + "\n")
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family


@pytest.mark.parametrize(
    ("training", "other", "family"),
    [
        ("train.log", "evaluate.log", None),
        ("train.log", "train.err", "A1"),  # its other stream
        ("rank0.log", "rank3.log", "A1"),
        ("train.log", "stderr.txt", "A1"),
    ],
)
def test_another_programs_crash_beside_a_training_that_was_done(
    tmp_path: Path, training: str, other: str, family: str | None
) -> None:
    (tmp_path / other).write_text("\n".join(["reading out/final.pt", *raised("KeyError: 'labels'")]) + "\n")
    (tmp_path / training).write_text("\n".join([*trained(20, 2000), *END]) + "\n")
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family
    (tmp_path / training).write_text("\n".join(trained(20, 1500)) + "\n")
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == "A1"


# --- a shell's word on commands that do not train
@pytest.mark.parametrize(
    ("command", "after", "family"),
    [
        ("nvidia-smi dmon -s pucm > dmon.log", [], "cannot_decide"),  # how training ended is not told
        ("python watch_temp.py", trained(720, 1000), "cannot_decide"),  # it went on
        ("python watch_temp.py", [*trained(720, 2000), *END], "G1"),
        ("python watch_temp.py", [], "A2"),
        ("python train.py", trained(720, 740), "A2"),
    ],
)
def test_a_helper_of_a_script_was_killed(tmp_path: Path, command: str, after: list[str], family: str) -> None:
    shell = f"run.sh: line 9:  3307 Killed                  {command}"
    assert verdict(tmp_path, *trained(20, 700), shell, *after)[0] == family


def test_a_helper_that_is_killed_when_all_is_done_ends_nothing(tmp_path: Path) -> None:
    shell = "run.sh: line 14: 47110 Killed                  python monitor_gpu.py --interval 5"
    assert verdict(tmp_path, *trained(20, 2000), *END, shell)[0] == "G1"
    assert verdict(tmp_path, *trained(20, 2000), *END, shell, status=137)[0] != "G1"


# --- a GPU's fault in the job's own log
@pytest.mark.parametrize(("reports", "family"), [(20, "A1"), (0, "B2")])
def test_training_that_goes_on_did_not_lose_its_gpu(tmp_path: Path, reports: int, family: str) -> None:
    def at(second: int, text: str) -> str:
        return f"2026-09-03 10:{second // 60:02}:{second % 60:02},000 - INFO - train - {text}"

    lines = [at(10 * n, f"step={20 * n} loss={0.8 + 3 / (1 + n / 9):.4f}") for n in range(1, 31)]
    fault = at(305, "notice: NVRM: Xid (PCI:0000:43:00): 79, GPU has fallen off the bus.")
    later = [at(310 + 10 * n, f"step={600 + 20 * n} loss={0.9 - n / 900:.4f}") for n in range(1, reports + 1)]
    crash = raised("AssertionError: sequence length 8193 exceeds 8192", "assert n <= 8192")
    assert verdict(tmp_path, *lines, fault, *later, *crash)[0] == family


# --- an end that training trained past
BARRIER = "[gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 60000ms for recv operation to complete"


@pytest.mark.parametrize(
    ("later", "apart", "family"),
    [(12, 10, "cannot_decide"), (12, 0, "C2"), (2, 10, "C2")],  # by its own clocks, and not by what a buffer held
)
def test_a_time_out_that_training_went_on_after(tmp_path: Path, later: int, apart: int, family: str) -> None:
    def at(second: int, text: str) -> str:
        return f"2026-09-03 10:{second // 60:02}:{second % 60:02},000 - WARNING - train - {text}"

    lines = [at(10 * n, f"step={20 * n} loss={0.8 + 3 / (1 + n / 9):.4f}") for n in range(1, 31)]
    timed_out = at(305, f"evaluation barrier failed ({BARRIER}), left out")
    more = [at(306 + apart * n, f"step={600 + 20 * n} loss={0.9 - n / 900:.4f}") for n in range(1, later + 1)]
    assert verdict(tmp_path, *lines, timed_out, *more)[0] == family


# --- an end before the plan by a rule of its own
@pytest.mark.parametrize(
    ("words", "steps", "family"),
    [
        ("token budget of 5.0B reached at step 1200, finishing", 1200, "cannot_decide"),
        ("target accuracy 0.92 reached (0.9214), stopping", 1200, "cannot_decide"),
        ("converged: the loss changed by less than 1e-4", 1200, "cannot_decide"),
        ("token budget of 5.0B reached at step 40, finishing", 40, "E3"),  # next to nothing of what was planned
        ("the loss has not converged", 1200, "E3"),
        ("end of data reached", 1200, "E3"),
    ],
)
def test_a_job_that_says_why_it_stops(tmp_path: Path, words: str, steps: int, family: str) -> None:
    lines = trained(20, steps, of=20_000)
    assert verdict(tmp_path, *lines, words, "saved final.pt", "training finished")[0] == family


# --- ranks whose clocks are of two zones
@pytest.mark.parametrize(("ahead", "first"), [(0, True), (60, True), (37, False)])
def test_logs_of_ranks_in_two_zones_are_put_in_one_order(tmp_path: Path, ahead: int, first: bool) -> None:
    for rank in range(3):
        hour, minute = divmod(600 + (ahead if rank == 2 else 0), 60)
        at = [f"2026-09-03 {hour + (minute + m) // 60:02}:{(minute + m) % 60:02}:07,000" for m in range(45)]
        lines = [f"{at[m]} INFO step={20 * m} loss={0.8 + 3 / (1 + m / 9):.4f}" for m in range(1, 31)]
        if rank == 2:
            lines += [
                f"{at[31]} ERROR uncaught",
                *raised("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate"),
            ]
        else:
            lines.append(
                f"{at[41]} ERROR [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=881,"
                " OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600041 milliseconds"
                " before timing out."
            )
        (tmp_path / f"rank{rank}.log").write_text("\n".join(lines) + "\n")
    found = analyze(import_logs([tmp_path]), strict=True)[0]
    # Quarters of an hour are zones; what else clocks differ by is nothing that anybody can tell.
    assert ("OutOfMemoryError" in found.headline or found.family == "B1") is first


# --- accounting and logs of different jobs in one folder
def account(job: int, state: str) -> str:
    times = "2026-08-01T00:00:00|2026-08-01T02:00:00|n7"
    code = "0:15" if state == "TIMEOUT" else "0:0"
    head = "JobID|JobName|State|ExitCode|Start|End|NodeList"
    return f"{head}\n{job}|fit|{state}|0:0|{times}\n{job}.batch|batch|{state}|{code}|{times}\n"


@pytest.mark.parametrize(
    ("logs", "job", "state", "family"),
    [
        ({9003: "cut"}, 8002, "TIMEOUT", None),  # another job's limit
        ({9003: "cut"}, 9003, "TIMEOUT", "F3"),
        ({9003: "done", 8002: "crash"}, 9003, "COMPLETED", "G1"),  # another job's crash
        ({9003: "done", 8002: "crash"}, 8002, "FAILED", "A1"),
    ],
)
def test_a_job_is_judged_by_its_own_accounting_and_log(
    tmp_path: Path, logs: dict[int, str], job: int, state: str, family: str | None
) -> None:
    texts = {
        "cut": trained(20, 700),
        "done": [*trained(20, 2000), *END],
        "crash": [*trained(20, 700), *raised("KeyError: 'labels'")],
    }
    for number, text in logs.items():
        (tmp_path / f"slurm-{number}.out").write_text("\n".join(texts[text]) + "\n")
    (tmp_path / "sacct.txt").write_text(account(job, state))
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family


def test_a_task_of_an_array_may_log_by_a_number_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "slurm-9003.out").write_text("\n".join(trained(20, 700)) + "\n")
    (tmp_path / "sacct.txt").write_text(account(9001, "TIMEOUT").replace("9001", "9001_2"))
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == "F3"


# --- a limit that was one step's alone
@pytest.mark.parametrize(("ended", "family"), [("01:00:00", "G1"), ("02:00:00", "F3")])
def test_a_step_that_came_to_its_limit_while_the_job_went_on(tmp_path: Path, ended: str, family: str) -> None:
    step = f"9003.4|evaluate|TIMEOUT|0:15|2026-08-01T00:30:00|2026-08-01T{ended}|n7\n"
    limit = "slurmstepd: error: *** STEP 9003.4 ON n7 CANCELLED AT 2026-08-01T01:00:00 DUE TO TIME LIMIT ***"
    later = [*trained(1020, 2000), *END] if family == "G1" else []
    (tmp_path / "slurm-9003.out").write_text("\n".join([*trained(20, 1000), limit, *later]) + "\n")
    (tmp_path / "sacct.txt").write_text(account(9003, "COMPLETED") + step)
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family
