"""What the cluster says: accounting, kernel logs and launchers, all simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .pen import clock, put

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random

ISO = "%Y-%m-%dT%H:%M:%S"


def elapsed(seconds: float) -> str:
    """As sacct has it."""
    whole = int(seconds)
    days = f"{whole // 86400}-" if whole >= 86400 else ""
    return f"{days}{whole % 86400 // 3600:02d}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def row(
    job: str,
    name: str,
    state: str,
    code: str,
    times: tuple[float | None, float | None, float | None],
    nodes: str,
    count: int,
    limit: str,
) -> list[str]:
    """One row of accounting: submitted, begun, ended."""
    submit, begin, end = times
    words = [clock(one, ISO) if one is not None else "Unknown" for one in times]
    took = elapsed(end - begin) if begin is not None and end is not None else "00:00:00"
    return [
        job,
        name,
        "gpu",
        state,
        code,
        *words,
        took,
        limit if submit is not None and "." not in job else "",
        str(count),
        nodes,
    ]


HEAD = [
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
]


def sacct(place: Path, name: str, rows: Sequence[Sequence[str]], *, bars: bool = True) -> None:
    """Write accounting, with bars (-P) or in columns."""
    table = [HEAD, *rows]
    if bars:
        put(place, name, ["|".join(one) for one in table])
        return
    wide = [max(len(one[i]) for one in table) for i in range(len(HEAD))]
    lines = [" ".join(cell.rjust(wide[i]) for i, cell in enumerate(one)) + " " for one in table]
    lines.insert(1, " ".join("-" * w for w in wide) + " ")
    put(place, name, lines)


def dmesg(
    place: Path,
    name: str,
    rng: Random,
    begin: float,
    more: Sequence[tuple[float, str]] = (),
    *,
    iso: bool = False,
    host: str = "",
) -> None:
    """Write the kernel log of a quiet node and what else it saw.

    Args:
        place: The folder of the case.
        name: The file's name.
        rng: For what is of no matter.
        begin: When the job began, seconds after the Monday; the node has been up for days.
        more: Times and lines that matter.
        iso: As journalctl -k -o short-iso has it, else as dmesg -T has it.
        host: The node's name, for journalctl.
    """
    boot = begin - rng.uniform(9, 40) * 86400
    lines = [
        (boot, "Linux version 5.14.0-427.42.1.el9_4.x86_64 (mockbuild@x86-vm-09) (gcc (GCC) 11.4.1)"),
        (boot + 14, "nvidia-nvlink: Nvlink Core is being initialized, major device number 509"),
        (boot + 15, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.08"),
        (boot + 33, "nvidia-uvm: Loaded the UVM driver, major device number 507."),
        (boot + 41, f"LNet: Added LNI 10.41.7.{rng.randrange(10, 250)}@o2ib [8/256/0/180]"),
        (boot + 58, "Lustre: Mounted scratch-client"),
        (
            begin - rng.uniform(20000, 60000),
            "perf: interrupt took too long (3142 > 3138), lowering kernel.perf_event_max_sample_rate to 63000",
        ),
        (begin - rng.uniform(900, 9000), "nfs: server home01 not responding, still trying"),
        (begin - rng.uniform(700, 890), "nfs: server home01 OK"),
        *more,
    ]
    out = []
    for when, text in sorted(lines):
        if iso:
            out.append(f"{clock(when, '%Y-%m-%dT%H:%M:%S')}+0000 {host} kernel: {text}")
        else:
            out.append(f"[{clock(when, '%a %b %e %H:%M:%S %Y')}] {text}")
    put(place, name, out)


def elastic(
    t: float, host: str, script: str, rank: int, pid: int, signal: tuple[int, str], agent: int, others: Sequence[int]
) -> list[str]:
    """The words of torchrun when a signal took one of its workers."""
    stamp = clock(t, "%m%d %H:%M:%S")
    where = f"{agent} torch/distributed/elastic/multiprocessing/api.py"
    number, name = signal
    return [
        *(
            f"W{stamp}.{331 + i}000 {where}:897] Sending process {one} closing signal SIGTERM"
            for i, one in enumerate(others)
        ),
        f"E{clock(t + 2, '%m%d %H:%M:%S')}.608000 {where}:869] failed (exitcode: -{number}) local_rank: {rank} (pid: {pid}) of binary: /opt/env/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/opt/env/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/opt/env/lib/python3.11/site-packages/torch/distributed/run.py", line 919, in main',
        "    run(args)",
        '  File "/opt/env/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        f"{script} FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(t, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {host}",
        f"  rank      : {rank} (local_rank: {rank})",
        f"  exitcode  : -{number} (pid: {pid})",
        "  error_file: <N/A>",
        f"  traceback : Signal {number} ({name}) received by PID {pid}",
        "=" * 60,
    ]
