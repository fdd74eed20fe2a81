"""More complications of a log, in three batches: what one showed was mended before the next was written.

The first look at each batch tells of kinds that were not seen: of 180, 337 and 316 changed logs that had been right as they
were, 19, 39 and 4 flipped, 9, 14 and 1 of them at 0.8 and more (two more kinds of the first batch were given up: doubtful).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .complications import RAISERS, SITE, WAITS, before, behind, every, lay, put, trace

if TYPE_CHECKING:
    from .changes import Change

_BATCH_1: Final[dict[str, Change]] = {
    "dynamo falls back": lay(
        put(
            0.2,
            "W0504 10:02:11.402000 4711 torch/_dynamo/convert_frame.py:1125] WON'T CONVERT forward /home/u/model.py line 61\n"
            + "W0504 10:02:11.402000 4711 torch/_dynamo/convert_frame.py:1125] due to:\nW0504 10:02:11.402000 4711 torch/_dynamo/convert_frame.py:1125] Traceback (most recent call last):\n"
            + f'W0504 10:02:11.402000 4711 torch/_dynamo/convert_frame.py:1125]   File "{SITE}/torch/_dynamo/output_graph.py", line 1446, in call_user_compiler\n'
            + "W0504 10:02:11.402000 4711 torch/_dynamo/convert_frame.py:1125]     compiled_fn = compiler_fn(gm, self.example_inputs())\n"
            + "W0504 10:02:11.402000 4711 torch/_dynamo/convert_frame.py:1125] torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\nW0504 10:02:11.402000 4711 torch/_dynamo/convert_frame.py:1125] RuntimeError: Failed to find C compiler. Please specify via CC environment variable.\n",
        )
    ),
    "bad sample skipped": lay(
        put(
            0.4,
            "sample 8812 of shard 3 is broken and left out:\n"
            + trace(
                "/home/u/data.py|88|__getitem__|return decode(raw)",
                "/home/u/data.py|51|decode|image = Image.open(io.BytesIO(raw)).convert('RGB')",
                raised="PIL.UnidentifiedImageError: cannot identify image file <_io.BytesIO object at 0x7f11aa>",
            )
            + "(1 of 52000 samples was broken so far)\n",
        )
    ),
    "metrics server thread dies": lay(
        put(
            0.25,
            "Exception in thread Thread-3 (serve_metrics):\n"
            + trace(
                "/opt/conda/lib/python3.11/threading.py|1038|_bootstrap_inner|self.run()",
                "/opt/conda/lib/python3.11/threading.py|975|run|self._target(*self._args, **self._kwargs)",
                "/home/u/metrics.py|19|serve_metrics|server = HTTPServer(('', 9100), Handler)",
                "/opt/conda/lib/python3.11/socketserver.py|472|server_bind|self.socket.bind(self.server_address)",
                raised="OSError: [Errno 98] Address already in use",
            ),
        )
    ),
    "git and conda complain": lay(
        before(
            "fatal: detected dubious ownership in repository at '/home/u/train'\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory /home/u/train\n\nCommandNotFoundError: Your shell has not been properly configured to use 'conda activate'.\nTo initialize your shell, run\n\n    $ conda init <SHELL_NAME>\n\n/etc/profile.d/modules.sh: line 4: module: command not found\n"
        )
    ),
    "cache archive cut": lay(
        before(
            "unpacking the cache of compiled kernels ...\n\ngzip: stdin: unexpected end of file\ntar: Unexpected EOF in archive\ntar: Error is not recoverable: exiting now\nno cache, kernels will be compiled\n"
        )
    ),
    "webhook refused": lay(
        behind(
            "curl: (7) Failed to connect to hooks.chat.example port 443 after 3 ms: Connection refused\nnotify.sh: the message was not sent (7)\n"
        ),
        but=WAITS,
    ),
    "handler says and goes on": lay(
        put(0.3, "received SIGUSR1, will write a snapshot after this step\nsnapshot written, going on\n"),
        but=("A2", *WAITS, "E2"),
    ),
    "a score that is nan": lay(
        put(
            0.3,
            f"{SITE}/sklearn/metrics/_ranking.py:379: UndefinedMetricWarning: Only one class is present in y_true. ROC AUC score is not defined in that case.\n  warnings.warn(\nauc of class 17: nan (no positives)\n",
        )
    ),
    "loader worker replaced": lay(
        put(
            0.4,
            "loader: worker 3 (pid 8812) was killed by signal 9, a new one was started (pid 9120)\nloader: its 4 batches were read again\n",
        ),
        but=("A2", *WAITS),
    ),
    "docker name taken": lay(
        before(
            'docker: Error response from daemon: Conflict. The container name "/train" is already in use by container "a1b2c3d4". You have to remove (or rename) that container to be able to reuse that name.\nSee \'docker run --help\'.\n+ docker rm -f train\ntrain\n+ docker run --rm --name train --gpus all registry/train:1.4\n'
        )
    ),
    "health probe fails": lay(
        every(
            9, lambda at: f'10.0.3.1 - - [04/May/2026 10:{at // 60 % 60:02}:{at % 60:02}] "GET /healthz HTTP/1.1" 503 -'
        ),
        but=WAITS,
    ),
    "most of the limit used": lay(
        put(
            0.6,
            "job monitor: 92 % of the time limit of job 4711 is used, 14 min are left\njob monitor: memory 61 % of the limit, peak 78 %\n",
        ),
        but=("F3",),
    ),
    "retries are used up": lay(
        behind("launch.sh: attempt 1 of 1 failed, no attempts are left\nlaunch.sh: giving up\n", raised=True),
        *RAISERS,
    ),
    "finally says elapsed": lay(behind("Total elapsed: 0:12:31\nclosing log files, bye\n", raised=True), *RAISERS),
    "executor closed late": lay(
        behind(
            "Exception in thread Thread-9 (_flush):\n"
            + trace(
                "/opt/conda/lib/python3.11/threading.py|975|run|self._target(*self._args, **self._kwargs)",
                f"{SITE}/logger/sink.py|77|_flush|self._pool.submit(self._send, batch)",
                "/opt/conda/lib/python3.11/concurrent/futures/thread.py|169|submit|raise RuntimeError('cannot schedule new futures after shutdown')",
                raised="RuntimeError: cannot schedule new futures after shutdown",
            ),
            done=True,
        ),
        "G1",
        "E1",
        "E3",
    ),
    "a counter not supported": lay(
        put(
            0.2,
            "gpu monitor: could not read the energy of GPU 0, it is left out\n"
            + trace(
                "/home/u/mon.py|31|read|return pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)",
                f"{SITE}/pynvml.py|979|_nvmlCheckReturn|raise NVMLError(ret)",
                raised="pynvml.NVMLError_NotSupported: Not Supported",
            ),
        )
    ),
    "time and statuses below": lay(
        behind("\nreal\t12m31.402s\nuser\t88m2.118s\nsys\t1m4.771s\nstatuses of the pipe: 0 0\n", done=True), "G1"
    ),
    "disk is nearly full": lay(
        put(
            0.5,
            "WARNING: 97 % of /scratch is used (1.9T of 2.0T), old checkpoints are removed\nremoved out/step_10, out/step_20: 41 GB are free again\n",
        )
    ),
}

_BATCH_2: Final[dict[str, Change]] = {
    "asyncio task lost": lay(
        put(
            0.3,
            "Task exception was never retrieved\nfuture: <Task finished name='Task-17' coro=<Uploader.push() done, defined at /home/u/up.py:40> exception=TimeoutError()>\n"
            + trace(
                "/home/u/up.py|52|push|await self.session.put(url, data=chunk)",
                f"{SITE}/aiohttp/client.py|605|_request|await resp.start(conn)",
                raised="TimeoutError",
            ),
        )
    ),
    "factories registered twice": lay(
        before(
            "2026-05-04 10:00:01.331200: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:485] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered\nWARNING: All log messages before absl::InitializeLog() is called are written to STDERR\nE0000 00:00:1714816801.355100    4711 cuda_dnn.cc:8310] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered\n2026-05-04 10:00:02.100: I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized to use available CPU instructions\n"
        )
    ),
    "c++ frames of a warning": lay(
        put(
            0.2,
            "[W504 10:02:11.402 TCPStore.cpp:122] [c10d] recvValue failed on SocketImpl(fd=59, addr=[gpu-07]:40112, remote=[gpu-07]:29500): Connection reset by peer, will reconnect\nException raised from recvBytes at ../torch/csrc/distributed/c10d/Utils.hpp:675 (most recent call first):\nframe #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x57 (0x7f3 in /opt/libc10.so)\nframe #1: <unknown function> + 0x5b3 (0x7f3 in /opt/libtorch_cpu.so)\n[I504 10:02:12.400 TCPStore.cpp:140] [c10d] reconnected to [gpu-07]:29500\n",
        ),
        but=("C1", "C2"),
    ),
    "helper job terminated": lay(
        behind("[1]+  Terminated              tail -f logs/live.txt\n", done=True), "G1", "E3", "E1"
    ),
    "srun's small talk": lay(
        before(
            "srun: warning: can't run 1 processes on 2 nodes, setting nnodes to 1\nsrun: job 4711 queued and waiting for resources\nsrun: job 4711 has been allocated resources\nslurmstepd: error: couldn't chdir to `/home/u/old': No such file or directory: going to /tmp instead\n"
        )
    ),
    "pip's resolver": lay(
        before(
            "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed. This behaviour is the source of the following dependency conflicts.\ntorchaudio 2.1.0 requires torch==2.1.0, but you have torch 2.3.0 which is incompatible.\nSuccessfully installed torch-2.3.0 triton-2.3.0\n"
        )
    ),
    "cache not writable": lay(
        before(
            "matplotlib: mkdir -p failed for path /root/.config/matplotlib: [Errno 13] Permission denied: '/root/.config'\nMatplotlib created a temporary cache directory at /tmp/matplotlib-x because the default path was not writable\nerror: cannot write to /root/.triton: Permission denied, /tmp/.triton is used\n"
        )
    ),
    "save tried twice": lay(
        put(
            0.5,
            "saving out/snap.pt failed: [Errno 5] Input/output error, trying again in 5 s\nsaved out/snap.pt at attempt 2\n",
        ),
        but=("E2",),
    ),
    "one batch of nan": lay(put(0.5, "val batch 7: loss is nan (empty mask), left out of the mean\n")),
    "hot gpus": lay(
        every(12, lambda at: "[gpu] 0: 84 C, 1: 86 C, 2: 79 C, fan 100 %, clocks 1410/1593 MHz"),
        but=("B3", "B2", *WAITS),
    ),
    "kubectl's words": lay(before('Defaulted container "pytorch" out of: pytorch, istio-proxy, init-data (init)\n')),
    "escaped traceback in a record": lay(
        put(
            0.3,
            '{"level":"info","msg":"replayed event of run 311","payload":{"err":"Traceback (most recent call last):\\n  File \\"a.py\\", line 3, in <module>\\nKeyError: \'x\'"}}\n',
        )
    ),
    "optional import missing": lay(
        before(
            trace(
                "/home/u/fit.py|7|<module>|import flash_attn",
                raised="ModuleNotFoundError: No module named 'flash_attn'",
            ).replace("Traceback", "flash_attn is not installed, slow attention is used:\nTraceback", 1)
        )
    ),
    "old core file": lay(
        before(
            "$ ls\ncore.991  fit.py  nohup.out.old  OOM_postmortem.md  slurm-4698.out\n$ tail -n 2 nohup.out.old\nSegmentation fault (core dumped)\nKilled\n$ python fit.py\n"
        )
    ),
    "a sweep's other member failed": lay(
        behind(
            "agent: run k3j of this sweep is done; run q81 on another node FAILED (exit 1), it will be reported by its own agent\n",
            done=True,
        ),
        "G1",
    ),
    "watchdog of another service": lay(
        put(
            0.4,
            "systemd[1]: nvidia-dcgm.service: Watchdog timeout (limit 3min)!\nsystemd[1]: nvidia-dcgm.service: Killing process 991 (nv-hostengine) with signal SIGABRT.\nsystemd[1]: nvidia-dcgm.service: Failed with result 'watchdog'.\nsystemd[1]: Started nvidia-dcgm.service.\n",
        )
    ),
}

_BATCH_3: Final[dict[str, Change]] = {
    "worker of a server timed out": lay(
        put(
            0.4,
            "[2026-05-04 10:02:11 +0000] [991] [CRITICAL] WORKER TIMEOUT (pid:1204)\n[2026-05-04 10:02:12 +0000] [991] [ERROR] Worker (pid:1204) was sent SIGKILL! Perhaps out of memory?\n[2026-05-04 10:02:12 +0000] [1311] [INFO] Booting worker with pid: 1311\n",
        )
    ),
    "a mail was not sent": lay(
        put(
            0.5,
            "[2026-05-04 10:02:11,402: ERROR/ForkPoolWorker-2] Task tasks.send_mail[3f1] raised unexpected: SMTPServerDisconnected('Connection unexpectedly closed')\n"
            + trace(
                f"{SITE}/celery/app/trace.py|477|trace_task|R = retval = fun(*args, **kwargs)",
                "/home/u/tasks.py|12|send_mail|server.send_message(message)",
                raised="smtplib.SMTPServerDisconnected: Connection unexpectedly closed",
            ),
        )
    ),
    "a film that cannot be read": lay(
        put(
            0.3,
            "[mov,mp4,m4a,3gp,3g2,mj2 @ 0x5581a8c0] moov atom not found\nError opening input file clips/0181.mp4.\nError opening input files: Invalid data found when processing input\n",
        )
    ),
    "links measured before": lay(
        before(
            "# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20\n#       size         count      type   redop    root     time   algbw   busbw #wrong\n     1048576        262144     float     sum      -1    52.11   20.12   35.21      0\n   134217728      33554432     float     sum      -1   1033.4  129.88  227.29      0\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 131.25\n"
        )
    ),
    "the terminal closed": lay(
        behind("logout\nConnection to gpu-07 closed.\n", done=True), "G1", "E3", "E1", "D1", "D2", "D3"
    ),
    "image pulled": lay(
        before(
            "Unable to find image 'registry/train:1.4' locally\n1.4: Pulling from train\nerror pulling image configuration: read tcp 10.0.0.7:51122->10.0.9.2:443: read: connection reset by peer, retrying in 5 seconds\nDigest: sha256:9f1c\nStatus: Downloaded newer image for registry/train:1.4\n"
        )
    ),
    "copy was cut": lay(
        behind(
            "rsync error: received SIGINT, SIGTERM, or SIGHUP (code 20) at rsync.c(713) [sender=3.2.7]\narchive.sh: the copy to tape goes on tonight\n",
            done=True,
        ),
        "G1",
        "E3",
        "E1",
    ),
    "data not pushed": lay(
        behind("ERROR: failed to push data to the cloud - 2 files failed to upload\n", done=True),
        "E1",
        "E3",
        "D1",
        "D2",
        "D3",
    ),
    "power capped by the site": lay(
        put(0.3, "site: power of all GPUs of this row is capped to 320 W from 10:00 to 14:00\n"), but=("B3",)
    ),
    "viewer stopped by hand": lay(
        behind(
            '^CTraceback (most recent call last):\n  File "/opt/conda/bin/tensorboard", line 8, in <module>\n    sys.exit(run_main())\n  File "'
            + SITE
            + '/tensorboard/main.py", line 41, in run_main\n    app.run(tensorboard.main, flags_parser=tensorboard.configure)\nKeyboardInterrupt\n',
            done=True,
        ),
        "G1",
        "E3",
        "E1",
    ),
    "a sample of the data that frightens": lay(
        put(
            0.2,
            'sample 12 of the set: "AssertionError: expected 3 got 4; Segmentation fault (core dumped)" -> label: bug\n',
        )
    ),
    "kernel of a notebook": lay(
        put(
            0.4,
            "[W 10:02:11.402 NotebookApp] Kernel 3f1c-88 died, restarting\n[I 10:02:12.010 NotebookApp] Kernel started: 3f1c-88\n",
        )
    ),
    "a host under pressure": lay(
        every(10, lambda at: "host: MemAvailable 2.1 GiB of 503, swap 98 %, PSI memory full 31 %, oom_kill 0, load 61"),
        but=("A2", "D1", *WAITS),
    ),
    "lr finder diverged": lay(
        before(
            "lr finder: 1.0e-05 loss 2.31\nlr finder: 1.0e-03 loss 2.02\nlr finder: 1.2e+00 loss nan, the search stops here\nlr finder: suggestion 3.0e-04\n"
        )
    ),
    "self test that raises": lay(
        before(
            "self test: raising an error on purpose ...\nself test: caught RuntimeError('on purpose'), ok\nself test: 12 of 12 passed\n"
        )
    ),
    "autotune skips": lay(
        put(
            0.15,
            "autotune: BLOCK_M=256 num_stages=4 failed: out of resource: shared memory, Required: 262144, Hardware limit: 166912. Reducing block sizes or `num_stages` may help. Skipped.\n",
        )
    ),
    "epilog": lay(
        behind(
            "epilog: killing 2 stray processes of u042 on gpu-07 (sleep, tail)\nepilog: /local/scratch/4711 removed\nepilog: health check: 8 GPUs, XID none, ECC 0\n",
            done=True,
        ),
        "G1",
        "E3",
        "E1",
    ),
    "a plugin that failed to load": lay(
        before(
            "WARNING: plugin 'tracker' could not be loaded and is disabled:\n"
            + trace(
                "/home/u/plugins.py|31|load|module = importlib.import_module(name)",
                f"{SITE}/tracker/__init__.py|4|<module>|from tracker._native import Client",
                raised="ImportError: libssl.so.1.1: cannot open shared object file: No such file or directory",
            )
        )
    ),
    "old checkpoints pruned": lay(
        put(
            0.6,
            "could not remove out/step_10.tmp: [Errno 16] Device or resource busy: '.nfs0001', it stays\nremoved out/step_20\n",
        )
    ),
    "debugger attached": lay(
        put(
            0.5,
            'Process 4711: Python v3.11.7 (/opt/conda/bin/python3.11)\nThread 4711 (active+gil): "MainThread"\n    backward (torch/autograd/__init__.py:266)\n    train (fit.py:51)\n    <module> (fit.py:88)\n',
        ),
        but=("C1", "C2", "C3", "F3"),
    ),
}

MORE: Final[dict[str, Change]] = _BATCH_1 | _BATCH_2 | _BATCH_3
"""By name, as in ``changes.CHANGES``."""
