#!/bin/bash
#SBATCH --job-name=german --gpus=1 --time=02:00:00
cd "${SLURM_SUBMIT_DIR:-.}"
module load python/3.11 cuda/12.4
echo "running on $(hostname), $(nproc) cores"
nvidia-smi
python3 b06_german.py --model ./models/bert-base-german-cased
