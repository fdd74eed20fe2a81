"""Sets that were met in two rounds, each by a version of its own: their parts of docs/calibration.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from .blind import first_contact
from .by_kind import but_healthy, sets
from .unseen import healthy

_HERE: Final = Path(__file__).parent
_KINDS: Final = {"telemetry": "simulated", "wrapped": "real", "curves": "simulated", "logs": "real"}


_FIFTH: Final = """
By two more authors who had read neither rules nor tests nor the earlier sets (`samples/redteam/fifth`); the truth was committed before
the engine saw a case, and each was judged once. Two rounds, each from a clone of the commit named: the second was written without
knowing how the first was met, and judged half an hour later, while what the first had shown was being mended. Kinds of evidence as in
the third set; healthy is what design.md calls so.
"""
_LATER: Final = """
By two more authors (`samples/redteam/{}`), who had not read docs/families.md either; the truth was committed before the engine
saw a case, and each was judged once. Two rounds, both written before either was judged, each from a clone of the commit named: what
the first had shown was being mended when the second was judged half an hour later. Kinds of evidence as in the third set; healthy is
what design.md calls so.
"""
_THIRTEENTH: Final = """
By two more authors (`samples/redteam/{}`), who had not read docs/families.md either; the truth was committed before the engine
saw a case, and each was judged once, from a clone of the commit named. It holds what an ordinary month brings to a support desk and
no puzzles, so its cases are easier than those of the sets before it. The second round was judged half an hour after the first, while
that was being mended; its programs were written before the first was judged, its data (sketched before) after the author had read
what the engine had said of the first: the weaker evidence. Kinds of evidence as in the third set; healthy is what design.md calls so.
"""
_FOURTEENTH: Final = """
By two more authors (`samples/redteam/{}`), who had not read docs/families.md either; the truth was committed before the engine
saw a case, and each was judged once, from a clone of the commit named. What a case is, an author did not choose: framework, family,
what is missing and what else is odd were drawn by lot from lists committed first, so it is neither easy nor hard on purpose, and holds
what nobody would think of putting together. The second round was drawn and made before the first was read by its author, and judged
half an hour later, while what the first had shown was being mended. Kinds of evidence as in the third set; healthy is what design.md calls so.
"""
_SIXTEENTH: Final = """
By two more authors (`samples/redteam/{}`), who had not read docs/families.md either; the truth was committed before the engine
saw a case, and each was judged once, from a clone of the commit named: one round, for there was no time for two. What a case is, was
drawn by lot from lists committed first, as in the two sets before; the programs and most ways and complications are others. Kinds of
evidence as in the third set; healthy is what design.md calls so.
"""
_SEVENTEENTH: Final = """
By two more authors (`samples/redteam/{}`), who had not read docs/families.md either; the truth was committed before the engine
saw a case, and each was judged once, from a clone of the commit named: the data first, the programs a quarter of an hour later, while
what the data had shown was being mended. What a case is, was drawn by lot from lists committed first; each author had forty minutes.
Kinds of evidence as in the third set; healthy is what design.md calls so.
"""

_THREE_AUTHORS: Final = """
By three more authors (`samples/redteam/{}`), who had read neither docs/families.md nor a README or a case of an earlier set; the truth
was committed before the engine saw a case, and each was judged once, by the commit named. What a case is, was drawn by lot from lists
committed first; each author had {} minutes. Kinds of evidence as in the third set; healthy is what design.md calls so.
"""

_SETS: Final = (
    ("fifth", ("aeacffd", "0fe800e"), _FIFTH),
    ("sixth", ("75afcca", "2a16435"), _LATER),
    ("seventh", ("6243860", "e984a64"), _LATER),
    ("eighth", ("cc9a5c6", "fb59609"), _LATER),
    ("ninth", ("6a1cfeb", "ba9f982"), _LATER),
    ("tenth", ("2ccd98c", "8155c1d"), _LATER),
    ("eleventh", ("797c8c4", "e6a4756"), _LATER),
    ("twelfth", ("9a760de", "99aa9fc"), _LATER),
    ("thirteenth", ("e6b91e6d", "d53ebfa6"), _THIRTEENTH),
    ("fourteenth", ("c47b1d58", "df821564"), _FOURTEENTH),
    ("fifteenth", ("167b742e", "365f16f4"), _FOURTEENTH),
    ("sixteenth", ("2778d1a9",), _SIXTEENTH),
    ("seventeenth", ("",), _SEVENTEENTH),
    ("eighteenth", ("",), _THREE_AUTHORS.replace("{} minutes", "forty minutes")),
    ("nineteenth", ("",), _THREE_AUTHORS.replace("{} minutes", "forty minutes")),
    ("twentieth", ("",), _THREE_AUTHORS.replace("{} minutes", "thirty minutes")),
    ("twentyfirst", ("",), _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "thirty minutes")),
    ("twentysecond", ("",), _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "thirty minutes")),
    ("twentythird", ("",), _THREE_AUTHORS.replace("{} minutes", "thirty minutes")),
    ("twentyfourth", ("",), _THREE_AUTHORS.replace("three more", "four more").replace("{} minutes", "35 minutes")),
    (
        "twentyfifth",
        ("4892b7e0", "06629692"),
        _THREE_AUTHORS.replace("three more", "six more").replace("{} minutes", "35 minutes"),
    ),
    (
        "twentysixth",
        ("cc47a580",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "forty minutes"),
    ),
    (
        "twentyseventh",
        ("aa24dcec",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "forty minutes"),
    ),
    (
        "twentyeighth",
        ("1f69fe95",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "38 minutes"),
    ),
    (
        "twentyninth",
        ("618a7139",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "38 minutes"),
    ),
    (
        "thirtieth",
        ("403baa21",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "38 minutes"),
    ),
    (
        "thirtyfirst",
        ("ec403e17",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
    (
        "thirtysecond",
        ("f85465ef",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
    (
        "thirtythird",
        ("33c55150",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
    (
        "thirtyfourth",
        ("8b42b1ea",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
    (
        "thirtyfifth",
        ("c13f5444",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
    (
        "thirtysixth",
        ("4cbb019e",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
    (
        "thirtyseventh",
        ("4f73d7e0",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
    (
        "thirtyeighth",
        ("cd058850", "8cbb2438"),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
    (
        "thirtyninth",
        ("a56b63f4",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
    (
        "fortieth",
        ("d928a20f",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
    (
        "fortyfirst",
        ("2b994044",),
        _THREE_AUTHORS.replace("three more", "five more").replace("{} minutes", "24 minutes"),
    ),
)
"""Folder of a set, the versions that judged its rounds, and who wrote it."""


def sections() -> str:
    """The parts of the page, in order."""
    return "".join(_section(name, rounds, text.format(name)) for name, rounds, text in _SETS)


def _spelled(name: str) -> str:
    """An ordinal that a folder's name runs together: ``twentyfirst``."""
    return re.sub(r"^(twenty|thirty|forty)(?=[a-z])", r"\1-", name)


def _section(name: str, rounds: tuple[str, ...], text: str) -> str:
    files = sorted((_HERE / name).glob("first_contact_*.json"))
    found = sets(name + ", round {}", files, _KINDS, rounds)
    told = [
        f"the {which} round, {but_healthy(found[at * len(_KINDS) :][: len(_KINDS)])}"
        for at, which in enumerate(("first", "second")[: len(rounds)] if len(rounds) > 1 else ("one",))
    ]
    after = f"Without the healthy runs: of {'; of '.join(told)}. Commands: `samples/redteam/{name}/README.md`."
    found = [one for one in found if one["cases"]]  # an author who was cut off left none of a kind
    return first_contact(
        f"{'An' if name[0] == 'e' else 'A'} {_spelled(name)} unseen set", found, text, healthy(found) + after
    )
