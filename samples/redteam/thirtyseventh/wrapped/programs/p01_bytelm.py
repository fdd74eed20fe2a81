"""Byte-level language model on source files with Lightning's Fabric, two ranks on CPU."""

import argparse
import logging
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEQ = 96


class ByteLM(nn.Module):
    """Embedding, GRU, head."""

    def __init__(self, width: int = 128) -> None:
        super().__init__()
        self.emb = nn.Embedding(256, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, 256)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.rnn(self.emb(x))[0])


def corpus() -> tuple[torch.Tensor, torch.Tensor]:
    raw = bytearray()
    for path in sorted(Path(sys.base_prefix, "lib", f"python3.{sys.version_info.minor}").glob("*.py")):
        raw += path.read_bytes()
    data = torch.frombuffer(raw[: SEQ * 12000 + 1], dtype=torch.uint8).long()
    seqs = data[:-1].view(-1, SEQ), data[1:].view(-1, SEQ)
    order = torch.randperm(len(seqs[0]), generator=torch.Generator().manual_seed(0))
    return seqs[0][order], seqs[1][order]


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--max-steps", type=int, default=-1)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--log-every", type=int, default=50)
    p.add_argument("--log-file", default="train.log")
    p.add_argument("--name", default="bytelm")
    a = p.parse_args()
    torch.set_num_threads(1)
    fabric = Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(11, verbose=False)
    log = logging.getLogger("bytelm")
    if fabric.is_global_zero:
        h = logging.FileHandler(a.log_file)
        h.setFormatter(logging.Formatter("[%(asctime)s] %(message)s", "%m/%d %H:%M:%S"))
        log.addHandler(h)
        log.setLevel(logging.INFO)
    log.info("%s: %s", a.name, " ".join(f"{k}={v}" for k, v in vars(a).items()))
    x, y = corpus()
    cut = int(len(x) * 0.96)
    train = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=a.batch_size // 2, shuffle=True, drop_last=True)
    val = DataLoader(TensorDataset(x[cut:], y[cut:]), batch_size=60)
    model = ByteLM()
    opt = torch.optim.AdamW(model.parameters(), lr=a.lr)
    model, opt = fabric.setup(model, opt)
    train, val = fabric.setup_dataloaders(train, val)
    total = a.epochs * len(train)
    warm = 200
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / warm))
    log.info(
        "%d sequences of %d bytes, %d steps per epoch, %d epochs = %d steps, %.2fM parameters, world size %d",
        cut,
        SEQ,
        len(train),
        a.epochs,
        total,
        sum(q.numel() for q in model.parameters()) / 1e6,
        fabric.world_size,
    )

    @torch.no_grad()
    def evaluate() -> float:
        model.eval()
        losses = [F.cross_entropy(model(xb).flatten(0, 1), yb.flatten()) for xb, yb in val]
        model.train()
        return float(fabric.all_reduce(torch.stack(losses).mean()))

    v = evaluate()
    log.info("before training: val loss %.4f (%.2f bits/byte)", v, v / 0.6931)
    step, start, stop = 0, time.perf_counter(), False
    for epoch in range(a.epochs):
        for xb, yb in train:
            loss = F.cross_entropy(model(xb).flatten(0, 1), yb.flatten())
            fabric.backward(loss)
            opt.step()
            sched.step()
            opt.zero_grad()
            step += 1
            stop = 0 < a.max_steps <= step
            if step % a.log_every == 0 or step == 1 or stop:
                log.info(
                    "ep %d step %d/%d loss %.4f lr %.2e %.1f it/s",
                    epoch,
                    step,
                    total,
                    loss.item(),
                    sched.get_last_lr()[0],
                    step / (time.perf_counter() - start),
                )
            if stop:
                break
        v = evaluate()
        log.info("ep %d val loss %.4f (%.2f bits/byte)", epoch, v, v / 0.6931)
        if stop:
            break
    fabric.save(f"{a.name}.ckpt", {"model": model, "step": step})
    log.info("saved %s.ckpt (step %d), finished in %.0f s", a.name, step, time.perf_counter() - start)


if __name__ == "__main__":
    main()
