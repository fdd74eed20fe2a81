"""What a recording would hold and cost: ``--dry-run`` reads it off the collectors, ``--estimate-only`` tries them."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.bundle.errors import InputError
from inquest.bundle.nodedir import create_capture
from inquest.capture import options as settings
from inquest.capture import proc
from inquest.capture.run import recording_facts, self_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.capture.collector import Collector
    from inquest.capture.options import Options

_SETTLE_S: Final = 4.0
"""Time the recorder has to start; what that takes is paid once and is not in the figures."""
_MEASURE_S: Final = 6.0
_HOUR_S: Final = 3600.0


def show(options: Options, pid: int | None = None) -> int:
    """Print what was asked for, and record nothing; the exit code.

    Args:
        options: With ``dry_run`` or ``estimate_only``.
        pid: Process that `inquest attach` would record, for the estimate to be made beside it; None: beside one that
            sleeps.
    """
    attached = not options.command
    try:
        for line in dry_run(options, attached=attached) if options.dry_run else estimate(options, pid):
            sys.stdout.write(line + "\n")
    except InputError as error:
        sys.stderr.write(f"inquest: {error}\n")
        return error.exit_code
    sys.stdout.flush()
    return 0


def dry_run(options: Options, *, attached: bool) -> Iterator[str]:
    """What would be recorded, and where, in lines; nothing is started and no file is made."""
    place = Path(options.out) / (options.node or settings.default_node(os.environ))
    what = f"process {options.pid}" if options.pid else f"Slurm job {options.job}" if attached else _line(options)
    yield f"would record  {what}"
    yield f"in            {place}" + ("" if options.fsync else ", without forcing it to disk")
    yield f"secrets       {'masked' if options.mask else 'NOT masked'}"
    yield f"output        at most {options.log_budget / (1 << 20):,.0f} MiB of log a task: --log-budget"
    if not options.recorder:
        yield "the node      not recorded: --no-recorder"
        return
    yield ""
    yield f"{'collector':<15} {'every':>5}  {'at most':>9}  tables"
    for kind in _kinds(attached=attached):
        if options.collectors is not None and kind.name not in options.collectors:
            yield f"{kind.name:<15} {'left out':>16}"
            continue
        needs = f" (needs {kind.requires})" if kind.requires else ""
        most = f"{kind.budget.bytes / 1024:,.0f} KB"
        yield f"{kind.name:<15} {kind.period:>3} s  {most:>9}  {', '.join(kind.tables)}{needs}"
    yield ""
    yield "At most: what is taken of one reading. What it costs on this node: --estimate-only."


def _line(options: Options) -> str:
    import shlex

    return shlex.join(options.command)


def _kinds(*, attached: bool) -> list[type[Collector]]:
    from inquest.capture.collectors import COLLECTORS

    return [kind for kind in COLLECTORS if attached or not kind.attach_only]


def estimate(options: Options, pid: int | None) -> Iterator[str]:
    """What recording costs here, measured: the real recorder with the chosen collectors, for some seconds.

    Raises:
        InputError: The recorder did not come up.
    """
    attached = not options.command
    names = [kind.name for kind in _kinds(attached=attached)]
    chosen = [name for name in names if options.collectors is None or name in options.collectors]
    scratch = Path(tempfile.mkdtemp(prefix="inquest-estimate-"))
    sleeper = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
    try:
        facts = {**recording_facts(options), "attached": True, "collectors": chosen, "task": 0}
        directory = Path(create_capture(scratch, "estimate", fsync=False, facts=facts))
        command = [*self_command("recorder"), str(directory), str(pid or sleeper.pid)]
        null = subprocess.DEVNULL
        with subprocess.Popen(command, stdin=null, stdout=null, stderr=null) as recorder:
            time.sleep(_SETTLE_S)
            cpu_s, size, began = _cpu_s(recorder.pid), _size(directory), time.monotonic()
            time.sleep(_MEASURE_S)
            after_s, grown, took = _cpu_s(recorder.pid), _size(directory) - size, time.monotonic() - began
            status = proc.key_values(proc.read_text(f"/proc/{recorder.pid}/status", 8192))
            ended = recorder.poll()
            recorder.terminate()
    finally:
        sleeper.kill()
        sleeper.wait()
        shutil.rmtree(scratch, ignore_errors=True)
    if ended is not None:
        raise InputError(f"the recorder ended by itself ({ended}): `inquest doctor` says what this node lacks.")
    whom = f"process {pid}" if pid else "a process that sleeps"
    yield f"{len(chosen)} collectors, measured for {took:.0f} s beside {whom}:"
    yield f"CPU     {100 * (after_s - cpu_s) / took:.2f} % of one core"
    yield f"memory  {status.get('VmHWM', 0) / 1024:,.0f} MB at most, of each recorder (one a task)"
    yield f"disk    {grown / took * _HOUR_S / 1e6:,.1f} MB an hour before sealing, and at most"
    yield f"        {options.log_budget / (1 << 20):,.0f} MiB of log a task"
    yield "A job that starts many processes, calls CUDA or prints much costs more than one that sleeps."


def _cpu_s(pid: int) -> float:
    seen = proc.stat(pid)
    return seen.cpu_user_s + seen.cpu_system_s if seen else 0.0


def _size(directory: Path) -> int:
    total = 0
    for path in directory.iterdir():
        with contextlib.suppress(OSError):
            total += path.stat().st_size
    return total
