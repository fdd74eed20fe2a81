"""A good run that first shows the end of yesterday's log, so that one can compare."""

from __future__ import annotations

import random
import sys
import time

YESTERDAY = """\
[2026-11-20 21:14:07,311] INFO train: step 1180 loss 1.2031 lr 2.9e-4
[2026-11-20 21:14:09,102] INFO train: step 1190 loss 1.1987 lr 2.9e-4
Traceback (most recent call last):
  File "/home/mk/exp/train.py", line 211, in <module>
    main()
  File "/home/mk/exp/train.py", line 180, in main
    loss.backward()
  File "/opt/conda/lib/python3.11/site-packages/torch/_tensor.py", line 581, in backward
    torch.autograd.backward(
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.95 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.32 GiB is free.
srun: error: gpu07: task 0: Exited with exit code 1
slurmstepd: error: *** STEP 99231.0 ON gpu07 CANCELLED AT 2026-11-20T21:14:31 ***
"""


def main() -> None:
    print("== previous attempt (job 99231), last lines of slurm-99231.out ==")
    print(YESTERDAY, end="")
    print("== end of previous attempt; retrying with micro batch 4 instead of 8 ==", flush=True)
    rng = random.Random(11)
    w, b = rng.gauss(0, 1), 0.0
    started = time.time()
    for step in range(1, 301):
        batch = [(x, 3.0 * x - 1.0 + rng.gauss(0, 0.05)) for x in (rng.uniform(-1, 1) for _ in range(16))]
        errors = [(w * x + b - y, x) for x, y in batch]
        loss = sum(e * e for e, _ in errors) / len(errors)
        w -= 0.1 * sum(2 * e * x for e, x in errors) / len(errors)
        b -= 0.1 * sum(2 * e for e, _ in errors) / len(errors)
        if step % 20 == 0:
            print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} INFO train: step {step} loss {loss:.4f} lr 1.0e-1", flush=True)
        time.sleep(0.02)
    print(f"done: 300 steps in {time.time() - started:.1f} s, final w={w:.3f} b={b:.3f}")
    print("previous attempt had died here with CUDA out of memory; this one did not", file=sys.stderr)


if __name__ == "__main__":
    main()
