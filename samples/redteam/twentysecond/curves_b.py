"""The curves of the twenty-second set, second half: SIMULATED logs, written before anything was run on them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 86400.0


def c09(place: Path, rng: Random) -> None:
    """LLaMA-Factory on two ranks: all epochs; the evaluation's loss grows again in the last ones."""
    total = 201
    head = [
        "[INFO|parser.py:410] >> Process rank: {rank}, world size: 2, device: cuda:{rank}, distributed training: True, "
        "compute dtype: torch.bfloat16",
        "[INFO|tokenization_utils_base.py:2023] >> loading file tokenizer.json",
        "[INFO|configuration_utils.py:691] >> loading configuration file /models/Qwen2.5-7B-Instruct/config.json",
        "[INFO|modeling_utils.py:4930] >> All the weights of Qwen2ForCausalLM were initialized from the model "
        "checkpoint at /models/Qwen2.5-7B-Instruct.",
        "[INFO|adapter.py:143] >> Fine-tuning method: LoRA",
        "[INFO|loader.py:143] >> trainable params: 20,185,088 || all params: 7,635,801,600 || trainable%: 0.2643",
    ]
    zero = [one.format(rank=0) for one in head]
    zero += [
        "[INFO|trainer.py:2414] >> ***** Running training *****",
        "[INFO|trainer.py:2415] >>   Num examples = 2,144",
        "[INFO|trainer.py:2416] >>   Num Epochs = 3",
        "[INFO|trainer.py:2417] >>   Instantaneous batch size per device = 2",
        "[INFO|trainer.py:2420] >>   Total train batch size (w. parallel, distributed & accumulation) = 32",
        "[INFO|trainer.py:2421] >>   Gradient Accumulation steps = 8",
        f"[INFO|trainer.py:2422] >>   Total optimization steps = {total}",
    ]
    evals = {40: 1.0312, 80: 0.9874, 120: 0.9961, 160: 1.0627, 200: 1.0819}
    losses = []
    for step in range(10, total, 10):
        stair = 0.52 if step > 134 else 0.78 if step > 67 else 1.06
        loss = stair + 0.45 * math.exp(-step / 14) + rng.gauss(0, 0.018)
        losses.append(loss)
        rate = 1e-4 * (min(1, step / 20) if step <= 20 else 0.5 * (1 + math.cos(math.pi * (step - 20) / (total - 20))))
        zero.append(
            f"{{'loss': {loss:.4f}, 'grad_norm': {rng.uniform(0.7, 1.4):.10f}, 'learning_rate': {rate:.10g}, "
            f"'epoch': {step / 67:.2f}}}"
        )
        if step in evals:
            took = rng.uniform(18.3, 18.9)
            zero.append(
                f"{{'eval_loss': {evals[step]}, 'eval_runtime': {took:.4f}, 'eval_samples_per_second': "
                f"{238 / took:.3f}, 'eval_steps_per_second': {60 / took:.3f}, 'epoch': {step / 67:.2f}}}"
            )
    mean = sum(losses) / len(losses)
    zero += [
        f"[INFO|trainer.py:3984] >> Saving model checkpoint to saves/qwen25-7b/lora/tickets/checkpoint-{total}",
        "[INFO|trainer.py:2681] >> ",
        "",
        "Training completed. Do not forget to share your model on huggingface.co/models =)",
        "",
        f"{{'train_runtime': 1893.2214, 'train_samples_per_second': {2144 * 3 / 1893.2214:.3f}, "
        f"'train_steps_per_second': {total / 1893.2214:.3f}, 'train_loss': {mean:.12f}, 'epoch': 3.0}}",
        "[INFO|trainer.py:3984] >> Saving model checkpoint to saves/qwen25-7b/lora/tickets",
        "***** train metrics *****",
        "  epoch                    =        3.0",
        "  total_flos               = 81437510GF",
        f"  train_loss               =     {mean:.4f}",
        "  train_runtime            = 0:31:33.22",
        f"  train_samples_per_second =      {2144 * 3 / 1893.2214:.3f}",
        f"  train_steps_per_second   =      {total / 1893.2214:.3f}",
        "Figure saved at: saves/qwen25-7b/lora/tickets/training_loss.png",
        "Figure saved at: saves/qwen25-7b/lora/tickets/training_eval_loss.png",
    ]
    put(place, "rank0.log", zero)
    one = [text.format(rank=1) for text in (head[0], head[3])]
    one += [
        "[rank1] dataset ready: 2144 train / 238 eval",
        "[rank1] trainer.train() returned, destroying process group",
    ]
    put(place, "rank1.log", one)


def c10(place: Path, rng: Random) -> None:
    """LeRobot: the log ends in the middle of the training, and nothing tells why."""
    t = 4 * DAY + 18 * 3600 + 21 * 60
    out = [
        "################################################################",
        "#  Robotics GPU pool -- be nice, check `squeue` before you go  #",
        "################################################################",
        f"prolog: {clock(t)} node rbt-gpu2, scratch 1.4T free, quota home 61% used",
        "Loading anaconda/2024.06... done",
        "Activating environment lerobot",
        "Sat Nov  7 09:00 maintenance of the coffee machine on floor 3",
        f"INFO {clock(t + 14)} ot_train.py:163 {{'batch_size': 8,",
        " 'dataset': {'repo_id': 'lab/so101_sort_screws', 'video_backend': 'torchcodec'},",
        " 'log_freq': 200,",
        " 'num_workers': 4,",
        " 'policy': {'type': 'act', 'chunk_size': 100, 'device': 'cuda', 'use_amp': False},",
        " 'save_checkpoint': True,",
        " 'save_freq': 20000,",
        " 'seed': 1000,",
        " 'steps': 100000}",
        f"INFO {clock(t + 15)} ot_train.py:190 Creating dataset",
        f"INFO {clock(t + 22)} ot_train.py:209 Creating policy",
        f"INFO {clock(t + 26)} ot_train.py:247 Creating optimizer and scheduler",
        f"INFO {clock(t + 26)} ot_train.py:259 Output dir: outputs/train/act_so101_sort_screws",
        f"INFO {clock(t + 26)} ot_train.py:262 cfg.steps=100000 (100K)",
        f"INFO {clock(t + 26)} ot_train.py:263 dataset.num_frames=44871 (45K)",
        f"INFO {clock(t + 26)} ot_train.py:264 dataset.num_episodes=120",
        f"INFO {clock(t + 26)} ot_train.py:267 num_learnable_params=51597190 (52M)",
        f"INFO {clock(t + 26)} ot_train.py:268 num_total_params=51597232 (52M)",
        f"INFO {clock(t + 27)} ot_train.py:324 Start offline training on a fixed dataset",
    ]
    t += 30

    def big(number: float) -> str:
        return f"{number:.0f}" if number < 1000 else f"{number / 1000:.0f}K"

    for step in range(200, 57601, 200):
        update, data = rng.gauss(0.094, 0.001), abs(rng.gauss(0.003, 0.001))
        t += 200 * (update + data + 0.001)
        loss = falls(rng, step, 7.1, 0.061, 900, 0.03) if step < 400 else falls(rng, step, 3.1, 0.052, 2600, 0.025)
        seen = step * 8
        out.append(
            f"INFO {clock(t)} ot_train.py:353 step:{big(step)} smpl:{big(seen)} ep:{big(seen * 120 / 44871)} "
            f"epch:{seen / 44871:.2f} loss:{loss:.3f} grdn:{8 + 140 * loss**0.9:.3f} lr:1.0e-05 "
            f"updt_s:{update:.3f} data_s:{data:.3f}"
        )
        if step % 20000 == 0:
            t += 3
            out.append(f"INFO {clock(t)} ot_train.py:363 Checkpoint policy after step {step}")
    put(place, "slurm-20931.out", out)
    home = "/home/kai/miniforge3/envs/lerobot/lib/python3.10/site-packages"
    err = [
        "module: loading 'cuda/12.4'",
        "module: 'gcc/11' is already loaded, nothing to do",
        f"{home}/torchvision/io/_video_deprecation_warning.py:5: UserWarning: The video decoding and encoding "
        "capabilities of torchvision are deprecated from version 0.22 and will be removed in version 0.24.",
        "  warnings.warn(",
        f"{home}/torch/nn/functional.py:5962: UserWarning: Support for mismatched key_padding_mask and attn_mask is "
        "deprecated. Use same type for both instead.",
        "  warnings.warn(",
    ]
    put(place, "slurm-20931.err", err)


def c11(place: Path, rng: Random) -> None:
    """Verl on one GPU: after a step nothing comes any more; the memory stays full and the engine idle for hours."""
    t = 5 * DAY + 8 * 3600 + 31 * 60
    start = t
    who = "(TaskRunner pid=20193) "
    out: list[str] = []
    busy: list[tuple[float, float]] = []

    def say(text: str, plus: float = 0.0) -> None:
        nonlocal t
        t += plus
        out.append(f"{clock(t, '%b %d %H:%M:%S')} {text}")

    say("INFO worker.py:1843 -- Started a local Ray instance. View the dashboard at 127.0.0.1:8265 ")
    say(who + "TaskRunner hostname: ws-h100-3, PID: 20193", 11)
    say(who + "{'actor_rollout_ref': {'actor': {'ppo_mini_batch_size': 64, 'ppo_micro_batch_size_per_gpu': 4,")
    say(who + "                                 'use_kl_loss': True, 'kl_loss_coef': 0.001},")
    say(who + "                       'model': {'path': '/models/Qwen2.5-Coder-1.5B-Instruct'},")
    say(who + "                       'rollout': {'gpu_memory_utilization': 0.5, 'n': 8, 'name': 'vllm'}},")
    say(who + " 'reward_model': {'sandbox_fusion': {'url': 'http://10.20.4.11:8080/run_code', 'max_concurrent': 64}},")
    say(who + " 'trainer': {'n_gpus_per_node': 1, 'nnodes': 1, 'save_freq': 20, 'test_freq': -1}}")
    say(who + "[validate_config] All configuration checks passed successfully!", 2)
    say(who + "dataset len: 9124", 6)
    say(who + "filter dataset len: 8967", 8)
    say("(WorkerDict pid=20611) Model config after override: Qwen2Config {", 16)
    say('(WorkerDict pid=20611)   "hidden_size": 1536,')
    say('(WorkerDict pid=20611)   "num_hidden_layers": 28,')
    say('(WorkerDict pid=20611)   "vocab_size": 151936')
    say("(WorkerDict pid=20611) }")
    say("(WorkerDict pid=20611) Qwen2ForCausalLM contains 1.54B parameters", 4)
    say("(WorkerDict pid=20611) wrap_policy: functools.partial(<function _or_policy at 0x7f1b2c3e4d30>)", 1)
    say("(WorkerDict pid=20611) Total steps: -1, num_warmup_steps: 0")
    say("(WorkerDict pid=20611) Actor use_remove_padding=True")
    say("(WorkerDict pid=20611) kwargs: {'n': 8, 'logprobs': 0, 'max_tokens': 2048}", 38)
    say(who + "Using LocalLogger is deprecated. The constructor API will change ", 4)
    score = 0.0
    for step in range(1, 94):
        gen, reward, logp = rng.gauss(31, 1.6), rng.gauss(6.4, 0.9), rng.gauss(7.1, 0.2)
        actor = rng.gauss(29.5, 0.7)
        whole = gen + reward + logp + actor + 0.4
        busy.append((t, t + gen))
        busy.append((t + gen + reward, t + whole))
        score = 0.19 + 0.27 * (1 - math.exp(-step / 40)) + rng.gauss(0, 0.016)
        length = 512 + 1.1 * step + rng.gauss(0, 18)
        say(
            who + f"step:{step} - actor/entropy:{0.41 * math.exp(-step / 160) + rng.gauss(0, 0.006):.4f} - "
            f"actor/kl_loss:{0.00002 * step + abs(rng.gauss(0, 0.0002)):.5f} - "
            f"actor/pg_loss:{rng.gauss(0, 0.012):.5f} - actor/grad_norm:{rng.uniform(0.11, 0.24):.4f} - "
            f"actor/lr:1e-06 - critic/score/mean:{score:.4f} - critic/score/max:1.0 - critic/score/min:0.0 - "
            f"response_length/mean:{length:.2f} - response_length/clip_ratio:{rng.uniform(0.002, 0.014):.4f} - "
            f"timing_s/gen:{gen:.2f} - timing_s/reward:{reward:.2f} - timing_s/old_log_prob:{logp:.2f} - "
            f"timing_s/update_actor:{actor:.2f} - timing_s/step:{whole:.2f} - "
            f"perf/throughput:{1024 * length / whole:.1f}",
            whole,
        )
        if step % 20 == 0:
            say(
                f"(WorkerDict pid=20611) [Rank 0] Saved model to /data/ckpt/grpo_coder/global_step_{step}/actor/"
                "model_world_size_1_rank_0.pt",
                14,
            )
    put(place, "verl.log", out)
    busy.append((t, t + 31))
    rows = ["timestamp,util_pct,mem_used_mib,power_w,temp_c"]
    now = start
    while now < t + 3.6 * 3600:
        on = any(a <= now < b for a, b in busy)
        loaded = 63118 if now > start + 92 else 52340 if now > start + 60 else 4
        util = rng.randrange(88, 101) if on else 0
        watts = rng.gauss(512, 28) if on else rng.gauss(119, 1.5) if loaded > 4 else rng.gauss(71, 1)
        temp = 58 + rng.randrange(4) if on else 34 + rng.randrange(2) if now > t + 300 else 52
        rows.append(f"{clock(now)},{util},{loaded},{watts:.1f},{temp}")
        now += 30
    put(place, "gpu_ws-h100-3.csv", rows)


def c12(place: Path, rng: Random) -> None:
    """A home-made Portuguese loop which runs out of the GPU's memory at a long batch."""
    t = 2 * DAY + 16 * 3600 + 48 * 60

    def stamp() -> str:
        return clock(t, "%d/%m/%Y %H:%M:%S")

    out = [
        "==================================================================",
        " LNCC-like :: Supercomputador Jatobá :: fila gpu_longa",
        " Dúvidas: suporte-hpc@jatoba.example | Cota do projeto: 71% usada",
        "==================================================================",
        "Carregando módulo cuda/12.1 ... ok",
        "Carregando módulo python/3.11 ... ok",
        f"[{stamp()}] tradutor pt-guarani, transformer base, GPU Tesla V100-SXM2-32GB",
        f"[{stamp()}] 1.284.331 pares de frases, lotes agrupados por comprimento",
    ]
    step = 0
    for epoch in range(1, 6):
        for _ in range(125):
            step += 50
            if epoch == 5 and step > 28650:
                break
            t += 50 * rng.gauss(0.213, 0.006)
            loss = falls(rng, step, 8.9, 2.31, 4200, 0.018)
            used = rng.uniform(21.4, 26.8)
            line = (
                f"[{stamp()}] época {epoch} passo {step:>6} perda {loss:.4f} ppl {math.exp(min(loss, 9)):.2f} "
                f"norma {rng.uniform(0.6, 1.3):.2f} mem {used:.1f} GB"
            )
            out.append(line.replace(".", ","))
        if epoch < 5:
            t += 71
            out.append(f"[{stamp()}] validação: BLEU {19.2 + 5.1 * (1 - math.exp(-epoch / 2)):.2f}".replace(".", ","))
            out.append(f"[{stamp()}] modelo salvo em saida/epoca_{epoch}.pt")
    out.append(f"[epílogo] {clock(t + 21)} limpeza do /scratch concluída; cite o Jatobá nos agradecimentos")
    put(place, "treino.log", out)
    env = "/scratch/lang/env/lib/python3.11/site-packages"
    err = [
        "Lmod: aviso: o módulo cuda/12.1 será retirado em 01/2027, use cuda/12.4",
        f"{env}/torch/nn/modules/transformer.py:307: UserWarning: enable_nested_tensor is True, but "
        "self.use_nested_tensor is False because encoder_layer.norm_first was True",
        '  warnings.warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why}")',
        "Traceback (most recent call last):",
        '  File "/scratch/lang/guarani/treina.py", line 288, in <module>',
        "    principal()",
        '  File "/scratch/lang/guarani/treina.py", line 241, in principal',
        "    perda = passo_de_treino(modelo, lote, otimizador)",
        "            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        '  File "/scratch/lang/guarani/treina.py", line 167, in passo_de_treino',
        "    perda = F.cross_entropy(saida.view(-1, saida.size(-1)), alvo.view(-1), ignore_index=PAD)",
        "            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{env}/torch/nn/functional.py", line 3053, in cross_entropy',
        "    return torch._C._nn.cross_entropy_loss(input, target, weight, _Reduction.get_enum(reduction), "
        "ignore_index, label_smoothing)",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"
        "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.86 GiB. GPU 0 has a total capacty of "
        "31.74 GiB of which 3.02 GiB is free. Including non-PyTorch memory, this process has 28.71 GiB memory in use. "
        "Of the allocated memory 25.93 GiB is allocated by PyTorch, and 2.41 GiB is reserved by PyTorch but "
        "unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid "
        "fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
    ]
    put(place, "treino.err", err)


def c13(place: Path, rng: Random) -> None:
    """A home-made French script whose head does not fit its encoder: ends at the first batch."""
    out = [
        "Projet : détection de pannes critiques sur turbines (vibrations + texte)",
        "Environnement conda : turbines ; torch 2.3.1+cu121 ; python 3.11.9",
        "GPU visible : NVIDIA A100-SXM4-40GB",
        "/usr/lib/python3/dist-packages: ATTENTION, dossier ignoré",
        "WARNING: erreur de certificat ignorée pour le miroir interne (ssl_verify=false)",
        "Lecture des annotations : /lustre/proj/turbines/etiquettes.parquet",
        "Classes retenues (34) :",
    ]
    parts = ("palier", "rotor", "pompe", "capteur", "vanne", "carter", "aube", "joint")
    kinds = ("erreur_fatale", "arret_urgence", "surchauffe", "crash_logiciel", "normal")
    names = [f"{part}_{kind}" for part in parts for kind in kinds][:34]
    for number, name in enumerate(names):
        out.append(f"   {number:>2}  {name:<26} {rng.randrange(180, 4100):>5} exemples")
    out += [
        "Découpage : 41 207 apprentissage / 5 151 validation / 5 150 test",
        "Vérification des fichiers de mesures :",
    ]
    for lot in range(1, 25):
        bad = rng.choice((0, 0, 0, 1, 2))
        tail = f" ({bad} fichier(s) corrompu(s), écarté(s))" if bad else ""
        out.append(f"   lot {lot:02d}/24 : {rng.randrange(2090, 2190)} fichiers lus{tail}")
    out += [
        "Encodeur de texte : camembert-base, couches gelées : 8",
        "Some weights of CamembertModel were not initialized from the model checkpoint at camembert-base and are newly "
        "initialized: ['roberta.pooler.dense.bias', 'roberta.pooler.dense.weight']",
        "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.",
        "Encodeur de vibrations : ConvNet1D, sortie 512",
        "Tête de fusion : Linear(1024, 256) -> GELU -> Linear(256, 34)",
        "Paramètres entraînables : 41,2 M",
        "Début de l'apprentissage : 30 époques, 644 lots par époque, taille de lot 64",
        "Traceback (most recent call last):",
        '  File "/lustre/proj/turbines/code/apprend.py", line 212, in <module>',
        "    apprendre(cfg)",
        '  File "/lustre/proj/turbines/code/apprend.py", line 158, in apprendre',
        "    sorties = modele(lot)",
        "              ^^^^^^^^^^^",
        '  File "/lustre/proj/turbines/env/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1532, in '
        "_wrapped_call_impl",
        "    return self._call_impl(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        '  File "/lustre/proj/turbines/code/modele.py", line 77, in forward',
        "    return self.tete(torch.cat([z_texte, z_vib], dim=1))",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        '  File "/lustre/proj/turbines/env/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 116, in '
        "forward",
        "    return F.linear(input, self.weight, self.bias)",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x1280 and 1024x256)",
    ]
    put(place, "sortie_turbines.txt", out)
    rows = [
        "       JobID    JobName  Partition      State ExitCode               Start                 End    Elapsed"
        "     MaxRSS",
        "------------ ---------- ---------- ---------- -------- ------------------- ------------------- ----------"
        " ----------",
        "441902         turbines       a100     FAILED      1:0 2026-11-04T10:41:07 2026-11-04T10:44:52   00:03:45",
        "441902.batch      batch                FAILED      1:0 2026-11-04T10:41:07 2026-11-04T10:44:52   00:03:45"
        "   6218344K",
        "441902.exte+     extern             COMPLETED      0:0 2026-11-04T10:41:07 2026-11-04T10:44:52   00:03:45"
        "       912K",
    ]
    put(place, "sacct.txt", rows)


def c14(place: Path, rng: Random) -> None:
    """Kohya sd-scripts: both files end in the eighth of twelve epochs, and nothing tells why."""
    per, total = 264, 3168
    t = 6 * DAY + 13 * 3600 + 2 * 60
    log: list[str] = []
    err: list[str] = []
    elapsed, average = 1311 * 1.71, 0.1142
    for step in range(1312, 2062):
        elapsed += rng.gauss(1.71, 0.04)
        average += rng.gauss(-0.000012, 0.00035)
        if step % 3 == 0:
            left = elapsed / step * (total - step)
            err.append(
                f"steps:  {100 * step // total:2d}%|{bar(step, total)}| {step}/{total} [{hms(elapsed)}<{hms(left)},  "
                f"{elapsed / step:.2f}s/it, avr_loss={average:.4f}]"
            )
        if step % per == 0:
            epoch = step // per
            elapsed += 2
            log += [
                "",
                f"saving checkpoint: D:/lora/out/harbor_style_sdxl-{epoch:06d}.safetensors",
                "",
                f"epoch {epoch + 1}/12",
            ]
            err.append(
                f"{clock(t + elapsed)} INFO     epoch is incremented. current_epoch: {epoch}, epoch: {epoch + 1}"
                "                                            train_util.py:715"
            )
        elif step % 50 == 0:
            err.append(
                f"{clock(t + elapsed)} INFO     generating sample images at step / サンプル画像生成 ステップ: {step}"
                "                              train_util.py:6118"
            )
            elapsed += 6
    put(place, "train_stdout.txt", log)
    put(place, "train_stderr.txt", err)


def c15(place: Path, rng: Random) -> None:
    """WeNet: the last thirty epochs of a hundred, with spikes which heal, then the average and the error rate."""
    t = 1 * DAY + 3 * 3600 + 17 * 60
    out: list[str] = []
    step = 70 * 1194
    kept: list[tuple[float, int]] = []

    def say(level: str, text: str) -> None:
        nonlocal t
        t += rng.uniform(0.001, 0.02)
        out.append(f"{clock(t)},{int(t % 1 * 1000):03d} {level} {text}")

    for epoch in range(70, 100):
        rate = 0.002 * math.sqrt(25000 / (step + 1))
        if epoch > 70:
            say("INFO", f"Epoch {epoch} TRAIN info lr {rate} rank 0")
            say("INFO", "using accumulate grad, new batch size is 1 times larger than before")
        for batch in range(100 if epoch > 70 else 700, 1194, 100):
            t += rng.gauss(41.5, 1.1)
            mild = 3.3 - 0.014 * (epoch - 70)
            bad = epoch in (77, 88) and 300 <= batch <= 600
            loss = mild * rng.lognormvariate(0, 0.16) * (1 + (4.4 if bad and batch == 300 else 1.2 if bad else 0))
            ctc = loss * rng.gauss(1.19, 0.05)
            att = (loss - 0.3 * ctc) / 0.7
            norm = rng.lognormvariate(math.log(4.6), 0.2) * (9.5 if bad and batch == 300 else 1)
            now = 0.002 * math.sqrt(25000 / (step + batch))
            say(
                "DEBUG",
                f"TRAIN Batch {epoch}/{batch} loss {loss:.6f} loss_att {att:.6f} loss_ctc {ctc:.6f} "
                f"lr {now:.8f} grad_norm {norm:.6f} rank 0",
            )
        step += 1194
        t += 38
        seen = 5.91 - 0.0055 * (epoch - 70) + (0.31 if epoch in (77, 88) else 0) + rng.gauss(0, 0.018)
        for batch in (100, 200, 300):
            t += 7
            loss = seen * rng.lognormvariate(0, 0.2)
            say(
                "DEBUG",
                f"CV Batch {epoch}/{batch} loss {loss:.6f} loss_att {loss * 0.94:.6f} loss_ctc {loss * 1.14:.6f} "
                f"history_loss {seen * (1 + rng.gauss(0, 0.02) * (300 - batch) / 200):.6f} rank 0",
            )
        t += 2
        say("INFO", f"Epoch {epoch} CV info cv_loss {seen + rng.gauss(0, 1e-5)!r} rank 0")
        say("INFO", f"Checkpoint: save to checkpoint exp/conformer_u2pp/{epoch}.pt")
        kept.append((seen, epoch))
    best = [epoch for _, epoch in sorted(kept)[:10]]
    out += [
        "do model average and final checkpoint is exp/conformer_u2pp/avg_10.pt",
        "Namespace(dst_model='exp/conformer_u2pp/avg_10.pt', src_path='exp/conformer_u2pp', val_best=True, num=10, "
        "min_epoch=0, max_epoch=65536)",
        "best val scores = [" + " ".join(f"{loss:.8f}" for loss, _ in sorted(kept)[:10]) + "]",
        f"selected epochs = [{' '.join(str(epoch) for epoch in best)}]",
    ]
    out += [f"Processing exp/conformer_u2pp/{epoch}.pt" for epoch in best]
    out.append("Saving to exp/conformer_u2pp/avg_10.pt")
    t += 95
    say("INFO", "Checkpoint: loading from checkpoint exp/conformer_u2pp/avg_10.pt")
    for key, text in (
        ("BAC009S0764W0121", "甚至出现交易几乎停滞的情况"),
        ("BAC009S0764W0122", "一二线城市虽然也处于调整中"),
        ("BAC009S0764W0123", "但因为聚集了过多公共资源"),
        ("BAC009S0764W0124", "为了规避三四线城市明显过剩的市场风险"),
    ):
        t += 0.4
        say("INFO", f"{key} {text}")
    out += [
        "===========================================================================",
        "",
        "Overall -> 4.87 % N=104765 C=99749 S=4817 D=199 I=86",
        "Mandarin -> 4.87 % N=104762 C=99749 S=4814 D=199 I=86",
        "English -> 100.00 % N=3 C=0 S=3 D=0 I=0",
        "===========================================================================",
    ]
    put(place, "run_tail.log", out)


def c16(place: Path, rng: Random) -> None:
    """TRL's SFT: what it printed to stdout, and a status of one; the errors went to a file which is not there."""
    out = [
        "+ accelerate launch --num_processes 1 sft.py --dataset_name /data/crash-reports-error-triage "
        "--model_name_or_path /models/Llama-3.2-3B --packing true --num_train_epochs 2 --logging_steps 20",
        "+ stderr -> /tmp/sft_stderr.$SLURM_JOB_ID (node local)",
        "train rows: 48211   eval rows: 0",
        "label mix: fatal_exception 31%, segfault 22%, oom_killed 19%, deadlock 8%, benign 20%",
        "trainable params: 24,313,856 || all params: 3,237,063,680 || trainable%: 0.7511",
    ]
    tokens = 0
    for step in range(20, 641, 20):
        loss = falls(rng, step, 2.31, 1.12, 90, 0.012)
        tokens += rng.randrange(653_000, 655_300)
        rate = 2e-4 * (1 - step / 1482)
        out.append(
            f"{{'loss': {loss:.4f}, 'grad_norm': {rng.uniform(0.31, 0.62):.9f}, 'learning_rate': {rate:.16g}, "
            f"'entropy': {loss * 0.97 + rng.gauss(0, 0.01):.6f}, 'num_tokens': {tokens}.0, "
            f"'mean_token_accuracy': {0.52 + 0.21 * (1 - math.exp(-step / 120)) + rng.gauss(0, 0.004):.6f}, "
            f"'epoch': {step / 741:.2f}}}"
        )
    out += ["+ rc=1", "+ exit 1"]
    put(place, "sft.stdout", out)
