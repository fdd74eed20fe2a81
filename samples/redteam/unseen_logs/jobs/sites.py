"""How sites start jobs and what is left of them: typescripts, notebooks, meters, runners of OpenMMLab."""

from __future__ import annotations

from ..book import real
from ..kit import PLAIN
from .single import LEARN

real(
    "steps_flushed_after_traceback",
    "A1",
    "standard output is buffered and comes after the traceback that ended the program, in one file",
    "env -u PYTHONUNBUFFERED python train.py",
    script=PLAIN
    + LEARN
    + """
for epoch in range(1, 11):
    for k in range(30): v = update()
    print(f'Epoch {epoch:3d} | train loss {v:.4f} | lr 3.00e-03')
    if epoch == 8: net(DATA[:, :19])
""",
)
real(
    "typescript_of_a_session",
    "A1",
    "script(1) kept a terminal session: bars, colours, and an exception in the fourth epoch",
    "script -qefc 'python train.py' typescript",
    script=PLAIN
    + LEARN
    + r"""
for epoch in range(1, 6):
    for k in range(40):
        v = update(); print(f'\rEpoch {epoch}/5 \x1b[32m{"#" * (k // 2):<20}\x1b[0m {k + 1}/40 loss={v:.4f}', end='', flush=True)
        if epoch == 4 and k == 17: torch.cat([DATA[:4], LABELS[:4].unsqueeze(1).float()], dim=0)
    print()
""",
)
real(
    "starved_runner",
    "D1",
    "MMEngine's runner: 30 iterations of some three seconds each, of which its own meter gives nearly all to data",
    "python train.py",
    where="unseen",
    script="""
import time, torch
from mmengine.model import BaseModel
from mmengine.runner import Runner
from torch.utils.data import DataLoader, Dataset
class Cold(Dataset):
    def __len__(self): return 60
    def __getitem__(self, k): time.sleep(1.35); return torch.randn(8), torch.randint(0, 3, ()).item()
class M(BaseModel):
    def __init__(self): super().__init__(); self.l = torch.nn.Linear(8, 3)
    def forward(self, x, y, mode): return {'loss': torch.nn.functional.cross_entropy(self.l(x), y)}
Runner(M(), 'work', train_dataloader=DataLoader(Cold(), 2), train_cfg=dict(by_epoch=True, max_epochs=1), optim_wrapper=dict(optimizer=dict(type='SGD', lr=0.05)), default_hooks=dict(logger=dict(type='LoggerHook', interval=3))).train()
""",
)
real(
    "runner_sound_other_head",
    "G1",
    "MMEngine: weights are loaded for another number of classes, it says that they do not match and trains well",
    "python train.py",
    where="unseen",
    script="""
import torch
from mmengine.model import BaseModel
from mmengine.runner import Runner
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class M(BaseModel):
    def __init__(self, n): super().__init__(); self.backbone = torch.nn.Linear(8, 32); self.head = torch.nn.Linear(32, n)
    def forward(self, x, y, mode): return {'loss': torch.nn.functional.cross_entropy(self.head(self.backbone(x).relu()), y)}
torch.save({'state_dict': M(10).state_dict(), 'meta': {}}, 'pretrained.pth')
x = torch.randn(1024, 8); y = (x @ torch.randn(8, 3)).argmax(1)
Runner(M(3), 'work', train_dataloader=DataLoader(TensorDataset(x, y), 16, shuffle=True), train_cfg=dict(by_epoch=True, max_epochs=4), optim_wrapper=dict(optimizer=dict(type='AdamW', lr=3e-3)), load_from='pretrained.pth', default_hooks=dict(logger=dict(type='LoggerHook', interval=16))).train()
""",
)
real(
    "runner_knows_no_model",
    "A1",
    "MMEngine: a model that is in no registry",
    "python tools/train.py configs/x.py",
    where="unseen",
    files={
        "configs/x.py": "model = dict(type='SwinTransformerV9', depth=4)\nwork_dir = 'work'\ntrain_cfg = dict(by_epoch=True, max_epochs=1)\ntrain_dataloader = dict(batch_size=2, dataset=dict(type='Cityscapes'), sampler=dict(type='DefaultSampler'))\noptim_wrapper = dict(optimizer=dict(type='SGD', lr=0.1))\n",
        "tools/train.py": "import sys\nfrom mmengine.config import Config\nfrom mmengine.runner import Runner\nRunner.from_cfg(Config.fromfile(sys.argv[1])).train()\n",
    },
)
real(
    "notebook_cell_raises",
    "A1",
    "papermill runs a notebook; its third cell raises after a training loop",
    "python mk.py && papermill train.ipynb out.ipynb --log-output",
    where="unseen",
    files={
        "mk.py": 'import json\ncells = [\'import torch\\nw = torch.zeros(3, requires_grad=True)\', \'for k in range(30):\\n    l = ((w - 1) ** 2).sum(); l.backward()\\n    w.data -= 0.05 * w.grad; w.grad = None\\n    if k % 5 == 0: print("iter", k, "loss", round(l.item(), 4))\', \'scores = {"val": l.item()}\\nprint(scores["test"])\']\n'
        "json.dump({'cells': [{'cell_type': 'code', 'execution_count': None, 'id': str(i), 'metadata': {}, 'outputs': [], 'source': c} for i, c in enumerate(cells)], 'metadata': {'kernelspec': {'name': 'python3', 'display_name': 'p', 'language': 'python'}, 'language_info': {'name': 'python'}}, 'nbformat': 4, 'nbformat_minor': 5}, open('train.ipynb', 'w'))\n"
    },
)
real(
    "time_v_of_a_killed_one",
    "A2",
    "GNU time -v: the command was terminated by signal 9, and its table still says Exit status: 0",
    "/usr/bin/time -v python train.py & t=$!; until [ -e .at ]; do sleep 0.2; done; kill -9 $(pgrep -P $t); wait $t",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 3000):
    v = update(); time.sleep(0.02)
    if k % 10 == 0: print(f'{k}: {v:.4f}', flush=True)
    if k == 120: open('.at', 'w').close()
""",
)
real(
    "time_v_of_a_sound_one",
    "G1",
    "GNU time -v around a sound run, with major page faults, involuntary switches and a status of 0",
    "/usr/bin/time -v python train.py",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 301):
    v = update()
    if k % 20 == 0: print(f'step {k}/300: loss {v:.4f}', flush=True)
print('done')
""",
)
real(
    "torchrun_one_logs_per_rank",
    "E1",
    "torchrun with a log of its own for each rank: the loss of all explodes to inf and goes on; the launcher's log is silent",
    'mkdir keep; torchrun --nproc-per-node 2 --master-port 29671 --redirects 3 --log-dir logs train.py; s=$?; for r in 0 1; do cp $(find logs -path "*attempt_0/$r/stdout.log") keep/rank${r}_stdout.log; done; exit $s',
    script="import os, torch, torch.distributed as dist\n"
    + """
dist.init_process_group('gloo'); r = dist.get_rank(); torch.manual_seed(0)
w = torch.randn(8, 1); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1)); opt = torch.optim.SGD(net.parameters(), lr=0.9)
for k in range(1, 401):
    x = torch.randn(32, 8); loss = ((net(x) - x @ w) ** 2).sum() / 8; opt.zero_grad(); loss.backward(); opt.step()
    if k % 8 == 0: print(f'[{r}] update {k:4d} loss {loss.item():.5g}', flush=True)
dist.destroy_process_group()
""",
)
real(
    "worker_waits_too_long",
    "A1 D1",  # amended after first contact: the loader's own time-out is an exception, and a wait for data
    "a loader's worker stands in a read; torch gives up after five seconds",
    "python train.py",
    script=PLAIN
    + """
class Slow(torch.utils.data.Dataset):
    def __len__(self): return 400
    def __getitem__(self, k):
        if k == 210: time.sleep(300)
        return DATA[k], LABELS[k]
net = Net(); opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for k, (x, y) in enumerate(torch.utils.data.DataLoader(Slow(), 8, num_workers=2, timeout=5)):
    loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
    if k % 5 == 0: print(f'train | it {k:4d}/50 | loss {loss.item():.4f}', flush=True)
""",
)
