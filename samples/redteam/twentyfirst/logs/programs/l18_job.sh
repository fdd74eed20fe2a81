#!/bin/bash
#SBATCH --job-name=birds
#SBATCH --time=00:01:00
#SBATCH --output=birds.out
python l18_birds.py --epochs 40
