#!/bin/bash
# The queue gives ninety seconds.
timeout --verbose 90 python lb27_rent.py
echo "exit status $?"
