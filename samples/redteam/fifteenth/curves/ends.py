"""How SIMULATED logs begin and end: the batch script's first lines, and what a time limit, a crash or a kill leave."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from .sim import Run

SCRIPTS = {
    "hf_lines": "run_clm.py",
    "hf_state": "finetune.py",
    "trl_sft": "sft.py",
    "trl_dpo": "dpo.py",
    "trl_grpo": "grpo.py",
    "megatron": "pretrain_gpt.py",
    "nemo": "pretrain.py",
    "nanogpt": "train.py",
    "deepspeed": "train_ds.py",
    "mmengine": "tools/train.py",
    "ultralytics": "fit_yolo.py",
    "sb3": "learn.py",
    "rllib": "tune_ppo.py",
    "xgboost": "boost.py",
    "lightgbm": "boost.py",
    "catboost": "boost.py",
}


def script(run: Run) -> str:
    """The program's name."""
    return SCRIPTS.get(run.framework, "train.py")


def preamble(run: Run, rng: Random, words: str = "") -> list[str]:
    """What the batch script echoes before Python speaks."""
    if not run.whole:
        return []
    when = run.start.strftime("%a %b %e %H:%M:%S UTC %Y")
    shapes = (
        [f"== job {run.job} on {run.host}, {when}", f"+ srun python -u {script(run)} {words}".rstrip()],
        [when, f"SLURM_JOB_ID={run.job} SLURM_NODELIST={run.host}", f"python {script(run)} {words}".rstrip()],
        [f"Job {run.job} started on {run.host} at {run.start:%Y-%m-%dT%H:%M:%S}"],
    )
    chosen = shapes[0] if words else rng.choice(shapes)
    return [*chosen, ""]


def _frames(run: Run, *calls: tuple[str, int, str, str]) -> list[str]:
    """A traceback's frames."""
    out = ["Traceback (most recent call last):"]
    for file, line, name, text in calls:
        out += [f'  File "{file}", line {line}, in {name}', f"    {text}"]
    return out


def _crash(run: Run, rng: Random) -> list[str]:
    """The job's own code raises in mid-run."""
    home = f"/home/{rng.choice(('mira', 'olek', 'tsu', 'bea'))}/proj"
    main = (f"{home}/{script(run)}", rng.randrange(90, 400), "<module>", "main()")
    lib = "/opt/conda/lib/python3.11/site-packages"
    if run.domain.name == "trees":
        return [
            *_frames(run, main, (f"{home}/{script(run)}", 71, "after_iteration", "rate = hits[group] / seen[group]")),
            "ZeroDivisionError: division by zero",
        ]
    if run.domain.name == "reward":
        return [
            *_frames(run, main, (f"{home}/envs/arm.py", 143, "step", "reward = self._table[self._phase]")),
            "KeyError: 'regrasp'",
        ]
    loader = (f"{lib}/torch/utils/data/_utils/worker.py", 349, "_worker_loop", "data = fetcher.fetch(index)")
    shapes = (
        [
            *_frames(run, main, (f"{lib}/torch/_utils.py", 733, "reraise", "raise exception")),
            "UnicodeDecodeError: Caught UnicodeDecodeError in DataLoader worker process 3.",
            "Original " + _frames(run, loader)[0],
            *_frames(run, loader, (f"{home}/data/text.py", 58, "__getitem__", "return self.tok(raw.decode())"))[1:],
            "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xb1 in position 2117: invalid start byte",
        ],
        [
            *_frames(run, main, (f"{home}/data/mix.py", 96, "collate", "y = torch.stack([row['y'] for row in rows])")),
            "RuntimeError: stack expects each tensor to be equal size, but got [2048] at entry 0 and [1931] at entry 6",
        ],
        [
            *_frames(run, main, (f"{home}/metrics.py", 44, "report", "table[name].append(value)")),
            "KeyError: 'val/worst_group'",
        ],
    )
    return [*rng.choice(shapes), f"srun: error: {run.host}: task 0: Exited with exit code 1"]


def _memory(run: Run, rng: Random) -> list[str]:
    """CUDA out of memory."""
    if run.framework == "keras_bars":
        return [
            f"{run.at(run.over):%Y-%m-%d %H:%M:%S}.118204: W tensorflow/core/framework/op_kernel.cc:1839] OP_REQUIRES failed at conv_ops_impl.h:1184 : RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[512,256,112,112] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
            *_frames(
                run,
                (
                    "/home/olek/proj/train.py",
                    88,
                    "<module>",
                    "model.fit(train, validation_data=val, epochs=EPOCHS, verbose=2)",
                ),
            ),
            "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:",
            "",
            "OOM when allocating tensor with shape[512,256,112,112] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
        ]
    want, free = rng.uniform(1.5, 6), rng.uniform(0.2, 1.2)
    used = 79.1 - free
    return [
        *(
            f"[rank0]: {line}" if run.gpus > 1 else line
            for line in _frames(
                run,
                (f"/home/bea/proj/{script(run)}", rng.randrange(90, 300), "<module>", "main()"),
                (f"/home/bea/proj/{script(run)}", 77, "evaluate", "logits = model(ids).logits.float()"),
            )
        ),
        f"{'[rank0]: ' if run.gpus > 1 else ''}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {want:.2f} GiB. GPU 0 has a total capacity of 79.10 GiB of which {free:.2f} GiB is free. Including non-PyTorch memory, this process has {used:.2f} GiB memory in use. Of the allocated memory {used - 2.9:.2f} GiB is allocated by PyTorch, and {rng.uniform(0.4, 1.4):.2f} GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        f"srun: error: {run.host}: task 0: Exited with exit code 1",
    ]


def _frozen(run: Run, rng: Random) -> list[str]:
    """A collective nobody finishes: the watchdogs of all ranks but one speak."""
    at = run.at(run.over + 600)
    lost = rng.randrange(1, run.gpus)
    work = run.points[-1].step * 3 + rng.randrange(40)
    out = []
    for rank in range(run.gpus):
        if rank == lost:
            continue
        head = f"[rank{rank}]:[E{at:%m%d %H:%M:%S}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:{{line}}] "
        out += [
            head.format(line=632)
            + f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={work}, OpType=ALLREDUCE, NumelIn=26214400, NumelOut=26214400, Timeout(ms)=600000) ran for {600000 + rng.randrange(5, 90)} milliseconds before timing out.",
            head.format(line=2268)
            + f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {work} PG status: last enqueued work: {work + 2}, last completed work: {work - 1}",
            head.format(line=684)
            + f"[Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            head.format(line=698)
            + f"[Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        ]
    out += [f"srun: error: {run.host}: task {rank}: Aborted (core dumped)" for rank in range(run.gpus) if rank != lost]
    return [
        *out,
        f"slurmstepd: error: *** STEP {run.job}.0 ON {run.host} CANCELLED AT {at + timedelta(seconds=9):%Y-%m-%dT%H:%M:%S} ***",
        f"srun: error: {run.host}: task {lost}: Killed",
    ]


def closing(run: Run, rng: Random) -> list[str]:
    """What a log ends with where neither the program said goodbye nor the file was cut."""
    stamp = f"{run.at(run.over + 20):%Y-%m-%dT%H:%M:%S}"
    if run.end == "F3":
        return [
            f"slurmstepd: error: *** JOB {run.job} ON {run.host} CANCELLED AT {stamp} DUE TO TIME LIMIT ***",
            *rng.choice(
                (
                    [],
                    [
                        f"slurmstepd: error: *** STEP {run.job}.0 ON {run.host} CANCELLED AT {stamp} DUE TO TIME LIMIT ***",
                        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
                    ],
                )
            ),
        ]
    if run.end.startswith("A1"):
        return _crash(run, rng)
    if run.end == "B1":
        return _memory(run, rng)
    if run.end == "C2":
        return _frozen(run, rng)
    if run.end == "A2 out of memory":
        return [
            f"slurmstepd: error: Detected 1 oom_kill event in StepId={run.job}.0. Some of the step tasks have been OOM Killed.",
            f"srun: error: {run.host}: task 0: Out Of Memory",
        ]
    if run.end == "A2 segfault":
        pid = rng.randrange(4000, 90000)
        return [
            "Fatal Python error: Segmentation fault",
            "",
            "Current thread 0x00007f21c4ff9640 (most recent call first):",
            '  File "/opt/conda/lib/python3.11/site-packages/av/container/input.py", line 204 in decode',
            '  File "/home/tsu/proj/data/clips.py", line 61 in __getitem__',
            f"/var/spool/slurmd/job{run.job}/slurm_script: line 31: {pid} Segmentation fault      (core dumped) python -u {script(run)}",
        ]
    return []


def failed_before(run: Run, rng: Random) -> list[str]:
    """The log of an attempt that never began: a slip of the one who started it."""
    earlier = run.start - timedelta(minutes=rng.randrange(6, 50))
    slip = rng.choice(
        (
            ["ModuleNotFoundError: No module named 'sentencepiece'"],
            ["FileNotFoundError: [Errno 2] No such file or directory: '/data/mixes/v3/train.idx'"],
            ["KeyError: 'warmup_frac'"],
        )
    )
    frames = _frames(
        run,
        (f"/home/mira/proj/{script(run)}", 12, "<module>", "main()"),
        ("/home/mira/proj/setup.py", 33, "build", "return make(cfg)"),
    )
    return [
        f"== job {run.job - 4} on {run.host}, {earlier:%a %b %e %H:%M:%S UTC %Y}",
        *frames,
        *slip,
        f"srun: error: {run.host}: task 0: Exited with exit code 1",
    ]
