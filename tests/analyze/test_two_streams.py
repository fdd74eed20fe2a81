"""What a process printed on one stream, held against what it printed on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.bundle.store import MemoryStore
from tests.analyze.builders import Run, at

if TYPE_CHECKING:
    from inquest.analyze.model import Verdict

Lines = list[tuple[float, str]]
"""When each was read, in seconds, and what it says."""

CAUGHT = """\
Traceback (most recent call last):
  File "/job/find_batch.py", line 22, in <module>
    attempt(batch)
  File "/job/find_batch.py", line 14, in attempt
    raise OutOfMemoryError("CUDA out of memory. Tried to allocate 64.00 GiB.")
OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 GiB."""
UNREAD = """\
Traceback (most recent call last):
  File "/job/train.py", line 11, in <module>
    state = pickle.load(f)
EOFError: Ran out of input"""
SHOWN = """\
previous attempt, last lines of logs/4411.out:
E1119 03:12:51.551000 1182 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: -6) \
local_rank: 2 (pid: 1210) of binary: /usr/bin/python3
end of previous log. starting attempt 2"""
STEP = "step {n}0/900 loss {l:.3f}"
OWN = "{n};{l:.3f}"
"""What nobody can read."""
CRASHED = "job.sh: line 4: 25036 Segmentation fault      python3 sampler.py"


def steps(begin: float = 2, every: float = 0.5) -> Lines:
    """A training of 200 steps that learns and says that it is done."""
    told = [*(f"step {10 * n}/200 loss {4 - n / 10:.3f}" for n in range(1, 21)), "Training finished successfully."]
    return [(begin + n * every, text) for n, text in enumerate(told)]


def at_once(second: float, text: str) -> Lines:
    """Lines that were read together."""
    return [(second, line) for line in text.splitlines()]


def said(stdout: Lines, stderr: Lines, code: int) -> Verdict:
    """The verdict on a wrapped job whose streams lead to two pipes."""
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
        for stream, (name, told) in enumerate([("stdout", stdout), ("stderr", stderr)])
        for n, (second, text) in enumerate(told)
    ]
    ends = [
        {**where, "ts_ns": at(0), "event": "start", "role": "task", "pid": 7, "seq": 0},
        {**where, "ts_ns": at(20), "event": "exit", "role": "task", "pid": 7, "exit_code": code, "seq": 1},
    ]
    return analyze(MemoryStore.from_rows({"log_lines": lines, "processes": ends}, node="node01"))[0]


@pytest.mark.parametrize(
    ("every", "code", "family"),
    [
        (0.5, 0, "G1"),  # steps came one after the other: it had caught the error
        (0.0, 0, "B1"),  # a buffer that its end emptied, of a script that took no notice
        (0.5, 1, "B1"),
    ],
)
def test_an_error_on_stderr_and_steps_on_stdout_after_it(every: float, code: int, family: str) -> None:
    assert said(steps(every=every), at_once(1, CAUGHT), code).family == family


def test_the_file_that_stdout_announced_is_the_one_that_stderr_could_not_read() -> None:
    assert said([(1, "resuming from /job/checkpoint-4000.pkl")], at_once(1.1, UNREAD), 1).family == "E2"
    assert said([(1, "reading the vocabulary")], at_once(1.1, UNREAD), 1).family == "A1"


@pytest.mark.parametrize(("second", "code", "family"), [(5, 0, "G1"), (13, 139, "A2")])
def test_a_shell_tells_of_a_helper_that_crashed_while_training_went_on(second: float, code: int, family: str) -> None:
    assert said(steps()[: 21 if code == 0 else 15], [(second, CRASHED)], code).family == family


def test_a_launcher_shows_the_end_of_an_earlier_job() -> None:
    assert said([*at_once(1, SHOWN), *steps()], [], 0).family == "G1"


@pytest.mark.parametrize(
    ("second", "told", "family"),
    [
        (8, [], "A2"),
        (4, [], None),  # training went on
        (8, ["training complete"], None),
    ],
)
def test_the_kernel_saw_a_process_die_whose_status_a_pipe_hid(second: float, told: list[str], family: str) -> None:
    where = {"capture": "c", "task": 0, "boot_id": "b"}
    lines = [f"step {n} loss {4 - n / 10:.3f}" for n in range(1, 13)] + told + ["All done."]
    out = [
        {**where, "stream": "stdout", "source": "stdout", "ts_ns": at(1 + n / 2), "seq": n, "offset": n, "text": text}
        for n, text in enumerate(lines)
    ]
    ends = [
        {**where, "ts_ns": at(0), "event": "start", "role": "task", "pid": 7, "seq": 0},
        {**where, "ts_ns": at(0), "event": "start", "role": "other", "pid": 9, "seq": 1},
        {**where, "ts_ns": at(20), "event": "exit", "role": "task", "pid": 7, "exit_code": 0, "seq": 2},
    ]
    crash = "python[9]: segfault at 8 ip 00007f51ea18b870 sp 00007ffc221a54a8 error 4 in libfit.so[7f51ea000000+1000]"
    kernel = [{"capture": "c", "boot_id": "b", "ts_ns": at(second), "seq": 0, "text": crash}]
    rows = {"log_lines": out, "processes": ends, "kernel_log": kernel}
    found = analyze(MemoryStore.from_rows(rows, node="node01"))[0]
    assert found.family == (family or "G1")


@pytest.mark.parametrize(
    ("form", "silent", "cpu_s", "family"),
    [
        (STEP, 0.5, None, "F3"),
        (STEP, 40, None, None),
        (STEP, 40, 0.002, "C3"),
        (STEP, 40, 0.8, None),
        (STEP, 12, 0.002, None),
        (OWN, 40, None, None),
        (OWN, 40, 0.002, "C3"),
        (OWN, 40, 0.8, None),
    ],
)
def test_a_limit_after_a_silence_is_no_sign_that_the_job_advanced(
    form: str, silent: float, cpu_s: float | None, family: str | None
) -> None:
    """Each second of it took a part of a CPU, where that was watched."""
    told = [(n / 2, form.format(n=n, l=4 - n / 10)) for n in range(1, 21)]
    where = {"capture": "c", "task": 0, "boot_id": "b"}
    lines = [
        {**where, "stream": "stdout", "source": "stdout", "ts_ns": at(second), "seq": n, "offset": n, "text": text}
        for n, (second, text) in enumerate(told)
    ]
    ends = [
        {**where, "ts_ns": at(0), "event": "start", "role": "task", "pid": 7, "seq": 0},
        {**where, "ts_ns": at(10 + silent), "event": "exit", "role": "task", "pid": 7, "exit_code": 124, "seq": 1},
    ]
    seen = [] if cpu_s is None else range(11, 10 + int(silent))
    ends += [
        {**where, "ts_ns": at(second), "event": "sample", "role": "other", "pid": 9, "seq": second, "cpu_system_s": 0.0}
        | {"cpu_user_s": 5 + second * (cpu_s or 0)}
        for second in seen
    ]
    assert analyze(MemoryStore.from_rows({"log_lines": lines, "processes": ends}, node="n"))[0].family == family


@pytest.mark.parametrize(("world", "others", "family"), [(1, 0, "C3"), (1, 1, None), (2, 1, "C2")])
def test_who_stood_still_was_one_process_or_ranks(world: int, others: int, family: str | None) -> None:
    """Two that computed as much each may be ranks of which nothing tells."""
    run = Run().steps([4.0 - n / 20 for n in range(30)], rank=None)
    for pid in range(7, 8 + others):
        for second in range(42, 80, 2):
            told = {"event": "seen", "role": "other", "pid": pid, "cpu_user_s": 5.0, "cpu_system_s": second / 1000}
            run.row("processes", ts_ns=at(second), world_size=world, **told)
    verdict = judge(run.ended(124, t=81).evidence(), strict=True)
    assert verdict.family == family
    assert verdict.confidence < 0.8


@pytest.mark.parametrize(
    ("env", "argv", "family"),
    [
        ('{"SLURM_JOB_NODELIST": "n[1-2]"}', "python fit.py", "A2"),
        ('{"SLURM_JOB_NODELIST": "n[3-4]"}', "python fit.py", None),
        ("{}", "srun python fit.py", "A2"),
        ("{}", "python fit.py", None),  # under no Slurm: a text
    ],
)
def test_sruns_word_on_a_task_of_another_node_is_no_end_of_ours(env: str, argv: str, family: str | None) -> None:
    where = {"capture": "c", "task": 0, "boot_id": "b"}
    told = [*(f"step {10 * n}/900 loss {4 - n / 10:.3f}" for n in range(1, 21)), "srun: error: n2: task 3: Killed"]
    lines = [
        {**where, "stream": "stderr", "source": "stderr", "ts_ns": at(n), "seq": n, "offset": n, "text": text}
        for n, text in enumerate(told)
    ]
    ends = [
        {**where, "ts_ns": at(0), "event": "start", "role": "task", "pid": 7, "argv": argv, "seq": 0},
        {**where, "ts_ns": at(30), "event": "exit", "role": "task", "pid": 7, "exit_code": 1, "seq": 1},
    ]
    rows = {"log_lines": lines, "processes": ends, "node_info": [{"capture": "c", "boot_id": "b", "job_env": env}]}
    assert analyze(MemoryStore.from_rows(rows, node="n1"))[0].family == family
