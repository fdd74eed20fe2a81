#!/bin/bash
# Files in scratch may have 24 MB.
ulimit -f 24000
python3 b03_quota.py
