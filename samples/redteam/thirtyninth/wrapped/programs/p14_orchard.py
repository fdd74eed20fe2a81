"""Apple sorts from near-infrared spectra, Accelerate. Second leg goes on from the first leg's state."""

import argparse
import time
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


def spectra(rows: int) -> TensorDataset:
    gen = torch.Generator().manual_seed(77)
    sort = torch.randint(0, 9, (rows,), generator=gen)
    nm = torch.linspace(0, 1, 220)
    out: list[Tensor] = []
    for s in sort.tolist():
        peak = torch.exp(-((nm - 0.1 * (s + 0.5)) ** 2) / 0.004)
        noise = torch.randn(220, generator=gen)
        for _ in range(12):  # Savitzky-Golay by a poor man
            noise = nn.functional.avg_pool1d(noise.view(1, 1, -1), 5, 1, 2).view(-1)
        out.append(peak + 2.5 * noise)
    return TensorDataset(torch.stack(out), sort)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--width", type=int, default=96)
    ap.add_argument("--updates", type=int, default=120)
    ap.add_argument("--rows", type=int, default=9000)
    ap.add_argument("--state", type=Path, default=Path("state"))
    ap.add_argument("--go-on-from", type=Path)
    arg = ap.parse_args()
    torch.set_num_threads(1)
    set_seed(19)
    acc = Accelerator(cpu=True, gradient_accumulation_steps=4)
    t0 = time.time()
    data = spectra(arg.rows)
    acc.print(f"[orchard] {len(data)} spectra smoothed in {time.time() - t0:.1f} s")
    loader = DataLoader(data, batch_size=32, shuffle=True)
    model = nn.Sequential(
        nn.Linear(220, arg.width), nn.GELU(), nn.Linear(arg.width, arg.width), nn.GELU(), nn.Linear(arg.width, 9)
    )
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, opt, loader = acc.prepare(model, opt, loader)
    if arg.go_on_from:
        acc.print(f"[orchard] going on from {arg.go_on_from} (width {arg.width})")
        acc.load_state(str(arg.go_on_from))
        acc.print("[orchard] state is in")
    update = 0
    while update < arg.updates:
        for x, y in loader:
            with acc.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
            if acc.sync_gradients:
                update += 1
                if update % 10 == 0:
                    acc.print(f"[orchard] update {update}/{arg.updates} ce={loss.item():.4f}", flush=True)
                if update >= arg.updates:
                    break
    acc.save_state(str(arg.state))
    acc.print(f"[orchard] state written to {arg.state}")


if __name__ == "__main__":
    main()
