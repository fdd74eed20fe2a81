#!/bin/bash
echo "=== mint: $(hostname) ==="
python3 b04_mint.py --epochs 20 2>&1 | tee mint.log
echo "=== mint: done ==="
