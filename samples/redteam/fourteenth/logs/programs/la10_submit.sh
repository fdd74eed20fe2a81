source la10_cluster.sh 27921 27922 > /dev/null 2>&1
cat > job.sh <<JOB
#!/bin/bash
#SBATCH --job-name=intent --partition=spare --requeue --open-mode=append --output=intent-%j.log
python3 la10_intent.py
JOB
id=$(sbatch --parsable job.sh)
until grep -qs 'step=160' intent-*.log; do sleep 1; done
sbatch --partition=prod --output=/dev/null --wrap "sleep 60" > /dev/null
sleep 14
cluster_down > /dev/null 2>&1
