"""Written after the first contact, before the mends were seen: other causes, and near misses of what was mended."""

from __future__ import annotations

from ..book import real
from ..kit import PLAIN, RANKS, TRAINER
from .launched import LOOP
from .single import LEARN

real(
    "teacher_then_student",
    "G1",
    "one program trains a teacher, then a student from its answers: steps and loss begin anew by plan",
    "python distill.py",
    files={
        "distill.py": PLAIN
        + """
def fit(net, target, name, steps=200):
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3); print(f'[{name}] {sum(p.numel() for p in net.parameters())} parameters')
    for k in range(1, steps + 1):
        x, y = batch(); loss = target(net, x, y); opt.zero_grad(); loss.backward(); opt.step()
        if k % 20 == 0: print(f'[{name}] step {k}/{steps} loss {loss.item():.4f}')
    return net
teacher = fit(Net(96), lambda n, x, y: F.cross_entropy(n(x), y), 'teacher')
fit(Net(16), lambda n, x, y: F.kl_div(n(x).log_softmax(1), teacher(x).detach().softmax(1), reduction='batchmean'), 'student')
print('student exported')
"""
    },
)
real(
    "seeds_in_turn",
    "G1",
    "a shell loop over three seeds, each run from its first step",
    "for seed in 1 2 3; do echo \"+ python train.py --seed $seed\"; python train.py --seed $seed || exit 1; done; echo 'all seeds done'",
    script=PLAIN
    + """
torch.manual_seed(int(sys.argv[2])); net = Net(); opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for epoch in range(6):
    for _ in range(25):
        x, y = batch(); loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
    print(f'epoch {epoch} | loss {loss.item():.4f} | acc {(net(DATA).argmax(1) == LABELS).float().mean():.3f}')
""",
)
real(
    "second_try_forgets_checkpoint",
    "E2",
    "the script tries again after a kill: checkpoints were saved, and the second try begins at its first step without a word of them",
    'for n in 1 2; do echo "[run.sh] try $n of 2"; python train.py $n & p=$!; [ $n = 1 ] && { until [ -e .at ]; do sleep 0.2; done; kill -9 $p; }; wait $p && break; done',
    script=PLAIN
    + LEARN
    + """
if sys.argv[1] == '2': torch.manual_seed(99); net.__init__()
for k in range(1, 241):
    v = update(); time.sleep(0.01)
    if k % 10 == 0: print(f'step {k:>4}/240   loss {v:.4f}', flush=True)
    if k % 40 == 0: torch.save(net.state_dict(), f'ckpt-{k}.pt'); print(f'saved ckpt-{k}.pt', flush=True)
    if k == 185 and sys.argv[1] == '1': open('.at', 'w').close(); time.sleep(30)
""",
)
real(
    "second_try_resumes_well",
    "G1 F2",
    "the same script and the same kill, but the second try loads its checkpoint and goes on",
    'for n in 1 2; do echo "[run.sh] try $n of 2"; python train.py $n & p=$!; [ $n = 1 ] && { until [ -e .at ]; do sleep 0.2; done; kill -9 $p; }; wait $p && break; done',
    script=PLAIN
    + LEARN
    + """
import glob
first = 1
found = sorted(glob.glob('ckpt-*.pt'), key=os.path.getmtime)
if found: net.load_state_dict(torch.load(found[-1])); first = int(found[-1][5:-3]) + 1; print(f'loaded {found[-1]}, continuing at step {first}', flush=True)
for k in range(first, 241):
    v = update(); time.sleep(0.01)
    if k % 10 == 0: print(f'step {k:>4}/240   loss {v:.4f}', flush=True)
    if k % 40 == 0: torch.save(net.state_dict(), f'ckpt-{k}.pt'); print(f'saved ckpt-{k}.pt', flush=True)
    if k == 185 and sys.argv[1] == '1': open('.at', 'w').close(); time.sleep(30)
print('finished at step 240')
""",
)
real(
    "loss_stays_above_all",
    "E1",
    "momentum and a rate of 30 from step 120 on: the loss jumps to many times its start and stays there to the end",
    "python train.py",
    script=PLAIN
    + """
net = Net(); opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for k in range(1, 401):
    if k == 120:
        for g in opt.param_groups: g['lr'] = 30.0
    x, y = batch(); loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step()
    if k % 8 == 0: print(f'{time.strftime("%Y-%m-%d %H:%M:%S")} INFO train: iter={k} total_loss={loss.item():.3f} lr={opt.param_groups[0]["lr"]:.4g}')
print('training complete')
""",
)
real(
    "labels_all_masked",
    "E1",
    "Trainer: every label is -100, so that there is nothing to learn from",
    "python train.py",
    where="launchers",
    script=TRAINER
    + """
class Masked(Texts):
    def __getitem__(self, k): row = super().__getitem__(k); row['labels'][:] = -100; return row
Trainer(lm(), settings(max_steps=60), train_dataset=Masked()).train()
""",
)
real(
    "keras_at_chance",
    "E1",
    "Keras: a learning rate of 5 kills every unit: loss and accuracy stand where guessing is for 15 epochs",
    "python train.py",
    where="tf",
    script="""
import keras, numpy as np
rng = np.random.default_rng(1); x = rng.normal(size=(2000, 20)).astype('float32'); y = (x @ rng.normal(size=(20, 10))).argmax(1)
m = keras.Sequential([keras.layers.Dense(32, 'relu'), keras.layers.Dense(32, 'relu'), keras.layers.Dense(10, use_bias=False)]); m.compile(keras.optimizers.Adam(5.0, clipnorm=1.0), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'])
m.build((None, 20)); m.layers[1].set_weights([np.zeros((32, 32), 'float32'), -np.full(32, 9e3, 'float32')])
m.fit(x, y, epochs=15, batch_size=64, verbose=2)
""",
)
real(
    "three_batches",
    "E3",
    "one epoch of three batches, then the run says that it is done",
    "python train.py --epochs 1 --batch-size 1024",
    script=PLAIN
    + LEARN
    + """
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(DATA, LABELS), 700)
print(f'train: {len(DATA)} samples, {len(loader)} batches per epoch, 1 epoch')
for k, (x, y) in enumerate(loader, 1):
    loss = F.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
    print(f'epoch 1/1 batch {k}/{len(loader)} loss {loss.item():.4f}')
torch.save(net.state_dict(), 'model.pt'); print('Training finished. Model saved to model.pt')
""",
)
real(
    "shares_of_a_step",
    "D1",
    "the loop prints shares of its step: nine tenths of three seconds go to data; it learns and ends as planned",
    "python train.py",
    script=PLAIN
    + LEARN
    + """
for k in range(1, 27):
    t = time.time(); time.sleep(2.7); x, y = batch(); d = time.time() - t
    t = time.time(); loss = F.cross_entropy(net(x), y); f = time.time() - t
    t = time.time(); opt.zero_grad(); loss.backward(); opt.step(); b = time.time() - t; s = d + f + b
    if k > 1: print(f'it {k}/26 | loss {loss.item():.3f} | {s:.2f} s/it (data {100 * d / s:.0f}%, forward {100 * f / s:.0f}%, backward+step {100 * b / s:.0f}%)', flush=True)
print('end of training')
""",
)
real(
    "reduction_takes_all",
    "D2",
    "torchrun, 3 ranks: each reports that reducing gradients takes nine tenths of its step, all alike (a sleep stands for a slow network)",
    "torchrun --nproc-per-node 3 --master-port 29681 train.py",
    staged="the slow network is a sleep",
    script=RANKS
    + """
join()
torch.manual_seed(5); model = Net(); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
for k in range(1, 31):
    t = time.time(); x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); time.sleep(0.1); own = time.time() - t
    t = time.time()
    for p in model.parameters(): dist.all_reduce(p.grad); time.sleep(0.3)
    comm = time.time() - t; opt.step()
    if k % 3 == 0: print(f'rank={RANK} step={k}/30 loss={loss.item():.4f} compute={own:.2f}s grad_allreduce={comm:.2f}s ({100 * comm / (own + comm):.0f}% of step) busbw=0.3GB/s', flush=True)
dist.destroy_process_group()
""",
)
real(
    "straggler_in_json",
    "D3",
    "four ranks write JSON lines of their own times: rank 1 computes five times as long, the others wait for it",
    "torchrun --nproc-per-node 4 --master-port 29682 train.py",
    script=RANKS
    + """
join()
torch.manual_seed(5); model = Net(); opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
for k in range(1, 31):
    t = time.time(); x, y = batch(); loss = F.cross_entropy(model(x), y); opt.zero_grad(); loss.backward(); time.sleep(1.0 if RANK == 1 else 0.2); own = time.time() - t
    t = time.time()
    for p in model.parameters(): dist.all_reduce(p.grad)
    wait = time.time() - t; opt.step()
    print(json.dumps({'rank': RANK, 'step': k, 'loss': round(loss.item(), 4), 'compute_ms': round(own * 1e3), 'sync_ms': round(wait * 1e3)}) + '\\n', end='', flush=True)
dist.destroy_process_group()
""",
)
real(
    "skips_a_batch_alone",
    "C2",
    "torchrun, 2 ranks: rank 1 skips a bad batch on its own, so that its collectives are one behind; the end times out",
    "torchrun --nproc-per-node 2 --master-port 29683 train.py",
    script=RANKS
    + """
join(12)
"""
    + LOOP
    + """
for k in range(1, 81):
    if RANK == 1 and k == 33: print(f'[rank {RANK}] batch {k} holds a corrupt sample, skipping it', flush=True); continue
    loss = update()
    if k % 8 == 0: print(f'[rank {RANK}] step {k}/80 loss {loss.item():.4f}', flush=True)
    time.sleep(0.02)
if RANK == 1: time.sleep(60)
dist.barrier(); print('done')
""",
)
real(
    "only_rank_zero_evaluates",
    "C2",
    "torchrun, 3 ranks: rank 0 evaluates for longer than the others may wait in the barrier",
    "torchrun --nproc-per-node 3 --master-port 29684 train.py",
    script=RANKS
    + """
join(10)
"""
    + LOOP
    + """
for k in range(1, 61):
    loss = update()
    if RANK == 0 and k % 10 == 0: print(f'step {k}/120 loss {loss.item():.4f}', flush=True)
if RANK == 0:
    for b in range(40): print(f'eval batch {b}/400', flush=True); time.sleep(1)
dist.barrier()
""",
)
real(
    "rank_given_twice",
    "C1 A1",  # nobody is rank 1: one meets the taken port, the others wait
    "three processes started by hand, two of them as rank 0 of three; the time runs out",
    'export MASTER_ADDR=127.0.0.1 MASTER_PORT=29685 WORLD_SIZE=3\n(RANK=0 python train.py; echo "worker a: exit $?") & sleep 2; (RANK=0 python train.py; echo "worker b: exit $?") & (RANK=2 python train.py; echo "worker c: exit $?") & wait; exit 1',
    script=RANKS
    + """
print(f'starting rank {RANK} of {WORLD}', flush=True)
join(15)
print('joined')
""",
)
real(
    "world_sizes_differ",
    "C1",
    "two processes: one believes in a world of two, the other in one of three; the store waits in vain",
    "export MASTER_ADDR=127.0.0.1 MASTER_PORT=29686; RANK=0 WORLD_SIZE=3 python train.py & a=$!; RANK=1 WORLD_SIZE=2 python train.py; b=$?; wait $a; exit $?",
    script=RANKS
    + """
print(f'rank {RANK}: joining a world of {WORLD}', flush=True)
join(12)
print(f'rank {RANK}: joined', flush=True)
t = torch.ones(1); dist.all_reduce(t); print(t)
""",
)
real(
    "parent_tells_of_a_signal",
    "A2",
    "a parent of its own making says in its own words that worker 1 died with exitcode -9, and stops the other",
    "python main.py",
    files={
        "main.py": PLAIN
        + LEARN
        + """
import multiprocessing as mp, signal
def work(i):
    for k in range(1, 400):
        v = update(); time.sleep(0.02)
        if k % 10 == 0: print(f'[w{i}] {k:4d} {v:.4f}', flush=True)
        if i == 1 and k == 90: os.kill(os.getpid(), signal.SIGKILL)
if __name__ == '__main__':
    ps = [mp.get_context('spawn').Process(target=work, args=(i,)) for i in range(2)]
    [p.start() for p in ps]
    while all(p.is_alive() for p in ps): time.sleep(0.1)
    bad = [i for i, p in enumerate(ps) if p.exitcode]
    print(f'supervisor: worker {bad[0]} is gone (exitcode {ps[bad[0]].exitcode}); stopping the rest'); [p.terminate() for p in ps]; sys.exit(2)
"""
    },
)
real(
    "paddle_shapes",
    "A1",
    "PaddlePaddle: a matrix product whose shapes do not fit, in its own form of report",
    "python train.py",
    where="unseen",
    script="""
import paddle
paddle.seed(1); net = paddle.nn.Sequential(paddle.nn.Linear(16, 32), paddle.nn.ReLU(), paddle.nn.Linear(30, 4)); opt = paddle.optimizer.Adam(parameters=net.parameters())
for k in range(20):
    loss = net(paddle.randn([8, 16])).mean(); loss.backward(); opt.step(); opt.clear_grad(); print('step', k, float(loss))
""",
)
real(
    "paddle_learns",
    "G1",
    "PaddlePaddle's Model.fit, with its bars and warnings",
    "python train.py",
    where="unseen",
    script="""
import paddle, numpy as np
paddle.seed(1); x = np.random.RandomState(0).randn(640, 16).astype('float32'); y = (x @ np.random.RandomState(1).randn(16, 4)).argmax(1).astype('int64')[:, None]
m = paddle.Model(paddle.nn.Sequential(paddle.nn.Linear(16, 32), paddle.nn.ReLU(), paddle.nn.Linear(32, 4)))
m.prepare(paddle.optimizer.Adam(3e-3, parameters=m.parameters()), paddle.nn.CrossEntropyLoss(), paddle.metric.Accuracy())
m.fit(paddle.io.TensorDataset([paddle.to_tensor(x), paddle.to_tensor(y)]), epochs=4, batch_size=32, verbose=2, log_freq=5)
print('done')
""",
)
real(
    "paddle_state_differs",
    "E2",
    "PaddlePaddle: the state to continue from has other names and shapes, and a check of the job's own ends it",
    "python train.py",
    where="unseen",
    script="""
import paddle, sys
paddle.save(paddle.nn.Linear(8, 8).state_dict(), 'epoch_12.pdparams')
net = paddle.nn.Sequential(paddle.nn.Linear(8, 16), paddle.nn.Linear(16, 4))
print('Resume training from checkpoint epoch_12.pdparams')
missing, unexpected = net.set_state_dict(paddle.load('epoch_12.pdparams'))
if missing: raise RuntimeError(f'checkpoint epoch_12.pdparams does not fit the model: missing {missing}, unexpected {unexpected}')
""",
)
