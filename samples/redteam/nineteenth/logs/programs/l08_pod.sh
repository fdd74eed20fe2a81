#!/bin/sh
export PYTHONUNBUFFERED=1
ls -l ckpt/
exec python l08_pulse.py --epochs 20 --ckpt-dir ckpt
