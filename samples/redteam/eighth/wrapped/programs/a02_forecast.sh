#!/bin/bash
# Weekly forecast. The log is kept for the planners.
mkdir -p logs
python3 a02_forecast.py --weeks 40 2>&1 | tee logs/train.log
echo "[$(date +%T)] training stage: finished"
gzip -k logs/train.log && echo "[$(date +%T)] log archived"
echo "[$(date +%T)] pipeline completed successfully"
