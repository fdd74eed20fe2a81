"""Curves c07 to c12.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
from math import cos, exp, pi
from typing import TYPE_CHECKING

from samples.redteam.thirtyninth.pens_cu import Clock, bar, fall, noisy, put, rate, span

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c07_quarry(place: Path, rng: Random) -> None:
    """A plain C training on a scavenger queue, put off its node by a job of higher rank."""
    clock = Clock(2026, 8, 2, 1, 51, 17)
    job, node = 1290467, "wren23"
    out = [
        "+-----------------------+----------------------------------------------------+",
        "| Parameter             | Value                                              |",
        "+-----------------------+----------------------------------------------------+",
        "| train data pattern    | /lus/fw/edu_fineweb_train_*.bin                    |",
        "| output log dir        | log_d24                                            |",
        "| checkpoint_every      | 20                                                 |",
        "| resume                | 0                                                  |",
        "| micro batch size B    | 16                                                 |",
        "| sequence length T     | 1024                                               |",
        "| total batch size      | 2097152                                            |",
        "| LR scheduler          | cosine                                             |",
        "| learning rate (LR)    | 3.000000e-04                                       |",
        "| warmup iterations     | 700                                                |",
        "| recompute             | 1                                                  |",
        "+-----------------------+----------------------------------------------------+",
        "| device                | NVIDIA A100-SXM4-80GB                              |",
        "| precision             | BF16                                               |",
        "+-----------------------+----------------------------------------------------+",
        "| weight init method    | d24                                                |",
        "| max_sequence_length T | 1024                                               |",
        "| num_layers L          | 24                                                 |",
        "| channels C            | 1536                                               |",
        "| num_parameters        | 757694976                                          |",
        "+-----------------------+----------------------------------------------------+",
        "| num_processes         | 4                                                  |",
        "| zero_stage            | 1                                                  |",
        "+-----------------------+----------------------------------------------------+",
        "num_parameters: 757694976 => bytes: 1515389952",
        "allocated 1445 MiB for model parameters",
        "batch_size B=16 * seq_len T=1024 * num_processes=4 and total_batch_size=2097152",
        "=> setting grad_accum_steps=32",
        "allocating 38204 MiB for activations",
        "val loss 11.023194",
    ]
    clock.go(41)
    for step in range(1, 49):
        pace = max(15300, rng.gauss(15820, 40))
        clock.go(pace / 1000)
        loss = noisy(rng, fall(step, 11.03, 6.6, 24), 0.004)
        mark = "+nanz"
        out.append(
            f"step {step:4d} | loss {loss:8.6f} ({mark})| norm {noisy(rng, fall(step, 16.4, 2.4, 9), 0.09):6.4f} "
            f"({mark})| "
            f"lr {step / 700 * 3e-4:.2e} | {pace:.2f} ms | {rng.gauss(49.6, 0.2):.1f}% bf16 MFU | "
            f"{2097152 / pace * 1000:.0f} tok/s"
        )
        if step % 20 == 0:
            out.append(f"Writing model to log_d24/model_{step:08d}.bin")
            out.append(f"Writing state to log_d24/state_{step:08d}_00000.bin")
            clock.go(7)
    clock.go(9.5)
    stamp = clock.text("%Y-%m-%dT%H:%M:%S")
    err = [
        "Lmod: loading cuda/12.4  openmpi/4.1.6  nccl/2.21",
        f"slurmstepd: error: *** STEP {job}.0 ON {node} CANCELLED AT {stamp} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** JOB {job} ON {node} CANCELLED AT {stamp} DUE TO PREEMPTION ***",
        f"srun: Job {job} step aborted: Waiting up to 62 seconds for job step to finish.",
    ]
    put(place / f"d24.{job}.out", out)
    put(place / f"d24.{job}.err", err)


def c08_tide(place: Path, rng: Random) -> None:
    """A forecaster that put out the same numbers from about step 40 on and never learned."""
    clock = Clock(2026, 3, 30, 16, 44, 9)
    total, per_epoch = 2600, 26
    log = [
        "uv run forecast_tide.py --models NHITS --h 48 --input-size 336 --max-steps 2600 --val-check-steps 130 --lr "
        "0.09",
        f"{clock.text()} 832 gauges, hourly, 2019-01-01..2025-12-31, scaler_type=robust, loss=MAE()",
        "Seed set to 7",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name         | Type          | Params | Mode ",
        "-------------------------------------------------------",
        "0 | loss         | MAE           | 0      | train",
        "1 | padder_train | ConstantPad1d | 0      | train",
        "2 | scaler       | TemporalNorm  | 0      | train",
        "3 | blocks       | ModuleList    | 3.1 M  | train",
        "-------------------------------------------------------",
    ]
    metrics = ["epoch,grad_2.0_norm_total,lr-Adam,step,train_loss_epoch,train_loss_step,valid_loss"]
    clock.go(11)
    begin = clock.now
    losses: list[float] = []
    for step in range(total):
        clock.go(max(0.02, rng.gauss(0.074, 0.006)))
        start = 41 * exp(-step / 2.2) if step < 30 else 0.0
        loss = 1.146 + start + rng.gauss(0, 0.024)
        grad = noisy(rng, 320 * exp(-step / 3.1), 0.2) + abs(rng.gauss(3e-8, 1e-8))
        epoch = step // per_epoch
        losses.append(loss)
        metrics.append(f"{epoch},{grad:.6g},0.09,{step},,{loss:.9g},")
        if (step + 1) % per_epoch == 0:
            metrics.append(f"{epoch},,,{step},{sum(losses) / len(losses):.9g},,")
            gone = (clock.now - begin).total_seconds()
            value = 1.1493 if step < 129 else 1.1512
            if (step + 1) % 130 == 0:
                metrics.append(f"{epoch},,,{step},,,1.151194930")
                value = 1.1512
            tail = f", valid_loss={value}" if step >= 129 else ""
            log.append(
                f"Epoch {epoch}: {bar(per_epoch, per_epoch)} {per_epoch}/{per_epoch} [{span(per_epoch * 0.074)}<00:00, "
                f"{rate(0.074)}, v_num=11, train_loss_step={loss:.3f}, "
                f"train_loss_epoch={sum(losses) / len(losses):.3f}{tail}]"
            )
            if epoch % 20 == 19:
                log.append(f"{clock.text()} ({gone:.0f} s) {step + 1} of {total} steps")
            losses = []
    log += [
        "`Trainer.fit` stopped: `max_steps=2600` reached.",
        f"{clock.text()} cross-check on 2025 (832 gauges x 48 h):",
        "                 mae    rmse   mase",
        "  SeasonalNaive  0.208  0.291  1.000",
        "  HistoricMean   1.149  1.402  5.524",
        "  NHITS          1.151  1.405  5.534     (std of y_hat over all windows: 0.0000)",
        f"{clock.text()} written: out/nhits_tide_h48.parquet",
    ]
    put(place / "forecast_tide.log", log)
    put(place / "lightning_logs" / "version_11" / "metrics.csv", metrics)


def c09_cembra(place: Path, rng: Random) -> None:
    """A Polish script of one's own, killed in its third long evaluation as the host's memory filled up."""
    total = 900
    out: list[str] = []
    rows: list[str] = []
    out += [
        "== trening rozpoznawania odmian drzew (lidar + ortofoto) ==",
        "urządzenie: cuda:0 NVIDIA GeForce RTX 4090, 24 GB; pamięć węzła: 64 GB",
        f"plan: {total} kroków, ocena co 120 kroków na 4800 kaflach, zapis po każdej ocenie",
        "wczytano 31 204 kafli uczących; parametrów: 48,7 mln",
    ]
    memory = 11.4
    for step in range(1, 361):
        loss = noisy(rng, fall(step, 3.12, 0.74, 120), 0.04)
        memory += rng.uniform(0.0, 0.004)
        rate_now = round(2e-4 * min(1, step / 60), 7)
        row = {"krok": step, "strata": round(loss, 5), "wsp_uczenia": rate_now, "ram_gb": round(memory, 2)}
        rows.append(json.dumps(row))
        if step % 2 == 0:
            out.append(f"krok {step:>4}/{total}  strata {loss:.4f}".replace(".", ",") + f"  ram {memory:.1f} GB")
        if step % 120 == 0:
            out.append(f"-- ocena po kroku {step}: 4800 kafli, mapy prawdopodobieństw trzymane w pamięci --")
            stop = 4800 if step < 360 else 3800
            for tile in range(400, stop + 1, 400):
                memory += rng.uniform(1.55, 1.7)
                out.append(f"   ocena {tile:>4}/4800  ram {memory:.1f} GB  gpu {rng.gauss(17.1, 0.1):.1f} GB")
                if memory > 62.3:
                    break
            else:
                score = 0.71 * (1 - exp(-step / 130))
                result = {"krok": step, "ocena_miou": round(score, 4), "ocena_strata": round(loss * 1.08, 4)}
                rows.append(json.dumps(result))
                out.append(f"   miou {score:.4f}".replace(".", ",") + f"; zapisano wagi/k{step:05d}.pt")
    out += [
        "./ucz.sh: linia 14: 40217 Unicestwiony            python3 -u ucz.py --dane /mnt/las --kroki 900",
        "ucz.sh: kod wyjścia 137",
    ]
    put(place / "ucz.log", out)
    put(place / "miary.jsonl", rows)


def c10_pamuk(place: Path, rng: Random) -> None:
    """A Turkish script of one's own that counted cotton bolls, to its planned end and with a good test."""
    total = 45
    lines = [
        "pamuk kozası sayımı - yoğunluk haritası ağı",
        "aygıt: cuda (NVIDIA RTX A4500), bellek 20 GB, sürücü 550.54",
        f"eğitim: 5280 görüntü, doğrulama: 660, sınama: 660; devir sayısı: {total}, yığın: 12, devir başına 440 adım",
        "ağ: 16,3 milyon ağırlık; eniyileyici AdamW, öğrenme oranı 0,0004 -> 0 (kosinüs)",
    ]
    best = 99.0
    for epoch in range(1, total + 1):
        for step in range(20, 441, 20):
            done = (epoch - 1) * 440 + step
            loss = noisy(rng, fall(done, 0.914, 0.061, 4200), 0.05)
            share = done / (total * 440)
            lines.append(
                f"devir {epoch}/{total} adım {step}/440 | kayıp {loss:.5f} | öğr.oranı {4e-4 * (1 - share**1.3):.6f} | "
                f"{rng.gauss(118, 3):.0f} görüntü/sn".replace(".", ",").replace("öğr,oranı", "öğr.oranı")
            )
        error = 2.9 + 21 * exp(-epoch / 8) + rng.gauss(0, 0.12)
        note = "  * en iyi, kaydedildi: agirlik/en_iyi.pth" if error < best else ""
        best = min(best, error)
        text = f"devir {epoch} bitti | doğrulama OMH {error:.2f} koza | R2 {1 - error / 60:.3f}"
        lines.append(text.replace(".", ",") + note)
    lines += [
        f"tüm devirler tamamlandı ({total}/{total}).",
        f"sınama: OMH {best + 0.14:.2f} koza, KOKH 4,31, R2 0,948 (önceki yıl ağı: OMH 5,02)".replace(".", ","),
        "son ağırlıklar: agirlik/son.pth - çıkış kodu 0",
    ]
    put(place / "egitim_ciktisi.txt", lines)


def c11_ledger(place: Path, rng: Random) -> None:
    """A fine-tune that spent more time on its validation than on its steps, and ended as planned."""
    clock = Clock(2026, 9, 17, 6, 3, 44)
    out = [
        clock.text("%a %b %d %H:%M:%S UTC %Y") + " start litgpt finetune_lora",
        "{'access_token': None,",
        " 'checkpoint_dir': PosixPath('checkpoints/microsoft/phi-2'),",
        " 'data': JSON(json_path=PosixPath('ledger_qa'), mask_prompt=True, val_split_fraction=None, seed=42),",
        " 'devices': 1,",
        " 'eval': EvalArgs(interval=60, max_new_tokens=100, max_iters=6400, initial_validation=True, "
        "final_validation=True),",
        " 'lora_r': 16,",
        " 'out_dir': PosixPath('out/ledger-lora'),",
        " 'precision': 'bf16-true',",
        " 'train': TrainArgs(save_interval=120, log_interval=4, global_batch_size=16, micro_batch_size=4, "
        "lr_warmup_steps=20,",
        "                    epochs=1, max_steps=300, max_seq_length=1024)}",
        "Number of trainable parameters: 15,728,640",
        "Number of non-trainable parameters: 2,779,683,840",
        "The longest sequence length in the train data is 1011, the model's maximum sequence length is 1011 and "
        "context "
        "length is 2048",
        "Validating ...",
        "Initial validation: val loss 2.214, 6400 batches",
    ]
    clock.go(1580)
    shown, trained = "n/a", 0.0
    for number in range(4, 1201, 4):
        step = number // 4
        loss = noisy(rng, fall(step, 2.19, 0.83, 60), 0.05)
        pace = rng.gauss(418, 12)
        trained += 4 * pace / 1000
        clock.go(4 * pace / 1000)
        out.append(
            f"Epoch 1 | iter {number} step {step} | loss train: {loss:.3f}, val: {shown} | iter time: {pace:.2f} ms "
            f"(step)"
        )
        if step % 60 == 0:
            value = fall(step, 2.21, 0.88, 60)
            wait = rng.gauss(1562000, 5000)
            clock.go(wait / 1000)
            shown = f"{value:.3f}"
            out += ["Validating ...", f"iter {number}: val loss {value:.4f}, val time: {wait:.2f} ms"]
        if step % 120 == 0:
            out.append(f"Saving LoRA weights to 'out/ledger-lora/step-{step:06d}/lit_model.pth.lora'")
    clock.go(1566)
    whole = clock.passed()
    out += [
        "",
        "| ------------------------------------------------------",
        "| Token Counts",
        "| - Input Tokens              :  2604118",
        "| - Tokens w/ Prompt          :  3190442",
        "| - Total Tokens (w/ Padding) :  4211760",
        "| -----------------------------------------------------",
        "| Performance",
        f"| - Training Time             :  {whole:.2f} s",
        f"| - Tok/sec                   :  {4211760 / whole:.2f} tok/s",
        "| -----------------------------------------------------",
        "| Memory Usage",
        "| - Memory Used               :  17.83 GB",
        "-------------------------------------------------------",
        "Validating ...",
        f"Final evaluation | val loss: {fall(300, 2.21, 0.88, 60) - 0.001:.3f} | "
        f"val ppl: {exp(fall(300, 2.21, 0.88, 60) - 0.001):.3f}",
        "Saving LoRA weights to 'out/ledger-lora/final/lit_model.pth.lora'",
        "Merged weights: out/ledger-lora/final/lit_model.pth",
        clock.go(1601).strftime("%a %b %d %H:%M:%S UTC %Y") + " end, status 0",
    ]
    put(place / "ledger.stdout", out)
    put(
        place / "ledger.stderr",
        [
            "Seed set to 1337",
            "/opt/lg/lib/python3.11/site-packages/torch/utils/data/dataloader.py:558: UserWarning: This DataLoader will "
            "create 8 "
            "worker processes in total. Our suggested max number of worker in current system is 6.",
        ],
    )


def c12_cantor(place: Path, rng: Random) -> None:
    """A conformer taught sung verse by four ranks, whose words came right by its planned last step."""
    total, per_epoch, every = 3600, 450, 15
    words = [
        "the",
        "lord",
        "is",
        "my",
        "light",
        "and",
        "my",
        "salvation",
        "whom",
        "then",
        "shall",
        "i",
        "fear",
        "he",
        "leadeth",
        "me",
        "beside",
        "still",
        "waters",
    ]
    files: list[list[str]] = []
    for rank in range(4):
        lines = [
            f"[NeMo I rank:{rank} exp_manager:396] Experiments will be logged at /exp/cantor/ctc_m/run0",
            f"[NeMo I rank:{rank} audio_to_text_dataset:48] Model level config does not contain `sample_rate`, "
            f"please explicitly "
            "provide `sample_rate` to the dataloaders.",
            f"[NeMo I rank:{rank} collections:196] Dataset loaded with 57602 files totalling 81.40 hours",
            f"[NeMo I rank:{rank} collections:197] 311 files were filtered totalling 1.72 hours",
            f"[NeMo W rank:{rank} modelPT:251] You tried to register an artifact under config "
            f"key=tokenizer.vocab_path but an "
            "artifact for it has already been registered.",
            f"[NeMo I rank:{rank} features:289] PADDING: 0",
            f"[NeMo I rank:{rank} save_restore_connector:249] Model EncDecCTCModelBPE was successfully restored from "
            "/exp/base/stt_en_conformer_ctc_medium.nemo.",
            f"[NeMo I rank:{rank} modelPT:728] Optimizer config = AdamW (lr: 0.0008, betas: [0.9, 0.98], "
            f"weight_decay: 0.001)",
            f'[NeMo I rank:{rank} lr_scheduler:910] Scheduler "CosineAnnealing" will be used during training '
            f"(effective maximum "
            f"steps = {total}) - warmup_steps: 300",
        ]
        best = 9.0
        for step in range(every, total + 1, every):
            loss = noisy(rng, fall(step, 143, 11.8, 620), 0.07)
            lr = 8e-4 * (step / 300 if step < 300 else 0.5 * (1 + cos(pi * (step - 300) / (total - 300))))
            if rank == 0:
                lines.append(
                    f"[NeMo I rank:0 progress:77] epoch {(step - 1) // per_epoch} global_step {step}/{total} "
                    f"train_loss {loss:.3f} "
                    f"learning_rate {lr:.3e} batch_size 32 per rank"
                )
                wrong = 0.78 * exp(-step / 700) + 0.05
                if step % 75 == 0:
                    begin = rng.randint(0, 9)
                    said = words[begin : begin + 8]
                    heard = [w if rng.random() > wrong else w[: max(1, len(w) - 2)] for w in said]
                    lines += [
                        "[NeMo I rank:0 wer_bpe:297] ",
                        "[NeMo I rank:0 wer_bpe:298] reference:" + " ".join(said),
                        "[NeMo I rank:0 wer_bpe:299] predicted:" + " ".join(heard),
                    ]
            if step % per_epoch == 0:
                epoch = step // per_epoch - 1
                wer = 0.81 * exp(-step / 760) + 0.072 + 0.002 * (epoch % 2)
                lines.append(
                    f"[NeMo I rank:{rank} validation:31] epoch {epoch} share {rank}/4: 702 of 702 utterances done"
                )
                if rank == 0 and wer < best:
                    best = wer
                    lines.append(
                        f"Epoch {epoch}, global step {step}: 'val_wer' reached {wer:.5f} (best {wer:.5f}), saving "
                        f"model to "
                        f"'/exp/cantor/ctc_m/run0/checkpoints/ctc_m--val_wer={wer:.4f}-epoch={epoch}.ckpt' as top 3"
                    )
        if rank == 0:
            lines += [
                f"`Trainer.fit` stopped: `max_steps={total}` reached.",
                "[NeMo I rank:0 transcribe:144] test_psalter: 1204 utterances, WER 0.0791 (base model 0.6128)",
                "[NeMo I rank:0 nemo_model_checkpoint:228] saved /exp/cantor/ctc_m/run0/checkpoints/ctc_m.nemo",
            ]
        lines.append(f"[NeMo I rank:{rank} train_cantor:93] rank {rank} leaves with 0 after {total} steps")
        files.append(lines)
    for rank, lines in enumerate(files):
        put(place / f"nemo_log_globalrank-{rank}_localrank-{rank}.txt", lines)
