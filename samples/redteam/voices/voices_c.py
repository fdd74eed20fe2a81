"""Voices: frameworks that are less famous, programs that speak other languages, and programs of no programmers."""

from __future__ import annotations

import math
import random
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from .run import Evaluation, Report, Save, Voice, voice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from .run import Run

VOICES: Final[dict[str, Voice]] = {}


def _when(run: Run, at: float) -> datetime:
    return run.begin + timedelta(seconds=at)


def _milli(run: Run, at: float) -> str:
    now = _when(run, at)
    return f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03}"


def _hms(seconds: float) -> str:
    """1:02:03, as Python prints a timedelta."""
    return str(timedelta(seconds=int(seconds)))


def _hhmmss(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def _mmss(seconds: float) -> str:
    """As tqdm does."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60:02}:{rest % 60:02}"


def _left(run: Run, event: Report) -> float:
    return (run.steps - event.step) * event.took / run.every


def _small(run: Run) -> int:
    """Parameters of a program of one's own, whose network is smaller."""
    return run.weights // 700 + 97


def _exp(value: float, base: float = math.e) -> float:
    if not math.isfinite(value):
        return value
    return math.inf if value * math.log(base) > 700 else base**value


def _num(value: float, form: str, nan: str = "NaN", inf: str = "Inf") -> str:
    """A figure as languages other than Python write it."""
    if math.isnan(value):
        return nan
    return format(value, form) if math.isfinite(value) else inf


def _comma(value: float, form: str, nan: str = "NaN", inf: str = "∞") -> str:
    """With a decimal comma."""
    return format(value, form).replace(".", ",") if math.isfinite(value) else _num(value, form, nan, inf)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


# Frameworks


@voice(VOICES, "mmdet", "loss score clock fetch plan resume lr norm")
def mmdet(run: Run) -> Iterator[str]:
    """MMDetection 3 with MMEngine, a Faster R-CNN on a set of one's own."""
    rng = random.Random(run.seed)

    def log(at: float, text: str) -> str:
        return f"{_when(run, at):%Y/%m/%d %H:%M:%S} - mmengine - INFO - {text}"

    work = rng.choice(
        ("./work_dirs/faster-rcnn_r50_fpn_weeds", "./work_dirs/rtmdet_s_solar", "./work_dirs/retinanet_cells")
    )
    yield log(0, "")
    yield "------------------------------------------------------------"
    yield "System environment:"
    yield "    sys.platform: linux"
    yield "    Python: 3.8.19 (default, Mar 20 2024, 19:58:24) [GCC 11.2.0]"
    yield "    CUDA available: True"
    yield f"    numpy_random_seed: {rng.randrange(2**31)}"
    yield "    GPU 0: NVIDIA GeForce RTX 3090"
    yield "    PyTorch: 1.13.1+cu117"
    yield "    MMEngine: 0.10.4"
    yield "------------------------------------------------------------"
    yield log(1, "Config:")
    yield "default_hooks = dict("
    yield "    checkpoint=dict(interval=1, type='CheckpointHook'),"
    yield f"    logger=dict(interval={run.every}, type='LoggerHook'))"
    yield f"train_cfg = dict(max_epochs={run.epochs}, type='EpochBasedTrainLoop', val_interval=1)"
    yield f"train_dataloader = dict(batch_size={run.batch}, num_workers=2, persistent_workers=True)"
    yield f"work_dir = '{work}'"
    yield ""
    yield log(
        2.5,
        "Distributed training is not used, all SyncBatchNorm (SyncBN) layers in the model will be "
        "automatically reverted to BatchNormXd layers if they are used.",
    )
    if run.resumed is not None:
        yield log(3, f"Load checkpoint from {work}/epoch_{run.resumed // run.per_epoch}.pth")
        yield log(3.4, f"resumed epoch: {run.resumed // run.per_epoch}, iter: {run.resumed}")
    yield log(3.5, f"Checkpoints will be saved to {work}.")
    memory, width = rng.randint(2800, 9900), len(str(run.per_epoch))
    for event in run.events:
        if isinstance(event, Report):
            parts = (0.04, 0.03, 0.51, 0.42)
            names = ("loss_rpn_cls", "loss_rpn_bbox", "loss_cls", "loss_bbox")
            terms = "  ".join(f"{n}: {event.loss * p:.4f}" for n, p in zip(names, parts, strict=True))
            yield log(
                event.at,
                f"Epoch(train)  [{event.epoch + 1}][{event.batch:>{width}}/{run.per_epoch}]  lr: {event.lr:.4e}  "
                f"eta: {_hms(_left(run, event))}  time: {event.took / run.every:.4f}  "
                f"data_time: {event.fetch / run.every:.4f}  memory: {memory}  grad_norm: {event.norm:.4f}  "
                f"loss: {event.loss:.4f}  {terms}",
            )
        elif isinstance(event, Evaluation):
            n = max(1, run.per_epoch // 5)
            s = event.score
            yield log(
                event.at,
                f"Epoch(val) [{event.epoch + 1}][{n}/{n}]    coco/bbox_mAP: {s:.4f}  coco/bbox_mAP_50: "
                f"{min(1.0, s * 1.3) if s == s else s:.4f}  coco/bbox_mAP_75: {s * 0.9:.4f}  "
                f"data_time: 0.0021  time: {event.took / n:.4f}",
            )
        else:
            yield log(event.at - event.took, f"Saving checkpoint at {event.step // run.per_epoch or 1} epochs")


@voice(VOICES, "detectron2", "loss score clock fetch plan lr end resume")
def detectron2(run: Run) -> Iterator[str]:
    """Detectron2's plain trainer; it counts iterations from 0."""
    rng = random.Random(run.seed)

    def log(at: float, who: str, text: str) -> str:
        return f"[{_when(run, at):%m/%d %H:%M:%S} {who}]: {text}"

    yield "Command Line Args: Namespace(config_file='configs/plankton.yaml', eval_only=False, num_gpus=1, opts=[])"
    yield log(0, "detectron2", "Rank of current process: 0. World size: 1")
    yield log(1, "detectron2", "Running with full config:")
    yield "SOLVER:"
    yield "  BASE_LR: 0.00025"
    yield f"  IMS_PER_BATCH: {run.batch}"
    yield f"  MAX_ITER: {run.steps}"
    yield "TEST:"
    yield f"  EVAL_PERIOD: {run.per_epoch}"
    images = run.per_epoch * run.batch
    yield log(
        2, "d2.data.build", f"Removed {rng.randint(0, 40)} images with no usable annotations. {images} images left."
    )
    yield log(2, "d2.data.build", "Using training sampler TrainingSampler")
    if run.resumed is not None:
        yield log(
            3, "fvcore.common.checkpoint", f"[Checkpointer] Loading from ./output/model_{run.resumed - 1:07}.pth ..."
        )
    else:
        yield log(3, "d2.checkpoint.c2_model_loading", "Following weights matched with submodule backbone.bottom_up:")
    yield log(3.5, "d2.engine.train_loop", f"Starting training from iteration {run.resumed or 0}")
    memory, spent, waited = rng.randint(2100, 20000), 0.0, 0.0
    for event in run.events:
        if isinstance(event, Report):
            each = event.took / run.every
            yield log(
                event.at,
                "d2.utils.events",
                f" eta: {_hms(_left(run, event))}  iter: {event.step - 1}  total_loss: {event.loss:.4g}  "
                f"loss_cls: {event.loss * 0.6:.4g}  loss_box_reg: {event.loss * 0.3:.4g}  "
                f"loss_rpn_cls: {event.loss * 0.07:.4g}  loss_rpn_loc: {event.loss * 0.03:.4g}    "
                f"time: {each:.4f}  last_time: {each * rng.uniform(0.97, 1.03):.4f}  "
                f"data_time: {event.fetch / run.every:.4f}  "
                f"last_data_time: {event.fetch / run.every * rng.uniform(0.9, 1.1):.4f}   "
                f"lr: {event.lr:.5g}  max_mem: {memory}M",
            )
        elif isinstance(event, Evaluation):
            spent += event.took
            yield log(event.at, "d2.evaluation.evaluator", f"Total inference time: {_hms(event.took)}")
            yield log(event.at, "d2.evaluation.testing", "copypaste: Task: bbox")
            yield log(event.at, "d2.evaluation.testing", "copypaste: AP,AP50,AP75,APs,APm,APl")
            s = 100 * event.score
            yield log(
                event.at,
                "d2.evaluation.testing",
                f"copypaste: {s * 0.8:.4f},{s:.4f},{s * 0.77:.4f},{s * 0.3:.4f},{s * 0.71:.4f},{s * 0.9:.4f}",
            )
        else:
            waited += event.took
            name = f"./output/model_{event.step - 1:07}.pth"
            yield log(event.at - event.took, "fvcore.common.checkpoint", f"Saving checkpoint to {name}")
    if run.finished:
        at = run.events[-1].at
        n = run.steps - (run.resumed or 0)
        pure = at - spent - waited
        yield log(
            at, "d2.engine.hooks", f"Overall training speed: {n} iterations in {_hms(pure)} ({pure / n:.4f} s / it)"
        )
        yield log(at, "d2.engine.hooks", f"Total training time: {_hms(at)} ({_hms(spent + waited)} on hooks)")


@voice(VOICES, "fairseq", "loss eval clock save plan lr norm end resume")
def fairseq(run: Run) -> Iterator[str]:
    """fairseq-train on a pair of languages; losses in base 2."""
    rng = random.Random(run.seed)

    def log(at: float, who: str, text: str) -> str:
        return f"{_when(run, at):%Y-%m-%d %H:%M:%S} | INFO | {who} | {text}"

    pair = rng.choice(("hsb-de", "gl-en", "is-en", "kk-ru"))
    src, tgt = pair.split("-")
    yield log(
        0,
        "fairseq_cli.train",
        f"{{'_name': None, 'common': {{'no_progress_bar': True, 'log_interval': {run.every}, 'log_format': 'simple', "
        f"'seed': {rng.randint(1, 99)}, 'fp16': True}}, 'optimization': {{'max_epoch': {run.epochs}, 'max_update': 0, "
        f"'clip_norm': 0.0, 'update_freq': [1]}}, 'checkpoint': {{'save_dir': 'checkpoints/{pair}', "
        "'restore_file': 'checkpoint_last.pt', 'save_interval': 1}}",
    )
    yield log(1, "fairseq.tasks.translation", f"[{src}] dictionary: {rng.randint(4, 32) * 1000} types")
    yield log(1, "fairseq.tasks.translation", f"[{tgt}] dictionary: {rng.randint(4, 32) * 1000} types")
    yield log(2, "fairseq_cli.train", f"num. shared model params: {run.weights:,} (num. trained: {run.weights:,})")
    yield log(3, "fairseq.utils", "***********************CUDA enviroments for all 1 workers***********************")
    yield log(
        3, "fairseq.utils", "rank   0: capabilities =  8.0  ; total memory = 39.586 GB ; name = NVIDIA A100-SXM4-40GB"
    )
    yield log(3, "fairseq_cli.train", "training on 1 devices (GPUs/TPUs)")
    last = f"checkpoints/{pair}/checkpoint_last.pt"
    yield log(3, "fairseq.trainer", f"Preparing to load checkpoint {last}")
    if run.resumed is not None:
        yield log(
            3.6,
            "fairseq.trainer",
            f"Loaded checkpoint {last} (epoch {run.resumed // run.per_epoch + 1} @ {run.resumed} updates)",
        )
    else:
        yield log(3.5, "fairseq.trainer", f"No existing checkpoint found {last}")
    yield log(3.7, "fairseq.trainer", f"loading train data for epoch {(run.resumed or 0) // run.per_epoch + 1}")
    epoch, words, best = -1, rng.randint(20, 32), math.inf
    for event in run.events:
        if isinstance(event, Report):
            if event.epoch != epoch:
                epoch = event.epoch
                yield log(max(3.8, event.at - event.took), "fairseq.trainer", f"begin training epoch {epoch + 1}")
            bits = event.loss / math.log(2)
            wps = event.rate * words
            yield log(
                event.at,
                "train_inner",
                f"epoch {event.epoch + 1:03}: {event.batch:6} / {run.per_epoch} loss={bits:.3f}, "
                f"nll_loss={bits * 0.93:.3f}, ppl={_exp(bits * 0.93, 2.0):.6g}, wps={wps:.1f}, "
                f"ups={run.every / event.took:.2f}, wpb={run.batch * words:.1f}, bsz={run.batch:.1f}, "
                f"num_updates={event.step}, lr={event.lr:.6g}, gnorm={event.norm:.3f}, loss_scale=16, "
                f"train_wall={event.took:.0f}, gb_free=21.4, wall={event.at:.0f}",
            )
        elif isinstance(event, Evaluation):
            bits = event.loss / math.log(2)
            best = min(best, bits) if bits == bits else best
            yield log(event.at - event.took, "fairseq_cli.train", 'begin validation on "valid" subset')
            yield log(
                event.at,
                "valid",
                f"epoch {event.epoch + 1:03} | valid on 'valid' subset | loss {bits:.3f} | nll_loss "
                f"{bits * 0.92:.3f} | "
                f"ppl {_exp(bits * 0.92, 2.0):.6g} | wps {run.batch * words / 0.05:.1f} | wpb "
                f"{run.batch * words:.1f} | "
                f"bsz {run.batch} | num_updates {event.step} | best_loss {best:.3f}",
            )
        else:
            name = f"checkpoints/{pair}/checkpoint{event.epoch + 1}.pt"
            if event.step % run.per_epoch:
                name = f"checkpoints/{pair}/checkpoint_{event.epoch + 1}_{event.step}.pt"
            where = f"(epoch {event.epoch + 1} @ {event.step} updates, score {best:.3f})"
            yield log(
                event.at - event.took, "fairseq.checkpoint_utils", f"Preparing to save checkpoint for {where[1:-1]}"
            )
            yield log(
                event.at,
                "fairseq.checkpoint_utils",
                f"Saved checkpoint {name} {where} (writing took {event.took} seconds)",
            )
    if run.finished:
        at = run.events[-1].at
        yield log(at, "fairseq_cli.train", f"done training in {at - 3.8:.1f} seconds")


@voice(VOICES, "marian", "loss eval clock plan lr norm end")
def marian(run: Run) -> Iterator[str]:
    """Marian, a translation model."""
    rng = random.Random(run.seed)

    def log(at: float, text: str) -> str:
        return f"[{_when(run, at):%Y-%m-%d %H:%M:%S}] {text}"

    yield log(0, "[marian] Marian v1.12.0 65bf82ff 2023-02-21 09:56:29 -0800")
    yield log(
        0, f"[marian] Running on gpu{rng.randint(1, 9)}.ufal as process {rng.randint(900, 99999)} with command line:"
    )
    yield log(0, "[marian] marian -c train.yml --devices 0 -w 9000")
    yield log(0, f"[config] after-epochs: {run.epochs}")
    yield log(0, "[config] cost-type: ce-mean-words")
    yield log(0, f"[config] disp-freq: {run.every}u")
    yield log(0, "[config] label-smoothing: 0.1")
    yield log(0, f"[config] seed: {run.seed}")
    yield log(0, "[config] type: transformer")
    yield log(0, f"[config] valid-freq: {run.per_epoch}u")
    yield log(
        1, f"[data] Loading SentencePiece vocabulary from file {rng.choice(('model/vocab.spm', 'vocab.encs.spm'))}"
    )
    yield log(1, "[data] Setting vocabulary size for input 0 to 32,000")
    yield log(2, "[comm] Compiled without MPI support. Running as a single process on gpu1")
    yield log(3, "[batching] Collecting statistics for batch fitting with step size 10")
    yield log(3.5, f"[memory] Reserving {run.weights * 4 // 2**20} MB, device gpu0")
    yield log(3.7, "Training started")
    words, stalled = rng.randint(18, 30), 0
    for event in run.events:
        if isinstance(event, Report):
            yield log(
                event.at,
                f"Ep. {event.epoch + 1} : Up. {event.step} : Sen. {event.batch * run.batch:,} : "
                f"Cost {event.loss:.8f} : Time {event.took:.2f}s : {event.rate * words:.2f} words/s : "
                f"gNorm {event.norm:.4f} : L.r. {event.lr:.4e}",
            )
        elif isinstance(event, Evaluation):
            stalled = 0 if event.best else stalled + 1
            note = "new best" if event.best else f"stalled {stalled} times"
            yield log(
                event.at,
                f"[valid] Ep. {event.epoch + 1} : Up. {event.step} : ce-mean-words : {event.loss:.6g} : {note}",
            )
            if event.step % run.per_epoch == 0:
                yield log(event.at, f"Seen {run.per_epoch * run.batch:,} samples")
        else:
            yield log(
                event.at - event.took,
                f"Saving model weights and runtime parameters to model/model.iter{event.step}.npz",
            )
    if run.finished:
        at = run.events[-1].at
        yield log(at, "Training finished")
        yield log(at + 1, "Saving model weights and runtime parameters to model/model.npz")


@voice(VOICES, "kaldi", "loss eval score clock plan lr end")
def kaldi(run: Run) -> Iterator[str]:
    """Kaldi's nnet3; an objective that is the log-likelihood, so below zero."""
    rng = random.Random(run.seed)
    version = "5.5.1074~1-71f38"
    count = run.steps // run.every

    def log(at: float, line: int, text: str) -> str:
        return f"{_milli(run, at)} [steps/nnet3/train_dnn.py:{line} - train - INFO ] {text}"

    yield "steps/nnet3/train_dnn.py --stage -10 --cmd run.pl --feat.cmvn-opts=--norm-means=false --dir exp/nnet3/tdnn1a"
    yield "['steps/nnet3/train_dnn.py', '--stage', '-10', '--cmd', 'run.pl', '--dir', 'exp/nnet3/tdnn1a']"
    yield log(0, 172, "Arguments for the experiment")
    yield "{'ali_dir': 'exp/tri3b_ali_train_sp',"
    yield " 'cleanup': True,"
    yield f" 'minibatch_size': '{run.batch}',"
    yield f" 'num_epochs': {run.epochs}.0,"
    yield f" 'srand': {run.seed}}}"
    yield "nnet3-info exp/nnet3/tdnn1a/init.raw "
    yield log(1, 258, "Preparing the initial acoustic model.")
    yield log(2, 285, f"Training will run for {run.epochs}.0 epochs = {count} iterations")
    jobs = rng.randint(1, 4)
    for event in run.events:
        if isinstance(event, Report):
            share = event.step / run.steps
            yield log(
                event.at,
                352,
                f"Iter: {event.step // run.every - 1}/{count - 1}   Jobs: {jobs}   "
                f"Epoch: {share * run.epochs:.2f}/{run.epochs}.0 ({100 * share:.1f}% complete)   lr: {event.lr:.6f}   ",
            )
            frames = run.every * run.batch * 8
            yield (
                f"LOG (nnet3-train[{version}]:PrintStatsForThisPhase():nnet-training.cc:344) Average "
                "objective function "
                f"for 'output' for minibatches {event.step - run.every}-{event.step - 1} is {-event.loss:.6g} "
                f"over {frames} frames."
            )
        elif isinstance(event, Evaluation):
            head = f"LOG (nnet3-compute-prob[{version}]:PrintTotalStats():nnet-diagnostics.cc"
            yield f"{head}:165) Overall accuracy for 'output' is {event.score:.6g} per frame, over 6000 frames."
            yield f"{head}:198) Overall log-likelihood for 'output' is {-event.loss:.6g} per frame, over 6000 frames."
    if run.finished:
        at = run.events[-1].at
        yield log(at + 1, 414, "Doing final combination to produce final.mdl")
        yield log(at + 8, 440, "Getting average posterior for purposes of adjusting the priors.")
        yield log(at + 11, 459, "Cleaning up the experiment directory exp/nnet3/tdnn1a")
        yield "steps/info/nnet3_dir_info.pl: exp/nnet3/tdnn1a: "
        yield f"num-iters={count} nj={jobs}..{jobs} num-params={run.weights / 1e6:.1f}M dim=40->2328"


@voice(VOICES, "sb3", "loss score clock lr end")
def sb3(run: Run) -> Iterator[str]:
    """Stable-Baselines3: PPO with tables, the student's own farewell."""
    rng = random.Random(run.seed)
    env = rng.choice(("LunarLander-v2", "HalfCheetah-v4", "CrossyRoad-v0", "GridWarehouse-v1"))
    scale = rng.choice((1.0, 200.0, 500.0, 3000.0))
    yield "pygame 2.5.2 (SDL 2.28.3, Python 3.10.12)"
    yield "Hello from the pygame community. https://www.pygame.org/contribute.html"
    yield "Using cuda device"
    yield f"Creating environment from the given name '{env}'"
    yield "Wrapping the env with a `Monitor` wrapper"
    yield "Wrapping the env in a DummyVecEnv."
    yield f"Logging to ./tb/{env}/PPO_{rng.randint(1, 30)}"

    def table(rows: list[tuple[str, str]]) -> Iterator[str]:
        key = max(len(k) for k, _ in rows)
        value = max(len(v) for _, v in rows)
        yield "-" * (key + value + 7)
        for k, v in rows:
            yield f"| {k:<{key}} | {v:<{value}} |"
        yield "-" * (key + value + 7)

    for event in run.events:
        if isinstance(event, Report):
            length = rng.uniform(180, 420)
            yield from table(
                [
                    ("rollout/", ""),
                    ("   ep_len_mean", f"{length:.3g}"),
                    ("   ep_rew_mean", f"{event.score * scale:.3g}"),
                    ("time/", ""),
                    ("   fps", f"{event.step * run.batch / event.at:.0f}"),
                    ("   iterations", f"{event.step // run.every}"),
                    ("   time_elapsed", f"{event.at:.0f}"),
                    ("   total_timesteps", f"{event.step * run.batch}"),
                    ("train/", ""),
                    ("   approx_kl", f"{rng.uniform(0.002, 0.02):.8f}"),
                    ("   clip_fraction", f"{rng.uniform(0.02, 0.2):.3g}"),
                    ("   clip_range", "0.2"),
                    ("   explained_variance", f"{rng.uniform(0.1, 0.9):.3g}"),
                    ("   learning_rate", f"{event.lr:.3g}"),
                    ("   loss", f"{event.loss:.3g}"),
                    ("   n_updates", f"{event.step}"),
                ]
            )
        elif isinstance(event, Evaluation):
            at = f"num_timesteps={event.step * run.batch}"
            yield f"Eval {at}, episode_reward={event.score * scale:.2f} +/- {abs(scale) * rng.uniform(0.01, 0.1):.2f}"
            yield f"Episode length: {rng.uniform(180, 420):.2f} +/- {rng.uniform(5, 60):.2f}"
            if event.best:
                yield "New best mean reward!"
    if run.finished:
        yield f"Saved final agent to models/ppo_{env}.zip"
        yield "done learning, closing env"


@voice(VOICES, "fastai", "loss eval score plan end")
def fastai(run: Run) -> Iterator[str]:
    """A notebook with fastai, run by papermill; a row an epoch."""
    rng = random.Random(run.seed)
    what = rng.choice(("mushrooms", "bird_songs_spec", "leaf_rust", "car_dents"))
    yield "Executing:   0%|          | 0/14 [00:00<?, ?cell/s]"
    yield f"path = Path('/storage/{what}')"
    yield f"{run.per_epoch * run.batch} train / {run.per_epoch * run.batch // 4} valid, bs={run.batch}"
    yield f"vocab: {rng.randint(3, 40)} classes"
    yield (
        'Downloading: "https://download.pytorch.org/models/resnet34-b627a593.pth" to /root/.cache/torch/hub/checkpoints'
    )
    yield f"SuggestedLRs(valley={rng.uniform(5e-4, 4e-3)})"
    yield f"learn.fit_one_cycle({run.epochs}, cbs=[SaveModelCallback()])"
    yield "epoch     train_loss  valid_loss  accuracy  time    "
    seen: list[Report] = []
    best = math.inf
    for event in run.events:
        if isinstance(event, Report):
            seen.append(event)
        elif isinstance(event, Evaluation) and seen:
            train = _mean([r.loss for r in seen])
            spent = sum(r.took for r in seen) + event.took
            cells = (f"{train:.6f}", f"{event.loss:.6f}", f"{event.score:.6f}")
            yield f"{event.epoch:<10}{cells[0]:<12}{cells[1]:<12}{cells[2]:<10}{_mmss(spent):<8}"
            if event.best and event.loss < best:
                best = event.loss
                yield f"Better model found at epoch {event.epoch} with valid_loss value: {best}."
            seen.clear()
    if run.finished:
        yield "learn.export('export.pkl')  -> ok"
        yield "Executing: 100%|██████████| 14/14"


@voice(VOICES, "paddleclas", "loss eval score clock fetch plan lr resume")
def paddleclas(run: Run) -> Iterator[str]:
    """PaddleClas."""
    rng = random.Random(run.seed)

    def log(at: float, text: str) -> str:
        return f"[{_when(run, at):%Y/%m/%d %H:%M:%S}] ppcls INFO: {text}"

    net = rng.choice(("PPLCNet_x1_0", "MobileNetV3_large_x1_0", "SwinTransformer_tiny_patch4_window7_224"))
    yield "A new field (infer_imgs) detected!"
    yield log(0, "")
    yield "==========================================================="
    yield "==        PaddleClas is powered by PaddlePaddle !        =="
    yield "==   For more info please go to the following website.   =="
    yield "==       https://github.com/PaddlePaddle/PaddleClas      =="
    yield "==========================================================="
    yield log(0, "Arch : ")
    yield log(0, f"    class_num : {rng.choice((10, 100, 102, 1000))}")
    yield log(0, f"    name : {net}")
    yield log(0, "Global : ")
    yield log(0, "    device : gpu")
    yield log(0, f"    epochs : {run.epochs}")
    yield log(0, "    output_dir : ./output/")
    yield log(0, f"    print_batch_step : {run.every}")
    yield log(1, "train with paddle 2.4.1 and device Place(gpu:0)")
    if run.resumed is not None:
        yield log(2, f"Finish load checkpoint from ./output/{net}/epoch_{run.resumed // run.per_epoch}")
    best = 0.0
    for event in run.events:
        if isinstance(event, Report):
            yield log(
                event.at,
                f"[Train][Epoch {event.epoch + 1}/{run.epochs}][Iter: {event.batch - 1}/{run.per_epoch}]"
                f"lr(CosineAnnealingDecay): {event.lr:.8f}, top1: {event.score:.5f}, CELoss: {event.loss:.5f}, "
                f"loss: {event.loss:.5f}, batch_cost: {event.took / run.every:.5f}s, "
                f"reader_cost: {event.fetch / run.every:.5f}, ips: {event.rate:.5f} samples/s, "
                f"eta: {_hms(_left(run, event))}",
            )
        elif isinstance(event, Evaluation):
            best = max(best, event.score)
            yield log(
                event.at,
                f"[Eval][Epoch {event.epoch + 1}][Avg]CELoss: {event.loss:.5f}, loss: {event.loss:.5f}, "
                f"top1: {event.score:.5f}",
            )
            yield log(event.at, f"[Eval][Epoch {event.epoch + 1}][best metric: {best:.5f}]")
        else:
            name = f"epoch_{event.epoch + 1}" if event.step % run.per_epoch == 0 else "latest"
            yield log(event.at, f"Already save model in ./output/{net}/{name}")


@voice(VOICES, "mindspore", "loss eval score plan end")
def mindspore(run: Run) -> Iterator[str]:
    """MindSpore on an Ascend: LossMonitor and TimeMonitor."""
    rng = random.Random(run.seed)
    pid = rng.randint(900, 99999)
    stamp = _when(run, 1)
    yield (
        "[WARNING] "
        f"ME({pid}:281473,MainProcess):{stamp:%Y-%m-%d-%H:%M:%S}.{rng.randint(100, 999)}.{rng.randint(100, 999)} "
        "[mindspore/run_check/_check_version.py:305] MindSpore version 2.2.0 and Ascend AI software package "
        "(Ascend Data Center Solution)version 7.0 does not match"
    )
    yield "please check the version!"
    device = rng.randint(0, 7)
    yield f"device_target: Ascend, device_id: {device}, mode: GRAPH_MODE(0)"
    yield f"epoch_size: {run.epochs}, batch_size: {run.batch}, dataset_size: {run.per_epoch}"
    yield f"total params: {run.weights}"
    yield "============== Starting Training =============="
    spent: list[float] = []
    for event in run.events:
        if isinstance(event, Report):
            spent.append(event.took)
            yield f"epoch: {event.epoch + 1} step: {event.batch}, loss is {event.loss:.8g}"
        elif isinstance(event, Evaluation):
            total = 1000 * sum(spent)
            yield f"Train epoch time: {total:.3f} ms, per step time: {total / run.per_epoch:.3f} ms"
            yield f"Eval result: {{'Accuracy': {event.score!r}, 'Loss': {event.loss!r}}}, epoch {event.epoch + 1}"
            spent.clear()
    if run.finished:
        yield "============== End Training =============="


@voice(VOICES, "estimator", "loss eval score plan end resume")
def estimator(run: Run) -> Iterator[str]:
    """A TensorFlow 1 estimator with train_and_evaluate, still alive in a bank."""
    rng = random.Random(run.seed)
    where = f"/data/models/churn_v{rng.randint(2, 60)}"

    def log(text: str) -> str:
        return f"INFO:tensorflow:{text}"

    yield "WARNING:tensorflow:From train.py:88: The name tf.estimator.train_and_evaluate is deprecated."
    yield log(
        f"Using config: {{'_model_dir': '{where}', '_tf_random_seed': {run.seed}, '_save_summary_steps': 100, "
        f"'_save_checkpoints_steps': {run.per_epoch}, '_keep_checkpoint_max': 5, '_log_step_count_steps': {run.every}, "
        "'_task_type': 'worker', '_task_id': 0, '_is_chief': True, '_num_worker_replicas': 1}"
    )
    yield log("Not using Distribute Coordinator.")
    yield log("Running training and evaluation locally (non-distributed).")
    yield log(f"TrainSpec(max_steps={run.steps}), EvalSpec(steps=None, throttle_secs=0)")
    yield log("Calling model_fn.")
    yield log("Done calling model_fn.")
    yield log("Create CheckpointSaverHook.")
    yield log("Graph was finalized.")
    if run.resumed is not None:
        yield log(f"Restoring parameters from {where}/model.ckpt-{run.resumed}")
    yield log("Running local_init_op.")
    yield log("Done running local_init_op.")
    if run.resumed is None:
        yield log(f"Saving checkpoints for 0 into {where}/model.ckpt.")
    first, last = True, math.nan
    for event in run.events:
        if isinstance(event, Report):
            last = event.loss
            if not first:
                yield log(f"global_step/sec: {run.every / event.took:.6g}")
            yield log(f"loss = {event.loss:.8g}, step = {event.step}" + ("" if first else f" ({event.took:.3f} sec)"))
            first = False
        elif isinstance(event, Evaluation):
            yield log(f"Starting evaluation at {_when(run, event.at - event.took):%Y-%m-%dT%H:%M:%SZ}")
            yield log("Graph was finalized.")
            yield log(f"Finished evaluation at {_when(run, event.at):%Y-%m-%d-%H:%M:%S}")
            yield log(
                f"Saving dict for global step {event.step}: accuracy = {event.score:.7g}, global_step = {event.step}, "
                f"loss = {event.loss:.7g}"
            )
        else:
            yield log(f"Saving checkpoints for {event.step} into {where}/model.ckpt.")
    if run.finished:
        yield log(f"Loss for final step: {last:.8g}.")


@voice(VOICES, "espnet", "loss eval score clock fetch plan lr norm end resume")
def espnet(run: Run) -> Iterator[str]:
    """ESPnet 2, speech recognition with CTC and attention."""
    rng = random.Random(run.seed)
    host = f"[{rng.choice(('clsp', 'gpu', 'node'))}{rng.randint(1, 40):02}]"
    work = "exp/asr_train_conformer_raw_bpe5000_sp"

    def log(at: float, line: int, text: str, what: str = "trainer") -> str:
        return f"{host} {_milli(run, at)} ({what}:{line}) INFO: {text}"

    yield (
        "# python3 -m espnet2.bin.asr_train --use_preprocessor true --ngpu 1 --output_dir "
        f"{work} --max_epoch {run.epochs}"
    )
    yield f"# Started at {_when(run, 0):%a %b %d %H:%M:%S} UTC {run.begin.year}"
    yield "#"
    yield log(0.2, 213, "Vocabulary size: 5000", "asr")
    yield log(1, 1207, "Model structure:", "abs_task")
    yield "ESPnetASRModel("
    yield "  (encoder): ConformerEncoder(...)"
    yield ")"
    yield ""
    yield "Model summary:"
    yield "    Class Name: ESPnetASRModel"
    yield f"    Total Number of model parameters: {run.weights / 1e6:.2f} M"
    yield f"    Number of trainable parameters: {run.weights / 1e6:.2f} M (100.0%)"
    if run.resumed is not None:
        yield log(2.5, 172, f"The training was resumed using {work}/checkpoint.pth")
    epoch = -1
    seen: list[Report] = []
    for event in run.events:
        if isinstance(event, Report):
            if event.epoch != epoch:
                epoch = event.epoch
                start = max(3.0, event.at - event.took)
                note = ""
                if seen or epoch > (run.resumed or 0) // run.per_epoch:
                    share = (epoch * run.per_epoch - (run.resumed or 0)) / (run.steps - (run.resumed or 0))
                    rest = (start / share - start) / 60 if share else 0
                    note = f". Estimated time to finish: {rest:.0f} minutes" if share else ""
                yield log(start, 289, f"{epoch + 1}/{run.epochs}epoch started{note}")
            seen.append(event)
            each, wait = event.took / run.every, event.fetch / run.every
            first = max(1, event.batch - run.every + 1)
            yield log(
                event.at,
                737,
                f"{event.epoch + 1}epoch:train:{first}-{event.batch}batch: iter_time={wait:.3g}, "
                f"forward_time={(each - wait) * 0.36:.3f}, loss_ctc={event.loss * 1.2:.3f}, "
                f"loss_att={event.loss * 0.9143:.3f}, acc={event.score:.3f}, loss={event.loss:.3f}, "
                f"backward_time={(each - wait) * 0.52:.3f}, grad_norm={event.norm:.3f}, clip=100.000, "
                "loss_scale=1.000, "
                f"optim_step_time={(each - wait) * 0.1:.3f}, optim0_lr0={event.lr:.3e}, train_time={each:.3f}",
            )
        elif isinstance(event, Evaluation):
            spent, wait = sum(r.took for r in seen), sum(r.fetch for r in seen)
            yield log(
                event.at,
                343,
                f"{event.epoch + 1}epoch results: [train] iter_time={wait / run.per_epoch:.3g}, "
                f"acc={_mean([r.score for r in seen]):.3f}, loss={_mean([r.loss for r in seen]):.3f}, "
                f"train_time={spent / run.per_epoch:.3f}, time={int(spent) // 60} minutes and "
                f"{spent % 60:.2f} seconds, "
                f"total_count={event.step}, gpu_max_cached_mem_GB=9.742, [valid] loss_ctc={event.loss * 1.2:.3f}, "
                f"loss_att={event.loss * 0.9143:.3f}, cer_ctc={1 - event.score:.3f}, "
                f"acc={event.score:.3f}, loss={event.loss:.3f}, "
                f"time={event.took:.2f} seconds, total_count={event.step // 5}, gpu_max_cached_mem_GB=9.742",
            )
            seen.clear()
            if event.best:
                yield log(event.at, 391, "The best model has been updated: valid.acc")
            else:
                yield log(event.at, 386, "There are no improvements in this epoch")
    if run.finished:
        at = run.events[-1].at
        yield log(at, 458, f"The training was finished at {run.epochs} epochs ")
        yield log(
            at + 0.3,
            69,
            f'Averaging 10best models: criterion="valid.acc": {work}/valid.acc.ave_10best.pth',
            "average_nbest_models",
        )
        yield f"# Accounting: time={at + 6:.0f} threads=1"
        yield (
            f"# Ended (code 0) at {_when(run, at + 6):%a %b %d %H:%M:%S} UTC {run.begin.year}, "
            f"elapsed time {at + 6:.0f} seconds"
        )


@voice(VOICES, "spacy", "loss score end")
def spacy(run: Run) -> Iterator[str]:
    """``spacy train``: named entities."""
    rng = random.Random(run.seed)
    out = rng.choice(("training/ner_legal", "models/drugs", "./output"))
    yield f"ℹ Saving to output directory: {out}"
    yield "ℹ Using GPU: 0"
    yield ""
    yield "=========================== Initializing pipeline ==========================="
    yield "✔ Initialized pipeline"
    yield ""
    yield "============================= Training pipeline ============================="
    yield "ℹ Pipeline: ['transformer', 'ner']"
    yield "ℹ Initial learn rate: 0.0"
    yield "E    #       LOSS TRANS...  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE "
    yield "---  ------  -------------  --------  ------  ------  ------  ------"
    for report in run.reports:
        s = report.score
        yield (
            f"{report.epoch:>3}  {report.step:>6}  {report.loss * 61.7:>13.2f}  {report.loss * 100:>8.2f}  "
            f"{100 * s:>6.2f}  {98 * s:>6.2f}  {100 * min(1.0, s * 1.02) if s == s else s:>6.2f}  {s:>6.2f}"
        )
    if run.finished:
        yield "✔ Saved pipeline to output directory"
        yield f"{out}/model-last"


@voice(VOICES, "maxtext", "loss eval plan resume")
def maxtext(run: Run) -> Iterator[str]:
    """MaxText on a slice of TPUs; it counts steps from 0."""
    rng = random.Random(run.seed)
    tokens = run.batch * 2048
    name = rng.choice(("v5e-sweep", "llama-ablate", "gemma-replica")) + f"-{rng.randint(1, 99)}"
    yield "Updating keys from env and command line: ['run_name', 'base_output_directory', 'steps', 'dataset_path']"
    yield "Running Model: default"
    yield "System Information: Jax Version: 0.4.35"
    yield "System Information: Jaxlib Version: 0.4.34"
    yield "System Information: Jax Backend: PJRT C API"
    yield f"Config param base_emb_dim: {rng.choice((1024, 2048, 4096))}"
    yield f"Config param base_output_directory: gs://{rng.choice(('kd', 'lang', 'pre'))}-runs-euw4"
    yield f"Config param checkpoint_period: {run.per_epoch}"
    yield f"Config param eval_interval: {run.per_epoch}"
    yield "Config param learning_rate: 3e-05"
    yield f"Config param log_period: {run.every}"
    yield "Config param max_target_length: 2048"
    yield f"Config param per_device_batch_size: {run.batch / 8}"
    yield f"Config param run_name: {name}"
    yield f"Config param steps: {run.steps}"
    yield "Num_devices: 8, shape (1, 1, 8, 1, 1, 1, 1, 1)"
    yield "Setting up checkpoint logger..."
    yield "Creating checkpoint manager..."
    yield "Checkpoint manager created!"
    yield "checkpoint manager exists so trying to load this run's existing checkpoint"
    if run.resumed is not None:
        yield f"restoring from this run's directory latest step {run.resumed - 1}"
    else:
        yield "No existing checkpoints found, not restoring checkpoint."
    yield f"number parameters: {run.weights / 1e9:.3f} billion"
    flops = 6 * run.weights * tokens / 8 / 1e12
    yield "Per train step:"
    yield f" Total TFLOPs: {flops:.2f} "
    yield " split as 94.54% learnable weight flops and 5.46% attention flops"
    for event in run.events:
        if isinstance(event, Report):
            each = event.took / run.every
            yield (
                f"completed step: {event.step - 1}, seconds: {each:.3f}, TFLOP/s/device: {flops / each:.3f}, "
                f"Tokens/s/device: {tokens / 8 / each:.3f}, total_weights: {tokens}, loss: {event.loss:.3f}"
            )
        elif isinstance(event, Evaluation):
            yield f"average loss after step={event.step - 1}: eval_loss={event.loss}, total_weights={tokens * 4}.0"
        else:
            yield f"saved a checkpoint at step {event.step - 1}"


@voice(VOICES, "splats", "loss eval clock plan end")
def splats(run: Run) -> Iterator[str]:
    """3D Gaussian splatting; the bar of tqdm, line by line, and a clock at the line's end."""
    rng = random.Random(run.seed)

    def clocked(at: float, text: str) -> str:
        return f"{text} [{_when(run, at):%d/%m %H:%M:%S}]"

    scene = rng.choice(("garden", "church_nave", "kitchen_scan", "dig_site_trench4"))
    out = f"./output/{rng.getrandbits(40):010x}-{rng.randrange(10)}"
    yield clocked(0, f"Optimizing {out}")
    yield clocked(0, f"Output folder: {out}")
    yield clocked(0.2, "Tensorboard not available: not logging progress")
    yield clocked(0.2, f"Found transforms_train.json file, assuming Blender data set! ({scene})")
    yield clocked(0.5, "Reading Training Transforms")
    yield clocked(2, "Loading Training Cameras")
    yield clocked(3, "Loading Test Cameras")
    yield clocked(3.2, f"Number of points at initialisation :  {rng.randint(9000, 180000)}")
    for event in run.events:
        if isinstance(event, Report):
            share = event.step / run.steps
            bar = "█" * int(10 * share)
            bar += "" if len(bar) == 10 else " ▏▎▍▌▋▊▉"[int(80 * share) % 8].strip()
            speed = run.every / event.took
            pace = f"{speed:.2f}it/s" if speed >= 1 else f"{1 / speed:.2f}s/it"
            yield (
                f"Training progress: {100 * share:3.0f}%|{bar:<10}| {event.step}/{run.steps} "
                f"[{_mmss(event.at)}<{_mmss(_left(run, event))}, {pace}, Loss={event.loss:.7f}]"
            )
        elif isinstance(event, Evaluation):
            psnr = 10 + 25 * event.score
            yield ""
            yield clocked(event.at, f"[ITER {event.step}] Evaluating test: L1 {event.loss} PSNR {psnr}")
        else:
            yield ""
            yield clocked(event.at - event.took, f"[ITER {event.step}] Saving Gaussians")
    if run.finished:
        yield ""
        yield clocked(run.events[-1].at, "Training complete.")


@voice(VOICES, "flax", "loss eval score clock save plan lr norm resume")
def flax(run: Run) -> Iterator[str]:
    """A Flax example with CLU's writers and absl's prefix."""
    rng = random.Random(run.seed)
    pid = rng.randint(100_000, 4_000_000)
    where = f"/mnt/nfs/{rng.choice(('wmt', 'vit_s16', 'pixel_lm'))}/{rng.randint(1, 20)}"

    def log(at: float, source: str, text: str) -> str:
        now = _when(run, at)
        return f"I{now:%m%d %H:%M:%S.%f} {pid} {source}] {text}"

    yield log(0, "xla_bridge.py:889", "Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so")
    yield log(0.4, "main.py:51", "JAX process: 0 / 1")
    yield log(0.4, "main.py:52", "JAX local devices: [CudaDevice(id=0), CudaDevice(id=1)]")
    yield log(0.5, "local.py:45", "Setting task status: process_index: 0, process_count: 1")
    yield log(0.5, "local.py:50", f"Created artifact workdir of type ArtifactType.DIRECTORY and value {where}.")
    yield log(1, "dataset_info.py:617", "Load dataset info from /root/tensorflow_datasets/imagenet2012/5.1.0")
    yield log(2, "train.py:318", "Initializing model, optimizer, and step functions.")
    yield log(2.8, "parameter_overview.py:264", f"Total: {run.weights:,}")
    if run.resumed is not None:
        yield log(3, "checkpoints.py:1062", f"Restoring legacy Flax checkpoint from {where}/checkpoint_{run.resumed}")
    yield log(3.5, "train.py:355", "Initial compilation, this might take some minutes...")
    paused = 0.0
    for event in run.events:
        if isinstance(event, Report):
            yield log(
                event.at,
                "local.py:41",
                f"Setting work unit notes: {run.every / event.took:.1f} steps/s, {100 * event.step / run.steps:.1f}% "
                f"({event.step}/{run.steps}), ETA: {_left(run, event) / 60:.0f}m ({event.at / 60:.0f}m : "
                f"{100 * paused / event.at:.1f}% checkpoint)",
            )
            yield log(
                event.at,
                "logging_writer.py:48",
                f"[{event.step}] grad_norm={event.norm:.6g}, steps_per_second={run.every / event.took:.6g}, "
                f"train_accuracy={event.score:.6g}, train_learning_rate={event.lr:.6g}, train_loss={event.loss:.6g}",
            )
        elif isinstance(event, Evaluation):
            yield log(
                event.at,
                "train.py:391",
                f"eval epoch: {event.epoch}, loss: {event.loss:.4f}, accuracy: {100 * event.score:.2f}",
            )
            yield log(
                event.at,
                "logging_writer.py:48",
                f"[{event.step}] eval_accuracy={event.score:.6g}, eval_loss={event.loss:.6g}",
            )
        else:
            paused += event.took
            yield log(event.at - event.took, "checkpoints.py:659", f"Saving checkpoint at step: {event.step}")
            yield log(event.at, "checkpoints.py:432", f"Saved checkpoint at {where}/checkpoint_{event.step}")


@voice(VOICES, "wav2letter", "loss eval score clock fetch plan lr end")
def wav2letter(run: Run) -> Iterator[str]:
    """wav2letter++ with its long lines of fields."""
    rng = random.Random(run.seed)
    pid = rng.randint(300, 99999)

    def log(at: float, line: int, text: str) -> str:
        return f"I{_when(run, at):%m%d %H:%M:%S.%f} {pid:>5} Train.cpp:{line}] {text}"

    name = f"swahili_{rng.randint(1, 9)}"
    yield log(0, 141, "Gflags after parsing ")
    yield (
        f"--flagsfile=train.cfg; --am=; --arch=network.arch; --batchsize={run.batch}; "
        "--criterion=ctc; --datadir=/w2l/data;"
    )
    rate = run.reports[0].lr if run.reports else 0.4
    yield f"--iter={run.steps}; --lr={rate:.2g}; --reportiters={run.every}; --rundir=/w2l/saved; --runname={name};"
    yield log(0, 142, f"Experiment path: /w2l/saved/{name}")
    yield log(0, 143, "Experiment runidx: 1")
    yield log(0.1, 189, "Number of classes (network): 9998")
    yield log(0.2, 216, "[Network] WeightNorm (Conv2D (80->400, 13x1, 1,1, SAME,0, 1, 1) (with bias), 3)")
    yield log(0.2, 217, f"[Network Params: {run.weights}]")
    yield log(1, 219, "[Criterion] ConnectionistTemporalClassificationCriterion")
    yield log(2.5, 268, "Shuffling trainset")
    yield log(2.6, 277, "Epoch 1 started!")
    held: Report | None = None

    def line(event: Report, at: float, evaluation: Evaluation | None = None) -> str:
        each, wait = 1000 * event.took / run.every, 1000 * event.fetch / run.every
        work = each - wait
        dev = ""
        if evaluation is not None:
            dev = (
                f" | lists/dev.lst-loss: {evaluation.loss:>10.5f} | lists/dev.lst-TER: "
                f"{100 * (1 - evaluation.score):>5.2f}"
            )
        return log(
            at,
            566,
            f"epoch: {event.epoch + 1:>8} | nupdates: {event.step:>12} | lr: {event.lr:.6f} | lrcriterion: 0.000000 | "
            f"runtime: {_hhmmss(event.took)} | bch(ms): {each:.2f} | smp(ms): {wait:.2f} | "
            f"fwd(ms): {work * 0.35:.2f} | "
            f"crit-fwd(ms): {work * 0.02:.2f} | bwd(ms): {work * 0.55:.2f} | optim(ms): {work * 0.05:.2f} | "
            f"loss: {event.loss:>10.5f} | train-TER: {100 * (1 - event.score):>5.2f}{dev} | "
            "avg-isz: 1228 | avg-tsz: 061 | "
            f"hrs: {run.every * run.batch * 12.3 / 3600:>7.2f} | thrpt(sec/sec): {event.rate * 12.3:.2f}",
        )

    for event, after in pairwise((*run.events, None)):
        if isinstance(event, Report):
            if isinstance(after, Evaluation) and after.step == event.step:
                held = event
            else:
                yield line(event, event.at)
        elif isinstance(event, Evaluation) and held is not None:
            yield line(held, event.at, event)
            held = None
            if event.epoch + 1 < run.epochs and after is not None:
                yield log(event.at, 268, "Shuffling trainset")
                yield log(event.at, 277, f"Epoch {event.epoch + 2} started!")
    if run.finished:
        yield log(run.events[-1].at, 745, "Finished training")


@voice(VOICES, "darknet", "loss fetch lr plan end")
def darknet(run: Run) -> Iterator[str]:
    """Darknet (YOLO in C): two lines an iteration, of which a script keeps some."""
    rng = random.Random(run.seed)

    def c(value: float, digits: int = 6) -> str:
        return _num(value, f".{digits}f", "-nan", "inf")

    name = rng.choice(("yolov3-tiny-drone", "yolov4-obj", "ants"))
    yield f"+ ./darknet detector train cfg/{name}.data cfg/{name}.cfg darknet53.conv.74 -dont_show -map"
    yield name
    yield "layer     filters    size              input                output"
    yield "    0 conv     16  3 x 3 / 1   416 x 416 x   3   ->   416 x 416 x  16  0.150 BFLOPs"
    yield "    1 max          2 x 2 / 2   416 x 416 x  16   ->   208 x 208 x  16"
    yield "    2 conv     32  3 x 3 / 1   208 x 208 x  16   ->   208 x 208 x  32  0.399 BFLOPs"
    yield "   .."
    yield "   23 yolo"
    yield "Loading weights from darknet53.conv.74...Done!"
    yield f"max_batches = {run.steps}, batch = {run.batch}, subdivisions = 4"
    yield "Learning Rate: 0.001, Momentum: 0.9, Decay: 0.0005"
    yield "Resizing"
    yield str(rng.choice((320, 416, 512, 608)))
    average: float | None = None
    for event in run.events:
        if isinstance(event, Report):
            average = event.loss if average is None else 0.9 * average + 0.1 * event.loss
            each, wait = event.took / run.every, event.fetch / run.every
            yield f"Loaded: {wait:.6f} seconds"
            iou = rng.uniform(0.2, 0.8)
            yield (
                f"Region 23 Avg IOU: {iou:.6f}, Class: {rng.uniform(0.5, 1):.6f}, Obj: {rng.uniform(0.1, 0.9):.6f}, "
                f"No Obj: {rng.uniform(0.001, 0.02):.6f}, .5R: {iou:.6f}, .75R: {iou / 3:.6f},  count: "
                f"{rng.randint(3, 60)}"
            )
            yield (
                f"{event.step}: {c(event.loss)}, {c(average)} avg, {event.lr:.6f} rate, {each - wait:.6f} seconds, "
                f"{event.step * run.batch} images"
            )
        elif isinstance(event, Save):
            final = event.step == run.steps
            yield f"Saving weights to backup/{name}_{'final' if final else event.step}.weights"
    if run.finished:
        yield "If you want to train from the beginning, then use flag in the end of training command: -clear "


# Programs that speak other languages


@voice(VOICES, "german_engineer", "loss eval clock fetch plan end resume")
def german_engineer(run: Run) -> Iterator[str]:
    """A test engineer of a maker of pumps, in C#, with the decimal comma of his Windows."""
    rng = random.Random(run.seed)
    plant = rng.choice(("Kreiselpumpe KP-40", "Verdichter 7b", "Presse Halle 3"))
    yield f"Verschleißvorhersage {plant}   Version 0.{rng.randint(3, 9)}.{rng.randint(0, 20)} (M. Ostertag)"
    yield rf"Eingabe: D:\Messdaten\{run.begin.year}\schwingung_{rng.randint(10, 99)}.mdf"
    yield f"{run.per_epoch * run.batch} Fenster zu je 1024 Abtastwerten, {run.batch} je Stapel, {_small(run)} Gewichte"
    yield f"Geplant: {run.epochs} Durchläufe mit {run.per_epoch} Stapeln"
    if run.resumed is not None:
        done = run.resumed // run.per_epoch
        yield f"Stand aus netz_{done:03}.bin geladen, es geht nach Durchlauf {done} weiter (Stapel {run.resumed})"
    yield ""
    for event in run.events:
        now = f"{_when(run, event.at):%d.%m.%Y %H:%M:%S}"
        if isinstance(event, Report):
            share = 100 * event.fetch / event.took
            yield (
                f"{now}  Durchlauf {event.epoch + 1:>2} von {run.epochs}, Stapel {event.batch:>4}: mittl. Fehler "
                f"{_comma(event.loss, '.5f', 'n. def.')}   (davon Warten auf Platte {_comma(share, '.0f')} % von "
                f"{_comma(event.took, '.2f')} s)"
            )
        elif isinstance(event, Evaluation):
            note = ", bisher bester" if event.best else ""
            yield f"{now}  Prüfstandsdaten: Fehler {_comma(event.loss, '.5f', 'n. def.')}{note}"
        else:
            yield f"{now}  geschrieben: netz_{event.epoch + 1:03}.bin"
    if run.finished:
        yield ""
        yield f"Alle {run.epochs} Durchläufe gerechnet. Gesamtdauer {_hhmmss(run.events[-1].at)}. Auf Wiedersehen."


@voice(VOICES, "french_student", "loss eval score save plan lr end resume")
def french_student(run: Run) -> Iterator[str]:
    """A doctoral student of musicology, PyTorch in a lycée's French."""
    rng = random.Random(run.seed)
    yield "*** Reconnaissance de neumes — thèse, chap. 4 ***"
    yield f"graine aléatoire : {run.seed}"
    yield f"manuscrits : {rng.randint(3, 19)} | vignettes d'entraînement : {run.per_epoch * run.batch}"
    yield f"modèle : CRNN, {_small(run)} paramètres ; carte : cuda:0"
    if run.resumed is not None:
        yield f"Reprise à partir de sauvegardes/neumes_it{run.resumed}.pt : {run.resumed} itérations déjà faites"
    epoch = -1
    for event in run.events:
        if isinstance(event, Report):
            if event.epoch != epoch:
                epoch = event.epoch
                yield f"--- Époque {epoch + 1} sur {run.epochs} " + "-" * 30
            yield (
                f"  it. {event.step:<6} perte = {event.loss:.4f} ; justesse = {100 * event.score:.1f} % ; "
                f"pas d'apprentissage = {event.lr:.1e} ; durée = {event.took:.1f} s"
            )
        elif isinstance(event, Evaluation):
            star = " ★" if event.best else ""
            yield f"  → validation : perte = {event.loss:.4f} ; justesse = {100 * event.score:.1f} %{star}"
        else:
            yield f"  (sauvegarde de neumes_it{event.step}.pt : {event.took:.1f} s)"
    if run.finished:
        yield "Entraînement terminé."
        yield "Pensez à recopier les poids sur le disque du labo !"


@voice(VOICES, "spanish_vet", "loss score clock save end")
def spanish_vet(run: Run) -> Iterator[str]:
    """A veterinarian in Murcia: a blockwise report for each stretch."""
    rng = random.Random(run.seed)
    yield f"Clasificador de cojeras v{rng.randint(1, 5)}"
    yield f"Granjas: {rng.randint(4, 30)}   Vacas: {rng.randint(90, 2100)}   Vídeos: {run.per_epoch * run.batch}"
    yield f"Semilla {run.seed}. Usando GPU: NVIDIA GeForce GTX 1080 Ti"
    yield f"Comienza: {run.begin:%d/%m/%Y %H:%M:%S}"
    for event in run.events:
        if isinstance(event, Report):
            spent = int(event.at)
            yield ""
            yield f"Vídeos vistos hasta ahora ......: {event.step * run.batch}"
            yield f"   error (entropía) ............: {event.loss:.6f}"
            yield f"   aciertos ....................: {100 * event.score:.2f}%"
            yield f"   tiempo transcurrido .........: {spent // 3600}h {spent // 60 % 60}min {spent % 60}s"
        elif isinstance(event, Evaluation):
            yield f"   aciertos en granja apartada .: {100 * event.score:.2f}%"
        else:
            yield f"   modelo guardado en cojeras_{event.step}.h5 (tardó {event.took:.2f}s)"
    if run.finished:
        yield ""
        yield f"FIN. Se han visto {run.steps * run.batch} vídeos. Duración total: {run.events[-1].at / 60:.1f} min."


@voice(VOICES, "brazilian_startup", "loss eval score fetch plan end resume lr")
def brazilian_startup(run: Run) -> Iterator[str]:
    """A young man of a startup in Recife, with emojis."""
    rng = random.Random(run.seed)
    yield "🚀 Iniciando treinamento!"
    yield f"📦 Dados: {run.per_epoch * run.batch} boletos rotulados"
    yield f"🧠 Modelo: {rng.choice(('donut-mini', 'boletonet', 'layout-br'))} ({_small(run) / 1e6:.1f}M parâmetros)"
    yield f"⚙️  {run.epochs} épocas × {run.per_epoch} lotes de {run.batch}"
    if run.resumed is not None:
        yield f"♻️  Retomando do lote {run.resumed} (ckpt/ultimo_{run.resumed}.pt)"
    for event in run.events:
        if isinstance(event, Report):
            full = 12 * event.batch // run.per_epoch
            bar = "▓" * full + "░" * (12 - full)
            yield (
                f"🔥 época {event.epoch + 1:>2}/{run.epochs} {bar} {100 * event.batch / run.per_epoch:3.0f}% · "
                f"perda {event.loss:.4f} · lr {event.lr:.2e} · ⏱ {event.took:.2f}s "
                f"(📥 esperando dados: {event.fetch:.2f}s)"
            )
        elif isinstance(event, Evaluation):
            icon = "🏆" if event.best else "📊"
            yield (
                f"{icon} validação da época {event.epoch + 1}: perda {event.loss:.4f} | acurácia "
                f"{100 * event.score:.2f}%"
            )
        else:
            yield f"💾 ckpt/ultimo_{event.step}.pt"
    if run.finished:
        yield "🎉 Treinamento concluído! Bora pro deploy"


@voice(VOICES, "italian_prose", "loss eval plan end")
def italian_prose(run: Run) -> Iterator[str]:
    """A professor of Latin in Pisa whose program speaks in sentences."""
    rng = random.Random(run.seed)
    author = rng.choice(("Cicerone", "Tacito", "Seneca", "Plinio il Giovane"))
    yield "Buongiorno."
    yield f"Leggo i testi di {author}: ho trovato {run.per_epoch * run.batch} frasi da imparare."
    yield f"Le rileggerò {run.epochs} volte, a gruppi di {run.batch}. La rete ha {_small(run)} pesi."
    yield "Comincio."
    for event in run.events:
        if isinstance(event, Report):
            share = 100 * event.step / run.steps
            yield (
                f"Lettura n. {event.epoch + 1}: dopo {event.batch * run.batch} frasi la sorpresa media per parola è "
                f"{_comma(event.loss, '.3f', 'nan', 'inf')} nat (siamo al {_comma(share, '.1f')}% del lavoro)."
            )
        elif isinstance(event, Evaluation):
            what = "mai stata così bassa" if event.best else "già vista più bassa"
            what = what if math.isfinite(event.loss) else "mah"
            yield (
                f"Ho finito la lettura n. {event.epoch + 1}. Sulle frasi che non conosco la sorpresa è "
                f"{_comma(event.loss, '.3f', 'nan', 'inf')} ({what})."
            )
    if run.finished:
        yield (
            f"Ho letto tutto {run.epochs} volte. Salvo il modello nel file "
            f"{author.split()[0].lower()}.bin e mi fermo. Arrivederci."
        )


@voice(VOICES, "polish_table", "loss eval score save plan end")
def polish_table(run: Run) -> Iterator[str]:
    """A programmer of a mill in Łódź: a table with bars, its head again from time to time."""
    rng = random.Random(run.seed)
    yield f"Program WADY-TKANIN, wersja z {rng.randint(1, 28)}.0{rng.randint(1, 9)}.2025"
    yield f"Wczytano zdjęcia: {run.per_epoch * run.batch} (kategorii: {rng.randint(4, 12)})"
    yield f"Liczba epok: {run.epochs}; paczek w epoce: {run.per_epoch}; rozmiar paczki: {run.batch}"
    yield f"Ziarno losowości: {run.seed}"
    rule = "+-------+---------+--------------+------------+-----------+"
    shown = 0
    for event in run.events:
        if isinstance(event, Report):
            if shown % 20 == 0:
                yield rule
                yield "| epoka |  paczka |        koszt | trafność % |  paczek/s |"
                yield rule
            shown += 1
            speed = run.every / event.took
            yield (
                f"| {event.epoch + 1:>5} | {event.batch:>7} | {event.loss:>12.5f} | {100 * event.score:>10.2f} | "
                f"{speed:>9.2f} |"
            )
        elif isinstance(event, Evaluation):
            text = f"sprawdzian po epoce {event.epoch + 1}: koszt {event.loss:.5f}, trafność {100 * event.score:.2f} %"
            yield f"|{text:^57}|"
        else:
            yield f"|{f'zapisano wagi_{event.step}.npz ({event.took:.2f} s)':^57}|"
    if run.finished:
        yield rule
        yield f"Koniec nauki po {run.epochs} epokach."


@voice(VOICES, "russian_physicist", "loss eval fetch plan norm lr end resume")
def russian_physicist(run: Run) -> Iterator[str]:
    """A physicist in Dubna, C++ with libtorch."""
    rng = random.Random(run.seed)

    def e(value: float) -> str:
        return _num(value, ".4e", "nan", "inf")

    yield f"# Реконструкция треков, сборка {rng.randint(100, 999)} от {rng.randint(1, 28):02}.11.2025"
    yield f"# Файл событий: /eos/nica/sim/auau_{rng.randint(4, 11)}gev.root ({run.per_epoch * run.batch} событий)"
    yield f"# Параметров: {_small(run)}"
    yield f"# Всего итераций: {run.steps} (эпох {run.epochs})"
    if run.resumed is not None:
        yield f"# Продолжаю с итерации {run.resumed}, веса взяты из track_{run.resumed}.pt"
    for event in run.events:
        if isinstance(event, Report):
            yield (
                f"итер. {event.step:>6}: невязка {e(event.loss)}, |град| {e(event.norm)}, шаг {e(event.lr)}, "
                f"чтение {event.fetch:.2f} с, счёт {event.took - event.fetch:.2f} с"
            )
        elif isinstance(event, Evaluation):
            yield f"  контрольная выборка, эпоха {event.epoch + 1}: невязка {e(event.loss)}"
        else:
            yield f"  веса записаны в track_{event.step}.pt"
    if run.finished:
        yield "# Счёт окончен."


@voice(VOICES, "turkish_teacher", "loss score save plan end")
def turkish_teacher(run: Run) -> Iterator[str]:
    """A teacher in Izmir, Keras 2 with a callback of her own; a block an epoch, and the sign before the percentage."""
    rng = random.Random(run.seed)
    yield "El yazısı tanıma projesi - 11/C sınıfı"
    yield f"Eğitim örnekleri: {run.per_epoch * run.batch}, sınıf sayısı: {rng.choice((10, 29, 62))}"
    yield 'Model: "sequential"'
    yield "_________________________________________________________________"
    yield " Layer (type)                Output Shape              Param #   "
    yield "================================================================="
    yield " conv2d (Conv2D)             (None, 26, 26, 32)        320       "
    yield " flatten (Flatten)           (None, 21632)             0         "
    yield f" dense (Dense)               (None, 29)                {_small(run) - 320:<10}"
    yield "================================================================="
    yield f"Total params: {_small(run)}"
    yield "_________________________________________________________________"
    yield f"Toplam tur: {run.epochs}"
    seen: list[Report] = []
    for event in run.events:
        if isinstance(event, Report):
            seen.append(event)
        elif isinstance(event, Evaluation) and seen:
            yield f"Tur {event.epoch + 1} / {run.epochs}"
            yield f"   kayıp (tur ortalaması): {_mean([r.loss for r in seen]):.4f}"
            yield (
                f"   doğruluk: %{100 * _mean([r.score for r in seen]):.1f}   sınama doğruluğu: %{100 * event.score:.1f}"
            )
            yield f"   tur süresi: {sum(r.took for r in seen) + event.took:.1f} sn"
            seen.clear()
        elif isinstance(event, Save):
            yield f"   Model kaydedildi: tur{event.epoch + 1}_adim{event.step}.keras (süre: {event.took:.2f} sn)"
    if run.finished:
        yield "Eğitim bitti. Elinize sağlık çocuklar :)"


@voice(VOICES, "chinese_factory", "loss eval score clock fetch plan lr end")
def chinese_factory(run: Run) -> Iterator[str]:
    """An engineer in Shenzhen: brackets, full-width punctuation."""
    rng = random.Random(run.seed)
    yield f"【信息】项目：手机玻璃划痕检测  线体{rng.randint(1, 12)}号"
    yield f"【信息】训练集图片数：{run.per_epoch * run.batch}，批大小：{run.batch}，总轮数：{run.epochs}"
    yield f"【信息】模型参数量：{_small(run) / 1e6:.2f}M"
    yield f"【信息】显卡：NVIDIA GeForce RTX 4090，驱动 550.{rng.randint(50, 120)}"
    yield "【警告】libpng warning: iCCP: known incorrect sRGB profile"
    for event in run.events:
        now = f"{_when(run, event.at):%m月%d日 %H:%M:%S}"
        if isinstance(event, Report):
            yield (
                f"【{now}】第{event.epoch + 1}轮 第{event.batch}批（共{run.per_epoch}批）损失：{event.loss:.4f}，"
                f"准确率：{100 * event.score:.2f}%，学习率：{event.lr:.6f}，取数耗时：{event.fetch:.2f}秒，"
                f"总耗时：{event.took:.2f}秒"
            )
        elif isinstance(event, Evaluation):
            best = "，目前最好" if event.best else ""
            yield f"【{now}】第{event.epoch + 1}轮验证：损失 {event.loss:.4f}，准确率 {100 * event.score:.2f}%{best}"
        else:
            yield f"【{now}】权重已保存：weights/epoch{event.epoch + 1}.pth"
    if run.finished:
        yield f"【{_when(run, run.events[-1].at):%m月%d日 %H:%M:%S}】全部{run.epochs}轮训练完毕，请将权重上传至MES系统"


@voice(VOICES, "japanese_seismologist", "loss eval clock save plan end resume")
def japanese_seismologist(run: Run) -> Iterator[str]:
    """A seismologist in Sendai: times around each save, minutes and seconds in characters."""
    rng = random.Random(run.seed)

    def log(at: float, text: str) -> str:
        return f"{_when(run, at):%Y/%m/%d %H:%M:%S} {text}"

    yield log(0, "[開始] P波到達時刻推定プログラム ver.2.3")
    yield log(0.4, f"[設定] 観測点数={rng.randint(20, 800)} 波形数={run.per_epoch * run.batch} バッチ={run.batch}")
    yield log(0.4, f"[設定] 学習回数={run.epochs}エポック({run.per_epoch}反復/エポック) 乱数の種={run.seed}")
    yield log(1.1, f"[設定] 重みの数={_small(run)}")
    if run.resumed is not None:
        yield log(2, f"[再開] model/p_{run.resumed:07}.npz を読み込み、{run.resumed}反復目の続きから学習します")
    for event in run.events:
        if isinstance(event, Report):
            spent = int(event.at)
            yield log(
                event.at,
                f"[学習] エポック{event.epoch + 1} 反復{event.step:>7} 損失={event.loss:.5f} "
                f"(経過 {spent // 60}分{spent % 60:02}秒)",
            )
        elif isinstance(event, Evaluation):
            yield log(
                event.at, f"[検証] エポック{event.epoch + 1} 損失={event.loss:.5f}" + (" ◎" if event.best else "")
            )
        else:
            yield log(event.at - event.took, f"[保存] 書き込み開始 model/p_{event.step:07}.npz")
            yield log(event.at, f"[保存] 書き込み完了 ({event.took:.1f}秒)")
    if run.finished:
        yield log(run.events[-1].at, "[終了] 学習が完了しました。お疲れさまでした。")


@voice(VOICES, "korean_tree", "loss eval score clock fetch plan resume end")
def korean_tree(run: Run) -> Iterator[str]:
    """A game company in Pangyo; each report a small tree."""
    rng = random.Random(run.seed)
    yield f"▶ 캐릭터 음성 합성 학습 (담당: {rng.choice(('박서연', '이도윤', '최지우'))})"
    yield f"▶ 총 {run.epochs} 에폭, 에폭당 {run.per_epoch} 스텝, 배치 {run.batch}"
    yield f"▶ 시작 시각 {run.begin:%Y-%m-%d %H:%M:%S}"
    yield f"▶ 학습 문장 {run.per_epoch * run.batch}개 / 파라미터 {_small(run):,}개"
    if run.resumed is not None:
        yield f"▶ 이어서 학습: checkpoints/voice_{run.resumed}.pth 에서 {run.resumed} 스텝 불러옴"
    for event in run.events:
        if isinstance(event, Report):
            yield f"[{event.epoch + 1}/{run.epochs} 에폭 | {event.step}/{run.steps} 스텝]"
            yield f" ├ 손실: {event.loss:.4f}  (mel {event.loss * 0.8:.4f} + dur {event.loss * 0.2:.4f})"
            yield f" ├ 데이터 대기 비율: {100 * event.fetch / event.took:.1f}%"
            yield f" └ 시작 후 {_hhmmss(event.at)}"
        elif isinstance(event, Evaluation):
            yield f"[검증] 손실 {event.loss:.4f}, 정확도 {event.score:.3f}"
        else:
            yield f"[저장] checkpoints/voice_{event.step}.pth"
    if run.finished:
        yield "▶ 학습 종료"


@voice(VOICES, "dutch_water", "loss eval save plan lr resume end")
def dutch_water(run: Run) -> Iterator[str]:
    """A water board: key=value with Dutch keys."""
    rng = random.Random(run.seed)
    place = rng.choice(("Lauwersoog", "Vlissingen", "Den Oever"))
    yield f"peilvoorspeller {place}"
    yield f"niveau=info bericht=gestart metingen={run.per_epoch * run.batch} gewichten={_small(run)} zaad={run.seed}"
    yield f"niveau=info bericht=plan rondes={run.epochs} stappen_per_ronde={run.per_epoch}"
    yield 'niveau=let_op bericht="ontbrekende uren aangevuld" aantal=' + str(rng.randint(2, 400))
    if run.resumed is not None:
        yield f"niveau=info bericht=hervat bestand=model_{run.resumed}.pkl stap={run.resumed}"
    for event in run.events:
        if isinstance(event, Report):
            yield (
                f"niveau=info ronde={event.epoch + 1} stap={event.step} fout={event.loss:.6f} leertempo={event.lr:.3g} "
                f"duur={event.took:.3f}s"
            )
        elif isinstance(event, Evaluation):
            yield (
                f"niveau=info ronde={event.epoch + 1} toetsfout={event.loss:.6f} beste={'ja' if event.best else 'nee'}"
            )
        else:
            yield f"niveau=info bericht=weggeschreven bestand=model_{event.step}.pkl duur={1000 * event.took:.0f}ms"
    if run.finished:
        yield f"niveau=info bericht=klaar rondes={run.epochs}"


@voice(VOICES, "vietnamese_json", "loss eval score clock save plan end")
def vietnamese_json(run: Run) -> Iterator[str]:
    """A start-up in Hanoi that reads identity cards; lines of JSON, keys without the accents."""
    rng = random.Random(run.seed)

    def j(value: float, digits: int = 5) -> str:
        return _num(value, f".{digits}f", "NaN", "Infinity")

    begin = f"{run.begin:%Y-%m-%dT%H:%M:%S}"
    yield (
        f'{{"su_kien": "bat_dau", "luc": "{begin}", "mo_hinh": "vietocr-{rng.choice(("transformer", "seq2seq"))}", '
        f'"tham_so": {_small(run)}, "so_anh": {run.per_epoch * run.batch}, "tong_so_buoc": {run.steps}}}'
    )
    yield f'{{"su_kien": "cau_hinh", "batch": {run.batch}, "so_vong": {run.epochs}, "hat_giong": {run.seed}}}'
    for event in run.events:
        now = f"{_when(run, event.at):%Y-%m-%dT%H:%M:%S}"
        if isinstance(event, Report):
            yield (
                f'{{"su_kien": "huan_luyen", "luc": "{now}", "vong": {event.epoch + 1}, "buoc": {event.step}, '
                f'"mat_mat": {j(event.loss)}, "do_chinh_xac": {j(event.score)}, "anh_moi_giay": {event.rate:.1f}}}'
            )
        elif isinstance(event, Evaluation):
            yield (
                f'{{"su_kien": "kiem_tra", "luc": "{now}", "vong": {event.epoch + 1}, "mat_mat": {j(event.loss)}, '
                f'"do_chinh_xac": {j(event.score)}, "tot_nhat": {str(event.best).lower()}}}'
            )
        else:
            yield (
                f'{{"su_kien": "luu", "luc": "{now}", "tep": "weights/buoc_{event.step}.pth", '
                f'"mat_giay": {event.took:.2f}}}'
            )
    if run.finished:
        yield f'{{"su_kien": "hoan_thanh", "luc": "{_when(run, run.events[-1].at):%Y-%m-%dT%H:%M:%S}"}}'


# Programs by people who are no programmers


@voice(VOICES, "r_ecologist", "loss eval save end")
def r_ecologist(run: Run) -> Iterator[str]:
    """An ecologist with torch for R: print() and system.time()."""
    rng = random.Random(run.seed)

    def n(value: float) -> str:
        return _num(value, ".4f")

    yield ""
    yield 'R version 4.3.2 (2023-10-31) -- "Eye Holes"'
    yield "Platform: x86_64-pc-linux-gnu (64-bit)"
    yield ""
    yield "> library(torch)"
    yield "> library(tidyverse)"
    yield "── Attaching core tidyverse packages ──────────────────────── tidyverse 2.0.0 ──"
    yield "✔ dplyr     1.1.4     ✔ readr     2.1.5"
    yield "✖ dplyr::filter() masks stats::filter()"
    yield f"> set.seed({run.seed})"
    yield f'> plots <- read_csv("plots_{rng.randint(2009, 2023)}.csv")'
    yield f"Rows: {run.per_epoch * run.batch} Columns: {rng.randint(8, 60)}"
    yield '> source("fit_abundance.R")'
    for event in run.events:
        if isinstance(event, Report):
            yield f'[1] "pass {event.epoch + 1} batch {event.batch} neg. log lik. {n(event.loss)}"'
        elif isinstance(event, Evaluation):
            yield f'[1] "held-out plots: {n(event.loss)}"'
        else:
            yield f'[1] "writing fit_{event.step}.rds"'
            yield "   user  system elapsed "
            user = event.took * 0.71
            yield f"{user:>7.3f} {event.took * 0.12:>7.3f} {event.took:>7.3f} "
    if run.finished:
        at = run.events[-1].at
        yield "> "
        yield "> proc.time()"
        yield "    user   system  elapsed "
        yield f"{at * 0.93:>8.3f} {at * 0.04:>8.3f} {at:>8.3f} "


@voice(VOICES, "perl_linguist", "loss eval save plan resume end")
def perl_linguist(run: Run) -> Iterator[str]:
    """A field linguist: characters read, bits a character."""
    rng = random.Random(run.seed)
    tongue = rng.choice(("Kalaallisut", "Ubykh", "Tsez", "Yélî Dnye"))
    length = 64

    def group(value: int) -> str:
        return f"{value:,}".replace(",", "_")

    whole = run.steps * run.batch * length
    yield f"charlm.pl: {tongue}, {rng.randint(40, 300)} distinct characters, texts/ ({rng.randint(3, 80)} files)"
    yield f"charlm.pl: will read {group(whole)} characters in {run.epochs} passes"
    if run.resumed is not None:
        seen = group(run.resumed * run.batch * length)
        yield f"charlm.pl: picking up where state.{run.resumed} left off: {seen} characters were read before"
    for event in run.events:
        if isinstance(event, Report):
            bits, speed = event.loss / math.log(2), event.rate * length
            read = group(event.step * run.batch * length)
            yield f"{read:>15} chars   {_num(bits, '.4f')} bits/char   {speed:.0f} chars/sec"
        elif isinstance(event, Evaluation):
            yield f"{'':>15} unseen text: {_num(event.loss / math.log(2), '.4f')} bits/char"
        else:
            yield f"{'':>15} (state.{event.step} on disk after {event.took:.1f} sec)"
    if run.finished:
        yield f"charlm.pl: {group(whole)} characters read, that was all of them"


@voice(VOICES, "julia_physicist", "loss norm plan score end")
def julia_physicist(run: Run) -> Iterator[str]:
    """A variational Monte Carlo in Julia: @info with its boxes."""
    rng = random.Random(run.seed)
    size = rng.choice((6, 8, 10, 12))
    yield "  Activating project at `~/nqs`"
    yield "┌ Warning: Package CUDA not found in current path, falling back to CPU threads"
    yield f"└ @ NQS ~/nqs/src/NQS.jl:{rng.randint(11, 60)}"
    yield f"[ Info: {size}×{size} Heisenberg, {_small(run)} parameters, {run.batch} walkers, seed {run.seed}"
    yield f"[ Info: {run.steps} sweeps planned"
    for event in run.events:
        if isinstance(event, Report):
            yield f"┌ Info: sweep {event.step}"
            yield f"│   δE = {_num(event.loss, '.6g')}"
            yield f"│   ‖g‖ = {_num(event.norm, '.4g')}"
            yield f"└   overlap = {_num(event.score, '.4f')}"
        elif isinstance(event, Evaluation):
            yield f"[ Info: overlap with exact state on fresh walkers: {_num(event.score, '.4f')}"
        else:
            yield f"[ Info: wrote psi_{event.step}.jld2"
    if run.finished:
        yield f"[ Info: {run.steps} sweeps done, goodbye"


@voice(VOICES, "fortran_climate", "loss eval score clock fetch plan end")
def fortran_climate(run: Run) -> Iterator[str]:
    """An emulator of a climate model in Fortran: fixed columns, exponents with D."""
    rng = random.Random(run.seed)

    def d(value: float) -> str:
        if not math.isfinite(value):
            return f"{_num(value, 'f', 'NaN', 'Infinity'):>14}"
        mantissa, exponent = f"{value:.6E}".split("E")
        return f"{mantissa}D{exponent}".rjust(14)

    yield " **************************************************************"
    yield " *  RADEMU   EMULATOR FOR LONGWAVE RADIATION      REL. 3.1    *"
    yield " **************************************************************"
    yield f"  RUN STARTED {run.begin:%Y%m%d %H%M%S} UTC"
    yield f"  NAMELIST READ FROM rademu.nml ; CASE {rng.choice(('AMIP', 'RCE', 'CTRL'))}{rng.randint(1, 40):02}"
    yield f"  NCOL  ={run.per_epoch * run.batch:>12}"
    yield f"  NPAR  ={_small(run):>12}"
    yield f"  NEPOCH={run.epochs:>12}"
    yield f"  NITMAX={run.steps:>12}"
    yield f"  OMP THREADS:{rng.choice((16, 32, 64)):>6}"
    shown = 0
    for event in run.events:
        if isinstance(event, Report):
            if shown % 25 == 0:
                yield ""
                yield "      ITER          COST     SCORE   WALL [S]     STEP [S]     READ [S]"
            shown += 1
            score = "       NaN" if math.isnan(event.score) else f"{event.score:10.4f}"
            yield f"{event.step:>10}{d(event.loss)}{score}{event.at:>11.2f}{event.took:>13.4f}{event.fetch:>13.4f}"
        elif isinstance(event, Evaluation):
            yield f"  -- EPOCH{event.epoch + 1:>5}  TEST COST{d(event.loss)}"
        else:
            yield f"  -- RESTART FILE WRITTEN: rademu_{event.step:08}.nc"
    if run.finished:
        yield ""
        yield f"  NITMAX REACHED. TOTAL WALL CLOCK{run.events[-1].at:>12.2f} S"
        yield "  STOP 0"


@voice(VOICES, "matlab_engineer", "loss eval score clock plan lr end")
def matlab_engineer(run: Run) -> Iterator[str]:
    """An engineer of gears with MATLAB's trainNetwork and its wide table."""
    rng = random.Random(run.seed)
    rule = "|" + "=" * 118 + "|"

    def percent(value: float) -> str:
        return _num(100 * value, ".2f") + "%"

    def row(event: Report, at: float, test: Evaluation | None = None) -> str:
        cells = (
            f"{event.epoch + 1:>7}",
            f"{event.step:>11}",
            f"{_hhmmss(at):>14}",
            f"{percent(event.score):>12}",
            f"{percent(test.score) if test else '':>12}",
            f"{_num(event.loss, '.4f'):>12}",
            f"{_num(test.loss, '.4f') if test else '':>12}",
            f"{event.lr:>15.4f}" if event.lr >= 1e-3 or event.lr == 0 else f"{event.lr:>15.4e}",
        )
        return "| " + " | ".join(cells) + " |"

    yield "                            < M A T L A B (R) >"
    yield "                  Copyright 1984-2022 The MathWorks, Inc."
    yield "              R2022b Update 5 (9.13.0.2193358) 64-bit (glnxa64)"
    yield " "
    yield f"gearbox{rng.randint(2, 90)}.mat loaded, {run.per_epoch * run.batch} spectrograms, MiniBatchSize {run.batch}"
    yield f"MaxEpochs: {run.epochs}"
    yield f"started {run.begin:%d-%b-%Y %H:%M:%S}"
    yield "Training on single GPU."
    yield "Initializing input data normalization."
    yield rule
    yield (
        "|  Epoch  |  Iteration  |  Time Elapsed  |  Mini-batch  |  Validation  |  Mini-batch  |  Validation  |"
        "  Base Learning  |"
    )
    yield (
        "|         |             |   (hh:mm:ss)   |   Accuracy   |   Accuracy   |     Loss     |     Loss     |"
        "      Rate       |"
    )
    yield rule
    held: Report | None = None
    for event, after in pairwise((*run.events, None)):
        if isinstance(event, Report):
            if isinstance(after, Evaluation) and after.step == event.step:
                held = event
            else:
                yield row(event, event.at)
        elif isinstance(event, Evaluation) and held is not None:
            yield row(held, event.at, event)
            held = None
    if run.finished:
        yield rule
        yield "Training finished: Max epochs completed."
        yield f"net saved to gearbox_net_{run.begin:%d-%b-%Y}.mat"


@voice(VOICES, "painter", "loss plan end")
def painter(run: Run) -> Iterator[str]:
    """A painter who has a forger and a judge play; hundredths of the whole, lower case, and little else."""
    rng = random.Random(run.seed)
    yield rng.choice(("sea, 1889 - 1931", "faces of my aunts", "smoke studies, second series"))
    yield f"{run.per_epoch * run.batch} scans. the forger and the judge wake up."
    yield ""
    for event in run.events:
        if isinstance(event, Report):
            share = 100 * event.step / run.steps
            yield f"{share:6.2f} %   forger {event.loss:.3f}   judge {event.loss * 0.41:.3f}"
        elif isinstance(event, Evaluation) and event.step % run.per_epoch == 0:
            yield f"           sheet_{event.epoch + 1:03}.png"
    if run.finished:
        yield ""
        yield "they sleep."


@voice(VOICES, "cpp_astronomer", "loss eval clock fetch save plan lr resume end")
def cpp_astronomer(run: Run) -> Iterator[str]:
    """An astronomer in C++: columns with tabs for gnuplot, seconds of Unix, remarks with #."""
    rng = random.Random(run.seed)
    field = f"{rng.randint(0, 23):02}h{rng.randint(0, 59):02}m"
    t0 = run.begin.timestamp()
    yield f"# photoz_net -field {field} -nepoch {run.epochs} -nbatch {run.per_epoch} -seed {run.seed}"
    yield f"# {run.per_epoch * run.batch} galaxies, {rng.choice((5, 9, 12))} bands, {_small(run)} weights"
    if run.resumed is not None:
        yield f"# state read from snap_{run.resumed}.fits, iterations continue at {run.resumed + 1}"
    yield f"# iterations in all: {run.steps}"
    yield "# unixtime\titer\tchi2\teta\tt_iter[ms]\tt_read[ms]"
    for event in run.events:
        if isinstance(event, Report):
            each, wait = 1000 * event.took / run.every, 1000 * event.fetch / run.every
            yield f"{t0 + event.at:.2f}\t{event.step}\t{event.loss:.6g}\t{event.lr:.3e}\t{each:.2f}\t{wait:.2f}"
        elif isinstance(event, Evaluation):
            yield f"# {t0 + event.at:.2f} test field: chi2 {event.loss:.6g}"
        else:
            yield f"# {t0 + event.at:.2f} snap_{event.step}.fits written in {1000 * event.took:.0f} ms"
    if run.finished:
        yield f"# end, {run.steps} iterations"


@voice(VOICES, "dl4j", "loss score clock fetch end")
def dl4j(run: Run) -> Iterator[str]:
    """A teacher of Java with Deeplearning4j: logback, and a loss that is called score."""
    rng = random.Random(run.seed)

    def log(at: float, who: str, text: str) -> str:
        now = _when(run, at)
        return f"{now:%H:%M:%S}.{now.microsecond // 1000:03} [main] INFO  {who} - {text}"

    def java(value: float) -> str:
        return _num(value, ".15g", "NaN", "Infinity")

    yield log(0, "org.nd4j.linalg.factory.Nd4jBackend", "Loaded [CpuBackend] backend")
    yield log(0.9, "org.nd4j.nativeblas.NativeOpsHolder", "Number of threads used for linear algebra: 8")
    yield log(1.0, "org.nd4j.nativeblas.Nd4jBlas", "Number of threads used for OpenMP BLAS: 8")
    yield log(
        1.0,
        "org.nd4j.linalg.api.ops.executioner.DefaultOpExecutioner",
        f"Backend used: [CPU]; OS: [Linux]; Cores: [16]; Memory: [{rng.choice((3.9, 7.8, 15.6))}GB];",
    )
    yield log(
        1.4,
        "o.d.nn.multilayer.MultiLayerNetwork",
        "Starting MultiLayerNetwork with WorkspaceModes set to [training: ENABLED; inference: ENABLED]",
    )
    yield log(1.5, "de.schule.Pflanzen", f"Train model.... {_small(run)} params")
    for event in run.events:
        if isinstance(event, Report):
            wait = 1000 * event.fetch / run.every
            each = 1000 * event.took / run.every
            yield log(
                event.at,
                "o.d.o.l.PerformanceListener",
                f"ETL: {wait:.0f} ms; iteration {event.step - 1}; iteration time: {each:.0f} ms; "
                f"samples/sec: {event.rate:.3f}; batches/sec: {run.every / event.took:.3f}; ",
            )
            yield log(
                event.at, "o.d.o.l.ScoreIterationListener", f"Score at iteration {event.step - 1} is {java(event.loss)}"
            )
        elif isinstance(event, Evaluation):
            yield log(event.at, "de.schule.Pflanzen", f"*** Completed epoch {event.epoch} ***")
            yield log(event.at, "de.schule.Pflanzen", "")
            yield ""
            yield "========================Evaluation Metrics========================"
            yield f" # of classes:    {rng.randint(3, 12)}"
            yield f" Accuracy:        {_num(event.score, '.4f')}"
            yield "=================================================================="
    if run.finished:
        yield log(run.events[-1].at, "de.schule.Pflanzen", "****************Example finished********************")


@voice(VOICES, "scheme_veteran", "loss eval plan lr end resume")
def scheme_veteran(run: Run) -> Iterator[str]:
    """A retired researcher of artificial intelligence, in Racket: lists in parentheses."""
    rng = random.Random(run.seed)

    def s(value: float) -> str:
        return _num(value, ".6f", "+nan.0", "+inf.0")

    yield ";; back-propagation, pure racket, no libraries needed"
    yield f"(hello (corpus nettalk-{rng.randint(2, 9)}) (patterns {run.per_epoch * run.batch}) (weights {_small(run)}))"
    yield f"(plan (epochs {run.epochs}) (presentations {run.steps}))"
    if run.resumed is not None:
        yield f'(continue (from "brain-{run.resumed}.rktd") (presentation {run.resumed}))'
    for event in run.events:
        if isinstance(event, Report):
            yield (
                f"(teach (epoch {event.epoch}) (presentation {event.step}) (mean-error "
                f"{s(event.loss)}) (eta {s(event.lr)}))"
            )
        elif isinstance(event, Evaluation):
            yield f"(quiz (epoch {event.epoch}) (mean-error {s(event.loss)}))"
        else:
            yield f'(wrote "brain-{event.step}.rktd")'
    if run.finished:
        yield "(goodbye)"


@voice(VOICES, "hydrologist", "loss eval score save plan end")
def hydrologist(run: Run) -> Iterator[str]:
    """A hydrologist: semicolons for her spreadsheet, a root mean square."""
    rng = random.Random(run.seed)

    def root(value: float) -> str:
        return f"{math.sqrt(value):.4f}" if value >= 0 else "nan"

    river = rng.choice(("Mur", "Enns", "Tagliamento", "Ahr"))
    yield f"rainfall-runoff LSTM, catchment {river}, {rng.randint(2, 40)} gauges, {rng.randint(1961, 1990)}-2019"
    yield f"calibration windows;{run.per_epoch * run.batch}"
    yield f"cycles to run;{run.epochs}"
    yield f"batches per cycle;{run.per_epoch}"
    yield "cycle;RMSE cal [m3/s];RMSE val [m3/s];NSE cal [-];NSE val [-];seconds"
    seen: list[Report] = []
    for event in run.events:
        if isinstance(event, Report):
            seen.append(event)
        elif isinstance(event, Evaluation) and seen:
            both = f"{root(_mean([r.loss for r in seen]))};{root(event.loss)}"
            nash = f"{_mean([r.score for r in seen]):.3f};{event.score:.3f}"
            yield f"{event.epoch + 1};{both};{nash};{sum(r.took for r in seen) + event.took:.2f}"
            seen.clear()
        elif isinstance(event, Save):
            yield f"store;state_{event.step:06}.nc;{event.took:.2f} s"
    if run.finished:
        yield f"finished;{run.epochs} cycles;{run.events[-1].at:.0f} s"
