"""Incidents t09 to t16: what operators would hand over after a GPU job.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.fortieth import gauge_ib as g
from samples.redteam.fortieth.gauge_ib import Load, Row, at, epoch, write

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

PROF = ("engine", "sm", "tensor", "dram")
BASE = ("util", "copy", "fb", "power", "temp", "clock", "xid", "sbe", "dbe")


def t09_kestrel(place: Path, rng: Random) -> None:
    """Full fine-tuning of a dense model over plain sockets between two nodes."""
    zone, start = -8.0, epoch(-8, 2026, 2, 24, 19, 42, 11)
    end = start + 147 * 60 - 9
    first, steps = start + 214.0, 204
    spent = [40.9 + rng.gauss(0, 0.7) for _ in range(steps)]
    marks = [first]
    for value in spent:
        marks.append(marks[-1] + value)
    saved = marks[-1]
    hosts = ("a40-r07-n03", "a40-r07-n11")
    times = g.ticks(rng, start - 420, end + 420, 15)

    def work(time: float) -> tuple[str, float]:
        if not start + 25 < time < end:
            return "off", 0
        if time < first:
            return ("init" if time < start + 70 else "load"), 0
        if time >= saved:
            return "save", 0
        place_in = max(i for i, m in enumerate(marks) if m <= time)
        return "step", time - marks[place_in]

    gpus = []
    for node, host in enumerate(hosts):
        for index in range(2):
            bus = ("21", "C1")[index]
            bent = 0.702 + rng.uniform(0, 0.006)
            pviol = [0.0]

            def want(time: float, bent: float = bent) -> Load:
                kind, into = work(time)
                if kind == "off":
                    return Load()
                if kind == "init":
                    return Load(fb=0.012, held=True)
                if kind == "load":
                    return Load(0.03, 0.01, 0, 0.01, 0.03 + 0.3 * (time - start - 70) / 144, 0.03, 0.1, held=True)
                if kind == "save":
                    return g.spin(bent, 0.03, 0.2)
                if 9.0 < into < 10.6 or 30.5 < into < 32.1:
                    return Load(1.0, 0.9, 0.55, 0.42, bent, 0.985, 0.4, held=True)
                load = g.spin(bent, 0.062, 0.235)
                load.link = 0.56
                return load

            def touch(time: float, row: Row, pviol: list[float] = pviol) -> None:
                if row["power"] > 280:
                    row["why"] = 4
                    row["clock"] = 1740 - 15 * rng.randint(9, 17)
                    pviol[0] += rng.uniform(2.0e5, 5e5)
                row["pviol"] = pviol[0]

            gpus.append(g.gpu(rng, g.A40, (host, index, bus), times, want, touch))

    def labels(one: g.Gpu, low: float, high: float) -> dict[str, str]:
        if not low or high > 9e11:
            return {}
        return {
            "exported_namespace": "lm-sft",
            "exported_pod": f"kestrel-sft-worker-{hosts.index(one.host)}",
            "exported_container": "pytorch",
        }

    keys = (*BASE, "why", "pviol", *PROF, "tx", "rx")
    g.prom(
        place / "prometheus" / "dcgm_kestrel.json", gpus, keys, labels,
        lambda _one: ((0.0, start), (start, end), (end, 9e12)),
    )  # fmt: skip
    for node, host in enumerate(hosts):
        pod = f"kestrel-sft-worker-{node}"
        out: list[str] = []

        last = [0.0]

        def say(time: float, text: str, out: list[str] = out, last: list[float] = last) -> None:
            last[0] = max(time, last[0] + rng.uniform(2e-5, 9e-4))
            out.append(f"{at(last[0], zone, '%Y-%m-%dT%H:%M:%S.%f')}{rng.randrange(1000):03d}-08:00 {text}")

        say(
            start + 3,
            f"+ torchrun --nnodes 2 --nproc_per_node 2 --node_rank {node} --rdzv_backend c10d "
            "--rdzv_endpoint "
            "kestrel-sft-worker-0.kestrel-sft:29400 recipes/full_finetune_distributed.py --config "
            "/cfg/kestrel_8b.yaml",
        )
        say(start + 24, "INFO:torchtune.utils._logging:Running FullFinetuneRecipeDistributed with resolved config:")
        if not node:
            for text in (
                "batch_size: 2",
                "gradient_accumulation_steps: 1",
                "dtype: bf16",
                "epochs: 1",
                "max_steps_per_epoch: null",
                "fsdp_reshard_after_forward: true",
                "enable_activation_checkpointing: true",
                "log_every_n_steps: 1",
                "optimizer:",
                "  _component_: torch.optim.AdamW",
                "  lr: 1.2e-05",
                "seed: 4417",
            ):
                say(start + 24, text)
        for local in range(2):
            rank = node * 2 + local
            pid, tid = 81 + local, 240 + 7 * local
            pre = f"{pod}:{pid}:{tid} [{local}] NCCL INFO"
            say(start + 31, f"{pod}:{pid}:{pid} [{local}] NCCL INFO Bootstrap : Using eth0:10.42.{3 + node}.17<0>")
            say(start + 31, f"{pre} NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.")
            say(start + 31, f"{pre} NET/IB : No device found.")
            say(start + 31, f"{pre} NET/Socket : Using [0]eth0:10.42.{3 + node}.17<0>")
            say(start + 31, f"{pre} Using network Socket")
            say(
                start + 33,
                f"{pre} ncclCommInitRank comm 0x55d{rng.getrandbits(32):08x} rank {rank} nranks 4 "
                f"cudaDev {local}"
                " - Init START",
            )
            for channel in range(2):
                if local == 0:
                    say(
                        start + 34,
                        f"{pre} Channel {channel:02d}/0 : {(rank - 1) % 4}[1] -> {rank}[0] [receive] via NET/Socket/0",
                    )
                else:
                    say(
                        start + 34,
                        f"{pre} Channel {channel:02d}/0 : {rank}[1] -> {(rank + 1) % 4}[0] [send] via NET/Socket/0",
                    )
            say(start + 36, f"{pre} Connected all rings")
            say(start + 36, f"{pre} ncclCommInitRank rank {rank} nranks 4 - Init COMPLETE")
        if not node:
            say(
                start + 71,
                "INFO:torchtune.utils._logging:FSDP is enabled. Instantiating model and loading "
                "checkpoint on "
                "Rank 0 ...",
            )
            say(
                start + 196, "INFO:torchtune.utils._logging:Instantiating model and loading checkpoint took 124.71 secs"
            )
            say(start + 196, "INFO:torchtune.utils._logging:Memory stats after model init:")
            say(start + 196, "\tGPU peak memory active: 5.22 GiB")
            say(start + 199, "INFO:torchtune.utils._logging:Optimizer is initialized.")
            say(start + 199, "INFO:torchtune.utils._logging:Loss is initialized.")
            say(start + 205, "INFO:torchtune.utils._logging:Dataset and Sampler are initialized.")
            say(start + 205, "WARNING:torchtune.utils._logging: Profiling disabled.")
            for step in range(1, steps + 1):
                loss = 1.09 + 0.74 * math.exp(-step / 46) + rng.gauss(0, 0.045)
                rate = 1.2e-5 * min(1, step / 20) * (0.5 + 0.5 * math.cos(math.pi * max(0, step - 20) / 184))
                tokens = rng.randint(3480, 4090)
                say(
                    marks[step],
                    f"Step {step} | loss:{loss:.6f} lr:{rate:.6e} tokens_per_second_per_gpu:"
                    f"{tokens / spent[step - 1]:.4f} "
                    f"grad_norm:{1.4 + 2.2 * math.exp(-step / 30) + rng.gauss(0, 0.12):.4f} "
                    f"peak_memory_active:{30.1 + rng.uniform(0, 0.2):.3f} peak_memory_reserved:31.68",
                )
                if step % 17 == 0 or step == steps:
                    gone = marks[step] - first
                    say(
                        marks[step],
                        f"1|{step}|Loss: {loss:.4f}: {100 * step // steps:3d}%| {step}/{steps} "
                        f"[{int(gone // 3600)}:{int(gone // 60) % 60:02d}:{int(gone) % 60:02d}, "
                        f"{gone / step:.2f}s/it]",
                    )
            say(
                saved + 1,
                "INFO:torchtune.utils._logging:Saving checkpoint. This may take some time. "
                "Retrieving full model "
                "state dict...",
            )
            say(
                end - 22,
                f"INFO:torchtune.utils._logging:Getting full model state dict took {end - 23 - saved:.2f} secs",
            )
            say(
                end - 6,
                "INFO:torchtune.utils._logging:Model checkpoint of size 16.06 GiB saved to "
                "/out/kestrel/epoch_0/ft-model-00001-of-00001.safetensors",
            )
            say(
                end - 5,
                "INFO:torchtune.utils._logging:The full model checkpoint, including all weights and "
                "configurations, "
                "has been saved successfully.",
            )
        write(place / "pods" / f"{pod}.log", out)


def t10_plover(place: Path, rng: Random) -> None:
    """A refused request at the first evaluation, on the last stage."""
    zone, start = -8.0, epoch(-8, 2026, 3, 17, 4, 6, 38)
    first, steps = start + 287.0, 540
    pace = 3.27
    done = first + steps * pace
    died = start + 35 * 60 - 34
    end = start + 35 * 60
    hosts = ("ax-17", "ax-22", "ax-31")
    buses = ("07", "4E", "87", "CB")
    times = g.ticks(rng, start - 300, end + 240, 15)
    for node in (0, 1):
        gpus = []
        for index in range(4):
            stage = (0.79, 0.66)[node] + rng.uniform(0, 0.01)
            count = [float(rng.randint(0, 4)) if index == 2 and not node else 0.0]

            def want(time: float, stage: float = stage) -> Load:
                if not start + 20 < time < end - 8:
                    return Load()
                if time < start + 130:
                    return Load(fb=0.007, held=True)
                if time < first:
                    return Load(0.04, 0.01, 0, 0.02, 0.12 + 0.1 * (time > start + 210), 0.04, held=True)
                if time < done:
                    return Load(0.93, 0.57, 0.33, 0.31, stage, 0.62, 1.3, held=True)
                if time < died:
                    return Load(0.86, 0.44, 0.27, 0.26, stage, 0.49, 0.9, held=True)
                return g.spin(stage)

            def touch(time: float, row: Row, index: int = index, node: int = node, count: list[float] = count) -> None:
                if index == 2 and not node and rng.random() < 0.045:
                    count[0] += rng.choice((1, 1, 1, 2))
                row["sbe"] = count[0]

            gpus.append(g.gpu(rng, g.A100, (hosts[node], index, buses[index]), times, want, touch))
        g.dmon(
            place / "dmon" / f"{hosts[node]}.txt", gpus,
            ("util", "copy", "fb", "power", "temp", "clock", "why", "sbe", "dbe", "xid", "sm", "tensor", "dram"), zone,
        )  # fmt: skip
    out: list[str] = []
    day = "%Y-%m-%d %H:%M:%S"

    def log(time: float, text: str, where: int | None = None) -> None:
        out.append((f"plover-worker-{where}: " if where is not None else "") + text)

    log(
        start,
        f"[{at(start + 6, zone, day)},{rng.randrange(1000):03d}] [INFO] "
        "[multinode_runner.py:81:get_cmd] Running on the "
        "following workers: plover-worker-0,plover-worker-1,plover-worker-2",
    )
    for node in range(3):
        log(
            start,
            f"[{at(start + 19, zone, day)},{rng.randrange(1000):03d}] [INFO] [launch.py:162:main] nnodes=3, "
            f"num_local_procs=4, node_rank={node}",
            node,
        )
        log(
            start,
            f"[{at(start + 19, zone, day)},{rng.randrange(1000):03d}] [INFO] [launch.py:164:main] dist_world_size=12",
            node,
        )
    log(start, "NeoXArgs.configure_distributed_args() using world size: 12 and model-parallel size: 1 ", 0)
    log(start, "> building GPT2BPETokenizer tokenizer ...", 0)
    log(start, " > padded vocab (size: 100277) with 75 dummy tokens (new size: 100352)", 0)
    log(start, "> initializing torch distributed ...", 0)
    log(start, "> initializing model parallel with size 1", 0)
    log(start, "MPU PP: [0, 4, 8]  MPU DP: [0, 1, 2, 3]  pipe-parallel-size 3", 0)
    log(
        start,
        "[2026-03-17 04:09:10,402] [INFO] [module.py:375:_partition_layers] Partitioning pipeline "
        "stages with method "
        "type:transformer|mlp",
        0,
    )
    log(start, " > number of parameters on model parallel rank 0: 2486210560", 0)
    log(start, " > total params: 7,302,594,560", 0)
    log(start, "building train, validation, and test datasets ...", 0)
    log(
        start, "    train_iters: 31000   eval_interval: 540   eval_iters: 10   eval_micro_batch: 16   micro_batch: 4", 0
    )
    log(start, "done with setup ...", 0)
    log(start, "training ...", 0)
    log(
        start,
        f"[{at(first - 2, zone, day)}] [before the start of training step] datetime: {at(first - 2, zone, day)} ",
        0,
    )
    for step in range(10, steps + 1, 10):
        loss = 3.92 + 7.2 * math.exp(-step / 118) + rng.gauss(0, 0.04)
        time = first + step * pace
        ms = pace * 1000 + rng.gauss(0, 14)
        log(
            time,
            f"[{at(time, zone, day)},{rng.randrange(1000):03d}] [INFO] [logging.py:96:log_dist] [Rank "
            f"0] step={step}, "
            f"skipped=0, lr=[{step * 3e-7:.3e}], mom=[[0.9, 0.95]]",
            8,
        )
        log(
            time,
            f" samples/sec: {192 / ms * 1000:.3f} | iteration {step:8d}/   31000 | elapsed time per "
            "iteration (ms): "
            f"{ms:.1f} | learning rate: {step * 3e-7:.3E} | approx flops per GPU: "
            f"{146 + rng.gauss(0, 0.8):.1f}TFLOPS | "
            f"lm_loss: {loss:.6E} | number of skipped iterations:   0 | number of nan iterations:   0 |",
            2,
        )
    out[:] = [line.replace("plover-worker-8: ", "plover-worker-0: ") for line in out]
    for local in range(4):
        free = 7.61 + rng.uniform(0, 0.3)
        for text in (
            "Traceback (most recent call last):",
            '  File "/opt/gpt-neox/train.py", line 34, in <module>',
            "    main()",
            '  File "/opt/gpt-neox/train.py", line 30, in main',
            "    pretrain(neox_args=neox_args)",
            '  File "/opt/gpt-neox/megatron/training.py", line 252, in pretrain',
            "    iteration = train(",
            '  File "/opt/gpt-neox/megatron/training.py", line 921, in train',
            "    evaluate_and_print_results(",
            '  File "/opt/gpt-neox/megatron/training.py", line 1066, in evaluate_and_print_results',
            "    total_loss_dict = evaluate(",
            '  File "/opt/gpt-neox/megatron/training.py", line 981, in evaluate',
            "    loss = forward_step_fn(",
            '  File "/usr/local/lib/python3.10/dist-packages/deepspeed/runtime/pipe/engine.py", line 458, in '
            "eval_batch",
            "    self._exec_schedule(sched)",
            '  File "/opt/gpt-neox/megatron/mpu/cross_entropy.py", line 31, in forward',
            "    vocab_parallel_logits = vocab_parallel_logits.float() - logits_max.unsqueeze(dim=-1)",
            f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.25 GiB. GPU {local} has a "
            "total capacity of "
            f"79.14 GiB of which {free:.2f} GiB is free. Process {rng.randint(40000, 90000)} has "
            f"{79.14 - free:.2f} GiB memory "
            f"in use. Of the allocated memory {67.4 + rng.uniform(0, 0.3):.2f} GiB is allocated by PyTorch, and "
            f"{903 + rng.randrange(80)}.{rng.randrange(100):02d} MiB is reserved by PyTorch but unallocated.",
        ):
            log(died, f"[rank{8 + local}]: {text}", 2)
    log(
        died,
        f"[{at(died + 9, zone, day)},{rng.randrange(1000):03d}] [INFO] [launch.py:319:sigkill_handler] "
        "Killing subprocess 118",
        2,
    )
    log(
        died,
        f"[{at(died + 9, zone, day)},{rng.randrange(1000):03d}] [ERROR] [launch.py:325:sigkill_handler] "
        "['/usr/bin/python3', '-u', 'train.py', '--local_rank=3', '--deepspeed_config', 'eyJ0cmFpbl9i...'] "
        "exits with "
        "return code = 1",
        2,
    )
    log(died, "pdsh@plover-launcher: plover-worker-2: ssh exited with exit code 1")
    for node in (0, 1):
        log(
            died,
            f"[{at(end - 9, zone, day)},{rng.randrange(1000):03d}] [INFO] "
            "[launch.py:319:sigkill_handler] Killing subprocess "
            f"{118 + node}",
            node,
        )
    write(place / "plover-launcher.log", out)
    form = "%a, %d %b %Y %H:%M:%S -0800"
    write(place / "kubectl" / "describe_plover-launcher.txt", [
        "Name:             plover-launcher-x7k2m", "Namespace:        pretrain", "Labels:           "
        "training.kubeflow.org/job-name=plover", f"Start Time:       {at(start, zone, form)}", "Status:       "
            "    Failed",
        "Containers:", "  launcher:", "    State:          Terminated", "      Reason:       Error",
        "      Exit Code:    1", f"      Started:      {at(start + 4, zone, form)}",
        f"      Finished:     {at(end, zone, form)}", "    Ready:          False", "    Restart Count:  0",
    ])  # fmt: skip
    write(place / "kubectl" / "pods.txt", [
        "NAME                     READY   STATUS    RESTARTS   AGE   NODE",
        "plover-launcher-x7k2m    0/1     Error     0          41m   cpu-04",
        *[f"plover-worker-{n}          1/1     Running   0          41m   {h}" for n, h in enumerate(hosts)],
        "", "NAME     STATUS   ROLES    AGE    VERSION",
        *[f"{h}    Ready    <none>   211d   v1.29.6" for h in hosts],
    ])  # fmt: skip
    for node, host in enumerate(hosts):
        form = "%Y-%m-%dT%H:%M:%S-0800"
        write(place / "journal" / f"{host}.txt", [
            f"{at(start - 3300, zone, form)} {host} kernel: perf: interrupt took too long (2511 > 2500), lowering "
            "kernel.perf_event_max_sample_rate to 79500",
            f"{at(start - 5 + node, zone, form)} {host} kernel: eth0: renamed from tmp{rng.getrandbits(20):05x}",
            f"{at(start - 4 + node, zone, form)} {host} kernel: IPv6: ADDRCONF(NETDEV_CHANGE): "
            f"lxc{rng.getrandbits(40):010x}: link becomes ready",
        ])  # fmt: skip


def t11_lantern(place: Path, rng: Random) -> None:
    """A card lost from the bus; its neighbour was never used."""
    zone, start = -8.0, epoch(-8, 2026, 1, 20, 1, 17, 52)
    end = start + 131 * 60 + 4
    lost = end - 23
    first = start + 96
    times = g.ticks(rng, start - 600, end + 900, 15)
    replay, host = [0.0], "ws-gpu12"

    def want(time: float) -> Load:
        if not start + 8 < time < lost:
            return Load()
        if time < first:
            return Load(0.02, 0.01, 0, 0.01, 0.02 + 0.2 * (time > start + 70), 0.05, held=True)
        into = (time - first) % 2170
        if into > 2075:
            return Load(0.78, 0.6, 0.25, 0.4, 0.687, 0.6, 0.3, held=True)
        return Load(0.97, 0.83, 0.44, 0.52, 0.687, 0.93, 0.6, held=True)

    def touch(time: float, row: Row) -> None:
        if lost - 700 < time < lost and rng.random() < 0.3:
            replay[0] += rng.randint(1, 6)
        row["replay"] = replay[0]
        if time >= lost:
            row.clear()
            row["xid"] = 79

    one = g.gpu(rng, g.A6000, (host, 0, "61"), [t for t in times if t < lost + 640], want, touch)
    two = g.gpu(rng, g.A6000, (host, 1, "A1"), times, lambda _time: Load())
    keys = (*BASE, "replay", "why", *PROF, "tx", "rx")
    g.prom(place / "metrics" / f"{host}.json", [one, two], keys)
    out = [
        f"[{at(start + 5, zone)}] 作业 30418 启动，主机 {host}，可见显卡数 1（NVIDIA RTX A6000）",
        f"[{at(start + 9, zone)}] 读取配置 conf/denglong_ocr_v5.yaml：批大小 96，轮数 8，混合精度 bf16",
        f"[{at(start + 66, zone)}] 训练样本 203904 条，验证样本 6120 条，索引建立完成，用时 54.8 秒",
        f"[{at(start + 72, zone)}] 模型参数量 187.4M，已放到 cuda:0",
        f"[{at(first, zone)}] 开始训练，共 8 轮，每轮 2124 批",
    ]
    done, epoch_no, batch, time = 0, 1, 0, first
    while True:
        batch += 59
        done += 59
        time += 59 * (2075 / 2124) + rng.gauss(0, 0.3)
        if time > lost - 2:
            break
        loss = 0.31 + 3.6 * math.exp(-done / 1500) + rng.gauss(0, 0.03)
        out.append(
            f"[{at(time, zone)}] 第 {epoch_no}/8 轮 批次 {batch}/2124 损失 {loss:.4f} 学习率 {3e-4 * (1 - done / 17000):.3e} "
            f"速度 {96 * 2124 / 2075 + rng.gauss(0, 0.6):.1f} 条/秒 显存 {31.2 + rng.uniform(0, 0.1):.1f}GB"
        )
        if batch >= 2124:
            time += 94
            rate = 1 - 0.03 - 0.6 * math.exp(-done / 1600)
            out.append(
                f"[{at(time, zone)}] 第 {epoch_no} 轮验证：字符准确率 {rate:.4f}，已保存 ckpt/denglong_e{epoch_no}.pt"
            )
            time += 1
            epoch_no, batch = epoch_no + 1, 0
    out += [
        "Traceback (most recent call last):",
        '  File "/data/home/songyq/denglong/xunlian.py", line 271, in <module>',
        "    zhu()",
        '  File "/data/home/songyq/denglong/xunlian.py", line 233, in zhu',
        "    sunshi_zhi = sunshi.item()",
        "                 ^^^^^^^^^^^^^",
        "RuntimeError: CUDA error: unknown error",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below "
        "might be "
        "incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
        f"srun: error: {host}: task 0: Exited with exit code 1",
    ]
    write(place / "log" / "denglong-30418.out", out)
    write(place / "sacct.txt", [
        "JobID|JobName|User|Partition|State|ExitCode|Start|End|Elapsed|NodeList|AllocTRES",
        f"30418|denglong|songyq|ws|FAILED|1:0|{at(start, zone, '%Y-%m-%dT%H:%M:%S')}|"
        f"{at(end, zone, '%Y-%m-%dT%H:%M:%S')}|"
        f"02:11:04|{host}|billing=12,cpu=12,gres/gpu=1,mem=96G,node=1",
    ])  # fmt: skip

    def line(time: float, text: str) -> str:
        return f"{at(time, zone, '%b %d %H:%M:%S')} {host} kernel: {text}"

    write(place / "kernel" / f"{host}.journal.txt", [
        line(start - 8123, "EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode. Quota mode: none."),
        *[line(lost - back, "pcieport 0000:60:01.1: AER: Corrected error message received from 0000:61:00.0")
          for back in (655, 401, 218, 97, 31)],
        line(lost, "pcieport 0000:60:01.1: pciehp: Slot(4): Link Down"),
        line(lost, "NVRM: GPU at PCI:0000:61:00: " + one.uuid),
        line(lost, "NVRM: Xid (PCI:0000:61:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
        line(lost, "NVRM: GPU 0000:61:00.0: GPU has fallen off the bus."),
        line(lost, "NVRM: A GPU crash dump has been created. If possible, please run"),
        line(lost, "NVRM: nvidia-bug-report.sh as root to collect this data before"),
        line(lost, "NVRM: the NVIDIA kernel module is unloaded."),
    ])  # fmt: skip


def t12_marrow(place: Path, rng: Random) -> None:
    """An uncorrectable memory error under one of two ranks; the logs are gone."""
    zone, start = 8.0, epoch(8, 2026, 5, 8, 14, 23, 9)
    struck = start + 60 * 60 + 12
    end = start + 61 * 60 - 2
    hosts = ("hpc-a100-041", "hpc-a100-066")
    times = g.ticks(rng, start - 1800, end + 1800, 60)
    early, early_end = start - 26 * 3600 - 417, start - 26 * 3600 + 5 * 3600 + 44 * 60
    stamp = "%Y-%m-%dT%H:%M:%S"
    cards = []
    for node, host in enumerate(hosts):

        def want(time: float, node: int = node) -> Load:
            if not start + 12 < time < end - (6 if node else 15):
                return Load()
            if time < start + 165:
                return Load(0.02, 0.01, 0, 0.01, 0.08, 0.04, held=True)
            if time < struck:
                return Load(0.97, 0.71, 0.46, 0.38, 0.578, 0.79, 1.1, held=True)
            return Load(fb=0.578, held=True) if node else g.spin(0.578)

        def touch(time: float, row: Row, node: int = node) -> None:
            row["crow"] = 1 - node
            if node and time >= struck:
                row.update(xid=95, dbe=2, urow=1, rpend=1)

        cards.append(g.gpu(rng, g.A100, (host, 0, "BD"), times, want, touch))
    keys = (*BASE, "urow", "crow", "rpend", "rfail", "why", *PROF, "rx")
    for one in cards:
        g.prom(place / "prom" / f"{one.host}.json", [one], keys)

    def row(job: str, name: str, state: str, code: str, low: float, high: float, nodes: int) -> str:
        gone = int(high) - int(low)
        text = f"{gone // 3600:02d}:{gone // 60 % 60:02d}:{gone % 60:02d}"
        listed = "hpc-a100-[041,066]" if nodes == 2 else hosts[0]
        return f"{job}|{name}|{state}|{code}|{at(low, zone, stamp)}|{at(high, zone, stamp)}|{text}|{nodes}|{listed}"

    write(place / "sacct_rvr.txt", [
        "JobID|JobName|State|ExitCode|Start|End|Elapsed|NNodes|NodeList",
        row("710264", "protein-mlm", "COMPLETED", "0:0", early, early_end, 2),
        row("710264.batch", "batch", "COMPLETED", "0:0", early, early_end, 1),
        row("710264.extern", "extern", "COMPLETED", "0:0", early, early_end, 2),
        row("710264.0", "python", "COMPLETED", "0:0", early + 6, early_end - 1, 2),
        row("711930", "protein-mlm", "FAILED", "1:0", start, end, 2),
        row("711930.batch", "batch", "FAILED", "1:0", start, end, 1),
        row("711930.extern", "extern", "COMPLETED", "0:0", start, end, 2),
        row("711930.0", "python", "FAILED", "1:0", start + 7, end - 3, 2),
    ])  # fmt: skip

    def line(time: float, host: str, text: str) -> str:
        return f"{at(time, zone, stamp)}+0800 {host} kernel: {text}"

    pid = rng.randint(90000, 200000)
    write(place / "journalctl" / f"{hosts[0]}.log", [
        line(start - 1411, hosts[0], "Lustre: scratch2-OST001d-osc-ffff9a3c1e0b8800: Connection restored to "
            "10.21.7.44@o2ib"),
        line(start + 2, hosts[0], "cgroup: fork accepted by pids controller in /slurm/uid_3318/job_711930"),
    ])  # fmt: skip
    write(place / "journalctl" / f"{hosts[1]}.log", [
        line(start - 522, hosts[1], "systemd-journald[1022]: Data hash table of /run/log/journal has a fill "
            "level at 75.0"),
        line(struck, hosts[1], "NVRM: Xid (PCI:0000:bd:00): 63, pid='<unknown>', name=<unknown>, Row "
            "Remapper: New row marked "
             "for remapping, reset gpu to activate."),
        line(struck, hosts[1], f"NVRM: Xid (PCI:0000:bd:00): 48, pid={pid}, name=python, DBE (double bit "
            "error) ECC Error "
             "(0x0000000000000000)"),
        line(struck, hosts[1], f"NVRM: Xid (PCI:0000:bd:00): 95, pid={pid}, name=python, Uncontained: FBHUB. "
            "RST: Yes, D-RST: No"),
        line(struck + 1, hosts[1], f"NVRM: Xid (PCI:0000:bd:00): 45, pid={pid}, name=python, Ch 00000008"),
        line(struck + 1, hosts[1], f"NVRM: Xid (PCI:0000:bd:00): 45, pid={pid}, name=python, Ch 00000009"),
    ])  # fmt: skip


def t13_quill(place: Path, rng: Random) -> None:
    """A resume that cannot read the optimizer of its checkpoint."""
    start = epoch(0, 2026, 6, 11, 8, 51, 30)
    end = start + 19 * 60 + 7
    mapped, built, engine, dead = start + 385, start + 610, start + 1015, end - 14
    times = g.ticks(rng, start - 300, end + 300, 10)
    host = "bwl-b200-2"

    def want(time: float) -> Load:
        if not start + 20 < time < end - 4:
            return Load()
        if time < mapped:
            return Load()
        if time < built:
            return Load(0.01, 0.0, 0, 0.0, 0.004 + 0.08 * (time - mapped) / (built - mapped), 0.01, held=True)
        if time < built + 250:
            return Load(0.03, 0.01, 0, 0.02, 0.17, 0.02, held=True)
        if time < engine:
            return Load(0.41, 0.18, 0.07, 0.2, 0.437, 0.22, 0.2, held=True)
        return Load(0.0, fb=0.449, held=True)

    one = g.gpu(rng, g.B200, (host, 5, "AB"), times, want)
    g.prom(place / "query_range.json", [one], (*BASE, "urow", "crow", "rpend", "why", *PROF, "tx", "rx"))
    stem = "/mnt/wk/quill/out/grpo-9b-math"
    out = [
        f"+ date -u: {at(start + 3, 0, '%a %b %d %H:%M:%S UTC %Y')}  host {host}  SLURM_JOB_ID=552907",
        f"+ python grpo_quill.py --output_dir {stem} --max_steps 2400 --save_steps 150 --num_generations 8 "
        "--use_vllm --vllm_mode colocate --vllm_gpu_memory_utilization 0.25 --resume_from_checkpoint "
        f"{stem}/checkpoint-1350",
        "[2026-06-11 08:52:11,618] [INFO] [real_accelerator.py:260:get_accelerator] Setting ds_accelerator to "
        "cuda (auto detect)",
    ]
    total = 118240
    for part in range(11):
        count = total * part // 10
        took = int(330 * part / 10)
        out.append(
            f"Map (num_proc=6): {part * 10:3d}%|{'█' * part:<10}| {count}/{total} "
            f"[{took // 60:02d}:{took % 60:02d}<"
            f"{(330 - took) // 60:02d}:{(330 - took) % 60:02d}, {total / 330 + rng.gauss(0, 9):.2f} "
            "examples/s]"
        )
    out += [
        *[
            f"Loading checkpoint shards: {25 * n:3d}%|{'█' * (10 * n // 4):<10}| {n}/4 "
            f"[{n * 54 // 60:02d}:{n * 54 % 60:02d}"
            f"<{(4 - n) * 54 // 60:02d}:{(4 - n) * 54 % 60:02d}, 54.{rng.randrange(100):02d}s/it]"
            for n in range(5)
        ],
        f"INFO {at(built + 31, 0, '%m-%d %H:%M:%S')} [config.py:823] This model supports multiple tasks: "
        f"{{'generate', 'embed'}}. "
        "Defaulting to 'generate'.",
        f"INFO {at(built + 36, 0, '%m-%d %H:%M:%S')} [llm_engine.py:230] Initializing a V0 LLM engine with config: "
        "dtype=torch.bfloat16, max_seq_len=6144, tensor_parallel_size=1",
        f"INFO {at(built + 248, 0, '%m-%d %H:%M:%S')} [default_loader.py:272] Loading weights took 203.11 seconds",
        f"INFO {at(built + 262, 0, '%m-%d %H:%M:%S')} [executor_base.py:113] # cuda blocks: 14216, # CPU blocks: 2048",
        f"INFO {at(engine - 3, 0, '%m-%d %H:%M:%S')} [model_runner.py:1592] Graph capturing finished in 139 "
        "secs, took 1.04 GiB",
        f"INFO {at(engine - 2, 0, '%m-%d %H:%M:%S')} [llm_engine.py:428] init engine (profile, create kv "
        "cache, warmup model) took "
        "152.60 seconds",
        f"[INFO|trainer.py:2849] {at(engine + 9, 0, '%Y-%m-%d %H:%M:%S')},402 >> Loading model from "
        f"{stem}/checkpoint-1350.",
        "Traceback (most recent call last):",
        '  File "/mnt/wk/quill/grpo_quill.py", line 164, in <module>',
        "    main(parser.parse_args())",
        '  File "/mnt/wk/quill/grpo_quill.py", line 158, in main',
        "    trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)",
        '  File "/opt/venv/lib/python3.11/site-packages/transformers/trainer.py", line 2240, in train',
        "    return inner_training_loop(",
        '  File "/opt/venv/lib/python3.11/site-packages/transformers/trainer.py", line 2413, in _inner_training_loop',
        "    self._load_optimizer_and_scheduler(resume_from_checkpoint)",
        '  File "/opt/venv/lib/python3.11/site-packages/transformers/trainer.py", line 3514, in '
        "_load_optimizer_and_scheduler",
        "    torch.load(os.path.join(checkpoint, OPTIMIZER_NAME), map_location=map_location, weights_only=True)",
        '  File "/opt/venv/lib/python3.11/site-packages/torch/serialization.py", line 1462, in load',
        "    with _open_zipfile_reader(opened_file) as opened_zipfile:",
        '  File "/opt/venv/lib/python3.11/site-packages/torch/serialization.py", line 763, in __init__',
        "    super().__init__(torch._C.PyTorchFileReader(name_or_buffer))",
        "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
        f"[rank0]:[W611 {at(dead + 4, 0, '%H:%M:%S')}.118840213 ProcessGroupNCCL.cpp:1479] Warning: WARNING: "
        "destroy_process_group() was not called before program exit, which can leak resources.",
        f"+ echo rc=1 {at(end - 2, 0, '%H:%M:%S')}",
        "rc=1 " + at(end - 2, 0, "%H:%M:%S"),
    ]
    write(place / "quill_552907.log", out)
    form = "%b %d %H:%M:%S"
    write(place / f"journalctl-k_{host}.txt", [
        f"{at(start - 7790, 0, form)} {host} kernel: mlx5_core 0000:18:00.0 ens1f0np0: Link up",
        f"{at(start - 402, 0, form)} {host} kernel: audit: type=1400 apparmor=\"STATUS\" "
        "operation=\"profile_replace\" "
        "name=\"/usr/sbin/sssd\" pid=2210",
        f"{at(start + 66, 0, form)} {host} kernel: hrtimer: interrupt took 11842 ns",
    ])  # fmt: skip


def t14_thrush(place: Path, rng: Random) -> None:
    """Two nodes that worked for a while and let go; nobody kept a word."""
    zone, start = -6.0, epoch(-6, 2026, 4, 29, 13, 8, 21)
    end = start + 22 * 60 + 5
    first = start + 118
    hosts = ("volta-203", "volta-209")
    buses = ("15", "16", "3A", "3B", "89", "8A", "B2", "B3")
    for node, host in enumerate(hosts):
        times = g.ticks(rng, start - 900, end + 900, 30)
        cards = []
        for index in range(8):
            held = 0.604 + rng.uniform(0, 0.012)

            def want(time: float, held: float = held) -> Load:
                if not start + 24 < time < end - 3:
                    return Load()
                if time < start + 60:
                    return Load(fb=0.011, held=True)
                if time < first:
                    return Load(0.05, 0.02, 0, 0.03, 0.14, 0.05, held=True)
                return Load(0.95, 0.7, 0.35, 0.44, held, 0.77, 0.8, held=True)

            cards.append(g.gpu(rng, g.V100, (host, index, buses[index]), times, want))
        g.smi(place / "nvidia-smi" / f"{host}.csv", cards, zone)

        def line(time: float, text: str) -> str:
            return f"[{at(time, zone, '%a %b %d %H:%M:%S %Y')}] {text}"

        lines = [
            line(start - 86400 * 3 + 77 * node, "nvidia-uvm: Loaded the UVM driver, major device number 511."),
            line(
                start - 41012 + 513 * node,
                "TCP: request_sock_TCP: Possible SYN flooding on port 10250. Sending cookies.",
            ),
        ]
        if node:
            lines += [
                line(
                    start - 6847,
                    "NVRM: Xid (PCI:0000:3a:00): 31, pid=3304172, name=gmx_mpi, Ch 00000008, "
                    "intr 10000000. MMU "
                    "Fault: ENGINE GRAPHICS GPCCLIENT_T1_2 faulted @ 0x7f1c_a2e00000. Fault is of type FAULT_PDE "
                    "ACCESS_TYPE_VIRT_READ",
                ),
                line(start - 6790, "cni0: port 7(vethb41c09d2) entered disabled state"),
            ]
        lines += [
            line(start - 6, f"cni0: port {4 + node}(veth{rng.getrandbits(32):08x}) entered blocking state"),
            line(start - 6, f"cni0: port {4 + node}(veth{rng.getrandbits(32):08x}) entered forwarding state"),
            line(end + 9 + node, f"cni0: port {4 + node}(veth{rng.getrandbits(32):08x}) entered disabled state"),
        ]
        write(place / "dmesg" / f"{host}.txt", lines)
    write(place / "ticket.txt", [
        "From: cluster desk", f"Subject: thrush (namespace seismic), {at(start, zone, '%d %b')} 13:08",
        "", "User asks what became of the above. Nodes volta-203 and volta-209, 8 cards each, all of them.",
        "Its objects and pod logs are past retention and gone. Below: the cards' readings and the nodes' "
        "dmesg, local time.",
        "The pod of 11:14 on volta-209 (card 2) belonged to the chemists.",
    ])  # fmt: skip


def t15_gannet(place: Path, rng: Random) -> None:
    """One of four nodes goes dark five hours in."""
    start = epoch(0, 2026, 2, 9, 22, 4, 47)
    end = start + 310 * 60 + 19
    dark = end - 337
    back = dark + 1130
    first = start + 171
    hosts = ("gl-15", "gl-16", "gl-18", "gl-23")
    times = g.ticks(rng, start - 600, end + 1500, 15)
    cards = []
    for node, host in enumerate(hosts):
        for index in range(2):
            held = 0.836 + rng.uniform(0, 0.007)

            def want(time: float, node: int = node, held: float = held) -> Load | None:
                if node == 2 and dark <= time < back + 70:
                    return None
                if not start + 15 < time < end - 1:
                    return Load()
                if time < start + 62:
                    return Load(fb=0.012, held=True)
                if time < first:
                    return Load(0.04, 0.01, 0, 0.02, 0.31, 0.05, held=True)
                if time > dark + 0.6:
                    return g.spin(held, 0.04, 0.21)
                if (time - first) % 3600 > 3572:
                    return g.spin(held, 0.04, 0.21)
                return Load(0.98, 0.8, 0.46, 0.5, held, 0.87, 0.9, held=True)

            cards.append(g.gpu(rng, g.L40S, (host, index, ("41", "E1")[index]), times, want))
    g.prom(
        place / "prometheus.json", cards,
        ("util", "copy", "fb", "free", "power", "temp", "clock", "mclock", "xid", "sbe", "dbe", "rfail", "replay",
         "why"),
    )  # fmt: skip

    def iso(time: float) -> str:
        return at(time, 0, "%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

    out = [
        f'{{"t":"{iso(start + 21)}","ev":"boot","job":40771,"world":8,"hosts":["gl-15","gl-16","gl-18","gl-23"]}}',
        f'{{"t":"{iso(start + 64)}","ev":"model","params_m":1318,"ctx":3072,"dtype":"bf16","optim":"lion"}}',
        f'{{"t":"{iso(first - 9)}","ev":"data","shards":512,"tokens_b":61.3,"plan_steps":14000}}',
    ]
    time, step = first, 0
    while True:
        gap = sum(2.19 + rng.gauss(0, 0.02) for _ in range(20))
        step += 20
        time += gap
        if (time - first) % 3600 > 3572 - 10:
            time += 29
            out.append(
                f'{{"t":"{iso(time)}","ev":"save","step":{step},'
                f'"path":"/fs2/gannet/s{step:06d}","sec":28.{rng.randrange(9)}}}'
            )
        if time > dark - 0.5:
            break
        loss = 2.71 + 6.6 * math.exp(-step / 420) + 0.75 * math.exp(-step / 3300) + rng.gauss(0, 0.022)
        out.append(
            f'{{"t":"{iso(time)}","ev":"step","step":{step},"loss":{loss:.4f},'
            f'"gnorm":{0.41 + 2 * math.exp(-step / 300) + rng.gauss(0, 0.03):.3f}'
            f',"lr":{2.2e-4 * min(1, step / 400):.3e},"tok_s":{round(20 * 8 * 6 * 3072 / gap)}}}'
        )
    out += [
        "srun: error: Node failure on gl-18",
        f"slurmstepd: error: *** STEP 40771.0 ON gl-15 CANCELLED AT {at(end - 2, 0, '%Y-%m-%dT%H:%M:%S')} DUE "
        "TO NODE FAILURE, SEE "
        "SLURMCTLD LOG FOR DETAILS ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    write(place / "gannet-40771.jsonl", out)
    low, high = at(start, 0, "%Y-%m-%dT%H:%M:%S"), at(end, 0, "%Y-%m-%dT%H:%M:%S")
    form = "{:<14}{:>12} {:>10} {:>12} {:>8} {:>20} {:>20} {:>11} {:>22}"
    dash = ["-" * 12, "-" * 10, "-" * 10, "-" * 10, "-" * 8, "-" * 19, "-" * 19, "-" * 10, "-" * 20]
    write(place / "acct" / "sacct.txt", [
        form.format("JobID", "JobName", "Partition", "State", "ExitCode", "Start", "End", "Elapsed", "NodeList"),
        form.format(*dash),
        form.format("40771", "gannet", "l40", "NODE_FAIL", "0:0", low, high, "05:10:19", "gl-[15-16,18,23]"),
        form.format("40771.batch", "batch", "", "CANCELLED", "0:15", low, high, "05:10:19", "gl-15"),
        form.format("40771.0", "python3", "", "CANCELLED", "0:15", low, high, "05:10:19", "gl-[15-16,18,23]"),
    ])  # fmt: skip
    write(place / "acct" / "sinfo-R.txt", [
        "REASON               USER      TIMESTAMP           NODELIST",
        f"Not responding       slurm     {at(end - 3, 0, '%Y-%m-%dT%H:%M:%S')} gl-18",
    ])  # fmt: skip
    for node, host in enumerate(hosts):
        up = 1184000 + 70231 * node
        if node != 2:
            write(place / "dmesg" / f"{host}.txt", [
                f"[{up - 411231.0442 + node:.6f}] igb 0000:c4:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps "
                "Full Duplex",
                f"[{up - 20118.33171:.6f}] nfs: server fs2 not responding, still trying",
                f"[{up - 20112.90733:.6f}] nfs: server fs2 OK",
            ])  # fmt: skip
        else:
            write(place / "dmesg" / f"{host}.txt", [
                "[    0.000000] Linux version 5.15.0-139-generic (buildd@lcy02-amd64-067) (gcc 11.4.0) "
                "#149-Ubuntu SMP",
                "[    0.000000] Command line: BOOT_IMAGE=/vmlinuz-5.15.0-139-generic "
                "root=/dev/mapper/vg0-root ro quiet",
                "[    0.000000] DMI: Supermicro AS -2015CS-TNR/H13SSW, BIOS 1.7 08/02/2024",
                f"[    2.618840] rtc_cmos 00:02: setting system clock to {at(back, 0, '%Y-%m-%dT%H:%M:%S')} "
                f"UTC ({int(back)})",
                "[    9.117201] EXT4-fs (dm-0): recovery complete",
                "[    9.119874] EXT4-fs (dm-0): mounted filesystem with ordered data mode. Opts: (null). "
                "Quota mode: none.",
                "[   17.402113] nvidia-nvlink: Nvlink Core is being initialized, major device number 234",
                "[   17.880410] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.08  Tue Oct 15 "
                "00:11:44 UTC 2024",
            ])  # fmt: skip


def t16_heron(place: Path, rng: Random) -> None:
    """A crowded expert asks for more than is free, nine hours in."""
    start = epoch(0, 2026, 7, 2, 3, 12, 5)
    end = start + 538 * 60 + 2
    fell = end - 41
    first = start + 338
    hosts = ("atlas0112", "atlas0113", "atlas0127", "atlas0140")
    buses = ("0B", "13", "48", "4C", "88", "8B", "C9", "CB")
    times = [float(round(t)) for t in g.ticks(rng, start - 300, end + 300, 30)]
    cards = []
    for node, host in enumerate(hosts):
        for index in range(8):
            rank = node * 8 + index
            floor = 0.802 + rng.uniform(0, 0.03)
            rise = 0.02 + rng.uniform(0, 0.02)
            peak = [(first + rng.uniform(0, 30000), rng.uniform(0.001, 0.008)) for _ in range(6)]
            if rank == 21:
                floor, peak = 0.83, [(first + 3100, 0.022), (first + 14800, 0.024), (first + 25250, 0.018)]
            count = [0.0]

            def want(
                time: float, rank: int = rank, floor: float = floor, rise: float = rise,
                peak: list[tuple[float, float]] = peak,
            ) -> Load:  # fmt: skip
                if not start + 33 < time < end - 5 or (rank == 21 and time > fell + 4):
                    return Load()
                if time < start + 140:
                    return Load(fb=0.008, held=True)
                if time < first:
                    return Load(0.05, 0.01, 0, 0.03, 0.3, 0.05, held=True)
                held = floor + rise * min(1, (time - first) / 900) + sum(more for when, more in peak if time > when)
                if time > fell:
                    return g.spin(held)
                if (time - first) % 5718 > 5660:
                    return Load(0.1, 0.01, 0, 0.02, held, 0.06, held=True)
                return Load(0.96, 0.62, 0.34, 0.4, held, 0.7, 1.0, held=True)

            def touch(time: float, row: Row, rank: int = rank, count: list[float] = count) -> None:
                if rank == 10 and rng.random() < 0.011:
                    count[0] += 1
                row["sbe"] = count[0]

            cards.append(g.gpu(rng, g.A100, (host, index, buses[index]), times, want, touch))
    g.prom(
        place / "dcgm_range.json", cards,
        ("util", "fb", "power", "temp", "clock", "xid", "sbe", "dbe", "why", "engine", "sm", "dram"),
    )  # fmt: skip
    day = "%Y-%m-%d %H:%M:%S"
    out = [
        "using world size: 32, data-parallel size: 4, context-parallel size: 1, hierarchical context-parallel "
        "sizes: None, "
        "tensor-model-parallel size: 1, pipeline-model-parallel size: 8",
        "------------------------ arguments ------------------------",
        "  expert_model_parallel_size ...................... 4", "  global_batch_size "
            "............................... 384",
        "  lr .............................................. 0.00024", "  micro_batch_size "
            "................................ 2",
        "  moe_expert_capacity_factor ...................... None", "  moe_router_topk "
            "................................. 4",
        "  moe_token_dispatcher_type ....................... alltoall", "  num_experts "
            "..................................... 48",
        "  save_interval ................................... 500", "  seq_length "
            "...................................... 4096",
        "  train_iters ..................................... 36000",
        "-------------------- end of arguments ---------------------",
        "> building SentencePieceTokenizer tokenizer ...", "> initialized tensor model parallel with size 1",
        "> setting random seeds to 6071 ...", "time to initialize megatron (seconds): 96.318",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {at(start + 171, 0, day)} ",
        f"[after dataloaders are built] datetime: {at(first - 6, 0, day)} ", "done with setup ...", "training ...",
        f"[before the start of training step] datetime: {at(first, 0, day)} ",
    ]  # fmt: skip
    time, step = first, 0
    while True:
        step += 5
        ms = 11330 + rng.gauss(0, 60)
        time += 5 * ms / 1000
        if time > fell - 6:
            break
        loss = 2.18 + 7.4 * math.exp(-step / 150) + 0.9 * math.exp(-step / 1700) + rng.gauss(0, 0.018)
        rate = 2.4e-4 * min(1, step / 600)
        balance = 1.02 + 0.1 * math.exp(-step / 400) + abs(rng.gauss(0, 0.01))
        out.append(
            f" [{at(time, 0, day)}] iteration {step:8d}/   36000 | consumed samples: {step * 384:12d} | "
            "elapsed time per "
            f"iteration (ms): {ms:.1f} | throughput per GPU (TFLOP/s/GPU): {1548000 / ms:.1f} | learning "
            f"rate: {rate:.6E} | global "
            f"batch size:   384 | lm loss: {loss:.6E} | load_balancing_loss: {balance:.6E} | loss scale: 1.0 "
            "| grad norm: "
            f"{0.33 + 3 * math.exp(-step / 120) + rng.gauss(0, 0.02):.3f} | number of skipped iterations:   0 "
            "| number of nan "
            "iterations:   0 |"
        )
        if step % 500 == 0:
            out.append(f"saving checkpoint at iteration {step:7d} to /lustre/heron/ckpt in torch_dist format")
            out.append(
                f"  successfully saved checkpoint from iteration {step:7d} to /lustre/heron/ckpt [ t 1/1, p 1/8 ]"
            )
            time += 56
    base = "/opt/megatron-lm/"
    for text in (
        "Traceback (most recent call last):",
        f'  File "{base}pretrain_gpt.py", line 298, in <module>',
        "    pretrain(",
        f'  File "{base}megatron/training/training.py", line 412, in pretrain',
        "    iteration, num_floating_point_operations_so_far = train(",
        f'  File "{base}megatron/core/pipeline_parallel/schedules.py", line 1714, in '
        "forward_backward_pipelining_without_interleaving",
        "    output_tensor, num_tokens = forward_step(",
        f'  File "{base}megatron/core/transformer/moe/token_dispatcher.py", line 621, in token_permutation',
        "    global_input_tokens = all_to_all(",
        f'  File "{base}megatron/core/tensor_parallel/mappings.py", line 436, in forward',
        "    output = input.new_empty(",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.31 GiB. GPU 5 has a total capacity "
        "of 79.25 GiB of which "
        f"5.41 GiB is free. Process {rng.randint(200000, 900000)} has 73.84 GiB memory in use. Of the "
        "allocated memory 68.02 GiB "
        "is allocated by PyTorch, and 4.11 GiB is reserved by PyTorch but unallocated. If reserved but "
        "unallocated memory is "
        "large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.",
    ):
        out.append(f"[rank21]: {text}")
    pids = [rng.randint(310000, 320000) for _ in range(8)]
    zed = at(fell + 9, 0, "%m%d %H:%M:%S")
    out += [
        *[f"W{zed}.{217044 + 311 * n:06d} 309871 torch/distributed/elastic/multiprocessing/api.py:897] "
          f"Sending process {p} closing "
          "signal SIGTERM" for n, p in enumerate(pids) if n != 5],
        f"E{zed}.{884102 + rng.randrange(999)} 309871 torch/distributed/elastic/multiprocessing/api.py:869] "
        "failed (exitcode: 1) "
        f"local_rank: 5 (pid: {pids[5]}) of binary: /usr/bin/python",
        "srun: error: atlas0127: task 2: Exited with exit code 1",
        "srun: Terminating StepId=1190442.0",
        f"slurmstepd: error: *** STEP 1190442.0 ON atlas0112 CANCELLED AT {at(end - 12, 0, '%Y-%m-%dT%H:%M:%S')} ***",
        "srun: error: atlas0112: task 0: Terminated", "srun: error: atlas0113: task 1: Terminated",
        "srun: error: atlas0140: task 3: Terminated",
    ]  # fmt: skip
    write(place / "heron-1190442.out", out)
    low, high = at(start, 0, "%Y-%m-%dT%H:%M:%S"), at(end, 0, "%Y-%m-%dT%H:%M:%S")
    form = "{:<15}{:>10} {:>10} {:>10} {:>8} {:>20} {:>20} {:>10} {:>6}"
    write(place / "sacct.txt", [
        form.format("JobID", "JobName", "Partition", "State", "ExitCode", "Start", "End", "Elapsed", "NNodes"),
        form.format(*["-" * n for n in (12, 10, 10, 10, 8, 19, 19, 10, 6)]),
        form.format("1190442", "heron", "bigmem80", "FAILED", "1:0", low, high, "08:58:02", "4"),
        form.format("1190442.batch", "batch", "", "FAILED", "1:0", low, high, "08:58:02", "1"),
        form.format("1190442.extern", "extern", "", "COMPLETED", "0:0", low, high, "08:58:02", "4"),
        form.format("1190442.0", "bash", "", "FAILED", "1:0", at(start + 4, 0, "%Y-%m-%dT%H:%M:%S"), high,
                    "08:57:58", "4"),
    ])  # fmt: skip
