#!/bin/bash
python l26_prepare.py > prepare.log 2>&1
python l26_train.py --epochs 5 > /dev/null 2>&1  # yesterday
python l26_train.py > train.log 2>&1
python l26_report.py > report.log 2>&1
