"""Curves c01 to c06 of the thirty-fifth set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import json
from math import exp
from typing import TYPE_CHECKING

from samples.redteam.thirtyfifth.ticking import Ticking, falling, rate

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def human(number: float) -> str:
    """Write a number as nanotron does: three digits and a letter.

    Returns:
        The text.
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


def c01_smol_bayou(place: Path, rng: Random) -> None:
    """Nanotron on a preemptable queue: an upload fails and succeeds again, later the job is taken away."""
    clock, every, total = Ticking(rng, "2025-11-14T21:02:11"), 25, 12000
    host, out, rows = "bayou-h14", [], []

    def say(text: str, rank: str = "DP=0|PP=0|TP=0") -> None:
        out.append(f"{clock.say('%m/%d/%Y %H:%M:%S')} [INFO|{rank}|{host}]: {text}")

    out += [
        "SLURM_JOB_ID=662417 partition=scavenge qos=scavenge nodes=bayou-h[14-15] restarts=0",
        "+ srun --wait=60 --kill-on-bad-exit=1 bash -c 'torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d"
        " --rdzv_endpoint bayou-h14:29400 run_train.py --config-file configs/smol-bayou-1b7.yaml'",
        "W1114 21:02:14.218000 90117 site-packages/torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment "
        "variable for each process to be 1 in default, to avoid your system being overloaded.",
    ]
    clock.on(24)
    say("Config:")
    say("Config(general=GeneralArgs(project='smol-bayou',")
    for line in (
        "                           run='smol-bayou-1b7_20251114_210226_662417',",
        "                           seed=6, step=None, consumed_train_samples=None,",
        "                           ignore_sanity_checks=True),",
        "       parallelism=ParallelismArgs(dp=8, pp=1, tp=2, tp_mode=<TensorParallelLinearMode.REDUCE_SCATTER: 2>),",
        f"       tokens=TokensArgs(sequence_length=4096, train_steps={total}, micro_batch_size=4,",
        "                         batch_accumulation_per_replica=8, val_check_interval=-1),",
        "       checkpoints=CheckpointsArgs(checkpoints_path=PosixPath('/fsx/bayou/ckpt/1b7'), "
        "checkpoint_interval=500,",
        "                                   resume_checkpoint_path=PosixPath('/fsx/bayou/ckpt/1b7')))",
    ):
        say(line)
    clock.on(9)
    say("No previous checkpoint found in: /fsx/bayou/ckpt/1b7/latest.txt")
    say("Building model..")
    clock.on(6)
    say("Total number of parameters: 1.71G (3264.21MiB)")
    say("Local number of parameters: 856M (1632.1MiB)", "DP=0|PP=0|TP=1")
    say("[After model building] Memory usage: 1634.88MiB. Peak allocated: 1636.13MiB Peak reserved: 1660.00MiB")
    say("No checkpoint path provided.")
    say("Parametrizing model parameters using StandardParametrizator")
    say("[Optimizer Building] Using LearningRateForSP as learning rate")
    say("[Training Plan] There are 1 training stages ")
    say("[Stage stable] start from step 1 ")
    clock.on(31)
    say(
        f"[Start training] datetime: {clock.say('%Y-%m-%d %H:%M:%S.%f')} | mbs: 4 | grad_accum: 8 | "
        f"global_batch_size: 256 | sequence_length: 4096 | train_steps: {total} | start_iteration_step: 0 | "
        "consumed_train_samples: 0",
    )
    step = 0
    while step < 4185:
        step += every
        took = clock.on(every * 2.81, 0.012) / every
        if step == every:
            clock.on(25)
        loss = falling(rng, step, 10.9, 2.38, 420, 0.009)
        lr = rate(step, 5e-4, 1000, total)
        norm = rng.gauss(0.42, 0.05) + 6 * exp(-step / 160)
        tokens = step * 256 * 4096
        say(
            f"iteration: {step} / {total} | consumed_tokens: {human(tokens)} | elapsed_time_per_iteration_ms: "
            f"{human(took * 1000)} | tokens_per_sec: {human(256 * 4096 / took)} | tokens_per_sec_per_gpu: "
            f"{human(256 * 4096 / took / 16)} | global_batch_size: 256 | lm_loss: {loss:.3g} | lr: {lr:.3g} | "
            f"model_tflops_per_gpu: {261 * 2.81 / took:.3g} | hardware_tflops_per_gpu: {261 * 2.81 / took:.3g} | "
            f"grad_norm: {norm:.3g}"
            + (" | cuda_memory_allocated: 14.2G | cuda_max_memory_reserved: 61.8G" if step % 100 == 0 else ""),
        )
        rows.append(
            {
                "iteration_step": step,
                "_timestamp": round(clock.now.timestamp(), 3),
                "consumed_tokens": tokens,
                "elapsed_time_per_iteration_ms": took * 1000,
                "tokens_per_sec": 256 * 4096 / took,
                "global_batch_size": 256,
                "lm_loss": loss,
                "lr": lr,
                "grad_norm": norm,
            }
        )
        if step % 500 == 0:
            say(f"Saving checkpoint at /fsx/bayou/ckpt/1b7/{step}")
            clock.on(14)
            if step == 2000:
                out += [
                    f"{clock.say('%m/%d/%Y %H:%M:%S')} [WARNING|DP=0|PP=0|TP=0|{host}]: [S3Mover] upload of "
                    "/fsx/bayou/ckpt/1b7/2000 to s3://bayou-ckpt/1b7/2000 failed (exit code 1)",
                    'ERROR "cp /fsx/bayou/ckpt/1b7/2000/optimizer/optimizer_pp-0-of-1_dp-3-of-8_tp-1-of-2.pt '
                    's3://bayou-ckpt/1b7/2000/optimizer/": RequestError: send request failed caused by: Put '
                    '"https://bayou-ckpt.s3.us-gov-west-1.amazonaws.com/": net/http: TLS handshake timeout',
                ]
                clock.on(30)
                say("[S3Mover] retrying upload (1/5)")
                clock.on(22)
            say(f"[S3Mover] {step}: 35 files uploaded, 24.1G in {rng.uniform(17, 26):.1f}s")
    clock.on(31)
    stamp = clock.say("%Y-%m-%dT%H:%M:%S")
    out += [
        f"slurmstepd: error: *** JOB 662417 ON bayou-h14 CANCELLED AT {stamp} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** STEP 662417.0 ON bayou-h14 CANCELLED AT {stamp} DUE TO PREEMPTION ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    clock.on(0.4)
    out += [
        f"W1115 {clock.say('%H:%M:%S.%f')} 90117 site-packages/torch/distributed/elastic/agent/server/api.py:719] "
        "Received Signals.SIGTERM death signal, shutting down workers",
        f"W1115 {clock.say('%H:%M:%S.%f')} 90117 site-packages/torch/distributed/elastic/multiprocessing/api.py:897] "
        "Sending process 90188 closing signal SIGTERM",
    ]
    (place / "smol-bayou_662417.out").write_text("\n".join(out) + "\n")
    (place / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def c02_ct_volume(place: Path, rng: Random) -> None:
    """A Korean lab's own loop over CT volumes in a pod: minutes a report, and all epochs done."""
    clock, out, epochs, per = Ticking(rng, "2025-09-02T23:41:07"), [], 40, 180

    def say(text: str) -> None:
        clock.on(0.01)
        out.append(f"{clock.iso()} {text}")

    say("[시작] 간 종양 분할 학습 v0.8.3 (작성: 영상의학AI팀 박지훈)")
    say("[환경] GPU 1장: NVIDIA A100 80GB PCIe / torch 2.4.1+cu121 / cudnn 90100")
    say(
        "/opt/conda/lib/python3.11/site-packages/monai/utils/deprecate_utils.py:221: FutureWarning: "
        "monai.transforms.croppad.dictionary CropForegroundd.__init__:allow_smaller: Current default value of argument "
        "`allow_smaller=True` has been deprecated since version 1.2."
    )
    say("  warn_argname(argname, msg, warning_category)")
    say("[데이터] 학습 360건, 검증 42건 (512x512x~640, 0.7mm) | 캐시 사용 안 함")
    say(f"[계획] 에폭 {epochs}회, 에폭당 {per}스텝, 패치 192^3, 배치 2, 혼합정밀도 bf16")
    say("[모델] SwinUNETR-V2 파라미터 72.8M")
    clock.on(95)
    best = 0.0
    for epoch in range(1, epochs + 1):
        begun = clock.now
        for part in range(1, 5):
            at = (epoch - 1) * per + part * 45
            took = clock.on(45 * 16.4, 0.03) / 45
            loss = falling(rng, at, 1.62, 0.31, 800, 0.035)
            lr = 4e-4 * (1 - (at - 1) / (epochs * per)) ** 0.9
            say(
                f"에폭 {epoch:>2}/{epochs} 스텝 {part * 45:>3}/{per} | 손실 {loss:.4f} (dice {loss * 0.64:.4f} + "
                f"ce {loss * 0.36:.4f}) | 학습률 {lr:.2e} | 스텝당 {took:.1f}초 | GPU메모리 71.3GB"
            )
        if epoch % 2 == 0:
            clock.on(42 * 31)
            liver = 0.966 - 0.5 * exp(-epoch / 4) + rng.gauss(0, 0.003)
            tumor = 0.712 - 0.68 * exp(-epoch / 9) + rng.gauss(0, 0.012)
            say(f"[검증] 에폭 {epoch} 평균 Dice 간 {liver:.4f} 종양 {tumor:.4f} (42건)")
            if tumor > best:
                best = tumor
                say(f"[저장] 최고 성능 갱신 → /results/swin_v2/best.pt (종양 Dice {best:.4f})")
        say(f"에폭 {epoch} 종료, 소요 {(clock.now - begun).total_seconds() / 60:.1f}분")
    clock.on(4)
    say("[저장] /results/swin_v2/final.pt")
    say(f"[종료] 학습이 정상적으로 끝났습니다. 최고 종양 Dice {best:.4f}, 총 {epochs * per}스텝")
    (place / "liver-seg-7d9c-x2v4l.log").write_text("\n".join(out) + "\n")


def c03_fala_nordeste(place: Path, rng: Random) -> None:
    """A Brazilian group's own loop for speech recognition: spikes that heal, and a good end."""
    clock, out, total, every = Ticking(rng, "2025-08-19T08:15:40"), [], 24000, 150
    spikes = {5250: 3.1, 5400: 1.9, 5550: 1.25, 11700: 2.4, 11850: 1.4, 17100: 1.8, 17250: 1.2}

    def say(text: str) -> None:
        out.append(f"{clock.say('%d/%m/%Y %H:%M:%S')} - {text}")

    say("INFO - treino_asr.py iniciado por mlima na máquina caju02 (2x RTX A6000)")
    say("INFO - corpus: nordeste-fala v3 (1.214 h), 611.940 trechos; validação: 4.020 trechos")
    say("INFO - modelo: wav2vec2-xlsr-300m + CTC, 315,5 M parâmetros, vocabulário 42")
    say(f"INFO - passos previstos: {total} | lote efetivo: 64 | lr máx.: 1e-4 | aquecimento: 2000 | precisão: fp16")
    clock.on(70)
    wer = 1.0
    for step in range(every, total + 1, every):
        took = clock.on(every * 0.94)
        loss = falling(rng, step, 6.4 if step < 900 else 4.2, 0.27, 2100, 0.04) * spikes.get(step, 1)
        norm = rng.lognormvariate(0.5, 0.3) * spikes.get(step, 1) ** 2
        lr = rate(step, 1e-4, 2000, total, 0.0)
        say(
            f"INFO - passo {step}/{total} perda={loss:.4f} norma_grad={norm:.2f} lr={lr:.3e} "
            f"amostras/s={64 * every / took:.1f} escala={65536 if step < 5250 else 32768:.0f}"
        )
        if step == 5250:
            say("AVISO - gradiente estourou em fp16, passo ignorado; escala 65536 -> 32768")
        if step % 3000 == 0:
            clock.on(148)
            wer = 0.171 + 0.83 * exp(-step / 3900) + rng.gauss(0, 0.004)
            say(
                f"INFO - validação: perda={falling(rng, step, 4.2, 0.33, 2100, 0.01):.4f} WER={wer * 100:.2f}% "
                f"CER={wer * 29:.2f}%"
            )
            clock.on(5)
            say(f"INFO - ponto de controle salvo em exps/xlsr_ne/passo_{step:05d}.pt")
    clock.on(3)
    say(
        f"INFO - treino concluído: {total} passos, melhor WER {wer * 100:.2f}% | modelo exportado p/ exps/xlsr_ne/final"
    )
    say("INFO - encerrando, código de saída 0")
    (place / "treino_asr_20250819.log").write_text("\n".join(out) + "\n")


def _rollouts(clock: Ticking, rng: Random, pids: tuple[int, int], numbers: range, save: str) -> list[str]:
    """Write slime's lines for some rollouts.

    Returns:
        The lines.
    """
    actor, manager, out = f"(MegatronTrainRayActor pid={pids[0]})", f"(RolloutManager pid={pids[1]})", []

    def say(who: str, text: str) -> None:
        out.append(f"{who} [{clock.say()}] {text}")

    for number in numbers:
        reward = 0.71 - 0.62 * exp(-number / 17) + rng.gauss(0, 0.018)
        length = 2750 + 48 * number + rng.gauss(0, 90)
        rolled = clock.on(176 + number * 1.6, 0.06)
        say(
            manager,
            f"rollout.py:412 - perf {number}: {{'rollout/response_len/mean': {length:.4f}, "
            f"'rollout/truncated_ratio': {max(0, 0.21 - number * 0.003 + rng.gauss(0, 0.01)):.5f}, "
            f"'rollout/repetition_frac': 0.0, 'perf/rollout_time': {rolled:.6f}, "
            f"'perf/tokens_per_gpu_per_sec': {length * 512 / rolled / 8:.4f}}}",
        )
        clock.on(6)
        say(actor, f"timer.py:32 - Timer train_wait end (elapsed: {rolled + 6:.1f}s)")
        logp = -0.24 - 0.1 * exp(-number / 20) + rng.gauss(0, 0.006)
        took = clock.on(19)
        say(actor, f"timer.py:32 - Timer log_probs end (elapsed: {took:.1f}s)")
        say(
            actor,
            f"data.py:119 - rollout {number}: {{'rollout/raw_reward': {reward:.6f}, 'rollout/total_lengths': "
            f"{length + 211:.4f}, 'rollout/response_lengths': {length:.4f}, 'rollout/rewards': "
            f"{rng.gauss(0, 2e-8):.6e}, 'rollout/log_probs': {logp:.8f}, 'rollout/ref_log_probs': "
            f"{logp - 0.0004 * number:.8f}, 'rollout/advantages': {rng.gauss(0, 2e-8):.6e}}}",
        )
        took = clock.on(84)
        say(
            actor,
            f"model.py:488 - step {number}: {{'train/loss': {rng.gauss(0, 0.004):.8f}, 'train/pg_loss': "
            f"{rng.gauss(0, 0.004):.8f}, 'train/entropy_loss': {0.36 - 0.0011 * number + rng.gauss(0, 0.006):.6f}, "
            f"'train/pg_clipfrac': {abs(rng.gauss(0.0008, 0.0003)):.7f}, 'train/ppo_kl': {rng.gauss(0, 2e-4):.3e}, "
            f"'train/kl_loss': {0.00021 * number + abs(rng.gauss(0, 8e-5)):.7f}, 'train/grad_norm': "
            f"{rng.gauss(0.21, 0.03):.6f}, 'train/lr-pg_0': 1e-06, 'train/step': {number}}}",
        )
        say(actor, f"timer.py:32 - Timer actor_train end (elapsed: {took:.1f}s)")
        if number % 10 == 9:
            out.append(f"{actor} saving checkpoint at iteration {number:>7} to {save} in torch_dist format")
            clock.on(38)
            out.append(f"{actor}   successfully saved checkpoint from iteration {number:>7} to {save} [ t 1/2, p 1/1 ]")
        say(actor, f"timer.py:32 - Timer update_weights end (elapsed: {clock.on(4.2):.1f}s)")
    return out


def c04_rollout_zero(place: Path, rng: Random) -> None:
    """Slime goes again after a maintenance: the path of the checkpoint has moved, rollouts begin at zero."""
    clock = Ticking(rng, "2025-10-21T02:07:33")
    out = _rollouts(clock, rng, (41877, 41602), range(22, 34), "/nfs/rl/Qwen3-8B_slime_geo")
    clock.on(41)
    out += [
        f"[{clock.say()}] drain-hook: planned reboot of rack C, stopping ray job raysubmit_Tz4VnWg1bEJq9uPX",
        "Job 'raysubmit_Tz4VnWg1bEJq9uPX' was stopped",
    ]
    clock.on(3410)
    out += [
        f"[{clock.say()}] drain-hook: rack C is back, submitting run-qwen3-8B-geo.sh again",
        f"{clock.say('%Y-%m-%d %H:%M:%S,%3')}\tINFO cli.py:39 -- Job submission server address: http://127.0.0.1:8265",
        f"{clock.say('%Y-%m-%d %H:%M:%S,%3')}\tSUCC cli.py:66 -- Job 'raysubmit_aM81dRkcYfX2sLQ6' "
        "submitted successfully",
        "Next steps",
        "  Query the logs of the job:",
        "    ray job logs raysubmit_aM81dRkcYfX2sLQ6",
    ]
    clock.on(88)
    actor = "(MegatronTrainRayActor pid=6120)"
    out += [
        f"{actor} ------------------------ arguments ------------------------",
        f"{actor}   finetune ........................................ True",
        f"{actor}   hf_checkpoint ................................... /nfs/models/Qwen3-8B",
        f"{actor}   load ............................................ /nfs/models/Qwen3-8B_torch_dist",
        f"{actor}   no_load_optim ................................... True",
        f"{actor}   num_rollout ..................................... 40",
        f"{actor}   ref_load ........................................ /nfs/models/Qwen3-8B_torch_dist",
        f"{actor}   rollout_batch_size .............................. 64",
        f"{actor}   save ............................................ /local/scratch/rl/Qwen3-8B_slime_geo",
        f"{actor}   save_interval ................................... 10",
        f"{actor}   start_rollout_id ................................ 0",
        f"{actor} -------------------- end of arguments ---------------------",
    ]
    clock.on(35)
    out += [
        f"{actor}  loading release distributed checkpoint from /nfs/models/Qwen3-8B_torch_dist",
        f"{actor}   successfully loaded checkpoint from /nfs/models/Qwen3-8B_torch_dist [ t 1/2, p 1/1 ] "
        "at iteration 0",
    ]
    clock.on(52)
    out += [
        f"(SGLangEngine pid=6733) [{clock.say()}] The server is fired up and ready to roll! [repeated 4x across "
        "cluster] (Ray deduplicates logs by default.)"
    ]
    out += _rollouts(clock, rng, (6120, 5904), range(40), "/local/scratch/rl/Qwen3-8B_slime_geo")
    clock.on(12)
    out += [
        "",
        "------------------------------------------",
        "Job 'raysubmit_aM81dRkcYfX2sLQ6' succeeded",
        "------------------------------------------",
        "",
    ]
    (place / "slime_geo.log").write_text("\n".join(out))


def c05_ner_klinik(place: Path, rng: Random) -> None:
    """A spaCy pipeline with a transformer over German clinical notes: the loss leaves, the score drops to zero."""
    out, err, score, burst = [], [], 0.0, 0.0
    turn = 18400
    for step in range(3700, 40001, 50):
        epoch = step // 620
        good = 0.872 - 0.3 * exp(-(step - 1800) / 3800)
        if step < turn:
            wide = rng.lognormvariate(0, 0.12)
            trans = 410 * exp(-step / 9000) * wide * rng.lognormvariate(0, 0.1) + 14
            ner = 620 * exp(-step / 8000) * wide * rng.lognormvariate(0, 0.08) + 38
            score = good + rng.gauss(0, 0.004)
        else:
            burst = min(19.0, burst + rng.uniform(0.4, 1.3))
            trans = 95 * exp(burst * 0.62) * rng.lognormvariate(0, 0.4)
            ner = 140 * exp(burst * 0.5) * rng.lognormvariate(0, 0.35)
            score = max(0.0, score * rng.uniform(0.25, 0.8) - 0.02) if burst < 7 else 0.0
        shown_p = min(1.0, score * rng.gauss(1.006, 0.004)) * 100
        shown_r = (score / (2 * shown_p / 100 - score) * shown_p) if score and 2 * shown_p / 100 > score else 0.0
        out.append(
            f"{epoch:>3} {step:>7} {trans:>13.2f} {ner:>9.2f} {score * 100:>7.2f} {shown_p if score else 0:>7.2f} "
            f"{shown_r:>7.2f} {score:>6.2f}",
        )
    err += [
        "/home/aroth/venvs/klinik/lib/python3.10/site-packages/thinc/shims/pytorch.py:114: FutureWarning: "
        "`torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', args...)` instead.",
        "  with torch.cuda.amp.autocast(self._mixed_precision):",
        "Token indices sequence length is longer than the specified maximum sequence length for this model "
        "(743 > 512). "
        "Running this sequence through the model will result in indexing errors",
        "/home/aroth/venvs/klinik/lib/python3.10/site-packages/spacy/training/iob_utils.py:149: UserWarning: [W030] "
        'Some entities could not be aligned in the text "Pat. stellt sich mit zunehmender Dyspnoe NYHA III '
        'vor. Z.n..." '
        "with entities \"[(22, 41, 'SYMPTOM'), (42, 50, 'GRAD')]\". Use `spacy.training.offsets_to_biluo_tags(nlp."
        "make_doc(text), entities)` to check the alignment. Misaligned entities ('-') will be ignored during training.",
        "  warnings.warn(",
    ]
    out += ["✔ Saved pipeline to output directory", "ausgabe/klinik_trf/model-last"]
    (place / "spacy_train.log").write_text("\n".join(out) + "\n")
    (place / "spacy_train.err").write_text("\n".join(err) + "\n")


def c06_two_legs(place: Path, rng: Random) -> None:
    """EasyDeL in two attempts: a stale handle while saving, then on from the checkpoint to the planned end."""
    clock, out, rows, total = Ticking(rng, "2025-07-08T13:20:02"), [], [], 3000

    def say(name: str, text: str) -> None:
        out.append(f"({clock.say('%H:%M:%S')} {name}) {text}")

    def leg(first: int, last: int) -> None:
        for step in range(first, last + 1, 20):
            took = clock.on(20 * 3.36, 0.015) / 20
            loss = falling(rng, step, 1.94, 1.07, 330, 0.018)
            lr = rate(step, 2e-5, 90, total, 0.05)
            row = {
                "train/step": step,
                "train/loss": round(loss, 6),
                "train/mean_loss": round(loss * rng.gauss(1.04, 0.004), 6),
                "train/perplexity": round(exp(loss), 5),
                "train/accuracy": round(0.79 - 0.17 * loss / 1.94 + rng.gauss(0, 0.003), 6),
                "train/learning_rate": lr,
                "train/max_grad_norm": round(rng.lognormvariate(0.1, 0.2), 5),
                "train/epoch": step // 1500,
                "mlperf/step_time": round(took, 6),
                "mlperf/throughput": round(128 * 2048 / took, 2),
            }
            rows.append({"_timestamp": clock.now.timestamp(), "_step": step, **row})
            brief = {
                key.split("/")[1]: row[key]
                for key in ("train/step", "train/loss", "train/perplexity", "train/accuracy", "mlperf/step_time")
            }
            say("Trainer", f"progress {json.dumps(brief)} lr={lr:.3e}")
            if step % 400 == 0 and step < last:
                say("Checkpointer", f"Saving checkpoint to /weka/ckpts/gemma2-9b-norsk/run-{step}")
                clock.on(33)
                say("Checkpointer", f"Checkpoint run-{step} committed")

    def head(again: int) -> None:
        out.append(f"=== start.sh: attempt {again} of 3, {clock.say()} UTC, host gpu-nord-3 ===")
        clock.on(12)
        say(
            "EasyDeL",
            "jax 0.6.2, backend gpu, 8 devices [CudaDevice(id=0), ..., CudaDevice(id=7)], mesh "
            "(dp=1, fsdp=8, ep=1, tp=1, sp=1)",
        )
        say(
            "EasyDeL",
            "SFTTrainer: model google/gemma-2-9b (9.24B), max_sequence_length 2048, total_batch_size 128, "
            f"max_training_steps {total}, num_train_epochs 2",
        )
        clock.on(40)

    head(1)
    say("Trainer", "No resumable checkpoint under /weka/ckpts/gemma2-9b-norsk, starting from step 0")
    clock.on(74)
    say("Trainer", "train step compiled in 71.9s")
    leg(20, 1600)
    say("Checkpointer", "Saving checkpoint to /weka/ckpts/gemma2-9b-norsk/run-1600")
    clock.on(20)
    out += [
        "Traceback (most recent call last):",
        '  File "/app/sft_norsk.py", line 131, in <module>',
        "    main()",
        '  File "/app/sft_norsk.py", line 127, in main',
        "    trainer.train()",
        '  File "/usr/local/lib/python3.11/site-packages/easydel/trainers/trainer/trainer.py", line 604, in train',
        "    output = self._run_training_loop(",
        '  File "/usr/local/lib/python3.11/site-packages/easydel/trainers/base_trainer.py", line 1190, in _save_state',
        "    state.save_state(save_directory=directory_name, float_dtype=self.model.param_dtype)",
        '  File "/usr/local/lib/python3.11/site-packages/eformer/serialization/async_manager.py", line 388, in save',
        "    fh.write(chunk)",
        "OSError: [Errno 116] Stale file handle",
        f"=== start.sh: python left with 1, {clock.say()} UTC; again in 60 s ===",
    ]
    clock.on(60)
    head(2)
    say("Trainer", "Resuming from /weka/ckpts/gemma2-9b-norsk/run-1200 (step 1200, optimizer state restored)")
    clock.on(92)
    say("Trainer", "train step compiled in 70.2s")
    leg(1220, total)
    say("Checkpointer", f"Saving checkpoint to /weka/ckpts/gemma2-9b-norsk/run-{total}")
    clock.on(33)
    say("Checkpointer", f"Checkpoint run-{total} committed")
    say("Trainer", f"Training completed: {total}/{total} steps")
    out.append(f"=== start.sh: python left with 0, {clock.say()} UTC ===")
    (place / "sft_norsk.log").write_text("\n".join(out) + "\n")
    (place / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
