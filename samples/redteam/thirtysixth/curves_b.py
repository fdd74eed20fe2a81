"""SIMULATED curves c07 to c12: what jobs left behind, computed and never recorded."""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import TYPE_CHECKING

from samples.redteam.thirtysixth.ticking import Clock, Noise, Pod, bar, falling, span

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _short(number: float) -> str:
    """A number as nanotron writes it."""
    for size, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"


def c07_fjord(place: Path, rng: Random) -> None:
    clock = Clock("2026-02-17T03:12:44", rng)
    out: list[str] = []
    records: list[str] = []
    total, wiggle = 25000, Noise(rng, 0.011)

    def say(text: str, who: str = "DP=0|PP=0|TP=0") -> None:
        out.append(f"{clock.say('%m/%d/%Y %H:%M:%S')} [INFO|{who}|fjord-gpu-06]: {text}")

    for step in range(11610, 14030, 10):
        clock.on(10 * 1.412 + (rng.random() < 0.03) * rng.uniform(3, 9), 0.006)
        ms = rng.gauss(1412, 9)
        loss = falling(step, 11.2, 1.94, 700, 0.72) + wiggle.next()
        grad = max(0.1, rng.gauss(0.31, 0.03))
        lr = 3e-5 + 2.7e-4 * 0.5 * (1 + math.cos(math.pi * step / total))
        tokens = 1048576 * 1000 / ms
        flops = rng.gauss(409, 3)
        say(
            f"iteration: {step} / {total} | consumed_tokens: {_short(step * 1048576)} | elapsed_time_per_iteration_ms: {_short(ms)} | "
            f"tokens_per_sec: {_short(tokens)} | tokens_per_sec_per_gpu: {_short(tokens / 16)} | global_batch_size: 512 | lm_loss: {loss:.3g} | "
            f"lr: {lr:.3g} | model_tflops_per_gpu: {flops:.3g} | hardware_tflops_per_gpu: {flops:.3g} | grad_norm: {grad:.3g} | "
            f"cuda_memory_allocated: 13.4G | cuda_max_memory_reserved: 61.7G | hd_total_memory_tb: 7.5T | hd_used_memory_tb: 2.81T | hd_free_memory_tb: 4.3T"
        )
        records.append(
            json.dumps(
                {
                    "_timestamp": round(clock.now.timestamp(), 3),
                    "iteration_step": step,
                    "lm_loss": round(loss, 5),
                    "lr": lr,
                    "grad_norm": round(grad, 5),
                    "tokens_per_sec": round(tokens, 1),
                    "elapsed_time_per_iteration_ms": round(ms, 2),
                }
            )
        )
        if step % 1000 == 0:
            say(f"Saving checkpoint at /fjord/work/p412/nt-1b/ckpt/{step}")
            clock.on(2)
            for part, after in (
                ("Saving weights...", 6),
                ("Saving optimizer states...", 11),
                ("Saving lr scheduler...", 0.3),
            ):
                say(part)
                clock.on(after)
    out[0] = out[0][97:]
    (place / "nt-1b-node06.out").write_text("\n".join(out) + "\n", encoding="utf-8")
    (place / "nt-1b-metrics.jsonl").write_text("\n".join(records) + "\n", encoding="utf-8")


def c08_zeolite(place: Path, rng: Random) -> None:
    clock = Clock("2026-03-12T13:20:05.61", rng)
    pod = Pod(clock)
    for attempt in (1, 2):
        pod.put(f"[entrypoint] rclone copy s3:zeo-sets/zeolite_r2scan_v4 /data (try {attempt}/5)", 0.2)
        if attempt == 1:
            pod.put(
                "ERROR : train.xyz: Failed to copy: multi-thread copy: failed to open source: RequestError: send request failed: read tcp 10.42.7.31:41830->10.8.0.14:443: read: connection reset by peer",
                19,
            )
            pod.put("NOTICE: Failed to copy: failed to open source: connection reset by peer")
            pod.put("[entrypoint] rclone said 1, waiting 15 s", 0.1)
            clock.on(15)
    pod.put("[entrypoint] data is there: train.xyz 1.1G, valid.xyz 61M, test.xyz 118M", 34)

    def info(text: str, after: float = 0.0, level: str = "INFO") -> None:
        pod.put(f"{level}: {text}", after)

    info("===========VERIFYING SETTINGS===========", 9)
    info("MACE version: 0.3.13")
    info("CUDA version: 12.4, CUDA device: 0", 0.3)
    info("===========LOADING INPUT DATA===========")
    info("Using heads: ['Default']")
    info("=============    Processing head Default     ===========")
    info("Training set [9214 configs, 9214 energy, 1990224 forces] loaded from '/data/train.xyz'", 41)
    info("Validation set [512 configs, 512 energy, 110592 forces] loaded from '/data/valid.xyz'", 2)
    info("Test set (1024 configs) loaded from '/data/test.xyz':", 4)
    info("Default_Default: 1024 configs, 1024 energy, 221184 forces, 0 stresses")
    info("Atomic Numbers used: [1, 8, 11, 13, 14]")
    info("Isolated Atomic Energies (E0s) not in training file, using command line argument")
    info("===========MODEL DETAILS===========", 5)
    info("Building model")
    info("Message passing with 128 channels and max_L=1 (128x0e+128x1o)")
    info("2 layers, each with correlation order: 3 (body order: 4) and spherical harmonics up to: l=3")
    info("Total number of parameters: 751376", 3)
    info("===========OPTIMIZER INFORMATION===========")
    info("Using ADAM as parameter optimizer")
    info("Batch size: 8")
    info("Number of gradient updates: 138240")
    info("Learning rate: 0.01, weight decay: 5e-07")
    info("===========TRAINING===========")
    info("Started training, reporting errors on validation set")
    info("Loss metrics on validation set")
    wiggle = Noise(rng, 0.02)
    epochs, swa = 120, 90
    info("Initial: head: Default, loss=18.42917704, RMSE_E_per_atom= 1147.31 meV, RMSE_F=  911.08 meV / A", 8)
    energy = force = 0.0
    for epoch in range(epochs):
        if epoch == swa:
            info("Changing loss based on Stage Two Weights", 0.1)
        force = falling(epoch + 1, 420, 14.6, 2.2, 1.25) * (1 + wiggle.next())
        energy = falling(epoch + 1, 61, 1.9, 3.0, 1.15) * (1 + wiggle.next() * 1.7)
        loss = 0.0021 + force**2 * 1e-5 + energy**2 * 2e-5
        if epoch >= swa:
            force *= 1.04
            energy *= 0.44
            loss = 0.0011 + energy**2 * 1e-3 + force**2 * 1e-6
        info(
            f"Epoch {epoch}: head: Default, loss={loss:.8f}, RMSE_E_per_atom={energy:8.2f} meV, RMSE_F={force:8.2f} meV / A",
            71 if epoch else 94,
        )
        if epoch == 57:
            pod.put(
                '[sync] ERROR : checkpoints/zeo_run-17_epoch-55.pt: Failed to copy: Put "https://s3.zeo.internal/zeo-runs/...": net/http: TLS handshake timeout'
            )
            pod.put("[sync] checkpoints/zeo_run-17_epoch-55.pt copied at the second try", 12)
    info("Training complete", 1)
    info("===========RESULTS===========")
    for name, at in (("Stage one", swa - 1), ("Stage two", epochs - 1)):
        info("Computing metrics for training, validation, and test sets", 1)
        info(f"Loaded {name} model from epoch {at} for evaluation", 1)
        low = (force * 0.81, energy * 0.83) if at > swa else (force * 0.78, energy * 1.9)
        info(f"Error-table on TRAIN and VALID ({name}):", 66)
        rule = "+---------------+---------------------+------------------+-------------------+"
        pod.put(rule)
        pod.put("|  config_type  | RMSE E / meV / atom | RMSE F / meV / A | relative F RMSE % |")
        pod.put(rule)
        pod.put(f"| train_Default | {low[1]:>19.1f} | {low[0]:>16.1f} | {low[0] / 9.7:>17.2f} |")
        pod.put(f"| valid_Default | {low[1] * 1.2:>19.1f} | {low[0] * 1.27:>16.1f} | {low[0] * 1.27 / 9.7:>17.2f} |")
        pod.put(rule)
        info(f"Error-table on TEST ({name}):", 15)
        pod.put(rule)
        pod.put("|  config_type  | RMSE E / meV / atom | RMSE F / meV / A | relative F RMSE % |")
        pod.put(rule)
        pod.put(f"|Default_Default| {low[1] * 1.22:>19.1f} | {low[0] * 1.29:>16.1f} | {low[0] * 1.29 / 9.7:>17.2f} |")
        pod.put(rule)
        file = "zeo_stagetwo.model" if at > swa else "zeo.model"
        info(f"Saving model to checkpoints/zeo_run-17{'_stagetwo' if at > swa else ''}.model", 1)
        info(f"Compiling model, saving metadata to {file.replace('.model', '_compiled.model')}", 4)
    info("Done", 2)
    pod.put("[entrypoint] rclone copy /out s3:zeo-runs/17: 9 files, 61.4M, ok", 7)
    pod.write(place / "mace-zeo-17-7b9f6.log")


def c09_kontrakt(place: Path, rng: Random) -> None:
    clock = Clock("2026-01-14T09:50:31.902", rng)
    pod = Pod(clock)
    pod.put("+ grep -A 14 '^\\[training\\]' configs/kontrakt_trf.cfg")
    pod.put(
        '[training]\naccumulate_gradient = 3\ndev_corpus = "corpora.dev"\ntrain_corpus = "corpora.train"\nseed = ${system.seed}\n'
        "gpu_allocator = ${system.gpu_allocator}\ndropout = 0.1\npatience = 3200\nmax_epochs = 0\nmax_steps = 30000\neval_frequency = 200\n"
        "frozen_components = []\nannotating_components = []\nbefore_to_disk = null\n"
    )
    pod.put(
        "+ python -m spacy train configs/kontrakt_trf.cfg --output /out/kontrakt --gpu-id 0 --paths.train corpus/train.spacy --paths.dev corpus/dev.spacy",
        0.1,
    )
    pod.put("ℹ Saving to output directory: /out/kontrakt", 7)
    pod.put("ℹ Using GPU: 0")
    pod.put("\n=========================== Initializing pipeline ===========================", 0.3)
    for text, after in (
        ("Set up nlp object from config", 1),
        ("Pipeline: ['transformer', 'ner']", 0.1),
        ("Created vocabulary", 0.1),
        ("Finished initializing nlp object", 6),
        ("Initialized pipeline components: ['transformer', 'ner']", 29),
    ):
        clock.on(after)
        pod.put(f"[{clock.comma()}] [INFO] {text}")
    pod.put("✔ Initialized pipeline")
    pod.put("\n============================= Training pipeline =============================")
    pod.put("ℹ Pipeline: ['transformer', 'ner']\nℹ Initial learn rate: 0.0")
    pod.put("E    #       LOSS TRANS...  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE ")
    pod.put("---  ------  -------------  --------  ------  ------  ------  ------")
    best, best_at, step, wiggle = 0.0, 0, 0, Noise(rng, 0.22, 0.3)
    while True:
        top = 88.4 * (1 - math.exp(-step / 700)) if step else 0.31
        score = max(0.2, top + (wiggle.next() * (1 + 9 * math.exp(-step / 900)) if step else 0))
        if step > 12400:
            score = min(score, best - rng.uniform(0.05, 0.5)) if step != 12600 else best + 0.17
        prec, rec = score + rng.uniform(-1.1, 1.1), 0.0
        rec = 1 / (2 / score - 1 / prec) if step else 0.83
        trans = 812.4 if not step else falling(step, 30500, 31, 460) * rng.uniform(0.8, 1.2)
        ner = 1031.7 if not step else falling(step, 24100, 120, 780) * rng.uniform(0.88, 1.12)
        pod.put(
            f"{step // 1170:>3}  {step:>6}  {trans:>13.2f}  {ner:>8.2f}  {score:>6.2f}  {prec if step else 0.19:>6.2f}  {rec:>6.2f}  {score / 100:>6.2f}",
            51 if step else 5,
        )
        if score > best:
            best, best_at = score, step
        if step - best_at >= 3200 and step > 12600:
            break
        step += 200
    pod.put("✔ Saved pipeline to output directory\n/out/kontrakt/model-last", 4)
    pod.put(
        "+ python -m spacy evaluate /out/kontrakt/model-best corpus/test.spacy --gpu-id 0 --output /out/kontrakt/test.json",
        0.8,
    )
    pod.put("ℹ Using GPU: 0", 8)
    pod.put("\n================================== Results ==================================\n", 21)
    pod.put(
        f"TOK     100.00\nNER P   {best - 0.9:.2f} \nNER R   {best - 0.31:.2f} \nNER F   {best - 0.6:.2f} \nSPEED   5814  "
    )
    pod.put("\n=============================== NER (per type) ===============================\n")
    pod.put("                 P       R       F")
    for name in ("PARTEI", "FRIST", "BETRAG", "KLAUSEL", "GERICHT"):
        value = best + rng.uniform(-6, 5)
        pod.put(f"{name:<10}   {value + 0.7:>6.2f}  {value - 0.7:>6.2f}  {value:>6.2f}")
    pod.put("\n✔ Saved results to /out/kontrakt/test.json")
    pod.write(place / "ner-kontrakt-train-0-zx4vp.log")


def c10_kidney(place: Path, rng: Random) -> None:
    out = [
        "nnUNetv2_train 217 3d_fullres 0 -tr nnUNetTrainerWatched_30epochs --npz",
        "nnUNet_preprocessed=/home/ext-vol/pre (sshfs)  nnUNet_n_proc_DA=2  nnUNet_compile=f",
        "Using device: cuda:0",
        "",
        "#######################################################################",
        "Please cite the following paper when using nnU-Net:",
        "Isensee, F., Jaeger, P. F., Kohl, S. A., Petersen, J., & Maier-Hein, K. H. (2021). nnU-Net: a self-configuring method for deep learning-based biomedical image segmentation. Nature methods, 18(2), 203-211.",
        "#######################################################################",
        "",
        "Using splits from existing split file: /home/ext-vol/pre/Dataset217_KidneyTx/splits_final.json",
        "The split file contains 5 splits.",
        "Desired fold for training: 0",
        "This split has 184 training and 46 validation cases.",
        "using pin_memory on device 0",
        "using pin_memory on device 0",
        "",
        "This is the configuration used by this training:",
        "Configuration name: 3d_fullres",
        " {'data_identifier': 'nnUNetPlans_3d_fullres', 'preprocessor_name': 'DefaultPreprocessor', 'batch_size': 2, 'patch_size': [128, 128, 128], "
        "'median_image_size_in_voxels': [187.0, 312.0, 312.0], 'spacing': [1.5, 0.98, 0.98], 'batch_dice': False} ",
        "",
        "unpacking dataset...",
        "unpacking done...",
        "Unable to plot network architecture:",
        "No module named 'hiddenlayer'",
        "",
    ]
    wiggle, best = Noise(rng, 0.011), 0.0
    ema = 0.0
    for epoch in range(30):
        train = falling(epoch, 0.06, -0.83, 6.3) + wiggle.next()
        val = train + 0.045 + rng.gauss(0, 0.012)
        dice = [
            max(0.0, peak * (1 - math.exp(-(epoch + 0.3) / tau)) + rng.gauss(0, 0.008))
            for peak, tau in ((0.945, 3.1), (0.78, 6.4))
        ]
        wait, busy = rng.gauss(3.42, 0.21), rng.gauss(0.208, 0.003)
        seconds = 250 * (wait + busy) + 50 * (wait * 0.93 + 0.09)
        mean = sum(dice) / 2
        ema = mean if not epoch else 0.9 * ema + 0.1 * mean
        out.extend(
            (
                f"Epoch {epoch}",
                f"Current learning rate: {round(0.01 * (1 - epoch / 30) ** 0.9, 5)}",
                f"train_loss {train:.4f}".rstrip("0"),
                f"val_loss {val:.4f}".rstrip("0"),
                f"Pseudo dice [{', '.join(f'np.float32({x:.4f})' for x in dice)}]",
                f"Watched: 250 it, next(dataloader_train) {wait:.2f} s/it (max {wait * rng.uniform(3, 6):.1f}), train_step {busy:.3f} s/it, gpu util avg {rng.randint(4, 7)} %, da worker cpu {rng.randint(9, 16)} %",
                f"Epoch time: {seconds:.2f} s",
            )
        )
        if ema > best:
            best = ema
            out.append(f"Yayy! New best EMA pseudo Dice: {ema:.4f}")
        out.append("")
    out.append("Training done.")
    out.append("Using splits from existing split file: /home/ext-vol/pre/Dataset217_KidneyTx/splits_final.json")
    for case in sorted(rng.sample(range(1, 231), 46)):
        out.append(f"predicting KTX_{case:03d}")
        out.append(f"KTX_{case:03d}, shape torch.Size([1, {rng.randint(150, 230)}, 312, 312]), rank 0")
    out.append("Validation complete")
    out.append(f"Mean Validation Dice:  {best + 0.0113:.16f}")
    (place / "ktx_fold0.txt").write_text("\n".join(out) + "\n", encoding="utf-8")


def c11_judo(place: Path, rng: Random) -> None:
    clock = Clock("2026-02-09T19:02:11", rng)
    out: list[str] = []
    epochs, per = 22, 412

    def mm(text: str, after: float = 0.0, level: str = "INFO") -> None:
        clock.on(after) if after else None
        out.append(f"{clock.say('%Y/%m/%d %H:%M:%S')} - mmengine - {level} - {text}")

    def run(stamp_at: int, last: int) -> None:
        stamp = clock.now.strftime("%Y%m%d_%H%M%S")
        mm(
            "\n"
            + "-" * 60
            + "\nSystem environment:\n    sys.platform: linux\n    Python: 3.10.14 (main, May  6 2024, 19:42:50) [GCC 11.2.0]\n    CUDA available: True\n"
            f"    numpy_random_seed: {stamp_at}\n    GPU 0: NVIDIA A100-SXM4-40GB\n    PyTorch: 2.1.2+cu121\n    MMEngine: 0.10.4\n\nRuntime environment:\n    cudnn_benchmark: False\n"
            f"    dist_cfg: {{'backend': 'nccl'}}\n    seed: {stamp_at}\n    Distributed launcher: none\n    Distributed training: False\n    GPU number: 1\n"
            + "-" * 60
            + "\n",
            14,
        )
        mm(
            "Config:\ndefault_scope = 'mmaction'\ndefault_hooks = dict(\n    checkpoint=dict(interval=1, save_best='auto', type='CheckpointHook', max_keep_ckpts=3),\n"
            "    logger=dict(interval=100, type='LoggerHook'))\nload_from = None\nresume = False\n"
            "model = dict(\n    backbone=dict(depth=50, pretrained='torchvision://resnet50', shift_div=8, type='ResNetTSM'),\n    cls_head=dict(num_classes=66, type='TSMHead'),\n    type='Recognizer2D')\n"
            f"train_cfg = dict(max_epochs={epochs}, type='EpochBasedTrainLoop', val_begin=1, val_interval=1)\nwork_dir = './work_dirs/judo_tsm'\n",
            1,
        )
        mm("load model from: torchvision://resnet50", 6)
        mm("These parameters in pretrained checkpoint are not loaded: {'fc.bias', 'fc.weight'}", 1)
        mm(
            '"FileClient" will be deprecated in future. Please use io functions in https://mmengine.readthedocs.io/en/latest/api/fileio.html#file-io',
            level="WARNING",
        )
        mm("Checkpoints will be saved to /gpfs/home/tv44/judo/work_dirs/judo_tsm.")
        wiggle = Noise(rng, 0.035)
        top, top_at = 0.0, 0
        for epoch in range(1, epochs + 1):
            lr = 0.0075 * (1.0 if epoch <= 10 else 0.1 if epoch <= 18 else 0.01)
            for it in (100, 200, 300, 400):
                if epoch == last and it > 200:
                    return
                at = epoch - 1 + it / per
                pace = rng.gauss(0.874, 0.012)
                clock.on(100 * pace, 0.003)
                loss = (
                    falling(at, 4.21, 0.94, 3.3)
                    + wiggle.next()
                    - (0.22 if epoch > 10 else 0)
                    - (0.05 if epoch > 18 else 0)
                )
                left = span((epochs * per - (epoch - 1) * per - it) * 0.879)
                acc1 = min(1.0, max(0.0, round((1 - loss / 4.4 + rng.gauss(0, 0.08)) * 16) / 16))
                mm(
                    f"Epoch(train) {f'[{epoch}]':>5}[{it}/{per}]  lr: {lr:.4e}  eta: {left}  time: {pace:.4f}  data_time: {abs(rng.gauss(0.021, 0.004)):.4f}  memory: 15133  "
                    f"grad_norm: {rng.gauss(5.6, 0.5):.4f}  loss: {loss:.4f}  top1_acc: {acc1:.4f}  top5_acc: {min(1.0, acc1 + 0.1875):.4f}  loss_cls: {loss:.4f}"
                )
            mm(f"Exp name: tsm_r50_judo66_{stamp}", 10.5)
            mm(f"Saving checkpoint at {epoch} epochs")
            clock.on(1.4)
            acc = 0.785 - 0.75 * math.exp(-epoch / 3.9) + rng.gauss(0, 0.006) + (0.035 if epoch > 10 else 0)
            mm(
                f"Epoch(val) [{epoch}][96/96]    acc/top1: {acc:.4f}  acc/top5: {min(0.97, acc + 0.14):.4f}  acc/mean1: {acc - 0.012:.4f}  data_time: 0.0644  time: 0.3121",
                30,
            )
            if acc > top:
                if top_at:
                    mm(
                        f"The previous best checkpoint /gpfs/home/tv44/judo/work_dirs/judo_tsm/best_acc_top1_epoch_{top_at}.pth is removed"
                    )
                top, top_at = acc, epoch
                mm(
                    f"The best checkpoint with {acc:.4f} acc/top1 at {epoch} epoch is saved to best_acc_top1_epoch_{epoch}.pth.",
                    1,
                )

    def dress(job: int, node: str, part: str, dep: str) -> None:
        out.extend(
            (
                "#" * 66,
                f"# prologue    job {job}   partition {part}   node {node}   {clock.say('%a %b %d %H:%M:%S %Y')}",
                f"# dependency  {dep}",
                "#" * 66,
                "Loading judo/2026a",
                "  Loading requirement: cuda/12.1 ffmpeg/6.0",
                "The following have been reloaded with a version change: 1) gcc/11.3 => gcc/12.2",
                "quota tv44: 412G of 800G used, 1.3M of 4M files",
                f"({node}) $ python tools/train.py configs/judo/tsm_r50_judo66.py --work-dir ./work_dirs/judo_tsm",
            )
        )

    dress(938117, "gn0312", "short", "(null)")
    run(1830517264, 13)
    clock.on(20)
    out.extend(
        (
            f"chain.sh: {clock.say('%H:%M')}, 10 minutes left of this link; stopping python (pid 71420), the rest belongs to job 938118",
            "chain.sh: python ended with 143 as asked",
            "# epilogue    job 938117   cpu 11:42:07   maxrss 31.4G   scratch cleaned",
            "",
        )
    )
    clock.on(2 * 3600 + 1111)
    dress(938118, "gn0340", "long", "afterany:938117 (fulfilled)")
    run(402885139, 0)
    out.extend(
        ("chain.sh: python ended with 0", "# epilogue    job 938118   cpu 20:05:51   maxrss 31.5G   scratch cleaned")
    )
    (place / "judo_chain.out").write_text("\n".join(out) + "\n", encoding="utf-8")


def c12_sweep(place: Path, rng: Random) -> None:
    clock = Clock("2026-03-18T22:04:19.33", rng)
    blue = "\x1b[34m\x1b[1mwandb\x1b[0m: "
    out = [
        f"--- {clock.say('%c')} --- tern03 --- job 60417 --- user mvidal --- qos normal ---\n",
        "Lmod: loading python/3.11.5 cuda/12.4\n",
        "\x1b[33mNote:\x1b[0m /scratch is purged on the first Monday of the month. Questions: hpc-help@ocean.example\n",
        "tern03 uptime 41 days, load 3.11, 2 users\n",
        "$ source ~/envs/tabnets/bin/activate && wandb agent --count 48 ocean-lab/salinity-nets/p0c7xq2v\n",
        f"{blue}Starting wandb agent 🕵️\n",
    ]
    begun = clock.now

    def agent(text: str) -> None:
        out.append(f"{clock.comma()} - wandb.wandb_agent - INFO - {text}\n")

    words = ("glad", "polar", "dashing", "fresh", "wandering", "lunar", "silver", "misty", "crisp", "golden")
    ident = ""
    for number in range(1, 40):
        agent("Running runs: []" if number == 1 else "Cleaning up finished run: " + ident)
        ident = "".join(rng.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(8))
        batch, depth, drop, lr = (
            rng.choice((128, 256, 512)),
            rng.choice((2, 3, 4, 6)),
            round(rng.uniform(0, 0.4), 3),
            10 ** rng.uniform(-3.7, -2.4),
        )
        agent("Agent received command: run")
        agent(
            f"Agent starting run with config:\n\tbatch_size: {batch}\n\tdepth: {depth}\n\tdropout: {drop}\n\tepochs: 40\n\tlr: {lr!r}"
        )
        agent(
            f"About to run command: /usr/bin/env python fit.py --batch_size={batch} --depth={depth} --dropout={drop} --epochs=40 --lr={lr!r}"
        )
        clock.on(6)
        name = f"{rng.choice(words)}-sweep-{number}"
        out.extend(
            (
                f"{blue}Currently logged in as: \x1b[33mmvidal\x1b[0m (\x1b[33mocean-lab\x1b[0m) to \x1b[32mhttps://api.wandb.ai\x1b[0m. Use \x1b[1m`wandb login --relogin`\x1b[0m to force relogin\n",
                f"{blue}Tracking run with wandb version 0.19.8\n",
                f"{blue}Run data is saved locally in \x1b[35m\x1b[1m/scratch/mvidal/salinity/wandb/run-{clock.now:%Y%m%d_%H%M%S}-{ident}\x1b[0m\n",
                f"{blue}Syncing run \x1b[33m{name}\x1b[0m\n",
            )
        )
        steps = 65536 // batch
        wiggle, loss = Noise(rng, 0.006), 0.0
        tau, floor = 3.0 * (0.002 / lr) ** 0.4, 0.11 + 0.12 * drop + 0.02 * abs(depth - 4) + rng.uniform(0, 0.02)
        per = steps * (0.0068 + 0.0014 * depth)
        for epoch in range(1, 41):
            loss = max(0.05, falling(epoch, 1.04, floor, tau) + wiggle.next())
            marks, pace = [0, steps // 2, steps], per * rng.gauss(1, 0.025)
            if number == 39 and epoch == 17:
                marks = [0, int(steps * 0.62)]
            for mark in marks:
                tail = f"loss={loss * (1.05 - 0.05 * mark / steps):.4f}" if mark else ""
                out.append("\r" + bar(f"ep {epoch:02d}", mark, steps, pace * mark / steps, 20, tail))
            if len(marks) < 3:
                clock.on(pace * 0.62)
                break
            clock.on(pace, 0.005)
            val = loss * 1.07 + 0.01 + abs(rng.gauss(0, 0.004))
            out.append(f"\nep {epoch:02d}/40 train {loss:.4f} \x1b[32mval {val:.4f}\x1b[0m r2 {1 - val * 0.93:.3f}\n")
        else:
            url = "\x1b[34m\x1b[4mhttps://wandb.ai/ocean-lab/salinity-nets/runs/" + ident + "\x1b[0m"
            out.extend(
                (
                    f"{blue}                                                                                \n",
                    f"{blue}\n",
                    f"{blue}Run history:\n",
                    f"{blue}train █▆▄▃▃▂▂▂▂▂▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁\n",
                    f"{blue}  val █▆▅▃▃▂▂▂▂▂▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁\n",
                    f"{blue}\n",
                    f"{blue}Run summary:\n",
                    f"{blue}train {loss:.5f}\n",
                    f"{blue}  val {val:.5f}\n",
                    f"{blue}\n",
                    f"{blue}🚀 View run \x1b[33m{name}\x1b[0m at: {url}\n",
                    f"{blue}Synced 5 W&B file(s), 0 media file(s), 0 artifact file(s) and 0 other file(s)\n",
                )
            )
            clock.on(5)
            continue
        break
    (place / "sweep_60417.log").write_text("".join(out), encoding="utf-8")
    seen = clock.now + timedelta(seconds=3)
    passed = span((seen - begun).total_seconds() + 4)
    passed = passed.rjust(8, "0") if passed.count(":") == 2 else "00:" + passed
    start = (begun - timedelta(seconds=4)).strftime("%Y-%m-%dT%H:%M:%S")
    (place / "sacct.txt").write_text(
        f"[mvidal@tern-login1 salinity]$ date; sacct -j 60417 -X -o jobid,jobname,partition,state,exitcode,start,end,elapsed,timelimit,nodelist\n{seen:%a %b %d %H:%M:%S UTC %Y}\n"
        "JobID           JobName  Partition      State ExitCode               Start                 End    Elapsed  Timelimit        NodeList \n"
        "------------ ---------- ---------- ---------- -------- ------------------- ------------------- ---------- ---------- --------------- \n"
        f"60417          salsweep        gpu    RUNNING      0:0 {start}             Unknown {passed:>10} 1-00:00:00          tern03 \n",
        encoding="utf-8",
    )
