"""Clasifica lotes de semillas por sus notas de laboratorio."""

import hashlib
import logging
import random

import torch
from torch import nn
from transformers import Trainer, TrainingArguments

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
random.seed(2)
palabras = ["germina", "seca", "parda", "lisa", "hongo", "entera", "rota", "clara", "vana", "fresca"]
lotes = []
logging.info("Leyendo las notas del laboratorio de Palmira")
for hoja in range(60):
    for _ in range(500):
        nota = random.choices(palabras, k=12)
        for _ in range(900):
            sello = hashlib.sha256(" ".join(nota).encode()).hexdigest()
        ids = torch.tensor([palabras.index(p) for p in nota])
        lotes.append({"ids": ids, "labels": torch.tensor(int(nota.count("hongo") > 1)), "sello": sello})
    logging.info("Hoja %d de 60: %d notas preparadas", hoja + 1, len(lotes))


class Red(nn.Module):
    """Bolsa de palabras."""

    def __init__(self):
        super().__init__()
        self.e, self.s = nn.EmbeddingBag(10, 32), nn.Linear(32, 2)

    def forward(self, ids, labels):
        """Pérdida y respuesta."""
        y = self.s(self.e(ids))
        return {"loss": nn.functional.cross_entropy(y, labels), "logits": y}


args = TrainingArguments("salida", use_cpu=True, max_steps=2000, logging_steps=100, report_to="none", disable_tqdm=True)
logging.info("Empieza el entrenamiento")
Trainer(Red(), args, train_dataset=lotes).train()
