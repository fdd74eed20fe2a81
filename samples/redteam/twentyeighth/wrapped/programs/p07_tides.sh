torchrun --nnodes 1 --nproc_per_node 2 --master_port 29607 p07_tides.py 2>&1 | tee tides.txt
du -sh tides.txt
