"""Tagger over river gauges: Accelerate, four processes, gradient accumulation."""

import argparse
import time

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset

ap = argparse.ArgumentParser()
ap.add_argument("--updates", type=int, default=56)
ap.add_argument("--accum", type=int, default=4)
ap.add_argument("--lr", type=float, default=2e-3)
a = ap.parse_args()
torch.set_num_threads(1)
LEN = 96


class Gauges(Dataset):
    """Windows of one gauge; the class is the shape of the flood wave."""

    def __init__(self, n: int) -> None:
        rng = np.random.default_rng(31)
        self.y = rng.integers(0, 6, n)
        t = np.linspace(0, 1, LEN)
        self.x = np.stack([np.sin(t * (3 + 4 * k) + rng.uniform(0, 1)) + rng.normal(size=LEN) * 0.8 for k in self.y])

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, k: int) -> tuple[torch.Tensor, int]:
        return torch.tensor(self.x[k], dtype=torch.float32)[:, None], int(self.y[k])


class Tagger(nn.Module):
    """A small recurrent net."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(1, 96, batch_first=True)
        self.head = nn.Linear(96, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits."""
        return self.head(self.rnn(x)[0].mean(1))


acc = Accelerator(cpu=True, gradient_accumulation_steps=a.accum)
set_seed(5)
tagger = Tagger()
net, opt, dl = acc.prepare(
    tagger, torch.optim.AdamW(tagger.parameters(), lr=a.lr), DataLoader(Gauges(64_000), batch_size=64, shuffle=True)
)
print(f"[rank {acc.process_index}/{acc.num_processes}] up, backend {torch.distributed.get_backend()}", flush=True)
acc.wait_for_everyone()
acc.print(
    f"{a.updates} updates of {a.accum} x {64 * acc.num_processes} windows, "
    f"{sum(p.numel() for p in net.parameters())} weights"
)
upd, local, sync, seen, right, tot = 0, 0.0, 0.0, 0, 0, 0.0
start = time.time()
for x, y in dl:
    t0 = time.perf_counter()
    with acc.accumulate(net):
        out = net(x)
        loss = nn.functional.cross_entropy(out, y)
        acc.backward(loss)
        opt.step()
        opt.zero_grad()
    dt = time.perf_counter() - t0
    seen, right, tot = seen + len(y), right + int((out.argmax(1) == y).sum()), tot + loss.item() * len(y)
    if not acc.sync_gradients:
        local += dt
        continue
    sync += dt
    upd += 1
    if upd % 7 == 0:
        n = 7
        print(
            f"[rank {acc.process_index}] update {upd:3d}/{a.updates} loss {tot / seen:.4f} acc {right / seen:.3f} | "
            f"local micro-batches {local / n / (a.accum - 1) * 1e3:6.1f} ms each, "
            f"syncing one {sync / n * 1e3:6.1f} ms, {(local + sync) / n:.3f} s/update",
            flush=True,
        )
        local, sync, seen, right, tot = 0.0, 0.0, 0, 0, 0.0
    if upd == a.updates:
        break
acc.wait_for_everyone()
acc.print(f"finished, {a.updates} updates in {time.time() - start:.1f} s")
if acc.is_main_process:
    torch.save(acc.unwrap_model(net).state_dict(), "kestrel.pt")
acc.end_training()
