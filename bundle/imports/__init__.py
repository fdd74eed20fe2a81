"""Bundles from what exists already: files of many kinds, told apart by their content.

`KINDS` is the one list of readers, most specific first; the last takes every text that nobody else claims.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from inquest.bundle.imports.kind import Kind

KINDS: Final[tuple[str, ...]] = (
    # binary and JSON forms: told by magic bytes or keys, so that none can be mistaken for another
    "flight_recorder",
    "kineto",
    "ingero",
    "slurm_json",
    "nccl_inspector",
    "nccl_ras",
    "py_spy",
    "tensorboard",
    "wandb",
    "trainer_state",
    "mlflow",
    "containers",
    "job_services",
    "log_records",
    "notebook",
    "prometheus_json",
    "dcgmi_json",
    "gpustat",
    # text in a form of its own
    "nccl_debug",
    "slurm_sacct",
    "slurm_scontrol",
    "slurm_config",
    "slurm_daemons",
    "slurm_jobcomp",
    "slurm_sdiag",
    "slurm_squeue",
    "slurm_sinfo",
    "nvidia_smi_xml",
    "nvidia_smi_csv",
    "nvidia_smi",
    "gpu_inventory",
    "job_script",
    "dcgmi",
    "prometheus",
    "telegraf",
    "grafana_csv",
    "own_gpu_csv",
    "lightning_csv",
    "metric_lines",
    "gpu_exports",
    "run_state",
    "settings",
    "exit_status",
    "failure_json",
    "log_in_json",
    # text with the prefix of a daemon before every line
    "kernel_log",
    "journal",
    # whatever else is text
    "log",
)
"""Modules of this folder, one line each; every one has an object ``KIND``. They are asked in this order."""


@cache
def reader(module: str) -> Kind:
    """The reader in a module of ``KINDS``, which is loaded when it is first asked for."""
    return cast("Kind", importlib.import_module(f"{__name__}.{module}").KIND)


def kinds() -> tuple[Kind, ...]:
    """The readers, in the order they are asked."""
    return tuple(reader(module) for module in KINDS)
