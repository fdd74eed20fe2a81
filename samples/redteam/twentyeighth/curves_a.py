"""Logs made by generators, c01 to c06 (SIMULATED)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_reviews(place: Path, rng: Random) -> None:
    """A classifier tuned with PaddleNLP's trainer."""
    now, out = 36_731.2, []

    def say(text: str) -> None:
        stamp = f"{clock(now)},{int(now * 1000) % 1000:03d}"
        out.append(f"[{stamp}] [{'INFO':>8}]\x20- {text}")

    say(
        "We are using <class 'paddlenlp.transformers.ernie.modeling.ErnieForSequenceClassification'> to load "
        "'ernie-3.0-medium-zh'."
    )
    now += 4.8
    say(
        "All the weights of ErnieForSequenceClassification were initialized from the model checkpoint at "
        "ernie-3.0-medium-zh."
    )
    now += 3.1
    for text in (
        "***** Running training *****",
        "  Num examples = 28,800",
        "  Num Epochs = 2",
        "  Instantaneous batch size per device = 64",
        "  Total train batch size (w. parallel, distributed & accumulation) = 64",
        "  Gradient Accumulation steps = 1",
        "  Total optimization steps = 900",
        "  Total num train samples = 57,600",
        "  Number of trainable parameters = 75,429,122 (per device)",
    ):
        say(text)
    total, began = 0.0, now
    for step in range(50, 901, 50):
        spent = 8.3 + rng.gauss(0, 0.15) + (1.6 if step == 50 else 0)
        now += spent
        loss = falls(rng, step, 0.66, 0.14, 150, 0.05)
        total += loss
        say(
            f"loss: {loss:.8f}, learning_rate: {3e-5 * (1 - step / 900):.3e}, global_step: {step}, "
            f"interval_runtime: {spent:.4f}, interval_samples_per_second: {3200 / spent:.4f}, "
            f"interval_steps_per_second: {50 / spent:.4f}, progress_or_epoch: {step / 450:.4f}"
        )
        if step % 450 == 0:
            say("***** Running Evaluation *****")
            say("  Num examples = 3200")
            say("  Total prediction steps = 50")
            say("  Pre device batch size = 64")
            say("  Total Batch size = 64")
            now += 3.4
            say(
                f"eval_loss: {0.2417 if step == 450 else 0.2203:.16f}, eval_accuracy: "
                f"{0.9084375 if step == 450 else 0.9209375}, eval_runtime: 3.3871, eval_samples_per_second: 944.7610, "
                f"eval_steps_per_second: 14.7619, progress_or_epoch: {step / 450:.1f}"
            )
            say(f"Saving model checkpoint to out/chnsenti/checkpoint-{step}")
            now += 2.2
    say("\nTraining completed. \n")
    spent = now - began
    say(
        f"train_runtime: {spent:.4f}, train_samples_per_second: {57600 / spent:.4f}, train_steps_per_second: "
        f"{900 / spent:.4f}, train_loss: {total / 18:.13f}, progress_or_epoch: 2.0"
    )
    say("Saving model checkpoint to out/chnsenti")
    now += 2
    say("***** train metrics *****")
    say("  progress_or_epoch        =        2.0")
    say(f"  train_loss               =     {total / 18:.4f}")
    say(f"  train_runtime            = 0:0{int(spent) // 60}:{spent % 60:05.2f}")
    say(f"  train_samples_per_second =   {57600 / spent:.4f}")
    put(place, "workerlog.0", out)


def c02_sorbian(place: Path, rng: Random) -> None:
    """A small translation model with JoeyNMT; what was copied ends between two lines."""
    now, out, err = 118_402.114, [], []

    def say(where: str, text: str) -> None:
        out.append(f"{clock(now)},{int(now * 1000) % 1000:03d} - INFO - joeynmt.{where} - {text}")

    say("training", "Hello! This is Joey-NMT (version 2.3.0).")
    for key, value in (
        ("data.src.lang", "hsb"),
        ("data.trg.lang", "de"),
        ("training.batch_size", "4096"),
        ("training.batch_type", "token"),
        ("training.epochs", "40"),
        ("training.validation_freq", "5000"),
    ):
        say("helpers", f"{'cfg.' + key:>34} : {value}")
    now += 1.3
    say("data", "Building tokenizer...")
    say("data", "Loading train set...")
    now += 6
    say(
        "data",
        'Train dataset: ParallelDataset(split=train, len=61182, src_lang="hsb", trg_lang="de", '
        "has_trg=True, random_subset=-1, has_src_prompt=False, has_trg_prompt=False)",
    )
    say("model", "Building an encoder-decoder model...")
    say("model", "Total params: 19302912")
    say(
        "training",
        "Train stats:\n\tdevice: cuda\n\tn_gpu: 1\n\t16-bits training: False\n\tgradient accumulation: 1"
        "\n\tbatch size per device: 4096\n\teffective batch size (w. parallel & accumulation): 4096",
    )
    say("training", "EPOCH 1")
    per = 412
    for step in range(100, 2201, 100):
        spent = 14.1 + rng.gauss(0, 0.3)
        now += spent
        if step // per != (step - 100) // per:
            epoch = step // per
            say("training", f"Epoch {epoch:3d}: total training loss {per * falls(rng, step, 5.6, 2.1, 900):.2f}")
            say("training", f"EPOCH {epoch + 1}")
        loss = falls(rng, step, 5.9, 1.9, 800, 0.03)
        say(
            "training",
            f"Epoch {step // per + 1:3d}, Step: {step:8d}, Batch Loss: {loss:12.6f}, "
            f"Batch Acc: {0.62 - loss * 0.09:.6f}, Tokens per Sec: {100 * 3570 / spent:8.0f}, Lr: {3e-4:.6f}",
        )
        err += [
            "/home/mnowak/envs/joey/lib/python3.10/site-packages/torch/optim/lr_scheduler.py:152: UserWarning: The epoch "
            "parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
            "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the "
            "closed form is used instead of the new chainable form, where available. Please open an issue if you are "
            "unable to replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose.",
            "  warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning)",
        ]
    put(place, "hsb_de.log", out)
    put(place, "hsb_de.err", err)


def c03_foley(place: Path, rng: Random) -> None:
    """Stable-audio-tools under Lightning, as far as the redirected output goes."""
    out = [
        "Seed set to 42",
        "Using 16bit Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "wandb: Currently logged in as: dkoval. Use `wandb login --relogin` to force relogin",
        "wandb: Tracking run with wandb version 0.15.4",
        "Found 21764 files",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name          | Type                           | Params",
        "-----------------------------------------------------------------",
        "0 | diffusion     | ConditionedDiffusionModelWrapper | 1.2 B ",
        "1 | diffusion_ema | EMA                            | 1.1 B ",
        "2 | losses        | MultiLoss                      | 0     ",
        "-----------------------------------------------------------------",
        "1.1 B     Trainable params",
        "1.3 B     Non-trainable params",
        "2.3 B     Total params",
        "9,271.342 Total estimated model params size (MB)",
    ]
    spent, hot = 0.0, {640: 1.9, 650: 1.31, 660: 0.98, 1490: 2.4, 1500: 1.6, 1510: 1.05, 1520: 0.91}
    for step in range(10, 2231, 10):
        spent += 10 * (1.21 + rng.gauss(0, 0.01))
        epoch, inside = divmod(step, 1360)
        clean = falls(rng, step, 1.02, 0.71, 500, 0.035)
        loss = hot.get(step, clean)
        past = spent if not epoch else spent - 1360 * 1.21
        left = (1360 - inside) * 1.21
        out.append(
            f"Epoch {epoch}: {inside * 100 // 1360:3d}%|{bar(inside, 1360)}| {inside}/1360 [{hms(max(past, 0))}<{hms(left)}, "
            f" 1.21s/it, v_num=q7tx, train/loss={loss:.3f}, train/std_data={0.98 + rng.gauss(0, 0.02):.3f}, "
            f"train/lr={5e-5 * min(1, step / 400):.2e}, train/mse_loss={loss:.3f}]"
        )
    put(place, "nohup.out", out)


def c04_fineweb(place: Path, rng: Random) -> None:
    """Nanotron on two nodes, started twice into one log; a line of the group's own tells each replica's work."""
    out: list[str] = []
    now = 208_811.0
    for first, last, host, hosts, lag in (
        (1, 1200, "gn-114", "gn-[114-115]", None),
        (1201, 2380, "gn-114", "gn-[114,131]", 11),
    ):
        head = "[INFO|DP=0|PP=0|TP=0|" + host + "]: "

        def say(text: str, head: str = head) -> None:
            out.append(f"{clock(now, '%m/%d/%Y %H:%M:%S')} {head}{text}")  # noqa: B023 (called within the round only)

        out.append(
            f"+ srun --nodelist={hosts} torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d "
            f"--rdzv_endpoint {host}:29511 run_train.py --config-file conf/fw_1b.yaml"
        )
        now += 41
        say("Config:")
        say("Config(general=GeneralArgs(project='fw', run='fw_1b', seed=42, step=None, consumed_train_samples=None))")
        say("Total number of parameters: 1.24G (2362.31MiB)")
        say("[After model building] Memory usage: 2391.40MiB. Peak allocated: 2410.12MiB Peak reserved: 2432.00MiB")
        if first > 1:
            say("Loading checkpoint from /scratch/fw/ckpt/1200:")
            now += 14
            say("Loading weights from /scratch/fw/ckpt/1200/model")
            say("Loading Optimizer States")
        say("[Training Plan] There are 1 training stages ")
        say(
            f"[Start training] datetime: {clock(now)} | mbs: 8 | grad_accum: 4 | global_batch_size: 512 | "
            f"sequence_length: 2048 | train_steps: 4000 | start_iteration_step: {first - 1} | "
            f"consumed_train_samples: {(first - 1) * 512}"
        )
        say(
            "Resuming training from stage Training Stage, it has trained for "
            f"{(first - 1) * 512} samples and has {4000 - first + 1} remaining train steps"
            if first > 1
            else "Start training stage Training Stage, it has trained for 0 samples and has 4000 remaining train steps"
        )
        for step in range(first + 19, last + 1, 20):
            ms = (3480 if lag is None else 6390) * (1 + rng.gauss(0, 0.006))
            now += 20 * ms / 1000
            rate = 512 * 2048 * 1000 / ms
            tf = rate / 16 * 6 * 1.24e9 / 1e12
            say(
                f"iteration: {step} / 4000 | consumed_tokens: {step * 512 * 2048 / 1e9:.2f}B | "
                f"elapsed_time_per_iteration_ms: {ms / 1000:.2f}K | tokens_per_sec: {rate / 1e3:.0f}K | "
                f"tokens_per_sec_per_gpu: {rate / 16e3:.1f}K | global_batch_size: 512 | "
                f"lm_loss: {falls(rng, step, 10.4, 2.7, 330):.3g} | lr: {3e-4 * min(1, step / 500):.3g} | "
                f"model_tflops_per_gpu: {tf:.3g} | hardware_tflops_per_gpu: {tf:.3g} | "
                f"grad_norm: {0.42 + rng.gauss(0, 0.03):.3g}"
            )
            if step % 100 == 0:
                works = [3.19 + rng.gauss(0, 0.015) for _ in range(16)]
                if lag is not None:
                    works[lag] = 6.08 + rng.gauss(0, 0.03)
                say("fwd_bwd before grad sync, s, by dp rank: " + " ".join(f"{w:.2f}" for w in works))
            if step % 400 == 0:
                say(f"Saving weights and optimizer states to /scratch/fw/ckpt/{step}")
                now += 9
        if last == 1200:
            out.append("fw_1b: reached --stop-after 1200, handing nodes back")
            now += 31_400
    put(place, "fw_1b.log", out)


def c05_chest(place: Path, rng: Random) -> None:
    """A group's own trainer that speaks Korean, with its CSV."""
    now, out = 290_115.0, []
    rows = ["epoch,train_loss,val_loss,val_auc,lr,sec,gpu_mem_mb"]

    def say(text: str) -> None:
        out.append(f"[{clock(now)}] {text}")

    say("설정: data=/data2/cxr_v4 model=densenet121 batch=96 epochs=30 seed=7 device=cuda:0")
    now += 9
    say("학습 이미지 41,208장, 검증 이미지 5,150장, 클래스: 정상 / 기흉 / 심부전(heart failure) / 급사 위험(fatal)")
    say("오류 처리 정책: 치명적 오류 발생 시 중단, NaN 감지 시 중단, OOM 시 배치 축소")
    say("이전 실패 기록 폴더 crash_reports/ 비어 있음")
    say("학습 시작")
    best = 0.0
    for epoch in range(1, 31):
        spent = 188 + rng.gauss(0, 2)
        now += spent
        loss = falls(rng, epoch, 0.61, 0.172, 5)
        val = falls(rng, epoch, 0.58, 0.201, 5)
        auc = 0.968 - val * 0.4 + 0.05
        say(
            f"에폭 {epoch:02d}/30 학습손실 {loss:.4f} 검증손실 {val:.4f} AUC {auc:.4f} "
            f"(heart failure 민감도 {0.93 - val * 0.5:.3f}, fatal 오류율 {val * 0.31:.3f}) {spent:.0f}초"
        )
        rows.append(f"{epoch},{loss:.5f},{val:.5f},{auc:.5f},{1e-4 * (1 - (epoch - 1) / 30):.3e},{spent:.1f},17412")
        if auc > best and epoch % 3 == 0:
            best = auc
            say(f"최고 AUC 갱신 -> runs/cxr_v4/best.pt 저장 ({auc:.4f})")
    now += 12
    say("NaN 감지 0회, 치명적 오류 0회, 건너뛴 배치 0개")
    say("학습 완료: 30/30 에폭. 마지막 모델 runs/cxr_v4/last.pt 저장됨")
    put(place, "train_cxr.log", out)
    put(place, "metrics.csv", rows)


def c06_plates(place: Path, rng: Random) -> None:
    """open_clip over web shards; the store answers badly for a moment."""
    now, out, err = 31_204.0, [], []

    def say(text: str, level: str = "INFO") -> None:
        out.append(f"{clock(now, '%Y-%m-%d,%H:%M:%S')} | {level} | {text}")

    say("Running with a single process. Device cuda:0.")
    say("Loaded ViT-B-32 model config.")
    now += 3
    say("Model:")
    say("Params:")
    for text in (
        "accum_freq: 1",
        "batch_size: 512",
        "epochs: 4",
        "lr: 0.0005",
        "model: ViT-B-32",
        "precision: amp_bf16",
        "name: herb_b32",
        "train_data: pipe:aws s3 cp s3://herbarium-wds/{00000..00255}.tar -",
        "train_num_samples: 1228800",
        "warmup: 500",
        "workers: 8",
        "world_size: 1",
    ):
        say("  " + text)
    steps = 2400
    for epoch in range(4):
        say(f"Start epoch {epoch}")
        average = 0.0
        for count, batch in enumerate(range(0, steps + 1, 100), 1):
            batch_now = min(batch, steps - 1)
            spent = 0.462 + rng.gauss(0, 0.004)
            if epoch == 2 and batch == 900:
                for shard in ("00117", "00118"):
                    say(
                        'Handling webdataset error (OSError("aws s3 cp '
                        f's3://herbarium-wds/{shard}.tar -: exit 1 (read) {{}}")). Ignoring.',
                        "WARNING",
                    )
                    err += [
                        f"download failed: s3://herbarium-wds/{shard}.tar to - An error occurred (503) when calling "
                        "the GetObject operation (reached max retries: 4): Slow Down"
                    ]
                now += 22
            now += spent * (100 if batch else 3)
            seen = epoch * steps + batch_now
            loss = falls(rng, seen, 6.24, 1.3, 1500, 0.02)
            average += (loss - average) / count
            lr = 5e-4 * ((seen + 1) / 500 if seen < 500 else 0.5 * (1 + math.cos(math.pi * (seen - 500) / 9100)))
            say(
                f"Train Epoch: {epoch} [{(batch_now + 1) * 512:>7}/1228800 ({100 * batch_now / (steps - 1):.0f}%)] "
                f"Data (t): {0.021 + abs(rng.gauss(0, 0.004)):.3f} Batch (t): {spent:.3f}, {512 / spent:.6g}/s, "
                f"{512 / spent:.6g}/s/gpu LR: {lr:.6f} Logit Scale: {14.286 + seen / 400:.3f} "
                f"Contrastive_loss: {loss:.5g} ({average:.5g}) Loss: {loss:.5g} ({average:.5g})"
            )
        now += 31
        say(
            f"Eval Epoch: {epoch + 1} image_to_text_mean_rank: {180 / (epoch + 1):.4f}\timage_to_text_R@1: "
            f"{0.11 + 0.06 * epoch:.4f}\tclip_val_loss: {falls(rng, epoch * 2400 + 2400, 5.2, 1.5, 1500):.4f}\t"
            f"epoch: {epoch + 1:.4f}\tnum_samples: 10000.0000"
        )
    err += [
        "wandb: Run history:",
        "wandb: View run herb_b32 at: https://wandb.ai/herb/open-clip/runs/u81s0xkd",
        "wandb: Synced 6 W&B file(s), 0 media file(s), 0 artifact file(s) and 1 other file(s)",
    ]
    put(place, "out.log", out)
    put(place, "stderr.txt", err)
