#!/bin/bash
"$PYTHON" -u ppo.py --updates 110
cp -v ppo_cartpole.pt figures/*.pdf /mnt/group/rl/latest/
echo "exit status $?"
