"""Verdicts on jobs that ran on real Slurm clusters: their outputs, accounting and records, as they lie there."""

from __future__ import annotations

from pathlib import Path

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

SLURM = Path(__file__).parents[2].parent / "shared/reference/slurm"

pytestmark = pytest.mark.skipif(not SLURM.is_dir(), reason="Slurm records (../shared/reference/slurm) are not here")

# What was done to each job, by the scenario's number: right answers, ranks and nodes to blame, attribution.
# Scenarios of several unrelated jobs (26 to 29, 34 to 36, 40) are not one run and have no one answer.
RIGHT: dict[str, tuple[str, tuple[int, ...] | None, tuple[str, ...] | None, str | None]] = {
    "01": ("G1", (), (), "none"),
    "02": ("A1", (3,), None, "job"),
    "03": ("A1 C2", (3,), None, None),
    "04": ("A2", (2,), ("node02",), None),
    "05": ("A2", (1,), ("node01",), "job"),
    "06": ("A2", (1,), None, "job"),
    "07": ("A2", None, None, "job"),
    "08": ("A2", None, None, "job"),
    "09": ("A2", None, None, "job"),
    "10": ("outside", None, None, "none"),
    "11": ("outside", None, None, "none"),
    "12": ("outside", None, None, "none"),
    "13": ("G1 -", None, None, None),  # all was obeyed and the job left with 0, its second step cancelled at 70 of 3000
    "14": ("F3", None, None, "scheduler"),
    "15": ("F3", None, None, "scheduler"),
    "16": ("F1", None, ("node02",), "infrastructure"),
    "17": ("F2 F1", None, None, "infrastructure"),
    "18": ("F1", None, ("node01",), "infrastructure"),
    "19": ("F1", None, ("node02",), "infrastructure"),
    "20": ("G1", None, None, None),
    "21": ("G1", None, None, None),
    "22": ("F2", None, None, "scheduler"),
    "23": ("F2 E2", None, None, None),
    "24": ("F2", None, None, "scheduler"),
    "25": ("F2", None, None, "scheduler"),
    "30": ("G1", None, None, None),
    "31": ("G1", None, None, None),
    "32": ("F2", None, None, None),
    "33": ("G1 -", None, None, None),
    "37": ("G1", None, None, None),
    "38": ("G1", None, None, None),
    "39": ("F3 outside -", None, None, None),
    "41": ("A1", None, None, None),
    "42": ("G1 -", None, None, None),
    "43": ("F2", None, None, "scheduler"),
    "44": ("F1", None, ("node02",), "infrastructure"),
    "45": ("F2", None, None, None),
    "46": ("F2", None, None, None),
    "47": ("G1 -", None, None, None),
    "48": ("G1 F2", None, None, None),
}

FOLDERS = [
    folder
    for version in ("22.05", "24.11")
    if (SLURM / version).is_dir()
    for folder in sorted((SLURM / version).iterdir())
    if folder.name[:2] in RIGHT
]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_what_was_done_to_the_job_is_what_is_said(folder: Path) -> None:
    answers, ranks, nodes, attribution = RIGHT[folder.name[:2]]
    verdict, _ = analyze(import_logs([folder]), strict=True)
    named = {"decided": verdict.family, "outside_families": "outside"}.get(verdict.outcome, "-")
    assert named in answers.split(), verdict.headline
    assert ranks is None or verdict.culprit_ranks == ranks
    assert nodes is None or verdict.culprit_nodes == nodes
    assert attribution in (None, verdict.attribution)
