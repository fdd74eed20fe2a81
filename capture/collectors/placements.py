"""Where the job's processes run: container, pod, job, step, rank, CPUs, and the GPUs each may use and does use."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from inquest.capture import gpus, jobenv, proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Member, Row
from inquest.capture.placement import place

if TYPE_CHECKING:
    from collections.abc import Iterable

_ROLES: Final = frozenset({"task", "launcher", "rank"})
"""Workers and helpers live where their rank lives."""
_LOOK_AGAIN: Final = 5
"""Ticks. A process that is new is looked at at once: a job may be over in seconds."""
_MOST: Final = 512


class Placements(Collector):
    """One row a process of the job when it is first seen, and when something about its place changes."""

    name = "placements"
    tables = ("placements",)
    budget = Budget(seconds=3.0, bytes=256 * 1024)

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Nothing is known of the job's processes yet."""
        self._told: dict[int, Row] = {}
        self._ticks = 0
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Look at every new launcher and rank, and whatever holds a GPU; at those we know every few seconds."""
        rows: list[Row] = []
        again = self._ticks % _LOOK_AGAIN == 0
        self._ticks += 1
        members = [
            member
            for pid, member in ctx.members.items()
            if (again or pid not in self._told) and (member.role in _ROLES or pid in ctx.gpu_holders)
        ]
        self.drops += max(0, len(members) - _MOST)
        for member in members[:_MOST]:
            row = self._read(ctx, member)
            if row is not None and row != self._told.get(member.pid):
                self._told[member.pid] = row
                rows.append({"ts_mono_ns": time.monotonic_ns(), **row})
        self._told = {pid: row for pid, row in self._told.items() if pid in ctx.members}
        yield "placements", rows

    @staticmethod
    def _read(ctx: Context, member: Member) -> Row | None:
        base = f"/proc/{member.pid}"
        cgroup = proc.read_text(f"{base}/cgroup", 65536)
        status = proc.read_text(f"{base}/status", 8192)
        if not cgroup or not status:
            return None  # it has just gone
        env = proc.environ(member.pid, jobenv.ALLOWED)
        where = place(cgroup, proc.read_text(f"{base}/mountinfo", 262_144) or "")
        memory_nodes = _after(status, "Mems_allowed_list:")
        found = gpus.last()
        visible = gpus.visible(env, found.gpus) if found else None
        attached = ctx.gpu_holders.get(member.pid)
        return {
            "pid": member.pid,
            "task": ctx.task,
            "rank": member.rank,
            "local_rank": jobenv.number(env, "LOCAL_RANK"),
            "cgroup": where.cgroup,
            "container_runtime": where.runtime,
            "container_id": where.container_id,
            "pod_uid": where.pod_uid,
            "job_id": jobenv.job_id(env) or where.job_id,
            "step_id": jobenv.step_id(env) or where.step_id,
            "procid": jobenv.number(env, "SLURM_PROCID"),
            "cpu_list": _after(status, "Cpus_allowed_list:"),
            "numa_node": int(memory_nodes) if memory_nodes and memory_nodes.isdigit() else None,
            "visible_gpus": None if visible is None else ",".join(visible),
            "attached_gpus": None if attached is None else ",".join(attached),
        }


def _after(text: str, name: str) -> str | None:
    """What follows a name on its line of /proc/PID/status."""
    return text.partition(f"\n{name}")[2].partition("\n")[0].strip() or None
