"""Messages of the kernel about network adapters and their links, Ethernet and InfiniBand (C1, C2, D2).

A link that flaps goes down and comes up: both are facts, so that how long it was down can be told.
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

_DRIVER = (
    r"(?:mlx[45]|bnxt|ice|ixgbe|i40e|igb|igc|e1000e?|tg3|be2net|bnx2x?|qede?|cxgb4|ena|efa|atlantic|hfi1|irdma|ib)"
)
"""How names of drivers of adapters, or of their devices, begin."""

PATTERNS = of(
    "kernel",
    # drivers/net/ethernet: mellanox/mlx5/core/en_main.c, mlx4/en_netdev.c, intel/*, broadcom/*; drivers/infiniband/hw/mlx4/main.c
    Pattern(
        "link_down",
        Kind.LINK_DOWN,
        "root",
        ("Link DOWN", "Link Down", "Link is Down", "Link is down", "Link down"),
        rf"(?<!\S)(?P<subject>{_DRIVER}\w*:?(?: \S+){{0,3}}?):? (?:Port: \d+ |NIC )?Link (?:is )?(?:DOWN|[Dd]own)\b",
        "mlx5_core 0000:ab:00.0 ens1f0np0: Link down",
        "mlx5_core 0000:ab:00.0 ens1f0np0: Link up",
    ),
    Pattern(
        "link_up",
        Kind.LINK_UP,
        "marker",
        ("Link UP", "Link Up", "Link is Up", "Link is up", "Link up"),
        rf"(?<!\S)(?P<subject>{_DRIVER}\w*:?(?: \S+){{0,3}}?):? (?:Port: \d+ |NIC )?Link (?:is )?(?:UP|[Uu]p)\b",
        "mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link UP",
        "mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link DOWN",
    ),
    # drivers/net/ethernet/mellanox/mlx5/core/events.c, port_module(); its "_error" form names what is wrong with the cable
    Pattern(
        "cable_out",
        Kind.LINK_DOWN,
        "root",
        ("Port module event",),
        r"mlx5_core (?P<subject>[0-9a-f:.]+): (?:\S+:\d+:\(pid \d+\): )?Port module event(?:\[error\])?: module \d+, Cable (?:unplugged|error)",
        "mlx5_core 0000:ab:00.0: Port module event: module 0, Cable unplugged",
        "mlx5_core 0000:ab:00.0: Port module event: module 0, Cable plugged",
    ),
    Pattern(
        "cable_in",
        Kind.LINK_UP,
        "marker",
        ("Port module event",),
        r"mlx5_core (?P<subject>[0-9a-f:.]+): (?:\S+:\d+:\(pid \d+\): )?Port module event: module \d+, Cable plugged",
        "mlx5_core 0000:ab:00.0: Port module event: module 0, Cable plugged",
        "mlx5_core 0000:ab:00.0: Port module event: module 0, Cable unplugged",
    ),
    # drivers/net/bonding/bond_main.c
    Pattern(
        "bond_member_down",
        Kind.LINK_DOWN,
        "root",
        ("link status definitely down for",),
        r"link status definitely down for (?:active )?interface (?P<subject>[^\s,]+)",
        "bond0: link status definitely down for interface enp95s0f0, disabling it",
        "bond0: link status definitely up for interface enp95s0f0, 100000 Mbps full duplex",
    ),
    Pattern(
        "bond_member_up",
        Kind.LINK_UP,
        "marker",
        ("link status definitely up for",),
        r"link status definitely up for interface (?P<subject>[^\s,]+)",
        "bond0: link status definitely up for interface enp95s0f0, 100000 Mbps full duplex",
        "bond0: link status definitely down for interface enp95s0f0, disabling it",
    ),
    # drivers/net/ethernet/mellanox/mlx5/core/health.c and cmd.c; net/sched/sch_generic.c, dev_watchdog()
    Pattern(
        "adapter",
        Kind.NIC_ERROR,
        "root",
        ("mlx5_core ",),
        r"mlx5_core (?P<subject>[0-9a-f:.]+): (?:\S+:\d+:\(pid \d+\): )?(?:device's health compromised|Fatal error \d+ detected|synd 0x[0-9a-f]+: (?:unrecoverable|irisc|high temperature|hardware error).{0,60}|[A-Z_0-9]+\(0x[0-9a-f]+\) timeout\. Will cause a leak)",
        "mlx5_core 0000:41:00.0: poll_health:852:(pid 0): device's health compromised - reached miss count",
        "mlx5_core 0000:41:00.0: firmware version: 28.39.1002",
    ),
    Pattern(
        "transmit_timeout",
        Kind.NIC_ERROR,
        "root",
        ("NETDEV WATCHDOG: ",),
        r"NETDEV WATCHDOG: (?:CPU: \d+: )?(?P<subject>\S+) \([^)]{1,40}\): transmit queue \d+ timed out",
        "NETDEV WATCHDOG: eth0 (ice): transmit queue 7 timed out 5120 ms",
        "NETDEV WATCHDOG disabled",
    ),
)
