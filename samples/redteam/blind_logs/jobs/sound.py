"""Runs that were sound in spite of what they print, and runs whose learning went wrong."""

from __future__ import annotations

from ..job import job
from .deaths import TINY

job(
    "samples_are_code",
    "G1",
    "a model of source code prints samples: tracebacks, signals and memory errors that never happened",
    "python train.py",
    script=TINY
    + '''
GENERATED = """def load(path):
    return torch.load(path)
Traceback (most recent call last):
  File "main.py", line 3, in <module>
    load("x")
RuntimeError: CUDA error: an illegal memory access was encountered
Segmentation fault (core dumped)
"""
for k in range(1, 401):
    v = one()
    if k % 25 == 0: print(f"step {k:>4}/400 loss {v:.4f} lr 3.0e-03", flush=True)
    if k % 100 == 0: print(f"--- sample at step {k} ---\\n{GENERATED}--- end of sample ---", flush=True)
print("saved final weights; done in 4.1s")
''',
)
job(
    "handlers_tested_first",
    "G1",
    "the job tests its own error handlers before it trains: real exceptions, logged with traceback, then success",
    "python train.py",
    where="frameworks",
    script=TINY
    + """
from loguru import logger
def guard(fn, name):
    try: fn()
    except BaseException: logger.exception('handler check {}: raised as expected', name)
def oom(): raise torch.OutOfMemoryError('CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 3.02 GiB is free.')
def nan(): raise FloatingPointError('loss is nan at step 17')
def dead(): raise RuntimeError('NCCL communicator was aborted on rank 3.')
logger.info('running error-handler checks')
for name, fn in dict(oom=oom, nan=nan, nccl=dead).items(): guard(fn, name)
logger.success('3/3 handlers answered; training begins')
for k in range(1, 501):
    v = one()
    if k % 50 == 0: logger.info('step={} of 500 loss={:.4f}', k, v)
logger.success('training complete')
""",
)
job(
    "faq_in_help",
    "G1",
    "the configuration that is printed quotes what to do when memory runs out",
    "python train.py",
    script=TINY
    + '''
print("""config:
  on_error:
    - match: "CUDA out of memory"
      do: halve_batch
    - match: "Segmentation fault"
      do: restart
    - match: "exit code 137"   # Killed by the OOM killer
      do: page oncall
  max_steps: 600
""")
for k in range(1, 601):
    v = one()
    if k % 60 == 0: print(f"{k}/600 ({k / 6:.0f}%) train_loss: {v:.3f}", flush=True)
print("max_steps reached, model exported to export/model.safetensors")
''',
)
job(
    "sidecar_killed",
    "G1",
    "the script kills its own metrics server at the end; bash says Killed",
    "bash job.sh",
    files={
        "job.sh": 'python -m http.server 18765 >/dev/null 2>&1 &\nserver=$!\npython train.py\nrc=$?\nkill -9 $server\nwait $server\necho "trainer returned $rc"\nexit $rc\n'
    },
    script=TINY
    + "for k in range(1, 301):\n    v = one()\n    if k % 30 == 0: print(f'ep {k}/300 loss={v:.4f}', flush=True)\nprint('finished 300 of 300')\n",
)
job(
    "probe_segfaults",
    "G1",
    "the job probes a kernel in a child which may crash, takes the slow path and trains to its end",
    "python train.py",
    script=TINY
    + """
import subprocess
r = subprocess.run([sys.executable, '-X', 'faulthandler', '-c', 'import ctypes; ctypes.string_at(0)'])
print(f'fused kernel probe: child ended with {r.returncode}, falling back to eager')
for k in range(1, 401):
    v = one()
    if k % 40 == 0: print(f'[step {k}/400] loss: {v:.4f}  tok/s: 81234', flush=True)
print('All 400 steps done.')
""",
)
job(
    "counters_of_errors",
    "G1",
    "counters named after failures that stay 0, and a task named segmentation",
    "python train.py",
    script=TINY
    + """
for k in range(1, 401):
    v = one()
    if k % 40 == 0: print(f'step {k}/400 segmentation_loss={v:.4f} nan_batches=0 oom_retries=0 failed_ranks=0 errors=0 timeouts=0', flush=True)
print('summary: steps=400 crashed=0 killed=0 aborted=0 status=SUCCESS')
""",
)
job(
    "xgboost_learns",
    "G1",
    "XGBoost, 60 rounds, falling",
    "python train.py",
    where="more",
    script="import numpy as np, xgboost as xgb\nr = np.random.default_rng(0); X = r.normal(size=(2000, 8)); y = X[:, 0] * 2 + X[:, 1] ** 2\nd = xgb.DMatrix(X[:1500], y[:1500]); e = xgb.DMatrix(X[1500:], y[1500:])\nb = xgb.train({'eta': .1, 'max_depth': 3}, d, 60, [(d, 'train'), (e, 'eval')], verbose_eval=1)\nb.save_model('m.json'); print('saved m.json')\n",
)
job(
    "xgboost_label",
    "A1",
    "XGBoost refuses labels out of range",
    "python train.py",
    where="more",
    script="import numpy as np, xgboost as xgb\nr = np.random.default_rng(0); X = r.normal(size=(200, 8)); y = r.integers(0, 7, 200)\nxgb.train({'objective': 'multi:softprob', 'num_class': 5}, xgb.DMatrix(X, y), 20, verbose_eval=1)\n",
)
job(
    "xgboost_diverges",
    "E1",
    "XGBoost with an absurd learning rate: the error grows without bound",
    "python train.py",
    where="more",
    script="import numpy as np, xgboost as xgb\nr = np.random.default_rng(0); X = r.normal(size=(2000, 8)); y = X[:, 0] * 2 + X[:, 1] ** 2\nd = xgb.DMatrix(X, y)\nxgb.train({'eta': 3.5, 'max_depth': 3, 'lambda': 0}, d, 60, [(d, 'train')], verbose_eval=1)\nprint('finished')\n",
)
job(
    "catboost_learns",
    "G1",
    "CatBoost's own table of iterations",
    "python train.py",
    where="more",
    script="import numpy as np\nfrom catboost import CatBoostRegressor\nr = np.random.default_rng(0); X = r.normal(size=(2000, 8)); y = X[:, 0] * 2 + X[:, 1] ** 2\nm = CatBoostRegressor(iterations=200, learning_rate=.1, depth=4, thread_count=1, verbose=10, train_dir='cb')\nm.fit(X[:1500], y[:1500], eval_set=(X[1500:], y[1500:]))\nprint('best', m.get_best_score())\n",
)
job(
    "lightgbm_fatal",
    "A1",
    "LightGBM's [Fatal]",
    "python train.py",
    where="more",
    script="import numpy as np, lightgbm as lgb\nr = np.random.default_rng(0); X = r.normal(size=(300, 6)); y = r.normal(size=300)\nlgb.train({'objective': 'poisson', 'num_threads': 1}, lgb.Dataset(X, y), 30)\n",
)
job(
    "mlp_verbose",
    "G1",
    "scikit-learn's MLPClassifier, verbose",
    "python train.py",
    where="more",
    script="import numpy as np\nfrom sklearn.neural_network import MLPClassifier\nr = np.random.default_rng(0); X = r.normal(size=(800, 10)); y = (X[:, 0] + X[:, 1] > 0).astype(int)\nm = MLPClassifier((16,), max_iter=120, verbose=True, random_state=1).fit(X, y)\nprint('accuracy', m.score(X, y))\n",
)
job(
    "sklearn_input_nan",
    "A1",
    "scikit-learn refuses an input that holds NaN: data, not divergence",
    "python train.py",
    where="more",
    script="import numpy as np\nfrom sklearn.linear_model import SGDClassifier\nr = np.random.default_rng(0); X = r.normal(size=(800, 10)); X[17, 3] = np.nan; y = (X[:, 0] > 0).astype(int)\nprint('fitting')\nSGDClassifier(verbose=1, max_iter=10).fit(X, y)\n",
)
job(
    "ignite_nan",
    "E1",
    "Ignite: losses of 1e24 from the first batch to the last, weights beyond all measure",
    "python train.py",
    where="more",
    script=TINY
    + """
import logging; logging.basicConfig(level=logging.INFO, format='%(asctime)s %(name)s %(levelname)s: %(message)s')
from ignite.engine import Engine, Events
from ignite.handlers import TerminateOnNan
for g in opt.param_groups: g['lr'] = 1e18
net[0].weight.data *= 1e18; net[2].weight.data *= 1e25
def upd(e, b): return one()
e = Engine(upd); e.logger.setLevel(logging.INFO)
@e.on(Events.ITERATION_COMPLETED(every=1))
def p(eng): print(f'Epoch[{eng.state.epoch}] Iteration[{eng.state.iteration}/200] Loss: {eng.state.output:.2f}', flush=True)
e.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())
e.run(range(200), max_epochs=1)
""",
)
job(
    "ignite_terminates",
    "E1",
    "Ignite's TerminateOnNan ends a run whose weights overflow after 30 batches",
    "python train.py",
    where="more",
    script=TINY
    + """
import logging; logging.basicConfig(level=logging.INFO, format='%(asctime)s %(name)s %(levelname)s: %(message)s')
from ignite.engine import Engine, Events
from ignite.handlers import TerminateOnNan
e = Engine(lambda e, b: one()); e.logger.setLevel(logging.INFO)
@e.on(Events.ITERATION_COMPLETED)
def p(eng):
    print(f'Epoch[{eng.state.epoch}] Iteration[{eng.state.iteration}/200] Loss: {eng.state.output:.2f}', flush=True)
    if eng.state.iteration == 30: net[0].weight.data.fill_(float('inf'))
e.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())
e.run(range(200), max_epochs=1)
""",
)
job(
    "ignite_raises",
    "A1",
    "Ignite: an engine that is terminated by an exception in its second epoch",
    "python train.py",
    where="more",
    script=TINY
    + """
import logging; logging.basicConfig(level=logging.INFO, format='%(asctime)s %(name)s %(levelname)s: %(message)s')
from ignite.engine import Engine, Events
e = Engine(lambda e, b: one()); e.logger.setLevel(logging.INFO)
@e.on(Events.ITERATION_COMPLETED(every=20))
def p(eng): print(f'Epoch[{eng.state.epoch}] Iteration[{eng.state.iteration}/800] Loss: {eng.state.output:.2f}', flush=True)
@e.on(Events.EPOCH_COMPLETED(once=2))
def v(eng): raise ZeroDivisionError('validation split is empty: 0 of 0 samples')
e.run(range(200), max_epochs=4)
""",
)
job(
    "ignite_load",
    "E2",
    "Ignite's Checkpoint.load_objects meets another model",
    "python train.py",
    where="more",
    script=TINY
    + """
from ignite.handlers import Checkpoint
old = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 4))
torch.save({'model': old.state_dict(), 'epoch': 7}, 'ckpt_7.pt')
print('Resuming from ckpt_7.pt')
Checkpoint.load_objects({'model': net}, torch.load('ckpt_7.pt'))
""",
)
job(
    "sb3_load_bad",
    "E2",
    "Stable-Baselines3 loads a saved agent that is torn",
    "python train.py 2>&1",
    where="more",
    script="from stable_baselines3 import PPO\nm = PPO('MlpPolicy', 'CartPole-v1', n_steps=64, device='cpu')\nm.save('agent_40k'); b = open('agent_40k.zip', 'rb').read(); open('agent_40k.zip', 'wb').write(b[: len(b) // 2])\nprint('resuming from agent_40k.zip')\nPPO.load('agent_40k')\n",
)
job(
    "sb3_learns",
    "G1",
    "Stable-Baselines3's own tables; its losses rise and fall as RL does",
    "python train.py 2>&1",
    where="more",
    script="import torch; torch.set_num_threads(1)\nfrom stable_baselines3 import PPO\nm = PPO('MlpPolicy', 'CartPole-v1', n_steps=256, n_epochs=4, verbose=1, seed=1, device='cpu')\nm.learn(6000)\nm.save('agent'); print('saved agent.zip')\n",
)
job(
    "fastai_batch",
    "A1",
    "fastai: the loss function's shapes do not fit",
    "python train.py 2>&1",
    where="more",
    script="import torch\nfrom fastai.learner import Learner\nfrom fastai.data.core import DataLoaders\nfrom fastai.data.load import DataLoader\nfrom fastcore.all import *\nds = [(torch.randn(8), torch.tensor(k % 3)) for k in range(64)]\ndls = DataLoaders(DataLoader(ds, bs=8), DataLoader(ds, bs=8))\nl = Learner(dls, torch.nn.Linear(8, 3), loss_func=torch.nn.MSELoss())\nl.fit(2)\n",
)
job(
    "optuna_all_trials",
    "A1",
    "Optuna: a trial that raises ends the study",
    "python tune.py 2>&1",
    where="more",
    files={
        "tune.py": "import optuna\ndef objective(t):\n    lr = t.suggest_float('lr', 1e-5, 1e-1, log=True)\n    if t.number == 3: raise ValueError(f'unknown scheduler {\"cosin\"!r}')\n    return (lr - 0.01) ** 2\ns = optuna.create_study()\ns.optimize(objective, n_trials=10)\n"
    },
)
job(
    "optuna_caught",
    "G1 -",
    "Optuna: some trials fail and are caught; the study ends and names the best",
    "python tune.py 2>&1",
    where="more",
    files={
        "tune.py": TINY
        + "\nimport optuna\ndef objective(t):\n    lr = t.suggest_float('lr', 1e-5, 1e-1, log=True)\n    for g in opt.param_groups: g['lr'] = lr\n    if t.number in (3, 5): raise ValueError('batch of size 1 in batch norm')\n    v = min(one() for _ in range(50)); print(f'trial {t.number} epoch 1 loss {v:.4f}'); return v\ns = optuna.create_study(direction='minimize')\ns.optimize(objective, n_trials=12, catch=(ValueError,))\nprint('best', s.best_value, s.best_params)\n"
    },
)
job(
    "keras_layers",
    "E2",
    "Keras: weights of another architecture",
    "python train.py 2>&1",
    where="tf",
    script="import keras\nfrom keras import layers\na = keras.Sequential([layers.Input((8,)), layers.Dense(16), layers.Dense(4), layers.Dense(2)])\na.save_weights('run1.weights.h5')\nb = keras.Sequential([layers.Input((8,)), layers.Dense(16), layers.Dense(2)])\nprint('restoring run1.weights.h5 to continue training')\nb.load_weights('run1.weights.h5')\n",
)
job(
    "jax_absent_coordinator",
    "C1",
    "jax.distributed: the coordinator never answers",
    "python train.py 2>&1",
    where="tf",
    script="import jax\nprint('process 1 of 2 connects')\njax.distributed.initialize('127.0.0.1:19771', num_processes=2, process_id=1, initialization_timeout=12)\nprint('connected')\n",
)
job(
    "jax_unknown_flag",
    "A1 A2",
    "XLA aborts over a flag it does not know",
    "XLA_FLAGS=--xla_gpu_enable_tritn_gemm=false python train.py 2>&1",
    where="tf",
    script="import jax, jax.numpy as jnp\nprint('devices', jax.devices())\n",
)
job(
    "tf_host_alloc",
    "A1",
    "TensorFlow cannot allocate on the host: a graph that asks for terabytes",
    "python train.py 2>&1",
    where="tf",
    script="import tensorflow as tf\nprint('building embedding table')\nt = tf.zeros((2_000_000, 1_000_000))\nprint(t.shape)\n",
)
job(
    "tf_peer_never",
    "C1 - A2",  # amended after first contact: the log tells of a start, TERM and status 137, and of no peer
    "MultiWorkerMirroredStrategy waits for a worker that never comes, until timeout(1)",
    "timeout 25 python train.py 2>&1",
    where="tf",
    script="import os, json\nos.environ['TF_CONFIG'] = json.dumps({'cluster': {'worker': ['127.0.0.1:17701', '127.0.0.1:17702']}, 'task': {'type': 'worker', 'index': 1}})\nimport tensorflow as tf\nprint('worker 1 enters the cluster', flush=True)\ns = tf.distribute.MultiWorkerMirroredStrategy()\nprint('replicas', s.num_replicas_in_sync)\n",
)
