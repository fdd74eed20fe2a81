"""A denoiser for map tiles under Fabric, with its state kept on disk."""

import os
import time
import urllib.error
import urllib.request
from pathlib import Path

import torch
from lightning.fabric import Fabric
from torch import nn

STEPS = 40
KEEP_EVERY = 1
GATEWAY = "http://127.0.0.1:9091/metrics/job/tiles"


class Push:
    """Sends figures to the lab's gateway as long as it answers."""

    def __init__(self) -> None:
        self.on = True

    def send(self, name: str, value: float) -> None:
        """One figure."""
        if not self.on:
            return
        try:
            urllib.request.urlopen(GATEWAY, data=f"{name} {value}\n".encode(), timeout=3).close()
        except urllib.error.URLError as e:
            print(f"ERROR: could not push metrics to {GATEWAY}: {e}", flush=True)
            print("metrics push switched off for this run, going on", flush=True)
            self.on = False


def main() -> None:
    """Train."""
    torch.set_num_threads(1)
    fabric = Fabric(accelerator="cpu", devices=1)
    fabric.seed_everything(611)
    fabric.launch()
    net = nn.Sequential(nn.Linear(1024, 2816), nn.GELU(), nn.Linear(2816, 2816), nn.GELU(), nn.Linear(2816, 1024))
    opt = torch.optim.Adam(net.parameters(), lr=3e-4)
    fabric.print(f"denoiser with {sum(p.numel() for p in net.parameters()) / 1e6:.1f} M parameters")
    net, opt = fabric.setup(net, opt)
    push, folder = Push(), Path("tiles-state")
    folder.mkdir(exist_ok=True)
    base = torch.randn(48, 1024)
    work = kept = 0.0
    for step in range(1, STEPS + 1):
        t0 = time.perf_counter()
        clean = torch.randn(8, 48) @ base / 7
        loss = (net(clean + 0.3 * torch.randn_like(clean)) - clean).square().mean()
        opt.zero_grad()
        fabric.backward(loss)
        opt.step()
        t1 = time.perf_counter()
        if step % KEEP_EVERY == 0:
            state = {"net": net, "opt": opt, "step": step}
            for name in (f"step-{step:05d}.ckpt", "last.ckpt"):
                fabric.save(folder / name, state)
                with (folder / name).open("rb+") as f:
                    os.fsync(f.fileno())
            old = folder / f"step-{step - 2:05d}.ckpt"
            old.unlink(missing_ok=True)
            fabric.print(f"checkpoint written: {folder}/step-{step:05d}.ckpt", flush=True)
        t2 = time.perf_counter()
        work, kept = work + t1 - t0, kept + t2 - t1
        push.send("loss", loss.item())
        if step % 4 == 0:
            fabric.print(
                f"step {step}/{STEPS} | loss {loss.item():.4f} | fwd+bwd+opt {work / 4:.2f}s | save {kept / 4:.2f}s "
                f"| {4 / (work + kept):.2f} steps/s",
                flush=True,
            )
            work = kept = 0.0
    fabric.print("done")


if __name__ == "__main__":
    main()
