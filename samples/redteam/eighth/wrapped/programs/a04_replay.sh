#!/bin/bash
ulimit -v 2000000
python3 a04_replay.py
