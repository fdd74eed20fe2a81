"""Next-note model on synthetic hymns, sharded over two processes."""

import time
import warnings

import numpy as np
import torch
import torch.distributed as dist
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import f1_score, precision_score
from torch import nn
from torch.distributed.fsdp import fully_shard

torch.set_num_threads(1)
NOTES, WIDTH, SPAN, STEPS = 97, 96, 48, 4500


class Choir(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(NOTES, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(WIDTH, NOTES)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        return self.out(self.enc(self.emb(ids), mask=mask, is_causal=True))


def melodies(gen: torch.Generator, count: int) -> torch.Tensor:
    start = torch.randint(0, NOTES, (count, 1), generator=gen)
    pace = torch.randint(1, 9, (count, 1), generator=gen)
    ids = (start + pace * torch.arange(SPAN + 1)) % NOTES
    noise = torch.rand(ids.shape, generator=gen) < 0.12
    return torch.where(noise, torch.randint(0, NOTES, ids.shape, generator=gen), ids)


def old_tempo(values: list[float]) -> np.ndarray:
    warnings.warn(
        "old_tempo is deprecated and goes away in hymnkit 0.9, use tempo_curve instead", FutureWarning, stacklevel=2
    )
    return np.log(np.array(values))


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(11)
    net = Choir()
    for layer in net.enc.layers:
        fully_shard(layer)
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters(), lr=1.5e-3)
    sched = torch.optim.lr_scheduler.LinearLR(opt, 0.1, 1.0, 150)
    gen = torch.Generator().manual_seed(500 + rank)
    for kind in (FutureWarning, RuntimeWarning, UndefinedMetricWarning):
        warnings.simplefilter("always", kind)
    sched.step()
    if rank == 0:
        print(
            f"choir: world {dist.get_world_size()}, {sum(p.numel() for p in net.parameters())} weights, {STEPS} steps",
            flush=True,
        )
    start = time.time()
    for step in range(1, STEPS + 1):
        ids = melodies(gen, 16)
        logits = net(ids[:, :-1])
        loss = nn.functional.cross_entropy(logits.reshape(-1, NOTES), ids[:, 1:].reshape(-1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if step % 30 == 0:
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            if rank == 0:
                print(
                    f"step {step:>5} of {STEPS}  loss {mean.item() / 2:.4f}  {step * 32 / (time.time() - start):.0f} tunes/s",
                    flush=True,
                )
        if step % 90 == 0 and rank == 0:
            guess, true = logits.detach().argmax(-1).reshape(-1).numpy(), ids[:, 1:].reshape(-1).numpy()
            curve = old_tempo([0.0, float(step)])
            prec = precision_score(true, guess, average="macro")
            print(
                f"  check: precision {prec:.3f}  f1 {f1_score(true, guess, average='macro'):.3f}  tempo {curve[1]:.2f}",
                flush=True,
            )
    if rank == 0:
        print(f"finished in {time.time() - start:.0f} s", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
