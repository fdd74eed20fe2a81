"""Previsão de orvalho nos vinhedos: Lightning, com as mensagens em português."""

import logging
import time
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
registro = logging.getLogger("orvalho")
warnings.filterwarnings("ignore", ".*does not have many workers.*")


def estacoes(n: int, horas: int = 72) -> TensorDataset:
    """Séries das estações: temperatura, umidade, vento, nuvens."""
    g = torch.Generator().manual_seed(17)
    x = torch.randn(n, horas, 4, generator=g).cumsum(1)
    x = (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-3)
    ponto = 0.8 * x[:, -6:, 0].mean(1) - 0.9 * x[:, -6:, 1].mean(1) + 0.5 * x[:, -6:, 2].mean(1) * x[:, -6:, 3].mean(1)
    return TensorDataset(x, (ponto + 0.3 * torch.randn(n, generator=g) < 0).float())


class Orvalho(L.LightningModule):
    """Codificador do Transformer e uma saída."""

    def __init__(self, d: int = 96, aquecimento: int = 1000) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.entrada = nn.Linear(4, d)
        camada = nn.TransformerEncoderLayer(d, 4, 4 * d, 0.1, batch_first=True, norm_first=True)
        self.corpo = nn.TransformerEncoder(camada, 3, enable_nested_tensor=False)
        self.saida = nn.Linear(d, 1)

    def perda(self, lote: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        x, y = lote
        z = self.saida(self.corpo(self.entrada(x)).mean(1)).squeeze(1)
        return nn.functional.binary_cross_entropy_with_logits(z, y), ((z > 0) == y.bool()).float().mean()

    def training_step(self, lote: list[torch.Tensor], i: int) -> torch.Tensor:
        perda, acerto = self.perda(lote)
        lr = self.optimizers().param_groups[0]["lr"]
        registro.info(
            "passo %d: perda %.4f, acerto %.3f, taxa %.2e", self.global_step + 1, perda.item(), acerto.item(), lr
        )
        return perda

    def validation_step(self, lote: list[torch.Tensor], i: int) -> None:
        perda, acerto = self.perda(lote)
        self.log_dict({"val_perda": perda, "val_acerto": acerto})

    def on_validation_epoch_end(self) -> None:
        medidas = self.trainer.callback_metrics
        registro.info("validação: perda %.4f, acerto %.3f", medidas["val_perda"], medidas["val_acerto"])

    def configure_optimizers(self) -> dict:
        otimizador = torch.optim.AdamW(self.parameters(), 4e-4)
        rampa = torch.optim.lr_scheduler.LambdaLR(otimizador, lambda p: min(1, (p + 1) / self.hparams.aquecimento))
        return {"optimizer": otimizador, "lr_scheduler": {"scheduler": rampa, "interval": "step"}}


def main() -> None:
    inicio = time.time()
    L.seed_everything(6)
    registro.info("lendo as séries das estações")
    dados = estacoes(400_000)
    registro.info("%d janelas de 72 horas lidas em %.1f s", len(dados), time.time() - inicio)
    treino, validacao = torch.utils.data.random_split(dados, [398_000, 2_000], torch.Generator().manual_seed(1))
    treinador = L.Trainer(
        accelerator="cpu",
        max_steps=8,
        num_sanity_val_steps=0,
        logger=False,
        enable_progress_bar=False,
        default_root_dir="saidas",
    )
    treinador.fit(Orvalho(), DataLoader(treino, 64, shuffle=True))
    registro.info("avaliando em %d janelas", len(validacao))
    treinador.validate(treinador.model, DataLoader(validacao, 200), verbose=False)
    registro.info("terminado: %d passos em %.1f s ao todo", treinador.global_step, time.time() - inicio)


if __name__ == "__main__":
    main()
