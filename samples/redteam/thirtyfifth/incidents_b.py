"""SIMULATED incidents with GPU metrics, t09 to t16: whole jobs as an operator collects them. Nothing here was recorded on a GPU."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from samples.redteam.thirtyfifth import incidents_b_parts as parts
from samples.redteam.thirtyfifth.incidents_b_parts import Gpu, Phase, grid, kernel, local, loss, ordinary, sample, uuid

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def at(text: str, hours: int) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=timezone(timedelta(hours=hours))).timestamp()


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def clock(seconds: float) -> str:
    return f"{int(seconds) // 3600:02d}:{int(seconds) // 60 % 60:02d}:{int(seconds) % 60:02d}"


def t09_whisper_v100(place: Path, rng: Random) -> None:
    """Nine of twelve GPUs finetune a speech model to its end; GPU 3 of each node belongs to nobody."""
    zone, hosts = -8, ["volta-a03", "volta-a04", "volta-a07"]
    start = at("2026-02-11T13:06:22", zone)
    end = start + 32 * 60 + 9
    first, last = start + 96, end - 41
    lines = [
        "Starting job 771045 on volta-a[03-04,07] (3 nodes) at Wed Feb 11 13:06:22 PST 2026",
        "srun -N3 --ntasks-per-node=3 python -u finetune_asr.py --cfg conf/whisper_small_calls_v3.yaml",
    ]

    def say(when: float, rank: int, text: str) -> str:
        return f"{local(when, zone):%m-%d %H:%M:%S} r{rank:02d}@{hosts[rank // 3]} | {text}"

    lines += [
        say(
            start + 14 + rng.uniform(0, 5),
            rank,
            f"cuda:{rank % 3} Tesla V100-SXM2-32GB, torch 2.1.2+cu118, world 9",
        )
        for rank in rng.sample(range(9), 9)
    ]
    lines += [
        say(start + 31, 0, "model small, 241.7M parameters, encoder not frozen, fp16 + dynamic scale 2**15"),
        say(
            start + 33,
            0,
            "train 118,402 clips (164.2 h)  dev 2,011 clips   batch 9 x 16   3200 iterations planned, dev every 800",
        ),
    ]
    for rank in rng.sample(range(9), 9):
        lines.append(
            say(start + 70 + rng.uniform(0, 18), rank, f"shard {rank}/9: {13155 + rng.randint(0, 2)} clips, bucketed")
        )
    total = 3200
    pauses = {800: 22.0, 1600: 22.0, 2400: 22.0, 3200: 22.0}
    pace = (last - first - sum(pauses.values())) / total
    now = first
    for it in range(40, total + 1, 40):
        now += 40 * pace
        rate = 5.0e-5 * min(1, it / 200) * (1 - max(0, it - 200) / (total - 200)) + 1e-8
        for rank in rng.sample(range(9), 9):
            value = loss(it, 1.94, 0.19, 130) * rng.lognormvariate(0, 0.05)
            speed = 16 / pace * rng.uniform(0.99, 1.01)
            text = f"it {it:>4}/{total} loss {value:.4f} gn {rng.lognormvariate(-0.1, 0.18):.2f} lr {rate:.2e} {speed:.1f} clips/s"
            lines.append(say(now + rng.uniform(0, 0.4), rank, text + f" mem {25.1 + 0.03 * rank:.1f}G"))
        if it in pauses:
            now += pauses[it]
            lines.append(
                say(
                    now,
                    0,
                    f"dev: WER {9.4 + 13.1 / (1 + it / 500) ** 1.4:.2f} %  loss {loss(it, 1.9, 0.24, 120):.4f}  -> saved runs/calls_v3/it{it:05d}.pt",
                )
            )
        if it == 1200:
            lines.append(say(now + 1, 0, "fp16: inf in grads, scale 65536 -> 32768, step skipped"))
    lines.append(
        say(
            now + 3,
            0,
            f"{total}/{total} iterations, best dev at {total}; averaged last 3 checkpoints -> runs/calls_v3/avg.pt",
        )
    )
    for rank in rng.sample(range(9), 9):
        lines.append(say(now + 9 + rng.uniform(0, 1), rank, "bye"))
    lines.append(f"job 771045 finished rc=0 at {local(end, zone):%a %b %d %H:%M:%S} PST 2026")
    write(place / "whisper-calls-771045.out", lines)

    gpus, times = [], grid(start - 400, end + 420, 60)
    for host in hosts:
        for index in range(4):
            phases = [Phase(start - 9999)]
            if index < 3:
                phases += [
                    Phase(start + 22, 3, 2, 1330, 62),
                    Phase(first, 93, 3, 28210 + 37 * index, 254 + rng.uniform(-8, 8), mhz=1440, dip=0.11),
                    Phase(last - 6, 0, 0, 28210 + 37 * index),
                    Phase(end - 3),
                ]
            bus = ["0004:04:00.0", "0004:05:00.0", "0035:03:00.0", "0035:04:00.0"][index]
            gpus.append(sample(rng, Gpu(host, index, parts.V100, uuid(rng), bus, phases, rng.uniform(-1, 4)), times))
    parts.exporter(place / "prometheus", gpus)
    head = "JobID|JobName|User|Partition|AllocTRES|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NodeList"
    stamp = [f"{local(when, zone):%Y-%m-%dT%H:%M:%S}" for when in (start - 1243, start, end)]
    row = f"771045|whisper-calls|okonkwo|volta|billing=90,cpu=90,gres/gpu=9,mem=360G,node=3|COMPLETED|0:0|{'|'.join(stamp)}|{clock(end - start)}|02:00:00|3|volta-a[03-04,07]"
    write(place / "sacct.txt", [head, row])
    for host in hosts:
        kernel(place / "dmesg" / f"{host}.txt", "iso", host, zone, 0, ordinary(rng, start, end + 300))


def t10_rm_pod_no_log(place: Path, rng: Random) -> None:
    """One H100 in a pod: some minutes of work, then memory held and nothing on the engine until a probe ends it."""
    zone, host = -8, "gke-h100-pool-5c1d-x7kq"
    start = at("2026-01-20T15:41:08", zone)
    end = start + 26 * 60 + 14
    freeze = start + 61 + 214
    phases = [
        Phase(start - 9999),
        Phase(start + 19, 0, 0, 534),
        Phase(start + 38, 6, 4, 17190, 131),
        Phase(start + 61, 91, 5, 46744, 486, mhz=1980),
        Phase(freeze, 0, 0, 46744),
        Phase(end),
    ]
    gpu = sample(
        rng, Gpu(host, 0, parts.H100, uuid(rng), "00000000:04:00.0", phases, 2), grid(start - 420, end + 360, 10)
    )
    parts.dmon(place / f"dcgmi-dmon_{host}.log", [gpu], zone)

    def when(moment: float) -> str:
        return f"{local(moment, zone):%a, %d %b %Y %H:%M:%S} -0800"

    write(
        place / "kubectl-describe.txt",
        [
            "$ kubectl -n pref describe pod rm-pairwise-7b-0",
            "Name:             rm-pairwise-7b-0",
            "Namespace:        pref",
            "Priority:         0",
            "Service Account:  default",
            f"Node:             {host}/10.128.0.41",
            f"Start Time:       {when(start - 7)}",
            "Labels:           app=rm-pairwise",
            "                  owner=mlindqvist",
            "Annotations:      <none>",
            "Status:           Failed",
            "IP:               10.84.3.17",
            "Containers:",
            "  train:",
            "    Container ID:  containerd://5ad0b3c1e6f27c94b1aa0d9913cbf9ad1db57e9b4a4e4cd6f1a6b83a0c9d1720",
            "    Image:         us-docker.pkg.dev/acme-ml/train/rm:0.9.3",
            "    Port:          <none>",
            "    Host Port:     <none>",
            "    Command:",
            "      bash",
            "      -c",
            "      python -m rm.train --config /cfg/pairwise7b.yaml > /scratch/train.log 2>&1",
            "    State:          Terminated",
            "      Reason:       Error",
            "      Exit Code:    137",
            f"      Started:      {when(start)}",
            f"      Finished:     {when(end)}",
            "    Ready:          False",
            "    Restart Count:  0",
            "    Limits:",
            "      cpu:             20",
            "      memory:          200Gi",
            "      nvidia.com/gpu:  1",
            "    Requests:",
            "      cpu:             20",
            "      memory:          200Gi",
            "      nvidia.com/gpu:  1",
            "    Liveness:       exec [sh -c test $(( $(date +%s) - $(stat -c %Y /scratch/heartbeat) )) -lt 1200] delay=300s timeout=5s period=30s #success=1 #failure=3",
            "    Environment:",
            "      HEARTBEAT_FILE:  /scratch/heartbeat",
            "      HF_HUB_OFFLINE:  1",
            "    Mounts:",
            "      /cfg from cfg (ro)",
            "      /scratch from scratch (rw)",
            "Conditions:",
            "  Type              Status",
            "  Initialized       True",
            "  Ready             False",
            "  ContainersReady   False",
            "  PodScheduled      True",
            "Volumes:",
            "  scratch:",
            "    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)",
            "  cfg:",
            "    Type:      ConfigMap (a volume populated by a ConfigMap)",
            "    Name:      rm-pairwise-7b",
            "QoS Class:       Guaranteed",
            "Events:",
            "  Type     Reason     Age                    From               Message",
            "  ----     ------     ----                   ----               -------",
            "  Normal   Scheduled  34m                    default-scheduler  Successfully assigned pref/rm-pairwise-7b-0 to "
            + host,
            '  Normal   Pulled     34m                    kubelet            Container image "us-docker.pkg.dev/acme-ml/train/rm:0.9.3" already present on machine',
            "  Normal   Created    34m                    kubelet            Created container train",
            "  Normal   Started    34m                    kubelet            Started container train",
            "  Warning  Unhealthy  8m47s (x3 over 9m47s)  kubelet            Liveness probe failed: ",
            "  Normal   Killing    8m47s                  kubelet            Stopping container train",
        ],
    )
    write(
        place / "kubectl-get.txt",
        [
            "$ kubectl -n pref get pods -o wide",
            "NAME                 READY   STATUS    RESTARTS   AGE   IP           NODE                      NOMINATED NODE   READINESS GATES",
            f"rm-pairwise-7b-0     0/1     Error     0          34m   10.84.3.17   {host}   <none>           <none>",
        ],
    )
    kernel(
        place / "dmesg" / f"{host}.txt",
        "-T",
        host,
        zone,
        0,
        ordinary(rng, start, end, ["IPv6: ADDRCONF(NETDEV_CHANGE): gke5f0c1e: link becomes ready"]),
    )


def t11_zh_sifenzhiyi(place: Path, rng: Random) -> None:
    """Eight 4090 on four nodes learn for five hours, then one node is gone."""
    zone, hosts = -8, ["rtx-n11", "rtx-n12", "rtx-n13", "rtx-n14"]
    start = at("2026-02-03T19:22:47", zone)
    gone = start + 302 * 60 + 37.4
    end = start + 308 * 60 + 12
    lost = hosts[2]
    lines = [
        "作业 58213 节点 rtx-n[11-14] 开始 2026-02-03 19:22:47",
        "torchrun --nnodes=4 --nproc_per_node=2 --rdzv_backend=c10d --rdzv_endpoint=rtx-n11:29571 xunlian.py --peizhi peizhi/fayin_1b3.toml",
    ]

    def say(when: float, text: str, level: str = "信息") -> str:
        return f"[{local(when, zone):%Y-%m-%d %H:%M:%S}] {level} {text}"

    lines += [
        say(start + 24, "进程组已就绪 world=8 后端=nccl 主节点=rtx-n11"),
        say(start + 29, "随机种子 3407;混合精度 bf16;ZeRO-1;激活重计算 开"),
        say(start + 57, "模型 fayin-1b3 参数量 1,312,456,704;词表 64000"),
        say(start + 61, "数据 /data/yuliao/v7 共 31.4B token,本次计划 26000 步,每步 98304 token"),
        say(start + 61, "未找到检查点,从头开始", "警告"),
    ]
    first, step, now = start + 75, 0, start + 75
    pace = 1.412
    while True:
        step += 50
        now += 50 * pace * rng.uniform(0.995, 1.006)
        if now >= gone:
            break
        value = loss(step, 11.05, 2.31, 420, 0.72) + rng.gauss(0, 0.018)
        rate = 3e-4 * min(1, step / 1000)
        lines.append(
            say(
                now,
                f"步 {step}/26000 | 损失 {value:.4f} | 学习率 {rate:.3e} | 梯度范数 {rng.lognormvariate(-0.6, 0.15):.3f} | {98304 / pace / 1000 * rng.uniform(0.995, 1.005):.1f}k token/秒 | 显存 20.7GB",
            )
        )
        if step % 2000 == 0:
            now += 31
            lines.append(
                say(
                    now,
                    f"检查点已保存 /data/jieguo/fayin_1b3/bu_{step:06d} ({rng.uniform(14.5, 14.6):.2f} GiB, 用时 {rng.uniform(27, 31):.1f} 秒)",
                )
            )
            lines.append(
                say(
                    now + 9,
                    f"验证集 损失 {loss(step, 11.05, 2.36, 420, 0.72):.4f} 困惑度 {2.718281828 ** loss(step, 11.05, 2.36, 420, 0.72):.2f}",
                )
            )
            now += 9
    lines += [
        f"srun: error: Node failure on {lost}",
        f"slurmstepd: error: *** STEP 58213.0 ON {hosts[0]} CANCELLED AT {local(end - 1, zone):%Y-%m-%dT%H:%M:%S} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        f"slurmstepd: error: *** JOB 58213 ON {hosts[0]} CANCELLED AT {local(end - 1, zone):%Y-%m-%dT%H:%M:%S} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    write(place / "slurm-58213.out", lines)
    times = grid(start - 480, end + 540, 60)
    for host in hosts:
        gpus = []
        for index in range(2):
            held = 21540 + rng.randint(-40, 60)
            phases = [
                Phase(start - 9999),
                Phase(start + 27, 4, 3, 1690, 66),
                Phase(first, 98, 1.5, held, 448, mhz=2640, cap=True, dip=0.024),
                Phase(gone, 100, 0, held, 128 + rng.uniform(-5, 5), mhz=2760),
                Phase(end - 1),
            ]
            bus = ["00000000:01:00.0", "00000000:41:00.0"][index]
            gpus.append(
                sample(
                    rng,
                    Gpu(host, index, parts.R4090, uuid(rng), bus, phases, 2 + 3 * index + rng.uniform(-1, 1)),
                    times,
                )
            )
        parts.smi_csv(place / "gpu" / f"nvsmi_{host}.csv", rng, gpus, zone, gone if host == lost else 1e12, ecc=False)
        events = ordinary(rng, start, gone, ["usb 1-3: new full-speed USB device number 4 using xhci_hcd"])
        path = place / "journal" / f"{host}.log"
        kernel(path, "journalctl", host, zone, 0, events)
        if host == lost:
            back = gone + 41 * 60
            boot = [
                (
                    back,
                    "Linux version 5.15.0-130-generic (buildd@lcy02-amd64-012) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0) #140-Ubuntu SMP",
                ),
                (
                    back,
                    "Command line: BOOT_IMAGE=/vmlinuz-5.15.0-130-generic root=UUID=6f1c0d52-90c5-4a3e-9d4c-0d0f5a0ab6f1 ro quiet",
                ),
                (back, "BIOS-provided physical RAM map:"),
                (back + 1, "DMI: ASUSTeK COMPUTER INC. ESC4000A-E12/K14PG-D24, BIOS 1301 03/07/2025"),
                (back + 9, "EXT4-fs (nvme0n1p2): recovery complete"),
                (
                    back + 9,
                    "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none.",
                ),
                (back + 14, "nvidia-nvlink: Nvlink Core is being initialized, major device number 510"),
                (back + 15, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.05  Tue Oct  8 03:22:07 UTC 2024"),
            ]
            text = path.read_text()
            kernel(path, "journalctl", host, zone, 0, boot)
            path.write_text(text + "-- Boot 0c9b27f1d3c94d52a6c1b0b4c4ce17aa --\n" + path.read_text())
    stamp = [f"{local(when, zone):%Y-%m-%dT%H:%M:%S}" for when in (start - 61, start, end)]
    write(
        place / "sacct_58213.txt",
        [
            "JobID|JobName|Partition|Account|AllocTRES|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NodeList",
            f"58213|fayin_1b3|rtx|yuyin|billing=128,cpu=128,gres/gpu=8,mem=800G,node=4|NODE_FAIL|0:0|{'|'.join(stamp)}|{clock(end - start)}|2-00:00:00|rtx-n[11-14]",
        ],
    )
    write(
        place / "sinfo_-R.txt",
        [
            "REASON               USER      TIMESTAMP           NODELIST",
            f"Not responding       slurm     {local(end - 2, zone):%Y-%m-%dT%H:%M:%S} {lost}",
        ],
    )


def t12_olmo_a40_two_pods(place: Path, rng: Random) -> None:
    """OLMo-core on two pods with an A40 each; signal 9 ends the rank of the second."""
    hosts, pods, pids = ["k8s-a40-07", "k8s-a40-11"], ["olmo190m-c4-0", "olmo190m-c4-1"], [71, 68]
    start = at("2026-03-17T07:12:33", 0)
    kill = start + 32 * 60 + 51.2
    first = start + 83
    ends = [kill + 3.9, kill + 2.6]

    def say(when: float, pod: int, name: str, line: int, text: str, level: str = "INFO") -> str:
        stamp = f"{local(when, 0):%Y-%m-%d %H:%M:%S}.{int(when % 1 * 1000):03d}"
        return f"{stamp}\t{pods[pod]}:0\tolmo_core.{name}:{line}\t{level}\t{text}"

    logs: list[list[str]] = [[], []]
    for pod in (0, 1):
        off = start + 16 + 1.3 * pod
        logs[pod] += [
            say(
                off,
                pod,
                "train",
                118,
                f"Setting up distributed training... rank {pod}, world size 2, backend 'cpu:gloo,cuda:nccl'",
            ),
            say(
                off + 1.7,
                pod,
                "internal.experiment",
                402,
                "Building model with 190,354,176 total params (151,879,680 non-embedding)",
            ),
            say(
                off + 6.1,
                pod,
                "train.train_module.transformer.train_module",
                141,
                "Applied FSDP to the model with param_dtype=torch.bfloat16, reduce_dtype=torch.float32",
            ),
            say(
                off + 8.0,
                pod,
                "data.numpy_dataset",
                1207,
                "Reading dataset metadata from /data/c4-dolma2/part-*.npy (38 files)...",
            ),
            say(
                off + 31.4,
                pod,
                "data.data_loader",
                604,
                "Using existing global data order indices file at '/work/cache/dataset-5c01/global_indices_seed34521_epoch1.npy'",
            ),
            say(
                off + 31.9,
                pod,
                "train.trainer",
                871,
                "Global batch size: 262,144 tokens, rank micro-batch: 16,384 tokens",
            ),
            say(off + 32.0, pod, "train.trainer", 640, "Will train for 1 epochs, 12,400 steps"),
        ]
    pace, step = 1.914, 0
    logs[0].append(
        say(
            first - 2,
            0,
            "train.checkpoint",
            312,
            "No checkpoint found in '/work/runs/olmo190m-c4', will train from scratch",
            "WARNING",
        )
    )
    when = first
    while when + 10 * pace < kill:
        step += 10
        when += 10 * pace * rng.uniform(0.996, 1.004)
        if step > 10 and step % 500 == 10:
            continue
        value = loss(step, 11.2, 2.9, 60, 0.66) + rng.gauss(0, 0.03)
        left = int((12400 - step) * pace)
        tps = 131072 / pace * rng.uniform(0.996, 1.004)
        text = (
            f"[step={step}/12400,epoch=1/1,eta={left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}]\n"
            f"    optim/LR (group 0)={4e-4 * min(1, step / 2000):.6f}\n    optim/total grad norm={rng.lognormvariate(-0.5, 0.2):.4f}\n"
            f"    throughput/device/TPS={tps:,.0f}\n    throughput/device/data loading (%)={rng.uniform(0.1, 0.4):.3f}\n"
            f"    train/CE loss={value:.4f}\n    train/PPL={2.718281828**value:,.2f}\n    train/Z loss={rng.uniform(0.0011, 0.0016):.5f}"
        )
        logs[0].append(say(when, 0, "train.callbacks.console_logger", 92, text))
        if step % 500 == 0:
            logs[0].append(
                say(
                    when + 0.2,
                    0,
                    "train.callbacks.checkpointer",
                    331,
                    f"Saving ephemeral checkpoint for step {step} to '/work/runs/olmo190m-c4/step{step}'...",
                )
            )
            logs[0].append(say(when + 5.3, 0, "train.callbacks.checkpointer", 345, "Checkpoint saved"))
            when += 5.1
    stamp = f"{local(ends[1] - 1.1, 0):%m%d %H:%M:%S}"
    logs[1] += [
        f"E{stamp}.{rng.randint(100000, 999999)} 1 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -9) local_rank: 0 (pid: {pids[1]}) of binary: /opt/conda/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/run.py", line 919, in main',
        "    run(args)",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/run.py", line 910, in run',
        "    elastic_launch(",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 138, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=======================================================",
        "src/scripts/train/olmo190m_c4.py FAILED",
        "-------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {local(kill + 1.0, 0):%Y-%m-%d_%H:%M:%S}",
        f"  host      : {pods[1]}.olmo190m-c4.pretrain.svc.cluster.local",
        "  rank      : 1 (local_rank: 0)",
        f"  exitcode  : -9 (pid: {pids[1]})",
        "  error_file: <N/A>",
        f"  traceback : Signal 9 (SIGKILL) received by PID {pids[1]}",
        "=======================================================",
    ]
    logs[0] += [
        f"[rank0]:[W{local(kill + 0.9, 0):%m%d %H:%M:%S}.118204417 ProcessGroupNCCL.cpp:1772] [PG ID 0 PG GUID 0(default_pg) Rank 0] NCCL work WorkNCCL(SeqNum=41877, OpType=_REDUCE_SCATTER_BASE) saw a remote error",
        "[rank0]: Traceback (most recent call last):",
        '[rank0]:   File "/app/src/scripts/train/olmo190m_c4.py", line 151, in <module>',
        "[rank0]:     train(config)",
        '[rank0]:   File "/app/src/scripts/train/olmo190m_c4.py", line 139, in train',
        "[rank0]:     trainer.fit()",
        '[rank0]:   File "/app/src/olmo_core/train/trainer.py", line 655, in fit',
        "[rank0]:     self._fit_epoch()",
        '[rank0]:   File "/app/src/olmo_core/train/trainer.py", line 1098, in _fit_epoch',
        "[rank0]:     self.train_module.train_batch(batch)",
        '[rank0]:   File "/app/src/olmo_core/train/train_module/transformer/train_module.py", line 411, in train_batch',
        "[rank0]:     loss.backward()",
        '[rank0]:   File "/opt/conda/lib/python3.11/site-packages/torch/_tensor.py", line 581, in backward',
        "[rank0]:     torch.autograd.backward(",
        '[rank0]:   File "/opt/conda/lib/python3.11/site-packages/torch/autograd/graph.py", line 825, in _engine_run_backward',
        "[rank0]:     return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
        "[rank0]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:268, remote process exited or there was a network error, NCCL version 2.21.5",
        "[rank0]: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        "[rank0]: Last error:",
        "[rank0]: socketProgress: Connection closed by remote peer 10-244-9-31.olmo190m-c4.pretrain.svc.cluster.local<47122>",
        f"E{local(kill + 3.1, 0):%m%d %H:%M:%S}.662013 1 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 0 (pid: {pids[0]}) of binary: /opt/conda/bin/python",
        *logs[1][logs[1].index("Traceback (most recent call last):") : logs[1].index("[0]:") + 1],
        f"  time      : {local(kill + 3.0, 0):%Y-%m-%d_%H:%M:%S}",
        f"  host      : {pods[0]}.olmo190m-c4.pretrain.svc.cluster.local",
        "  rank      : 0 (local_rank: 0)",
        f"  exitcode  : 1 (pid: {pids[0]})",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "=======================================================",
    ]
    for pod in (0, 1):
        write(place / f"{pods[pod]}.log", logs[pod])

    gpus, times = [], grid(start - 300, ends[0] + 300, 5)
    for pod, host in enumerate(hosts):
        held = 37310 + 22 * pod
        phases = [
            Phase(start - 9999),
            Phase(start + 18, 2, 2, 812, 79),
            Phase(first - 9, 15, 10, 14020, 110),
            Phase(first, 96, 2, held, 268 + 6 * pod, 0.83, 0.31, 0.52, 1500, dip=0.008),
        ]
        phases += [Phase(kill)] if pod else [Phase(kill, 100, 0, held, 118, 0.06, 0, 0.01, 1740), Phase(kill + 3)]
        gpus.append(sample(rng, Gpu(host, 0, parts.A40, uuid(rng), "00000000:CA:00.0", phases, 3 * pod), times))

    def labels(gpu: Gpu, now: float) -> dict[str, str]:
        pod = hosts.index(gpu.host)
        if start + 6 <= now < ends[pod]:
            return {
                "exported_container": "olmo",
                "exported_namespace": "pretrain",
                "exported_pod": pods[pod],
                "pod": f"dcgm-exporter-{'kz8vt' if pod else 'p2x4m'}",
            }
        return {"pod": f"dcgm-exporter-{'kz8vt' if pod else 'p2x4m'}"}

    keep = (
        "DCGM_FI_DEV_MEM_CLOCK",
        "DCGM_FI_DEV_MEMORY_TEMP",
        "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    )
    parts.query_range(
        place / "prom",
        gpus,
        skip=keep,
        labels=labels,
        instance=lambda gpu: f"10.244.{7 + hosts.index(gpu.host) * 2}.12:9400",
    )

    lines = []
    for pod, host in enumerate(hosts):
        lines += [
            f"Name:             {pods[pod]}",
            "Namespace:        pretrain",
            f"Node:             {host}/192.168.40.{107 + 4 * pod}",
            f"Start Time:       {local(start - 4, 0):%a, %d %b %Y %H:%M:%S} +0000",
            f"Labels:           batch.kubernetes.io/job-completion-index={pod}",
            "                  job-name=olmo190m-c4",
            "Status:           Failed",
            f"IP:               10.244.{7 + 2 * pod}.{18 + 13 * pod}",
            "Controlled By:    Job/olmo190m-c4",
            "Containers:",
            "  olmo:",
            "    Image:         registry.lab.internal/olmo-core:2.1.0-cu124",
            "    Command:       torchrun --nnodes=2 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-endpoint=olmo190m-c4-0.olmo190m-c4:29400 src/scripts/train/olmo190m_c4.py",
            "    State:          Terminated",
            "      Reason:       Error",
            "      Exit Code:    1",
            f"      Started:      {local(start, 0):%a, %d %b %Y %H:%M:%S} +0000",
            f"      Finished:     {local(ends[pod], 0):%a, %d %b %Y %H:%M:%S} +0000",
            "    Ready:          False",
            "    Restart Count:  0",
            "    Limits:",
            "      memory:          96Gi",
            "      nvidia.com/gpu:  1",
            "    Requests:",
            "      cpu:             12",
            "      memory:          64Gi",
            "      nvidia.com/gpu:  1",
            "QoS Class:       Burstable",
            "Events:",
            "  Type    Reason     Age   From               Message",
            "  ----    ------     ----  ----               -------",
            f"  Normal  Scheduled  41m   default-scheduler  Successfully assigned pretrain/{pods[pod]} to {host}",
            '  Normal  Pulled     41m   kubelet            Container image "registry.lab.internal/olmo-core:2.1.0-cu124" already present on machine',
            "  Normal  Created    41m   kubelet            Created container olmo",
            "  Normal  Started    41m   kubelet            Started container olmo",
            "",
        ]
    write(place / "describe-pods.txt", lines)


def t13_reclamaciones_es(place: Path, rng: Random) -> None:
    """Two pods end with exit code 1 in healthy training; what they wrote to standard error is gone."""
    hosts, pods = ["nodo-gpu-04", "nodo-gpu-09"], ["clasif-reclam-master-0", "clasif-reclam-worker-0"]
    start = at("2026-04-14T09:31:12", 0)
    end = start + 53 * 60 + 4
    first = start + 71
    jitter = [rng.uniform(0.99, 1.01) for _ in range(200)]
    for pod in (0, 1):
        lines = [
            f"{local(start + 9 + pod, 0):%d/%m/%Y %H:%M:%S} [{pod}] Dispositivo: Tesla V100-SXM2-32GB (32,5 GB)  proceso {pod} de 2",
            f"{local(start + 18 + pod, 0):%d/%m/%Y %H:%M:%S} [{pod}] Modelo: bertin-roberta-base (124,6 M de parámetros), capa final nueva de 43 clases",
            f"{local(start + 44 + pod, 0):%d/%m/%Y %H:%M:%S} [{pod}] Corpus: 812.440 reclamaciones de entrenamiento, 24.000 de validación",
            f"{local(start + 45 + pod, 0):%d/%m/%Y %H:%M:%S} [{pod}] Plan: 3 épocas, 19.041 pasos, lote 64 x 2, fp16",
        ]
        step, now, pace = 0, first, 0.3014
        while now + 100 * pace < end - 4:
            step += 100
            now += 100 * pace * jitter[step // 100]
            value = loss(step, 3.71, 0.61, 500, 0.8) * rng.lognormvariate(0, 0.035)
            text = f"época {step // 6347 + 1} paso {step:>5}/19041  pérdida {value:.4f}  acierto {0.87 - 0.84 / (1 + step / 420) ** 0.9 + rng.gauss(0, 0.006):.3f}  lr {5e-5 * (1 - step / 19041):.2e}  {1 / pace * rng.uniform(0.99, 1.01):.2f} pasos/s"
            lines.append(f"{local(now + 0.1 * pod, 0):%d/%m/%Y %H:%M:%S} [{pod}] {text.replace('.', ',')}")
            if step % 3000 == 0:
                now += 34
                if not pod:
                    lines.append(
                        f"{local(now, 0):%d/%m/%Y %H:%M:%S} [0] Validación: F1 macro {0.801 - 0.31 / (1 + step / 1500):.4f}; guardado /modelos/reclam/paso_{step}.pt".replace(
                            " 0.", " 0,"
                        )
                    )
        write(place / f"{pods[pod]}.log", lines)
    gpus, times = [], grid(start - 360, end + 420, 15)
    for pod, host in enumerate(hosts):
        held = 23846 + 10 * pod
        phases = [
            Phase(start - 9999),
            Phase(start + 12, 2, 2, 1190, 60),
            Phase(first, 92, 3, held, 241 + 5 * pod, 0.74, 0.22, 0.47, 1455, dip=0.022),
            Phase(end - 2),
        ]
        gpus.append(sample(rng, Gpu(host, 0, parts.V100, uuid(rng), "00000000:3B:00.0", phases, 2 * pod), times))

    def labels(gpu: Gpu, now: float) -> dict[str, str]:
        if start + 5 <= now < end:
            return {"container": "pytorch", "namespace": "pln", "pod": pods[hosts.index(gpu.host)]}
        return {}

    keep = (
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
        "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
        "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    )
    parts.query_range(place / "metricas", gpus, skip=keep, labels=labels, driver="535.161.08", scrape="gpu-metrics")
    old = start - 6 * 86400 - 4310
    lines = [
        "### guardado 2026-04-08 11:02 (ejecución anterior)",
        "$ kubectl -n pln get pytorchjob clasif-reclam",
        "NAME            STATE       AGE",
        "clasif-reclam   Succeeded   134m",
        "$ kubectl -n pln get pods -l training.kubeflow.org/job-name=clasif-reclam",
        "NAME                     READY   STATUS      RESTARTS   AGE",
        "clasif-reclam-master-0   0/1     Completed   0          134m",
        "clasif-reclam-worker-0   0/1     Completed   0          134m",
        "$ kubectl -n pln get pod clasif-reclam-master-0 -o jsonpath='{.status.containerStatuses[0].state}'",
        f'{{"terminated":{{"exitCode":0,"finishedAt":"{local(old + 5790, 0):%Y-%m-%dT%H:%M:%SZ}","reason":"Completed","startedAt":"{local(old, 0):%Y-%m-%dT%H:%M:%SZ}"}}}}',
        "",
        "### 2026-04-14",
    ]
    for pod, host in enumerate(hosts):
        lines += [
            f"$ kubectl -n pln describe pod {pods[pod]}",
            f"Name:             {pods[pod]}",
            "Namespace:        pln",
            f"Node:             {host}/172.16.8.{24 + 5 * pod}",
            f"Start Time:       {local(start - 3, 0):%a, %d %b %Y %H:%M:%S} +0000",
            "Labels:           training.kubeflow.org/job-name=clasif-reclam",
            f"                  training.kubeflow.org/replica-type={'worker' if pod else 'master'}",
            "Status:           Failed",
            "Controlled By:    PyTorchJob/clasif-reclam",
            "Containers:",
            "  pytorch:",
            "    Image:         harbor.interno/pln/clasif:2026.04",
            "    Command:",
            "      sh",
            "      -c",
            "      python entrena.py --conf reclam.ini 2>/tmp/errores.txt",
            "    State:          Terminated",
            "      Reason:       Error",
            "      Exit Code:    1",
            f"      Started:      {local(start, 0):%a, %d %b %Y %H:%M:%S} +0000",
            f"      Finished:     {local(end, 0):%a, %d %b %Y %H:%M:%S} +0000",
            "    Ready:          False",
            "    Restart Count:  0",
            "    Limits:",
            "      memory:          64Gi",
            "      nvidia.com/gpu:  1",
            "Events:",
            "  Type    Reason     Age   From               Message",
            "  ----    ------     ----  ----               -------",
            f"  Normal  Scheduled  61m   default-scheduler  Successfully assigned pln/{pods[pod]} to {host}",
            "  Normal  Started    61m   kubelet            Started container pytorch",
            "",
        ]
    write(place / "kubectl.txt", lines)
    for host in hosts:
        kernel(
            place / "syslog" / f"{host}.log",
            "syslog",
            host,
            0,
            start - 2213441.7,
            ordinary(rng, start, end + 200, ["cni0: port 7(veth3a1f90c2) entered forwarding state"]),
        )


def t14_vlm_sft(place: Path, rng: Random) -> None:
    """Two H200 begin a finetune and have to give way after six minutes."""
    zone, hosts = 9, ["hop-r2n05", "hop-r2n06"]
    start = at("2026-05-19T22:04:51", zone)
    notice = start + 5 * 60 + 22
    end = notice + 34
    first = start + 68

    def say(when: float, text: str, name: str = "sft", level: str = "INFO") -> str:
        return f"{local(when, zone):%Y-%m-%d %H:%M:%S},{int(when % 1 * 1000):03d} {level:<8} {name}: {text}"

    lines = [
        "SLURM_JOB_ID=319877 SLURM_JOB_QOS=scavenge SLURM_RESTART_COUNT=0 nodes=hop-r2n[05-06]",
        say(start + 11.2, "rank 0/2 on hop-r2n05, cuda:0 = NVIDIA H200"),
        say(start + 11.9, "rank 1/2 on hop-r2n06, cuda:0 = NVIDIA H200"),
        say(start + 13.0, "loading Qwen2.5-VL-7B-Instruct from /models/qwen25vl7b", "sft.model"),
        say(start + 39.6, "8.29B parameters, vision tower frozen, 7.61B trainable, FSDP full shard, bf16", "sft.model"),
        say(start + 47.3, "chartqa+docvqa mix: 61,204 samples, global batch 32, 1912 steps planned", "sft.data"),
        say(start + 47.4, "1 sample longer than 16384 tokens was truncated", "sft.data", "WARNING"),
    ]
    step, now, pace = 0, first, 2.46
    while now + 5 * pace < notice + 1:
        step += 5
        now += 5 * pace * rng.uniform(0.985, 1.015)
        value = loss(step, 1.62, 0.55, 30, 0.7) * rng.lognormvariate(0, 0.03)
        lines.append(
            say(
                now,
                f"step {step}/1912 loss {value:.4f} grad_norm {rng.lognormvariate(0.7, 0.15):.3f} lr {1e-5 * min(1, step / 96):.2e} {32 / pace * rng.uniform(0.98, 1.02):.2f} samples/s",
            )
        )
    at_stop = step + int((notice + 1 - now) / pace) + 1
    lines += [
        f"slurmstepd: error: *** STEP 319877.0 ON hop-r2n05 CANCELLED AT {local(notice, zone):%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** JOB 319877 ON hop-r2n05 CANCELLED AT {local(notice, zone):%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***",
        say(notice + 0.4, "signal 15, will save after this step", "sft.signals", "WARNING"),
        say(notice + 0.4, "signal 15, will save after this step", "sft.signals", "WARNING"),
        say(notice + 2.9, f"saving /scratch/ykim/vlm-sft/step_{at_stop:05d}", "sft.ckpt"),
        say(notice + 29.7, f"saved step_{at_stop:05d} (91.4 GB in 26.8 s)", "sft.ckpt"),
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    write(place / "vlm-sft-319877.log", lines)
    times = grid(start - 300, end + 420, 30)
    for node, host in enumerate(hosts):
        held = 118604 + 12 * node
        phases = [
            Phase(start - 9999),
            Phase(start + 14, 3, 2, 1520, 130),
            Phase(start + 41, 8, 5, 38214, 140),
            Phase(first, 99, 1, held, 695, mhz=1830, cap=True),
            Phase(notice + 3, 2, 2, held, 131),
            Phase(end),
            Phase(end + 47, 2, 2, 1034, 128),
            Phase(end + 128, 100, 0, 136820, 661, mhz=1935),
        ]
        gpus = [sample(rng, Gpu(host, 0, parts.H200, uuid(rng), "00000000:9B:00.0", phases, node), times)]
        parts.smi_csv(place / f"smi-{host}.csv", rng, gpus, zone)
        kernel(place / f"dmesg-{host}.txt", "-T", host, zone, 0, ordinary(rng, start, end + 300))


def t15_icefall_zipformer(place: Path, rng: Random) -> None:
    """An icefall recipe on eight A100 whose process 5 dies in a native library."""
    zone, host = -6, "dgx-07"
    start = at("2026-01-28T10:14:30", zone)
    fault = start + 36 * 60 + 48.3
    end = fault + 9
    first, pids = start + 112, [401217 + rank for rank in range(8)]

    def say(when: float, rank: int, line: int, text: str, name: str = "train.py", level: str = "INFO") -> str:
        return f"{local(when, zone):%Y-%m-%d %H:%M:%S},{int(when % 1 * 1000):03d} {level} [{name}:{line}] ({rank}/8) {text}"

    lines = []
    for rank in rng.sample(range(8), 8):
        lines.append(say(start + 21 + rng.uniform(0, 4), rank, 1138, "Training started"))
        lines.append(say(start + 26 + 0.01 * rank, rank, 1148, f"Device: cuda:{rank}"))
    lines += [
        say(
            start + 26.4,
            0,
            1157,
            "{'best_train_loss': inf, 'best_valid_loss': inf, 'best_train_epoch': -1, 'best_valid_epoch': -1, 'batch_idx_train': 0, 'log_interval': 50, 'reset_interval': 200, 'valid_interval': 3000, 'feature_dim': 80, 'subsampling_factor': 4, 'env_info': {'k2-version': '1.24.4', 'k2-build-type': 'Release', 'torch-version': '2.2.1+cu121', 'torch-cuda-version': '12.1', 'python-version': '3.10', 'hostname': 'dgx-07'}, 'world_size': 8, 'master_port': 12371, 'num_epochs': 40, 'start_epoch': 1, 'exp_dir': PosixPath('zipformer/exp-yt-v2'), 'bpe_model': 'data/lang_bpe_500/bpe.model', 'base_lr': 0.045, 'max_duration': 1000, 'use_fp16': True, 'num_workers': 2, 'on_the_fly_feats': True, 'vocab_size': 500}",
        ),
        say(start + 26.6, 0, 1159, "About to create model"),
        say(start + 28.8, 0, 1163, "Number of model parameters: 65549011"),
        say(start + 33.1, 0, 412, "About to get train cuts, YouTube + LibriSpeech", "asr_datamodule.py"),
        say(start + 35.0, 0, 252, "Enable MUSAN", "asr_datamodule.py"),
        say(start + 35.1, 0, 316, "Using DynamicBucketingSampler.", "asr_datamodule.py"),
        say(start + 36.0, 0, 1290, "Sanity check -- see if any of the batches in epoch 1 would cause OOM."),
    ]
    for rank in range(8):
        lines.append(
            say(
                first - 14 + 0.02 * rank,
                rank,
                1318,
                f"Maximum memory allocated so far is {27100 + rng.randint(-600, 600)}MB",
            )
        )
    batch, now, pace = 0, first, 0.462
    while now < fault:
        if batch:
            for rank in rng.sample(range(8), 8):
                frames = rng.randint(15200, 19900)
                simple = loss(batch, 7.62, 0.31, 190, 0.92) * rng.lognormvariate(0, 0.05)
                pruned, total = simple * 0.62 * rng.uniform(0.95, 1.05), loss(batch, 7.3, 0.33, 190, 0.92)
                scale = 2.0 ** min(6, batch // 400)
                text = (
                    f"Epoch 1, batch {batch}, loss[loss={0.5 * simple + pruned:.4g}, simple_loss={simple:.4g}, pruned_loss={pruned:.4g}, over {frames}.00 frames. ], "
                    f"tot_loss[loss={total * rng.uniform(0.99, 1.01):.4g}, simple_loss={total * 0.95:.4g}, pruned_loss={total * 0.53:.4g}, over {min(3.3e6, batch * 16800):.2f} frames. ], "
                    f"batch size: {rng.randint(48, 131)}, lr: {0.045 * min(1, 0.5 + batch / 1000) * (1 + (batch / 7500) ** 2) ** -0.25:.2e}, grad_scale: {scale}"
                )
                lines.append(say(now + rng.uniform(0, 0.2), rank, 1034, text))
        if batch == 3000:
            lines.append(say(now + 0.5, 0, 1056, "Computing validation loss"))
            lines.append(
                say(
                    now + 26.0,
                    0,
                    1065,
                    "Epoch 1, validation: loss=0.4417, simple_loss=0.4388, pruned_loss=0.2223, over 944034.00 frames. ",
                )
            )
            lines.append(say(now + 26.1, 0, 1066, "Maximum memory allocated so far is 27688MB"))
            now += 26
        if batch == 4000:
            lines.append(
                say(now + 0.9, 0, 86, "Saving checkpoint to zipformer/exp-yt-v2/checkpoint-4000.pt", "checkpoint.py")
            )
        batch += 50
        now += 50 * pace * rng.uniform(0.98, 1.02)
    lines += [
        "Traceback (most recent call last):",
        '  File "/home/prabhat/icefall/egs/yt/ASR/./zipformer/train.py", line 1398, in <module>',
        "    main()",
        '  File "/home/prabhat/icefall/egs/yt/ASR/./zipformer/train.py", line 1389, in main',
        "    mp.spawn(run, args=(world_size, args), nprocs=world_size, join=True)",
        '  File "/opt/venvs/k2/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 241, in spawn',
        '    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")',
        '  File "/opt/venvs/k2/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 197, in start_processes',
        "    while not context.join():",
        '  File "/opt/venvs/k2/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 140, in join',
        "    raise ProcessExitedException(",
        "torch.multiprocessing.spawn.ProcessExitedException: process 5 terminated with signal SIGSEGV",
        "/usr/lib/python3.10/multiprocessing/resource_tracker.py:224: UserWarning: resource_tracker: There appear to be 19 leaked semaphore objects to clean up at shutdown",
        "  warnings.warn('resource_tracker: There appear to be %d '",
        "srun: error: dgx-07: task 0: Exited with exit code 1",
    ]
    write(place / "zip-yt.o1180452", lines)
    gpus, times = [], grid(start - 420, end + 480, 15)
    for rank in range(8):
        held = 31200 + rng.randint(-900, 2100)
        phases = [
            Phase(start - 9999),
            Phase(start + 24, 2, 2, 1440, 88),
            Phase(first - 30, 70, 15, 24800, 270, 0.5, 0.15, 0.3, 1410),
            Phase(first, 94, 3, held, 309 + rng.uniform(-9, 9), 0.71, 0.21, 0.43, 1410, dip=0.012),
        ]
        phases += (
            [Phase(fault)] if rank == 5 else [Phase(fault, 100, 0, held, 118, 0.05, 0, 0.01, 1410), Phase(fault + 6)]
        )
        bus = ["07", "0F", "47", "4E", "87", "90", "B7", "BD"][rank]
        gpus.append(
            sample(
                rng, Gpu(host, rank, parts.A100, uuid(rng), f"00000000:{bus}:00.0", phases, rng.uniform(-2, 3)), times
            )
        )
    parts.query_range(
        place / "gpu-metrics",
        gpus,
        skip=("DCGM_FI_DEV_MEM_CLOCK", "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"),
        driver="535.154.05",
    )
    wide = [12, 10, 10, 10, 10, 10, 8, 19, 19, 10, 15]
    before = start - 86400 - 11520
    rows = [
        [
            "JobID",
            "JobName",
            "Partition",
            "Account",
            "AllocCPUS",
            "State",
            "ExitCode",
            "Start",
            "End",
            "Elapsed",
            "NodeList",
        ],
        ["-" * size for size in wide],
    ]
    for job, begin, finish, state, code in (
        (1178830, before, before + 21622, "TIMEOUT", "0:0"),
        (1180452, start, end, "FAILED", "1:0"),
    ):
        spans = [
            f"{local(begin, zone):%Y-%m-%dT%H:%M:%S}",
            f"{local(finish, zone):%Y-%m-%dT%H:%M:%S}",
            clock(finish - begin),
            host if job == 1180452 else "dgx-04",
        ]
        step = ("CANCELLED", "0:15") if state == "TIMEOUT" else (state, code)
        rows.append([str(job), "zip-yt", "dgx", "speech", "128", state, code, *spans])
        rows.append([f"{job}.bat+", "batch", "", "speech", "128", *step, *spans])
        rows.append([f"{job}.ext+", "extern", "", "speech", "128", "COMPLETED", "0:0", *spans])
        rows.append([f"{job}.0", "python3", "", "speech", "128", *step, *spans])
    text = [
        " ".join(
            cell.ljust(size) if at == 0 else cell.rjust(size)
            for at, (cell, size) in enumerate(zip(row, wide, strict=True))
        )
        + " "
        for row in rows
    ]
    write(place / "sacct.txt", text)
    events = ordinary(rng, start, end, ["Process accounting resumed"])
    events += [
        (
            fault,
            f"python3[{pids[5]}]: segfault at 7f1d28e00018 ip 00007f22c41d7e9c sp 00007ffd6b3f1a20 error 4 in libsndfile.so.1.0.31[7f22c41b0000+5f000] likely on CPU 87 (core 23, socket 1)",
        ),
        (
            fault,
            "Code: 48 89 c5 48 85 c0 0f 84 9b 01 00 00 48 8b 43 10 48 63 d2 4c 8d 24 d0 <49> 8b 04 24 48 89 45 00 49 8b 44 24 08 48 89 45 08 83 c2 01 39 d1",
        ),
    ]
    kernel(place / f"dmesg.{host}", "-T", host, zone, 0, events)


def t16_jsonl_depth(place: Path, rng: Random) -> None:
    """Two A6000 train a depth model to its last step; Prometheus missed some scrapes."""
    zone, hosts = -6, ["ws-gpu21", "ws-gpu22"]
    start = at("2026-02-24T17:48:03", zone)
    end = start + 97 * 60 + 2
    first, total = start + 52, 15000
    lines: list[str] = []

    def emit(when: float, event: str, **more: object) -> None:
        moment = datetime.fromtimestamp(when, UTC).astimezone(timezone(timedelta(hours=zone)))
        lines.append(json.dumps({"t": moment.isoformat(timespec="milliseconds"), "ev": event, **more}))

    emit(start + 8, "start", host=hosts[0], world=2, job="40417", torch="2.5.1", gpu="NVIDIA RTX A6000", git="8d1f0a7")
    emit(start + 15, "data", train=482113, val=6540, root="/nas/depth/v5", workers=10)
    emit(start + 21, "model", name="dpt_swin2_b", params=102_311_745, amp="bf16", ema=0.9995)
    emit(start + 22, "plan", steps=total, batch=48, val_every=3000, ckpt_every=3000)
    pauses = 5 * 47
    pace, now = (end - 21 - first - pauses) / total, first
    for step in range(50, total + 1, 50):
        now += 50 * pace
        value = loss(step, 2.88, 0.118, 240, 0.78) * rng.lognormvariate(0, 0.06)
        rate = 2e-4 * min(1, step / 500) * (1 - step / total) ** 0.9
        data = rng.uniform(0.004, 0.011)
        emit(
            now + rng.uniform(-0.1, 0.1),
            "step",
            step=step,
            loss=round(value, 5),
            si_log=round(value * 0.71, 5),
            lr=float(f"{rate:.4g}"),
            gnorm=round(rng.lognormvariate(-0.3, 0.2), 3),
            sec=round(pace * rng.uniform(0.99, 1.01), 4),
            data_sec=round(data, 4),
        )
        if step % 3000 == 0:
            now += 47
            emit(
                now - 4,
                "val",
                step=step,
                abs_rel=round(0.061 + 0.21 / (1 + step / 900), 4),
                d1=round(0.962 - 0.3 / (1 + step / 700), 4),
                n=6540,
            )
            emit(now, "ckpt", step=step, path=f"/nas/depth/runs/40417/s{step}.pt", mb=1228.4)
    emit(now + 6, "export", path="/nas/depth/runs/40417/final_ema.safetensors", mb=409.3)
    emit(
        now + 7,
        "end",
        status="ok",
        step=total,
        best_abs_rel=round(0.061 + 0.21 / (1 + total / 900), 4),
        wall_min=round((now + 7 - start) / 60, 1),
    )
    write(place / "run-40417.jsonl", lines)
    gpus, times = [], grid(start - 540, end + 600, 60)
    for node, host in enumerate(hosts):
        phases = [
            Phase(start - 9999),
            Phase(start + 16, 3, 2, 1502, 80),
            Phase(first, 97, 2, 39118 + 14 * node, 281 + 4 * node, 0.84, 0.29, 0.55, 1695, dip=0.045),
            Phase(end - 14, 0, 0, 39118 + 14 * node),
            Phase(end - 2),
        ]
        gpus.append(sample(rng, Gpu(host, 0, parts.A6000, uuid(rng), "00000000:17:00.0", phases, 3 * node), times))
    single = {(rng.choice(hosts), now) for now in rng.sample(times, 9)}

    def holes(gpu: Gpu, now: float) -> bool:
        both = start + 2400 < now < start + 2400 + 290
        return both or (gpu.host, now) in single or (gpu.host == hosts[1] and start + 4020 < now < start + 4860)

    keep = ("DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL")
    parts.query_range(place / "dcgm", gpus, skip=keep, holes=holes, driver="560.35.05", scrape="dcgm")
    for host in hosts:
        kernel(place / "kernel" / f"{host}.txt", "iso", host, zone, 0, ordinary(rng, start, end + 400))
