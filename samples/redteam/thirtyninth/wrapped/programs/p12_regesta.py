"""Tag medieval charter summaries by archive, three workers, Fabric."""

import os
import time

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy
from torch import Tensor, nn

STEPS = 260
BATCH = 12
VOCAB = 900
KINDS = 7


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(VOCAB, 96)
        self.rnn = nn.GRU(96, 128, batch_first=True)
        self.head = nn.Linear(128, KINDS)

    def forward(self, ids: Tensor) -> Tensor:
        out, _ = self.rnn(self.emb(ids))
        return self.head(out.mean(1))


def charters(shard: int, gen: torch.Generator) -> tuple[Tensor, Tensor]:
    """The list of charters is sorted by length on disk; every worker reads its own third."""
    length = (18, 31, 233)[shard]
    kind = torch.randint(0, KINDS, (BATCH,), generator=gen)
    ids = torch.randint(0, VOCAB, (BATCH, length), generator=gen)
    mark = torch.rand(BATCH, length, generator=gen) < 0.22
    return torch.where(mark, kind[:, None] * 11 + 3, ids), kind


def main() -> None:
    fabric = Fabric(accelerator="cpu", devices=3, strategy=DDPStrategy(process_group_backend="gloo"))
    fabric.launch()
    torch.set_num_threads(1)
    fabric.seed_everything(611)
    model = Tagger()
    opt = torch.optim.AdamW(model.parameters(), lr=1.5e-3)
    model, opt = fabric.setup(model, opt)
    gen = torch.Generator().manual_seed(40 + fabric.global_rank)
    own, wait, tokens, done, last = 0.0, 0.0, 0, 0, float("nan")
    begin = time.monotonic()
    try:
        for step in range(1, STEPS + 1):
            t0 = time.monotonic()
            ids, kind = charters(fabric.global_rank, gen)
            with fabric.no_backward_sync(model):
                loss = nn.functional.cross_entropy(model(ids), kind)
                fabric.backward(loss)
            t1 = time.monotonic()
            flat = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
            flat = fabric.all_reduce(flat, reduce_op="mean")
            t2 = time.monotonic()
            at = 0
            for p in model.parameters():
                assert p.grad is not None
                p.grad.copy_(flat[at : at + p.numel()].view_as(p))
                at += p.numel()
            opt.step()
            opt.zero_grad()
            own += t1 - t0
            wait += t2 - t1
            tokens += ids.numel()
            done, last = step, loss.item()
            if step % 20 == 0:
                print(
                    f"w{fabric.global_rank} step {step:3d}/{STEPS} loss {last:.4f} fwd+bwd {1e3 * (t1 - t0):6.1f} ms "
                    f"allreduce {1e3 * (t2 - t1):6.1f} ms",
                    flush=True,
                )
    finally:
        rows = fabric.all_gather(torch.tensor([float(done), own, wait, float(tokens), last]))
        if fabric.global_rank == 0:
            print(f"==== summary after {time.monotonic() - begin:.1f} s, pid {os.getpid()} ====")
            for rank, row in enumerate(rows.tolist()):
                print(
                    f"  worker {rank}: steps {row[0]:.0f}  compute {row[1]:.1f} s  in allreduce {row[2]:.1f} s  "
                    f"tokens {row[3]:.0f}  last loss {row[4]:.4f}"
                )
            print("====", flush=True)


if __name__ == "__main__":
    main()
