"""Previsione della pioggia con accelerate; un punto di ripresa ogni 20 passi."""

import torch
from accelerate import Accelerator

acceleratore = Accelerator(cpu=True)
torch.manual_seed(0)
rete = torch.nn.Sequential(
    torch.nn.Linear(40, 700), torch.nn.ReLU(), torch.nn.Linear(700, 700), torch.nn.ReLU(), torch.nn.Linear(700, 1)
)
ottimizzatore = torch.optim.Adam(rete.parameters(), lr=3e-4)
x = torch.randn(6400, 40)
y = x[:, :1] - torch.relu(x[:, 1:2]) * x[:, 2:3]
dati = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), 16, shuffle=True)
rete, ottimizzatore, dati = acceleratore.prepare(rete, ottimizzatore, dati)
passo = 0
acceleratore.print("inizio dell'addestramento, 4 epoche")
for epoca in range(1, 5):
    for a, b in dati:
        passo += 1
        perdita = torch.nn.functional.mse_loss(rete(a), b)
        ottimizzatore.zero_grad()
        acceleratore.backward(perdita)
        ottimizzatore.step()
        if passo % 20 == 0:
            acceleratore.print(f"epoca {epoca} passo {passo} perdita {perdita.item():.4f}", flush=True)
            acceleratore.save_state(f"punti/passo_{passo}")
            acceleratore.print(f"punto di ripresa salvato in punti/passo_{passo}", flush=True)
acceleratore.print("addestramento completato")
