#!/bin/bash
python l19_taxi.py
echo "trainer exit: $?"
echo "telling the group"
mail -s "lift is ready" group@lab.example < lift.npy
rc=$?
echo "batch script exit: $rc"
exit $rc
