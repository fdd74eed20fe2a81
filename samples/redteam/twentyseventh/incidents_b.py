"""Incidents t09 to t16 of the twenty-seventh set, as their sites handed them over. SIMULATED."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Final

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentieth.rig import milli as exact
from samples.redteam.twentyfirst.rig_incidents import (
    FREE,
    Model,
    Row,
    Work,
    calm,
    dmon,
    kernel,
    learn,
    matrix,
    milli,
    part,
    smi_csv,
    uuid_only,
)
from samples.redteam.twentyfourth.rig_site import (
    CARDS,
    Hall,
    boot_log,
    coarse,
    held,
    shake,
    spin,
    step_rows,
    ticks,
)
from samples.redteam.twentythird.rig_more import ISO, bar, hms, job, quiet, sacct, when

if TYPE_CHECKING:
    from pathlib import Path

OURS: Final = CARDS | {
    "L40S": replace(CARDS["L40S"], driver="550.144.03"),
    "V100": replace(CARDS["V100"], driver="550.163.01"),
    "L4": replace(CARDS["L4"], driver="560.35.05"),
}


@dataclass
class Floor(Hall):
    """GPUs with the drivers of these sites."""

    @property
    def of(self) -> Model:
        """Which model they are."""
        return OURS[self.kind]


def dcgm(floor: Floor, task: str, **more: str):  # noqa: ANN201
    """Labels of dcgm-exporter on bare metal."""
    return lambda n, g: {
        "DCGM_FI_DRIVER_VERSION": floor.of.driver,
        "Hostname": floor.nodes[n],
        "UUID": floor.uuid(n, g),
        "device": f"nvidia{g}",
        "gpu": str(g),
        "instance": f"{floor.nodes[n]}:9400",
        "job": task,
        "modelName": floor.of.name,
        "pci_bus_id": f"00000000:{floor.bus(g)}",
        **more,
    }


def t09_stock_news(place: Path, rng: Random) -> None:
    """Preempted by another queue, requeued, taken up from the last save, finished."""
    east, begin = -360, when(14, 8, 11, 7)
    nodes = ["gn21", "gn22", "gn23", "gn24"]
    first, cut = begin + 185, begin + 1411
    guest, gone = cut + 47, cut + 640
    again = cut + 681
    pace, total, every = 1.22, 2300, 150
    train = (first + 58, again + 64)
    wait = 5.3
    block = every * pace + wait
    whole = int((cut - train[0]) / block)
    done = whole * every + min(every, int((cut - train[0] - whole * block) / pace))
    resume = whole * every
    last = train[1] + (total - resume) * pace + (total - resume) // every * wait + 20

    def work(node: int, gpu: int, t: float) -> Work:
        if t < first:
            return FREE
        if t < cut or again <= t < last:
            run = 0 if t < cut else 1
            if t < train[run] - 30:
                return held(0) if t > (first, again)[run] + 18 else FREE
            if t < train[run]:
                return held(9200)
            if (t - train[run]) % block > every * pace:
                return Work(0.31, 0.2, 0.1, 0.12, 34180)
            return shake(Work(0.985, 0.83, 0.44, 0.52, 34180, 900, 900), f"{node}{gpu}{t}")
        if guest + 25 <= t < gone:
            return shake(Work(0.91, 0.62, 0.3, 0.41, 18744, 300, 200), f"g{node}{gpu}{t}", 0.85)
        return FREE

    floor = Floor("A40", nodes, 2, work, begin, begin + 66 * 60, 15, 2909)
    columns = (
        "index",
        "name",
        "utilization.gpu",
        "utilization.memory",
        "memory.used",
        "memory.total",
        "temperature.gpu",
        "power.draw",
        "clocks.current.sm",
        "ecc.errors.uncorrected.volatile.total",
    )
    for n, node in enumerate(nodes):
        smi_csv(place, f"gpu/{node}.csv", floor, n, east, columns)

    out: list[str] = []

    def say(t: float, words: str, level: str = "信息") -> None:
        out.append(f"[{clock(part(t), east)}][{level}] {words}")

    for run in (0, 1):
        t0, t1 = (first, again)[run], train[run]
        out += [
            f"===== {clock(t0, east, '%a %b %e %H:%M:%S')} CST {2026} 作业 448211 节点 gn[21-24] =====",
            f"SLURM_RESTART_COUNT={run if run else ''}",
        ]
        say(t0 + 16, "分布式环境初始化: 后端=nccl 进程数=8 每节点=2")
        say(t0 + 21, "读取配置 conf/caijing_0.7b.yaml: 批大小=12x8 序列长=1024 总步数=2300 预热=100 bf16=True")
        say(t0 + 24, "词表大小 43112, 模型参数量 712.4M")
        say(t0 + 33, "数据: /lustre/xw/caijing/2025q*.bin 共 1.83B 词元, 随机种子 31")
        if run:
            say(t0 + 36, f"发现断点 ckpt/step_{resume:06d}.pt, 恢复模型/优化器/学习率/数据位置")
            say(t0 + 61, f"断点恢复完成, 从第 {resume} 步继续")
        else:
            say(t0 + 36, "ckpt/ 为空, 从头开始训练")
        step = resume if run else 0
        stop = total if run else done
        draw = Random(f"loss{run}")
        while step < stop:
            step += 10
            if step > stop:
                break
            past = step - (resume if run else 0)
            at = t1 + past * pace + (past - 1) // every * wait
            loss = learn(draw, step, 10.71, 2.62, 90)
            rate = 3e-4 * min(1, step / 100) * (1 - 0.85 * max(0, step - 100) / 2200)
            norm = 0.55 + 3.1 / (1 + step / 25) + draw.gauss(0, 0.04)
            took = pace + draw.gauss(0, 0.015)
            say(
                at,
                f"第 {step:>5d}/{total} 步  损失 {loss:.4f}  学习率 {rate:.3e}  梯度范数 {norm:.3f}  "
                f"{took:.3f} 秒/步  {12 * 8 * 1024 / took:,.0f} 词元/秒",
            )
            if step % every == 0:
                say(at + 5.15, f"保存断点 ckpt/step_{step:06d}.pt (用时 5.1 秒)")
        if not run:
            stamp = clock(cut, east, ISO)
            out += [
                f"slurmstepd: error: *** JOB 448211 ON gn21 CANCELLED AT {stamp} DUE TO PREEMPTION ***",
                "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
                f"slurmstepd: error: *** STEP 448211.0 ON gn21 CANCELLED AT {stamp} DUE TO PREEMPTION ***",
            ]
    say(last - 14, "验证集: 损失 3.1642 困惑度 23.670")
    say(last - 6, "保存最终模型 out/caijing_0.7b_final.pt")
    say(last - 1.5, "训练结束, 总用时(本次) " + hms(last - again))
    put(place, "slurm-448211.out", out)


def t10_mistral_legal(place: Path, rng: Random) -> None:
    """Double-bit errors in the memory of one GPU; the rank on it dies of them."""
    east, begin = 0, when(22, 1, 4, 0, 9)
    node, bad = "ada-l40s-03", 5
    start, train, pace = begin + 240, begin + 402, 4.83
    fault = begin + 84 * 60 + 22.4
    end = fault + 9

    def work(_n: int, gpu: int, t: float) -> Work:
        if t < start + 20 or t > end - 1:
            return FREE
        if t < train:
            return held(1800 if t < start + 70 else 15200)
        if t > fault:
            return held(40912) if gpu == bad else spin(40912)
        return shake(Work(0.99, 0.78, 0.39, 0.49, 40912, 7400, 7400), f"{gpu}{t}")

    def alter(_n: int, gpu: int, at: float, one: Row) -> Row:
        if gpu == bad and at >= fault:
            one["ECC_DBE_VOL_TOTAL"] = 2
            one["UNCORRECTABLE_REMAPPED_ROWS"] = 1
            one["XID_ERRORS"] = 45
        return one

    holes = (
        (begin + 1620, begin + 1970),
        (begin + 3300, begin + 3430),
        (fault - 130, fault - 20),
        (begin + 5700, begin + 6010),
    )
    floor = Floor("L40S", [node], 8, work, begin, begin + 110 * 60, 60, 3010, alter, holes=holes)
    matrix(place, "prom_dcgm.json", floor, dcgm(floor, "dcgm-exporter", cluster="ada"), keep=coarse)

    pids = {g: 71340 + g for g in range(8)}
    pid = pids[bad]
    bus = "ab"
    sick = [
        (
            fault + 0.118204,
            f"NVRM: Xid (PCI:0000:{bus}:00): 48, pid='<unknown>', name=<unknown>, An uncorrectable double bit error"
            " (DBE) has been detected on GPU in the framebuffer at physical address 0x6c29ab3a0 partition 7,"
            " subpartition 1.",
        ),
        (
            fault + 0.119877,
            f"NVRM: Xid (PCI:0000:{bus}:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row"
            " (0x0000000006c29ab0) marked for remapping, reset gpu to activate.",
        ),
        *(
            (
                fault + 0.1204 + 0.0007 * i,
                f"NVRM: Xid (PCI:0000:{bus}:00): 45, pid={pid}, name=python3.11, Ch {8 + i:08x}",
            )
            for i in range(8)
        ),
    ]
    quiet(place, f"journal-k_{node}.log", rng, floor, 0, "journalctl", east, sick)

    total = 2360
    log = "INFO:torchtune.utils._logging:"
    out = [
        "Running with torchrun...",
        *(
            [
                "W0922 01:08:09.402000 71301 site-packages/torch/distributed/run.py:792] ",
                "W0922 01:08:09.402000 71301 site-packages/torch/distributed/run.py:792] " + "*" * 41,
                "W0922 01:08:09.402000 71301 site-packages/torch/distributed/run.py:792] Setting OMP_NUM_THREADS"
                " environment variable for each process to be 1 in default, to avoid your system being overloaded,"
                " please further tune the variable for optimal performance in your application as needed. ",
                "W0922 01:08:09.402000 71301 site-packages/torch/distributed/run.py:792] " + "*" * 41,
            ]
        ),
        f"{log}Running FullFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 2",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /data/models/Mistral-7B-v0.1",
        "  checkpoint_files:",
        "  - pytorch_model-00001-of-00002.bin",
        "  - pytorch_model-00002-of-00002.bin",
        "  model_type: MISTRAL",
        "  output_dir: /scratch/hvoss/rulings_ft",
        "  recipe_checkpoint: null",
        "compile: false",
        "dataset:",
        "  _component_: torchtune.datasets.instruct_dataset",
        "  packed: false",
        "  source: /data/rulings/qa_v5",
        "device: cuda",
        "dtype: bf16",
        "enable_activation_checkpointing: true",
        "epochs: 1",
        "gradient_accumulation_steps: 2",
        "log_every_n_steps: 1",
        "log_peak_memory_stats: true",
        "loss:",
        "  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss",
        "max_steps_per_epoch: null",
        "metric_logger:",
        "  _component_: torchtune.training.metric_logging.DiskLogger",
        "  log_dir: /scratch/hvoss/rulings_ft/logs",
        "model:",
        "  _component_: torchtune.models.mistral.mistral_7b",
        "optimizer:",
        "  _component_: torch.optim.AdamW",
        "  fused: true",
        "  lr: 5.0e-06",
        "output_dir: /scratch/hvoss/rulings_ft",
        "resume_from_checkpoint: false",
        "seed: 11",
        "tokenizer:",
        "  _component_: torchtune.models.mistral.mistral_tokenizer",
        "  max_seq_len: 2048",
        "  path: /data/models/Mistral-7B-v0.1/tokenizer.model",
        "",
        "DEBUG:torchtune.utils._logging:Setting manual seed to local seed 11. Local seed is seed + rank = 11 + 0",
        "Writing logs to /scratch/hvoss/rulings_ft/logs/log_1790039302.txt",
        f"{log}FSDP is enabled. Instantiating model and loading checkpoint on Rank 0 ...",
        f"{log}Instantiating model and loading checkpoint took 71.48 secs",
        f"{log}Memory stats after model init:",
        "\tGPU peak memory active: 2.86 GiB",
        "\tGPU peak memory alloc: 2.86 GiB",
        "\tGPU peak memory reserved: 2.97 GiB",
        f"{log}Optimizer is initialized.",
        f"{log}Loss is initialized.",
        f"{log}No learning rate scheduler configured. Using constant learning rate.",
        f"{log} Profiling disabled.",
        f"{log} Profiler config after instantiation: {{'enabled': False}}",
    ]
    steps = int((fault - train) / pace)
    bars = [f"\r  0%|{' ' * 10}| 0/{total} [00:00<?, ?it/s]"]
    for k in range(1, steps + 1):
        loss = 0.74 + 0.95 * (1 + k / 30) ** -0.7 + rng.gauss(0, 0.05)
        left = (total - k) * pace
        bars.append(
            f"\r1|{k}|Loss: {loss:.16f}: {100 * k // total:3d}%|{bar(k, total)}| {k}/{total}"
            f" [{hms(k * pace)}<{hms(left)}, {pace + rng.gauss(0, 0.03):5.2f}s/it]"
        )
    site = "/opt/venv/lib/python3.11/site-packages"
    r = f"[rank{bad}]: "
    tail = [
        r + "Traceback (most recent call last):",
        r + f'  File "{site}/recipes/full_finetune_distributed.py", line 930, in <module>',
        r + "    sys.exit(recipe_main())",
        r + "             ^^^^^^^^^^^^^",
        r + f'  File "{site}/torchtune/config/_parse.py", line 99, in wrapper',
        r + "    sys.exit(recipe_main(conf))",
        r + "             ^^^^^^^^^^^^^^^^^",
        r + f'  File "{site}/recipes/full_finetune_distributed.py", line 925, in recipe_main',
        r + "    recipe.train()",
        r + f'  File "{site}/recipes/full_finetune_distributed.py", line 784, in train',
        r + "    current_loss.backward()",
        r + f'  File "{site}/torch/_tensor.py", line 626, in backward',
        r + "    torch.autograd.backward(",
        r + f'  File "{site}/torch/autograd/__init__.py", line 347, in backward',
        r + "    _engine_run_backward(",
        r + f'  File "{site}/torch/autograd/graph.py", line 823, in _engine_run_backward',
        r + "    return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
        r + "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        r + "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        r + "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might"
        " be incorrect.",
        r + "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        r + "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
        f"[rank{bad}]:[E922 {clock(fault + 1.3, 0, '%H:%M:%S')}.402118871 ProcessGroupNCCL.cpp:1896] [PG ID 0 PG GUID"
        f" 0(default_pg) Rank {bad}] Process group watchdog thread terminated with exception: CUDA error:"
        " uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be"
        " incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
        "Exception raised from c10_cuda_check_implementation at /pytorch/c10/cuda/CUDAException.cpp:43 (most recent"
        " call first):",
        "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7f1c9ab6c1b6 in"
        f" {site}/torch/lib/libc10.so)",
        "frame #1: c10::detail::torchCheckFail(char const*, char const*, unsigned int, std::string const&) + 0x64"
        f" (0x7f1c9ab15a76 in {site}/torch/lib/libc10.so)",
        "frame #2: c10::cuda::c10_cuda_check_implementation(int, char const*, char const*, int, bool) + 0x118"
        f" (0x7f1c9af5b918 in {site}/torch/lib/libc10_cuda.so)",
        "frame #3: c10d::ProcessGroupNCCL::WorkNCCL::finishedGPUExecutionInternal() const + 0x56 (0x7f1c4fa1fa16 in"
        f" {site}/torch/lib/libtorch_cuda.so)",
        "frame #4: c10d::ProcessGroupNCCL::watchdogHandler() + 0x617 (0x7f1c4fa2e8b7 in"
        f" {site}/torch/lib/libtorch_cuda.so)",
        "",
    ]
    t = fault + 4
    api = "71301 site-packages/torch/distributed/elastic/multiprocessing/api.py"
    stamp = clock(t, 0, "%m%d %H:%M:%S")
    tail += [
        f"W{stamp}.{611 + g}000 {api}:897] Sending process {pids[g]} closing signal SIGTERM"
        for g in range(8)
        if g != bad
    ]
    tail += [
        f"E{clock(t + 2, 0, '%m%d %H:%M:%S')}.540000 {api}:869] failed (exitcode: -6) local_rank: {bad} (pid: {pid})"
        " of binary: /opt/venv/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/opt/venv/bin/tune", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        f'  File "{site}/torchtune/_cli/tune.py", line 52, in main',
        "    parser.run(args)",
        f'  File "{site}/torchtune/_cli/tune.py", line 46, in run',
        "    args.func(args)",
        f'  File "{site}/torchtune/_cli/run.py", line 212, in _run_cmd',
        "    self._run_distributed(args, is_builtin=is_builtin)",
        f'  File "{site}/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^",
        f'  File "{site}/torchtune/_cli/run.py", line 101, in _run_distributed',
        "    run(args)",
        f'  File "{site}/torch/distributed/run.py", line 883, in run',
        "    elastic_launch(",
        f'  File "{site}/torch/distributed/launcher/api.py", line 139, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        f'  File "{site}/torch/distributed/launcher/api.py", line 270, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        f"{site}/recipes/full_finetune_distributed.py FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(t, 0, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {node}",
        f"  rank      : {bad} (local_rank: {bad})",
        f"  exitcode  : -6 (pid: {pid})",
        "  error_file: <N/A>",
        f"  traceback : Signal 6 (SIGABRT) received by PID {pid}",
        "=" * 60,
    ]
    put(place, "rulings_ft-20817.log", "\n".join(out) + "\n" + "".join(bars) + "\n" + "\n".join(tail) + "\n")
    head = [
        "JobID",
        "JobName",
        "User",
        "Partition",
        "State",
        "ExitCode",
        "Start",
        "End",
        "Elapsed",
        "AllocTRES",
        "NodeList",
    ]
    tres = "billing=96,cpu=96,gres/gpu=8,mem=700G,node=1"
    rows = step_rows(
        "20817",
        "rulings_ft",
        "hvoss",
        "l40s",
        ("FAILED", "1:0"),
        ("FAILED", "1:0"),
        None,
        (start, end),
        east,
        tres,
        node,
        node,
    )
    put(place, "sacct_20817.txt", ["|".join(one) for one in [head, *rows]])


def t11_segment_two(place: Path, rng: Random) -> None:
    """Uneven shards: one rank still reduces gradients when the other gathers at the end of the epoch."""
    east, begin = 0, when(6, 15, 40, 4, 11)
    nodes = ["volta07", "volta11"]
    start, train = begin + 35, begin + 62
    pace, batches = 0.62, 236
    froze = train + batches * pace
    late = froze + 600
    end = late + 4

    def work(_n: int, _g: int, t: float) -> Work:
        if t < start + 9 or t > end - 1:
            return FREE
        if t < train:
            return held(700)
        if t < froze:
            return shake(Work(0.96, 0.74, 0.33, 0.46, 21480, 420, 420), f"{t}")
        return spin(21480)

    floor = Floor("V100", nodes, 1, work, begin, begin + 14 * 60, 60, 3111)
    smi_csv(
        place,
        f"{nodes[0]}_nvsmi.csv",
        floor,
        0,
        east,
        (
            "index",
            "uuid",
            "pstate",
            "temperature.gpu",
            "utilization.gpu",
            "utilization.memory",
            "memory.used",
            "memory.total",
            "power.draw",
            "clocks.current.sm",
        ),
    )
    out: list[str] = []

    def say(t: float, rank: int, words: str, level: str = "INFO", mod: str = "train") -> None:
        out.append(f"{milli(t, east)} {level:<7} r{rank} {mod}: {words}")

    for r in (0, 1):
        say(start + 8.2 + 0.3 * r, r, f"host={nodes[r]} device=cuda:0 (Tesla V100-SXM2-32GB) torch=2.5.1+cu121")
    for r in (0, 1):
        say(start + 14.1 + 0.2 * r, r, "process group up, world_size=2", mod="dist")
    for r, n in ((0, 1894), (1, 1886)):
        say(start + 19.7 + 0.2 * r, r, f"indexed {n} tiles under /srv/tiles/orchard/shard{r}", mod="data")
    say(start + 22.4, 0, "UNet(resnet34) 24.4M parameters, AMP on, SGD lr=0.02 momentum=0.9, batch 8/gpu")
    say(start + 26.3, 0, "epoch 1/40")
    for k in range(20, batches + 1, 20):
        loss = 0.24 + 0.52 * (1 + k / 40) ** -0.9 + rng.gauss(0, 0.012)
        for r in (0, 1):
            say(
                train + k * pace + 0.01 * r,
                r,
                f"e1 it {k:4d} loss {loss + rng.gauss(0, 0.02):.4f} {8 / pace:.1f} img/s",
            )
    say(froze - 0.04, 1, "epoch 1 train done: 236 iterations, mean loss 0.3862")
    say(froze - 0.02, 1, "gathering confusion counts", mod="dist")
    seq = 5 * batches + 19
    pre = "ProcessGroupNCCL.cpp"

    def torch(t: float, rank: int, line: int, words: str) -> str:
        t += Random(words).uniform(0.00001, 0.00009)
        stamp = f"{clock(t, east, '%H:%M:%S')}.{int(t * 1e6) % 10**6:06d}{Random(words).randrange(1000):03d}"
        return f"[rank{rank}]:[E1106 {stamp} {pre}:{line}] {words}"

    site = "/home/jtanaka/.conda/envs/seg/lib/python3.10/site-packages/torch/lib"
    spent = {0: 600041, 1: 600088}
    ops = {
        0: f"WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=2359808, NumelOut=2359808, Timeout(ms)=600000)",
        1: f"WorkNCCL(SeqNum={seq}, OpType=ALLGATHER, NumelIn=6, NumelOut=12, Timeout(ms)=600000)",
    }
    for r in (0, 1):
        t = late + 0.113 + 0.31 * r
        out.append(
            torch(
                t,
                r,
                616,
                f"[Rank {r}] Watchdog caught collective operation timeout: {ops[r]} ran for {spent[r]} milliseconds"
                " before timing out.",
            )
        )
        out.append(
            torch(
                t + 0.0004,
                r,
                1785,
                f"[PG ID 0 PG GUID 0(default_pg) Rank {r}] Exception (either an error or timeout) detected by watchdog"
                f" at work: {seq}, last enqueued NCCL work: {seq + (4 if r == 0 else 0)}, last completed NCCL work:"
                f" {seq - 1}.",
            )
        )
    for r in (0, 1):
        t = late + 1.022 + 0.2 * r
        out += [
            torch(
                t,
                r,
                1834,
                f"[PG ID 0 PG GUID 0(default_pg) Rank {r}] Timeout at NCCL work: {seq}, last enqueued"
                f" NCCL work: {seq + (4 if r == 0 else 0)}, last completed NCCL work: {seq - 1}.",
            ),
            torch(
                t + 0.0001,
                r,
                630,
                f"[Rank {r}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA"
                " kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            ),
            torch(
                t + 0.0002,
                r,
                636,
                f"[Rank {r}] To avoid data inconsistency, we are taking the entire process down.",
            ),
            torch(
                t + 0.004,
                r,
                1595,
                f"[PG ID 0 PG GUID 0(default_pg) Rank {r}] Process group watchdog thread terminated with exception:"
                f" [Rank {r}] Watchdog caught collective operation timeout: {ops[r]} ran for {spent[r]} milliseconds"
                " before timing out.",
            ),
            "Exception raised from checkTimeout at ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:618 (most recent"
            " call first):",
            "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7f36d0a6c446 in"
            f" {site}/libc10.so)",
            "frame #1: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long,"
            f" std::ratio<1l, 1000l> > >) + 0x282 (0x7f3685dc7772 in {site}/libtorch_cuda.so)",
            f"frame #2: c10d::ProcessGroupNCCL::watchdogHandler() + 0x233 (0x7f3685dcebb3 in {site}/libtorch_cuda.so)",
            "",
        ]
    out += [
        "srun: error: volta07: task 0: Aborted (core dumped)",
        "srun: error: volta11: task 1: Aborted (core dumped)",
    ]
    put(place, "slurm-30551.out", out)
    rows = [
        job(
            "30551",
            "orchard-seg",
            "volta",
            "FAILED",
            "134:0",
            (start - 21, start, end),
            east,
            "12:00:00",
            (2, "volta[07,11]"),
        ),
        job("30551.batch", "batch", "", "FAILED", "134:0", (start, start, end), east, "", (1, "volta07")),
        job("30551.0", "python", "", "FAILED", "0:6", (start + 1, start + 1, end - 1), east, "", (2, "volta[07,11]")),
    ]
    for one, cell in ((rows[1], 5), (rows[2], 5)):
        one[cell] = clock(start, east, ISO)
    sacct(place, "sacct.txt", rows, bars=False)
    for n, node in enumerate(nodes):
        quiet(place, f"{node}.journal", rng, floor, n, "journalctl", east)


def t12_nemo_llama(place: Path, rng: Random) -> None:
    """One of two nodes goes away in the middle of training and comes back booted anew."""
    east, begin = -480, when(3, 9, 22, 0, 10)
    nodes = ["bx-0106", "bx-0107"]
    start, train = begin + 390, begin + 712
    lost = begin + 397 * 60 + 21.7
    killed = lost + 342
    back = lost + 655

    def work(node: int, gpu: int, t: float) -> Work:
        if t < start + 25 or t > killed + 2:
            return FREE
        if t < train:
            return held(2600) if t < start + 120 else held(71400)
        if node == 0 and t > lost + 1:
            return spin(158220)
        cycle = (t - train) % 2870
        if 2610 < cycle < 2700:
            return shake(Work(0.94, 0.61, 0.3, 0.4, 158220, 900, 700), f"v{node}{gpu}{t}")
        if cycle >= 2838:
            return Work(0.04, 0.02, 0.0, 0.02, 158220, 300, 11000)
        return shake(Work(0.992, 0.86, 0.5, 0.47, 158220, 1500, 1300), f"{node}{gpu}{t}")

    def alter(node: int, gpu: int, at: float, one: Row) -> Row | None:
        if node == 1 and gpu == 3:
            one["UNCORRECTABLE_REMAPPED_ROWS"] = 2
            one["CORRECTABLE_REMAPPED_ROWS"] = 1
        return None if node == 1 and lost - 4 < at < back + 190 else one

    floor = Floor("B200", nodes, 8, work, begin, begin + 438 * 60, 15, 3212, alter)
    drop = ("TOTAL_ENERGY", "MEM_CLOCK", "FB_FREE", "PCIE_REPLAY", "MEM_COPY")
    matrix(place, "query_range.json", floor, uuid_only(floor, "dcgm"), keep=lambda name: not name.startswith(drop))
    for n, node in enumerate(nodes):
        put(place, f"nvidia-smi-L.{node}.txt", floor.listing(n))
    rows = [
        job(
            "1184022",
            "nemo_llama31_70b_pt",
            "b200",
            "NODE_FAIL",
            "1:0",
            (start - 1904, start, killed),
            east,
            "2-00:00:00",
            (2, "bx-[0106-0107]"),
        ),
        job("1184022.bat+", "batch", "", "CANCELLED", "0:15", (start, start, killed + 3), east, "", (1, "bx-0106")),
        job(
            "1184022.ext+",
            "extern",
            "",
            "CANCELLED",
            "0:15",
            (start, start, killed + 2),
            east,
            "",
            (2, "bx-[0106-0107]"),
        ),
        job(
            "1184022.0",
            "python",
            "",
            "CANCELLED",
            "0:9",
            (start + 6, start + 6, killed + 2),
            east,
            "",
            (2, "bx-[0106-0107]"),
        ),
    ]
    sacct(place, "sacct.out", rows, bars=False)
    quiet(place, "syslog/bx-0106.kern", rng, floor, 0, "syslog", east)
    old = [one for one in calm(rng, begin, floor.of.driver) if one[0] < lost]
    new = [
        (back, old[0][1]),
        (
            back + 0.000004,
            "Command line: BOOT_IMAGE=/vmlinuz-6.8.0-60-generic root=/dev/md0p2 ro console=ttyS0,115200n8",
        ),
        (back + 3.104418, "pci_bus 0000:00: resource 4 [io  0x0000-0x03af window]"),
        (back + 13.902200, "nvidia: module license 'NVIDIA' taints kernel."),
        (back + 14.611290, old[3][1]),
        (back + 17.220913, "nvidia-uvm: Loaded the UVM driver, major device number 506."),
        (back + 26.400311, "EXT4-fs (nvme1n1p1): recovery complete"),
        (back + 26.401877, "EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode. Quota mode: none."),
        (back + 35.118004, "mlx5_core 0000:1a:00.0 ibp26s0: Link up"),
    ]
    kernel(place, "syslog/bx-0107.kern", [*old, *new], "syslog", east, nodes[1])


def t13_corpus_andino(place: Path, rng: Random) -> None:
    """All went well: 32 GPUs, steady, the loss falls, ended as planned; one GPU corrects an error now and then."""
    east, begin = 540, when(19, 22, 8, 33, 10)
    nodes = ["h4", "h5", "h6", "h7"]
    start, train, pace, total = begin + 95, begin + 231, 3.117, 5000
    saves = list(range(500, total + 1, 500))
    pause = 21.0

    def moment(step: float) -> float:
        return train + step * pace + pause * sum(1 for k in saves if k < step)

    last = moment(total) + 48

    def work(node: int, gpu: int, t: float) -> Work:
        if t < start + 14 or t > last:
            return FREE
        if t < train:
            return held(900 if t < start + 62 else 44120)
        span = 500 * pace + pause
        inside = (t - train) % span
        if inside > 500 * pace or t > moment(total):
            return Work(0.06, 0.04, 0.0, 0.03, 68844, 40, 3800)
        return shake(Work(0.99, 0.84, 0.47, 0.45, 68844, 1200, 1200), f"{node}{gpu}{t}")

    tick = sorted(rng.uniform(begin + 600, begin + 16500) for _ in range(17))
    alter = ticks({(2, 6): tick, (0, 1): tick[4:5]}, 0)
    floor = Floor("H100", nodes, 8, work, begin, begin + 279 * 60, 15, 3313, alter)
    for n, node in enumerate(nodes):
        dmon(place, f"dcgmi_dmon.{node}.txt", floor, n, east, "%Y-%m-%d %H:%M:%S")
        quiet(place, f"dmesg.{node}.txt", rng, floor, n, "dmesg -T", east)
    out: list[str] = []

    def say(t: float, words: str) -> None:
        out.append(f"{clock(t, east, '%d/%m/%Y %H:%M:%S')} - entrenar - INFO - {words}")

    say(start + 12, "Rango 0 de 32 en h4, backend nccl, CUDA 12.4, PyTorch 2.6.0")
    say(start + 14, "Configuración: capas=32 dim=2560 cabezas=32 ctx=4096 lote_global=512 microlote=4 dp=32 (ZeRO-1)")
    say(start + 31, "Corpus: 41 ficheros .npy en /gpfs/andino/tok32k, 11.206.331.904 tokens")
    say(start + 63, "Parámetros: 2,68 mil millones; entrenables: todos")
    say(start + 118, "Sin punto de control previo: empezamos de cero")
    for k in range(20, total + 1, 20):
        t = moment(k) + 0.2
        loss = learn(rng, k, 10.42, 2.31, 260, 0.006)
        rate = 3e-4 * min(1, k / 250) * (0.1 + 0.9 * (1 - max(0, k - 250) / 4750))
        norm = 0.28 + 4.2 / (1 + k / 60) + abs(rng.gauss(0, 0.02))
        took = pace + rng.gauss(0, 0.012)
        say(
            t,
            f"paso {k}/{total} pérdida {loss:.4f} lr {rate:.3e} norma_grad {norm:.3f} "
            f"{took:.3f} s/paso {512 * 4096 / took / 32:.0f} tok/s/gpu",
        )
        if k in saves:
            say(t + 19.5, f"Punto de control guardado en /gpfs/andino/pc/paso_{k:06d} (19,4 s)")
    say(last - 24, "Validación: pérdida 2.9514, perplejidad 19.13 (256 lotes)")
    say(last - 4, f"Fin del entrenamiento: {total} pasos, {total * 512 * 4096 / 1e9:.2f} mil millones de tokens")
    put(place, "salida_66127.log", out)
    limit = "08:00:00"
    rows = [
        job(
            "66127", "andino2b7", "h100", "COMPLETED", "0:0", (start - 402, start, last + 3), east, limit, (4, "h[4-7]")
        ),
        job("66127.batch", "batch", "", "COMPLETED", "0:0", (start, start, last + 3), east, "", (1, "h4")),
        job("66127.extern", "extern", "", "COMPLETED", "0:0", (start, start, last + 3), east, "", (4, "h[4-7]")),
        job("66127.0", "python", "", "COMPLETED", "0:0", (start + 2, start + 2, last + 2), east, "", (4, "h[4-7]")),
    ]
    sacct(place, "sacct_66127.txt", rows, bars=False)


def grpo_table(step: int, pairs: list[tuple[str, str, float, float]]) -> list[str]:
    """The table of completions, as TRL prints it with rich, 120 wide."""
    wide = (42, 42, 11, 11)
    titles = ("Prompt", "Completion", "check_fix", "Advantage")

    def fold(words: str, width: int) -> list[str]:
        lines, now = [], ""
        for word in words.split():
            if now and len(now) + 1 + len(word) > width:
                lines.append(now)
                now = word
            else:
                now = f"{now} {word}".strip()
        return [*lines, now]

    def row(cells: list[str], mark: str) -> str:
        return f"│ {mark}" + mark.join(f" {c.ljust(w)} " for c, w in zip(cells, wide, strict=True)) + f"{mark} │"

    def rule(a: str, b: str, c: str, d: str) -> str:
        return f"│ {a}" + c.join(b * (w + 2) for w in wide) + f"{d} │"

    inner = len(rule("┏", "━", "┳", "┓")) - 2
    out = ["╭" + f" Step {step} ".center(inner, "─") + "╮", rule("┏", "━", "┳", "┓"), row(list(titles), "┃")]
    out.append(rule("┡", "━", "╇", "┩"))
    for i, (ask, answer, score, edge) in enumerate(pairs):
        left, right = fold(ask, wide[0]), fold(answer, wide[1])
        for j in range(max(len(left), len(right))):
            cells = [
                left[j] if j < len(left) else "",
                right[j] if j < len(right) else "",
                f"{score:>11.2f}" if j == 0 else "",
                f"{edge:>11.2f}" if j == 0 else "",
            ]
            out.append(row(cells, "│"))
        if i + 1 < len(pairs):
            out.append(rule("├", "─", "┼", "┤"))
    return [*out, rule("└", "─", "┴", "┘"), "╰" + "─" * inner + "╯"]


def t14_grpo_support(place: Path, rng: Random) -> None:
    """Four cards of one node reduce their gradients through sockets, and most of each step goes there."""
    east, begin = 480, when(27, 5, 47, 30, 10)
    node = "wh-a40-2"
    start, train = begin + 144.0371, begin + 247.4137
    gen, score, fwd, bwd, red, gather = 9.1, 2.3, 1.21, 2.62, 13.2, 12.9
    cycle = gen + score + 4 * (fwd + bwd + red) + gather + 0.4

    def work(_n: int, gpu: int, t: float) -> Work:
        if t < start + 22:
            return FREE
        if t < train:
            return held(420 if t < start + 45 else 7100)
        mib = 35540 + 118 * gpu
        x = (t + 0.2 * gpu - train) % cycle
        if x < gen:
            return shake(Work(0.93, 0.27, 0.05, 0.55, mib, 30, 15), f"g{gpu}{t}", 0.85)
        if x < gen + score:
            return shake(Work(0.98, 0.8, 0.42, 0.5, mib, 40, 20), f"s{gpu}{t}")
        y = (x - gen - score) % (fwd + bwd + red)
        if x < gen + score + 4 * (fwd + bwd + red) and y < fwd + bwd:
            return shake(Work(0.99, 0.83, 0.45, 0.5, mib, 60, 40), f"b{gpu}{t}")
        if x > cycle - 0.4:
            return Work(0.6, 0.5, 0.0, 0.6, mib, 50, 20)
        return shake(Work(0.995, 0.071, 0.0, 0.016, mib, 365, 360), f"r{gpu}{t}", 0.9)

    floor = Floor("A40", [node], 4, work, begin, begin + 81 * 60, 5, 3414)
    matrix(place, "dcgm_a40.json", floor, dcgm(floor, "node-gpu", site="wuhan"))
    quiet(place, "kern.log", rng, floor, 0, "syslog", east)
    head = [
        "JobID",
        "JobName",
        "User",
        "Partition",
        "State",
        "ExitCode",
        "Start",
        "End",
        "Elapsed",
        "AllocTRES",
        "NodeList",
    ]
    tres = "billing=32,cpu=32,gres/gpu=4,mem=240G,node=1"
    rows = step_rows(
        "9917",
        "grpo-fix",
        "zhaoyq",
        "a40",
        ("RUNNING", "0:0"),
        ("RUNNING", "0:0"),
        None,
        (start, begin + 81 * 60 + 12),
        east,
        tres,
        node,
        node,
    )
    for one in rows:
        one[7] = "Unknown"
        if one[1] == "extern":
            one[4] = "RUNNING"
    put(place, "sacct-P.txt", ["|".join(one) for one in [head, *rows]])

    out: list[str] = []
    pids = [18811 + g for g in range(4)]
    acc = "The following values were not passed to `accelerate launch` and had defaults used instead:"
    out += [
        acc,
        "\t`--dynamo_backend` was set to a value of `'no'`",
        "To avoid this warning pass in values for each of the problematic parameters or run `accelerate config`.",
    ]

    def ds(t: float, words: str, line: str = "logging.py:107:log_dist", rank: str = "[Rank 0] ") -> None:
        out.append(f"[{exact(t, east)}] [INFO] [{line}] {rank}{words}")

    for g in range(4):
        ds(
            start + 20 + 0.05 * g,
            "Setting ds_accelerator to cuda (auto detect)",
            "real_accelerator.py:239:get_accelerator",
            "",
        )
    ds(start + 24, "cdb=None", "comm.py:669:init_distributed", "")
    ds(start + 24.1, "Initializing TorchBackend in DeepSpeed with backend nccl", "comm.py:700:init_distributed", "")
    out.append("Loading checkpoint shards: 100%|██████████| 2/2 [00:03<00:00,  1.74s/it]")
    for g, pid in enumerate(pids):
        pre = f"{node}:{pid}:{pid} [{g}] NCCL INFO "
        out += [pre + "NCCL_SOCKET_IFNAME set by environment to eno1", pre + "Bootstrap : Using eno1:10.41.6.22<0>"]
    out.append(f"{node}:{pids[0]}:{pids[0]} [0] NCCL INFO cudaDriverVersion 12020")
    out.append("NCCL version 2.21.5+cuda12.4")
    for g, pid in enumerate(pids):
        pre = f"{node}:{pid}:{pid + 901} [{g}] NCCL INFO "
        out += [
            pre + "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
            pre + "NCCL_IB_DISABLE set by environment to 1.",
            pre + "NCCL_SOCKET_IFNAME set by environment to eno1",
            pre + "NET/Socket : Using [0]eno1:10.41.6.22<0>",
            pre + "Using non-device net plugin version 0",
            pre + "Using network Socket",
            pre + "NCCL_P2P_DISABLE set by environment to 1",
            pre + "NCCL_SHM_DISABLE set by environment to 1.",
        ]
    for g, pid in enumerate(pids):
        pre = f"{node}:{pid}:{pid + 901} [{g}] NCCL INFO "
        nxt, prv = (g + 1) % 4, (g - 1) % 4
        for c in (0, 1):
            out.append(pre + f"Channel 0{c}/0 : {prv}[{prv}] -> {g}[{g}] [receive] via NET/Socket/0")
            out.append(pre + f"Channel 0{c}/0 : {g}[{g}] -> {nxt}[{nxt}] [send] via NET/Socket/0")
        out.append(pre + "Connected all rings")
    for g, pid in enumerate(pids):
        out.append(
            f"{node}:{pid}:{pid + 901} [{g}] NCCL INFO ncclCommInitRank comm 0x55d0{0x8C41F0 + 0x1230 * g:x} rank {g}"
            f" nranks 4 cudaDev {g} nvmlDev {g} busId {floor.bus(g)[:2].lower()}000 commId 0x7be1fa4c9d2206b1"
            " - Init COMPLETE"
        )
    ds(start + 71, "DeepSpeed info: version=0.16.5, git-hash=unknown, git-branch=unknown")
    ds(start + 80, "DeepSpeed Basic Optimizer = AdamW", rank="[Rank 0] ")
    ds(start + 80.1, "Creating torch.bfloat16 ZeRO stage 2 optimizer", rank="[Rank 0] ")
    ds(start + 96, "DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer", rank="[Rank 0] ")
    asks = [
        (
            "My script stops with `RuntimeError: CUDA error: an illegal memory access was encountered`. What do I do?",
            "Run it again with CUDA_LAUNCH_BLOCKING=1 so that the stack trace points at the kernel that failed, then"
            " check the indices you pass to it.",
        ),
        (
            "dmesg shows `NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.` Is my card dead?",
            "Not always. Reseat the card and the power cables first, update the firmware, and if it comes back under"
            " load return the card.",
        ),
        (
            "Training prints `loss: nan` after 200 steps with fp16. Why?",
            "The loss scale overflowed. Use bf16, lower the learning rate, or clip the gradients at 1.0.",
        ),
        (
            "The pod was `OOMKilled` with exit code 137 although the GPU had free memory.",
            "OOMKilled is about host memory, raise the memory limit of the container or use fewer workers.",
        ),
        (
            "`torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.` appears at the first step.",
            "Lower the batch size and turn on gradient checkpointing.",
        ),
    ]
    now = begin + 81 * 60 + 5
    total, tokens, step = 750, 0.0, 0
    t = train
    out.append(f"  0%|          | 0/{total} [00:00<?, ?it/s]")
    while t + cycle < now:
        step += 1
        b = t + gen + score
        for k in range(4):
            f = fwd * 1000 + rng.gauss(0, 14)
            inner = bwd * 1000 + rng.gauss(0, 22)
            r = red * 1000 + rng.gauss(0, 190)
            b += fwd + bwd + red
            if k == 3:
                break
            ds(
                b,
                f"time (ms) | fwd_microstep: {f:.2f} | bwd_microstep: {inner + r + 4:.2f} | bwd_inner_microstep:"
                f" {inner:.2f} | bwd_allreduce_microstep: {r:.2f} | step_microstep: {0.07 + rng.random() / 50:.2f}",
            )
        s = gather * 1000 + rng.gauss(0, 140)
        ds(
            b + gather,
            f"time (ms) | optimizer_allgather: {s:.2f} | optimizer_gradients: {31 + rng.gauss(0, 1):.2f} |"
            f" optimizer_step: {44 + rng.gauss(0, 1):.2f}",
        )
        ds(
            b + gather + 0.01,
            f"time (ms) | fwd_microstep: {f:.2f} | bwd_microstep: {inner + r + 4:.2f} |"
            f" bwd_inner_microstep: {inner:.2f} | bwd_allreduce_microstep: {r:.2f} | step_microstep: {s + 88:.2f}",
        )
        ds(
            b + gather + 0.02,
            f"time (ms) | fwd: {4 * f:.2f} | bwd: {4 * (inner + r + 4):.2f} | bwd_inner:"
            f" {4 * inner:.2f} | bwd_allreduce: {4 * r:.2f} | step: {s + 88:.2f}",
        )
        t += cycle
        mean = 101 + rng.gauss(0, 4)
        tokens += 64 * (mean + 92)
        reward = 0.31 + 0.3 * (1 - 1 / (1 + step / 40)) + rng.gauss(0, 0.025)
        spread = 0.2 + rng.gauss(0, 0.012)
        row = {
            "loss": round(0.0004 + 0.00006 * step + rng.gauss(0, 0.0008), 4),
            "grad_norm": round(0.42 + rng.gauss(0, 0.04), 10),
            "learning_rate": round(1e-6 * (1 - (step - 1) / total), 12),
            "num_tokens": float(int(tokens)),
            "completions/mean_length": round(mean, 4),
            "completions/min_length": float(rng.randrange(24, 41)),
            "completions/max_length": 128.0,
            "completions/clipped_ratio": round(rng.randrange(18, 33) / 64, 6),
            "rewards/check_fix/mean": round(reward, 8),
            "rewards/check_fix/std": round(spread + 0.11, 8),
            "reward": round(reward, 8),
            "reward_std": round(spread, 8),
            "frac_reward_zero_std": 0.0,
            "kl": round(0.0006 + 0.0011 * step / 10 * rng.uniform(0.8, 1.2), 8),
            "epoch": round(step / total, 2),
        }
        if step % 5 == 0:
            out += grpo_table(
                step,
                [
                    (q, a, sc, (sc - 0.5) / 0.35)
                    for (q, a), sc in ((rng.choice(asks), rng.choice((0.0, 0.5, 1.0))) for _ in range(3))
                ],
            )
        out.append(str(row))
        done = t - train
        out.append(
            f"  {100 * step // total:d}%|{bar(step, total)}| {step}/{total}"
            f" [{hms(done)}<{hms((total - step) * cycle)}, {cycle + rng.gauss(0, 0.2):.2f}s/it]"
        )
    put(place, "grpo-fix.9917.out", out)


def t15_rain_radar(place: Path, rng: Random) -> None:
    """All went well on four pods of eight; the collector of nvidia-smi was away twice."""
    east, begin = -360, when(9, 14, 2, 10, 10)
    nodes = ["ip-v100-0", "ip-v100-1", "ip-v100-2", "ip-v100-3"]
    start, train, pace, epochs, batches = begin + 120, begin + 204, 0.8465, 18, 600
    vspan, csave = 25.5, 4.2
    block = batches * pace + vspan + csave
    last = train + epochs * block + 6

    def work(node: int, gpu: int, t: float) -> Work:
        if t < start + 21 or t > last:
            return FREE
        if t < train:
            return held(640 if t < start + 44 else 3300)
        x = (t - train) % block
        mib = 26910
        if x < batches * pace:
            return shake(Work(0.97, 0.79, 0.36, 0.5, mib, 640, 210), f"{node}{gpu}{t}")
        if x < batches * pace + vspan:
            return shake(Work(0.9, 0.66, 0.29, 0.41, mib, 820, 40), f"v{node}{gpu}{t}")
        return Work(0.02, 0.01, 0.0, 0.0, mib)

    holes = ((begin + 2411, begin + 2902), (begin + 7004, begin + 7160))
    floor = Floor("V100", nodes, 8, work, begin, begin + 168 * 60, 30, 3515, holes=holes)
    columns = (
        "index",
        "name",
        "pci.bus_id",
        "pstate",
        "temperature.gpu",
        "utilization.gpu",
        "memory.used",
        "memory.total",
        "power.draw",
        "clocks.current.sm",
        "ecc.errors.uncorrected.volatile.total",
    )
    for n, node in enumerate(nodes):
        smi_csv(place, f"smi-{node}.csv", floor, n, east, columns, units=False)
    pods = [f"radar-nowcast-{n}" for n in range(4)]
    for n, pod in enumerate(pods):
        out: list[str] = []

        def say(t: float, event: str, out: list[str] = out, n: int = n, **more: object) -> None:
            t = part(t)
            stamp = clock(t, 0, "%Y-%m-%dT%H:%M:%S")
            one = {"t": f"{stamp}.{int(t * 1000) % 1000:03d}Z", "lvl": "info", "rank": 8 * n, "ev": event, **more}
            out.append(json.dumps(one))

        say(start + 9, "boot", host=pod, torch="2.4.1+cu121", visible_gpus=8)
        say(start + 23 + 0.1 * n, "dist_ready", world=32, backend="nccl", master="radar-nowcast-0.radar:29500")
        say(start + 41, "data_index", split="train", sequences=153600, shards=512)
        say(start + 42, "data_index", split="val", sequences=9216, shards=32)
        if n == 0:
            say(
                start + 52,
                "model",
                name="convgru_unet",
                params_m=88.1,
                amp="fp16",
                opt="adamw",
                lr=0.0008,
                epochs=epochs,
            )
        draw = Random(f"radar{n}")
        best = 9.0
        for e in range(1, epochs + 1):
            t0 = train + (e - 1) * block
            if n == 0:
                for k in range(50, batches + 1, 50):
                    g = (e - 1) * batches + k
                    rate = 8e-4 * min(1, g / 500) * (0.02 + 0.98 * (1 - g / (epochs * batches)))
                    say(
                        t0 + k * pace,
                        "step",
                        epoch=e,
                        step=g,
                        loss=round(learn(draw, g, 0.412, 0.118, 700, 0.02), 5),
                        lr=round(rate, 8),
                        gnorm=round(0.6 + 2 / (1 + g / 300) + draw.gauss(0, 0.05), 3),
                        seq_per_s=round(256 / (pace + draw.gauss(0, 0.01)), 1),
                        scale=65536.0 if g < 2000 else 131072.0,
                    )
                val = learn(draw, e * batches, 0.405, 0.124, 700, 0.004)
                csi = 0.31 + 0.24 * (1 - (1 + e / 3) ** -0.9)
                say(t0 + batches * pace + vspan, "val", epoch=e, loss=round(val, 5), csi=round(csi, 4))
                if val < best:
                    best = val
                    say(t0 + block - 0.4, "saved", path=f"/mnt/fsx/radar/runs/a7/ep{e:02d}.pt", best=True, sec=3.7)
                else:
                    say(t0 + block - 0.4, "saved", path=f"/mnt/fsx/radar/runs/a7/ep{e:02d}.pt", best=False, sec=3.8)
            else:
                say(t0 + batches * pace, "epoch_end", epoch=e, steps=batches, wait_data_s=round(draw.uniform(3, 7), 2))
        say(last - 2.2 + 0.05 * n, "done", epochs=epochs, steps=epochs * batches, wall_s=round(last - start - 11, 1))
        if n == 0:
            say(last - 1.8, "export", path="/mnt/fsx/radar/runs/a7/final.ts")
        say(last - 0.9 + 0.05 * n, "exit", code=0)
        put(place, f"logs/{pod}.jsonl", out)


def ticked(t: float, east: int) -> str:
    """A moment as ``dmesg --time-format iso`` prints it."""
    sign = f"{'-' if east < 0 else '+'}{abs(east) // 60:02d}:{abs(east) % 60:02d}"
    return f"{clock(t, east, ISO)},{int(t * 1e6) % 10**6:06d}{sign}"


def number(value: int) -> dict[str, object]:
    """A number as Slurm's data parser writes it."""
    return {"set": True, "infinite": False, "number": value}


def t16_herbarium_clip(place: Path, rng: Random) -> None:
    """The kernel of one node runs out of host memory and kills a rank; srun ends the others."""
    east, begin = -360, when(12, 17, 41, 20, 11)
    nodes = ["vega04", "vega05", "vega06", "vega09"]
    start, train, pace = begin + 200, begin + 344, 2.163
    killed = begin + 96 * 60 + 41.288
    end = killed + 3

    def work(node: int, gpu: int, t: float) -> Work:
        if t < start + 28 or t > end or (node, gpu) == (3, 1):
            return FREE
        if t < train:
            return held(310 if t < start + 60 else 1940)
        return shake(Work(0.95, 0.76, 0.37, 0.5, 17630, 310, 280), f"{node}{gpu}{t}", 0.88)

    floor = Floor("L4", nodes, 2, work, begin, begin + 108 * 60, 60, 3616)
    for n in (0, 2, 3):
        matrix(place, f"dcgm/{nodes[n]}.json", floor, dcgm(floor, "dcgm", partition="vega"), only=(n,))

    ranks = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0)]
    rss = 84_371_204
    pid, caller = 218790, 219004
    when_ = killed
    lines: list[tuple[float, str]] = [
        (
            when_ - 0.41,
            "python invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
        ),
        (
            when_ - 0.409981,
            f"CPU: 11 PID: {caller} Comm: python Tainted: P           OE     5.15.0-151-generic #161-Ubuntu",
        ),
        (when_ - 0.409977, "Hardware name: Supermicro SYS-221GE-NR/X13DEG-OAD, BIOS 2.4 04/18/2024"),
        (when_ - 0.409973, "Call Trace:"),
        (when_ - 0.409970, " <TASK>"),
        (when_ - 0.409966, " show_stack+0x52/0x5c"),
        (when_ - 0.409961, " dump_stack_lvl+0x4a/0x63"),
        (when_ - 0.409957, " dump_stack+0x10/0x16"),
        (when_ - 0.409953, " dump_header+0x53/0x228"),
        (when_ - 0.409949, " oom_kill_process.cold+0xb/0x10"),
        (when_ - 0.409944, " out_of_memory+0x106/0x2e0"),
        (when_ - 0.409940, " __alloc_pages_slowpath.constprop.0+0x97a/0xa40"),
        (when_ - 0.409936, " __alloc_pages+0x311/0x330"),
        (when_ - 0.409931, " alloc_pages_vma+0x9d/0x380"),
        (when_ - 0.409927, " do_anonymous_page+0xee/0x3b0"),
        (when_ - 0.409922, " __handle_mm_fault+0x804/0x840"),
        (when_ - 0.409918, " handle_mm_fault+0xd8/0x2c0"),
        (when_ - 0.409913, " do_user_addr_fault+0x1bc/0x660"),
        (when_ - 0.409909, " exc_page_fault+0x77/0x170"),
        (when_ - 0.409904, " asm_exc_page_fault+0x27/0x30"),
        (when_ - 0.409899, "RIP: 0033:0x7f3f2c1a09b7"),
        (when_ - 0.409840, " </TASK>"),
        (when_ - 0.409833, "Mem-Info:"),
        (when_ - 0.409829, "active_anon:311402 inactive_anon:32288114 isolated_anon:0"),
        (when_ - 0.409829, " active_file:611 inactive_file:1042 isolated_file:64"),
        (when_ - 0.409829, " unevictable:7140 dirty:0 writeback:0"),
        (when_ - 0.409829, " slab_reclaimable:41022 slab_unreclaimable:88310"),
        (when_ - 0.409829, " mapped:201443 shmem:298114 pagetables:71208 bounce:0"),
        (when_ - 0.409829, " free:102331 free_pcp:0 free_cma:0"),
        (when_ - 0.402, "299817 total pagecache pages"),
        (when_ - 0.401998, "0 pages in swap cache"),
        (when_ - 0.401996, "Free swap  = 0kB"),
        (when_ - 0.401994, "Total swap = 0kB"),
        (when_ - 0.401992, "33504021 pages RAM"),
        (when_ - 0.401990, "0 pages HighMem/MovableOnly"),
        (when_ - 0.401988, "541208 pages reserved"),
        (when_ - 0.401986, "Tasks state (memory values in pages):"),
        (when_ - 0.401984, "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name"),
    ]
    tasks = [
        (911, 0, 19022, 5120, 163840, -250, "systemd-journal"),
        (2204, 0, 1204113, 9911, 511488, 0, "nv-hostengine"),
        (2390, 0, 488201, 6003, 274432, 0, "dcgm-exporter"),
        (3118, 0, 73012, 3308, 155648, -1000, "slurmd"),
        (218741, 0, 92044, 2411, 167936, -1000, "slurmstepd"),
        (pid, 20114, 31022417, rss // 4, 181633024, 0, "python"),
        (pid - 1, 20114, 17311028, 7410332, 71303168, 0, "python"),
        *((219000 + i, 20114, 13922011 + 917 * i, 331208 + 4111 * i, 24117248, 0, "python") for i in range(8)),
    ]
    for i, (p, uid, vm, kept, tables, adj, name) in enumerate(tasks):
        lines.append(
            (
                when_ - 0.4 + i * 3e-6,
                f"[{p:7d}] {uid:5d} {p:7d} {vm:8d} {kept:8d} {tables:8d}        0 {adj:13d} {name}",
            )
        )
    lines += [
        (
            when_ - 0.3,
            "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=step_0,mems_allowed=0-1,global_oom,"
            f"task_memcg=/slurm/uid_20114/job_77120/step_0,task=python,pid={pid},uid=20114",
        ),
        (
            when_ - 0.29,
            f"Out of memory: Killed process {pid} (python) total-vm:{31022417 * 4}kB, anon-rss:{rss - 201332}kB,"
            " file-rss:71220kB, shmem-rss:130112kB, UID:20114 pgtables:177376kB oom_score_adj:0",
        ),
        (
            when_ + 1.86,
            f"oom_reaper: reaped process {pid} (python), now anon-rss:0kB, file-rss:70912kB, shmem-rss:130112kB",
        ),
    ]
    for n, node in enumerate(nodes):
        seen = boot_log(rng, begin, floor.of.driver, "jammy") + (lines if n == 1 else [])
        seen.sort(key=lambda one: one[0])
        put(place, f"dmesg/{node}.txt", [f"{ticked(t, east)} {said}" for t, said in seen])

    out: list[str] = []

    def say(t: float, words: str) -> None:
        out.append(f"{clock(t, east, '%Y-%m-%d,%H:%M:%S')} | INFO | {words}")

    for i in (0, 3, 1, 2, 6, 4, 5):
        say(
            start + 27 + i // 4,
            f"Running in distributed mode with multiple processes. Device: cuda:{ranks[i][1]}."
            f"Process (global: {i}, local {ranks[i][1]}), total 7.",
        )
    say(start + 29, "Loaded ViT-B-16 model config.")
    say(start + 61, "Model:")
    say(start + 61, "CLIP(")
    out += [
        "  (visual): VisionTransformer(",
        "    (conv1): Conv2d(3, 768, kernel_size=(16, 16), stride=(16, 16), bias=False)",
        "    (patch_dropout): Identity()",
        "    (ln_pre): LayerNorm((768,), eps=1e-05, elementwise_affine=True)",
        "    (transformer): Transformer(",
        "      (resblocks): ModuleList(",
        "        (0-11): 12 x ResidualAttentionBlock(",
        "          (ln_1): LayerNorm((768,), eps=1e-05, elementwise_affine=True)",
        "          (attn): MultiheadAttention(",
        "            (out_proj): NonDynamicallyQuantizableLinear(in_features=768, out_features=768, bias=True)",
        "          )",
        "        )",
        "      )",
        "    )",
        "  )",
        "  (token_embedding): Embedding(49408, 512)",
        "  (ln_final): LayerNorm((512,), eps=1e-05, elementwise_affine=True)",
        ")",
    ]
    say(start + 61, "Params:")
    for key, value in (
        ("accum_freq", 1),
        ("batch_size", 224),
        ("csv_caption_key", "label_text"),
        ("csv_img_key", "scan"),
        ("csv_separator", ","),
        ("dataset_type", "csv"),
        ("dist_backend", "nccl"),
        ("distributed", True),
        ("epochs", 12),
        ("force_image_size", None),
        ("grad_checkpointing", False),
        ("local_loss", True),
        ("lr", 0.0005),
        ("model", "ViT-B-16"),
        ("name", "herb_b16_r3"),
        ("precision", "amp_bf16"),
        ("save_frequency", 1),
        ("seed", 0),
        ("train_data", "/ceph/herbaria/all_scans_2026.csv"),
        ("warmup", 800),
        ("workers", 4),
        ("world_size", 7),
        ("zeroshot_frequency", 2),
    ):
        say(start + 61, f"  {key}: {value}")
    say(train - 3, "Start epoch 0")
    batches, batch = 1840, 224 * 7
    total = batches * batch
    wide = len(str(total))
    epoch, at, k, means = 0, train, 0, []
    step = 0
    while at < killed - 0.5:
        if k % 100 == 0 or k == batches - 1:
            g = step
            loss = 7.36 * (0.24 + 0.76 * (1 + g / 260) ** -0.6) + rng.gauss(0, 0.05)
            means.append(loss)
            data, took = abs(rng.gauss(0.052, 0.02)) + (3.1 if k == 0 else 0), pace + rng.gauss(0, 0.03)
            took += 3.1 if k == 0 else 0
            rate = 5e-4 * min(1, (g + 1) / 800) * (1 - 0.1 * max(0, g - 800) / 22080)
            seen = k + 1
            say(
                at,
                f"Train Epoch: {epoch} [{seen * batch:>{wide}}/{total} ({100 * k / batches:.0f}%)] Data (t): {data:.3f}"
                f" Batch (t): {took:.3f}, {batch / took:.6g}/s, {224 / took:.6g}/s/gpu LR: {rate:.6f}"
                f" Logit Scale: {14.286 + g / 2400:.3f} Contrastive_loss: {loss:.5g} ({sum(means) / len(means):.5g})"
                f" Loss: {loss:.5g} ({sum(means) / len(means):.5g})",
            )
        k, step, at = k + 1, step + 1, at + pace
        if k == batches:
            epoch, k, means = epoch + 1, 0, []
            at += 9
            say(at, f"Start epoch {epoch}")
            at += 2
    out += [
        "srun: error: vega05: task 3: Killed",
        "srun: Terminating StepId=77120.0",
        f"slurmstepd: error: *** STEP 77120.0 ON vega04 CANCELLED AT {clock(killed + 1, east, ISO)} ***",
        "srun: error: vega04: tasks 0-1: Terminated",
        "srun: error: vega06: tasks 4-5: Terminated",
        "srun: error: vega09: task 6: Terminated",
        "srun: error: vega05: task 2: Terminated",
    ]
    put(place, "logs/herb_b16_r3.77120.out", out)

    none = {"id": {"set": False, "infinite": False, "number": 0}, "name": ""}

    def span(a: float, b: float) -> dict[str, object]:
        return {"elapsed": int(b) - int(a), "start": int(a), "end": int(b), "suspended": 0}

    failed = {"status": ["ERROR"], "return_code": number(137), "signal": none}
    shot = {"status": ["SIGNALED"], "return_code": number(0), "signal": {"id": number(9), "name": "KILL"}}
    good = {"status": ["SUCCESS"], "return_code": number(0), "signal": none}

    def piece(tail: str, name: str, state: str, code: dict[str, object], count: int, of: int) -> dict[str, object]:
        return {
            "time": span(start + 2, end),
            "exit_code": code,
            "nodes": {"count": count, "range": "vega[04-06,09]" if count > 1 else "vega04"},
            "tasks": {"count": of},
            "state": [state],
            "step": {"id": f"77120.{tail}", "name": name},
        }

    whole = {
        "jobs": [
            {
                "account": "biodiv",
                "allocation_nodes": 4,
                "cluster": "vega",
                "derived_exit_code": shot,
                "exit_code": failed,
                "job_id": 77120,
                "name": "herb_b16_r3",
                "nodes": "vega[04-06,09]",
                "partition": "l4",
                "restart_cnt": 0,
                "required": {"CPUs": 56, "memory_per_cpu": number(0), "memory_per_node": number(0)},
                "state": {"current": ["FAILED"], "reason": "NonZeroExitCode"},
                "steps": [
                    piece("batch", "batch", "FAILED", failed, 1, 1),
                    piece("extern", "extern", "COMPLETED", good, 4, 4),
                    piece("0", "python", "FAILED", shot, 4, 7),
                ],
                "time": {
                    "elapsed": int(end) - int(start),
                    "eligible": int(start) - 71,
                    "end": int(end),
                    "start": int(start),
                    "submission": int(start) - 71,
                    "suspended": 0,
                    "limit": number(2880),
                },
                "tres": {
                    "allocated": [
                        {"type": "cpu", "name": "", "id": 1, "count": 56},
                        {"type": "node", "name": "", "id": 4, "count": 4},
                        {"type": "gres", "name": "gpu", "id": 1001, "count": 8},
                    ]
                },
                "user": "ldupre",
            }
        ],
        "meta": {
            "plugin": {
                "type": "openapi/slurmdbd",
                "name": "Slurm OpenAPI slurmdbd",
                "data_parser": "data_parser/v0.0.40",
            },
            "slurm": {"version": {"major": "23", "micro": "7", "minor": "11"}, "release": "23.11.7", "cluster": "vega"},
        },
        "errors": [],
        "warnings": [],
    }
    put(place, "sacct_77120.json", json.dumps(whole, indent=2) + "\n")
