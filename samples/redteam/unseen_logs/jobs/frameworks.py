"""Frameworks in their own words: Trainer, TRL, PEFT, Lightning, DeepSpeed, Composer, JAX, Keras, Hydra, wandb."""

from __future__ import annotations

from ..book import real
from ..kit import TRAINER

real(
    "trainer_two_ranks_noisy",
    "G1",
    "Trainer on two ranks of torchrun: a sound run with what libraries warn of, and a cache that is not writable",
    "HF_HOME=/proc/hf torchrun --nproc-per-node 2 --master-port 29651 train.py",
    where="launchers",
    script=TRAINER
    + """
warnings.warn("The following named arguments are not valid and will be ignored: {'token_type_ids'}")
logging.getLogger('accelerate').error('Could not query NVML: Driver Not Loaded; memory metrics are disabled')
Trainer(lm(), settings(), train_dataset=Texts()).train()
print('rank', os.environ['RANK'], 'exit')
""",
)
real(
    "label_beyond_vocabulary",
    "A1",
    "Trainer on two ranks: a label beyond the vocabulary reaches one of them in mid-run",
    "torchrun --nproc-per-node 2 --master-port 29652 train.py",
    where="launchers",
    script=TRAINER
    + """
class Bad(Texts):
    def __getitem__(self, k):
        row = super().__getitem__(k)
        if k == 301: row['labels'][5] = 999
        return row
Trainer(lm(), settings(), train_dataset=Bad()).train()
""",
)
real(
    "sft_takes_no_tokenizer",
    "A1",
    "a script for an older TRL hands SFTTrainer a tokenizer",
    "python sft.py --model gpt2 --data train.jsonl",
    where="launchers",
    files={
        "sft.py": TRAINER
        + """
from trl import SFTConfig, SFTTrainer
print('trl sft, packing=False')
SFTTrainer(model=lm(), tokenizer=None, train_dataset=Texts(), max_seq_length=512, args=SFTConfig(output_dir='out', use_cpu=True, bf16=False)).train()
"""
    },
)
real(
    "checkpointing_without_gradients",
    "E1",  # arranged was A1: this version gives a gradient of zero instead of an exception, as the log shows
    "everything is frozen under gradient checkpointing: every gradient is zero, the loss stays",
    "python train.py",
    where="launchers",
    script=TRAINER
    + """
model = lm(); model.requires_grad_(False); model.transformer.h[0].requires_grad_(False)
Trainer(model, settings(gradient_checkpointing=True), train_dataset=Texts()).train()
""",
)
real(
    "learns_by_heart",
    "G1",
    "Trainer: the training loss falls to nearly nothing, the evaluation loss rises threefold",
    "python train.py",
    where="launchers",
    script=TRAINER
    + """
class Noise(Texts):
    def __init__(self, n, seed): self.n = n; g = torch.Generator().manual_seed(seed); self.rows = torch.randint(0, 64, (n, 24), generator=g)
    def __getitem__(self, k): return {'input_ids': self.rows[k], 'labels': self.rows[k].clone()}
Trainer(lm(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0), settings(max_steps=400, logging_steps=20, eval_strategy='steps', eval_steps=50, per_device_train_batch_size=8, learning_rate=1e-2), train_dataset=Noise(32, 1), eval_dataset=Noise(32, 2)).train()
""",
)
real(
    "resume_without_state",
    "E2 A1",
    "Trainer: resumed from a checkpoint whose trainer_state.json was not written",
    "python train.py && rm out/checkpoint-40/trainer_state.json && echo 'requeued' && python train.py out/checkpoint-40",
    where="launchers",
    script=TRAINER
    + """
Trainer(lm(), settings(save_strategy='steps', save_steps=20, max_steps=40 if len(sys.argv) < 2 else 80), train_dataset=Texts()).train(resume_from_checkpoint=sys.argv[1] if len(sys.argv) > 1 else None)
""",
)
real(
    "best_model_strategies_differ",
    "A1",
    "TrainingArguments: load_best_model_at_end with strategies that differ",
    "python train.py",
    where="launchers",
    script=TRAINER
    + "settings(load_best_model_at_end=True, eval_strategy='epoch', save_strategy='steps', save_steps=500)\n",
)
real(
    "map_worker_no_template",
    "A1",
    "datasets.map with two processes: the tokenizer has no chat template",
    "python prepare.py",
    where="launchers",
    files={
        "prepare.py": """
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
t = Tokenizer(models.WordLevel({'<unk>': 0, 'hi': 1}, unk_token='<unk>')); t.pre_tokenizer = pre_tokenizers.Whitespace()
tok = PreTrainedTokenizerFast(tokenizer_object=t, unk_token='<unk>')
ds = Dataset.from_list([{'messages': [{'role': 'user', 'content': 'hi'}]}] * 400)
print(ds)
ds = ds.map(lambda r: {'text': tok.apply_chat_template(r['messages'], tokenize=False)}, num_proc=2, desc='Applying chat template')
print(len(ds))
"""
    },
)
real(
    "stopping_on_absent_metric",
    "A1",
    "Lightning: EarlyStopping watches a metric that nobody logs; found out after the first epoch",
    "python train.py",
    where="launchers",
    script="""
import torch, lightning as L
from lightning.pytorch.callbacks import EarlyStopping
class M(L.LightningModule):
    def __init__(self): super().__init__(); self.l = torch.nn.Linear(8, 2)
    def training_step(self, b, i): loss = torch.nn.functional.cross_entropy(self.l(b[0]), b[1]); self.log('train/loss', loss, prog_bar=True); return loss
    def configure_optimizers(self): return torch.optim.Adam(self.parameters(), 1e-3)
ds = torch.utils.data.TensorDataset(torch.randn(256, 8), torch.randint(0, 2, (256,)))
L.Trainer(max_epochs=5, accelerator='cpu', callbacks=[EarlyStopping('val/loss', check_on_train_epoch_end=True)], logger=False, enable_checkpointing=False).fit(M(), torch.utils.data.DataLoader(ds, 16))
""",
)
real(
    "composer_rank_raises",
    "A1",
    "Composer's launcher does not come up: torchvision was built for another torch (arranged: a rank that raises)",
    "PATH=/tmp/fw/env4/bin:$PATH composer -n 2 --master_port 29655 train.py",
    where="frameworks",
    script="""
import os, time, torch, torch.distributed as dist
dist.init_process_group('gloo'); r = dist.get_rank()
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1)); opt = torch.optim.SGD(net.parameters(), 0.01)
w = torch.randn(8, 1)
for k in range(1, 120):
    x = torch.randn(32, 8)
    if r == 1 and k == 40: x = x[:, :7]
    loss = (net(x) - x @ w).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
    if r == 0 and k % 5 == 0: print(f'[batch={k}/120]: Train loss/train/total: {loss.item():.4f}', flush=True)
    time.sleep(0.03)
""",
)
real(
    "flax_tree_differs",
    "E2",
    "Flax: the checkpoint's tree has other names than the model that is to continue",
    "python train.py",
    where="tf",
    script="""
import jax, jax.numpy as jnp, flax.serialization as S
print('jax', jax.__version__, 'devices', jax.devices())
old = {'params': {'Dense_0': {'kernel': jnp.ones((4, 4)), 'bias': jnp.zeros(4)}}, 'step': 400}
open('ckpt_400.msgpack', 'wb').write(S.to_bytes(old))
state = {'params': {'encoder': {'Dense_0': {'kernel': jnp.ones((4, 4)), 'bias': jnp.zeros(4)}}}, 'step': 0}
print('Restoring checkpoint from ckpt_400.msgpack ...', flush=True)
state = S.from_bytes(state, open('ckpt_400.msgpack', 'rb').read())
""",
)
real(
    "jax_traced_branch",
    "A1",
    "JAX: a branch on a traced value",
    "python train.py",
    where="tf",
    script="""
import jax, jax.numpy as jnp
@jax.jit
def step(w, x, y):
    loss = jnp.mean((x @ w - y) ** 2)
    if loss > 10.0: loss = jnp.minimum(loss, 10.0)
    return w - 0.01 * jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w), loss
w = jnp.zeros(4); key = jax.random.key(0)
print('compiling train step')
for k in range(100): x = jax.random.normal(key, (8, 4)); w, l = step(w, x, x.sum(1)); print(k, l)
""",
)
real(
    "keras_dataset_raises",
    "A1",
    "Keras: a PyDataset of two workers raises KeyError for one of its batches",
    "python train.py",
    where="tf",
    script="""
import keras, numpy as np
class Rows(keras.utils.PyDataset):
    def __init__(self): super().__init__(workers=2, use_multiprocessing=False); self.meta = {k: k % 3 for k in range(60) if k != 41}
    def __len__(self): return 60
    def __getitem__(self, k): rng = np.random.default_rng(k); return rng.normal(size=(8, 10)).astype('float32'), np.full(8, self.meta[k])
m = keras.Sequential([keras.layers.Dense(16, 'relu'), keras.layers.Dense(3, 'softmax')]); m.compile('adam', 'sparse_categorical_crossentropy')
m.fit(Rows(), epochs=3, verbose=2, shuffle=False)
""",
)
real(
    "tf_label_beyond_classes",
    "A1",
    "TensorFlow: a label of 12 where there are ten classes, in the second epoch's graph",
    "python train.py",
    where="tf",
    script="""
import keras, numpy as np
x = np.random.normal(size=(512, 10)).astype('float32'); y = np.random.randint(0, 10, 512); y[300] = 12
m = keras.Sequential([keras.layers.Dense(16, 'relu'), keras.layers.Dense(10)]); m.compile('adam', keras.losses.SparseCategoricalCrossentropy(from_logits=True))
m.fit(x[:256], y[:256], epochs=1, verbose=2)
m.fit(x, y, epochs=1, verbose=2, shuffle=False)
""",
)
real(
    "keras_generator_short",
    "G1",
    "Keras: the generator ends early in each epoch, Keras warns that training is interrupted, and goes on; all is well",
    "python train.py",
    where="tf",
    script="""
import keras, numpy as np
rng = np.random.default_rng(0); w = rng.normal(size=(10, 1)).astype('float32')
def rows():
    for _ in range(130): x = rng.normal(size=(16, 10)).astype('float32'); yield x, x @ w
m = keras.Sequential([keras.layers.Dense(1)]); m.compile(keras.optimizers.Adam(1e-2), 'mse')
h = m.fit(rows(), epochs=4, steps_per_epoch=40, verbose=2)
print('final loss', h.history['loss'][-1]); m.save('final.keras'); print('saved final.keras')
""",
)
real(
    "multirun_third_job",
    "A1",
    "Hydra's multirun: the third of three jobs gets a rate that is no number",
    "python train.py -m lr=0.01,0.003,fast hydra.sweep.dir=multirun",
    where="launchers",
    script="""
import hydra, torch, time
from omegaconf import DictConfig
from hydra.core.config_store import ConfigStore
from dataclasses import dataclass
@dataclass
class C: lr: str = '0.01'
ConfigStore.instance().store('config', C)
@hydra.main(version_base=None, config_name='config')
def main(cfg: DictConfig):
    w = torch.zeros(4, requires_grad=True); opt = torch.optim.SGD([w], lr=float(cfg.lr))
    for k in range(1, 51):
        loss = ((w - 1) ** 2).sum(); opt.zero_grad(); loss.backward(); opt.step()
        if k % 10 == 0: print(f'step {k} loss {loss.item():.4f}')
main()
""",
)
real(
    "tracker_unreachable",
    "A1",
    "wandb online on a node without a way out: the run cannot be initialised",
    "env -u HF_HUB_OFFLINE WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567 python train.py",
    where="launchers",
    script="""
import wandb
run = wandb.init(project='speech', settings=wandb.Settings(init_timeout=10))
print('tracking at', run.url)
""",
)
real(
    "titan_without_gpu",
    "A1",
    "torchtitan on a machine without a GPU",
    "torchrun --nproc-per-node 2 --master-port 29656 -m torchtitan.train --module llama3 --config llama3_debugmodel",
    where="launchers",
)
real(
    "tokenizer_model_of_zero_bytes",
    "A1",
    "SentencePiece's model is a file of zero bytes",
    "mkdir tok; : > tok/tokenizer.model; python train.py tok",
    where="launchers",
    script="""
import sys, sentencepiece as spm
print('loading tokenizer from', sys.argv[1])
sp = spm.SentencePieceProcessor(model_file=sys.argv[1] + '/tokenizer.model')
print(sp.vocab_size())
""",
)
real(
    "glob_finds_no_data",
    "A1",
    "load_dataset('json') with a pattern that matches nothing",
    "python train.py 'data/*.jsonl'",
    where="launchers",
    script="""
import sys
from datasets import load_dataset
ds = load_dataset('json', data_files={'train': sys.argv[1]}, split='train')
print(ds)
""",
)
real(
    "preference_run_sound",
    "G1",
    "TRL's DPO: a sound run whose rewards are negative and whose loss falls from ln 2",
    "python dpo.py",
    where="launchers",
    files={
        "dpo.py": TRAINER
        + """
from datasets import Dataset as D
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer
words = ['<unk>', '<pad>', '<eos>'] + [f'w{k}' for k in range(50)]
t = Tokenizer(models.WordLevel({w: k for k, w in enumerate(words)}, unk_token='<unk>')); t.pre_tokenizer = pre_tokenizers.Whitespace()
tok = PreTrainedTokenizerFast(tokenizer_object=t, unk_token='<unk>', pad_token='<pad>', eos_token='<eos>')
rows = D.from_list([{'prompt': f'w{k % 9} w{k % 5}', 'chosen': f'w{k % 9} w{k % 7}', 'rejected': f'w{40 + k % 5} w{k % 3}'} for k in range(256)])
DPOTrainer(lm(), ref_model=lm(), args=DPOConfig(output_dir='o', max_steps=60, logging_steps=5, report_to=[], use_cpu=True, bf16=False, learning_rate=1e-3, per_device_train_batch_size=8), train_dataset=rows, processing_class=tok).train()
"""
    },
)
