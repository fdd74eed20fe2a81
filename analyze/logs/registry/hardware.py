"""Messages of the kernel about hardware: NVIDIA's driver, NVSwitch, PCIe, machine checks, heat (B2, B3, F1).

What hardware corrected by itself cost nothing and is a fact of its own kind: such lines stand by the thousand in the
logs of healthy nodes. Sources: open-gpu-kernel-modules and the kernel, file by file.
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

PATTERNS = of(
    "kernel",
    # --- GPUs: open-gpu-kernel-modules, kernel-open/nvidia and src/nvidia
    Pattern(
        "xid",
        Kind.XID,
        "root",
        ("Xid (",),
        r"(?<!S)Xid \((?:PCI:)?(?P<subject>[0-9A-Fa-f:.]+)[^)]*\): (?P<num>(?!45\b)\d{1,3})\b",
        "NVRM: Xid (PCI:0000:4f:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        "NVRM: Xid (PCI:0000:4f:00): 45, pid=1, name=python, Ch 0000000a",
        num_unit="xid",
    ),
    Pattern(
        "xid_preemptive_removal",
        Kind.XID,
        "cascade",
        ("Xid (",),
        r"(?<!S)Xid \((?:PCI:)?(?P<subject>[0-9A-Fa-f:.]+)[^)]*\): (?P<num>45)\b",
        "NVRM: Xid (PCI:0000:4f:00): 45, pid=2924364, name=pt_main_thread, Ch 0000000a",
        "NVRM: Xid (PCI:0000:4f:00): 31, pid=1, name=python, Ch 00000008",
        num_unit="xid",
    ),
    Pattern(
        "sxid",
        Kind.SXID,
        "root",
        ("SXid (",),
        r"SXid \((?:PCI:)?(?P<subject>[0-9A-Fa-f:.]+)\): (?P<num>\d{5}), (?:Fatal|Non-fatal)",
        "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up",
        "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): Severity 1 Engine instance 60",
        num_unit="sxid",
    ),
    Pattern(
        "gpu_lost",
        Kind.GPU_LOST,
        "root",
        ("fallen off the bus", "RmInitAdapter failed"),
        r"NVRM: (?:GPU (?P<subject>[0-9A-Fa-f:.]+): )?(?:GPU has )?(?:fallen off the bus|RmInitAdapter failed)",
        "NVRM: GPU 0000:91:00.0: GPU has fallen off the bus.",
        "what to do when a GPU has fallen off the bus",
    ),
    # The driver's firmware on the GPU: src/nvidia/src/kernel/gpu/gsp/kernel_gsp.c and its arch/ folders
    Pattern(
        "gsp",
        Kind.GPU_DRIVER_ERROR,
        "root",
        ("NVRM: ",),
        r"NVRM: (?:(?P<subject>GPU\d+|GPU at PCI:[0-9A-Fa-f:.]+|GPU [0-9A-Fa-f:.]+):? )?(?=.{0,60}(?:GSP|[kK]gsp)).*(?:heartbeat (?:is )?timed? ?out|GSP Timeout|GSP Error|[Cc]annot (?:initialize|boot) GSP|[Ff]ailed to (?:boot|load|initialize|prepare) GSP|GSP (?:RM |firmware )?(?:is )?(?:hung|not responding|crashed)|unexpected WPR2 already up)",
        "NVRM: GPU0 RmInitAdapter: Cannot initialize GSP firmware RM",
        "NVRM: GPU0 kgspInitRm_IMPL: GSP firmware version 570.86.15 loaded",
    ),
    # kernel-open/nvidia/nv.c: user-space libraries of another version than the module that is loaded
    Pattern(
        "api_mismatch",
        Kind.DRIVER_MISMATCH,
        "root",
        ("NVRM: API mismatch",),
        r"(?P<subject>NVRM: API mismatch: .{0,200})",
        "NVRM: API mismatch: the client has the version 535.129.03, but",
        "NVRM: this kernel module has the version 535.154.05.  Please",
    ),
    # src/nvidia/src/libraries/utils/nvassert.c; a healthy driver prints some of these too
    Pattern(
        "nvrm_assertion",
        Kind.GPU_DRIVER_ERROR,
        "confirmation",
        ("Assertion failed: ", "Check failed: "),
        r"NVRM: (?:GPU\d+ )?nv(?:Assert|Check)\w*: (?P<subject>(?:Assertion|Check) failed: .{1,200})",
        "NVRM: GPU0 nvAssertOkFailedNoLog: Assertion failed: Call timed out [NV_ERR_TIMEOUT] (0x00000065) returned from ceutilsMemset(pScrubber->pCeUtils, &memsetParams) @ mem_scrub.c:1234",
        "AssertionError: Assertion failed: shapes differ",
    ),
    # --- PCIe: drivers/pci/pcie/aer.c ("Correctable", "error message received from" since 6.13), dpc.c, hotplug/pciehp_ctrl.c
    Pattern(
        "pcie_corrected",
        Kind.HARDWARE_CORRECTED,
        "marker",
        ("PCIe Bus Error: severity=Correct", "Corrected error", "Correctable error"),
        r"(?:\b(?P<subject>[0-9a-f]{4,5}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:AER: )?PCIe Bus Error: severity=Correct(?:ed|able)|AER: (?:Multiple )?Correct(?:ed|able) error )",
        "nvme 10000:e1:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)",
        "nvme 10000:e1:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)",
    ),
    Pattern(
        "pcie",
        Kind.PCIE_ERROR,
        "root",
        ("PCIe Bus Error: severity=Uncorrect", "Uncorrected (", "Uncorrectable ("),
        r"(?:\b(?P<subject>[0-9a-f]{4,5}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:AER: )?PCIe Bus Error: severity=Uncorrect(?:ed|able) |AER: (?:Multiple )?Uncorrect(?:ed|able) \((?:Non-)?Fatal\) error )",
        "nvidia 0000:3b:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)",
        "pcieport 0000:00:01.0: AER: Corrected error received: 0000:01:00.0",
    ),
    Pattern(
        "pcie_contained",
        Kind.PCIE_ERROR,
        "root",
        ("DPC: containment event", "): Link Down", "): Card not present"),
        r"pcieport (?P<subject>\S+): (?:DPC: containment event|pciehp: Slot\([^)]{1,40}\): (?:Link Down|Card not present))",
        "pcieport 0000:15:01.0: pciehp: Slot(36): Link Down",
        "pcieport 0000:15:01.0: pciehp: Slot(36): Link Up",
    ),
    # --- CPU and memory: arch/x86/kernel/cpu/mce/core.c, drivers/edac/edac_mc.c and mce_amd.c, drivers/firmware/efi/cper.c
    Pattern(
        "edac_corrected",
        Kind.HARDWARE_CORRECTED,
        "marker",
        ("EDAC MC",),
        r"(?P<subject>EDAC MC\d+: (?:\d+ )?CE .{0,120})",
        "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1f3 offset:0x0 grain:32 syndrome:0x0)",
        "EDAC MC0: Giving out device to module skx_edac controller Skylake Socket#0 IMC#0: DEV 0000:3a:0a.0 (INTERRUPT)",
    ),
    Pattern(
        "apei_corrected",
        Kind.HARDWARE_CORRECTED,
        "marker",
        ("event severity: corrected", "Corrected error, no action required"),
        r"(?P<subject>(?:\{\d+\})?\[Hardware Error\]: ?(?:event severity: corrected|Corrected error, no action required))",
        "{1}[Hardware Error]: event severity: corrected",
        "{1}[Hardware Error]: event severity: fatal",
    ),
    Pattern(
        "apei",
        Kind.MACHINE_CHECK,
        "root",
        ("event severity: ",),
        r"(?P<subject>(?:\{\d+\})?\[Hardware Error\]: ?event severity: (?:recoverable|fatal))",
        "{763}[Hardware Error]: event severity: fatal",
        "{763}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 11",
    ),
    Pattern(
        "machine_check",
        Kind.MACHINE_CHECK,
        "root",
        ("[Hardware Error]: ", "EDAC MC", "Uncorrected hardware memory error"),
        r"(?P<subject>\[Hardware Error\]: (?:CPU \d+: Machine [Cc]heck(?: Exception)?: .{0,80}|Machine check: .{0,80}|Uncorrected, .{0,80}|Deferred error.{0,60}|(?:System )?Fatal error.{0,60})|EDAC MC\d+: (?:\d+ )?UE .{0,120}|mce: Uncorrected hardware memory error in .{0,60})",
        "mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 4: be00000000800400",
        "mce: [Hardware Error]: Machine check events logged",
    ),
    # A page of a process was lost; it gets SIGBUS. mm/memory-failure.c, kill_proc()
    Pattern(
        "memory_failure",
        Kind.MACHINE_CHECK,
        "root",
        ("due to hardware memory corruption",),
        r"(?:Sending SIGBUS to|Killing) (?P<subject>[^:]+):(?P<num>\d+) due to hardware memory corruption",
        "Memory failure: 0x5cdfd: Sending SIGBUS to python:4242 due to hardware memory corruption",
        "Memory failure: 0x5cdfd: recovery action for free buddy page: Recovered",
        num_unit="pid",
    ),
    # --- heat: drivers/thermal/intel/therm_throt.c ("is above", "is throttled" since 5.5)
    Pattern(
        "thermal",
        Kind.THERMAL,
        "root",
        ("temperature above threshold", "temperature is above threshold"),
        r"(?P<subject>CPU\d+): (?:(?:Core|Package) t|T)emperature (?:is )?above threshold",
        "CPU0: Core temperature above threshold, cpu clock throttled",
        "CPU0: Core temperature/speed normal",
    ),
)
