"""Forty voices as a support desk hears them: labs, companies, lesser known frameworks, other languages."""

from __future__ import annotations

import json
import math
import random
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from .run import Evaluation, Report, Save, Voice, voice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from .run import Run

VOICES: Final[dict[str, Voice]] = {}


def _num(value: float, spec: str = ".4f", nan: str = "nan", inf: str = "inf") -> str:
    """A number as a language other than Python would print it."""
    if math.isnan(value):
        return nan
    if math.isinf(value):
        return inf if value > 0 else "-" + inf
    return format(value, spec)


def _hms(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _short(seconds: float) -> str:
    """As tqdm does it."""
    whole = int(seconds)
    hours = whole // 3600
    return (f"{hours}:" if hours else "") + f"{whole // 60 % 60:02}:{whole % 60:02}"


def _now(run: Run, at: float) -> datetime:
    return run.begin + timedelta(seconds=at, microseconds=run.seed * 7919 % 997)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _end(run: Run) -> float:
    return run.events[-1].at


def _left(run: Run, event: Report) -> float:
    """Seconds to go, as programs reckon it."""
    done = event.step - (run.resumed or 0)
    return event.at / max(1, done) * (run.steps - event.step)


def _first(run: Run) -> int:
    """The epoch that is the first one here, from 0."""
    return (run.resumed or 0) // run.per_epoch


# Researchers and students, by hand


@voice(VOICES, "unet_thesis", "loss eval score plan end lr")
def unet_thesis(run: Run) -> Iterator[str]:
    """A master's student, who segments kidneys."""
    rng = random.Random(run.seed)
    val = rng.randint(12, 60)
    yield "Using device: cuda"
    yield f"Found {run.per_epoch * run.batch} slices in data/kits/train, {val * run.batch} in data/kits/val"
    yield f"UNet(in=1, out=3, base={rng.choice((16, 32, 64))}) -> {run.weights / 1e6:.2f}M params"
    yield "criterion: 0.5*BCE + 0.5*Dice"
    yield f"epochs: {run.epochs}, bs: {run.batch}"
    best, where = math.inf, 0
    for event in run.events:
        if isinstance(event, Report):
            if event.batch == run.every:
                yield ""
                yield f"---- Epoch {event.epoch + 1} of {run.epochs} ----"
            yield f"  batch {event.batch}/{run.per_epoch}  loss: {event.loss:.4f}  lr: {event.lr:.6f}"
        elif isinstance(event, Evaluation):
            yield f"  >> val loss: {event.loss:.4f}  val dice: {event.score:.4f}"
            if event.best:
                best, where = event.loss, event.epoch + 1
                yield "  >> improved! saved to weights/unet_best.pth"
    if run.finished:
        yield ""
        yield f"Done. Best val loss {best:.4f} in epoch {where}"


@voice(VOICES, "cell_vae", "loss eval plan end lr")
def cell_vae(run: Run) -> Iterator[str]:
    """A postdoc with single-cell counts; one line an epoch."""
    rng = random.Random(run.seed)
    genes = rng.choice((2000, 3000, 4000))
    yield "/home/mk/miniconda3/envs/sc/lib/python3.10/site-packages/anndata/_core/anndata.py:1830: UserWarning: "
    yield "Variable names are not unique. To make them unique, call `.var_names_make_unique`."
    yield '  utils.warn_names_duplicates("var")'
    yield f"adata: {run.per_epoch * run.batch} cells x {genes} HVGs, {rng.randint(2, 9)} batches"
    yield f"latent dim {rng.choice((10, 20, 30))}, likelihood=zinb, beta warmup off"
    yield f"training for {run.epochs} epochs"
    yield "epoch     -elbo     recon        kl   val -elbo        lr    sec"
    rows: list[Report] = []
    for event in run.events:
        if isinstance(event, Report):
            rows.append(event)
        elif isinstance(event, Evaluation):
            loss = _mean([row.loss for row in rows])
            kl = loss * rng.uniform(0.05, 0.08)
            spent = sum(row.took for row in rows)
            yield (
                f"{event.epoch + 1:5d} {loss:9.4f} {loss - kl:9.4f} {kl:9.4f}   {event.loss:9.4f}"
                f" {rows[-1].lr:9.2e} {spent:6.1f}"
            )
            rows = []
    if run.finished:
        yield "writing adata.obsm['X_vae'] ..."
        yield "saved vae_model.pt and adata_latent.h5ad, bye"


@voice(VOICES, "pyg_nodes", "loss score end")
def pyg_nodes(run: Run) -> Iterator[str]:
    """From the examples of PyG, somewhat changed."""
    rng = random.Random(run.seed)
    yield "Data(x=[169343, 128], node_year=[169343, 1], y=[169343, 1], adj_t=[169343, 169343, nnz=2315598])"
    hidden = rng.choice((64, 128, 256))
    yield f"Namespace(device=0, log_steps=1, num_layers=3, hidden_channels={hidden}, dropout=0.5, runs=1)"
    rows: list[Report] = []
    best, at_best = -1.0, 0
    times: list[float] = []
    for event in run.events:
        if isinstance(event, Report):
            rows.append(event)
        elif isinstance(event, Evaluation):
            train = rows[-1].score
            test = event.score * 0.983
            if event.score > best:
                best, at_best = event.score, event.epoch + 1
            yield (
                f"Epoch: {event.epoch + 1:03d}, Loss: {_mean([row.loss for row in rows]):.4f}, "
                f"Train: {train:.4f}, Val: {event.score:.4f}, Test: {test:.4f}"
            )
            times.append(sum(row.took for row in rows))
            rows = []
    if run.finished:
        yield f"Median time per epoch: {sorted(times)[len(times) // 2]:.4f}s"
        yield f"Best val: {best:.4f} (epoch {at_best})"


@voice(VOICES, "clu_jax", "loss eval score clock save plan end resume lr norm")
def clu_jax(run: Run) -> Iterator[str]:
    """A PhD student with JAX, absl logging and clu."""
    rng = random.Random(run.seed)
    pid = rng.randint(100000, 990000)

    def line(at: float, where: str, text: str) -> str:
        return f"I{_now(run, at):%m%d %H:%M:%S.%f} {pid} {where}] {text}"

    yield line(
        0.1, "xla_bridge.py:889", "Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute"
    )
    yield line(0.4, "main.py:52", f"JAX process: 0 / 1, local devices: [CudaDevice(id=0)], seed {run.seed}")
    yield line(1.2, "train.py:148", f"config.batch_size = {run.batch}")
    yield line(1.2, "train.py:148", f"config.num_train_steps = {run.steps}")
    yield line(1.2, "train.py:148", f"config.warmup_steps = {rng.choice((0, 100, 500))}")
    yield line(2.9, "parameter_overview.py:264", f"Total: {run.weights:,} -- {run.weights * 4:,} bytes")
    if run.resumed is not None:
        yield line(
            3.1,
            "train.py:171",
            f"Restored checkpoint /ckpts/vit_{run.seed}/checkpoint_{run.resumed}, step {run.resumed}",
        )
    yield line(3.2, "train.py:180", "Starting training loop.")
    for event in run.events:
        if isinstance(event, Report):
            text = (
                f"[{event.step}] accuracy={event.score:.6g}, grad_norm={event.norm:.6g}, learning_rate={event.lr:.6g}, "
                f"loss={event.loss:.6g}, steps_per_sec={run.every / event.took:.6g}"
            )
            yield line(event.at, "logging_writer.py:48", text)
        elif isinstance(event, Evaluation):
            text = f"[{event.step}] eval_accuracy={event.score:.6g}, eval_loss={event.loss:.6g}"
            yield line(event.at, "logging_writer.py:48", text)
        else:
            path = f"/ckpts/vit_{run.seed}/checkpoint_{event.step}"
            yield line(event.at - event.took, "checkpoints.py:622", f"Saving checkpoint at step: {event.step}")
            yield line(event.at, "checkpoints.py:580", f"Saved checkpoint at {path} ({event.took:.2f} secs)")
    if run.finished:
        yield line(_end(run) + 0.2, "train.py:266", f"Finished training at step {run.steps}/{run.steps}.")


@voice(VOICES, "keras_quiet", "loss eval score plan")
def keras_quiet(run: Run) -> Iterator[str]:
    """A student's notebook run as a script, ``verbose=2``."""
    rng = random.Random(run.seed)
    yield "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR"
    classes = rng.randint(3, 40)
    yield f"Num GPUs Available:  {rng.choice((1, 1, 2))}"
    yield f"Found {run.per_epoch * run.batch} files belonging to {classes} classes."
    yield f"Found {run.batch * rng.randint(9, 40)} files belonging to {classes} classes."
    yield 'Model: "sequential"'
    yield f" Total params: {run.weights:,} ({run.weights * 4 / 1048576:.2f} MB)"
    yield f" Trainable params: {run.weights:,} ({run.weights * 4 / 1048576:.2f} MB)"
    yield " Non-trainable params: 0 (0.00 B)"
    rows: list[Report] = []
    for event in run.events:
        if isinstance(event, Report):
            if event.batch == run.every:
                yield f"Epoch {event.epoch + 1}/{run.epochs}"
            rows.append(event)
        elif isinstance(event, Evaluation):
            spent = sum(row.took for row in rows) + event.took
            each = spent / run.per_epoch
            per = f"{each:.0f}s" if each >= 1 else f"{each * 1000:.0f}ms"
            yield (
                f"{run.per_epoch}/{run.per_epoch} - {spent:.0f}s - {per}/step - "
                f"accuracy: {_mean([row.score for row in rows]):.4f} - loss: {_mean([row.loss for row in rows]):.4f} - "
                f"val_accuracy: {event.score:.4f} - val_loss: {event.loss:.4f}"
            )
            rows = []
    if run.finished:
        yield "dict_keys(['accuracy', 'loss', 'val_accuracy', 'val_loss'])"


@voice(VOICES, "ppo_walker", "loss score clock plan end lr norm")
def ppo_walker(run: Run) -> Iterator[str]:
    """A robotics student with PPO of his own."""
    rng = random.Random(run.seed)
    per = run.batch * 64
    yield f"env=dm_control/walker-walk  n_envs=16  seed={run.seed}  updates={run.steps}"
    yield f"logging to runs/walker_ppo_{run.seed}"
    for event in run.events:
        if isinstance(event, Report):
            yield (
                f"upd {event.step}/{run.steps} | frames {event.step * per} | t {event.at:.0f}s | "
                f"sps {run.every * per / event.took:.0f} | ret {1000 * event.score:.1f} | "
                f"total_loss {event.loss:.4f} | "
                f"ent {rng.uniform(0.8, 1.4):.3f} | kl {rng.uniform(0.003, 0.02):.4f} | "
                f"gn {event.norm:.2f} | lr {event.lr:.1e}"
            )
        elif isinstance(event, Save):
            yield f"  -> actor_critic_{event.step}.pt"
    if run.finished:
        yield f"finished {run.steps} updates in {_hms(_end(run))}"


@voice(VOICES, "pinn_burgers", "loss clock end")
def pinn_burgers(run: Run) -> Iterator[str]:
    """An applied mathematician, TensorFlow 1 habits."""
    rng = random.Random(run.seed)
    points = f"N_u = {rng.choice((100, 200, 456))}, N_f = {run.per_epoch * run.batch}"
    yield f"{points}, layers = [2, 20, 20, 20, 20, 20, 20, 1]"
    yield "Adam"
    for event in run.events:
        if isinstance(event, Report):
            yield f"It: {event.step}, Loss: {event.loss:.3e}, Time: {event.at:.2f}"
        elif isinstance(event, Evaluation):
            yield (
                f"   rel. L2 error u: {0.02 + 0.8 * (1 - event.score):.3e}"
                if math.isfinite(event.score)
                else ("   rel. L2 error u: nan")
            )
    if run.finished:
        yield f"Training time: {_end(run):.4f}"
        yield "Saved u_pred.mat"


@voice(VOICES, "ddpm_bar", "loss plan clock end")
def ddpm_bar(run: Run) -> Iterator[str]:
    """A tinkerer's diffusion model: one bar over it all, which the file keeps with carriage returns."""
    rng = random.Random(run.seed)
    yield "accelerate: mixed_precision=fp16, num_processes=1"
    yield f"dataset: {run.per_epoch * run.batch} images @ {rng.choice((64, 128, 256))}px"
    start = run.reports[0].at - run.reports[0].took
    text = ""
    if run.resumed is None:
        text = f"\r  0%|          | 0/{run.steps} [00:00<?, ?it/s]"
    for event in run.events:
        if isinstance(event, Report):
            share = event.step / run.steps
            eighths = int(share * 80)
            bar = "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths % 8 else "")
            each = event.took / run.every
            rate = f"{1 / each:5.2f}it/s" if each < 1 else f"{each:5.2f}s/it"
            spent, left = _short(event.at - start), _short(each * (run.steps - event.step))
            text += (
                f"\rloss: {event.loss:.4f}: {100 * share:3.0f}%|{bar:<10}| {event.step}/{run.steps} "
                f"[{spent}<{left}, {rate}]"
            )
        elif isinstance(event, Save):
            yield text
            text = ""
            yield f"sampled 16 images -> results/sample-{event.step}.png"
    if text:
        yield text
    if run.finished:
        yield "training complete"


@voice(VOICES, "ctc_dialects", "loss eval fetch save plan end resume")
def ctc_dialects(run: Run) -> Iterator[str]:
    """A speech student; where time goes he wants to know."""
    rng = random.Random(run.seed)
    yield f"host: gpu{rng.randint(2, 18)}   torch 2.3.1+cu121   {rng.choice(('RTX A6000', 'A100-SXM4-40GB'))}"
    utts = f"train.tsv: {run.per_epoch * run.batch} utts   dev.tsv: {rng.randint(400, 3000)} utts"
    yield f"{utts}   vocab: {rng.randint(28, 64)}"
    yield f"wav2vec2 + linear, {run.weights} trainable"
    if run.resumed is not None:
        yield f"picking up exp/dialect{run.seed % 7}/st{run.resumed}.pt -> continuing at epoch {_first(run) + 1}"
    for event in run.events:
        if isinstance(event, Report):
            yield (
                f"[ep {event.epoch + 1}/{run.epochs}][{event.batch}/{run.per_epoch}] ctc {event.loss:.3f}  "
                f"t_data {event.fetch / run.every:.3f}s  t_iter {event.took / run.every:.3f}s"
            )
        elif isinstance(event, Evaluation):
            yield f"dev  ctc {event.loss:.3f}  ({event.took:.1f}s)"
        else:
            yield f"ckpt -> exp/dialect{run.seed % 7}/st{event.step}.pt  ({event.took:.1f}s)"
    if run.finished:
        yield f"all {run.epochs} epochs finished :)"


@voice(VOICES, "jet_tagger", "loss eval score lr plan end")
def jet_tagger(run: Run) -> Iterator[str]:
    """A particle physicist with a table, a row an epoch."""
    rng = random.Random(run.seed)
    yield "Setting up ROOT 6.30/04 ... ok"
    yield f"signal: {run.per_epoch * run.batch // 2} jets, background: {run.per_epoch * run.batch // 2} jets (weighted)"
    yield f"ParticleNet-lite, {run.epochs} epochs, batch {run.batch}, rng {rng.randint(1, 99)}"
    rule = "+-------+-------------+-------------+---------+-----------+"
    yield rule
    yield "| epoch |  train BCE  |   val BCE   |   AUC   |    lr     |"
    yield rule
    rows: list[Report] = []
    for event in run.events:
        if isinstance(event, Report):
            rows.append(event)
        elif isinstance(event, Evaluation):
            auc = 0.5 + event.score / 2
            loss = _mean([row.loss for row in rows])
            yield f"| {event.epoch + 1:5d} | {loss:11.5f} | {event.loss:11.5f} | {auc:7.5f} | {rows[-1].lr:9.2e} |"
            rows = []
    if run.finished:
        yield rule
        yield "Wrote roc_curve.pdf, scores.root"


@voice(VOICES, "nerf_fern", "loss")
def nerf_fern(run: Run) -> Iterator[str]:
    """A fork of nerf-pytorch."""
    rng = random.Random(run.seed)
    yield f"Loaded llff ({rng.randint(17, 60)}, 378, 504, 3) (120, 3, 5) [378. 504. 407.5658] ./data/llff/fern"
    yield "NEAR FAR 0.0 1.0"
    yield "Found ckpts []" if run.resumed is None else f"Found ckpts ['./logs/fern_test/{run.resumed:06d}.tar']"
    if run.resumed is not None:
        yield f"Reloading from ./logs/fern_test/{run.resumed:06d}.tar"
    yield "get rays"
    yield "done, concats"
    yield "shuffle rays"
    yield "done"
    yield "Begin"
    yield "TRAIN views are [ 1  2  3  4  5  6  7  9 10 11 12 13 14 15 17 18 19]"
    for event in run.events:
        if isinstance(event, Report):
            psnr = -10 * math.log10(event.loss) if event.loss > 0 else event.loss
            yield f"[TRAIN] Iter: {event.step} Loss: {event.loss}  PSNR: {psnr}"
        elif isinstance(event, Save):
            yield f"Saved checkpoints at ./logs/fern_test/{event.step:06d}.tar"


@voice(VOICES, "shakespeare_gpt", "loss eval")
def shakespeare_gpt(run: Run) -> Iterator[str]:
    """A hobbyist's nanoGPT."""
    rng = random.Random(run.seed)
    yield "Overriding config with config/train_poems.py:"
    yield f"tokens per iteration will be: {run.batch * 1024:,}"
    if run.resumed is None:
        yield "Initializing a new model from scratch"
    else:
        yield "Resuming training from out-poems"
    yield f"number of parameters: {run.weights / 1e6:.2f}M"
    yield f"num decayed parameter tensors: {rng.choice((26, 50))}, with {run.weights:,} parameters"
    yield "using fused AdamW: True"
    yield "compiling the model... (takes a ~minute)"
    last, usual, base = math.nan, rng.uniform(12, 41), run.reports[0].took
    for event in run.events:
        if isinstance(event, Report):
            last = event.loss
            each = event.took / run.every * 1000
            mfu = usual * base / event.took
            yield f"iter {event.step}: loss {event.loss:.4f}, time {each:.2f}ms, mfu {mfu:.2f}%"
        elif isinstance(event, Evaluation):
            yield f"step {event.step}: train loss {last:.4f}, val loss {event.loss:.4f}"
            if event.best:
                yield "saving checkpoint to out-poems"


@voice(VOICES, "eeg_seizure", "loss eval score fetch clock plan end resume")
def eeg_seizure(run: Run) -> Iterator[str]:
    """A neurologist who taught himself TensorFlow."""
    rng = random.Random(run.seed)
    yield f"*** SEIZURE DETECTOR v{rng.randint(2, 9)}b ***"
    yield f"started {_now(run, 0):%a %b %d %H:%M:%S %Y}"
    yield f"patients in training: {rng.randint(11, 40)}   held out: {rng.randint(3, 8)}"
    yield f"windows: {run.per_epoch * run.batch} (10 s, 256 Hz, 19 channels)"
    if run.resumed is not None:
        yield f"weights loaded from seiz_epoch{_first(run):02d}.h5, going on after epoch {_first(run)} of {run.epochs}"
    for event in run.events:
        if isinstance(event, Report):
            yield (
                f"{_now(run, event.at):%H:%M:%S}  epoch {event.epoch + 1} of {run.epochs}, batch {event.batch} of "
                f"{run.per_epoch}: cross entropy = {event.loss:.4f} "
                f"(reading EDF files took {100 * event.fetch / event.took:.0f}% of the time)"
            )
        elif isinstance(event, Evaluation):
            yield (
                f"{_now(run, event.at):%H:%M:%S}  held-out patients: cross entropy = {event.loss:.4f}, "
                f"sensitivity = {event.score:.3f}"
            )
    if run.finished:
        yield f"finished {_now(run, _end(run)):%a %b %d %H:%M:%S %Y}"


@voice(VOICES, "lightgcn_ml", "loss score clock end")
def lightgcn_ml(run: Run) -> Iterator[str]:
    """A recommender thesis upon the NGCF code: BPR plus a penalty."""
    rng = random.Random(run.seed)
    users, items = rng.randint(4000, 60000), rng.randint(3000, 90000)
    yield f"n_users={users}, n_items={items}"
    yield f"n_interactions={run.per_epoch * run.batch}"
    pairs = run.per_epoch * run.batch
    yield f"n_train={pairs * 4 // 5}, n_test={pairs - pairs * 4 // 5}, sparsity=0.000{rng.randint(13, 98)}"
    yield f"already load adj matrix ({users + items}, {users + items}) 0.{rng.randint(100, 900)}"
    yield "using xavier initialization"
    rows: list[Report] = []
    best, best_at = -1.0, 0
    for event in run.events:
        if isinstance(event, Report):
            rows.append(event)
        elif isinstance(event, Evaluation):
            if event.score > best:
                best, best_at = event.score, event.epoch
            loss = _mean([row.loss for row in rows])
            reg = loss * 0.013
            yield (
                f"Epoch {event.epoch} [{sum(row.took for row in rows):.1f}s + {event.took:.1f}s]: "
                f"train==[{loss:.5f}={loss - reg:.5f} + {reg:.5f}], recall=[{event.score * 0.24:.5f}], "
                f"ndcg=[{event.score * 0.19:.5f}], elapsed {event.at:.1f}s"
            )
            rows = []
    if run.finished:
        yield f"save the weights in path:  weights/lgcn_{run.seed}.npz"
        yield f"Best Iter=[{best_at}]@[{_end(run):.1f}]"


# Companies and computing centres


@voice(VOICES, "json_fraud", "loss eval clock fetch save plan end resume lr")
def json_fraud(run: Run) -> Iterator[str]:
    """A payment company: structlog as JSON lines."""
    rng = random.Random(run.seed)
    job = f"fraud-seq-{rng.randint(100, 999)}"

    def line(at: float, event: str, **more: object) -> str:
        stamp = f"{_now(run, at):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
        return json.dumps({"timestamp": stamp, "level": "info", "job": job, "event": event, **more})

    yield line(0.02, "config_loaded", path=f"s3://ml-cfg/{job}.yaml", git_sha=f"{rng.getrandbits(28):07x}")
    yield line(0.9, "dataset_ready", rows=run.per_epoch * run.batch, shards=rng.randint(8, 256))
    yield line(2.2, "model_built", params=run.weights, device="cuda:0")
    if run.resumed is not None:
        yield line(2.9, "checkpoint_restored", uri=f"s3://ml-ckpt/{job}/step-{run.resumed}", resume_step=run.resumed)
    yield line(3.0, "train_start", epochs=run.epochs, total_steps=run.steps, batch_size=run.batch)
    for event in run.events:
        if isinstance(event, Report):
            yield line(
                event.at,
                "train_step",
                step=event.step,
                epoch=event.epoch,
                loss=round(event.loss, 5),
                lr=float(f"{event.lr:.3e}"),
                window_s=round(event.took, 3),
                data_wait_s=round(event.fetch, 3),
                examples_per_s=round(event.rate, 1),
            )
        elif isinstance(event, Evaluation):
            yield line(
                event.at, "validation", step=event.step, val_loss=round(event.loss, 5), duration_s=round(event.took, 2)
            )
        else:
            uri = f"s3://ml-ckpt/{job}/step-{event.step}"
            yield line(event.at, "checkpoint_written", uri=uri, step=event.step, duration_s=round(event.took, 2))
    if run.finished:
        yield line(_end(run) + 0.1, "train_complete", step=run.steps, elapsed_s=round(_end(run), 1))


@voice(VOICES, "seismic_cpp", "loss clock fetch save plan end lr")
def seismic_cpp(run: Run) -> Iterator[str]:
    """An oil company's C++ program of 2011, with columns."""
    rng = random.Random(run.seed)
    yield f"fwinet 4.{rng.randint(0, 9)}.{rng.randint(0, 9)}  (build Mar  3 2025 14:22:10, icpc 19.1, CUDA 11.8)"
    yield f"node       : n{rng.randint(1, 880):04d}"
    yield f"shots      : {run.per_epoch * run.batch}"
    yield f"sweeps     : {run.epochs}   ({run.per_epoch} batches each, {run.steps} total)"
    yield f"parameters : {run.weights}"
    count = 0
    for event in run.events:
        if isinstance(event, Report):
            if count % 25 == 0:
                yield ""
                yield "  sweep    batch       misfit     stepsize    read[s]   total[s]    wall[s]"
            count += 1
            loss = _num(event.loss, "12.5e", "        -nan", "         inf")
            yield (
                f"{event.epoch + 1:7d} {event.batch:8d} {loss} {event.lr:12.4e} {event.fetch:10.2f} {event.took:10.2f} "
                f"{event.at:10.1f}"
            )
        elif isinstance(event, Save):
            yield f" restart file vel_{event.step:06d}.rst written ({event.took:.2f} s)"
    if run.finished:
        yield ""
        yield " normal termination"
        yield f" elapsed {_end(run):.1f} s"


@voice(VOICES, "logfmt_ads", "loss score clock save plan end resume")
def logfmt_ads(run: Run) -> Iterator[str]:
    """A Go shop: logfmt, gorgonia, its own service."""
    rng = random.Random(run.seed)

    def line(at: float, text: str) -> str:
        return f"time={_now(run, at):%Y-%m-%dT%H:%M:%S}Z level=info {text}"

    yield line(0, f'msg="trainer starting" version=v1.{rng.randint(2, 40)}.{rng.randint(0, 5)} go=go1.22.3')
    yield line(1, f'msg="feature store opened" rows={run.per_epoch * run.batch} features={rng.randint(40, 900)}')
    if run.resumed is not None:
        yield line(2, f'msg="snapshot loaded, continuing" path=/data/snap/{run.resumed}.gob step={run.resumed}')
    for event in run.events:
        if isinstance(event, Report):
            loss = _num(event.loss, ".5f", "NaN", "+Inf")
            yield line(
                event.at, f"msg=progress step={event.step} of={run.steps} logloss={loss} rate={event.rate:.0f}/s"
            )
        elif isinstance(event, Evaluation):
            auc = _num(0.5 + event.score / 2, ".4f", "NaN")
            yield line(event.at, f"msg=holdout step={event.step} auc={auc}")
        else:
            yield line(event.at, f'msg="snapshot written" path=/data/snap/{event.step}.gob took={event.took:.3f}s')
    if run.finished:
        yield line(_end(run) + 1, f'msg="training complete" steps={run.steps}')
        yield line(_end(run) + 1, 'msg="bye"')


@voice(VOICES, "sagemaker_builtin", "loss eval clock end")
def sagemaker_builtin(run: Run) -> Iterator[str]:
    """Amazon's containers: metrics by regular expression."""
    rng = random.Random(run.seed)

    def line(at: float, text: str) -> str:
        return f"[{_now(run, at):%m/%d/%Y %H:%M:%S} INFO {pid}] {text}"

    pid = rng.choice((47, 140, 140235, 17))
    yield "Docker entrypoint called with argument(s): train"
    yield "Running default environment configuration script"
    yield line(
        0, "Reading default configuration from /opt/amazon/lib/python3.8/site-packages/algorithm/default-input.json"
    )
    yield line(
        0, f"Final configuration: {{'epochs': '{run.epochs}', 'mini_batch_size': '{run.batch}', 'num_gpus': 'auto'}}"
    )
    yield line(1, "Using default worker.")
    yield line(2, f"Number of GPUs being used: {rng.choice((1, 4))}")
    rows: list[Report] = []
    for event in run.events:
        if isinstance(event, Report):
            rows.append(event)
            loss = event.loss
            yield line(
                event.at,
                f"#quality_metric: host=algo-1, epoch={event.epoch}, batch={event.batch} train loss <loss>={loss}",
            )
            yield line(
                event.at,
                f"Epoch[{event.epoch}] Batch [{event.batch}]#011Speed: {event.rate:.2f} samples/sec#011loss={loss:.6f}",
            )
        elif isinstance(event, Evaluation):
            mean = _mean([row.loss for row in rows])
            rows = []
            yield line(event.at, f"#quality_metric: host=algo-1, epoch={event.epoch}, train loss <loss>={mean}")
            yield line(
                event.at, f"#quality_metric: host=algo-1, epoch={event.epoch}, validation loss <loss>={event.loss}"
            )
    if run.finished:
        yield line(_end(run) + 1, f"Final loss: {run.reports[-1].loss} (occurred at epoch {run.epochs - 1})")
        yield line(_end(run) + 1, "Training finished, test data was not provided.")


@voice(VOICES, "log4j_telco", "loss clock plan end resume")
def log4j_telco(run: Run) -> Iterator[str]:
    """A telephone company, Java on its Hadoop cluster."""
    rng = random.Random(run.seed)

    def line(at: float, who: str, text: str) -> str:
        return f"{_now(run, at):%y/%m/%d %H:%M:%S} INFO {who}: {text}"

    yield "SLF4J: Class path contains multiple SLF4J bindings."
    yield "SLF4J: See http://www.slf4j.org/codes.html#multiple_bindings for an explanation."
    yield line(
        0, "ChurnNetDriver", f"application_17{rng.randint(10**10, 10**11 - 1)}_{rng.randint(1, 9999):04d} accepted"
    )
    yield line(1, "HdfsRecordSource", f"{run.per_epoch * run.batch} records in {rng.randint(12, 400)} splits")
    yield line(2, "ChurnNet", f"layers=[{rng.randint(60, 400)},256,64,1], {run.epochs} passes requested")
    if run.resumed is not None:
        yield line(
            3, "ModelStore", f"restored hdfs:///models/churn/pass_{_first(run)}.bin, next pass is {_first(run) + 1}"
        )
    for event in run.events:
        if isinstance(event, Report):
            cost = _num(event.loss, ".6f", "NaN", "Infinity")
            share = f"{100 * event.batch // run.per_epoch}%"
            yield line(event.at, "ChurnNet", f"pass {event.epoch + 1}/{run.epochs} ({share}) objective={cost}")
        elif isinstance(event, Save):
            yield line(event.at, "ModelStore", f"stored hdfs:///models/churn/pass_{event.epoch + 1}.bin")
    if run.finished:
        yield line(_end(run), "ChurnNetDriver", f"all passes completed, total {_end(run):.0f} s")
        yield line(_end(run) + 1, "ShutdownHookManager", "Shutdown hook called")


@voice(VOICES, "megatron_site", "loss eval end plan lr norm clock resume save")
def megatron_site(run: Run) -> Iterator[str]:
    """A computing centre's Megatron-LM."""
    rng = random.Random(run.seed)
    scale = rng.choice((65536.0, 131072.0, 1.0))
    bad = 0
    yield f"using world size: 8, data-parallel size: {rng.choice((2, 4))}, tensor-model-parallel size: 2"
    yield "using torch.bfloat16 for parameters ..."
    yield "------------------------ arguments ------------------------"
    yield f"  global_batch_size ............................... {run.batch}"
    yield f"  seed ............................................ {run.seed}"
    yield f"  train_iters ..................................... {run.steps}"
    yield "-------------------- end of arguments ---------------------"
    yield "> building GPT2BPETokenizer tokenizer ..."
    yield " > padded vocab (size: 50257) with 175 dummy tokens (new size: 50432)"
    yield f" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): {run.weights}"
    if run.resumed is not None:
        yield f" loading checkpoint from /lustre/ckpt/gpt at iteration {run.resumed}"
        yield f"  successfully loaded checkpoint from /lustre/ckpt/gpt at iteration {run.resumed}"
    yield "training ..."
    yield f"[before the start of training step] datetime: {_now(run, 3):%Y-%m-%d %H:%M:%S} "
    for event in run.events:
        if isinstance(event, Report):
            bad += 0 if math.isfinite(event.loss) else run.every
            yield (
                f" [{_now(run, event.at):%Y-%m-%d %H:%M:%S}] iteration {event.step:8d}/{run.steps:8d} | "
                f"consumed samples: {event.step * run.batch:12d} | "
                f"elapsed time per iteration (ms): {1000 * event.took / run.every:.1f} | "
                f"learning rate: {event.lr:.6E} | global batch size: {run.batch:5d} | lm loss: {event.loss:.6E} | "
                f"loss scale: {scale:.1f} | grad norm: {event.norm:.3f} | number of skipped iterations:   0 | "
                f"number of nan iterations: {run.every if not math.isfinite(event.loss) else 0:3d} |"
            )
        elif isinstance(event, Evaluation):
            ppl = math.exp(min(20, event.loss)) if not math.isnan(event.loss) else math.nan
            text = (
                f" validation loss at iteration {event.step} | lm loss value: {event.loss:.6E} | "
                f"lm loss PPL: {ppl:.6E} | "
            )
            yield "-" * len(text)
            yield text
            yield "-" * len(text)
        else:
            yield f"saving checkpoint at iteration {event.step:7d} to /lustre/ckpt/gpt in torch format"
            yield f"  successfully saved checkpoint at iteration {event.step:7d} to /lustre/ckpt/gpt"
            took = f"{event.took * 1000:.2f}"
            yield "(min, max) time across ranks (ms):"
            yield f"    save-checkpoint ................................: ({took}, {took})"
    if run.finished:
        yield f"[after training is done] datetime: {_now(run, _end(run)):%Y-%m-%d %H:%M:%S} "


@voice(VOICES, "ctr_stream", "loss fetch clock end")
def ctr_stream(run: Run) -> Iterator[str]:
    """An advertiser's one pass over samples: it counts impressions."""
    rng = random.Random(run.seed)
    yield f"ctrd-train r{rng.randint(2000, 9000)} tables={rng.randint(12, 80)} dense={rng.randint(8, 40)} dim=64"
    yield f"table rows total {run.weights // 64}, hash seed {run.seed}"
    yield "reader: 8 threads, zstd parquet"
    for event in run.events:
        if isinstance(event, Report):
            yield (
                f"+{event.at:.1f}s  {event.step * run.batch} impr  NE {event.loss:.5f}  {event.rate:.0f} impr/s  "
                f"reader stall {100 * event.fetch / event.took:.1f}%"
            )
        elif isinstance(event, Save):
            yield f"  published snapshot {event.step * run.batch}"
    if run.finished:
        yield f"end of stream, {run.steps * run.batch} impressions in {_end(run):.1f}s"


@voice(VOICES, "ros_gripper", "loss eval clock plan end save")
def ros_gripper(run: Run) -> Iterator[str]:
    """A robot maker, whose trainer is a ROS node."""
    rng = random.Random(run.seed)

    def line(at: float, text: str) -> str:
        return f"[INFO] [{_now(run, at).timestamp():.9f}] [bc_trainer]: {text}"

    yield line(0.1, f"Loading demos from /bags/pick_{rng.randint(1, 30):02d} ...")
    yield line(2.2, f"{rng.randint(40, 600)} demos, {run.per_epoch * run.batch} transitions")
    yield line(2.9, f"Policy: resnet18 + GMM head, {rng.choice((5, 8))} modes, action dim 7")
    for event in run.events:
        if isinstance(event, Report):
            yield line(
                event.at,
                f"Epoch {event.epoch + 1}/{run.epochs} iter {event.batch}/{run.per_epoch} action_mse: {event.loss:.5f}",
            )
        elif isinstance(event, Evaluation):
            yield line(event.at, f"Epoch {event.epoch + 1} held-out demos: action_mse: {event.loss:.5f}")
        else:
            yield line(event.at, f"Wrote /models/bc/step_{event.step}.ts in {event.took:.2f} s")
    if run.finished:
        yield line(_end(run) + 0.05, f"Finished {run.epochs} epochs, exporting to /models/bc/policy_final.ts")
        yield line(_end(run) + 0.9, "Shutting down")


@voice(VOICES, "srun_weather", "loss eval clock fetch save plan end resume lr")
def srun_weather(run: Run) -> Iterator[str]:
    """A weather centre: ``srun -l``, a logger, ranks."""
    rng = random.Random(run.seed)
    nodes = rng.choice((1, 2, 4))

    def line(at: float, text: str) -> str:
        stamp = f"{_now(run, at):%Y-%m-%d %H:%M:%S,%f}"[:-3]
        return f"0: {stamp} nwp.train INFO {text}"

    for rank in range(nodes):
        yield f"{rank}: rank {rank} of {nodes} on nid{rng.randint(1000, 5000):06d}, NCCL 2.18.3"
    yield line(
        1.4, f"zarr store /scratch/era5_o96.zarr: {run.per_epoch * run.batch} samples, {rng.randint(60, 110)} variables"
    )
    yield line(2.1, f"graph transformer, {run.weights} parameters; {run.epochs} epochs x {run.per_epoch} steps")
    if run.resumed is not None:
        yield line(3.0, f"warm start from /scratch/ckpt/step_{run.resumed}.pt at global step {run.resumed}")
    for event in run.events:
        if isinstance(event, Report):
            yield line(
                event.at,
                f"step {event.step}/{run.steps} wmse={event.loss:.5f} lr={event.lr:.3e} "
                f"time={event.took:.2f}s (zarr read {event.fetch:.2f}s)",
            )
        elif isinstance(event, Evaluation):
            yield line(
                event.at, f"validation 2019 after epoch {event.epoch + 1}: wmse={event.loss:.5f} ({event.took:.1f}s)"
            )
        else:
            yield line(event.at, f"checkpoint /scratch/ckpt/step_{event.step}.pt written in {event.took:.1f}s")
    if run.finished:
        yield line(_end(run) + 0.1, f"training completed after {run.steps} steps")
        for rank in range(nodes):
            yield f"{rank}: rank {rank} leaving"


@voice(VOICES, "hf_support", "loss eval plan end lr norm")
def hf_support(run: Run) -> Iterator[str]:
    """A help desk company's fine-tuning with the Trainer of Hugging Face."""
    rng = random.Random(run.seed)
    yield "Some weights of RobertaForSequenceClassification were not initialized from the model checkpoint at "
    yield "roberta-base and are newly initialized: ['classifier.dense.bias', 'classifier.dense.weight']"
    yield (
        "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference."
    )
    dev = rng.randint(500, 3000)
    yield f"tickets: train={run.per_epoch * run.batch} dev={dev}"
    yield "***** Running training *****"
    yield f"  Num examples = {run.per_epoch * run.batch:,}"
    yield f"  Num Epochs = {run.epochs:,}"
    yield f"  Instantaneous batch size per device = {run.batch:,}"
    yield f"  Total optimization steps = {run.steps:,}"
    for event in run.events:
        if isinstance(event, Report):
            yield str(
                {
                    "loss": round(event.loss, 4),
                    "grad_norm": event.norm,
                    "learning_rate": event.lr,
                    "epoch": round(event.step / run.per_epoch, 2),
                }
            )
        elif isinstance(event, Evaluation):
            yield str(
                {
                    "eval_loss": event.loss,
                    "eval_accuracy": event.score,
                    "eval_runtime": round(event.took, 4),
                    "eval_samples_per_second": round(dev / event.took, 3),
                    "epoch": float(event.epoch + 1),
                }
            )
        else:
            yield f"Saving model checkpoint to /mnt/out/tickets/checkpoint-{event.step}"
    if run.finished:
        yield ""
        yield "Training completed. Do not forget to share your model on huggingface.co/models =)"
        yield ""
        took = _end(run) - run.reports[0].at + run.reports[0].took
        yield str(
            {
                "train_runtime": round(took, 4),
                "train_samples_per_second": round((run.steps - (run.resumed or 0)) * run.batch / took, 3),
                "train_loss": _mean([report.loss for report in run.reports]),
                "epoch": float(run.epochs),
            }
        )


@voice(VOICES, "klog_ranker", "loss eval score clock fetch plan end resume")
def klog_ranker(run: Run) -> Iterator[str]:
    """A shop's search team, whose trainer runs in Kubernetes."""
    rng = random.Random(run.seed)
    day = f"2026{rng.randint(1, 11):02}{rng.randint(1, 28):02}"
    pod = f"ranker-train-{rng.getrandbits(20):05x}"

    def line(at: float, text: str) -> str:
        stamp = f"{_now(run, at):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
        return f"{stamp} INFO  {pod} trainer  {text}"

    yield line(0.1, "feature spec v31 loaded from configmap")
    yield line(1.5, f"{run.per_epoch * run.batch} query groups under gs://search-train/{day}")
    yield line(2.5, f"max_steps={run.steps} batch={run.batch} params={run.weights}")
    if run.resumed is not None:
        yield line(3.2, f"found gs://search-ckpt/{pod[:12]}/model-{run.resumed}, resuming at step {run.resumed}")
    for event in run.events:
        if isinstance(event, Report):
            yield line(
                event.at,
                f"step={event.step}/{run.steps} listwise_softmax={event.loss:.4f} groups/s={event.rate:.1f} "
                f"input_wait={100 * event.fetch / event.took:.1f}%",
            )
        elif isinstance(event, Evaluation):
            yield line(event.at, f"eval step={event.step} listwise_softmax={event.loss:.4f} ndcg@10={event.score:.4f}")
    if run.finished:
        yield line(_end(run) + 0.4, f"reached max_steps={run.steps}, exporting SavedModel")
        yield line(_end(run) + 3.1, "export ok, exit")


@voice(VOICES, "csv_battery", "loss eval clock lr")
def csv_battery(run: Run) -> Iterator[str]:
    """A battery maker: nothing but what the spreadsheet wants."""
    yield "elapsed_s,epoch,step,train_mae,valid_mae,lr"
    for event in run.events:
        if isinstance(event, Report):
            yield f"{event.at:.1f},{event.epoch},{event.step},{event.loss:.6f},,{event.lr:.3g}"
        elif isinstance(event, Evaluation):
            yield f"{event.at:.1f},{event.epoch},{event.step},,{event.loss:.6f},"


@voice(VOICES, "crop_reports", "loss eval score fetch save clock plan end resume")
def crop_reports(run: Run) -> Iterator[str]:
    """A satellite company, whose program writes a paragraph at each report."""
    rng = random.Random(run.seed)

    def line(at: float, text: str) -> str:
        return f"{_now(run, at):%d-%b-%Y %H:%M:%S} | cropmapper | {text}"

    yield line(
        0, f"Tile index: {rng.randint(90, 4000)} Sentinel-2 tiles, {run.per_epoch * run.batch} patches for training"
    )
    yield line(1, f"Model has {run.weights} parameters. Planned: {run.epochs} epochs of {run.per_epoch} batches.")
    if run.resumed is not None:
        path = f"/vol/models/crop_{run.resumed}.ckpt"
        yield line(2, f"Continuing an earlier run from {path} ({_first(run)} epochs were already done).")
    for event in run.events:
        if isinstance(event, Report):
            yield line(
                event.at,
                f"Progress: epoch {event.epoch + 1}, batch {event.batch} ({100 * event.step / run.steps:.1f} % of all)",
            )
            yield f"    focal loss    {event.loss:.4f}"
            yield f"    throughput    {event.rate:.1f} patches/s"
            yield f"    time spent    {event.took:.1f} s, of which {event.fetch:.1f} s waiting for tiles"
            yield f"    remaining     {_hms(_left(run, event))}"
        elif isinstance(event, Evaluation):
            yield line(
                event.at,
                f"Validation after epoch {event.epoch + 1}: focal loss {event.loss:.4f}, mean IoU {event.score:.3f}",
            )
        else:
            yield line(event.at, f"Model stored as /vol/models/crop_{event.step}.ckpt, which took {event.took:.1f} s")
    if run.finished:
        yield line(_end(run) + 1, f"All {run.epochs} epochs are done after {_hms(_end(run))}.")


# Frameworks that fewer people know, in their own formats


@voice(VOICES, "marian_mt", "loss eval clock plan end lr norm")
def marian_mt(run: Run) -> Iterator[str]:
    """A translation bureau's Marian."""
    rng = random.Random(run.seed)

    def line(at: float, text: str) -> str:
        return f"[{_now(run, at):%Y-%m-%d %H:%M:%S}] {text}"

    yield line(0, "[marian] Marian v1.12.0 65bf82ff 2023-02-21 09:56:29 -0800")
    yield line(0, f"[marian] Running on mt{rng.randint(1, 9)} as process {rng.randint(900, 99999)} with command line:")
    yield line(0, f"[marian] /opt/marian/build/marian -c config.{rng.choice(('de-en', 'pl-en', 'fi-sv'))}.yml")
    yield line(0, f"[config] after-epochs: {run.epochs}")
    yield line(0, "[config] cost-type: ce-mean-words")
    yield line(0, f"[config] disp-freq: {run.every}u")
    yield line(0, "[config] type: transformer")
    yield line(1, "[data] Loading SentencePiece vocabulary from file vocab.spm")
    yield line(1, "[data] Setting vocabulary size for input 0 to 32,000")
    yield line(2, "[memory] Extending reserved space to 9216 MB (device gpu0)")
    if run.resumed is not None:
        yield line(2, "Loading model from model/model.npz")
        yield line(2, "Loading Adam parameters")
    yield line(3, "Training started")
    yield line(3, "[data] Shuffling data")
    labels, stalled, best = 0, 0, math.inf
    for event in run.events:
        if isinstance(event, Report):
            words = int(run.every * run.batch * 24.3)
            labels += words
            yield line(
                event.at,
                f"Ep. {event.epoch + 1} : Up. {event.step} : Sen. {event.batch * run.batch:,} : "
                f"Cost {event.loss:.8f} * "
                f"{words:,} @ {words // run.every:,} after {labels:,} : Time {event.took:.2f}s : "
                f"{words / event.took:.2f} words/s : gNorm {event.norm:.4f} : L.r. {event.lr:.4e}",
            )
            if event.batch == run.per_epoch:
                yield line(event.at, f"Seen {event.batch * run.batch:,} samples")
        elif isinstance(event, Evaluation):
            stalled = 0 if event.best else stalled + 1
            best = min(best, event.loss) if event.best else best
            word = "new best" if event.best else f"stalled {stalled} times (last best: {best:.6g})"
            yield line(
                event.at,
                f"[valid] Ep. {event.epoch + 1} : Up. {event.step} : ce-mean-words : {event.loss:.6g} : {word}",
            )
        else:
            yield line(
                event.at - event.took,
                f"Saving model weights and runtime parameters to model/model.iter{event.step}.npz",
            )
            yield line(event.at, "Saving Adam parameters")
    if run.finished:
        yield line(_end(run), "Training finished")
        yield line(_end(run) + 1, "Saving model weights and runtime parameters to model/model.npz")


@voice(VOICES, "mace_water", "eval clock end")
def mace_water(run: Run) -> Iterator[str]:
    """A chemist's MACE: only validation is told."""
    rng = random.Random(run.seed)

    def line(at: float, text: str) -> str:
        stamp = f"{_now(run, at):%Y-%m-%d %H:%M:%S.%f}"[:-3]
        return f"{stamp} INFO: {text}"

    yield line(0.0, "===========VERIFYING SETTINGS===========")
    yield line(0.1, "MACE version: 0.3.6")
    yield line(0.3, f"CUDA version: 12.1, CUDA device: {rng.randint(0, 3)}")
    yield line(0.5, "===========LOADING INPUT DATA===========")
    yield line(0.5, f"Using heads: ['Default'], atomic numbers used: {rng.choice(([1, 8], [1, 6, 7, 8], [3, 8, 15]))}")
    yield line(1.4, f"Training set [{run.per_epoch * run.batch} configs, {run.per_epoch * run.batch} energy]")
    yield line(2.0, "===========MODEL DETAILS===========")
    yield line(2.2, "Message passing with 128 channels and max_L=1 (128x0e+128x1o)")
    yield line(2.6, f"Total number of parameters: {rng.randint(180_000, 4_000_000)}")
    yield line(2.6, f"Number of gradient updates: {run.steps}")
    yield line(3.0, "===========TRAINING===========")
    yield line(3.0, "Started training, reporting errors on validation set")
    yield line(3.0, "Loss metrics on validation set")
    for event in run.events:
        if isinstance(event, Evaluation):
            root = math.sqrt(event.loss)
            yield line(
                event.at,
                f"Epoch {event.epoch}: head: Default, loss={event.loss:12.8f}, RMSE_E_per_atom={root * 9.1:8.2f} meV, "
                f"RMSE_F={root * 74:8.2f} meV / A",
            )
    if run.finished:
        yield line(_end(run) + 0.1, "Training complete")
        yield line(_end(run) + 0.1, "===========RESULTS===========")
        yield line(_end(run) + 0.4, f"Saving model to checkpoints/water_run-{run.seed}.model")
        yield line(_end(run) + 0.9, "Done")


@voice(VOICES, "flair_ner", "loss eval score clock plan lr end")
def flair_ner(run: Run) -> Iterator[str]:
    """An archive's Flair, that finds names in letters."""
    rng = random.Random(run.seed)

    def line(at: float, text: str) -> str:
        stamp = f"{_now(run, at):%Y-%m-%d %H:%M:%S,%f}"[:-3]
        return f"{stamp} {text}"

    rule = "-" * 100
    samples = run.per_epoch * run.batch
    yield line(0.0, "Reading data from /data/letters/conll")
    yield line(
        0.9, f"SequenceTagger predicts: Dictionary with {rng.choice((13, 17, 21))} tags: O, S-PER, B-PER, E-PER, I-PER"
    )
    yield line(3.0, rule)
    yield line(3.0, f"Corpus: {samples} train + {samples // 9 + 1} dev + {samples // 9 + 1} test sentences")
    yield line(3.0, rule)
    yield line(3.0, f"Train:  {samples} sentences")
    yield line(3.0, "        (train_with_dev=False, train_with_test=False)")
    yield line(3.0, "Training Params:")
    yield line(3.0, f' - learning_rate: "{run.reports[0].lr:.6f}" ')
    yield line(3.0, f' - mini_batch_size: "{run.batch}"')
    yield line(3.0, f' - max_epochs: "{run.epochs}"')
    yield line(3.0, ' - shuffle: "True"')
    yield line(3.0, "Final evaluation on model from best epoch (best-model.pt)")
    yield line(3.0, rule)
    rows: list[Report] = []
    for event in run.events:
        if isinstance(event, Report):
            rows.append(event)
            spent = sum(row.took for row in rows)
            yield line(
                event.at,
                f"epoch {event.epoch + 1} - iter {event.batch}/{run.per_epoch} - loss "
                f"{_mean([row.loss for row in rows]):.8f} - time (sec): {spent:.2f} - "
                f"samples/sec: {len(rows) * run.every * run.batch / spent:.2f} - "
                f"lr: {event.lr:.6f} - momentum: 0.000000",
            )
        elif isinstance(event, Evaluation):
            yield line(event.at - event.took, rule)
            loss = _mean([row.loss for row in rows])
            yield line(event.at - event.took, f"EPOCH {event.epoch + 1} done: loss {loss:.4f} - lr: {rows[-1].lr:.6f}")
            yield line(event.at, f"DEV : loss {event.loss} - f1-score (micro avg)  {round(event.score, 4)}")
            if event.best:
                yield line(event.at, "saving best model")
            rows = []
        else:
            yield line(event.at, rule)
    if run.finished:
        yield line(_end(run) + 0.2, rule)
        yield line(_end(run) + 0.2, "Loading model from best epoch ...")
        yield line(_end(run) + 4.2, "")
        yield "Results:"
        scores = [event.score for event in run.events if isinstance(event, Evaluation) and math.isfinite(event.score)]
        yield f"- F-score (micro) {max(scores, default=0.0):.4f}"
        yield f"- F-score (macro) {max(scores, default=0.0) * 0.93:.4f}"


@voice(VOICES, "icefall_asr", "loss eval clock plan end lr")
def icefall_asr(run: Run) -> Iterator[str]:
    """A speech company's icefall recipe."""
    rng = random.Random(run.seed)

    def line(at: float, where: str, text: str) -> str:
        stamp = f"{_now(run, at):%Y-%m-%d %H:%M:%S,%f}"[:-3]
        return f"{stamp} INFO [{where}] {text}"

    def parts(loss: float, frames: str) -> str:
        return f"loss={loss:.4g}, simple_loss={loss * 0.92:.4g}, pruned_loss={loss * 0.54:.4g}, over {frames} frames. "

    yield line(0.1, "train.py:1163", "Training started")
    yield line(0.2, "train.py:1173", "Device: cuda:0")
    yield line(
        0.3,
        "train.py:1185",
        f"{{'frame_shift_ms': 10.0, 'subsampling_factor': 4, 'log_interval': {run.every}, 'world_size': 1, "
        f"'num_epochs': {run.epochs}, 'start_epoch': {_first(run) + 1}, "
        "'exp_dir': PosixPath('zipformer/exp'), 'seed': 42}",
    )
    yield line(0.4, "train.py:1187", "About to create model")
    yield line(1.3, "train.py:1191", f"Number of model parameters: {run.weights}")
    yield line(2.2, "asr_datamodule.py:397", "About to get train cuts")
    yield line(2.4, "asr_datamodule.py:224", "Enable MUSAN")
    recent: list[float] = []
    for event in run.events:
        if isinstance(event, Report):
            if event.batch == run.every:
                recent = []
            recent = [*recent[-9:], event.loss]
            frames = f"{rng.randint(9000, 30000)}.00"
            total = f"{rng.uniform(2e6, 5e6):.2f}"
            yield line(
                event.at,
                "train.py:1047",
                f"Epoch {event.epoch + 1}, batch {event.batch}, loss[{parts(event.loss, frames)}], "
                f"tot_loss[{parts(_mean(recent), total)}], batch size: {run.batch}, "
                f"lr: {event.lr:.2e}, grad_scale: 16.0",
            )
        elif isinstance(event, Evaluation):
            yield line(event.at - event.took, "train.py:1079", "Computing validation loss")
            yield line(
                event.at, "train.py:1088", f"Epoch {event.epoch + 1}, validation: {parts(event.loss, '1724291.00')}"
            )
            yield line(event.at, "train.py:1089", f"Maximum memory allocated so far is {rng.randint(17000, 17999)}MB")
        else:
            path = f"zipformer/exp/checkpoint-{event.step}.pt"
            yield line(event.at - event.took, "checkpoint.py:75", f"Saving checkpoint to {path}")
    if run.finished:
        yield line(_end(run) + 0.3, "train.py:1355", "Done!")


@voice(VOICES, "paddle_det", "loss score clock fetch plan lr")
def paddle_det(run: Run) -> Iterator[str]:
    """A maker of cameras, with PaddleDetection."""
    rng = random.Random(run.seed)

    def line(at: float, who: str, text: str) -> str:
        return f"[{_now(run, at):%m/%d %H:%M:%S}] {who} INFO: {text}"

    yield (
        f"W{_now(run, 0):%m%d %H:%M:%S.%f} {rng.randint(900, 9999):5d} gpu_resources.cc:119] Please NOTE: device: 0, "
        "GPU Compute Capability: 8.0, Driver API Version: 12.0, Runtime API Version: 11.8"
    )
    yield "loading annotations into memory..."
    yield f"Done (t={rng.uniform(0.1, 1.9):.2f}s)"
    yield "creating index..."
    yield "index created!"
    yield line(
        2,
        "ppdet.data.source.coco",
        f"Load [{run.per_epoch * run.batch} samples valid, 0 samples invalid] in file annotations/train.json.",
    )
    yield line(
        3, "ppdet.utils.checkpoint", "Finish loading model weights: /root/.cache/paddle/weights/CSPResNetb_s.pdparams"
    )
    best = 0.0
    for event in run.events:
        if isinstance(event, Report):
            yield line(
                event.at,
                "ppdet.engine",
                f"Epoch: [{event.epoch}/{run.epochs}] [{event.batch:4d}/{run.per_epoch}] learning_rate: {event.lr:.6f} "
                f"loss: {event.loss:.6f} loss_cls: {event.loss * 0.46:.6f} loss_iou: {event.loss * 0.13:.6f} "
                f"loss_dfl: {event.loss * 0.43:.6f} eta: {_hms(_left(run, event))} "
                f"batch_cost: {event.took / run.every:.4f} data_cost: {event.fetch / run.every:.4f} "
                f"ips: {event.rate:.4f} images/s",
            )
        elif isinstance(event, Evaluation):
            ap = event.score * 0.62
            best = max(best, ap) if math.isfinite(ap) else best
            yield line(event.at - event.took, "ppdet.engine", "Eval iter: 0")
            yield line(event.at - 0.1, "ppdet.metrics.coco_utils", "Start evaluate...")
            yield f" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = {ap:.3f}"
            yield f" Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = {ap * 1.42:.3f}"
            yield line(
                event.at,
                "ppdet.engine",
                f"Total sample number: {rng.randint(400, 500)}, average FPS: {rng.uniform(20, 60):.6f}",
            )
            yield line(event.at, "ppdet.engine", f"Best test bbox ap is {best:0.3f}.")
        else:
            yield line(event.at, "ppdet.utils.checkpoint", "Save checkpoint: output/ppyoloe_plus_crn_s")


@voice(VOICES, "dl4j_claims", "loss clock fetch plan end save")
def dl4j_claims(run: Run) -> Iterator[str]:
    """An insurance company's Deeplearning4j."""
    rng = random.Random(run.seed)

    def line(at: float, who: str, text: str) -> str:
        stamp = f"{_now(run, at):%H:%M:%S.%f}"[:-3]
        return f"{stamp} [main] INFO {who} - {text}"

    yield line(0.1, "org.nd4j.linalg.factory.Nd4jBackend", "Loaded [CpuBackend] backend")
    yield line(
        0.6,
        "org.nd4j.nativeblas.NativeOpsHolder",
        f"Number of threads used for linear algebra: {rng.choice((8, 16, 32))}",
    )
    yield line(0.9, "o.n.l.a.o.e.DefaultOpExecutioner", "Backend used: [CPU]; OS: [Linux]")
    yield line(0.9, "o.n.l.a.o.e.DefaultOpExecutioner", f"Cores: [{rng.choice((16, 32))}]; Memory: [32.0GB];")
    yield line(
        1.7, "o.d.nn.multilayer.MultiLayerNetwork", "Starting MultiLayerNetwork with WorkspaceModes set to [ENABLED]"
    )
    yield line(2.0, "com.acme.claims.TrainMain", f"{run.epochs} epochs, minibatch {run.batch}, seed {run.seed}")
    for event in run.events:
        if isinstance(event, Report):
            each = event.took / run.every
            yield line(
                event.at,
                "o.d.o.listeners.PerformanceListener",
                f"ETL: {1000 * event.fetch / run.every:.0f} ms; iteration {event.step}; "
                f"iteration time: {1000 * each:.0f} ms; "
                f"samples/sec: {event.rate:.3f}; batches/sec: {1 / each:.3f}; "
                f"score: {_num(event.loss, '.6f', 'NaN', 'Infinity')}",
            )
            if event.batch == run.per_epoch:
                yield line(event.at, "com.acme.claims.TrainMain", f"Epoch {event.epoch + 1} of {run.epochs} complete")
        elif isinstance(event, Save):
            path = f"/opt/claims/models/claims_{event.step}.zip"
            yield line(event.at, "com.acme.claims.TrainMain", f"Model written to {path} in {1000 * event.took:.0f} ms")
    if run.finished:
        yield line(_end(run) + 0.1, "com.acme.claims.TrainMain", "Training complete, exiting normally")


# Other languages than English


def _comma(value: float, spec: str) -> str:
    """As a German reads numbers."""
    return _num(value, spec, "NaN", "∞").replace(".", ",")


@voice(VOICES, "schweissnaht", "loss eval clock fetch save plan end resume")
def schweissnaht(run: Run) -> Iterator[str]:
    """A German maker of machines: C#, and commas in its numbers."""
    rng = random.Random(run.seed)

    def line(at: float, text: str) -> str:
        return f"{_now(run, at):%d.%m.%Y %H:%M:%S}  {text}"

    yield line(0, f"NahtPruefer Trainer 3.{rng.randint(0, 14)} (TorchSharp, CUDA)")
    yield line(1, f"Lade Bilder aus D:\\Naehte\\Linie{rng.randint(1, 6)} ... {run.per_epoch * run.batch} Bilder")
    yield line(2, f"Netz mit {run.weights} Parametern, {run.epochs} Epochen geplant, Stapelgröße {run.batch}")
    if run.resumed is not None:
        path = f"D:\\Modelle\\naht_{run.resumed}.dat"
        yield line(2, f"Setze Training fort ab Schritt {run.resumed} (Epoche {_first(run) + 1}), Datei {path}")
    for event in run.events:
        if isinstance(event, Report):
            yield line(
                event.at,
                f"Epoche {event.epoch + 1}/{run.epochs}, Schritt {event.batch}/{run.per_epoch}: "
                f"Verlust {_comma(event.loss, '.4f')}; "
                f"Dauer {_comma(event.took, '.2f')} s, davon Warten auf Daten {_comma(event.fetch, '.2f')} s",
            )
        elif isinstance(event, Evaluation):
            yield line(event.at, f"Prüfdaten nach Epoche {event.epoch + 1}: Verlust {_comma(event.loss, '.4f')}")
        else:
            yield line(
                event.at, f"Modell gespeichert: D:\\Modelle\\naht_{event.step}.dat ({_comma(event.took, '.2f')} s)"
            )
    if run.finished:
        yield line(_end(run) + 1, f"Training beendet. Gesamtdauer {_hms(_end(run))}")


@voice(VOICES, "jean_zay", "loss eval score fetch plan end resume lr")
def jean_zay(run: Run) -> Iterator[str]:
    """A French doctoral student on the national machine."""
    rng = random.Random(run.seed)
    yield "Loading pytorch-gpu/py3/2.3.0"
    yield "  Loading requirement: cuda/12.1.0 nccl/2.18.5-1-cuda cudnn/8.9.7.29-cuda"
    yield f"nœud r{rng.randint(1, 14)}i{rng.randint(0, 7)}n{rng.randint(0, 8)}, 1 GPU"
    yield f"{run.per_epoch * run.batch} images d'entraînement, {rng.randint(500, 5000)} de validation"
    yield f"nombre de paramètres : {run.weights}"
    if run.resumed is not None:
        yield f"reprise depuis $SCRATCH/modeles/epoque_{_first(run)}.pt, on repart à l'époque {_first(run) + 1}"
    for event in run.events:
        if isinstance(event, Report):
            yield (
                f"époque {event.epoch + 1}/{run.epochs} | lot {event.batch}/{run.per_epoch} | perte {event.loss:.4f} | "
                f"lr {event.lr:.2e} | attente données {100 * event.fetch / event.took:.0f} %"
            )
        elif isinstance(event, Evaluation):
            yield f"  validation : perte {event.loss:.4f}, exactitude {100 * event.score:.2f} %"
            if event.best:
                yield "  meilleur modèle jusqu'ici, sauvegardé"
    if run.finished:
        yield f"entraînement terminé ({run.epochs} époques)"


@voice(VOICES, "tfm_olivos", "loss eval score plan end")
def tfm_olivos(run: Run) -> Iterator[str]:
    """A Spanish student's final work: olives, and emojis."""
    rng = random.Random(run.seed)
    yield f"🫒 Clasificador de variedades de aceituna (semilla {run.seed})"
    yield f"Imágenes: {run.per_epoch * run.batch} entrenamiento / {rng.randint(100, 900)} validación"
    yield f"Modelo propio con {run.weights / 1e6:.1f} M de parámetros"
    yield f"Vamos a entrenar {run.epochs} épocas 💪"
    rows: list[Report] = []
    for event in run.events:
        if isinstance(event, Report):
            rows.append(event)
        elif isinstance(event, Evaluation):
            star = " ⭐ mejor hasta ahora" if event.best else ""
            yield (
                f"Época {event.epoch + 1}/{run.epochs} - pérdida: {_mean([row.loss for row in rows]):.4f} - "
                f"pérdida val: {event.loss:.4f} - acierto val: {100 * event.score:.1f}%{star}"
            )
            rows = []
    if run.finished:
        yield "✅ Entrenamiento terminado"
        yield "Gráficas guardadas en figuras/"


@voice(VOICES, "liangpin", "loss eval score clock fetch save plan end lr resume")
def liangpin(run: Run) -> Iterator[str]:
    """A Chinese inspection company's platform."""
    rng = random.Random(run.seed)

    def line(at: float, text: str) -> str:
        stamp = f"{_now(run, at):%Y-%m-%d %H:%M:%S,%f}"[:-3]
        return f"{stamp} - train - INFO - {text}"

    yield line(0.1, f"任务ID: qc-{rng.randint(10000, 99999)}, 使用GPU: {rng.randint(0, 7)}")
    yield line(1.3, f"训练集样本数: {run.per_epoch * run.batch}, 验证集样本数: {rng.randint(300, 4000)}")
    yield line(2.4, f"模型参数量: {run.weights / 1e6:.2f}M, 总轮数: {run.epochs}, 批大小: {run.batch}")
    if run.resumed is not None:
        yield line(
            2.8,
            f"从断点 /data/ckpt/iter_{run.resumed}.pth 恢复训练, 起始步数 {run.resumed}, 起始轮次 {_first(run) + 1}",
        )
    yield line(3.0, "开始训练")
    for event in run.events:
        if isinstance(event, Report):
            yield line(
                event.at,
                f"轮次 [{event.epoch + 1}/{run.epochs}] 步数 [{event.batch}/{run.per_epoch}] 损失: {event.loss:.4f} "
                f"学习率: {event.lr:.6f} 耗时: {event.took:.2f}s 数据加载: {event.fetch:.2f}s",
            )
        elif isinstance(event, Evaluation):
            yield line(event.at, f"验证 轮次 {event.epoch + 1}: 损失 {event.loss:.4f}, 准确率 {100 * event.score:.2f}%")
        else:
            yield line(event.at, f"模型已保存到 /data/ckpt/iter_{event.step}.pth, 用时 {event.took:.2f}s")
    if run.finished:
        yield line(_end(run) + 0.2, f"训练完成, 总用时 {_end(run) / 60:.1f} 分钟")


@voice(VOICES, "kobun_ocr", "loss eval clock save plan end")
def kobun_ocr(run: Run) -> Iterator[str]:
    """A Japanese researcher who reads old handwriting."""
    rng = random.Random(run.seed)
    yield f"データ読み込み中... 学習 {run.per_epoch * run.batch} 行, 検証 {rng.randint(200, 3000)} 行"
    yield f"文字種: {rng.randint(1200, 4700)}, パラメータ数: {run.weights:,}"
    yield f"エポック数 {run.epochs}, バッチサイズ {run.batch}"
    for event in run.events:
        if isinstance(event, Report):
            where = f"エポック {event.epoch + 1}/{run.epochs}  反復 {event.step}/{run.steps}"
            yield f"{where}  損失 {event.loss:.4f}  経過 {event.at:.1f}秒"
        elif isinstance(event, Evaluation):
            yield f"  検証損失 {event.loss:.4f}"
        else:
            yield f"  保存しました: model/kobun_{event.step:06d}.pt ({event.took:.1f}秒)"
    if run.finished:
        yield "学習が終了しました。"


@voice(VOICES, "tomita_ru", "loss eval score plan end lr resume")
def tomita_ru(run: Run) -> Iterator[str]:
    """A Russian student in a competition."""
    rng = random.Random(run.seed)
    yield f"Фолд {rng.randint(0, 4)}, сид {run.seed}"
    yield f"Трейн: {run.per_epoch * run.batch} примеров, валидация: {rng.randint(300, 5000)}"
    yield f"Параметров: {run.weights / 1e6:.1f} млн"
    if run.resumed is not None:
        yield f"Загрузил чекпоинт ckpt/ep{_first(run)}.pt, продолжаю с эпохи {_first(run) + 1}"
    for event in run.events:
        if isinstance(event, Report):
            where = f"Эпоха {event.epoch + 1}/{run.epochs}, шаг {event.batch}/{run.per_epoch}"
            yield f"{where}, лосс {event.loss:.4f}, lr {event.lr:.2e}"
        elif isinstance(event, Evaluation):
            yield f"*** Валидация: лосс {event.loss:.4f}, F1 {event.score:.4f}" + (" (лучший)" if event.best else "")
    if run.finished:
        scores = [event.score for event in run.events if isinstance(event, Evaluation) and math.isfinite(event.score)]
        yield f"Готово. Лучший F1: {max(scores, default=0.0):.4f}"


@voice(VOICES, "soja_agro", "loss eval clock save plan end resume")
def soja_agro(run: Run) -> Iterator[str]:
    """A Brazilian farm start-up."""
    rng = random.Random(run.seed)

    def line(at: float, text: str) -> str:
        return f"[{_now(run, at):%H:%M:%S}] {text}"

    yield line(0, f"Projeto soja-pragas, máquina ml{rng.randint(1, 4)}, {_now(run, 0):%d/%m/%Y}")
    yield line(1, f"Carregadas {run.per_epoch * run.batch} fotos de drone ({rng.randint(4, 12)} pragas)")
    yield line(2, f"Treino de {run.epochs} épocas, lote de {run.batch}")
    if run.resumed is not None:
        yield line(3, f"Retomando do passo {run.resumed}: modelos/soja_{run.resumed}.pt")
    for event in run.events:
        if isinstance(event, Report):
            yield line(
                event.at,
                f"época {event.epoch + 1}/{run.epochs} passo {event.step} perda={event.loss:.4f} "
                f"({event.rate:.1f} fotos/s)",
            )
        elif isinstance(event, Evaluation):
            yield line(event.at, f"validação época {event.epoch + 1}: perda={event.loss:.4f}")
        else:
            yield line(event.at, f"modelo salvo em modelos/soja_{event.step}.pt, levou {event.took:.1f}s")
    if run.finished:
        yield line(_end(run) + 1, "Treino concluído!")
