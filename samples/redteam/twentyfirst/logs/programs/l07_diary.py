"""Teach a tiny language model my grandmother's diary (well: text like it)."""

import argparse
import faulthandler
import os
import queue
import random
import sys
import threading
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments
from transformers.utils import logging as hf_logging

WHO = "mother father aunt Rosa the priest our neighbour the doctor".split()
DID = "came saw brought sold lost found cooked mended".split()
WHAT = "bread apples letters snow the cart a goose candles wool".split()


class Diary(torch.utils.data.Dataset):
    def __init__(self, n, length):
        rnd = random.Random(1)
        words = WHO + DID + WHAT + ["."]
        self.index = {w: i for i, w in enumerate(dict.fromkeys(words))}
        text = []
        while len(text) < n * length:
            text += [rnd.choice(WHO), rnd.choice(DID), rnd.choice(WHAT), "."]
        ids = torch.tensor([self.index[w] for w in text[: n * length]])
        self.pages = ids.view(n, length)

    def __len__(self):
        return len(self.pages)

    def __getitem__(self, i):
        return {"input_ids": self.pages[i], "labels": self.pages[i]}


class Keeper(threading.Thread):
    """Writes copies of the weights in the background; rests while the trainer is busy."""

    def __init__(self, room):
        super().__init__(daemon=True, name="keeper")
        self.todo, self.rest = queue.Queue(room), threading.Event()

    def run(self):
        while True:
            step, weights = self.todo.get()
            self.rest.wait()
            torch.save(weights, f"copy-{step}.pt")
            self.todo.task_done()


class Chatty(TrainerCallback):
    def __init__(self, keeper, every, patience):
        self.keeper, self.every, self.patience = keeper, every, patience
        self.last, self.step = time.time(), 0

    def on_train_begin(self, args, state, control, **kw):
        print(f"off we go, {state.max_steps} little lessons to learn", flush=True)
        self.keeper.start()
        threading.Thread(target=self.mind, daemon=True, name="minder").start()

    def on_step_end(self, args, state, control, model=None, **kw):
        self.last, self.step = time.time(), state.global_step
        if state.global_step % self.every == 0:
            self.keeper.todo.put((state.global_step, {k: v.clone() for k, v in model.state_dict().items()}))

    def on_log(self, args, state, control, logs=None, **kw):
        if logs and "loss" in logs:
            print(f"lesson {state.global_step}: surprise is {float(logs['loss']):.3f}", flush=True)

    def on_train_end(self, args, state, control, **kw):
        self.keeper.rest.set()
        self.keeper.todo.join()
        print("school is over", flush=True)

    def mind(self):
        grumbles = 0
        while True:
            time.sleep(1)
            quiet = time.time() - self.last
            if quiet > self.patience * (grumbles + 1):
                grumbles += 1
                print(f"still at lesson {self.step}, not a word for {quiet:.0f} seconds...", flush=True)
                if grumbles == 3:
                    print("who is doing what:", flush=True)
                    faulthandler.dump_traceback(sys.stdout, all_threads=True)
            elif quiet < self.patience:
                grumbles = 0


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--pages", type=int, default=4800)
    ap.add_argument("--copies-every", type=int, default=20)
    ap.add_argument("--room", type=int, default=8)
    ap.add_argument("--patience", type=float, default=10)
    cli = ap.parse_args()
    hf_logging.set_verbosity_error()
    pages = Diary(cli.pages, 32)
    config = GPT2Config(vocab_size=64, n_positions=32, n_embd=64, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    settings = TrainingArguments(
        "book", per_device_train_batch_size=16, num_train_epochs=2, learning_rate=1e-3, logging_steps=10, disable_tqdm=True,
        report_to=[], save_strategy="no", use_cpu=True,
    )  # fmt: skip
    trainer = Trainer(
        GPT2LMHeadModel(config), settings, train_dataset=pages,
        callbacks=[Chatty(Keeper(cli.room), cli.copies_every, cli.patience)],
    )  # fmt: skip
    trainer.remove_callback(__import__("transformers").PrinterCallback)
    trainer.train()

# ruff: noqa: ANN001, ANN003, ANN201, ANN204, D101, SIM905
