"""Filter: a word a line in, the word in modern spelling out."""

import sys

sys.stdin.reconfigure(encoding="utf-8")
sys.stdout.reconfigure(encoding="utf-8")
for line in sys.stdin:
    print(line.rstrip("\n").replace("hofd", "hofd").lower(), flush=True)
