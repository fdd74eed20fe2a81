"""Variants of what the engine missed at first contact: the same mechanisms in other words, and their near misses."""

from __future__ import annotations

from ..job import job
from .deaths import TINY

STEPS = (
    "for k in range(1, 301):\n    v = one()\n    if k % 30 == 0: print(f'[{k}/300] train loss {v:.4f}', flush=True)\n"
)

job(
    "v_java_caused_by",
    "A1",
    "Java: an exception with a cause, wrapped by the runner",
    "java Fit.java",
    files={
        "Fit.java": 'public class Fit {\n  static void step(int i) throws Exception { if (i == 31) throw new java.io.IOException("shard 31: checksum mismatch"); }\n  public static void main(String[] a) {\n    for (int i = 1; i < 60; i++) { try { step(i); } catch (Exception e) { throw new IllegalStateException("batch " + i + " could not be read", e); } if (i % 10 == 0) System.out.println("batch " + i + " logloss " + 1.0 / i); }\n  }\n}\n'
    },
)
job(
    "v_java_caught",
    "G1",
    "Java: a stack trace that was caught and printed, then the run ends as planned",
    "java Fit.java",
    files={
        "Fit.java": 'public class Fit {\n  public static void main(String[] a) {\n    try { Integer.parseInt("auto"); } catch (NumberFormatException e) { e.printStackTrace(); System.out.println("falling back to 4 threads"); }\n    for (int i = 1; i <= 60; i++) if (i % 5 == 0) System.out.printf("epoch %d/60 loss %.4f%n", i, 2.0 / i);\n    System.out.println("training finished");\n  }\n}\n'
    },
)
job(
    "v_node_rejection",
    "A1",
    "node: an unhandled rejection",
    "node fit.mjs",
    files={
        "fit.mjs": "let l = 3;\nfor (let i = 1; i < 50; i++) { l *= 0.96; if (i % 10 == 0) console.log(`batch ${i}: loss ${l.toFixed(4)}`); }\nasync function save() { throw new RangeError('tensor of rank 3 expected, got 2'); }\nsave();\nawait new Promise(r => setTimeout(r, 50));\n"
    },
)
job(
    "v_rust_unwrap",
    "A1",
    "Rust: unwrap of an error",
    "rustc -o fit fit.rs 2>/dev/null && RUST_BACKTRACE=1 ./fit",
    files={
        "fit.rs": 'fn main() {\n    let mut loss = 4.0f64;\n    for step in 1..=90 {\n        loss *= 0.97;\n        if step % 10 == 0 { println!("step {step}/500 loss {loss:.4}"); }\n        if step == 77 { std::fs::read_to_string("data/part-77.jsonl").unwrap(); }\n    }\n}\n'
    },
)
job(
    "v_make_separator",
    "A1",
    "a Makefile that make cannot read",
    "make fit",
    files={"Makefile": "fit:\n    python train.py\n"},
)
job(
    "v_dash_syntax",
    "A1",
    "dash does not know bash's arrays",
    "sh job.sh",
    files={"job.sh": 'echo "starting on $(hostname)"\nargs=(--lr 1e-4 --bf16)\npython train.py "${args[@]}"\n'},
)
job(
    "v_bash_eof_quote",
    "A1",
    "an open quotation mark in the job's script",
    "bash job.sh",
    files={"job.sh": 'echo starting\npython train.py --name "run 7 --lr 3e-4\n'},
)
job(
    "v_exec_format",
    "A1",
    "a trainer built for another machine",
    "printf '\\177ELF\\002\\001\\001\\0\\0\\0\\0\\0\\0\\0\\0\\0\\002\\0\\267\\0' > trainer; chmod +x trainer; ./trainer --steps 100",
)
job(
    "v_env_python",
    "A1",
    "env finds no python of that name",
    "chmod +x fit.py; ./fit.py",
    files={"fit.py": "#!/usr/bin/env python3.15\nprint(1)\n"},
)
job(
    "v_perl_module",
    "A1",
    "Perl lacks a module",
    "perl fit.pl",
    files={"fit.pl": "use strict;\nuse AI::MXNet;\nprint 1;\n"},
)
job(
    "v_sys_exit_minus",
    "A1 -",
    "the trainer refuses its configuration and leaves with -1: a status of 255 is no closed session",
    "python train.py",
    script="import sys\nprint('reading conf/base.yaml')\nprint('ERROR: mixed precision fp8 asks for compute capability 8.9, found 8.0')\nsys.exit(-1)\n",
)
job(
    "v_absl_fatal",
    "A1 A2",
    "absl's logging.fatal: a line of F, and abort",
    "python train.py 2>&1",
    where="frameworks",
    script=TINY
    + "from absl import app, logging\ndef main(_):\n    logging.set_verbosity(logging.INFO)\n    for k in range(1, 61):\n        v = one()\n        if k % 20 == 0: logging.info('step %d loss %.4f', k, v)\n    logging.fatal('vocabulary of %d tokens does not match the embedding of %d rows', 32000, 32128)\napp.run(main)\n",
)
job(
    "v_strace_segv",
    "A2",
    "a trainer that faults under strace -f",
    "strace -f -e trace=none -e signal=SIGSEGV -qq python train.py",
    script=TINY
    + "import ctypes\nfor k in range(1, 200):\n    v = one()\n    if k % 10 == 0: print(f'batch {k} loss {v:.4f}', flush=True)\n    if k == 75: ctypes.memset(16, 1, 4)\n",
)
job(
    "v_gdb_abort",
    "A2",
    "gdb -batch shows a trainer that aborts",
    "gdb -q -batch -ex run -ex bt --args python train.py 2>&1 | tail -30",
    script=TINY
    + "for k in range(1, 61):\n    v = one()\n    if k % 20 == 0: print('it', k, 'loss', round(v, 4), flush=True)\nos.abort()\n",
)
job(
    "v_called_process",
    "A2",
    "a driver in Python whose trainer dies of SIGABRT: CalledProcessError says so",
    "python drive.py",
    files={
        "drive.py": "import subprocess, sys\nprint('stage 1: tokenizing ... ok', flush=True)\nprint('stage 2: training', flush=True)\nsubprocess.run([sys.executable, 'train.py'], check=True)\n"
    },
    script=TINY
    + "for k in range(1, 200):\n    v = one()\n    if k % 10 == 0: print(f'iteration {k}: loss={v:.4f}', flush=True)\n    if k == 85: os.kill(os.getpid(), 6)\n",
)
job(
    "v_loky_killed",
    "A2",
    "a worker of joblib's loky is killed",
    "python prep.py",
    where="more",
    files={
        "prep.py": "import os, time\nfrom joblib import Parallel, delayed\ndef f(n):\n    if n == 6: time.sleep(.5); os.kill(os.getpid(), 9)\n    return n\nif __name__ == '__main__':\n    print('extracting features of 20 files')\n    print(sum(Parallel(2)(delayed(f)(n) for n in range(20))))\n"
    },
)
job(
    "v_make_killed_french",
    "A2",
    "make in French says that the trainer was killed",
    "make fit",
    locale="fr_FR.UTF-8",
    files={"Makefile": "fit:\n\tpython train.py\n"},
    script=TINY
    + "for k in range(1, 200):\n    v = one()\n    if k % 10 == 0: print(f'pas {k} perte {v:.4f}', flush=True)\n    if k == 111: os.kill(os.getpid(), 9)\n",
)
job(
    "v_xargs_sigkill",
    "A2",
    "xargs tells of signal 9",
    "echo 0 | xargs -n1 python train.py",
    script=TINY
    + "for k in range(1, 200):\n    v = one()\n    if k % 10 == 0: print(f'round {k} loss {v:.4f}', flush=True)\n    if k == 95: os.kill(os.getpid(), 9)\n",
)
job(
    "v_features_torn",
    "A1",
    "the features of the data set are torn: numpy cannot read them",
    "python train.py",
    where="frameworks",
    script="import numpy as np\nopen('features.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00v\\x00')\nprint('mapping features.npy')\nnp.load('features.npy')\n",
)
job(
    "v_weights_npz",
    "E2",
    "weights to continue from are no archive",
    "python train.py",
    where="frameworks",
    script="import numpy as np\nopen('weights_ep3.npz', 'wb').write(b'PK\\x03\\x04 torn')\nprint('continuing from weights_ep3.npz (epoch 3)')\nnp.load('weights_ep3.npz')\n",
)
job(
    "v_agent_pickle",
    "E2",
    "a saved trainer state of zero bytes: EOFError while resuming",
    "python train.py",
    script="import pickle\nopen('trainer_state_12000.pkl', 'wb').close()\nprint('resume: loading trainer_state_12000.pkl')\nstate = pickle.load(open('trainer_state_12000.pkl', 'rb'))\n",
)
job(
    "v_answers_quote",
    "G1",
    "an evaluation prints what a chat model answered: kills, memory errors and NCCL in its words",
    "python train.py",
    script=TINY
    + """
SAID = ["If you see 'CUDA out of memory. Tried to allocate 2.00 GiB', reduce the batch size.", "RuntimeError: NCCL communicator was aborted on rank 1 usually means that a peer died.", "Killed", "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0."]
for k in range(1, 361):
    v = one()
    if k % 30 == 0: print(f"step {k}/360 loss {v:.4f}", flush=True)
    if k % 90 == 0:
        for n, said in enumerate(SAID): print(f"  Q{n}: how do I fix my job?\\n  A{n}: {said}", flush=True)
print("finished 360 steps, final weights saved")
""",
)
job(
    "v_tensorboard_terminated",
    "G1",
    "the script ends its TensorBoard by TERM; bash says Terminated",
    "bash job.sh",
    files={"job.sh": "sleep 300 &\nboard=$!\npython train.py\nrc=$?\nkill $board; wait $board\nexit $rc\n"},
    script=TINY + STEPS + "print('all 300 steps done')\n",
)
job(
    "v_sitecustomize",
    "G1",
    "an error in sitecustomize that Python only mentions; then a sound run",
    "PYTHONPATH=site python train.py",
    files={"site/sitecustomize.py": "import tracing_agent\n"},
    script=TINY + STEPS + "print('all 300 steps done')\n",
)
job(
    "v_dd_french",
    "outside A1",
    "a disk that is full, as dd says in French",
    "mkdir m && mount -t tmpfs -o size=1m none m && bash job.sh; rc=$?; umount m; exit $rc",
    locale="fr_FR.UTF-8",
    files={"job.sh": "set -e\npython train.py\ndd if=model.pt of=m/model.pt bs=64k\n"},
    script=TINY
    + "for k in range(1, 101):\n    v = one()\n    if k % 20 == 0: print(f'pas {k}/100 perte={v:.4f}', flush=True)\ntorch.save({'w': torch.randn(900000)}, 'model.pt')\n",
)
job(
    "v_rc_file",
    "A2",
    "a file says rc=139, the log ends in the midst",
    "python train.py",
    status="rc",
    status_text="rc={}\n",
    script=TINY
    + "for k in range(1, 400):\n    v = one()\n    if k % 10 == 0: print(f'minibatch {k} loss {v:.4f}', flush=True)\n    if k == 177: os.kill(os.getpid(), 11)\n",
)
job(
    "v_status_yaml",
    "G1",
    "a YAML file says exit_code: 0; the run reached its last step",
    "python train.py",
    status="status.yaml",
    status_text="job: fit\nstate: finished\nexit_code: {}\n",
    script=TINY + STEPS,
)
job(
    "v_unittest_error",
    "A1",
    "training under unittest ends by an error of the job",
    "python -m unittest -v test_fit 2>&1",
    files={
        "test_fit.py": TINY
        + "\nimport unittest\nclass T(unittest.TestCase):\n    def test_fit(self):\n        for k in range(1, 61):\n            v = one()\n            if k % 20 == 0: print(f'epoch {k} loss {v:.3f}', flush=True)\n        net.load_vocab('bpe')\n"
    },
)
job(
    "v_pytest_passes",
    "G1",
    "training under pytest that passes, with a warning summary",
    "pytest -q -s test_fit.py",
    where="more",
    files={
        "test_fit.py": TINY
        + "\nimport warnings\ndef test_fit():\n    warnings.warn('RuntimeError: expected scalar type Half is what old checkpoints raise')\n    for k in range(1, 301):\n        v = one()\n        if k % 30 == 0: print(f'epoch {k}/300 loss {v:.3f}', flush=True)\n    print('fit complete')\n"
    },
)
job(
    "v_lightgbm_learns",
    "G1",
    "LightGBM's lines of evaluation fall",
    "python train.py",
    where="more",
    script="import numpy as np, lightgbm as lgb\nr = np.random.default_rng(0); X = r.normal(size=(2000, 6)); y = X[:, 0] * 2 + X[:, 1]\nlgb.train({'objective': 'l2', 'num_threads': 1, 'metric': 'l2'}, lgb.Dataset(X[:1500], y[:1500]), 100, valid_sets=[lgb.Dataset(X[1500:], y[1500:])], callbacks=[lgb.log_evaluation(5)])\nprint('saved model.txt')\n",
)
job(
    "v_hist_boosting",
    "G1",
    "scikit-learn's histogram boosting, verbose",
    "python train.py",
    where="more",
    script="import numpy as np\nfrom sklearn.ensemble import HistGradientBoostingRegressor as H\nr = np.random.default_rng(0); X = r.normal(size=(2000, 6)); y = X[:, 0] * 2 + X[:, 1]\nm = H(max_iter=60, verbose=2, early_stopping=False).fit(X, y)\nprint('R2', m.score(X, y))\n",
)
job(
    "v_optuna_pruned",
    "G1 -",
    "Optuna prunes trials and ends well",
    "python tune.py 2>&1",
    where="more",
    files={
        "tune.py": "import optuna\ndef objective(t):\n    lr = t.suggest_float('lr', 1e-5, 1e-1, log=True)\n    for e in range(5):\n        t.report(lr * (5 - e), e)\n        if t.should_prune(): raise optuna.TrialPruned()\n    return lr\ns = optuna.create_study(pruner=optuna.pruners.MedianPruner(n_startup_trials=2))\ns.optimize(objective, n_trials=14)\nprint('best', s.best_value)\n"
    },
)
job(
    "v_regressor_inf",
    "A1",
    "scikit-learn refuses infinities after it had fitted a first model well",
    "python train.py",
    where="more",
    script="import numpy as np\nfrom sklearn.linear_model import LogisticRegression\nr = np.random.default_rng(0); X = r.normal(size=(800, 10)); y = (X[:, 0] > 0).astype(int)\nprint('fold 1 accuracy', LogisticRegression().fit(X, y).score(X, y))\nX[9, 2] = np.inf\nLogisticRegression().fit(X, y)\n",
)
job(
    "v_saves_between",
    "G1",
    "saves every 50 steps which take a tenth of the time",
    "python train.py",
    script=TINY
    + "for k in range(1, 301):\n    v = one(); time.sleep(0.01)\n    if k % 10 == 0: print(f'[{k}/300] loss {v:.4f}', flush=True)\n    if k % 50 == 0:\n        t = time.time(); print(f'[{k}/300] saving checkpoint to ckpt/{k}.pt', flush=True); torch.save(net.state_dict(), 'c.pt'); print(f'[{k}/300] checkpoint saved in {time.time() - t:.2f}s', flush=True)\nprint('done')\n",
)
job(
    "v_saves_always",
    "D2",
    "every iteration writes its weights, 1.5 s each, by the job's own words",
    "python train.py",
    script=TINY
    + "for k in range(1, 26):\n    a = time.time(); v = one(); b = time.time()\n    time.sleep(1.5); torch.save(net.state_dict(), 'c.pt'); c = time.time()\n    print(f'iter {k:>3}/25  loss {v:.4f}  fwd+bwd {b - a:.3f}s  wrote weights_{k}.pt ({c - b:.2f}s)  total {c - a:.2f}s', flush=True)\nprint('finished')\n",
)
job(
    "v_data_seconds",
    "D1",
    "iterations of three seconds, nearly all of it waiting for the loader",
    "python train.py",
    script=TINY
    + "for k in range(1, 26):\n    a = time.time(); time.sleep(2.4); b = time.time(); v = one(); c = time.time()\n    print(f'iter {k}/25 | loss {v:.4f} | iter_time {c - a:.2f}s | dataloader_wait {b - a:.2f}s', flush=True)\nprint('finished')\n",
)
job(
    "v_data_little",
    "G1",
    "the same words, and the loader costs little",
    "python train.py",
    script=TINY
    + "for k in range(1, 61):\n    a = time.time(); b = time.time(); v = one(); time.sleep(0.15); c = time.time()\n    print(f'iter {k}/60 | loss {v:.4f} | iter_time {c - a:.2f}s | dataloader_wait {b - a:.2f}s', flush=True)\nprint('finished')\n",
)
