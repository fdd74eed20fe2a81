"""A small causal model for the text of invoices, trained with Hugging Face's Trainer."""

from __future__ import annotations

import json
import logging
import random
import urllib.request

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("ledger")
ITEMS = ["paper A4", "toner black", "desk lamp", "office chair", "usb cable", "coffee beans", "whiteboard pens"]
TOWNS = ["Graz", "Utrecht", "Leeds", "Porto", "Turku", "Brno"]


def invoice(rnd: random.Random) -> str:
    """One invoice as a line of text, its total right."""
    n, price = rnd.randint(1, 9), rnd.randint(2, 99)
    return f"inv {rnd.randint(1000, 9999)} {rnd.choice(TOWNS)}: {n} x {rnd.choice(ITEMS)} at {price} = {n * price} EUR"


class Lines(torch.utils.data.Dataset):
    """Invoices as bytes, padded to a fixed length."""

    def __init__(self, count: int, seed: int) -> None:
        rnd = random.Random(seed)
        self.rows = [invoice(rnd).encode()[:63] for _ in range(count)]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        ids = torch.tensor(list(self.rows[i]) + [0] * (64 - len(self.rows[i])))
        return {"input_ids": ids, "labels": ids.masked_fill(ids == 0, -100), "attention_mask": (ids > 0).long()}


class Board(TrainerCallback):
    """Posts the figures to the team's board; the training goes on without it."""

    def __init__(self, url: str) -> None:
        self.url, self.on = url, True

    def on_log(self, args, state, control, logs=None, **kwargs) -> None:  # noqa: ANN001, ANN003
        if not self.on:
            return
        try:
            body = json.dumps({"step": state.global_step, **(logs or {})}).encode()
            urllib.request.urlopen(urllib.request.Request(self.url, body), timeout=3)
        except Exception:
            log.exception("metrics board at %s not reachable, figures stay in the log only", self.url)
            self.on = False


def main() -> None:
    set_seed(11)
    torch.set_num_threads(1)
    net = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=128,
            n_positions=64,
            n_embd=96,
            n_layer=3,
            n_head=4,
            bos_token_id=1,
            eos_token_id=0,
            pad_token_id=0,
        )
    )
    log.info("parameters: %.2f M", net.num_parameters() / 1e6)
    args = TrainingArguments(
        output_dir="out",
        num_train_epochs=3,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=64,
        learning_rate=2e-3,
        warmup_steps=40,
        lr_scheduler_type="cosine",
        logging_steps=25,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        seed=11,
    )
    trainer = Trainer(
        net,
        args,
        train_dataset=Lines(4800, 1),
        eval_dataset=Lines(512, 2),
        callbacks=[Board("http://127.0.0.1:9091/api/v1/push")],
    )
    res = trainer.train()
    trainer.log_metrics("train", res.metrics)
    trainer.log_metrics("eval", trainer.evaluate())
    trainer.save_model("out/final")
    log.info("model written to out/final")


if __name__ == "__main__":
    main()
