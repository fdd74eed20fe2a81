"""What kernels and drivers print, in the forms of different versions, and what it is taken for.

Wordings are from the sources of the kernel and of NVIDIA's open kernel modules, as the registry's files name them.
"""

# ruff: noqa: E501 (lines of logs are kept whole)

from __future__ import annotations

import pytest

from inquest.analyze.logs.registry import fields, matches
from tests.bundle.imports.kit import CORPORA

HARM = (
    ("Memory cgroup out of memory: Kill process 943 (python3) score 1337 or sacrifice child", "cgroup_oom", 943),
    ("Out of memory (oom_kill_allocating_task): Killed process 7 (python) total-vm:1kB", "oom_killer", 7),
    ("traps: python[22581] general protection fault ip:7f sp:7f error:0 in libc.so.6[7f+1000]", "segfault", 22581),
    ("INFO: task kworker/3:1:77 blocked in I/O wait for more than 122 seconds.", "hung_task", 122),
    ("NMI watchdog: BUG: soft lockup - CPU#12 stuck for 23s! [python:4]", "lockup", 23),
    ("watchdog: CPU3: Watchdog detected hard LOCKUP on cpu 3", "lockup", None),
    ("NMI watchdog: Watchdog detected hard LOCKUP on cpu 1", "lockup", None),
    ("INFO: rcu_sched self-detected stall on CPU { 3}", "lockup", None),
    ("rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 3-... } 21 jiffies s: 1 root: 0x8/.", "lockup", None),
    ("Kernel panic - not syncing: Fatal machine check", "kernel_crash", None),
    ("Oops: 0002 [#1] SMP PTI", "kernel_crash", None),
    ("Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1] PREEMPT SMP", "kernel_crash", None),
    ("kernel BUG at mm/slub.c:305!", "kernel_crash", None),
    ("NVRM: fallen off the bus and is not responding to commands.", "gpu_lost", None),
    ("NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x62:0x65:1860)", "gpu_lost", None),
    ("NVRM: _kgspLogXid119: ********************************* GSP Timeout *********************************", "gpu_driver_error", None),
    ("NVRM: nvAssertFailedNoLog: Assertion failed: 0 @ kernel_channel_group.c:123", "gpu_driver_error", None),
    ("nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error (First)", "sxid", 12028),
    ("pcieport 0000:00:01.0: AER: Uncorrected (Fatal) error received: 0000:01:00.0", "pcie_error", None),
    ("pcieport 0000:00:01.0: AER: Uncorrectable (Non-Fatal) error message received from 0000:01:00.0", "pcie_error", None),
    ("nvidia 0000:3b:00.0: AER: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), type=Transaction Layer, (Requester ID)", "pcie_error", None),
    ("pcieport 0000:15:01.0: DPC: containment event, status:0x1f01 source:0x0000", "pcie_error", None),
    ("EDAC MC1: 1 UE memory read error on CPU_SrcID#1_MC#0_Chan#0_DIMM#0 (channel:0 slot:0)", "machine_check", None),
    ("{2}[Hardware Error]: event severity: recoverable", "machine_check", None),
    ("[Hardware Error]: Uncorrected, software restartable error.", "machine_check", None),
    ("mce: Uncorrected hardware memory error in user-access at 3f1a40", "machine_check", None),
    ("MCE 0x5cdfd: Killing python:4242 due to hardware memory corruption", "machine_check", 4242),
    ("mce: CPU4: Package temperature is above threshold, cpu clock is throttled (total events = 911)", "thermal", None),
    ("nfs: server 10.1.1.1 not responding, timed out", "filesystem_error", None),
    ("lockd: server fs1 not responding, still trying", "filesystem_error", None),
    ("Lustre: work-MDT0000-mdc-ffff: Connection to work-MDT0000 (at 10.0.0.3@o2ib) was lost; in progress operations using this service will fail", "filesystem_error", None),
    ("LustreError: 167-0: This client was evicted by work-OST0001_UUID; in progress operations using this service will fail.", "filesystem_error", None),
    ("XFS (nvme0n1): Filesystem has been shut down due to log error (0x2).", "filesystem_error", None),
    ("XFS (dm-0): metadata I/O error in \"xfs_da_read_buf\" at daddr 0x5 len 8 error 5", "filesystem_error", None),
    ("BTRFS error (device sda1: state EA): bdev /dev/sda1 errs: wr 1, rd 0, flush 0", "filesystem_error", None),
    ("Aborting journal on device sdb7-8.", "filesystem_error", None),
    ("blk_update_request: critical medium error, dev sda, sector 718 op 0x0:(READ) flags 0x0", "disk_error", None),
    ("blk_update_request: I/O error, dev sdb, sector 25", "disk_error", None),
    ("nvme nvme0: I/O tag 12 (300c) opcode 0x2 (I/O Cmd) QID 3 timeout, aborting req_op:READ(0) size:4096", "disk_error", None),
    ("nvme nvme0: I/O 256 QID 1 timeout, reset controller", "disk_error", None),
    ("nvme nvme0: Removing after probe failure status: -19", "disk_error", None),
    ("i40e 0000:3d:00.0 eno1: NIC Link is Down", "link_down", None),
    ("mlx4_en: eth2: Link Down", "link_down", None),
    ("bnxt_en 0000:19:00.0 eth0: NIC Link is Down", "link_down", None),
    ("mlx5_core 0000:41:00.0: port_module:255:(pid 0): Port module event[error]: module 0, Cable error, Bus stuck(I2C or data shorted)", "link_down", None),
    ("bond0: link status definitely down for active interface eth0, disabling it", "link_down", None),
    ("mlx5_core 0000:41:00.0: print_health_info:458:(pid 0): synd 0x8: unrecoverable hardware error", "nic_error", None),
    ("NETDEV WATCHDOG: CPU: 5: eth0 (mlx5_core): transmit queue 3 timed out 15000 ms", "nic_error", None),
)  # fmt: skip
"""Line, kind, number. What the registry's own examples show is not repeated."""

HARMLESS = (
    ("mlx5_core 0000:ab:00.0 ens1f0np0: Link up", "link_up"),
    ("ice 0000:18:00.0 eth2: NIC Link is up 100 Gbps Full Duplex, Requested FEC: RS-FEC", "link_up"),
    ("pcieport 0000:00:1c.5: AER: Multiple Corrected error received: 0000:02:00.0", "hardware_corrected"),
    ("rtw 0000:02:00.0: PCIe Bus Error: severity=Correctable, type=Data Link Layer, (Receiver ID)", "hardware_corrected"),
    ("[Hardware Error]: Corrected error, no action required.", "hardware_corrected"),
    ("EDAC MC0: 2 CE error on CPU#0Channel#1_DIMM#0 (channel:1 slot:0)", "hardware_corrected"),
    ("Lustre: capstor-OST003a-osc-ffff3000: Connection restored to  (at 172.28.1.43@tcp)", "filesystem_back"),
    ("mce: [Hardware Error]: Machine check events logged", None),
    ("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.86.15", None),
    ("NVRM: GPU0 kgspInitRm_IMPL: GSP firmware version 570.86.15 loaded", None),
    ("nvidia-nvswitch3: SXid (PCI:0000:05:00.0): Data {0x10000000, 0x10000000}", None),
    ("perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate to 79750", None),
    ("NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.", None),
    ("rcu: \tRCU CPU stall warnings timeout set to 60000 (rcu_cpu_stall_timeout).", None),
    ("EXT4-fs (nvme0n1p2): re-mounted. Opts: errors=remount-ro", None),
    ("nvme nvme0: 64/0/0 default/read/poll queues", None),
    ("pcieport 0000:15:01.0: AER: enabled with IRQ 34", None),
    ("Command line: BOOT_IMAGE=/vmlinuz panic=10 softlockup_panic=1 pci=noaer", None),
)  # fmt: skip


@pytest.mark.parametrize(("line", "kind", "number"), HARM)
def test_what_did_harm_is_told(line: str, kind: str, number: int | None) -> None:
    for prefix in ("", "[ 1867.836626] ", "Nov 20 18:27:16 node01 kernel: "):
        ((pattern, found),) = matches(prefix + line)
        assert pattern.kind == kind
        assert pattern.role in ("root", "confirmation")
        assert number is None or fields(pattern, found)["num"] == number


@pytest.mark.parametrize(("line", "kind"), HARMLESS)
def test_what_did_none_is_no_cause(line: str, kind: str | None) -> None:
    found = [pattern for pattern, _ in matches(line)]
    assert [pattern.kind for pattern in found] == ([kind] if kind else [])
    assert all(pattern.role == "marker" for pattern in found)


def test_logs_of_other_peoples_nodes_tell_what_went_wrong_there() -> None:
    folder = CORPORA / "kernel-logs"
    if not folder.is_dir():
        pytest.skip(f"the collected kernel logs are not here: {folder}")
    told = {
        path.name: {pattern.id for line in path.read_text().splitlines() for pattern, _ in matches(line)}
        for path in folder.glob("*.log")
    }
    assert told == {
        "gpud-dmesg-libnccl-segfault.log": {"kernel.segfault"},
        "gpud-dmesg-with-xid-119.log": {"kernel.xid"},
    }
