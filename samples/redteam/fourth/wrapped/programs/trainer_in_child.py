"""The launcher reads the trainer's output through a pipe; the trainer's native part aborts."""

from __future__ import annotations

import subprocess
import sys

CHILD = """
import os, random, sys, time
w = 3.0
for step in range(1, 400):
    w -= 0.03 * (w - 1)
    if step % 10 == 0:
        print(f'iteration {step:6d} | lm loss: {(w - 1) ** 2:.4E} | elapsed time per iteration (ms): 21.0', flush=True)
    if step == 205:
        sys.stderr.write("terminate called after throwing an instance of 'std::length_error'\\n  what():  vector::_M_default_append\\n")
        sys.stderr.flush()
        os.abort()
    time.sleep(0.03)
"""


def main() -> None:
    child = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert child.stdout is not None
    for line in child.stdout:
        print(f"trainer> {line}", end="", flush=True)
    code = child.wait()
    if code:
        raise subprocess.CalledProcessError(code, "trainer")


if __name__ == "__main__":
    main()
