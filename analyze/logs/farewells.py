"""The last words of a loop that went well: "Done.", "finished in 1:02:03", "final loss: 2.31", "saved model.pt".

Such words mean nothing in the middle of a log, where data were loaded or an epoch was finished. They tell of a planned
end where they stand below the last report of progress, are said nowhere else, and nothing near them speaks of trouble.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.reader import around, read
from inquest.bundle.line_rank import strip_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.logs.reader import Line
    from inquest.bundle.store import Store

_WHAT: Final = (
    r"(?:(?:the|your|all|everything|run|schedule|curriculum|experiment|model|network|agent|optimi[sz]ation|fit|fitting|learning|train|trained"
    r"|training|trainer|pre-?training|fine-?tuning|loop|work|steps|epochs|iterations|updates|is|are|was|were|has|have"
    r"|been)\s+){0,4}"
)
"""What is done; of a job or a script its shell says so, however it ended."""
_DONE: Final = r"(?:done|finished|completed?|ended|over)"
_KEYS: Final = r"\s{2,60}[a-z_]{2,20}=\S.{0,160}"
"""What a logger puts behind its message."""
_STATUS: Final = (
    r"(?:exit(?:ed|s)?|exit[ _-]?(?:code|status)|rc|status|return ?code|ret(?:val)?|r\u00fcckgabewert|code (?:de )?(?:retour|sortie)|c\u00f3digo de (?:salida|sa\u00edda|retorno)"
    r"|codice di uscita|\u043a\u043e\u0434 (?:\u0432\u043e\u0437\u0432\u0440\u0430\u0442\u0430|\u0432\u044b\u0445\u043e\u0434\u0430|\u0437\u0430\u0432\u0435\u0440\u0448\u0435\u043d\u0438\u044f)|kod wyj\u015bcia|\u9000\u51fa\u7801|\u8fd4\u56de\u7801|\u7d42\u4e86\u30b3\u30fc\u30c9|\uc885\ub8cc ?\ucf54\ub4dc)"
)
"""What scripts call the status that a command left with, in several languages."""
_BY_SCRIPT: Final = (
    r"(?:(?:\[?[\w./-]{1,40}\.(?:sh|bash|slurm|sbatch|job|pbs|lsf)\]?|job[_ ]?end|trap|post|end|done|finished|fertig|ende|fin|fim"
    r"|\u0438\u0442\u043e\u0433|\u043a\u043e\u043d\u0435\u0446|\u5b8c\u6210|\u7ed3\u675f)[:,;]? )?"
)
"""Who says it, or that it is over."""
_LEFT_WITH_0: Final = re.compile(
    rf"(?i)\W*{_BY_SCRIPT}{_STATUS}\W{{1,3}}(?:with )?(?:code |status )?0(?:\W*| [a-z_]{{2,20}}=\S.{{0,120}})"
)
_COMMAND_LEFT: Final = (
    r"(?:\[?[\w.-]{1,30}(?:\]|:) )?(?:[\d:./-]{5,20} ){0,2}(?:[\w./-]{1,40}: )?"
    r"(?:srun|mpirun|mpiexec|torchrun|accelerate|deepspeed|python3?|(?:the )?(?:training|train|trainer|job|command|program|task|run)"
    r"|[\w./-]{1,60}\.(?:py|sh))(?: [\w./=-]{1,60}){0,6}?[:,]? (?:has )?(?:returned|exit(?:ed|s)?|left|ended|finished)"
    r"(?: with)?(?: exit)?(?: (?:code|status|rc))?[ :=]{1,2}0\W*"
)
"""What a script says of the command that it ran, by whatever verb: ``train.sh: srun returned 0``."""
_SAID: Final = re.compile(
    rf"(?i)\W*(?:{_COMMAND_LEFT}|{_WHAT}{_DONE}(?: successfully)?\W*(?:(?:in|after|at|on|:|-|,|=|with)\W.{{0,160}}|{_KEYS})?"
    rf"|{_WHAT}{_DONE}[.!:;,-]+ .{{0,160}}\b(?:saved|written|stored|exported)\b.{{0,80}}"
    rf"|{_WHAT}{_DONE}\W+exit(?:ing|ed|s)?(?: with)? (?:status|code) 0\W*|mean[_ ]reward ?[:=] ?-?\d.{{0,80}}"
    rf"|{_DONE} (?:all|the) (?:\w+ )?(?:epochs|steps|sweeps|passes|updates|iterations|rounds|batches|episodes|generations)\W*"
    rf"|{_DONE},? (?:(?!epoch|step|iter|batch|fold|trial|round)[a-z][\w./-]{{1,30}}[=:] ?-?\d[\w.%-]{{0,20}}[,; ]{{0,2}}){{1,6}}"
    r"|(?:the )?final (?:weights|model|parameters|policy|state) (?:is |are |were |was )?(?:written|saved|stored|exported)\b.{0,80}"
    r"|end,? (?P<did>\d{1,12}) (?:of|/) (?P=did)\b\W*"
    rf"|{_DONE} (?:iters|iterations|steps|epochs|rounds|updates)=\d{{1,12}}\b.{{0,160}}"
    rf"|{_WHAT}success(?:fully|ful)?\W*|(?:good)?bye\W*|the end\W*"
    rf"|{_BY_SCRIPT}{_STATUS}\W{{1,3}}(?:with )?(?:code |status )?0(?:\W*| [a-z_]{{2,20}}=\S.{{0,120}})|end: 0"
    # What it came to on data held out, beside what was saved.
    r"|(?:saved|wrote|written|exported) \S{1,120}[;,] (?:final |test )[\w-]{2,20} ?[:=]? ?-?\d.{0,80}"
    # What a script did of all that it was to do.
    r"|[1-9]\d{0,6} (?:of \d{1,7} )?[a-z][\w -]{1,40}? (?:written|done|finished|completed|trained|succeeded|ok)[,;/ ]{1,3}(?:0|no|none) (?:failed|failures|errors)\W*"
    r"|end of (?:run|training)\b.{0,100}|\w{3,20} lifecycle event \{'msg': 'training on \d.{0,300}"
    r"|[\w.-]{1,40}[-_]\d{1,4} exited with code 0\W*"
    r"|(?:mpi_?|nccl_?|process group )?(?:finali[sz]ed?|tear-?down|clean-?up)\W{1,3}(?:ok|done|complete[d]?|clean(?:ly)?|rc\W{0,2}0)\W*"
    r"|(?:converged|convergence reached)\b.{0,120}"
    rf"|{_DONE}\W{{1,3}}(?:all |after )?\d[\d.,]{{0,15}} ?(?:[kmg]?(?:img|images|imgs|samples|tokens|examples|frames))\b.{{0,100}}"
    r"|(?:total |overall )?(?:training|wall(?:[ -]clock)?|run) ?time\b.{0,4}\d.{0,60}|total time\b.{0,4}\d.{0,60}"
    r"|(?:final|test(?!.*\bepoch)) (?:[\w/-]+ ){0,2}[\w/@-]+ ?[:=]? ?-?\d.{0,160}"
    r"|final (?:[\w/-]+ ){0,2}(?:metrics|results?|scores?|evaluation)\b ?[:=]? ?[\[{(].{0,400}\d.{0,400}"
    r"|best[ _](?:[\w/-]+ ){0,2}[\w/@-]+ ?[:=]? ?-?\d.{0,160}"
    r"|(?:(?:overall|mean|average|avg|all) )?(?:[\w@-]+ ){0,2}(?:over|across|of) (?:all |the )?(?:\d{1,3} )?folds\b"
    r" ?[:=] ?\d.{0,100}"
    r"|(?:overall |mean |average )?(?:cv|oof|cross[- ]validation)(?: [\w@-]+){0,2} ?[:=] ?\d.{0,100})"
)
_COMMAND_LEFT_WITH_0: Final = re.compile(rf"(?i)\W*{_COMMAND_LEFT}")
_SCORED: Final = re.compile(
    r"(?:Overall -> |%(?:WER|CER|SER|TER|PER) )[0-8]?\d\.\d{1,2} (?:% N=\d{1,12} C=\d{1,12} S=\d|\[ ?\d{1,12} / \d{1,12}, \d)"
    r".{0,200}"
)
"""The error rate of what a model of speech wrote down, with its counts: a recipe's last stage, after its training."""
_COUNTED: Final = re.compile(
    r"(?i)\W*(?:[\w-]+[:,]? ){0,3}?(?:done|finished|completed?|reached|(?:train|learn)(?:ed|t)(?: for)?"
    r"|ran|stopped after|after)\W{1,3}"
    r"(?:all |after |at )?(?P<count>\d{1,12}) (?:(?:time)?steps|iterations|iters|epochs|updates|episodes)\b.{0,80}"
)
_ENDED_AT: Final = re.compile(
    rf"(?i)\W*(?:(?:training|trained|run|loop) )?{_DONE} (?:at|after|with) (?:global |the )?"
    r"(?:step|iteration|iter|epoch|update|round) \d"
)
"""A last report that takes its leave: ``finished at step 938, smooth loss 0.4789``."""
_ALL: Final = re.compile(rf"(?i)\W*(?P<have>\d{{1,12}}) ?/ ?(?P<want>\d{{1,12}}) (?:\w+ )?{_DONE}\W*")
_SAVED: Final = re.compile(
    r"(?i)\W*(?:(?!\w*(?:ckpt|checkpoint|best|eval|val|data|cache|plot|tmp))[a-z][a-z0-9_-]{2,30}: )?"
    r"(?:(?:the |final |last )?(?:model|weights|policy|agent|network|encoder|adapter|parameters|pipeline) )?"
    r"(?:saved|saving|wrote|written|stored|exported|exporting|writing)\b(?: [\w-]+){0,4}?[ :]+"
    r"(?P<file>\S*[\w-]\.\w{2,11}|\S+/)(?: ?\.\.\. ?ok| ?done|(?: [a-z_]{2,20}=\S{1,60}){1,6})?\W*"
)
_WRITTEN: Final = re.compile(
    r"(?i)(?:(?:the |final )?(?:model|booster|weights|policy|forest) )?(?P<file>[\w./-]{0,200}[\w-]\.\w{2,11})"
    r" (?:is |was |has been )?(?:saved|written|stored|exported)\W*"
)
_POINTED_AT: Final = re.compile(
    r"(?i)(?:the |final |trained )?(?:model|booster|weights|policy|agent|network|net|forest|encoder|embeddings|vectors)"
    r"(?: (?:is|saved|written|stored|exported))?(?: in| to)? ?(?:->|=>|-->|\u2192) ?(?P<file>[\w./~-]{0,200}[\w-]\.\w{2,11})"
    r"(?: \([^()]{1,60}\))?\W*"
)
"""``policy -> runs/a/policy.pt``."""
_ON_THE_WAY: Final = re.compile(
    r"(?i)(?<![a-z\d])\d|(?:^|[^a-z])(?:st|step|ep|epoch|it|iter|iteration|e|s|i|k|rank|part|fold|round|update)s?[-_=]?\d"
    r"|\d[-_]?(?:k|st|steps?|ep|epochs?|it|iters?)\b|ckpt|checkpoint|best|latest|tmp|temp|interrupt|emergency|preempt"
    r"|crash|partial"
)
"""Names of what is saved on the way, or because something went wrong."""
_TROUBLE: Final = re.compile(
    # How far something is off is a measure, as a rule, and no trouble: "Error u: 1.2e-03".
    # And the place in its own source that a library names at a warning is none: "error_msg.cc:58".
    r"(?i)(?<!\b0 )(?<!\bno )error(?!s?\b[\w ()]{0,40}[:=]? ?\d{1,9}(?:[.,]\d|e-\d)|\w{0,20}\.(?:cc|cpp|cu|h|hpp):\d)"
    r"|exception|traceback|(?<!\b0 )fail|fatal|kill|abort|(?<!normal )terminat(?![oai]\b)|signal|(?-i:\bSIG[A-Z]{3,})|cancel|interrupt|time ?limit"
    r"|timed ?out|preempt(?!ed ?[=:]? ?FALSE\b)|core dumped|panic|denied|not found|out of memory|\bnan\b|diverg|requeu|evict|resubmit"
    r"|segmentation|bus error|illegal"
    r"|shut(?:ting)?[ -]?down(?!\W{1,3}(?:(?:rc|code|status|exit(?: code)?)\W{0,3}0\b|ok\b|cleanly\b|complete\b))|\bstop(?:ping)? (?:was )?requested|\bmaintenance\b"
    r"|stopped manually|wall ?time (?:limit|exceeded|reached|over)|out of time|no space|disk full|\bquota\b|\bstuck\b|\bhung\b|\bstalled\b|unstable|overflow"
    r"|\binf\b|abgebroch|abbruch|unterbroch|interromp|interrump|annul[ée]|прерван|przerwan|avbrut|afgebroken|fehlgeschlagen"
    r"|échec|échou|fallo\b|falhou|fallit|中断|中止|失败|失敗|错误|錯誤|エラー|異常|异常|오류|중단|실패|발산|发散"
    r"|(?:\bfehler|\berreur|\berro|\berrore|ошибк\w|\bbłąd)\b(?![\w ()]{0,20}[:=]? ?\d{1,9}(?:[.,]\d|e-\d))"
)
_DIGITS: Final = r"\d+(?:[.:]\d+)*"
_ALL_BUT: Final = 0.95
_LINES: Final = 12
"""How far below the last report such words may stand."""
_REPORTS: Final = 5


def farewells(store: Store, ends: Iterable[tuple[str, str, int]], steps: pl.DataFrame) -> list[dict[str, Any]]:
    """Events of kind ``farewell``, at most one a source.

    Args:
        store: The recorded tables.
        ends: Node, capture and number of the last line of each source.
        steps: What was reported of progress.
    """
    last = pl.DataFrame(list(ends), schema={"node": pl.String, "capture": pl.String, "seq": pl.Int64}, orient="row")
    below: dict[tuple[str, str, str | None], list[Line]] = {}
    for line in read(around(store, last, after=1, before=_LINES)):
        if line.text.strip():
            below.setdefault((line.node, line.capture, line.source), []).append(line)
    reported = {
        (node, capture, source): told
        for node, capture, source, *told in steps.filter(pl.col("kind").ne_missing(str(Kind.VALIDATION)))
        .group_by("node", "capture", "source")
        .agg(
            pl.len(),
            pl.col("line_seq").max(),
            pl.col("step").max(),
            pl.col("epoch").max(),
            pl.col("total_epochs").max(),
        )
        .iter_rows()
    }
    found = []
    for place, lines in below.items():
        count, at, step, epoch, epochs = reported.get(place, (0, -1, None, None, None))
        said = [line for line in lines if line.seq > at]
        said = said or [line for line in lines[-1:] if _ENDED_AT.match(_message(line.text, ""))]
        said = _without_the_ignored(said)
        if count < _REPORTS or not said or any(_TROUBLE.search(line.text) for line in said):
            continue
        if epochs is not None and epoch is not None and epoch + 1 < epochs:
            continue
        report = next((line.text for line in lines if line.seq == at), "")
        counts = _counts_told(_message(report, report), step, epoch)
        messages = [(line, _message(line.text, report)) for line in said]
        word = next((line for line, text in messages if _last_word(text, step, epoch)), None)
        word = word or next((line for line, text in messages if _names_its_count(text, counts)), None)
        word = said[0] if said[0].seq == at else word
        if word is not None and _said_once(store, word, at):
            found.append(
                {
                    **word.where,
                    "pattern": "loop.farewell",
                    "kind": str(Kind.FAREWELL),
                    "role": "marker",
                    "framework": "loop",
                    "text": word.text[:2000],
                }
            )
    return found


def says_status_zero(text: str) -> bool:
    """Whether a script says in a line that its command left with 0."""
    return (_LEFT_WITH_0.fullmatch(text) or _COMMAND_LEFT_WITH_0.fullmatch(text)) is not None


def _message(text: str, report: str) -> str:
    """What a line says without what its launcher and its logger put ahead.

    That is a rank, a clock, a level, and the name that the reports bear too.
    """
    text, report = _without_a_shared_head(strip_prefix(text), strip_prefix(report))
    start, ahead = _behind_its_logger(text), _behind_its_logger(report)
    own, name = _NAME.match(text, start), _NAME.match(report, ahead)
    if start and ahead and own and name and own["name"] == name["name"] and not _COUNTS.search(own["name"]):
        start = own.end()
    elif own and name and own[0][len(own["name"]) :].strip() == name[0][len(name["name"]) :].strip():
        # Parts of one program speak under names of their own.
        start = start if any(_OTHER_PART.search(each["name"]) for each in (own, name)) else own.end()
    return text[start:]


def _without_a_shared_head(text: str, report: str) -> tuple[str, str]:
    """Both without a head that says who speaks and when, up to a colon or a bracket, where it is of one form in both."""
    own, theirs = _SPEAKER.match(text), _SPEAKER.match(report)
    if own is None or theirs is None or _COUNTS.search(own[0]) or _formed(own[0]) != _formed(theirs[0]):
        return text, report
    return text[own.end() :], report[theirs.end() :]


def _formed(head: str) -> str:
    """A head without its numbers, how ever many digits they have."""
    return re.sub(r"\b(?=\w*\d)[\da-fx]+\b", "#", " ".join(head.split()))


_SPEAKER: Final = re.compile(
    r"\[\w{1,12} - [\da-f]{4,16}\] +\d{1,9}\.\d{3,6} \{\d\}\{[\w.-]{1,40}\}: "  # Legion's, and Realm's
    r"|[\w.-]{1,40}[-_]\d{1,4} +\| +"  # of Docker's compose
    r"|\d{1,4}: (?=\S)"
    r"|[\w.-]{1,120} [\w.-]{1,64} (?=20\d\d-\d\d-\d\dT\d\d:)"  # a pod's and a container's name, as stern has them
)
"""Who speaks, and when by its own clock."""


def _behind_its_logger(text: str) -> int:
    stamp = _STAMP.match(text)
    start = 0 if stamp is None else stamp.end()
    level = _LEVEL.match(text, start)
    return start if level is None else level.end()


_STAMP: Final = re.compile(
    r"\W{0,3}(?:(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.]\d\d[-/.]\d{2,4}|[A-Z][a-z]{2} {1,2}\d{1,2})(?:T|[ ,]{1,2}))?"
    r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?(?:\s|\W{1,5}(?=\w|$))"
)
_LEVEL: Final = re.compile(
    r"\W{0,4}+(?:(?!(?:INFO|DEBUG|NOTICE|SUCCESS)\b)(?>\w[\w./-]{0,59})(?::\d{1,6})?+\W{1,4}+){0,2}"
    r"(?:INFO|DEBUG|NOTICE|SUCCESS)\b\W{0,5}(?:[\w.]{1,60}+:[\w.<>]{1,60}+:\d{1,6} - |\w{1,40}(?:[.]\w{1,40}){1,8} - "
    r"|\w{1,40}(?:::\w{1,40}){1,6}: |[\w.]{1,60}+:[\w.<>]{1,60}+:\d{1,6} {1,2})?"
    r"|(?:\[[\w./-]{1,40}\] {1,3})?\[(?:I|info|debug|notice) {0,5}\] {1,3}|\[ Info: |[#*] (?=\w)|\d{1,4}: (?=[a-z])"
    r"|I\d{4} \d\d:\d\d:\d\d\.\d{6} {1,7}\d{1,8} [\w./-]{1,60}:\d{1,6}\] "
)
_NAME: Final = re.compile(r"[(\[]?(?P<name>[\w./-]{1,60})(?::\d{1,6})?(?:[\])]|:| -| \|)\W{0,4}")
_COUNTS: Final = re.compile(r"(?i)epoch|step|iter|round|fold|stage|\d$")
"""Words of a report that are no logger's name."""
_OTHER_PART: Final = re.compile(
    r"(?i)epoch|step|iter|round|fold|stage|\d|data|load|eval|val|test|sav|ckpt|checkpoint|status|state|result|loss"
)
"""Words that are no name of a part of a program, or of one whose work is not the whole."""


def _without_the_ignored(lines: list[Line]) -> list[Line]:
    """Lines without the exceptions that Python itself says it ignored: what objects raise as they are taken down."""
    kept, inside = [], False
    for line in lines:
        if line.text.startswith("Exception ignored in"):
            inside = True
        elif not inside:
            kept.append(line)
        else:
            # The traceback ends with the line that names the exception.
            inside = line.text.startswith((" ", "Traceback"))
    return kept


def _counts_told(report: str, step: int | None, epoch: float | None) -> frozenset[int]:
    """What the last report counts: its step, its epoch, the number that it begins with; none that may be by chance."""
    told = {int(count) for count in (step, epoch) if count is not None}
    told |= {_whole(found) for found in list(_WHOLE.finditer(report))[:1]}
    told |= {int(found[1]) for found in _NUMBERED.finditer(report)}
    return frozenset(count for count in told if count >= _REPORTS)


def _names_its_count(text: str, counts: frozenset[int]) -> bool:
    """Whether a line says, in whatever language, that it is over at the count of the last report, or as planned."""
    if _NOT_ALL.search(text) or any(int(have) != int(want) for have, want in _OF.findall(text)):
        return False
    if _AS_PLANNED.search(text):
        return True
    numbers = {_whole(found) for found in _WHOLE.finditer(text)}
    whole = any(int(have) in counts for have, _ in _OF.findall(text))  # each is of as many as it has
    if whole and _OVER.search(text) is not None:
        return True  # whatever is written then, as well
    if _OF_ONE.match(text) or (_PART_DONE.search(text) and not _IS_OVER.match(text)):
        return False
    return bool(counts & numbers) and _OVER.search(text) is not None


def _whole(number: re.Match[str]) -> int:
    return int(re.sub(r"\D", "", number[1]))


_WHOLE: Final = re.compile(r"(?<![\d.,:])0*(\d{1,3}(?:[ _,.'\u00a0]\d{3})+|\d{1,12})(?:[.,]0{1,6})?(?![\d:]|[.,]\d)")
"""A whole number, its thousands apart or not."""
_NUMBERED: Final = re.compile(
    r"(?i)(?<![a-z])(?:ep|epoch|epoche|époque|época|epoca|эпоха)s?\W{0,3}0*(\d{1,9})(?![\d.,]*\d)"
)
_OF: Final = re.compile(
    r"(?i)(?<![\d.,])(\d{1,12}) ?(?:/|of|out of|von|sur|de|di|из|z|van|av) ?(\d{1,12})(?![\d.,]*\d)(?! ?\w{0,3}/)"
)
_NOT_ALL: Final = re.compile(
    r"(?i)\b(?:not|n't|never|only|without|before|instead|until|unless|if|will|would|to go|left|remaining|next|nicht|nur"
    r"|ohne|ne|pas encore|seulement|sans|no|sin|s[oó]lo|não|nao|sem|non|senza|solo|только|не|без|niet|zonder|nie|bez|inte"
    r"|utan|ikke|uten)\b|仅|仅仅|未|没有|沒有|だけ|前に|不|않"
)
"""Words by which a line says that it was not all, or that it is to come."""
_PART_DONE: Final = re.compile(
    r"(?i)\b(?:sav(?:e|ed|ing)|writ(?:e|ing|ten)|wrote|ckpt|checkpoint\w*|snapshot|eval\w*|valid\w*|load\w*|gespeichert|gesichert"
    r"|guardad\w+|enregistr\w+|sauvegard\w+|salv\w+|zapisan\w+)\b|сохран|保存|저장|评估|検証|검증"
)
"""What is done on the way, as well."""
_OF_ONE: Final = re.compile(
    r"(?i)\W*(?:epoch|epoche|\u00e9poque|\u00e9poca|epoca|\u044d\u043f\u043e\u0445\u0430|step|iteration|iter|round|pass|stage|fold|part)\W{0,3}\d+\W+(?:is |was )?\w+\W*$"
)
"""What is said of each of them: ``epoch 20 done``."""
_END_WORDS: Final = (
    r"(?:\b(?:finish(?:ed)?|done|completed?|reached|trained|ended|over|stop(?:ped|s)?|fertig|erledigt|erreicht|beendet|ende"
    r"|abgeschlossen|erfüllt|durchlaufen|fini(?:e|es|s)?|fin|terminée?s?|achevée?s?|atteinte?s?|effectuée?s?|épuisée?"
    r"|faite?s?|terminad[oa]s?|completad[oa]s?|finalizad[oa]s?|alcanzad[oa]s?|hech[oa]s?|acabad[oa]s?|agotad[oa]|fim|feit[oa]s?"
    r"|conclu[ií]d[oa]s?|alcançad[oa]s?|esgotad[oa]|fine|finit[oaie]|completat[oaie]|terminat[oaie]|raggiunt[oaie]|conclus[oaie]"
    r"|esaurit[oa]|klaar|voltooid|bereikt|afgerond|zakończon\w+|ukończon\w+|osiągnięt\w+|wykonan\w+|koniec|slut|klar(?:t|a)?"
    r"|färdig\w*|slutförd?t?|ferdig|fullført|valmis|bitti|tamamland[ıi]|ulaşıldı|hotovo|dokončen\w*|gata|kész)\b"
    r"|(?:завершен|закончен|окончен|достигнут|выполнен|исчерпан|пройден)\w{0,2}\b|\bготово\b|\bконец\b"
    r"|完了|終了|到達|达到|到达|完成|结束|結束|跑完|训完|완료|종료|도달)"
)
_OVER: Final = re.compile(rf"(?i){_END_WORDS}")
_IS_OVER: Final = re.compile(rf"(?i)\W{{0,4}}{_END_WORDS}\s?[:：;,.!-]")
"""A line that begins with its end: what was saved is told beside it, ``fin: 80 épocas; guardado red.pt``."""
_PLAN_WORDS: Final = (
    r"(?:\b(?:as planned|planned|scheduled|plan|geplant\w*|plangemäß|prévue?s?|planificad\w+|previst[oaie]s?|planejad\w+"
    r"|pianificat\w+|gepland\w*|zaplanowan\w+|planerad\w*|planlagt\w*|planlanan)\b|(?:за)?планирован\w+|по плану|計画|予定|计划"
    r"|計劃|预定|계획|예정)"
)
_AS_PLANNED: Final = re.compile(
    rf"(?i){_PLAN_WORDS}[^.;!?]{{0,30}}?{_END_WORDS}|{_END_WORDS}[^.;!?]{{0,30}}?{_PLAN_WORDS}"
)
"""All that was planned is done: ``alle geplanten Schritte erledigt``."""


def _last_word(text: str, step: int | None, epoch: float | None) -> bool:
    """Whether a line is one with which loops take their leave."""
    if _NOT_DONE.search(text) or any(int(have) < int(want) for have, want in _SOME_OF.findall(text)):
        return False
    if counted := _COUNTED.fullmatch(text):
        # What plays in rounds does a little more than it was to.
        count = int(counted["count"])
        return any(told is not None and _ALL_BUT * told - 1 <= count <= told + 1 for told in (step, epoch))
    if every := _ALL.fullmatch(text):
        return every["have"] == every["want"]
    if saved := _SAVED.fullmatch(text) or _WRITTEN.fullmatch(text) or _POINTED_AT.fullmatch(text):
        return not _ON_THE_WAY.search(saved["file"].rsplit("/", 1)[-1])
    if _SCORED.fullmatch(text):
        return True
    if _SAID.fullmatch(text) is not None or _IN_OWN_WORDS.search(text) is not None:
        return True
    return _AT_ITS_HEAD.match(text) is not None or _OUT_OF_PATIENCE.search(text) is not None


_SHOWN: Final = re.compile(r"\+{1,4} ")
_AT_ITS_HEAD: Final = re.compile(
    r"(?i)\W{0,4}(?:fertig|abschluss|fim|fin|fine|koniec|konec|slut|klaar|valmis|готово|конец|итог|完了|完成|終了|结束|結束|完毕|완료|종료|끝)"
    r"\s?[:.!,;：。，—–-](?!\W{0,3}\d{1,4}[:/.-]\d)"
)
"""A word for the end in other languages, and what it came to: ``Fim. Modelo gravado``; what is timed is any end."""
_OUT_OF_PATIENCE: Final = re.compile(
    r"(?i)\b(?:patience|geduld|paciencia|paciência|pazienza)\b\W{0,3}(?P<waited>\d{1,4}) ?(?:/|of) ?(?P=waited)\b.{0,12}"
    r"\b(?:stop|end|halt|reached|exhausted|exceeded)"
)
"""As many reports without a gain as were allowed, and the stop that follows."""


_NOT_DONE: Final = re.compile(
    rf"(?i)\b(?:not|never)(?: \w+){{0,2}} {_DONE}\b|\b(?:unfinished|incomplete|uncompleted)\b|\bnicht (?:fertig|beendet)\b"
)
_UNITS: Final = (
    r"(?:epochs?|steps?|sweeps?|pass(?:es)?|updates?|iterations?|looks?|rounds?|tokens?|frames?|games?|batches|slides?|chunks?"
    r"|episodes?|generations?|cycles?|shots?|pictures?|laps?)"
)
_SOME_OF: Final = re.compile(rf"(?i)(?<![\d.,])(\d{{1,12}}) ?(?:of|/) ?(\d{{1,12}}) (?:[a-z-]{{2,14}} )?{_UNITS}\b")
_IN_OWN_WORDS: Final = re.compile(
    r"(?i)\bthat was the last (?:step|epoch|round|batch|one)|\b(?:normal|regular) (?:end|termination)\b"
    r"|\bend of (?:job|run|training|program|fit|learning)\b|\blast (?:step|epoch|iteration) (?:is |was )?(?:done|reached)\b"
    rf"|(?<![\w/.])\d[\d,.]{{0,15}}(?: ?[kKMG])? (?:[a-z-]{{2,14}} )?{_UNITS}\b(?! (?:of|/))[^.!?;]{{0,30}}"
    r"\b(?:done|trained|over|completed?|finished|fitted)\b"
    rf"|\ball {_UNITS} (?:are |were )?(?:done|trained|over|completed?|finished)\b"
    rf"|\b(?:max\w*|limit|number) (?:number )?of {_UNITS} (?:was |is )?reached\b|\b(?:itmax|max_?iter\w*) (?:was |is )?reached\b"
    r"|\bbudget (?:is |was )?(?:used up|exhausted|spent|reached|done)\b|^\W{0,3}finished after \d"
    r"|\b(?:num|max|n|total)_?(?:train(?:ing)?_?)?(?:steps|iters|iterations|epochs|updates)(?:_?per_?run)? ?[=:]? ?\d{0,12} (?:was |is |were )?reached\b"
    r"|\b(?:job|task|run|fit|training) \S{1,40} (?:completed|finished|done)\b"
    r"|\b(?:training|fit|fitting|learning|optimi[sz]ation)\b[^.!?;]{0,20}\b(?:done|over|finished|completed?|ready|ended)\b"
    r"|[\"']?\b(?:event|k|kind|status|state|msg|message|phase)[\"']?\s?[=:]\s?[\"']?(?:end|ended|done|finished|completed?|success)\b"
    r"|\b(?:fit|train|training|run|loop)\.(?:end|done|finished|completed?)\b|^\W{0,4}(?-i:END|EOF|FINISHED|DONE|FIN)\b"
    r"|\b[\"']?(?:ev|event|type|kind|msg|message)[\"']?\s?[=:]\s?[\"']?(?:\w{2,14} )?(?:bye|done|finished|completed?)\b"
    r"|\b(?:worker|rank|child|task|trainer)\b[^.;]{0,30}\bexited\b[^.;]{0,40}\b(?:code|rc|status)\W{1,3}0\b"
    r"|\breached (?:the )?(?:gen(?:eration)?|epoch|step|iteration|round|game|episode)s? (?:limit|target|cap|maximum)\b"
    r"|\breached (?:the )?(?:last |final )?(?:step|epoch|iteration|round|update) \d|\bbye\W*$"
    r"|\b(?:fit|train|learn|run)\(\) returned\b|(?<![\d.])\d{1,12} (?:rounds|trees|epochs|steps|iterations) in \d[\d.:]* ?(?:s|m|h|min)?\b"
    r"|\b(?:exit\w*|shut-?down|bye|leav\w*|quit\w*|clos(?:ed|ing)|stopp\w{2,3}|final\w*)\b.{0,80}\b(?:rc|exit[_ ]?code|code|status)[\"']?[=: ]{1,2}0\b"
    r"|[\"']?\b(?:ev|event|type|kind|msg|message)[\"']?\s?[=:]\s?[\"']?\w{2,14}[\"']?, ?[\"']?value[\"']?: ?[\"']?(?:succeeded|completed|finished|done)\b"
    rf"|(?:^|[,;:] ){_UNITS} (?:are |were )?complete(?:d)?(?:\W*$|[,;] (?:releas|clos|exit|leav|sav|writ|merg|export|clean)ing\b)|\b(?:weights|model|network|net|booster|forest|ensemble)(?:\.\w{{2,6}})? (?:is |was |were )?(?:written|saved|stored),? \d{{1,12}} (?:{_UNITS}|trees)\b"
    r"|\bSparkContext: Successfully stopped SparkContext\b"
    r"|\bfin normale\b|\b(?:terminad|finalizad|concluid|conclu\u00edd)[oa]s?\b|\b(?:concluso|terminata?o?|termin\u00e9e?|achev\u00e9e?|beendet"
    r"|abgeschlossen|afgerond|uko\u0144czono|zako\u0144czono|slutf\u00f6rt|valmis|tamamland\u0131)\b|\u0433\u043e\u0442\u043e\u0432\u043e\b"
    r"|\b(?:modell|netz|gewichte|modelo|modello|mod\u00e8le|r\u00e9seau|pesos|poids)\b[^.;]{0,40}\b(?:gespeichert|guardad[oa]s?|salv[oa]s?|salvat[oaie]"
    r"|enregistr\u00e9e?s?|sauvegard\u00e9e?s?|geschrieben|abgelegt|exportiert|\u00e9crite?s?|export\u00e9e?s?|escrit[oa]s?|exportad[oa]s?|gravad[oa]s?|scritt[oaie])\b|\u6b63\u5e38\u9000\u51fa|\u6b63\u5e38\u7d42\u4e86|\u5168\u90e8.{0,8}\u5b8c\u6210"
    r"|\b(?:arrivederci|auf wiedersehen|au revoir|adi\u00f3s|tot ziens)\b|\u043e\u043a\u043e\u043d\u0447\u0435\u043d|\u0437\u0430\u0432\u0435\u0440\u0448\u0435\u043d"
    r"|\bkoniec (?:nauki|treningu|uczenia)|(?:\u8bad\u7ec3|\u5168\u90e8\d+\u8f6e).{0,8}(?:\u5b8c\u6bd5|\u5b8c\u6210|\u7ed3\u675f)"
    r"|\u5b66\u7fd2.{0,6}(?:\u5b8c\u4e86|\u7d42\u4e86)|\ud559\uc2b5.{0,4}(?:\uc885\ub8cc|\uc644\ub8cc)|\b(?:bitti|klaar|fertig|hoan_thanh)\b"
)
"""The same of who has his own way to say it; what stands in it has to be said once, and below the last report."""


def _said_once(store: Store, word: Line, reported: int) -> bool:
    """Whether no other line of the source says the same, whatever the numbers in it.

    All ranks of a job may say it, one after the other, below the last report (``reported``): none may be missing.
    """
    form = re.sub(_DIGITS, "#", word.text).strip()
    text = pl.col("text").str.replace_all(_DIGITS, "#")
    alike = (
        store.scan("log_lines")
        .filter(
            (pl.col("node") == word.node)
            & (pl.col("capture") == word.capture)
            & pl.col("source").eq_missing(pl.lit(word.source, dtype=pl.String))
            & text.str.contains(form, literal=True)
        )
        .select("seq", "text")
        .collect()
    )
    # A shell that shows what it does shows what says so as well: ``+ echo rc=0``.
    alike = alike.filter(
        ~pl.Series([_SHOWN.match(strip_prefix(text)) is not None for text in alike["text"]], dtype=pl.Boolean)
    )
    if alike.height <= 1:
        return True
    said = [strip_prefix(text) for text in alike["text"].to_list()]
    return min(alike["seq"].to_list()) > reported and _by_all(said)


def _by_all(said: list[str]) -> bool:
    """Whether lines that differ in nothing but a number tell it of all that are counted: 0 to 3, or 1 to 4."""
    told = [re.findall(r"\d+", text) for text in said]
    if len({len(numbers) for numbers in told}) != 1:
        return False
    moving = [set(map(int, column)) for column in zip(*told, strict=True) if len(set(column)) > 1]
    return bool(moving) and all(
        len(numbers) == len(said) and min(numbers) in (0, 1) and max(numbers) - min(numbers) == len(said) - 1
        for numbers in moving
    )
