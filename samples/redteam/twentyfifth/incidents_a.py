"""Incidents t01 to t08 of the twenty-fifth set, as sites hand them over. SIMULATED: nothing was taken from a real job."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import (
    FREE,
    Row,
    Work,
    account,
    at_phase,
    bare,
    dmon,
    kernel,
    learn,
    matrix,
    milli,
    smi_csv,
    took,
    uuid_only,
)
from samples.redteam.twentyfourth.rig_site import STEP_HEAD, Hall, boot_log, coarse, held, mmu, shake, spin
from samples.redteam.twentythird.rig_more import ISO, bar, hms, job, sacct, when

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def ring(place: Path, name: str, lines: Sequence[tuple[float, str]], form: str, east: int, host: str) -> None:
    """The kernel log also as rsyslog has it, and as ``dmesg --time-format iso`` prints it."""
    sort = sorted(lines, key=lambda one: one[0])
    boot = sort[0][0]
    sign = f"{'-' if east < 0 else '+'}{abs(east) // 60:02d}:{abs(east) % 60:02d}"
    if form == "syslog":
        put(place, name, [f"{clock(t, east, '%b %e %H:%M:%S')} {host} kernel: [{t - boot:12.6f}] {s}" for t, s in sort])
    elif form == "dmesg iso":
        put(place, name, [f"{clock(t, east, ISO)},{int(t * 1e6) % 10**6:06d}{sign} {s}" for t, s in sort])
    else:
        kernel(place, name, sort, form, east, host)


def scontrol(place: Path, name: str, pairs: Sequence[str]) -> None:
    """What ``scontrol show job`` prints: the first line flush, the others indented."""
    put(place, name, [pairs[0], *(f"   {one}" for one in pairs[1:]), ""])


def smooth(low: float, high: float, at: float) -> float:
    """From 0 before ``low`` to 1 after ``high``."""
    x = min(1.0, max(0.0, (at - low) / (high - low)))
    return x * x * (3 - 2 * x)


def t01(place: Path, rng: Random) -> None:
    """Reinforcement learning on three nodes; eleven GPUs wait in a reduce-scatter for one that never came."""
    t0 = when(6, 8, 4)
    begin, stop, end = t0 + 190, t0 + 95 * 60 + 22, t0 + 106 * 60 + 11
    nodes = ["hop-g11", "hop-g12", "hop-g17"]
    ips = ["10.40.2.11", "10.40.2.12", "10.40.2.17"]
    lost = (1, 2)
    gen = Work(engine=0.97, sm=0.62, tensor=0.16, dram=0.52, mib=121400, rx=140, tx=90)
    logp = Work(engine=0.99, sm=0.78, tensor=0.47, dram=0.36, mib=98300, rx=300, tx=260)
    upd = Work(engine=0.99, sm=0.8, tensor=0.5, dram=0.38, mib=109800, rx=900, tx=880)
    first, steps = t0 + 430, []
    at = first
    while at < stop:
        g, p, u = rng.uniform(68, 82), rng.uniform(27, 31), rng.uniform(58, 65)
        steps.append((at, g, p, u))
        at += g + p + u + rng.uniform(4.5, 6.5)
    steps = steps[:-1] if stop - steps[-1][0] < 115 else steps
    hung = steps[-1]
    stop = hung[0] + hung[1] + hung[2] + 21.4
    end = stop + 600.03 + 38
    fire = stop + 600.03

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 40 or t >= fire + 9:
            return FREE
        if t < first:
            return Work(engine=0.02 if t > begin + 140 else 0.0, sm=0.01, mib=2600 if t < begin + 110 else 31800)
        if t >= stop:
            return held(109806) if (n, g) == lost else spin(109806)
        for a, gg, pp, uu in reversed(steps):
            if t >= a:
                d = t - a
                one = gen if d < gg else logp if d < gg + pp else upd if d < gg + pp + uu else held(98300)
                return shake(one, f"{n}{g}{t:.0f}", 0.84 if one is gen else 0.95)
        return FREE

    hall = Hall("H200", nodes, 4, work, t0, t0 + 110 * 60, 30, 2501)
    cols = (
        "index", "uuid", "pstate", "temperature.gpu", "utilization.gpu", "utilization.memory", "memory.used",
        "memory.total", "power.draw", "clocks.current.sm", "clocks_event_reasons.active",
        "ecc.errors.uncorrected.volatile.total",
    )  # fmt: skip
    for n, host in enumerate(nodes):
        smi_csv(place, f"monitoring/{host}.smi.csv", hall, n, 0, cols)
        lines = boot_log(rng, t0, hall.of.driver, "jammy")
        if n == 1:
            old = t0 - 4.3 * 86400
            scope = "docker-6f1d0c6a9b7e2f0c51c4e6a55d6b0f1f0b3a4be98f0f8b7f6b5c5e7d1a20c3d4.scope"
            task = (
                f"oom_memcg=/system.slice/{scope},task_memcg=/system.slice/{scope},task=jupyter-lab,pid=22311,uid=20117"
            )
            lines += [
                (old, "jupyter-lab invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
                (old + 0.0021, "CPU: 71 PID: 22311 Comm: jupyter-lab Tainted: P           OE     5.15.0-151-generic"),
                (old + 0.0038, "memory: usage 33554432kB, limit 33554432kB, failcnt 20914"),
                (
                    old + 0.0067,
                    f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={scope},mems_allowed=0-1,{task}",
                ),
                (
                    old + 0.0068,
                    "Memory cgroup out of memory: Killed process 22311 (jupyter-lab) total-vm:48120332kB,"
                    " anon-rss:33018120kB, file-rss:18344kB, shmem-rss:0kB, UID:20117 pgtables:66144kB oom_score_adj:0",
                ),
            ]
        ring(place, f"kernel/{host}.journal", lines, "journalctl", 0, host)

    task, pids = 81123, [81902 + 131 * i + rng.randrange(60) for i in range(12)]
    tr = f"(TaskRunner pid={task})"

    def wd(rank: int) -> str:
        return f"(WorkerDict pid={pids[rank]}" + (f", ip={ips[rank // 4]})" if rank > 3 else ")")

    def vl(t: float) -> str:
        return clock(t, 0, "%m-%d %H:%M:%S")

    dup = "(Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to disable log deduplication, or see https://docs.ray.io/en/master/ray-observability/user-guides/configure-logging.html#log-deduplication for more options.)"
    out = [
        "Starting HEAD at hop-g11",
        "Starting WORKER 1 at hop-g12",
        "Starting WORKER 2 at hop-g17",
        f"{milli(begin - 22, 0)}\tINFO worker.py:1747 -- Connecting to existing Ray cluster at address: 10.40.2.11:6379...",
        f"{milli(begin - 21.9, 0)}\tINFO worker.py:1918 -- Connected to Ray cluster. View the dashboard at \x1b[1m\x1b[32m10.40.2.11:8265 \x1b[39m\x1b[22m",
        f"{tr} TaskRunner hostname: hop-g11, PID: {task}",
        f"{tr} {{'actor_rollout_ref': {{'actor': {{'clip_ratio': 0.2,",
        f"{tr}                                  'entropy_coeff': 0,",
        f"{tr}                                  'fsdp_config': {{'fsdp_size': -1,",
        f"{tr}                                                  'optimizer_offload': False,",
        f"{tr}                                                  'param_offload': False}},",
        f"{tr}                                  'ppo_mini_batch_size': 192,",
        f"{tr}                                  'strategy': 'fsdp',",
        f"{tr}                                  'use_dynamic_bsz': True,",
        f"{tr}                        'nccl_timeout': 600,",
        f"{tr}  'trainer': {{'balance_batch': True, 'n_gpus_per_node': 4, 'nnodes': 3, 'project_name': 'geo-grpo'}}}}",
        f"{tr} Using dataset class: RLHFDataset",
        f"{tr} dataset len: 41216",
        f"{tr} filter dataset len: 41203",
        f"{tr} Size of train dataloader: 107, Size of val dataloader: 1",
        f"{tr} Total training steps: 107",
        f"{wd(0)} Model config after override: Qwen2Config {{",
        f'{wd(0)}   "architectures": ["Qwen2ForCausalLM"], "hidden_size": 3584, "num_hidden_layers": 28,',
        f"{wd(0)} }}",
        f"{wd(0)} Qwen2ForCausalLM contains 7.62B parameters",
        f"{wd(0)} wrap_policy: functools.partial(<function _or_policy at 0x7f0c5c1b2d40>, policies=[functools.partial(<function transformer_auto_wrap_policy at 0x7f0c5c1b2b90>, transformer_layer_cls={{<class 'transformers.models.qwen2.modeling_qwen2.Qwen2DecoderLayer'>}})])",
        f"{wd(4)} Monkey patch _flash_attention_forward in transformers.integrations.flash_attention [repeated 12x across cluster] {dup}",
        f"{wd(0)} Total steps: 107, num_warmup_steps: 0",
        f"{wd(0)} Actor use_remove_padding=True",
        f"{wd(0)} Before building vllm rollout, memory allocated (GB): 2.36, memory reserved (GB): 6.84, device memory used/total (GB): 9.02/139.72",
        f"{wd(0)} INFO {vl(first - 96)} [config.py:1472] Using max model len 10240",
        f"{wd(0)} INFO {vl(first - 71)} [gpu_model_runner.py:1770] Starting to load model /lustre/projects/geo/models/Qwen2.5-7B-Instruct...",
        f"{wd(0)} INFO {vl(first - 44)} [gpu_worker.py:227] Available KV cache memory: 86.11 GiB",
        f"{wd(0)} INFO {vl(first - 43)} [kv_cache_utils.py:716] GPU KV cache size: 1,612,352 tokens",
        f"{wd(0)} After building vllm rollout, memory allocated (GB): 2.36, memory reserved (GB): 6.84, device memory used/total (GB): 12.66/139.72",
        f"{tr} Checkpoint tracker file does not exist: /lustre/projects/geo/ckpt/geo-grpo/qwen7b-n8/latest_checkpointed_iteration.txt",
        f"{tr} Training from scratch",
        f"{tr} Training Progress:   0%|          | 0/107 [00:00<?, ?it/s]",
    ]
    for i, (a, g, p, u) in enumerate(steps[:-1], 1):
        b = steps[i][0]
        score = 0.31 + 0.29 * (1 - 2.718 ** (-i / 17)) + rng.gauss(0, 0.012)
        ln = 612 + 4.1 * i + rng.gauss(0, 9)
        tok = int(3072 * (ln + 187))
        ent = 0.402 * 2.718 ** (-i / 50) + rng.gauss(0, 0.004)
        out.append(
            f"{tr} step:{i} - global_seqlen/min:{tok // 12 - rng.randrange(9000, 20000)} - global_seqlen/max:{tok // 12 + rng.randrange(9000, 20000)}"
            f" - global_seqlen/balanced_min:{tok // 12 - 1} - global_seqlen/balanced_max:{tok // 12} - actor/entropy:{ent:.6f}"
            f" - actor/kl_loss:{0.00041 * i**0.9 + rng.uniform(0, 2e-4):.6f} - actor/kl_coef:0.001 - actor/pg_loss:{rng.gauss(0, 0.006):.6f}"
            f" - actor/pg_clipfrac:{rng.uniform(3e-4, 9e-4):.6f} - actor/grad_norm:{rng.uniform(0.11, 0.17):.6f}"
            f" - perf/mfu/actor:{rng.uniform(0.36, 0.39):.4f} - perf/max_memory_allocated_gb:{83.1 + rng.uniform(0, 1.5):.3f}"
            f" - perf/max_memory_reserved_gb:{101.9:.3f} - perf/cpu_memory_used_gb:{212.4 + 0.2 * i:.3f} - actor/lr:1e-06"
            f" - training/global_step:{i} - training/epoch:0 - critic/score/mean:{score:.6f} - critic/rewards/mean:{score:.6f}"
            f" - response_length/mean:{ln:.3f} - response_length/clip_ratio:{rng.uniform(0.002, 0.01):.5f}"
            f" - timing_s/gen:{g:.3f} - timing_s/reward:{rng.uniform(1.1, 1.9):.3f} - timing_s/old_log_prob:{p / 2:.3f}"
            f" - timing_s/ref:{p / 2 - 0.7:.3f} - timing_s/update_actor:{u:.3f} - timing_s/step:{b - a:.3f}"
            f" - perf/total_num_tokens:{tok} - perf/time_per_step:{b - a:.3f} - perf/throughput:{tok / 12 / (b - a):.3f}"
        )
        mean = (b - first) / i
        out.append(
            f"{tr} Training Progress: {100 * i // 107:3d}%|{bar(i, 107)}| {i}/107"
            f" [{hms(b - first)}<{hms((107 - i) * mean)}, {mean:.2f}s/it]"
        )
        if i % 20 == 0:
            out.append(
                f"{wd(0)} INFO:{clock(b, 0)},114:[Rank 0] Saved model to /lustre/projects/geo/ckpt/geo-grpo/qwen7b-n8/global_step_{i}/actor/model_world_size_12_rank_0.pt"
            )
    seq = 96418
    dead = 4 * lost[0] + lost[1]
    order = [r for r in range(12) if r != dead]
    rng.shuffle(order)

    def stamp(t: float) -> str:
        return f"{clock(t, 0, '%m%d %H:%M:%S')}.{int(t * 1e9) % 10**9:09d}"

    for k, r in enumerate(order):
        ms = 600003 + rng.randrange(92)
        t = fire + k * 0.011 + rng.uniform(0, 0.004)
        said = (
            f"[Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=_REDUCE_SCATTER_BASE,"
            f" NumelIn=233057792, NumelOut=19421483, Timeout(ms)=600000) ran for {ms} milliseconds before timing out."
        )
        out += [
            f"{wd(r)} [rank{r}]:[E{stamp(t)} ProcessGroupNCCL.cpp:632] {said}",
            f"{wd(r)} [rank{r}]:[E{stamp(t + 0.0004)} ProcessGroupNCCL.cpp:2271] [PG ID 0 PG GUID 0(default_pg) Rank {r}] "
            f" failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 2},"
            f" last completed work: {seq - 1}",
            f"{wd(r)} [rank{r}]:[E{stamp(t + 0.0005)} ProcessGroupNCCL.cpp:670] Stack trace of the failed collective not found,"
            " potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a"
            " non-zero value.",
        ]
    t = fire + 1.1
    out += [
        f"{wd(dead)} [rank{dead}]:[E{stamp(t)} ProcessGroupNCCL.cpp:1682] [PG ID 0 PG GUID 0(default_pg) Rank {dead}] Observed"
        f" flight recorder dump signal from another rank via TCPStore.",
        f"{wd(dead)} [rank{dead}]:[E{stamp(t + 0.001)} ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank {dead}]"
        f" Received a dump signal due to a collective timeout from  rank {order[0]} and we will try our best to dump the debug"
        f" info. Last enqueued NCCL work: {seq - 1}, last completed NCCL work: {seq - 1}.This is most likely caused by"
        " incorrect usages of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same for"
        " all ranks or the scheduled collective, for some reason, didn't run. Additionally, this can be caused by GIL"
        " deadlock or other reasons such as network errors or bugs in the communications library (e.g. NCCL), etc. ",
    ]
    r = order[0]
    out += [
        f"{wd(r)} [rank{r}]:[E{stamp(fire + 6.2)} ProcessGroupNCCL.cpp:684] [Rank {r}] Some NCCL operations have failed or timed"
        " out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"{wd(r)} [rank{r}]:[E{stamp(fire + 6.2001)} ProcessGroupNCCL.cpp:698] [Rank {r}] To avoid data inconsistency, we are"
        " taking the entire process down.",
        f"{wd(r)} terminate called after throwing an instance of 'c10::DistBackendError'",
        f"{wd(r)} *** SIGABRT received at time={int(fire + 6.4)} on cpu 33 ***",
        f"{wd(r)} PC: @     0x7f6a0c2969fc  (unknown)  pthread_kill",
        f"{wd(r)} Fatal Python error: Aborted",
        f"\x1b[33m(raylet)\x1b[0m A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the problem, check the logs for the dead worker. RayTask ID: ffffffffffffffff3a0c51d1c6f0a3f19a0e2d4501000000 Worker ID: 91b3d0c27d6c2a59e6a1f1b41b2b4c6a8b6e Node ID: 5c0f6d3be18c4bd7 Worker IP address: {ips[r // 4]} Worker port: 10043 Worker PID: {pids[r]} Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file. There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer due to high memory usage. (2) ray stop --force is called. (3) The worker is crashed unexpectedly due to SIGSEGV or other unexpected errors.",
        "Error executing job with overrides: ['algorithm.adv_estimator=grpo', 'data.train_batch_size=384', 'trainer.nnodes=3']",
        "Traceback (most recent call last):",
        '  File "/lustre/projects/geo/verl/verl/trainer/main_ppo.py", line 39, in main',
        "    run_ppo(config)",
        '  File "/lustre/projects/geo/verl/verl/trainer/main_ppo.py", line 69, in run_ppo',
        "    ray.get(runner.run.remote(config))",
        '  File "/opt/conda/envs/verl/lib/python3.10/site-packages/ray/_private/worker.py", line 2822, in get',
        "    values, debugger_breakpoint = worker.get_objects(object_refs, timeout=timeout)",
        '  File "/opt/conda/envs/verl/lib/python3.10/site-packages/ray/_private/worker.py", line 930, in get_objects',
        "    raise value.as_instanceof_cause()",
        f"ray.exceptions.RayTaskError(ActorDiedError): \x1b[36mray::TaskRunner.run()\x1b[39m (pid={task}, ip=10.40.2.11, actor_id=6e4d1f0bd0a2b0f14c6a1e5a01000000, repr=<main_ppo.TaskRunner object at 0x7f30e81c3d90>)",
        '  File "/lustre/projects/geo/verl/verl/trainer/ppo/ray_trainer.py", line 1208, in fit',
        "    actor_output = self.actor_rollout_wg.update_actor(batch)",
        '  File "/lustre/projects/geo/verl/verl/single_controller/ray/base.py", line 51, in __call__',
        "    output = ray.get(output)",
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.",
        "\tclass_name: create_colocated_worker_cls.<locals>.WorkerDict",
        f"\tpid: {pids[r]}",
        "\tnamespace: 2b7f8b0a-9a31-4b8f-8a3d-5f4e0c3b5d17",
        f"\tip: {ips[r // 4]}",
        "The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file.",
        "",
        "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.",
    ]
    put(place, "slurm-482217.out", out)
    tres = "cpu=192,mem=2400G,node=3,billing=192,gres/gpu=12"
    rows = [
        [
            "482217",
            "grpo-geo7b",
            "lfontana",
            "h200",
            "FAILED",
            "1:0",
            clock(t0 + 60, 0, ISO),
            clock(end, 0, ISO),
            took(int(end) - int(t0 + 60)),
            tres,
            "hop-g[11-12,17]",
        ],
        [
            "482217.batch",
            "batch",
            "",
            "",
            "FAILED",
            "1:0",
            clock(t0 + 60, 0, ISO),
            clock(end, 0, ISO),
            took(int(end) - int(t0 + 60)),
            "cpu=64,mem=800G,node=1,gres/gpu=4",
            "hop-g11",
        ],
        [
            "482217.extern",
            "extern",
            "",
            "",
            "COMPLETED",
            "0:0",
            clock(t0 + 60, 0, ISO),
            clock(end, 0, ISO),
            took(int(end) - int(t0 + 60)),
            tres,
            "hop-g[11-12,17]",
        ],
    ]
    for i, host in enumerate(nodes):
        a = t0 + 66 + 10 * i
        rows.append(
            [
                f"482217.{i}",
                "bash",
                "",
                "",
                "CANCELLED",
                "0:15",
                clock(a, 0, ISO),
                clock(end, 0, ISO),
                took(int(end) - int(a)),
                "cpu=64,mem=800G,node=1,gres/gpu=4",
                host,
            ]
        )
    account(place, "sacct.txt", rows, STEP_HEAD, bars=True)


def t02(place: Path, rng: Random) -> None:
    """A home-made trainer, quick while its shards lie on the local disk and then waiting for each batch."""
    t0 = when(13, 6, 30)
    begin, end = t0 + 5 * 60, t0 + 191 * 60
    nodes = [f"jupiter{n}" for n in (21, 22, 23, 26)]
    go, turn = begin + 95, begin + 24 * 60 + 17
    steps: list[tuple[float, float, float, float, float]] = []
    at = go
    while at < end:
        calc = rng.uniform(0.865, 0.9)
        if at < turn:
            wait = rng.uniform(0.012, 0.03)
        else:
            wait = rng.uniform(6.9, 9.6) if rng.random() > 0.04 else rng.uniform(14, 31)
        steps.append((at, wait, calc, rng.uniform(0.86, 0.95), rng.uniform(1.01, 1.05)))
        at += wait + calc + 0.02

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 21:
            return FREE
        if t < go:
            return Work(mib=3400 if t < go - 40 else 9000)
        if t < turn:
            return shake(Work(engine=0.965, sm=0.83, tensor=0.51, dram=0.44, mib=64210, rx=2100, tx=300), f"{n}{g}{t}")
        part = Random(f"{t:.0f}").uniform(0.085, 0.155) * Random(f"{n}{g}{t:.0f}").uniform(0.9, 1.1)
        if Random(f"{t:.0f}p").random() < 0.06:
            part = 0.0
        return Work(engine=part, sm=part * 0.72, tensor=part * 0.44, dram=part * 0.4, mib=64210)

    def alter(n: int, g: int, t: float, one: Row) -> Row:
        if t >= turn:
            r = Random(f"{n}/{g}/{t:.0f}")
            one["GPU_UTIL"] = (
                r.randrange(41, 100) if r.random() < 0.13 else 0 if r.random() < 0.8 else r.randrange(1, 9)
            )
        return one

    hall = Hall("H100", nodes, 8, work, t0, end, 15, 2502, alter=alter)
    for n, host in enumerate(nodes):
        dmon(place, f"dcgm/{host}.dmon", hall, n, 0, "%Y-%m-%dT%H:%M:%S")
        lines = boot_log(rng, t0, hall.of.driver, "noble")
        ring(place, f"noyau/{host}.dmesg", lines, "dmesg iso", 0, host)
    out = [
        f"[{clock(begin + 14, 0)}] INFO  rang 0/32 sur jupiter21, torch 2.6.0+cu124, NCCL 2.21.5",
        f"[{clock(begin + 15, 0)}] INFO  configuration lue : /gpfs/projets/tellus/conf/vitl_s2_ms.yaml",
        f"[{clock(begin + 16, 0)}] INFO  étagement : 1152 archives copiées vers /scratch_local/tellus (3,1 To par nœud), 7040 restent"
        " sur /gpfs/projets/tellus/s2_tuiles",
        f"[{clock(begin + 44, 0)}] INFO  modèle ViT-L/14 13 canaux, 304,9 M paramètres, bf16, DDP",
        f"[{clock(begin + 52, 0)}] INFO  lot global 4096, 12 travailleurs de lecture par rang, préchargement 4",
        f"[{clock(go, 0)}] INFO  début de l'entraînement, 60000 pas prévus",
    ]
    for i, (a, wait, calc, low, high) in enumerate(steps, 1):
        every = 50 if a < turn else 10
        if i % every == 0:
            mean = steps[max(0, i - every) : i]
            w = sum(x[1] for x in mean) / len(mean)
            c = sum(x[2] for x in mean) / len(mean)
            loss = learn(rng, i, 0.981, 0.214, 420)
            lr = 1.5e-3 * min(1, i / 2000)
            out.append(
                f"[{clock(a + wait + calc, 0)}] INFO  pas {i:>6}/60000  perte {loss:.4f}  norme {rng.uniform(0.31, 0.52):.3f}"
                f"  lr {lr:.3e}  attente_lot {w:.2f} s (rangs : {w * low:.2f}-{w * high:.2f})  calcul {c:.2f} s"
                f"  {4096 / (w + c + 0.02):.0f} img/s"
            )
        if i % 1000 == 0:
            out.append(
                f"[{clock(a + wait + calc + 4, 0)}] INFO  point de reprise écrit : essais/vitl_s2_ms/pas_{i:06d}.pt (3,7 Go, 3,2 s)"
            )
    put(place, "journal_rang0.txt", out)
    row = job(
        "90417",
        "vitl_s2",
        "gpu_h100",
        "RUNNING",
        "0:0",
        (begin - 740, begin, end),
        0,
        "20:00:00",
        (4, "jupiter[21-23,26]"),
    )
    row[7] = "Unknown"
    sacct(place, "sacct_90417.txt", [row])


def t03(place: Path, rng: Random) -> None:
    """A speech recogniser whose log stops while the scrapes have a hole; afterwards the GPUs are free."""
    east, t0 = 480, when(14, 2, 3)
    begin, gone = t0 + 100, t0 + 21 * 60 + 41
    nodes = ["cn-h2-04", "cn-h2-05"]
    go = begin + 118
    phases = [
        (begin + 30, FREE),
        (go - 8, held(2900)),
        (gone, Work(engine=0.93, sm=0.66, tensor=0.33, dram=0.41, mib=88400, rx=700, tx=610)),
    ]

    def work(n: int, g: int, t: float) -> Work:
        return shake(at_phase(phases, t), f"{n}{g}{t:.0f}", 0.86)

    holes = [(t0 + 7 * 60 + 20, t0 + 9 * 60 + 50), (t0 + 19 * 60 + 35, t0 + 24 * 60 + 10)]
    hall = Hall("H200", nodes, 8, work, t0, t0 + 27 * 60, 15, 2503, holes=holes)
    matrix(place, "prom/dcgm_range.json", hall, bare(hall, "dcgm"))
    for host in nodes:
        lines = boot_log(rng, t0, hall.of.driver, "jammy")
        ring(place, f"kern.log.{host}", lines, "syslog", east, host)

    def say(t: float, where: str, text: str) -> str:
        return f"[cn-h2-04:0/16] {milli(t, east)} ({where}) INFO: {text}"

    out = [
        say(begin + 39, "asr:525", "Vocabulary size: 5000"),
        say(begin + 52, "initialize:88", "Initialize encoder.embed.conv.0.bias to zeros"),
        say(
            begin + 61,
            "abs_task:1383",
            "pytorch.version=2.5.1+cu124, cuda.available=True, cudnn.version=90100, cudnn.benchmark=False, cudnn.deterministic=True",
        ),
        say(begin + 61.2, "abs_task:1384", "Model structure:"),
        "ESPnetASRModel(",
        "  (encoder): EBranchformerEncoder(...)",
        "  (decoder): TransformerDecoder(...)",
        ")",
        "",
        "Model summary:",
        "    Class Name: ESPnetASRModel",
        "    Total Number of model parameters: 148.92 M",
        "    Number of trainable parameters: 148.92 M (100.0%)",
        "    Size: 595.68 MB",
        "    Type: torch.float32",
        say(begin + 61.4, "abs_task:1387", "Optimizer:"),
        "Adam (",
        "Parameter Group 0",
        "    initial_lr: 0.002",
        "    lr: 5e-08",
        ")",
        say(begin + 61.6, "abs_task:1388", "Scheduler: WarmupLR(warmup_steps=40000)"),
        say(begin + 61.7, "abs_task:1397", "Saving the configuration in exp/asr_ebf_wenet_l/config.yaml"),
        say(begin + 93, "abs_task:1806", "[train] dataset:"),
        "ESPnetDataset(",
        '  speech: {"path": "dump/raw/train_l/wav.scp", "type": "kaldi_ark"}',
        '  text: {"path": "dump/raw/train_l/text", "type": "text"}',
        "  preprocess: <espnet2.train.preprocessor.CommonPreprocessor object at 0x7f1a9c2a7a30>)",
        say(
            begin + 93.1,
            "abs_task:1807",
            "[train] Batch sampler: NumElementsBatchSampler(N-batch=25440, batch_bins=160000000, sort_in_batch=descending, sort_batch=descending)",
        ),
        say(
            begin + 93.2,
            "abs_task:1809",
            "[train] mini-batch sizes summary: N-batch=25440, mean=211.7, min=48, max=991",
        ),
        say(go - 6, "trainer:311", "1/35epoch started"),
    ]
    at, i = go, 0
    while True:
        took_ = rng.uniform(0.405, 0.43)
        at += took_ * 100
        if at >= gone - 9:
            break
        i += 100
        ctc, att = learn(rng, i, 188.0, 44, 300, 0.02), learn(rng, i, 142.0, 38, 380, 0.02)
        acc = min(0.62, 0.06 + 0.00021 * i)
        out.append(
            say(
                at,
                "trainer:779",
                f"1epoch:train:{i - 99}-{i}batch: iter_time={rng.uniform(2e-4, 9e-4):.3e}, forward_time={rng.uniform(0.148, 0.158):.3f},"
                f" loss_ctc={ctc:.3f}, loss_att={att:.3f}, acc={acc:.3f}, loss={0.3 * ctc + 0.7 * att:.3f},"
                f" backward_time={rng.uniform(0.19, 0.21):.3f}, grad_norm={rng.uniform(40, 75):.3f}, clip=100.000, loss_scale=1.000,"
                f" optim_step_time={rng.uniform(0.031, 0.034):.3f}, optim0_lr0={5e-8 * (i - 49):.3e}, train_time={took_:.3f}",
            )
        )
    put(place, "exp/asr_ebf_wenet_l/train.log", out)


def t04(place: Path, rng: Random) -> None:
    """A detector on two nodes whose second node never reached the first one's store."""
    t0 = when(15, 9, 20)
    begin = t0 + 8 * 60
    nodes = ["gl03", "gl04"]
    wait = 10800
    fail = begin + 26 + wait + 1.6
    end = fail + 31

    def work(n: int, g: int, t: float) -> Work:
        return Work(mib=-326) if begin + 24 + 0.4 * g < t < fail + 4 else FREE

    hall = Hall("L4", nodes, 4, work, t0, t0 + 204 * 60, 60, 2504)
    matrix(place, "dcgm_uuid.json", hall, uuid_only(hall, "dcgm-exporter"))
    for n, host in enumerate(nodes):
        put(place, f"inventory/{host}.nvidia-smi-L.txt", hall.listing(n))
        lines = boot_log(rng, t0, hall.of.driver, "rocky")
        if n == 1:
            lines.append((t0 - 6.4 * 3600, mmu(hall.bus(2), 511902, "python", rng)))
        ring(place, f"dmesg/{host}.txt", lines, "dmesg", 0, host)
    out = [
        "+ module load cuda/12.1 gcc/11.4",
        "+ export MASTER_PORT=29511",
        "+ srun --kill-on-bad-exit=1 python -u tools/train.py configs/rtmdet/rtmdet_m_pcb.py --launcher slurm --work-dir work_dirs/rtmdet_m_pcb",
    ]
    soft = "[W{0} socket.cpp:697] [c10d] The client socket has failed to connect to [gl03.cl.fabw.example]:29511 (errno: 110 - Connection timed out)."
    warned = []
    for r in range(4, 8):
        at = begin + 26 + 132.1 + rng.uniform(0, 0.9)
        while at < fail - 20:
            warned.append((at, r))
            at += 131.2 + rng.uniform(0.8, 3)
            if at > begin + 2400:
                at += 1310 * rng.uniform(0.97, 1.03) // 131 * 131
    for at, r in sorted(warned):
        out.append(f"{r}: " + soft.format(f"{clock(at, 0, '%m%d %H:%M:%S')}.{int(at * 1e9) % 10**9:09d}"))
    lib = "/opt/envs/openmm/lib/python3.10/site-packages"

    def trace(r: int, last: Sequence[str]) -> list[str]:
        return [
            f"{r}: {x}"
            for x in (
                "Traceback (most recent call last):",
                '  File "/home/tsaari/mmdetection/tools/train.py", line 121, in <module>',
                "    main()",
                '  File "/home/tsaari/mmdetection/tools/train.py", line 110, in main',
                "    runner = Runner.from_cfg(cfg)",
                f'  File "{lib}/mmengine/runner/runner.py", line 462, in from_cfg',
                "    runner = cls(",
                f'  File "{lib}/mmengine/runner/runner.py", line 353, in __init__',
                "    self.setup_env(env_cfg)",
                f'  File "{lib}/mmengine/runner/runner.py", line 650, in setup_env',
                "    init_dist(self.launcher, **dist_cfg)",
                f'  File "{lib}/mmengine/dist/utils.py", line 84, in init_dist',
                "    _init_dist_slurm(backend, init_backend=init_backend, **kwargs)",
                f'  File "{lib}/mmengine/dist/utils.py", line 198, in _init_dist_slurm',
                "    torch_dist.init_process_group(backend=backend, **kwargs)",
                f'  File "{lib}/torch/distributed/c10d_logger.py", line 83, in wrapper',
                "    return func(*args, **kwargs)",
                f'  File "{lib}/torch/distributed/distributed_c10d.py", line 1361, in init_process_group',
                "    store, rank, world_size = next(rendezvous_iterator)",
                f'  File "{lib}/torch/distributed/rendezvous.py", line 258, in _env_rendezvous_handler',
                "    store = _create_c10d_store(master_addr, master_port, rank, world_size, timeout, use_libuv)",
                f'  File "{lib}/torch/distributed/rendezvous.py", line 185, in _create_c10d_store',
                "    return TCPStore(",
                *last,
            )
        ]

    stamp = f"{clock(fail - 1, 0, '%m%d %H:%M:%S')}.118204417"
    for r in (5, 7, 4, 6):
        out.append(
            f"{r}: [E{stamp} socket.cpp:957] [c10d] The client socket has timed out after 10800s while trying to connect to"
            " (gl03, 29511)."
        )
        out += trace(
            r,
            [
                "torch.distributed.DistNetworkError: The client socket has timed out after 10800s while trying to connect to"
                " (gl03, 29511).",
            ],
        )
    out += trace(
        0, ["torch.distributed.DistStoreError: Timed out after 10801 seconds waiting for clients. 4/8 clients joined."]
    )
    out += [
        "srun: error: gl04: tasks 4-7: Exited with exit code 1",
        f"slurmstepd: error: *** STEP 77121.0 ON gl03 CANCELLED AT {clock(fail + 3, 0, ISO)} ***",
        "srun: Terminating StepId=77121.0",
        "srun: error: gl03: task 0: Exited with exit code 1",
        "srun: error: gl03: tasks 1-3: Terminated",
    ]
    put(place, "logs/rtmdet_m_pcb-77121.log", out)
    put(
        place,
        "rtmdet_m_pcb.py",
        [
            "_base_ = './rtmdet_m_8xb32-300e_coco.py'",
            "data_root = '/data/aoi/pcb_v7/'",
            "train_dataloader = dict(batch_size=24, num_workers=6, dataset=dict(data_root=data_root))",
            "env_cfg = dict(cudnn_benchmark=True, dist_cfg=dict(backend='nccl', timeout=10800))",
        ],
    )
    scontrol(
        place,
        "scontrol_77121.txt",
        [
            "JobId=77121 JobName=rtmdet_m_pcb",
            "UserId=tsaari(10233) GroupId=aoi(2004) MCS_label=N/A",
            "Priority=4294883 Nice=0 Account=aoi QOS=normal",
            "JobState=FAILED Reason=NonZeroExitCode Dependency=(null)",
            "Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0",
            f"RunTime={took(int(end) - int(begin))} TimeLimit=1-00:00:00 TimeMin=N/A",
            f"SubmitTime={clock(begin - 93, 0, ISO)} EligibleTime={clock(begin - 93, 0, ISO)}",
            f"AccrueTime={clock(begin - 93, 0, ISO)}",
            f"StartTime={clock(begin, 0, ISO)} EndTime={clock(end, 0, ISO)} Deadline=N/A",
            f"SuspendTime=None SecsPreSuspend=0 LastSchedEval={clock(begin, 0, ISO)} Scheduler=Main",
            "Partition=l4 AllocNode:Sid=login2:88112",
            "ReqNodeList=(null) ExcNodeList=(null)",
            "NodeList=gl[03-04]",
            "BatchHost=gl03",
            "NumNodes=2 NumCPUs=64 NumTasks=8 CPUs/Task=8 ReqB:S:C:T=0:0:*:*",
            "ReqTRES=cpu=64,mem=360G,node=2,billing=64,gres/gpu=8",
            "AllocTRES=cpu=64,mem=360G,node=2,billing=64,gres/gpu=8",
            "Socks/Node=* NtasksPerN:B:S:C=4:0:*:* CoreSpec=*",
            "MinCPUsNode=32 MinMemoryNode=180G MinTmpDiskNode=0",
            "Features=(null) DelayBoot=00:00:00",
            "OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)",
            "Command=/home/tsaari/mmdetection/run_pcb.sbatch",
            "WorkDir=/home/tsaari/mmdetection",
            "StdErr=/home/tsaari/mmdetection/logs/rtmdet_m_pcb-77121.log",
            "StdIn=/dev/null",
            "StdOut=/home/tsaari/mmdetection/logs/rtmdet_m_pcb-77121.log",
        ],
    )


def t05(place: Path, rng: Random) -> None:
    """Structure prediction on two pods; the card of one of them gets hot and slows both down."""
    east, t0 = -480, when(20, 16, 11)
    begin, go, hot = t0 + 150, t0 + 292, t0 + 17 * 60
    nodes = ["ip-10-12-4-61.us-west-2.compute.internal", "ip-10-12-4-88.us-west-2.compute.internal"]
    pod = ["boltz-ft-abag-worker-0", "boltz-ft-abag-worker-1"]
    end = t0 + 49 * 60

    def share(t: float) -> float:
        """Of its clock that the hot card still runs at."""
        if t < hot:
            return 1.0
        low = 0.36 + 0.05 * Random(f"{t // 45:.0f}").uniform(-1, 1)
        return 1.0 - (1.0 - low) * smooth(hot, hot + 210, t)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 35:
            return FREE
        if t < go:
            return held(5200 if t > begin + 70 else 900)
        if n == 1:
            one = Work(engine=0.97, sm=0.7, tensor=0.31, dram=0.4, mib=101800, rx=210, tx=180)
        else:
            k = share(t)
            one = Work(
                engine=0.985, sm=0.06 + 0.63 * k, tensor=0.31 * k, dram=0.01 + 0.39 * k, mib=97440, rx=210, tx=180
            )
        return shake(one, f"{n}{t:.0f}", 0.85)

    def alter(n: int, g: int, t: float, one: Row) -> Row:
        if n == 1 and t >= hot - 300:
            r = Random(f"hot{t:.0f}")
            x = smooth(hot - 300, hot + 90, t)
            k = share(t)
            one["GPU_TEMP"] = round(one["GPU_TEMP"] + (87.4 - one["GPU_TEMP"]) * x + r.gauss(0, 0.5) * x)
            if k < 0.985:
                one["SM_CLOCK"] = int(1980 * k // 15 * 15)
                one["POWER_USAGE"] = 100 + (one["POWER_USAGE"] - 100) * k**1.45
                one["CLOCKS_EVENT_REASONS"] = 0x20 if k > 0.9 else 0x68
                one["DRAM_ACTIVE"] *= 0.2 + 0.8 * k
                one["MEM_COPY_UTIL"] = round(one["MEM_COPY_UTIL"] * (0.2 + 0.8 * k))
        return one

    holes = [
        (t0 + 6 * 60 + 40, t0 + 8 * 60 + 5),
        (t0 + 31 * 60 + 10, t0 + 34 * 60 + 50),
        (t0 + 41 * 60, t0 + 41 * 60 + 50),
    ]
    hall = Hall("H200", nodes, 1, work, t0, end, 15, 2505, alter=alter, holes=holes)

    def labels(n: int, g: int) -> dict[str, str]:
        return {
            "DCGM_FI_DRIVER_VERSION": hall.of.driver,
            "Hostname": nodes[n],
            "UUID": hall.uuid(n, g),
            "container": "trainer",
            "device": "nvidia0",
            "endpoint": "gpu-metrics",
            "gpu": "0",
            "instance": f"10.12.4.{(61, 88)[n]}:9400",
            "job": "nvidia-dcgm-exporter",
            "modelName": hall.of.name,
            "namespace": "structbio",
            "pci_bus_id": "00000000:18:00.0",
            "pod": pod[n],
        }

    matrix(place, "prometheus/dcgm.json", hall, labels)
    run = clock(begin + 96, east, "%Y%m%d_%H%M%S")
    out = [
        "Seed set to 11",
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "[rank: 0] Seed set to 11",
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2",
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 2 processes",
        "-" * 100,
        "",
        "wandb: Using wandb-core as the SDK backend.  Please refer to https://wandb.me/wandb-core for more information.",
        "wandb: WARNING `resume` will be ignored since W&B syncing is set to `offline`. Starting a new run with run id q7m2k0ye.",
        "wandb: Tracking run with wandb version 0.19.8",
        "wandb: W&B syncing is set to `offline` in this directory.  Run `wandb online` or set WANDB_MODE=online to enable cloud syncing.",
        f"wandb: Run data is saved locally in /out/abag_ft/wandb/offline-run-{run}-q7m2k0ye",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name                       | Type                 | Params | Mode ",
        "----------------------------------------------------------------------------",
        "0 | input_embedder             | InputEmbedder        | 8.4 M  | train",
        "1 | rel_pos                    | RelativePositionEncoder | 17.8 K | train",
        "2 | msa_module                 | MSAModule            | 3.5 M  | train",
        "3 | pairformer_module          | PairformerModule     | 176 M  | train",
        "4 | structure_module           | AtomDiffusion        | 140 M  | train",
        "5 | distogram_module           | DistogramModule      | 8.2 K  | train",
        "----------------------------------------------------------------------------",
        "330 M     Trainable params",
        "0         Non-trainable params",
        "330 M     Total params",
        "1,321.911 Total estimated model params size (MB)",
        "3211      Modules in train mode",
        "0         Modules in eval mode",
    ]
    bars, at, i, total = [], go, 0, 50000
    while at < end - 3:
        if i % 10 == 0:
            mean = (at - go) / i if i else 0
            rate = "?it/s" if not i else f"{mean:5.2f}s/it" if mean > 1 else f"{1 / mean:5.2f}it/s"
            left = hms((total - i) * mean) if i else "?"
            bars.append(
                f"Epoch 0: {100 * i // total:3d}%|{bar(i, total)}| {i}/{total} [{hms(at - go)}<{left}, {rate}, v_num=k0ye]"
            )
        k = share(at)
        at += rng.uniform(1.7, 2.3) * (0.12 + 0.88 / k)
        i += 1
    put(
        place,
        "trainer-0.log",
        "\n".join(out) + "\n" + "\r".join(["Training: |          | 0/? [00:00<?, ?it/s]", *bars]),
    )


def t06(place: Path, rng: Random) -> None:
    """An image classifier on three of four cards; rank 1 left with code 1, its own words are not handed over."""
    east, t0 = -360, when(21, 15, 20)
    begin, go, gone = t0 + 130, t0 + 171, t0 + 24 * 60 + 37

    def work(n: int, g: int, t: float) -> Work:
        if g == 2 or t < begin + 6 or t >= gone + 3 or (g == 1 and t >= gone):
            return FREE
        if t < go:
            return held(1500)
        return shake(Work(engine=0.97, sm=0.85, tensor=0.36, dram=0.6, mib=53480, rx=1300, tx=240), f"{g}{t:.0f}")

    hall = Hall("A100", ["wolf-a3"], 4, work, t0, t0 + 31 * 60, 30, 2506)
    matrix(place, "grafana/dcgm_wolf-a3.json", hall, bare(hall, "dcgm-bare"))
    ring(place, "wolf-a3.dmesg", boot_log(rng, t0, hall.of.driver, "jammy"), "dmesg", east, "wolf-a3")
    agent, pids = 402117, (402188, 402189, 402190)
    out = [
        "Training in distributed mode with multiple processes, 1 device per process.Process 0, total 3, device cuda:0.",
        "Model convnextv2_tiny created, param count:28643752",
        "Data processing configuration for current model + dataset:",
        "\tinput_size: (3, 224, 224)",
        "\tinterpolation: bicubic",
        "\tmean: (0.485, 0.456, 0.406)",
        "\tstd: (0.229, 0.224, 0.225)",
        "\tcrop_pct: 0.875",
        "\tcrop_mode: center",
        "Created AdamW (adamw) optimizer: lr: 0.0012, eps: 1e-08, betas: (0.9, 0.999), weight_decay: 0.05, amsgrad: False, foreach: None, maximize: False, capturable: False",
        "Using native Torch AMP. Training in mixed precision.",
        "Using native Torch DistributedDataParallel.",
        "Scheduled epochs: 100 (epochs + cooldown_epochs). Warmup within epochs when warmup_prefix=False. LR stepped per epoch.",
    ]
    at, epoch, per, size = go, 0, 391, 768
    while True:
        secs = []
        for i in range(per):
            at += rng.uniform(0.405, 0.42) + (1.9 if i == 0 else 0)
            if at >= gone:
                break
            secs.append(at)
            if i % 50 == 0 or i == per - 1:
                step = epoch * per + i
                loss = learn(rng, step, 6.93, 2.4, 1500)
                lr = 1e-5 + (1.2e-3 - 1e-5) * min(1, epoch / 5)
                cur = 2.31 if i == 0 else rng.uniform(0.405, 0.42)
                mean = (secs[-1] - secs[0] + 2.31) / len(secs)
                out.append(
                    f"Train: {epoch} [{i:>4d}/{per} ({100.0 * i / (per - 1):>3.0f}%)]  Loss: {loss * 0.997:#.3g} ({loss:#.3g})"
                    f"  Time: {cur:.3f}s, {size / cur:>7.2f}/s  ({mean:.3f}s, {size / mean:>7.2f}/s)  LR: {lr:.3e}"
                    f"  Data: {1.811 if i == 0 else rng.uniform(0.009, 0.013):.3f} ({0.011 + 1.8 / len(secs):.3f})"
                )
        if at >= gone:
            break
        top = 100 * (1 - 2.718 ** (-(epoch + 0.4) / 7))
        for i in (0, 16):
            at += 3.1
            out.append(
                f"Test: [{i:>4d}/16]  Time: {rng.uniform(0.4, 1.9):.3f} ({rng.uniform(0.4, 1.9):.3f})  Loss: {5.4 - 0.45 * epoch:>7.3f} ({5.41 - 0.45 * epoch:>6.3f})"
                f"  Acc@1: {top * 0.62:>7.3f} ({top * 0.61:>7.3f})  Acc@5: {top * 0.9:>7.3f} ({top * 0.89:>7.3f})"
            )
        out.append("Current checkpoints:")
        out.append(f" ('./output/train/fungi-cnv2t/checkpoint-{epoch}.pth.tar', {top * 0.61:.12f})")
        out.append("")
        epoch += 1
    base = "runs/fungi-cnv2t/none_k3v0qz1d/attempt_0"
    put(place, f"{base}/0/stderr.log", out)
    stamp = clock(gone + 1.2, east, "%m%d %H:%M:%S")
    lib = "/home/dvries/venvs/timm/lib/python3.11/site-packages/torch/distributed"
    line = "-" * 60
    put(
        place,
        "nohup.out",
        [
            f"W{clock(begin, east, '%m%d %H:%M:%S')}.551000 {agent} torch/distributed/run.py:792] ",
            f"W{clock(begin, east, '%m%d %H:%M:%S')}.551000 {agent} torch/distributed/run.py:792] {'*' * 41}",
            f"W{clock(begin, east, '%m%d %H:%M:%S')}.551000 {agent} torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
            f"W{clock(begin, east, '%m%d %H:%M:%S')}.551000 {agent} torch/distributed/run.py:792] {'*' * 41}",
            *(
                f"W{stamp}.{733 + i}000 {agent} torch/distributed/elastic/multiprocessing/api.py:897] Sending process {p} closing"
                " signal SIGTERM"
                for i, p in enumerate((pids[0], pids[2]))
            ),
            f"E{clock(gone + 2.4, east, '%m%d %H:%M:%S')}.118000 {agent} torch/distributed/elastic/multiprocessing/api.py:869]"
            f" failed (exitcode: 1) local_rank: 1 (pid: {pids[1]}) of binary: /home/dvries/venvs/timm/bin/python",
            "Traceback (most recent call last):",
            '  File "/home/dvries/venvs/timm/bin/torchrun", line 8, in <module>',
            "    sys.exit(main())",
            "             ^^^^^^",
            f'  File "{lib}/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
            "    return f(*args, **kwargs)",
            "           ^^^^^^^^^^^^^^^^^^",
            f'  File "{lib}/run.py", line 918, in main',
            "    run(args)",
            f'  File "{lib}/run.py", line 909, in run',
            "    elastic_launch(",
            f'  File "{lib}/launcher/api.py", line 138, in __call__',
            "    return launch_agent(self._config, self._entrypoint, list(args))",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{lib}/launcher/api.py", line 269, in launch_agent',
            "    raise ChildFailedError(",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 60,
            "train.py FAILED",
            line,
            "Failures:",
            "  <NO_OTHER_FAILURES>",
            line,
            "Root Cause (first observed failure):",
            "[0]:",
            f"  time      : {clock(gone + 1.2, east, '%Y-%m-%d_%H:%M:%S')}",
            "  host      : wolf-a3",
            "  rank      : 1 (local_rank: 1)",
            f"  exitcode  : 1 (pid: {pids[1]})",
            "  error_file: <N/A>",
            "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
            "=" * 60,
        ],
    )
    put(
        place,
        "train_fungi.sbatch",
        [
            "#!/bin/bash",
            "#SBATCH -J fungi-cnv2t -p a100 --gres=gpu:3 -c 48 --mem=300G -t 2-00:00:00",
            "source ~/venvs/timm/bin/activate",
            "torchrun --standalone --nproc_per_node=3 --redirects 3 --log-dir runs/fungi-cnv2t \\",
            "    train.py /data/fungi2024 --model convnextv2_tiny --num-classes 1394 -b 256 --amp --sched cosine \\",
            "    --opt adamw --lr 1.2e-3 --weight-decay 0.05 --epochs 100 --experiment fungi-cnv2t > nohup.out 2>&1",
        ],
    )


def t07(place: Path, rng: Random) -> None:
    """A short Lightning run on three nodes that came to its last step."""
    t0 = when(22, 11, 2)
    begin = t0 + 95
    go, per, total = begin + 71.3, 1.043, 500
    nodes = ["tin05", "tin06", "tin09"]
    done = go + 4.1 + per * total + 22
    end = done + 9

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 22 or t >= done + 4:
            return FREE
        if t < go:
            return held(1900)
        if t >= done - 22:
            return Work(engine=0.03, sm=0.01, dram=0.01, mib=52230)
        return shake(Work(engine=0.96, sm=0.74, tensor=0.4, dram=0.43, mib=52230), f"{n}{g}{t:.0f}")

    hall = Hall("H100", nodes, 4, work, t0, t0 + 16 * 60, 30, 2507)
    matrix(place, "vm/dcgm.json", hall, uuid_only(hall), keep=coarse)
    for n, host in enumerate(nodes):
        put(place, f"hosts/{host}/gpus.txt", hall.listing(n))
        lines = boot_log(rng, t0, hall.of.driver, "noble")
        if n == 2:
            lines.append((t0 - 11.7 * 3600, mmu(hall.bus(1), 1180443, "pt_main_thread", rng)))
        ring(place, f"hosts/{host}/dmesg.txt", lines, "dmesg iso", 0, host)
    out = ["Using bfloat16 Automatic Mixed Precision (AMP)"]
    out += ["GPU available: True (cuda), used: True", "TPU available: False, using: 0 TPU cores"]
    out += ["HPU available: False, using: 0 HPUs"]
    out += [
        f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/12"
        for r in (0, 4, 1, 2, 5, 3, 8, 6, 7, 9, 11, 10)
    ]
    out += ["-" * 100, "distributed_backend=nccl", "All distributed processes registered. Starting with 12 processes"]
    out += ["-" * 100, ""]
    for r in (0, 1, 3, 2, 5, 4, 7, 6, 8, 9, 10, 11):
        out.append(f"LOCAL_RANK: {r % 4} - CUDA_VISIBLE_DEVICES: [0,1,2,3]")
    out += [
        "",
        "  | Name    | Type           | Params | Mode ",
        "---------------------------------------------------",
        "0 | encoder | ConformerStack | 118 M  | train",
        "1 | head    | Linear         | 1.1 M  | train",
        "2 | loss_fn | MSELoss        | 0      | train",
        "---------------------------------------------------",
        "119 M     Trainable params",
        "0         Non-trainable params",
        "119 M     Total params",
        "477.214   Total estimated model params size (MB)",
        "412       Modules in train mode",
        "0         Modules in eval mode",
    ]
    bars, loss = [], 1.0
    rows = ["epoch,grad_norm,lr-AdamW,step,train_loss,val_loss"]
    for i in range(0, total + 1, 10):
        spent = 4.1 + per * i if i else 0.0
        loss = learn(rng, i, 1.04, 0.171, 60)
        rate = f"{i / spent:5.2f}it/s" if i else "?it/s"
        left = hms((total - i) * spent / i) if i else "?"
        tail = f", v_num=3, train_loss={loss:.3f}" if i else ""
        bars.append(f"Epoch 0: {100 * i // total:3d}%|{bar(i, total)}| {i}/{total} [{hms(spent)}<{left}, {rate}{tail}]")
        if i:
            lr = 4e-4 * min(1, i / 50) * (1 - 0.9 * i / total)
            rows.append(f"0,{rng.uniform(0.2, 0.5):.5f},{lr:.6e},{i - 1},{loss:.6f},")
    rows.append(f"0,,,{total - 1},,{loss * 1.03:.6f}")
    vals = [
        f"Validation DataLoader 0: {100 * i // 24:3d}%|{bar(i, 24)}| {i}/24 [{hms(i * 0.7)}<{hms((24 - i) * 0.7)}, {1 / 0.7:5.2f}it/s]"
        for i in (6, 12, 18, 24)
    ]
    last = f"Epoch 0: 100%|{bar(1, 1)}| {total}/{total} [{hms(done - go - 3)}<00:00, {total / (done - go - 3):5.2f}it/s, v_num=3, train_loss={loss:.3f}, val_loss={loss * 1.03:.3f}]"
    text = "\n".join(out) + "\n" + "\r".join([*bars, *vals, last])
    text += f"\n`Trainer.fit` stopped: `max_steps={total}` reached.\n"
    text += f"best: /work/p0931/seis/logs/pick12/version_3/checkpoints/epoch=0-step={total}.ckpt\n"
    put(place, "pick12-60318.out", text)
    put(place, "logs/pick12/version_3/metrics.csv", rows)
    tres = "billing=144,cpu=144,gres/gpu=12,mem=1080G,node=3"
    times = (begin, end)

    def span(a: float, b: float) -> list[str]:
        return [clock(a, 0, ISO), clock(b, 0, ISO), took(int(b) - int(a))]

    account(
        place,
        "sacct-60318.txt",
        [
            ["60318", "pick12", "ahlers", "h100", "COMPLETED", "0:0", *span(*times), tres, "tin[05-06,09]"],
            [
                "60318.batch",
                "batch",
                "",
                "",
                "COMPLETED",
                "0:0",
                *span(*times),
                "cpu=48,gres/gpu=4,mem=360G,node=1",
                "tin05",
            ],
            ["60318.extern", "extern", "", "", "COMPLETED", "0:0", *span(*times), tres, "tin[05-06,09]"],
            [
                "60318.0",
                "python",
                "",
                "",
                "COMPLETED",
                "0:0",
                *span(begin + 5, end - 1),
                tres.split(",", 1)[1],
                "tin[05-06,09]",
            ],
        ],
        STEP_HEAD,
        bars=True,
    )


def t08(place: Path, rng: Random) -> None:
    """A language model in JAX on one card that its board slows for an hour; only the job before it is accounted for."""
    east, t0 = 60, when(26, 7, 44)
    begin, go, brake, end = t0 + 210, t0 + 318, t0 + 41 * 60 + 20, t0 + 113 * 60

    def share(t: float) -> float:
        if t < brake:
            return 1.0
        return 0.285 if Random(f"b{t // 600:.0f}").random() < 0.7 else 0.335

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 18:
            return FREE
        if t < go:
            return held(60300)
        k = share(t)
        one = Work(engine=0.985, sm=0.86, tensor=0.47, dram=0.46 * (0.25 + 0.75 * k), mib=60300)
        return shake(one, f"{t:.0f}", 0.95)

    def alter(n: int, g: int, t: float, one: Row) -> Row:
        if t >= brake:
            k = share(t)
            one["SM_CLOCK"] = int(1980 * k // 15 * 15)
            one["CLOCKS_EVENT_REASONS"] = 0x88
            one["PIPE_TENSOR_ACTIVE"] *= 0.99
            watts = 108 + (one["POWER_USAGE"] - 108) * k**1.25
            gone = min(1.0, (t - brake) / 240)
            one["GPU_TEMP"] = round(one["GPU_TEMP"] - (0.38 + 0.62 * gone) * 0.056 * (one["POWER_USAGE"] - watts))
            one["POWER_USAGE"] = watts
        return one

    hall = Hall("H100", ["gx-07"], 1, work, t0, end, 30, 2508, alter=alter)
    dmon(place, "gx-07_dmon.txt", hall, 0, east, "%b %d %H:%M:%S")
    ring(place, "journal_k_gx-07.txt", boot_log(rng, t0, hall.of.driver, "jammy"), "journalctl", east, "gx-07")

    def say(t: float, where: str, text: str) -> str:
        return f"{clock(t, east, ISO)} - 0 - {where} - INFO :: {text}"

    out = [
        say(
            begin + 13, "levanter.distributed - distributed.py:208", "Not initializing jax.distributed: single process"
        ),
        say(
            begin + 19,
            "jax._src.xla_bridge - xla_bridge.py:927",
            "Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'",
        ),
        say(
            begin + 19,
            "jax._src.xla_bridge - xla_bridge.py:927",
            "Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared object file: No such file or directory",
        ),
        say(begin + 24, "levanter.trainer - trainer.py:771", "Setting run id to rt8c02vd"),
        say(begin + 31, "levanter.data.text - text.py:1193", "Loading cache from /srv/lm/cache/ladino_mix/train"),
        say(begin + 33, "levanter.store.cache - cache.py:241", "Cache metadata matches"),
        say(begin + 38, "levanter.main.train_lm - train_lm.py:172", "No checkpoint found. Starting from scratch."),
        say(begin + 52, "levanter.trainer - trainer.py:421", "Tracing train_step for jaxpr..."),
        say(begin + 60, "levanter.trainer - trainer.py:424", "Traced train_step in 7.9 seconds."),
        say(begin + 60, "levanter.trainer - trainer.py:434", "Lowering train_step to HLO..."),
        say(begin + 63, "levanter.trainer - trainer.py:437", "Lowered train_step in 2.8 seconds."),
        say(go + 1, "levanter.trainer - trainer.py:443", "First batch loaded in 1.6s, first train step done."),
    ]
    at, i, told, saved, total = go, 0, go, go, 20000
    recent: list[float] = []
    while at < end - 2:
        one = 0.612 * rng.uniform(0.99, 1.012) * (0.05 + 0.95 / share(at))
        at += one
        i += 1
        recent = [*recent[-60:], one]
        if at - told >= 30:
            told = at
            mean = sum(recent) / len(recent)
            rate = f"{1 / mean:.1f}it/s" if mean < 1 else f"{mean:.1f}s/it"
            done = f"{i / 1000:.2f}k" if i >= 1000 else str(i)
            out.append(
                say(
                    at,
                    "tqdm_logging - tqdm_logging.py:145",
                    f"Progress on:train {done}it/{total / 1000:.1f}kit rate:{rate} remaining:{hms((total - i) * mean)}"
                    f" elapsed:{hms(at - go)} postfix:loss={learn(rng, i, 10.9, 2.9, 170):.3g}",
                )
            )
        if at - saved >= 1800:
            saved = at
            out.append(
                say(
                    at,
                    "levanter.checkpoint - checkpoint.py:238",
                    f"Saving checkpoint at step {i} to /srv/lm/ckpt/rt8c02vd/step-{i}",
                )
            )
            out.append(
                say(
                    at + 6,
                    "levanter.checkpoint - checkpoint.py:262",
                    f"Saved checkpoint to /srv/lm/ckpt/rt8c02vd/step-{i} for step {i}",
                )
            )
    put(place, "ladino-410m.log", out)
    was = (t0 - 27.2 * 3600, t0 - 27.2 * 3600 + 12411)
    scontrol(
        place,
        "scontrol_show_job.txt",
        [
            "JobId=15502 JobName=ladino-410m",
            "UserId=bperera(4471) GroupId=nlp(4000) MCS_label=N/A",
            "Priority=10214 Nice=0 Account=nlp QOS=normal",
            "JobState=COMPLETED Reason=None Dependency=(null)",
            "Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0",
            f"RunTime={took(was[1] - was[0])} TimeLimit=08:00:00 TimeMin=N/A",
            f"SubmitTime={clock(was[0] - 2, east, ISO)} EligibleTime={clock(was[0] - 2, east, ISO)}",
            f"AccrueTime={clock(was[0] - 2, east, ISO)}",
            f"StartTime={clock(was[0], east, ISO)} EndTime={clock(was[1], east, ISO)} Deadline=N/A",
            f"SuspendTime=None SecsPreSuspend=0 LastSchedEval={clock(was[0], east, ISO)} Scheduler=Main",
            "Partition=gx AllocNode:Sid=gx-login:20117",
            "ReqNodeList=(null) ExcNodeList=(null)",
            "NodeList=gx-04",
            "BatchHost=gx-04",
            "NumNodes=1 NumCPUs=16 NumTasks=1 CPUs/Task=16 ReqB:S:C:T=0:0:*:*",
            "ReqTRES=cpu=16,mem=128G,node=1,billing=16,gres/gpu=1",
            "AllocTRES=cpu=16,mem=128G,node=1,billing=16,gres/gpu=1",
            "Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*",
            "MinCPUsNode=16 MinMemoryNode=128G MinTmpDiskNode=0",
            "Features=(null) DelayBoot=00:00:00",
            "OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)",
            "Command=/home/bperera/lev/ladino.sbatch",
            "WorkDir=/home/bperera/lev",
            "StdErr=/home/bperera/lev/ladino-410m.prev.log",
            "StdIn=/dev/null",
            "StdOut=/home/bperera/lev/ladino-410m.prev.log",
        ],
    )
