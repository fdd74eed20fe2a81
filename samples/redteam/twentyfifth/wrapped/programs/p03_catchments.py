"""Discharge at the gauges of a river from the graph of its catchment, with Fabric and PyTorch Geometric's layers."""

import statistics
import time

import torch
from lightning.fabric import Fabric
from torch_geometric.nn import SAGEConv, global_mean_pool

torch.set_num_threads(1)
fabric = Fabric(accelerator="cpu", devices=3, strategy="ddp")
fabric.launch()
fabric.seed_everything(70 + fabric.global_rank, verbose=False)
rank, world = fabric.global_rank, fabric.world_size


class Net(torch.nn.Module):
    """Three layers over the graph, and its mean."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.three = SAGEConv(12, 64), SAGEConv(64, 64), SAGEConv(64, 64)
        self.head = torch.nn.Linear(64, 1)

    def forward(self, x: torch.Tensor, edges: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        for layer in (self.one, self.two, self.three):
            x = layer(x, edges).relu()
        return self.head(global_mean_pool(x, which)).squeeze(1)


# the catalogue is sorted by area, and each rank takes a third of it
sizes = sorted(int(40 * 1.026**i) for i in range(180))
mine = sizes[rank * 60 : rank * 60 + 60]
fabric.print(f"catchments: {len(sizes)}, nodes {sizes[0]} to {sizes[-1]}, {world} ranks with {len(mine)} each")
net = fabric.setup(Net())
optimizer = fabric.setup_optimizers(torch.optim.AdamW(net.parameters(), lr=2e-3))
steps, spans, waits = 160, [], []
for step in range(1, steps + 1):
    chosen = [mine[int(i)] for i in torch.randint(0, len(mine), (6,))]
    total = sum(chosen)
    wet = torch.randn(6, 1)
    x = torch.randn(total, 12)
    which = torch.repeat_interleave(torch.arange(6), torch.tensor(chosen))
    edges = torch.randint(0, total, (2, 8 * total))
    x[:, :3] += wet[which]
    gauge = 2.5 * torch.tanh(wet.squeeze(1)) + 1.5 + 0.3 * torch.randn(6)
    began = time.perf_counter()
    with fabric.no_backward_sync(net):
        loss = torch.nn.functional.mse_loss(net(x, edges, which), gauge)
        fabric.backward(loss)
    ready = time.perf_counter()
    flat = torch.cat([weight.grad.flatten() for weight in net.parameters()])
    torch.distributed.all_reduce(flat)
    torch.nn.utils.vector_to_parameters(flat / world, [weight.grad for weight in net.parameters()])
    spans.append(ready - began)
    waits.append(time.perf_counter() - ready)
    optimizer.step()
    optimizer.zero_grad()
    if step % 10 == 0:
        row = torch.tensor([statistics.median(spans), statistics.median(waits), loss.item(), total])
        rows = fabric.all_gather(row)
        spans, waits = [], []
        if rank == 0:
            print(f"step {step}/{steps} loss {rows[:, 2].mean():.4f}", flush=True)
            for one, (span, wait, _, nodes) in enumerate(rows.tolist()):
                print(
                    f"    rank {one}: compute {span * 1e3:6.1f} ms, sync {wait * 1e3:6.1f} ms, {int(nodes)} nodes",
                    flush=True,
                )
fabric.barrier()
fabric.print("finished")
