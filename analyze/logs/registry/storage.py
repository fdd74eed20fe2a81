"""Messages of the kernel about disks and file systems, local and over the network (D1, D2, A2; else outside).

A network file system that comes back is a fact too: a wait that ended is no cause of an end.
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

PATTERNS = of(
    "kernel",
    # --- network file systems: net/sunrpc/clnt.c (nfs, lockd), Lustre's ptlrpc/import.c, net/ceph and fs/ceph
    Pattern(
        "nfs_silent",
        Kind.FILESYSTEM_ERROR,
        "root",
        (" not responding, ",),
        r"\b(?:nfs\w*|lockd): server (?P<subject>\S+) not responding, (?:still trying|timed out)",
        "nfs: server fs1 not responding, still trying",
        "nfs: server fs1 OK",
    ),
    Pattern(
        "nfs_back",
        Kind.FILESYSTEM_BACK,
        "marker",
        ("nfs: server ", "nfs4: server ", "lockd: server "),
        r"\b(?:nfs\w*|lockd): server (?P<subject>\S+) OK\b",
        "nfs: server fs1 OK",
        "nfs: server fs1 not responding, still trying",
    ),
    Pattern(
        "lustre_evicted",
        Kind.FILESYSTEM_ERROR,
        "root",
        ("This client was evicted by ",),
        r"Lustre(?:Error)?: .{0,160}This client was evicted by (?P<subject>[^; ]+)",
        "LustreError: 167-0: fs1-OST0002-osc-ffff9e2c: This client was evicted by fs1-OST0002; in progress operations using this service will fail.",
        "Lustre: Evicted from MGS (at 10.0.0.3@o2ib) after server handle changed from 0x1 to 0x2",
    ),
    Pattern(
        "lustre_lost",
        Kind.FILESYSTEM_ERROR,
        "root",
        (" was lost; in progress operations ",),
        r"Connection to (?:service )?(?P<subject>\S+) (?:\(at [^)]*\)|via nid \S+) was lost; in progress operations",
        "Lustre: fs1-OST0001-osc-ffff9e2c: Connection to fs1-OST0001 (at 192.168.14.178@tcp) was lost; in progress operations using this service will wait for recovery to complete",
        "Lustre: fs1-OST0001-osc-ffff9e2c: Connection restored to  (at 192.168.14.178@tcp)",
    ),
    Pattern(
        "lustre_back",
        Kind.FILESYSTEM_BACK,
        "marker",
        (": Connection restored to ",),
        r"Lustre: (?P<subject>\S+?)(?:-osc-\S+|-mdc-\S+)?: Connection restored to ",
        "Lustre: fs1-OST0001-osc-ffff9e2c: Connection restored to  (at 192.168.14.178@tcp)",
        "Lustre: fs1-OST0001: Connection to fs1 was lost",
    ),
    Pattern(
        "lustre_error",
        Kind.FILESYSTEM_ERROR,
        "confirmation",
        ("LustreError: ",),
        r"LustreError: (?P<subject>.{1,160})",
        "LustreError: 11-0: fs1-OST0000-osc-ffff9e2c: operation ost_read to node 10.0.1.5@tcp failed: rc = -107",
        "Lustre: Skipped 1 previous similar message",
    ),
    Pattern(
        "ceph",
        Kind.FILESYSTEM_ERROR,
        "root",
        ("libceph: ", "ceph: "),
        r"\b(?:libceph: (?P<subject>(?:mon|mds|osd)\d+) .{0,80}(?:session lost, hunting for new mon|socket error on (?:read|write))|libceph: osd\d+ down\b|ceph: .{0,60}mds\d+ (?:hung|caps stale|rejected session))",
        "libceph: mon0 (1)10.0.0.1:6789 session lost, hunting for new mon",
        "libceph: mon0 (1)10.0.0.1:6789 session established",
    ),
    # --- file systems on disks: fs/ext4/super.c, fs/jbd2, fs/xfs/xfs_fsops.c and xfs_message.c, fs/btrfs/messages.c, fs/buffer.c
    Pattern(
        "read_only",
        Kind.FILESYSTEM_ERROR,
        "root",
        ("Remounting filesystem read-only", "forced readonly", "Aborting journal on device"),
        r"(?:\((?:device )?(?P<subject>[^) ]+)[^)]*\):? (?:in \S+ )?(?:Remounting filesystem read-only|.{0,80}forced readonly)|Aborting journal on device \S+)",
        "EXT4-fs (sda3): Remounting filesystem read-only",
        "EXT4-fs (sda3): mounted filesystem with ordered data mode",
    ),
    Pattern(
        "filesystem",
        Kind.FILESYSTEM_ERROR,
        "root",
        ("EXT4-fs error", "XFS (", "BTRFS error", "BTRFS critical", "Buffer I/O error"),
        r"(?:EXT4-fs error \(device (?P<subject>[^)]+)\)|XFS \(\S+\): (?:Filesystem has been shut down|.{0,80}(?:[Ee]rror\b|[Cc]orruption))|BTRFS (?:error|critical) \(device [^)]+\)|Buffer I/O error on dev)",
        "EXT4-fs error (device sdb7): ext4_get_branch:171: inode #8: block 30343695: comm jbd2/sdb7-8: invalid block",
        "XFS (loop0): Unmounting Filesystem",
    ),
    # --- disks: block/blk-core.c blk_errors[], drivers/nvme/host/pci.c and core.c, drivers/scsi/scsi_lib.c, drivers/md
    # "operation not supported" stands there too: how a device says that it does not discard.
    Pattern(
        "disk",
        Kind.DISK_ERROR,
        "root",
        (" error, dev ",),
        r"(?:I/O|critical (?:medium|target)|protection|timeout|offline|recoverable transport) error, dev (?P<subject>\S+?),",
        "I/O error, dev nvme1n1, sector 7718752 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2",
        "operation not supported error, dev nvme0n1, sector 1024 op 0x9:(WRITE_ZEROES) flags 0x800 phys_seg 0 prio class 2",
    ),
    Pattern(
        "nvme",
        Kind.DISK_ERROR,
        "root",
        ("nvme nvme",),
        r"nvme (?P<subject>nvme\d+): (?:controller is down; will reset|I/O .{1,60} timeout, (?:aborting|reset controller|disable controller)|Device not ready; aborting|Removing after probe failure|Disabling device after reset failure|starting error recovery)",
        "nvme nvme1: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff",
        "nvme nvme0: Shutdown timeout set to 8 seconds",
    ),
    Pattern(
        "disk_gone",
        Kind.DISK_ERROR,
        "root",
        ("rejecting I/O to ", ": Disk failure on "),
        r"(?:(?P<subject>\S+): rejecting I/O to (?:offline|dead) device|md/\S+: Disk failure on \S+, disabling device)",
        "sd 0:0:0:0: rejecting I/O to offline device",
        "md/raid1:md0: active with 2 out of 2 mirrors",
    ),
)
