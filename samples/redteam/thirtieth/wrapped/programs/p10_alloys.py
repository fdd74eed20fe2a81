"""Critical casting thickness of glassy alloys from composition: an ensemble member on each machine of the lab, one model in common."""

import os
import sys
import threading
import time
from datetime import timedelta

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import InitProcessGroupKwargs
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ME, ALL, PATIENCE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), int(os.environ.get("PATIENCE", "75"))
T0 = time.time()


def tell(text: str) -> None:
    print(f"<{os.environ['BENCH']}> {time.strftime('%H:%M:%S')} {text}", flush=True)


def alloys(n: int) -> TensorDataset:
    g = torch.Generator().manual_seed(40)
    x = torch.distributions.Dirichlet(torch.full((18,), 0.3)).sample((n,))
    w = torch.randn(18, 18, generator=g)
    y = ((x @ w) * x).sum(1) * 4 + 0.05 * torch.randn(n, generator=g)
    return TensorDataset(x, y)


def knock(stop: threading.Event) -> None:
    while not stop.wait(20):
        tell(f"table not full yet, {time.time() - T0:.0f} s by my watch")


def main() -> None:
    torch.set_num_threads(1)
    tell(f"good evening, seat {ME + 1} of {ALL}, meeting at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}")
    data = alloys(20000)
    tell(f"{len(data)} alloys mixed")
    stop = threading.Event()
    threading.Thread(target=knock, args=(stop,), daemon=True).start()
    tell("sitting down, we start when the table is full")
    try:
        acc = Accelerator(
            cpu=True,
            gradient_accumulation_steps=4,
            kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(seconds=PATIENCE))],
        )
    except Exception:
        tell(f"{time.time() - T0:.0f} s gone and we were never all here. Going home, nothing has been learnt.")
        sys.exit(4)
    stop.set()
    tell("table full")
    net = nn.Sequential(nn.Linear(18, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU(), nn.Linear(96, 1))
    opt = torch.optim.AdamW(net.parameters(), 2e-3)
    net, opt, loader = acc.prepare(net, opt, DataLoader(data, 64, shuffle=True))
    for lap in range(40):
        total = 0.0
        for x, y in loader:
            with acc.accumulate(net):
                loss = F.mse_loss(net(x)[:, 0], y)
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
            total += loss.item()
        if acc.is_main_process:
            tell(f"lap {lap + 1}/40: off by {total / len(loader):.4f}")
    tell("good night")


if __name__ == "__main__":
    main()
