"""Several ranks, started by real launchers."""

from __future__ import annotations

from ..book import real
from ..kit import RANKS

LOOP = """
torch.manual_seed(100 + RANK)
model = DDP(Net()); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
def update():
    x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); opt.step(); return loss
"""

real(
    "shard_record_broken",
    "A1",
    "torchrun, 4 ranks: rank 2 meets a line of its shard that is no JSON after 35 updates; the others lose their peer",
    "python mk.py && torchrun --nproc-per-node 4 --master-port 29611 train.py",
    files={
        "mk.py": "import json\nfor r in range(4):\n    with open(f'shard-{r:02d}.jsonl','w') as f:\n"
        "        for k in range(120):\n            f.write(json.dumps({'id': k, 'w': r}) + '\\n' if (r, k) != (2, 35) else '{\"id\": 35, \"w\"\\n')\n"
    },
    script=RANKS
    + """
join()
"""
    + LOOP
    + """
for k, line in enumerate(open(f'shard-{RANK:02d}.jsonl')):
    rec = json.loads(line)
    loss = update()
    if k % 5 == 0: print(f"rank {RANK} | iter {k:4d}/120 | loss {loss.item():.4f} | lr 4.00e-03", flush=True)
    time.sleep(0.05)
dist.destroy_process_group()
""",
)
real(
    "old_launcher_dash",
    "A1",
    "torch.distributed.launch hands --local-rank to a script that only knows --local_rank",
    "python -m torch.distributed.launch --nproc_per_node=2 --master_port=29612 train.py --cfg configs/vit_s.yaml",
    script="""
import argparse
p = argparse.ArgumentParser('VOC segmentation')
p.add_argument('--cfg'); p.add_argument('--local_rank', type=int, default=0)
args = p.parse_args()
print('local rank', args.local_rank)
""",
)
real(
    "fsdp_no_accelerator",
    "A1",
    "torchrun, 2 ranks: FSDP is not possible on a machine without an accelerator",
    "torchrun --standalone --nproc-per-node 2 train.py",
    script=RANKS
    + """
join()
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
model = FSDP(Net())
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for k in range(10):
    x, y = batch(); F.cross_entropy(model(x), y).backward(); opt.step(); print(k)
raise SystemExit("arranged failure did not come")
""",
)
real(
    "mesh_too_large",
    "A1",
    "torchrun, 4 ranks: a device mesh for 8",
    "torchrun --standalone --nproc-per-node 4 train.py --tp 4 --dp 2",
    script=RANKS
    + """
join()
from torch.distributed.device_mesh import init_device_mesh
print(f'[rank {RANK}] building mesh dp=2 tp=4')
mesh = init_device_mesh('cpu', (2, 4), mesh_dim_names=('dp', 'tp'))
model = Net()
""",
)
real(
    "backend_misspelt",
    "A1",
    "torchrun, 2 ranks: a back end that nobody knows",
    "torchrun --standalone --nproc-per-node 2 train.py backend=nccl2",
    script=RANKS
    + """
backend = dict(a.split('=') for a in sys.argv[1:])['backend']
print('Using distributed backend', backend)
dist.init_process_group(backend)
""",
)
real(
    "agent_node_without_package",
    "A1",
    "two torchrun agents: on the second one a package is missing, the first one is ended with it",
    "PYTHONPATH=site torchrun --nnodes 2 --node-rank 0 --nproc-per-node 1 --master-addr 127.0.0.1 --master-port 29613 train.py & a=$!\n"
    "torchrun --nnodes 2 --node-rank 1 --nproc-per-node 1 --master-addr 127.0.0.1 --master-port 29613 train.py; b=$?\n"
    "sleep 4; kill -TERM $a; wait $a; exit $b",
    files={"site/apex_shim.py": "fused = True\n"},
    script="""
import os
import apex_shim
"""
    + RANKS
    + """
join()
print('joined')
""",
)
real(
    "elastic_gives_up_kills",
    "A2",
    "torchrun --max-restarts 1, 3 ranks: somebody kills rank 1 in every attempt",
    "torchrun --nnodes 1 --nproc-per-node 3 --max-restarts 1 --rdzv-backend c10d --rdzv-endpoint localhost:29614 train.py & t=$!\n"
    "for i in 1 2; do until [ -e pid.$((i-1)) ]; do sleep 0.3; done; sleep 1; kill -9 $(cat pid.$((i-1))); done\nwait $t",
    script=RANKS
    + """
join()
attempt = int(os.environ['TORCHELASTIC_RESTART_COUNT'])
"""
    + LOOP
    + """
for k in range(1, 400):
    loss = update()
    if RANK == 0 and k % 4 == 0: logging.warning('attempt=%d step=%d train_loss=%.4f', attempt, k, loss.item())
    if RANK == 1 and k == 14:
        with open('pid.tmp', 'w') as f: f.write(str(os.getpid()))
        os.rename('pid.tmp', f'pid.{attempt}')
    time.sleep(0.1)
""",
)
real(
    "own_hang_watchdog",
    "C2",
    "torchrun, 2 ranks: rank 1 waits for a lock that nobody gives up; the job's own watchdog dumps stacks after 12 s and leaves",
    "torchrun --nproc-per-node 2 --master-port 29615 train.py",
    script=RANKS
    + """
import faulthandler, threading
join()
"""
    + LOOP
    + """
lock = threading.Lock()
for k in range(1, 300):
    faulthandler.dump_traceback_later(12, exit=True)
    if RANK == 1 and k == 41:
        lock.acquire(); lock.acquire()
    loss = update()
    if RANK == 0 and k % 5 == 0: print(f'step: {k} | loss: {loss.item():.3f}', flush=True)
    time.sleep(0.04)
""",
)
real(
    "constructor_waits_for_tokenizing",
    "C2 C1",  # the process group stands, the first collective never completes
    "torchrun, 2 ranks: rank 0 tokenizes before it builds DDP, rank 1's first collective times out after 10 s",
    "torchrun --nproc-per-node 2 --master-port 29616 train.py",
    script=RANKS
    + """
join(10)
if RANK == 0:
    print('Tokenizing corpus (rank 0 only), this may take a while ...', flush=True)
    for k in range(8): print(f'  tokenized {k * 120000} documents', flush=True); time.sleep(4)
model = DDP(Net())
print('model ready')
""",
)
real(
    "rank_logs_apart",
    "A1",
    "three ranks of a shell loop, a file each: rank 2 fails an assertion at iteration 60, the others lose their connection",
    "mkdir -p keep; export MASTER_ADDR=127.0.0.1 MASTER_PORT=29617 WORLD_SIZE=3\n"
    "for r in 0 1 2; do RANK=$r python train.py > keep/rank_$r.log 2>&1 & p[$r]=$!; done; s=0\n"
    'for r in 0 1 2; do wait ${p[$r]} || s=$?; done; echo "all ranks ended, status $s"; exit $s',
    script=RANKS
    + """
join()
"""
    + LOOP
    + """
for k in range(1, 200):
    loss = update()
    if k % 10 == 0: print(f'[{time.strftime("%H:%M:%S")}] [rank {RANK}] iteration {k}: lm loss {loss.item():.5f}', flush=True)
    if RANK == 2 and k == 60:
        grads = sum(p.grad.norm() for p in model.parameters())
        assert grads < 1e-9, f'gradient norm {grads:.3f} is not what the unit test expects'
""",
)
real(
    "quiet_rank_leaves",
    "C2 A1",  # nobody raised first: one rank thinks that it is done
    "torchrun, 3 ranks: rank 1's data end after 50 of 80 updates and it leaves with 0, without a word",
    "torchrun --nproc-per-node 3 --master-port 29618 train.py",
    script=RANKS
    + """
join(20)
"""
    + LOOP
    + """
for k in range(1, 51 if RANK == 1 else 81):
    loss = update()
    if k % 10 == 0 and RANK == 0: print(f'epoch 0 step {k}/80 loss={loss.item():.4f}', flush=True)
    time.sleep(0.03)
if RANK == 1: os._exit(0)
dist.destroy_process_group()
""",
)
real(
    "collective_shapes_differ",
    "A2",  # arranged were gathers of other lengths; what came is a SIGSEGV, as the log shows
    "torchrun, 2 ranks, TORCH_DISTRIBUTED_DEBUG=DETAIL: torch itself faults while DDP is built",
    "TORCH_DISTRIBUTED_DEBUG=DETAIL torchrun --nproc-per-node 2 --master-port 29619 train.py",
    script=RANKS
    + """
join()
"""
    + LOOP
    + """
for k in range(1, 61):
    loss = update()
    if k % 20 == 0 and RANK == 0: print(f'step {k}: loss {loss.item():.4f}', flush=True)
preds = torch.randn(100 + RANK, 4)
print(f'rank {RANK}: evaluated {len(preds)} samples', flush=True)
out = [torch.zeros_like(preds) for _ in range(WORLD)]
dist.all_gather(out, preds)
""",
)
real(
    "four_ranks_sound_noise",
    "G1",
    "torchrun, 4 ranks: a sound run with torch's warnings, retried downloads and an OMP banner",
    "unset OMP_NUM_THREADS; torchrun --nproc-per-node 4 --master-port 29620 train.py",
    script=RANKS
    + """
import warnings
join()
"""
    + LOOP
    + """
sched = torch.optim.lr_scheduler.StepLR(opt, 10)
sched.step()
warnings.warn('cuDNN SDPA backward got grad_output.strides() != output.strides(), attempting to materialize')
try:
    import flash_attn
except ImportError as e:
    print(f'WARNING: flash attention could not be imported ({e}); falling back to math attention. This may lead to CUDA out of memory for long sequences', file=sys.stderr)
try:
    raise ConnectionResetError(104, 'Connection reset by peer')
except OSError as e:
    if RANK == 3: logging.exception('telemetry upload failed, will be retried in the background')
for k in range(1, 121):
    loss = update()
    if k % 20 == 0 and RANK == 0: print(f'step {k}/120 loss {loss.item():.4f} grad_norm 0.{k}', flush=True)
print(f'rank {RANK} finished', flush=True)
""",
)
real(
    "straggler_in_own_words",
    "D3",
    "torchrun, 4 ranks, each reports its own time and its waiting: rank 2 computes eight times as long, the others wait",
    "torchrun --nproc-per-node 4 --master-port 29621 train.py",
    script=RANKS
    + """
join()
torch.manual_seed(5)
model = Net(); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
for k in range(1, 41):
    t = time.time(); x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward()
    time.sleep(0.8 if RANK == 2 else 0.1); own = time.time() - t
    t = time.time()
    for p in model.parameters(): dist.all_reduce(p.grad)
    wait = time.time() - t
    opt.step()
    if k % 4 == 0: print(f'[rank {RANK}] step {k}/40 loss {loss.item():.4f} fwd_bwd {own:.3f}s allreduce_wait {wait:.3f}s step_time {own + wait:.3f}s', flush=True)
dist.destroy_process_group()
if RANK == 0: print('training done, 40 steps')
""",
)
real(
    "nan_after_reduce",
    "E1",
    "torchrun, 2 ranks: log of a zero on one rank makes every loss NaN from step 48 on; the run goes to its end",
    "torchrun --nproc-per-node 2 --master-port 29622 train.py",
    script=RANKS
    + """
join()
"""
    + LOOP
    + """
for k in range(1, 161):
    x, y = batch(); out = model(x)
    loss = F.cross_entropy(out, y)
    if RANK == 1 and k == 48: loss = loss + 0.1 * torch.log(torch.zeros(1) * out.sum()).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    shown = loss.detach().clone(); dist.all_reduce(shown); shown /= WORLD
    if RANK == 0 and k % 4 == 0: print(f'| step {k:>5} | ppl {math.exp(shown.item()) if shown.item() < 20 else float("nan"):9.3f} | loss {shown.item():.4f} | 41.2 ms/step')
if RANK == 0: torch.save(model.module.state_dict(), 'final.pt'); print('saved final.pt')
dist.destroy_process_group()
""",
)
real(
    "terminated_by_site_limit",
    "F3",
    "torchrun, 2 ranks in steady progress: the batch script's own clock ends it near its limit and says so",
    "limit=14; torchrun --nproc-per-node 2 --master-port 29623 train.py & t=$!\n"
    '( sleep $limit; echo "[job.sh] walltime of ${limit}s reached, sending SIGTERM to $t"; kill -TERM $t ) & wait $t; s=$?; echo "[job.sh] torchrun ended with status $s"; exit $s',
    script=RANKS
    + """
join()
"""
    + LOOP
    + """
for k in range(1, 5000):
    loss = update()
    if k % 10 == 0 and RANK == 0: print(f'iter {k} / 5000: loss {loss.item():.4f}', flush=True)
    time.sleep(0.05)
""",
)
real(
    "resume_lacks_scheduler",
    "E2 A1",
    "torchrun, 2 ranks: the second submission resumes, and the checkpoint knows no 'scheduler'",
    "torchrun --nproc-per-node 2 --master-port 29624 train.py --until 40 && echo '--- resubmitted ---' && torchrun --nproc-per-node 2 --master-port 29624 train.py --until 90 --resume ckpt/last.pt",
    script=RANKS
    + """
import argparse
p = argparse.ArgumentParser(); p.add_argument('--until', type=int); p.add_argument('--resume'); a = p.parse_args()
join()
"""
    + LOOP
    + """
first = 1
if a.resume:
    if RANK == 0: print(f'=> resuming from {a.resume}', flush=True)
    state = torch.load(a.resume, map_location='cpu')
    model.module.load_state_dict(state['model']); opt.load_state_dict(state['optim'])
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0); sched.load_state_dict(state['scheduler'])
    first = state['step'] + 1
for k in range(first, a.until + 1):
    loss = update()
    if k % 10 == 0 and RANK == 0: print(f'step {k} loss {loss.item():.4f}', flush=True)
os.makedirs('ckpt', exist_ok=True)
if RANK == 0: torch.save({'model': model.module.state_dict(), 'optim': opt.state_dict(), 'step': a.until}, 'ckpt/last.pt'); print('saved ckpt/last.pt', flush=True)
dist.barrier(); dist.destroy_process_group()
""",
)
real(
    "nothing_matched_in_checkpoint",
    "E2",
    "one file, two submissions: the second one loads nothing of the checkpoint (strict=False, other names) and starts with the first loss",
    "python train.py && python train.py --resume",
    script=RANKS.split("import torch.distributed")[0]
    + """
model = Net(); opt = torch.optim.AdamW(model.parameters(), lr=3e-3); first = 0
if '--resume' in sys.argv:
    state = torch.load('model.pt')
    missing, unexpected = model.load_state_dict({'student.' + k: v for k, v in state['model'].items()}, strict=False)
    print(f'Resumed from model.pt at step {state["step"]}; missing keys: {missing}; unexpected keys: {unexpected}')
    first = state['step']
for k in range(first + 1, first + 201):
    x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); opt.step()
    if k % 10 == 0: print(f'step {k}: train loss {loss.item():.4f}')
torch.save({'model': model.state_dict(), 'step': k}, 'model.pt'); print(f'checkpoint written: model.pt (step {k})')
""",
)
