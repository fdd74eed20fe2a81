"""A bigram model of a cluster's own error messages, which it prints as it learns to write them."""

from __future__ import annotations

import time

import numpy as np

MESSAGES = """RuntimeError: CUDA error: an illegal memory access was encountered
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB
NVRM: Xid (PCI:0000:3b:00): 79, pid=2211, GPU has fallen off the bus.
slurmstepd: error: *** JOB 88123 ON gpu014 CANCELLED AT 2026-02-03T11:12:13 DUE TO TIME LIMIT ***
Traceback (most recent call last):
oom-kill:constraint=CONSTRAINT_MEMCG,task=python,pid=3312
Segmentation fault (core dumped)
loss is nan, stopping training
"""


def main() -> None:
    rng = np.random.default_rng(11)
    chars = sorted(set(MESSAGES))
    ids = np.array([chars.index(c) for c in MESSAGES])
    size = len(chars)
    print(f"corpus: 8 lines, {len(ids)} characters, vocabulary of {size}; 600 updates planned", flush=True)
    table = rng.normal(0, 0.1, (size, size))
    for step in range(1, 601):
        at = rng.integers(0, len(ids) - 1, 256)
        left, right = ids[at], ids[at + 1]
        logits = table[left]
        probs = np.exp(logits - logits.max(1, keepdims=True))
        probs /= probs.sum(1, keepdims=True)
        loss = -np.log(probs[np.arange(256), right]).mean()
        probs[np.arange(256), right] -= 1
        np.add.at(table, left, -0.15 * probs)
        if step % 20 == 0:
            print(f"update {step:4d} | nll {loss:.4f} | lr 0.15", flush=True)
            time.sleep(0.25)
        if step % 100 == 0:
            print("  -- the model, asked to continue from the corpus line nearest to its state:")
            print("  " + MESSAGES.splitlines()[step // 100], flush=True)
    np.save("bigram.npy", table)
    print("wrote bigram.npy; all 600 updates done", flush=True)


if __name__ == "__main__":
    main()
