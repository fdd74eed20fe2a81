"""Other words for what the first lying programs showed, and their twins, in which the same words tell the truth."""

from __future__ import annotations

from ..book import lying
from ..kit import PLAIN, RANKS
from .lies import QUOTES
from .single import LEARN

BODY = """
def run(first, last, total, every=10, pause=0.01, say=None):
    for k in range(first, last + 1):
        v = update(); time.sleep(pause)
        if k % every == 0: (say or print)(f'step {k}/{total} loss {v:.4f}'); sys.stdout.flush()
"""
START = PLAIN + LEARN + BODY

lying(
    "dropped_with_the_last_batch",
    "G1",
    "a bad sample is caught with its traceback in the very last batch; the run says that it is done and leaves with 0",
    "python train.py",
    script=START
    + """
import traceback
run(1, 149, 150)
try: [][3]
except IndexError: print('WARN bad sample in batch 150:'); traceback.print_exc()
print('epoch 1 done, 1 sample skipped; model exported to model.onnx')
""",
)
lying(
    "dropped_until_it_gives_up",
    "A1",
    "bad samples are caught with their traceback; the sixth is one too many, the program logs it like the others and leaves with 1",
    "python train.py",
    script=START
    + """
logging.basicConfig(level=logging.INFO, format='%(levelname)s:%(name)s:%(message)s'); log = logging.getLogger('loop')
for k in range(1, 7):
    run(20 * k - 19, 20 * k, 400, say=log.info)
    try: raise ValueError(f'wav header of clip {k * 17} is damaged')
    except ValueError: log.exception('clip dropped (%d of at most 5)', k)
sys.exit(1)
""",
)
lying(
    "log_reader_crashes",
    "A1",
    "the evaluation of a model that reads logs of others ends by a KeyError of its own",
    "python evaluate.py",
    files={
        "evaluate.py": "import random, time\nrandom.seed(5)\n"
        + QUOTES
        + """
NAMES = {'c2': 'freeze', 'b1': 'memory', 'b2': 'hardware', 'a2': 'signal'}
for n in range(1, 41):
    truth, text = random.choice(CASES); print(f'## {n}/40'); print(text, flush=True); time.sleep(0.05)
    print('answer:', NAMES[truth])
"""
    },
)
lying(
    "log_reader_is_killed",
    "A2",
    "the same evaluation is killed from outside in its midst",
    "python evaluate.py & p=$!; until [ -e .at ]; do sleep 0.2; done; kill -9 $p; wait $p",
    files={
        "evaluate.py": "import random, time\nrandom.seed(5)\n"
        + QUOTES
        + """
for n in range(1, 400):
    truth, text = random.choice(CASES); print(f'[item {n}/400] accuracy so far 0.7{n % 10}'); print('    ' + text.replace('\\n', '\\n    '), flush=True); time.sleep(0.05)
    if n == 60: open('.at', 'w').close()
"""
    },
)
lying(
    "torchrun_rank_raises_others_abort",
    "A1",
    "torchrun, 4 ranks: rank 1 ends by an IndexError; the others print what NCCL's heartbeat monitor prints and abort",
    "torchrun --nproc-per-node 4 --master-port 29691 train.py",
    staged="NCCL's words",
    script=RANKS
    + """
join()
model = DDP(Net()); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
for k in range(1, 200):
    if RANK == 1 and k == 52: DATA[4096]
    try: x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); opt.step()
    except RuntimeError:
        now = time.strftime('%m%d %H:%M:%S')
        os.write(2, f'[rank{RANK}]:[E{now}.552000000 ProcessGroupNCCL.cpp:1794] [PG ID 0 PG GUID 0(default_pg) Rank {RANK}] ProcessGroupNCCL preparing to dump debug info. Include stack trace: 1\\n[rank{RANK}]:[E{now}.552000000 ProcessGroupNCCL.cpp:2068] [PG ID 0 PG GUID 0(default_pg) Rank {RANK}] NCCL error: remote process exited or there was a network error, NCCL version 2.27.5\\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\\nLast error:\\nsocketPollConnect: connect to 10.3.0.17<41311> returned Connection refused\\n'.encode()); os.abort()
    if k % 8 == 0 and RANK == 0: print(f'step {k}/400 loss {loss.item():.4f}', flush=True)
    time.sleep(0.02)
""",
)
lying(
    "freeze_first_exception_later",
    "C2",
    "torchrun, 3 ranks: rank 2 stands still, the others time out after 12 s; then a handler of theirs raises a ValueError of its own",
    "torchrun --nproc-per-node 3 --master-port 29692 train.py",
    script=RANKS
    + """
join(12)
model = DDP(Net()); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
try:
    for k in range(1, 200):
        if RANK == 2 and k == 60: time.sleep(300)
        x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); opt.step()
        if k % 8 == 0 and RANK == 0: print(f'step {k}/400 loss {loss.item():.4f}', flush=True)
        time.sleep(0.02)
except RuntimeError as e:
    raise ValueError('cannot write emergency checkpoint: state is incomplete') from e
""",
)
lying(
    "retry_announced_then_killed",
    "A2",
    "an upload fails, the exception is logged and a retry announced; then SIGKILL from outside",
    "python train.py & p=$!; until [ -e .at ]; do sleep 0.2; done; sleep 1; kill -9 $p; wait $p",
    script=START
    + """
logging.basicConfig(level=logging.INFO)
run(1, 90, 500)
try: raise PermissionError(13, 'Permission denied', '/mnt/archive/run7')
except OSError: logging.exception('could not mirror the checkpoint, next attempt in 45 seconds')
open('.at', 'w').close(); time.sleep(60)
""",
)
lying(
    "raises_then_helper_is_killed",
    "A1",
    "the trainer ends by its exception; the script then kills its helper with SIGKILL, of which the shell tells last",
    "sleep 300 & h=$!; python train.py; s=$?; kill -9 $h; wait $h; exit $s",
    script=START + "run(1, 90, 500)\nraise TypeError(\"unsupported operand type(s) for /: 'NoneType' and 'int'\")\n",
)
lying(
    "manual_of_the_cluster",
    "G1",
    "the job prints the cluster's manual: Slurm's words on memory, limits and nodes that failed; the run is sound",
    "cat manual.txt; python train.py",
    files={
        "manual.txt": "Common messages and what they mean\n\nslurmstepd: error: Detected 1 oom_kill event in StepId=712.batch. Some of the step tasks have been OOM Killed.\n   -> request more memory (--mem)\n\n"
        "slurmstepd: error: *** JOB 712 ON cn041 CANCELLED AT 2026-10-02T11:20:00 DUE TO TIME LIMIT ***\n   -> request more time (--time)\n\nsrun: error: Node failure on cn041\n   -> nothing you did\n\n"
        "/var/spool/slurmd/job712/slurm_script: line 9: 30112 Killed                  python train.py\n   -> see above\n"
    },
    script=START + "run(1, 200, 200)\nprint('completed 200 steps')\n",
)
lying(
    "manual_then_own_exception",
    "A1",
    "the same manual, and then an exception of the job",
    "cat manual.txt; python train.py",
    files={
        "manual.txt": "Common messages and what they mean\n\nslurmstepd: error: Detected 1 oom_kill event in StepId=712.batch. Some of the step tasks have been OOM Killed.\n   -> request more memory (--mem)\n\n"
        "slurmstepd: error: *** JOB 712 ON cn041 CANCELLED AT 2026-10-02T11:20:00 DUE TO TIME LIMIT ***\n   -> request more time (--time)\n"
    },
    script=START + "run(1, 70, 200)\nnet.load_state_dict\nF.cross_entropy(net(DATA[:8]), LABELS[:9])\n",
)
lying(
    "writes_bad_logs_well",
    "G1",
    "a language model is trained on logs and prints samples of them between its own lines, without any mark",
    "python train.py",
    script=START
    + """
S = ['| epoch   4 | loss   nan | ppl   nan', 'loss: inf (step 900)', 'RuntimeError: CUDA error: device-side assert triggered', 'Restarting training from scratch (no checkpoint)', 'Epoch 1/3 loss=14.2', 'slurmstepd: error: *** STEP 9.0 ON n1 CANCELLED AT 2026-10-10T10:10:10 ***']
for b in range(6):
    run(50 * b + 1, 50 * b + 50, 300, say=lambda s: print('train |', s))
    print('sampling ...'); print(random.choice(S)); print(random.choice(S))
print('train | end of run')
""",
)
lying(
    "writes_good_logs_badly",
    "E1",
    "the twin: the samples speak of falling losses, the model's own loss is NaN from step 120 on; it leaves with 0",
    "python train.py",
    script=START
    + """
S = ['| epoch   4 | loss  1.91 | ppl  6.75', 'loss: 0.8123 (step 900)', 'Training finished, accuracy 0.97']
for b in range(6):
    if b == 2: net.head.weight.data[0, 0] = float('inf')
    run(60 * b + 1, 60 * b + 60, 360, say=lambda s: print('train |', s))
    print('sampling ...'); print(random.choice(S)); print(random.choice(S))
print('train | end of run')
""",
)
lying(
    "bars_move_the_cursor",
    "A1",
    "rich's bars move the cursor up and erase lines; the traceback stands between two of their pictures",
    "python train.py",
    script=START
    + r"""
for k in range(1, 140):
    v = update(); time.sleep(0.01)
    sys.stderr.write(f'\x1b[1A\x1b[2K\x1b[35mepoch 0\x1b[0m \x1b[38;2;249;38;114m{"━" * (k // 6)}\x1b[0m {k}/140\n\x1b[2K loss \x1b[1;36m{v:.4f}\x1b[0m\x1b[?25l'); sys.stderr.flush()
    if k == 101:
        try: import not_a_package_of_ours
        finally: sys.stderr.write('\x1b[?25h\x1b[1A\x1b[2K')
""",
)
lying(
    "error_in_russian",
    "A1",
    "the program tells of its own fatal error in Russian and leaves with 2",
    "python train.py",
    script=START
    + """
run(1, 60, 200, say=lambda s: print(s.replace('step', 'шаг').replace('loss', 'потери')))
print('Критическая ошибка: файл словаря повреждён (ожидалось 32000 строк, прочитано 811). Работа прервана.', file=sys.stderr); sys.exit(2)
""",
)
lying(
    "japanese_and_sound",
    "G1 -",  # amended after first contact: nobody asked for a reader of Japanese progress
    "a Japanese log full of warnings and of a metric called error rate; the run is sound",
    "python train.py",
    script=START
    + """
print('警告: CUDA が見つかりません。CPU で実行します。')
for k in range(1, 201):
    v = update(); time.sleep(0.01)
    if k % 10 == 0: print(f'ステップ {k}/200 損失 {v:.4f} エラー率 {1 - (net(DATA).argmax(1) == LABELS).float().mean().item():.3f}', flush=True)
print('学習が完了しました。モデルを保存しました: model.pt')
""",
)
lying(
    "trainer_faults_in_background",
    "A2",
    "the trainer reads address 4 in the background; a status page goes on and the script ends with 0",
    'python train.py & python page.py; wait %1; echo "trainer: $?"; exit 0',
    files={
        "page.py": "import time\nfor k in range(10): print(f'status page: {k} requests, ok', flush=True); time.sleep(1)\n"
    },
    script=START + "import ctypes\nrun(1, 110, 500)\nctypes.string_at(4)\n",
)
lying(
    "exporter_faults_trainer_sound",
    "G1",
    "an exporter reads address 4; the trainer goes to its end",
    "python exporter.py & python train.py; s=$?; wait; exit $s",
    files={
        "exporter.py": "import ctypes, time\ntime.sleep(3); print('exporter: 3 scrapes', flush=True); ctypes.string_at(4)\n"
    },
    script=START + "run(1, 300, 300, pause=0.03)\nprint('all 300 steps done')\n",
)
lying(
    "checker_is_not_content",
    "G1 outside - A1",
    "a sound run; a check of the script finds the accuracy too low and leaves with 3",
    "python train.py && python check.py",
    files={
        "check.py": "import sys\nprint('acceptance check: accuracy 0.41 < 0.90 required -> REJECTED')\nsys.exit(3)\n"
    },
    script=START + "run(1, 200, 200)\nprint('Training completed.')\n",
)
