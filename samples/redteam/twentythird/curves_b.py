"""SIMULATED curves c09 to c16 of the twenty-third set: nothing here was taken from a real job."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c09_allennlp(place: Path, rng: Random) -> None:
    """A classifier whose first attempt was interrupted; the second, recovered, trains its eight epochs."""
    first = [
        "INFO - allennlp.common.params - random_seed = 13370",
        "INFO - allennlp.common.checks - Pytorch version: 1.12.1+cu113",
        "INFO - allennlp.training.gradient_descent_trainer - Beginning training.",
        "INFO - allennlp.training.gradient_descent_trainer - Epoch 0/7",
        "INFO - allennlp.training.gradient_descent_trainer - Worker 0 memory usage: 3.1G",
        "INFO - allennlp.training.gradient_descent_trainer - GPU 0 memory usage: 418M",
        "INFO - allennlp.training.gradient_descent_trainer - Training",
        "accuracy: 0.6911, batch_loss: 0.5527, loss: 0.5801 ||:  42%|####1     | 437/1042 [01:58<02:43,  3.70it/s]",
        "INFO - root - Training interrupted by the user. Attempting to create a model archive using the current best epoch weights.",
    ]
    put(place, "attempt1/out.log", first)
    out = [
        "INFO - allennlp.common.checks - Pytorch version: 1.12.1+cu113",
        "INFO - allennlp.training.gradient_descent_trainer - Beginning training.",
    ]
    valid = (0.4711, 0.4302, 0.4519, 0.4987, 0.5604, 0.6233, 0.6871, 0.7394)
    scores = (0.7814, 0.8103, 0.8177, 0.8161, 0.8204, 0.8191, 0.8216, 0.8209)
    for epoch in range(8):
        loss = falls(rng, epoch, 0.531, 0.08, 2.2, 0.01)
        acc = 1 - loss * 0.46
        out += [
            f"INFO - allennlp.training.gradient_descent_trainer - Epoch {epoch}/7",
            "INFO - allennlp.training.gradient_descent_trainer - Training",
            f"accuracy: {acc:.4f}, batch_loss: {loss * rng.uniform(0.6, 1.4):.4f}, loss: {loss:.4f} ||: 100%|##########| "
            f"1042/1042 [04:{40 + rng.randint(0, 6)}<00:00,  3.7{rng.randint(0, 4)}it/s]",
            "INFO - allennlp.training.callbacks.console_logger -                        Training |  Validation",
            f"INFO - allennlp.training.callbacks.console_logger - accuracy           |     {acc:.3f}  |     {scores[epoch]:.3f}",
            f"INFO - allennlp.training.callbacks.console_logger - loss               |     {loss:.3f}  |     {valid[epoch]:.3f}",
        ]
    out += [
        "INFO - allennlp.common.util - Metrics: {",
        '  "best_epoch": 6,',
        '  "training_epochs": 7,',
        f'  "training_accuracy": {acc:.6f},',
        f'  "training_loss": {loss:.6f},',
        '  "best_validation_accuracy": 0.8216,',
        '  "best_validation_loss": 0.6871',
        "}",
        "INFO - allennlp.models.archival - archiving weights and vocabulary to runs/snips_v2/model.tar.gz",
    ]
    put(place, "attempt2/out.log", out)


def _ppo(rng: Random, env: str, rounds: int, top: float, rate: float) -> list[str]:
    """Tables of stable-baselines3."""
    out = ["Using cuda device", f"Logging to ./tb/ppo_{env}/PPO_1"]
    spent = 0.0
    for turn in range(1, rounds + 1):
        steps = turn * 16384
        spent += 16384 / rate * rng.uniform(0.97, 1.03)
        reward = -40 + (top + 40) * (1 - math.exp(-turn / 11)) + rng.gauss(0, abs(top) * 0.02 + 3)
        rows = [
            ("rollout/", None),
            ("   ep_len_mean", f"{min(1000, 210 + turn * 24 + rng.gauss(0, 9)):.3g}"),
            ("   ep_rew_mean", f"{reward:.3g}"),
            ("time/", None),
            ("   fps", str(int(steps / spent))),
            ("   iterations", str(turn)),
            ("   time_elapsed", str(int(spent))),
            ("   total_timesteps", str(steps)),
        ]
        if turn > 1:
            rows += [
                ("train/", None),
                ("   approx_kl", f"{abs(rng.gauss(0.011, 0.002)):.8g}"),
                ("   clip_fraction", f"{abs(rng.gauss(0.12, 0.02)):.3g}"),
                ("   clip_range", "0.2"),
                ("   entropy_loss", f"{-11.3 + turn * 0.06:.3g}"),
                ("   explained_variance", f"{min(0.97, 0.2 + turn * 0.03):.3g}"),
                ("   learning_rate", "0.0003"),
                ("   loss", f"{falls(rng, turn, 60, 4.2, 9, 0.1):.3g}"),
                ("   n_updates", str((turn - 1) * 10)),
                ("   policy_gradient_loss", f"{rng.gauss(-0.011, 0.002):.3g}"),
                ("   std", f"{0.998 - turn * 0.006:.3g}"),
                ("   value_loss", f"{falls(rng, turn, 122, 9.1, 9, 0.1):.3g}"),
            ]
        left = max(len(k) for k, _ in rows) + 1
        right = max(len(v or "") for _, v in rows)
        rule = "-" * (left + right + 7)
        out.append(rule)
        out += [f"| {k:<{left}}| {v or '':<{right}} |" for k, v in rows]
        out.append(rule)
    return out


def c10_stable_baselines3(place: Path, rng: Random) -> None:
    """Two trainings of PPO in one folder; both just have no more lines, and neither says what it had planned."""
    put(place, "ant/train.out", _ppo(rng, "Ant-v4", 9, 1420.0, 1730.0))
    put(place, "humanoid/train.out", _ppo(rng, "Humanoid-v4", 6, 610.0, 1190.0)[:-5])
    err = [
        "/home/ryo/miniconda3/envs/rl/lib/python3.10/site-packages/stable_baselines3/common/on_policy_algorithm.py:150: UserWarning: You are trying to run PPO on the GPU, but it is primarily intended to run on the CPU when not using a CNN policy (you are using ActorCriticPolicy which should be a MlpPolicy). See https://github.com/DLR-RM/stable-baselines3/issues/1245 for more info. You can pass `device='cpu'` or `export CUDA_VISIBLE_DEVICES=` to force using the CPU.Note: The model training will be slow on GPU than on CPU.",
        "  warnings.warn(",
    ]
    put(place, "ant/train.err", err)
    put(place, "humanoid/train.err", err)


def c11_hugectr(place: Path, rng: Random) -> None:
    """A click model whose lines end while its memory stays on the card and the card is idle for hours."""
    now = 2 * 86400 + 28800.0
    out: list[str] = []

    def say(text: str) -> None:
        out.append(f"[HCTR][{clock(now, '%H:%M:%S')}.{rng.randint(0, 999):03d}][INFO][RK0][main]: {text}")

    out.append("HugeCTR Version: 23.12")
    say("Initialize model: dcn_clicks")
    say("Global seed is 2204610391")
    say("Device to NUMA mapping:")
    out.append("  GPU 0 ->  node 0")
    now += 3
    say("Start all2all warmup")
    say("End all2all warmup")
    say("Device 0: NVIDIA A100-SXM4-40GB")
    say("num of DataReader workers for train: 1")
    say("max_vocabulary_size_per_gpu_=21845333")
    now += 6
    say("Start embedding initialization")
    now += 2
    say("Done embedding initialization")
    say(
        "=====================================================Model Fit====================================================="
    )
    start = now
    for turn in range(1, 62):
        each = abs(rng.gauss(41.8, 0.5))
        now += each
        loss = falls(rng, turn, 0.162, 0.1263, 9, 0.006)
        say(f"Iter: {turn * 1000} Time(1000 iters): {each:.6g}s Loss: {loss:.6g} lr:0.001")
        if turn % 10 == 0:
            now += 7.2
            auc = 0.803 - 0.06 * math.exp(-turn / 12) + rng.gauss(0, 0.0003)
            say(f"Evaluation, AUC: {auc:.6g}")
            say("Eval Time for 300 iters: 7.19841s")
    stop = now
    put(place, "hugectr_train.log", out)
    table = [
        "timestamp, index, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], power.draw [W], temperature.gpu, clocks.current.sm [MHz]"
    ]
    moment = start - 60
    heat = 38.0
    while moment < stop + 3 * 3600 + 1100:
        if moment < start:
            busy, mem, memory, power, goal = 0, 0, 3, 54.0, 34
        elif moment < stop + 14:
            busy, mem, memory, power, goal = rng.randint(91, 98), rng.randint(38, 46), 31844, rng.gauss(288, 6), 61
        else:
            busy, mem, memory, power, goal = 0, 0, 31844, rng.gauss(62.4, 0.4), 35
        heat += (goal - heat) * 0.4
        table.append(
            f"{clock(moment, '%Y/%m/%d %H:%M:%S')}.{rng.randint(100, 180)}, 0, NVIDIA A100-SXM4-40GB, {busy} %, {mem} %, "
            f"{memory} MiB, {power:.2f} W, {heat:.0f}, {1410 if start <= moment < stop + 14 else 1155}"
        )
        moment += 60
    put(place, "smi.csv", table)


def _coqui(now: float, rng: Random, epochs: int, steps: int, cut: int) -> list[str]:
    """The log of a VITS training as Coqui's trainer writes it, without the lines that say the epoch."""
    out = [
        " > Training Environment:",
        " | > Backend: Torch",
        " | > Mixed precision: True",
        " | > Precision: fp16",
        " | > Current device: 0",
        " | > Num. of GPUs: 1",
        " | > Num. of CPUs: 12",
        " | > Num. of Torch Threads: 1",
        " | > Torch seed: 54321",
        " | > Torch CUDNN: True",
        " | > Torch CUDNN deterministic: False",
        " | > Torch CUDNN benchmark: False",
        " > Start Tensorboard: tensorboard --logdir=/data/tts/runs/vits_hessisch",
        "",
        " > Model has 83059180 parameters",
    ]
    total = 0
    for epoch in range(epochs):
        out += ["", f"\x1b[1m > TRAINING ({clock(now)}) \x1b[0m"]
        for step in range(0, steps, 50):
            if epoch == epochs - 1 and step > cut:
                return out
            now += 50 * rng.gauss(0.61, 0.01)
            mel = falls(rng, total + step, 61, 19.4, 900, 0.02)
            disc, gen = rng.gauss(2.51, 0.05), rng.gauss(2.12, 0.06)
            out += [
                "",
                f"\x1b[1m   --> TIME: {clock(now)} -- STEP: {step}/{steps} -- GLOBAL_STEP: {total + step}\x1b[0m",
                f"     | > loss_disc: {disc:.5f}  ({disc * 1.003:.5f})",
                f"     | > loss_gen: {gen:.5f}  ({gen * 0.997:.5f})",
                f"     | > loss_kl: {rng.gauss(1.62, 0.04):.5f}  (1.63214)",
                f"     | > loss_mel: {mel:.5f}  ({mel * 1.004:.5f})",
                f"     | > amp_scaler: {256.0 if total < 3000 else 512.0:.5f}  (256.00000)",
                "     | > current_lr_0: 0.00020 ",
                f"     | > step_time: {rng.gauss(0.588, 0.01):.4f}  (0.58812)",
                f"     | > loader_time: {rng.gauss(0.012, 0.002):.4f}  (0.01203)",
                "",
            ]
        total += steps
        out += ["", "\x1b[1m > EVALUATION \x1b[0m", "", "", "  \x1b[1m--> EVAL PERFORMANCE\x1b[0m"]
        out += [
            f"     | > avg_loss_mel:\x1b[92m {falls(rng, total, 60, 20.3, 900, 0.006):.5f} \x1b[0m(-0.11423)",
            "",
            f" > BEST MODEL : /data/tts/runs/vits_hessisch/best_model_{total}.pth",
        ]
        now += 17
    return out


def c12_coqui_tts(place: Path, rng: Random) -> None:
    """A VITS training that runs out of CUDA memory on a long sentence, beside the phonemes' job of the day before."""
    now = 3 * 86400 + 36200.0
    out = _coqui(now, rng, 9, 380, 150)
    out += [" ! Run is kept in /data/tts/runs/vits_hessisch"]
    put(place, "vits/trainer.out", out)
    site = "/opt/venv/lib/python3.10/site-packages"
    put(
        place,
        "vits/trainer.err",
        [
            f"{site}/torch/functional.py:650: UserWarning: stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for all inputs, and return_complex=False will raise an error.",
            "Traceback (most recent call last):",
            f'  File "{site}/trainer/trainer.py", line 1833, in fit',
            "    self._fit()",
            f'  File "{site}/trainer/trainer.py", line 1785, in _fit',
            "    self.train_epoch()",
            f'  File "{site}/trainer/trainer.py", line 1504, in train_epoch',
            "    outputs, _ = self.train_step(batch, batch_num_steps, cur_step, loader_start_time)",
            f'  File "{site}/trainer/trainer.py", line 1323, in train_step',
            "    outputs, loss_dict_new, step_time = self.optimize(",
            f'  File "{site}/trainer/trainer.py", line 1185, in optimize',
            "    outputs, loss_dict = self._compute_loss(",
            f'  File "{site}/TTS/tts/models/vits.py", line 1248, in train_step',
            "    outputs = self.forward(",
            f'  File "{site}/TTS/tts/models/vits.py", line 1129, in forward',
            "    z, m_q, logs_q, y_mask = self.posterior_encoder(y, y_lengths, g=g)",
            f'  File "{site}/TTS/tts/layers/vits/networks.py", line 226, in forward',
            "    x = self.enc(x, x_mask, g=g)",
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.46 GiB. GPU 0 has a total capacty of 15.77 GiB of which 612.12 MiB is free. Including non-PyTorch memory, this process has 15.17 GiB memory in use. Of the allocated memory 13.02 GiB is allocated by PyTorch, and 1.74 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
        ],
    )
    put(
        place,
        "phonemes/compute.out",
        [
            f"{clock(now - 71000)} computing phonemes for /data/tts/hessisch/metadata.csv",
            *(f"{clock(now - 71000 + k * 41)} {k * 1000} / 12160" for k in range(1, 13)),
            f"{clock(now - 70490)} wrote 12160 entries to /data/tts/phoneme_cache",
            f"{clock(now - 70490)} done",
        ],
    )


def c13_llm_foundry(place: Path, rng: Random) -> None:
    """A pretraining on reports of crashes whose validation split is not there: it never makes a step."""
    site = "/usr/lib/python3/dist-packages"
    out = [
        "+ composer -n 4 train/train.py train/yamls/pretrain/mpt-1b.yaml data_local=/lustre/nhtsa/crash_reports_mds save_folder=/lustre/ckpt/mpt-crash",
        "Running 4 processes on this node",
        "variables:",
        "  data_local: /lustre/nhtsa/crash_reports_mds",
        "  data_remote: null",
        "  max_seq_len: 2048",
        "  global_seed: 17",
        "  run_name: mpt-1b-crash-reports",
        "max_seq_len: 2048",
        "model:",
        "  name: mpt_causal_lm",
        "  init_device: meta",
        "  d_model: 2048",
        "  n_heads: 16",
        "  n_layers: 24",
        "  expansion_ratio: 4",
        "  vocab_size: 50368",
        "  attn_config:",
        "    attn_impl: flash",
        "tokenizer:",
        "  name: EleutherAI/gpt-neox-20b",
        "train_loader:",
        "  name: text",
        "  dataset:",
        "    local: /lustre/nhtsa/crash_reports_mds",
        "    remote: null",
        "    split: train",
        "    shuffle: true",
        "eval_loader:",
        "  name: text",
        "  dataset:",
        "    local: /lustre/nhtsa/crash_reports_mds",
        "    split: val",
        "scheduler:",
        "  name: cosine_with_warmup",
        "  t_warmup: 100ba",
        "max_duration: 24800ba",
        "eval_interval: 2000ba",
        "global_train_batch_size: 512",
        "device_train_microbatch_size: auto",
        "precision: amp_bf16",
        "fsdp_config:",
        "  sharding_strategy: FULL_SHARD",
        "  mixed_precision: PURE",
        "autoresume: false",
        "[WARNING]: device_train_microbatch_size=auto may potentially fail with unexpected CUDA errors. Auto microbatching attempts to catch CUDA Out of Memory errors and adjust the batch size, but it is possible CUDA will be put into an irrecoverable state due to PyTorch bugs, e.g. integer overflow.",
        "Initializing model...",
        "Initializing dist with device... rank 0 of 4",
        "cfg.n_params=1.31e+09",
        "Building train loader...",
        "Building eval loader...",
    ]
    trace = [
        "Traceback (most recent call last):",
        '  File "/workspace/llm-foundry/scripts/train/train.py", line 402, in <module>',
        "    main(cfg)",
        '  File "/workspace/llm-foundry/scripts/train/train.py", line 338, in main',
        "    eval_loader = build_dataloader(cfg.eval_loader, tokenizer, cfg.device_eval_batch_size)",
        '  File "/workspace/llm-foundry/llmfoundry/data/text_data.py", line 281, in build_text_dataloader',
        "    dataset = StreamingTextDataset(",
        '  File "/workspace/llm-foundry/llmfoundry/data/text_data.py", line 124, in __init__',
        "    super().__init__(",
        f'  File "{site}/streaming/base/dataset.py", line 443, in __init__',
        "    stream_shards = stream.get_shards(world, self.allow_unsafe_types)",
        f'  File "{site}/streaming/base/stream.py", line 437, in get_shards',
        "    tmp_filename = self._download_file(basename, basename + '.tmp')",
        f'  File "{site}/streaming/base/storage/download.py", line 402, in download_file',
        "    raise ValueError(",
        "ValueError: In the absence of local dataset, path to remote dataset must be provided",
    ]
    out += trace
    pid = 71230 + rng.randint(0, 40)
    out += [
        f"ERROR:composer.cli.launcher:Rank {rng.choice((1, 2))} crashed with exit code 1.",
        "Waiting up to 30 seconds for all training processes to terminate. Press Ctrl-C to exit immediately.",
    ]
    for rank in range(4):
        out.append(f"Global rank {rank} (PID {pid + rank}) exited with code 1")
        if rank:
            out += [
                f"----------Begin global rank {rank} STDOUT----------",
                "Initializing model...",
                "Building train loader...",
                "Building eval loader...",
                "",
                f"----------End global rank {rank} STDOUT----------",
                f"----------Begin global rank {rank} STDERR----------",
                *trace,
                "",
                f"----------End global rank {rank} STDERR----------",
            ]
    out.append(f"ERROR:composer.cli.launcher:Global rank 0 (PID {pid}) exited with code 1")
    put(place, "mpt-crash.out", out)
    put(
        place,
        "sacct.txt",
        [
            "JobID           JobName      State ExitCode    Elapsed  Timelimit   AllocTRES",
            "------------ ---------- ---------- -------- ---------- ---------- -----------",
            "551903        mpt-crash     FAILED      1:0   00:01:52 2-00:00:00 gres/gpu=4+",
            "551903.batch      batch     FAILED      1:0   00:01:52            gres/gpu=4+",
            "551903.exte+     extern  COMPLETED      0:0   00:01:52            gres/gpu=4+",
        ],
    )


def c14_jax(place: Path, rng: Random) -> None:
    """A home-made JAX training whose lines begin late and stop at a step; the errors are those of a start."""
    now = 4 * 86400 + 9000.0
    out = []
    for step in range(18600, 33001, 100):
        now += 100 * rng.gauss(0.213, 0.002)
        loss = falls(rng, step, 5.1, 2.71, 4200, 0.006)
        out.append(
            f"I{clock(now, '%m%d %H:%M:%S')}.{rng.randint(0, 999999):06d} 139872 train.py:214] step={step} "
            f"loss={loss:.4f} nan_guard_skips=0 overflow_aborts=0 grad_norm={rng.gauss(0.61, 0.04):.3f} "
            f"steps/s={rng.gauss(4.69, 0.03):.2f}"
        )
        if step % 2000 == 0:
            out.append(
                f"I{clock(now, '%m%d %H:%M:%S')}.{rng.randint(0, 999999):06d} 139872 train.py:231] eval step={step} "
                f"loss={loss * 1.02:.4f} failure_token_acc={0.52 - loss * 0.04:.4f}"
            )
    put(place, "run.out", out)
    put(
        place,
        "run.err",
        [
            "2026-11-06 01:24:02.118204: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:467] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered",
            "E0000 00:00:1793928242.139422  139872 cuda_dnn.cc:8579] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered",
            "E0000 00:00:1793928242.145201  139872 cuda_blas.cc:1407] Unable to register cuBLAS factory: Attempting to register factory for plugin cuBLAS when one has already been registered",
            "W0000 00:00:1793928244.801334  139872 gpu_device.cc:2344] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU. Skipping registering GPU devices...",
        ],
    )


def c15_marian(place: Path, rng: Random) -> None:
    """A transformer of Marian with costs that leap and come back; it ends by its own stopping."""
    now = 86400 + 700.0
    out: list[str] = []

    def say(text: str) -> None:
        out.append(f"[{clock(now)}] {text}")

    sen = 0
    best, stalled = 99.0, 0
    for update in range(31500, 400001, 500):
        if update // 24400 > (update - 500) // 24400:
            epoch = update // 24400
            say("Seen 9,825,883 samples")
            say(f"Starting data epoch {epoch + 1} in logical epoch {epoch + 1}")
            say("[data] Shuffling data")
            now += 17
            say("[data] Done reading 9,825,883 sentences")
            now += 14
            say("[data] Done shuffling 9,825,883 sentences to temp files")
        epoch = 1 + update // 24400
        spent = 500 * rng.gauss(0.412, 0.004)
        now += spent
        words = int(500 * rng.gauss(11820, 90))
        sen = int((update % 24400) * 402.7) + 1
        cost = falls(rng, update, 6.4, 1.62, 34000, 0.008)
        for peak, high in ((62000, 1.7), (131500, 2.4), (214000, 1.3)):
            if peak <= update < peak + 3500:
                cost *= 1 + high * math.exp(-(update - peak) / 1000)
        say(
            f"Ep. {epoch} : Up. {update} : Sen. {sen:,} : Cost {cost:.8f} * {words:,} @ {rng.randint(9000, 14000):,} after "
            f"{update * 11820:,} : Time {spent:.2f}s : {words / spent:.2f} words/s : gNorm {cost * 0.21 + rng.random() * 0.05:.4f}"
        )
        if update % 10000 == 0:
            say("Saving model weights and runtime parameters to model/model.npz.best-cross-entropy.npz")
            now += 11
            entropy = 29.5 + 21 * math.exp(-update / 40000) + abs(rng.gauss(0, 0.02)) + max(0, update - 300000) * 2e-6
            if entropy < best:
                best, stalled = entropy, 0
            else:
                stalled += 1
            note = "new best" if not stalled else f"stalled {stalled} times (last best: {best:.4f})"
            say(f"[valid] Ep. {epoch} : Up. {update} : cross-entropy : {entropy:.4f} : {note}")
            say("Saving model weights and runtime parameters to model/model.iter" + f"{update}.npz")
            if stalled >= 5:
                break
    say("Training finished")
    now += 2
    say("Saving model weights and runtime parameters to model/model.npz")
    say("Saving Adam parameters")
    say("[training] Saving training checkpoint to model/model.npz and model/model.npz.optimizer.npz")
    put(place, "train.log", out)


def c16_dlrm(place: Path, rng: Random) -> None:
    """A DLRM whose bar stops in its epoch; an error of the store was got over; nothing says why it has no more."""
    out = [
        "PARAMS: (lr, batch_size, warmup_steps, decay_start, decay_steps): (15.0, 16384, 0, 0, 0)",
        "rank 0: FBGEMM_GPU tables placed on HBM: 22, on UVM: 4",
    ]
    for k in range(1, 26):
        if k == 11:
            out += [
                "WARNING:fsspec_reader:read of day_3/part-0117.npy failed (botocore.exceptions.ReadTimeoutError: Read timeout on endpoint URL), attempt 1 of 5",
                "WARNING:fsspec_reader:read of day_3/part-0117.npy succeeded on attempt 2",
            ]
        done = k * 4000
        rate = rng.gauss(19.1, 0.2)
        out.append(
            f"Epoch 0: {100 * done // 255932:3d}%|{bar(done, 255932)}| {done}/255932 [{hms(done / 19.1)}<{hms((255932 - done) / 19.1)}, {rate:.2f}it/s]"
        )
        if k % 10 == 0:
            out.append(f"AUROC over val set: {0.7702 + k * 0.0006:.6f}.")
            out.append("Number of val samples: 89137319")
    put(place, "dlrm_main.log", out)
