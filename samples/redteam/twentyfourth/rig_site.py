"""What the incidents of the twenty-fourth set write with, besides the rigs of earlier sets. SIMULATED."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Final

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import FREE, Model, Park, Row, Work, kernel, took
from samples.redteam.twentythird.rig_more import ISO, MORE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

CARDS: Final = MORE | {
    "L4": Model("NVIDIA L4", 72, 12, 23034, 2040, 300, 6251, 405, 0.62, driver="550.90.07"),
    "V100": Model("Tesla V100-SXM2-32GB", 300, 41, 32768, 1530, 135, 877, 877, 0.125, rows=False, driver="535.183.01"),
}
NO_PROFILE: Final = ("GR_ENGINE_ACTIVE", "SM_ACTIVE", "PIPE_TENSOR_ACTIVE", "DRAM_ACTIVE", "PCIE_TX", "PCIE_RX")


@dataclass
class Hall(Park):
    """GPUs with still more models."""

    @property
    def of(self) -> Model:
        """Which model they are."""
        return CARDS[self.kind]


def coarse(name: str) -> bool:
    """Whether a field is read without the profiling module."""
    return not name.startswith(NO_PROFILE)


def held(mib: float) -> Work:
    """A process that has its context and its memory, and launches nothing."""
    return Work(mib=mib)


def spin(mib: float) -> Work:
    """A kernel of a collective that waits."""
    return Work(engine=1.0, sm=0.035, dram=0.004, mib=mib)


def shake(work: Work, seed: str, low: float = 0.93, high: float = 1.0) -> Work:
    """The same work in a moment with a little more or less of it."""
    x = Random(seed).uniform(low, high)
    return replace(work, sm=work.sm * x, tensor=work.tensor * x, dram=work.dram * x)


def ticks(
    spots: dict[tuple[int, int], Sequence[float]], start: int = 0
) -> Callable[[int, int, float, Row], Row | None]:
    """Corrected ECC errors of some GPUs, each at its moments."""

    def alter(node: int, gpu: int, at: float, one: Row) -> Row:
        seen = spots.get((node, gpu))
        if seen is not None:
            one["ECC_SBE_VOL_TOTAL"] = start + sum(at >= t for t in seen)
        return one

    return alter


def boot_log(rng: Random, begin: float, driver: str, flavour: str) -> list[tuple[float, str]]:
    """What a node's kernel said from its boot until the job; the first is the boot."""
    boot = begin - rng.uniform(6, 70) * 86400
    version = {
        "jammy": "Linux version 5.15.0-151-generic (buildd@lcy02-amd64-092) (gcc (Ubuntu"
        " 11.4.0-1ubuntu1~22.04.2) 11.4.0,"
        " GNU ld (GNU Binutils for Ubuntu) 2.38) #161-Ubuntu SMP",
        "noble": "Linux version 6.8.0-71-generic (buildd@lcy02-amd64-051) (x86_64-linux-gnu-gcc-13 (Ubuntu"
        " 13.3.0-6ubuntu2~24.04) 13.3.0, GNU ld (GNU Binutils for Ubuntu) 2.42) #71-Ubuntu SMP PREEMPT_DYNAMIC",
        "rocky": "Linux version 5.14.0-503.40.1.el9_5.x86_64 (mockbuild@iad1-prod-build001.bld.equ.rockylinux.org)"
        " (gcc (GCC) 11.5.0 20240719 (Red Hat 11.5.0-5)) #1 SMP PREEMPT_DYNAMIC",
    }[flavour]
    kind = "NVIDIA UNIX Open Kernel Module for x86_64" if int(driver[:3]) >= 560 else "NVIDIA UNIX x86_64 Kernel Module"
    lines = [
        (boot, version),
        (boot + 0.000214, "BIOS-provided physical RAM map:"),
        (boot + 2.771903, "pci 0000:00:1f.0: PCI bridge to [bus 01]"),
        (boot + 9.118273, "nvidia: loading out-of-tree module taints kernel."),
        (boot + 9.640188, f"NVRM: loading {kind}  {driver}  Release Build"),
        (boot + 11.003918, "[drm] [nvidia-drm] [GPU ID 0x00001800] Loading driver"),
        (boot + 12.377120, "nvidia-uvm: Loaded the UVM driver, major device number 509."),
        (
            boot + 19.602210,
            "XFS (nvme0n1p3): Mounting V5 Filesystem" if flavour == "rocky" else "zram: Added device: zram0",
        ),
    ]
    at = boot + 8000 + rng.expovariate(1 / 400000)
    rate, count = 2500, 79750
    while at < begin - 900:
        which = rng.randrange(5)
        if which == 0:
            rate, count = int(rate * 1.257) + 3, int(count / 1.26) // 250 * 250
            lines.append(
                (
                    at,
                    f"perf: interrupt took too long ({rate + 9} > {rate}), lowering kernel.perf_event_max_sample_rate"
                    f" to {count}",
                )
            )
        elif which == 1:
            lines.append((at, "systemd-journald[1094]: Time jumped backwards, rotating."))
        elif which == 2:
            lines.append(
                (
                    at,
                    "mce: CPU supports 32 MCE banks"
                    if rng.random() < 0.1
                    else "TCP: eth0: Driver has suspect GRO implementation, TCP performance may be compromised.",
                )
            )
        elif which == 3:
            lines.append(
                (at, f"workqueue: drm_fb_helper_damage_work hogged CPU for >10000us {4 << rng.randrange(3)} times")
            )
        else:
            lines.append((at, f"process 'u{rng.randrange(100, 999)}/bin/fpsync' started with executable stack"))
        at += 40000 + rng.expovariate(1 / 600000)
    return lines


def still(
    place: Path,
    name: str,
    rng: Random,
    hall: Hall,
    node: int,
    form: str,
    east: int,
    more: Sequence[tuple[float, str]] = (),
    flavour: str = "jammy",
    before: float = 0,
) -> None:
    """The kernel log of one node, with what else it saw."""
    lines = boot_log(rng, hall.begin - before, hall.of.driver, flavour)
    kernel(place, name, [*lines, *more], form, east, hall.nodes[node])


def mmu(bus: str, pid: int, name: str, rng: Random) -> str:
    """An XID 31, as the driver words it."""
    page = f"0x{0x7E00 + rng.randrange(400):x}_{rng.getrandbits(16) << 16 & 0xFFFFF000:08x}"
    return (
        f"NVRM: Xid (PCI:0000:{bus[:2].lower()}:00): 31, pid={pid}, name={name}, Ch {rng.randrange(8, 40):08x},"
        " intr 00000000."
        f" MMU Fault: ENGINE GRAPHICS GPC{rng.randrange(7)} GPCCLIENT_T1_{rng.randrange(8)} faulted @ {page}."
        " Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
    )


STEP_HEAD: Final = (
    "JobID",
    "JobName",
    "User",
    "Partition",
    "State",
    "ExitCode",
    "Start",
    "End",
    "Elapsed",
    "AllocTRES",
    "NodeList",
)


def step_rows(
    number: str,
    name: str,
    user: str,
    queue: str,
    whole: tuple[str, str],
    batch: tuple[str, str],
    step: tuple[str, str] | None,
    times: tuple[float, float],
    east: int,
    tres: str,
    nodes: str,
    first: str,
    *,
    task: str = "torchrun",
) -> list[list[str]]:
    """The rows of a job with its steps."""
    begin, end = times

    def spell(a: float, b: float) -> list[str]:
        return [clock(a, east, ISO), clock(b, east, ISO), took(int(b) - int(a))]

    cut = ",".join(one for one in tres.split(",") if not one.startswith("billing"))
    rows = [
        [number, name, user, queue, whole[0], whole[1], *spell(begin, end), tres, nodes],
        [f"{number}.batch", "batch", "", "", *batch, *spell(begin, end), cut, first],
        [f"{number}.extern", "extern", "", "", "COMPLETED", "0:0", *spell(begin, end), tres, nodes],
    ]
    if step:
        rows.append([f"{number}.0", task, "", "", *step, *spell(begin + 4, end - 1), cut, nodes])
    return rows


def pods(
    place: Path,
    name: str,
    space: str,
    job: str,
    names: Sequence[str],
    nodes: Sequence[str],
    image: str,
    command: Sequence[str],
    gpus: int,
    times: tuple[float, float],
    code: int = 0,
) -> None:
    """What ``kubectl get pod -o json`` says of pods that ended, without managed fields."""
    begin, end = times
    stamp = "%Y-%m-%dT%H:%M:%SZ"
    items = []
    for i, (pod, node) in enumerate(zip(names, nodes, strict=True)):
        rng = Random(f"{job}{i}")
        uid = f"{rng.getrandbits(128):032x}"
        ended = end + 0.4 * i
        items.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "creationTimestamp": clock(begin - 41, 0, stamp),
                    "labels": {
                        "training.kubeflow.org/job-name": job,
                        "training.kubeflow.org/replica-index": str(max(0, i - 1)),
                        "training.kubeflow.org/replica-type": "worker" if i else "master",
                    },
                    "name": pod,
                    "namespace": space,
                    "ownerReferences": [{"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": job}],
                    "uid": f"{uid[:8]}-{uid[8:12]}-4{uid[13:16]}-9{uid[17:20]}-{uid[20:]}",
                },
                "spec": {
                    "containers": [
                        {
                            "command": list(command),
                            "image": image,
                            "name": "pytorch",
                            "resources": {
                                "limits": {"nvidia.com/gpu": str(gpus), "memory": "240Gi"},
                                "requests": {"nvidia.com/gpu": str(gpus), "memory": "240Gi"},
                            },
                        }
                    ],
                    "nodeName": node,
                    "restartPolicy": "Never",
                },
                "status": {
                    "conditions": [
                        {"lastTransitionTime": clock(begin - 41, 0, stamp), "status": "True", "type": "PodScheduled"},
                        {
                            "lastTransitionTime": clock(ended + 1, 0, stamp),
                            "reason": "PodCompleted" if code == 0 else "PodFailed",
                            "status": "False",
                            "type": "Ready",
                        },
                    ],
                    "containerStatuses": [
                        {
                            "image": image,
                            "lastState": {},
                            "name": "pytorch",
                            "ready": False,
                            "restartCount": 0,
                            "state": {
                                "terminated": {
                                    "exitCode": code,
                                    "finishedAt": clock(ended, 0, stamp),
                                    "reason": "Completed" if code == 0 else "Error",
                                    "startedAt": clock(begin + i, 0, stamp),
                                }
                            },
                        }
                    ],
                    "phase": "Succeeded" if code == 0 else "Failed",
                    "startTime": clock(begin - 40, 0, stamp),
                },
            }
        )
    put(place, name, json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4) + "\n")


__all__ = [
    "CARDS",
    "FREE",
    "Hall",
    "Work",
    "coarse",
    "held",
    "mmu",
    "pods",
    "shake",
    "spin",
    "step_rows",
    "still",
    "ticks",
]
