"""Constructed: programs, launchers and habits that the project's notes hardly mention."""

import math

from tests.analyze.cases import texts as t
from tests.analyze.cases.model import OUTSIDE, UNDECIDABLE, Case, log

_GOOD = t.falling(60)
_DONE = "Training finished."
_NAN = float("nan")


def _mm(losses: list[float], epoch: int = 1) -> str:
    return "".join(
        f"2026/03/11 10:{i:02d}:00 - mmengine - INFO - Epoch(train) [{epoch}][{50 * (i + 1):4d}/500]  lr: 1.0e-02  eta:"
        f" 1:00:00  time: 0.2143  data_time: 0.0112  memory: 4021  grad_norm: 3.2  loss: {value:.4f}  loss_cls:"
        f" {value / 2:.4f}\n"
        for i, value in enumerate(losses)
    )


def _d2(losses: list[float]) -> str:
    return "".join(
        f"[03/11 10:{i:02d}:01 d2.utils.events]:  eta: 0:10:00  iter: {20 * (i + 1) - 1}  total_loss: {value:.3f}  loss_cls:"
        f" {value / 2:.3f}  time: 0.21  data_time: 0.01  lr: 0.001  max_mem: 3001M\n"
        for i, value in enumerate(losses)
    )


def _fairseq(losses: list[float]) -> str:
    return "".join(
        f'2026-03-11 10:{i:02d}:00 | INFO | train_inner | {{"epoch": 1, "update": 0.{i:02d}, "loss": "{value:.3f}", "ppl":'
        f' "88.1", "wps": "9000", "num_updates": "{100 * (i + 1)}", "lr": "0.0001", "gnorm": "1.2", "loss_scale": "8",'
        f' "train_wall": "31", "wall": "{31 * i}"}}\n'
        for i, value in enumerate(losses)
    )


def _timm(losses: list[float], epoch: int = 0) -> str:
    return "".join(
        f"Train: {epoch} [{50 * i:4d}/1251 ({4 * i:3d}%)]  Loss: {value:.3f} ({value + 0.01:.2f})  Time: 0.312s, 820.31/s"
        f"  (0.310s, 825.81/s)  LR: 1.000e-04  Data: 0.011 (0.013)\n"
        for i, value in enumerate(losses[:25])
    )


def _composer(losses: list[float]) -> str:
    return "".join(
        f"[epoch=1/1][batch={i}/{len(losses)}]:\n\t Train time/epoch: 0\n\t Train loss/train/total: {value:.4f}\n"
        f"\t Train metrics/train/LanguageCrossEntropy: {value:.4f}\n"
        for i, value in enumerate(losses, 1)
    )


def _bar(losses: list[float]) -> str:
    n = len(losses)
    return "".join(
        f"\r{100 * (i + 1) // n:3d}%|#####     | {i + 1}/{n} [00:{i % 60:02d}<00:30,  2.00it/s, loss={value:.3f}]"
        for i, value in enumerate(losses)
    )


CASES = (
    # --- healthy
    log(
        "odd-g1-steps-per-epoch-with-header",
        "".join(f"Epoch {e}/3\n" + t.plain(t.falling(20, 8 - 2 * e, 6 - 2 * e), total=200) for e in (1, 2, 3))
        + _DONE
        + "\n",
        "G1",
        0,
    ),
    log(
        "odd-g1-steps-per-epoch-bare",
        "".join(
            "".join(f"[{10 * i}/200] loss: {v:.3f}\n" for i, v in enumerate(t.falling(20, 8 - 2 * e, 6 - 2 * e), 1))
            for e in (1, 2, 3)
        )
        + _DONE
        + "\n",
        "G1 -",
        0,
    ),
    log(
        "odd-g1-plain-steps-wrap-without-total",
        "".join(t.plain(t.falling(20, 8 - 2 * e, 6 - 2 * e)) for e in (1, 2, 3)) + _DONE + "\n",
        "G1 -",
        0,
    ),
    log(
        "odd-g1-mmengine",
        t.lines(
            _mm(t.falling(10)),
            _mm(t.falling(10, 3, 2.5), 2),
            "2026/03/11 10:40:00 - mmengine - INFO - Saving checkpoint at 2 epochs",
        ),
        "G1 -",
        0,
    ),
    log(
        "odd-g1-detectron2",
        t.lines(
            _d2(t.falling(50)),
            "[03/11 11:00:01 d2.engine.hooks]: Overall training speed: 998 iterations in 0:03:30 (0.2104 s / it)",
        ),
        "G1 -",
        0,
    ),
    log(
        "odd-g1-fairseq",
        t.lines(
            _fairseq(t.falling(50)), "2026-03-11 11:00:00 | INFO | fairseq_cli.train | done training in 3600.1 seconds"
        ),
        "G1",
        0,
    ),
    log(
        "odd-g1-timm",
        t.lines(_timm(t.falling(25)), _timm(t.falling(25, 3, 2), 1), "*** Best metric: 71.2 (epoch 1)"),
        "G1 -",
        0,
    ),
    log("odd-g1-composer", t.lines(_composer(t.falling(40)), "train          Epoch 1: 100%|####| 40/40"), "G1 -", 0),
    log("odd-g1-bar-with-loss", _bar(t.falling(60)) + "\n", "G1", 0),
    log(
        "odd-g1-wandb-network",
        t.lines(
            "wandb: Network error (ConnectTimeout), entering retry loop.",
            "wandb: ERROR Error while calling W&B API: rate limit",
            t.plain(_GOOD),
            "wandb: Run summary:",
            "wandb: train/loss 3.01",
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "odd-g1-samples-hold-tracebacks",
        t.lines(
            t.plain(t.falling(20)),
            "sample completion:",
            "```",
            t.traceback("ValueError: invalid literal for int() with base 10: 'x'", "/tmp/solution.py"),
            "```",
            t.plain(t.falling(40, 3.2, 3.0), first=21),
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "odd-g1-restarted-by-torchrun",
        t.lines(
            t.plain(t.falling(10), total=300),
            "saved checkpoint out/step_100.pt",
            t.prefixed("[rank1]: ", t.traceback("RuntimeError: CUDA error: unspecified launch failure")),
            t.agent(1, 1, 13086, others=(13085,)),
            "W0311 10:20:52 13081 torch/distributed/elastic/agent/server/api.py:720] [default] Worker group FAILED. 2/3 attempts"
            " left; will restart worker group",
            "Resuming training from out/step_100.pt",
            t.plain(t.falling(20, 3.2, 3.0), total=300, first=11),
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "odd-g1-early-stopping",
        t.lines(
            t.keras([2.0, 1.5, 1.2, 1.19, 1.2, 1.21]),
            "Epoch 6: early stopping",
            "Restoring model weights from the end of the best epoch: 4.",
        ),
        "G1",
        0,
    ),
    log(
        "odd-g1-slurm-chdir-warning",
        t.lines(
            "slurmstepd: error: couldn't chdir to `/scratch/x': No such file or directory: going to /tmp instead",
            t.plain(_GOOD),
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "odd-g1-slash-metrics",
        "".join(
            f"{{'train/loss': {v:.4f}, 'train/grad_norm': 1.1, 'train/lr': 0.0001, 'step': {10 * i}}}\n"
            for i, v in enumerate(_GOOD, 1)
        )
        + _DONE
        + "\n",
        "G1",
        0,
    ),
    log(
        "odd-g1-warm-up-from-low-loss",
        t.lines(t.plain([0.2 + 0.002 * i if i < 20 else 0.24 - 0.002 * i / 4 for i in range(60)]), _DONE),
        "G1 -",
        0,
    ),
    log(
        "odd-g1-two-stage-loss",
        t.lines(t.plain([*t.falling(30, 1.0, 0.1), *t.falling(30, 7.0, 3.0)]), _DONE),
        "G1 -",
        0,
    ),
    log(
        "odd-g1-rlhf-rewards",
        "".join(
            f"step {i} | policy_loss {0.01 * math.sin(i):.4f} | value_loss {0.4 + 0.1 * math.sin(3 * i):.4f} | kl {0.02 * i:.4f}"
            f" | reward {0.1 * i / 10:.4f}\n"
            for i in range(1, 80)
        )
        + _DONE
        + "\n",
        "G1 -",
        0,
    ),
    log(
        "odd-g1-gan",
        "".join(
            f"[{e}/5][{i}/100] Loss_D: {0.6 + 0.4 * math.sin(i):.4f} Loss_G: {2 + 2 * math.sin(i / 3):.4f}\n"
            for e in range(5)
            for i in range(0, 100, 10)
        )
        + _DONE
        + "\n",
        "G1 -",
        0,
    ),
    # --- crashes
    log(
        "odd-a1-rich-traceback",
        t.lines(
            "╭─────────────── Traceback (most recent call last) ────────────────╮",
            "│ /workspace/train.py:88 in main                                    │",
            "│                                                                   │",
            "│   87 │   cfg = load()                                             │",
            "│ ❱ 88 │   model = build(cfg)                                       │",
            "╰───────────────────────────────────────────────────────────────────╯",
            "KeyError: 'hidden_size'",
        ),
        "A1",
        1,
    ),
    log(
        "odd-a1-loguru",
        t.lines(
            t.epochs(t.falling(9)),
            "2026-03-11 11:10:00.123 | ERROR    | __main__:<module>:91 - An error has been caught in function '<module>', process"
            " 'MainProcess' (811), thread 'MainThread' (1401):",
            "Traceback (most recent call last):",
            "",
            '> File "/workspace/train.py", line 91, in <module>',
            "    main()",
            "    └ <function main at 0x7f>",
            "",
            '  File "/workspace/train.py", line 71, in main',
            "    loss.backward()",
            "",
            "TypeError: unsupported operand type(s) for +: 'NoneType' and 'Tensor'",
        ),
        "A1",
        1,
    ),
    log(
        "odd-a1-unprefixed-interleaved",
        t.lines(
            "Traceback (most recent call last):",
            "Traceback (most recent call last):",
            '  File "/workspace/train.py", line 10, in <module>',
            '  File "/workspace/train.py", line 10, in <module>',
            "    import apex",
            "    import apex",
            "ModuleNotFoundError: No module named 'apex'",
            "ModuleNotFoundError: No module named 'apex'",
        ),
        "A1",
        1,
        fault_class="env",
    ),
    log(
        "odd-a1-accelerate-inner",
        t.lines(
            t.traceback(
                "ValueError: Unrecognized configuration class <class"
                " 'transformers.FooConfig'> for this kind of AutoModel: AutoModelForCausalLM.",
                "/opt/lib/transformers/auto.py",
                "from_pretrained",
            ),
            t.traceback(
                "subprocess.CalledProcessError: Command '['/opt/bin/python', 'train.py']' returned"
                " non-zero exit status 1.",
                "/opt/lib/accelerate/commands/launch.py",
                "simple_launcher",
            ),
        ),
        "A1",
        1,
    ),
    log(
        "odd-a1-no-kernel-image",
        t.lines(t.traceback("RuntimeError: CUDA error: no kernel image is available for execution on the device")),
        "A1",
        1,
        fault_class="env",
    ),
    log(
        "odd-a1-invalid-ordinal",
        t.lines(
            t.prefixed(
                "[rank4]: ",
                t.traceback(
                    "RuntimeError: CUDA error: invalid device"
                    " ordinal\nGPU device may be out of range, do you have enough GPUs?"
                ),
            )
        ),
        "A1",
        1,
        fault_class="env",
    ),
    log(
        "odd-a1-stale-handle",
        t.lines(t.plain(t.falling(20)), t.traceback("OSError: [Errno 116] Stale file handle: '/mnt/nfs/tokens.bin'")),
        "A1",
        1,
        fault_class="env",
    ),
    log(
        "odd-a1-ray-task",
        t.lines(
            "(RayTrainWorker pid=1019, ip=10.0.0.2) step 10 loss 3.21",
            t.traceback(
                "ray.exceptions.RayTaskError(ValueError): ray::_Inner.train() (pid=1019, ip=10.0.0.2)\n"
                '  File "/workspace/t.py", line 9, in train_fn\nValueError: bad batch'
            ),
        ),
        "A1",
        1,
    ),
    log(
        "odd-a1-ddp-params-differ",
        t.lines(
            t.prefixed(
                "[rank1]: ",
                t.traceback(
                    "RuntimeError: [1]: params[0] in this process"
                    " with sizes [24, 16] appears not to match sizes of the same param in process 0."
                ),
            )
        ),
        "A1",
        1,
    ),
    log("odd-a1-bare-assert", t.lines(t.traceback("AssertionError")), "A1", 1, fault_class="code"),
    log(
        "odd-a1-cublas-not-init",
        t.lines(
            t.traceback("RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`")
        ),
        "A1 B1",
        1,
    ),
    log(
        "odd-a1-nccl-version-mismatch",
        t.lines(
            "[2026-03-11 18:11:14] gpu01:23860:23861 [0] bootstrap.cc:120 NCCL WARN Mismatched NCCL version detected : rank 3"
            " version 22105 rank 0 version 22003",
            t.traceback(
                "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2251, invalid usage (run with"
                " NCCL_DEBUG=WARN for details), NCCL version 2.21.5\nncclInvalidUsage: This usually reflects invalid usage of NCCL"
                " library."
            ),
        ),
        "A1 C1",
        1,
    ),
    # --- memory
    log(
        "odd-host-memory-ray-monitor",
        t.lines(
            t.traceback(
                "ray.exceptions.OutOfMemoryError: Task was killed due to the node"
                " running low on memory.\nMemory on the node (IP: 10.0.0.2, ID: 1a) where the task (actor ID: 2b) was running was"
                " 500.21GB / 503.72GB (0.993), which exceeds the memory usage threshold of 0.95."
            )
        ),
        "A2 A1",
        1,
    ),
    log(
        "odd-b1-ray-worker",
        t.lines(
            "(RayTrainWorker pid=1019) step 10 loss 3.21",
            t.traceback(
                "ray.exceptions.RayTaskError(OutOfMemoryError): ray::_Inner.train() (pid=1019, ip=10.0.0.2)\n"
                + t.OOM_2_9
            ),
        ),
        "B1",
        1,
    ),
    log("odd-a2-kubernetes", t.lines(t.plain(t.falling(20)), "command terminated with exit code 137"), "A2", 137),
    log(
        "odd-a2-bash-bus-error",
        t.lines(t.plain(t.falling(20)), "run.sh: line 9:  4432 Bus error               (core dumped) python train.py"),
        "A2",
        135,
    ),
    log(
        "odd-a2-glog-segv",
        t.lines(
            t.plain(t.falling(20)),
            "*** SIGSEGV (@0x0) received by PID 4432 (TID 0x7f) from PID 0; stack trace: ***",
            "    @     0x7f12 (unknown)",
        ),
        "A2",
        139,
    ),
    log(
        "odd-a2-std-bad-alloc",
        t.lines(
            t.plain(t.falling(20)),
            "terminate called after throwing an instance of 'std::bad_alloc'",
            "  what():  std::bad_alloc",
            "run.sh: line 9:  4432 Aborted                 (core dumped) python train.py",
        ),
        "A2 A1",
        134,
    ),
    log("odd-a2-exit-139", t.lines(t.nanogpt(t.falling(20))), "A2", 139),
    # --- other schedulers and people
    log(
        "odd-f3-pbs",
        t.lines(t.plain(t.falling(20)), "=>> PBS: job killed: walltime 3610 exceeded limit 3600"),
        "F3",
        271,
    ),
    log(
        "odd-f3-lsf",
        t.lines(
            t.plain(t.falling(20)),
            "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
            "Exited with exit code 140.",
        ),
        "F3",
        140,
    ),
    log(
        "odd-a2-lsf-memory",
        t.lines(
            t.plain(t.falling(20)),
            "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.",
            "Exited with exit code 137.",
        ),
        "A2",
        137,
    ),
    log(
        "odd-outside-srun-interrupt",
        t.lines(
            t.plain(t.falling(20)),
            "srun: interrupt (one more within 1 sec to abort)",
            "srun: StepId=7120.0 tasks 0-3: running",
            "srun: sending Ctrl-C to StepId=7120.0",
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        ),
        OUTSIDE,
        130,
    ),
    log(
        "odd-outside-lightning-sigint",
        t.lines(t.lightning(t.falling(20)), "\nDetected KeyboardInterrupt, attempting graceful shutdown ..."),
        OUTSIDE,
        1,
    ),
    log(
        "odd-outside-megatron-sigterm-exit",
        t.lines(t.megatron(t.falling(20)), "[exiting program after receiving SIGTERM.] datetime: 2026-03-11 12:00:00 "),
        f"{OUTSIDE} F2 F3",
        0,
    ),
    # --- learning
    log(
        "odd-e1-fairseq-min-scale",
        t.lines(
            _fairseq(t.falling(9)),
            *(
                "2026-03-11 10:20:00 | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, setting loss"
                f" scale to: {2.0**-i}"
                for i in range(12)
            ),
            t.traceback(
                "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding. Try lowering"
                " the learning rate, using gradient clipping or increasing the batch size.",
                "/opt/lib/fairseq/optim/dynamic_loss_scaler.py",
                "update",
            ),
        ),
        "E1",
        1,
    ),
    log(
        "odd-e1-wandb-summary-nan",
        t.lines(
            t.plain(t.falling(5)), t.plain([_NAN] * 8, first=6), "wandb: Run summary:", "wandb: train/loss nan", _DONE
        ),
        "E1",
        0,
    ),
    log("odd-e1-bar-nan", _bar([*t.falling(20), *[_NAN] * 40]) + "\n", "E1", 0),
    log("odd-e1-timm-nan", t.lines(_timm([*t.falling(5), *[_NAN] * 20])), "E1", 0),
    log("odd-e1-mm-nan", t.lines(_mm([*t.falling(5), *[_NAN] * 5])), "E1", 0),
    log(
        "odd-e1-detectron-check",
        t.lines(
            _d2(t.falling(9)),
            t.traceback(
                "FloatingPointError: Loss became infinite or NaN at"
                " iteration=199!\nloss_dict = {'loss_cls': nan, 'loss_box_reg': inf}",
                "/opt/lib/detectron2/engine/train_loop.py",
                "_write_metrics",
            ),
        ),
        "E1",
        1,
    ),
    log(
        "odd-e1-keras-terminate",
        t.lines(t.keras([2.1, 1.7, _NAN]), "Batch 12: Invalid loss, terminating training"),
        "E1",
        0,
    ),
    log(
        "odd-e1-json-loss-null",
        t.lines(
            t.json_lines(t.falling(20)),
            "".join(f'{{"step": {105 + 5 * i}, "loss": NaN, "grad_norm": NaN, "lr": 0.0003}}\n' for i in range(20)),
        ),
        "E1",
        0,
    ),
    log(
        "odd-e1-zero-loss-nan-norm",
        "".join(
            f"step {i} loss {8 - 0.1 * i if i < 20 else 0.0:.4f} grad_norm {1.1 if i < 20 else _NAN}\n"
            for i in range(1, 60)
        ),
        "E1",
        0,
    ),
    log(
        "odd-e1-csv-header",
        "epoch,step,train_loss\n" + "".join(f"0,{i},{v}\n" for i, v in enumerate([*t.falling(20), *[_NAN] * 20])),
        "E1 -",
        0,
    ),
    # --- hardware, network
    log(
        "odd-b2-device-handle",
        t.lines(
            t.plain(t.falling(9)),
            t.traceback("RuntimeError: CUDA error: unknown error"),
            "$ nvidia-smi",
            "Unable to determine the device handle for GPU0000:91:00.0: Unknown Error",
        ),
        "B2 A1",
        1,
    ),
    Case(
        "odd-b2-sxid",
        {
            "train.log": t.lines(
                t.plain(t.falling(9)),
                t.traceback("RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution"),
            ),
            "dmesg": "[ 9867.836626] nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up\n"
            "[ 9867.846626] NVRM: Xid (PCI:0000:4f:00): 74, pid=99, name=python3, NVLink: fatal error detected on link 6\n",
        },
        "B2",
        1,
    ),
    log(
        "odd-net-ib-timeout",
        t.lines(
            t.plain(t.falling(9)),
            "[2026-03-11 18:11:14] gpu01:1:9 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer"
            " 10.0.0.2<55921> with status=12 opcode=1 len=0 vendor err 129 (Send) hca mlx5_3",
            t.prefixed(
                "[rank0]: ",
                t.traceback(
                    "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2251,"
                    " remote process exited or there was a network error, NCCL version 2.21.5"
                ),
            ),
        ),
        f"{UNDECIDABLE} C2 A2",
        1,
    ),
    log(
        "odd-c2-op-mismatch",
        t.lines(
            t.plain(t.falling(9)),
            t.prefixed(
                "[rank0]: ",
                t.traceback(
                    "RuntimeError: Detected"
                    " mismatch between collectives on ranks. Rank 0 is running collective: CollectiveFingerPrint(SequenceNumber=7,"
                    " OpType=ALLREDUCE, TensorShape=[3]), but Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=7,"
                    " OpType=BROADCAST).Collectives differ in the following aspects: \t Op type: ALLREDUCEvs BROADCAST"
                ),
            ),
        ),
        "C2",
        1,
    ),
    # --- checkpoints
    log(
        "odd-e2-missing-file",
        t.lines(
            t.traceback(
                "FileNotFoundError: [Errno 2] No such file or directory: '/ckpt/run7/step_20000/model.pt'",
                "/opt/lib/torch/serialization.py",
                "load_checkpoint",
            )
        ),
        "E2",
        1,
    ),
    log(
        "odd-e2-lfs-pointer",
        t.lines(
            t.traceback(
                "_pickle.UnpicklingError: Weights only load failed. In PyTorch 2.6, we"
                " changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`.\n"
                "WeightsUnpickler error: Unsupported operand 118",
                "/opt/lib/torch/serialization.py",
                "load",
            )
        ),
        "E2",
        1,
    ),
    log(
        "odd-e2-nemo-from-scratch",
        t.lines(
            "[NeMo W 2026-08-01 12:00:00 nemo_logging:405] There were no checkpoints found in checkpoint_dir or no checkpoint"
            " folder at checkpoint_dir :/results/ckpt. Training from scratch.",
            t.plain(_GOOD),
            _DONE,
        ),
        "G1 E2 -",
        0,
    ),
    log(
        "odd-a1-pretrained-missing-not-e2",
        t.lines(
            t.traceback(
                "OSError: Repo id must be in the form 'repo_name' or"
                " 'namespace/repo_name': '/models/llama-7b'. Use `repo_type` argument if needed.",
                "/opt/lib/transformers/utils/hub.py",
                "cached_file",
            )
        ),
        "A1",
        1,
        fault_class="asset",
    ),
)
