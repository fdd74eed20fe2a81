#!/bin/bash
exec python3 b12_quiet.py > /dev/null 2>&1
