"""An adapter for a GPT-2 of our own, with the names of Llama's layers."""

from __future__ import annotations

import logging

import torch
from peft import LoraConfig, TaskType, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)-8s | %(message)s")
log = logging.getLogger("sft")
torch.manual_seed(5)
log.info("building base model (GPT-2, 2 layers)")
base = GPT2LMHeadModel(GPT2Config(vocab_size=1000, n_embd=64, n_layer=2, n_head=2))
log.info("base model has %d parameters", base.num_parameters())
config = LoraConfig(task_type=TaskType.CAUSAL_LM, r=8, lora_alpha=16, target_modules=["q_proj", "v_proj"])
log.info("attaching LoRA r=%d to %s", config.r, sorted(config.target_modules))
model = get_peft_model(base, config)
model.print_trainable_parameters()
optim = torch.optim.AdamW(model.parameters(), 1e-3)
for step in range(100):
    ids = torch.randint(0, 1000, (8, 32))
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    optim.step()
    optim.zero_grad()
    log.info("step %d loss %.4f", step, loss.item())
