"""Estimativa da produtividade do trigo por talhão, a partir de séries de satélite (uma época agrícola)."""

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCAS, ACUMULA = 90, 4


def talhoes(quantos: int) -> TensorDataset:
    g = torch.Generator().manual_seed(77)
    pico = 0.75 + 0.1 * torch.randn(quantos, 1, 1, generator=g)
    quando = 18 + 3 * torch.randn(quantos, 1, 1, generator=g)
    t = torch.arange(36.0)[None, :, None]
    ndvi = 0.18 + pico * torch.exp(-(((t - quando) / 7) ** 2)) + 0.03 * torch.randn(quantos, 36, 1, generator=g)
    chuva = torch.rand(quantos, 36, 1, generator=g) ** 3
    toneladas = 1.2 + 4.2 * pico.flatten() + 0.9 * chuva[:, 10:20, 0].sum(1) + 0.25 * torch.randn(quantos, generator=g)
    return TensorDataset(torch.cat([ndvi, chuva], 2), toneladas)


class Talhao(nn.Module):
    """Uma GRU sobre a época, média dos estados e uma saída."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(2, 48, batch_first=True)
        self.saida = nn.Linear(48, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.saida(self.gru(x)[0].mean(1)).squeeze(1)


def main() -> None:
    acel = Accelerator(cpu=True, gradient_accumulation_steps=ACUMULA)
    set_seed(9)
    acel.print(f"Dispositivo: {acel.device}, processos: {acel.num_processes}, acumulação de gradientes: {ACUMULA}")
    dados = talhoes(12000)
    treino, prova = torch.utils.data.random_split(dados, [10800, 1200])
    modelo = Talhao()
    otim = torch.optim.AdamW(modelo.parameters(), lr=4e-3)
    carga, provas = DataLoader(treino, 32, shuffle=True), DataLoader(prova, 400)
    passos = EPOCAS * len(carga) // ACUMULA
    plano = torch.optim.lr_scheduler.CosineAnnealingLR(otim, passos)
    modelo, otim, carga, provas, plano = acel.prepare(modelo, otim, carga, provas, plano)
    acel.print(f"{len(treino)} talhões para treinar, {len(prova)} para validar, {passos} passos de otimização")
    feito = 0
    for epoca in range(1, EPOCAS + 1):
        modelo.train()
        for x, y in carga:
            with acel.accumulate(modelo):
                perda = nn.functional.mse_loss(modelo(x), y)
                acel.backward(perda)
                if acel.sync_gradients:
                    acel.clip_grad_norm_(modelo.parameters(), 1.0)
                    feito += 1
                otim.step()
                plano.step()
                otim.zero_grad()
            if acel.sync_gradients and feito % 40 == 0:
                taxa = plano.get_last_lr()[0]
                acel.print(f"  passo {feito}/{passos}  perda {perda.item():.4f}  taxa {taxa:.2e}", flush=True)
        modelo.eval()
        with torch.no_grad():
            erro = sum((modelo(x) - y).abs().sum().item() for x, y in provas) / len(prova)
        acel.print(f"Época {epoca} concluída: erro absoluto médio {erro:.3f} t/ha", flush=True)
    acel.save_model(modelo, "modelo_trigo")
    acel.print("Modelo guardado.")


if __name__ == "__main__":
    main()
