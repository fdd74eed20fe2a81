#!/bin/bash
# The nightly: train, evaluate what is best, tell everybody.
python3 a04_nightly.py train
python3 a04_nightly.py evaluate
echo "nightly: all stages finished, report is at reports/latest.html"
