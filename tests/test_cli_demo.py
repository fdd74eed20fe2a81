"""`inquest demo`: every family can be shown, and what is simulated says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from inquest.analyze.families import FAMILIES
from inquest.cli.demo import samples

from .conftest import inquest

if TYPE_CHECKING:
    from pathlib import Path


def test_every_family_can_be_shown() -> None:
    assert {sample.family for sample in samples()} == {family.id for family in FAMILIES}


def test_a_simulated_demo_says_so_and_names_its_family(tmp_path: Path) -> None:
    done = inquest("demo", "F2", "-o", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "SIMULATED" in done.stdout.splitlines()[0]
    verdict = json.loads((tmp_path / "preempted" / "verdict.json").read_text())
    assert verdict["family"] == "F2"
    assert verdict["bundle"]["simulated"] is True
    assert "Simulated data" in (tmp_path / "preempted" / "verdict.md").read_text()
