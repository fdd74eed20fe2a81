"""BPR matrix factorisation for the lending library; structured events, one JSON object a line."""

import json
import sys
import time
from datetime import UTC, datetime
from typing import Any

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(515)
rng = np.random.default_rng(515)


class Log:
    """The part of structlog that we use: bound values and a JSON renderer."""

    def __init__(self, **bound: Any) -> None:
        self.bound = bound

    def bind(self, **more: Any) -> "Log":
        """A logger with more values bound."""
        return Log(**self.bound, **more)

    def emit(self, level: str, event: str, **kw: Any) -> None:
        """Print one event."""
        when = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        print(
            json.dumps(
                {**self.bound, **kw, "event": event, "level": level, "logger": "bookmoth.train", "timestamp": when}
            ),
            flush=True,
        )

    def info(self, event: str, **kw: Any) -> None:
        """An event of level info."""
        self.emit("info", event, **kw)


log = Log(run="bm-2231")
U, NI, K, PER, EPOCHS, BATCH = 9000, 1850, 64, 34, 36, 1024
taste, genre = rng.normal(size=(U, 6)), rng.normal(size=(NI, 6))
pop = rng.normal(size=NI) * 0.7
score = taste @ genre.T * 1.5 + pop + rng.gumbel(size=(U, NI))
liked = np.argsort(-score, axis=1)[:, :PER]
liked = rng.permuted(liked, axis=1)
train, held = liked[:, :-4], liked[:, -4:]
pairs = torch.tensor(np.stack([np.repeat(np.arange(U), PER - 4), train.reshape(-1)], 1))
log.info("dataset_loaded", readers=U, titles=NI, loans=len(pairs), heldout=held.size, seed=515)
users, items, bias = nn.Embedding(U, K), nn.Embedding(NI, K), nn.Embedding(NI, 1)
for e in (users, items):
    nn.init.normal_(e.weight, std=0.05)
nn.init.zeros_(bias.weight)
params = [*users.parameters(), *items.parameters(), *bias.parameters()]
opt = torch.optim.Adam(params, lr=4e-3)
log.info("model_built", dim=K, parameters=sum(p.numel() for p in params), optimizer="Adam", lr=4e-3, device="cpu")


def recall(k: int = 20) -> float:
    """Share of held-out loans among the best k titles not lent in training."""
    with torch.no_grad():
        s = users.weight @ items.weight.T + bias.weight.T
        s[torch.arange(U)[:, None], torch.tensor(train)] = -1e9
        top = s.topk(k, dim=1).indices.numpy()
    return float(np.mean([(np.isin(h, t)).mean() for h, t in zip(held, top, strict=True)]))


best = 0.0
log.info("training_started", epochs=EPOCHS, batch_size=BATCH, recall_at_20=round(recall(), 4))
begin = time.time()
for ep in range(1, EPOCHS + 1):
    elog, t0, total, n = log.bind(epoch=ep), time.time(), 0.0, 0
    for idx in torch.randperm(len(pairs)).split(BATCH):
        u, i = pairs[idx].T
        j = torch.randint(NI, (len(idx),))
        uu = users(u)
        x = (uu * (items(i) - items(j))).sum(1) + (bias(i) - bias(j))[:, 0]
        reg = 2e-3 * (uu.pow(2).sum(1) + items(i).pow(2).sum(1) + items(j).pow(2).sum(1)).mean()
        loss = nn.functional.softplus(-x).mean() + reg
        opt.zero_grad()
        loss.backward()
        gn = nn.utils.clip_grad_norm_(params, 5.0)
        opt.step()
        total, n = total + loss.item() * len(idx), n + len(idx)
    r = recall()
    elog.info(
        "epoch_finished",
        bpr_loss=round(total / n, 5),
        grad_norm=round(float(gn), 4),
        recall_at_20=round(r, 4),
        triples_per_s=int(n / (time.time() - t0)),
        seconds=round(time.time() - t0, 2),
    )
    if r > best:
        best = r
        torch.save({"users": users.state_dict(), "items": items.state_dict(), "bias": bias.state_dict()}, "best.pt")
        elog.info("checkpoint_written", path="best.pt", recall_at_20=round(r, 4))
log.info("training_finished", epochs=EPOCHS, best_recall_at_20=round(best, 4), seconds=round(time.time() - begin, 1))
log.info("index_exported", path="titles.npy", rows=NI)
np.save("titles.npy", items.weight.detach().numpy())
sys.exit(0)
