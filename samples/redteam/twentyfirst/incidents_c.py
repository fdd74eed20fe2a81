"""Incidents t13 to t18 of the twenty-first set, as the lot has them. SIMULATED: no line is from a real job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, epoch, milli, put

from .gear_more import (
    ISO,
    NOBODY,
    Job,
    Load,
    Loss,
    Rack,
    Values,
    as_json,
    bare,
    bars,
    by_metric,
    calm,
    glued,
    kernel,
    meter,
    nudge,
    rate,
    series,
    smi,
    span,
    victoria,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

PROF = ("GR_ENGINE_ACTIVE", "SM_ACTIVE", "PIPE_TENSOR_ACTIVE", "DRAM_ACTIVE", "PCIE_TX_BYTES", "PCIE_RX_BYTES")


def t13(place: Path, rng: Random) -> None:
    """F3: timm on two nodes of an hour's queue; at the hour the scheduler ends it, in the fifth epoch of 300."""
    east = 540
    begin = epoch("2026-11-04 13:21:07", east)
    end = begin + 3624
    nodes = ["gl03", "gl04"]
    first = begin + 71
    step, per, evals = 0.292, 2502, 46.0
    log = [
        "+ srun torchrun --nnodes=2 --nproc_per_node=1 --rdzv_backend=c10d --rdzv_endpoint=gl03:29400 train.py "
        "/groups/vision/imagenet --model convnext_tiny -b 256 --amp --opt adamw --lr 1e-3 --epochs 300 "
        "--warmup-epochs 20 --warmup-lr 2e-4",
        "Training in distributed mode with multiple processes, 1 device per process.Process 1, total 2, device cuda:0.",
        "Training in distributed mode with multiple processes, 1 device per process.Process 0, total 2, device cuda:0.",
        "Model convnext_tiny created, param count:28589128",
        "Data processing configuration for current model + dataset:",
        "\tinput_size: (3, 224, 224)",
        "\tinterpolation: bicubic",
        "\tmean: (0.485, 0.456, 0.406)",
        "\tstd: (0.229, 0.224, 0.225)",
        "\tcrop_pct: 0.875",
        "\tcrop_mode: center",
        "Created AdamW (adamw) optimizer: lr: 0.001, betas: (0.9, 0.999), eps: 1e-08, weight_decay: 0.05, amsgrad: "
        "False",
        "Using native Torch AMP. Training in mixed precision.",
        "Using native Torch DistributedDataParallel.",
        "Scheduled epochs: 300 (epochs + cooldown_epochs). Warmup within epochs when warmup_prefix=False. LR stepped "
        "per epoch.",
    ]
    loss, best, tests = Loss(rng, 6.98, 2.3, 1900, 0.012, 0.42), [], []
    t, epoch_no = first, 0
    while t < end - 5:
        avg = slow = late = 0.0
        for at in (*range(0, per, 50), per - 1):
            if at and t >= end - 5:
                break
            took = step * rng.gauss(1, 0.02) if at else step + rng.uniform(1.4, 2.6)
            data = rng.uniform(0.006, 0.011) if at else took - 0.3
            now = loss.at(epoch_no * per + at)
            share = 1 / (at / 50 + 1)
            avg += (now - avg) * share
            slow, late = (took, data) if at == 0 else (slow, late)
            time_avg = (slow + step * at) / (at + 1)
            data_avg = (late + 0.0085 * at) / (at + 1)
            lr = 2e-4 + (1e-3 - 2e-4) * epoch_no / 20
            log.append(
                f"Train: {epoch_no} [{at:>4d}/{per} ({100 * (at + 1) / per:>3.0f}%)]  Loss: {now:#.3g} ({avg:#.3g})  "
                f"Time: {took:.3f}s, {512 / took:>7.2f}/s  ({time_avg:.3f}s, {512 / time_avg:>7.2f}/s)  "
                f"LR: {lr:.3e}  Data: {data:.3f} ({data_avg:.3f})"
            )
            t += step * 50 * rng.gauss(1, 0.004) if at < per - 2 else 0
        if t >= end - 5:
            break
        tests.append((t, t + evals))
        top = (11.9, 27.4, 37.8, 44.6, 49.1)[epoch_no] + rng.uniform(-0.8, 0.8)
        for at in (0, 50, 97):
            each = 2.911 if at == 0 else rng.uniform(0.31, 0.5)
            one, five = top + rng.gauss(0, 1.5), min(95.0, top * 1.7 + 6 + rng.gauss(0, 1))
            val = 5.6 - top / 14
            log.append(
                f"Test: [{at:>4d}/97]  Time: {each:.3f} ({max(each, 0.47):.3f})  Loss: "
                f"{val + rng.gauss(0, 0.1):>7.3f} ({val:>6.3f})  "
                f"Acc@1: {one:>7.3f} ({top:>7.3f})  Acc@5: {five:>7.3f} ({min(95.0, top * 1.7 + 6):>7.3f})"
            )
        best.append((epoch_no, round(top, 4)))
        log.append("Current checkpoints:")
        stamp = clock(first - 30, east, "%Y%m%d-%H%M%S")
        for number, score in sorted(best, key=lambda one: -one[1]):
            log.append(f" ('./output/train/{stamp}-convnext_tiny-224/checkpoint-{number}.pth.tar', {score})")
        log.append("")
        t += evals
        epoch_no += 1
    when = clock(end, east, ISO)
    log += [
        f"slurmstepd: error: *** JOB 918233 ON gl03 CANCELLED AT {when} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 918233.0 ON gl03 CANCELLED AT {when} DUE TO TIME LIMIT ***",
    ]
    put(place, "convnext-918233.log", log)

    def load(_n: int, _g: int, at: float) -> Load:
        if not begin + 26 < at < end + 1:
            return NOBODY
        if at < first:
            return Load(used=1400)
        if any(a <= at < b for a, b in tests):
            return Load(0.62, 0.5, 0.16, 0.38, 27400, 700, 40)
        return Load(0.985, 0.83, 0.29, 0.71, 27400, 640, 330)

    rack = Rack("L40S", nodes, 1, load, begin - 40, end + 30, 5, "t13")
    smi(place, "gl03_gpu.csv", rack, 0, east, event=True)
    job = Job(
        918233, "convnext", "tanaka", 5121, "hour", "gl[03-04]", 2, 60, begin - 812, begin, end, "TIMEOUT", "0:0", 2, 32
    )
    bars(
        place,
        "sacct.txt",
        [job],
        east,
        "JobID,JobName,Partition,Account,State,ExitCode,Start,End,Elapsed,Timelimit,NodeList",
        {},
    )
    for one in nodes:
        kernel(place, f"kern.log.{one}", calm(rng, begin, end, "L40S"), "syslog", east, one)


def t14(place: Path, rng: Random) -> None:
    """D2: run_clm.py writes a whole checkpoint to NFS each ten steps: 150 s of writing for 84 s of steps."""
    begin = epoch("2026-10-27 18:02:44", 0)
    first, steps = begin + 118, 680
    log = [
        f"{clock(begin + 31, 0, '%m/%d/%Y %H:%M:%S')} - WARNING - __main__ - Process rank: {r}, device: cuda:{r}, "
        f"n_gpu: 1, "
        "distributed training: True, 16-bits training: False"
        for r in (2, 0, 1)
    ]

    def say(t: float, where: str, text: str) -> str:
        return f"[INFO|{where}] {milli(nudge(t), 0)} >> {text}"

    log += [
        say(begin + 34, "configuration_utils.py:699", "loading configuration file /models/Qwen2.5-1.5B/config.json"),
        say(begin + 37, "modeling_utils.py:3937", "loading weights file /models/Qwen2.5-1.5B/model.safetensors"),
        say(
            begin + 52,
            "modeling_utils.py:4800",
            "All model checkpoint weights were used when initializing Qwen2ForCausalLM.",
        ),
        "",
        say(first - 3, "trainer.py:2369", "***** Running training *****"),
        say(first - 3, "trainer.py:2370", "  Num examples = 65,312"),
        say(first - 3, "trainer.py:2371", "  Num Epochs = 1"),
        say(first - 3, "trainer.py:2372", "  Instantaneous batch size per device = 2"),
        say(first - 3, "trainer.py:2375", "  Total train batch size (w. parallel, distributed & accumulation) = 96"),
        say(first - 3, "trainer.py:2376", "  Gradient Accumulation steps = 16"),
        say(first - 3, "trainer.py:2377", "  Total optimization steps = 680"),
        say(first - 3, "trainer.py:2378", "  Number of trainable parameters = 1,543,714,304"),
        f"\r  0%|          | 0/{steps} [00:00<?, ?it/s]",
    ]
    saves: list[tuple[float, float]] = []
    t, ema, last = first, 8.4, first
    loss, total = Loss(rng, 2.61, 1.71, 60, 0.018), 0.0
    for n in range(1, steps + 1):
        t += rng.gauss(8.38, 0.09)
        ema += 0.3 * (t - last - ema)
        last = t
        log.append(
            f"\r{100 * n // steps:3d}%|{meter(n, steps)}| {n}/{steps} [{span(t - first)}<{span(ema * (steps - n))}, "
            f"{rate(ema)}]"
        )
        now = loss.at(n)
        total += now
        if n % 5 == 0:
            lr = 2e-5 * min(1, n / 20) * (1 - max(0, n - 20) / (steps - 20))
            log.append(
                f"{{'loss': {round(now, 4)}, 'grad_norm': {rng.gauss(1.31, 0.12)!r}, "
                f"'learning_rate': {lr!r}, 'epoch': {round(n / steps, 2)}}}"
            )
        if n % 10 == 0:
            spent = max(96.0, rng.gauss(149, 9))
            where = f"/nfs/projects/clm/out/checkpoint-{n}"
            log += [
                say(t, "trainer.py:3812", f"Saving model checkpoint to {where}"),
                say(t + 0.1, "configuration_utils.py:414", f"Configuration saved in {where}/config.json"),
                say(t + 0.2, "configuration_utils.py:865", f"Configuration saved in {where}/generation_config.json"),
                say(t + spent * 0.34, "modeling_utils.py:3042", f"Model weights saved in {where}/model.safetensors"),
                say(
                    t + spent * 0.345,
                    "tokenization_utils_base.py:2485",
                    f"tokenizer config file saved in {where}/tokenizer_config.json",
                ),
                say(
                    t + spent * 0.346,
                    "tokenization_utils_base.py:2494",
                    f"Special tokens file saved in {where}/special_tokens_map.json",
                ),
            ]
            if n > 20:
                log.append(
                    say(
                        t + spent,
                        "trainer.py:3906",
                        f"Deleting older checkpoint [/nfs/projects/clm/out/checkpoint-{n - 20}] due to "
                        f"args.save_total_limit",
                    )
                )
            saves.append((t, t + spent))
            t += spent
    wall = t - first
    log += [
        say(
            t,
            "trainer.py:2643",
            "\n\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n",
        ),
        f"{{'train_runtime': {wall:.4f}, 'train_samples_per_second': {65312 / wall:.3f}, "
        f"'train_steps_per_second': {steps / wall:.3f}, 'train_loss': {total / steps:.6f}, 'epoch': 1.0}}",
        f"\r100%|██████████| {steps}/{steps} [{span(wall)}<00:00, {wall / steps:5.2f}s/it]",
        "***** train metrics *****",
        "  epoch                    =        1.0",
        f"  train_loss               = {total / steps:10.4f}",
        f"  train_runtime            = {span(wall):>10}",
        "  train_samples            =      65312",
        f"  train_samples_per_second = {65312 / wall:10.3f}",
        f"  train_steps_per_second   = {steps / wall:10.3f}",
    ]
    end = t + 61
    put(place, "slurm-40712.out", glued(log))

    def load(_n: int, g: int, at: float) -> Load:
        if not begin + 24 < at < end - 2:
            return NOBODY
        used = 20890 + 44 * g
        if at < first or at > t:
            return Load(used=3900 if at < first else used)
        if any(a <= at < b for a, b in saves):
            return Load(0, 0, 0, 0, used, 0, 60) if g == 0 else Load(1.0, 0.04, 0, 0.01, used)
        return Load(0.99, 0.9, 0.44, 0.62, used, 900, 880)

    def alter(_n: int, g: int, _at: float, one: Values) -> None:
        if g == 2:
            one["XID_ERRORS"] = 31

    rack = Rack("L4", ["g2-08"], 3, load, begin - 600, end + 300, 60, "t14", alter=alter)
    victoria(place, "vm-export.jsonl", series(rack, bare(rack, job="gpu", site="hall2"), drop=PROF))
    job = Job(40712, "clm-1p5b", "osei", 2207, "l4", "g2-08", 1, 720, begin - 4, begin, end, "COMPLETED", "0:0", 3, 24)
    bars(
        place,
        "sacct_40712.txt",
        [job],
        0,
        "JobID,JobName,User,Partition,State,ExitCode,Submit,Start,End,Elapsed,NNodes,NodeList",
        {},
    )
    before = begin - 7 * 3600 - 411
    lines = [
        *calm(rng, begin, end, "L4", ib=False),
        (
            before,
            "NVRM: Xid (PCI:0000:3a:00): 31, pid=1188231, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE "
            "GRAPHICS "
            "GPCCLIENT_T1_3 faulted @ 0x7f2a_c8000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
        ),
    ]
    kernel(place, "journal-k.txt", lines, "journalctl iso", 0, "g2-08")


def t15(place: Path, rng: Random) -> None:
    """D1: Keras on five H100s that wait four seconds a step for images from a slow NFS server."""
    east = 60
    begin = epoch("2026-10-20 21:40:12", east)
    nodes = [f"hgx{n:02d}" for n in (3, 4, 7, 8, 9)]
    first, epochs, per = begin + 96, 22, 310
    spec = ", ".join(f"'{one}:12345'" for one in nodes)

    def tf(t: float, where: str, text: str) -> str:
        t = nudge(t)
        return f"{clock(t, east)}.{int(t * 1e6) % 1000000:06d}: I {where}] {text}"

    log = [
        tf(
            begin + 14,
            "tensorflow/core/platform/cpu_feature_guard.cc:182",
            "This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.",
        ),
        "To enable the following instructions: AVX2 AVX512F AVX512_VNNI FMA, in other operations, rebuild TensorFlow "
        "with the "
        "appropriate compiler flags.",
        tf(
            begin + 31,
            "tensorflow/core/common_runtime/gpu/gpu_device.cc:1929",
            "Created device /job:worker/replica:0/task:0/device:GPU:0 with 76902 MB memory:  -> device: 0, name: "
            "NVIDIA H100 80GB "
            "HBM3, pci bus id: 0000:18:00.0, compute capability: 9.0",
        ),
        *(
            tf(
                begin + 33 + k * 0.8,
                "tensorflow/tsl/distributed_runtime/coordination/coordination_service.cc:553",
                f"/job:worker/replica:0/task:{k} has connected to coordination service. Incarnation: "
                f"{rng.getrandbits(63)}",
            )
            for k in range(5)
        ),
        f"INFO:tensorflow:MultiWorkerMirroredStrategy with cluster_spec = {{'worker': [{spec}]}}, task_type = "
        f"'worker', task_id = 0, "
        "num_workers = 5, local_devices = ('/job:worker/replica:0/task:0/device:GPU:0',), communication = "
        "CommunicationImplementation.NCCL",
        "Found 99226 files belonging to 412 classes.",
    ]
    t, walks = first, []
    loss, good = Loss(rng, 6.02, 0.7, 900, 0.008, 0.55), 0.0
    for n in range(1, epochs + 1):
        log.append(f"Epoch {n}/{epochs}")
        start, filled, pace = t, 0, rng.uniform(14.2, 16.4)
        while True:
            filled += int(pace * 10 * rng.uniform(0.86, 1.1))
            t += 10.0 + rng.uniform(0, 0.15)
            if filled >= 2048:
                log.append(tf(t, "tensorflow/core/kernels/data/shuffle_dataset_op.cc:450", "Shuffle buffer filled."))
                break
            log.append(
                tf(
                    t,
                    "tensorflow/core/kernels/data/shuffle_dataset_op.cc:422",
                    f"Filling up shuffle buffer (this may take a while): {filled} of 2048",
                )
            )
        if n == 1:
            log.append(
                tf(t + 8, "external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:454", "Loaded cuDNN version 8906")
            )
        each = 64 / pace
        walks.append((t, t + each * per, each))
        t += each * per
        now = loss.at(n * per)
        good = max(good, min(0.93, 1 - now / 6.1 + rng.gauss(0, 0.006)))
        took = t - start
        log.append(
            f"{per}/{per} - {took:.0f}s - loss: {now:.4f} - accuracy: {max(0.004, good):.4f} - lr: "
            f"{1e-3 if n < 15 else 2e-4:.4e} "
            f"- {took:.0f}s/epoch - {took / per:.0f}s/step"
        )
    log.append("saved /nas/ml/plants/effnet_v3.keras")
    end = t + 22
    put(place, "worker0.log", log)
    shift = [rng.uniform(0, 0.6) for _ in nodes]

    def load(n: int, _g: int, at: float) -> Load:
        if not begin + 27 < at < end - 3:
            return NOBODY
        for a, b, each in walks:
            if a <= at < b:
                into = (at - a) % each
                work = max(0.0, min(into, 0.27) - max(into - 1, 0.0)) if into < 1.27 else 0.0
                spin = max(0.0, min(1.0, into - (each - shift[n]))) if into > each - shift[n] else 0.0
                return Load(min(1.0, work + spin), 0.75 * work, 0.3 * work, 0.5 * work, 77960)
        return Load(used=77960)

    rack = Rack("H100", nodes, 1, load, begin - 120, end + 90, 30, "t15")
    for k, one in enumerate(nodes):
        smi(place, f"{one}/nvidia-smi.csv", rack, k, east, ecc={0: 214 if one == "hgx07" else 0})
        lines = calm(rng, begin, end, "H100")
        for _ in range(rng.randrange(4, 9)):
            at = rng.uniform(begin, end - 100)
            lines += [
                (at, "nfs: server nas-ml.cl.local not responding, still trying"),
                (at + rng.uniform(9, 48), "nfs: server nas-ml.cl.local OK"),
            ]
        kernel(place, f"{one}/dmesg.txt", lines, "dmesg", east, one)
    job = Job(
        7120553,
        "effnet-mw",
        "k.novak",
        3308,
        "h100",
        "hgx[03-04,07-09]",
        5,
        1440,
        begin - 3210,
        begin,
        end,
        "COMPLETED",
        "0:0",
        5,
        80,
    )
    as_json(
        place,
        "sacct.json",
        job,
        [
            ("batch", "batch", "COMPLETED", 0, 0),
            ("extern", "extern", "COMPLETED", 0, 0),
            ("0", "python", "COMPLETED", 0, 0),
        ],
    )


def t16(place: Path, rng: Random) -> None:
    """B1: LLaMA-Factory, LoRA on a 14B with 16k of tokens: a long sample's logits ask rank 3 for 9 GiB it lacks."""
    east = -480
    begin = epoch("2026-11-12 08:47:30", east)
    nodes = [f"a100p-{n}" for n in (11, 12, 13, 14, 15)]
    first = begin + 214

    def lf(t: float, where: str, text: str, level: str = "INFO") -> str:
        return f"[{level}|{clock(t, east)}] llamafactory.{where} >> {text}"

    def hf(t: float, where: str, text: str) -> str:
        return f"[INFO|{where}] {milli(nudge(t), east)} >> {text}"

    log = [
        lf(
            begin + 41 + rng.uniform(0, 4),
            "hparams.parser:402",
            f"Process rank: {r}, world size: 5, device: cuda:0, distributed training: True, compute dtype: "
            f"torch.bfloat16",
        )
        for r in (0, 2, 1, 4, 3)
    ]
    log += [
        lf(begin + 47, "data.loader:143", "Loading dataset longdocs_sft.jsonl..."),
        hf(
            begin + 92,
            "modeling_utils.py:1151",
            "loading weights file /models/Qwen2.5-14B-Instruct/model.safetensors.index.json",
        ),
        lf(begin + 171, "model.model_utils.checkpointing:143", "Gradient checkpointing enabled."),
        lf(begin + 171, "model.model_utils.attention:143", "Using torch SDPA for faster training and inference."),
        lf(begin + 171, "model.adapter:143", "Upcasting trainable params to float32."),
        lf(begin + 171, "model.adapter:143", "Fine-tuning method: LoRA"),
        lf(
            begin + 173,
            "model.loader:143",
            "trainable params: 68,812,800 || all params: 14,838,846,464 || trainable%: 0.4637",
        ),
        hf(first - 2, "trainer.py:2405", "***** Running training *****"),
        hf(first - 2, "trainer.py:2406", "  Num examples = 21,440"),
        hf(first - 2, "trainer.py:2407", "  Num Epochs = 2"),
        hf(first - 2, "trainer.py:2408", "  Instantaneous batch size per device = 1"),
        hf(first - 2, "trainer.py:2411", "  Total train batch size (w. parallel, distributed & accumulation) = 40"),
        hf(first - 2, "trainer.py:2412", "  Gradient Accumulation steps = 8"),
        hf(first - 2, "trainer.py:2413", "  Total optimization steps = 1,072"),
        hf(first - 2, "trainer.py:2414", "  Number of trainable parameters = 68,812,800"),
        "\r  0%|          | 0/1072 [00:00<?, ?it/s]",
    ]
    t, n, loss = first, 0, Loss(rng, 1.62, 0.86, 20, 0.03)
    died = begin + 70 * 60 + 11
    while t < died - 60:
        n += 1
        t += rng.gauss(41.5, 2.9)
        each = (t - first) / n
        log.append(
            f"\r{100 * n // 1072:3d}%|{meter(n, 1072)}| {n}/1072 [{span(t - first)}<{span(each * (1072 - n))}, "
            f"{rate(each)}]"
        )
        if n % 5 == 0:
            lr = 1e-4 * min(1, n / 107)
            log.append(
                f"{{'loss': {round(loss.at(n), 4)}, 'grad_norm': {rng.gauss(0.41, 0.05)!r}, "
                f"'learning_rate': {lr!r}, 'epoch': {round(n * 40 / 21440, 2)}}}"
            )
    site = "/opt/conda/envs/lf/lib/python3.11/site-packages"
    trace = [
        "Traceback (most recent call last):",
        '  File "/home/mreyes/LLaMA-Factory/src/llamafactory/launcher.py", line 23, in <module>',
        "    launch()",
        '  File "/home/mreyes/LLaMA-Factory/src/llamafactory/launcher.py", line 19, in launch',
        "    run_exp()",
        '  File "/home/mreyes/LLaMA-Factory/src/llamafactory/train/tuner.py", line 103, in run_exp',
        '    _training_function(config={"args": args, "callbacks": callbacks})',
        '  File "/home/mreyes/LLaMA-Factory/src/llamafactory/train/tuner.py", line 68, in _training_function',
        "    run_sft(model_args, data_args, training_args, finetuning_args, generating_args, callbacks)",
        '  File "/home/mreyes/LLaMA-Factory/src/llamafactory/train/sft/workflow.py", line 101, in run_sft',
        "    train_result = trainer.train(resume_from_checkpoint=training_args.resume_from_checkpoint)",
        f'  File "{site}/transformers/trainer.py", line 2241, in train',
        "    return inner_training_loop(",
        "           ^^^^^^^^^^^^^^^^^^^^",
        f'  File "{site}/transformers/trainer.py", line 2548, in _inner_training_loop',
        "    tr_loss_step = self.training_step(model, inputs, num_items_in_batch)",
        f'  File "{site}/transformers/trainer.py", line 3698, in training_step',
        "    loss = self.compute_loss(model, inputs, num_items_in_batch=num_items_in_batch)",
        f'  File "{site}/transformers/trainer.py", line 3759, in compute_loss',
        "    outputs = model(**inputs)",
        f'  File "{site}/transformers/models/qwen2/modeling_qwen2.py", line 856, in forward',
        "    loss = self.loss_function(logits=logits, labels=labels, vocab_size=self.config.vocab_size, **kwargs)",
        f'  File "{site}/transformers/loss/loss_utils.py", line 36, in ForCausalLMLoss',
        "    logits = logits.float()",
        "             ^^^^^^^^^^^^^^",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.00 GiB. GPU 0 has a total capacity of 79.25 "
        "GiB of which "
        "4.91 GiB is free. Including non-PyTorch memory, this process has 74.33 GiB memory in use. Of the allocated "
        "memory 66.02 "
        "GiB is allocated by PyTorch, and 7.61 GiB is reserved by PyTorch but unallocated. If reserved but "
        "unallocated memory is "
        "large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
        "documentation for Memory "
        "Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    log += [f"[rank3]: {one}" for one in trace]
    torch = f"{site}/torch/distributed"
    log += [
        f"E{clock(died + 4, east, '%m%d %H:%M:%S')}.218000 48813 "
        f"torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) "
        "local_rank: 0 (pid: 48902) of binary: /opt/conda/envs/lf/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/opt/conda/envs/lf/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        f'  File "{torch}/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        f'  File "{torch}/run.py", line 918, in main',
        "    run(args)",
        f'  File "{torch}/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "/home/mreyes/LLaMA-Factory/src/llamafactory/launcher.py FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(died + 3, east, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : a100p-14.cluster",
        "  rank      : 3 (local_rank: 0)",
        "  exitcode  : 1 (pid: 48902)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "=" * 60,
        "srun: error: a100p-14: task 3: Exited with exit code 1",
        "srun: Terminating StepId=336190.0",
        f"slurmstepd: error: *** STEP 336190.0 ON a100p-11 CANCELLED AT {clock(died + 6, east, ISO)} ***",
        *(f"srun: error: a100p-{k}: task {k - 11}: Terminated" for k in (12, 15, 13, 11)),
    ]
    end = died + 12
    put(place, "sft-336190.out", glued(log))
    peaks = dict.fromkeys(range(5), 51000.0)

    def load(n: int, _g: int, at: float) -> Load:
        gone = died + (4 if n == 3 else 8)
        if not begin + 38 < at < gone:
            return NOBODY
        if at < first:
            return Load(used=min(30400, 900 + 260 * max(0.0, at - begin - 80)))
        peaks[n] = min(75900.0, max(peaks[n], rng.gauss(60500, 5200)) if rng.random() < 0.06 else peaks[n])
        return Load(0.97, 0.88, 0.5, 0.44, peaks[n], 240, 230)

    rack = Rack("A100P", nodes, 1, load, begin - 45, end + 60, 15, "t16")
    for k, one in enumerate(nodes):
        smi(place, f"gpu_{one}.csv", rack, k, east)
        kernel(place, f"dmesg_{one}", calm(rng, begin, end, "A100P"), "dmesg", east, one)
    job = Job(
        336190,
        "lf-sft",
        "mreyes",
        41092,
        "a100",
        "a100p-[11-15]",
        5,
        2880,
        begin - 55,
        begin,
        end,
        "FAILED",
        "1:0",
        5,
        80,
    )
    steps = {
        ".batch": ("batch", "FAILED", "1:0"),
        ".extern": ("extern", "COMPLETED", "0:0"),
        ".0": ("torchrun", "FAILED", "1:0"),
    }
    bars(
        place,
        "sacct.psv",
        [job],
        east,
        "JobID,JobName,User,State,ExitCode,Start,End,Elapsed,Timelimit,NNodes,NodeList",
        steps,
    )


def t17(place: Path, rng: Random) -> None:
    """A2: YOLO with cached images: the kernel kills local rank 2 of the second node at the job's memory limit."""
    begin = epoch("2026-11-08 03:12:19", 0)
    nodes = ["l40s-05", "l40s-06", "l40s-09"]
    first = begin + 402
    died = begin + 260 * 60 + 37
    log = [
        "Ultralytics 8.3.40 🚀 Python-3.11.10 torch-2.5.1+cu124 CUDA:0 (NVIDIA L40S, 45589MiB)",
        "engine/trainer: task=detect, mode=train, model=yolo11x.yaml, data=/data/xview/xview.yaml, epochs=150, "
        "time=None, patience=100, "
        "batch=64, imgsz=1024, save=True, save_period=-1, cache=ram, device=0,1,2,3, workers=8, project=None, "
        "name=xview_x, "
        "exist_ok=False, pretrained=True, optimizer=auto, verbose=True, seed=0, deterministic=True, amp=True, "
        "resume=False",
        "YOLO11x summary: 631 layers, 56,919,424 parameters, 56,919,408 gradients, 196.0 GFLOPs",
        "",
        "Freezing layer 'model.23.dfl.conv.weight'",
        "AMP: running Automatic Mixed Precision (AMP) checks...",
        "AMP: checks passed ✅",
        "\rtrain: Scanning /data/xview/labels/train.cache... 58233 images, 412 backgrounds, 0 corrupt: "
        "100%|██████████| 58233/58233 [00:00<?, ?it/s]",
        "\rtrain: Caching images (171.8GB RAM): 100%|██████████| 58233/58233 [03:51<00:00, 251.62it/s]",
        "\rval: Scanning /data/xview/labels/val.cache... 6120 images, 55 backgrounds, 0 corrupt: 100%|██████████| "
        "6120/6120 [00:00<?, ?it/s]",
        "optimizer: SGD(lr=0.01, momentum=0.9) with parameter groups 167 weight(decay=0.0), 174 "
        "weight(decay=0.0005), 173 bias(decay=0.0)",
        "Image sizes 1024 train, 1024 val",
        "Using 64 dataloader workers",
        "Logging results to /home/dvoss/runs/detect/xview_x",
        "Starting training for 150 epochs...",
    ]
    t, per, tests = first, 910, []
    box, cls, dfl = (
        Loss(rng, *one) for one in ((2.31, 1.05, 3.0, 0.006), (3.62, 0.74, 1.4, 0.008), (1.71, 1.02, 3.0, 0.004))
    )
    n = 0
    while True:
        n += 1
        b, c, d = box.at(n), cls.at(n), dfl.at(n)
        head = f"{n:>7}/150"
        log += ["", "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size"]
        each = rng.gauss(0.861, 0.008)
        over = False
        for at in (*range(0, per, 130), per):
            now = t + each * at
            if now > died:
                over = True
                break
            if at == 0:
                log.append(f"\r  0%|          | 0/{per} [00:00<?, ?it/s]")
                continue
            early = 1 + 0.015 * (1 - at / per) * rng.uniform(0.6, 1.4)
            log.append(
                f"\r{head}{'36.8G':>11}{b * early:>11.4g}{c * early:>11.4g}{d * early:>11.4g}"
                f"{rng.randrange(160, 820):>11}{1024:>11}: "
                f"{100 * at // per:3d}%|{meter(at, per)}| {at}/{per} [{span(now - t)}<{span(each * (per - at))}, "
                f"{rate(each)}]"
            )
        if over:
            break
        t += each * per
        took = rng.gauss(41, 1)
        tests.append((t, t + took))
        m50 = 0.44 * (1 - 2.7 ** (-n / 6))
        log += [
            "\r                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): "
            f"100%|██████████| 48/48 [{span(took)}<00:00,  {48 / took:.2f}it/s]",
            f"                   all       6120     "
            f"187331{m50 * 1.22:>11.3g}{m50 * 0.9:>11.3g}{m50:>11.3g}{m50 * 0.61:>11.3g}",
        ]
        t += took
    pids = [221931 + 3 * k for k in range(4)]
    api = "221870 torch/distributed/elastic/multiprocessing/api.py"
    log += [
        *(
            f"W{clock(died + 1, 0, '%m%d %H:%M:%S')}.{510 + k}000 {api}:897] Sending process {pids[k]} closing "
            f"signal SIGTERM"
            for k in (0, 1, 3)
        ),
        f"E{clock(died + 14, 0, '%m%d %H:%M:%S')}.902000 {api}:869] failed (exitcode: -9) local_rank: 2 (pid: "
        f"{pids[2]}) of binary: /home/dvoss/.venv/bin/python",
        "Traceback (most recent call last):",
        '  File "/home/dvoss/.venv/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/home/dvoss/.venv/lib/python3.11/site-packages/torch/distributed/run.py", line 919, in main',
        "    run(args)",
        '  File "/home/dvoss/.venv/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 269, in '
        "launch_agent",
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 58,
        "train_xview.py FAILED",
        "-" * 58,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 58,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(died + 1, 0, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : l40s-06",
        "  rank      : 6 (local_rank: 2)",
        f"  exitcode  : -9 (pid: {pids[2]})",
        "  error_file: <N/A>",
        f"  traceback : Signal 9 (SIGKILL) received by PID {pids[2]}",
        "=" * 58,
        "slurmstepd: error: Detected 1 oom_kill event in StepId=61880.0. Some of the step tasks have been OOM Killed.",
        "srun: error: l40s-06: task 1: Out Of Memory",
        "srun: Terminating StepId=61880.0",
        f"slurmstepd: error: *** STEP 61880.0 ON l40s-05 CANCELLED AT {clock(died + 17, 0, ISO)} ***",
        "srun: error: l40s-05: task 0: Terminated",
    ]
    end = died + 19
    put(place, "yolo_xview.61880.log", glued(log))

    def load(node: int, g: int, at: float) -> Load:
        if node == 2:
            return Load(0.96, 0.78, 0.36, 0.5, 33120, 210, 60) if g < 2 else NOBODY
        if not begin + 30 < at < (died if (node, g) == (1, 2) else died + 14 if node else end):
            return NOBODY
        if at < first:
            return Load(used=900)
        if at > died:
            return Load(1.0, 0.05, 0, 0.01, 35790)
        if any(a <= at < b for a, b in tests):
            return (
                Load(0.58, 0.41, 0.12, 0.3, 35790, 300, 50) if (node, g) == (0, 0) else Load(1.0, 0.05, 0, 0.01, 35790)
            )
        return Load(0.97, 0.81, 0.31, 0.63, 35790 + 12 * g, 420, 390)

    rack = Rack("L40S", nodes, 4, load, begin - 300, end + 600, 30, "t17")
    victoria(place, "dcgm_export.jsonl", series(rack, bare(rack, job="dcgm-exporter", partition="l40s")))
    uid, cg = 10233, "/system.slice/slurmstepd.scope/job_61880"
    oom = [
        (died - 0.4, "pt_main_thread invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (
            died - 0.4,
            f"CPU: 41 PID: {pids[2] + 611} Comm: pt_main_thread Tainted: P           OE     5.15.0-126-generic "
            f"#136-Ubuntu",
        ),
        (died - 0.3, "memory: usage 419430400kB, limit 419430400kB, failcnt 210034"),
        (died - 0.3, "swap: usage 0kB, limit 0kB, failcnt 0"),
        (
            died - 0.2,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg={cg},"
            f"task_memcg={cg}/step_0/user/task_0,task=pt_main_thread,pid={pids[2]},uid={uid}",
        ),
        (
            died - 0.1,
            f"Memory cgroup out of memory: Killed process {pids[2]} (pt_main_thread) total-vm:148823116kB, "
            f"anon-rss:97120448kB, "
            f"file-rss:212960kB, shmem-rss:4718592kB, UID:{uid} pgtables:201332kB oom_score_adj:0",
        ),
    ]
    kernel(place, "dmesg.l40s-05", calm(rng, begin, end, "L40S"), "dmesg -T", 0, "l40s-05")
    kernel(place, "dmesg.l40s-06", [*calm(rng, begin, end, "L40S"), *oom], "dmesg -T", 0, "l40s-06")


def t18(place: Path, rng: Random) -> None:
    """D2: six H100s of three nodes reduce their gradients over 10 GbE: a second of work, ten of traffic."""
    begin = epoch("2026-10-30 09:05:51", 0)
    nodes = ["hpc31", "hpc32", "hpc34"]
    first, steps = begin + 163, 720
    log = []
    for node, ip in zip(nodes, (31, 32, 34), strict=True):
        pid = rng.randrange(30000, 60000)
        head = f"{node}:{pid}:{pid}" if node == "hpc31" else f"{node}:{pid}:{pid + 1}"
        log += [
            f"{head} [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eno1",
            f"{head} [0] NCCL INFO Bootstrap : Using eno1:10.12.4.{ip}<0>",
            f"{head} [0] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so)",
            f"{head} [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.",
            f"{head} [0] NCCL INFO NET/Socket : Using [0]eno1:10.12.4.{ip}<0>",
            f"{head} [0] NCCL INFO Using non-device net plugin version 0",
            f"{head} [0] NCCL INFO Using network Socket",
        ]
    stamp = "%Y-%m-%d %H:%M:%S"
    log[:0] = [
        f"[{clock(begin + 22, 0, stamp)}] 读取配置 conf/code3b_dp.yaml",
        f"[{clock(begin + 23, 0, stamp)}] 节点 3, 每节点 2 卡, 数据并行 6",
        f"[{clock(begin + 61, 0, stamp)}] 模型参数量 3.09B, 精度 bf16, 激活重算 开",
    ]
    log.append(f"[{clock(first - 6, 0, stamp)}] 数据集就绪: 4,812,330 条样本, 预取线程 8")
    log.append(f"[{clock(first, 0, stamp)}] 开始训练, 共 {steps} 步, 每 5 步打印一次, 结束时保存")
    t, loss = first, Loss(rng, 3.41, 1.38, 55, 0.012)
    for n in range(1, steps + 1):
        fwd, bwd, sync = rng.gauss(0.33, 0.005), rng.gauss(0.78, 0.01), max(8.6, rng.gauss(9.41, 0.16))
        data, opt = rng.uniform(0.008, 0.02), rng.gauss(0.061, 0.002)
        each = fwd + bwd + sync + data + opt
        t += each
        now = loss.at(n)
        if n % 5 == 0:
            lr = 3e-4 * min(1, n / 50) * (1 - 0.9 * n / steps)
            log.append(
                f"[{clock(t, 0, stamp)}] 步 {n}/{steps} | 损失 {now:.4f} | 学习率 {lr:.3e} | 梯度范数 "
                f"{rng.gauss(0.83, 0.06):.3f} | "
                f"步时 {each:.2f}s (数据 {data:.2f} 前向 {fwd:.2f} 反向 {bwd:.2f} 梯度同步 {sync:.2f} 优化器 {opt:.2f}) | "
                f"{6 * 4 * 4096 / each:.0f} tok/s"
            )
    log += [
        f"[{clock(t + 1, 0, stamp)}] 保存检查点 ckpt/code3b_{steps}.pt",
        f"[{clock(t + 34, 0, stamp)}] 保存完成, 用时 32.8s",
        f"[{clock(t + 35, 0, stamp)}] 训练结束, 总用时 {(t - first) / 3600:.2f} 小时",
    ]
    end = t + 44
    put(place, "train_rank0.log", log)

    def load(n: int, g: int, at: float) -> Load:
        if not begin + 30 < at < end - 4:
            return NOBODY
        if at < first or at > t:
            return Load(used=7400 if at < first else 61240, tx=0 if at < t else 190 * (n + g == 0))
        return Load(0.995, 0.14, 0.042, 0.07, 61240 + 30 * g, 1020, 1015)

    rack = Rack("H100", nodes, 2, load, begin - 240, end + 240, 30, "t18")
    by_metric(
        place, "prom", series(rack, bare(rack, job="gpu-metrics"), drop=("ECC_SBE_VOL_TOTAL", "ECC_DBE_VOL_TOTAL"))
    )
    job = Job(
        221409,
        "code3b",
        "liwei",
        6017,
        "gpu",
        "hpc[31-32,34]",
        3,
        600,
        begin - 66,
        begin,
        end,
        "COMPLETED",
        "0:0",
        6,
        96,
    )
    bars(
        place,
        "sacct.txt",
        [job],
        0,
        "JobIDRaw,JobName,User,State,ExitCode,Submit,Start,End,Elapsed,AllocTRES,NodeList",
        {},
    )
