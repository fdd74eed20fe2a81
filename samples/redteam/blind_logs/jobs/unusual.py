"""What else ends a job or hides its end: disks, limits, hands, torn logs, ranks that wait."""

from __future__ import annotations

from ..job import job
from .deaths import TINY

job(
    "disk_full_german",
    "outside A1",
    "a small disk runs full while cp keeps the checkpoint; German locale",
    "mkdir m && mount -t tmpfs -o size=2m none m && bash job.sh; rc=$?; umount m; exit $rc",
    locale="de_DE.UTF-8",
    files={"job.sh": "set -e\npython train.py\nfor i in 1 2 3 4; do cp model.pt m/model_$i.pt; done\necho fertig\n"},
    script=TINY
    + "for k in range(1, 101):\n    v = one()\n    if k % 20 == 0: print(f'Schritt {k}/100 Verlust={v:.4f}', flush=True)\ntorch.save({'w': torch.randn(200000)}, 'model.pt')\n",
)
job(
    "errno_chinese",
    "A1",
    "a file that is not there, in a Chinese locale that names it so",
    "python train.py",
    locale="zh_CN.UTF-8",
    script="import locale, json\nlocale.setlocale(locale.LC_ALL, '')\nprint('正在加载配置文件')\njson.load(open('configs/训练.json'))\n",
)
job(
    "gloo_no_interface",
    "C1 A1",
    "gloo is told an interface that does not exist",
    "GLOO_SOCKET_IFNAME=ib7 MASTER_ADDR=127.0.0.1 MASTER_PORT=29871 WORLD_SIZE=2 RANK=0 timeout 60 python train.py & GLOO_SOCKET_IFNAME=ib7 MASTER_ADDR=127.0.0.1 MASTER_PORT=29871 WORLD_SIZE=2 RANK=1 timeout 60 python train.py; rc=$?; wait; exit $rc",
    script="import os, torch.distributed as d\nr = int(os.environ['RANK'])\nprint(f'rank {r}: joining', flush=True)\nd.init_process_group('gloo')\nprint(f'rank {r}: joined', flush=True)\n",
)
job(
    "ddp_sleeper",
    "C2",
    "rank 1 sleeps in its data pipeline; rank 0 times out in all_reduce; both started by a shell's &",
    "export MASTER_ADDR=127.0.0.1 MASTER_PORT=29872 WORLD_SIZE=2; RANK=1 timeout 50 python train.py & RANK=0 python train.py; rc=$?; sleep 1; kill %1; exit $rc",
    script=TINY
    + """
import torch.distributed as d, datetime
from datetime import timedelta
d.init_process_group('gloo', timeout=timedelta(seconds=12)); r = d.get_rank()
for k in range(1, 100):
    v = one()
    if r == 1 and k == 41: time.sleep(3600)
    g = net[0].weight.grad.clone(); d.all_reduce(g)
    if k % 10 == 0: print(f'{datetime.datetime.now():%H:%M:%S} r{r} update {k} loss {v:.4f}', flush=True)
""",
)
job(
    "ddp_early_out",
    "C2 A1",
    "rank 1 has fewer batches, leaves with status 0; rank 0 finds its connection closed",
    "export MASTER_ADDR=127.0.0.1 MASTER_PORT=29873 WORLD_SIZE=2; RANK=1 python train.py & RANK=0 python train.py; rc=$?; wait; exit $rc",
    script=TINY
    + """
import torch.distributed as d
d.init_process_group('gloo'); r = d.get_rank()
for k in range(1, 61 if r == 0 else 45):
    v = one(); g = net[0].weight.grad.clone(); d.all_reduce(g)
    if k % 10 == 0: print(f'[rank {r}] batch {k} loss {v:.4f}', flush=True)
print(f'[rank {r}] epoch over', flush=True)
os._exit(0)
""",
)
job(
    "killed_peer_no_launcher",
    "A2 C2",
    "rank 2 of three is killed with SIGKILL; the others find the connection closed; dash tells nothing but a shell's line",
    'export MASTER_ADDR=127.0.0.1 MASTER_PORT=29874 WORLD_SIZE=3; for r in 0 1 2; do RANK=$r python train.py & p[$r]=$!; done; for r in 0 1 2; do wait ${p[$r]}; echo "rank $r -> $?"; done; exit 1',
    script=TINY
    + """
import torch.distributed as d
d.init_process_group('gloo'); r = d.get_rank()
for k in range(1, 200):
    v = one(); g = net[0].weight.grad.clone(); d.all_reduce(g)
    if k % 10 == 0 and r == 0: print(f'iter {k:04d} loss {v:.4f}', flush=True)
    if r == 2 and k == 77: os.kill(os.getpid(), 9)
""",
)
job(
    "head_only",
    "-",
    "the log was cut after twenty lines, in a sound run of which nothing else is known",
    "python train.py",
    cut=(0, 14),
    status="withheld",
    script=TINY
    + "print('args: lr=0.003 width=32 epochs=40')\nprint('parameters: 676')\nfor k in range(1, 401):\n    v = one()\n    if k % 10 == 0: print(f'step {k} loss {v:.4f}', flush=True)\nprint('done')\n",
)
job(
    "tail_only",
    "A1",
    "only the end of the log is left: the exception without its header",
    "python train.py",
    cut=(-3, None),
    script=TINY
    + "for k in range(1, 41):\n    v = one()\n    if k % 10 == 0: print(f'step {k} loss {v:.4f}', flush=True)\nstate = {'rank': 1}\nprint(state['world'])\n",
)
job(
    "pip_only",
    "-",
    "nothing but an environment being listed",
    "python -m pip list; python -c 'import torch; print(torch.__config__.show())'",
    status="withheld",
)
job(
    "exit_one_silent",
    "- A1",
    "a run that advances and leaves with 1 without a word",
    "python train.py",
    script=TINY
    + "for k in range(1, 141):\n    v = one()\n    if k % 10 == 0: print(f'{k} {v:.4f}', flush=True)\nos._exit(1)\n",
)
job(
    "alarm_clock",
    "A2 F3",
    "a watchdog's SIGALRM ends the job's shell while the trainer advances: status 142",
    "(until [ -e .go ]; do sleep 1; done; kill -ALRM $(pgrep -f -x 'python train.py --watchdog 90')) & python train.py --watchdog 90",
    script=TINY
    + "k = 0\nwhile True:\n    k += 1; v = one(); time.sleep(0.02)\n    if k % 20 == 0: print(f'epoch {k // 20} avg loss {v:.4f}', flush=True)\n    if k == 100: open('.go', 'w').close()\n",
)
job(
    "quit_key",
    "outside A2",
    "somebody presses Ctrl-backslash: SIGQUIT",
    "env --default-signal=QUIT python train.py & p=$!; until [ -e .go ]; do sleep 1; done; kill -QUIT $p; wait $p",
    script=TINY
    + "k = 0\nwhile True:\n    k += 1; v = one(); time.sleep(0.02)\n    if k % 20 == 0: print(f'epoch {k // 20} avg loss {v:.4f}', flush=True)\n    if k == 100: open('.go', 'w').close()\n",
)
job(
    "stop_file",
    "G1 outside",
    "the trainer finds a file named STOP, saves and leaves with 0",
    "(until [ -e .go ]; do sleep 1; done; touch STOP) & python train.py",
    script=TINY
    + "k = 0\nwhile True:\n    k += 1; v = one(); time.sleep(0.01)\n    if k % 20 == 0: print(f'iter {k} loss {v:.4f}', flush=True)\n    if k == 300: open('.go', 'w').close()\n    if os.path.exists('STOP'):\n        print('STOP file found: saving and leaving as asked'); torch.save(net.state_dict(), 'last.pt'); print('saved last.pt'); break\n",
)
job(
    "two_steps",
    "E3",
    "a run that ends well after two steps",
    "python train.py",
    where="frameworks",
    script=TINY
    + "from accelerate.logging import get_logger\nprint('***** Running training *****\\n  Num examples = 128\\n  Total optimization steps = 2')\nfor k in (1, 2): print(f'step {k}/2 loss {one():.4f}')\nprint('Training finished, saving model'); torch.save(net.state_dict(), 'm.pt')\n",
)
job(
    "service_restarts_anew",
    "E2",
    "killed by SIGTERM at update 300, started again in the same log, and it begins at 1 with its first loss, without a word of resuming",
    'python train.py --resume auto; echo "attempt 1: exit $?"; python train.py --resume auto; echo "attempt 2: exit $?"',
    script=TINY
    + """
first = not os.path.exists('.n'); open('.n', 'w').close()
torch.manual_seed(7 if first else 8)
for p in net.parameters(): p.data.normal_(0, 1.2)
for k in range(1, 601):
    v = one()
    if k % 25 == 0: print(f'update {k}/600 loss {v:.4f}', flush=True)
    if k % 100 == 0: torch.save(net.state_dict(), f'ck_{k}.pt'); print(f'wrote ck_{k}.pt', flush=True)
    if first and k == 320: os.kill(os.getpid(), 15)
print('training complete')
""",
)
job(
    "pickle_trainer_state",
    "E2",
    "the optimizer's state of the checkpoint holds other groups",
    "python train.py",
    script=TINY
    + """
state = {'model': net.state_dict(), 'optim': torch.optim.SGD(net.parameters(), lr=.1, momentum=.9).state_dict(), 'step': 4000}
state['optim']['param_groups'].append({'lr': .1, 'params': [9, 10]})
torch.save(state, 'ck_4000.pt')
print('resuming from ck_4000.pt'); s = torch.load('ck_4000.pt')
net.load_state_dict(s['model']); print('model restored at step', s['step'])
opt.load_state_dict(s['optim'])
""",
)
job(
    "starved_meters",
    "D1",
    "every step waits three seconds for its batch, as the job's own meters say",
    "python train.py",
    script=TINY
    + """
for k in range(1, 26):
    t0 = time.time(); time.sleep(2.6); t1 = time.time(); v = one(); t2 = time.time()
    if k % 1 == 0: print(f'Epoch: [0]  [{k:>3}/40]  eta: 0:01:{59 - k:02d}  lr: 0.003000  loss: {v:.4f} ({v:.4f})  time: {t2 - t0:.4f}  data: {t1 - t0:.4f}  max mem: 12034', flush=True)
print('Epoch: [0] Total time: 0:01:05 (2.6 s / it)')
""",
)
job(
    "first_batch_slow",
    "G1",
    "only the first batch waits for the data; afterwards the meters show nothing of it",
    "python train.py",
    script=TINY
    + """
for k in range(0, 201):
    t0 = time.time(); time.sleep(6 if k == 0 else 0); t1 = time.time(); v = one(); t2 = time.time()
    if k % 10 == 0: print(f'Epoch: [0]  [{k:>3}/200]  eta: 0:00:09  lr: 0.003000  loss: {v:.4f} ({v:.4f})  time: {t2 - t0:.4f}  data: {t1 - t0:.4f}  max mem: 12034', flush=True)
print('Epoch: [0] Total time: 0:00:07 (0.03 s / it)')
print('Training time 0:00:07')
""",
)
job(
    "saves_every_step",
    "D2",
    "a save after every update that takes most of the time",
    "python train.py",
    script=TINY
    + """
for k in range(1, 31):
    t0 = time.time(); v = one(); t1 = time.time()
    print(f'[{k}/30] saving checkpoint to ckpt/step_{k}.pt', flush=True); time.sleep(1.2); torch.save(net.state_dict(), 'c.pt'); t2 = time.time()
    print(f'[{k}/30] checkpoint saved in {t2 - t1:.2f}s; step took {t2 - t0:.2f}s; loss {v:.4f}', flush=True)
print('done')
""",
)
job(
    "cgroup_kernel_words",
    "A2",
    "a memory cgroup kills the trainer; the kernel's own lines lie beside the log",
    "g=/sys/fs/cgroup/memory/blind_$$; mkdir $g && echo 300M > $g/memory.limit_in_bytes && mkdir keep; m=$(dmesg | wc -l); (echo $BASHPID > $g/cgroup.procs; exec python train.py); rc=$?; dmesg -T | tail -n +$((m+1)) > keep/dmesg.txt; rmdir $g; exit $rc",
    script=TINY
    + "keep = []\nfor k in range(1, 400):\n    v = one()\n    if k % 5 == 0: print(f'step {k} loss {v:.4f}', flush=True)\n    keep.append(bytearray(b'x') * 4_000_000)\n",
)
job(
    "structlog_key_values",
    "A1",
    "structlog's key=value lines, and an exception it prints itself before the process leaves with 1",
    "python train.py",
    where="frameworks",
    script=TINY
    + """
import structlog
log = structlog.get_logger().bind(run='r-81', rank=0)
for k in range(1, 101):
    v = one()
    if k % 20 == 0: log.info('train', step=k, loss=round(v, 4))
try:
    {'a': 1}['token_type_ids']
except KeyError:
    log.exception('training.failed', step=100); sys.exit(1)
""",
)
job(
    "windows_docker_prefix",
    "A1",
    "Windows line ends and the prefix of a compose service",
    "python train.py | sed 's/$/\\r/'; exit ${PIPESTATUS[0]}",
    prefix="trainer-1  | ",
    script=TINY
    + "for k in range(1, 61):\n    v = one()\n    if k % 10 == 0: print(f'epoch {k} loss {v:.4f}', flush=True)\nsys.stderr = sys.stdout\nraise NotImplementedError('bf16 gradients are not supported by FusedLion')\n",
)
job(
    "exit_file_137",
    "A2",
    "the log ends in the midst of a run; a file tells the status 137",
    "python train.py",
    status="exit_status.txt",
    status_text="exit status: {}\n",
    script=TINY
    + "for k in range(1, 400):\n    v = one(); time.sleep(0.01)\n    if k % 10 == 0: print(f'epoch {k} loss {v:.4f}', flush=True)\n    if k == 222: os.kill(os.getpid(), 9)\n",
)
job(
    "exit_json_0",
    "G1",
    "a sound run that ends without a word; a JSON file tells that it returned 0",
    "python train.py",
    status="result.json",
    status_text='{{"job": "fit-7", "returncode": {}, "signal": null}}\n',
    script=TINY
    + "for k in range(1, 401):\n    v = one()\n    if k % 10 == 0: print(f'epoch {k}/400 loss {v:.4f}', flush=True)\n",
)
