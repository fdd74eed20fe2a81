python p14_rank.py &
accelerate launch --cpu --num_processes 1 --num_machines 1 --mixed_precision no --dynamo_backend no p14_pairs.py
rc=$?
wait
exit $rc
