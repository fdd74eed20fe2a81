"""The curves c01 to c06 of the thirty-first set, written from their lots.

SIMULATED: nothing here was taken from a real job; the projects, machines and people are made up.
"""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _fall(x: float, high: float, low: float, scale: float) -> float:
    """A loss that decays from high to low over a scale."""
    return low + (high - low) * math.exp(-x / scale)


def _eta(seconds: float) -> str:
    """As str(timedelta) writes whole seconds."""
    return str(timedelta(seconds=int(seconds)))


def _hms(seconds: float) -> str:
    """As tqdm writes an interval."""
    minutes, secs = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{secs:02d}" if hours else f"{minutes:02d}:{secs:02d}"


def _bar(done: int, total: int, width: int = 10) -> str:
    """The filled part of tqdm's bar."""
    eighths = done * width * 8 // total
    full, part = divmod(eighths, 8)
    text = "█" * full + (" ▏▎▍▌▋▊▉"[part] if part else "")
    return text.ljust(width)


CROSSING_CLASSES = (
    "normal_passage",
    "vehicle_stalled",
    "barrier_failure",
    "near_miss",
    "fatal_collision",
    "pedestrian_killed",
    "signal_abort",
    "fire_or_explosion",
)


def _crossing_config() -> list[str]:
    """What MMEngine dumps of the configuration."""
    return [
        "auto_scale_lr = dict(base_batch_size=64, enable=False)",
        "ann_file_train = 'data/lvlx/annotations/train_incidents_v3.txt'",
        "ann_file_val = 'data/lvlx/annotations/val_incidents_v3.txt'",
        "custom_hooks = [",
        "    dict(priority='LOW', type='PerClassTableHook'),",
        "]",
        "custom_imports = dict(",
        "    allow_failed_imports=False, imports=[",
        "        'lvlx.hooks',",
        "    ])",
        "data_root = 'data/lvlx/clips'",
        "dataset_type = 'VideoDataset'",
        "default_hooks = dict(",
        "    checkpoint=dict(",
        "        interval=5, max_keep_ckpts=3, save_best='auto', type='CheckpointHook'),",
        "    logger=dict(ignore_last=False, interval=20, type='LoggerHook'),",
        "    param_scheduler=dict(type='ParamSchedulerHook'),",
        "    runtime_info=dict(type='RuntimeInfoHook'),",
        "    sampler_seed=dict(type='DistSamplerSeedHook'),",
        "    sync_buffers=dict(type='SyncBuffersHook'),",
        "    timer=dict(type='IterTimerHook'))",
        "default_scope = 'mmaction'",
        "env_cfg = dict(",
        "    cudnn_benchmark=False,",
        "    dist_cfg=dict(backend='nccl'),",
        "    mp_cfg=dict(mp_start_method='fork', opencv_num_threads=0))",
        "file_client_args = dict(io_backend='disk')",
        "launcher = 'none'",
        "load_from = None",
        "log_level = 'INFO'",
        "log_processor = dict(by_epoch=True, type='LogProcessor', window_size=20)",
        "model = dict(",
        "    backbone=dict(",
        "        depth=50,",
        "        norm_eval=False,",
        "        pretrained='https://download.pytorch.org/models/resnet50-11ad3fa6.pth',",
        "        shift_div=8,",
        "        type='ResNetTSM'),",
        "    cls_head=dict(",
        "        average_clips='prob',",
        "        consensus=dict(dim=1, type='AvgConsensus'),",
        "        dropout_ratio=0.5,",
        "        in_channels=2048,",
        "        init_std=0.001,",
        "        is_shift=True,",
        f"        num_classes={len(CROSSING_CLASSES)},",
        "        spatial_type='avg',",
        "        type='TSMHead'),",
        "    data_preprocessor=dict(",
        "        format_shape='NCHW',",
        "        mean=[",
        "            123.675,",
        "            116.28,",
        "            103.53,",
        "        ],",
        "        std=[",
        "            58.395,",
        "            57.12,",
        "            57.375,",
        "        ],",
        "        type='ActionDataPreprocessor'),",
        "    test_cfg=None,",
        "    train_cfg=None,",
        "    type='Recognizer2D')",
        "optim_wrapper = dict(",
        "    clip_grad=dict(max_norm=20, norm_type=2),",
        "    constructor='TSMOptimWrapperConstructor',",
        "    optimizer=dict(lr=0.01, momentum=0.9, type='SGD', weight_decay=0.0001),",
        "    paramwise_cfg=dict(fc_lr5=True))",
        "param_scheduler = [",
        "    dict(begin=0, by_epoch=True, end=60, gamma=0.1, milestones=[",
        "        30,",
        "        50,",
        "    ], type='MultiStepLR'),",
        "]",
        "resume = False",
        "train_cfg = dict(",
        "    max_epochs=60, type='EpochBasedTrainLoop', val_begin=1, val_interval=5)",
        "val_cfg = dict(type='ValLoop')",
        "val_evaluator = dict(metric_list=('top_k_accuracy', 'mean_class_accuracy'), type='AccMetric')",
        "vis_backends = [",
        "    dict(type='LocalVisBackend'),",
        "]",
        "visualizer = dict(type='ActionVisualizer', vis_backends=[",
        "    dict(type='LocalVisBackend'),",
        "])",
        "work_dir = './work_dirs/tsm_r50_lvlx_8cls'",
        "",
    ]


def c01_crossing(place: Path, rng: Random) -> None:
    """Level-crossing cameras of a railway, mmaction2 TSM, a planned end; the classes are accidents."""
    now = datetime(2025, 3, 18, 19, 2, 41, tzinfo=UTC)
    out: list[str] = []
    info = "\x1b[4m\x1b[97mINFO\x1b[0m"
    warn = "\x1b[5m\x1b[4m\x1b[33mWARNING\x1b[0m"

    def say(text: str, level: str = info) -> None:
        out.append(f"{now:%m/%d %H:%M:%S} - mmengine - {level} - {text}")

    say(
        "\n------------------------------------------------------------\nSystem environment:\n    sys.platform: linux\n"
        "    Python: 3.10.14 (main, May  6 2024, 19:42:50) [GCC 11.2.0]\n    CUDA available: True\n"
        "    MUSA available: False\n    numpy_random_seed: 1178203341\n    GPU 0: NVIDIA RTX A6000\n"
        "    CUDA_HOME: /usr/local/cuda\n    NVCC: Cuda compilation tools, release 12.1, V12.1.105\n"
        "    GCC: gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0\n    PyTorch: 2.1.2\n    TorchVision: 0.16.2\n"
        "    OpenCV: 4.9.0\n    MMEngine: 0.10.4\n\nRuntime environment:\n    cudnn_benchmark: False\n"
        "    mp_cfg: {'mp_start_method': 'fork', 'opencv_num_threads': 0}\n    dist_cfg: {'backend': 'nccl'}\n"
        "    seed: 1178203341\n    Distributed launcher: none\n    Distributed training: False\n    GPU number: 1\n"
        "------------------------------------------------------------\n"
    )
    now += timedelta(seconds=1)
    say("Config:\n" + "\n".join(_crossing_config()))
    now += timedelta(seconds=4)
    say(
        'Failed to search registry with scope "mmaction" in the "loop" registry tree. As a workaround, the current '
        '"loop" registry in "mmengine" is used to build instance. This may cause unexpected failure when running the '
        'built modules. Please check whether "mmaction" is a correct scope, or whether the registry is initialized.',
        warn,
    )
    url = "https://download.pytorch.org/models/resnet50-11ad3fa6.pth"
    out.append(f'Downloading: "{url}" to /home/hvdb/.cache/torch/hub/checkpoints/resnet50-11ad3fa6.pth')
    bar = ""
    for percent in (0, 9, 21, 34, 47, 61, 74, 88, 100):
        size = 97.8 * percent / 100
        bar += f"\r{percent:3d}%|{_bar(percent, 100)}| {size:.1f}M/97.8M "
        bar += f"[00:{percent // 12:02d}<00:{8 - percent // 12:02d}, 11.{rng.randint(0, 9)}MB/s]"
    out.append(bar)
    now += timedelta(seconds=12)
    say("These parameters in pretrained checkpoint are not loaded: {'fc.bias', 'fc.weight'}")
    say("Checkpoints will be saved to /data/hvdb/lvlx/work_dirs/tsm_r50_lvlx_8cls.")
    per, left = 600, 60 * 600
    memory = 9312
    best = 0.0
    last = ""
    for epoch in range(1, 61):
        rate = 1e-2 * (0.1 if epoch > 30 else 1) * (0.1 if epoch > 50 else 1)
        drop = 0.12 if epoch > 30 else 0.0
        for step in range(20, per + 1, 20):
            done = epoch - 1 + step / per
            loss = max(0.02, _fall(done, 2.06, 0.42, 9.0) - drop + rng.gauss(0, 0.055))
            top1 = min(1.0, max(0.0, 1 - loss / 2.3 + rng.gauss(0, 0.06)))
            took = 0.412 + rng.gauss(0, 0.006) + (0.05 if step == 20 else 0)
            data = 0.021 + abs(rng.gauss(0, 0.004)) + (0.05 if step == 20 else 0)
            left -= 20
            now += timedelta(seconds=20 * took)
            say(
                f"Epoch(train)  [{epoch}][{step:3d}/{per}]  lr: {rate:.4e}  eta: {_eta(left * 0.413)}  time: {took:.4f}"
                f"  data_time: {data:.4f}  memory: {memory}  grad_norm: {abs(rng.gauss(4.2, 0.9)):.4f}  loss: {loss:.4f}"
                f"  top1_acc: {round(top1 * 16) / 16:.4f}  top5_acc: {1 - rng.choice((0, 0, 1)) / 16:.4f}  loss_cls: {loss:.4f}"
            )
            if rng.random() < 0.02:
                out.append(
                    f"[h264 @ 0x55d{rng.getrandbits(32):08x}0] error while decoding MB {rng.randint(1, 110)} {rng.randint(1, 60)},"
                    f" bytestream -{rng.randint(5, 40)}"
                )
        say("Exp name: tsm_r50_lvlx_8cls_20250318_190239")
        if epoch % 5 == 0:
            say(f"Saving checkpoint at {epoch} epochs")
            for step in range(20, 121, 20):
                now += timedelta(seconds=4)
                say(
                    f"Epoch(val)  [{epoch}][{step:3d}/120]    eta: {_eta((120 - step) * 0.19)}  time: {0.19 + rng.gauss(0, 0.005):.4f} "
                    f" data_time: {0.03 + abs(rng.gauss(0, 0.003)):.4f}  memory: 1204  "
                )
            score = 0.89 - 0.55 * math.exp(-epoch / 11) + rng.gauss(0, 0.006) + (0.02 if epoch > 30 else 0)
            table = "\n".join(
                f"| {name:<18}| {min(1.0, max(0.0, score + rng.gauss(0, 0.05))):.3f} | {rng.randint(1, 60):5d} |"
                for name in CROSSING_CLASSES
            )
            say(
                "\n+-------------------+-------+-------+\n| class             | acc   | error |\n+-------------------+-------+-------+\n"
                + table
                + "\n+-------------------+-------+-------+"
            )
            say(
                f"Epoch(val) [{epoch}][120/120]    acc/top1: {score:.4f}  acc/top5: {0.995 + rng.random() * 0.004:.4f}  acc/mean1:"
                f" {score - 0.07:.4f}  data_time: 0.0312  time: 0.1907"
            )
            if score > best:
                if last:
                    say(f"The previous best checkpoint /data/hvdb/lvlx/work_dirs/tsm_r50_lvlx_8cls/{last} is removed")
                best, last = score, f"best_acc_top1_epoch_{epoch}.pth"
                now += timedelta(seconds=1)
                say(f"The best checkpoint with {score:.4f} acc/top1 at {epoch} epoch is saved to {last}.")
    (place / "train_console.log").write_text("\n".join(out) + "\n", encoding="utf-8")


def c02_heat(place: Path, rng: Random) -> None:
    """Demand of a district-heating network, gluonts DeepAR; the head is gone and the log breaks off."""
    out: list[str] = []
    rows = ["epoch,step,train_loss,val_loss"]
    best = math.inf
    first, ends = 23, 71
    speed = 9.1
    for epoch in range(ends + 1):
        loss = _fall(epoch, 6.2, 3.91, 14) + rng.gauss(0, 0.03)
        val = _fall(epoch, 6.0, 4.02, 13) + rng.gauss(0, 0.045)
        step = (epoch + 1) * 100
        shown = epoch >= first
        if epoch == ends:
            done = 61
            if shown:
                out.append(
                    f"Epoch {epoch}:  {done}%|{_bar(done, 100)}| {done}/100 [00:{done / speed:02.0f}<00:04,  {speed:.2f}it/s, v_num=3,"
                    f" train_loss={loss:.3f}, val_loss={val:.3f}]"
                )
            break
        rows.extend((f"{epoch},{step - 1},,{val:.6f}", f"{epoch},{step - 1},{loss:.6f},"))
        better = val < best
        if better:
            best = val
        if not shown:
            continue
        rate = speed + rng.gauss(0, 0.3)
        out.append(
            f"Epoch {epoch}: 100%|██████████| 100/100 [00:{100 / rate:02.0f}<00:00,  {rate:.2f}it/s, v_num=3, train_loss={loss:.3f},"
            f" val_loss={val:.3f}]"
        )
        if better:
            out.append(
                f"INFO:lightning.pytorch.utilities.rank_zero:Epoch {epoch}, global step {step}: 'val_loss' reached {val:.5f} (best"
                f" {val:.5f}), saving model to '/mnt/fcst/heat/lightning_logs/version_3/checkpoints/epoch={epoch}-step={step}.ckpt' as top 1"
            )
        else:
            out.append(
                f"INFO:lightning.pytorch.utilities.rank_zero:Epoch {epoch}, global step {step}: 'val_loss' was not in top 1"
            )
        if epoch == 38:
            out += [
                "ERROR:heatnet.weather:could not refresh temperature covariates for zone 14",
                "Traceback (most recent call last):",
                '  File "/opt/heatnet/heatnet/weather.py", line 88, in refresh',
                "    resp = self.session.get(self.url, params=query, timeout=20)",
                '  File "/opt/venv/lib/python3.11/site-packages/requests/sessions.py", line 602, in get',
                '    return self.request("GET", url, **kwargs)',
                '  File "/opt/venv/lib/python3.11/site-packages/requests/adapters.py", line 713, in send',
                "    raise ReadTimeout(e, request=request)",
                "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='opendata.heatnet.internal', port=443): Read timed out. (read timeout=20)",
                "WARNING:heatnet.weather:retry 1/4 in 30 s",
                "INFO:heatnet.weather:zone 14: 8760 rows, latest 2024-12-31T23:00",
            ]
    out[0] = out[0][out[0].index("it/s") :]
    (place / "deepar_heat.log").write_text("\n".join(out) + "\n", encoding="utf-8")
    (place / "metrics.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def c03_whales(place: Path, rng: Random) -> None:
    """ViViT on long underwater video in scenic, slow steps all along, a planned end; no clock in the log."""
    total, each = 9600, 100
    out = [
        "INFO:absl:RNG: [0 0]",
        "INFO:absl:JAX process: 0 / 1",
        "INFO:absl:JAX local devices: [CudaDevice(id=0), CudaDevice(id=1), CudaDevice(id=2), CudaDevice(id=3)]",
        "INFO:absl:Setting task status: host_id: 0, host_count: 1",
        "INFO:absl:Created artifact Workdir of type ArtifactType.DIRECTORY and value /scratch/ceto/vivit_long_r4.",
        "INFO:absl:device_count: 4",
        "INFO:absl:num_hosts : 1",
        "INFO:absl:host_id : 0",
        "INFO:absl:local_batch_size : 16",
        "INFO:absl:device_batch_size : 4",
        "INFO:absl:Training with the following config: ",
        "batch_size: 16",
        "checkpoint: true",
        "checkpoint_steps: 800",
        "dataset_configs:",
        "  base_dir: /scratch/ceto/tfrecords",
        "  num_frames: 128",
        "  crop_size: 320",
        "  prefetch_to_device: 2",
        "  stride: 4",
        "dataset_name: video_tfrecord_dataset",
        "experiment_name: vivit_long_r4",
        "log_eval_steps: 800",
        "log_summary_steps: 100",
        "lr_configs:",
        "  base_learning_rate: 0.05",
        "  factors: constant * cosine_decay * linear_warmup",
        "  total_steps: 9600",
        "  warmup_steps: 400",
        "model_name: vivit_classification",
        "num_training_steps: 9600",
        "rng_seed: 0",
        "trainer_name: vivit_trainer",
        "",
        "INFO:absl:Total params: 88,921,610",
        "INFO:absl:GFLOPs 1446.310 for input spec: [((-1, 128, 320, 320, 3), <class 'jax.numpy.float32'>)]",
        "INFO:absl:Starting training loop at step 1.",
        "INFO:absl:Hyperparameters: {'num_training_steps': 9600, 'steps_per_epoch': 320}",
    ]
    pace = 0.118
    for step in range(each, total + 1, each):
        loss = _fall(step, 3.4, 0.61, 2300) + rng.gauss(0, 0.03)
        acc = min(0.99, 1 - loss / 3.7 + rng.gauss(0, 0.01))
        rate = 0.05 * min(1, step / 400) * 0.5 * (1 + math.cos(math.pi * step / total))
        now = pace + rng.gauss(0, 0.0012)
        secs = (total - step) / pace
        so = step / pace
        out.append(
            f"INFO:absl:Setting work unit notes: {now:.1f} steps/s, {step / total:.1%} ({step}/{total}), "
            f"ETA: {int(secs // 3600)}h{int(secs % 3600 // 60)}m ({int(so // 60)}m : 6.1% eval)"
        )
        out.append(
            f"INFO:absl:[{step}] img/sec={now * 16:.4f}, img/sec/core={now * 4:.4f}, learning_rate={rate:.6f}, steps_per_sec={now:.6f},"
            f" train_accuracy={acc:.6f}, train_loss={loss:.6f}, uptime={so:.1f}"
        )
        if step % 800 == 0:
            vloss = loss + 0.12 + rng.gauss(0, 0.02)
            out += [
                f"INFO:absl:[{step}] valid_accuracy={acc - 0.03:.6f}, valid_loss={vloss:.6f}",
                f"INFO:absl:Saving checkpoint at step: {step}",
                f"INFO:absl:Saved checkpoint at /scratch/ceto/vivit_long_r4/checkpoint_{step}",
            ]
    out += [
        "INFO:absl:[9600] test_accuracy=0.801244, test_loss=0.744120",
        "INFO:absl:Training done: 9600 of 9600 steps.",
    ]
    (place / "slurm-771402.out").write_text("\n".join(out) + "\n", encoding="utf-8")
    head = f"{'JobID':<16}{'JobName':<14}{'Partition':<11}{'AllocTRES':<34}{'State':<12}{'ExitCode':<10}{'Elapsed':<14}{'Timelimit':<12}"
    dash = f"{'-' * 15:<16}{'-' * 13:<14}{'-' * 10:<11}{'-' * 33:<34}{'-' * 10:<12}{'-' * 8:<10}{'-' * 12:<14}{'-' * 11:<12}"
    rows = [head, dash]
    tres = "cpu=64,gres/gpu=4,mem=400G"
    rows.append(
        f"{'771402':<16}{'vivit_long_r4':<14}{'gpu-long':<11}{tres:<34}{'COMPLETED':<12}{'0:0':<10}{'1-00:09:31':<14}{'2-00:00:00':<12}"
    )
    rows.append(f"{'771402.batch':<16}{'batch':<14}{'':<11}{tres:<34}{'COMPLETED':<12}{'0:0':<10}{'1-00:09:31':<14}")
    (place / "sacct_771402.txt").write_text("\n".join(row.rstrip() for row in rows) + "\n", encoding="utf-8")


def c04_herbarium(place: Path, rng: Random) -> None:
    """Herbarium sheets and their labels, torchtune on a vision model whose images come one by one from a slow share."""
    now = datetime(2025, 6, 3, 8, 11, 20, tzinfo=UTC)
    begun = now
    out = [
        "Host: gn-a07  Tue Jun  3 08:11:20 UTC 2025",
        "+ tune run --nproc_per_node 1 recipes/lora_vision_herb.py --config configs/11B_herb_lora.yaml",
        "INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeHerb with resolved config:",
        "",
        "batch_size: 4",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelMetaCheckpointer",
        "  checkpoint_dir: /models/Llama-3.2-11B-Vision-Instruct/original/",
        "  checkpoint_files:",
        "  - consolidated.pth",
        "  model_type: LLAMA3_VISION",
        "  output_dir: /work/herb/out/r9",
        "compile: false",
        "dataset:",
        "  _component_: herb.data.sheets_dataset",
        "  image_root: /mnt/collections/sheets_tiff",
        "  num_workers: 1",
        "  packed: false",
        "device: cuda",
        "dtype: bf16",
        "epochs: 1",
        "gradient_accumulation_steps: 1",
        "log_every_n_steps: 1",
        "loss:",
        "  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss",
        "lr_scheduler:",
        "  _component_: torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup",
        "  num_warmup_steps: 50",
        "max_steps_per_epoch: 2200",
        "metric_logger:",
        "  _component_: herb.metrics.StdoutLogger",
        "optimizer:",
        "  _component_: torch.optim.AdamW",
        "  fused: true",
        "  lr: 0.0001",
        "resume_from_checkpoint: false",
        "seed: 21",
        "",
        "DEBUG:torchtune.utils._logging:Setting manual seed to local seed 21. Local seed is seed + rank = 21 + 0",
        "INFO:torchtune.utils._logging:Model is initialized with precision torch.bfloat16.",
        "INFO:torchtune.utils._logging:Memory stats after model init:",
        "\tGPU peak memory allocation: 21.14 GiB",
        "\tGPU peak memory reserved: 21.31 GiB",
        "\tGPU peak memory active: 21.14 GiB",
        "INFO:torchtune.utils._logging:Optimizer is initialized.",
        "INFO:torchtune.utils._logging:Loss is initialized.",
        "INFO:torchtune.utils._logging:Dataset and Sampler are initialized.",
        "INFO:torchtune.utils._logging:Learning rate scheduler is initialized.",
        "WARNING:torchtune.utils._logging: Profiling disabled.",
    ]
    total = 2200
    for step in range(1, total + 1):
        wait = max(0.4, rng.lognormvariate(2.05, 0.35))
        if rng.random() < 0.015:
            wait += rng.uniform(15, 48)
        work = 0.92 + rng.gauss(0, 0.02)
        if step == 1127:
            wait = 61.4
            out += [
                f"[{now + timedelta(seconds=20):%Y-%m-%d %H:%M:%S}] herb.data ERROR:"
                " /mnt/collections/sheets_tiff/B10/0441/B_10_0441927.tif: [Errno 5] Input/output error",
                "Traceback (most recent call last):",
                '  File "/work/herb/src/herb/data.py", line 131, in _load',
                "    img = Image.open(path).convert('RGB')",
                '  File "/work/herb/venv/lib/python3.11/site-packages/PIL/Image.py", line 3431, in open',
                '    fp = builtins.open(filename, "rb")',
                "OSError: [Errno 5] Input/output error: '/mnt/collections/sheets_tiff/B10/0441/B_10_0441927.tif'",
                f"[{now + timedelta(seconds=50):%Y-%m-%d %H:%M:%S}] herb.data WARNING: second try ok: B_10_0441927.tif",
            ]
        now += timedelta(seconds=wait + work)
        gone = (now - begun).total_seconds()
        loss = max(0.05, _fall(step, 2.31, 0.58, 420) + rng.gauss(0, 0.09))
        rate = 1e-4 * min(1, step / 50) * 0.5 * (1 + math.cos(math.pi * max(0, step - 50) / (total - 50)))
        tokens = rng.randint(5200, 7100)
        out.append(
            f"\r1|{step}|Loss: {loss:.16f}: {100 * step // total:3d}%|{_bar(step, total)}| {step}/{total}"
            f" [{_hms(gone)}<{_hms(gone / step * (total - step))}, {gone / step:5.2f}s/it]"
            f"Step {step} | loss:{loss:.16f} lr:{rate:.6g} tokens_per_second_per_gpu:{tokens / (wait + work):.4f} data_wait_s:{wait:.3f}"
            f" fwd_bwd_s:{work:.3f} peak_memory_active:38.21 peak_memory_alloc:38.21 peak_memory_reserved:41.07"
        )
        if step % 500 == 0:
            out.append(
                f"{now:%Y-%m-%d %H:%M:%S} gpu0 util.gpu={rng.randint(7, 12)}% (mean of the last 500 steps)"
                f" mem={rng.randint(41900, 42100)}MiB temp={rng.randint(36, 39)}C"
            )
    out += [
        "INFO:torchtune.utils._logging:Starting checkpoint save...",
        "INFO:torchtune.utils._logging:Model checkpoint of size 21.34 GB saved to /work/herb/out/r9/epoch_0/meta_model_0.pt",
        "INFO:torchtune.utils._logging:Adapter checkpoint of size 0.18 GB saved to /work/herb/out/r9/epoch_0/adapter_0.pt",
        "INFO:torchtune.utils._logging:Saving final epoch checkpoint.",
    ]
    (place / "herb_r9-40588.out").write_text("\n".join(out) + "\n", encoding="utf-8")
    end = now + timedelta(seconds=71)
    took = end - begun + timedelta(seconds=70)
    start = begun - timedelta(seconds=70)
    rows = ["JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList|MaxRSS|TotalCPU"]
    limits = f"{start:%Y-%m-%dT%H:%M:%S}|{end:%Y-%m-%dT%H:%M:%S}|{str(took).split('.')[0].zfill(8)}"
    rows.append(f"40588|herb_r9|gpu|COMPLETED|0:0|{limits}|12:00:00|gn-a07||06:58:12")
    rows.append(f"40588.batch|batch||COMPLETED|0:0|{limits}||gn-a07|61240112K|06:58:12")
    (place / "sacct.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


def _road_trial(rng: Random, number: int, epochs: int, upto: int) -> list[str]:
    """One trial of the road-safety sweep, cut after upto epochs."""
    name = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=8))
    width, rate = rng.choice((64, 128, 256, 512)), 10 ** rng.uniform(-4, -2)
    drop, batch = rng.choice((0.0, 0.1, 0.3)), rng.choice((256, 512, 1024))
    out = [
        f"wandb: Agent Starting Run: {name} with config:",
        f"wandb: \tbatch_size: {batch}",
        f"wandb: \tdropout: {drop}",
        f"wandb: \tlr: {rate}",
        f"wandb: \twidth: {width}",
        "wandb: Tracking run with wandb version 0.17.5",
        f"wandb: Run data is saved locally in /srv/ksi/wandb/run-{number:03d}-{name}",
        "wandb: Run `wandb offline` to turn off syncing.",
        f"wandb: Syncing run {rng.choice(('glad', 'dry', 'vocal', 'royal', 'soft', 'worldly'))}-sweep-{number}",
        "stats19: 412906 collisions, 5 targets: slight serious fatal killed_ped crash_into_object",
    ]
    floor = 0.41 + rng.random() * 0.08
    f1 = 0.0
    for epoch in range(1, upto + 1):
        loss = _fall(epoch, 1.1, floor, 9) + rng.gauss(0, 0.006)
        f1 = 0.72 - 0.5 * loss + rng.gauss(0, 0.006)
        out.append(
            f"ep {epoch:02d}/{epochs} loss {loss:.4f} val {loss + 0.02 + rng.gauss(0, 0.004):.4f} f1_fatal {f1:.3f} killed_recall"
            f" {f1 + 0.06:.3f} fatal_error_rate {1 - f1:.3f}"
        )
    if upto == epochs:
        out += [
            "wandb: ",
            "wandb: Run history:",
            f"wandb: val_loss █▆▄▃{''.join(rng.choices('▂▁▁▁', k=20))}",
            "wandb: ",
            "wandb: Run summary:",
            f"wandb: f1_fatal {f1:.5f}",
            f"wandb: killed_recall {f1 + 0.06:.5f}",
            "wandb: ",
            f"wandb: 🚀 View run at: https://wandb.ksi.internal/roads/stats19/runs/{name}",
            "wandb: Synced 5 W&B file(s), 0 media file(s), 0 artifact file(s) and 0 other file(s)",
        ]
    return out


def c05_roads(place: Path, rng: Random) -> None:
    """Severity of road accidents, a wandb sweep run twice by a shell script; both agents were shot."""
    number = 1
    for attempt, (trials, cut, pid) in enumerate(((36, 17, 3391), (41, 44, 17720)), start=1):
        out = [f"run_agent.sh: attempt {attempt} on ws-ksi-02, GPU 0", "wandb: Starting wandb agent 🕵️"]
        for trial in range(trials):
            out += _road_trial(rng, number, 48, cut if trial == trials - 1 else 48)
            number += 1
        line = f"./run_agent.sh: line 27: {pid:5d} Killed                  python sweep_worker.py --sweep roads/stats19/q7f0zk2d --count 120"
        out += [line, f"run_agent.sh: agent of attempt {attempt} left with 137"]
        if attempt == 2:
            out.append("run_agent.sh: no attempts left")
        (place / f"agent_attempt{attempt}.log").write_text("\n".join(out) + "\n", encoding="utf-8")


def c06_blades(place: Path, rng: Random) -> None:
    """Damage on rotor blades, detectron2 RetinaNet on two GPUs, a checkpoint after each iteration; head gone."""
    now = datetime(2025, 1, 22, 4, 51, 7, tzinfo=UTC)
    out: list[str] = []
    rows: list[str] = []
    total, first = 3000, 2694
    for step in range(first, total):
        took = 0.231 + rng.gauss(0, 0.004)
        save = 9.6 + abs(rng.gauss(0, 1.3))
        now += timedelta(seconds=took)
        at = f"[{now:%m/%d %H:%M:%S} fvcore.common.checkpoint]: Saving checkpoint to /lustre/wind/blades/out_r50_800"
        out.append(f"{at}/model_{step:07d}.pth")
        if step == total - 1:
            out.append(f"{at}/model_final.pth")
        now += timedelta(seconds=save)
        if step % 20 == 19 or step == total - 1:
            cls, box = 0.178 + rng.gauss(0, 0.012), 0.214 + rng.gauss(0, 0.011)
            rate = 0.00025 if step > 2400 else 0.0025
            data = 0.0051 + rng.gauss(0, 0.0004)
            eta = (total - 1 - step) * 0.2313
            out.append(
                f"[{now:%m/%d %H:%M:%S} d2.utils.events]:  eta: {_eta(eta)}  iter: {step}  total_loss: {cls + box:.4g}  loss_cls:"
                f" {cls:.4g}  loss_box_reg: {box:.4g}"
                f"    time: {0.2313 + rng.gauss(0, 0.0002):.4f}  last_time: {took:.4f}  data_time: {data:.4f}  last_data_time:"
                f" {data + rng.gauss(0, 0.0003):.4f}   lr: {rate:.5g}  max_mem: 7418M"
            )
            rows.append(
                json.dumps(
                    {
                        "data_time": data,
                        "eta_seconds": eta,
                        "iteration": step,
                        "loss_box_reg": box,
                        "loss_cls": cls,
                        "lr": rate,
                        "num_pos_anchors/retina": rng.randint(280, 350) / 8,
                        "time": took,
                        "total_loss": cls + box,
                    }
                )
            )
    out[0] = out[0][out[0].index("checkpoint]") :]
    out += [
        f"[{now:%m/%d %H:%M:%S} d2.engine.hooks]: Overall training speed: 2998 iterations in 0:11:33 (0.2313 s / it)",
        f"[{now:%m/%d %H:%M:%S} d2.engine.hooks]: Total training time: 9:02:51 (8:51:18 on hooks)",
    ]
    now += timedelta(seconds=2)
    out.append(
        f"[{now:%m/%d %H:%M:%S} d2.data.datasets.coco]: Loaded 412 images in COCO format from /lustre/wind/blades/ann/val.json"
    )
    out.append(f"[{now:%m/%d %H:%M:%S} d2.evaluation.evaluator]: Start inference on 206 batches")
    for done in (11, 81, 152):
        now += timedelta(seconds=5)
        out.append(
            f"[{now:%m/%d %H:%M:%S} d2.evaluation.evaluator]: Inference done {done}/206. Dataloading: 0.0011 s/iter. Inference: 0.0612"
            f" s/iter. Eval: 0.0004 s/iter. Total: 0.0627 s/iter. ETA={_eta((206 - done) * 0.0627)}"
        )
    now += timedelta(seconds=5)
    out.append(f"[{now:%m/%d %H:%M:%S} d2.evaluation.testing]: copypaste: Task: bbox")
    out.append(f"[{now:%m/%d %H:%M:%S} d2.evaluation.testing]: copypaste: AP,AP50,AP75,APs,APm,APl")
    out.append(
        f"[{now:%m/%d %H:%M:%S} d2.evaluation.testing]: copypaste: 41.2204,68.9127,43.0518,22.1187,40.7732,55.9061"
    )
    rows.append(json.dumps({"bbox/AP": 41.2204, "bbox/AP50": 68.9127, "bbox/AP75": 43.0518, "iteration": 2999}))
    (place / "log.txt").write_text("\n".join(out) + "\n", encoding="utf-8")
    (place / "metrics.json").write_text("\n".join(rows) + "\n", encoding="utf-8")
