"""Rozpoznaje głoski z krótkich nagrań (sztucznych)."""

import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
numer = dist.get_rank()
torch.manual_seed(2)
glos = torch.randn(12, 80)
siec = DDP(torch.nn.Sequential(torch.nn.Linear(80, 96), torch.nn.GELU(), torch.nn.Linear(96, 12)))
optymalizator = torch.optim.AdamW(siec.parameters(), lr=4e-4)
torch.manual_seed(numer)
if numer == 0:
    print("uczenie: 5000 kroków, dwa procesy", flush=True)
for krok in range(1, 5001):
    co = torch.randint(0, 12, (48,))
    nagranie = glos[co] + 2.0 * torch.randn(48, 80)
    strata = torch.nn.functional.cross_entropy(siec(nagranie), co)
    optymalizator.zero_grad()
    strata.backward()
    optymalizator.step()
    time.sleep(0.04)
    if krok % 50 == 0 and numer == 0:
        print(f"krok {krok}/5000 strata {strata.item():.4f}", flush=True)
if numer == 0:
    print("uczenie zakończone", flush=True)
