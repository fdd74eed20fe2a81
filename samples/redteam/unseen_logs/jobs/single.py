"""One process: what operators meet at start-up and in mid-run, and curves that look worse or better than they are."""

from __future__ import annotations

from ..book import real
from ..kit import PLAIN

LEARN = """
net = Net(); opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
def update(lr=None):
    if lr is not None:
        for g in opt.param_groups: g['lr'] = lr
    x, y = batch(); loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step(); return loss.item()
"""

real(
    "yaml_rate_is_text",
    "A1",
    "YAML reads 1e-4 as a text: the optimizer compares a float with it",
    "/bin/bash run.sh configs/base.yaml",
    where="launchers",
    files={
        "run.sh": 'set -e\necho "host $(uname -m), config $1"\npython train.py --config $1\n',
        "configs/base.yaml": "model:\n  width: 48\noptim:\n  lr: 1e-4\n  betas: [0.9, 0.95]\ndata:\n  workers: 0\n",
    },
    script="import yaml\n"
    + PLAIN
    + """
cfg = yaml.safe_load(open(sys.argv[2])); print(json.dumps(cfg, indent=2))
net = Net(cfg['model']['width'])
print('parameters:', sum(p.numel() for p in net.parameters()))
opt = torch.optim.AdamW(net.parameters(), lr=cfg['optim']['lr'], betas=cfg['optim']['betas'])
""",
)
real(
    "folder_without_samples",
    "A1",
    "the data folder is empty: a sampler of no samples",
    "mkdir -p data/train && python train.py --data data/train",
    script=PLAIN
    + """
from pathlib import Path
class Folder(torch.utils.data.Dataset):
    def __init__(self, root): self.files = sorted(Path(root).glob('*.npy')); print(f'[data] {len(self.files)} files under {root}')
    def __len__(self): return len(self.files)
    def __getitem__(self, k): return torch.load(self.files[k])
loader = torch.utils.data.DataLoader(Folder(sys.argv[2]), batch_size=8, shuffle=True)
for b in loader: pass
""",
)
real(
    "features_are_double",
    "A1",
    "the features are float64, the weights float32",
    "python -u train.py",
    script=PLAIN
    + """
import numpy as np
x = torch.from_numpy(np.random.randn(256, 20)); net = Net()
print('x', tuple(x.shape), x.dtype)
for epoch in range(3):
    out = net(x)
    print('epoch', epoch, out.mean().item())
""",
)
real(
    "unbound_variable",
    "A1",
    "set -u: the script uses a variable that the site does not set",
    "bash job.sh",
    files={
        "job.sh": '#!/bin/bash\nset -euo pipefail\necho "Job started on $(uname -s) at $(date -u +%FT%TZ)"\nexport MASTER_ADDR=localhost\n'
        'echo "nodes: ${SLURM_JOB_NODELIST}"\ntorchrun --nnodes $SLURM_NNODES train.py\n'
    },
    script="print('never')\n",
)
real(
    "wrong_interpreter",
    "A1",
    "conda is not there, the script goes on with the system's Python, which has no torch",
    "bash submit.sh",
    files={
        "submit.sh": 'source ~/.bashrc 2>/dev/null\nconda activate speech\nwhich python3 || true\nexport PATH=/usr/bin:/bin\n/usr/bin/python3 train.py --epochs 20\necho "job finished with status $?"\nexit 1\n'
    },
    script="import argparse, os, sys\nimport torch\nprint(torch.__version__)\n",
)
real(
    "nothing_to_optimize",
    "A1",
    "everything was frozen: the optimizer gets an empty list",
    "python train.py freeze=all",
    script=PLAIN
    + """
net = Net()
for n, p in net.named_parameters():
    if n.startswith(('encoder', 'head')): p.requires_grad_(False); print('freezing', n)
opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
""",
)
real(
    "in_place_in_mid_run",
    "A1",
    "after 60 steps a regularizer changes activations in place: autograd raises",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
log = logging.getLogger('trainer'); logging.basicConfig(level=logging.INFO, format='%(asctime)s.%(msecs)03d | %(levelname)-8s | %(name)s:%(funcName)s:%(lineno)d - %(message)s', datefmt='%Y-%m-%d %H:%M:%S')
for k in range(1, 200):
    if k < 60: v = update()
    else:
        x, y = batch(); h = torch.exp(net.encoder(x)); out = net.head(h); h.mul_(0.5)
        loss = F.cross_entropy(out, y); opt.zero_grad(); loss.backward(); opt.step()
    if k % 10 == 0: log.info('step %d/200 loss=%.4f', k, v)
""",
)
real(
    "pointer_instead_of_weights",
    "A1 E2",
    "the pretrained weights are a pointer of Git LFS",
    "python finetune.py --pretrained weights/backbone.pth",
    files={
        "weights/backbone.pth": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 102530333\n",
        "finetune.py": PLAIN
        + """
net = Net()
print('loading pretrained backbone from', sys.argv[2])
net.load_state_dict(torch.load(sys.argv[2]), strict=False)
""",
    },
)
real(
    "config_is_a_web_page",
    "A1",
    "config.json of the model is the page of a login",
    "python train.py --model models/med-lm",
    where="launchers",
    files={
        "models/med-lm/config.json": "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in</body></html>\n"
    },
    script="""
import sys
from transformers import AutoConfig, AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained(sys.argv[2])
print(model.num_parameters())
""",
)
real(
    "certificate_of_nobody",
    "A1",
    "weights come from a server whose certificate nobody vouches for",
    "openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 2 -subj /CN=localhost >/dev/null 2>&1; python server.py & sleep 2; python train.py; s=$?; kill %1; exit $s",
    files={
        "server.py": "import http.server, ssl\ns = http.server.HTTPServer(('127.0.0.1', 29631), http.server.SimpleHTTPRequestHandler)\nc = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain('c.pem', 'k.pem')\ns.socket = c.wrap_socket(s.socket, server_side=True); s.serve_forever()\n"
    },
    script=PLAIN
    + """
print('Downloading: "https://localhost:29631/resnet18-f37072fd.pth" to ~/.cache/torch/hub/checkpoints/resnet18-f37072fd.pth')
state = torch.hub.load_state_dict_from_url('https://localhost:29631/resnet18-f37072fd.pth')
""",
)
real(
    "threads_refused",
    "A1",
    "an ordinary user with a limit of processes: Python itself may not be executed (arranged: workers that cannot be forked)",
    "chmod 755 . ; chmod 644 train.py; setpriv --reuid 23456 --regid 23456 --clear-groups prlimit --nproc=3 python train.py",
    script=PLAIN
    + """
ds = torch.utils.data.TensorDataset(DATA, LABELS)
loader = torch.utils.data.DataLoader(ds, 64, num_workers=8)
print('starting epoch 0 with 8 workers')
for x, y in loader: pass
print('epoch 0 done')
""",
)
real(
    "question_without_terminal",
    "A1",
    "the program asks a question, and a batch job has no terminal",
    "python train.py < /dev/null",
    script=PLAIN
    + """
os.makedirs('runs/exp1', exist_ok=True)
print('Output directory runs/exp1 exists and is not empty.')
if input('Overwrite? [y/N] ').lower() != 'y': sys.exit('aborted')
""",
)
real(
    "database_locked",
    "A1",
    "the results' SQLite file is held by another process for too long, after 40 steps",
    "python hold.py & sleep 1; python train.py; s=$?; kill %1; exit $s",
    files={
        "hold.py": "import sqlite3, time\nc = sqlite3.connect('results.db'); c.execute('create table if not exists m (step, loss)'); c.commit()\nc.execute('begin exclusive'); time.sleep(60)\n"
    },
    script="import sqlite3\n"
    + PLAIN
    + LEARN
    + """
c = sqlite3.connect('results.db', timeout=2)
for k in range(1, 100):
    v = update()
    if k % 10 == 0: print(f'{k:05d} {v:.6f}', flush=True)
    if k == 40: c.execute('insert into m values (?, ?)', (k, v)); c.commit()
""",
)
real(
    "warning_made_an_error",
    "A1",
    "python -W error: a deprecation ends the program",
    "python -W error::FutureWarning train.py",
    script=PLAIN
    + """
net = Net()
scaler = torch.cuda.amp.GradScaler(enabled=False)
print('scaler ready')
""",
)
real(
    "user_signal_ends_it",
    "A2 F3 outside",
    "USR1 from outside, as a scheduler's warning; nobody handles it, the shell's word is all that is left",
    "python train.py & p=$!; until [ -e .at ]; do sleep 0.2; done; kill -USR1 $p; wait $p; exit $?",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 3000):
    v = update(); time.sleep(0.03)
    if k % 10 == 0: print(f'[{k}/3000] loss: {v:.4f}', flush=True)
    if k == 80: open('.at', 'w').close()
""",
)
real(
    "folds_begin_anew",
    "G1",
    "cross validation: five folds, each from its first step with fresh weights",
    "python train.py --folds 5",
    script=PLAIN
    + """
scores = []
for fold in range(5):
    torch.manual_seed(fold); net = Net(); opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    print(f'===== Fold {fold + 1}/5 =====')
    for epoch in range(1, 9):
        total = 0.0
        for _ in range(20):
            x, y = batch(); loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step(); total += loss.item()
        print(f'Epoch {epoch:2d}/8  train_loss={total / 20:.4f}')
    acc = (net(DATA).argmax(1) == LABELS).float().mean().item(); scores.append(acc); print(f'Fold {fold + 1} accuracy {acc:.4f}')
print(f'CV accuracy: {sum(scores) / 5:.4f} (5 folds)')
""",
)
real(
    "grid_with_a_bad_rate",
    "G1 -",
    "a grid of three learning rates: the last one overflows by design of the grid, the best is chosen and kept",
    "python sweep.py",
    files={
        "sweep.py": PLAIN
        + """
best = (9e9, None)
for lr in (1e-3, 3e-3, 1e6):
    torch.manual_seed(0); net = Net(); opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    print(f'>>> trial lr={lr:g}')
    for k in range(1, 101):
        x, y = batch(); loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
        if k % 20 == 0: print(f'    step {k:3d} loss {loss.item():.4f}')
    print(f'<<< trial lr={lr:g} final loss {loss.item():.4f}' + (' (discarded)' if not math.isfinite(loss.item()) or loss.item() > 10 else ''))
    if loss.item() < best[0]: best = (loss.item(), lr)
print(f'best learning rate {best[1]:g} with loss {best[0]:.4f}; written to best.json')
json.dump(best, open('best.json', 'w'))
"""
    },
)
real(
    "two_networks_oppose",
    "G1 -",
    "a GAN: the generator's loss rises while the discriminator's falls, as it should at first",
    "python gan.py",
    files={
        "gan.py": PLAIN
        + """
G = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 20)); D = nn.Sequential(nn.Linear(20, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
g = torch.optim.Adam(G.parameters(), 1e-3); d = torch.optim.Adam(D.parameters(), 1e-3); one = torch.ones(64, 1)
for k in range(1, 601):
    real, _ = batch(); fake = G(torch.randn(64, 8))
    ld = F.binary_cross_entropy_with_logits(D(real * 2 + 1), one) + F.binary_cross_entropy_with_logits(D(fake.detach()), 0 * one)
    d.zero_grad(); ld.backward(); d.step()
    lg = F.binary_cross_entropy_with_logits(D(fake), one); g.zero_grad(); lg.backward(); g.step()
    if k % 25 == 0: print(f'[{k}/600] Loss_D: {ld.item():.4f} Loss_G: {lg.item():.4f} D(x): {D(real).sigmoid().mean():.3f}')
torch.save(G.state_dict(), 'G.pt'); print('Done. Generator saved to G.pt')
"""
    },
)
real(
    "stages_of_a_recipe",
    "G1",
    "pretraining, then fine-tuning on another task, in one file: steps and loss begin anew by plan",
    "python pretrain.py && python finetune.py",
    files={
        "pretrain.py": PLAIN
        + LEARN
        + """
print('=== stage 1: pretraining (reconstruction) ===')
dec = nn.Linear(48, 20); o = torch.optim.Adam([*net.encoder.parameters(), *dec.parameters()], 3e-3)
for k in range(1, 301):
    x, _ = batch(); l = F.mse_loss(dec(net.encoder(x)), x); o.zero_grad(); l.backward(); o.step()
    if k % 20 == 0: print(f'step {k}/300 loss {l.item():.5f}')
torch.save(net.encoder.state_dict(), 'encoder.pt'); print('encoder saved to encoder.pt')
""",
        "finetune.py": PLAIN
        + LEARN
        + """
print('=== stage 2: fine-tuning (classification) from encoder.pt ===')
print(net.encoder.load_state_dict(torch.load('encoder.pt')))
for k in range(1, 301):
    v = update()
    if k % 20 == 0: print(f'step {k}/300 loss {v:.5f}')
print('accuracy', (net(DATA).argmax(1) == LABELS).float().mean().item())
""",
    },
)
real(
    "never_back_from_a_spike",
    "E1 G1",  # amended after first contact: it came back, if to three times its best and more
    "the learning rate is raised a thousandfold at step 150 by a wrong schedule: the loss jumps and never finds its level again",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 501):
    v = update(3e-3 if k < 150 else 3.0)
    if k % 10 == 0: print(f'{{"step": {k}, "loss": {v:.4f}, "lr": {opt.param_groups[0]["lr"]}, "tokens": {k * 4096}}}')
print('{"event": "finished", "steps": 500}')
""",
)
real(
    "optimizer_of_another_model",
    "E1",
    "the optimizer holds the weights of a copy: the loss stays where guessing is, the gradient is alive",
    "python train.py",
    script=PLAIN
    + """
net = Net(); old = Net(); opt = torch.optim.AdamW(old.parameters(), lr=3e-3)
for k in range(1, 801):
    x, y = batch(512); loss = F.cross_entropy(net(x), y); net.zero_grad(); loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step()
    if k % 10 == 0: print(f'Iter {k:6d} | loss {loss.item():.3f} | grad {norm:.3f} | lr 3.0e-03 | 812 samples/s')
print('Training finished after 800 iterations.')
""",
)
real(
    "stands_at_chance_then_falls",
    "G1",
    "a parity task: the loss stands at ln 2 for most of the run and then falls",
    "python train.py",
    script="""
import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(4)
net = nn.Sequential(nn.Linear(12, 256), nn.ReLU(), nn.Linear(256, 1)); opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-2)
for k in range(1, 2401):
    x = (torch.rand(256, 12) > 0.5).float(); y = (x[:, :4].sum(1) % 2)
    l = F.binary_cross_entropy_with_logits(net(2 * x - 1).squeeze(1), y); opt.zero_grad(); l.backward(); opt.step()
    if k % 40 == 0: print(f'step {k}: loss = {l.item():.4f}')
    if l.item() < 0.02: break
print(f'solved at step {k}; stopping')
""",
)
