"""NCCL's own lines, and NCCL errors and watchdog of torch (C1, C2)."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

PATTERNS = of(
    "nccl",
    Pattern(
        "init_begin",
        Kind.NCCL_INIT_BEGIN,
        "marker",
        ("- Init START",),
        r"comm \S+ rank (?P<num>\d+) nranks \d+ .*?(?:commId (?P<subject>0x[0-9a-f]+) )?- Init START",
        "h1:1:2 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 16 cudaDev 0 nvmlDev 0 busId 4f000"
        " commId 0x9ad9b5e4ab2566da - Init START",
        "NCCL INFO comm 0x5 rank 0 nranks 16 cudaDev 0 busId 4f000 commId 0x9 - Init COMPLETE",
        num_unit="rank",
    ),
    Pattern(
        "init_done",
        Kind.NCCL_INIT_DONE,
        "marker",
        ("- Init COMPLETE",),
        r"comm \S+ rank (?P<num>\d+) nranks \d+ .*?(?:commId (?P<subject>0x[0-9a-f]+) )?- Init COMPLETE",
        "h1:1:2 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 16 cudaDev 0 nvmlDev 0 busId 4f000"
        " commId 0x9ad9b5e4ab2566da - Init COMPLETE",
        "NCCL INFO comm 0x5 rank 0 nranks 8 cudaDev 0 busId 18000 - Destroy COMPLETE",
        num_unit="rank",
    ),
    Pattern(
        "transport",
        Kind.NCCL_TRANSPORT,
        "marker",
        ("NCCL INFO Using network ",),
        r"NCCL INFO Using network (?P<subject>.{1,60})",
        "h1:1:2 [0] NCCL INFO Using network Socket",
        "NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>",
    ),
    Pattern(
        "no_interface",
        Kind.NO_INTERFACE,
        "root",
        ("no socket interface found",),
        r"NCCL WARN Bootstrap ?: no socket interface found",
        "h1:1:2 [0] bootstrap.cc:1 NCCL WARN Bootstrap : no socket interface found",
        "NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>",
    ),
    Pattern(
        "ib_completion",
        Kind.NET_ERROR,
        "root",
        ("Got completion from peer",),
        r"NET/IB ?: Got completion from peer (?P<subject>\S+) with (?:status=|error )(?:\w+\()?(?P<num>\d+)",
        "NCCL WARN NET/IB : Got completion from peer 10.0.0.2<55921> with status=12 opcode=1 len=0 vendor err 129 (Send)",
        "Got completion from peer, all fine",
        num_unit="ibv_wc_status",
    ),
    Pattern(
        "ib_async",
        Kind.NET_ERROR,
        "root",
        ("Got async", "async fatal event"),
        r"NET/IB ?: (?P<subject>\S+) (?:Got async (?:error )?event ?: (?!.*non-fatal)|async fatal event)",
        "NCCL WARN NET/IB : mlx5_0:1 Got async error event: port error",
        "NCCL WARN NET/IB : mlx5_0:1 Got non-fatal async event: lid change",
    ),
    Pattern(
        "connect",
        Kind.CONNECT_ERROR,
        "root",
        ("socketStartConnect: Connect to ", "socketPollConnect", "Net : Connect to "),
        r"Connect to (?P<subject>\S+) (?:failed|returned) ?:? (?:Connection refused|No route to host|Software caused|Connection timed out)",
        "NCCL WARN socketStartConnect: Connect to 10.0.0.2<4321> failed : No route to host",
        "NCCL INFO socketStartConnect: Connect to 10.0.0.2<4321> ok",
    ),
    Pattern(
        "peer_closed",
        Kind.PEER_LOST,
        "cascade",
        (
            "Connection closed by remote peer",
            "Call to recv from ",
            "Call to send to ",
            "remote process exited or there was a network error",
        ),
        r"(?:Connection closed by remote peer ?(?P<subject>\S*)|Call to (?:recv from|send to) \S+ failed"
        r"|NCCL error.{0,200}remote process exited or there was a network error)",
        "NCCL WARN socketProgress: Connection closed by remote peer 10.0.0.2<43210>",
        "ncclResult 6: remote process exited or there was a network error",
    ),
    Pattern(
        "version_mismatch",
        Kind.NCCL_ERROR,
        "root",
        ("Mismatched NCCL version",),
        r"(?P<subject>Mismatched NCCL version detected.{0,80})",
        "NCCL WARN Mismatched NCCL version detected : rank 3 version 22105 rank 0 version 22003",
        "NCCL version 2.21.5+cuda12.4",
    ),
    Pattern(
        "shm",
        Kind.SHM_EXHAUSTED,
        "root",
        ("posix_fallocate failed", "creating shared memory segment"),
        r"NCCL WARN .*(?:posix_fallocate failed : No space left|Error while creating shared memory segment)",
        "NCCL WARN Call to posix_fallocate failed : No space left on device",
        "creating shared memory segment of 8 MiB",
    ),
    Pattern(
        "error",
        Kind.NCCL_ERROR,
        "root",
        ("NCCL error in: ", "ncclInternalError: ", "ncclInvalidUsage: "),
        r"NCCL error in: [^,]+, (?P<subject>(?!remote process exited)[^,(]+)",
        "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, unhandled"
        " cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2",
        "NCCL error in: x.cpp:94, remote process exited or there was a network error, NCCL version 2.26.2",
    ),
    Pattern(
        "unique_id",
        Kind.CONNECT_ERROR,
        "root",
        ("is setting up NCCL communicator and retrieving ncclUniqueId",),
        r"\[(?P<rank>\d+)\] is setting up NCCL communicator and retrieving ncclUniqueId from \[(?P<subject>\d+)\]",
        "[3] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0',"
        " but store->get('0') got error: Connection reset by peer.",
        "is setting up NCCL communicator",
    ),
    Pattern(
        "timeout",
        Kind.COLLECTIVE_TIMEOUT,
        "cascade",
        ("Watchdog caught collective operation timeout",),
        r"\bRank (?P<rank>\d+)\] Watchdog caught collective operation timeout: WorkNCCL\((?:SeqNum=(?P<num>\d+), )?"
        r"OpType=(?P<subject>\w+)",
        "[rank1]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout:"
        " WorkNCCL(SeqNum=808, OpType=ALLREDUCE, NumelIn=9801523, NumelOut=9801523, Timeout(ms)=600000) ran for 600020"
        " milliseconds before timing out.",
        "set TORCH_NCCL_BLOCKING_WAIT if Watchdog caught collective operation timeout",
        num_unit="coll_seq",
    ),
    Pattern(
        # HCCL's, of Ascend: what NCCL is to CUDA
        "notify_timeout",
        Kind.COLLECTIVE_TIMEOUT,
        "cascade",
        ("wait execution of the Notify register times out",),
        r"EI0002: .{0,80}The wait execution of the Notify register times out(?:.{0,240}?tag\[(?P<subject>[A-Za-z]+))?",
        "EI0002: [PID: 7277] 2026-11-28-11:59:30.645.648 The wait execution of the Notify register times out. Reason: The"
        " Notify register has not received the Notify record from remote rank [unknown].base information:"
        " [streamID:[2282987520], taskID[5], tag[AllReduce_90.90.92.240%enp189s0f0_60000_0_1732766162316022],",
        "FAQ: EI0002, the wait execution of the Notify register times out",
    ),
    Pattern(
        # ProcessGroupNCCL.cpp, getNCCLWatchdogTimeoutErrorMsg: where only the end of a log was kept, it may stand alone
        "dump_signal",
        Kind.COLLECTIVE_TIMEOUT,
        "cascade",
        ("Received a dump signal due to a collective timeout",),
        r"Rank (?P<rank>\d+)\] Received a dump signal due to a collective timeout from ",
        "[PG ID 0 PG GUID 0(default_pg) Rank 6] Received a dump signal due to a collective timeout from  rank 7 and we will"
        " try our best to dump the debug info. Last enqueued NCCL work: 56116, last completed NCCL work: 56116.",
        "[PG ID 0 PG GUID 0(default_pg) Rank 1] Observed flight recorder dump signal from another rank via TCPStore.",
    ),
    Pattern(
        "status",
        Kind.COLLECTIVE_STATUS,
        "marker",
        ("last enqueued",),
        r"Rank (?P<rank>\d+)\] .*?(?:at work(?: sequence id)?|Timeout at NCCL work): (?P<num>\d+).*?"
        r"last enqueued (?:NCCL )?work: (?P<subject>-?\d+, .*?last completed (?:NCCL )?work: -?\d+)",
        "[PG ID 1 PG GUID 1 Rank 1]  failure detected by watchdog at work sequence id: 1116 PG status: last enqueued work: 1118,"
        " last completed work: 1115",
        "last enqueued job 5",
        num_unit="coll_seq",
    ),
    Pattern(
        # init.cc: what each rank says before it looks for the others
        "bootstrap",
        Kind.PROCESS_GROUP_INIT,
        "marker",
        ("NCCL INFO Bootstrap : Using ", "NCCL INFO Bootstrap: Using "),
        r"NCCL INFO Bootstrap ?: Using (?P<subject>[\w.:-]{1,80}<\d{1,6}>)",
        "hpc-00:2200:2200 [0] NCCL INFO Bootstrap : Using eth0:172.16.4.10<0>",
        "NCCL INFO Bootstrap : Could not find a NIC",
    ),
    Pattern(
        "watchdog_stuck",
        Kind.WATCHDOG_STUCK,
        "cascade",
        ("watchdog got stuck for", "due to ProcessGroupNCCL watchdog hang"),
        # The second is what its heartbeat monitor says as it ends the process: where only that was kept.
        r"watchdog got stuck for (?P<num>\d+) seconds"
        r"|^.{0,200}\bTerminating the process after attempting to dump debug info, due to ProcessGroupNCCL watchdog hang\b",
        "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives.",
        "verify there is indeed a watchdog hang",
        num_unit="s",
    ),
    Pattern(
        "desync",
        Kind.LATE_RANKS,
        "confirmation",
        ("but didn't join collective", "joined but didn't finish collective"),
        r"\[(?P<subject>[\d, ]+)\] finished collective #(?P<num>\d+), but didn't join collective",
        "   - [3] finished collective #119, but didn't join collective #120 (count from 1)",
        "[1] joined but didn't finish collective #120 (count from 1)",
        num_unit="coll_seq",
    ),
    Pattern(
        "flight_recorder",
        Kind.FLIGHT_RECORDER_DUMP,
        "marker",
        ("dumping nccl trace to ", "Flight Recorder trace successfully dumped"),
        r"(?:dumping nccl trace to (?P<subject>\S+)|Flight Recorder trace successfully dumped)",
        "ProcessGroupNCCL dumping nccl trace to /tmp/nccl_trace_rank_3",
        "You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE",
    ),
)
