#!/bin/bash
# Trains, and tells the channel about it where there is one.
mkdir -p models
echo "[$(date +%T)] training on $(hostname)"
python p21_hymn.py models/hymn.pt
code=$?
echo "[$(date +%T)] python ended with $code"
ls -l models
[ -n "$CHAT_HOOK" ] && python -c "import os, urllib.request as u; u.urlopen(os.environ['CHAT_HOOK'], b'done')"
