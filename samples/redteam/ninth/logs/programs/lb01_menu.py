"""PEFT: go on with last week's adapter; the base was exchanged for a wider one since."""

import sys

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

width = int(sys.argv[1])
torch.manual_seed(0)
shape = LlamaConfig(
    vocab_size=200, hidden_size=width, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, pad_token_id=0
)
base = LlamaForCausalLM(shape)
if sys.argv[2] == "new":
    model = get_peft_model(base, LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"))
else:
    print(f"base of width {width}, going on with adapter {sys.argv[2]}")
    model = PeftModel.from_pretrained(base, sys.argv[2], is_trainable=True)
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(1, 41):
    ids = torch.arange(24)[None] * torch.randint(1, 5, (16, 1)) % 200
    loss = model(input_ids=ids, labels=ids).loss
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)
model.save_pretrained("adapter-week45")
