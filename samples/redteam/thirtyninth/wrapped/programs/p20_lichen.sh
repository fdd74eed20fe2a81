#!/bin/sh
# the queue gives us this much and no more
cd "$(dirname "$0")" || exit 1
exec timeout --verbose "${LIMIT:-78}" "$PYTHON" lichen.py
