"""The same jobs under the wrapper: ``python -m samples.redteam.blind_logs.wrapped [--only NAME,...] [--json FILE]``.

Each job is run anew by ``inquest run``, which records its output, end, processes and node; then merged and analysed.
What is withheld from the log alone is known here, so only the arranged right answers of ``ANSWERS`` differ.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..judged import against, tell
from ..score import Graded
from . import jobs
from .job import JOBS
from .record import LIMIT_S, environment_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .job import Job

ANSWERS = {"pip_only": ["-", "G1"], "head_only": ["G1"], "snakemake_rule_killed": ["A2", "A1"]}
"""Where the wrapper sees more than the log tells: the end of the process."""


def judged(job: Job, right: Sequence[str], keep: Path | None = None) -> Graded:
    """One job, recorded and judged; its bundle stays in ``keep``."""
    name = job.name
    with tempfile.TemporaryDirectory(prefix="wrapped-") as folder:
        place, out = Path(folder) / "job", Path(folder) / "out"
        place.mkdir()
        for file, text in job.files.items():
            path = place / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        inquest = [sys.executable, "-m", "inquest"]
        here = {"cwd": place, "env": environment_of(job, place)}
        with (Path(folder) / "log").open("wb") as log:
            try:
                subprocess.run(
                    [*inquest, "run", "--out", str(out), "--", "/bin/bash", "-c", job.command],
                    stdout=log, stderr=log, start_new_session=True, timeout=LIMIT_S, check=False, **here,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return Graded(name, "", right[0], "cannot_decide", "abstained", 0.0, "ran for too long", "")
        bundle = str((keep or Path(folder)) / f"{name}.inquest")
        subprocess.run([*inquest, "merge", str(out), "--force", "-o", bundle], capture_output=True, check=False)
        told = subprocess.run(
            [*inquest, "analyze", bundle, "-o", str(Path(folder) / "v")], capture_output=True, text=True, check=False
        )
        found = list((Path(folder) / "v").glob("**/verdict.json"))
        if not found:
            return Graded(name, "", right[0], "cannot_decide", "abstained", 0.0, "no verdict", told.stderr[-300:])
        verdict = json.loads(found[0].read_text())
    return against(name, right, verdict)


def main(book: dict[str, Job] = JOBS, answers: Mapping[str, Sequence[str]] = ANSWERS) -> None:
    """Run, judge, and print every job that is not judged right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="NAME,...")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the bundles stay")
    arguments = parser.parse_args()
    assert jobs.LOADED
    named = [book[name] for name in (arguments.only.split(",") if arguments.only else book)]
    tell((judged(job, answers.get(job.name, job.answers), arguments.keep) for job in named), arguments.json)


if __name__ == "__main__":
    main()
