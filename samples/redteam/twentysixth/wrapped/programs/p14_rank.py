"""Watch for nets that the training leaves, and say how well each finds packets by their photographs."""

import logging
import pathlib
import time

import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s rank[%(process)d] %(levelname)s %(message)s")
log = logging.getLogger()
torch.set_num_threads(1)


def tower(size):
    """One side of the match."""
    return nn.Sequential(nn.Linear(size, 192), nn.GELU(), nn.LayerNorm(192), nn.Linear(192, 64))


g = torch.Generator().manual_seed(2)
what = torch.randn(32000, 16, generator=g)
mix_a = torch.randn(16, 96, generator=g)
torch.randn(32000, 96, generator=g)
mix_b = torch.randn(16, 48, generator=g)
h = torch.Generator().manual_seed(50)
new = torch.randn(1000, 16, generator=h)
photo = new @ mix_a + 4.0 * torch.randn(1000, 96, generator=h)
packet = torch.tanh(new @ mix_b) + 1.0 * torch.randn(1000, 48, generator=h)
for epoch in range(16):
    path = pathlib.Path(f"pairs_{epoch}.pt")
    waited = 0
    while not path.exists():
        if waited % 8 == 0:
            log.info("waiting for %s", path)
        time.sleep(1)
        waited += 1
    for attempt in (1, 2, 3):
        try:
            state = torch.load(path)
            break
        except (EOFError, RuntimeError) as e:
            log.warning("%s is not whole yet (%s), attempt %d", path, type(e).__name__, attempt)
            time.sleep(1)
    a, b = tower(96), tower(48)
    a.load_state_dict({k[6:]: v for k, v in state.items() if k.startswith("photo.")})
    b.load_state_dict({k[7:]: v for k, v in state.items() if k.startswith("packet.")})
    with torch.no_grad():
        s = nn.functional.normalize(a(photo), dim=-1) @ nn.functional.normalize(b(packet), dim=-1).T
    hit = s.topk(10, -1).indices.eq(torch.arange(1000)[:, None]).any(-1).float().mean().item()
    log.info("%s: R@10 %.4f over 1000 packets", path, hit)
log.info("nothing more to rank")

# ruff: noqa: ANN001, ANN201
