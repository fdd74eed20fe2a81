#!/usr/bin/env bash
python p14_reefs.py --epochs 400 --minutes 0.5
cp weights/reefs_best.pt /data/models/reefs/2026-11/
