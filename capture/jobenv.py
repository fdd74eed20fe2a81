"""The environment variables that are recorded. Nothing outside this list ever reaches a file.

Each says how a distributed job was laid out or tuned; none carries a secret by its documented purpose. Sources: the
torchrun, NCCL, CUDA and Slurm manuals.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the wrapper reads this module, and typing costs milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final


OURS: Final = "INQUEST_RECORDER"
"""Marks our recorders, which bear a job's variables and are none of it, for whoever attaches to the job beside them."""


def names(text: str) -> frozenset[str]:
    """Words of a text as a set."""
    return frozenset(text.split())


LAYOUT: Final = names(
    """
    RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE GROUP_RANK GROUP_WORLD_SIZE ROLE_RANK ROLE_WORLD_SIZE NODE_RANK
    MASTER_ADDR MASTER_PORT TORCHELASTIC_RESTART_COUNT TORCHELASTIC_MAX_RESTARTS TORCHELASTIC_RUN_ID
    OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_SIZE PMI_RANK PMI_SIZE
    """
)
SLURM: Final = names(
    """
    SLURM_JOB_ID SLURM_JOBID SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_JOB_NAME SLURM_JOB_PARTITION SLURM_JOB_QOS
    SLURM_JOB_NODELIST SLURM_JOB_NUM_NODES SLURM_JOB_GPUS SLURM_JOB_START_TIME SLURM_JOB_END_TIME
    SLURM_STEP_ID SLURM_STEPID SLURM_STEP_NODELIST SLURM_STEP_NUM_NODES SLURM_STEP_NUM_TASKS SLURM_STEP_GPUS
    SLURM_PROCID SLURM_LOCALID SLURM_NODEID SLURM_NTASKS SLURM_NNODES SLURM_TASKS_PER_NODE SLURM_CPUS_PER_TASK
    SLURM_CPUS_ON_NODE SLURM_GPUS_ON_NODE SLURM_MEM_PER_NODE SLURM_MEM_PER_CPU SLURM_RESTART_COUNT SLURMD_NODENAME
    SLURM_CLUSTER_NAME
    """
)
TUNING: Final = names(
    """
    CUDA_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES CUDA_LAUNCH_BLOCKING CUDA_DEVICE_ORDER CUDA_DEVICE_MAX_CONNECTIONS
    PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF OMP_NUM_THREADS TORCH_DISTRIBUTED_DEBUG TORCH_CPP_LOG_LEVEL
    TORCH_NCCL_ASYNC_ERROR_HANDLING TORCH_NCCL_BLOCKING_WAIT TORCH_NCCL_ENABLE_MONITORING
    TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC TORCH_NCCL_TRACE_BUFFER_SIZE TORCH_NCCL_DUMP_ON_TIMEOUT
    NCCL_ASYNC_ERROR_HANDLING NCCL_BLOCKING_WAIT NCCL_DEBUG NCCL_DEBUG_SUBSYS NCCL_SOCKET_IFNAME NCCL_IB_DISABLE
    NCCL_IB_HCA NCCL_IB_TIMEOUT NCCL_IB_RETRY_CNT NCCL_P2P_DISABLE NCCL_P2P_LEVEL NCCL_SHM_DISABLE NCCL_ALGO NCCL_PROTO
    NCCL_NET NCCL_CROSS_NIC NCCL_NVLS_ENABLE NCCL_CUMEM_ENABLE GLOO_SOCKET_IFNAME
    """
)
ALLOWED: Final = LAYOUT | SLURM | TUNING


def allowed(environ: Mapping[str, str]) -> dict[str, str]:
    """The recorded part of an environment, sorted by name."""
    return {name: environ[name] for name in sorted(ALLOWED & environ.keys())}


def job_id(environ: Mapping[str, str]) -> str | None:
    """Scheduler's job id, null outside a job."""
    return environ.get("SLURM_JOB_ID") or environ.get("SLURM_JOBID") or None


def step_id(environ: Mapping[str, str]) -> str | None:
    """Scheduler's step id, null outside a step."""
    return environ.get("SLURM_STEP_ID") or environ.get("SLURM_STEPID") or None


def number(environ: Mapping[str, str], name: str) -> int | None:
    """A variable that must be a small non-negative integer; null when it is not."""
    value = environ.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) <= 9 else None


LAUNCHERS: Final = names(
    """
    torchrun torch.distributed.run torch.distributed.launch accelerate accelerate.commands.launch deepspeed
    deepspeed.launcher.launch deepspeed.launcher.runner horovodrun mpirun mpiexec srun
    """
)
"""Console scripts and modules that start ranks."""
SHELLS: Final = names("sh bash dash zsh ksh env timeout numactl nice nohup stdbuf tee singularity apptainer")
"""Programs that start another and are not it."""
_FIRST_SPECIAL_STEP: Final = 0xFFFFFFF0
"""Numbers of steps from here on are Slurm's own: the batch script, the container of a job, a shell."""


def is_launcher(words: Sequence[str]) -> bool:
    """Whether a command line is that of a launcher: by its program, or by the script or module Python runs."""
    if not words:
        return False
    program = words[0].rpartition("/")[2]
    if program in LAUNCHERS:
        return True
    if not program.startswith("python"):
        return False
    for word, following in zip(words[1:], [*words[2:], ""], strict=True):
        if word == "-m":
            return following in LAUNCHERS
        if not word.startswith("-"):
            return word.rpartition("/")[2] in LAUNCHERS
    return False


def rank(environ: Mapping[str, str], words: Sequence[str]) -> int | None:
    """The rank of a process by its environment: RANK, else SLURM_PROCID where every task of an srun step is one rank.

    The task of a launcher is none, and neither is the only task of a node with several GPUs: it starts its ranks
    itself. With one task a node, what a shell will start is not known; with several, each is a rank whatever is behind.

    Args:
        environ: of the process.
        words: its command line.
    """
    told = number(environ, "RANK")
    if told is not None:
        return told
    step = environ.get("SLURM_STEP_ID") or environ.get("SLURM_STEPID") or ""
    if not (step.isascii() and step.isdigit()) or int(step) >= _FIRST_SPECIAL_STEP or is_launcher(words):
        return None
    tasks = number(environ, "SLURM_STEP_NUM_TASKS") or number(environ, "SLURM_NTASKS") or 0
    nodes = number(environ, "SLURM_STEP_NUM_NODES") or number(environ, "SLURM_NNODES") or 1
    alone = tasks <= nodes
    if tasks < 2 or (alone and (_gpus(environ) > 1 or (words[:1] and words[0].rpartition("/")[2] in SHELLS))):
        return None
    return number(environ, "SLURM_PROCID")


def by_procid(environ: Mapping[str, str]) -> dict[str, int | None]:
    """What the other variables of torch's would say of a process whose rank is SLURM_PROCID."""
    return {
        "local_rank": number(environ, "SLURM_LOCALID"),
        "world_size": number(environ, "SLURM_STEP_NUM_TASKS") or number(environ, "SLURM_NTASKS"),
    }


def _gpus(environ: Mapping[str, str]) -> int:
    """GPUs that a task may use, as far as its environment tells."""
    told = number(environ, "SLURM_GPUS_ON_NODE")
    if told is not None:
        return told
    lists = (environ.get(name, "") for name in ("CUDA_VISIBLE_DEVICES", "SLURM_STEP_GPUS", "SLURM_JOB_GPUS"))
    return max(len(text.split(",")) if text else 0 for text in lists)
