"""Facts of the 195 real logs, held against what was done to each run (../shared/reference/real-logs/README.md)."""

from functools import cache
from pathlib import Path

import polars as pl
import pytest

from inquest.analyze.logs import parse_logs
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.logs_import import import_logs

LOGS = Path(__file__).parents[2].parent / "shared/reference/real-logs"

pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="real logs (../shared/reference/real-logs) are not here")

NAMES = sorted(path.parent.name for path in LOGS.glob("*/log.txt"))

HEALTHY = [
    "deepspeed-resume",
    "deepspeed-train",
    "deepspeed-train-info",
    "hf-accelerate2",
    "hf-ddp2",
    "hf-explicit-format",
    "hf-notqdm",
    "hf-resume",
    "hf-save-every-step",
    "hf-tokens",
    "hf-train-5x",
    "hf-train-default",
    "hf4-explicit-format",
    "hf4-resume",
    "hf4-train",
    "hf4-train-default",
    "keras-ckpt",
    "keras-fit-verbose0",
    "keras-fit-verbose1",
    "keras-fit-verbose2",
    "keras-resume",
    "pl-ddp2",
    "pl-max-steps",
    "pl-resume",
    "pl-tqdm",
    "pl-train",
    "pl-verbose",
    "startup-peft-ok",
    "tf-fit",
    "torchrun-loglevel-info",
    "torchrun-ok",
    "trl-dpo",
    "trl-grpo",
    "trl-sft",
    "benign-bnb-4bit-cpu",
    "cuda-nogpu-amp",
    "cuda-nogpu-avail",
    "cuda-runtime-error-strings",
    "dataloader-too-many-workers",
    "hf-load-head",
    "hf4-load-head",
    "hf-resume-already-done",
    "deepspeed-fp16-overflow",
]

LAST_STEP = {
    "torchrun-ok": 10,
    "torchrun-sigkill": 4,
    "torchrun-tee": 4,
    "hf-train-5x": 40,
    "hf4-train": 40,
    "hf-train-default": 40,
    "hf4-train-default": 40,
    "hf-nan": 40,
    "hf-requeue-resumes": 60,
    "pl-tqdm": 16,
    "keras-fit-verbose1": 39,
    "keras-fit-verbose2": 39,
    "deepspeed-train": 19,
    "trl-sft": 10,
}

ROOT_EXCEPTION = {
    # folder: rank, class of the root cause
    "torchrun-raise": (1, "ValueError"),
    "torchrun-raise-record": (1, "ValueError"),
    "torchrun-tee": (1, "ValueError"),
    "hf-ddp2-raise": (1, "IndexError"),
    "pl-ddp2-raise": (1, "ValueError"),
    "pl-tqdm-raise": (None, "ValueError"),
    "deepspeed-raise": (1, "ValueError"),
    "deepspeed-raise-rank0": (0, "ValueError"),
    "ddp-shape-mismatch": (1, "RuntimeError"),
    "mp-spawn-raise": (1, "ValueError"),
    "startup-import": (None, "ModuleNotFoundError"),
    "startup-ds-bad": (None, "ValueError"),
    "dataloader-raise": (None, "FileNotFoundError"),
    "ckpt-dcp": (None, "ValueError"),
    "ckpt-zero": (None, "EOFError"),
    "rdzv-c10d-timeout": (None, "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError"),
    "jax-nan": (None, "FloatingPointError"),
}

KIND = {
    **dict.fromkeys(
        ("ckpt-size", "hf-resume-size-mismatch", "pl-size-mismatch", "deepspeed-resume-mismatch"), Kind.SIZE_MISMATCH
    ),
    **dict.fromkeys(("hf4-size-mismatch", "hf4-load-mismatch", "startup-peft-load", "ckpt-dcp"), Kind.SIZE_MISMATCH),
    **dict.fromkeys(
        ("hf-load-missing", "hf4-load-missing", "hf-load-mismatch", "ckpt-nonstrict"), Kind.CHECKPOINT_PARTIAL
    ),
    **dict.fromkeys(("hf-load-mismatch-ignored", "hf4-load-mismatch-ignored"), Kind.CHECKPOINT_PARTIAL),
    **dict.fromkeys(
        ("hf-nan", "hf-nan-nofilter", "hf-diverge", "hf4-nan", "hf4-diverge", "pl-nan", "pl-tqdm-nan"), Kind.NAN_LOSS
    ),
    **dict.fromkeys(("keras-nan", "keras-nan-silent", "keras-diverge", "jax-nan"), Kind.NAN_LOSS),
    **dict.fromkeys(
        ("rdzv-c10d-timeout", "rdzv-env-server-timeout", "rdzv-static-server-waits", "jax-dist"),
        Kind.RENDEZVOUS_TIMEOUT,
    ),
    **dict.fromkeys(("rdzv-env-client-timeout", "rdzv-static-client-timeout"), Kind.CONNECT_ERROR),
    **dict.fromkeys(("startup-hub-noconn", "startup-hub-offline", "startup-tokenizer-offline"), Kind.HUB_UNREACHABLE),
    **dict.fromkeys(("jax-oom", "jax-oom-jit", "tf-oom", "startup-cpu-oom", "startup-np-oom"), Kind.HOST_OOM_PYTHON),
    **dict.fromkeys(
        ("cuda-nogpu-cuda", "cuda-nogpu-nccl", "nccl-info-nogpu", "startup-cuda", "startup-bf16"), Kind.DRIVER_MISMATCH
    ),
    **dict.fromkeys(("dataloader-kill", "dataloader-exit", "dataloader-bus"), Kind.DATALOADER_WORKER_DIED),
    **dict.fromkeys(("ckpt-cut-big", "ckpt-garbage", "ckpt-safetensors", "keras-corrupt"), Kind.CHECKPOINT_LOAD_ERROR),
    **dict.fromkeys(("hf-resume", "hf4-resume", "pl-resume", "deepspeed-resume"), Kind.CHECKPOINT_LOADED),
    **dict.fromkeys(("torchrun-agent-sigterm", "pl-sigterm", "hf-ddp2-hang-outer-timeout"), Kind.SIGNAL_RECEIVED),
    **dict.fromkeys(("pl-sigint", "torchrun-agent-sigint"), Kind.USER_INTERRUPT),
    **dict.fromkeys(("ddp-detail-op", "ddp-detail-shape", "ddp-shape-mismatch"), Kind.COLLECTIVE_MISMATCH),
    **dict.fromkeys(("startup-json", "startup-yaml", "rdzv-env-missing"), Kind.CONFIG_ERROR),
    "rdzv-bad-host": Kind.DNS_ERROR,
    "rdzv-port-in-use": Kind.PORT_IN_USE,
    "torchrun-gloo-timeout": Kind.COLLECTIVE_TIMEOUT,
    "ddp-monitored-barrier": Kind.LATE_RANKS,
    "kernel-cgroup-oom": Kind.CGROUP_OOM,
    "kernel-segfault": Kind.SEGFAULT,
    "dataloader-hang": Kind.DATALOADER_TIMEOUT,
    "disk-full-safetensors": Kind.DISK_FULL,
    "disk-full-torch-save": Kind.CHECKPOINT_SAVE_ERROR,
    "deepspeed-resume-none": Kind.CHECKPOINT_SKIP,
    "hf-resume-none": Kind.NO_CHECKPOINT_FOUND,
    "ckpt-keys": Kind.MISSING_KEYS,
    "startup-args": Kind.USAGE_ERROR,
    "startup-peft": Kind.ADAPTER_TARGETS,
    "startup-so": Kind.IMPORT_BROKEN,
    "startup-localdir": Kind.MODEL_UNSUPPORTED,
    "startup-fd": Kind.TOO_MANY_FILES,
    "torchrun-2nodes-one-lost": Kind.RENDEZVOUS_LOST,
    "keras-gen": Kind.DATA_EXHAUSTED,
}

DEATH = {
    # folder: rank or None, exit code, signal, as the first failure
    "torchrun-sigkill": (1, None, 9),
    "torchrun-4rank-sigkill": (2, None, 9),
    "torchrun-segv": (1, None, 11),
    "torchrun-abort": (1, None, 6),
    "torchrun-exit1": (1, 1, None),
    "torchrun-redirects": (1, 1, None),
    "hf-ddp2-sigkill": (1, None, 9),
    "kernel-cgroup-oom": (1, None, 9),
}


@cache
def facts(name):
    return parse_logs(import_logs([LOGS / name / "log.txt"]))


@pytest.mark.parametrize("name", NAMES)
def test_every_log_is_read(name):
    assert facts(name)["fact_attempts"].height >= (1 if (LOGS / name / "log.txt").stat().st_size else 0)


@pytest.mark.parametrize("name", [name for name in HEALTHY if name in NAMES])
def test_healthy_log_has_no_cause(name):
    found = facts(name)
    assert found["fact_events"].filter(pl.col("role") == "root").rows() == []
    assert found["fact_exceptions"].filter("fatal").height == 0
    assert found["fact_exits"].height == 0


@pytest.mark.parametrize("name", sorted(KIND))
def test_kind(name):
    assert KIND[name] in set(facts(name)["fact_events"]["kind"])


@pytest.mark.parametrize("name", sorted(ROOT_EXCEPTION))
def test_root_exception(name):
    events = facts(name)["fact_events"].filter((pl.col("kind") == Kind.EXCEPTION) & (pl.col("role") == "root"))
    causes = facts(name)["fact_exceptions"].filter("fatal", pl.col("chain_index") == 0)
    rank, exc_type = ROOT_EXCEPTION[name]
    assert events["rank"][0] == rank
    assert exc_type in set(causes.filter(pl.col("rank").eq_missing(pl.lit(rank, pl.Int64)))["exc_type"])


@pytest.mark.parametrize("name", sorted(DEATH))
def test_first_death(name):
    ends = facts(name)["fact_exits"].filter("first_failure", pl.col("rank").is_not_null())
    assert ends.select("rank", "exit_code", "term_signal").row(0) == DEATH[name]


@pytest.mark.parametrize("name", sorted(LAST_STEP))
def test_last_step(name):
    assert facts(name)["fact_steps"]["step"].max() == LAST_STEP[name]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("hf-requeue-resumes", 2),
        ("hf-restart-ignores-checkpoints", 2),
        ("torchrun-restarts", 3),
        ("hf-train-5x", 1),
        ("pl-tqdm", 1),
        ("torchrun-raise", 1),
    ],
)
def test_attempts(name, count):
    assert facts(name)["fact_attempts"].height == count


def test_victims_are_no_causes():
    for name in (
        "torchrun-sigkill",
        "hf-ddp2-sigkill",
        "pl-ddp2-sigkill",
        "torchrun-gloo-timeout",
        "deepspeed-sigkill",
    ):
        events = facts(name)["fact_events"]
        assert events.filter((pl.col("kind") == Kind.EXCEPTION) & (pl.col("role") == "root")).height == 0, name
