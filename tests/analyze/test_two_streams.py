"""What a process printed on one stream, held against what it printed on the other."""

from __future__ import annotations

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.store import MemoryStore
from tests.analyze.builders import at

CAUGHT = """\
Traceback (most recent call last):
  File "/job/find_batch.py", line 22, in <module>
    attempt(batch)
  File "/job/find_batch.py", line 14, in attempt
    raise OutOfMemoryError("CUDA out of memory. Tried to allocate 64.00 GiB.")
OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 GiB.""".splitlines()


@pytest.mark.parametrize(
    ("every", "code", "family"),
    [
        (0.5, 0, "G1"),  # steps came one after the other: it had caught the error
        (0.0, 0, "B1"),  # a buffer that its end emptied, of a script that took no notice
        (0.5, 1, "B1"),
    ],
)
def test_an_error_on_stderr_and_steps_on_stdout_after_it(every: float, code: int, family: str) -> None:
    where = {"capture": "c", "task": 0, "boot_id": "b"}
    errors = [
        {
            **where,
            "stream": "stderr",
            "source": "stderr",
            "ts_ns": at(1),
            "seq": (1 << 32) + n,
            "offset": n,
            "text": text,
        }
        for n, text in enumerate(CAUGHT)
    ]
    steps = [
        {
            **where,
            "stream": "stdout",
            "source": "stdout",
            "ts_ns": at(2 + n * every),
            "seq": n,
            "offset": n,
            "text": text,
        }
        for n, text in enumerate(
            [*(f"step {10 * n}/200 loss {4 - n / 10:.3f}" for n in range(1, 21)), "Training finished successfully."]
        )
    ]
    ends = [
        {**where, "ts_ns": at(0), "event": "start", "role": "task", "pid": 7, "seq": 0},
        {**where, "ts_ns": at(20), "event": "exit", "role": "task", "pid": 7, "exit_code": code, "seq": 1},
    ]
    verdict, _ = analyze(MemoryStore.from_rows({"log_lines": [*steps, *errors], "processes": ends}, node="node01"))
    assert verdict.family == family
