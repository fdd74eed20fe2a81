# a box of 500 MB, as a container would give
box=/sys/fs/cgroup/memory/ninth_rooms
mkdir -p $box && echo 500M > $box/memory.limit_in_bytes
echo $$ > $box/cgroup.procs
exec python3 b02_rooms.py
