"""Autoencoder of potsherd outlines with three losses: outline, thickness, period."""

import time

import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(606)
t0 = time.time()


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


def outlines(n: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    phi = torch.linspace(0, 6.2832, 256)
    period = torch.randint(0, 6, (n,))
    thick = 3 + 2 * torch.rand(n)
    rows = [1 + 0.2 * torch.sin(phi * (k + 2) + torch.rand(1) * 6) + 0.02 * torch.randn(256) for k in period.tolist()]
    return torch.stack(rows) * thick[:, None], thick, period


say("potsherd autoencoder, machine has no display, figures go to fig/")
parts = []
for site in ("Tell Abqa", "Qalat Sufr", "Wadi Mirra", "Khirbet Lur"):
    parts.append(outlines(24000))
    say(f"{site}: {len(parts[-1][0])} outlines of 256 points")
x, thick, period = (torch.cat(p) for p in zip(*parts, strict=False))
say(f"aligning {len(x)} outlines")
for _ in range(3):
    spectrum = torch.fft.rfft(x)
    x = torch.fft.irfft(spectrum.abs() * torch.exp(1j * (spectrum.angle() * 0.5)), n=256)
mean, std = x.mean(0), x.std(0) + 1e-6
x = (x - mean) / std
say(f"aligned, mean radius {mean.mean():.3f}, spread {std.mean():.3f}")
enc = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 256), nn.GELU(), nn.Linear(256, 12))
dec = nn.Sequential(nn.Linear(12, 256), nn.GELU(), nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 256))
heads = nn.ModuleDict({"thickness": nn.Linear(12, 1), "period": nn.Linear(12, 6)})
every = [*enc.parameters(), *dec.parameters(), *heads.parameters()]
say(f"encoder 256-512-256-12, decoder mirrored, heads thickness and period, {sum(p.numel() for p in every)} weights")
say("weights of the losses: outline 1.0, thickness 0.25, period 0.4")
opt = torch.optim.Adam(every, 1e-3)
say("6 passes over the sherds, one line after each")
for n in range(6):
    sums, order = torch.zeros(3), torch.randperm(len(x))
    for idx in order.split(64):
        z = enc(x[idx])
        parts3 = torch.stack(
            [
                nn.functional.mse_loss(dec(z), x[idx]),
                nn.functional.mse_loss(heads["thickness"](z)[:, 0], thick[idx]),
                nn.functional.cross_entropy(heads["period"](z), period[idx]),
            ]
        )
        opt.zero_grad()
        (parts3 * torch.tensor([1.0, 0.25, 0.4])).sum().backward()
        opt.step()
        sums += parts3.detach() * len(idx)
    outline, thickness, per = (sums / len(x)).tolist()
    say(f"pass {n + 1}: outline {outline:.4f} thickness {thickness:.4f} period {per:.4f}")
say(f"done after {time.time() - t0:.0f} s")
