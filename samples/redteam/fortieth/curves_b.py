"""SIMULATED: nothing here was taken from a real job. Curves c07 to c12."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.fortieth.tools_cu import Clock, fall, write

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

ESC = "\x1b["


def _bar(done: int, whole: int, width: int, full: str = "█", empty: str = " ") -> str:
    """A progress bar in text."""
    filled = width * done // whole
    return full * filled + empty * (width - filled)


def _span(seconds: float) -> str:
    """A span of time as progress bars print it."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes:02d}:{left:02d}"


def c07_jeju(place: Path, rng: Random) -> None:
    """A Korean home-made trainer for dialect speech: its operator ends it to hand the machine over."""
    clock = Clock("2026-04-14T10:31:26")
    begin = clock.now
    out = [
        f"{ESC}1;36m[제주어 음성인식]{ESC}0m 시작 {clock.show()}  장치=cuda:0 (RTX 6000 Ada)  매개변수 4,180만",
        f"{ESC}32m[자료]{ESC}0m 학습 71,204 발화 / 검증(조용함) 1,800 / 검증(시장 소음) 1,800",
        f"{ESC}32m[계획]{ESC}0m 총 9000 스텝, 배치 32, 300 스텝마다 검증",
    ]
    records: list[str] = []
    bars = ""
    clock.on(11)
    for step in range(1, 3471):
        clock.on(rng.uniform(1.36, 1.48))
        loss = fall(step, 6.84, 0.63, 880, rng, 0.03)
        if step % 5 == 0:
            passed = (clock.now - begin).total_seconds()
            left = passed / step * (9000 - step)
            bars += (
                f"\r{ESC}33m학습{ESC}0m {step * 100 // 9000:3d}%|{_bar(step, 9000, 24)}| {step}/9000 "
                f"[{_span(passed)}<{_span(left)}, {passed / step:.2f}s/it, 손실={loss:.3f}]"
            )
        if step % 10 == 0:
            row = {
                "스텝": step,
                "손실": round(loss, 4),
                "학습률": round(4e-4 * min(1, step / 600), 7),
                "시각": clock.show(),
            }
            records.append(json.dumps(row, ensure_ascii=False))
        if step % 300 == 0:
            clock.on(38)
            quiet = 8.9 + 71 * math.exp(-step / 700) + rng.gauss(0, 0.15)
            noisy = 34.1 + 52 * math.exp(-step / 350) + step * 0.0021 + rng.gauss(0, 0.3)
            out += [
                bars,
                f"{ESC}35m[검증]{ESC}0m {clock.show('%H:%M:%S')} 스텝 {step}  글자오류율 조용함 {quiet:.2f}%  "
                f"시장 소음 {ESC}31m{noisy:.2f}%{ESC}0m",
            ]
            bars = ""
            row = {
                "스텝": step,
                "검증_CER_조용함": round(quiet, 2),
                "검증_CER_소음": round(noisy, 2),
                "시각": clock.show(),
            }
            records.append(json.dumps(row, ensure_ascii=False))
    out += [
        bars + "^C",
        f"{ESC}1;33m[중단]{ESC}0m {clock.on(1).show('%H:%M:%S')} Ctrl+C 를 받았습니다. 지금 가중치를 저장하고 멈춥니다.",
        f"{ESC}32m[저장]{ESC}0m {clock.on(3).show('%H:%M:%S')} 저장/중단_3470.pt",
        f"{ESC}1;36m[끝]{ESC}0m 사용자가 3470/9000 스텝에서 멈춤 (종료 코드 130)",
        "(asr) jihun@halla:~/jeju$ # 정오에 승우네 시연 때문에 장비 비워 줌. 내일 3470부터 이어서 돌릴 것",
    ]
    write(place / "화면.log", out)
    write(place / "metrics.jsonl", records)


def c08_vendimia(place: Path, rng: Random) -> None:
    """A Spanish home-made trainer that counts grapes, with a site's and a shell's chatter around it."""
    clock = Clock("2025-09-08T23:05:02")
    begin = clock.show("%Y-%m-%dT%H:%M:%S")
    out = [
        "==== PRÓLOGO  nodo=breogan17  trabajo=5518830  cuenta=viticultura ====",
        f"  fecha ......: {clock.show('%d/%m/%Y %H:%M:%S')}",
        "  /scratch ...: 14,2 TB libres      avisos: ver https://wiki.interna/cortes",
        "  consejo del día: use 'mi_cuota -g' para saber cuántas horas de GPU le quedan",
        "=====================================================================",
        "+ source /opt/modulos/init.sh",
        "+ module load anaconda3/2024.10 cuda/12.4",
        "Cargando cuda/12.4",
        "  Requisito cargado: gcc/12.3",
        "+ conda activate uvas",
        "+ cd /mnt/lustre/viti/conteo",
        "+ nvidia-smi --query-gpu=name,memory.used --format=csv,noheader",
        "NVIDIA T4, 3 MiB",
        "+ python -u entrenar.py --lote 12 --epocas 54 --tasa 8e-4",
        f"{clock.on(17).show('%H:%M:%S')} | red: unet pequeña, 7,7 M parámetros | "
        "imágenes: 4 960 de entreno, 620 de control",
        f"{clock.show('%H:%M:%S')} | 54 épocas de 413 pasos = 22 302 pasos",
    ]
    for epoca in range(1, 55):
        clock.on(rng.uniform(131, 136))
        loss = fall(epoca, 0.688, 0.092, 9.5, rng, 0.012)
        control = fall(epoca, 0.655, 0.108, 10.2, rng, 0.02)
        out.append(
            f"{clock.show('%H:%M:%S')} | época {epoca:02d} de 54 | pérdida {loss:.4f} | control {control:.4f} | "
            f"dice {1.01 - control:.3f} | error de conteo {2.1 + 38 * control**1.4:.1f} bayas | tasa "
            f"{8e-4 * (1 + math.cos(math.pi * epoca / 54)) / 2:.1e}"
        )
        if epoca % 9 == 0:
            out.append(f"{clock.on(1).show('%H:%M:%S')} |   copia guardada en modelos/uvas_e{epoca:02d}.pth")
        if epoca == 22:
            out += [
                "mensaje de difusión de soporte@breogan (mar 09 sep 2025 00:00:01): "
                "recuerden renovar la contraseña antes del día 30",
            ]
    out += [
        f"{clock.on(1).show('%H:%M:%S')} | entrenamiento terminado: 54 de 54 épocas, 22 302 pasos",
        f"{clock.on(26).show('%H:%M:%S')} | prueba final (parcela de Rubiana, 580 fotos): "
        "dice 0.897, error de conteo 4.2 bayas",
        f"{clock.on(2).show('%H:%M:%S')} | exportado modelos/uvas_final.onnx (29,6 MiB)",
        "+ cp modelos/uvas_final.onnx /mnt/lustre/viti/entrega/",
        "+ echo 'todo listo, a dormir'",
        "todo listo, a dormir",
        "==== EPÍLOGO  trabajo=5518830  código de salida=0 ====",
        "  GPU usada: 96 %   memoria máx. GPU: 9,8 de 15 GiB   energía: 0,14 kWh",
    ]
    end = clock.on(3).show("%Y-%m-%dT%H:%M:%S")
    write(place / "conteo-5518830.out", out)
    write(
        place / "sacct.txt",
        [
            "       JobID    JobName  Partition      State ExitCode               Start                 End  Timelimit",
            "------------ ---------- ---------- ---------- -------- ------------------- ------------------- ----------",
            f"     5518830     conteo    gpu_t4  COMPLETED      0:0 {begin} {end}   06:00:00",
            f"5518830.bat+      batch             COMPLETED      0:0 {begin} {end}",
            f"5518830.ext+     extern             COMPLETED      0:0 {begin} {end}",
        ],
    )


def c09_mergelgroeve(place: Path, rng: Random) -> None:
    """Fastai on big rock tomograms, with its bars and colours left in: slow by nature and sound."""
    epochs, batches = 11, 72
    clock = Clock("2026-05-29T16:40:18")
    out = [
        f"{ESC}2m{clock.show()}{ESC}0m {ESC}1mpore3d{ESC}0m fastai 2.7.18, torch 2.5.1, 1 x RTX A6000 (48 GB)",
        f"{ESC}2m{clock.on(4).show()}{ESC}0m 81 volumes of 608x608x512 voxels, "
        "72 for training and 9 held out; fp32, bs=1",
        f"{ESC}2m{clock.show()}{ESC}0m {ESC}36mnote{ESC}0m a volume takes 44 to 47 s on this card "
        "with checkpointed activations (limestone runs in May: 45 s), so count on 11 h",
        f"{ESC}2m{clock.show()}{ESC}0m learn.fit_one_cycle(11, 6e-4, cbs=[SaveModelCallback(monitor='dice')])",
        "epoch     train_loss  valid_loss  dice      time    ",
    ]
    best = 0.0
    for epoch in range(epochs):
        start = clock.now
        text = ""
        loss = 1.0
        for batch in range(1, batches + 1):
            clock.on(rng.uniform(44.1, 46.9))
            loss = fall(epoch + batch / batches, 0.794, 0.151, 2.9, rng, 0.008)
            if batch % 6 == 0:
                passed = (clock.now - start).total_seconds()
                rest = passed / batch * (batches - batch)
                text += (
                    f"\rEpoch {epoch + 1}/{epochs} : |{_bar(batch, batches, 40, '█', '-')}| "
                    f"{ESC}33m{batch / batches * 100:.2f}%{ESC}0m "
                    f"[{batch}/{batches} {_span(passed)}<{_span(rest)} {loss:.4f}]"
                )
        for batch in (3, 6, 9):
            clock.on(44)
            text += f"\rEpoch {epoch + 1}/{epochs} : |{_bar(batch, 9, 40, '█', '-')}| {batch * 100 // 9}% [{batch}/9]"
        valid = fall(epoch + 1, 0.771, 0.168, 3.0, rng, 0.01)
        dice = 0.951 - valid * 0.66
        took = _span((clock.now - start).total_seconds())
        out.append(text + f"\r{ESC}K{epoch:<10d}{loss:<12.6f}{valid:<12.6f}{dice:<10.6f}{took:<8s}")
        if dice > best:
            best = dice
            out.append(f"Better model found at epoch {epoch} with dice value: {dice:.16f}.")
    out += [
        f"{ESC}2m{clock.on(2).show()}{ESC}0m loaded best of 11 epochs; "
        f"held-out dice {best:.4f}, porosity error 0.31 points",
        f"{ESC}2m{clock.on(3).show()}{ESC}0m learn.export -> models/marl_pores.pkl (411 MB)",
        f"{ESC}2m{clock.show()}{ESC}0m {ESC}32mall done, exit 0{ESC}0m",
    ]
    write(place / "pores_tty.log", out)


def c10_herbarium(place: Path, rng: Random) -> None:
    """OpenCLIP with a loss in bits and rates by the minute: it learns, blows up, and stays at chance."""
    clock = Clock("2026-02-27T03:11:50")

    def stamp() -> str:
        return clock.show("%Y-%m-%d,%H:%M:%S") + " | INFO | "

    out = [
        stamp() + "Running in distributed mode with multiple processes. "
        "Device: cuda:0.Process (global: 0, local: 0), total 16.",
        stamp() + "Loaded ViT-B-16 model config.",
        stamp() + "Params: batch_size: 512  lr: 0.004  wd: 0.05  warmup: 300  "
        "precision: amp_fp16  grad_clip_norm: None",
        stamp() + "own meters: loss in bit/pair, batch in ms, rate in kpair/min; log2(8192) = 13.000 bit is guessing",
        clock.on(64) and stamp() + "Start epoch 0",
    ]
    curve = [13.02, 12.71, 12.04, 11.33, 10.62, 9.94, 9.41, 8.87, 8.52, 8.20, 7.96, 7.71, 7.58, 7.44]
    curve += [7.69, 8.83, 14.9, 37.2, 61.8, 44.0, 19.6, 13.31]
    average, count = 0.0, 0
    for index in range(38):
        clock.on(rng.uniform(118, 124))
        bits = curve[index] * (1 + rng.gauss(0, 0.004)) if index < len(curve) else 13.0 + rng.gauss(0, 0.0006)
        count += 1  # noqa: SIM113
        average += (bits - average) / count
        scale = 14.286 + index * 1.9 if index < 16 else max(3.1, 44 - (index - 15) * 6.4)
        if index < 14:
            grad = rng.uniform(0.7, 1.6)
        elif index < 22:
            grad = rng.uniform(90, 2400)
        else:
            grad = rng.uniform(0.0001, 0.0007)
        batch = rng.uniform(1190, 1240)
        rate = 0.004 * min(1, (index * 100 + 1) / 300)
        out.append(
            stamp() + f"Train Epoch: 0 [{(index * 100 + 1) * 8192} seen] Data (t): {rng.uniform(9, 21):.0f}ms "
            f"Batch (t): {batch:.0f}ms, {8192 / batch * 60:.1f}kpair/min, {512 / batch * 60:.2f}kpair/min/gpu "
            f"LR: {rate:.6f} Logit Scale: {scale:.3f} Grad: {grad:.4f} "
            f"Contrastive_loss: {bits:.3f}bit ({average:.3f}bit)"
        )
        if index in (13, 37):
            clock.on(49)
            top = "11.74" if index == 13 else "0.07"
            out.append(
                stamp() + f"Eval Epoch: 0 herbarium-1400-zeroshot-top1: {top}%\tguessing: 0.07%\t"
                f"text_to_image_R@5: {'18.2' if index == 13 else '0.0'}%"
            )
    write(place / "out.log", out)


def c11_oogstbericht(place: Path, rng: Random) -> None:
    """A spaCy training of a tagger of names in harvest reports, from its head to its saved pipeline."""
    clock = Clock("2025-11-18T14:26:09")

    def stamp() -> str:
        return f"[{clock.on(rng.uniform(0.001, 0.03)).milli()}] [INFO] "

    out = [
        "$ python -m spacy train cfg/reports.cfg --output runs/pl_harvest --gpu-id 0 "
        "--training.max_steps 8100 --training.eval_frequency 300 --training.patience 0",
        "ℹ Saving to output directory: runs/pl_harvest",
        "ℹ Using GPU: 0",
        "",
        "=========================== Initializing pipeline ===========================",
        stamp() + "Set up nlp object from config",
        clock.on(1) and stamp() + "Pipeline: ['transformer', 'ner']",
        stamp() + "Created vocabulary",
        clock.on(7) and stamp() + "Finished initializing nlp object",
        clock.on(22) and stamp() + "Initialized pipeline components: ['transformer', 'ner']",
        "✔ Initialized pipeline",
        "",
        "============================= Training pipeline =============================",
        "ℹ Pipeline: ['transformer', 'ner']",
        "ℹ Initial learn rate: 0.0",
        "E    #       LOSS TRANS...  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE ",
        "---  ------  -------------  --------  ------  ------  ------  ------",
    ]
    for step in range(0, 8101, 300):
        if step == 0:
            trans, ner, precision, recall = 388.16, 512.07, 0.21, 2.94
        else:
            trans = fall(step, 31420, 190, 900, rng, 0.03)
            ner = fall(step, 27880, 240, 1050, rng, 0.03)
            precision = 91.2 - 48 * math.exp(-step / 1100) + rng.gauss(0, 0.35)
            recall = 89.6 - 57 * math.exp(-step / 1150) + rng.gauss(0, 0.35)
        score = 2 * precision * recall / (precision + recall)
        out.append(
            f"{step // 412:3d}  {step:6d}  {trans:13.2f}  {ner:8.2f}  {score:6.2f}  {precision:6.2f}  {recall:6.2f}  "
            f"{score / 100:6.2f}"
        )
    out += ["✔ Saved pipeline to output directory", "runs/pl_harvest/model-last", "$ echo rc=$?", "rc=0"]
    write(place / "train_pl_harvest.log", out)


def c12_kiswahili(place: Path, rng: Random) -> None:
    """T5X with own units: the first long decode asks for more than the card has left."""
    clock = Clock("2026-01-08T21:50:33")

    def say(where: str, text: str, level: str = "I") -> None:
        clock.on(rng.uniform(0.01, 0.04))
        out.append(f"{level}{clock.show('%m%d %H:%M:%S.%f')} 140211873 {where}] {text}")

    out: list[str] = []
    say(
        "train.py:184",
        "Process ID: 30977; jax 0.4.30; devices: [CudaDevice(id=0), CudaDevice(id=1)] (NVIDIA L40S, 44.99GiB)",
    )
    say("train.py:231", "total_steps = 60000, eval_period = 2000, task 'swa_summaries', inputs 1024, targets 256")
    say("train.py:240", "meter units: loss in millinat/token, speed in Mtok/day, memory in MiB")
    say("utils.py:1140", "Total number of parameters: 783150080")
    clock.on(41)
    say(
        "partitioning.py:612",
        "Compiled train step: 33 114 MiB planned of 41 470 MiB (XLA_PYTHON_CLIENT_MEM_FRACTION=0.90)",
    )
    say("train.py:530", "Training: step 0 of 60000")
    for step in range(200, 4001, 200):
        clock.on(rng.uniform(211, 219))
        loss = fall(step, 7480, 2310, 1500, rng, 0.015)
        say(
            "metrics.py:88",
            f"step {step}  loss {loss:.0f} mnat/tok  speed {rng.uniform(1980, 2040):.0f} Mtok/day  "
            f"lr {0.01 * min(1, step / 1000):.5f}  held {rng.randrange(33090, 33140)} MiB",
        )
        if step == 2000:
            clock.on(19)
            say(
                "train.py:601",
                "Evaluating 'swa_summaries' (teacher forcing, 40 batches): loss 3771 mnat/tok, accuracy 41.6",
            )
            clock.on(4)
            say("checkpoints.py:755", "Saved checkpoint for step 2000 to gs-local/swa/checkpoint_2000")
    clock.on(18)
    say("train.py:601", "Evaluating 'swa_summaries' (teacher forcing, 40 batches): loss 2748 mnat/tok, accuracy 52.9")
    say(
        "train.py:622",
        "infer_eval: beam search, num_decodes=16, decode length 1024, batch 64 (first time at step 4000)",
    )
    clock.on(33)
    bfc = "bfc_allocator.cc"
    say(
        f"{bfc}:482",
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 24.00GiB (rounded to 25769803776)requested by op ",
        "W",
    )
    say(f"{bfc}:1039", "BFCAllocator dump for GPU_0_bfc: Limit: 43484446720 InUse: 22144614400 MaxInUse: 34744119296")
    say(f"{bfc}:494", "*" * 49 + "_" * 43, "W")
    out += [
        "Traceback (most recent call last):",
        '  File "/opt/t5x/t5x/train.py", line 786, in <module>',
        "    gin_utils.run(main)",
        '  File "/opt/t5x/t5x/train.py", line 628, in train',
        "    evaluator.run(train_state=trainer.train_state, step=host_step)",
        '  File "/opt/t5x/t5x/utils.py", line 1702, in infer_fn',
        "    batch_result = partitioned_infer_step(params, infer_batch, step_rng)",
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory "
        "while trying to allocate 25769803776 bytes.",
        "train.sh: python3 ended with 1",
    ]
    write(place / "t5x_swa.log", out)
