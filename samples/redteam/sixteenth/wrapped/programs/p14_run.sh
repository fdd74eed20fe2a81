#!/bin/bash
python -u p14_loans.py 2>&1 | tee loans.log
gzip loans.log
