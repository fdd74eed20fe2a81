"""What training programs print: headers, steps, saves and ends, each in its own framework's manner. SIMULATED values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol


def wall(t: float, zone_min: int) -> datetime:
    """Local time of ``t``, without a zone."""
    return datetime.fromtimestamp(t, UTC).replace(tzinfo=None) + timedelta(minutes=zone_min)


@dataclass(frozen=True)
class Step:
    """One report of progress."""

    t: float
    n: int
    total: int
    took_s: float
    data_s: float
    loss: float | None
    grad: float
    lr: float
    since: float


class Speaker(Protocol):
    """How one framework words its progress."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]: ...
    def step(self, s: Step, zone: int) -> list[str]: ...
    def save(self, t: float, zone: int, n: int) -> list[str]: ...
    def end(self, t: float, zone: int, n: int) -> list[str]: ...


def _num(value: float | None) -> float:
    return float("nan") if value is None else value


class Plain:
    """A loop with ``logging``: also the one that prints no loss where there is none."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        w = f"{wall(t, zone):%Y-%m-%d %H:%M:%S,%f}"[:-3]
        return [
            f"{w} - INFO - world size {world}, bf16, training for {total} steps",
            f"{w} - INFO - model: 6.74B parameters",
        ]

    def step(self, s: Step, zone: int) -> list[str]:
        w = f"{wall(s.t, zone):%Y-%m-%d %H:%M:%S,%f}"[:-3]
        loss = "" if s.loss is None else f" loss {s.loss:.4f}"
        return [f"{w} - INFO - step {s.n}/{s.total}{loss} lr {s.lr:.3e} {s.took_s * 1000:.0f} ms/step"]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        w = f"{wall(t, zone):%Y-%m-%d %H:%M:%S,%f}"[:-3]
        return [f"{w} - INFO - saved checkpoint to out/ckpt_{n}.pt"]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        w = f"{wall(t, zone):%Y-%m-%d %H:%M:%S,%f}"[:-3]
        return [f"{w} - INFO - training finished after {n} steps"]


class NanoGpt(Plain):
    """No clock at all."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [
            "tokens per iteration will be: 491,520",
            "Initializing a new model from scratch",
            "number of parameters: 123.59M",
        ]

    def step(self, s: Step, zone: int) -> list[str]:
        return [f"iter {s.n}: loss {_num(s.loss):.4f}, time {s.took_s * 1000:.2f}ms, mfu 38.10%"]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return ["saving checkpoint to out"]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return []


class Megatron(Plain):
    """Megatron-LM's iteration line."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [
            f"using world size: {world}, data-parallel size: {world}, tensor-model-parallel size: 1, pipeline-model-parallel size: 1 ",
            f"  train_iters ..................................... {total}",
            "> initializing torch distributed ...",
            f"[before the start of training step] datetime: {wall(t, zone):%Y-%m-%d %H:%M:%S} ",
        ]

    def step(self, s: Step, zone: int) -> list[str]:
        return [
            f" [{wall(s.t, zone):%Y-%m-%d %H:%M:%S.%f}] iteration {s.n:8d}/{s.total:8d} | consumed samples: {s.n * 512:12d} |"
            f" elapsed time per iteration (ms): {s.took_s * 1000:.1f} | learning rate: {s.lr:.6E} | global batch size:   512 |"
            f" lm loss: {_num(s.loss):.6E} | loss scale: 1.0 | grad norm: {s.grad:.3f} | number of skipped iterations:   0 |"
            " number of nan iterations:   0 |"
        ]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [
            f"saving checkpoint at iteration {n:7d} to /ckpt/run in torch_dist format",
            f"  successfully saved checkpoint from iteration {n:7d} to /ckpt/run",
        ]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return [f"[after training is done] datetime: {wall(t, zone):%Y-%m-%d %H:%M:%S} "]


class HuggingFace(Plain):
    """Trainer's dictionaries and tqdm bars; no clock."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [
            "***** Running training *****",
            "  Num examples = 52,002",
            "  Num Epochs = 3",
            f"  Total train batch size (w. parallel, distributed & accumulation) = {world * 4}",
            f"  Total optimization steps = {total:,}",
        ]

    def step(self, s: Step, zone: int) -> list[str]:
        e = int(s.t - s.since)
        left = int((s.total - s.n) * s.took_s)
        bar = f"{100 * s.n // s.total:3d}%|{'█' * (10 * s.n // s.total):10}| {s.n}/{s.total} [{e // 60:02d}:{e % 60:02d}<{left // 60:02d}:{left % 60:02d}, {s.took_s:5.2f}s/it]"
        said = {
            "loss": s.loss,
            "grad_norm": round(s.grad, 6),
            "learning_rate": s.lr,
            "epoch": round(3 * s.n / s.total, 2),
        }
        if s.loss is None:
            del said["loss"]
        else:
            said["loss"] = round(s.loss, 4)
        return [f"\r{bar}", str(said)]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [f"Saving model checkpoint to out/checkpoint-{n}"]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return [
            "{'train_runtime': 3012.11, 'train_samples_per_second': 51.7, 'train_steps_per_second': 0.4, 'train_loss': 1.1, 'epoch': 3.0}",
            "Training completed. Do not forget to share your model on huggingface.co/models =)",
        ]


class Timm(Plain):
    """timm's train.py, with data time."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [
            f"Training in distributed mode with multiple processes, 1 device per process. Process 0, total {world}.",
            "Scheduled epochs: 1. LR stepped per epoch.",
        ]

    def step(self, s: Step, zone: int) -> list[str]:
        return [
            f"Train: 0 [{s.n:4d}/{s.total} ({100 * s.n / s.total:3.0f}%)]  Loss: {_num(s.loss):#.3g} ({_num(s.loss):#.3g})"
            f"  Time: {s.took_s:.3f}s, {2048 / s.took_s:>7.2f}/s  ({s.took_s:.3f}s, {2048 / s.took_s:>7.2f}/s)"
            f"  LR: {s.lr:.3e}  Data: {s.data_s:.3f} ({s.data_s:.3f})"
        ]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [f"Current checkpoints:\n ('./output/train/checkpoint-{n}.pth.tar', 71.2)"]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return ["*** Best metric: 71.2 (epoch 0)"]


class MmEngine(Plain):
    """mmengine's iteration lines."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [f"{wall(t, zone):%Y/%m/%d %H:%M:%S} - mmengine - INFO - Checkpoints will be saved to /work/dirs/run."]

    def step(self, s: Step, zone: int) -> list[str]:
        eta = timedelta(seconds=int((s.total - s.n) * s.took_s))
        return [
            f"{wall(s.t, zone):%Y/%m/%d %H:%M:%S} - mmengine - INFO - Iter(train) [{s.n:6d}/{s.total}]  lr: {s.lr:.4e}  eta: {eta}"
            f"  time: {s.took_s:.4f}  data_time: {s.data_s:.4f}  memory: 31022  grad_norm: {s.grad:.4f}  loss: {_num(s.loss):.4f}"
        ]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [f"{wall(t, zone):%Y/%m/%d %H:%M:%S} - mmengine - INFO - Saving checkpoint at {n} iterations"]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return []


class Detectron(Plain):
    """detectron2's event lines."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [f"[{wall(t, zone):%m/%d %H:%M:%S} d2.engine.train_loop]: Starting training from iteration 0"]

    def step(self, s: Step, zone: int) -> list[str]:
        eta = timedelta(seconds=int((s.total - s.n) * s.took_s))
        return [
            f"[{wall(s.t, zone):%m/%d %H:%M:%S} d2.utils.events]:  eta: {eta}  iter: {s.n}  total_loss: {_num(s.loss):.4g}"
            f"  time: {s.took_s:.4f}  last_time: {s.took_s:.4f}  data_time: {s.data_s:.4f}  last_data_time: {s.data_s:.4f}   lr: {s.lr:.5g}  max_mem: 18123M"
        ]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [
            f"[{wall(t, zone):%m/%d %H:%M:%S} fvcore.common.checkpoint]: Saving checkpoint to ./output/model_{n:07d}.pth"
        ]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return [
            f"[{wall(t, zone):%m/%d %H:%M:%S} d2.engine.hooks]: Overall training speed: {n} iterations in 1:02:11 (0.5 s / it)"
        ]


class MaxText(Plain):
    """MaxText on JAX."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [f"System Information: Jax Version: 0.4.35, device count {world}", f"Config param steps: {total}"]

    def step(self, s: Step, zone: int) -> list[str]:
        return [
            f"completed step: {s.n}, seconds: {s.took_s:.3f}, TFLOP/s/device: {400 / s.took_s:.3f}, Tokens/s/device: {8192 / s.took_s:.3f},"
            f" total_weights: 65536, loss: {_num(s.loss):.3f}"
        ]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [f"saved a checkpoint at step {n}"]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return []


class Titan(Plain):
    """torchtitan."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        w = f"[titan] {wall(t, zone):%Y-%m-%d %H:%M:%S},112 - root - INFO - "
        return [
            w + "Starting job: Llama 3 8B training",
            w
            + f"Training starts at step 1, with local batch size 1, global batch size {world}, sequence length 8192, total steps {total} (warmup 200)",
        ]

    def step(self, s: Step, zone: int) -> list[str]:
        return [
            f"[titan] {wall(s.t, zone):%Y-%m-%d %H:%M:%S},{int(s.t * 1000) % 1000:03d} - root - INFO - step: {s.n:2d}  loss: {_num(s.loss):7.4f}"
            f"  grad_norm: {s.grad:7.4f}  memory: 47.28GiB(59.76%)  tps: {int(8192 / s.took_s):,}  tflops: 391.32  mfu: 39.57%"
        ]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        w = f"[titan] {wall(t, zone):%Y-%m-%d %H:%M:%S},871 - root - INFO - "
        return [
            w + "Saving the checkpoint (or staging if async is enabled).",
            w + "Finished saving the checkpoint (or staging if async is enabled)in 8.11 seconds.",
        ]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return [f"[titan] {wall(t, zone):%Y-%m-%d %H:%M:%S},004 - root - INFO - Training completed"]


class DeepSpeed(Plain):
    """DeepSpeed's rank-0 prints."""

    def step(self, s: Step, zone: int) -> list[str]:
        w = f"[{wall(s.t, zone):%Y-%m-%d %H:%M:%S},{int(s.t * 1000) % 1000:03d}] [INFO] "
        out = [
            w + f"[logging.py:96:log_dist] [Rank 0] step={s.n}, skipped=0, lr=[{s.lr}], mom=[(0.9, 0.95)]",
            w
            + f"[timer.py:264:stop] epoch=0/micro_step={s.n}/global_step={s.n}, RunningAvgSamplesPerSec={64 / s.took_s:.3f}, CurrSamplesPerSec={64 / s.took_s:.3f}, MemAllocated=21.1GB, MaxMemAllocated=51.0GB",
        ]
        return [*out, f"epoch 0 step {s.n}: loss = {s.loss:.5f}"] if s.loss is not None else out


class Composer(Plain):
    """MosaicML Composer's console."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [
            "Starting training...",
            "******************************",
            f"Config:\n  max_duration: {total}ba\n  world_size: {world}",
        ]

    def step(self, s: Step, zone: int) -> list[str]:
        return [
            f"[batch={s.n}/{s.total}]:",
            f"\t Train time/batch: {s.n - 1}",
            f"\t Train loss/train/total: {_num(s.loss):.4f}",
            f"\t Train throughput/batches_per_sec: {1 / s.took_s:.4f}",
            f"\t Train lr-DecoupledAdamW/group0: {s.lr:.6f}",
        ]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [
            f"{wall(t, zone):%Y-%m-%d %H:%M:%S},113: rank0[911][MainThread]: DEBUG: composer.callbacks.checkpoint_saver: Saved checkpoint ba{n}"
        ]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return ["Training complete."]


class JsonLines(Plain):
    """A loop that logs JSON."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [
            json.dumps(
                {
                    "ts": f"{wall(t, 0):%Y-%m-%dT%H:%M:%S.%fZ}",
                    "level": "info",
                    "event": "start",
                    "world_size": world,
                    "max_steps": total,
                }
            )
        ]

    def step(self, s: Step, zone: int) -> list[str]:
        said = {
            "ts": f"{wall(s.t, 0):%Y-%m-%dT%H:%M:%S.%fZ}",
            "level": "info",
            "event": "train",
            "step": s.n,
            "loss": s.loss,
            "lr": s.lr,
            "grad_norm": s.grad,
            "step_time": round(s.took_s, 4),
        }
        return [json.dumps({k: v for k, v in said.items() if v is not None})]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [
            json.dumps(
                {
                    "ts": f"{wall(t, 0):%Y-%m-%dT%H:%M:%S.%fZ}",
                    "level": "info",
                    "event": "checkpoint saved",
                    "step": n,
                    "path": f"s3://b/r/{n}",
                }
            )
        ]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return [
            json.dumps(
                {"ts": f"{wall(t, 0):%Y-%m-%dT%H:%M:%S.%fZ}", "level": "info", "event": "training finished", "step": n}
            )
        ]


SPEAKERS: dict[str, Speaker] = {
    "plain": Plain(),
    "nanogpt": NanoGpt(),
    "megatron": Megatron(),
    "hf": HuggingFace(),
    "timm": Timm(),
    "mmengine": MmEngine(),
    "detectron2": Detectron(),
    "maxtext": MaxText(),
    "titan": Titan(),
    "deepspeed": DeepSpeed(),
    "composer": Composer(),
    "json": JsonLines(),
}
