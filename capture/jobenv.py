"""The environment variables that are recorded. Nothing outside this list ever reaches a file.

Each says how a distributed job was laid out or tuned; none carries a secret by its documented purpose. Sources: the
torchrun, NCCL, CUDA and Slurm manuals.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the wrapper reads this module, and typing costs milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final


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
    SLURM_STEP_ID SLURM_STEPID SLURM_STEP_NODELIST SLURM_STEP_NUM_TASKS SLURM_STEP_GPUS
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
