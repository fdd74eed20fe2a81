#!/bin/bash
#SBATCH --job-name=gait-es
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=06:00:00
date
python l17_gait.py --generations 9000 --actors 3
