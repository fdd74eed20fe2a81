#!/bin/bash
#SBATCH --job-name=petal-dn
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --gpus-per-node=1
#SBATCH --mem=3G
#SBATCH --time=00:20:00
#SBATCH --output=petal-%j.out
export OMP_NUM_THREADS=1
echo "== $SLURM_JOB_NAME $SLURM_JOB_ID on $SLURM_JOB_NODELIST, $(date -Is)"
srun --unbuffered /tmp/pv/bin/python train_dn.py --lr 0.1 --warmup 900 --steps 1000 --out ckpt/petal
echo "== exit $?, $(date -Is)"
