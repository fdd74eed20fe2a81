"""Waits for a second node that was never given."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
print("rank", dist.get_rank(), "of", dist.get_world_size())
one = torch.ones(1)
dist.all_reduce(one)
dist.destroy_process_group()
