# ruff: noqa: ANN001, ANN003, D101
"""Classifica manchetes curtas em português com o Trainer."""

import logging
import threading

import torch
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(levelname)s] %(message)s")
log = logging.getLogger("manchetes")
trava = threading.Lock()


class Memoria:
    """Guarda as métricas; pode ser lida por outra linha de execução."""

    def __init__(self) -> None:
        self.linhas: list[dict] = []

    def guarda(self, linha: dict) -> None:
        with trava:
            self.linhas.append(linha)
            if len(self.linhas) % 6 == 0:
                self.resume()

    def resume(self) -> None:
        with trava:
            log.info("média das últimas perdas: %.4f", sum(um.get("loss", 0.0) for um in self.linhas[-6:]) / 6)


class Registro(TrainerCallback):
    def __init__(self) -> None:
        self.memoria = Memoria()

    def on_log(self, args, state, control, logs=None, **kwargs) -> None:
        log.info("passo %d de %d, perda %.4f", state.global_step, state.max_steps, logs.get("loss", float("nan")))
        self.memoria.guarda(logs)


class Manchetes(torch.utils.data.Dataset):
    def __init__(self, quantas: int) -> None:
        gerador = torch.Generator().manual_seed(3)
        self.textos = torch.randint(5, 300, (quantas, 24), generator=gerador)
        self.rotulos = (self.textos[:, 0] > 150).long()

    def __len__(self) -> int:
        return len(self.textos)

    def __getitem__(self, i: int) -> dict:
        return {
            "input_ids": self.textos[i],
            "attention_mask": torch.ones(24, dtype=torch.long),
            "labels": self.rotulos[i],
        }


def main() -> None:
    log.info("preparando os dados")
    rede = DistilBertForSequenceClassification(
        DistilBertConfig(vocab_size=300, dim=64, hidden_dim=128, n_layers=2, n_heads=2, max_position_embeddings=32)
    )
    opcoes = TrainingArguments(
        "saida",
        num_train_epochs=6,
        per_device_train_batch_size=16,
        logging_steps=5,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        learning_rate=1e-3,
        disable_tqdm=True,
    )
    log.info("iniciando o treinamento")
    Trainer(rede, opcoes, train_dataset=Manchetes(800), callbacks=[Registro()]).train()
    log.info("treinamento concluído")


main()
