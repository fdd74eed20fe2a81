"""Limpieza de ruido en micrografías electrónicas."""

import faulthandler
import queue
import random
import sys
import threading
import time
from pathlib import Path

import torch
from torch import nn


class Red(nn.Module):
    """Red residual pequeña: predice el ruido."""

    def __init__(self, canales: int = 16, bloques: int = 2) -> None:
        super().__init__()
        capas: list[nn.Module] = [nn.Conv2d(1, canales, 3, padding=1), nn.ReLU()]
        for _ in range(bloques):
            capas += [nn.Conv2d(canales, canales, 3, padding=1), nn.ReLU()]
        capas.append(nn.Conv2d(canales, 1, 3, padding=1))
        self.capas = nn.Sequential(*capas)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x - self.capas(x)


class Reserva:
    """Recortes ya leídos, con su candado; un hilo la renueva."""

    def __init__(self, pesos: threading.Lock) -> None:
        self.candado = threading.Lock()
        self.pesos = pesos
        self.recortes = [self.nuevo() for _ in range(400)]
        self.errores = [1.0] * len(self.recortes)
        self.avisos: queue.Queue[int] = queue.Queue()
        threading.Thread(target=self.renovar, name="renovador", daemon=True).start()

    @staticmethod
    def nuevo() -> torch.Tensor:
        f = torch.zeros(1, 28, 28)
        for _ in range(random.randint(2, 6)):
            x, y, r = random.randint(0, 27), random.randint(0, 27), random.randint(3, 8)
            f[:, max(0, y - r) : y + r, max(0, x - r) : x + r] += random.uniform(0.2, 0.8)
        return f

    def renovar(self) -> None:
        while True:
            paso = self.avisos.get()
            with self.candado:
                for i in range(0, len(self.recortes), 2):
                    self.recortes[i] = self.nuevo()
                time.sleep(0.01 * (paso % 7))
                with self.pesos:
                    self.errores = [1.0] * len(self.recortes)

    def lote(self, n: int) -> torch.Tensor:
        with self.candado:
            return torch.stack(random.choices(self.recortes, weights=self.errores, k=n))


class Trainer:
    """El bucle, las copias y la validación."""

    def __init__(self, ruido: float) -> None:
        self.pesos = threading.Lock()
        self.reserva = Reserva(self.pesos)
        self.red = Red()
        self.opt = torch.optim.Adam(self.red.parameters(), 1e-3)
        self.ruido = ruido
        self.fijos = [torch.stack([Reserva.nuevo() for _ in range(32)]) for _ in range(8)]

    def paso(self) -> float:
        limpio = self.reserva.lote(8)
        sucio = limpio + self.ruido * torch.randn_like(limpio)
        perdida = nn.functional.mse_loss(self.red(sucio), limpio)
        self.opt.zero_grad()
        perdida.backward()
        with self.pesos:
            self.opt.step()
        return perdida.item()

    def error(self, limpio: torch.Tensor) -> float:
        return nn.functional.mse_loss(self.red(limpio + self.ruido * torch.randn_like(limpio)), limpio).item()

    def validar(self) -> tuple[float, float]:
        with self.pesos, torch.no_grad():
            fijos = sum(self.error(x) for x in self.fijos) / len(self.fijos)
            return fijos, self.error(self.reserva.lote(32))

    def guardar(self, n: int) -> None:
        Path("copias").mkdir(exist_ok=True)
        torch.save(self.red.state_dict(), f"copias/red_{n:06d}.pt")
        print(f"copia guardada: copias/red_{n:06d}.pt", flush=True)

    def entrenar(self, pasos: int) -> None:
        t = time.time()
        for n in range(1, pasos + 1):
            faulthandler.dump_traceback_later(30, repeat=True)
            perdida = self.paso()
            if n % 20 == 0:
                print(f"paso {n:6d}/{pasos}  pérdida {perdida:.5f}  {20 / (time.time() - t):.1f} pasos/s", flush=True)
                t = time.time()
            if n % 120 == 0:
                self.reserva.avisos.put(n)
            if n % 100 == 0:
                fijos, nuevos = self.validar()
                print(f"--- validación en el paso {n}: error {fijos:.5f} (recortes nuevos {nuevos:.5f})", flush=True)
                self.guardar(n)


def main() -> None:
    random.seed(8)
    torch.manual_seed(8)
    torch.set_num_threads(1)
    print(f"python {sys.version.split()[0]}, torch {torch.__version__}", flush=True)
    t = Trainer(0.25)
    print(
        f"red con {sum(p.numel() for p in t.red.parameters())} parámetros; 400 recortes de 28x28; ruido 0.25",
        flush=True,
    )
    t.entrenar(60000)
    print("entrenamiento terminado", flush=True)


if __name__ == "__main__":
    main()
