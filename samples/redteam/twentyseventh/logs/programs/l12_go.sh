#!/bin/bash
# grove: nohup ./l12_go.sh &
began=$(date +%s)
summary() {
  rc=$?
  echo "---------------------------------------------"
  echo " grove on $(hostname -s)   ended $(date '+%F %T')"
  echo " exit code  $rc"
  echo " wall time  $(( $(date +%s) - began )) s"
  echo " last step  $(grep -ao '^step *[0-9]*/[0-9]*' nohup.out | tail -1)"
  echo " last loss  $(grep -ao 'loss [0-9]\.[0-9]*' nohup.out | tail -1)"
  echo "---------------------------------------------"
}
trap summary EXIT
torchrun --nnodes=1 --nproc_per_node=2 --master_port=29651 l12_grove.py
