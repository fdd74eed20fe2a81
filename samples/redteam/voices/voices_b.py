"""In-house and platform programs: structured loggers, wrappers around a loop, compiled trainers, HPC surrogates."""

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


def _when(run: Run, seconds: float) -> datetime:
    return run.begin + timedelta(seconds=seconds)


def _milli(when: datetime, mark: str = ".") -> str:
    return f"{when:%H:%M:%S}{mark}{when.microsecond // 1000:03}"


def _hms(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _hhmmss(seconds: float) -> str:
    return f"{int(seconds) // 3600:02}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02}"


def _minutes(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 60:02}:{whole % 60:02}" if whole < 3600 else _hms(seconds)


def _num(value: float, form: str = ".4f", nan: str = "NaN", inf: str = "Infinity") -> str:
    """A number as a language other than Python prints it."""
    if math.isnan(value):
        return nan
    return inf if math.isinf(value) else format(value, form)


def _exp(value: float) -> float:
    return value if math.isnan(value) else math.exp(value) if value < 700 else math.inf


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _best(run: Run) -> Evaluation | None:
    """The last evaluation that was the best so far."""
    return next((event for event in reversed(run.events) if isinstance(event, Evaluation) and event.best), None)


def _hex(rng: random.Random, digits: int) -> str:
    return "".join(rng.choice("0123456789abcdef") for _ in range(digits))


def _end(run: Run) -> float:
    return run.events[-1].at


def _ago(event: Evaluation | Save) -> float:
    """When it began."""
    return event.at - event.took


# Known frameworks and platforms.


@voice(VOICES, "caffe_glog", "loss eval score clock plan lr end resume")
def caffe_glog(run: Run) -> Iterator[str]:
    """Caffe, of a vision group that never left it."""
    rng = random.Random(run.seed)
    pid, net = rng.randint(2000, 31000), rng.choice(("plates", "weld_seams", "caltech_ped", "fabric"))

    def log(at: float, where: str, text: str) -> str:
        when = _when(run, at)
        return f"I{when:%m%d %H:%M:%S}.{when.microsecond:06} {pid:5} {where}] {text}"

    yield log(0.1, "caffe.cpp:204", "Using GPUs 0")
    yield log(0.3, "caffe.cpp:209", f"GPU 0: {rng.choice(('GeForce GTX 1080 Ti', 'Tesla P100-PCIE-16GB', 'TITAN X'))}")
    yield log(0.6, "solver.cpp:45", "Initializing solver from parameters: ")
    yield f"test_iter: {rng.choice((50, 100, 200))}"
    yield f"test_interval: {run.per_epoch}"
    yield f"display: {run.every}"
    yield f"max_iter: {run.steps}"
    yield 'lr_policy: "cosine"'
    yield "momentum: 0.9"
    yield "weight_decay: 0.0005"
    yield f'snapshot_prefix: "snapshots/{net}"'
    yield "solver_mode: GPU"
    yield f'net: "models/{net}/train_val.prototxt"'
    yield log(0.7, "solver.cpp:102", f"Creating training net from net file: models/{net}/train_val.prototxt")
    yield log(1.1, "data_layer.cpp:45", f"output data size: {run.batch},3,227,227")
    yield log(1.9, "net.cpp:255", "Network initialization done.")
    yield log(2.0, "solver.cpp:57", "Solver scaffolding done.")
    if run.resumed is not None:
        yield log(2.1, "caffe.cpp:242", f"Resuming from snapshots/{net}_iter_{run.resumed}.solverstate")
        yield log(2.9, "sgd_solver.cpp:318", "SGDSolver: restoring history")
    yield log(3.0, "caffe.cpp:248", "Starting Optimization")
    yield log(3.0, "solver.cpp:279", f"Solving {net}")
    yield log(3.0, "solver.cpp:280", "Learning Rate Policy: cosine")
    for event in run.events:
        if isinstance(event, Report):
            speed = f"{run.every / event.took:.6g} iter/s, {event.took:.6g}s/{run.every} iters"
            loss = _num(event.loss, ".6g", "nan", "inf")
            yield log(event.at, "solver.cpp:218", f"Iteration {event.step} ({speed}), loss = {loss}")
            yield log(event.at, "solver.cpp:237", f"    Train net output #0: loss = {loss} (* 1 = {loss} loss)")
            yield log(event.at, "sgd_solver.cpp:105", f"Iteration {event.step}, lr = {event.lr:.6g}")
        elif isinstance(event, Evaluation):
            loss = _num(event.loss, ".6g", "nan", "inf")
            yield log(_ago(event), "solver.cpp:330", f"Iteration {event.step}, Testing net (#0)")
            yield log(event.at, "solver.cpp:397", f"    Test net output #0: accuracy = {event.score:.6g}")
            yield log(event.at, "solver.cpp:397", f"    Test net output #1: loss = {loss} (* 1 = {loss} loss)")
        else:
            file = f"snapshots/{net}_iter_{event.step}"
            yield log(_ago(event), "solver.cpp:447", f"Snapshotting to binary proto file {file}.caffemodel")
            at = event.at - 0.3 * event.took
            yield log(at, "sgd_solver.cpp:273", f"Snapshotting solver state to binary proto file {file}.solverstate")
    if run.finished:
        yield log(_end(run) + 0.2, "solver.cpp:315", "Optimization Done.")
        yield log(_end(run) + 0.2, "caffe.cpp:259", "Optimization Done.")


@voice(VOICES, "estimator_absl", "loss eval score clock save end resume")
def estimator_absl(run: Run) -> Iterator[str]:
    """A tf.estimator job from 2019 that still runs every week."""
    rng = random.Random(run.seed)
    thread, folder = rng.randint(139_000_000_000_000, 140_999_999_999_999), f"/data/jobs/ranker_v{rng.randint(2, 40)}"

    def log(at: float, where: str, text: str) -> str:
        when = _when(run, at)
        return f"I{when:%m%d %H:%M:%S}.{when.microsecond:06} {thread} {where}] {text}"

    yield "WARNING: Logging before flag parsing goes to stderr."
    yield log(0.4, "run_config.py:194", f"Using config: {{'_model_dir': '{folder}', '_tf_random_seed': {run.seed}, ")
    yield f"'_save_summary_steps': {run.every}, '_keep_checkpoint_max': 5, '_log_step_count_steps': {run.every}}}"
    yield log(0.9, "estimator.py:1145", "Calling model_fn.")
    yield log(1.8, "estimator.py:1147", "Done calling model_fn.")
    yield log(1.9, "basic_session_run_hooks.py:541", "Create CheckpointSaverHook.")
    yield log(2.5, "monitored_session.py:240", "Graph was finalized.")
    if run.resumed is not None:
        yield log(2.8, "saver.py:1270", f"Restoring parameters from {folder}/model.ckpt-{run.resumed}")
    yield log(3.2, "session_manager.py:500", "Running local_init_op.")
    yield log(3.3, "session_manager.py:502", "Done running local_init_op.")
    first, last = True, math.nan
    for event in run.events:
        if isinstance(event, Report):
            loss = _num(event.loss, ".8g", "nan", "inf")
            if first:
                yield log(event.at, "basic_session_run_hooks.py:262", f"loss = {loss}, step = {event.step}")
            else:
                speed = f"global_step/sec: {run.every / event.took:.6g}"
                yield log(event.at, "basic_session_run_hooks.py:692", speed)
                text = f"loss = {loss}, step = {event.step} ({event.took:.3f} sec)"
                yield log(event.at, "basic_session_run_hooks.py:260", text)
            first, last = False, event.loss
        elif isinstance(event, Evaluation):
            stamp = f"{_when(run, _ago(event)):%Y-%m-%dT%H:%M:%SZ}"
            yield log(_ago(event), "evaluation.py:255", f"Starting evaluation at {stamp}")
            stamp = f"{_when(run, event.at):%Y-%m-%d-%H:%M:%S}"
            yield log(event.at, "evaluation.py:275", f"Finished evaluation at {stamp}")
            values = f"accuracy = {event.score:.7g}, global_step = {event.step}, loss = {event.loss:.7g}"
            yield log(event.at, "estimator.py:2039", f"Saving dict for global step {event.step}: {values}")
        else:
            hook = "basic_session_run_hooks.py:"
            text = f"checkpoint listeners before saving checkpoint {event.step}..."
            yield log(_ago(event), hook + "614", f"Calling {text}")
            yield log(_ago(event), hook + "618", f"Saving checkpoints for {event.step} into {folder}/model.ckpt.")
            yield log(event.at, hook + "626", f"Calling checkpoint listeners after saving checkpoint {event.step}...")
    if run.finished:
        yield log(_end(run) + 0.3, "estimator.py:371", f"Loss for final step: {last:.8g}.")


@voice(VOICES, "katib_pytorch", "loss eval score clock plan")
def katib_pytorch(run: Run) -> Iterator[str]:
    """A Kubeflow Katib trial, after its mnist example."""
    rng = random.Random(run.seed)
    many = run.per_epoch * run.batch

    def stamp(at: float) -> str:
        return f"{_when(run, at):%Y-%m-%dT%H:%M:%SZ} INFO    "

    yield (
        f"+ python3 /opt/pytorch-mnist/mnist.py --epochs={run.epochs} --batch-size={run.batch} --log-path=/katib/m.log"
    )
    yield f"{stamp(0)} Using distributed PyTorch with gloo backend"
    yield f"{stamp(0)} World Size: 1. Rank: 0"
    if rng.random() < 0.5:
        yield "Downloading http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/train-images-idx3-ubyte.gz"
    yield f"{stamp(2)} Using device: cuda"
    for event in run.events:
        if isinstance(event, Report):
            done = f"[{event.batch * run.batch}/{many} ({100 * event.batch / run.per_epoch:.0f}%)]"
            yield f"{stamp(event.at)} Train Epoch: {event.epoch + 1} {done}\tloss={event.loss:.4f}"
        elif isinstance(event, Evaluation):
            accuracy = f"{{metricName: accuracy, metricValue: {event.score:.4f}}}"
            yield f"{stamp(event.at)} {accuracy};{{metricName: loss, metricValue: {event.loss:.4f}}}"
            yield ""


@voice(VOICES, "sagemaker_mxnet", "loss eval score clock plan end")
def sagemaker_mxnet(run: Run) -> Iterator[str]:
    """The image-classification container of SageMaker."""
    rng = random.Random(run.seed)
    gpu = rng.randint(100_000_000_000_000, 140_999_999_999_999)

    def log(at: float, text: str) -> str:
        return f"[{_when(run, at):%m/%d/%Y %H:%M:%S} INFO {gpu}] {text}"

    yield f"{_when(run, -190):%Y-%m-%d %H:%M:%S} Starting - Launching requested ML instances......"
    yield f"{_when(run, -70):%Y-%m-%d %H:%M:%S} Downloading - Downloading input data..."
    yield f"{_when(run, -20):%Y-%m-%d %H:%M:%S} Training - Training image download completed. Training in progress."
    yield "Docker entrypoint called with argument(s): train"
    given = {
        "epochs": str(run.epochs),
        "mini_batch_size": str(run.batch),
        "num_training_samples": str(run.per_epoch * run.batch),
        "num_layers": rng.choice(("18", "50", "152")),
        "num_classes": str(rng.randint(3, 257)),
    }
    yield log(0.5, f"Reading provided configuration from /opt/ml/input/config/hyperparameters.json: {given}")
    yield log(0.6, f"Using mini_batch_size: {run.batch}")
    yield log(1.0, "Setting number of threads: 31")
    yield log(2, "Number of GPUs being used: 1")
    losses: list[float] = []
    scores: list[float] = []
    began = 3.0
    for event in run.events:
        if isinstance(event, Report):
            losses.append(event.loss)
            scores.append(event.score)
            speed = f"Speed: {event.rate:.2f} samples/sec"
            values = f"accuracy={event.score:.6f}#011cross-entropy={event.loss:.6f}"
            yield log(event.at, f"Epoch[{event.epoch}] Batch [{event.batch}]#011{speed}#011{values}")
        elif isinstance(event, Evaluation):
            yield log(_ago(event), f"Epoch[{event.epoch}] Train-accuracy={_mean(scores):.6f}")
            yield log(_ago(event), f"Epoch[{event.epoch}] Train-cross-entropy={_mean(losses):.6f}")
            yield log(_ago(event), f"Epoch[{event.epoch}] Time cost={_ago(event) - began:.3f}")
            yield log(event.at, f"Epoch[{event.epoch}] Validation-accuracy={event.score:.6f}")
            yield log(event.at, f"Epoch[{event.epoch}] Validation-cross-entropy={event.loss:.6f}")
            losses, scores, began = [], [], event.at
        else:
            file = f"/opt/ml/model/image-classification-{event.epoch + 1:04}.params"
            yield log(event.at, f'Saved checkpoint to "{file}"')
    if run.finished:
        yield ""
        yield f"{_when(run, _end(run) + 14):%Y-%m-%d %H:%M:%S} Uploading - Uploading generated training model"
        yield f"{_when(run, _end(run) + 41):%Y-%m-%d %H:%M:%S} Completed - Training job completed"
        yield f"Training seconds: {int(_end(run) + 111)}"
        yield f"Billable seconds: {int(_end(run) + 111)}"


@voice(VOICES, "matlab_table", "loss eval score clock plan lr end resume")
def matlab_table(run: Run) -> Iterator[str]:
    """MATLAB's trainNetwork, started by an engineer from a script."""
    rng = random.Random(run.seed)
    yield ">> run('train_bearing_cnn.m')"
    yield f"numObs = {run.per_epoch * run.batch}"
    yield ""
    yield "opts = "
    yield ""
    yield "  TrainingOptionsADAM with properties:"
    yield ""
    yield f"                 MaxEpochs: {run.epochs}"
    yield f"             MiniBatchSize: {run.batch}"
    yield "                   Shuffle: 'every-epoch'"
    yield f"          VerboseFrequency: {run.every}"
    yield f"       ValidationFrequency: {run.per_epoch}"
    yield f"          ValidationData: {{{rng.randint(200, 4000)}x1 cell  [categorical]}}"
    yield "      ExecutionEnvironment: 'gpu'"
    yield ""
    if run.resumed is not None:
        file = f"net_checkpoint__{run.resumed}__{run.begin:%Y_%m_%d}__03_12_44.mat"
        yield f"Loaded checkpoints\\{file}, continuing with iteration {run.resumed + 1}."
    yield "Training on single GPU."
    yield "Initializing input data normalization."
    rule = "|" + "=" * 118 + "|"
    yield rule
    names = "|  Epoch  |  Iteration  |  Time Elapsed  |  Mini-batch  |  Validation  |  Mini-batch  |  Validation  "
    yield names + "|  Base Learning  |"
    yield (
        "|         |             |   (hh:mm:ss)   |   Accuracy   |   Accuracy   |     Loss     |     Loss     "
        "|      Rate       |"
    )
    yield rule

    def row(report: Report, judged: Evaluation | None) -> str:
        at = _hhmmss(judged.at if judged else report.at)
        score = _num(100 * report.score, ".2f") + "%"
        held = _num(100 * judged.score, ".2f") + "%" if judged else ""
        loss, other = _num(report.loss), _num(judged.loss) if judged else ""
        return (
            f"| {report.epoch + 1:>7} | {report.step:>11} | {at:>14} | {score:>12} | {held:>12} | {loss:>12} "
            f"| {other:>12} | {report.lr:>15.4e} |"
        )

    waiting: Report | None = None
    for event in run.events:
        if isinstance(event, Report):
            if waiting:
                yield row(waiting, None)
            waiting = event
        elif isinstance(event, Evaluation) and waiting:
            yield row(waiting, event)
            waiting = None
    if waiting:
        yield row(waiting, None)
    if run.finished:
        yield rule
        yield "Training finished: Max epochs completed."
        yield f"Elapsed time is {_end(run):.6f} seconds."


@voice(VOICES, "r_luz", "loss eval plan end")
def r_luz(run: Run) -> Iterator[str]:
    """R's luz; an ecologist's script around it."""
    rng = random.Random(run.seed)
    species = rng.randint(12, 340)
    yield "Loading required package: torch"
    yield "Loading required package: luz"
    yield ""
    yield "── Attaching core tidyverse packages ──────────────────────── tidyverse 2.0.0 ──"
    yield "✔ dplyr     1.1.4     ✔ readr     2.1.5"
    yield "✔ purrr     1.0.2     ✔ tidyr     1.3.1"
    yield f"Rows: {run.per_epoch * run.batch} Columns: {rng.randint(14, 60)}"
    yield "── Column specification ────────────────────────────────────────────────────────"
    yield 'Delimiter: ","'
    yield f'[1] "{species} species, max. {run.epochs} epochs"'
    losses: list[float] = []
    for event in run.events:
        if isinstance(event, Report):
            losses.append(event.loss)
        elif isinstance(event, Evaluation):
            yield f"Epoch {event.epoch + 1}/{run.epochs}"
            yield f"Train metrics: Loss: {_num(_mean(losses), '.4f', inf='Inf')}"
            yield f"Valid metrics: Loss: {_num(event.loss, '.4f', inf='Inf')}"
            losses = []
    if run.finished:
        yield "A `luz_module_fitted`"
        yield "── Time ────────────────────────────────────────────────────────────────────────"
        yield f"• Total time: {_end(run) / 60:.1f}m"
        yield 'Saving 7 x 7 in image: "figs/learning_curve.png"'


@voice(VOICES, "dl4j", "loss eval score clock end")
def dl4j(run: Run) -> Iterator[str]:
    """Deeplearning4j with logback in a telecom's build."""
    rng = random.Random(run.seed)

    def log(at: float, where: str, text: str) -> str:
        return f"{_milli(_when(run, at))} [main] INFO {where} - {text}"

    yield log(0.2, "org.nd4j.linalg.factory.Nd4jBackend", "Loaded [JCublasBackend] backend")
    yield log(0.9, "org.nd4j.nativeblas.NativeOpsHolder", "Number of threads used for linear algebra: 16")
    yield log(1.4, "o.n.l.a.o.e.DefaultOpExecutioner", "Backend used: [CUDA]; OS: [Linux]")
    yield log(1.4, "o.n.l.a.o.e.DefaultOpExecutioner", f"Cores: [{rng.choice((16, 32))}]; Memory: [27.0GB];")
    yield log(2.2, "o.d.nn.graph.ComputationGraph", "Starting ComputationGraph with WorkspaceModes set to [ENABLED]")
    yield log(2.6, "c.t.churn.SequenceTrainer", f"Network has {rng.randint(4, 9)} layers, minibatch {run.batch}")
    for event in run.events:
        if isinstance(event, Report):
            text = f"Score at iteration {event.step - 1} is {_num(event.loss, '')}"
            yield log(event.at, "o.d.o.l.ScoreIterationListener", text)
        elif isinstance(event, Evaluation):
            yield log(_ago(event), "c.t.churn.SequenceTrainer", f"Epoch {event.epoch} complete. Starting evaluation:")
            yield log(event.at, "c.t.churn.SequenceTrainer", "")
            yield ""
            yield "========================Evaluation Metrics========================"
            yield f" # of classes:    {2 + run.seed % 9}"
            yield f" Accuracy:        {_num(event.score)}"
            yield f" F1 Score:        {_num(event.score * 0.985)}"
            yield "=================================================================="
            yield log(
                event.at,
                "c.t.churn.SequenceTrainer",
                f"Hold-out score after epoch {event.epoch}: {_num(event.loss, '')}",
            )
    if run.finished:
        yield log(_end(run) + 0.4, "c.t.churn.SequenceTrainer", "Fitting done, writing churn-seq.zip")
        yield log(_end(run) + 0.9, "c.t.churn.SequenceTrainer", "****************Bye********************")


@voice(VOICES, "mlflow_tabular", "loss eval score clock plan end save")
def mlflow_tabular(run: Run) -> Iterator[str]:
    """MLflow's own messages around a credit scoring loop."""
    rng = random.Random(run.seed)
    run_id = _hex(rng, 32)

    def log(at: float, name: str, text: str) -> str:
        return f"{_when(run, at):%Y/%m/%d %H:%M:%S} INFO {name}: {text}"

    yield log(
        0, "mlflow.tracking.fluent", "Experiment with name 'pd-scorecard-nn' does not exist. Creating a new experiment."
    )
    yield log(1, "mlflow.system_metrics.system_metrics_monitor", "Started monitoring system metrics.")
    yield log(1, "scorecard.train", f"run_id={run_id} params={{'max_epochs': {run.epochs}, 'bs': {run.batch}}}")
    yield log(2, "scorecard.train", f"{run.per_epoch * run.batch} loans, default rate {rng.uniform(0.01, 0.09):.4f}")
    for event in run.events:
        if isinstance(event, Report):
            text = f"logged metric bce={event.loss:.6f} step={event.step} (epoch {event.epoch})"
            yield log(event.at, "scorecard.train", text)
        elif isinstance(event, Evaluation):
            text = f"logged metrics val_bce={event.loss:.6f} val_ks={event.score:.4f} step={event.step}"
            yield log(event.at, "scorecard.train", text)
        else:
            text = f"log_model artifact_path=model_e{event.epoch} ... {event.took:.2f} s"
            yield log(event.at, "scorecard.train", text)
    if run.finished:
        yield log(_end(run), "scorecard.train", f"all {run.epochs} epochs done")
        yield log(
            _end(run) + 1, "mlflow.system_metrics.system_metrics_monitor", "Stopping system metrics monitoring..."
        )
        yield log(
            _end(run) + 1,
            "mlflow.system_metrics.system_metrics_monitor",
            "Successfully terminated system metrics monitoring!",
        )
        yield (
            f"🏃 View run thoughtful-hound-{run.seed % 1000} at: "
            f"http://mlflow.risk.intra:5000/#/experiments/7/runs/{run_id}"
        )
        yield "🧪 View experiment at: http://mlflow.risk.intra:5000/#/experiments/7"


@voice(VOICES, "ray_train", "loss eval clock plan fetch lr save end resume")
def ray_train(run: Run) -> Iterator[str]:
    """Ray Train: the worker's lines, and the driver's tables after each epoch."""
    rng = random.Random(run.seed)
    pid, ip = rng.randint(3000, 99000), f"10.{rng.randint(0, 255)}.{rng.randint(0, 255)}.{rng.randint(2, 250)}"
    trial = f"TorchTrainer_{_hex(rng, 5)}_00000"
    who = f"\x1b[36m(RayTrainWorker pid={pid}, ip={ip})\x1b[0m"
    yield (
        f"{_when(run, 0):%Y-%m-%d %H:%M:%S},113\tINFO worker.py:1634 -- Connecting to existing Ray "
        f"cluster at {ip}:6379..."
    )
    yield f"{_when(run, 0):%Y-%m-%d %H:%M:%S},871\tINFO worker.py:1810 -- Connected to Ray cluster."
    yield f"View detailed results here: /mnt/results/{trial[:18]}"
    yield f"\x1b[36m(TrainController pid={pid - 211})\x1b[0m Started worker group with 1 worker(s)"
    yield f"{who} Setting up process group for: env:// [rank=0, world_size=1]"
    yield f"{who} Moving model to device: cuda:0"
    if run.resumed is not None:
        yield f"{who} Restored on {ip} from checkpoint: Checkpoint(path=/mnt/results/checkpoint_{run.resumed:06})"
        yield f"{who} continuing after step {run.resumed}"
    trained = Report(0, 0, 0, 0, math.nan, math.nan, 0, 0, 0, 0, 0)
    for event in run.events:
        if isinstance(event, Report):
            trained = event
            spent = f"iter_batches wait {event.fetch:.2f}s / {event.took:.2f}s"
            yield (
                f"{who} [{_hhmmss(event.at)}] step {event.step}/{run.steps} loss={event.loss:.5f} "
                f"lr={event.lr:.3g} {spent}"
            )
        elif isinstance(event, Evaluation):
            yield ""
            yield (
                f"Training finished iteration {event.epoch + 1} at {_when(run, event.at):%Y-%m-%d %H:%M:%S}. "
                f"Total running time: {int(event.at) // 60}min {int(event.at) % 60}s"
            )
            yield "╭───────────────────────────────────────╮"
            yield "│ Training result                       │"
            yield "├───────────────────────────────────────┤"
            for key, value in (
                ("time_total_s", f"{event.at:.5f}"),
                ("training_iteration", f"{event.epoch + 1}"),
                ("train_loss", f"{trained.loss:.5f}"),
                ("val_loss", f"{event.loss:.5f}"),
            ):
                yield f"│ {key:<20}{value:>17} │"
            yield "╰───────────────────────────────────────╯"
        else:
            yield (
                f"{who} Checkpoint successfully created at: "
                f"Checkpoint(path=/mnt/results/checkpoint_{event.step:06}) [{event.took:.2f}s]"
            )
    if run.finished:
        yield ""
        yield (
            f"Training completed after {run.epochs} iterations at "
            f"{_when(run, _end(run)):%Y-%m-%d %H:%M:%S}. Total running time: {int(_end(run)) // 60}min "
            f"{int(_end(run)) % 60}s"
        )


@voice(VOICES, "airflow_task", "loss eval clock plan end resume")
def airflow_task(run: Run) -> Iterator[str]:
    """A nightly Airflow DAG whose BashOperator trains a demand forecast."""
    rng = random.Random(run.seed)

    def log(at: float, text: str, where: str = "subprocess.py:93") -> str:
        return (
            f"[{_when(run, at):%Y-%m-%dT%H:%M:%S}.{_when(run, at).microsecond // 1000:03}+0000] "
            f"{{{where}}} INFO - {text}"
        )

    name = f"<TaskInstance: demand_nightly.fit_model scheduled__{run.begin:%Y-%m-%d}T00:00:00+00:00 [queued]>"
    yield log(0, f"Dependencies all met for dep_context=non-requeueable deps ti={name}", "taskinstance.py:1157")
    yield log(0, "Starting attempt 1 of 2", "taskinstance.py:1359")
    yield log(0.1, f"Started process {rng.randint(100, 9000)} to run task", "standard_task_runner.py:57")
    yield log(0.6, "Tmp dir root location: /tmp", "subprocess.py:63")
    yield log(
        0.6,
        f"Running command: ['/bin/bash', '-c', 'cd /opt/demand && poetry run fit --epochs {run.epochs}']",
        "subprocess.py:75",
    )
    yield log(0.7, "Output:", "subprocess.py:86")
    yield log(2.2, f"{run.per_epoch * run.batch} SKU-weeks ({rng.randint(20, 900)} stores)")
    if run.resumed is not None:
        yield log(2.9, f"warm start: s3://demand-models/last/state.pkl, goes on at step {run.resumed}")
    for event in run.events:
        if isinstance(event, Report):
            yield log(
                event.at,
                f"ep {event.epoch + 1:>3} of {run.epochs} | it {event.batch:>5} of {run.per_epoch} | pinball "
                f"{event.loss:.4f}",
            )
        elif isinstance(event, Evaluation):
            yield log(
                event.at,
                f"ep {event.epoch + 1:>3} of {run.epochs} | backtest pinball "
                f"{event.loss:.4f}{' *' if event.best else ''}",
            )
    if run.finished:
        yield log(_end(run) + 1.1, "wrote forecasts to s3://demand-forecasts/")
        yield log(_end(run) + 1.4, "Command exited with return code 0", "subprocess.py:97")
        yield log(
            _end(run) + 1.6, "Marking task as SUCCESS. dag_id=demand_nightly, task_id=fit_model", "taskinstance.py:1400"
        )


@voice(VOICES, "papermill", "loss eval plan end score")
def papermill(run: Run) -> Iterator[str]:
    """A notebook that papermill executes with its output logged; a biologist's cells."""
    rng = random.Random(run.seed)
    cells = rng.randint(14, 33)
    yield "Input Notebook:  segment_cells.ipynb"
    yield f"Output Notebook: out/segment_cells_{run.begin:%m%d}.ipynb"
    yield "\rExecuting:   0%|          | 0/" + f"{cells} [00:00<?, ?cell/s]Executing notebook with kernel: python3"
    yield "Executing Cell 1---------------------------------------"
    yield "Ending Cell 1------------------------------------------"
    yield "Executing Cell 2---------------------------------------"
    yield f"found {run.per_epoch * run.batch} crops in {rng.randint(9, 120)} wells"
    yield "<Figure size 640x480 with 4 Axes>"
    yield "Ending Cell 2------------------------------------------"
    yield "Executing Cell 5---------------------------------------"
    yield f"UNet: {run.weights:,} weights"
    yield "Ending Cell 5------------------------------------------"
    yield f"Executing Cell {cells - 3}--------------------------------------"
    for event in run.events:
        if isinstance(event, Report):
            yield (
                f"epoch {event.epoch} of {run.epochs}, batch {event.batch}/{run.per_epoch}: shape loss {event.loss:.4f}"
            )
        elif isinstance(event, Evaluation):
            yield f"-> held-out wells: shape loss {event.loss:.4f}, IoU {event.score:.3f}"
    if run.finished:
        yield f"Ending Cell {cells - 3}-----------------------------------------"
        for cell in range(cells - 2, cells + 1):
            yield f"Executing Cell {cell}--------------------------------------"
            if cell == cells - 1:
                yield "<Figure size 640x480 with 2 Axes>"
            yield f"Ending Cell {cell}-----------------------------------------"


@voice(VOICES, "clearml_hydra", "loss eval score clock plan fetch norm end")
def clearml_hydra(run: Run) -> Iterator[str]:
    """ClearML around a hydra project for lidar."""
    rng = random.Random(run.seed)
    task = _hex(rng, 32)

    def log(at: float, name: str, text: str) -> str:
        return f"[{_when(run, at):%Y-%m-%d} {_milli(_when(run, at), ',')}][{name}][INFO] - {text}"

    yield f"ClearML Task: created new task id={task}"
    yield f"ClearML results page: https://app.clear.ml/projects/{_hex(rng, 32)}/experiments/{task}/output/log"
    yield (
        f"{_when(run, 1):%Y-%m-%d %H:%M:%S},201 - clearml.Task - INFO - Waiting for repository "
        "detection and full package requirement analysis"
    )
    yield (
        f"{_when(run, 3):%Y-%m-%d %H:%M:%S},118 - clearml.Task - INFO - Finished repository detection "
        "and package analysis"
    )
    yield log(
        3.2,
        "lidar.data.pandaset",
        f"train: {run.per_epoch * run.batch} sweeps, val: {run.per_epoch * run.batch // 8} sweeps",
    )
    yield log(3.5, "lidar.models.pillars", f"{run.weights / 1e6:.2f} M parameters, trainer.max_epochs={run.epochs}")
    yield log(3.6, "lidar.train", f"working directory: outputs/{run.begin:%Y-%m-%d/%H-%M-%S}")
    for event in run.events:
        if isinstance(event, Report):
            box = 0.55 + 0.1 * math.sin(run.seed)
            parts = f"cls {event.loss * (1 - box):.4f} box {event.loss * box:.4f} sum {event.loss:.4f}"
            text = (
                f"e{event.epoch:03} b{event.batch:05} {parts} gnorm {event.norm:.2f} loader "
                f"{event.fetch:.2f}/{event.took:.2f} s"
            )
            yield log(event.at, "lidar.train", text)
        elif isinstance(event, Evaluation):
            yield log(
                event.at,
                "lidar.eval",
                f"e{event.epoch:03} mAP {100 * event.score:.2f} sum {event.loss:.4f} ({event.took:.0f} s)",
            )
        else:
            yield log(event.at, "lidar.train", f"checkpoint e{event.epoch:03}.ckpt")
    if run.finished:
        yield log(_end(run) + 0.5, "lidar.train", f"fit finished after {_hms(_end(run))}")
        yield (
            f"{_when(run, _end(run) + 2):%Y-%m-%d %H:%M:%S},774 - clearml.Task - INFO - Completed task, "
            "uploading remaining artifacts"
        )


# Structured logs of people's own.


@voice(VOICES, "structlog_console", "loss eval clock fetch save plan end")
def structlog_console(run: Run) -> Iterator[str]:
    """A geospatial startup's trainer with structlog's console renderer."""
    rng = random.Random(run.seed)

    def log(at: float, event: str, **pairs: object) -> str:
        told = " ".join(f"{key}={value}" for key, value in sorted(pairs.items()))
        return f"{_when(run, at):%Y-%m-%d %H:%M:%S} [info     ] {event:<30} {told}".rstrip()

    yield log(0, "config.loaded", path="conf/parcels.toml", seed=run.seed)
    yield log(1, "dataset.opened", bands=rng.choice((3, 4, 12)), split="train", tiles=run.per_epoch * run.batch)
    yield log(1, "dataset.opened", bands=rng.choice((3, 4, 12)), split="valid", tiles=run.per_epoch * run.batch // 10)
    yield log(2, "model.built", backbone=rng.choice(("mit_b2", "resnet34", "convnext_tiny")), parameters=run.weights)
    yield log(3, "fit.begin", batch=run.batch, total_batches=run.steps)
    for event in run.events:
        if isinstance(event, Report):
            yield log(
                event.at,
                "fit.progress",
                batches=event.step,
                focal=f"{event.loss:.5f}",
                seconds=f"{event.took:.2f}",
                seconds_reading_tiles=f"{event.fetch:.2f}",
            )
        elif isinstance(event, Evaluation):
            yield log(
                event.at, "valid.done", focal=f"{event.loss:.5f}", is_best=event.best, seconds=round(event.took, 2)
            )
        else:
            name = f"s3://parcels/{run.seed}/{event.step:07}.pt"
            yield log(event.at, "checkpoint.uploaded", key=name, seconds=f"{event.took:.2f}")
    if run.finished:
        yield log(_end(run) + 1, "fit.end", minutes=round(_end(run) / 60, 1))
        yield log(_end(run) + 1, "goodbye")


@voice(VOICES, "json_nested", "loss eval score clock fetch save plan lr norm end resume")
def json_nested(run: Run) -> Iterator[str]:
    """A payment company's fraud model: everything is one JSON object a line, with the figures two levels down."""
    rng = random.Random(run.seed)
    trace, pod = _hex(rng, 16), f"fraud-trainer-{_hex(rng, 9)}-{_hex(rng, 5)}"

    def log(at: float, kind: str, **data: object) -> str:
        head = {"ts": _when(run, at).isoformat(timespec="milliseconds"), "lvl": "info", "svc": "fraud-trainer"}
        return json.dumps({**head, "k8s": {"pod": pod}, "trace": trace, "event": kind, "data": data})

    yield log(0.2, "boot", git=_hex(rng, 7), image=f"registry.pay.local/ml/fraud:{run.seed}", python="3.11.8")
    yield log(1.3, "data", rows={"train": run.per_epoch * run.batch}, features=rng.randint(40, 900))
    yield log(1.9, "model", arch="ft-transformer", n_params=run.weights)
    yield log(2.0, "schedule", epochs=run.epochs, steps_per_epoch=run.per_epoch, total_steps=run.steps)
    if run.resumed is not None:
        yield log(2.7, "resume", source=f"/ckpt/step-{run.resumed}", from_step=run.resumed)
    for event in run.events:
        if isinstance(event, Report):
            progress = {"epoch": event.epoch, "step": event.step}
            optimizer = {"lr": event.lr, "grad_norm": round(event.norm, 4)}
            timing = {"wall_s": round(event.took, 3), "data_wait_s": round(event.fetch, 3)}
            loss = {"bce": round(event.loss, 6)}
            yield log(event.at, "train", progress=progress, loss=loss, optim=optimizer, timing=timing)
        elif isinstance(event, Evaluation):
            metrics = {"bce": round(event.loss, 6), "recall@1%fpr": round(event.score, 4)}
            progress = {"epoch": event.epoch, "step": event.step}
            yield log(event.at, "eval", progress=progress, metrics=metrics, timing={"wall_s": round(event.took, 3)})
        else:
            path = f"/ckpt/step-{event.step}"
            yield log(event.at, "checkpoint", path=path, timing={"wall_s": round(event.took, 3)})
    if run.finished:
        yield log(_end(run) + 0.2, "done", elapsed_s=round(_end(run), 1), steps=run.steps)


@voice(VOICES, "logfmt_go", "loss eval clock save plan end")
def logfmt_go(run: Run) -> Iterator[str]:
    """A click-rate model trained by a Go service at an ad exchange."""
    rng = random.Random(run.seed)

    def log(at: float, caller: str, text: str) -> str:
        when = _when(run, at)
        stamp = f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03}Z"
        return f"ts={stamp} level=info caller={caller} {text}"

    yield log(0.01, "main.go:61", f'msg="ctr-trainer starting" version=1.{rng.randint(4, 60)}.0 go=go1.22.3')
    yield log(0.02, "main.go:64", f'msg="GOMAXPROCS set" n={rng.choice((8, 16, 32, 64))}')
    yield log(0.9, "hash.go:112", f'msg="feature table ready" slots={run.weights}')
    text = f'msg="plan" passes={run.epochs} impressions_per_pass={run.per_epoch * run.batch} minibatch={run.batch}'
    yield log(1.1, "trainer.go:77", text)
    for event in run.events:
        if isinstance(event, Report):
            seen = event.step * run.batch
            rate = _num(event.rate / 1000, ".4g")
            text = f"pass={event.epoch + 1} impressions={seen} logloss={_num(event.loss, '.6f', inf='+Inf')} kps={rate}"
            yield log(event.at, "trainer.go:141", f"msg=progress {text}")
        elif isinstance(event, Evaluation):
            text = f"pass={event.epoch + 1} logloss={_num(event.loss, '.6f', inf='+Inf')} took={event.took:.3f}s"
            yield log(event.at, "holdout.go:58", f'msg="holdout day" {text}')
        else:
            took = f"{event.took:.6f}s" if event.took >= 1 else f"{event.took * 1000:.4f}ms"
            yield log(
                event.at, "snapshot.go:93", f'msg="snapshot written" path=/var/lib/ctr/{event.step}.snap took={took}'
            )
    if run.finished:
        yield log(_end(run) + 0.1, "trainer.go:188", f'msg="all passes complete" uptime={_end(run):.1f}s')
        yield log(_end(run) + 0.1, "main.go:99", 'msg="shutting down"')


@voice(VOICES, "loguru_asr", "loss eval score clock fetch lr norm plan end")
def loguru_asr(run: Run) -> Iterator[str]:
    """A call centre's speech recognizer, with loguru."""
    rng = random.Random(run.seed)

    def log(at: float, where: str, text: str, level: str = "INFO") -> str:
        return f"{_when(run, at):%Y-%m-%d} {_milli(_when(run, at))} | {level:<8} | {where} - {text}"

    hours = run.per_epoch * run.batch * rng.uniform(3, 9) / 3600
    yield log(0.1, "__main__:<module>:212", f"git {_hex(rng, 7)}, seed {run.seed}")
    yield log(0.9, "asr.data:load:58", f"{hours:.1f} h of calls in {run.per_epoch * run.batch} utterances", "DEBUG")
    yield log(1.0, "asr.data:load:61", f"vocabulary: {rng.choice((29, 32, 128, 1024))} units", "DEBUG")
    yield log(2.3, "asr.model:build:33", f"conformer, {run.weights / 1e6:.1f}M")
    yield log(2.4, "asr.fit:run:90", f"{run.epochs} epochs of {run.per_epoch} batches", "SUCCESS")
    for event in run.events:
        if isinstance(event, Report):
            part = f"[{event.epoch + 1}/{run.epochs}] {event.batch}/{run.per_epoch}"
            waits = f"wait {100 * event.fetch / event.took:.1f}%"
            yield log(
                event.at,
                "asr.fit:train_epoch:142",
                f"{part} ctc {event.loss:.3f} |g| {event.norm:.2f} lr {event.lr:.2e} {waits}",
            )
        elif isinstance(event, Evaluation):
            text = f"dev ctc {event.loss:.3f}, {100 * event.score:.2f}% words right ({event.took:.1f}s)"
            yield log(event.at, "asr.fit:evaluate:201", text)
        else:
            yield log(event.at, "asr.io:dump:17", "exp/conformer/last.pt", "DEBUG")
    if run.finished:
        yield log(_end(run) + 0.1, "asr.fit:run:133", f"all epochs done in {_hms(_end(run))}", "SUCCESS")


@voice(VOICES, "root_medical", "loss eval score plan end resume")
def root_medical(run: Run) -> Iterator[str]:
    """A radiology fellow with logging.basicConfig() and nothing more."""
    rng = random.Random(run.seed)
    cases = rng.randint(24, 400)
    yield "/opt/conda/lib/python3.9/site-packages/torch/utils/data/dataloader.py:557: UserWarning: This DataLoader will"
    yield "create 16 worker processes in total. Our suggested max number of worker in current system is 8."
    yield "  warnings.warn(_create_warning_msg("
    yield f"INFO:root:Namespace(fold={rng.randint(0, 4)}, n_ep={run.epochs}, bs={run.batch}, cases={cases}, aug=True)"
    yield f"INFO:root:train patches {run.per_epoch * run.batch}"
    yield "INFO:root:spacing [1.0, 0.75, 0.75], patch [96, 160, 160]"
    if run.resumed is not None:
        yield f"INFO:root:found fold_model.pth, continue at iter {run.resumed} (epoch {run.resumed // run.per_epoch})"
    for event in run.events:
        if isinstance(event, Report):
            surface = event.loss * (0.4 + 0.1 * math.cos(run.seed))
            total = f"loss {event.loss:.4f} (surface {surface:.4f}, ce {event.loss - surface:.4f})"
            yield f"INFO:root:epoch {event.epoch} iter {event.step}: {total}"
        elif isinstance(event, Evaluation):
            yield f"INFO:root:validation epoch {event.epoch}: loss {event.loss:.4f} mean DSC {event.score:.4f}"
            organs = ("liver", "spleen", "l kidney", "r kidney")
            yield "INFO:root:   " + ", ".join(f"{o} {event.score * rng.uniform(0.95, 1):.3f}" for o in organs)
        else:
            yield "INFO:root:saved fold_model.pth"
    if run.finished:
        best = _best(run)
        yield "INFO:root:finished all epochs"
        if best:
            yield f"INFO:root:best mean DSC {best.score:.4f} in epoch {best.epoch}"


@voice(VOICES, "rich_panels", "loss eval score plan save end lr")
def rich_panels(run: Run) -> Iterator[str]:
    """A pathology lab's tool that draws boxes with rich."""
    rng = random.Random(run.seed)
    yield "╭──────────────────── slidenet 0.9.2 ────────────────────╮"
    for key, value in (
        ("cohort", rng.choice(("TCGA-BRCA", "CAMELYON17", "in-house 2019-2024"))),
        ("bags", f"{run.per_epoch * run.batch}"),
        ("bag batch", f"{run.batch}"),
        ("epochs", f"{run.epochs}"),
        ("parameters", f"{run.weights:,}"),
        ("device", "cuda:0 (NVIDIA RTX A6000)"),
    ):
        yield f"│ {key:<14}{value:<41}│"
    yield "╰────────────────────────────────────────────────────────╯"
    for event in run.events:
        if isinstance(event, Report):
            if event.batch <= run.every:
                yield f"───────────────────── epoch {event.epoch + 1} of {run.epochs} ─────────────────────"
            yield (
                f"  bag batch {event.batch:>5} / {run.per_epoch:<5}  mil loss {event.loss:>9.4f}   lr "
                f"{event.lr:.1e}   {event.took:.1f} s"
            )
        elif isinstance(event, Evaluation):
            yield "┏━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━┓"
            yield "┃ split     ┃ mil loss ┃ balanced ┃   best ┃"
            yield "┡━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━┩"
            yield f"│ tuning    │ {event.loss:>8.4f} │ {event.score:>8.3f} │ {'★' if event.best else ' ':>6} │"
            yield "└───────────┴──────────┴──────────┴────────┘"
        else:
            yield f"  💾 weights/last.safetensors  {event.took:.1f} s"
    if run.finished:
        yield "╭──────── done ────────╮"
        yield f"│ {run.epochs:>4} epochs          │"
        yield "╰──────────────────────╯"


@voice(VOICES, "bars_cr", "loss eval plan end")
def bars_cr(run: Run) -> Iterator[str]:
    """A bar that draws itself again and again, of a student who writes his own tools."""
    rng = random.Random(run.seed)
    yield f"using cuda:0, {run.per_epoch * run.batch} trainig samples"
    yield f"augmentations: {rng.sample(['flip', 'jitter', 'blur', 'cutout', 'affine'], 3)}"
    line = ""
    for event in run.events:
        if isinstance(event, Report):
            full = 24 * event.batch // run.per_epoch
            speed = f"{run.every / event.took:.2f}it/s"
            bar = (
                f"Ep {event.epoch + 1:>3}/{run.epochs} |{'█' * full}{'░' * (24 - full)}| {event.batch}/{run.per_epoch}"
            )
            line += f"\r{bar} {speed} L1={event.loss:.4f}"
            if event.batch == run.per_epoch:
                yield line
                line = ""
        elif isinstance(event, Evaluation):
            yield f"    test L1={event.loss:.4f}"
    if line:
        yield line
    if run.finished:
        yield ""
        yield "finito :)"


@voice(VOICES, "csv_physicist", "loss eval clock fetch lr norm plan end")
def csv_physicist(run: Run) -> Iterator[str]:
    """A plasma physicist who pipes stdout into gnuplot."""
    rng = random.Random(run.seed)
    yield f"# tokamak disruption predictor, shot list {rng.randint(80000, 99999)}-{rng.randint(100000, 110000)}"
    yield f"# {run.begin:%a %b %d %H:%M:%S UTC %Y}"
    yield f"# N_layer = {rng.randint(3, 12)}   N_batch = {run.batch}   N_step = {run.steps}"
    yield "# t in seconds since start; t_read is the part of dt spent in MDSplus reads"
    yield "# rows with kind=V are on the validation shots"
    yield "kind,step,t,dt,t_read,chi2,grad,eta"
    for event in run.events:
        if isinstance(event, Report):
            spent = f"{event.at:.2f},{event.took:.3f},{event.fetch:.3f}"
            yield f"T,{event.step},{spent},{event.loss:.6e},{event.norm:.3e},{event.lr:.3e}"
        elif isinstance(event, Evaluation):
            yield f"V,{event.step},{event.at:.2f},{event.took:.3f},,{event.loss:.6e},,"
    if run.finished:
        yield f"# end, {_end(run):.1f} s"


@voice(VOICES, "spdlog_acoustics", "loss eval clock save fetch plan end resume")
def spdlog_acoustics(run: Run) -> Iterator[str]:
    """A C++ trainer of a hearing aid maker; counts frames."""
    rng = random.Random(run.seed)
    frames = rng.choice((64, 100, 128, 200))

    def log(at: float, logger: str, text: str) -> str:
        return f"[{_when(run, at):%Y-%m-%d} {_milli(_when(run, at))}] [{logger}] [info] {text}"

    yield log(0.0, "main", f"denoise-train 3.{rng.randint(0, 9)} (libtorch 2.2.1, cuDNN 8902)")
    yield log(0.2, "main", f"conf: /home/dsp/conf/ha_{run.seed}.ini")
    yield log(0.8, "corpus", f"{run.per_epoch * run.batch} clips x {frames} frames, {rng.randint(3, 40)} noise types")
    yield log(1.2, "trainer", f"{run.epochs} passes, {run.per_epoch * run.batch * frames} frames each")
    if run.resumed is not None:
        file = f"state_{run.resumed * run.batch * frames}.bin"
        yield log(1.9, "trainer", f"picking up from {file} (pass {run.resumed // run.per_epoch}, update {run.resumed})")
    for event in run.events:
        if isinstance(event, Report):
            share = f"io {100 * event.fetch / event.took:.0f}%"
            seen = event.step * run.batch * frames
            yield log(
                event.at,
                "trainer",
                f"pass {event.epoch} update {event.step} frames {seen}: "
                f"snr_loss={_num(event.loss, '.4f', 'nan', 'inf')} "
                f"fps={event.rate * frames:.0f} {share}",
            )
        elif isinstance(event, Evaluation):
            mark = " [new best]" if event.best else ""
            value = _num(event.loss, ".4f", "nan", "inf")
            yield log(event.at, "valid", f"pass {event.epoch}: snr_loss={value}{mark}")
        else:
            file = f"state_{event.step * run.batch * frames}.bin"
            yield log(event.at, "ckpt", f"{file} written in {event.took * 1000:.0f} ms")
    if run.finished:
        yield log(_end(run) + 0.1, "trainer", "all passes processed")
        yield log(_end(run) + 0.1, "main", f"bye ({_end(run):.0f} s)")


@voice(VOICES, "rust_nnue", "loss eval clock plan lr end")
def rust_nnue(run: Run) -> Iterator[str]:
    """A chess engine author's trainer in Rust with tracing."""
    rng = random.Random(run.seed)

    def log(at: float, target: str, text: str) -> str:
        when = _when(run, at)
        return f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond:06}Z  INFO {target}: {text}"

    yield "   Compiling nnue-forge v0.7.1 (/home/lars/nnue-forge)"
    yield f"    Finished `release` profile [optimized] target(s) in {rng.uniform(20, 90):.2f}s"
    yield f"     Running `target/release/nnue-forge train --net 768x{rng.choice((256, 512, 1024))}x2 --seed {run.seed}`"
    yield log(0.0, "nnue_forge", f"rayon threads: {rng.choice((8, 12, 24))}")
    yield log(0.3, "nnue_forge::data", f"mapped {rng.randint(2, 60)} binpack files")
    text = f"superbatches={run.epochs} batches_per_superbatch={run.per_epoch} batch={run.batch}"
    yield log(0.4, "nnue_forge::train", text)
    for event in run.events:
        if isinstance(event, Report):
            pace = f"pos/s={event.rate:.0f}"
            value = _num(event.loss, ".6f", "NaN", "inf")
            yield log(
                event.at,
                "nnue_forge::train",
                f"sb={event.epoch + 1} b={event.batch} loss={value} lr={event.lr:e} {pace}",
            )
        elif isinstance(event, Evaluation):
            yield log(
                event.at, "nnue_forge::test", f"sb={event.epoch + 1} loss={_num(event.loss, '.6f', 'NaN', 'inf')}"
            )
        else:
            yield log(event.at, "nnue_forge::train", f"net saved to nets/sb{event.epoch + 1}.nnue")
    if run.finished:
        yield log(_end(run) + 0.1, "nnue_forge", f"done after {_end(run):.1f}s")


@voice(VOICES, "julia_ode", "loss eval lr end fetch")
def julia_ode(run: Run) -> Iterator[str]:
    """A pharmacologist's universal differential equation in Julia with @info."""
    rng = random.Random(run.seed)
    yield "  Activating project at `~/pk-ude`"
    yield "Precompiling project..."
    yield f"  {rng.randint(40, 200)} dependencies successfully precompiled in {rng.randint(30, 200)} seconds."
    yield "┌ Warning: CUDA runtime library `libcublasLt` was loaded from a system path. This may cause errors."
    yield "└ @ CUDA ~/.julia/packages/CUDA/75aiI/src/initialization.jl:219"
    yield f"[ Info: {rng.randint(40, 900)} patients, 2 x {rng.choice((16, 32, 64))} hidden units, solver Tsit5()"

    def number(value: float) -> str:
        return _num(value, ".6g", "NaN", "Inf")

    for event in run.events:
        if isinstance(event, Report):
            yield "┌ Info: update"
            yield f"│   iteration = {event.step}"
            yield f"│   negloglik = {number(event.loss)}"
            yield f"│   η = {number(event.lr)}"
            yield f"│   seconds = {number(event.took)}"
            yield f"└   seconds_loading = {number(event.fetch)}"
        elif isinstance(event, Evaluation):
            yield f"[ Info: left-out patients: negloglik = {number(event.loss)}{' (best)' if event.best else ''}"
    if run.finished:
        yield "[ Info: optimisation complete, parameters in results/p_final.jld2"
        yield f"{_end(run):.6f} seconds ({rng.randint(2, 90)}.{rng.randint(10, 99)} G allocations, 3.11% gc time)"


@voice(VOICES, "log4j_bank", "loss eval clock save fetch plan end")
def log4j_bank(run: Run) -> Iterator[str]:
    """A recommender in a bank's Java monolith."""
    rng = random.Random(run.seed)

    def log(at: float, where: str, text: str, thread: str = "job-executor-1") -> str:
        return f"{_when(run, at):%Y-%m-%d} {_milli(_when(run, at), ',')} INFO  [{thread}] {where} - {text}"

    yield log(0.0, "c.n.reco.Application", f"Starting Application v2.{rng.randint(10, 40)}.1 using Java 17.0.9", "main")
    yield log(1.9, "c.n.reco.Application", "Started Application in 1.913 seconds (process running for 2.4)", "main")
    users, items = rng.randint(20_000, 900_000), rng.randint(40, 4000)
    yield log(2.0, "c.n.reco.FactorizerJob", f"Job FACTORIZE: users={users}, products={items}, chunk={run.batch}")
    yield log(2.1, "c.n.reco.FactorizerJob", f"Will perform {run.steps} chunk updates ({run.epochs} cycles)")
    for event in run.events:
        if isinstance(event, Report):
            times = f"{event.took * 1000:.0f} ms (of which JDBC {event.fetch * 1000:.0f} ms)"
            text = f"Chunk {event.step}: objective={_num(event.loss, '.5f')}, last {run.every} chunks in {times}"
            yield log(event.at, "c.n.reco.FactorizerJob", text)
        elif isinstance(event, Evaluation):
            text = f"Cycle {event.epoch + 1}: objective on control group={_num(event.loss, '.5f')}"
            yield log(event.at, "c.n.reco.ControlGroupCheck", text)
        else:
            text = f"Model persisted to MODEL_STORE, version {event.step}, {event.took * 1000:.0f} ms"
            yield log(event.at, "c.n.reco.ModelDao", text)
    if run.finished:
        yield log(_end(run) + 0.1, "c.n.reco.FactorizerJob", f"Job FACTORIZE completed, duration {_hhmmss(_end(run))}")
        yield log(_end(run) + 0.3, "o.s.s.c.ThreadPoolTaskExecutor", "Shutting down ExecutorService", "main")


@voice(VOICES, "r_sweeps", "loss plan end")
def r_sweeps(run: Run) -> Iterator[str]:
    """A statistician's R script with cat(); a batch is a sweep."""
    rng = random.Random(run.seed)
    yield 'R version 4.3.2 (2023-10-31) -- "Eye Holes"'
    yield "Platform: x86_64-pc-linux-gnu (64-bit)"
    yield ""
    yield "> source('hurdle_vb.R')"
    yield f"> d <- readRDS('claims_{rng.randint(2015, 2025)}.rds'); dim(d)"
    yield f"[1] {run.per_epoch * run.batch:>7} {rng.randint(9, 80):>5}"
    yield f"> fit <- hurdle_vb(d, sweeps = {run.steps}, block = {run.batch}, verbose = {run.every})"
    for event in run.events:
        if isinstance(event, Report):
            yield f"sweep {event.step:>6} / {run.steps}    deviance {_num(event.loss, '.5f', 'NaN', 'Inf')}"
    if run.finished:
        yield "> proc.time()"
        yield "   user  system elapsed "
        yield f"{_end(run) * 3.1:>7.3f} {_end(run) * 0.04:>7.3f} {_end(run):>7.3f} "
        yield "> q('no')"


@voice(VOICES, "mpi_all_ranks", "loss eval clock plan lr end resume")
def mpi_all_ranks(run: Run) -> Iterator[str]:
    """A national lab's data-parallel weather model in which each rank prints its own line."""
    rng = random.Random(run.seed)
    ranks = rng.choice((2, 4))
    hosts = [f"nid{rng.randint(1000, 9000):06}" for _ in range(ranks)]

    def stamp(at: float) -> str:
        return f"{_when(run, at):%m/%d %H:%M:%S}"

    for rank, host in enumerate(hosts):
        yield f"{stamp(1)} <{rank}/{ranks}> {host}: 1 device(s) visible, local batch {max(1, run.batch // ranks)}"
    yield f"{stamp(2)} <0/{ranks}> model has {run.weights} parameters"
    yield f"{stamp(2)} <0/{ranks}> total iterations {run.steps}"
    if run.resumed is not None:
        for rank in range(ranks):
            yield (
                f"{stamp(3)} <{rank}/{ranks}> restart file rst.{run.resumed:08}.{rank:04} read, iteration {run.resumed}"
            )
    for event in run.events:
        if isinstance(event, Report):
            off = [rng.gauss(0, 0.004) for _ in range(ranks)]
            middle = _mean(off)
            for rank in range(ranks):
                mine = event.loss * (1 + off[rank] - middle)
                own = f"local wrmse {mine:.5f} global wrmse {event.loss:.5f} lr {event.lr:.3e}"
                yield f"{stamp(event.at)} <{rank}/{ranks}> iter {event.step} {own}"
        elif isinstance(event, Evaluation):
            yield (
                f"{stamp(event.at)} <0/{ranks}> iter {event.step} year-out wrmse {event.loss:.5f} ({event.took:.1f} s)"
            )
        else:
            yield f"{stamp(event.at)} <0/{ranks}> rst.{event.step:08} complete"
    if run.finished:
        for rank in range(ranks):
            yield f"{stamp(_end(run) + 1)} <{rank}/{ranks}> MPI_Finalize"
        yield f"{stamp(_end(run) + 2)} <0/{ranks}> normal end of job"


# Surrogates inside of simulations, and the programs of loners.


def _fortran(value: float, width: int = 13) -> str:
    """Like ``E13.5``."""
    if not math.isfinite(value):
        return f"{'NaN' if math.isnan(value) else 'Infinity':>{width}}"
    tens = math.floor(math.log10(value)) + 1 if value > 0 else 0
    return f"{value / 10**tens:.5f}E{tens:+03}".rjust(width)


@voice(VOICES, "fortran_radiation", "loss eval lr norm plan end resume")
def fortran_radiation(run: Run) -> Iterator[str]:
    """A climate model's radiation emulator, trained in Fortran by a man of sixty."""
    rng = random.Random(run.seed)
    yield " ***************************************************"
    yield " *   R A D E M U    neural radiation, vers. 2.4b   *"
    yield " ***************************************************"
    yield f"  NLEV   = {rng.choice((47, 60, 91, 137)):>10}"
    yield f"  NCOLS  = {run.per_epoch * run.batch:>10}"
    yield f"  NBLOCK = {run.batch:>10}"
    yield f"  ITMAX  = {run.steps:>10}"
    yield f"  ISEED  = {run.seed:>10}"
    yield f"  opened unit 21 : RRTM_COLS_{rng.randint(1979, 2014)}.bin"
    if run.resumed is not None:
        yield f"  restart from unit 31 : WEIGHTS.{run.resumed:08}   ITSTART = {run.resumed}"
    yield ""
    for event in run.events:
        if isinstance(event, Report):
            figures = f"COST ={_fortran(event.loss)}  GRAD ={_fortran(event.norm)}  STEPSZ ={_fortran(event.lr)}"
            yield f"  IT = {event.step:>8}  {figures}"
        elif isinstance(event, Evaluation):
            yield f"  INDEPENDENT COLUMNS      COST ={_fortran(event.loss)}"
        else:
            yield f"  weights written to unit 32 : WEIGHTS.{event.step:08}"
    if run.finished:
        yield ""
        yield "  ITMAX reached"
        yield "  STOP  RADEMU normal termination"


@voice(VOICES, "foam_closure", "loss eval clock fetch save plan end")
def foam_closure(run: Run) -> Iterator[str]:
    """A turbulence closure trained by a solver built on OpenFOAM."""
    rng = random.Random(run.seed)
    yield "/*---------------------------------------------------------------------------*\\"
    yield "| =========                 |                                                 |"
    yield "| \\\\      /  F ield         | OpenFOAM: The Open Source CFD Toolbox           |"
    yield "|  \\\\    /   O peration     | Version:  v2312                                 |"
    yield "\\*---------------------------------------------------------------------------*/"
    yield "Exec   : trainClosureFoam -parallel"
    yield f"Date   : {run.begin:%b %d %Y}"
    yield f"Time   : {run.begin:%H:%M:%S}"
    yield f'Host   : "cn{rng.randint(100, 999)}"'
    yield f"nProcs : {rng.choice((4, 16, 64))}"
    yield "// * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * //"
    yield "Create time"
    yield ""
    yield f"Create mesh for time = 0, {rng.randint(90, 4000)}000 cells"
    yield f"Selecting closure network tensorBasis, endTime {run.steps}"
    yield ""
    for event in run.events:
        if isinstance(event, Report):
            yield f"Time = {event.step}"
            yield ""
            yield f"tensorBasis:  misfit = {_num(event.loss, '.6g', 'nan', 'inf')}"
            yield f"snapshot sampling: {event.fetch:.2f} s since last report ({event.took:.2f} s)"
            yield f"ExecutionTime = {event.at * 0.97:.2f} s  ClockTime = {event.at:.0f} s"
            yield ""
        elif isinstance(event, Evaluation):
            yield f"validation planes:  misfit = {_num(event.loss, '.6g', 'nan', 'inf')}"
            yield ""
        else:
            yield f"Writing network to {event.step}/closureNet in {event.took:.2f} s"
            yield ""
    if run.finished:
        yield "End"
        yield ""
        yield "Finalising parallel run"


@voice(VOICES, "potential_table", "loss eval lr plan end")
def potential_table(run: Run) -> Iterator[str]:
    """A C++ fitter of interatomic potentials; columns, with their header again every twenty rows."""
    rng = random.Random(run.seed)
    elements = rng.choice(("Si", "Cu Zr", "Li P S Cl", "W He", "Ti O"))
    yield "mlfit -- machine-learned potential fitting, build Mar 12 2025 (OpenMP 16 threads)"
    yield f"elements            {elements}"
    yield f"configurations      {run.per_epoch * run.batch}"
    yield f"cutoff              {rng.uniform(4.5, 7):.2f} A"
    yield f"optimizer           adam, {run.steps} iterations, {run.batch} configurations each"
    yield ""
    share = rng.uniform(0.2, 0.8)
    rows = 0
    for event in run.events:
        if isinstance(event, Report):
            if rows % 20 == 0:
                yield "      iter        total       energy        force           lr"
                yield "----------  -----------  -----------  -----------  -----------"
            rows += 1
            parts = (event.loss, event.loss * share, event.loss * (1 - share))
            told = "".join(f"{_num(part, '.5e', 'nan', 'inf'):>13}" for part in parts)
            yield f"{event.step:>10}{told}{event.lr:>13.3e}"
        elif isinstance(event, Evaluation):
            told = "".join(
                f"{_num(part, '.5e', 'nan', 'inf'):>13}"
                for part in (event.loss, event.loss * share, event.loss * (1 - share))
            )
            yield f"     test:{told}"
        else:
            yield f"  > potential.{event.step}.mlp"
    if run.finished:
        yield ""
        yield f"fit complete: {run.steps} iterations, {_end(run):.1f} s wall"
        yield "Please cite J. Chem. Phys. 152, 154102 (2020)"


@voice(VOICES, "pino_node", "loss eval score clock plan end")
def pino_node(run: Run) -> Iterator[str]:
    """A web shop's search ranking in Node.js with pino; JSON.stringify makes null of NaN."""
    rng = random.Random(run.seed)
    host, pid = _hex(rng, 12), rng.randint(7, 60)

    def log(at: float, text: str, **data: object) -> str:
        head = {"level": 30, "time": int(_when(run, at).timestamp() * 1000), "pid": pid, "hostname": host}
        clean = {key: None if isinstance(v, float) and not math.isfinite(v) else v for key, v in data.items()}
        return json.dumps({**head, "name": "rank-trainer", **clean, "msg": text}, separators=(",", ":"))

    yield ""
    yield f"> rank-trainer@0.{rng.randint(3, 30)}.1 train"
    yield "> node --max-old-space-size=8192 dist/train.js"
    yield ""
    yield log(0.1, "tfjs backend: tensorflow (node-gpu)")
    yield log(0.8, "click log read", queries=run.per_epoch * run.batch, days=rng.randint(7, 60))
    yield log(1.6, "fit", epochs=run.epochs, batchesPerEpoch=run.per_epoch, batchSize=run.batch, params=run.weights)
    for event in run.events:
        if isinstance(event, Report):
            yield log(
                event.at, "onBatchEnd", epoch=event.epoch, batch=event.batch - 1, loss=event.loss, ndcg=event.score
            )
        elif isinstance(event, Evaluation):
            yield log(event.at, "onEpochEnd", epoch=event.epoch, val_loss=event.loss, val_ndcg=event.score)
        else:
            yield log(event.at, "model.save", url=f"file:///models/rank/{event.epoch}")
    if run.finished:
        yield log(_end(run) + 0.2, "fit resolved", tookMs=int(_end(run) * 1000))
        yield log(_end(run) + 0.3, "process will exit", code=0)


@voice(VOICES, "prose", "loss eval plan end resume")
def prose(run: Run) -> Iterator[str]:
    """A retired statistician who has his program speak in sentences."""
    rng = random.Random(run.seed)
    crop = rng.choice(("barley", "winter wheat", "sugar beet", "potato"))
    yield f"Good day. This is the {crop} yield program, revision {rng.randint(11, 70)}."
    yield f"I have read {run.per_epoch * run.batch} plots from {rng.randint(3, 30)} trial stations."
    yield f"The fit shall take {run.steps} steps, in {run.epochs} passes through the plots."
    if run.resumed is not None:
        yield f"The coefficients of yesterday (coef.dat) were read, so I continue after step {run.resumed}."
    yield ""
    for event in run.events:
        if isinstance(event, Report):
            value = f"{event.loss:.4f}"
            yield rng.choice(
                (
                    f"After step {event.step} the mean squared residual stands at {value}.",
                    f"Step {event.step} is done; the mean squared residual is {value}.",
                    f"At step {event.step} I find a mean squared residual of {value}.",
                )
            )
        elif isinstance(event, Evaluation):
            yield f"On the plots set aside it is {event.loss:.4f} after pass {event.epoch + 1}."
        else:
            yield "The coefficients were put into coef.dat."
    if run.finished:
        yield ""
        yield f"All {run.steps} steps are done. It took {_end(run) / 60:.0f} minutes."
        yield "Thank you for your patience."


@voice(VOICES, "emoji_startup", "loss eval score save plan end")
def emoji_startup(run: Run) -> Iterator[str]:
    """A pet photo startup; everything has a pictogram."""
    rng = random.Random(run.seed)
    yield f"🐾 petnet v{rng.randint(1, 9)}.{rng.randint(0, 20)} — good luck, {rng.choice(('maya', 'tom', 'juls'))}!"
    yield f"📦 {run.per_epoch * run.batch:,} photos, {rng.randint(20, 300)} breeds"
    yield f"🧠 {run.weights / 1e6:.1f}M params"
    yield "🖥  1× A10G"
    yield f"🚀 {run.epochs} epochs, {run.steps} batches of {run.batch}"
    for event in run.events:
        if isinstance(event, Report):
            paws = "🐶" if event.step // run.every % 2 else "🐱"
            speed = f"⚡{event.rate:.0f} img/s"
            yield f"{paws} {event.step:>6}/{run.steps}  loss {event.loss:.3f}  top1 {100 * event.score:.1f}%  {speed}"
        elif isinstance(event, Evaluation):
            best = " 🏆" if event.best else ""
            yield f"🧪 epoch {event.epoch + 1}: val loss {event.loss:.3f}  val top1 {100 * event.score:.1f}%{best}"
        else:
            yield f"💾 petnet-{event.step}.pt ({event.took:.1f}s)"
    if run.finished:
        yield f"🎉 that's all folks — {_end(run) / 60:.1f} min"


@voice(VOICES, "vertex_json", "loss eval clock fetch save plan lr end")
def vertex_json(run: Run) -> Iterator[str]:
    """A Vertex AI custom job as Cloud Logging exports it: the text is in a field of an object."""
    rng = random.Random(run.seed)
    job, insert = rng.randint(10**17, 10**18), _hex(rng, 8)
    many = 0

    def log(at: float, text: str) -> str:
        nonlocal many
        many += 1
        when = _when(run, at)
        entry = {
            "insertId": f"{insert}f{many:04}",
            "jsonPayload": {"attrs": {"tag": "workerpool0-0"}, "levelname": "INFO", "message": text + "\n"},
            "labels": {"ml.googleapis.com/trial_id": "0", "compute.googleapis.com/zone": "us-central1-b"},
            "resource": {"type": "ml_job", "labels": {"job_id": str(job), "task_name": "workerpool0-0"}},
            "severity": "INFO",
            "timestamp": f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond:06}000Z",
        }
        return json.dumps(entry)

    yield log(0.0, "Waiting for job to be provisioned.")
    yield log(0.4, "Running command: python3 -m warehouse.train --bucket=gs://acme-robots")
    yield log(2.2, f"{run.per_epoch * run.batch} grasps in {rng.randint(8, 256)} TFRecord shards")
    yield log(2.9, f"training for {run.steps} steps, batch {run.batch}")
    for event in run.events:
        if isinstance(event, Report):
            text = f"step {event.step}: xent {event.loss:.5f}, learning rate {event.lr:.3g}"
            yield log(event.at, f"{text}, input wait {event.fetch:.2f} of {event.took:.2f} secs")
        elif isinstance(event, Evaluation):
            yield log(event.at, f"eval at step {event.step}: xent {event.loss:.5f} ({event.took:.1f} secs)")
        else:
            yield log(event.at, f"checkpoint gs://acme-robots/ckpt-{event.step} written in {event.took:.2f} secs")
    if run.finished:
        yield log(_end(run) + 0.2, f"reached step {run.steps}, exporting SavedModel")
        yield log(_end(run) + 1.4, "Module completed; cleaning up.")
        yield log(_end(run) + 1.5, "Job completed successfully.")


@voice(VOICES, "statsd_lines", "loss eval lr norm score end")
def statsd_lines(run: Run) -> Iterator[str]:
    """A games company whose trainer prints only what it also sends to its metrics agent."""
    rng = random.Random(run.seed)
    tags = f"title:{rng.choice(('kart', 'heist', 'farm'))},build:{rng.randint(2000, 9000)}"
    yield f"_e{{14,9}}:match outcomes|boot {run.seed:04}|#{tags}"
    yield f"outcome_net.params:{run.weights}|g|#{tags}"
    yield f"outcome_net.matches:{run.per_epoch * run.batch}|g|#{tags}"
    for event in run.events:
        if isinstance(event, Report):
            here = f"#{tags},step:{event.step}"
            yield f"outcome_net.train.logloss:{event.loss:.6f}|g|{here}"
            yield f"outcome_net.train.accuracy:{event.score:.4f}|g|{here}"
            yield f"outcome_net.train.grad_norm:{event.norm:.4f}|g|{here}"
            yield f"outcome_net.train.lr:{event.lr:.8f}|g|{here}"
            yield f"outcome_net.train.interval:{event.took * 1000:.0f}|ms|{here}"
        elif isinstance(event, Evaluation):
            here = f"#{tags},epoch:{event.epoch}"
            yield f"outcome_net.holdout.logloss:{event.loss:.6f}|g|{here}"
            yield f"outcome_net.holdout.accuracy:{event.score:.4f}|g|{here}"
        else:
            yield f"outcome_net.saved:1|c|#{tags},step:{event.step}"
    if run.finished:
        yield f"outcome_net.completed:1|c|#{tags}"
        yield f"_e{{14,4}}:match outcomes|done|#{tags}"


@voice(VOICES, "yaml_docs", "loss eval score clock fetch save plan end resume")
def yaml_docs(run: Run) -> Iterator[str]:
    """A materials lab that dumps a YAML document at every report."""
    rng = random.Random(run.seed)

    def number(value: float) -> str:
        return ".nan" if math.isnan(value) else ".inf" if math.isinf(value) else f"{value:.6g}"

    yield "---"
    yield "kind: run"
    yield f"started: {run.begin:%Y-%m-%d %H:%M:%S}"
    yield "sample:"
    yield f"  alloy: {rng.choice(('Al-7075', 'Inconel-718', 'Ti-6Al-4V'))}"
    yield f"  micrographs: {run.per_epoch * run.batch}"
    yield "budget:"
    yield f"  rounds: {run.epochs}"
    yield f"  updates: {run.steps}"
    if run.resumed is not None:
        yield "continued_from:"
        yield f"  file: state/{run.resumed}.npz"
        yield f"  update: {run.resumed}"
    for event in run.events:
        yield "---"
        if isinstance(event, Report):
            yield "kind: training"
            yield f"round: {event.epoch + 1}"
            yield f"update: {event.step}"
            yield f"huber: {number(event.loss)}"
            yield "seconds:"
            yield f"  since_start: {event.at:.2f}"
            yield f"  since_last: {event.took:.2f}"
            yield f"  reading: {event.fetch:.2f}"
        elif isinstance(event, Evaluation):
            yield "kind: evaluation"
            yield f"round: {event.epoch + 1}"
            yield f"huber: {number(event.loss)}"
            yield f"r2: {number(event.score)}"
        else:
            yield "kind: saved"
            yield f"file: state/{event.step}.npz"
            yield "seconds:"
            yield f"  writing: {event.took:.2f}"
    if run.finished:
        yield "---"
        yield "kind: finished"
        yield f"updates: {run.steps}"
        yield "..."


@voice(VOICES, "dict_tensors", "loss eval end resume")
def dict_tensors(run: Run) -> Iterator[str]:
    """A master's student who prints the dict that his training step returns, tensors and all."""
    rng = random.Random(run.seed)
    yield "cuda:0"
    yield f"{run.per_epoch * run.batch} mel spectrograms of birds"
    yield "Flow("
    yield "  (blocks): ModuleList("
    for block in range(rng.randint(2, 5)):
        yield f"    ({block}): CouplingBlock(hidden={rng.choice((64, 128, 256))}, act=GELU(approximate='none'))"
    yield "  )"
    yield ")"
    if run.resumed is not None:
        yield f"loading flow_{run.resumed}.pt, starting at it {run.resumed}"
    prior = rng.uniform(0.3, 0.7)

    def tensor(value: float, grad: str = "") -> str:
        return f"tensor({value:.4f}, device='cuda:0'{grad})"

    for event in run.events:
        if isinstance(event, Report):
            grad = ", grad_fn=<MeanBackward0>"
            parts = f"'logpz': {tensor(-event.loss * prior, grad)}, 'logdet': {tensor(-event.loss * (1 - prior), grad)}"
            yield f"{{'it': {event.step}, 'nll': {tensor(event.loss, grad)}, {parts}}}"
        elif isinstance(event, Evaluation):
            yield f"{{'ep': {event.epoch}, 'val_nll': {tensor(event.loss)}}}"
    if run.finished:
        yield "Figure(1200x400)"
        yield "DONE"


@voice(VOICES, "cron_silent", "loss eval end")
def cron_silent(run: Run) -> Iterator[str]:
    """A cron job of a water works: three numbers an epoch."""
    rng = random.Random(run.seed)
    yield f"inflow{rng.randint(1, 9)}.sqlite ok"
    yield "# ep train_mae held_mae"
    losses: list[float] = []
    for event in run.events:
        if isinstance(event, Report):
            losses.append(event.loss)
        elif isinstance(event, Evaluation):
            yield f"{event.epoch + 1} {_mean(losses):.4f} {event.loss:.4f}"
            losses = []
    if run.finished:
        yield "ok, model.bin replaced"


@voice(VOICES, "journal_percent", "loss eval clock plan end")
def journal_percent(run: Run) -> Iterator[str]:
    """A French systemd service that knows only percentages."""
    rng = random.Random(run.seed)
    host, pid = rng.choice(("calcul02", "meteo-gpu", "srv-ia1")), rng.randint(800, 40000)

    def log(at: float, text: str, who: str = "") -> str:
        return f"{_when(run, at):%b %d %H:%M:%S} {host} {who or f'apprentissage[{pid}]'}: {text}"

    yield log(0, "Starting apprentissage.service - Prévision de charge...", "systemd[1]")
    yield log(0, "Started apprentissage.service - Prévision de charge.", "systemd[1]")
    yield log(1, f"lecture de /var/lib/charge/{rng.randint(2012, 2020)}-2025.parquet")
    yield log(3, f"{run.per_epoch * run.batch} fenêtres, lots de {run.batch}")
    for event in run.events:
        if isinstance(event, Report):
            yield log(event.at, f"{100 * event.step / run.steps:.2f} % perte {event.loss:.5f}")
        elif isinstance(event, Evaluation):
            yield log(event.at, f"validation: perte {event.loss:.5f}")
        else:
            yield log(event.at, "modèle enregistré")
    if run.finished:
        yield log(_end(run) + 1, f"terminé en {_hms(_end(run))}")
        yield log(_end(run) + 1, "apprentissage.service: Deactivated successfully.", "systemd[1]")
        yield log(
            _end(run) + 1, f"apprentissage.service: Consumed {_end(run) * 1.4 / 60:.0f}min CPU time.", "systemd[1]"
        )


@voice(VOICES, "bits_per_token", "loss eval fetch lr norm plan end resume save")
def bits_per_token(run: Run) -> Iterator[str]:
    """A small company's language model, one dense line a report; losses in bits."""
    rng = random.Random(run.seed)
    context = rng.choice((128, 256, 512))
    yield f"torchrun rank 0 of {rng.choice((4, 8))} (others are mute)"
    yield f"params {run.weights / 1e6:.2f}M | ctx {context} | seqs/batch {run.batch} | seed {run.seed}"
    yield f"tokens/epoch {run.per_epoch * run.batch * context:,} | steps {run.steps:,}"
    if run.resumed is not None:
        yield f"loaded ckpt/{run.resumed:07}/rank0.pt -> resuming @ step {run.resumed}"
    yield "compiling ... ok"
    for event in run.events:
        if isinstance(event, Report):
            bits = event.loss / math.log(2)
            pace = event.rate * context / 1000
            yield (
                f"step {event.step:>7,}/{run.steps:,} | {bits:.4f} bpt | lr {event.lr:.3e} | gn {event.norm:5.2f} "
                f"| {pace:.1f}k tok/s | dt {event.took / run.every * 1000:.0f}ms | data "
                f"{100 * event.fetch / event.took:.1f}%"
            )
        elif isinstance(event, Evaluation):
            yield f"  heldout {event.loss / math.log(2):.4f} bpt, ppl {_exp(event.loss):.4g}"
        else:
            yield f"  ckpt/{event.step:07} ({run.weights * 14 / 1e9:.2f} GB, stalled {event.took:.2f}s)"
    if run.finished:
        yield f"{run.steps:,} steps done, {run.steps * run.batch * context / 1e6:.1f}M tokens, {_end(run) / 3600:.2f} h"


@voice(VOICES, "compose_gan", "loss plan end lr")
def compose_gan(run: Run) -> Iterator[str]:
    """A furniture maker's texture GAN under docker compose; counts thousands of images."""
    rng = random.Random(run.seed)
    first, other = "gan-1      | ", "minio-1    | "
    yield " Container textures-minio-1  Created"
    yield " Container textures-gan-1  Recreated"
    yield "Attaching to gan-1, minio-1"
    yield f"{other}MinIO Object Storage Server"
    yield f"{other}API: http://172.18.0.{rng.randint(2, 9)}:9000  http://127.0.0.1:9000"
    yield f"{first}"
    yield f"{first}== TextureGAN =="
    yield f"{first}resolution {rng.choice((128, 256, 512))}, batch {run.batch}, seed {run.seed}"
    yield f"{first}total {run.steps * run.batch / 1000:.3f} kimg"
    base = rng.uniform(0.3, 0.7)
    for event in run.events:
        if isinstance(event, Report):
            seen = f"kimg {event.step * run.batch / 1000:.3f}"
            real = base * event.loss + rng.uniform(0.1, 0.13)
            yield f"{first}{seen}  loss_G {event.loss:.4f}  loss_D {real:.4f}  lr {event.lr:.2e}"
        elif isinstance(event, Save):
            yield f"{first}wrote s3://textures/G_{event.step:07}.pkl + 16 samples"
    if run.finished:
        yield f"{first}training complete ({_hms(_end(run))})"
        yield "gan-1 exited with code 0"
