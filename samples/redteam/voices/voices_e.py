"""Voices of programs whose authors care where the time goes: each tells the waiting for data."""

from __future__ import annotations

import json
import math
import random
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from .run import Evaluation, Report, Save, Voice, voice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .run import Run

VOICES: Final[dict[str, Voice]] = {}


def _when(run: Run, seconds: float, form: str = "%H:%M:%S") -> str:
    """The time of day, so many seconds after the start."""
    return (run.begin + timedelta(seconds=seconds)).strftime(form)


def _milli(run: Run, seconds: float, form: str = "%H:%M:%S", mark: str = ",") -> str:
    moment = run.begin + timedelta(seconds=seconds)
    return f"{moment.strftime(form)}{mark}{moment.microsecond // 1000:03d}"


def _hms(seconds: float) -> str:
    """As ``str(timedelta)`` would without days."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _n(x: float, spec: str, nan: str = "NaN", inf: str = "Inf") -> str:
    """A number as languages other than Python print it."""
    if math.isnan(x):
        return nan
    if math.isinf(x):
        return f"-{inf}" if x < 0 else inf
    return format(x, spec)


def _comma(x: float, spec: str, nan: str = "NaN", inf: str = "Inf") -> str:
    """With a decimal comma."""
    return _n(x, spec, nan, inf).replace(".", ",")


def _exp(x: float) -> float:
    return math.exp(x) if math.isnan(x) or x < 700 else math.inf


def _walk(run: Run) -> Iterator[tuple[Report | Evaluation | Save, float]]:
    """Each event with its seconds: of a report, those of computing alone (no waiting, evaluating, saving)."""
    held = 0.0
    for event in run.events:
        if isinstance(event, Report):
            yield event, max(0.0, event.took - event.fetch - held)
            held = 0.0
        else:
            held += event.took
            yield event, event.took


class _Epoch(NamedTuple):
    """The reports of one epoch together, and its evaluation."""

    epoch: int
    step: int
    at: float
    loss: float
    score: float
    lr: float
    norm: float
    fetch: float
    work: float
    test: Evaluation


def _by_epoch(run: Run) -> Iterator[_Epoch | Save]:
    reports: list[tuple[Report, float]] = []
    for event, work in _walk(run):
        if isinstance(event, Report):
            reports.append((event, work))
        elif isinstance(event, Save):
            yield event
        elif reports:
            last, many = reports[-1][0], len(reports)
            yield _Epoch(
                event.epoch,
                event.step,
                event.at,
                sum(report.loss for report, _ in reports) / many,
                last.score,
                last.lr,
                last.norm,
                sum(report.fetch for report, _ in reports),
                sum(each for _, each in reports),
                event,
            )
            reports = []


def _end(run: Run) -> float:
    return run.events[-1].at if run.events else 0.0


@voice(VOICES, "fb_resnet", "loss fetch end")
def fb_resnet(run: Run) -> Iterator[str]:
    """A lab that has never left Lua Torch: fb.resnet.torch."""
    rng = random.Random(run.seed)
    yield "=> Creating model from file: models/preresnet.lua\t"
    yield f" | ResNet-{rng.choice((50, 101, 164, 200))} ImageNet\t"
    yield "=> Creating data loader\t"
    epoch, best = -1, (100.0, 100.0)
    for event, work in _walk(run):
        if isinstance(event, Report):
            if event.epoch != epoch:
                epoch = event.epoch
                yield f"=> Training epoch # {epoch + 1}\t"
            error = 100 * (1 - event.score)
            yield (
                f" | Epoch: [{epoch + 1}][{event.batch}/{run.per_epoch}]    Time {(work + event.fetch) / run.every:.3f}"
                f"  Data {event.fetch / run.every:.3f}  Err {event.loss:1.4f}"
                f"  top1 {error:7.3f}  top5 {error * 0.6:7.3f}"
            )
        elif isinstance(event, Evaluation):
            error = 100 * (1 - event.score)
            yield f" * Finished epoch # {event.epoch + 1}     top1: {error:7.3f}  top5: {error * 0.61:7.3f}"
            yield ""
            if event.best:
                best = (error, error * 0.61)
                yield f" * Best model \t{error:.3f}\t{error * 0.61:.3f}"
    if run.finished:
        yield f" * Finished top1: {best[0]:7.3f}  top5: {best[1]:7.3f}"


@voice(VOICES, "detectron2", "loss score clock fetch plan resume lr end")
def detectron2(run: Run) -> Iterator[str]:
    """Someone who trains detectron2 on pictures of his own."""
    rng = random.Random(run.seed)
    out, gpu = f"./output/r50_{rng.choice(('pcb', 'trays', 'cells', 'wagons'))}", rng.randint(3000, 21000)

    def say(at: float, who: str, what: str) -> str:
        return f"[{_when(run, at, '%m/%d %H:%M:%S')} {who}]: {what}"

    yield say(0.3, "detectron2", f"Rank of current process: 0. World size: {rng.choice((1, 2, 4, 8))}")
    yield say(
        1.1, "detectron2", "Command line arguments: Namespace(config_file='configs/own.yaml', num_gpus=1, opts=[])"
    )
    yield say(
        1.2, "detectron2", f"Running with full config: SOLVER.IMS_PER_BATCH {run.batch} SOLVER.MAX_ITER {run.steps}"
    )
    yield say(1.9, "d2.data.build", f"Removed {rng.randint(1, 80)} images with no usable annotations.")
    yield say(2.1, "d2.data.build", "Using training sampler TrainingSampler")
    if run.resumed is not None:
        path = f"{out}/model_{run.resumed - 1:07d}.pth"
        yield say(2.9, "d2.checkpoint.detection_checkpoint", f"[DetectionCheckpointer] Loading from {path} ...")
    yield say(3.2, "d2.engine.train_loop", f"Starting training from iteration {run.resumed or 0}")
    hooks, trained = 0.0, 0.0
    for event, work in _walk(run):
        if isinstance(event, Report):
            trained += work + event.fetch
            each = (work + event.fetch) / run.every
            cls = event.loss * 0.55
            yield say(
                event.at,
                "d2.utils.events",
                f" eta: {_hms(each * (run.steps - event.step))}  iter: {event.step - 1}  total_loss: {event.loss:.4g}"
                f"  loss_cls: {cls:.4g}  loss_box_reg: {event.loss - cls:.4g}    time: {each:.4f}"
                f"  last_time: {each:.4f}  data_time: {event.fetch / run.every:.4f}"
                f"  last_data_time: {event.fetch / run.every:.4f}   lr: {event.lr:.5g}  max_mem: {gpu}M",
            )
        elif isinstance(event, Evaluation):
            hooks += event.took
            ap = 100 * event.score
            yield say(event.at, "d2.evaluation.testing", "copypaste: Task: bbox")
            yield say(event.at, "d2.evaluation.testing", "copypaste: AP,AP50,AP75")
            yield say(event.at, "d2.evaluation.testing", f"copypaste: {ap * 0.6:.4f},{ap:.4f},{ap * 0.66:.4f}")
        else:
            hooks += event.took
            where = f"Saving checkpoint to {out}/model_{event.step - 1:07d}.pth"
            yield say(event.at - event.took, "fvcore.common.checkpoint", where)
    if run.finished:
        at, many = _end(run), run.steps - (run.resumed or 0) - 2
        speed = f"{many} iterations in {_hms(trained)} ({trained / max(1, many):.4f} s / it)"
        yield say(at, "d2.engine.hooks", f"Overall training speed: {speed}")
        yield say(at, "d2.engine.hooks", f"Total training time: {_hms(trained + hooks)} ({_hms(hooks)} on hooks)")


@voice(VOICES, "metric_logger", "loss eval score fetch plan resume lr end")
def metric_logger(run: Run) -> Iterator[str]:
    """A student with torchvision's references/classification."""
    rng = random.Random(run.seed)
    yield "Not using distributed mode"
    yield (
        f"Namespace(data_path='/data/{rng.choice(('food101', 'inat21', 'cars'))}', model='convnext_tiny', "
        "device='cuda', "
        f"batch_size={run.batch}, epochs={run.epochs}, workers={rng.choice((4, 8, 16))}, print_freq={run.every}, "
        "output_dir='out')"
    )
    yield "Loading data"
    yield "Loading training data"
    yield f"Took {rng.uniform(0.5, 3):.3f}"
    yield "Loading validation data"
    yield "Creating data loaders"
    yield "Creating model"
    if run.resumed is not None:
        yield f"Resuming from out/checkpoint.pth: start epoch {run.resumed // run.per_epoch}"
    yield "Start training"
    width, sums, many, spent = len(str(run.per_epoch)), [0.0, 0.0], 0, 0.0
    for event, work in _walk(run):
        if isinstance(event, Report):
            if many == 0 or event.batch <= run.every:
                sums, many, spent = [0.0, 0.0], 0, 0.0
            sums, many, spent = [sums[0] + event.loss, sums[1] + event.score], many + 1, spent + work + event.fetch
            each = (work + event.fetch) / run.every
            yield (
                f"Epoch: [{event.epoch}]  [{event.batch - 1:>{width}}/{run.per_epoch}]  "
                f"eta: {_hms(each * (run.per_epoch - event.batch))}  lr: {event.lr:.6g}  "
                f"img/s: {run.batch / each:.3f}  "
                f"loss: {event.loss:.4f} ({sums[0] / many:.4f})  acc1: {100 * event.score:.4f} "
                f"({100 * sums[1] / many:.4f})  time: {each:.4f}  data: {event.fetch / run.every:.4f}  "
                f"max mem: {3000 + run.batch * 41}"
            )
            if event.batch == run.per_epoch:
                yield f"Epoch: [{event.epoch}] Total time: {_hms(spent)}"
        elif isinstance(event, Evaluation):
            took = f"Test:  Total time: {_hms(event.took)}"
            yield took
            yield f"Test:  Acc@1 {100 * event.score:.3f} Loss {event.loss:.4f}"
    if run.finished:
        yield f"Training time {_hms(_end(run))}"


@voice(VOICES, "megatron", "loss eval clock fetch save plan lr norm end resume")
def megatron(run: Run) -> Iterator[str]:
    """A startup's fork of Megatron-LM."""
    rng = random.Random(run.seed)

    def timer(name: str, seconds: float) -> str:
        low, high = 1000 * seconds * rng.uniform(0.97, 1), 1000 * seconds
        return f"    {name + ' ':.<48}: ({low:.2f}, {high:.2f})"

    yield f"using world size: {rng.choice((8, 16, 64))}, data-parallel size: 8, tensor-model-parallel size: 1"
    yield "------------------------ Megatron-LM arguments ------------------------"
    yield f"  global_batch_size ............................... {run.batch}"
    yield f"  log_interval .................................... {run.every}"
    yield f"  train_iters ..................................... {run.steps}"
    yield f"  seed ............................................ {run.seed}"
    yield "-------------------- end of Megatron-LM arguments ---------------------"
    yield f" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): {run.weights}"
    if run.resumed is not None:
        yield " loading checkpoint from ckpt/lm"
        yield f"  successfully loaded checkpoint from ckpt/lm at iteration {run.resumed}"
    yield f"[before the start of training step] datetime: {_when(run, 3, '%Y-%m-%d %H:%M:%S')} "
    for event, work in _walk(run):
        if isinstance(event, Report):
            broken = 0 if math.isfinite(event.loss) else run.every
            yield (
                f" [{_when(run, event.at, '%Y-%m-%d %H:%M:%S')}] iteration {event.step:8d}/{run.steps:8d} |"
                f" consumed samples: {event.step * run.batch:12d} |"
                f" elapsed time per iteration (ms): {1000 * (work + event.fetch) / run.every:.1f} |"
                f" learning rate: {event.lr:.6E} | global batch size: {run.batch:5d} | lm loss: {event.loss:.6E} |"
                f" loss scale: 1.0 | grad norm: {event.norm:.3f} | number of skipped iterations: {0:3d} |"
                f" number of nan iterations: {broken:3d} |"
            )
            yield "(min, max) time across ranks (ms):"
            yield timer("forward-backward", (0.93 * work + event.fetch) / run.every)
            yield timer("batch-generator", event.fetch / run.every)
            yield timer("optimizer", 0.05 * work / run.every)
        elif isinstance(event, Evaluation):
            yield "-" * 96
            yield (
                f" validation loss at iteration {event.step} | lm loss value: {event.loss:.6E} |"
                f" lm loss PPL: {_exp(min(20, event.loss)):.6E} | "
            )
            yield "-" * 96
        else:
            yield f"saving checkpoint at iteration {event.step:7d} to ckpt/lm in torch_dist format"
            yield f"  successfully saved checkpoint from iteration {event.step:7d} to ckpt/lm"
            yield "(min, max) time across ranks (ms):"
            yield timer("save-checkpoint", event.took)
    if run.finished:
        yield f"[after training is done] datetime: {_when(run, _end(run), '%Y-%m-%d %H:%M:%S')} "


@voice(VOICES, "estimator_hooks", "loss eval clock fetch save plan resume end")
def estimator_hooks(run: Run) -> Iterator[str]:
    """An advertising company's TensorFlow Estimator of 2019, with two hooks of its own."""
    rng = random.Random(run.seed)
    thread, bucket = rng.randint(139_000_000_000_000, 140_700_000_000_000), f"gs://ctr-models/v{rng.randint(2, 40)}"

    def say(at: float, who: str, what: str) -> str:
        return f"I{_when(run, at, '%m%d %H:%M:%S.%f')} {thread} {who}] {what}"

    yield say(0.2, "estimator.py:212", f"Using config: {{'_model_dir': '{bucket}', '_tf_random_seed': {run.seed}}}")
    yield say(0.3, "train_and_eval.py:41", f"TrainSpec(max_steps={run.steps}), batch {run.batch}, 16 TFRecord readers")
    yield say(1.2, "estimator.py:1147", "Calling model_fn.")
    yield say(2.3, "estimator.py:1149", "Done calling model_fn.")
    yield say(2.9, "monitored_session.py:240", "Graph was finalized.")
    if run.resumed is not None:
        yield say(3.3, "saver.py:1284", f"Restoring parameters from {bucket}/model.ckpt-{run.resumed}")
    yield say(3.7, "session_manager.py:502", "Done running local_init_op.")
    loss = math.nan
    for event, work in _walk(run):
        if isinstance(event, Report):
            loss, whole = event.loss, work + event.fetch
            yield say(event.at, "basic_session_run_hooks.py:692", f"global_step/sec: {run.every / whole:.6g}")
            line = f"loss = {loss:.8g}, step = {event.step} ({whole:.3f} sec)"
            yield say(event.at, "basic_session_run_hooks.py:260", line)
            share = 100 * event.fetch / whole
            line = f"IteratorGetNext blocked {event.fetch:.3f} sec of {whole:.3f} sec ({share:.1f}%)"
            yield say(event.at, "input_wait_hook.py:57", line)
        elif isinstance(event, Evaluation):
            line = f"Saving dict for global step {event.step}: average_loss = {event.loss:.6g}"
            yield say(event.at, "estimator.py:2049", f"{line}, global_step = {event.step}")
        else:
            line = f"Saving checkpoints for {event.step} into {bucket}/model.ckpt."
            yield say(event.at - event.took, "basic_session_run_hooks.py:606", line)
            yield say(event.at, "timed_saver_hook.py:33", f"model.ckpt-{event.step} written in {event.took:.2f} sec")
    if run.finished:
        yield say(_end(run), "estimator.py:371", f"Loss for final step: {loss:.8g}.")


@voice(VOICES, "dl4j", "loss clock fetch end score eval")
def dl4j(run: Run) -> Iterator[str]:
    """A bank's Java team with Deeplearning4j and its PerformanceListener."""

    def say(at: float, who: str, what: str) -> str:
        return f"{_milli(run, at, mark='.')} [main] INFO  {who} - {what}"

    yield say(0.4, "o.n.l.f.Nd4jBackend", "Loaded [CpuBackend] backend")
    yield say(0.9, "o.n.n.NativeOpsHolder", "Number of threads used for linear algebra: 16")
    yield say(1.0, "o.n.l.a.o.e.DefaultOpExecutioner", "Backend used: [CPU]; OS: [Linux]")
    yield say(
        2.2, "o.d.n.m.MultiLayerNetwork", "Starting MultiLayerNetwork with WorkspaceModes set to [training: ENABLED]"
    )
    yield say(2.4, "c.b.fraud.Trainer", f"params={run.weights:,} miniBatch={run.batch} seed={run.seed}")
    for event, work in _walk(run):
        if isinstance(event, Report):
            whole = (work + event.fetch) / run.every
            yield say(
                event.at,
                "o.d.o.l.PerformanceListener",
                f"ETL: {1000 * event.fetch / run.every:.0f} ms; iteration {event.step}; iteration time: "
                f"{1000 * whole:.0f} ms; samples/sec: {run.batch / whole:.3f}; batches/sec: {1 / whole:.3f}; "
                f"score: {_n(event.loss, '.6f', inf='Infinity')};",
            )
        elif isinstance(event, Evaluation):
            yield say(event.at, "c.b.fraud.Trainer", f"===== holdout after epoch {event.epoch} =====")
            yield say(event.at, "c.b.fraud.Trainer", f" Loss:            {_n(event.loss, '.4f', inf='Infinity')}")
            yield say(event.at, "c.b.fraud.Trainer", f" Accuracy:        {_n(event.score, '.4f')}")
    if run.finished:
        yield say(_end(run), "c.b.fraud.Trainer", f"Model.fit() complete, {run.epochs} epochs. Bye.")


@voice(VOICES, "darknet", "loss fetch lr end")
def darknet(run: Run) -> Iterator[str]:
    """A hobbyist with a wildlife camera and Joseph Redmon's C."""
    rng = random.Random(run.seed)
    name, average = rng.choice(("badger", "yolo-deer", "fox9")), math.nan
    yield name
    yield "layer     filters    size              input                output"
    for k, (filters, size) in enumerate(((16, 416), (32, 208), (64, 104), (128, 52))):
        area = f"{size} x {size}"
        yield f"{k:5d} conv  {filters:5d}  3 x 3 / 1   {area} x {filters // 2:3d}   ->   {area} x {filters:3d}"
    yield "    4 detection"
    yield f"Learning Rate: {run.reports[0].lr:.1g}, Momentum: 0.9, Decay: 0.0005" if run.reports else "Momentum: 0.9"
    yield "Resizing"
    yield "416"
    for event, work in _walk(run):
        if isinstance(event, Report):
            average = (
                event.loss if math.isnan(average) and math.isfinite(event.loss) else 0.9 * average + 0.1 * event.loss
            )
            yield f"Loaded: {event.fetch:.6f} seconds"
            yield (
                f"{event.step}: {event.loss:.6f}, {average:.6f} avg, {event.lr:.6f} rate, "
                f"{work:.6f} seconds, {event.step * run.batch} images"
            )
        elif isinstance(event, Save):
            yield f"Saving weights to backup//{name}_{event.step}.weights"
    if run.finished:
        yield f"Saving weights to backup//{name}_final.weights"


@voice(VOICES, "espnet", "loss eval score clock fetch plan resume lr norm end")
def espnet(run: Run) -> Iterator[str]:
    """A speech group with ESPnet2."""
    rng = random.Random(run.seed)
    host, total = f"gpu{rng.randint(1, 30):02d}", 0.0

    def say(at: float, line: int, what: str) -> str:
        return f"[{host}] {_milli(run, at, '%Y-%m-%d %H:%M:%S')} (trainer:{line}) INFO: {what}"

    yield f"[{host}] {_milli(run, 0.4, '%Y-%m-%d %H:%M:%S')} (asr:500) INFO: Vocabulary size: {rng.randint(500, 5000)}"
    yield f"[{host}] {_milli(run, 2.4, '%Y-%m-%d %H:%M:%S')} (abs_task:1157) INFO: Model structure: ESPnetASRModel"
    yield f"    Number of parameters: {run.weights / 1e6:.2f} M"
    if run.resumed is not None:
        yield say(2.8, 186, "The training was resumed using exp/asr_conformer/checkpoint.pth")
    epoch, began = -1, 3.0
    for event, work in _walk(run):
        if isinstance(event, Report):
            if event.epoch != epoch:
                epoch, began = event.epoch, event.at - work - event.fetch
                yield say(began, 289, f"{epoch + 1}/{run.epochs}epoch started")
            whole, ctc = (work + event.fetch) / run.every, event.loss * 1.2
            total += whole
            yield say(
                event.at,
                732,
                f"{epoch + 1}epoch:train:{event.batch - run.every + 1}-{event.batch}batch: "
                f"iter_time={event.fetch / run.every:.3e}, forward_time={0.3 * work / run.every:.3f}, "
                f"loss_ctc={ctc:.3f}, loss_att={(event.loss - 0.3 * ctc) / 0.7:.3f}, acc={event.score:.3f}, "
                f"loss={event.loss:.3f}, backward_time={0.6 * work / run.every:.3f}, grad_norm={event.norm:.3f}, "
                f"optim_step_time={0.08 * work / run.every:.3f}, optim0_lr0={event.lr:.3e}, train_time={whole:.3f}",
            )
        elif isinstance(event, Evaluation):
            yield say(
                event.at,
                343,
                f"{event.epoch + 1}epoch results: [train] time={(event.at - event.took - began) / 60:.2f} minutes, "
                f"total_count={event.step}, [valid] loss={event.loss:.3f}, acc={event.score:.3f}, "
                f"time={event.took:.2f} seconds",
            )
            if event.best:
                yield say(event.at, 391, "The best model has been updated: valid.loss")
    if run.finished:
        yield say(_end(run), 463, f"The training was finished at {run.epochs} epochs ")


@voice(VOICES, "paddleclas", "loss eval score clock fetch plan lr resume end")
def paddleclas(run: Run) -> Iterator[str]:
    """A factory with PaddleClas."""
    rng = random.Random(run.seed)
    out = f"./output/{rng.choice(('PPLCNet_x1_0', 'ResNet50_vd', 'SwinTransformer_tiny'))}"

    def say(at: float, what: str) -> str:
        return f"[{_when(run, at, '%Y/%m/%d %H:%M:%S')}] ppcls INFO: {what}"

    for key, value in (("class_num", rng.randint(4, 90)), ("epochs", run.epochs), ("seed", run.seed)):
        yield say(0.2, f"    {key} : {value}")
    yield say(0.9, "train with paddle 2.6.1 and device Place(gpu:0)")
    if run.resumed is not None:
        yield say(2.2, f"Finish load checkpoint from {out}/epoch_{run.resumed // run.per_epoch}")
    top, where = 0.0, 0
    for event, work in _walk(run):
        if isinstance(event, Report):
            whole = (work + event.fetch) / run.every
            yield say(
                event.at,
                f"[Train][Epoch {event.epoch + 1}/{run.epochs}][Iter: {event.batch - 1}/{run.per_epoch}]"
                f"lr(CosineAnnealingDecay): {event.lr:.8f}, top1: {event.score:.5f}, CELoss: {event.loss:.5f}, "
                f"loss: {event.loss:.5f}, batch_cost: {whole:.5f}s, reader_cost: {event.fetch / run.every:.5f}, "
                f"ips: {run.batch / whole:.5f} samples/s, eta: {_hms(whole * (run.steps - event.step))}",
            )
        elif isinstance(event, Evaluation):
            if event.best:
                top, where = event.score, event.epoch + 1
            line = f"[Eval][Epoch {event.epoch + 1}][Avg]CELoss: {event.loss:.5f}, loss: {event.loss:.5f}"
            yield say(event.at, f"{line}, top1: {event.score:.5f}")
            yield say(event.at, f"[Eval][Epoch {event.epoch + 1}][best metric: {top:.5f}]")
        else:
            yield say(event.at, f"Already save model in {out}/latest")
    if run.finished:
        yield say(_end(run), f"training finished, best top1 {top:.5f} at epoch {where}, {out}/best_model.pdparams")


@voice(VOICES, "caffe_fork", "loss eval score clock fetch save plan resume lr end")
def caffe_fork(run: Run) -> Iterator[str]:
    """An optics firm that still has its own Caffe, with timers around the data layer."""
    rng = random.Random(run.seed)
    pid, name = rng.randint(900, 32000), rng.choice(("lens_ssd", "wafer_v4", "aoi_unet"))

    def say(at: float, who: str, what: str) -> str:
        return f"I{_when(run, at, '%m%d %H:%M:%S.%f')} {pid:5d} {who}] {what}"

    yield say(0.1, "caffe.cpp:217", "Using GPUs 0")
    yield say(0.4, "solver.cpp:45", "Initializing solver from parameters: ")
    yield f"test_interval: {run.per_epoch}"
    yield f"display: {run.every}"
    yield f"max_iter: {run.steps}"
    yield f'snapshot_prefix: "snap/{name}"'
    yield say(1.4, "layer_factory.hpp:77", "Creating layer data")
    yield say(1.6, "db_lmdb.cpp:35", f"Opened lmdb /ssd/{name}_train_lmdb")
    yield say(2.2, "net.cpp:255", "Network initialization done.")
    if run.resumed is not None:
        path = f"snap/{name}_iter_{run.resumed}.solverstate"
        yield say(2.8, "sgd_solver.cpp:318", f"SGDSolver: restoring history, Resuming from {path}")
    yield say(3.1, "solver.cpp:288", f"Solving {name}")
    loss = math.nan
    for event, work in _walk(run):
        if isinstance(event, Report):
            whole, loss = work + event.fetch, event.loss
            line = f"Iteration {event.step} ({run.every / whole:.5g} iter/s, {whole:.5g}s/{run.every} iters)"
            yield say(event.at, "solver.cpp:239", f"{line}, loss = {loss:.6g}")
            line = f"    Train net output #0: mbox_loss = {loss:.6g} (* 1 = {loss:.6g} loss)"
            yield say(event.at, "solver.cpp:258", line)
            line = f"prefetch_full_.pop(): blocked {1e3 * event.fetch:.1f} ms, net {1e3 * work:.1f} ms"
            yield say(event.at, "base_data_layer.cpp:131", line)
            yield say(event.at, "sgd_solver.cpp:112", f"Iteration {event.step}, lr = {event.lr:.6g}")
        elif isinstance(event, Evaluation):
            yield say(event.at - event.took, "solver.cpp:347", f"Iteration {event.step}, Testing net (#0)")
            yield say(event.at, "solver.cpp:414", f"    Test net output #0: accuracy = {event.score:.6g}")
            line = f"    Test net output #1: loss = {event.loss:.6g} (* 1 = {event.loss:.6g} loss)"
            yield say(event.at, "solver.cpp:414", line)
        else:
            path = f"snap/{name}_iter_{event.step}"
            line = f"Snapshotting to binary proto file {path}.caffemodel"
            yield say(event.at - event.took, "solver.cpp:464", line)
            line = f"Snapshotting solver state to binary proto file {path}.solverstate"
            yield say(event.at - 0.2 * event.took, "sgd_solver.cpp:284", line)
            yield say(event.at, "solver.cpp:471", f"Snapshot took {1e3 * event.took:.0f} ms")
    if run.finished:
        yield say(_end(run), "solver.cpp:327", f"Iteration {run.steps}, loss = {loss:.6g}")
        yield say(_end(run), "solver.cpp:332", "Optimization Done.")
        yield say(_end(run), "caffe.cpp:259", "Optimization Done.")


@voice(VOICES, "julia_lux", "loss eval fetch save plan lr resume end")
def julia_lux(run: Run) -> Iterator[str]:
    """A climate emulator in Julia, with @info."""
    rng = random.Random(run.seed)
    yield "  Activating project at `~/Emulator.jl`"
    yield "Precompiling project..."
    yield f"  {rng.randint(20, 60)} dependencies successfully precompiled in {rng.randint(20, 200)} seconds"
    yield f"[ Info: CUDA.functional() = true, {run.weights} parameters, batchsize {run.batch}"
    yield f"[ Info: {run.steps} optimiser steps, zarr store era5_{rng.choice((64, 128, 240))}x.zarr"
    if run.resumed is not None:
        yield f'[ Info: JLD2.load("state_{run.resumed:07d}.jld2"), continuing after step {run.resumed}'
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield f"┌ Info: step {event.step}"
            yield f"│   crps = {_n(event.loss, '.6g')}"
            yield f"│   η = {event.lr:.4g}"
            yield f"│   t_zarr = {event.fetch:.4g} s"
            yield f"└   t_grad = {work:.4g} s"
        elif isinstance(event, Evaluation):
            yield f"┌ Info: held-out years, step {event.step}"
            yield f"│   crps = {_n(event.loss, '.6g')}"
            yield f"└   elapsed = {event.took:.3g} s"
        else:
            yield f'[ Info: jldsave("state_{event.step:07d}.jld2") took {event.took:.3g} s'
    if run.finished:
        yield f"[ Info: all {run.steps} steps done"


@voice(VOICES, "jsonl_parcels", "loss eval score clock fetch save plan lr norm resume end")
def jsonl_parcels(run: Run) -> Iterator[str]:
    """A parcel company, everything as JSON for its log collector."""
    rng = random.Random(run.seed)
    pod = f"eta-model-{rng.randint(100, 999)}-{rng.choice(('x7k2p', 'm9fqz', 'b4tt8'))}"

    def say(at: float, what: str, **more: object) -> str:
        head = {"ts": _milli(run, at, "%Y-%m-%dT%H:%M:%S", "."), "pod": pod, "event": what}
        return json.dumps({**head, **more})

    def ms(seconds: float) -> float:
        return round(1000 * seconds, 1)

    yield say(0.1, "boot", git=f"{rng.randrange(16**7):07x}", python="3.11.9", torch="2.5.1")
    yield say(0.8, "config", steps=run.steps, epochs=run.epochs, batch=run.batch, seed=run.seed)
    yield say(
        1.9, "dataset", source="s3://parcels-train/v3", rows=run.per_epoch * run.batch, shards=rng.randint(8, 400)
    )
    if run.resumed is not None:
        yield say(2.5, "resume", file=f"s3://parcels-ckpt/{run.seed}/{run.resumed}.pt", step=run.resumed)
    yield say(3.1, "train_begin", params=run.weights)
    for event, work in _walk(run):
        if isinstance(event, Report):
            spent = {"s3_blocked": ms(event.fetch), "compute": ms(work)}
            figures = {"huber": round(event.loss, 5), "lr": float(f"{event.lr:.4g}"), "gnorm": round(event.norm, 3)}
            yield say(event.at, "train", step=event.step, **figures, ms=spent)
        elif isinstance(event, Evaluation):
            figures = {"huber": round(event.loss, 5), "within_15min": round(event.score, 4)}
            yield say(event.at, "holdout", step=event.step, **figures, ms=ms(event.took))
        else:
            path = f"s3://parcels-ckpt/{run.seed}/{event.step}.pt"
            yield say(event.at, "ckpt_uploaded", step=event.step, file=path, ms=ms(event.took))
    if run.finished:
        yield say(_end(run) + 0.2, "train_end", step=run.steps)


def _go(seconds: float) -> str:
    """As time.Duration prints itself, to the millisecond."""
    if seconds < 1:
        return f"{1000 * seconds:.0f}ms" if seconds >= 0.0005 else f"{1e6 * seconds:.0f}µs"
    minutes, rest = int(seconds // 60), f"{seconds % 60:.3f}".rstrip("0").rstrip(".")
    if minutes >= 60:
        return f"{minutes // 60}h{minutes % 60}m{rest}s"
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


@voice(VOICES, "go_slog", "loss eval clock fetch save plan resume end")
def go_slog(run: Run) -> Iterator[str]:
    """A mail provider's spam filter, written in Go by backend people."""
    rng = random.Random(run.seed)

    def say(at: float, what: str, more: str = "") -> str:
        what = f'"{what}"' if " " in what else what
        return f"time={_milli(run, at, '%Y-%m-%dT%H:%M:%S', '.')}Z level=INFO msg={what}" + (f" {more}" if more else "")

    yield say(
        0.05,
        "starting spamtrain",
        f"version=v0.{rng.randint(3, 60)}.{rng.randint(0, 9)} goversion=go1.22.3 maxprocs=32",
    )
    yield say(0.3, "opened corpus", f"segments={rng.randint(10, 900)} readers=8 minibatch={run.batch}")
    yield say(0.9, "model ready", f"weights={run.weights} passes={run.epochs} updates={run.steps}")
    if run.resumed is not None:
        yield say(1.4, "continuing from snapshot", f"file=/var/lib/spamtrain/{run.resumed}.snap update={run.resumed}")
    for event, work in _walk(run):
        if isinstance(event, Report):
            cost = _n(event.loss, ".5f", inf="+Inf")
            spent = f"blocked_on_readers={_go(event.fetch)} busy={_go(work)}"
            yield say(event.at, "progress", f"update={event.step} cost={cost} {spent} msgs_per_s={event.rate:.0f}")
        elif isinstance(event, Evaluation):
            yield say(
                event.at,
                "holdout",
                f"pass={event.epoch + 1} cost={_n(event.loss, '.5f', inf='+Inf')} took={_go(event.took)}",
            )
        else:
            where = f"file=/var/lib/spamtrain/{event.step}.snap"
            yield say(event.at, "snapshot fsynced", f"{where} took={_go(event.took)}")
    if run.finished:
        yield say(_end(run) + 0.01, "all passes done", f"updates={run.steps} uptime={_go(_end(run))}")
        yield say(_end(run) + 0.02, "bye")


@voice(VOICES, "rust_candle", "loss eval score clock fetch save resume end lr")
def rust_candle(run: Run) -> Iterator[str]:
    """A Rustacean with candle and the tracing crate; spans in microseconds."""
    rng = random.Random(run.seed)

    def say(at: float, who: str, what: str) -> str:
        moment = run.begin + timedelta(seconds=at)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06d}Z  INFO {who}: {what}"

    yield "    Finished `release` profile [optimized] target(s) in 0.19s"
    yield f"     Running `target/release/okapi train --seed {run.seed} --bs {run.batch}`"
    yield say(0.2, "okapi", f"avx: true, cuda: true, sm: {rng.choice((80, 86, 89, 90))}")
    yield say(0.8, "okapi::data", f"mmapped {rng.randint(2, 300)} arrow files")
    yield say(1.3, "okapi::model", f"vars={run.weights}")
    if run.resumed is not None:
        yield say(1.9, "okapi::train", f'restored step={run.resumed} from="runs/okapi-{run.resumed}.safetensors"')
    for event, work in _walk(run):
        if isinstance(event, Report):
            took = f"rx.recv={1e6 * event.fetch:.0f}µs fwd={3.4e5 * work:.0f}µs bwd={6.6e5 * work:.0f}µs"
            what = f"step={event.step} xent={_n(event.loss, '.5f', inf='inf')} lr={event.lr:.3e} {took}"
            yield say(event.at, "okapi::train", what)
        elif isinstance(event, Evaluation):
            what = f"epoch={event.epoch} xent={_n(event.loss, '.5f', inf='inf')} hit@1={_n(event.score, '.4f')}"
            yield say(event.at, "okapi::eval", what)
        else:
            what = f'wrote "runs/okapi-{event.step}.safetensors" in {1e6 * event.took:.0f}µs'
            yield say(event.at, "okapi::train", what)
    if run.finished:
        yield say(_end(run), "okapi", "channel closed, training complete")


@voice(VOICES, "charlm_fork", "loss eval fetch save plan resume end lr")
def charlm_fork(run: Run) -> Iterator[str]:
    """A fork of nanoGPT on sheet music; bits per character, and a percentage of the time for get_batch."""
    rng = random.Random(run.seed)
    yield f"Overriding config with config/train_{rng.choice(('abc', 'folk', 'bach'))}.py:"
    yield f"max_iters = {run.steps}"
    yield f"log_interval = {run.every}"
    yield f"eval_interval = {run.per_epoch}"
    yield f"batch_size = {run.batch}"
    yield f"tokens per iteration will be: {run.batch * 256:,}"
    if run.resumed is None:
        yield "Initializing a new model from scratch"
    else:
        yield f"Resuming training from out-abc/ckpt.pt, iter_num = {run.resumed}"
    yield f"number of parameters: {run.weights / 1e6:.2f}M"
    yield "compiling the model... (takes a ~minute)"
    for event, work in _walk(run):
        if isinstance(event, Report):
            whole = work + event.fetch
            yield (
                f"iter {event.step}: bpc {event.loss / math.log(2):.4f}, lr {event.lr:.2e}, "
                f"time {1000 * whole / run.every:.2f}ms, get_batch {100 * event.fetch / whole:.1f}% of it"
            )
        elif isinstance(event, Evaluation):
            yield f"step {event.step}: val bpc {event.loss / math.log(2):.4f}"
        else:
            yield f"saving checkpoint to out-abc ({1000 * event.took:.0f}ms)"
    if run.finished:
        yield f"max_iters reached ({run.steps}), done."


@voice(VOICES, "emoji_bird", "loss eval score fetch save plan resume end")
def emoji_bird(run: Run) -> Iterator[str]:
    """A birdwatcher's notebook turned script."""
    rng = random.Random(run.seed)
    yield f"🐦 chirpnet v{rng.randint(2, 19)}  ({run.weights / 1e6:.1f}M weights)"
    card = rng.choice(("1070", "2060", "3060"))
    yield f"🎧 {run.per_epoch * run.batch} clips, {rng.randint(9, 260)} species, on my old {card}"
    yield "legend: ⚡ gpu busy   🐢 gpu waits for the next clips to be decoded   💾 writing the .pt"
    if run.resumed is not None:
        yield f"🔁 picking up best.pt where I left it: {run.resumed // run.per_epoch} epochs already behind us"
    for event, work in _walk(run):
        if isinstance(event, Report):
            full = round(12 * event.batch / run.per_epoch)
            bar = "█" * full + "░" * (12 - full)
            yield (
                f"ep {event.epoch + 1:02d}/{run.epochs} ▕{bar}▏ {100 * event.batch // run.per_epoch:3d}%  "
                f"bce {event.loss:.4f}  ⚡ {work:.2f}s  🐢 {event.fetch:.2f}s"
            )
        elif isinstance(event, Evaluation):
            yield f"   🔎 bce {event.loss:.4f}  right species {100 * event.score:.1f}%" + ("  🏆" if event.best else "")
        else:
            yield f"   💾 {event.took:.2f}s"
    if run.finished:
        yield "✅ all epochs done, off to the hide!"


@voice(VOICES, "csv_h5", "loss clock fetch save lr norm end")
def csv_h5(run: Run) -> Iterator[str]:
    """A plasma physicist who wants to plot it with gnuplot."""
    rng = random.Random(run.seed)
    yield f"# surrogate for shot {rng.randint(10000, 190000)}, {run.weights} weights, seed {run.seed}"
    node = f"{rng.choice(('raven', 'leo', 'marconi'))}{rng.randint(100, 999)}"
    yield f"# node {node}, started {_when(run, 0, '%Y-%m-%d %H:%M:%S')}"
    yield "# all times in seconds; t counts from the start; h5read and step are sums since the row before"
    yield "t,update,mse,lr,gradnorm,h5read,step"
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield (
                f"{event.at:.2f},{event.step},{event.loss:.6e},{event.lr:.4e},{event.norm:.3e},"
                f"{event.fetch:.3f},{work:.3f}"
            )
        elif isinstance(event, Save):
            yield f"# {event.at:.2f} h5write net_{event.step:06d}.h5 {event.took:.3f}"
    if run.finished:
        yield f"# end, {_end(run):.1f} s"


@voice(VOICES, "yaml_devops", "loss eval score fetch save plan end lr")
def yaml_devops(run: Run) -> Iterator[str]:
    """A platform engineer to whom everything is YAML."""
    rng = random.Random(run.seed)
    yield "---"
    yield "kind: TrainingRun"
    yield f"name: {rng.choice(('invoice-ocr', 'ticket-router', 'churn'))}-{run.seed}"
    yield "spec:"
    yield f"  epochs: {run.epochs}"
    yield f"  batchesPerEpoch: {run.per_epoch}"
    yield f"  batchSize: {run.batch}"
    yield f"  image: registry.local/train:{rng.randint(100, 999)}"
    for event, work in _walk(run):
        yield "---"
        if isinstance(event, Report):
            yield f"step: {event.step}"
            yield f"focalLoss: {event.loss:.5f}"
            yield f"learningRate: {event.lr:.3g}"
            yield "time:"
            yield f"  total: {work + event.fetch:.2f}s"
            yield f"  waitingForVolume: {event.fetch:.2f}s"
        elif isinstance(event, Evaluation):
            yield f"validation: {{epoch: {event.epoch + 1}, focalLoss: {event.loss:.5f}, f1: {event.score:.4f}}}"
        else:
            yield f"checkpoint: {{file: /pvc/ckpt/{event.step}.bin, writeTime: {event.took:.2f}s}}"
    if run.finished:
        yield "---"
        yield "status: {phase: Completed}"


@voice(VOICES, "rl_table", "loss score clock fetch save lr end")
def rl_table(run: Run) -> Iterator[str]:
    """A robotics group: actors fill a replay server, a learner draws from it."""
    rng = random.Random(run.seed)
    task = rng.choice(("AntMaze-v4", "DoorOpen-v1", "Walker2d-v4", "PegInsert-v0"))
    yield f"Using cuda device, env {task}, seed {run.seed}"
    yield f"reverb server on port {rng.randint(8000, 9999)}: table 'replay', min_size 10000"
    yield f"started {rng.choice((8, 32, 64))} actors"
    yield f"learner: {run.weights} parameters, batch {run.batch}"
    bar = "-" * 46
    for event, work in _walk(run):
        if isinstance(event, Report):
            rows = (
                ("learner/", ""),
                ("   critic_loss", f"{event.loss:.4g}"),
                ("   lr", f"{event.lr:.3g}"),
                ("   n_updates", f"{event.step}"),
                ("rollout/", ""),
                ("   ep_rew_mean", f"{1000 * event.score:.3g}"),
                ("time/", ""),
                ("   since_start_s", f"{event.at:.1f}"),
                ("   idle_for_replay_s", f"{event.fetch:.3f}"),
                ("   updating_s", f"{work:.3f}"),
            )
            yield bar
            for name, value in rows:
                yield f"| {name:<28}| {value:<13}|"
            yield bar
        elif isinstance(event, Save):
            yield f"policy_{event.step}.zip saved in {event.took:.2f} s"
    if run.finished:
        yield "learner done, stopping actors"


def _spoken(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} sec"
    return f"{int(seconds // 60)} min {seconds % 60:04.1f} sec"


@voice(VOICES, "retired", "loss clock fetch save plan resume end")
def retired(run: Run) -> Iterator[str]:
    """A retired engineer who reads postmarks; whole sentences, and sums since the beginning."""
    rng = random.Random(run.seed)
    yield f"POSTMARK READER, revision {rng.randint(11, 88)}. Good day."
    yield f"There are {run.per_epoch * run.batch} scans on the tape, dealt out {run.batch} at a time."
    yield f"I shall go over them {run.epochs} times, which makes {run.steps} helpings."
    if run.resumed is not None:
        yield f"Last time I got as far as helping {run.resumed}; I have read NET.BAK back in and carry on from there."
    waited = 0.0
    for event in run.events:
        if isinstance(event, Report):
            waited += event.fetch
            yield (
                f"Helping {event.step}: average misfit {event.loss:.5f}. Running for {_spoken(event.at)} so far, "
                f"{_spoken(waited)} of that spent waiting for the tape."
            )
        elif isinstance(event, Save):
            yield f"The net was copied to NET.BAK, which held us up for {_spoken(event.took)}."
    if run.finished:
        yield f"That was the last helping. {_spoken(_end(run))} in all, {_spoken(waited)} of it on the tape."
        yield "Good night."


@voice(VOICES, "spin_cpp", "loss fetch save plan norm end resume")
def spin_cpp(run: Run) -> Iterator[str]:
    """A statistical physicist's C++: sweeps, percent of the whole, free energy."""
    rng = random.Random(run.seed)
    side = rng.choice((16, 24, 32, 64))
    yield f"pcd++ compiled {rng.choice(('Jan', 'Mar', 'Oct'))} 12 2025, {rng.choice((8, 24, 48))} OpenMP threads"
    yield f"lattice {side}x{side}, {2 * side * side} couplings, chains {run.batch}, seed {run.seed}"
    if run.resumed is not None:
        yield f"couplings from J_{run.resumed:07d}.bin, next sweep {run.resumed + 1}"
    yield "  done    sweep      F/N         |grad|      sec.     starved"
    for event, work in _walk(run):
        if isinstance(event, Report):
            share = 100 * event.fetch / max(1e-9, work + event.fetch)
            yield (
                f"{100 * event.step / run.steps:6.2f}% {event.step:8d}"
                f"  {_n(event.loss, '.6e', nan='-nan', inf='inf'):>13}"
                f"  {_n(event.norm, '.3e', nan='-nan', inf='inf'):>10} {work + event.fetch:10.3f}   {share:5.1f}%"
            )
        elif isinstance(event, Save):
            yield f"        J_{event.step:07d}.bin written, {event.took:.3f} s"
    if run.finished:
        yield "finished all sweeps"


@voice(VOICES, "genome_table", "loss eval score fetch save plan end lr")
def genome_table(run: Run) -> Iterator[str]:
    """A genomics core: one row an epoch, minutes by what they went into."""
    rng = random.Random(run.seed)
    yield f"[variantnet] cohort {rng.choice(('UKB', 'FINN', 'local'))}, chr{rng.randint(1, 22)}, {run.weights} params"
    yield f"[variantnet] {run.epochs} epochs x {run.per_epoch} batches x {run.batch} windows"
    yield f"[variantnet] htslib 1.19, {rng.choice((2, 4, 8))} decompression threads"
    yield ""
    head = f"{'epoch':>7} {'lr':>9} {'train_nll':>10} {'valid_nll':>10} {'auroc':>7}"
    head += f" {'| vcf wait':>12} {'train':>9} {'valid':>9}"
    yield head
    yield f"{'':>7} {'':>9} {'':>10} {'':>10} {'':>7} {'|    [min]':>12} {'[min]':>9} {'[min]':>9}"
    yield "-" * len(head)
    for event in _by_epoch(run):
        if isinstance(event, Save):
            yield f"        -> step_{event.step}.h5 ({event.took / 60:.4f} min)"
        else:
            yield (
                f"{event.epoch + 1:>7} {event.lr:>9.2e} {event.loss:>10.5f} {event.test.loss:>10.5f} "
                f"{0.5 + event.test.score / 2:>7.4f} | {event.fetch / 60:>10.4f} {event.work / 60:>9.4f} "
                f"{event.test.took / 60:>9.4f}"
            )
    if run.finished:
        yield "-" * len(head)
        yield f"[variantnet] completed, {_end(run) / 60:.2f} min"


@voice(VOICES, "matlab_bearing", "loss eval fetch plan save end")
def matlab_bearing(run: Run) -> Iterator[str]:
    """A mechanical engineer's own MATLAB loop over a fileDatastore."""
    rng = random.Random(run.seed)
    yield ">> trainBearingNet"
    yield "Starting parallel pool (parpool) using the 'Processes' profile ..."
    yield f"Connected to parallel pool with {rng.choice((4, 6, 8))} workers."
    yield f"fileDatastore: {run.per_epoch * run.batch} files, MiniBatchSize = {run.batch}, MaxEpochs = {run.epochs}"
    line = "|" + "=" * 78 + "|"
    yield line
    yield "|  Epoch  |  Iteration  |     Loss      |  read(fds) [s]  |  dlfeval+adam [s]  |"
    yield line
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield (
                f"| {event.epoch + 1:7d} | {event.step:11d} | {_n(event.loss, '13.5f'):>13} | {event.fetch:15.3f} |"
                f" {work:18.3f} |"
            )
        elif isinstance(event, Evaluation):
            yield f"|   validation loss {_n(event.loss, '.5f')}   ({event.took:.1f} s)"
        else:
            yield f"|   save('bearing_{event.step}.mat') took {event.took:.2f} s"
    if run.finished:
        yield line
        yield "Max epochs completed."
        yield ">> "


@voice(VOICES, "ja_student", "loss eval score fetch save plan resume end lr")
def ja_student(run: Run) -> Iterator[str]:
    """A master's student in Sendai, handwriting of the Edo period."""
    rng = random.Random(run.seed)
    yield "=" * 40
    yield f" くずし字認識 学習スクリプト ver.{rng.randint(1, 4)}.{rng.randint(0, 9)}"
    yield "=" * 40
    yield f"使用デバイス: cuda:0 ({rng.choice(('RTX 3090', 'RTX A6000', 'GTX 1080 Ti'))})"
    yield f"学習画像 {run.per_epoch * run.batch} 枚 / バッチサイズ {run.batch} / パラメータ数 {run.weights:,}"
    yield f"乱数シード {run.seed}"
    if run.resumed is not None:
        yield f"model_{run.resumed}.pth を読み込み、反復 {run.resumed} の続きから再開します"
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield (
                f"[学習] エポック {event.epoch + 1}/{run.epochs} 反復 {event.step}: 損失={event.loss:.4f} "
                f"学習率={event.lr:.2e} (データ待ち {event.fetch:.2f}秒 / 全体 {work + event.fetch:.2f}秒)"
            )
        elif isinstance(event, Evaluation):
            best = " ★最良" if event.best else ""
            yield f"[検証] エポック {event.epoch + 1}: 損失={event.loss:.4f} 正解率={100 * event.score:.2f}%{best}"
        else:
            yield f"[保存] model_{event.step}.pth ({event.took:.2f}秒)"
    if run.finished:
        yield "学習が終了しました。お疲れさまでした。"


@voice(VOICES, "ja_factory", "loss clock fetch save lr end")
def ja_factory(run: Run) -> Iterator[str]:
    """A parts maker near Nagoya: tab-separated, counts pictures only."""
    rng = random.Random(run.seed)
    yield f"外観検査モデル学習 ライン{rng.randint(1, 14)}号 品番 {rng.randint(10000, 99999)}-{rng.randint(10, 99)}"
    yield f"開始日時\t{_when(run, 0, '%Y/%m/%d %H:%M:%S')}"
    yield f"画像フォルダ\t\\\\nas{rng.randint(1, 5)}\\kensa\\train"
    yield "時刻\t処理枚数\t再構成誤差\t学習率\tNAS待ち[ms]\t演算[ms]"
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield (
                f"{_when(run, event.at)}\t{event.step * run.batch}\t{event.loss:.5f}\t{event.lr:.3e}\t"
                f"{1000 * event.fetch:.0f}\t{1000 * work:.0f}"
            )
        elif isinstance(event, Save):
            yield f"{_when(run, event.at)}\t重みファイル書込 W{event.step:06d}.onnx\t{1000 * event.took:.0f}ms"
    if run.finished:
        yield f"終了日時\t{_when(run, _end(run), '%Y/%m/%d %H:%M:%S')}"
        yield "学習処理終了"


@voice(VOICES, "zh_engineer", "loss eval clock fetch save plan lr norm resume end")
def zh_engineer(run: Run) -> Iterator[str]:
    """A short-video company in Hangzhou."""
    rng = random.Random(run.seed)

    def say(at: float, what: str) -> str:
        return f"{_milli(run, at, '%Y-%m-%d %H:%M:%S')} [信息] {what}"

    yield say(0.2, f"任务编号 {rng.randint(100000, 999999)},机器 gpu-hz-{rng.randint(1, 400):03d}")
    yield say(
        0.6, f"样本总数 {run.per_epoch * run.batch},批大小 {run.batch},共 {run.epochs} 轮,每轮 {run.per_epoch} 批"
    )
    yield say(1.4, f"模型参数量 {run.weights / 1e6:.1f}M,随机种子 {run.seed}")
    if run.resumed is not None:
        yield say(2.2, f"从 ckpt/step_{run.resumed}.pt 恢复,已完成 {run.resumed} 步")
    yield say(3.1, "开始训练")
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield say(
                event.at,
                f"第{event.epoch + 1}轮 第{event.batch}批 | 损失 {event.loss:.5f} | 学习率 {event.lr:.3g} | "
                f"梯度范数 {event.norm:.3f} | 取数 {event.fetch:.3f}秒 计算 {work:.3f}秒 | {event.rate:.1f} 样本/秒",
            )
        elif isinstance(event, Evaluation):
            yield say(event.at, f"第{event.epoch + 1}轮验证:损失 {event.loss:.5f},耗时 {event.took:.1f}秒")
        else:
            yield say(event.at, f"检查点 ckpt/step_{event.step}.pt 已写入,耗时 {event.took:.2f}秒")
    if run.finished:
        yield say(_end(run), f"全部 {run.epochs} 轮训练完成")


@voice(VOICES, "zh_blocks", "loss eval score fetch save plan end")
def zh_blocks(run: Run) -> Iterator[str]:
    """A doctoral student of traditional medicine; a block an epoch."""
    rng = random.Random(run.seed)
    yield f"【舌象分类】 共 {run.per_epoch * run.batch} 张图片,{rng.randint(4, 18)} 个证型"
    yield f"【设置】 优化器 AdamW,批大小 {run.batch},训练 {run.epochs} 轮"
    yield f"【设备】 NVIDIA GeForce RTX {rng.choice((2080, 3060, 4090))}"
    for event in _by_epoch(run):
        if isinstance(event, Save):
            yield f"【保存】 tongue_{event.step}.pth,用了 {event.took:.2f} 秒"
            continue
        whole = event.fetch + event.work
        yield ""
        yield f"──────── 第 {event.epoch + 1} / {run.epochs} 轮 ────────"
        yield f"训练损失:{event.loss:.4f}    验证损失:{event.test.loss:.4f}    验证准确率:{100 * event.test.score:.2f}%"
        yield f"训练用时:{whole:.2f} 秒(读图片等待 {event.fetch:.2f} 秒,占 {100 * event.fetch / max(1e-9, whole):.1f}%)"
    if run.finished:
        yield ""
        yield "【结束】 训练完毕,论文加油!"


@voice(VOICES, "ko_startup", "loss eval score clock fetch save plan lr resume end")
def ko_startup(run: Run) -> Iterator[str]:
    """A web-comic platform in Seoul."""
    rng = random.Random(run.seed)

    def say(at: float, what: str) -> str:
        return f"[{_when(run, at, '%Y-%m-%d %H:%M:%S')}] {what}"

    yield say(0, f"웹툰 채색 모델 학습 시작 준비 (시드 {run.seed})")
    yield say(0.7, f"학습 컷 {run.per_epoch * run.batch:,}개, 배치 {run.batch}, 에폭 {run.epochs}회")
    yield say(1.5, f"모델 파라미터 {run.weights:,}개 | GPU {rng.choice((1, 2, 4))}장")
    if run.resumed is not None:
        yield say(
            2.4,
            f"/ckpt/last.pt 에서 이어서 학습합니다 (에폭 {run.resumed // run.per_epoch}, 스텝 {run.resumed}까지 완료)",
        )
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield say(
                event.at,
                f"에폭 {event.epoch + 1}/{run.epochs} | 스텝 {event.step} | 손실 {event.loss:.4f} | "
                f"학습률 {event.lr:.2e} | 데이터 대기 {event.fetch:.2f}초 | 연산 {work:.2f}초",
            )
        elif isinstance(event, Evaluation):
            yield say(
                event.at,
                f"  ▶ 검증 손실 {event.loss:.4f}, SSIM {event.score:.4f}" + (" (최고 기록)" if event.best else ""),
            )
        else:
            yield say(event.at, f"  ▶ 체크포인트 저장 완료: /ckpt/{event.step}.pt ({event.took:.1f}초)")
    if run.finished:
        yield say(_end(run), "모든 에폭이 끝났습니다. 수고하셨습니다!")


@voice(VOICES, "ru_physics", "loss clock fetch save plan norm resume end")
def ru_physics(run: Run) -> Iterator[str]:
    """An institute in Novosibirsk; C++ with its own autodiff."""
    rng = random.Random(run.seed)
    yield f"Программа OBRATKA, сборка {rng.randint(100, 999)}, потоков: {rng.choice((16, 32, 64))}"
    yield f"Неизвестных: {run.weights}, сейсмотрасс в пачке: {run.batch}"
    yield f"Шагов всего: {run.steps}, печать через {run.every}"
    if run.resumed is not None:
        yield f"Продолжаем с шага {run.resumed}, состояние прочитано из sost_{run.resumed}.bin"
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield (
                f"шаг {event.step:7d}/{run.steps}  невязка {_n(event.loss, '.6e', nan='nan', inf='inf')}  "
                f"|g| {_n(event.norm, '.3e', nan='nan', inf='inf')}  t={event.at:.1f} с "
                f"[чтение трасс {event.fetch:.3f} с, счёт {work:.3f} с]"
            )
        elif isinstance(event, Save):
            yield f"    состояние записано в sost_{event.step}.bin за {event.took:.2f} с"
    if run.finished:
        yield f"Счёт окончен, t={_end(run):.1f} с"


@voice(VOICES, "ru_cats", "loss eval score fetch plan end")
def ru_cats(run: Run) -> Iterator[str]:
    """A hobbyist in Kazan who sorts cats; a phrase a line."""
    rng = random.Random(run.seed)
    yield f"Привет! Учим котиков, попытка №{rng.randint(3, 60)}."
    yield f"Фоток: {run.per_epoch * run.batch}, кусочками по {run.batch}, кругов будет {run.epochs}."
    yield f"Видеокарта: {rng.choice(('GTX 1660 Super', 'RTX 3050', 'RX 6600'))}, диск: старый HDD."
    for event, work in _walk(run):
        if isinstance(event, Report):
            share = 100 * event.fetch / max(1e-9, work + event.fetch)
            yield (
                f"Круг {event.epoch + 1}, кусочек {event.batch} из {run.per_epoch}: ошибка {event.loss:.4f}, "
                f"видеокарта простаивала {share:.0f}% времени, ждала фотки с диска"
            )
        elif isinstance(event, Evaluation):
            yield f"  проверка: ошибка {event.loss:.4f}, угадано {100 * event.score:.1f}% котиков"
        else:
            yield "  сохранил"
    if run.finished:
        yield "Все круги пройдены, можно кормить кота."


@voice(VOICES, "pt_agro", "loss eval score fetch save lr resume end")
def pt_agro(run: Run) -> Iterator[str]:
    """A farming company in Goiás that prints its dicts."""
    rng = random.Random(run.seed)
    yield f"versão do código: {rng.randrange(16**7):07x}"
    yield f"fazendas: {rng.randint(3, 40)}, recortes de drone: {run.per_epoch * run.batch}"
    yield f"{{'lote': {run.batch}, 'semente': {run.seed}, 'parametros': {run.weights}}}"
    yield "tempos em segundos desde o registro anterior"
    if run.resumed is not None:
        yield f"retomando de pesos/ultimo.pt, passo {run.resumed}"
    for event, work in _walk(run):
        if isinstance(event, Report):
            times = {"esperando_lote": round(event.fetch, 3), "rede": round(work, 3)}
            yield str(
                {"passo": event.step, "perda": round(event.loss, 5), "taxa": float(f"{event.lr:.4g}"), "tempos": times}
            )
        elif isinstance(event, Evaluation):
            yield str({"validacao": event.epoch + 1, "perda": round(event.loss, 5), "iou": round(event.score, 4)})
        else:
            yield str({"salvo": f"pesos/{event.step}.pt", "tempo": round(event.took, 3)})
    if run.finished:
        yield "treinamento concluído, bom descanso"


@voice(VOICES, "es_astro", "loss eval clock fetch save plan lr resume end")
def es_astro(run: Run) -> Iterator[str]:
    """An observatory on La Palma; three lines a report."""
    rng = random.Random(run.seed)
    yield f"[{_when(run, 0)}] Clasificador de espectros, campaña {rng.randint(2014, 2026)}{rng.choice('AB')}"
    yield f"[{_when(run, 0.5)}] {run.per_epoch * run.batch} espectros FITS, tandas de {run.batch}"
    yield f"[{_when(run, 1.1)}] {run.steps} pasos en total ({run.epochs} vueltas al catálogo)"
    if run.resumed is not None:
        yield f"[{_when(run, 2)}] Se retoma el paso {run.resumed} a partir de pesos_{run.resumed}.npz"
    for event, work in _walk(run):
        now = _when(run, event.at)
        if isinstance(event, Report):
            whole = max(1e-9, work + event.fetch)
            yield f"[{now}] Paso {event.step} de {run.steps}"
            yield f"           coste {event.loss:.5f}, ritmo de aprendizaje {event.lr:.2e}"
            yield (
                f"           reparto de {whole:.2f} s: esperar ficheros FITS {100 * event.fetch / whole:.1f} %, "
                f"gráfica {100 * work / whole:.1f} %"
            )
        elif isinstance(event, Evaluation):
            yield f"[{now}] Vuelta {event.epoch + 1} acabada, coste en los espectros apartados {event.loss:.5f}"
        else:
            yield f"[{now}] Copia de los pesos en pesos_{event.step}.npz ({event.took:.2f} s)"
    if run.finished:
        yield f"[{_when(run, _end(run))}] Fin del entrenamiento. Cielos despejados."


@voice(VOICES, "fr_ecologie", "loss eval fetch save lr norm end")
def fr_ecologie(run: Run) -> Iterator[str]:
    """An ecologist in Montpellier: R, torch, OutDec set to a comma."""
    rng = random.Random(run.seed)
    yield '> source("apprendre_chants.R", encoding = "UTF-8")'
    yield "Le chargement a nécessité le package : torch"
    yield f"Sonogrammes : {run.per_epoch * run.batch} ; espèces : {rng.randint(12, 240)} ; lots de {run.batch}"
    yield f"set.seed({run.seed})"
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield (
                f"Époque {event.epoch + 1} | lot {event.batch} | déviance = {_comma(event.loss, '.5f')} | "
                f"taux = {_comma(event.lr, '.3g')} | ||g|| = {_comma(event.norm, '.3f')} | "
                f"lecture wav {_comma(event.fetch, '.2f')} s, gradient {_comma(work, '.2f')} s"
            )
        elif isinstance(event, Evaluation):
            yield f"  -> déviance hors échantillon = {_comma(event.loss, '.5f')}"
        else:
            yield f'  -> saveRDS("modele_{event.step}.rds") : {_comma(event.took, ".2f")} s'
    if run.finished:
        yield f"Terminé. Durée totale : {_comma(_end(run) / 60, '.1f')} min"
        yield "> "


@voice(VOICES, "fr_rail", "loss eval score clock fetch save plan resume end")
def fr_rail(run: Run) -> Iterator[str]:
    """A railway operator's contractor, with a logger that was written by committee."""
    rng = random.Random(run.seed)

    def say(at: float, who: str, what: str) -> str:
        return f"{_milli(run, at, '%d/%m/%Y %H:%M:%S')} | INFO | {who:<13} | {what}"

    yield say(0.1, "lanceur", f"Lot de travaux n° {rng.randint(1000, 9999)}, environnement RECETTE")
    yield say(0.5, "donnees", f"{run.per_epoch * run.batch} relevés de voie, paquets de {run.batch}")
    yield say(1.2, "modele", f"{run.weights} coefficients")
    yield say(1.3, "apprentissage", f"{run.epochs} époques prévues, soit {run.steps} itérations")
    if run.resumed is not None:
        yield say(2.0, "apprentissage", f"reprise à l'itération {run.resumed} depuis point_reprise_{run.resumed}.bin")
    for event, work in _walk(run):
        if isinstance(event, Report):
            whole = work + event.fetch
            yield say(
                event.at,
                "apprentissage",
                f"itération {event.step}/{run.steps} ; perte {event.loss:.4f} ; "
                f"attente E/S {1000 * event.fetch:.0f} ms sur {1000 * whole:.0f} ms",
            )
        elif isinstance(event, Evaluation):
            line = f"époque {event.epoch + 1} ; perte {event.loss:.4f} ; rappel {event.score:.4f}"
            yield say(event.at, "validation", line)
        else:
            line = f"point_reprise_{event.step}.bin écrit en {1000 * event.took:.0f} ms"
            yield say(event.at, "sauvegarde", line)
    if run.finished:
        yield say(_end(run), "apprentissage", "fin de l'apprentissage")
        yield say(_end(run), "lanceur", f"durée {_hms(_end(run))}")


def _fortran(x: float, digits: int, width: int) -> str:
    """As an edit descriptor Ew.d prints it."""
    if not math.isfinite(x):
        return f"{_n(x, '', inf='Infinity'):>{width}}"
    mantissa, power = f"{x:.{digits - 1}E}".split("E")
    shown = "0." + mantissa.replace(".", "").replace("-", "")
    return f"{('-' if x < 0 else '') + shown}E{(int(power) + 1 if x else 0):+03d}".rjust(width)


@voice(VOICES, "de_fortran", "loss clock fetch save norm resume end plan")
def de_fortran(run: Run) -> Iterator[str]:
    """A chemistry department's neural network potential in Fortran 2008, on the university's cluster."""
    rng = random.Random(run.seed)
    yield " ******************************************************"
    yield f" *  NNPOT  Version {rng.randint(2, 5)}.{rng.randint(0, 9)}          Universitaet Goettingen *"
    yield " ******************************************************"
    yield f"  MPI-Prozesse              : {rng.choice((24, 48, 96, 192)):10d}"
    yield f"  Gewichte                  : {run.weights:10d}"
    yield f"  Strukturen je Schritt     : {run.batch:10d}"
    yield f"  Schritte                  : {run.steps:10d}"
    if run.resumed is not None:
        yield f"  Fortsetzung nach Schritt  : {run.resumed:10d}  (Datei gewichte.{run.resumed:08d})"
    yield ""
    yield "   Schritt    RMSE(E) [meV]       |Grad|    Wanduhr [s]    Lesen [s]   Rechnen [s]"
    yield " " + "-" * 83
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield (
                f"{event.step:10d} {_fortran(event.loss, 7, 16)} {_fortran(event.norm, 4, 12)} {event.at:14.2f} "
                f"{event.fetch:12.3f} {work:13.3f}"
            )
        elif isinstance(event, Save):
            yield f"  >> gewichte.{event.step:08d} geschrieben, Schreiben [s] {event.took:12.3f}"
    if run.finished:
        yield " " + "-" * 83
        yield f"  Gesamtzeit [s]            : {_end(run):12.2f}"
        yield "  Programmende NNPOT"


@voice(VOICES, "de_versicherung", "loss eval score fetch plan resume end lr")
def de_versicherung(run: Run) -> Iterator[str]:
    """An insurance company in Cologne, .NET with the German culture."""
    rng = random.Random(run.seed)
    yield f"Schadenklassifikator {rng.randint(3, 8)}.{rng.randint(0, 20)} (.NET 8.0, TorchSharp)"
    yield f"Verbindung zur Datenbank SCHADEN{rng.randint(1, 4)} hergestellt."
    files = f"{run.per_epoch * run.batch:,}".replace(",", ".")
    yield f"{files} Akten, Stapelgröße {run.batch}, {run.epochs} Durchläufe"
    if run.resumed is not None:
        yield f"Setze nach Durchlauf {run.resumed // run.per_epoch} fort, Stand aus modell_{run.resumed}.dat"
    for event, work in _walk(run):
        if isinstance(event, Report):
            whole = max(1e-9, work + event.fetch)
            yield (
                f"Durchlauf {event.epoch + 1}/{run.epochs}, Stapel {event.batch}/{run.per_epoch}: "
                f"Kosten {_comma(event.loss, '.4f', inf='∞')}; Lernrate {_comma(event.lr, '.6f')}; "
                f"{_comma(whole, '.2f')} s, davon {_comma(100 * event.fetch / whole, '.1f')} % Warten auf die Datenbank"
            )
        elif isinstance(event, Evaluation):
            yield (
                f"   Prüfmenge: Kosten {_comma(event.loss, '.4f', inf='∞')}, "
                f"Trefferquote {_comma(100 * event.score, '.2f')} %"
            )
    if run.finished:
        yield "Alle Durchläufe abgeschlossen. Auf Wiedersehen."


@voice(VOICES, "pl_student", "loss eval score fetch save plan end lr")
def pl_student(run: Run) -> Iterator[str]:
    """A student in Wrocław; percent of the epoch, two short lines a report."""
    rng = random.Random(run.seed)
    yield f"znaki drogowe, próba {rng.randint(1, 40)}, ziarno {run.seed}"
    yield f"obrazów: {run.per_epoch * run.batch}, wsad: {run.batch}, epok: {run.epochs}"
    yield "UWAGA: num_workers=2, bo laptop"
    for event, work in _walk(run):
        if isinstance(event, Report):
            done = 100 * event.batch / run.per_epoch
            yield f"epoka {event.epoch + 1}/{run.epochs} ({done:.0f}%)  strata {event.loss:.4f}  lr {event.lr:.2e}"
            yield f"    czas: sieć {work:.2f}s, czekanie na obrazy {event.fetch:.2f}s"
        elif isinstance(event, Evaluation):
            yield f"  == test: strata {event.loss:.4f}, trafność {100 * event.score:.1f}%"
        else:
            yield f"  == zapisano wagi_{event.step}.pt ({event.took:.2f}s)"
    if run.finished:
        yield "koniec nauki :)"


@voice(VOICES, "tr_drone", "loss score fetch plan end norm")
def tr_drone(run: Run) -> Iterator[str]:
    """A drone hobbyist in İzmir; pictures seen, milliseconds a picture."""
    rng = random.Random(run.seed)
    total = run.steps * run.batch
    yield f"Zeytin sayacı eğitimi - deneme {rng.randint(2, 30)}"
    yield f"Toplam {total} görüntü gösterilecek ({run.epochs} tur)"
    yield f"Jetson {rng.choice(('Orin', 'Xavier NX', 'AGX'))}, SD kart"
    for event, work in _walk(run):
        if isinstance(event, Report):
            many = run.every * run.batch
            yield (
                f"görüntü {event.step * run.batch}/{total} > kayıp: {event.loss:.5f} > "
                f"doğruluk: %{100 * event.score:.1f} > "
                f"gradyan: {event.norm:.3f} > SD kart bekleme: {1000 * event.fetch / many:.2f} ms/görüntü > "
                f"hesap: {1000 * work / many:.2f} ms/görüntü"
            )
        elif isinstance(event, Save):
            yield "ağırlıklar kaydedildi"
    if run.finished:
        yield "eğitim bitti, kolay gelsin"


@voice(VOICES, "it_ospedale", "loss eval score clock fetch plan lr resume end")
def it_ospedale(run: Run) -> Iterator[str]:
    """A hospital in Pavia, segmentation of CT volumes."""
    rng = random.Random(run.seed)

    def say(at: float, what: str) -> str:
        return f"{_when(run, at, '%d-%m %H:%M:%S')} - {what}"

    yield say(
        0, f"Segmentazione {rng.choice(('fegato', 'polmone', 'rene', 'milza'))}, protocollo {rng.randint(10, 99)}/2026"
    )
    yield say(0.4, f"{run.per_epoch * run.batch} blocchi da {rng.randint(20, 400)} esami DICOM, lotto {run.batch}")
    yield say(1.3, f"Rete: {run.weights} parametri. Epoche: {run.epochs}")
    if run.resumed is not None:
        yield say(2.1, f"Ripresa da rete_{run.resumed}.pt, epoche già fatte: {run.resumed // run.per_epoch}")
    for event, work in _walk(run):
        if isinstance(event, Report):
            yield say(
                event.at,
                f"epoca {event.epoch + 1}/{run.epochs} lotto {event.batch}/{run.per_epoch} - "
                f"entropia+Dice {event.loss:.4f} "
                f"- tasso {event.lr:.2e} - per lotto: coda DICOM vuota {event.fetch / run.every:.3f} s, "
                f"rete {work / run.every:.3f} s",
            )
        elif isinstance(event, Evaluation):
            yield say(event.at, f"convalida: entropia+Dice {event.loss:.4f}, indice di Dice {event.score:.4f}")
    if run.finished:
        yield say(_end(run), "Addestramento terminato.")


@voice(VOICES, "nl_waterschap", "loss eval clock fetch save end resume norm")
def nl_waterschap(run: Run) -> Iterator[str]:
    """A Dutch water board's hydrologist; running totals in minutes."""
    rng = random.Random(run.seed)
    yield f"Peilvoorspeller {rng.choice(('Vallei', 'Rijnland', 'Dommel'))}, {run.weights} gewichten"
    yield f"{rng.randint(20, 300)} meetpunten, reeksen per ronde: {run.every * run.batch}"
    if run.resumed is not None:
        yield f"Verder vanaf stap {run.resumed} (stand_{run.resumed}.nc)"
    waited, saved = 0.0, 0.0
    for event in run.events:
        if isinstance(event, Report):
            waited += event.fetch
            yield (
                f"stap {event.step}: kwadr. fout {event.loss:.5f}, gradiënt {event.norm:.3f}; "
                f"klok {event.at / 60:.3f} min, "
                f"tot nu toe wachten op netCDF {waited / 60:.3f} min, wegschrijven {saved / 60:.3f} min"
            )
        elif isinstance(event, Evaluation):
            yield f"   toetsjaren: kwadr. fout {event.loss:.5f}"
        else:
            saved += event.took
            yield f"   stand_{event.step}.nc weggeschreven in {event.took / 60:.3f} min"
    if run.finished:
        yield f"Klaar na {_end(run) / 60:.2f} min, waarvan {waited / 60:.2f} wachten en {saved / 60:.2f} wegschrijven."
