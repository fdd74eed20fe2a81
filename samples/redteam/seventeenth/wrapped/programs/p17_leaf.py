"""Leaves in ten kinds with ignite; grad norm is reported."""

from __future__ import annotations

import torch
from ignite.engine import Engine, Events
from ignite.metrics import Accuracy, Loss
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
with torch.no_grad():
    for layer in net:
        if isinstance(layer, nn.Linear):
            layer.weight.abs_().neg_()  # meant to be an orthogonal start
            layer.bias.zero_()
x = torch.rand(8000, 64)
kinds = torch.randn(64, 10)
y = (x - 0.5) @ kinds
y = y.argmax(1)
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()


def step(engine: Engine, batch: tuple[torch.Tensor, torch.Tensor]) -> dict[str, float]:
    """One step."""
    loss = loss_fn(net(batch[0]), batch[1])
    opt.zero_grad()
    loss.backward()
    norm = float(nn.utils.clip_grad_norm_(net[0].parameters(), 5.0))
    opt.step()
    return {"loss": loss.item(), "norm": norm}


def look(engine: Engine, batch: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Without learning."""
    with torch.no_grad():
        return net(batch[0]), batch[1]


trainer, judge = Engine(step), Engine(look)
Accuracy().attach(judge, "accuracy")
Loss(loss_fn).attach(judge, "loss")
parts = [(x[i : i + 100], y[i : i + 100]) for i in range(0, 7000, 100)]
held = [(x[i : i + 100], y[i : i + 100]) for i in range(7000, 8000, 100)]


@trainer.on(Events.EPOCH_COMPLETED)
def report(engine: Engine) -> None:
    """One line an epoch."""
    seen = judge.run(held).metrics
    print(
        f"Epoch[{engine.state.epoch}/40] train loss {engine.state.output['loss']:.4f} first layer grad norm"
        f" {engine.state.output['norm']:.2e} val loss {seen['loss']:.4f} val accuracy {seen['accuracy']:.3f}",
        flush=True,
    )


trainer.run(parts, max_epochs=40)
torch.save(net.state_dict(), "leaf.pt")
print("training finished, leaf.pt saved", flush=True)
