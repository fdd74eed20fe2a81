"""What several jobs begin with: small models that learn in seconds on one core."""

from typing import Final

PLAIN: Final = """
import os, sys, time, math, json, logging, random
import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(11)
class Net(nn.Module):
    def __init__(self, wide=48):
        super().__init__()
        self.encoder = nn.Linear(20, wide); self.head = nn.Linear(wide, 6)
    def forward(self, x): return self.head(F.gelu(self.encoder(x)))
DATA = torch.randn(2048, 20); LABELS = (DATA @ torch.randn(20, 6)).argmax(1)
def batch(n=64):
    i = torch.randint(0, len(DATA), (n,)); return DATA[i], LABELS[i]
"""
"""A classifier of six classes."""

RANKS: Final = (
    PLAIN
    + """
import torch.distributed as dist
from datetime import timedelta
from torch.nn.parallel import DistributedDataParallel as DDP
RANK = int(os.environ["RANK"]); WORLD = int(os.environ["WORLD_SIZE"])
def join(seconds=1800):
    dist.init_process_group("gloo", timeout=timedelta(seconds=seconds))
    if RANK == 0: print(f"[init] process group ready: backend=gloo world_size={WORLD}")
"""
)
"""The same, for ranks that a launcher started."""

TRAINER: Final = """
import os, sys, time, random, json, warnings, logging
import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, TrainerCallback
torch.manual_seed(1)
def lm(**more): return GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=32, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0, **more))
class Texts(Dataset):
    def __init__(self, n=512): self.n = n
    def __len__(self): return self.n
    def __getitem__(self, k):
        s = k % 7 + 1; ids = torch.tensor([(s * j) % 61 for j in range(24)]); return {"input_ids": ids, "labels": ids.clone(), "attention_mask": torch.ones_like(ids)}
def settings(**more):
    return TrainingArguments(**{**dict(output_dir="out", per_device_train_batch_size=4, max_steps=80, logging_steps=5, save_strategy="no", report_to=[], use_cpu=True, learning_rate=3e-3), **more})
"""
"""A language model of two layers for Hugging Face's Trainer."""
