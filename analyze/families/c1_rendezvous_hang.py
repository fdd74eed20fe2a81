"""C1: the ranks never met: an initialisation banner, then silence, then a late socket time-out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._frozen import at_end
from inquest.analyze.families._meeting_place import Apart, sent_apart
from inquest.analyze.families._roll_call import JOINED_OF, waited_in_vain
from inquest.analyze.families._rows import Row, failing, named
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story

_JOINED: Final = re.compile(
    r"(\d+)\s*/\s*(\d+) clients joined|world_size=(\d+).{0,40}num_workers_joined=(\d+)", re.DOTALL
)
_ADDRESS: Final = re.compile(
    r"connect to \(([^,()]{1,255}), (\d{1,5})\)|address(?:es)? of \(([^,()]{1,255}), (\d{1,5})\)"
    r"|connect(?:ion)? (?:to|with) ([^\s<>()]{1,255})<(\d{1,5})>",
    re.IGNORECASE,
)


_BEGUN: Final = (Kind.RENDEZVOUS_START, Kind.PROCESS_GROUP_INIT, Kind.NCCL_INIT_BEGIN)
_BOOTSTRAP: Final = "nccl.bootstrap"
_OWN_WORDS: Final = frozenset(
    {
        *("torchrun.waits_for_ranks", "torchrun.process_group_init", "torchrun.megatron_init"),
        *("torchrun.library_init", "torchrun.several_nodes", "torchrun.waits_abroad"),
        _BOOTSTRAP,
    }
)
"""What a program says of itself: it does not tell when the ranks have met, but then it says other things."""
_STILL_THERE: Final = (
    r"(?i)NCCL|c10d|socket|gloo|rendezvous|rdzv|init_process_group|process group|waiting|still|retry|connect"
    r"|slurm|srun: |\bsignal\b|SIGTERM|cancel|time limit|terminated|killed"
    r"|\bgpu\W{0,3}0(?:[/ ,]{1,2}0){0,63} ?%"
    r"|torch/distributed/(?:run|launcher)|OMP_NUM_THREADS|\*{20}|^\s{1,8}[a-z_]{3,30}\s{1,20}: |CreateSession still"
)
"""What may stand below it while it waits, and when it is ended."""


@dataclass(frozen=True, slots=True)
class RendezvousHang:
    """See the module."""

    id: str = "C1"
    name: str = "rendezvous hang"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("logs",)
    helps: tuple[str, ...] = ("exits", "gpu_samples", "processes")

    def judge(self, ev: Evidence) -> Finding:
        """A rendezvous that timed out, or began and never ended, with no step of training."""
        story = tell(ev)
        met = story.of(Kind.PROCESS_GROUP_READY, Kind.NCCL_INIT_DONE, Kind.RENDEZVOUS_DONE)
        causes = (Cause.RENDEZVOUS,) if met or story.progressed else (Cause.RENDEZVOUS, Cause.STORE_WAIT)
        crash = next(iter(story.crashes_of(*causes)), None)
        told = story.of(Kind.RENDEZVOUS_TIMEOUT, Kind.CONNECT_ERROR)
        gave_up = [row for row in told if _gave_up(row)] or _unreached(story, told)
        printed = next((row for row in gave_up if row["role"] != "cascade"), None)
        if not story.progressed and not met and (away := sent_apart(ev)) is not None and story.ended_well is not True:
            return self._sent_apart(ev, away)
        waiting = self._waiting(ev, story) or waited_in_vain(ev, story)
        if story.progressed or (crash is None and printed is None and waiting is None):
            return self._absent(story, met)
        first = story.first
        row = crash.speaking if crash else printed or waiting
        if row is None:  # pragma: no cover - excluded above
            raise AssertionError
        if first is not None and first.crash is not crash and story.earlier(first.row, row):
            return RuledOut(
                because="The rendezvous failed after another rank had already failed.",
                would_change_if="the rendezvous would have had to fail first",
                stores=("logs",),
            )
        claims = Claims(ev, self.id)
        if crash is not None:
            claims.row("Exception that ended the wait", "fact_exceptions", crash.speaking, "exc_type")
        else:
            claims.row("What was printed", "fact_events", row, "text")
        claims.over("Steps of training reported", "COUNT", "*", "fact_steps", unit="steps")
        support = [Support("logs", "the rendezvous timed out", decisive=True)]
        if row is waiting:
            support = [Support("logs", "the last it said was that it waits for the other ranks")]
            if at_end(ev) == "never":
                idle = f"engine_active > {ev.threshold('c3.idle_engine')}"
                claims.over("Samples of a GPU at work", "COUNT", "*", "gpu_samples", idle, unit="samples")
                support.append(Support("metrics", "no GPU computed at any time"))
        end = story.end_status
        if end is not None and (end.exit_code or end.term_signal):
            claims.ending("the command", end.row)
            support.append(Support("processes", "the command ended with a failure before the first step"))
        text = str(row.get("message") or row.get("text") or "")
        mode, said, action = _reason(story, row, text, claims)
        ranks, nodes = _outside(story, text)
        if ranks:
            on = f", one of them on {' and one on '.join(nodes)}" if nodes else ""
            said = f"{said}, and {named(ranks)} could not connect{on}"
        if row is waiting and mode == "timed_out":
            said = "the ranks waited for each other until the job was ended"
        return RuledIn(
            because=f"No step was done and the ranks never met: {said}.",
            would_change_if="a communicator or a step of training in the logs, or an earlier failure of one rank",
            headline=f"The ranks never met: {said}; training did not begin.",
            claims=claims.all,
            support=tuple(support),
            attribution="unknown",
            scope="allocation",
            onset_ns=row["ts_ns"],
            sub_mode=mode,
            first_failing=failing(row),
            culprit_ranks=ranks,
            culprit_nodes=nodes,
            cannot_decide=(
                Missing(
                    "Why the missing ranks did not come",
                    "the output and connection errors of the nodes that did not join",
                ),
            )
            if mode in ("not_all_joined", "timed_out")
            else (),
            next=Next("infrastructure" if mode == "unreachable" else "job", action),
        )

    @staticmethod
    def _sent_apart(ev: Evidence, away: Apart) -> Finding:
        """Ranks that were started with another port to meet at, and no step."""
        claims = Claims(ev, "C1")
        claims.row("The port at which it was to meet the others", "processes", away.row, "master_port")
        claims.row("The port of one of the others", "processes", away.other, "master_port")
        claims.over("Steps of training reported", "COUNT", "*", "fact_steps", unit="steps")
        here, there = (f"{row['master_addr']}:{row['master_port']}" for row in (away.row, away.other))
        text = f"{named(away.ranks)} {'was' if len(away.ranks) == 1 else 'were'} sent to {here}, the others to {there}"
        return RuledIn(
            because=f"No step was done and the ranks never met: {text}.",
            would_change_if="one MASTER_PORT in the environment of all ranks, or a step of training",
            headline=f"The ranks never met: {text}; training did not begin.",
            claims=claims.all,
            support=(Support("processes", text, decisive=True), Support("logs", "no step was reported")),
            attribution="job",
            scope="allocation",
            onset_ns=away.row["ts_ns"],
            sub_mode="unreachable",
            first_failing=failing(away.row),
            culprit_ranks=away.ranks,
            culprit_nodes=away.nodes,
            next=Next("job", "Start all ranks with the same MASTER_ADDR and MASTER_PORT."),
        )

    @staticmethod
    def _waiting(ev: Evidence, story: Story) -> Row | None:
        """A rendezvous that began and never ended, until something outside ended the job."""
        begun = story.of(*_BEGUN)
        met = story.of(Kind.PROCESS_GROUP_READY, Kind.NCCL_INIT_DONE, Kind.RENDEZVOUS_DONE, Kind.TRAINING_BEGIN)
        ended_outside = story.of(Kind.TIME_LIMIT, Kind.CANCELLED, Kind.SIGNAL_RECEIVED)
        if not begun or not ended_outside or met or story.failures:
            return None
        if begun[-1]["pattern"] == _BOOTSTRAP and len(begun) == 1:
            return None  # who is alone looks for nobody
        # NCCL says of each communicator when it stands, whatever the program had said before.
        unanswered = [row for row in begun if row["kind"] == Kind.NCCL_INIT_BEGIN]
        if unanswered and _long(ev, unanswered[0], ended_outside) and not _worked_on(ev, unanswered):
            return unanswered[0]
        if begun[-1]["pattern"] in _OWN_WORDS and (_worked_on(ev, begun) or not _long(ev, begun[0], ended_outside)):
            return None
        return begun[0]

    @staticmethod
    def _absent(story: Story, met: list[Row]) -> Finding:
        if story.progressed:
            place = "its loop" if story.last_step is None else f"step {story.last_step}"
            because = f"Training reached {place}, so the ranks had met."
        elif met:
            because = "A process group or communicator stood, so the ranks had met."
        elif story.failures or story.crashes or story.ended_well is not None:
            because = "No rendezvous timed out in the captured output."
        else:
            return CannotDecide(
                because="Neither a meeting of the ranks nor its failure is printed.",
                missing=("the output up to the end", "the exit status of the job"),
            )
        return RuledOut(
            because=because,
            would_change_if="a rendezvous time-out before the first step would have had to be printed",
            stores=("logs",),
        )


def _gave_up(row: Row) -> bool:
    """Whether it ended a rendezvous: of errors of a connection, the time-out of a rank on its way to the store."""
    return bool(row["kind"] == Kind.RENDEZVOUS_TIMEOUT or row["pattern"] == "torchrun.client_timeout")


def _unreached(story: Story, told: list[Row]) -> list[Row]:
    """NCCL's words on a place that nothing leads to, which it gives up at, where the job is known to have failed."""
    end = story.end_status
    failed = end is not None and bool(end.exit_code or end.term_signal)
    if story.ended_well or not (failed or story.crashes or story.of(Kind.PEER_LOST, Kind.LAUNCHER_FAILURE)):
        return []
    return [row for row in told if row["pattern"] == "nccl.connect" and _NOWHERE.search(str(row["text"]))]


_NOWHERE: Final = re.compile(r"(?:failed|returned) ?: ?(?:Connection timed out|No route to host)(?!.{0,20}\bretry)")


def _worked_on(ev: Evidence, begun: list[Row]) -> bool:
    """Whether those that announced a rendezvous said something else afterwards: then it ended without a word."""
    # NCCL's lines name their node each; what else a file holds may be of any of them.
    last = {
        (None if row["pattern"] == _BOOTSTRAP else row["node"], row["source"]): row["line_seq"]
        for row in begun
        if row["line_seq"] is not None
    }
    for (node, source), line in last.items():
        later = ev.scan("log_lines").filter(
            (pl.lit(value=True) if node is None else pl.col("node") == node)
            & pl.col("source").eq_missing(pl.lit(source, dtype=pl.String))
            & (pl.col("seq") > line)
            & pl.col("text").str.contains(r"\w")
            & ~pl.col("text").str.contains(_STILL_THERE)
        )
        if not later.head(1).collect().is_empty():
            return True
    return False


def _long(ev: Evidence, begun: Row, ended: list[Row]) -> bool:
    """Whether it waited for long: a person may end a job at once, a time limit does not."""
    if any(row["kind"] == Kind.TIME_LIMIT for row in ended):
        return True
    times = [row["ts_ns"] for row in ended if row["ts_ns"] is not None]
    least = ev.threshold("c1.least_wait") * 1e9
    return begun["ts_ns"] is not None and bool(times) and max(times) - begun["ts_ns"] >= least


def _outside(story: Story, text: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Ranks that say that they could not connect, where they are just as many as did not join; nodes told of them."""
    if (joined := _JOINED.search(text)) is None:
        return (), ()
    have, want = (int(joined[1]), int(joined[2])) if joined[1] else (int(joined[4]), int(joined[3]))
    crashes = story.crashes_of(Cause.RENDEZVOUS, Cause.STORE_WAIT)
    alone = {rank for crash in crashes if _address(str(crash.speaking["message"])) for rank in crash.ranks}
    if not alone or len(alone) != want - have or max(alone) >= want:
        return (), ()
    told = (_OF_TASK.search(str(row["text"])) for row in story.of(Kind.TASK_EXIT))
    nodes = {found[1] for found in told if found and any(rank in _numbers(found[2]) for rank in alone)}
    return tuple(sorted(alone)), tuple(sorted(nodes))


_OF_TASK: Final = re.compile(r"\bsrun: error: ([\w.-]{1,253}): tasks? (\d{1,7}(?:-\d{1,7})?): ")


def _numbers(told: str) -> range:
    """Tasks as srun names them: 7, or 4-7."""
    first, _, last = told.partition("-")
    return range(int(first), int(last or first) + 1)


_COUNTED: Final = ("torchrun.waits_for_some", "torchrun.own_roll_call")


def _reason(story: Story, row: Row, text: str, claims: Claims) -> tuple[str, str, str]:
    """Sub-mode, what is said, and what to do."""
    dns = next(iter(story.of(Kind.DNS_ERROR)), None)
    refused = next(iter(story.of(Kind.CONNECT_ERROR)), None)
    address = _address(text) or next(
        (found for row in (dns, refused) if row is not None and (found := _address(str(row["text"])))), None
    )
    if dns is not None:
        claims.row("Name that did not resolve", "fact_events", dns, "subject")
        host = dns["subject"] or (address or "the master").rsplit(":", 1)[0]
        return (
            "dns",
            f"the host name {host} does not resolve",
            f"Correct MASTER_ADDR / --rdzv-endpoint, or the name service: {host} does not resolve on this node.",
        )
    if joined := _JOINED.search(text):
        have, want = (joined[1], joined[2]) if joined[1] else (joined[4], joined[3])
        return (
            "not_all_joined",
            f"{have} of {want} participants joined before the time-out",
            "Start the missing nodes or ranks with the same endpoint, and check --nnodes, --node-rank and the "
            "firewall.",
        )
    if row.get("pattern") in _COUNTED and (counted := JOINED_OF.search(str(row["subject"] or row["text"] or ""))):
        return (
            "not_all_joined",
            f"{counted[1]} of {counted[2]} had come by its last word",
            "Start the missing nodes or ranks with the same endpoint, and check the node list and the firewall.",
        )
    if address is not None or refused is not None:
        if refused is not None:
            claims.row("Connection that could not be made", "fact_events", refused, "text")
        place = address or (refused["subject"] if refused else None) or "the master address"
        return (
            "unreachable",
            f"nothing answered at {place}",
            f"Check that rank 0 runs at {place} (MASTER_ADDR, MASTER_PORT) and that no firewall stands between.",
        )
    return (
        "timed_out",
        "the rendezvous timed out",
        "Check that every node was started with the same rendezvous endpoint and id, and that --nnodes is right.",
    )


def _address(text: str) -> str | None:
    match = _ADDRESS.search(text)
    if match is None:
        return None
    host, port = (told for told in match.groups() if told)
    return f"{host}:{port}"


FAMILY: Final = RendezvousHang()
