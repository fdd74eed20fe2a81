"""Ein kleines Sprachmodell auf Märchen weitertrainieren, auf mehreren Rechnern."""
# ruff: noqa

import argparse
import logging
import os
import threading
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

RANG, WELT = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s Rang {RANG}: %(message)s", datefmt="%d.%m.%Y %H:%M:%S")
log = logging.getLogger("maerchen")
VERBUNDEN = threading.Event()


class Maerchen(torch.utils.data.Dataset):
    def __init__(self, anzahl):
        self.ids = torch.randint(0, 256, (anzahl, 64), generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.ids[i]}


def melden():
    seit = time.monotonic()
    while not VERBUNDEN.wait(10):
        log.info("noch nicht verbunden, warte seit %.0f s auf %s", time.monotonic() - seit, os.environ["MASTER_ADDR"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochen", type=int, default=3)
    args = parser.parse_args()
    set_seed(0)
    log.info("lade Texte und Modell (Rang %d von %d, PID %d)", RANG, WELT, os.getpid())
    daten = Maerchen(4000)
    modell = GPT2LMHeadModel(GPT2Config(vocab_size=256, n_positions=64, n_embd=64, n_layer=2, n_head=4))
    log.info("%d Blöcke, %d Parameter; verbinde die Ränge", len(daten), modell.num_parameters())
    threading.Thread(target=melden, daemon=True).start()
    einstellungen = TrainingArguments(
        "maerchen", use_cpu=True, ddp_backend="gloo", num_train_epochs=args.epochen, logging_steps=20, report_to=[]
    )
    einstellungen.device  # noqa: B018
    VERBUNDEN.set()
    log.info("verbunden, Training beginnt")
    Trainer(model=modell, args=einstellungen, train_dataset=daten).train()
    log.info("fertig")
