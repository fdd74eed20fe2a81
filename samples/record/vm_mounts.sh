# Sourced by what runs first in a virtual machine (vm_guest.sh, vm_arm64.sh): the file systems that a program expects, a name,
# and /run/vm/share, through which what is recorded leaves.
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tracefs tracefs /sys/kernel/tracing
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mkdir -p /run/vm/share
mount -t 9p -o trans=virtio,version=9p2000.L share /run/vm/share
mount -t tmpfs tmpfs /tmp
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
ip link set lo up
hostname vm
cd /run/vm || exit
export PYTHONUNBUFFERED=1
