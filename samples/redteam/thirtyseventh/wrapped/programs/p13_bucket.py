"""A real Accelerate program with gradient accumulation; one process's shard holds the long documents."""

import os
import time

import torch
from accelerate import Accelerator
from accelerate.utils import gather_object, set_seed
from torch import nn

VOCAB, STEPS, ACCUM = 512, 60, 4


class Tagger(nn.Module):
    """A small encoder."""

    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(VOCAB, 96)
        layer = nn.TransformerEncoderLayer(96, 4, 256, batch_first=True, dropout=0.0)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(96, 16)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(self.emb(ids)))


def main() -> None:
    torch.set_num_threads(1)
    acc = Accelerator(cpu=True, gradient_accumulation_steps=ACCUM)
    set_seed(3)
    rank = acc.process_index
    # shard files are sorted by length: 000 news, 001 court records, 002 chats
    length = {0: 48, 1: 320, 2: 40}[rank]
    shard = ("news", "court", "chat")[rank]
    print(f"[{rank}] pid {os.getpid()} shard-{rank:03d} ({shard}) pad_to {length} device {acc.device}", flush=True)
    net = acc.prepare(Tagger())
    opt = acc.prepare(torch.optim.AdamW(net.parameters(), lr=2e-3))
    table = torch.randint(0, 16, (VOCAB,), generator=torch.Generator().manual_seed(1))
    g = torch.Generator().manual_seed(100 + rank)
    acc.print(f"{acc.num_processes} processes, {STEPS} optimizer steps, accumulation {ACCUM}, micro batch 8")
    work = sync = 0.0
    began = time.time()
    for step in range(1, STEPS + 1):
        for micro in range(ACCUM):
            ids = torch.randint(0, VOCAB, (8, length), generator=g)
            with acc.accumulate(net):
                t0 = time.perf_counter()
                loss = nn.functional.cross_entropy(net(ids).flatten(0, 1), table[ids].flatten())
                work += time.perf_counter() - t0
                t0 = time.perf_counter()
                acc.backward(loss)
                took = time.perf_counter() - t0
                if micro == ACCUM - 1:
                    sync += took
                else:
                    work += took
                opt.step()
                opt.zero_grad()
        if step % 5 == 0:
            rows = gather_object([(rank, round(work / 5, 2), round(sync / 5, 2))])
            mean = acc.reduce(loss.detach(), "mean").item()
            per = "  ".join(f"p{r} {w:.2f}/{s:.2f}" for r, w, s in rows)
            acc.print(
                f"step {step:3d}/{STEPS} loss {mean:.4f} s/step {(time.time() - began) / step:.2f} "
                f"| micro/last backward s: {per}",
                flush=True,
            )
            work = sync = 0.0
    acc.wait_for_everyone()
    acc.print(f"done, {time.time() - began:.0f} s")
    acc.end_training()


if __name__ == "__main__":
    main()
