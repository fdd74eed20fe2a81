"""Run packaging/systemd/inquest-attach@.service under a real systemd: a virtual machine of which it is process 1.

    samples/record/vm_systemd.py [--out samples/virtual/systemd] [--packages DIR]

As vm.py, from which the kernel and the way in come; the guest's root is this machine's own file system under a layer of
memory, and its process 1 is this machine's systemd. There a unit of another name runs a small job, the attach unit
records it, and is stopped as an Epilog stops it. Leaves the recording as a node directory, and in ``told.txt`` what
systemd said of the unit. Needs root, and some minutes: the processor is emulated.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from vm import HERE, MODULES, ROOT, boot, download, kernel_package

from inquest.bundle.seal import seal_capture

JOB = "4203"
UNIT = ROOT / "packaging" / "systemd" / "inquest-attach@.service"
INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
for module in {modules}; do $b insmod /modules/$module.ko 2>/dev/null; done
$b mkdir -p /lower /layer
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288,cache=loose,ro root /lower
$b mount -t tmpfs tmpfs /layer
$b mkdir /layer/upper /layer/work
$b mount -t overlay overlay -o lowerdir=/lower,upperdir=/layer/upper,workdir=/layer/work /root
$b rm -f /root/etc/fstab /root/.dockerenv
$b mount -t tmpfs tmpfs /root/tmp
for slow in tmpfiles-setup tmpfiles-setup-dev tmpfiles-clean hwdb-update journal-catalog-update udev-trigger; do
  $b ln -s /dev/null /root/etc/systemd/system/systemd-$slow.service
done
$b cp /units/* /root/etc/systemd/system/
$b cp /inquest.env /root/etc/inquest.env
exec $b switch_root /root /lib/systemd/systemd --unit=prove.service
"""
ENVIRONMENT = f"""\
INQUEST={Path(sys.executable).with_name("inquest")}
INQUEST_NODE=vm
INQUEST_NO_FSYNC=1
INQUEST_NO_PEER_PROBES=1
INQUEST_EBPF_BACKEND=off
"""
JOB_UNIT = f"""\
[Service]
Environment=SLURM_JOB_ID={JOB} SLURM_LOCALID=0 SLURM_PROCID=0 PYTHONUNBUFFERED=1
StandardOutput=file:/run/job.log
StandardError=inherit
ExecStart={sys.executable} -I -S -c 'import time\\n\
for step in range(1, 401): print("step %%d/400 | loss %%.4f" %% (step, 3 / step)); time.sleep(0.5)\\n\
raise SystemExit(3)'
"""
PROVE_UNIT = """\
[Unit]
Requires=basic.target
After=basic.target
[Service]
Type=oneshot
StandardOutput=journal+console
ExecStart=/bin/sh /etc/systemd/system/prove.sh
"""
PROVE = f"""\
unit=inquest-attach@{JOB}.service
mkdir -p /run/share
mount -t 9p -o trans=virtio,version=9p2000.L share /run/share
told=/run/share/told.txt
say() {{ echo "\\$ $*" >>$told; "$@" >>$told 2>&1; }}
say uname -r
say systemctl --version
hostname vm
systemctl start train.service
say systemctl start $unit
wanted=/var/lib/inquest/{JOB}
for try in $(seq 200); do
  set -- "$wanted"/*/*/log_lines.*
  [ -e "$1" ] && break
  systemctl is-active -q $unit || break
  sleep 1
done
sleep 10
show="ActiveState,SubState,NRestarts,Nice,OOMScoreAdjust,MemoryMax,MemoryPeak,TasksCurrent,CPUUsageNSec,ExecMainStatus"
say systemctl show -p "$show" $unit
say systemctl status --no-pager -n 5 train.service
while systemctl is-active -q train.service; do sleep 1; done
say systemctl show -p Result,ExecMainStatus train.service
sleep 5
say systemctl stop $unit
say systemctl show -p "Result,$show" $unit
say journalctl --no-pager -o cat -u $unit
say find $wanted -type f -size +0
cp -r $wanted /run/share/recorded
systemctl poweroff --force
"""


def main() -> None:
    """Boot, let it record, and keep what it left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE.parent / "virtual" / "systemd")
    parser.add_argument("--packages", type=Path, help="where packages are unpacked, to be used again")
    args = parser.parse_args()
    if not (shutil.which("qemu-system-x86_64") and shutil.which("cpio") and Path("/lib/systemd/systemd").exists()):
        sys.exit("apt-get install --no-install-recommends qemu-system-x86 cpio systemd")
    with tempfile.TemporaryDirectory() as name:
        packages, share = args.packages or Path(name) / "packages", Path(name) / "share"
        packages.mkdir(parents=True, exist_ok=True)
        share.mkdir()
        for package in (kernel_package(), "busybox-static"):
            download(package, packages)
        modules = (*MODULES, "overlay")
        files = {
            "init": INIT.format(modules=" ".join(modules)),
            "inquest.env": ENVIRONMENT,
            "units/train.service": JOB_UNIT,
            "units/prove.service": PROVE_UNIT,
            "units/prove.sh": PROVE,
            f"units/{UNIT.name}": UNIT.read_text(),
        }
        boot(packages, share, files, modules)
        out = args.out.resolve()
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        shutil.copy(share / "told.txt", out)
        shutil.copytree(share / "recorded", out, dirs_exist_ok=True)
        for capture in (out / "vm").iterdir():
            seal_capture(capture, raw_logs=True)
    print((out / "told.txt").read_text())


if __name__ == "__main__":
    main()
