"""What programs say: progress of six frameworks, launchers' last words, NCCL's watchdog, a kernel's chatter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .job import steps_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from .job import Job

TORCHRUN = "https://pytorch.org/docs/stable/elastic/errors.html"


def head(job: Job, total: int) -> None:
    """What stands in the log before the first step."""
    world, at = job.nodes * job.per_node, job.when(3)
    if job.framework == "megatron":
        job.say(
            8,
            f"using world size: {world}, data-parallel size: {max(1, world // 8)}, context-parallel size: 1, tensor-model-parallel size: {min(8, world)}, pipeline-model-parallel size: 1",
        )
        job.say(
            20,
            "> initializing torch distributed ...",
            f"[after megatron is initialized] datetime: {job.when(20):%Y-%m-%d %H:%M:%S} ",
        )
        job.say(
            job.warm_s * 0.7,
            f"[after dataloaders are built] datetime: {job.when(job.warm_s * 0.7):%Y-%m-%d %H:%M:%S} ",
            "done with setup ...",
            "training ...",
        )
    elif job.framework == "nemo":
        job.say(
            6,
            f"[NeMo I {at:%Y-%m-%d %H:%M:%S} nemo_logging:393] Rank 0 has data parallel group : {list(range(min(4, world)))}",
        )
        job.say(
            7, "GPU available: True (cuda), used: True", f"Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/{world}"
        )
        job.say(
            job.warm_s * 0.5,
            "----------------------------------------------------------------------------------------------------",
            "distributed_backend=nccl",
            f"All distributed processes registered. Starting with {world} processes",
            "----------------------------------------------------------------------------------------------------",
        )
    elif job.framework == "titan":
        job.say(
            9,
            _titan(job, 9, "Starting job: Llama 3 8B training"),
            _titan(job, 9, f"CUDA capacity: {job.board.name} with {job.board.memory_mib / 1024:.2f}GiB memory"),
        )
        job.say(job.warm_s * 0.8, _titan(job, job.warm_s * 0.8, "Training starts at step 1"))
    elif job.framework == "hf":
        job.say(
            12,
            "***** Running training *****",
            f"  Num examples = {total * 64:,}",
            "  Num Epochs = 3",
            "  Instantaneous batch size per device = 4",
            "  Gradient Accumulation steps = 2",
            f"  Total optimization steps = {total:,}",
        )
    elif job.framework == "plain":
        job.say(5, f"{job.when(5):%Y-%m-%d %H:%M:%S} [INFO] train.py:88 world_size={world} rank=0 device=cuda:0")
        job.say(
            job.warm_s * 0.6,
            f"{job.when(job.warm_s * 0.6):%Y-%m-%d %H:%M:%S} [INFO] train.py:131 model has 7.24 B parameters, max_steps={total}",
        )
    else:
        job.say(
            10,
            f"tokens per iteration will be: {world * 61440:,}",
            "number of parameters: 353.77M",
            "compiling the model... (takes a ~minute)",
        )


def _titan(job: Job, second: float, text: str) -> str:
    return f"[titan] {job.when(second):%Y-%m-%d %H:%M:%S},{job.rng.randint(0, 999):03d} - root - INFO - {text}"


def step_line(job: Job, step: int, total: int, second: float, loss: float, step_s: float) -> str:
    """Progress as the framework prints it."""
    rng = job.rng
    rate = 3e-4 * min(1, step / (total * 0.03 + 1)) * (1 - 0.9 * step / total)
    if job.framework == "megatron":
        told = "" if loss != loss else f" lm loss: {loss:.6E} |"
        return (
            f" [{job.when(second):%Y-%m-%d %H:%M:%S}] iteration {step:8d}/{total:8d} | consumed samples: {step * 512:12d} | elapsed time per iteration (ms): {step_s * 1000:.1f} |"
            f" throughput per GPU (TFLOP/s/GPU): {1600 / step_s if step_s > 4 else rng.gauss(398, 3):.1f} | learning rate: {rate:.6E} | global batch size:   512 |{told} loss scale: 1.0 | grad norm: {rng.uniform(0.2, 0.5):.3f} | number of skipped iterations:   0 | number of nan iterations:   {int(loss != loss)} |"
        )
    if job.framework == "nemo":
        return f"Training epoch 0, iteration {step - 1}/{total - 1} | lr: {rate:.4g} | global_batch_size: 512 | global_step: {step - 1} | reduced_train_loss: {loss:.4g} | train_step_timing in s: {step_s:.4g} | consumed_samples: {step * 512}"
    if job.framework == "titan":
        return _titan(
            job,
            second,
            f"step: {step:2d}  loss: {loss:8.5f}  grad_norm: {rng.uniform(0.3, 0.7):7.4f}  memory: {job.board.memory_mib * job.memory / 1024:5.2f}GiB({100 * job.memory:.2f}%)  tps: {int(28000 / step_s):,}  tflops: {1500 / step_s:.2f}  mfu: {150 / step_s:.2f}%",
        )
    if job.framework == "hf":
        return f"{{'loss': {loss:.4f}, 'grad_norm': {rng.uniform(0.5, 1.5)!r}, 'learning_rate': {rate!r}, 'epoch': {3 * step / total:.2f}}}"
    if job.framework == "plain":
        return f"{job.when(second):%Y-%m-%d %H:%M:%S} [INFO] train.py:204 step={step} loss={loss:.4f} lr={rate:.2e} step_time={step_s:.3f}s"
    return f"iter {step}: loss {loss:.4f}, time {step_s * 1000:.2f}ms, mfu {-100 if step < 5 else 38.0:.2f}%"


def progress(
    job: Job,
    total: int,
    until: float,
    begin: float | None = None,
    step_s: Callable[[float], float] | float | None = None,
    first: int = 0,
    loss: Callable[[int], float] | None = None,
    lines: int = 160,
) -> int:
    """Lines of progress from ``begin`` to ``until``; returns the last step that was reported."""
    second = job.warm_s if begin is None else begin
    pace = step_s if callable(step_s) else lambda _: step_s or job.step_s
    plan = steps_until(job, until, second, pace(second)) or 1
    each = next(n for n in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 5000) if plan / n <= lines)
    step = first
    while step < total:
        took = sum(pace(second) for _ in range(1)) * each * job.rng.uniform(0.99, 1.015)
        if second + took > until:
            break
        step, second = min(total, step + each), second + took
        value = loss(step) if loss else job.loss(step, total)
        job.say(second, step_line(job, step, total, second, value, took / each), rank=_reporter(job))
    return step


def _reporter(job: Job) -> int:
    return job.nodes * job.per_node - 1 if job.framework == "megatron" else 0


def tail(job: Job, second: float) -> None:
    """What stands at the end of a run that ended as planned."""
    if job.framework == "megatron":
        job.say(second, f"[after training is done] datetime: {job.when(second):%Y-%m-%d %H:%M:%S} ")
    elif job.framework == "nemo":
        job.say(second, "`Trainer.fit` stopped: `max_steps` reached.")
    elif job.framework == "titan":
        job.say(second, _titan(job, second, "Training completed"), _titan(job, second + 1, "Process group destroyed"))
    elif job.framework == "hf":
        job.say(
            second,
            f"{{'train_runtime': {second:.1f}, 'train_samples_per_second': 41.2, 'train_steps_per_second': 0.64, 'train_loss': {job.last + 0.4:.4f}, 'epoch': 3.0}}",
        )
    elif job.framework == "plain":
        job.say(
            second,
            f"{job.when(second):%Y-%m-%d %H:%M:%S} [INFO] train.py:260 training finished, final checkpoint written",
        )
    else:
        job.say(second, "saving checkpoint to out")


def raised(
    job: Job, second: float, rank: int, frames: list[tuple[str, int, str, str]], error: str, prefix: bool = True
) -> None:
    """A traceback of one rank."""
    mark = f"[rank{rank}]: " if prefix else ""
    lines = ["Traceback (most recent call last):"]
    for file, line, name, code in frames:
        lines += [f'  File "{file}", line {line}, in {name}', f"    {code}"]
    job.say(second, *[mark + line for line in [*lines, *error.split("\n")]], rank=rank)


def torchrun_fails(job: Job, second: float, rank: int, code: int, script: str = "train.py") -> None:
    """The agent of the rank's node: it ends the others, names the first, and ends with its summary."""
    node, local = divmod(rank, job.per_node)
    host = job.hosts[node]
    pid = job.pids[(host, local)]
    at = job.when(second + 2)
    signals = {-9: "SIGKILL", -11: "SIGSEGV", -6: "SIGABRT", -7: "SIGBUS", -15: "SIGTERM"}
    stamp = f"{at:%m%d %H:%M:%S}.{job.rng.randint(0, 999):03d}000 {pid - 40} torch/distributed/elastic/multiprocessing/api.py"
    for other in range(job.per_node):
        if other != local:
            job.say(
                second + 2,
                f"W{stamp}:1010] Sending process {job.pids[(host, other)]} closing signal SIGTERM",
                rank=rank,
            )
    job.say(
        second + 8,
        f"E{stamp}:984] failed (exitcode: {code}) local_rank: {local} (pid: {pid}) of binary: /opt/conda/bin/python3.11",
        rank=rank,
    )
    traceback = (
        f"Signal {-code} ({signals[code]}) received by PID {pid}"
        if code < 0
        else f"To enable traceback see: {TORCHRUN}"
    )
    job.say(
        second + 8.2,
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 279, in launch_agent',
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
        f"  time      : {at:%Y-%m-%d_%H:%M:%S}",
        f"  host      : {host}",
        f"  rank      : {rank} (local_rank: {local})",
        f"  exitcode  : {code} (pid: {pid})" + (f" ({signals[code]})" if code < 0 else ""),
        "  error_file: <N/A>",
        f"  traceback : {traceback}",
        "=" * 60,
        rank=rank,
    )


def srun_says(job: Job, second: float, node: int, how: str = "Exited with exit code 1") -> None:
    """Srun's word of a launcher that ended."""
    job.say(
        second,
        f"srun: error: {job.hosts[node]}: task {node}: {how}",
        f"srun: Terminating StepId={job.job_id}.0",
        f"slurmstepd: error: *** STEP {job.job_id}.0 ON {job.hosts[0]} CANCELLED AT {job.when(second):%Y-%m-%dT%H:%M:%S} ***",
    )


def watchdogs(job: Job, second: float, seq: int, ranks: list[int], limit_s: int = 600, op: str = "ALLREDUCE") -> None:
    """The watchdogs of these ranks after ``limit_s``."""
    for rank in ranks:
        at = job.when(second + 0.01 * rank)
        stamp = f"[rank{rank}]:[E{at:%m%d %H:%M:%S}.{job.rng.randint(0, 10**9 - 1):09d}"
        waited = limit_s * 1000 + job.rng.randint(5, 90)
        work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn=41943040, NumelOut=41943040, Timeout(ms)={limit_s * 1000})"
        job.say(
            second + 0.01 * rank,
            f"{stamp} ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: {work} ran for {waited} milliseconds before timing out.",
            f"{stamp} ProcessGroupNCCL.cpp:756] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"{stamp} ProcessGroupNCCL.cpp:770] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
            "terminate called after throwing an instance of 'c10::DistBackendError'",
            f"  what():  [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: [Rank {rank}] Watchdog caught collective operation timeout: {work} ran for {waited} milliseconds before timing out.",
            rank=rank,
        )


def oom(job: Job, second: float, host: str, pid: int, name: str = "python3", constrained: bool = True) -> None:
    """The kernel's oom killer: in a Slurm cgroup, or for the whole machine."""
    task = f"/system.slice/slurmstepd.scope/job_{job.job_id}/step_0/user/task_0"
    rss = job.rng.randint(80_000_000, 160_000_000)
    limit = (
        f"oom_memcg=/system.slice/slurmstepd.scope/job_{job.job_id},task_memcg={task}"
        if constrained
        else f"global_oom,task_memcg={task}"
    )
    kind = "CONSTRAINT_MEMCG" if constrained else "CONSTRAINT_NONE"
    killed = "Memory cgroup out of memory" if constrained else "Out of memory"
    job.kernel_says(
        second,
        host,
        f"{name} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        f"oom-kill:constraint={kind},nodemask=(null),cpuset=/,mems_allowed=0-1,{limit},task={name},pid={pid},uid=20417",
        f"{killed}: Killed process {pid} ({name}) total-vm:{rss * 2}kB, anon-rss:{rss}kB, file-rss:210432kB, shmem-rss:41984kB, UID:20417 pgtables:310244kB oom_score_adj:0",
        f"oom_reaper: reaped process {pid} ({name}), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB",
    )


def xid(job: Job, second: float, host: str, index: int, number: int, text: str, process: bool = True) -> None:
    """NVRM's line, and the exporter's gauge which follows it."""
    gpu = job.gpus[host][index]
    bus = gpu.bus[4:].lower().removesuffix(".0")
    who = f"pid={job.pids[(host, index)]}, name=python3.11, " if process else "pid='<unknown>', name=<unknown>, "
    job.kernel_says(second, host, f"NVRM: Xid (PCI:{bus}): {number}, {who}{text}")
    gpu.xids.append((second, number))


def chatter(job: Job) -> None:
    """What kernels of such nodes say on any day."""
    rng = job.rng
    texts = (
        "nvidia-peermem nvidia_p2p_get_pages error ret=-22",
        "mlx5_core 0000:9a:00.0 ens6f0np0: Link up",
        "perf: interrupt took too long (3190 > 3128), lowering kernel.perf_event_max_sample_rate to 62500",
        "EDAC MC1: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0 (channel:0 slot:0 page:0x1f2a3c offset:0x40 grain:32 syndrome:0x0)",
        'audit: type=1400 apparmor="STATUS" operation="profile_replace" profile="unconfined" name="docker-default" pid=3312',
        "systemd-journald[1123]: Data hash table of /run/log/journal/system.journal has a fill level at 75.0",
        "Lustre: 4412:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply",
        "Lustre: scratch-MDT0000-mdc: Connection restored to 10.4.0.2@o2ib (at 10.4.0.2@o2ib)",
        "nvidia 0000:0f:00.0: vgaarb: VGA decodes changed: olddecodes=io+mem,decodes=none:owns=none",
    )
    for host in job.hosts:
        job.kernel_says(
            -rng.uniform(40_000, 400_000),
            host,
            "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) (gcc (Ubuntu 11.4.0) 11.4.0) #132-Ubuntu SMP",
            "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  " + job.board.driver + "  Release Build",
        )
        for _ in range(rng.randint(1, 4)):
            job.kernel_says(rng.uniform(-20_000, job.end), host, rng.choice(texts))
