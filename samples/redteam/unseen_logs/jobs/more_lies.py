"""Further programs whose logs lie, shout or hide, under the wrapper."""

from __future__ import annotations

from ..book import lying
from ..kit import PLAIN, RANKS
from .single import LEARN

lying(
    "one_huge_line_then_sound",
    "G1",
    "a manifest of 24 MB is printed in one line and holds the words of every failure; the run is sound",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
print('manifest: ' + json.dumps([{'id': k, 'text': 'Traceback (most recent call last): RuntimeError: CUDA out of memory. Killed'} for k in range(240000)]))
for k in range(1, 201):
    v = update(); time.sleep(0.01)
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
print('finished 200/200')
""",
)
lying(
    "one_huge_line_then_raises",
    "A1",
    "an array of 16 MB is printed in one line, then the program raises",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 201):
    v = update(); time.sleep(0.01)
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
    if k == 90: print(list(range(2400000))); assert v < 0, 'loss must be negative for this objective'
""",
)
lying(
    "control_characters",
    "A1",
    "colours, cursor movements, bells, zero bytes and window titles through every line, also of the traceback",
    "python train.py",
    script=PLAIN
    + LEARN
    + r"""
import traceback
def paint(s): return '\x1b]0;train\x07' + ''.join(f'\x1b[3{i % 8}m{c}' if i % 5 == 0 else c for i, c in enumerate(s)) + '\x1b[0m\x1b[K'
sys.excepthook = lambda t, v, tb: print('\n'.join('\x1b[1G' + paint(l) for l in ''.join(traceback.format_exception(t, v, tb)).splitlines()), file=sys.stderr)
for k in range(1, 201):
    v = update(); time.sleep(0.01)
    sys.stdout.write('\x1b[2K\r' + paint(f'step {k}/200 loss {v:.4f}') + ('\x00\x08\x08\n' if k % 10 == 0 else '')); sys.stdout.flush()
    if k == 128: net.head.weight.data = net.head.weight.data[:, :40]
""",
)
lying(
    "error_in_japanese",
    "A1",
    "the program reports its own fatal error in Japanese, without a traceback, and leaves with 1",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
print('学習を開始します')
for k in range(1, 201):
    v = update(); time.sleep(0.01)
    if k % 10 == 0: print(f'ステップ {k}/200 損失 {v:.4f}', flush=True)
    if k == 110: print('致命的エラー: 設定ファイルに「語彙サイズ」がありません。処理を中止します。', file=sys.stderr); sys.exit(1)
""",
)
lying(
    "shredded_between_ranks",
    "A1",
    "four ranks write to one pipe in pieces: the traceback of rank 2 is cut by progress of the others within its lines",
    "torchrun --nproc-per-node 4 --master-port 29661 train.py",
    script=RANKS
    + r"""
import traceback
join()
model = DDP(Net()); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
def drip(s):
    for c in range(0, len(s), 9): os.write(2, s[c:c + 9].encode()); time.sleep(0.004)
sys.excepthook = lambda t, v, tb: drip(''.join(traceback.format_exception(t, v, tb)))
for k in range(1, 200):
    x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); opt.step()
    drip(f'r{RANK} s{k} l={loss.item():.4f};' + ('\n' if k % 3 == 0 else ''))
    if RANK == 2 and k == 30: raise FileNotFoundError(2, 'No such file or directory', '/data/laion/part-00311.tar')
""",
)
lying(
    "buffered_steps_after_traceback",
    "A1",
    "standard output is buffered: the steps come after the traceback that ended the program",
    "env -u PYTHONUNBUFFERED python train.py",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 401):
    v = update()
    if k % 10 == 0: print(f'step {k}/400 loss {v:.4f}')
    if k == 250: raise TypeError("'NoneType' object is not subscriptable")
""",
)
lying(
    "leaves_with_137_itself",
    "A1",
    "an exception, after which the program itself leaves with status 137; nobody killed it",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
import traceback
try:
    for k in range(1, 201):
        v = update()
        if k % 10 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
        if k == 77: raise LookupError('no sample for class 6')
except Exception: traceback.print_exc(); sys.exit(137)
""",
)
lying(
    "handled_last_then_killed",
    "A2",
    "the last words are a caught traceback and a retry; then SIGKILL from outside",
    "python train.py & p=$!; until [ -e .at ]; do sleep 0.2; done; sleep 1; kill -9 $p; wait $p",
    script=PLAIN
    + LEARN
    + """
import traceback
for k in range(1, 131):
    v = update(); time.sleep(0.02)
    if k % 10 == 0: print(f'step {k}/2000 loss {v:.4f}', flush=True)
try: raise TimeoutError('read of /mnt/ceph/shard-12 took longer than 30 s')
except TimeoutError: traceback.print_exc(); print('will retry in 60 s (1/5)', flush=True)
open('.at', 'w').close(); time.sleep(60)
""",
)
lying(
    "quotes_a_launchers_summary",
    "G1",
    "a sound run prints, as documentation, what torchrun says of a failed one",
    "python train.py",
    script=PLAIN
    + LEARN
    + '''
print("""NOTE  when a rank dies you will see something like this:
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-02_11:20:33
  host      : gpu004
  rank      : 5 (local_rank: 5)
  exitcode  : -9 (pid: 22110)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 22110
============================================================
In that case look at dmesg first.""")
for k in range(1, 201):
    v = update(); time.sleep(0.01)
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
print('finished 200/200')
''',
)
lying(
    "generates_training_logs",
    "G1",
    "a language model that was trained on logs prints samples: steps whose loss is nan, kills, resumed runs; its own loss falls",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
S = ['step 100 loss nan', 'step 200 loss nan grad_norm inf', 'Resuming from checkpoint-500', 'Epoch 3: train_loss=812.4', 'slurmstepd: error: Detected 1 oom_kill event in StepId=91.0', 'Training completed.', 'step 1 loss 11.2']
for k in range(1, 301):
    v = update(); time.sleep(0.01)
    if k % 20 == 0: print(f'[train] it={k}/300 ce={v:.4f}', flush=True)
    if k % 50 == 0:
        print(f'[sample @ {k}] >>>')
        for s in random.sample(S, 4): print(s)
        print('<<<', flush=True)
print('[train] done')
""",
)
lying(
    "named_like_a_crash_but_a_flag",
    "A1",
    "the data set is called Segmentation fault (core dumped); the program ends because of an unknown flag",
    "python train.py --dataset 'Segmentation fault (core dumped)' --signal 11 --oom-kill",
    script="""
import argparse
p = argparse.ArgumentParser('train.py'); p.add_argument('--dataset'); p.add_argument('--signal', type=int)
print('argv ok?'); a = p.parse_args(); print(a)
""",
)
lying(
    "clocks_out_of_order",
    "A1",
    "a logger thread writes late: lines bear times that go back and forth; an old caught error comes last but for the true one",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
import datetime
def say(level, text, late=0.0): print((datetime.datetime.now() - datetime.timedelta(seconds=late)).strftime('%Y-%m-%d %H:%M:%S,%f')[:-3], level, text, flush=True)
for k in range(1, 141):
    v = update(); time.sleep(0.03)
    if k % 5 == 0: say('INFO', f'step {k}/400 loss {v:.4f}', late=random.choice((0, 0, 2.5, 40)))
say('ERROR', 'ConnectionError: metrics server did not answer; queued for retry', late=300)
say('INFO', 'step 140/400 checkpoint ckpt-140 saved', late=1)
raise OSError(117, 'Structure needs cleaning', '/scratch/ckpt-140/optim.pt')
""",
)
lying(
    "freeze_under_the_wrapper",
    "C2 outside",  # amended after first contact: 40 s of standing still, then somebody's SIGTERM, may be called either
    "torchrun, 2 ranks: rank 1 sleeps in its data while rank 0 waits in all_reduce; somebody ends it 40 s later",
    "torchrun --nproc-per-node 2 --master-port 29662 train.py & t=$!; until [ -e .frozen ]; do sleep 0.5; done; sleep 40; kill -TERM $t; wait $t",
    script=RANKS
    + """
join()
model = DDP(Net()); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
def read_shard(): open('.frozen', 'w').close(); time.sleep(600)
for k in range(1, 400):
    if RANK == 1 and k == 100: read_shard()
    x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.03)
    if RANK == 0 and k % 5 == 0: print(f'step {k}/400 loss {loss.item():.4f}', flush=True)
""",
)
lying(
    "rank_zero_says_success",
    "C2",
    "torchrun, 2 ranks: rank 0 says that all is done and waits in the last barrier; rank 1 stands in its last evaluation; gloo's time runs out",
    "torchrun --nproc-per-node 2 --master-port 29663 train.py",
    script=RANKS
    + """
join(15)
model = DDP(Net()); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
for k in range(1, 101):
    x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); opt.step()
    if RANK == 0 and k % 10 == 0: print(f'step {k}/100 loss {loss.item():.4f}', flush=True)
if RANK == 0: print('Training completed successfully. Final loss', loss.item(), flush=True)
else: time.sleep(300)
dist.barrier()
""",
)
lying(
    "errors_thrown_away",
    "- A1",
    "standard error goes to /dev/null: a run that advances and then leaves with 1",
    "python train.py 2>/dev/null",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 201):
    v = update(); time.sleep(0.01)
    if k % 10 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
    if k == 95: raise RuntimeError('mat1 and mat2 shapes cannot be multiplied (64x20 and 48x6)')
""",
)
lying(
    "memory_limit_and_shouting",
    "A2",
    "a control group of 400 MB: the kernel kills the trainer while its log shouts of the GPU's memory",
    "c=/sys/fs/cgroup/memory/unseen$$; mkdir $c && echo 500M > $c/memory.limit_in_bytes && (echo $BASHPID > $c/cgroup.procs; exec python train.py); s=$?; sleep 0.5; rmdir $c; exit $s",
    script=PLAIN
    + LEARN
    + """
keep = []
for k in range(1, 400):
    v = update(); keep.append(bytearray(os.urandom(1 << 12) * 512))
    if k % 10 == 0: print(f'step {k}/400 loss {v:.4f}', flush=True)
    if k % 25 == 0: print('WARNING: CUDA out of memory is likely: allocator reports 78.9 of 79.1 GiB in use', flush=True)
""",
)
lying(
    "reports_success_in_json",
    "A1 E2",  # amended after first contact: what it cannot load in mid-run are saved weights
    "the program raises, its handler writes a status of success to the log and the exception to standard error",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
try:
    for k in range(1, 201):
        v = update(); time.sleep(0.01)
        if k % 10 == 0: print(json.dumps({'step': k, 'loss': round(v, 4)}), flush=True)
        if k == 120: torch.load('ema.pt')
finally: print(json.dumps({'event': 'run_finished', 'status': 'success', 'exit_code': 0}), flush=True)
""",
)
lying(
    "shows_the_log_of_yesterday",
    "G1",
    "the script prints the log of the run before, which failed, and then trains well",
    "cat yesterday.log; python train.py",
    files={
        "yesterday.log": 'step 10/200 loss 1.9120\nstep 20/200 loss 1.7011\nTraceback (most recent call last):\n  File "/home/u/job/train.py", line 41, in <module>\n    main()\n  File "/home/u/job/train.py", line 33, in main\n    loss = model(x, y)\nRuntimeError: The size of tensor a (512) must match the size of tensor b (256) at non-singleton dimension 1\n'
    },
    script=PLAIN
    + LEARN
    + """
print('=== new run ===')
for k in range(1, 201):
    v = update(); time.sleep(0.01)
    if k % 10 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
print('finished 200/200')
""",
)
