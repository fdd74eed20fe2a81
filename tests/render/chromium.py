"""Drive the real Chromium over its debugging pipe, with the standard library only.

The browser may resolve no host (``--host-resolver-rules``), so that a page that tries to load something is caught at
the request, not by a slow time-out.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EXECUTABLE = shutil.which("chromium") or shutil.which("chromium-browser")
_REPLY_SECONDS = 60.0


@dataclass(frozen=True)
class Seen:
    """What one visit gave."""

    requests: list[str]
    blocked: list[str]
    """Requests that the page's own policy stopped."""

    messages: list[str]
    text: str
    overflow: int
    """Pixels by which the page is wider than the window."""

    png: bytes
    pdf: bytes
    """The page on A4, empty unless asked for."""

    answer: Any = None
    """What the expression that was asked for came to."""


@dataclass(frozen=True)
class Address:
    """What a visit opens, where it is no file."""

    url: str

    def as_uri(self) -> str:
        return self.url


class Chromium:
    """One browser process; each visit has a context of its own."""

    def __init__(self) -> None:
        assert EXECUTABLE
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        self._profile = tempfile.mkdtemp()
        command = [EXECUTABLE, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        command += [f"--user-data-dir={self._profile}", "--no-first-run", "--disable-background-networking"]
        command += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--hide-scrollbars", "about:blank"]
        # The pipe has to be descriptors 3 and 4 of the browser; a shell moves them there.
        shell = ["/bin/bash", "-c", f'exec 3<&{to_read} 4>&{to_write}; exec "$@"', "bash", *command]
        self._process = subprocess.Popen(
            shell, pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._last = 0
        self._events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._call("Browser.close")
        except (OSError, TimeoutError):
            self._process.kill()
        self._process.wait(30)
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)

    def visit(
        self,
        page: Path | Address,
        *,
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        script: bool = True,
        paper: bool | tuple[float, float] = False,
        settle: Callable[[str], bool] | None = None,
        ask: str = "",
    ) -> Seen:
        """Open a file, wait until it is loaded, and report everything it did.

        ``paper``: print it, on A4 or a sheet of that width and height in inches. ``ask`` is evaluated in the page
        after that, by the tester: the page's policy does not hold it.
        """
        context = self._call("Target.createBrowserContext")["browserContextId"]
        target = self._call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self._call(f"{domain}.enable", session)
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", session, **metrics)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._call("Emulation.setEmulatedMedia", session, features=scheme)
        self._call("Emulation.setScriptExecutionDisabled", session, value=not script)
        self._events.clear()
        self._call("Page.navigate", session, url=page.as_uri())
        self._wait_for("Page.loadEventFired")
        # Requests that a page makes after its load event (beacons, refreshes) need a moment to show.
        self._drain(0.4)
        until = time.monotonic() + _REPLY_SECONDS
        while settle is not None and time.monotonic() < until:
            if settle(str(self._evaluate(session, "document.body.innerText"))):
                break
            self._drain(0.1)
        events, self._events = self._events, []
        layout = self._call("Page.getLayoutMetrics", session)
        self._call("Emulation.setScriptExecutionDisabled", session, value=False)
        text = str(self._evaluate(session, "document.body.innerText"))
        answer = self._evaluate(session, ask) if ask else None
        shot = self._call("Page.captureScreenshot", session, captureBeyondViewport=height == 0 or height > 3000)
        width_in, height_in = paper if isinstance(paper, tuple) else (8.27, 11.69)
        sheet = {"preferCSSPageSize": True, "paperWidth": width_in, "paperHeight": height_in}
        pdf = self._call("Page.printToPDF", session, **sheet)["data"] if paper else ""
        self._call("Target.disposeBrowserContext", browserContextId=context)
        return Seen(
            [url for event in events for url in _urls(event) if url != page.as_uri()],
            _blocked(events),
            [text for event in events for text in _messages(event)],
            text,
            int(layout["cssContentSize"]["width"]) - width,
            base64.b64decode(shot["data"]),
            base64.b64decode(pdf),
            answer,
        )

    def _evaluate(self, session: str, expression: str) -> object:
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True, "userGesture": True}
        reply = self._call("Runtime.evaluate", session, **asked)
        if "exceptionDetails" in reply:
            raise RuntimeError(str(reply["exceptionDetails"]))
        return reply["result"].get("value")

    def _call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        self._last += 1
        ident = self._last
        message = {"id": ident, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next(_REPLY_SECONDS)
            if reply is None:
                raise TimeoutError(method)
            if reply.get("id") == ident:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                result: dict[str, Any] = reply["result"]
                return result
            self._events.append(reply)

    def _next(self, seconds: float) -> dict[str, Any] | None:
        until = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], max(0.0, until - time.monotonic()))[0]:
                return None
            got = os.read(self._read, 1 << 20)
            if not got:
                raise ConnectionError("chromium went away")
            self._buffer += got
        message, self._buffer = self._buffer.split(b"\0", 1)
        told: dict[str, Any] = json.loads(message)
        return told

    def _wait_for(self, method: str) -> None:
        while not any(event.get("method") == method for event in self._events):
            event = self._next(_REPLY_SECONDS)
            if event is None:
                raise TimeoutError(method)
            self._events.append(event)

    def _drain(self, seconds: float) -> None:
        while (event := self._next(seconds)) is not None:
            self._events.append(event)


def _urls(event: dict[str, Any]) -> list[str]:
    params = event.get("params", {})
    match event.get("method"):
        case "Network.requestWillBeSent":
            return [params["request"]["url"]]
        case "Network.webSocketCreated":
            return [params["url"]]
    return []


def _blocked(events: list[dict[str, Any]]) -> list[str]:
    asked = {
        event["params"]["requestId"]: event["params"]["request"]["url"]
        for event in events
        if event.get("method") == "Network.requestWillBeSent"
    }
    failed = [event["params"] for event in events if event.get("method") == "Network.loadingFailed"]
    return [asked[params["requestId"]] for params in failed if params.get("blockedReason") == "csp"]


def _messages(event: dict[str, Any]) -> list[str]:
    params = event.get("params", {})
    match event.get("method"):
        case "Log.entryAdded":
            return [params["entry"]["text"]]
        case "Runtime.exceptionThrown":
            return [str(params["exceptionDetails"].get("text"))]
        case "Runtime.consoleAPICalled":
            return [str(params["args"][:1])]
    return []
