"""Whether a recorded job was shown no GPU: then all it computed, it computed in the time its loop tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

_HIDDEN: Final = r'"CUDA_VISIBLE_DEVICES": ?"(?:-1)?"'
_OTHERS: Final = r'"(?:HIP|ROCR|TPU|ZE|HABANA)_VISIBLE_(?:DEVICES|CHIPS|MODULES)"'
_NO_LIBRARY: Final = "Library Not Found"
"""What NVML's loader says where no driver is installed."""
_NOT_MAPPED: Final = "no process of the job has mapped a library"
_ELSEWHERE: Final = r"(?i)\b(?:rocm|hip|amdgpu|tpu|xla:\d|mps|habana|hpu|npu|xpu)\b"
"""Words of a log that speak of devices for which nothing looked."""


def had_no_gpu(ev: Evidence) -> bool:
    """True where no node's job could reach a GPU: they were hidden from it, or neither driver nor caller was there."""
    if ev.has("gpu_samples"):
        return False
    env = ev.scan("node_info").select("node", env=pl.col("job_env").fill_null("")).collect()
    if env.is_empty() or env["env"].str.contains(_OTHERS).any():
        return False
    text = pl.col("text").fill_null("").str.slice(0, 400)
    if ev.has("log_lines") and ev.scan("log_lines").select(text.str.contains(_ELSEWHERE).any()).collect().item():
        return False
    hidden = env.group_by("node").agg(pl.col("env").str.contains(_HIDDEN).all())
    without = set(hidden.filter("env")["node"]) | (
        _says(ev, "nvml", _NO_LIBRARY) & _says(ev, "cuda_calls", _NOT_MAPPED)
    )
    return set(env["node"]) <= without


def _says(ev: Evidence, collector: str, words: str) -> set[str]:
    """Nodes on which a collector looked, and found each time what ``words`` say."""
    told = ev.scan("collection").filter(pl.col("collector") == collector)
    every = told.group_by("node").agg(pl.col("detail").fill_null("").str.contains(words, literal=True).all())
    return set(every.filter("detail").collect()["node"])
