"""What stands around a run in its log: what sites, containers and shells print before and after it. SIMULATED."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from random import Random


@dataclass(frozen=True)
class Job:
    """One job as its site knows it."""

    number: int
    name: str
    user: str
    nodes: tuple[str, ...]
    gpus: int
    partition: str
    limit: str
    home: str
    card: str = "NVIDIA A100-SXM4-80GB"
    memory_mib: int = 81920
    driver: str = "550.127.08"
    cuda: str = "12.4"
    limit_w: int = 400


def prologue(job: Job, at: datetime) -> list[str]:
    """A site's prologue."""
    return [
        "=" * 66,
        f" Job {job.number} ({job.name})  partition {job.partition}  user {job.user}",
        f" Started {at:%a %b %e %H:%M:%S %Z %Y} on {','.join(job.nodes)}",
        f" Nodes {len(job.nodes)}  GPUs per node {job.gpus}  time limit {job.limit}",
        f" Submit directory {job.home}",
        " Questions: hpc-help@site.example   Maintenance: first Tuesday of the month",
        "=" * 66,
    ]


def ngc(job: Job, release: str = "25.08", framework: str = "PyTorch") -> list[str]:
    """The banner of NVIDIA's containers."""
    del job
    line = f"== {framework} =="
    return [
        "",
        "=" * len(line),
        line,
        "=" * len(line),
        "",
        f"NVIDIA Release {release} (build 197421315)",
        f"{framework} Version 2.8.0a0+34c6371",
        "Container image Copyright (c) 2025, NVIDIA CORPORATION & AFFILIATES. All rights reserved.",
        "",
        "Various files include modifications (c) NVIDIA CORPORATION & AFFILIATES.  All rights reserved.",
        "",
        "This container image and its contents are governed by the NVIDIA Deep Learning Container License.",
        "By pulling and using the container, you accept the terms and conditions of this license:",
        "https://developer.nvidia.com/ngc/nvidia-deep-learning-container-license",
        "",
        "NOTE: The SHMEM allocation limit is set to the default of 64MB.  This may be",
        f"   insufficient for {framework}.  NVIDIA recommends the use of the following flags:",
        "   docker run --gpus all --ipc=host --ulimit memlock=-1 --ulimit stack=67108864 ...",
        "",
    ]


def conda(job: Job, env: str) -> list[str]:
    """What activating an environment and installing into it prints."""
    return [
        f"Requirement already satisfied: numpy<2.0 in /home/{job.user}/miniforge3/envs/{env}/lib/python3.11/site-packages (1.26.4)",
        "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed. "
        "This behaviour is the source of the following dependency conflicts.",
        "tensorboard 2.16.2 requires protobuf!=4.24.0,>=3.19.6, but you have protobuf 3.19.4 which is incompatible.",
        f"Successfully installed {env.replace('_', '-')}-0.4.1",
        "WARNING: You are using pip version 22.0.4; however, version 25.2 is available.",
    ]


def git(job: Job, rng: Random, changed: str) -> list[str]:
    """Where the code stands, as one of four people has it printed."""
    head = f"{rng.getrandbits(160):040x}"
    return rng.choice(
        (
            [
                f"commit {head[:9]} (HEAD -> {job.user}/{job.name}, origin/main)",
                f"diff --git a/{changed} b/{changed}",
                "@@ -41,7 +41,7 @@",
                "-    raise RuntimeError('not reached, error of the old loader')",
                "+    return None  # was: fatal error",
            ],
            [f"git: {head[:12]} dirty ({changed})"],
            [
                f"On branch {job.name}",
                "Changes not staged for commit:",
                f"\tmodified:   {changed}",
                "",
                "Untracked files:",
                "\tcrash-2026-09-30.txt",
                "\tnan_hunt.ipynb",
                "",
                "no changes added to commit",
            ],
            [
                f"{head[:7]} retry on OOM, kill stragglers",
                f'{rng.getrandbits(28):07x} Revert "stop when loss is nan"',
                f"{rng.getrandbits(28):07x} {changed}: less noise",
            ],
        )
    )


def modules(extra: str) -> list[str]:
    """What ``module load`` prints."""
    return [
        'Lmod is automatically replacing "gcc/11.3.0" with "gcc/13.2.0".',
        "",
        "The following have been reloaded with a version change:",
        "  1) openmpi/4.1.4 => openmpi/5.0.3",
        "",
        "Currently Loaded Modules:",
        f"  1) gcc/13.2.0   2) cuda/12.4   3) openmpi/5.0.3   4) {extra}",
        "",
    ]


def smi(job: Job, at: datetime, rng: Random) -> list[str]:
    """The table of nvidia-smi, before anything runs."""
    line = "|" + "-" * 41 + "+" + "-" * 24 + "+" + "-" * 22 + "|"
    out = [
        f"{at:%a %b %e %H:%M:%S %Y}       ",
        "+" + "-" * 89 + "+",
        f"| NVIDIA-SMI {job.driver:<23}Driver Version: {job.driver:<15}CUDA Version: {job.cuda:<9}|",
        line,
        "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
        "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
    ]
    for gpu in range(job.gpus):
        out += [
            line,
            f"|   {gpu}  {job.card[:24]:<24}    On  |   00000000:{0x0A + 17 * gpu:02X}:00.0 Off |                    0 |",
            f"| N/A   {rng.randint(27, 38)}C    P0              {rng.randint(45, 75)}W / {job.limit_w:>3}W |"
            f" {rng.randint(1, 9):>7}MiB / {job.memory_mib:>5}MiB |      0%      Default |",
        ]
    return [
        *out,
        "+" + "-" * 89 + "+",
        "| Processes:                                                                              |",
        "|  No running processes found                                                             |",
        "+" + "-" * 89 + "+",
    ]


def elapsed(seconds: float) -> str:
    """As Slurm prints a span of time."""
    days, rest = divmod(int(seconds), 86400)
    text = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return f"{days}-{text}" if days else text


def seff(job: Job, seconds: float, state: str, code: int, memory: str) -> list[str]:
    """What seff says of an ended job."""
    cores = 8 * job.gpus * len(job.nodes)
    part = 0.05 + job.number * 37 % 71 / 100
    used = seconds * cores * part
    return [
        f"Job ID: {job.number}",
        "Cluster: helios",
        f"User/Group: {job.user}/ml",
        f"State: {state} (exit code {code})",
        f"Nodes: {len(job.nodes)}",
        f"Cores per node: {8 * job.gpus}",
        f"CPU Utilized: {elapsed(used)}",
        f"CPU Efficiency: {part * 100:.2f}% of {elapsed(seconds * cores)} core-walltime",
        f"Job Wall-clock time: {elapsed(seconds)}",
        f"Memory Utilized: {memory.split(' of ')[0]}",
        f"Memory Efficiency: {100 * float(memory.split()[0]) / float(memory.split()[3]):.2f}% of {memory.split(' of ')[1]}",
    ]


def time_v(command: str, seconds: float, code: int) -> list[str]:
    """What GNU time says with -v."""
    hours, rest = divmod(seconds, 3600)
    wall = (
        f"{int(hours)}:{int(rest // 60):02d}:{int(rest % 60):02d}"
        if hours >= 1
        else f"{int(rest // 60)}:{rest % 60:05.2f}"
    )
    seed = sum(map(ord, command)) + int(seconds)
    cores = 1.2 + seed % 97 / 9
    head = [f"Command exited with non-zero status {code}"] if code else []
    return [
        *head,
        f'\tCommand being timed: "{command}"',
        f"\tUser time (seconds): {seconds * cores * 0.9:.2f}",
        f"\tSystem time (seconds): {seconds * cores * 0.1:.2f}",
        f"\tPercent of CPU this job got: {100 * cores:.0f}%",
        f"\tElapsed (wall clock) time (h:mm:ss or m:ss): {wall}",
        f"\tMaximum resident set size (kbytes): {9_000_000 + seed * 7919 % 60_000_000}",
        f"\tMajor (requiring I/O) page faults: {seed % 411}",
        f"\tVoluntary context switches: {int(seconds * (200 + seed % 900))}",
        "\tSwaps: 0",
        f"\tExit status: {code}",
    ]


def wandb(entity: str, project: str, run: str, summary: dict[str, str], *, online: bool = True) -> list[str]:
    """What wandb prints when a run is over."""
    out = ["wandb: ", "wandb: Run summary:"]
    wide = max(len(key) for key in summary)
    out += [f"wandb: {key:>{wide}} {value}" for key, value in summary.items()]
    out.append("wandb: ")
    if online:
        out.append(f"wandb: 🚀 View run sweet-river-{len(run)} at: https://wandb.ai/{entity}/{project}/runs/{run}")
        out.append("wandb: Synced 5 W&B file(s), 0 media file(s), 2 artifact file(s) and 1 other file(s)")
    else:
        out.append(
            f"wandb: You can sync this run to the cloud by running:\nwandb: wandb sync ./wandb/offline-run-{run}"
        )
    out.append(f"wandb: Find logs at: ./wandb/run-{run}/logs")
    return out


SACCT = "JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|NNodes|AllocTRES|MaxRSS|NodeList"


def sacct(
    job: Job,
    state: str,
    code: str,
    start: datetime,
    end: datetime,
    step: str | None = None,
    used: float = 0.0,
) -> list[str]:
    """Rows of ``sacct -P`` for one job, its batch step and its step 0; of one that runs ``end`` is when it was asked.

    Args:
        job: The job.
        state: Its state, as sacct prints it.
        code: Its exit code and signal.
        start: When it began.
        end: When it ended, or was still there.
        step: State of its steps, where it is not the job's.
        used: Part of a node's memory that was in use at most.
    """
    form = "%Y-%m-%dT%H:%M:%S"
    last = "Unknown" if state == "RUNNING" else f"{end:{form}}"
    took = elapsed((end - start).total_seconds())
    count, gib = len(job.nodes), 60 * job.gpus
    tres = f"billing={8 * job.gpus * count},cpu={8 * job.gpus * count},gres/gpu={job.gpus * count},mem={gib * count}G,node={count}"
    rss = f"{int((used or 0.2 + job.number * 31 % 53 / 100) * gib * 1048576)}K"
    nodes = ",".join(job.nodes)
    inner = step or state
    inner_code = "0:15" if inner == "CANCELLED" else code
    head = f"{job.number}|{job.name}|{job.partition}|{state}|{code}|{start:{form}}|{last}|{took}|{job.limit}"
    rows = [f"{head}|{count}|{tres}||{nodes}"]
    for name, label, where, many in (("batch", "batch", job.nodes[0], 1), ("0", "python", nodes, count)):
        rows.append(
            f"{job.number}.{name}|{label}||{inner}|{inner_code}|{start:{form}}|{last}|{took}||"
            f"{many}|cpu={8 * job.gpus * many},mem={gib * many}G,node={many}|{rss if name == '0' else '21044K'}|{where}"
        )
    return rows
