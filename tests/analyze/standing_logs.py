"""Logs of jobs that stood, as pulses, a watch and NCCL's RAS tell of it, and of a checkpoint that did not fit."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Final


def clock(seconds: float) -> str:
    """A time of day so many seconds after eight."""
    return f"2026-03-01 {8 + int(seconds) // 3600:02d}:{int(seconds) // 60 % 60:02d}:{int(seconds) % 60:02d}"


def sweeps(last: int = 40, every: int = 1) -> str:
    """Reports of a training that learns."""
    return "".join(
        f"{clock(every * n)} step {n}/900 loss {2.1 * math.exp(-n / 20) + 0.3 + 0.01 * (n % 3):.4f}\n"
        for n in range(1, last + 1)
    )


def pulses(words: str, count: int, begin: int = 45, times: int = 8, moves: int = 0) -> str:
    """What goes on telling that it lives."""
    return "".join(
        f"{clock(begin + 10 * n)} {words.format(count=count + moves * n, waited=10 * (n + 1))}\n" for n in range(times)
    )


LIVES: Final = (
    "alive for {waited} s, {count} steps so far, 0.0 s of cpu since then",
    "heartbeat: still at step {count}, cpu 0% ({waited} s)",
    "[beat] {waited}s up | {count} steps behind us | processor: 0.0",
)


GAVE_UP: Final = """\
Traceback (most recent call last):
  File "/w/drift.py", line 94, in <module>
    mp.spawn(drift, nprocs=2)
  File "/opt/lib/python3.11/site-packages/torch/multiprocessing/spawn.py", line 200, in join
    raise ProcessExitedException(
torch.multiprocessing.spawn.ProcessExitedException: process 0 terminated with exit code 9
"""


def of_two(stand: int = 6) -> str:
    """Two processes that tell where they stand, until one gives up."""
    laps = "".join(
        f"{clock(n)} w{who} | lap {n} swum, off by {1 / n:.5f}\n" for n in range(1, 17) for who in (n % 2, 1 - n % 2)
    )
    beats = "".join(
        f"{clock(20 + 10 * n)} w1 | pulse: lap 16, writing my tracks (for {10 * n} s)\n"
        f"{clock(20 + 10 * n)} w0 | pulse: lap 17, sharing slopes with the others (for {10 * n + 2} s)\n"
        for n in range(stand)
    )
    return f"{laps}{beats}{clock(20 + 10 * stand)} w0 | enough, going home\n"


RAS: Final = """\
Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         2         8        16        16   RUNNING  MISMATCH

#0-0 (8d3f09c1a74e22b6) MISMATCH
  Communicator ranks have different collective operation counts
  15 ranks have launched up to operation 48731
  1 rank has launched up to operation 48730
  Rank 11 -- GPU 3 managed by process 70874 on node 10.61.0.23

"""


QUIET: Final = f"{clock(1800)} [watch] no line for 30 min\n{RAS}{clock(9000)} [watch] no line for 2 h\n"
CANCELLED: Final = "slurmstepd: error: *** JOB 55 ON n1 CANCELLED AT 2026-03-01T10:31:09 ***\n"


SIZES: Final = (
    "12:05:48 1/3 I canopy: 296449 parameters\n12:05:48 0/3 I taking up canopy.ckpt (2.1 MB)\n"
    "12:05:48 0/3 W Error(s) in loading state_dict for Canopy: size mismatch for inp.weight: copying a param with shape"
    " torch.Size([192, 128]) from checkpoint, the shape in current model is torch.Size([256, 128]).\n"
)
LOST: Final = """\
[rank1]: Traceback (most recent call last):
[rank1]:   File "/w/canopy.py", line 78, in resume
[rank1]:     box = fabric.broadcast(box)
[rank1]:   File "/opt/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 3151, in broadcast
[rank1]:     work.wait()
[rank1]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer \
[127.0.0.1]:58062. This is typically caused by a remote worker crashing.
"""


def evaluating(seconds: float) -> str:
    """Epochs that train for less than a second and evaluate for so many."""
    return "".join(
        f"epoch {n:2}/24 loss {2.1 * math.exp(-n / 6) + 0.2:.5f} error {0.2 * 0.9**n:.5f} train 0.63s"
        f" eval {seconds + 0.01 * (n % 4):.2f}s\n"
        for n in range(1, 25)
    )


def saving_on_idle_gpus(steps: int) -> dict[str, str]:
    """The same by the clock, and readings of nvidia-smi that tell of no SMs: a kernel runs now and then."""
    begin = datetime(2026, 3, 3, 8, tzinfo=UTC)
    reports = saving(steps).splitlines()
    log = "".join(f"{begin + timedelta(seconds=4 * n):%Y-%m-%d %H:%M:%S} {text}\n" for n, text in enumerate(reports, 1))
    head = "timestamp, index, uuid, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.current.sm [MHz]\n"
    rows = "".join(
        f"{begin + timedelta(seconds=n):%Y/%m/%d %H:%M:%S}.000, 0, GPU-00c41f6e-8f5b-7a64-2f0f-7f1d0e9b6a50,"
        f" {0 if n % 4 else 96} %, 21406 MiB, 71.00 W, 1530 MHz\n"
        for n in range(4 * steps + 4)
    )
    return {"job.log": log, "smi.csv": head + rows}


def saving(steps: int, took: float = 3.1) -> str:
    """Steps that compute for a moment and save for so many seconds, as each report tells."""
    return "".join(
        f"step={n} loss={2 * math.exp(-n / 20) + 0.3:.4f} t_step=0.21 t_save={took + 0.01 * (n % 5):.2f}\n"
        for n in range(1, steps + 1)
    )
