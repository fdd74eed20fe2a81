"""The curves c07 to c12 of the thirty-second set. SIMULATED: no line here was taken from a real job."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _clock(text: str) -> datetime:
    """A moment from its ISO words."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _span(seconds: float) -> str:
    """As tqdm writes a time."""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes:02d}:{whole % 60:02d}"


def _comma(value: float, places: int) -> str:
    """A number as Portuguese writes it."""
    return f"{value:.{places}f}".replace(".", ",")


_SWIN_CONFIG = """ann_file_train = 'data/handball/train.txt'
ann_file_val = 'data/handball/val.txt'
auto_scale_lr = dict(base_batch_size=64, enable=False)
data_root = 'data/handball/clips'
data_root_val = 'data/handball/clips'
dataset_type = 'VideoDataset'
default_hooks = dict(
    checkpoint=dict(
        interval=1, max_keep_ckpts=3, save_best='auto', type='CheckpointHook'),
    logger=dict(ignore_last=False, interval=50, type='LoggerHook'),
    param_scheduler=dict(type='ParamSchedulerHook'),
    runtime_info=dict(type='RuntimeInfoHook'),
    sampler_seed=dict(type='DistSamplerSeedHook'),
    sync_buffers=dict(type='SyncBuffersHook'),
    timer=dict(type='IterTimerHook'))
default_scope = 'mmaction'
env_cfg = dict(
    cudnn_benchmark=False,
    dist_cfg=dict(backend='nccl'),
    mp_cfg=dict(mp_start_method='fork', opencv_num_threads=0))
file_client_args = dict(io_backend='disk')
launcher = 'pytorch'
load_from = None
log_level = 'INFO'
log_processor = dict(by_epoch=True, type='LogProcessor', window_size=20)
model = dict(
    backbone=dict(
        arch='tiny',
        attn_drop_rate=0.0,
        drop_path_rate=0.1,
        drop_rate=0.0,
        mlp_ratio=4.0,
        patch_norm=True,
        patch_size=(
            2,
            4,
            4,
        ),
        pretrained=
        'https://download.openmmlab.com/mmaction/v1.0/recognition/swin/swin_tiny_patch4_window7_224.pth',
        pretrained2d=True,
        qk_scale=None,
        qkv_bias=True,
        type='SwinTransformer3D',
        window_size=(
            8,
            7,
            7,
        )),
    cls_head=dict(
        average_clips='prob',
        dropout_ratio=0.5,
        in_channels=768,
        num_classes=23,
        spatial_type='avg',
        type='I3DHead'),
    data_preprocessor=dict(
        format_shape='NCTHW',
        mean=[
            123.675,
            116.28,
            103.53,
        ],
        std=[
            58.395,
            57.12,
            57.375,
        ],
        type='ActionDataPreprocessor'),
    type='Recognizer3D')
optim_wrapper = dict(
    constructor='SwinOptimWrapperConstructor',
    optimizer=dict(
        betas=(
            0.9,
            0.999,
        ), lr=0.001, type='AdamW', weight_decay=0.02),
    type='AmpOptimWrapper')
param_scheduler = [
    dict(
        begin=0,
        by_epoch=True,
        convert_to_iter_based=True,
        end=2.5,
        start_factor=0.1,
        type='LinearLR'),
    dict(
        T_max=30,
        begin=0,
        by_epoch=True,
        end=30,
        eta_min=0,
        type='CosineAnnealingLR'),
]
resume = True
train_cfg = dict(
    max_epochs=30, type='EpochBasedTrainLoop', val_begin=1, val_interval=3)
val_cfg = dict(type='ValLoop')
val_evaluator = dict(type='AccMetric')
vis_backends = [
    dict(type='LocalVisBackend'),
]
visualizer = dict(
    type='ActionVisualizer', vis_backends=[
        dict(type='LocalVisBackend'),
    ])
work_dir = './work_dirs/swin_tiny_handball'
"""


def c07_handball(place: Path, rng: Random) -> None:
    """MMAction2 goes on from its last epoch and cannot read it; the metrics are those of the run before."""
    rows: list[str] = []
    for epoch in range(1, 18):
        for done in (*range(50, 412, 50), 412):
            at = (epoch - 1) * 412 + done
            loss = 0.46 + 2.6 * math.exp(-at / 1500) + rng.gauss(0, 0.08)
            row = {
                "lr": 0.0005 * (1 + math.cos(math.pi * epoch / 30)),
                "data_time": 0.008 + rng.random() * 0.01,
                "grad_norm": 6.1 + rng.gauss(0, 1.1),
                "loss": loss,
                "top1_acc": rng.choice((0.5, 0.625, 0.75, 0.75, 0.875, 1.0)),
                "top5_acc": 1.0,
                "loss_cls": loss,
                "time": 0.61 + rng.random() * 0.04,
                "epoch": epoch,
                "iter": at,
                "memory": 14411,
                "step": at,
            }
            rows.append(json.dumps(row))
        if epoch % 3 == 0:
            top = 0.81 - 0.5 * math.exp(-epoch / 5) + rng.gauss(0, 0.008)
            row = {"acc/top1": top, "acc/top5": 0.97 + rng.random() * 0.01, "acc/mean1": top - 0.04}
            rows.append(json.dumps(row | {"data_time": 0.31, "time": 0.55, "step": epoch}))
    place.joinpath("20240612_181507", "vis_data").mkdir(parents=True)
    (place / "20240612_181507" / "vis_data" / "scalars.json").write_text("\n".join(rows) + "\n")

    out = ["job 50218 resume of 50177 (afterany), node a100-03, Thu Jun 13 09:31:02 CEST 2024"]
    out.append("sending incremental file list")
    out += [f"clips/shard_{number:02d}.tar" for number in range(3)]
    out.append("rsync: [sender] read error: Connection reset by peer (104)")
    out.append("rsync error: error in rsync protocol data stream (code 12) at io.c(228) [sender=3.2.7]")
    out.append("copy failed, trying again (2 of 5)")
    out += [f"clips/shard_{number:02d}.tar" for number in range(3, 11)]
    out.append("")
    out.append("sent 1,204 bytes  received 48,112,309,881 bytes  211,482,673.50 bytes/sec")
    out.append("total size is 66,020,148,224  speedup is 1.37")
    out.append("untar ok: 26411 clips")
    now = _clock("2024-06-13T09:36:20")

    def say(text: str, after: float = 0, level: str = "INFO") -> None:
        nonlocal now
        now += timedelta(seconds=after)
        out.append(f"{now:%Y/%m/%d %H:%M:%S} - mmengine - {level} - {text}")

    say("\n" + "-" * 60)
    out += [
        "System environment:",
        "    sys.platform: linux",
        "    Python: 3.8.18 (default, Sep 11 2023, 13:40:15) [GCC 11.2.0]",
    ]
    out += ["    CUDA available: True", "    MUSA available: False", "    numpy_random_seed: 1502177823"]
    out += [
        "    GPU 0,1: NVIDIA A100-PCIE-40GB",
        "    CUDA_HOME: /usr/local/cuda",
        "    NVCC: Cuda compilation tools, release 11.8, V11.8.89",
    ]
    out += [
        "    PyTorch: 2.1.2+cu118",
        "    TorchVision: 0.16.2+cu118",
        "    OpenCV: 4.9.0",
        "    MMEngine: 0.10.4",
        "",
    ]
    out += [
        "Runtime environment:",
        "    cudnn_benchmark: False",
        "    dist_cfg: {'backend': 'nccl'}",
        "    seed: 1502177823",
    ]
    out += ["    Distributed launcher: pytorch", "    Distributed training: True", "    GPU number: 2", "-" * 60, ""]
    say("Config:", 1)
    out += _SWIN_CONFIG.splitlines()
    out.append("")
    say("Hooks will be executed in the following order:", 4)
    for stage in (
        "before_run",
        "before_train",
        "before_train_epoch",
        "before_train_iter",
        "after_train_iter",
        "after_train_epoch",
    ):
        out += [
            f"{stage}:",
            "(VERY_HIGH   ) RuntimeInfoHook                    ",
            "(BELOW_NORMAL) LoggerHook                         ",
        ]
        out.append(" -------------------- ")
    say(
        "load model from: https://download.openmmlab.com/mmaction/v1.0/recognition/swin/swin_tiny_patch4_window7_224.pth",
        9,
    )
    say(
        "Loads checkpoint by http backend from path: https://download.openmmlab.com/mmaction/v1.0/recognition/swin/swin_tiny_patch4_window7_224.pth"
    )
    say("inflate the weights of SwinTransformer3D from 2D to 3D", 2)
    say("Auto resumed from the latest checkpoint /home/dhb/mmaction2/work_dirs/swin_tiny_handball/epoch_17.pth.", 1)
    say("Loads checkpoint by local backend from path: /home/dhb/mmaction2/work_dirs/swin_tiny_handball/epoch_17.pth")
    env = "/home/dhb/miniconda3/envs/mmaction/lib/python3.8/site-packages"
    trace = (
        ("/home/dhb/mmaction2/tools/train.py", 143, "<module>", "main()"),
        ("/home/dhb/mmaction2/tools/train.py", 139, "main", "runner.train()"),
        (f"{env}/mmengine/runner/runner.py", 1771, "train", "self.load_or_resume()"),
        (f"{env}/mmengine/runner/runner.py", 1714, "load_or_resume", "self.resume(resume_from)"),
        (f"{env}/mmengine/runner/runner.py", 2076, "resume", "checkpoint = self.load_checkpoint("),
        (
            f"{env}/mmengine/runner/runner.py",
            2191,
            "load_checkpoint",
            "checkpoint = _load_checkpoint(filename, map_location=map_location)",
        ),
        (
            f"{env}/mmengine/runner/checkpoint.py",
            549,
            "_load_checkpoint",
            "return CheckpointLoader.load_checkpoint(filename, map_location, logger)",
        ),
        (
            f"{env}/mmengine/runner/checkpoint.py",
            330,
            "load_checkpoint",
            "return checkpoint_loader(filename, map_location)",
        ),
        (
            f"{env}/mmengine/runner/checkpoint.py",
            347,
            "load_from_local",
            "checkpoint = torch.load(filename, map_location=map_location)",
        ),
        (f"{env}/torch/serialization.py", 1005, "load", "with _open_zipfile_reader(opened_file) as opened_zipfile:"),
        (
            f"{env}/torch/serialization.py",
            457,
            "__init__",
            "super().__init__(torch._C.PyTorchFileReader(name_or_buffer))",
        ),
    )
    for _ in range(2):
        out.append("Traceback (most recent call last):")
        for file, line, where, text in trace:
            out += [f'  File "{file}", line {line}, in {where}', f"    {text}"]
        out.append("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory")
    bar = "=" * 60
    out.append(
        "[2024-06-13 09:36:49,377] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: 1) local_rank: 0 (pid: 90133) of binary: python"
    )
    out += [
        bar,
        "tools/train.py FAILED",
        "-" * 60,
        "Failures:",
        "[1]:",
        "  time      : 2024-06-13_09:36:49",
        "  host      : a100-03",
    ]
    out += ["  rank      : 1 (local_rank: 1)", "  exitcode  : 1 (pid: 90134)", "  error_file: <N/A>", "-" * 60]
    out += [
        "Root Cause (first observed failure):",
        "[0]:",
        "  time      : 2024-06-13_09:36:49",
        "  host      : a100-03",
    ]
    out += ["  rank      : 0 (local_rank: 0)", "  exitcode  : 1 (pid: 90133)", "  error_file: <N/A>", bar]
    (place / "slurm-50218.out").write_text("\n".join(out) + "\n")


def c08_forest_sounds(place: Path, rng: Random) -> None:
    """Scenic on spectrograms of a forest: goes well until the shell tells that the process was killed."""
    out: list[str] = [
        "+ python -m scenic.projects.forest.main --config=configs/vit_s16_spec.py --workdir=/wd/spec_s16_d"
    ]
    now = _clock("2025-05-06T14:02:10.4")
    thread = 140211773052736

    def say(file: str, text: str, after: float = 0.0) -> None:
        nonlocal now
        now += timedelta(seconds=after * (1 + 0.1 * rng.random()) + rng.random() * 0.001)
        out.append(f"I{now:%m%d %H:%M:%S}.{now.microsecond:06d} {thread} {file}] {text}")

    say(
        "xla_bridge.py:889",
        "Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'",
        2.2,
    )
    say("app.py:82", "RNG: [ 0 41]", 1)
    say("app.py:85", "JAX host: 0 / 1")
    say("app.py:86", "JAX devices: [CudaDevice(id=0), CudaDevice(id=1), CudaDevice(id=2), CudaDevice(id=3)]")
    say("local.py:41", "Setting task status: host_id: 0, host_count: 1")
    bars = ""
    for done in range(0, 128, 3):
        speed = 4.1 + rng.random()
        bars += (
            f"\rShuffling forest_spec-train.tfrecord...: {done * 100 // 128:3d}%|{'█' * (done // 13):<10}| {done}/128 "
        )
        bars += f"[{_span(done / speed)}<{_span((128 - done) / speed)}, {speed:5.2f} shards/s]\x1b[A"
    out.append(bars)
    say("dataset_info.py:617", "Load dataset info from /ssd/tfds/forest_spec/1.2.0", 33)
    say("dataset_utils.py:404", "Host 0 has 128 of 128 shards; using 301442 examples")
    say("logging_writer.py:48", "[0] dataset/=forest_spec, ")
    say("parameter_overview.py:264", "", 14)
    line = "+" + "-" * 80 + "+" + "-" * 20 + "+" + "-" * 12 + "+"
    out += [line, f"| {'Name':<78} | {'Shape':<18} | {'Size':<10} |", line]
    for block in range(12):
        for leaf, shape, size in (
            ("LayerNorm_0/scale", "(384,)", "384"),
            ("MultiHeadDotProductAttention_0/query/kernel", "(384, 6, 64)", "147,456"),
            ("MlpBlock_0/Dense_0/kernel", "(384, 1536)", "589,824"),
            ("MlpBlock_0/Dense_1/kernel", "(1536, 384)", "589,824"),
        ):
            name = f"Transformer/encoderblock_{block}/{leaf}"
            out.append(f"| {name:<78} | {shape:<18} | {size:<10} |")
    out += [line, "Total: 21,704,531"]
    say("debug_utils.py:134", "Total params: 21704531")
    say("train_utils.py:311", "Number of training steps: 94200 (100 epochs of 942)")
    say("classification_trainer.py:241", "Starting training loop at step 1.", 3)
    rows = ["step,wall_time,train_loss,train_accuracy,learning_rate,steps_per_sec,valid_loss,valid_accuracy"]
    for step in range(100, 47301, 100):
        rate = 3.05 + rng.random() * 0.12
        now += timedelta(seconds=100 / rate)
        loss = 0.92 + 3.1 * math.exp(-step / 9000) + rng.gauss(0, 0.04)
        acc = 0.78 - 0.7 * math.exp(-step / 11000) + rng.gauss(0, 0.008)
        lr = 1e-3 * min(1, step / 5000) * 0.5 * (1 + math.cos(math.pi * step / 94200))
        say(
            "logging_writer.py:48",
            f"[{step}] global_step={step}, img/sec={rate * 320:.4f}, img/sec/core={rate * 80:.4f}, steps_per_sec={rate:.6f}",
        )
        say(
            "logging_writer.py:48",
            f"[{step}] train_accuracy={acc:.6f}, train_loss={loss:.6f}, train_learning_rate={lr:.8f}",
        )
        valid = ","
        if step % 1000 == 0:
            now += timedelta(seconds=19)
            vloss, vacc = loss + 0.11 + rng.random() * 0.02, acc - 0.03
            say("logging_writer.py:48", f"[{step}] valid_accuracy={vacc:.6f}, valid_loss={vloss:.6f}")
            valid = f"{vloss:.6f},{vacc:.6f}"
        if step % 5000 == 0:
            say("checkpoints.py:702", f"Saving checkpoint at step: {step}", 0.2)
            say("checkpoints.py:577", f"Saved checkpoint at /wd/spec_s16_d/checkpoint_{step}", 1.9)
        if step % 2500 == 0:
            out.append(f"\x1b[2K\x1b[36m{now:%H:%M}\x1b[0m gsutil rsync wd -> bucket \x1b[32mdone\x1b[0m")
        rows.append(f"{step},{now.timestamp():.3f},{loss:.6f},{acc:.6f},{lr:.8f},{rate:.6f},{valid}")
    out.append(
        "./launch.sh: line 31:  2047 Killed                  python -m scenic.projects.forest.main --config=$CONFIG --workdir=$WD"
    )
    out.append("+ rc=137")
    out.append("+ echo 'exit code 137'")
    out.append("exit code 137")
    (place / "launch.log").write_text("\n".join(out) + "\n")
    (place / "metrics.csv").write_text("\n".join(rows) + "\n")


def c09_perovskites(place: Path, rng: Random) -> None:
    """SchNetPack until the end of the queue's time, with the cluster's usual frightening words at its head."""
    out = [
        "slurmstepd: error: Unable to create TMPDIR [/scratch/bctc]: Permission denied",
        "slurmstepd: error: Setting TMPDIR to /tmp",
        "--------------------------------------------------------------------------",
        "WARNING: There was an error initializing an OpenFabrics device.",
        "",
        "  Local host:   tg084",
        "  Local device: mlx5_bond_0",
        "--------------------------------------------------------------------------",
        "libibverbs: Warning: couldn't load driver 'libvmw_pvrdma-rdmav34.so': cannot open shared object file: No such file",
    ]
    now = _clock("2024-09-16T15:00:41.207")

    def say(name: str, text: str, after: float = 0.0) -> None:
        nonlocal now
        now += timedelta(seconds=after * (1 + 0.1 * rng.random()) + rng.random() * 0.004)
        out.append(f"[{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03d}][{name}][INFO] - {text}")

    say("schnetpack.cli", "Running on host: tg084")
    say("schnetpack.cli", "Seed randomly...", 0.1)
    say("schnetpack.cli", "Instantiating datamodule <schnetpack.data.AtomsDataModule>", 0.4)
    say("schnetpack.cli", "Instantiating model <schnetpack.model.NeuralNetworkPotential>", 1.4)
    say("schnetpack.cli", "Instantiating task <schnetpack.AtomisticTask>", 0.9)
    for call in ("ModelCheckpoint", "EarlyStopping", "LearningRateMonitor", "ExponentialMovingAverage"):
        say("schnetpack.cli", f"Instantiating callback <{call}>")
    say("schnetpack.cli", "Instantiating logger <pytorch_lightning.loggers.tensorboard.TensorBoardLogger>")
    say("schnetpack.cli", "Instantiating trainer <pytorch_lightning.Trainer>")
    out += [
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
    ]
    say("schnetpack.cli", "Logging hyperparameters.", 0.4)
    say("schnetpack.cli", "Starting training.", 0.2)
    out += [
        "/home/hpc/m/bctc/spk/lib/python3.11/site-packages/pytorch_lightning/utilities/parsing.py:208: Attribute 'model' is an instance of "
        "`nn.Module` and is already saved during checkpointing. It is recommended to ignore them using "
        "`self.save_hyperparameters(ignore=['model'])`.",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "/home/hpc/m/bctc/spk/lib/python3.11/site-packages/torch/utils/data/dataloader.py:617: UserWarning: This DataLoader will create 12 worker "
        "processes in total. Our suggested max number of worker in current system is 8, which is smaller than what this DataLoader is going "
        "to create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number "
        "to avoid potential slowness/freeze if necessary.",
        "",
        "  | Name    | Type                   | Params | Mode ",
        "-----------------------------------------------------------",
        "0 | model   | NeuralNetworkPotential | 592 K  | train",
        "1 | outputs | ModuleList             | 0      | train",
        "-----------------------------------------------------------",
        "592 K     Trainable params",
        "0         Non-trainable params",
        "592 K     Total params",
        "2.370     Total estimated model params size (MB)",
    ]
    tail = ""
    total, epoch = 940, 0
    end = _clock("2024-09-17T15:00:58")
    best = 9.0
    while True:
        pace = 8.4 + rng.random() * 0.5
        for done in range(188, total + 1, 188):
            now += timedelta(seconds=188 / pace)
            if now >= end:
                break
            text = f"Epoch {epoch}: {done * 100 // total:3d}%|{'█' * (done * 10 // total):<10}| {done}/{total} "
            out.append(text + f"[{_span(done / pace)}<{_span((total - done) / pace)}, {pace:5.2f}it/s, v_num=0{tail}]")
        if now >= end:
            break
        fall = math.exp(-epoch / 60)
        loss = 0.0071 + 0.9 * fall + abs(rng.gauss(0, 0.0009 + 0.02 * fall))
        now += timedelta(seconds=11)
        tail = f", train_loss_step={loss * (0.8 + rng.random() * 0.4):.5f}, val_loss={loss * 1.11:.5f}, train_loss_epoch={loss:.5f}"
        if loss < best:
            best = loss
            out.append(
                f"Epoch {epoch}, global step {(epoch + 1) * total}: 'val_loss' reached {loss * 1.11:.5f} "
                f"(best {loss * 1.11:.5f}), saving model to '/home/vault/bctc/spk/runs/cspbi3/best_model' as top 1"
            )
        elif epoch % 4 == 0:
            out.append(f"Epoch {epoch}, global step {(epoch + 1) * total}: 'val_loss' was not in top 1")
        if epoch in (91, 340):
            out.append("Exception ignored in: <function _ConnectionBase.__del__ at 0x14b2c8e4f060>")
            out.append("OSError: [Errno 9] Bad file descriptor")
        epoch += 1
    out.append("slurmstepd: error: *** JOB 1884620 ON tg084 CANCELLED AT 2024-09-17T15:00:58 DUE TO TIME LIMIT ***")
    (place / "spk_cspbi3.o1884620").write_text("\n".join(out) + "\n")
    head = "JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList|MaxRSS|AllocTRES"
    span = "2024-09-16T15:00:29|2024-09-17T15:00:58|1-00:00:29"
    tres = "billing=8,cpu=8,gres/gpu:a40=1,gres/gpu=1,mem=60000M,node=1"
    sacct = [
        head,
        f"1884620|spk_cspbi3|a40|TIMEOUT|0:0|{span}|1-00:00:00|tg084||{tres}",
        f"1884620.batch|batch||CANCELLED|0:15|2024-09-16T15:00:29|2024-09-17T15:00:59|1-00:00:30||tg084|11284412K|{tres}",
        f"1884620.extern|extern||COMPLETED|0:0|{span}||tg084|0|{tres}",
    ]
    (place / "sacct.txt").write_text("\n".join(sacct) + "\n")


def c10_notary_sft(place: Path, rng: Random) -> None:
    """OpenRLHF's SFT: each rank ends at the load of the model, among the same warning again and again."""
    env = "/opt/rlhf/lib/python3.10/site-packages"
    out = [
        "[WARNING]  async_io requires the dev libaio .so object and headers but these were not found.",
        "[INFO] [real_accelerator.py:219:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
        "[WARNING] [runner.py:215:fetch_hostfile] Unable to find hostfile, will proceed with training with local resources only.",
        "[INFO] [runner.py:607:main] cmd = /opt/rlhf/bin/python3.10 -u -m deepspeed.launcher.launch "
        "--world_info=eyJsb2NhbGhvc3QiOiBbMCwgMSwgMiwgMywgNCwgNSwgNiwgN119 "
        "--master_addr=127.0.0.1 --master_port=29500 --module --enable_each_rank_log=None openrlhf.cli.train_sft --max_len 8192 "
        "--dataset /mnt/deeds/sft.jsonl --input_key input --output_key output --train_batch_size 128 --micro_train_batch_size 2 "
        "--pretrain Qwen/Qwen2.5-7B-Instruct --save_path /mnt/ckpt/deeds7b --zero_stage 3 --max_epochs 2 --bf16 --flash_attn "
        "--packing_samples --learning_rate 5e-6 --gradient_checkpointing",
        "[INFO] [launch.py:146:main] WORLD INFO DICT: {'localhost': [0, 1, 2, 3, 4, 5, 6, 7]}",
        "[INFO] [launch.py:152:main] nnodes=1, num_local_procs=8, node_rank=0",
        "[INFO] [launch.py:164:main] dist_world_size=8",
        "[INFO] [launch.py:168:main] Setting CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7",
    ]
    first = rng.randint(3100, 5200)
    out += [
        f"[INFO] [launch.py:256:main] process {first + rank} spawned with command: "
        f"['/opt/rlhf/bin/python3.10', '-u', '-m', 'openrlhf.cli.train_sft', '--local_rank={rank}', '--max_len', '8192']"
        for rank in range(8)
    ]
    out += [
        "[INFO] [real_accelerator.py:219:get_accelerator] Setting ds_accelerator to cuda (auto detect)"
        for _ in range(8)
    ]
    for _ in range(8):
        out.append("[WARNING]  async_io requires the dev libaio .so object and headers but these were not found.")
        out.append("[WARNING]  async_io: please install the libaio-dev package with apt")
    out += ["[INFO] [comm.py:652:init_distributed] cdb=None" for _ in range(8)]
    out.append("[INFO] [comm.py:683:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl")
    out += ["[INFO] [config.py:733:__init__] Config mesh_device None world_size = 8" for _ in range(8)]
    out += [
        f"[INFO] [launch.py:319:sigkill_handler] Killing subprocess {first + rank}" for rank in rng.sample(range(8), 8)
    ]
    out.append(
        "[ERROR] [launch.py:325:sigkill_handler] ['/opt/rlhf/bin/python3.10', '-u', '-m', 'openrlhf.cli.train_sft', "
        "'--local_rank=7', '--max_len', '8192', '--pretrain', 'Qwen/Qwen2.5-7B-Instruct', '--flash_attn'] exits with return code = 1"
    )
    (place / "sft_deeds.log").write_text("\n".join(out) + "\n")

    err: list[str] = []
    loud = (
        "[W socket.cpp:697] [c10d] The client socket cannot be initialized to connect to [localhost]:29500 "
        "(errno: 97 - Address family not supported by protocol)."
    )
    loud2 = f"{env}/transformers/utils/hub.py:128: FutureWarning: Using `TRANSFORMERS_CACHE` is deprecated and will be removed in v5 of "
    loud2 += "Transformers. Use `HF_HOME` instead."
    for _ in range(8):
        err += [loud2, "  warnings.warn("]
        err += [loud] * rng.randint(5, 8)
    trace = (
        ("/usr/lib/python3.10/runpy.py", 196, "_run_module_as_main", "return _run_code(code, main_globals, None,"),
        ("/usr/lib/python3.10/runpy.py", 86, "_run_code", "exec(code, run_globals)"),
        (f"{env}/openrlhf/cli/train_sft.py", 243, "<module>", "train(args)"),
        (f"{env}/openrlhf/cli/train_sft.py", 23, "train", "model = Actor("),
        (f"{env}/openrlhf/models/actor.py", 86, "__init__", "self.model = AutoModelForCausalLM.from_pretrained("),
        (
            f"{env}/transformers/models/auto/auto_factory.py",
            564,
            "from_pretrained",
            "return model_class.from_pretrained(",
        ),
        (
            f"{env}/transformers/modeling_utils.py",
            4091,
            "from_pretrained",
            "config = cls._autoset_attn_implementation(",
        ),
        (
            f"{env}/transformers/modeling_utils.py",
            1617,
            "_autoset_attn_implementation",
            "cls._check_and_enable_flash_attn_2(",
        ),
        (
            f"{env}/transformers/modeling_utils.py",
            1747,
            "_check_and_enable_flash_attn_2",
            'raise ImportError(f"{preface} the package flash_attn seems to be not installed. {install_message}")',
        ),
    )
    for rank in rng.sample(range(8), 8):
        err.append(f"[rank{rank}]: Traceback (most recent call last):")
        for file, line, where, text in trace:
            err += [f'[rank{rank}]:   File "{file}", line {line}, in {where}', f"[rank{rank}]:     {text}"]
        err.append(
            f"[rank{rank}]: ImportError: FlashAttention2 has been toggled on, but it cannot be used due to the following error: the package "
            "flash_attn seems to be not installed. Please refer to the documentation of "
            "https://huggingface.co/docs/transformers/perf_infer_gpu_one#flashattention-2 to install Flash Attention 2."
        )
        err += [loud] * rng.randint(0, 2)
    err.append(
        "[rank0]:[W ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has NOT been destroyed before we destruct ProcessGroupNCCL."
    )
    (place / "sft_deeds.err").write_text("\n".join(err) + "\n")


def c11_canavial(place: Path, rng: Random) -> None:
    """A Portuguese loop on pictures of sugar cane, in hectares and millinats; its last request was refused."""
    out: list[str] = []
    rows = ["epoca;lote;perda_mnat;acordo_pm;ritmo_ha_s;mem_mib"]
    for epoch in range(1, 10):
        for batch in (150, 300, 450):
            at = (epoch - 1) * 450 + batch
            if epoch == 9 and batch > 150:
                break
            loss = 212 + 640 * math.exp(-at / 900) + rng.gauss(0, 9)
            agree = 871 - 420 * math.exp(-at / 1100) + rng.gauss(0, 5)
            pace = 61.5 + rng.gauss(0, 1.4)
            held = 17890 + (epoch > 2) * 210 + rng.randint(0, 30)
            rows.append(f"{epoch};{batch};{_comma(loss, 1)};{_comma(agree, 0)};{_comma(pace, 2)};{held}")
            if epoch >= 3:
                text = f"época {epoch:02d}/20  lote {batch}/450  perda {_comma(loss, 1)} mnat/px  acordo {_comma(agree, 0)}‰  "
                out.append(text + f"ritmo {_comma(pace, 1)} ha/s  memória {_comma(held / 1024, 1)} GiB")
        if 3 <= epoch < 9:
            miou = 731 - 390 * math.exp(-epoch / 2.6) + rng.gauss(0, 4)
            out.append(
                f"   validação: mIoU {_comma(miou, 0)}‰, {_comma(18211.4, 1)} ha em {_comma(3.9 + rng.random() * 0.3, 1)} min"
            )
    out.append("   recortes grandes a partir daqui (talhões de Ribeirão, 1536 px)")
    out += [
        "Traceback (most recent call last):",
        '  File "/home/talita/canavial/treinar.py", line 211, in <module>',
        "    principal()",
        '  File "/home/talita/canavial/treinar.py", line 174, in principal',
        "    perda = passo(rede, imagem.to(disp), alvo.to(disp))",
        '  File "/home/talita/canavial/treinar.py", line 98, in passo',
        "    saida = rede(imagem)",
        '  File "/home/talita/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1736, in _wrapped_call_impl',
        "    return self._call_impl(*args, **kwargs)",
        '  File "/home/talita/canavial/rede.py", line 61, in forward',
        "    x = self.subir1(torch.cat([x, e1], dim=1))",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.25 GiB. GPU 0 has a total capacity of 23.68 GiB of which 1.31 GiB is free. "
        "Including non-PyTorch memory, this process has 22.35 GiB memory in use. Of the allocated memory 20.92 GiB is allocated by PyTorch, and "
        "1.08 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    (place / "saida.txt").write_text("\n".join(out) + "\n")
    (place / "medidas.csv").write_text("\n".join(rows) + "\n")


def c12_dispatch_calls(place: Path, rng: Random) -> None:
    """Icefall in a pod on calls to a taxi dispatcher; the store stumbled once, the training did not."""
    out: list[str] = []
    now = _clock("2024-04-22T05:41:17.220")

    def raw(text: str, stream: str = "stderr") -> None:
        nonlocal now
        now += timedelta(microseconds=rng.randint(40, 190))
        nano = now.microsecond * 1000 + rng.randint(0, 999)
        out.append(f"{now:%Y-%m-%dT%H:%M:%S}.{nano:09d}Z {stream} F {text}")

    def say(line: str, text: str, after: float = 0.0, level: str = "INFO", rank: int = 0) -> None:
        nonlocal now
        now += timedelta(seconds=after * (1 + 0.1 * rng.random()) + rng.random() * 0.003)
        raw(
            f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03d} {level} [{line}] {f'({rank}/2) ' if line.startswith('train') else ''}{text}"
        )

    for rank in range(2):
        say("train.py:1064", "Training started", 0.2, rank=rank)
        say("train.py:1074", f"Device: cuda:{rank}", 0.01, rank=rank)
    say("train.py:1086", "{'best_train_loss': inf, 'best_valid_loss': inf, 'best_train_epoch': -1, 'best_valid_epoch': -1, 'batch_idx_train': 0, "
        "'log_interval': 50, 'reset_interval': 200, 'valid_interval': 800, 'feature_dim': 80, 'subsampling_factor': 4, 'warm_step': 2000, "
        "'world_size': 2, 'num_epochs': 12, 'start_epoch': 1, 'start_batch': 0, 'exp_dir': PosixPath('zipformer/exp-dispatch'), "
        "'base_lr': 0.045, 'max_duration': 600, 'use_fp16': True, 'blank_id': 0, 'vocab_size': 500}", 0.3)  # fmt: skip
    say("train.py:1088", "About to create model", 0.01)
    say("train.py:1092", "Number of model parameters: 23285615", 0.6)
    say("train.py:1107", "Using DDP", 1.4)
    say("asr_datamodule.py:408", "About to get train cuts from s3://asr-dispatch/fbank/cuts_train.jsonl.gz", 0.5)
    say("asr_datamodule.py:224", "Enable MUSAN", 1.1)
    say("asr_datamodule.py:249", "Enable SpecAugment", 0.1)
    say("asr_datamodule.py:273", "Num frame mask: 10", 0.0)
    say("asr_datamodule.py:320", "Using DynamicBucketingSampler.", 0.1)
    say("asr_datamodule.py:337", "About to create train dataloader", 2.5)
    say("asr_datamodule.py:415", "About to get dev cuts", 0.1)
    say("train.py:1289", "Sanity check -- see if any of the batches in epoch 1 would cause OOM.", 0.2)
    for rank in range(2):
        say("train.py:1317", f"Maximum memory allocated so far is {17100 + rng.randint(0, 400)}MB", 9, rank=rank)

    per = 620
    for epoch in range(1, 13):
        run = 0.0
        for batch in range(0, per, 50):
            at = (epoch - 1) * per + batch
            now += timedelta(seconds=31 + rng.random() * 3)
            lr = (
                0.045
                * ((at**2 / 7500**2 + 1) ** -0.25)
                * (((epoch - 1) ** 2 / 3.5**2 + 1) ** -0.25)
                * min(1, 0.5 + 0.5 * at / 500)
            )
            for rank in range(2):
                pruned = 0.152 + 0.07 * math.exp(-at / 3500) + 6.6 * math.exp(-at / 160) + rng.gauss(0, 0.008)
                simple = pruned * 1.33 + 0.02
                loss = pruned + 0.5 * simple
                run = loss if not run else 0.9 * run + 0.1 * loss
                frames = 14000 + rng.random() * 1500
                text = f"Epoch {epoch}, batch {batch}, loss[loss={loss:.4g}, simple_loss={simple:.4g}, pruned_loss={pruned:.4g}, over {frames:.2f} frames. ], "
                text += f"tot_loss[loss={run:.4g}, simple_loss={run * 0.8:.4g}, pruned_loss={run * 0.6:.4g}, "
                text += f"over {min(3e6, (batch + 1) * 14700):.2f} frames. ], "
                say(
                    "train.py:968",
                    text
                    + f"batch size: {rng.randint(30, 120)}, lr: {lr:.2e}, grad_scale: {2.0 ** min(5, at // 700):.1f}",
                    0.01,
                    rank=rank,
                )
            if batch % 400 == 350 and epoch > 1 and epoch % 2:
                say(
                    "optim.py:487",
                    f"Clipping_scale=2.0, grad-norm quartiles 3.11e+01 4.02e+01 4.66e+01 5.52e+01 "
                    f"{90 + rng.random() * 60:.2e}, threshold=9.32e+01, percent-clipped=2.0",
                    level="WARNING",
                )
            if epoch == 7 and batch == 250:
                raw("Traceback (most recent call last):")
                raw('  File "/opt/venv/lib/python3.10/site-packages/lhotse/features/io.py", line 766, in read')
                raw("    with SmartOpen.open(self.storage_base / key, 'rb') as f:")
                raw(
                    'botocore.exceptions.ReadTimeoutError: Read timeout on endpoint URL: "http://ceph-rgw.asr:8080/asr-dispatch/fbank/feats-118.lca"'
                )
                say(
                    "s3_retry.py:37",
                    "read of feats-118.lca: try 1 of 4 did not work, again in 5.0 s",
                    60.4,
                    level="WARNING",
                )
                say(
                    "s3_retry.py:37",
                    "read of feats-118.lca: try 2 of 4 did not work, again in 10.0 s",
                    65.1,
                    level="WARNING",
                )
                say("s3_retry.py:44", "read of feats-118.lca: ok after 3 tries", 10.6)
        say("train.py:991", "Computing validation loss", 20)
        base = 0.139 + 0.19 * math.exp(-epoch / 2.4)
        say(
            "train.py:1000",
            f"Epoch {epoch}, validation: loss={base * 1.61:.4g}, simple_loss={base * 1.3:.4g}, pruned_loss={base:.4g}, over 944034.00 frames. ",
            14,
        )
        say("train.py:1001", "Maximum memory allocated so far is 17688MB", 0.0)
        say("checkpoint.py:75", f"Saving checkpoint to zipformer/exp-dispatch/epoch-{epoch}.pt", 0.4)
    for rank in range(2):
        say("train.py:1234", "Done!", 0.6, rank=rank)
    (place / "asr-dispatch-zipformer-0.log").write_text("\n".join(out) + "\n")
