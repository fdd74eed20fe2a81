"""Pages that need nothing else: one template environment, one style sheet, one policy for every HTML view.

Everything printed goes through autoescaping, and whatever reaches a page as text is made harmless before.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from inquest.render import wording

TEXT_LIMIT: Final = 2000


def page(template: str, **values: Any) -> bytes:  # noqa: ANN401  templates take anything
    """A template of ``render/templates`` filled in, as UTF-8."""
    return _environment().get_template(template).render(**values).encode("utf-8", "replace")


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
        "hosts": wording.hosts,
        "sentence": wording.sentence,
    }
    environment.filters |= filters
    style = Markup(loader.get_source(environment, "report.css")[0])
    environment.globals |= {"quantity": wording.quantity, "number": wording.number, "plural": wording.plural}
    environment.globals["style"] = style
    return environment


def _printable(value: object) -> object:
    return wording.harmless(value, TEXT_LIMIT) if type(value) is str else value
