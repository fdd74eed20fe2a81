"""What ``dcgmi diag -j``, ``health --check -j`` and ``nvlink --errors -j`` print: failures, and counts of link errors.

Formats: ``dcgmi/Diag.cpp``, ``Health.cpp``, ``Nvlink.cpp`` and ``DcgmiOutput.cpp`` of DCGM 2.4 to 4.6 (``dmon`` and
``discovery`` have no JSON). They tell no time: one in the text before (``date`` in a loop) is taken, else one in the
name of the file. A GPU is told by DCGM's number of it. A file may hold one output after the other.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports.series import Gathered, unnamed_gpu
from inquest.bundle.imports.told_time import told_ns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_DIAG: Final = ("DCGM Diagnostic", "DCGM GPU Diagnostic")
_SIGN: Final = re.compile(
    rb'"DCGM (?:GPU )?Diagnostic"\s*:|"Overall Health"\s*:|"Health Monitor Report"|"NVLINK Error Counts"'
    rb'|"body"\s*:\s*\{\s*"(?:Link \d{1,2}|Error Detail)"\s*:'
)
_MAX_BYTES: Final = 16 << 20
_DETAIL_CAP: Final = 600
_BAD: Final = frozenset({"fail", "warn", "warning", "failure"})
_NUMBER: Final = re.compile(r"\d{1,4}")
_LINK: Final = re.compile(r"Link (\d{1,2})")
_COUNTS: Final = {
    "CRC FLIT Error": "DEV_NVLINK_CRC_FLIT_ERROR_COUNT",
    "CRC Data Error": "DEV_NVLINK_CRC_DATA_ERROR_COUNT",
    "Replay Error": "DEV_NVLINK_REPLAY_ERROR_COUNT",
    "Recovery Error": "DEV_NVLINK_RECOVERY_ERROR_COUNT",
}

Row = dict[str, Any]


class _DcgmiJson:
    name = "dcgmi-json"
    title = "JSON of dcgmi diag, health or nvlink"
    tables = ("gpu_events", "nvlink_samples", "node_info")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        head = source.head
        begin = head.find(b"{")
        # Before the first output stand at the most a command, a date and what the shell printed.
        return 0 <= begin < 1024 and _SIGN.search(head) is not None and head[:begin].count(b"\n") < 8

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        gathered = Gathered(context)
        events: list[Row] = []
        drivers: set[str] = set()
        for before, output in _outputs(source, context):
            time_ns = told_ns(before, context.utc_offset_minutes)
            if time_ns is None:
                time_ns = told_ns(source.name.rpartition("/")[2], context.utc_offset_minutes)
            rounds = output.get("iterations")
            known = False
            for one in rounds if isinstance(rounds, list) else [output]:
                told = _told(one, drivers)
                known |= told is not None
                events += [{"ts_ns": time_ns, **event} for event in told or ()]
            if _links(output, gathered, time_ns):
                known = True
            if not known:
                context.refuse("JSON that is none of dcgmi's diag, health or nvlink")
        if events:
            yield "gpu_events", events
        if len(drivers) == 1:
            yield "node_info", [{"driver_version": drivers.pop()}]
        gathered.settle(source.name)
        yield from gathered.rows()


KIND = _DcgmiJson()


def _outputs(source: Source, context: Context) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each JSON object of a file, and the text before it.

    Raises:
        InputError: There is none.
        UnsafeInput: One is nested beyond measure.
    """
    text = source.read(_MAX_BYTES).decode("utf-8", "replace")
    decoder = json.JSONDecoder()
    at = found = 0
    while (begin := text.find("{", at)) >= 0:
        try:
            value, end = decoder.raw_decode(text, begin)
        except RecursionError:
            raise UnsafeInput(f"{source.name}: JSON nested deeper than any of dcgmi's.") from None
        except ValueError as error:
            if not found:
                raise InputError(f"{source.name}: broken JSON ({error}); run dcgmi again.") from None
            context.refuse("the end of a file that is cut off")
            return
        found += 1
        if isinstance(value, dict):
            yield text[max(at, begin - 256) : begin], value
        at = end


def _told(output: object, drivers: set[str]) -> list[Row] | None:
    """Events of a diagnostic or a health check; None where the output is neither."""
    if not isinstance(output, dict):
        return None
    for place in (output, output.get("metadata")):
        driver = place.get("Driver Version Detected") if isinstance(place, dict) else None
        if isinstance(driver, str) and 0 < len(driver) < 64:
            drivers.add(driver)
    for name in _DIAG:
        if isinstance(diag := output.get(name), dict):
            return list(_diag(diag))
    body = output.get("body")
    if isinstance(body, dict) and "Overall Health" in body:
        return list(_health(body))
    return None


def _diag(diag: dict[str, Any]) -> Iterator[Row]:
    error = diag.get("runtime_error")
    if isinstance(error, str) and error:
        yield _event(None, f"dcgmi diag: {error}")
    for category in _list(diag.get("test_categories")):
        for test in _list(category.get("tests")):
            name = f"dcgmi diag, {test['name']}" if isinstance(test.get("name"), str) else "dcgmi diag"
            bad = [result for result in _list(test.get("results")) if _is_bad(result.get("status"))]
            for result in bad:
                detail = f"{name}: {result['status']}{_warnings(result)}"
                yield from (_event(gpu, detail) for gpu in _gpus(result))
            whole = test.get("test_summary")
            if not bad and isinstance(whole, dict) and _is_bad(whole.get("status")):
                yield _event(None, f"{name}: {whole['status']}{_warnings(whole)}")


def _health(body: dict[str, Any]) -> Iterator[Row]:
    """A tree of kind, number, "Errors" and systems; each has children, a value, and text that goes on."""
    for kind, entities in body.items():
        for number, entity in _children(entities):
            for system, found in _children(dict(_children(entity)).get("Errors")):
                value = found.get("value")
                if not _is_bad(value):
                    continue
                text = " ".join(str(part) for part in found.get("overflow") or () if isinstance(part, str))
                whom = "" if kind == "GPU" else f" of {kind} {number}"
                gpu = int(number) if kind == "GPU" and _NUMBER.fullmatch(number) else None
                yield _event(gpu, f"dcgmi health, {system}{whom}: {value}" + (f": {text}" if text else ""))


def _links(output: dict[str, Any], gathered: Gathered, time_ns: int | None) -> bool:
    """Counts of errors of one GPU's links; False where the output tells none."""
    header, body = output.get("header"), output.get("body")
    if not isinstance(header, list) or "NVLINK Error Counts" not in header or not isinstance(body, dict):
        return False
    gpu = next((found[0] for text in header if isinstance(text, str) and (found := re.search(r"\d{1,4}$", text))), None)
    for link, told in body.items():
        number = _LINK.fullmatch(link)
        for name, value in _children(told):
            field = _COUNTS.get(name)
            count = value.get("value")
            if field is None or number is None or gpu is None or not isinstance(count, str) or not count.isdecimal():
                continue
            series = gathered.series(f"DCGM_FI_{field}_L{number[1]}", {"gpu": gpu})
            if series is not None and len(count) < 19:
                series.times.append(gathered.scrape())
                series.values.append(float(count))
    gathered.scrapes.append(time_ns)
    return True


def _gpus(result: dict[str, Any]) -> list[int | None]:
    """GPUs of a result: by ``entity_id`` (4.x), ``gpu_id`` (3.x) or ``gpu_ids``; None where it is of no GPU."""
    if "entity_id" in result:
        number = result["entity_id"]
        whole = result.get("entity_group") == "GPU" and isinstance(number, int) and 0 <= number < 10_000
        return [number if whole else None]
    told = result.get("gpu_id", result.get("gpu_ids"))
    return [int(number) for number in _NUMBER.findall(told)] or [None] if isinstance(told, str) else [None]


def _warnings(result: dict[str, Any]) -> str:
    told = result.get("warnings")
    texts = [
        part.get("warning") if isinstance(part, dict) else part for part in (told if isinstance(told, list) else [told])
    ]
    return "".join(f": {text}" for text in texts if isinstance(text, str) and text)


def _is_bad(status: object) -> bool:
    return isinstance(status, str) and status.lower() in _BAD


def _list(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _children(value: object) -> list[tuple[str, dict[str, Any]]]:
    children = value.get("children") if isinstance(value, dict) else None
    return (
        [(name, child) for name, child in children.items() if isinstance(child, dict)]
        if isinstance(children, dict)
        else []
    )


def _event(gpu: int | None, detail: str) -> Row:
    uuid = None if gpu is None else unnamed_gpu(gpu)
    return {"gpu_uuid": uuid, "gpu_index": gpu, "event": "health", "detail": detail[:_DETAIL_CAP]}
