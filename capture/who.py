"""Who a process of the job is: its columns of ``processes``, its rank, and what it is to the job."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from inquest.capture import jobenv, proc
from inquest.capture.collector import Member

if TYPE_CHECKING:
    from inquest.capture.collector import Row


def who_is(pid: int, comm: str, above: Member | None, *, is_task: bool) -> tuple[Row, Member]:
    """What a process says of itself, which changes when it calls exec only, and what follows from it.

    Args:
        pid: Process.
        comm: Its command.
        above: Its parent, where that is of the job.
        is_task: Whether it is the wrapped command itself.

    Returns:
        Columns; ``argv`` is null when the process has gone, and then the others mean nothing. And the member.
    """
    env = proc.environ(pid, jobenv.ALLOWED)
    argv = proc.argv(pid)
    words = (argv or "").split()
    led = above is not None and (above.led or above.role == "launcher")
    rank = jobenv.number(env, "RANK") if led else jobenv.rank(env, words)
    by_procid = jobenv.by_procid(env) if rank is not None and "RANK" not in env else {}
    columns = {
        "command": comm,
        "argv": argv,
        "exe": proc.link(f"/proc/{pid}/exe"),
        "cwd": proc.link(f"/proc/{pid}/cwd"),
        "rank": rank,
        "local_rank": by_procid.get("local_rank", jobenv.number(env, "LOCAL_RANK")),
        "world_size": by_procid.get("world_size", jobenv.number(env, "WORLD_SIZE")),
        "local_world_size": jobenv.number(env, "LOCAL_WORLD_SIZE"),
        "master_addr": env.get("MASTER_ADDR"),
        "master_port": jobenv.number(env, "MASTER_PORT"),
        "job_id": jobenv.job_id(env),
        "step_id": jobenv.step_id(env),
        "procid": jobenv.number(env, "SLURM_PROCID"),
        "env": json.dumps(env, sort_keys=True),
    }
    return columns, Member(pid, rank, _role(words, comm, rank, above, is_task=is_task), led)


def _role(words: list[str], comm: str, rank: int | None, above: Member | None, *, is_task: bool) -> str:
    if jobenv.is_launcher(words):
        return "launcher"
    if above is not None and above.role in ("rank", "worker"):
        return "worker"
    if rank is not None and comm not in jobenv.SHELLS:
        return "rank"
    return "task" if is_task else "other"
