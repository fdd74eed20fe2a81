"""The second half of the curves of the twentieth set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from samples.redteam.seventeenth.pen import at, bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY: Final = 86400


def c09_molecules(place: Path, rng: Random) -> None:
    """G1, Uni-Core: the first pod lacks its volume, the second one trains all its epochs. The pods' names, no clock."""
    lines = []

    def say(pod: str, name: str, words: str, level: str = "INFO") -> None:
        lines.append(f"[pod/unimol-bbbp-{pod}/train] {level} | {name} | {words}")

    for pod in ("8x2lq", "fnt7w"):
        say(pod, "unicore.distributed.utils", "distributed init (rank 0): env://")
        say(pod, "unicore.distributed.utils", "initialized host unimol-bbbp-" + pod + " as rank 0")
        say(
            pod,
            "unicore_cli.train",
            "Namespace(all_gather_list_size=16384, arch='unimol_base', batch_size=64, bf16=False, "
            "classification_head_name="
            "'bbb', clip_norm=1.0, data='/data/molecular_property_prediction', ddp_backend='c10d', "
            "finetune_from_model='/weights/mol_pre_no_h_220816.pt', fp16=True, lr=[0.0004], max_epoch=40, metric="
            "'valid_agg_auc', nan_rerun=False, num_classes=2, on_cpu_convert_precision=False, patience=0, "
            "pooler_dropout=0.0, "
            "seed=1, task='mol_finetune', update_freq=[1], warmup_ratio=0.06)",
        )
        say(pod, "unimol.tasks.unimol_finetune", "dictionary: 30 types")
        if pod == "8x2lq":
            trace = (
                "Traceback (most recent call last):",
                '  File "/opt/conda/bin/unicore-train", line 8, in <module>',
                "    sys.exit(cli_main())",
                '  File "/opt/conda/lib/python3.8/site-packages/unicore_cli/train.py", line 403, in cli_main',
                "    distributed_utils.call_main(args, main)",
                '  File "/opt/conda/lib/python3.8/site-packages/unicore_cli/train.py", line 82, in main',
                "    state_dict = checkpoint_utils.load_checkpoint_to_cpu(args.finetune_from_model)",
                '  File "/opt/conda/lib/python3.8/site-packages/unicore/checkpoint_utils.py", line 274, in '
                "load_checkpoint_to_cpu",
                '    with open(local_path, "rb") as f:',
                "FileNotFoundError: [Errno 2] No such file or directory: '/weights/mol_pre_no_h_220816.pt'",
            )
            lines += [f"[pod/unimol-bbbp-8x2lq/train] {words}" for words in trace]
    pod, train = "fnt7w", "unicore_cli.train"
    say(pod, train, "task: UniMolFinetuneTask")
    say(pod, train, "model: UniMolModel")
    say(pod, train, "loss: FinetuneCrossEntropyLoss")
    say(pod, train, "num. model params: 47,584,706 (num. trained: 47,584,706)")
    say(pod, "unicore.utils", "***********************CUDA enviroments for all 1 workers***********************")
    say(
        pod, "unicore.utils", "rank   0: capabilities =  8.0  ; total memory = 39.394 GB ; name = NVIDIA A100-SXM4-40GB"
    )
    say(pod, "unicore.utils", "***********************CUDA enviroments for all 1 workers***********************")
    say(pod, train, "training on 1 devices (GPUs)")
    say(pod, train, "batch size per device = 64")
    say(pod, "unicore.trainer", "No existing checkpoint found ./save_bbb/checkpoint_last.pt")
    say(pod, "unicore.trainer", "loading train data for epoch 1")
    per, best, wall, scale = 26, 0.0, 9.0, 4.0
    for epoch in range(1, 41):
        say(pod, "unicore.trainer", f"begin training epoch {epoch}")
        if epoch == 1:
            say(pod, train, "Start iterating over samples")
        if epoch in (1, 2):
            lines.append(
                "[pod/unimol-bbbp-fnt7w/train] INFO | unicore.trainer | gradient overflow detected, ignoring gradient, "
                f"setting loss scale to: {scale / 2}"
            )
            scale /= 2
        spent = 6.4 * (1 + rng.gauss(0, 0.02))
        wall += spent + 1.9
        step = epoch * per
        loss = falls(rng, step, 0.79, 0.11, 330, 0.03)
        lr = 4e-4 * min(step / 62, (1040 - step) / 978)
        say(
            pod,
            "train",
            f"epoch {epoch:03d} | loss {loss:.3f} | bsz {62.7} | num_updates {step} | lr {lr:.6g} | gnorm "
            f"{3.1 * loss + abs(rng.gauss(0, 0.3)):.3f} | clip {max(0.0, 100 - 2 * epoch):.1f} | loss_scale "
            f"{scale:g} | "
            f"train_wall {spent:.0f} | gb_free 36.2 | wall {wall:.0f}",
        )
        auc = 0.731 - 0.13 * math.exp(-epoch / 5) + rng.gauss(0, 0.005)
        say(
            pod,
            "valid",
            f"epoch {epoch:03d} | valid on 'valid' subset | loss {falls(rng, step, 0.72, 0.52, 200, 0.02):.3f} | bsz "
            f"51 | "
            f"valid_agg_auc {auc:.5f} | num_updates {step} | best_valid_agg_auc {max(best, auc):.5f}",
        )
        best = max(best, auc)
        say(
            pod,
            "unicore.checkpoint_utils",
            f"finished async ckp saving (./save_bbb/checkpoint_last.pt, epoch {epoch} @ {step} updates)",
        )
    say(pod, train, f"done training in {wall - 9:.1f} seconds")
    put(place, "kubectl-logs-prefix.txt", lines)


def c10_quadruped(place: Path, rng: Random) -> None:
    """F2, skrl in Isaac Lab: preempted by a job of a higher class and put back into the queue, where it waits."""
    lines = [
        "[INFO][AppLauncher]: Using device: cuda:0",
        "[INFO][AppLauncher]: Loading experience file: /workspace/isaaclab/apps/isaaclab.python.headless.kit",
        "Loading user config located at: '/isaac-sim/kit/data/Kit/Isaac-Sim/4.5/user.config.json'",
        "[Info] [carb] Logging to file: /isaac-sim/kit/logs/Kit/Isaac-Sim/4.5/kit_20261105_220411.log",
        "[0.214s] [ext: omni.kit.async_engine-0.0.1] startup",
        "[Warning] [omni.platforminfo.plugin] failed to open the default display.  Can't verify X Server version.",
        "[Warning] [gpu.foundation.plugin] IOMMU is enabled.",
        "[Error] [carb.glinterop.plugin] GLInteropContext::init: carb::windowing is not available",
        "[2.871s] Simulation App Starting",
        "[11.402s] app ready",
        "[INFO]: Parsing configuration from: "
        "isaaclab_tasks.manager_based.locomotion.velocity.config.anymal_c.rough_env_cfg:AnymalCRoughEnvCfg",
        "[INFO]: Parsing configuration from: "
        "isaaclab_tasks.manager_based.locomotion.velocity.config.anymal_c.agents:skrl_rough_ppo_cfg.yaml",
        "[INFO] Logging experiment in directory: /workspace/isaaclab/logs/skrl/anymal_c_crash_recovery",
        "[INFO]: Base environment:",
        "        Environment device    : cuda:0",
        "        Environment seed      : 42",
        "        Physics step-size     : 0.005",
        "        Rendering step-size   : 0.02",
        "        Environment step-size : 0.02",
        "[INFO] Generating terrains based on a curriculum took : 4.812334 seconds",
        "[INFO]: Time taken for scene creation : 9.120542 seconds",
        "[INFO]: Starting the simulation. This may take a few seconds. Please wait...",
        "[INFO]: Time taken for simulation start : 3.655019 seconds",
        "[INFO] Termination Manager:  <TerminationManager> contains 3 active terms (time_out, base_contact, "
        "fatal_fall)",
        "[INFO]: Completed setting up the environment...",
        "[skrl:INFO] Environment wrapper: Isaac Lab (single-agent)",
        "[skrl:INFO] Seed: 42",
    ]
    total, spent = 72000, 0.0
    for step in range(1800, 47900, 1800):
        rate = 6.04 + rng.gauss(0, 0.05)
        spent += 1800 / rate
        lines.append(
            f"{100 * step // total:3d}%|{bar(step, total)}| {step}/{total} "
            f"[{hms(spent)}<{hms((total - step) / rate)}, {rate:5.2f}it/s]"
        )
    put(place, "anymal_train.log", lines)
    begin = 3 * DAY + 22 * 3600 + 3 * 60 + 44
    end = begin + int(spent) + 61
    iso = "%Y-%m-%dT%H:%M:%S"
    span = str(timedelta(seconds=end - begin)).rjust(8, "0")
    put(
        place,
        "sacct_duplicates.txt",
        [
            "$ sacct -D -j 731944 -o "
            "JobID,JobName%14,QOS,State%20,ExitCode,Submit,Start,End,Elapsed,Timelimit,NodeList%10",
            f"{'JobID':<12} {'JobName':>14} {'QOS':>10} {'State':>20} {'ExitCode':>8} {'Submit':>19} {'Start':>19} "
            f"{'End':>19} "
            f"{'Elapsed':>10} {'Timelimit':>10} {'NodeList':>10}",
            f"{'-' * 12} {'-' * 14} {'-' * 10} {'-' * 20} {'-' * 8} {'-' * 19} {'-' * 19} {'-' * 19} {'-' * 10} "
            f"{'-' * 10} {'-' * 10}",
            f"{'731944':<12} {'anymal_rough':>14} {'scavenge':>10} {'PREEMPTED':>20} {'0:0':>8} "
            f"{clock(begin - 5, iso):>19} "
            f"{clock(begin, iso):>19} {clock(end, iso):>19} {span:>10} {'12:00:00':>10} {'l40s-22':>10}",
            f"{'731944.batch':<12} {'batch':>14} {'':>10} {'CANCELLED':>20} {'0:15':>8} {clock(begin, iso):>19} "
            f"{clock(begin, iso):>19} {clock(end + 1, iso):>19} {span:>10} {'':>10} {'l40s-22':>10}",
            f"{'731944.exte+':<12} {'extern':>14} {'':>10} {'COMPLETED':>20} {'0:0':>8} {clock(begin, iso):>19} "
            f"{clock(begin, iso):>19} {clock(end, iso):>19} {span:>10} {'':>10} {'l40s-22':>10}",
            f"{'731944':<12} {'anymal_rough':>14} {'scavenge':>10} {'PENDING':>20} {'0:0':>8} {clock(end, iso):>19} "
            f"{'Unknown':>19} {'Unknown':>19} {'00:00:00':>10} {'12:00:00':>10} {'None assi+':>10}",
        ],
    )


def c11_plates(place: Path, rng: Random) -> None:
    """E2, PaddleOCR: the key of the checkpoint is misspelt, so that the second run begins anew at epoch 1."""
    lines, rows = [], []
    now = 4 * DAY + 8 * 3600.0
    per, epochs = 390, 200

    def say(words: str, level: str = "INFO") -> None:
        colour = {"WARNING": "\x1b[33m", "INFO": "\x1b[0m"}[level]
        lines.append(f"{colour}[{clock(now, '%Y/%m/%d %H:%M:%S')}] ppocr {level}: {words}\x1b[0m")

    def head(extra: list[str]) -> None:
        nonlocal now
        say("Architecture : ")
        for words in (
            "    Backbone : ",
            "        name : PPLCNetV3",
            "        scale : 0.95",
            "    algorithm : SVTR_LCNet",
            "    model_type : rec",
            "Global : ",
            *sorted(
                (
                    "    cal_metric_during_train : True",
                    "    character_dict_path : ppocr/utils/dict/plates.txt",
                    *extra,
                    f"    epoch_num : {epochs}",
                    "    eval_batch_step : [0, 3900]",
                    "    print_batch_step : 195",
                    "    save_model_dir : ./output/rec_plates_v4",
                    "    use_gpu : True",
                )
            ),
            "profiler_options : None",
        ):
            say(words)
        say("train with paddle 2.6.1 and device Place(gpu:0)")
        say("Initialize indexs of datasets:['./train_data/plates/train.txt']")
        now += 2
        lines.append(
            f"W{clock(now, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d} 20417 gpu_resources.cc:119] Please NOTE: "
            f"device: 0, GPU "
            "Compute Capability: 8.6, Driver API Version: 12.2, Runtime API Version: 11.8"
        )

    best = (0.0, 0)

    def train(first: int, last: int, offset: int, run: str) -> None:
        nonlocal now, best
        for epoch in range(first, last + 1):
            for batch in (195, 390):
                step = (epoch - 1) * per + batch
                now += 195 * 0.1861 * (1 + rng.gauss(0, 0.01))
                done = step - offset
                loss = falls(rng, done, 31.4, 0.62, 1900, 0.03)
                acc = max(0.0, 0.955 - 1.02 * math.exp(-done / 9500) + rng.gauss(0, 0.008)) if done > 700 else 0.0
                lr = 0.0005 * min(1, done / (5 * per)) * 0.5 * (1 + math.cos(math.pi * step / (per * epochs)))
                left = timedelta(seconds=int((per * epochs - step) * 0.1861))
                say(
                    f"epoch: [{epoch}/{epochs}], global_step: {step}, lr: {lr:.6f}, acc: {acc:.6f}, norm_edit_dis: "
                    f"{min(0.999, acc * 0.6 + 0.395 if done > 700 else 0.02):.6f}, CTCLoss: {loss * 0.46:.6f}, "
                    f"NRTRLoss: "
                    f"{loss * 0.54:.6f}, loss: {loss:.6f}, avg_reader_cost: {0.0041 + rng.random() / 900:.5f} s, "
                    f"avg_batch_cost: "
                    f"{0.1861 + rng.gauss(0, 0.002):.5f} s, avg_samples: 128.0, ips: {687.8 + rng.gauss(0, 6):.5f} "
                    f"samples/s, "
                    f"eta: {left}, max_mem_reserved: 9218 MB, max_mem_allocated: 8804 MB"
                )
                rows.append(
                    json.dumps(
                        {
                            "run": run,
                            "step": step,
                            "TRAIN/loss": round(loss, 6),
                            "TRAIN/acc": round(acc, 6),
                            "TRAIN/lr": round(lr, 8),
                        }
                    )
                )
            step = epoch * per
            if step % 3900 == 0:
                steps = "\r".join(
                    f"eval model::{100 * part // 24:4d}%|{bar(part, 24)}| {part}/24 "
                    f"[00:{part // 4:02d}<00:{6 - part // 4:02d},  3.97it/s]"
                    for part in (0, 6, 12, 18, 24)
                )
                lines.append(steps)
                now += 7
                cur = max(0.0, 0.93 - 0.98 * math.exp(-(step - offset) / 9900) + rng.gauss(0, 0.004))
                words = f"acc: {cur:.10f}, norm_edit_dis: {cur * 0.6 + 0.39:.10f}, fps: {2811 + rng.gauss(0, 30):.6f}"
                say(f"cur metric, {words}")
                if cur > best[0]:
                    best = (cur, epoch)
                    say("save best model is to ./output/rec_plates_v4/best_accuracy")
                say(f"best metric, acc: {best[0]:.10f}, is_float16: False, best_epoch: {best[1]}")
            if epoch % 5 == 0:
                say("save model in ./output/rec_plates_v4/latest")

    head(["    checkpoints : None", "    pretrained_model : None"])
    say("train dataloader has 390 iters")
    say("valid dataloader has 24 iters")
    say("train from scratch")
    say("During the training process, after the 0th iteration, an evaluation is run every 3900 iterations")
    train(1, 62, 0, "rec_plates_v4/1105")
    now += 5 * 3600 + 811
    best = (0.0, 0)
    head(["    checkpoint : ./output/rec_plates_v4/latest", "    checkpoints : None", "    pretrained_model : None"])
    say("train dataloader has 390 iters")
    say("valid dataloader has 24 iters")
    say("train from scratch")
    say("During the training process, after the 0th iteration, an evaluation is run every 3900 iterations")
    train(1, 23, 0, "rec_plates_v4/1106")
    put(place, "train.log", lines)
    put(place, "scalars.jsonl", rows)


def c12_resnet(place: Path, rng: Random) -> None:
    """cannot_decide, Composer: a spike that heals, then a log that stops at epoch 70 of 90 without a word."""
    lines = [
        "2026-11-02 19:20:41,117: rank0[3318][MainThread]: INFO: composer.utils.reproducibility: Setting seed to 17",
        "2026-11-02 19:20:41,902: rank0[3318][MainThread]: INFO: composer.trainer.trainer: Run name: "
        "in1k-rn50-blurpool",
        "2026-11-02 19:20:55,540: rank0[3318][MainThread]: INFO: composer.trainer.trainer: Stepping schedulers every "
        "batch. "
        "To step schedulers every epoch, set `step_schedulers_every_batch=False`.",
        "2026-11-02 19:20:55,871: rank0[3318][MainThread]: INFO: composer.trainer.trainer: Setting seed to 17",
        "2026-11-02 19:20:55,871: rank0[3318][MainThread]: INFO: composer.trainer.trainer: Using precision "
        "Precision.AMP_FP16",
        "******************************",
        "Config:",
        "composer_version: 0.16.4",
        "node_name: unknown because NODENAME environment variable not set",
        "num_gpus_per_node: 8",
        "num_nodes: 1",
        "rank_zero_seed: 17",
        "",
        "******************************",
    ]
    for epoch in range(10, 71, 10):
        loss = 1.18 + 2.2 * math.exp(-epoch / 19) + rng.gauss(0, 0.02)
        acc = 0.735 - 0.31 * math.exp(-epoch / 19) + rng.gauss(0, 0.004)
        if epoch == 40:
            loss, acc = 4.8813, 0.1094
        batches = epoch * 625
        lines += [
            f"[epoch={epoch}/90][batch=625/625]:",
            f"\t Train time/batch: {batches - 1}",
            f"\t Train loss/train/total: {loss:.4f}",
            f"\t Train metrics/train/MulticlassAccuracy: {acc:.4f}",
            f"\t Train throughput/samples_per_sec: {9120 + rng.gauss(0, 40):.4f}",
            f"\t Train lr-DecoupledSGDW/group0: {2 * 0.5 * (1 + math.cos(math.pi * epoch / 90)):.4f}",
        ]
    put(place, "in1k-rn50.log", lines)


def c13_kayip(place: Path, rng: Random) -> None:
    """A2, home-made in Turkish: the host's memory is used up, the process killed; validation had worsened."""
    now = 2 * DAY + 20 * 3600 + 2 * 60.0
    form = "%d.%m.%Y %H:%M:%S"
    lines = [
        f"[{clock(now, form)}] Ayarlar okundu: ayar/haber_siniflandirma.yaml",
        f"[{clock(now + 2, form)}] Aygıt: cuda:0 (NVIDIA RTX A6000), bellek 47,5 GB",
        f"[{clock(now + 31, form)}] Veri: 218.340 eğitim, 12.130 doğrulama örneği, 14 sınıf",
        f"[{clock(now + 44, form)}] Model: dbmdz/bert-base-turkish-cased, 110,6 M parametre",
        f"[{clock(now + 44, form)}] Eğitim başlıyor: 30 dönem, yığın boyu 64, öğrenme oranı 3e-5",
    ]
    now += 44
    best, ram = 9.0, 21.4
    for epoch in range(1, 18):
        now += 1121 * (1 + rng.gauss(0, 0.006))
        ram += 5.93 + rng.gauss(0, 0.1)
        loss = falls(rng, epoch, 0.93, 0.021, 2.6, 0.02)
        val = 0.412 + 0.5 * math.exp(-epoch / 1.3) + 0.021 * epoch + rng.gauss(0, 0.004)
        f1 = 0.884 - 0.25 * math.exp(-epoch / 1.2) - 0.0021 * epoch + rng.gauss(0, 0.001)
        text = (
            f"[{clock(now, form)}] Dönem {epoch:2d}/30 | eğitim kaybı {loss:.4f} | doğrulama kaybı {val:.4f} | F1 "
            f"{f1:.4f} | RAM {ram:.1f} GB"
        )
        lines.append(text)
        if val < best:
            best = val
            lines.append(f"[{clock(now + 3, form)}]   en iyi model kaydedildi -> cikti/en_iyi.pt")
    put(place, "egitim.out", lines)
    put(
        place,
        "egitim.err",
        [
            "Some weights of BertForSequenceClassification were not initialized from the model checkpoint at "
            "dbmdz/bert-base-turkish-cased and are newly initialized: ['classifier.bias', 'classifier.weight']",
            "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and "
            "inference.",
            "/var/spool/slurmd/job90417/slurm_script: line 19: 1183320 Killed                  python3 egit.py --ayar "
            "ayar/haber_siniflandirma.yaml",
            "slurmstepd: error: Detected 1 oom_kill event in StepId=90417.batch. Some of the step tasks have been "
            "OOM Killed.",
        ],
    )


def c14_drums(place: Path, rng: Random) -> None:
    """A1, stable-audio-tools: the samples carry no seconds_start that the model's conditioner asks for."""
    site = "/venv/lib/python3.10/site-packages/"
    warn = [
        f"\x1b[33m{site}torch/nn/utils/weight_norm.py:134: FutureWarning: `torch.nn.utils.weight_norm` is deprecated "
        f"in favor "
        "of `torch.nn.utils.parametrizations.weight_norm`.\x1b[0m",
        "  WeightNorm.apply(module, name, dim)",
    ]
    lines = [
        "Seed set to 42",
        "Found 8734 files",
        *(3 * warn),
        "\x1b[34m\x1b[1mwandb\x1b[0m: Tracking run with wandb version 0.15.4",
        "\x1b[34m\x1b[1mwandb\x1b[0m: W&B syncing is set to \x1b[1m`offline`\x1b[0m in this directory.  ",
        "\x1b[34m\x1b[1mwandb\x1b[0m: Run \x1b[1m`wandb online`\x1b[0m or set \x1b[1mWANDB_MODE=online\x1b[0m to "
        "enable "
        "cloud syncing.",
        "Using 16bit Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        *(2 * warn),
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name          | Type                             | Params",
        "-" * 67,
        "0 | diffusion     | ConditionedDiffusionModelWrapper | 1.2 B ",
        "1 | diffusion_ema | EMA                              | 1.1 B ",
        "2 | losses        | MultiLoss                        | 0     ",
        "-" * 67,
        "1.1 B     Trainable params",
        "1.2 B     Non-trainable params",
        "2.3 B     Total params",
        "9,071.288 Total estimated model params size (MB)",
        "\rTraining: |          | 0/? [00:00<?, ?it/s]\rTraining:   0%|          | 0/545 [00:00<?, ?it/s]"
        "\rEpoch 0:   0%|          | 0/545 [00:00<?, ?it/s] ",
        "Couldn't load file /data/drums/loops/0412_a.wav: Error opening '/data/drums/loops/0412_a.wav': Format not "
        "recognised.",
    ]
    trace = [
        "Traceback (most recent call last):",
        '  File "/workspace/stable-audio-tools/train.py", line 128, in <module>',
        "    main()",
        '  File "/workspace/stable-audio-tools/train.py", line 125, in main',
        "    trainer.fit(training_wrapper, train_dl, ckpt_path=args.ckpt_path if args.ckpt_path else None)",
        f'  File "{site}pytorch_lightning/trainer/trainer.py", line 532, in fit',
        "    call._call_and_handle_interrupt(",
        '  File "/workspace/stable-audio-tools/stable_audio_tools/training/diffusion.py", line 404, in training_step',
        "    conditioning = self.diffusion.conditioner(metadata, self.device)",
        '  File "/workspace/stable-audio-tools/stable_audio_tools/models/conditioners.py", line 683, in forward',
        '    raise ValueError(f"Conditioner key {condition_key} not found in batch metadata")',
        "ValueError: Conditioner key seconds_start not found in batch metadata",
    ]
    lines += trace
    lines.append("\x1b[34m\x1b[1mwandb\x1b[0m: You can sync this run to the cloud by running:")
    lines.append(
        "\x1b[34m\x1b[1mwandb\x1b[0m: \x1b[1mwandb sync /workspace/wandb/offline-run-20261104_101522-k2r9x0ae\x1b[0m"
    )
    put(place, "train.typescript", lines)
    stamp = at(2 * DAY + 10 * 3600 + 17 * 60).timestamp()
    put(
        place,
        "wandb-summary.json",
        json.dumps({"_wandb": {"runtime": 94 + rng.randrange(5)}, "_timestamp": stamp}) + "\n",
    )


def c15_faces(place: Path, rng: Random) -> None:
    """E1, StyleGAN3: learns at first, collapses half way, and its FID stays hundreds to the regular end."""
    lines = []
    now = 1 * DAY + 3600.0

    def say(words: str) -> None:
        nonlocal now, lines
        for part in words.split("\n"):
            now += 3e-5
            lines += [f"{clock(now, '%Y-%m-%dT%H:%M:%S.%f')}{rng.randrange(1000):03d}Z {part}"]

    say("\nTraining options:")
    say(
        "{\n"
        '  "G_kwargs": {\n    "class_name": "training.networks_stylegan3.Generator",\n    "z_dim": 512,\n    '
        '"w_dim": 512\n  },\n'
        '  "D_kwargs": {\n    "class_name": "training.networks_stylegan2.Discriminator",\n    "epilogue_kwargs": {\n'
        '      "mbstd_group_size": 4\n    }\n  },\n'
        '  "loss_kwargs": {\n    "class_name": "training.loss.StyleGAN2Loss",\n    "r1_gamma": 0.5\n  },\n'
        '  "total_kimg": 9000,\n  "ema_kimg": 10.0,\n  "run_dir": '
        '"/out/00007-stylegan3-t-herbarium-256x256-gpus4-batch32-gamma0.5"\n}'
    )
    say("\nOutput directory:    /out/00007-stylegan3-t-herbarium-256x256-gpus4-batch32-gamma0.5")
    say("Number of GPUs:      4\nBatch size:          32 images\nTraining duration:   9000 kimg")
    say("Dataset path:        /data/herbarium-256x256.zip\nDataset size:        21418 images")
    say("\nCreating output directory...\nLaunching processes...")
    now += 6
    say("Loading training set...\n\nNum images:  21418\nImage shape: [3, 256, 256]\nLabel shape: [0]\n")
    say("Constructing networks...")
    now += 40
    for name in ("bias_act_plugin", "upfirdn2d_plugin", "filtered_lrelu_plugin"):
        say(f'Setting up PyTorch plugin "{name}"... Done.')
        now += 21
    say("Setting up augmentation...\nDistributing across 4 GPUs...\nSetting up training phases...")
    say("Exporting sample images...\nInitializing logs...\nTraining for 9000 kimg...\n")
    begun, augment = now, 0.0
    for tick in range(2251):
        kimg = tick * 4.0
        sec = 4 * 13.41 * (1 + rng.gauss(0, 0.004)) if tick else 6.1
        hold = 0.0 if tick else 13.9
        snap = tick % 50 == 0 or tick == 2250
        now += sec + hold
        augment = min(0.21 + 0.02 * math.sin(tick / 90), augment + 0.0009) if kimg < 4700 else min(1.2, augment + 0.004)
        spent = int(now - begun)
        days, hours, minutes, seconds = spent // DAY, spent % DAY // 3600, spent % 3600 // 60, spent % 60
        long = (f"{days}d " if days else "") + (
            f"{hours:02d}h {minutes:02d}m"
            if days
            else f"{hours}h {minutes:02d}m {seconds:02d}s"
            if hours
            else f"{minutes}m {seconds:02d}s"
            if minutes
            else f"{seconds}s"
        )
        say(
            f"tick {tick:<5d} kimg {kimg:<8.1f} time {long:<12s} sec/tick {sec:<7.1f} sec/kimg {sec / 4:<7.2f} "
            f"maintenance "
            f"{213.4 if tick % 50 == 1 and tick > 1 else hold:<6.1f} cpumem {5.71 + tick / 9000:<6.2f} gpumem "
            f"{11.62 if tick else 19.8:<6.2f} reserved "
            f"{13.11 if tick else 21.9:<6.2f} augment {augment:.3f}"
        )
        if snap:
            if kimg < 4700:
                fid = 14.2 + 290 * math.exp(-kimg / 520) + abs(rng.gauss(0, 0.5))
            else:
                fid = 338 - 310 * math.exp(-(kimg - 4650) / 190) + rng.gauss(0, 6)
            say("Evaluating metrics...")
            now += 209
            took = 207 + rng.random() * 3
            result = {
                "results": {"fid50k_full": fid},
                "metric": "fid50k_full",
                "total_time": took,
                "total_time_str": f"3m {int(took) - 180:02d}s",
                "num_gpus": 4,
                "snapshot_pkl": f"network-snapshot-{int(kimg):06d}.pkl",
                "timestamp": at(now).timestamp(),
            }
            say(json.dumps(result))
            if tick in (600, 1500):
                say(
                    f"[sync] upload of network-snapshot-{int(kimg):06d}.pkl failed: "
                    f"botocore.exceptions.EndpointConnectionError: "
                    'Could not connect to the endpoint URL: "https://minio.herb.internal/gan/00007"'
                )
                now += 30
                say(f"[sync] second try: network-snapshot-{int(kimg):06d}.pkl uploaded")
    say("\nExiting...")
    put(place, "stylegan-herbarium-0.log", lines)


def c16_crafter(place: Path, rng: Random) -> None:
    """A2, DreamerV3: the interpreter dies by a segmentation fault in the midst of learning."""
    start = 5 * DAY + 13 * 3600 + 22 * 60
    loud = (
        "/home/ivo/dv3/lib/python3.11/site-packages/gym/utils/passive_env_checker.py:233: DeprecationWarning: "
        "`np.bool8` is a "
        "deprecated alias for `np.bool_`.  (Deprecated NumPy 1.24)",
        "  if not isinstance(terminated, (bool, np.bool8)):",
    )
    lines = [
        f"{clock(start)} start on ws-rl-02, RTX 4090, {clock(start, '%a')}",
        "Replay timestamp: 20261107T132214",
        "Logdir /home/ivo/logdir/crafter/s3",
        "JAX devices (1): [CudaDevice(id=0)]",
        "Policy devices: cuda:0",
        "Train devices:  cuda:0",
        "Observation space",
        "  image            Space(uint8, shape=(64, 64, 3), low=0, high=255)",
        "  reward           Space(float32, shape=(), low=-inf, high=inf)",
        "  is_first         Space(bool, shape=(), low=False, high=True)",
        "Action space",
        "  action           Space(int32, shape=(), low=0, high=17)",
        "Optimizer opt has 41,733,122 params:",
        "Start training loop",
    ]
    rows, step = [], 0
    while step < 512000:
        step += rng.randrange(9100, 10900)
        image = 6.1 + 340 * math.exp(-step / 21000) + rng.gauss(0, 0.3)
        row = {
            "step": step,
            "episode/length": float(rng.randrange(150, 290)),
            "episode/score": round(11.4 * (1 - math.exp(-step / 260000)) + rng.gauss(0, 1.0), 2),
            "train/loss/image": round(image, 3),
            "train/loss/dyn": round(3.9 + 6.0 * math.exp(-step / 60000) + rng.gauss(0, 0.15), 3),
            "train/loss/rew": round(0.081 + 0.2 * math.exp(-step / 50000) + rng.gauss(0, 0.004), 4),
            "train/opt/grad_norm": round(abs(rng.gauss(31, 6)), 3),
            "replay/size": float(min(step, 500000)),
            "fps/policy": round(17.9 + rng.gauss(0, 0.4), 3),
            "usage/nvsmi/compute_avg": round(0.86 + rng.gauss(0, 0.02), 3),
        }
        rows.append(json.dumps(row))
        head = f"{'-' * 20}[Step {step}]{'-' * 20}"
        words = []
        for key, value in row.items():
            if key != "step":
                words.append(
                    f"{key} {value:.2f}".rstrip("0").rstrip(".") if abs(float(value)) < 10000 else f"{key} {value:.1e}"
                )
        lines += ["", head, "", " / ".join(words), ""]
        if rng.random() < 0.55:
            lines += loud
    lines += [
        "Wrote checkpoint: /home/ivo/logdir/crafter/s3/ckpt/20261107T212144F603911",
        *loud,
        "./run_crafter.sh: line 7: 1846655 Segmentation fault      (core dumped) python dreamerv3/main.py --configs "
        "crafter "
        "size50m --logdir ~/logdir/crafter/s3 --run.steps 1e6 --seed 3",
    ]
    put(place, "crafter_s3.log", lines)
    put(place, "metrics.jsonl", rows)
