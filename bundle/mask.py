"""Masking of secrets: what looks like a credential is replaced before it leaves the node.

A secret becomes ``[masked:RULE:DIGEST]``. The digest is the start of an HMAC under a key that never enters a bundle,
so that equal secrets stay recognisable as equal and cannot be guessed at; without a key it is left out.

Every rule has a *hint*, a regular expression for RE2 (linear, and fast over whole Arrow columns) that finds each line
the rule could change; only those lines meet the rule's own expression. These are written so that any line takes linear
time: every repetition is bounded or begins at a boundary that a run of the same characters has only once.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle import schema
from inquest.bundle.unredacted import UNMASKED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: the group ``secret`` of ``pattern`` is masked when ``accept`` agrees."""

    name: str
    hint: str
    pattern: re.Pattern[str]
    accept: Callable[[re.Match[str]], bool] | None = None


_EMPTY: Final = frozenset({"", "none", "null", "nil", "true", "false", "required", "optional", "default", "unset"})
_VOCABULARY: Final = re.compile(
    "pad|eos|bos|unk|sep|cls|mask|image|audio|video|next|first|last|start|end|stop|special|per|prompt|think|tool|begin"
    "|decoder|forced|fim|prefix|suffix|middle|new|previous|prev|current"
)
"""Words before ``token`` that speak of language models, not of access."""


def _is_password(match: re.Match[str]) -> bool:
    value = match["secret"]
    if value.lower() in _EMPTY or not value.strip("*.<>"):
        return False
    # "password: incorrect" is prose; "password: hunter2", "password=incorrect" and "'password': 'x'" are not.
    return match["eq"] == "=" or bool(match["quote"]) or any(not c.isalpha() for c in value.rstrip(".,!?"))


def _is_key(match: re.Match[str]) -> bool:
    value = match["secret"]
    if len(value) < 8 or not re.fullmatch(r"[A-Za-z0-9_\-.+/=~:%|]+", value):
        return False
    if not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    # Numbers with an exponent, hexadecimal addresses, and special tokens of a vocabulary are ordinary.
    return not re.fullmatch(r"[\d.]+[eE][+-]?\d+|0x[0-9a-fA-F]+|<?\|.*\|>?", value)


def _is_access_token(match: re.Match[str]) -> bool:
    word = re.search(r"([A-Za-z]{0,16})[_-]?\Z", match.string[max(0, match.start() - 18) : match.start()])
    return _is_key(match) and (word is None or not _VOCABULARY.fullmatch(word[1].lower()))


_ASSIGN: Final = r"""["']?\s{0,4}(?P<eq>=>?|:)\s{0,4}(?P<quote>["']?)"""
_VALUE: Final = r"""(?P<secret>(?<=")[^"\n]{1,512}|(?<=')[^'\n]{1,512}|[^\s"',;&)}\]]{1,512})"""


def _rule(name: str, hint: str, pattern: str, accept: Callable[[re.Match[str]], bool] | None = None) -> Rule:
    return Rule(name, hint, re.compile(pattern, re.ASCII), accept)


RULES: Final[tuple[Rule, ...]] = (
    _rule(
        "private_key",
        r"PRIVATE KEY-",
        r"(?s)-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?P<secret>.*?)(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|\Z)",
        lambda match: bool(match["secret"].strip(" \r\n\\n\"'")),
    ),
    _rule("huggingface", r"hf_", r"(?<![A-Za-z0-9])(?P<secret>hf_[A-Za-z0-9]{30,200})(?![A-Za-z0-9])"),
    _rule(
        "github",
        r"gh[pousr]_|github_pat_",
        r"(?<![A-Za-z0-9])(?P<secret>gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})",
    ),
    _rule("gitlab", r"glpat-", r"(?<![A-Za-z0-9])(?P<secret>glpat-[A-Za-z0-9_-]{20,255})"),
    _rule("aws_id", r"A[KS]IA", r"(?<![A-Za-z0-9])(?P<secret>A[KS]IA[A-Z0-9]{16})(?![A-Za-z0-9])"),
    _rule(
        "aws_secret",
        r"(?i:aws_?secret)",
        r"""(?i)aws_?secret_?(?:access_?)?key["']?\s{0,4}[=:]?\s{0,4}["']?(?P<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])""",
    ),
    _rule(
        "google", r"AIza|ya29\.", r"(?<![A-Za-z0-9_-])(?P<secret>AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,2048})"
    ),
    _rule(
        "google_key_id",
        r"private_key_id",
        r"""private_key_id["']?\s{0,4}[=:]\s{0,4}["']?(?P<secret>[0-9a-f]{40})""",
    ),
    _rule(
        "openai",
        r"sk-",
        r"(?<![A-Za-z0-9_-])(?P<secret>sk-(?:proj|svcacct|admin|or-v1|ant-[a-z]{2,8}\d\d)-[A-Za-z0-9_-]{20,255}"
        r"|sk-[A-Za-z0-9]{20,255})(?![A-Za-z0-9-])",
    ),
    _rule("slack", r"xox[abeoprs]-", r"(?<![A-Za-z0-9])(?P<secret>xox[abeoprs]-[A-Za-z0-9-]{10,255})"),
    _rule("slack_hook", r"hooks\.slack", r"hooks\.slack(?:-gov)?\.com/services/(?P<secret>[A-Za-z0-9/_-]{20,255})"),
    _rule(
        "jwt",
        r"eyJ",
        r"(?<![A-Za-z0-9_.-])(?P<secret>eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,1024})?)",
    ),
    _rule(
        "wandb",
        r"(?i:wandb|api[ _-]?key)",
        r"(?i)(?:wandb[ _-]?(?:api[ _-]?key|login)|api[ _-]?key)[^0-9\n]{0,40}?(?<![0-9a-z])"
        r"(?P<secret>[0-9a-f]{40}|wandb_v1_[a-z0-9_]{40,120})(?![0-9a-z])",
    ),
    _rule("netrc", r"(?i:login\s)", r"(?i)\blogin\s{1,4}\S{1,128}\s{1,4}password\s{1,4}(?P<secret>\S{1,512})"),
    _rule(
        "authorization",
        r"(?i:authorization)",
        r"""(?i)authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token|digest)\s{1,4}(?P<secret>[^\s"',;]{6,4096})""",
    ),
    _rule(
        "bearer",
        r"(?i:bearer\s)",
        r"(?i)\bbearer\s{1,4}(?P<secret>[A-Za-z0-9._~+/=-]{16,4096})",
        lambda match: any(c.isdigit() for c in match["secret"]),
    ),
    _rule(
        "url_password",
        r"://[^\s/?#]*@",
        r"""://[^\s/?#@:"'<>]{0,128}:(?P<secret>[^\s/?#"'<>]{1,512})@""",
    ),
    _rule("url_token", r"://[^\s/?#]*@", r"://(?P<secret>(?=[A-Za-z_-]{0,512}\d)[A-Za-z0-9_-]{20,512})@"),
    _rule(
        "signed_url",
        r"(?i:[?&](?:sig|x-[a-z]+-(?:signature|security-token|credential))=)",
        r"(?i)[?&](?:sig|x-(?:amz|goog)-(?:signature|security-token|credential))=(?P<secret>[A-Za-z0-9%+/=_-]{16,4096})",
    ),
    _rule(
        "flag",
        r"(?i:(?:password|passwd|token|secret|api[_-]?key)\s)",
        r"""(?i)--?(?:[a-z0-9]{1,20}[_-]){0,4}(?:password|passwd|token|secret|api[_-]?key)\s{1,4}["']?"""
        r"""(?P<secret>[^\s"'-][^\s"']{5,511})""",
        _is_key,
    ),
    _rule("password", r"(?i:pass(?:word|wd|phrase))", rf"(?i)pass(?:word|wd|phrase){_ASSIGN}{_VALUE}", _is_password),
    _rule(
        "secret",
        r"(?i:secret|(?:api|access|private|account|encryption)[ _-]?key)",
        rf"(?i)(?:secret(?:[_-]?(?:access[_-]?)?key)?|(?:api|access|private|account|encryption)[_-]?key){_ASSIGN}{_VALUE}",
        _is_key,
    ),
    _rule("token", r"""(?i:token["']?\s{0,4}[=:])""", rf"(?i)token{_ASSIGN}{_VALUE}", _is_access_token),
)
"""All rules, in the order they are applied: the most specific first, so that counts name the right kind."""

_HINT: Final = "|".join(rule.hint for rule in RULES)
_HINT_RE: Final = re.compile(_HINT)
_FEW: Final = 16
_BEGIN_KEY: Final = re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_END_KEY: Final = re.compile(r"-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY: Final = re.compile(
    r"(?:^|(?<=[\s:|\"'>]))(?P<secret>[A-Za-z0-9+/]{2,512}={0,2})(?:\\n)?[\"',]{0,2}\s*\Z", re.ASCII
)
_KEY_LINES: Final = 200
"""Most lines a private key block may span (an RSA key of 16384 bits has 198)."""

_MASKED: Final = "[masked:"


def masked_columns(table: str) -> tuple[str, ...]:
    """Columns of a table that are masked: all text but the identity, which is ours and held to harmless characters.

    Text that repeats (``dict``) is masked too: names of files, commands and metrics are a job's own words.
    """
    identity = {column.name for column in schema.IDENTITY}
    columns = schema.BY_NAME[table].columns
    return tuple(c.name for c in columns if c.type in ("str", "dict") and c.name not in identity)


@cache
def _repeats(table: str, column: str) -> bool:
    declared = schema.BY_NAME.get(table)
    return declared is not None and any(c.name == column and c.type == "dict" for c in declared.columns)


def _any_hint(values: pa.Array) -> bool:
    """Whether a text may hold a secret. Of a few texts one by one: Arrow would compile the rules anew for each call."""
    if len(values) > _FEW:
        return bool(pc.any(pc.match_substring_regex(values, _HINT)).as_py())
    return any(text is not None and _HINT_RE.search(text) is not None for text in values.to_pylist())


class Masker:
    """Masks secrets and counts what it masked. One per capture, so that equal secrets look equal there.

    Args:
        key: Key of the digests; None leaves digests out.
        off: Mask nothing, and say so among the counts, from where it reaches the bundle.
    """

    def __init__(self, key: bytes | None = None, *, off: bool = False) -> None:
        self._key = key
        self._off = off
        self._counts: Counter[tuple[str, str, str]] = Counter({(UNMASKED, "", ""): 0} if off else {})
        self._blocks: dict[str, int] = {}

    def counts(self) -> dict[tuple[str, str, str], int]:
        """How many secrets were masked, by (rule, table, column); sorted."""
        return dict(sorted(self._counts.items()))

    def add_counts(self, counts: dict[tuple[str, str, str], int]) -> None:
        """Count what was masked earlier, when a segment was sealed."""
        self._counts.update(counts)

    def text(self, text: str, table: str = "", column: str = "") -> str:
        """``text`` with its secrets replaced; ``table`` and ``column`` are where it is counted."""
        if self._off:
            return text
        return self._apply(text, table, column) if _HINT_RE.search(text) else text

    def column(
        self, values: pa.Array, table: str, column: str, streams: Sequence[str] | pa.Array | None = None
    ) -> pa.Array:
        """A string array with its secrets replaced.

        Args:
            values: Plain string array.
            table: Table it belongs to, for the counts.
            column: Column it is, for the counts.
            streams: One key a row, when rows are consecutive lines of streams: private keys are then followed from
                line to line within a stream, also into the next call.
        """
        if self._off:
            return values
        if _repeats(table, column):
            # A few words told many times: looked at once each.
            if not _any_hint(values.unique()):
                return values
            streams = None
        if streams is None:
            if len(values) <= _FEW and not _any_hint(values):
                return values
            hits = pc.match_substring_regex(values, _HINT)
            if not pc.any(hits).as_py():
                return values
            texts = pc.filter(values, hits).to_pylist()
            return pc.replace_with_mask(
                values,
                pc.fill_null(hits, False),
                pa.array([self._apply(text, table, column) for text in texts], pa.string()),
            )
        if not self._blocks and not pc.any(pc.match_substring(values, "PRIVATE KEY-")).as_py():
            return self.column(values, table, column)
        keys = streams.to_pylist() if isinstance(streams, pa.Array) else streams
        lines = zip(values.to_pylist(), keys, strict=True)
        return pa.array([None if t is None else self._line(t, key, table, column) for t, key in lines], pa.string())

    def _line(self, text: str, stream: str, table: str, column: str) -> str:
        left = self._blocks.get(stream, 0)
        if left:
            if _END_KEY.search(text) or left == 1:
                del self._blocks[stream]
            else:
                self._blocks[stream] = left - 1
            body, end, rest = text, "", ""
            if match := _END_KEY.search(text):
                body, end, rest = text[: match.start()], match[0], text[match.end() :]
            masked = _KEY_BODY.sub(lambda m: self._token("private_key", m["secret"], table, column), body)
            return masked + end + self.text(rest, table, column)
        last = max(_BEGIN_KEY.finditer(text), key=re.Match.start, default=None)
        if last is not None and not _END_KEY.search(text, last.end()):
            self._blocks[stream] = _KEY_LINES
        return self.text(text, table, column)

    def _apply(self, text: str, table: str, column: str) -> str:
        for rule in RULES:
            text = rule.pattern.sub(lambda match, rule=rule: self._replace(rule, match, table, column), text)  # type: ignore[misc]
        return text

    def _replace(self, rule: Rule, match: re.Match[str], table: str, column: str) -> str:
        secret = match["secret"]
        begin, end = (at - match.start() for at in match.span("secret"))
        # Our own replacement looks like "password:digest" to later rules, and to a second pass.
        masked_at = match.string.rfind(_MASKED, max(0, match.start() - 32), match.start())
        inside = masked_at >= 0 and "]" not in match.string[masked_at : match.start()]
        if inside or secret.startswith(_MASKED) or _MASKED in match[0][:begin]:
            return match[0]
        if rule.accept is not None and not rule.accept(match):
            return match[0]
        return match[0][:begin] + self._token(rule.name, secret, table, column) + match[0][end:]

    def _token(self, rule: str, secret: str, table: str, column: str) -> str:
        self._counts[rule, table, column] += 1
        if self._key is None:
            return f"{_MASKED}{rule}]"
        digest = hmac.new(self._key, secret.encode(), hashlib.sha256).hexdigest()[:8]
        return f"{_MASKED}{rule}:{digest}]"
