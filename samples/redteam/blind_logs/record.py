"""Run the jobs and keep what they printed: ``python -m samples.redteam.blind_logs.record [--only NAME,...]``.

Needs the environments named in ``PYTHONS``; what was recorded lies in ``recorded/NAME/`` and is what gets scored. The
truth of all jobs, one line each, is written to ``truth.jsonl`` (``--truth`` does only that).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from . import jobs
from .job import JOBS

if TYPE_CHECKING:
    from .job import Job

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"
PYTHONS = {
    "torch": "/tmp/torchenv/bin",
    "frameworks": "/tmp/fw/env4/bin",
    "launchers": "/tmp/fw/env/bin",
    "tf": "/tmp/fw/tf/bin",
    "more": "/tmp/blind/env/bin",
    "unseen": "/tmp/unseen/env/bin",
}
LIMIT_S = 150


def environment_of(job: Job, home: Path) -> dict[str, str]:
    """The variables a job sees: nothing of the caller's."""
    return {
        "PATH": f"{PYTHONS[job.where]}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/root/.cargo/bin",
        "HOME": str(home),
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "1",
        "LANG": job.locale or "C.UTF-8",
        "LC_ALL": job.locale or "C.UTF-8",
        "RUSTUP_HOME": "/root/.rustup",
        "HF_HUB_OFFLINE": "1",
    }


def record(job: Job, recorded: Path = RECORDED) -> int:
    """Run one job in a folder of its own, keep what it printed; returns the status a shell would see."""
    with tempfile.TemporaryDirectory(prefix="job-") as folder:
        place = Path(folder)
        for name, text in job.files.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        environment = environment_of(job, place)
        with (place / ".out").open("wb") as out:
            child = subprocess.Popen(
                ["/bin/bash", "-c", job.command],
                cwd=place,
                env=environment,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
            try:
                code = child.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                code = child.wait()
            with contextlib.suppress(ProcessLookupError):  # whom the job left behind
                os.killpg(child.pid, signal.SIGKILL)
        text = (place / ".out").read_bytes().replace(folder.encode(), b"/home/u/job")
        text = re.sub(rb"/tmp/(torchenv|fw/env4?|fw/tf|blind/env|unseen/env)\b", rb"/opt/conda/envs/train", text)
        lines = text.splitlines(keepends=True)[slice(*job.cut)]
        if job.prefix:
            lines = [job.prefix.encode() + line for line in lines]
        kept = recorded / job.name
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        (kept / "job.log").write_bytes(b"".join(lines))
        for extra in sorted(place.glob("keep/*")):
            shutil.copy(extra, kept / extra.name)
    status = 128 - code if code < 0 else code
    if job.status not in ("told", "withheld"):
        (kept / job.status).write_text(job.status_text.format(status))
    (kept / "status.json").write_text(json.dumps({"exit_code": status}) + "\n")
    return status


def write_truth(book: dict[str, Job], here: Path) -> None:
    """One line a job: what is right, and why."""
    keep = ("name", "right", "how", "status", "staged", "locale", "where")
    rows = [{key: value for key, value in asdict(job).items() if key in keep and value} for job in book.values()]
    (here / "truth.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def main(book: dict[str, Job] = JOBS, here: Path = HERE) -> None:
    """Record what is not recorded yet, or the jobs that were named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="NAME,...")
    parser.add_argument("--truth", action="store_true", help="write truth.jsonl and run nothing")
    arguments = parser.parse_args()
    assert jobs.LOADED
    write_truth(book, here)
    recorded = here / RECORDED.name
    if arguments.truth:
        return
    names = arguments.only.split(",") if arguments.only else [name for name in book if not (recorded / name).exists()]
    for name in names:
        print(name, record(book[name], recorded), (recorded / name / "job.log").stat().st_size, flush=True)


if __name__ == "__main__":
    main()
