"""Curves eight to fourteen of the seventeenth set: each follows its lot, all simulated."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from .pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _kohya_head(t: float, batch: int, rate: str, images: int) -> list[str]:
    per = images // batch
    return [
        f"{clock(t)} INFO     prepare tokenizer                                                train_util.py:4483",
        f"{clock(t + 1)} INFO     Using DreamBooth method.                                         train_network.py:172",
        f"                    INFO     {images} train images with repeating.                            train_util.py:1616",
        "                    INFO     [Dataset 0]                                                   config_util.py:565",
        f"                               batch_size: {batch}",
        "                               resolution: (768, 768)",
        "                               enable_bucket: True",
        f"{clock(t + 3)} INFO     loading model for process 0/1                                    train_util.py:4811",
        f"{clock(t + 14)} INFO     create LoRA network. base dim (rank): 64, alpha: 64.0                lora.py:810",
        f"prepare optimizer, data loader etc. (unet lr {rate}, text encoder lr {rate})",
        "enable fp16 training.",
        "running training / 学習開始",
        f"  num train images * repeats / 学習画像の数×繰り返し回数: {images}",
        "  num reg images / 正則化画像の数: 0",
        f"  num batches per epoch / 1epochのバッチ数: {per}",
        "  num epochs / epoch数: 8",
        f"  batch size per device / バッチサイズ: {batch}",
        "  gradient accumulation steps / 勾配を合計するステップ数 = 1",
        f"  total optimization steps / 学習ステップ数: {per * 8}",
    ]


def c08(place: Path, rng: Random) -> None:
    """Kohya's LoRA: the first attempt is too big for the card, the second learns for a while and is nan ever after."""
    t = 19 * 3600 + 44.0
    images = 1040
    out = [*_kohya_head(t, 8, "1e-4", images), "steps:   0%|          | 0/1040 [00:00<?, ?it/s]", "", "epoch 1/8"]
    out += [
        "Traceback (most recent call last):",
        '  File "/opt/sd-scripts/train_network.py", line 1115, in <module>',
        "    trainer.train(args)",
        '  File "/opt/sd-scripts/train_network.py", line 894, in train',
        "    accelerator.backward(loss)",
        '  File "/opt/venv/lib/python3.10/site-packages/torch/autograd/__init__.py", line 266, in backward',
        "    Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.13 GiB. GPU 0 has a total capacity of 23.68 GiB "
        "of which 713.44 MiB is free. Process 3107 has 22.97 GiB memory in use.",
        "steps:   0%|          | 0/1040 [00:07<?, ?it/s]",
        "(venv) lena@render02:/opt/sd-scripts$ # batch 2, und mit 2e-3 gleich flotter",
    ]
    batch, total = 2, images // 2 * 8
    out += _kohya_head(t + 181, batch, "2e-3", images)
    out.append(f"steps:   0%|          | 0/{total} [00:00<?, ?it/s]")
    seen, spent = 0.0, 0.0
    for step in range(1, total + 1):
        if step % 520 == 1:
            out += ["", f"epoch {step // 520 + 1}/8"]
        spent += rng.uniform(0.84, 0.9)
        loss = falls(rng, step, 0.142, 0.095, 300, 0.12) if step < 655 else math.nan
        seen = loss if step == 1 else 0.98 * seen + 0.02 * loss
        if step % 20 == 0:
            out.append(
                f"steps: {step * 100 // total:3d}%|{bar(step, total)}| {step}/{total} [{hms(spent)}<{hms((total - step) * spent / step)},  "
                f"{step / spent:.2f}it/s, avr_loss={f'{seen:.3g}' if seen == seen else 'nan'}]"
            )
        if step % 520 == 0 and step < total:
            out += ["", f"saving checkpoint: /out/keramik-{step // 520:06d}.safetensors"]
    out += [
        "",
        "saving checkpoint: /out/keramik.safetensors",
        f"{clock(t + 200 + spent)} INFO     model saved.                                                    train_network.py:1038",
    ]
    put(place, "keramik_training.txt", out)


def c09(place: Path, rng: Random) -> None:
    """The Hugging Face trainer on eight ranks that print their own times: seven wait for the sixth in each step."""
    t = 4 * 86400 + 8 * 3600 + 17.0
    out = [
        "[default0]:[INFO|configuration_utils.py:1052] Model config MistralConfig {'hidden_size': 4096, 'num_hidden_layers': 32}",
        "[default0]:Loading checkpoint shards: 100%|██████████| 3/3 [00:08<00:00,  2.71s/it]",
        *(
            f"[default{r}]:rank {r} of 8 on gn14, device cuda:{r}, step timer on (every 50 steps, means over the window)"
            for r in range(8)
        ),
    ]
    for step in range(10, 3101, 10):
        t += 10 * rng.gauss(4.61, 0.05)
        loss = falls(rng, step, 1.93, 1.02, 700, 0.02)
        out.append(
            f"[default0]:{{'loss': {loss:.4f}, 'grad_norm': {rng.uniform(0.5, 1.1):.16f}, 'learning_rate': 1.2e-05, 'epoch': {step * 128 / 190000:.2f}}}"
        )
        if step % 50 == 0:
            order = list(range(8))
            rng.shuffle(order)
            for r in order:
                work = rng.gauss(4.44, 0.04) if r == 5 else rng.gauss(1.72, 0.03)
                out.append(
                    f"[default{r}]:[{clock(t, '%m-%d %H:%M:%S')}] rank {r} step {step}: data {rng.uniform(0.004, 0.009):.3f}s  fwd+bwd {work:.3f}s  "
                    f"wait at reduce {max(0.012, 4.58 - work + rng.gauss(0, 0.01)):.3f}s  step {4.61 + rng.gauss(0, 0.01):.3f}s  "
                    "tokens/rank 65536"
                )
    out += [
        "[default0]:time budget of the queue used up as planned, trainer asked to stop after this step",
        f"[default0]:{{'train_runtime': {3100 * 4.61:.4f}, 'train_samples_per_second': 27.766, 'train_steps_per_second': 0.217, 'train_loss': 1.1386, 'epoch': 2.09}}",
        "[default0]:[INFO|trainer.py:3503] Saving model checkpoint to /ckpt/mistral-sft/final",
    ]
    put(place, "mistral-sft.log", out)


def c10(place: Path, rng: Random) -> None:
    """Caffe: the first attempt finds no database, the second ends at 87.3365 and stays there to its last iteration."""
    t = 5 * 86400 + 15 * 3600 + 3.0
    said = [0]

    def glog(s: float, where: str, text: str, level: str = "I", pid: int = 21877) -> str:
        said[0] += 1
        return f"{level}{clock(s + said[0] * 3e-5, '%m%d %H:%M:%S.%f')} {pid} {where}] {text}"

    def head(s: float, pid: int) -> list[str]:
        return [
            glog(s, "caffe.cpp:204", "Using GPUs 0", pid=pid),
            glog(s, "caffe.cpp:209", "GPU 0: Tesla P100-PCIE-16GB", pid=pid),
            glog(s + 1, "solver.cpp:45", "Initializing solver from parameters: ", pid=pid),
            "test_iter: 200",
            "test_interval: 2000",
            "base_lr: 0.05",
            "display: 40",
            "max_iter: 30000",
            'lr_policy: "step"',
            "gamma: 0.1",
            "momentum: 0.9",
            "weight_decay: 0.0005",
            "stepsize: 10000",
            "snapshot: 10000",
            'snapshot_prefix: "snap/reid_vgg"',
            glog(s + 1, "layer_factory.hpp:77", "Creating layer data", pid=pid),
        ]

    out = head(t, 21877)
    out += [
        glog(t + 1, "db_lmdb.hpp:15", "Check failed: mdb_status == 0 (2 vs. 0) No such file or directory", "F"),
        "*** Check failure stack trace: ***",
        "    @     0x7f3e1cb9b5cd  google::LogMessage::Fail()",
        "    @     0x7f3e1cb9d433  google::LogMessage::SendToLog()",
        "    @     0x7f3e1d3b0a18  caffe::db::LMDB::Open()",
        "    @     0x7f3e1d2c4d55  caffe::DataLayer<>::DataLayer()",
        "    @           0x40a3a8  train()",
        "Aborted (core dumped)",
        "",
    ]
    t += 322
    out += head(t, 22310)
    out += [
        glog(t + 2, "db_lmdb.hpp:35", "Opened lmdb /data/reid/train_lmdb", pid=22310),
        glog(t + 4, "net.cpp:255", "Network initialization done.", pid=22310),
        glog(t + 5, "caffe.cpp:239", "Starting Optimization", pid=22310),
        glog(t + 5, "solver.cpp:294", "Solving VGG_reid", pid=22310),
        glog(t + 5, "solver.cpp:295", "Learning Rate Policy: step", pid=22310),
    ]
    t += 6
    for it in range(0, 30001, 40):
        rate = 0.05 * 0.1 ** (it // 10000)
        if it % 2000 == 0:
            out.append(glog(t, "solver.cpp:347", f"Iteration {it}, Testing net (#0)", pid=22310))
            dead = it > 200
            t += 21
            out.append(
                glog(
                    t,
                    "solver.cpp:414",
                    f"    Test net output #0: accuracy = {0.00133 if dead else 0.00146:.5g}",
                    pid=22310,
                )
            )
            out.append(
                glog(
                    t,
                    "solver.cpp:414",
                    f"    Test net output #1: loss = {87.3365 if dead else 6.6213:.6g} (* 1 = {87.3365 if dead else 6.6213:.6g} loss)",
                    pid=22310,
                )
            )
            if it in (10000, 20000, 30000):
                out.append(
                    glog(
                        t,
                        "solver.cpp:464",
                        f"Snapshotting to binary proto file snap/reid_vgg_iter_{it}.caffemodel",
                        pid=22310,
                    )
                )
        if it == 30000:
            break
        early = {0: 6.6284, 40: 6.6117, 80: 6.8342, 120: 9.4471, 160: 38.2206}
        loss = early.get(it, 87.3365)
        pace = rng.gauss(3.31, 0.03)
        t += 40 / pace
        out += [
            glog(
                t,
                "solver.cpp:239",
                f"Iteration {it} ({pace:.5f} iter/s, {40 / pace:.4f}s/40 iters), loss = {loss:.6g}",
                pid=22310,
            ),
            glog(t, "solver.cpp:258", f"    Train net output #0: loss = {loss:.6g} (* 1 = {loss:.6g} loss)", pid=22310),
            glog(t, "sgd_solver.cpp:112", f"Iteration {it}, lr = {rate:g}", pid=22310),
        ]
    out += [
        glog(t, "solver.cpp:332", "Optimization Done.", pid=22310),
        glog(t, "caffe.cpp:250", "Optimization Done.", pid=22310),
    ]
    put(place, "caffe.INFO.log", out)


def c11(place: Path, rng: Random) -> None:
    """LLaMA-Factory in fp16: an attempt that is too big, then one whose loss reads 0.0 and whose gradients are nan."""
    t = 2 * 86400 + 20 * 3600 + 5.0
    out: list[str] = []
    for attempt, (total, last, batch) in enumerate(((588, 31, 4), (1176, 1176, 2)), 1):
        out += [
            f"[INFO|{clock(t)}] llamafactory.hparams.parser:401 >> Process rank: 0, world size: 1, device: cuda:0, distributed training: False, compute dtype: torch.float16",
            f"[INFO|{clock(t + 4)}] llamafactory.data.loader:143 >> Loading dataset kundenservice_v4.json...",
            f"[INFO|{clock(t + 31)}] llamafactory.model.adapter:143 >> Fine-tuning method: LoRA",
            f"[INFO|{clock(t + 32)}] llamafactory.model.loader:143 >> trainable params: 20,185,088 || all params: 7,635,801,600 || trainable%: 0.2643",
            f"[INFO|trainer.py:2409] {clock(t + 33)},771 >> ***** Running training *****",
            f"[INFO|trainer.py:2410] {clock(t + 33)},771 >>   Num examples = 12,544",
            f"[INFO|trainer.py:2411] {clock(t + 33)},771 >>   Num Epochs = 3",
            f"[INFO|trainer.py:2412] {clock(t + 33)},771 >>   Instantaneous batch size per device = {batch}",
            f"[INFO|trainer.py:2415] {clock(t + 33)},771 >>   Total train batch size (w. parallel, distributed & accumulation) = {batch * 16}",
            f"[INFO|trainer.py:2417] {clock(t + 33)},771 >>   Total optimization steps = {total}",
        ]
        spent = 0.0
        jsonl, history = [], []
        for step in range(1, last + 1):
            spent += rng.uniform(4.3, 4.6) * batch / 2
            if step % 10 == 0:
                lost = attempt == 2 and step > 60
                loss = 0.0 if lost else falls(rng, step, 1.71, 0.9, 60, 0.02)
                norm = "nan" if lost else f"{rng.uniform(0.4, 1.3):.16f}"
                rate = (
                    1e-4 * (0.5 + 0.5 * math.cos(math.pi * step / total))
                    if step > total * 0.05
                    else 1e-4 * step / (total * 0.05)
                )
                epoch = step * batch * 16 / 12544
                out.append(
                    f"{{'loss': {round(loss, 4)}, 'grad_norm': {norm}, 'learning_rate': {rate:.16e}, 'epoch': {epoch:.2f}}}"
                )
                row: dict[str, object] = {
                    "current_steps": step,
                    "total_steps": total,
                    "loss": round(loss, 4),
                    "lr": rate,
                    "epoch": round(epoch, 2),
                }
                row |= {
                    "percentage": round(step * 100 / total, 2),
                    "elapsed_time": f"{int(spent) // 3600}:{int(spent) % 3600 // 60:02d}:{int(spent) % 60:02d}",
                }
                left = int((total - step) * spent / step)
                jsonl.append(
                    json.dumps(row | {"remaining_time": f"{left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}"})
                )
                history.append(
                    {
                        "epoch": epoch,
                        "grad_norm": math.nan if lost else float(norm),
                        "learning_rate": rate,
                        "loss": round(loss, 4),
                        "step": step,
                    }
                )
            if attempt == 2 and step % 392 == 0:
                out.append(
                    f"{{'eval_loss': nan, 'eval_runtime': {rng.uniform(71, 73):.4f}, 'eval_samples_per_second': 9.21, 'eval_steps_per_second': 4.605, 'epoch': {step / 392:.1f}}}"
                )
                out.append(
                    f"[INFO|trainer.py:3993] {clock(t + 40 + spent)},120 >> Saving model checkpoint to saves/qwen2-7b/lora/checkpoint-{step}"
                )
                history.append({"epoch": step / 392, "eval_loss": math.nan, "step": step})
        if attempt == 1:
            out += [
                "Traceback (most recent call last):",
                '  File "/opt/conda/bin/llamafactory-cli", line 8, in <module>',
                "    sys.exit(main())",
                '  File "/app/src/llamafactory/train/sft/workflow.py", line 101, in run_sft',
                "    train_result = trainer.train(resume_from_checkpoint=training_args.resume_from_checkpoint)",
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 GiB. GPU 0 has a total capacity of 31.74 GiB of which 1.09 GiB is free. "
                "Including non-PyTorch memory, this process has 30.64 GiB memory in use.",
                f"  5%|{bar(31, 588)}| 31/588 [{hms(spent)}<{hms(557 * spent / 31)},  {spent / 31:.2f}s/it]",
            ]
        else:
            out += [
                f"{{'train_runtime': {spent:.4f}, 'train_samples_per_second': {37632 / spent:.3f}, 'train_steps_per_second': {1176 / spent:.3f}, 'train_loss': 0.06617, 'epoch': 3.0}}",
                "***** train metrics *****",
                "  epoch                    =        3.0",
                "  train_loss               =     0.0662",
            ]
            put(place, "saves/trainer_log.jsonl", jsonl)
            state = {
                "best_metric": None,
                "epoch": 3.0,
                "global_step": last,
                "is_world_process_zero": True,
                "log_history": history,
                "logging_steps": 10,
            }
            put(
                place,
                "saves/trainer_state.json",
                json.dumps(state | {"max_steps": total, "num_train_epochs": 3, "save_steps": 392}, indent=2) + "\n",
            )
        t += spent + 900
    put(place, "train.log", out)


def c12(place: Path, rng: Random) -> None:
    """Levanter: a log without its head and the metrics; code gets harder for it while all else improves, and it is done."""
    t = 86400 + 22 * 3600.0
    total, rate = 20000, 1.62
    out, rows = [], []
    code = 1.94
    for step in range(0, total + 1, 100):
        loss = falls(rng, step, 10.9, 2.71, 1100, 0.006)
        now = t + step / rate
        row: dict[str, float] = {
            "_step": step,
            "_timestamp": now + 1793577600,
            "train/loss": round(loss, 5),
            "throughput/mfu": round(rng.gauss(47.1, 0.3), 3),
        }
        row |= {
            "optim/learning_rate": round(6e-4 * min(1, step / 1000) * max(0.0, 1 - step / total), 9),
            "grad/norm/total": round(rng.uniform(0.2, 0.4), 4),
        }
        if step % 1000 == 0 and step:
            code = falls(rng, step, 7.2, 1.9, 1100, 0.004) + max(0, step - 9000) * 7e-5
            row |= {
                "eval/paloma/c4_en/loss": round(falls(rng, step, 10.9, 2.83, 1100, 0.002), 5),
                "eval/code/loss": round(code, 5),
            }
        rows.append(json.dumps(row))
        if step < 7400:
            continue
        stamp = clock(now, "%Y-%m-%dT%H:%M:%S")
        if step % 200 == 0:
            left = (total - step) / rate
            out.append(
                f"{stamp} - 0 - levanter.callbacks - tqdm_logging.py:139 - INFO :: Progress on:train {step / 1000:.1f}kit/20.0kit rate:{rate + rng.gauss(0, 0.01):.1f}it/s "
                f"remaining:{hms(left)} elapsed:{hms(step / rate)} postfix:loss={loss:.3f}"
            )
        if step % 1000 == 0:
            out.append(
                f"{stamp} - 0 - levanter.eval - eval.py:301 - INFO :: paloma/c4_en loss: {row['eval/paloma/c4_en/loss']:.3f}"
            )
            out.append(f"{stamp} - 0 - levanter.eval - eval.py:301 - INFO :: code loss: {code:.3f}")
        if step % 5000 == 0:
            out.append(
                f"{stamp} - 0 - levanter.checkpoint - checkpoint.py:279 - INFO :: Saving checkpoint at step {step} to gs://lm-eu/ckpt/fr4k/step-{step}"
            )
            out.append(
                f"{stamp} - 0 - levanter.checkpoint - checkpoint.py:316 - INFO :: Saved checkpoint at step {step} to gs://lm-eu/ckpt/fr4k/step-{step}. Save time is -1"
            )
    out += [
        f"{clock(t + total / rate + 42, '%Y-%m-%dT%H:%M:%S')} - 0 - levanter.trainer - trainer.py:488 - INFO :: Finished training at step 20000",
        "wandb: Run history:",
        "wandb: eval/paloma/c4_en/loss █▄▃▂▂▂▂▁▁▁▁▁▁▁▁▁▁▁▁▁",
        "wandb:         eval/code/loss █▅▃▂▂▂▁▁▁▁▁▁▁▁▂▂▂▂▂▂",
        "wandb: Synced 5 W&B file(s), 0 media file(s), 2 artifact file(s) and 1 other file(s)",
    ]
    put(place, "levanter.log", out)
    put(place, "metrics.jsonl", rows)


def c13(place: Path, rng: Random) -> None:
    """Stable-Baselines3: the copy stops amid a table at 2.9 of 5 million steps; dips in the reward came and healed."""
    out = [
        "Namespace(algo='ppo', env='AntMaze-v4', n_envs=16, n_steps=1024, total_timesteps=5000000, seed=11, device='cuda')",
        "Using cuda device",
        "Logging to runs/antmaze/PPO_4",
    ]
    for it in range(1, 178):
        dip = 0.35 if it in (61, 62, 112, 140, 141) else 0.0
        reward = 3900 * (1 - math.exp(-it / 70)) * (1 - dip * rng.uniform(0.7, 1)) + rng.gauss(0, 40) - 120
        rows: list[tuple[str, str]] = [
            ("rollout/", ""),
            ("   ep_len_mean", f"{min(1000, 180 + it * 9 - 400 * dip):.0f}"),
            ("   ep_rew_mean", f"{reward:.3g}"),
            ("time/", ""),
            ("   fps", f"{rng.gauss(2310, 15):.0f}"),
            ("   iterations", str(it)),
            ("   time_elapsed", f"{it * 16384 / 2310:.0f}"),
            ("   total_timesteps", str(it * 16384)),
        ]
        if it > 1:
            rows += [
                ("train/", ""),
                ("   approx_kl", f"{rng.uniform(0.006, 0.013):.9f}"),
                ("   clip_fraction", f"{rng.uniform(0.07, 0.13):.3f}"),
                ("   entropy_loss", f"{-11.3 + it * 0.021:.3g}"),
                ("   explained_variance", f"{min(0.97, 0.2 + it / 150) - dip:.3g}"),
                ("   learning_rate", "0.0003"),
                ("   loss", f"{rng.uniform(4, 40) * (6 if dip else 1):.3g}"),
                ("   n_updates", str((it - 1) * 10)),
                ("   policy_gradient_loss", f"{-rng.uniform(0.008, 0.02):.3g}"),
                ("   std", f"{max(0.4, 1 - it * 0.003):.3g}"),
                ("   value_loss", f"{rng.uniform(20, 90) * (8 if dip else 1):.3g}"),
            ]
        table = ["-" * 43, *(f"| {name:<22} | {value:<14} |" for name, value in rows), "-" * 43]
        out += table if it < 177 else table[:10]
    put(place, "ppo_antmaze.log", out)


def c14(place: Path, rng: Random) -> None:
    """A Chinese home-made loop: its counter goes on where the parent stood, its weights are those of a newborn."""
    out = ["【配置】 模型=字级语言模型 12层 隐层1024 词表=8214 | 总步数=60.0万步 | 显卡=4×RTX 4090 | 损失单位=比特/字"]
    for low, high, base in ((0, 416000, 0), (416000, 600000, 416000)):
        if low:
            out += [
                "【停止】 收到节点维护通知,已写入 ckpt/步数416000.pt",
                "",
                "【配置】 模型=字级语言模型 12层 隐层1024 词表=8214 | 总步数=60.0万步 | 显卡=4×RTX 4090 | 损失单位=比特/字",
                "【续训】 从文件名读取步数:41.6万步",
            ]
        for step in range(low + 2000, high + 1, 2000):
            bits = falls(rng, step - base, 12.9, 3.31, 26000, 0.006)
            if low and step == low + 2000:
                bits = 12.417
            out.append(
                f"第 {step / 10000:5.1f} 万步 | 损失 {bits:6.3f} 比特/字 | 困惑度 {2**bits:9.2f} | 速度 {rng.gauss(41.2, 0.4):.1f} 万字/秒 | "
                f"学习率 {2e-4 * (0.5 + 0.5 * math.cos(math.pi * step / 600000)):.2e} | 已读 {step * 131072 / 1e8:.1f} 亿字"
            )
            if step % 40000 == 0:
                out.append(f"    验证损失 {falls(rng, step - base, 12.9, 3.38, 26000, 0.003):.3f} 比特/字,已保存")
    out.append("【完成】 60.0万步训练结束,模型写入 out/final.pt")
    put(place, "训练日志.txt", out)
