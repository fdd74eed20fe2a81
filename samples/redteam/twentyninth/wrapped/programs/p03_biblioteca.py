# ruff: noqa: ANN001, ANN201, D101
"""Recomendador de préstamos para la red de bibliotecas: factores de lectores y de libros."""

import time

import structlog
import torch
from torch import nn

structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=False),
        structlog.dev.ConsoleRenderer(colors=False),
    ]
)
log = structlog.get_logger()
LECTORES, LIBROS, FACTORES = 3000, 1800, 64


class Factores(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lector = nn.Embedding(LECTORES, FACTORES)
        self.libro = nn.Embedding(LIBROS, FACTORES)
        self.sesgo = nn.Embedding(LIBROS, 1)
        for e in (self.lector, self.libro):
            nn.init.normal_(e.weight, std=0.05)
        nn.init.zeros_(self.sesgo.weight)

    def forward(self, u, i):
        return (self.lector(u) * self.libro(i)).sum(-1) + self.sesgo(i).squeeze(-1)


def prestamos(g):
    p = torch.randn(LECTORES, 6, generator=g)
    q = torch.randn(LIBROS, 6, generator=g)
    fama = torch.randn(LIBROS, generator=g)
    afin = p @ q.T + 0.8 * fama + 1.2 * torch.randn(LECTORES, LIBROS, generator=g)
    top = afin.topk(45, 1).indices
    return top[:, torch.randperm(45, generator=g)]


def recuerdo(m, vistos, ocultos, k=20):
    with torch.no_grad():
        s = m.lector.weight @ m.libro.weight.T + m.sesgo.weight.T
        s.scatter_(1, vistos, -1e9)
        t = s.topk(k, 1).indices
        return (t[:, :, None] == ocultos[:, None]).any(-1).sum(1).float().div(ocultos.shape[1]).mean().item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(8)
    g = torch.Generator().manual_seed(8)
    log.info("cargando préstamos", fichero="datos/prestamos_2025.parquet")
    todo = prestamos(g)
    vistos, ocultos = todo[:, :38], todo[:, 38:]
    u = torch.arange(LECTORES).repeat_interleave(38)
    i = vistos.reshape(-1)
    log.info("datos listos", lectores=LECTORES, libros=LIBROS, prestamos=len(u), reservados=ocultos.numel())
    m = Factores()
    opt = torch.optim.Adam(m.parameters(), lr=5e-4)
    log.info("empieza el entrenamiento", epocas=16, lote=64, parametros=sum(p.numel() for p in m.parameters()))
    mejor = 0.0
    for epoca in range(1, 17):
        t0, suma = time.time(), 0.0
        orden = torch.randperm(len(u))
        pasos = len(u) // 64
        for n in range(pasos):
            k = orden[n * 64 : (n + 1) * 64]
            neg = torch.randint(0, LIBROS, (64,))
            perdida = -nn.functional.logsigmoid(m(u[k], i[k]) - m(u[k], neg)).mean()
            opt.zero_grad()
            perdida.backward()
            opt.step()
            suma += perdida.item()
            if (n + 1) % 356 == 0:
                log.info("paso", epoca=epoca, paso=(epoca - 1) * pasos + n + 1, perdida=round(perdida.item(), 4))
        r = recuerdo(m, vistos, ocultos)
        log.info(
            "época terminada",
            epoca=epoca,
            perdida_media=round(suma / pasos, 4),
            recuerdo_20=round(r, 4),
            segundos=round(time.time() - t0, 1),
        )
        if r > mejor:
            mejor = r
            torch.save(m.state_dict(), "modelo.pt")
            log.info("modelo guardado", ruta="modelo.pt", recuerdo_20=round(r, 4))
    log.info("entrenamiento completado", mejor_recuerdo_20=round(mejor, 4))


if __name__ == "__main__":
    main()
