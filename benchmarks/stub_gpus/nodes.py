"""Nodes of stub GPUs on this machine, each recorded by a recorder of its own: what several benchmarks run.

The GPUs are SIMULATED and the calls of the job do nothing; recorders, probes and everything else they read are real.
Each node has a name, a mount namespace where that is allowed, and in it a boot id of its own, as two machines have.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from stub_gpus.build import JOB, build, environment

_BOOT_ID = "/proc/sys/kernel/random/boot_id"


@dataclass
class Mix:
    """What each rank does: seconds in all, seconds a step, and calls in a step."""

    seconds: float
    step_s: float = 0.3
    launches: int = 2000
    copies: int = 50
    collectives: int = 40

    def arguments(self) -> list[str]:
        return [
            *("--seconds", str(self.seconds), "--step", str(self.step_s), "--launches", str(self.launches)),
            *("--copies", str(self.copies), "--collectives", str(self.collectives)),
        ]


class Gpus:
    """What the NVML stub of one node answers: load that wanders as that of GPUs in training does. SIMULATED."""

    def __init__(self, script: Path, count: int, seed: int) -> None:
        self._script, self._count = script, count
        self._random = random.Random(seed)
        self._energy = [self._random.randrange(10**12) for _ in range(count)]
        self._links = [self._random.randrange(10**9) for _ in range(count)]
        self.holders: list[int] = []
        self.move(1.0)

    def move(self, seconds: float) -> None:
        """So many seconds have passed."""
        lines = [f"* gpus {self._count}", "* nvlink5 1"]
        for gpu in range(self._count):
            busy = self._random.random() > 0.1
            watts = self._random.gauss(560, 40) if busy else self._random.gauss(180, 20)
            self._energy[gpu] += int(1e3 * watts * seconds)
            self._links[gpu] += int(self._random.gauss(3e6, 4e5) * seconds)
            said = {
                "power_mw": int(1e3 * watts),
                "energy_mj": self._energy[gpu],
                "temp": int(self._random.gauss(61, 2)),
                "temp_memory": int(self._random.gauss(72, 2)),
                "gpu_util": self._random.randint(93, 100) if busy else self._random.randint(0, 60),
                "mem_util": self._random.randint(30, 50),
                "sm_active": self._random.randint(40, 70) if busy else self._random.randint(0, 20),
                "sm_clock": self._random.choice((1980, 1965, 1950, 1935, 1920)),
                "throttle": 4 if watts > 650 else 0,
                "fb_used": (70 << 30) + self._random.choice((0, 0, 0, 2 << 20, 64 << 20)),
                "link_kib": self._links[gpu],
                "pcie_rx_kbs": self._random.randrange(10**6),
                "pcie_tx_kbs": self._random.randrange(10**6),
                "held_power": int(watts),
                "pid": self.holders[gpu] if gpu < len(self.holders) else 0,
            }
            lines += [f"{gpu} {key} {value}" for key, value in said.items()]
        new = self._script.with_suffix(".new")
        new.write_text("\n".join(lines) + "\n")
        new.replace(self._script)


def run(
    out: Path, folder: Path, mix: Mix, *, nodes: int = 2, gpus: int = 8, ranks: int = 8, options: tuple[str, ...] = ()
) -> None:
    """Record a job of ``ranks`` ranks a node; returns when all recorders have ended.

    Raises:
        RuntimeError: The job did not end well.
    """
    library = build(folder)
    running, stubs = [], []
    for node in range(nodes):
        script = folder / f"gpus-{node}.txt"
        stubs.append(Gpus(script, gpus, node))
        name = f"node-{'abcdefgh'[node]}"
        env = environment(folder, script) | {"NODE_RANK": str(node)}
        command = [
            *(sys.executable, "-m", "inquest", "run", "--out", str(out), "--node", name, "--job-id", "7001"),
            *("--profile", "full", *options, "--", "sh", "-c", _launcher(library, mix, node, nodes, ranks)),
        ]
        running.append(subprocess.Popen([*_as_machine(folder, node), *command], env=env, stdout=subprocess.DEVNULL))
    began = last = time.monotonic()
    while any(process.poll() is None for process in running):
        time.sleep(0.5)
        now = time.monotonic()
        for process, stub in zip(running, stubs, strict=True):
            stub.holders = stub.holders or (_ranks_below(process.pid) if now - began > 2 else [])
            stub.move(now - last)
        last = now
    if any(process.returncode for process in running):
        raise RuntimeError(f"the job ended with {[process.returncode for process in running]}")
    while recorders(out):
        time.sleep(0.1)


def recorders(out: Path) -> list[int]:
    """Recorders that still write below ``out``; they may outlive what they recorded by a second."""
    found = []
    for proc in Path("/proc").glob("[0-9]*"):
        try:
            command = (proc / "cmdline").read_bytes()
        except OSError:
            continue
        if b"inquest.capture.recorder" in command and os.fsencode(out) in command:
            found.append(int(proc.name))
    return found


def _launcher(library: Path, mix: Mix, node: int, nodes: int, ranks: int) -> str:
    """A shell that starts the ranks of a node, as a launcher does."""
    job = " ".join([sys.executable, "-I", "-S", str(JOB), str(library), *mix.arguments()])
    return (
        "".join(
            f"RANK={node * ranks + local} LOCAL_RANK={local} WORLD_SIZE={nodes * ranks} LOCAL_WORLD_SIZE={ranks} "
            f"MASTER_ADDR=127.0.0.1 MASTER_PORT=29511 {job} &\n"
            for local in range(ranks)
        )
        + "wait\n"
    )


def _as_machine(folder: Path, node: int) -> list[str]:
    """What goes before a command so that it sees a boot id of its own; nothing where that is not allowed."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return []
    boot_id = folder / f"boot_id-{node}"
    boot_id.write_text(f"{uuid.uuid5(uuid.NAMESPACE_OID, f'{folder}/{node}')}\n")
    before = ["unshare", "--mount", "sh", "-c", f'mount --bind {boot_id} {_BOOT_ID} && exec "$0" "$@"']
    return before if subprocess.run([*before, "true"], check=False, capture_output=True).returncode == 0 else []


def _ranks_below(pid: int) -> list[int]:
    """The training processes of a node, by rank."""
    found: dict[int, int] = {}
    for proc in Path("/proc").glob("[0-9]*"):
        try:
            if b"step_job.py" in (proc / "cmdline").read_bytes() and _is_below(int(proc.name), pid):
                environ = dict(entry.partition(b"=")[::2] for entry in (proc / "environ").read_bytes().split(b"\0"))
                if b"RANK" in environ and (proc / "comm").read_text() != "sh\n":
                    found[int(environ[b"RANK"])] = int(proc.name)
        except OSError:
            continue
    return [found[rank] for rank in sorted(found)]


def _is_below(pid: int, above: int) -> bool:
    while pid > 1:
        if pid == above:
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return False
