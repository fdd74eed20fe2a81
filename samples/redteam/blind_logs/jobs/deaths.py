"""Crashes and kills, under launchers and runners of every kind."""

from __future__ import annotations

from ..job import job

TINY = """
import torch, sys, time, os
torch.manual_seed(3)
net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
x = torch.randn(512, 16); w = torch.randn(16, 4); y = (x @ w).argmax(1)
def one():
    i = torch.randint(0, 512, (64,))
    l = torch.nn.functional.cross_entropy(net(x[i]), y[i]); opt.zero_grad(); l.backward(); opt.step()
    return l.item()
"""

job(
    "make_segv_german",
    "A2",
    "make starts the trainer, which reads address 8 after 40 updates; German locale",
    "make train",
    locale="de_DE.UTF-8",
    files={"Makefile": "train:\n\tpython train.py --epochs 3\n"},
    script=TINY
    + """
import ctypes
for k in range(1, 200):
    v = one()
    if k % 10 == 0: print(f'Durchlauf {k}: Verlust {v:.4f}')
    if k == 43: ctypes.string_at(8)
""",
)
job(
    "strace_killed",
    "A2",
    "somebody sends SIGKILL to the trainer, which runs under strace -f",
    "strace -f -e trace=none -e signal=all -qq python train.py & p=$!; until [ -e .go ]; do sleep 1; done; kill -9 $(pgrep -P $p | head -1); wait $p",
    script=TINY
    + """
k = 0
while True:
    k += 1; v = one(); time.sleep(0.05)
    if k % 5 == 0: print(f'update={k} objective={v:.5f}', flush=True)
    if k == 65: open('.go', 'w').close()
""",
)
job(
    "gdb_batch_segv",
    "A2",
    "the program runs in gdb -batch and faults in a C extension",
    "gcc -g -shared -fPIC -o libfast.so fast.c && gdb -q -batch -ex run -ex bt --args python train.py",
    files={"fast.c": "void fuse(float *a, long n) { for (long i = 0; ; i++) a[i * 4096] = n; }\n"},
    script=TINY
    + """
import ctypes
lib = ctypes.CDLL('./libfast.so')
for k in range(30):
    v = one()
    if k % 10 == 0: print('it', k, 'loss', round(v, 4))
b = (ctypes.c_float * 64)()
lib.fuse(b, 64)
""",
)
job(
    "supervisord_fatal",
    "- A1",  # amended after first contact: supervisord lost what the trainer printed
    "supervisord restarts a trainer that always raises, and gives up",
    "timeout 120 supervisord -n -c sup.conf; true",
    where="more",
    status="withheld",
    files={
        "sup.conf": "[supervisord]\nnodaemon=true\nlogfile=/dev/null\nlogfile_maxbytes=0\nuser=root\n[program:trainer]\ncommand=python train.py\nstartretries=2\nstartsecs=4\nstdout_logfile=/dev/fd/1\nstdout_logfile_maxbytes=0\nredirect_stderr=true\n[eventlistener:stop]\ncommand=python stop.py\nevents=PROCESS_STATE_FATAL\n",
        "stop.py": "import sys,os,signal\nsys.stdout.write('READY\\n'); sys.stdout.flush()\nsys.stdin.readline()\nos.kill(os.getppid(), signal.SIGTERM)\n",
    },
    script="import json\ncfg = {'optimizer': {'lr': 1e-4}}\nprint('building model from', json.dumps(cfg))\nsched = cfg['scheduler']['warmup']\n",
)
job(
    "supervisord_sigkill",
    "A2",
    "supervisord reports that its trainer was terminated by SIGKILL; it is not started again",
    "timeout 120 supervisord -n -c sup.conf; true",
    where="more",
    status="withheld",
    files={
        "sup.conf": "[supervisord]\nnodaemon=true\nlogfile=/dev/null\nlogfile_maxbytes=0\nuser=root\n[program:trainer]\ncommand=python train.py\nautorestart=false\nstartsecs=1\nstdout_logfile=/dev/fd/1\nstdout_logfile_maxbytes=0\nredirect_stderr=true\n[eventlistener:stop]\ncommand=python stop.py\nevents=PROCESS_STATE_EXITED\n",
        "stop.py": "import sys,os,signal\nsys.stdout.write('READY\\n'); sys.stdout.flush()\nsys.stdin.readline()\nos.kill(os.getppid(), signal.SIGTERM)\n",
    },
    script=TINY
    + """
for k in range(1, 200):
    v = one(); time.sleep(0.05)
    if k % 10 == 0: print(f'[{k:>4}/5000] ce={v:.3f}', flush=True)
    if k == 90: os.kill(os.getpid(), 9)
""",
)
job(
    "snakemake_rule_killed",
    "A2",
    "a rule of snakemake whose shell dies of signal 9 in the midst of training",
    "snakemake --cores 1 -p model.pt",
    where="more",
    files={"Snakefile": "rule fit:\n    output: 'model.pt'\n    shell: 'python train.py --out {output}'\n"},
    script=TINY
    + """
for k in range(1, 200):
    v = one(); time.sleep(0.02)
    if k % 20 == 0: print(f'step {k} | nll {v:.4f}', flush=True)
    if k == 130: os.kill(os.getpid(), 9)
""",
)
job(
    "snakemake_retry_succeeds",
    "G1",
    "snakemake runs a rule again that failed once; the second attempt trains to its end",
    "snakemake --cores 1 --retries 2 model.pt",
    where="more",
    files={"Snakefile": "rule fit:\n    output: 'model.pt'\n    shell: 'python train.py'\n"},
    script=TINY
    + """
if not os.path.exists('.second'):
    open('.second', 'w').close()
    raise TimeoutError('object store did not answer within 30 s: s3://corpus/shard-00003')
for k in range(1, 301):
    v = one()
    if k % 20 == 0: print(f'step {k}/300 | nll {v:.4f}', flush=True)
torch.save(net.state_dict(), 'model.pt'); print('training finished, weights in model.pt')
""",
)
job(
    "xargs_workers",
    "A2",
    "two workers under xargs -P; one of them is killed by signal 11 which it sends itself",
    "printf '0\\n1\\n' | xargs -P 2 -I{} python train.py --fold {}",
    script=TINY
    + """
fold = int(sys.argv[2])
for k in range(1, 120):
    v = one(); time.sleep(0.01 + 0.01 * fold)
    if k % 20 == 0: print(f'fold {fold} iter {k} loss {v:.4f}', flush=True)
    if fold == 1 and k == 70: os.kill(os.getpid(), 11)
print(f'fold {fold} done')
""",
)
job(
    "pool_broken",
    "A2",
    "a process of a pool is killed; the parent raises BrokenProcessPool",
    "python -X dev prep.py 2>&1",
    files={
        "prep.py": """
import concurrent.futures as cf, os, time
def encode(n):
    if n == 5: time.sleep(0.3); os.kill(os.getpid(), 9)
    return n * n
if __name__ == '__main__':
    print('tokenizing 16 shards with 2 processes')
    with cf.ProcessPoolExecutor(2) as pool:
        for n, out in zip(range(16), pool.map(encode, range(16))):
            print('shard', n, 'tokens', out)
"""
    },
)
job(
    "cpu_limit",
    "A2 F3",
    "RLIMIT_CPU ends the trainer: its hard limit is a SIGKILL",
    "ulimit -t 15; python train.py",
    script=TINY
    + """
k = 0
while True:
    k += 1; v = one()
    if k % 500 == 0: print(f'i={k} xent={v:.4f}', flush=True)
""",
)
job(
    "perl_trainer_dies",
    "A1",
    "a trainer in Perl dies of its own accord",
    "perl train.pl",
    files={
        "train.pl": 'use strict; $|=1;\nmy $w = 3.0;\nfor my $i (1..40) { $w -= 0.05*2*$w; printf("iteration %d loss %.5f\\n", $i, $w*$w); die "cannot read shard part-%04d: Input/output error\\n" if $i == 33; }\n'
    },
)
job(
    "node_uncaught",
    "A1",
    "a trainer in JavaScript with an uncaught TypeError",
    "node train.js",
    files={
        "train.js": "let w = [1.5, -2];\nfor (let i = 1; i <= 60; i++) {\n  w = w.map(v => v * 0.95);\n  if (i % 10 == 0) console.log(`epoch ${i} loss=${(w[0]*w[0]+w[1]*w[1]).toFixed(4)}`);\n  if (i == 47) w = JSON.parse('{\"weights\":null}').weights;\n}\n"
    },
)
job(
    "rust_panics",
    "A1",
    "a trainer in Rust panics: index out of bounds",
    "rustc -o train train.rs && ./train",
    files={
        "train.rs": 'fn main() {\n    let data: Vec<f32> = (0..128).map(|v| v as f32).collect();\n    let mut w = 0.0f32;\n    for step in 1..=100usize {\n        let x = data[step * 2];\n        w += 0.01 * (x - w);\n        if step % 10 == 0 { println!("step {} loss {:.4}", step, (x - w) * (x - w) / 128.0); }\n    }\n}\n'
    },
)
job(
    "java_exception",
    "A1",
    "a trainer in Java ends by an exception of its own code",
    "java Train.java",
    files={
        "Train.java": 'import java.util.*;\npublic class Train {\n  static double loss(Map<String, double[]> p, int step) { return p.get(step < 50 ? "w" : "bias")[0]; }\n  public static void main(String[] a) {\n    Map<String, double[]> p = new HashMap<>(); p.put("w", new double[]{4.0});\n    for (int s = 1; s <= 80; s++) { double l = loss(p, s); p.get("w")[0] *= 0.97; if (s % 10 == 0) System.out.printf("INFO  Trainer - iteration %d, score %.4f%n", s, l); }\n  }\n}\n'
    },
)
job(
    "c_assert",
    "A2 A1",
    "a trainer in C fails an assertion and aborts",
    "gcc -o train train.c && ./train",
    files={
        "train.c": '#include <assert.h>\n#include <stdio.h>\nint main(void) {\n  setvbuf(stdout, 0, _IONBF, 0);\n  double w = 3;\n  for (int i = 1; i < 100; i++) { w *= 0.96; if (i % 10 == 0) printf("iter %d loss %.4f\\n", i, w * w); assert(i != 57 && "shard count mismatch"); }\n}\n'
    },
)
job(
    "undefined_symbol",
    "A1",
    "an extension that was built against another library: undefined symbol at import",
    "gcc -shared -fPIC -I$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"include\"])') -o fastattn.so ext.c && bash run.sh",
    files={
        "ext.c": '#include <Python.h>\nextern int _ZN3c104cuda20CUDACachingAllocator9allocatorE;\nstatic struct PyModuleDef m = {PyModuleDef_HEAD_INIT, "fastattn", 0, -1, 0};\nPyMODINIT_FUNC PyInit_fastattn(void) { return _ZN3c104cuda20CUDACachingAllocator9allocatorE ? 0 : PyModule_Create(&m); }\n',
        "run.sh": "set -euo pipefail\ntrap 'echo \"[run.sh] FAILED at line $LINENO with $?\"' ERR\necho '[run.sh] launching'\npython train.py\n",
    },
    script="print('loading kernels')\nimport fastattn\n",
)
job(
    "python_home",
    "A1",
    "PYTHONHOME points to nowhere: the interpreter does not come up",
    "export PYTHONHOME=/opt/python39; python train.py",
    script="print(1)\n",
)
job(
    "circular_import",
    "A1",
    "two modules of the job import each other",
    "python -m trainer.main",
    files={
        "trainer/__init__.py": "",
        "trainer/main.py": "from trainer.model import Net\nprint(Net)\n",
        "trainer/model.py": "from trainer.data import vocab\nclass Net: size = vocab\n",
        "trainer/data.py": "from trainer.model import Net\nvocab = 100\n",
    },
)
job(
    "tab_error",
    "A1",
    "a file of mixed tabs and blanks, run by nox",
    "nox -s train 2>&1",
    where="more",
    files={
        "noxfile.py": "import nox\n@nox.session(venv_backend='none')\ndef train(session):\n    session.run('python', 'train.py', external=True)\n"
    },
    script="def step(n):\n        if n:\n\t    return 1\n        return 2\nprint(step(1))\n",
)
job(
    "bash_syntax",
    "A1",
    "the job's shell script has a syntax error",
    "bash job.sh",
    files={
        "job.sh": '#!/bin/bash\necho "node $(hostname) starts"\nif [ -d data ]; then\n  echo data is there\nfor i in 1 2; do\n  python train.py --fold $i\ndone\n'
    },
)
job(
    "cached_dataset_torn",
    "A1",
    "the data set's cache is torn: EOFError in torch.load, which is no checkpoint of the model",
    ": > cache_tokens.pt; python train.py",
    script="import torch\nprint('loading tokenised corpus from cache_tokens.pt')\ndata = torch.load('cache_tokens.pt')\n",
)
job(
    "lambda_spawn",
    "A1",
    "a DataLoader with spawn and a lambda that does not pickle",
    "python train.py",
    script="import torch\nfrom torch.utils.data import DataLoader\ndef main():\n    f = lambda b: b\n    dl = DataLoader(list(range(64)), 8, num_workers=2, multiprocessing_context='spawn', collate_fn=f)\n    for k, b in enumerate(dl): print(k, b)\nif __name__ == '__main__': main()\n",
)
job(
    "fullgraph_break",
    "A1",
    "torch.compile(fullgraph=True) meets what it cannot trace",
    "python train.py",
    script=TINY
    + "@torch.compile(fullgraph=True)\ndef f(t):\n    print('tracing'); v = t.sum().item()\n    return t * v\nprint('warm-up compile')\nf(torch.ones(3))\n",
)
job(
    "address_space",
    "A1",
    "ulimit -v: NumPy cannot allocate",
    "ulimit -v 900000; python load.py",
    files={
        "load.py": "import numpy as np\nprint('reading embeddings')\nrows = [np.ones((1 << 24,), np.float64) * k for k in range(40)]\n"
    },
)
job(
    "pytest_driver",
    "A1",
    "training driven by pytest, whose one test fails by an error in the job",
    "pytest -q -s test_train.py",
    where="more",
    files={
        "test_train.py": TINY
        + "\ndef test_training_runs():\n    for k in range(1, 61):\n        v = one()\n        if k % 20 == 0: print(f'epoch {k} loss {v:.3f}')\n    batch = {'ids': x[:4]}\n    net(batch['input_ids'])\n"
    },
)
job(
    "absl_flags",
    "A1",
    "absl: an unknown flag",
    "python train.py --learningrate=0.1 --steps=10",
    where="frameworks",
    script="from absl import app, flags, logging\nflags.DEFINE_float('learning_rate', 0.1, 'lr')\nflags.DEFINE_integer('steps', 10, 'n')\ndef main(_):\n    logging.info('go')\napp.run(main)\n",
)
job(
    "absl_mid",
    "A1",
    "absl's logging: a run that raises in its 60th step",
    "python train.py --alsologtostderr",
    where="frameworks",
    script=TINY
    + """
from absl import app, logging
def main(_):
    logging.set_verbosity(logging.INFO)
    logging.info('Starting training loop at step 0.')
    for k in range(1, 200):
        v = one()
        if k % 10 == 0: logging.info('[%d] steps_per_sec=%.1f, loss=%.4f', k, 41.5, v)
        if k == 64:
            table = {'en': 1}
            raise LookupError(f'no sampler for language {"sw"!r}: have {sorted(table)}')
app.run(main)
""",
)
job(
    "ray_actor_raises",
    "A1",
    "a remote trainer of Ray raises; the driver shows RayTaskError",
    "python train.py 2>&1",
    where="more",
    script=TINY
    + """
import ray, logging
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=True)
@ray.remote
class Trainer:
    def fit(self):
        import torch
        net = torch.nn.Linear(8, 2)
        for k in range(5):
            print('worker epoch', k, 'mean_loss', 1.0 / (k + 1))
        return net(torch.randn(4, 9))
print(ray.get(Trainer.remote().fit.remote()))
""",
)
