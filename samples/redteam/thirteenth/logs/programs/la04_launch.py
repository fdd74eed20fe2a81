"""Pretrain with flash attention, as on the new cluster."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from transformers import AutoModelForCausalLM, LlamaConfig


def main() -> None:
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        print("building model", flush=True)
    config = LlamaConfig(
        vocab_size=1000, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4
    )
    model = AutoModelForCausalLM.from_config(config, attn_implementation="flash_attention_2", dtype=torch.bfloat16)
    model = DistributedDataParallel(model)
    for step in range(100):
        batch = torch.randint(0, 1000, (4, 64))
        loss = model(input_ids=batch, labels=batch).loss
        loss.backward()
        if dist.get_rank() == 0:
            print(step, loss.item(), flush=True)


if __name__ == "__main__":
    main()
