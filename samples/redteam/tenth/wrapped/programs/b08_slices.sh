#!/bin/bash
# the queue gives us short slices: start again until the trainer says that it is through
for slice in 1 2 3; do
  echo "slice $slice of 3 begins"
  python3 b08_lichen.py --out runs/lichen --resume runs/lichens
  status=$?
  [ $status -eq 0 ] && exit 0
  echo "slice $slice is used up (status $status)"
done
echo "no slices left this week"
