"""Cases c07 to c12 of the curves: logs written by generators. SIMULATED."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c07_dijkbewaking(place: Path, rng: Random) -> None:
    """The end of a Dutch log: the first lines were rotated away."""
    t = 2 * 86400 + 22 * 3600 + 51 * 60 + 19.0
    out: list[str] = []
    best = 0.0
    for ronde in range(27, 61):
        t += 188 + rng.gauss(0, 1.6)
        verlies = falls(rng, ronde, 0.71, 0.118, 11, 0.01)
        iou = 0.842 - 0.51 * math.exp(-ronde / 12) + rng.gauss(0, 0.0018)
        mark = ""
        if iou > best:
            best, mark = iou, "  <- beste tot nu toe, bewaard"
        lr = 4e-4 * 0.5 * (1 + math.cos(math.pi * ronde / 60))
        out.append(
            f"{clock(t, '%d-%m-%Y %H:%M:%S')} ronde {ronde}/60 verlies {verlies:.4f}".replace(".", ",")
            + f" toets-IoU {iou:.4f}".replace(".", ",")
            + f" leersnelheid {lr:.2e}".replace(".", ",")
            + f" duur 3m{int(8 + rng.gauss(0, 1.5)):02d}s{mark}"
        )
    t += 31
    out += [
        f"{clock(t, '%d-%m-%Y %H:%M:%S')} alle 60 rondes gedraaid, beste toets-IoU {best:.4f}".replace(".", ","),
        f"{clock(t + 1, '%d-%m-%Y %H:%M:%S')} gewichten staan in /home/wouter/dijk/uitvoer/segnet_v7.pt (212 MB)",
        f"{clock(t + 22, '%d-%m-%Y %H:%M:%S')} eindtoets op 1.140 luchtfoto's: IoU 0,8297, raak 0,911, vals alarm 0,047",
        f"{clock(t + 22, '%d-%m-%Y %H:%M:%S')} klaar, tot de volgende keer",
    ]
    err = [
        "/home/wouter/.venv/dijk/lib/python3.11/site-packages/torch/utils/data/dataloader.py:557: UserWarning: This DataLoader will create 12 worker processes in total. Our suggested max number of worker in current system is 8, which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
        "  warnings.warn(_create_warning_msg(",
        "TIFFReadDirectory: Warning, Unknown field with tag 42113 (0xa481) encountered.",
    ]
    put(place, "leren.log", out)
    put(place, "leren.err", err)


def c08_golos_diktora(place: Path, rng: Random) -> None:
    """A Russian speech model; the terminal's colours and bars went into the files."""
    e = "\x1b"
    t = 4 * 86400 + 11 * 3600 + 6 * 60 + 44.0
    tag = lambda s: f"{e}[90m{clock(s, '%d.%m %H:%M:%S')}{e}[0m {e}[32mИНФО{e}[0m "  # noqa: E731
    out = [
        tag(t) + "Видеокарта: NVIDIA RTX A6000, память 47,5 ГиБ, CUDA 12.4",
        tag(t) + "Конфигурация: конфиги/тембр_v2.yaml, зерно 1234",
        tag(t + 2) + "Записей для обучения: 48 211 (61 ч 14 мин), для проверки: 1 903",
        tag(t + 3) + "Параметров в модели: 31 472 640",
        tag(t + 3) + f"План: {e}[1m25 эпох{e}[0m по 1507 шагов, пачка 32",
    ]
    err: list[str] = [
        "/opt/golos/venv/lib/python3.11/site-packages/torch/functional.py:730: UserWarning: stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for all inputs, and return_complex=False will raise an error.",
        "  return _VF.stft(  # type: ignore[attr-defined]",
    ]
    t += 5
    best = 9.0
    for epoch in range(1, 26):
        pace = 3.31 + rng.gauss(0, 0.02)
        for share in range(0, 1508, 137):
            done = min(share, 1507)
            spent = done / pace
            loss = falls(rng, epoch - 1 + done / 1507, 2.84, 0.612, 4.2, 0.012)
            err.append(
                f"\r{e}[36mЭпоха {epoch:2d}{e}[0m: {100 * done // 1507:>3d}%|{e}[35m{bar(done, 1507, 20)}{e}[0m| {done}/1507 [{hms(spent)}<{hms((1507 - done) / pace)}, {pace:.2f}шаг/с, потери={loss:.3f}]"
            )
        t += 1507 / pace + 21
        train, valid = falls(rng, epoch, 2.84, 0.612, 4.2, 0.004), falls(rng, epoch, 2.9, 0.664, 4.3, 0.006)
        out.append(
            tag(t)
            + f"Эпоха {epoch}/25: потери {train:.4f}, проверка {valid:.4f}, ошибка слов {3.1 + 31 * math.exp(-epoch / 5) + rng.gauss(0, 0.05):.2f} %, норма градиента {0.8 + 2 * math.exp(-epoch / 4) + rng.gauss(0, 0.03):.2f}, {1507 / pace + 21:.0f} с"
        )
        if valid < best:
            best = valid
            out.append(tag(t + 1) + f"{e}[33mЛучшая модель сохранена{e}[0m: вывод/тембр_v2/лучшая.pt")
        out.append(tag(t + 2) + f"Пример озвучен: вывод/тембр_v2/слух/эпоха_{epoch:02d}.wav")
    out += [
        tag(t + 4) + f"{e}[1m{e}[32mОбучение завершено.{e}[0m Лучшее значение на проверке {best:.4f}",
        tag(t + 9) + "Модель выгружена в вывод/тембр_v2/тембр_v2.onnx (120,3 МБ)",
        tag(t + 9) + f"Всего времени: {hms(t + 9 - (4 * 86400 + 11 * 3600 + 6 * 60 + 44))}",
    ]
    put(place, "обучение.log", out)
    put(place, "обучение.err", "\n".join(err[:2]) + "\n" + "".join(err[2:]) + "\n")


def c09_ct_fold3(place: Path, rng: Random) -> None:
    """An nnU-Net log that goes no further than the first epoch's head."""
    t = 5 * 86400 + 17 * 3600 + 20 * 60 + 2.0
    micro = 118_402

    def row(s: float, text: str) -> str:
        nonlocal micro
        micro = micro + rng.randrange(90, 41_000)
        return f"{clock(s)}.{micro:06d}: {text}"

    out = [
        "check_cases.py: looking for corrupt, truncated or killed uploads in Dataset418_FatalTraumaPMCT",
        "check_cases.py: 205 cases, 0 corrupt, 0 truncated, errors: none, fatal: none",
        "",
        "############################",
        "INFO: You are using the old nnU-Net default plans. We have updated our recommendations. Please consider using those instead! Read more here: https://github.com/MIC-DKFZ/nnUNet/blob/master/documentation/resenc_presets.md",
        "############################",
        "",
        "Using device: cuda:0",
        "",
        "#######################################################################",
        "Please cite the following paper when using nnU-Net:",
        "Isensee, F., Jaeger, P. F., Kohl, S. A., Petersen, J., & Maier-Hein, K. H. (2021). nnU-Net: a self-configuring method for deep learning-based biomedical image segmentation. Nature methods, 18(2), 203-211.",
        "#######################################################################",
        "",
        row(t + 1, "Using torch.compile..."),
        row(t + 1, "do_dummy_2d_data_aug: False"),
        row(
            t + 2,
            "Using splits from existing split file: /data/nnunet/pre/Dataset418_FatalTraumaPMCT/splits_final.json",
        ),
        row(t + 2, "The split file contains 5 splits."),
        row(t + 2, "Desired fold for training: 3"),
        row(t + 2, "This split has 164 training and 41 validation cases."),
        "using pin_memory on device 0",
        "using pin_memory on device 0",
        "",
        "This is the configuration used by this training:",
        "Configuration name: 3d_fullres",
        " {'data_identifier': 'nnUNetPlans_3d_fullres', 'preprocessor_name': 'DefaultPreprocessor', 'batch_size': 2, 'patch_size': [96, 160, 160], 'median_image_size_in_voxels': [142.0, 512.0, 512.0], 'spacing': [2.5, 0.7421875, 0.7421875], 'normalization_schemes': ['CTNormalization'], 'use_mask_for_norm': [False], 'resampling_fn_data': 'resample_data_or_seg_to_shape', 'resampling_fn_seg': 'resample_data_or_seg_to_shape', 'architecture': {'network_class_name': 'dynamic_network_architectures.architectures.unet.PlainConvUNet', 'arch_kwargs': {'n_stages': 6, 'features_per_stage': [32, 64, 128, 256, 320, 320]}}, 'batch_dice': True} ",
        "",
        "These are the global plan.json settings:",
        " {'dataset_name': 'Dataset418_FatalTraumaPMCT', 'plans_name': 'nnUNetPlans', 'original_median_spacing_after_transp': [2.5, 0.7421875, 0.7421875], 'original_median_shape_after_transp': [138, 512, 512], 'image_reader_writer': 'SimpleITKIO', 'transpose_forward': [0, 1, 2], 'transpose_backward': [0, 1, 2], 'experiment_planner_used': 'ExperimentPlanner', 'label_manager': 'LabelManager'} ",
        "",
        row(t + 31, "unpacking dataset..."),
        row(t + 96, "unpacking done..."),
        row(t + 97, "Unable to plot network architecture: nnUNet_compile is enabled!"),
        row(t + 97, ""),
        row(t + 97, "Epoch 0"),
        row(t + 97, "Current learning rate: 0.01"),
    ]
    err = [
        "/home/mkaram/venvs/nnu/lib/python3.10/site-packages/nnunetv2/training/nnUNetTrainer/nnUNetTrainer.py:164: FutureWarning: `torch.cuda.amp.GradScaler(args...)` is deprecated. Please use `torch.amp.GradScaler('cuda', args...)` instead.",
        "  self.grad_scaler = GradScaler() if self.device.type == 'cuda' else None",
        "/home/mkaram/venvs/nnu/lib/python3.10/site-packages/torch/optim/lr_scheduler.py:62: UserWarning: The verbose parameter is deprecated. Please use get_last_lr() to access the learning rate.",
        "  warnings.warn(",
        "/home/mkaram/nnu/check_cases.py:57: RuntimeWarning: invalid value encountered in divide",
        "  spread = (high - low) / failed_share",
        f"W{clock(t + 99, '%m%d %H:%M:%S')}.518000 911204 torch/_inductor/utils.py:1137] [0/0] Not enough SMs to use max_autotune_gemm mode",
    ]
    put(place, "fold3.log", out)
    put(place, "fold3.err", err)


def c10_vineyard_moisture(place: Path, rng: Random) -> None:
    """A small program in Rust with burn, among what the site's shell has to say."""
    out = [
        "==== prolog node7: scratch /scratch/job_77120 created, 3 old files purged ====",
        "The following have been reloaded with a version change:",
        "  1) gcc/12.2.0 => gcc/13.1.0     2) cuda/12.2 => cuda/12.6",
        "",
        "device CudaDevice { index: 0 }, 214 880 windows for training, 23 876 for validation",
    ]
    train, valid = [], []
    for epoch in range(1, 15):
        train.append(falls(rng, epoch, 0.184, 0.0213, 2.6, 0.006))
        valid.append(falls(rng, epoch, 0.171, 0.0248, 2.6, 0.012))
        out.append(
            f"epoch {epoch:>2} of 14 | train mse {train[-1]:.5f} | valid mse {valid[-1]:.5f} | {842 + rng.randrange(-4, 5)} batches"
        )

    def line(split: str, name: str, values: list[float]) -> str:
        low, high = min(values), max(values)
        return f"| {split} | {name:<6} | {low:<8.3f} | {values.index(low) + 1:<8} | {high:<8.3f} | {values.index(high) + 1:<8} |"

    out += [
        "======================== Learner Summary ========================",
        "Model:",
        "Moisture {",
        "  gru: Gru {d_input: 18, d_hidden: 192, bias: true, reset_after: true, params: 122112}",
        "  norm: LayerNorm {d_model: 192, epsilon: 0.00001, params: 384}",
        "  head: Linear {d_input: 192, d_output: 6, bias: true, params: 1158}",
        "  params: 123654",
        "}",
        "Total Epochs: 14",
        "",
        "",
        "| Split | Metric | Min.     | Epoch    | Max.     | Epoch    |",
        "|-------|--------|----------|----------|----------|----------|",
        line("Train", "Loss", train),
        line("Valid", "Loss", valid),
        "",
        "model written to artifacts/moisture/model.mpk, config to artifacts/moisture/config.json",
        "==== epilog node7: scratch /scratch/job_77120 removed, quota 38% of 200G ====",
    ]
    err = [
        'Lmod is automatically replacing "gcc/12.2.0" with "gcc/13.1.0".',
        "bash: warning: setlocale: LC_ALL: cannot change locale (es_CL.UTF-8): No such file or directory",
        "stty: 'standard input': Inappropriate ioctl for device",
        "mesg: ttyname failed: Inappropriate ioctl for device",
        "warning: unused variable: `lag_hours`",
        "  --> src/dataset.rs:88:9",
        "   |",
        "88 |     let lag_hours = cfg.lag * 24;",
        "   |         ^^^^^^^^^ help: if this is intentional, prefix it with an underscore: `_lag_hours`",
        "   |",
        "   = note: `#[warn(unused_variables)]` on by default",
        "",
        'warning: `moisture` (bin "moisture") generated 1 warning',
        "    Finished `release` profile [optimized] target(s) in 0.31s",
        "     Running `target/release/moisture train --epochs 14 --batch 256 --backend cuda`",
    ]
    put(place, "moisture_77120.out", out)
    put(place, "moisture_77120.err", err)


def _marian_head(t: float, command: str, gpus: int, pid: int) -> list[str]:
    at = lambda s: f"[{clock(s)}] "  # noqa: E731
    rows = [
        at(t) + "[marian] Marian v1.12.0 65bf82f 2023-02-21 09:56:29 -0800",
        at(t) + "[marian] Running on gpu-b12.lt.uni as process " + f"{pid}" + " with command line:",
        at(t) + "[marian] " + command,
        at(t) + "[config] after: 0e",
        at(t) + "[config] beam-size: 6",
        at(t) + "[config] cost-type: ce-mean-words",
        at(t) + "[config] devices:",
    ]
    rows += [at(t) + f"[config]   - {g}" for g in range(gpus)]
    rows += [
        at(t) + "[config] dim-emb: 512",
        at(t) + "[config] disp-freq: 1000",
        at(t) + "[config] enc-depth: 6",
        at(t) + "[config] learn-rate: 0.0003",
        at(t) + "[config] lr-warmup: 16000",
        at(t) + "[config] mini-batch-fit: true",
        at(t) + "[config] save-freq: 10000",
        at(t) + "[config] seed: 1111",
        at(t) + "[config] transformer-heads: 8",
        at(t) + "[config] type: transformer",
        at(t) + "[config] valid-freq: 10000",
        at(t) + "[config] workspace: 20000",
    ]
    return rows


def c11_lv_en_base(place: Path, rng: Random) -> None:
    """A Marian model trained in two goes by a pipeline of scripts with a taste for colour."""
    e = "\x1b"
    t = 1 * 86400 + 13 * 3600 + 2 * 60 + 30.0
    out: list[str] = []
    gpus = 4
    total = 7_412_906

    def say(text: str) -> None:
        out.append(f"{e}[1;34m==>{e}[0m {e}[1m{text}{e}[0m")

    def start(s: float) -> float:
        out.extend(
            [
                f"[{clock(s + 1)}] [data] Loading SentencePiece vocabulary from file data/vocab.lven.spm",
                f"[{clock(s + 1)}] [data] Setting vocabulary size for input 0 to 32,000",
                f"[{clock(s + 1)}] [data] Loading SentencePiece vocabulary from file data/vocab.lven.spm",
                f"[{clock(s + 1)}] [data] Setting vocabulary size for input 1 to 32,000",
                f"[{clock(s + 2)}] [batching] Collecting statistics for batch fitting with step size 10",
                f"[{clock(s + 7)}] [memory] Extending reserved space to 20096 MB (device gpu0)",
                f"[{clock(s + 8)}] [memory] Extending reserved space to 20096 MB (device gpu1)",
                f"[{clock(s + 8)}] [memory] Extending reserved space to 20096 MB (device gpu2)",
                f"[{clock(s + 9)}] [memory] Extending reserved space to 20096 MB (device gpu3)",
                f"[{clock(s + 9)}] [comm] Using NCCL 2.8.3 for GPU communication",
                f"[{clock(s + 10)}] [comm] Using global sharding",
                f"[{clock(s + 11)}] [comm] NCCLCommunicators constructed successfully",
                f"[{clock(s + 11)}] [training] Using {gpus} GPUs",
                f"[{clock(s + 11)}] [logits] Applying loss function for 1 factor(s)",
                f"[{clock(s + 11)}] [memory] Reserving 231 MB, device gpu0",
                f"[{clock(s + 14)}] [batching] Done. Typical MB size is 61,776 target words",
            ]
        )
        return s + 15

    def learn(s: float, first: int, last: int, origin: int, scale: float) -> float:
        s += 2
        words = 0
        for up in range(first, last + 1, 1000):
            if up * 1482 // total > (up - 1000) * 1482 // total:
                epoch = 1 + up * 1482 // total
                turn = s + 331 * (1 - (up * 1482 % total) / 1_482_000)
                out.extend(
                    [
                        f"[{clock(turn)}] Seen {total:,} samples",
                        f"[{clock(turn)}] Starting data epoch {epoch} in logical epoch {epoch}",
                        f"[{clock(turn)}] [data] Shuffling data",
                    ]
                )
            took = 331 + rng.gauss(0, 2.5)
            s += took
            words += 44_100_000 + rng.randrange(-90_000, 90_000)
            sentences = (up * 1482) % total
            age = up - origin
            cost = falls(rng, age, 9.05, 2.62, 9000, 0.004)
            rate = 3e-4 * min(1.0, age / 16000) * (1 if age <= 16000 else math.sqrt(16000 / age))
            out.append(
                f"[{clock(s)}] Ep. {1 + up * 1482 // total} : Up. {up} : Sen. {sentences:,} : Cost {cost * scale:.8f} * {44_100_000 + rng.randrange(-90_000, 90_000):,} after {words:,} : Time {took:.2f}s : {44_100_000 / took:.2f} words/s : gNorm {0.31 + 2 * math.exp(-age / 5000) + rng.gauss(0, 0.01):.4f} : L.r. {rate:.4e}"
            )
            if up % 10000 == 0:
                out.extend(
                    [
                        f"[{clock(s + 1)}] Saving model weights and runtime parameters to {where}/model.npz.best-ce-mean-words.npz",
                        f"[{clock(s + 12)}] [valid] Ep. {1 + up * 1482 // total} : Up. {up} : ce-mean-words : {cost * 0.74:.5f} : new best",
                        f"[{clock(s + 41)}] [valid] Ep. {1 + up * 1482 // total} : Up. {up} : bleu-detok : {31.2 - 30.5 * math.exp(-age / 21000) + rng.gauss(0, 0.12):.4f} : new best",
                        f"[{clock(s + 42)}] Saving model weights and runtime parameters to {where}/model.npz",
                        f"[{clock(s + 43)}] Saving Adam parameters",
                        f"[{clock(s + 45)}] [training] Saving training checkpoint to {where}/model.npz and {where}/model.npz.optimizer.npz",
                    ]
                )
                s += 46
        return s

    where = "models/lven-base"
    say("lv-en base, part 1 of 2: up to 90k updates")
    out.extend(
        f"\r{e}[33mshuffle+dedup{e}[0m {100 * done // total:>3d}%|{bar(done, total, 20)}| {done}/{total} [{hms(done / 310_000)}<{hms((total - done) / 310_000)}, 310.0kit/s]"
        for done in (0, 2_100_000, 4_900_000, total)
    )
    command = "/opt/marian/build/marian -c configs/base.yml --model {} --train-sets data/train.lv.gz data/train.en.gz --vocabs data/vocab.lven.spm data/vocab.lven.spm --after-batches {} --devices 0 1 2 3"
    out += _marian_head(t, command.format(f"{where}/model.npz", 90000), gpus, 88213)
    s = start(t)
    out += [f"[{clock(s)}] Training started", f"[{clock(s)}] [data] Shuffling data"]
    s = learn(s, 1000, 90000, 0, 1.0)
    out += [
        f"[{clock(s)}] Training finished",
        f"[{clock(s + 1)}] Saving model weights and runtime parameters to {where}/model.npz",
        f"[{clock(s + 3)}] Saving Adam parameters",
    ]
    say("translating dev sets: newsdev2017 BLEU 30.7, flores BLEU 29.1")
    s += 260
    where = "models/lven_base"
    say("lv-en base, part 2 of 2: going on from the 90k model to 180k updates")
    out += _marian_head(s, command.format(f"{where}/model.npz", 180000), gpus, 104877)
    s = start(s)
    out += [f"[{clock(s)}] Training started", f"[{clock(s)}] [data] Shuffling data"]
    learn(s, 1000, 27000, 0, 1.0)
    put(place, "lven_pipeline.log", out)


def c12_lluvia_andes(place: Path, rng: Random) -> None:
    """Four ranks in Spanish, each with a file and the same complaint at every pass."""
    start = 3 * 86400 + 8 * 3600 + 12 * 60 + 9.0
    complaint = [
        "*** ATENCIÓN *** ATENCIÓN *** ATENCIÓN ***",
        "*** pluviómetro EST-0417 sin calibrar desde 2019: sus lecturas pesan 0,1 ***",
    ]
    passes = 28
    common = []
    t = start + 26
    for p in range(1, passes + 1):
        t += 141 + rng.gauss(0, 0.8)
        common.append((t, falls(rng, p, 1.37, 0.284, 5.5, 0.003), falls(rng, p, 1.41, 0.319, 5.6, 0.006)))
    for r in range(4):
        out = [
            f"{clock(start + r * 0.2)} [rango {r}] proceso {51230 + r} en yarará, tarjeta {r} (NVIDIA L40S)",
            f"{clock(start + 6 + r * 0.2)} [rango {r}] grupo nccl formado, 4 rangos",
            f"{clock(start + 9 + r * 0.1)} [rango {r}] 18 402 mosaicos para este rango",
        ]
        if r == 0:
            out.append(f"{clock(start + 12)} [rango 0] ConvLSTM de 22,7 M de parámetros, lote 24 por rango")
        before = start + 26
        for p, (when, all_train, valid) in enumerate(common, 1):
            own = all_train * (1 + rng.gauss(0, 0.01))
            out += [f"{clock(before + 0.6)} [rango {r}] {text}" for text in complaint]
            out.append(
                f"{clock(when)} [rango {r}] pasada {p}: pérdida {own:.4f}, 766 lotes en {140.2 + rng.gauss(0, 0.3):.1f} s"
            )
            before = when
            if r == 0:
                out.append(f"{clock(when + 0.4)} [rango 0] pasada {p}: validación {valid:.4f}")
        end = common[-1][0]
        if r == 0:
            out += [
                f"{clock(end + 3)} [rango 0] pesos finales en salida/lluvia_andes_final.pt",
                f"{clock(end + 9)} [rango 0] prueba: RMSE 2,31 mm/h, CSI(1 mm) 0,62",
            ]
        out.append(f"{clock(end + 10 + r * 0.05)} [rango {r}] entrenamiento terminado, grupo cerrado, salida 0")
        put(place, f"rango_{r}.log", out)
