"""Incidents t09 to t16 of the twenty-sixth set, as their sites would hand them over. SIMULATED."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import Row, account, bare, dmon, learn, matrix, milli, smi_csv
from samples.redteam.twentyfourth.rig_site import (
    FREE,
    STEP_HEAD,
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
from samples.redteam.twentythird.rig_more import job, sacct, torchrun_end, when

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

MIN = 60.0


def t09(place: Path, rng: Random) -> None:
    """Megatron-LM on two nodes under Kubernetes."""
    begin = when(6, 7, 2, 11)
    start, nodes = begin + 26 * MIN, ("a100-pool-7f2k", "a100-pool-q9xd")
    iters, logged = 2000, []
    fault = begin + 12.4 * MIN + 0.318274
    phases: list[tuple[float, float, str]] = []
    first = start + 96
    at, evals = first, []
    for i in range(1, iters + 1):
        span = 4.03 * rng.gauss(1, 0.004) if i > 1 else 11.2
        at += span
        if i % 10 == 0:
            logged.append((at, i, 4.751 if i == 10 else span))
        if i % 500 == 0:
            evals.append((at, i))
            phases += [(at, at + 24, "eval"), (at + 24, at + 39, "save")]
            at += 39
    done = at
    tests = done + 49
    end = tests + 12

    def work(node: int, gpu: int, t: float) -> Work:
        if t < begin + 12.5 * MIN and node == 0 and gpu == 1:
            return shake(Work(0.41, 0.22, 0.06, 0.11, 21660, 60, 12), f"9n{gpu}{t}", 0.5)
        if t < start + 9 or t >= end - 3:
            return FREE
        if t < start + 41:
            return held(120)
        if t < first:
            return held(13480)
        mib = 51822 + 44 * gpu + 18 * node
        if t > done:
            return Work(0.94, 0.71, 0.37, 0.31, mib, 1300, 1200) if t < tests else held(mib)
        for low, high, what in phases:
            if low <= t < high:
                return Work(0.94, 0.71, 0.37, 0.31, mib, 1300, 1200) if what == "eval" else held(mib)
        return shake(Work(0.985, 0.79, 0.44, 0.36, mib, 3100, 3000), f"9{node}{gpu}{t}", 0.95)

    def alter(node: int, gpu: int, t: float, one: Row) -> Row:
        if node == 0 and gpu == 1 and t >= fault:
            one["XID_ERRORS"] = 31
        return one

    hall = Hall("A100", nodes, 2, work, begin, begin + 177 * MIN, 30, 2609, alter)
    matrix(place, "dcgm_a100-pool-7f2k.json", hall, bare(hall, "dcgm-exporter"), only=[0])
    image = "registry.inst.example/nlp/megatron:25.04-core0.12"
    command = [
        "torchrun",
        "--nnodes=2",
        "--nproc-per-node=2",
        "--rdzv-backend=c10d",
        "--rdzv-endpoint=gpt-1b3-wiki-master-0:23456",
        "pretrain_gpt.py",
        "--num-layers",
        "24",
        "--hidden-size",
        "2048",
        "--num-attention-heads",
        "16",
        "--seq-length",
        "2048",
        "--train-iters",
        "2000",
        "--global-batch-size",
        "128",
        "--save",
        "/ckpt/gpt-1b3-wiki",
        "--log-interval",
        "10",
    ]
    names = ("gpt-1b3-wiki-master-0", "gpt-1b3-wiki-worker-0")
    pods(place, "pods.json", "nlp", "gpt-1b3-wiki", names, nodes, image, command, 2, (start, end))
    still(
        place, "kern_a100-pool-7f2k.log", rng, hall, 0, "syslog", 0, [(fault, mmu("2A:00.0", 318842, "python3", rng))]
    )
    still(place, "kern_a100-pool-q9xd.log", rng, hall, 1, "syslog", 0)

    def stamp(t: float) -> str:
        return clock(t, 0)

    zero = [
        "using world size: 4, data-parallel size: 4, context-parallel size: 1, hierarchical context-parallel sizes:"
        " None, tensor-model-parallel size: 1, pipeline-model-parallel size: 1",
        "using torch.bfloat16 for parameters ...",
        "------------------------ Megatron arguments ------------------------",
        "  adam_beta1 ...................................... 0.9",
        "  adam_beta2 ...................................... 0.95",
        "  bf16 ............................................ True",
        "  clip_grad ....................................... 1.0",
        "  eval_interval ................................... 500",
        "  eval_iters ...................................... 20",
        "  global_batch_size ............................... 128",
        "  hidden_size ..................................... 2048",
        "  log_interval .................................... 10",
        "  lr .............................................. 0.0002",
        "  micro_batch_size ................................ 8",
        "  num_layers ...................................... 24",
        "  save ............................................ /ckpt/gpt-1b3-wiki",
        "  save_interval ................................... 500",
        "  seq_length ...................................... 2048",
        "  train_iters ..................................... 2000",
        "  use_distributed_optimizer ....................... True",
        "  world_size ...................................... 4",
        "-------------------- end of Megatron arguments ---------------------",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 1",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 1234 ...",
        "> compiling dataset index builder ...",
        "make: Entering directory '/workspace/Megatron-LM/megatron/core/datasets'",
        "make: Nothing to be done for 'default'.",
        "make: Leaving directory '/workspace/Megatron-LM/megatron/core/datasets'",
        ">>> done with dataset index builder. Compilation time: 0.038 seconds",
        "time to initialize megatron (seconds): 14.871",
        f"[after megatron is initialized] datetime: {stamp(start + 40)} ",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 1315819520",
        "> learning rate decay style: cosine",
        "WARNING: could not find the metadata file /ckpt/gpt-1b3-wiki/latest_checkpointed_iteration.txt",
        "    will not load any checkpoints and will start from random",
        "(min, max) time across ranks (ms):",
        "    load-checkpoint ................................: (0.88, 1.12)",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {stamp(start + 47)} ",
        "> building train, validation, and test datasets ...",
        " > datasets target sizes (minimum size):",
        "    train:      256000",
        "    validation: 12800",
        "    test:       2560",
        "> building train, validation, and test datasets for GPT ...",
        "> finished creating GPT datasets ...",
        f"[after dataloaders are built] datetime: {stamp(first - 4)} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {stamp(first)} ",
    ]
    last = [
        "(min, max) time across ranks (ms):",
        "    model-and-optimizer-setup ......................: (6021.18, 6044.90)",
    ]
    last.append("    train/valid/test-data-iterators-setup ..........: (42810.33, 44127.02)")
    line = "-" * 92
    for t, i, span in logged:
        lm = learn(rng, i, 10.98, 3.02, 62, 0.006)
        rate = 2e-4 * min(1, i / 100) if i <= 100 else 2e-5 + 1.8e-4 * (1 - ((i - 100) / 1900) ** 2)
        norm = max(0.24, 2.9 * (1 + i / 30) ** -0.6 * rng.gauss(1, 0.09))
        last.append(
            f" [{stamp(t)}] iteration {i:8d}/{iters:8d} | consumed samples: {i * 128:12d} |"
            f" elapsed time per iteration (ms): {span * 1000:.1f} |"
            f" throughput per GPU (TFLOP/s/GPU): {591.6 / span:.1f} |"
            f" learning rate: {rate:.6E} | global batch size: {128:5d} | lm loss: {lm:.6E} | loss scale: 1.0 |"
            f" grad norm: {norm:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if i == 10:
            last.append(
                "[Rank 3] (after 10 iterations) memory (MB) | allocated: 15103.83 | max allocated: 46772.10 |"
                " reserved: 50418.0 | max reserved: 50418.0"
            )
        if i % 500 == 0:
            val = learn(rng, i, 11.0, 3.06, 62, 0.002)
            said = (
                f" validation loss at iteration {i} | lm loss value: {val:.6E} | lm loss PPL: {2.718281828**val:.6E} | "
            )
            last += [line, said, line]
            zero += [
                "(min, max) time across ranks (ms):",
                f"    evaluate .......................................: "
                f"({23811.2 + i / 10:.2f}, {23812.9 + i / 10:.2f})",
                f"saving checkpoint at iteration {i:7d} to /ckpt/gpt-1b3-wiki in torch_dist format",
                f"  successfully saved checkpoint from iteration {i:7d} to /ckpt/gpt-1b3-wiki [ t 1/1, p 1/1 ]",
            ]
    zero.append(f"[after training is done] datetime: {stamp(done)} ")
    for what, val in (("validation", 3.4411), ("test", 3.4629)):
        said = (
            f" validation loss at iteration 2000 on {what} set | lm loss value: {val:.6E} |"
            f" lm loss PPL: {2.718281828**val:.6E} | "
        )
        last += ["-" * len(said), said, "-" * len(said)]
        zero += ["Evaluating on 2560 samples", *(f"Evaluating iter {k}/20" for k in range(1, 21))]
    put(place, "gpt-1b3-wiki-master-0.log", zero)
    put(place, "gpt-1b3-wiki-worker-0.log", last)


def t10(place: Path, rng: Random) -> None:
    """MaxText on one node of eight."""
    begin = when(13, 12, 31, 4)
    start, node = begin + 4 * MIN + 7, "hgx-ord1-r07u22"
    ready, first, steps = start + 71, start + 148, 800
    at, lines, saves = first, [], []
    out = [
        f"+ date -Is\n{clock(start, 0, '%Y-%m-%dT%H:%M:%S')}+00:00",
        "+ export XLA_PYTHON_CLIENT_MEM_FRACTION=0.90",
        "+ python3 -m MaxText.train MaxText/configs/base.yml run_name=l3-8b-c4-ablate7 model_name=llama3-8b"
        " base_output_directory=/lustre/exp/maxtext dataset_type=hf hf_path=allenai/c4 per_device_batch_size=4"
        " max_target_length=8192 steps=800 checkpoint_period=200"
        " attention=cudnn_flash_te hardware=gpu remat_policy=full",
        "Updating keys from env and command line: ['run_name', 'model_name', 'base_output_directory', 'dataset_type',"
        " 'hf_path', 'per_device_batch_size', 'max_target_length', 'steps', 'checkpoint_period', 'attention',"
        " 'hardware', 'remat_policy']",
        "Running Model: llama3-8b",
        "Jax system initialized on GPU: 8 devices, 1 process",
        "System Information: Jax Version: 0.5.3",
        "System Information: Jaxlib Version: 0.5.3",
        "System Information: Jax Backend: PJRT C API\ncuda 12080",
        "Config param adam_b1: 0.9",
        "Config param checkpoint_period: 200",
        "Config param enable_checkpointing: True",
        "Config param learning_rate: 3e-05",
        "Config param max_target_length: 8192",
        "Config param per_device_batch_size: 4.0",
        "Config param remat_policy: full",
        "Config param steps: 800",
        "Num_devices: 8, shape (1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1)",
        "Setting up checkpoint logger...",
        "Creating checkpoint manager...",
        "Checkpoint manager created!",
        "checkpoint manager exists so trying to load this run's existing checkpoint",
        "No existing checkpoints found, not restoring checkpoint.",
        "number parameters: 8.030 billion",
        "Memstats: After params initialized:",
        *(f"\tUsing (GB) 11.29 / 125.76 ({8.977556:.6f}%) on cuda:{g}" for g in range(8)),
        "Per train step:\n Total TFLOPs: 1806.90 \n split as 87.40% learnable weight flops and 12.60% attention flops",
    ]
    for i in range(steps):
        span = 4.04 * rng.gauss(1, 0.003) if i else 44.18
        at += span
        loss = learn(rng, i, 12.263, 4.31, 55, 0.007)
        lines.append(
            f"completed step: {i}, seconds: {span:.3f}, TFLOP/s/device: {1806.9 / span:.3f},"
            f" Tokens/s/device: {32768 / span:.3f}, total_weights: 262144, loss: {loss:.3f}"
        )
        if (i and i % 200 == 0) or i == steps - 1:
            lines.append(f"saved a checkpoint at step {i}")
            saves.append(at)
            at += 11
    done = at
    out += lines
    out += [f"+ date -Is\n{clock(done + 9, 0, '%Y-%m-%dT%H:%M:%S')}+00:00", "+ echo rc=0\nrc=0"]
    put(place, "slurm-771930.out", out)

    def work(_node: int, gpu: int, t: float) -> Work:
        if t < start + 22 or t >= done + 6:
            return FREE
        mib = 129600.0 + 6 * gpu
        if t < ready:
            return held(mib)
        if t < first + 44:
            return Work(0.05, 0.02, 0.0, 0.01, mib) if gpu else Work(0.11, 0.05, 0.01, 0.02, mib)
        if any(s <= t < s + 11 for s in saves):
            return Work(0.04, 0.0, 0.0, 0.01, mib, 90, 4100)
        return shake(Work(0.992, 0.83, 0.49, 0.42, mib, 210, 180), f"10{gpu}{t}", 0.96)

    spots = {(0, 3): [begin + m * MIN for m in (9.2, 21.7, 22.9, 38.4, 51.1, 63.6)], (0, 6): [begin + 44.3 * MIN]}
    hall = Hall("H200", (node,), 8, work, begin, begin + 70 * MIN, 30, 2610, ticks(spots, 0))
    matrix(place, f"dcgm-{node}.json", hall, bare(hall, "dcgm", cluster="ord1"))
    still(place, f"dmesg-{node}.txt", rng, hall, 0, "dmesg", 0, flavour="noble")


def t11(place: Path, rng: Random) -> None:
    """Two workstations of four, FSDP by hand, host network."""
    begin, east = when(14, 2, 18, 40), 480
    start = begin + 5.2 * MIN
    end, nodes = start + 3600 + 19, ("ws4090-03", "ws4090-04")

    def work(node: int, gpu: int, t: float) -> Work:
        if t < start + 14 + 0.7 * gpu + node or t >= end - 2:
            return FREE
        return held(-122)

    hall = Hall("4090", nodes, 4, work, begin, begin + 72 * MIN, 5, 2611)
    for n, host in enumerate(nodes):
        matrix(place, f"{host}_dcgm.json", hall, bare(hall, "dcgm-exporter"), only=[n], keep=coarse)
    command = ["python", "train_fsdp.py", "--model", "qwen2.5-3b", "--spawn", "4", "--data", "/mnt/nas/instr_mix_v4"]
    names = ("zq-fsdp3b-master-0", "zq-fsdp3b-worker-0")
    image = "harbor.lab.example/zq/torch:2.6.0-cu124"
    pods(place, "pods.json", "zq", "zq-fsdp3b", names, nodes, image, command, 4, (start, end), 1)
    whole = json.loads((place / "pods.json").read_text())
    for i, one in enumerate(whole["items"]):
        one["spec"]["hostNetwork"] = True
        one["spec"]["containers"][0]["env"] = [
            {"name": "MASTER_ADDR", "value": "10.20.4.103"},
            {"name": "MASTER_PORT", "value": "29512"},
            {"name": "WORLD_SIZE", "value": "2"},
            {"name": "RANK", "value": str(i)},
            {"name": "NCCL_SOCKET_IFNAME", "value": "eno1"},
        ]
        one["status"]["hostIP"] = one["status"]["podIP"] = f"10.20.4.10{3 + i}"
    put(place, "pods.json", json.dumps(whole, indent=4) + "\n")
    dropped = []
    for r in range(4):
        at = start + 16.2 + 0.7 * r
        while at < end - 60:
            port, first_id = rng.randrange(33000, 60900), rng.randrange(65000)
            for nth, k in enumerate((0, 1, 3, 7, 15, 31, 63)):
                said = (
                    "[UFW BLOCK] IN=eno1 OUT= MAC=a0:36:bc:5e:11:9c:a0:36:bc:5e:12:44:08:00 SRC=10.20.4.104"
                    f" DST=10.20.4.103 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID={first_id + nth} DF PROTO=TCP"
                    f" SPT={port} DPT=29512 WINDOW=64240 RES=0x00 SYN URGP=0 "
                )
                dropped.append((at + k * 1.017 + rng.random() / 50, said))
            at += 131.1 + rng.random()
    kept, tokens, before = [], 10.0, start
    for t, said in sorted(dropped):
        tokens, before = min(10.0, tokens + (t - before) / 20), t
        if tokens >= 1:
            tokens -= 1
            kept.append((t, said))
    fright = [
        (begin - 90021.413902, "ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PC00.RP01.PXSX], AE_NOT_FOUND"),
        (begin - 90021.412877, "ACPI Error: Aborting method \\_SB.PC00.RP01._PRW due to previous error (AE_NOT_FOUND)"),
        (begin - 40117.938155, "snd_hda_intel 0000:3a:00.1: CORB reset timeout#2, CORBRP = 65535"),
        (begin - 8002.741266, "usb 1-7: device descriptor read/64, error -71"),
        (begin + 31 * MIN + 0.129417, "usb 1-7: device descriptor read/64, error -71"),
        (begin + 31 * MIN + 0.441902, "usb usb1-port7: unable to enumerate USB device"),
    ]
    still(place, f"{nodes[0]}_kern.log", rng, hall, 0, "syslog", east, [*kept, *fright])
    hall2 = [(t + 1300.7, said) for t, said in fright[:3]]
    died = "gnome-shell[2841]: segfault at 18 ip 00007f2c9d0b1a40 sp 00007ffd2a9c1b70 error 4 in libmutter-10.so.0.0.0"
    hall2.append((begin + 18.8 * MIN + 0.207713, died + "[7f2c9cf6e000+17b000]"))
    still(place, f"{nodes[1]}_kern.log", rng, hall, 1, "syslog", east, hall2)


def t12(place: Path, rng: Random) -> None:
    """Four nodes of two V100, a language model from scratch."""
    begin, east = when(20, 21, 4, 22), -360
    start = begin + 3.4 * MIN
    nodes = tuple(f"gpu-v100-{n:02d}" for n in (5, 6, 9, 11))
    cached, first = start + 86 * MIN, start + 87.6 * MIN
    steps, at, seen = 60, start + 87.6 * MIN, []

    def say(t: float, what: str, level: str = "信息") -> str:
        return f"{milli(t, east)} [{level}] {what}"

    for i in range(1, steps + 1):
        span = rng.gauss(8.62, 0.07) if i > 1 else 16.4
        at += span
        seen.append((at, i, span))
    done = at
    end = done + 31
    out = [
        say(start + 9.1, "进程 0/8 启动,主机 gpu-v100-05,本地卡 0"),
        say(start + 9.2, "配置: model=zhlm-390m layers=24 hidden=1024 heads=16 seq_len=1024 vocab=32000"),
        say(
            start + 9.2,
            "配置: epochs=3 micro_batch=6 grad_accum=8 lr=3e-4 warmup=600 fp16=True seed=20261 max_steps=60",
        ),
        say(start + 9.3, "配置: data=/data/corpus/zh_web_2026q2 out=/data/exp/zhlm-base resume=None"),
        say(start + 10.0, "未找到分词缓存,开始分词 (128 个分片,每个进程 16 个)"),
    ]
    spots = [start + 10 + k * 86 * MIN / 16.03 + rng.uniform(-9, 9) for k in range(1, 17)]
    out += [say(t, f"分词进度 {k}/16 (进程 0)") for k, t in enumerate(spots, 1)]
    out += [
        say(cached + 21, "分词完成: 2,399,232 条样本,2,456,813,568 个 token"),
        say(cached + 33, "init_process_group backend=nccl world_size=8 完成"),
        say(cached + 52, "模型参数量 389.6M,优化器 AdamW"),
        say(cached + 58, "每个 epoch 6248 步,3 个 epoch 共 18744 步"),
        say(first - 1, "开始训练"),
    ]
    for t, i, span in seen:
        if i % 2 == 0 or i == 1:
            loss = 10.44 - 2.31 * (1 - 2.718 ** (-i / 34)) * 1.2 + rng.gauss(0, 0.04)
            norm = max(1.2, 6.1 - i / 20 + rng.gauss(0, 0.4))
            out.append(
                say(
                    t,
                    f"epoch 0 步 {i}/18744 损失 {loss:.4f} 梯度范数 {norm:.3f} 学习率 {3e-4 * i / 600:.2e}"
                    f" {span:.2f} 秒/步 {393216 / span:.0f} token/秒",
                )
            )
    out += [
        say(done + 0.2, "达到 max_steps=60,退出训练循环"),
        say(done + 14.6, "模型已保存: /data/exp/zhlm-base/step_60.pt (4.4 GB)"),
        say(done + 15.1, f"总用时 {(done - start) / 60:.1f} 分钟,其中训练 {(done - first) / 60:.1f} 分钟"),
        say(end - 8, "销毁进程组,正常退出"),
    ]
    put(place, "logs/zhlm-base-master-0.log", out)
    for n in range(1, 4):
        some = [say(start + 9 + n, f"进程 {2 * n}/8 启动,主机 {nodes[n]},本地卡 0")]
        for k in range(1, 17):
            spot = start + 10 + k * 85.3 * MIN / 16.1 + rng.uniform(-20, 20)
            some.append(say(spot, f"分词进度 {k}/16 (进程 {2 * n})"))
        some += [say(cached + 33.2 + n / 10, "init_process_group backend=nccl world_size=8 完成")]
        some += [say(end - 8 + n / 10, "销毁进程组,正常退出")]
        put(place, f"logs/zhlm-base-worker-{n - 1}.log", some)

    def work(node: int, gpu: int, t: float) -> Work:
        if t < cached + 24 or t >= end - 8:
            return FREE
        mib = 26410.0 + 28 * gpu + 14 * node
        if t < first:
            return held(1480 if t < cached + 46 else 6210)
        if t >= done:
            return held(mib)
        return shake(Work(0.975, 0.77, 0.39, 0.41, mib, 1900, 1800), f"12{node}{gpu}{t}", 0.94)

    hall = Hall("V100", nodes, 2, work, begin, begin + 112 * MIN, 30, 2612)
    for n, host in enumerate(nodes):
        form = "CLOCK_THROTTLE_REASONS"
        matrix(place, f"metrics/{host}.json", hall, bare(hall, "dcgm"), only=[n], form=form)
        still(place, f"kernel/{host}.journal.txt", rng, hall, n, "journalctl", east)
    earlier = when(17, 14, 11, 9)
    names = ("zhlm-base-master-0", "zhlm-base-worker-0", "zhlm-base-worker-1", "zhlm-base-worker-2")
    command = ["torchrun", "--nnodes=4", "--nproc_per_node=2", "pretrain.py", "--config", "conf/zhlm_base.yaml"]
    image = "hub.inner.example/lm/pt:2.3.1-cu121"
    pods(
        place,
        "pods_20261019.json",
        "lm",
        "zhlm-base",
        names,
        nodes,
        image,
        command,
        2,
        (earlier, earlier + 40 * 3600 + 905),
    )


def t13(place: Path, rng: Random) -> None:
    """One V100, a video model in Spanish."""
    begin, east = when(3, 22, 40, 7, month=12), -480
    start, host, pid = begin + 2.3 * MIN, "nodo-v100-2", 20871
    died = begin + 27.62 * MIN + 0.117346
    first = start + 52
    code = "/home/lquiroga/accion/entrenar.py"
    out = [
        f"Trabajo 2210457 en {host}, {clock(start, east, '%a %b %e %H:%M:%S PST %Y')}",
        f"{clock(start + 6, east)} INFO  cargando configuración de conf/tsm_r50_kinetics.yaml",
        f"{clock(start + 7, east)} INFO  dispositivo: cuda:0 (Tesla V100-SXM2-32GB)",
        f"{clock(start + 9, east)} INFO  modelo TSM-R50, 24.3 M de parámetros, AMP activado",
        f"{clock(start + 31, east)} INFO  índice de vídeos: 122 408 de entrenamiento, 4 981 de validación",
        f"{clock(start + 31, east)} INFO  lote 48, 8 segmentos,"
        f" lectura en el proceso principal (num_workers=0, 6 hilos)",
        f"{clock(start + 33, east)} INFO  época 1 de 25, 2550 iteraciones",
    ]
    at, i = first, 0
    while True:
        span = rng.gauss(1.141, 0.006) * 25
        if at + span > died:
            break
        at, i = at + span, i + 25
        loss = learn(rng, i, 5.99, 2.4, 620, 0.02)
        out.append(
            f"{clock(at, east)} INFO  ép 1 it {i:4d}/2550  pérdida {loss:.4f}"
            f"  top1 {max(0.2, 44 * (1 - loss / 6)):5.2f}"
            f"  lr {0.01 * min(1, i / 500):.5f}  {span / 25:.3f} s/it"
        )
    out.append(
        f"/var/spool/slurmd/job2210457/slurm_script: line 22: {pid} Segmentation fault      (core dumped)"
        f" python -u {code} --conf conf/tsm_r50_kinetics.yaml"
    )
    put(place, "accion-2210457.out", out)

    def work(_node: int, _gpu: int, t: float) -> Work:
        if t < start + 8 or t >= died + 2.5:
            return FREE
        if t < first:
            return held(640)
        return shake(Work(0.86, 0.66, 0.27, 0.44, 25870, 700, 90), f"13{t}", 0.88)

    hall = Hall("V100", (host,), 1, work, begin, begin + 33 * MIN, 15, 2613)
    columns = [
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
    ]
    smi_csv(place, f"smi_{host}.csv", hall, 0, east, columns)
    said = (
        f"python[{pid + 19}]: segfault at 7f1a2c3ff010 ip 00007f1bd4a8e1c7 sp 00007f1b6a7fb4d8 error 4 in"
        " libavcodec.so.58.134.100[7f1bd45d1000+c3e000]"
    )
    more = (
        "Code: 0f 6f 44 0a 30 f3 0f 7f 04 0f f3 0f 7f 4c 0f 10 f3 0f 7f 54 0f 20 f3 0f 7f 5c 0f 30 c3 <f3> 0f 6f 04 16"
    )
    still(place, f"kern_{host}.log", rng, hall, 0, "syslog", east, [(died, said), (died + 0.00003, more)])


def t14(place: Path, rng: Random) -> None:
    """Three nodes of four RTX A6000, every rank writes a line."""
    begin, east = when(11, 1, 9, 30, month=11), -480
    start = begin + 4.1 * MIN
    nodes = ("rtx-a6k-01", "rtx-a6k-02", "rtx-a6k-05")
    names = tuple(f"segm-hi-res-{n}" for n in range(3))
    froze, killed = begin + 88.37 * MIN, begin + 149.2 * MIN
    first, lost, mib = start + 74, (1, 2), 41210.0
    logs: list[list[str]] = [[], [], []]

    def say(t: float, rank: int, what: str) -> None:
        logs[rank // 4].append(f"{clock(t, east, '%m-%d %H:%M:%S')} r{rank:02d} {what}")

    for r in range(12):
        say(start + 11 + 0.3 * (r % 4), r, f"up on {nodes[r // 4]} cuda:{r % 4} pid {41 + r % 4}")
    for r in range(12):
        say(start + 27, r, "pg ok world=12 backend=nccl timeout=1 day, 0:00:00")
    for r in range(12):
        say(start + 55, r, f"shard {r}/12: 18,412 tiles, 1534 it per epoch, 20 epochs")
    at, i = first, 0
    while True:
        span = rng.gauss(2.204, 0.008) * 20
        if at + span > froze:
            break
        at, i = at + span, i + 20
        for r in range(12):
            loss = learn(rng, i, 1.92, 0.21, 160, 0.05)
            wait = rng.uniform(0.002, 0.009)
            ep = (i - 1) // 1534
            say(
                at + rng.random() / 3,
                r,
                f"ep {ep} it {i - ep * 1534} loss {loss:.4f} {span / 20:.3f}s/it data {wait:.3f}s",
            )
    for n in range(3):
        put(place, f"{names[n]}.log", logs[n])

    def work(node: int, gpu: int, t: float) -> Work:
        if t < start + 13 or t >= killed + 6:
            return FREE
        used = mib + 62 * (gpu % 2) + 11 * node
        if t < first:
            return held(420 if t < start + 40 else 5100)
        if t >= froze:
            return held(used) if (node, gpu) == lost else spin(used)
        return shake(Work(0.98, 0.81, 0.37, 0.48, used, 4800, 4700), f"14{node}{gpu}{t}", 0.94)

    hall = Hall("A6000", nodes, 4, work, begin, begin + 155 * MIN, 30, 2614)

    def labels(n: int, g: int) -> dict[str, str]:
        return {
            "DCGM_FI_DRIVER_VERSION": hall.of.driver,
            "Hostname": nodes[n],
            "UUID": hall.uuid(n, g),
            "container": "nvidia-dcgm-exporter",
            "device": f"nvidia{g}",
            "endpoint": "gpu-metrics",
            "exported_container": "main",
            "exported_namespace": "geo",
            "exported_pod": names[n],
            "gpu": str(g),
            "instance": f"10.42.{n + 2}.17:9400",
            "job": "nvidia-dcgm-exporter",
            "modelName": hall.of.name,
            "namespace": "gpu-operator",
            "pci_bus_id": f"00000000:{hall.bus(g)}",
            "pod": f"nvidia-dcgm-exporter-{('x7k2p', 'b9wqz', 'm4tld')[n]}",
            "service": "nvidia-dcgm-exporter",
        }

    matrix(place, "dcgm_geo.json", hall, labels)
    whole = json.loads((place / "dcgm_geo.json").read_text())
    parts = []
    for one in whole["data"]["result"]:
        of, values = one["metric"], one["values"]
        bare_of = {k: v for k, v in of.items() if not k.startswith("exported_")}
        outside = [v for v in values if not start <= v[0] < killed + 8]
        parts.append({"metric": bare_of, "values": outside})
        parts.append({"metric": of, "values": [v for v in values if start <= v[0] < killed + 8]})
    whole["data"]["result"] = parts
    put(place, "dcgm_geo.json", json.dumps(whole, separators=(",", ":")))


def t15(place: Path, rng: Random) -> None:
    """Four nodes of eight H100, FSDP of a 7B model."""
    begin, east = when(21, 16, 12, 3), -360
    start, nodes = begin + 2.6 * MIN, ("gx-111", "gx-112", "gx-113", "gx-114")
    first, bad, died = start + 88, (3, 5), begin + 17.87 * MIN
    end = died + 41

    def work(node: int, gpu: int, t: float) -> Work:
        if t < start + 12 or t >= died + (7 if node == 3 else 36):
            return FREE
        mib = 62110.0 + 37 * gpu + 5 * node
        if t < first:
            return held(900 if t < start + 30 else 10800)
        if t >= died:
            return held(mib) if node == 3 else spin(mib)
        return shake(Work(0.985, 0.8, 0.42, 0.39, mib, 5200, 5100), f"15{node}{gpu}{t}", 0.95)

    def alter(node: int, gpu: int, t: float, one: Row) -> Row:
        if (node, gpu) == bad and t >= died - 0.6:
            one |= {"XID_ERRORS": 94, "ECC_DBE_VOL_TOTAL": 1, "UNCORRECTABLE_REMAPPED_ROWS": 1}
        return one

    hall = Hall("H100", nodes, 8, work, begin, begin + 23 * MIN, 30, 2615, alter)
    matrix(place, "prom_dcgm_510882.json", hall, bare(hall, "dcgm-exporter"))
    bus = "NVRM: Xid (PCI:0000:ab:00):"
    xids = [
        (
            died - 0.52,
            f"{bus} 48, pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected on"
            " GPU in the framebuffer at partition 9, subpartition 1.",
        ),
        (
            died - 0.519,
            f"{bus} 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000003f1c42) marked for"
            " remapping, reset gpu to activate.",
        ),
        (died - 0.47, f"{bus} 94, pid=66305, name=python, Contained: SM (0x1). RST: No, D-RST: No"),
        (died - 0.46, f"{bus} 154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)"),
    ]
    for n, host in enumerate(nodes):
        still(place, f"journal_{host}.txt", rng, hall, n, "journalctl", east, xids if n == 3 else (), "noble")

    def say(t: float, what: str, name: str = "trainer", level: str = "INFO") -> str:
        return f"{milli(t, east)} {level:<7} {name}: {what}"

    out = [
        say(start + 14, "torch 2.7.1+cu128, 32 ranks on 4 hosts, rank 0 on gx-111", "launch"),
        say(start + 15, "run rl-warm-7b-k4, seed 417, commit 8be1f02", "launch"),
        say(start + 33, "built decoder: 32 layers, d=4096, 6.74B parameters, FSDP full shard, bf16", "model"),
        say(start + 58, "data: 1,204 shards under /scratch/mix_k4, first batch in 1.8 s", "data"),
        say(start + 86, "starting at step 0 of 24000, global batch 512 x 4096 tokens"),
    ]
    at, i = first, 0
    while True:
        span = rng.gauss(4.62, 0.02) * 5
        if at + span > died - 0.8:
            break
        at, i = at + span, i + 5
        loss = learn(rng, i, 11.1, 4.4, 36, 0.006)
        out.append(
            say(
                at,
                f"step {i} loss {loss:.4f} gnorm {max(0.7, 7 * (1 + i / 12) ** -0.7 * rng.gauss(1, 0.07)):.3f}"
                f" lr {3e-4 * i / 1000:.3e} {2097152 / span * 5 / 32:.0f} tok/s/gpu mem 58.9G",
            )
        )
    lib = "/opt/venv/lib/python3.11/site-packages/torch"
    out += [
        f"[rank29]: {one}"
        for one in (
            "Traceback (most recent call last):",
            '  File "/home/dvargas/rlwarm/train.py", line 311, in <module>',
            "    main()",
            '  File "/home/dvargas/rlwarm/train.py", line 268, in main',
            "    stats = trainer.step(batch)",
            "            ^^^^^^^^^^^^^^^^^^^",
            '  File "/home/dvargas/rlwarm/trainer.py", line 142, in step',
            "    gnorm = self.model.clip_grad_norm_(self.cfg.clip)",
            "            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{lib}/utils/_contextlib.py", line 116, in decorate_context',
            "    return func(*args, **kwargs)",
            "           ^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{lib}/distributed/fsdp/fully_sharded_data_parallel.py", line 1181, in clip_grad_norm_',
            "    total_norm = total_norm.to(total_norm_dtype)",
            "RuntimeError: CUDA error: uncorrectable ECC error encountered",
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below"
            " might be incorrect.",
            "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
            "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
            "",
        )
    ]
    others = " ".join(str(66300 + k) for k in range(8) if k != 5)
    out += torchrun_end(died + 3, east, "gx-114", "train.py", 29, 5, 66305, 66211, 1, others)
    out += [
        "srun: error: gx-114: task 3: Exited with exit code 1",
        "srun: Terminating StepId=510882.0",
        f"slurmstepd: error: *** STEP 510882.0 ON gx-111 CANCELLED AT {clock(died + 9, east, '%Y-%m-%dT%H:%M:%S')} ***",
    ]
    for k, agent in enumerate((88120, 70441, 93018)):
        stamp = clock(died + 9, east, "%m%d %H:%M:%S")
        api = f"{agent} site-packages/torch/distributed/elastic"
        out.append(
            f"W{stamp}.{612 + k}000 {api}/agent/server/api.py:719] Received 15 death signal, shutting down workers"
        )
    caught = "torch.distributed.elastic.multiprocessing.api.SignalException: Process"
    out += [f"{caught} {agent} got signal: 15" for agent in (93018, 88120, 70441)]
    out += [f"srun: error: gx-11{k + 1}: task {k}: Exited with exit code 1" for k in range(3)]
    put(place, "rl-warm-7b-k4-510882.out", out)
    tres = "billing=512,cpu=384,gres/gpu=32,mem=6000G,node=4"
    rows = step_rows(
        "510882",
        "rl-warm-7b-k4",
        "dvargas",
        "hopper",
        ("FAILED", "1:0"),
        ("FAILED", "1:0"),
        ("FAILED", "1:0"),
        (start, end),
        east,
        tres,
        "gx-[111-114]",
        "gx-111",
    )
    account(place, "sacct_510882.txt", rows, STEP_HEAD, bars=True)


def t16(place: Path, rng: Random) -> None:
    """Eight A100, a CLIP of images and captions."""
    begin, east = when(27, 20, 38, 30), 60
    start, host = begin + 5.3 * MIN, "lake07"
    end = start + 5400 + 22
    batch, batches, each = 4096, 2682, 0.632
    first = start + 77
    out: list[str] = []
    evals: list[tuple[float, float]] = []

    def say(t: float, what: str) -> None:
        out.append(f"{clock(t, east, '%Y-%m-%d,%H:%M:%S')} | INFO | {what}")

    say(
        start + 31,
        "Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 8.",
    )
    say(start + 31, "Loaded ViT-B-16 model config.")
    say(start + 39, "Model:")
    out.append(
        "CLIP(\n  (visual): VisionTransformer(\n    "
        "(conv1): Conv2d(3, 768, kernel_size=(16, 16), stride=(16, 16), bias=False)"
    )
    out.append("    (patch_dropout): Identity()\n    (transformer): Transformer( ... )\n  )\n)")
    say(start + 39, "Params:")
    for what in (
        "accum_freq: 1",
        "aug_cfg: {}",
        "batch_size: 512",
        "dataset_type: webdataset",
        "epochs: 32",
        "grad_checkpointing: True",
        "imagenet_val: /p/scratch/imagenet/val",
        "log_every_n_steps: 100",
        "lr: 0.001",
        "model: ViT-B-16",
        "name: b16_cc12m_dedup",
        "precision: amp_bf16",
        "resume: None",
        "save_frequency: 1",
        "train_num_samples: 10968539",
        "warmup: 2000",
        "workers: 6",
        "world_size: 8",
        "zeroshot_frequency: 1",
    ):
        say(start + 39, f"  {what}")
    at, step, ep, logit = first, 0, 0, 14.286
    total: list[float] = []
    while at < end:
        say(at - 0.3, f"Start epoch {ep}")
        total = []
        for i in range(batches):
            at += each * rng.gauss(1, 0.01) + (9.5 if i == 0 else 0)
            if at >= end - 0.2:
                break
            if i % 100 == 0 or i == batches - 1:
                loss = learn(rng, step, 8.33, 1.6, 900, 0.03)
                total.append(loss)
                logit = 14.286 + 22 * (1 - 2.718 ** (-step / 5200))
                data, span = rng.uniform(0.018, 0.031), rng.gauss(each, 0.004)
                if i == 0:
                    data, span = 8.9 + rng.random(), 10.4
                seen = (i + 1) * batch
                lr = 1e-3 * min(1, (step + 1) / 2000)
                rate = batch / span
                say(
                    at,
                    f"Train Epoch: {ep} [{seen:>8}/{batches * batch} ({100.0 * i / (batches - 1):.0f}%)] "
                    f"Data (t): {data:.3f}"
                    f" Batch (t): {span:.3f}, {rate:#g}/s, {rate / 8:#g}/s/gpu LR: {lr:5f} Logit Scale: {logit:.3f}"
                    f" Contrastive_loss: {loss:#.5g} ({sum(total) / len(total):#.5g})"
                    f" Loss: {loss:#.5g} ({sum(total) / len(total):#.5g})",
                )
            step += 1
        else:
            ep += 1
            low = at
            say(at + 0.6, "Starting zero-shot imagenet.")
            say(at + 0.6, "Building zero-shot classifier")
            say(at + 14, "Using classifier")
            at += 58
            top = (0.0, 0.0913, 0.1688, 0.2154, 0.24)[ep]
            say(at, "Finished zero-shot imagenet.")
            say(
                at,
                f"Eval Epoch: {ep} imagenet-zeroshot-val-top1: {top:.4f}\timagenet-zeroshot-val-top5: {top * 2.18:.4f}",
            )
            at += 4
            evals.append((low, at))
            continue
        break
    out.append(
        f"slurmstepd: error: *** JOB 331207 ON {host} CANCELLED AT {clock(end, east, '%Y-%m-%dT%H:%M:%S')}"
        " DUE TO TIME LIMIT ***"
    )
    stamp = clock(end, east, "%m%d %H:%M:%S")
    api = "193377 torch/distributed/elastic"
    out.append(f"W{stamp}.218000 {api}/agent/server/api.py:704] Received 15 death signal, shutting down workers")
    closing = f"{api}/multiprocessing/api.py:897] Sending process"
    out += [f"W{stamp}.{219 + k}000 {closing} {193402 + k} closing signal SIGTERM" for k in range(8)]
    put(place, "b16_cc12m_dedup.331207.log", out)

    def work(_node: int, gpu: int, t: float) -> Work:
        if t < start + 27 or t >= end + 3:
            return FREE
        mib = 58730.0 + 21 * gpu
        if t < first + 9:
            return held(690 if t < start + 38 else 2790)
        if any(a <= t < b for a, b in evals):
            return shake(Work(0.62, 0.35, 0.17, 0.16, mib), f"16e{gpu}{t}", 0.6) if gpu == 0 else spin(mib)
        return shake(Work(0.975, 0.76, 0.41, 0.39, mib), f"16{gpu}{t}", 0.93)

    holes = [(begin + 29.4 * MIN, begin + 36.1 * MIN), (begin + 61.2 * MIN, begin + 62.6 * MIN)]
    holes.append((begin + 80.0 * MIN, begin + 83.3 * MIN))
    hall = Hall("A100", (host,), 8, work, begin, begin + 104 * MIN, 15, 2616, holes=holes)
    without = ("GRACT", "SMACT", "TENSO", "DRAMA")
    dmon(place, f"dcgmi_{host}.txt", hall, 0, east, "%Y-%m-%dT%H:%M:%S", without)
    still(place, f"dmesg_{host}.txt", rng, hall, 0, "dmesg", east, flavour="rocky")
    times = (start - 2411, start, end)
    rows = [
        job("331207", "b16_cc12m_dedup", "booster", "TIMEOUT", "0:0", times, east, "01:30:00", (1, host)),
        job("331207.batch", "batch", "", "CANCELLED", "0:15", (start, start, end + 3), east, "", (1, host)),
        job("331207.extern", "extern", "", "COMPLETED", "0:0", (start, start, end), east, "", (1, host)),
    ]
    sacct(place, "sacct_331207.txt", rows, bars=False)
