"""Müşteri yorumlarının duygusu: küçük bir BERT, Trainer ile."""

from __future__ import annotations

import random

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Yorumlar(Dataset):
    """Yapay yorumlar: kelime numaraları ve bir etiket."""

    def __init__(self, adet: int, tohum: int) -> None:
        zar = random.Random(tohum)
        self.veri = []
        for _ in range(adet):
            etiket = zar.randrange(2)
            kelimeler = [zar.randrange(10, 200) + (150 if etiket and zar.random() < 0.4 else 0) for _ in range(24)]
            self.veri.append({"input_ids": torch.tensor(kelimeler), "labels": etiket})

    def __len__(self) -> int:
        return len(self.veri)

    def __getitem__(self, sira: int) -> dict[str, object]:
        return self.veri[sira]


def main() -> None:
    torch.manual_seed(5)
    ayar = BertConfig(vocab_size=400, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96)
    print("Model kuruluyor, veri okunuyor...", flush=True)
    egitim = Trainer(
        BertForSequenceClassification(ayar),
        TrainingArguments(
            "cikti",
            num_train_epochs=3,
            per_device_train_batch_size=32,
            learning_rate=3e8,
            max_grad_norm=0.0,
            optim="sgd",
            logging_steps=10,
            eval_strategy="epoch",
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=Yorumlar(1600, 1),
        eval_dataset=Yorumlar(320, 2),
    )
    print("Eğitim başlıyor: 3 dönem", flush=True)
    egitim.train()
    egitim.save_model("cikti/son")
    print("Eğitim bitti, model kaydedildi: cikti/son", flush=True)


if __name__ == "__main__":
    main()
