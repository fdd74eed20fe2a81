#!/bin/bash
# what the mailing list takes: the first lines and the last ones
python l02_moth.py --epochs 3 --steps-per-epoch 6 > /dev/null 2>&1
python l02_moth.py --epochs 5 --steps-per-epoch 6 > whole.raw 2>&1
{ head -n 24 whole.raw; echo; echo "[... $(($(wc -l < whole.raw) - 46)) lines left out ...]"; echo; tail -n 22 whole.raw; } > moth.log
