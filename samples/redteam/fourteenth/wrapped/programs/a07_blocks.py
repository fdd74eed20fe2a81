"""A small transformer, fully sharded over two ranks."""

import time

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.set_num_threads(1)
torch.manual_seed(0)
layers = [torch.nn.TransformerEncoderLayer(192, 4, 512, batch_first=True, dropout=0.0) for _ in range(3)]
net = torch.nn.Sequential(torch.nn.Embedding(200, 192), *layers, torch.nn.Linear(192, 200))
for layer in layers:
    fully_shard(layer)
fully_shard(net)
optimizer = torch.optim.AdamW(net.parameters(), lr=5e-4)
if rank == 0:
    print(f"FSDP on {dist.get_world_size()} ranks, 20 steps", flush=True)
torch.manual_seed(rank)
for step in range(1, 21):
    begun = time.perf_counter()
    tokens = (torch.arange(33)[None, :] * torch.randint(1, 5, (16, 1)) + torch.randint(0, 200, (16, 1))) % 200
    # What a rank prepares for itself; the list of files was cut in halves by name, and the long ones are all in the second.
    local = torch.nn.functional.one_hot(tokens, 200).float()
    for _ in range(6 if rank == 0 else 450):
        local = torch.softmax(local @ torch.full((200, 200), 0.01), -1)
    computed = time.perf_counter()
    dist.barrier()
    waited = time.perf_counter()
    logits = net(tokens[:, :-1])
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    done = time.perf_counter()
    if step % 2 == 0:
        print(
            f"[rank {rank}] step {step} loss {loss.item():.3f} prep {computed - begun:.2f}s wait at barrier {waited - computed:.2f}s fwd/bwd {done - waited:.2f}s step {done - begun:.2f}s",
            flush=True,
        )
dist.destroy_process_group()
if rank == 0:
    print("finished", flush=True)
