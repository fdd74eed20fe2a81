"""What t13 to t24 of the twenty-third set write with, besides the rig of the twenty-first. SIMULATED."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import MODELS, Model, Park, account, calm, kernel, matrix, took

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random

MORE: Final = MODELS | {
    "A100": Model("NVIDIA A100-SXM4-80GB", 400, 61, 81920, 1410, 210, 1593, 1593, 0.095, driver="550.127.08"),
    "H200": Model("NVIDIA H200", 700, 76, 143771, 1980, 345, 3201, 3201, 0.055, driver="565.57.01"),
    "A6000": Model("NVIDIA RTX A6000", 300, 21, 49140, 1950, 210, 8001, 405, 0.17, driver="535.183.01"),
}
ISO: Final = "%Y-%m-%dT%H:%M:%S"


@dataclass
class Rack(Park):
    """GPUs with more models."""

    @property
    def of(self) -> Model:
        """Which model they are."""
        return MORE[self.kind]


def when(day: int, hour: int, minute: int, second: int = 0, month: int = 10) -> float:
    """A moment in the autumn of 2026, UTC."""
    return datetime(2026, month, day, hour, minute, second, tzinfo=UTC).timestamp()


def quiet(
    place: Path,
    name: str,
    rng: Random,
    rack: Rack,
    node: int,
    form: str,
    east: int,
    more: Sequence[tuple[float, str]] = (),
    until: float | None = None,
) -> None:
    """The kernel log of one node: calm, and what else it saw."""
    lines = calm(rng, rack.begin, rack.of.driver, ib=len(rack.nodes) > 1)
    lines = [one for one in lines if until is None or one[0] < until]
    kernel(place, name, [*lines, *more], form, east, rack.nodes[node])


def bar(done: int, total: int, width: int = 10) -> str:
    """The body of a tqdm bar."""
    eighths = int(width * 8 * done / max(total, 1))
    full, part = divmod(eighths, 8)
    tail = " ▏▎▍▌▋▊▉"[part] if full < width else ""
    return ("█" * full + tail).ljust(width)[:width]


def hms(seconds: float) -> str:
    """As tqdm prints a span."""
    whole = int(seconds)
    head = f"{whole // 3600}:" if whole >= 3600 else ""
    return f"{head}{whole % 3600 // 60:02d}:{whole % 60:02d}"


FULL: Final = (
    "JobID",
    "JobName",
    "Partition",
    "State",
    "ExitCode",
    "Submit",
    "Start",
    "End",
    "Elapsed",
    "Timelimit",
    "NNodes",
    "NodeList",
)


def job(
    number: str,
    name: str,
    queue: str,
    state: str,
    code: str,
    times: tuple[float, float, float],
    east: int,
    limit: str,
    nodes: tuple[int, str],
) -> list[str]:
    """One row of accounting."""
    _, begin, end = times
    words = [clock(t, east, ISO) for t in times]
    return [number, name, queue, state, code, *words, took(int(end) - int(begin)), limit, str(nodes[0]), nodes[1]]


def sacct(place: Path, name: str, rows: Sequence[Sequence[str]], *, bars: bool = True) -> None:
    """Write them."""
    account(place, name, rows, FULL, bars=bars)


def torchrun_end(
    t: float, east: int, host: str, script: str, rank: int, local: int, pid: int, agent: int, code: int, others: str
) -> list[str]:
    """The words of torchrun when a worker failed (torch 2.7 and later)."""
    stamp = clock(t, east, "%m%d %H:%M:%S")
    api = f"{agent} site-packages/torch/distributed/elastic/multiprocessing/api.py"
    lib = "/opt/venv/lib/python3.11/site-packages/torch"
    said = f"Signal {-code} (SIGABRT) received by PID {pid}"
    doc = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
    line = "-" * 60
    return [
        *(
            f"W{stamp}.{417 + i}000 {api}:900] Sending process {one} closing signal SIGTERM"
            for i, one in enumerate(others.split())
        ),
        f"E{clock(t + 2, east, '%m%d %H:%M:%S')}.883000 {api}:874] failed (exitcode: {code}) local_rank: {local}"
        f" (pid: {pid}) of binary: /opt/venv/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/opt/venv/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        f'  File "{lib}/distributed/elastic/multiprocessing/errors/__init__.py", line 357, in wrapper',
        "    return f(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/distributed/run.py", line 892, in main',
        "    run(args)",
        f'  File "{lib}/distributed/run.py", line 883, in run',
        "    elastic_launch(",
        f'  File "{lib}/distributed/launcher/api.py", line 139, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/distributed/launcher/api.py", line 270, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        f"{script} FAILED",
        line,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        line,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(t, east, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {host}",
        f"  rank      : {rank} (local_rank: {local})",
        f"  exitcode  : {code} (pid: {pid})",
        "  error_file: <N/A>",
        f"  traceback : {said if code < 0 else doc}",
        "=" * 60,
    ]


def sacct_json(place: Path, name: str, number: int, title: str, times: tuple[float, float, float], nodes: str) -> None:
    """What ``sacct --json`` prints of one job that completed, much shortened in its arrays."""
    submit, begin, end = map(int, times)
    done = {"status": ["SUCCESS"], "return_code": {"set": True, "infinite": False, "number": 0}}
    whole = {
        "jobs": [
            {
                "account": "lm-pretrain",
                "allocation_nodes": 2,
                "cluster": "tundra",
                "derived_exit_code": done,
                "exit_code": done,
                "job_id": number,
                "name": title,
                "nodes": nodes,
                "partition": "h200",
                "restart_cnt": 0,
                "state": {"current": ["COMPLETED"], "reason": "None"},
                "steps": [],
                "time": {
                    "elapsed": end - begin,
                    "eligible": submit,
                    "end": end,
                    "start": begin,
                    "submission": submit,
                    "suspended": 0,
                    "limit": {"set": True, "infinite": False, "number": 1440},
                },
                "user": "mkowalcz",
            }
        ],
        "meta": {"plugin": {"type": "openapi/slurmdbd", "name": "Slurm OpenAPI slurmdbd"}},
        "errors": [],
        "warnings": [],
    }
    put(place, name, json.dumps(whole, indent=2) + "\n")


__all__ = [
    "ISO",
    "Rack",
    "account",
    "bar",
    "clock",
    "hms",
    "job",
    "kernel",
    "matrix",
    "put",
    "quiet",
    "sacct",
    "sacct_json",
    "torchrun_end",
    "when",
]
