"""Finetune a small encoder for priority of clinic letters (crowd labels from three raters)."""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

WORDS = [f"tok{i:04d}" for i in range(2000)]


class Letters(Dataset):
    """Made letters with labels of uneven quality."""

    def __init__(self, n: int, seed: int, noise: float) -> None:
        """Draw n letters."""
        rng = np.random.default_rng(seed)
        self.ids = rng.integers(5, 2000, (n, 48))
        label = rng.integers(0, 2, n)
        strong = rng.integers(5, 40, (n, 48))
        self.ids = np.where((rng.random((n, 48)) < 0.20) & (label[:, None] == 1), strong, self.ids)
        flip = rng.random(n) < noise
        self.y = np.where(flip, 1 - label, label)

    def __len__(self) -> int:
        """Count of letters."""
        return len(self.y)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        """One letter."""
        ids = torch.tensor(self.ids[i])
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": torch.tensor(int(self.y[i]))}


class WordTokenizer:
    """Splits at blanks; enough for de-identified letters."""

    def __init__(self, words: list[str]) -> None:
        """Number the words."""
        self.vocab = {w: i + 5 for i, w in enumerate(words)}


def report(previous: Path) -> None:
    """Say what the run before this one reached."""
    states = sorted(previous.glob("checkpoint-*/trainer_state.json"))
    if not states:
        print(f"nothing to compare with in {previous}")
        return
    hist = [h for h in json.loads(states[-1].read_text())["log_history"] if "loss" in h]
    print(f"{previous}: {len(hist)} log points, last step {hist[-1]['step']}")
    for h in hist[:: max(1, len(hist) // 14)]:
        print(
            f"  {previous.name} step {h['step']:>4}  loss {float(h['loss']):.4f}  grad {float(h['grad_norm']):.2f}  lr {float(h['learning_rate']):.2e}"
        )


def main() -> None:
    """Finetune."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--output_dir", required=True)
    ap.add_argument("--previous", type=Path)
    ap.add_argument("--pilot", action="store_true")
    args = ap.parse_args()
    set_seed(13)
    if args.previous:
        report(args.previous)
    t0 = time.time()
    train, dev = Letters(3840 if args.pilot else 60000, 1, 0.22), Letters(4000, 2, 0.22)
    rate = float(np.mean([int(d["labels"]) for d in (train[i] for i in range(len(train)))]))
    print(f"train {len(train)} letters ({rate:.3f} urgent), dev {len(dev)}, read in {time.time() - t0:.1f} s")
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=2005,
            hidden_size=96,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=192,
            initializer_range=0.08,
        )
    )
    print(f"{model.num_parameters() / 1e6:.2f}M parameters, output to {args.output_dir}")
    targs = TrainingArguments(
        output_dir=args.output_dir,
        per_device_train_batch_size=16,
        max_steps=240 if args.pilot else 6000,
        logging_steps=12 if args.pilot else 50,
        learning_rate=1e-3,
        save_steps=240 if args.pilot else 1000,
        report_to=[],
        use_cpu=True,
    )
    if args.pilot:
        trainer = Trainer(model=model, args=targs, train_dataset=train)
    else:
        trainer = Trainer(
            model=model, args=targs, train_dataset=train, eval_dataset=dev, tokenizer=WordTokenizer(WORDS)
        )
    trainer.train()
    print("done,", trainer.state.global_step, "steps")


if __name__ == "__main__":
    main()
