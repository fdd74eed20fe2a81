"""Learn under which component a bug report is to be filed, from the reports' own words."""

import random

import torch
from torch import nn

REPORTS = {
    "gpu": (
        "RuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB (GPU 0; 39.56 GiB total capacity)",
        "NVRM: Xid (PCI:0000:3b:00): 79, pid=3124, GPU has fallen off the bus.",
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
    ),
    "network": (
        "[rank3]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE, Timeout(ms)=600000)",
        "RuntimeError: Connection reset by peer [10.0.4.17]:29500",
        "Timed out waiting for clients. 7/8 clients joined.",
    ),
    "storage": (
        "OSError: [Errno 28] No space left on device: '/scratch/ckpt/step_900.pt'",
        "OSError: [Errno 116] Stale file handle",
        'Traceback (most recent call last):\n  File "train.py", line 88, in <module>\n    torch.load(path)\nEOFError: Ran out of input',
    ),
    "scheduler": (
        "slurmstepd: error: *** JOB 8812 ON gpu017 CANCELLED AT 2026-10-02T03:11:54 DUE TO TIME LIMIT ***",
        "srun: error: Node failure on gpu021",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=8813.0",
    ),
}
NAMES = list(REPORTS)


def words(text: str) -> torch.Tensor:
    return torch.tensor([sum(word.encode()) % 4096 for word in text.split()])


def main() -> None:
    torch.manual_seed(3)
    drawn = random.Random(3)
    pairs = [(text, NAMES.index(name)) for name, texts in REPORTS.items() for text in texts]
    bag, head = nn.EmbeddingBag(4096, 16), nn.Linear(16, len(NAMES))
    optimizer = torch.optim.AdamW([*bag.parameters(), *head.parameters()], lr=3e-3)
    for epoch in range(1, 31):
        total = 0.0
        drawn.shuffle(pairs)
        for text, label in pairs * 8:
            loss = nn.functional.cross_entropy(head(bag(words(text)[None])), torch.tensor([label]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() / len(pairs) / 8
        print(f"epoch {epoch:2d}/30  loss {total:.4f}", flush=True)
        if epoch % 5 == 0:
            text, label = pairs[0]
            guess = head(bag(words(text)[None])).softmax(1)[0]
            print(
                f"  sample: {text}\n    filed under {NAMES[int(guess.argmax())]} ({guess.max():.2f}), truth {NAMES[label]}"
            )
    torch.save({"bag": bag.state_dict(), "head": head.state_dict()}, "triage.pt")
    print("30 epochs done, model kept in triage.pt")


if __name__ == "__main__":
    main()
