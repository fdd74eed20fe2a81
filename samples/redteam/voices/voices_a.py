"""Forty programs of researchers who write their PyTorch loops by hand, each as its author would have it talk."""

from __future__ import annotations

import json
import math
import random
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from .run import Evaluation, Report, Save, Voice, voice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .run import Run

VOICES: Final[dict[str, Voice]] = {}


def _dice(run: Run) -> random.Random:
    return random.Random(run.seed)


def _when(run: Run, at: float) -> datetime:
    return (run.begin + timedelta(seconds=at)).replace(tzinfo=None)


def _hms(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _words(seconds: float) -> str:
    """As in ``1h 03m`` or ``4m 09s`` or ``12s``."""
    whole = int(seconds)
    if whole >= 3600:
        return f"{whole // 3600}h {whole // 60 % 60:02}m"
    return f"{whole // 60}m {whole % 60:02}s" if whole >= 60 else f"{whole}s"


def _first(run: Run) -> int:
    return run.resumed or 0


def _start(run: Run) -> float:
    """When the first step began."""
    return run.reports[0].at - run.reports[0].took if run.reports else 0.0


def _left(run: Run, event: Report | Evaluation | Save) -> float:
    """Seconds that remain, as a simple program would guess."""
    return (event.at - _start(run)) / max(1, event.step - _first(run)) * (run.steps - event.step)


def _short(number: float) -> str:
    for size, sign in ((1e9, "B"), (1e6, "M"), (1e3, "K")):
        if number >= size:
            return f"{number / size:.1f}{sign}"
    return f"{number:.0f}"


def _few(run: Run) -> int:
    """Parameters of a small model."""
    return run.weights // 911 + 340


def _exp(value: float) -> float:
    return math.inf if value > 88 else math.exp(value)


def _log10(value: float) -> float:
    return math.log10(value) if value > 0 and math.isfinite(value) else value


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _end(run: Run) -> float:
    return run.events[-1].at if run.events else 0.0


def _split(value: float, dice: random.Random, *weights: float) -> list[float]:
    """Terms that add up to ``value``."""
    shares = [weight * dice.uniform(0.9, 1.1) for weight in weights]
    return [value * share / sum(shares) for share in shares]


def _best(run: Run) -> tuple[float, Evaluation | None]:
    evaluations = [event for event in run.events if isinstance(event, Evaluation)]
    best = [event for event in evaluations if event.best]
    return (best[-1].loss, best[-1]) if best else (math.nan, None)


# ---------------------------------------------------------------------------------------------------------------------


@voice(VOICES, "asr_ctc", "loss eval score clock fetch plan lr norm end resume")
def _asr_ctc(run: Run) -> Iterator[str]:
    """Speech recognition, a doctoral student with the logging module."""
    dice = _dice(run)

    def log(at: float, what: str, who: str = "train") -> str:
        when = _when(run, at)
        return f"{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03} INFO asr.{who}: {what}"

    hours = run.per_epoch * run.batch * 12.4 / 3600
    name = f"conf-{dice.choice('sml')}-{dice.randint(2, 60):03}"
    yield log(0.2, f"experiment {name}, seed {dice.randint(1, 9999)}", "main")
    yield log(0.9, f"manifest train-clean: {run.per_epoch * run.batch} utts, {hours:.1f} h, max 24.0 s", "data")
    yield log(1.1, f"manifest dev-clean: {dice.randint(1100, 2703)} utts", "data")
    yield log(1.4, "tokenizer: unigram 512, blank=0", "data")
    yield log(2.6, f"Conformer-CTC {run.weights / 1e6:.2f} M params, 12 blocks, subsampling 4", "model")
    if run.resumed is not None:
        yield log(3.1, f"picking up exp/{name}/ck-{run.resumed}.pt -> update {run.resumed}", "main")
    yield log(3.3, f"will make {run.steps} updates in {run.epochs} epochs", "main")
    for e in run.events:
        if isinstance(e, Report):
            yield log(
                e.at,
                f"ep {e.epoch + 1} | upd {e.step}/{run.steps} | ctc {e.loss:.4f} | gn {e.norm:.2f} | lr {e.lr:.3e} | "
                f"waited {e.fetch:.2f} of {e.took:.2f} s on loader",
            )
        elif isinstance(e, Evaluation):
            yield log(e.at, f"dev ctc {e.loss:.4f} token acc {100 * e.score:.2f} % ({e.took:.1f} s)", "valid")
        else:
            yield log(e.at, f"wrote exp/{name}/ck-{e.step}.pt", "main")
    if run.finished:
        yield log(_end(run) + 0.1, f"all {run.steps} updates made, best dev ctc {_best(run)[0]:.4f}", "main")
        yield log(_end(run) + 0.3, "bye", "main")


@voice(VOICES, "imagenet_main", "loss eval score fetch resume")
def _imagenet_main(run: Run) -> Iterator[str]:
    """Torch's ImageNet example, run as it is."""
    dice = _dice(run)
    yield f"Use GPU: {dice.randint(0, 3)} for training"
    yield "=> creating model 'resnet50'"
    if run.resumed is not None:
        yield "=> loading checkpoint 'checkpoint.pth.tar'"
        yield f"=> loaded checkpoint 'checkpoint.pth.tar' (epoch {run.resumed // run.per_epoch})"
    width = len(str(run.per_epoch))
    seen: list[Report] = []
    for e in run.events:
        if isinstance(e, Report):
            if seen and seen[-1].epoch != e.epoch:
                seen = []
            seen.append(e)
            times, waits = [r.took / run.every for r in seen], [r.fetch / run.every for r in seen]
            top, losses = [100 * r.score for r in seen], [r.loss for r in seen]
            five = [100 * r.score**0.5 for r in seen]
            yield (
                f"Epoch: [{e.epoch}][{e.batch:{width}}/{run.per_epoch}]\tTime {times[-1]:6.3f} ({_mean(times):6.3f})\t"
                f"Data {waits[-1]:6.3f} ({_mean(waits):6.3f})\tLoss {losses[-1]:.4e} ({_mean(losses):.4e})\t"
                f"Acc@1 {top[-1]:6.2f} ({_mean(top):6.2f})\tAcc@5 {five[-1]:6.2f} ({_mean(five):6.2f})"
            )
        elif isinstance(e, Evaluation):
            many = max(2, run.per_epoch // 10)
            acc, five_ = 100 * e.score, 100 * e.score**0.5
            yield (
                f"Test: [{many - 1:{len(str(many))}}/{many}]\tTime {e.took / many:6.3f} ({e.took / many:6.3f})\t"
                f"Loss {e.loss:.4e} ({e.loss:.4e})\tAcc@1 {acc:6.2f} ({acc:6.2f})\tAcc@5 {five_:6.2f} ({five_:6.2f})"
            )
            yield f" *   Acc@1 {acc:.3f} Acc@5 {five_:.3f}"


@voice(VOICES, "nano_gpt", "loss eval plan lr end resume")
def _nano_gpt(run: Run) -> Iterator[str]:
    """A fork of nanoGPT on the author's own letters."""
    dice = _dice(run)
    yield f"Overriding: batch_size = {run.batch}"
    yield f"Overriding: max_iters = {run.steps}"
    yield f"tokens per iteration will be: {run.batch * 1024:,}"
    if run.resumed is None:
        yield "Initializing a new model from scratch"
    else:
        yield f"Resuming training from out-letters/ckpt.pt, iter {run.resumed}"
    yield f"number of parameters: {run.weights / 1e6:.2f}M"
    yield f"num decayed parameter tensors: 50, with {run.weights:,} parameters"
    yield f"num non-decayed parameter tensors: 98, with {dice.randint(20, 130) * 1024:,} parameters"
    yield "using fused AdamW: True"
    yield "compiling the model... (takes a ~minute)"
    loss, peak, fastest = math.nan, dice.uniform(19, 48), min((r.took for r in run.reports), default=1.0)
    for e in run.events:
        if isinstance(e, Report):
            loss = e.loss
            mfu = peak * fastest / e.took
            time = 1000 * e.took / run.every
            yield f"iter {e.step}: loss {e.loss:.4f}, lr {e.lr:.2e}, time {time:.2f}ms, mfu {mfu:.2f}%"
        elif isinstance(e, Evaluation):
            yield f"step {e.step}: train loss {loss:.4f}, val loss {e.loss:.4f}"
        else:
            yield "saving checkpoint to out-letters"
    if run.finished:
        yield f"max_iters {run.steps} reached"


@voice(VOICES, "nnunet_like", "loss eval score clock plan lr end")
def _nnunet_like(run: Run) -> Iterator[str]:
    """A clinic's copy of nnU-Net; it reports at epochs only."""
    dice = _dice(run)

    def log(at: float, *what: str) -> str:
        return f"{_when(run, at):%Y-%m-%d %H:%M:%S.%f}: " + " ".join(what)

    fold, task = dice.randint(0, 4), dice.randint(100, 799)
    yield "Using device: cuda:0"
    yield ""
    yield "#######################################################################"
    yield "Please cite the following paper when using nnU-Net:"
    yield "Isensee, F., Jaeger, P. F., Kohl, S. A., Petersen, J., & Maier-Hein, K. H. (2021)."
    yield "#######################################################################"
    yield ""
    yield f"This is the configuration used by this training: Configuration name: 3d_fullres, batch_size {run.batch}"
    yield log(1, "unpacking dataset...")
    yield log(3, "unpacking done...")
    yield log(3.1, f"Using splits from existing split file: Dataset{task}_Liver/splits_final.json")
    yield log(3.2, f"Desired fold for training: {fold}, num_epochs: {run.epochs}")
    yield log(3.2, f"This split has {dice.randint(90, 400)} training and {dice.randint(20, 60)} validation cases.")
    losses: list[float] = []
    lr, since, epoch = 0.0, _start(run), -1
    for e in run.events:
        if isinstance(e, Report):
            if e.epoch != epoch:
                yield log(since, "")
                yield log(since, f"Epoch {e.epoch}")
                yield log(since, f"Current learning rate: {e.lr:.5g}")
            epoch, lr = e.epoch, e.lr
            losses.append(e.loss)
        elif isinstance(e, Evaluation):
            dices = [round(e.score * dice.uniform(0.94, 1.0), 4) for _ in range(3)]
            yield log(e.at, f"train_loss {_mean(losses):.4f}")
            yield log(e.at, f"val_loss {e.loss:.4f}")
            yield log(e.at, f"Pseudo dice {dices}")
            yield log(e.at, f"Epoch time: {e.at - since:.2f} s")
            if e.best:
                yield log(e.at, f"Yayy! New best EMA pseudo Dice: {_mean(dices):.4f}")
            losses, since = [], e.at
        else:
            since = e.at
    if run.finished:
        yield log(_end(run) + 0.4, "Training done.")
        yield log(
            _end(run) + 0.5, f"predicting liver_{dice.randint(1, 130):03} (fold {fold}, final learning rate {lr:.5g})"
        )


@voice(VOICES, "metric_logger", "loss eval score fetch plan lr end resume")
def _metric_logger(run: Run) -> Iterator[str]:
    """A self-supervised ViT with the MetricLogger that everybody copies from everybody."""
    dice = _dice(run)
    yield "| distributed init (rank 0): env://, gpu 0"
    yield (
        f"Namespace(batch_size={run.batch}, epochs={run.epochs}, accum_iter=1, model='vit_small_patch16', "
        f"warmup_epochs=1, seed={dice.randint(0, 99)}, num_workers={dice.choice((4, 8, 10))}, pin_mem=True)"
    )
    yield f"Model = VisionTransformer, number of params (M): {run.weights / 1e6:.2f}"
    if run.resumed is not None:
        where = run.resumed // run.per_epoch
        yield f"Resume checkpoint ./out/checkpoint-{where - 1}.pth, start epoch {where}"
    yield f"Start training for {run.epochs} epochs"
    memory, width = dice.randint(4000, 70000), len(str(run.per_epoch))
    seen: list[float] = []
    header, since = "", _start(run)
    for e in run.events:
        if isinstance(e, Report):
            header = f"Epoch: [{e.epoch}]"
            if e.batch <= run.every:
                seen = []
            seen.append(e.loss)
            pace = e.took / run.every
            yield (
                f"{header}  [{e.batch:{width}}/{run.per_epoch}]  eta: {_hms(pace * (run.per_epoch - e.batch))}  "
                f"lr: {e.lr:.6f}  loss: {e.loss:.4f} ({_mean(seen):.4f})  time: {pace:.4f}  "
                f"data: {e.fetch / run.every:.4f}  max mem: {memory}"
            )
            if e.batch == run.per_epoch:
                spent = e.at - since
                yield f"{header} Total time: {_hms(spent)} ({spent / run.per_epoch:.4f} s / it)"
                yield f"Averaged stats: loss: {e.loss:.4f} ({_mean(seen):.4f})"
        elif isinstance(e, Evaluation):
            yield f"Test: Total time: {_hms(e.took)}"
            yield f"* Acc@1 {100 * e.score:.3f} loss {e.loss:.3f}"
            since = e.at
        else:
            since = e.at
    if run.finished:
        yield f"Training time {_hms(_end(run))}"


@voice(VOICES, "mnist_like", "loss eval score plan")
def _mnist_like(run: Run) -> Iterator[str]:
    """A bachelor student's spectrogram classifier, grown from the MNIST example."""
    total = run.per_epoch * run.batch
    yield f"cuda available: True | {run.epochs} epochs | {total} clips"
    yield "torchaudio/functional/functional.py:584: UserWarning: At least one mel filterbank has all zero values."
    yield "  warnings.warn("
    for e in run.events:
        if isinstance(e, Report):
            share = 100.0 * e.batch / run.per_epoch
            yield f"Train Epoch: {e.epoch + 1} [{e.batch * run.batch}/{total} ({share:.0f}%)]\tLoss: {e.loss:.6f}"
        elif isinstance(e, Evaluation):
            held = max(100, total // 10)
            right = 0 if math.isnan(e.score) else int(held * e.score)
            yield ""
            yield f"Test set: Average loss: {e.loss:.4f}, Accuracy: {right}/{held} ({100 * right / held:.0f}%)"
            yield ""


@voice(VOICES, "ogb_student", "loss score plan end")
def _ogb_student(run: Run) -> Iterator[str]:
    """Graphs; a seminar paper, one line an epoch."""
    dice = _dice(run)
    yield f"Namespace(dataset='ogbg-ppa', gnn='gin-virtual', drop_ratio=0.5, epochs={run.epochs}, runs=1)"
    yield f"Data(num_graphs={run.per_epoch * run.batch}, num_classes=37)"
    yield "#Params: " + str(_few(run))
    losses: list[float] = []
    best = 0.0
    for e in run.events:
        if isinstance(e, Report):
            losses.append(e.loss)
        elif isinstance(e, Evaluation):
            train, test = 100 * e.score * dice.uniform(1.0, 1.01), 100 * e.score * dice.uniform(0.97, 1.0)
            best = max(best, 100 * e.score) if not math.isnan(e.score) else best
            yield (
                f"Run: 01, Epoch: {e.epoch + 1:02d}, Loss: {_mean(losses):.4f}, Train: {train:.2f}%, "
                f"Valid: {100 * e.score:.2f}%, Test: {test:.2f}%"
            )
            losses = []
    if run.finished:
        yield "Run 01:"
        yield f"Highest Valid: {best:.2f}"
        yield f"Finished training, {run.epochs} epochs."


@voice(VOICES, "mol_vae", "loss eval clock save plan norm end")
def _mol_vae(run: Run) -> Iterator[str]:
    """SMILES autoencoder of a chemist who likes brackets."""
    dice = _dice(run)

    def t(at: float) -> str:
        return f"[{_when(run, at):%d %b %H:%M:%S}]"

    yield f"{t(0.1)} RDKit 2025.03.{dice.randint(1, 6)}, torch 2.7.1+cu126, {dice.choice(('A100', 'RTX 6000'))}"
    yield f"{t(2)} read zinc_{dice.randint(100, 900)}k.smi.gz: kept {run.per_epoch * run.batch} molecules"
    yield f"{t(2.5)} alphabet ({dice.randint(34, 60)} symbols): # ( ) + - / 1 2 3 4 5 = @ B C F H I N O P S [ ] ..."
    yield f"{t(3)} enc/dec GRU, latent {dice.choice((56, 128, 196))}, {_few(run)} weights; {run.epochs} epochs"
    for e in run.events:
        if isinstance(e, Report):
            rec, kl = _split(e.loss, dice, 0.85, 0.15)
            yield (
                f"{t(e.at)} <{e.epoch + 1}.{e.batch:05}> -ELBO {e.loss:.4f} = rec {rec:.4f} + b*KL {kl:.4f}"
                f"   |g| {e.norm:.3f}"
            )
        elif isinstance(e, Evaluation):
            yield f"{t(e.at)} <{e.epoch + 1}.test > -ELBO {e.loss:.4f}" + ("   (lowest)" if e.best else "")
        else:
            yield f"{t(e.at)} pickled model + optimiser, {e.took:.2f} sec"
    if run.finished:
        low = _best(run)[0]
        yield f"{t(_end(run))} finished after {_words(_end(run))}; lowest test -ELBO {low:.4f}"
        yield f"{t(_end(run) + 1)} sample from the prior: CC(=O)Nc1ccc(O)cc1  CCN(CC)CC  c1ccncc1C(=O)O"


@voice(VOICES, "ppo_frames", "loss score clock plan lr end")
def _ppo_frames(run: Run) -> Iterator[str]:
    """Reinforcement learning, a post-doc's single file."""
    dice = _dice(run)
    env = dice.choice(("BreakoutNoFrameskip-v4", "Hopper-v4", "ProcgenCoinrun", "MiniGrid-DoorKey-8x8"))
    top = dice.choice((500, 3000, 10))
    frames = run.batch * 128
    yield f"ppo.py  env={env}  seed={run.seed}  started {_when(run, 0):%a %d %b %Y %H:%M:%S}"
    yield f"obs Box, act Discrete({dice.randint(4, 18)}), {_few(run):,} params, {run.steps * frames:,} frames in all"
    yield f"gamma 0.99  lam 0.95  clip 0.2  ent 0.01  {run.batch} envs x 128"
    for e in run.events:
        if isinstance(e, Report):
            fps = e.rate * 128
            kl = dice.uniform(0.004, 0.019) if math.isfinite(e.loss) else e.loss
            yield (
                f"t={_hms(e.at)} frames {e.step * frames:>11,} ({100 * e.step / run.steps:5.1f}%) fps {fps:7.0f} | "
                f"ret {top * e.score:8.2f} | v_loss {e.loss:9.4f} | kl {kl:.4f} | "
                f"clipfrac {dice.uniform(0.05, 0.22):.2f} | lr {e.lr:.2e}"
            )
        elif isinstance(e, Save):
            yield f"t={_hms(e.at)} -> policies/{env}_{run.seed}.pt"
    if run.finished:
        yield f"t={_hms(_end(run))} frame budget used up, closing envs"


@voice(VOICES, "zarr_weather", "loss eval score clock fetch save plan lr end resume")
def _zarr_weather(run: Run) -> Iterator[str]:
    """A meteorologist; ERA5 from zarr, multi-line reports."""
    dice = _dice(run)
    yield f"neural forecast model v0.{dice.randint(3, 19)}   job begun {_when(run, 0):%Y-%m-%dT%H:%M:%SZ}"
    yield "  input      ERA5 1.5 deg, 1979-2017, 6-hourly, 13 levels, z t u v q + t2m msl u10 v10"
    yield "  statistics means.nc, stds.nc, diff_stds.nc"
    yield f"  samples    {run.per_epoch * run.batch} per epoch, {run.epochs} epochs"
    yield f"  weights    {run.weights}"
    if run.resumed is not None:
        yield f"  restart    from restart_{run.resumed:07d}.pt, written at step {run.resumed}"
    yield ""
    for e in run.events:
        stamp = f"{_when(run, e.at):%Y-%m-%dT%H:%M:%SZ}"
        if isinstance(e, Report):
            yield f"{stamp}  epoch {e.epoch + 1} of {run.epochs}, step {e.step}"
            yield f"    area-weighted MSE     {e.loss:.5f}"
            yield f"    learning rate         {e.lr:.3e}"
            yield f"    wall                  {e.took:.2f} s, of which zarr read {e.fetch:.2f} s"
        elif isinstance(e, Evaluation):
            yield f"{stamp}  validation 2018: area-weighted MSE {e.loss:.5f}, ACC z500 {e.score:.4f}"
        else:
            yield f"{stamp}  restart file restart_{e.step:07d}.pt written ({e.took:.1f} s)"
    if run.finished:
        yield ""
        yield f"normal end of job {_when(run, _end(run) + 2):%Y-%m-%dT%H:%M:%SZ}, elapsed {_hms(_end(run) + 2)}"


@voice(VOICES, "logfmt_ads", "loss eval score clock fetch save plan end")
def _logfmt_ads(run: Run) -> Iterator[str]:
    """A recommender in a company; everything must be grep-able."""
    dice = _dice(run)
    pod = f"ctr-trainer-{dice.randrange(16**6):06x}"

    def line(at: float, event: str, **what: object) -> str:
        when = _when(run, at)
        rest = " ".join(f"{key}={value}" for key, value in what.items())
        return f"ts={when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03}Z level=info pod={pod} event={event} {rest}"

    yield line(0.0, "boot", git=f"{dice.randrange(16**8):08x}", python="3.11.9", torch="2.6.0")
    yield line(0.8, "schema", dense=13, sparse=26, hash_bits=dice.randint(20, 24))
    yield line(1.7, "model", arch="dcn_v2", params=run.weights)
    yield line(1.9, "plan", passes=run.epochs, batches=run.steps, batch_size=run.batch)
    for e in run.events:
        if isinstance(e, Report):
            seen = e.step * run.batch
            yield line(
                e.at,
                "train",
                examples=seen,
                logloss=f"{e.loss:.5f}",
                auc=f"{0.5 + e.score / 2:.4f}",
                qps=f"{e.rate:.0f}",
                window_ms=f"{1000 * e.took:.0f}",
                input_wait_ms=f"{1000 * e.fetch:.0f}",
            )
        elif isinstance(e, Evaluation):
            yield line(
                e.at, "holdout", **{"pass": e.epoch, "logloss": f"{e.loss:.5f}", "auc": f"{0.5 + e.score / 2:.4f}"}
            )
        else:
            yield line(
                e.at, "snapshot", batch=e.step, took_ms=f"{1000 * e.took:.0f}", uri=f"s3://ml-ctr/{pod}/{e.step}"
            )
    if run.finished:
        yield line(_end(run) + 0.2, "complete", examples=run.steps * run.batch)
        yield line(_end(run) + 0.9, "exit", code=0)


@voice(VOICES, "quant_csv", "loss eval plan lr end")
def _quant_csv(run: Run) -> Iterator[str]:
    """Finance: prints what can be pasted into a spreadsheet."""
    dice = _dice(run)
    yield f"# universe: {dice.randint(300, 3000)} names; horizon 5d; winsorised 1%/99%; fit 2006-2019; test 2020-2022"
    yield f"# LSTM-2, n_param {_few(run)}, epochs {run.epochs}, batches/epoch {run.per_epoch}"
    yield "epoch,batch,mse,lr,sec"
    for e in run.events:
        if isinstance(e, Report):
            yield f"{e.epoch},{e.batch},{e.loss:.6g},{e.lr:.4g},{e.took:.2f}"
        elif isinstance(e, Evaluation):
            yield f"# oos {e.epoch},{e.loss:.6g},IC {0.08 * e.score:+.4f}"
    if run.finished:
        yield f"# eof {run.epochs} epochs, best oos mse {_best(run)[0]:.6g}"


@voice(VOICES, "pinn_burgers", "loss end")
def _pinn_burgers(run: Run) -> Iterator[str]:
    """Physics-informed net of a mechanical engineer, after Raissi's script."""
    dice = _dice(run)
    yield "Device: cuda:0"
    layers = [2, *[20] * 8, 1]
    yield f"N_u = {dice.choice((50, 100, 200))}, N_f = {run.batch * 100}, layers = {layers}"
    yield f"nu = {dice.choice(('0.01/pi', '0.003', '1e-3'))}"
    yield "Starting Adam"
    for e in run.events:
        if isinstance(e, Report):
            u, f = _split(e.loss, dice, 0.4, 0.6)
            yield (
                f"It: {e.step}, Loss: {e.loss:.3e}, Loss_u: {u:.3e}, Loss_f: {f:.3e}, Time: {e.took:.2f}, "
                f"nu_hat: {0.00318 * dice.uniform(0.98, 1.02):.5f}"
            )
    if run.finished:
        yield f"Training time: {_end(run):.4f}"
        yield "Writing burgers_pred.mat"


# ---------------------------------------------------------------------------------------------------------------------


@voice(VOICES, "jets_jsonl", "loss eval score clock fetch save lr norm end")
def _jets_jsonl(run: Run) -> Iterator[str]:
    """Particle physics; JSON lines for a plotting script."""
    dice = _dice(run)
    zero = run.begin.timestamp()
    yield json.dumps(
        {"k": "cfg", "t": round(zero, 2), "net": "ParticleNet", "knn": 16, "npar": _few(run), "bs": run.batch}
    )
    yield json.dumps(
        {"k": "files", "t": round(zero + 1.5, 2), "train": dice.randint(20, 90), "val": 5, "tree": "Events"}
    )
    for e in run.events:
        t = round(zero + e.at, 2)
        if isinstance(e, Report):
            row: dict[str, object] = {"k": "trn", "t": t, "ep": e.epoch, "b": e.batch, "ce": round(e.loss, 5)}
            row |= {"lr": float(f"{e.lr:.3g}"), "gnorm": round(e.norm, 3)}
            row |= {"dt": round(e.took, 3), "dt_root_io": round(e.fetch, 3)}
            yield json.dumps(row)
        elif isinstance(e, Evaluation):
            row = {"k": "val", "t": t, "ep": e.epoch, "ce": round(e.loss, 5), "acc": round(e.score, 4)}
            yield json.dumps(row)
        else:
            yield json.dumps({"k": "ckpt", "t": t, "ep": e.epoch, "sec": round(e.took, 2), "f": f"net_{e.step}.pt"})
    if run.finished:
        yield json.dumps({"k": "end", "t": round(zero + _end(run), 2), "best_ce": round(_best(run)[0], 5)})


@voice(VOICES, "chess_prose", "loss score clock plan end resume")
def _chess_prose(run: Run) -> Iterator[str]:
    """Self-play chess of a retired programmer who writes sentences."""
    dice = _dice(run)
    version = f"{dice.randint(2, 9)}.{dice.randint(0, 9)}"
    yield f"Good day. This is PATZER {version} learning on {_when(run, 0):%A, %d %B %Y}."
    yield f"The net has {_few(run):,} weights. I have been told to make {run.steps:,} gradient steps."
    yield f"The replay window holds {dice.randint(200, 900)} thousand positions."
    if run.resumed is not None:
        yield f"I found patzer.net on the disk, which had {run.resumed:,} steps behind it, and go on from there."
    for e in run.events:
        now = f"{_when(run, e.at):%H:%M:%S}"
        if isinstance(e, Report):
            yield (
                f"{now}  After {e.step:,} steps the loss is {e.loss:.4f}; the policy head guesses "
                f"{100 * e.score:.1f} % of moves."
            )
        elif isinstance(e, Evaluation):
            wins = 0 if math.isnan(e.score) else round(40 * e.score)
            yield f"{now}  Match against the old net: {wins} points of 40."
        else:
            yield f"{now}  Net kept in patzer.net."
    if run.finished:
        yield f"{_when(run, _end(run)):%H:%M:%S}  That was the last step. The learning is finished. Good bye."


@voice(VOICES, "protein_rank", "loss eval clock plan lr norm end resume")
def _protein_rank(run: Run) -> Iterator[str]:
    """Protein language model on eight cards; perplexity only."""
    dice = _dice(run)
    node = f"gpu-{dice.randint(1, 40):02}"
    for rank in range(8):
        yield f"[{node}:{rank}] nccl ok, cuda:{rank}, seed {run.seed + rank}"

    def say(at: float, what: str) -> str:
        return f"[{node}:0] {_when(run, at):%m/%d %H:%M:%S} {what}"

    yield say(4, f"UniRef50 clusters: {dice.randint(30, 60)}.{dice.randint(1, 9)} M, crops of 512 residues")
    yield say(5, f"esm-ish transformer, {_short(run.weights)} params, bf16, zero-1, {run.steps} optimizer steps")
    if run.resumed is not None:
        yield say(6, f"loaded shards from ckpt/step{run.resumed:08d}/, continuing at step {run.resumed}")
    for e in run.events:
        if isinstance(e, Report):
            yield say(
                e.at,
                f"step {e.step:>7}  mlm ppl {_exp(e.loss):.5g}  lr {e.lr:.2e}  |g| {e.norm:.3f}  "
                f"{_short(e.rate * 512)} tok/s",
            )
        elif isinstance(e, Evaluation):
            yield say(e.at, f"step {e.step:>7}  held-out ppl {_exp(e.loss):.5g}  ({e.took:.0f} s)")
        else:
            yield say(e.at, f"ckpt/step{e.step:08d}/ complete")
    if run.finished:
        yield say(_end(run), f"reached step {run.steps}, leaving")
        yield f"[{node}:0] destroy_process_group"


@voice(VOICES, "tts_emoji", "loss eval plan save end resume")
def _tts_emoji(run: Run) -> Iterator[str]:
    """Speech synthesis; a master student who is fond of emojis."""
    dice = _dice(run)
    yield "🔊 TinyTaco training script"
    yield f"📂 dataset: LJSpeech-1.1 ({run.per_epoch * run.batch} clips after filtering)"
    yield f"🧠 params: {_short(run.weights)}   🎯 target: {run.epochs} epochs"
    yield f"🎲 seed {dice.randint(0, 4242)}"
    if run.resumed is not None:
        yield f"♻️  continuing from checkpoints/taco_latest.pth (epoch {run.resumed // run.per_epoch} already done)"
    for e in run.events:
        if isinstance(e, Report):
            if e.batch == run.every:
                yield f"🚀 Epoch {e.epoch + 1}/{run.epochs}"
            mel, stop, attn = _split(e.loss, dice, 0.8, 0.12, 0.08)
            yield f"   [{e.batch}/{run.per_epoch}] mel {mel:.4f} + gate {stop:.4f} + attn {attn:.4f} = {e.loss:.4f}"
        elif isinstance(e, Evaluation):
            yield f"   👂 val {e.loss:.4f}" + (" ⭐" if e.best else "")
        else:
            yield f"   💾 saved taco_latest.pth ({e.took:.1f}s)"
    if run.finished:
        yield f"🎉 all {run.epochs} epochs done in {_words(_end(run))}! best val {_best(run)[0]:.4f}"


@voice(VOICES, "diffusion_bars", "loss plan lr save end")
def _diffusion_bars(run: Run) -> Iterator[str]:
    """Diffusion on flowers; a tqdm bar, redrawn in one line for each epoch."""
    dice = _dice(run)
    yield f"Accelerator: cuda, mixed precision fp16, {run.batch} images/batch"
    yield f"UNet: {run.weights:,} parameters"
    schedule = dice.choice(("cosine", "linear", "sigmoid"))
    yield f"T = 1000, schedule = {schedule}, image size {dice.choice((32, 64, 128))}"
    drawn: list[str] = []
    since, mark, left = 0.0, _start(run), run.per_epoch

    def bar(epoch: int, done: int, spent: float, tail: str) -> str:
        full = 20 * done / run.per_epoch
        blocks = "█" * int(full) + (" ▏▎▍▌▋▊▉"[int(8 * (full % 1))] if full < 20 else "")
        clock, rest = (f"{int(s) // 60:02}:{int(s) % 60:02}" for s in (spent, spent / done * (run.per_epoch - done)))
        pace = f"{done / spent:.2f}it/s" if done > spent else f"{spent / done:.2f}s/it"
        share = f"{100 * done // run.per_epoch:3}%"
        times = f"[{clock}<{rest}, {pace}{tail}]"
        return f"Epoch {epoch}/{run.epochs - 1}: {share}|{blocks:20}| {done}/{run.per_epoch} {times}"

    for e in run.events:
        if isinstance(e, Report):
            since = mark if e.batch <= run.every else since
            left = e.batch
            drawn.append(bar(e.epoch, e.batch, e.at - since, f", noise_mse={e.loss:.4f}, lr={e.lr:.2e}"))
        elif isinstance(e, Save):
            if drawn:
                yield "\r".join(drawn)
                drawn = []
            yield f"ema + unet -> flowers/ckpt-{e.step}.pt, {e.took:.2f} s"
        elif left == run.per_epoch and drawn:
            yield "\r".join(drawn)
            drawn = []
        mark = e.at
    if drawn:
        yield "\r".join(drawn)
    if run.finished:
        yield "sampling 64 images for the final grid -> flowers/final.png"
        yield "Done!"


@voice(VOICES, "keyword_kv", "loss eval score save plan lr end")
def _keyword_kv(run: Run) -> Iterator[str]:
    """Keyword spotting for a microcontroller, by an embedded engineer: hexadecimal habits and key=value."""
    dice = _dice(run)
    yield f"kws-train r{dice.randint(300, 999)} build 0x{dice.randrange(16**6):06X}"
    yield f"cfg n_mfcc=40 win=30ms hop=10ms classes=12 batch={run.batch} epochs={run.epochs} params={_few(run)}"
    yield f"ram_est={dice.randint(18, 120)}KiB flash_est={_few(run) // 1024 + 1}KiB (int8)"
    for e in run.events:
        if isinstance(e, Report):
            figures = f"xent={e.loss:.4f} acc={e.score:.4f} lr={e.lr:.6f} us/smp={1e6 / e.rate:.1f}"
            yield f"TRN e={e.epoch:03d} b={e.batch:05d} {figures}"
        elif isinstance(e, Evaluation):
            yield f"VAL e={e.epoch:03d} xent={e.loss:.4f} acc={e.score:.4f} best={int(e.best)}"
        else:
            yield f"SAV e={e.epoch:03d} file=kws_{e.step:06d}.bin dt={1000 * e.took:.0f}ms"
    if run.finished:
        yield f"END epochs={run.epochs} t={_end(run):.0f}s"


@voice(VOICES, "telescope_box", "loss eval score clock fetch plan end")
def _telescope_box(run: Run) -> Iterator[str]:
    """Radio astronomy; boxes drawn by a perfectionist."""
    dice = _dice(run)
    bar = "+" + "-" * 66 + "+"
    yield bar
    yield f"|{'FRB candidate classifier':^66}|"
    yield f"|{f'run {dice.randrange(16**4):04x}, {run.begin:%Y-%m-%d %H:%M} UT':^66}|"
    yield bar
    yield f"  candidates per sweep ... {run.per_epoch * run.batch}"
    yield f"  sweeps ................. {run.epochs}"
    yield f"  free parameters ........ {_few(run)}"
    yield bar
    for e in run.events:
        now = f"{_when(run, e.at):%m-%d %H:%M:%S}"
        if isinstance(e, Report):
            done = f"sweep {e.epoch + 1}, {100 * e.batch / run.per_epoch:.0f} %"
            spent = f"filterbank I/O {100 * e.fetch / e.took:.0f} %, GPU & rest {100 - 100 * e.fetch / e.took:.0f} %"
            yield f"| {now} | {done:<15} | BCE {e.loss:.5f} | {spent}"
        elif isinstance(e, Evaluation):
            yield f"+ {now} + sweep {e.epoch + 1} over, held-out BCE {e.loss:.5f}, recall {e.score:.3f} " + "-" * 8
    if run.finished:
        yield bar
        yield f"|{f'completed {run.epochs} sweeps in {_words(_end(run))}':^66}|"
        yield bar


@voice(VOICES, "sleep_silent", "loss score eval")
def _sleep_silent(run: Run) -> Iterator[str]:
    """Sleep staging of a neurologist who prints four numbers an epoch and no word."""
    losses: list[float] = []
    yield "epoch  train   valid   kappa"
    for e in run.events:
        if isinstance(e, Report):
            losses.append(e.loss)
        elif isinstance(e, Evaluation):
            yield f"{e.epoch:5d}  {_mean(losses):6.4f}  {e.loss:6.4f}  {0.9 * e.score:.3f}" + (" *" if e.best else "")
            losses = []


@voice(VOICES, "nmt_upd", "loss eval score clock plan lr save end resume")
def _nmt_upd(run: Run) -> Iterator[str]:
    """Machine translation, an old hand of the Moses days."""
    dice = _dice(run)

    def log(at: float, what: str) -> str:
        return f"({_when(run, at):%b %d %H:%M:%S}) {what}"

    pair = dice.choice(("de-en", "fi-en", "cs-de", "en-is"))
    yield log(0, f"TRAIN.PY {pair}, pid {dice.randint(1000, 99999)}, host {dice.choice(('hodor', 'valhalla', 'lofn'))}")
    yield log(1, f"vocab src {dice.randint(16, 32)}000 tgt {dice.randint(16, 32)}000 (BPE joint)")
    yield log(2, f"{run.per_epoch * run.batch} sentence pairs after cleaning (ratio 1:9, max 80 words)")
    yield log(3, f"{run.weights} free parameters. Max updates {run.steps}.")
    if run.resumed is not None:
        yield log(4, f"Reloading model.{pair}.iter{run.resumed}.pt, carrying on at update {run.resumed}")
    for e in run.events:
        if isinstance(e, Report):
            yield log(
                e.at,
                f"Ep {e.epoch + 1} Up {e.step} Sents {e.step * run.batch} XE/word {e.loss:.4f} "
                f"PPL {_exp(e.loss):.2f} {e.rate * 24.7:.0f} words/s LR {e.lr:.5g}",
            )
        elif isinstance(e, Evaluation):
            yield log(e.at, f"Dev XE/word {e.loss:.4f} BLEU {38 * e.score:.2f} ({e.took:.0f} s)")
        else:
            yield log(e.at, f"Dumped model.{pair}.iter{e.step}.pt, took {e.took:.2f} s")
    if run.finished:
        yield log(_end(run), "Maximum number of updates reached. Training finished.")
        yield log(_end(run), f"Best dev XE/word {_best(run)[0]:.4f}. Tack och hej.")


@voice(VOICES, "points_chamfer", "loss eval fetch plan end")
def _points_chamfer(run: Run) -> Iterator[str]:
    """Point clouds; a computer-graphics student with times in columns under a header now and then."""
    dice = _dice(run)
    what = dice.choice(("chair", "plane", "car", "all"))
    yield f"[CFG] ShapeNet13, {dice.choice((1024, 2048, 8192))} pts, category = {what}"
    yield f"[CFG] net = folding, params = {_few(run)}, bs = {run.batch}, ep = {run.epochs}, it/ep = {run.per_epoch}"
    yield "[EXT] chamfer_3D built with ninja, ok"
    rows = 0
    for e in run.events:
        if isinstance(e, Report):
            if rows % 25 == 0:
                yield ""
                yield "  ep     it   CDx1e3   t_load  t_rest  smp/s"
            rows += 1
            yield (
                f"{e.epoch:>4} {e.batch:>6} {1000 * e.loss:>8.2f} "
                f"{e.fetch:>8.3f} {e.took - e.fetch:>7.3f} {e.rate:>6.0f}"
            )
        elif isinstance(e, Evaluation):
            yield f"{e.epoch:>4}   TEST {1000 * e.loss:>8.2f}"
    if run.finished:
        yield ""
        yield f"[END] {run.epochs} epochs, best TEST CDx1e3 {1000 * _best(run)[0]:.2f}"


@voice(VOICES, "nerf_rays", "loss end resume")
def _nerf_rays(run: Run) -> Iterator[str]:
    """A radiance field of the lab's coffee machine, by somebody who thinks in rays and decibels."""
    dice = _dice(run)
    views = dice.randint(20, 120)
    yield f"coffee machine, {views} views 1008x756, poses from colmap ({dice.uniform(0.4, 1.1):.2f} px reprojection)"
    bounds = f"near {dice.uniform(0.1, 0.9):.2f} far {dice.uniform(4, 9):.2f}"
    yield f"{bounds}, {run.batch * 16} rays a shot, 64+128 samples a ray"
    yield f"view {dice.randrange(views):02} is kept out"
    if run.resumed is not None:
        yield f"field_{run.resumed:06d}.tar found -> shots up to {run.resumed} are already in it"
    for e in run.events:
        if isinstance(e, Report):
            yield f"shot {e.step:06d}  rgb mse {e.loss:.6f}  {-10 * _log10(e.loss):+.3f} dB"
        elif isinstance(e, Evaluation):
            yield f"            rendered kept_{e.step:06d}.png"
        else:
            yield f"            field_{e.step:06d}.tar"
    if run.finished:
        yield f"last shot ({run.steps}) fired, now the spiral (120 frames)"
        yield "spiral.mp4 ready, go and get a coffee"


@voice(VOICES, "flow_bpd", "loss eval clock lr norm plan end")
def _flow_bpd(run: Run) -> Iterator[str]:
    """Normalizing flow; bits per dimension and a terse pipe style."""
    dice = _dice(run)
    size = dice.choice(("tiny", "base"))
    yield f"glow-{size} | L=3 K={dice.choice((8, 16, 32))} | {_few(run) * 30 / 1e6:.1f}M | data-dependent actnorm init"
    yield f"epochs {run.epochs} | started {_when(run, 0):%Y-%m-%d %H:%M:%S}"
    for e in run.events:
        if isinstance(e, Report):
            yield (
                f"{e.epoch + e.batch / run.per_epoch:7.2f} ep | {e.loss / math.log(2):8.4f} bpd | gn {e.norm:6.2f} | "
                f"lr {e.lr:.1e} | {e.at / 60:8.2f} min"
            )
        elif isinstance(e, Evaluation):
            mark = " | new low" if e.best else ""
            yield f"{e.epoch + 1:7.2f} ep | {e.loss / math.log(2):8.4f} bpd on test{mark} | {e.at / 60:8.2f} min"
    if run.finished:
        yield f"end | {_end(run) / 60:.2f} min"


@voice(VOICES, "char_lm", "loss plan end resume")
def _char_lm(run: Run) -> Iterator[str]:
    """A poet's character model: bits per character, and a line of its verse."""
    dice = _dice(run)
    words = ("and", "the", "of", "night", "sea", "lamp", "thou", "grey", "water", "under", "slow", "stone", "bird")
    yield "I have read: " + ", ".join(dice.sample(("keats.txt", "hopkins.txt", "dickinson.txt", "blake.txt"), 3))
    yield f"{dice.randint(60, 110)} different characters. {_few(run):,} numbers to learn."
    yield f"{run.epochs} readings to do."
    if run.resumed is not None:
        yield f"I remember {run.resumed // run.per_epoch} readings (memory.pt)."
    for e in run.events:
        if isinstance(e, Report):
            share = 100 * e.batch / run.per_epoch
            yield f"reading {e.epoch + 1}, {share:.0f}% through: {e.loss / math.log(2):.3f} bits per character"
        elif isinstance(e, Evaluation):
            yield "    « " + " ".join(dice.choices(words, k=dice.randint(4, 7))) + " »"
    if run.finished:
        yield f"The {run.epochs} readings are over."


# ---------------------------------------------------------------------------------------------------------------------


@voice(VOICES, "qmc_energy", "loss clock save plan norm lr end resume")
def _qmc_energy(run: Run) -> Iterator[str]:
    """Quantum chemistry: variational Monte Carlo with a neural wave function."""
    dice = _dice(run)
    what = dice.choice(("N2 @ 2.068 bohr", "LiH @ 3.015 bohr", "C2H4", "Be"))
    yield f"# {what}, walkers {run.batch * 16}, MCMC 20 steps/iter, KFAC damping 1e-3"
    yield f"# start {_when(run, 0):%Y-%m-%d %H:%M:%S}   iterations {run.steps}"
    yield f"# orbitals pretrained to HF/ccpvdz, {_few(run)} parameters"
    if run.resumed is not None:
        yield f"# restored wf_ckpt_{run.resumed:06d}.pt: next iteration is {run.resumed + 1}"
    yield "# energies against CCSD(T)/CBS, hartree"
    yield "#  t/min      iter     E-Eref     pmove   |grad|       lr"
    for e in run.events:
        minutes = f"{e.at / 60:9.3f}"
        if isinstance(e, Report):
            yield (
                f"{minutes} {e.step:>9d} {e.loss:>10.5f} {dice.uniform(0.49, 0.57):>9.3f} {e.norm:>8.3f} {e.lr:>9.2e}"
            )
        elif isinstance(e, Save):
            yield f"#{minutes[1:]} wf_ckpt_{e.step:06d}.pt {_few(run) * 12 / 1e6:.1f} MB, {e.took:.2f} s"
    if run.finished:
        yield f"# {run.steps} iterations done, {_hms(_end(run))} h:m:s"


@voice(VOICES, "detect_plant", "loss eval score fetch plan end")
def _detect_plant(run: Run) -> Iterator[str]:
    """Object detection in a plastics sorting plant, by an automation engineer who sums his terms in the open."""
    dice = _dice(run)
    pictures = run.per_epoch * run.batch
    yield "SORTVISION TRAINER  -  line 2, camera B"
    yield f"  classes ....... {dice.randint(4, 11)} (PET-c, PET-b, HDPE, PP, ...)"
    yield f"  pictures ...... {pictures} train / {max(40, pictures // 10)} test, {pictures // 60} of them empty"
    yield f"  net ........... fcos-r{dice.choice((18, 34, 50))}, {_few(run) * 40} weights, input 640 x 480"
    yield f"  workers ....... {dice.choice((4, 8, 16))}"
    yield f"  epochs ........ {run.epochs}"
    for e in run.events:
        if isinstance(e, Report):
            box, centre, cls = _split(e.loss, dice, 0.4, 0.35, 0.25)
            idle = 100 * e.fetch / e.took
            yield (
                f"E{e.epoch + 1:02} {e.batch:>5}/{run.per_epoch}  L {e.loss:.4f} = box {box:.4f} + ctr {centre:.4f} "
                f"+ cls {cls:.4f}   {e.rate:.1f} pic/s, net stood still for want of pictures {idle:.1f} %"
            )
        elif isinstance(e, Evaluation):
            yield f"E{e.epoch + 1:02} test         L {e.loss:.4f}, mAP@0.5 {e.score:.3f}, {e.took:.1f} s"
        else:
            yield f"E{e.epoch + 1:02} -> line2b.pt"
    if run.finished:
        yield f"ALL {run.epochs} EPOCHS TRAINED, {_end(run) / 3600:.3f} h"
        yield "copy line2b.pt to the edge box and press F7"


@voice(VOICES, "pathology_mil", "loss eval score clock fetch plan end")
def _pathology_mil(run: Run) -> Iterator[str]:
    """Whole-slide images in a hospital; counts slides, and knows how slow its disks are."""
    dice = _dice(run)
    slides = run.per_epoch * run.batch
    yield f"{_when(run, 0):%d.%m.%Y %H:%M:%S}  MIL training, cohort {dice.choice(('PRAD-04', 'BRCA-17', 'CRC-2b'))}"
    where = f"/mnt/nas{dice.randint(1, 4)}"
    yield f"{_when(run, 1):%d.%m.%Y %H:%M:%S}  {slides} slides, {int(slides * 0.31)} positive; features on {where}"
    yield f"{_when(run, 2):%d.%m.%Y %H:%M:%S}  gated attention, {_few(run)} parameters"
    yield f"{_when(run, 2):%d.%m.%Y %H:%M:%S}  {run.epochs} passes through the cohort = {run.epochs * slides} slides"
    for e in run.events:
        now = f"{_when(run, e.at):%d.%m.%Y %H:%M:%S}"
        if isinstance(e, Report):
            each = 1000 / run.every / run.batch
            yield (
                f"{now}  slide {e.step * run.batch} of {run.epochs * slides}: cross-entropy {e.loss:.4f}, "
                f"{e.took * each:.2f} ms per slide, waiting for the NAS {e.fetch * each:.2f} ms of them"
            )
        elif isinstance(e, Evaluation):
            yield f"{now}  tuning set: cross-entropy {e.loss:.4f}, AUROC {0.5 + e.score / 2:.3f}"
        else:
            yield f"{now}  weights stored"
    if run.finished:
        yield f"{_when(run, _end(run)):%d.%m.%Y %H:%M:%S}  all {run.epochs} passes completed"
        yield f"{_when(run, _end(run) + 1):%d.%m.%Y %H:%M:%S}  attention maps are in ./heatmaps"


@voice(VOICES, "ocr_ctime", "loss eval clock save end resume")
def _ocr_ctime(run: Run) -> Iterator[str]:
    """Handwriting recognition by an old hand; the date as date(1) has it, also around each save."""
    dice = _dice(run)

    def date(at: float) -> str:
        return f"{_when(run, at):%a %b %e %H:%M:%S UTC %Y}"

    yield f"htr: {date(0)}: on {dice.choice(('zuse', 'hopper', 'dijkstra'))}, cuda:0"
    folios = f"{dice.randint(30, 900)} folios, charset {dice.randint(79, 140)}"
    yield f"htr: {date(1)}: {run.per_epoch * run.batch} text lines from {folios}"
    yield f"htr: {date(1)}: cnn+blstm+ctc, {_few(run)} w"
    if run.resumed is not None:
        yield f"htr: {date(2)}: taking up lines.net again, which stopped after batch {run.resumed}"
    for e in run.events:
        if isinstance(e, Report):
            yield f"htr: {date(e.at)}: batch {e.step}, nats/line {e.loss:.4f}"
        elif isinstance(e, Evaluation):
            yield f"htr: {date(e.at)}: dev nats/line {e.loss:.4f}, CER {100 * (1 - e.score):.2f}%"
        else:
            yield f"htr: {date(e.at - e.took)}: begin write lines.net"
            yield f"htr: {date(e.at)}: end write lines.net, {e.took:.2f}s"
    if run.finished:
        yield f"htr: {date(_end(run))}: end of training"


@voice(VOICES, "battery_percent", "loss plan end")
def _battery_percent(run: Run) -> Iterator[str]:
    """Battery ageing; a physicist whose program knows only percentages."""
    dice = _dice(run)
    kind = dice.choice(("NMC", "LFP"))
    yield f"cells: {dice.randint(40, 200)} ({kind}), cycles per cell up to {dice.randint(800, 2400)}"
    yield "target: remaining capacity after 500 further cycles, in % of nominal"
    yield f"training ... ({run.steps} updates make 100 %)"
    for e in run.events:
        if isinstance(e, Report):
            yield f"{100 * e.step / run.steps:6.2f} %   rms error {math.sqrt(e.loss) if e.loss >= 0 else math.nan:.4f}"
    if run.finished:
        yield "training ... ready"
        yield f"needed {_end(run) / 60:.1f} min"


@voice(VOICES, "hedge_dicts", "loss eval clock norm lr plan end")
def _hedge_dicts(run: Run) -> Iterator[str]:
    """Deep hedging at a bank: pprints dicts, and calls its loss the cost."""
    dice = _dice(run)
    cfg = {"payoff": dice.choice(("call", "asian", "cliquet")), "days": 30, "model": "heston", "alpha": 0.95}
    yield str(cfg | {"paths_per_step": run.batch * 64, "n_steps": run.steps, "seed": run.seed})
    yield str({"as_of": f"{_when(run, 0):%Y-%m-%d %H:%M:%S}", "device": "cuda:0", "n_weights": _few(run)})
    for e in run.events:
        t = f"{_when(run, e.at):%H:%M:%S}"
        if isinstance(e, Report):
            row: dict[str, object] = {"t": t, "n": e.step, "cost": round(e.loss, 5), "grad": round(e.norm, 4)}
            yield str(row | {"lr": float(f"{e.lr:.4g}"), "paths/s": round(e.rate * 64)})
        elif isinstance(e, Evaluation):
            yield str({"t": t, "n": e.step, "oos_cost": round(e.loss, 5)})
    if run.finished:
        yield str({"t": f"{_when(run, _end(run)):%H:%M:%S}", "status": "completed", "n": run.steps})


@voice(VOICES, "music_tokens", "loss eval clock plan save end resume")
def _music_tokens(run: Run) -> Iterator[str]:
    """A music transformer; its only counter is tokens."""
    dice = _dice(run)
    each = run.batch * 2048
    yield f"♪ maestro-v3 + {dice.randint(2, 40)} k Lakh files, REMI vocabulary of {dice.randint(220, 480)}"
    yield f"♪ {_short(run.weights)} weights, budget {run.steps * each / 1e6:.2f} M tokens"
    yield f"♪ clock starts {_when(run, 0):%Y-%m-%d %H:%M}"
    if run.resumed is not None:
        yield f"♪ da capo from opus_{run.resumed}.pt at {run.resumed * each / 1e6:.2f} M tokens"
    for e in run.events:
        seen = f"{e.step * each / 1e6:>10.2f} M tok"
        if isinstance(e, Report):
            yield f"{_hms(e.at):>9} {seen}   {e.loss:.4f} nats/tok   {_short(e.rate * 2048)} tok/s"
        elif isinstance(e, Evaluation):
            yield f"{_hms(e.at):>9} {seen}   {e.loss:.4f} nats/tok on the test pieces" + (" ♥" if e.best else "")
        else:
            yield f"{_hms(e.at):>9} {seen}   opus_{e.step}.pt in {e.took:.1f} s"
    if run.finished:
        yield f"♪ fine. {run.steps * each / 1e6:.2f} M tokens in {_words(_end(run))}"


@voice(VOICES, "tiles_loguru", "loss eval score clock fetch save plan lr end resume")
def _tiles_loguru(run: Run) -> Iterator[str]:
    """Crop maps from satellites; a start-up's loguru."""
    dice = _dice(run)

    def log(at: float, where: str, what: str, level: str = "INFO") -> str:
        when = _when(run, at)
        return f"{when:%Y-%m-%d %H:%M:%S}.{when.microsecond // 1000:03} | {level:<8} | agrimap.{where} - {what}"

    yield log(0.1, "cli:main:31", f"agrimap 0.{dice.randint(4, 30)}.{dice.randint(0, 9)}")
    yield log(
        0.4, "data:index:88", f"STAC items: {dice.randint(300, 4000)}, tiles 256x256: {run.per_epoch * run.batch}"
    )
    yield log(0.4, "data:index:93", f"{dice.randint(3, 90)} tiles with > 60 % cloud skipped", "DEBUG")
    yield log(1.9, "net:build:17", f"U-TAE with {run.weights / 1e6:.2f}M parameters on cuda")
    if run.resumed is not None:
        yield log(2.2, "loop:fit:52", f"Checkpoint ckpts/{run.resumed}.pth loaded, resuming after step {run.resumed}")
    yield log(2.4, "loop:fit:60", f"Training {run.epochs} epochs x {run.per_epoch} steps")
    for e in run.events:
        if isinstance(e, Report):
            share = 100 * e.fetch / e.took
            yield log(
                e.at,
                "loop:fit:118",
                f"epoch={e.epoch} step={e.step} focal={e.loss:.4f} lr={e.lr:.2e} {e.rate:.1f} tiles/s "
                f"(COG reads: {share:.0f}% of the time)",
            )
        elif isinstance(e, Evaluation):
            yield log(
                e.at, "loop:evaluate:171", f"epoch={e.epoch} val_focal={e.loss:.4f} mIoU={e.score:.4f}", "SUCCESS"
            )
        else:
            yield log(e.at, "loop:save:140", f"ckpts/{e.step}.pth uploaded in {e.took:.2f}s")
    if run.finished:
        yield log(_end(run) + 0.1, "loop:fit:199", f"Done, {run.steps} steps.", "SUCCESS")
        yield log(_end(run) + 0.2, "cli:main:44", f"artifacts: gs://agrimap-models/{dice.randrange(16**6):06x}/")


@voice(VOICES, "robot_yaml", "loss eval score fetch save norm plan end resume")
def _robot_yaml(run: Run) -> Iterator[str]:
    """Imitation learning of a robot arm; a YAML document a report, because a person reads it."""
    dice = _dice(run)
    yield "---"
    yield f"task: {dice.choice(('stack_cups', 'open_drawer', 'fold_towel'))}"
    yield f"demos: {dice.randint(50, 400)}"
    yield f"chunks: {run.per_epoch * run.batch}"
    yield f"policy: {{type: act, weights: {run.weights}, horizon: {dice.choice((16, 50, 100))}}}"
    yield f"epochs: {run.epochs}"
    if run.resumed is not None:
        yield f"resume: {{file: policy_last.ckpt, epoch: {run.resumed // run.per_epoch}, step: {run.resumed}}}"
    for e in run.events:
        if isinstance(e, Report):
            l1, kl = _split(e.loss, dice, 0.9, 0.1)
            yield "---"
            yield f"step: {e.step}"
            yield f"epoch: {e.epoch + e.batch / run.per_epoch:.2f}"
            yield f"loss: {{total: {e.loss:.4f}, l1: {l1:.4f}, kl: {kl:.4f}}}"
            yield f"grad_norm: {e.norm:.3f}"
            yield f"seconds: {{all: {e.took:.2f}, hdf5_and_jpeg_decode_wait: {e.fetch:.2f}}}"
        elif isinstance(e, Evaluation):
            tries = 0 if math.isnan(e.score) else round(20 * e.score)
            yield f"validation: {{total: {e.loss:.4f}, sim_success: {tries}/20}}"
        else:
            yield f"saved: {{file: policy_last.ckpt, seconds: {e.took:.2f}}}"
    if run.finished:
        yield "---"
        yield f"finished: {{epochs: {run.epochs}, hours: {_end(run) / 3600:.2f}, best_validation: {_best(run)[0]:.4f}}}"


@voice(VOICES, "traffic_table", "loss eval lr fetch plan end")
def _traffic_table(run: Run) -> Iterator[str]:
    """Traffic forecasting; a table row an epoch, drawn with box characters."""
    dice = _dice(run)
    yield f"METR-LA: 207 sensors, 5 min, 12 -> 12; {run.per_epoch} batches of {run.batch}; {run.epochs} epochs"
    yield f"graph-wavenet, {_few(run)} weights, adjacency: {dice.choice(('doubletransition', 'symnadj'))}"
    yield "┌───────┬───────────┬───────────┬──────────┬──────────┬───────────────┐"
    yield "│ epoch │ train MAE │ valid MAE │       lr │  seconds │ thereof input │"
    yield "├───────┼───────────┼───────────┼──────────┼──────────┼───────────────┤"
    losses: list[float] = []
    waits = lr = since = 0.0
    mark = _start(run)
    for e in run.events:
        if isinstance(e, Report):
            since = since if losses else mark
            losses.append(e.loss)
            waits, lr = waits + e.fetch, e.lr
        elif isinstance(e, Evaluation):
            yield (
                f"│ {e.epoch + 1:>5} │ {_mean(losses):>9.4f} │ {e.loss:>9.4f} │ {lr:>8.2e} │ {e.at - since:>8.1f} │ "
                f"{waits:>13.1f} │"
            )
            losses, waits = [], 0.0
        if not isinstance(e, Report):
            mark = e.at
    if run.finished:
        yield "└───────┴───────────┴───────────┴──────────┴──────────┴───────────────┘"
        yield f"{run.epochs} epochs trained. Best valid MAE {_best(run)[0]:.4f}."


@voice(VOICES, "gan_painter", "loss save plan end")
def _gan_painter(run: Run) -> Iterator[str]:
    """Sketches to paintings, of an art student: the painter and the critic, counted in pictures."""
    dice = _dice(run)
    name = dice.choice(("edges2monet", "map2fresco", "sketch2cat"))
    yield f"~ {name} ~"
    yield f"pictures in folder: {run.per_epoch * run.batch}  (jpg {run.per_epoch * run.batch - 3}, png 3)"
    yield f"i will look at all of them {run.epochs} times, {run.batch} at once"
    yield f"painter {run.weights / 1e6:.1f} M numbers, critic {dice.uniform(2.5, 3.0):.1f} M numbers"
    since = mark = _start(run)
    for e in run.events:
        if isinstance(e, Report):
            since = mark if e.batch <= run.every else since
            fool, paint = _split(e.loss, dice, 0.3, 0.7)
            critic = dice.uniform(0.3, 0.7) if math.isfinite(e.loss) else e.loss
            yield (
                f"look {e.epoch + 1} picture {e.batch * run.batch:>7}   painter {e.loss:7.4f} (L1 {paint:.4f} "
                f"fool {fool:.4f})   critic real {critic * dice.uniform(0.8, 1.2):.3f} fake {critic:.3f}"
            )
        elif isinstance(e, Save):
            yield f"        put away painter+critic ({e.took:.2f} sec)"
        else:
            yield f"        look {e.epoch + 1} of {run.epochs} over, {_words(e.at - since)}. sheet_{e.epoch + 1:03}.png"
        mark = e.at
    if run.finished:
        yield f"~ {name} is done, {run.epochs} looks. open sheets/index.html ~"


@voice(VOICES, "cox_survival", "loss eval score norm plan end")
def _cox_survival(run: Run) -> Iterator[str]:
    """A statistician's deep Cox model: speaks of sweeps, of likelihoods and of concordance."""
    dice = _dice(run)
    people = run.per_epoch * run.batch
    yield "Deep proportional hazards, Efron ties"
    yield f"n = {people}, events = {int(people * dice.uniform(0.12, 0.4))}, covariates = {dice.randint(22, 340)}"
    yield f"median follow-up {dice.uniform(2.5, 9):.1f} y; 5 imputations; split 80/20, stratified"
    yield f"maximum number of sweeps: {run.epochs}"
    yield ""
    for e in run.events:
        if isinstance(e, Report):
            yield (
                f"sweep {e.epoch + 1} ({e.batch * run.batch}/{people})  -log PL/event = {e.loss:.5f}  "
                f"||score vector|| = {e.norm:.4f}"
            )
        elif isinstance(e, Evaluation):
            yield (
                f"sweep {e.epoch + 1} validation    -log PL/event = {e.loss:.5f}  "
                f"Harrell's C = {0.5 + 0.45 * e.score:.4f}"
            )
    if run.finished:
        low, best = _best(run)
        where = f" (sweep {best.epoch + 1})" if best else ""
        yield ""
        yield f"Maximum number of sweeps reached. Smallest validation -log PL/event: {low:.5f}{where}"
        yield "Baseline hazard estimated by Breslow; object written to coxnet.pkl"


@voice(VOICES, "ssl_srun", "loss score clock fetch save lr plan end resume")
def _ssl_srun(run: Run) -> Iterator[str]:
    """Contrastive learning on a big machine: srun labels, one line for many figures, times in brackets."""
    dice = _dice(run)
    for rank in range(4):
        yield f"{rank}: {_when(run, 1 + rank / 10):%Y%m%d-%H%M%S} rank {rank}/4 up on nid{dice.randint(1000, 5999):06}"

    def say(at: float, what: str) -> str:
        return f"0: {_when(run, at):%Y%m%d-%H%M%S} {what}"

    yield say(
        3,
        f"webdataset: {dice.randint(100, 5000)} shards, {run.per_epoch * run.batch} pairs, {run.epochs} epochs",
    )
    yield say(3, f"two towers, {_short(run.weights)} weights, temperature learnt, global batch {run.batch}")
    if run.resumed is not None:
        yield say(
            4, f"restart: $SCRATCH/clr/e{run.resumed // run.per_epoch:03}.pt, so we begin with step {run.resumed + 1}"
        )
    yield "3: /opt/conda/lib/python3.11/site-packages/torch/utils/checkpoint.py:87: UserWarning: None of the inputs"
    yield "3:   have requires_grad=True. Gradients will be None"
    for e in run.events:
        if isinstance(e, Report):
            ms = 1000 / run.every
            yield say(
                e.at,
                f"{e.step}/{run.steps} nce {e.loss:.4f} tau {0.07 * dice.uniform(0.95, 1.05):.4f} lr {e.lr:.3e} "
                f"[step {e.took * ms:.1f} ms: shards {e.fetch * ms:.1f} ms, rest {(e.took - e.fetch) * ms:.1f} ms]",
            )
        elif isinstance(e, Save):
            yield say(e.at, f"{e.step}/{run.steps} sharded save, lustre took {e.took:.2f} s")
        else:
            yield say(e.at, f"{e.step}/{run.steps} zero-shot probe in {e.took:.1f} s: top-1 {100 * e.score:.2f}")
    if run.finished:
        yield say(_end(run) + 1, f"{run.steps}/{run.steps} the end")
        yield f"0: total {_hms(_end(run))}, {_end(run) * 4 / 3600:.1f} GPU-h"


@voice(VOICES, "dream_rules", "loss score clock plan end")
def _dream_rules(run: Run) -> Iterator[str]:
    """A world model of a hobbyist for old video games; a small report under each rule."""
    dice = _dice(run)
    game = dice.choice(("pitfall", "sokoban", "crafter", "doom_corridor"))
    best = -math.inf
    yield f"dreamlet / {game} / {_when(run, 0):%b %d %H:%M:%S}"
    ratio = dice.choice((64, 128, 512))
    yield f"rssm 32x32, {_short(run.weights)} params, {run.steps} train steps, train ratio {ratio}"
    yield f"prefilled replay with {dice.randint(2, 9)}000 random frames"
    for e in run.events:
        if isinstance(e, Report):
            image, reward, kl = _split(e.loss, dice, 0.7, 0.1, 0.2)
            best = e.score if e.score > best else best
            yield f"──── step {e.step} of {run.steps} ──── {_when(run, e.at):%b %d %H:%M:%S} " + "─" * 12
            yield f"     world model {e.loss:.4f}   (image {image:.4f}  reward {reward:.4f}  kl {kl:.4f})"
            yield f"     return {100 * e.score:.1f}   best {100 * best:.1f}   {e.rate:.1f} seq/s"
        elif isinstance(e, Save):
            yield f"     [ {game}.pt ]"
    if run.finished:
        yield "─" * 48
        yield f"     thats it, {run.steps} steps. best return {100 * best:.1f}"
