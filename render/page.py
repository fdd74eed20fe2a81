"""Pages that need nothing else: one template environment, one style sheet, one policy for every HTML view.

Everything printed goes through autoescaping, and whatever reaches a page as text is made harmless before.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from inquest.render import wording

TEXT_LIMIT: Final = 2000


def page(template: str, **values: Any) -> bytes:  # noqa: ANN401  templates take anything
    """A template of ``render/templates`` filled in, as UTF-8. Its policy allows its own style and script, by digest."""
    text = _environment().get_template(template).render(**values)
    # Both stand before anything foreign that is not escaped, so that the first of each is ours.
    for element in ("style", "script"):
        ours = text.partition(f"<{element}>")[2].partition(f"</{element}>")[0]
        text = text.replace(f"{element.upper()}-DIGEST", _digest(ours), 1)
    return text.encode("utf-8", "replace")


def compiled(template: str) -> str:
    """The same ``template``, made ready to be filled in while what fills it is still being read."""
    _environment().get_template(template)
    return template


def _digest(text: str) -> str:
    """As a Content Security Policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    loader = PackageLoader("inquest.render")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    filters: dict[str, Any] = {
        "harmless": lambda text: wording.harmless(text or "", TEXT_LIMIT),
        "utc": wording.utc,
        "clock": wording.clock,
        "spans": wording.spans,
        "refs": wording.refs,
        "hosts": wording.hosts,
        "sentence": wording.sentence,
    }
    environment.filters |= filters
    environment.globals |= {"quantity": wording.quantity, "number": wording.number, "plural": wording.plural}
    for name, file in (("style", "report.css"), ("script", "report.js")):
        environment.globals[name] = Markup(loader.get_source(environment, file)[0])
    return environment


def _printable(value: object) -> object:
    return wording.harmless(value, TEXT_LIMIT) if type(value) is str else value
