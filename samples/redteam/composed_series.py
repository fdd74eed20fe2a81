"""Changes of what was measured: samples taken away, added, renamed or laid beside, the truth as it was."""

from __future__ import annotations

import hashlib
import math
import re
from typing import TYPE_CHECKING, Any, Final

from . import composed_folder as folders

if TYPE_CHECKING:
    from random import Random

    from .composed_folder import Folder, Labels, Series, Values

FIVE: Final = (
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_XID_ERRORS",
)
_COUNTERS: Final = re.compile(
    r"ENERGY|ECC_.*TOTAL|REPLAY|VIOLATION|_total$|node_(?:disk|network).*|XID_ERRORS_TOTAL|RETIRED"
)
_AT_REST: Final = {
    "DCGM_FI_DEV_POWER_USAGE": 70,
    "DCGM_FI_DEV_GPU_TEMP": 34,
    "DCGM_FI_DEV_MEMORY_TEMP": 38,
    "DCGM_FI_DEV_FB_USED": 4,
    "DCGM_FI_DEV_SM_CLOCK": 345,
}
_WORK: Final = re.compile(r"UTIL|PROF_|FB_USED|FB_FREE|POWER_USAGE|SM_CLOCK|GPU_TEMP|MEMORY_TEMP|REASONS|ENERGY")


def _number(value: Any) -> float:  # noqa: ANN401  JSON is what it is
    return float(value)


def _text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return f"{value:g}" if abs(value) < 1e6 else str(round(value))


def _other_uuid(uuid: str, whose: str) -> str:
    return f"GPU-{hashlib.sha256((uuid + whose).encode()).hexdigest()[:8]}{uuid[12:]}"


def no_metrics(folder: Folder, rng: Random) -> Folder | None:
    """Nobody kept the metrics."""
    found = folder.of("metrics")
    return folder.without(found) if found else None


def _without_nodes(folder: Folder, gone: list[str]) -> Folder | None:
    return folders.remade(folder, lambda m, v: [] if folders.host_of(m) in gone else [(m, v)])


def one_node_dark(folder: Folder, rng: Random) -> Folder | None:
    """One node's exporter was not scraped."""
    hosts = folders.hosts(folder)
    return _without_nodes(folder, [rng.choice(hosts)]) if len(hosts) > 1 else None


def every_second_node_dark(folder: Folder, rng: Random) -> Folder | None:
    """Nor was every second one."""
    hosts = folders.hosts(folder)
    return _without_nodes(folder, hosts[rng.randrange(2) :: 2]) if len(hosts) > 1 else None


def _thinned(folder: Folder, every: float) -> Folder | None:
    def thin(labels: Labels, values: Values) -> list[Series]:
        out: Values = []
        for t, v in values:
            if not out or float(t) - float(out[-1][0]) >= every - 0.5:
                out.append([t, v])
        return [(labels, out)]

    return folders.remade(folder, thin)


def each_minute(folder: Folder, rng: Random) -> Folder | None:
    """A step of 60 seconds in the query."""
    return _thinned(folder, 60)


def each_five_minutes(folder: Folder, rng: Random) -> Folder | None:
    """A step of five minutes."""
    return _thinned(folder, 300)


def five_fields(folder: Folder, rng: Random) -> Folder | None:
    """A short list of counters; other exporters are left."""
    if not any(m["__name__"] in FIVE for m, _ in folders.series(folder)):
        return None
    return folders.remade(
        folder, lambda m, v: [] if m["__name__"].startswith("DCGM_") and m["__name__"] not in FIVE else [(m, v)]
    )


def counters_reset(folder: Folder, rng: Random) -> Folder | None:
    """Exporters were restarted in the middle: their counters begin anew."""
    span = folders.span(folder)
    if span is None:
        return None
    middle = span[0] + (span[1] - span[0]) * rng.uniform(0.3, 0.7)

    def reset(labels: Labels, values: Values) -> list[Series]:
        if not _COUNTERS.search(labels["__name__"]):
            return [(labels, values)]
        base = next((_number(v) for t, v in values if float(t) >= middle), 0.0)
        return [(labels, [[t, v if float(t) < middle else _text(_number(v) - base)] for t, v in values])]

    return folders.remade(folder, reset)


def hole(folder: Folder, rng: Random) -> Folder | None:
    """Three minutes in the middle were not scraped."""
    span = folders.at_work(folder)
    if span is None or span[1] - span[0] < 600:
        return None
    begin = span[0] + (span[1] - span[0]) * rng.uniform(0.3, 0.6)
    return folders.remade(folder, lambda m, v: [(m, [p for p in v if not begin <= float(p[0]) < begin + 180])])


def begins_late(folder: Folder, rng: Random) -> Folder | None:
    """Scraping began when a third of the work was done."""
    span = folders.at_work(folder)
    if span is None or span[1] - span[0] < 600:
        return None
    begin = span[0] + (span[1] - span[0]) * rng.uniform(0.2, 0.4)
    return folders.remade(folder, lambda m, v: [(m, [p for p in v if float(p[0]) >= begin])])


def _end(folder: Folder) -> float | None:
    """When all samples end together; None where a GPU or a node fell silent before."""
    ends = [float(v[-1][0]) for m, v in folders.series(folder) if folders.is_gpu(m) and v]
    return max(ends) if ends and max(ends) - min(ends) < 120 else None


def _step(values: Values) -> float:
    return max(5.0, (float(values[-1][0]) - float(values[0][0])) / max(1, len(values) - 1))


_NEXT: Final = {
    "DCGM_FI_DEV_GPU_UTIL": (92, 3),
    "DCGM_FI_DEV_MEM_COPY_UTIL": (41, 3),
    "DCGM_FI_DEV_FB_USED": (30112, 0),
    "DCGM_FI_DEV_FB_FREE": (10112, 0),
    "DCGM_FI_DEV_GPU_TEMP": (58, 1),
    "DCGM_FI_DEV_MEMORY_TEMP": (63, 1),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": (0.93, 0.02),
    "DCGM_FI_PROF_SM_ACTIVE": (0.62, 0.03),
    "DCGM_FI_PROF_SM_OCCUPANCY": (0.31, 0.02),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": (0.33, 0.02),
    "DCGM_FI_PROF_DRAM_ACTIVE": (0.41, 0.02),
}
"""What another job makes of a GPU: mean and deviation."""


def _tail(folder: Folder, rng: Random, *, busy: bool) -> Folder | None:
    end, work = _end(folder), folders.at_work(folder)
    if end is None or work is None or end < work[1] + 30 or _held(folder):
        return None  # where it ended at work, nobody knows what came of it
    highest: dict[str, float] = {}
    for m, v in folders.series(folder):
        highest[m["__name__"]] = max(highest.get(m["__name__"], 0.0), *(_number(x) for _, x in v))

    def longer(labels: Labels, values: Values) -> list[Series]:
        name, step = labels["__name__"], _step(values)
        last = _number(values[-1][1])
        rise = step * 8e4 if "ENERGY" in name else 0
        out = list(values)
        for k in range(1, int(1200 / step)):
            value = last + k * rise
            if busy and k * step > 90 and name in _NEXT:
                value = max(0.0, rng.gauss(*_NEXT[name]))
                value = value if "PROF" in name else round(value)
            elif busy and k * step > 90 and re.search("POWER_USAGE|SM_CLOCK", name):
                value = highest[name] * (0.85 if "POWER" in name else 1)
            out.append([round(float(values[-1][0]) + k * step, 3), _text(value)])
        return [(labels, out)]

    return folders.remade(folder, longer)


def _held(folder: Folder) -> bool:
    """Whether somebody holds GPUs when the samples end."""
    return any(_number(v[-1][1]) > 500 for m, v in folders.series(folder) if m["__name__"] == "DCGM_FI_DEV_FB_USED")


def goes_on_idle(folder: Folder, rng: Random) -> Folder | None:
    """Telemetry of 20 minutes more, nobody on the GPUs."""
    return _tail(folder, rng, busy=False)


def goes_on_with_the_next_job(folder: Folder, rng: Random) -> Folder | None:
    """Telemetry of 20 minutes more, with the next job."""
    return _tail(folder, rng, busy=True)


def hot(folder: Folder, rng: Random) -> Folder | None:
    """One GPU is 12 degrees hotter than it was, at most 82, and throttled by nothing."""
    cards = sorted({folders.card_of(m) for m, _ in folders.series(folder) if m["__name__"].endswith("GPU_TEMP")})
    if len(cards) < 2:
        return None
    one = rng.choice(cards)

    def warm(labels: Labels, values: Values) -> list[Series]:
        if labels["__name__"].endswith("GPU_TEMP") and folders.card_of(labels) == one:
            values = [[t, _text(max(_number(v), min(82.0, _number(v) + 12)))] for t, v in values]
        return [(labels, values)]

    return folders.remade(folder, warm)


def corrected(folder: Folder, rng: Random) -> Folder | None:
    """A GPU corrected memory errors, and one row was remapped for them long ago."""
    names = ("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS")
    found = folders.series(folder)
    cards = sorted({folders.card_of(m) for m, _ in found if m["__name__"] in names})
    if not cards:
        return None
    one, span = rng.choice(cards), folders.span(folder) or (0.0, 1.0)
    times = sorted(rng.uniform(*span) for _ in range(5))

    def count(labels: Labels, values: Values) -> list[Series]:
        if folders.card_of(labels) != one or labels["__name__"] not in names:
            return [(labels, values)]
        if labels["__name__"] == names[1]:
            return [(labels, [[t, _text(_number(v) + 1)] for t, v in values])]
        return [(labels, [[t, _text(_number(v) + 3 + sum(at <= float(t) for at in times))] for t, v in values])]

    return folders.remade(folder, count)


def pauses(folder: Folder, rng: Random) -> Folder | None:
    """Each ten minutes all GPUs wait for 40 seconds, while something is saved."""
    work = folders.at_work(folder)
    if work is None or work[1] - work[0] < 1500:
        return None
    first = work[0] + rng.uniform(300, 600)
    begins = [first + 600 * k for k in range(int((work[1] - 120 - first) // 600) + 1)]

    def rest(labels: Labels, values: Values) -> list[Series]:
        name = labels["__name__"]
        if not re.search(r"GPU_UTIL|MEM_COPY|PROF_|POWER_USAGE", name):
            return [(labels, values)]
        low = _AT_REST.get(name, 0)
        return [
            (labels, [[t, _text(low) if any(b <= float(t) < b + 40 for b in begins) else v] for t, v in values]),
        ]

    return folders.remade(folder, rest)


def half_of_each_node(folder: Folder, rng: Random) -> Folder | None:
    """Nodes have as many GPUs again, on which nobody was: the job asked for half."""
    found = [(m, v) for m, v in folders.series(folder) if folders.is_gpu(m)]
    if any("GPU_I_ID" in m or not m.get("gpu", "").isdigit() or not m.get("UUID") for m, _ in found) or not found:
        return None
    most = max(int(m["gpu"]) for m, _ in found) + 1
    if most > 4:
        return None

    def twin(labels: Labels, values: Values) -> list[Series]:
        if not folders.is_gpu(labels):
            return [(labels, values)]
        index = int(labels["gpu"]) + most
        other = {**labels, "UUID": _other_uuid(labels["UUID"], "twin"), "gpu": str(index)}
        for key in ("hpc_job", "exported_pod", "exported_namespace", "exported_container"):
            other.pop(key, None)
        if "device" in labels:
            other["device"] = f"nvidia{index}"
        if "pci_bus_id" in labels:
            bus = labels["pci_bus_id"]
            other["pci_bus_id"] = re.sub(r":[0-9A-Fa-f]{2}:", f":{0xA0 + 8 * index:02X}:", bus)
        name = labels["__name__"]
        low = _AT_REST.get(name, 0) if _WORK.search(name) else _number(values[0][1])
        if "FB_FREE" in name:
            low = max(_number(v) for _, v in values)
        if "XID" in name or "REASONS" in name:
            low = 0 if "XID" in name else 1
        return [(labels, values), (other, [[t, _text(low)] for t, _ in values])]

    return folders.remade(folder, twin)


def stranger_node(folder: Folder, rng: Random) -> Folder | None:
    """A node of somebody else's in the same answer, at work, its GPUs with an XID 31 and warmer."""
    found = [(m, v) for m, v in folders.series(folder) if folders.is_gpu(m)]
    hosts = folders.hosts(folder)
    if not found or not hosts:
        return None
    one = hosts[0]
    other = re.sub(r"\d+(?=\D*$)", lambda d: str(int(d[0]) + 57).zfill(len(d[0])), folders.short(one))
    if other == folders.short(one) or other in map(folders.short, hosts):
        return None
    shift = rng.uniform(200, 500)

    def beside(labels: Labels, values: Values) -> list[Series]:
        if folders.host_of(labels) != one:
            return [(labels, values)]
        new = {k: v.replace(one, other) for k, v in labels.items()}
        if "instance" in new and one not in labels["instance"]:
            new["instance"] = "10.77.4.9:9400"
        for key in ("hpc_job", "exported_pod"):
            if key in new:
                new[key] = "9912345" if key == "hpc_job" else "eval-x-0"
        if new.get("UUID"):
            new["UUID"] = _other_uuid(new["UUID"], "stranger")
        name, cut = labels["__name__"], int(len(values) * 0.1)
        half = values[cut : max(cut + 1, len(values) // 2)]
        like = [half[(k * 7 + 3) % len(half)][1] for k in range(len(values))]
        later = float(values[0][0]) + shift
        made = [
            [t, ("31" if float(t) > later else "0") if "XID" in name else x]
            for (t, _), x in zip(values, like, strict=True)
        ]
        return [(labels, values), (new, values if _COUNTERS.search(name) else made)]

    return folders.remade(folder, beside)


def long_names(folder: Folder, rng: Random) -> Folder | None:
    """The exporter tells its hosts by their long names."""
    hosts = folders.hosts(folder)
    if not hosts or any("." in host for host in hosts):
        return None
    long = {host: f"{host}.hpc.example.org" for host in hosts}

    def call(labels: Labels, values: Values) -> list[Series]:
        host = folders.host_of(labels)
        return [({k: v.replace(host, long.get(host, host)) if host else v for k, v in labels.items()}, values)]

    made = folders.remade(folder, call)
    return made and made.called({new: old for old, new in long.items()})


def addresses(folder: Folder, rng: Random) -> Folder | None:
    """Hosts are told by their address alone."""
    hosts = folders.hosts(folder)
    if not hosts:
        return None
    told = {host: f"10.14.3.{20 + k}" for k, host in enumerate(hosts)}

    def call(labels: Labels, values: Values) -> list[Series]:
        host = folders.host_of(labels)
        kept = {k: v for k, v in labels.items() if k not in folders.HOSTS}
        return [({**kept, "instance": f"{told.get(host, '10.14.3.2')}:9400"}, values)]

    made = folders.remade(folder, call)
    return made and made.called({new: old for old, new in told.items()})


def other_host_label(folder: Folder, rng: Random) -> Folder | None:
    """The relabelling of the site names the host in ``node``; ``instance`` is a pod's address."""
    if not folders.hosts(folder):
        return None

    def call(labels: Labels, values: Values) -> list[Series]:
        if "Hostname" not in labels:
            return [(labels, values)]
        kept = {k: v for k, v in labels.items() if k != "Hostname"}
        return [({**kept, "node": labels["Hostname"], "instance": "172.20.3.9:9400"}, values)]

    if not any("Hostname" in m for m, _ in folders.series(folder)):
        return None
    return folders.remade(folder, call)


def _only(folder: Folder, *gone: str) -> Folder | None:
    found = [m for m, _ in folders.series(folder) if folders.is_gpu(m)]
    if not found or not all(m.get("UUID") and m.get("gpu") for m in found) or any("GPU_I_ID" in m for m in found):
        return None
    return folders.remade(folder, lambda m, v: [({k: x for k, x in m.items() if k not in gone}, v)])


def index_only(folder: Folder, rng: Random) -> Folder | None:
    """GPUs are told by their number on the node alone."""
    made = _only(folder, "UUID", "pci_bus_id", "device")
    if made:
        made.blind = True
    return made


def uuid_only(folder: Folder, rng: Random) -> Folder | None:
    """GPUs are told by their UUID alone."""
    return _only(folder, "gpu", "pci_bus_id", "device")


def by_bus(folder: Folder, rng: Random) -> Folder | None:
    """GPUs are told by UUID and address on the bus."""
    if not all(m.get("pci_bus_id") for m, _ in folders.series(folder) if folders.is_gpu(m)):
        return None
    return _only(folder, "gpu", "device")
