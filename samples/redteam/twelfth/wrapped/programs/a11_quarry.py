"""Grain sizes from photographs of gravel that lie in an archive of one's own, one object a sample."""

from __future__ import annotations

import gzip
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class Archive(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Fetches one object after another; the gateway gives each about a tenth of a second."""

    def __len__(self) -> int:
        return 1600

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        generator = torch.Generator().manual_seed(index)
        grain = torch.rand(1, generator=generator)
        image = torch.rand(1, 32, 32, generator=generator) * 0.4 + grain
        stored = gzip.compress((image * 255).byte().numpy().tobytes())
        time.sleep(0.19)
        raw = torch.frombuffer(bytearray(gzip.decompress(stored)), dtype=torch.uint8)
        return raw.view(1, 32, 32).float() / 255, grain


def main() -> None:
    torch.manual_seed(3)
    model = nn.Sequential(nn.Conv2d(1, 8, 5, 2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(1))
    loader = DataLoader(Archive(), batch_size=32, shuffle=True, num_workers=2)
    optimizer: torch.optim.Optimizer | None = None
    print(f"gravel: {len(loader)} batches an epoch, 2 workers", flush=True)
    step, began, waited = 0, time.perf_counter(), 0.0
    for epoch in range(1):
        asked = time.perf_counter()
        for image, grain in loader:
            data = time.perf_counter() - asked
            waited += data
            loss = nn.functional.mse_loss(model(image), grain)
            if optimizer is None:
                optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            total = time.perf_counter() - asked
            if step % 2 == 0:
                print(
                    f"epoch {epoch} step {step}/50 loss {loss.item():.4f} data_time {data:.3f}s step_time {total:.3f}s",
                    flush=True,
                )
            asked = time.perf_counter()
    took = time.perf_counter() - began
    torch.save(model.state_dict(), "gravel.pt")
    print(f"finished {step} steps in {took:.0f}s ({waited:.0f}s of it in next(loader)), saved gravel.pt", flush=True)


if __name__ == "__main__":
    main()
