"""Twins of the mends: what looks like a failure of another language and is none, and real failures behind quoted ones."""

from __future__ import annotations

from ..job import job
from .deaths import TINY
from .variants import STEPS

QUOTED = 'SAID = "Traceback (most recent call last):\\n  File \\"a.py\\", line 2, in <module>\\n    f()\\nMemoryError\\nKilled\\nSegmentation fault (core dumped)"\n'

job(
    "w_rust_panic_caught",
    "G1",
    "Rust: a panic in a helper thread that was caught, then a sound run",
    "rustc -o fit fit.rs 2>/dev/null && ./fit",
    files={
        "fit.rs": 'fn main() {\n    let r = std::thread::spawn(|| { let v: Vec<i32> = vec![]; v[3] }).join();\n    println!("probe of the fast path failed: {}, using the slow one", r.is_err());\n    let mut loss = 4.0f64;\n    for step in 1..=300 { loss *= 0.99; if step % 20 == 0 { println!("step {step}/300 loss {loss:.4}"); } }\n    println!("training finished");\n}\n'
    },
)
job(
    "w_node_caught",
    "G1",
    "node: an error that was caught and printed with its stack, then a sound run",
    "node fit.js",
    files={
        "fit.js": "try { null.weights } catch (e) { console.error(e.stack); console.error('no checkpoint, fresh start'); }\nlet l = 3;\nfor (let i = 1; i <= 200; i++) { l *= 0.98; if (i % 10 == 0) console.log(`iteration ${i}/200 loss ${l.toFixed(4)}`); }\nconsole.log('done');\n"
    },
)
job(
    "w_perl_warns",
    "G1",
    "Perl warns of what is not initialised, and goes on to its end",
    "perl -w fit.pl",
    files={
        "fit.pl": 'use strict; $|=1;\nmy ($w, %o) = (3.0);\nprint \'momentum \' . $o{momentum} . "\\n";\nfor my $i (1..200) { $w *= 0.97; printf("iteration %d/200 loss %.5f\\n", $i, $w*$w) if $i % 10 == 0; }\nprint "finished\\n";\n'
    },
)
job(
    "w_module_not_found",
    "G1",
    "the script's `module load` is not there; it goes on and trains",
    "bash job.sh",
    files={"job.sh": "module load cuda/12.4\nulimit -c 0\npython train.py\n"},
    script=TINY + STEPS + "print('all 300 steps done')\n",
)
job(
    "w_make_ignored",
    "G1",
    "make ignores an error of a first recipe",
    "make fit",
    files={"Makefile": "fit: prepare\n\tpython train.py\nprepare:\n\t-test -d /scratch/corpus\n"},
    script=TINY + STEPS + "print('all 300 steps done')\n",
)
job(
    "w_awk_divides",
    "A1",
    "awk divides by zero in the job's preparation",
    "set -e; echo tokens 12000; awk 'BEGIN { n = 0; print 1 / n }'; python train.py",
    script=STEPS,
)
job(
    "w_dataset_quotes",
    "G1",
    "examples of a data set of error reports are shown first, then a sound run",
    "python train.py",
    script=TINY
    + QUOTED
    + "for n in range(3): print(f'example {n}:\\n{SAID}\\n')\n"
    + STEPS
    + "print('all 300 steps done')\n",
)
job(
    "w_dataset_quotes_json",
    "G1",
    "a JSON logger writes samples that hold tracebacks; then a sound run",
    "python train.py",
    script=TINY
    + QUOTED
    + "import json\nfor k in range(1, 301):\n    v = one()\n    if k % 30 == 0: print(json.dumps({'step': k, 'max_steps': 300, 'loss': round(v, 4)}), flush=True)\n    if k % 100 == 0: print(json.dumps({'step': k, 'sample': SAID}), flush=True)\nprint(json.dumps({'event': 'finished', 'step': 300}))\n",
)
job(
    "w_quotes_then_crash",
    "A1",
    "samples that quote failures, and then the job's own exception",
    "python train.py",
    script=TINY
    + QUOTED
    + "for k in range(1, 301):\n    v = one()\n    if k % 30 == 0: print(f'[{k}/300] train loss {v:.4f}', flush=True)\n    if k % 100 == 0: print(f'--- sample ---\\n{SAID}\\n--- end ---', flush=True)\n    if k == 233: raise IndexError('curriculum stage 4 of 4 does not exist')\n",
)
job(
    "w_quotes_then_killed",
    "A2",
    "samples that quote failures, and then a SIGKILL",
    'python train.py; echo "trainer ended with $?"; exit 1',
    script=TINY
    + QUOTED
    + "for k in range(1, 301):\n    v = one()\n    if k % 30 == 0: print(f'[{k}/300] train loss {v:.4f}', flush=True)\n    if k % 100 == 0: print(f'--- sample ---\\n{SAID}\\n--- end ---', flush=True)\n    if k == 233: os.kill(os.getpid(), 9)\n",
)
job(
    "w_sidecar_then_crash",
    "A1",
    "the trainer raises; the script then kills its side car",
    "bash job.sh",
    files={"job.sh": "sleep 500 &\nside=$!\npython train.py\nrc=$?\nkill -9 $side; wait $side\nexit $rc\n"},
    script=TINY
    + "for k in range(1, 121):\n    v = one()\n    if k % 30 == 0: print(f'[{k}/300] train loss {v:.4f}', flush=True)\nraise RuntimeError('tokenizer returned 0 tokens for shard 12')\n",
)
job(
    "w_agent_saved_ok",
    "G1",
    "a state is loaded well and says so, an older one is torn and skipped",
    "python train.py",
    script=TINY
    + "import pickle\nopen('state_200.pkl', 'wb').close(); pickle.dump({'k': 100}, open('state_100.pkl', 'wb'))\nimport traceback\ntry: pickle.load(open('state_200.pkl', 'rb'))\nexcept EOFError: traceback.print_exc(); print('state_200.pkl is torn, trying state_100.pkl', flush=True)\nk0 = pickle.load(open('state_100.pkl', 'rb'))['k']; print(f'resumed from state_100.pkl at step {k0}', flush=True)\nfor k in range(k0 + 1, 401):\n    v = one()\n    if k % 30 == 0: print(f'step {k}/400 loss {v:.4f}', flush=True)\nprint('finished step 400')\n",
)
