"""Constructed: ranks that never met (C1), collectives that froze (C2), and warnings of both that mean nothing."""

from tests.analyze.cases import texts as t
from tests.analyze.cases.model import UNDECIDABLE, Case, log

_STORE = "/opt/lib/torch/distributed/rendezvous.py"

CASES = (
    log(
        "c1-client-timeout-old",
        t.lines(
            "| distributed init (rank 1): env://",
            t.traceback(
                "RuntimeError: The client"
                " socket has timed out after 900s while trying to connect to (10.0.0.1, 29500).",
                _STORE,
                "_create_c10d_store",
            ),
        ),
        "C1",
        1,
    ),
    log(
        "c1-client-timeout-new",
        t.lines(
            "[W311 10:20:27.102 socket.cpp:764] [c10d] The client socket has timed out after 60000ms while trying to connect to"
            " (node-1, 29500) - retrying (try=0, timeout=60000ms, delay=7267ms)",
            t.traceback(
                "torch.distributed.DistNetworkError: The client socket has timed out after 60000ms while trying to"
                " connect to (node-1, 29500).",
                _STORE,
                "_create_c10d_store",
            ),
        ),
        "C1",
        1,
    ),
    log(
        "c1-server-waits",
        t.lines(
            t.traceback(
                "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for"
                " clients. 3/4 clients joined.",
                _STORE,
                "_create_c10d_store",
            )
        ),
        "C1",
        1,
    ),
    log(
        "c1-elastic-timeout",
        t.lines(
            "I0311 10:20:27.102000 11490 torch/distributed/launcher/api.py:188] Starting elastic_operator with launch configs:",
            t.traceback(
                "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError",
                "/opt/lib/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py",
                "next_rendezvous",
            ),
        ),
        "C1",
        1,
    ),
    log(
        "c1-store-barrier-1.13",
        t.lines(
            t.traceback(
                "RuntimeError: Timed out initializing process group in store based"
                " barrier on rank: 3, for key: store_based_barrier_key:1 (world_size=8, worker_count=7, timeout=0:30:00)",
                "/opt/lib/torch/distributed/distributed_c10d.py",
                "_store_based_barrier",
            )
        ),
        "C1",
        1,
    ),
    log(
        "c1-dns",
        t.lines(
            *(
                "[W311 10:2%d:27.102 socket.cpp:764] [c10d] The IPv6 network addresses of (node-0017.cluster, 29500) cannot be"
                " retrieved (gai error: -2 - Name or service not known)." % i
                for i in range(5)
            ),
            t.traceback(
                "torch.distributed.DistNetworkError: The client socket has timed out after 300000ms while trying to"
                " connect to (node-0017.cluster, 29500).",
                _STORE,
                "_create_c10d_store",
            ),
        ),
        "C1",
        1,
    ),
    log(
        "miss-c1-port-in-use",
        t.lines(
            t.traceback(
                "torch.distributed.DistNetworkError: The server socket has failed to"
                " listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address"
                " already in use",
                _STORE,
                "_create_c10d_store",
            )
        ),
        "C1 A1",
        1,
    ),
    log(
        "miss-c1-env-missing",
        t.lines(
            t.traceback(
                "ValueError: Error initializing torch.distributed using env://"
                " rendezvous: environment variable MASTER_ADDR expected, but not set",
                _STORE,
                "_env_error",
            )
        ),
        "A1",
        1,
    ),
    log(
        "miss-c1-retry-then-fine",
        t.lines(
            "[W311 10:20:27.102 socket.cpp:764] [c10d] The client socket has failed to connect to [node-1]:29500 (errno: 111 -"
            " Connection refused).",
            "[W311 10:20:29.102 socket.cpp:764] [c10d] The IPv6 network addresses of (node-1, 29500) cannot be retrieved (gai"
            " error: -2 - Name or service not known).",
            t.megatron(t.falling(50, 10.5, 3.0)),
            "[after training is done] datetime: 2026-03-02 11:00:00 ",
        ),
        "G1",
        0,
    ),
    log(
        "missing-c1-banner-then-silence",
        t.lines(
            "*****************************************",
            "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being"
            " overloaded, please further tune the variable for optimal performance in your application as needed. ",
            "*****************************************",
            "initializing process group nccl env://",
        ),
        f"{UNDECIDABLE} C1",
    ),
    # --- C2
    log(
        "c2-watchdog-2.9",
        t.lines(
            t.titan(t.falling(9)),
            *(t.watchdog(r, 808) for r in (0, 1, 3)),
            t.agent(-6, 0, 7001, others=(7002, 7003)),
            t.summary(t.entry(0, 0, -6, 7001), t.entry(1, 2, -9, 7003)),
        ),
        "C2",
        1,
    ),
    log(
        "c2-watchdog-1.13",
        t.lines(
            t.epochs(t.falling(9)),
            t.old_watchdog(1, 4410),
            t.old_watchdog(0, 4410),
            t.agent(-6, 0, 7001, old="1.13"),
            t.summary(t.entry(0, 0, -6, 7001)),
        ),
        "C2",
        1,
    ),
    log(
        "c2-lagging-rank-by-sequence",
        t.lines(
            t.plain(t.falling(9)),
            t.watchdog(0, 1116),
            t.watchdog(1, 1116),
            t.watchdog(3, 1116),
            t.watchdog(2, 1110, "ALLGATHER"),
            t.summary(t.entry(0, 0, -6, 7001)),
        ),
        "C2",
        1,
        ranks=(2,),
    ),
    log(
        "c2-monitored-barrier",
        t.lines(
            t.plain(t.falling(9)),
            "[rank0]:[E1120 18:30:25.587974545 ProcessGroupGloo.cpp:2901] [Rank 0]: Rank 1 failed to pass monitoredBarrier in"
            " 5000 ms",
            t.prefixed(
                "[rank0]: ",
                t.traceback(
                    "RuntimeError: Rank 1 failed to pass monitoredBarrier in 5000 ms\n Original"
                    " exception:\n[/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 5000ms for recv"
                    " operation to complete"
                ),
            ),
        ),
        "C2",
        1,
        ranks=(1,),
    ),
    log(
        "c2-gloo-timeout",
        t.lines(
            t.plain(t.falling(9)),
            t.prefixed(
                "[rank1]: ",
                t.traceback(
                    "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/"
                    "unbound_buffer.cc:78] Timed out waiting 1800000ms for recv operation to complete"
                ),
            ),
            t.agent(1, 1, 310, others=(309,)),
            t.summary(t.entry(0, 1, 1, 310), t.entry(1, 0, -15, 309)),
        ),
        "C2",
        1,
    ),
    log(
        "c2-heartbeat-monitor",
        t.lines(
            t.plain(t.falling(9)),
            "[rank6]:[E311 02:07:08.408271257 ProcessGroupNCCL.cpp:1397] [PG ID 0 PG GUID 0(default_pg) Rank 6] Heartbeat"
            " monitor timed out! Process will be terminated after dumping debug info. workMetaList_.size()=4",
            "[rank6]:[F311 02:08:08.408271257 ProcessGroupNCCL.cpp:1557] [PG ID 0 PG GUID 0(default_pg) Rank 6] [PG ID 0 PG"
            " GUID 0(default_pg) Rank 6] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in"
            " monitoring enqueued collectives. This typically indicates a NCCL/CUDA API (e.g., CudaEventDestroy) hang blocking"
            " the watchdog,",
            t.agent(-6, 6, 7001),
            t.summary(t.entry(0, 6, -6, 7001)),
        ),
        "C2",
        1,
    ),
    log(
        "c2-after-kill-of-a-rank",
        t.lines(
            t.plain(t.falling(9)),
            t.watchdog(0, 55),
            t.watchdog(1, 55),
            t.agent(-9, 3, 7004),
            t.summary(t.entry(0, 3, -9, 7004), t.entry(1, 0, -6, 7001)),
        ),
        "C2 A2",
        1,
        ranks=(3,),
    ),
    Case(
        "c2-two-node-logs",
        {
            "node-a.log": t.lines(t.plain(t.falling(9)), t.watchdog(0, 91), t.watchdog(1, 91)),
            "node-b.log": t.lines(t.watchdog(2, 91), t.watchdog(3, 91)),
        },
        "C2",
        1,
    ),
    # --- near-misses
    log(
        "miss-nccl-warnings-clean-exit",
        t.lines(
            "gpu01:23860:23860 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so",
            "gpu01:23860:23860 [0] NCCL INFO NET/IB : No device found.",
            "[2026-03-11 18:11:14] gpu01:23860:23861 [0] transport/net_ib.cc:120 NCCL WARN NET/IB : mlx5_0:1 Got non-fatal async"
            " event: port active",
            t.megatron(t.falling(50, 10.5, 3.0)),
            "[after training is done] datetime: 2026-03-02 11:00:00 ",
            "[rank0]:[W311 11:00:02.1 ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not called before"
            " program exit, which can leak resources. For more info, please see"
            " https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())",
            "gpu01:23860:24001 [0] NCCL INFO misc/socket.cc:915 -> 3",
        ),
        "G1",
        0,
    ),
    log(
        "miss-store-broken-pipe-at-exit",
        t.lines(
            t.hf4(t.falling(40)),
            t.hf_end(),
            "[W311 11:00:02.1 TCPStore.cpp:115] [c10d] recvVector failed on SocketImpl(fd=3, addr=[::ffff:127.0.0.1]:47604,"
            " remote=[::ffff:127.0.0.1]:29521): Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server"
            " shutdown or crash?",
        ),
        "G1",
        0,
    ),
    log(
        "miss-timeout-in-arguments",
        t.lines(
            "args: --nccl-timeout 600000 --watchdog 'Watchdog caught collective operation timeout' --barrier monitoredBarrier",
            "TORCH_NCCL_ASYNC_ERROR_HANDLING=1 TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=480",
            t.nanogpt(t.falling(60)),
            "saving checkpoint to out",
            "training finished",
        ),
        "G1",
        0,
    ),
    log(
        "missing-silent-hang-killed-by-timeout",
        t.lines(t.plain(t.falling(9), total=900)),
        f"{UNDECIDABLE} C2 F3 C3",
        124,
    ),
)
