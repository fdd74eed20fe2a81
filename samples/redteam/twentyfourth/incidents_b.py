"""Incidents t09 to t16 of the twenty-fourth set. SIMULATED."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import account, bare, dmon, kernel, learn, matrix, milli, smi_csv
from samples.redteam.twentyfourth.rig_site import (
    FREE,
    Hall,
    Work,
    coarse,
    held,
    mmu,
    pods,
    shake,
    spin,
    step_rows,
    still,
    ticks,
)
from samples.redteam.twentythird.rig_more import ISO, bar, hms, job, sacct, when

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from samples.redteam.twentyfirst.rig_incidents import Row

HEADS = (
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
)


def t09(place: Path, rng: Random) -> None:
    """Gradients of a large model over plain Ethernet."""
    east, begin = 60, when(19, 6, 10, 2)
    start, last = begin + 140, begin + 277 * 60
    nodes = ["hn31", "hn32", "hn40"]
    slow = Work(engine=0.995, sm=0.11, tensor=0.035, dram=0.05, mib=41800, rx=700, tx=690)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 25:
            return FREE
        return held(2600) if t < start else shake(slow, f"{n}{g}{t}", 0.85, 1.15)

    hall = Hall(
        "H100",
        nodes,
        4,
        work,
        begin - 120,
        last,
        60,
        24091,
        alter=ticks({(2, 3): [begin + 2600, begin + 8100, begin + 12040]}, 41),
    )
    matrix(place, "prom_range.json", hall, bare(hall, "gpu"), keep=coarse)
    said = []
    for r in range(12):
        n, g = divmod(r, 4)
        said.append(
            f"Training in distributed mode with multiple processes, 1 device per process. Process {r}, total 12,"
            f" device cuda:{g}."
        )
        pid = 20511 + 400 * n + g
        if g == 0:
            host = nodes[n]
            said += [
                f"{host}:{pid}:{pid} [0] NCCL INFO Bootstrap: Using eno1np0:10.31.4.{31 + n}<0>",
                f"{host}:{pid}:{pid} [0] NCCL INFO cudaDriverVersion 12080",
                f"{host}:{pid}:{pid + 70} [0] NCCL INFO NET/IB : No device found.",
                f"{host}:{pid}:{pid + 70} [0] NCCL INFO NET/Socket : Using [0]eno1np0:10.31.4.{31 + n}<0>",
                f"{host}:{pid}:{pid + 70} [0] NCCL INFO Using network Socket",
            ]
    said += [
        "hn31:20511:20581 [0] NCCL INFO Channel 00/0 : 11[3] -> 0[0] [receive] via NET/Socket/0",
        "hn31:20511:20581 [0] NCCL INFO Channel 01/0 : 11[3] -> 0[0] [receive] via NET/Socket/0",
        "hn31:20511:20581 [0] NCCL INFO Connected all rings",
        "Model vit_large_patch16_224 created, param count:304326632",
        "Data processing configuration for current model + dataset:",
        "\tinput_size: (3, 224, 224)",
        "\tinterpolation: bicubic",
        "\tmean: (0.5, 0.5, 0.5)",
        "\tstd: (0.5, 0.5, 0.5)",
        "\tcrop_pct: 0.9",
        "Using native Torch AMP. Training in mixed precision.",
        "Using native Torch DistributedDataParallel.",
        "Scheduled epochs: 300 (epochs + cooldown_epochs). Warmup within epochs when warmup_prefix=False. LR"
        " stepped per epoch.",
    ]
    t, epoch, updates, each = start, 0, 1668, 2.71
    while t < last:
        for i in range(0, updates, 50):
            if t >= last:
                break
            now = 5.114 if i == 0 and epoch == 0 else rng.gauss(each, 0.06)
            loss = learn(rng, epoch * updates + i, 6.96, 2.6, 5200, 0.01)
            said.append(
                f"Train: {epoch} [{i:>4d}/{updates} ({100 * i / (updates - 1):>3.0f}%)]  Loss:"
                f" {loss:#.3g} ({loss * 1.01:#.3g})  Time: {now:.3f}s, {768 / now:>7.2f}/s  ({each:.3f}s,"
                f" {768 / each:>7.2f}/s)  LR: {1e-6 + epoch * 1e-5:.3e}  Data: {rng.uniform(0.006, 0.012):.3f}"
                f" (0.011)"
            )
            t += 50 * each
        else:
            top = 9.1 + 11 * epoch
            said += [
                f"Test: [  97/97]  Time: 0.209 (0.334)  Loss:  {5.1 - 0.5 * epoch:>7.3f} ({5.3 - 0.5 * epoch:>6.3f})"
                f"  Acc@1: {top:>7.3f} ({top - 0.6:>7.3f})  Acc@5: {2 * top:>7.3f} ({2 * top - 1:>7.3f})",
                "Current checkpoints:",
                f" ('./output/vitl-in1k/checkpoint-{epoch}.pth.tar', {top - 0.6:.3f})",
                "",
            ]
            epoch += 1
            t += 45
    put(place, "vitl-in1k.out", said)
    whole = clock(begin, east, ISO)
    put(
        place,
        "scontrol_show_job.txt",
        [
            "JobId=402217 JobName=vitl-in1k",
            "   UserId=hlind(3141) GroupId=vision(3000) MCS_label=N/A",
            "   Priority=10442 Nice=0 Account=vision QOS=normal",
            "   JobState=RUNNING Reason=None Dependency=(null)",
            "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0",
            "   RunTime=04:37:00 TimeLimit=3-00:00:00 TimeMin=N/A",
            f"   SubmitTime={clock(begin - 95, east, ISO)} EligibleTime={clock(begin - 95, east, ISO)}",
            f"   StartTime={whole} EndTime={clock(begin + 3 * 86400, east, ISO)} Deadline=N/A",
            "   Partition=h100 AllocNode:Sid=login2:918121",
            "   NodeList=hn[31-32,40]",
            "   BatchHost=hn31",
            "   NumNodes=3 NumCPUs=144 NumTasks=3 CPUs/Task=48 ReqB:S:C:T=0:0:*:*",
            "   AllocTRES=cpu=144,mem=1500G,node=3,billing=144,gres/gpu=12",
            "   Command=/home/hlind/pytorch-image-models/jobs/vitl.sbatch",
            "   WorkDir=/home/hlind/pytorch-image-models",
            "   StdErr=/home/hlind/pytorch-image-models/vitl-in1k.out",
            "   StdIn=/dev/null",
            "   StdOut=/home/hlind/pytorch-image-models/vitl-in1k.out",
            "",
        ],
    )
    for n, node in enumerate(nodes):
        still(place, f"syslog/{node}", rng, hall, n, "syslog", east, (), "noble")


def t10(place: Path, rng: Random) -> None:
    """A node of four went away with all it had."""
    east, begin = -360, when(20, 4, 12, 33)
    start, gone = begin + 240, begin + 117 * 60 + 14
    end = gone + 128
    nodes = [f"gke-v100-pool-7c1d-{x}" for x in ("4kq2", "9mzt", "hx0v", "w6rp")]
    full = Work(engine=0.97, sm=0.75, tensor=0.4, dram=0.55, mib=28700, rx=1700, tx=1500)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 40 or t >= end:
            return FREE
        if t < start:
            return held(1800)
        return spin(28700) if t >= gone else shake(full, f"{n}{g}{t}")

    def alter(n: int, g: int, t: float, one: Row) -> Row | None:
        if n == 2 and t >= gone:
            return None
        if (n, g) == (0, 6):
            one["XID_ERRORS"] = 31
        return one

    hall = Hall("V100", nodes, 8, work, begin - 120, begin + 127 * 60, 60, 24101, alter=alter)
    names = [f"sd-lora-kilim-worker-{i}" for i in range(4)]
    matrix(
        place,
        "dcgm.json",
        hall,
        lambda n, g: {
            "DCGM_FI_DRIVER_VERSION": hall.of.driver,
            "Hostname": nodes[n],
            "UUID": hall.uuid(n, g),
            "container": "trainer",
            "device": f"nvidia{g}",
            "gpu": str(g),
            "instance": f"10.52.{n + 3}.7:9400",
            "job": "nvidia-dcgm-exporter",
            "modelName": hall.of.name,
            "namespace": "texture",
            "pod": names[n],
        },
        keep=coarse,
        form="CLOCK_THROTTLE_REASONS",
    )
    stamps = [begin - 120 + 60 * i for i in range(130)]
    put(
        place,
        "up.json",
        json.dumps(
            {
                "status": "success",
                "data": {
                    "resultType": "matrix",
                    "result": [
                        {
                            "metric": {"__name__": "up", "instance": f"{node}:9100", "job": "node-exporter"},
                            "values": [
                                [int(t), "0" if n == 2 and gone <= t < gone + 430 else "1"]
                                for t in stamps
                                if t <= begin + 127 * 60
                            ],
                        }
                        for n, node in enumerate(nodes)
                    ],
                },
            },
            separators=(",", ":"),
        ),
    )
    for n in (0, 1, 3):
        said = []

        def say(t: float, text: str, level: str = "INFO", said: list[str] = said) -> None:
            said.append(f"{clock(t, east, '%m/%d/%Y %H:%M:%S')} - {level} - __main__ - {text}")

        say(
            begin + 52 + n,
            f"Distributed environment: MULTI_GPU  Backend: nccl\nNum processes: 32\nProcess index: {8 * n}\n"
            "Local process index: 0\nDevice: cuda:0\n\nMixed precision type: fp16\n",
        )
        if n == 0:
            say(start - 3, "***** Running training *****")
            for text in (
                "  Num examples = 184320",
                "  Num Epochs = 40",
                "  Instantaneous batch size per device = 2",
                "  Total train batch size (w. parallel, distributed & accumulation) = 64",
                "  Gradient Accumulation steps = 1",
                "  Total optimization steps = 15000",
            ):
                say(start - 3, text)
            step, t = 0, start
            while t < gone - 2:
                step += 1
                t += 1.23
                if step % 50 == 0:
                    took = t - start
                    said.append(
                        f"Steps: {100 * step // 15000:3d}%|{bar(step, 15000)}| {step}/15000 [{hms(took)}<"
                        f"{hms((15000 - step) * 1.23)},  1.23s/it, lr=1e-5, step_loss="
                        f"{abs(rng.gauss(0.13, 0.04)) + 0.2 / (1 + step / 200):.4g}]"
                    )
                if step % 1000 == 0:
                    say(t + 2, f"Saved state to /out/kilim/checkpoint-{step}")
        fail = gone + 121
        said += [
            f"[rank{8 * n + 2}]:[E{clock(fail, east, '%m%d %H:%M:%S')}.{220 + n}418190 ProcessGroupNCCL.cpp:632] [Rank"
            f" {8 * n + 2}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=11284, OpType=ALLREDUCE,"
            " NumelIn=26214400, NumelOut=26214400, Timeout(ms)=120000) ran for 120042 milliseconds before timing out.",
            f"{nodes[n]}:{812 + n}:{1490 + n} [2] NCCL INFO [Service thread] Connection closed by localRank 2",
            f"W{clock(fail + 3, east, '%m%d %H:%M:%S')}.117000 711"
            " torch/distributed/elastic/multiprocessing/api.py:897]"
            " Sending process 812 closing signal SIGTERM",
            f"E{clock(fail + 5, east, '%m%d %H:%M:%S')}.600000 711"
            " torch/distributed/elastic/multiprocessing/api.py:869]"
            " failed (exitcode: -6) local_rank: 2 (pid: 814) of binary: /usr/bin/python3",
        ]
        if n == 1:
            said.insert(
                -2,
                f"{nodes[1]}:813:1491 [7] include/socket.h:403 NCCL WARN socketProgress: Connection closed by"
                " remote peer 10.52.5.1<41822>",
            )
        put(place, f"pods/{names[n]}.log", said)
        more = [(begin - 5400, mmu(hall.bus(6), 91244, "python", rng))] if n == 0 else []
        still(place, f"dmesg/{nodes[n]}.txt", rng, hall, n, "dmesg -T", east, more, before=9000)
    again = gone + 391
    kernel(
        place,
        f"dmesg/{nodes[2]}.txt",
        [
            (
                again,
                "Linux version 5.15.0-1078-gke (buildd@lcy02-amd64-044) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0)"
                " #84-Ubuntu SMP",
            ),
            (again + 0.0002, "Command line: BOOT_IMAGE=/vmlinuz-5.15.0-1078-gke root=PARTUUID=ab1c3 ro console=ttyS0"),
            (again + 3.4, "EXT4-fs (sda1): INFO: recovery required on readonly filesystem"),
            (again + 3.5, "EXT4-fs (sda1): write access will be enabled during recovery"),
            (again + 4.9, "EXT4-fs (sda1): recovery complete"),
            (again + 5.0, "EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none."),
            (again + 6.1, "systemd[1]: Detected virtualization kvm."),
            (again + 31.7, "nvidia: loading out-of-tree module taints kernel."),
            (again + 33.2, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.01  Release Build"),
        ],
        "dmesg -T",
        east,
        nodes[2],
    )


def t11(place: Path, rng: Random) -> None:
    """A training on two pods that ended as planned."""
    begin = when(21, 9, 5, 12)
    start, end = begin + 130, begin + 70 * 60 + 22
    nodes = ["bj-h100-005", "bj-h100-009"]
    full = Work(engine=0.98, sm=0.82, tensor=0.5, dram=0.5, mib=68900, rx=2300, tx=2100)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 25 or t >= end:
            return FREE
        if t < start or t > end - 28:
            return held(68900 if t > start else 3300)
        return shake(full, f"{n}{g}{t}")

    hall = Hall("H100", nodes, 8, work, begin - 40, begin + 71 * 60 + 20, 10, 24111)
    for n, node in enumerate(nodes):
        matrix(place, f"{node}/dcgm.json", hall, bare(hall), only=[n], keep=coarse)
        veth = f"veth{rng.getrandbits(32):08x}"
        still(
            place,
            f"{node}/journal.txt",
            rng,
            hall,
            n,
            "journalctl",
            60,
            [(begin - 3, f"eth0: renamed from {veth}"), (end + 2, f"cni0: port 4({veth}) entered disabled state")],
        )
    said = []

    def say(t: float, text: str, level: str = "信息") -> None:
        said.append(f"{milli(t, 60)} [{level}] rank0 {text}")

    say(begin + 30, "世界大小=16，节点=2，种子=20261")
    say(begin + 44, "数据分片 part-00417.tar 读取失败（校验和错误），已跳过，使用备用分片", "警告")
    say(begin + 60, "torch.compile 回退到 eager：Unsupported: call_function BuiltinVariable(print)", "警告")
    say(begin + 96, "模型参数量 1.34B，优化器 AdamW，总步数 3600")
    say(start, "开始训练")
    each = (end - 40 - start) / 3600
    for step in range(1, 3601):
        t = start + step * each
        if step % 20 == 0:
            say(
                t,
                f"步 {step}/3600 损失 {learn(rng, step, 10.9, 2.42, 240, 0.008):.4f} 梯度范数"
                f" {abs(rng.gauss(0.6, 0.08)):.3f} 学习率 {3e-4 * min(1, step / 200) * (1 - 0.9 * step / 3600):.2e}"
                f" 吞吐 {rng.randint(13700, 14020) * 16} tok/s",
            )
        if step in (642, 2217):
            say(t + 0.2, "梯度范数异常 (38.2 > 10)，本步已裁剪，继续", "警告")
        if step == 1500:
            say(t + 0.3, "检查点上传对象存储超时 (ReadTimeoutError)，第 1 次重试", "错误")
            say(t + 14, "检查点上传成功 ckpt/step1500")
        if step % 600 == 0:
            say(t + 0.1, f"验证 损失 {learn(rng, step, 10.4, 2.5, 240, 0.004):.4f}")
    say(end - 22, "保存最终权重 ckpt/final（16 个分片）")
    say(end - 5, "训练完成，总用时 1 小时 8 分，共处理 3.77B tokens，退出码 0")
    said.append(
        "[rank0]:[W1021 11:15:30.114207330 ProcessGroupNCCL.cpp:1476] Warning: WARNING: destroy_process_group() was"
        " not called before program exit, which can leak resources."
    )
    put(place, "zh-base-master-0.log", said)
    pods(
        place,
        "pod.json",
        "llm-zh",
        "zh-base",
        ["zh-base-master-0", "zh-base-worker-0"],
        nodes,
        "harbor.bj.lan/llm/train:25.09",
        ["bash", "run.sh", "base_1b3"],
        8,
        (begin, end),
    )


def t12(place: Path, rng: Random) -> None:
    """A native crash of one of two processes."""
    begin = when(22, 13, 40, 18)
    start, end = begin + 48, begin + 82 * 60 + 31.6
    nodes = ["edge-l4-2", "edge-l4-7"]
    full = Work(engine=0.97, sm=0.7, tensor=0.32, dram=0.5, mib=17100, rx=700, tx=520)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 12 or t >= end + (2 if n == 0 else 0):
            return FREE
        return held(700) if t < start else shake(full, f"{n}{g}{t}", 0.9, 1.0)

    hall = Hall("L4", nodes, 1, work, begin - 45, begin + 84 * 60 + 15, 15, 24121)
    matrix(place, "gpu.json", hall, bare(hall))
    said = [
        f"ts={clock(begin + 13, 0, ISO)}Z rank=0 msg=start world=2 config=configs/depth_s.toml",
        f"ts={clock(begin + 30, 0, ISO)}Z rank=0 msg=dataset frames=912044 clips=3108",
        f"ts={clock(begin + 45, 0, ISO)}Z rank=0 msg=model params=24.81M amp=bf16",
    ]
    step, t = 0, start
    while t < end - 1:
        step += 1
        t += 0.334
        if step % 100 == 0:
            said.append(
                f"ts={clock(t, 0, ISO)}Z rank=0 step={step} loss={learn(rng, step, 0.94, 0.071, 800, 0.02):.5f}"
                f" lr={2e-4:.1e} it_s={rng.uniform(2.95, 3.02):.2f} data_ms={rng.uniform(3, 9):.1f}"
            )
        if step % 4000 == 0:
            said.append(f"ts={clock(t, 0, ISO)}Z rank=0 msg=checkpoint path=/srv/depth/s/{step}.pt")
    said += [
        "srun: error: edge-l4-7: task 1: Segmentation fault (core dumped)",
        "srun: Terminating StepId=8842.0",
        f"slurmstepd: error: *** STEP 8842.0 ON edge-l4-2 CANCELLED AT {clock(end + 1, 0, ISO)} ***",
        "srun: error: edge-l4-2: task 0: Terminated",
    ]
    put(place, "depth-s.8842.log", said)

    def entry(number: int, a: float, b: float, state: str, code: int, signal: int) -> dict[str, object]:
        ended = {
            "status": ["SIGNALED" if signal else "SUCCESS" if not code else "ERROR"],
            "return_code": {"set": not signal, "infinite": False, "number": code},
            "signal": {
                "id": {"set": bool(signal), "infinite": False, "number": signal},
                "name": "SIGSEGV" if signal == 11 else "",
            },
        }
        batch = {
            "status": ["ERROR" if signal or code else "SUCCESS"],
            "return_code": {"set": True, "infinite": False, "number": 139 if signal else code},
            "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
        }
        span = {"elapsed": int(b) - int(a), "start": int(a), "end": int(b)}
        return {
            "account": "perception",
            "allocation_nodes": 2,
            "cluster": "edge",
            "exit_code": batch,
            "derived_exit_code": ended,
            "job_id": number,
            "name": "depth-s",
            "nodes": "edge-l4-[2,7]",
            "partition": "l4",
            "restart_cnt": 0,
            "user": "bnowak",
            "state": {"current": [state], "reason": "None"},
            "time": {
                **span,
                "submission": int(a) - 12,
                "eligible": int(a) - 12,
                "suspended": 0,
                "limit": {"set": True, "infinite": False, "number": 480},
            },
            "steps": [
                {
                    "step": {"id": f"{number}.0", "name": "python"},
                    "state": [state],
                    "exit_code": ended,
                    "time": span,
                    "nodes": {"count": 2, "range": "edge-l4-[2,7]"},
                }
            ],
        }

    put(
        place,
        "sacct.json",
        json.dumps(
            {
                "jobs": [
                    entry(8817, begin - 9211, begin - 9030, "FAILED", 1, 0),
                    entry(8842, begin, end + 3, "FAILED", 0, 11),
                ],
                "meta": {"slurm": {"version": {"major": "24", "minor": "05", "micro": "4"}}},
                "errors": [],
                "warnings": [],
            },
            indent=2,
        )
        + "\n",
    )
    still(place, "edge-l4-2.dmesg", rng, hall, 0, "dmesg", 0)
    more = [
        (
            end - 0.7,
            "python[55172]: segfault at 18 ip 00007f1c5a2e41b7 sp 00007f1b9fffe2c0 error 4 in"
            " libavcodec.so.60.31.102[7f1c59e00000+9b1000] likely on CPU 11 (core 11, socket 0)",
        ),
        (end - 0.69, "Code: 48 8b 07 48 85 c0 74 22 48 8b 40 10 <48> 8b 40 18 c3 0f 1f 44 00 00 31 c0 c3"),
    ]
    still(place, "edge-l4-7.dmesg", rng, hall, 1, "dmesg", 0, more)


def t13(place: Path, rng: Random) -> None:
    """Batches came late through the whole run."""
    begin = when(23, 11, 2, 44)
    start, end = begin + 75, begin + 90 * 60 + 5
    nodes = ["orca1", "orca2"]
    busy = Work(engine=0.96, sm=0.7, tensor=0.4, dram=0.5, mib=52300, rx=2500, tx=800)
    period, duty = 13.7, 1.5

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 15 or t >= end:
            return FREE
        if t < start:
            return held(2400)
        return shake(busy, f"{n}{g}{t}") if (t - start) % period < duty else Work(mib=52300, rx=3)

    hall = Hall("H100", nodes, 2, work, begin - 60, begin + 91 * 60, 15, 24131)
    dmon(place, "orca1-dmon.txt", hall, 0, 0, "%Y-%m-%dT%H:%M:%S")
    said = [
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/4",
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 4 processes",
        "-" * 100,
        "",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1]",
        "",
        "  | Name    | Type          | Params | Mode ",
        "-" * 46,
        "0 | encoder | SwinUNETR     | 62.2 M | train",
        "1 | loss    | DiceCELoss    | 0      | train",
        "-" * 46,
        "62.2 M    Trainable params",
        "0         Non-trainable params",
        "62.2 M    Total params",
        "248.747   Total estimated model params size (MB)",
    ]
    total = int((end - 60 - start) / period)
    per = total // 6
    for e in range(6):
        for i in range(6, per + 1, 6):
            loss = learn(rng, e * per + i, 1.92, 0.31, 70, 0.03)
            at = i * period
            said.append(
                f"Epoch {e}: {100 * i // per:3d}%|{bar(i, per)}| {i}/{per} [{hms(at)}<{hms((per - i) * period)}, "
                f" {1 / period:.2f}it/s, v_num=12, train/loss={loss:.3f}]"
            )
    said += [
        "`Trainer.fit` stopped: `max_epochs=6` reached.",
        "FIT Profiler Report",
        "",
        "-" * 112,
        f"|  {'Action':<44}|  {'Mean duration (s)':<18}|  {'Num calls':<12}|  {'Total time (s)':<16}| "
        f" {'Percentage %':<10}|",
        "-" * 112,
    ]
    whole = end - 30 - start
    for name, mean, calls in (
        ("Total", 0.0, 0),
        ("run_training_epoch", per * period, 6),
        ("[_TrainingEpochLoop].train_dataloader_next", period - duty - 0.1, 6 * per),
        ("run_training_batch", duty, 6 * per),
        ("[Strategy]DDPStrategy.training_step", 0.51, 6 * per),
        ("[Strategy]DDPStrategy.backward", 0.86, 6 * per),
        ("[Callback]ModelCheckpoint.on_train_epoch_end", 1.9, 6),
    ):
        spent = whole if name == "Total" else mean * calls
        said.append(
            f"|  {name:<44}|  {'-' if not calls else f'{mean:.5g}':<18}|  {calls or 6 * per * 9:<12}|  {spent:<16.5g}|"
            f"  {100 * spent / whole:<10.5g}|"
        )
    said.append("-" * 112)
    put(place, "swin-liver.out", said)
    sacct(
        place,
        "sacct.txt",
        [
            job(
                "33071",
                "swin-liver",
                "h100",
                "COMPLETED",
                "0:0",
                (begin - 30, begin, end),
                0,
                "12:00:00",
                (2, "orca[1-2]"),
            ),
            job("33071.batch", "batch", "", "COMPLETED", "0:0", (begin, begin, end), 0, "", (1, "orca1")),
            job("33071.0", "python", "", "COMPLETED", "0:0", (begin + 2, begin + 2, end), 0, "", (2, "orca[1-2]")),
        ],
        bars=False,
    )
    for n, node in enumerate(nodes):
        still(place, f"{node}.journal", rng, hall, n, "journalctl", 0, (), "noble")


def t14(place: Path, rng: Random) -> None:
    """A zipformer that went through all its epochs."""
    east, begin = -360, when(26, 2, 30, 40)
    start, end = begin + 85, begin + 174 * 60 + 50
    nodes = ["speech-a", "speech-b"]
    full = Work(engine=0.95, sm=0.75, tensor=0.34, dram=0.55, mib=19800, rx=1200, tx=900)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 14 or t >= end:
            return FREE
        return held(600) if t < start else shake(full, f"{n}{g}{t}", 0.86, 1.0)

    hall = Hall("4090", nodes, 2, work, begin - 60, begin + 176 * 60, 30, 24141)
    matrix(place, "dcgm_range.json", hall, bare(hall), keep=coarse)
    said = []

    def say(t: float, where: str, text: str, level: str = "INFO") -> None:
        said.append(f"{milli(t, east)} {level} [{where}] (0/4) {text}")

    say(begin + 16, "train.py:1271", "Training started")
    say(begin + 17, "train.py:1281", "Device: cuda:0")
    say(begin + 24, "train.py:1301", "About to create model")
    say(begin + 26, "train.py:1305", "Number of model parameters: 65549011")
    say(begin + 40, "asr_datamodule.py:438", "About to get train cuts")
    say(
        begin + 58,
        "train.py:1393",
        "Exclude cut with ID 3184-77081-0031_sp0.9 from training. Duration: 0.87",
        "WARNING",
    )
    say(begin + 70, "train.py:1443", "Sanity check -- see if any of the batches in epoch 1 would cause OOM.")
    say(start - 4, "train.py:1471", "Maximum memory allocated so far is 17114MB")
    batches, epochs = 2350, 10
    each, t, scale = (end - 60 - start - epochs * 45) / (batches * epochs), start, 1.0
    for epoch in range(1, epochs + 1):
        for i in range(0, batches, 50):
            t += 50 * each
            step = (epoch - 1) * batches + i
            loss = learn(rng, step, 6.4, 0.21, 500, 0.03)
            frames = rng.randint(12100, 15900)
            if i == 0 or i % 50 == 0:
                say(
                    t,
                    "train.py:1119",
                    f"Epoch {epoch}, batch {i}, loss[loss={loss * rng.gauss(1, 0.05):.4g}, simple_loss="
                    f"{loss * 1.12:.4g}, pruned_loss={loss * 0.44:.4g}, over {frames}.00 frames. ],"
                    f" tot_loss[loss={loss:.4g},"
                    f" simple_loss={loss * 1.11:.4g}, pruned_loss={loss * 0.45:.4g}, over"
                    f" {min(i + 1, 200) * 14021:.2f} frames. ],"
                    f" batch size: {rng.randint(38, 160)}, lr: {4.5e-2 * (1 + (step / 7500) ** 2) ** -0.25:.2e},"
                    f" grad_scale: {scale},",
                )
            if i and i % 600 == 0:
                scale = min(32.0, scale * 2)
                say(
                    t + 0.4,
                    "optim.py:487",
                    "Clipping_scale=2.0, grad-norm quartiles"
                    f" {' '.join(f'{x:.3e}' for x in sorted(abs(rng.gauss(120, 40)) for _ in range(5)))},"
                    f" threshold={rng.uniform(210, 260):.3e}, percent-clipped={rng.uniform(0, 4):.1f}",
                    "WARNING",
                )
            if (epoch, i) in ((1, 350), (4, 1700)):
                say(t + 0.6, "optim.py:569", "Scaling gradients by 0.0231, model_norm_threshold=228.4", "WARNING")
                scale = max(0.25, scale / 2)
            if i == 1500:
                say(t + 0.2, "train.py:1142", "Computing validation loss")
                say(
                    t + 9,
                    "train.py:1151",
                    f"Epoch {epoch}, validation: loss={loss * 0.93:.4g}, simple_loss={loss * 1.02:.4g},"
                    f" pruned_loss={loss * 0.41:.4g}, over 944034.00 frames. ",
                )
        t += 45
        say(t - 40, "checkpoint.py:75", f"Saving checkpoint to zipformer/exp-tg/epoch-{epoch}.pt")
    say(t + 2, "train.py:1375", "Done!")
    put(place, "log-train-2026-10-25-20-30-56-0", said)
    for n, node in enumerate(nodes):
        more = (
            [(begin - 4000, "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0)")]
            if n
            else []
        )
        still(place, f"{node}_dmesg.txt", rng, hall, n, "dmesg -T", east, more, before=5000)


def t15(place: Path, rng: Random) -> None:
    """An end with exit code 1 and no reason given."""
    east, begin = -360, when(27, 16, 8, 3)
    end = begin + 17 * 60 + 48
    gen = Work(engine=0.93, sm=0.5, tensor=0.16, dram=0.62, mib=121400, rx=200, tx=150)
    fit = Work(engine=0.97, sm=0.8, tensor=0.5, dram=0.5, mib=129800, rx=500, tx=500)

    def work(_n: int, _g: int, t: float) -> Work:
        if t < begin + 70 or t >= end:
            return FREE
        if t < begin + 210:
            return held(16800)
        return shake(gen if (t - begin - 210) % 74 < 47 else fit, f"{t}")

    hall = Hall("H200", ["rl-box1"], 1, work, begin - 30, begin + 18 * 60 + 30, 5, 24151)
    smi_csv(
        place,
        "smi.csv",
        hall,
        0,
        east,
        (
            "index",
            "uuid",
            "temperature.gpu",
            "utilization.gpu",
            "memory.used",
            "power.draw",
            "clocks.current.sm",
            "clocks_event_reasons.active",
            "ecc.errors.uncorrected.volatile.total",
        ),
    )
    said = [
        f"{clock(begin + 22, east)},318\tINFO cli.py:39 -- Job submission server address: http://127.0.0.1:8265",
        "-------------------------------------------------------",
        "Job 'raysubmit_9fK2vXwTz1bLQe7M' submitted successfully",
        "-------------------------------------------------------",
        f"{clock(begin + 34, east)},902\tINFO worker.py:1554 -- Using address 10.66.1.20:6379 set in the environment"
        " variable RAY_ADDRESS",
        f"(LLMRayActor pid=6120) INFO {clock(begin + 74, east, '%m-%d %H:%M:%S')} [core.py:58] Initializing a"
        " V1 LLM engine"
        " (v0.8.5) with config: model='/models/qwen2.5-3b-instruct'",
        "(LLMRayActor pid=6120) \rLoading safetensors checkpoint shards: 100% Completed | 2/2 [00:04<00:00,  2.11s/it]",
        f"(LLMRayActor pid=6120) INFO {clock(begin + 172, east, '%m-%d %H:%M:%S')} [core.py:159] init engine"
        " (profile, create"
        " kv cache, warmup model) took 61.22 seconds",
        "(PolicyModelActor pid=6544) [INFO] [logging.py:107:log_dist] [Rank 0] DeepSpeed Final Optimizer = FusedAdam",
    ]
    t, step = begin + 210, 0
    while t + 74 < end - 8:
        step += 1
        t += 74
        said += [
            "(LLMRayActor pid=6120) \rProcessed prompts: 100%|██████████| 1024/1024 [00:45<00:00, 22.6it/s]",
            f"(PolicyModelActor pid=6544) \rTrain epoch [1/1]: 100%|██████████| 16/16 [00:24<00:00,  1.52s/it,"
            f" act_loss={rng.gauss(0, 0.006):.4f}, reward={0.21 + 0.014 * step + rng.gauss(0, 0.01):.3f}, return="
            f"{0.2 + 0.013 * step:.3f}, gen_len={rng.randint(420, 470)}, kl={0.0006 * step:.4f}, act_lr=5e-7]",
            f"(PPOTrainer pid=6480) {clock(t, east)}.{rng.randrange(100, 999)} | INFO | ✨ Global step {step}:"
            f" {{'policy_loss': {rng.gauss(0, 0.006):.5f}, 'kl': {0.0006 * step:.5f}, 'response_length':"
            f" {rng.uniform(420, 470):.2f}, 'reward': {0.21 + 0.014 * step:.4f}}}",
        ]
    said.append("(LLMRayActor pid=6120) \rProcessed prompts:  41%|████      | 421/1024 [00:21<00:30, 19.9it/s]")
    put(place, "grpo-1277.log", said)
    rows = step_rows(
        "1277",
        "grpo-q3b",
        "sfarouk",
        "h200",
        ("FAILED", "1:0"),
        ("FAILED", "1:0"),
        None,
        (begin, end),
        east,
        "billing=24,cpu=24,gres/gpu=1,mem=320G,node=1",
        "rl-box1",
        "rl-box1",
    )
    old = [
        [
            "1264",
            "cupy-fft",
            "gwen",
            "h200",
            "FAILED",
            "1:0",
            clock(begin - 7400, east, ISO),
            clock(begin - 5210, east, ISO),
            "00:36:30",
            "billing=8,cpu=8,gres/gpu=1,mem=64G,node=1",
            "rl-box1",
        ]
    ]
    account(place, "sacct.txt", [*old, *rows], HEADS, bars=True)
    more = [(begin - 5214, mmu(hall.bus(0), 2981, "python3", rng))]
    still(place, "dmesg.txt", rng, hall, 0, "dmesg -T", east, more, "noble", before=9000)


def t16(place: Path, rng: Random) -> None:
    """One task's exit code, and no words from that task."""
    east, begin = -480, when(28, 19, 33, 20)
    start, end = begin + 260, begin + 115 * 60 + 9
    nodes = ["sierra-12", "sierra-19"]
    full = Work(engine=0.99, sm=0.84, tensor=0.57, dram=0.5, mib=70100, rx=3100, tx=3000)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 45 or t >= end - (1 if (n, g) == (1, 3) else 0):
            return FREE
        return held(3700) if t < start else shake(full, f"{n}{g}{t}")

    hall = Hall("H100", nodes, 8, work, begin - 45, begin + 116 * 60 + 15, 15, 24161)
    for n, node in enumerate(nodes):
        smi_csv(
            place,
            f"smi/{node}.csv",
            hall,
            n,
            east,
            ("index", "temperature.gpu", "utilization.gpu", "memory.used", "power.draw", "clocks.current.sm"),
        )
    said = [
        "0: GPU available: True (cuda), used: True",
        "0: TPU available: False, using: 0 TPU cores",
        f"0: [NeMo I {clock(begin + 52, east)} nemo_logging:393] Experiments will be logged at"
        " /lustre/exp/nemotron4b/2026-10-28_11-34-12",
        f"0: [NeMo I {clock(begin + 61, east)} nemo_logging:393] Rank 0 has data parallel group : [0, 2, 4, 6,"
        " 8, 10, 12, 14]",
        f"0: [NeMo I {clock(begin + 61, east)} nemo_logging:393] All tensor model parallel group ranks: [[0,"
        " 1], [2, 3],"
        " [4, 5], [6, 7], [8, 9], [10, 11], [12, 13], [14, 15]]",
        "0: Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/16",
        f"0: [NeMo I {clock(begin + 190, east)} nemo_logging:393]  > number of parameters on (tensor, pipeline) model"
        " parallel rank (0 ,0): 2096234496",
        f"0: [NeMo W {clock(begin + 200, east)} nemo_logging:405] There is no log-interval set for the"
        " TensorBoard logger.",
    ]
    step, t = 0, start
    while t < end - 5:
        t += 4.71
        if step % 10 == 0:
            said.append(
                f"0: Training epoch 0, iteration {step}/19999 | lr: {min(3e-4, step * 6e-7):.4g} |"
                " global_batch_size: 256"
                f" | global_step: {step} | reduced_train_loss: {learn(rng, step, 11.6, 2.3, 190, 0.008):.4g} |"
                f" train_step_timing in s: {rng.gauss(4.69, 0.02):.4g} | consumed_samples: {256 * (step + 1)}"
            )
        step += 1
    said += [
        "srun: error: sierra-19: task 11: Exited with exit code 1",
        "srun: Terminating StepId=70718.0",
        f"0: slurmstepd: error: *** STEP 70718.0 ON sierra-12 CANCELLED AT {clock(end, east, ISO)} ***",
        "srun: error: sierra-19: tasks 8-10,12-15: Terminated",
        "srun: error: sierra-12: tasks 0-7: Terminated",
    ]
    put(place, "log-nemotron4b_70718.out", said)
    both = "sierra-[12,19]"
    sacct(
        place,
        "sacct.txt",
        [
            job(
                "70655",
                "md-long",
                "h100",
                "FAILED",
                "139:0",
                (begin - 19000, begin - 18000, begin - 3100),
                east,
                "08:00:00",
                (1, "sierra-12"),
            ),
            job(
                "70718",
                "nemotron4b",
                "h100",
                "FAILED",
                "1:0",
                (begin - 400, begin, end + 3),
                east,
                "08:00:00",
                (2, both),
            ),
            job("70718.bat+", "batch", "", "FAILED", "1:0", (begin, begin, end + 3), east, "", (1, "sierra-12")),
            job("70718.ext+", "extern", "", "COMPLETED", "0:0", (begin, begin, end + 3), east, "", (2, both)),
            job("70718.0", "python3", "", "FAILED", "1:0", (begin, begin + 5, end + 2), east, "", (2, both)),
        ],
        bars=False,
    )
    more = [(begin - 3104, mmu(hall.bus(5), 410772, "pmemd.cuda", rng))]
    still(place, "sierra-12.log", rng, hall, 0, "journalctl", east, more, "rocky", before=20000)
    still(place, "sierra-19.log", rng, hall, 1, "journalctl", east, (), "rocky", before=20000)
