#!/bin/bash
timeout 210 python p20_feeder.py $1 $((20 - 13 * $1)) > /dev/null 2>&1 &
exec timeout -k 20 170 python p20_glass.py $1
