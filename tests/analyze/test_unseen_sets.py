"""The sets of a new author (samples/redteam/unseen_*): what is labelled, and that a seed makes the same files again."""

import json
from dataclasses import asdict

import pytest

from samples.redteam.unseen_curves import score as curve_score
from samples.redteam.unseen_curves.cases import CASES as CURVES
from samples.redteam.unseen_telemetry import score as telemetry_score
from samples.redteam.unseen_telemetry.incidents import CASES as INCIDENTS
from samples.redteam.unseen_telemetry.incidents import build

FAMILIES = {
    f"{group}{number}"
    for group, size in zip("ABCDEF", (2, 3, 3, 3, 3, 3), strict=True)
    for number in range(1, size + 1)
} | {"G1"}


def truth(file):
    return {row["name"]: row for row in map(json.loads, file.read_text().splitlines())}


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_curve_has_the_truth_that_was_written_down():
    told = {name: (row["right"], row["status"]) for name, row in truth(curve_score.TRUTH).items()}
    assert told == {name: (case.right, case.status) for name, case in CURVES.items()}
    assert {answer for right, _ in told.values() for answer in right.split()} <= FAMILIES | {"-"}


def test_every_incident_has_a_truth_and_every_family_an_incident():
    told = truth(telemetry_score.TRUTH)
    assert set(told) == set(INCIDENTS)
    assert {row.get("family") for row in told.values()} == FAMILIES | {None}


@pytest.mark.parametrize("name", ["a1-hub-offline", "c3-never-launches", "b1-other-tenant"])
def test_an_incident_has_the_truth_that_was_written_down(name):
    built = json.loads(
        json.dumps({key: value for key, value in asdict(build(name, telemetry_score.SEED)[1]).items() if value})
    )
    assert built == {key: value for key, value in truth(telemetry_score.TRUTH)[name].items() if key != "name"}


@pytest.mark.parametrize("name", ["a1-hub-offline", "b1-other-tenant"])
def test_a_seed_makes_the_same_incident_and_another_seed_another(name, tmp_path):
    for place, seed in (("a", 7), ("b", 7), ("c", 8)):
        telemetry_score.write(name, seed, tmp_path / place)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert contents(tmp_path / "a") != contents(tmp_path / "c")


@pytest.mark.parametrize("name", list(CURVES)[::13])
def test_a_seed_makes_the_same_curve(name, tmp_path):
    first, second = (contents(curve_score.write(name, 3, tmp_path / place)) for place in "ab")
    assert first == second != {}


@pytest.mark.parametrize("name", ["hf5-sft-sound", "tb-gan", "grid-pretrains-csv"])
def test_another_seed_makes_another_curve(name, tmp_path):
    first, other = (contents(curve_score.write(name, seed, tmp_path / str(seed))) for seed in (3, 4))
    assert first != other
