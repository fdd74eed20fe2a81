#!/bin/sh
# What runs in the virtual machine that vm_arm64.py starts, as its first process: the tests of the probes, on probes of
# this kernel and this processor, and a recording. The tree it was started from is /inquest, read only.
. "$HERE/vm_mounts.sh"
cd /inquest || exit
export HOME=/tmp
tests="tests/capture/ebpf tests/capture/ebpf_life"
python3 -m pytest -p no:cacheprovider -q -rfs --timeout 900 --basetemp /tmp/pytest $tests > /run/vm/share/tests.txt 2>&1
mkdir /tmp/stubs
PYTHONPATH=benchmarks python3 -c 'from stub_gpus.build import Path, build; build(Path("/tmp/stubs"))'
cp "$HERE/vm_job.py" /tmp/
python3 -m inquest run --no-fsync --profile full --out /tmp/recorded --node vm --job-id 4204 \
  -- python3 -I -S /tmp/vm_job.py /tmp/stubs/libstep.so 100
echo "arm64 $?" > /run/vm/share/status
sleep 15 # the recorder may outlive its job by a second, which is longer here
cp -r /tmp/recorded /run/vm/share/
uname -rm > /run/vm/share/kernel
echo o > /proc/sysrq-trigger
sleep 10
