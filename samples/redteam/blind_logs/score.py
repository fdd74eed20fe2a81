"""Judge what was recorded: ``python -m samples.redteam.blind_logs.score [--only NAME,...] [--json FILE]``.

Each log goes to ``inquest explain`` alone, with the exit status as the job's ``status`` says.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..judged import against, tell, verdict_of
from . import jobs
from .job import JOBS
from .record import RECORDED

if TYPE_CHECKING:
    from .job import Job


def explained(job: Job, recorded: Path = RECORDED) -> dict[str, Any]:
    """What the engine says of a recorded log."""
    kept = recorded / job.name
    status = json.loads((kept / "status.json").read_text())["exit_code"]
    with tempfile.TemporaryDirectory(prefix="judge-") as folder:
        place = Path(folder) / "incident"
        place.mkdir()
        for path in kept.iterdir():
            if path.name != "status.json":
                (place / path.name).write_bytes(path.read_bytes())
        told = ["--exit-code", str(status)] if job.status == "told" else []
        done = subprocess.run(
            [sys.executable, "-m", "inquest", "explain", str(place), "--json", *told], capture_output=True, text=True
        )
    return verdict_of(done.stdout, done.stderr)


def main(book: dict[str, Job] = JOBS, recorded: Path = RECORDED) -> None:
    """Score, and print every log that is not judged right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="NAME,...")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    assert jobs.LOADED
    names = arguments.only.split(",") if arguments.only else [name for name in book if (recorded / name).exists()]
    tell((against(name, book[name].answers, explained(book[name], recorded)) for name in names), arguments.json)


if __name__ == "__main__":
    main()
