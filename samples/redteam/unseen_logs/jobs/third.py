"""Other words and other numbers for what was mended after the first contact, and near misses that look like it."""

from __future__ import annotations

from ..book import real
from ..kit import PLAIN, RANKS
from .launched import LOOP
from .single import LEARN

real(
    "widths_in_turn",
    "G1",
    "one program tries three widths, one after the other; each begins anew by plan",
    "python ablation.py",
    files={
        "ablation.py": PLAIN
        + """
for n, wide in enumerate((8, 32, 128), 1):
    net = Net(wide); opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    print(f'### experiment {n} of 3: hidden={wide}')
    for k in range(1, 151):
        x, y = batch(); loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
        if k % 15 == 0: print(f'iter {k:03d} train {loss.item():.4f}')
print('ablation table written to table.csv')
"""
    },
)
real(
    "generations_in_turn",
    "G1",
    "four generations of a population; the epochs of each begin at 1",
    "python evolve.py",
    files={
        "evolve.py": PLAIN
        + """
for g in range(1, 5):
    net = Net(16 * g); opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    for e in range(1, 6):
        for _ in range(30): x, y = batch(); loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
        print(f'[gen {g}/4] Epoch {e}/5 - loss: {loss.item():.4f}')
    print(f'[gen {g}/4] best fitness {-loss.item():.4f}, selecting parents')
print('evolution finished')
"""
    },
)
real(
    "stacks_of_a_patient_timer",
    "G1",
    "a timer prints all stacks whenever five seconds pass, while a cache is built at first; the run is sound",
    "python train.py",
    script="import faulthandler\n"
    + PLAIN
    + LEARN
    + """
faulthandler.dump_traceback_later(4, repeat=True)
print('building the feature cache, once only'); time.sleep(11); print('cache ready')
faulthandler.cancel_dump_traceback_later()
for k in range(1, 201):
    v = update()
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f}')
print('finished')
""",
)
real(
    "clock_watched_yet_killed",
    "A2",
    "the script tells of its time limit and watches it; long before, somebody kills the trainer",
    'limit=3600; echo "[job.sh] walltime limit ${limit}s, will send SIGTERM when it is reached"; python train.py & p=$!; ( sleep $limit; kill -TERM $p ) & w=$!; until [ -e .at ]; do sleep 0.2; done; kill -9 $p; wait $p; s=$?; kill $w; echo "[job.sh] ended with status $s after less than ${limit}s"; exit $s',
    script=PLAIN
    + LEARN
    + """
for k in range(1, 3000):
    v = update(); time.sleep(0.02)
    if k % 10 == 0: print(f'step {k}/3000 loss {v:.4f}', flush=True)
    if k == 140: open('.at', 'w').close()
""",
)
real(
    "timeout_says_so",
    "F3 outside",
    "timeout -v ends a run in steady progress and says which signal it sends",
    "timeout -v 25 python train.py",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 100000):
    v = update(); time.sleep(0.05)
    if k % 10 == 0: print(f'step {k}/100000 loss {v:.4f}', flush=True)
""",
)
real(
    "even_ranks_report_times",
    "G1",
    "torchrun, 4 ranks report their own times: all compute alike and wait little",
    "torchrun --nproc-per-node 4 --master-port 29711 train.py",
    script=RANKS
    + """
join()
torch.manual_seed(5); model = Net(); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
for k in range(1, 41):
    t = time.time(); x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); time.sleep(0.3); own = time.time() - t
    t = time.time()
    for p in model.parameters(): dist.all_reduce(p.grad)
    wait = time.time() - t; opt.step()
    if k % 4 == 0: print(f'[rank {RANK}] step {k}/40 loss {loss.item():.4f} fwd_bwd {own:.3f}s allreduce_wait {wait:.3f}s step_time {own + wait:.3f}s', flush=True)
dist.destroy_process_group()
if RANK == 0: print('training done, 40 steps')
""",
)
real(
    "straggler_in_milliseconds",
    "D3",
    "torchrun, 3 ranks: rank 0 takes six times as long over its part, in milliseconds and other words",
    "torchrun --nproc-per-node 3 --master-port 29712 train.py",
    script=RANKS
    + """
join()
torch.manual_seed(5); model = Net(); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
for k in range(1, 37):
    t = time.time(); x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); time.sleep(0.9 if RANK == 0 else 0.15); own = time.time() - t
    t = time.time()
    for p in model.parameters(): dist.all_reduce(p.grad)
    wait = time.time() - t; opt.step()
    if k % 3 == 0: print(f'r{RANK} | iteration {k}/36 | loss: {loss.item():.4f} | forward-backward (ms): {own * 1e3:.1f} | gradient sync (ms): {wait * 1e3:.1f}', flush=True)
dist.destroy_process_group()
""",
)
real(
    "data_waits_at_first",
    "G1",
    "shares of a step are printed: data take nearly all of the first steps, while caches are cold, and little afterwards",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 61):
    t = time.time(); time.sleep(2.5 if k < 4 else 0.01); x, y = batch(); d = time.time() - t
    t = time.time(); loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.15); b = time.time() - t; s = d + b
    if k % 2 == 0: print(f'it {k}/60 | loss {loss.item():.3f} | {s:.2f} s/it (data {100 * d / s:.0f}%, compute {100 * b / s:.0f}%)', flush=True)
print('end of training')
""",
)
real(
    "layers_differ_in_words",
    "E2 A1",
    "the program compares the checkpoint with its model, says in its own words why it cannot resume, and leaves with 1",
    "python train.py --resume runs/7/last.ckpt",
    script=PLAIN
    + """
print('resuming from runs/7/last.ckpt (step 18400)')
print('ERROR: checkpoint has 24 layers, the model of this configuration has 32: cannot resume', file=sys.stderr); sys.exit(1)
""",
)
real(
    "vocabulary_differs_in_words",
    "A1",
    "the same form of words, but nothing is resumed: tokenizer and model of a new run do not fit",
    "python train.py --config big.yaml",
    script=PLAIN
    + """
print('starting a new run from big.yaml')
print('ERROR: tokenizer has 32000 entries, the embedding of this configuration has 50257: cannot start', file=sys.stderr); sys.exit(1)
""",
)
real(
    "supervisor_names_the_signal",
    "A2",
    "a supervisor of the job's own making: its trainer faulted, which it tells with the signal's name",
    "python supervise.py",
    files={
        "supervise.py": "import signal, subprocess, sys\np = subprocess.run([sys.executable, 'train.py'])\nif p.returncode < 0: print(f'[supervise] trainer-0 went down: signal={signal.Signals(-p.returncode).name} after step file .step', flush=True); sys.exit(70)\n",
    },
    script=PLAIN
    + LEARN
    + """
import ctypes
for k in range(1, 160):
    v = update()
    if k % 10 == 0: print(f'step {k}/500 loss {v:.4f}', flush=True)
ctypes.string_at(2)
""",
)
real(
    "status_134_alone",
    "A2",
    "abort() in mid-run, and standard error is thrown away: the status tells it",
    "exec python train.py 2>/dev/null",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 160):
    v = update()
    if k % 10 == 0: print(f'step {k}/500 loss {v:.4f}', flush=True)
os.abort()
""",
)
real(
    "loguru_pipes_and_nan",
    "E1",
    "lines of four columns between bars: the loss becomes NaN at step 130 and stays so",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
import datetime
for k in range(1, 301):
    v = update()
    if k == 128: net.head.bias.data[2] = float('nan')
    if k % 10 == 0: print(datetime.datetime.now().strftime('%Y-%m-%d %H:%M:%S.%f')[:-3], '| INFO     | __main__:fit:61 - train |', f'step {k}/300 | loss {v:.4f}', flush=True)
print('bye')
""",
)
real(
    "skipped_in_the_last_batch",
    "G1",
    "a bad sample is caught with its traceback in the very last batch; the program says that one was skipped and leaves with 0",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
import traceback
for k in range(1, 181):
    try:
        if k == 180: json.loads('{"caption": ')
        v = update()
    except ValueError: print(f'sample of batch {k} cannot be read:'); traceback.print_exc()
    if k % 20 == 0: print(f'batch {k}/180 loss {v:.4f}', flush=True)
print('epoch finished, 1 sample skipped')
""",
)
real(
    "other_rank_was_last",
    "C2 A1",
    "torchrun, 4 ranks: rank 3 has no batches left and leaves with status 0 in its own words; the others lose their connection",
    "torchrun --nproc-per-node 4 --master-port 29713 train.py",
    script=RANKS
    + """
join(20)
"""
    + LOOP
    + """
for k in range(1, 91):
    if RANK == 3 and k == 61: print('rank 3: iterator exhausted, done', flush=True); sys.stdout.flush(); os._exit(0)
    loss = update()
    if k % 10 == 0 and RANK == 0: print(f'step {k}/90 loss={loss.item():.4f}', flush=True)
    time.sleep(0.02)
dist.destroy_process_group()
""",
)
