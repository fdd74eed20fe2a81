"""Incidents t09 to t16 of the thirty-second set, as operators hand them over; SIMULATED: no real job is behind them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.thirtysecond._ib_parts import (
    A40,
    A6000,
    H100,
    L4,
    RTX4090,
    Work,
    dcgm,
    epoch,
    fill,
    gpu,
    gpu_exporter,
    hms,
    iso,
    short,
    when,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _dmesg_boot(host: str, card: str, rng: Random) -> list[tuple[float, str]]:
    """The end of a kernel's start, with seconds after it."""
    t = rng.uniform(8, 11)
    mac = f"b4:45:06:{rng.randrange(256):02x}:{rng.randrange(256):02x}:{rng.randrange(256):02x}"
    words = [
        "systemd[1]: Mounted /boot/efi.",
        "nvidia: loading out-of-tree module taints kernel.",
        "nvidia-nvlink: Nvlink Core is being initialized, major device number 509",
        f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {card}  Release Build  (dvs-builder@U22-I3-AE18-23-3)",
        f"nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  {card}",
        "nvidia-uvm: Loaded the UVM driver, major device number 507.",
        f"bnxt_en 0000:4b:00.0 ens1f0np0: NIC Link is Up, 25000 Mbps full duplex, Flow control: none ({mac})",
        "IPv6: ADDRCONF(NETDEV_CHANGE): ens1f0np0: link becomes ready",
        f"systemd-journald[{rng.randrange(600, 990)}]: Received client request to flush runtime journal.",
        f'audit: type=1400 apparmor="STATUS" operation="profile_load" profile="unconfined" name="lsb_release" host={host}',
        "FS-Cache: Netfs 'nfs' registered for caching",
        "NFS: Registering the id_resolver key type",
    ]
    out = []
    for one in words:
        t += rng.uniform(0.1, 2.6)
        out.append((t, one))
    return out


def _hum(begin: float, end: float, rng: Random, every: float = 2600) -> list[tuple[float, str]]:
    """Ordinary words of a kernel in a span."""
    out, t = [], begin
    kinds = (
        lambda: (
            f"perf: interrupt took too long ({rng.randrange(2500, 7000)} > {rng.randrange(2490, 2500)}), lowering kernel.perf_event_max_sample_rate to {rng.choice((79750, 63750, 50750))}"
        ),
        lambda: "nfs: server nas-01 OK",
        lambda: f"TCP: request_sock_TCP: Possible SYN flooding on port {rng.randrange(20000, 60000)}. Sending cookies.",
        lambda: f"hrtimer: interrupt took {rng.randrange(3000, 19000)} ns",
        lambda: "EXT4-fs (nvme0n1p3): re-mounted. Quota mode: none.",
        lambda: f"mce: CPU{rng.randrange(64)}: Core temperature/speed normal",
    )
    while (t := t + rng.expovariate(1 / every)) < end:
        out.append((t, rng.choice(kinds)()))
    return out


def _bar(done: int, total: int, elapsed: float, rate: float) -> str:
    """A tqdm bar of ten cells."""
    eighths = int(80 * done / total)
    cells = "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8].strip() if eighths % 8 else "")
    return f"{int(100 * done / total):3d}%|{cells:<10}| {done}/{total} [{short(elapsed)}<{short((total - done) * rate)}, {rate:5.2f}s/it]"


def t09_summariser(place: Path, rng: Random) -> None:
    begin = epoch("2026-06-02T07:14:00")
    start, fault = begin + 131, begin + 148 * 60 + 22.4
    end = fault + 41
    boots = {"gpuws03": epoch("2026-04-21T05:58:12"), "gpuws07": epoch("2026-05-11T13:02:47")}
    one = gpu(A6000, "gpuws03", 0, rng)
    fill(
        one,
        begin,
        30,
        [
            (start + 50 - begin, Work(mem=4)),
            (start + 100 - begin, Work(util=0.3, power=0.3, mem=9120, sm=0.1, dram=0.1, jitter=0.1)),
            (
                fault - begin,
                Work(util=0.985, power=0.985, mem=41386, sm=0.74, tensor=0.36, dram=0.48, jitter=0.012, clock=0.87),
            ),
            (end - 8 - begin, Work(util=1.0, power=0.32, mem=41386, sm=0.06, tensor=0.0, dram=0.01, jitter=0.0)),
            (156 * 60, Work(mem=4)),
        ],
        rng,
    )
    dcgm(place / "dcgm_gpuws03.json", [one], "550.144.03")

    py, env = (
        "/home/ingrid.solheim/lovsum/train_summ.py",
        "/home/ingrid.solheim/miniforge3/envs/lovsum/lib/python3.11/site-packages",
    )
    log = [
        "### lovsum job 20417 on gpuws[03,07]",
        "W0602 07:16:24.118000 91822 site-packages/torch/distributed/run.py:792] ",
        "Loading dataset from /data/lovdata/avgjorelser_v4 (train 118230, validation 2400)",
        "You are using the default legacy behaviour of the <class 'transformers.models.t5.tokenization_t5.T5Tokenizer'>. This is expected, and simply means that the `legacy` (previous) behavior will be used so nothing changes for you.",
        f"{py}:171: FutureWarning: `tokenizer` is deprecated and will be removed in version 5.0.0 for `Seq2SeqTrainer.__init__`. Use `processing_class` instead.",
        "  trainer = Seq2SeqTrainer(",
        "[INFO|trainer.py:2414] 2026-06-02 07:17:31,402 >> ***** Running training *****",
        "[INFO|trainer.py:2415] 2026-06-02 07:17:31,402 >>   Num examples = 118,230",
        "[INFO|trainer.py:2416] 2026-06-02 07:17:31,402 >>   Num Epochs = 2",
        "[INFO|trainer.py:2417] 2026-06-02 07:17:31,402 >>   Instantaneous batch size per device = 8",
        "[INFO|trainer.py:2420] 2026-06-02 07:17:31,402 >>   Total train batch size (w. parallel, distributed & accumulation) = 32",
        "[INFO|trainer.py:2421] 2026-06-02 07:17:31,402 >>   Gradient Accumulation steps = 2",
        "[INFO|trainer.py:2422] 2026-06-02 07:17:31,402 >>   Total optimization steps = 7,390",
        "[INFO|trainer.py:2423] 2026-06-02 07:17:31,403 >>   Number of trainable parameters = 783,150,080",
        "",
    ]
    t, step, total, bars = begin + 211.5, 0, 7390, ["  0%|          | 0/7390 [00:00<?, ?it/s]"]
    t0 = t
    while t < fault:
        t += rng.gauss(2.11, 0.07)
        step += 1
        if step % 1000 == 0:
            bars.append(
                f"[INFO|trainer.py:3984] {when(t):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d} >> Saving model checkpoint to runs/flan-t5-large-lov/checkpoint-{step}"
            )
            t += rng.uniform(7, 9)
        if step % 5 == 0:
            bars.append("\r" + _bar(step, total, t - t0, (t - t0) / step))
        if step % 50 == 0:
            loss = 1.31 + 1.9 * math.exp(-step / 260) - 0.00006 * step + rng.gauss(0, 0.03)
            row = {
                "loss": round(loss, 4),
                "grad_norm": round(rng.lognormvariate(0.1, 0.2), 6),
                "learning_rate": 1e-4 * (1 - step / total),
                "epoch": round(step / 3695, 2),
            }
            bars.append(f"\n{row}\n")
    text = "\n".join(log) + "".join(b if b[0] in "\r\n " else f"\n{b}\n" for b in bars)
    frames = [
        (py, 233, "<module>", "main()"),
        (py, 208, "main", "result = trainer.train(resume_from_checkpoint=args.resume)"),
        (f"{env}/transformers/trainer.py", 2241, "train", "return inner_training_loop("),
        (
            f"{env}/transformers/trainer.py",
            2548,
            "_inner_training_loop",
            "tr_loss_step = self.training_step(model, inputs, num_items_in_batch)",
        ),
        (f"{env}/transformers/trainer.py", 3740, "training_step", "self.accelerator.backward(loss, **kwargs)"),
        (f"{env}/accelerate/accelerator.py", 2246, "backward", "loss.backward(**kwargs)"),
        (f"{env}/torch/_tensor.py", 626, "backward", "torch.autograd.backward("),
        (f"{env}/torch/autograd/__init__.py", 347, "backward", "_engine_run_backward("),
        (
            f"{env}/torch/autograd/graph.py",
            823,
            "_engine_run_backward",
            "return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
        ),
    ]
    tail = ["", "[rank1]: Traceback (most recent call last):"]
    for path, line, name, words in frames:
        tail += [f'[rank1]:   File "{path}", line {line}, in {name}', f"[rank1]:     {words}"]
    tail += [
        "[rank1]: RuntimeError: CUDA error: unspecified launch failure",
        "[rank1]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "[rank1]: For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "[rank1]: Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
        f"[rank1]:[W{when(fault + 5):%m%d %H:%M:%S}.{rng.randrange(10**9):09d} CUDAGuardImpl.h:119] Warning: CUDA warning: unspecified launch failure (function destroyEvent)",
        f"W{when(fault + 9):%m%d %H:%M:%S}.214000 77310 site-packages/torch/distributed/elastic/multiprocessing/api.py:897] Sending process 77341 closing signal SIGTERM",
        f"E{when(fault + 12):%m%d %H:%M:%S}.871000 77310 site-packages/torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 0 (pid: 77341) of binary: /home/ingrid.solheim/miniforge3/envs/lovsum/bin/python3.11",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "train_summ.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {when(fault + 9):%Y-%m-%d_%H:%M:%S}",
        "  host      : gpuws07.jus.uib.example",
        "  rank      : 1 (local_rank: 0)",
        "  exitcode  : 1 (pid: 77341)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
        "srun: error: gpuws07: task 1: Exited with exit code 1",
        "srun: Terminating StepId=20417.0",
        f"slurmstepd: error: *** STEP 20417.0 ON gpuws03 CANCELLED AT {iso(fault + 33)} ***",
        "srun: error: gpuws03: task 0: Terminated",
    ]
    write(place / "lovsum-20417.out", text + "\n".join(tail) + "\n")

    write(
        place / "scontrol_show_job.txt",
        [
            "JobId=20417 JobName=lovsum",
            "   UserId=ingrid.solheim(41177) GroupId=jurfak(3100) MCS_label=N/A",
            "   Priority=11204 Nice=0 Account=jurfak QOS=normal",
            "   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)",
            "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0",
            f"   RunTime={hms(end - start)} TimeLimit=08:00:00 TimeMin=N/A",
            f"   SubmitTime={iso(start - 4)} EligibleTime={iso(start - 4)}",
            f"   AccrueTime={iso(start - 4)}",
            f"   StartTime={iso(start)} EndTime={iso(end)} Deadline=N/A",
            "   SuspendTime=None SecsPreSuspend=0 LastSchedEval=" + iso(start) + " Scheduler=Main",
            "   Partition=a6000 AllocNode:Sid=login1:218804",
            "   ReqNodeList=(null) ExcNodeList=(null)",
            "   NodeList=gpuws[03,07]",
            "   BatchHost=gpuws03",
            "   NumNodes=2 NumCPUs=24 NumTasks=2 CPUs/Task=12 ReqB:S:C:T=0:0:*:*",
            "   ReqTRES=cpu=24,mem=128G,node=2,billing=24,gres/gpu=2",
            "   AllocTRES=cpu=24,mem=128G,node=2,billing=24,gres/gpu=2",
            "   MinCPUsNode=12 MinMemoryNode=64G MinTmpDiskNode=0",
            "   Command=/home/ingrid.solheim/lovsum/run_summ.sbatch",
            "   WorkDir=/home/ingrid.solheim/lovsum",
            "   StdErr=/home/ingrid.solheim/lovsum/lovsum-20417.out",
            "   StdOut=/home/ingrid.solheim/lovsum/lovsum-20417.out",
            "   TresPerNode=gres/gpu:1",
        ],
    )
    nodes = []
    for host, state in (("gpuws03", "IDLE"), ("gpuws07", "IDLE+DRAIN")):
        nodes += [
            f"NodeName={host} Arch=x86_64 CoresPerSocket=16 ",
            "   CPUAlloc=0 CPUEfctv=32 CPUTot=32 CPULoad=0.21",
            "   Gres=gpu:rtxa6000:1",
            f"   NodeAddr={host} NodeHostName={host} Version=24.05.4",
            "   OS=Linux 5.15.0-131-generic #141-Ubuntu SMP Fri Jan 10 21:18:28 UTC 2025 ",
            "   RealMemory=257000 AllocMem=0 FreeMem=238114 Sockets=1 Boards=1",
            f"   State={state} ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
            f"   BootTime={iso(boots[host])} SlurmdStartTime={iso(boots[host] + 39)}",
            f"   LastBusyTime={iso(end)} ResumeAfterTime=None",
        ]
        if state != "IDLE":
            nodes.append(
                f"   Reason=NHC: check_nvsmi_healthmon:  nvidia-smi: Unable to determine the device handle for GPU0 [root@{iso(end + 212)}]"
            )
        nodes.append("")
    write(place / "scontrol_show_node.txt", nodes)
    for host, boot in boots.items():
        lines = _dmesg_boot(host, "550.144.03", rng) + _hum(begin - boot - 90000, begin + 156 * 60 - boot, rng, 6000)
        if host == "gpuws07":
            f = fault - boot
            lines += [
                (f, "pcieport 0000:16:02.0: AER: Uncorrected (Fatal) error received: 0000:16:02.0"),
                (
                    f + 0.004,
                    "NVRM: GPU at PCI:0000:17:00: GPU-"
                    + f"{rng.getrandbits(32):08x}-51c2-6d0e-9f0b-{rng.getrandbits(48):012x}",
                ),
                (
                    f + 0.004,
                    "NVRM: Xid (PCI:0000:17:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
                ),
                (f + 0.005, "NVRM: GPU 0000:17:00.0: GPU has fallen off the bus."),
                (f + 0.005, "NVRM: A GPU crash dump has been created. If possible, please run"),
                (f + 0.005, "               NVRM: nvidia-bug-report.sh as root to collect this data before"),
                (f + 0.005, "               NVRM: the NVIDIA kernel module is unloaded."),
                (
                    f + 0.281,
                    "NVRM: Xid (PCI:0000:17:00): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
                ),
            ]
        write(place / f"dmesg_{host}.txt", [f"[{at:12.6f}] {words}" for at, words in sorted(lines, key=lambda x: x[0])])


def t10_tea(place: Path, rng: Random) -> None:
    begin = epoch("2026-01-19T03:05:00")
    last = begin + 20 * 60 + 37
    gpus = [gpu(RTX4090, "node-4090-06", i, rng) for i in (0, 1)]
    for one in gpus:
        fill(
            one,
            begin,
            10,
            [
                (95, Work(mem=1)),
                (150, Work(util=0.12, power=0.1, mem=2210, sm=0.05, jitter=0.06)),
                (
                    last + 30 - begin,
                    Work(util=0.93, power=0.81, mem=19470 if one.index else 19732, sm=0.7, dram=0.41, jitter=0.03),
                ),
                (23 * 60, Work(mem=1)),
            ],
            rng,
        )
        holes = [(begin + 402, begin + 515), (begin + 1122, begin + 1315)]
        one.rows = [row for row in one.rows if not any(a < row[0] < b for a, b in holes)]
    gpu_exporter(place / "prom_gpu_node-4090-06.json", gpus, "560.35.03", {"node-4090-06": "nvidia-gpu-exporter-x7k2q"})
    t = begin + 108.0
    out = [
        f"{when(t):%Y-%m-%d %H:%M:%S} [信息] 配置: 模型=convnext_small 类别数=17 输入=384 批大小=64x2卡 轮数=40 优化器=AdamW"
    ]
    for words in (
        "[信息] 使用 2 张显卡, 混合精度=bf16",
        "[信息] 读取数据集 /data/tea_leaf_v3: 训练 65602 张, 验证 7288 张",
        "[警告] 有 14 张图片无法读取, 已跳过",
        "[信息] 加载预训练权重 convnext_small.fb_in22k (跳过 head.fc)",
        "[信息] 开始训练",
    ):
        t += rng.uniform(1.5, 9)
        out.append(f"{when(t):%Y-%m-%d %H:%M:%S} {words}")
    t, step, epoch_no, total = begin + 152.0, 0, 1, 512
    while t < last:
        t += rng.gauss(0.436, 0.02)
        step += 1
        seen = (epoch_no - 1) * total + step
        if step % 20 == 0:
            loss = 0.42 + 2.4 * math.exp(-seen / 420) + rng.gauss(0, 0.05)
            lr = 3e-4 * min(1, seen / 1024)
            out.append(
                f"{when(t):%Y-%m-%d %H:%M:%S} [训练] 第{epoch_no}/40轮 步{step}/{total} 损失={loss:.4f} 学习率={lr:.2e} 速度={128 / rng.gauss(0.436, 0.01):.1f}张/秒 显存={19.0 + rng.random() / 50:.2f}GB"
            )
        if step == total:
            t += rng.uniform(14, 17)
            acc = 91.5 - 48 * math.exp(-epoch_no / 1.6) + rng.gauss(0, 0.4)
            out.append(
                f"{when(t):%Y-%m-%d %H:%M:%S} [验证] 第{epoch_no}轮 准确率={acc:.2f}% 宏F1={acc / 100 - 0.03:.4f} 已保存 best.pt"
            )
            step, epoch_no = 0, epoch_no + 1
    write(place / "train.log", out)


def t11_neox(place: Path, rng: Random) -> None:
    zone, begin = 8, epoch("2026-05-14T15:58:00", 8)
    launch, dead = begin + 140, begin + 76 * 60 + 11
    hosts = ("l4-a11", "l4-a12")
    head = (
        "timestamp, index, uuid, name, pstate, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], "
        "power.draw [W], temperature.gpu, clocks.current.sm [MHz], clocks.current.memory [MHz], clocks_event_reasons.active"
    )
    for host in hosts:
        gone = dead if host == "l4-a12" else dead + 32
        gpus = [gpu(L4, host, i, rng) for i in range(4)]
        for one in gpus:
            phases = [
                (launch + 35 - begin, Work(mem=3)),
                (launch + 85 - begin, Work(util=0.2, power=0.2, mem=3480, jitter=0.08)),
                (
                    dead - begin,
                    Work(util=0.99, power=0.97, mem=17822 + 26 * one.index, sm=0.8, dram=0.55, jitter=0.01, clock=0.72),
                ),
            ]
            if gone > dead:
                phases.append((gone - begin, Work(util=1.0, power=0.42, mem=17822 + 26 * one.index, jitter=0)))
            fill(one, begin, 15, [*phases, (82 * 60, Work(mem=3))], rng)
        lines = [head]
        for k in range(len(gpus[0].rows)):
            ms = rng.randrange(1000)
            for one in gpus:
                at, r = one.rows[k]
                reason = (
                    "0x0000000000000004" if r["cap"] else ("0x0000000000000000" if r["busy"] else "0x0000000000000001")
                )
                lines.append(
                    f"{when(at, zone):%Y/%m/%d %H:%M:%S}.{ms:03d}, {one.index}, {one.uuid}, {L4.name}, {'P0' if r['busy'] else 'P8'}, {r['util']:.0f} %, "
                    f"{r['memutil']:.0f} %, {r['mem']} MiB, {L4.total} MiB, {r['power']:.2f} W, {r['temp']}, {r['smclk']} MHz, {r['memclk']} MHz, {reason}"
                )
        write(place / f"smi_{host}.csv", lines)

    def stamp(at: float) -> str:
        return f"{when(at, zone):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d}"

    t = launch
    out = [
        "NeoXArgs.from_ymls() ['configs/midi_160M.yml', 'configs/local_l4.yml']",
        "INFO:root:NeoXArgs.calculate_derived() Total number of GPUs determined to be: 8",
        "fatal: not a git repository (or any of the parent directories): .git",
        f"[{stamp(t)}] [WARNING] [runner.py:202:fetch_hostfile] Found hostfile but PDSH_RCMD_TYPE unset, using ssh",
        f"[{stamp(t + 1)}] [INFO] [multinode_runner.py:80:get_cmd] Running on the following workers: l4-a11,l4-a12",
    ]
    pids = {h: [41877 + 6113 * k + i for i in range(4)] for k, h in enumerate(hosts)}
    for h in hosts:
        t += 3
        out += [
            f"{h}: [{stamp(t)}] [INFO] [launch.py:146:main] WORLD INFO DICT: {{'l4-a11': [0, 1, 2, 3], 'l4-a12': [0, 1, 2, 3]}}",
            f"{h}: [{stamp(t)}] [INFO] [launch.py:152:main] nnodes=2, num_local_procs=4, node_rank={hosts.index(h)}",
            f"{h}: [{stamp(t)}] [INFO] [launch.py:164:main] dist_world_size=8",
        ]
        out += [
            f"{h}: [{stamp(t + 1)}] [INFO] [launch.py:256:main] process {p} spawned with command: ['/opt/neox/bin/python', '-u', 'train.py', '--local_rank={i}', ...]"
            for i, p in enumerate(pids[h])
        ]
    out += [
        "l4-a11: [WARNING]  async_io requires the dev libaio .so object and headers but these were not found.",
        "l4-a12: [WARNING]  async_io: please install the libaio-dev package with apt",
        "l4-a12: ERROR: ld.so: object '/usr/lib/libtcmalloc.so.4' from LD_PRELOAD cannot be preloaded (cannot open shared object file): ignored.",
        "l4-a11: Unable to import wandb/tensorboard: No module named 'wandb' -- failed, skipping",
        f"l4-a11: [{stamp(t + 9)}] [INFO] [comm.py:637:init_distributed] cdb=None",
        "l4-a11: > initializing torch distributed ...",
        f"l4-a11: [{stamp(t + 14)}] [INFO] [comm.py:668:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl",
        "l4-a11: l4-a11:{0}:{0} [0] misc/ibvwrap.cc:187 NCCL WARN Call to ibv_open_device failed".format(
            pids["l4-a11"][0]
        ),
        "l4-a11: > setting random seeds to 1234 ...",
        "l4-a11: make: Entering directory '/home/wtan/gpt-neox/megatron/data'",
        "l4-a11: make: Nothing to be done for 'default'.",
        "l4-a11: building GPT2 model ...",
        "l4-a11:  > number of parameters on model parallel rank 0: 162322944",
        "l4-a11: Unable to load checkpoint.  (no checkpoint found in checkpoints/midi_160M, starting from random)",
        "l4-a11: done with setup ...",
        "l4-a11: training ...",
    ]
    t, it, skipped = launch + 92.0, 0, 0
    while t < dead - 2:
        t += rng.gauss(3.92, 0.05)
        it += 1
        if it in (1, 2, 641):
            skipped += 1
            out.append(
                f"l4-a11: [{stamp(t)}] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, but hysteresis is 2. Reducing hysteresis to 1"
            )
        if it % 10 == 0 and t < dead - 2:
            lr = 6e-4 * min(1, it / 300)
            loss = 2.05 + 4.6 * math.exp(-it / 130) + 0.6 * math.exp(-it / 900) + rng.gauss(0, 0.02)
            ms = rng.gauss(3920, 14)
            out += [
                f"l4-a11: [{stamp(t)}] [INFO] [logging.py:96:log_dist] [Rank 0] step={it}, skipped={skipped}, lr=[{lr}, {lr}], mom=[[0.9, 0.95], [0.9, 0.95]]",
                f"l4-a11:  samples/sec: {128000 / ms:.3f} | iteration {it:8d}/   12000 | elapsed time per iteration (ms): {ms:.1f} | learning rate: {lr:.3E} | approx flops per GPU: {128 * 162.3e6 * 6 * 2048 / 8 / ms / 1e9:.1f}TFLOPS | lm_loss: {loss:.6E} | loss scale: 32768.0 | number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} |",
            ]
        if it % 500 == 0:
            out.append(
                f"l4-a11: [{stamp(t)}] [INFO] [logging.py:96:log_dist] [Rank 0] [Torch] Checkpoint global_step{it} is about to be saved!"
            )
            t += rng.uniform(5, 7)
            out.append(
                f"l4-a11: [{stamp(t)}] [INFO] [torch_checkpoint_engine.py:31:commit] [Torch] Checkpoint global_step{it} is ready now!"
            )
    cfg = "eyJ0cmFpbl9iYXRjaF9zaXplIjogMTI4LCAidHJhaW5fbWljcm9fYmF0Y2hfc2l6ZV9wZXJfZ3B1IjogMTYsIC"
    out += [
        f"l4-a12: [{stamp(dead + 2)}] [INFO] [launch.py:319:sigkill_handler] Killing subprocess {p}"
        for p in pids["l4-a12"]
    ]
    out += [
        f"l4-a12: [{stamp(dead + 3)}] [ERROR] [launch.py:325:sigkill_handler] ['/opt/neox/bin/python', '-u', 'train.py', '--local_rank=2', '--deepspeed_config', '{cfg}', '--megatron_config', '{cfg[:40]}'] exits with return code = -9",
        "pdsh@l4-a11: l4-a12: ssh exited with exit code 247",
    ]
    for r in (1, 3, 0, 2):
        at = dead + 19 + rng.random()
        out += [
            f"l4-a11: [rank{r}]:[E{when(at, zone):%m%d %H:%M:%S}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:1895] [PG ID 1 PG GUID 1 Rank {r}] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5",
            f"l4-a11: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely. Last error: socketProgress: Connection closed by remote peer l4-a12<{rng.randrange(40000, 60000)}>",
        ]
    out += [
        f"l4-a11: [{stamp(dead + 31)}] [INFO] [launch.py:319:sigkill_handler] Killing subprocess {p}"
        for p in pids["l4-a11"]
    ]
    out += [
        f"l4-a11: [{stamp(dead + 32)}] [ERROR] [launch.py:325:sigkill_handler] ['/opt/neox/bin/python', '-u', 'train.py', '--local_rank=3', '--deepspeed_config', '{cfg}', '--megatron_config', '{cfg[:40]}'] exits with return code = -6",
        "pdsh@l4-a11: l4-a11: ssh exited with exit code 250",
    ]
    write(place / "slurm-33871.out", out)


def t12_herbarium(place: Path, rng: Random) -> None:
    zone, begin = 1, epoch("2026-02-11T20:41:00", 1)
    start, end = begin + 190, begin + 127 * 60 + 12
    hosts = {"wn041": 4, "wn042": 5}
    gpus = [gpu(L4, host, i, rng) for host, n in hosts.items() for i in range(n)]
    for one in gpus:
        if one.index == 4:
            fill(one, begin, 60, [(133 * 60, Work(mem=2))], rng)
            continue
        work = Work(
            util=0.96, power=0.96, mem=20108 + 14 * one.index, sm=0.77, tensor=0.33, dram=0.51, jitter=0.025, clock=0.78
        )
        fill(one, begin, 60, [(start + 70 - begin, Work(mem=2)), (end - begin, work), (133 * 60, Work(mem=2))], rng)
    dcgm(place / "prometheus_l4.json", gpus, "570.86.15", uuid_only=True, without=("DCGM_FI_DEV_MEM_CLOCK",))
    for host in hosts:
        write(
            place / f"nvidia-smi_-L_{host}.txt",
            [f"GPU {g.index}: {g.card.name} (UUID: {g.uuid})" for g in gpus if g.host == host],
        )
    tres = "billing=64,cpu=64,gres/gpu=8,mem=360G,node=2"
    write(
        place / "sacct.txt",
        [
            "JobID|JobName|User|Partition|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NodeList|AllocTRES",
            f"611904|herb_vitb16|lvandamme|gpu_l4|FAILED|1:0|{iso(start - 1331, zone)}|{iso(start, zone)}|{iso(end, zone)}|{hms(end - start)}|1-00:00:00|2|wn[041-042]|{tres}",
        ],
    )
    write(
        place / "herb_vitb16.o611904",
        [
            f"Job 611904 starts on wn041 at {when(start, zone):%a %b %e %H:%M:%S} CET 2026",
            "nodes: wn041 wn042   head: wn041   port: 29621",
            "module list: cuda/12.4  python/3.11.7  open_clip/2.30.0-venv",
            "stderr -> /scratch/lvandamme/herb/err/611904.err",
        ],
    )
    t = start + 49.0

    def line(words: str, host: str = "") -> str:
        return f"{when(t, zone):%Y-%m-%d,%H:%M:%S} | INFO | {host}{words}"

    out = [
        line(
            "Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 8."
        )
    ]
    t += 4
    out += [
        line("Loaded ViT-B-16 model config."),
        line("Loading full pretrained weights from: /scratch/lvandamme/ckpt/vitb16_laion2b_s34b.bin"),
    ]
    t += 9
    out += [
        line("Model:"),
        line("CLIP("),
        "  (visual): VisionTransformer(",
        "    (conv1): Conv2d(3, 768, kernel_size=(16, 16), stride=(16, 16), bias=False)",
        "    ...",
        ")",
        line("Params:"),
    ]
    params = {
        "accum_freq": 1, "batch_size": 192, "beta1": 0.9, "beta2": 0.98, "dataset_type": "webdataset", "ddp_static_graph": False, "epochs": 12, "gather_with_grad": True,
        "grad_checkpointing": True, "local_loss": True, "lr": 0.0002, "model": "ViT-B-16", "name": "herb_vitb16", "precision": "amp_bf16", "save_frequency": 1,
        "train_data": "/scratch/lvandamme/herb/wds/train-{0000..0611}.tar", "train_num_samples": 1843200, "warmup": 800, "workers": 6, "world_size": 8, "zeroshot_frequency": 2,
    }  # fmt: skip
    out += [line(f"  {k}: {v}") for k, v in params.items()]
    t += 8
    out.append(line("Start epoch 0"))
    per, step, n = 1843200, 0, 1536
    data_avg, batch_avg, loss_avg, seen = 0.0, 0.0, 0.0, 0
    while t < end - 17:
        batch = max(3.1, rng.gauss(3.42, 0.05))
        t += batch
        step += 1
        if step % 50 == 1 and t < end:
            seen += 1
            loss = 0.9 + 2.9 * math.exp(-step / 420) + rng.gauss(0, 0.04)
            data = rng.uniform(0.04, 0.09) if step > 1 else 7.2
            loss_avg += (loss - loss_avg) / seen
            data_avg, batch_avg = data, batch
            at = (step - 1) % 1200
            lr = 2e-4 * min(1.0, step / 800)
            out.append(
                line(
                    f"Train Epoch: {(step - 1) // 1200} [{(at + 1) * n:>7d}/{per} ({100 * at / 1200:.0f}%)] Data (t): {data_avg:.3f} Batch (t): {batch_avg:.3f}, "
                    f"{n / batch:#g}/s, {n / batch / 8:#g}/s/gpu LR: {lr:5f} Logit Scale: {100 - step / 900:.3f} Contrastive_loss: {loss:#.5g} ({loss_avg:#.5g}) Loss: {loss:#.5g} ({loss_avg:#.5g})"
                )
            )
        if step % 1200 == 0:
            t += 14
            out.append(line(f"Start epoch {step // 1200}"))
            loss_avg, seen = 0.0, 0
    write(place / "logs" / "herb_vitb16" / "out.log", out)
    for host in hosts:
        boot = begin - rng.uniform(9e5, 3e6)
        lines = _dmesg_boot(host, "570.86.15", rng) + _hum(begin - boot - 60000, begin - boot + 133 * 60, rng, 4000)
        write(place / f"dmesg_{host}.txt", [f"[{at:12.6f}] {words}" for at, words in sorted(lines, key=lambda x: x[0])])


def t13_retro(place: Path, rng: Random) -> None:
    begin = epoch("2026-03-25T10:32:00")
    made = begin + 64
    up = {"master-0": made + 71.0, "worker-0": made + 83.0, "worker-1": made + 78.0}
    hosts = {"master-0": "a40-n02", "worker-0": "a40-n05", "worker-1": "a40-n06"}
    exporters = {
        h: f"nvidia-gpu-exporter-{''.join(rng.choices('bcdfghjklmnpqrstvwxz2456789', k=5))}" for h in hosts.values()
    }
    ips = {"master-0": "10.244.7.118", "worker-0": "10.244.3.52", "worker-1": "10.244.9.201"}
    gpus = [gpu(A40, host, i, rng) for host in hosts.values() for i in range(4)]
    for one in gpus:
        fill(one, begin, 5, [(20 * 60, Work(mem=3))], rng)
    gpu_exporter(place / "gpu_metrics.json", gpus, "535.216.03", exporters, {gpus[5].uuid: 2, gpus[10].uuid: 1})

    job, ns = "retro-grpo-qwen15", "chem-rl"
    tag = {one: rng.randrange(60, 120) for one in up}
    ends = {one: at + 14 + 900 + rng.uniform(2, 7) for one, at in up.items()}
    pods = {one: f"{job}-{one}" for one in up}
    now = begin + 20 * 60 - 20
    wide = [f"{'NAME':<30}READY   STATUS   RESTARTS   AGE   {'IP':<15}{'NODE':<10}NOMINATED NODE   READINESS GATES"]
    wide += [
        f"{pods[one]:<30}0/1     Error    0          {int((now - made) // 60)}m   {ips[one]:<15}{hosts[one]:<10}<none>           <none>"
        for one in up
    ]
    write(place / "kubectl_get_pods_wide.txt", wide)
    described = []
    for one, at in up.items():
        described += [
            f"Name:             {pods[one]}",
            f"Namespace:        {ns}",
            "Priority:         0",
            "Service Account:  default",
            f"Node:             {hosts[one]}/172.20.4.{tag[one]}",
            f"Start Time:       {when(made + 2):%a, %d %b %Y %H:%M:%S +0000}",
            f"Labels:           training.kubeflow.org/job-name={job}",
            "                  training.kubeflow.org/operator-name=pytorchjob-controller",
            f"                  training.kubeflow.org/replica-index={one[-1]}",
            f"                  training.kubeflow.org/replica-type={one[:-2]}",
            "Status:           Failed",
            f"IP:               {ips[one]}",
            f"Controlled By:  PyTorchJob/{job}",
            "Containers:",
            "  pytorch:",
            "    Image:         harbor.chem.example/rl/trl:0.17.0-cu124",
            "    Port:          23456/TCP",
            "    Command:",
            "      bash",
            "      /work/launch.sh",
            "    State:          Terminated",
            "      Reason:       Error",
            "      Exit Code:    1",
            f"      Started:      {when(at):%a, %d %b %Y %H:%M:%S +0000}",
            f"      Finished:     {when(ends[one] + 3):%a, %d %b %Y %H:%M:%S +0000}",
            "    Ready:          False",
            "    Restart Count:  0",
            "    Limits:",
            "      cpu:             32",
            "      memory:          200Gi",
            "      nvidia.com/gpu:  4",
            "    Environment:",
            "      PYTHONUNBUFFERED:  1",
            "      MASTER_PORT:       23456",
            f"      MASTER_ADDR:       {job}-master-0",
            "      WORLD_SIZE:        12",
            f"      RANK:              {list(up).index(one)}",
            "Conditions:",
            "  Type              Status",
            "  Initialized       True ",
            "  Ready             False ",
            "  PodScheduled      True ",
            "QoS Class:                   Guaranteed",
            "Events:",
            "  Type    Reason     Age   From               Message",
            "  ----    ------     ----  ----               -------",
            f"  Normal  Scheduled  {int((now - made) // 60)}m   default-scheduler  Successfully assigned {ns}/{pods[one]} to {hosts[one]}",
            f'  Normal  Pulled     {int((now - at) // 60)}m   kubelet            Successfully pulled image "harbor.chem.example/rl/trl:0.17.0-cu124" in {rng.uniform(61, 70):.3f}s',
            f"  Normal  Created    {int((now - at) // 60)}m   kubelet            Created container: pytorch",
            f"  Normal  Started    {int((now - at) // 60)}m   kubelet            Started container pytorch",
            "",
            "",
        ]
    write(place / "kubectl_describe_pods.txt", described)
    first = min(ends, key=ends.__getitem__)
    events = ["LAST SEEN   TYPE      REASON                    OBJECT                                 MESSAGE"]
    for at, kind, reason, what, words in (
        (made, "Normal", "SuccessfulCreatePod", f"pytorchjob/{job}", f"Created pod: {pods['master-0']}"),
        (made, "Normal", "SuccessfulCreateService", f"pytorchjob/{job}", f"Created service: {pods['master-0']}"),
        (made, "Normal", "SuccessfulCreatePod", f"pytorchjob/{job}", f"Created pod: {pods['worker-0']}"),
        (made, "Normal", "SuccessfulCreatePod", f"pytorchjob/{job}", f"Created pod: {pods['worker-1']}"),
        *((up[one], "Normal", "Started", f"pod/{pods[one]}", "Started container pytorch") for one in up),
        (
            ends[first] + 4,
            "Warning",
            "PyTorchJobFailed",
            f"pytorchjob/{job}",
            f"PyTorchJob {job} is failed because 1 {first[:-2].title()} replica(s) failed.",
        ),
    ):
        events.append(f"{f'{int((now - at) // 60)}m':<12}{kind:<10}{reason:<26}{what:<39}{words}")
    write(place / "kubectl_get_events.txt", events)

    for one, at in up.items():
        t = at + 1.4
        cold = [
            f"[launch] host={pods[one]} rank={list(up).index(one)} master={job}-master-0:23456 gpus=4",
            f"[launch] python 3.11.11  torch 2.6.0+cu124  trl 0.17.0  accelerate 1.6.0  vllm 0.8.4  ({iso(t)}Z)",
            "[launch] accelerate launch --config_file /work/acc_zero2.yaml --num_machines 3 --num_processes 12 grpo_retro.py --config retro15.yaml",
            f"[{when(t + 9):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d}] [INFO] [real_accelerator.py:239:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
            f"W{when(t + 12):%m%d %H:%M:%S}.417000 41 torch/distributed/run.py:792] ",
            f"W{when(t + 12):%m%d %H:%M:%S}.417000 41 torch/distributed/run.py:792] *****************************************",
            f"W{when(t + 12):%m%d %H:%M:%S}.417000 41 torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
            f"W{when(t + 12):%m%d %H:%M:%S}.417000 41 torch/distributed/run.py:792] *****************************************",
        ]
        end = ends[one]
        env = "/opt/venv/lib/python3.11/site-packages"
        if one == "master-0":
            error = f"torch.distributed.DistStoreError: Timed out after {901} seconds waiting for clients. 1/3 clients joined."
        else:
            wait = f"[W{when(t + 12 + 131):%m%d %H:%M:%S}.{rng.randrange(10**9):09d} socket.cpp:759] [c10d] The client socket has failed to connect to [{job}-master-0.{ns}.svc.cluster.local]:23456 (errno: 110 - Connection timed out)."
            cold.append(wait)
            cold.append(
                f"[E{when(end):%m%d %H:%M:%S}.{rng.randrange(10**9):09d} socket.cpp:1023] [c10d] The client socket has timed out after 900000ms while trying to connect to ({job}-master-0, 23456)."
            )
            error = f"torch.distributed.DistNetworkError: The client socket has timed out after 900000ms while trying to connect to ({job}-master-0, 23456)."
        cold.append("Traceback (most recent call last):")
        for path, line, name, words in (
            ("/opt/venv/bin/accelerate", 8, "<module>", "sys.exit(main())"),
            (f"{env}/accelerate/commands/accelerate_cli.py", 50, "main", "args.func(args)"),
            (f"{env}/accelerate/commands/launch.py", 1182, "launch_command", "deepspeed_launcher(args)"),
            (f"{env}/accelerate/commands/launch.py", 861, "deepspeed_launcher", "distrib_run.run(args)"),
            (f"{env}/torch/distributed/run.py", 909, "run", "elastic_launch("),
            (
                f"{env}/torch/distributed/launcher/api.py",
                138,
                "__call__",
                "return launch_agent(self._config, self._entrypoint, list(args))",
            ),
            (f"{env}/torch/distributed/launcher/api.py", 260, "launch_agent", "result = agent.run()"),
            (f"{env}/torch/distributed/elastic/agent/server/api.py", 696, "run", "result = self._invoke_run(role)"),
            (
                f"{env}/torch/distributed/elastic/agent/server/api.py",
                849,
                "_invoke_run",
                "self._initialize_workers(self._worker_group)",
            ),
            (
                f"{env}/torch/distributed/elastic/agent/server/api.py",
                668,
                "_initialize_workers",
                "self._rendezvous(worker_group)",
            ),
            (
                f"{env}/torch/distributed/elastic/agent/server/api.py",
                500,
                "_rendezvous",
                "rdzv_info = spec.rdzv_handler.next_rendezvous()",
            ),
            (
                f"{env}/torch/distributed/elastic/rendezvous/static_tcp_rendezvous.py",
                67,
                "next_rendezvous",
                "self._store = TCPStore(  # type: ignore[call-arg]",
            ),
        ):
            cold += [f'  File "{path}", line {line}, in {name}', f"    {words}"]
        cold.append(error)
        write(place / f"{pods[one]}.log", cold)
    for host in hosts.values():
        boot = begin - rng.uniform(2e6, 4e6)
        lines = [(boot + at, words) for at, words in _dmesg_boot(host, "535.216.03", rng)] + _hum(
            begin - 50000, begin + 1200, rng, 5000
        )
        veth = made + rng.uniform(1, 3)
        v = f"veth{rng.getrandbits(32):08x}"
        lines += [
            (veth, f"cni0: port 9({v}) entered blocking state"),
            (veth, f"cni0: port 9({v}) entered forwarding state"),
            (veth + 0.01, f"IPv6: ADDRCONF(NETDEV_CHANGE): {v}: link becomes ready"),
        ]
        write(
            place / f"dmesg_{host}.log",
            [f"{iso(at)},{int(at % 1 * 1e6):06d}+00:00 {words}" for at, words in sorted(lines, key=lambda x: x[0])],
        )


def _nemo(at: float, kind: str, words: str, rng: Random) -> str:
    return f"[NeMo {kind} {when(at + rng.random() * 0.4):%Y-%m-%d %H:%M:%S} {words}"


def _nemo_start(at: float, run: str, rng: Random) -> list[str]:
    return [
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        _nemo(at, "W", "nemo_logging:405] WandB is currently turned off.", rng),
        _nemo(
            at,
            "W",
            "nemo_logging:405] User-set tensorboard is currently turned off. Internally one may still be set by NeMo2.",
            rng,
        ),
        _nemo(at, "I", f"nemo_logging:393] Experiments will be logged at /lustre/is-nlp/exp/{run}", rng),
        _nemo(at + 1, "I", "nemo_logging:393] Rank 0 has data parallel group : [0, 1]", rng),
        _nemo(at + 1, "I", "nemo_logging:393] Rank 0 has context parallel group: [0]", rng),
        _nemo(at + 1, "I", "nemo_logging:393] Rank 0 has tensor model parallel group: [0]", rng),
        _nemo(at + 1, "I", "nemo_logging:393] Rank 0 has pipeline model parallel group: [0]", rng),
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2",
        "Initializing distributed: GLOBAL_RANK: 1, MEMBER: 2/2",
        "----------------------------------------------------------------------------------------------------",
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 2 processes",
        "----------------------------------------------------------------------------------------------------",
        "",
        _nemo(at + 22, "I", "num_microbatches_calculator:228] setting number of microbatches to constant 16", rng),
        _nemo(
            at + 24,
            "I",
            "nemo_logging:393] Padded vocab_size: 128256, original vocab_size: 128256, dummy tokens: 0.",
            rng,
        ),
        _nemo(
            at + 25,
            "I",
            "nemo_logging:393]  > number of parameters on (tensor, pipeline) model parallel rank (0 ,0): 1235814400",
            rng,
        ),
        _nemo(
            at + 25,
            "I",
            "nemo_logging:393] Setting up DistributedDataParallel with config DistributedDataParallelConfig(grad_reduce_in_fp32=True, overlap_grad_reduce=True, use_distributed_optimizer=True, ...)",
            rng,
        ),
        _nemo(
            at + 26,
            "I",
            "nemo_logging:393] Setting up optimizer with config OptimizerConfig(optimizer='adam', lr=3e-05, min_lr=None, weight_decay=0.1, bf16=True, ...)",
            rng,
        ),
    ]


def _nemo_steps(
    first: int, last: int, total: int, at: float, until: float, rng: Random
) -> tuple[list[str], float, int]:
    """Lines of steps first to last, or until a time; with the time and the last step done."""
    out: list[str] = []
    step = first
    while step <= last:
        took = rng.gauss(1.104, 0.012)
        if step == first:
            took += 6.2
        if at + took > until:
            break
        at += took
        lr = 3e-5 * min(1.0, (step + 1) / 40)
        loss = 1.46 + 0.95 * math.exp(-step / 90) + rng.gauss(0, 0.035)
        tail = "" if step == first else f" | consumed_samples: {(step + 1) * 64}"
        if step % 5 == 4 or step == first:
            out.append(
                f"Training epoch 0, iteration {step}/{total - 1} | lr: {lr:.4g} | global_batch_size: 64 | global_step: {step} | reduced_train_loss: {loss:.4g} | train_step_timing in s: {took:.4g}{tail}"
            )
        if (step + 1) % 100 == 0:
            name = f"llama32_is_sft--reduced_train_loss={loss:.4f}-epoch=0-consumed_samples={(step + 1) * 64}.0"
            out.append(
                _nemo(
                    at,
                    "I",
                    f"nemo_logging:393] Global Checkpoint Save : Rank : 0 : Iteration : {step} : Start time : {at:.3f}s : Save duration : {rng.uniform(4, 5):.3f}s",
                    rng,
                )
            )
            at += rng.uniform(4.5, 5.5)
            out.append(
                _nemo(
                    at,
                    "I",
                    f"nemo_logging:393] Successfully saved checkpoint from iteration {step + 1:7d} to /lustre/is-nlp/exp/llama32_is_sft/checkpoints/{name}-last.ckpt",
                    rng,
                )
            )
        step += 1
    return out, at, step - 1


def t14_icelandic(place: Path, rng: Random) -> None:
    begin = epoch("2026-06-18T01:12:00")
    start, cut, back = begin + 24, begin + 371, begin + 514
    log = [f"[{iso(start)}] job 482133 llama32_is_sft on hgx[05,11] restart_count=0"]
    log += _nemo_start(start + 21, "llama32_is_sft", rng)
    log.append(
        _nemo(
            start + 50,
            "I",
            "nemo_logging:393] Doing selective restore from RestoreConfig(path='/lustre/models/nemo/llama32_1b', load_model_state=True, load_optim_state=False, load_artifacts=True)",
            rng,
        )
    )
    log.append(
        _nemo(
            start + 57,
            "I",
            "nemo_logging:393] Finished restoring from RestoreConfig(path='/lustre/models/nemo/llama32_1b', ...), cleaning up.",
            rng,
        )
    )
    lines, at, _ = _nemo_steps(0, 449, 450, start + 60, cut, rng)
    log += lines
    log += [
        f"slurmstepd: error: *** STEP 482133.0 ON hgx05 CANCELLED AT {iso(cut)} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** JOB 482133 ON hgx05 CANCELLED AT {iso(cut)} DUE TO PREEMPTION ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"[{iso(back)}] job 482133 llama32_is_sft on hgx[05,11] restart_count=1",
    ]
    log += _nemo_start(back + 18, "llama32_is_sft", rng)
    log.append(
        _nemo(
            back + 46,
            "I",
            "nemo_logging:393] Resuming training from checkpoint at /lustre/is-nlp/exp/llama32_is_sft/checkpoints/llama32_is_sft--reduced_train_loss=1.5712-epoch=0-consumed_samples=12800.0-last",
            rng,
        )
    )
    log.append(
        _nemo(
            back + 58,
            "I",
            "nemo_logging:393] Global Checkpoint Load : Rank : 0 : Start time : "
            + f"{back + 46.2:.3f}s : Time spent in load_checkpoint: 11.204s",
            rng,
        )
    )
    lines, at, _ = _nemo_steps(200, 449, 450, back + 60, begin + 10000, rng)
    log += lines
    log += [
        _nemo(at + 1, "I", "nemo_logging:393] Async finalization time took 0.002 s", rng),
        "`Trainer.fit` stopped: `max_steps=450` reached.",
        f"[{iso(at + 9)}] done rc=0",
    ]
    write(place / "llama32_is_sft_482133.out", log)
    done = at + 11
    gpus = [gpu(H100, host, i, rng) for host, i in (("hgx05", 3), ("hgx11", 6))]
    run = Work(util=0.97, power=0.83, mem=51240, sm=0.78, tensor=0.42, dram=0.44, jitter=0.02)
    for one in gpus:
        load = Work(util=0.08, power=0.07, mem=6420, sm=0.03, jitter=0.03)
        phases = [(start + 38 - begin, Work()), (start + 62 - begin, load), (cut + 2 - begin, run)]
        phases += [
            (cut + 26 - begin, Work()),
            (back - 12 - begin, Work(util=0.71, power=0.5, mem=70118, sm=0.42, tensor=0.2, dram=0.5, jitter=0.08)),
        ]
        phases += [(back + 34 - begin, Work()), (back + 60 - begin, load), (done - begin, run), (15 * 60, Work())]
        fill(one, begin, 10, phases, rng)
    dcgm(place / "dcgm_query_range.json", gpus, "550.127.08")

    early = begin - 5 * 3600 - 211
    old = [f"[{iso(early)}] job 481877 llama32_is_sft on hgx[02,05] restart_count=0"]
    old += _nemo_start(early + 21, "llama32_is_sft_try", rng)
    lines, at, _ = _nemo_steps(0, 49, 50, early + 62, early + 9999, rng)
    old += [*lines, "`Trainer.fit` stopped: `max_steps=50` reached.", f"[{iso(at + 9)}] done rc=0"]
    write(place / "llama32_is_sft_481877.out", old)


def t15_reef(place: Path, rng: Random) -> None:
    zone, begin = 8, epoch("2025-11-06T13:20:00", 8)
    start = begin + 155
    hosts = ("kaya-g03", "kaya-g04")
    iters, rate = 1500, 5.62
    samples: list[tuple[float, float]] = []
    t, out = start + 48.0, []

    def line(who: str, words: str) -> str:
        return f"[{when(t, zone):%m/%d %H:%M:%S} {who}]: {words}"

    out += [
        line("detectron2", "Rank of current process: 0. World size: 8"),
        line("detectron2", "Environment info:"),
        "-------------------------------  -----------------------------------------------------------------",
        "sys.platform                     linux",
        "Python                           3.10.14 | packaged by conda-forge",
        "detectron2                       0.6 @/group/marine/env/lib/python3.10/site-packages/detectron2",
        "PyTorch                          2.3.1+cu121 @/group/marine/env/lib/python3.10/site-packages/torch",
        "GPU available                    Yes",
        "GPU 0,1,2,3                      NVIDIA A40 (arch=8.6)",
        "Driver version                   535.183.06",
        "-------------------------------  -----------------------------------------------------------------",
        line(
            "detectron2",
            "Command line arguments: Namespace(config_file='configs/reef_mask_rcnn_R_50_FPN.yaml', resume=False, eval_only=False, num_gpus=4, num_machines=2, machine_rank=0, dist_url='tcp://kaya-g03:50152', opts=[])",
        ),
        line("d2.data.build", "Removed 211 images with no usable annotations. 38940 images left."),
        line("d2.data.build", "Using training sampler TrainingSampler"),
        line("d2.data.common", "Serializing 38940 elements to byte tensors and concatenating them all ..."),
        line("d2.data.common", "Serialized dataset takes 61.22 MiB"),
        line("d2.data.build", "Making batched data loader with batch_size=4"),
    ]
    t += 21
    out += [
        line(
            "d2.checkpoint.detection_checkpoint",
            "[DetectionCheckpointer] Loading from detectron2://ImageNetPretrained/MSRA/R-50.pkl ...",
        ),
        line("d2.engine.train_loop", "Starting training from iteration 0"),
    ]
    t0, hist = t, []
    for i in range(iters):
        data = max(
            3.1, rng.lognormvariate(math.log(rate - 0.66), 0.16) + (rng.uniform(4, 11) if rng.random() < 0.03 else 0)
        )
        took = data + rng.gauss(0.59, 0.012)
        t += took
        samples.append((t - 0.6, t))
        hist.append((took, data))
        if i % 20 == 19:
            last = hist[-20:]
            mean, wait = sum(x for x, _ in hist) / len(hist), sum(y for _, y in last) / 20
            fall = math.exp(-i / 420)
            parts = {
                "loss_cls": 0.21 + 1.1 * fall,
                "loss_box_reg": 0.26 + 0.1 * fall,
                "loss_mask": 0.28 + 0.41 * fall,
                "loss_rpn_cls": 0.05 + 0.5 * fall,
                "loss_rpn_loc": 0.07 + 0.12 * fall,
            }
            parts = {k: v * rng.gauss(1, 0.05) for k, v in parts.items()}
            words = "  ".join(f"{k}: {v:.4g}" for k, v in parts.items())
            eta = hms((iters - i - 1) * mean).removeprefix("0")
            out.append(
                line(
                    "d2.utils.events",
                    f" eta: {eta}  iter: {i}  total_loss: {sum(parts.values()):.4g}  {words}    time: {mean:.4f}  last_time: {took:.4f}  data_time: {wait:.4f}  last_data_time: {data:.4f}   lr: {0.02 * min(1, (i + 1) / 500):.5g}  max_mem: 21833M",
                )
            )
        if i % 500 == 499 and i + 1 < iters:
            out.append(line("fvcore.common.checkpoint", f"Saving checkpoint to ./output/reef_r50/model_{i:07d}.pth"))
    out += [
        line("fvcore.common.checkpoint", "Saving checkpoint to ./output/reef_r50/model_final.pth"),
        line(
            "d2.engine.hooks",
            f"Overall training speed: {iters - 2} iterations in {hms(t - t0).removeprefix('0')} ({(t - t0) / iters:.4f} s / it)",
        ),
        line("d2.engine.hooks", f"Total training time: {hms(t - t0 + 4).removeprefix('0')} (0:00:04 on hooks)"),
    ]
    end = t + 9
    write(place / "reef_r50_90417.log", out)
    gpus = [gpu(A40, host, i, rng) for host in hosts for i in range(4)]
    for one in gpus:
        fill(
            one,
            begin,
            30,
            [
                (start + 55 - begin, Work(mem=2)),
                (t0 - begin, Work(mem=2790, held=True)),
                (
                    end - begin,
                    Work(
                        util=0.13,
                        power=0.155,
                        mem=25210 + 38 * one.index,
                        sm=0.072,
                        tensor=0.024,
                        dram=0.045,
                        jitter=0.04,
                    ),
                ),
                (156 * 60, Work(mem=2)),
            ],
            rng,
        )
        for at, row in one.rows:
            if t0 < at < end:
                row["util"] = (
                    rng.choice((0, 0, 0, 0, 0, 3, 12, 41, 88, 97))
                    if not any(a <= at <= b for a, b in samples)
                    else rng.randrange(70, 99)
                )
    dcgm(
        place / "thanos_dcgm.json",
        gpus,
        "535.183.06",
        without=("DCGM_FI_DEV_MEM_CLOCK", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"),
    )

    t = begin - 26 * 3600.0
    old = [
        line("detectron2", "Rank of current process: 0. World size: 8"),
        line("d2.data.build", "Removed 211 images with no usable annotations. 38940 images left."),
        line("d2.engine.train_loop", "Starting training from iteration 0"),
    ]
    for i in range(19, 60, 20):
        t += 20 * rate
        old.append(
            line(
                "d2.utils.events",
                f" eta: 0:0{3 - i // 20}:1{i % 7}  iter: {i}  total_loss: {3.1 - i / 60:.4g}    time: {rng.gauss(rate, 0.1):.4f}  data_time: {rng.gauss(rate - 0.6, 0.1):.4f}   lr: {0.02 * (i + 1) / 500:.5g}  max_mem: 21790M",
            )
        )
    old += [
        line("fvcore.common.checkpoint", "Saving checkpoint to ./output/reef_r50/model_final.pth"),
        line("d2.engine.hooks", "Total training time: 0:05:41 (0:00:02 on hooks)"),
    ]
    write(place / "reef_r50_90388.log", old)


def t16_seismic(place: Path, rng: Random) -> None:
    begin = epoch("2026-02-27T14:51:00")
    start, notice = begin + 18, begin + 302
    cut = notice + 30
    hosts = ("lq14", "lq15")
    for h, host in enumerate(hosts):
        gpus = [gpu(L4, host, i, rng) for i in range(4)]
        ticks = [[211, 0, 0, 38], [0, 4, 0, 0]][h]
        for one in gpus:
            run = Work(
                util=0.98,
                power=0.95,
                mem=15630 + 20 * one.index,
                sm=0.81,
                tensor=0.3,
                dram=0.49,
                jitter=0.015,
                clock=0.83,
            )
            save = Work(util=0.0, mem=15630 + 20 * one.index, held=True)
            other = Work(util=0.88, power=0.9, mem=19874, sm=0.66, tensor=0.4, dram=0.6, jitter=0.05, clock=0.9)
            fill(
                one,
                begin,
                10,
                [
                    (start + 14 - begin, Work()),
                    (start + 41 - begin, Work(util=0.1, power=0.1, mem=2100, jitter=0.04)),
                    (notice + 3 - begin, run),
                    (cut - begin, save),
                    (cut + 38 - begin, Work()),
                    (480, other),
                ],
                rng,
            )
        names = (
            "GPUTL",
            "MCUTL",
            "FBUSD",
            "POWER",
            "TMPTR",
            "SMCLK",
            "GRACT",
            "SMACT",
            "TENSO",
            "DRAMA",
            "ESVTL",
            "EDVTL",
            "XIDER",
        )
        head = "#Entity   " + "".join(f"{n:<12}" for n in names)
        unit = f"{'ID':<38}{'W':<12}{'C':<12}"
        out = []
        for k in range(len(gpus[0].rows)):
            now = f"{iso(gpus[0].rows[k][0])}Z "
            if k % 15 == 0:
                out += [now + head, now + unit]
            for i, one in enumerate(gpus):
                r = one.rows[k][1]
                if ticks[i] and r["util"] and rng.random() < 0.12:
                    ticks[i] += rng.choice((1, 1, 2))
                cells = [
                    f"{r['util']:.0f}",
                    f"{r['memutil']:.0f}",
                    f"{r['mem']}",
                    f"{r['power']:.3f}",
                    f"{r['temp']}",
                    f"{r['smclk']}",
                    f"{r['gract']:.3f}",
                    f"{r['smact']:.3f}",
                    f"{r['tensor']:.3f}",
                    f"{r['dram']:.3f}",
                    f"{ticks[i]}",
                    "0",
                    "0",
                ]
                out.append(now + f"GPU {one.index}     " + "".join(f"{c:<12}" for c in cells))
        write(place / f"dmon_{host}.txt", out)
    log = [
        f"== fwi-net train  job {58811}  {when(start):%d %b %Y %H:%M:%S}  nodes lq[14-15]  world 8",
        "cfg: shots=/scratch/geo/marmousi_ext/shots_12k.zarr  model=unet3d-r  batch/rank=4  lr=4e-4 (cosine, 9000 steps)  amp=bf16  ckpt every 500",
    ]
    log.extend(
        f"{when(start + 21 + rng.random() * 2):%H:%M:%S} rank {r} @{hosts[r // 4]} cuda:{r % 4} ready, 1500 shots"
        for r in rng.sample(range(8), 8)
    )
    t, step = start + 44.0, 0
    while t < notice:
        t += rng.gauss(0.713, 0.01)
        step += 1
        if step % 20 == 0:
            base = 0.071 + 0.62 * math.exp(-step / 110)
            grad = rng.lognormvariate(-0.4, 0.2)
            log.extend(
                f"{when(t + rng.random() * 0.2):%H:%M:%S} rank {r} step {step} misfit {base * rng.gauss(1, 0.05):.5f} gnorm {grad:.3f} {rng.gauss(5.61, 0.04):.2f} shots/s mem 14.{rng.choice((6, 7))}G"
                for r in rng.sample(range(8), 8)
            )
    log.extend(
        f"{when(notice + 0.4 + rng.random() * 0.3):%H:%M:%S} rank {r} got SIGTERM, leaving the loop after step {step}"
        for r in rng.sample(range(8), 8)
    )
    log += [
        f"{when(notice + 6):%H:%M:%S} rank 0 wrote ckpt/fwi_unet3d_step{step:06d}.pt (811 MB)",
        f"slurmstepd-lq14: error: *** STEP 58811.0 ON lq14 CANCELLED AT {iso(cut)} DUE TO PREEMPTION ***",
        f"slurmstepd-lq14: error: *** JOB 58811 ON lq14 CANCELLED AT {iso(cut)} DUE TO PREEMPTION ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    write(place / "fwi-58811.log", log)
