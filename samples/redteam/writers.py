"""How an operator's tools print: Prometheus' query_range, sacct in its forms, dmesg and journal, training logs."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta

DEFAULT_SET = [
    "DCGM_FI_DEV_SM_CLOCK",
    "DCGM_FI_DEV_MEM_CLOCK",
    "DCGM_FI_DEV_MEMORY_TEMP",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_MEM_COPY_UTIL",
    "DCGM_FI_DEV_XID_ERRORS",
    "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
    "DCGM_FI_DEV_ROW_REMAP_FAILURE",
]
PROFILED = [
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_PROF_SM_OCCUPANCY",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DCGM_FI_PROF_DRAM_ACTIVE",
]
ECC = ["DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL"]
REASONS = ["DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"]
VIOLATIONS = ["DCGM_FI_DEV_POWER_VIOLATION", "DCGM_FI_DEV_THERMAL_VIOLATION"]
UTIL_ONLY = ["DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE"]


def number(value: float) -> str:
    """As Prometheus prints a float in JSON."""
    if math.isnan(value):
        return "NaN"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def matrix(series: list[tuple[dict[str, str], list[tuple[float, float]]]]) -> str:
    """The body of /api/v1/query_range."""
    result = [{"metric": m, "values": [[t, number(v)] for t, v in values]} for m, values in series if values]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})


def local(t: float, offset_min: int) -> datetime:
    """The wall clock of the cluster."""
    return datetime.fromtimestamp(t, UTC).replace(tzinfo=None) + timedelta(minutes=offset_min)


def zone(offset_min: int, colon: bool = True) -> str:
    """+05:30, or +0530."""
    sign, m = ("-" if offset_min < 0 else "+"), abs(offset_min)
    return f"{sign}{m // 60:02d}{':' if colon else ''}{m % 60:02d}"


def kernel_line(form: str, node: str, t: float, boot: float, offset: int, text: str) -> str:
    """One kernel line in one of the forms people send."""
    when = local(t, offset)
    if form == "dmesg-T":
        return f"[{when:%a %b} {when.day:2d} {when:%H:%M:%S %Y}] {text}"
    if form == "dmesg-iso":
        return f"{when:%Y-%m-%dT%H:%M:%S},{int(t * 1e6) % 1000000:06d}{zone(offset)} {text}"
    if form == "journal-iso":
        return f"{when:%Y-%m-%dT%H:%M:%S}{zone(offset, colon=False)} {node} kernel: {text}"
    if form == "syslog":
        return f"{when:%b} {when.day:2d} {when:%H:%M:%S} {node} kernel: {text}"
    return f"[{t - boot:12.6f}] {text}"


def elapsed(seconds: float) -> str:
    """[D-]HH:MM:SS."""
    s = int(seconds)
    d, s = divmod(s, 86400)
    return (f"{d}-" if d else "") + f"{s // 3600:02d}:{s % 3600 // 60:02d}:{s % 60:02d}"


class Run:
    """One row of accounting: a run of the job, or one of its steps."""

    def __init__(
        self, suffix: str, name: str, state: str, exit_code: str, start: float | None, end: float | None
    ) -> None:
        self.suffix, self.name, self.state, self.exit_code, self.start, self.end = (
            suffix,
            name,
            state,
            exit_code,
            start,
            end,
        )


P2_SHORT = ["JobID", "JobName", "State", "ExitCode", "Start", "End", "Elapsed", "NodeList"]
P2_LONG = [
    "JobID",
    "JobIDRaw",
    "JobName",
    "User",
    "Partition",
    "QOS",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "Elapsed",
    "ElapsedRaw",
    "Timelimit",
    "State",
    "ExitCode",
    "DerivedExitCode",
    "NNodes",
    "AllocTRES",
    "NodeList",
    "Reason",
    "Restarts",
]


def stamp(t: float | None, offset: int) -> str:
    """Sacct's times."""
    return "Unknown" if t is None else f"{local(t, offset):%Y-%m-%dT%H:%M:%S}"


def sacct_text(form: str, job: int, runs: list[Run], facts: dict[str, str], offset: int) -> str:
    """Sacct -D in parsable2 (short or long) or in its default columns."""
    rows = []
    for r in runs:
        jid = f"{job}{r.suffix}"
        end = r.end if r.end is not None else None
        rows.append(
            {
                "JobID": jid,
                "JobIDRaw": jid,
                "JobName": r.name,
                "User": facts["user"] if not r.suffix else "",
                "Partition": facts["partition"] if not r.suffix else "",
                "QOS": "normal" if not r.suffix else "",
                "Account": "mlteam",
                "AllocCPUS": facts["cpus"],
                "Submit": stamp(runs[0].start and runs[0].start - 340, offset),
                "Eligible": stamp(runs[0].start and runs[0].start - 340, offset),
                "Start": stamp(r.start, offset),
                "End": stamp(end, offset),
                "Elapsed": elapsed(end - r.start) if r.start and end else "00:00:00",
                "ElapsedRaw": str(int(end - r.start)) if r.start and end else "0",
                "Timelimit": facts["limit"] if not r.suffix else "",
                "State": r.state,
                "ExitCode": r.exit_code,
                "DerivedExitCode": r.exit_code if not r.suffix else "",
                "NNodes": facts["nnodes"],
                "AllocTRES": facts["tres"] if r.start else "",
                "NodeList": facts["nodes"] if r.start else "None assigned",
                "Reason": facts.get("reason", "None") if not r.suffix else "",
                "Restarts": str(sum(1 for x in runs[: runs.index(r)] if not x.suffix) - (1 if r.suffix else 0)),
            }
        )
    if form in ("p2", "p2-long"):
        columns = P2_SHORT if form == "p2" else P2_LONG
        return "\n".join(["|".join(columns), *("|".join(r[c] for c in columns) for r in rows)]) + "\n"
    columns = ["JobID", "JobName", "Partition", "Account", "AllocCPUS", "State", "ExitCode"]
    widths = [12, 10, 10, 10, 10, 10, 8]

    def cell(text: str, width: int, k: int) -> str:
        text = text if len(text) <= width else text[: width - 1] + "+"
        return text.ljust(width) if k == 0 else text.rjust(width)

    lines = [" ".join(cell(c, w, k) for k, (c, w) in enumerate(zip(columns, widths, strict=True))) + " "]
    lines.append(" ".join("-" * w for w in widths) + " ")
    lines += [
        " ".join(cell(r[c], w, k) for k, (c, w) in enumerate(zip(columns, widths, strict=True))) + " " for r in rows
    ]
    return "\n".join(lines) + "\n"


def sacct_json(job: int, runs: list[Run], facts: dict[str, str]) -> str:
    """Sacct --json as 23.11 and later print it: absolute times."""
    jobs = []
    for r in runs:
        if r.suffix:
            continue
        code, signal = ([*r.exit_code.split(":"), "0"])[:2]
        state = r.state.split()[0]
        code_dict = {
            "status": ["SIGNALED"] if signal != "0" else ["ERROR"] if code != "0" else ["SUCCESS"],
            "return_code": {"set": True, "infinite": False, "number": int(code)},
            "signal": {"id": {"set": signal != "0", "infinite": False, "number": int(signal)}, "name": ""},
        }
        jobs.append(
            {
                "account": "mlteam",
                "allocation_nodes": int(facts["nnodes"]),
                "cluster": "c1",
                "derived_exit_code": code_dict,
                "exit_code": code_dict,
                "job_id": job,
                "name": r.name,
                "nodes": facts["nodes"] if r.start else "None assigned",
                "partition": facts["partition"],
                "restart_cnt": sum(1 for x in runs[: runs.index(r)] if not x.suffix),
                "state": {"current": [state], "reason": facts.get("reason", "None")},
                "time": {
                    "elapsed": int(r.end - r.start) if r.start and r.end else 0,
                    "eligible": int(runs[0].start or 0) - 340,
                    "end": int(r.end or 0),
                    "start": int(r.start or 0),
                    "submission": int(runs[0].start or 0) - 340,
                    "suspended": 0,
                    "limit": {"set": True, "infinite": False, "number": int(facts["limit_min"])},
                },
                "tres": {"allocated": [{"type": "gres", "name": "gpu", "id": 1001, "count": int(facts["gpus"])}]},
                "user": facts["user"],
                "kill_request_user": facts["user"] if "CANCELLED" in state else "",
                "steps": [
                    {
                        "step": {"id": f"{job}{s.suffix}", "name": s.name},
                        "state": [s.state.split()[0]],
                        "time": {
                            "start": {"set": True, "number": int(s.start or 0)},
                            "end": {"set": True, "number": int(s.end or 0)},
                        },
                        "exit_code": {
                            "status": ["ERROR"] if s.exit_code != "0:0" else ["SUCCESS"],
                            "return_code": {"set": True, "infinite": False, "number": int(s.exit_code.split(":")[0])},
                            "signal": {
                                "id": {
                                    "set": s.exit_code.split(":")[1] != "0",
                                    "number": int(s.exit_code.split(":")[1]),
                                },
                                "name": "",
                            },
                        },
                        "nodes": {"count": int(facts["nnodes"]), "range": facts["nodes"]},
                    }
                    for s in runs
                    if s.suffix
                ]
                if r is runs[0]
                else [],
            }
        )
    return json.dumps(
        {
            "jobs": jobs,
            "meta": {"slurm": {"version": {"major": "23", "micro": "4", "minor": "11"}}},
            "errors": [],
            "warnings": [],
        },
        indent=1,
    )


class Trainer:
    """How a framework logs a step; ``lines`` gives the text lines of one step."""

    def __init__(self, framework: str, offset: int, total: int, every: int, world: int, stamped: bool = True) -> None:
        self.framework, self.offset, self.total, self.every, self.world, self.stamped = (
            framework,
            offset,
            total,
            every,
            world,
            stamped,
        )
        self.batch = 4 * world

    def clock(self, t: float) -> str:
        return f"{local(t, self.offset):%Y-%m-%d %H:%M:%S}"

    def ms(self, t: float) -> str:
        return f"{int(t * 1000) % 1000:03d}"

    def header(self, t: float) -> list[str]:
        f, c = self.framework, self.clock(t)
        if f == "megatron":
            return [
                f"using world size: {self.world}, data-parallel size: {self.world}, context-parallel size: 1 tensor-model-parallel size: 1, pipeline-model-parallel size: 1",
                "using torch.bfloat16 for parameters ...",
                "------------------------ arguments ------------------------",
                "  adam_beta1 ...................................... 0.9",
                "  check_for_nan_in_loss_and_grad .................. True",
                "  exit_on_missing_checkpoint ...................... False",
                "  distributed_timeout_minutes ..................... 10",
                f"  log_interval .................................... {self.every}",
                f"  train_iters ..................................... {self.total}",
                "-------------------- end of arguments ---------------------",
                "> initializing torch distributed ...",
                "> initialized tensor model parallel with size 1",
                f"[after megatron is initialized] datetime: {c} ",
            ]
        if f == "titan":
            return [
                self.titan(t, "Starting job: Llama 3 8B training"),
                self.titan(t, f"Building 1-D device mesh with ['dp_shard'], [{self.world}]"),
            ]
        if f == "nemo":
            return [
                f"[NeMo I {c} nemo_logging:393] Experiments will be logged at /results/default",
                f"[NeMo I {c} nemo_logging:393] Rank 0 has data parallel group : {list(range(min(self.world, 4)))}",
            ]
        if f == "lightning":
            return (
                [
                    "GPU available: True (cuda), used: True",
                    "TPU available: False, using: 0 TPU cores",
                    f"Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/{self.world}",
                ]
                if self.world > 1
                else ["GPU available: True (cuda), used: True", "TPU available: False, using: 0 TPU cores"]
            )
        if f == "deepspeed":
            return [
                f"[{c},{self.ms(t)}] [INFO] [comm.py:669:init_distributed] cdb=None",
                f"[{c},{self.ms(t)}] [INFO] [comm.py:700:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl",
            ]
        if f == "hf":
            return [
                "You are using the default legacy behaviour of the <class 'transformers.models.llama.tokenization_llama.LlamaTokenizer'>."
            ]
        return [self.plain(t, f"world size {self.world}"), self.plain(t, "building model")]

    def ready(self, t: float, resume: int = 0) -> list[str]:
        f, c = self.framework, self.clock(t)
        if f == "megatron":
            load = (
                [
                    f" loading checkpoint from /ckpt/run at iteration {resume}",
                    f"  successfully loaded checkpoint from /ckpt/run [ t 1/1, p 1/1 ] at iteration {resume}",
                ]
                if resume
                else []
            )
            return [
                *load,
                f"[after dataloaders are built] datetime: {c} ",
                "done with setup ...",
                "training ...",
                f"[before the start of training step] datetime: {c} ",
            ]
        if f == "titan":
            load = (
                [
                    self.titan(t, f"Loading the checkpoint from outputs/checkpoint/step-{resume}."),
                    self.titan(t, "Finished loading the checkpoint in 21.42 seconds."),
                ]
                if resume
                else []
            )
            return [*load, self.titan(t, f"Training starts at step {resume + 1}")]
        if f == "hf":
            out = [
                "***** Running training *****",
                "  Num examples = 182,339",
                "  Num Epochs = 3",
                "  Instantaneous batch size per device = 4",
                f"  Total train batch size (w. parallel, distributed & accumulation) = {self.batch}",
                "  Gradient Accumulation steps = 1",
                f"  Total optimization steps = {self.total:,}",
            ]
            return out + (
                [f"  Resuming training from checkpoint with epoch 0 and global step {resume}"] if resume else []
            )
        if f == "nemo":
            return (
                [f"[NeMo I {c} nemo_logging:393] Resuming training from checkpoint: /results/ckpt/step={resume}"]
                if resume
                else [f"[NeMo I {c} nemo_logging:393] Setting up optimizers"]
            )
        if f == "lightning":
            return (
                [f"Restored all states from the checkpoint at /ckpt/epoch=0-step={resume}.ckpt"]
                if resume
                else ["LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]"]
            )
        if f == "deepspeed":
            return (
                [
                    f"[{c},{self.ms(t)}] [INFO] [engine.py:2900:load_checkpoint] loading 8 zero partition checkpoints for rank 0"
                ]
                if resume
                else []
            )
        return (
            [self.plain(t, f"resumed from checkpoint at step {resume}")]
            if resume
            else [self.plain(t, "starting training")]
        )

    def titan(self, t: float, text: str) -> str:
        return f"[rank0]:[titan] {self.clock(t)},{self.ms(t)} - root - INFO - {text}"

    def plain(self, t: float, text: str) -> str:
        return f"{self.clock(t)} | INFO | {text}" if self.stamped else text

    def step(self, t: float, n: int, dt: float, loss: float, grad: float, lr: float, util: float) -> list[str]:
        f, c, total = self.framework, self.clock(t), self.total
        tflops = 420 * util
        if f == "megatron":
            lossy = f" lm loss: {loss:.6E} |" if loss == loss and loss > 0 else ""
            nan = 0 if loss == loss else self.every
            return [
                f" [{c}] iteration {n:8d}/{total:8d} | consumed samples: {n * self.batch:12d} | elapsed time per iteration (ms): {dt * 1000:.1f} | throughput per GPU (TFLOP/s/GPU): {tflops:.1f} | learning rate: {lr:.6E} | global batch size: {self.batch:5d} |{lossy} loss scale: 1.0 | grad norm: {grad:.3f} | number of skipped iterations: {0:3d} | number of nan iterations: {nan:3d} |"
            ]
        if f == "titan":
            return [
                self.titan(
                    t,
                    f"step: {n:2d}  loss: {loss:8.5f}  grad_norm: {grad:7.4f}  memory: 52.11GiB(65.92%)  tps: {int(8192 / dt):,}  tflops: {tflops:.2f}  mfu: {util * 42:.2f}%",
                )
            ]
        if f == "hf":
            bar = f"\r{100 * n // total:3d}%|{'█' * (10 * n // total):10s}| {n}/{total} [{self.hf_elapsed(t)}<{elapsed((total - n) * dt)[-8:]}, {dt:5.2f}s/it]"
            return [
                bar
                + f"{{'loss': {loss:.4f}, 'grad_norm': {grad!r}, 'learning_rate': {lr!r}, 'epoch': {round(n / total * 3, 2)}}}"
            ]
        if f == "nemo":
            return [
                f"Training epoch 0, iteration {n - 1}/{total - 1} | lr: {lr:.4g} | global_batch_size: {self.batch} | global_step: {n - 1} | reduced_train_loss: {loss:.4g} | train_step_timing in s: {dt:.4g} | consumed_samples: {n * self.batch}"
            ]
        if f == "lightning":
            return [
                f"Epoch 0: {100 * n // total:3d}%|{'█' * (10 * n // total):10s}| {n}/{total} [{self.hf_elapsed(t)}<{elapsed((total - n) * dt)[-8:]}, {1 / dt:.2f}it/s, v_num=3, train_loss={loss:.3f}]"
            ]
        if f == "deepspeed":
            return [
                f"[{c},{self.ms(t)}] [INFO] [logging.py:96:log_dist] [Rank 0] step={n}, skipped=0, lr=[{lr!r}], mom=[(0.9, 0.95)]",
                f"[{c},{self.ms(t)}] [INFO] [timer.py:260:stop] epoch=0/micro_step={n}/global_step={n}, RunningAvgSamplesPerSec={self.batch / dt:.6f}, CurrSamplesPerSec={self.batch / dt:.6f}, MemAllocated=31.2GB, MaxMemAllocated=58.9GB",
                f"{c} step {n} loss {loss:.4f}",
            ]
        return [self.plain(t, f"step {n}/{total} loss {loss:.4f} grad_norm {grad:.3f} lr {lr:.2e} {dt:.2f}s/step")]

    begin: float = 0.0

    def hf_elapsed(self, t: float) -> str:
        s = int(max(0, t - self.begin))
        return f"{s // 3600}:{s % 3600 // 60:02d}:{s % 60:02d}" if s >= 3600 else f"{s // 60:02d}:{s % 60:02d}"

    def saving(self, t: float, t2: float, n: int) -> list[tuple[float, str]]:
        f = self.framework
        if f == "megatron":
            return [
                (t, f"saving checkpoint at iteration {n:7d} to /ckpt/run in torch_dist format"),
                (t2, f"  successfully saved checkpoint from iteration {n:7d} to /ckpt/run [ t 1/1, p 1/1 ]"),
            ]
        if f == "titan":
            return [
                (t, self.titan(t, "Saving the checkpoint.")),
                (t2, self.titan(t2, f"Finished saving the checkpoint in {t2 - t:.2f} seconds.")),
            ]
        if f == "hf":
            return [
                (t, f"Saving model checkpoint to out/checkpoint-{n}"),
                (t2, f"Model weights saved in out/checkpoint-{n}/model.safetensors"),
            ]
        if f == "nemo":
            return [
                (
                    t2,
                    f"[NeMo I {self.clock(t2)} nemo_logging:393] Successfully saved checkpoint from iteration {n:7d} to /results/ckpt/step={n}",
                )
            ]
        if f == "lightning":
            return [
                (
                    t2,
                    f"Epoch 0, global step {n}: 'train_loss' reached 2.31000 (best 2.31000), saving model to '/ckpt/epoch=0-step={n}.ckpt' as top 1",
                )
            ]
        if f == "deepspeed":
            return [
                (
                    t,
                    f"[{self.clock(t)},000] [INFO] [logging.py:96:log_dist] [Rank 0] [Torch] Checkpoint global_step{n} is about to be saved!",
                ),
                (
                    t2,
                    f"[{self.clock(t2)},000] [INFO] [torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint global_step{n} is ready now!",
                ),
            ]
        return [
            (t, self.plain(t, f"saving checkpoint to ckpt/step_{n}.pt")),
            (t2, self.plain(t2, f"checkpoint saved in {t2 - t:.1f}s")),
        ]

    def evaluating(self, t: float, t2: float, n: int, loss: float) -> list[tuple[float, str]]:
        f = self.framework
        if f == "megatron":
            return [
                (t, f"Evaluating on {64 * self.batch} samples"),
                (t2, "-" * 100),
                (
                    t2,
                    f" validation loss at iteration {n} | lm loss value: {loss:.6E} | lm loss PPL: {math.exp(min(loss, 20)):.6E} | ",
                ),
                (t2, "-" * 100),
            ]
        if f == "hf":
            return [
                (t, "***** Running Evaluation *****"),
                (t, "  Num examples = 2048"),
                (
                    t2,
                    f"{{'eval_loss': {loss:.6f}, 'eval_runtime': {t2 - t:.4f}, 'eval_samples_per_second': {2048 / (t2 - t):.3f}, 'eval_steps_per_second': 4.1, 'epoch': {round(n / self.total * 3, 2)}}}",
                ),
            ]
        if f == "titan":
            return [
                (t2, self.titan(t2, f"validate step: {n:2d}  loss: {loss:7.4f}  memory: 52.11GiB(65.92%)  tps: 21,001"))
            ]
        if f == "nemo":
            return [(t2, f"Validation epoch 0 | val_loss: {loss:.4g}")]
        if f == "lightning":
            return [
                (t, "Validation DataLoader 0:   0%|          | 0/64 [00:00<?, ?it/s]"),
                (t2, "Validation DataLoader 0: 100%|██████████| 64/64 [01:02<00:00,  1.03it/s]"),
            ]
        return [(t, self.plain(t, "running evaluation")), (t2, self.plain(t2, f"eval loss {loss:.4f}"))]

    def finished(self, t: float, n: int) -> list[str]:
        f, c = self.framework, self.clock(t)
        if f == "megatron":
            return [f"[after training is done] datetime: {c} "]
        if f == "titan":
            return [self.titan(t, "Training completed"), self.titan(t, "Process group destroyed")]
        if f == "hf":
            return [
                "\n\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n",
                f"{{'train_runtime': {t - self.begin:.4f}, 'train_samples_per_second': 12.1, 'train_steps_per_second': 0.4, 'train_loss': 2.4412, 'epoch': 3.0}}",
            ]
        if f in ("lightning", "nemo"):
            return [f"`Trainer.fit` stopped: `max_steps={n}` reached."]
        if f == "deepspeed":
            return [f"[{c},000] [INFO] [launch.py:351:main] Process 48121 exits successfully."]
        return [self.plain(t, f"training finished after {n} steps")]
