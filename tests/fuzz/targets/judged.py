"""The same bundles as ``member``: what opens has a verdict, and claims that hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.analyze.engine import analyze
from inquest.bundle.store import BundleStore
from tests.fuzz.targets import member

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place


def run(data: bytes, place: Place) -> object:
    verdict, _ = analyze(BundleStore(member.bundle_of(data, place.scratch)), strict=True)
    return verdict.to_json()


def seeds() -> Iterator[bytes]:
    yield from member.seeds()
