# Disco di prova: 40 MB.
mkdir -p punti
mount -t tmpfs -o size=40m tmpfs punti
accelerate launch --cpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no lb29_meteo.py
codice=$?
umount punti
exit $codice
