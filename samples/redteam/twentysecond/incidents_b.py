"""The incidents t07 to t12 of the twenty-second set. SIMULATED."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, epoch, put
from samples.redteam.twentyfirst.rig_incidents import (
    FREE,
    PROFILED,
    Row,
    Work,
    account,
    calm,
    kernel,
    learn,
    matrix,
    milli,
    smi_csv,
    took,
)

from .yard_incidents import Yard, by_uuid, dmesg_iso, hms, journal, plain, xid31

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

ISO = "%Y-%m-%dT%H:%M:%S"


def t07_second_try_went_well(place: Path, rng: Random) -> None:
    """G1: an axolotl run on 32 cards that ended as planned; the first try had failed after half a minute."""
    east = 540
    t0 = epoch("2026-10-30T13:04:51", east)
    nodes = [f"ampere{n:02d}" for n in range(5, 9)]
    first = t0 - 2140
    go, steps, pace = t0 + 171, 1248, 4.61
    save = [go + steps * pace * share for share in (0.25, 0.5, 0.75, 1.0)]
    over = save[-1] + 52
    end = over + 14

    def work(n: int, g: int, t: float) -> Work:
        if first + 12 <= t < first + 30:
            return Work(0.0, 0.0, 0.0, 0.0, 240)
        if not t0 + 40 <= t < over:
            return FREE
        if t < go:
            return Work(0.02, 0.01, 0.0, 0.02, 6100)
        if any(one < t < one + 45 for one in save):
            return Work(0.12, 0.06, 0.01, 0.05, 41220, 400, 900)
        return Work(0.98, 0.86, 0.46, 0.49, 41220, 2100, 2000)

    park = Yard("A6000", nodes, 8, work, first - 600, end + 420, 60, 207)
    park.air = lambda _t: 22.0
    for n, host in enumerate(nodes):
        matrix(place, f"dcgm/{host}.json", park, plain(park, job="dcgm-exporter"), only=[n])
        kernel(place, f"dmesg-{host}.txt", calm(rng, t0, "550.144.03"), "dmesg", east, host)
    head = (
        "JobID",
        "JobName",
        "Partition",
        "Account",
        "AllocCPUS",
        "State",
        "ExitCode",
        "Start",
        "End",
        "Elapsed",
        "NodeList",
    )

    def rows(job: str, state: str, code: str, begin: float, done: float) -> list[list[str]]:
        span = [clock(begin, east, ISO), clock(done, east, ISO), took(int(done) - int(begin))]
        return [
            [job, "axo-qwen14b-sft", "ampere", "nlp", "512", state, code, *span, "ampere[05-08]"],
            [f"{job}.batch", "batch", "", "nlp", "128", state, code, *span, "ampere05"],
            [f"{job}.0", "axolotl", "", "nlp", "512", state, code, *span, "ampere[05-08]"],
        ]

    both = rows("30771", "FAILED", "1:0", first, first + 34) + rows("30774", "COMPLETED", "0:0", t0, end)
    account(place, "sacct.txt", both, head, bars=False)
    history = []
    for step in range(1, steps + 1):
        if step % 4 == 0 or step == 1:
            lr = 1e-5 * (min(1, step / 40) if step < 40 else 0.5 * (1 + math.cos(3.14159 * (step - 40) / 1208)))
            history.append(
                {
                    "epoch": round(step / 416, 4),
                    "grad_norm": round(0.62 + 2.1 / (1 + step / 30) + rng.random() * 0.12, 6),
                    "learning_rate": lr,
                    "loss": round(learn(rng, step, 1.61, 0.79, 110, 0.03), 4),
                    "step": step,
                }
            )
        if step % 312 == 0:
            history.append(
                {
                    "epoch": round(step / 416, 4),
                    "eval_loss": round(learn(rng, step, 1.6, 0.83, 110, 0.004), 6),
                    "eval_runtime": round(rng.uniform(28, 31), 4),
                    "eval_samples_per_second": round(rng.uniform(60, 64), 3),
                    "eval_steps_per_second": round(rng.uniform(1.9, 2.0), 3),
                    "step": step,
                }
            )
    state = {
        "best_global_step": None,
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": 3.0,
        "eval_steps": 312,
        "global_step": steps,
        "is_hyper_param_search": False,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": 4,
        "max_steps": steps,
        "num_input_tokens_seen": 0,
        "num_train_epochs": 3,
        "save_steps": 312,
        "stateful_callbacks": {
            "TrainerControl": {
                "args": {
                    "should_epoch_stop": False,
                    "should_evaluate": False,
                    "should_log": False,
                    "should_save": True,
                    "should_training_stop": True,
                },
                "attributes": {},
            }
        },
        "total_flos": 8.914270933e18,
        "train_batch_size": 1,
        "trial_name": None,
        "trial_params": None,
    }
    put(place, f"outputs/checkpoint-{steps}/trainer_state.json", json.dumps(state, indent=2) + "\n")


def t08_somebody_more_urgent(place: Path, rng: Random) -> None:
    """F2: the queue of the urgent took the nodes; the job saved and was to be queued again."""
    east = 330
    t0 = epoch("2026-10-21T17:26:08", east)
    nodes = ["dgx1", "dgx2"]
    go, term = t0 + 66, t0 + 2911
    gone = term + 41

    def work(n: int, g: int, t: float) -> Work:
        if t >= gone + 31:
            return Work(0.96, 0.71, 0.38, 0.44, 70210, 1200, 1100) if t > gone + 100 else Work(0, 0, 0, 0, 3100)
        if not t0 + 20 <= t < gone - 6:
            return FREE
        if t < go:
            return Work(0.01, 0.0, 0, 0, 2900)
        if t > term + 9:
            return Work(0.0, 0, 0, 0, 52870, 10, 800)
        return Work(0.95, 0.8, 0.49, 0.42, 52870, 350, 300)

    park = Yard("A100", nodes, 2, work, t0 - 150, gone + 700, 30, 208)
    matrix(place, "prometheus.json", park, by_uuid(park))
    listing = []
    for n, host in enumerate(nodes):
        listing += [f"{host}:", *park.listing(n)]
        said = [(t, f"kernel: {what}") for t, what in calm(rng, t0, "550.163.01")]
        if n == 0:
            when, what = xid31(t0 - 19 * 3600 - 210, park.bus(0), 991204, "julia")
            said.append((when, f"kernel: {what}"))
        said += [
            (t0 + 1.2, "slurmd[2871]: Launching batch job 88123 for UID 7781")
            if n == 0
            else (
                t0 + 2.0,
                "slurmd[2790]: launch task StepId=88123.0 request from UID:7781 GID:7000 HOST:10.9.0.11 PORT:51882",
            ),
            (t0 + 1500, "systemd[1]: Starting Daily apt download activities..."),
            (t0 + 1507, "systemd[1]: Finished Daily apt download activities."),
        ]
        journal(place, f"syslog.{host}", said, east, host)
    put(place, "nvidia-smi-L.txt", listing)
    t = go
    lines = [
        f"{clock(t0 + 21, east)} [INFO] a iniciar treino distribuído: 4 processos, backend nccl",
        f"{clock(t0 + 35, east)} [INFO] conjunto de treino: 2.914.006 imagens, validação: 50.000",
        f"{clock(t0 + 36, east)} [INFO] nenhum checkpoint encontrado em runs/vitl/, treino do início",
        f"{clock(go, east)} [INFO] plano: 30 épocas x 2846 passos = 85380 passos",
    ]
    step = 0
    while True:
        step += 1
        t += 0.534 * rng.gauss(1, 0.012)
        if t > term + 0.4:
            break
        if step % 50 == 0:
            lines.append(
                f"{clock(t, east)} [INFO] época {1 + step // 2846:02d} passo {step:6d}/85380 perda {learn(rng, step, 6.93, 1.1, 2900, 0.02):.4f} lr {1.5e-3 * min(1, step / 8000):.2e} {rng.gauss(1917, 14):.0f} img/s"
            )
        if step % 2846 == 0:
            lines.append(
                f"{clock(t + 24, east)} [INFO] validação época {step // 2846}: top1 {4.1 + 7 * (step // 2846 - 1):.2f} top5 {12.6 + 12 * (step // 2846 - 1):.2f}"
            )
            t += 25
    lines += [
        f"slurmstepd: error: *** JOB 88123 ON dgx1 CANCELLED AT {clock(term, east, ISO)} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** STEP 88123.0 ON dgx1 CANCELLED AT {clock(term, east, ISO)} DUE TO PREEMPTION ***",
        f"{clock(term, east)} [WARN] recebido SIGTERM (15), a guardar estado no fim deste passo",
        f"{clock(term + 11, east)} [INFO] checkpoint guardado: runs/vitl/ultimo.pt (passo {step}, 3,4 GB)",
        f"{clock(term + 11, east)} [INFO] a sair; o treino continua quando o trabalho voltar à fila",
        "srun: Job step aborted: Waiting up to 92 seconds for job step to finish.",
        "srun: error: dgx2: task 1: Terminated",
        "srun: error: dgx1: task 0: Terminated",
    ]
    put(place, "treino_88123.out", lines)


def t09_debug_queue(place: Path, rng: Random) -> None:
    """F3: open_clip in a queue of 25 minutes; the limit came in the first epoch."""
    t0 = epoch("2026-11-02T09:33:47", 0)
    nodes = ["rtx-3", "rtx-4"]
    go, limit = t0 + 58, t0 + 1500
    end = limit + 22

    def work(n: int, g: int, t: float) -> Work:
        if not t0 + 16 <= t < end - 15:
            return FREE
        if t < go:
            return Work(0.01, 0, 0, 0, 2100)
        return Work(0.94, 0.77, 0.4, 0.43, 36910, 160, 150)

    park = Yard("A6000", nodes, 1, work, t0 - 120, end + 120, 30, 209)
    for n, host in enumerate(nodes):
        matrix(place, f"{host}_dcgm.json", park, plain(park), only=[n])
        kernel(place, f"{host}_dmesg.txt", calm(rng, t0, "550.144.03", ib=False), "dmesg", 0, host)
    span = [clock(t0, 0, ISO), clock(end, 0, ISO), took(end - t0)]
    steps = [clock(t0 + 1, 0, ISO), clock(end + 1, 0, ISO), took(end - t0)]
    head = (
        "JobID",
        "JobName",
        "User",
        "Partition",
        "State",
        "ExitCode",
        "DerivedExitCode",
        "Start",
        "End",
        "Elapsed",
        "Timelimit",
        "NNodes",
        "NodeList",
    )
    account(
        place,
        "sacct.txt",
        [
            [
                "15518",
                "clip-killswitch",
                "jortega",
                "debug",
                "TIMEOUT",
                "0:0",
                "0:15",
                *span,
                "00:25:00",
                "2",
                "rtx-[3-4]",
            ],
            ["15518.batch", "batch", "", "", "CANCELLED", "0:15", "", *span, "", "1", "rtx-3"],
            ["15518.0", "python", "", "", "CANCELLED", "0:15", "", *steps, "", "2", "rtx-[3-4]"],
        ],
        head,
        bars=True,
    )
    dash = "%Y-%m-%d,%H:%M:%S"
    lines = [
        "/home/jortega/oc/lib/python3.10/site-packages/timm/models/layers/__init__.py:48: FutureWarning: Importing from timm.models.layers is deprecated, please import via timm.layers",
        '  warnings.warn(f"Importing from {__name__} is deprecated, please import via timm.layers", FutureWarning)',
    ]

    def info(at: float, said: str, level: str = "INFO") -> None:
        lines.append(f"{clock(at, 0, dash)} | {level} | {said}")

    info(
        t0 + 17,
        "Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 2.",
    )
    info(t0 + 18, "Loaded ViT-B-32 model config.")
    info(t0 + 21, "Model:")
    info(t0 + 21, "Params:")
    for key, value in (
        ("accum_freq", 1),
        ("aug_cfg", {}),
        ("batch_size", 512),
        ("beta1", 0.9),
        ("dataset_type", "webdataset"),
        ("ddp_static_graph", False),
        ("delete_previous_checkpoint", False),
        ("dist_backend", "nccl"),
        ("epochs", 8),
        ("gather_with_grad", True),
        ("grad_clip_norm", None),
        ("local_loss", True),
        ("log_local", False),
        ("lr", 0.0005),
        ("model", "ViT-B-32"),
        ("name", "abort_on_error_test-kill9"),
        ("precision", "amp_bf16"),
        ("resume", None),
        ("save_frequency", 1),
        ("skip_scheduler", False),
        ("train_data", "/data/cc12m/{00000..01242}.tar"),
        ("train_num_samples", 10968539),
        ("warmup", 2000),
        ("workers", 6),
        ("world_size", 2),
        ("zeroshot_frequency", 2),
    ):
        info(t0 + 21, f"  {key}: {value}")
    info(go - 1, "Start epoch 0")
    t, batch, mean, seen = go, 0, 0.0, 0
    pace = 1.286
    while t < limit:
        if batch % 100 == 0 or batch == 0:
            loss = learn(rng, batch, 6.931, 2.2, 1100, 0.015)
            seen += 1
            mean += (loss - mean) / seen
            took_s = rng.gauss(pace, 0.012) if batch else 6.42
            data = rng.uniform(0.021, 0.034) if batch else 4.87
            samples = batch * 1024
            info(
                t,
                f"Train Epoch: 0 [{samples + 1024:>8}/10969088 ({100 * batch / 10712:.0f}%)] Data (t): {data:.3f} Batch (t): {took_s:.3f}, {1024 / took_s:#g}/s, {512 / took_s:#g}/s/gpu LR: {5e-4 * (batch + 1) / 2000:5f} Logit Scale: {14.286 - batch * 2e-4:.3f} Contrastive_loss: {loss:#.5g} ({mean:#.5g}) Loss: {loss:#.5g} ({mean:#.5g})",
            )
        if batch in (311, 870):
            info(
                t,
                "Handling webdataset error (OSError('image file is truncated (11 bytes not processed)')). Ignoring.",
                "WARNING",
            )
        batch += 1
        t += rng.gauss(pace, 0.02) + (5 if batch == 1 else 0)
    lines += [
        f"slurmstepd: error: *** JOB 15518 ON rtx-3 CANCELLED AT {clock(end - 21, 0, ISO)} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** STEP 15518.0 ON rtx-3 CANCELLED AT {clock(end - 21, 0, ISO)} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    put(place, "slurm-15518.out", lines)


def t10_a_callback_for_the_validation(place: Path, rng: Random) -> None:
    """A1: the first validation after two hours calls a callback that raises on rank 0; no restart."""
    t0 = epoch("2026-10-26T00:12:29", 0)
    nodes = ["nvl-c01", "nvl-c02", "nvl-c05", "nvl-c06"]
    go, pace, steps = t0 + 208, 8.93, 1000
    valid = go + pace * steps + 14
    crash = valid + 97.318
    end = crash + 9

    def work(n: int, g: int, t: float) -> Work:
        if not t0 + 50 <= t < end - 4:
            return FREE
        if t < go:
            return Work(0.02, 0.01, 0, 0.01, 11200)
        if t > valid:
            return Work(0.93, 0.8, 0.5, 0.4, 118400, 300, 280)
        return Work(0.98, 0.84, 0.56, 0.46, 118400, 480, 450)

    holes = [(t0 + 2010, t0 + 2460), (t0 + 5900, t0 + 6110)]
    park = Yard("H200", nodes, 8, work, t0 - 300, end + 240, 60, 210, holes=holes)
    columns = [
        "index",
        "uuid",
        "pstate",
        "temperature.gpu",
        "utilization.gpu",
        "utilization.memory",
        "memory.used",
        "memory.total",
        "power.draw",
        "clocks.current.sm",
        "clocks_event_reasons.active",
        "ecc.errors.uncorrected.volatile.total",
    ]
    for n, host in enumerate(nodes):
        smi_csv(place, f"nvsmi_{host}.csv", park, n, 0, columns)
        dmesg_iso(place, f"dmesg_{host}", calm(rng, t0, "570.133.20"), 0)
    nemo = "[NeMo I {} {}] {}".format
    d = lambda t: clock(t, 0)  # noqa: E731
    lines = [
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        nemo(
            d(t0 + 52), "nemo_logging:393", "Experiments will be logged at /results/llama3_8b_cpt/2026-10-26_00-13-20"
        ),
        nemo(
            d(t0 + 55),
            "nemo_logging:393",
            "Rank 0 has data parallel group : [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]",
        ),
        nemo(d(t0 + 55), "nemo_logging:393", "Rank 0 has tensor model parallel group: [0, 1]"),
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/32",
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 32 processes",
        "-" * 100,
        "",
        nemo(d(t0 + 151), "nemo_logging:393", "Copying Trainer's 'max_steps' (20000) to LR scheduler's 'max_steps'."),
        nemo(d(t0 + 152), "num_microbatches_calculator:228", "setting number of microbatches to constant 8"),
        nemo(
            d(t0 + 158),
            "nemo_logging:393",
            " > number of parameters on (tensor, pipeline) model parallel rank (0 ,0): 4015263744",
        ),
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3,4,5,6,7]",
        "Sanity Checking: |          | 0/? [00:00<?, ?it/s]",
    ]
    for step in range(steps):
        dt = rng.gauss(pace, 0.05) if step else 31.4
        if step % 5 == 0:
            lr = 3e-5 * min(1, (step + 1) / 500)
            extra = f" | consumed_samples: {(step + 1) * 256}" if step else ""
            lines.append(
                f"Training epoch 0, iteration {step}/19999 | lr: {lr:.4g} | global_batch_size: 256 | global_step: {step} | reduced_train_loss: {learn(rng, step, 2.31, 1.62, 400, 0.008):.4g} | train_step_timing in s: {dt:.4g}{extra}"
            )
    lines.append("Validation: iteration 1/20")
    lines += [f"Validation: iteration {i}/20" for i in range(2, 21)]
    site = "/usr/local/lib/python3.12/dist-packages/"
    lines += [
        "[rank0]: Traceback (most recent call last):",
        '[rank0]:   File "/workspace/cpt/pretrain.py", line 88, in <module>',
        "[rank0]:     llm.pretrain(model=model, data=data, trainer=trainer, log=log, optim=optim, resume=resume)",
        f'[rank0]:   File "{site}nemo/collections/llm/api.py", line 150, in pretrain',
        "[rank0]:     return train(",
        f'[rank0]:   File "{site}nemo/collections/llm/api.py", line 107, in train',
        "[rank0]:     trainer.fit(model, data)",
        f'[rank0]:   File "{site}lightning/pytorch/trainer/call.py", line 47, in _call_and_handle_interrupt',
        "[rank0]:     return trainer.strategy.launcher.launch(trainer_fn, *args, trainer=trainer, **kwargs)",
        f'[rank0]:   File "{site}lightning/pytorch/loops/evaluation_loop.py", line 320, in _on_evaluation_epoch_end',
        "[rank0]:     call._call_callback_hooks(trainer, hook_name)",
        f'[rank0]:   File "{site}lightning/pytorch/trainer/call.py", line 227, in _call_callback_hooks',
        "[rank0]:     fn(trainer, trainer.lightning_module, *args, **kwargs)",
        '[rank0]:   File "/workspace/cpt/callbacks.py", line 41, in on_validation_epoch_end',
        '[rank0]:     fh.write(json.dumps({"step": trainer.global_step, **trainer.callback_metrics}) + "\\n")',
        '[rank0]:   File "/usr/lib/python3.12/json/encoder.py", line 180, in default',
        "[rank0]:     raise TypeError(f'Object of type {o.__class__.__name__} '",
        "[rank0]: TypeError: Object of type Tensor is not JSON serializable",
        "srun: error: nvl-c01: task 0: Exited with exit code 1",
        "srun: Terminating StepId=204418.0",
        f"slurmstepd: error: *** STEP 204418.0 ON nvl-c01 CANCELLED AT {clock(crash + 3, 0, ISO)} ***",
        "srun: error: nvl-c02: tasks 8-15: Terminated",
        "srun: error: nvl-c05: tasks 16-23: Terminated",
        "srun: error: nvl-c06: tasks 24-31: Terminated",
        "srun: error: nvl-c01: tasks 1-7: Terminated",
        "srun: Force Terminated StepId=204418.0",
    ]
    put(place, "log-account.llama3_8b_cpt_204418_0.out", lines)


def t11_one_of_them_went_dark(place: Path, rng: Random) -> None:
    """F1: the second node stopped answering in the middle of the work; Slurm called it down."""
    t0 = epoch("2026-10-28T04:55:16", 0)
    nodes = ["cn-0417", "cn-0422"]
    first = t0 - 5400
    go, dead = t0 + 122, t0 + 9017.6
    end = dead + 284

    def work(n: int, g: int, t: float) -> Work:
        if first + 90 < t < first + 1720:
            return Work(0.97, 0.82, 0.47, 0.45, 66480, 310, 290)
        if not t0 + 30 <= t < end:
            return FREE
        if t < go:
            return Work(0.01, 0, 0, 0, 5200)
        if t > dead:
            return Work(1.0, 0.04, 0.0, 0.01, 66480)
        if (t - go) % 1729 > 1682:
            return Work(0.05, 0.02, 0.0, 0.02, 66480, 20, 900)
        return Work(0.97, 0.82, 0.47, 0.45, 66480, 310, 290)

    def alter(n: int, g: int, t: float, row: Row) -> Row | None:
        return None if n == 1 and t > dead else row

    park = Yard("A100", nodes, 2, work, t0 - 6000, end + 300, 15, 211, alter)
    matrix(place, "query_range_dcgm.json", park, plain(park, cluster="mn5"))
    head = (
        "JobID",
        "JobName",
        "Partition",
        "State",
        "ExitCode",
        "Submit",
        "Start",
        "End",
        "Elapsed",
        "Timelimit",
        "NNodes",
        "NodeList",
        "Reason",
    )
    host = "cn-[0417,0422]"

    def one(job: str, state: str, code: str, begin: float, done: float, why: str = "None") -> list[list[str]]:
        span = [clock(begin, 0, ISO), clock(done, 0, ISO), took(int(done) - int(begin))]
        stp = state.split()[0]
        last = "CANCELLED" if stp == "NODE_FAIL" else stp
        sub = clock(begin - 61, 0, ISO)
        return [
            [job, "ds-z2-7b", "acc", state, code, sub, *span, "2-00:00:00", "2", host, why],
            [
                f"{job}.batch",
                "batch",
                "",
                last,
                code if last != "CANCELLED" else "0:15",
                sub,
                *span,
                "",
                "1",
                "cn-0417",
                "",
            ],
            [f"{job}.0", "deepspeed", "", last, code if last != "CANCELLED" else "0:9", sub, *span, "", "2", host, ""],
        ]

    rows = one("5508", "CANCELLED by 60214", "0:0", first, first + 1733)
    rows += one("5512", "NODE_FAIL", "0:0", t0, end)
    account(place, "sacct_5508_5512.txt", rows, head, bars=True)
    put(
        place,
        "scontrol_show_node_cn-0422.txt",
        [
            "NodeName=cn-0422 Arch=x86_64 CoresPerSocket=32 ",
            "   CPUAlloc=0 CPUEfctv=128 CPUTot=128 CPULoad=N/A",
            "   AvailableFeatures=a100",
            "   ActiveFeatures=a100",
            "   Gres=gpu:a100:2",
            "   NodeAddr=cn-0422 NodeHostName=cn-0422 Version=23.11.7",
            "   RealMemory=1031000 AllocMem=0 FreeMem=N/A Sockets=2 Boards=1",
            "   State=DOWN+NOT_RESPONDING ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
            "   Partitions=acc ",
            "   BootTime=2026-09-30T08:14:55 SlurmdStartTime=2026-09-30T08:17:20",
            f"   LastBusyTime={clock(end, 0, ISO)} ResumeAfterTime=None",
            "   CfgTRES=cpu=128,mem=1031000M,billing=128,gres/gpu=2",
            "   AllocTRES=",
            f"   Reason=Not responding [slurm@{clock(end, 0, ISO)}]",
        ],
    )
    lines = calm(rng, t0, "550.163.01")
    kernel(place, "dmesg_cn-0417.txt", lines, "dmesg -T", 0, nodes[0])
    out = []
    ms = lambda t: milli(t, 0)  # noqa: E731
    out += [
        f"[{ms(t0 + 31.2)}] [INFO] [real_accelerator.py:222:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
        f"[{ms(t0 + 44.9)}] [INFO] [comm.py:652:init_distributed] cdb=None",
        f"[{ms(t0 + 44.9)}] [INFO] [comm.py:683:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl",
        f"[{ms(t0 + 71.3)}] [INFO] [logging.py:128:log_dist] [Rank 0] DeepSpeed info: version=0.15.4, git-hash=unknown, git-branch=unknown",
        f"[{ms(t0 + 88.0)}] [INFO] [logging.py:128:log_dist] [Rank 0] DeepSpeed Flops Profiler Enabled: False",
        f"[{ms(t0 + 96.7)}] [INFO] [logging.py:128:log_dist] [Rank 0] DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer",
        f"[{ms(t0 + 97.2)}] [INFO] [utils.py:781:see_memory_usage] After initializing ZeRO optimizer",
    ]
    t, step, skipped = go, 0, 0
    while True:
        step += 1
        dt = 6.72 * rng.gauss(1, 0.01)
        t += dt
        if t > dead:
            break
        if step % 5 == 0:
            lr = 2e-5 * min(1, step / 100)
            out += [
                f"[{ms(t)}] [INFO] [logging.py:128:log_dist] [Rank 0] step={step}, skipped={skipped}, lr=[{lr:.6g}, {lr:.6g}], mom=[(0.9, 0.95), (0.9, 0.95)]",
                f"[{ms(t + 0.002)}] [INFO] [timer.py:264:stop] epoch=0/micro_step={step * 16}/global_step={step}, RunningAvgSamplesPerSec={64 / 6.72 * rng.gauss(1, 0.001):.14f}, CurrSamplesPerSec={64 / dt:.14f}, MemAllocated=41.72GB, MaxMemAllocated=61.9GB",
                f"step {step} loss {learn(rng, step, 1.94, 0.98, 160, 0.015):.4f}",
            ]
        if step % 250 == 0:
            out += [
                f"[{ms(t + 0.4)}] [INFO] [logging.py:128:log_dist] [Rank 0] [Torch] Checkpoint global_step{step} is about to be saved!",
                f"[{ms(t + 1.1)}] [INFO] [torch_checkpoint_engine.py:21:save] [Torch] Saving out/global_step{step}/mp_rank_00_model_states.pt...",
                f"[{ms(t + 29.1)}] [INFO] [torch_checkpoint_engine.py:23:save] [Torch] Saved out/global_step{step}/mp_rank_00_model_states.pt.",
                f"[{ms(t + 48.4)}] [INFO] [torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint global_step{step} is ready now!",
            ]
            t += 49
    out += [
        "srun: error: Node failure on cn-0422",
        f"slurmstepd: error: *** STEP 5512.0 ON cn-0417 CANCELLED AT {clock(end, 0, ISO)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        f"slurmstepd: error: *** JOB 5512 ON cn-0417 CANCELLED AT {clock(end, 0, ISO)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
    ]
    put(place, "slurm-5512.out", out)


def t12_seven_hours_and_a_half(place: Path, rng: Random) -> None:
    """F3: llama-factory asked for 7:30 and needed nine hours; it learned until Slurm's limit."""
    east = 120
    t0 = epoch("2026-10-19T22:17:03", east)
    limit = t0 + 27000
    end = limit + 4
    go, total, pace = t0 + 133, 2790, 11.64

    def work(n: int, g: int, t: float) -> Work:
        if not t0 + 25 <= t < end - 2:
            return FREE
        if t < go:
            return Work(0.02, 0.01, 0, 0.02, 17100)
        if (t - go) % (500 * pace + 21) > 500 * pace:
            return Work(0.0, 0, 0, 0, 111870, 5, 700)
        return Work(0.985, 0.86, 0.54, 0.48, 111870, 40, 40)

    park = Yard("H200", ["hopper-9"], 1, work, t0 - 420, end + 300, 30, 212)
    matrix(place, "prom.json", park, plain(park), keep=lambda f: f not in PROFILED)
    journal(
        place,
        "syslog",
        [(t, f"kernel: {what}") for t, what in calm(rng, t0, "570.133.20")]
        + [
            (
                t0 + 3600 * k + 17 * 60 - 183,
                f"CRON[{3100000 + 811 * k}]: (root) CMD (   cd / && run-parts --report /etc/cron.hourly)",
            )
            for k in range(8)
        ],
        east,
        "hopper-9",
    )
    span = [clock(t0, east, ISO), clock(end, east, ISO), took(end - t0)]
    head = ("JobID", "JobName", "Partition", "State", "ExitCode", "Start", "End", "Elapsed", "Timelimit", "NodeList")
    account(
        place,
        "sacct.txt",
        [
            ["77102", "lf-dpo-mistral", "hopper", "TIMEOUT", "0:0", *span, "07:30:00", "hopper-9"],
            ["77102.batch", "batch", "", "CANCELLED", "0:15", *span, "", "hopper-9"],
            ["77102.extern", "extern", "", "COMPLETED", "0:0", *span, "", "hopper-9"],
        ],
        head,
        bars=False,
    )

    def info(at: float, where: str, what: str) -> str:
        return f"[INFO|{where}] {clock(at, east)} >> {what}"

    out = [
        f"[INFO|{clock(t0 + 26, east)}] llamafactory.hparams.parser:401 >> Process rank: 0, world size: 1, device: cuda:0, distributed training: False, compute dtype: torch.bfloat16",
        info(t0 + 27, "tokenization_utils_base.py:2060", "loading file tokenizer.model"),
        f"[INFO|{clock(t0 + 30, east)}] llamafactory.data.loader:143 >> Loading dataset dpo_mix_en.jsonl...",
        info(t0 + 61, "configuration_utils.py:839", "Model config MistralConfig {"),
        '  "architectures": [',
        '    "MistralForCausalLM"',
        "  ],",
        '  "hidden_size": 4096,',
        '  "num_hidden_layers": 32',
        "}",
        "",
        f"[INFO|{clock(t0 + 96, east)}] llamafactory.model.model_utils.checkpointing:143 >> Gradient checkpointing enabled.",
        f"[INFO|{clock(t0 + 96, east)}] llamafactory.model.adapter:143 >> Fine-tuning method: LoRA",
        f"[INFO|{clock(t0 + 98, east)}] llamafactory.model.loader:143 >> trainable params: 41,943,040 || all params: 7,289,966,592 || trainable%: 0.5754",
        info(go, "trainer.py:2519", "***** Running training *****"),
        info(go, "trainer.py:2520", "  Num examples = 59,520"),
        info(go, "trainer.py:2521", "  Num Epochs = 3"),
        info(go, "trainer.py:2522", "  Instantaneous batch size per device = 8"),
        info(go, "trainer.py:2525", "  Total train batch size (w. parallel, distributed & accumulation) = 64"),
        info(go, "trainer.py:2526", "  Gradient Accumulation steps = 8"),
        info(go, "trainer.py:2527", "  Total optimization steps = 2,790"),
        info(go, "trainer.py:2528", "  Number of trainable parameters = 41,943,040"),
        "",
    ]
    t, step = go, 0
    while True:
        dt = pace * rng.gauss(1, 0.008)
        if t + dt > limit:
            break
        t += dt
        step += 1
        done = f"{100 * step // total:3d}%|{'█' * (10 * step // total):<10}| {step}/{total} [{hms(t - go)}<{hms((total - step) * pace)}, {dt:5.2f}s/it]"
        if step % 10 == 0:
            margin = 1.9 * (1 - 1 / (1 + step / 240)) * rng.gauss(1, 0.06)
            got = {
                "loss": round(0.6931 / (1 + 0.9 * margin) * rng.gauss(1, 0.03) + 0.05 * margin, 4),
                "grad_norm": round(rng.uniform(1.1, 2.3), 4),
                "learning_rate": 5e-6
                * (min(1, step / 279) if step < 279 else 0.5 * (1 + math.cos(3.14159 * (step - 279) / 2511))),
                "rewards/chosen": round(-0.2 * margin * rng.gauss(1, 0.1), 4),
                "rewards/rejected": round(-1.2 * margin * rng.gauss(1, 0.05), 4),
                "rewards/accuracies": round(min(0.95, 0.5 + 0.16 * margin + rng.gauss(0, 0.025)), 4),
                "rewards/margins": round(margin, 4),
                "epoch": round(step / 930, 2),
            }
            out += [done, str(got)]
        if step % 500 == 0:
            out += [
                info(
                    t + 2, "trainer.py:3993", f"Saving model checkpoint to saves/mistral-7b/lora/dpo/checkpoint-{step}"
                ),
                info(
                    t + 17,
                    "tokenization_utils_base.py:2510",
                    f"tokenizer config file saved in saves/mistral-7b/lora/dpo/checkpoint-{step}/tokenizer_config.json",
                ),
            ]
            t += 21
    out.append(
        f"slurmstepd: error: *** JOB 77102 ON hopper-9 CANCELLED AT {clock(end - 3, east, ISO)} DUE TO TIME LIMIT ***"
    )
    put(place, "slurm-77102.out", out)
