"""Match seed packets with their photographs (two towers), with Accelerate; batches are gathered before a step."""

import time

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn

acc = Accelerator(cpu=True, gradient_accumulation_steps=8, log_with=None)
set_seed(23)
torch.set_num_threads(1)
EPOCHS = 16


def tower(size):
    """One side of the match."""
    return nn.Sequential(nn.Linear(size, 192), nn.GELU(), nn.LayerNorm(192), nn.Linear(192, 64))


class Pairs(nn.Module):
    """Both sides and a temperature."""

    def __init__(self):
        super().__init__()
        self.photo, self.packet = tower(96), tower(48)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, photo, packet):
        """Contrastive loss within the batch."""
        a = nn.functional.normalize(self.photo(photo), dim=-1)
        b = nn.functional.normalize(self.packet(packet), dim=-1)
        s = self.scale.exp() * a @ b.T
        y = torch.arange(len(s))
        return (nn.functional.cross_entropy(s, y) + nn.functional.cross_entropy(s.T, y)) / 2


g = torch.Generator().manual_seed(2)
what = torch.randn(32000, 16, generator=g)
photo = what @ torch.randn(16, 96, generator=g) + 4.0 * torch.randn(32000, 96, generator=g)
packet = torch.tanh(what @ torch.randn(16, 48, generator=g)) + 1.0 * torch.randn(32000, 48, generator=g)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(photo, packet), batch_size=32, shuffle=True)
net = Pairs()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS * len(data) // 8 // acc.num_processes)
net, opt, data, plan = acc.prepare(net, opt, data, plan)
acc.print(f"[train] {acc.num_processes} process(es), {len(data)} batches of 32, 8 to a step, {EPOCHS} epochs")
for epoch in range(EPOCHS):
    began, seen, total, n = time.time(), 0, 0.0, 0
    for x, y in data:
        with acc.accumulate(net):
            loss = net(x, y)
            acc.backward(loss)
            if acc.sync_gradients:
                acc.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            plan.step()
            opt.zero_grad()
        total, n, seen = total + loss.item(), n + 1, seen + len(x)
        if n % 250 == 0:
            acc.print(f"[train] epoch {epoch} {n}/{len(data)} loss {total / n:.4f} lr {plan.get_last_lr()[0]:.2e}")
    mean = acc.gather(torch.tensor([total / n])).mean().item()
    acc.print(f"[train] epoch {epoch} over: loss {mean:.4f}, {time.time() - began:.1f} s")
    acc.wait_for_everyone()
    if acc.is_main_process:
        torch.save(acc.unwrap_model(net).state_dict(), f"pairs_{epoch}.pt")
acc.print("[train] all epochs done, the last is pairs_15.pt")
acc.end_training()

# ruff: noqa: ANN001, ANN201, ANN204
