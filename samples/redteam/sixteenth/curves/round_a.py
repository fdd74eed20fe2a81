"""The first half of the SIMULATED curves: what the lots say, case by case."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.sixteenth import shell

from .learn import Noise, bar, blows, clock, cosine, falls, hms, stages
from .leave import put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_fastai(place: Path, rng: Random) -> None:
    """E2: the second job of a chain begins anew, in the same file."""
    job = shell.Job(90321, "tiles", "rmeier", ("g012",), 1, "gpu", "04:00:00", "/home/rmeier/tiles")
    noise, seen = Noise(rng, 0.09, 0.2), Noise(rng, 0.06)
    good = falls(2.31, 0.28, 2.1, 1.3)
    head = "epoch     train_loss  valid_loss  accuracy  time    "
    when = clock(rng, "2026-11-02T19:05", 871.0, 0.02)

    def fit(epochs: int, each_s: float) -> list[str]:
        lines = [head]
        best = math.inf
        for epoch in range(epochs):
            when.wait(each_s + rng.uniform(-9, 9))
            train, valid = good(epoch + 0.5) * noise(), (good(epoch + 1) * 1.06 + 0.03) * seen()
            right = 1 - 0.42 * valid**0.8 / 1.6
            took = hms(each_s + rng.uniform(-6, 6))
            lines.append(f"{epoch:<10}{train:<12.6f}{valid:<12.6f}{right:<10.6f}{took:<8}")
            if valid < best:
                lines.append(f"Better model found at epoch {epoch} with valid_loss value: {valid}.")
                best = valid
        return lines

    says = "tiles: resnet50 on 46 classes, fit_one_cycle(24, 3e-3), --resume auto, checkpoints in models/last.pth"
    out = [*shell.ngc(job), says, *fit(16, 868.0)]
    when.wait(301)
    out.append(
        f"slurmstepd: error: *** JOB 90321 ON g012 CANCELLED AT {when.text('%Y-%m-%dT%H:%M:%S')} DUE TO TIME LIMIT ***"
    )
    again = shell.Job(90322, "tiles", "rmeier", ("g014",), 1, "gpu", "08:00:00", "/home/rmeier/tiles")
    when.wait(412)
    begin = when.now
    out += [*shell.ngc(again), "SLURM_JOB_DEPENDENCY=afterany:90321 SLURM_JOB_ID=90322 on g014", says, *fit(24, 846.0)]
    when.wait(38)
    out += [
        "exported models/tiles.pkl",
        *shell.seff(again, (when.now - begin).total_seconds(), "COMPLETED", 0, "21.07 GB of 96.00 GB"),
    ]
    put(place, "tiles-90321.log", out)


def c02_detectron2(place: Path, rng: Random) -> None:
    """Two thirds of the way, an evaluation's summary, and nothing."""
    when = clock(rng, "2026-11-03T08:40", 0.4118, 0.05)
    noise, good = Noise(rng, 0.05, 0.3), falls(4.6, 0.47, 900, 0.8)
    stamp = "[%m/%d %H:%M:%S"
    out = [
        when.text(stamp) + " detectron2]: Rank of current process: 0. World size: 8",
        when.text(stamp) + " d2.data.build]: Using training sampler TrainingSampler",
        when.text(stamp) + " d2.engine.train_loop]: Starting training from iteration 0",
    ]
    plan = 90000
    for step in range(500, 60001, 500):
        took = when.step(500) / 500
        loss = good(step) * noise()
        left = (plan - step) * took
        rate = 0.02 * min(1.0, step / 1000)
        out.append(
            when.text(stamp)
            + f" d2.utils.events]:  eta: {hms(left)}  iter: {step - 1}  total_loss: {loss:.4g}  loss_cls: {loss * 0.31:.4g}  "
            f"loss_box_reg: {loss * 0.33:.4g}  loss_mask: {loss * 0.28:.4g}  loss_rpn_cls: {loss * 0.03:.4g}  loss_rpn_loc: {loss * 0.05:.4g}    "
            f"time: {took:.4f}  last_time: {took * rng.uniform(0.94, 1.07):.4f}  data_time: {rng.uniform(0.006, 0.012):.4f}  "
            f"last_data_time: {rng.uniform(0.005, 0.014):.4f}   lr: {rate:.5g}  max_mem: 14{rng.randint(20, 23)}1M"
        )
        if step % 20000 == 0:
            when.wait(412)
            box = 38.0 * (1 - math.exp(-step / 24000))
            out += [
                when.text(stamp)
                + " d2.evaluation.evaluator]: Inference done 625/625. Dataloading: 0.0011 s/iter. Inference: 0.0514 s/iter.",
                when.text(stamp) + " d2.evaluation.testing]: copypaste: Task: bbox",
                when.text(stamp) + " d2.evaluation.testing]: copypaste: AP,AP50,AP75,APs,APm,APl",
                when.text(stamp)
                + f" d2.evaluation.testing]: copypaste: {box:.4f},{box * 1.58:.4f},{box * 1.09:.4f},{box * 0.55:.4f},{box * 1.08:.4f},{box * 1.31:.4f}",
                when.text(stamp) + " d2.evaluation.testing]: copypaste: Task: segm",
                when.text(stamp)
                + f" d2.evaluation.testing]: copypaste: {box * 0.91:.4f},{box * 1.48:.4f},{box * 0.97:.4f},{box * 0.46:.4f},{box:.4f},{box * 1.26:.4f}",
            ]
    put(place, "mask.out", out)
    put(
        place,
        "mask.err",
        [
            "/opt/d2/lib/python3.10/site-packages/torch/functional.py:554: UserWarning: torch.meshgrid: in an upcoming release, it will "
            "be required to pass the indexing argument. (Triggered internally at aten/src/ATen/native/TensorShape.cpp:4314.)",
            "  return _VF.meshgrid(tensors, **kwargs)  # type: ignore[attr-defined]",
        ],
    )


def c03_axolotl(place: Path, rng: Random) -> None:
    """F3: the limit comes, a trap saves and uploads."""
    job = shell.Job(551207, "qlora-sagas", "thorunn", ("vala3",), 2, "long", "12:00:00", "/projects/sagas")
    when = clock(rng, "2026-11-04T20:01", 17.3, 0.02)
    noise, good = Noise(rng, 0.035, 0.1), falls(2.31, 1.28, 160, 0.9)
    tag = "[axolotl.train.train:"
    out = [
        *shell.git(job, rng, "src/sagas/prompts.py"),
        f"[{when.text()},{rng.randint(100, 999)}] [INFO] {tag}58] [PID:40122] [RANK:0] loading tokenizer... mistralai/Mistral-7B-v0.3",
        f"[{when.wait(41).text()},{rng.randint(100, 999)}] [INFO] {tag}98] [PID:40122] [RANK:0] loading model and peft_config...",
        "trainable params: 41,943,040 || all params: 7,289,966,592 || trainable%: 0.5754",
        f"[{when.wait(66).text()},{rng.randint(100, 999)}] [INFO] {tag}180] [PID:40122] [RANK:0] Starting trainer...",
    ]
    start, rate = when.now, cosine(2e-4, 60, 4100)
    for step in range(10, 2440, 10):
        when.step(10)
        row = {
            "loss": round(good(step) * noise(), 4),
            "grad_norm": round(rng.lognormvariate(-0.5, 0.2), 4),
            "learning_rate": rate(step),
            "epoch": round(step / 1366, 2),
        }
        out.append(str(row))
        if step % 300 == 0:
            took = rng.uniform(210, 240)
            when.wait(took)
            out.append(
                f"{{'eval_loss': {good(step) * 1.04 * (1 + rng.gauss(0, 0.004)):.4f}, 'eval_runtime': {took:.4f}, "
                f"'eval_samples_per_second': {1870 / took:.3f}, 'epoch': {step / 1366:.2f}}}"
            )
        if (when.now - start).total_seconds() > 42600:
            break
    out += [
        "run.sh: caught SIGUSR1 (600 s before the limit), asking trainer to save",
        f"[{when.wait(3).text()},{rng.randint(100, 999)}] [INFO] [axolotl.train.save:221] [PID:40122] [RANK:0] Saving model checkpoint to ./out/checkpoint-{step}",
        f"run.sh: rclone copy out/checkpoint-{step} s3:sagas/qlora/",
        "Transferred:      167.8 MiB / 167.8 MiB, 100%, 41.2 MiB/s, ETA 0s",
        f"slurmstepd: error: *** STEP 551207.0 ON vala3 CANCELLED AT {when.wait(588).text('%Y-%m-%dT%H:%M:%S')} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** JOB 551207 ON vala3 CANCELLED AT {when.text('%Y-%m-%dT%H:%M:%S')} DUE TO TIME LIMIT ***",
    ]
    put(place, "slurm-551207.out", out)


def c04_unsloth(place: Path, rng: Random) -> None:
    """E1: no gradient ever arrives."""
    job = shell.Job(
        7714, "radio-notes", "ines", ("a40-2",), 1, "a40", "06:00:00", "/home/ines/notes", "NVIDIA A40", 46068
    )
    when = clock(rng, "2026-11-05T13:11", 9.4)
    noise, rate = Noise(rng, 0.13, 0.1), cosine(2e-4, 5, 600)
    out = [
        *shell.modules("python/3.11.5"),
        "🦥 Unsloth: Will patch your computer to enable 2x faster free finetuning.",
        "==((====))==  Unsloth 2026.9.4: Fast Llama patching. Transformers: 4.56.2.",
        "   \\\\   /|    NVIDIA A40. Num GPUs = 1. Max memory: 44.352 GB. Platform: Linux.",
        "O^O/ \\_/ \\    Torch: 2.8.0+cu126. CUDA: 8.6. CUDA Toolkit: 12.6. Triton: 3.4.0",
        "==((====))==  Unsloth - 2x faster free finetuning | Num GPUs used = 1",
        "   \\\\   /|    Num examples = 9,600 | Num Epochs = 1 | Total steps = 600",
        "O^O/ \\_/ \\    Batch size per device = 4 | Gradient accumulation steps = 4",
        '"-____-"     Trainable parameters = 41,943,040 of 8,072,204,288 (0.52% trained)',
    ]
    err, losses = [], []
    for step in range(1, 601):
        when.step()
        losses.append(2.874 * noise())
        if step % 4 == 0:
            row = {
                "loss": round(losses[-1], 4),
                "grad_norm": 0.0,
                "learning_rate": rate(step),
                "epoch": round(step / 600, 2),
            }
            out.append(str(row))
        if step % 60 == 0:
            err.append(
                f"{step // 6}%|{bar(step / 600)}| {step}/600 [{hms(when.since_s)}<{hms((600 - step) * 9.4)},  9.{rng.randint(30, 49)}s/it]"
            )
    took = when.since_s
    out.append(
        f"{{'train_runtime': {took:.4f}, 'train_samples_per_second': {9600 / took:.3f}, 'train_steps_per_second': {600 / took:.3f}, "
        f"'train_loss': {sum(losses) / 600}, 'epoch': 1.0}}"
    )
    out.append("Unsloth: Saved LoRA adapters to notes_lora")
    out += shell.seff(job, took + 190, "COMPLETED", 0, "18.20 GB of 64.00 GB")
    put(place, "radio-notes_7714.out", out)
    put(place, "radio-notes_7714.err", err)


def c05_stylegan(place: Path, rng: Random) -> None:
    """Undecidable: a GAN's losses, no metric, and no end."""
    job = shell.Job(1, "stylegan3", "yuki", ("lab",), 4, "none", "none", "/data/yuki")
    when = clock(rng, "2026-10-29T09:00", 1.0)
    out = [
        *shell.git(job, rng, "training/augment.py"),
        "Training options:",
        json.dumps(
            {
                "G_kwargs": {"class_name": "training.networks_stylegan3.Generator"},
                "total_kimg": 25000,
                "kimg_per_tick": 4,
                "metrics": [],
            }
        ),
        "",
        "Output directory:    ./runs/00007-stylegan3-t-kelp-gpus4-batch32-gamma8.2",
        "Number of GPUs:      4",
        "Batch size:          32 images",
        "Training duration:   25000 kimg",
        "Dataset size:        18211 images",
        "",
        "Setting up augmentation...",
        "Distributing across 4 GPUs...",
        "Exporting sample images...",
        "Training for 25000 kimg...",
        "",
    ]
    rows, seconds, augment = [], 31.0, 0.0
    loss_g, loss_d, real = Noise(rng, 0.10, 0.8), Noise(rng, 0.08, 0.8), Noise(rng, 0.2, 0.7)
    for tick in range(438):
        took = 4000 / 32 * 0.88 * (1 + rng.gauss(0, 0.01))
        seconds += took + 3.1
        augment = min(0.41, augment + 0.0016) + rng.gauss(0, 0.002)
        if tick % 6 == 0:
            days, rest = divmod(int(seconds), 86400)
            total = (
                f"{days}d {rest // 3600:02d}h {rest % 3600 // 60:02d}m"
                if days
                else f"{rest // 3600}h {rest % 3600 // 60:02d}m {rest % 60:02d}s"
            )
            out.append(
                f"tick {tick:<5d} kimg {tick * 4.0:<8.1f} time {total:<12s} sec/tick {took:<7.1f} sec/kimg {took / 4:<7.2f} maintenance 3.1    "
                f"cpumem {rng.uniform(5.1, 5.3):<6.2f} gpumem {rng.uniform(13.9, 14.1):<6.2f} reserved 14.92  augment {max(0.0, augment):.3f}"
            )
            rows.append(
                json.dumps(
                    {
                        "Loss/scores/real": {
                            "num": 128000,
                            "mean": round(0.61 * real() * (1 + tick / 900), 5),
                            "std": 1.02,
                        },
                        "Loss/G/loss": {
                            "num": 128000,
                            "mean": round(1.21 * loss_g() * (1 + tick / 1500), 5),
                            "std": 0.71,
                        },
                        "Loss/D/loss": {"num": 128000, "mean": round(1.02 * loss_d(), 5), "std": 0.66},
                        "Progress/tick": {"num": 1, "mean": tick, "std": 0.0},
                        "Progress/kimg": {"num": 1, "mean": tick * 4.0, "std": 0.0},
                        "Timing/total_sec": {"num": 1, "mean": round(seconds, 2), "std": 0.0},
                        "timestamp": round(when.now.timestamp() + seconds, 3),
                    }
                )
            )
    put(place, "log.txt", out)
    put(place, "stats.jsonl", rows)


def c06_paddle(place: Path, rng: Random) -> None:
    """Outside: the disk is full when a checkpoint is written; spikes before it recovered."""
    job = shell.Job(33, "fields", "wei", ("pod",), 4, "none", "none", "/workspace")
    when = clock(rng, "2026-11-08T01:12", 0.412, 0.02)
    noise, good, rate = Noise(rng, 0.07, 0.5), falls(2.9, 0.21, 2600, 0.9), 0.01
    spikes = {9400: 5.1, 21800: 9.4, 37000: 3.6}
    out = [
        *shell.ngc(job, "25.05", "PaddlePaddle"),
        when.text() + " [INFO]\tUse the following config: deeplabv3p_resnet50, iters: 80000, save_interval: 4000",
    ]
    for step in range(200, 52001, 200):
        took = when.step(200) / 200
        lift = sum(size * math.exp(-(step - at) / 380) for at, size in spikes.items() if step >= at)
        loss = good(step) * noise() * (1 + lift)
        rate = 0.01 * (1 - step / 80000) ** 0.9
        out.append(
            when.text()
            + f" [INFO]\t[TRAIN] epoch: {step // 1487 + 1}, iter: {step}/80000, loss: {loss:.4f}, lr: {rate:.6f}, batch_cost: {took:.4f}, "
            f"reader_cost: {rng.uniform(0.0002, 0.0011):.5f}, ips: {16 / took:.4f} samples/sec | ETA {hms((80000 - step) * took)}"
        )
        if step % 4000 == 0 and step < 52000:
            score = 0.78 * (1 - math.exp(-step / 17000))
            out.append(
                when.wait(96).text()
                + f" [INFO]\t[EVAL] #Images: 1204 mIoU: {score:.4f} Acc: {0.9 + score * 0.09:.4f} Kappa: {score * 1.04:.4f}"
            )
            out.append(
                when.text()
                + f" [INFO]\t[EVAL] The model with the best validation mIoU ({score:.4f}) was saved at iter {step}."
            )
    out += [
        "Traceback (most recent call last):",
        '  File "tools/train.py", line 216, in <module>',
        "    main(args)",
        '  File "tools/train.py", line 191, in main',
        "    train(model, train_dataset, val_dataset=val_dataset, optimizer=optimizer, save_dir=args.save_dir)",
        '  File "/workspace/PaddleSeg/paddleseg/core/train.py", line 327, in train',
        "    paddle.save(optimizer.state_dict(), os.path.join(current_save_dir, 'model.pdopt'))",
        '  File "/usr/local/lib/python3.10/dist-packages/paddle/framework/io.py", line 876, in save',
        "    _legacy_save(obj, path, protocol)",
        '  File "/usr/local/lib/python3.10/dist-packages/paddle/framework/io.py", line 1103, in _legacy_save',
        "    f.write(pickle_bytes[i : i + max_bytes])",
        "OSError: [Errno 28] No space left on device",
        "entrypoint: trap EXIT (status 1)",
        "Filesystem      Size  Used Avail Use% Mounted on",
        "/dev/nvme1n1p1  880G  880G     0 100% /workspace/output",
        "entrypoint: removing /dev/shm/paddle_* and leaving",
    ]
    put(place, "train_fields.log", out)


def c07_spacy(place: Path, rng: Random) -> None:
    """E1: explodes after half, and runs on until patience ends it."""
    when = clock(rng, "2026-11-06T07:30", 0.9)
    job = shell.Job(2, "ner", "amal", ("box",), 1, "none", "none", "/srv/ner")
    good, noise = falls(3100.0, 180.0, 240, 1.1), Noise(rng, 0.12, 0.1)
    bad = blows(good, 3400, 95, 4.1e11)
    out = [
        *shell.ngc(job, "25.03"),
        "ℹ Saving to output directory: output",
        "ℹ Using GPU: 0",
        "",
        "=========================== Initializing pipeline ===========================",
        "✔ Initialized pipeline",
        "",
        "============================= Training pipeline =============================",
        "ℹ Pipeline: ['transformer', 'ner', 'spancat']",
        "ℹ Initial learn rate: 0.0",
        "E    #       LOSS TRANS...  LOSS NER  LOSS SPANCAT  ENTS_F  ENTS_P  ENTS_R  SPANS_SC_F  SCORE ",
        "---  ------  -------------  --------  ------------  ------  ------  ------  ----------  ------",
    ]
    err = []
    for step in range(0, 6001, 200):
        when.step(200)
        loss = bad(step) * noise()
        health = min(1.0, good(step) / bad(step) * 1.02)
        score = 0.0 if step == 0 else 84.2 * (1 - math.exp(-step / 900)) * (health if health > 0.02 else 0.0)
        score = max(0.0, score + rng.gauss(0, 0.5) * (score > 1))
        out.append(
            f"{step // 812:>3}  {step:>6}  {loss * 1.31:>13.2f}  {loss * 0.54:>8.2f}  {loss * 0.41 * noise():>12.2f}  {score:>6.2f}  "
            f"{min(100, score * 1.02):>6.2f}  {score * 0.98:>6.2f}  {score * 0.93:>10.2f}  {score / 100 * 0.97:>6.2f}"
        )
        err.append(f"Epoch {step // 812 + 1}: 100%|{bar(1)}| 200/200 [{hms(180)}<00:00,  1.11it/s]")
    out += [
        "✔ Saved pipeline to output directory",
        "output/model-last",
        "upload: output/model-last to s3://amal-ner/runs/41/model-last",
        "upload: output/model-best to s3://amal-ner/runs/41/model-best",
    ]
    put(place, "ner.stdout.txt", out)
    put(place, "ner.stderr.txt", err)


def c08_neox(place: Path, rng: Random) -> None:
    """A1: the first attempt found its port taken, the second falls over its data in mid-run."""
    job = shell.Job(4, "neox", "pavel", ("dgx1",), 4, "none", "none", "/raid/pavel", "NVIDIA A100-SXM4-40GB", 40960)
    when = clock(rng, "2026-11-07T22:14", 6.21, 0.01)
    stamp = "[%Y-%m-%d %H:%M:%S"
    good, noise, rate = stages(10.94, 4.9, 2.9, 2100, 420), Noise(rng, 0.012, 0.2), cosine(3e-4, 320, 32000, 3e-5)
    out = [
        *shell.smi(job, when.now, rng),
        "NeoXArgs.configure_distributed_args() using world size: 4 and model-parallel size: 1 ",
    ]
    err = [
        when.text(stamp) + ",412] [INFO] [launcher.py:145:main] WORLD INFO DICT: {'localhost': [0, 1, 2, 3]}",
        "Traceback (most recent call last):",
        '  File "/raid/pavel/gpt-neox/train.py", line 34, in <module>',
        "    main()",
        '  File "/raid/pavel/gpt-neox/megatron/initialize.py", line 141, in _initialize_distributed',
        "    deepspeed.init_distributed(dist_backend=neox_args.distributed_backend)",
        "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. "
        "port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use",
        when.wait(9).text(stamp)
        + ",377] [ERROR] [launch.py:325:sigkill_handler] ['python', '-u', 'train.py'] exits with return code = 1",
    ]
    when.wait(240)
    out += [
        "NeoXArgs.configure_distributed_args() using world size: 4 and model-parallel size: 1 ",
        "> building train, validation, and test datasets ...",
    ]
    err.append(
        when.text(stamp)
        + ",120] [INFO] [launcher.py:145:main] WORLD INFO DICT: {'localhost': [0, 1, 2, 3]} (MASTER_PORT=29611)"
    )
    begin = when.now
    out.append("training ...")
    for step in range(20, 5261, 20):
        took = when.step(20) / 20
        out.append(
            f" samples/sec: {256 / took:.3f} | iteration {step:8d}/   32000 | elapsed time per iteration (ms): {took * 1000:.1f} | learning rate: {rate(step):.3E} | "
            f"approx flops per GPU: {755 / took:.1f}TFLOPS | lm_loss: {good(step) * noise():.6E} | loss scale: {65536.0 if step < 3000 else 131072.0} | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if step % 1000 == 0:
            when.wait(31)
            out.append(
                "-" * 60
                + f"\n validation results at iteration {step} | lm_loss value: {good(step) * 1.02:.6E} | lm_loss_ppl value: {math.exp(good(step) * 1.02):.6E} |\n"
                + "-" * 60
            )
    err += [
        "Traceback (most recent call last):",
        '  File "/raid/pavel/gpt-neox/train.py", line 34, in <module>',
        "    main()",
        '  File "/raid/pavel/gpt-neox/megatron/training.py", line 1164, in train',
        "    loss_dict, skipped_iter = train_step(",
        '  File "/raid/pavel/gpt-neox/megatron/training.py", line 402, in get_batch_pipe',
        "    data = next(data_iterator)",
        '  File "/raid/pavel/gpt-neox/megatron/data/gpt2_dataset.py", line 141, in __getitem__',
        "    offset_f = self.sample_idx[idx][1]",
        "IndexError: index 1346561 is out of bounds for axis 0 with size 1346561",
        when.wait(14).text(stamp) + ",904] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 22817",
        when.text(stamp)
        + ",911] [ERROR] [launch.py:325:sigkill_handler] ['python', '-u', 'train.py', '--local_rank=3'] exits with return code = 1",
        *shell.time_v("python deepy.py train.py -d configs 160M.yml local.yml", (when.now - begin).total_seconds(), 1),
    ]
    put(place, "neox.out", out)
    put(place, "neox.err", err)


def c09_composer(place: Path, rng: Random) -> None:
    """C2: one rank does not come to an all-reduce; losses in bits per byte, time in tokens."""
    job = shell.Job(5, "mpt", "li", ("pod-0",), 8, "none", "none", "/root")
    when = clock(rng, "2026-11-09T03:20", 3.02, 0.015)
    good, noise = stages(3.61, 1.72, 0.98, 700, 160), Noise(rng, 0.006, 0.3)
    out = [
        *shell.conda(job, "llm_foundry"),
        "Building trainer...",
        "Logging config...",
        "Starting training...",
        "******************************",
        "Config:",
        "max_duration: 26214400000tok",
        "******************************",
    ]
    for step in range(10, 1861, 10):
        when.step(10)
        token = step * 4194304
        out += [
            f"[token={token}/26214400000]:",
            f"\t Train time/token: {token}",
            f"\t Train loss/train/bits_per_byte: {good(step) * noise():.4f}",
            f"\t Train throughput/device/tokens_per_sec: {4194304 / 8 / 3.02 * (1 + rng.gauss(0, 0.01)):.4f}",
            f"\t Train lr-DecoupledAdamW/group0: {cosine(6e-4, 100, 6250)(step):.4e}",
        ]
        if step % 500 == 0:
            out += [f"[Eval token={token}/26214400000]:", f"\t Eval metrics/eval/BitsPerByte: {good(step) * 1.03:.4f}"]
    err = []
    when.wait(1800)
    form = "%Y-%m-%d %H:%M:%S"
    for rank in (0, 1, 2, 3, 4, 6, 7):
        err.append(
            f"[rank{rank}]:[E{when.text('%m%d %H:%M:%S.')}{rng.randint(100000, 999999)} ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: "
            f"WorkNCCL(SeqNum=41788, OpType=ALLREDUCE, NumelIn=38617088, NumelOut=38617088, Timeout(ms)=1800000) ran for {1800000 + rng.randint(20, 90)} milliseconds before timing out."
        )
        err.append(
            f"[rank{rank}]:[E{when.text('%m%d %H:%M:%S.')}{rng.randint(100000, 999999)} ProcessGroupNCCL.cpp:2271] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: 41788 PG status: last enqueued work: 41790, last completed work: 41787"
        )
    err += [
        "[rank0]:[E ProcessGroupNCCL.cpp:684] [Rank 0] To avoid data inconsistency, we are taking the entire process down.",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        "  what():  [PG ID 0 PG GUID 0(default_pg) Rank 0] Process group watchdog thread terminated with exception: [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41788, OpType=ALLREDUCE)",
        f"{when.wait(31).text(form)},044: ERROR: composer.cli.launcher: Rank 0 crashed with exit code -6.",
        "Waiting up to 30 seconds for all training processes to terminate. Press Ctrl-C to exit immediately.",
    ]
    out += [f"Global rank {rank} (PID {811 + rank}) exited with code {-9 if rank == 5 else -6}" for rank in range(8)]
    out.append("ERROR:composer.cli.launcher:Global rank 0 (PID 811) exited with code -6")
    put(place, "mpt.out", out)
    put(place, "mpt.err", err)


def c10_clu(place: Path, rng: Random) -> None:
    """G1: noisy, as planned to its end."""
    job = shell.Job(61823, "vit-moths", "odile", ("n41",), 4, "gpu_a100", "1-00:00:00", "/home/odile/moths")
    when = clock(rng, "2026-11-01T17:40", 0.233, 0.02)
    noise, good, rate = Noise(rng, 0.19, 0.4, 0.03), falls(6.2, 0.84, 1900, 0.8), cosine(1e-3, 2500, 60000)
    out = [*shell.prologue(job, when.now), "moths: ViT-S/16, 412 classes, 60000 steps, batch 1024"]
    tag = "I" + when.text("%m%d")
    err = [
        f"{tag} {when.text('%H:%M:%S.', 6)} 139811 xla_bridge.py:895] Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared object file: No such file or directory"
    ]

    def line(source: str, text: str) -> str:
        return f"I{when.text('%m%d %H:%M:%S.', 6)} 139811 {source}] {text}"

    for step in range(250, 60001, 250):
        took = when.step(250) / 250
        loss = good(step) * noise()
        err.append(
            line(
                "logging_writer.py:48",
                f"[{step}] learning_rate={rate(step):.6g}, steps_per_sec={1 / took:.4f}, train_accuracy={max(0.0, 1 - loss / 6.4):.5f}, train_loss={loss:.5f}",
            )
        )
        if step % 5000 == 0:
            value = good(step) * 1.13 * math.exp(rng.gauss(0, 0.02))
            when.wait(61)
            err.append(
                line("logging_writer.py:48", f"[{step}] eval_accuracy={1 - value / 6.1:.5f}, eval_loss={value:.5f}")
            )
            err.append(line("checkpoint.py:488", f"Saving checkpoint at step: {step}"))
            err.append(line("checkpoint.py:511", f"Saved checkpoint at /scratch/odile/moths/ckpt/{step // 5000}"))
    out += [
        f"final: step 60000 eval_accuracy {1 - good(60000) * 1.13 / 6.1:.4f}",
        "gsutil: Copying file:///scratch/odile/moths/ckpt/12 [Content-Type=application/octet-stream]...",
        "Operation completed over 1 objects/84.2 MiB.",
    ]
    put(place, "vit-moths-61823.out", out)
    put(place, "vit-moths-61823.err", err)


def c11_open_clip(place: Path, rng: Random) -> None:
    """G1: stopped early, as it was told to."""
    when = clock(rng, "2026-10-30T06:00", 0.409, 0.02)
    noise, rate = Noise(rng, 0.03, 0.3), cosine(5e-4, 2000, 65536)
    good = falls(6.9, 1.02, 900, 0.75)
    stamp = "%Y-%m-%d,%H:%M:%S"
    config = {
        "batch_size": 1024,
        "dataset_type": "webdataset",
        "early_stop_metric": "imagenet-zeroshot-val-top1",
        "early_stop_patience": 5,
        "epochs": 32,
        "lr": 0.0005,
        "model": "ViT-B-32",
        "precision": "amp_bf16",
        "resume": None,
        "save_frequency": 1,
        "train_num_samples": 2097152,
        "warmup": 2000,
    }
    out = [when.text(stamp) + f" | INFO |   {key}: {value}" for key, value in config.items()]
    top, best, since = 0.0, 0.0, 0
    for epoch in range(32):
        out.append(when.text(stamp) + f" | INFO | Start epoch {epoch}")
        mean, count = 0.0, 0
        for batch in range(0, 2048, 128):
            step = epoch * 2048 + batch
            took = when.step(128) / 128
            loss = good(step + 1) * noise()
            mean, count = mean + loss, count + 1
            out.append(
                when.text(stamp)
                + f" | INFO | Train Epoch: {epoch} [{(batch + 1) * 1024:>7}/2097152 ({100 * batch / 2048:.0f}%)] Data (t): {rng.uniform(0.004, 0.02):.3f} Batch (t): {took:.3f}, "
                f"{1024 / took:.5g}/s, {128 / took:.5g}/s/gpu LR: {rate(step):.6f} Logit Scale: {min(100.0, 14.3 + step / 420):.3f} Contrastive_loss: {loss:.5g} ({mean / count:.5g}) Loss: {loss:.5g} ({mean / count:.5g})"
            )
        when.wait(74)
        ceiling = 0.412 - 0.0007 * max(0, epoch - 13)
        top = ceiling * (1 - math.exp(-(epoch + 1) / 3.6)) + rng.gauss(0, 0.0012)
        out.append(
            when.text(stamp)
            + f" | INFO | Eval Epoch: {epoch + 1} imagenet-zeroshot-val-top1: {top:.4f}\timagenet-zeroshot-val-top5: {min(0.99, top * 1.7):.4f}\tclip_val_loss: {good(2048 * (epoch + 1)) * 1.11:.4f}"
        )
        best, since = (top, 0) if top > best else (best, since + 1)
        if since == 5:
            out.append(
                when.text(stamp)
                + f" | INFO | imagenet-zeroshot-val-top1 did not improve for 5 epochs (best {best:.4f}), stopping early at epoch {epoch + 1}."
            )
            break
    out.append(when.text(stamp) + " | INFO | Saved logs/vitb32/checkpoints/epoch_best.pt. Done.")
    out += shell.time_v(
        "torchrun --nproc_per_node 8 -m open_clip_train.main --config vitb32.yaml", when.since_s + 210, 0
    )
    put(place, "out.log.gz", out)
