"""`inquest ui`: a carried-in Perfetto UI and the trace, to this machine only, with a token, and nothing leaves."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import zipfile
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.render.perfetto_ui import Archive, Server

from .conftest import ROOT, inquest
from .render.chromium import EXECUTABLE, Address, Chromium

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TRACE = b"\n\x04abcd" + bytes(range(256)) * 64

# What ui.perfetto.dev's index.html does: an inline script picks the version and loads the rest, which reads `?url=`.
INDEX = """<!doctype html><html><head><meta charset="utf-8"><title>UI</title></head><body data-perfetto_version='{}'>
<script type="text/javascript">
  'use strict';
  (function () {
    const script = document.createElement('script');
    script.src = 'v1/frontend_bundle.js';
    document.head.append(script);
  })();
</script></body></html>"""
BUNDLE = """
const url = new URLSearchParams(location.hash.slice('#!/?'.length)).get('url');
const done = document.createElement('p');
document.body.append(done);
const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(1 + 1)'])));
worker.onmessage = async (told) => {
  const reply = await fetch(url);
  const bytes = new Uint8Array(await reply.arrayBuffer());
  let sum = 0;
  for (const byte of bytes) sum += byte;
  const wasm = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  for (const away of ['http://127.0.0.1:9001/status', 'https://www.googletagmanager.com/gtag/js']) {
    try { await fetch(away); done.textContent += 'LEAKED '; } catch { /* the policy's doing */ }
  }
  new Image().src = 'https://ui.perfetto.dev/a.png';
  done.textContent += `worker ${told.data} bytes ${bytes.length} sum ${sum} wasm ${wasm instanceof WebAssembly.Module}`;
};
"""


def pack(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


@pytest.fixture
def ui(tmp_path: Path) -> Path:
    return pack(tmp_path / "ui.zip", {"index.html": INDEX, "v1/frontend_bundle.js": BUNDLE})


@pytest.fixture
def server(ui: Path) -> Iterator[Server]:
    with Server(Archive(ui), TRACE, "job 1.pftrace") as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server: Server, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        reply = connection.getresponse()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()
    finally:
        connection.close()


def test_only_who_has_the_token_gets_anything(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"
    for path in ("/", "/index.html", server.trace_path, "/open/", "/open/x", f"/open/{server.token}x"):
        assert ask(server, path)[0] == 403, path
        assert ask(server, path, Cookie=f"{server.cookie}=x")[0] == 403, path
        assert ask(server, path, Cookie="=;;,")[0] == 403, path
    status, headers, _ = ask(server, f"/open/{server.token}")
    assert status == 302
    assert headers["location"].startswith("/#!/?url=http%3A%2F%2F127.0.0.1")
    assert "HttpOnly; SameSite=Strict" in headers["set-cookie"]
    cookie = headers["set-cookie"].partition(";")[0]
    assert ask(server, server.trace_path, Cookie=cookie)[2] == TRACE
    status, headers, page = ask(server, "/", Cookie=cookie)
    assert (status, page) == (200, INDEX.encode())
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert ask(server, "/nothing.js", Cookie=cookie)[0] == 404
    assert ask(server, "/v1/../../../etc/passwd", Cookie=cookie)[0] == 404


def test_another_name_for_the_loopback_is_refused(server: Server) -> None:
    """A page of elsewhere whose name was made to point here (DNS rebinding) brings its own Host."""
    for host in ("evil.example", f"localhost:{server.server_port}", "127.0.0.1"):
        assert ask(server, f"/open/{server.token}", Host=host)[0] == 421


def test_every_answer_says_that_nothing_may_leave(server: Server) -> None:
    cookie = f"{server.cookie}={server.token}"
    for path in ("/", "/v1/frontend_bundle.js", server.trace_path, "/none", f"/open/{server.token}"):
        headers = ask(server, path, Cookie=cookie)[1]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert not re.search(r"https?:|\*", policy)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"


def test_two_starts_never_share_a_token(ui: Path) -> None:
    with Server(Archive(ui), TRACE, "a") as one, Server(Archive(ui), TRACE, "a") as two:
        assert one.token != two.token
        assert one.cookie != two.cookie


@pytest.mark.skipif(EXECUTABLE is None, reason="chromium is not installed (apt-get install chromium)")
def test_a_real_browser_opens_the_trace_and_asks_nobody_else(server: Server) -> None:
    with Chromium() as browser:
        seen = browser.visit(Address(server.address), settle=lambda text: "wasm" in text)
        stranger = browser.visit(Address(f"http://{server.host}/"))
    assert f"worker 2 bytes {len(TRACE)} sum {sum(TRACE)} wasm true" in seen.text
    assert "LEAKED" not in seen.text
    gone_out = [url for url in seen.requests if not url.startswith((f"http://{server.host}/", "blob:"))]
    assert sorted(gone_out) == sorted(url for url in seen.blocked if url in gone_out)
    assert "holds a token" in stranger.text


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"readme": "x"}, InputError),
        ({"index.html": "x", "../evil.js": "x"}, UnsafeInput),
        ({"index.html": "x", "/etc/x": "x"}, UnsafeInput),
        ({"index.html": "x", "a\\b.js": "x"}, UnsafeInput),
    ],
)
def test_a_zip_that_is_no_ui_is_refused(tmp_path: Path, files: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(error):
        Archive(pack(tmp_path / "x.zip", files))


def test_a_zip_that_claims_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inquest.render.perfetto_ui.MOST_BYTES", 100)
    with pytest.raises(UnsafeInput):
        Archive(pack(tmp_path / "x.zip", {"index.html": "x" * 101}))


def test_the_ui_may_lie_in_the_only_folder_of_the_zip(tmp_path: Path) -> None:
    assert Archive(pack(tmp_path / "x.zip", {"ui/index.html": "here", "ui/a.js": "a"})).read("index.html") == b"here"


def test_damage_within_the_zip_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("index.html", "x")
        archive.writestr("a.js", "unmistakable")
    path.write_bytes(path.read_bytes().replace(b"unmistakable", b"unmistakeble"))
    with pytest.raises(InputError, match="copy it again"):
        Archive(path).read("a.js")


def test_the_verb_serves_a_bundle_until_it_is_interrupted(ui: Path, tmp_path: Path) -> None:
    from inquest.bundle.merge import merge

    job = tmp_path / "job.inquest"
    merge([path for path in (ROOT / "samples" / "recorded" / "rank_lost").iterdir() if path.is_dir()], job)
    running = subprocess.Popen(
        [sys.executable, "-m", "inquest", "ui", str(job)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "INQUEST_PERFETTO_UI": str(ui)},
    )
    try:
        assert running.stdout is not None
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/open/\S+)\n", running.stdout.readline())
        assert found
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
        connection.request("GET", found[2])
        reply = connection.getresponse()
        assert reply.status == 302
        assert "startupCommands" in reply.headers["Location"]
        assert "job.pftrace" in reply.headers["Location"]
        connection.close()
    finally:
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "sha256" in said
    assert "Traceback" not in said


def test_without_a_ui_it_says_how_to_carry_one(tmp_path: Path) -> None:
    done = inquest("ui", "job.inquest", cwd=tmp_path, env={"INQUEST_PERFETTO_UI": ""})
    assert done.returncode == 2
    assert "perfetto-ui.zip" in done.stderr


def test_what_is_no_trace_is_refused(ui: Path, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    done = inquest("ui", str(tmp_path / "x"), "--ui", str(ui))
    assert done.returncode == 5
    assert "neither a bundle nor a Perfetto trace" in done.stderr
    assert inquest("ui", str(tmp_path / "absent"), "--ui", str(ui)).returncode == 5
    (tmp_path / "t.pftrace").write_bytes(TRACE)
    assert inquest("ui", str(tmp_path / "t.pftrace"), "--ui", str(ui), "--claim", "A2.1").returncode == 2
