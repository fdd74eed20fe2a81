#!/bin/bash
# Goes on as often as it takes; each leg gives its place back after its share of the night.
until python3 b12_budget.py --epochs 60 --budget 9; do
    echo "leg gave its place back, waiting for the next one"
    sleep 2
done
echo "run complete"
