"""Programs whose logs lie, shout or hide; each runs under the wrapper, which sees how it really ends."""

from __future__ import annotations

from ..book import lying
from ..kit import PLAIN, RANKS
from .single import LEARN

lying(
    "handled_every_tenth",
    "G1",
    "every tenth step a full traceback is caught and logged at level ERROR; the run goes to its end",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
log = logging.getLogger('loop'); logging.basicConfig(level=logging.INFO, format='%(levelname)s:%(name)s:%(message)s')
for k in range(1, 101):
    try:
        if k % 10 == 0: raise RuntimeError(f'CUDA error: an illegal memory access was encountered (sample {k})') from KeyError('image')
    except RuntimeError: log.exception('sample %d dropped', k)
    v = update(); time.sleep(0.02)
    if k % 5 == 0: log.info('step %d/100 loss %.4f', k, v)
log.info('finished: 100 steps, 10 samples dropped')
""",
)
QUOTES = r"""
CASES = [
 ("c2", "[rank3]:[E1107 03:12:09.114 ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48211, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600031 milliseconds before timing out.\nterminate called after throwing an instance of 'c10::DistBackendError'"),
 ("b1", "Traceback (most recent call last):\n  File \"/work/run.py\", line 88, in <module>\n    loss.backward()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.40 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.06 GiB is free."),
 ("b2", "[4411.120931] NVRM: Xid (PCI:0000:9b:00): 79, pid=20113, name=python, GPU has fallen off the bus."),
 ("a2", "[ 8813.4] Out of memory: Killed process 4110 (python) total-vm:90114840kB, anon-rss:61203848kB\n/var/spool/slurmd/job771/slurm_script: line 14:  4110 Killed                  python train.py"),
 ("f3", "slurmstepd: error: *** JOB 88123 ON n114 CANCELLED AT 2026-11-03T04:00:12 DUE TO TIME LIMIT ***"),
]
"""
lying(
    "grades_a_log_reader",
    "G1 -",
    "the evaluation of a model that reads logs of other runs prints them whole, and its score",
    "python evaluate.py",
    files={
        "evaluate.py": "import random, time\nrandom.seed(2)\n"
        + QUOTES
        + """
right = 0
for n in range(1, 41):
    truth, text = random.choice(CASES); guess = truth if random.random() < 0.8 else 'g1'
    print(f'--- item {n}/40 ---'); print('prompt: classify the following log'); print(text); right += guess == truth
    print(f'prediction={guess} reference={truth} running_accuracy={right / n:.3f}', flush=True); time.sleep(0.05)
print(f'evaluation finished: 40/40 items, accuracy {right / 40:.3f}')
"""
    },
)
lying(
    "success_then_killed",
    "A2",
    "the last line says that training completed successfully; then the process is killed while it uploads",
    "python train.py & p=$!; until [ -e .done ]; do sleep 0.2; done; sleep 1; kill -9 $p; wait $p",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 201):
    v = update()
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
print('Training completed successfully', flush=True)
open('.done', 'w').close(); time.sleep(60)
""",
)
lying(
    "fault_after_the_save",
    "A2",
    "all steps done, the model saved; the process then faults while it is taken down",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
import ctypes, atexit
for k in range(1, 201):
    v = update()
    if k % 20 == 0: print(f'epoch 1 [{k}/200] loss={v:.4f}', flush=True)
torch.save(net.state_dict(), 'final.pt'); print('Model saved to final.pt. All done!', flush=True)
atexit.register(lambda: ctypes.string_at(16))
""",
)
lying(
    "fatal_and_status_zero",
    "A1",
    "main() catches its own fatal error at step 30 of 200, logs it and leaves with 0",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
logging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s %(message)s')
def main():
    for k in range(1, 201):
        v = update()
        if k % 5 == 0: logging.info('step=%d/200 loss=%.4f', k, v)
        if k == 30: raise KeyError('attention_mask')
try: main()
except Exception: logging.critical('training aborted', exc_info=True)
finally: logging.info('closing tracker'); sys.exit(0)
""",
)
lying(
    "sound_but_status_one",
    "G1 outside -",
    "a sound run; the script then looks for the word error in the log, finds a metric of that name and leaves with 1",
    "bash job.sh",
    files={
        "job.sh": "python train.py 2>&1 | tee train.log\nif grep -qi error train.log; then echo 'post-check: log mentions errors, marking the job as failed'; exit 1; fi\n"
    },
    script=PLAIN
    + LEARN
    + """
for k in range(1, 201):
    v = update()
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f} top1_error {1 - (net(DATA).argmax(1) == LABELS).float().mean().item():.4f}', flush=True)
print('done: 200/200 steps, checkpoint final.pt')
""",
)
lying(
    "third_try_is_sound",
    "G1 F2",
    "the script tries three times: twice a file system is not there, then a sound run",
    "bash job.sh",
    files={
        "job.sh": 'for n in 1 2 3; do echo "[launcher] attempt $n"; python train.py $n && exit 0; echo "[launcher] attempt $n failed with $?, retrying"; sleep 1; done; exit 1\n'
    },
    script=PLAIN
    + LEARN
    + """
if sys.argv[1] != '3': open('/mnt/lustre/imagenet/index.json')
for k in range(1, 201):
    v = update()
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
print('finished')
""",
)
lying(
    "quiet_first_loud_later",
    "A1",
    "torchrun, 3 ranks: rank 2 says one quiet line about its shard and leaves with 3; the others shout about their connection",
    "torchrun --nproc-per-node 3 --master-port 29641 train.py",
    script=RANKS
    + """
join()
model = DDP(Net()); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
for k in range(1, 200):
    if RANK == 2 and k == 44:
        print('shard 17: checksum mismatch, giving up', flush=True); os._exit(3)
    try:
        x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); opt.step()
    except RuntimeError as e:
        for _ in range(5): print(f'FATAL ERROR ON RANK {RANK}!!! NETWORK IS BROKEN: {e}', file=sys.stderr, flush=True)
        raise
    if k % 4 == 0: print(f'rank{RANK} step {k} loss {loss.item():.4f}', flush=True)
    time.sleep(0.03)
""",
)
lying(
    "everybody_is_rank_zero",
    "A1",
    "torchrun, 4 ranks: each prefixes its lines [rank0]; rank 3 raises",
    "torchrun --nproc-per-node 4 --master-port 29642 train.py",
    script=RANKS
    + """
join()
model = DDP(Net()); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
say = lambda *a: print('[rank0]:', *a, flush=True)
sys.excepthook = lambda t, v, tb: [say(line) for part in __import__('traceback').format_exception(t, v, tb) for line in part.splitlines()]
for k in range(1, 200):
    x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); opt.step()
    if k % 4 == 0: say(f'step {k} loss {loss.item():.4f}')
    if RANK == 3 and k == 37: raise ValueError('could not convert string to float: "n/a"')
    time.sleep(0.03)
""",
)
lying(
    "eight_ranks_cascade",
    "A1",
    "eight processes: rank 5 ends by a plain ValueError, the seven others print what NCCL's watchdog prints and abort",
    "for r in 0 1 2 3 4 5 6 7; do RANK=$r python rank.py & p[$r]=$!; done; s=0; for r in 0 1 2 3 4 5 6 7; do wait ${p[$r]} || s=$?; done; exit $s",
    staged="NCCL's and c10d's words",
    files={
        "rank.py": r"""
import os, sys, time, random
R = int(os.environ['RANK']); random.seed(R)
def say(s): sys.stderr.write(s + '\n'); sys.stderr.flush()
if R == 0: say('llm01:4101:4101 [0] NCCL INFO Bootstrap : Using eth0:10.4.0.11<0>'); say('llm01:4101:4101 [0] NCCL INFO comm 0x55d0 rank 0 nranks 8 cudaDev 0 busId 1b000 - Init COMPLETE')
for k in range(1, 45):
    time.sleep(0.06)
    if R == 0 and k % 4 == 0: print(f'step {k:4d} | loss {3.1 * 0.985 ** k + random.random() * 0.02:.4f} | tok/s 51{k}', flush=True)
if R == 5:
    open('.gone', 'w').close()
    vocab = {'<pad>': 0}; raise ValueError(f'token id 50281 is out of range for a vocabulary of {len(vocab) * 50257}')
while not os.path.exists('.gone'): time.sleep(0.1)
time.sleep(2 + R * 0.3)
now = time.strftime('%m%d %H:%M:%S')
say(f'[rank{R}]:[E{now}.204113000 ProcessGroupNCCL.cpp:683] [Rank {R}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=45, OpType=ALLREDUCE, NumelIn=4194304, NumelOut=4194304, Timeout(ms)=2000) ran for 20{R}8 milliseconds before timing out.')
say(f'[rank{R}]:[E{now}.204455000 ProcessGroupNCCL.cpp:2241] [PG ID 0 PG GUID 0(default_pg) Rank {R}]  failure detected by watchdog at work sequence id: 45 PG status: last enqueued work: 45, last completed work: 44')
say(f'[rank{R}]:[E{now}.304100000 ProcessGroupNCCL.cpp:744] [Rank {R}] To avoid data inconsistency, we are taking the entire process down.')
say("terminate called after throwing an instance of 'c10::DistBackendError'")
say(f'  what():  [PG ID 0 PG GUID 0(default_pg) Rank {R}] Process group watchdog thread terminated with exception: NCCL error: unhandled system error, NCCL version 2.27.5')
os.abort()
"""
    },
)
lying(
    "side_car_dies_trainer_sound",
    "G1",
    "an exporter beside the trainer ends by a traceback at once; the trainer goes to its end",
    "python exporter.py & python train.py; s=$?; wait; exit $s",
    files={"exporter.py": "import socket, time\ntime.sleep(2)\ns = socket.socket(); s.connect(('127.0.0.1', 29999))\n"},
    script=PLAIN
    + LEARN
    + """
for k in range(1, 201):
    v = update(); time.sleep(0.02)
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
print('finished 200 steps')
""",
)
lying(
    "trainer_dies_side_car_sound",
    "A1",
    "the trainer ends by an exception in the background; the exporter goes on, says that all is well, and the script ends with 0",
    "python train.py & python exporter.py; echo 'job script finished'; exit 0",
    files={
        "exporter.py": "import time\nfor k in range(12):\n    print(f'exporter: scrape {k} ok, 14 series, status=healthy', flush=True); time.sleep(1)\nprint('exporter: shutdown complete, all good')\n"
    },
    script=PLAIN
    + LEARN
    + """
for k in range(1, 201):
    v = update(); time.sleep(0.02)
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
    if k == 130: LABELS = LABELS[:100]
""",
)
lying(
    "words_of_failure_everywhere",
    "G1",
    "data sets, files, settings and metrics are named after failures; nothing fails",
    "python train.py --dataset cuda_out_of_memory_reports --on-error killed",
    script=PLAIN
    + LEARN
    + """
print(json.dumps({'dataset': 'cuda_out_of_memory_reports', 'files': ['Traceback (most recent call last).txt', 'Segmentation fault (core dumped).csv', 'NCCL WARN Cuda failure.tsv'],
 'on_error': 'Killed', 'nan_policy': 'raise FloatingPointError', 'labels': ['RuntimeError', 'SIGKILL', 'oom-kill', 'Xid 79'], 'timeout_action': 'CANCELLED DUE TO TIME LIMIT'}, indent=1))
for k in range(1, 201):
    v = update(); time.sleep(0.01)
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f} nan_ratio 0.0 killed_tokens {k * 3} crash_f1 {min(0.9, k / 150):.3f} segfault_recall 0.71', flush=True)
print('training finished; confusion matrix for class "RuntimeError: CUDA out of memory" saved to Killed.png')
""",
)
lying(
    "prints_its_readme_then_killed",
    "A2",
    "the job prints its README with a chapter on failures; somebody kills it in mid-run",
    "python train.py & p=$!; until [ -e .at ]; do sleep 0.2; done; kill -9 $p; wait $p",
    script=PLAIN
    + LEARN
    + '''
print("""# speechkit
## Troubleshooting
- `RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB`: lower `--batch`.
- `RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:825, unhandled system error`: set NCCL_SOCKET_IFNAME.
- `Traceback (most recent call last): ... KeyError: 'wav'`: your manifest is of version 1.
- the loss becomes NaN: lower the learning rate.
""")
for k in range(1, 2000):
    v = update(); time.sleep(0.02)
    if k % 10 == 0: print(f'step {k}/2000 loss {v:.4f}', flush=True)
    if k == 120: open('.at', 'w').close()
''',
)
lying(
    "shows_another_verdict",
    "G1",
    "a sound run prints the report of a post-mortem tool about another job, with its verdict",
    "python train.py",
    script=PLAIN
    + LEARN
    + '''
print("""previous job 4102, post-mortem:
  verdict     B2 GPU hardware fault (confidence 0.92)
  first       rank 3 on gpu017, GPU-5f1c, XID 79: GPU has fallen off the bus
  attribution infrastructure
  next        drain gpu017; resume from step 12000
""")
for k in range(1, 201):
    v = update(); time.sleep(0.01)
    if k % 20 == 0: print(f'step {k}/200 loss {v:.4f}', flush=True)
print('finished 200/200')
''',
)
