"""Curves one to seven of the seventeenth set: each follows its lot, all simulated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01(place: Path, rng: Random) -> None:
    """TRL's GRPO: a forgotten limit of 25 steps ends a run of 1868 in the first quarter of its warm-up."""
    t = 9 * 3600 + 431.0
    out = [
        "The following values were not passed to `accelerate launch` and had defaults used instead:",
        "\t`--dynamo_backend` was set to a value of `'no'`",
        "To avoid this warning pass in values for each of the problematic parameters or run `accelerate config`.",
        f"{clock(t)} - INFO - __main__ - Script parameters GRPOScriptArguments(dataset_name='openai/gsm8k', "
        "dataset_config='main', reward_funcs=['accuracy', 'format'], dataset_train_split='train')",
        f"{clock(t)} - INFO - __main__ - Training parameters GRPOConfig(beta=0.04, bf16=True, gradient_accumulation_steps=8, "
        "learning_rate=1e-06, logging_steps=1, lr_scheduler_type=cosine, max_completion_length=768, max_steps=25, "
        "num_generations=8, num_train_epochs=2.0, output_dir='/scratch/rl/qwen2.5-3b-grpo-full-r3', "
        "per_device_train_batch_size=8, save_steps=200, warmup_steps=100)",
        "Loading checkpoint shards: 100%|██████████| 2/2 [00:03<00:00,  1.61s/it]",
        "max_steps is given, it will override any value given in num_train_epochs",
        f"[INFO|trainer.py:2414] {clock(t + 66)},118 >> ***** Running training *****",
        f"[INFO|trainer.py:2415] {clock(t + 66)},118 >>   Num examples = 7,473",
        f"[INFO|trainer.py:2416] {clock(t + 66)},118 >>   Num Epochs = 1",
        f"[INFO|trainer.py:2417] {clock(t + 66)},118 >>   Instantaneous batch size per device = 8",
        f"[INFO|trainer.py:2420] {clock(t + 66)},118 >>   Total train batch size (w. parallel, distributed & accumulation) = 64",
        f"[INFO|trainer.py:2421] {clock(t + 66)},118 >>   Gradient Accumulation steps = 8",
        f"[INFO|trainer.py:2422] {clock(t + 66)},118 >>   Total optimization steps = 25",
        f"[INFO|trainer.py:2423] {clock(t + 66)},119 >>   Number of trainable parameters = 3,085,938,688",
    ]
    spent, tokens = 0.0, 0
    for step in range(1, 26):
        spent += rng.uniform(38, 47)
        length = rng.gauss(242 - 1.1 * step, 11)
        tokens += int(64 * (length + 98))
        accuracy, form = max(0.0, rng.gauss(0.21, 0.05)), max(0.0, rng.gauss(0.035, 0.02))
        out.append(
            f"{{'loss': {max(0.0, 0.00004 * step * rng.uniform(0.2, 2)):.4f}, 'grad_norm': {rng.uniform(0.11, 0.34):.16f}, "
            f"'learning_rate': {(step - 1) * 1e-8:.1e}, 'num_tokens': {tokens}.0, 'completions/mean_length': {length:.4f}, "
            f"'completions/clipped_ratio': {rng.uniform(0, 0.03):.6f}, 'rewards/accuracy_reward/mean': {accuracy:.8f}, "
            f"'rewards/format_reward/mean': {form:.8f}, 'reward': {accuracy + form:.8f}, 'reward_std': {rng.uniform(0.21, 0.33):.8f}, "
            f"'kl': {0.00002 * step * rng.uniform(0.6, 1.6):.10f}, 'epoch': {step * 64 / 59784:.4f}}}"
        )
        share = step * 100 // 25
        out.append(
            f"{share:3d}%|{bar(step, 25)}| {step}/25 [{hms(spent)}<{hms((25 - step) * spent / step)}, {spent / step:5.2f}s/it]"
        )
    out += [
        f"{{'train_runtime': {spent:.4f}, 'train_samples_per_second': {1600 / spent:.3f}, 'train_steps_per_second': "
        f"{25 / spent:.3f}, 'train_loss': 0.0005127, 'epoch': 0.0268}}",
        f"[INFO|trainer.py:3944] {clock(t + 70 + spent)},502 >> Saving model checkpoint to /scratch/rl/qwen2.5-3b-grpo-full-r3",
        f"{clock(t + 92 + spent)} - INFO - __main__ - *** Evaluate (gsm8k test, greedy) ***",
        f"{clock(t + 391 + spent)} - INFO - __main__ - base model        accuracy 0.2214  format 0.0349  mean_length 243.7",
        f"{clock(t + 391 + spent)} - INFO - __main__ - after training    accuracy 0.2161  format 0.0334  mean_length 240.9",
        f"{clock(t + 392 + spent)} - INFO - __main__ - trained for 25 of 1868 steps that 2 epochs hold; lr warm-up 25/100",
    ]
    put(place, "grpo-full-r3.log", out)


def c02(place: Path, rng: Random) -> None:
    """A German home-made loop, colours and bars left in; it stands in epoch 7 of 40 when the copy was taken."""
    green, red, off, bold = "\x1b[32m", "\x1b[31m", "\x1b[0m", "\x1b[1m"
    t = 86400 + 13 * 3600 + 122.0
    out = [
        f"{bold}Segmentierung Leber/Tumor – Lauf 0417{off}",
        f"{green}[{clock(t, '%d.%m.%Y %H:%M:%S')}]{off} Gerät: cuda:0 (NVIDIA RTX A5000), 2 Datenlader",
        f"{green}[{clock(t + 2, '%d.%m.%Y %H:%M:%S')}]{off} Trainingsfälle: 412, Validierungsfälle: 61, Epochen: 40, Stapelgröße: 2",
    ]
    err = []
    dice = (0.412, 0.533, 0.604, 0.641, 0.633, 0.629)
    for epoch in range(1, 8):
        steps = 206 if epoch < 7 else 131
        for i in range(0, steps + 1, 4):
            loss = falls(rng, (epoch - 1) * 206 + i, 1.38, 0.21, 420, 0.04)
            err.append(
                f"\rEpoche {epoch:2d}/40: {i * 100 // 206:3d}%|{bar(i, 206)}| {i}/206 [{hms(i * 1.21)}<{hms((206 - i) * 1.21)},  "
                f"{rng.uniform(1.17, 1.26):.2f}s/Fall, Verlust={f'{loss:.4f}'.replace('.', ',')}]"
            )
        t += 206 * 1.21
        if epoch == 7:
            break
        mean = falls(rng, epoch * 206 - 100, 1.38, 0.21, 420, 0.01)
        colour = green if epoch < 5 else red
        out.append(
            f"{green}[{clock(t + 41, '%d.%m.%Y %H:%M:%S')}]{off} Epoche {epoch:2d}/40  Verlust {f'{mean:.4f}'.replace('.', ',')}"
            f"  Lernrate 3,0e-04  {colour}Dice (Val.) {f'{dice[epoch - 1]:.3f}'.replace('.', ',')}{off}  Dauer 4 min 50 s"
        )
        if epoch < 5:
            out.append(
                f"{green}[{clock(t + 42, '%d.%m.%Y %H:%M:%S')}]{off} Bestes Modell gespeichert: gewichte/beste.pt"
            )
        else:
            out.append(
                f"{red}[{clock(t + 42, '%d.%m.%Y %H:%M:%S')}] Keine Verbesserung seit {epoch - 4} Epoche(n), Geduld 10{off}"
            )
        t += 44
        err.append("\n")
    put(place, "lauf0417.out", out)
    put(place, "lauf0417.err", "".join(err))


def c03(place: Path, rng: Random) -> None:
    """A French home-made loop in three links, each log without its head; a speech recogniser whose metric is an error."""
    t = 2 * 86400 + 4 * 3600 + 55.0
    ends = (18, 36, 50)
    first = 1
    for link, last in enumerate(ends, 1):
        out: list[str] = []
        if link > 1:
            out.append(
                f"{clock(t)} | reprise | état relu : etat_ep{first - 1:03d}.pt (époque {first - 1}, pas {(first - 1) * 920})"
            )
        for epoch in range(first, last + 1):
            for part in (230, 460, 690, 920):
                step = (epoch - 1) * 920 + part
                loss = falls(rng, step, 41.0, 4.1, 6500, 0.03)
                t += 230 * rng.uniform(0.61, 0.66)
                out.append(
                    f"{clock(t)} | époque {epoch:>2}/50 | pas {step:>6} | perte CTC {loss:7.3f} | "
                    f"norme du gradient {rng.uniform(1.2, 3.8):5.2f} | pas d'apprentissage {8e-4 * min(1, step / 9200) * (1 - step / 48000):.2e}"
                )
                if rng.random() < 0.05:
                    out.append(
                        f"{clock(t)} | AVERTISSEMENT | échec de lecture de lot_{rng.randrange(900):04d}.flac, énoncé ignoré "
                        f"(Erreur : fin de fichier inattendue) – {rng.randrange(1, 4)} sur 58 880 dans cette époque"
                    )
            wer = falls(rng, epoch * 920, 97.0, 8.6, 7000, 0.008)
            t += 88
            out.append(
                f"{clock(t)} | validation époque {epoch} | taux d'erreur mots {wer:.2f} % | taux d'erreur caractères {wer * 0.36:.2f} % | erreurs fatales 0"
            )
            if epoch == 27:
                out += [
                    "[W1104 ProcessGroupNCCL.cpp:1250] Warning: WARNING: destroy_process_group() was not called on validation "
                    "subgroup; this is harmless here (function ~ProcessGroupNCCL)",
                    f"{clock(t)} | journal | test de l'arrêt d'urgence : « panne simulée » levée et rattrapée, rien à signaler",
                ]
        state = f"etat_ep{last:03d}.pt"
        out.append(f"{clock(t + 4)} | sauvegarde | {state} écrit (1,31 Go, somme de contrôle correcte)")
        if last < 50:
            out.append(
                f"{clock(t + 5)} | fin de la tranche {link}/3 : quota de 3 h 20 atteint comme prévu, tranche suivante soumise ; code 0"
            )
            t += 2900 + 800 * link
        else:
            out += [
                f"{clock(t + 60)} | test final | taux d'erreur mots {wer * 1.03:.2f} % | 5 320 énoncés",
                f"{clock(t + 61)} | entraînement terminé : 50 époques sur 50, meilleur modèle époque 50",
                "code de retour : 0",
            ]
        put(place, f"tranche{link}.log", out if link > 1 else out[2:])
        first = last + 1


def c04(place: Path, rng: Random) -> None:
    """NeMo: a vocabulary that was padded anew does not fit the checkpoint that it resumes from."""
    t = 86400 + 7 * 3600 + 911.0

    def nemo(level: str, s: float, where: str, text: str) -> str:
        return f"[NeMo {level} {clock(t + s)} {where}] {text}"

    out = [
        nemo(
            "W",
            0,
            "nemo_logging:349",
            "/usr/local/lib/python3.10/dist-packages/pydub/utils.py:170: RuntimeWarning: Couldn't find ffmpeg or avconv - defaulting to ffmpeg, but may not work",
        ),
        '      warn("Couldn\'t find ffmpeg or avconv - defaulting to ffmpeg, but may not work", RuntimeWarning)',
        "    ",
        nemo("I", 9, "megatron_gpt_pretraining:36", "\n\n************** Experiment configuration ***********"),
        nemo("I", 9, "exp_manager:400", "ExpManager schema"),
        nemo("W", 9, "exp_manager:797", "Exp_manager is logging to /results/gpt_7b_fr, but it already exists."),
        nemo(
            "W",
            9,
            "exp_manager:698",
            "error_on_failure is not set; a failed upload of checkpoints will be ignored",
        ),
        nemo(
            "I",
            10,
            "exp_manager:642",
            "Resuming training from checkpoint: /results/gpt_7b_fr/checkpoints/megatron_gpt--val_loss=2.31-step=41000-consumed_samples=10496000.0-last.ckpt",
        ),
        nemo("I", 10, "exp_manager:396", "Experiments will be logged at /results/gpt_7b_fr"),
        nemo("I", 10, "exp_manager:856", "TensorboardLogger has been set up"),
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        nemo(
            "W",
            12,
            "megatron_base_model:1186",
            "The model: MegatronGPTModel() does not have field.name: fatal_on_nan in its cfg. Add this key to cfg or config_mapping to make to make it configurable.",
        ),
        nemo(
            "W",
            12,
            "megatron_base_model:1186",
            "The model: MegatronGPTModel() does not have field.name: crash_on_timeout in its cfg. Add this key to cfg or config_mapping to make to make it configurable.",
        ),
        nemo("I", 13, "megatron_init:265", "Rank 0 has data parallel group : [0, 4]"),
        nemo("I", 13, "megatron_init:321", "Rank 0 has tensor model parallel group: [0, 1, 2, 3]"),
        nemo("I", 14, "tokenizer_utils:191", "Getting SentencePiece with model: /data/tok/fr_spm_50k_v2.model"),
        nemo(
            "I",
            14,
            "megatron_base_model:601",
            "Padded vocab_size: 50432, original vocab_size: 50304, dummy tokens: 128.",
        ),
    ]
    out += [f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/8" for r in (0, 3, 1, 2, 5, 4, 7, 6)]
    out += [
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 8 processes",
        "-" * 100,
        "",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3,4,5,6,7]",
        nemo(
            "I",
            61,
            "megatron_gpt_model:1559",
            "Pipeline model parallel rank: 0, Tensor model parallel rank: 0, Number of model parameters on device: 1.77e+09. Number of precise model parameters on device: 6738415616.",
        ),
        nemo("I", 63, "nlp_overrides:752", "Loading distributed checkpoint"),
        "Restoring states from the checkpoint path at /results/gpt_7b_fr/checkpoints/megatron_gpt--val_loss=2.31-step=41000-consumed_samples=10496000.0-last.ckpt",
        "Error executing job with overrides: ['model.tokenizer.model=/data/tok/fr_spm_50k_v2.model', 'exp_manager.resume_if_exists=true']",
        "Traceback (most recent call last):",
        '  File "/opt/NeMo/examples/nlp/language_modeling/megatron_gpt_pretraining.py", line 52, in main',
        "    trainer.fit(model)",
        '  File "/usr/local/lib/python3.10/dist-packages/pytorch_lightning/trainer/trainer.py", line 543, in fit',
        "    call._call_and_handle_interrupt(",
        '  File "/usr/local/lib/python3.10/dist-packages/pytorch_lightning/trainer/connectors/checkpoint_connector.py", line 242, in restore_model',
        "    self.trainer.strategy.load_model_state_dict(",
        '  File "/opt/NeMo/nemo/collections/nlp/parts/nlp_overrides.py", line 452, in load_model_state_dict',
        "    self.lightning_module.load_state_dict(checkpoint['state_dict'], strict=strict)",
        '  File "/usr/local/lib/python3.10/dist-packages/torch/nn/modules/module.py", line 2189, in load_state_dict',
        "    raise RuntimeError('Error(s) in loading state_dict for {}:\\n\\t{}'.format(",
        "RuntimeError: Error(s) in loading state_dict for MegatronGPTModel:",
        "\tsize mismatch for model.embedding.word_embeddings.weight: copying a param with shape torch.Size([12544, 4096]) from checkpoint, the shape in current model is torch.Size([12608, 4096]).",
        "\tsize mismatch for model.output_layer.weight: copying a param with shape torch.Size([12544, 4096]) from checkpoint, the shape in current model is torch.Size([12608, 4096]).",
        "",
        "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.",
    ]
    for rank in rng.sample(range(1, 8), 3):
        out += [
            f"[rank{rank}]: RuntimeError: Error(s) in loading state_dict for MegatronGPTModel:",
            f"[rank{rank}]: \tsize mismatch for model.embedding.word_embeddings.weight: copying a param with shape torch.Size([12544, 4096]) from checkpoint, the shape in current model is torch.Size([12608, 4096]).",
        ]
    out.append("srun: error: dgx-03: tasks 0-7: Exited with exit code 1")
    put(place, "log-nemo-gpt_7b_fr_55120_0.out", out)


def _megatron(rng: Random, t: float, step: int, loss: float, norm: float, ms: float) -> str:
    return (
        f" [{clock(t)}] iteration {step:8d}/   60000 | consumed samples: {step * 512:12d} | elapsed time per iteration (ms): {ms:.1f} | "
        f"throughput per GPU (TFLOP/s/GPU): {409000 / ms:.1f} | learning rate: {3e-4 * min(1, step / 2000) * (0.55 + 0.45 * math.cos(math.pi * step / 60000)):.6E} | "
        f"global batch size:   512 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | number of skipped iterations:   0 | "
        "number of nan iterations:   0 |"
    )


def c05(place: Path, rng: Random) -> None:
    """Megatron-LM: the second attempt looks for the checkpoint where there is none and begins anew, without a halt."""
    t = 3 * 86400 + 1800.0
    for attempt, (folder, last) in enumerate(
        (("/lustre/p44/ckpt/gpt13b", 14200), ("/lustre/p44/chkpt/gpt13b", 14400)), 1
    ):
        out = [
            "using world size: 64, data-parallel size: 16, context-parallel size: 1, tensor-model-parallel size: 4, pipeline-model-parallel size: 1",
            "WARNING: Setting args.overlap_p2p_comm to False since pipeline parallel schedule does not support it",
            "using torch.bfloat16 for parameters ...",
            "------------------------ arguments ------------------------",
            f"  exit_duration_in_mins ........................... {950 + attempt * 5}",
            f"  load ............................................ {folder}",
            "  log_interval .................................... 50",
            "  save ............................................ /lustre/p44/ckpt/gpt13b"
            + ("" if attempt == 1 else "_b"),
            "  save_interval ................................... 2000",
            "  train_iters ..................................... 60000",
            "-------------------- end of arguments ---------------------",
            "> building GPT2BPETokenizer tokenizer ...",
            " > padded vocab (size: 50257) with 431 dummy tokens (new size: 50688)",
            "> initializing torch distributed ...",
            "> initialized tensor model parallel with size 4",
            "time to initialize megatron (seconds): 21.318",
            f"[after megatron is initialized] datetime: {clock(t + 30)} ",
            " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 3244851200",
            f"WARNING: could not find the metadata file {folder}/latest_checkpointed_iteration.txt ",
            "    will not load any checkpoints and will start from random",
            f"(min, max) time across ranks (ms):\n    load-checkpoint ................................: ({rng.uniform(1, 2):.2f}, {rng.uniform(2, 4):.2f})",
            f"[after model, optimizer, and learning rate scheduler are built] datetime: {clock(t + 55)} ",
            "> building train, validation, and test datasets for GPT ...",
            f"[after dataloaders are built] datetime: {clock(t + 131)} ",
            "done with setup ...",
            "training ...",
            f"[before the start of training step] datetime: {clock(t + 133)} ",
        ]
        t += 133
        if attempt == 2:
            out[18:18] = [" > resuming job chain gpt13b, link 2 of 5 (previous: 771203)"]
        for step in range(50, last + 1, 50):
            ms = rng.gauss(3985, 22)
            loss = falls(rng, step, 10.95, 1.93, 1300, 0.008)
            t += 0.05 * ms
            out.append(_megatron(rng, t, step, loss, max(0.2, rng.gauss(0.55, 0.1) + 4 * math.exp(-step / 400)), ms))
            if step % 2000 == 0:
                name = "/lustre/p44/ckpt/gpt13b" + ("" if attempt == 1 else "_b")
                out += [
                    f"saving checkpoint at iteration {step:7d} to {name} in torch_dist format",
                    f"  successfully saved checkpoint from iteration {step:7d} to {name} [ t 1/4, p 1/1 ]",
                ]
                t += 31
            if attempt == 1 and step == 9350:
                out += [
                    "[rank22]:[W1105 ProcessGroupNCCL.cpp:1496] [PG ID 1 PG GUID 4 Rank 5] slow checkpoint store, retrying",
                    "OSError: [Errno 5] Input/output error: '/lustre/p44/data/fr_oscar_text_document.bin' (attempt 1 of 3), reopening",
                    "reopened /lustre/p44/data/fr_oscar_text_document.bin after 4.1 s, continuing",
                ]
        name = "/lustre/p44/ckpt/gpt13b" + ("" if attempt == 1 else "_b")
        out += [
            f"saving checkpoint at iteration {last:7d} to {name} in torch_dist format",
            f"  successfully saved checkpoint from iteration {last:7d} to {name} [ t 1/4, p 1/1 ]",
            f"exiting program after {950 + attempt * 5}.{rng.randrange(1, 9)} minutes",
        ]
        put(place, f"gpt13b_link{attempt}.out", out)
        t += 1200


def c06(place: Path, rng: Random) -> None:
    """A table of a home-made loop, its first forty epochs rotated away; it ends where it meant to."""
    out = ["epoch;epochs_total;samples_seen;train_nll;val_nll;val_wer_pct;lr;sec;is_best"]
    best = 9.9
    for epoch in range(41, 121):
        val = falls(rng, epoch, 3.2, 0.402, 14, 0.006)
        new, best = val < best, min(best, val)
        out.append(
            f"{epoch};120;{epoch * 28672};{falls(rng, epoch, 3.1, 0.312, 13, 0.005):.5f};{val:.5f};{falls(rng, epoch, 88, 6.1, 16, 0.01):.2f};"
            f"{6e-4 * 0.5 * (1 + math.cos(math.pi * epoch / 120)):.3e};{rng.gauss(311, 4):.1f};{int(new)}"
        )
    put(place, "asr_progress.2.csv", out)


def c07(place: Path, rng: Random) -> None:
    """A Japanese home-made loop without a clock, in two logs: saved at its budget, resumed, done."""
    best, where = 0.0, 0
    for part, (low, high) in enumerate(((0, 26000), (26000, 40000)), 1):
        out = [
            f"=== 学習ジョブ 試行 {part} ===",
            "モデル: 画像分類 ConvNeXt-B / データ: 128万枚 / 総ステップ数: 40000 / バッチ: 1024",
            "GPU 8枚を使用 (NVIDIA A100-SXM4-40GB)",
            "チェックポイントなし。最初から学習します。"
            if part == 1
            else f"チェックポイント ckpt/step_{low}.pth を読み込みました。ステップ {low + 1} から再開します。",
        ]
        for step in range(low + 200, high + 1, 200):
            loss = falls(rng, step, 6.93, 1.02, 5200, 0.012)
            out.append(
                f"[ステップ {step:>5}/40000] 損失={loss:.4f} 学習率={4e-3 * min(1, step / 2000) * (0.5 + 0.5 * math.cos(math.pi * step / 40000)):.3e} "
                f"速度={rng.gauss(3140, 35):.0f}枚/秒 勾配ノルム={rng.uniform(0.7, 1.6):.2f}"
            )
            if step % 2000 == 0:
                top = 82.6 * (1 - math.exp(-step / 9000)) + rng.gauss(0, 0.15)
                best, where = max((best, where), (top, step))
                out.append(f"  検証: top1={top:.2f}% 検証損失={falls(rng, step, 6.9, 0.87, 5200, 0.006):.4f}")
                out.append(f"  保存しました: ckpt/step_{step}.pth")
        if part == 1:
            out.append("時間予算(6時間)に達しました。状態を保存済み。予定どおり終了し、続きを投入します。")
        else:
            out += [f"学習が完了しました。最良 top1={best:.2f}% (ステップ {where})", "終了コード: 0"]
        put(place, f"学習_{part}.log", out)
