"""The curves of the twenty-second set, first half: SIMULATED logs, written before anything was run on them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 86400.0


def c01(place: Path, rng: Random) -> None:
    """Anomalib, STFPM on parts of the user's own line: all epochs, then the test."""
    t = DAY + 9 * 3600 + 12 * 60 + 31

    def said(name: str, level: str, text: str, plus: float) -> str:
        nonlocal t
        t += plus
        return f"{clock(t)},{int(t % 1 * 1000):03d} - {name} - {level} - {text}"

    out = [
        "+ anomalib train --model Stfpm --config configs/welds_crash_panel.yaml",
        f"{clock(t)}.204113: I tensorflow/core/util/port.cc:153] oneDNN custom operations are on. You may see slightly "
        "different numerical results due to floating-point round-off errors from different computation orders. To turn "
        "them off, set the environment variable `TF_ENABLE_ONEDNN_OPTS=0`.",
        "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
        "E0000 00:00:1793697151.771920  214407 cuda_dnn.cc:8579] Unable to register cuDNN factory: Attempting to "
        "register factory for plugin cuDNN when one has already been registered",
        "E0000 00:00:1793697151.779003  214407 cuda_blas.cc:1407] Unable to register cuBLAS factory: Attempting to "
        "register factory for plugin cuBLAS when one has already been registered",
        said("anomalib.utils.config", "WARNING", "Anomalib currently does not support multi-gpu training.", 9.1),
        said("anomalib.models.components.base.anomaly_module", "INFO", "Initializing Stfpm model.", 1.2),
        said("anomalib.callbacks", "INFO", "Loading the callbacks", 0.1),
        said(
            "anomalib.metrics.f1_score",
            "WARNING",
            "F1Score class exists for backwards compatibility. It will be removed in v1.1. "
            "Please use BinaryF1Score from torchmetrics instead",
            0.2,
        ),
        said("anomalib.engine.engine", "INFO", "Overriding max_epochs from None with 100 for Stfpm", 0.4),
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        said("timm.models._builder", "INFO", "Loading pretrained weights from Hugging Face hub", 0.6),
        said(
            "timm.models._hub",
            "INFO",
            "[timm/resnet18.a1_in1k] Safe alternative available for 'pytorch_model.bin' (as 'model.safetensors'). "
            "Loading weights using safetensors.",
            1.9,
        ),
        said(
            "timm.models._builder",
            "INFO",
            "Missing keys (fc.weight, fc.bias) discovered while loading pretrained weights. "
            "This is expected if model is being adapted.",
            0.1,
        ),
        "test split: broken_seam (31), burn_through (18), crash_mark (22), dead_pixel (9), fatal_crack (14), good (60)",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name                  | Type                     | Params | Mode ",
        "---------------------------------------------------------------------------",
        "0 | model                 | STFPMModel               | 5.6 M  | train",
        "1 | loss                  | STFPMLoss                | 0      | train",
        "2 | _transform            | Compose                  | 0      | train",
        "3 | normalization_metrics | MetricCollection         | 0      | train",
        "4 | image_threshold       | F1AdaptiveThreshold      | 0      | train",
        "5 | pixel_threshold       | F1AdaptiveThreshold      | 0      | train",
        "6 | image_metrics         | AnomalibMetricCollection | 0      | train",
        "7 | pixel_metrics         | AnomalibMetricCollection | 0      | train",
        "---------------------------------------------------------------------------",
        "2.8 M     Trainable params",
        "2.8 M     Non-trainable params",
        "5.6 M     Total params",
        "22.263    Total estimated model params size (MB)",
        "/opt/conda/lib/python3.10/site-packages/lightning/pytorch/loops/fit_loop.py:298: The number of training batches"
        " (9) is smaller than the logging interval Trainer(log_every_n_steps=50). Set a lower value for "
        "log_every_n_steps if you want to see logs for the training epoch.",
    ]
    took = 0.0
    pixel = image = 0.0
    for epoch in range(100):
        loss = falls(rng, epoch, 3.4, 0.31, 14, 0.012)
        gain = 1 - math.exp(-(epoch + 1) / 16)
        pixel = 0.71 + 0.252 * gain + rng.gauss(0, 0.003)
        image = 0.58 + 0.336 * gain + rng.gauss(0, 0.006)
        secs = 5.6 + rng.uniform(-0.5, 0.9) + (6 if epoch == 0 else 0)
        took += secs + 1.3
        rate = f"{9 / secs:5.2f}it/s" if secs < 9 else f"{secs / 9:5.2f}s/it"
        out.append(
            f"Epoch {epoch}: 100%|{bar(9, 9)}| 9/9 [{hms(secs)}<00:00, {rate}, "
            f"train_loss_step={loss * (1 + rng.gauss(0, 0.04)):#.3g}, pixel_AUROC={pixel:.3f}, "
            f"pixel_F1Score={pixel - 0.41 + rng.gauss(0, 0.008):.3f}, image_AUROC={image:.3f}, "
            f"image_F1Score={0.78 + 0.12 * gain + rng.gauss(0, 0.005):.3f}, train_loss_epoch={loss:#.3g}]"
        )
    out += [
        "`Trainer.fit` stopped: `max_epochs=100` reached.",
        said("anomalib.callbacks.timer", "INFO", f"Training took {took:5.2f} seconds", took),
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        f"Testing DataLoader 0: 100%|{bar(5, 5)}| 5/5 [00:04<00:00,  1.11it/s]",
        said(
            "anomalib.callbacks.timer",
            "INFO",
            "Testing took 6.418284893035889 seconds\nThroughput (batch_size=32) : 23.994450700122513 FPS",
            7.2,
        ),
        "┏━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━┓",
        "┃        Test metric        ┃       DataLoader 0        ┃",
        "┡━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━┩",
        f"│        image_AUROC        │    {image:<18.16f}     │",
        "│       image_F1Score       │    0.8979591727256775     │",
        f"│        pixel_AUROC        │    {pixel:<18.16f}     │",
        "│       pixel_F1Score       │    0.5528817772865295     │",
        "└───────────────────────────┴───────────────────────────┘",
    ]
    put(place, "train_welds.log", out)


def c02(place: Path, rng: Random) -> None:
    """Merlin: a column that the processed set does not have; nothing was trained."""
    t = 2 * DAY + 14 * 3600 + 3 * 60
    sites = "/usr/local/lib/python3.10/dist-packages"
    out = [
        "==================================",
        "== Merlin TensorFlow (23.06) ==",
        "==================================",
        "NVIDIA Release 23.06 (build 62138840)",
        "",
        f"{clock(t + 4)}.310442: I tensorflow/core/platform/cpu_feature_guard.cc:183] This TensorFlow binary is "
        "optimized to use available CPU instructions in performance-critical operations.",
        f"{sites}/merlin/dtypes/mappings/tf.py:52: UserWarning: Tensorflow dtype mappings did not load successfully "
        "due to an error: No module named 'tensorflow_io'",
        f"{clock(t + 19)}.771913: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1638] Created device "
        "/job:localhost/replica:0/task:0/device:GPU:0 with 20480 MB memory:  -> device: 0, name: NVIDIA A10, "
        "pci bus id: 0000:17:00.0, compute capability: 8.6",
        "[prep] train: 412 parquet files, 88.4M rows; valid: 46 files, 9.7M rows",
        "[prep] categorical: user_id item_id brand cat_0 cat_1 device_os hour dow",
        "[prep] continuous: price age_days user_age ts_delta",
        "[prep] workflow: Categorify(freq_threshold=15) / Normalize / AddMetadata(tags=binary_classification)",
        "Traceback (most recent call last):",
        '  File "/workspace/rec/train_dlrm.py", line 143, in <module>',
        "    main()",
        '  File "/workspace/rec/train_dlrm.py", line 96, in main',
        "    workflow.fit(train_ds)",
        f'  File "{sites}/nvtabular/workflow/workflow.py", line 198, in fit',
        "    self.executor.fit(dataset, self.graph)",
        f'  File "{sites}/merlin/dag/executors.py", line 482, in fit',
        "    graph.construct_schema(dataset.schema)",
        f'  File "{sites}/merlin/dag/graph.py", line 123, in construct_schema',
        "    self._compute_node_schemas(root_schema, nodes, preserve_dtypes)",
        f'  File "{sites}/merlin/dag/graph.py", line 157, in _compute_node_schemas',
        "    node.compute_schemas(root_schema, preserve_dtypes=preserve_dtypes)",
        f'  File "{sites}/merlin/dag/node.py", line 167, in compute_schemas',
        "    self.selector = self.op.compute_selector(",
        f'  File "{sites}/merlin/dag/base_operator.py", line 59, in compute_selector',
        "    self._validate_matching_cols(input_schema, selector, self.compute_selector.__name__)",
        f'  File "{sites}/merlin/dag/base_operator.py", line 227, in _validate_matching_cols',
        "    raise ValueError(",
        "ValueError: Missing columns ['user_age'] found in operatorNormalize during compute_selector.",
    ]
    put(place, "train.log", out)
    rows = ["timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu"]
    for k in range(21):
        used = 4 if k < 4 or k > 9 else 21207 if k > 4 else 311
        util = rng.choice((0, 0, 1, 3)) if 3 < k < 10 else 0
        watts = 56 + rng.random() * 3 if 3 < k < 11 else 17 + rng.random()
        stamp = clock(t + 5 * k, "%Y/%m/%d %H:%M:%S") + f".{rng.randrange(1000):03d}"
        rows.append(f"{stamp}, 0, {util} %, {used} MiB, {watts:.2f} W, {31 + (k > 5) + (k > 8)}")
    put(place, "gpu.csv", rows)


def c03(place: Path, rng: Random) -> None:
    """musubi-tuner: a LoRA of Wan on video latents that lie on a slow share; the user measured where time goes."""
    out: list[str] = []
    total, elapsed = 1600, 287 * 31.4
    average = 0.0911
    for step in range(288, 434):
        data = rng.lognormvariate(math.log(26.6), 0.22) if rng.random() < 0.93 else rng.uniform(58, 92)
        work = rng.gauss(3.04, 0.05)
        elapsed += data + work + 0.12
        average += rng.gauss(-0.00003, 0.0004)
        rate = elapsed / step
        out.append(
            f"steps:  {100 * step // total:2d}%|{bar(step, total)}| {step}/{total} "
            f"[{hms(elapsed)}<{hms(rate * (total - step))}, {rate:.2f}s/it, avr_loss={average:.4f}]"
        )
        if step % 5 == 0:
            out.append(
                f"INFO:__main__:[timing] step {step}: dataloader wait {data:.2f}s, forward+backward {work:.2f}s, "
                f"optimizer 0.12s, gpu busy {100 * (work + 0.12) / (data + work + 0.12):.0f}%"
            )
        if step % 80 == 0:
            epoch = step // 80
            out += [
                "INFO:musubi_tuner.dataset.image_video_dataset:epoch is incremented. current_epoch: "
                f"{epoch - 1}, epoch: {epoch}",
                "",
                f"epoch {epoch + 1}/20",
            ]
        if step % 100 == 0:
            out += [
                "",
                f"saving checkpoint: /mnt/nas02/lora/kimono_wan14b/kimono_wan14b-step{step:08d}.safetensors",
            ]
        if data > 57:
            out.append(
                f"WARNING:__main__:[timing] slow batch: {data:.1f}s in DataLoader, "
                f"{data - 3.1:.1f}s of it reading *_wan.safetensors from /mnt/nas02/cache (0 batches prefetched)"
            )
    put(place, "musubi_tail.log", out)


def c04(place: Path, rng: Random) -> None:
    """A home-made German loop which stops between two epochs, without a word about the end or the plan."""
    t = 3 * DAY + 21 * 3600 + 40 * 60
    out = [
        f"{clock(t, '%d.%m.%Y %H:%M:%S')}  Starte Training: Segmentierung Gewebeschnitte, Fold 2",
        f"{clock(t + 1, '%d.%m.%Y %H:%M:%S')}  Gerät: cuda:0 (NVIDIA RTX A6000)",
        f"{clock(t + 9, '%d.%m.%Y %H:%M:%S')}  Trainingsbilder: 3412, Validierungsbilder: 427",
        f"{clock(t + 9, '%d.%m.%Y %H:%M:%S')}  Optimierer: AdamW, Lernrate 0,0003, Stapelgröße 12",
    ]
    t += 20
    best = 0.0
    for epoch in range(1, 88):
        loss = falls(rng, epoch, 0.84, 0.192, 17, 0.015)
        dice = 0.861 - 0.52 * math.exp(-epoch / 13) + rng.gauss(0, 0.005)
        lasted = rng.gauss(318, 6)
        t += lasted
        out.append(
            f"{clock(t, '%d.%m.%Y %H:%M:%S')}  Epoche {epoch:>3}  Verlust {loss:.4f}".replace("t 0.", "t 0,")
            + f"  Val-Verlust {loss * 1.13 + rng.gauss(0, 0.006):.4f}  Dice {dice:.4f}".replace(" 0.", " 0,")
            + f"  Dauer {lasted:.0f} s"
        )
        if dice > best + 0.002:
            best = dice
            out.append(
                f"{clock(t + 1, '%d.%m.%Y %H:%M:%S')}      neues bestes Modell gespeichert (Dice "
                + f"{dice:.4f})".replace(".", ",")
            )
    put(place, "training_fold2.log", out)


def c05(place: Path, rng: Random) -> None:
    """DLRM on Criteo Kaggle: the log ends in the middle of the second epoch."""
    batches = 306969
    out = [
        "fatal: not a git repository (or any of the parent directories): .git",
        "Unable to import onnx.  No module named 'onnx'",
        "Unable to import mlperf_logging,  No module named 'mlperf_logging'",
        "Using 1 GPU(s)...",
        "Reading pre-processed data=./input/kaggleAdDisplayChallenge_processed.npz",
        "Sparse fea = 26, Dense fea = 13",
        "Defined train indices...",
        "Randomized indices across days ...",
        "Split data according to indices...",
        "Reading pre-processed data=./input/kaggleAdDisplayChallenge_processed.npz",
        "Sparse fea = 26, Dense fea = 13",
        "Defined test indices...",
        "Randomized indices across days ...",
        "Split data according to indices...",
        "time/loss/accuracy (if enabled):",
        "/home/jpark/dlrm/dlrm_s_pytorch.py:1128: UserWarning: lr_scheduler.step() called before optimizer.step(): "
        "skipping the first value of the schedule. Failure to do this will result in PyTorch skipping the first value",
    ]
    rows = ["epoch,iter,train_bce,test_acc,test_best"]
    best = 0.0
    stops = [(0, it) for it in range(512, batches, 512)] + [(0, batches)]
    stops += [(1, it) for it in range(512, 138_000, 512)]
    for epoch, it in stops:
        seen = epoch * batches + it
        loss = 0.4552 + 0.055 * math.exp(-seen / 21000) - 0.021 * (seen / (2 * batches)) + rng.gauss(0, 0.0032)
        loss -= 0.011 * epoch
        out.append(
            f"Finished training it {it}/{batches} of epoch {epoch}, {rng.gauss(7.92, 0.09):.2f} ms/it, loss {loss:.6f}"
        )
        if it % 20480 == 0 or it == batches:
            accuracy = 78.72 - 1.1 * math.exp(-seen / 60000) + rng.gauss(0, 0.03) + 0.06 * epoch
            best = max(best, accuracy)
            out += [
                f"Testing at - {it}/{batches} of epoch {epoch},",
                f" accuracy {accuracy:3.3f} %, best {best:3.3f} %",
            ]
            if accuracy == best:
                out.append("Saving model to ckpt/kaggle_d16.pt")
            rows.append(f"{epoch},{it},{loss:.6f},{accuracy:.3f},{best:.3f}")
    put(place, "run_kaggle.out", out)
    put(place, "metrics.csv", rows)


def c06(place: Path, rng: Random) -> None:
    """mmdetection: a RetinaNet whose rate is too high for its batch; not a number from the second epoch on."""
    t = 4 * DAY + 11 * 3600 + 7 * 60
    tag = "\x1b[4m\x1b[37mINFO\x1b[0m"
    out: list[str] = []

    def say(text: str, level: str = tag) -> None:
        out.append(f"{clock(t, '%m/%d %H:%M:%S')} - mmengine - {level} - {text}")

    say("")
    out += [
        "------------------------------------------------------------",
        "System environment:",
        "    sys.platform: linux",
        "    Python: 3.10.13 | packaged by conda-forge | [GCC 12.3.0]",
        "    CUDA available: True",
        "    MUSA available: False",
        "    numpy_random_seed: 1187392231",
        "    GPU 0: NVIDIA GeForce RTX 4090",
        "    CUDA_HOME: /usr/local/cuda-12.1",
        "    PyTorch: 2.1.2+cu121",
        "    OpenCV: 4.9.0",
        "    MMEngine: 0.10.4",
        "",
        "Runtime environment:",
        "    cudnn_benchmark: False",
        "    mp_cfg: {'mp_start_method': 'fork', 'opencv_num_threads': 0}",
        "    dist_cfg: {'backend': 'nccl'}",
        "    seed: 1187392231",
        "    Distributed launcher: none",
        "    Distributed training: False",
        "    GPU number: 1",
        "------------------------------------------------------------",
        "",
    ]
    t += 6
    say(
        "Distributed training is not used, all SyncBatchNorm (SyncBN) layers in the model will be automatically "
        "reverted to BatchNormXd layers if they are used."
    )
    t += 9
    say("load model from: torchvision://resnet50")
    say("Loads checkpoint by torchvision backend from path: torchvision://resnet50")
    say(
        "The model and loaded state dict do not match exactly\n\nunexpected key in source state_dict: "
        "fc.weight, fc.bias\n",
        "\x1b[4m\x1b[33mWARNING\x1b[0m",
    )
    say(
        '"FileClient" will be deprecated in future. Please use io functions in https://mmengine.readthedocs.io/en/'
        "latest/api/fileio.html#file-io",
        "\x1b[4m\x1b[33mWARNING\x1b[0m",
    )
    say("Checkpoints will be saved to /home/minh/mmdetection/work_dirs/retinanet_r50_harbour.")
    per, epochs = 2940, 12
    cost = 0.2231
    start = t
    for epoch in range(1, epochs + 1):
        for it in range(50, per + 1, 50):
            step = (epoch - 1) * per + it
            took = rng.gauss(cost, 0.004)
            t += took * 50
            rate = 0.04 if epoch <= 8 else 0.004 if epoch <= 11 else 0.0004
            rate *= min(1.0, 0.001 + 0.999 * step / 500)
            if step < 1500:
                cls, box = falls(rng, step, 1.29, 0.9, 420, 0.03), falls(rng, step, 0.71, 0.55, 420, 0.03)
            elif step < 4180:
                up = math.exp(((step - 1500) / 2680) ** 2 * 3.6)
                cls = 0.96 * up * (1 + rng.gauss(0, 0.07))
                box = 0.57 * (1 + (up - 1) * 0.21) * (1 + rng.gauss(0, 0.05))
            else:
                cls = box = math.nan
            left = int((t - start) / step * (epochs * per - step))
            eta = f"{left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}"
            say(
                f"Epoch(train)  {f'[{epoch}]':>4}[{it:4d}/{per}]  lr: {rate:.4e}  eta: {eta}  time: {took:.4f}  "
                f"data_time: {rng.gauss(0.0062, 0.0006):.4f}  memory: 4187  loss: {cls + box:.4f}  "
                f"loss_cls: {cls:.4f}  loss_bbox: {box:.4f}"
            )
            if it % 1000 == 0:
                say("Exp name: retinanet_r50_harbour_" + clock(start, "%Y%m%d_%H%M%S"))
        say(f"Saving checkpoint at {epoch} epochs")
        t += 4
        for it in range(50, 401, 50):
            t += 1.9
            say(
                f"Epoch(val)  [{epoch}][{it:3d}/412]    eta: 0:00:{max(0, int((412 - it) * 0.038)):02d}  "
                f"time: {rng.gauss(0.0381, 0.001):.4f}  data_time: 0.0019  memory: 772  "
            )
        if epoch == 1:
            say("Evaluating bbox...")
            out += ["Loading and preparing results...", "DONE (t=0.31s)", "creating index...", "index created!"]
            out += ["Running per image evaluation...", "Evaluate annotation type *bbox*", "DONE (t=4.02s)."]
            out += ["Accumulating evaluation results...", "DONE (t=0.88s)."]
            t += 6
            say("bbox_mAP_copypaste: 0.061 0.127 0.052 0.018 0.071 0.094")
            say(
                f"Epoch(val) [{epoch}][412/412]    coco/bbox_mAP: 0.0610  coco/bbox_mAP_50: 0.1270  "
                "coco/bbox_mAP_75: 0.0520  coco/bbox_mAP_s: 0.0180  coco/bbox_mAP_m: 0.0710  "
                "coco/bbox_mAP_l: 0.0940  data_time: 0.0019  time: 0.0380"
            )
        else:
            say("Evaluating bbox...")
            say("The testing results of the whole dataset is empty.", "\x1b[4m\x1b[31mERROR\x1b[0m")
            say(f"Epoch(val) [{epoch}][412/412]    data_time: 0.0019  time: {rng.gauss(0.0366, 0.001):.4f}")
    put(place, "train.out", out)
    err = [
        'Downloading: "https://download.pytorch.org/models/resnet50-0676ba61.pth" to '
        "/home/minh/.cache/torch/hub/checkpoints/resnet50-0676ba61.pth",
        "\r".join(
            f"{done:3d}%|{bar(done, 100)}| {97.8 * done / 100:.1f}M/97.8M [00:0{done // 12}<00:0{(100 - done) // 12}, "
            f"{rng.uniform(10.8, 11.6):.1f}MB/s]"
            for done in (0, 9, 21, 33, 45, 57, 69, 80, 92, 100)
        ),
        "wandb: Currently logged in as: \x1b[33mminh-dt\x1b[0m. Use \x1b[1m`wandb login --relogin`\x1b[0m to force "
        "relogin",
        "wandb: Tracking run with wandb version 0.16.6",
        "wandb: Run data is saved locally in \x1b[35m\x1b[1m/home/minh/mmdetection/wandb\x1b[0m",
        "/home/minh/.conda/envs/mmdet/lib/python3.10/site-packages/torch/functional.py:504: UserWarning: "
        "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument. "
        "(Triggered internally at ../aten/src/ATen/native/TensorShape.cpp:3526.)",
        "  return _VF.meshgrid(tensors, **kwargs)  # type: ignore[attr-defined]",
        "Corrupt JPEG data: 14 extraneous bytes before marker 0xd9",
        "wandb: Network error (ConnectionError), entering retry loop.",
        "wandb: Network error resolved after 0:01:13.402871, resuming normal operation.",
        "Corrupt JPEG data: 14 extraneous bytes before marker 0xd9",
        "wandb: Network error (ReadTimeout), entering retry loop.",
        "wandb: Network error resolved after 0:00:22.118305, resuming normal operation.",
    ]
    put(place, "train.err", err)


def c07(place: Path, rng: Random) -> None:
    """A spaCy pretrain: the second call cannot read the weights of the first, the net has another structure."""
    out: list[str] = []
    words, total = 784_311, 5312.0
    for k in range(21):
        epoch = 11 + k // 7
        words += rng.randrange(10_004, 10_390)
        loss = 63.4 - 0.09 * k + rng.gauss(0, 0.7)
        total += loss
        out.append(f"{epoch:>3}   {words:>10}   {total:>10.4f}   {loss:>6.3f}   {rng.randrange(6420, 6710):>4}"[:60])
    home = "/srv/nlp/venv/lib/python3.11/site-packages"
    out += [
        "(venv) anke@lizard:/srv/nlp/kliniktexte$ sed -i 's/^max_epochs = 14/max_epochs = 40/;s/^depth = 4/depth = 8/' pretrain.cfg",
        "(venv) anke@lizard:/srv/nlp/kliniktexte$ python -m spacy pretrain pretrain.cfg ./pre --gpu-id 0 "
        "--resume-path ./pre/model13.bin --epoch-resume 14 2>&1 | tee -a pretrain.log",
        "ℹ Using GPU: 0",
        "⚠ Output directory is not empty.",
        "It is better to use an empty directory or refer to a new output path, then the",
        "new directory will be created for you.",
        "✔ Saved config file in the output directory",
        "ℹ Resume training tok2vec from: pre/model13.bin",
        "Traceback (most recent call last):",
        '  File "<frozen runpy>", line 198, in _run_module_as_main',
        '  File "<frozen runpy>", line 88, in _run_code',
        f'  File "{home}/spacy/__main__.py", line 4, in <module>',
        "    setup_cli()",
        f'  File "{home}/spacy/cli/_util.py", line 87, in setup_cli',
        "    command(prog_name=COMMAND)",
        f'  File "{home}/spacy/cli/pretrain.py", line 68, in pretrain_cli',
        "    pretrain(",
        f'  File "{home}/spacy/training/pretrain.py", line 46, in pretrain',
        "    epoch_resume = _resume_model(model, resume_path, epoch_resume, silent=silent)",
        "                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{home}/spacy/training/pretrain.py", line 125, in _resume_model',
        '    model.get_ref("tok2vec").from_bytes(weights_data)',
        f'  File "{home}/thinc/model.py", line 638, in from_bytes',
        "    return self.from_dict(msg)",
        "           ^^^^^^^^^^^^^^^^^^^",
        f'  File "{home}/thinc/model.py", line 657, in from_dict',
        '    raise ValueError("Cannot deserialize model: mismatched structure")',
        "ValueError: Cannot deserialize model: mismatched structure",
    ]
    put(place, "pretrain_tail.log", out)


def c08(place: Path, rng: Random) -> None:
    """Megatron-LM: a mixture of experts whose router sends one rank more than fits."""
    t = 5 * DAY + 2 * 3600 + 14 * 60
    out = [
        "  _   _ ___ ___  _   _ ___  ",
        " | | | | __/ _ \\| | | / __|   HELIOS cluster, partition gpu-h100",
        " | |_| | _| (_) | |_| \\__ \\   support: hpc-help@uni-nordstrand.example",
        "",
        "*** Planned maintenance Tuesday 07:00: jobs that would run into it are held, not killed ***",
        "*** Please do not run out of your home quota: `lfs quota -h $HOME` ***",
        f"[prolog] {clock(t)} job 884120 on h100-017, cleaning /tmp/scratch ... ok",
        "[prolog] dcgm health check: PASS (8 GPUs), no XID errors since boot",
        "Loading cuda/12.4",
        "  Loading requirement: gcc/12.3",
        "The following have been reloaded with a version change:",
        "  1) openmpi/4.1.5 => openmpi/4.1.6",
        "W1107 02:15:01.442000 41211 torch/distributed/run.py:792] *****************************************",
        "W1107 02:15:01.442000 41211 torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable for "
        "each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for "
        "optimal performance in your application as needed. ",
        "W1107 02:15:01.442000 41211 torch/distributed/run.py:792] *****************************************",
        "using world size: 8, data-parallel size: 8, context-parallel size: 1, hierarchical context-parallel sizes: "
        "Nonetensor-model-parallel size: 1, pipeline-model-parallel size: 1",
        "using torch.bfloat16 for parameters ...",
        "------------------------ arguments ------------------------",
    ]
    for name, value in (
        ("bf16", "True"),
        ("eval_interval", "1000"),
        ("exit_on_missing_checkpoint", "False"),
        ("expert_model_parallel_size", "8"),
        ("global_batch_size", "256"),
        ("hidden_size", "2048"),
        ("micro_batch_size", "4"),
        ("moe_aux_loss_coeff", "0.001"),
        ("moe_expert_capacity_factor", "None"),
        ("moe_router_topk", "4"),
        ("moe_token_dispatcher_type", "alltoall"),
        ("num_experts", "64"),
        ("num_layers", "24"),
        ("seq_length", "4096"),
        ("train_iters", "60000"),
    ):
        out.append(f"  {name} {'.' * (48 - len(name))} {value}")
    out += [
        "-------------------- end of arguments ---------------------",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 1",
        "> initialized pipeline model parallel with size 1",
        "> compiling dataset index builder ...",
        ">>> done with dataset index builder. Compilation time: 0.061 seconds",
        "time to initialize megatron (seconds): 14.871",
        f"[after megatron is initialized] datetime: {clock(t + 74)} ",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 2134286336",
        "WARNING: could not find the metadata file /work/ds/moe64/ckpt/latest_checkpointed_iteration.txt",
        "    will not load any checkpoints and will start from random",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {clock(t + 92)} ",
        "> building train, validation, and test datasets ...",
        f"[after dataloaders are built] datetime: {clock(t + 121)} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {clock(t + 122)} ",
    ]
    t += 122
    last = 1470
    for it in range(10, last + 1, 10):
        cost = rng.gauss(4210, 35) + (8100 if it == 10 else 0)
        t += cost / 100
        loss = falls(rng, it, 10.83, 3.05, 260, 0.006)
        rate = 3e-4 * min(1.0, it / 2000)
        norm = 2.1 * math.exp(-it / 300) + 0.62 + abs(rng.gauss(0, 0.08))
        out.append(
            f" [{clock(t)}] iteration {it:8d}/   60000 | consumed samples: {it * 256:12d} | elapsed time per iteration "
            f"(ms): {cost:.1f} | throughput per GPU (TFLOP/s/GPU): {248.1 * 4210 / cost:.1f} | learning rate: "
            f"{rate:.6E} | global batch size:   256 | lm loss: {loss:.6E} | load_balancing_loss: "
            f"{1.02 + 0.0004 * it * rng.uniform(0.9, 1.1):.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if it == 10:
            for rank in (0,):
                out.append(
                    f"[Rank {rank}] (after 10 iterations) memory (MB) | allocated: 33418.71 | max allocated: 61120.42 |"
                    " reserved: 66102.0 | max reserved: 66102.0"
                )
    base = "/work/ds/Megatron-LM/megatron"
    trace = [
        "Traceback (most recent call last):",
        '  File "/work/ds/Megatron-LM/pretrain_gpt.py", line 298, in <module>',
        "    pretrain(",
        f'  File "{base}/training/training.py", line 386, in pretrain',
        "    iteration, num_floating_point_operations_so_far = train(",
        f'  File "{base}/training/training.py", line 1503, in train',
        "    train_step(forward_step_func,",
        f'  File "{base}/training/training.py", line 788, in train_step',
        "    losses_reduced = forward_backward_func(",
        f'  File "{base}/core/pipeline_parallel/schedules.py", line 486, in forward_backward_no_pipelining',
        "    output_tensor, num_tokens = forward_step(",
        f'  File "{base}/core/transformer/moe/moe_layer.py", line 204, in forward',
        "    output, mlp_bias = custom_forward(hidden_states)",
        f'  File "{base}/core/transformer/moe/experts.py", line 241, in forward',
        "    intermediate_parallel = self.activation_func(fc1_output)",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.71 GiB. GPU 5 has a total capacity of 79.11 "
        "GiB of which 1.38 GiB is free. Including non-PyTorch memory, this process has 77.72 GiB memory in use. Of the "
        "allocated memory 71.06 GiB is allocated by PyTorch, and 4.19 GiB is reserved by PyTorch but unallocated. If "
        "reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to "
        "avoid fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    out += [f"[rank5]: {line}" for line in trace]
    t += 9
    run = f"E1107 {clock(t, '%H:%M:%S')}.118000 41211 torch/distributed/elastic/multiprocessing/api.py:869] "
    for pid in (41284, 41285, 41286, 41287, 41288, 41290, 41291):
        out.append(
            f"W1107 {clock(t - 1, '%H:%M:%S')}.870000 41211 torch/distributed/elastic/multiprocessing/api.py:897] "
            f"Sending process {pid} closing signal SIGTERM"
        )
    out += [
        run + "failed (exitcode: 1) local_rank: 5 (pid: 41289) of binary: /work/ds/venv/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/work/ds/venv/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        '  File "/work/ds/venv/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 270, in '
        "launch_agent",
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "/work/ds/Megatron-LM/pretrain_gpt.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(t - 2, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : h100-017.helios",
        "  rank      : 5 (local_rank: 5)",
        "  exitcode  : 1 (pid: 41289)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
        "srun: error: h100-017: task 0: Exited with exit code 1",
        f"[epilog] {clock(t + 6)} job 884120 done, 8 GPUs reset to default clocks, scratch removed",
        "[epilog] energy 14.2 kWh; please acknowledge HELIOS in your papers",
    ]
    put(place, "slurm-884120.out", out)
