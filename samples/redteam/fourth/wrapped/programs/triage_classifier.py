"""Train a classifier of support tickets; its data are the texts of other people's failures."""

from __future__ import annotations

import math
import random
import time

TICKETS = [
    ("gpu", "RuntimeError: CUDA error: an illegal memory access was encountered"),
    ("gpu", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 79.15 GiB total)"),
    ("gpu", "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus."),
    ("net", "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE)"),
    ("net", "socket.timeout: The read operation timed out while connecting to rdzv endpoint"),
    ("net", "NCCL WARN NET/IB : Got completion from peer with status=12 opcode=0 len=0 vendor err 129"),
    (
        "host",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=88123.0. Some of the step tasks have been OOM Killed.",
    ),
    ("host", "Segmentation fault (core dumped)"),
    ("host", "OSError: [Errno 28] No space left on device: '/scratch/ckpt/step_4000.pt'"),
    ("code", "KeyError: 'input_ids'"),
    ("code", "ValueError: loss is nan at step 4130, aborting training"),
    ("code", "IndexError: list index out of range"),
]
LABELS = ["gpu", "net", "host", "code"]


def words(text: str) -> list[str]:
    return [w.strip("[]().,:'").lower() for w in text.split() if len(w) > 2]


def main() -> None:
    rng = random.Random(3)
    vocab = sorted({w for _, t in TICKETS for w in words(t)})
    index = {w: i for i, w in enumerate(vocab)}
    weights = [[rng.gauss(0, 0.01) for _ in vocab] for _ in LABELS]
    print(f"loaded {len(TICKETS)} tickets, vocabulary {len(vocab)}, classes {LABELS}")
    steps = 240
    for step in range(1, steps + 1):
        label, text = TICKETS[rng.randrange(len(TICKETS))]
        active = [index[w] for w in words(text)]
        logits = [sum(row[i] for i in active) for row in weights]
        top = max(logits)
        z = [math.exp(v - top) for v in logits]
        p = [v / sum(z) for v in z]
        want = LABELS.index(label)
        loss = -math.log(max(p[want], 1e-9))
        for k, row in enumerate(weights):
            g = p[k] - (1.0 if k == want else 0.0)
            for i in active:
                row[i] -= 0.05 * g
        if step % 10 == 0:
            guess = LABELS[p.index(max(p))]
            print(f"step {step}/{steps} loss {loss:.4f} acc {sum(LABELS.index(a) >= 0 for a, _ in TICKETS) / 12:.2f}")
            print(f"  sample: {text!r}\n    gold={label} pred={guess}", flush=True)
        time.sleep(0.03)
    print("Training finished, model saved to tickets.json")
    print("worst remaining example: 'Segmentation fault (core dumped)' gold=host pred=host p=0.93")


if __name__ == "__main__":
    main()
