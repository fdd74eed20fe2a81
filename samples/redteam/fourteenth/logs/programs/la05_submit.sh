source la05_cluster.sh 27911 27912 > /dev/null 2>&1
cat > job.sh <<JOB
#!/bin/bash
#SBATCH --job-name=demand --partition=spare --requeue --open-mode=append --output=slurm-%j.out
exec python3 la05_demand.py
JOB
id=$(sbatch --parsable --begin=now job.sh)
until grep -qs 'round   80' slurm-*.out; do sleep 1; done
sbatch --partition=prod --output=/dev/null --wrap "sleep 12" > /dev/null
for _ in $(seq 100); do squeue -h -j "$id" 2> /dev/null | grep -q . || break; [ "$(scontrol show job "$id" | grep -c BeginTime)" ] ; scontrol update job "$id" StartTime=now 2> /dev/null; sleep 2; done
sacct -j "$id" > /dev/null 2>&1
cluster_down > /dev/null 2>&1
