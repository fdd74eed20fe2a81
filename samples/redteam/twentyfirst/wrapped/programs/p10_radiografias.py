"""Autocodificador variacional de radiografias comprimidas."""

import argparse
import logging
import lzma
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("vae")


class Radiografias(Dataset):
    """Cada imagem fica num pacote .xz em alta resolução e é reduzida ao ser lida."""

    def __init__(self, n: int, lado: int) -> None:
        rng = np.random.default_rng(4)
        self.pacotes = []
        eixo = np.linspace(-1, 1, lado)
        xx, yy = np.meshgrid(eixo, eixo)
        for _ in range(24):
            cx, cy, r = rng.uniform(-0.4, 0.4, 2).tolist() + [rng.uniform(0.2, 0.6)]
            img = np.exp(-((xx - cx) ** 2 + (yy - cy) ** 2) / r**2) + 0.02 * rng.normal(size=(lado, lado))
            self.pacotes.append(lzma.compress((img.clip(0, 1) * 4095).astype("uint16").tobytes(), preset=0))
        self.n, self.lado = n, lado

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> torch.Tensor:
        bruto = np.frombuffer(lzma.decompress(self.pacotes[i % len(self.pacotes)]), "uint16")
        img = bruto.reshape(self.lado, self.lado).astype("float32") / 4095
        f = self.lado // 32
        img = img.reshape(32, f, 32, f).mean((1, 3))
        return torch.from_numpy(np.roll(img, i % 7, axis=i % 2)).flatten()


class VAE(nn.Module):
    def __init__(self, z: int) -> None:
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(1024, 256), nn.ReLU(), nn.Linear(256, 2 * z))
        self.dec = nn.Sequential(nn.Linear(z, 256), nn.ReLU(), nn.Linear(256, 1024))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        rec = nn.functional.mse_loss(self.dec(z), x, reduction="none").sum(-1).mean()
        kl = 0.5 * (mu**2 + logvar.exp() - 1 - logvar).sum(-1).mean()
        return rec, kl


def principal() -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--epocas", type=int, default=3)
    ap.add_argument("--imagens", type=int, default=512)
    ap.add_argument("--lote", type=int, default=32)
    ap.add_argument("--lado", type=int, default=768)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)s | %(name)s | %(message)s")
    torch.manual_seed(0)
    log.info("preparando os pacotes (%d imagens, %dx%d)", args.imagens, args.lado, args.lado)
    dados = DataLoader(Radiografias(args.imagens, args.lado), args.lote, shuffle=True)
    modelo = VAE(16)
    otim = torch.optim.Adam(modelo.parameters(), 1e-3)
    log.info("modelo com %d parâmetros; início do treinamento", sum(p.numel() for p in modelo.parameters()))
    passo, total = 0, args.epocas * len(dados)
    for epoca in range(1, args.epocas + 1):
        inicio = t = time.perf_counter()
        espera_epoca = 0.0
        for x in dados:
            espera = time.perf_counter() - t
            rec, kl = modelo(x)
            perda = rec + 0.1 * kl
            otim.zero_grad()
            perda.backward()
            otim.step()
            passo += 1
            espera_epoca += espera
            calculo = time.perf_counter() - t - espera
            log.info(
                "passo %d/%d perda %.3f (rec %.3f, kl %.3f) leitura %.3fs cálculo %.3fs",
                passo, total, perda.item(), rec.item(), kl.item(), espera, calculo,
            )  # fmt: skip
            t = time.perf_counter()
        dura = time.perf_counter() - inicio
        log.info("época %d concluída em %.1fs, %.1fs à espera de dados", epoca, dura, espera_epoca)
    torch.save(modelo.state_dict(), "vae.pt")
    log.info("modelo salvo em vae.pt, fim")


if __name__ == "__main__":
    principal()

# ruff: noqa: ANN001, ANN201, D101, RUF005
