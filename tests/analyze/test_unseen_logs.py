"""The logs of samples/redteam/unseen_logs: every job has its truth, and what was recorded is kept with its status."""

import ast
import json

import pytest

from samples.redteam.unseen_logs import jobs
from samples.redteam.unseen_logs.book import LYING, REAL
from samples.redteam.unseen_logs.record import HERE, RECORDED
from tests.analyze.test_blind_sets import ANSWERS

assert jobs.LOADED


def told(path):
    return {row["name"]: row for row in map(json.loads, path.read_text().splitlines())}


@pytest.mark.parametrize(("book", "truth"), [(REAL, HERE / "truth.jsonl"), (LYING, HERE / "lying" / "truth.jsonl")])
def test_every_job_has_the_truth_that_was_written_down(book, truth):
    written = told(truth)
    assert set(written) == set(book)
    for name, job in book.items():
        assert written[name]["right"] == job.right
        assert set(job.answers) <= ANSWERS
        assert job.how


def test_what_was_recorded_is_kept_with_its_status():
    assert {path.name for path in RECORDED.iterdir()} == set(REAL)
    for name in REAL:
        assert isinstance(json.loads((RECORDED / name / "status.json").read_text())["exit_code"], int)


def test_programs_are_python():
    for job in (*REAL.values(), *LYING.values()):
        for file, text in job.files.items():
            if file.endswith(".py"):
                ast.parse(text, f"{job.name}/{file}")
