#!/bin/bash
first=$(sbatch --parsable -W l23_job.sh 1)
mkdir sent && mv clinics-$first.* sent
sbatch -W --dependency=afterok:$first l23_job.sh 2 $first
