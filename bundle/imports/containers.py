"""How containers ended, by whoever ran them: kubectl (describe, get -o yaml or json, get events) and docker inspect.

Each state and each event becomes one line of ``log_lines`` that begins with ``kubernetes:`` or ``docker:`` and gives
what the file says in the file's own words, with the pod and the node, so that a fact is one line and a side car's end
is not the job's. Of a pod in which some containers have GPUs, only those count.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports.text import LINE_CAP
from inquest.bundle.line_clock import ClockReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_DESCRIBED: Final = re.compile(rb"(?m)\AName: +\S+\s*\n(?:.*\n){0,60}?(?:Events:|Containers:|Status:)")
_TABLE: Final = re.compile(rb"\A(?:NAMESPACE +)?LAST SEEN +TYPE +REASON +OBJECT +(?:SUBOBJECT +SOURCE +)?MESSAGE")
_YAML: Final = re.compile(rb"(?m)^kind: \w+$")
_YAML_STATUS: Final = re.compile(rb"(?m)^ {0,2}status:$")
_PODS: Final = re.compile(rb"\A(?:NAMESPACE +)?NAME +READY +STATUS +RESTARTS +AGE")
_JSON: Final = re.compile(
    rb'"(?:containerStatuses|involvedObject|OOMKilled|io\.kubernetes\.pod\.name)"\s*:|"kind"\s*:\s*"(?:Pod|Event)'
)
_GPU: Final = re.compile(r"(?:nvidia|amd)\.com/(?:gpu|mig)\S*: +[1-9]")
_EVENT: Final = re.compile(r"^  (?:Normal|Warning) +(\S+) +(\S+(?: \([^)]*\))?) +(\S+) +(.+)$")
_ROW: Final = re.compile(r"^(?:\S+ +)??\S+(?: \([^)]*\))? +(?:Normal|Warning) +(\S+) +(\S+/\S+) +(.+)$")
_POD: Final = re.compile(r"(?m)^(?:\S+ +)??(\S+) +\d+/\d+ +([A-Z]\w+) ")
_METADATA: Final = re.compile(r"(?m)^(?:  )?metadata:$")
_NAME: Final = re.compile(r"(?m)^(?:  )?  name: (\S+)")
_WORDS: Final = re.compile(r"(?m)^  (?:  )?message: (.*)$")
_WHY: Final = re.compile(r"(?m)^  (?:  )?reason: (\w+)")
_ITEMS: Final = 20_000
"""Lines that one file may give."""
_PART: Final = 1 << 17
"""Characters of one object in YAML that are looked at."""

State = dict[str, Any]


class _Containers:
    name = "containers"
    title = "How containers ended (kubectl, docker inspect)"
    tables = ("log_lines", "placements")
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        head = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if head[:1] in (b"{", b"["):
            return _JSON.search(head) is not None
        return bool(
            _DESCRIBED.match(head)
            or _TABLE.match(head)
            or _PODS.match(head)
            or (
                _YAML.search(head) and _YAML_STATUS.search(head) and head.startswith((b"apiVersion:", b"- apiVersion:"))
            )
        )

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        whole = source.read().decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
        if whole[:1] in ("{", "["):
            told = _of_json(whole, context)
        elif whole.startswith(("apiVersion:", "- apiVersion:")):
            told = _of_yaml(whole)
        elif whole.startswith("Name:"):
            told = _of_description(whole)
        elif _PODS.match(source.head.lstrip(b"\xef\xbb\xbf \t\r\n")):
            told = ((f"kubernetes: pod {found[1]} is {found[2]}", None, None) for found in _POD.finditer(whole))
        else:
            told = (
                (f"kubernetes: event {found[1]} of {found[2]}: {found[3]}", None, None)
                for line in whole.splitlines()
                if (found := _ROW.match(line))
            )
        if placed := list(islice(_placed(whole), _ITEMS)):
            yield "placements", placed
        rows = [(said[:LINE_CAP], stamp, node) for _, (said, stamp, node) in zip(range(_ITEMS), told, strict=False)]
        if rows:
            yield "log_lines", _frame(rows)
        elif not placed:
            context.warn(f"{source.name}: says of no container how it ended.")


KIND = _Containers()

Told = tuple[str, str | None, str | None]
"""A line, its time as text, and its node."""


def _placed(whole: str) -> Iterator[dict[str, str | None]]:
    """Pods and containers by the ids that control groups bear: what a kernel's log calls them by."""
    if whole[:1] in ("{", "["):
        try:
            items = list(_items(json.loads(whole)))
        except (ValueError, RecursionError):
            return
        for item in items:
            yield from _placed_item(item)
        return
    parts = re.split(r"(?m)^(?:---|(?:- |  )apiVersion: .*)$|\n\n+(?=Name: )", whole)
    for part in (each[:_PART] for each in parts):
        node = re.search(r"(?m)^(?: +nodeName|Node): +([^\s/]+)", part)
        # The last key of the metadata; owners, who have one too, stand before it.
        uids = re.findall(r"(?m)^ +uid: \"?([0-9a-f-]{36})", re.split(r"(?m)^(?:  )?spec:", part, maxsplit=1)[0])
        place = {"node": node[1] if node else None, "pod_uid": uids[-1] if uids else None}
        ids = _CONTAINER_ID.findall(part)
        yield from ({**place, "container_runtime": runtime, "container_id": number} for runtime, number in ids)
        if uids and not ids:
            yield place


_CONTAINER_ID: Final = re.compile(r"(?:containerID|Container ID): +\"?(\w+)://([0-9a-f]{64})")


def _placed_item(item: State) -> Iterator[dict[str, str | None]]:
    state, ended = item.get("State"), _dict(item, "status")
    number = _text(item, "Id") or (_text(ended, "id") if "labels" in ended else None)
    if number is not None and re.fullmatch(r"[0-9a-f]{64}", number) and (isinstance(state, dict) or ended):
        uid = _text(_dict(ended, "labels"), "io.kubernetes.pod.uid")
        yield {"node": None, "pod_uid": uid, "container_id": number}
    elif "containerStatuses" in ended and (uid := _text(_dict(item, "metadata"), "uid")) is not None:
        place = {"node": _text(_dict(item, "spec"), "nodeName"), "pod_uid": uid}
        told = [_text(each, "containerID") or "" for each in _list(ended, "containerStatuses")]
        for runtime, _, number in (each.partition("://") for each in told):
            yield {**place, "container_runtime": runtime or None, "container_id": number or None}


def _frame(rows: list[Told]) -> pl.DataFrame:
    stamps = pl.Series("stamp", [stamp or "" for _, stamp, _ in rows], dtype=pl.String)
    return pl.DataFrame(
        {
            "text": [said for said, _, _ in rows],
            "node": pl.Series([node for _, _, node in rows], dtype=pl.String),
            "line_bytes": [len(said.encode("utf-8", "replace")) for said, _, _ in rows],
            "truncated": False,
            "eol": "lf",
            "stream": "file",
        }
    ).with_columns(ClockReader(None).ts_ns(stamps).alias("ts_ns"))


def _ended(pod: str, name: str, state: State, *, before: bool = False) -> str | None:
    """What is said of a container's state; None where it tells nothing of an end."""
    who = f"kubernetes: container {name} of pod {pod}"
    reason, code = state.get("reason") or "no reason", state.get("exitCode")
    if code is not None:
        number = f", signal {state['signal']}" if state.get("signal") else ""
        return f"{who} terminated{' before its restart' if before else ''}: {reason}, exit code {code}{number}"
    if state.get("waiting"):
        return f"{who} waits: {reason}: {state.get('message') or ''}"
    return None


# --- kubectl describe -------------------------------------------------------------------------------------------------


def _of_description(whole: str) -> Iterator[Told]:
    """Objects as ``kubectl describe`` prints them, several behind one another."""
    for part in re.split(r"\n\n+(?=Name: )", whole):
        lines = part.splitlines()
        named = {key: value.strip() for key, _, value in (line.partition(":") for line in lines) if key in _TOP}
        pod, node = named.get("Name", "?"), named.get("Node", "").partition("/")[0] or None
        if why := named.get("Reason"):
            yield (
                f"kubernetes: pod {pod} {named.get('Status', '').lower()}: {why}: {named.get('Message', '')}",
                None,
                node,
            )
        blocks = _described_containers(lines)
        with_gpu = [block for block in blocks if any(_GPU.search(line) for line in block)]
        for block in with_gpu or blocks:
            for line, before in (("State:", False), ("Last State:", True)):
                state = _described_state(block, line)
                if said := _ended(pod, block[0].strip().rstrip(":"), state, before=before):
                    yield said, state.get("finishedAt"), node
        for line in lines[_index(lines, "Events:") :]:
            if found := _EVENT.match(line):
                yield f"kubernetes: event {found[1]} of {pod}: {found[4].strip()}", None, node


_TOP: Final = ("Name", "Node", "Status", "Reason", "Message")


def _index(lines: list[str], heading: str) -> int:
    return next((at for at, line in enumerate(lines) if line.startswith(heading)), len(lines))


def _described_containers(lines: list[str]) -> list[list[str]]:
    """The lines of each container; its name is the first."""
    blocks: list[list[str]] = []
    for line in lines[_index(lines, "Containers:") + 1 :]:
        if not line.startswith("  "):
            break
        if re.match(r"  \S+:\s*$", line):
            blocks.append([])
        if blocks:
            blocks[-1].append(line)
    return blocks


def _described_state(block: list[str], heading: str) -> State:
    """Fields of ``State:`` or ``Last State:`` of a container."""
    at = next((at for at, line in enumerate(block) if line.strip().startswith(heading)), None)
    if at is None:
        return {}
    fields: State = {}
    kind = block[at].partition(":")[2].strip()
    for line in block[at + 1 :]:
        key, colon, value = line.strip().partition(":")
        if not line.startswith("      ") or not colon:
            break
        fields[key] = value.strip()
    state: State = {"reason": fields.get("Reason"), "message": fields.get("Message"), "waiting": kind == "Waiting"}
    if kind == "Terminated":
        state |= {"exitCode": fields.get("Exit Code"), "signal": fields.get("Signal")}
        state["finishedAt"] = _iso(fields.get("Finished", ""))
    return state


_MONTHS: Final = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def _iso(stamp: str) -> str | None:
    """``Thu, 20 Nov 2025 11:12:51 +0100`` as a clock that lines carry."""
    found = re.match(r"\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d:\d\d:\d\d) ([+-]\d{4})$", stamp)
    if found is None or found[2] not in _MONTHS:
        return None
    return f"{found[3]}-{_MONTHS.index(found[2]) + 1:02d}-{found[1]}T{found[4]}{found[5]}"


# --- kubectl get -o yaml, -o json; docker inspect ---------------------------------------------------------------------


def _of_yaml(whole: str) -> Iterator[Told]:
    """The parts of kubectl's YAML that are needed, whose keys stand in the order of the alphabet."""
    for whole_part in re.split(r"(?m)^(?:---|(?:- |  )apiVersion: .*)$", whole):
        part = whole_part[:_PART]
        place = re.search(r"(?m)^ +nodeName: (\S+)", part)
        node = place[1] if place else None
        # What comes after the first such line, looked for once: a pattern of both tries every line for every other.
        about = _METADATA.search(part)
        name = _NAME.search(part, about.end()) if about else None
        pod = name[1] if name else "?"
        if found := re.search(r"(?m)^(?: *)involvedObject:\n", part):
            told = dict(re.findall(r"(?m)^ *(message|reason|lastTimestamp|name): (.*)$", part[found.start() :]))
            subject = told.get("name", pod)
            stamp = told.get("lastTimestamp", "").strip('"')
            yield f"kubernetes: event {told.get('reason')} of {subject}: {told.get('message', '')}", stamp, node
            continue
        if _OF_A_JOB.search(part[:_HEAD]):
            blocks = re.split(r"(?m)^ *- (?=\w+:)", part[(_index_of(part)) :])[1:]
            fields = [dict(re.findall(r"(?m)^ *(\w+): \"?([^\"\n]*)", block)) for block in blocks]
            yield from _of_conditions(pod, fields)
            continue
        status = re.split(r"(?m)^ *containerStatuses:$", part, maxsplit=1)
        for block in re.split(r"(?m)^ *- (?=\w+:)", status[1])[1:] if len(status) > 1 else ():
            container = re.search(r"(?m)^ *name: (\S+)", block)
            ended = re.search(r"(?m)^ *state:\n +terminated:\n((?: {6,}.*\n?)+)", block)
            if container and ended:
                state: State = dict(re.findall(r"(?m)^ *(exitCode|reason|signal|finishedAt): \"?([^\"\n]+)", ended[1]))
                if said := _ended(pod, container[1], state):
                    yield said, state.get("finishedAt"), node
        rest = "".join(status)
        words = _WORDS.search(rest)
        if words and (why := _WHY.search(rest, words.end())):
            yield f"kubernetes: pod {pod} failed: {why[1]}: {words[1]}", None, node


_OF_A_JOB: Final = re.compile(r"(?m)^(?:  )?kind: \w*Job$")
"""A Job of Kubernetes itself, or of what runs trainings on it: PyTorchJob, MPIJob, RayJob."""
_HEAD: Final = 4096


def _index_of(part: str) -> int:
    """Where the conditions of a status begin in YAML; its end where there are none."""
    found = re.search(r"(?m)^ +conditions:$", part)
    return found.end() if found else len(part)


def _of_conditions(job: str, conditions: Iterable[State]) -> Iterator[Told]:
    """How a job of several pods ended: its conditions stand there with what was once true, and no longer is."""
    for each in conditions:
        if str(each.get("status")) != "True":
            continue
        stamp, why = each.get("lastTransitionTime"), f"{each.get('reason')}: {each.get('message')}"
        at = stamp if isinstance(stamp, str) else None
        if each.get("type") in ("Succeeded", "Complete"):
            yield f"kubernetes: job {job} succeeded: {why}", at, None
        elif each.get("type") == "Failed":
            # Which of its pods failed, and why, is told by the pods.
            yield f"kubernetes: event {each.get('reason')} of job/{job}: {each.get('message')}", at, None


def _of_json(whole: str, context: Context) -> Iterator[Told]:
    try:
        value = json.loads(whole)
    except (ValueError, RecursionError):
        context.warn("JSON that is cut off or damaged: nothing of it was read.")
        return
    items = list(_items(value))
    before = _of_earlier_jobs(items)
    if before:
        context.warn(f"{len(before)} pod(s) are of earlier Jobs of the same name: left aside ({sorted(before)[0]}).")
    for item in items:
        if str(_dict(item, "metadata").get("name")) in before:
            continue
        state = item.get("State")
        if isinstance(state, dict) and "OOMKilled" in state:
            killed = ", OOMKilled" if state["OOMKilled"] else ""
            if state.get("Running") is not True:
                code = state.get("ExitCode")
                yield (
                    f"docker: container {str(item.get('Id'))[:12]} exited{killed}, exit code {code}",
                    _text(state, "FinishedAt"),
                    None,
                )
        elif "exitCode" in _dict(item, "status"):  # crictl inspect
            ended = _dict(item, "status")
            labels = _dict(ended, "labels")
            name, pod = _dict(ended, "metadata").get("name"), labels.get("io.kubernetes.pod.name")
            if ended.get("state") == "CONTAINER_EXITED" and (said := _ended(str(pod), str(name), ended)):
                yield said, _text(ended, "finishedAt"), None
        elif "involvedObject" in item:
            about = _dict(item, "involvedObject")
            said = f"kubernetes: event {item.get('reason')} of {about.get('name')}: {item.get('message')}"
            yield said, _text(item, "lastTimestamp") or _text(item, "eventTime"), _text(_dict(item, "source"), "host")
        else:
            yield from _of_pod(item)


def _of_earlier_jobs(items: Iterable[State]) -> set[str]:
    """Names of pods whose Job was made anew under its old name: those of all Jobs of that name but the last one.

    Pods of one Job are tries of it, and all of them tell.
    """
    jobs: dict[tuple[str, str, str], dict[str, tuple[str, set[str]]]] = {}
    for item in items:
        about = _dict(item, "metadata")
        for owner in _list(about, "ownerReferences"):
            name, uid = _text(owner, "name"), _text(owner, "uid")
            if owner.get("controller") is not True or name is None or uid is None:
                continue
            known = jobs.setdefault((str(about.get("namespace")), str(owner.get("kind")), name), {})
            since, pods = known.setdefault(uid, ("", set()))
            known[uid] = max(since, _text(about, "creationTimestamp") or ""), {*pods, str(about.get("name"))}
    earlier = (sorted(known.values(), key=lambda each: each[0])[:-1] for known in jobs.values())
    return {pod for each in earlier for since, pods in each if since for pod in pods}


def _of_pod(item: State) -> Iterator[Told]:
    pod, spec, status = str(_dict(item, "metadata").get("name")), _dict(item, "spec"), _dict(item, "status")
    node = _text(spec, "nodeName")
    if str(item.get("kind")).endswith("Job"):
        yield from _of_conditions(pod, _list(status, "conditions"))
        return
    if why := _text(status, "reason"):
        yield f"kubernetes: pod {pod} {str(status.get('phase')).lower()}: {why}: {status.get('message')}", None, node
    with_gpu = {
        each.get("name")
        for each in _list(spec, "containers")
        if any("/gpu" in key or "/mig" in key for key in _dict(_dict(each, "resources"), "limits"))
    }
    for each in _list(status, "containerStatuses"):
        if with_gpu and each.get("name") not in with_gpu:
            continue
        for key in ("state", "lastState"):
            for kind, inner in _dict(each, key).items():
                if isinstance(inner, dict):
                    state = {**inner, "waiting": kind == "waiting"}
                    if said := _ended(pod, str(each.get("name")), state, before=key == "lastState"):
                        yield said, _text(inner, "finishedAt"), node


def _items(value: object) -> Iterable[State]:
    found = value if isinstance(value, list) else value.get("items", [value]) if isinstance(value, dict) else []
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _dict(value: State, key: str) -> State:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _list(value: State, key: str) -> list[State]:
    found = value.get(key)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _text(value: State, key: str) -> str | None:
    found = value.get(key)
    return found if isinstance(found, str) else None
