#!/bin/bash
python l28_corn.py > whole.raw 2>&1
{ head -n 45 whole.raw; echo "..."; echo "($(($(wc -l < whole.raw) - 85)) lines of the middle left out to fit the ticket)"; echo "..."; tail -n 40 whole.raw; } > corn.log
