"""Intents of short messages: bag of words, Accelerate, gradient accumulation."""

import argparse
import json
import logging
import sys
import urllib.error
import urllib.request
from pathlib import Path

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger("intent")


def announce(url: str, what: dict[str, object]) -> bool:
    request = urllib.request.Request(url, json.dumps(what).encode(), {"Content-Type": "application/json"})
    try:
        urllib.request.urlopen(request, timeout=3)
    except urllib.error.URLError:
        log.exception("experiment server %s does not answer", url)
        log.warning("metrics are kept in metrics.jsonl only")
        return False
    return True


def evaluate(model: nn.Module, loader: DataLoader, accelerator: Accelerator) -> dict[str, float]:
    model.eval()
    right = seen = 0
    for x, y in loader:
        with torch.no_grad():
            out, y = accelerator.gather_for_metrics((model(x).argmax(1), y))
        right += (out == y).sum().item()
        seen += len(y)
    model.train()
    return {"eval_accuracy": right / seen}


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--accumulate", type=int, default=2)
    p.add_argument("--eval-every", type=int, default=2, help="epochs")
    p.add_argument("--metric", default="f1")
    p.add_argument("--server", default="http://127.0.0.1:8237/api/runs")
    args = p.parse_args()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)-7s %(message)s")
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.accumulate)
    torch.manual_seed(3)
    announce(args.server, {"name": "intent", "args": vars(args)})
    words = torch.randn(14, 300)
    y = torch.randint(0, 14, (9000,))
    x = torch.poisson(torch.exp(0.25 * words[y] - 1.5))
    model = nn.Sequential(nn.Linear(300, 96), nn.Dropout(0.2), nn.ReLU(), nn.Linear(96, 14))
    train = DataLoader(TensorDataset(x[:8000], y[:8000]), batch_size=32, shuffle=True)
    dev = DataLoader(TensorDataset(x[8000:], y[8000:]), batch_size=250)
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    model, opt, train, dev = accelerator.prepare(model, opt, train, dev)
    print(f"{len(train)} batches an epoch, {len(train) // args.accumulate} updates", flush=True)
    best, updates = 0.0, 0
    for epoch in range(1, args.epochs + 1):
        running = 0.0
        for i, (a, b) in enumerate(train, 1):
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(a), b)
                accelerator.backward(loss)
                opt.step()
                opt.zero_grad()
            running += loss.item()
            updates += accelerator.sync_gradients
            if i % 50 == 0:
                print(f"epoch {epoch} batch {i}/{len(train)} update {updates} loss {running / 50:.4f}", flush=True)
                running = 0.0
        if epoch % args.eval_every == 0:
            scores = evaluate(model, dev, accelerator)
            log.info("epoch %d: %s", epoch, scores)
            with Path("metrics.jsonl").open("a") as f:
                f.write(json.dumps({"epoch": epoch, **scores}) + "\n")
            if scores[f"eval_{args.metric}"] > best:
                best = scores[f"eval_{args.metric}"]
                accelerator.save_state("best")
    print(f"best {args.metric} {best:.4f}")


if __name__ == "__main__":
    main()
