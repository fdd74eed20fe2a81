"""Entry point of the single-file agent: the verbs a node needs, without typer, polars or anything of the desk."""

from __future__ import annotations

import os
import sys

_HELP = """\
Usage: inquest-agent run [OPTIONS] [--] CMD [ARG]...   record a command and its node
       inquest-agent attach --job ID | --pid PID       record a job that runs already
       inquest-agent merge DIR... -o JOB.inquest       merge node directories into one bundle
       inquest-agent doctor [--out DIR] [--json]       what can this node see
       inquest-agent --version

`inquest-agent VERB --help` says more. Everything else (analyze, explain, query ...) is in the `inquest` package.
"""


def main(argv: list[str]) -> int:
    """Dispatch; nothing is imported before it is known to be needed."""
    verb, rest = (argv[0], argv[1:]) if argv else ("--help", [])
    if verb == "run":
        from inquest.capture.run import main as run

        run(rest)
    if verb == "internal-adopt":
        from inquest.capture.run import adopt

        adopt(rest)
    if verb == "attach":
        from inquest.capture.attach import main as attach

        attach(rest)
    if verb == "internal-recorder":
        from inquest.capture.recorder import serve

        serve(rest)
    if verb == "internal-ebpf.selftest":
        from inquest.capture.ebpf.selftest import serve as be_the_test

        be_the_test(rest)
    if verb == "internal-ebpf.bcc":
        from inquest.capture.ebpf.bcc import serve as compile_programs

        compile_programs(rest)
    if verb == "internal-crew":
        from inquest.bundle.crew import serve as help_merge

        help_merge()
        return 0
    if verb == "merge":
        return _merge(rest)
    if verb == "internal-mail":
        from inquest.capture.mail import serve as send

        send(rest)
    if verb == "doctor":
        return _doctor(rest)
    if verb == "--version":
        from inquest import __version__

        print(f"inquest-agent {__version__} (needs glibc {_glibc_floor()} or newer)")
        return 0
    known = verb in ("--help", "-h")
    print(_HELP, end="", file=sys.stdout if known else sys.stderr)
    return 0 if known else 2


def _glibc_floor() -> str:
    """What the build found when it looked at every library in here."""
    try:
        with open(os.path.join(sys._MEIPASS, "glibc"), encoding="ascii") as file:  # type: ignore[attr-defined]  # noqa: PTH118
            return file.read()
    except (AttributeError, OSError):
        return "?"


def _doctor(argv: list[str]) -> int:
    import argparse
    import dataclasses
    import json
    from pathlib import Path

    from inquest.bundle.errors import InputError
    from inquest.capture.collectors import COLLECTORS
    from inquest.capture.doctor import examine, lines
    from inquest.capture.options import DEFAULT_OUT

    parser = argparse.ArgumentParser(prog="inquest-agent doctor", description="Say what this node lets us see.")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path(DEFAULT_OUT), help="where a job would be recorded"
    )
    parser.add_argument("--json", action="store_true", help="print as JSON")
    args = parser.parse_args(argv)
    try:
        findings = list(examine(args.out, COLLECTORS))
    except InputError as error:
        print(f"inquest-agent: {error}", file=sys.stderr)
        return error.exit_code
    if args.json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
    else:
        print("\n".join(lines(findings)))
    sys.stdout.flush()
    os._exit(0)  # a collector's thread may hang in the kernel: leave without waiting for it


def _merge(argv: list[str]) -> int:
    import argparse
    from pathlib import Path

    parser = argparse.ArgumentParser(prog="inquest-agent merge", description="Merge node directories into one bundle.")
    parser.add_argument("dirs", metavar="DIR", nargs="+", type=Path, help="node directories, or directories of them")
    parser.add_argument("-o", "--out", metavar="JOB.inquest", required=True, type=Path, help="the bundle to write")
    parser.add_argument("--job", metavar="ID", help="name of the job, where recordings tell none or several")
    parser.add_argument("--force", action="store_true", help="replace the bundle when it exists")
    args = parser.parse_args(argv)

    from inquest.bundle.errors import InquestError
    from inquest.bundle.merge import merge
    from inquest.bundle.unredacted import WARNING

    try:
        report = merge(args.dirs, args.out, job_id=args.job, force=args.force)
    except InquestError as error:
        print(f"inquest-agent: {error}", file=sys.stderr)
        return error.exit_code
    except ModuleNotFoundError as error:
        print(
            f"inquest-agent: merging bundles needs the inquest package ({error}); use node directories.",
            file=sys.stderr,
        )
        return 2
    if report.unmasked:
        print(f"inquest-agent: {WARNING.format(out=report.out)}", file=sys.stderr)
    print(f"{report.out}: {len(report.nodes)} nodes, {len(report.ranks)} ranks, {report.size:,} bytes")
    print(f"digest {report.content_digest}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
