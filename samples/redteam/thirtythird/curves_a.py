"""Curves of the thirty-third set, c01 to c06.

SIMULATED: nothing here was taken from a real job; every number comes from a seeded generator.
"""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random


def _write(path: Path, lines: Sequence[str], end: str = "\n") -> None:
    """Write these lines as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + end, encoding="utf-8")


def _falling(rng: Random, step: float, first: float, floor: float, tau: float, noise: float) -> float:
    """A loss that falls as losses do."""
    return floor + (first - floor) / (1 + step / tau) ** 0.7 + rng.gauss(0, noise)


def c01_peatcore(place: Path, rng: Random) -> None:
    """Masked modelling of peat-core pollen spectra, four ranks of FSDP, one of them gone at once."""
    now = datetime(2025, 10, 7, 22, 41, 8)  # noqa: DTZ001
    out = ["world_size=4 node=skua03 torch=2.6.0+cu124 nccl=(2, 21, 5)"]
    out += [
        f"[rank{rank}] device=cuda:{rank} shard params=212.6M of 850.3M mem={rng.uniform(3.35, 3.47):.2f}GB"
        for rank in range(4)
    ]
    out += [
        "train windows: 1904312  val windows: 20480  (reading into RAM, num_workers=6 per rank)",
        "global_batch=256 micro=16 accum=4 lr=2.0e-4 total_steps=40000 save_every=500",
    ]
    for number in range(1, 11):
        step = number * 25
        now += timedelta(seconds=rng.uniform(61, 66))
        mean = _falling(rng, step, 6.9, 2.1, 90, 0.02)
        pace = rng.uniform(2.44, 2.61)
        for rank in range(4):
            stamp = (now + timedelta(milliseconds=rng.randint(0, 9))).strftime("%H:%M:%S")
            grad = 0.9 + 2.1 / number + rng.uniform(0, 0.05)
            out.append(
                f"{stamp} [rank{rank}] step {step:>5d}/40000 loss {mean + rng.gauss(0, 0.03):.4f} gnorm {grad:.3f} "
                f"lr {2e-4 * step / 2000:.2e} {pace:.2f}s/it peak {rng.uniform(51.2, 51.9):.1f}GB"
            )
    _write(place / "peat-4471902.out", out)
    now += timedelta(seconds=41)
    pids = [118214, 118215, 118216, 118217]
    head = now.strftime("%m%d %H:%M:%S")
    api = "torch/distributed/elastic/multiprocessing/api.py"
    base = "/home/vsorsa/.conda/envs/peat/lib/python3.11/site-packages/torch"
    err = [
        f"W1007 22:40:52.{rng.randint(100000, 999999)} 118140 torch/distributed/run.py:792] ",
        f"W1007 22:40:52.{rng.randint(100000, 999999)} 118140 torch/distributed/run.py:792] *****************************************",
        "W1007 22:40:52.318000 118140 torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable for each process to be 1 in "
        "default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        "W1007 22:40:52.318000 118140 torch/distributed/run.py:792] *****************************************",
    ]
    err += [
        f"W{head}.{rng.randint(100, 999)}000 118140 {api}:897] Sending process {pids[rank]} closing signal SIGTERM"
        for rank in (0, 1, 3)
    ]
    now += timedelta(seconds=6)
    err += [
        f"E{now.strftime('%m%d %H:%M:%S')}.{rng.randint(100, 999)}000 118140 {api}:869] failed (exitcode: -9) local_rank: 2 (pid: 118216) "
        "of binary: /home/vsorsa/.conda/envs/peat/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/home/vsorsa/.conda/envs/peat/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        f'  File "{base}/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^",
        f'  File "{base}/distributed/run.py", line 918, in main',
        "    run(args)",
        f'  File "{base}/distributed/run.py", line 909, in run',
        "    elastic_launch(",
        f'  File "{base}/distributed/launcher/api.py", line 138, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{base}/distributed/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=========================================================",
        "pretrain_fsdp.py FAILED",
        "---------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "---------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {now.strftime('%Y-%m-%d_%H:%M:%S')}",
        "  host      : skua03.int.puhti-lab.fi",
        "  rank      : 2 (local_rank: 2)",
        "  exitcode  : -9 (pid: 118216)",
        "  error_file: <N/A>",
        "  traceback : Signal 9 (SIGKILL) received by PID 118216",
        "=========================================================",
        "srun: error: skua03: task 0: Exited with exit code 1",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=4471902.0. Some of the step tasks have been OOM Killed.",
    ]
    _write(place / "peat-4471902.err", err)


def c02_lichens(place: Path, rng: Random) -> None:
    """Species of lichens from photographs: a fastai learner that forgets all it knew."""
    classes, epochs, breaks = 41, 130, 17
    chance = math.log(classes)
    warn = [
        "/opt/mamba/envs/fai/lib/python3.10/site-packages/PIL/Image.py:1054: UserWarning: Palette images with Transparency expressed in bytes "
        "should be converted to RGBA images",
        "  warnings.warn(",
    ]
    out = [
        "fastai 2.7.17  torch 2.3.1+cu121  fp16",
        "items: 58112 train, 6457 valid, 41 species",
        "arch convnext_tiny (from timm, pretrained=False), bs 128, size 288, fit_flat_cos(130, lr=0.012), wd 0.05, opt ranger",
        f"{'epoch':<11}{'train_loss':<12}{'valid_loss':<12}{'accuracy':<10}{'top_k_accuracy':<16}",
    ]
    rows = ["epoch,train_loss,valid_loss,accuracy,top_k_accuracy"]
    best = 99.0
    for epoch in range(epochs):
        if epoch < breaks:
            train = _falling(rng, epoch, 3.58, 0.9, 6, 0.015)
            valid = train + 0.05 + rng.uniform(0, 0.09)
            acc = min(0.93, 1.35 * math.exp(-valid * 0.62) - 0.03)
        elif epoch == breaks:
            train, valid, acc = 4.871233 + rng.uniform(0, 1), 11.90 + rng.uniform(0, 1), 0.0299
        else:
            train = chance + 0.35 * math.exp(-(epoch - breaks) / 1.4) + abs(rng.gauss(0, 0.004))
            valid = chance - 0.004 + abs(rng.gauss(0, 0.003))
            acc = rng.choice((0.026328, 0.024470, 0.027102, 0.024005, 0.026793))
        topk = min(0.995, acc * 4.6 if acc < 0.05 else 1 - (1 - acc) ** 3.2)
        values = [f"{one:.6f}" for one in (train, valid, acc, topk)]
        for _ in range(rng.randint(2, 4)):
            out += warn
        out.append(f"{epoch:<11}{values[0]:<12}{values[1]:<12}{values[2]:<10}{values[3]:<16}")
        rows.append(f"{epoch},{train!r},{valid!r},{acc!r},{topk!r}")
        if valid < best:
            best = valid
            out.append(f"Better model found at epoch {epoch} with valid_loss value: {valid!r}.")
    out += ["exported models/lichen41_last.pkl", "done"]
    _write(place / "train_lichen41.log", out)
    _write(place / "history.csv", rows)


def c03_tariffs(place: Path, rng: Random) -> None:
    """Customs tariff headings with litgpt's LoRA: over before the first step."""
    name = "Qwen3-4B-Thinking-2709"
    env = "/srv/envs/litgpt/lib/python3.11/site-packages"
    out = [
        "ERROR: ld.so: object '/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4' from LD_PRELOAD cannot be preloaded (cannot open shared object file): ignored.",
        "/bin/bash: warning: setlocale: LC_ALL: cannot change locale (nl_BE.UTF-8)",
        "[2025-09-18 09:03:11] tariff-lora on dgx-antw-2, 1 device, bf16-true",
        f"{env}/transformers/utils/hub.py:111: FutureWarning: Using `TRANSFORMERS_CACHE` is deprecated and will be removed in v5 of Transformers. "
        "Use `HF_HOME` instead.",
        "  warnings.warn(",
        f"{env}/torch/cuda/__init__.py:61: FutureWarning: The pynvml package is deprecated. Please install nvidia-ml-py instead. "
        "If you did not install pynvml directly, please report this to the maintainers of the package that installed pynvml for you.",
        "  import pynvml  # type: ignore[import]",
        "dmesg: read kernel buffer failed: Operation not permitted",
        "WARNING: failed to open /sys/class/infiniband/mlx5_0: fatal for RDMA, not used here",
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "wandb: Currently logged in as: jdewael (douane-ml). Use `wandb login --relogin` to force relogin",
        "wandb: Tracking run with wandb version 0.19.11",
        "wandb: Run data is saved locally in out/tariff-lora/wandb/run-20250918_090316-k2u7x0ve",
        "wandb: Run `wandb offline` to turn off syncing.",
        "wandb: Syncing run tariff-lora-7",
        "Seed set to 1337",
        "Traceback (most recent call last):",
        '  File "/srv/projects/tariff/finetune_tariff.py", line 88, in <module>',
        "    main()",
        '  File "/srv/projects/tariff/finetune_tariff.py", line 61, in main',
        f'    config = Config.from_name("{name}", lora_r=16, lora_alpha=32, lora_dropout=0.05, lora_query=True, lora_value=True)',
        "             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{env}/litgpt/lora.py", line 477, in from_name',
        "    return super().from_name(name, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{env}/litgpt/config.py", line 145, in from_name',
        '    raise ValueError(f"{name!r} is not a supported config name")',
        f"ValueError: '{name}' is not a supported config name",
        "wandb: ",
        "wandb: You can sync this run to the cloud by running:",
        "wandb: wandb sync out/tariff-lora/wandb/run-20250918_090316-k2u7x0ve",
        "wandb: Find logs at: out/tariff-lora/wandb/run-20250918_090316-k2u7x0ve/logs",
    ]
    _write(place / "tariff-lora.log", out)
    summary = {"_wandb": {"runtime": rng.randint(3, 6)}}
    _write(place / "wandb" / "run-20250918_090316-k2u7x0ve" / "files" / "wandb-summary.json", [json.dumps(summary)], "")


def c04_faroese(place: Path, rng: Random) -> None:
    """A Faroese voice with piper; the folder also holds the log of the job that prepared it."""
    prep = [
        "INFO:preprocess:Single speaker dataset",
        "INFO:preprocess:Wrote dataset config",
        "INFO:preprocess:Processing 7214 utterance(s) with 32 worker(s)",
    ]
    for _ in range(5):
        wav = f"/data/tts/fo_hanna/wav/hanna_{rng.randint(1, 7214):05d}.wav"
        prep.append(f"WARNING:preprocess:Missing phonemes for {wav}: Counter({{'ʰ': {rng.randint(1, 4)}}})")
    prep += ["WARNING:preprocess:Missing 1 phoneme(s)", ""]
    _write(place / "preprocess_fo_hanna.log", prep, "")
    ckpt = "/data/tts/fo_hanna/train/lightning_logs/version_2/checkpoints"
    site = "/home/jogvan/piper/src/python/.venv/lib/python3.10/site-packages"
    out = [
        "DEBUG:piper_train:Namespace(dataset_dir='/data/tts/fo_hanna/train', checkpoint_epochs=5, quality='high', "
        "resume_from_single_speaker_checkpoint=None, logger=True, enable_checkpointing=True, default_root_dir=None, accelerator='gpu', devices='1', "
        "max_epochs=80, precision='16', batch_size=24, validation_split=0.0, num_test_examples=0, max_phoneme_ids=400, learning_rate=0.0008, seed=1234)",
        "Using 16bit native Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "IPU available: False, using: 0 IPUs",
        "HPU available: False, using: 0 HPUs",
        "DEBUG:piper_train:Checkpoints will be saved every 5 epoch(s)",
        "DEBUG:vits.dataset:Loading dataset: /data/tts/fo_hanna/train/dataset.jsonl",
        "WARNING:vits.dataset:Skipped 11 utterance(s)",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "DEBUG:fsspec.local:open file: /data/tts/fo_hanna/train/lightning_logs/version_2/hparams.yaml",
        "",
        "  | Name    | Type                     | Params",
        "-----------------------------------------------------",
        "0 | model_g | SynthesizerTrn           | 36.2 M",
        "1 | model_d | MultiPeriodDiscriminator | 46.7 M",
        "-----------------------------------------------------",
        "82.9 M    Trainable params",
        "0         Non-trainable params",
        "82.9 M    Total params",
        "165.803   Total estimated model params size (MB)",
        f"{site}/pytorch_lightning/trainer/connectors/data_connector.py:236: PossibleUserWarning: The dataloader, train_dataloader, does not have many "
        "workers which may be a bottleneck. Consider increasing the value of the `num_workers` argument` (try 64 which is the number of cpus on this "
        "machine) in the `DataLoader` init to improve performance.",
        "  rank_zero_warn(",
    ]
    batches, breaks = 301, 37.6
    for epoch in range(80):
        for done in (100, 200, batches):
            at = epoch + done / batches
            shown = "nan" if at > breaks else f"{_falling(rng, at, 58, 26.5, 2.5, 0.35):.3g}"
            took = done / rng.uniform(2.31, 2.38)
            left = (batches - done) / 2.35
            mark = done * 10 // batches
            bar = "█" * mark + ("" if mark == 10 else "▎") + " " * (9 - mark)
            out.append(
                f"Epoch {epoch}: {100 * done // batches:>3d}%|{bar}| {done}/{batches} [{int(took) // 60:02d}:{int(took) % 60:02d}<"
                f"{int(left) // 60:02d}:{int(left) % 60:02d},  {done / took:.2f}it/s, loss={shown}, v_num=2]"
            )
        if epoch % 5 == 4:
            out.append(f"DEBUG:fsspec.local:open file: {ckpt}/epoch={epoch}-step={(epoch + 1) * batches * 2}.ckpt")
    out.append("`Trainer.fit` stopped: `max_epochs=80` reached.")
    _write(place / "train_fo_hanna.log", out)


def c05_sled(place: Path, rng: Random) -> None:
    """A surrogate of crash-test sleds: hydra and Lightning, eight ranks, a state written after each step."""
    now = datetime(2025, 6, 24, 4, 17, 2)  # noqa: DTZ001
    out = []
    saves = 0
    spent = 0.0
    for step in range(851, 1001):
        work, save = rng.uniform(0.68, 0.77), rng.uniform(13.6, 16.9)
        now += timedelta(seconds=work)
        loss = _falling(rng, step, 1.9, 0.11, 120, 0.006)
        stamp = f"{now.strftime('%Y-%m-%d %H:%M:%S')},{now.microsecond // 1000:03d}"
        out.append(
            f"[{stamp}][src.models.sled_module][INFO] - [rank: 0] step {step}/1000 train/loss={loss:.4f} train/fatal_recall={rng.uniform(0.86, 0.93):.3f} "
            f"fwd_bwd_opt={work:.2f}s"
        )
        now += timedelta(seconds=save)
        saves += 1
        spent += save
        stamp = f"{now.strftime('%Y-%m-%d %H:%M:%S')},{now.microsecond // 1000:03d}"
        out.append(
            f"[{stamp}][src.callbacks.step_checkpoint][INFO] - [rank: 0] saved checkpoint /nfs/sled/runs/2025-06-24_00-27-51/checkpoints/step_{step:06d}.ckpt "
            f"(9.4 GB) in {save:.1f}s"
        )
        if step % 31 == 0:
            out.append(
                f"[{stamp}][src.data.sled_datamodule][WARNING] - [rank: {rng.randint(0, 7)}] sled {rng.randint(10000, 99999)}: belt sensor failed at impact, "
                "channel killed, dummy labelled FATAL; kept"
            )
        if step % 50 == 0:
            out.append(
                f"[{stamp}][src.models.sled_module][INFO] - [rank: 0] val/loss={loss * 1.12:.4f} val/crash_abort_error={rng.uniform(3.1, 3.4):.2f}"
            )
    steps = 1000
    fit = steps * (spent / saves + 0.78)
    rows = [
        ("run_training_epoch", fit, 1, fit),
        ("run_training_batch", 0.72, steps, 0.72 * steps),
        (
            "[Callback]StepCheckpoint{'every_n_train_steps': 1, 'save_top_k': -1}.on_train_batch_end",
            spent / saves,
            steps,
            spent / saves * steps,
        ),
        ("[Strategy]DDPStrategy.training_step", 0.211, steps, 211.0),
        ("[Strategy]DDPStrategy.backward", 0.463, steps, 463.0),
        ("[_TrainingEpochLoop].train_dataloader_next", 0.0121, steps, 12.1),
        ("[Strategy]DDPStrategy.validation_step", 0.118, 320, 37.8),
    ]
    total = fit + 71
    rule = "-" * 160
    out += ["`Trainer.fit` stopped: `max_steps=1000` reached.", "FIT Profiler Report", "", rule]
    out.append(
        f"|  {'Action':<92}|  {'Mean duration (s)':<17}|  {'Num calls':<10}|  {'Total time (s)':<15}|  {'Percentage %':<13}|"
    )
    out.append(rule)
    out.append(f"|  {'Total':<92}|  {'-':<17}|  {steps * 9 + 411:<10}|  {total:<15.5g}|  {'100 %':<13}|")
    out.append(rule)
    for action, mean, calls, seconds in rows:
        out.append(
            f"|  {action:<92}|  {mean:<17.5g}|  {calls:<10}|  {seconds:<15.5g}|  {100 * seconds / total:<13.5g}|"
        )
    out.append(rule)
    now += timedelta(seconds=3)
    stamp = f"{now.strftime('%Y-%m-%d %H:%M:%S')},{now.microsecond // 1000:03d}"
    out += [
        f"[{stamp}][src.utils.utils][INFO] - [rank: 0] Output dir: /nfs/sled/runs/2025-06-24_00-27-51",
        f"[{stamp}][src.utils.utils][INFO] - [rank: 0] Metric name is None! Skipping metric value retrieval...",
    ]
    _write(place / "train.log", out)


def c06_glossae(place: Path, rng: Random) -> None:
    """A 370M model of medieval Latin in OLMo-core, its last part."""
    now = datetime(2025, 8, 30, 1, 22, 41)  # noqa: DTZ001
    host, total = "gpu-b14.hpc.unipd.it:0", 9536
    out = []

    def say(module: str, message: str, level: str = "INFO") -> None:
        stamp = f"{now.strftime('%Y-%m-%d %H:%M:%S')}.{now.microsecond // 1000:03d}"
        out.append(f"{stamp}\t{host}\tolmo_core.{module}\t{level}\t{message}")

    for step in (*range(8710, total, 10), total):
        now += timedelta(seconds=rng.uniform(18.9, 19.6))
        rate = 4e-5 + 0.5 * (4e-4 - 4e-5) * (1 + math.cos(math.pi * step / total))
        loss = _falling(rng, step, 9.8, 2.06, 60, 0.013)
        tps = rng.uniform(54200, 55400)
        left = int((total - step) * 1.93)
        eta = f",eta={left // 60}m{left % 60}s" if left >= 60 else (f",eta={left}s" if left else "")
        say("train.callbacks.console_logger:88", f"[step={step}/{total},epoch=1{eta}]")
        out += [
            f"    optim/LR (group 0)={rate:.4E}",
            f"    optim/total grad norm={rng.uniform(0.27, 0.36):.4f}",
            f"    system/GPU active mem (%)={rng.uniform(61.3, 61.6):.2f}",
            f"    throughput/device/BPS={tps / 131072:.4f}",
            f"    throughput/device/TPS={tps:,.0f}",
            "    throughput/device/data loading (%)=0.0" + str(rng.randint(311, 497)),
            f"    train/CE loss={loss:.3f}",
            f"    train/PPL={math.exp(loss):.2f}",
        ]
        if step % 250 == 0:
            say("train.callbacks.evaluator_callback:142", "Running latin-validation evals...")
            now += timedelta(seconds=4)
            for batch in (20, 40):
                say("train.callbacks.evaluator_callback:196", f"[eval=latin-validation,step={batch}/40]")
            say(
                "train.callbacks.evaluator_callback:173",
                f"Eval metrics for latin-validation:\n    patrologia/CE loss={loss + 0.05:.3f}",
            )
        if step % 500 == 0:
            say(
                "train.callbacks.checkpointer:196",
                f"Saving checkpoint for step {step} to '/leonardo_work/glossae/370M-b/step{step}'...",
            )
            now += timedelta(seconds=9)
            say(
                "train.callbacks.checkpointer:204",
                f"Saved checkpoint for step {step} to '/leonardo_work/glossae/370M-b/step{step}'",
            )
    say(
        "train.callbacks.checkpointer:196",
        f"Saving checkpoint for step {total} to '/leonardo_work/glossae/370M-b/step{total}'...",
    )
    now += timedelta(seconds=11)
    say(
        "train.callbacks.checkpointer:204",
        f"Saved checkpoint for step {total} to '/leonardo_work/glossae/370M-b/step{total}'",
    )
    say("train.trainer:688", "Training complete")
    _write(place / "glossae-370M-b.log", out)
