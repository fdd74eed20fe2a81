#!/bin/bash
# tee -i: it shall see the end as well
/tmp/pv/bin/python xgsweep.py 2>&1 | tee -i sweep.log
