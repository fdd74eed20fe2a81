"""Constructed: crashes of the job's own (A1) and checkpoints that do not load (E2), with their near-misses."""

from tests.analyze.cases import texts as t
from tests.analyze.cases.model import OUTSIDE, UNDECIDABLE, log

_LIB = "/opt/venv/lib/python3.11/site-packages"

CASES = (
    log(
        "a1-peft-targets-two-ranks",
        t.lines(
            t.prefixed(
                "[rank0]: ",
                t.traceback(
                    "ValueError: Target modules {'query_key_value'} not found in the base"
                    " model. Please check the target modules and try again.",
                    f"{_LIB}/peft/tuners/tuners_utils.py",
                ),
            ),
            t.prefixed(
                "[rank1]: ",
                t.traceback(
                    "ValueError: Target modules {'query_key_value'} not found in the base"
                    " model. Please check the target modules and try again.",
                    f"{_LIB}/peft/tuners/tuners_utils.py",
                ),
            ),
            t.agent(1, 0, others=(21008,)),
            t.summary(t.entry(0, 0, 1, 21007), t.entry(1, 1, 1, 21008)),
        ),
        "A1",
        1,
        fault_class="config",
        attribution="job",
    ),
    log(
        "a1-gated-repo",
        t.lines(
            t.traceback(
                "OSError: You are trying to access a gated repo.\nMake sure to have access to it at"
                " https://huggingface.co/meta-llama/Llama-3.1-8B.\n401 Client Error. (Request ID: Root=1-66)",
                f"{_LIB}/transformers/utils/hub.py",
                "cached_file",
            ),
        ),
        "A1",
        1,
        fault_class="asset",
    ),
    log(
        "a1-argparse-no-traceback",
        t.lines(
            "usage: finetune.py [-h] --model MODEL [--lr LR]",
            "finetune.py: error: argument --lr: invalid float value: '1e-5x'",
        ),
        "A1",
        2,
        fault_class="config",
    ),
    log(
        "a1-missing-module-under-srun-label",
        t.lines(
            *(
                t.prefixed(f"{r}: ", t.traceback("ModuleNotFoundError: No module named 'flash_attn'"))
                for r in (2, 0, 1, 3)
            ),
            "srun: error: gpu02: tasks 2-3: Exited with exit code 1",
            "srun: launch/slurm: _step_signal: Terminating StepId=7120.0",
            "srun: error: gpu01: tasks 0-1: Exited with exit code 1",
        ),
        "A1",
        1,
        fault_class="env",
        attribution="job",
    ),
    log(
        "a1-mid-run-in-dataset-worker",
        t.lines(
            t.hf5(t.falling(12), total=400),
            t.traceback(
                "FileNotFoundError: Caught FileNotFoundError in DataLoader worker process 3.\n"
                "Original Traceback (most recent call last):\n"
                f'  File "{_LIB}/torch/utils/data/_utils/worker.py", line 349, in _worker_loop\n'
                "    data = fetcher.fetch(index)\n"
                '  File "/workspace/data.py", line 41, in __getitem__\n'
                "    return np.load(self.files[i])\n"
                "FileNotFoundError: [Errno 2] No such file or directory: '/data/shards/shard-0113.npy'"
            ),
        ),
        "A1",
        1,
        fault_class="data",
    ),
    log(
        "a1-device-side-assert",
        t.lines(
            t.hf4(t.falling(4)),
            *(
                "/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1422: indexSelectLargeIndex: block: [97,0,0], thread:"
                f" [{i},0,0] Assertion `srcIndex < srcSelectDimSize` failed."
                for i in range(4)
            ),
            t.traceback(
                "torch.AcceleratorError: CUDA error: device-side assert triggered\nSearch for"
                " `cudaErrorAssert' in https://docs.nvidia.com/cuda/cuda-runtime-api for more information.\n"
                "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might"
                " be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1"
            ),
        ),
        "A1",
        1,
    ),
    log(
        "a1-hydra",
        t.lines(
            "In 'train': Could not find 'model/llama9'",
            "",
            "Available options in 'model':",
            "\tllama2",
            "\tllama3",
            "Config search path:",
            "\tprovider=main, path=file:///workspace/conf",
            "",
            "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.",
        ),
        f"A1 {UNDECIDABLE}",
        1,
    ),
    log(
        "a1-key-error-rank-5-under-accelerate",
        t.lines(
            t.prefixed("[rank5]: ", t.traceback("KeyError: 'optimizer'")),
            t.agent(1, 5, others=(21007, 21008, 21009)),
            t.summary(t.entry(0, 5, 1, 21012)),
        ),
        "A1 E2",
        1,
        ranks=(5,),
    ),
    log(
        "a1-cuda-driver-too-old-torch-1.12",
        t.lines(
            t.traceback(
                "RuntimeError: The NVIDIA driver on your system is too old (found version 10020). Please"
                " update your GPU driver by downloading and installing a new version from the URL:"
                " http://www.nvidia.com/Download/index.aspx",
                f"{_LIB}/torch/cuda/__init__.py",
                "_lazy_init",
            )
        ),
        "A1",
        1,
        fault_class="env",
    ),
    log(
        "a1-mp-spawn-wrapped",
        t.lines(
            "W0702 10:01:11.120000 901 torch/multiprocessing/spawn.py:169] Terminating process 977 via signal SIGTERM",
            t.traceback(
                "torch.multiprocessing.spawn.ProcessRaisedException: \n\n"
                "-- Process 1 terminated with the following error:\n"
                "Traceback (most recent call last):\n"
                f'  File "{_LIB}/torch/multiprocessing/spawn.py", line 90, in _wrap\n'
                "    fn(i, *args)\n"
                '  File "/workspace/main.py", line 61, in worker\n'
                "    raise ValueError(f'bad vocab {n}')\n"
                "ValueError: bad vocab 31999"
            ),
        ),
        "A1",
        1,
    ),
    log(
        "a1-rich-traceback-hydra-job",
        t.lines(
            "[2026-05-02 11:00:01,220][__main__][INFO] - Instantiating datamodule",
            "Error executing job with overrides: ['trainer.max_steps=100']",
            t.traceback(
                "omegaconf.errors.ConfigAttributeError: Key 'warmup' is not in struct\n"
                "    full_key: optim.warmup\n    object_type=dict"
            ),
            "",
            "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.",
        ),
        "A1",
        1,
        fault_class="config",
    ),
    log(
        "a1-deepspeed-launcher",
        t.lines(
            "[2026-01-09 10:00:00,101] [INFO] [launch.py:245:main] process 3184 spawned with command: ['/opt/bin/python',"
            " '-u', 'ds.py', '--local_rank=0', '--deepspeed_config', 'ds.json']",
            t.prefixed(
                "[rank0]: ",
                t.traceback(
                    "AssertionError: Micro batch sizes across gradient accumulation steps and"
                    " world size must be divisible: 24 != 4 * 1 * 8",
                    f"{_LIB}/deepspeed/runtime/config.py",
                ),
            ),
            "[2026-01-09 10:00:09,101] [INFO] [launch.py:253:sigkill_handler] Killing subprocess 3184",
            "[2026-01-09 10:00:09,102] [ERROR] [launch.py:259:sigkill_handler] ['/opt/bin/python', '-u', 'ds.py',"
            " '--local_rank=7'] exits with return code = 1",
        ),
        "A1",
        1,
    ),
    log(
        "a1-script-not-found",
        t.lines("python: can't open file '/workspace/trian.py': [Errno 2] No such file or directory"),
        "A1",
        2,
    ),
    log(
        "a1-command-not-found",
        t.lines("/var/spool/slurmd/job7120/slurm_script: line 14: torchrnu: command not found"),
        "A1",
        127,
    ),
    log(
        "a1-mid-run-disk-full",
        t.lines(
            t.plain(t.falling(20), total=400),
            t.traceback("OSError: [Errno 28] No space left on device", "/workspace/io.py", "save"),
        ),
        f"{OUTSIDE} A1",
        1,
    ),
    # --- near-misses: the words without the event
    log(
        "miss-handled-traceback",
        t.lines(
            t.plain(t.falling(10), total=200),
            "WARNING: could not upload metrics, will retry",
            t.traceback(
                "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.wandb.ai', port=443): Max"
                " retries exceeded with url: /graphql",
                f"{_LIB}/requests/adapters.py",
                "send",
            ),
            t.plain(t.falling(10, 3.2, 3.0), total=200, first=11),
            "Training finished.",
        ),
        "G1",
        0,
    ),
    log(
        "miss-file-named-like-errors",
        t.lines(
            "config: {'hooks': ['loss_nan_guard.py', 'cuda_oom_retry.py'], 'on_error': 'RuntimeError: CUDA out of memory'}",
            "--max_restarts=3 --nan_policy=raise --kill_on_bad_exit=1",
            t.plain(t.falling(20), total=200),
            "Training complete.",
        ),
        "G1",
        0,
    ),
    log(
        "miss-abstain-crash-words-only",
        t.lines("usage: you can pass --resume to continue", "INFO RuntimeError handling is enabled"),
        UNDECIDABLE,
    ),
    # --- E2
    log(
        "e2-size-mismatch",
        t.lines(
            "Restoring states from the checkpoint path at runs/last.ckpt",
            t.traceback(
                "RuntimeError: Error(s) in loading state_dict for LitGPT:\n\tsize mismatch for wte.weight: copying"
                " a param with shape torch.Size([50257, 768]) from checkpoint, the shape in current model is"
                " torch.Size([50304, 768]).",
                f"{_LIB}/torch/nn/modules/module.py",
                "load_state_dict",
            ),
        ),
        "E2",
        1,
    ),
    log(
        "e2-truncated-under-torchrun",
        t.lines(
            t.prefixed(
                "[rank2]: ",
                t.traceback(
                    "RuntimeError: PytorchStreamReader failed reading zip archive: failed"
                    " finding central directory. This is an internal miniz error.",
                    f"{_LIB}/torch/serialization.py",
                    "load_checkpoint",
                ),
            ),
            t.agent(1, 2, others=(21007, 21008)),
            t.summary(t.entry(0, 2, 1, 21009)),
        ),
        "E2",
        1,
    ),
    log(
        "e2-megatron-from-random",
        t.lines(
            "WARNING: could not find the metadata file /ckpt/run7/latest_checkpointed_iteration.txt",
            "    will not load any checkpoints and will start from random",
            t.megatron(t.falling(30, 10.9, 4.0)),
            "[after training is done] datetime: 2026-03-02 11:00:00 ",
        ),
        "G1 E2 -",
        0,
    ),
    log(
        "e2-hf-none-valid",
        t.lines(
            t.traceback(
                "ValueError: No valid checkpoint found in output directory (/ckpt/out)",
                f"{_LIB}/transformers/trainer.py",
                "train",
            )
        ),
        "E2",
        1,
    ),
    log(
        "e2-dcp-rank-world-changed",
        t.lines(
            t.traceback(
                "deepspeed.runtime.zero.utils.ZeRORuntimeException: The checkpoint being loaded used a DP world"
                " size of 8 but the current world size is 4. Automatic adjustment of ZeRO's optimizer state partitioning with a new"
                " world size is not currently supported.",
                f"{_LIB}/deepspeed/runtime/engine.py",
                "load_checkpoint",
            )
        ),
        "E2",
        1,
    ),
    log(
        "e2-restart-in-one-log-from-scratch",
        t.lines(
            t.hf5(t.falling(30, 8.0, 3.0), total=60),
            "/var/spool/slurmd/job7120/slurm_script: line 20: 4001 Killed                  python train.py",
            "restarting after failure, attempt 2",
            t.hf5(t.falling(60, 8.0, 2.5), total=60),
            "{'train_runtime': '88.1', 'train_samples_per_second': '20.82', 'train_steps_per_second': '5.2',"
            " 'train_loss': '3.1', 'epoch': '1'}",
        ),
        "E2 F2",
        0,
    ),
    log(
        "miss-mismatch-ignored-deliberately",
        t.lines(
            "Some weights of BertForSequenceClassification were not initialized from the model checkpoint at"
            " bert-base-uncased and are newly initialized because the shapes did not match:",
            "- classifier.weight: found shape torch.Size([2, 768]) in the checkpoint and torch.Size([5, 768]) in the model"
            " instantiated",
            "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.",
            t.hf4(t.falling(40, 1.6, 0.4)),
            t.hf_end(100.0, 0.7),
        ),
        "G1",
        0,
    ),
    log(
        "miss-resume-continues",
        t.lines(
            "Resuming training from checkpoint with epoch 0 and global step 20",
            t.hf5(t.falling(20, 4.0, 3.0), first=21, total=40),
            "{'train_runtime': '88.1', 'train_samples_per_second': '20.82', 'train_steps_per_second': '5.2',"
            " 'train_loss': '3.1', 'epoch': '1'}",
        ),
        "G1",
        0,
    ),
)
