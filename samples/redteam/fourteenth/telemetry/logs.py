"""SIMULATED logs of jobs for the incidents of the fourteenth set: how loops of different houses speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lab import loss_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .lab import Lab


def plain(lab: Lab, rows: Iterable[tuple[int, float]], total: int, *, floor: float = 2.2, skew: float = 0) -> list[str]:
    """A logger with times: step of total, loss, rate, tokens."""
    out, before = [], None
    for step, time in rows:
        each = "" if before is None else f"  {time - before:.2f}s"
        before = time
        out.append(
            f"{lab.stamp(time + skew)},{lab.rng.randrange(1000):03} INFO train: step {step}/{total} "
            f"loss {loss_at(step, lab.rng, floor=floor):.4f} lr {3e-4 * min(1, step / 100):.2e}{each}"
        )
    return out


def megatron(lab: Lab, rows: Sequence[tuple[int, float]], total: int, every: int, batch: int) -> list[str]:
    """Megatron-LM."""
    out, before = [], rows[0][1]
    for step, time in rows:
        if step % every:
            continue
        ms, before = max(1.0, (time - before) / every * 1000), time
        out.append(
            f" [{lab.stamp(time)}] iteration {step:8}/{total:8} | consumed samples: {step * batch:12} | elapsed time per iteration (ms): "
            f"{ms:.1f} | learning rate: 1.500000E-04 | global batch size: {batch:5} | lm loss: {loss_at(step, lab.rng):.6E} | "
            f"loss scale: 1.0 | grad norm: {lab.rng.uniform(0.7, 1.5):.3f} | number of skipped iterations:   0 | "
            "number of nan iterations:   0 |"
        )
    return out


def titan(lab: Lab, rows: Sequence[tuple[int, float]], every: int) -> list[str]:
    """Torchtitan."""
    out, before = [], rows[0][1]
    for step, time in rows:
        if step % every:
            continue
        speed, before = 8192 * every / max(0.1, time - before), time
        out.append(
            f"[rank0]:[titan] {lab.stamp(time)},{lab.rng.randrange(1000):03} - root - INFO - step: {step:2}  "
            f"loss: {loss_at(step, lab.rng):8.5f}  grad_norm: {lab.rng.uniform(0.5, 1.6):7.4f}  memory: 58.17GiB(73.54%)  "
            f"tps: {round(speed):,}  tflops: {speed * 0.049:,.2f}  mfu: {speed * 0.0049:.2f}%"
        )
    return out


def hf(lab: Lab, rows: Sequence[tuple[int, float]], every: int, per_epoch: float, total: int) -> list[str]:
    """Transformers 4.x, with the bar beside the dicts; no clock in it but the bar's."""
    out = []
    for step, time in rows:
        if step % every:
            continue
        minutes, seconds = divmod(int(time - rows[0][1]), 60)
        rate = (time - rows[0][1]) / step
        out.append(
            f"{step / total:4.0%}|{'█' * int(10 * step / total):10}| {step}/{total} [{minutes:02}:{seconds:02}<00:00, {rate:5.2f}s/it]"
        )
        out.append(
            str(
                {
                    "loss": round(loss_at(step, lab.rng, top=2.6, floor=1.1), 4),
                    "grad_norm": lab.rng.uniform(0.3, 0.9),
                    "learning_rate": round(2e-5 * (1 - step / total), 12),
                    "epoch": round(step / per_epoch, 2),
                }
            )
        )
    return out


def watchdog(lab: Lab, rank: int, time: float, seq: int, op: str, numel: int, limit_ms: int = 600_000) -> list[str]:
    """The time-out of a collective on a rank that waited, as PyTorch 2.6 says it."""
    head = f"[rank{rank}]:[E{lab.stamp(time, '%m%d %H:%M:%S')}.{lab.rng.randrange(10**9):09} ProcessGroupNCCL.cpp"
    ran = limit_ms + lab.rng.randint(3, 95)
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)={limit_ms})"
    said = f"[Rank {rank}] Watchdog caught collective operation timeout: {work} ran for {ran} milliseconds before timing out."
    return [
        f"{head}:632] {said}",
        f"{head}:2268] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} "
        f"PG status: last enqueued work: {seq + 2}, last completed work: {seq - 1}",
        f"{head}:684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, "
        "subsequent GPU operations might run on corrupted/incomplete data.",
        f"{head}:698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        f"{head}:1895] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: {said}",
    ]


def child_failed(
    lab: Lab, time: float, script: str, host: str, rank: int, local: int, code: int, pid: int
) -> list[str]:
    """The agent's summary."""
    names = {-6: "SIGABRT", -7: "SIGBUS", -9: "SIGKILL", -11: "SIGSEGV", -15: "SIGTERM"}
    said = (
        f"Signal {-code} ({names[code]}) received by PID {pid}"
        if code < 0
        else ("To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html")
    )
    return [
        f"E{lab.stamp(time, '%m%d %H:%M:%S')}.{lab.rng.randrange(1000):03}000 {pid - 41} torch/distributed/elastic/multiprocessing/api.py:874] "
        f"failed (exitcode: {code}) local_rank: {local} (pid: {pid}) of binary: /opt/conda/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 270, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        f"{script} FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {lab.stamp(time, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {host}",
        f"  rank      : {rank} (local_rank: {local})",
        f"  exitcode  : {code} (pid: {pid}) {f' ({names[code]})' if code < 0 else ''}",
        "  error_file: <N/A>",
        f"  traceback : {said}",
        "=" * 60,
    ]
