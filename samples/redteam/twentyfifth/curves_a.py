"""The first half of the curves: logs written by generators. SIMULATED."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import at, bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 86400.0


def _spoken(seconds: float) -> str:
    """A duration as ms-swift has it."""
    s = int(seconds)
    head = f"{s // 3600}h " if s >= 3600 else ""
    return f"{head}{s % 3600 // 60}m {s % 60}s" if s >= 60 else f"{s}s"


def _swift(
    place: Path, rng: Random, job: int, begin: float, data: str, rank: int, steps: int, pace: float, start: float
) -> None:
    version = f"v0-{clock(begin, '%Y%m%d-%H%M%S')}"
    where = f"/data/linh/clinic_notes/output/r{rank}/{version}"
    command = (
        "run sh: `/opt/conda/envs/swift/bin/python -m torch.distributed.run --nproc_per_node 2 "
        "/opt/conda/envs/swift/lib/python3.11/site-packages/swift/cli/sft.py --model Qwen/Qwen2.5-7B-Instruct "
        f"--train_type lora --lora_rank {rank} --lora_alpha {2 * rank} --dataset {data} --torch_dtype bfloat16 "
        "--num_train_epochs 2 --per_device_train_batch_size 2 --gradient_accumulation_steps 8 --learning_rate 1e-4 "
        "--eval_steps 60 --save_steps 60 --save_total_limit 2 --logging_steps 5 --warmup_ratio 0.05 "
        f"--output_dir output/r{rank} --dataset_num_proc 4`"
    )
    mine, err = [command], []
    err += [
        "[INFO:swift] Successfully registered `/opt/conda/envs/swift/lib/python3.11/site-packages/swift/llm/dataset/"
        "data/dataset_info.json`.",
        "[INFO:swift] rank: 0, local_rank: 0, world_size: 2, local_world_size: 2\n[INFO:swift] Loading the model using"
        " model_dir: /data/models/Qwen2.5-7B-Instruct",
        "Loading checkpoint shards:   0%|          | 0/4 [00:00<?, ?it/s]\rLoading checkpoint shards: 100%|"
        "██████████| 4/4 [00:05<00:00,  1.28s/it]",
        "[INFO:swift] model.hf_device_map: {'': device(type='cuda', index=0)}",
        f"[INFO:swift] Setting args.lazy_tokenize: False\n[INFO:swift] args.output_dir: {where}",
        f"[INFO:swift] Start time of running main: {clock(begin, '%Y-%m-%d %H:%M:%S.')}{rng.randrange(10**6):06d}",
        f"[INFO:swift] train_dataset: Dataset({{\n    features: ['input_ids', 'labels', 'length'],\n    num_rows:"
        f" {steps * 16}\n}})",
        f"[INFO:swift] model_parameter_info: PeftModelForCausalLM: {7615.62 + rank * 2.52:.4f}M Params"
        f" ({rank * 2.5231:.4f}M Trainable [0.2644%]), 0.0001M Buffers.",
        "[INFO:swift] The logging file will be saved in: " + where + "/logging.jsonl",
    ]
    bars, sofar, train = [], 0.0, 0.0
    for step in range(1, steps + 1):
        sofar += pace * rng.uniform(0.94, 1.07)
        loss = falls(rng, step, start, 0.78, 40, 0.03)
        train += loss
        if step == 1 or step % 5 == 0:
            lr = 1e-4 * (
                step / (steps * 0.05)
                if step < steps * 0.05
                else 0.5 * (1 + math.cos(math.pi * (step - steps * 0.05) / (steps * 0.95)))
            )
            mine.append(
                str(
                    {
                        "loss": round(loss, 8),
                        "token_acc": round(0.885 - loss * 0.14 + rng.gauss(0, 0.004), 8),
                        "grad_norm": round(0.42 + 0.9 * math.exp(-step / 25) + rng.uniform(0, 0.14), 8),
                        "learning_rate": float(f"{max(lr, 0):.8g}"),
                        "memory(GiB)": 23.18 if step < 12 else 25.77,
                        "train_speed(iter/s)": round(step / sofar, 6),
                        "epoch": round(2 * step / steps, 2),
                        "global_step/max_steps": f"{step}/{steps}",
                        "percentage": f"{100 * step / steps:.2f}%",
                        "elapsed_time": _spoken(sofar),
                        "remaining_time": _spoken(sofar / step * (steps - step)),
                    }
                )
            )
            done = f"{bar(step, steps)}| {step}/{steps} [{hms(sofar)}<{hms(pace * (steps - step))}, {pace:5.2f}s/it]"
            bars.append(f"Train: {100 * step // steps:3d}%|{done}")
        if step % 60 == 0 or step == steps:
            mine.append(
                str(
                    {
                        "eval_loss": round(loss * rng.uniform(1.01, 1.05), 8),
                        "eval_token_acc": round(0.871 - loss * 0.13, 8),
                        "eval_runtime": 21.43,
                        "eval_samples_per_second": 7.466,
                        "eval_steps_per_second": 1.867,
                        "epoch": round(2 * step / steps, 2),
                        "global_step/max_steps": f"{step}/{steps}",
                        "percentage": f"{100 * step / steps:.2f}%",
                    }
                )
            )
            sofar += 24
            bars.append(f"\n[INFO:swift] Saving model checkpoint to {where}/checkpoint-{step}\n")
    mine.append(
        str(
            {
                "train_runtime": round(sofar, 4),
                "train_samples_per_second": round(steps * 32 / sofar, 3),
                "train_steps_per_second": round(steps / sofar, 3),
                "train_loss": round(train / steps, 8),
                "epoch": 2.0,
                "global_step/max_steps": f"{steps}/{steps}",
                "percentage": "100.00%",
                "elapsed_time": _spoken(sofar),
                "remaining_time": "0s",
            }
        )
    )
    err.append("\r".join(bars).replace("\r\n", "\n").replace("\n\r", "\n"))
    err += [
        f"[INFO:swift] last_model_checkpoint: {where}/checkpoint-{steps}",
        f"[INFO:swift] best_model_checkpoint: {where}/checkpoint-{steps}",
        f"[INFO:swift] images_dir: {where}/images",
        f"[INFO:swift] End time of running main: {clock(begin + sofar + 47, '%Y-%m-%d %H:%M:%S.')}"
        f"{rng.randrange(10**6):06d}",
    ]
    put(place, f"sft-{job}.out", mine)
    put(place, f"sft-{job}.err", err)


def c01_clinic(place: Path, rng: Random) -> None:
    """Two adapters of different rank, one after the other, from the same folder."""
    _swift(place, rng, 418822, 1 * DAY + 33120, "data/notes_sft.jsonl", 16, 150, 6.41, 1.71)
    _swift(place, rng, 418830, 1 * DAY + 35004, "data/notes_sft.jsonl", 64, 150, 6.6, 1.69)


def c02_garden(place: Path, rng: Random) -> None:
    """A scene of photographs with a tenth of the steps."""
    out = [
        "** The scratch file system is purged of files older than 60 days on the first Monday of each month **",
        "Disk quotas for usr hvdberg (uid 20417): /home 41.2G of 50G; /scratch 1.31T of 4T",
        "+ module purge",
        "+ module load cuda/12.4 gcc/12.3",
        "Loading cuda/12.4",
        "  Loading requirement: gcc/12.3",
        "+ source /home/hvdberg/miniforge3/bin/activate gs",
        "++ _CONDA_ROOT=/home/hvdberg/miniforge3",
        "++ . /home/hvdberg/miniforge3/etc/profile.d/conda.sh",
        "+++ export CONDA_EXE=/home/hvdberg/miniforge3/bin/conda",
        "+++ CONDA_EXE=/home/hvdberg/miniforge3/bin/conda",
        "++ conda activate gs",
        "+ rsync -a /projects/orangerie/colmap_1103/ /local/hvdberg/orangerie/",
        'rsync: [generator] failed to set times on "/local/hvdberg/orangerie/.": Operation not permitted (1)',
        "rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1338) [sender"
        "=3.2.7]",
        "+ true",
        "+ nvidia-smi -L",
        "GPU 0: NVIDIA RTX A6000 (UUID: GPU-71c0c9a2-4f15-2d1e-9a77-3b0f3f5a6e18)",
        "+ python examples/simple_trainer.py default --data_dir /local/hvdberg/orangerie --data_factor 4 --result_dir"
        " results/orangerie --steps_scaler 0.1 --disable_viewer",
        "gsplat: Setting up CUDA with MAX_JOBS=10 (This may take a few minutes the first time)",
        "gsplat: CUDA extension has been set up successfully in 97.31 seconds.",
        "Warning: image_path not found for reconstruction",
        "[Parser] 214 images, taken by 1 cameras.",
        "Scene scale: 1.2874369512",
        'Downloading: "https://download.pytorch.org/models/alexnet-owt-7be5be79.pth" to /home/hvdberg/.cache/torch/hub'
        "/checkpoints/alexnet-owt-7be5be79.pth",
        "  0%|          | 0.00/233M [00:00<?, ?B/s]",
        " 46%|████▌     | 107M/233M [00:01<00:01, 112MB/s] ",
        "100%|██████████| 233M/233M [00:02<00:00, 114MB/s]",
        "Model initialized. Number of GS: 138911",
    ]
    steps, count, mem, took, printed = 3000, 138911, 0.61, 0.0, 0.0
    out.append(f"  0%|          | 0/{steps} [00:00<?, ?it/s]")
    stats = {}
    for step in range(steps):
        speed = 46 - 20 * min(1.0, count / 1.6e6)
        took += 1 / (speed * rng.uniform(0.9, 1.1))
        loss = falls(rng, step, 0.29, 0.052, 420, 0.16)
        degree = min(step // 100, 3)
        head = f"loss={loss:.3f}| sh degree={degree}| "

        def line(n: int, head: str = head, took: float = took) -> str:
            if n == 0:
                return f"{head}:   0%|{bar(0, steps)}| 0/{steps} [{hms(took)}<?, ?it/s]"
            left = (steps - n) / (n / took)
            return (
                f"{head}: {100 * n // steps:3d}%|{bar(n, steps)}| {n}/{steps} [{hms(took)}<{hms(left)},"
                f" {n / took:5.2f}it/s]"
            )

        out.append(line(step))
        if took - printed > 0.1:
            printed = took
            out.append(line(step + 1))
        if 50 < step < 1500 and step % 10 == 0:
            dup = int(rng.uniform(0.5, 1.4) * 3500 * math.exp(-step / 900))
            split = int(dup * rng.uniform(0.3, 0.6))
            count += dup + split
            mem = 0.6 + count * 1.35e-6
            out.append(f"Step {step}: {dup} GSs duplicated, {split} GSs split. Now having {count} GSs.")
            cut = int(dup * rng.uniform(0.05, 0.4))
            count -= cut
            out.append(f"Step {step}: {cut} GSs pruned. Now having {count} GSs.")
        if step in (699, 2999):
            stat = {"mem": round(mem, 3), "ellipse_time": round(took, 2), "num_GS": count}
            out.append(f"Step:  {step} {stat}")
            stats[f"train_step{step:04d}_rank0"] = stat
            out.append("Running evaluation...")
            took += 9
            p = {699: (22.871, 0.7113, 0.331), 2999: (26.402, 0.8274, 0.187)}[step]
            out.append(
                f"PSNR: {p[0]:.3f}, SSIM: {p[1]:.4f}, LPIPS: {p[2]:.3f} Time: 0.021s/image Number of GS: {count}"
            )
            stats[f"val_step{step:04d}"] = {
                "psnr": p[0],
                "ssim": p[1],
                "lpips": p[2],
                "ellipse_time": 0.021,
                "num_GS": count,
            }
            out.append("Running trajectory rendering...")
            out += [
                f"Rendering trajectory: {100 * i // 214:3d}%|{bar(i, 214)}| {i}/214 [{hms(i / 9)}<"
                f"{hms((214 - i) / 9)},  9.02it/s]"
                for i in [*range(0, 214, 20), 214]
            ]
            took += 24
            out.append(f"Video saved to results/orangerie/videos/traj_{step}.mp4")
    out.append(f"{head}: 100%|██████████| {steps}/{steps} [{hms(took)}<00:00, {steps / took:5.2f}it/s]")
    out += [
        "+ cp -r results/orangerie /projects/orangerie/results/",
        "+ rm -rf /local/hvdberg/orangerie",
        "+ echo 'done orangerie'",
        "done orangerie",
        "logout",
        "Connection to vis07 closed.",
    ]
    put(place, "orangerie.log", out)
    for name, stat in stats.items():
        put(place, f"stats/{name}.json", json.dumps(stat) + "\n")


def c03_plates(place: Path, rng: Random) -> None:
    """Reading of licence plates; how many epochs is cut from each line by the group's own logger."""
    now = 2 * DAY + 26011.0

    def say(text: str, name: str = "ppocr INFO") -> str:
        return f"[{clock(now, '%Y/%m/%d %H:%M:%S')}] {name}: {text}"

    out = [
        say("train with paddle 3.0.0 and device Place(gpu:0)"),
        say("Initialize indexes of datasets:['./plates/rec_gt_train.txt']"),
        say("Initialize indexes of datasets:['./plates/rec_gt_val.txt']"),
        "W1104 07:13:31.418291  7741 gpu_resources.cc:119] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver"
        " API Version: 12.4, Runtime API Version: 11.8",
        "W1104 07:13:31.420033  7741 gpu_resources.cc:164] device: 0, cuDNN Version: 8.9.",
        say("train dataloader has 84 iters"),
        say("valid dataloader has 21 iters"),
        say("load pretrain successful from ./pretrain/en_PP-OCRv4_rec_train/best_accuracy"),
        say("During the training process, after the 0th iteration, an evaluation is run every 420 iterations"),
    ]
    step, best, where, kept = 0, 0.0, 0, {}
    for epoch in range(1, 61):
        for i in range(84):
            step += 1
            now += 0.391 * rng.uniform(0.97, 1.04)
            if step % 10 == 0 or i == 83:
                ctc = falls(rng, step, 21.5, 0.31, 330, 0.07)
                nrtr = falls(rng, step, 2.6, 0.71, 500, 0.02)
                acc = min(0.9988, 1 - 1.05 * math.exp(-step / 700) - 0.02 * rng.random())
                lr = 0.0005 * 0.5 * (1 + math.cos(math.pi * step / 5040))
                out.append(
                    say(
                        f"epoch: [{epoch}], global_step: {step}, lr: {lr:.6f}, acc: {max(acc, 0.0):.6f}, norm_edit_dis:"
                        f" {min(0.9998, max(acc, 0) * 0.1 + 0.9 - 0.5 * math.exp(-step / 300)):.6f}, CTCLoss:"
                        f" {ctc:.6f}, NRTRLoss: {nrtr:.6f}, loss: {ctc + nrtr:.6f}, avg_reader_cost:"
                        f" {rng.uniform(0.0008, 0.004):.5f} s, avg_batch_cost: {rng.uniform(0.372, 0.4):.5f} s,"
                        f" avg_samples: 96.0, ips: {96 / rng.uniform(0.372, 0.4):.5f} samples/s, max_mem_reserved:"
                        " 9127 MB, max_mem_allocated: 8310 MB"
                    )
                )
            if step % 420 == 0:
                out += [
                    f"eval model:: {100 * (k + 1) // 21:3d}%|{bar(k + 1, 21)}| {k + 1}/21 [{hms(k / 4)}<"
                    f"{hms((20 - k) / 4)},  4.{rng.randrange(10, 60)}it/s]"
                    for k in (0, 10, 20)
                ]
                now += 6.2
                n = step / 420
                acc = 0.871 * (1 - math.exp(-n / 1.4)) - (0.0061 * max(0.0, n - 6)) + rng.gauss(0, 0.002)
                cur = {"acc": acc, "norm_edit_dis": 0.52 + 0.5 * acc, "fps": rng.uniform(1180, 1260)}
                out.append(say("cur metric, " + ", ".join(f"{k}: {v}" for k, v in cur.items())))
                if acc > best:
                    best, where, kept = acc, epoch, cur
                    out.append(say("save best model is to ./output/plates_v4/best_accuracy"))
                told = ", ".join(f"{k}: {v}" for k, v in kept.items())
                out.append(
                    say(
                        f"best metric, acc: {best}, is_float16: False, {told[told.index('norm') :]},"
                        f" best_epoch: {where}"
                    )
                )
        now += 1.1
        out.append(say("save model in ./output/plates_v4/latest"))
        if epoch % 20 == 0:
            out.append(say(f"save model in ./output/plates_v4/iter_epoch_{epoch}"))
    told = ", ".join(f"{k}: {v}" for k, v in kept.items())
    out.append(say(f"best metric, acc: {best}, is_float16: False, {told[told.index('norm') :]}, best_epoch: {where}"))
    now += 9
    out.append(say("load pretrain successful from ./output/plates_v4/best_accuracy"))
    now += 6
    out.append(say("inference model is saved to ./inference/plates_v4/inference"))
    put(place, "train_plates.log", out)


def c04_basin(place: Path, rng: Random) -> None:
    """A small language model in the manner of Stanford's CRFM."""
    now = 3 * DAY + 40211.0

    def say(name: str, file: str, text: str, level: str = "INFO") -> str:
        return f"{clock(now, '%Y-%m-%dT%H:%M:%S')} - 0 - {name} - {file} - {level} :: {text}"

    out = [
        say("levanter.distributed", "distributed.py:231", "Not initializing jax.distributed."),
        say("levanter.utils.jax_utils", "jax_utils.py:118", "Devices: 8 x NVIDIA H100 80GB HBM3", "DEBUG"),
        say("levanter.tracker.wandb", "wandb.py:237", "wandb run is offline; id qk1v7t2e, name basin-410m"),
        say("levanter.data.sharded_datasource", "cache.py:612", "Found existing cache for fen-corpus/train"),
        say("levanter.data.sharded_datasource", "cache.py:612", "Found existing cache for fen-corpus/validation"),
        say("levanter.trainer", "trainer.py:347", "No checkpoint found. Starting from scratch.", "WARNING"),
        say("levanter.main.train_lm", "train_lm.py:204", "Parameter count: 411M; tokens a step: 0.524Mtok"),
        say("levanter.trainer", "trainer.py:471", "First batch loaded in 3.1s, first train step (may include compile)"),
    ]
    now += 74
    out.append(say("levanter.trainer", "trainer.py:489", "First train step took 71.2s"))
    step, spent = 1, 74.0

    def kilo(n: int) -> str:
        return (
            f"{n / 1000:.2f}k"
            if n >= 1000 and n < 10000
            else f"{n / 1000:.1f}k"
            if n >= 1000
            else f"{n:.1f}"[:4].rstrip(".")
        )

    total = 6000
    out.append(
        say(
            "levanter.callbacks",
            "tqdm_logging.py:145",
            "Progress on:train 1.00it/6.00kit rate:71.2s/it remaining:118:39:12 elapsed:01:14 postfix:loss=11.1",
        )
    )
    evals = {1500: (4.671, 1.566), 3000: (3.894, 1.305), 4500: (3.581, 1.2), 6000: (3.402, 1.14)}
    pending = dict(evals)
    while step < total:
        now += 60
        spent += 60
        step = min(total, step + int(60 * rng.uniform(3.27, 3.4)))
        due = [k for k in pending if step >= k]
        loss = falls(rng, step, 11.0, 3.08, 520, 0.006)
        rate = step / (spent - 71)
        out.append(
            say(
                "levanter.callbacks",
                "tqdm_logging.py:145",
                f"Progress on:train {kilo(step)}it/6.00kit rate:{rate:.1f}it/s remaining:{hms((total - step) / rate)}"
                f" elapsed:{hms(spent)} postfix:loss={loss:.3g}",
            )
        )
        for k in due:
            one = pending.pop(k)
            now += 11
            spent += 11
            out.append(say("levanter.eval", "eval.py:188", f"validation loss: {one[0]:.3f} ({one[1]:.3f} bpb)"))
            if k != total:
                out.append(
                    say("levanter.checkpoint", "checkpoint.py:269", f"Saved checkpoint to ckpt/basin/qk1v7t2e/step-{k}")
                )
    now += 14
    out += [
        say(
            "levanter.checkpoint",
            "checkpoint.py:214",
            "Saving checkpoint at step 6000 to ckpt/basin/qk1v7t2e/step-6000",
        ),
        say("levanter.checkpoint", "checkpoint.py:269", "Saved checkpoint to ckpt/basin/qk1v7t2e/step-6000"),
        say(
            "levanter.compat.hf_checkpoints",
            "hf_checkpoints.py:642",
            "Saving HF-compatible checkpoint to hf/basin/step-6000",
        ),
        say(
            "levanter.compat.hf_checkpoints",
            "hf_checkpoints.py:701",
            "Finished saving HF-compatible checkpoint to hf/basin/step-6000",
        ),
        say("levanter.tracker.wandb", "wandb.py:144", "Finishing wandb run..."),
        "wandb: You can sync this run to the cloud by running:",
        f"wandb: wandb sync wandb/offline-run-{clock(3 * DAY + 40215, '%Y%m%d_%H%M%S')}-qk1v7t2e",
    ]
    put(place, "basin.log", out)


def c05_verse(place: Path, rng: Random) -> None:
    """NanoGPT on poems, with a patched saving of checkpoints."""
    begin = DAY * 4 + 3120.0
    now = begin
    out = [
        "Overriding config with config/train_verse.py:",
        "# 124M on the verse corpus, one A100",
        "wandb_log = True",
        "wandb_project = 'verse'",
        "batch_size = 24",
        "block_size = 1024",
        "gradient_accumulation_steps = 5",
        "max_iters = 25000",
        "lr_decay_iters = 25000",
        "eval_interval = 500",
        "eval_iters = 100",
        "log_interval = 10",
        "",
        "tokens per iteration will be: 122,880",
        "found vocab_size = 50304 (inside data/verse/meta.pkl)",
        "Initializing a new model from scratch",
        "number of parameters: 123.59M",
        "num decayed parameter tensors: 50, with 124,354,560 parameters",
        "num non-decayed parameter tensors: 25, with 19,200 parameters",
        "using fused AdamW: True",
        "compiling the model... (takes a ~minute)",
        "wandb: Tracking run with wandb version 0.19.8",
        "wandb: Run data is saved locally in /raid/tomasz/verse/wandb/run-20261106_005207-u3m6dz1o",
    ]
    rows, best = [], 1e9
    for it in range(25001):
        slow = it % 500 == 0
        dt = 402 * rng.uniform(0.994, 1.012) + (41000 if slow else 0) + (38000 if it == 0 else 0)
        now += dt / 1000
        lr = 6e-4 * it / 2000 if it < 2000 else 6e-5 + 2.7e-4 * (1 + math.cos(math.pi * (it - 2000) / 23000))
        if slow:
            train = falls(rng, it, 10.97, 2.96, 850, 0.002)
            val = train + 0.03 + 0.10 * it / 25000
            out.append(f"step {it}: train loss {train:.4f}, val loss {val:.4f}")
            rows.append(
                {
                    "iter": it,
                    "train/loss": round(train, 6),
                    "val/loss": round(val, 6),
                    "lr": lr,
                    "mfu": -100 if it == 0 else 38.4 + rng.uniform(-0.3, 0.3),
                    "_timestamp": round(at(now).timestamp(), 3),
                    "_step": it,
                }
            )
            if it and val < best:
                best = val
                out.append("saving checkpoint to out-verse")
                if it == 9500:
                    out += [
                        "Traceback (most recent call last):",
                        '  File "/raid/tomasz/verse/train.py", line 291, in save_with_patience',
                        "    torch.save(checkpoint, tmp)",
                        '  File "/raid/tomasz/venv/lib/python3.11/site-packages/torch/serialization.py", line 964, in'
                        " save",
                        "    with _open_zipfile_writer(f) as opened_zipfile:",
                        '  File "/raid/tomasz/venv/lib/python3.11/site-packages/torch/serialization.py", line 798, in'
                        " __exit__",
                        "    self.file_like.write_end_of_file()",
                        "RuntimeError: [enforce fail at inline_container.cc:664] . unexpected pos 918413056 vs"
                        " 918412944",
                        "could not write out-verse/ckpt.pt.tmp (try 1 of 5), next in 120 s",
                        "removed 3 old files from out-verse, 41.7 GB free",
                        "saving checkpoint to out-verse (try 2 of 5)",
                        "ok, 1.49 GB",
                    ]
                    now += 121
        if it % 10 == 0:
            mfu = "-100.00" if it < 50 else f"{38.4 + rng.uniform(-0.4, 0.3):.2f}"
            out.append(f"iter {it}: loss {falls(rng, it, 10.97, 2.98, 850, 0.013):.4f}, time {dt:.2f}ms, mfu {mfu}%")
    out += [
        "wandb: ",
        "wandb: Run history:",
        "wandb:       iter ▁▁▁▂▂▂▂▂▃▃▃▃▃▄▄▄▄▄▅▅▅▅▅▆▆▆▆▆▇▇▇▇▇███",
        "wandb:         lr ▁▂▄▅███████▇▇▇▇▇▆▆▆▅▅▅▄▄▄▃▃▃▂▂▂▂▁▁▁▁▁",
        "wandb: train/loss █▅▄▃▃▂▂▂▂▂▂▂▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁",
        "wandb: ",
        "wandb: Run summary:",
        "wandb:       iter 25000",
        "wandb:         lr 6e-05",
        f"wandb: train/loss {rows[-1]['train/loss']:.5f}",
        f"wandb:   val/loss {rows[-1]['val/loss']:.5f}",
        "wandb: ",
        "wandb: Synced 5 W&B file(s), 0 media file(s), 0 artifact file(s) and 0 other file(s)",
        "wandb: Find logs at: ./wandb/run-20261106_005207-u3m6dz1o/logs",
    ]
    put(place, "verse.log", out)
    put(place, "verse_history.jsonl", [json.dumps(one) for one in rows])


def c06_hanashi(place: Path, rng: Random) -> None:
    """A home-made trainer of speech, four GPUs, a file a rank, and what last night's experiment left there."""

    def night(tag: str, begin: float, steps: int, every: int, other: int, stop: int | None, host: str) -> None:
        logs: list[list[str]] = [[], [], [], []]
        now = begin

        def say(rank: int, text: str, plus: float = 0.0, level: str = "情報") -> None:
            logs[rank].append(f"{clock(now + plus, '%Y年%m月%d日 %H:%M:%S')} [{level}] {text}")

        for r in range(4):
            say(r, f"プロセス起動: ランク {r}/4、ホスト {host}、GPU {r} (NVIDIA A100-SXM4-40GB)", 0.3 * r)
            say(r, "分散処理を初期化しました (バックエンド: nccl、タイムアウト: 600秒)", 4)
            say(r, "乱数シード: 20261104", 4)
        say(0, f"設定: 総ステップ数={steps}、バッチ=48、学習率=2.0e-4、ウォームアップ=1000", 5)
        say(0, "学習データ: 日本語話し言葉コーパス 411,238 発話 / 検証データ: 2,000 発話", 9)
        say(0, "パラメータ数: 118.4M", 12)
        now += 31
        for step in range(1, (stop or steps) + 1):
            now += 0.61 * rng.uniform(0.97, 1.05)
            loss = falls(rng, step, 6.9, 0.94, 1500, 0.03)
            if step % every == 0:
                lr = 2e-4 * min(step / 1000, (1000 / step) ** 0.5)
                say(
                    0,
                    f"ステップ {step}/{steps}  損失 {loss:.4f}  勾配ノルム {rng.uniform(0.7, 1.6):.3f}  学習率 {lr:.3e}"
                    f"  処理速度 {48 * 4 / 0.61 * rng.uniform(0.97, 1.02):.1f} 発話/秒",
                )
            if step % other == 0:
                for r in (1, 2, 3):
                    say(r, f"ステップ {step} 完了  ローカル損失 {loss * rng.uniform(0.96, 1.04):.4f}", 0.05 * r)
            if step % 2000 == 0:
                now += 22
                cer = 4.9 + 60 * math.exp(-step / 2600) + rng.gauss(0, 0.1)
                say(0, f"検証: 損失 {loss * 1.08:.4f}  文字誤り率 {cer:.2f}%")
                say(0, f"チェックポイントを保存しました: kekka/{tag}/step{step:06d}.pt", 3)
                now += 4
        if stop is None:
            now += 3
            for r in range(4):
                say(r, "全ステップの学習が終わりました。終了処理を行います", 0.1 * r)
            say(0, f"最終モデル: kekka/{tag}/final.pt", 4)
            for r in range(4):
                say(r, "正常終了", 5 + 0.1 * r)
        else:
            say(2, f"データ: シャード train-00317.tar を開きます (ステップ {stop + 1})", 0.2)
            for r in (0, 1, 3):
                seq = stop * 9 + 417
                t = now + 600 + 0.4 * r
                g = clock(t, "%m%d %H:%M:%S")
                what = (
                    f"WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=13172736, NumelOut=13172736, Timeout(ms)=600000)"
                )
                ms = 600000 + rng.randrange(8, 96)
                pid = f"{r}]:[E{g}.{rng.randrange(10**6):06d} ProcessGroupNCCL.cpp:"
                logs[r] += [
                    f"[rank{pid}616] [Rank {r}] Watchdog caught collective operation timeout: {what} ran for {ms}"
                    " milliseconds before timing out.",
                    f"[rank{pid}1785] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Exception (either an error or timeout)"
                    f" detected by watchdog at work: {seq}, last enqueued NCCL work: {seq + 3}, last completed NCCL"
                    f" work: {seq - 1}.",
                    f"[rank{pid}630] [Rank {r}] Some NCCL operations have failed or timed out. Due to the asynchronous"
                    " nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
                    f"[rank{pid}636] [Rank {r}] To avoid data inconsistency, we are taking the entire process down.",
                    f"[rank{pid}1591] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Process group watchdog thread"
                    f" terminated with exception: [Rank {r}] Watchdog caught collective operation timeout: {what} ran"
                    f" for {ms} milliseconds before timing out.",
                    "Exception raised from checkTimeout at"
                    " ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:618 (most"
                    " recent call first):",
                    "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7f51d0d6c446 in"
                    " /home/sato/.venv/lib/python3.10/site-packages/torch/lib/libc10.so)",
                    "frame #1: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long,"
                    " std::ratio<1l, 1000l> > >) + 0x282 (0x7f51d207f762 in /home/sato/.venv/lib/python3.10/"
                    "site-packages/torch/lib/libtorch_cuda.so)",
                    "frame #2: c10d::ProcessGroupNCCL::watchdogHandler() + 0x233 (0x7f51d2086ba3 in /home/sato/.venv/"
                    "lib/python3.10/site-packages/torch/lib/libtorch_cuda.so)",
                    "",
                    "terminate called after throwing an instance of 'c10::DistBackendError'",
                    f"  what():  [PG ID 0 PG GUID 0(default_pg) Rank {r}] Process group watchdog thread terminated with"
                    f" exception: [Rank {r}] Watchdog caught collective operation timeout: {what} ran for {ms}"
                    " milliseconds before timing out.",
                ]
        for r in range(4):
            put(place, f"{tag}_rank{r}.log", logs[r])

    night("jikken11", DAY * 1 + 79200, 4000, 50, 400, None, "kumo03")
    night("jikken12", DAY * 2 + 32520, 40000, 40, 100, 17883, "kumo03")


def c07_cells(place: Path, rng: Random) -> None:
    """A search of cells on pictures of leaves; its records lie on a file server."""
    now = DAY * 3 + 50820.0
    seven = ("none", "max_pool_3x3", "avg_pool_3x3", "skip_connect", "sep_conv_3x3", "dil_conv_3x3", "sep_conv_5x5")

    def say(text: str) -> None:
        out.append(f"{clock(now, '%m/%d %I:%M:%S %p')} {text}")

    def cells() -> str:
        def one() -> str:
            return ", ".join(f"('{rng.choice(seven[1:])}', {rng.randrange(0, 2 + i // 2)})" for i in range(8))

        return (
            f"genotype = Genotype(normal=[{one()}], normal_concat=range(2, 6), reduce=[{one()}],"
            " reduce_concat=range(2, 6))"
        )

    out: list[str] = []
    say("gpu device = 0")
    say(
        "args = Namespace(data='/srv/leaves10', batch_size=64, learning_rate=0.1, learning_rate_min=0.001,"
        " momentum=0.9, weight_decay=0.0003, report_freq=50, gpu=0, epochs=18, init_channels=16, layers=8,"
        " model_path='saved_models', cutout=False, cutout_length=16, drop_path_prob=0.3,"
        " save='search-LEAF-20261105-140700',"
        " seed=2, grad_clip=5, train_portion=0.5, unrolled=False, arch_learning_rate=0.0003, arch_weight_decay=0.001)"
    )
    now += 4
    say("param size = 1.930618MB")
    dead, kept = False, cells()
    for epoch in range(18):
        lr = 0.001 + 0.0495 * (1 + math.cos(math.pi * epoch / 18))
        say(f"epoch {epoch} lr {lr:e}")
        if not dead:
            kept = cells()
        say(kept)
        for kind in ("train", "valid"):
            mean = top = 0.0
            for i in range(0, 351, 50):
                now += 24 if kind == "train" else 3
                k = epoch + i / 391 + (0.5 if kind == "valid" else 0)
                if epoch == 6 and kind == "train" and i >= 150:
                    dead = True
                if dead:
                    mean = 2.3034 + rng.gauss(0, 0.0004)
                    if epoch == 6 and kind == "train":
                        mean = {150: 1.48, 200: 3.91, 250: 3.62, 300: 3.41, 350: 3.26}[i] + rng.gauss(0, 0.01)
                    top = (
                        10
                        + rng.gauss(0, 0.25)
                        + (24 * math.exp(-(i - 150) / 160) if epoch == 6 and kind == "train" else 0)
                    )
                else:
                    mean = 2.31 - 1.17 * (1 - math.exp(-k / 2.6)) + rng.gauss(0, 0.012)
                    top = 10 + 49 * (1 - math.exp(-k / 2.4)) + rng.gauss(0, 0.5)
                five = min(99.4, 50 + (top - 10) * 0.93)
                say(f"{kind} {i:03d} {mean:e} {top:f} {five:f}")
            now += 9
            say(f"{kind}_acc {top + rng.gauss(0, 0.05):f}")
        if epoch == 2:
            say("could not write search-LEAF-20261105-140700/weights.pt, will try again in 60 s")
            out += [
                "Traceback (most recent call last):",
                '  File "train_search.py", line 118, in keep',
                "    utils.save(model, os.path.join(args.save, 'weights.pt'))",
                '  File "/home/mbeki/darts/cnn/utils.py", line 74, in save',
                "    torch.save(model.state_dict(), model_path)",
                '  File "/opt/py38/lib/python3.8/site-packages/torch/serialization.py", line 369, in save',
                "    with _open_file_like(f, 'wb') as opened_file:",
                '  File "/opt/py38/lib/python3.8/site-packages/torch/serialization.py", line 211, in __init__',
                "    super(_open_file, self).__init__(open(name, mode))",
                "OSError: [Errno 116] Stale file handle: 'search-LEAF-20261105-140700/weights.pt'",
            ]
            now += 61
            say("weights.pt written at the second attempt")
    put(place, "log.txt", out)
