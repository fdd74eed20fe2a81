#!/bin/bash
PY=${PY:-python}
set -x
mkdir -p artifacts
timeout -k 10 110 $PY flow.py
rc=$?
ls -l flow.ckpt
cp flow.ckpt artifacts/
: exit status $rc after $SECONDS s
exit $rc
