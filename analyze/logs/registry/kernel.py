"""Messages of the kernel about processes, CPUs and itself: memory, crashes, stalls (A2, F1).

Wordings are those of the kernel's own source, whose file stands above each pattern; what it prints about hardware is
in hardware.py, about disks and file systems in storage.py, about links in network.py.
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

PATTERNS = of(
    "kernel",
    # --- memory: mm/oom_kill.c, oom_kill_process() and dump_header(); before 4.19 "Kill process ... or sacrifice child"
    Pattern(
        "oom_cgroup",
        Kind.CGROUP_OOM,
        "root",
        ("Memory cgroup out of memory: ",),
        r"Memory cgroup out of memory: Kill(?:ed)? process (?P<num>\d+),? \((?P<subject>[^)]*)\)",
        "[ 1867.837111] Memory cgroup out of memory: Killed process 16457 (python3) total-vm:1025364kB, anon-rss:314060kB",
        "[ 1867.836916] Memory cgroup stats for /inquest_oom_16180:",
        num_unit="pid",
    ),
    Pattern(
        "oom_machine",
        Kind.OOM_KILLER,
        "root",
        ("Out of memory: Kill", "(oom_kill_allocating_task): Kill"),
        r"(?<!cgroup )Out of memory(?: \(oom_kill_allocating_task\))?: Kill(?:ed)? process (?P<num>\d+),? \((?P<subject>[^)]*)\)",
        "[12345.678901] Out of memory: Killed process 943 (pt_main_thread) total-vm:1kB, anon-rss:1kB",
        "[12345.678901] Out of memory and no killable processes...",
        num_unit="pid",
    ),
    # Memory of some nodes of a NUMA machine ran out, by the process's own cpuset or policy: the machine may have more.
    Pattern(
        "oom_part",
        Kind.OOM_KILLER,
        "confirmation",
        ("constraint=CONSTRAINT_CPUSET", "constraint=CONSTRAINT_MEMORY_POLICY"),
        r"oom-kill:constraint=CONSTRAINT_(?:CPUSET|MEMORY_POLICY),.*\btask=(?P<subject>[^,]+),pid=(?P<num>\d+)",
        "oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=(null),cpuset=job_7,mems_allowed=0,global_oom,task_memcg=/job_7,task=python3,pid=943,uid=1000",
        "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/,task=python3,pid=943,uid=1000",
        num_unit="pid",
    ),
    Pattern(
        "oom_invoked",
        Kind.OOM_KILLER,
        "confirmation",
        (" invoked oom-killer: ",),
        r"(?P<subject>\S+) invoked oom-killer: ",
        "[ 1867.836626] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        "the oom-killer was not invoked",
    ),
    # --- a process crashed: arch/x86/mm/fault.c show_signal_msg(), arch/x86/kernel/traps.c
    Pattern(
        "segfault",
        Kind.SEGFAULT,
        "root",
        (": segfault at ", " general protection fault", "trap invalid opcode"),
        r"(?P<subject>[\w.:-]+)\[(?P<num>\d+)\]:? (?:segfault at |general protection fault|trap invalid opcode)",
        "[ 2014.1] python[22579]: segfault at 0 ip 00007fcf71985ad8 sp 00007ffca5f09948 error 4 in libc.so.6[167ad8,7fcf71844000+156000]",
        "no segfault at exit",
        num_unit="pid",
    ),
    # --- a task waits: kernel/hung_task.c check_hung_task()
    Pattern(
        "hung_task",
        Kind.HUNG_TASK,
        "root",
        (" blocked for more than ", " blocked in I/O wait for more than "),
        r"INFO: task (?P<subject>\S+?):\d+ blocked (?:in I/O wait )?for more than (?P<num>\d+) seconds",
        "INFO: task python:1234 blocked for more than 120 seconds.",
        "requests blocked for more than 5 ms",
        num_unit="s",
    ),
    # --- a CPU is stuck: kernel/watchdog.c
    Pattern(
        "lockup",
        Kind.LOCKUP,
        "root",
        ("soft lockup", "hard LOCKUP"),
        r"(?:BUG: soft lockup - CPU#(?P<subject>\d+) stuck for (?P<num>\d+)s|hard LOCKUP(?! detector))",
        "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python:77]",
        "soft lockup detector enabled",
        num_unit="s",
    ),
    # kernel/rcu/tree_stall.h and tree_exp.h
    Pattern(
        "rcu_stall",
        Kind.LOCKUP,
        "root",
        ("self-detected stall on CPU", " stalls on CPUs/tasks"),
        r"INFO: (?P<subject>rcu_\w+) (?:self-detected stall on CPU|detected (?:expedited )?stalls on CPUs/tasks)",
        "rcu: INFO: rcu_sched self-detected stall on CPU",
        "rcu: rcu_sched kthread starved for 20964 jiffies! g938281 f0x0 RCU_GP_WAIT_FQS(5)",
    ),
    # --- the kernel crashed: kernel/panic.c, arch/x86/kernel/dumpstack.c __die_header(), lib/bug.c, arch/x86/mm/fault.c
    Pattern(
        "panic",
        Kind.KERNEL_CRASH,
        "root",
        ("Kernel panic - not syncing",),
        r"(?P<subject>Kernel panic - not syncing(?:: .{1,160})?)",
        "Kernel panic - not syncing: Hard LOCKUP",
        "Rebooting in 10 seconds after a kernel panic",
    ),
    Pattern(
        "oops",
        Kind.KERNEL_CRASH,
        "root",
        ("Oops: ", "kernel BUG at ", "BUG: kernel NULL pointer", "BUG: unable to handle "),
        r"(?P<subject>(?<!\w)Oops: (?:[0-9a-f]{4}|general protection fault|[\w ]{1,40}).{0,60}\[#\d+\]|kernel BUG at \S+:\d+!|BUG: kernel NULL pointer dereference|BUG: unable to handle (?:page fault|kernel (?:paging request|NULL pointer)))",
        "BUG: unable to handle page fault for address: ffffbe5a0040a000",
        "Oops: the tokenizer has no pad token",
    ),
)
