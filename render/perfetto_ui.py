"""A carried-in Perfetto UI and one trace, served to this machine only.

The UI is a zip of static files that somebody brought on media; it is read in place, never unpacked, and nothing in it
is trusted further than a page must be: its policy lets it load from here and nowhere else. Who wants in needs a token
that is drawn anew for every start, and must ask by the loopback address, so that no other page and no name that was
pointed here (DNS rebinding) can read the trace.

A page may still navigate away of itself, which no policy can forbid: carry a UI whose digest you know.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import re
import secrets
import zipfile
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote, urlencode, urlsplit

from inquest.bundle.errors import InputError, NotABundle, UnsafeInput

if TYPE_CHECKING:
    from pathlib import Path

MOST_FILES: Final = 20_000
MOST_BYTES: Final = 1 << 30
LARGEST: Final = 256 << 20
"""A real perfetto-ui.zip holds some hundred files and some hundred megabytes at most."""

_INDEX: Final = "index.html"
_CHUNK: Final = 1 << 20
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".wasm": "application/wasm",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".woff": "font/woff",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
}
_INLINE: Final = re.compile(rb"<script(?![^>]*\ssrc\s*=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)


class Archive:
    """The files of a Perfetto UI, checked before one is served.

    Raises:
        InputError: It is no zip, holds no index.html, or holds what no UI does.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror}). Give the perfetto-ui.zip.") from error
        except (zipfile.BadZipFile, ValueError) as error:
            raise NotABundle(f"{path} is not a zip file. Give the perfetto-ui.zip of a Perfetto release.") from error
        files = [info for info in self._zip.infolist() if not info.is_dir()]
        if len(files) > MOST_FILES or sum(info.file_size for info in files) > MOST_BYTES:
            raise UnsafeInput(f"{path} holds more than a Perfetto UI does. Give the perfetto-ui.zip of a release.")
        for info in files:
            parts = PurePosixPath(info.filename).parts
            wrong = info.filename.startswith("/") or ".." in parts or any(c in info.filename for c in "\\\0:")
            if wrong or info.flag_bits & 1 or info.file_size > LARGEST:
                raise UnsafeInput(
                    f"{path} holds a file that cannot be served. Get the zip anew from where it was made."
                )
        root = _root([info.filename for info in files])
        if root is None:
            raise InputError(f"{path} holds no {_INDEX}. Give the perfetto-ui.zip of a Perfetto release.")
        self._files = {info.filename.removeprefix(root): info for info in files if info.filename.startswith(root)}
        self.digest = _sha256(path)
        self.inline = tuple(
            f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
            for script in _INLINE.findall(self.read(_INDEX) or b"")
        )

    def read(self, name: str) -> bytes | None:
        """One file; None where there is none of that name.

        Raises:
            InputError: Its bytes are damaged.
        """
        info = self._files.get(name)
        if info is None:
            return None
        try:
            with self._zip.open(info) as file:
                return file.read(LARGEST)
        except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError) as error:
            raise InputError(f"{name} is damaged in the zip of the Perfetto UI: copy it again.") from error


def _root(names: list[str]) -> str | None:
    """The folder that holds index.html: the top of the zip, else its only folder."""
    if _INDEX in names:
        return ""
    tops = {name.partition("/")[0] for name in names}
    return f"{top}/" if len(tops) == 1 and f"{(top := next(iter(tops)))}/{_INDEX}" in names else None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Server(ThreadingHTTPServer):
    """Serves an archive and a trace on 127.0.0.1. ``serve_forever`` runs it; ``address`` opens it.

    Args:
        archive: The UI.
        trace: The trace's bytes, as they are on disk.
        name: What the trace is called in the UI.
        fragment: What follows the address of the UI (``#!/?...``), without the trace.
        port: Port on the loopback; 0: any that is free.

    Raises:
        OSError: The port is taken.
    """

    daemon_threads = True

    def __init__(self, archive: Archive, trace: bytes, name: str, fragment: str = "", port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.archive = archive
        self.trace = trace
        self.token = secrets.token_urlsafe(24)
        self.host = f"127.0.0.1:{self.server_port}"
        self.cookie = f"inquest_ui_{self.server_port}"  # cookies do not tell ports apart
        self.trace_path = f"/trace/{self.token}/{quote(name, safe='')}"
        begin = fragment or "#!/?"
        joint = "" if begin.endswith("?") else "&"
        self.start = f"/{begin}{joint}{urlencode({'url': f'http://{self.host}{self.trace_path}'})}"
        self.policy = _policy(archive.inline)

    @property
    def address(self) -> str:
        """What to open in a browser of this machine: it holds the token."""
        return f"http://{self.host}/open/{self.token}"


def _policy(inline: tuple[str, ...]) -> str:
    """From here and nowhere else. Trace processor is WebAssembly, which the UI compiles with eval's permission."""
    return "; ".join(
        (
            "default-src 'none'",
            " ".join(("script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'", *inline)),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self' data: blob:",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "inquest"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        with contextlib.suppress(ConnectionError):  # the page was closed or left
            self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged: the address holds the token."""

    def _answer(self, *, body: bool) -> None:
        if self.headers.get("Host") != self.server.host:
            self._send(HTTPStatus.MISDIRECTED_REQUEST, b"Ask by the address that inquest printed.\n", body=body)
            return
        path = unquote(urlsplit(self.path).path)
        if secrets.compare_digest(path.encode(), f"/open/{self.server.token}".encode()):
            self._send(HTTPStatus.FOUND, b"", body=body, start=True)
        elif not self._known():
            self._send(HTTPStatus.FORBIDDEN, b"Open the address that inquest printed: it holds a token.\n", body=body)
        elif path == unquote(self.server.trace_path):
            self._send(HTTPStatus.OK, self.server.trace, body=body)
        else:
            name = path.removeprefix("/") or _INDEX
            try:
                found = self.server.archive.read(name)
            except InputError as error:
                self._send(HTTPStatus.INTERNAL_SERVER_ERROR, f"{error}\n".encode(), body=body)
                return
            if found is None:
                self._send(HTTPStatus.NOT_FOUND, b"There is no such file in the Perfetto UI.\n", body=body)
            else:
                self._send(HTTPStatus.OK, found, body=body, kind=_TYPES.get(PurePosixPath(name).suffix.lower()))

    def _known(self) -> bool:
        try:
            sent = SimpleCookie(self.headers.get("Cookie", "")).get(self.server.cookie)
        except CookieError:
            return False
        return sent is not None and secrets.compare_digest(sent.value.encode(), self.server.token.encode())

    def _send(
        self, status: HTTPStatus, content: bytes, *, body: bool, kind: str | None = None, start: bool = False
    ) -> None:
        self.send_response(status)
        plain = "text/plain; charset=utf-8" if status != HTTPStatus.OK else "application/octet-stream"
        for name, value in (
            ("Content-Type", kind or plain),
            ("Content-Length", str(len(content))),
            ("Content-Security-Policy", self.server.policy),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        if start:
            self.send_header("Location", self.server.start)
            flags = "HttpOnly; SameSite=Strict; Path=/"
            self.send_header("Set-Cookie", f"{self.server.cookie}={self.server.token}; {flags}")
        self.end_headers()
        for at in range(0, len(content) if body else 0, _CHUNK):
            self.wfile.write(content[at : at + _CHUNK])
