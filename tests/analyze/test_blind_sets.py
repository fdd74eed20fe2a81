"""The blind author's sets (samples/redteam/blind_*): what is labelled, and that a seed makes the same files again."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from samples.redteam.blind_curves import cases as curves
from samples.redteam.blind_curves import score as curve_score
from samples.redteam.blind_logs import jobs
from samples.redteam.blind_logs.job import JOBS
from samples.redteam.blind_logs.record import RECORDED
from samples.redteam.blind_telemetry import incidents
from samples.redteam.blind_telemetry import score as telemetry_score

HERE = Path(telemetry_score.__file__).parents[1]
ANSWERS = {
    *[
        "A1",
        "A2",
        "B1",
        "B2",
        "B3",
        "C1",
        "C2",
        "C3",
        "D1",
        "D2",
        "D3",
        "E1",
        "E2",
        "E3",
        "F1",
        "F2",
        "F3",
        "G1",
        "outside",
        "-",
    ]
}


def truth(name):
    return {row["name"]: row for row in map(json.loads, (HERE / name / "truth.jsonl").read_text().splitlines())}


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_log_has_a_truth_and_is_kept_with_its_status():
    assert jobs.LOADED
    told = truth("blind_logs")
    assert set(told) == set(JOBS) == {path.name for path in RECORDED.iterdir()}
    for name, job in JOBS.items():
        assert told[name]["right"] == job.right
        assert set(job.answers) <= ANSWERS
        assert isinstance(json.loads((RECORDED / name / "status.json").read_text())["exit_code"], int)


def test_every_curve_has_a_truth():
    told = truth("blind_curves")
    assert {name: row["right"] for name, row in told.items()} == {name: c.right for name, c in curves.CASES.items()}
    assert all(set(c.right.split()) <= ANSWERS for c in curves.CASES.values())


def test_every_incident_has_the_truth_that_was_written_down():
    told = truth("blind_telemetry")
    assert set(told) == set(incidents.CASES)
    for name in ("a1-plugin-missing", "c2-watchdog", "nothing-failed-silently"):
        built = {key: value for key, value in asdict(incidents.build(name, 401)[1]).items() if value}
        assert built == {key: value for key, value in told[name].items() if key != "name"}


@pytest.mark.parametrize("name", ["a1-one-rank-shard", "e3-five-minutes"])
def test_a_seed_makes_the_same_incident_and_another_seed_another(name, tmp_path):
    for place, seed in (("a", 7), ("b", 7), ("c", 8)):
        telemetry_score.write(name, seed, tmp_path / place)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert contents(tmp_path / "a") != contents(tmp_path / "c")


@pytest.mark.parametrize("name", [name for name, case in curves.CASES.items() if not case.trackers])
def test_a_seed_makes_the_same_curve(name, tmp_path):
    first, second = (contents(curve_score.write(name, 3, tmp_path / place)) for place in "ab")
    assert first == second != {}
