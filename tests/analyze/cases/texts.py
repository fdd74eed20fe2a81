"""Pieces of logs in the formats of real programs. All values are invented."""

from __future__ import annotations

import json
import math


def lines(*parts: str) -> str:
    """Parts under each other, with a line end after each."""
    return "".join(part if part.endswith("\n") else part + "\n" for part in parts)


def falling(count: int, start: float = 8.0, end: float = 3.0) -> list[float]:
    """Losses of a run that learns, with a little noise."""
    return [
        end + (start - end) * math.exp(-4 * i / count) + 0.02 * math.sin(7 * i) * (start - end) for i in range(count)
    ]


# --- training progress ----------------------------------------------------------------------------------------------
def hf4(losses: list[float], total: int | None = None, grad: float = 1.2) -> str:
    """Transformers 4: dict lines with floats."""
    return "".join(
        f"{{'loss': {value:.4f}, 'grad_norm': {grad + i % 3 / 10}, 'learning_rate': {2e-5 * (1 - i / len(losses)):.6e},"
        f" 'epoch': {(i + 1) / len(losses):.2f}}}\n"
        for i, value in enumerate(losses)
    ).replace("nan", "nan")


def hf5(losses: list[float], first: int = 1, total: int = 40) -> str:
    """Transformers 5: a bar and, glued to it, dict lines of strings."""
    parts = []
    for i, value in enumerate(losses, first):
        seconds = f"00:{i % 60:02d}"
        parts.append(f"\r {100 * i // total:2d}%|##        | {i}/{total} [{seconds}<00:10,  2.13it/s]")
        parts.append(
            f"{{'loss': '{value:.4g}', 'grad_norm': '0.9{i % 10}', 'learning_rate': '{2e-4:.4g}',"
            f" 'epoch': '{i / total:.4g}'}}\n"
        )
    return "".join(parts)


def hf_end(runtime: float = 512.3, loss: float = 3.4) -> str:
    """Final summary of transformers 4."""
    return (
        f"{{'train_runtime': {runtime}, 'train_samples_per_second': 31.2, 'train_steps_per_second': 3.9,"
        f" 'train_loss': {loss}, 'epoch': 1.0}}\n"
    )


def megatron(losses: list[float], total: int = 500, every: int = 10, scale: float = 1.0, skipped: int = 0) -> str:
    """Megatron-LM's line an interval."""
    return "".join(
        f" [2026-03-0{1 + i // 60 % 9} 10:{i % 60:02d}:07] iteration {every * (i + 1):8d}/{total:8d} |"
        f" consumed samples: {2560 * (i + 1):12d} | elapsed time per iteration (ms): 1234.{i % 10} |"
        f" learning rate: 1.500000E-04 | global batch size:   256 |"
        f" lm loss: {value:.6E} | loss scale: {scale:.1f} | grad norm: 1.{i % 10}34 |"
        f" number of skipped iterations: {skipped:3d} | number of nan iterations:   0 |\n"
        for i, value in enumerate(losses)
    )


def nanogpt(losses: list[float], every: int = 10) -> str:
    """NanoGPT's iterations."""
    return "".join(
        f"iter {every * i}: loss {value:.4f}, time {231.2 + i % 5:.2f}ms, mfu {38.1 + i % 3:.2f}%\n"
        for i, value in enumerate(losses)
    )


def titan(losses: list[float], every: int = 10, first: int = 1) -> str:
    """Torchtitan through its launcher (tee prefix, ANSI colours)."""
    return "".join(
        f"[rank0]:[titan] 2026-08-21 21:{30 + i // 60:02d}:{i % 60:02d},123 - root - INFO - \x1b[31mstep: {every * i:2d}"
        f"  \x1b[32mloss: {value:8.5f}  \x1b[38;2;180;60;0mgrad_norm:  1.2345  \x1b[38;2;54;234;195mmemory: 42.17GiB(53.20%)"
        f"  \x1b[34mtps: 7,812  \x1b[36mtflops: 345.67  \x1b[35mmfu: 34.95%\x1b[39m\n"
        for i, value in enumerate(losses, first)
    )


def lightning(losses: list[float], epoch: int = 0) -> str:
    """Lightning's tqdm bar, one state a step."""
    n = len(losses)
    return "".join(
        f"\rEpoch {epoch}: {100 * (i + 1) // n:3d}%|####| {i + 1}/{n} [00:{i % 60:02d}<00:01, 63.6it/s, v_num=0,"
        f" train_loss={value:.3f}]"
        for i, value in enumerate(losses)
    )


def keras(losses: list[float]) -> str:
    """Keras, verbose=2."""
    n = len(losses)
    return "".join(
        f"Epoch {i + 1}/{n}\n313/313 - 4s - 12ms/step - loss: {value:.4f} - val_loss: {value + 0.2:.4f}\n"
        for i, value in enumerate(losses)
    )


def plain(losses: list[float], every: int = 10, total: int | None = None, first: int = 1) -> str:
    """A hand-written loop; ``first`` is the number of its first report."""
    of = f"/{total}" if total else ""
    return "".join(f"step {every * i}{of} loss {value:.4f}\n" for i, value in enumerate(losses, first))


def epochs(losses: list[float], epoch: int = 1) -> str:
    """Another hand-written loop, with the clock of the logging module."""
    return "".join(
        f"2026-03-11 11:{i // 60 % 60:02d}:{i % 60:02d},{i % 1000:03d} INFO train: Epoch {epoch}/3, Step {50 * (i + 1)},"
        f" Loss: {value:.4f}\n"
        for i, value in enumerate(losses)
    )


def json_lines(losses: list[float], grad: list[float] | None = None) -> str:
    """Structured logging, one object a line."""
    return "".join(
        json.dumps(
            {
                "ts": f"2026-04-01T12:{i // 60:02d}:{i % 60:02d}Z",
                "level": "info",
                "step": (i + 1) * 5,
                "loss": round(value, 4),
                "grad_norm": grad[i] if grad else 0.8,
                "lr": 3e-4,
            }
        )
        + "\n"
        for i, value in enumerate(losses)
    )


# --- crashes --------------------------------------------------------------------------------------------------------
def traceback(error: str, frame: str = "/workspace/train.py", function: str = "main", line: int = 88) -> str:
    """A Python traceback of two frames."""
    return lines(
        "Traceback (most recent call last):",
        f'  File "{frame}", line {line + 120}, in <module>',
        "    main()",
        f'  File "{frame}", line {line}, in {function}',
        "    out = step(batch)",
        "          ^^^^^^^^^^^",
        error,
    )


def prefixed(prefix: str, text: str) -> str:
    """Every line behind a prefix."""
    return "".join(prefix + line + "\n" for line in text.splitlines())


def agent(code: int, local_rank: int = 0, pid: int = 21007, others: tuple[int, ...] = (), old: str = "") -> str:
    """What torchrun's agent says when a worker fails; ``old`` is the wording's torch version."""
    if old == "1.13":
        return "".join(
            f"WARNING:torch.distributed.elastic.multiprocessing.api:Sending process {p} closing signal SIGTERM\n"
            for p in others
        ) + (
            f"ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: {code}) local_rank: {local_rank}"
            f" (pid: {pid}) of binary: /opt/conda/bin/python3\n"
        )
    if old == "2.1":
        return (
            "[2024-04-10 16:02:56,193] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode:"
            f" {code}) local_rank: {local_rank} (pid: {pid}) of binary: /opt/conda/bin/python\n"
        )
    head = "E0311 18:20:52.381000 13081 torch/distributed/elastic/multiprocessing/api.py:1002]"
    return "".join(
        f"W0311 18:20:52.263000 13081 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process {p} closing"
        " signal SIGTERM\n"
        for p in others
    ) + (f"{head} failed (exitcode: {code}) local_rank: {local_rank} (pid: {pid}) of binary: /opt/venv/bin/python3\n")


_NAMES = {-9: "SIGKILL", -15: "SIGTERM", -6: "SIGABRT", -11: "SIGSEGV", -7: "SIGBUS"}


def entry(number: int, rank: int, code: int, pid: int, host: str = "gpu-17", when: str = "2026-03-11_18:20:52") -> str:
    """One entry of torchrun's summary."""
    name = f" ({_NAMES[code]})" if code in _NAMES else ""
    told = (
        f"Signal {-code} ({_NAMES[code]}) received by PID {pid}"
        if code in _NAMES
        else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
    )
    return lines(
        f"[{number}]:",
        f"  time      : {when}",
        f"  host      : {host}",
        f"  rank      : {rank} (local_rank: {rank % 8})",
        f"  exitcode  : {code} (pid: {pid}) {name}",
        "  error_file: <N/A>",
        f"  traceback : {told}",
    )


def summary(root: str, others: str = "  <NO_OTHER_FAILURES>\n", script: str = "train.py") -> str:
    """torchrun's final summary, with the traceback of torchrun itself."""
    return lines(
        "Traceback (most recent call last):",
        '  File "/opt/venv/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/opt/venv/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 277, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 56,
        f"{script} FAILED",
        "-" * 56,
        "Failures:",
        others,
        "-" * 56,
        "Root Cause (first observed failure):",
        root,
        "=" * 56,
    )


def peer_lost(rank: int) -> str:
    """A victim's traceback under gloo."""
    return prefixed(
        f"[rank{rank}]: ",
        traceback(
            "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:537] Read error [10.0.0.4]:3729:"
            " Connection reset by peer. This is typically caused by a remote worker hanging or bugs in the application."
        ),
    )


def watchdog(rank: int, seq: int, op: str = "ALLREDUCE", last: int | None = None, ms: int = 600000) -> str:
    """ProcessGroupNCCL's time-out as torch 2.6 to 2.13 words it."""
    head = f"[rank{rank}]:[E311 02:07:08.408271257 ProcessGroupNCCL.cpp:"
    done = seq - 1 if last is None else last
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn=9801523, NumelOut=9801523, Timeout(ms)={ms})"
    return lines(
        f"{head}632] [Rank {rank}] Watchdog caught collective operation timeout: {work} ran for {ms + 41} milliseconds"
        " before timing out.",
        f"{head}2271] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id:"
        f" {seq} PG status: last enqueued work: {seq + 2}, last completed work: {done}",
        f"{head}684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA"
        " kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"{head}698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception:"
        f" [Rank {rank}] Watchdog caught collective operation timeout: {work} ran for {ms + 41} milliseconds before"
        " timing out.",
    )


def old_watchdog(rank: int, seq: int, op: str = "ALLREDUCE") -> str:
    """The same as torch 1.13 words it, without time or numels."""
    return lines(
        f"[E ProcessGroupNCCL.cpp:737] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq},"
        f" OpType={op}, Timeout(ms)=1800000) ran for 1800123 milliseconds before timing out.",
        "[E ProcessGroupNCCL.cpp:414] Some NCCL operations have failed or timed out. Due to the asynchronous nature of"
        " CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data. To avoid this inconsistency,"
        " we are taking the entire process down.",
        "terminate called after throwing an instance of 'std::runtime_error'",
        f"  what():  [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op},"
        " Timeout(ms)=1800000) ran for 1800123 milliseconds before timing out.",
    )


# --- memory ---------------------------------------------------------------------------------------------------------
OOM_OLD = (
    "RuntimeError: CUDA out of memory. Tried to allocate 12.50 MiB (GPU 0; 10.92 GiB total capacity; 8.57 GiB already"
    " allocated; 9.28 MiB free; 4.68 MiB cached)"
)
OOM_1_13 = (
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 3; 79.15 GiB total capacity;"
    " 76.13 GiB already allocated; 415.88 MiB free; 77.80 GiB reserved in total by PyTorch) If reserved memory is >>"
    " allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management"
    " and PYTORCH_CUDA_ALLOC_CONF"
)
OOM_2_1 = (
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 MiB. GPU 0 has a total capacty of 4.00 GiB"
    " of which 41.56 MiB is free. Including non-PyTorch memory, this process has 3.44 GiB memory in use. Of the allocated"
    " memory 2.58 GiB is allocated by PyTorch, and 1.90 MiB is reserved by PyTorch but unallocated. If reserved but"
    " unallocated memory is large try setting max_split_size_mb to avoid fragmentation."
)
OOM_2_9 = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 5 has a total capacity of 139.80 GiB of"
    " which 2.16 GiB is free. Process 402133 has 61.20 GiB memory in use. Including non-PyTorch memory, this process has"
    " 76.30 GiB memory in use. Of the allocated memory 70.11 GiB is allocated by PyTorch, and 5.02 GiB is reserved by"
    " PyTorch but unallocated. If reserved but unallocated memory is large try setting"
    " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management"
    "  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
)


def oom_kill(pid: int, name: str = "python3", cgroup: str = "/slurm/uid_2001/job_1007/step_0/task_1") -> str:
    """The kernel's report of a cgroup's out-of-memory kill (cut)."""
    return lines(
        f"[ 1867.836626] {name} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        "[ 1867.836905] memory: usage 614400kB, limit 614400kB, failcnt 1281",
        f"[ 1867.837085] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg={cgroup},"
        f"task_memcg={cgroup},task={name},pid={pid},uid=2001",
        f"[ 1867.837111] Memory cgroup out of memory: Killed process {pid} ({name}) total-vm:1025364kB,"
        " anon-rss:314060kB, file-rss:80032kB, shmem-rss:0kB, UID:2001 pgtables:1100kB oom_score_adj:0",
    )


# --- scheduler ------------------------------------------------------------------------------------------------------
_SACCT = "JobID|JobName|Partition|State|ExitCode|DerivedExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NodeList"


def sacct(*runs: tuple[str, str, str, str, str], job: str = "7120", limit: str = "1-00:00:00") -> str:
    """``sacct -P``: (state, exit code, start, end, elapsed) a run, with a batch step each."""
    rows = [_SACCT]
    for state, code, start, end, elapsed in runs:
        rows.append(f"{job}|llm|train|{state}|{code}|0:0|{start}|{start}|{end}|{elapsed}|{limit}|2|gpu[01-02]")
        step = (
            "CANCELLED" if state.split()[0] in ("TIMEOUT", "PREEMPTED", "CANCELLED", "NODE_FAIL", "REQUEUED") else state
        )
        rows.append(
            f"{job}.batch|batch||{step}|{'0:15' if step != state else code}||{start}|{start}|{end}|{elapsed}||1|gpu01"
        )
    return lines(*rows)
