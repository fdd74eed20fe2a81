"""torchrun and its agent, rendezvous, c10d store, gloo, DDP, and other launchers (A1, A2, C1, C2)."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

_AWAITED = (
    # French, German, Spanish and Portuguese, Italian, Dutch, Polish, Russian and Ukrainian
    r"\b(?:en attente|attente|attend(?:s|ons|ent)?) (?:de |des |du |d['’]|les |le )?(?:(?:autres|tous les) )?(?:\d{1,6} )?(?:autres )?"
    r"(?:rangs?|pairs?|processus|procs?|n(?:oe|œ)uds?|maître|participants?|travailleurs|machines)"
    r"|\b(?:warte[tn]?|Warten) (?:noch |immer noch |weiter )?auf (?:die |den |das |alle |andere[nr]? |weitere |übrige[nr]? |restliche[nr]? ){0,3}(?:\d{1,6} )?(?:andere |weitere )?"
    r"(?:Ränge|Rängen|Rang|Ranks?|Knoten|Prozesse?n?|Teilnehmer|Arbeiter|Master|Gegenstellen?)"
    r"|\b(?:esperando|aguardando|en espera de|à espera de) (?:a |por |al? |los |las |os |as |otros |outros |demás |demais |todos ){0,4}(?:\d{1,6} )?(?:otros |outros )?"
    r"(?:rangos?|ranks?|nodos?|nós|procesos?|processos?|pares|maestro|mestre|participantes|trabajadores|trabalhadores)"
    r"|\b(?:in attesa|attendo|aspetto|aspettando) (?:di |dei |degli |del |gli |i |altri |tutti ){0,4}(?:\d{1,6} )?(?:altri )?(?:rank|nodi|processi|pari|master|partecipanti)"
    r"|\bwacht(?:en)? (?:nog )?op (?:de |alle |andere |overige ){0,3}(?:\d{1,6} )?(?:ranks?|knooppunten|nodes|processen|deelnemers)"
    r"|\b(?:czekam|oczekiwanie) na (?:pozostałe |inne |wszystkie ){0,2}(?:\d{1,6} )?(?:rangi|węzły|węzłów|procesy|procesów)"
    r"|\b(?:жд[уёе]\w{0,3}|ожида\w{1,6}|чека\w{1,5}|очіку\w{1,6}) (?:ещё |все[хг]? |остальн\w+ |других |інш\w+ ){0,3}(?:\d{1,6} )?(?:ранг\w*|узл\w*|вузл\w*|процесс?\w*|участник\w*|мастер\w*)"
    r"|等待(?:其他|其余|剩余|所有|全部|主)?的? ?(?:\d{1,6} ?个?)?(?:进程|节点|卡|rank|worker)(?!.{0,8}(?:结束|完成|退出))"
    r"|(?:他の|残りの|全て?の?)? ?(?:\d{1,6} ?)?(?:ランク|ノード|プロセス|ワーカー|マスター)(?:の(?:参加|接続|応答))?を?(?:待機中|待っています|待ち(?!時間))"
    r"|(?:다른 |나머지 |모든 )?(?:\d{1,6}개? ?)?(?:랭크|노드|프로세스|마스터)(?:의 (?:참여|연결|응답))?[를을]? ?(?:대기 중|기다리는 중|기다립니다)"
)
"""Others who are to come, in words of several languages."""
_AWAITED_ANCHORS = (
    *("attente", "attend", "arte", "sperando", "guardando", "en espera de", "à espera de", "in attesa", "aspett"),
    *("acht", "zekam", "czekiwanie", "жд", "Жд", "жида", "чека", "чіку", "等待", "待", "대기", "기다"),
)

PATTERNS = of(
    "torchrun",
    Pattern(
        "failed",
        Kind.LAUNCHER_FAILURE,
        "confirmation",
        ("failed (exitcode: ",),
        r"failed \(exitcode: (?P<num>-?\d+)\) local_rank: (?P<subject>\d+) \(pid: \d+\) of binary: ",
        "E1120 18:20:52.381000 13081 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: -9)"
        " local_rank: 2 (pid: 13087) of binary: /workspace/venv/bin/python3",
        "failed (exitcode: -9)",
        num_unit="exit_code",
    ),
    Pattern(
        "closing",
        Kind.STEP_ABORT,
        "cascade",
        (" closing signal SIG", "forcefully exiting via SIGKILL"),
        r"Sending process (?P<num>\d+) closing signal (?P<subject>SIG\w+)",
        "W1120 18:20:52.263000 13081 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process 13085 closing"
        " signal SIGTERM",
        "no closing signal SIGTERM was sent",
        num_unit="pid",
    ),
    Pattern(
        "death_signal",
        Kind.SIGNAL_RECEIVED,
        "root",
        (" death signal, shutting down workers",),
        r"Received (?P<num>\d+) death signal, shutting down workers",
        "W1120 18:23:36.544000 16895 torch/distributed/elastic/agent/server/api.py:753] Received 15 death signal, shutting"
        " down workers",
        "waiting for a death signal",
        num_unit="signal",
    ),
    Pattern(
        "signal_exception",
        Kind.SIGNAL_RECEIVED,
        "confirmation",
        ("SignalException: Process ",),
        r"SignalException: Process (?P<subject>\d+) got signal: (?P<num>\d+)",
        "torch.distributed.elastic.multiprocessing.api.SignalException: Process 16895 got signal: 15",
        'raise SignalException(f"Process {os.getpid()} got signal: {sigval}")',
        num_unit="signal",
    ),
    Pattern(
        "restart",
        Kind.RESTART,
        "marker",
        ("will restart worker group",),
        r"(?:Worker group FAILED\. (?P<num>\d+)/\d+ attempts left|Detected \d+ new nodes).*will restart worker group",
        "[default] Worker group FAILED. 2/3 attempts left; will restart worker group",
        "max_restarts=3: will restart worker group on failure",
        num_unit="attempts_left",
    ),
    Pattern(
        "rendezvous_start",
        Kind.RENDEZVOUS_START,
        "marker",
        ("Rendezvous'ing worker group",),
        r"\] Rendezvous'ing worker group",
        "I1120 18:20:52.263000 13081 torch/distributed/elastic/agent/server/api.py:525] [default] Rendezvous'ing worker group",
        "Rendezvous complete for workers",
    ),
    Pattern(
        # What a loop says of itself before it waits for the others, and not for their end.
        "waits_for_ranks",
        Kind.RENDEZVOUS_START,
        "marker",
        ("aiting for ", "onnecting to ", "Waiting peer start"),
        # The last is Paddle's launcher.
        r"(?:^|[\]:>|-] |\bstill |^LAUNCH INFO \S{10} \S{8,12} )(?i:waiting for (?:all |the other |another )?(?:\d{1,6} (?:(?:of|/) \d{1,6} )?|remaining )?(?:ranks?|workers|peers|nodes|processes|participants)"
        r"(?! to (?:finish|end|exit|complete|stop|save|drain))\b|connecting to (?:the )?(?:master|coordinator|rendezvous|tcp ?store)\b|waiting peer start\.\.\.$)",
        "waiting for 32 ranks at tcp://10.2.0.7:29400",
        "waiting for all ranks to finish before the last checkpoint",
    ),
    Pattern(
        "waits_abroad",
        Kind.RENDEZVOUS_START,
        "marker",
        _AWAITED_ANCHORS,
        rf"(?i:{_AWAITED})",
        "(Wache) 13:14 warte noch auf 3 Knoten",
        "en attente des autres rangs avant la sauvegarde",
        unless=r"(?i)\b(?:sauvegard\w*|fin|finir|terminer|barrière|beendet|fertig|Ende|Sicherung|Speichern|terminar|finalizar|guardar|salvar|fine|salvataggio|einde|koniec|заверш\w*|оконча\w*|сохран\w*|checkpoint|si|wenn|falls)\b|保存|结束|完成|終了|완료|종료|저장",
    ),
    Pattern(
        "rendezvous_done",
        Kind.RENDEZVOUS_DONE,
        "marker",
        ("Rendezvous complete for workers",),
        r"\] Rendezvous complete for workers",
        "[default] Rendezvous complete for workers. Result:",
        "[default] Rendezvous'ing worker group",
    ),
    Pattern(
        "rendezvous_timeout",
        Kind.RENDEZVOUS_TIMEOUT,
        "root",
        ("RendezvousTimeoutError", "clients joined.", "store based barrier", "store_based_barrier_key"),
        r"(?:^\S*RendezvousTimeoutError\b|(?:DistStoreError: |: |^)Timed out after \d+ seconds waiting for clients\. (?P<subject>\d+/\d+)"
        r"|Timed out initializing process group in store based barrier|wait timeout after \d+ms, keys: )",
        "torch.distributed.DistStoreError: Timed out after 16 seconds waiting for clients. 1/2 clients joined.",
        "raise RendezvousTimeoutError()",
    ),
    Pattern(
        # In a job's own words.
        "own_rendezvous",
        Kind.RENDEZVOUS_TIMEOUT,
        "root",
        ("imed out", "imeout", "gave up", "iving up"),
        r"(?i:\brendez-?vous\b.{0,40}? (?:timed out|timeout (?:after|reached|expired)|gave up|giving up)\b(?:.{0,60}?(?P<subject>\d{1,5} ?(?:/|of) ?\d{1,5})\b)?)",
        "rank 0: rendezvous timed out after 9 s, 1 of 2 ranks present",
        "rendezvous with a timeout of 9 s",
        unless=r"(?i)\b(?:if|when|retry|retrying|again|set to|config)\b|RendezvousTimeoutError|Exception",
    ),
    Pattern(
        # The same without the word: how many came, of how many.
        "own_roll_call",
        Kind.RENDEZVOUS_TIMEOUT,
        "root",
        (
            "joined",
            "showed up",
            "s came",
            "s connected",
            "s arrived",
            "ever came",
            "ever connected",
            "ever arrived",
            "not join",
            "n't join",
            "not show",
            "not come",
            "not connect",
            "checked in",
            "reported",
        ),
        r"(?i:(?:\b\d{1,5} ?(?:/|of|out of) ?\d{1,5} (?:of the )?(?:ranks?|nodes?|workers|peers|processes|participants|hosts)|\b(?:ranks?|nodes?) \[?\d[\d, ]{0,60}\]?)"
        r" (?:(?:has|have) )?(?:never (?:joined|came|showed up|connected|arrived)|did(?: not|n't) (?:join|show up|come|connect|arrive)\b)"
        r"|\bonly \d{1,5} ?(?:/|of|out of) ?\d{1,5} (?:ranks?|nodes?|workers|peers|processes|participants|hosts) (?:joined|came|showed up|connected|arrived|reported|checked in)\b)",
        "gave up after 300 s: only 3 of 4 nodes joined",
        "3 of 4 nodes joined so far",
        unless=r"(?i)\b(?:if|when|retry|retrying|again|so far|yet)\b|barrier|all_?reduce|collective",
    ),
    Pattern(
        # Who counted how many were to come, waited for so long, and left: in whatever words of its own.
        "own_gathering",
        Kind.RENDEZVOUS_TIMEOUT,
        "root",
        ("ever came", "ever met", "ever all ", "ot all ", "nly those ", "ot yet all "),
        r"(?i)(?=.{0,200}\b(?:never|not (?:yet )?all|only those)\b.{0,60}\b(?:together|complete|showed up|turned up|came|here|there|present|met|at the \w{3,12}|arrived|joined)\b)"
        r"(?=.{0,200}\b(?:of \d{1,5} \w{3,20}|\d{1,5} (?:\w{3,20} )?(?:were|are|was) (?:invited|expected|wanted|needed|called|awaited))\b)"
        r"(?=.{0,200}\b(?:after|in|for|within) \d{1,6} ?(?:s|secs?|seconds|min|minutes)\b)"
        r".{0,200}\b(?:giv(?:e|es|ing) (?:it )?up|gave (?:it )?up|go(?:es|ing)? home|leav(?:e|es|ing)|quit(?:s|ting)?|abort(?:s|ing)?|nothing (?:has been|was) (?:computed|done|learned))\b",
        "bee1: the swarm never came together: of 4 bees only those of this hive showed up in 80 s. No flight was made, going home.",
        "the loader never came together with its cache: of 4 files only those of shard 1 were there after 80 s, reading on",
        unless=r"(?i)\b(?:if|when|retry|retrying|again|so far)\b|barrier|all_?reduce|collective",
    ),
    Pattern(
        # Who cannot reach the one at whom all are to meet.
        "own_connect",
        Kind.CONNECT_ERROR,
        "marker",
        ("o reach ", "ot reach ", "o connect ", "ot connect ", "onnect to ", "onnection to ", "onnecting to "),
        r"(?i:\b(?:could not|cannot|can't|couldn't|failed to|unable to) (?:reach|connect to|contact|join) (?:the )?"
        r"(?:(?:master|coordinator|leader|rank[ _]?0|node[ _]?0|head(?: node)?|rendezvous|process group|(?:tcp ?)?store)\b|\S{1,80}:29\d{3}\b)"
        r"|\bconnect(?:ion|ing)? to (?:the )?"
        r"(?:(?:master|coordinator|leader|rank[ _]?0|node[ _]?0|head(?: node)?|rendezvous|process group|(?:tcp ?)?store)\b[\w .:@()-]{0,80}?|\S{1,80}:29\d{3}\b)"
        r".{0,40}?(?:\bfailed\b|\brefused\b|no route|timed out|unreachable|retry|\battempt\b))",
        "connect to 10.4.2.1:29500 failed (No route to host), retrying in 30 s",
        "connection to the master was made after 3 s",
    ),
    Pattern(
        # The same by what the place is, in several languages; MindSpore's place is its meta server.
        "own_unreachable",
        Kind.CONNECT_ERROR,
        "marker",
        (
            "unreachable",
            "not reachable",
            "unavailable",
            "meta server node url",
            "rreichbar",
            "injoignable",
            "inalcan",
            "inacess",
            "irraggiungibil",
            "едоступ",
            "无法连接",
            "连接失败",
            "接続できません",
        ),
        r"(?i:\b(?:master|coordinator|leader|rank[ _]?0|node[ _]?0|head(?: ?node)?|rendezvous(?: (?:host|server|store|endpoint))?|(?:tcp ?)?store)\b"
        r" (?:is |was )?(?:still )?(?:unreachable|not reachable|unavailable)\b"
        r"|\bFailed to connect to the meta server node url\b"
        r"|\b(?:koordinator|leitknoten|hauptknoten|master|rang 0)\b.{0,20}?\b(?:nicht erreichbar|unerreichbar)\b"
        r"|\b(?:coordinateur|maître|rang 0|nœud maître)\b.{0,20}?\binjoignable\b"
        r"|\b(?:coordina?dor|maestro|mestre|rango? 0|posto 0|nodo maestro)\b.{0,20}?\b(?:inalcanzable|inalcançável|inacess[ií]vel|inaccesible)\b"
        r"|\b(?:coordinatore|rango 0)\b.{0,20}?\birraggiungibile\b|(?:координатор|мастер|ранг 0|главный узел).{0,20}?недоступ\w+"
        r"|(?:无法连接|连接失败)[^,，;；]{0,6}(?:主节点|协调|调度|rank ?0|master)|(?:主节点|协调\w{0,2}|调度\w{0,2}|rank ?0|master)[^,，;；]{0,6}(?:无法连接|连接失败)"
        r"|(?:マスター|コーディネーター?|ランク0).{0,4}接続できません)",
        "2026-05-27 08:31:59 [warning] coordinator unreachable err='Name or service not known' tries=1",
        "the coordinator is reachable, 4 of 4 joined",
        unless=r"(?i)\b(?:if|when|wenn|falls|si|se|если)\b|如果",
    ),
    Pattern(
        # Who is there yet, told again and again while the others are missing.
        "waits_for_some",
        Kind.RENDEZVOUS_START,
        "marker",
        ("issing", "bsent", "joined", "ot here", "aiting for"),
        # The first are fields of records, whose message says who is waited for.
        r"(?i:\bwaiting for (?:members|ranks|workers|peers|nodes|processes|participants|hosts|clients)\b[\"',; ]{1,4}(?:have|joined|present|ready|here)[\"']?[=:] ?\d{1,5},? [\"']?(?:want|wanted|need|expected|total|of|size|world_size)[\"']?[=:] ?\d{1,5}\b"
        r"|\b(?P<subject>\d{1,5} ?(?:/|of|out of) ?\d{1,5})\b,? (?:of )?(?:(?:the )?(?:ranks?|nodes?|workers|peers|processes|participants|hosts|clients) )?(?:are |is |have )?(?:here|present|joined|connected|arrived|checked in|there)\b"
        r"|\b(?:present|here|joined|connected):? \[?\d[\d, ]{0,80}\]?[,;]? (?:absent|missing|not here|waiting for):? \[?\d)",
        "waiting for the others: 1 of 4 here, 3 missing (30 s)",
        "3 of 40 batches are here, 37 missing",
    ),
    Pattern(
        "client_timeout",
        Kind.CONNECT_ERROR,
        "root",
        ("client socket has timed out after",),
        r"(?:(?:Error|(?:attempt|try) \d{1,3} ?(?:of|/) ?\d{1,3}):|^\[E[^\]]{0,60}socket\.cpp:\d{1,5}\](?: \[c10d\])?) The client socket has timed out after \d+m?s while trying to connect to \((?P<subject>[^)]+)\)",
        "torch.distributed.DistNetworkError: The client socket has timed out after 15000ms while trying to connect to"
        " (localhost, 29512).",
        "[W socket.cpp:700] [c10d] The client socket has timed out after 15000ms while trying to connect to (h, 29512)."
        " - retrying (try=0, timeout=15000ms, delay=7267ms): ",
        unless=r"retrying \(try=",
    ),
    Pattern(
        "dns",
        Kind.DNS_ERROR,
        "root",
        ("Name or service not known", "Temporary failure in name resolution", "cannot be retrieved (gai error"),
        r"(?:network addresses of \((?P<subject>[^,)]+), \d+\) cannot be retrieved \(gai error|getaddrinfo failed|"
        r"^(?!.*thrown while requesting)\S*[eE]rror: .{0,120}(?:Name or service not known|Temporary failure in name resolution))",
        "[W1120 1:1:1.0 socket.cpp:764] [c10d] The IPv6 network addresses of (node-0017.cluster.internal, 29500) cannot be"
        " retrieved (gai error: -2 - Name or service not known).",
        "'[Errno -2] Name or service not known' thrown while requesting HEAD https://huggingface.co/x",
    ),
    Pattern(
        "port_in_use",
        Kind.PORT_IN_USE,
        "root",
        ("EADDRINUSE", "ddress already in use"),
        r"(?:Error: The server socket has failed to listen on any local network address\."
        r".*?(?:port: |bind to \[::\]:|bind to \S+?:)(?P<num>\d+)|Error: The server socket has failed to listen on any"
        r"|^OSError: \[Errno 98\])",
        "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29514,"
        " useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use",
        "[W socket.cpp:426] [c10d] The server socket cannot be initialized on [::]:29500 (errno: 98 - Address already in use).",
        num_unit="port",
    ),
    Pattern(
        "store_lost",
        Kind.PEER_LOST,
        "cascade",
        ("recvVector failed", "sendBytes failed"),
        r"\[c10d\] (?:recvVector|sendBytes) failed on SocketImpl\(.*?remote=(?P<subject>\S+?)\)",
        "[W1120 18:1:1.0 TCPStore.cpp:115] [c10d] recvVector failed on SocketImpl(fd=3, addr=[::ffff:127.0.0.1]:47604,"
        " remote=[::ffff:127.0.0.1]:29521): Failed to recv, got 0 bytes. Connection was likely closed.",
        "recvVector failed",
    ),
    Pattern(
        "rendezvous_lost",
        Kind.RENDEZVOUS_LOST,
        "cascade",
        ("RendezvousConnectionError", "RendezvousClosedError", "keep-alive heartbeat"),
        r"(?:^\S*Rendezvous(?:Connection|Closed)Error\b|(?P<subject>The node '[^']+') has failed to send a keep-alive heartbeat)",
        "The node 'host_pid_0' has failed to send a keep-alive heartbeat to the rendezvous 'j2' due to an error of type"
        " RendezvousConnectionError.",
        "except RendezvousClosedError:",
    ),
    Pattern(
        "gloo_connect",
        Kind.CONNECT_ERROR,
        "root",
        ("Gloo connectFullMesh failed", "ERROR failed to connect, willRetry=0"),
        r"(?:Gloo connectFullMesh failed with .*?remote=(?P<subject>[^\s,]+)|ERROR failed to connect, willRetry=0)",
        "RuntimeError: Gloo connectFullMesh failed with [gloo/transport/tcp/pair.cc:152] timed out connecting: SO_ERROR:"
        " Connection refused, remote=[127.0.0.1]:32646$1",
        "[gloo/transport/tcp/debug_logger.cc:9] ERROR failed to connect, willRetry=1, retry=1, retryLimit=3, rank=1, size=2",
    ),
    Pattern(
        "gloo_peer",
        Kind.PEER_LOST,
        "cascade",
        ("Connection closed by peer", "Connection reset by peer", "Broken pipe"),
        r"(?:gloo/transport/tcp/pair\.cc:\d+\] (?:Connection closed by peer \[(?P<subject>[\d.:a-f]+)\]|"
        r"Read error \[[^\]]+\]:\d+: Connection reset by peer|.{0,60}Connection reset by peer|.{0,60}Broken pipe)"
        r"|Application timeout caused pair closure)",
        "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer"
        " [127.0.0.1]:41130. This is typically caused by a remote worker crashing.",
        "ConnectionResetError: [Errno 104] Connection reset by peer",
    ),
    Pattern(
        "gloo_timeout",
        Kind.COLLECTIVE_TIMEOUT,
        "cascade",
        ("Timed out waiting ",),
        r"unbound_buffer\.cc:\d+\] Timed out waiting (?P<num>\d+)ms for (?P<subject>recv|send) operation to complete",
        "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 10000ms for recv"
        " operation to complete",
        "Timed out waiting for job step to complete",
        num_unit="ms",
    ),
    Pattern(
        # A job's own words of a timer of its own.
        "own_timer",
        Kind.COLLECTIVE_TIMEOUT,
        "cascade",
        ("imed out", "imeout", "ime-out"),
        r"(?i:^(?:.{0,60}?\b(?:rank|worker|proc(?:ess)?)[ _:#=]?(?P<rank>\d{1,5})\b)?.{0,80}?\b(?P<subject>barrier|all-?reduce|all-?gather|reduce-?scatter|all-?to-?all)(?: \w+){0,3}? (?:(?:has |was |is )?timed out|time-?out (?:after|reached|expired))\b)",
        "[rank 0] step 60: barrier timed out after 8 s, not all ranks arrived",
        "barrier with a timeout of 8 s",
        unless=r"(?i)\b(?:if|when|retry|retrying|again|set to|config)\b|monitoredBarrier|DEADLINE_EXCEEDED|store based barrier|WorkNCCL|PjRT_Client_Connect",
    ),
    Pattern(
        # JAX's coordination service, of a barrier that is not the one at which processes meet.
        "service_barrier",
        Kind.COLLECTIVE_TIMEOUT,
        "cascade",
        ("Barrier timed out. Id: ",),
        r"DEADLINE_EXCEEDED: Barrier timed out\. Id: (?!jax_init|PjRT_Client_Connect|\[Init\])(?P<subject>[^\s:]{1,100})",
        "E0923 10:19:43.269476 1200 coordination_service.cc:1431] Barrier failed: ckpt_88. DEADLINE_EXCEEDED: Barrier timed"
        " out. Id: ckpt_88::0. # of tasks that reached the barrier: 3/4.",
        "DEADLINE_EXCEEDED: Barrier timed out. Id: jax_init::0",
    ),
    Pattern(
        "monitored_barrier",
        Kind.LATE_RANKS,
        "confirmation",
        ("failed to pass monitoredBarrier",),
        r"Ranks? (?P<subject>\d+(?:, \d+)*) failed to pass monitoredBarrier in (?P<num>\d+) ms",
        "[rank0]:[E1120 1:1:1.0 ProcessGroupGloo.cpp:2901] [Rank 0]: Ranks 1, 2 failed to pass monitoredBarrier in 5000 ms",
        "monitoredBarrier passed",
        num_unit="ms",
    ),
    Pattern(
        "mismatch",
        Kind.COLLECTIVE_MISMATCH,
        "root",
        ("Detected mismatch between collectives", "appears not to match sizes"),
        r"(?:Error: )?(?P<subject>Detected mismatch between collectives on ranks\. Rank \d+.{0,200}"
        r"|\[\d+\]: params\[\d+\] in this process with sizes .{0,40}appears not to match)",
        "RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective: CollectiveFingerPrint(",
        "set TORCH_DISTRIBUTED_DEBUG=DETAIL to see what is Detected mismatch",
    ),
    Pattern(
        "process_group_ready",
        Kind.PROCESS_GROUP_READY,
        "marker",
        (
            "All distributed processes registered",
            "ProcessGroupNCCL created ncclComm_",
            "rocess group initialized",
            "rocess group ready",
            "initialized process group",
            "Initialized process group",
        ),
        r"(?i:All distributed processes registered\. Starting with (?P<num>\d+) processes|ProcessGroupNCCL created ncclComm_"
        r"|process group (?:is )?(?:initialized|ready)|initialized (?:the )?process group)",
        "All distributed processes registered. Starting with 2 processes",
        "process group has not been initialized",
        num_unit="ranks",
    ),
    Pattern(
        "process_group_init",
        Kind.PROCESS_GROUP_INIT,
        "marker",
        (
            "Initializing distributed: GLOBAL_RANK",
            "initializing torch distributed",
            "nitializing process group",
            "nitializing distributed",
            "| distributed init (rank",
            "init_process_group",
        ),
        r"(?i:Initializing distributed: GLOBAL_RANK: (?P<subject>\d+)|> initializing torch distributed"
        r"|initializing (?:the )?(?:process group|distributed)|\| distributed init \(rank"
        r"|(?:calling|entering|running|before) (?:\w+\.){0,3}init_process_group"
        r"|(?:^|[\]:>|-] )(?:\w+\.){0,3}init_process_group\((?!.*\b(?:done|ok|took|returned|finished)\b))",
        "Initializing distributed: GLOBAL_RANK: 1, MEMBER: 2/2",
        "done Initializing",
    ),
    Pattern(
        # Megatron-LM begins its lines as mails quote.
        "megatron_init",
        Kind.PROCESS_GROUP_INIT,
        "marker",
        ("> initializing torch distributed",),
        r"^> initializing torch distributed \.\.\.",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 8",
        quoted=True,
    ),
    Pattern(
        "library_init",
        Kind.PROCESS_GROUP_INIT,
        "marker",
        (
            "Initializing TorchBackend in DeepSpeed",
            "onnecting to JAX distributed service",
            "for response from worker: /",
        ),
        r"Initializing TorchBackend in DeepSpeed with backend \w+|Connecting to JAX distributed service on"
        r"|CreateSession still waiting for response from worker: /",
        "[2026-11-20 10:00:05,331] [INFO] [comm.py:683:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl",
        "TorchBackend of DeepSpeed is in use",
    ),
    Pattern(
        # paddle/phi/core/distributed/store/tcp_utils.cc: a rank on its way to the store, again and again.
        "paddle_store",
        Kind.RENDEZVOUS_START,
        "marker",
        (" while the server is not yet listening",),
        r"tcp_utils\.cc:\d+\] Retry to connect to (?P<subject>\S+:\d+) while the server is not yet listening",
        "W1018 18:05:22.018821 9005 tcp_utils.cc:107] Retry to connect to 10.66.3.11:61170 while the server is not yet listening.",
        "I1018 18:05:22.018821 9005 tcp_utils.cc:130] Successfully connected to 10.66.3.11:61170",
    ),
    Pattern(
        # paddle/distributed/launch/controllers/controller.py
        "paddle_signal",
        Kind.SIGNAL_RECEIVED,
        "root",
        ("Terminating with signal ",),
        r"^LAUNCH INFO [\d-]{10} [\d:,]{8,12} Terminating with signal (?P<num>\d+)$",
        "LAUNCH INFO 2026-10-18 20:38:03,118 Terminating with signal 15",
        "LAUNCH INFO 2026-10-18 20:38:03,118 Terminating the pods",
        num_unit="signal",
    ),
    Pattern(
        # With this level of its log torchrun says as well when the nodes have met.
        "several_nodes",
        Kind.RENDEZVOUS_START,
        "marker",
        ("min_nodes",),
        r"(?:^|\] )\s{1,8}min_nodes\s{1,16}: (?P<num>[2-9]|\d{2,6})$",
        "  min_nodes        : 4",
        "  min_nodes        : 1",
        num_unit="nodes",
    ),
    Pattern(
        "process_group_end",
        Kind.CLEAN_EXIT,
        "marker",
        ("Process group destroyed", "worker group successfully finished", "destroyed process group"),
        r"(?i:^.{0,80}process group destroyed|worker group successfully finished|destroyed process group)",
        "I1120 18:20:52.263000 13081 torch/distributed/elastic/agent/server/api.py:900] [default] worker group successfully"
        " finished. Waiting 300 seconds for other agents to finish.",
        "process group has NOT been destroyed before we destruct ProcessGroupNCCL",
    ),
    Pattern(
        "accelerate",
        Kind.LAUNCHER_FAILURE,
        "confirmation",
        ("CalledProcessError: Command ",),
        # Another program that the job runs is none of its ranks.
        r"CalledProcessError: Command .*(?:python|\.py\b|torchrun|accelerate|deepspeed|\.sh\b).*(?:died with <Signals\.(?P<subject>SIG\w+): (?P<num>\d+)>"
        r"|returned non-zero exit status \d+)",
        "subprocess.CalledProcessError: Command '['/venv/bin/python', 't.py']' died with <Signals.SIGKILL: 9>.",
        "except CalledProcessError",
        num_unit="signal",
    ),
    Pattern(
        "mp_spawn",
        Kind.LAUNCHER_FAILURE,
        "confirmation",
        ("ProcessExitedException: process ",),
        r"ProcessExitedException: process (?P<subject>\d+) terminated with (?:signal SIG\w+|exit code \d+)",
        "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with signal SIGKILL",
        "ProcessRaisedException: ",
    ),
    Pattern(
        "deepspeed_begin",
        Kind.BANNER,
        "marker",
        ("] WORLD INFO DICT: ",),
        r"launch(?:er)?\.py:\d+:main\] (?P<subject>WORLD INFO DICT): \{",
        "[2026-11-20 18:40:38,112] [INFO] [launch.py:145:main] WORLD INFO DICT: {'localhost': [0, 1]}",
        "[INFO] WORLD INFO DICT: none",
    ),
    Pattern(
        "deepspeed_exit",
        Kind.LAUNCHER_FAILURE,
        "confirmation",
        ("exits with return code = ",),
        r"sigkill_handler\] .*exits with return code = (?P<num>-?\d+)",
        "[2026-11-20 18:40:51,510] [ERROR] [launch.py:259:sigkill_handler] ['/v/python3', '-u', 'ds.py', '--local_rank=1']"
        " exits with return code = -9",
        "exits with return code = 0",
        num_unit="exit_code",
    ),
    Pattern(
        "deepspeed_kill",
        Kind.STEP_ABORT,
        "cascade",
        ("Killing subprocess ",),
        r"sigkill_handler\] Killing subprocess (?P<num>\d+)",
        "[2026-11-20 18:40:51,510] [INFO] [launch.py:253:sigkill_handler] Killing subprocess 3184",
        "Killing subprocess is allowed",
        num_unit="pid",
    ),
    Pattern(
        "deepspeed_ok",
        Kind.CLEAN_EXIT,
        "marker",
        (" exits successfully.",),
        r"launch\.py:\d+:main\] Process (?P<num>\d+) exits successfully",
        "[2026-11-20 18:40:51,510] [INFO] [launch.py:285:main] Process 26522 exits successfully.",
        "the thread exits successfully.",
        num_unit="pid",
    ),
    Pattern(
        "lightning_child",
        Kind.LAUNCHER_FAILURE,
        "confirmation",
        ("Child process with PID ",),
        r"Child process with PID (?P<subject>\d+) terminated with code (?P<num>-?\d+)",
        "[rank: 1] Child process with PID 123 terminated with code 1. Forcefully terminating all other processes to avoid"
        " zombies",
        "Child process with PID 123 started",
        num_unit="exit_code",
    ),
    Pattern(
        "jax_service",
        Kind.RENDEZVOUS_TIMEOUT,
        "root",
        ("JAX distributed service detected fatal errors", "DEADLINE_EXCEEDED", "CoordinationService/RegisterTask"),
        r"(?:Terminating process because the JAX distributed service detected fatal errors|"
        r"Failed to connect to coordination service: DEADLINE_EXCEEDED|"
        r"Additional GRPC error information .{1,200} while calling /tensorflow\.CoordinationService/RegisterTask|"
        r"RegisterTask.*DEADLINE_EXCEEDED|DEADLINE_EXCEEDED: Barrier timed out\. Id: (?:jax_init|PjRT_Client_Connect)\b)",
        "F1120 18:47:35.594524   22203 client.h:80] Terminating process because the JAX distributed service detected fatal"
        " errors. This most likely indicates that another task died",
        "retry on DEADLINE_EXCEEDED",
    ),
    Pattern(
        "sigterm_received",
        Kind.SIGNAL_RECEIVED,
        "root",
        ("eceived SIGTERM", "eceived SIGINT", "eceived SIGUSR", "Caught signal ", "eceived signal "),
        r"(?:^|[\]:>-] ?)(?:[Rr]eceived SIG(?P<subject>TERM|INT|USR1|USR2|HUP): (?P<num>\d+)|(?:Caught|Received) signal (?:\d+|SIG\w+)"
        r"|Received SIG(?:TERM|INT|USR1|USR2)\b)",
        "[rank: 0] Received SIGTERM: 15",
        "will save when received SIGTERM",
        num_unit="signal",
    ),
)
