"""Which speaker is the slow one by what all of them tell, round after round, and how it is known that they wait.

Its own part takes the longest, or it waits the least for the others, in nearly all of the later rounds; and the rounds
take as long as it does. A time that is not said to be of its own work counts only where the rounds are seen to last.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import itertools
import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from inquest.analyze.families._tellers import LEAST_ROUNDS, alike, tellings, typical
from inquest.analyze.logs.named_numbers import TIMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._tellers import Joint, Quantity, Speaker, Tellings

# --- what a quantity is of --------------------------------------------------------------------------------------------
_RATE: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:\w*(?:/|[ _]per[ _])(?:(?:gpu|card|busy|compute|own)[ _/-]?)?s(?:ec(?:ond)?)?|tps|fps|ips|throughput|speed"
    r"|samplespersec|\u901f\u5ea6|\u541e\u5410|\uc18d\ub3c4|\ucc98\ub9ac\ub7c9|\u0441\u043a\u043e\u0440\u043e\u0441\u0442\u044c|vitesse|velocidade?|geschwindigkeit)(?![a-z])"
)
"""What is done in a second."""
_WAIT: Final = re.compile(
    r"(?i)wait|idle|(?:^|[^a-z])parked|block(?:ed|ing)|barrier|(?:^|[^a-z])sync|(?:^|[^a-z])comm(?:[^a-z]|unic|$)|all[-_ ]?reduce|(?:^|[^a-z])(?:a2a|all2all)|reduce[-_ ]?scatter"
    r"|gather|(?:^|[^a-z])(?:reduce|exch\w*)(?:[^a-z]|$)|[ée]change|austausch|intercambio|troca|обмен|交换|交換|nccl|rccl|gloo|(?:^|[^a-z])stall|warte|leerlauf|espera|ociosa|aguard|sincron|attente|attend|oisi|attesa|inattiv|ожид|прост(?:ой|аив)|синхр"
    r"|等待|空闲|同步|待ち|待機|同期|대기|유휴|동기|bekle|czeka|oczek|bezczynn|wacht|v[äa]nta|odotu|chờ"
)
"""Time in which a speaker stands and the others have not come yet."""
_OWN: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:comput\w*|calc\w*|busy|work(?:ing|ed)?|own|fwd\w*|bwd\w*|forward\w*|backward\w*|f\+b|kernels?|local train\w*|math|gpu[ _]?time)(?:[^a-z]|$)"
    r"|сч[её]т|вычисл|расч[её]т|计算|運算|計算|演算|연산|계산|arbeit\w*|rechn|berechn|rechen|(?:^|[^a-z])c[aá]lculo|calcul|trabalh|trabaj|travail|lavor|hesap|oblicz|reken|ber[äa]kn|laske"
)
"""Time of a speaker's own work."""
_NOT_OF_IT: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:save|saving|ckpt|checkpoint\w*|eval\w*|valid\w*|test|init\w*|start\w*|setup|warm\w*|compile|heartbeat|ago|since|lag|eta|left|remaining|total|cumul\w*"
    r"|loss|lr|mem\w*|util\w*|temp\w*|power|norm|acc\w*|score|ping|rtt|upload|download|write|writing|log(?:ging)?|load(?:ing|er)?|read(?:ing)?|fetch\w*|decod\w*|data|queue|age|uptime|id)(?:[^a-z]|$)"
)
"""What is of no part that all speakers do alike in every round."""
_TIME: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:time|took|takes|elapsed|duration|secs?|seconds?|minutes?|ms|us|latency|wall|step|round|epoch|dur[aé]e|dauer|dura[cçz]\w*|tempo|tiempo|temps)(?:[^a-z]|$)"
    r"|耗时|用时|时间|時間|소요|시간|врем|длит"
)
_BESIDE: Final = re.compile(
    r"(?i)\b(?:before|without|w/o|excl\w*|outside|minus|less|not counting)[ :](?:the |any )?[\w-]+"
)
"""What a time leaves out."""
_WORK: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:samples?|examples?|batch(?:es)?|tokens?|traj\w*|rows?|items?|images?|imgs?|steps?|records?|nodes|edges|amostras?|lotes?|muestras?|[ée]chantillons?|proben)(?:[^a-z]|$)"
    r"|样本|批|サンプル|샘플|배치|образц|пример|парти"
)
"""What is done in a round, where it is a whole number."""
_STAGES: Final = re.compile(
    r"(?i)\b(?:stage|layer|fold|expert|head|seed|trial|class|bucket|phase|prefetch|dataloader|env)s?\b"
)
"""Speakers of such names differ by design."""


class Kind(NamedTuple):
    """How a quantity tells the slow one: ``own`` (it has most), ``wait`` (least), ``rate`` (least), or a bare time."""

    of: str
    named: bool


def kinds_of(quantity: Quantity) -> tuple[Kind, ...]:
    """What a quantity may be of: of columns without a name only what is told once for all shows it."""
    bare = quantity.together and not re.search(r"[^\W\d_]{2}", _SPEAKERS.sub(" ", quantity.called))
    found = kind_of(quantity)
    return (found,) if found else (Kind("all the rate", named=False),) if bare else ()


_SPEAKERS: Final = re.compile(
    r"(?i)rank|gpu|cuda|worker|node|host|card|proc(?:ess)?|device|replica|[卡카드서버노드節点节]"
)


def kind_of(quantity: Quantity) -> Kind | None:
    """What a quantity is of by its name and unit; None: it tells nothing of who is slow."""
    name = f" {_BESIDE.sub(' ', quantity.called)} "
    if _STAGES.search(name):
        return None
    if "/s" in quantity.unit or "per s" in quantity.unit or _RATE.search(quantity.called):
        return Kind("rate", named=_OWN.search(name) is not None or name.strip() != quantity.called.strip())
    if _WAIT.search(name):
        return Kind("wait", named=True)
    if _OWN.search(name):
        return Kind("own", named=True)
    if _NOT_OF_IT.search(name):
        return None
    if quantity.unit in TIMES or quantity.unit == "us" or _TIME.search(name):
        return Kind("own", named=False)
    return None


# --- rounds -----------------------------------------------------------------------------------------------------------
class Round(NamedTuple):
    """What all speakers said in one round, and the first and last place of it."""

    said: dict[Speaker, float]
    first: int
    last: int


def rounds_of(quantity: Quantity) -> list[Round]:
    """The rounds in which all speak, the first one first; none where they do not take turns."""
    lengths = [len(each) for each in quantity.said.values()]
    if len(lengths) < 2 or not alike(lengths) or min(lengths) < LEAST_ROUNDS:
        return []
    found = []
    for at in range(min(lengths), 0, -1):
        told = {who: said[-at] for who, said in quantity.said.items()}
        places = [place for place, _ in told.values()]
        found.append(Round({who: value for who, (_, value) in told.items()}, min(places), max(places)))
    if quantity.together or quantity.source is None:
        return found
    turns = sum(one.last < third.first for one, third in zip(found, found[2:], strict=False))
    return found if turns >= _ALWAYS * (len(found) - 2) else []


def _unrolled(rounds: list[Round]) -> list[Round]:
    """What was added in every round, where all numbers are totals that only grow."""
    if not all(
        later.said[who] >= sooner.said[who] for sooner, later in itertools.pairwise(rounds) for who in sooner.said
    ):
        return rounds
    first, last = rounds[0].said, rounds[-1].said
    if any(
        last[who] < _RUNS_ON * max(first[who], 1e-9)
        for who in max(([who] for who in first), key=lambda one: last[one[0]])
    ):
        return rounds
    return [
        Round({who: later.said[who] - sooner.said[who] for who in later.said}, later.first, later.last)
        for sooner, later in itertools.pairwise(rounds)
    ]


_ALWAYS: Final = 0.9
_RUNS_ON: Final = 5.0
_WAITS: Final = 0.5
"""What the slow one waits, at most, as a share of what its peers wait."""
_AS_LONG: Final = (0.85, 1.35)
"""A round as a multiple of what its slowest took."""


# --- the slow one -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class SlowSpeaker:
    """Who is slow by what all tell.

    Attributes:
        who: They, the slowest first.
        what: What was told, in the words of the job.
        mine: What the slowest one told, the median.
        theirs: What a typical one of the others told, likewise.
        rounds: How many rounds say so.
        kind: As of ``Kind``.
        row: The last line, or the last value, that tells it.
        seen: Whether it is told as well that the others wait.
    """

    who: tuple[Speaker, ...]
    what: str
    unit: str
    mine: float
    theirs: float
    rounds: int
    kind: str
    row: Row
    seen: bool


def slow_speaker(ev: Evidence, ratio: float) -> SlowSpeaker | None:
    """The speaker for whom all others wait; None where none is, or what is told does not show it.

    Args:
        ev: What was captured.
        ratio: How many times as long as a peer's its own part must take.
    """
    told = tellings(ev)
    found = [slow for each in told.forms.values() if (slow := _of_form(told, each, ratio)) is not None]
    # Where two tellings name different ones, neither is believed.
    if not found or len({frozenset(each.who[0][1:]) for each in found}) > 1:
        return None
    return max(found, key=lambda each: (each.seen, each.rounds))


def _of_form(told: Tellings, quantities: Sequence[Quantity], ratio: float) -> SlowSpeaker | None:
    if any(map(_tells_stages, quantities)):
        return None
    read = [
        (quantity, kind, _unrolled(rounds))
        for quantity in quantities
        if (rounds := rounds_of(quantity))
        for kind in kinds_of(quantity)
    ]
    waits = [_late(rounds) for _, kind, rounds in read if kind.of == "wait"]
    if any(quantity.guessed for quantity in quantities):
        if not waits:
            return None
        read = [each for each in read if each[1].named]
    for quantity, kind, rounds in sorted(read, key=lambda each: (not each[1].named, each[1].of != "own")):
        late = _late(rounds)
        joint = _joint_of(told, quantities, quantity, late)
        if kind.of == "wait":
            slow = _by_waits(late, joint, ratio)
        else:
            slow = _apart(late, ratio, _itself if kind.of == "own" else _inverse)
            waited = _waits_least(slow, waits, late if kind.of == "own" else ()) if slow else None
            as_long = bool(slow) and joint(slow, kind.of) is not None
            said = kind.named and not waits and quantity.sure and quantity.source is not None
            if waited is False or not (waited or as_long or (said and _works_as_well(slow, late))):
                slow = ()
        if slow and not quantity.sure and not (_peers_alike(slow, late) and not joint.is_their_sum(kind.of)):
            slow = ()
        if slow and _is_felt(slow, quantity, kind, read) and not _does_more(slow, quantities):
            return _told_of(slow, quantity, kind, late, seen=bool(waits) or joint(slow, kind.of) is not None)
    return None


def _tells_stages(quantity: Quantity) -> bool:
    """Whether each speaker has a number of its own of something that is cut by design: the stage of a pipeline."""
    if not _STAGES.search(quantity.called):
        return False
    numbers = [{value for _, value in said} for said in quantity.said.values()]
    return all(len(each) == 1 for each in numbers) and len(set.union(*numbers)) > 1


def _late(rounds: list[Round]) -> list[Round]:
    """The later half: a speaker may have become slow in mid-run."""
    return rounds[-max(LEAST_ROUNDS, len(rounds) // 2) :]


def _itself(value: float) -> float:
    return value


def _inverse(value: float) -> float:
    return 1 / value if value > 0 else 0.0


def slower_speaker(ev: Evidence, ratio: float) -> SlowSpeaker | None:
    """A speaker that tells far more of its own work than the others in most rounds, whether or not they wait for it."""
    told = tellings(ev)
    for quantities in told.forms.values():
        if any(map(_tells_stages, quantities)):
            continue
        for quantity in quantities:
            kind, every = kind_of(quantity), rounds_of(quantity)
            if not every or quantity.guessed or kind is None or not kind.named or kind.of != "own":
                continue
            rounds = _late(_unrolled(every))
            slow = _apart(rounds, ratio, _itself, _MOSTLY)
            read = [(each, of, rows) for each in quantities if (of := kind_of(each)) and (rows := rounds_of(each))]
            if slow and _is_felt(slow, quantity, kind, read) and not _does_more(slow, quantities):
                return _told_of(slow, quantity, kind, rounds, seen=False)
    return None


_MOSTLY: Final = 0.75


def _apart(
    late: Sequence[Round], ratio: float, read: Callable[[float], float], always: float = _ALWAYS
) -> tuple[Speaker, ...]:
    """The few speakers far above a typical one in nearly all rounds, the farthest first; none where others stand between."""
    medians = {who: statistics.median(read(one.said[who]) for one in late) for who in late[0].said}
    usual = typical(medians.values())
    slow = sorted((who for who, each in medians.items() if each >= ratio * usual), key=lambda who: -medians[who])
    if not slow or usual <= 0 or not (len(slow) == 1 or _FEW * len(slow) <= len(medians)):
        return ()
    rest = [who for who in medians if who not in slow]
    if not rest or max(medians[who] for who in rest) - usual > (medians[slow[-1]] - usual) / 2:
        return ()
    often = sum(min(read(one.said[who]) for who in slow) > max(read(one.said[who]) for who in rest) for one in late)
    return tuple(slow) if often >= always * len(late) else ()


_FEW: Final = 3


def _works_as_well(slow: Sequence[Speaker], late: Sequence[Round]) -> bool:
    """Whether the others do anything at all: who is not used by the job waits for nobody."""
    medians = {who: statistics.median(one.said[who] for one in late) for who in late[0].said}
    return min(medians.values()) >= _LEAST * max(medians.values())


_LEAST: Final = 0.1


def _peers_alike(slow: Sequence[Speaker], late: Sequence[Round]) -> bool:
    """Whether the others tell about the same: parts of a program, or of a step, differ from each other as well."""
    rest = [statistics.median(one.said[who] for one in late) for who in late[0].said if who not in slow]
    return alike(rest, _PEERS)


_PEERS: Final = 0.6


def _waits_least(slow: Sequence[Speaker], waits: Sequence[Sequence[Round]], own: Sequence[Round] = ()) -> bool | None:
    """Whether the slow ones wait far less than the others in nearly all rounds; None where no waits are told.

    Far less is half, or as much less as they take longer in their own part (``own``), where work is told with the
    waits: ``forward 4.48s  backward+allreduce 3.91s`` beside ``forward 1.85s  backward+allreduce 6.58s``.
    """
    for late in waits:
        if slow[0] not in late[0].said:
            continue
        rest = [who for who in late[0].said if who not in slow]
        often = sum(max(one.said[who] for who in slow) <= min(one.said[who] for who in rest) for one in late)
        theirs = statistics.median(statistics.median(one.said[who] for who in rest) for one in late)
        mine = statistics.median(max(one.said[who] for who in slow) for one in late)
        evens_out = bool(own) and slow[0] in own[0].said and _evens_out(theirs - mine, slow, own)
        return often >= _ALWAYS * len(late) and (mine <= _WAITS * theirs or evens_out)
    return None


def _evens_out(less: float, slow: Sequence[Speaker], own: Sequence[Round]) -> bool:
    """Whether the others wait by so much longer as the slow ones take longer themselves."""
    rest = [who for who in own[0].said if who not in slow]
    theirs = statistics.median(statistics.median(one.said[who] for who in rest) for one in own)
    more = statistics.median(max(one.said[who] for who in slow) for one in own) - theirs
    low, high = _EVENS_OUT
    return more > 0 and low * more <= less <= high * more


_EVENS_OUT: Final = (0.6, 1.5)


def _by_waits(late: Sequence[Round], joint: _JointOf, ratio: float) -> tuple[Speaker, ...]:
    """The speaker that waits least, by what is left of the time of a round after its waits."""
    whole = joint((), "wait")
    if whole is None:
        return ()
    rest = [
        Round({who: max(all_of_it - value, 0.0) for who, value in one.said.items()}, one.first, one.last)
        for one, all_of_it in zip(late, whole, strict=True)
    ]
    slow = _apart(rest, ratio, _itself)
    return slow if slow and _waits_least(slow, [late]) else ()


class _JointOf:
    """The time, or the rate, of whole rounds, by whatever tells it."""

    def __init__(self, series: Sequence[list[float]], late: Sequence[Round]) -> None:
        self._series = series
        self._late = late

    def __call__(self, slow: Sequence[Speaker], of: str) -> list[float] | None:
        """What was told once for all in each of these rounds that fits to the slow ones' own; None: nothing does."""
        return next((each for each in self._series if self._fits(each, slow, of)), None)

    def is_their_sum(self, of: str) -> bool:
        """Whether something is told that is what all of them make up one after the other: then they are its parts."""
        if of != "own":
            return False
        sums = [sum(one.said.values()) for one in self._late]
        low, high = _PARTS
        return any(
            sum(low * each <= whole <= high * each for each, whole in zip(sums, series, strict=True)) >= len(sums) / 2
            for series in self._series
        )

    def _fits(self, series: Sequence[float], slow: Sequence[Speaker], of: str) -> bool:
        low, high = _AS_LONG
        if of == "wait":
            most = [max(one.said.values()) for one in self._late]
            fits = sum(each <= whole <= _SHARE * each for each, whole in zip(most, series, strict=True))
        elif of != "own":
            each = [min(one.said[who] for who in slow) for one in self._late]
            number = len(self._late[0].said)
            fits = sum(
                (of == "rate" and low * mine <= whole <= high * mine) or low * mine <= whole / number <= high * mine
                for mine, whole in zip(each, series, strict=True)
            )
        else:
            each = [max(one.said[who] for who in slow) for one in self._late]
            fits = sum(low * mine <= whole <= high * mine for mine, whole in zip(each, series, strict=True))
        return fits >= _ALWAYS * len(self._late)


_PARTS: Final = (0.9, 1.15)
_SHARE: Final = 3.0
"""A round of which the waits are a third at least."""


def _joint_of(told: Tellings, quantities: Sequence[Quantity], quantity: Quantity, late: Sequence[Round]) -> _JointOf:
    """All that was told once for these rounds, in the unit of ``quantity``."""
    found: list[list[float]] = []
    for other in quantities:
        if other is not quantity and (rounds := rounds_of(other)):
            same = _late(rounds)[-len(late) :]
            if len(same) == len(late) and all(alike(one.said.values(), _SAME) for one in same):
                found += _scaled(other, quantity, [statistics.median(one.said.values()) for one in same])
    for joint in told.joints:
        if joint.source == quantity.source and not _STAGES.search(joint.called) and not _is_learned(joint):
            for values in _at_rounds(joint, late):
                found += _scaled(joint, quantity, values)
    return _JointOf([*found, *_by_the_clock(told, quantity, late)], late)


def _is_learned(joint: Joint) -> bool:
    """Whether a number says how learning goes: it may be as great as a time by chance."""
    return joint.unit not in _SECONDS and _LEARNED.search(joint.called) is not None


_LEARNED: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:\w*loss(?:es)?|lr|norm|acc\w*|ppl|perplexity|nll|b?ce|mse|mae|rmse|score|reward|ret(?:urn)?s?)(?:[^a-z]|$)"
    r"|\u635f\u5931|\u640d\u5931|\uc190\uc2e4|\u043f\u043e\u0442\u0435\u0440|verlust|perte|p[e\u00e9]rdida|perda|perdita"
)
"""What tells how learning goes."""


def _by_the_clock(told: Tellings, quantity: Quantity, late: Sequence[Round]) -> Iterator[list[float]]:
    """How long these rounds lasted by the clock of their lines, in the unit of ``quantity``; the first as the second."""
    scale = _SECONDS.get(quantity.unit)
    ends = [told.clock.get((quantity.source, one.last)) for one in late]
    times = [at for at in ends if at is not None]
    if scale is not None and len(times) == len(ends) > 1:
        lasted = [(after - before) / scale for before, after in itertools.pairwise(times)]
        yield [lasted[0], *lasted]


_SAME: Final = 0.9


def _scaled(joint: Joint | Quantity, quantity: Quantity, values: list[float]) -> Iterator[list[float]]:
    """Values in the unit of a quantity; nothing where the one is a time, and the other none."""
    theirs, mine = _SECONDS.get(joint.unit), _SECONDS.get(quantity.unit)
    scale = theirs / mine if theirs and mine else 1.0
    yield [value * scale for value in values]


_SECONDS: Final = {**TIMES, "us": 1e-6}


def _at_rounds(joint: Joint, late: Sequence[Round]) -> Iterator[list[float]]:
    """What was told of each of these rounds: in its lines, right behind or before it, and what was added since."""
    said = joint.said
    steps = [(at, value - before) for (_, before), (at, value) in itertools.pairwise(said)]
    for series in (said, steps):
        for ahead in (False, True):
            values = [_nearest(series, one, ahead=ahead) for one in late]
            told = [value for value in values if value is not None]
            if len(told) == len(values):
                yield told


def _nearest(series: Sequence[tuple[int, float]], one: Round, *, ahead: bool) -> float | None:
    reach = max(one.last - one.first, 1) + _NEAR
    near = (
        [value for at, value in series if one.first - reach <= at <= one.first]
        if ahead
        else [value for at, value in series if one.first <= at <= one.last + reach]
    )
    return None if not near else near[-1] if ahead else near[0]


_NEAR: Final = 4
"""Lines between those of a round and the one that closes it."""


def _is_felt(
    slow: Sequence[Speaker], quantity: Quantity, kind: Kind, read: Sequence[tuple[Quantity, Kind, list[Round]]]
) -> bool:
    """Whether what the slow ones take beyond the others is a good part of all that one of these tells of its time."""
    if kind.of not in _OF_TIME:
        return True
    beyond = whole = 0.0
    for other, of, rounds in read:
        if of.of not in _OF_TIME or other.unit != quantity.unit or (kind.named and not of.named):
            continue  # beside parts that have names the one without is the whole of them
        late = _late(rounds)
        rest = [who for who in late[0].said if who not in slow]
        theirs = statistics.median(statistics.median(one.said[who] for who in rest) for one in late)
        whole += theirs
        if other is quantity:
            beyond = abs(statistics.median(one.said[slow[0]] for one in late) - theirs)
    return beyond >= _FELT * whole


_OF_TIME: Final = ("own", "wait")
_FELT: Final = 0.25


def _does_more(slow: Sequence[Speaker], quantities: Sequence[Quantity]) -> bool:
    """Whether the slow ones were given more work than the others, by what is counted beside."""
    for quantity in quantities:
        if kind_of(quantity) is not None or not _WORK.search(quantity.called):
            continue
        medians = {who: statistics.median(value for _, value in said) for who, said in quantity.said.items()}
        rest = [value for who, value in medians.items() if who not in slow]
        if rest and any(medians.get(who, 0.0) > _MORE * statistics.median(rest) for who in slow):
            return True
    return False


_MORE: Final = 1.1


def _told_of(
    slow: tuple[Speaker, ...], quantity: Quantity, kind: Kind, late: Sequence[Round], *, seen: bool
) -> SlowSpeaker | None:
    if quantity.row is None:
        return None
    rest = [who for who in late[0].said if who not in slow]
    return SlowSpeaker(
        who=slow,
        what=quantity.called.strip() or "time",
        unit=quantity.unit,
        mine=statistics.median(one.said[slow[0]] for one in late),
        theirs=statistics.median(statistics.median(one.said[who] for who in rest) for one in late),
        rounds=len(late),
        kind=kind.of,
        row=quantity.row,
        seen=seen,
    )
