"""What a file must hold for a reader to be worth asking, so that a plain log loads none of the readers of other forms.

A gate is a necessary condition, never a sufficient one: a reader that claims a file has its gate open for it (tested on
every file at hand). A reader without a gate is always asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from inquest.bundle.imports.source import Source

_FIRST_BYTES: Final = 1 << 13
_SQLITE: Final = b"SQLite format 3\0"


def _is_json(source: Source) -> bool:
    return source.head.lstrip(b"\xef\xbb\xbf\x1e \t\r\n")[:1] in (b"{", b"[")


def _is_xml(source: Source) -> bool:
    return source.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"


def _holds(pattern: bytes) -> Callable[[Source], bool]:
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda source: compiled.search(source.head[:_FIRST_BYTES]) is not None


_slurm_text: Final = _holds(
    rb"(?i:job_?id|jobname|nodelist|nodename|hostnames?\b|partition|stepid|exitcode|sdiag|sinfo|squeue|sacct|scontrol)"
    rb"|\b(?:State|STATE|Start|START|End|END|Elapsed|User|USER|Submit|NODES|REASON|Time)\b"
    rb"|\b(?:COMPLETED|FAILED|CANCELLED|TIMEOUT|RUNNING|PENDING|PREEMPTED|REQUEUED|SUSPENDED)\b"
    rb"|\b(?:NODE_FAIL|OUT_OF_ME\w*|BOOT_FAIL|DEADLINE)\b"
)
_names_gpus: Final = re.compile(rb"(?i)gpu|nvidia|nvml|cuda|dcgm|vram|xid|(?<![a-z])sm[ _.-]")
_smi: Final = _holds(rb"(?i:gpu|nvidia|nvsmi|utilization|memory\.|temperature|clocks|power\.|pci|uuid|mib)|^# Date")
_syslog: Final = _holds(
    rb"^(?:<\d+>)?(?:\[ *[+\d]|\[[A-Z][a-z]{2} |[A-Z][a-z]{2} [ \d]\d \d\d:|[A-Z][a-z]{2} 20\d\d-|20\d\d-\d\d-\d\dT"
    rb"|1\d{9}\.\d{6} |[a-z]{3,8} *: *[a-z]+ *:|\d{1,4},\d+,\d+,|__CURSOR=|-- )|\[[A-Z][a-z]{2} ?\d"
)


_is_kubectl: Final = _holds(
    rb"^Name: +\S|^(?:NAMESPACE +)?(?:LAST SEEN +TYPE|NAME +READY +STATUS)|^(?:- )?apiVersion: "
)


_SETTINGS: Final = re.compile(r"\.(?:ya?ml|json|toml|txt|ini|csv)$", re.IGNORECASE)
_says_status: Final = _holds(rb"(?i:exit|ret|rc|status|code|result|signal)|\A\s*-?\d{1,3}\s*\Z")


_is_log_table: Final = _holds(
    rb"(?i)\A(?=[^\n]*[,;\t])(?=[^\n]*(?:time|date))[^\n]*(?:message|line|log|_raw|payload|msg|content)"
)


def _is_messages(source: Source) -> bool:
    return _is_json(source) or _syslog(source)


_GATES: Final[dict[str, Callable[[Source], bool]]] = {
    "flight_recorder": lambda source: _is_json(source) or source.head[:1] == b"\x80",
    "kineto": _is_json,
    "ingero": lambda source: source.head.startswith(_SQLITE),
    "slurm_json": _is_json,
    "nccl_inspector": _is_json,
    "py_spy": lambda source: _is_json(source) or b"Python v" in source.head[:_FIRST_BYTES],
    "tensorboard": lambda source: b"\0" in source.head[:12],
    "wandb": lambda source: _is_json(source) or source.head.startswith(b":W&B"),
    "trainer_state": _is_json,
    "mlflow": lambda source: (
        source.head.startswith(_SQLITE)
        or b"lifecycle_stage" in source.head
        or any(f"{folder}/" in source.name for folder in ("metrics", "tags", "params"))
    ),
    "prometheus_json": _is_json,
    "containers": lambda source: _is_json(source) or _is_kubectl(source),
    "log_records": lambda source: _is_json(source) or _is_log_table(source),
    "log_in_json": lambda source: source.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[", b"f", b"c", b"o"),
    "notebook": lambda source: source.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{",
    "dcgmi_json": _holds(rb'"DCGM (?:GPU )?Diagnostic"|"body"\s*:'),
    "slurm_sacct": _slurm_text,
    "slurm_scontrol": _slurm_text,
    "slurm_config": _holds(rb"^Configuration data as of "),
    "slurm_daemons": _holds(rb"^\[(?:20\d\d-\d\d-\d\dT|[A-Z][a-z]{2} |\d{6,20}\])"),
    "slurm_jobcomp": _slurm_text,
    "slurm_sdiag": _slurm_text,
    "slurm_squeue": _slurm_text,
    "slurm_sinfo": _slurm_text,
    "nvidia_smi_xml": _is_xml,
    "nvidia_smi_csv": _smi,
    "nvidia_smi": _smi,
    "gpu_inventory": _holds(rb"\(UUID: GPU-"),
    "job_script": lambda source: source.head.lstrip(b"\xef\xbb\xbf")[:1] == b"#",
    "dcgmi": _holds(rb"Entity|Diagnostic|Health Monitor|Device Information"),
    "prometheus": _holds(rb"^(?:#\s*(?:HELP|TYPE|UNIT)|[A-Za-z_:][\w:]*(?:\s*\{|\s+[-+.\dNI]))"),
    "grafana_csv": _holds(rb"(?i)t\0?i\0?m\0?e|d\0?a\0?t\0?e|zeit|fecha|temps"),
    "settings": lambda source: _SETTINGS.search(source.name) is not None,
    "exit_status": lambda source: len(source.head) <= _FIRST_BYTES and _says_status(source),
    "run_state": lambda source: (
        source.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
        or b"stat" in source.head[:_FIRST_BYTES].partition(b"\n")[0].lower()
    ),
    "failure_json": lambda source: source.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{",
    "gpustat": _is_json,
    "own_gpu_csv": _holds(
        "(?i)\\A[^\n]*(?:util|usage|busy|load|auslastung|uso|charge|occupation|利用率|使用率|[Зз]агрузка)".encode()
    ),
    "gpu_exports": lambda source: "nvidia" in source.name or _names_gpus.search(source.head[:65536]) is not None,
    "telegraf": _holds(rb"(?i)util|gpu|dcgm"),
    "kernel_log": _is_messages,
    "journal": _is_messages,
}
"""By module, as in ``KINDS``."""


def open_for(source: Source, modules: Iterable[str]) -> Iterator[str]:
    """Those of ``modules`` whose readers could claim the file, in the same order."""
    passed: dict[Callable[[Source], bool], bool] = {}
    for module in modules:
        gate = _GATES.get(module)
        if gate is None:
            yield module
            continue
        if gate not in passed:
            passed[gate] = gate(source)
        if passed[gate]:
            yield module
