#!/bin/bash
# nightly forecast: train, then publish
echo "== stage 1/2: train =="
python3 a02_forecast.py a02_forecast.json 2>&1 | tee forecast.log
echo "== stage 2/2: publish =="
mkdir -p site && cp forecast.log site/
echo "all stages finished at $(date +%T)"
