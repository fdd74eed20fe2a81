"""SIMULATED last words for the incidents of the fourteenth set: tracebacks, the agent's summary, the kernel's memory killer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import logs

if TYPE_CHECKING:
    from random import Random

    from .lab import Lab

_TAIL = (
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
    "",
)


def mpi_less(lab: Lab, time: float, host: str, rank: int, local: int, code: int, pid: int = 0) -> list[str]:
    """What the launcher says of a rank's end: torchrun where there are many, the shell where there is one."""
    pid = pid or lab.rng.randint(9000, 400_000)
    if len(lab.gpus) > 1:
        return logs.child_failed(lab, time, "train.py", host, rank, local, code, pid)
    word = {-9: "Killed", -11: "Segmentation fault      (core dumped)"}.get(code)
    return (
        [f"/var/spool/slurmd/job{lab.job}/slurm_script: line 22: {pid} {word}  python train.py --config cfg.yaml"]
        if word
        else []
    )


def traceback(kind: str, rng: Random, *, cuda: str = "", full: str = "", seconds: int = 0, world: int = 2) -> list[str]:
    """The job's own last traceback."""
    head = ["Traceback (most recent call last):", '  File "/home/mk/lm/train.py", line 311, in <module>', "    main()"]
    frames, error = {
        "exception_mid_run": (
            [
                '  File "/home/mk/lm/train.py", line 268, in main',
                "    batch = collate(next(feed))",
                '  File "/home/mk/lm/data.py", line 97, in collate',
                '    spans = [row["spans"] for row in rows]',
            ],
            ["KeyError: 'spans'"],
        ),
        "bad_config": (
            [
                '  File "/home/mk/lm/train.py", line 201, in main',
                "    cfg.check()",
                '  File "/home/mk/lm/config.py", line 55, in check',
                "    raise ValueError(",
            ],
            ["ValueError: global_batch_size 1536 is not divisible by micro_batch_size 5 x data_parallel_size"],
        ),
        "missing_file": (
            [
                '  File "/home/mk/lm/train.py", line 268, in main',
                "    batch = collate(next(feed))",
                '  File "/home/mk/lm/data.py", line 61, in __next__',
                "    self.shard = np.load(self.paths[self.at])",
            ],
            [
                f"FileNotFoundError: [Errno 2] No such file or directory: '/data/corpus/shard_{rng.randint(200, 900):05}.npy'"
            ],
        ),
        "shape_error": (
            [
                '  File "/home/mk/lm/train.py", line 230, in main',
                "    out = model(tokens)",
                '  File "/home/mk/lm/model.py", line 143, in forward',
                "    h = self.embed(tokens) + self.extra(features)",
            ],
            ["RuntimeError: mat1 and mat2 shapes cannot be multiplied (8192x1024 and 2048x4096)"],
        ),
        "cuda": (
            ['  File "/home/mk/lm/train.py", line 281, in main', "    loss.backward()"],
            [f"RuntimeError: CUDA error: {cuda}", *_TAIL],
        ),
        "cuda_oom": (
            ['  File "/home/mk/lm/train.py", line 274, in main', "    loss = model(tokens, labels=tokens).loss"],
            [full],
        ),
        "rendezvous": (
            ['  File "/home/mk/lm/train.py", line 190, in main', '    dist.init_process_group("nccl")'],
            [
                f"torch.distributed.DistStoreError: Timed out after {seconds + 1} seconds waiting for clients. "
                f"{world - 1}/{world} clients joined."
            ],
        ),
    }[kind]
    return [*head, *frames, *error]


def full_gpu(gpu: int, total: float, wanted: float, free: float) -> str:
    """PyTorch's error where a GPU's memory is full, in GiB."""
    used = total - free
    return (
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {wanted:.2f} GiB. GPU {gpu} has a total capacity of {total:.2f} GiB of "
        f"which {free:.2f} GiB is free. Including non-PyTorch memory, this process has {used:.2f} GiB memory in use. Of the allocated memory "
        f"{used - 1.9:.2f} GiB is allocated by PyTorch, and 611.20 MiB is reserved by PyTorch but unallocated. If reserved but unallocated "
        "memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory "
        "Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    )


def kernel_oom(lab: Lab, pid: int, *, cgroup: bool) -> list[str]:
    """The kernel's block of a kill for memory, shortened."""
    rss = lab.rng.randint(180_000_000, 420_000_000)
    if cgroup:
        where = f"/system.slice/slurmstepd.scope/job_{lab.job}/step_0/user/task_0"
        return [
            "python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
            f"memory: usage {rss + 900000}kB, limit {rss + 900000}kB, failcnt 88121",
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_{lab.job},task_memcg={where},task=python,pid={pid},uid=10433",
            f"Memory cgroup out of memory: Killed process {pid} (python) total-vm:{rss * 2}kB, anon-rss:{rss}kB, file-rss:80032kB, shmem-rss:0kB, UID:10433 pgtables:{rss // 400}kB oom_score_adj:0",
        ]
    return [
        "kswapd0 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
        f"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=step_0,mems_allowed=0-1,global_oom,task_memcg=/system.slice/slurmstepd.scope/job_{lab.job}/step_0/user/task_0,task=python,pid={pid},uid=10433",
        f"Out of memory: Killed process {pid} (python) total-vm:{rss * 2}kB, anon-rss:{rss}kB, file-rss:80032kB, shmem-rss:0kB, UID:10433 pgtables:{rss // 400}kB oom_score_adj:0",
    ]


def bad_link(lab: Lab, time: float, host: str) -> list[str]:
    """NCCL's words where a port goes down."""
    return [
        "",
        f"{host}:{lab.rng.randint(2000, 60000)}:{lab.rng.randint(2000, 60000)} [0] misc/ibvwrap.cc:314 NCCL WARN NET/IB : mlx5_2:1 Got async event : port error",
        f"{lab.stamp(time)},901 WARNING train: step is taking long, still waiting for all_reduce",
    ]
