#!/bin/bash
python l27_bakery.py > whole.raw 2>&1
echo "exit $?" >> whole.raw
{ head -n 20 whole.raw; echo "<<< $(($(wc -l < whole.raw) - 70)) lines >>>"; tail -n 50 whole.raw; } > bakery.log
