"""What other languages print of an error nobody caught (A1), and tools of a program that a signal ended (A2).

Sources of the forms: the standard libraries of Rust, Go, Java, .NET, Julia, R, Ruby, Perl, PHP and Node.js, bash and dash,
glog, absl, GNU make, xargs and time, gdb, lldb, valgrind, PyCharm; C libraries' words for a full disk are those of glibc's
catalogues (``/usr/share/locale/*/LC_MESSAGES/libc.mo``).
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

import re

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of
from inquest.analyze.logs.signal_words import ABROAD, ENGLISH

_ENDED = "|".join(map(re.escape, (*ENGLISH, *ABROAD)))
_LETHAL = "SIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL)"
_WORDS = (
    "Auf dem Gerät ist kein Speicherplatz mehr verfügbar|No queda espacio en el dispositivo|Aucun espace disponible sur le périphérique"
    "|Spazio esaurito sul device|デバイスに空き領域がありません|장치에 남은 공간이 없음|Brak miejsca na urządzeniu|Sem espaço livre no dispositivo"
    "|Não há espaço disponível no dispositivo|На устройстве не осталось свободного места|设备上没有空间|裝置上已無多餘空間"
    "|Geen ruimte meer over op apparaat|Aygıt üzerinde boş yer yok|Enheten är full|Na zařízení není volné místo|Недостатньо місця на пристрої"
    "|Der zugewiesene Plattenplatz (Quota) ist überschritten|Se ha excedido la cuota de disco|Débordement du quota d'espace disque"
    "|Quota disco superata|ディスク使用量制限を超過しました|디스크 할당량이 초과됨|Przekroczony limit dyskowy|Quota do disco excedida"
    "|Cota da disco excedida|Превышена дисковая квота|超出磁盘限额|磁碟配額已滿|Schijfquotum is overschreden"
)
_FULL = tuple(_WORDS.split("|"))
"""In de, es, fr, it, ja, ko, pl, pt, pt_BR, ru, zh_CN, zh_TW, nl, tr, sv, cs and uk."""

PATTERNS = (
    *of(
        "runtime",
        Pattern(
            "rust_panic",
            Kind.UNCAUGHT,
            "root",
            ("' panicked at ", ") panicked at "),
            r"^thread '[^']{1,80}'(?: \(\d+\))? panicked at (?P<subject>.{1,200})",
            "thread 'main' panicked at src/loader.rs:41:9:",
            "worker thread 'a' panicked at noon, restarted",
        ),
        Pattern(
            "go_panic",
            Kind.UNCAUGHT,
            "root",
            ("panic: ", "all goroutines are asleep"),
            r"^(?:panic: (?P<subject>.{1,200})|fatal error: all goroutines are asleep - deadlock!)",
            "panic: runtime error: index out of range [7] with length 7",
            "kernel: panic: no",
        ),
        Pattern(
            "java",
            Kind.UNCAUGHT,
            "root",
            ('Exception in thread "',),
            r'^Exception in thread "[^"]{1,80}" (?P<subject>[\w.$]+(?:Exception|Error|Throwable)\b.{0,200})',
            'Exception in thread "main" java.lang.ArrayIndexOutOfBoundsException: Index 5 out of bounds for length 5',
            'handled: Exception in thread "pool-1" java.io.IOException: closed',
        ),
        Pattern(
            "dotnet",
            Kind.UNCAUGHT,
            "root",
            ("Unhandled exception. ", "Unhandled Exception: "),
            r"^Unhandled [eE]xception[.:] (?P<subject>[\w.]+(?:Exception|Error)\b.{0,200})",
            "Unhandled exception. System.IndexOutOfRangeException: Index was outside the bounds of the array.",
            "Unhandled exception. See the log",
        ),
        Pattern(
            "node",
            Kind.UNCAUGHT,
            "root",
            ("Node.js v",),
            # Behind the trace of an error that nobody caught; what it was stands above: see neighbours.py.
            r"^(?P<subject>Node\.js v\d+\.\d+\.\d+)$",
            "Node.js v18.19.1",
            "using Node.js v18.19.1",
        ),
        Pattern(
            "julia",
            Kind.UNCAUGHT,
            "root",
            ("ERROR: LoadError: ",),
            r"^ERROR: LoadError: (?P<subject>.{1,200})",
            "ERROR: LoadError: BoundsError: attempt to access 10-element Vector{Float32} at index [11]",
            "caught ERROR: LoadError: nothing",
        ),
        # perldiag's fatal errors (F); what warn says has the same form, and the program goes on.
        Pattern(
            "perl_fatal",
            Kind.UNCAUGHT,
            "root",
            ("Illegal ", "Can't ", "Undefined subroutine", " reference at ", "Died at ", "Modification of "),
            r"^(?P<subject>(?:Illegal (?:division by zero|modulus zero)|Can't (?:locate|call method|use|find|open perl|return|take)"
            r" .{1,300}|Undefined subroutine .{1,120}|Not an? [A-Z]{2,8} reference|Died|Modification of .{1,120})"
            r" at \S{1,300} line \d{1,9})(?:, <\w{1,40}> (?:line|chunk) \d{1,12})?\.$",
            "Illegal division by zero at fit.pl line 12, <STDIN> line 88.",
            "Use of uninitialized value $w in addition (+) at fit.pl line 9.",
        ),
        Pattern(
            "gawk",
            Kind.UNCAUGHT,
            "root",
            ("awk: ",),
            r"^g?awk: (?:cmd\. line|[^\s:]{1,200}):\d{1,9}: (?:\([^)]{1,120}\) )?(?P<subject>fatal: .{1,200})",
            "awk: cmd. line:1: (FILENAME=- FNR=310) fatal: division by zero attempted",
            "awk: cmd. line:1: (FILENAME=- FNR=3) warning: log: received negative argument -2",
        ),
        Pattern(
            "r_halted",
            Kind.UNCAUGHT,
            "root",
            ("Execution halted",),
            r"^(?P<subject>Execution halted)$",
            "Execution halted",
            "Execution halted by the debugger, type c to go on",
        ),
        Pattern(
            "ocaml",
            Kind.UNCAUGHT,
            "root",
            ("Fatal error: exception ",),
            r"^(?P<subject>Fatal error: exception \S.{0,200})",
            'Fatal error: exception Invalid_argument("index out of bounds")',
            "seen: Fatal error: exception Exit",
        ),
        Pattern(
            "fortran",
            Kind.UNCAUGHT,
            "root",
            ("Fortran runtime error: ",),
            r"^(?P<subject>Fortran runtime error: .{1,200})",
            "Fortran runtime error: End of file",
            "no Fortran runtime error: all read",
        ),
        Pattern(
            "matlab",
            Kind.UNCAUGHT,
            "root",
            ("Error using ",),
            r"^(?:\{\x08?)?(?P<subject>Error using [\w./]{1,80}(?: \(line \d{1,6}\))?)$",  # its marks of red text
            "Error using trainNetwork (line 191)",
            "Error using the cache, going on without it",
        ),
        Pattern(
            # What it was stands above these three, or below the one before: see neighbours.py.
            "stack_below",
            Kind.UNCAUGHT,
            "root",
            ("CallStack (from HasCallStack):", "stack traceback:", "error: called from"),
            r"^(?P<subject>CallStack \(from HasCallStack\):|stack traceback:|error: called from)$",
            "CallStack (from HasCallStack):",
            "the stack traceback: none was kept",
        ),
        Pattern(
            "php",
            Kind.UNCAUGHT,
            "root",
            ("PHP Fatal error:  Uncaught ",),
            r"^PHP Fatal error:  (?P<subject>Uncaught .{1,200})",
            "PHP Fatal error:  Uncaught TypeError: count(): Argument #1 must be of type Countable|array in /w/t.php:3",
            "PHP Warning:  Uncaught nothing",
        ),
        Pattern(
            "ruby",
            Kind.UNCAUGHT,
            "root",
            (".rb:",),
            r"^\S+\.rb:\d+:in [`'][^']{1,120}': (?P<subject>.{1,200} \((?:\w+::)*\w*(?:Error|Exception|ENOENT|EACCES|ENOSPC)\w*\))",
            "train.rb:14:in `fetch': key not found: :tokens (KeyError)",
            "train.rb:14:in `fetch': slow path taken",
        ),
        Pattern(
            "perl",
            Kind.BARE_ERROR,
            "root",
            (".pl line ", ".pm line "),
            r"^(?P<subject>.{1,300}) at \S+\.p[lm] line \d+\.$",
            'Can\'t locate object method "step" via package "Net" at train.pl line 9.',
            "DEBUG reached train.pl line 9",
        ),
        Pattern(
            "shell",
            Kind.UNCAUGHT,
            "root",
            (
                "yntax error near unexpected token",
                "yntax error: ",
                "unexpected EOF while looking for matching",
                ": unbound variable",
                ": parameter null or not set",
                ": bad substitution",
            ),
            r"^[^\s:]{1,200}: (?:(?:line )?\d+: )?(?P<subject>[sS]yntax error(?: near unexpected token|: (?:unexpected end of file|end of file unexpected|\"?\S{1,20}\"? unexpected)).{0,60}"
            r"|unexpected EOF while looking for matching .{1,4}|[^\s:]{1,60}: (?:unbound variable|parameter null or not set|bad substitution))",
            "launch.sh: line 31: syntax error near unexpected token `fi'",
            "train.py: line 31: SyntaxError: invalid syntax",
        ),
        Pattern(
            "absl_flags",
            Kind.USAGE_ERROR,
            "root",
            ("FATAL Flags parsing error:",),
            r"^FATAL Flags parsing error: *(?P<subject>.{0,200})",
            "FATAL Flags parsing error: flag --batch=many: invalid literal for int() with base 10: 'many'",
            "seen FATAL Flags parsing error: before",
        ),
        Pattern(
            "python_init",
            Kind.UNCAUGHT,
            "root",
            ("Fatal Python error: ",),
            # Python exits with 1 where it cannot begin: no signal.
            r"^(?P<subject>Fatal Python error: (?:init_\w+|preconfig_\w+|config_\w+|initsite|_?Py\w*Initialize\w*|initfsencoding|failed to get random numbers)\b.{0,160})",
            "Fatal Python error: init_import_site: Failed to import the site module",
            "Fatal Python error: Aborted",
        ),
        Pattern(
            # faulthandler.dump_traceback_later: Modules/faulthandler.c, format_timeout
            "faulthandler_timer",
            Kind.OWN_TIMER,
            "root",
            ("Timeout (",),
            r"^Timeout \((?P<subject>\d{1,9}:\d\d:\d\d(?:\.\d{6})?)\)!$",
            "Timeout (0:10:00)!",
            "Timeout (0:10:00) is the default of this group",
        ),
        Pattern(
            "python_syntax",
            Kind.UNCAUGHT,
            "root",
            ("SyntaxError: ", "IndentationError: ", "TabError: "),
            # Of the program itself: there is no traceback before it runs.
            r"^(?P<subject>(?:Syntax|Indentation|Tab)Error: .{1,200})",
            "IndentationError: unexpected indent (trainer.py, line 88)",
            "caught SyntaxError: in a template, skipped",
        ),
        Pattern(
            "pytest",
            Kind.BARE_ERROR,
            "root",
            ("FAILED ",),
            r"^FAILED \S+(?:::\S+)? - (?P<subject>\S.{0,200})",
            "FAILED tests/fit_check.py::test_fit - IndexError: list index out of range",
            "FAILED over to the second mirror - retrying",
        ),
        Pattern(
            "glog_fatal",
            Kind.ABORT,
            "root",
            (".cc:",),
            r"^(?:F\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: F )[\w./-]+\.cc:\d+\] (?P<subject>(?!Check failed: ).{1,200})",
            "F0302 11:04:05.654321   4711 kernel_config.cc:90] Bad value for flag tile_size: 0",
            "W0302 11:04:05.654321   4711 kernel_config.cc:90] Bad value for flag tile_size: 0",
        ),
        Pattern(
            "make_signal",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("*** [",),
            rf"^make(?:\[\d+\])?: \*\*\* \[[^\]]{{1,200}}\] (?P<subject>{_ENDED})\b",
            "make: *** [Makefile:7: pretrain] Killed",
            "make: *** [Makefile:7: pretrain] Error 2",
        ),
        Pattern(
            # What make says of a file it cannot read, or of a target it has no way to make.
            "make_stop",
            Kind.UNCAUGHT,
            "root",
            ("*** ",),
            r"^(?:[\w./-]{1,200}:\d{1,6}|g?make(?:\[\d+\])?): \*\*\* (?P<subject>[A-Za-z].{1,200}?)[.,]  ?Stop\.$",
            "Makefile:2: *** missing separator.  Stop.",
            "make: *** [Makefile:7: pretrain] Error 2",
        ),
        Pattern(
            "make_error",
            Kind.TASK_EXIT,
            "confirmation",
            ("*** [",),
            r"^make(?:\[\d+\])?: \*\*\* \[[^\]]{1,200}\] \w+ (?P<num>\d{1,3})$",
            "make: *** [Makefile:7: pretrain] Error 2",
            "make: *** [Makefile:7: pretrain] Killed",
            num_unit="exit_code",
        ),
        Pattern(
            # KALDI_ERR, which ends the program.
            "kaldi",
            Kind.UNCAUGHT,
            "root",
            ("ERROR (",),
            r"^ERROR \((?P<subject>[a-z][a-z0-9-]{2,40})\[[\d.~a-z-]{1,40}\]:\w{1,80}\(\):[\w./-]{1,80}:\d{1,6}\) \S",
            "ERROR (nnet3-train[5.5]:CheckInput():nnet-training.cc:122) Dimension mismatch: expected 40, got 43",
            "WARNING (nnet3-train[5.5]:CheckInput():nnet-training.cc:122) Dimension mismatch: expected 40, got 43",
        ),
        Pattern(
            "terminated_by",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("terminated by signal ", "default action of signal ", "(interrupted by signal "),
            r"^(?:xargs: \S{1,200}: terminated by signal|Command terminated by signal|==\d+== Process terminating with default action of signal"
            r"|Process finished with exit code -?\d+ \(interrupted by signal) (?P<num>\d{1,2})\b",
            "Command terminated by signal 9",
            "helper terminated by signal 9, started again",
            num_unit="signal",
        ),
        Pattern(
            "debugger",
            Kind.SIGNAL_DEATH,
            "confirmation",
            (" received signal SIG", "Program terminated with signal SIG", "stop reason = signal SIG"),
            rf"^(?:(?:Program|Thread \S+ (?:\"[^\"]{{1,60}}\" )?)\s?received signal|Program terminated with signal|\* thread #\d+.{{0,120}} stop reason = signal) (?P<subject>{_LETHAL})\b",
            'Thread 1 "python3" received signal SIGSEGV, Segmentation fault.',
            "Program received signal SIGUSR1, User defined signal 1.",
        ),
        Pattern(
            # R says it in a warning below its error; Go, Rust, Node.js and tar in the line of what failed.
            "disk_full_english",
            Kind.DISK_FULL,
            "root",
            ("isk quota exceeded", "o space left on device", "EDQUOT", "ENOSPC"),
            r"(?i:^\s{0,4}cannot open (?:compressed )?file '[^']{1,300}'(?:: |, probable reason ')(?P<subject>disk quota exceeded|no space left on device)'?$"
            r"|\b(?:panic|fatal(?: error)?|error|failed|cannot|could not)\b.{0,200}[:(] ?(?:disk quota exceeded|no space left on device)(?: \(E\w{4,6}\))?\)?$"
            r"|\b(?:write|open|fsync|close|mkdir|rename|create) [\w./~-]{1,300}: (?:disk quota exceeded|no space left on device)$"
            r"|^(?:Uncaught )?(?:\w{0,30}Error: )?(?:ENOSPC|EDQUOT): )",
            "  cannot open file '/home/u/run/m_075.rds': Disk quota exceeded",
            "error in the cache, retrying: No space left on device",
            unless=r"(?i)\b(?:if|when|retry\w*|again|skip\w*|ignor\w*|warn\w*|posix_fallocate|shared memory|cache[ds]?)\b|/dev/shm|/tmp/",
        ),
        Pattern(
            "disk_full",
            Kind.DISK_FULL,
            "root",
            tuple(_FULL),
            rf"[:：] ?(?P<subject>{'|'.join(map(re.escape, _FULL))})(?:$| ?[:：(])",
            "dd: écriture de 'ckpt/step_400.pt': Aucun espace disponible sur le périphérique",
            "Astuce : « Aucun espace disponible sur le périphérique » veut dire que le disque est plein",
        ),
    ),
)
