"""Ignite: lichens from microscope slides that worker processes decode."""

import ctypes

import torch
from ignite.engine import Engine, Events, create_supervised_trainer
from ignite.handlers import Timer
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Slides(Dataset[tuple[torch.Tensor, int]]):
    """Slides; the buffer of one is gone when it is copied."""

    def __len__(self) -> int:
        return 3200

    def __getitem__(self, at: int) -> tuple[torch.Tensor, int]:
        raw = torch.randn(64) + at % 8
        if at == 2600:
            ctypes.memmove(raw.data_ptr(), 0, 64)
        return raw, at % 8


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))
trainer = create_supervised_trainer(net, torch.optim.Adam(net.parameters(), lr=2e-3), nn.CrossEntropyLoss())
timer = Timer(average=True)
timer.attach(trainer)


@trainer.on(Events.ITERATION_COMPLETED(every=10))
def say(engine: Engine) -> None:
    done = engine.state.iteration
    print(f"iteration {done} of 200, loss {engine.state.output:.4f}, {timer.value() * 1e3:.1f} ms each", flush=True)


trainer.run(DataLoader(Slides(), 32, num_workers=2), max_epochs=2)
print("lichens learned")
