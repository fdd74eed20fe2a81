"""Complications of a log: what a shell, a cluster or a program's own helpers say beside the run, which leave its truth as it is.

Each is laid only over cases of which it stays true: below an end only where the log tells one, and never over lines that
one collector prefixed all.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from .changes import SOUND, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .changes import Change

    Laid = Callable[[list[str]], list[str] | None]

_TRACE: Final = "Traceback (most recent call last)"
_COLLECTED: Final = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) |[A-Z][a-z]{2} +\d+ [\d:]{8} |\[pod/|\{\"|# "
)
_RAISED: Final = re.compile(r"^(?:\[?\w{0,12}\]?:? ?)(?:[\w.]+\.)?\w*(?:Error|Exception)\b(?::|$)")
_ENDED: Final = re.compile(
    r"(?i)traceback|\b\w*error\b|exit(?:ed|code)?\b|status|killed|core dumped|segmentation|abort|terminat|cancelled"
    r"|signal|finish|complete|\bdone\b|saved|train_runtime|timed? ?out|exceed"
)
_DONE: Final = re.compile(r"(?i)finish|complete|\bdone\b|saved|train_runtime")
RAISERS: Final = ("A1", "B1", "E2")
_LEFT_BY_ITSELF: Final = (*RAISERS, "B2", "D1", "D2", "D3", "E1", "E3", "G1")
"""Families whose runs may end as Python does, by what is registered for its end."""


def _free(lines: list[str]) -> list[int]:
    """Numbers of lines above which others may be printed: no part of a traceback, a table or a bar."""
    found = []
    within = False
    for at, line in enumerate(lines):
        part = line[:1] in (" ", "\t", "", "|", "+", "│", "└", "-", "}", "]", ")") or "params" in line
        if not within and not part and "\r" not in line and "\r" not in lines[at - 1]:
            found.append(at)
        within = _TRACE in line or (within and (part or line.startswith(("During", "The above"))))
    return found


def put(share: float, words: str, times: int = 1) -> Laid:
    """``words`` between two lines, after this share of all of them."""

    def laid(lines: list[str]) -> list[str] | None:
        at = next((number for number in _free(lines) if number >= max(1, share * len(lines))), None)
        return None if at is None else [*lines[:at], *lines_of(words) * times, *lines[at:]]

    return laid


def every(lines_between: int, words: Callable[[int], str]) -> Laid:
    def laid(lines: list[str]) -> list[str] | None:
        places = set(_free(lines)[lines_between::lines_between])
        out: list[str] = []
        for at, line in enumerate(lines):
            out += [words(at)] if at in places else []
            out.append(line)
        return out if places else None

    return laid


def before(words: str) -> Laid:
    return lambda lines: [*lines_of(words), *lines]


def behind(words: str, *, done: bool = False, raised: bool = False) -> Laid:
    """``words`` below the end of a run: below any, one that is ``done``, or what a program ``raised``."""

    def laid(lines: list[str]) -> list[str] | None:
        tail = lines[-25:]
        told = _DONE if done else _RAISED if raised else _ENDED
        if raised and not any(_TRACE in line for line in lines):
            return None
        return [*lines, *lines_of(words)] if any(told.search(line) for line in tail) else None

    return laid


def lay(laid: Laid, *families: str, but: tuple[str, ...] = ()) -> Change:
    """A change of the one file of a case of ``families``, where it is a terminal's text."""

    def change(texts: dict[str, str], right: tuple[str, ...]) -> dict[str, str] | None:
        if len(texts) > 1 or (families and right[0] not in families) or right[0] in but:
            return None
        ((name, text),) = texts.items()
        lines = lines_of(text)
        told = [line for line in lines if line.strip()]
        if sum(_COLLECTED.match(line) is not None for line in told) > 0.9 * len(told) or len(lines) < 3:
            return None
        new = laid(lines)
        return None if new is None else {name: "\n".join(new) + "\n"}

    return change


def trace(*calls: str, raised: str) -> str:
    return f"{_TRACE}:\n" + "".join(map(_frame, calls)) + raised + "\n"


def _frame(told: str) -> str:
    path, line, name, code = told.split("|")
    return f'  File "{path}", line {line}, in {name}\n    {code}\n'


SITE: Final = "/opt/conda/lib/python3.11/site-packages"
_ATEXIT: Final = (
    "Exception ignored in atexit callback: <bound method Run._on_exit of <tracker.run.Run object at 0x7f2c5a1b9d50>>\n"
    + trace(
        f"{SITE}/tracker/run.py|212|_on_exit|self._queue.put_nowait(None)",
        "/opt/conda/lib/python3.11/queue.py|137|put|raise Full",
        raised="queue.Full",
    )
)
_DEL: Final = "Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f31a0c5e0e0>\n" + trace(
    f"{SITE}/torch/utils/data/dataloader.py|1604|__del__|self._shutdown_workers()",
    f"{SITE}/torch/utils/data/dataloader.py|1568|_shutdown_workers|if self._persistent_workers or self._workers_status[worker_id]:",
    raised="AttributeError: '_MultiProcessingDataLoaderIter' object has no attribute '_workers_status'",
)
_S3: Final = (
    "2026-05-04 10:02:11,402 WARNING s3.py:88 reading shards/00012.tar failed, trying again in 2.0 s (1/5)\n"
    + trace(
        f"{SITE}/urllib3/connectionpool.py|537|_make_request|response = conn.getresponse()",
        f"{SITE}/urllib3/connection.py|466|getresponse|httplib_response = super().getresponse()",
        "/opt/conda/lib/python3.11/ssl.py|1166|read|return self._sslobj.read(len, buffer)",
        raised="TimeoutError: The read operation timed out",
    )
    + "2026-05-04 10:02:13,611 INFO s3.py:93 shards/00012.tar read at attempt 2\n"
)
_HUB: Final = (
    "Could not reach the hub, the copy in the cache will be used:\n"
    + trace(
        f"{SITE}/huggingface_hub/utils/_http.py|409|hf_raise_for_status|response.raise_for_status()",
        f"{SITE}/requests/models.py|1024|raise_for_status|raise HTTPError(http_error_msg, response=self)",
        raised="requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: https://huggingface.co/api/models/base",
    )
    + "Using the cached copy of base, revision 5617a9f.\n"
)
_PREPARE: Final = (
    "$ python prepare.py --shards 8\n"
    + "".join(
        f"Tokenizing:  {n:3}%|{'█' * (n // 10):<10}| {n * 520}/52000 [00:{n * 41 // 100:02}<00:{41 - n * 41 // 100:02}, 1256.11 examples/s]\n"
        for n in range(0, 101, 10)
    )
    + "".join(f"shard {n}/8 written, 6500 examples, 3.1 s\n" for n in range(1, 9))
    + "prepared 52000 examples in 41.3 s, 12 were skipped (too long)\n$ python train.py\n"
)
_WHEEL: Final = (
    "+ pip install -q flash-attn || echo 'flash-attn is not there, going on without'\n"
    "  error: subprocess-exited-with-error\n  × python setup.py bdist_wheel did not run successfully.\n  │ exit code: 1\n"
    "  ╰─> [12 lines of output]\n"
    "      Traceback (most recent call last):\n"
    '        File "<string>", line 2, in <module>\n        File "/tmp/pip-install-k3/flash-attn/setup.py", line 22, in <module>\n'
    "          import torch\n      ModuleNotFoundError: No module named 'torch'\n      [end of output]\n\n"
    "  note: This error originates from a subprocess, and is likely not a problem with pip.\n"
    "  ERROR: Failed building wheel for flash-attn\n"
    "ERROR: Could not build wheels for flash-attn, which is required to install pyproject.toml-based projects\n"
    "+ echo 'flash-attn is not there, going on without'\nflash-attn is not there, going on without\n+ python train.py\n"
)
_PYTEST: Final = (
    "$ pytest -q tests || true\n..F....                                                                  [100%]\n"
    "=================================== FAILURES ===================================\n"
    "______________________________ test_empty_batch _______________________________\n\n"
    "    def test_empty_batch():\n>       assert collate([]) == {}\n\ntests/test_data.py:12: \n"
    "_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n\nrows = []\n\n"
    "    def collate(rows):\n>       return {key: stack(rows, key) for key in rows[0]}\nE       IndexError: list index out of range\n\n"
    "src/data.py:41: IndexError\n=========================== short test summary info ============================\n"
    "FAILED tests/test_data.py::test_empty_batch - IndexError: list index out of range\n1 failed, 6 passed in 3.21s\n$ python train.py\n"
)
_SMI: Final = (
    "+ nvidia-smi\nMon May  4 09:59:41 2026\n"
    "+-----------------------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |\n"
    "|-----------------------------------------+------------------------+----------------------+\n"
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
    "|=========================================+========================+======================|\n"
    "|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |\n"
    "| N/A   31C    P0              62W / 400W |     418MiB /  81920MiB |      0%      Default |\n"
    "+-----------------------------------------------------------------------------------------+\n"
    "| Processes:                                                                              |\n"
    "|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |\n"
    "|=========================================================================================|\n"
    "|    0   N/A  N/A      2204      C   /usr/bin/dcgm-monitor                         408MiB |\n"
    "+-----------------------------------------------------------------------------------------+\n+ python train.py\n"
)
_SETTINGS: Final = (
    "settings:\n  on_oom: skip\n  nan_check: true\n  max_nan_steps: 3\n  timeout: 1800\n  nccl_timeout: 600\n  on_sigterm: checkpoint_and_exit\n"
    "  killed: 0\n  ignore_errors: false\n  fail_on_divergence: true\n  preempted: false\n"
)
_HELP: Final = (
    "usage: launch.sh [-h] [--on-oom {skip,raise}] [--watchdog SECONDS] [--retries N]\n\noptions:\n"
    "  -h, --help           show this help and leave\n"
    "  --on-oom {skip,raise}\n                       what to do when CUDA is out of memory (torch.cuda.OutOfMemoryError)\n"
    "  --watchdog SECONDS   kill the training (SIGKILL) when nothing was printed for so long\n"
    "  --retries N          how often to start again a training that failed, was killed or preempted\n"
    "No options were given, the defaults are taken.\n"
)
_SOURCE: Final = (
    "+ cat guard.py\nimport sys\nimport torch\n\n\ndef guard(step, loss):\n    if not torch.isfinite(loss):\n"
    '        raise RuntimeError(f"Loss is nan at step {step}, stopping training")\n'
    "    try:\n        loss.backward()\n    except torch.cuda.OutOfMemoryError:\n"
    '        print("CUDA out of memory. Skipping the batch", file=sys.stderr)\n        sys.exit(137)\n'
    '    if step == 1000:\n        print("Training complete, 1000 steps done")\n+ python train.py\n'
)
_MOTD: Final = (
    "*******************************************************************************\n"
    "* Maintenance on 10 May: nodes will be rebooted, running jobs will be killed   *\n"
    "* and requeued. Jobs over their memory are ended by the OOM killer (exit 137). *\n"
    "* If your job was preempted (PREEMPTED), submit it again with --requeue.       *\n"
    "*******************************************************************************\n"
)
_FAQ: Final = (
    "--------------------------------------------------------------------------------\n"
    "Did your job fail? Exit code 137: it was killed for its memory. Exit code 124 or TIMEOUT: over its time limit.\n"
    "'CUDA out of memory': use a smaller batch. NCCL timeouts: see https://docs.example.org/nccl. Write to help@example.org.\n"
    "--------------------------------------------------------------------------------\n"
)
_DMESG: Final = (
    "$ dmesg -T | tail -3\n"
    "[Thu Apr 16 03:12:44 2026] Out of memory: Killed process 991 (rstudio-server) total-vm:81920044kB, anon-rss:63012448kB, file-rss:0kB, shmem-rss:0kB, UID:1017 pgtables:124212kB oom_score_adj:0\n"
    "[Thu Apr 16 03:12:46 2026] oom_reaper: reaped process 991 (rstudio-server), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB\n"
    "[Sat Apr 25 11:40:02 2026] perf: interrupt took too long (2513 > 2500), lowering kernel.perf_event_max_sample_rate to 79500\n"
    "$ python train.py\n"
)
_FINDER: Final = (
    "batch size finder: trying 512\nbatch size finder: CUDA out of memory. Tried to allocate 9.38 GiB, halving\n"
    "batch size finder: trying 256\nbatch size finder: CUDA out of memory. Tried to allocate 4.69 GiB, halving\n"
    "batch size finder: trying 128\nbatch size finder: 128 fits, using 128\n"
)
_TENSORBOARD: Final = (
    "$ tensorboard --logdir runs --port 6006 &\n"
    "TensorBoard could not bind to port 6006, it was already in use\n"
    "ERROR: TensorBoard could not bind to port 6006, it was already in use\n"
    "[1]+  Exit 1                  tensorboard --logdir runs --port 6006\n$ python train.py\n"
)
_WARM: Final = (
    "warming the cache of the file system ...\n"
    "launch.sh: line 9:  4002 Segmentation fault      (core dumped) ./warm_cache /data/shards > /dev/null\n"
    "warm_cache failed (139), going on without\n"
)
_WARM_LIMIT: Final = (
    "warming the cache of the file system, 60 s at most ...\n"
    "timeout: sending signal TERM to command './warm_cache'\nwarm_cache did not finish in 60 s (124), going on without\n"
)
_OTHERS_TAIL: Final = (
    "$ tail -n 12 /shared/logs/job-991.out\n==> /shared/logs/job-991.out <==\n"
    "step 710/5000 | loss 2.2210 | lr 3.0e-04 | 0.24 s/step\nstep 720/5000 | loss 2.2187 | lr 3.0e-04 | 0.24 s/step\n"
    + trace(
        "/home/v/other/fit.py|120|<module>|main()",
        "/home/v/other/fit.py|77|main|logits = head(states)",
        raised="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.12 GiB is free.",
    )
)
_TABLE: Final = (
    "$ sacct -u u042 -S 2026-05-03 --format=JobID,JobName,State,ExitCode\n"
    "JobID           JobName      State ExitCode\n------------ ---------- ---------- --------\n"
    "4698            prepare  COMPLETED      0:0\n4702           evaluate     FAILED      1:0\n"
    "4705            bigfish OUT_OF_ME+    0:125\n4706             export    TIMEOUT      0:0\n"
)
_UPLOAD: Final = (
    "$ aws s3 sync out s3://models/run-17\n"
    "upload failed: out/model.pt to s3://models/run-17/model.pt An error occurred (AccessDenied) when calling the PutObject operation: Access Denied\n"
    "fatal error: An error occurred (AccessDenied) when calling the ListObjectsV2 operation: Access Denied\n"
)
_WANDB: Final = (
    "wandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [504]>)\n"
    "wandb: Network error (ReadTimeout), entering retry loop.\nwandb: 🚀 View run calm-river-17 at: https://wandb.ai/u/p/runs/k3j\n"
    "wandb: Find logs at: ./wandb/run-20260504_100000-k3j/logs\n"
)
_EVALUATED: Final = (
    "$ python evaluate.py --model /models/base-7b --split test\n"
    + "".join(
        f"Evaluating:  {n:3}%|{'█' * (n // 10):<10}| {n // 10}/10 [00:0{n // 12}<00:00,  1.31it/s]\n"
        for n in range(0, 101, 20)
    )
    + "test: accuracy 0.4412, loss 2.3107 (/models/base-7b)\n"
)
_EVALUATED_BEFORE: Final = (
    "$ python evaluate.py --model out/previous\n"
    + "".join(f"batch {n}/5 eval_loss 1.{n}831\n" for n in range(1, 6))
    + "previous model: perplexity 3.91, accuracy 0.612\n$ python train.py\n"
)
_SERVED: Final = (
    "all was done, the pod stays up for an hour for whoever wants to look\n^CTraceback (most recent call last):\n"
    '  File "/home/u/stay.py", line 4, in <module>\n    time.sleep(3600)\nKeyboardInterrupt\n'
)
_CLEAN: Final = (
    "cleaning up ...\nrm: cannot remove '/tmp/run.4711/lock': No such file or directory\n"
    "rmdir: failed to remove '/tmp/run.4711': No such file or directory\nrsync warning: some files vanished before they could be transferred (code 24) at main.c(1338) [sender=3.2.7]\n"
)
_XTRACE: Final = (
    "+ rc=1\n+ '[' 1 -ne 0 ']'\n+ echo 'train.py left with 1'\ntrain.py left with 1\n+ cp -r logs /shared/u042/logs-4711\n"
    "+ trap - EXIT\n+ rm -rf /tmp/run.4711\n+ exit 1\n"
)
_SAFE: Final = (
    "launch.sh: line 14: ERR trap: 'python train.py' left with 1\nlaunch.sh: stopped at line 14 (set -e)\n"
    "launch.sh: EXIT trap: removing /tmp/run.4711\n"
)
_FRIENDLY: Final = "Oops, that did not work. Please look at the log above, or ask in #ml-help.\nCopying the logs to /shared/u042/logs-4711\nDone.\n"
_MONITORED: Final = (
    "=================== job report ===================\nJob ID:            4711\nState:             COMPLETED (exit code 0)\n"
    "Cores:             8\nCPU Utilized:      00:21:07\nMemory Utilized:   11.20 GB\nMemory Efficiency: 35.00% of 32.00 GB\n"
    "==================================================\n"
)
_PROLOG: Final = (
    "prolog: gpu-07 health check: 8 GPUs, ECC errors 0, XID errors 0, NVLink ok, temperature ok\n"
    "prolog: killing stray processes of u017: none\nprolog: /local/scratch 1.7T free\nprolog: done in 4 s\n"
)
_SPOKEN: Final = (
    "Das Training wird gestartet. Bei Fehlern bitte das Protokoll an die Hotline senden.\n"
    "Achtung: Abbruch nach Zeitüberschreitung möglich, Speicher prüfen!\n学習を開始します。エラーが発生した場合は管理者に連絡してください。\n"
)
_NCCL: Final = (
    "gpu-07:4711:4890 [0] NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: No such file or directory, when loading libnccl-net.so\n"
    "gpu-07:4711:4890 [0] NCCL INFO NET/IB : No device found.\ngpu-07:4711:4890 [0] NCCL INFO Failed to open libibverbs.so[.1]\n"
    "gpu-07:4711:4890 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.7<0>\ngpu-07:4711:4890 [0] NCCL INFO Using network Socket\n"
)
_SUMMARY: Final = '{"host": "gpu-07", "killed": 0, "oom": false, "nan_steps": 0, "timeouts": 0, "preempted": false, "errors": [], "restarts": 0}\n'
_WARNED: Final = f"{SITE}/PIL/TiffImagePlugin.py:935: UserWarning: Corrupt EXIF data.  Expecting to read 4 bytes but only got 0. \n  warnings.warn(str(msg))\n"

_EVALUATOR: Final = (
    "[evaluator] out/step_40 seen, evaluating\n"
    + trace(
        "/home/u/tools/evaluator.py|61|<module>|watch(folder)",
        "/home/u/tools/evaluator.py|44|watch|score(load(path))",
        "/home/u/tools/evaluator.py|30|score|return hits / seen",
        raised="ZeroDivisionError: division by zero",
    )
    + "[evaluator] left with 1, will look again in 10 min\n"
)
_ROWS: Final = (
    "three rows of the data:\n"
    "  0: 'slurmstepd: error: *** JOB 81 ON n3 CANCELLED AT 2025-02-11T08:00:01 DUE TO TIME LIMIT ***' -> time_limit\n"
    "  1: 'kernel: Out of memory: Killed process 4711 (python) total-vm:81920044kB, anon-rss:63012448kB' -> oom_killer\n"
    "  2: 'RuntimeError: CUDA error: an illegal memory access was encountered' -> cuda\n"
)
_NOTICE: Final = (
    "slurm: job 4711 will reach its time limit in 30 min, its limit was raised by 2 h (u042)\n"
    "spot: preemption notice for this node, withdrawn 40 s later\n"
)
_SCALES: Final = (
    "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0\n"
    "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 16384.0\n"
    "class 17 has no samples in this part of the data: its F1 is nan and left out of the mean\n"
)
_PODS: Final = (
    "$ kubectl get events -n ml | tail -3\n"
    "12m   Warning   OOMKilling   node/gpu-03            Memory cgroup out of memory: Killed process 991 (jupyter-lab)\n"
    "9m    Warning   BackOff      pod/preprocess-0       Back-off restarting failed container\n"
    "5m    Normal    Preempted    pod/preprocess-1       Preempted by ml/train-0 on node gpu-07\n$ python train.py\n"
)
_LOST_HELPER: Final = (
    "launch.sh: line 31:  5120 Killed                  ./mirror_logs /shared/u042/logs-4711\n"
    "mirror_logs is gone (137), the logs of the last minutes are not on the share\n"
)
_NEIGHBOUR: Final = (
    "[watch] gpu 3 of this node (not ours): XID 43 in the log of the driver, process 2204 (jupyter) has lost its context\n"
    "[watch] gpu 0 (ours): 61 C, throttle reasons: SW power cap, ECC 0, XID none\n"
)
_HUNG_BEFORE: Final = (
    "$ timeout -k 5 30 python probe_nccl.py\nrank 0 waits for rank 1 on 10.0.0.8:29500\n"
    "[W504 10:00:03.123456789 socket.cpp:764] [c10d] The client socket has failed to connect to [gpu-08]:29500 (errno: 111 - Connection refused).\n"
    "probe: no InfiniBand between gpu-07 and gpu-08, TCP will be used\nprobe: all ranks met after 12 s\n$ python train.py\n"
)
_DIFFED: Final = (
    "$ git diff --stat && git diff train.py\n train.py | 4 ++--\n--- a/train.py\n+++ b/train.py\n@@ -10,4 +10,4 @@\n"
    "-    raise SystemExit('killed by the watchdog')\n+    raise RuntimeError('CUDA out of memory in the warm-up')\n"
    "-    print('training finished')\n+    print('Training complete.')\n$ python train.py\n"
)
_SAID_BEFORE: Final = (
    "Note: yesterday's run (job 4698) died of NaN at step 1200; lr is lowered from 1e-3 to 3e-4.\n"
    "Note: if this one is killed for its memory again, use fewer workers (see the exit code 137 of 4705).\n"
)


def _beat(at: int) -> str:
    return f"[watch] {10 + at // 3600:02}:{at // 60 % 60:02}:{at % 60:02} pid 4711 alive, rss 12.3 GiB, gpu 93 %, hung 0, errors 0, last signal none"


def _other_rank(lines: list[str]) -> list[str] | None:
    if any(re.match(r"\W{0,2}(?:rank|default)\W?\d|\d{1,3}:", line, re.IGNORECASE) for line in lines):
        return None
    told = (
        "cache is warm, 61 shards",
        "WARNING shard 00007 has 3 broken images, they are left out",
        "reader caught up",
    )
    out = []
    for at, line in enumerate(lines):
        out += [f"[rank1]: {told[at // 6 % 3]}"] if at % 6 == 3 else []
        out.append(f"[rank0]: {line}")
    return out


def _redrawn(lines: list[str]) -> list[str]:
    """A download's bar, drawn ten thousand times over itself."""
    bar = "\r".join(
        f"model.safetensors: {n // 100:3}%|{'#' * (n // 1000):<10}| {n / 2000:.2f}G/5.00G [00:{n // 200:02}<?]"
        for n in range(10_000)
    )
    return [f"{bar}\rmodel.safetensors: 100%|##########| 5.00G/5.00G [00:50<00:00, 100MB/s]", *lines]


def _middle_lost(lines: list[str]) -> list[str]:
    return [*lines[: len(lines) * 3 // 10], *lines[len(lines) * 6 // 10 :]]


def _two_handlers(lines: list[str]) -> list[str]:
    free = set(_free(lines))
    return [told for at, line in enumerate(lines) for told in [line] * (1 + (at in free and _TRACE not in line))]


def _clock_set(lines: list[str]) -> list[str] | None:
    """The clock of the machine goes back by an hour after two thirds of the log."""
    when = re.compile(r"^(\W?(?:\d{4}-\d\d-\d\d[ T])?)(\d\d)(?=:\d\d:\d\d)")
    if sum(when.match(line) is not None for line in lines) * 2 < len(lines):
        return None
    since = len(lines) * 2 // 3
    hours = [int(found[2]) for line in lines[since:] if (found := when.match(line))]
    if not hours or min(hours) < 1:
        return None
    back = [when.sub(lambda found: f"{found[1]}{int(found[2]) - 1:02}", line) for line in lines[since:]]
    return [*lines[:since], *back]


def _warned_often(lines: list[str]) -> list[str] | None:
    """A warning a thousand times, between what went wrong first and the end."""
    first = next((at for at, line in enumerate(lines) if _TRACE in line), len(lines) * 4 // 5)
    return put(first / len(lines), _WARNED, 500)(lines)


WAITS: Final = ("C1", "C2", "C3", "F1", "F2", "F3")
COMPLICATIONS: Final[dict[str, Change]] = {
    "atexit error below": lay(behind(_ATEXIT), *_LEFT_BY_ITSELF),
    "loader's __del__ below": lay(behind(_DEL), *_LEFT_BY_ITSELF),
    "trap of set -e below": lay(behind(_SAFE, raised=True), *RAISERS),
    "friendly sentence and done": lay(behind(_FRIENDLY, raised=True), *RAISERS),
    "set -x below": lay(behind(_XTRACE, raised=True), *RAISERS),
    "report that says completed": lay(behind(_MONITORED, raised=True), *RAISERS),
    "prepared before": lay(before(_PREPARE)),
    "wheel failed before": lay(before(_WHEEL)),
    "tests before": lay(before(_PYTEST)),
    "nvidia-smi before": lay(before(_SMI)),
    "evaluated before": lay(before(_EVALUATED_BEFORE), but=("E2",)),
    "settings that frighten": lay(before(_SETTINGS)),
    "help before": lay(before(_HELP)),
    "source before": lay(before(_SOURCE)),
    "message of the day": lay(before(_MOTD)),
    "old dmesg before": lay(before(_DMESG)),
    "batch size finder": lay(before(_FINDER)),
    "port of tensorboard taken": lay(before(_TENSORBOARD)),
    "helper crashed before": lay(before(_WARM)),
    "helper out of time before": lay(before(_WARM_LIMIT)),
    "prolog": lay(before(_PROLOG)),
    "other languages": lay(before(_SPOKEN)),
    "nccl falls back": lay(before(_NCCL)),
    "bar redrawn": lay(_redrawn),
    "s3 read again": lay(put(0.35, _S3)),
    "hub not reached": lay(put(0.1, _HUB)),
    "watch beats": lay(every(5, _beat), but=WAITS),
    "another rank speaks": lay(_other_rank, but=("D3", *WAITS)),
    "warned a thousand times": lay(_warned_often),
    "two handlers": lay(_two_handlers),
    "clock set back": lay(_clock_set, "A1", "A2", "B1", "G1", "E1", "E3"),
    "upload fails": lay(behind(_UPLOAD), but=WAITS),
    "tracker not reached": lay(behind(_WANDB), but=("C1", "C3")),
    "another model evaluated": lay(behind(_EVALUATED), but=WAITS),
    "another's log shown": lay(behind(_OTHERS_TAIL), but=("B1", *WAITS)),
    "table of other jobs": lay(behind(_TABLE), but=WAITS),
    "nothing to clean": lay(behind(_CLEAN), but=WAITS),
    "advice below": lay(behind(_FAQ), but=WAITS),
    "counts of a run": lay(behind(_SUMMARY, done=True), "G1", "E3", "D1", "D2", "D3"),
    "stopped after all": lay(behind(_SERVED, done=True), "G1"),
    "another training behind": lay(
        behind(
            f"$ python train.py --seed 2\n{SOUND}training finished, 200 steps done\nsaved model to out/seed2.pt\n",
            done=True,
        ),
        "G1",
    ),
    "evaluator crashes beside": lay(put(0.5, _EVALUATOR), "G1", "E1", "E3", "D1", "D2", "D3", "F2", "F3"),
    "rows of data that frighten": lay(before(_ROWS)),
    "notices that came to nothing": lay(put(0.4, _NOTICE)),
    "scale found and a mean without": lay(put(0.15, _SCALES)),
    "events of other pods": lay(before(_PODS)),
    "helper killed behind": lay(behind(_LOST_HELPER, done=True), "G1", "E3", "E1"),
    "a neighbour's xid": lay(put(0.5, _NEIGHBOUR), but=("B2",)),
    "ranks probed before": lay(before(_HUNG_BEFORE), but=("C1",)),
    "change shown before": lay(before(_DIFFED)),
    "told of yesterday": lay(before(_SAID_BEFORE)),
    "middle lost": lay(_middle_lost),
    "cut at 1024": lay(lambda lines: [line[:1024] for line in lines]),
    "cut at 160": lay(lambda lines: [line[:160] for line in lines]),
}
"""By name, as in ``changes.CHANGES``."""

LOSES: Final = frozenset({"middle lost", "cut at 160"})
"""Those that take evidence away."""

HELD_OUT: Final = frozenset(name for name in COMPLICATIONS if sha256(name.encode()).digest()[0] % 3 == 0)
"""Written with the others, and not run until the mends that the others called for were made: drawn by their names."""
