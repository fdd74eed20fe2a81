"""A person ended the run, in the words of programs that catch it: those of libraries are under ``startup``."""

# ruff: noqa: E501 (regular expressions are kept whole; people write in their own scripts)

from __future__ import annotations

from typing import Final

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

_USER: Final = r"(?:the )?(?:user|operator|person|hand|keyboard)\b(?!-| (?!at\b|in\b|on\b|after\b|during\b|while\b|before\b|with\b|and\b)\w)"
"""Whoever it was; not the first of several words, as of a user's quota."""
_ENDED: Final = r"(?:interrupt|stopp|cancell?|abort|terminat|end|halt|kill)ed"
_KEY: Final = r"(?:KeyboardInterrupt|(?:keyboard|user) interrupt|(?i:ctrl ?[-+] ?c|strg ?[-+] ?c)|SIGINT)"
_NO_END: Final = (
    r"(?i)\b(?:press|hit|push|use|type|if|when|whenever|once|until|unless|can|may|might|could|should|will be|to (?:stop|abort|quit|exit|interrupt|cancel|end)"
    r"|last (?:run|time)|previous(?:ly)?|earlier|resum\w+|handl(?:er|ing)|hook|regist\w+|install\w*|ignor\w+|drück\w*|wenn|falls|vorherig\w*|appuyez|si|para)\b|按|如果|上次|押す|押して"
)
"""What tells how it is done, or of an earlier run."""

_STOP_FILE: Final = r"(?:(?i:stop|halt|abort|kill|quit|exit)[ _-]?(?i:file|flag|marker|sentinel)|(?:file |flag )?[\"'`]?(?:[\w./~-]{0,200}/)?(?:STOP|HALT|ABORT|QUIT|stop|halt)(?:\.(?:txt|flag|now))?[\"'`]?(?i: file| flag)?)"
_THERE: Final = r"(?i:found|detected|seen|present|exists|appeared|is there|showed up|noticed)"
COMMANDED: Final = "person.commanded"
"""The pattern of a stop that was asked for by a file or a command, of which a plan says whether it was before its end."""

PATTERNS: Final = of(
    "person",
    Pattern(
        # A file that is put there, a command on a socket, a button: how a program lets itself be told.
        "commanded",
        Kind.USER_INTERRUPT,
        "root",
        (
            *("stop", "Stop", "STOP", "halt", "Halt", "HALT", "abort", "ABORT", "quit", "QUIT", "asked", "request"),
            *("ngehalten", "angefordert", "emand", "solicitad", "ichiest", "запрос", "файл", "停止", "中止", "요청"),
        ),
        rf"(?:{_STOP_FILE} (?:was |is |has )?{_THERE}\b|\b{_THERE} (?:an? |the )?{_STOP_FILE}(?![\w-])"
        r"|(?i:\b(?:got|received|read|obey(?:ed|ing)?) (?:an? |the )?(?:command )?[\"'`]?(?:stop|halt|abort|quit)[\"'`]?(?: command| request| message| order)?(?: from\b| (?:over|via|on|through)\b| by\b|[,;.!]|$))"
        r"|(?i:[\"'`](?:stop|halt|abort|quit)[\"'`] (?:command |request )?(?:from|by|received|via) )"
        r"|(?i:\b(?:stopped|stopping|ended|ending|halted|halting|leaving|left|quit(?:ting)?)\b.{0,40}\b(?:as (?:asked|told|requested|ordered|commanded)|on (?:request|demand|command)|at (?:the )?request of)\b)"
        r"|(?i:\b(?:stop|halt)(?: was)? (?:requested|commanded|ordered) (?:via|over|through|by|from) )"
        r"|(?i:\bauf (?:wunsch|anforderung|befehl|zuruf) (?:angehalten|beendet|gestoppt|abgebrochen)|\bstopp?-?datei (?:gefunden|erkannt|entdeckt|da\b)|\b(?:abbruch|stopp|halt) angefordert (?:von|durch|über))"
        r"|(?i:\bfichier (?:d['’]arrêt|stop) (?:trouvé|détecté|présent)|\barrêt demandé (?:par|via|depuis)|\barrêté à la demande)"
        r"|(?i:\b(?:archivo|fichero|arquivo|ficheiro) (?:de parada |stop )(?:encontrado|detectado)|\b(?:parada|paragem) solicitada (?:por|desde|via|pel[oa])|\bdetenido a petición|\bparado a pedido)"
        r"|(?i:\bfile (?:di )?stop (?:trovato|rilevato)|\b(?:arresto|stop) richiesto (?:da|via|dal)|\bfermato su richiesta)"
        r"|(?i:(?:найден|обнаружен) файл (?:остановки|stop)|остановлен\w* по (?:запросу|команде))|(?:检测到|发现)停止文件|收到停止(?:命令|请求)|停止ファイルを(?:検出|発見)|停止(?:命令|要求)を受(?:信|け)|정지 (?:파일 발견|요청을 받))",
        "ctl: 'stop' from uid 1004 (pts/2)",
        "checking for a stop file every 10 s",
        unless=_NO_END
        + r"|(?i:\bearly[ -]?stop\w*|patience|plateau|limit|wall ?-?time|deadline|budget|schedul|preempt|evict|spot\b|SIG[A-Z]|signal|slurm|token|sequence|profil\w*|trac(?:e|ing)\b|server|worker|thread|parent|child\b|main\b|process|trainer|consumer|producer|rank \d|data ?loader|prefetch|none\b|no stop|not\b|record)",
    ),
    Pattern(
        "interrupted",
        Kind.USER_INTERRUPT,
        "root",
        ("nterrupt", "trl-C", "trl+C", "trl C", "trl + C", "TRL-C", "TRL+C", "trg-C", "trg+C", "SIGINT"),
        rf"(?:(?i:\binterrupted (?:by|at|on|upon|from) (?:(?:a|the) )?(?:request of )?{_USER})"
        rf"|\b(?i:got|received|caught|detected|saw) (?:an? |the )?{_KEY}|{_KEY}:? (?i:received|caught|detected|pressed|seen|hit|recibido|erhalten|empfangen|re[çc]u)\b"
        r"|(?i:^(?:training |run )?interrupted[.!]?$|\bmanually interrupted\b)"
        rf"|{_KEY}\s?(?:[을를]\s?받|[が을를]?\s?(?:押され|押下|検出|受信)|(?:信号)?(?:已|被)?(?:收到|按下|捕获))|(?:收到|捕获|检测到)(?:了)?\s?{_KEY})",
        "KeyboardInterrupt received, saving checkpoint to runs/last.pt",
        "Press Ctrl-C to interrupt the training",
        unless=_NO_END,
    ),
    Pattern(
        "ended",
        Kind.USER_INTERRUPT,
        "root",
        (
            "the user",
            "by user",
            "y operator",
            "y the operator",
            "by hand",
            "ser request",
            "keyboard",
            "ser abort",
            "ser cancel",
            "ser interrupt",
            "Aborted!",
        ),
        rf"(?i:\b{_ENDED} (?:by|from|at) {_USER}|\b(?:stop|end|abort|cancel|interrupt)\w* (?:was )?(?:requested|asked for|ordered|wanted) (?:by|from|at) {_USER}"
        rf"|\b(?:stopp|end|abort|cancell?|interrupt|quitt)(?:ed|ing) (?:at|on|upon|by) (?:the )?user(?:'s)? (?:request|command|wish)"
        r"|\buser (?:has )?(?:interrupted|aborted|cancelled|canceled|interruption|abort|requested (?:a )?(?:stop|exit|end))\b(?! (?!the run|training|at\b|in\b|on\b|after)\w))|^Aborted!$",
        "Stop requested from the keyboard; best model is kept.",
        "stopped by the user's early stopping rule",
        unless=_NO_END + r"|(?i:\bearly stopping\b|user'?s (?!request|command|wish))",
    ),
    Pattern(
        # German, French, Spanish, Portuguese, Italian, Dutch, the Nordic ones, Polish, Czech, Turkish, Hungarian
        "abroad",
        Kind.USER_INTERRUPT,
        "root",
        (
            *(
                "utzer",
                "nwender",
                "Tastatur",
                "von Hand",
                "utilisat",
                "clavier",
                "usuari",
                "usuári",
                "teclado",
                "utilizador",
            ),
            *("utente", "tastiera", "gebruiker", "toetsenbord", "använda", "brugeren", "brukeren", "käyttäj"),
            *("żytkownik", "živatel", "kullanıcı", "Kullanıcı", "felhasználó"),
        ),
        r"(?i:\b(?:abgebrochen|unterbrochen|beendet|gestoppt|angehalten|abbruch|unterbrechung|stopp|halt) (?:durch|vom|von|über|per|an) (?:den |die |der )?(?:be)?(?:nutzer|anwender|tastatur|hand\b)"
        r"|\b(?:vom|von|durch|per) (?:den |die |der )?(?:be)?(?:nutzer\w*|anwender\w*|tastatur|hand) (?:\w+ )?(?:abgebrochen|unterbrochen|beendet|gestoppt|angehalten)"
        r"|\b(?:interromp\w+|interrompu\w*|arr[êe]t\w*|stopp[ée]\w*|annul[ée]\w*|interruption) (?:demandée? |manuelle? )?(?:par|de|au|depuis|via) (?:l['’]|le |la )?(?:utilisat\w+|clavier)"
        r"|\b(?:interrumpid[oa]|detenid[oa]|cancelad[oa]|parad[oa]|abortad[oa]|terminad[oa]|interrupción) (?:por|desde|del?) (?:el |la )?(?:usuari[oa]|teclado)"
        r"|\b(?:interrompid[oa]|cancelad[oa]|parad[oa]|encerrad[oa]|abortad[oa]) (?:pel[oa]|por) (?:o |a )?(?:usuári[oa]|usuari[oa]|utilizador\w*|teclado)"
        r"|\b(?:interrott[oa]|fermat[oa]|annullat[oa]|terminat[oa]) (?:dall['’]|da |dalla )(?:utente|tastiera)"
        r"|\b(?:onderbroken|afgebroken|gestopt|beëindigd) (?:door|via) (?:de |het )?(?:gebruiker|toetsenbord)"
        r"|\b(?:avbruten|stoppad|afbrudt|stoppet|avbrutt) (?:av|af) (?:användaren|brugeren|brukeren)|\bkäyttäjän (?:keskeyttämä|pysäyttämä)|\bkäyttäjä keskeytti"
        r"|\b(?:przerwan\w*|zatrzyman\w*|anulowan\w*) przez użytkownika|\b(?:přerušen\w*|zastaven\w*|ukončen\w*) uživatelem|\bkullanıcı (?:tarafından )?(?:\w+ )?(?:durdur|kes|iptal|sonlandır)\w+"
        r"|\bfelhasználó (?:által )?(?:meg)?(?:szakít|állít)\w+)",
        "Abgebrochen durch Benutzer, letzter Stand gesichert.",
        "Benutzer: mkessler, Abbruch nach 20 Epochen ohne Verbesserung",
        unless=_NO_END,
    ),
    Pattern(
        # Russian, Ukrainian, Bulgarian, Greek, Chinese, Japanese, Korean, Arabic, Persian, Vietnamese
        "afar",
        Kind.USER_INTERRUPT,
        "root",
        (
            "ользовател",
            "ористувач",
            "отребител",
            "лавиатур",
            "χρήστη",
            "用户",
            "用戶",
            "手动",
            "手動",
            "键盘中断",
            "ユーザ",
            "キーボード割り込み",
            "사용자",
            "키보드",
            "المستخدم",
            "کاربر",
            "người dùng",
        ),
        r"(?i:(?:прерв|останов|отмен|заверш)\w+ (?:по (?:запросу|команде) )?(?:пользовател\w+|с клавиатуры)|(?:пользовател\w+) (?:прервал|остановил|отменил)\w*|(?:перерван|зупинен|скасован)\w* користувачем|(?:прекъснат|спрян)\w* от потребител\w+"
        r"|(?:διακόπηκε|διακοπή|σταμάτησε) από (?:τον )?χρήστη)|(?:被)?用(?:户|戶)(?:手动|手動|主动|已|请求)?(?:中断|中斷|取消|终止|終止|停止)|手(?:动|動)(?:中断|中斷|停止|终止|終止)(?!条件)|键盘中断"
        r"|ユーザー?(?:に|が|側)?(?:よる|より|よって|の操作で)?(?:(?:学習|訓練|処理)[をがは]?)?(?:中断|停止|終了|キャンセル)|キーボード割り込み|手動で(?:停止|中断)|사용자(?:에 의해|가|의 요청으로|에 의한)? ?(?:(?:학습|훈련)[을이]? ?|\d{1,9}(?: ?/ ?\d{1,9})? ?(?:스텝|에포크|단계)에서 ?)?(?:중단|중지|취소|종료|멈춤|멈췄)(?!하?려)|키보드 (?:인터럽트|입력으로 중단)"
        r"|(?:أوقف|ألغ|قاطع)\S* المستخدم|(?:إيقاف|مقاطعة|توقف)\S* (?:من قبل |بواسطة )?المستخدم|توسط کاربر (?:متوقف|قطع|لغو)|(?:bị |đã )?(?:người dùng (?:đã )?(?:dừng|hủy|huỷ|ngắt)|(?:dừng|hủy|huỷ|ngắt)\b.{0,20} bởi người dùng)",
        "用户中断训练，正在保存模型",
        "用户: li, 训练将在 20 轮后停止",
        unless=_NO_END,
    ),
)
