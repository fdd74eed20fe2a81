"""Segmentação da placenta em cortes de ressonância, com MONAI, em dois processos."""

import os
import time

import torch
import torch.distributed as dist
from monai.losses import DiceLoss
from monai.networks.nets import UNet
from monai.transforms import Compose, GaussianSmooth, RandGaussianNoise, Resize, ScaleIntensity

POSTO = int(os.environ["RANK"])
PASSOS = 60


def cortes(g: torch.Generator, lado: int, transformar: Compose, n: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    xs, ys = [], []
    for _ in range(n):
        c = 0.3 + 0.4 * torch.rand(2, generator=g)
        grade = torch.linspace(0, 1, lado)
        disco = (((grade[:, None] - c[0]) ** 2 + (grade[None] - c[1]) ** 2) < 0.03).float()[None]
        xs.append(transformar(disco + 0.5 * torch.rand(1, lado, lado, generator=g)).as_tensor())
        ys.append((Resize((64, 64))(disco).as_tensor() > 0.5).float())
    return torch.stack(xs), torch.stack(ys)


def main() -> None:
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rede = UNet(2, 1, 1, (8, 16, 32), (2, 2))
    otimizador = torch.optim.Adam(rede.parameters(), 3e-3)
    perda_dice = DiceLoss(sigmoid=True)
    # o segundo hospital manda cortes grandes, que são suavizados antes
    lado, passos = (
        (64, [ScaleIntensity()]) if POSTO == 0 else (640, [GaussianSmooth(3.0), Resize((64, 64)), ScaleIntensity()])
    )
    transformar = Compose([*passos, RandGaussianNoise(0.3)])
    g = torch.Generator().manual_seed(POSTO)
    print(f"[posto {POSTO}] hospital {POSTO + 1}, cortes de {lado} x {lado} pontos, {PASSOS} passos", flush=True)
    for passo in range(1, PASSOS + 1):
        t0 = time.perf_counter()
        x, y = cortes(g, lado, transformar)
        t1 = time.perf_counter()
        perda = perda_dice(rede(x), y)
        otimizador.zero_grad()
        perda.backward()
        t2 = time.perf_counter()
        for p in rede.parameters():
            dist.all_reduce(p.grad)
            p.grad /= 2
        t3 = time.perf_counter()
        otimizador.step()
        if passo % 5 == 0:
            print(
                f"[posto {POSTO}] passo {passo}/{PASSOS} perda {perda.item():.4f} | preparo dos cortes {t1 - t0:.2f} s, "
                f"cálculo {t2 - t1:.2f} s, espera pelo outro posto {t3 - t2:.2f} s",
                flush=True,
            )
    if POSTO == 0:
        torch.save(rede.state_dict(), "placenta.pt")
        print("[posto 0] treino concluído, pesos em placenta.pt", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
