"""NVLink: state, traffic and errors of each link of a GPU, in one call.

Facts (nvml.h): a field's scope is the number of the link. Traffic is in KiB since the driver was loaded up to Hopper
(payload only), in bytes from Blackwell on; speed is in MB/s. Errors of the data link have a field each from Hopper on;
before, each of the first twelve links has a number of its own.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Final

import pynvml as nv

from inquest.capture.gpu_fields import UNSUPPORTED, Field, Fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from inquest.capture.collector import Row
    from inquest.capture.gpus import Handle

_LINK_COUNT: Final = 91
_MOST_LINKS: Final = 36
"""Twice as many as any GPU has today."""
_KIB: Final = 1024
_BY_SCOPE: Final = {
    165: "active",  # NVLINK_GET_STATE
    164: "mb_s",  # NVLINK_GET_SPEED
    202: "tx_bytes",  # NVLINK_COUNT_XMIT_BYTES: NVLink 5
    204: "rx_bytes",
    201: "tx_packets",
    203: "rx_packets",
    138: "tx_kib",  # NVLINK_THROUGHPUT_DATA_TX
    139: "rx_kib",
    140: "tx_raw_kib",
    141: "rx_raw_kib",
    161: "replay_errors",  # NVLINK_ERROR_DL_REPLAY
    162: "recovery_errors",
    163: "crc_errors",
    206: "malformed_packets",  # NVLINK_COUNT_MALFORMED_PACKET_ERRORS: NVLink 5, as all below
    207: "buffer_overruns",
    208: "rx_errors",
    209: "remote_errors",
    211: "integrity_errors",
    212: "tx_drops",
    213: "recoveries_done",
    214: "recoveries_failed",
    215: "link_recoveries",
    219: "effective_errors",
    221: "symbol_errors",
}
_HISTOGRAM: Final = {235 + mended: f"fec_bin_{mended}" for mended in range(16)}
"""NVLINK_COUNT_FEC_HISTORY_0 to _15 (NVLink 5): what a link mends before it shows errors."""
_HISTOGRAM_EVERY: Final = 8
"""Looks. It is as many fields as all others, and moves slowly."""
_BY_NUMBER: Final = {
    "crc_errors": (39, 102),  # NVLINK_CRC_DATA_ERROR_COUNT_L0 and _L6
    "replay_errors": (46, 108),
    "recovery_errors": (53, 114),
    "ecc_errors": (148, 154),  # NVLINK_ECC_DATA_ERROR_COUNT_L0 and _L6
}
_FIRST_LINKS: Final = 6
_NUMBERED_LINKS: Final = 12


class Links:
    """The links of one GPU.

    Attributes:
        down: Links that have been up while we looked, and are not now.
    """

    def __init__(self) -> None:
        self.down: frozenset[int] = frozenset()
        self._fields: Fields[tuple[int, str]] | None = None
        self._histogram: Fields[tuple[int, str]] | None = None
        self._looks = 0
        self._seen_up: set[int] = set()
        self._state_call = True
        self._order: list[tuple[int, str]] = []
        self._links: list[_Link] = []
        """How what is found in that order becomes rows."""

    def read(self, handle: Handle, *, everything: bool = False) -> list[Row]:
        """One row a link; none where the GPU has no NVLink. ``everything``: also what is not read at each look.

        Raises:
            NVMLError: The GPU is lost or the call failed otherwise.
        """
        if self._fields is None or self._histogram is None:
            count = min(Fields({(_LINK_COUNT, 0): "links"}).read(handle).get("links", 0), _MOST_LINKS)
            self._fields = Fields(_wanted(count))
            self._histogram = Fields(_by_scope(_HISTOGRAM, count))
        found = self._fields.read(handle)
        if everything or self._looks % _HISTOGRAM_EVERY == 0:
            found |= self._histogram.read(handle)
        self._looks += 1
        if (order := list(found)) != self._order:  # as a rule the GPU answers as it did
            self._order, self._links = order, _links(order)
        values = list(found.values())
        rows = [link.row(values) for link in self._links]
        self._states(handle, [row for row in rows if "active" not in row])
        up = {row["link"] for row in rows if row.get("active")}
        self._seen_up |= up
        self.down = frozenset(self._seen_up - up)
        return rows

    def _states(self, handle: Handle, rows: list[Row]) -> None:
        """Ask for the state of links whose GPU has no field for it."""
        for row in rows if self._state_call else ():
            try:
                row["active"] = nv.nvmlDeviceGetNvLinkState(handle, row["link"]) == nv.NVML_FEATURE_ENABLED
            except nv.NVMLError as error:
                if error.value not in UNSUPPORTED:
                    raise
                self._state_call = False
                return


class _Link:
    """One link: which of the values found are its own."""

    def __init__(self, link: int) -> None:
        self._link = link
        self._plain: list[tuple[str, int]] = []
        self._names: list[str] = []
        self._taken: Callable[[list[int]], tuple[int, ...]] = tuple
        """Gives their values."""
        self._in_kib: list[tuple[str, int]] = []
        self._speed = self._state = -1

    def take(self, column: str, at: int) -> None:
        """The value at that place is this column's."""
        if column.endswith("_kib"):
            self._in_kib.append((f"{column.removesuffix('_kib')}_bytes", at))
        elif column == "mb_s":
            self._speed = at
        elif column == "active":
            self._state = at
        else:
            self._plain.append((column, at))

    def settle(self) -> None:
        """All are taken: traffic that is told in bytes as well is not taken in KiB."""
        told = {column for column, _ in self._plain}
        self._in_kib = [(column, at) for column, at in self._in_kib if column not in told]
        if len(self._plain) > 1:  # of one alone a getter gives no tuple
            self._names, places = map(list, zip(*self._plain, strict=True))
            self._taken = itemgetter(*places)
            self._plain = []

    def row(self, values: list[int]) -> Row:
        """Its columns."""
        row: Row = {"link": self._link}
        if self._names:
            row.update(zip(self._names, self._taken(values), strict=True))
        for column, at in self._plain:
            row[column] = values[at]
        for column, at in self._in_kib:
            row[column] = values[at] * _KIB
        if self._speed >= 0:
            row["speed_mbps"] = values[self._speed] * 8
        if self._state >= 0:
            row["active"] = values[self._state] > 0  # 2 is asleep: up, and saving power
        return row


def _links(order: list[tuple[int, str]]) -> list[_Link]:
    links: dict[int, _Link] = {}
    for at, (link, column) in enumerate(order):
        links.setdefault(link, _Link(link)).take(column, at)
    for of in links.values():
        of.settle()
    return list(links.values())


def _by_scope(fields: dict[int, str], count: int) -> dict[Field, tuple[int, str]]:
    return {(field, link): (link, column) for link in range(count) for field, column in fields.items()}


def _wanted(count: int) -> dict[Field, tuple[int, str]]:
    wanted = _by_scope(_BY_SCOPE, count)
    for link in range(min(count, _NUMBERED_LINKS)):
        for column, (first, seventh) in _BY_NUMBER.items():
            field = first + link if link < _FIRST_LINKS else seventh + link - _FIRST_LINKS
            wanted[field, 0] = link, column
    return wanted
